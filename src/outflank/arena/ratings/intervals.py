"""How sure fitted ratings are.

Games of a pair are not independent, so the variance is the sandwich H⁻¹MH⁻¹ (White 1982; Liang & Zeger 1986 for
clusters), M summed over pairs. It would vanish when all pairs end alike, so every pairing adds one imagined pair with
the model's variance; that also makes up for the shortness of sandwiches made of few pairs (the usual remedy, n/(n-1),
is of the same size). The alternatives are the model's own H⁻¹, and a bootstrap that draws pairs with replacement.

Two players whom no games connect with others are a match, and a match has one difference with one interval: theirs are
those of `arena.statistics`.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.arena.ratings.connection import Connections
from outflank.arena.ratings.counts import BLACK_POINTS, WHITE_POINTS, Floats, Ints, ResultCounts, sums_of, tallies
from outflank.arena.ratings.fit import Fit, fit_strengths, summed_blocks
from outflank.arena.statistics.elo_scale import elo
from outflank.arena.statistics.estimates import superiority

Errors = Literal["pairs", "model", "bootstrap"]
ELO = 400 / math.log(10)
"""Elo points of one unit of θ."""
_Z = 1.959963984540054
_HINT_OF_A_DRAW = 1e-3
"""Pseudo-draws per pairing in a bootstrap sample, which may leave out the only games that connect two players."""


def covariance_of(results: ResultCounts, fit: Fit, draws: Floats, errors: Errors) -> Floats:
    """The covariance of the fitted values: H⁻¹MH⁻¹ over pairs, or the model's own.

    In pairings that needed pseudo-draws nothing varies, so M takes the model's variance there.
    """
    if errors == "model":
        return fit.covariance
    n = len(fit.values) - 1
    sums = sums_of(results.first, results.second, results.ways)
    black = np.nan_to_num(BLACK_POINTS - fit.chances[:, :1])
    white = np.nan_to_num(WHITE_POINTS - fit.chances[:, 1:])
    strength, colour = black + white, fit.colour[0] * black + fit.colour[1] * white
    spread = [(results.ways * product).sum(axis=1) for product in (strength**2, strength * colour, colour**2)]
    units = results.ways.sum(axis=1)
    weight = sums.with_draws(draws).games * fit.chances * (1 - fit.chances)
    model = [weight.sum(axis=1), weight @ fit.colour, weight @ fit.colour**2]
    parts = [np.where(draws > 0, own, seen + own / units) for seen, own in zip(spread, model, strict=True)]
    return fit.covariance @ summed_blocks(sums, n, *parts) @ fit.covariance


def bootstrap_samples(
    results: ResultCounts, group: Ints, draws: Floats, fit: Fit, replicates: int, rng: np.random.Generator
) -> Floats:
    """(replicates, players + 1): fitted values of tournaments made of pairs drawn from this one."""
    happened = np.nonzero(results.ways)
    counts = results.ways[happened]
    total = int(counts.sum())
    samples = np.empty((replicates, len(fit.values)))
    for sample in samples:
        ways = np.zeros_like(results.ways)
        ways[happened] = rng.multinomial(total, counts / total)
        sums = sums_of(results.first, results.second, ways).with_draws(np.maximum(draws, _HINT_OF_A_DRAW))
        sample[:] = fit_strengths(sums, group, bool(fit.colour.any()), fit.values).values
    return samples


class Frame(NamedTuple):
    """From fitted values to the scale of the table: `matrix` moves every group to its reference, `offset` lifts it."""

    matrix: Floats
    offset: Floats

    def placed(self, values: Floats) -> Floats:
        """In the table's scale, units of θ."""
        return np.asarray(values @ self.matrix.T + self.offset)


