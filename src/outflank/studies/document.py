"""Studies as a report: a summary first, then for each study its tables beside the printed ones, figures and games."""

import math
import platform
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace

from outflank import __version__
from outflank.arena.store import cpu_name
from outflank.report.document import Cell, Document, Figure, Part, Section, Table, Tone, Value, slug
from outflank.studies.compare import (
    CHOSEN_BY,
    Comparison,
    TableFindings,
    Tally,
    WrongAgent,
    count,
    tally,
)
from outflank.studies.findings import Source, StudyFindings, headline
from outflank.studies.games import address, behind
from outflank.studies.numbers import CLAIMS, SIGNS, TONES, anchor, numbers_page, printed_text, text_numbers_table
from outflank.studies.pictures import agreement
from outflank.studies.provenance import provenance_table
from outflank.studies.results import distinct
from outflank.studies.study import Study
from outflank.studies.words import band, number, with_interval

_LIKELIER = 3.0
"""Natural logarithm: twenty times."""
_READINGS = (
    "What the paper leaves open, every reading of it that was tried, and the logarithm (base e) of how many times "
    "likelier it makes a printed table than the reading taken does; 3 is twenty times, and ! marks what explains a "
    "table better. The first column has the numbers that chose a reading, which therefore prove nothing; the tables "
    "have only the numbers that did not: they are the test."
)
_VERDICTS = {
    "equivalent": "equivalent",
    "differs": "differs",
    "compatible": "compatible, but uninformative",
    "fitted": "fitted",
}
_TABLES = "tables"
_OTHERS = {"text numbers": "numbers in the text", "errata": "errata of the paper", "games": "games"}
"""Parts of a study that the first page leads to, beside its tables."""
_READING = (
    "Each cell has our value with its 95 % interval, then the number as printed, then the results of ours that would "
    "have been accepted with it; it leads to its games. ✓ equivalent: the difference is shown to be within the margin, "
    "10 points of a share or a tenth of a mean (90 % interval). ✗ differs: it is not, and comes by chance in less than "
    "5 % of cases. ○ compatible, but uninformative: too few games, mostly theirs, to say more. = fitted: the printed "
    "number chose a reading or a rate, or is a sum or copy of others, and is no evidence. Times are on other hardware: "
    "× says how many times faster. Below a table stands what it would say of a wrong agent, played in place of the "
    "right one."
)


def document(found: Sequence[StudyFindings], provenance: Mapping[str, str]) -> Document:
    """The whole report."""
    return documents(found, provenance)[0]


def documents(found: Sequence[StudyFindings], provenance: Mapping[str, str]) -> tuple[Document, Mapping[str, Document]]:
    """The whole report, and its pages by name: of several studies a first page and one for each."""
    made = dict(provenance) | _machine()
    pictures = {one.study.name: _picture(one) for one in found}
    shown: list[Part] = []
    for name, picture in pictures.items():
        shown += [picture] if picture else []
        shown += [f"[All tables and claims]({slug(name)}.html)"] if picture and len(found) > 1 else []
    first = [
        *([Section("Results", shown, "results")] if shown else []),
        Section("Summary", [summary_table(found), *_overview(found)], "summary"),
    ]
    sections = {one.study.name: _section(one) for one in found}
    if len(found) == 1:
        whole = Document(found[0].study.title, _lead(found), [*first, *sections.values()], made)
        return whole, {"index": whole} | _numbers_page(found, "index")
    title, numbers = "Reproducing the papers", _numbers_page(found)
    back = "[All studies](index.html)" + (", [every printed number](numbers.html)" if numbers else "")
    pages = {
        one.study.name: Document(one.study.title, _lead([one]), _paged(pictures[name], sections[name], back), made)
        for one in found
        for name in [one.study.name]
    }
    lead = f"{_lead(found)}\n\n{_SEARCH}" if numbers else _lead(found)
    index = Document(title, lead, [*first, Section("Every paper and table", [_ways(found)], "pages")], made)
    return Document(title, _lead(found), [*first, *sections.values()], made), {"index": index} | pages | numbers


