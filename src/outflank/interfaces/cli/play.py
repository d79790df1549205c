"""`outflank play`: a board to play and analyse on, in the browser or in the terminal."""

import argparse
import os
import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outflank.interfaces.terminal.record import Record


def register(commands: Any) -> None:
    """Adds the command to the parser."""
    play = commands.add_parser("play", help="play and analyse in the browser or the terminal", description=_PLAY)
    play.add_argument("--port", type=int, metavar="P", help="port (default: 8123 or the next free one; 0: any)")
    play.add_argument(
        "--host",
        metavar="H",
        help="address to be reached at by other machines; demands a token, opens a room for a friend",
    )
    play.add_argument("--no-browser", action="store_true", help="print the address without opening it")
    play.add_argument(
        "--store", action="append", default=[], metavar="FILE", help="offer the games of a store; may be repeated"
    )
    play.add_argument(
        "--report", action="append", default=[], metavar="DIR", help="offer a report's directory; may be repeated"
    )
    play.add_argument(
        "--collection",
        action="append",
        default=[],
        metavar="PATH",
        help="offer games to explore: a file, a directory, a store or an index (.npz); may be repeated",
    )
    play.add_argument(
        "--record", metavar="FILE", help="keep finished games of persons against agents, under their names, in a store"
    )
    _add_terminal_options(play)
    play.set_defaults(run=run_play)


def _add_terminal_options(play: argparse.ArgumentParser) -> None:
    terminal = play.add_argument_group("in the terminal")
    terminal.add_argument("--terminal", action="store_true", help="play here instead of in the browser")
    terminal.add_argument("--black", metavar="WHO", help="person (default), a level such as Club, or any agent")
    terminal.add_argument("--white", metavar="WHO", help="the same (default: a level in the middle)")
    terminal.add_argument("--size", type=int, metavar="N", help="board size, even, 4 to 16 (default 8)")
    terminal.add_argument("--variant", metavar="V", help="standard (default) or reversed: who wins")
    begin = terminal.add_mutually_exclusive_group()
    begin.add_argument(
        "--openings", metavar="O", help="start (default), random(k), balanced(k), moves such as f5d6, or a position"
    )
    begin.add_argument("--load", metavar="FILE", help="go on with the game or position of a file")
    terminal.add_argument("--name", metavar="N", help="with --record: who plays")
    terminal.add_argument("--seed", type=int, metavar="S", help="seed of random choices (default 0)")


_PLAY = (
    "Open a page in the browser to play against any agent, to analyse positions and to review games. "
    "It is served from this machine, to this machine only, and works without a network. Ctrl-C ends it. "
    "With --terminal, play in the terminal."
)


def run_play(args: argparse.Namespace) -> None:
    """Plays in the browser, or in the terminal."""
    from outflank.errors import BadSpec

    elsewhere = _BROWSER if args.terminal else _TERMINAL
    given = [f"--{name.replace('_', '-')}" for name in elsewhere if getattr(args, name) not in (None, False, [])]
    if given:
        where = "does not go with --terminal" if args.terminal else "needs --terminal"
        raise BadSpec(f"{given[0]} {where}; see outflank play --help")
    (_play_here if args.terminal else _serve)(args)


_BROWSER = ("port", "host", "no_browser", "store", "report", "collection")
_TERMINAL = ("black", "white", "size", "variant", "openings", "load", "name", "seed")


def _play_here(args: argparse.Namespace) -> None:
    from outflank.interfaces.terminal.screen import screen
    from outflank.interfaces.terminal.seats import PERSON, middle_level, read_seat
    from outflank.interfaces.terminal.session import Session, Setting

    record = _record_of(args)
    setting = Setting(args.size, args.variant or "standard", args.openings or "start", args.seed or 0)
    game = setting.game_of(Path(args.load)) if args.load else setting.game()
    black, white = args.black or PERSON, args.white or middle_level().name
    seats = read_seat(black, game.rules), read_seat(white, game.rules)
    Session(screen(), setting, seats, game, record).play()


def _record_of(args: argparse.Namespace) -> "Record | None":
    """Where games of the person in the terminal go; None where they are not kept."""
    from outflank.errors import BadSpec
    from outflank.interfaces.terminal.record import Record

    if (args.record is None) != (args.name is None):
        given, missing = ("--name", "--record FILE") if args.record is None else ("--record", "--name NAME")
        raise BadSpec(f"{given} needs {missing}: a game is kept under the name of whoever plays it")
    if args.record is not None and args.load is not None:
        raise BadSpec("--record does not go with --load: a game is kept that was played here from its beginning")
    return None if args.record is None else Record(Path(args.record), args.name)


def _serve(args: argparse.Namespace) -> None:
    from outflank.arena.store import Store
    from outflank.errors import MissingExtra, OutflankError
    from outflank.interfaces.cli.store import existing_store

    try:
        from outflank.interfaces.web.serve import serve
    except ModuleNotFoundError as error:
        raise MissingExtra(f"the page needs {error.name}", "web") from None
    reports = [Path(name) for name in args.report]
    for path in reports:
        if not path.is_dir():
            raise OutflankError(f"there is no directory {path}; expected the report of outflank reproduce")
    stores = []
    for name in args.store:
        with existing_store(name) as store:
            stores.append(store.path)
    games = [Path(name) for name in args.collection]
    for path in games:
        if not path.exists():
            raise OutflankError(f"there is no file or directory {path}; expected games to explore")
    people = None
    if args.record is not None:
        with Store(args.record) as store:  # made where there is none, or told why not before anything is served
            people = store.path
    tell = partial(_announce, browser=not args.no_browser)
    serve(args.host, args.port, stores, reports, tell, people, games)
    print("Outflank has ended.", file=sys.stderr, flush=True)
    os._exit(0)  # at once: a thread that is compiling would be waited for


def _announce(address: str, room: str, browser: bool) -> None:
    print(f"Outflank is at {address}", flush=True)
    if room:
        _invite(room)
    print("Ctrl-C ends it.", file=sys.stderr, flush=True)
    if browser:
        import webbrowser

        threading.Timer(0.2, webbrowser.open, [address]).start()  # when the server answers


def _invite(room: str) -> None:
    """The link for a friend, and in a terminal a code that a telephone reads."""
    print(f"A friend plays you, and others watch, at {room}", flush=True)
    if sys.stdout.isatty():
        from outflank.interfaces.web.rooms import in_terminal

        print(in_terminal(room), flush=True)
