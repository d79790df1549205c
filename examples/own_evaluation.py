"""An evaluation of your own: a function of two boards that is compiled and used by minimax at native speed.

`own` and `opp` are tuples of 64-bit words, one up to 8x8; this one is for 8x8. Keep to what numba compiles.
"""

import outflank
from outflank.kernels.bitboard import count, moves
from outflank.kernels.jit import Board, Word

CORNERS = Word(0x8100000000000081)
EVERYWHERE = (Word(2**64 - 1),)


def corners_and_freedom(own: Board, opp: Board, size: int) -> int:
    """Corners count twenty moves each."""
    corners = count((own[0] & CORNERS,)) - count((opp[0] & CORNERS,))
    freedom = count(moves(own, opp, EVERYWHERE)) - count(moves(opp, own, EVERYWHERE))
    return 20 * corners + freedom


if __name__ == "__main__":
    ours = "minimax(depth=3, eval=__main__:corners_and_freedom)"
    print(outflank.agent(ours).choose(outflank.Position.start()))
    print(outflank.match(ours, "minimax(depth=3, eval=discs)", games=40))
