"""The fit: Newton's method on Bradley & Terry's likelihood, which is concave.

P(black beats white) = 1/(1 + exp(-(θ_black - θ_white + h))), and a draw is half a win for each (Bradley & Terry 1952;
h, the advantage of the first move, Davidson & Beaver 1977).
"""

from typing import NamedTuple

import numpy as np

from outflank.arena.ratings.counts import Floats, Ints, Sums


class Fit(NamedTuple):
    """The maximum of the likelihood. Vectors hold θ of every player, then h (0 if it was not fitted)."""

    values: Floats
    chances: Floats
    """(pairings, 2): expected points per game of the first player with black and with white."""
    covariance: Floats
    """H⁻¹, H being minus the second derivative of the log-likelihood, where the mean of every group is fixed."""
    colour: Floats
    """What h counts in the two columns: (1, -1), or (0, 0) if it is not fitted."""


def fit_strengths(sums: Sums, group: Ints, advantage: bool, start: Floats | None = None) -> Fit:
    """Newton's method with halved steps where a full one would make the games less likely."""
    n = len(group)
    colour = np.array([1.0, -1.0]) if advantage else np.zeros(2)
    fixed = _fixed_directions(group, advantage)
    values = np.zeros(n + 1) if start is None else start.copy()
    likelihood = _log_likelihood(sums, values, colour)
    for _ in range(100):
        chances = _chances(sums, values, colour)
        excess = sums.points - sums.games * chances
        gradient = _added_up(sums, n, excess.sum(axis=1), excess @ colour)
        information = _information(sums, n, chances, colour)
        step = np.linalg.solve(information + fixed, gradient)
        length = 1.0
        while (new := _log_likelihood(sums, values + length * step, colour)) < likelihood - 1e-9 and length > 1e-6:
            length /= 2
        values, likelihood = values + length * step, new
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    return Fit(values, chances, np.linalg.inv(information + fixed) - fixed, colour)


def _fixed_directions(group: Ints, advantage: bool) -> Floats:
    """The projector on what games cannot tell: the mean of every group, and h when it is not fitted."""
    n = len(group)
    fixed = np.zeros((n + 1, n + 1))
    fixed[:n, :n] = (group[:, None] == group) / np.bincount(group, minlength=1)[group]
    fixed[n, n] = not advantage
    return fixed


def _differences(sums: Sums, values: Floats, colour: Floats) -> Floats:
    return np.asarray((values[sums.first] - values[sums.second])[:, None] + colour * values[-1])


def _chances(sums: Sums, values: Floats, colour: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * _differences(sums, values, colour))))


def _log_likelihood(sums: Sums, values: Floats, colour: Floats) -> float:
    differences = _differences(sums, values, colour)
    return float((sums.points * differences - sums.games * np.logaddexp(0, differences)).sum())


def _added_up(sums: Sums, n: int, strength: Floats, colour: Floats) -> Floats:
    """A vector from what each pairing says of θ_first - θ_second and of h."""
    gains = np.bincount(sums.first, strength, n) - np.bincount(sums.second, strength, n)
    return np.append(gains, colour.sum())


def summed_blocks(sums: Sums, n: int, strength: Floats, mixed: Floats, colour: Floats) -> Floats:
    """A matrix from what each pairing says of (θ_first - θ_second)², of its product with h, and of h²."""
    one, two = sums.first, sums.second
    matrix = np.zeros((n + 1, n + 1))
    np.add.at(matrix, (one, one), strength)
    np.add.at(matrix, (two, two), strength)
    np.add.at(matrix, (one, two), -strength)
    np.add.at(matrix, (two, one), -strength)
    matrix[n] = matrix[:, n] = _added_up(sums, n, mixed, colour)
    return matrix


def _information(sums: Sums, n: int, chances: Floats, colour: Floats) -> Floats:
    weight = sums.games * chances * (1 - chances)
    return summed_blocks(sums, n, weight.sum(axis=1), weight @ colour, weight @ colour**2)
