"""Numbers with their intervals, of 95 % where nothing else is asked: `score` for shares, `mean_margin` for discs.

With N units, mean μ and variance σ² (divided by N, not N-1), the standard error is √(σ²/N). Many units that are not
lopsided (`Sample.normal`) reach 1.96 standard errors to each side. For all others that is too short: few lost games say
little about how many there are. Their interval needs no variance. Its lower end is the bound of Gaffke (2005): one unit
more that scored nothing is imagined, the shares of all results are as uncertain as a Dirichlet distribution with these
counts, and below the bound lie 2.5 % of their means; the upper end is that of the other side. Where units score 0 or 1
only, this is the interval of Clopper & Pearson (1934); that it holds for any scores in 0..1 is proven in part and has
no known exception. docs/statistics.md has the measured coverage. Nothing here is ever NaN or infinite: a number that
the games cannot give is a one-sided bound with an open end, None.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist

from outflank.arena.statistics.pairs import Counts
from outflank.errors import BadSpec

CONFIDENCE = 0.95
_NORMAL = NormalDist()
_MANY = 250
_LOPSIDED = 100
"""Units that 1.96 standard errors need, and how many times their squared skewness: some hundred of the rarer result."""
_STEEPEST = 100.0
"""Slope of `_Tilted`: no counts need more."""
_LEVEL = 0.01
"""Standard deviations from the middle below which the formula of `_Tilted` loses its digits and its limit is used."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval; where the games give none, both ends are None, and `note` says why.

    `bounded` is True when the games give no estimate but only a bound: then `low` or `high` and `value` hold it, and
    the other end is None; where both are None nothing is known. A format is applied to each number, and bounds are
    shown as such.

    >>> from outflank.arena.statistics.elo_scale import elo
    >>> f"{elo((96, 111, 136)):+.1f}", f"{elo((0, 0, 10)):+.1f}", f"{elo((0, 0, 0)):+.1f}"
    ('+40.7 [+10.6, +71.4]', 'at least +139.2', 'unknown')
    """

    value: float
    low: float | None
    high: float | None
    bounded: bool = False
    note: str = ""

    def __format__(self, spec: str) -> str:
        numbers = (self.value, self.low, self.high)
        value, low, high = (None if x is None else format(x, spec).replace("%", " %") for x in numbers)
        if not self.bounded and self.low == self.high:
            return f"{value} ({self.note})" if low else f"{value} (no interval: {self.note})"
        if not self.bounded:
            return f"{value} [{low}, {high}]"
        return f"at least {low}" if low and not high else f"at most {high}" if high and not low else "unknown"


@dataclass(frozen=True, slots=True)
class Sample:
    """Counts as a sample of scores in 0..1."""

    units: int
    games_per_unit: int
    mean: float
    variance: float
    skewness: float
    kurtosis: float
    """Third and fourth moment in standard deviations; 0 where there is no deviation."""
    single: float | None
    """The score of all units when they ended alike."""

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return math.sqrt(self.variance / self.units)

    @property
    def normal(self) -> bool:
        """Whether the mean of such samples is distributed normally, near enough for intervals."""
        return self.single is None and self.units >= max(_MANY, _LOPSIDED * self.skewness**2)


def sample_of(counts: Counts) -> Sample:
    """The sample that counts stand for."""
    scores = scores_of(counts)
    units = sum(counts)
    if units == 0:
        return Sample(0, len(counts) // 2, 0.5, 0.0, 0.0, 0.0, None)
    mean = sum(n * a for n, a in zip(counts, scores, strict=True)) / units
    variance, third, fourth = (
        sum(n * (a - mean) ** power for n, a in zip(counts, scores, strict=True)) / units for power in (2, 3, 4)
    )
    seen = [a for n, a in zip(counts, scores, strict=True) if n]
    if len(seen) == 1:
        return Sample(units, len(counts) // 2, seen[0], 0.0, 0.0, 0.0, seen[0])
    return Sample(units, len(counts) // 2, mean, variance, third / variance**1.5, fourth / variance**2, None)


def scores_of(counts: Counts) -> list[float]:
    """The score that each count stands for: 0, ½, 1 or 0, ¼, ½, ¾, 1."""
    if len(counts) not in (3, 5):
        raise BadSpec(f"{tuple(counts)} are no results; expected 3 counts of games or 5 of pairs, worst first")
    if min(counts) < 0:
        raise BadSpec(f"{tuple(counts)} are no results; expected counts of 0 or more")
    return [i / (len(counts) - 1) for i in range(len(counts))]


def quantile(units: int) -> float:
    """How many standard errors an interval reaches to each side: Student's."""
    from scipy.special import stdtrit

    return float(stdtrit(units - 1, (1 + CONFIDENCE) / 2))


