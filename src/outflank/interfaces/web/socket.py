"""One browser tab: its messages in, its answers out, and everything stopped when it closes.

A bad message gets an error and changes nothing else. `stop` is answered at once, whatever else is going on. A page that
does not read its answers is left, so that they do not fill the memory.
"""

import asyncio
import json
from collections import Counter
from ipaddress import ip_address
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from outflank.errors import OutflankError
from outflank.interfaces.web.agents import Agents, Page
from outflank.interfaces.web.jobs import Job, Pools, error_reply
from outflank.interfaces.web.messages import BadMessage, Id, Request, read_id
from outflank.interfaces.web.security import Caps, RateLimit
from outflank.interfaces.web.verbs import Reply, verb_of

_TOO_MANY = 1013
_VIOLATION = 1008
_PATIENCE = 400
"""Messages refused for coming too fast, less those that were not, before the line is cut."""
_PAUSE = 0.005
"""Seconds until the next message is heard after one that was refused for coming too fast."""
_SMALL = 4096
"""Characters of a message that is read where it comes in; the reading of a larger one waits for its turn."""


class Visitors:
    """Everybody who is connected."""

    def __init__(self, caps: Caps) -> None:
        self.caps, self.pools, self.agents = caps, Pools(caps), Agents(caps)
        self.connections: set[Connection] = set()
        self.addresses: Counter[str] = Counter()
        self.unsent = 0
        """Bytes of answers that wait until they are read."""

    async def welcome(self, websocket: WebSocket) -> None:
        """Serves a socket until it closes."""
        await websocket.accept()
        address = websocket.client.host if websocket.client else ""
        connection = Connection(websocket, Page(self.agents), self)
        problem = self._problem(address)
        if problem:
            await connection.say(problem)
            await websocket.close(_TOO_MANY, problem)
            return
        self.connections.add(connection)
        self.addresses[address] += 1
        try:
            await connection.serve()
        except asyncio.CancelledError:
            if not connection.left:
                raise
        finally:
            self.connections.discard(connection)
            self.addresses -= Counter([address])
            connection.close()

    def _problem(self, address: str) -> str:
        """Why a page cannot be served now, or nothing."""
        if len(self.connections) >= self.caps.connections:
            return f"{self.caps.connections} pages are open, no more are served"
        most = self.caps.connections_per_address
        if self.addresses[address] >= most and not _is_here(address):
            return f"{most} pages are open from {address}, no more are served"
        return ""


def _is_here(address: str) -> bool:
    """Whether an address is that of this machine to itself."""
    try:
        return ip_address(address).is_loopback
    except ValueError:  # no network at all
        return True


