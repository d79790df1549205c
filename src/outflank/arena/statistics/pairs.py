"""Counting: games become pairs, pairs become counts."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from outflank.errors import BadSpec

Counts = Sequence[int]
"""How often each result came, worst first: (losses, draws, wins) of games, or the five of pairs."""
MatchKey = TypeVar("MatchKey", bound=Hashable)


def paired(
    games: Iterable[tuple[MatchKey, Hashable | None, bool, float]],
) -> Iterator[tuple[MatchKey, float | None, float | None]]:
    """(match, points with black, points with white) of each complete pair; games without a partner come with a None.

    A game is (match, key of its pair, whether black was played, points). A key names one pair of a match; a game with
    the key None has no partner. Only open pairs are held in memory. A game that comes again before its partner sets
    the first one free as a game without a partner.

    >>> list(paired([("AB", "f5", True, 1.0), ("AB", "d3", True, 0.5), ("AB", "f5", False, 0.0)]))
    [('AB', 1.0, 0.0), ('AB', 0.5, None)]
    """
    waiting: dict[tuple[MatchKey, Hashable, bool], float] = {}
    for match, key, black, points in games:
        partner = waiting.pop((match, key, not black), None)
        if partner is not None:
            yield (match, points, partner) if black else (match, partner, points)
            continue
        alone = points if key is None else waiting.get((match, key, black))
        if alone is not None:
            yield (match, alone, None) if black else (match, None, alone)
        if key is not None:
            waiting[match, key, black] = points
    for (match, _, black), points in waiting.items():
        yield (match, points, None) if black else (match, None, points)


@dataclass(frozen=True, slots=True)
class Tally:
    """Results of A against B. Triples are (losses, draws, wins); `pairs` counts completed pairs by A's points.

    >>> match = Tally(wins=3, draws=1, losses=0, pairs=(0, 0, 0, 1, 1))
    >>> match.games, match.points, match.swapped.pairs, (match + match.swapped).points
    (4, 3.5, (1, 1, 0, 0, 0), 4.0)
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    """Pairs in which A made 0, ½, 1, 1½, 2 points."""
    as_black: tuple[int, int, int] = (0, 0, 0)
    as_white: tuple[int, int, int] = (0, 0, 0)

    def __post_init__(self) -> None:
        counts = (self.losses, self.draws, self.wins, *self.pairs, *self.as_black, *self.as_white)
        if min(counts) < 0 or 2 * sum(self.pairs) > self.games or sum(self.as_black + self.as_white) > self.games:
            raise BadSpec(f"{self} is not possible; expected counts of 0 or more, and no more pairs than games allow")

    @property
    def games(self) -> int:
        """All games, those without a partner included."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Points of A in all games."""
        return self.wins + self.draws / 2

    @property
    def counts(self) -> Counts:
        """What the estimates below are made from: the pairs, or the games while there is no completed pair."""
        return self.pairs if any(self.pairs) else (self.losses, self.draws, self.wins)

    @property
    def swapped(self) -> "Tally":
        """The same match from B's view: A's games with black are B's with white."""
        ll, ld, mid, wd, ww = self.pairs
        black, white = _reversed(self.as_white), _reversed(self.as_black)
        return Tally(self.losses, self.draws, self.wins, (ww, wd, mid, ld, ll), black, white)

    def __add__(self, other: "Tally") -> "Tally":
        ll, ld, mid, wd, ww = (x + y for x, y in zip(self.pairs, other.pairs, strict=True))
        return Tally(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            (ll, ld, mid, wd, ww),
            _added(self.as_black, other.as_black),
            _added(self.as_white, other.as_white),
        )


def _reversed(triple: tuple[int, int, int]) -> tuple[int, int, int]:
    return triple[2], triple[1], triple[0]


def _added(one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int, int]:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def tally(games: Iterable[tuple[Hashable | None, bool, float]]) -> Tally:
    """The match made of these games: (key of the pair, whether A was black, points of A), in any order.

    >>> tally([("f5", True, 1.0), ("f5", False, 0.5), ("d3", True, 0.0)])
    Tally(wins=1, draws=1, losses=1, pairs=(0, 0, 0, 1, 0), as_black=(1, 0, 1), as_white=(0, 1, 0))
    """
    pairs, as_black, as_white = [0] * 5, [0] * 3, [0] * 3
    for _, with_black, with_white in paired((None, key, black, points) for key, black, points in games):
        if with_black is not None:
            as_black[half_points(with_black)] += 1
        if with_white is not None:
            as_white[half_points(with_white)] += 1
        if with_black is not None and with_white is not None:
            pairs[half_points(with_black) + half_points(with_white)] += 1
    losses, draws, wins = (x + y for x, y in zip(as_black, as_white, strict=True))
    ll, ld, mid, wd, ww = pairs
    return Tally(wins, draws, losses, (ll, ld, mid, wd, ww), _triple(as_black), _triple(as_white))


def _triple(counts: Sequence[int]) -> tuple[int, int, int]:
    return counts[0], counts[1], counts[2]


def half_points(points: float) -> int:
    """0, 1 or 2 for a loss, a draw or a win.

    >>> half_points(0.5)
    1
    """
    halves = 2 * points
    if halves not in (0, 1, 2):
        raise BadSpec(f"{points} is not a result; expected 0, 0.5 or 1 points")
    return int(halves)
