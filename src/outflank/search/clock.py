"""The clock that a search reads between slices of kernel work.

Kernels have no clock and hold Ctrl-C, so every search runs in slices: a kernel does a bounded number of nodes
or playouts and returns a state that the next call resumes. `Clock` looks at the time between two slices and
chooses the next so that a deadline is kept within a few milliseconds. A search without a time limit has slices
of fixed size, so that its result depends on its text and seed alone.

Whoever starts a search may want to end it early: inside `stoppable(stop)` every search asks `stop()` between two slices
and ends, with what it has found, once the answer is yes.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from outflank.search.limits import Limits

SLICE_SECONDS = 0.002
_FIXED_SLICE_SECONDS = 0.05

_STOP: ContextVar[Callable[[], bool] | None] = ContextVar("stop", default=None)


@contextmanager
def stoppable(stop: Callable[[], bool]) -> Iterator[None]:
    """Searches begun inside, in this thread, end within a few milliseconds once `stop()` is true.

    They still answer, with what they found so far. Inside another `stoppable` either stops them.

    >>> with stoppable(lambda: True):
    ...     told_to_stop()
    True
    """
    outer = _STOP.get()
    token = _STOP.set(stop if outer is None else lambda: stop() or outer())
    try:
        yield
    finally:
        _STOP.reset(token)


def told_to_stop() -> bool:
    """Whether whoever started this search wants it to end."""
    stop = _STOP.get()
    return stop is not None and stop()


class Clock:
    """Time since a search began, and the size of its next slice."""

    def __init__(self, limits: Limits, rate: float) -> None:
        """`rate` is a first guess of units (nodes or playouts) per second; it is corrected as slices run."""
        self.began = time.perf_counter()
        self.deadline = None if limits.seconds is None else self.began + limits.seconds
        self.rate = rate
        self.stop = _STOP.get()
        self._fixed = max(1, int(rate * _FIXED_SLICE_SECONDS))
        self._last = self.began

    @property
    def seconds(self) -> float:
        """Seconds since the search began."""
        return time.perf_counter() - self.began

    @property
    def expired(self) -> bool:
        """Whether the time limit is reached, or whoever started the search wants it to end."""
        if self.stop is not None and self.stop():
            return True
        return self.deadline is not None and time.perf_counter() >= self.deadline

    def slice(self) -> int:
        """Units to do before the clock is read again: about 2 ms of work if it can end the search, else a fixed number.

        The size of slices never changes what a search finds.
        """
        if self.deadline is None and self.stop is None:
            return self._fixed
        if self.expired:
            return 1
        left = SLICE_SECONDS if self.deadline is None else self.deadline - time.perf_counter()
        return max(1, int(self.rate * min(SLICE_SECONDS, left)))

    def worked(self, units: int) -> None:
        """Tells the clock what the last slice did."""
        now = time.perf_counter()
        if now > self._last and units:
            measured = units / (now - self._last)
            self.rate = measured if self.rate > 4 * measured else 0.7 * self.rate + 0.3 * measured
        self._last = now
