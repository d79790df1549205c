"""Who may ask, how often and for what: caps, the token, the origin, the headers, and the agents a page may name.

Any web page that a person visits can try to reach a server on their machine. Therefore the socket answers only to
pages from this very server (`Origin`), and without a token the server answers only under the names of this machine
(`Host`), so that a foreign name that points here gets nothing. A server that other machines can reach demands a token.
"""

import hashlib
import hmac
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from html import escape
from http.cookies import SimpleCookie
from typing import Any, Protocol
from urllib.parse import SplitResult, parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from outflank.agents import Agent, agent
from outflank.agents.kinds import KINDS
from outflank.agents.registry import spelled_out
from outflank.errors import BadSpec
from outflank.spec import Call, Quoted, Value, parse, show


def _of(value: Any, meaning: str, shown: str = "") -> Any:
    """A cap with what it bounds, and how it is written where it depends on the machine."""
    return field(default=value, metadata={"meaning": meaning, "shown": shown or f"{value:,}".removesuffix(".0")})


@dataclass(frozen=True)
class Caps:
    """What a page may use of this machine; `SECURITY.md` lists them."""

    message_bytes: int = _of(64 * 1024, "bytes of a message")
    largest_frame: int = _of(256 * 1024, "bytes of a message beyond which the line is cut, without an answer")
    messages_per_second: int = _of(100, "messages of a page that are read in a second; others wait")
    burst: int = _of(200, "messages of a page that are read at once, after a silence")
    address_messages_per_second: int = _of(1000, "messages from one address of another machine, likewise")
    bytes_per_second: int = _of(64 * 1024, "bytes of messages of a page that are read in a second; others wait")
    burst_bytes: int = _of(256 * 1024, "bytes of messages of a page that are read at once, after a silence")
    unsent_bytes: int = _of(4 << 20, "bytes of answers that a page has not read before the line is cut")
    all_unsent_bytes: int = _of(256 << 20, "bytes of answers that all pages have not read")
    connections: int = _of(1024, "pages that are connected")
    connections_per_address: int = _of(256, "pages from one address of another machine")
    requests_per_connection: int = _of(32, "requests of a page under way")
    searches_per_connection: int = _of(8, "searches of a page under way")
    first_workers: int = _of(2, "requests at the same time for which code may have to be compiled")
    workers: int = _of(
        max(2, os.cpu_count() or 1),
        "searches for moves at the same time, and as many analyses",
        shown="1 a processor, at least 2",
    )
    seconds: float = _of(300.0, "seconds of one search")
    move_share: float = _of(0.5, "seconds after which a search for a move ends where others wait, fewer where many do")
    analysis_share: float = _of(10.0, "seconds after which an analysis ends where others wait, fewer where many do")
    memory_mb: int = _of(256, "megabytes of the tree or table of one search")
    hash_mb: int = _of(64, "megabytes of the transposition table of one minimax")
    kept_agents: int = _of(16, "agents of all pages that are kept between two of their moves")
    leaf_playouts: int = _of(64, "playouts between two of which a search cannot be stopped")
    people_games: int = _of(10_000, "games in the store of people beyond which none is added")
    collections: int = _of(4, "collections of games that pages of this machine bring to explore; the oldest gives way")
    collection_bytes: int = _of(256 << 20, "bytes of the files of such a collection")
    collection_games: int = _of(500_000, "games of a collection that are read")
    live_reviews: int = _of(64, "lost games of a match or tournament whose worst moves are looked for")
    rooms: int = _of(8, "rooms of people who play each other")
    room_visitors: int = _of(60, "pages in a room, those of the players too")
    room_messages_per_second: int = _of(10, "messages of a page in a room that are read in a second; others wait")
    room_message_bytes: int = _of(2048, "bytes of such a message")


def caps_table() -> str:
    """All caps as the table of `SECURITY.md`.

    >>> print(caps_table().splitlines()[2])
    | `message_bytes` | 65,536 | bytes of a message |
    """
    rows = [f"| `{cap.name}` | {cap.metadata['shown']} | {cap.metadata['meaning']} |" for cap in fields(Caps)]
    return "\n".join(["| limit | value | of what |", "|---|---|---|", *rows])


# --- agents -------------------------------------------------------------------------------------------------------

_PLAIN_WORD = re.compile(r"[A-Za-z0-9_-]*")


