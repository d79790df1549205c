"""Numbers measured from games, with what is needed to compare them: value, number of games, spread.

A *share* counts hits among games (a draw is no win where papers count wins); its interval is that
of scores. A *mean* is taken over games; its interval is Student's. A speed is a mean that no other machine shares, a
gain the difference of two shares.

Games of several pairings are put together by `share_of_groups` and `mean_of_groups`: every group weighs the same,
however many games it has, and differences between groups are no spread.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from outflank.arena.statistics.estimates import CONFIDENCE, score

MeasureKind = Literal["share", "mean", "speed", "gain"]


@dataclass(frozen=True)
class Measured:
    """A number from games.

    >>> found = Measured("share", 0.5, 4)
    >>> found.hits, round(found.low, 2), round(found.high, 2)
    (2, 0.07, 0.93)
    """

    kind: MeasureKind
    value: float
    games: int
    spread: float = 0.0
    """Standard deviation over games, inside groups; 0 for a share."""
    worth: float = 0.0
    """How many games of one group say as much; `games` where it is 0."""
    freedom: float = 0.0
    """Degrees of freedom of the spread; one less than the games where it is 0."""

    @property
    def weight(self) -> float:
        """Games that it counts for."""
        return self.worth or self.games

    @property
    def hits(self) -> int:
        """Games that count, for a share."""
        return round(self.value * int(self.weight))

    @property
    def error(self) -> float:
        """Standard error of a mean."""
        return self.spread / math.sqrt(self.weight)

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the spread, at least one."""
        return max(1.0, self.freedom or self.games - 1.0)

    @cached_property
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        return self.interval(CONFIDENCE)[0]

    @cached_property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        return self.interval(CONFIDENCE)[1]

    def interval(self, confidence: float) -> tuple[float, float]:
        """The interval that holds the truth with this probability; a mean without spread has none but its value.

        >>> [round(end, 2) for end in Measured("mean", 2.0, 3, 1.0).interval(0.95)]
        [-0.48, 4.48]
        """
        if self.kind == "share":
            games = int(self.weight)
            found = score((games - self.hits, 0, self.hits), confidence)
            return found.low or 0.0, 1.0 if found.high is None else found.high
        from scipy.special import stdtrit

        reach = float(stdtrit(min(self.degrees, 1e9), (1 + confidence) / 2)) * self.error
        return self.value - reach, self.value + reach


def share(hits: Sequence[bool]) -> Measured | None:
    """The share of games that are hits; None without games.

    >>> share([True, True, False, False])
    Measured(kind='share', value=0.5, games=4, spread=0.0, worth=0.0, freedom=0.0)
    """
    return Measured("share", sum(hits) / len(hits), len(hits)) if hits else None


def mean(values: Sequence[float], kind: MeasureKind = "mean") -> Measured | None:
    """The mean over games; None without games.

    >>> found = mean([1.0, 2.0, 3.0])
    >>> found.value, found.spread
    (2.0, 1.0)
    """
    return mean_of_groups([values], kind) if values else None


def share_of_groups(groups: Sequence[Sequence[bool]]) -> Measured | None:
    """The mean of the shares of groups; None while one has no games.

    It is worth as many games as a share with its error would have: their number, where all groups have the same.

    >>> found = share_of_groups([[True] * 100, [True, False]])
    >>> found.value, found.games, round(found.weight, 1)
    (0.75, 102, 7.8)
    """
    if not groups or not all(groups):
        return None
    value = math.fsum(sum(group) / len(group) for group in groups) / len(groups)
    return Measured("share", value, sum(map(len, groups)), worth=_worth(groups))


def mean_of_groups(groups: Sequence[Sequence[float]], kind: MeasureKind = "mean") -> Measured | None:
    """The mean of the means of groups; None while one has no games.

    >>> found = mean_of_groups([[1.0, 3.0], [100.0, 102.0]])
    >>> found.value, round(found.spread, 2), found.degrees
    (51.5, 1.41, 2.0)
    """
    if not groups or not all(groups):
        return None
    games = sum(map(len, groups))
    centres = [math.fsum(group) / len(group) for group in groups]
    squares = [
        math.fsum((value - centre) ** 2 for value in group) / max(1, len(group) - 1)
        for group, centre in zip(groups, centres, strict=True)
    ]
    spread = math.sqrt(math.fsum(squares) / len(groups))
    error = math.sqrt(math.fsum(s / len(g) for s, g in zip(squares, groups, strict=True))) / len(groups)
    worth = (spread / error) ** 2 if error else _worth(groups)
    return Measured(kind, math.fsum(centres) / len(groups), games, spread, worth, max(1.0, games - float(len(groups))))


def _worth(groups: Sequence[Sequence[object]]) -> float:
    """Games of equal weight: all of them where groups are of one size, fewer where a small group weighs as much."""
    return len(groups) ** 2 / math.fsum(1 / len(group) for group in groups)


def gain(later: Measured | None, earlier: Measured | None) -> Measured | None:
    """One share less another, with its error; None while one is missing.

    >>> found = gain(Measured("share", 0.75, 100), Measured("share", 0.5, 100))
    >>> found.value, round(found.error, 3)
    (0.25, 0.066)
    """
    if later is None or earlier is None:
        return None
    shares = [((one.hits + 0.5) / (one.weight + 1), one.weight) for one in (later, earlier)]
    error = math.sqrt(math.fsum(chance * (1 - chance) / games for chance, games in shares))
    games = later.games + earlier.games
    return Measured("gain", later.value - earlier.value, games, error, worth=1.0, freedom=games - 2.0)
