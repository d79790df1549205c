"""From files of games to a file of weights: read, hold some games out, fit, say how good the result is.

The weights come with a card: which files by their digest and who played in them, how the weights were fitted and from
which weights before, and the error on games that were held out. Whoever goes on from weights takes their card along.
"""

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Rules
from outflank.errors import BadSpec
from outflank.inputs import expect, open_file, shown
from outflank.learn.games import Positions, positions_in
from outflank.learn.regression import Floats, Pass, counts, errors, fit
from outflank.learn.selfplay import read_card
from outflank.patterns import MOST_PHASES, PatternWeights, pattern_set, quantised
from outflank.progress import Progress

PHASES = {6: 16, 8: 20, 10: 16}
"""The usual number of phases, by size of the board."""
_ENOUGH = 50
"""Held-out positions from which on an error is told."""
_MOST_STEPS = 100
"""Of how many trainings a card tells, the last ones."""
_PIECE = 1 << 20


@dataclass(frozen=True)
class Method:
    """How weights are fitted.

    >>> Method(passes=0)
    Traceback (most recent call last):
    outflank.errors.BadSpec: passes=0 is not possible; expected 1 to 1000
    """

    prior: float = 30.0
    """How many positions each weight of before is worth: a weight that is seen less often hardly changes."""
    passes: int = 12
    held_out: float = 0.05
    """Share of the games that the fit does not see."""
    phases: int | None = None
    """None for the usual number: two or three discs a phase."""
    threads: int = 1

    def __post_init__(self) -> None:
        expect(float, prior=self.prior, held_out=self.held_out)
        expect(int, passes=self.passes, threads=self.threads)
        bounds = {"prior": (0.001, 1e9), "passes": (1, 1000), "held_out": (0.001, 0.5), "threads": (1, 1024)}
        for name, (least, most) in bounds.items():
            if not least <= getattr(self, name) <= most:
                raise BadSpec(f"{name}={shown(getattr(self, name))} is not possible; expected {least:g} to {most:g}")
        if self.phases is not None and not 1 <= self.phases <= MOST_PHASES:
            raise BadSpec(f"phases={shown(self.phases)} is not possible; expected 1 to {MOST_PHASES}")


@dataclass(frozen=True)
class Error:
    """The root of the mean squared error on held-out positions with so many empty squares, in discs."""

    empties: int
    positions: int
    before: float
    after: float


@dataclass(frozen=True)
class Training:
    """Weights, and how they came about."""

    weights: PatternWeights
    before: PatternWeights | None
    """What they were fitted from; None for nothing, where every weight was 0."""
    games: int
    positions: int
    held_out: int
    """Positions that the fit did not see."""
    seconds: float
    curve: tuple[tuple[int, float, float], ...]
    """(passes, error on as many positions that were fitted, error on held-out ones)."""
    errors: tuple[Error, ...]
    seen: npt.NDArray[np.int64] = field(repr=False)
    """[phases, weights]: in how many of the fitted positions each weight was asked for."""


