"""Ratings of many players from all games among them: Bradley & Terry's model, in Elo with 95 % intervals.

P(black beats white) = 1/(1 + exp(-(θ_black - θ_white + h))), and a draw is half a win for each (Bradley & Terry 1952;
h, the advantage of the first move, Davidson & Beaver 1977). Elo = θ·400/ln 10. The likelihood is concave, so Newton's
method finds its maximum in a handful of steps of some milliseconds. A GLM of statsmodels gives the same to nine
digits, but takes 2 s to import and 150 MB with pandas; choix gives no intervals.

Only sums matter. `collect` reduces the games to counts: for every two players, how often a pair of games (one opening,
colours swapped) ended in each of its nine ways, and lonely games in each of three per colour. A million games become
a few numbers per pairing, and everything below works on those.

Intervals. Games of a pair are not independent, so the variance is the sandwich H⁻¹MH⁻¹ (White 1982; Liang & Zeger
1986 for clusters), M summed over pairs. It would vanish when all pairs end alike, so every pairing adds one imagined
pair with the model's variance; that also makes up for the shortness of sandwiches made of few pairs (the usual
remedy, n/(n-1), is of the same size). The alternatives are the model's own H⁻¹, and a bootstrap that draws pairs with
replacement.

What games cannot tell. Players whom no chain of games connects are in different groups, rated apart. Within a group
the maximum exists only if a chain of points leads from everyone to everyone (Ford 1957): the graph of who took points
from whom is strongly connected. Where it is not, somebody is infinitely strong; then every pairing that only one side
took points from gets `pseudo_draws`, and the ratings of players outside the core are bounds: "at least" or "at most".
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.arena.stats import Estimate, Tally, half_points, paired
from outflank.errors import BadSpec
from outflank.render import html_block, html_table, text_table

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Errors = Literal["pairs", "model", "bootstrap"]

ELO = 400 / math.log(10)
"""Elo points of one unit of θ."""

_WAYS = 15
"""Ways the pair of two players can end: 3·(result with black) + result with white; 9.. black only, 12.. white only."""
_BLACK = np.array([b for b in range(3) for _ in range(3)] + [0, 1, 2] + [np.nan] * 3) / 2
_WHITE = np.array([w for _ in range(3) for w in range(3)] + [np.nan] * 3 + [0, 1, 2]) / 2
"""Points of the first player with black and with white in each way; NaN where that game was not played."""
_Z = 1.959963984540054
_HINT_OF_A_DRAW = 1e-3
"""Pseudo-draws per pairing in a bootstrap sample, which may leave out the only games that connect two players."""


@dataclass(frozen=True, eq=False)
class Results:
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
    """(pairings, 15): how often each way came, as seen from the first player."""

    @property
    def games(self) -> int:
        """All games."""
        return int(2 * self.ways[:, :9].sum() + self.ways[:, 9:].sum())

    @property
    def pairs(self) -> int:
        """Completed pairs."""
        return int(self.ways[:, :9].sum())


def collect(games: Iterable[tuple[str, str, float, Hashable | None]]) -> Results:
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
    return Results(
        players,
        np.array([number[one] for one, _ in pairings], np.int64),
        np.array([number[two] for _, two in pairings], np.int64),
        np.array([counts[pairing] for pairing in pairings], np.float64).reshape(-1, _WAYS),
    )


def _by_first_player(
    games: Iterable[tuple[str, str, float, Hashable | None]],
) -> Iterator[tuple[tuple[str, str], Hashable | None, bool, float]]:
    """Games as `paired` takes them: seen from the player whose name comes first."""
    for black, white, points, key in games:
        if black == white:
            raise BadSpec(f"{black!r} plays against itself; expected two players with different names")
        if black < white:
            yield (black, white), key, True, points
        else:
            yield (white, black), key, False, 1 - points


# ------------------------------------------------------------------------------------------------------ cross table


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


def cross_table(results: Results) -> CrossTable:
    """Who made how many points against whom, in how many games.

    >>> cross_table(collect([("A", "B", 1.0, None)])).points[0, 1]
    np.float64(1.0)
    """
    n = len(results.players)
    sums = _sums(results.first, results.second, results.ways)
    points, games = np.zeros((n, n)), np.zeros((n, n), np.int64)
    played = sums.games.sum(axis=1)
    points[results.first, results.second] = sums.points.sum(axis=1)
    points[results.second, results.first] = played - sums.points.sum(axis=1)
    games[results.first, results.second] = games[results.second, results.first] = played.astype(np.int64)
    return CrossTable(results.players, points, games)


def tallies(results: Results) -> dict[tuple[str, str], Tally]:
    """The match of every two players who met, seen from either side.

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


