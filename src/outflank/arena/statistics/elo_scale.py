"""Scores as differences of strength.

    Elo  = -400 log10(1/μ - 1)                      the logistic scale: 200 points are 76 %
    nElo = (μ - ½)/√(kσ²) · 800/ln 10               k = 2 for pairs, 1 for games

Normalised Elo (M. Van den Bergh, "Normalized Elo") counts in standard deviations of a game: the games
needed to tell two players apart depend on it alone, whatever the share of draws.
"""

import math

from outflank.arena.statistics.estimates import Estimate, Sample, alike_note, least_mean, quantile, sample_of, score
from outflank.arena.statistics.pairs import Counts
from outflank.errors import BadSpec

NORMALIZED_UNIT = 800 / math.log(10)
"""Normalised Elo of one standard deviation per game; the same slope as Elo at a score of ½ without draws."""
_LEAST_OF_THE_RARER = 4
"""Units for every unit of squared skewness that an interval of normalised Elo needs; below, its coverage falls."""
_MOST_ELO = 4000.0
"""Hypotheses are clamped here, so that the score they stand for stays inside (0, 1) in double precision."""


def elo_of(share: float) -> float:
    """The Elo difference at which this share of the points is expected.

    >>> round(elo_of(0.76))
    200
    """
    if not 0 < share < 1:
        raise BadSpec(f"a score of {share} has no Elo; expected more than 0 and less than 1")
    return 400 * math.log10(share / (1 - share))


def expected_score(difference: float) -> float:
    """The share of the points expected at an Elo difference; beyond ±4000 that of ±4000, to stay inside (0, 1).

    >>> round(expected_score(202), 2)
    0.76
    """
    return float(1 / (1 + 10 ** (-clamped(difference) / 400)))


def clamped(difference: float) -> float:
    """A difference of at most 4000 Elo."""
    return max(-_MOST_ELO, min(_MOST_ELO, difference))


def elo(counts: Counts) -> Estimate:
    """A's Elo minus B's. All wins or all losses give a one-sided bound.

    >>> f"{elo((34, 54, 63, 64, 75)):+.1f}", f"{elo((10, 0, 0)):+.1f}"
    ('+55.6 [+28.3, +83.6]', 'at most -139.2')
    """
    share = score(counts)
    low = elo_of(share.low) if share.low else None
    high = elo_of(share.high) if share.high is not None and share.high < 1 else None
    if 0 < share.value < 1:
        return Estimate(elo_of(share.value), low, high, share.bounded, share.note)
    return _one_sided(low, high, share.note)


def _one_sided(low: float | None, high: float | None, note: str) -> Estimate:
    if low is not None:
        return Estimate(low, low, None, True, f"{note}: at least this")
    assert high is not None
    return Estimate(high, None, high, True, f"{note}: at most this")


def normalized_elo(counts: Counts) -> Estimate:
    """A's normalised Elo: the score above ½ in standard deviations of a game, times 800/ln 10.

    Its interval knows that the deviation is uncertain too (Mertens 2002, of Sharpe ratios): with effect d, skewness γ
    and kurtosis κ the variance is (1 - dγ + d²(κ-1)/4)/N, which near equality is the 1/N of other programs. It leaves
    out 0 only where the interval of the score leaves out ½.

    >>> f"{normalized_elo((332, 433, 498, 333, 334)):+.1f}"
    '-9.2 [-20.2, +1.8]'
    """
    sample = sample_of(counts)
    if sample.units == 0:
        return Estimate(0.0, None, None, True, "no games")
    unit = NORMALIZED_UNIT / math.sqrt(sample.games_per_unit)
    if sample.single is not None:
        return _normalized_alike(counts, sample, unit)
    effect = (sample.mean - 0.5) / math.sqrt(sample.variance)
    if sample.units < _LEAST_OF_THE_RARER * max(1.0, sample.skewness**2):
        return Estimate(unit * effect, None, None, False, "too few results of the rarer kind")
    variance = 1 - effect * sample.skewness + effect**2 * (sample.kurtosis - 1) / 4
    reach = quantile(sample.units) * math.sqrt(max(1.0, variance) / sample.units)
    low, high, share = effect - reach, effect + reach, score(counts)
    assert share.low is not None and share.high is not None
    low, high = (low if share.low > 0.5 else min(low, 0.0)), (high if share.high < 0.5 else max(high, 0.0))
    return Estimate(unit * effect, unit * low, unit * high)


def _normalized_alike(counts: Counts, sample: Sample, unit: float) -> Estimate:
    """The same where all units ended alike: what the end of the score's interval and its imagined unit allow."""
    assert sample.single is not None
    if sample.single < 0.5:
        mirrored = _normalized_alike(counts[::-1], sample_of(counts[::-1]), unit)
        return _one_sided(None, -mirrored.value, alike_note(sample))
    low = least_mean(counts)
    share = low / sample.single
    bound = unit * (low - 0.5) / (sample.single * math.sqrt(share * (1 - share)))
    if sample.single > 0.5:
        return _one_sided(bound, None, alike_note(sample))
    return Estimate(0.0, bound, -bound, False, alike_note(sample))
