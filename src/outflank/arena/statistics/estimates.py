"""Numbers with their 95 % intervals: scores, disc margins, proportions.

With N units, mean μ and variance σ² (divided by N, not N-1), the standard error is √(σ²/N).

Small samples. Below 100 units Student's quantile replaces 1.96, and an end of an interval that leaves (0, 1) is
replaced by Wilson's, which is cautious because the variance of a score in 0..1 is at most μ(1-μ). When all units ended
alike there is no variance at all: then Clopper & Pearson bound the share q of units that end so, and the mean lies
between q·a and 1 - q·(1-a), whatever the others would be. Nothing here is ever NaN or infinite: a number that the games
cannot give is a one-sided bound with an open end, None.

Measured coverage of the score interval (20,000 matches each, 10 % draws, openings biased by 200 Elo): scores of 50
and 61 % with 10 pairs 94 % (89 to 92 % with 1.96), with 30 pairs and more 94 to 95 %. A score of 95 % without bias is
covered by 99 % with 20 pairs, but by 88 % with 30 and 91 % with 50: few lost games say little about how many there
are.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

from outflank.arena.statistics.pairs import Counts
from outflank.errors import BadSpec

CONFIDENCE = 0.95
_NORMAL = NormalDist()
_SMALL_SAMPLE = 100
"""Units below which Student's quantile is used."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval; an end that the games leave open is None, and `note` says why.

    `bounded` is True when the games give no estimate but only a bound: then `low` or `high` holds it, the other end is
    None, and `value` is good for sorting only. A format is applied to each number, and bounds are shown as such.

    >>> from outflank.arena.statistics.elo_scale import elo
    >>> f"{elo((96, 111, 136)):+.1f}", f"{elo((0, 0, 10)):+.1f}", f"{elo((0, 0, 0)):+.1f}"
    ('+40.7 [+10.6, +71.4]', 'at least +182.7', 'unknown')
    """

    value: float
    low: float | None
    high: float | None
    bounded: bool = False
    note: str = ""

    def __format__(self, spec: str) -> str:
        low, high = (None if end is None else format(end, spec) for end in (self.low, self.high))
        if not self.bounded:
            return f"{self.value:{spec}} [{low or '?'}, {high or '?'}]"
        return f"at least {low}" if low and not high else f"at most {high}" if high and not low else "unknown"


@dataclass(frozen=True, slots=True)
class Sample:
    """Counts as a sample of scores in 0..1."""

    units: int
    games_per_unit: int
    mean: float
    variance: float
    single: float | None
    """The score of all units when they ended alike."""

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return math.sqrt(self.variance / self.units)


def sample_of(counts: Counts) -> Sample:
    """The sample that counts stand for."""
    scores = scores_of(counts)
    units = sum(counts)
    if units == 0:
        return Sample(0, len(counts) // 2, 0.5, 0.0, None)
    mean = sum(n * a for n, a in zip(counts, scores, strict=True)) / units
    variance = sum(n * (a - mean) ** 2 for n, a in zip(counts, scores, strict=True)) / units
    seen = [a for n, a in zip(counts, scores, strict=True) if n]
    return Sample(units, len(counts) // 2, mean, variance, seen[0] if len(seen) == 1 else None)


def scores_of(counts: Counts) -> list[float]:
    """The score that each count stands for: 0, ½, 1 or 0, ¼, ½, ¾, 1."""
    if len(counts) not in (3, 5):
        raise BadSpec(f"{tuple(counts)} are no results; expected 3 counts of games or 5 of pairs, worst first")
    if min(counts) < 0:
        raise BadSpec(f"{tuple(counts)} are no results; expected counts of 0 or more")
    return [i / (len(counts) - 1) for i in range(len(counts))]


def quantile(units: int) -> float:
    """How many standard errors an interval reaches to each side."""
    if units >= _SMALL_SAMPLE:
        return _NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
    from scipy.special import stdtrit

    return float(stdtrit(units - 1, (1 + CONFIDENCE) / 2))


def share_alike(units: int) -> float:
    """Lower end of Clopper & Pearson for all of `units`: with a smaller share this is seen in less than 5 %."""
    return float((1 - CONFIDENCE) ** (1 / units))


def score(counts: Counts) -> Estimate:
    """A's share of the points, 0..1.

    >>> f"{score((96, 111, 136)):.3f}"
    '0.558 [0.515, 0.601]'
    >>> f"{score((0, 0, 0, 0, 10)):.3f}", score((0, 0, 0, 0, 10)).note
    ('1.000 [0.741, 1.000]', 'all 10 pairs ended alike')
    """
    sample = sample_of(counts)
    if sample.units == 0:
        return Estimate(0.5, 0.0, 1.0, True, "no games")
    if sample.single is not None:
        share = share_alike(sample.units)
        low, high = share * sample.single, 1 - share * (1 - sample.single)
        return Estimate(sample.single, low, high, False, alike_note(sample))
    reach = quantile(sample.units) * sample.error
    low, high = sample.mean - reach, sample.mean + reach
    if low > 0 and high < 1:
        return Estimate(sample.mean, low, high)
    inside = wilson(sample.mean * sample.units, sample.units)
    assert inside.low is not None and inside.high is not None
    low, high = (low if low > 0 else inside.low), (high if high < 1 else inside.high)
    return Estimate(sample.mean, low, high, False, "close to the end of the scale")


def alike_note(sample: Sample) -> str:
    """Why there is no variance, in words."""
    unit = "pair" if sample.games_per_unit == 2 else "game"
    return f"one {unit}" if sample.units == 1 else f"all {sample.units} {unit}s ended alike"


def superiority(counts: Counts) -> float:
    """Likelihood of superiority, 0..1: Φ((μ-½)/standard error), how sure it is that A is the stronger.

    When all units ended alike, the share of a uniform prior above ½ that this leaves: 1 - 2^-(N+1) after N wins.

    >>> round(superiority((96, 111, 136)), 4), superiority((0, 0, 0))
    (0.996, 0.5)
    """
    sample = sample_of(counts)
    if sample.units == 0 or sample.single == 0.5:
        return 0.5
    if sample.single is not None:
        doubt = 0.5 ** (sample.units + 1)
        return 1 - doubt if sample.single > 0.5 else doubt
    return _NORMAL.cdf((sample.mean - 0.5) / sample.error)


def mean_margin(units: Mapping[tuple[float, int], int]) -> Estimate:
    """The mean disc margin with its interval, Student's on the units: pairs, and games without a partner.

    The counts say how often a unit had this (sum of margins, number of games).

    >>> f"{mean_margin({(6, 2): 1, (14, 2): 1}):+.1f}"
    '+5.0 [-20.4, +30.4]'
    """
    games = sum(number * often for (_, number), often in units.items())
    if not games:
        return Estimate(0.0, None, None, True, "no games")
    mean = math.fsum(total * often for (total, _), often in units.items()) / games
    count = sum(units.values())
    spread = math.fsum(often * (total - number * mean) ** 2 for (total, number), often in units.items())
    if count == 1 or spread == 0:
        return Estimate(mean, None, None, False, "no spread to make an interval from")
    reach = quantile(count) * math.sqrt(spread * count / (count - 1)) / games
    return Estimate(mean, mean - reach, mean + reach)


def wilson(successes: float, trials: float) -> Estimate:
    """The interval of Wilson (1927) for a share of `trials`; draws may count as halves. On average it covers 95 %.

    >>> f"{wilson(50, 60):.3f}"
    '0.833 [0.720, 0.907]'
    """
    share, z = _share(successes, trials), _NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
    weight = z * z / trials
    centre = (share + weight / 2) / (1 + weight)
    reach = math.sqrt(weight * share * (1 - share) + weight * weight / 4) / (1 + weight)
    low, high = (0.0 if share == 0 else centre - reach), (1.0 if share == 1 else centre + reach)
    return Estimate(share, max(0.0, low), min(1.0, high))


def _share(successes: float, trials: float) -> float:
    if not (0 <= successes <= trials and 0 < trials < math.inf):
        raise BadSpec(
            f"{successes} of {trials} is no proportion; expected 0 <= successes <= trials, and trials above 0"
        )
    return successes / trials
