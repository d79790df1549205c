"""One browser tab: its messages in, its answers out, and everything stopped when it closes.

A bad message gets an error and changes nothing else. `stop` is answered at once, whatever else is going on.
"""

import asyncio
import json
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from outflank.errors import OutflankError
from outflank.interfaces.web.agents import Agents, Page
from outflank.interfaces.web.jobs import Job, Pools
from outflank.interfaces.web.messages import BadMessage, Id, Request, read_id
from outflank.interfaces.web.security import Caps, RateLimit
from outflank.interfaces.web.verbs import Reply, verb_of

_TOO_MANY = 1013
_VIOLATION = 1008
_PATIENCE = 1000
"""Messages refused in a row for coming too fast before the line is cut."""


class Visitors:
    """Everybody who is connected."""

    def __init__(self, caps: Caps) -> None:
        self.caps, self.pools, self.agents = caps, Pools(caps), Agents(caps)
        self.connections: set[Connection] = set()

    async def welcome(self, websocket: WebSocket) -> None:
        """Serves a socket until it closes."""
        await websocket.accept()
        connection = Connection(websocket, Page(self.agents), self.pools)
        if len(self.connections) >= self.caps.connections:
            await connection.send({"id": None, **_error(f"{self.caps.connections} pages are open, no more are served")})
            await websocket.close(_TOO_MANY)
            return
        self.connections.add(connection)
        try:
            await connection.serve()
        finally:
            self.connections.discard(connection)
            connection.close()


def _error(message: str) -> Reply:
    return {"kind": "error", "message": message, "last": True}


class Connection:
    """One socket and the requests of it that are under way."""

    def __init__(self, websocket: WebSocket, page: Page, pools: Pools) -> None:
        self.websocket, self.page, self.pools, self.caps = websocket, page, pools, page.caps
        self.rate = RateLimit(self.caps.messages_per_second, self.caps.burst)
        self.refused = 0
        self.jobs: dict[Id, tuple[str, Job]] = {}
        self.tasks: set[asyncio.Task[None]] = set()

    async def send(self, reply: Reply) -> None:
        """Sends to the page, if it is still there."""
        if self.websocket.application_state is WebSocketState.CONNECTED:
            try:
                await self.websocket.send_text(json.dumps(reply, separators=(",", ":")))
            except (WebSocketDisconnect, RuntimeError):
                self.close()

    async def serve(self) -> None:
        """Hears messages until the socket closes."""
        while True:
            message = await self.websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            reply = self._hear(message)
            if reply is not None:
                await self.send(reply)
            if self.refused > _PATIENCE:
                await self.websocket.close(_VIOLATION)
                return

    def close(self) -> None:
        """Stops everything that was asked for, and closes its agents."""
        for _, job in self.jobs.values():
            job.stop()
        for task in self.tasks:
            task.cancel()
        self.page.close()

    def _hear(self, message: Any) -> Reply | None:
        """Acts on one message; what is to be said at once."""
        if not self.rate.allows():
            self.refused += 1
            most = self.caps.messages_per_second
            return {"id": None, **_error(f"messages come too fast; expected at most {most} a second")}
        self.refused = 0
        request = None
        try:
            request = Request.read(self._text(message))
            if request.verb == "stop":
                return self._stop(request)
            self._begin(request)
        except OutflankError as error:
            return {"id": request.id if request else None, **_error(str(error))}
        return None

    def _text(self, message: Any) -> str:
        text = message.get("text")
        if text is None:
            raise BadMessage("the message is binary; expected JSON as text")
        size = len(text.encode())
        if size > self.caps.message_bytes:
            raise BadMessage(f"the message has {size} bytes; expected at most {self.caps.message_bytes}")
        return str(text)

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
        job = Job(verb.answers(request.fields, self.page), self.caps.seconds, verb.stream)
        job.begin(self.pools, verb.pool)
        self.jobs[number] = (verb.pool, job)
        task = asyncio.create_task(self._report(number, job))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _report(self, number: Id, job: Job) -> None:
        async def send(reply: Reply) -> None:
            if reply.get("last"):
                self.jobs.pop(number, None)
            await self.send({"id": number, **reply})

        await job.report(send)
