"""Games and training on a card, simulated by numba, against the CPU; and the games against a slow player."""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import naive
import simulated_card
from outflank.agents import agent
from outflank.batch import Games
from outflank.batch.gpu import GpuGames
from outflank.board import Color, Position, Rules
from outflank.devices import devices, on_gpu
from outflank.errors import BadSpec, DeviceFailed, MissingExtra, OutflankError
from outflank.game_loop import play_game
from outflank.kernels import leaves
from outflank.kernels.evaluate import evaluation_of
from outflank.kernels.jit import Word
from outflank.kernels.lanes import ROWS, Kept, games_in_turn
from outflank.kernels.patterns import SCALE, UNIT
from outflank.kernels.playout import games_in_turn as random_games_in_turn
from outflank.kernels.playout import new_lanes
from outflank.kernels.policy import playouts
from outflank.kernels.uct import USED
from outflank.learn import cuda as learn
from outflank.learn.games import Positions
from outflank.learn.regression import errors
from outflank.patterns import PatternWeights, pattern_set, read_weights, shipped_weights
from outflank.plugins import Plugin
from outflank.search.clock import stoppable
from outflank.search.decision import Decision
from outflank.search.limits import Limits
from outflank.search.montecarlo import FlatMonteCarlo
from outflank.search.player import Player
from outflank.search.policy import PlayoutPolicy
from outflank.search.uct_batches import BatchedUct
from simulated_card import (
    ARRAYS,
    BATCHED,
    FLAT,
    PLANS,
    POLICIES,
    RANDOM_GAMES,
    TRAINING,
    facts_of,
    late_position,
    playouts_by,
    random_position,
    some_weights,
)
from support import PATIENCE, ROOT, refused, wait_until

pytestmark = pytest.mark.compiled


def on_the_cpu(plan: learn.Plan, weights: PatternWeights) -> Kept:
    """The games that `simulated_card` plays, by the kernel of the CPU."""
    rows, words = plan.slots * plan.games, plan.rules.words
    own, other = (np.zeros((rows, words), np.uint64) for _ in range(2))
    kept = Kept(own, other, np.zeros(rows, np.int8), np.zeros(plan.games, np.int8))
    space = np.zeros((ROWS * plan.levels, words), np.uint64), np.zeros((plan.levels, 3), np.int32)
    games_in_turn(plan.course(), weights.build(), Word(plan.seed), 17, *space, kept)
    return kept


def rows_of(kept: Kept, plan: learn.Plan) -> list[tuple[int, int]]:
    """The rows that are filled, game by game, each with its game."""
    return [(slot * plan.games + game, game) for game in range(plan.games) for slot in range(kept.counts[game])]


# --- the games ------------------------------------------------------------------------------------------------------


def slow_value(position: Position, plies: int, weights: PatternWeights) -> int:
    """Plain negamax; a pass is no ply."""
    if position.is_over:
        return UNIT * position.score(position.turn)
    if position.must_pass:
        return -slow_value(position.play("pass"), plies, weights)
    if plies == 0:
        return evaluation_of(*position.boards, weights.build(), None)
    return max(-slow_value(position.play(move), plies - 1, weights) for move in position.moves)


def drawn(numbers: Iterator[int], choices: int) -> int:
    return ((next(numbers) >> 32) * choices) >> 32


def slow_game(plan: learn.Plan, number: int, weights: PatternWeights) -> tuple[int, list[Position]]:
    """How many random moves a game begins with, and its positions without passes; from the description."""
    numbers = naive.stream(plan.seed, number)
    randoms, position, positions = drawn(numbers, plan.course().randoms + 1), Position.start(plan.rules), []
    while not position.is_over:
        if position.must_pass:
            position = position.play("pass")
            continue
        positions.append(position)
        if len(positions) <= randoms:
            position = position.play(position.moves[drawn(numbers, len(position.moves))])
        else:
            plies = 60 if position.empties <= plan.exact else plan.plies
            values = {move: -slow_value(position.play(move), plies - 1, weights) for move in position.moves}
            best = [move for move in position.moves if values[move] == max(values.values())]
            position = position.play(min(best, key=order_of(plan)))
    return randoms, [*positions, position]


def order_of(plan: learn.Plan) -> Any:
    """In which order a search tries squares: early ones, then all but the late ones, each by number."""
    course, bits = plan.course(), [plan.rules.board(plan.rules.bit(s)) for s in range(plan.rules.cells)]

    def key(square: Any) -> tuple[int, int]:
        early, late = (any(int(a) & int(b) for a, b in zip(board, bits[square], strict=True)) for board in course[3:5])
        return (0 if early else 2 if late else 1, int(square))

    return key


