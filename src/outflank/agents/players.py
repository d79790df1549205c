"""Players that are not searches of their own: by lot, by the solver, by a person's code."""

import inspect
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal, Protocol

from outflank.board import Position
from outflank.errors import BadSpec, IllegalMove
from outflank.evaluation import load_object
from outflank.search.limits import Decision, Limits, RootMove
from outflank.search.solver import solve


class Player(Protocol):
    """What every search offers."""

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """The decision in a position that has a legal square to play."""
        ...


def think(player: Player, position: Position, limits: Limits, seed: int) -> Iterator[Decision]:
    """What a player would decide, better and better, where it can tell; the last one is its decision."""
    thinking: Callable[..., Iterator[Decision]] | None = getattr(player, "think", None)
    if thinking is None:
        yield player.choose(position, limits, seed)
    else:
        yield from thinking(position, limits, seed)


_unjudged = cache(RootMove)
"""A move of which nothing is known."""


class RandomPlayer:
    """Every legal move is as likely as any other."""

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:  # noqa: ARG002
        """A move by lot."""
        began = time.perf_counter()
        move = random.Random(seed).choice(position.moves)
        seconds = time.perf_counter() - began
        judged = tuple(map(_unjudged, position.moves))
        return Decision(move, position.turn, seconds=seconds, pv=(move,), moves=judged)


@dataclass(frozen=True)
class SolverPlayer:
    """Perfect play, where the limits permit."""

    by: Literal["margin", "wdl"]
    memory_mb: float

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:  # noqa: ARG002
        """The best move, or the best one found so far with a note that it is not proven."""
        found = solve(position, by=self.by, limits=limits, memory_mb=self.memory_mb)
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
        )


@dataclass(frozen=True)
class WithEndgame:
    """A player that hands over to the solver when few squares are empty."""

    player: Player
    empties: int
    solver: SolverPlayer

    def new_game(self) -> None:
        """Tells the player."""
        getattr(self.player, "new_game", lambda: None)()

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """Exact near the end, otherwise the player's; a solver stopped by a limit is not believed.

        Under a time limit the solver gets half of it, and the player what is left.
        """
        *_, decision = self.think(position, limits, seed)
        return decision

    def think(self, position: Position, limits: Limits, seed: int) -> Iterator[Decision]:
        """The decision of the solver alone, or what the player thinks."""
        if position.empties <= self.empties:
            half = limits if limits.seconds is None else replace(limits, seconds=limits.seconds / 2)
            decision = self.solver.choose(position, half, seed)
            if decision.finished:
                yield decision
                return
            if limits.seconds is not None:
                limits = replace(limits, seconds=max(limits.seconds - decision.seconds, limits.seconds / 4))
        yield from think(self.player, position, limits, seed)


class OwnPlayer:
    """A person's class or function behind the interface of all players."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.name = name
        module, _, attribute = name.partition(":")
        thing = load_object(module, attribute, "class with a method choose(position), or function of a position")
        if inspect.isclass(thing) or options:
            try:
                thing = thing(**options)
            except Exception as error:  # a person's code may raise anything
                raise BadSpec(f"cannot make {name} with {options}: {type(error).__name__}: {error}") from error
        self._choose: Callable[..., Any] = getattr(thing, "choose", thing)
        if not callable(self._choose):
            raise BadSpec(f"{name} cannot play: expected a method choose(position) or a function of a position")
        self._reset: Callable[[], None] = getattr(thing, "new_game", lambda: None)
        self._extra = [word for word in ("limits", "seed") if word in inspect.signature(self._choose).parameters]

    def new_game(self) -> None:
        """Calls the player's own `new_game` where it has one."""
        self._reset()

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """What the player answered, checked."""
        given = {"limits": limits, "seed": seed}
        answer = self._choose(position, **{word: given[word] for word in self._extra})
        decision = answer if isinstance(answer, Decision) else None
        move = decision.move if decision else answer
        if isinstance(move, str):
            move = position.rules.square(move)
        if isinstance(move, bool) or not hasattr(move, "__index__") or move.__index__() not in position.moves:
            legal = " ".join(map(str, position.moves))
            raise IllegalMove(f"{self.name} answered {answer!r} in {position.line()}; legal: {legal}")
        chosen = position.rules.move(move.__index__())
        return replace(decision, move=chosen) if decision else Decision(chosen, position.turn, pv=(chosen,))
