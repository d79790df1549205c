"""GTP version 2, the Go Text Protocol, as an engine for Reversi.

A command is `12 genmove b`, its answer `=12 d3` or `?12 illegal move`, and a blank line. Errors have the words of the
standard. Commands come one at a time and are done in order: a controller waits for an answer before it goes on. A
thought is ended early by `# interrupt`, as GoGui sends it (`gogui-interrupt`), and when the other side leaves.

As Othello programs do, a colour may play although it is the other's turn if that one must pass; written passes are
understood too. The reversed game is one of `list_games`, and `set_game` begins it. `grhino-setup_board` is gtp-rhino's
command for a position. `time_settings` and `time_left` are obeyed as the standard says: main time, then so many moves
in every period; a period without moves is no limit.

`outflank-analyze [COLOUR] [CENTISECONDS]` tells the value of every move, deeper and deeper, until the next line comes:
lines of `info move d3 value 1.25 unit discs depth 12 confidence 73 exact no order 0 pv d3 c5 …`, one `info` a move. It
is the analyst's opinion, not the agent's, and changes nothing in the game.
"""

import re
import time
from collections.abc import Callable
from pathlib import Path

from outflank import __version__
from outflank.analysis import Analysis, MoveValue, analyse
from outflank.board import SIZES, Color, Move, Position, Rules, Variant
from outflank.errors import IllegalMove, OutflankError
from outflank.formats import read
from outflank.game import Game
from outflank.inputs import MOST_DIGITS
from outflank.interfaces.engine.lines import Lines
from outflank.interfaces.engine.seat import Seat, Server, in_time, on_clock, one_line, with_passes
from outflank.search.clock import stoppable
from outflank.search.limits import Limits

_COMMAND = re.compile(rf"(?:(?P<number>[0-9]{{1,{MOST_DIGITS}}})(?:[ ]+|$))?(?P<rest>.*)")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_INTERRUPT = "# interrupt"
_COLORS = {"b": Color.BLACK, "black": Color.BLACK, "w": Color.WHITE, "white": Color.WHITE}
_GAMES: dict[str, Variant] = {"Othello": "standard", "Reversed Othello": "reversed"}
_OTHER_NAMES = {"reversi": "Othello", "anti othello": "Reversed Othello", "reversed reversi": "Reversed Othello"}
_NUMBER = re.compile(r"[0-9]{1,15}")
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{0,9})?")
_SYNTAX = "syntax error"
_PASS = "pass"

Command = Callable[["GtpServer", list[str]], str | None]
"""What a command does with its arguments, and its answer; None where it has told that itself, line by line."""


class _Clock:
    """What a side may spend: main time, then `stones` moves in every `period` seconds."""

    def __init__(self, main: float = 0, period: float = 0, stones: int = 0) -> None:
        self.period, self.stones = period, stones
        self.endless = (period > 0 and stones == 0) or not (main or period)
        self.left = [(main, 0), (main, 0)] if main else [(period, stones), (period, stones)]

    def tell(self, color: Color, seconds: float, stones: int) -> None:
        """What `time_left` says."""
        self.endless = False
        self.left[color] = seconds, stones

    def limits(self, color: Color) -> Limits:
        """For the next move of a side.

        >>> _Clock(60).limits(Color.BLACK).game_seconds, _Clock(0, 10, 5).limits(Color.BLACK).seconds
        (59.95, 1.95)
        >>> _Clock(0, 10, 0).limits(Color.BLACK).bounds
        frozenset()
        """
        if self.endless:
            return Limits()
        seconds, stones = self.left[color]
        return in_time(seconds / stones) if stones else on_clock(seconds)

    def spend(self, color: Color, seconds: float) -> None:
        """A move took so long; the clock of a controller that tells no `time_left`."""
        left, stones = self.left[color]
        over = left <= seconds if stones == 0 else stones == 1
        if over and self.stones:
            self.left[color] = self.period, self.stones
        else:
            self.left[color] = max(left - seconds, 0.0), max(stones - 1, 0)


