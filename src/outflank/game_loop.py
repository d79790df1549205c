"""`play` and `play_game`: the only game loop there is.

A failure is a result with a reason, never a lost match: an agent that raises, answers illegally or runs out of time
loses, and the game says why. Every decision gets a seed of its own, made from the seed of the game and the ply, so a
game is the same again on any worker (games on a clock excepted).
"""

import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Literal, get_args

from outflank.agents import Agent, agent
from outflank.agents.names import short_name
from outflank.board import Color, Move, Position
from outflank.errors import BadSpec, DeviceFailed, EngineFailed, IllegalMove, OutflankError
from outflank.game import NOBODY_MOVES, Game, MoveNote, Spent, Termination, points_of
from outflank.inputs import expect, shown
from outflank.search.limits import Limits
from outflank.search.player import Player
from outflank.search.solver import solve

_MASK = 2**64 - 1
_PLY_STEP = 0x9E3779B97F4A7C15

StopRule = Literal["majority", "exceeder_loses"]
StopClock = Literal["player_total", "game_total", "move"]


@dataclass(frozen=True)
class TimeControl:
    """Clocks: seconds for a move, seconds for a game with an increment per move; None is no clock.

    `tolerance` is the tolerance before an excess counts. With `stop_after` the game is stopped, as Phan & Synytsia did,
    when the time looked at after a finished move exceeds it; `stop_rule` says who then wins.

    >>> TimeControl(game_seconds=300, increment=2).move_seconds is None
    True
    """

    move_seconds: float | None = None
    game_seconds: float | None = None
    increment: float = 0.0
    tolerance: float = 0.05
    stop_after: float | None = None
    stop_clock: StopClock = "player_total"
    stop_rule: StopRule = "majority"

    def __post_init__(self) -> None:
        for name in ("move_seconds", "game_seconds", "stop_after"):
            value = getattr(self, name)
            expect(float | None, **{name: value})
            if value is not None and not 0 < value < inf:
                raise BadSpec(f"{name}={shown(value)} is not possible; expected more than 0 seconds")
        expect(float, increment=self.increment, tolerance=self.tolerance)
        for name, known in (("stop_clock", get_args(StopClock)), ("stop_rule", get_args(StopRule))):
            if getattr(self, name) not in known:
                raise BadSpec(f"{name}={shown(getattr(self, name))} is not known; expected one of: {', '.join(known)}")
        if not 0 <= self.increment < inf or not 0 <= self.tolerance < inf:
            raise BadSpec(f"increment={self.increment}, tolerance={self.tolerance} is not possible; expected 0 or more")

    @property
    def has_clock(self) -> bool:
        """Whether time counts at all."""
        return any(seconds is not None for seconds in (self.move_seconds, self.game_seconds, self.stop_after))


NO_CLOCK = TimeControl()


def move_seed(seed: int, ply: int) -> int:
    """The seed of one decision: another for every ply of every game.

    >>> move_seed(7, 0) != move_seed(7, 1) != move_seed(8, 0)
    True
    """
    z = (seed + (ply + 1) * _PLY_STEP) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return (z ^ (z >> 31)) >> 1


def play(
    black: str | Agent | Any,
    white: str | Agent | Any,
    start: Position | Game | None = None,
    *,
    seed: int = 0,
    limits: Limits | None = None,
) -> Game:
    """A game of two agents from the usual start unless told otherwise; an agent is a text or anything with `choose`.

    With limits, code of a person's that a text names is asked in a process of its own.

    >>> print(play("greedy(ties=first)", "minimax(depth=4)", Position.parse("-----OX--XO----- X")))
    greedy(ties=first) against minimax(depth=4), standard 4x4
    black wins, 9 to 7
    b1a3a4a1a2c1d1b4c4d2d3d4
      a b c d
    1 O O O X 1
    2 X O O X 2
    3 X X O X 3
    4 X X X(O)4
      a b c d
    """
    expect(Position | Game | None, start=start)
    expect(Limits | None, limits=limits)
    expect(int, seed=seed)
    outside = limits is not None and bool(limits.bounds)
    with ExitStack() as built:
        players = [
            built.enter_context(closing(agent(one, outside))) if isinstance(one, str) else agent(one)
            for one in (black, white)
        ]
        game = play_game(players[0], players[1], start or Position.start(), seed, limits)
    return replace(game, black=short_name(game.black), white=short_name(game.white)).knowing(end=game.end)


def play_game(
    black: Player,
    white: Player,
    start: Position | Game,
    seed: int = 0,
    limits: Limits | None = None,
    control: TimeControl = NO_CLOCK,
    adjudicate: int = 0,
    on_move: Callable[[Position, Move, MoveNote], None] = lambda position, move, note: None,
) -> Game:
    """Plays from `start` to the end; with `adjudicate` the solver decides once so few squares are empty.

    Where `start` is a game, its moves are the opening: players that want to know it hear of it, because some programs
    know a position only by its moves from the usual start.

    >>> from outflank.agents import Agent, agent
    >>> game = play_game(agent("random"), agent("greedy"), Position.start("standard 4x4"), seed=3)
    >>> game.termination, sum(game.discs) <= 16, len(game.notes) == len(game)
    (<Termination.NORMAL: 'normal'>, True, True)
    """
    opening = Game(start) if isinstance(start, Position) else start
    return _Loop((agent(black), agent(white)), opening, seed, limits or Limits(), control).run(adjudicate, on_move)


