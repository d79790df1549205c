"""Games side by side against the oracle and against `Position` one at a time, on every size and in both variants."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from outflank import batch
from outflank.batch import Games
from outflank.batch.views import legal_actions, observed
from outflank.board import SIZES, Color, Position, Rules, Variant
from outflank.errors import BadNotation, BadRules, BadSpec, IllegalMove
from support import EFFORT, VARIANTS, every_size, every_variant, from_naive

NEXT_IN_ROW = 1 << 32
rules_of_all = st.builds(Rules, st.sampled_from(SIZES), st.sampled_from(VARIANTS))
small_rules = st.builds(Rules, st.sampled_from(SIZES[:3] if EFFORT == 1 else SIZES[:2]), st.sampled_from(VARIANTS))
seeds = st.integers(0, 2**64 - 1)


def naive_planes(board: naive.Board, side: str) -> list[list[list[int]]]:
    return [[[int(sign == who) for sign in row] for row in board] for who in (side, naive.OTHER[side])]


def state(games: Games) -> list[npt.NDArray[Any]]:
    """Everything that people read, as it is now."""
    names = ("own", "opposing", "turn", "planes", "legal", "done", "rewards", "scores", "plies", "numbers")
    return [getattr(games, name).copy() for name in names] + [games.random_actions()]


def same(a: list[npt.NDArray[Any]], b: list[npt.NDArray[Any]]) -> bool:
    return all(np.array_equal(x, y) and x.dtype == y.dtype for x, y in zip(a, b, strict=True))


def play_some(games: Games, steps: int, seed: int = 0) -> None:
    """Steps with actions that are not those of the games' own streams."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        games.step([rng.choice(row.nonzero()[0]) if row.any() else 0 for row in games.legal])


# --- the oracle -------------------------------------------------------------------------------------------------


@every_size
@every_variant
def test_random_games_equal_the_oracle_ply_by_ply(size: int, variant: Variant) -> None:
    """Two games of each row: moves, planes, masks, results and what follows a result."""
    count, seed, first = 3 if EFFORT == 1 else 1, 2**64 - size, 5
    games = Games(count, Rules(size, variant), seed, first=first)
    numbers = [first + row for row in range(count)]
    lines = [naive.random_game(naive.start(size), "X", seed, number)[1] for number in numbers]
    boards, sides, ended = [naive.start(size)] * count, ["X"] * count, 0
    while ended < 2 * count:
        for row in range(count):
            assert games.planes[row].tolist() == naive_planes(boards[row], sides[row])
            assert games.legal[row].nonzero()[0].tolist() == naive.plies(boards[row], sides[row])
            assert games.turn[row] == "XO".index(sides[row]) and games.numbers[row] == numbers[row]
        actions = games.random_actions()
        games.step(actions)
        for row, action in enumerate(actions.tolist()):
            assert action == lines[row].pop(0)
            mover = sides[row]
            boards[row], sides[row] = naive.play(boards[row], mover, action), naive.OTHER[mover]
            over = naive.is_over(boards[row])
            score = naive.score(boards[row], mover, variant, "winner") if over else 0
            assert (games.done[row], games.scores[row], games.rewards[row]) == (over, score, np.sign(score))
            if over:
                assert not lines[row] and games.plies[row] == 0
                ended, numbers[row] = ended + 1, numbers[row] + NEXT_IN_ROW
                lines[row] = naive.random_game(naive.start(size), "X", seed, numbers[row])[1]
                boards[row], sides[row] = naive.start(size), "X"


@every_size
def test_bits_have_the_documented_order(size: int) -> None:
    """Bit `stride * row + column`, lowest first, in words of 64."""
    stride, words = (8, 1) if size <= 8 else (16, 4)
    for square in range(size * size):
        row, column = divmod(square, size)
        plane = np.zeros((size, size), np.uint8)
        plane[row, column] = 1
        board = batch.boards_of(plane)
        assert board.shape == (words,)
        assert sum(int(word) << 64 * i for i, word in enumerate(board)) == 1 << stride * row + column
        assert (batch.planes_of(board, size) == plane).all()


# --- Position, one game at a time -------------------------------------------------------------------------------


