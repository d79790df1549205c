"""Fitting ProbCut: how far shallow searches err about deep ones, measured on positions of games.

Every position is searched without cuts to every depth up to `deepest`, and to the end of the game where that is near.
The differences are taken as normal errors with mean 0, and the logarithm of their standard deviation as linear in
depth, probe and empties: a generalised linear model (gamma, logarithmic link) of the squared errors, fitted by
iterated least squares.
"""

import math
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from outflank.board import Position, Rules
from outflank.errors import BadSpec
from outflank.inputs import shown
from outflank.kernels.evaluate import evaluation_of
from outflank.kernels.patterns import UNIT
from outflank.kernels.selective import CERTAIN
from outflank.learn.games import game_lines
from outflank.patterns import shipped_weights
from outflank.progress import Progress
from outflank.search.engine import EngineSearch
from outflank.search.limits import Limits
from outflank.search.probcut import DEVIATIONS, ProbCut

MOST_EMPTIES_SOLVED = 20
"""Empties up to which positions are solved."""

_ROUNDS, _OUTLIER = 200, 30.0


@dataclass(frozen=True)
class Searched:
    """The values of a position by depth, for its side to move, and its score where it was solved."""

    empties: int
    values: tuple[int, ...]
    """Of depth 0, which is the evaluation alone, 1, 2, and so on."""
    score: int | None


def tree_position(line: Sequence[str], start: Position, rng: random.Random) -> Position | None:
    """A position as a search meets it: somewhere in a game, and up to three random moves beyond; None if it is over."""
    position = start
    for move in line[: rng.randrange(len(line))]:
        if position.must_pass:
            position = position.play(position.rules.pass_move)
        position = position.play(move)
    for _ in range(rng.randrange(4)):
        if position.is_over:
            break
        position = position.play(rng.choice(position.moves))
    return position if position.moves_mask else None


def searched(position: Position, engine: EngineSearch, deepest: int) -> Searched:
    """A position searched without cuts."""
    engine.new_game()
    depth = min(deepest, position.empties - 1)
    thoughts = engine.think(position, Limits(depth=depth), 0) if depth > 0 else iter(())
    values = (_evaluation(position), *(int(decision.value or 0) for decision in thoughts))
    score = None
    if position.empties <= MOST_EMPTIES_SOLVED:
        score = int(engine.choose(position, Limits(), 0).value or 0)
    return Searched(position.empties, values, score)


def _evaluation(position: Position) -> int:
    """The evaluation in whole discs."""
    return round(evaluation_of(*position.boards, shipped_weights(position.rules).build(), None) / UNIT)


def certain_engine() -> EngineSearch:
    """An engine that cuts nothing.

    >>> certain_engine().confidence == CERTAIN
    True
    """
    return EngineSearch(memory=32, confidence=CERTAIN)


def collect(
    positions: Iterator[Position], count: int, deepest: int = 9, on_done: Callable[[int], None] = lambda done: None
) -> list[Searched]:
    """So many positions, searched."""
    engine = certain_engine()
    found: list[Searched] = []
    for position in positions:
        found.append(searched(position, engine, deepest))
        on_done(len(found))
        if len(found) == count:
            break
    return found


def _differences(rows: Sequence[Searched]) -> Iterator[tuple[tuple[float, ...], int]]:
    """(what the error depends on, error) of all probes of about half the depth or more that end with the same side."""
    for row in rows:
        for depth in range(2, len(row.values)):
            for probe in range(depth % 2, depth, 2):
                if probe >= depth // 2 - 2:
                    yield (1, depth, probe, row.empties), row.values[depth] - row.values[probe]


def _end_differences(rows: Sequence[Searched]) -> Iterator[tuple[tuple[float, ...], int]]:
    for row in rows:
        if row.score is not None:
            for probe, value in enumerate(row.values):
                yield (1, probe, row.empties), row.score - value


