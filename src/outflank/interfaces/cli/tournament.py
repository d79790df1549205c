"""`outflank tournament` and `rate`: everybody against everybody, and how strong they are."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank.interfaces.cli.common import (
    add_executor_options,
    add_json_option,
    add_quiet_option,
    end_where_nothing_was_played,
    executor,
    progress,
)
from outflank.interfaces.cli.report import add_report_option, check_report, sandbox_facts, write_report
from outflank.interfaces.cli.store import existing_store
from outflank.interfaces.cli.watch import add_live_options, check_live, show_live, stay_live

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from outflank.arena.ratings import Ratings, ResultCounts
    from outflank.arena.rounds import Standing
    from outflank.arena.schedule import Plan
    from outflank.arena.store import FromStore, Store
    from outflank.arena.tournament import Tournament
    from outflank.report.document import Table
    from outflank.report.lost import Fault


def register(commands: Any) -> None:
    """Adds the commands to the parser."""
    tournament = commands.add_parser("tournament", help="play everybody against everybody", description=_TOURNAMENT)
    tournament.add_argument(
        "file", metavar="FILE.toml", help="agents or bots, sizes, variants, limits, clocks, pairs, openings"
    )
    tournament.add_argument(
        "--why", type=int, default=0, metavar="N", help="also show the worst moves of N lost games of everybody"
    )
    add_executor_options(tournament)
    tournament.add_argument("--store", default="outflank.db", metavar="FILE", help="where games are kept (outflank.db)")
    add_quiet_option(tournament)
    add_live_options(tournament)
    add_report_option(tournament)
    add_json_option(tournament)
    tournament.set_defaults(run=run_tournament, resumes=True)

    rate = commands.add_parser("rate", help="ratings of all agents of a store", description=_RATE)
    rate.add_argument("file", metavar="FILE", help="a store")
    rate.add_argument("--rules", metavar="RULES", help='only games of these, such as "reversed 8x8" (all)')
    rate.add_argument("--anchor", metavar="AGENT=ELO", help="an agent and the Elo it stands for (default: mean 0)")
    add_report_option(rate)
    add_json_option(rate)
    rate.set_defaults(run=run_rate)


_TOURNAMENT = (
    "Play a tournament described by a TOML file: round robin, gauntlet, Swiss system or knockout, any agents or a "
    "directory of bots, sizes, variants, limits and clocks. The same command continues where it stopped."
)
_RATE = (
    "Bradley-Terry ratings with 95 % intervals, in Elo, and the cross table, from all games of a store. Where these "
    "are of several rules, limits or clocks, that is told; --rules rates the games of one board and variant."
)


def run_tournament(args: argparse.Namespace) -> None:
    """Plays what is missing of a tournament, prints its standings where it has rounds, and its ratings."""
    from outflank.agents.names import short_names
    from outflank.arena.ratings import collect, rate
    from outflank.arena.store import Store
    from outflank.arena.tournament import open_tournament
    from outflank.errors import BadSpec
    from outflank.report.live import Event
    from outflank.report.lost import faults_of, faults_table, standings_table, worst_moves, worst_table

    check_report(args)
    check_live(args)
    if args.why < 0:
        raise BadSpec(f"--why {args.why} is not possible; expected 0 or more games")
    cup = open_tournament(Path(args.file))
    with Store(args.store) as store:
        show_live(args, Event(Path(args.file).stem, store.path, cup))
        plans, kept = _play_rounds(args, cup, store)
        keys = {slot.key for plan in plans for slot in plan.slots()}
        results = collect(store.outcomes(keys))
        ratings = _warned(rate(results, advantage=True), _settings(plans))
        faults = faults_of(store, plans)
        endings = Counter(ending for plan in plans for *_, ending, _ in store.finished(plan.slots()))
        lines = cup.standings(plans, store)
        names = short_names(cup.agents)
        tables = [standings_table(lines, names)] if cup.in_rounds or cup.given["bots"] else []
        tables += [faults_table(faults, names)] if faults else []
        if args.why:
            games = (game for game in store.games() if game.tags["key"] in keys)
            with progress("review", args.quiet, brief=True) as shown:
                shown.say("looking for the worst moves")
                tables.append(worst_table(worst_moves(games, args.why), names))
        facts = sandbox_facts(cup.agents)
        page = write_report(args, Path(args.file).stem, store, keys, ratings, tables=tables, facts=facts)
    if args.json:
        _print_json(results, ratings, page, lines, faults, facts, kept)
    else:
        _print_results(results, ratings, page, tables, facts, kept)
    stay_live(args)
    end_where_nothing_was_played(endings)


def _settings(plans: "Iterable[Plan]") -> "Counter[tuple[str, str]]":
    """Games by rules and conditions."""
    counts: Counter[tuple[str, str]] = Counter()
    for plan in plans:
        for pairing in plan.pairings:
            counts[str(pairing.rules), (pairing.conditions or plan.conditions).text] += 2 * pairing.pairs
    return counts


def _warned(ratings: "Ratings", settings: Mapping[tuple[str, str], int]) -> "Ratings":
    """The ratings with a word where games of several settings are in them."""
    from outflank.report.survey import mixed

    word = mixed(settings)
    return replace(ratings, warnings=(word, *ratings.warnings)) if word else ratings


def _play_rounds(args: argparse.Namespace, cup: "Tournament", store: "Store") -> "tuple[list[Plan], FromStore]":
    """Plays what is missing, round after round."""
    from outflank.arena.runner import behaviour_warnings, run_plan
    from outflank.arena.store import FromStore

    plans, played = [], 0
    with progress("tournament", args.quiet) as shown:

        def on_game(*_: object) -> bool:
            shown.advance()
            return True

        there = 0
        for plan in cup.plans(store):
            for warning in (*plan.warnings(), *behaviour_warnings(plan, store)):
                print(f"outflank: warning: {warning}", file=sys.stderr)
            plans.append(plan)
            missing = sum(1 for _ in store.missing(plan.slots()))
            shown.plan(cup.games, there + plan.games - missing)
            run_plan(plan, store, executor(args), on_game)
            there += plan.games
            played += missing
    return plans, FromStore(store.path, there, there - played, played)


def run_rate(args: argparse.Namespace) -> None:
    """Prints the ratings of all agents of a store."""
    from outflank.arena.ratings import collect, rate
    from outflank.board import Rules

    check_report(args)
    rules = None if args.rules is None else Rules.parse(args.rules)
    with existing_store(args.file) as store:
        outcomes = store.outcomes(rules=rules)
        results = collect(game for game in outcomes if game[0] != game[1])  # nobody is rated against themselves
        ratings = rate(results, anchor=_read_anchor(args.anchor, results), advantage=True)
        chosen = {key: games for key, games in store.settings().items() if rules is None or key[0] == str(rules)}
        ratings = _warned(ratings, chosen)
        keys = None if rules is None else {game.tags["key"] for game in store.games() if game.rules == rules}
        page = write_report(args, f"Ratings of {Path(args.file).name}", store, keys, ratings)
    if args.json:
        _print_json(results, ratings, page)
    elif not results.games:
        print(f"{args.file} has no games of two agents to rate" + (f" under {rules}" if rules else ""))
    else:
        _print_results(results, ratings, page)


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


def _warn(ratings: "Ratings") -> None:
    for warning in ratings.warnings:
        print(f"outflank: warning: {warning}", file=sys.stderr)


def _print_json(
    results: "ResultCounts",
    ratings: "Ratings",
    page: Path | None,
    lines: "Sequence[Standing]" = (),
    faults: "Sequence[Fault]" = (),
    more: Mapping[str, str] | None = None,
    kept: "FromStore | None" = None,
) -> None:
    from outflank.arena.ratings import cross_table as crossed
    from outflank.facts import cross_table_facts, ratings_facts

    _warn(ratings)
    facts: dict[str, Any] = ratings_facts(ratings) | cross_table_facts(crossed(results))
    if lines:
        facts |= {"standings": [asdict(line) for line in lines], "faults": [fault.facts() for fault in faults]}
    facts |= {key.replace(" ", "_"): value for key, value in (more or {}).items()}
    facts |= kept.facts() if kept else {}
    print(json.dumps(facts | ({"report": str(page)} if page else {})))


def _print_results(
    results: "ResultCounts",
    ratings: "Ratings",
    page: Path | None,
    tables: "Sequence[Table]" = (),
    facts: Mapping[str, str] | None = None,
    kept: "FromStore | None" = None,
) -> None:
    from outflank.arena.ratings import tallies
    from outflank.report.arena import cross_table, ratings_table
    from outflank.report.names import numbered
    from outflank.report.terminal import show

    _warn(ratings)
    names = numbered([line.player for line in ratings.lines])
    shown = [ratings_table(ratings, names), cross_table(tallies(results), names)] if names else []
    show([*tables, *shown])
    if kept:
        print(kept)
    for what, words in (facts or {}).items():
        print(f"{what}: {words}")
    if page:
        print(f"report: {page}")