@settings(max_examples=int(60 * EFFORT) or 1, deadline=None)
@given(rules_of_all, st.integers(1, 4), st.integers(0, 2**32), st.booleans())
def test_steps_equal_positions(rules: Rules, count: int, seed: int, auto_reset: bool) -> None:
    """Any legal actions, through results and passes."""
    rng = np.random.default_rng(seed)
    games, start = Games(count, rules, auto_reset=auto_reset), Position.start(rules)
    positions = [start] * count
    for _ in range(int(2.2 * rules.cells * max(EFFORT, 0.3))):
        choices = [rng.choice(list(position.moves)) if position.moves else 0 for position in positions]
        was_over = [position.is_over for position in positions]
        games.step(choices)
        for row, position in enumerate(positions):
            after = position if was_over[row] else position.play(int(choices[row]))
            score = after.score(position.turn) if after.is_over and not was_over[row] else 0
            assert bool(games.done[row]) == after.is_over
            assert (games.scores[row], games.rewards[row]) == (score, np.sign(score))
            positions[row] = after = start if after.is_over and auto_reset else after
            assert games.position(row) == after
            assert (games.planes[row] == observed(after, after.turn)).all()
            assert (games.legal[row] == legal_actions(after)).all()


@settings(max_examples=int(100 * EFFORT) or 1, deadline=None)
@given(rules_of_all, st.integers(0, 7), st.integers(0, 2**32))
def test_symmetries_commute_with_steps(rules: Rules, number: int, seed: int) -> None:
    size, rng = rules.size, np.random.default_rng(seed)
    games, images = Games(3, rules, seed), Games(3, rules)
    for _ in range(rng.integers(rules.cells)):
        games.step(games.random_actions())
    own, opposing = (batch.transform_boards(boards, size, number) for boards in (games.own, games.opposing))
    images.load(own, opposing, games.turn)
    assert images.position(0) == games.position(0).transform(number)
    actions = games.random_actions()
    games.step(actions)
    images.step(batch.action_images(size, number)[actions])
    for game in range(3):
        if not games.done[game]:
            assert (images.planes[game] == batch.transform_planes(games.planes[game], number)).all()
            assert (images.legal[game] == batch.transform_actions(games.legal[game], number)).all()
    for name in ("done", "rewards", "scores", "turn"):
        assert (getattr(images, name) == getattr(games, name)).all()


@settings(max_examples=int(200 * EFFORT) or 1, deadline=None)
@given(st.sampled_from(SIZES), st.integers(0, 2**32), st.integers(0, 7), st.lists(st.integers(0, 3), max_size=3))
def test_planes_and_boards_are_inverse_and_move_alike(size: int, seed: int, number: int, shape: list[int]) -> None:
    planes = np.random.default_rng(seed).integers(0, 2, (*shape, size, size), np.uint8)
    boards = batch.boards_of(planes)
    assert (batch.planes_of(boards, size) == planes).all()
    moved = batch.transform_boards(boards, size, number)
    assert moved.shape == boards.shape == (*shape, Rules(size).words)
    assert (batch.planes_of(moved, size) == batch.transform_planes(planes, number)).all()
    values = np.concatenate([planes.reshape(*shape, size * size), np.ones((*shape, 1), np.uint8)], axis=-1)
    images = batch.transform_actions(values, number)
    assert (images[..., :-1].reshape(planes.shape) == batch.transform_planes(planes, number)).all()
    assert (images[..., -1] == 1).all()


@every_size
def test_symmetries_are_those_of_positions(size: int) -> None:
    position = Position.start(Rules(size)).play(Position.start(Rules(size)).moves[0])
    boards = np.array([position.rules.board(position.own), position.rules.board(position.opposing)])
    for number in range(8):
        image = position.transform(number)
        moved = batch.transform_boards(boards, size, number)
        assert [position.rules.mask(tuple(board)) for board in moved] == [image.own, image.opposing]
        assert sorted(batch.action_images(size, number)[list(position.moves)]) == list(image.moves)


# --- batches ----------------------------------------------------------------------------------------------------


@settings(max_examples=int(30 * EFFORT) or 1, deadline=None)
@given(small_rules, seeds, st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(0, 2**31))
def test_games_do_not_depend_on_how_they_are_split(rules: Rules, seed: int, sizes: list[int], first: int) -> None:
    whole = Games(sum(sizes), rules, seed, first=first)
    begins = np.cumsum([0, *sizes])
    parts = [Games(n, rules, seed, first=first + int(begin)) for n, begin in zip(sizes, begins, strict=False)]
    for _ in range(3 * rules.cells):
        for games in (whole, *parts):
            games.step(games.random_actions())
    joined = [np.concatenate(arrays) for arrays in zip(*map(state, parts), strict=True)]
    assert same(state(whole), joined)


