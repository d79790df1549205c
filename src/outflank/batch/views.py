"""A single position as learners see it: planes from the view of one side, and the mask of legal actions."""

import numpy as np
import numpy.typing as npt

from outflank.batch.boards import planes_of
from outflank.board import Color, Position


def observed(position: Position, viewer: Color) -> npt.NDArray[np.uint8]:
    """Planes [2, size, size]: discs of the viewer, then of the other side.

    >>> start = Position.start("standard 4x4")
    >>> observed(start, Color.BLACK)[0].nonzero()[0].tolist(), observed(start, Color.WHITE)[0, 1].tolist()
    ([1, 2], [0, 1, 0, 0])
    """
    rules = position.rules
    black, white = rules.board(position.black), rules.board(position.white)
    return planes_of(np.array((white, black) if viewer else (black, white), np.uint64), rules.size)


def legal_actions(position: Position) -> npt.NDArray[np.int8]:
    """[size² + 1]: 1 for the actions that the side to move may play, 0 for all others.

    >>> legal_actions(Position.start("standard 4x4")).nonzero()[0].tolist()
    [1, 4, 11, 14]
    """
    mask = np.zeros(position.rules.cells + 1, np.int8)
    mask[list(position.moves)] = 1
    return mask
