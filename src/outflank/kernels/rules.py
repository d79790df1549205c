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
from outflank.kernels.jit import Board, kernel


@kernel
def legal_moves(me: Board, opp: Board, full: Board) -> Board:
    """The legal squares of `me`; empty when `me` must pass or the game is over."""
    return moves(me, opp, full)


@kernel
def play(me: Board, opp: Board, square: int) -> tuple[Board, Board]:
    """The boards after `me` plays a legal square, seen by the next side: (their discs, discs of the mover)."""
    turned = flips(me, opp, square)
    return without(opp, turned), either(either(me, turned), single(square, me))


@kernel
def difference(me: Board, opp: Board) -> int:
    """Discs of `me` minus discs of `opp`."""
    return count(me) - count(opp)


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
        turned = flips(me, opp, square)
        mine = either(either(me, turned), single(square, me))
        leaves += perft(without(opp, turned), mine, full, depth - 1)
    return leaves
