"""`outflank tune`: better numbers for an agent, found by games and confirmed on fresh openings."""

import argparse
import json
from typing import Any

from outflank.interfaces.cli.common import add_executor_options, add_quiet_option, command_line, executor, progress

_TUNE = (
    "Tune numbers of an agent by games: weights, tables of squares, constants, whatever its text has. A match on fresh "
    "openings decides whether anything was gained. Stopped or killed at any time, the same command continues and ends "
    "with the same result. docs/learning.md explains the methods."
)
_OVER = (
    'what is tuned, and how far: "mobility=0..60, squares[b2]=-100..0, c=log 0.1..5.0", or a TOML file with a line '
    "for each; whole numbers where both ends are written so"
)


def register(commands: Any) -> None:
    """Adds the command to the parser."""
    command = commands.add_parser("tune", help="better numbers for an agent, by games", description=_TUNE)
    command.add_argument("agent", metavar="AGENT", help="where to start, and whom the answer has to beat")
    command.add_argument("--over", required=True, metavar="RANGES", help=_OVER)
    command.add_argument("--out", required=True, metavar="DIR", help="where games, card and report go")
    command.add_argument("--rules", default="standard 8x8", metavar="RULES", help='such as "reversed 6x6"')
    command.add_argument("--method", default="spsa", metavar="M", help="spsa, cmaes, genetic or random (spsa)")
    command.add_argument("--games", type=int, default=10_000, metavar="N", help="games of tuning (10,000)")
    command.add_argument("--confirm", type=int, default=2000, metavar="N", help="games of a deciding match (2,000)")
    command.add_argument("--curve", type=int, default=0, metavar="N", help="games of each of ten points of a curve (0)")
    command.add_argument("--anchors", type=int, default=0, metavar="N", help="games against fixed opponents (0)")
    command.add_argument("--control", action="store_true", help="also a random search with as many games")
    command.add_argument("--openings", default="random(8)", metavar="O", help="as for outflank match (random(8))")
    command.add_argument("--seed", type=int, default=0, metavar="S", help="seed of tuner, games and openings")
    add_executor_options(command)
    add_quiet_option(command)
    command.add_argument("--json", action="store_true", help="print the card as one JSON object")
    command.set_defaults(run=run_tune, resumes=True)


def run_tune(args: argparse.Namespace) -> None:
    """Tunes, and says what was gained."""
    from dataclasses import fields

    from outflank.board import Rules
    from outflank.execute import Here
    from outflank.learn import tuning
    from outflank.report.terminal import show
    from outflank.report.tuning import numbers_table, tuning_document, verdict_table
    from outflank.report.write import check, write

    given = {known.name: getattr(args, known.name) for known in fields(tuning.Plan) if known.name != "rules"}
    plan = tuning.Plan(rules=Rules.parse(args.rules), **given)
    where = Here() if args.workers == 1 else executor(args)
    check(f"{args.out}/report")
    with progress("tune", args.quiet) as shown_to:
        found = tuning.run(plan, args.out, where, shown_to)
    page = write(tuning_document(found, {"command": command_line()}), f"{args.out}/report")
    if args.json:
        print(json.dumps(found.card() | {"report": str(page)}))
        return
    show([numbers_table(found), verdict_table(found.verdicts)])
    print(f"tuned agent: {found.agent}\nreport: {page}")
