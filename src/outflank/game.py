"""One game from start to end: `play_game`, the only game loop there is, and the `GameRecord` it leaves.

A failure is a result with a reason, never a lost match: an agent that raises, answers illegally or runs out of time
loses, and the record says why. Every decision gets a seed of its own, made from the seed of the game and the ply, so a
game is the same again on any worker (games on a clock excepted).
"""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from outflank.agents import Agent, agent
from outflank.agents.names import short_name
from outflank.board import Color, Position
from outflank.errors import BadSpec, EngineFailed, IllegalMove, OutflankError
from outflank.formats import play_moves, transcript
from outflank.render import html_block
from outflank.search.limits import Limits
from outflank.search.player import Player
from outflank.search.solver import solve

_MASK = 2**64 - 1
_PLY_STEP = 0x9E3779B97F4A7C15

StopRule = Literal["majority", "exceeder_loses"]
StopClock = Literal["player_total", "game_total", "move"]


class Termination(StrEnum):
    """How a game ended."""

    NORMAL = "normal"
    ADJUDICATED = "adjudicated"
    TIMEOUT = "timeout"
    STOPPED = "stopped"
    ILLEGAL = "illegal move"
    CRASH = "crash"
    STALL = "stall"
    FAILURE = "failure"


@dataclass(frozen=True)
class TimeControl:
    """Clocks: seconds for a move, seconds for a game with an increment per move; None is no clock.

    `tolerance` is the tolerance before an excess counts. With `stop_after` the game is stopped, as Phan & Synytsia did,
    when the time looked at after a finished move exceeds it; `stop_rule` says who then wins.
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
            if value is not None and not value > 0:
                raise BadSpec(f"{name}={value} is not possible; expected more than 0 seconds")
        if self.increment < 0 or self.tolerance < 0:
            raise BadSpec(f"increment={self.increment}, tolerance={self.tolerance} is not possible; expected 0 or more")


NO_CLOCK = TimeControl()


@dataclass(frozen=True, slots=True)
class MoveRecord:
    """What one decision cost and said; the value is seen by the mover."""

    move: int
    seconds: float
    nodes: int
    playouts: int
    depth: int
    value: float | None


@dataclass(frozen=True, slots=True)
class Spent:
    """What one side spent in a game."""

    moves: int = 0
    seconds: float = 0.0
    nodes: int = 0
    playouts: int = 0
    deepest: int = 0
    longest: float = 0.0

    @classmethod
    def on(cls, moves: Sequence[MoveRecord]) -> "Spent":
        """What these decisions took together."""
        seconds = [move.seconds for move in moves]
        return cls(
            moves=len(moves),
            seconds=sum(seconds),
            nodes=sum([move.nodes for move in moves]),
            playouts=sum([move.playouts for move in moves]),
            deepest=max([move.depth for move in moves], default=0),
            longest=max(seconds, default=0.0),
        )


@dataclass(frozen=True, repr=False)
class GameRecord:
    """A finished game. Scores and points are seen by black.

    >>> game = play("greedy(ties=first)", "minimax(depth=4)", Position.parse("-----OX--XO----- X"))
    >>> game.result, game.points, game.margin, game.end.empties
    ('black wins, 9 to 7', 1.0, 2, 0)
    """

    start: Position
    moves: tuple[int, ...]
    black: str
    white: str
    seed: int
    termination: Termination
    reason: str
    points: float
    """1 when black won, 0.5 for a draw, 0 when white won."""
    discs: tuple[int, int]
    """Discs of black and white when it ended."""
    spent: tuple[Spent, Spent]
    """What black and white spent."""
    details: tuple[MoveRecord, ...]

    @property
    def margin(self) -> int:
        """Discs of black minus discs of white, whoever won."""
        return self.discs[0] - self.discs[1]

    @property
    def end(self) -> Position:
        """The last position."""
        return play_moves(self.start, self.moves)

    @property
    def result(self) -> str:
        """How it ended, in words."""
        winner = {1.0: "black wins", 0.5: "a draw", 0.0: "white wins"}[self.points]
        why = "" if self.termination is Termination.NORMAL else f" ({self.termination}: {self.reason})"
        return f"{winner}, {self.discs[0]} to {self.discs[1]}{why}"

    def _words(self) -> tuple[str, str, str]:
        """Who played what, how it ended, and the moves; behind the first position where it is not the usual one."""
        rules = self.start.rules
        players = f"{short_name(self.black)} against {short_name(self.white)}, {rules}"
        moves = transcript(self.moves, rules)
        usual = self.start == Position.start(rules)
        return players, self.result, moves if usual else f"{self.start.line()} {moves}"

    def __str__(self) -> str:
        last = self.moves[-1] if self.moves else None
        return "\n".join([*self._words(), self.end.text(last)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Players, result, moves and the last position, for notebooks."""
        last = self.moves[-1] if self.moves else None
        return html_block(*self._words(), html=self.end.svg(last))