_SEARCH = (
    "To find a number of a paper: [every printed number, line by line](numbers.html), or [table by table](#pages)."
)


def _numbers_page(found: Sequence[StudyFindings], page: str = "") -> dict[str, Document]:
    """The page of all printed numbers, where there are any; studies are on this page or on their own."""
    if not any(one.study.printed for one in found):
        return {}
    return {"numbers": numbers_page(found, {one.study.name: page or slug(one.study.name) for one in found})}


def _ways(found: Sequence[StudyFindings]) -> str:
    """Every paper by its authors and title, with the ways to its tables."""
    lines = []
    for one in found:
        study, page = one.study, f"{slug(one.study.name)}.html"
        links = [f"[{table.table.table}]({page}#{anchor(study, table.table.table)})" for table in one.tables]
        links += [f"[{words}]({page}#{anchor(study, part)})" for part, words in _OTHERS.items() if _has(study, part)]
        lines.append(f"- {study.citation} [{study.title}]({page}): {', '.join(links)}")
    return "\n".join(lines)


def _has(study: Study, part: str) -> bool:
    return bool({"text numbers": study.text_numbers, "errata": study.errata}.get(part, study.pairings))


def _paged(picture: Figure | None, section: Section, back: str) -> list[Section]:
    """A study as a page of its own: its picture first, its inner sections as sections."""
    inner = [part for part in section.parts if isinstance(part, Section)]
    outer = [part for part in section.parts if not isinstance(part, Section)]
    return [Section("Result", [*([picture] if picture else []), *outer, back]), *inner]


def _picture(one: StudyFindings) -> Figure | None:
    """The study's result at a glance."""
    facts = headline([one])
    words = [
        f"**{one.study.title}** ({one.study.citation.rstrip('.')}): {facts['equivalent']} of {facts['informative']} "
        f"informative numbers are equivalent, {facts['differ']} differ"
    ]
    words.append(
        f"; wrong agents caught in {facts['caught']} of {facts['wrong_agents']} trials."
        if facts["wrong_agents"]
        else "."
    )
    return agreement(one.study.name, "".join(words), one.comparisons)


def summary_table(found: Sequence[StudyFindings]) -> Table:
    """One row a study: games, verdicts, wrong agents, claims, speed."""
    rows: list[list[Value]] = []
    for one in found:
        counts, facts = tally(one.comparisons), headline([one])
        outcomes = count(judgement.outcome for judgement in one.judgements)
        speedups = [comparison.speedup for comparison in one.comparisons if comparison.speedup]
        rows.append(
            [
                Cell(one.study.title, link=f"{slug(one.study.name)}.html" if len(found) > 1 else ""),
                len(one.results.games),
                distinct(one.results.games),
                counts.informative,
                counts.equivalent,
                counts.differ,
                _of(counts.others_differ, counts.others),
                facts["fitted"],
                _of(facts["caught"], facts["wrong_agents"]),
                *(outcomes.get(word, 0) for word in ("holds", "fails", "undecided")),
                f"×{statistics.median(speedups):,.0f}" if speedups else "–",
            ]
        )
    verdicts = ["informative", "equivalent", "differ", "uninformative: differ", "fitted", "wrong agents caught"]
    return Table(
        ["study", "games", "different", *verdicts, "claims hold", "fail", "undecided", "faster, median"],
        rows,
        "Printed numbers and claims, study by study",
        "Informative are printed numbers that were predicted, stand for themselves and have enough games behind them; "
        "what is neither equivalent nor differs stays open. Claims are what was concluded from them.",
        "summary",
    )


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}" if whole else "–"


