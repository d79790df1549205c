"""How far a long work has come, told to whoever watches.

The work calls `plan`, `advance` and `say`; a subclass shows it: a bar in a terminal (`interfaces/cli/common.py`), or a
plain line now and then where output goes to a file, as here.
"""

import time
from collections.abc import Callable

PREPARING = "preparing (first time only)"


class Progress:
    """Counts what is done and shows nothing.

    >>> progress = Progress()
    >>> progress.plan(10, done=4)
    >>> progress.advance()
    >>> progress.done, progress.total
    (5, 10)
    """

    def __init__(self) -> None:
        self.done = self.total = self.done_before = 0
        self.unit = "games"
        self.doing = ""
        """What is being done, where that is not to be counted."""

    def plan(self, total: int, done: int = 0, unit: str = "games") -> None:
        """Says how much there is to do, and how much of it was done before."""
        self.total, self.done, self.done_before, self.unit = total, done, done, unit
        self.show()

    def reach(self, done: int, total: int) -> None:
        """Says how much is done now, of how much."""
        self.done, self.total = done, total
        self.show()

    def advance(self) -> None:
        """Says that one more is done."""
        self.reach(self.done + 1, self.total)

    def say(self, doing: str) -> None:
        """Says what is being done now."""
        self.doing = doing
        self.show()

    @property
    def preparing(self) -> bool:
        """Whether no game has come in yet: workers compile first, which takes a minute on a new machine."""
        return self.unit == "games" and self.done == self.done_before < self.total

    def show(self) -> None:
        """Called after every change."""


class ProgressLines(Progress):
    """A line at once, one after 10 seconds, then one every 30 seconds.

    >>> seconds = iter([0, 0, 5, 12, 30])
    >>> progress = ProgressLines("match", print, clock=lambda: next(seconds))
    >>> progress.plan(100, done=20)
    match: 20 of 100 games, 0:00 gone
    >>> progress.advance()  # after 5 seconds
    >>> progress.reach(36, 100)
    match: 36 of 100 games, 0:12 gone, about 0:48 left
    >>> progress.reach(37, 100)  # 18 seconds later
    """

    def __init__(
        self,
        command: str,
        write: Callable[[str], object],
        clock: Callable[[], float] = time.monotonic,
        at_once: bool = True,
    ) -> None:
        super().__init__()
        self._command, self._write, self._clock = command, write, clock
        self._began = clock()
        self._due = 0 if at_once else FIRST_SECONDS

    def show(self) -> None:
        """Writes a line if one is due; to be called now and then also when nothing changes."""
        seconds = self._clock() - self._began
        if seconds < self._due:
            return
        self._due = FIRST_SECONDS if self._due == 0 else seconds + LATER_SECONDS
        self._write(self._line(seconds))

    def _line(self, seconds: float) -> str:
        parts = [f"{self.done:,} of {self.total:,} {self.unit}"] if self.total else []
        doing = self.doing or (PREPARING if self.preparing and seconds >= FIRST_SECONDS else "")
        parts += [doing] if doing else []
        parts.append(f"{clock_text(seconds)} gone")
        new = self.done - self.done_before
        if new and self.done < self.total:
            parts.append(f"about {clock_text(seconds * (self.total - self.done) / new)} left")
        return f"{self._command}: {', '.join(parts)}"


FIRST_SECONDS = 10.0
LATER_SECONDS = 30.0


def clock_text(seconds: float | None) -> str:
    """Seconds as a clock shows them.

    >>> clock_text(75), clock_text(3700), clock_text(None)
    ('1:15', '1:01:40', '?')
    """
    if seconds is None:
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
