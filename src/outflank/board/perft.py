"""Counting lines of play, the classic test of a move generator."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from typing import TYPE_CHECKING

from outflank.errors import BadNotation
from outflank.inputs import expect, shown
from outflank.kernels import rules as kernels

if TYPE_CHECKING:
    from outflank.board.position import Position

_TASKS = 1000
_SHALLOW = 6
_DEEPEST = 512


def check_depth(depth: int) -> None:
    """Refuses a depth that no game of any size reaches."""
    expect(int, depth=depth)
    if not 0 <= depth <= _DEEPEST:
        raise BadNotation(f"depth {shown(depth)} is not possible; expected 0 to {_DEEPEST}")


def perft(position: "Position", depth: int, on_progress: Callable[[int, int], None] | None = None) -> int:
    """Number of lines of play of `depth` plies; see `Position.perft`."""
    check_depth(depth)
    if depth == 0:
        return 1
    tasks, finished = [position], 0
    while depth > _SHALLOW and 0 < len(tasks) < _TASKS:
        finished += sum(task.is_over for task in tasks)
        tasks = [task.play(move) for task in tasks for move in task.moves]
        depth -= 1
    return finished + _count_in_threads(tasks, depth, on_progress)


def _count_in_threads(tasks: "list[Position]", depth: int, on_progress: Callable[[int, int], None] | None) -> int:
    """Sum of perft over the tasks, on all cores; kernels release the GIL."""

    def count(task: "Position") -> int:
        me, opp, full = task.boards
        return kernels.perft(me, opp, full, depth)

    leaves = 0
    pool = ThreadPoolExecutor(cpu_count())
    try:
        counts = pool.map(count, tasks)
        for done, leaves_of_task in enumerate(counts, start=1):
            leaves += leaves_of_task
            if on_progress is not None:
                on_progress(done, len(tasks))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return leaves