class _Sums(NamedTuple):
    """What the likelihood needs of the games. Columns: the first player with black, and with white."""

    first: Ints
    second: Ints
    games: Floats
    """(pairings, 2)"""
    points: Floats
    """(pairings, 2) of the first player."""

    def with_draws(self, draws: Floats) -> "_Sums":
        """With so many more drawn games in each pairing, half of them per colour."""
        half = draws[:, None] / 2
        return self._replace(games=self.games + half, points=self.points + half / 2)


def _sums(first: Ints, second: Ints, ways: Floats) -> _Sums:
    played = np.column_stack([~np.isnan(_BLACK), ~np.isnan(_WHITE)]).astype(float)
    points = np.nan_to_num(np.column_stack([_BLACK, _WHITE]))
    return _Sums(first, second, ways @ played, ways @ points)


# ---------------------------------------------------------------------------------------------------------- ratings


@dataclass(frozen=True, slots=True)
class Rating:
    """One line of the table.

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
        from outflank.agents.names import short_name  # loads the kernels, which statistics do not need

        return [
            [
                short_name(line.player),
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


def rate(
    results: Results,
    *,
    anchor: tuple[str, float] | None = None,
    advantage: bool = False,
    errors: Errors = "pairs",
    pseudo_draws: float = 1.0,
    replicates: int = 1000,
    seed: int | None = None,
) -> Ratings:
    """Ratings in Elo. The anchor (player, Elo) stays where it is put; in groups without it the core has mean 0.

    `advantage` fits what black is worth. `errors` names the source of the intervals; `bootstrap` needs a `seed` and
    draws `replicates` times. `pseudo_draws` are added only to pairings that would make somebody infinitely strong.

    >>> games = [("A", "B", 1.0, i) for i in range(10)] + [("B", "A", 0.5, i) for i in range(9)] + [("B", "A", 1.0, 9)]
    >>> table = rate(collect(games), anchor=("B", 1500))
    >>> [(line.player, round(line.elo.value), line.games) for line in table.lines]
    [('A', 1668, 20), ('B', 1500, 20)]
    """
    _check(results, anchor, errors, pseudo_draws, replicates, seed)
    if not results.players:
        return Ratings((), None, (), (), ())
    sums = _sums(results.first, results.second, results.ways)
    standing = _standing(results.players, sums, anchor)
    runaway = _runaway(sums, len(results.players)) if advantage else 0
    draws = np.where(standing.crossing | (runaway != 0), pseudo_draws, 0.0)
    fit = _fit(sums.with_draws(draws), standing.group, advantage)
    frame = _frame(standing, anchor, results.players)
    spread = _spread_of_covariance(fit, _sandwich(results, fit, draws, errors), frame)
    if errors == "bootstrap" and seed is not None:
        samples = _bootstrap(results, standing.group, draws, fit, replicates, np.random.default_rng(seed))
        spread = _merged(spread, _spread_of_samples(samples, frame), standing.bound == "")
    return _table(results, frame.placed(fit.values), spread, standing, runaway if advantage else None, anchor)


def _check(
    results: Results,
    anchor: tuple[str, float] | None,
    errors: str,
    pseudo_draws: float,
    replicates: int,
    seed: int | None,
) -> None:
    if errors not in ("pairs", "model", "bootstrap"):
        raise BadSpec(f"errors={errors!r} is not known; expected one of: pairs, model, bootstrap")
    if errors == "bootstrap" and (seed is None or replicates < 2):
        raise BadSpec(f"bootstrap with seed={seed}, replicates={replicates}; expected a seed and 2 replicates or more")
    if not 0 < pseudo_draws < math.inf:
        raise BadSpec(f"pseudo_draws={pseudo_draws} is not possible; expected more than 0")
    if anchor is not None and anchor[0] not in results.players:
        raise BadSpec(f"anchor {anchor[0]!r} played no game; expected one of: {', '.join(results.players)}")
    if anchor is not None and not math.isfinite(anchor[1]):
        raise BadSpec(f"anchor {anchor[0]!r} at {anchor[1]} Elo is not possible; expected a number")


# --------------------------------------------------------------------------------------------- who can be compared


class _Standing(NamedTuple):
    """What the graph of points says before any number is fitted."""

    group: Ints
    """Of each player, 0 for the largest."""
    bound: npt.NDArray[np.str_]
    """Of each player: "" in the core of its group, "at least" above it, "at most" below it, "open" beside it."""
    crossing: npt.NDArray[np.bool_]
    """Of each pairing: one side took all points, and no chain of other games gives any back."""


def _standing(players: Sequence[str], sums: _Sums, anchor: tuple[str, float] | None) -> _Standing:
    """Groups (connected), and in each its core: the strongly connected part of the anchor, or else the largest."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    n = len(players)
    one, two = _takers(sums)
    took = csr_array((np.ones(len(one)), (one, two)), shape=(n, n))
    group = _by_size(connected_components(took, directed=True, connection="weak")[1])
    strong = _by_size(connected_components(took, directed=True, connection="strong")[1])
    bound = np.full(n, "open", dtype="<U8")
    for number in range(int(group.max(initial=-1)) + 1):
        members = np.flatnonzero(group == number)
        middle = members[np.argmin(strong[members])]
        if anchor is not None and players.index(anchor[0]) in members:
            middle = players.index(anchor[0])
        below = breadth_first_order(took, middle, return_predecessors=False)
        above = breadth_first_order(took.T.tocsr(), middle, return_predecessors=False)
        bound[above], bound[below] = "at least", "at most"
        bound[np.intersect1d(above, below)] = ""
    return _Standing(group, bound, strong[sums.first] != strong[sums.second])


