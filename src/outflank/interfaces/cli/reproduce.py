"""`outflank reproduce` and `outflank study`: carry studies out, the papers' or one's own, and write their report."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank.errors import BadSpec, require
from outflank.interfaces.cli.common import (
    add_executor_options,
    add_json_option,
    add_quiet_option,
    command_line,
    end_where_nothing_was_played,
    executor,
    progress,
)

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
        help="phan-synytsia, he-lin, he-lin-seconds, flat-montecarlo, he-reversed, tenshi, future-work, and beyond the "
        "five papers othello-league and twelve (default: all but he-lin-seconds and the last two)",
    )
    reproduce.add_argument("--study", metavar="NAME", help="with --cell: the study of the printed number")
    reproduce.add_argument(
        "--cell",
        metavar="TABLE/ROW/COLUMN",
        help='play one printed number, such as "Table 9/8x8, depth 3/iterations 10"',
    )
    reproduce.add_argument("--games", type=int, metavar="N", help="with --cell: games of every pairing behind it (400)")
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
    add_json_option(command)


def run_reproduce(args: argparse.Namespace) -> None:
    """Carries the papers' studies out."""
    _require_extras()
    from outflank.studies import FUTURE_WORK, PAPERS, named_study

    if args.cell is not None or args.study is not None or args.games is not None:
        _run_cell(args)
        return
    studies = [named_study(name) for name in args.studies or (*PAPERS, FUTURE_WORK)]
    _run(args, "reproduce", studies, Path(args.out))


def _run_cell(args: argparse.Namespace) -> None:
    """Plays one printed number and prints what it says."""
    from outflank.studies import named_study
    from outflank.studies.reproduction import cell_of, run_cell
    from outflank.studies.words import band, number, with_interval

    if args.cell is None or args.study is None or args.studies:
        raise BadSpec("a printed number needs its study; expected --study NAME --cell TABLE/ROW/COLUMN, nothing else")
    games = 400 if args.games is None else args.games
    if games < 1:
        raise BadSpec(f"--games {games} is not possible; expected 1 or more")
    study = cell_of(named_study(args.study), args.cell, games)
    with progress("reproduce", args.quiet) as shown:
        found, kept = run_cell(study, Path(args.out), executor(args), shown)
    pairings = [pairing.name for pairing in study.pairings]
    if args.json:
        print(json.dumps({"study": study.name, "pairings": pairings, **found.facts(), **kept.facts()}))
        return
    assert found.ours is not None, "its games were just played"
    printed, unit = found.printed, found.printed.unit
    print(f"{args.cell} of {args.study}, line {printed.line}: {found.verdict}")
    print(f"ours {with_interval(found.ours)} of {found.ours.games:,} games, printed {number(printed.value, unit)}")
    if found.accepted:
        print(f"would have been accepted: {band(*found.accepted, unit)}")
    print(kept)


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
        print(json.dumps({"report": str(done.page), **done.facts(), **done.games.facts()}))
    else:
        _print_summary(done)
    end_where_nothing_was_played(done.endings)


def _print_summary(done: "Reproduction") -> None:
    from outflank.report.terminal import show
    from outflank.studies.document import summary_table

    show([summary_table(done.studies)])
    for one in done.studies:
        for judgement in one.judgements:
            if judgement.outcome != "holds":
                print(f"{one.study.name}: {judgement.claim.text}: {judgement.outcome} ({judgement.evidence})")
    print(f"\n{done.games}\nreport: {done.page}")
