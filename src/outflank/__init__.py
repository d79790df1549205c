"""Outflank, a Reversi laboratory: the usual game and the reversed one on every even board from 4x4 to 16x16.

Names are loaded on first use, so that `import outflank` costs nothing.

>>> import outflank
>>> outflank.Position.start().perft(5)
1396
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from outflank.board import Color, Position, Rules
    from outflank.errors import BadNotation, BadRules, IllegalMove, OutflankError
    from outflank.formats import replay, transcript

_HOME = {
    "Color": "board",
    "Position": "board",
    "Rules": "board",
    "OutflankError": "errors",
    "BadNotation": "errors",
    "BadRules": "errors",
    "IllegalMove": "errors",
    "replay": "formats",
    "transcript": "formats",
}

__all__ = [
    "BadNotation",
    "BadRules",
    "Color",
    "IllegalMove",
    "OutflankError",
    "Position",
    "Rules",
    "__version__",
    "replay",
    "transcript",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'outflank' has no attribute {name!r}; it offers: {', '.join(__all__)}")
    return getattr(import_module(f"outflank.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
