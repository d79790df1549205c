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
    from outflank.analysis import analyse, review
    from outflank.arena.match import MatchResult
    from outflank.arena.quick import match, tournament
    from outflank.arena.ratings import Ratings
    from outflank.board import Color, Move, Position, Rules
    from outflank.errors import BadNotation, BadRules, BadSpec, IllegalMove, OutflankError
    from outflank.formats import (
        read,
        read_all,
        read_ggf,
        read_obf,
        read_transcript,
        write_ggf,
        write_obf,
        write_transcript,
    )
    from outflank.game import Game, MoveNote, Spent, Termination
    from outflank.game_loop import TimeControl, play
    from outflank.search.clock import stoppable
    from outflank.search.decision import Decision
    from outflank.search.limits import Limits
    from outflank.search.solver import solve

_HOME = {
    "Agent": "agents",
    "agent": "agents",
    "check_agent": "agents",
    "analyse": "analysis",
    "review": "analysis",
    "MatchResult": "arena.match",
    "match": "arena.quick",
    "tournament": "arena.quick",
    "Ratings": "arena.ratings",
    "Color": "board",
    "Move": "board",
    "Position": "board",
    "Rules": "board",
    "OutflankError": "errors",
    "BadNotation": "errors",
    "BadRules": "errors",
    "BadSpec": "errors",
    "IllegalMove": "errors",
    "read_ggf": "formats",
    "read_obf": "formats",
    "read": "formats",
    "read_all": "formats",
    "read_transcript": "formats",
    "write_ggf": "formats",
    "write_obf": "formats",
    "write_transcript": "formats",
    "Game": "game",
    "MoveNote": "game",
    "Spent": "game",
    "Termination": "game",
    "TimeControl": "game_loop",
    "play": "game_loop",
    "Decision": "search.decision",
    "Limits": "search.limits",
    "stoppable": "search.clock",
    "solve": "search.solver",
}

__all__ = [
    "Agent",
    "BadNotation",
    "BadRules",
    "BadSpec",
    "Color",
    "Decision",
    "Game",
    "IllegalMove",
    "Limits",
    "MatchResult",
    "Move",
    "MoveNote",
    "OutflankError",
    "Position",
    "Ratings",
    "Rules",
    "Spent",
    "Termination",
    "TimeControl",
    "__version__",
    "agent",
    "analyse",
    "check_agent",
    "match",
    "play",
    "read",
    "read_all",
    "read_ggf",
    "read_obf",
    "read_transcript",
    "review",
    "solve",
    "stoppable",
    "tournament",
    "write_ggf",
    "write_obf",
    "write_transcript",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'outflank' has no attribute {name!r}; it offers: {', '.join(__all__)}")
    return getattr(import_module(f"outflank.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
