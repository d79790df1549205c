"""Levels: ready-made agents from beginner to the strongest, each with the rating that the arena gave it.

The agents and their ratings are in `levels.toml`, which `make levels` writes: a tournament of all levels, rated with
`random` at 0 and with 95 % intervals. Levels are bounded by depth, nodes or playouts and never by time, so that they
are equally strong on every machine.
"""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from outflank.board import Variant


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
    """The agent."""
    note: str
    """What to expect of it."""
    ratings: dict[str, Rated]
    """By variant, on 8x8."""


@cache
def _measured() -> dict[str, Any]:
    return tomllib.loads(files("outflank.agents").joinpath("levels.toml").read_text(encoding="utf-8"))


@cache
def levels() -> tuple[Level, ...]:
    """The levels, weakest first.

    >>> levels()[0].text, levels()[0].ratings["standard"].rating
    ('random', 0)
    """
    return tuple(
        Level(
            name=row["name"],
            text=row["text"],
            note=row["note"],
            ratings={variant: Rated(**rated) for variant, rated in row["ratings"].items()},
        )
        for row in _measured()["level"]
    )


def points_per_disc(variant: Variant) -> float:
    """What a disc at the end of the game is worth in the evaluation of the analyst.

    >>> points_per_disc("standard") > 1
    True
    """
    return float(_measured()["points_per_disc"][variant])
