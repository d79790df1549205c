"""Lanes: threads that requests take turns in, so that nobody waits for what others ask.

Every page has a queue in every lane. The next turn is that of a page with the fewest requests under way, and of these
the one whose turn is due first: the later, the more it will have used lately, going by its latest requests; what a
request takes is known only when it is over. Who asks for much waits for themselves, but not for ever; who asks for
little is hardly kept waiting.

A turn cannot be taken back from Python, but while somebody waits a request that has had its share is asked to end; the
more pages wait, the smaller the share. One that does not hear, because it compiles, keeps its thread and gives up its
place: another thread takes that. Few threads are lent in this way at a time.
"""

import heapq
import itertools
import os
import sys
import threading
import time
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from typing import Protocol, TypeVar

from outflank.interfaces.web.turns import Usage

T = TypeVar("T", covariant=True)

_GRACE_SECONDS = 0.5
"""For a request that was asked to end before its place is given to another; on a busy machine it hears late."""
_SHORTEST_SHARE = 0.01
"""Seconds of a turn, however many wait, and what the first request of a page is expected to take: whoever is known to
ask for less goes before those who have just come, or come back."""
_LANE_SHARE, _LANE_MOST = 0.005, 0.2
"""Of a processor, what every page may use of a lane without waiting for others, and the seconds beyond it that are
remembered."""
_LATEST = 40.0
"""Seconds by which a turn of a page that has used the most is due after one of a page that has used nothing."""
MOST_LENT = 16
"""Threads of a lane that may run beside its places."""


class Work(Protocol[T]):
    """What runs in a lane."""

    def run(self, turn: "Turn") -> T:
        """Does it; asks `turn.is_over` now and then where it can end early."""


class Queue:
    """What one page waits for in one lane, and what it has used there."""

    def __init__(self) -> None:
        self.turns: deque[Turn] = deque()
        self.used = Usage(_LANE_SHARE, _LANE_MOST)
        """Seconds of a processor, those of requests under way as expected. On a busy machine the clock would tell how
        long a request waited for others."""
        self.usual = _SHORTEST_SHARE
        self.running = 0
        self.place = -1
        """The number of its place in the order; those with other numbers are no longer its own."""


class Turn:
    """One request on its way through a lane."""

    def __init__(self, lane: "Lane", queue: Queue, work: "Work[object]") -> None:
        self.lane, self.queue, self.work = lane, queue, work
        self.future: Future[object] = Future()
        self.began = 0.0
        """When its share began; 0 while it waits."""
        self.charged = 0.0
        self.lent = False

    @property
    def is_over(self) -> bool:
        """Whether it has had its share and somebody else waits."""
        return self.lane.others_wait(self.queue) and time.monotonic() - self.began > self.lane.share_now

    def begin_again(self) -> None:
        """Its share begins now: what was done so far was not its own work."""
        self.began = time.monotonic()

    def withdraw(self) -> None:
        """Gives up a turn that has not begun."""
        self.lane.withdraw(self)

    def relieve(self) -> None:
        """Gives its place to others, if somebody waits and it does not hear; its thread goes on."""
        late = time.monotonic() - self.began > self.lane.share_now + _GRACE_SECONDS
        if self.began and not self.lent and late and self.lane.others_wait(self.queue):
            self.lane.lend(self)


