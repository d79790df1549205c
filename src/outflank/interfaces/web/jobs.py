"""Requests at work: each runs in a thread, tells what it finds, and ends when it is told to.

The event loop never searches. It looks at a job ten times a second and sends what is new; a job that has nothing new
for a while sends its last answer again with the time that has passed, so that a page sees that it is alive.
"""

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from outflank.errors import OutflankError
from outflank.interfaces.preparing import QUIET_SECONDS
from outflank.interfaces.web.security import Caps
from outflank.interfaces.web.verbs import Answer, Reply
from outflank.search.clock import stoppable

Send = Callable[[Reply], Awaitable[None]]

_FIRST_LOOK, _LOOK, _SIGN_OF_LIFE = 0.02, 0.1, 0.18
_PATIENCE = 0.03
"""Seconds for a job to end by itself once it is told to. One that is compiling, which nothing can stop, is left alone:
the page is told that it has ended, and its thread ends later."""
_QUICK_THREADS = 4

log = logging.getLogger("outflank.web")


class Pools:
    """The threads of a server: some for quick answers, some for moves that people wait for, some for analyses."""

    def __init__(self, caps: Caps) -> None:
        sizes = {"quick": _QUICK_THREADS, "moves": caps.workers, "analyses": caps.workers}
        self._pools = {name: ThreadPoolExecutor(size, f"outflank-{name}") for name, size in sizes.items()}
        self.jobs: set[Job] = set()

    def submit(self, name: str, job: "Job") -> Future[Reply]:
        """Runs a job as soon as a thread is free."""
        self.jobs.add(job)
        future = self._pools[name].submit(job.run)
        future.add_done_callback(lambda _: self.jobs.discard(job))
        return future

    def close(self) -> None:
        """Ends everything; threads are gone a few milliseconds later."""
        for job in list(self.jobs):
            job.stop()
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)


class Job:
    """One request: its answers so far, and the wish that it end."""

    def __init__(self, answer: Answer, seconds: float, stream: bool) -> None:
        self._answer, self._seconds, self.stream = answer, seconds, stream
        self._wish = threading.Event()
        self._deadline = float("inf")
        self.news: deque[Reply] = deque(maxlen=1 if stream else None)
        self._prepares = 0.0
        """Since when it tells that it is preparing; 0 when it does not."""
        self._future: Future[Reply] | None = None
        self._waiting: asyncio.Future[Reply] | None = None

    def begin(self, pools: Pools, name: str) -> None:
        """Hands it to the threads of this name."""
        self._future = pools.submit(name, self)
        self._waiting = asyncio.wrap_future(self._future)
        self._waiting.add_done_callback(_look_at)

    def run(self) -> Reply:
        """In a thread: gathers the answers and returns the last one."""
        self._deadline = time.monotonic() + self._seconds
        with stoppable(self._told):
            while True:
                try:
                    self._tell(next(self._answer))
                except StopIteration as end:
                    last: Reply = end.value
                    return last

    def _tell(self, reply: Reply) -> None:
        """Offers a reply. That something is prepared is replaced by what follows, and its time is not the search's."""
        if self._prepares:
            with suppress(IndexError):  # it has been fetched
                self.news.pop()
        if reply["kind"] == "preparing":
            self._prepares = self._prepares or time.monotonic()
            self._deadline = time.monotonic() + self._seconds
        else:
            self._prepares = 0.0
        self.news.append(reply)

    def _told(self) -> bool:
        return self._wish.is_set() or time.monotonic() > self._deadline

    def stop(self) -> None:
        """Ends it, or keeps it from beginning."""
        self._wish.set()
        if self._future is not None and self._waiting is not None:
            self._future.cancel()
            self._waiting.get_loop().call_later(_PATIENCE, self._waiting.cancel)

    async def report(self, send: Send) -> None:
        """Sends the answers as they come, and the last one marked as such."""
        assert self._waiting is not None, "it has begun"
        waiting = self._waiting
        began = sent = time.monotonic()
        latest: Reply | None = None
        look = _FIRST_LOOK
        while not (await asyncio.wait({waiting}, timeout=look))[0]:
            look = _LOOK
            while self.news and time.monotonic() - self._prepares > QUIET_SECONDS:
                latest, sent = self.news.popleft(), time.monotonic()
                await send(latest)
            if self.stream and latest and time.monotonic() - sent > _SIGN_OF_LIFE:
                sent = time.monotonic()
                await send(latest | {"seconds": round(sent - began, 4)})
        if not self.stream:
            while self.news:
                await send(self.news.popleft())
        await send(_outcome(waiting) | {"last": True})


def _look_at(waiting: "asyncio.Future[Reply]") -> None:
    """An error that nobody waits for any more is no news."""
    if not waiting.cancelled():
        waiting.exception()


def _outcome(done: "asyncio.Future[Reply]") -> Reply:
    """The last answer, or what went wrong, in words."""
    if done.cancelled():
        return {"kind": "stopped"}
    error = done.exception()
    if error is None:
        return done.result()
    if isinstance(error, OutflankError):
        return {"kind": "error", "message": str(error)}
    log.error("a request failed", exc_info=error)
    return {"kind": "error", "message": f"this could not be answered: {type(error).__name__}: {error}"[:500]}