@pytest.mark.parametrize("name", ["six", "reversed six"])
def test_games_are_those_of_a_slow_player(name: str) -> None:
    plan = PLANS[name]
    weights = some_weights(plan)
    kept = on_the_cpu(plan, weights)
    found = [(kept.own[row, 0], kept.other[row, 0], kept.labels[row]) for row, _ in rows_of(kept, plan)]
    expected = []
    for game in range(plan.games):
        randoms, (*positions, end) = slow_game(plan, 17 + game, weights)
        for position in positions[randoms :: plan.every]:
            label = end.score(Color.BLACK) * (1 if position.turn == Color.BLACK else -1)
            expected.append((position.boards[0][0], position.boards[1][0], label))
    assert found == expected


# --- the card, simulated --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, npt.NDArray[Any]]:
    """What the simulated card made of the plans; once for all processes of the tests, whichever comes first."""
    base = tmp_path_factory.getbasetemp()
    room = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "simulated-card"
    done = room / "done"
    try:
        room.mkdir()
    except FileExistsError:
        wait_until(done.exists)
    else:
        _simulate(room / "found.npz")
        done.touch()
    with np.load(room / "found.npz") as arrays:
        found = dict(arrays)
    found["resumed"] = read_weights(room / "weights.npz", TRAINING.rules).values
    return found


def _simulate(out: Path) -> None:
    simulator = {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, str(Path(simulated_card.__file__)), str(out)]
    ended = subprocess.run(
        command, env=os.environ | simulator, cwd=ROOT, capture_output=True, text=True, timeout=10 * PATIENCE
    )
    assert ended.returncode == 0, ended.stderr


def from_card(simulated: dict[str, Any], name: str) -> Kept:
    return Kept(*(simulated[f"{name} {field}"] for field in Kept._fields))


@pytest.mark.parametrize("name", PLANS)
def test_a_card_plays_the_games_of_the_cpu(name: str, simulated: dict[str, Any]) -> None:
    plan = PLANS[name]
    card, cpu = from_card(simulated, name), on_the_cpu(plan, some_weights(plan))
    assert card.counts.tolist() == cpu.counts.tolist() and cpu.counts.sum() > plan.games
    rows = [row for row, _ in rows_of(cpu, plan)]
    assert np.array_equal(card.own[rows], cpu.own[rows]) and np.array_equal(card.other[rows], cpu.other[rows])
    assert np.array_equal(card.labels[rows], cpu.labels[rows])


@pytest.mark.parametrize("name", PLANS)
def test_a_card_adds_errors_to_the_weights_of_the_patterns(name: str, simulated: dict[str, Any]) -> None:
    """Places, errors and counts from the description of the patterns, square by square."""
    plan, weights = PLANS[name], some_weights(PLANS[name])
    kept, patterns = from_card(simulated, name), pattern_set(plan.rules.size)
    expected: dict[tuple[int, int], list[float]] = {}
    squared = np.zeros((len(weights.values), 2), np.int64)
    for row, _ in rows_of(kept, plan):
        places, phase = slow_places(kept.own[row], kept.other[row], plan.rules, weights)
        error = float(kept.labels[row]) - sum(int(weights.values[phase, place]) for place in places) / SCALE
        squared[phase] += (1, int(error * error))
        for place in places:
            entry = expected.setdefault((phase, place), [0.0, 0])
            entry[0] += min(max(error, -128), 128)
            entry[1] += 1
    assert patterns.weights > max(place for _, place in expected)
    found = zip(simulated[f"{name} where"].T.tolist(), simulated[f"{name} sums"].tolist(), strict=True)
    totals = {(phase, place): total for (phase, place), total in found}
    assert totals.keys() == expected.keys()
    for key, (error, seen) in expected.items():
        assert totals[key] % 2**26 == seen
        assert (totals[key] >> 26) / 32 == pytest.approx(error, abs=0.02 * seen)
    assert np.abs(simulated[f"{name} errors"] - squared).max() <= 1