class GtpServer(Server):
    """An agent that is spoken to in GTP.

    >>> from outflank.agents import agent
    >>> gtp = GtpServer(Seat(agent("minimax(depth=2, eval=discs)")), print)
    >>> gtp.answer("1 play b f5"); gtp.answer("2 genmove w"); gtp.answer("play b f5")
    =1
    <BLANKLINE>
    =2 d6
    <BLANKLINE>
    ? illegal move
    <BLANKLINE>
    """

    def __init__(self, seat: Seat, say: Callable[[str], None], lines: Lines | None = None) -> None:
        super().__init__(seat, say, lines)
        self._games: list[Game] = []
        """The game before every move, for `undo`."""
        self._clock = _Clock()
        self._number = ""

    # --- lines ----------------------------------------------------------------------------------------------------

    def obey(self, line: str) -> None:
        """Answers a command; comments and empty lines are passed over."""
        self._number, words = _read(line)
        if not self._number and not words:
            return
        command = _COMMANDS.get(words[0]) if words else None
        if command is None:
            raise OutflankError("unknown command")
        text = command(self, words[1:])
        blank = " " if text and text[0] != "\n" else ""
        self.say("" if text is None else f"={self._number}{blank}{text}\n")

    def refuse(self, line: str, why: str) -> None:
        """`?` and the reason."""
        self.say(f"?{_read(line)[0]} {one_line(why)}\n")

    def _stop(self) -> bool:
        return self.lines.closed or self.lines.waiting == _INTERRUPT

    # --- the game -------------------------------------------------------------------------------------------------

    @property
    def _position(self) -> Position:
        return self.seat.game.end

    def _begin(self, start: Position) -> str:
        self.seat.begin(start)
        self._games.clear()
        return ""

    def boardsize(self, words: list[str]) -> str:
        """Another board, which is empty but for the usual start."""
        _expect(words, 1)
        size = _whole(words[0])
        try:
            if size not in SIZES:
                raise OutflankError
            return self._begin(Position.start(Rules(size, self._position.rules.variant)))
        except OutflankError:
            raise OutflankError("unacceptable size") from None

    def clear_board(self, words: list[str]) -> str:
        """A new game."""
        _expect(words, 0)
        return self._begin(Position.start(self._position.rules))

    def set_game(self, words: list[str]) -> str:
        """The usual game or the reversed one, from the start."""
        name = " ".join(words).lower().replace("-", " ")
        game = _OTHER_NAMES.get(name) or next((known for known in _GAMES if known.lower() == name), None)
        if game is None:
            raise OutflankError("unsupported game")
        return self._begin(Position.start(Rules(self._position.rules.size, _GAMES[game])))

    def set_up(self, words: list[str]) -> str:
        """A game from any position, as gtp-rhino is told it."""
        return self._begin(Position.parse(" ".join(words), self._position.rules.variant))

    def load(self, words: list[str]) -> str:
        """The game of a file, SGF or another form that Outflank reads, up to the move before a number."""
        if len(words) not in (1, 2):
            raise OutflankError(_SYNTAX)
        before = _whole(words[1]) if len(words) == 2 else None
        rules = self._position.rules
        try:
            game = read(Path(words[0]), rules.variant, rules.size)
        except (OutflankError, OSError):
            raise OutflankError("cannot load file") from None
        if before is not None:
            game = game[: max(before, 1) - 1]
        self._begin(game.start)
        self._games += [game[:plies] for plies in range(len(game))]
        self.seat.tell(game)
        return ""

    def play(self, words: list[str]) -> str:
        """A move of either side."""
        _expect(words, 2)
        color, game = _color(words[0]), self.seat.game
        try:
            move = game.rules.square(words[1])
        except OutflankError:
            raise OutflankError(_SYNTAX) from None
        try:
            after = with_passes(game, color, move)
        except IllegalMove:
            raise OutflankError("illegal move") from None
        if after[len(after) - 1][0].turn is not color:
            raise OutflankError("illegal move")
        self._go_on(after)
        return ""

    def _go_on(self, game: Game) -> None:
        self._games.append(self.seat.game)
        self.seat.tell(game)

    def undo(self, words: list[str]) -> str:
        """Takes the last move back."""
        _expect(words, 0)
        if not self._games:
            raise OutflankError("cannot undo")
        self.seat.game = self._games.pop()
        return ""

    def show(self, words: list[str]) -> str:
        """The board."""
        _expect(words, 0)
        return f"\n{self._position}"

    def score(self, words: list[str]) -> str:
        """The result of a game that is over, with the empty squares to the winner."""
        _expect(words, 0)
        if not self._position.is_over:
            raise OutflankError("cannot score")
        score = self._position.score()
        return f"{'B' if score > 0 else 'W'}+{abs(score)}" if score else "0"

    # --- deciding -------------------------------------------------------------------------------------------------

    def _to_move(self, color: Color) -> Game | None:
        """The game in which it is the turn of a side, with a pass of the other; None where the game is over."""
        game = self.seat.game
        if game.end.is_over:
            return None
        if game.end.turn is not color and game.end.must_pass:
            return game.play(game.rules.pass_move)
        if game.end.turn is not color:
            raise OutflankError(f"it is the turn of {game.end.turn}")
        return game

    def _decide(self, words: list[str]) -> tuple[Game, Move] | None:
        """The game with the side that is asked to move, and its move; None where the game is over."""
        _expect(words, 1)
        color = _color(words[0])
        game, before = self._to_move(color), self.seat.game
        if game is None:
            return None
        began = time.perf_counter()
        try:
            self.seat.tell(game)
            decision = self.seat.decide(self._clock.limits(color), self._stop)
        finally:
            self.seat.game = before
        self._clock.spend(color, time.perf_counter() - began)
        return game, game.rules.move(decision.move)

    def genmove(self, words: list[str]) -> str:
        """Chooses a move and plays it; `pass` where there is none."""
        found = self._decide(words)
        if found is None:
            return _PASS
        game, move = found
        self._go_on(game.play(move))
        return str(move)

    def reg_genmove(self, words: list[str]) -> str:
        """Chooses a move, and leaves board and clock as they were."""
        left = list(self._clock.left)
        found = self._decide(words)
        self._clock.left = left
        return _PASS if found is None else str(found[1])

    def analyze(self, words: list[str]) -> str | None:
        """The value of every move, deeper and deeper, until the next line comes or nothing can be added."""
        of_color = bool(words) and words[0].lower() in _COLORS
        interval = _seconds(words[of_color]) / 100 if len(words) > of_color else 0.0
        _expect(words[of_color + 1 :], 0)
        game = self._to_move(_color(words[0])) if of_color else self.seat.game
        if game is None or not game.end.moves_mask:
            return "" if game is None or game.end.is_over else f"\ninfo move {_PASS} order 0 pv {_PASS}"
        self.say(f"={self._number}")
        told, last = -interval, ""
        with stoppable(lambda: self.lines.closed or self.lines.waiting is not None):
            for analysis in analyse(game.end):
                last = _infos(analysis)
                if analysis.seconds - told >= interval:
                    self.say(last)
                    told, last = analysis.seconds, ""
        if last:
            self.say(last)
        return None

    # --- time -----------------------------------------------------------------------------------------------------

    def time_settings(self, words: list[str]) -> str:
        """Main time, and moves in a period after it."""
        _expect(words, 3)
        self._clock = _Clock(_seconds(words[0]), _seconds(words[1]), _whole(words[2]))
        return ""

    def time_left(self, words: list[str]) -> str:
        """What a side has left: of its main time, or of its period for so many moves."""
        _expect(words, 3)
        self._clock.tell(_color(words[0]), _seconds(words[1]), _whole(words[2]))
        return ""

    # --- about us -------------------------------------------------------------------------------------------------

    def known(self, words: list[str]) -> str:
        """Whether there is such a command."""
        _expect(words, 1)
        return "true" if words[0] in _COMMANDS else "false"

    def set_seed(self, words: list[str]) -> str:
        """Another seed for the decisions from now on."""
        _expect(words, 1)
        self.seat.seed = _whole(words[0])
        return ""

    def quit(self, words: list[str]) -> str:
        """The last answer."""
        _expect(words, 0)
        self.over = True
        return ""


