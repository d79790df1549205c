"""An external program as a player, whatever protocol it speaks.

The program is started by `new_game` (so that no clock of a game measures it) or by the first `choose`, and is used
again for the next game. After any failure, and after Ctrl-C, nobody knows what it still has to say: it is ended, and
the next call starts a fresh one. `new_game` itself never fails; the next `choose` tells of it, which loses the game and
not the match.
"""

import time
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from outflank.board import Move, Position
from outflank.engines.process import EngineProcess, read_command
from outflank.errors import EngineFailed
from outflank.game import Game, moves_between
from outflank.search.clock import told_to_stop
from outflank.search.decision import Decision
from outflank.search.limits import Limits
from outflank.search.player import Player

GRACE = 2.0
"""Seconds that a program may exceed its time before it counts as stalled; whether it lost on time, the game says."""
_LOOK = 0.1
"""Seconds between two looks whether its answer is still wanted."""


class EnginePlayer(Player):
    """What the protocols have in common; they add `_greet`, `_decide` and their farewell."""

    kind = "engine"
    farewell = "quit"

    cwd: str | None = None
    """The directory in which the program is started; ours where it is None."""
    env: Mapping[str, str] = MappingProxyType({})
    """Variables of its environment, beside ours."""

    def __init__(self, command: str, timeout: float = 10.0, startup: float = 30.0) -> None:
        """`timeout` is the longest wait for an answer without a time limit, `startup` the one for the first answer."""
        read_command(command)
        self.command = command
        self.timeout = timeout
        self.startup = startup
        self._process: EngineProcess | None = None
        self._failed: EngineFailed | None = None
        self._followed: Game | None = None
        self._known: Game | None = None

    # --- what games call ------------------------------------------------------------------------------------

    def new_game(self) -> None:
        """Forgets the game before and has a program running. Never fails: a failure is told by the next `choose`."""
        self._followed = self._known = None
        try:
            self._running()
        except EngineFailed as error:
            self._failed = error

    @property
    def listens(self) -> bool:
        """Most programs know a position only by its moves from the usual start."""
        return True

    def follow(self, game: Game) -> None:
        """Tells how the game came to the position of the next `choose`."""
        self._followed = game

    def choose(self, position: Position, limits: Limits | None = None, seed: int = 0) -> Decision:  # noqa: ARG002
        """The program's decision, checked to be legal. Programs cannot be given a seed."""
        failed, self._failed = self._failed, None
        if failed is not None:
            raise failed
        limits = limits or Limits()
        if not self._can_serve(limits):
            self.close()
        game = self._game_to(position)
        process = self._running()
        began = time.perf_counter()
        try:
            decision = self._decide(process, game, limits)
        except BaseException:  # Ctrl-C too: an answer is still to come that the next question must not meet
            self._drop()
            raise
        self._known = game.play(decision.move)
        return replace(decision, seconds=time.perf_counter() - began)

    def close(self) -> None:
        """Ends the program; the next `new_game` or `choose` would start another."""
        process, self._process = self._process, None
        if process is not None:
            process.close(self.farewell)

    # --- what protocols add -----------------------------------------------------------------------------------

    @abstractmethod
    def _greet(self, process: EngineProcess) -> None:
        """The first words with a program just started; it must answer within `startup` seconds."""

    def _can_serve(self, limits: Limits) -> bool:  # noqa: ARG002
        """Whether the running program can be given these limits; if not, it is started anew."""
        return True

    @abstractmethod
    def _decide(self, process: EngineProcess, game: Game, limits: Limits) -> Decision:
        """Brings the program to the end of the game and asks for its move."""

    # --- the program --------------------------------------------------------------------------------------------

    def _running(self) -> EngineProcess:
        if self._process is None:
            self._process = self._launch()
            try:
                self._greet(self._process)
            except BaseException:
                self._drop()
                raise
        return self._process

    def _launch(self) -> EngineProcess:
        """Starts the program."""
        return EngineProcess(self.command, cwd=self.cwd, env=self.env)

    def _hear(self, process: EngineProcess, asked: str, deadline: float) -> str | None:
        """The next line; None where whoever asked wants the thought to end, which the program is to be told."""
        while not told_to_stop():
            try:
                return process.read(asked, min(deadline, time.monotonic() + _LOOK))
            except EngineFailed as error:
                if error.kind != "stall" or time.monotonic() >= deadline:
                    raise
        return None

    def _drop(self) -> None:
        """Ends a program that cannot be talked to any more, without a farewell."""
        process, self._process = self._process, None
        if process is not None:
            process.close(patience=0.1)

    def _patience(self, limits: Limits) -> float:
        """Seconds to wait for a move."""
        return self.timeout if limits.longest is None else limits.longest + GRACE

    # --- positions and moves --------------------------------------------------------------------------------------

    def _game_to(self, position: Position) -> Game:
        """The game as told, or one that continues the last, or one from the usual start, or the bare position."""
        if self._followed is not None and self._followed.end == position:
            return self._followed
        for game in (self._known, Game(Position.start(position.rules))):
            moves = None if game is None else moves_between(game.end, position)
            if game is not None and moves is not None:
                return game.play(*moves)
        return Game(position)

    def _legal(self, process: EngineProcess, text: str, position: Position) -> Move:
        """The move that a program named, checked."""
        rules = position.rules
        try:
            move = rules.square(text)
        except ValueError:  # BadNotation, or digits without an end
            raise process.failed("failure", f"answered {text[:40]!r}; expected a square such as d3, or pass") from None
        if move not in position.moves:
            legal = " ".join(map(str, position.moves)) or "nothing, the game is over"
            other = position.with_turn(position.turn.other)
            hint = f" (a move for {other.turn})" if move in other.moves else ""
            said = f"{position.turn} cannot play {move}{hint} in {position.line()}; legal: {legal}"
            raise process.failed("illegal move", said)
        return move