def _lead(found: Sequence[StudyFindings]) -> str:
    facts = headline(found)
    outcomes = count(judgement.outcome for one in found for judgement in one.judgements)
    words = [f"{sum(len(one.results.games) for one in found):,} games were played."]
    if any(one.study.printed for one in found):
        words.append(_numbers(facts))
    if outcomes:
        held, failed, left = (outcomes.get(word, 0) for word in ("holds", "fails", "undecided"))
        words.append(f"Claims that hold: **{held}**; that fail: {failed}; left undecided: {left}.")
    return " ".join([*words, "Verdicts follow one rule for all and are not set by hand."])


def _numbers(facts: Mapping[str, int]) -> str:
    words = [
        f"**Of {facts['informative']} printed numbers that are informative, were predicted and stand for themselves, "
        f"{facts['equivalent']} are equivalent to ours**, {facts['differ']} differ, {facts['open']} left open."
        if facts["informative"]
        else "**No printed number is informative, was predicted and stands for itself.**",
        f"{facts['uninformative']} others have too few games behind them; {facts['uninformative_differ']} of these "
        "differ all the same.",
        f"Left out: {facts['fitted']} that were fitted, or are sums and copies, and {facts['times']} times on other "
        "hardware.",
    ]
    if facts["wrong_agents"]:
        words.append(
            f"Wrong agents in place of the right ones are caught in {facts['caught']} of "
            f"{facts['wrong_agents']} trials."
        )
    return " ".join(words)


def _overview(found: Sequence[StudyFindings]) -> list[Part]:
    rows: list[list[Value]] = [
        [_claims_of(one), judgement.claim.text, _toned(judgement.outcome), judgement.evidence]
        for one in found
        for judgement in one.judgements
    ]
    if not rows or len(found) == 1:  # one study tells its claims itself
        return []
    return [Table(["study", "claim", "outcome", "evidence"], rows, "What was concluded", name="claims")]


def _claims_of(one: StudyFindings) -> Cell:
    return Cell(one.study.name, link=f"{slug(one.study.name)}.html#{anchor(one.study, CLAIMS)}")


def _toned(word: str) -> Cell:
    return Cell(word, TONES[word])


def _section(one: StudyFindings) -> Section:
    study = one.study
    parts: list[Part] = [f"{study.citation}\n\n{study.summary}"]
    if study.claims:
        parts.append(Section("Conclusions", [_claims(one)], f"{study.name} {CLAIMS}"))
    if one.tables:
        parts.append(_printed_tables(one))
    own: list[Part] = [*(_with_source(one, table) for table in study.tables(one.results)), *study.figures(one.results)]
    if own:
        parts.append(Section("Beside the printed tables", own, f"{study.name} beside"))
    if study.differences:
        parts.append(Section("Setting", ["\n".join(f"- {line}" for line in study.differences)]))
    if one.readings:
        parts.append(Section("Readings", [_READINGS, _readings(one)]))
    if study.errata:
        parts.append(Section("Errata of the paper", [_errata(study)], f"{study.name} errata"))
    if study.text_numbers:
        parts.append(Section("Numbers in the text", [text_numbers_table(study)], f"{study.name} text numbers"))
    parts.append(Section("Games", [_pairings(one), provenance_table(one)], f"{study.name} games"))
    return Section(study.title, parts, study.name)


def _printed_tables(one: StudyFindings) -> Section:
    """Every printed table under a heading of its own, and ways to them first."""
    study, names = one.study, [found.table.table for found in one.tables]
    ways = " · ".join(f"[{name}](#{anchor(study, name)})" for name in names)
    sections = [
        Section(f"{found.table.table}: {found.table.title}", [_paper_table(one, found)], anchor(study, name))
        for name, found in zip(names, one.tables, strict=True)
    ]
    return Section("Printed tables", [ways, _READING, *sections], f"{study.name} {_TABLES}")


def _readings(one: StudyFindings) -> Table:
    """Every open question with its readings, and what each gains over the one taken, table by table."""
    columns = list(dict.fromkeys(column for found in one.readings for gain in found.gains.values() for column in gain))
    columns.sort(key=lambda column: column != CHOSEN_BY)
    rows: list[list[Value]] = []
    for found in one.readings:
        rows.append([found.reading.question, found.reading.taken, Cell("taken", "good"), *([0.0] * len(columns))])
        for label, gains in found.gains.items():
            cells = [None if column not in gains else _gain(gains[column]) for column in columns]
            rows.append(["", label, "", *cells])
    return Table(["question", "reading", "", *columns], rows, "Readings", name=f"{one.study.name} readings")


