"""`outflank match`: play two agents against each other, live."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outflank.arena.match import MatchResult, Scoreboard
    from outflank.arena.schedule import Slot
    from outflank.arena.stats import Sprt
    from outflank.game import GameRecord

_REFRESH_SECONDS = 0.5


def register(commands: Any) -> None:
    """Adds the commands to the parser."""
    match = commands.add_parser("match", help="play two agents against each other", description=_MATCH)
    match.add_argument("a", metavar="A", help='an agent such as "minimax(depth=4)"')
    match.add_argument("b", metavar="B", help='an agent such as "uct(playouts=1000)"')
    match.add_argument("--games", type=int, default=100, metavar="N", help="games in all, in pairs (default 100)")
    match.add_argument("--size", type=int, default=8, metavar="N", help="board size (default 8)")
    match.add_argument("--variant", default="standard", help="standard (default) or reversed")
    match.add_argument(
        "--openings",
        default="random(6)",
        metavar="O",
        help="start, random(k), ply(k), balanced(k) or a file (random(6))",
    )
    match.add_argument("--limit", default="", metavar="L", help="for every move, such as nodes=1000,seconds=0.1")
    match.add_argument(
        "--clock", default="", metavar="SECONDS[+INC]", help="time for a game, with an increment per move"
    )
    match.add_argument(
        "--adjudicate", type=int, default=0, metavar="E", help="let the solver end games at E empty squares"
    )
    match.add_argument("--workers", type=int, metavar="W", help="worker processes (default: one a core)")
    match.add_argument("--seed", type=int, default=0, metavar="S", help="seed of openings and games")
    match.add_argument("--store", default="outflank.db", metavar="FILE", help="where games are kept (outflank.db)")
    match.add_argument("--sprt", metavar="E0,E1", help="stop when it is clear that A is E1 or not even E0 Elo better")
    match.add_argument("--details", action="store_true", help="also keep time, nodes and value of every move")
    match.add_argument("--quiet", action="store_true", help="no live table")
    match.add_argument("--json", action="store_true", help="print one JSON object")
    match.set_defaults(run=run_match)


_MATCH = (
    "Play pairs of games: one opening, colours swapped. Every finished game is stored at once, and the same command "
    "continues where it stopped. All numbers are seen by A."
)


def run_match(args: argparse.Namespace) -> None:
    """Plays what is missing of a match and prints its result."""
    from outflank.agents import agent
    from outflank.arena.match import scoreboard
    from outflank.arena.runner import run_plan
    from outflank.arena.schedule import Conditions, plan_match
    from outflank.arena.store import Store
    from outflank.arena.tournament import read_limits
    from outflank.board import Rules
    from outflank.execute import Processes
    from outflank.formats import transcript

    texts = [agent(text).text for text in (args.a, args.b)]
    conditions = Conditions(read_limits(args.limit), _read_clock(args.clock), args.adjudicate, args.seed)
    plan = plan_match(texts[0], texts[1], Rules(args.size, args.variant), args.games, args.openings, conditions)
    for warning in plan.warnings():
        print(f"outflank: warning: {warning}", file=sys.stderr)
    sprt = _read_sprt(args.sprt)
    with Store(args.store) as store:
        board = scoreboard(plan, store, sprt)
        with _live(args, board) as refresh:

            def on_game(slot: "Slot", record: "GameRecord") -> bool:
                moves = transcript(record.moves, slot.rules, passes=True)
                board.add(slot, record.points, record.discs, record.termination.value, moves)
                refresh()
                return board.undecided

            if board.undecided:
                run_plan(plan, store, Processes(args.workers), on_game, args.details)
    print(json.dumps(board.result().facts()) if args.json else _report(args, board.result()))


def _read_clock(text: str) -> Any:
    from outflank.errors import BadSpec
    from outflank.game import TimeControl

    if not text:
        return TimeControl()
    seconds, _, increment = text.partition("+")
    try:
        return TimeControl(game_seconds=float(seconds), increment=float(increment or 0))
    except ValueError as error:
        raise BadSpec(f"clock {text!r} is not possible ({error}); expected seconds such as 60 or 60+0.5") from None


def _read_sprt(text: str | None) -> "Sprt | None":
    from outflank.arena.stats import Sprt
    from outflank.errors import BadSpec

    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise BadSpec(f"--sprt {text!r} is not two numbers; expected for example 0,10") from None
    return Sprt(low, high)


@contextmanager
def _live(args: argparse.Namespace, board: "Scoreboard") -> Iterator[Callable[[], None]]:
    """A table on stderr, renewed twice a second while the match runs; nothing when nobody watches."""
    if args.quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.live import Live

    first = board.result()
    began = shown = time.monotonic()
    with Live(_live_table(args, first, 0.0, 0), console=Console(stderr=True), auto_refresh=False) as live:

        def refresh() -> None:
            nonlocal shown
            now = time.monotonic()
            if now - shown > _REFRESH_SECONDS:
                shown, result = now, board.result()
                live.update(
                    _live_table(args, result, now - began, result.tally.games - first.tally.games), refresh=True
                )

        yield refresh


def _live_table(args: argparse.Namespace, result: "MatchResult", seconds: float, played: int) -> Any:
    from rich.table import Table

    table = Table(title=f"A: {args.a}\nB: {args.b}", title_justify="left", show_header=False)
    rate = played / seconds if seconds else 0.0
    left = (result.planned - result.tally.games) / rate if rate else 0.0
    table.add_row("games", f"{result.tally.games} of {result.planned}, {rate:.1f}/s, {left:.0f} s left")
    for name, value in _lines(result):
        table.add_row(name, value)
    return table


def _lines(result: "MatchResult") -> list[tuple[str, str]]:
    games = result.tally
    lines = [
        ("A wins, draws, losses", f"{games.wins}, {games.draws}, {games.losses}"),
        ("pairs of A, 0 to 2 points", ", ".join(map(str, games.pairs))),
        ("score of A", f"{result.score:.3f}"),
        ("Elo, A relative to B", f"{result.elo:+.1f}"),
        ("discs, A minus B", f"{result.margin:+.1f}"),
        ("different openings, games", f"{result.distinct_openings}, {result.distinct_games}"),
        ("endings", ", ".join(f"{name} {number}" for name, number in result.terminations.items()) or "none"),
    ]
    if result.sprt is not None and result.llr is not None:
        test = result.sprt
        words = {"H1": "A is better", "H0": "A is not better", "continue": "undecided"}[result.verdict or "continue"]
        lines.append(
            (
                f"SPRT {test.elo0:g} to {test.elo1:g} nElo",
                f"{result.llr:+.2f} in {test.lower:.2f} to {test.upper:.2f}: {words}",
            )
        )
    return lines


def _report(args: argparse.Namespace, result: "MatchResult") -> str:
    lines = [("A", args.a), ("B", args.b), ("games", f"{result.tally.games} of {result.planned}"), *_lines(result)]
    wide = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:<{wide}}  {value}" for name, value in lines)
