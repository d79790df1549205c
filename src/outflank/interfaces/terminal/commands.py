"""What a person can type: a square, or a command with an argument."""

import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from outflank.agents import agent_signatures
from outflank.agents.levels import Level, levels
from outflank.analysis import Analysis, MoveValue, analyse, judges
from outflank.board import Color, Position, Rules
from outflank.errors import OutflankError
from outflank.formats import write_ggf, write_sgf
from outflank.interfaces.terminal.seats import read_seat
from outflank.report.document import Table
from outflank.search.clock import stoppable

if TYPE_CHECKING:
    from outflank.interfaces.terminal.session import Session

_SQUARE = re.compile(r"[a-z]\d{1,2}", re.IGNORECASE)
_HINT_SECONDS = 1.0
_ANALYSIS_SECONDS = 3.0
_LONGEST_LINE = 8


@dataclass(frozen=True)
class Command:
    """What a word does."""

    run: "Callable[[Session, str], None]"
    meaning: str
    argument: str = ""
    """What may or must follow the word."""


def obey(session: "Session", line: str) -> None:
    """Does what a line says."""
    word, _, argument = line.partition(" ")
    if not line:
        _go_on(session)
    elif _SQUARE.fullmatch(line):
        _place(session, line)
    else:
        name = _command(word.lower())
        COMMANDS[name].run(session, argument.strip())
        if session.record:
            session.record.used(name)


def _command(word: str) -> str:
    """The command that a word means; it may be cut short as long as it is the only one that begins so."""
    close = [name for name in COMMANDS if name.startswith(word)]
    if word in COMMANDS or len(close) == 1:
        return word if word in COMMANDS else close[0]
    meant = f"; did you mean {' or '.join(close)}?" if close else ""
    raise OutflankError(f"{word!r} is neither a square nor a command{meant}; help lists them")


# --- moves --------------------------------------------------------------------------------------------------------


def _go_on(session: "Session") -> None:
    if session.thinks:
        session.going = session.has_person
        session.let_think()
    else:
        session.settle()


def _place(session: "Session", square: str) -> None:
    _check_turn(session)
    session.board.play(square)
    session.going = session.has_person
    session.settle()


def _check_turn(session: "Session") -> None:
    if session.thinks:
        turn = session.board.position.turn
        raise OutflankError(f"it is the turn of {turn}, which is {session.mover.name}; Enter lets it think")


def _pass(session: "Session", _: str) -> None:
    _place(session, "pass")


def _resign(session: "Session", _: str) -> None:
    _check_turn(session)
    session.board.resign()
    session.settle()


def _undo(session: "Session", _: str) -> None:
    session.board.undo(session.wanted)
    session.settle()


def _redo(session: "Session", _: str) -> None:
    session.board.redo(session.wanted)
    session.settle()


def _run(session: "Session", _: str) -> None:
    if not session.thinks:
        raise OutflankError("it is not an agent's turn; run lets two agents play on")
    session.going = True


# --- opinions -----------------------------------------------------------------------------------------------------


def _hint(session: "Session", _: str) -> None:
    position = _undecided(session)
    session.prepare(*judges(position.rules))
    with session.screen.status() as told:
        told("looking for a good move")
        found = _analysed(position, _HINT_SECONDS, lambda analysis: None)
    best = found.moves[0]
    name = str(best.move)
    why = ", ".join(filter(None, (_worth(best), best.depth_text)))
    session.screen.say(f"try {name}: {why}, expecting {_line(best)}")


def _analyse(session: "Session", argument: str) -> None:
    position = _undecided(session)
    seconds = _seconds(argument) if argument else _ANALYSIS_SECONDS
    session.prepare(*judges(position.rules))
    with session.screen.table() as show:
        _analysed(position, seconds, lambda analysis: show(_values(analysis)))


def _seconds(text: str) -> float:
    if not re.fullmatch(r"\d{1,5}(\.\d+)?", text) or not float(text):
        raise OutflankError(f"{text!r} is no time; expected seconds such as analyse 10")
    return float(text)


def _undecided(session: "Session") -> Position:
    if session.board.game.over:
        raise OutflankError(f"the game is over: {session.board.game.result}; undo goes back")
    return session.board.position


def _analysed(position: Position, seconds: float, on_analysis: Callable[[Analysis], None]) -> Analysis:
    """The best answer within so many seconds, or until Ctrl-C."""
    found: Analysis | None = None
    deadline = time.monotonic() + seconds
    with suppress(KeyboardInterrupt), stoppable(lambda: time.monotonic() > deadline):
        for found in analyse(position):
            on_analysis(found)
    if found is None:
        raise OutflankError("stopped before anything was found")
    return found