def _text(text: str) -> Command:
    """A command that always answers the same."""

    def told(server: GtpServer, words: list[str]) -> str:  # noqa: ARG001
        return text

    return told


_COMMANDS: dict[str, Command] = {
    "protocol_version": _text("2"),
    "name": lambda server, words: f"Outflank {one_line(server.seat.player.label)}",
    "version": _text(__version__),
    "known_command": GtpServer.known,
    "list_commands": lambda server, words: "\n".join(_COMMANDS),
    "quit": GtpServer.quit,
    "boardsize": GtpServer.boardsize,
    "clear_board": GtpServer.clear_board,
    "komi": _text(""),
    "play": GtpServer.play,
    "genmove": GtpServer.genmove,
    "reg_genmove": GtpServer.reg_genmove,
    "undo": GtpServer.undo,
    "showboard": GtpServer.show,
    "final_score": GtpServer.score,
    "time_settings": GtpServer.time_settings,
    "time_left": GtpServer.time_left,
    "list_games": _text("\n".join(_GAMES)),
    "set_game": GtpServer.set_game,
    "get_random_seed": lambda server, words: str(server.seat.seed),
    "set_random_seed": GtpServer.set_seed,
    "grhino-setup_board": GtpServer.set_up,
    "loadsgf": GtpServer.load,
    "gogui-interrupt": _text(""),
    "outflank-analyze": GtpServer.analyze,
}


