"""Players that only studies ask, against obvious twins; and what is timed for them."""

import math

import pytest

from outflank.agents import agent
from outflank.board import Color, Position, Rules
from outflank.evaluation import read_evaluation
from outflank.game_loop import play as play_one
from outflank.studies import named_study
from outflank.studies.compare import judge
from outflank.studies.growth import ARRAYS, SIZES, WORDS, listed_moves
from outflank.studies.players import LastResult, Node, TwoMaximisers, Unswitched, back_up
from outflank.studies.results import Results
from outflank.studies.timing import positions
from test_evaluation import worth


def test_moves_listed_on_arrays_are_the_legal_ones() -> None:
    for size in SIZES:
        for position in positions(5, rules=Rules(size, "reversed")):
            listed = listed_moves(position.cells(), position.turn.sign)
            assert [size * row + column for row, column in listed] == list(position.moves)


def test_listing_moves_grows_by_the_square_of_the_board() -> None:
    """Squares that are looked at are counted, since clocks are not to be trusted: at most 16 n² of them."""

    class Counting(list[str]):
        looks = 0

        def __getitem__(self, place: object) -> str:  # type: ignore[override]
            Counting.looks += 1
            return super().__getitem__(place)  # type: ignore[call-overload, no-any-return]

    for size in SIZES:
        for position in positions(5, rules=Rules(size, "reversed")):
            Counting.looks = 0
            listed_moves([Counting(row) for row in position.cells()], position.turn.sign)
            assert Counting.looks <= 2 * 16 * size * size + size * size  # a square may be asked for its colour twice


def test_what_compiling_is_worth_is_measured_at_equal_playouts() -> None:
    one = named_study("tenshi")
    fast, slow = (timing.name for timing in one.timings if timing.name.startswith("equal playouts"))
    growth = [float(size**2) for size in SIZES] * 4
    results = Results({}, {fast: [0.001, 0.002], slow: [0.9, 2.2], ARRAYS: growth, WORDS: growth})
    claims = {found.claim.text: found for found in judge(one, results)}
    assert "1,000 [" in claims["Compiled code wins more"].evidence
    assert claims["Listing the moves costs Θ(n³)"].outcome == "fails"
    assert [table.rows[2][1] for table in one.tables(results)] == ["64"]


def test_the_formula_without_its_switch_is_the_formula_before_it() -> None:
    own, built_in = Unswitched(), agent("heuristic")
    for position in positions(40, rules=Rules(8)):
        decision = built_in.choose(position, None, 1)
        if position.empties > 10:
            assert own.choose(position, 1) == decision.move
            assert [own.early_value(position, root.move) for root in decision.moves] == [
                pytest.approx(root.value) for root in decision.moves
            ]
    late = next(one for one in play_one("random", "random").positions if one.empties == 8 and len(one.moves) > 1)
    values = [own.early_value(late, move) for move in late.moves]
    assert values[late.moves.index(own.choose(late, 1))] == max(values)


def test_algorithm_1_as_printed_maximises_for_the_opponent() -> None:
    """A twin without pruning: the opponent's layer takes the highest value for the agent, the agent's the lowest."""
    terms = read_evaluation("five_terms")

    def value(position: Position, depth: int, me: Color) -> float:
        if depth == 0 or position.is_over:
            return worth(terms, position.with_turn(me))
        values = [value(position.play(move), depth - 1, me) for move in position.moves]
        return min(values) if position.turn is me else max(values)

    for depth in (1, 2):
        player = TwoMaximisers(depth)
        for position in positions(8):
            children = [position.play(move) for move in position.moves]
            expected = [value(child, depth, position.turn) for child in children if child.moves_mask]
            assert [player.value(child) for child in children if child.moves_mask] == expected
    stuck = Position.parse("XXO------------- O", "reversed")
    assert player.value(stuck.with_turn(Color.BLACK).play("d1")) == -math.inf


def test_a_tree_as_tenshi_printed_keeps_the_last_result_alone() -> None:
    start = Position.start("reversed 8x8")
    root, child = Node(start, Color.WHITE), Node(start.play("d3"), Color.BLACK)
    for result in (1.0, 1.0, -1.0):
        back_up([root, child], Color.BLACK, result)
    assert (child.visits, child.last, root.last) == (3, -1.0, 1.0) and child.mean() == pytest.approx(-1 / 3)
    player = LastResult(playouts=40)
    assert player.choose(start, seed=1) == player.choose(start, seed=1) in start.moves
    late = [one for one in play_one("random", "random", start).positions if one.empties <= 16 and len(one.moves) > 1]
    assert all(player.choose(one, seed=2) in one.moves for one in late)  # passes and ends in the tree too
