"""Scores as differences of strength.

    Elo  = -400 log10(1/μ - 1)                      the logistic scale: 200 points are 76 %
    nElo = (μ - ½)/√(kσ²) · 800/ln 10               k = 2 for pairs, 1 for games

Normalised Elo (M. Van den Bergh, "Normalized Elo") counts in standard deviations of a game: the games
needed to tell two players apart depend on it alone, whatever the share of draws.
"""

import math

from outflank.arena.statistics.estimates import Estimate, alike_note, quantile, sample_of, score, share_alike
from outflank.arena.statistics.pairs import Counts
from outflank.errors import BadSpec

NORMALIZED_UNIT = 800 / math.log(10)
"""Normalised Elo of one standard deviation per game; the same slope as Elo at a score of ½ without draws."""
_MOST_ELO = 4000.0
"""Hypotheses are clamped here, so that the score they stand for stays inside (0, 1) in double precision."""


def elo_of(share: float) -> float:
    """The Elo difference at which this share of the points is expected.

    >>> round(elo_of(0.76))
    200
    """
    if not 0 < share < 1:
        raise BadSpec(f"a score of {share} has no Elo; expected more than 0 and less than 1")
    return -400 * math.log10(1 / share - 1)


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
    ('+55.6 [+28.3, +83.6]', 'at most -182.7')
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

    >>> f"{normalized_elo((332, 433, 498, 333, 334)):+.1f}"
    '-9.2 [-20.1, +1.8]'
    """
    sample = sample_of(counts)
    if sample.units == 0:
        return Estimate(0.0, None, None, True, "no games")
    unit = NORMALIZED_UNIT / math.sqrt(sample.games_per_unit)
    if sample.single is None:
        value = unit * (sample.mean - 0.5) / math.sqrt(sample.variance)
        reach = unit * quantile(sample.units) / math.sqrt(sample.units)
        return Estimate(value, value - reach, value + reach)
    share, note = share_alike(sample.units), alike_note(sample)
    if sample.single == 0.5:
        reach = unit * math.sqrt((1 - share) / share)
        return Estimate(0.0, -reach, reach, False, note)
    # The least favourable rest lies at the far end of the scale: measured from there the mean is q·distance and the
    # deviation distance·√(q(1-q)).
    distance = max(sample.single, 1 - sample.single)
    bound = unit * (share * distance - 0.5) / (distance * math.sqrt(share * (1 - share)))
    return _one_sided(bound, None, note) if sample.single > 0.5 else _one_sided(None, -bound, note)
