"""Every kernel against the oracle, on every size, on reachable and on arbitrary boards."""

import ast
import random
import re
from collections import Counter
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import types

import naive
from outflank import Limits
from outflank.agents import agent
from outflank.batch import Games, boards_of, planes_of, transform_boards
from outflank.board import SIZES, Position, Rules
from outflank.evaluation import read_evaluation
from outflank.kernels import (
    bitboard,
    forest,
    lanes,
    near_end,
    patterns,
    playout,
    policy,
    puct,
    rules,
    selective,
    selfplay,
    shallow,
    temporal,
)
from outflank.kernels.evaluate import evaluation_of
from outflank.kernels.jit import INTERPRETED, KERNELS, NATIVE, Board, Word
from outflank.kernels.network import LOGITS, new_workspace, predict
from outflank.kernels.outlook import Outlook
from outflank.kernels.policy import KINDS
from outflank.kernels.table import new_table
from outflank.learn.games import read_positions
from outflank.learn.regression import errors, fit
from outflank.learn.temporal import Plan, State, new_trail
from outflank.patterns import PatternWeights, pattern_set, quantised
from outflank.search.policy import PlayoutPolicy
from outflank.search.probcut import shipped_probcut
from outflank.search.solver import endgame_rules, solve
from support import EFFORT, ROOT, every_size, from_naive
from test_puct import some_network

PERFT = {
    int(size): [int(number) for number in numbers.split()]
    for size, numbers in (
        line.split(":") for line in (ROOT / "tests" / "perft.txt").read_text().splitlines() if line[0] != "#"
    )
}


def arbitrary_board(size: int, seed: int, emptiness: float) -> naive.Board:
    """A board that no game need reach: long runs, discs in corners, isolated groups."""
    rng = random.Random(seed)
    signs = rng.choices("-XO", weights=[emptiness, 1, 1], k=size * size)
    if seed % 3 == 0:  # stretches of one colour make runs as long as the board
        for begin in range(0, size * size, size):
            sign, cut = rng.choice("XO"), rng.randrange(size)
            signs[begin + cut : begin + size] = sign * (size - cut)
    return tuple("".join(signs[row : row + size]) for row in range(0, size * size, size))


boards = st.builds(
    arbitrary_board, st.sampled_from(SIZES), st.integers(0, 2**32), st.sampled_from([0.05, 0.3, 1.0, 4.0])
)


@settings(max_examples=int(2000 * EFFORT), deadline=None)
@given(boards, st.sampled_from("XO"))
def test_moves_and_play_on_arbitrary_boards(board: naive.Board, side: str) -> None:
    position = from_naive(board, side)
    expected = naive.legal_moves(board, side)
    assert list(position.rules.squares(position.moves_mask)) == expected
    for square in expected:
        after = from_naive(naive.play(board, side, square), naive.OTHER[side])
        assert position.play(square) == after


@every_size
def test_the_longest_run_in_every_direction(size: int) -> None:
    """A run from edge to edge, the hardest case of every doubling step."""
    last = size - 1
    lines = {
        "row": [(0, i) for i in range(size)],
        "column": [(i, 0) for i in range(size)],
        "falling": [(i, i) for i in range(size)],
        "rising": [(last - i, i) for i in range(size)],
    }
    for name, squares in lines.items():
        for path in (squares, squares[::-1]):
            position = Position.start(Rules(size))
            bits = [position.rules.bit(row * size + column) for row, column in path]
            start = Position(position.rules, bits[-1], sum(bits[1:-1]))
            row, column = path[0]
            after = start.play(row * size + column)
            assert after.black == sum(bits) and after.white == 0, name


@pytest.mark.compiled
@pytest.mark.skipif(not NATIVE, reason="this CPU has no AVX2 and BMI2: the plain kernels are the only ones here")
@every_size
def test_native_kernels_equal_their_plain_twins(size: int) -> None:
    @numba.njit  # type: ignore[untyped-decorator]
    def twins(me: Any, opp: Any, full: Any) -> Any:
        legal = bitboard.moves(me, opp, full)
        same = legal == bitboard.plain_moves(me, opp, full)
        rest = legal
        while not bitboard.is_empty(rest):
            square = bitboard.first(rest)
            rest = bitboard.without_first(rest)
            same = same and bitboard.flips(me, opp, square) == bitboard.plain_flips_at(me, opp, square)
        for rank in range(bitboard.count(legal)):
            rest = bitboard.without(legal, bitboard.single(bitboard.ranked(legal, Word(rank)), legal))
            same = same and bitboard.count(rest) == bitboard.count(legal) - 1
        if len(me) == 1:
            same = same and bitboard.gains(me, opp, full) == bitboard.plain_gains(me, opp, full)
        return same

    for seed in range(400):
        position = from_naive(arbitrary_board(size, seed, (0.1, 1.0, 3.0)[seed % 3]), "X")
        assert twins(*position.boards), position


