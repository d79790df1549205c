"""GTP version 2, the Go Text Protocol, as Othello programs speak it: gtp-rhino, Edax, Egaroucid.

A command is `12 genmove b`, its answer `=12 d3` or `?12 what went wrong`, over several lines perhaps, and a blank line.
The program keeps the board: `genmove` plays its move too. Observed, and allowed for:

- gtp-rhino 0.16.1 passes by itself and answers `play b pass` with `?… syntax error`; a refused pass is no failure.
- gtp-rhino plays on 8x8 only, ignores time, and can be given a position (`grhino-setup_board`) of four discs or more.
- gtp-rhino answers `genmove` for the side that is not to move with `pass`.
- Edax writes a blank before the number (`= 12 d3`), and a wrong one in some errors: only `=` must have the right one.
- Edax takes the first number of `time_settings` for the seconds of a move where the standard takes the second, and
  does not know the standard's word for no limit: a program that had a limit is started anew to lose it.

A thought that nobody wants any more is ended by `# interrupt` in programs that list GoGui's `gogui-interrupt`; others
are waited for.

GTP counts time in whole seconds, so less than a second is told as one. It has no word for depth, nodes or the reversed
game; the latter is asked for by name if `list_games` has one with "reversed" or "anti" in it, and refused otherwise.
"""

import re
import time

from outflank.board import Color, Move, Position, Rules
from outflank.engines.player import EnginePlayer
from outflank.engines.process import EngineProcess
from outflank.game import Game
from outflank.search.decision import Decision, RootMove
from outflank.search.limits import Limits

_ANSWER = re.compile(r"(?P<sign>[=?])[ \t]*(?P<number>\d+(?=\s|$))?[ \t]*(?P<text>.*)")
_SETUP = "grhino-setup_board"
_INTERRUPT = "# interrupt"
_ATTENTION = "name"
"""Asked after every move: a program that thinks in its opponent's time does so until the next line."""


