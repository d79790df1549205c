"""Parsers whose errors are for people, and the names that options had."""

import argparse
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from outflank.errors import OutflankError

RENAMED = {
    "--deepest": "--depth",
    "--exact": "--endgame",
    "--limit": "--depth, --nodes, --playouts or --seconds",
    "--opening": "--openings",
    "--output": "--printed",
    "--plies": "--depth",
    "--random": "--most-random",
    "--scale": "--stores",
    "--svg": "--out",
    "--to": "--form",
}
"""What a command has in place of an option that it had: an old name is refused with the new one, and never obeyed."""


class BadCommand(OutflankError):
    """A command, an option or an argument that the command line does not have. `usage` is what it has."""

    def __init__(self, parser: argparse.ArgumentParser, message: str) -> None:
        super().__init__(message)
        self.program, self.usage = parser.prog, parser.format_usage()


class Parser(argparse.ArgumentParser):
    """A parser that raises what it does not understand; its commands get parsers like it.

    Options are written out: what is short for one option today is short for two when another is added.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings | {"allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        """Raises `BadCommand`."""
        raise BadCommand(self, message)

    def parse_command(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments of one command.

        >>> parser = Parser(prog="outflank")
        >>> show = parser.add_subparsers().add_parser("show")
        >>> _ = show.add_argument("--out")
        >>> parser.parse_command(["show", "--svg", "a.svg"])
        Traceback (most recent call last):
        outflank.interfaces.cli.parsers.BadCommand: unrecognized arguments: --svg a.svg; --svg is now --out
        """
        args, unknown = self.parse_known_args(words)
        if unknown:
            parser = self._asked(words)
            raise BadCommand(parser, f"unrecognized arguments: {' '.join(unknown)}{_hint(unknown, parser)}")
        return args

    def _asked(self, words: Sequence[str]) -> argparse.ArgumentParser:
        """The parser of the command that these words are for."""
        known = dict(commands_of(self))
        paths = [" ".join(words[:length]) for length in (2, 1)]
        return next((known[path] for path in paths if path in known), self)


def commands_of(parser: argparse.ArgumentParser, before: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command by name, such as `show` and `learn td`, with its parser."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                path = f"{before} {name}".strip()
                yield path, command
                yield from commands_of(command, path)


def _hint(unknown: Sequence[str], parser: argparse.ArgumentParser) -> str:
    """What the first unknown option is called now, or what it may have been meant for."""
    from outflank.schema import suggestion

    name = unknown[0].partition("=")[0]
    known = [option for action in parser._actions for option in action.option_strings]
    if any(new in known for new in RENAMED.get(name, "").replace(" or ", ", ").split(", ")):
        return f"; {name} is now {RENAMED[name]}"
    return suggestion(name, known) if name.startswith("--") else ""