def test_seeds_make_games_and_reset_begins_them_again() -> None:
    games, other = Games(20, seed=1), Games(20, seed=2)
    beginning = state(games)
    lines: dict[Games, list[npt.NDArray[np.int64]]] = {}
    for each in (games, other):
        lines[each] = []
        for _ in range(200):
            lines[each].append(each.random_actions())
            each.step(lines[each][-1])
    assert not all((a == b).all() for a, b in zip(lines[games], lines[other], strict=True))
    games.reset()
    assert same(state(games), beginning)
    other.reset(seed=1)
    assert same(state(other), beginning)
    for actions in lines[games][:50]:
        other.step(actions)
    assert other.plies.tolist() == [50] * 20


def test_games_that_do_not_begin_anew_stay_as_they_ended() -> None:
    games = Games(8, "standard 4x4", seed=3, auto_reset=False)
    ends: dict[int, Any] = {}
    for _ in range(40):
        games.step(games.random_actions())
        for game in games.done.nonzero()[0].tolist():
            told = (games.position(game), int(games.plies[game]), int(games.numbers[game]))
            if game not in ends:
                assert games.scores[game] == told[0].score(told[0].turn.other) and games.rewards[game] in (-1, 0, 1)
                ends[game] = told
            else:
                assert ends[game] == told and games.rewards[game] == games.scores[game] == 0
            assert not games.legal[game].any() and games.random_actions()[game] == 16
    assert len(ends) == 8 and all(position.is_over for position, _, _ in ends.values())
    games.step([-5] * 8)  # nothing is played in games that are over
    games.reset(which=games.numbers < 4)
    assert games.done.tolist() == [False] * 4 + [True] * 4
    assert games.numbers.tolist() == [NEXT_IN_ROW + i for i in range(4)] + [4, 5, 6, 7]
    games.step(np.where(games.done, 0, games.random_actions()))


def test_an_action_that_is_not_legal_changes_nothing() -> None:
    games = Games(5, seed=4)
    play_some(games, 17)
    before = state(games)
    for wrong in (-1, 65, 2**40, -(2**62), int(np.argmin(games.legal[3]))):
        actions = games.random_actions()
        actions[3] = wrong
        with pytest.raises(IllegalMove, match=r"game 3: \w+ cannot play .*; legal: [a-h][1-8]"):
            games.step(actions)
        assert same(state(games), before)


def test_passes_are_legal_where_they_are_forced_and_nowhere_else() -> None:
    must_pass = Position.parse("XXXXXXXXXXXXXXO- O")
    assert must_pass.must_pass
    games = Games(2, must_pass)
    assert games.legal[0].nonzero()[0].tolist() == [16] and games.turn.tolist() == [1, 1]
    with pytest.raises(IllegalMove, match="white cannot play d4; legal: pass"):
        games.step([16, 15])
    games.step([16, 16])
    assert games.position(0) == must_pass.play("pass") and not games.done.any()
    with pytest.raises(IllegalMove, match="black cannot play pass; legal: d4"):
        games.step([15, 16])
    games.step([15, 15])
    assert games.done.all() and games.scores.tolist() == [16, 16] and games.position(1) == must_pass


def test_games_begin_with_any_position_and_go_on_from_any_boards() -> None:
    start = Position.after("f5d6c3")
    games = Games(3, start, seed=1)
    assert games.position(2) == start and games.rules == Rules()
    later = [Position.after(moves) for moves in ("d3", "d3c3", "f5f6e6f4")]
    own, opposing = ([[position.own] for position in later], [[position.opposing] for position in later])
    games.load(own, opposing, [position.turn for position in later])
    assert [games.position(game) for game in range(3)] == later
    over = Position.parse("XXXX----------OO X")
    small = Games(2, "standard 4x4")
    small.load([[over.own]] * 2, [[over.opposing]] * 2)
    assert small.position(0) == Position.start("standard 4x4") and not small.done.any()
    assert small.numbers.tolist() == [NEXT_IN_ROW, NEXT_IN_ROW + 1]
    staying = Games(2, "standard 4x4", auto_reset=False)
    staying.load([[over.own]] * 2, [[over.opposing]] * 2)
    assert staying.done.all() and staying.position(0) == over and not staying.legal.any()


