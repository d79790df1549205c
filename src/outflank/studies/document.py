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
from outflank.studies.run import pairs_of
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
class StudyFindings:
    """A study with what its games say of every printed number and every claim."""

    study: Study
    results: Results
    comparisons: Sequence[Comparison]
    judgements: Sequence[Judgement]


def findings_of(study: Study, results: Results) -> StudyFindings:
    """Compares every number and judges every claim."""
    return StudyFindings(study, results, compare(study, results), judge(study, results))


def document(found: Sequence[StudyFindings], provenance: Mapping[str, str]) -> Document:
    """The whole report."""
    sections = [Section("Summary", [summary_table(found), *_overview(found)], "summary")]
    sections += [_section(one) for one in found]
    title = "Reproducing the papers" if len(found) > 1 else found[0].study.title
    return Document(title, _lead(found), sections, dict(provenance) | _machine())


def summary_table(found: Sequence[StudyFindings]) -> Table:
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
        "Printed numbers agree, differ, or are times on other hardware. Claims are what was concluded from them.",
        "summary",
    )


def distinct_games(results: Results) -> int:
    """Games that differ in rules, opening or moves."""
    return len({(game.start, game.moves) for game in results.games})


def _lead(found: Sequence[StudyFindings]) -> str:
    verdicts = count(comparison.verdict for one in found for comparison in one.comparisons)
    outcomes = count(judgement.outcome for one in found for judgement in one.judgements)
    judged = verdicts.get("agrees", 0) + verdicts.get("differs", 0)
    games = sum(len(one.results.games) for one in found)
    words = [f"{games:,} games were played."]
    if judged:
        words.append(f"**{verdicts.get('agrees', 0)} of {judged} printed numbers agree**;")
        words.append(f"not comparable, as times on other hardware: {verdicts.get('not comparable', 0)}.")
    if outcomes:
        held, failed, left = (outcomes.get(word, 0) for word in ("holds", "fails", "undecided"))
        words.append(f"Claims that hold: **{held}**; that fail: {failed}; left undecided: {left}.")
    return " ".join([*words, "Verdicts follow one rule for all and are not set by hand."])


def _overview(found: Sequence[StudyFindings]) -> list[Part]:
    rows: list[list[Value]] = [
        [one.study.name, judgement.claim.text, _toned(judgement.outcome), judgement.finding.evidence]
        for one in found
        for judgement in one.judgements
    ]
    if not rows or len(found) == 1:  # one study tells its claims itself
        return []
    return [Table(["study", "claim", "outcome", "evidence"], rows, "What was concluded", name="claims")]


def _toned(word: str) -> Cell:
    return Cell(word, _TONES[word])


def _section(one: StudyFindings) -> Section:
    study = one.study
    parts: list[Part] = [f"{study.citation}\n\n{study.summary}"]
    if study.claims:
        parts.append(_claims(one))
    if study.printed:
        parts.append(_READING)
    tables = {paper_table.table: paper_table for paper_table in study.paper_tables}
    for name, paper_table in tables.items():
        cells = [comparison for comparison in one.comparisons if comparison.printed.table == name]
        if cells:
            parts.append(_paper_table(study.name, name, paper_table.title, cells))
    parts += [*study.tables(one.results), *study.figures(one.results)]
    if study.differences:
        parts.append(Section("Setting", ["\n".join(f"- {line}" for line in study.differences)]))
    parts.append(Section("Games", [_pairings(one)]))
    return Section(study.title, parts, study.name)


def _claims(one: StudyFindings) -> Table:
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
    columns = ["claim", "source, line", "outcome", "evidence", "why, where it does not hold"]
    return Table(columns, rows, "Conclusions", name=f"{one.study.name} claims")


def _paper_table(study: str, name: str, title: str, cells: Sequence[Comparison]) -> Table:
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
    words = [comparison.verdict, f"line {printed.line}", f"{printed.games or 'unknown'} games behind it"]
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
        words.append(
            f"Games a cell: {_range(games)} here" + (f", {_range(theirs)} behind the printed value" if theirs else "")
        )
    words += sorted({f"Where it differs: {cell.reason}" for cell in cells if cell.reason})
    return ". ".join(words) + "." if words else ""


def _range(numbers: Sequence[int]) -> str:
    return f"{numbers[0]:,}" if len(numbers) == 1 else f"{numbers[0]:,} to {numbers[-1]:,}"


def warnings_of(found: Sequence[StudyFindings], scale: str | float) -> list[str]:
    """Warnings: pairings with repeated games, games with unusual endings."""
    warnings = []
    for one in found:
        for pairing in one.study.pairings:
            games = one.results[pairing.name]
            planned = 2 * pairs_of(pairing, scale)
            if 0 < len(games) < planned:
                warnings.append(
                    f"{pairing.name}: only {len(games)} of {planned} games are different, and only those are counted; "
                    "expected more openings, such as random(8)"
                )
            lost = sum(game.game.termination not in ("normal", "adjudicated") for game in games)
            if lost:
                warnings.append(f"{pairing.name}: {lost} of {len(games)} games ended unusually, see the table of games")
    return warnings


def _pairings(one: StudyFindings) -> Table:
    """Every pairing with its number of games, and how many of them differ."""
    rows: list[list[Value]] = []
    for pairing in one.study.pairings:
        games = one.results[pairing.name]
        different = len({(game.start, game.moves) for game in games})
        endings = count(str(game.game.termination) for game in games)
        unusual = ", ".join(f"{number} {ending}" for ending, number in endings.items() if ending != "normal")
        who = [pairing.name, pairing.a, pairing.b, str(pairing.rules), pairing.openings]
        rows.append([*who, len(games), different, Cell(unusual, "warn") if unusual else ""])
    columns = ["pairing", "first agent", "second agent", "rules", "openings", "games", "different", "unusual endings"]
    return Table(columns, rows, "Games played", name=f"{one.study.name} games")


def _machine() -> dict[str, str]:
    from outflank.benchmark import cpu_name

    return {"Report by": f"outflank {__version__}, Python {platform.python_version()}", "CPU": cpu_name()}
