"""Whose message is acted on next: that of the page that has used least of the event loop lately.

Sockets are read no faster than their messages are acted on. Whoever sends without end therefore waits in the network,
where it costs nobody anything, and whoever sends now and then goes before them. What a page has used is forgiven at a
steady rate and never counted beyond a bound; the more its page has used, the later a message is due, at the bound by
20 seconds, so that nobody waits for ever. Where many use the most, all of them are at the bound and take turns.
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
_LATEST = 20.0
"""Seconds by which a message of a page that has used the most is due after one of a page that has used nothing."""
_LOOP_SHARE, _LOOP_MOST = 0.002, 0.005
"""Of the loop, what every page may use without waiting for others, and the seconds beyond it that are remembered."""


class Usage:
    """Seconds of a processor that somebody has used lately.

    >>> page = Usage(share=0.1, most=5.0)
    >>> page.add(2.0, now=0.0)
    >>> page.level(now=10.0), page.level(now=100.0)
    (1.0, 0.0)
    """

    def __init__(self, share: float, most: float) -> None:
        """So large a share of a processor is forgiven, and no more seconds than `most` are remembered."""
        self.share, self.most = share, most
        self._level = self._at = 0.0

    def level(self, now: float | None = None) -> float:
        """What is not forgiven yet."""
        now = time.monotonic() if now is None else now
        self._level = max(0.0, self._level - self.share * (now - self._at))
        self._at = now
        return self._level

    def add(self, seconds: float, now: float | None = None) -> None:
        """Counts what was used, or less than nothing where it was expected to be more."""
        self._level = min(self.most, max(0.0, self.level(now) + seconds))

    @contextmanager
    def charged(self) -> Iterator[None]:
        """Counts what a block takes; the block does not wait for anything."""
        began = time.thread_time()
        try:
            yield
        finally:
            self.add(_TO_READ + time.thread_time() - began)


def usage_of_loop() -> Usage:
    """For a page that is new: it goes after those that are known to use little, for a second.

    Whoever is cut off and comes back would else go before everybody.
    """
    usage = Usage(_LOOP_SHARE, _LOOP_MOST)
    usage.add(_LOOP_MOST / 2)
    return usage


class Turns:
    """The order of those who wait.

    >>> async def served(names: str) -> str:
    ...     turns, pages, order = Turns(), {name: Usage(0.1, 1.0) for name in names}, []
    ...     async def one(name: str) -> None:
    ...         await turns.wait(pages[name])
    ...         order.append(name)
    ...     pages["b"].add(1.0)
    ...     await asyncio.gather(*map(one, names))
    ...     return "".join(order)
    >>> asyncio.run(served("abc"))
    'acb'
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        self._is_granting = False

    async def wait(self, page: Usage) -> None:
        """Returns when it is the turn of a page."""
        loop = asyncio.get_running_loop()
        turn = loop.create_future()
        due = loop.time() + _LATEST * page.level() / page.most
        heapq.heappush(self._waiting, (due, next(self._numbers), turn))
        if not self._is_granting:
            self._is_granting = True
            loop.call_soon(self._grant, loop)
        await turn

    def _grant(self, loop: asyncio.AbstractEventLoop) -> None:
        """The next turns; what is called soon is called after the sockets were looked at."""
        granted = 0
        while self._waiting and granted < _AT_ONCE:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():  # whoever waited is gone
                turn.set_result(None)
                granted += 1
        self._is_granting = bool(self._waiting)
        if self._is_granting:
            loop.call_soon(self._grant, loop)
