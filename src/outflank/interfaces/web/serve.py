"""Runs the server: finds a port, says where it is, opens the browser, ends at once on Ctrl-C."""

import ctypes
import errno
import gc
import secrets
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from outflank.errors import OutflankError
from outflank.interfaces.web.app import create_app
from outflank.interfaces.web.lines import Line, Visit
from outflank.interfaces.web.security import Caps
from outflank.report.live import Event

USUAL_PORT = 8123
_TRIES = 20
_M_MMAP_THRESHOLD = -3
_SWITCH_SECONDS = 0.0005
"""After which a thread that runs Python lets another go on; with the usual 5 ms every answer would wait for several."""
_UNREAD_BYTES = 1 << 16
"""Of a page that sends faster than it is read, which the system keeps; the rest waits where it comes from."""
_SPARE_SOCKETS = 512
"""Sockets beside those of pages, for what a browser fetches before its page is there."""


class CannotServe(OutflankError):
    """A port or an address that cannot be had."""


def listen(host: str, port: int | None) -> socket.socket:
    """A socket on this port; without one the usual port, or the next that is free; 0 is any."""
    wanted = [port] if port is not None else [*range(USUAL_PORT, USUAL_PORT + _TRIES), 0]
    for number in wanted:
        try:
            return _bound(host, number)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise CannotServe(
                    f"cannot serve on {host}: {error.strerror}; expected an address of this machine"
                ) from None
    raise CannotServe(f"port {port} on {host} is taken; choose another with --port, or leave it out for a free one")


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, so that asyncio sends at once
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _UNREAD_BYTES)
        listening.bind((host, port))
        listening.listen(512)
    except (OSError, OverflowError) as error:
        listening.close()
        if isinstance(error, OverflowError):
            raise CannotServe(f"port {port} is not possible; expected 0 to 65535") from None
        raise
    return listening


def serve(
    host: str | None,
    port: int | None,
    stores: list[Path],
    reports: list[Path],
    on_address: Callable[[str, str], None],
    people: Path | None = None,
    games: list[Path] | None = None,
) -> None:
    """Serves until Ctrl-C, and tells the address first: without `host` to this machine alone, else with a token.

    With a host it also opens a room for a friend, and tells its link.
    """
    listening, token, address = _place(host, port)
    caps = Caps()
    app = create_app(token, stores, reports, caps, people, games, address=address if token else "")
    on_address(_with_token(address, token), app.state.rooms.open().link if token else "")
    _make_room(caps)
    boards = app.state.visitors.boards_are_ready
    threading.Thread(target=_warm_up, args=[boards], daemon=True, name="outflank-warm-up").start()
    try:
        uvicorn.Server(_config(app, caps)).run(sockets=[listening])
    except KeyboardInterrupt:
        pass


def serve_beside(host: str | None, port: int | None, event: Event) -> str:
    """The address of the live page of an event, served in a thread for as long as this program runs."""
    listening, token, address = _place(host, port)
    caps = Caps()
    _make_room(caps)
    app = create_app(token, caps=caps, events={"now": event}, address=address if token else "")
    server = uvicorn.Server(_config(app, caps))
    threading.Thread(target=server.run, args=[[listening]], daemon=True, name="outflank-live").start()
    return _with_token(f"{address}live", token)


def _place(host: str | None, port: int | None) -> tuple[socket.socket, str | None, str]:
    """Where to listen, the token that is then needed, and the address."""
    token = None if host is None else secrets.token_urlsafe(24)
    host = host or "127.0.0.1"
    listening = listen(host, port)
    return listening, token, _address(host, listening.getsockname()[1])


def _with_token(address: str, token: str | None) -> str:
    return f"{address}?token={token}" if token else address


def _make_room(caps: Caps) -> None:
    """Has this process use little memory, open many sockets and change threads often."""
    _give_memory_back()
    _allow_sockets(caps.connections + 2 * _SPARE_SOCKETS)
    sys.setswitchinterval(_SWITCH_SECONDS)


def _config(app: Starlette, caps: Caps) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        log_level="warning",
        http=Visit,
        ws=Line,
        ws_max_size=caps.largest_frame,
        ws_per_message_deflate=False,
        limit_concurrency=caps.connections + _SPARE_SOCKETS,
        timeout_graceful_shutdown=1,
        server_header=False,
    )


def _address(host: str, port: int) -> str:
    """What to type into a browser, also on another machine."""
    name = _own_address() if host in ("0.0.0.0", "::") else host
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/"


def _own_address() -> str:
    """The address of this machine in its network; its name, which others may not know, where there is none."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as unsent:
        unsent.connect(("192.0.2.1", 9))  # chooses a way out; nothing is sent
        return str(unsent.getsockname()[0])
    return socket.gethostname()


def _give_memory_back() -> None:
    """Has glibc return the arrays of a search when it ends; it would keep ever larger ones for the next."""
    with suppress(OSError, AttributeError):  # another C library, which has no such setting
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, 1 << 20)


def _allow_sockets(wanted: int) -> None:
    """Raises the number of files that this process may open, as far as the system lets it."""
    with suppress(ImportError, OSError, ValueError):  # another system, or one that does not let it
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard) if hard > 0 else wanted, hard))


def _warm_up(boards_are_ready: threading.Event) -> None:
    """Compiles what the first visitor will ask for; boards come first, because everybody needs them."""
    from outflank.agents import agent
    from outflank.analysis import judges, tree_agent
    from outflank.board import Rules

    boards_are_ready.wait()
    for player in (*judges(Rules()), tree_agent(1000), agent("uct")):
        player.warm_up(Rules())
    # The compiler leaves 130,000 objects for good. To look among them for unused ones took 56 ms, in which nobody is
    # answered; once they are frozen it takes 0.02 ms.
    gc.collect()
    gc.freeze()