@dataclass
class _Table:
    """The game in progress."""

    start: Position
    origin: Position
    line: tuple[int, ...]
    """The moves from the origin to the position."""
    position: Position
    details: list[MoveRecord]
    left: list[float | None]

    def moves_of(self, side: Color) -> list[MoveRecord]:
        """The decisions of one side: sides take turns, and a pass is a turn."""
        return self.details[side != self.start.turn :: 2]


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
    position: Position | None = None,
    *,
    seed: int = 0,
    limits: Limits | None = None,
) -> GameRecord:
    """A game of two agents from the usual start unless told otherwise; an agent is a text or anything with `choose`.

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
    with ExitStack() as built:
        players = [
            built.enter_context(closing(agent(one))) if isinstance(one, str) else agent(one) for one in (black, white)
        ]
        return play_game(players[0], players[1], position or Position.start(), seed, limits)


def play_game(
    black: Player,
    white: Player,
    start: Position,
    seed: int = 0,
    limits: Limits | None = None,
    control: TimeControl = NO_CLOCK,
    adjudicate: int = 0,
    before: tuple[Position, tuple[int, ...]] | None = None,
    on_move: Callable[[Position, MoveRecord], None] = lambda position, move: None,
) -> GameRecord:
    """Plays from `start` to the end; with `adjudicate` the solver decides once so few squares are empty.

    `before` is an earlier position and the moves that led from it to `start`: players hear of them through `follow`,
    because some programs know a position only by its moves from the usual start.

    >>> from outflank.agents import agent
    >>> from outflank.board import Rules
    >>> record = play_game(agent("random"), agent("greedy"), Position.start(Rules(4)), seed=3)
    >>> record.termination, sum(record.discs) <= 16, record == play_game(
    ...     agent("random"), agent("greedy"), Position.start(Rules(4)), seed=3)
    (<Termination.NORMAL: 'normal'>, True, False)
    """
    players = (agent(black), agent(white))
    for player in players:
        player.new_game()
    table = _Table(start, *(before or (start, ())), start, [], [control.game_seconds, control.game_seconds])
    limits = (limits or Limits()).tightened(Limits(seconds=control.move_seconds))
    while table.position.moves:
        if adjudicate and table.position.empties <= adjudicate:
            return _adjudicated(players, seed, table)
        side = table.position.turn
        ended = _play_move(players[side], table, seed, limits, control)
        if ended is not None:
            return _lost(players, seed, table, side, *ended)
        on_move(table.position, table.details[-1])
        stopped = _stopped(table, side, control)
        if stopped is not None:
            return _record(players, seed, table, Termination.STOPPED, *stopped)
    points = _points(table.position)
    return _record(players, seed, table, Termination.NORMAL, "neither side can move", points)


def _play_move(
    player: Agent, table: _Table, seed: int, limits: Limits, control: TimeControl
) -> tuple[Termination, str] | None:
    """One decision and its move; how and why the side lost, if it did."""
    position, side = table.position, table.position.turn
    left = table.left[side]
    if left is not None:
        limits = limits.tightened(Limits(game_seconds=max(left, 1e-3)))
    began = time.perf_counter()
    try:
        player.follow(table.origin, table.line)
        decision = player.choose(position, limits, move_seed(seed, len(table.details)))
        seconds = time.perf_counter() - began
        after = position.play(decision.move)
    except EngineFailed as error:
        return Termination(error.kind), str(error)
    except IllegalMove as error:
        return Termination.ILLEGAL, str(error)
    except OutflankError as error:
        return Termination.FAILURE, str(error)
    except Exception as error:  # a person's player may raise anything; that is its loss and not the match's
        return Termination.CRASH, f"{type(error).__name__}: {error}"
    excess = _overstepped(seconds, left, control)
    table.details.append(
        MoveRecord(decision.move, seconds, decision.nodes, decision.playouts, decision.depth, decision.value)
    )
    if left is not None:
        table.left[side] = left - seconds + control.increment
    table.line += (decision.move,)
    table.position = after  # a late move is made and recorded, and then loses
    return (Termination.TIMEOUT, excess) if excess else None


def _overstepped(seconds: float, left: float | None, control: TimeControl) -> str:
    if control.move_seconds is not None and seconds > control.move_seconds + control.tolerance:
        return f"took {seconds:.3f} s for a move, {control.move_seconds:g} s allowed"
    if left is not None and seconds > left + control.tolerance:
        return f"took {seconds:.3f} s with {left:.3f} s left on the clock"
    return ""


def _stopped(table: _Table, side: Color, control: TimeControl) -> tuple[str, float] | None:
    """(reason, points of black) when the limit of `stop_after` is exceeded after a finished move."""
    if control.stop_after is None:
        return None
    watched = {
        "player_total": table.moves_of(side),
        "game_total": table.details,
        "move": table.details[-1:],
    }[control.stop_clock]
    used = Spent.on(watched).seconds
    if used <= control.stop_after:
        return None
    reason = f"stopped: {control.stop_clock} of {side} is {used:.3f} s, more than {control.stop_after:g} s"
    if control.stop_rule == "exceeder_loses":
        return reason, float(side is Color.WHITE)
    return reason, _points(table.position)


def _points(position: Position) -> float:
    """Black's points if the game were over now."""
    margin = position.score(Color.BLACK)
    return 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5