def train(
    rules: Rules,
    files: Sequence[Path],
    before: PatternWeights | None = None,
    method: Method | None = None,
    progress: Progress | None = None,
) -> Training:
    """Weights that foretell the results of the games of these files, held to those of `before`."""
    how, told, began = method or Method(), progress or Progress(), time.perf_counter()
    start = _start(rules, before, how.phases)
    fitted, held, games = read_split(rules, files, how.held_out, told)
    sample = fitted.where(np.arange(len(fitted)) % max(1, len(fitted) // len(held)) == 0)
    curve = [(0, _mean(errors(sample, start)), _mean(errors(held, start)))]
    told.say("")
    told.plan(how.passes, unit="passes")

    def on_pass(reached: Pass) -> None:
        curve.append((reached.done, _mean(errors(sample, reached.weights)), _mean(errors(held, reached.weights))))
        told.advance()

    found = fit(fitted, start, how.prior, how.passes, on_pass, how.threads)
    values = quantised(found)
    by_empties = _by_empties(held, start, PatternWeights(rules, values, {}).in_discs)
    seconds = time.perf_counter() - began
    made = {
        "games": games,
        "positions": len(fitted),
        "seconds": round(seconds, 1),
        "error on held-out games": round(curve[-1][2], 3),
    }
    card = _card(rules, files, before, how, by_empties, made, len(values))
    weights = PatternWeights(rules, values, card)
    return Training(
        weights, before, games, len(fitted), len(held), seconds, tuple(curve), by_empties, counts(fitted, len(values))
    )


def read_split(
    rules: Rules, files: Sequence[Path], share: float, progress: Progress
) -> tuple[Positions, Positions, int]:
    """(positions to fit, positions of held-out games, number of different games) of files."""
    seen: set[int] = set()
    parts: tuple[list[Positions], list[Positions]] = ([], [])
    for path in files:
        for found in positions_in(path, rules, seen):
            progress.say(f"reading games, {len(seen):,} so far")
            # Every so manyth game: the same ones are held out when files are added.
            held = np.floor((found.games + 1) * share) > np.floor(found.games * share)
            for part, chosen in zip(parts, (~held, held), strict=True):
                part.append(found.where(chosen))
    fitted, held_out = (Positions.joined(part) if part else None for part in parts)
    if not fitted or not held_out:
        raise BadSpec(f"{len(seen):,} different games are too few to learn from; expected {int(2 / share):,} or more")
    return fitted, held_out, len(seen)


def _start(rules: Rules, before: PatternWeights | None, phases: int | None) -> Floats:
    """The weights to begin with, in discs."""
    if before is None:
        return np.zeros((phases or PHASES.get(rules.size, 1), pattern_set(rules.size).weights), np.float32)
    if before.rules != rules:
        raise BadSpec(f"the weights to begin with are for {before.rules}; expected weights for {rules}")
    if phases not in (None, len(before.values)):
        raise BadSpec(f"phases={phases} is not possible: the weights to begin with have {len(before.values)}")
    return before.in_discs


def _mean(error: Floats) -> float:
    return float(np.sqrt(np.mean(error.astype(np.float64) ** 2)))


def _by_empties(held: Positions, before: Floats, after: Floats) -> tuple[Error, ...]:
    empties, wrong = held.empties, (errors(held, before), errors(held, after))
    found = []
    for number in np.unique(empties).tolist():
        chosen = empties == number
        if chosen.sum() >= _ENOUGH:
            found.append(Error(number, int(chosen.sum()), *(_mean(error[chosen]) for error in wrong)))
    return tuple(found)


# --- the card ------------------------------------------------------------------------------------------------------


def _card(
    rules: Rules,
    files: Sequence[Path],
    before: PatternWeights | None,
    how: Method,
    by_empties: Sequence[Error],
    made: Mapping[str, Any],
    phases: int,
) -> dict[str, Any]:
    patterns, length = pattern_set(rules.size), PatternWeights(rules, np.zeros((phases, 0), np.int16), {}).phase_length
    step = {
        "by": "outflank learn patterns",
        **made,
        "prior": how.prior,
        "passes": how.passes,
        "held out": how.held_out,
        "files": [{"name": path.name, "digest": digest_of(path), **read_card(path)} for path in files],
    }
    told = {str(error.empties): round(error.after, 2) for error in by_empties}
    return {
        "rules": str(rules),
        "patterns": f"{len(patterns.instances)} of {len(patterns.kinds)} kinds, {phases} phases of {length} discs, and "
        "the move by number of discs",
        "made": [*(before.card.get("made", []) if before else []), step][-_MOST_STEPS:],
        "error": {"unit": "root mean square, discs, by empty squares, on held-out games", "values": told},
    }


def digest_of(path: Path) -> str:
    """A hash of a file of games."""
    digest = hashlib.blake2b(digest_size=8)
    with open_file(path) as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