def score(counts: Counts, confidence: float = CONFIDENCE) -> Estimate:
    """A's share of the points, 0..1.

    >>> f"{score((96, 111, 136)):.3f}"
    '0.558 [0.515, 0.601]'
    >>> f"{score((0, 0, 0, 0, 10)):.3f}", score((0, 0, 0, 0, 10)).note
    ('1.000 [0.690, 1.000]', 'all 10 pairs ended alike')
    """
    sample = sample_of(counts)
    if sample.units == 0:
        return Estimate(0.5, 0.0, 1.0, True, "no games")
    if sample.normal:
        reach = _NORMAL.inv_cdf((1 + confidence) / 2) * sample.error
        return Estimate(sample.mean, sample.mean - reach, sample.mean + reach)
    low, high = least_mean(counts, confidence), 1 - least_mean(counts[::-1], confidence)
    return Estimate(sample.mean, low, high, False, "" if sample.single is None else alike_note(sample))


def least_mean(counts: Counts, confidence: float = CONFIDENCE) -> float:
    """The lower end of the interval of the mean: Gaffke's bound, which 2.5 % of the means lie below at 95 %."""
    from scipy.optimize import brentq

    if not any(counts[1:]):
        return 0.0
    tilted = _Tilted(counts)
    doubt = (1 - confidence) / 2
    return tilted.mean(float(brentq(lambda slope: tilted.below(slope) - doubt, 0.0, _STEEPEST, xtol=1e-12)))


class _Tilted:
    """Means of the results of these counts and of one more that scored nothing, when their shares are uncertain.

    The shares have a Dirichlet distribution, and the chance that their mean is below m comes from its saddlepoint
    (Lugannani & Rice 1980): within a hundredth of itself for two units and better for more. The saddlepoint of m are
    the shares n/(1 - a + a·e^slope) of scores a, which have the mean m; so a slope stands for m, and a steeper one for
    a lower m. Scores are counted in the best one seen, so that slopes reach all means.
    """

    def __init__(self, counts: Counts) -> None:
        seen = list(zip(counts, scores_of(counts), strict=True))
        self._best = max(a for n, a in seen if n)
        self._terms = [(n + (a == 0), a / self._best) for n, a in seen if n or a == 0]

    def mean(self, slope: float) -> float:
        """The mean m that a slope stands for."""
        return self._best * self._mean(slope)

    def _mean(self, slope: float) -> float:
        weights = [(n / (1 - a + a * math.exp(slope)), a) for n, a in self._terms]
        return math.fsum(w * a for w, a in weights) / math.fsum(w for w, _ in weights)

    def below(self, slope: float) -> float:
        """The chance of a mean below m."""
        mean, steep = self._mean(slope), math.exp(slope)
        whole = 1 - mean + mean * steep
        point = -math.expm1(slope) / whole
        parts = [(n, (a - mean) * whole / (1 - a + a * steep)) for n, a in self._terms]
        spread = math.sqrt(math.fsum(n * x * x for n, x in parts))
        depth = math.fsum(n * math.log((1 - a + a * steep) / whole) for n, a in self._terms)
        root = math.copysign(math.sqrt(2 * max(depth, 0.0)), point)
        if abs(root) < _LEVEL:
            lean = math.fsum(n * x**3 for n, x in parts) / (3 * spread**3)
        else:
            lean = 1 / root - 1 / (point * spread)
        return _NORMAL.cdf(root) + _NORMAL.pdf(root) * lean


def alike_note(sample: Sample) -> str:
    """Why there is no variance, in words."""
    unit = "pair" if sample.games_per_unit == 2 else "game"
    return f"one {unit}" if sample.units == 1 else f"all {sample.units} {unit}s ended alike"


def superiority(counts: Counts) -> float:
    """Likelihood of superiority, 0..1: Φ((μ-½)/standard error), how sure it is that A is the stronger.

    Where the score's interval is not normal, it comes from the same distributions, halfway between those of its two
    ends: 1 - 2^-(N+1) after N wins.

    >>> round(superiority((96, 111, 136)), 4), superiority((0, 0, 0))
    (0.996, 0.5)
    """
    sample = sample_of(counts)
    if sample.units == 0:
        return 0.5
    if sample.normal:
        return _NORMAL.cdf((sample.mean - 0.5) / sample.error)
    return 0.5 + (_chance_above_half(counts) - _chance_above_half(counts[::-1])) / 2


def _chance_above_half(counts: Counts) -> float:
    """The chance of a mean above ½ with one more unit that scored nothing."""
    from scipy.optimize import brentq

    if not any(n for n, a in zip(counts, scores_of(counts), strict=True) if a > 0.5):
        return 0.0
    tilted = _Tilted(counts)
    return 1 - tilted.below(float(brentq(lambda slope: tilted.mean(slope) - 0.5, -_STEEPEST, _STEEPEST, xtol=1e-12)))


def mean_margin(units: Mapping[tuple[float, int], int], most: float = math.inf) -> Estimate:
    """The mean disc margin with its interval, Student's on the units: pairs, and games without a partner.

    The counts say how often a unit had this (sum of margins, number of games). No margin is above `most`.

    >>> f"{mean_margin({(6, 2): 1, (14, 2): 1}):+.1f}", f"{mean_margin({(6, 2): 1, (14, 2): 1}, 16):+.1f}"
    ('+5.0 [-20.4, +30.4]', '+5.0 [-16.0, +16.0]')
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
    return Estimate(mean, max(mean - reach, -most), min(mean + reach, most))
