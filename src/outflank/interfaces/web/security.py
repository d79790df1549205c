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
from dataclasses import dataclass
from http.cookies import SimpleCookie
from urllib.parse import SplitResult, parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from outflank.agents import Agent, agent
from outflank.agents.kinds import KINDS
from outflank.agents.registry import spelled_out
from outflank.errors import BadSpec
from outflank.spec import Call, Quoted, Value, parse, show


@dataclass(frozen=True)
class Caps:
    """What a page may use of this machine."""

    message_bytes: int = 64 * 1024
    messages_per_second: int = 100
    burst: int = 200
    """Messages that may come at once after a silence."""
    connections: int = 256
    requests_per_connection: int = 32
    """Under way at the same time."""
    searches_per_connection: int = 8
    workers: int = max(4, 2 * (os.cpu_count() or 1))
    """Searches that run at the same time in all, of each kind; others wait."""
    seconds: float = 300.0
    """For one search."""
    memory_mb: int = 256
    """For the tree or table of one search."""
    kept_agents: int = 16
    """Agents between two of their moves, of all pages together; each may hold its tree or table."""
    hash_mb: int = 64
    """For the transposition table of one minimax, which is cleared before every move."""
    leaf_playouts: int = 64
    """Between two of which a search cannot be stopped."""


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


class RateLimit:
    """So many messages a second on average, and some more at once after a silence.

    >>> limit = RateLimit(per_second=1, burst=2)
    >>> limit.allows(now=0), limit.allows(now=0), limit.allows(now=0), limit.allows(now=1)
    (True, True, False, True)
    """

    def __init__(self, per_second: float, burst: float) -> None:
        self.per_second, self.burst = per_second, burst
        self._left = burst
        self._last: float | None = None

    def allows(self, now: float | None = None) -> bool:
        """Whether one more may come now."""
        now = time.monotonic() if now is None else now
        elapsed = 0.0 if self._last is None else now - self._last
        self._last = now
        self._left = min(self.burst, self._left + elapsed * self.per_second)
        if self._left < 1:
            return False
        self._left -= 1
        return True


# --- who ----------------------------------------------------------------------------------------------------------

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}

_PAGE_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_REPORT_POLICY = "sandbox; default-src 'self' data:; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"
"""Reports are files that somebody made: styles of their own, but no scripts."""


class Guard:
    """Lets requests through that may come, and puts the headers on every answer."""

    def __init__(self, app: ASGIApp, token: str | None = None) -> None:
        self.app, self.token = app, token
        self.cookie = "outflank_" + hashlib.sha256((token or "").encode()).hexdigest()[:8]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers itself where a request is refused."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        problem = self._problem(scope)
        if problem:
            await self._refuse(scope, receive, send, problem)
        elif scope["type"] == "http" and scope["path"] == "/" and self._token_in_address(scope):
            await self._keep_token(scope, receive, send)
        else:
            await self.app(scope, receive, _with_headers(scope, send))

    def _problem(self, scope: Scope) -> str:
        """Why a request is refused, or nothing."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.token is None and _split(f"//{host}").hostname not in _LOOPBACK:
            return f"this server answers only under localhost, not {host!r}; to be reached otherwise: --host"
        if self.token is not None and not (self._token_in_address(scope) or self._token_in_cookie(headers)):
            return "a token is needed: open the address that outflank play printed"
        if scope["type"] == "websocket" and _split(headers.get("origin", "")).netloc != host:
            return "the socket answers only to the page of this server (wrong or missing Origin)"
        return ""

    def _is_token(self, given: str) -> bool:
        return self.token is not None and hmac.compare_digest(given.encode(), self.token.encode())

    def _token_in_address(self, scope: Scope) -> bool:
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])
        return self._is_token(given[0])

    def _token_in_cookie(self, headers: Headers) -> bool:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except Exception:  # whatever a broken cookie makes the parser raise
            return False
        return self.cookie in cookies and self._is_token(cookies[self.cookie].value)

    async def _keep_token(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Moves the token from the address, where it would be copied with links, into a cookie."""
        response = RedirectResponse("/", status_code=303)
        response.set_cookie(self.cookie, self.token or "", httponly=True, samesite="strict")
        await response(scope, receive, _with_headers(scope, send))

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, problem: str) -> None:
        response = PlainTextResponse(f"Outflank: {problem}\n", status_code=403)
        await response(scope, receive, _with_headers(scope, send))


def _split(address: str) -> SplitResult:
    """The parts of an address; of one that is none, nothing."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def _with_headers(scope: Scope, send: Send) -> Send:
    """Sends the same with the headers that keep a browser from being misled."""
    if scope["type"] != "http":
        return send
    report = scope["path"].startswith("/reports/")
    static = scope["path"].startswith("/static/")

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["content-security-policy"] = _REPORT_POLICY if report else _PAGE_POLICY
            headers["x-content-type-options"] = "nosniff"
            headers["referrer-policy"] = "no-referrer"
            headers["cross-origin-opener-policy"] = "same-origin"
            headers["cross-origin-resource-policy"] = "same-origin"
            headers["cache-control"] = "no-cache" if static or report else "no-store"
        await send(message)

    return sending
