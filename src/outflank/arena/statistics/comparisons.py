"""Ours beside a printed number: verdicts by one rule, a test of a whole table, and which of two models explains it.

The rule has a *margin*: 10 points of a share, a tenth of a mean. Less is no difference worth the name.

- *equivalent*: the 90 % interval of the difference lies inside the margin (two one-sided tests
  at 5 %, Schuirmann 1987).
- *differs*: otherwise, and a difference like this comes by chance in less than 5 % of cases: Fisher's exact test of
  shares, Welch's of means.
- *compatible*, but uninformative: neither; the printed number goes with ours, and with much else.

A number is *informative* when it would be found equivalent in four of five cases if both were samples of one truth;
that depends on the games behind it and behind ours, not on what came out. `accepted` is the band of results that would
not have differed.

Claims are inequalities of two numbers with a smallest effect, and `answer` tests them by the same intervals.

Intervals of differences join those of the two numbers by their distances (Zou & Donner 2008; for shares with Wilson's
intervals this is Newcombe's method 10). Where both ends are those of Clopper & Pearson it errs on the safe side.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from outflank.arena.statistics.measured import Measured

Verdict = Literal["equivalent", "differs", "compatible"]
LEVEL = 0.05
MARGIN = 0.1
"""Of a share in itself, of a mean relative to the printed value."""
_ROOM = (1.645 + 1.282) / 1.645
_TINIEST = 1e-300
_SHARPEST = 0.01
"""Relative error below which no prediction is believed, so that a model without spread has a likelihood at all."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """What a comparison of ours with a printed number says."""

    verdict: Verdict
    chance: float
    """Probability of such a difference if both were samples of one truth."""
    informative: bool
    """Whether samples of one truth would be found equivalent in four of five cases."""


def weigh(ours: Measured, theirs: Measured) -> Weighed:
    """The verdict of the rule.

    >>> weigh(Measured("share", 0.52, 400), Measured("share", 0.5, 6)).verdict
    'compatible'
    >>> weigh(Measured("share", 0.52, 400), Measured("share", 0.5, 1000)).verdict
    'equivalent'
    >>> weigh(Measured("mean", 30.0, 400, 8.0), Measured("mean", 40.0, 50, 8.0)).verdict
    'differs'
    """
    odds = chance(ours, theirs)
    verdict: Verdict = "equivalent" if equivalent(ours, theirs) else "differs" if odds < LEVEL else "compatible"
    return Weighed(verdict, odds, informative(ours, theirs))


def difference(first: Measured | float, second: Measured | float, confidence: float) -> tuple[float, float]:
    """The interval of the first number less the second; a plain number is known exactly.

    >>> [round(end, 3) for end in difference(Measured("share", 0.8, 70), Measured("share", 0.6, 80), 0.95)]
    [0.044, 0.344]
    """
    (low, value, high), (other_low, other, other_high) = _ends(first, confidence), _ends(second, confidence)
    below, above = math.hypot(value - low, other_high - other), math.hypot(high - value, other - other_low)
    return value - other - below, value - other + above


def _ends(number: Measured | float, confidence: float) -> tuple[float, float, float]:
    """Low end, value, high end."""
    if not isinstance(number, Measured):
        return number, number, number
    low, high = number.interval(confidence)
    return low, number.value, high


def margin(number: Measured, size: float = MARGIN) -> float:
    """What counts as no difference from a number: points of a share, a part of a mean.

    >>> margin(Measured("share", 0.9, 50)), margin(Measured("mean", 40.0, 50, 8.0))
    (0.1, 4.0)
    """
    return size if number.kind in ("share", "gain") else size * abs(number.value)


def equivalent(first: Measured, second: Measured, size: float = MARGIN) -> bool:
    """Whether two numbers are shown to be within the margin of each other."""
    reach = margin(second, size)
    low, high = difference(first, second, 1 - 2 * LEVEL)
    return -reach < low and high < reach


def informative(ours: Measured, theirs: Measured) -> bool:
    """Whether the games are enough to find samples of one truth equivalent in four of five cases.

    Around equal values the 90 % interval then leaves room inside the margin for 1.28 standard errors to each side.

    >>> informative(Measured("share", 0.9, 400), Measured("share", 0.5, 100))
    False
    >>> informative(Measured("share", 0.9, 400), Measured("share", 0.5, 1000))
    True
    """
    low, high = difference(replace(ours, value=theirs.value), theirs, 1 - 2 * LEVEL)
    return _ROOM * max(-low, high) < margin(theirs)


def chance(first: Measured, second: Measured) -> float:
    """The probability of a difference at least as large if both were samples of one truth.

    >>> chance(Measured("share", 0.5, 100), Measured("share", 0.5, 6))
    1.0
    >>> round(chance(Measured("mean", 10.5, 4, 1.29), Measured("mean", 12.5, 4, 1.29)), 3)
    0.071
    """
    from scipy.special import stdtr

    if first.kind == "share":
        return _fisher(first.hits, int(first.weight), second.hits, int(second.weight))
    error, freedom = _together(first, second)
    if error == 0:
        return 1.0 if math.isclose(first.value, second.value) else 0.0
    return float(2 * stdtr(freedom, -abs(first.value - second.value) / error))


def _fisher(hits: int, games: int, other_hits: int, others: int) -> float:
    """Fisher's exact test: the chance of all tables with these sums that are no likelier than this one."""
    total = hits + other_hits
    here = np.arange(max(0, total - others), min(total, games) + 1)
    ways = _log_choose(games, here) + _log_choose(others, total - here)
    weights = np.exp(ways - ways.max())
    likely = weights[hits - here[0]] * (1 + 1e-7)  # as likely but for rounding
    return float(min(1.0, weights[weights <= likely].sum() / weights.sum()))


