"""Every printed number of the papers, line by line, on one page: for a reader who knows a number and not our tables.

A number stands as the paper prints it, so that a search in the page finds it, with its verdict in words, the results
that would have been accepted, and ways to its table and to its games.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from outflank.report.document import Cell, Document, Section, Table, Tone, Value, slug
from outflank.studies.compare import Comparison
from outflank.studies.findings import StudyFindings
from outflank.studies.games import address
from outflank.studies.study import Printed, Study, TextNumber
from outflank.studies.words import band, number, with_interval

TONES: dict[str, Tone] = {
    "equivalent": "good",
    "differs": "bad",
    "compatible": "",
    "fitted": "muted",
    "not comparable": "",
    "not played": "muted",
    "holds": "good",
    "fails": "bad",
    "undecided": "warn",
}
"""What verdicts on numbers and outcomes of claims mean to a reader."""
SIGNS = {"equivalent": "✓", "differs": "✗", "compatible": "○", "fitted": "="}
"""What stands before a number with a verdict."""
CLAIMS = "claims"
"""The part of a study that has its conclusions, for `anchor`."""
_LEAD = (
    "Search this page for a number as the paper prints it; they stand in the order of the paper, with their lines in "
    "its text. Beside each stand the verdict, ours with its 95 % interval, and the results of ours that would have "
    "been accepted with it. The place leads to the table that compares it, the games to those that were played for it. "
    "[The report](index.html)"
)


def anchor(study: Study, part: str) -> str:
    """Where a part of a study stands in a report: one of its tables by name, or its claims.

    >>> from outflank.studies import named_study
    >>> anchor(named_study("tenshi"), "Text")
    'tenshi-text'
    """
    return slug(f"{study.name} {part}")


def printed_text(cell: Printed) -> str:
    """A number as it is printed, and its value where the text does not say it.

    >>> from dataclasses import replace
    >>> cell = Printed("Table 9", "8x8, depth 3", "average", "41.67%", 0.4167, "share", "277", 24, None)
    >>> printed_text(cell), printed_text(replace(cell, printed="457", value=0.914))
    ('41.67%', '457, that is 91 %')
    """
    plain = re.fullmatch(r"([\d.]+)(%?)", cell.printed)
    said = plain is not None and math.isclose(
        float(plain[1]) / (100 if plain[2] else 1), cell.value, rel_tol=1e-3, abs_tol=5e-5
    )
    if said or cell.printed.startswith(f"{cell.value:g} "):  # with a unit and a spread behind it
        return cell.printed
    return f"{cell.printed}, that is {number(cell.value, cell.unit)}"


def verdict_words(comparison: Comparison) -> str:
    """A verdict for a reader who sees nothing else."""
    if comparison.verdict == "fitted":
        return f"fitted: {comparison.printed.fitted}"
    if comparison.verdict == "compatible":
        return "compatible, left open" if comparison.informative else "compatible, but uninformative: too few games"
    if comparison.speedup:
        return f"a speed on other hardware: ×{comparison.speedup:,.0f} here"
    return comparison.verdict


def text_numbers_table(study: Study, page: str = "") -> Table:
    """The numbers beside a paper's tables, line by line; what is compared leads there, on this page or another."""
    rows = [_text_row(study, one, page) for one in sorted(study.text_numbers, key=lambda one: _first_line(one.line))]
    note = "What is compared stands in the table or claim that is named; inputs are played as printed."
    columns = ["line", "printed", "here", "where, or why not"]
    return Table(columns, rows, "Every number beside the tables", note, f"{study.name} text numbers")


def numbers_page(found: Iterable[StudyFindings], pages: Mapping[str, str]) -> Document:
    """Every printed number of some studies; `pages` has the page of each by its name."""
    sections = [
        Section(one.study.title, _parts(one, f"{pages[one.study.name]}.html"), one.study.name)
        for one in found
        if one.study.printed or one.study.text_numbers
    ]
    return Document("Every printed number", _LEAD, sections)


def _parts(one: StudyFindings, page: str) -> list[str | Table]:
    """The numbers of the tables, then those of the text."""
    study = one.study
    parts: list[str | Table] = [study.citation]
    if one.comparisons:
        columns = ["printed", "place", "verdict", "ours", "accepted", "our games", "their games", "line"]
        caption = "Numbers that are compared"
        parts.append(Table(columns, _rows(one, page), caption, name=f"{study.name} numbers"))
    if study.text_numbers:
        parts.append(text_numbers_table(study, page))
    return parts


def _rows(one: StudyFindings, page: str) -> Sequence[Sequence[Value]]:
    tables = {table.table: table for table in one.study.paper_tables}
    rows: list[list[Value]] = []
    for found in sorted(one.comparisons, key=lambda found: _first_line(found.printed.line)):
        cell, ours = found.printed, found.ours
        verdict = Cell(verdict_words(found), TONES[found.verdict], sign=SIGNS.get(found.verdict))
        accepted = band(*found.accepted, cell.unit) if found.accepted else ""
        games = f"{ours.games:,}{' samples' if ours.kind == 'speed' else ''}" if ours else ""
        rows.append(
            [
                printed_text(cell),
                Cell(f"{cell.table}: {cell.row}, {cell.column}", link=f"{page}#{anchor(one.study, cell.table)}"),
                verdict,
                with_interval(ours) if ours else None,
                accepted,
                Cell(games, link=address(one, tables[cell.table].behind(cell).pairings)),
                cell.games,
                cell.line,
            ]
        )
    return rows


def _text_row(study: Study, one: TextNumber, page: str) -> list[Value]:
    place = re.split("[,;:]", one.where)[0]
    part = CLAIMS if place == "claim" and study.claims else place if place in _tables(study) else ""
    link = f"{page}#{anchor(study, part)}" if part and one.what == "compared" else ""
    return [one.line, one.printed, one.what, Cell(one.where, link=link)]


def _tables(study: Study) -> set[str]:
    return {cell.table for cell in study.printed}


def _first_line(lines: str) -> int:
    """The first line of `55-84`; what names none comes last."""
    found = re.match(r"\d+", lines)
    return int(found[0]) if found else 10**9
