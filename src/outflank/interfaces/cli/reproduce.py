"""`outflank reproduce` and `outflank study`: carry studies out, the papers' or one's own, and write their report."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank.errors import require
from outflank.interfaces.cli.common import add_executor_options, add_quiet_option, command_line, executor, progress

if TYPE_CHECKING:
    from outflank.studies.reproduction import Reproduction
    from outflank.studies.study import Study

_REPRODUCE = (
    "Replay the experiments of five papers, compare every printed number, and write a report. Finished games are kept "
    "and never replayed: Ctrl-C and the same command continue, also at a larger scale."
)
_STUDY = (
    "Carry out a study of your own: a TOML file that says which agents play each other and what is expected; "
    "docs/writing-a-study.md explains it. Ctrl-C and the same command continue, also at a larger scale."
)


def register(commands: Any) -> None:
    """Adds the commands to the parser."""
    reproduce = commands.add_parser("reproduce", help="replay the papers' experiments", description=_REPRODUCE)
    reproduce.add_argument(
        "studies",
        nargs="*",
        metavar="NAME",
        help="phan-synytsia, he-lin, he-lin-seconds, flat-montecarlo, he-reversed, tenshi, future-work (default: all "
        "but he-lin-seconds)",
    )
    _add_options(reproduce, "reproduction", "reproduction")
    reproduce.set_defaults(run=run_reproduce, resumes=True)

    study = commands.add_parser("study", help="carry out a study of your own", description=_STUDY)
    study.add_argument("file", metavar="FILE.toml", help="the study")
    _add_options(study, None, "the name of the file without .toml")
    study.set_defaults(run=run_study, resumes=True)


def _add_options(command: argparse.ArgumentParser, out: str | None, out_text: str) -> None:
    command.add_argument(
        "--scale",
        default="quick",
        metavar="S",
        help="quick (default; minutes), paper (all games of the papers), large (400 games a cell where a game takes "
        "less than a second), or a factor on the papers' games",
    )
    command.add_argument("--out", default=out, metavar="DIR", help=f"where report and games go ({out_text})")
    add_executor_options(command)
    add_quiet_option(command)
    command.add_argument("--json", action="store_true", help="print one JSON object")


def run_reproduce(args: argparse.Namespace) -> None:
    """Carries the papers' studies out."""
    _require_extras()
    from outflank.studies import FUTURE_WORK, PAPERS, named_study

    studies = [named_study(name) for name in args.studies or (*PAPERS, FUTURE_WORK)]
    _run(args, "reproduce", studies, Path(args.out))


def run_study(args: argparse.Namespace) -> None:
    """Carries a person's own study out."""
    _require_extras()
    from outflank.studies.toml import read_study

    file = Path(args.file)
    _run(args, "study", [read_study(file)], Path(args.out or file.stem))


def _require_extras() -> None:
    require("scipy", "statistics of studies need scipy", "report")
    require("matplotlib", "pictures need matplotlib", "report")


def _run(args: argparse.Namespace, command: str, studies: "Sequence[Study]", out: Path) -> None:
    from outflank.studies.reproduction import run_studies

    with progress(command, args.quiet) as shown:
        done = run_studies(studies, args.scale, out, executor(args), shown, command_line())
    for warning in done.warnings:
        print(f"outflank: warning: {warning}", file=sys.stderr)
    if args.json:
        print(json.dumps({"report": str(done.page), **done.facts()}))
    else:
        _print_summary(done)


def _print_summary(done: "Reproduction") -> None:
    from outflank.report.terminal import show
    from outflank.studies.document import summary_table

    show([summary_table(done.studies)])
    for one in done.studies:
        for judgement in one.judgements:
            if judgement.outcome != "holds":
                print(f"{one.study.name}: {judgement.claim.text}: {judgement.outcome} ({judgement.evidence})")
    print(f"\nreport: {done.page}")
