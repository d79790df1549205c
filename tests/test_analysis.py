"""Judging positions and games: against the solver, and against searches done one by one."""

import random
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.agents import agent
from outflank.agents.check import sample_positions
from outflank.analysis import MARKS, Analysis, analyse, review, tree_opinion
from outflank.board import VARIANTS, Color, Position, Rules
from outflank.formats import read_transcript
from outflank.game import Game
from outflank.search.clock import stoppable, told_to_stop
from outflank.search.decision import value_text
from outflank.search.engine import EngineSearch
from outflank.search.limits import Limits
from outflank.search.solver import solve, solve_moves
from support import PERFECT_GAME, every_variant

SEARCHES = (
    "minimax(depth=40, eval=five_terms)",
    "minimax(seconds=60, eval=positional)",
    "minimax(depth=40, endgame=60)",
    "uct(playouts=1000000000)",
    "uct(seconds=60, playout=heuristic)",
    "montecarlo(playouts=1000000000)",
    "solver",
)


def late_position(seed: int, rules: Rules, empties: int) -> Position:
    """A position of a random game with a choice of moves and at most so many empty squares."""
    rng = random.Random(seed)
    while True:
        position = Position.start(rules)
        while position.moves and (position.empties > empties or len(position.moves) < 2):
            position = position.play(rng.choice(position.moves))
        if position.moves:
            return position


# --- stopping and telling -----------------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("text", SEARCHES)
def test_every_search_ends_when_it_is_told_to_and_still_answers(text: str) -> None:
    position, wish = Position.start(), threading.Event()
    threading.Timer(0.1, wish.set).start()
    with stoppable(wish.is_set):
        decision = agent(text).choose(position)
    assert wish.is_set()
    assert decision.move in position.moves


@pytest.mark.parametrize(
    "text",
    ["minimax(depth=3, ties=random)", "minimax(nodes=500)", "uct(playouts=60)", "montecarlo(playouts=8)", "random"],
)
@pytest.mark.parametrize("seed", [1, 2])
def test_whoever_looks_on_changes_nothing(text: str, seed: int) -> None:
    for position in sample_positions(Rules(6), 3, seed):
        alone = agent(text).choose(position, seed=seed)
        *_, told = agent(text).think(position, seed=seed)
        with stoppable(lambda: False):
            watched = agent(text).choose(position, seed=seed)
        assert (alone.move, alone.value) == (told.move, told.value) == (watched.move, watched.value)


def test_one_inside_another_stops_for_either() -> None:
    with stoppable(lambda: True):
        with stoppable(lambda: False):
            assert told_to_stop()
        assert told_to_stop()
    assert not told_to_stop()


def test_thinking_deepens() -> None:
    depths = [decision.depth for decision in agent("minimax(depth=4)").think(Position.start())]
    assert depths == [1, 2, 3, 4]


@pytest.mark.compiled
def test_a_tree_tells_its_opinion_while_it_grows() -> None:
    told = list(tree_opinion(Position.start(), playouts=400_000))
    counts = [decision.playouts for decision in told]
    assert len(told) > 1 and counts == sorted(counts) and counts[-1] == 400_000
    for decision in told:
        assert sum(root.visits for root in decision.moves) == decision.playouts


@pytest.mark.parametrize(
    ("value", "unit", "exact", "text"),
    [
        (6, "discs", True, "+6 discs, exact"),
        (1, "discs", True, "+1 disc, exact"),
        (0, "discs", True, "0 discs, exact"),
        (-3.26, "discs", False, "-3.3 discs"),
        (0.02, "points", False, "0"),
        (130, "points", False, "+130"),
        (0.571, "wins", False, "57 % wins"),
        (-1, "result", True, "a loss, exact"),
        (None, "points", False, ""),
    ],
)
def test_values_for_people(value: float | None, unit: str, exact: bool, text: str) -> None:
    assert value_text(value, unit, exact) == text  # type: ignore[arg-type]


# --- every move ---------------------------------------------------------------------------------------------------


def last_of(position: Position) -> Analysis:
    *_, last = analyse(position)
    return last


