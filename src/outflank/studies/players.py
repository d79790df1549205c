"""Players that only studies ask: a paper's agent without one of its parts, or with a fault that is printed."""

import math
import random

from outflank.agents import agent
from outflank.board import Color, Position
from outflank.evaluation import read_table
from outflank.kernels.policy import LATE_EMPTIES
from outflank.search.heuristic import HeuristicPlayer
from outflank.search.limits import Limits


class TwoMaximisers:
    """Zean He's Algorithm 1 as it is printed: the root maximises, and so does the layer of the opponent below it.

    Layers alternate from there, so that the opponent looks for what is best for the agent, and the agent for what is
    worst: a search by the opponent for the agent's own evaluation. The root hands its depth down whole, and a child
    without moves is worth least, both as printed.

    >>> TwoMaximisers(depth=1).choose(Position.start("reversed 8x8")) in Position.start().moves
    True
    """

    def __init__(self, depth: int = 4) -> None:
        options = "eval=five_terms, eval_view=black, order=positional, win=0, instant=no"
        self._search = agent(f"minimax(depth={depth}, {options})")

    def choose(self, position: Position) -> int:
        """The first of the moves with the highest value."""
        return max(position.moves, key=lambda move: self.value(position.play(move)))

    def value(self, child: Position) -> float:
        """What a child of the root is worth to whoever has moved there."""
        if child.moves_mask:
            return self._search.choose(_with_black_waiting(child), None, 0).value or 0.0
        won = child.is_over and child.score(child.turn.other) > 0
        return math.inf if won else -math.inf


def _with_black_waiting(position: Position) -> Position:
    """The position with white to move, colours exchanged where black is: the search values what black has."""
    if position.turn is Color.WHITE:
        return position
    return Position(position.rules, position.white, position.black, Color.WHITE)


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
