"""Sockets that end: whoever connects and says nothing, does not read, or sends what only costs time is left.

The server library waits for such people without end, and a few hundred of them would keep everybody else out.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from outflank.interfaces.web.security import Pace

FIRST_WORDS_SECONDS = 10.0
"""For a browser to say what it wants."""
ANSWER_SECONDS = 600.0
"""For a browser to read one answer, such as a file of a report."""
LAST_WORDS_SECONDS = 5.0
"""For a page to read the rest once its line has ended."""
PIECES_PER_SECOND, MOST_PIECES = 2, 200
"""Pings, pongs and pieces of a message, on average and at once, beyond which the line is cut: they are no messages, and
nobody waits for their turn."""
READ_AT_ONCE = 4096
"""Bytes that are read of a page before others have their turn: of the smallest frames there are 700 in it."""
_BAD_DATA = 1007


class Visit(H11Protocol):
    """A connection before it is a page's: it ends if no request comes, or if an answer takes too long to read."""

    _seen: Any = None
    _looks = 0

    def connection_made(self, transport: Any) -> None:
        """Begins to look at it now and then."""
        super().connection_made(transport)
        self.loop.call_later(FIRST_WORDS_SECONDS, self._look)

    def _look(self) -> None:
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return
        self._looks = self._looks + 1 if self.cycle is self._seen else 0
        self._seen = self.cycle
        silent = self.cycle is None or (self.cycle.response_complete and self._looks)
        if silent or self._looks * FIRST_WORDS_SECONDS > ANSWER_SECONDS:
            self.transport.abort()
        else:
            self.loop.call_later(FIRST_WORDS_SECONDS, self._look)


class Line(WebSocketsSansIOProtocol):
    """The socket of a page; when it ends it is gone, also if nobody reads what was sent last."""

    def connection_made(self, transport: Any) -> None:
        """Reads little at a time."""
        super().connection_made(transport)
        self._pace = Pace(PIECES_PER_SECOND, MOST_PIECES)
        transport.max_size = READ_AT_ONCE  # of asyncio's own transport; another has no such number

    def handle_ping(self) -> None:
        """Answers one, but not any number of them."""
        if self._is_one_more():
            super().handle_ping()

    def handle_pong(self, event: Any) -> None:
        """Hears one, but not any number of them."""
        if self._is_one_more():
            super().handle_pong(event)

    def handle_cont(self, event: Any) -> None:
        """Takes a piece of a message, but not any number of them."""
        if self._is_one_more():
            super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        """Hands over a message, unless it is a text that is none."""
        if self.curr_msg_data_type == "text" and not _is_text(b"".join(self.frames)):
            self.frames = []
            self.conn.send_close(_BAD_DATA, "a text is not UTF-8")
            self.handle_parser_exception()
        else:
            super().send_receive_event_to_app()

    def keepalive_timeout(self) -> None:
        """Ends the line to a page that does not answer."""
        super().keepalive_timeout()
        self.loop.call_later(LAST_WORDS_SECONDS, self.transport.abort)

    def on_task_complete(self, task: "asyncio.Task[None]") -> None:
        """Ends the line when the application has ended it."""
        super().on_task_complete(task)
        self.loop.call_later(LAST_WORDS_SECONDS, self.transport.abort)

    def _is_one_more(self) -> bool:
        too_many = self._pace.wait() > 0
        if too_many:
            self.transport.abort()
        return not too_many


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