def frame_of(connections: Connections, anchor: tuple[str, float] | None, players: Sequence[str]) -> Frame:
    """The frame in which the anchor stays where it is put; in groups without it the core has mean 0."""
    n = len(players)
    matrix, offset = np.eye(n + 1), np.zeros(n + 1)
    for number in np.unique(connections.group):
        members = np.flatnonzero(connections.group == number)
        reference = members[connections.bound[members] == ""]
        if anchor is not None and players.index(anchor[0]) in members:
            reference = np.array([players.index(anchor[0])])
            offset[members] = anchor[1] / ELO
        matrix[np.ix_(members, reference)] -= 1 / len(reference)
    return Frame(matrix, offset)


class Spread(NamedTuple):
    """All values in the table's scale with the ends of their intervals, and who is above whom."""

    values: Floats
    low: Floats
    high: Floats
    above: Floats


def spread_of_covariance(fit: Fit, covariance: Floats, frame: Frame) -> Spread:
    """The spread of fitted values with this covariance."""
    from scipy.special import ndtr

    values = frame.placed(fit.values)
    moved = frame.matrix @ covariance @ frame.matrix.T
    reach = _Z * np.sqrt(np.maximum(np.diag(moved), 0))
    variances = np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance
    deviations = np.sqrt(np.maximum(variances, 1e-30))  # not zero: the diagonal
    above = ndtr((values[:, None] - values) / deviations)
    return Spread(values, values - reach, values + reach, above[:-1, :-1])


def spread_of_samples(fit: Fit, samples: Floats, frame: Frame) -> Spread:
    """The spread of bootstrap samples."""
    placed = frame.placed(samples)
    low, high = np.quantile(placed, [0.025, 0.975], axis=0)
    n = placed.shape[1] - 1
    above = np.empty((n, n))
    for player in range(n):
        gap = placed[:, player, None] - placed[:, :n]
        above[player] = ((gap > 0) + 0.5 * (gap == 0)).mean(axis=0)
    return Spread(frame.placed(fit.values), low, high, above)


def merged_spread(model: Spread, sampled: Spread, core: npt.NDArray[np.bool_]) -> Spread:
    """Samples where they say something: who lost nothing, or only drew, does so in every sample."""
    varied = np.append(core, True) & (sampled.high - sampled.low > 1e-9)
    return Spread(
        model.values,
        np.where(varied, sampled.low, model.low),
        np.where(varied, sampled.high, model.high),
        np.where(core[:, None] & core, sampled.above, model.above),
    )


def with_matches(spread: Spread, results: ResultCounts, connections: Connections, frame: Frame) -> Spread:
    """The spread with every group of two replaced by what their match says.

    A game without a partner may say what the pairs cannot: where only one of both gives a bound, the group stays.
    """
    values, low, high, above = (numbers.copy() for numbers in spread)
    for (one, two), match in tallies(results).items():
        pair = [results.players.index(one), results.players.index(two)]
        difference = elo(match.counts)
        bounded = bool((connections.bound[pair] != "").any())
        if pair[0] > pair[1] or (connections.group == connections.group[pair[0]]).sum() != 2:
            continue
        if bounded == difference.bounded:
            ends = [difference.value if end is None else end for end in (difference.low, difference.high)]
            placed = [_placed_pair(frame, pair, elo_points) for elo_points in (difference.value, *ends)]
            low[pair], high[pair] = np.min(placed, axis=0), np.max(placed, axis=0)
            if not bounded:  # a weak bound lies on the wrong side of the other: the fit knows who comes first
                values[pair] = placed[0]
            above[pair[0], pair[1]] = superiority(match.counts)
            above[pair[1], pair[0]] = 1 - above[pair[0], pair[1]]
    return Spread(values, low, high, above)


def _placed_pair(frame: Frame, pair: list[int], difference: float) -> Floats:
    """Two players with this difference in Elo, in the table's scale."""
    values = np.zeros(len(frame.offset))
    values[pair] = difference / ELO / 2, -difference / ELO / 2
    return frame.placed(values)[pair]
