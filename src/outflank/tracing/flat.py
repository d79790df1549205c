"""Flat Monte Carlo playout by playout: the moves of the root take turns, and every game is told."""

import random
from dataclasses import dataclass
from typing import Any

from outflank.board import Color, Move, Position
from outflank.search.clock import told_to_stop
from outflank.search.montecarlo import MOVE_STREAMS, FlatMonteCarlo
from outflank.tracing.playouts import PlayoutRules, numbers

MOST_PLAYOUTS = 1500
"""Of a trace, all moves together."""


@dataclass(frozen=True)
class PlayoutOf:
    """A game played out after one of the moves."""

    move: Move
    line: tuple[Move, ...]
    """What followed it."""
    black: int
    white: int
    """Discs at its end."""
    reward: float
    """Points of the side that searches: 1 for a win."""


@dataclass(frozen=True)
class FlatTrace:
    """A flat Monte Carlo search as events."""

    events: tuple[PlayoutOf, ...]
    wanted: int
    """Playouts of the whole search."""
    shares: dict[Move, float]
    """Points per playout of every move."""
    move: Move | None

    @property
    def complete(self) -> bool:
        """Whether all playouts are told."""
        return len(self.events) == self.wanted

    def facts(self) -> dict[str, Any]:
        """Plain data for the page: each playout as a row."""
        rows = [list(vars(event).values()) for event in self.events]
        return {"events": rows, "wanted": self.wanted, "complete": self.complete, "move": self.move}


def trace_flat(search: FlatMonteCarlo, position: Position, playouts: int, seed: int) -> FlatTrace:
    """The events of so many playouts for every legal move.

    >>> found = trace_flat(FlatMonteCarlo(), Position.parse("-X-X-XXOOXOOXXXO O"), 20, seed=1)
    >>> found.shares, found.move
    ({a1: 0.5, c1: 1.0, a2: 0.0}, c1)
    """
    rules, moves = PlayoutRules(search.policy, position), position.moves
    events: list[PlayoutOf] = []
    points = dict.fromkeys(moves, 0.0)
    most = min(playouts, MOST_PLAYOUTS // max(len(moves), 1))
    for game in range(most):
        if told_to_stop():
            break
        for number, move in enumerate(moves):
            drawn = numbers(seed & (2**64 - 1), number * MOVE_STREAMS + game)
            played = rules.play(position.play(move), drawn)
            reward = played.reward(position.turn, search.draw)
            points[move] += reward
            discs = played.end.discs(Color.BLACK), played.end.discs(Color.WHITE)
            events.append(PlayoutOf(move, played.line, *discs, reward))
    rounds = len(events) // max(len(moves), 1)
    shares = {move: total / rounds for move, total in points.items()} if rounds else {}
    best = [move for move in shares if shares[move] == max(shares.values())]
    chosen = random.Random(seed).choice(best) if best else None
    return FlatTrace(tuple(events), playouts * len(moves), shares, chosen)
