"""What a position is worth to `me`: a weighted sum of terms, with weights that change by phase.

All five papers fit one formula, so an evaluation is data and not code: `Evaluation` holds the tables and
weights, `evaluate` adds the terms up. Terms, each from the view of `me`:

* position: worth of own squares minus worth of opposing squares;
* mobility: own legal moves minus opposing legal moves;
* discs: own discs minus opposing discs;
* stability: own minus opposing discs in unbroken runs along an edge from an owned corner, and on full edges
  (the partial count of He, 2022, section on stable discs);
* aggregation: ten times the mean squared distance of own discs to their centroid, rounded down (He, eq. 9);
  the only term that looks at one side alone.

Square worths are summed a byte at a time from tables of 256 sums: 16 look-ups on 8x8 instead of up to 64.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import (
    along_edges,
    both,
    count,
    either,
    first,
    is_empty,
    load,
    moves,
    without,
    without_first,
)
from outflank.kernels.jit import Board, Word, Words, inlined, kernel, routine
from outflank.kernels.patterns import Patterns, pattern_value

POSITION, MOBILITY, DISCS, STABILITY, AGGREGATION = range(5)
TERMS = ("position", "mobility", "discs", "stability", "aggregation")
CORNERS, HORIZONTAL, VERTICAL = range(3)
MOST = 10**15
"""No value of a position is larger, so that the tables of searches can hold it."""
_BYTE = Word(255)


Sums = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int64]


class Evaluation(NamedTuple):
    """The data of an evaluation, in the layout of one board size."""

    sums: Sums
    """[phases, 8 * words, 256]: worth of the squares set in each byte of a board."""
    weights: Numbers
    """[phases, terms]: factor of each term; a term of weight 0 is not computed."""
    phase_ends: Numbers
    """[phases - 1]: the most discs on the board at which a phase still holds, rising."""
    edges: Words
    """[3, words]: corners, first and last row, first and last column."""


AnyEvaluation = Evaluation | Patterns


@inlined
def _word_worth(word: Word, sums: Sums, phase: int, base: int) -> int:
    total = 0
    for i in range(8):
        total += sums[phase, base + i, np.int64((word >> Word(8 * i)) & _BYTE)]
    return total


@inlined
def worth(board: Board, sums: Sums, phase: int) -> int:
    """Worth of the squares of a board."""
    if len(board) == 1:
        return _word_worth(board[0], sums, phase, 0)
    else:
        low = _word_worth(board[0], sums, phase, 0) + _word_worth(board[1], sums, phase, 8)
        return low + _word_worth(board[2], sums, phase, 16) + _word_worth(board[3], sums, phase, 24)


@inlined
def position_worth(me: Board, opp: Board, sums: Sums, phase: int) -> int:
    """Worth of the squares of `me` minus worth of those of `opp`."""
    return worth(me, sums, phase) - worth(opp, sums, phase)


@routine
def anchored(board: Board, occupied: Board, edges: Words) -> int:
    """Discs of `board` that runs along an edge tie to an owned corner, or that lie on a full edge."""
    horizontal, vertical = load(edges, HORIZONTAL, board), load(edges, VERTICAL, board)
    tied = both(board, load(edges, CORNERS, board))
    while True:
        grown = either(tied, both(board, along_edges(tied, horizontal, vertical)))
        if is_empty(without(grown, tied)):
            break
        tied = grown
    return count(either(tied, both(board, _full_edges(occupied, edges, horizontal, vertical))))


@inlined
def _full_edges(occupied: Board, edges: Words, horizontal: Board, vertical: Board) -> Board:
    """Squares of edges without an empty square: what no run of empties reaches from inside the edge.

    The empty squares of an edge spread along it; corners belong to two edges and stop the spreading.
    """
    corners = load(edges, CORNERS, occupied)
    rim = either(horizontal, vertical)
    open_squares = without(without(rim, corners), occupied)
    empty_corners = without(corners, occupied)
    spread = either(open_squares, both(without(rim, corners), along_edges(empty_corners, horizontal, vertical)))
    while True:
        grown = either(spread, both(without(rim, corners), along_edges(spread, horizontal, vertical)))
        if is_empty(without(grown, spread)):
            break
        spread = grown
    closed = without(without(rim, corners), spread)
    return either(closed, both(corners, along_edges(closed, horizontal, vertical)))


@routine
def spread(board: Board) -> int:
    """Ten times the mean squared distance of the discs to their centroid, rounded down; 0 for no discs."""
    discs, rows, columns, squares = 0, 0, 0, 0
    shift = 3 if len(board) == 1 else 4
    rest = board
    while not is_empty(rest):
        square = first(rest)
        rest = without_first(rest)
        row = square >> shift
        column = square - (row << shift)
        discs += 1
        rows += row
        columns += column
        squares += row * row + column * column
    if discs == 0:
        return 0
    return 10 * (discs * squares - rows * rows - columns * columns) // (discs * discs)


@inlined
def evaluate(me: Board, opp: Board, full: Board, evaluation: Evaluation) -> int:
    """The weighted sum of all terms, from the view of `me`; who is to move does not matter."""
    weights, ends = evaluation.weights, evaluation.phase_ends
    phase = 0
    if len(ends) > 0:
        discs = count(either(me, opp))
        while phase < len(ends) and discs > ends[phase]:
            phase += 1
    value = 0
    if weights[phase, POSITION] != 0:
        value += weights[phase, POSITION] * position_worth(me, opp, evaluation.sums, phase)
    if weights[phase, MOBILITY] != 0:
        value += weights[phase, MOBILITY] * (count(moves(me, opp, full)) - count(moves(opp, me, full)))
    if weights[phase, DISCS] != 0:
        value += weights[phase, DISCS] * (count(me) - count(opp))
    if weights[phase, STABILITY] != 0:
        occupied, edges = either(me, opp), evaluation.edges
        value += weights[phase, STABILITY] * (anchored(me, occupied, edges) - anchored(opp, occupied, edges))
    if weights[phase, AGGREGATION] != 0:
        value += weights[phase, AGGREGATION] * spread(me)
    return value


@inlined
def _built_in(me: Board, opp: Board, full: Board, evaluation: AnyEvaluation) -> int:
    """The sum of terms or of patterns, told apart by their fields: numba and mypy both know how many a tuple has."""
    if len(evaluation) == 4:
        return evaluate(me, opp, full, evaluation)
    else:
        return pattern_value(me, opp, evaluation)


@inlined
def leaf_evaluation(me: Board, opp: Board, full: Board, evaluation: AnyEvaluation, plug: Any, to_move: int) -> int:
    """The built-in sum when `plug` is None, else what a person's function says; the choice is made by the compiler.

    `to_move` is 1 where `me` has the next move, which only a person's function asks. Whatever that returns, the value
    is between -MOST and MOST, as searches and tables need it.
    """
    if plug is None:
        return _built_in(me, opp, full, evaluation)
    else:
        return int(min(max(plug(me, opp, to_move), -MOST), MOST))


@kernel
def evaluation_of(me: Board, opp: Board, full: Board, evaluation: AnyEvaluation, plug: Any) -> int:
    """What a position is worth to `me`, who has the next move."""
    return leaf_evaluation(me, opp, full, evaluation, plug, 1)
