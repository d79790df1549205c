"""Carries studies out: plays what is missing, compares, and writes the report with its numbers beside it.

`outflank reproduce` does this with the papers' studies, `outflank study` with one of a person's own.
"""

import csv
import json
import math
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from outflank.arena.runner import behaviour_warnings
from outflank.arena.store import FromStore, Store
from outflank.errors import BadSpec
from outflank.execute import Executor
from outflank.game import Game
from outflank.inputs import put_file
from outflank.progress import Progress
from outflank.report.write import check, write
from outflank.schema import suggestion
from outflank.studies.compare import Comparison, compare, count, facts_of
from outflank.studies.document import documents
from outflank.studies.findings import StudyFindings, findings_of, headline, warnings_of
from outflank.studies.games import game_pages
from outflank.studies.provenance import provenance_facts
from outflank.studies.results import Views
from outflank.studies.run import plan_of, play, read_scale, results_of, seconds_left, take_timings, views_of
from outflank.studies.study import Study


@dataclass(frozen=True)
class Reproduction:
    """What was found, study by study, and the page that shows it."""

    scale: str
    studies: Sequence[StudyFindings]
    page: Path
    warnings: Sequence[str]
    games: FromStore
    endings: Mapping[str, int]
    """How its games ended."""

    def facts(self) -> dict[str, Any]:
        """Everything as plain values: what `summary.json` holds."""
        return {
            "scale": self.scale,
            "numbers": count(comparison.verdict for one in self.studies for comparison in one.comparisons),
            "claims": count(judgement.outcome for one in self.studies for judgement in one.judgements),
            "headline": headline(self.studies),
            "studies": [
                facts_of(one.study, one.comparisons, one.tables, one.readings, one.judgements) for one in self.studies
            ],
        }


def run_studies(
    studies: Sequence[Study],
    scale: str,
    out: Path,
    executor: Executor,
    progress: Progress | None = None,
    command: str = "",
) -> Reproduction:
    """Plays what the directory `out` lacks of the studies' games and writes everything there.

    Ctrl-C and the same call continue. `command` is what the report says it was made by.
    """
    factor, progress = read_scale(scale), progress or Progress()
    plan = plan_of(studies, factor)
    check(out)
    out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with Store(out / "games.db") as store:
        warnings = behaviour_warnings(plan, store)
        keys = {slot.key for slot in plan.slots()}
        done = keys & store.done()
        kept = _kept(keys, done, store, progress)
        if seconds := seconds_left(studies, factor, done):
            progress.say(f"about {math.ceil(seconds / 60)} min of one core")
        play(studies, factor, store, executor, progress.advance)
        played = time.monotonic() - began
        timings = take_timings(studies, factor, out / "timings.json", lambda name: progress.say(f"timing {name}"))
        progress.say("comparing and writing the report")
        games = views_of(store, keys)
    found = [_found(study, factor, games, timings) for study in studies]
    provenance = {
        "Command": command,
        "Games": f"{len(games):,}, with those of wrong agents and of other readings, kept in games.db",
        "Games made by": _makers(black.game for black, _ in games.values()),
        "Seconds": f"{time.monotonic() - began:.0f} for this run, {played:.0f} of them playing",
    }
    whole, pages = documents(found, {name: text for name, text in provenance.items() if text})
    page = write(whole, out, {**pages, **game_pages(found)})
    endings = Counter(str(black.game.termination) for black, _ in games.values())
    report = Reproduction(scale, found, page, [*warnings, *warnings_of(found, factor)], kept, endings)
    for one in found:
        put_file(out / "games" / f"{one.study.name}.json", json.dumps(provenance_facts(one), indent=1).encode())
    (out / "summary.json").write_text(json.dumps(report.facts(), indent=1), encoding="utf-8")
    _write_numbers(found, out / "numbers.csv")
    return report


def cell_of(study: Study, place: str, games: int) -> Study:
    """The study of one printed number: its pairings alone, each with so many games.

    >>> from outflank.studies import named_study
    >>> part = cell_of(named_study("phan-synytsia"), "Table 9/8x8, depth 3/iterations 10", 1000)
    >>> [(pairing.name, pairing.games) for pairing in part.pairings]
    [('8x8, depth 3, iterations 10', 1000)]
    """
    places = {f"{cell.table}/{cell.row}/{cell.column}": cell for cell in study.printed}
    if place not in places:
        example = next(iter(places), "Table/row/column")
        hint = suggestion(place, places)
        raise BadSpec(
            f"{study.name} has no printed number {place!r}{hint}; expected table/row/column such as {example}"
        )
    cell = places[place]
    table = next(table for table in study.paper_tables if table.table == cell.table)
    behind = table.behind(cell).pairings
    pairings = [replace(pairing, games=games) for pairing in study.pairings if pairing.name in behind]
    if not pairings:
        raise BadSpec(f"{place} of {study.name} is a measurement of speed; expected a number that games give")
    return replace(
        study,
        pairings=tuple(pairings),
        printed=(cell,),
        claims=(),
        swaps=(),
        readings=(),
        timings=(),
        paper_tables=(table,),
    )


def run_cell(
    study: Study, out: Path, executor: Executor, progress: Progress | None = None
) -> tuple[Comparison, FromStore]:
    """Plays what the directory `out` lacks of the games of one printed number (`cell_of`), and compares it."""
    progress, plan = progress or Progress(), plan_of([study], 1.0)
    out.mkdir(parents=True, exist_ok=True)
    with Store(out / "games.db") as store:
        keys = {slot.key for slot in plan.slots()}
        kept = _kept(keys, keys & store.done(), store, progress)
        play([study], 1.0, store, executor, progress.advance)
        games = views_of(store, keys)
    return compare(study, results_of(study, 1.0, games, {}))[0], kept


def _kept(keys: Set[str], done: Set[str], store: Store, progress: Progress) -> FromStore:
    """Announces the games planned under the keys, some of which are done."""
    progress.plan(len(keys), len(done))
    return FromStore(store.path, len(keys), len(done), len(keys) - len(done))


def _found(
    study: Study, scale: str | float, games: Mapping[str, Views], timings: Mapping[str, list[float]]
) -> StudyFindings:
    return findings_of(study, lambda one: results_of(one, scale, games, timings))


def _makers(games: Iterable[Game]) -> str:
    """What made the games, which may be older than what writes of them: one a line, with the number of its games."""
    made = Counter(game.tags["made"] for game in games)
    return "\n".join(f"{maker} ({number:,} games)" for maker, number in made.most_common())


def _write_numbers(found: Sequence[StudyFindings], path: Path) -> None:
    """Every printed number with ours and its verdict, one a line."""
    rows = [{"study": one.study.name} | comparison.facts() for one in found for comparison in one.comparisons]
    if not rows:
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
