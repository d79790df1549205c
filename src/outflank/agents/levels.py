"""Levels: ready-made agents from beginner to master, each with the rating that the arena gave it.

They are `random` and the levels of the engine (`LEVELS` in `kinds.py`) by name, in `levels.toml`, which `make levels`
writes: a tournament of all levels, rated with `random` at 0 and with 95 % intervals. On 10x10 the levels have no
rating. On boards that the engine is not trained for another agent takes the place of each, which has none either.
Levels are bounded by depth or nodes and never by time, so that they are equally strong on every machine.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from outflank.board import Rules, Variant
from outflank.search.probcut import is_trained


@dataclass(frozen=True)
class Rated:
    """Elo above `random`, with the bounds of its 95 % interval, from so many games."""

    rating: int
    low: int
    high: int
    games: int


@dataclass(frozen=True)
class Level:
    """An opponent with a name.

    >>> levels()[0].name, levels()[0].text
    ('Random', 'random')
    """

    name: str
    text: str
    """The agent, on boards that the engine is trained for."""
    elsewhere: str
    """The agent that takes its place on other boards."""
    note: str
    """What to expect of it."""
    ratings: dict[str, Rated]
    """By rules such as `standard 8x8`."""

    def text_on(self, rules: Rules) -> str:
        """The agent under these rules.

        >>> levels()[1].text_on(Rules(8)) == levels()[1].text, levels()[1].text_on(Rules(12))
        (True, 'greedy')
        """
        return self.text if is_trained(rules) else self.elsewhere


@cache
def _measured() -> dict[str, Any]:
    return tomllib.loads(files("outflank.agents").joinpath("levels.toml").read_text(encoding="utf-8"))


@cache
def levels() -> tuple[Level, ...]:
    """The levels, weakest first.

    >>> levels()[0].text, levels()[0].ratings["standard 8x8"].rating
    ('random', 0)
    """
    return tuple(
        Level(
            name=row["name"],
            text=row["text"],
            elsewhere=row["elsewhere"],
            note=row["note"],
            ratings={rules: Rated(**rated) for rules, rated in row["ratings"].items()},
        )
        for row in _measured()["level"]
    )


def level_named(name: str) -> Level | None:
    """The level of this name, in capitals or not; None where there is none.

    >>> level_named("RANDOM") == levels()[0], level_named("random(3)")
    (True, None)
    """
    return next((level for level in levels() if level.name.casefold() == name.strip().casefold()), None)


def agent_text(who: str, rules: Rules) -> str:
    """The agent of the level of this name under these rules; any other text as it is.

    >>> agent_text("random", Rules(8)), agent_text("minimax(depth=2)", Rules(8))
    ('random', 'minimax(depth=2)')
    """
    level = level_named(who)
    return level.text_on(rules) if level else who


def points_per_disc(variant: Variant) -> float:
    """What a disc at the end of the game is worth in the evaluation of the analyst.

    >>> points_per_disc("standard") > 1
    True
    """
    return float(_measured()["points_per_disc"][variant])
