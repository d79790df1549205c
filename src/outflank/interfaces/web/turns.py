"""Whose message is acted on next: that of the page that has used least of the event loop.

Sockets are read no faster than their messages are acted on. Whoever sends without end therefore waits in the network,
where it costs nobody anything, and whoever sends now and then goes before them: fair queueing by virtual time, as in
`lanes`, for the one thread that all pages share.
"""

import asyncio
import heapq
import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager

_AT_ONCE = 4
"""Messages between two looks at the sockets: a few, so that nobody's message is long unread."""
_TO_READ = 0.0003
"""Seconds of the event loop that any message takes: to be read from its socket and answered on it."""


class Used:
    """What one page has used of the event loop."""

    def __init__(self) -> None:
        self.seconds = 0.0

    @contextmanager
    def charged(self) -> Iterator[None]:
        """Adds what a block takes; the block does not wait for anything."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += _TO_READ + time.perf_counter() - began


class Turns:
    """The order of those who wait.

    >>> async def served(names: str) -> str:
    ...     turns, pages, order = Turns(), {name: Used() for name in names}, []
    ...     async def one(name: str) -> None:
    ...         await turns.wait(pages[name])
    ...         order.append(name)
    ...     pages["b"].seconds = 1.0
    ...     await asyncio.gather(*map(one, names))
    ...     return "".join(order)
    >>> asyncio.run(served("abc"))
    'acb'
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        self._now = 0.0
        """What whoever had the latest turn had used before it; nobody saves up turns by being silent."""
        self._is_granting = False

    async def wait(self, page: Used) -> None:
        """Returns when it is the turn of a page."""
        page.seconds = max(page.seconds, self._now)
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        heapq.heappush(self._waiting, (page.seconds, next(self._numbers), turn))
        if not self._is_granting:
            self._is_granting = True
            loop.call_soon(self._grant, loop)
        await turn

    def _grant(self, loop: asyncio.AbstractEventLoop) -> None:
        """The next turns; what is called soon is called after the sockets were looked at."""
        granted = 0
        while self._waiting and granted < _AT_ONCE:
            used, _, turn = heapq.heappop(self._waiting)
            if not turn.done():  # whoever waited is gone
                self._now = max(self._now, used)
                turn.set_result(None)
                granted += 1
        self._is_granting = bool(self._waiting)
        if self._is_granting:
            loop.call_soon(self._grant, loop)
