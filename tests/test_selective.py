"""The engine: its search against plain minimax and the solver, its stops, its threads, its promises."""

import random
import threading
import time

import numpy as np
import pytest

from outflank.agents import agent, identity
from outflank.board import Position, Rules, Variant
from outflank.errors import BadSpec
from outflank.evaluation import read_evaluation
from outflank.kernels import selective as kernel
from outflank.kernels.evaluate import evaluation_of
from outflank.kernels.patterns import UNIT
from outflank.learn.probcut import Searched, collect, fit_probcut, tree_position, within
from outflank.search.clock import stoppable
from outflank.search.engine import EngineSearch, _steps
from outflank.search.limits import Limits
from outflank.search.probcut import DEVIATIONS, shipped_probcut
from outflank.search.solver import solve
from support import EFFORT, VARIANTS, every_variant

CERTAIN = kernel.CERTAIN
GAME = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1"


def random_position(rng: random.Random, empties: int, variant: Variant = "standard", size: int = 8) -> Position:
    """A position with a choice of moves."""
    while True:
        position = Position.start(Rules(size, variant))
        while position.empties > empties and not position.is_over:
            position = position.play(rng.choice(position.moves))
        if len(position.moves) > 1:
            return position


# --- what it finds --------------------------------------------------------------------------------------------------


one_word_and_four = pytest.mark.parametrize("size", [8, 10])
"""Boards of which every kernel takes another type."""


@every_variant
@one_word_and_four
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_without_cuts_it_is_minimax(variant: Variant, size: int, depth: int) -> None:
    rng, engine = random.Random(depth), EngineSearch(memory=1, confidence=CERTAIN)
    for _ in range(max(2, int(12 * EFFORT))):
        position = random_position(rng, rng.randint(14, 50), variant, size)
        engine.new_game()
        found = engine.choose(position, Limits(depth=depth), 0)
        assert found.value == expected_value(position, depth)
        assert found.confidence == 100 and not found.exact