class Connection:
    """One socket and the requests of it that are under way."""

    def __init__(self, websocket: WebSocket, page: Page, visitors: Visitors) -> None:
        self.websocket, self.page, self.visitors, self.caps = websocket, page, visitors, page.caps
        self.rate = RateLimit(self.caps.messages_per_second, self.caps.burst)
        self.byte_rate = RateLimit(self.caps.bytes_per_second, self.caps.burst_bytes)
        self.refused = 0
        self.queues = visitors.pools.queues()
        self.jobs: dict[Id, tuple[str, Job]] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.unsent = 0
        self.left = False
        self._one_at_a_time = asyncio.Lock()
        self._serving: asyncio.Task[Any] | None = None

    async def send(self, text: str) -> None:
        """Sends to the page, if it is still there and reads."""
        size, caps, everybody = len(text), self.caps, self.visitors
        if self.left or self.websocket.application_state is not WebSocketState.CONNECTED:
            return
        if self.unsent + size > caps.unsent_bytes or everybody.unsent + size > caps.all_unsent_bytes:
            self.leave()
            return
        self.unsent += size
        everybody.unsent += size
        try:
            async with self._one_at_a_time:
                await self.websocket.send_text(text)
        except (WebSocketDisconnect, RuntimeError):
            self.close()
        finally:
            self.unsent -= size
            everybody.unsent -= size

    async def say(self, problem: str, number: Id = None) -> None:
        """Sends what is wrong."""
        await self.send(json.dumps({"id": number, **error_reply(problem)}))

    async def serve(self) -> None:
        """Hears messages until the socket closes."""
        self._serving = asyncio.current_task()
        while True:
            message = await self.websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            await self._hear(message)
            if self.refused > _PATIENCE:
                await self.websocket.close(_VIOLATION, "messages come too fast")
                return

    def leave(self) -> None:
        """Ends the line to a page that does not read; it could not be told why."""
        self.left = True
        if self._serving is not None:
            self._serving.cancel()

    def close(self) -> None:
        """Stops everything that was asked for, and closes its agents."""
        for _, job in self.jobs.values():
            job.stop()
        for task in self.tasks:
            task.cancel()
        self.page.close()

    async def _hear(self, message: Any) -> None:
        """Acts on one message."""
        number: Id = None
        try:
            text = self._text(message)
            if self._too_fast(text):
                await self.say(f"messages come too fast; expected at most {self._most} a second")
                await asyncio.sleep(_PAUSE)
                return
            request = await self._request(text)
            number = request.id
            if request.verb == "stop":
                await self.send(json.dumps(self._stop(request)))
            else:
                self._begin(request)
        except OutflankError as error:
            await self.say(str(error), number)

    @property
    def _most(self) -> str:
        return f"{self.caps.messages_per_second} messages and {self.caps.bytes_per_second} bytes"

    def _too_fast(self, text: str) -> bool:
        allowed = self.rate.allows() and self.byte_rate.allows(len(text))
        self.refused = max(0, self.refused - 1) if allowed else self.refused + 1
        return not allowed

    def _text(self, message: Any) -> str:
        text = message.get("text")
        if text is None:
            raise BadMessage("the message is binary; expected JSON as text")
        size = len(text.encode())
        if size > self.caps.message_bytes:
            raise BadMessage(f"the message has {size} bytes; expected at most {self.caps.message_bytes}")
        return str(text)

    async def _request(self, text: str) -> Request:
        if len(text) <= _SMALL:
            return Request.read(text)
        return await self.visitors.pools.aside(self.queues["quick"], lambda: Request.read(text))

    def _stop(self, request: Request) -> Reply:
        running = self.jobs.get(read_id(request.fields.get("what")))
        if running is not None:
            running[1].stop()
        return {"id": request.id, "kind": "stopped", "running": running is not None, "last": True}

    def _begin(self, request: Request) -> None:
        """Starts a request, unless too many are under way."""
        verb, number = verb_of(request.verb), request.id
        if number is None:
            raise BadMessage("id is missing; expected a number or a short text, another for every request")
        if number in self.jobs:
            raise BadMessage(f"request {number!r} is still under way; expected another id for every request")
        searches = sum(pool != "quick" for pool, _ in self.jobs.values())
        if len(self.jobs) >= self.caps.requests_per_connection:
            raise BadMessage(f"{len(self.jobs)} requests are under way; expected no more: wait, or stop one")
        if verb.pool != "quick" and searches >= self.caps.searches_per_connection:
            raise BadMessage(f"{searches} searches are under way; expected no more: wait, or stop one")
        job = Job(number, verb.answers(request.fields, self.page), self.caps.seconds, verb.stream)
        job.begin(self.visitors.pools, verb.pool, self.queues[verb.pool])
        self.jobs[number] = (verb.pool, job)
        task = asyncio.create_task(self._report(job))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _report(self, job: Job) -> None:
        """Sends the answers; of a stream only what the page is ready to read."""

        async def news(text: str) -> None:
            if not (job.stream and self.unsent):
                await self.send(text)

        last = await job.report(news)
        self.jobs.pop(job.number, None)
        await self.send(last)
