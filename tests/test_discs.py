"""Counting discs instead of playing moves: what moves turn, what that proves, and the searches built on it."""

import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_search as slow
from outflank.board import Position, Rules, Variant
from outflank.evaluation import read_evaluation
from outflank.kernels import bitboard, discs
from outflank.kernels.jit import INTERPRETED, Board, Word
from outflank.search.limits import Limits
from outflank.search.minimax import MinimaxOptions, MinimaxSearch
from support import EFFORT, every_variant, from_naive
from test_kernels import arbitrary_board
from test_minimax import random_position

boards = st.builds(
    arbitrary_board, st.sampled_from([4, 6, 8]), st.integers(0, 2**32), st.sampled_from([0.05, 0.3, 1.0, 4.0])
)


def words(numbers: Iterable[int | Word]) -> Board:
    """What a kernel returned, for another kernel: plain numbers would be signed."""
    return tuple(map(Word, numbers))


def turned(board: naive.Board, side: str, square: int) -> set[int]:
    """The squares whose discs a move turns."""
    before, after = "".join(board), "".join(naive.play(board, side, square))
    return {at for at, (old, new) in enumerate(zip(before, after, strict=True)) if old != new} - {square}


@settings(max_examples=int(600 * EFFORT), deadline=None)
@given(boards, st.sampled_from("XO"))
def test_gains_are_what_moves_turn(board: naive.Board, side: str) -> None:
    position = from_naive(board, side)
    rules, known = position.rules, words(bitboard.gains(*position.boards))
    expected = {square: turned(board, side, square) for square in naive.legal_moves(board, side)}
    bits = {square: rules.board(rules.bit(square)) for square in expected}
    legal = rules.board(sum(map(rules.bit, expected)))
    assert tuple(map(int, bitboard.gaining(known))) == tuple(map(int, legal))
    for square, taken in expected.items():
        assert bitboard.gain_of(known, bitboard.first(words(bits[square]))) == len(taken)
    if expected:
        most = max(map(len, expected.values()))
        squares, number = bitboard.most_gaining(known, words(bitboard.gaining(known)))
        best = sum(rules.bit(square) for square, taken in expected.items() if len(taken) == most)
        assert (int(squares[0]), number) == (int(rules.board(best)[0]), most)


@settings(max_examples=int(600 * EFFORT), deadline=None)
@given(boards, st.sampled_from("XO"))
def test_what_moves_turn_proves_that_the_game_goes_on(board: naive.Board, side: str) -> None:
    """More fronts than a move turns leave the mover a move; fewer discs turned than anchors leave a reply."""
    position = from_naive(board, side)
    me, opp, full = position.boards
    known = words(bitboard.gains(me, opp, full))
    fronts = bitboard.count((known[bitboard.FRONTS],))
    anchors = discs.lasting_anchors(me, opp, full, words(bitboard.gaining(known)))
    for square in naive.legal_moves(board, side):
        after, number = naive.play(board, side, square), len(turned(board, side, square))
        assert number >= fronts or naive.legal_moves(after, side)
        assert number >= anchors or naive.legal_moves(after, naive.OTHER[side])


def last_squares(size: int, rng: random.Random) -> naive.Board:
    """A board with two or three empty squares."""
    signs = rng.choices("XO", k=size * size)
    for square in rng.sample(range(size * size), rng.choice([2, 2, 3])):
        signs[square] = "-"
    return tuple("".join(signs[row : row + size]) for row in range(0, size * size, size))


def tight_positions(rounds: int) -> Iterator[tuple[naive.Board, str]]:
    """Boards of games in all stages, boards that no game reaches, and boards whose games end in two plies."""
    for seed in range(rounds):
        size, rng = (4, 6, 8)[seed % 3], random.Random(seed)
        yield random_position(size, seed)[:2]
        yield arbitrary_board(size, seed, rng.choice([0.15, 0.3, 1.0])), "X"
        for _ in range(6):
            yield last_squares(min(size, 6), rng), "X"


@pytest.mark.parametrize("win", [0, 64, 10**6])
def test_two_plies_are_worth_what_the_oracle_says(win: int) -> None:
    """In windows around the true value and around 0: a bound that is one step too sharp would cross it."""
    settled = bounded = 0
    for board, side in tight_positions(int(500 * EFFORT)):
        exact = slow.minimax(board, side, 2, slow.discs, win=win)
        me, opp, full = from_naive(board, side).boards
        lows = {*range(exact - 4, exact + 4), *range(-4, 5)}
        for alpha, beta in [*((low, low + 1) for low in lows), (exact - 3, exact + 3), (-(10**9), 10**9)]:
            value, move, reply, _ = discs.two_plies(me, opp, full, alpha, beta, 1, win)
            if value == discs.UNSETTLED:
                continue
            settled += 1
            if value <= alpha:
                assert exact <= value, (board, side, alpha, beta)
                bounded += value > exact
            elif value >= beta:
                assert exact >= value, (board, side, alpha, beta)
            else:
                assert exact == value and min(move, reply) >= 0, (board, side, alpha, beta)
    assert settled > 100 and bounded > 10


