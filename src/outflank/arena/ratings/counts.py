"""Results of many players as counts, and the cross table.

Only sums matter to ratings. `collect` reduces the games to counts: for every two players, how often a pair of games
(one opening, colours swapped) ended in each of its nine ways, and games without a partner in each of three per colour.
A million games become a few numbers per pairing.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.arena.statistics.pairs import Tally, half_points, paired
from outflank.errors import BadSpec

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
_WAYS = 15
"""Ways the pair of two players can end: 3·(result with black) + result with white; 9.. black only, 12.. white only."""
BLACK_POINTS = np.array([b for b in range(3) for _ in range(3)] + [0, 1, 2] + [np.nan] * 3) / 2
WHITE_POINTS = np.array([w for _ in range(3) for w in range(3)] + [np.nan] * 3 + [0, 1, 2]) / 2
"""Points of the first player with black and with white in each way; NaN where that game was not played."""


@dataclass(frozen=True, eq=False)
class ResultCounts:
    """Who made how many points against whom, pair by pair, as counts.

    >>> results = collect([("A", "B", 1.0, "f5"), ("B", "A", 0.5, "f5")])
    >>> results.players, results.games, results.pairs
    (('A', 'B'), 2, 1)
    """

    players: tuple[str, ...]
    """In alphabetical order."""
    first: Ints
    second: Ints
    """Numbers of the two players of each pairing, first < second."""
    ways: Floats
    """(pairings, 15): how often each way came, from the view of the first player."""

    @property
    def games(self) -> int:
        """All games."""
        return int(2 * self.ways[:, :9].sum() + self.ways[:, 9:].sum())

    @property
    def pairs(self) -> int:
        """Completed pairs."""
        return int(self.ways[:, :9].sum())


def collect(games: Iterable[tuple[str, str, float, Hashable | None]]) -> ResultCounts:
    """The counts of games (black, white, points of black, key of the pair), in any order.

    A key names one pair among the games of two players; None has no partner. A million games take one to two seconds.

    >>> collect([("A", "B", 1.0, 1), ("B", "A", 1.0, 1), ("A", "C", 0.5, None)]).pairs
    1
    """
    counts: dict[tuple[str, str], list[int]] = {}
    for pairing, black, white in paired(_by_first_player(games)):
        ways = counts.setdefault(pairing, [0] * _WAYS)
        if black is not None and white is not None:
            ways[3 * half_points(black) + half_points(white)] += 1
        elif black is not None:
            ways[9 + half_points(black)] += 1
        elif white is not None:
            ways[12 + half_points(white)] += 1
    players = tuple(sorted({player for pairing in counts for player in pairing}))
    number = {player: i for i, player in enumerate(players)}
    pairings = sorted(counts)
    return ResultCounts(
        players,
        np.array([number[one] for one, _ in pairings], np.int64),
        np.array([number[two] for _, two in pairings], np.int64),
        np.array([counts[pairing] for pairing in pairings], np.float64).reshape(-1, _WAYS),
    )


def _by_first_player(
    games: Iterable[tuple[str, str, float, Hashable | None]],
) -> Iterator[tuple[tuple[str, str], Hashable | None, bool, float]]:
    """Games as `paired` takes them: from the view of the player whose name comes first."""
    for black, white, points, key in games:
        if black == white:
            raise BadSpec(f"{black!r} plays against itself; expected two players with different names")
        if black < white:
            yield (black, white), key, True, points
        else:
            yield (white, black), key, False, 1 - points


@dataclass(frozen=True, eq=False)
class CrossTable:
    """Points and games of every player against every other; rows and columns in the order of `players`.

    >>> table = cross_table(collect([("A", "B", 1.0, 1), ("B", "A", 0.5, 1)]))
    >>> table.points.tolist(), table.games.tolist()
    ([[0.0, 1.5], [0.5, 0.0]], [[0, 2], [2, 0]])
    """

    players: tuple[str, ...]
    points: Floats
    games: Ints


def cross_table(results: ResultCounts) -> CrossTable:
    """Who made how many points against whom, in how many games.

    >>> cross_table(collect([("A", "B", 1.0, None)])).points[0, 1]
    np.float64(1.0)
    """
    n = len(results.players)
    sums = sums_of(results.first, results.second, results.ways)
    points, games = np.zeros((n, n)), np.zeros((n, n), np.int64)
    played = sums.games.sum(axis=1)
    points[results.first, results.second] = sums.points.sum(axis=1)
    points[results.second, results.first] = played - sums.points.sum(axis=1)
    games[results.first, results.second] = games[results.second, results.first] = played.astype(np.int64)
    return CrossTable(results.players, points, games)


def tallies(results: ResultCounts) -> dict[tuple[str, str], Tally]:
    """The match of every two players who played each other, from the view of either.

    >>> tallies(collect([("A", "B", 1.0, 1), ("B", "A", 0.5, 1)]))["A", "B"].pairs
    (0, 0, 0, 1, 0)
    """
    found = {}
    for first, second, ways in zip(results.first, results.second, results.ways.astype(int), strict=True):
        one, two, match = results.players[first], results.players[second], _tally(ways)
        found[one, two], found[two, one] = match, match.swapped
    return found


def _tally(ways: Ints) -> Tally:
    pairs = ways[:9].reshape(3, 3)  # by half points with black, and with white
    ll, ld, mid, wd, ww = (int(np.trace(pairs[::-1], k)) for k in range(-2, 3))
    black, white = pairs.sum(axis=1) + ways[9:12], pairs.sum(axis=0) + ways[12:]
    losses, draws, wins = (int(n) for n in black + white)
    as_black, as_white = ((int(x[0]), int(x[1]), int(x[2])) for x in (black, white))
    return Tally(wins, draws, losses, (ll, ld, mid, wd, ww), as_black, as_white)


class Sums(NamedTuple):
    """What the likelihood needs of the games. Columns: the first player with black, and with white."""

    first: Ints
    second: Ints
    games: Floats
    """(pairings, 2)"""
    points: Floats
    """(pairings, 2) of the first player."""

    def with_draws(self, draws: Floats) -> "Sums":
        """With so many more drawn games in each pairing, half of them per colour."""
        half = draws[:, None] / 2
        return self._replace(games=self.games + half, points=self.points + half / 2)


def sums_of(first: Ints, second: Ints, ways: Floats) -> Sums:
    """The sums of counts: games and points of every pairing."""
    played = np.column_stack([~np.isnan(BLACK_POINTS), ~np.isnan(WHITE_POINTS)]).astype(float)
    points = np.nan_to_num(np.column_stack([BLACK_POINTS, WHITE_POINTS]))
    return Sums(first, second, ways @ played, ways @ points)