def _takers(sums: _Sums) -> tuple[Ints, Ints]:
    """Edges of the graph of points: who took any from whom."""
    gave = sums.points.sum(axis=1) < sums.games.sum(axis=1)
    got = sums.points.sum(axis=1) > 0
    return (
        np.concatenate([sums.first[got], sums.second[gave]]),
        np.concatenate([sums.second[got], sums.first[gave]]),
    )


def _by_size(labels: Ints) -> Ints:
    """The same parts numbered from the largest; parts of one size in the order of their first members."""
    names, starts, sizes = np.unique(labels, return_index=True, return_counts=True)
    number = np.empty(len(names), np.int64)
    number[np.lexsort((starts, -sizes))] = np.arange(len(names))
    return number[labels]


def _runaway(sums: _Sums, players: int) -> int:
    """0 when the advantage of black can be estimated; else 1 or -1 when the games allow it without limit, 2 both ways.

    The likelihood never falls towards h = 1, θ = d if d_giver - d_taker <= 1 for all points taken with black and <= -1
    for those taken with white. Such d exist unless there is a cycle of points taken more often with white than with
    black: a negative cycle in a graph of differences (Bellman 1958). For h = -1 the signs change.
    """
    up, down = _cycle_below_zero(sums, players, 1), _cycle_below_zero(sums, players, -1)
    return {(True, True): 0, (False, True): 1, (True, False): -1, (False, False): 2}[up, down]


