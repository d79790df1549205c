"""One browser tab: its messages in, its answers out, and everything stopped when it closes.

A bad message gets an error and changes nothing else. `stop` and quick answers need no thread. The next message of a
page is read when the one before is answered or under way, at the page's pace and when its turn has come; a page that
does not read its answers is not read either, and left when they would fill the memory.
"""

import asyncio
from collections import Counter
from ipaddress import ip_address
from pathlib import Path
from threading import Event, Thread
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from outflank.errors import OutflankError
from outflank.interfaces.web.agents import Agents, Page
from outflank.interfaces.web.collections import Collections
from outflank.interfaces.web.jobs import Job, Pools, error_reply, next_of, written
from outflank.interfaces.web.messages import BadMessage, Id, Request, read_id
from outflank.interfaces.web.security import Caps, Pace
from outflank.interfaces.web.turns import Turns, usage_of_loop
from outflank.interfaces.web.verbs import Answer, Reply, Verb, rehearse_quick_answers, verb_of

_TOO_MANY = 1013
_MOST_COMPILED = 1000


class Visitors:
    """Everybody who is connected."""

    def __init__(self, caps: Caps, people: Path | None = None, collections: Collections | None = None) -> None:
        self.people, self.collections = people, collections or Collections()
        self.caps, self.pools, self.agents, self.turns = caps, Pools(caps), Agents(caps), Turns()
        self.boards_are_ready = Event()
        """Whether quick answers are quick. Until then they compile, and are given in threads."""
        self.compiled: set[str] = set()
        """What searches that have ended needed. Others may have to compile, one at a time; they have threads of their
        own, so that nobody else waits for them."""
        self.connections: set[Connection] = set()
        self.addresses: Counter[str] = Counter()
        self.paces: dict[str, Pace] = {}
        """Of addresses of other machines that are connected."""
        self.unsent = 0
        """Bytes of answers that wait until they are read."""

    def get_ready(self) -> None:
        """Compiles what quick answers need, in a thread of its own."""

        def rehearse() -> None:
            rehearse_quick_answers(Page(self.agents))
            self.boards_are_ready.set()

        Thread(target=rehearse, daemon=True, name="outflank-boards").start()

    def pool_of(self, verb: Verb, needs: str) -> str:
        """The threads for a request that needs this code."""
        return verb.pool if verb.pool != "quick" and needs in self.compiled else "first"

    def remembering(self, needs: str, answer: Answer) -> Answer:
        """The same answer; when it has ended, what it needed is compiled."""
        reply = yield from answer
        if reply["kind"] != "stopped":
            if len(self.compiled) >= _MOST_COMPILED:  # a page can think of any number of texts
                self.compiled.clear()
            self.compiled.add(needs)
        return reply

    async def welcome(self, websocket: WebSocket) -> None:
        """Serves a socket until it closes."""
        address = websocket.client.host if websocket.client else ""
        page = Page(self.agents, people=self.people, collections=self.collections)
        connection = Connection(websocket, page, self, self._paces(address))
        await self.turns.wait(connection.used)
        await websocket.accept()
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
            if address not in self.addresses:
                self.paces.pop(address, None)
            connection.close()

    def _paces(self, address: str) -> list[Pace]:
        """How fast messages of a page from this address are read."""
        caps, paces = self.caps, [Pace(self.caps.messages_per_second, self.caps.burst)]
        if not _is_here(address):
            most = caps.address_messages_per_second
            paces.append(self.paces.setdefault(address, Pace(most, most)))
        return paces

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

    def __init__(self, websocket: WebSocket, page: Page, visitors: Visitors, paces: list[Pace]) -> None:
        self.websocket, self.page, self.visitors, self.caps = websocket, page, visitors, page.caps
        self.paces, self.byte_pace = paces, Pace(self.caps.bytes_per_second, self.caps.burst_bytes)
        self.used = usage_of_loop()
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

    async def say(self, problem: str) -> None:
        """Sends what is wrong."""
        await self.send(written(None, error_reply(problem)))

    async def serve(self) -> None:
        """Hears messages until the socket closes."""
        self._serving = asyncio.current_task()
        while True:
            message = await self.websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            await self._keep_pace(len(message.get("text") or message.get("bytes") or ""))
            await self._hear(message)

    async def _keep_pace(self, size: int) -> None:
        """Waits until the next message is due, and then for its turn; meanwhile the socket is not read."""
        wait = max(self.byte_pace.wait(size), *(pace.wait() for pace in self.paces))
        if wait:
            await asyncio.sleep(wait)
        await self.visitors.turns.wait(self.used)

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
            with self.used.charged():
                request = Request.read(self._text(message))
                number = request.id
                answer = self._begin(request)
        except OutflankError as error:
            await self.send(written(number, error_reply(str(error))))
        else:
            if answer is not None:
                await self.send(written(number, await self._last_of(answer)))

    async def _last_of(self, answer: Answer) -> Reply:
        """A quick answer; others may go first where it takes longer."""
        while True:
            with self.used.charged():
                reply, is_last = next_of(answer)
            if is_last:
                return reply
            await self.visitors.turns.wait(self.used)

    def _text(self, message: Any) -> str:
        text = message.get("text")
        if text is None:
            raise BadMessage("the message is binary; expected JSON as text")
        size = len(text.encode())
        if size > self.caps.message_bytes:
            raise BadMessage(f"the message has {size} bytes; expected at most {self.caps.message_bytes}")
        return str(text)

    def _begin(self, request: Request) -> Answer | None:
        """Starts a request, unless too many are under way; a quick answer is returned, to be given at once."""
        if request.verb == "stop":
            return self._stop(request)
        verb, number = verb_of(request.verb), request.id
        if number is None:
            raise BadMessage("id is missing; expected a number or a short text, another for every request")
        if number in self.jobs:
            raise BadMessage(f"request {number!r} is still under way; expected another id for every request")
        answer = verb.answers(request.fields, self.page)
        if verb.pool == "quick" and self.visitors.boards_are_ready.is_set():
            return answer
        searches = sum(pool != "quick" for pool, _ in self.jobs.values())
        if len(self.jobs) >= self.caps.requests_per_connection:
            raise BadMessage(f"{len(self.jobs)} requests are under way; expected no more: wait, or stop one")
        if verb.pool != "quick" and searches >= self.caps.searches_per_connection:
            raise BadMessage(f"{searches} searches are under way; expected no more: wait, or stop one")
        needs = verb.needs(request.fields)
        pool = self.visitors.pool_of(verb, needs)
        answer = self.visitors.remembering(needs, answer)
        job = Job(number, answer, self.caps.seconds, verb.stream, self._tell)
        job.begin(self.visitors.pools, pool, self.queues[pool])
        self.jobs[number] = (verb.pool, job)
        return None

    def _stop(self, request: Request) -> Answer:
        running = self.jobs.get(read_id(request.fields.get("what")))
        if running is not None:
            running[1].stop()
        yield from ()
        return {"kind": "stopped", "running": running is not None}

    def _tell(self, job: Job, text: str, is_last: bool) -> None:
        """Sends an answer of a job; of a stream only what the page is ready to read."""
        if is_last:
            self.jobs.pop(job.number, None)
        elif job.stream and self.unsent:
            return
        task = asyncio.create_task(self.send(text))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