def _read(line: str) -> tuple[str, list[str]]:
    """The number of a command, empty where it has none, and its words.

    >>> _read("12\tplay b f5 # a good one"), _read("# nothing")
    (('12', ['play', 'b', 'f5']), ('', []))
    """
    plain = _CONTROL.sub("", line.partition("#")[0]).replace("\t", " ").strip()
    found = _COMMAND.fullmatch(plain)
    return ("", plain.split()) if found is None else (found["number"] or "", found["rest"].split())


def _expect(words: list[str], count: int) -> None:
    if len(words) != count:
        raise OutflankError(_SYNTAX)


def _color(word: str) -> Color:
    color = _COLORS.get(word.lower())
    if color is None:
        raise OutflankError(_SYNTAX)
    return color


def _whole(word: str) -> int:
    if not _NUMBER.fullmatch(word):
        raise OutflankError(_SYNTAX)
    return int(word)


def _seconds(word: str) -> float:
    if not _SECONDS.fullmatch(word):
        raise OutflankError(_SYNTAX)
    return float(word)


def _infos(analysis: Analysis) -> str:
    """The moves of an analysis, best first, on one line."""
    return " ".join(_info(order, value) for order, value in enumerate(analysis.moves))


def _info(order: int, value: MoveValue) -> str:
    """What is known of one move.

    >>> _info(0, MoveValue(Rules().move("d3"), 2.0, exact=True, depth=9, pv=(Rules().move("d3"),)))
    'info move d3 value 2.00 unit discs depth 9 confidence 100 exact yes order 0 pv d3'
    """
    line = " ".join(map(str, value.pv)) or str(value.move)
    exact = "yes" if value.exact else "no"
    return (
        f"info move {value.move} value {value.value:.2f} unit {value.unit} depth {value.depth} "
        f"confidence {value.confidence} exact {exact} order {order} pv {line}"
    )
