"""Weights of the opening, fitted to searches that look past it.

Games of self-play begin alike or with random moves, so that the first phases see few results that mean anything, and
what was fitted to them is noise. Here positions of random openings are labelled with the value of a search that ends
beyond the opening, where weights are good, and the phases of the opening are fitted to these labels from nothing.
"""

import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from outflank.board import Position, Rules
from outflank.errors import BadSpec
from outflank.inputs import shown
from outflank.learn.games import Positions
from outflank.learn.regression import errors, fit
from outflank.patterns import FIRST_DISCS, PatternWeights, quantised, read_usual_weights, shipped_weights
from outflank.progress import Progress
from outflank.search.engine import EngineSearch
from outflank.search.limits import Limits

MOST_GAMES = 10**6
_HELD_OUT = 20
"""Every so manyth game is held out."""


@dataclass(frozen=True)
class Opening:
    """Weights with new phases of the opening, and how far they err about searches of held-out positions."""

    weights: PatternWeights
    positions: int
    before: float
    after: float


def fit_opening(
    rules: Rules,
    discs: int,
    games: int,
    depth: int,
    prior: float,
    seed: int,
    progress: Progress,
    start: str = "",
) -> Opening:
    """The weights of a file, or of the package, with the phases that end at so many discs fitted to searches of this
    depth, which use those weights."""
    before = read_usual_weights(Path(start), rules) if start else shipped_weights(rules)
    phases = (discs + 1 - FIRST_DISCS) // before.phase_length
    if not 1 <= phases < len(before.values) or not 1 <= games <= MOST_GAMES or not 1 <= depth <= 30:
        given = f"{shown(discs)} discs, {shown(games)} games, depth {shown(depth)}"
        raise BadSpec(f"{given} are not possible; expected a phase of discs at least, 1 to 10^6 games, depth 1 to 30")
    plies = phases * before.phase_length - 1
    engine = EngineSearch(memory=1, weights=start)
    fitted, held = _labelled(engine, rules, plies, games, depth, random.Random(seed), progress)
    without = np.concatenate([np.zeros_like(before.in_discs[:phases]), before.in_discs[phases:]])
    values = quantised(fit(fitted, without, prior))
    step = {"by": "outflank learn opening", "up to discs": discs, "random games": games, "depth": depth}
    step |= {"prior": prior, "seed": seed, "positions": len(fitted)}
    card = {**before.card, "made": [*before.card.get("made", []), step]}
    weights = PatternWeights(rules, values, card)
    wrong = (float(np.sqrt(np.mean(errors(held, one.in_discs) ** 2))) for one in (before, weights))
    return Opening(weights, len(fitted), *wrong)


def _labelled(
    engine: EngineSearch, rules: Rules, plies: int, games: int, depth: int, rng: random.Random, progress: Progress
) -> tuple[Positions, Positions]:
    """(positions to fit, held-out ones) of random games, with the values of searches for their sides to move."""
    values = dict[Position, float]()
    own, other, labels, numbers = [], [], [], []
    progress.plan(games)
    for game in range(games):
        position = Position.start(rules)
        for _ in range(plies + 1):
            if len(position.moves) < 2:
                break
            key = position.canonical()
            if key not in values:
                engine.new_game()
                values[key] = float(engine.choose(key, Limits(depth=depth), 0).value or 0)
            me, opp, _ = position.boards
            own.append(me)
            other.append(opp)
            labels.append(values[key])
            numbers.append(game)
            position = position.play(rng.choice(position.moves))
        progress.advance()
    mine, theirs = (np.array(boards, np.uint64).reshape(-1, rules.words) for boards in (own, other))
    found = Positions(rules, mine, theirs, np.array(labels, np.float32), np.array(numbers, np.int32))
    is_held = found.games % _HELD_OUT == 0
    return found.where(~is_held), found.where(is_held)