@every_variant
@settings(max_examples=int(150 * EFFORT), deadline=None)
@given(
    size=st.sampled_from([4, 6, 8, 10]),
    seed=st.integers(0, 10**6),
    depth=st.integers(2, 4),
    pass_cost=st.booleans(),
    win=st.sampled_from([0, 1, 5, 64, 10**6]),
    margin=st.booleans(),
)
def test_bounds_find_the_value_of_the_obvious_minimax(
    variant: Variant, size: int, seed: int, depth: int, pass_cost: bool, win: int, margin: bool
) -> None:
    board, side, position = random_position(size, seed, variant)
    depth = min(depth, {4: 4, 6: 3, 8: 3, 10: 2}[size] - INTERPRETED)
    sign = 1 if variant == "standard" else -1
    expected = slow.minimax(
        *(board, side, depth, lambda board, side: sign * slow.discs(board, side), variant),
        pass_cost=int(pass_cost),
        win=win,
        margin=margin and win > 0,
    )
    ways = MinimaxOptions(pruning="bounds", order="eval", pass_costs_depth=pass_cost, win=win, win_margin=margin)
    decision = MinimaxSearch(read_evaluation("discs"), ways).choose(position, Limits(depth=depth), 0)
    assert decision.value == expected


@pytest.mark.compiled
@pytest.mark.parametrize("text", ["discs", "terms(discs=[7])", "terms(discs=[-2])", "terms(discs=[1], mobility=[1])"])
@pytest.mark.parametrize("win", [0, 3, 10**6])
@every_variant
def test_bounds_change_neither_value_nor_move_nor_line(variant: Variant, win: int, text: str) -> None:
    evaluation = read_evaluation(text)
    for seed in range(int(60 * EFFORT) + 1):
        _, _, position = random_position((4, 6, 8, 10)[seed % 4], seed, variant)
        depth = Limits(depth=(7, 6, 6, 4)[seed % 4])
        found = []
        for pruning in ("alphabeta", "pvs", "bounds"):
            ways = MinimaxOptions(pruning=pruning, order="eval", pass_costs_depth=seed % 8 < 4, win=win)
            found.append(MinimaxSearch(evaluation, ways, 0.1).choose(position, depth, 0))
        assert len({(each.value, each.move, each.finished) for each in found}) == 1, (position, found)
        assert all(len(each.pv) >= 1 and each.pv[0] == each.move for each in found)


def test_the_line_of_counted_plies_leads_to_the_value() -> None:
    for seed in range(int(40 * EFFORT) + 1):
        _, _, position = random_position(6, seed)
        ways = MinimaxOptions(pruning="bounds", win=0)
        decision = MinimaxSearch(read_evaluation("discs"), ways).choose(position, Limits(depth=4), 0)
        end = position
        for move in decision.pv:
            end = end.play(move)
        assert end.score(position.turn, "nobody") == decision.value
        assert decision.pv[0] == decision.move and (len(decision.pv) == 4 or end.is_over)


@pytest.mark.compiled
def test_bounds_save_most_nodes_where_discs_are_counted_and_none_elsewhere() -> None:
    """Elsewhere they would be wrong: where a finished game is worth less than its discs, or won by the fewest."""

    def nodes(pruning: str, position: Position, text: str = "discs", **ways: Any) -> int:
        search = MinimaxSearch(read_evaluation(text), MinimaxOptions(pruning=pruning, order="eval", **ways))
        return search.choose(position, Limits(depth=6), 0).nodes

    midgame = "d3c3f5e3c2d2d1f6b3c5"
    position, turned_game = Position.after(midgame), Position.after(midgame, "reversed 8x8")
    for win in (0, 64):
        assert 3 * nodes("bounds", position, win=win) < nodes("pvs", position, win=win)
    for other, text in (
        (turned_game, "discs"),
        (turned_game, "terms(discs=[-1])"),
        (Position.start(Rules(10)), "discs"),
        (position, "terms(discs=[1], mobility=[1])"),
        (position, "terms(discs=[1, 2], phase_ends=[20])"),
    ):
        assert nodes("bounds", other, text) == nodes("pvs", other, text)
    for ways in ({"win": 63}, {"eval_view": "mover"}, {"eval_view": "black"}):
        assert nodes("bounds", position, **ways) == nodes("pvs", position, **ways)
