"""A small network as an evaluation: 128 inputs, 16 rectified units, one output in discs, at native speed (8x8).

Its weights, learnt from what trained patterns say of random positions, lie beside it and are part of its identity.
"""

from pathlib import Path

import numpy as np

import outflank
from outflank.kernels.bitboard import first, is_empty, without_first
from outflank.kernels.jit import Board

WEIGHTS = np.load(Path(__file__).with_suffix(".npy"))  # rows: own squares, opposing squares, bias, output


def network(own: Board, opp: Board, sign: int) -> float:
    """Discs by which the side to move will win."""
    units = WEIGHTS[128].copy()
    for offset, board in ((0, own), (64, opp)):
        while not is_empty(board):
            units += WEIGHTS[offset + first(board)]
            board = without_first(board)
    return float(sign * np.sum(np.maximum(units, np.float32(0)) * WEIGHTS[129]))


network.of_mover, network.scale = True, 100  # type: ignore[attr-defined]
if __name__ == "__main__":
    print(outflank.match("minimax(depth=3, eval=__main__:network)", "minimax(depth=3, eval=discs)", games=20))
