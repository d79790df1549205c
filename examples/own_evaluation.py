"""An evaluation of your own: a function of two boards that is compiled and used by minimax at native speed.

`own`, `opp` and `full`, all squares, are tuples of 64-bit words, one up to 8x8. Keep to what numba compiles.
"""

import outflank
from outflank.kernels.bitboard import both, count, either, moves, single
from outflank.kernels.jit import Board


def corners_and_freedom(own: Board, opp: Board, full: Board, size: int) -> int:
    """Corners count twenty moves each, on any board up to 8x8, where a row is eight bits."""
    last = size - 1
    upper, lower = either(single(0, own), single(last, own)), either(single(8 * last, own), single(9 * last, own))
    corners = either(upper, lower)
    freedom = count(moves(own, opp, full)) - count(moves(opp, own, full))
    return 20 * (count(both(own, corners)) - count(both(opp, corners))) + freedom


if __name__ == "__main__":
    ours = "minimax(depth=3, eval=__main__:corners_and_freedom)"
    print(outflank.agent(ours).choose(outflank.Position.start()))
    print(outflank.match(ours, "minimax(depth=3, eval=discs)", games=40))