class Lane:
    """Places for requests of one kind.

    >>> lane, page = Lane("quick", places=1, share=0.25), Queue()
    >>> class Seven:
    ...     def run(self, turn):
    ...         return 7
    >>> lane.submit(page, Seven()).future.result()
    7
    """

    def __init__(self, name: str, places: int, share: float, niceness: int = 0) -> None:
        self.name, self.places, self.share, self.niceness = name, places, share, niceness
        self._changed = threading.Condition()
        self._queues: list[tuple[int, float, int, Queue]] = []
        self._waiting: set[Queue] = set()
        self._numbers = itertools.count()
        self._threads = self._idle = self._lent = 0
        self._closed = False

    def submit(self, queue: Queue, work: "Work[object]") -> Turn:
        """Does this when the turn of its page has come."""
        turn = Turn(self, queue, work)
        with self._changed:
            if self._closed:
                turn.future.cancel()
                return turn
            queue.turns.append(turn)
            if len(queue.turns) == 1:
                self._line_up(queue)
            if self._idle:
                self._idle -= 1
                self._changed.notify()
            elif self._threads < self.places:
                self._start_thread()
        return turn

    @property
    def share_now(self) -> float:
        """The seconds of a turn: fewer where more pages wait than there are places, so that all of them come soon."""
        return max(min(_SHORTEST_SHARE, self.share), self.share * min(1.0, self.places / (len(self._waiting) or 1)))

    def others_wait(self, queue: Queue) -> bool:
        """Whether somebody else waits for a place."""
        return len(self._waiting) > (queue in self._waiting)

    def withdraw(self, turn: Turn) -> None:
        """Takes a turn that has not begun out of its queue."""
        with self._changed:
            if turn in turn.queue.turns:
                turn.queue.turns.remove(turn)
                turn.future.cancel()
            if not turn.queue.turns:
                self._waiting.discard(turn.queue)

    def lend(self, turn: Turn) -> None:
        """Another thread takes the place of one that does not hear, unless too many do not."""
        with self._changed:
            if turn.lent or turn.future.done() or self._lent >= MOST_LENT:
                return
            turn.lent = True
            self._lent += 1
            self._threads -= 1
            if self._waiting:
                self._start_thread()

    def close(self) -> None:
        """Nothing begins any more; threads end with what they do."""
        with self._changed:
            self._closed = True
            for queue in self._waiting:
                for turn in queue.turns:
                    turn.future.cancel()
            self._changed.notify_all()

    def _start_thread(self) -> None:
        self._threads += 1
        threading.Thread(target=self._work, daemon=True, name=f"outflank-{self.name}").start()

    def _line_up(self, queue: Queue) -> None:
        """A page that waits has one place in the order, for the first of what it waits for."""
        self._waiting.add(queue)
        queue.place = next(self._numbers)
        used = min(queue.used.level() + queue.usual, _LANE_MOST)
        due = time.monotonic() + _LATEST * used / _LANE_MOST
        heapq.heappush(self._queues, (queue.running, due, queue.place, queue))

    def _work(self) -> None:
        """One thread: turn after turn, until its place was given to another."""
        be_nice(self.niceness)
        while (turn := self._next()) is not None:
            used = time.thread_time()
            try:
                result = turn.work.run(turn)
            except BaseException as error:
                turn.future.set_exception(error)
            else:
                turn.future.set_result(result)
            if not self._ended(turn, time.thread_time() - used):
                return

    def _next(self) -> Turn | None:
        with self._changed:
            while not self._closed:
                turn = self._first()
                if turn is not None and turn.future.set_running_or_notify_cancel():
                    turn.begin_again()
                    return turn
                if turn is not None:
                    self._settle(turn, 0.0)
                else:
                    self._idle += 1  # whoever wakes it counts it off
                    self._changed.wait()
        return None

    def _first(self) -> Turn | None:
        """The turn that comes next, out of its queue."""
        while self._queues:
            _, _, place, queue = heapq.heappop(self._queues)
            if queue.turns and place == queue.place:
                turn = queue.turns.popleft()
                turn.charged = queue.usual
                queue.used.add(turn.charged)
                queue.running += 1
                self._waiting.discard(queue)
                if queue.turns:
                    self._line_up(queue)
                return turn
        return None

    def _ended(self, turn: Turn, took: float) -> bool:
        """Whether its thread goes on."""
        with self._changed:
            self._settle(turn, took)
            turn.queue.usual = max(took, turn.queue.usual / 2)
            self._lent -= turn.lent
            return not turn.lent

    def _settle(self, turn: Turn, took: float) -> None:
        """Charges its page what it took, which may change the order."""
        queue = turn.queue
        queue.used.add(took - turn.charged)
        queue.running -= 1
        if queue.turns:
            self._line_up(queue)


def be_nice(niceness: int) -> None:
    """Lets other threads go first, on systems where a thread has a priority of its own."""
    if niceness and sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)
