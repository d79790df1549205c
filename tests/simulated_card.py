"""Runs what `tests/test_cuda.py` compares, on numba's simulated card, into the file that is named.

A process of its own, because numba chooses between card and simulator when it is imported.
"""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outflank.agents import Agent, agent
from outflank.batch import Games
from outflank.batch.gpu import GpuGames, GpuPatterns
from outflank.board import Position, Rules
from outflank.devices import CardGames
from outflank.errors import OutflankError
from outflank.kernels.lanes import Kept
from outflank.learn import cuda as learn
from outflank.patterns import PatternWeights, pattern_set
from outflank.progress import Progress
from outflank.search.decision import Decision
from outflank.search.limits import Limits
from outflank.search.uct import UctSearch
from outflank.search.uct_batches import BatchedUct

PLANS = {
    "six": learn.Plan(Rules(6), games=6, plies=2, exact=5, every=3, random_moves=26, phases=3, seed=5),
    "reversed six": learn.Plan(Rules(6, "reversed"), games=3, plies=2, exact=3, every=2, random_moves=26, phases=3),
    "eight": learn.Plan(Rules(8), games=2, plies=1, exact=4, every=5, random_moves=50, phases=3),
    "ten": learn.Plan(Rules(10), games=1, plies=1, exact=2, every=7, random_moves=92, phases=2, seed=8),
}
TRAINING = learn.Plan(
    Rules(6), rounds=3, games=6, last=2, passes=1, last_passes=1, plies=1, exact=2, every=3, random_moves=20, phases=1
)
RANDOM_GAMES = {4: 70, 6: 33, 8: 32, 10: 2}
"""Random games by size: whole groups of 32 and parts of one, from a position with a pass ahead."""
FLAT = "montecarlo(playouts=40)"
POLICIES = (
    "heuristic",
    "own_heuristic",
    "epsilon(0.3)",
    "weighted",
    "cutoff(depth=3)",
    "cutoff(depth=2, eval=patterns)",
)
BATCHED = (
    "uct(leaf_playouts=32, playouts=2080, memory=1)",
    "uct(leaf_playouts=8, playouts=160, memory=1, playout=own_heuristic, expand=all)",
    "uct(leaf_playouts=8, playouts=400, memory=1, playout=cutoff(depth=2))",
    "uct(leaf_playouts=8, nodes=300, memory=1, backup=black, reuse=true)",
)
ARRAYS = ("own", "opposing", "turn", "planes", "legal", "done", "rewards", "scores", "plies", "numbers")


class Killed(Exception):
    """In place of a signal."""


class DiesAfterRound(Progress):
    def advance(self) -> None:
        raise Killed


def some_weights(plan: learn.Plan) -> PatternWeights:
    """Random weights: they tell any two positions apart."""
    patterns = pattern_set(plan.rules.size)
    values = np.random.default_rng(1).integers(-500, 500, (plan.phases or 1, patterns.weights)).astype(np.int16)
    return PatternWeights(plan.rules, values[:, patterns.canonical], {})


def _games(plan: learn.Plan) -> tuple[learn._Run, Kept]:
    state = learn.State.begin(plan)
    state.weights = some_weights(plan).in_discs
    run = learn._Run(state)
    return run, run.play(plan.games, 17)


def _sums(run: learn._Run, kept: Kept) -> dict[str, Any]:
    """What one pass over the games adds up, before any step: the places that are not 0, and their sums."""
    run.step_kernel = {key: lambda *arguments: None for key in [(run.card.busy_blocks(run.sums.size), run.card.BLOCK)]}
    errors = run.fit(kept, 0.0, 1000, 0.0)
    sums = run.sums.copy_to_host()
    where = np.nonzero(sums)
    return {"where": np.array(where), "sums": sums[where], "errors": errors}


def random_position(size: int) -> Position:
    """A few moves from the start."""
    position = Position.start(Rules(size))
    for number in range(5):
        position = position.play(position.moves[number % len(position.moves)])
    return position