def _gain(value: float) -> Cell:
    tone: Tone = "warn" if value > _LIKELIER else "" if value > -_LIKELIER else "muted"
    return Cell(f"{value:+.1f}", tone)


def _errata(study: Study) -> Table:
    rows: list[list[Value]] = [[one.lines.replace(" ", ", "), one.says, one.but, one.reading] for one in study.errata]
    columns = ["lines", "the paper says", "but", "so"]
    return Table(columns, rows, "Contradictions, mistakes and gaps", name=f"{study.name} errata")


def _claims(one: StudyFindings) -> Table:
    rows: list[list[Value]] = [
        [
            judgement.claim.text,
            judgement.claim.line,
            replace(_toned(judgement.outcome), link=address(one, judgement.claim.behind.pairings)),
            judgement.evidence,
            judgement.reason,
        ]
        for judgement in one.judgements
    ]
    columns = ["claim", "source, line", "outcome", "evidence", "why, where it does not hold"]
    return _with_source(one, Table(columns, rows, "Conclusions", name=f"{one.study.name} claims"))


def _paper_table(one: StudyFindings, found: TableFindings) -> Table:
    """A printed table with our numbers in its cells, which lead to their games, and a row for every wrong agent."""
    name, cells = found.table.table, found.cells
    columns = list(dict.fromkeys(cell.printed.column for cell in cells))
    rows = list(dict.fromkeys(cell.printed.row for cell in cells))
    at = {(cell.printed.row, cell.printed.column): cell for cell in cells}
    links = {place: address(one, found.table.behind(cell.printed).pairings) for place, cell in at.items()}
    body: list[list[Value]] = [
        [row, *(_compared(at.get((row, column)), links.get((row, column), "")) for column in columns)] for row in rows
    ]
    body += [_wrong_row(one.swapped[wrong.name], name, wrong, columns) for wrong in found.wrong]
    caption = f"{name}: ours with its 95 % interval, the number as printed, what would have been accepted"
    note = f"{_signs(one, found)} {_note(found)}".strip()
    return _with_source(one, Table(["", *columns], body, caption, note, f"{one.study.name} {name}"))


def _signs(one: StudyFindings, found: TableFindings) -> str:
    """The verdicts of a table in words: a phone shows no hints."""
    verdicts = {cell.verdict for cell in found.cells}
    told = [f"{SIGNS[verdict]} {words}" for verdict, words in _VERDICTS.items() if verdict in verdicts]
    return f"[{'; '.join(told)}](#{anchor(one.study, _TABLES)})." if told else ""


def _with_source(one: StudyFindings, table: Table) -> Table:
    """The table with a way to where its numbers come from."""
    return replace(table, note=f"{table.note} [Games and provenance](#{slug(one.study.name)}-games)".strip())


def _wrong_row(source: Source, table: str, wrong: WrongAgent, columns: Sequence[str]) -> list[Value]:
    """What the table would say of a wrong agent, column by column, with its games; that it is caught is good."""
    label = (
        f"with {wrong.name}: {'caught' if wrong.caught else 'not caught'}, right agent {_times(wrong.ratio)} likelier"
    )
    links = {column: address(source, behind(source, table, column)) for column in (None, *columns)}
    tone: Tone = "good" if wrong.caught else "bad"
    told = [_told(wrong.columns.get(column), links[column]) for column in columns]
    return [Cell(label, tone, link=links[None]), *told]


def _told(counts: Tally | None, link: str) -> Value:
    if counts is None:
        return None
    differ, number = counts.differ + counts.others_differ, counts.informative + counts.others
    return Cell(f"{differ} of {number} differ, {counts.equivalent} equivalent", link=link)


