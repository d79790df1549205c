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
    from outflank.agents import Agent, agent, check_agent
    from outflank.board import Color, Position, Rules
    from outflank.errors import BadNotation, BadRules, BadSpec, IllegalMove, OutflankError
    from outflank.formats import read_obf, replay, transcript
    from outflank.search.limits import Decision, Limits
    from outflank.search.solver import solve

_HOME = {
    "Agent": "agents",
    "agent": "agents",
    "check_agent": "agents",
    "Color": "board",
    "Position": "board",
    "Rules": "board",
    "OutflankError": "errors",
    "BadNotation": "errors",
    "BadRules": "errors",
    "BadSpec": "errors",
    "IllegalMove": "errors",
    "read_obf": "formats",
    "replay": "formats",
    "transcript": "formats",
    "Decision": "search.limits",
    "Limits": "search.limits",
    "solve": "search.solver",
}

__all__ = [
    "Agent",
    "BadNotation",
    "BadRules",
    "BadSpec",
    "Color",
    "Decision",
    "IllegalMove",
    "Limits",
    "OutflankError",
    "Position",
    "Rules",
    "__version__",
    "agent",
    "check_agent",
    "read_obf",
    "replay",
    "solve",
    "transcript",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'outflank' has no attribute {name!r}; it offers: {', '.join(__all__)}")
    return getattr(import_module(f"outflank.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