def _random_games() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for size, games in RANDOM_GAMES.items():
        position, card = random_position(size), CardGames(Rules(size))
        me, opp, _ = position.boards
        found[f"differences {size}"] = card.differences(position, games, seed=7, first=100)
        found[f"totals {size}"] = card.totals([me, me], [opp, opp], [7, 8], [100, 5], games)
    for rules in ("standard 4x4", "reversed 4x4"):
        found[f"flat {rules}"] = facts_of(on(FLAT, "gpu").choose(Position.start(rules), seed=3))
    return found


def on(text: str, device: str) -> Agent:
    """The agent with its playouts there."""
    return agent(f"{text[:-1]}, device={device})")


def facts_of(decision: Decision) -> Any:
    """What an agent thinks of every move, in numbers."""
    shares = [root.win_rate or 0.0 for root in decision.moves]
    return np.array([*shares, *(root.visits for root in decision.moves), decision.nodes, decision.move, *decision.pv])


def playouts_by(policy: str) -> str:
    """An agent of few playouts, and a board that has what they need."""
    return f"montecarlo(playouts=3, playout={policy})"


def late_position(policy: str) -> Position:
    """Patterns are not for 4x4; few squares are left."""
    if "patterns" not in policy:
        return Position.start("reversed 4x4")
    position = Position.start("standard 6x6")
    while position.empties > 12:
        position = position.play(position.moves[0] if position.moves else "pass")
    return position


def _policies_and_trees() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for policy in POLICIES:
        found[policy] = facts_of(on(playouts_by(policy), "gpu").choose(late_position(policy), seed=5))
    start = Position.start("standard 4x4")
    for text in BATCHED:
        for device in ("gpu", "cpu"):
            player = on(text, device)
            decision = player.choose(start, seed=9)
            answered = start.play(decision.move).play(start.play(decision.move).moves[0])
            later = player.choose(answered, seed=10) if "reuse" in text else decision
            found[f"{device} {text}"] = np.array([*facts_of(decision), *facts_of(later)])
    one_by_one = BatchedUct("cpu", leaves=1, under_way=1, leaf_playouts=16, memory=1)
    usual = UctSearch(leaf_playouts=16, memory=1)
    for name, search in (("one by one", one_by_one), ("usual", usual)):
        found[name] = facts_of(search.choose(start, Limits(playouts=800), seed=5))
    return found


def _arrays() -> dict[str, Any]:
    """Games side by side on the card, after some steps; and whether others read the same memory."""
    games = GpuGames(5, "standard 4x4", seed=2, first=7)
    planes, before = np.from_dlpack(games.planes), games.planes.numpy()
    drawn = []
    for _ in range(25):
        actions = games.random_actions()
        drawn.append(actions.numpy())
        games.step(actions)
    assert np.array_equal(planes, games.planes.numpy()) and not np.array_equal(planes, before)
    assert games.position(3) == Games(1, games.position(3)).position(0)
    found = {f"array {name}": getattr(games, name).numpy() for name in ARRAYS} | {"drawn": np.array(drawn)}
    for wrong, told in (([0] * 5, "cannot play"), ([1.5] * 5, "float64"), ([1], "shape")):
        with pytest.raises(OutflankError, match=told):
            games.step(wrong)
    games.reset(which=[True] * 5)
    assert games.plies.numpy().tolist() == [0] * 5 and np.array(games.turn).tolist() == [0] * 5
    boards = Games(6, "standard 6x6", seed=4)
    boards.step(boards.random_actions())
    return found | {"values": GpuPatterns("standard 6x6").values(boards.own, boards.opposing).numpy()}


def main(out: Path) -> None:
    found: dict[str, Any] = _random_games() | _policies_and_trees() | _arrays()
    for name, plan in PLANS.items():
        run, kept = _games(plan)
        arrays: dict[str, Any] = kept._asdict()
        found |= {f"{name} {field}": array.copy_to_host() for field, array in arrays.items()}
        found |= {f"{name} {field}": array for field, array in _sums(run, kept).items()}
    *_, state = learn.train_rounds(learn.State.begin(TRAINING))
    found["trained"] = state.weights
    weights_file = out.with_name("weights.npz")
    with suppress(Killed):
        learn.train(TRAINING, weights_file, DiesAfterRound())
    assert not weights_file.exists()
    learn.train(TRAINING, weights_file)
    np.savez(out, **found)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
