"""Tournaments in rounds: who meets whom next in a Swiss system or a knockout, from the results so far. Pure functions.

A round is a list of two agents each, who then play pairs of games; its result is the points of both. Everything depends
on the order of the agents in the file and on results alone, so that a tournament that was stopped goes on as it would
have: its rounds are worked out again from the games in the store.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2

Pairing = tuple[str, str]


@dataclass(frozen=True)
class Met:
    """What two agents did in a round; `score` is the difference of discs in all of its games, for the first."""

    first: str
    second: str
    points: float
    """Of the first."""
    most: float
    """Points that were to be had."""
    score: float = 0.0

    @property
    def winner(self) -> str:
        """By points, then by discs, then the first.

        >>> Met("A", "B", 1, 2, score=-4).winner
        'B'
        """
        ahead = 2 * self.points - self.most or self.score
        return self.second if ahead < 0 else self.first


@dataclass(frozen=True)
class Standing:
    """One line of the standings.

    >>> [line.agent for line in standings(["A", "B"], [Met("A", "B", 0, 2)])]
    ['B', 'A']
    """

    agent: str
    points: float
    games: int
    opposition: float
    """Points of all opponents together (Buchholz), which orders those with equal points."""
    score: float
    """Discs more than the opponents, in all games together."""


def standings(agents: Sequence[str], met: Iterable[Met], byes: Mapping[str, float] | None = None) -> list[Standing]:
    """Everybody, best first: by points, points of opponents, discs, order. A bye counts as points without a game."""
    points = dict.fromkeys(agents, 0.0) | dict(byes or {})
    games, score = dict.fromkeys(agents, 0), dict.fromkeys(agents, 0.0)
    opponents: dict[str, list[str]] = {agent: [] for agent in agents}
    for one in met:
        for agent, other, own, discs in (
            (one.first, one.second, one.points, one.score),
            (one.second, one.first, one.most - one.points, -one.score),
        ):
            points[agent] += own
            games[agent] += int(one.most)
            score[agent] += discs
            opponents[agent].append(other)
    lines = [
        Standing(agent, points[agent], games[agent], sum(points[other] for other in opponents[agent]), score[agent])
        for agent in agents
    ]
    return sorted(lines, key=lambda line: (-line.points, -line.opposition, -line.score))


# --- Swiss ----------------------------------------------------------------------------------------------------------


def usual_rounds(agents: int) -> int:
    """Rounds of a Swiss system that single out a winner.

    >>> usual_rounds(13), usual_rounds(2)
    (4, 1)
    """
    return max(ceil(log2(agents)), 1)


def swiss_round(
    agents: Sequence[str], met: Sequence[Met], byes: Mapping[str, float]
) -> tuple[list[Pairing], str | None]:
    """Who meets whom, and who has a bye: equals meet, nobody meets the same opponent again if it can be helped.

    >>> swiss_round(["A", "B", "C"], [], {})
    ([('A', 'B')], 'C')
    >>> swiss_round(["A", "B", "C", "D"], [Met("A", "B", 2, 2), Met("C", "D", 0, 2)], {})
    ([('A', 'D'), ('B', 'C')], None)
    """
    order = [line.agent for line in standings(agents, met, byes)]
    bye = None
    if len(order) % 2:  # the last one who had none yet
        bye = next((agent for agent in reversed(order) if agent not in byes), order[-1])
        order.remove(bye)
    before = {frozenset((one.first, one.second)) for one in met}
    return _paired(order, before, [_TRIES]) or list(zip(order[::2], order[1::2], strict=True)), bye


_TRIES = 100_000
"""Steps of the search for pairings without a repetition; few are needed while rounds are far fewer than agents."""


def _paired(order: Sequence[str], before: set[frozenset[str]], tries: list[int]) -> list[Pairing] | None:
    """Pairs the first with the next one who was not met, and so on; goes back where that leaves two who have met."""
    if not order:
        return []
    first, *others = order
    for other in others:
        tries[0] -= 1
        if tries[0] < 0:
            return None
        if frozenset((first, other)) not in before:
            rest = _paired([agent for agent in others if agent != other], before, tries)
            if rest is not None:
                return [(first, other), *rest]
    return None


# --- knockout -------------------------------------------------------------------------------------------------------


def knockout_round(agents: Sequence[str], rounds: Sequence[Sequence[Met]]) -> tuple[list[Pairing], list[str]]:
    """Who meets whom, and who goes on without a game, after these rounds; nobody meets anybody when one is left.

    The first in the file meets the last, and can meet the second only at the end.

    >>> knockout_round(["A", "B", "C"], [])
    ([('B', 'C')], ['A'])
    >>> knockout_round(["A", "B", "C"], [[Met("B", "C", 0, 2)]])
    ([('A', 'C')], [])
    """
    left: list[str | None] = [agents[place] if place < len(agents) else None for place in _bracket(len(agents))]
    pairs = _pairs_of(left)
    for met in rounds:
        winners: dict[frozenset[str | None], str] = {frozenset((one.first, one.second)): one.winner for one in met}
        left = [winners[frozenset(pair)] if frozenset(pair) in winners else pair[0] or pair[1] for pair in pairs]
        pairs = _pairs_of(left)
    games = [(one, other) for one, other in pairs if one is not None and other is not None]
    free = [one or other for one, other in pairs if (one is None) != (other is None)]
    return games, [agent for agent in free if agent is not None] if games else []


def _pairs_of(left: Sequence[str | None]) -> list[tuple[str | None, str | None]]:
    return list(zip(left[::2], left[1::2], strict=True)) if len(left) > 1 else []


def _bracket(agents: int) -> list[int]:
    """The places of a bracket in order: neighbours meet.

    >>> _bracket(4), _bracket(5)
    ([0, 3, 1, 2], [0, 7, 3, 4, 1, 6, 2, 5])
    """
    places = [0]
    while len(places) < agents:
        size = 2 * len(places)
        places = [place for one in places for place in (one, size - 1 - one)]
    return places