def _overstepped(seconds: float, left: float | None, control: TimeControl) -> str:
    if control.move_seconds is not None and seconds > control.move_seconds + control.tolerance:
        return f"took {seconds:.3f} s for a move, {control.move_seconds:g} s allowed"
    if left is not None and seconds > left + control.tolerance:
        return f"took {seconds:.3f} s with {left:.3f} s left on the clock"
    return ""


def _least(*seconds: float | None) -> float | None:
    """The shortest of the clocks that there are: an agent may have one of its own."""
    return min((each for each in seconds if each is not None), default=None)


class _Loop:
    """One game being played: the opening, and what was added to it."""

    def __init__(
        self, players: tuple[Agent, Agent], opening: Game, seed: int, limits: Limits, control: TimeControl
    ) -> None:
        self.players, self.opening, self.seed, self.control = players, opening, seed, control
        self.limits = limits.tightened(Limits(seconds=control.move_seconds))
        self.positions = [opening.end]
        self.moves: list[Move] = []
        self.notes: list[MoveNote] = []
        self.left = [_least(control.game_seconds, player.limits.game_seconds) for player in players]

    @property
    def position(self) -> Position:
        return self.positions[-1]

    def notes_of(self, side: Color) -> list[MoveNote]:
        """The decisions of one side: sides take turns, and a pass is a turn."""
        return self.notes[side != self.positions[0].turn :: 2]

    def run(self, adjudicate: int, on_move: Callable[[Position, Move, MoveNote], None]) -> Game:
        for player in self.players:
            player.new_game()
        while self.position.moves:
            if adjudicate and self.position.empties <= adjudicate:
                return self._adjudicated()
            side = self.position.turn
            lost = self._play_move(side)
            if lost is not None:
                termination, reason = lost
                return self._game(termination, f"{side}: {reason}", float(side is Color.WHITE))
            on_move(self.position, self.moves[-1], self.notes[-1])
            stopped = self._stopped(side)
            if stopped is not None:
                return self._game(Termination.STOPPED, *stopped)
        return self._game(Termination.NORMAL, NOBODY_MOVES, points_of(self.position.score()))

    def _play_move(self, side: Color) -> tuple[Termination, str] | None:
        """One decision and its move; how and why the side lost, if it did."""
        player, position, left, limits = self.players[side], self.position, self.left[side], self.limits
        if left is not None:
            limits = limits.tightened(Limits(game_seconds=max(left, 1e-3)))
        began = time.perf_counter()
        try:
            if player.listens:
                player.follow(self._so_far())
            decision = player.choose(position, limits, move_seed(self.seed, len(self.notes)))
            seconds = time.perf_counter() - began
            after = position.play(decision.move)
        except EngineFailed as error:
            return Termination(error.kind), str(error)
        except IllegalMove as error:
            return Termination.ILLEGAL, str(error)
        except DeviceFailed:
            raise  # not the player's fault: the game is played another time
        except OutflankError as error:
            return Termination.FAILURE, str(error)
        except Exception as error:  # a person's player may raise anything; that is its loss and not the match's
            return Termination.CRASH, f"{type(error).__name__}: {error}"
        excess = _overstepped(seconds, left, self.control)
        self.notes.append(
            MoveNote(decision.value, decision.unit, decision.depth, decision.nodes, decision.playouts, seconds)
        )
        if left is not None:
            self.left[side] = left - seconds + self.control.increment
        self.moves.append(position.rules.move(decision.move))
        self.positions.append(after)  # a late move is made and recorded, and then loses
        return (Termination.TIMEOUT, excess) if excess else None

    def _stopped(self, side: Color) -> tuple[str, float] | None:
        """(reason, points of black) when the limit of `stop_after` is exceeded after a finished move."""
        control = self.control
        if control.stop_after is None:
            return None
        watched = {
            "player_total": self.notes_of(side),
            "game_total": self.notes,
            "move": self.notes[-1:],
        }[control.stop_clock]
        used = Spent.on(watched).seconds
        if used <= control.stop_after:
            return None
        reason = f"stopped: {control.stop_clock} of {side} is {used:.3f} s, more than {control.stop_after:g} s"
        if control.stop_rule == "exceeder_loses":
            return reason, float(side is Color.WHITE)
        return reason, points_of(self.position.score())

    def _adjudicated(self) -> Game:
        position = self.position
        score = solve(position, by="margin").score or 0
        reason = f"solved with {position.empties} empty squares: {score:+d} for {position.turn}"
        ruled = score if position.turn is Color.BLACK else -score
        return self._game(Termination.ADJUDICATED, reason, points_of(ruled), ruled)

    def _so_far(self) -> Game:
        """The game up to now, as players hear it."""
        game = Game(self.opening.start, self.opening.moves + tuple(self.moves), opening_plies=len(self.opening))
        return game.knowing(end=self.position)

    def _game(self, termination: Termination, reason: str, points: float, ruled: float | None = None) -> Game:
        black, white = self.players
        opening = self.opening
        game = Game(
            start=opening.start,
            moves=opening.moves + tuple(self.moves),
            black=black.text,
            white=white.text,
            termination=termination,
            reason=reason,
            points=points,
            opening_plies=len(opening),
            seed=self.seed,
            spent=(Spent.on(self.notes_of(Color.BLACK)), Spent.on(self.notes_of(Color.WHITE))),
            notes=(_GIVEN,) * len(opening) + tuple(self.notes),
            ruled=ruled,
        )
        return game.knowing(end=self.position) if opening.moves else game.knowing(positions=tuple(self.positions))


_GIVEN = MoveNote()