@every_size
def test_perft_equals_the_published_tables(size: int) -> None:
    start = Position.start(Rules(size))
    deepest = 10_000 if INTERPRETED and size == 4 else 2_000 if INTERPRETED else 10**9
    for depth, leaves in enumerate(PERFT[size], start=1):
        if leaves <= deepest:
            assert start.perft(depth) == leaves, f"depth {depth}: {start.divide(depth)}"


@pytest.mark.compiled
@pytest.mark.parametrize("size", [14, 16])
def test_perft_of_the_largest_boards_equals_the_oracle(size: int) -> None:
    assert PERFT[size][5] == naive.perft(naive.start(size), "X", 6)


@settings(max_examples=int(200 * EFFORT), deadline=None)
@given(boards, st.sampled_from("XO"), st.integers(0, 3))
def test_perft_equals_the_oracle_on_arbitrary_boards(board: naive.Board, side: str, depth: int) -> None:
    depth = min(depth, 1 if len(board) > 8 else 2 if len(board) > 6 else 3)
    assert from_naive(board, side).perft(depth) == naive.perft(board, side, depth)


def difference(board: naive.Board, side: str) -> int:
    black, white, _ = naive.counts(board)
    return black - white if side == "X" else white - black


@every_size
@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_random_games_equal_the_oracle_move_by_move(size: int, seed: int) -> None:
    """The oracle replays the documented stream; equal results of every game mean equal games."""
    rng = random.Random(seed)
    games = int(40 * EFFORT)
    board, side = naive.start(size), "X"
    for _ in range(rng.randrange(6)):
        board, side = naive.play(board, side, rng.choice(naive.legal_moves(board, side))), naive.OTHER[side]
    out = np.empty(games, np.int16)
    first = rng.randrange(10**6)
    playout.games_in_turn(*from_naive(board, side).boards, Word(seed), first, out)
    expected = [difference(naive.random_game(board, side, seed, first + i)[0], side) for i in range(games)]
    assert out.tolist() == expected


@pytest.mark.parametrize("size", [4, 6, 8])
@pytest.mark.parametrize("games", [1, 31, 32, 33, 1000])
def test_games_side_by_side_are_the_same_games(size: int, games: int) -> None:
    boards = Position.start(Rules(size)).boards
    games = int(games * EFFORT) or 1
    alone, beside = np.empty(games, np.int16), np.empty(games, np.int16)
    playout.games_in_turn(*boards, Word(7), 5, alone)
    playout.games_side_by_side(*boards, Word(7), 5, beside, playout.new_lanes())
    assert (alone == beside).all()


