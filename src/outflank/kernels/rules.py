"""Playing and counting, for every layout: legal moves, make-move, final difference, perft.

The reversed game has the same moves; only the sign of the final difference changes, and that is the caller's.
"""

from outflank.kernels.bitboard import (
    count,
    either,
    first,
    flips,
    is_empty,
    moves,
    single,
    without,
    without_first,
)
from outflank.kernels.jit import Board, inlined, instant, kernel, spliced

PASS = -1
"""The pass, wherever kernels hold a move."""


@spliced
def with_turned(me: Board, opp: Board, turned: Board, placed: Board) -> tuple[Board, Board]:
    """The boards after `me` sets the disc of `placed` and turns those of `turned`, from the next side's view."""
    return without(opp, turned), either(either(me, turned), placed)


@spliced
def after(me: Board, opp: Board, square: int) -> tuple[Board, Board]:
    """The boards after `me` plays a legal square, from the next side's view: (its discs, discs of the mover)."""
    return with_turned(me, opp, flips(me, opp, square), single(square, me))


@inlined
def after_or_pass(me: Board, opp: Board, square: int) -> tuple[Board, Board]:
    """`after` of a square, or of `PASS`."""
    if square == PASS:
        return opp, me
    return after(me, opp, square)


@instant
def legal_moves(me: Board, opp: Board, full: Board) -> Board:
    """The legal squares of `me`; empty when `me` must pass or the game is over."""
    return moves(me, opp, full)


@instant
def play(me: Board, opp: Board, square: int) -> tuple[Board, Board]:
    """`after` for callers that are not kernels."""
    return after(me, opp, square)


@kernel
def perft(me: Board, opp: Board, full: Board, depth: int) -> int:
    """Number of lines of play of `depth` plies, depth >= 1.

    A forced pass is one ply; a game that ends earlier counts once. The last ply is counted, not played.
    Recursion keeps one signature: depth stays an int64 and the boards keep their type.
    """
    squares = moves(me, opp, full)
    if depth == 1:
        return max(count(squares), 1)
    if is_empty(squares):
        if is_empty(moves(opp, me, full)):
            return 1
        return perft(opp, me, full, depth - 1)
    leaves = 0
    while not is_empty(squares):
        square = first(squares)
        squares = without_first(squares)
        theirs, mine = after(me, opp, square)
        leaves += perft(theirs, mine, full, depth - 1)
    return leaves
