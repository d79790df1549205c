"""The one-ply heuristic of "Reversi with Monte Carlo Tree Search"."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from outflank.board import Position, Rules
from outflank.kernels import policy as kernels
from outflank.kernels.jit import Word
from outflank.search.clock import Clock
from outflank.search.decision import Decision, RootMove
from outflank.search.limits import Limits
from outflank.search.player import Player
from outflank.search.policy import PlayoutPolicy, SquareTable

_SEED_MASK = 2**64 - 1


class HeuristicPlayer(Player):
    """One ply of the formula H: square worths, opposing moves, discs turned; see `kernels.policy`.

    >>> position = Position.parse("-----OX--XO----- X")
    >>> decision = HeuristicPlayer(worths=[0] * 16).choose(position, Limits(), seed=3)
    >>> [root.value for root in decision.moves]
    [47.5, 47.5, 47.5, 47.5]
    """

    kind = "heuristic"

    def __init__(
        self,
        worths: SquareTable | None = None,
        empties: Literal["before", "after"] = "before",
        formula: Sequence[int] | None = None,
    ) -> None:
        """`worths` are written for the standard game; `empties` are counted before or after the move.

        `formula` has the six numbers of H, those of the paper by default.
        """
        self.policy = PlayoutPolicy("heuristic", worths, empties, formula)
        self._values = np.empty(256)

    def check_rules(self, rules: Rules) -> None:
        """The table must fit the board."""
        self.policy.check_rules(rules)

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """The move with the highest H, a random one of equals; limits do not matter to one ply."""
        moves, clock = position.moves, Clock(limits, 1)
        policy: Any = self.policy.build(position.rules, 0.5)
        bit = kernels.best_by_heuristic(*position.boards, policy, Word(seed & _SEED_MASK), self._values)
        found = tuple(
            RootMove(move, value) for move, value in zip(moves, self._values[: len(moves)].tolist(), strict=True)
        )
        move = next(position.rules.squares(1 << int(bit)))
        value = next(root.value for root in found if root.move == move)
        return Decision(move, position.turn, value, len(moves), 0, 1, clock.seconds, (move,), found)