@pytest.mark.compiled
@every_size
def test_random_moves_are_those_of_their_plain_twin(size: int) -> None:
    """Discs, who is to move, whether it is over, and the generator: after some moves, to the end, from the end."""
    for seed in range(200):
        me, opp, full = Position.start(Rules(size)).boards
        s0, s1 = map(Word, playout.stream(Word(3), Word(seed)))
        for most in (0, seed % 7, size * size // 2, playout.UNLIMITED, playout.UNLIMITED):
            found = playout.random_moves(me, opp, full, most, s0, s1)
            assert found == playout.plain_random_moves(me, opp, full, most, s0, s1)
            me, opp = (tuple(map(Word, board)) for board in found[:2])
            s0, s1 = Word(found[4]), Word(found[5])
        assert found[3], "two passes end a game"


def test_random_games_from_a_finished_position_and_through_a_pass() -> None:
    out = np.empty(3, np.int16)
    finished = Position.parse("XXXX----------OO X")
    playout.games_in_turn(*finished.boards, Word(1), 0, out)
    assert out.tolist() == [2, 2, 2]
    passing = Position.parse("XXXXXXXXXXXXXXO- X").with_turn(finished.turn.other)
    assert passing.must_pass
    playout.games_in_turn(*passing.boards, Word(1), 0, out)
    assert out.tolist() == [-16, -16, -16]
    playout.games_side_by_side(*passing.boards, Word(1), 0, out, playout.new_lanes())
    assert out.tolist() == [-16, -16, -16]


@pytest.mark.compiled
def test_first_moves_are_drawn_uniformly() -> None:
    """Chi-square over the ranks drawn for 1 to 33 choices; fails for a generator stuck or shifted by one."""
    draws = 20_000
    for choices in (2, 3, 7, 20, 33):
        tally = np.zeros(choices)
        for game in range(draws):
            s0, s1 = playout.stream(Word(11), Word(game))
            number = (int(s0) + int(s1)) % 2**64
            tally[int(playout.choose(Word(number), choices))] += 1
        expected = draws / choices
        assert ((tally - expected) ** 2 / expected).sum() < choices + 5 * (2 * choices) ** 0.5


def promised(declared: Any, board: Any) -> Any:
    """The compiled type that a kernel's annotation stands for, on the layout of `board`."""
    plain = {int: types.int64, bool: types.boolean, float: types.float64, Word: types.uint64, type(None): types.none}
    if declared == Board:
        return board
    if get_origin(declared) is tuple:
        return types.Tuple([promised(part, board) for part in get_args(declared)])
    return plain[declared]


@pytest.mark.compiled
def test_kernels_have_the_types_they_promise() -> None:
    """Signed and unsigned words must not mix, nor integers with floats; interpreted runs cannot see it."""
    texts = ["minimax(depth=3, hash_mb=0.1)", "heuristic", "montecarlo(playouts=9)"]
    texts += [
        f"uct(playouts=20, {option})"
        for option in ("reuse=yes", "leaf_playouts=9", "leaf_playouts=9, device=cpu", "leaves=4", "leaves=4, reuse=yes")
    ]
    texts += [f"uct(playouts=20, playout={name})" for name in KINDS]
    for size in (8, 12):
        start = Position.start(Rules(size))
        assert start.perft(2) == 12 and len(rules.play(*start.boards[:2], 19 if size == 8 else 4 * 16 + 5)) == 2
        draws, ends = np.zeros(9, np.uint64), np.empty((2, start.rules.words), np.uint64)
        assert playout.random_lines(*start.boards, draws, np.empty((2, 3), np.int16), ends, ends)[0] == 2
        playout.games_in_turn(*start.boards, Word(1), 0, np.empty(2, np.int16))
        for text in texts:
            player = agent(text)
            player.choose(start, seed=1)
            player.choose(start.play(start.moves[0]), seed=1)
        solve(start, limits=Limits(nodes=10))
        beside = Games(2, start)
        beside.step(beside.random_actions())
        assert transform_boards(boards_of(planes_of(beside.own, size)), size, 0).tolist() == beside.own.tolist()
        cut: Any = PlayoutPolicy("cutoff").build(start.rules, 0.5)
        policy.add_cuts(np.array([3]), 1, cut, np.zeros((1, 2)))
        evaluation_of(*start.boards, *read_evaluation("five_terms").build(Rules(size)))
    try_inner_kernels()
    for size, line in ((8, "0 2 d3c3"), (10, "0 2 e4d4")):
        position = read_positions([line], Rules(size))
        weights = fit(position, np.zeros((2, pattern_set(size).weights), np.float32), passes=1)
        assert len(errors(position, weights)) == 2
        built = PatternWeights(Rules(size), quantised(weights), {}).build()
        me, opp, full = Position.start(Rules(size)).boards
        total = (patterns.sum_of_8 if size == 8 else patterns.sum_of_10)(me, opp, built, 0)
        assert evaluation_of(me, opp, full, built, None) > 0 and total > 0
        alone = selfplay.Player(2, 10**6, 1, 1, 4, size**2, 1)
        if size == 8:
            assert selfplay.value_of(me, opp, full, 1, -(10**9), 10**9, alone, built) != 0
        squares, firsts, scores = np.empty((1, size**2), np.int16), np.empty(1, np.int64), np.empty(1, np.int64)
        selfplay.play_games(me, opp, full, alone, built, Word(1), 0, size**2 - 8, size**2 - 5, squares, firsts, scores)
        assert squares[0, 0] >= 0
        trained = selective.Search(
            endgame_rules(Rules(size), "winner"),
            built,
            shipped_probcut(Rules(8)).margins(size**2),
            new_table(0.1),
            busy=np.zeros((1, 1), np.uint64),
            settled=np.zeros((1, 1), np.uint64),
            path=np.zeros((selective.MOST_PLIES, 1), np.uint64),
            near=new_table(0.1),
            lists=np.zeros((selective.MOST_PLIES, size**2), np.int64),
            age=1,
            control=np.array([0, 0, 10**6, 0]),
        )
        for search in (trained, trained._replace(judge=Outlook(20), table=new_table(0.1))):
            roots = np.zeros((1, 3), np.int64)
            roots[0, 0] = 19 if size == 8 else 3 * 16 + 4
            selective.search_root(me, opp, roots, 5, -9, 9, 0, 0, search)
            assert roots[0, selective.KNOWN] != selective.NOTHING and selective.known_move(me, opp, search.table) < 0
            if size == 8:
                selective.principal(me, opp, 3, -9, 9, 0, 0, 1, search)
                selective.null_window(me, opp, 3, 0, 0, 0, 1, search)
                selective.foreseen(me, opp, 1, -(10**9), 10**9, search)
        plan = Plan(Rules(size), "squares", games=1)
        learned, terms = State.begin(plan), plan.terms()
        one_ply = learned.learned().build()
        taught = one_ply, learned.weights, plan.network.patterns.twins, terms, plan.course(True), Word(1)
        assert temporal.learn_games(me, opp, full, *taught, 0, 1, new_trail(Rules(size), size**2))[1] > size**2 // 2
        points = np.zeros(3, np.int64)
        temporal.one_ply_games(me, opp, full, one_ply, terms, 1, 0.1, Word(1), 0, 2, points)
        assert points.sum() == 2
        course = lanes.Course(me, opp, full, me, opp, 1, 1, 2, size**2 - 5, 1)
        rows = [np.zeros((size**2, len(me)), np.uint64) for _ in range(3)]
        kept = lanes.Kept(rows[0], rows[1], np.zeros(size**2, np.int8), np.zeros(1, np.int8))
        lanes.games_in_turn(course, built, Word(1), 0, rows[2], np.zeros((2, 3), np.int32), kept)
        assert kept.counts[0] > 0
    try_networks()
    for kernel in KERNELS:
        assert kernel.signatures, f"{kernel.__name__} was not tried"
        declared = get_type_hints(kernel.py_func)["return"]
        for signature, overload in kernel.overloads.items():
            board = next((kind for kind in signature if isinstance(kind, types.UniTuple)), None)
            assert overload.signature.return_type == promised(declared, board), kernel.__name__
    recursive: list[Any] = [rules.perft, shallow.shallow, near_end.search, selfplay.value_of]
    judged: list[Any] = [selective.null_window, selective.principal, selective.foreseen]
    for kernel in (*recursive, *judged):
        layouts = Counter(signature[0] for signature in kernel.signatures)
        most = 2 if kernel in judged else 1
        assert max(layouts.values()) <= most, f"{kernel.__name__} compiled more than once a layout and judge: {layouts}"


def try_inner_kernels() -> None:
    """The kernels that kernels call, on one layout: whoever loads their callers from disk compiles them once more."""
    me, opp, full = Position.start(Rules(8)).boards
    game = endgame_rules(Rules(8), "winner")
    only: Any = [tuple(map(Word, board)) for board in rules.play(me, opp, 19)]  # plain numbers would be signed
    occupied = tuple(Word(int(a) | int(b)) for a, b in zip(*only, strict=True))
    near, control = new_table(0.1), np.array([0, 0, 10])
    assert near_end.near_end(me, opp, game, 10, 0, near, control) == near_end.search(
        me, opp, full, full, 10, 0, game, near, control
    )
    shallow.few(only[0], only[1], occupied, occupied, 0, 0, 5, 1, 1)
    shallow.shallow(only[0], only[1], occupied, occupied, 0, 0, 5, 1, 1)
    playout.games_side_by_side(me, opp, full, Word(1), 0, np.empty(2, np.int16), playout.new_lanes())
    guided: Any = PlayoutPolicy("weighted").build(Rules(8), 0.5)
    assert 1 < policy.marked_playout(me, opp, full, True, guided, Word(1), Word(2))[2] <= 60


def try_networks() -> None:
    """The kernels that ask a network."""
    rules, network = Rules(4), some_network(Rules(4))
    start, reading = Position.start(rules).boards, puct.Reading(1.5, 0.25, 3, 1, 16, 16)
    course = forest.Course(8, 2, 0, 3, 2, 1.0, False)
    group = forest.new_group(2, course, reading)
    assert forest.advance(*start, group, course, reading, Word(7), 0, 0, 2) > 0
    forest.add_moves(start[2], group.leaves.boards)
    logits = np.zeros((1, LOGITS), np.float32)
    assert -1 <= predict(*start, network.build(), new_workspace(4, 16), logits) <= 1
    assert agent("puct(playouts=2)").choose(Position.start(Rules(6))).move in Position.start(Rules(6)).moves


DECORATORS = {"kernel", "instant", "inlined", "spliced", "routine"}
KERNEL_FILES = sorted((ROOT / "src/outflank/kernels").glob("*.py"))


@pytest.mark.parametrize("path", KERNEL_FILES, ids=lambda path: path.stem)
def test_kernels_neither_raise_nor_allocate_nor_read_a_clock(path: Path) -> None:
    for function in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)):
        if not DECORATORS & {ast.unparse(decorator) for decorator in function.decorator_list}:
            continue
        for node in ast.walk(ast.Module(function.body, [])):
            assert not isinstance(node, (ast.Raise, ast.Try, ast.Assert, ast.List, ast.ListComp, ast.Lambda)), node
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            assert not called.startswith(("time.", "np.empty", "np.zeros", "np.array", "np.full")), called


def test_discs_are_set_in_one_place() -> None:
    """Only `with_turned` makes a move: nobody else adds turned discs to a board."""
    makers = [path.stem for path in KERNEL_FILES if re.search(r"either\(me, turned\)|me \| turned", path.read_text())]
    assert makers == ["rules"]
