"""Studies as a report: a summary first, then for each study its tables beside the printed ones, figures and "
"provenance."""

import platform
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from outflank import __version__
from outflank.report.document import Cell, Document, Part, Section, Table, Tone, Value
from outflank.studies.compare import Comparison, Judgement, compare, count, judge
from outflank.studies.results import Results
from outflank.studies.study import Study
from outflank.studies.words import number, with_interval

_TONES: dict[str, Tone] = {
    "agrees": "good",
    "differs": "bad",
    "not comparable": "",
    "not played": "muted",
    "holds": "good",
    "fails": "bad",
    "undecided": "warn",
}
_READING = (
    "Each cell has our value with its 95 % interval, then the printed value. ✓ agrees: a difference like this comes by "
    "chance in 5 % of cases or more, given the printed number of games and ours. ✗ differs. Times are on other "
    "hardware: × says how many times faster."
)


@dataclass(frozen=True)
class Reproduced:
    """A study with what its games say."""

    study: Study
    results: Results
    comparisons: Sequence[Comparison]
    judgements: Sequence[Judgement]


def reproduced(study: Study, results: Results) -> Reproduced:
    """Compares every number and judges every claim."""
    return Reproduced(study, results, compare(study, results), judge(study, results))


def document(found: Sequence[Reproduced], provenance: Mapping[str, str]) -> Document:
    """The whole report."""
    sections = [Section("Summary", [summary_table(found), *_overview(found)], "summary")]
    sections += [_section(one) for one in found]
    return Document("Reproducing the papers", _lead(found), sections, dict(_machine()) | dict(provenance))


def summary_table(found: Sequence[Reproduced]) -> Table:
    """One row a study: games, verdicts, claims, speed."""
    rows: list[list[Value]] = []
    for one in found:
        verdicts = count(comparison.verdict for comparison in one.comparisons)
        outcomes = count(judgement.outcome for judgement in one.judgements)
        speedups = [comparison.speedup for comparison in one.comparisons if comparison.speedup]
        rows.append(
            [
                one.study.title,
                len(one.results.games),
                distinct_games(one.results),
                *(verdicts.get(word, 0) for word in ("agrees", "differs", "not comparable")),
                *(outcomes.get(word, 0) for word in ("holds", "fails", "undecided")),
                f"×{statistics.median(speedups):,.0f}" if speedups else "–",
            ]
        )
    columns = ["study", "games", "different", "agree", "differ", "not comparable", "claims hold", "fail", "undecided"]
    return Table(
        [*columns, "faster, median"],
        rows,
        "Printed numbers and claims, study by study",
        "Printed numbers agree, differ, or are times on other hardware. Claims are the papers' conclusions.",
        "summary",
    )


def distinct_games(results: Results) -> int:
    """Games that differ in rules, opening or moves."""
    return len({(str(game.game.rules), game.game.opening, game.game.moves) for game in results.games})


def _lead(found: Sequence[Reproduced]) -> str:
    verdicts = count(comparison.verdict for one in found for comparison in one.comparisons)
    outcomes = count(judgement.outcome for one in found for judgement in one.judgements)
    judged = verdicts.get("agrees", 0) + verdicts.get("differs", 0)
    games = sum(len(one.results.games) for one in found)
    return (
        f"**{verdicts.get('agrees', 0)} of {judged} printed numbers agree** with {games:,} games played here; "
        f"{verdicts.get('not comparable', 0)} are times on other hardware. Of the papers' claims "
        f"**{outcomes.get('holds', 0)} hold**, {outcomes.get('fails', 0)} fail and {outcomes.get('undecided', 0)} are "
        f"left open by the games played. Verdicts follow one rule for all and are not set by hand."
    )


def _overview(found: Sequence[Reproduced]) -> list[Part]:
    rows: list[list[Value]] = [
        [one.study.name, judgement.claim.text, _toned(judgement.outcome), judgement.finding.evidence]
        for one in found
        for judgement in one.judgements
    ]
    return (
        [Table(["study", "claim", "outcome", "evidence"], rows, "What the papers concluded", name="claims")]
        if rows
        else []
    )


def _toned(word: str) -> Cell:
    return Cell(word, _TONES[word])


