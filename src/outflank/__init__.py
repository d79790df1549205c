"""Outflank, a Reversi laboratory: the usual game and the reversed one on every even board from 4x4 to 16x16.

Names are loaded on first use, so that `import outflank` costs nothing.

>>> import outflank
>>> outflank.Position.start().perft(5)
1396
"""

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# The one list of public names, which type checkers read as it is and `_HOMES` reads from this file.
if TYPE_CHECKING:
    from outflank import batch as batch
    from outflank.agents import Agent as Agent
    from outflank.agents import CheckReport as CheckReport
    from outflank.agents import agent as agent
    from outflank.agents import canonical as canonical
    from outflank.agents import check_agent as check_agent
    from outflank.agents.levels import Level as Level
    from outflank.agents.levels import levels as levels
    from outflank.analysis import Analysis as Analysis
    from outflank.analysis import MoveValue as MoveValue
    from outflank.analysis import Verdict as Verdict
    from outflank.analysis import analyse as analyse
    from outflank.analysis import review as review
    from outflank.arena.database import StoreError as StoreError
    from outflank.arena.match import MatchResult as MatchResult
    from outflank.arena.quick import match as match
    from outflank.arena.quick import tournament as tournament
    from outflank.arena.ratings import Rating as Rating
    from outflank.arena.ratings import Ratings as Ratings
    from outflank.arena.statistics.estimates import Estimate as Estimate
    from outflank.arena.statistics.pairs import Tally as Tally
    from outflank.arena.store import Store as Store
    from outflank.board import Color as Color
    from outflank.board import Move as Move
    from outflank.board import Position as Position
    from outflank.board import Rules as Rules
    from outflank.book import opening_book as opening_book
    from outflank.errors import BadNotation as BadNotation
    from outflank.errors import BadRules as BadRules
    from outflank.errors import BadSpec as BadSpec
    from outflank.errors import EngineFailed as EngineFailed
    from outflank.errors import IllegalMove as IllegalMove
    from outflank.errors import MissingExtra as MissingExtra
    from outflank.errors import OutflankError as OutflankError
    from outflank.execute import TaskFailed as TaskFailed
    from outflank.explorer import Explorer as Explorer
    from outflank.explorer import MoveCount as MoveCount
    from outflank.formats import Problem as Problem
    from outflank.formats import read as read
    from outflank.formats import read_all as read_all
    from outflank.formats import read_ggf as read_ggf
    from outflank.formats import read_obf as read_obf
    from outflank.formats import read_sgf as read_sgf
    from outflank.formats import read_transcript as read_transcript
    from outflank.formats import read_wthor as read_wthor
    from outflank.formats import write_ggf as write_ggf
    from outflank.formats import write_obf as write_obf
    from outflank.formats import write_sgf as write_sgf
    from outflank.formats import write_transcript as write_transcript
    from outflank.formats import write_wthor as write_wthor
    from outflank.game import Game as Game
    from outflank.game import MoveNote as MoveNote
    from outflank.game import Spent as Spent
    from outflank.game import Termination as Termination
    from outflank.game_loop import TimeControl as TimeControl
    from outflank.game_loop import play as play
    from outflank.learn.tuning import Tuning as Tuning
    from outflank.learn.tuning import tune as tune
    from outflank.search.clock import stoppable as stoppable
    from outflank.search.decision import Decision as Decision
    from outflank.search.decision import RootMove as RootMove
    from outflank.search.limits import Limits as Limits
    from outflank.search.player import Player as Player
    from outflank.search.solver import Solution as Solution
    from outflank.search.solver import solve as solve


def _homes() -> dict[str, str]:
    """The module of every public name."""
    with open(__file__, encoding="utf-8") as source:
        return {name: module for module, name in re.findall(r"(?m)^    from (\S+) import (\w+) as \2$", source.read())}


_HOMES = _homes()
__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'outflank' has no attribute {name!r}; it offers: {', '.join(__all__)}")
    if _HOMES[name] == __name__:  # a room
        return import_module(f"{__name__}.{name}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
