"""Runs the server: finds a port, says where it is, opens the browser, ends at once on Ctrl-C."""

import ctypes
import errno
import secrets
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn

from outflank.errors import OutflankError
from outflank.interfaces.web.app import create_app

USUAL_PORT = 8123
_TRIES = 20
_M_MMAP_THRESHOLD = -3
_MOST_SOCKETS = 1000
_LARGEST_FRAME = 1 << 20
"""Bytes; what is larger cuts the line, what is merely too large gets an answer that says so."""


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
    on_address: Callable[[str], None],
) -> None:
    """Serves until Ctrl-C, and tells the address first: without `host` to this machine alone, else with a token."""
    token = None if host is None else secrets.token_urlsafe(24)
    host = host or "127.0.0.1"
    listening = listen(host, port)
    address = _address(host, listening.getsockname()[1]) + (f"?token={token}" if token else "")
    on_address(address)
    _give_memory_back()
    threading.Thread(target=_warm_up, daemon=True, name="outflank-warm-up").start()
    config = uvicorn.Config(
        create_app(token, stores, reports),
        log_level="warning",
        ws="websockets-sansio",
        ws_max_size=_LARGEST_FRAME,
        ws_per_message_deflate=False,
        limit_concurrency=_MOST_SOCKETS,
        timeout_graceful_shutdown=1,
        server_header=False,
    )
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass


def _address(host: str, port: int) -> str:
    """What to type into a browser."""
    name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/"


def _give_memory_back() -> None:
    """Has glibc return the arrays of a search when it ends; it would keep ever larger ones for the next."""
    with suppress(OSError, AttributeError):  # another C library, which has no such setting
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, 1 << 20)


def _warm_up() -> None:
    """Compiles what the first visitor will ask for, boards first: whoever needs them waits for what is under way."""
    from outflank.agents import agent
    from outflank.analysis import judges, tree_agent
    from outflank.board import Rules
    from outflank.game import Game

    Game.of(moves="f5d6")
    for player in (*judges(), tree_agent(1000), agent("uct")):
        player.warm_up(Rules())
