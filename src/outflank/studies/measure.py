"""Measured numbers with what is needed to compare them: value, 95 % interval, number of games, spread.

Two kinds are enough. A *share* counts hits among games (a draw is no win where papers count wins); its interval is
that of scores. A *mean* is taken over games; its interval is Student's. Speeds are means that no other machine shares.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scipy.stats import fisher_exact
from scipy.stats import t as student

from outflank.arena.statistics.estimates import score

MeasureKind = Literal["share", "mean", "speed"]
_LEVEL = 0.05


@dataclass(frozen=True)
class Measured:
    """A number from our games."""

    kind: MeasureKind
    value: float
    low: float
    high: float
    games: int
    spread: float = 0.0
    """Standard deviation over games; 0 for a share."""

    @property
    def hits(self) -> int:
        """Games that count, for a share."""
        return round(self.value * self.games)


def share(hits: Sequence[bool]) -> Measured | None:
    """The share of games that are hits; None without games.

    >>> found = share([True, True, False, False])
    >>> found.value, round(found.low, 2), round(found.high, 2)
    (0.5, 0.07, 0.93)
    """
    if not hits:
        return None
    interval = score((len(hits) - sum(hits), 0, sum(hits)))
    return Measured("share", sum(hits) / len(hits), interval.low or 0.0, interval.high or 0.0, len(hits))


def mean(values: Sequence[float], kind: MeasureKind = "mean") -> Measured | None:
    """The mean over games; None without games. One game has no interval but its value.

    >>> found = mean([1.0, 2.0, 3.0])
    >>> found.value, round(found.low, 2), found.spread
    (2.0, -0.48, 1.0)
    """
    if not values:
        return None
    number = len(values)
    centre = math.fsum(values) / number
    if number == 1:
        return Measured(kind, centre, centre, centre, 1)
    spread = math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (number - 1))
    reach = float(student.ppf(1 - _LEVEL / 2, number - 1)) * spread / math.sqrt(number)
    return Measured(kind, centre, centre - reach, centre + reach, number, spread)


def compatible(ours: Measured, value: float, games: int | None, spread: float | None) -> float | None:
    """The probability of a difference at least as large if both were samples of one truth; None if it cannot be said.

    A share of `games` is compared by Fisher's exact test; a mean with its spread, or with ours where none is printed.

    >>> compatible(share([True] * 50 + [False] * 50), 0.5, 6, None)
    1.0
    >>> compatible(mean([10.0, 12.0, 11.0, 9.0]), 30.0, 4, None) < 1e-3
    True
    """
    if ours.kind == "speed" or (games is None and spread is None):
        return None
    if ours.kind == "share":
        assert games is not None
        theirs = round(value * games)
        table = [[ours.hits, ours.games - ours.hits], [theirs, games - theirs]]
        return float(fisher_exact(table).pvalue)
    if spread is not None and games is None:  # the error of the printed value itself
        return _welch(ours, value, spread, math.inf)
    return _welch(ours, value, (ours.spread if spread is None else spread) / math.sqrt(games or 1), games or 1, spread)


def _welch(ours: Measured, value: float, their_error: float, games: float, spread: float | None = 0.0) -> float:
    """Welch's test of two means; where the printed spread is unknown (None) ours stands for it, with our freedom."""
    our_error = ours.spread / math.sqrt(ours.games)
    error = math.hypot(their_error, our_error)
    if error == 0:
        return 1.0 if math.isclose(ours.value, value) else 0.0
    freedom = float(ours.games - 1)
    if spread is not None:
        parts = our_error**4 / max(1, ours.games - 1) + their_error**4 / max(1.0, games - 1)
        freedom = error**4 / parts if parts else math.inf
    return float(2 * student.sf(abs(ours.value - value) / error, max(1.0, min(freedom, 1e6))))


def above(first: Measured | None, second: Measured | None) -> bool | None:
    """Whether the first is larger: True, False, or None when chance explains the difference.

    >>> above(share([True] * 90 + [False] * 10), share([True] * 50 + [False] * 50))
    True
    >>> above(share([True, False]), share([False, True])) is None
    True
    """
    if first is None or second is None:
        return None
    if first.kind == "share":
        chance = compatible(first, second.value, second.games, None)
    else:
        chance = compatible(first, second.value, second.games, second.spread)
    if first.value == second.value or (chance is not None and chance >= _LEVEL):
        return None
    return first.value > second.value


def beyond(measured: Measured | None, value: float) -> bool | None:
    """Whether a number is above a value: True or False when its interval leaves the value out, otherwise None.

    >>> beyond(share([True] * 90 + [False] * 10), 0.5), beyond(share([True, False]), 0.5)
    (True, None)
    """
    if measured is None or measured.low <= value <= measured.high:
        return None
    return measured.value > value


def every(answers: Sequence[bool | None]) -> bool | None:
    """True when all hold, False when one fails, None while one is open.

    >>> every([True, True]), every([True, None]), every([None, False])
    (True, None, False)
    """
    if any(answer is False for answer in answers):
        return False
    return None if not answers or any(answer is None for answer in answers) else True