def _section(one: Reproduced) -> Section:
    study = one.study
    parts: list[Part] = [f"{study.citation}\n\n{study.summary}"]
    if study.claims:
        parts.append(_claims(one))
    if study.printed:
        parts.append(_READING)
    tables = {exhibit.table: exhibit for exhibit in study.exhibits}
    for name, exhibit in tables.items():
        cells = [comparison for comparison in one.comparisons if comparison.printed.table == name]
        if cells:
            parts.append(_exhibit(study.name, name, exhibit.title, cells))
    parts += [*study.tables(one.results), *study.figures(one.results)]
    if study.differences:
        parts.append(Section("Setting", ["\n".join(f"- {line}" for line in study.differences)]))
    parts.append(Section("Games", [_meetings(one)]))
    return Section(study.title, parts, study.name)


def _claims(one: Reproduced) -> Table:
    rows: list[list[Value]] = [
        [
            judgement.claim.text,
            judgement.claim.line,
            _toned(judgement.outcome),
            judgement.finding.evidence,
            judgement.reason,
        ]
        for judgement in one.judgements
    ]
    columns = ["claim", "line", "outcome", "evidence", "why, where it does not hold"]
    return Table(columns, rows, "Conclusions of the paper", name=f"{one.study.name} claims")


def _exhibit(study: str, name: str, title: str, cells: Sequence[Comparison]) -> Table:
    """A printed table with our numbers in its cells."""
    columns = list(dict.fromkeys(cell.printed.column for cell in cells))
    rows = list(dict.fromkeys(cell.printed.row for cell in cells))
    at = {(cell.printed.row, cell.printed.column): cell for cell in cells}
    body: list[list[Value]] = [[row, *(_compared(at.get((row, column))) for column in columns)] for row in rows]
    return Table(["", *columns], body, f"{name}: {title}", _note(cells), f"{study} {name}")


def _compared(comparison: Comparison | None) -> Value:
    if comparison is None:
        return None
    printed = number(comparison.printed.value, comparison.printed.unit)
    if comparison.ours is None:
        return Cell(f"– · {printed}", "muted")
    text = f"{with_interval(comparison.ours)} · {printed}"
    if comparison.speedup:
        text = f"{number(comparison.ours.value, comparison.printed.unit)} · {printed} ×{comparison.speedup:,.0f}"
    return Cell(text, _TONES[comparison.verdict], _hint(comparison))


def _hint(comparison: Comparison) -> str:
    printed, ours = comparison.printed, comparison.ours
    words = [comparison.verdict, f"line {printed.line}", f"{printed.games or 'unknown'} games in the paper"]
    if ours:
        words.append(f"{ours.games} here")
    if comparison.chance is not None:
        words.append(f"chance {comparison.chance:.3f}")
    return ", ".join(words)


def _note(cells: Sequence[Comparison]) -> str:
    games = sorted({cell.ours.games for cell in cells if cell.ours})
    theirs = sorted({cell.printed.games for cell in cells if cell.printed.games})
    words = []
    if games:
        words.append(f"Games a cell: {_range(games)} here" + (f", {_range(theirs)} in the paper" if theirs else ""))
    words += sorted({f"Where it differs: {cell.reason}" for cell in cells if cell.reason})
    return ". ".join(words) + "." if words else ""


def _range(numbers: Sequence[int]) -> str:
    return f"{numbers[0]:,}" if len(numbers) == 1 else f"{numbers[0]:,} to {numbers[-1]:,}"


def _meetings(one: Reproduced) -> Table:
    """Who met whom, how often, and how many of the games differ."""
    rows: list[list[Value]] = []
    for meeting in one.study.meetings:
        games = one.results[meeting.name]
        different = len({(game.game.opening, game.game.moves) for game in games})
        rows.append([meeting.name, meeting.a, meeting.b, str(meeting.rules), meeting.openings, len(games), different])
    columns = ["meeting", "first agent", "second agent", "rules", "openings", "games", "different"]
    return Table(columns, rows, "Games played", name=f"{one.study.name} games")


def _machine() -> dict[str, str]:
    from outflank.benchmark import cpu_name

    return {"Outflank": __version__, "Python": platform.python_version(), "CPU": cpu_name()}