def _cycle_below_zero(sums: _Sums, players: int, black: int) -> bool:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import NegativeCycleError, bellman_ford

    length = np.full((players + 1, players + 1), 2.0)  # 2: no edge
    length[players, :players] = 1.0  # from an extra place everyone is reached
    gave = sums.games - sums.points
    for column, sign in ((0, black), (1, -black)):
        got = sums.points[:, column] > 0
        np.minimum.at(length, (sums.first[got], sums.second[got]), sign)
        lost = gave[:, column] > 0
        np.minimum.at(length, (sums.second[lost], sums.first[lost]), -sign)
    one, two = np.nonzero(length < 2)
    try:
        bellman_ford(csr_array((length[one, two], (one, two)), shape=length.shape), indices=players)
    except NegativeCycleError:
        return True
    return False


# --------------------------------------------------------------------------------------------------------- the fit


class _Fit(NamedTuple):
    """The maximum of the likelihood. Vectors hold θ of every player, then h (0 if it was not fitted)."""

    values: Floats
    chances: Floats
    """(pairings, 2): expected points per game of the first player with black and with white."""
    covariance: Floats
    """H⁻¹, H being minus the second derivative of the log-likelihood, where the mean of every group is fixed."""
    colour: Floats
    """What h counts in the two columns: (1, -1), or (0, 0) if it is not fitted."""


def _fit(sums: _Sums, group: Ints, advantage: bool, start: Floats | None = None) -> _Fit:
    """Newton's method with halved steps where a full one would make the games less likely."""
    n = len(group)
    colour = np.array([1.0, -1.0]) if advantage else np.zeros(2)
    fixed = _fixed_directions(group, advantage)
    values = np.zeros(n + 1) if start is None else start.copy()
    likelihood = _log_likelihood(sums, values, colour)
    for _ in range(100):
        chances = _chances(sums, values, colour)
        excess = sums.points - sums.games * chances
        gradient = _added_up(sums, n, excess.sum(axis=1), excess @ colour)
        information = _information(sums, n, chances, colour)
        step = np.linalg.solve(information + fixed, gradient)
        length = 1.0
        while (new := _log_likelihood(sums, values + length * step, colour)) < likelihood - 1e-9 and length > 1e-6:
            length /= 2
        values, likelihood = values + length * step, new
        if np.abs(step).max(initial=0.0) < 1e-9:
            break
    return _Fit(values, chances, np.linalg.inv(information + fixed) - fixed, colour)


def _fixed_directions(group: Ints, advantage: bool) -> Floats:
    """The projector on what games cannot tell: the mean of every group, and h when it is not fitted."""
    n = len(group)
    fixed = np.zeros((n + 1, n + 1))
    fixed[:n, :n] = (group[:, None] == group) / np.bincount(group, minlength=1)[group]
    fixed[n, n] = not advantage
    return fixed


def _differences(sums: _Sums, values: Floats, colour: Floats) -> Floats:
    return np.asarray((values[sums.first] - values[sums.second])[:, None] + colour * values[-1])


def _chances(sums: _Sums, values: Floats, colour: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * _differences(sums, values, colour))))


def _log_likelihood(sums: _Sums, values: Floats, colour: Floats) -> float:
    differences = _differences(sums, values, colour)
    return float((sums.points * differences - sums.games * np.logaddexp(0, differences)).sum())


def _added_up(sums: _Sums, n: int, strength: Floats, colour: Floats) -> Floats:
    """A vector from what each pairing says of θ_first - θ_second and of h."""
    gains = np.bincount(sums.first, strength, n) - np.bincount(sums.second, strength, n)
    return np.append(gains, colour.sum())