def page_agent(text: str, caps: Caps) -> Agent:
    """The agent of a text that comes from a page: none that runs a command, loads code or takes too much memory.

    >>> page_agent("uct(playouts=100)", Caps()).label
    'uct(playouts=100)'
    >>> page_agent("minimax(eval=os:system)", Caps())
    Traceback (most recent call last):
    outflank.errors.BadSpec: 'os:system' cannot be used from the page, because it would load code; ...
    """
    for word in _words(parse(text)):
        if word in KINDS and KINDS[word].external:
            raise BadSpec(f"{word} cannot be used from the page, because it would run a program; see outflank match")
        if isinstance(word, Quoted) or not _PLAIN_WORD.fullmatch(word):
            expected = "expected a built-in name"
            raise BadSpec(f"{str(word)!r} cannot be used from the page, because it would load code; {expected}")
    options = spelled_out(parse(text))
    for name, most in (("memory", caps.memory_mb), ("hash_mb", caps.hash_mb), ("leaf_playouts", caps.leaf_playouts)):
        size = options.get(name)
        if isinstance(size, int | float) and size > most:
            raise BadSpec(f"{name}={show(size)} is too much for the page; expected at most {most}")
    together = (options.get("leaves") or 1) * (options.get("leaf_playouts") or 1)
    if "leaves" in options and together > caps.leaf_playouts:
        raise BadSpec(f"{together} playouts at once are too much for the page; expected at most {caps.leaf_playouts}")
    return agent(text)


def _words(value: Value) -> Iterator[str]:
    """Every name and every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _words(item)
    elif isinstance(value, Call):
        yield value.name
        for item in (*value.values, *(item for _, item in value.options)):
            yield from _words(item)


# --- how often ----------------------------------------------------------------------------------------------------


class Pace:
    """So much a second on average, and some more at once after a silence; whoever is faster waits.

    >>> pace = Pace(per_second=2, at_once=2)
    >>> [pace.wait(now=0), pace.wait(now=0), pace.wait(now=0), pace.wait(now=1)]
    [0.0, 0.0, 0.5, 0.0]
    """

    def __init__(self, per_second: float, at_once: float) -> None:
        self.per_second, self.at_once = per_second, at_once
        self._left = at_once
        self._last: float | None = None

    def wait(self, cost: float = 1, now: float | None = None) -> float:
        """Takes one more, or so many, and returns the seconds until they are due."""
        now = time.monotonic() if now is None else now
        elapsed = 0.0 if self._last is None else now - self._last
        self._last = now
        self._left = min(self.at_once, self._left + elapsed * self.per_second) - cost
        return max(0.0, -self._left / self.per_second)


# --- who ----------------------------------------------------------------------------------------------------------

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}

_PAGE_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_DOOR_POLICY = _PAGE_POLICY.replace("form-action 'none'", "form-action 'self'")
_REPORT_POLICY = "sandbox; default-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"
"""Reports are files that somebody made: styles of their own, but no scripts."""


_DOOR = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Outflank</title>
<h1>Outflank cannot let you in yet</h1>
<p>{problem}</p>
{help}
</html>
"""
_HOW_TO_ENTER = """<p>Whoever started Outflank sees a link in the terminal that ends with <b>?token=</b> and
some letters. Ask for the whole link: the part before it, as it stands in an address bar, is not enough.
A link to a game or a lesson opens after that.</p>
<form action="/"><label>Link or token: <input name="token" size="60" autocomplete="off" autofocus required></label>
<button>Enter</button></form>"""


OWNER = "outflank.owner"
"""Of a request: whether it comes from whoever runs the server, and not from a guest of a room."""


class Doors(Protocol):
    """What has tokens of its own, such as rooms."""

    def admits(self, name: str, token: str) -> bool:
        """Whether a token opens the room of this name."""


def is_secret(given: str, secret: str) -> bool:
    """Whether a secret was given, told in a time that says nothing about it.

    >>> is_secret("b", "a"), is_secret("a", "a")
    (False, True)
    """
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), secret.encode())


def same_origin(headers: Headers) -> bool:
    """Whether a request comes from a page of this very server."""
    return _split(headers.get("origin", "")).netloc == headers.get("host", "")