class GtpPlayer(EnginePlayer):
    """A program that speaks GTP; `setup` are commands sent to it at its start, which it must accept."""

    def __init__(self, command: str, timeout: float = 10.0, startup: float = 30.0, setup: tuple[str, ...] = ()) -> None:
        super().__init__(command, timeout, startup)
        self.setup = setup
        self._forget()

    def _forget(self) -> None:
        """The state of a program just started."""
        self._number = 0
        self._commands: frozenset[str] = frozenset()
        self._told: Game | None = None
        self._clock = ""

    # --- talking ------------------------------------------------------------------------------------------------

    def _greet(self, process: EngineProcess) -> None:
        self._forget()
        known, text = self._exchange(process, "list_commands", self.startup, banner=True)
        self._commands = frozenset(text.split()) if known else frozenset()
        for command in self.setup:
            self._command(process, command, self.startup)

    def _knows(self, command: str) -> bool:
        return not self._commands or command in self._commands

    def _command(self, process: EngineProcess, command: str, seconds: float | None = None) -> str:
        """The text of a good answer."""
        good, text = self._exchange(process, command, self.timeout if seconds is None else seconds)
        if not good:
            raise process.failed("failure", f"refused {command!r}: {text[:200] or 'no reason given'}")
        return text

    def _exchange(self, process: EngineProcess, command: str, seconds: float, banner: bool = False) -> tuple[bool, str]:
        """Whether the program accepted the command, and its text; a banner before the first answer is passed over."""
        self._number += 1
        deadline = time.monotonic() + seconds
        process.send(f"{self._number} {command}", seconds)
        answer, told = None, not self._interruptible(command)
        while answer is None:
            line = process.read(command, deadline) if told else self._hear(process, command, deadline)
            if line is None:
                process.send(_INTERRUPT, seconds)
                told = True
                continue
            answer = _ANSWER.fullmatch(line.strip())
            if answer is None and line.strip() and not banner:
                raise process.failed("failure", f"answered {line[:60]!r} to {command!r}; expected = or ? first")
        number = answer["number"]
        if answer["sign"] == "=" and number is not None and number != str(self._number):
            raise process.failed("failure", f"answered number {number} to {command!r}, which was {self._number}")
        text = [answer["text"]]
        while line := process.read(command, deadline).strip():
            text.append(line)
        return answer["sign"] == "=", "\n".join(text).strip()

    def _interruptible(self, command: str) -> bool:
        """Whether the program ends a thought when it is told so, and answers with what it has found."""
        return "gogui-interrupt" in self._commands and command.startswith("genmove")

    # --- telling the position -----------------------------------------------------------------------------------

    def _bring_to(self, process: EngineProcess, game: Game) -> None:
        """Plays the moves that the program does not know yet, after a new beginning where the game is another."""
        if self._told is None or not game.continues(self._told):
            self._begin(process, game.start)
            self._told = Game(game.start)
        position = self._told.end
        for move in game.moves[len(self._told) :]:
            self._play(process, position.turn, move)
            position = position.play(move)
        self._told = game

    def _begin(self, process: EngineProcess, start: Position) -> None:
        if self._knows("set_game"):
            self._command(process, f"set_game {self._game(process, start.rules)}")
        elif start.rules.variant == "reversed":
            self._game(process, start.rules)
        self._command(process, f"boardsize {start.rules.size}")
        self._command(process, "clear_board")
        if start != Position.start(start.rules):
            self._set_up(process, start)

    def _game(self, process: EngineProcess, rules: Rules) -> str:
        if rules.variant == "standard":
            return "Othello"
        games = self._command(process, "list_games").splitlines() if "list_games" in self._commands else []
        for game in games:
            if re.search("reversed|anti", game, re.IGNORECASE):
                return game.strip()
        raise process.failed("failure", "does not play the reversed game: its list_games names none")

    def _set_up(self, process: EngineProcess, start: Position) -> None:
        if _SETUP not in self._commands:
            raise process.failed(
                "failure",
                f"cannot begin from {start.line()}: GTP has no command for a position, and no short game from "
                f"the usual start leads there; expected the moves since the usual start, or a program with {_SETUP}",
            )
        self._command(process, f"{_SETUP} {start.line()}")

    def _play(self, process: EngineProcess, color: Color, move: Move) -> None:
        command = f"play {_letter(color)} {move}"
        if move.is_pass:
            self._exchange(process, command, self.timeout)
        else:
            self._command(process, command)

    # --- asking for a move --------------------------------------------------------------------------------------

    def _decide(self, process: EngineProcess, game: Game, limits: Limits) -> Decision:
        self._bring_to(process, game)
        position = game.end
        self._tell_time(process, position.turn, limits)
        answer = self._command(process, f"genmove {_letter(position.turn)}", self._patience(limits))
        move = self._legal(process, answer, position)
        self._told = game.play(move)
        self._exchange(process, _ATTENTION, self.timeout)
        return Decision(move, position.turn, pv=(move,), moves=(RootMove(move),))

    def _can_serve(self, limits: Limits) -> bool:
        return not self._clock or bool(_time_commands(limits, True)[0])

    def _tell_time(self, process: EngineProcess, color: Color, limits: Limits) -> None:
        """Seconds for the rest of the game if there is such a clock, else seconds for the move."""
        settings, left = _time_commands(limits, self._knows("time_left"))
        if not settings or not self._knows("time_settings"):
            return
        if settings.split()[2:] != self._clock.split()[2:]:
            self._command(process, settings)
            self._clock = settings
        if self._knows("time_left"):
            self._command(process, f"time_left {_letter(color)} {left}")


def _letter(color: Color) -> str:
    return "w" if color else "b"


def _time_commands(limits: Limits, knows_left: bool) -> tuple[str, str]:
    """The setting, and what `time_left` says of it; nothing without a limit.

    >>> _time_commands(Limits(seconds=2.5), True), _time_commands(Limits(game_seconds=90), True)
    (('time_settings 2 2 1', '2 1'), ('time_settings 90 0 0', '90 0'))
    """
    if limits.game_seconds is not None:
        whole = max(int(limits.game_seconds), 1)
        return f"time_settings {whole} 0 0", f"{whole} 0"
    if limits.seconds is not None:
        whole = max(int(limits.seconds), 1)
        main = whole if knows_left else 0  # for Edax; time_left tells the others that no main time is left
        return f"time_settings {main} {whole} 1", f"{whole} 1"
    return "", ""
