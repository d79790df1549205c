"""The games of `batch` on a GPU, from the source of the CPU: a thread a game.

Arrays stay on the card, where learners read them; a step reads and writes some 300 bytes of a game.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import cuda

from outflank.kernels import batch
from outflank.kernels.batch import Rows, Setting
from outflank.kernels.bitboard import load
from outflank.kernels.cuda import Pattern, value_function
from outflank.kernels.games_cuda import for_card
from outflank.kernels.patterns import Patterns

NONE_WRONG = 1 << 62
"""In `wrong[0]`: every action is legal."""


class BatchKernels(NamedTuple):
    """What happens to all games; `wrong` [1] is the lowest game whose action is not legal, or `NONE_WRONG`."""

    check: Any
    """(rows, setting, actions, wrong) looks for actions that are not legal."""
    step: Any
    """(rows, setting, actions, wrong) plays them, unless one was found."""
    draw: Any
    """(rows, setting, actions) writes random ones."""


@cache
def batch_kernels() -> BatchKernels:
    """The kernels of `batch` for the card."""
    is_legal, play, drawn = (for_card(each) for each in (batch.is_legal, batch.play_or_skip, batch.random_action))
    none_wrong = np.int64(NONE_WRONG)

    def check(rows: Rows, setting: Setting, actions: Any, wrong: Any) -> None:
        for game in range(cuda.grid(1), len(actions), cuda.gridsize(1)):
            if not is_legal(rows, setting, game, actions[game]):
                cuda.atomic.min(wrong, 0, np.int64(game))

    def step(rows: Rows, setting: Setting, actions: Any, wrong: Any) -> None:
        for game in range(cuda.grid(1), len(actions), cuda.gridsize(1)):
            if wrong[0] == none_wrong:
                play(rows, setting, game, actions[game])

    def draw(rows: Rows, setting: Setting, actions: Any) -> None:
        for game in range(cuda.grid(1), len(actions), cuda.gridsize(1)):
            actions[game] = drawn(rows, setting, game)

    return BatchKernels(cuda.jit(check), cuda.jit(step), cuda.jit(draw))


@cache
def values_kernel(shape: tuple[Pattern, ...]) -> Any:
    """The kernel (own, other, full, patterns, values): what every position is worth to its side to move."""
    value, read = value_function(shape), for_card(load)

    def values(own: Any, other: Any, full: Any, patterns: Patterns, out: Any) -> None:
        for row in range(cuda.grid(1), len(out), cuda.gridsize(1)):
            out[row] = np.int32(value(read(own, row, full), read(other, row, full), patterns))

    return cuda.jit(values)
