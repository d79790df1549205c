"""`outflank tournament` and `rate`: everybody against everybody, and how strong they are."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank.interfaces.cli.common import add_executor_options, add_quiet_option, executor, progress
from outflank.interfaces.cli.report import add_report_option, check_report, write_report
from outflank.interfaces.cli.store import existing_store

if TYPE_CHECKING:
    from outflank.arena.ratings import Ratings, ResultCounts


def register(commands: Any) -> None:
    """Adds the commands to the parser."""
    tournament = commands.add_parser("tournament", help="play everybody against everybody", description=_TOURNAMENT)
    tournament.add_argument(
        "file", metavar="FILE.toml", help="agents, sizes, variants, limits, clocks, pairs, openings"
    )
    add_executor_options(tournament)
    tournament.add_argument("--store", default="outflank.db", metavar="FILE", help="where games are kept (outflank.db)")
    add_quiet_option(tournament)
    add_report_option(tournament)
    tournament.add_argument("--json", action="store_true", help="print one JSON object")
    tournament.set_defaults(run=run_tournament, resumes=True)

    rate = commands.add_parser("rate", help="ratings of all agents of a store", description=_RATE)
    rate.add_argument("file", metavar="FILE", help="a store")
    rate.add_argument("--anchor", metavar="AGENT=ELO", help="an agent and the Elo it stands for (default: mean 0)")
    add_report_option(rate)
    rate.add_argument("--json", action="store_true", help="print one JSON object")
    rate.set_defaults(run=run_rate)


_TOURNAMENT = (
    "Play a tournament described by a TOML file: round robin or gauntlet, any agents, sizes, variants, limits and "
    "clocks. The same command continues where it stopped."
)
_RATE = "Bradley-Terry ratings with 95 % intervals, in Elo, and the cross table, from all games of a store."


def run_tournament(args: argparse.Namespace) -> None:
    """Plays what is missing of a tournament and prints its ratings."""
    from outflank.arena.ratings import collect, rate
    from outflank.arena.runner import behaviour_warnings, run_plan
    from outflank.arena.store import Store
    from outflank.arena.tournament import read_tournament

    check_report(args)
    plan = read_tournament(Path(args.file))
    with Store(args.store) as store:
        for warning in (*plan.warnings(), *behaviour_warnings(plan, store)):
            print(f"outflank: warning: {warning}", file=sys.stderr)
        missing = sum(1 for _ in store.missing(plan.slots()))
        with progress("tournament", args.quiet) as shown:
            shown.plan(plan.games, plan.games - missing)

            def on_game(*_: object) -> bool:
                shown.advance()
                return True

            run_plan(plan, store, executor(args), on_game)
        results = collect(store.outcomes(slot.key for slot in plan.slots()))
        ratings = rate(results, advantage=True)
        keys = {slot.key for slot in plan.slots()} if args.report else None
        page = write_report(args, Path(args.file).stem, store, keys, ratings)
    _print_results(results, ratings, page, args.json)


def run_rate(args: argparse.Namespace) -> None:
    """Prints the ratings of all agents of a store."""
    from outflank.arena.ratings import collect, rate

    check_report(args)
    with existing_store(args.file) as store:
        games = (game for game in store.outcomes() if game[0] != game[1])  # nobody is rated against themselves
        results = collect(games)
        ratings = rate(results, anchor=_read_anchor(args.anchor, results), advantage=True)
        page = write_report(args, f"Ratings of {Path(args.file).name}", store, None, ratings)
    _print_results(results, ratings, page, args.json)


def _read_anchor(text: str | None, results: "ResultCounts") -> tuple[str, float] | None:
    """An agent of the store and its Elo, written as in a match; behind ` #` its behaviour, where there are several."""
    from outflank.agents import canonical, text_of
    from outflank.agents.identities import behaviour_of
    from outflank.errors import BadSpec

    if not text:
        return None
    name, _, value = text.rpartition("=")
    try:
        elo = float(value)
    except ValueError:
        raise BadSpec(f"--anchor {text!r} is not AGENT=ELO; expected for example random=0") from None
    full, wanted = canonical(text_of(name)), behaviour_of(name)
    stored = [who for who in results.players if text_of(who) == full and wanted in ("", behaviour_of(who))]
    if len(stored) > 1:
        choice = " or ".join(f"'{name} #{behaviour_of(who)}={value}'" for who in stored)
        raise BadSpec(f"--anchor {text!r} has games of {len(stored)} behaviours; expected {choice}")
    return stored[0] if stored else name, elo


def _print_results(results: "ResultCounts", ratings: "Ratings", page: Path | None, as_json: bool) -> None:
    for warning in ratings.warnings:
        print(f"outflank: warning: {warning}", file=sys.stderr)
    if as_json:
        from outflank.arena.ratings import cross_table as crossed
        from outflank.facts import cross_table_facts, ratings_facts

        facts = ratings_facts(ratings) | cross_table_facts(crossed(results))
        print(json.dumps(facts | ({"report": str(page)} if page else {})))
        return
    from outflank.arena.ratings import tallies
    from outflank.report.arena import cross_table, ratings_table
    from outflank.report.names import numbered
    from outflank.report.terminal import show

    names = numbered([line.player for line in ratings.lines])
    show([ratings_table(ratings, names), cross_table(tallies(results), names)] if names else [])
    if page:
        print(f"report: {page}")
