"""PUCT, the tree policy of AlphaZero (Silver et al. 2017), as a selection of your own: a prior makes good moves first.

Run it with `expand=selected`, so that moves with a small prior need not be tried at all.
"""

from math import sqrt

import outflank
from outflank.kernels.bitboard import count, flips
from outflank.kernels.jit import Board


def score(visits: int, mean: float, total: int, c: float, prior: float) -> float:
    """The mean, half a point before the first visit, and a bonus in proportion to the prior."""
    return (mean if visits else 0.5) + c * prior * sqrt(total) / (1 + visits)


def quiet(own: Board, opp: Board, square: int) -> float:
    """A prior: moves that turn few discs keep choices for later."""
    return 1.0 / (1 + count(flips(own, opp, square)))


score.prior = quiet  # type: ignore[attr-defined]

if __name__ == "__main__":
    puct = "uct(playouts=400, c=1, expand=selected, select=__main__:score)"
    print(outflank.agent(puct).choose(outflank.Position.start(), seed=1))
    print(outflank.match(puct, "uct(playouts=400)", games=20))
