"""`outflank label`: positions of games with values and policies, for whoever learns from them."""

import argparse
import json
from typing import Any

from outflank.interfaces.cli.common import add_executor_options, add_json_option, add_quiet_option, executor, progress

_LABEL = (
    "Judge every position of files of games: its value, exact where the judge proves it, the worth of every move and a "
    "policy, into a directory of .npz or .parquet files. The same command continues where it stopped, and the files "
    "are the same on any number of workers. docs/arrays.md says what is in them."
)


def register(commands: Any) -> None:
    """Adds the command to the parser."""
    label = commands.add_parser("label", help="values and policies of positions", description=_LABEL)
    label.add_argument("files", nargs="+", metavar="GAMES", help="files of outflank selfplay, or of games of any kind")
    label.add_argument("--out", required=True, metavar="DIR", help="where the labels go")
    label.add_argument("--rules", metavar="RULES", help="of the games (what the card of the first file says)")
    label.add_argument("--agent", metavar="AGENT", help="who judges (engine(depth=8, memory=1) where it is trained)")
    label.add_argument("--form", choices=("npz", "parquet"), default="npz", help="of the files (npz)")
    label.add_argument("--every", type=int, default=1, metavar="N", help="keep every so manyth position (1)")
    label.add_argument("--positions", type=int, metavar="N", help="judge so many at most, drawn by lot")
    label.add_argument(
        "--temperature", type=float, default=1.0, metavar="T", help="discs over which policies spread (1); 0: best only"
    )
    label.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the choice and of the judge")
    add_executor_options(label)
    add_quiet_option(label)
    add_json_option(label)
    label.set_defaults(run=run_label, resumes=True)


def run_label(args: argparse.Namespace) -> None:
    """Judges positions into a directory."""
    from outflank.board import Rules
    from outflank.inputs import file_name, open_file
    from outflank.learn.labels import Labelling, check_form, default_judge, gathered, write_labels
    from outflank.learn.selfplay import read_card

    check_form(args.form)
    workers = executor(args)
    files = [file_name(name) for name in args.files]
    for file in files:
        open_file(file).close()  # what cannot be read is told before anything is done
    rules = Rules.parse(args.rules or read_card(files[0]).get("rules") or "standard 8x8")
    boards = gathered(files, rules, args.every, args.positions, args.seed)
    plan = Labelling(rules, args.agent or default_judge(rules), *boards, args.temperature, args.seed)
    with progress("label", args.quiet) as shown_to:
        judged = write_labels(plan, args.out, workers, args.form, shown_to)
    if args.json:
        print(json.dumps({**plan.card(), "judged": judged, "directory": args.out, "form": args.form}))
    else:
        count = len(plan.own)
        print(f"{args.out}: {count:,} positions of {rules}, judged by {plan.agent}, {judged:,} of them now")
