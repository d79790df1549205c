"""The one-ply formula without its switch near the end, to see what the switch is worth: a player for one study."""

import random

from outflank.board import Position
from outflank.evaluation import read_table
from outflank.kernels.policy import LATE_EMPTIES
from outflank.search.heuristic import HeuristicPlayer
from outflank.search.limits import Limits


class Unswitched:
    """The player `heuristic` that goes on to turn few discs when 10 squares or fewer are empty.

    >>> Unswitched().choose(Position.start(), seed=0) in Position.start().moves
    True
    """

    def __init__(self) -> None:
        self._table = read_table("classic")
        self._early = HeuristicPlayer(self._table)

    def choose(self, position: Position, seed: int) -> int:
        """The move with the highest H, a random one of equals."""
        if position.empties > LATE_EMPTIES:
            return self._early.choose(position, Limits(), seed).move
        values = {move: self.early_value(position, move) for move in position.moves}
        best = max(values.values())
        return random.Random(seed).choice([move for move, value in values.items() if value == best])

    def early_value(self, position: Position, move: int) -> float:
        """H as it is with more than 10 empty squares: square worths, replies left, few discs turned."""
        side, after = position.turn, position.play(move)
        worths: list[int] = self._table.squares(position.rules.size).tolist()
        signs = {side.sign: 1, side.other.sign: -1, "-": 0}
        worth = sum(signs[cell] * one for cell, one in zip("".join(after.cells()), worths, strict=True))
        turned = after.discs(side) - position.discs(side) - 1
        return worth + 30 / (after.moves_mask.bit_count() + 1) + 80 / (turned + 1)
