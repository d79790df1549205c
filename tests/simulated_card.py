"""Runs what `tests/test_cuda.py` compares, on numba's simulated card, into the file that is named.

A process of its own, because numba chooses between card and simulator when it is imported.
"""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from outflank.agents import agent
from outflank.board import Position, Rules
from outflank.devices import CardGames
from outflank.kernels.lanes import Kept
from outflank.learn import cuda as learn
from outflank.patterns import PatternWeights, pattern_set
from outflank.progress import Progress

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
        decision = agent(FLAT.replace(")", ", device=gpu)")).choose(Position.start(rules), seed=3)
        found[f"flat {rules}"] = np.array([root.win_rate for root in decision.moves] + [decision.nodes, decision.move])
    return found


def main(out: Path) -> None:
    found: dict[str, Any] = _random_games()
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
