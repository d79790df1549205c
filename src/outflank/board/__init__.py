"""The board: `Rules`, `Color`, `Move` and `Position`.

`rules` holds what is fixed before a game begins, `position` the discs and the side to move, `text` how both are
written, `perft` counts lines of play.
"""

from outflank.board.position import Position
from outflank.board.rules import SIZES, VARIANTS, Color, Empties, Move, Rules, Variant
from outflank.board.text import moves_text, parse_moves, read_moves

__all__ = [
    "SIZES",
    "VARIANTS",
    "Color",
    "Empties",
    "Move",
    "Position",
    "Rules",
    "Variant",
    "moves_text",
    "parse_moves",
    "read_moves",
]