@pytest.mark.compiled
@pytest.mark.parametrize("size", [4, 6, 8, 10])
@every_variant
def test_analysis_ends_with_the_solvers_values(size: int, variant: str) -> None:
    rules = Rules(size, variant)  # type: ignore[arg-type]
    for seed in range(3):
        position = late_position(seed, rules, 9)
        last = last_of(position)
        exact = {root.move: root.value for root in solve(position, every_move=True).moves}
        assert last.finished and {move.move: move.value for move in last.moves} == exact
        assert [move.value for move in last.moves] == sorted(exact.values(), reverse=True)  # type: ignore[type-var]
        for move in last.moves:
            end = position
            for played in move.pv:
                end = end.play(played)
            assert move.pv[0] == move.move and end.is_over
            assert end.score(position.turn) == move.value


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(VARIANTS))
def test_an_agents_opinion_of_every_move_is_its_search_behind_that_move(seed: int, variant: str) -> None:
    [*_, position] = sample_positions(Rules(6, variant), 2, seed)  # type: ignore[arg-type]
    player = agent("minimax(eval=positional)")
    for analysis in analyse(position, player):
        for move in analysis.moves:
            after = position.play(move.move)
            if move.exact or after.must_pass:
                continue
            behind = player.player.choose(after, Limits(depth=move.depth - 1), 0)
            assert behind.value is not None and move.value == -behind.value
        if analysis.depth >= 3:
            break


def test_all_moves_are_valued_at_one_depth() -> None:
    for analysis in analyse(Position.start(Rules(6))):
        assert {move.depth for move in analysis.moves} == {analysis.depth}
        assert {move.move for move in analysis.moves} == set(Position.start(Rules(6)).moves)
        assert len({move.value for move in analysis.moves}) == 1, "the four first moves are mirror images"
        if analysis.depth >= 4:
            break


@pytest.mark.compiled
@pytest.mark.parametrize(("size", "empties"), [(8, 15), (6, 13), (10, 10)])
def test_no_value_is_ranked_among_staler_ones(size: int, empties: int) -> None:
    told = list(analyse(late_position(1, Rules(size), empties)))
    for analysis in told:
        ways = {(move.depth, move.confidence, move.exact) for move in analysis.moves}
        assert ways == {(analysis.depth, analysis.confidence, analysis.finished)}
        assert [move.value for move in analysis.moves] == sorted((m.value for m in analysis.moves), reverse=True)
    steps = [(analysis.depth, analysis.confidence) for analysis in told]
    assert steps == sorted(steps) and told[-1].finished


@pytest.mark.compiled
@every_variant
def test_where_the_engine_is_trained_it_says_how_sure_it_is(variant: str) -> None:
    position = late_position(2, Rules(8, variant), 16)  # type: ignore[arg-type]
    told = list(analyse(position))
    assert [analysis.confidence for analysis in told[-5:]] == [73, 87, 95, 99, 100]
    assert told[0].moves[0].depth_text == "depth 1 at 73 %" and told[-1].moves[0].depth_text == ""
    *_, by_text = analyse(position, agent("engine(memory=2)"))
    assert [(move.move, move.value) for move in by_text.moves] == [(move.move, move.value) for move in told[-1].moves]


@pytest.mark.compiled
def test_moves_are_judged_without_what_was_searched_before() -> None:
    game, engine = read_transcript("f5d6c3d3c4f4f6f3e6e7"), EngineSearch(memory=2)
    alone = list(EngineSearch(memory=2).judge(game.positions[7], Limits(depth=8)))
    *_, _ = engine.judge(game.positions[8], Limits(depth=10))
    again = list(engine.judge(game.positions[7], Limits(depth=8)))
    assert [[(told.move, told.value) for told in step] for step in again] == [
        [(told.move, told.value) for told in step] for step in alone
    ]
    *_, some = engine.judge(game.positions[7], Limits(depth=8), [game.positions[7].moves[0]])
    assert len(some) <= 2 and all(len(step) == len(game.positions[7].moves) for step in alone)


def test_a_forced_pass_and_a_finished_game_have_no_moves_to_value() -> None:
    passing = Position.parse("XXXXOOOXOOXXOO-- X")
    assert passing.must_pass and last_of(passing).moves == ()
    over = Position.parse("XXXXXXXXXXXXXXXX O")
    assert last_of(over).moves == ()


@pytest.mark.compiled
def test_an_analysis_ends_when_it_is_told_to() -> None:
    wish = threading.Event()
    with stoppable(wish.is_set):
        for found in analyse(Position.start()):
            if found.depth > 3:
                wish.set()
    assert wish.is_set() and not found.finished


@pytest.mark.compiled
def test_other_agents_tell_their_opinion_in_their_own_unit() -> None:
    position = Position.start().play("d3")
    for text, unit in (("uct(playouts=200)", "wins"), ("montecarlo(playouts=10)", "wins"), ("heuristic", "points")):
        *_, last = analyse(position, agent(text))
        assert {move.move for move in last.moves} == set(position.moves)
        assert {move.unit for move in last.moves} == {unit}


def test_the_solver_goes_through_moves_in_the_order_given() -> None:
    position = late_position(3, Rules(4), 7)
    exact = {root.move: root.value for root in solve(position, every_move=True).moves}
    order = sorted(exact, reverse=True)
    assert [(found.move, found.score) for found in solve_moves(position, order)] == [(m, exact[m]) for m in order]


