"""Requests at work: each runs in a thread, tells what it finds, and ends when it is told to.

The event loop never searches. It looks at a job ten times a second and sends what is new; a job that has nothing new
for a while sends its last answer again with the time that has passed, so that a page sees that it is alive.
"""

import asyncio
import json
import logging
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar, cast

from outflank.errors import OutflankError
from outflank.interfaces.preparing import QUIET_SECONDS
from outflank.interfaces.web.lanes import Lane, Queue, Turn
from outflank.interfaces.web.messages import Id
from outflank.interfaces.web.security import Caps
from outflank.interfaces.web.verbs import Answer, Reply
from outflank.search.clock import stoppable

T = TypeVar("T")
Send = Callable[[str], Awaitable[None]]

_FIRST_LOOK, _LOOK, _SIGN_OF_LIFE = 0.02, 0.1, 0.18
_PATIENCE = 0.03
"""Seconds for a job to end by itself once it is told to. One that does not hear, because it is compiling, which nothing
can stop, is left alone: the page is told that it has ended, its place is another's, and its thread ends later."""
_OVERDUE = 5.0
"""Seconds beyond its time after which a job that does not end by itself is left alone as well."""
_QUICK_SHARE = 0.25
_NICENESS = 3
"""Of threads that search, so that messages are heard and quick answers given beside them."""

log = logging.getLogger("outflank.web")


class Pools:
    """The threads of a server: some for quick answers, some for moves that people wait for, some for analyses."""

    def __init__(self, caps: Caps) -> None:
        self.lanes = {
            "quick": Lane("quick", caps.quick_workers, _QUICK_SHARE),
            "moves": Lane("moves", caps.workers, caps.move_share, _NICENESS),
            "analyses": Lane("analyses", caps.workers, caps.analysis_share, 2 * _NICENESS),
        }
        self.jobs: set[Job] = set()

    def queues(self) -> dict[str, Queue]:
        """What a page waits for in every lane."""
        return {name: Queue() for name in self.lanes}

    def submit(self, name: str, queue: Queue, job: "Job") -> Turn:
        """Runs a job when its turn has come."""
        self.jobs.add(job)
        turn = self.lanes[name].submit(queue, job)
        turn.future.add_done_callback(lambda _: self.jobs.discard(job))
        return turn

    async def aside(self, queue: Queue, work: Callable[[], T]) -> T:
        """What a short function returns, run among the quick answers."""
        turn = self.lanes["quick"].submit(queue, _Call(work))
        return cast(T, await asyncio.wrap_future(turn.future))

    def close(self) -> None:
        """Ends everything; threads are gone a few milliseconds later."""
        for job in list(self.jobs):
            job.stop()
        for lane in self.lanes.values():
            lane.close()


class _Call:
    """A function as work of a lane."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work

    def run(self, _turn: Turn) -> object:
        return self._work()


class Job:
    """One request: its answers so far, and the wish that it end."""

    def __init__(self, number: Id, answer: Answer, seconds: float, stream: bool) -> None:
        self.number, self._answer, self._seconds, self.stream = number, answer, seconds, stream
        self._wish = threading.Event()
        self._deadline = float("inf")
        self.news: deque[Reply] = deque(maxlen=1 if stream else None)
        self._prepares = 0.0
        """Since when it tells that it is preparing; 0 when it does not."""
        self._excuse: Reply = {}
        """Why it was told to end, where others are the reason."""
        self._turn: Turn | None = None
        self._waiting: asyncio.Future[object] | None = None

    def begin(self, pools: Pools, name: str, queue: Queue) -> None:
        """Hands it to the threads of this name."""
        self._turn = pools.submit(name, queue, self)
        self._waiting = asyncio.wrap_future(self._turn.future)
        self._waiting.add_done_callback(_look_at)

    def run(self, turn: Turn) -> str:
        """In a thread: gathers the answers and returns the last one as it is sent."""
        self._deadline = time.monotonic() + self._seconds
        with stoppable(lambda: self._told(turn)):
            while True:
                try:
                    self._tell(next(self._answer), turn)
                except StopIteration as end:
                    return self._written(end.value | {"last": True} | self._excuse)
                except OutflankError as error:
                    return self._written(error_reply(str(error)))
                except RecursionError:
                    return self._written(error_reply("the message is nested too deeply; expected a few levels"))

    def _tell(self, reply: Reply, turn: Turn) -> None:
        """Offers a reply. That something is prepared is replaced by what follows, and its time is not the search's."""
        if self._prepares:
            with suppress(IndexError):  # it has been fetched
                self.news.pop()
        if reply["kind"] == "preparing":
            self._prepares = self._prepares or time.monotonic()
            self._deadline = time.monotonic() + self._seconds
            turn.begin_again()
        else:
            self._prepares = 0.0
        self.news.append(reply)

    def _told(self, turn: Turn) -> bool:
        """Whether it is to end: by a wish, by the clock, or because others wait."""
        if self._wish.is_set() or time.monotonic() > self._deadline:
            return True
        if turn.is_over:
            self._excuse = {"cut": "others were waiting"}
        return turn.is_over

    def _written(self, reply: Reply) -> str:
        return json.dumps({"id": self.number, **reply}, separators=(",", ":"))

    def stop(self) -> None:
        """Ends it, or keeps it from beginning."""
        self._wish.set()
        if self._turn is not None and self._waiting is not None:
            self._turn.withdraw()
            self._waiting.get_loop().call_later(_PATIENCE, self._leave)

    def _leave(self) -> None:
        """The page waits for it no longer."""
        assert self._turn is not None and self._waiting is not None, "it has begun"
        if not self._waiting.done():
            self._waiting.cancel()
            self._turn.relieve(at_once=True)

    async def report(self, send: Send) -> str:
        """Sends the answers as they come, and returns the last one, marked as such."""
        assert self._waiting is not None and self._turn is not None, "it has begun"
        waiting = self._waiting
        began = sent = time.monotonic()
        latest: Reply | None = None
        look = _FIRST_LOOK
        while not (await asyncio.wait({waiting}, timeout=look))[0]:
            look = _LOOK
            while self.news and time.monotonic() - self._prepares > QUIET_SECONDS:
                latest, sent = self.news.popleft(), time.monotonic()
                await send(self._written(latest))
            if self.stream and latest and time.monotonic() - sent > _SIGN_OF_LIFE:
                sent = time.monotonic()
                await send(self._written(latest | {"seconds": round(sent - began, 4)}))
            self._turn.relieve()
            if time.monotonic() > self._deadline + _OVERDUE:
                self.stop()
        if not self.stream:
            while self.news:
                await send(self._written(self.news.popleft()))
        return self._outcome(waiting)

    def _outcome(self, done: "asyncio.Future[object]") -> str:
        """The last answer, or what went wrong, in words."""
        if done.cancelled():
            return self._written({"kind": "stopped", "last": True})
        error = done.exception()
        if error is None:
            return str(done.result())
        log.error("a request failed", exc_info=error)
        return self._written(error_reply(f"this could not be answered: {type(error).__name__}: {error}"[:500]))


def error_reply(message: str) -> Reply:
    """The last answer where there is none."""
    return {"kind": "error", "message": message, "last": True}


def _look_at(waiting: "asyncio.Future[object]") -> None:
    """An error that nobody waits for any more is no news."""
    if not waiting.cancelled():
        waiting.exception()
