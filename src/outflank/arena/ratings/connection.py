"""Who can be compared with whom, before any number is fitted.

Players whom no chain of games connects are in different groups, rated apart. Within a group the maximum of the
likelihood exists only if a chain of points leads from everyone to everyone (Ford 1957): the graph of who took points
from whom is strongly connected. Where it is not, somebody is infinitely strong, and the ratings of players outside the
core are bounds: "at least" or "at most".
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.arena.ratings.counts import Ints, Sums


class Connections(NamedTuple):
    """What the graph of points says before any number is fitted."""

    group: Ints
    """Of each player, 0 for the largest."""
    bound: npt.NDArray[np.str_]
    """Of each player: "" in the core of its group, "at least" above it, "at most" below it, "open" beside it."""
    crossing: npt.NDArray[np.bool_]
    """Of each pairing: one side took all points, and no chain of other games gives any back."""


def connections_of(players: Sequence[str], sums: Sums, anchor: tuple[str, float] | None) -> Connections:
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
    return Connections(group, bound, strong[sums.first] != strong[sums.second])


def _takers(sums: Sums) -> tuple[Ints, Ints]:
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


def runaway_advantage(sums: Sums, players: int) -> int:
    """0 when the advantage of black can be estimated; else 1 or -1 when the games allow it without limit, 2 both ways.

    The likelihood never falls towards h = 1, θ = d if d_giver - d_taker <= 1 for all points taken with black and <= -1
    for those taken with white. Such d exist unless there is a cycle of points taken more often with white than with
    black: a negative cycle in a graph of differences (Bellman 1958). For h = -1 the signs change.
    """
    up, down = _cycle_below_zero(sums, players, 1), _cycle_below_zero(sums, players, -1)
    return {(True, True): 0, (False, True): 1, (True, False): -1, (False, False): 2}[up, down]


def _cycle_below_zero(sums: Sums, players: int, black: int) -> bool:
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
