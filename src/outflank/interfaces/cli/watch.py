"""The option `--live` that matches and tournaments share: a page that shows them while they are played."""

import argparse
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from outflank.errors import BadSpec, MissingExtra

if TYPE_CHECKING:
    from outflank.report.live import Event


def add_live_options(command: argparse.ArgumentParser) -> None:
    """Adds `--live`, and where its page is."""
    command.add_argument("--live", action="store_true", help="show it on a page while it is played, and after it")
    command.add_argument("--host", metavar="H", help="with --live: an address for other machines; demands a token")
    command.add_argument("--port", type=int, metavar="P", help="with --live: port (default: 8123 or the next free one)")


def check_live(args: argparse.Namespace) -> None:
    """Says before any game is played what would keep it from being shown."""
    given = [f"--{name}" for name in ("host", "port") if getattr(args, name) is not None]
    if given and not args.live:
        raise BadSpec(f"{given[0]} needs --live; it says where the live page is")
    if args.live:
        try:
            import outflank.interfaces.web.serve  # noqa: F401
        except ModuleNotFoundError as error:
            raise MissingExtra(f"the page needs {error.name}", "web") from None


def show_live(args: argparse.Namespace, event: "Event") -> None:
    """Serves the page of an event from now on, and says where."""
    if args.live:
        from outflank.interfaces.web.serve import serve_beside

        print(f"Watch it at {serve_beside(args.host, args.port, event)}", file=sys.stderr, flush=True)


def stay_live(args: argparse.Namespace) -> None:
    """Keeps the page, where there is one, until Ctrl-C."""
    if args.live:
        with suppress(KeyboardInterrupt):
            print("The live page stays; Ctrl-C ends it.", file=sys.stderr, flush=True)
            threading.Event().wait()