def _log_choose(number: int, chosen: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    from scipy.special import gammaln

    found: npt.NDArray[np.float64] = gammaln(number + 1) - gammaln(chosen + 1) - gammaln(number - chosen + 1)
    return found


def _together(first: Measured, second: Measured) -> tuple[float, float]:
    """Standard error of a difference of means and its degrees of freedom (Welch 1947)."""
    error = math.hypot(first.error, second.error)
    if error == 0:
        return 0.0, 1.0
    parts = math.fsum((one.error / error) ** 4 / one.degrees for one in (first, second))
    return error, min(1 / parts, 1e9) if parts else 1e9


def accepted(ours: Measured, theirs: Measured) -> tuple[float, float]:
    """The band of results of ours, with our number of games, that would not have differed from the printed number.

    >>> accepted(Measured("share", 0.2, 400), Measured("share", 0.5, 6))
    (0.15, 0.85)
    """
    if ours.kind != "share":
        from scipy.special import stdtrit

        error, freedom = _together(ours, theirs)
        reach = float(stdtrit(freedom, 1 - LEVEL / 2)) * error
        return theirs.value - reach, theirs.value + reach
    games = int(ours.weight)
    middle = min(games, round(theirs.value * games))
    return _last(theirs, games, middle, 0) / games, _last(theirs, games, middle, games) / games


def _last(theirs: Measured, games: int, inside: int, end: int) -> int:
    """The last number of hits from `inside` towards `end` that does not differ."""

    def differs(hits: int) -> bool:
        return chance(Measured("share", hits / games, games), theirs) < LEVEL

    if not differs(end):
        return end
    while abs(end - inside) > 1:
        half = (inside + end) // 2
        inside, end = (inside, half) if differs(half) else (half, end)
    return inside


def log_likelihood(ours: Measured, theirs: Measured) -> float:
    """Logarithm of the probability (of a mean: its density) of the printed number, if ours is the truth but for chance.

    A share is beta-binomial with Jeffreys' prior, a mean Student's.

    >>> right, wrong, printed = (Measured("share", value, 400) for value in (0.5, 0.9, 0.55))
    >>> log_likelihood(right, printed) - log_likelihood(wrong, printed) > 50
    True
    """
    from scipy.stats import betabinom
    from scipy.stats import t as student

    if ours.kind == "share":
        games = int(ours.weight)
        prior = ours.hits + 0.5, games - ours.hits + 0.5
        return float(betabinom.logpmf(theirs.hits, int(theirs.weight), *prior))
    error, freedom = _together(ours, theirs)
    scale = max(error, _SHARPEST * abs(theirs.value), _TINIEST)
    return float(student.logpdf((theirs.value - ours.value) / scale, freedom)) - math.log(scale)


def chance_of_samples(first: Sequence[float], second: Sequence[float]) -> float:
    """The chance of two samples as unlike as these if they were drawn from one distribution (Kolmogorov & Smirnov).

    >>> round(chance_of_samples([1, 2, 3, 4], [1, 2, 3, 4]), 3), chance_of_samples(range(50), range(100, 150)) < 1e-20
    (1.0, True)
    """
    from scipy.stats import ks_2samp

    return float(ks_2samp(first, second).pvalue)


def all_together(chances: Sequence[float]) -> float | None:
    """The chance of a whole table: its smallest, times the number of its cells (Bonferroni).

    That is safe however the cells hang together, and they do: many come from the same games.

    >>> all_together([0.5, 0.01, 0.2]), all_together([])
    (0.03, None)
    """
    return min(1.0, len(chances) * min(chances)) if chances else None


# --------------------------------------------------------------------------------------------------------------- claims

Relation = Literal["above", "not below", "equal"]


@dataclass(frozen=True, slots=True)
class Contrast:
    """An inequality of two numbers, and the smallest effect that counts: points of a share, a part of a mean."""

    name: str
    first: Measured | float | None
    second: Measured | float | None
    relation: Relation = "above"
    effect: float = 0.05


def answer(contrast: Contrast, among: int = 1) -> bool | None:
    """Whether an inequality is shown to hold or to fail; None while the games cannot tell.

    *above* holds when the 95 % interval of the difference is above 0, and fails when an effect is excluded; *not below*
    holds when a fall of the effect is excluded (at 5 %), and fails when there is a fall; *equal* holds when the 90 %
    interval lies inside the effect, and fails when the 95 % interval leaves out 0. A claim that needs all of several
    inequalities needs no correction to hold; to fail by any one `among` several, each is tested at 5 % divided by them.

    >>> won = Measured("share", 0.6, 400)
    >>> answer(Contrast("wins", won, 0.5)), answer(Contrast("wins", won, 0.58)), answer(Contrast("wins", won, 0.7))
    (True, None, False)
    >>> answer(Contrast("order", won, Measured("share", 0.61, 400), "equal", 0.1))
    True
    """
    first, second, relation = contrast.first, contrast.second, contrast.relation
    if first is None or second is None:
        return None
    effect = _effect(first, second, contrast.effect)
    low, high = difference(first, second, 1 - LEVEL if relation == "above" else 1 - 2 * LEVEL)
    sure_low, sure_high = difference(first, second, 1 - LEVEL / among)
    if relation == "above":
        return False if sure_high < effect or (effect == 0 and sure_high <= 0) else True if low > 0 else None
    if relation == "not below":
        return True if low > -effect else False if sure_high < 0 else None
    return True if -effect < low and high < effect else False if sure_low > 0 or sure_high < 0 else None


def _effect(first: Measured | float, second: Measured | float, size: float) -> float:
    """The smallest effect in the unit of the numbers; parts are parts of the second."""
    if isinstance(second, Measured):
        return margin(second, size)
    assert isinstance(first, Measured), "two plain numbers are no measurement"
    return size if first.kind in ("share", "gain") else size * abs(second)


def all_hold(contrasts: Sequence[Contrast]) -> bool | None:
    """True when every inequality holds, False when one fails, None while one is open or there is none.

    >>> all_hold([Contrast("a", Measured("share", 0.9, 100), 0.5), Contrast("b", Measured("share", 0.5, 4), 0.5)])
    """
    answers = [answer(contrast, len(contrasts)) for contrast in contrasts]
    if False in answers:
        return False
    return None if not answers or None in answers else True
