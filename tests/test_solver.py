"""The solver against brute force, against published scores, and under limits that stop it."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import pytest

import naive
from outflank.board import Empties, Position, Rules, Variant
from outflank.errors import BadSpec
from outflank.kernels.bitboard import count, either, first, is_empty, moves, without, without_first
from outflank.kernels.jit import Board
from outflank.kernels.rules import after
from outflank.search.limits import Limits
from outflank.search.solver import solve
from support import DATA, EFFORT, PATIENCE, every_size, every_variant, from_naive, shared

EMPTIES: tuple[Empties, ...] = ("winner", "nobody")
every_convention = pytest.mark.parametrize("empties", EMPTIES)

# --- brute force --------------------------------------------------------------------------------------------


@numba.njit  # type: ignore[untyped-decorator]
def negamax(me: Board, opp: Board, full: Board, sign: int, prize: int) -> int:
    """The score by looking at every line of play: no bounds, no memory, no order."""
    legal = moves(me, opp, full)
    if is_empty(legal):
        if not is_empty(moves(opp, me, full)):
            return -int(negamax(opp, me, full, sign, prize))
        margin, empty = count(me) - count(opp), count(without(full, either(me, opp)))
        if margin == 0:
            return 0
        return sign * (margin + prize * empty) if margin > 0 else sign * (margin - prize * empty)
    best = -10000
    while not is_empty(legal):
        square = first(legal)
        legal = without_first(legal)
        theirs, mine = after(me, opp, square)
        best = max(best, -negamax(theirs, mine, full, sign, prize))
    return best


def brute(position: Position, empties: Empties) -> int:
    sign = 1 if position.rules.variant == "standard" else -1
    return int(negamax(*position.boards, sign, 1 if empties == "winner" else 0))


def outcome(score: int) -> int:
    return (score > 0) - (score < 0)


# --- positions ----------------------------------------------------------------------------------------------


def played(rules: Rules, holes: int, seed: int) -> Position:
    """A position of a random game with this many empty squares, or the end of a game that ended before."""
    rng = random.Random(seed)
    position = Position.start(rules)
    while position.empties > holes and not position.is_over:
        position = position.play(rng.choice(position.moves))
    return position


def filled(rules: Rules, holes: int, seed: int) -> Position:
    """A full board with holes, together or scattered: passes, early ends and stretches of one colour abound."""
    rng = random.Random(seed)
    squares = list(range(rules.cells))
    rng.shuffle(squares)
    if seed % 2:
        row, column = divmod(squares[0], rules.size)
        squares.sort(key=lambda square: abs(square // rules.size - row) + abs(square % rules.size - column))
    black, share = 0, rng.choice([0.1, 0.5, 0.5, 0.8])
    for square in squares[holes:]:
        block = square // (2 if seed % 3 == 0 else 1)
        black |= rules.bit(square) * (random.Random(seed + block).random() < share)
    empty = sum(rules.bit(square) for square in squares[:holes])
    return Position(rules, black, rules.full & ~black & ~empty)


def positions(rules: Rules, most: int, number: int) -> Iterator[Position]:
    """This many positions with 0 to `most` empty squares; a few small ones where everything is slow."""
    for seed in range(number if EFFORT == 1 else 8):
        holes = min(random.Random(seed).randrange(most + 1), rules.cells - 4)
        holes = holes if EFFORT == 1 else min(holes, 4)
        yield (filled if seed % 2 or rules.size > 8 else played)(rules, holes, seed)


# --- scores -------------------------------------------------------------------------------------------------


@every_size
@every_variant
@every_convention
def test_scores_equal_brute_force(size: int, variant: Variant, empties: Empties) -> None:
    most, number = {4: (9, 250), 6: (10, 250), 8: (10, 250)}.get(size, (7, 80))
    for position in positions(Rules(size, variant), most, number):
        score = brute(position, empties)
        assert solve(position, empties=empties).score == score, position
        assert solve(position, "wdl", empties=empties).score == outcome(score), position


@every_variant
@every_convention
@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_scores_equal_the_oracle(size: int, variant: Variant, empties: Empties) -> None:
    """The oracle knows nothing of our kernels; it is slow, so the positions are few and small."""
    rng = random.Random(size)
    for _ in range(max(int(8 * EFFORT), 2)):
        board, side = naive.start(size), "X"
        while naive.counts(board)[2] > 5 and (plies := naive.plies(board, side)):
            board, side = naive.play(board, side, rng.choice(plies)), naive.OTHER[side]
        score = naive.solve(board, side, variant, empties)
        assert solve(from_naive(board, side, variant), empties=empties).score == score


@every_size
@every_variant
def test_every_move_has_its_score_and_the_line_reaches_it(size: int, variant: Variant) -> None:
    for position in positions(Rules(size, variant), 8 if size <= 8 else 6, 60):
        empties = EMPTIES[position.black % 2]
        solution = solve(position, empties=empties, every_move=True)
        if not position.moves_mask:
            assert solution.move == (position.rules.pass_move if position.must_pass else None)
            continue
        expected = {move: -brute(position.play(move), empties) for move in position.moves}
        assert {move.move: move.value for move in solution.moves} == expected
        assert solution.move == max(expected, key=lambda move: (expected[move], -move))
        for line in (solution.pv, solve(position, empties=empties).pv):
            assert end_of(position, line).score(position.turn, empties) == solution.score
        won = solve(position, "wdl", empties=empties)
        assert outcome(end_of(position, won.pv).score(position.turn, empties)) == won.score


def end_of(position: Position, line: tuple[int, ...]) -> Position:
    for move in line:
        position = position.play(move)
    assert position.is_over
    return position


def test_a_finished_game_and_a_forced_pass() -> None:
    finished = Position.parse("XXXX----------OO X")
    assert (solve(finished).score, solve(finished, empties="nobody").score) == (12, 2)
    assert (solve(finished).move, solve(finished).pv, solve(finished, every_move=True).moves) == (None, (), ())
    passing = Position.parse("XXXXXXXXXXXXXXO- O")
    solution = solve(passing, every_move=True)
    assert (solution.score, solution.move, solution.pv) == (-16, 16, (16, 15))


@pytest.mark.parametrize(
    ("variant", "empties", "score"),
    [("standard", "winner", -10), ("standard", "nobody", -8), ("reversed", "winner", 4), ("reversed", "nobody", 3)],
)
def test_the_4x4_game(variant: Variant, empties: Empties, score: int) -> None:
    assert solve(Position.start(Rules(4, variant)), empties=empties).score == score


@pytest.mark.compiled
@every_variant
def test_images_of_a_position_have_the_same_score(variant: Variant) -> None:
    for seed in range(5):
        position = played(Rules(8, variant), 14, seed)
        assert len({solve(position.transform(number)).score for number in range(8)}) == 1


# --- published scores ---------------------------------------------------------------------------------------


def scored(path: Path) -> list[tuple[Position, dict[int, int]]]:
    """Positions of a file with the score of every move."""
    found: list[tuple[Position, dict[int, int]]] = []
    for line in path.read_text().splitlines():
        if line.startswith("%"):
            continue
        board, *moves = [part.strip() for part in line.split(";") if part.strip()]
        position = Position.parse(board)
        pairs = (part.split(":") for part in moves)
        found.append((position, {position.rules.square(move): int(score) for move, score in pairs}))
    return found


@pytest.mark.compiled
def test_every_move_of_our_own_endgames() -> None:
    for position, published in scored(DATA / "endgames.obf"):
        assert {move.move: move.value for move in solve(position, every_move=True).moves} == published
        assert solve(position, "wdl").score == outcome(max(published.values()))


def forum(name: str) -> list[tuple[Position, dict[int, int]]]:
    """Positions of the FFO test suite with the published score of every move."""
    return scored(shared("ffo", name))


@pytest.mark.compiled
def test_ffo_1_to_19() -> None:
    for position, published in forum("fforum-1-19.obf"):
        solution = solve(position)
        assert solution.score == max(published.values()), position
        assert solution.move is not None and published[solution.move] == solution.score, position
        assert solve(position, "wdl").score == outcome(max(published.values()))


@pytest.mark.compiled
def test_every_move_of_ffo_1_to_7() -> None:
    for position, published in forum("fforum-1-19.obf")[:7]:
        assert {move.move: move.value for move in solve(position, every_move=True).moves} == published


@pytest.mark.compiled
def test_ffo_20_to_30() -> None:
    for position, published in forum("fforum-20-39.obf")[:11]:
        assert solve(position).score == max(published.values()), position


# --- limits -------------------------------------------------------------------------------------------------


@every_variant
@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_a_stopped_search_is_never_wrong(size: int, variant: Variant) -> None:
    for seed in range(max(int(20 * EFFORT), 1)):
        position = played(Rules(size, variant), 8 if size > 8 else 11 if EFFORT == 1 else 6, seed)
        score = solve(position).score
        assert score is not None
        stopped = 0
        for nodes in (1, 30, 300, 1000, 3000)[: None if EFFORT == 1 else 3]:
            for every_move in (False, True):
                solution = solve(position, limits=Limits(nodes=nodes), every_move=every_move)
                stopped += not solution.exact
                assert solution.score in (None, score) and solution.at_least <= score <= solution.at_most
                assert (solution.move is None) == position.is_over and solution.move in (*position.moves, None)
                assert all(move.value is not None or not move.exact for move in solution.moves)
        assert stopped or position.empties < 6
        assert solve(position, "wdl", Limits(nodes=100)).score in (None, outcome(score))


@pytest.mark.parametrize("size", [6, 8, 10])
def test_threads_and_the_clock_change_no_score(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(int(10 * EFFORT)):
        position = played(Rules(size), 13 if EFFORT == 1 else 8, seed)
        whole = solve(position)
        with monkeypatch.context() as patched:
            patched.setattr("outflank.search.beside._AT_ONCE", 0)  # beside the clock, however small
            assert solve(position).score == solve(position, threads=3).score == whole.score


@every_variant
def test_a_tiny_table_changes_no_score(variant: Variant) -> None:
    for seed in range(int(20 * EFFORT)):
        position = played(Rules(8, variant), 13 if EFFORT == 1 else 8, seed)
        scores = {solve(position, memory_mb=memory).score for memory in (1e-9, 1e-4, 1e-2, 64)}
        assert len(scores) == 1, position


@pytest.mark.compiled
@pytest.mark.parametrize(
    "line",
    [
        "--XXXXXX---XXXXX-OOOXXXX--OOXXXX--OOXXXX--OOXXXX--OOOOXX-OOOO--X X",
        "OOOOOOOO-OOOOOOOXXOOOOOOXXXOOOOOO-XXXOOO-X--XXOO----XXXO-------- O",
    ],
)
def test_stable_discs_end_a_search_for_more_than_can_be_won(line: str) -> None:
    """Their 64 discs take 14,000 and 19,000 nodes; 84,000 and 71,000 where stable discs end no search."""
    solution = solve(Position.parse(line))
    assert solution.score == 64 and solution.nodes < 40_000


def test_the_same_question_has_the_same_answer() -> None:
    position = played(Rules(8), 13 if EFFORT == 1 else 8, 1)
    for limits in (Limits(), Limits(nodes=5000)):
        one, two = solve(position, limits=limits), solve(position, limits=limits)
        assert (one.score, one.move, one.nodes, one.pv) == (two.score, two.move, two.nodes, two.pv)


@pytest.mark.compiled
def test_a_deadline_is_kept() -> None:
    solve(played(Rules(8), 12, 0))
    hard = played(Rules(8), 34, 0)
    began = time.process_time()  # other processes may take the processor from us, but not add to this
    assert solve(hard, limits=Limits(seconds=0.1)).seconds >= 0.1
    assert time.process_time() - began < 0.2


def test_bad_questions() -> None:
    start = Position.start(Rules(4))
    bad: list[dict[str, Any]] = [{"by": "stones"}, {"empties": "black"}, {"memory_mb": 0}, {"memory_mb": -1}]
    bad += [{"threads": 0}, {"threads": 10**6}]
    for options in bad:
        with pytest.raises(BadSpec, match="expected"):
            solve(start, **options)


# --- the compiler -------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_the_next_process_runs_the_kernels_from_the_disk() -> None:
    """Cached recursion that meets a literal crashes only in the second process."""
    position = played(Rules(8), 14, 3)
    code = (
        "from outflank.board import Position; from outflank.search.solver import solve; "
        f"print(solve(Position.parse({position.line()!r})).score)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == solve(position).score


def test_a_search_that_fails_in_its_thread_fails_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled with checked indices, or interpreted, a kernel may raise; nobody waits for it for ever."""

    def fail(*_: object) -> int:
        raise IndexError("index out of bounds")

    monkeypatch.setattr("outflank.search.beside._AT_ONCE", 0)
    monkeypatch.setattr("outflank.search.beside.Question.ask", fail)
    with pytest.raises(IndexError, match="out of bounds"):
        solve(played(Rules(6), 8, 0), threads=2)
