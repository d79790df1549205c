"""Pattern weights by least squares: the weights that foretell results best, held to earlier weights where data is thin.

Minimised is the sum of squared errors plus `prior` times the squared distance to the weights before. Phases have
nothing in common, so each is a linear problem of its own with 200,000 unknowns, and conjugate gradients on its normal
equations, scaled by how often each weight is seen, need about ten passes over its positions, without a learning rate to
choose. (Gradient descent with the same scaling diverged at a rate of 0.05.)

A position takes 24 bytes, and 0.2 microseconds a pass on one core of an AMD EPYC. Threads share the phases; the weights
do not depend on how many there are.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank.kernels import learning as kernel
from outflank.learn.games import Positions
from outflank.patterns import PatternWeights, pattern_set

Floats = npt.NDArray[np.float32]
Vector = npt.NDArray[np.float64]


class _Phase:
    """The problem of one phase, and how far its conjugate gradients have come.

    A pattern and its mirrored twin have one unknown, at the lower of their places; at the other everything is 0.
    """

    def __init__(self, positions: Positions, start: Floats, prior: float) -> None:
        patterns = pattern_set(positions.rules.size)
        self.positions, self.start, self.prior = positions, start, prior
        self.canonical = patterns.canonical
        self.places = np.zeros(len(patterns.instances), np.int32)
        self.built = PatternWeights(positions.rules, np.zeros((1, patterns.weights), np.int16), {}).build()
        self.change = np.zeros(len(start))

    def begin(self) -> None:
        """The first gradient, and how often each weight is seen."""
        labels = self.positions.labels
        self.gradient = self._sums(labels, self.start)
        self.scale = self.seen() + self.prior
        scaled = self.gradient / self.scale
        self.direction, self.size = scaled, float(self.gradient @ scaled)
        self.nothing = np.zeros_like(labels)

    def seen(self) -> Vector:
        """How many positions ask for each weight."""
        return self._sums(np.ones_like(self.positions.labels), np.zeros_like(self.start))

    def step(self) -> None:
        """One pass."""
        image = self.prior * self.direction - self._sums(self.nothing, self.direction)
        length = self.size / max(float(self.direction @ image), 1e-9)
        self.change += length * self.direction
        self.gradient -= length * image
        scaled = self.gradient / self.scale
        before, self.size = self.size, float(self.gradient @ scaled)
        self.direction = scaled + self.size / max(before, 1e-9) * self.direction

    def _sums(self, labels: Floats, weights: Floats | Vector) -> Vector:
        """Over all positions, at every place they ask for: the label less what the weights foretell."""
        sums, own, other = np.zeros(len(self.start)), self.positions.own, self.positions.other
        full, everywhere = self.positions.rules.full_board, weights[self.canonical].astype(np.float32)
        kernel.project(own, other, full, self.built, everywhere, labels, self.places, sums)
        return np.asarray(np.bincount(self.canonical, sums, len(sums)), np.float64)

    @property
    def weights(self) -> Floats:
        """In discs."""
        return (self.start + self.change)[self.canonical].astype(np.float32)


@dataclass(frozen=True)
class Pass:
    """How far a regression has come."""

    done: int
    weights: Floats
    """[phases, weights] in discs."""


def fit(
    positions: Positions,
    start: Floats,
    prior: float = 100.0,
    passes: int = 12,
    on_pass: Callable[[Pass], None] = lambda reached: None,
    threads: int = 1,
) -> Floats:
    """Weights in discs, [phases, weights], that foretell the labels, held to `start` as by `prior` positions each."""
    numbers = phases_of(positions, len(start))
    problems = [_Phase(positions.where(numbers == i), start[i], prior) for i in range(len(start))]
    pool = ThreadPoolExecutor(threads)
    try:
        list(pool.map(_Phase.begin, problems))
        for done in range(1, passes + 1):
            list(pool.map(_Phase.step, problems))
            on_pass(Pass(done, np.array([problem.weights for problem in problems])))
    finally:
        pool.shutdown(cancel_futures=True)  # Ctrl-C waits for no phase but those in hand
    return np.array([problem.weights for problem in problems])


def phases_of(positions: Positions, phases: int) -> npt.NDArray[np.int64]:
    """The phase of every position where there are so many, as `kernels.patterns.phase_of` counts them."""
    length = PatternWeights(positions.rules, np.zeros((phases, 0), np.int16), {}).phase_length
    discs = positions.rules.cells - positions.empties
    numbers: npt.NDArray[np.int64] = np.minimum(np.maximum(discs - 4, 0) // length, phases - 1)
    return numbers


def counts(positions: Positions, phases: int) -> npt.NDArray[np.int64]:
    """[phases, weights]: how many of the positions ask for each weight; of mirrored twins the lower has the count."""
    numbers, nothing = phases_of(positions, phases), np.zeros(pattern_set(positions.rules.size).weights, np.float32)
    problems = (_Phase(positions.where(numbers == i), nothing, 0) for i in range(phases))
    return np.array([problem.seen() for problem in problems], np.int64)


def errors(positions: Positions, weights: Floats) -> Floats:
    """Label minus prediction of every position, in discs."""
    patterns = pattern_set(positions.rules.size)
    built = PatternWeights(positions.rules, np.zeros((len(weights), patterns.weights), np.int16), {}).build()
    values, places = np.zeros(len(positions), np.float32), np.zeros(len(patterns.instances), np.int32)
    full = positions.rules.full_board
    kernel.predict(positions.own, positions.other, full, built, weights, places, values)
    return positions.labels - values