def _blocks(sums: _Sums, n: int, strength: Floats, mixed: Floats, colour: Floats) -> Floats:
    """A matrix from what each pairing says of (θ_first - θ_second)², of its product with h, and of h²."""
    one, two = sums.first, sums.second
    matrix = np.zeros((n + 1, n + 1))
    np.add.at(matrix, (one, one), strength)
    np.add.at(matrix, (two, two), strength)
    np.add.at(matrix, (one, two), -strength)
    np.add.at(matrix, (two, one), -strength)
    matrix[n] = matrix[:, n] = _added_up(sums, n, mixed, colour)
    return matrix


def _information(sums: _Sums, n: int, chances: Floats, colour: Floats) -> Floats:
    weight = sums.games * chances * (1 - chances)
    return _blocks(sums, n, weight.sum(axis=1), weight @ colour, weight @ colour**2)


# ------------------------------------------------------------------------------------------------------- intervals


def _sandwich(results: Results, fit: _Fit, draws: Floats, errors: Errors) -> Floats:
    """The covariance of the fitted values: H⁻¹MH⁻¹ over pairs, or the model's own.

    In pairings that needed pseudo-draws nothing varies, so M takes the model's variance there.
    """
    if errors == "model":
        return fit.covariance
    n = len(fit.values) - 1
    sums = _sums(results.first, results.second, results.ways)
    black = np.nan_to_num(_BLACK - fit.chances[:, :1])
    white = np.nan_to_num(_WHITE - fit.chances[:, 1:])
    strength, colour = black + white, fit.colour[0] * black + fit.colour[1] * white
    spread = [(results.ways * product).sum(axis=1) for product in (strength**2, strength * colour, colour**2)]
    units = results.ways.sum(axis=1)
    weight = sums.with_draws(draws).games * fit.chances * (1 - fit.chances)
    model = [weight.sum(axis=1), weight @ fit.colour, weight @ fit.colour**2]
    parts = [np.where(draws > 0, own, seen + own / units) for seen, own in zip(spread, model, strict=True)]
    return fit.covariance @ _blocks(sums, n, *parts) @ fit.covariance


def _bootstrap(
    results: Results, group: Ints, draws: Floats, fit: _Fit, replicates: int, rng: np.random.Generator
) -> Floats:
    """(replicates, players + 1): fitted values of tournaments made of pairs drawn from this one."""
    happened = np.nonzero(results.ways)
    counts = results.ways[happened]
    total = int(counts.sum())
    samples = np.empty((replicates, len(fit.values)))
    for sample in samples:
        ways = np.zeros_like(results.ways)
        ways[happened] = rng.multinomial(total, counts / total)
        sums = _sums(results.first, results.second, ways).with_draws(np.maximum(draws, _HINT_OF_A_DRAW))
        sample[:] = _fit(sums, group, bool(fit.colour.any()), fit.values).values
    return samples


class _Frame(NamedTuple):
    """From fitted values to the scale of the table: `matrix` moves every group to its reference, `offset` lifts it."""

    matrix: Floats
    offset: Floats

    def placed(self, values: Floats) -> Floats:
        """In the table's scale, units of θ."""
        return np.asarray(values @ self.matrix.T + self.offset)


def _frame(standing: _Standing, anchor: tuple[str, float] | None, players: Sequence[str]) -> _Frame:
    n = len(players)
    matrix, offset = np.eye(n + 1), np.zeros(n + 1)
    for number in np.unique(standing.group):
        members = np.flatnonzero(standing.group == number)
        reference = members[standing.bound[members] == ""]
        if anchor is not None and players.index(anchor[0]) in members:
            reference = np.array([players.index(anchor[0])])
            offset[members] = anchor[1] / ELO
        matrix[np.ix_(members, reference)] -= 1 / len(reference)
    return _Frame(matrix, offset)


class _Spread(NamedTuple):
    """Ends of the intervals of all values in the table's scale, and who is above whom."""

    low: Floats
    high: Floats
    above: Floats


