"""Players that only studies ask, against obvious twins; and what is timed for them."""

import math

import pytest

from outflank.agents import agent
from outflank.board import Color, Position, Rules
from outflank.errors import EngineFailed
from outflank.evaluation import read_evaluation
from outflank.game_loop import play as play_one
from outflank.studies import named_study
from outflank.studies.compare import judge
from outflank.studies.growth import ARRAYS, SIZES, WORDS, listed_moves
from outflank.studies.judge import Candidates, Judged, as_numbers, from_numbers
from outflank.studies.players import InfiniteEnds, LastResult, Node, TwoMaximisers, Unswitched, back_up
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


def test_minimax_with_infinite_ends_is_minimax_where_ends_are_not_infinite() -> None:
    """Its slow way of searching visits the same nodes for the same move; with infinity it visits no more."""
    for rules in (Rules(4), Rules(8)):
        for position in positions(12, rules=rules):
            for depth in (1, 2, 3, 6 if rules.size == 4 else 3):
                for pass_cost, word in ((0, "no"), (1, "yes")):
                    built_in = agent(f"minimax(depth={depth}, eval=positional, pass_costs_depth={word})")
                    found = built_in.choose(position, None, 0)
                    twin = InfiniteEnds(depth, end=10**6, pass_cost=pass_cost).choose(position)
                    assert (twin.move, twin.nodes) == (found.move, found.nodes)
                    assert InfiniteEnds(depth, pass_cost=pass_cost).choose(position).nodes <= twin.nodes


def test_a_won_end_that_is_worth_infinity_ends_the_search() -> None:
    """Where the first move wins at once, nothing else is looked at; a large number for a win has the others tried."""
    games = [play_one("random", "random", Position.start(Rules(4)), seed=seed) for seed in range(60)]
    ends = [position for game in games for position in game.positions if len(position.moves) > 1]
    won = [one for one in ends if one.play(one.moves[0]).is_over and one.play(one.moves[0]).score(one.turn) > 0]
    assert won
    for position in won:
        assert InfiniteEnds().choose(position).nodes == 2 < InfiniteEnds(end=10**6).choose(position).nodes


# --- the judge of Zean He -----------------------------------------------------------------------------------------


def test_boards_of_the_judge_are_read_back() -> None:
    for position in positions(10):
        assert from_numbers(as_numbers(position), position.turn) == position


def test_the_final_agent_plays_its_move_through_the_judge() -> None:
    judged, direct = Judged("outflank.studies.judge:Candidates"), agent("he-reversed")
    for position in positions(10):
        assert judged.choose(position) == direct.choose(position, None, 0).move
    text = "outflank.studies.judge:Judged(who=outflank.studies.judge:Candidates)"
    assert play_one(text, "random", Position.start("reversed 4x4")).termination == "normal"


class Slow:
    """An agent of the judge that needs a second of a clock for every candidate."""

    now = 0.0

    def __init__(self, chessboard_size: int, color: int, time_out: float) -> None:
        assert (chessboard_size, color, time_out) == (8, -1, 2.5)
        self.candidate_list: list[tuple[int, int]] = []

    def go(self, chessboard: object) -> None:
        for square in [(2, 3), (3, 2), (4, 5), (5, 4)]:
            Slow.now += 1
            self.candidate_list.append(square)


class Late(Slow):
    """One that has nothing to say in time."""

    def go(self, chessboard: object) -> None:
        Slow.now += 3
        self.candidate_list += [(2, 3)]


class Careless(Slow):
    """One that makes a list of its own, so that only its end can be timed."""

    def go(self, chessboard: object) -> None:
        Slow.now += 3
        self.candidate_list = [(2, 3)]


def test_the_last_candidate_in_time_is_played() -> None:
    start = Position.start("reversed 8x8")

    def judged(name: str) -> int:
        return Judged(f"{__name__}:{name}", seconds=2.5, clock=lambda: Slow.now).choose(start)

    assert judged("Slow") == start.rules.square("c4")
    for name in ("Late", "Careless"):
        with pytest.raises(EngineFailed, match=rf"{name} added no candidate in 2.5 s"):
            judged(name)


def test_the_final_agent_has_a_move_at_any_time() -> None:
    """Its first candidates are legal squares, before it begins to think."""
    for position in positions(5):
        candidates = Candidates(8, -1 if position.turn is Color.BLACK else 1, 5)
        candidates.go(as_numbers(position))
        first = [8 * row + column for row, column in candidates.candidate_list[: len(position.moves)]]
        assert first == list(position.moves) and len(candidates.candidate_list) == len(first) + 4
