"""Players that are not searches of their own: random moves, the solver, and players around others."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from outflank.board import Position, Rules
from outflank.search.decision import Decision, RootMove
from outflank.search.limits import Limits
from outflank.search.memory import memory_for
from outflank.search.player import Player, Preparation
from outflank.search.solver import solve

_unjudged = cache(RootMove)
"""A move of which nothing is known."""


class RandomPlayer(Player):
    """Every legal move is as likely as any other."""

    kind = "random"

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:  # noqa: ARG002
        """A random move."""
        began = time.perf_counter()
        move = random.Random(seed).choice(position.moves)
        seconds = time.perf_counter() - began
        judged = tuple(map(_unjudged, position.moves))
        return Decision(move, position.turn, seconds=seconds, pv=(move,), moves=judged)


@dataclass(frozen=True)
class SolverPlayer(Player):
    """Perfect play, where the limits permit."""

    kind = "solver"

    by: Literal["margin", "wdl"]
    memory_mb: float
    threads: int = 1

    def __post_init__(self) -> None:
        with memory_for("memory", self.memory_mb):
            pass

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:  # noqa: ARG002
        """The best move, or the best one found so far with a note that it is not proven."""
        found = solve(position, by=self.by, limits=limits, memory_mb=self.memory_mb, threads=self.threads)
        return Decision(
            position.moves[0] if found.move is None else found.move,
            position.turn,
            value=found.score,
            nodes=found.nodes,
            depth=position.empties if found.exact else 0,
            seconds=found.seconds,
            pv=found.pv,
            moves=found.moves,
            finished=found.exact,
            note="" if found.exact else "not finished: a limit stopped the solver, the move is not proven best",
            unit="discs" if self.by == "margin" else "result",
            exact=found.exact,
        )


@dataclass(frozen=True)
class Around(Player):
    """A player that leaves to another what it does not do itself."""

    player: Player

    def new_game(self) -> None:
        """Tells the player."""
        self.player.new_game()

    def check_rules(self, rules: Rules) -> None:
        """Asks the player."""
        self.player.check_rules(rules)

    def be_brief(self) -> None:
        """Tells the player."""
        self.player.be_brief()

    def preparations(self, rules: Rules) -> list[Preparation]:
        """Those of the player."""
        return self.player.preparations(rules)


@dataclass(frozen=True)
class Erring(Around):
    """A player that draws a share of its moves at random, as all do in the Othello league."""

    share: float

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """The player's decision, or with this probability any legal move."""
        chance = random.Random(seed)
        chosen = RandomPlayer() if chance.random() < self.share else self.player
        return chosen.choose(position, limits, chance.getrandbits(60))


@dataclass(frozen=True)
class WithEndgame(Around):
    """A player that hands over to the solver when few squares are empty."""

    empties: int
    solver: SolverPlayer

    def preparations(self, rules: Rules) -> list[Preparation]:
        """Those of the player and of the solver."""
        return self.player.preparations(rules) + self.solver.preparations(rules)

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """Exact near the end, otherwise the player's; a solver stopped by a limit is not believed.

        Under a limit of time or nodes the solver gets half of it, and the player what is left.
        """
        *_, decision = self.think(position, limits, seed)
        return decision

    def think(self, position: Position, limits: Limits, seed: int) -> Iterator[Decision]:
        """The decision of the solver alone, or what the player thinks."""
        if position.empties <= self.empties:
            tried = self.solver.choose(position, _half(limits), seed)
            if tried.finished:
                yield tried
                return
            for decision in self.player.think(position, _rest(limits, tried), seed):
                yield replace(decision, nodes=tried.nodes + decision.nodes)
        else:
            yield from self.player.think(position, limits, seed)


def _half(limits: Limits) -> Limits:
    """Half the time and half the nodes."""
    return replace(
        limits,
        seconds=None if limits.seconds is None else limits.seconds / 2,
        nodes=None if limits.nodes is None else max(1, limits.nodes // 2),
    )


def _rest(limits: Limits, spent: Decision) -> Limits:
    """What a decision has left of time and nodes."""
    return replace(
        limits,
        seconds=None if limits.seconds is None else max(limits.seconds - spent.seconds, limits.seconds / 4),
        nodes=None if limits.nodes is None else max(1, limits.nodes - spent.nodes),
    )
