"""`outflank match`: play two agents against each other, live."""

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from outflank.interfaces.cli.common import (
    add_executor_options,
    add_json_option,
    add_limits,
    add_quiet_option,
    add_variant_option,
    end_where_nothing_was_played,
    executor,
    limits_of,
)
from outflank.interfaces.cli.live import live_table
from outflank.interfaces.cli.report import add_report_option, check_report, sandbox_facts, write_report
from outflank.interfaces.cli.watch import add_live_options, check_live, show_live, stay_live

if TYPE_CHECKING:
    from outflank.arena.match import MatchResult
    from outflank.arena.schedule import Slot
    from outflank.game import Game


def register(commands: Any) -> None:
    """Adds the commands to the parser."""
    match = commands.add_parser("match", help="play two agents against each other", description=_MATCH)
    match.add_argument("a", metavar="A", help='an agent such as "minimax(depth=4)"')
    match.add_argument("b", metavar="B", help='an agent such as "uct(playouts=1000)"')
    match.add_argument("--games", type=int, default=100, metavar="N", help="games in all, in pairs (default 100)")
    match.add_argument("--size", type=int, default=8, metavar="N", help="board size (default 8)")
    add_variant_option(match)
    match.add_argument(
        "--openings",
        default="random(6)",
        metavar="O",
        help="start, random(k), ply(k), balanced(k) or a file (random(6))",
    )
    add_limits(match)
    match.add_argument(
        "--adjudicate", type=int, default=0, metavar="E", help="let the solver end games at E empty squares"
    )
    _add_clock_options(match)
    add_executor_options(match)
    match.add_argument("--seed", type=int, default=0, metavar="S", help="seed of openings and games")
    match.add_argument("--store", default="outflank.db", metavar="FILE", help="where games are kept (outflank.db)")
    match.add_argument(
        "--sprt",
        metavar="TEST",
        help="stop when it is clear whether A is rather E1 or E0 better than B: normalized(E0, E1) in normalised Elo, "
        "logistic(E0, E1) in Elo or bayesian(E0, E1) in BayesElo; E0,E1 alone is normalized(E0, E1)",
    )
    match.add_argument("--details", action="store_true", help="also keep time, nodes and value of every move")
    add_quiet_option(match)
    add_live_options(match)
    add_report_option(match)
    add_json_option(match)
    match.set_defaults(run=run_match, resumes=True)


def _add_clock_options(match: argparse.ArgumentParser) -> None:
    match.add_argument("--clock", metavar="SECONDS[+INC]", help="time for a game, with an increment per move")
    match.add_argument("--move-seconds", type=float, metavar="SECONDS", help="time for a move; who oversteps it loses")
    match.add_argument(
        "--stop-after", type=float, metavar="SECONDS", help="stop a game when its clock shows more after a move"
    )
    match.add_argument(
        "--stop-clock", choices=("player_total", "game_total", "move"), help="which clock (default player_total)"
    )
    match.add_argument("--stop-rule", choices=("majority", "exceeder_loses"), help="who then wins (default majority)")


_MATCH = (
    "Play pairs of games: one opening, colours swapped. Every finished game is stored at once, and the same command "
    "continues where it stopped. All numbers are from A's view."
)


def run_match(args: argparse.Namespace) -> None:
    """Plays what is missing of a match and prints its result."""
    from outflank.agents import identity
    from outflank.agents.names import short_names
    from outflank.arena.match import scoreboard
    from outflank.arena.runner import behaviour_warnings, run_plan
    from outflank.arena.schedule import Conditions, plan_match
    from outflank.arena.statistics.sprt import Sprt
    from outflank.arena.store import FromStore, Store
    from outflank.arena.tournament import read_control
    from outflank.board import Rules
    from outflank.facts import match_facts
    from outflank.report.live import Event
    from outflank.report.lost import faults_of, faults_table
    from outflank.report.terminal import show

    check_report(args)
    check_live(args)
    sprt = None if args.sprt is None else Sprt.parse(args.sprt)
    texts = [identity(text) for text in (args.a, args.b)]
    conditions = Conditions(limits_of(args), read_control(vars(args)), args.adjudicate, args.seed)
    plan = plan_match(texts[0], texts[1], Rules(args.size, args.variant), args.games, args.openings, conditions)
    with Store(args.store) as store:
        for warning in (*plan.warnings(), *behaviour_warnings(plan, store)):
            print(f"outflank: warning: {warning}", file=sys.stderr)
        show_live(args, Event(" – ".join(short_names(texts).values()), store.path, plan=plan, sprt=sprt))
        board = scoreboard(plan, store, sprt)
        found = board.result().tally.games
        with live_table(args, board) as refresh:

            def on_game(slot: "Slot", game: "Game") -> bool:
                board.add_game(slot, game)
                refresh()
                return board.undecided

            if board.undecided:
                run_plan(plan, store, executor(args), on_game, args.details)
        result = board.result()
        kept = FromStore(store.path, plan.games, found, result.tally.games - found)
        keys = {slot.key for slot in plan.slots()} if args.report else None
        faults, held = faults_of(store, [plan]), sandbox_facts(texts)
        names = short_names(texts)
        tables = [faults_table(faults, names)] if faults else []
        title = " against ".join(names[text] for text in texts)
        page = write_report(args, title, store, keys, match=result, tables=tables, facts=held)
    if args.json:
        facts = match_facts(result) | kept.facts() | {"faults": [fault.facts() for fault in faults]}
        facts |= {key.replace(" ", "_"): value for key, value in held.items()}
        print(json.dumps(facts | ({"report": str(page)} if page else {})))
    else:
        print(_report(args, result))
        if tables:
            print()
            show(tables)
        told = [f"{what}: {words}" for what, words in held.items()] + ([f"report: {page}"] if page else [])
        print("\n".join(["", str(kept), *told]))
    stay_live(args)
    end_where_nothing_was_played(result.terminations)


def _report(args: argparse.Namespace, result: "MatchResult") -> str:
    from outflank.render import text_table

    return text_table([*zip(result.names, (args.a, args.b), strict=True), *result.lines()])