def _values(analysis: Analysis) -> Table:
    position = analysis.position
    return Table(
        ["move", "worth", "looked ahead", "line"],
        [[str(value.move), _worth(value), value.depth_text, _line(value)] for value in analysis.moves],
        f"Every move of {position.turn} ({analysis.nodes:,} positions, {analysis.seconds:.1f} s)",
    )


def _worth(value: MoveValue) -> str:
    return value.text if value.exact else f"about {value.text}"


def _line(value: MoveValue) -> str:
    names = list(map(str, value.pv))
    return " ".join(names[:_LONGEST_LINE]) + (" …" if len(names) > _LONGEST_LINE else "")


# --- games and files ----------------------------------------------------------------------------------------------


def _save(session: "Session", argument: str) -> None:
    path = _path(argument)
    if path.exists() and path != session.file:
        raise OutflankError(f"there is already a file {path}; expected another name")
    black, white = session.names
    game = replace(session.board.game, black=black, white=white)
    if path.suffix.lower() == ".sgf":
        path.write_text(f"{write_sgf(game)}\n", encoding="utf-8")
    else:
        path.write_text(f"{write_ggf(game)}\n", encoding="latin-1")
    session.file = path
    session.screen.say(f"saved as {path}")


def _load(session: "Session", argument: str) -> None:
    game = session.setting.game_of(_path(argument))
    session.file = None
    session.begin(game)


def _path(argument: str) -> Path:
    if not argument:
        raise OutflankError("which file? expected for example save game.ggf")
    return Path(argument).expanduser()


def _new(session: "Session", _: str) -> None:
    session.setting, session.file = session.setting.next(), None
    session.begin(session.setting.game())


def _moves(session: "Session", _: str) -> None:
    session.screen.say(session.board.game.transcript or "no moves yet")


# --- who plays ----------------------------------------------------------------------------------------------------


def _elo(level: Level, rules: Rules) -> str:
    rated = level.ratings.get(str(rules))
    return str(rated.rating) if rated else ""


def _agents(session: "Session", _: str) -> None:
    rules = session.board.game.rules
    rows = [[level.name, _elo(level, rules), level.note] for level in levels()]
    rated = "rated in" if _elo(levels()[0], rules) else "not rated in"
    with session.screen.table() as show:
        show(Table(["level", "Elo", "what to expect"], rows, f"Levels, {rated} {rules} games"))
    session.screen.say(f"agents: {', '.join(agent_signatures())}; outflank agents NAME explains one")
    session.screen.say(f"black is {session.names[0]}, white is {session.names[1]}; black NAME and white NAME change it")


def _seat(color: Color) -> "Callable[[Session, str], None]":
    def seat(session: "Session", argument: str) -> None:
        if not argument:
            raise OutflankError(f"who plays {color}? expected person, a level or an agent; agents lists them")
        session.sit(color, read_seat(argument, session.board.game.rules))

    return seat


def _flip(session: "Session", _: str) -> None:
    session.seats.reverse()
    session.going = session.has_person
    session.settle()


def _help(session: "Session", _: str) -> None:
    rows = [["f5", "play on a square"], ["Enter", "let an agent think; otherwise show the board again"]]
    rows += [[f"{name} {command.argument}".strip(), command.meaning] for name, command in COMMANDS.items()]
    with session.screen.table() as show:
        show(Table(["type", "to"], rows, "Words may be cut short. Ctrl-C stops an agent, Ctrl-D leaves."))


def _quit(session: "Session", _: str) -> None:
    session.open = False


COMMANDS = {
    "hint": Command(_hint, "be told a good move"),
    "analyse": Command(_analyse, "see what every move is worth, in discs at the end", "[SECONDS]"),
    "undo": Command(_undo, "take your last move back"),
    "redo": Command(_redo, "play it again"),
    "pass": Command(_pass, "pass; happens by itself when it must"),
    "run": Command(_run, "let agents play on until Ctrl-C"),
    "flip": Command(_flip, "change sides"),
    "black": Command(_seat(Color.BLACK), "choose who plays black", "NAME"),
    "white": Command(_seat(Color.WHITE), "choose who plays white", "NAME"),
    "agents": Command(_agents, "see who can play"),
    "moves": Command(_moves, "see the moves so far"),
    "save": Command(_save, "keep the game in a file: SGF where it ends in .sgf, else GGF", "FILE"),
    "load": Command(_load, "go on with the game or position of a file", "FILE"),
    "resign": Command(_resign, "give up"),
    "new": Command(_new, "begin a new game"),
    "help": Command(_help, "see this"),
    "quit": Command(_quit, "leave"),
}
