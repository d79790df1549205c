"""The openings that players know by a name, from `named_openings.txt`: moves from the usual start and the name.

A position has a name, not an order of moves: whoever reaches it by other moves, or in a mirror image, plays that
opening.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from outflank.board import Position

_SIZE = 8


def opening_name(positions: Sequence[Position]) -> str:
    """The name of the last of these positions that has one; nothing where none has.

    >>> line = [Position.after("f5d6c3d3c4"[:plies]) for plies in range(0, 12, 2)]
    >>> opening_name(line), opening_name(line[:4]), opening_name(line[:2])
    ('Tiger', 'Perpendicular', '')
    >>> opening_name([Position.after("d3c5f6f5e6")])
    'Tiger'
    """
    names, most = named_openings()
    for position in reversed(positions[: most + 1]):
        if position.rules.size == _SIZE and (name := names.get(position.with_variant("standard").canonical())):
            return name
    return ""


@cache
def named_lines() -> tuple[tuple[str, str], ...]:
    """Every opening that has a name: its moves from the usual start, and the name.

    >>> named_lines()[0]
    ('f5d6', 'Perpendicular')
    """
    text = files("outflank").joinpath("named_openings.txt").read_text(encoding="utf-8")
    lines = [line.partition(" ") for line in text.splitlines() if line and not line.startswith("#")]
    return tuple((moves, name) for moves, _, name in lines)


@cache
def named_openings() -> tuple[dict[Position, str], int]:
    """The names by canonical position, and the moves of the longest opening.

    >>> len(named_openings()[0]) > 60
    True
    """
    names = {Position.after(moves).canonical(): name for moves, name in named_lines()}
    return names, max(len(moves) // 2 for moves, _ in named_lines())