def log_linear_deviation(terms: npt.NDArray[np.float64], errors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The coefficients with which exp(terms @ coefficients) is the standard deviation of errors of mean 0.

    >>> rng = np.random.default_rng(1)
    >>> terms = np.column_stack([np.ones(20_000), rng.uniform(0, 4, 20_000)])
    >>> errors = rng.normal(0, np.exp(terms @ [1.0, -0.5]))
    >>> bool(np.all(abs(log_linear_deviation(terms, errors) - [1.0, -0.5]) < 0.02))
    True
    """
    squares = np.maximum(errors**2, 0.02)
    found = np.zeros(terms.shape[1])
    found[0] = np.log(squares.mean()) / 2
    for _ in range(_ROUNDS):
        excess = np.minimum(squares / np.exp(2 * terms @ found), _OUTLIER) - 1
        step = np.linalg.lstsq(terms, excess, rcond=None)[0] / 2
        found += np.clip(step, -0.5, 0.5)
        if np.abs(step).max() < 1e-7:
            break
    return found


def fit_probcut(rows: Sequence[Searched]) -> ProbCut:
    """The model of these searches; an error about the end never falls with the empties, where few data are."""
    leaves, end = (
        log_linear_deviation(*map(np.array, zip(*[(t, float(e)) for t, e in pairs], strict=True)))
        for pairs in (_differences(rows), _end_differences(rows))
    )
    if end[2] < 0:
        pairs = [((t[0], t[1]), float(e)) for t, e in _end_differences(rows)]
        end = np.array([*log_linear_deviation(*map(np.array, zip(*pairs, strict=True))), 0.0])
    a, b, c, d, e, f, g = (round(float(number), 4) for number in (*leaves, *end))
    return ProbCut((a, b, c, d), (e, f, g))


def within(rows: Sequence[Searched], model: ProbCut, deviations: float) -> tuple[float, float]:
    """The shares of errors within so many deviations, before leaves and about the end: what a confidence promises."""
    leaves = [abs(e) <= deviations * model.deviation(int(t[1]), int(t[2]), int(t[3])) for t, e in _differences(rows)]
    end = [abs(e) <= deviations * model.end_deviation(int(t[1]), int(t[2])) for t, e in _end_differences(rows)]
    return float(np.mean(leaves)), float(np.mean(end))


@dataclass(frozen=True)
class Held:
    """How often errors that were not fitted stay within so many deviations."""

    deviations: float
    shares: tuple[float, float, float]
    """Of normal errors, of those about leaves, of those about the end."""


@dataclass(frozen=True)
class Found:
    """A model, and how it holds on positions that it was not fitted to."""

    model: ProbCut
    fitted: int
    held_out: int
    held: tuple[Held, ...]


def learn_probcut(file: Path, rules: Rules, positions: int, deepest: int, seed: int, progress: Progress) -> Found:
    """Fits two thirds of the positions drawn from a file of games, and tries the rest."""
    if not 30 <= positions <= 10**7 or not 3 <= deepest <= 20:
        given = f"{shown(positions)} positions, {shown(deepest)} moves"
        raise BadSpec(f"{given} are not possible; expected 30 positions or more, searched 3 to 20 moves deep")
    rng = random.Random(seed)
    lines = [re.findall(r"[a-z]\d+", line.split()[-1]) for line in game_lines(file)]
    if not lines:
        raise BadSpec(f"{file} has no games; expected a file of outflank selfplay")
    start = Position.start(rules)
    drawn = (tree_position(rng.choice(lines), start, rng) for _ in range(100 * positions))
    progress.plan(positions, unit="positions")
    rows = collect((position for position in drawn if position), positions, deepest, lambda _: progress.advance())
    fitted, held_out = rows[: 2 * len(rows) // 3], rows[2 * len(rows) // 3 :]
    model = fit_probcut(fitted)
    held = [Held(t, (math.erf(t / math.sqrt(2)), *within(held_out, model, t))) for t in DEVIATIONS[:-1]]
    return Found(model, len(fitted), len(held_out), tuple(held))
