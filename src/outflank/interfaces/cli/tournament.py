"""`outflank tournament` and `rate`: everybody against everybody, and how strong they are."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank.interfaces.cli.store import existing_store

if TYPE_CHECKING:
    from outflank.arena.ratings import Ratings


def register(commands: Any) -> None:
    """Adds the commands to the parser."""
    tournament = commands.add_parser("tournament", help="play everybody against everybody", description=_TOURNAMENT)
    tournament.add_argument("file", metavar="FILE.toml", help="agents, sizes, variants, pairs, openings, limit, seed")
    tournament.add_argument("--workers", type=int, metavar="W", help="worker processes (default: one a core)")
    tournament.add_argument("--store", default="outflank.db", metavar="FILE", help="where games are kept (outflank.db)")
    tournament.add_argument("--quiet", action="store_true", help="no progress bar")
    tournament.add_argument("--json", action="store_true", help="print one JSON object")
    tournament.set_defaults(run=run_tournament)

    rate = commands.add_parser("rate", help="ratings of all agents of a store", description=_RATE)
    rate.add_argument("file", metavar="FILE", help="a store")
    rate.add_argument("--anchor", metavar="AGENT=ELO", help="an agent and the Elo it stands for (default: mean 0)")
    rate.add_argument("--json", action="store_true", help="print one JSON object")
    rate.set_defaults(run=run_rate)


_TOURNAMENT = (
    "Play a tournament described by a TOML file: round robin or gauntlet, any agents, sizes and variants. The same "
    "command continues where it stopped."
)
_RATE = "Bradley-Terry ratings with 95 % intervals, in Elo, from all games of a store."


def run_tournament(args: argparse.Namespace) -> None:
    """Plays what is missing of a tournament and prints its ratings."""
    from outflank.arena.ratings import collect, rate
    from outflank.arena.runner import run_plan
    from outflank.arena.store import Store
    from outflank.arena.tournament import read_tournament
    from outflank.execute import Processes

    plan = read_tournament(Path(args.file))
    for warning in plan.warnings():
        print(f"outflank: warning: {warning}", file=sys.stderr)
    keys = {slot.key for slot in plan.slots()}
    with Store(args.store) as store, _bar(args, len(keys), len(keys & store.done())) as advance:
        run_plan(plan, store, Processes(args.workers), lambda *_: advance())
        rows = [(black, white, points, pair) for _, pair, black, white, points, *_ in store.results(keys)]
    _print_ratings(rate(collect(rows), advantage=True), args.json)


@contextmanager
def _bar(args: argparse.Namespace, games: int, done: int) -> Iterator[Callable[[], bool]]:
    """A progress bar on stderr; nothing when nobody watches."""
    if args.quiet or not sys.stderr.isatty():
        yield lambda: True
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("games", total=games, completed=done)

        def advance() -> bool:
            progress.advance(task)
            return True

        yield advance


def run_rate(args: argparse.Namespace) -> None:
    """Prints the ratings of all agents of a store."""
    from outflank.arena.ratings import collect, rate
    from outflank.arena.store import Store
    from outflank.errors import BadSpec

    anchor = None
    if args.anchor:
        name, _, value = args.anchor.rpartition("=")
        try:
            anchor = (name, float(value))
        except ValueError:
            raise BadSpec(f"--anchor {args.anchor!r} is not AGENT=ELO; expected for example random=0") from None
    with Store(existing_store(args.file)) as store:
        rows = [(black, white, points, pair) for _, pair, black, white, points, *_ in store.results()]
    results = collect(row for row in rows if row[0] != row[1])  # nobody is rated against themselves
    _print_ratings(rate(results, anchor=anchor, advantage=True), args.json)


def _print_ratings(ratings: "Ratings", as_json: bool) -> None:
    for warning in ratings.warnings:
        print(f"outflank: warning: {warning}", file=sys.stderr)
    if as_json:
        lines = [
            {
                "agent": line.player,
                "elo": None if line.elo.bounded else line.elo.value,
                "elo_interval": [line.elo.low, line.elo.high],
                "games": line.games,
                "points": line.points,
                "group": line.group,
            }
            for line in ratings.lines
        ]
        print(json.dumps({"ratings": lines}))
        return
    for line in ratings.lines:
        print(f"{line.elo:+.0f}  {line.points:g}/{line.games}  {line.player}")
    if ratings.advantage is not None:
        print(f"black's advantage: {ratings.advantage:+.0f} Elo")