def expected_value(position: Position, depth: int) -> int:
    """Minimax with the patterns in whole discs, written without any of the engine's tricks; a pass costs no depth."""
    if depth == 0:
        cells = position.rules.cells
        if not position.own:
            return -cells if position.rules.variant == "standard" else cells
        value = evaluation_of(*position.boards, *read_evaluation("patterns").build(position.rules))
        return max(2 - cells, min(cells - 2, (value + UNIT // 2) // UNIT))
    if position.is_over:
        return position.score(position.turn)
    if position.must_pass:
        return -expected_value(position.play(position.rules.pass_move), depth)
    return max(-expected_value(position.play(move), depth - 1) for move in position.moves)


@every_variant
@one_word_and_four
@pytest.mark.compiled
def test_it_solves_like_the_solver(variant: Variant, size: int) -> None:
    rng, engine = random.Random(3), EngineSearch(memory=4)
    for _ in range(60 if size == 8 else 20):
        position = random_position(rng, rng.randint(4, 14 if size == 8 else 12), variant, size)
        solution = solve(position, every_move=True)
        found = engine.choose(position, Limits(), 0)
        best = {move.move for move in solution.moves if move.value == solution.score}
        assert (found.value, found.exact, found.confidence) == (solution.score, True, 100)
        assert found.move in best
        end = position
        for move in found.pv:
            end = end.play(move)
        assert end.is_over and end.score(position.turn) == solution.score  # the line is one of perfect play


@pytest.mark.compiled
def test_a_crowd_of_threads_on_a_tiny_table_errs_never(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight threads share 64 entries, so that each overwrites what another is reading; small searches too."""
    monkeypatch.setattr("outflank.search.beside._AT_ONCE", 0)
    rng = random.Random(8)
    alone = EngineSearch(memory=64)
    crowd = EngineSearch(memory=64, threads=8)
    for rules in map(Rules, (8, 8), VARIANTS):
        tools = crowd.tools(rules)
        tools.table = np.zeros((64, 2), np.uint64)
        tools.searches = [search._replace(table=tools.table) for search in tools.searches]
    for number in range(150):
        position = random_position(rng, 10 + number % 4, VARIANTS[number % 2])
        expected, found = (engine.choose(position, Limits(), 0) for engine in (alone, crowd))
        assert (found.value, found.exact) == (expected.value, True)
        assert -solve(position.play(found.move)).score == expected.value  # type: ignore[operator]


@every_variant
@pytest.mark.compiled
def test_it_beats_five_terms(variant: Variant) -> None:
    """A tenth of the nodes are enough; a random move in every tenth place would not do."""
    strong, weak = agent("engine(nodes=3000)"), agent("minimax(nodes=30000, eval=five_terms, order=mobility)")
    rng, points = random.Random(4), 0.0
    for number in range(6):
        position = random_position(rng, 52, variant)
        sides = (strong, weak) if number % 2 else (weak, strong)
        first = engine_turn = position.turn
        while not position.is_over:
            player = sides[position.turn != first]
            if player is strong:
                engine_turn = position.turn
            position = position.play(player.choose(position, Limits(), 1).move)
        score = position.score(engine_turn)
        points += 1 if score > 0 else 0.5 if score == 0 else 0
    assert points >= 5


WIPED_OUT = "d3c3f5e3c2f4e2d6c4f3g4d2c5b3a3b4a4c1e1g6f6b5a5d1b1c6c7f2"


@pytest.mark.compiled
@pytest.mark.parametrize("confidence", range(CERTAIN + 1))
def test_no_cut_hides_that_a_side_loses_all_its_discs(confidence: int) -> None:
    """Black, judged 20 discs behind, takes the last disc of white three moves later."""
    position = Position.after(WIPED_OUT)
    found = EngineSearch(memory=1, confidence=confidence).choose(position, Limits(depth=4), 0)
    assert (str(found.move), found.value) == ("g2", 64)
    reversed_game = Position(Rules(8, "reversed"), position.black, position.white, position.turn)
    avoided = EngineSearch(memory=1, confidence=confidence).choose(reversed_game, Limits(depth=4), 0)
    assert str(avoided.move) != "g2" and avoided.value is not None and avoided.value > -64


def test_the_end_is_looked_for_when_the_limits_permit() -> None:
    sure = random_position(random.Random(1), 14)
    assert [(step.depth, step.confidence) for step in _steps(sure, 60, 0)][-2:] == [(8, 0), (14, CERTAIN)]
    position = random_position(random.Random(1), 16)
    at_once = [(step.depth, step.to_end) for step in _steps(position, 60, 0)]
    assert at_once == [(depth, False) for depth in range(1, 11)] + [(16, True)] * kernel.CONFIDENCES
    asked: list[int] = []

    def affords(moves: int) -> bool:
        asked.append(moves)
        return moves <= 2

    assert [step.depth for step in _steps(position, 60, 3, affords)] == [*range(1, 15), 16, 16]
    assert asked == [6, 5, 4, 3, 2]
    assert [step.depth for step in _steps(position, 5, 0)] == [1, 2, 3, 4, 5]


@pytest.mark.compiled
@every_variant
def test_few_nodes_are_not_lost_on_an_end_out_of_reach(variant: Variant) -> None:
    rng, engine = random.Random(5), EngineSearch(memory=1)
    for _ in range(5):
        engine.new_game()
        found = engine.choose(random_position(rng, 16, variant), Limits(nodes=20_000), 0)
        assert not found.exact and found.depth is not None and found.depth >= 8


# --- what it promises -----------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_same_nodes_same_decision() -> None:
    position = Position.after(GAME[:40])
    for limits in (Limits(nodes=5000), Limits(nodes=60_000), Limits(depth=9), Limits(nodes=100_000, depth=20)):
        found = [EngineSearch(memory=8).choose(position, limits, seed) for seed in (0, 1)]
        assert found[0].nodes == found[1].nodes
        assert [(one.move, one.value, one.depth, one.pv) for one in found[:1]] == [
            (one.move, one.value, one.depth, one.pv) for one in found[1:]
        ]
        if limits.nodes:
            assert found[0].nodes <= limits.nodes + 100


def test_one_node_is_enough_for_a_move() -> None:
    position = Position.after(GAME[:40])
    found = EngineSearch(memory=1).choose(position, Limits(nodes=1), 0)
    assert found.move in position.moves and not found.finished


@pytest.mark.compiled
def test_a_stopped_search_answers_and_leaves_no_thread() -> None:
    position = Position.after(GAME[:30])
    for threads in (1, 4):
        engine = EngineSearch(memory=8, threads=threads)
        asked: list[int] = []

        def stop(asked: list[int] = asked) -> bool:
            asked.append(1)
            return len(asked) > 200

        with stoppable(stop):
            found = engine.choose(position, Limits(), 0)
        assert found.move in position.moves and found.depth >= 1
        assert not [thread for thread in threading.enumerate() if thread.name.startswith("engine-")]


@pytest.mark.compiled
def test_time_is_kept() -> None:
    engine = EngineSearch(memory=8)
    engine.choose(Position.start(), Limits(depth=4), 0)
    began = time.process_time()
    found = engine.choose(Position.after(GAME[:30]), Limits(seconds=0.2), 0)
    assert found.seconds > 0.1 and time.process_time() - began < 2


def test_errors_make_it_weaker_and_depend_on_the_seed() -> None:
    position = Position.after(GAME[:24])
    engine = EngineSearch(memory=1, error=12)
    found = [engine.choose(position, Limits(depth=1), seed) for seed in range(12)]
    again = [engine.choose(position, Limits(depth=1), seed) for seed in range(12)]
    assert [one.move for one in found] == [one.move for one in again]
    assert len({one.move for one in found}) > 2
    exact = EngineSearch(memory=1, error=1e-9).choose(position, Limits(depth=1), 0)
    assert exact.value == EngineSearch(memory=1).choose(position, Limits(depth=1), 0).value


def test_boards_it_does_not_know() -> None:
    with pytest.raises(BadSpec, match="12x12"):
        agent("engine").check_rules(Rules(12))


def test_its_weights_are_a_part_of_its_identity() -> None:
    assert identity("engine").count("-") >= 1


# --- ProbCut --------------------------------------------------------------------------------------------------------


def test_the_fit_finds_the_errors_it_was_given() -> None:
    """Errors of a known size; half of it would not pass."""
    rng = np.random.default_rng(2)
    rows = []
    for _ in range(3000):
        empties = int(rng.integers(12, 50))
        truth = rng.normal(0, 10)
        values = tuple(round(truth + rng.normal(0, 4 * 0.85**depth)) for depth in range(9))
        rows.append(Searched(empties, values, round(truth) if empties < 20 else None))
    model = fit_probcut(rows)
    for deviations, share in zip(DEVIATIONS[:3], (0.73, 0.87, 0.95), strict=False):
        for found in within(rows, model, deviations):
            assert abs(found - share) < 0.04
        assert max(within(rows, model, deviations / 2)) < share - 0.1


@pytest.mark.compiled
@every_variant
def test_shipped_margins_hold_on_fresh_positions(variant: Variant) -> None:
    """The errors of 80 positions that were not fitted stay within the deviations about as often as they promise."""
    rng = random.Random(77)
    lines = [random_game(rng, variant) for _ in range(20)]
    start = Position.start(Rules(8, variant))
    positions = (
        position
        for position in (tree_position(rng.choice(lines), start, rng) for _ in range(10_000))
        if position is not None and position.empties >= 10
    )
    rows = collect(positions, 80, deepest=6)
    model = shipped_probcut(Rules(8, variant))
    leaves, _ = within(rows, model, DEVIATIONS[2])
    assert leaves > 0.85
    assert within(rows, model, DEVIATIONS[2] / 4)[0] < 0.75


def random_game(rng: random.Random, variant: Variant) -> list[str]:
    """Some random moves, then greedy ones by the patterns."""
    player = EngineSearch(memory=1)
    position, line = Position.start(Rules(8, variant)), list[str]()
    while not position.is_over:
        move: int = rng.choice(position.moves)
        if len(line) > 8 and len(position.moves) > 1:
            move = player.choose(position, Limits(depth=1), 0).move
        if move != position.rules.pass_move:
            line.append(str(position.rules.move(move)))
        position = position.play(move)
    return line


def test_an_engine_without_cuts_needs_no_model_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(rules: Rules) -> None:
        raise AssertionError(f"asked for the model of {rules}")

    monkeypatch.setattr("outflank.search.engine.shipped_probcut", refuse)
    engine = EngineSearch(memory=1, confidence=CERTAIN)
    engine.check_rules(Rules(8))
    assert engine.choose(Position.start(), Limits(depth=2), 0).depth == 2
