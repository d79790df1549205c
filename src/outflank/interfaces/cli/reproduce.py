"""`outflank reproduce`: play the papers' experiments and set our numbers beside the printed ones."""

import argparse
import csv
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank.interfaces.cli.common import add_executor_options, executor, progress

if TYPE_CHECKING:
    from outflank.studies.document import Reproduced
    from outflank.studies.study import Study

_DESCRIPTION = (
    "Replay the experiments of five papers, compare every printed number, and write a report. Finished games are kept "
    "and never replayed: Ctrl-C and the same command continue, also at a larger scale."
)


def register(commands: Any) -> None:
    """Adds the command to the parser."""
    reproduce = commands.add_parser("reproduce", help="replay the papers' experiments", description=_DESCRIPTION)
    reproduce.add_argument(
        "studies",
        nargs="*",
        metavar="STUDY",
        help="phan-synytsia, he-lin, he-lin-seconds, flat-montecarlo, he-reversed, tenshi, future-work, or a file "
        "of your own ending in .toml (default: the five papers and their future work)",
    )
    reproduce.add_argument(
        "--scale", default="quick", metavar="S", help="quick (default), paper, or a factor on its games"
    )
    reproduce.add_argument(
        "--out", default="reproduction", metavar="DIR", help="where report and games go (reproduction)"
    )
    add_executor_options(reproduce)
    reproduce.add_argument("--quiet", action="store_true", help="no progress bar")
    reproduce.add_argument("--json", action="store_true", help="print one JSON object")
    reproduce.set_defaults(run=run_reproduce, resumes=True)


def run_reproduce(args: argparse.Namespace) -> None:
    """Plays what is missing, compares, and writes the report."""
    from outflank.arena.store import Store
    from outflank.report.write import check, write
    from outflank.studies import FUTURE_WORK, PAPERS, study
    from outflank.studies.document import document, warnings_of
    from outflank.studies.run import plan_of, play, read_scale, take_timings

    scale = read_scale(args.scale)
    studies = [study(name) for name in args.studies or (*PAPERS, FUTURE_WORK)]
    out = Path(args.out)
    check(out)
    out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with Store(out / "games.db") as store:
        keys = {slot.key for slot in plan_of(studies, scale).slots()}
        with progress(args.quiet, len(keys), len(keys & store.done())) as (advance, say):
            play(studies, scale, store, executor(args), advance)
            played = time.monotonic() - began
            timings = take_timings(studies, scale, out / "timings.json", say)
        games = {game.key: game for game in store.games() if game.key in keys}
    found = _reproduced(studies, scale, games, timings)
    seconds = time.monotonic() - began
    provenance = {
        "Command": " ".join(["outflank", *sys.argv[1:]]),
        "Games": f"{len(games):,}, kept in games.db",
        "Seconds": f"{seconds:.0f} for this run, {played:.0f} of them playing",
    }
    page = write(document(found, provenance), out)
    summary = _summary(found, args.scale)
    (out / "summary.json").write_text(json.dumps(summary, indent=1), encoding="utf-8")
    _write_numbers(found, out / "numbers.csv")
    for warning in warnings_of(found, scale):
        print(f"outflank: warning: {warning}", file=sys.stderr)
    if args.json:
        print(json.dumps({"report": str(page), **summary}))
    else:
        _print_summary(found, page)


def _reproduced(studies: "Sequence[Study]", scale: Any, games: Any, timings: Any) -> "list[Reproduced]":
    from outflank.studies.document import reproduced
    from outflank.studies.run import results_of

    return [reproduced(study, results_of(study, scale, games, timings)) for study in studies]


def _summary(found: "list[Reproduced]", scale: str) -> dict[str, Any]:
    from outflank.studies.compare import count, facts_of

    return {
        "scale": scale,
        "numbers": count(comparison.verdict for one in found for comparison in one.comparisons),
        "claims": count(judgement.outcome for one in found for judgement in one.judgements),
        "studies": [facts_of(one.study, one.comparisons, one.judgements) for one in found],
    }


def _write_numbers(found: "list[Reproduced]", path: Path) -> None:
    """Every printed number with ours and its verdict, one a line."""
    rows = [{"study": one.study.name} | comparison.facts() for one in found for comparison in one.comparisons]
    if not rows:
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _print_summary(found: "list[Reproduced]", page: Path) -> None:
    from outflank.report.terminal import show
    from outflank.studies.document import summary_table

    show([summary_table(found)])
    for one in found:
        for judgement in one.judgements:
            if judgement.outcome != "holds":
                print(f"{one.study.name}: {judgement.claim.text}: {judgement.outcome} ({judgement.finding.evidence})")
    print(f"\nreport: {page}")
