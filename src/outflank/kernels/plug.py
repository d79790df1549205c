"""The one plug for code of a person's own: an evaluation in plain Python, compiled and called at native speed.

A function that is passed as an argument is normally a type of its own, and every kernel that takes it would be
compiled anew in every process. Wrapped as a C callback all functions of one signature share one type, so the search
that calls it is compiled once and found again on disk; the call costs a few nanoseconds.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
from numba import types

from outflank.kernels.jit import INTERPRETED


@cache
def compile_evaluation(function: Callable[..., int], words: int) -> Any:
    """`function(own, opp, size) -> int` as kernels of this layout take it; `own` and `opp` are boards."""
    if INTERPRETED:
        return function
    board = types.UniTuple(types.uint64, words)
    return numba.cfunc(types.int64(board, board, types.int64))(function)