def _adjudicated(players: tuple[Agent, Agent], seed: int, table: _Table) -> GameRecord:
    position = table.position
    solution = solve(position, by="margin")
    score = solution.score or 0
    points = 0.5 if score == 0 else float((score > 0) == (position.turn is Color.BLACK))
    reason = f"solved with {position.empties} empty squares: {score:+d} for {position.turn}"
    return _record(players, seed, table, Termination.ADJUDICATED, reason, points)


def _lost(
    players: tuple[Agent, Agent],
    seed: int,
    table: _Table,
    side: Color,
    termination: Termination,
    reason: str,
) -> GameRecord:
    return _record(players, seed, table, termination, f"{side}: {reason}", float(side is Color.WHITE))


def _record(
    players: tuple[Agent, Agent],
    seed: int,
    table: _Table,
    termination: Termination,
    reason: str,
    points: float,
) -> GameRecord:
    black, white = players
    position = table.position
    return GameRecord(
        start=table.start,
        moves=tuple([move.move for move in table.details]),
        black=black.text,
        white=white.text,
        seed=seed,
        termination=termination,
        reason=reason,
        points=points,
        discs=(position.discs(Color.BLACK), position.discs(Color.WHITE)),
        spent=(Spent.on(table.moves_of(Color.BLACK)), Spent.on(table.moves_of(Color.WHITE))),
        details=tuple(table.details),
    )
