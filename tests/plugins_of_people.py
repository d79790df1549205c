"""Compiled functions as people write them: what is built in once more, and everything that can be wrong."""

from math import log, sqrt
from typing import Any

import numpy as np

from outflank.kernels.bitboard import count, first, moves, ranked
from outflank.kernels.playout import choose

Board = Any


# --- what is built in, once more --------------------------------------------------------------------------------------


def fractions(own: Board, opp: Board, sign: int) -> float:
    """The evaluation `discs`, in hundredths."""
    return sign * (count(own) - count(opp)) * 0.01


fractions.scale = 100  # type: ignore[attr-defined]


def freedom(own: Board, opp: Board, full: Board) -> int:
    """The moves of the side to move."""
    return count(moves(own, opp, full))


def any_legal(legal: Board, number: Any) -> int:
    """The playouts `weighted(squares=flat)`."""
    return ranked(legal, choose(number, count(legal)))


def lowest(legal: Board) -> int:
    return first(legal)


def mobility_first(own: Board, opp: Board, square: int, size: int) -> int:
    """Some order: the last squares first, and more discs before fewer."""
    return square * 3 + count(own) - size


def worst_first(square: int) -> int:
    return -(2**62) + square


def ucb(visits: int, mean: float, total: int, c: float) -> float:
    """The built-in formula in its own form."""
    return mean + sqrt(log(total)) * (c / sqrt(visits))


def ucb_with_amaf(visits: int, mean: float, total: int, c: float, amaf_visits: int) -> float:
    """The same, from a search that also keeps what it does not use."""
    return mean + sqrt(log(total)) * (c / sqrt(visits)) + 0.0 * amaf_visits


def most_visits(visits: int, mean: float) -> float:
    return visits + mean / 1000


def lower_bound(visits: int, mean: float, total: int, c: float) -> float:
    """The secure child (Chaslot et al. 2008)."""
    return mean - c * sqrt(log(total) / visits)


# --- everything that can be wrong -------------------------------------------------------------------------------------


def unfinished(own: Board, opp: Board) -> int:
    if count(own) > 3:
        raise ValueError("not thought of yet")
    return 0


def divides(own: Board, opp: Board) -> int:
    return count(own) // (count(opp) - 4)


def not_a_number(own: Board) -> float:
    return np.nan


not_a_number.scale = 1  # type: ignore[attr-defined]


def halves(own: Board) -> float:
    return count(own) / 2


def too_many(own: Board, opp: Board, size: int, colour: int) -> int:
    return colour


def everything(*boards: Any) -> int:
    return 0


def unknown_attribute(own: Board) -> Any:
    doubled = 2
    return own.discs * doubled  # the test looks for this line


def speaks(own: Board) -> Any:
    return "much"


def occupied(own: Board) -> int:
    return first(own)


def far_away() -> int:
    return 10**9


def nan_score(mean: float) -> float:
    return mean * np.nan


def raising_score(visits: int) -> float:
    if visits > 3:
        raise ZeroDivisionError("three are enough")
    return 1.0 / visits


def prior_below_zero(prior: float) -> float:
    return prior


prior_below_zero.prior = lambda square: -1.0  # type: ignore[attr-defined]


def prior_missing(prior: float) -> float:
    return prior


def endless(legal: Board) -> int:
    square = first(legal)
    while True:
        square += 1
        if square < 0:
            return square


a_number = 7


def told_everything(own: Board, opp: Board, to_move: int, sign: int, size: int) -> int:
    return sign * (count(own) - count(opp)) + 100 * to_move + size


def raising_order(square: int) -> int:
    if square > 9:
        raise IndexError("which")
    return square
