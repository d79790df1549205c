"""Requests at work: each runs in a thread, tells what it finds, and ends when it is told to.

The event loop never searches. It looks at the jobs that have a thread ten times a second and sends what is new; one
that has nothing new for a while sends its last answer again with the time that has passed, so that a page sees that it
is alive. Those that wait for a thread cost nothing.
"""

import asyncio
import json
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from outflank.errors import OutflankError
from outflank.interfaces.preparing import QUIET_SECONDS
from outflank.interfaces.web.lanes import Lane, Queue, Turn
from outflank.interfaces.web.messages import Id
from outflank.interfaces.web.security import Caps
from outflank.interfaces.web.verbs import Answer, Reply
from outflank.search.clock import stoppable

Tell = Callable[["Job", str, bool], None]
"""Takes an answer of a job as it is sent, and whether it is the last."""

_FIRST_LOOK, _LOOK, _SIGN_OF_LIFE = 0.02, 0.1, 0.18
_PATIENCE = 0.03
"""Seconds for a job to end by itself once it is told to. One that does not hear, because it is compiling, which nothing
can stop, is left alone: the page is told that it has ended, and its thread ends later."""
_OVERDUE = 5.0
"""Seconds beyond its time after which a job that does not end by itself is left alone as well."""
_NICENESS = 5
"""Of threads that search, and twice as much of those that analyse, so that messages are heard beside them."""

_STOPPED: Reply = {"kind": "stopped", "last": True}

log = logging.getLogger("outflank.web")


class Pools:
    """The threads of a server: some for moves that people wait for, some for analyses, some for what may compile."""

    def __init__(self, caps: Caps) -> None:
        self.lanes = {
            "first": Lane("first", caps.first_workers, caps.move_share, _NICENESS),
            "moves": Lane("moves", caps.workers, caps.move_share, _NICENESS),
            "analyses": Lane("analyses", caps.workers, caps.analysis_share, 2 * _NICENESS),
        }
        self.jobs: set[Job] = set()
        self.running: set[Job] = set()
        """Those of the jobs that have a thread."""
        self._is_looking = False

    def queues(self) -> dict[str, Queue]:
        """What a page waits for in every lane."""
        return {name: Queue() for name in self.lanes}

    def submit(self, name: str, queue: Queue, job: "Job") -> Turn:
        """Runs a job when its turn has come."""
        self.jobs.add(job)
        turn = self.lanes[name].submit(queue, job)
        turn.future.add_done_callback(lambda _: self.jobs.discard(job))
        if not self._is_looking:
            self._is_looking = True
            self._look(asyncio.get_running_loop())
        return turn

    def close(self) -> None:
        """Ends everything; threads are gone a few milliseconds later."""
        for job in list(self.jobs):
            job.stop()
        for lane in self.lanes.values():
            lane.close()

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        for job in list(self.running):
            job.look()
        self._is_looking = bool(self.jobs)
        if self._is_looking:
            loop.call_later(_FIRST_LOOK, self._look, loop)


class Job:
    """One request: its answers so far, and the wish that it end."""

    def __init__(self, number: Id, answer: Answer, seconds: float, stream: bool, tell: Tell) -> None:
        self.number, self._answer, self._seconds, self.stream, self._tell = number, answer, seconds, stream, tell
        self._wish = threading.Event()
        self._deadline = float("inf")
        self.news: deque[Reply] = deque(maxlen=1 if stream else None)
        self._latest: Reply | None = None
        self._sent = self._next_look = 0.0
        self._prepares = 0.0
        """Since when it tells that it is preparing; 0 when it does not."""
        self._excuse: Reply = {}
        """Why it was told to end, where others are the reason."""
        self._ended = False

    def begin(self, pools: Pools, name: str, queue: Queue) -> None:
        """Hands it to the threads of this name."""
        self._pools, self._loop = pools, asyncio.get_running_loop()
        self._began = time.monotonic()
        self._turn = pools.submit(name, queue, self)
        self._turn.future.add_done_callback(self._call_end)

    # --- in a thread ----------------------------------------------------------------------------------------------

    def run(self, turn: Turn) -> str:
        """Gathers the answers and returns the last one as it is sent."""
        self._deadline = time.monotonic() + self._seconds
        self._pools.running.add(self)
        try:
            with stoppable(lambda: self._told(turn)):
                while True:
                    reply, is_last = next_of(self._answer)
                    if is_last:
                        return self._written(reply | self._excuse)
                    if reply:
                        self._offer(reply, turn)
        finally:
            self._pools.running.discard(self)

    def _offer(self, reply: Reply, turn: Turn) -> None:
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
        return written(self.number, reply)

    def _call_end(self, _future: object) -> None:
        with suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._end)

    # --- in the event loop ----------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Ends it, or keeps it from beginning."""
        self._wish.set()
        self._turn.withdraw()
        self._loop.call_later(_PATIENCE, self._leave)

    def look(self) -> None:
        """Sends what is new, and sees to it that it ends in time."""
        now = time.monotonic()
        if now < self._next_look:
            return
        self._next_look = now + _LOOK
        self._turn.relieve()
        if self._ended:
            return
        while self.news and now - self._prepares > QUIET_SECONDS:
            self._latest, self._sent = self.news.popleft(), now
            self._tell(self, self._written(self._latest), False)
        if self.stream and self._latest and now - self._sent > _SIGN_OF_LIFE:
            self._sent = now
            self._tell(self, self._written(self._latest | {"seconds": round(now - self._began, 4)}), False)
        if now > self._deadline + _OVERDUE:
            self.stop()

    def _leave(self) -> None:
        """The page waits for it no longer."""
        if not self._ended:
            self._end_with(self._written(_STOPPED))

    def _end(self) -> None:
        """Sends what is left, and the last answer."""
        done = self._turn.future
        if self._ended:
            return
        while self.news and not self.stream and not done.cancelled():
            self._tell(self, self._written(self.news.popleft()), False)
        self._end_with(self._written(_STOPPED) if done.cancelled() else str(done.result()))

    def _end_with(self, last: str) -> None:
        self._ended = True
        self._tell(self, last, True)


def next_of(answer: Answer) -> tuple[Reply, bool]:
    """The next reply, empty where there is nothing to tell yet, and whether it is the last: also what went wrong."""
    try:
        return next(answer), False
    except StopIteration as end:
        return end.value | {"last": True}, True
    except OutflankError as error:
        return error_reply(str(error)), True
    except RecursionError:
        return error_reply("the message is nested too deeply; expected a few levels"), True
    except Exception as error:
        log.exception("a request failed")
        return error_reply(f"this could not be answered: {type(error).__name__}: {error}"[:500]), True


def written(number: Id, reply: Reply) -> str:
    """A reply as it is sent."""
    return json.dumps({"id": number, **reply}, separators=(",", ":"))


def error_reply(message: str) -> Reply:
    """The last answer where there is none."""
    return {"kind": "error", "message": message, "last": True}