# --- whole games --------------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_a_perfect_game_has_no_mistake() -> None:
    verdicts = list(review(read_transcript(PERFECT_GAME)))
    assert [verdict.ply for verdict in verdicts] == list(range(60, -1, -1))
    exact = [verdict for verdict in verdicts if verdict.exact]
    assert len(exact) >= 18 and all(verdict.value == 0 and verdict.loss == 0 for verdict in exact)
    assert not [verdict for verdict in verdicts if verdict.mark in ("mistake", "blunder")]


@pytest.mark.compiled
@every_variant
def test_losses_near_the_end_are_the_solvers(variant: str) -> None:
    start = late_position(5, Rules(6, variant), 12)  # type: ignore[arg-type]
    rng, position, moves = random.Random(1), start, []
    while position.moves:
        moves.append(rng.choice(position.moves))
        position = position.play(moves[-1])
    position = start
    for verdict in reversed(list(review(Game.of(start, moves)))):
        best = solve(position).score if position.moves else position.score(position.turn)
        sign = 1 if position.turn is Color.BLACK else -1
        assert verdict.exact and best is not None and verdict.value == sign * best
        if verdict.played is not None:
            position = position.play(verdict.played)
            after = solve(position).score if position.moves else position.score(position.turn)
            assert after is not None
            own = -after if position.turn.sign != ("X" if sign == 1 else "O") else after
            assert verdict.loss == best - own


@pytest.mark.compiled
@pytest.mark.parametrize("ply", [30, 36, 49])
def test_a_planted_blunder_is_found(ply: int) -> None:
    """A move that a deep look at all others calls far worse is put into a perfect game."""
    start = Position.start()
    position = Game.of(start, read_transcript(PERFECT_GAME, start).moves[:ply]).end
    for analysis in analyse(position):
        if analysis.finished or analysis.depth >= 10:
            break
    worst = analysis.moves[-1]
    assert analysis.moves[0].value - worst.value >= MARKS[0][0], "otherwise choose another ply"
    *_, verdict = review(Game.of(position, [worst.move]), depth=10)
    assert verdict.mark == "blunder" and verdict.played == worst.move
    assert verdict.best is not None and verdict.best_pv[0] == verdict.best != worst.move


def test_a_review_goes_through_passes_and_stops_when_told() -> None:
    start = Position.parse("XXXXOOOXOOXXOO-- X")
    moves = read_transcript("pass d4 c4", start).moves
    verdicts = {verdict.ply: verdict for verdict in review(Game.of(start, moves))}
    assert verdicts[0].best == start.rules.pass_move and verdicts[0].value == verdicts[1].value
    assert verdicts[3].best is None and verdicts[3].played is None
    [only] = review(Game(start))
    assert only.best == start.rules.pass_move
    with stoppable(lambda: True):
        assert list(review(Game.of(start, moves))) == []


@pytest.mark.compiled
@pytest.mark.parametrize("size", [6, 8])
def test_a_review_that_has_no_time_still_judges_every_ply(size: int) -> None:
    moves = "f5d6c3d3" if size == 8 else "e4c5b3c2"
    game = read_transcript(moves, Position.start(Rules(size)))
    verdicts = list(review(game, seconds_per_move=1e-9))
    assert [verdict.ply for verdict in verdicts] == [4, 3, 2, 1, 0]
    assert all(verdict.best is not None and not verdict.exact for verdict in verdicts)
    if size == 8:
        assert all(verdict.depth >= 8 and not verdict.mark for verdict in verdicts)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "line",
    [
        "f5d6c3d3c4f4f6f3e6e7",  # Tiger
        "f5d6c5f4e3c6d3f6e6d7",  # Rose
        "f5f6e6f4g5e7e3d6",  # Shadow
        "f5f6e6d6c3",  # Buffalo
        "f5d6c4d3c5",  # Cat
        "f5f4",  # Parallel
        "d3c5",  # a mirror image of the Perpendicular
        "f5f6d3",  # Wing
        "f5f6e6d6g7",  # X-square opening
        "d3c3c4c5b2",  # its mirror image
    ],
)
def test_openings_with_a_name_are_not_called_mistakes(line: str) -> None:
    verdicts = list(review(read_transcript(line), depth=11))
    assert [(verdict.played, verdict.loss) for verdict in verdicts if verdict.mark] == []


@pytest.mark.compiled
def test_a_bad_move_in_the_opening_is_marked() -> None:
    verdicts = {verdict.ply: verdict for verdict in review(read_transcript("f5d6c3d3c4f4f6f3f2"), depth=11)}
    assert verdicts[8].mark and not any(verdicts[ply].mark for ply in range(8))
