"""The board: `Rules`, `Color`, `Move` and `Position`.

`rules` holds what is fixed before a game begins, `position` the discs and the side to move, `text` how both are
written, `perft` counts lines of play.
"""

from outflank.board.position import Empties, Position
from outflank.board.rules import SIZES, VARIANTS, Color, Move, Rules, Variant
from outflank.board.text import parse_moves

__all__ = ["SIZES", "VARIANTS", "Color", "Empties", "Move", "Position", "Rules", "Variant", "parse_moves"]