class Guard:
    """Lets requests through that may come, and puts the headers on every answer.

    The token of the server opens everything. The token of a room opens its page, its socket and the files that pages
    are made of, and nothing else.
    """

    def __init__(self, app: ASGIApp, token: str | None = None, rooms: Doors | None = None) -> None:
        self.app, self.token, self.rooms = app, token, rooms
        self.cookie = "outflank_" + hashlib.sha256((token or "").encode()).hexdigest()[:8]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers itself where a request is refused."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        problem = self._problem(scope)
        if problem:
            await self._refuse(scope, receive, send, problem)
        elif scope["type"] == "http" and scope["path"] in ("/", "/live") and self._token_in_address(scope):
            await self._keep(self.cookie, self.token or "", scope, receive, send)
        elif scope["type"] == "http" and self._guest_of(scope) and _given_token(scope):
            await self._keep(_room_cookie(_room_in(scope)), _given_token(scope), scope, receive, send)
        else:
            await self.app(scope, receive, _with_headers(scope, send))

    def _problem(self, scope: Scope) -> str:
        """Why a request is refused, or nothing."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.token is None and _split(f"//{host}").hostname not in _LOOPBACK:
            return (
                f"this server answers only under localhost, not {host!r}; to be reached otherwise: outflank play --host"
            )
        owner = self.token is None or self._token_in_address(scope) or self._token_in_cookie(headers)
        scope[OWNER] = owner
        if not owner and not self._is_guest(scope, headers):
            if _room_in(scope):
                return "this room has ended, or the link was not whole: ask for a new one"
            return "a token is needed: open the link that outflank play printed"
        brings = scope.get("method") == "POST"
        if (scope["type"] == "websocket" or brings) and not same_origin(headers):
            what = "this may be asked only by" if brings else "the socket answers only to"
            return f"{what} the page of this server (wrong or missing Origin)"
        return ""

    def _is_token(self, given: str) -> bool:
        return self.token is not None and is_secret(given, self.token)

    def _token_in_address(self, scope: Scope) -> bool:
        """Whether the address has the token; whoever is asked for it may paste the whole link."""
        return self._is_token(_given_token(scope))

    def _token_in_cookie(self, headers: Headers) -> bool:
        return self._is_token(_cookies(headers).get(self.cookie, ""))

    def _is_guest(self, scope: Scope, headers: Headers) -> bool:
        """Whether a request comes from a guest of a room and asks for what guests may have."""
        if _room_in(scope):
            return self._guest_of(scope) or self._admits(_room_in(scope), headers)
        rooms = [name.removeprefix(_ROOM) for name in _cookies(headers) if name.startswith(_ROOM)]
        shared = scope["path"].startswith("/static/") or scope["path"] == "/favicon.ico"
        return shared and any(self._admits(name, headers) for name in rooms)

    def _guest_of(self, scope: Scope) -> bool:
        """Whether the address has the token of the room that it names."""
        return self.rooms is not None and self.rooms.admits(_room_in(scope), _given_token(scope))

    def _admits(self, name: str, headers: Headers) -> bool:
        given = _cookies(headers).get(_room_cookie(name), "")
        return self.rooms is not None and bool(name) and self.rooms.admits(name, given)

    async def _keep(self, cookie: str, token: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Moves a token from the address, where it would be copied with links, into a cookie."""
        response = RedirectResponse(scope["path"], status_code=303)
        # Lax: of a link in a mail or a chat a strict cookie would not come back with the page that it leads to.
        response.set_cookie(cookie, token, httponly=True, samesite="lax")
        await response(scope, receive, _with_headers(scope, send))

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, problem: str) -> None:
        """Says why: to a browser that opens a page as a page, to everything else in a line."""
        if scope["type"] == "http" and "text/html" in Headers(scope=scope).get("accept", ""):
            page = _DOOR.format(problem=escape(problem), help=_HOW_TO_ENTER if self.token else "")
            await HTMLResponse(page, status_code=403)(scope, receive, _with_headers(scope, send, _DOOR_POLICY))
            return
        response = PlainTextResponse(f"Outflank: {problem}\n", status_code=403)
        await response(scope, receive, _with_headers(scope, send))


_ROOM = "outflank_room_"
"""How the names of cookies of rooms begin."""


def _room_cookie(name: str) -> str:
    return _ROOM + name


def _room_in(scope: Scope) -> str:
    """The name of the room that a request is about; empty where it is about none."""
    parts = str(scope["path"]).split("/")
    return parts[2] if len(parts) > 2 and parts[1] == "room" else ""


def _given_token(scope: Scope) -> str:
    """The token in the address of a request."""
    given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])
    return str(given[0]).rpartition("?token=")[2].strip()


def _cookies(headers: Headers) -> dict[str, str]:
    """The cookies of a request; of a header that is none, nothing."""
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(headers.get("cookie", "")).items()}
    except Exception:  # whatever a broken cookie makes the parser raise
        return {}


def _split(address: str) -> SplitResult:
    """The parts of an address; of one that is none, nothing."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def _with_headers(scope: Scope, send: Send, policy: str = _PAGE_POLICY) -> Send:
    """Sends the same with the headers that keep a browser from being misled."""
    if scope["type"] != "http":
        return send
    report = scope["path"].startswith("/reports/")
    static = scope["path"].startswith("/static/")

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["content-security-policy"] = _REPORT_POLICY if report else policy
            headers["x-content-type-options"] = "nosniff"
            headers["referrer-policy"] = "no-referrer"
            headers["cross-origin-opener-policy"] = "same-origin"
            headers["cross-origin-resource-policy"] = "same-origin"
            headers["cache-control"] = "no-cache" if static or report else "no-store"
        await send(message)

    return sending
