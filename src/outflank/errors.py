"""Errors for people: what was given, what was expected, how to fix it.

All derive from `OutflankError`, a ValueError, so that one `except` catches every kind of bad input.
"""

from importlib.util import find_spec


class OutflankError(ValueError):
    """Bad input of any kind. The command line prints its text and exits with code 2."""


class BadRules(OutflankError):
    """A board size or a variant that does not exist."""


class BadNotation(OutflankError):
    """Text that is not a square, a position or a list of moves."""


class IllegalMove(OutflankError):
    """A move that the rules do not allow in a position."""


class BadSpec(OutflankError):
    """Text that names no agent, evaluation, option or limit; an argument of the wrong kind; a text that is too long."""


class Stopped(OutflankError):
    """Work that was told to end before it had an answer."""


class EngineFailed(OutflankError):
    """An external program that crashed, stalled, or answered what no one understands.

    `kind` is how the game ends because of it: `crash`, `stall`, `illegal move` or `failure`.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class DeviceFailed(OutflankError):
    """A GPU that ran out of memory, was lost or does not answer: no game is lost by it, and work can be done again."""


class MissingExtra(OutflankError):
    """A library that is needed and comes with an extra of this package.

    >>> str(MissingExtra("pictures need matplotlib", "report"))
    "pictures need matplotlib, which is not installed; install it with: pip install 'outflank[report]'"
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what}, which is not installed; install it with: pip install 'outflank[{extra}]'")


def require(module: str, what: str, extra: str) -> None:
    """Raises `MissingExtra` where a library is not installed: to be asked before any work is done that needs it.

    >>> require("json", "objects need json", "arena")
    """
    if find_spec(module) is None:
        raise MissingExtra(what, extra)