def _times(log_ratio: float) -> str:
    """How many times, from a natural logarithm."""
    power = log_ratio / math.log(10)
    return f"10^{power:.0f} times" if abs(power) >= 4 else f"{10**power:,.2g} times"


def _chance(chance: float) -> str:
    return "less than 0.1 %" if chance < 0.001 else f"{100 * chance:.1f} %" if chance < 0.1 else f"{100 * chance:.0f} %"


def _compared(comparison: Comparison | None, link: str) -> Value:
    if comparison is None:
        return None
    printed, unit = f"printed {printed_text(comparison.printed)}", comparison.printed.unit
    if comparison.ours is None:
        return Cell(f"–\n{printed}", "muted")
    if comparison.speedup:
        lines = [number(comparison.ours.value, unit), printed, f"×{comparison.speedup:,.0f} faster"]
    else:
        lines = [with_interval(comparison.ours), printed]
    if comparison.accepted:
        lines.append(f"accepted {band(*comparison.accepted, unit)}")
    return Cell("\n".join(lines), TONES[comparison.verdict], _hint(comparison), SIGNS.get(comparison.verdict), link)


def _hint(comparison: Comparison) -> str:
    printed, ours = comparison.printed, comparison.ours
    words = [
        comparison.verdict,
        *([printed.fitted] if printed.fitted else []),
        f"line {printed.line}",
        f"{printed.games or 'unknown'} games behind it",
    ]
    if ours:
        words.append(f"{ours.games} here")
    if comparison.weighed:
        words.append(f"chance {comparison.weighed.chance:.3f}")
    if comparison.counts:
        words.append("informative" if comparison.informative else "not informative")
    return ", ".join(words)


def _note(found: TableFindings) -> str:
    games = sorted({cell.ours.games for cell in found.cells if cell.ours})
    theirs = sorted({cell.printed.games for cell in found.cells if cell.printed.games})
    words = []
    if games:
        words.append(
            f"Games a cell: {_range(games)} here" + (f", {_range(theirs)} behind the printed value" if theirs else "")
        )
    counted = [cell for cell in found.cells if cell.counts]
    if found.chance is not None:
        which = "All cells that count together" if counted else "All cells together, none of which counts"
        words.append(f"{which}: differences like these come by chance in {_chance(found.chance)} of cases")
    if found.chance is not None and counted and all(cell.verdict == "equivalent" for cell in counted):
        words[-1] += ", but all of them are within the margin"
    words += sorted({f"Where it differs, perhaps: {cell.reason}" for cell in found.cells if cell.verdict == "differs"})
    words += sorted({f"Fitted: {cell.printed.fitted}" for cell in found.cells if cell.verdict == "fitted"})
    return ". ".join(word for word in words if not word.endswith(": ")) + "." if words else ""


def _range(numbers: Sequence[int]) -> str:
    return f"{numbers[0]:,}" if len(numbers) == 1 else f"{numbers[0]:,} to {numbers[-1]:,}"


def _pairings(one: StudyFindings) -> Table:
    """Every pairing with its number of games, and how many of them differ."""
    rows: list[list[Value]] = []
    for pairing in one.study.pairings:
        games = one.results[pairing.name]
        endings = count(str(game.game.termination) for game in games)
        unusual = ", ".join(f"{number} {ending}" for ending, number in endings.items() if ending != "normal")
        name = Cell(pairing.name, link=address(one, [pairing.name]))
        who: list[Value] = [name, pairing.a, pairing.b, str(pairing.rules), pairing.openings]
        rows.append([*who, len(games), distinct(games), Cell(unusual, "warn") if unusual else ""])
    columns = ["pairing", "first agent", "second agent", "rules", "openings", "games", "different", "unusual endings"]
    return Table(columns, rows, "Games played", name=f"{one.study.name} games")


def _machine() -> dict[str, str]:
    return {"Report by": f"outflank {__version__}, Python {platform.python_version()}", "CPU": cpu_name()}
