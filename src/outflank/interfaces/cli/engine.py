"""`outflank engine`: Outflank as the engine of somebody's board or arena."""

import argparse
import math
import os
import sys
import threading
import time
from contextlib import redirect_stdout
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outflank.interfaces.engine import Server

_LAST_SECONDS = 5.0
"""For answers to what was asked before the other side left; thoughts end in milliseconds, bots of people need not."""
_LOOK_UP = 0.5
"""Seconds at most until Ctrl-C is heard."""


def register(commands: Any) -> None:
    """Adds the command to the parser."""
    engine = commands.add_parser("engine", help="be the engine of a board or an arena", description=_ENGINE)
    engine.add_argument("agent", metavar="AGENT", help='who plays, such as "engine(level=6)"')
    engine.add_argument("--protocol", choices=("gtp", "nboard"), required=True, help="what the other side speaks")
    engine.add_argument("--seed", type=int, default=0, metavar="S", help="seed of random choices")
    engine.set_defaults(run=run_engine)


_ENGINE = (
    "Answer GTP (version 2) or NBoard (versions 1 and 2) on standard input and output, so that any board or arena can "
    "play against an agent. The end of the input, quit and Ctrl-C end it."
)


def run_engine(args: argparse.Namespace) -> None:
    """Serves until the other side says quit or leaves; this thread waits, so that Ctrl-C is heard at once."""
    from outflank.agents import agent
    from outflank.interfaces.engine import PROTOCOLS, Lines
    from outflank.interfaces.engine.seat import Seat

    player = agent(args.agent, outside=True)
    out, lines = sys.stdout, Lines()
    seat = Seat(player, args.seed, warm=True)

    def say(text: str) -> None:
        out.write(f"{text}\n")
        out.flush()

    server = PROTOCOLS[args.protocol](seat, say, lines)
    with redirect_stdout(sys.stderr):  # what an agent prints is not for the other side
        reader = threading.Thread(target=lines.read_all, args=(sys.stdin.buffer,), daemon=True)
        worker = threading.Thread(target=_serve, args=(server, out), daemon=True)
        for thread in (worker, reader):
            thread.start()
        _join(reader)
        _join(worker, _LAST_SECONDS if lines.closed else math.inf)
    _leave(out)


def _join(thread: threading.Thread, seconds: float = math.inf) -> None:
    """Waits for a thread and looks up now and then: a signal that comes just before a wait does not end it."""
    deadline = time.monotonic() + seconds
    while thread.is_alive() and time.monotonic() < deadline:
        thread.join(min(_LOOK_UP, deadline - time.monotonic()))


def _serve(server: "Server", out: IO[str]) -> None:
    try:
        server.run()
    except BrokenPipeError:
        pass  # nobody listens any more
    _leave(out)


def _leave(out: IO[str]) -> None:
    """Ends the program at once: the other thread may wait for a line, or be inside a kernel."""
    try:
        out.flush()
    except (OSError, ValueError):
        pass
    os._exit(0)
