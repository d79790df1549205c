"""Lines from whoever uses us as an engine, read ahead of what is being done and bounded in every respect.

One thread reads (`read_all`), another does what the lines say (`next`). Whoever thinks asks `waiting` or `closed`
whether the thought is still wanted. After `quit` nothing more is read: a script may end with it, and the end of a
script is no reason to hurry.
"""

import threading
from collections import deque
from typing import IO

from outflank.inputs import MOST_IN_GAME, decoded

_MOST_WAITING = 1000
"""Lines that are read ahead; the sender of more has to wait."""
_KEPT = 60
FAREWELL = "quit"


class TooLong(str):
    """The beginning of a line that is longer than any command can be."""

    __slots__ = ()


class Lines:
    """The lines of a stream, in order.

    >>> from io import BytesIO
    >>> lines = Lines()
    >>> lines.read_all(BytesIO(b"1 name\\r\\nquit\\nnever read"))
    >>> lines.waiting, lines.next(), lines.next(), lines.next(), lines.closed
    ('1 name', '1 name', 'quit', None, False)
    """

    def __init__(self) -> None:
        self.closed = False
        """Whether the other side left without a farewell: nobody waits for an answer any more."""
        self._lines: deque[str] = deque()
        self._ended = False
        self._changed = threading.Condition()

    def read_all(self, stream: IO[bytes]) -> None:
        """Reads until the farewell or the end of the stream."""
        try:
            while (line := read_line(stream)) is not None:
                self.put(line)
                if line.split()[-1:] == [FAREWELL] and len(line.split()) <= 2:
                    return
            self.closed = True
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()

    def put(self, line: str) -> None:
        """Adds a line; waits while too many are not done yet."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._lines) < _MOST_WAITING)
            self._lines.append(line)
            self._changed.notify_all()

    def next(self) -> str | None:
        """The next line, without its end; None when there are no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._lines or self._ended)
            line = self._lines.popleft() if self._lines else None
            self._changed.notify_all()
            return line

    @property
    def waiting(self) -> str | None:
        """The next line if it is there already."""
        try:
            return self._lines[0]
        except IndexError:
            return None


def read_line(stream: IO[bytes]) -> str | None:
    """A line without its end; None at the end of the stream. Of a line that is too long the rest is passed over."""
    content = stream.readline(MOST_IN_GAME + 1)
    if len(content) <= MOST_IN_GAME:
        return decoded(content).rstrip("\r\n") if content else None
    beginning = decoded(content[:_KEPT])
    while content and not content.endswith(b"\n"):
        content = stream.readline(MOST_IN_GAME)
    return TooLong(beginning)
