"""The table of ratings as a value that prints itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from outflank.arena.ratings.connection import Connections
from outflank.arena.ratings.counts import ResultCounts, cross_table
from outflank.arena.ratings.intervals import ELO, Spread
from outflank.arena.statistics.estimates import Estimate
from outflank.errors import BadSpec
from outflank.render import html_block, html_table, text_table


@dataclass(frozen=True, slots=True)
class Rating:
    """One line of the table.

    >>> from outflank.arena.ratings import collect, rate
    >>> rate(collect([("A", "B", 0.5, 1), ("B", "A", 0.5, 1)]))["A"].points
    1.0
    """

    player: str
    elo: Estimate
    games: int
    points: float
    group: int
    """Which of `Ratings.groups`; ratings of different groups cannot be compared."""


@dataclass(frozen=True, slots=True, repr=False)
class Ratings:
    """The table, group by group and best first.

    >>> from outflank.arena.ratings import collect, rate
    >>> table = rate(collect([("A", "B", 1.0, 1), ("B", "A", 0.5, 1), ("A", "B", 0.0, 2), ("B", "A", 0.5, 2)]))
    >>> [line.player for line in table.lines], table.above("A", "B"), table.warnings
    (['A', 'B'], 0.5, ())
    """

    lines: tuple[Rating, ...]
    advantage: Estimate | None
    """Elo that black is worth, if it was asked for."""
    groups: tuple[tuple[str, ...], ...]
    """Players connected by games, the largest group first."""
    warnings: tuple[str, ...]
    """What a reader of the table must be told."""
    superiority: tuple[tuple[float | None, ...], ...]
    """The probability that the player of line i is above that of line j; None across groups and with oneself."""

    def __getitem__(self, player: str) -> Rating:
        return self.lines[self._place(player)]

    def above(self, one: str, other: str) -> float | None:
        """The probability that one player is stronger than another; None if no games connect them."""
        return self.superiority[self._place(one)][self._place(other)]

    def _place(self, player: str) -> int:
        for place, line in enumerate(self.lines):
            if line.player == player:
                return place
        raise BadSpec(f"player {player!r} has no rating; expected one of: {', '.join(x.player for x in self.lines)}")

    def _rows(self) -> list[list[str]]:
        """Who, Elo with its interval, points, games; the number of the group where there are several."""
        names = _shown(self.lines)
        return [
            [
                names[line.player],
                f"{line.elo:+.0f}",
                f"{line.points:g} of {line.games}",
                f"group {line.group + 1}" if len(self.groups) > 1 else "",
            ]
            for line in self.lines
        ]

    def __str__(self) -> str:
        return "\n".join([text_table(self._rows()), *self.warnings])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The table, for notebooks."""
        table = html_table(["agent", "Elo, 95 % interval", "points", "group"], self._rows())
        return html_block("Ratings", *self.warnings, html=table)


def _shown(lines: Sequence[Rating]) -> dict[str, str]:
    """The names of players for people."""
    from outflank.agents.names import short_names  # loads the kernels, which statistics do not need

    return short_names(line.player for line in lines)


def ratings_of(
    results: ResultCounts,
    spread: Spread,
    connections: Connections,
    runaway: int | None,
    anchor: tuple[str, float] | None,
) -> Ratings:
    """The table of a spread."""
    n, group = len(results.players), connections.group
    order = sorted(range(n), key=lambda i: (group[i], -round(float(spread.values[i]), 9), results.players[i]))
    table = cross_table(results)
    bound = [*connections.bound, {None: "", 0: "", 1: "at least", -1: "at most", 2: "open"}[runaway]]
    numbers = [
        _with_bound(*(ELO * float(x) for x in ends), bound=which)
        for *ends, which in zip(spread.values, spread.low, spread.high, bound, strict=True)
    ]
    if anchor is not None:
        numbers[results.players.index(anchor[0])] = Estimate(anchor[1], anchor[1], anchor[1], False, "anchor")
    games, points = table.games.sum(axis=1), table.points.sum(axis=1)
    lines = [
        Rating(results.players[i], numbers[i], int(games[i]), float(points[i]), int(connections.group[i]))
        for i in order
    ]
    groups = [tuple(line.player for line in lines if line.group == k) for k in range(int(group.max()) + 1)]
    above = [
        tuple(float(spread.above[i, j]) if i != j and group[i] == group[j] else None for j in order) for i in order
    ]
    first_move = None if runaway is None else numbers[n]
    return Ratings(tuple(lines), first_move, tuple(groups), tuple(_warnings(lines, groups, bound[n])), tuple(above))


def _with_bound(value: float, low: float, high: float, *, bound: str) -> Estimate:
    if not bound:
        return Estimate(value, low, high, False, "" if high - low > 1e-6 else "reference")
    if bound == "open":
        return Estimate(value, None, None, True, "open: no games tell")
    note = f"{bound}: no game limits it"
    return Estimate(low, low, None, True, note) if bound == "at least" else Estimate(high, None, high, True, note)


def _warnings(lines: Sequence[Rating], groups: Sequence[Sequence[str]], first_move: str) -> Iterator[str]:
    if len(groups) > 1:
        yield f"{len(groups)} groups without games between them; only ratings of one group can be compared"
    bounded = [line for line in lines if line.elo.bounded]
    names = _shown(lines) if bounded else {}
    yield from (f"{names[line.player]}: {line.elo.note}" for line in bounded)
    if first_move:
        leaning = "" if all(len(group) == 2 for group in groups) else "; all ratings lean on imagined draws"
        yield f"advantage of black: {first_move}, no game limits it{leaning}"
