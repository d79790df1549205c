"""What the tests of the page's server share: a server process, a socket that speaks its protocol, odd messages."""

import asyncio
import json
import os
import random
import re
import struct
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import Any
from urllib.parse import urlsplit

import websockets
from websockets.asyncio.client import ClientConnection

from outflank.interfaces.web.verbs import VERBS
from support import running

Reply = dict[str, Any]
START: dict[str, Any] = {"rules": "standard 8x8", "start": None, "moves": []}


@dataclass(frozen=True)
class Server:
    """A server process and where it is."""

    address: str
    process: "Popen[str]"

    @property
    def socket(self) -> str:
        return self.address.replace("http", "ws", 1).partition("?")[0] + "ws"

    @property
    def origin(self) -> str:
        return self.address.partition("?")[0].rstrip("/")

    @property
    def threads(self) -> int:
        return len(list(Path(f"/proc/{self.process.pid}/task").iterdir()))

    @property
    def megabytes(self) -> float:
        """Resident memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) / 1024

    @property
    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def busy(self, seconds: float = 1.0) -> float:
        """Share of a core that the process uses now."""
        before, began = self.cpu_seconds, time.perf_counter()
        time.sleep(seconds)
        return (self.cpu_seconds - before) / (time.perf_counter() - began)


@contextmanager
def serving(*options: str) -> Iterator[Server]:
    """`outflank play` on a free port, gone afterwards."""
    command = [sys.executable, "-m", "outflank", "play", "--no-browser", "--port", "0", *options]
    with running(*command) as process:
        assert process.stdout is not None and process.stderr is not None
        line = process.stdout.readline()
        if not line:
            raise AssertionError(process.stderr.read())
        yield Server(line.split()[-1], process)


class Talk:
    """One socket: asks, and hears the answers to what it asked."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.sent = self.heard = 0

    async def send(self, **message: Any) -> None:
        self.sent += 1
        await self.connection.send(json.dumps(message))

    async def hear(self) -> Reply:
        self.heard += 1
        reply: Reply = json.loads(await self.connection.recv())
        return reply

    async def until_last(self, number: int | str) -> list[Reply]:
        """The answers to a request, up to the last one."""
        replies = []
        while True:
            reply = await self.hear()
            if reply["id"] == number:
                replies.append(reply)
                if reply.get("last"):
                    return replies

    async def ask(self, **message: Any) -> list[Reply]:
        await self.send(**message)
        return await self.until_last(message["id"])


@asynccontextmanager
async def talking(server: Server, address: str = "") -> AsyncIterator[Talk]:
    options: dict[str, Any] = {"origin": server.origin, "compression": None, "open_timeout": 60, "ping_timeout": 120}
    async with websockets.connect(address or server.socket, **options) as connection:
        yield Talk(connection)


# --- a socket by hand, for many messages: the usual library takes longer than the server --------------------------


def frame(opcode: int, content: bytes, final: bool = True) -> bytes:
    """A frame of a browser, masked with zeros."""
    size = len(content)
    head = bytes([opcode | (0x80 if final else 0)])
    if size < 126:
        return head + bytes([0x80 | size]) + b"\0\0\0\0" + content
    if size < 1 << 16:
        return head + b"\xfe" + struct.pack("!H", size) + b"\0\0\0\0" + content
    return head + b"\xff" + struct.pack("!Q", size) + b"\0\0\0\0" + content


TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Line:
    """A socket to the server; frames in and out."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.reason = "no reason"
        """Why the server closed it."""

    @classmethod
    async def open(cls, server: Server) -> "Line":
        """Connects as a page does."""
        at = urlsplit(server.origin)
        reader, writer = await asyncio.open_connection(at.hostname, at.port, limit=1 << 22)
        writer.write(
            f"GET /ws HTTP/1.1\r\nHost: {at.netloc}\r\nOrigin: {server.origin}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        answer = await reader.readuntil(b"\r\n\r\n")
        assert b" 101 " in answer, answer
        return cls(reader, writer)

    def send(self, message: str | bytes) -> None:
        """Sends a message."""
        if isinstance(message, bytes):
            self.writer.write(frame(BINARY, message))
        else:
            self.writer.write(frame(TEXT, message.encode("utf-8", "surrogatepass")))

    async def hear(self) -> bytes | None:
        """The next message; None when the line was closed."""
        try:
            while True:
                first, second = await self.reader.readexactly(2)
                size = second & 127
                if size == 126:
                    [size] = struct.unpack("!H", await self.reader.readexactly(2))
                elif size == 127:
                    [size] = struct.unpack("!Q", await self.reader.readexactly(8))
                content = await self.reader.readexactly(size)
                if first & 15 == TEXT:
                    return content
                if first & 15 == PING:
                    self.writer.write(frame(PONG, content))
                elif first & 15 == CLOSE:
                    self.reason = content[2:].decode("utf-8", "replace") or str(content[:2])
                    return None
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    def close(self) -> None:
        """Hangs up, whatever is still to be sent."""
        self.writer.transport.abort()


@asynccontextmanager
async def by_hand(server: Server) -> AsyncIterator[Line]:
    line = await Line.open(server)
    try:
        yield line
    finally:
        line.close()


# --- a whole game -------------------------------------------------------------------------------------------------


async def play(talk: Talk, rules: str, agent: str, seed: int) -> list[str]:
    """Plays a game, both sides by one agent, and returns what went wrong."""
    game: dict[str, Any] = {"rules": rules, "start": None, "moves": []}
    while True:
        state = (await talk.ask(id="state", do="state", game=game))[-1]
        if state["kind"] != "state":
            return [state["message"]]
        if state["state"]["over"]:
            return []
        number = f"move {len(game['moves'])}"
        decision = (await talk.ask(id=number, do="think", game=game, agent=agent, seed=seed))[-1]
        if decision["kind"] != "decision" or str(decision["move"]) not in state["state"]["legal"]:
            return [str(decision)]
        game["moves"].append(decision["move"])


# --- messages that nobody should send -----------------------------------------------------------------------------

_VERBS = (
    "hello", "agent", "state", "new", "think", "analyse", "tree", "trace", "review", "read", "write", "transform",
    "stop", "sing",
)  # fmt: skip
_ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 64, 65, 10**6, -(10**18), 10**30, 0.5, -0.0, 1e308, "", "a", "é\u0000", "x" * 3000,
    [], {}, [[[]]], {"rules": 7}, "standard 8x8", "reversed 6x6", "standard 5x5", "random(4)", "balanced(2)", "ply(9)",
    "/etc/passwd",
)  # fmt: skip
_AGENTS = (
    "random", "greedy", "uct(playouts=50)", "minimax(depth=3)", "uct(playouts=1e99)", "minimax(depth=500)", "solver",
    "montecarlo(playouts=2)", "heuristic", "minimax(eval=os:system)", 'gtp(command="true")', "nboard(x)", "a.b:C",
    "((((",
    "uct(memory=1000000)", "minimax(hash_mb=[1,2,3])", "minimax(eval=terms(mobility=[1,2,3]))", "(" * 5000, "uct(c=-1)",
    "minimax(eval=terms(mobility=99999999999999999999999))", "uct(leaf_playouts=1024)",
)  # fmt: skip


def _odd(rng: random.Random) -> Any:
    return rng.choice(_ODD)


def _some_game(rng: random.Random) -> Any:
    """A game that may be one."""
    game: dict[str, Any] = {
        "rules": rng.choice(("standard 8x8", "reversed 4x4", "standard 16x16")),
        "start": None,
        "moves": [],
    }
    if rng.random() < 0.4:
        game["moves"] = [rng.choice((19, 26, 37, 44, 64, -1, 10**9, "d3", None)) for _ in range(rng.randrange(4))]
    if rng.random() < 0.2:
        game[rng.choice(("rules", "start", "moves"))] = _odd(rng)
    return game if rng.random() < 0.95 else _odd(rng)


def odd_message(rng: random.Random, number: int) -> str | bytes:
    """A message that is wrong in some way, or perhaps right."""
    kind = rng.random()
    if kind < 0.05:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(200)))
    if kind < 0.10:
        return "".join(chr(rng.choice((34, 91, 92, 123, 125, 44, 58, 48, 97, 233, 8232, 128512))) for _ in range(60))
    if kind < 0.13:
        return "[" * rng.choice((10, 20_000)) + ("]" * 10 if rng.random() < 0.5 else "")
    if kind < 0.14:
        return '{"id": 1, "do": "read", "text": "' + "f5" * 40_000 + '"}'
    if kind < 0.17:
        return json.dumps(_odd(rng))
    message = {
        "id": number if rng.random() < 0.9 else _odd(rng),
        "do": rng.choice(_VERBS),
        "game": _some_game(rng),
        "agent": rng.choice(_AGENTS),
        "limits": rng.choice((None, {}, {"seconds": 0.01}, {"nodes": 100, "playouts": 10}, _odd(rng))),
        "playouts": rng.choice((1, 1000, _odd(rng))),
        "rules": rng.choice(("standard 8x8", "reversed 6x6", _odd(rng))),
        "opening": rng.choice(("start", "random(4)", _odd(rng))),
        "text": rng.choice(("f5d6c3", "-----OX--XO----- X", "(;GM[Othello];)", _odd(rng))),
        "number": rng.choice((3, _odd(rng))),
        "what": rng.choice((number - 1, number - 3, _odd(rng))),
        "depth": rng.choice((2, None, _odd(rng))),
        "seconds_per_move": rng.choice((None, 0.001, _odd(rng))),
        "all": rng.choice((True, False, _odd(rng))),
    }
    if message["do"] in VERBS and rng.random() < 0.95:
        known = {"id", "do", *(option.name for option in VERBS[message["do"]].accepts.options)}
        message = {name: value for name, value in message.items() if name in known}
    for name in rng.sample(sorted(message), rng.randrange(min(4, len(message)))):
        if rng.random() < 0.5:
            del message[name]
        else:
            message[name] = _odd(rng)
    text = json.dumps(message)
    return text[: rng.randrange(len(text))] if rng.random() < 0.03 else text


async def pester(server: Server, messages: int, seed: int, pause: float = 0.012) -> int:
    """Sends odd messages on one socket, reading whatever comes; returns the number of answers that are errors."""
    rng, errors = random.Random(seed), 0

    async def read(connection: ClientConnection) -> None:
        nonlocal errors
        async for text in connection:
            errors += json.loads(text)["kind"] == "error"

    async with talking(server) as talk:
        reading = asyncio.create_task(read(talk.connection))
        for number in range(messages):
            await talk.connection.send(odd_message(rng, number))
            await asyncio.sleep(pause if rng.random() < 0.9 else 0)
        reading.cancel()
    return errors