def test_arrays_keep_their_place() -> None:
    games = Games(100, "standard 6x6", seed=5)
    names = ("own", "opposing", "turn", "planes", "legal", "done", "rewards", "scores", "plies", "numbers")
    held = {name: getattr(games, name) for name in names}
    play_some(games, 50)
    games.reset(seed=2)
    for name, array in held.items():
        assert array is getattr(games, name) and array.flags.c_contiguous
    assert (held["planes"][0] == observed(Position.start("standard 6x6"), Color.BLACK)).all()
    out = np.zeros(100, np.int64)
    assert games.random_actions(out) is out and (out == games.random_actions()).all()


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.int32, np.int64])
def test_actions_may_be_of_any_whole_numbers(kind: type[Any]) -> None:
    games, strided = Games(4), np.zeros(8, kind)
    strided[::2] = [19, 26, 37, 44]
    games.step(strided[::2])
    assert games.plies.tolist() == [1] * 4
    frozen = games.random_actions()
    frozen.flags.writeable = False
    games.step(frozen)


def test_dlpack_shares_the_memory() -> None:
    games = Games(10)
    for name in ("planes", "legal", "rewards", "done", "turn", "own"):
        array = getattr(games, name)
        view = np.from_dlpack(array)
        assert np.shares_memory(view, array) and view.dtype == array.dtype and view.shape == array.shape
    planes = np.from_dlpack(games.planes)
    games.step([19] * 10)
    assert planes.sum() == 50


def test_torch_sees_the_games_without_a_copy() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: tensors without a copy were not tried")
    games = Games(10)
    planes, legal = torch.from_dlpack(games.planes), torch.from_dlpack(games.legal)
    assert planes.data_ptr() == games.planes.ctypes.data and legal.dtype == torch.bool
    games.step(torch.full((10,), 19))
    assert int(planes.sum()) == 50 and not bool(legal[0, 19])


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: Games(0), BadSpec, "count=0 is not possible; expected 1 to"),
        (lambda: Games(2.5), BadSpec, "count=2.5 is not possible; expected a whole number"),  # type: ignore[arg-type]
        (lambda: Games(2, first=-1), BadSpec, "first=-1"),
        (lambda: Games(2, seed=2**64), BadSpec, "seed=18446744073709551616"),
        (lambda: Games(2, "standard 5x5"), BadRules, "'standard 5x5'"),
        (lambda: Games(2, Position.parse("XXXX----------OO X")), BadSpec, "is over; expected a position"),
        (lambda: Games(2).step([19]), BadSpec, r"shape \(1,\) cannot be played in 2 games"),
        (lambda: Games(2).step([19.0, 19.0]), BadSpec, "actions of float64"),
        (lambda: Games(2).random_actions(np.zeros(2, np.int32)), BadSpec, "expected .2,. of int64"),
        (lambda: Games(2).reset(which=[1, 0]), BadSpec, "expected True or False for each"),
        (lambda: Games(2).load([[1], [3]], [[2], [2]]), BadNotation, "game 1: two discs on one square"),
        (lambda: Games(2, "standard 4x4").load([[16]], [[1]]), BadNotation, "game 0: .*outside the 4x4 board"),
        (lambda: Games(2).load([[1]], [[2]], 2), BadNotation, "neither 0 nor 1"),
        (lambda: Games(2).load([[-1]], [[2]]), BadSpec, r"expected packed boards \[2, 1\]"),
        (lambda: Games(2).load([1, 2, 3], [[2]]), BadSpec, r"expected packed boards \[2, 1\]"),
        (lambda: Games(2).position(2), BadSpec, "game 2 is not one of 2"),
        (lambda: batch.planes_of(np.zeros((3, 1), np.int64), 8), BadSpec, "int64 .* expected uint64"),
        (lambda: batch.planes_of(np.zeros((3, 1), np.uint64), 10), BadSpec, "a last axis of 4"),
        (lambda: batch.boards_of(np.zeros((3, 8, 7))), BadSpec, "has no planes"),
        (lambda: batch.boards_of(np.zeros((5, 5))), BadRules, "board size 5"),
        (lambda: batch.transform_boards(np.zeros((3, 1), np.uint64), 8, 8), BadSpec, "symmetry 8"),
        (lambda: batch.transform_planes(np.zeros((8, 8)), -1), BadSpec, "symmetry -1"),
        (lambda: batch.transform_actions(np.zeros(64), 1), BadSpec, "64 values are not those of all actions"),
        (lambda: batch.transform_actions(np.zeros(50), 1), BadRules, "board size 7"),
    ],
)
def test_bad_input_is_explained(wrong: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        wrong()


def test_a_position_of_the_oracle_is_shown_as_it_is() -> None:
    board = ("XO--", "-XO-", "--XO", "O--X")
    assert observed(from_naive(board, "X"), Color.WHITE).tolist() == naive_planes(board, "O")
