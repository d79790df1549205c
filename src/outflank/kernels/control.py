"""What a recursive search and whoever started it tell each other while it runs: a row of numbers.

Kernels have no clock. A search that recurses cannot be cut into slices, so it runs in a thread of its own, looks at
STOP in every node, and unwinds once another thread has set it; what it returns then means nothing. A search of limited
nodes stops itself when it has done MOST, so that its result depends on no clock.
"""

import numpy as np
import numpy.typing as npt

from outflank.kernels.jit import inlined

Control = npt.NDArray[np.int64]

STOP, NODES, MOST, LEAVE = range(4)
"""Cells: not 0 when the search must end, positions entered so far, how many it may enter, the node to go back to."""
CELLS = 32
"""More than are used, so that no two threads write to one line of the cache in every node."""


@inlined
def must_end(control: Control) -> bool:
    """Whether the search must end; one that has used up its nodes is told so for good."""
    if control[NODES] >= control[MOST]:
        control[STOP] = 1
    return bool(control[STOP] != 0)