def slow_places(own: Any, other: Any, rules: Rules, weights: PatternWeights) -> tuple[list[int], int]:
    patterns = pattern_set(rules.size)
    boards = [sum(int(word) << (64 * i) for i, word in enumerate(side)) for side in (own, other)]
    digits = [int(bool(boards[0] & rules.bit(s))) - int(bool(boards[1] & rules.bit(s))) for s in range(rules.cells)]
    discs = sum(map(abs, digits))
    places = []
    for name, squares in patterns.instances:
        number = 0
        for square in squares:
            number = 3 * number + digits[square]
        places.append(patterns.offsets[name] + 3 ** len(squares) // 2 + number)
    return [*places, patterns.tempo + discs], min((discs - 4) // weights.phase_length, len(weights.values) - 1)


def test_training_on_a_card_lowers_the_error_and_goes_on_after_a_kill(simulated: dict[str, Any]) -> None:
    trained = simulated["trained"]
    assert np.array_equal(trained, trained[:, pattern_set(6).canonical])
    assert np.array_equal(PatternWeights(TRAINING.rules, simulated["resumed"], {}).in_discs, np.rint(trained * 64) / 64)
    games = on_the_cpu(
        learn.Plan(Rules(6), games=200, plies=1, exact=2, random_moves=20, seed=9), some_weights(PLANS["six"])
    )
    filled = np.flatnonzero(games.own[:, 0])
    labels = games.labels[filled].astype(np.float32)
    nobody = np.zeros(len(filled), np.int32)
    positions = Positions(Rules(6), games.own[filled], games.other[filled], labels, nobody)
    before, after = (float(np.mean(errors(positions, w) ** 2)) for w in (np.zeros_like(trained), trained))
    assert after < before


# --- random games ---------------------------------------------------------------------------------------------------


def random_games(size: int, seed: int, first: int) -> npt.NDArray[np.int16]:
    out = np.empty(RANDOM_GAMES[size], np.int16)
    random_games_in_turn(*random_position(size).boards, Word(seed), first, out)
    return out


@pytest.mark.parametrize("size", RANDOM_GAMES)
def test_a_card_plays_the_random_games_of_the_cpu(size: int, simulated: dict[str, Any]) -> None:
    games = random_games(size, 7, 100)
    assert simulated[f"differences {size}"].tolist() == games.tolist()
    position = random_position(size)
    me, opp, full = position.boards
    for row, seed, first in ((0, 7, 100), (1, 8, 5)):
        games, policy = random_games(size, seed, first), PlayoutPolicy().build(position.rules, 0.5)
        lanes = new_lanes()
        *_, placed = playouts(me, opp, full, True, policy, Word(seed), first, len(games), lanes, 0.0, 0.0)
        counts = [int(np.sum(np.sign(games) == sign)) for sign in (1, 0, -1)]
        assert simulated[f"totals {size}"][row].tolist() == [*counts, placed]


@pytest.mark.parametrize("rules", ["standard 4x4", "reversed 4x4"])
def test_flat_monte_carlo_decides_on_a_card_as_on_the_cpu(rules: str, simulated: dict[str, Any]) -> None:
    assert simulated[f"flat {rules}"].tolist() == facts_of(agent(FLAT).choose(Position.start(rules), seed=3)).tolist()


@pytest.mark.parametrize("policy", POLICIES)
def test_a_card_plays_other_policies_as_the_cpu(policy: str, simulated: dict[str, Any]) -> None:
    decision = agent(playouts_by(policy)).choose(late_position(policy), seed=5)
    assert simulated[policy].tolist() == facts_of(decision).tolist()


@pytest.mark.parametrize("text", BATCHED)
def test_trees_in_batches_decide_the_same_on_either_device(text: str, simulated: dict[str, Any]) -> None:
    assert simulated[f"gpu {text}"].tolist() == simulated[f"cpu {text}"].tolist()


def test_batches_of_one_leaf_make_the_usual_tree(simulated: dict[str, Any]) -> None:
    assert simulated["one by one"].tolist() == simulated["usual"].tolist()


def test_games_side_by_side_on_a_card_are_those_of_the_cpu(simulated: dict[str, Any]) -> None:
    games, drawn = Games(5, "standard 4x4", seed=2, first=7), []
    for _ in range(25):
        drawn.append(games.random_actions())
        games.step(drawn[-1])
    assert np.array_equal(simulated["drawn"], drawn)
    for name in ARRAYS:
        found, expected = simulated[f"array {name}"], getattr(games, name)
        assert found.dtype == expected.dtype and np.array_equal(found, expected), name
    boards, weights = Games(6, "standard 6x6", seed=4), shipped_weights(Rules(6)).build()
    boards.step(boards.random_actions())
    values = [evaluation_of(*boards.position(row).boards, weights, None) for row in range(6)]
    assert simulated["values"].tolist() == values


def test_a_card_that_fails_costs_no_game() -> None:
    class OnBrokenCard(Player):
        def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
            raise DeviceFailed("the GPU failed: it was unplugged; expected a card that answers")

    with pytest.raises(DeviceFailed, match="unplugged"):
        play_game(OnBrokenCard(), agent("random"), Position.start("standard 4x4"))


def test_leaves_under_way_are_visits_without_a_result() -> None:
    search, start = BatchedUct("cpu", leaf_playouts=8, memory=1, least=1), Position.start("standard 6x6")
    search.choose(start, Limits(playouts=8 * 200), seed=3)
    tree, batch, reading = search._nodes, search._batches[0], search._readings[start.turn]
    assert tree is not None
    known, pending = tree.visits > 0, batch.leaves.pending
    used = np.flatnonzero(known[: tree.counters[USED]])
    assert not pending.any() and tree.means[used] == pytest.approx(tree.sums[used] / tree.visits[used])
    means, visits = tree.means[used].copy(), tree.visits[used].copy()
    assert leaves.gather(*start.boards, tree, reading, None, Word(7), 50, 10**9, batch.leaves) == 50
    assert pending[0] == 400 and np.array_equal(tree.visits[used] - visits, pending[used])
    assert np.array_equal(tree.means[used], means)
    leaves.settle(tree, reading, batch.leaves, 50, 0)  # none was played: all is as before
    assert not pending.any() and np.array_equal(tree.visits[used], visits) and np.array_equal(tree.means[used], means)


def test_a_search_that_is_left_early_forgets_its_tree_and_keeps_the_time() -> None:
    search, start = BatchedUct("cpu", leaf_playouts=1024, memory=1, reuse=True), Position.start("standard 4x4")
    with stoppable(lambda: True):
        decision = search.choose(start, Limits(playouts=10**6), seed=1)
    assert decision.playouts == 2048 and not decision.finished and search._root is None  # a leaf of either batch
    assert search.choose(start, Limits(playouts=2048), seed=1).playouts == 2048 and search._root == start


def test_a_device_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outflank.errors.find_spec", lambda name: None if name == "numba_cuda" else object())
    with pytest.raises(MissingExtra, match="playing on a GPU needs numba-cuda"):
        agent("montecarlo(device=gpu)")
    assert not on_gpu("auto") and [(one.kind, one.usable) for one in devices()] == [("cpu", True), ("gpu", False)]
    own = PlayoutPolicy(function=Plugin("playout", "mine:f"))
    for search in (partial(FlatMonteCarlo, 10, own, 0.5, "gpu"), partial(BatchedUct, "gpu", policy=own)):
        with pytest.raises(BadSpec, match="device=gpu does not play functions of a person's own; expected device=cpu"):
            search()
    with pytest.raises(BadSpec, match="leaf_playouts=1 leaves a device idle; expected 8 to 1024 with device"):
        agent("uct(device=auto)")
    with pytest.raises(MissingExtra, match="playing on a GPU needs numba-cuda"):
        agent("uct(device=gpu, leaf_playouts=256)")
    with pytest.raises(MissingExtra, match="playing on a GPU needs numba-cuda"):
        GpuGames(2)
    with pytest.raises(BadSpec, match="device='tpu' is not known"):
        on_gpu("tpu")


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [{"plies": 0}, {"exact": 13}, {"games": 0}, {"random_moves": 32}, {"seed": -1}])
def test_plans_that_are_not_possible_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(BadSpec, match=f"{next(iter(wrong))}=.* is not possible; expected"):
        learn.Plan(Rules(6), **wrong)  # type: ignore[arg-type]


def test_a_state_of_another_plan_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    plan = learn.Plan(Rules(6), phases=1)
    path = tmp_path / "weights.npz.state"
    learn.State.begin(plan).write(path)
    assert learn.State.read(path, plan).rounds == 0
    with pytest.raises(BadSpec, match="was made with plies=3, not 2; expected the same command as before"):
        learn.State.read(path, learn.Plan(Rules(6), phases=1, plies=2))
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(BadSpec, match="is damaged"):
        learn.State.read(path, plan)


def test_without_library_or_card_the_command_says_what_is_missing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["learn", "cuda", "--rules", "standard 6x6", "--out", str(tmp_path / "weights.npz"), "--games", "1"]
    monkeypatch.setattr("outflank.errors.find_spec", lambda name: None if name == "numba_cuda" else object())
    assert "needs numba-cuda, which is not installed; install it with: pip install 'outflank[gpu]'" in refused(
        command, capfd
    )
    monkeypatch.setattr("outflank.errors.find_spec", lambda name: object())
    monkeypatch.setattr("outflank.kernels.cuda.card_name", lambda: ("", "CUDA driver library cannot be found"))
    assert "there is no GPU for training: 'CUDA driver library cannot be found'" in refused(command, capfd)
    monkeypatch.setattr("outflank.kernels.cuda.card_name", lambda: ("a card", ""))
    monkeypatch.setattr("outflank.kernels.cuda.free_memory", lambda: 1000.0)
    assert "the games of the last round need 0.0 GiB, and the card has 0.0 GiB free" in refused(command, capfd)
    assert not list(tmp_path.iterdir())


def test_the_name_of_the_card_or_what_is_wrong_is_told() -> None:
    from outflank.kernels.cuda import card_name

    name, problem = card_name()
    assert bool(name) != bool(problem)
    if problem:
        assert issubclass(OutflankError, ValueError) and "\n" not in problem
