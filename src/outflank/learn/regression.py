"""Pattern weights by least squares: the weights that foretell results best, held to earlier weights where data is thin.

Minimised is the sum of squared errors plus `prior` times the squared distance to the weights before, phase by phase.
That is a linear problem with 200,000 unknowns a phase, and conjugate gradients on its normal equations, scaled by how
often each weight is seen, need about ten passes over the positions, without a learning rate to choose. Five million
positions take 3 seconds a pass on one core. (Gradient descent with the same scaling diverged at a rate of 0.05.)
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank.kernels import learning as kernel
from outflank.learn.games import Positions
from outflank.patterns import PatternSet, PatternWeights, pattern_set

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class _Problem:
    """Positions as places in the table of weights."""

    places: npt.NDArray[np.int32]
    phases: npt.NDArray[np.int32]
    labels: Floats
    shape: tuple[int, int]

    def forward(self, weights: Floats) -> Floats:
        values = np.zeros(len(self.labels), np.float32)
        kernel.predict(self.places, self.phases, weights, values)
        return values

    def backward(self, values: Floats) -> Floats:
        sums = np.zeros(self.shape, np.float32)
        kernel.collect(self.places, self.phases, values, sums)
        return sums


def _problem(positions: Positions, patterns: PatternSet, phases: int) -> _Problem:
    """Of a pattern and its mirrored twin one place serves both."""
    empty = PatternWeights(positions.rules, np.zeros((phases, patterns.weights), np.int16), {}).build()
    places = np.zeros((len(positions), len(patterns.instances) + 1), np.int32)
    numbers = np.zeros(len(positions), np.int32)
    full = positions.rules.board(positions.rules.full)
    kernel.places_of(positions.own, positions.other, full, empty, places, numbers)
    return _Problem(patterns.canonical[places], numbers, positions.labels, (phases, patterns.weights))


def fit(
    positions: Positions,
    start: Floats,
    prior: float = 100.0,
    passes: int = 12,
    on_pass: Callable[[int], None] = lambda done: None,
) -> Floats:
    """Weights in discs, [phases, weights], that foretell the labels, held to `start` as by `prior` positions each."""
    patterns = pattern_set(positions.rules.size)
    problem = _problem(positions, patterns, len(start))
    gradient = problem.backward(problem.labels - problem.forward(start))
    seen = problem.backward(np.ones(len(positions), np.float32))
    change = np.zeros_like(start)
    for done, step in enumerate(_conjugate(problem, gradient, seen + np.float32(prior), prior, passes), start=1):
        change += step
        on_pass(done)
    return (start + change)[:, patterns.canonical]


def _conjugate(problem: _Problem, gradient: Floats, scale: Floats, prior: float, passes: int) -> Iterator[Floats]:
    """The steps of preconditioned conjugate gradients; phases have nothing in common but the passes."""
    scaled = gradient / scale
    direction, size = scaled.copy(), _dot(gradient, scaled)
    for _ in range(passes):
        image = problem.backward(problem.forward(direction)) + np.float32(prior) * direction
        length = (size / np.maximum(_dot(direction, image), 1e-9)).astype(np.float32)[:, None]
        yield length * direction
        gradient -= length * image
        scaled = gradient / scale
        before, size = size, _dot(gradient, scaled)
        direction = scaled + (size / np.maximum(before, 1e-9)).astype(np.float32)[:, None] * direction


def _dot(a: Floats, b: Floats) -> npt.NDArray[np.float64]:
    """The product of every phase, summed in double precision."""
    products: npt.NDArray[np.float64] = np.einsum("ij,ij->i", a, b, dtype=np.float64)
    return products


def errors(positions: Positions, weights: Floats) -> npt.NDArray[np.float32]:
    """Label minus prediction of every position, in discs."""
    problem = _problem(positions, pattern_set(positions.rules.size), len(weights))
    return positions.labels - problem.forward(weights)