def _spread_of_covariance(fit: _Fit, covariance: Floats, frame: _Frame) -> _Spread:
    from scipy.special import ndtr

    values = frame.placed(fit.values)
    moved = frame.matrix @ covariance @ frame.matrix.T
    reach = _Z * np.sqrt(np.maximum(np.diag(moved), 0))
    variances = np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance
    deviations = np.sqrt(np.maximum(variances, 1e-30))  # not zero: the diagonal
    above = ndtr((values[:, None] - values) / deviations)
    return _Spread(values - reach, values + reach, above[:-1, :-1])


def _spread_of_samples(samples: Floats, frame: _Frame) -> _Spread:
    placed = frame.placed(samples)
    low, high = np.quantile(placed, [0.025, 0.975], axis=0)
    n = placed.shape[1] - 1
    above = np.empty((n, n))
    for player in range(n):
        gap = placed[:, player, None] - placed[:, :n]
        above[player] = ((gap > 0) + 0.5 * (gap == 0)).mean(axis=0)
    return _Spread(low, high, above)


def _merged(model: _Spread, sampled: _Spread, core: npt.NDArray[np.bool_]) -> _Spread:
    """Samples where they say something: who lost nothing, or only drew, does so in every sample."""
    varied = np.append(core, True) & (sampled.high - sampled.low > 1e-9)
    return _Spread(
        np.where(varied, sampled.low, model.low),
        np.where(varied, sampled.high, model.high),
        np.where(core[:, None] & core, sampled.above, model.above),
    )


# ------------------------------------------------------------------------------------------------------- the table


def _table(
    results: Results,
    values: Floats,
    spread: _Spread,
    standing: _Standing,
    runaway: int | None,
    anchor: tuple[str, float] | None,
) -> Ratings:
    n = len(results.players)
    order = sorted(range(n), key=lambda i: (standing.group[i], -round(float(values[i]), 9), results.players[i]))
    table = cross_table(results)
    bound = [*standing.bound, {None: "", 0: "", 1: "at least", -1: "at most", 2: "open"}[runaway]]
    numbers = [
        _with_bound(*(ELO * float(x) for x in ends), bound=which)
        for *ends, which in zip(values, spread.low, spread.high, bound, strict=True)
    ]
    if anchor is not None:
        numbers[results.players.index(anchor[0])] = Estimate(anchor[1], anchor[1], anchor[1], False, "anchor")
    games, points = table.games.sum(axis=1), table.points.sum(axis=1)
    lines = [
        Rating(results.players[i], numbers[i], int(games[i]), float(points[i]), int(standing.group[i])) for i in order
    ]
    groups = [tuple(line.player for line in lines if line.group == k) for k in range(int(standing.group.max()) + 1)]
    above = [
        tuple(float(spread.above[i, j]) if i != j and standing.group[i] == standing.group[j] else None for j in order)
        for i in order
    ]
    first_move = None if runaway is None else numbers[n]
    return Ratings(tuple(lines), first_move, tuple(groups), tuple(_warnings(lines, groups, bound[n])), tuple(above))


def _with_bound(value: float, low: float, high: float, *, bound: str) -> Estimate:
    if not bound:
        return Estimate(value, low, high, False, "" if high - low > 1e-6 else "reference")
    note = "open: no games tell" if bound == "open" else f"{bound}: no game limits it"
    return Estimate(value, low if bound == "at least" else None, high if bound == "at most" else None, True, note)


def _warnings(lines: Sequence[Rating], groups: Sequence[Sequence[str]], first_move: str) -> Iterator[str]:
    if len(groups) > 1:
        yield f"{len(groups)} groups without games between them; only ratings of one group can be compared"
    for line in lines:
        if line.elo.bounded:
            yield f"{line.player}: {line.elo.note}"
    if first_move:
        yield f"advantage of black: {first_move}; all ratings lean on imagined draws"
