"""External programs as players: `gtp(cmd="gtp-rhino -l 3")`, `nboard(cmd="ntest x", depth=10)`.

`process` keeps a program from hanging, flooding or outliving us, `player` is what the protocols share, `gtp` and
`nboard` speak to the program, `line` finds out how a game came to a position.
A program is not the person's own code and nothing it does is an error of ours: whatever goes wrong is an
`EngineFailed` whose kind says how the game ends.
"""

import re
from typing import TypeVar

from outflank.engines.gtp import GtpPlayer
from outflank.engines.nboard import NBoardPlayer
from outflank.engines.player import EnginePlayer
from outflank.engines.process import EngineProcess, read_command
from outflank.errors import BadSpec
from outflank.schema import CheckedOptions, Option, OptionType, Signature, number, whole
from outflank.spec import Quoted, Value

__all__ = [
    "GTP",
    "NBOARD",
    "EnginePlayer",
    "EngineProcess",
    "GtpPlayer",
    "NBoardPlayer",
    "build_gtp",
    "build_nboard",
]


_Program = TypeVar("_Program", bound=EnginePlayer)


def _command(value: Value) -> Quoted:
    if not isinstance(value, str):
        raise BadSpec('expected a program and its arguments in quotes, such as "gtp-rhino -l 3"')
    read_command(_plain(value))
    return Quoted(_plain(value))


def _commands(value: Value) -> tuple[Quoted, ...]:
    items = value if isinstance(value, tuple) else (value,)
    texts = tuple(Quoted(_plain(item)) for item in items if isinstance(item, str))
    if len(texts) != len(items) or not all(text.strip() and text.isprintable() for text in texts):
        raise BadSpec('expected commands of the protocol in quotes, such as ["komi 0"]')
    return texts


def _directory(value: Value) -> Quoted:
    if not isinstance(value, str) or not _plain(value) or "\0" in value:
        raise BadSpec('expected a directory in quotes, such as "engines/edax"')
    return Quoted(_plain(value))


def _variables(value: Value) -> tuple[Quoted, ...]:
    items = value if isinstance(value, tuple) else (value,)
    texts = tuple(Quoted(_plain(item)) for item in items if isinstance(item, str))
    if len(texts) != len(items) or not all(_VARIABLE.fullmatch(text) for text in texts):
        raise BadSpec('expected variables of the environment in quotes, such as ["OMP_NUM_THREADS=1"]')
    return texts


def _plain(text: str) -> str:
    """The characters alone: `str` of a quoted text has quotes around it."""
    return "".join(text)


_CMD = Option(
    "cmd",
    OptionType("a text in quotes", _command),
    None,
    "the program and its arguments, split as a shell would; always needed",
)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=[^\0]*")
_PLACE = (
    Option(
        "cwd",
        OptionType("a text in quotes", _directory),
        None,
        "the directory in which it is started, if not ours",
    ),
    Option(
        "env",
        OptionType("a list of texts in quotes", _variables),
        None,
        'variables of its environment, such as ["OMP_NUM_THREADS=1"], beside ours',
    ),
)
_OWN_LIMITS = (
    Option("seconds", number(0, 86_400, above=True), None, "time for a move of its own, whatever the others have"),
    Option(
        "clock",
        number(0, 10**6, above=True),
        None,
        "seconds for a whole game of its own; it loses when they are over",
    ),
)
_TIMEOUT = Option("timeout", number(0, 86_400, above=True), 10, "seconds to wait for a move that has no time limit")
_STARTUP = Option("startup", number(0, 86_400, above=True), 30, "seconds to wait for the program's first answer")

GTP = Signature(
    "gtp",
    "an external program that speaks GTP version 2, such as gtp-rhino, Edax or Egaroucid",
    (
        _CMD,
        Option(
            "setup",
            OptionType("a list of texts in quotes", _commands),
            (),
            "commands for the program before its first game",
        ),
        _TIMEOUT,
        _STARTUP,
        *_PLACE,
        *_OWN_LIMITS,
    ),
)
NBOARD = Signature(
    "nboard",
    "an external program that speaks the NBoard protocol, such as NTest or Edax",
    (
        _CMD,
        Option("depth", whole(1, 500), 10, "plies that it is told to search in the middle game"),
        _TIMEOUT,
        _STARTUP,
        *_PLACE,
        *_OWN_LIMITS,
    ),
)


def build_gtp(options: CheckedOptions) -> GtpPlayer:
    """The player that `gtp(…)` describes; its program is not started yet.

    >>> from outflank.spec import parse
    >>> options = GTP.fill(parse('gtp("gtp-rhino -l 1", timeout=5)'))
    >>> str(options)
    'gtp(cmd="gtp-rhino -l 1", setup=[], startup=30, timeout=5)'
    >>> build_gtp(options).command
    'gtp-rhino -l 1'
    """
    setup = tuple(_plain(command) for command in options["setup"])
    return _placed(GtpPlayer(_needed(options), options["timeout"], options["startup"], setup), options)


def build_nboard(options: CheckedOptions) -> NBoardPlayer:
    """The player that `nboard(…)` describes; its program is not started yet.

    >>> from outflank.spec import parse
    >>> build_nboard(NBOARD.fill(parse("nboard(ntest, depth=4)"))).depth
    4
    """
    return _placed(NBoardPlayer(_needed(options), options["depth"], options["timeout"], options["startup"]), options)


def _placed(player: _Program, options: CheckedOptions) -> _Program:
    """The same with its directory and its environment."""
    player.cwd = None if options["cwd"] is None else _plain(options["cwd"])
    player.env = dict(_plain(text).split("=", 1) for text in options["env"] or ())
    return player


def _needed(options: CheckedOptions) -> str:
    if options["cmd"] is None:
        raise BadSpec(f'{options.name} needs a program to run; expected for example {options.name}(cmd="program")')
    return _plain(options["cmd"])
