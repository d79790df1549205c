"""Verdicts: every printed number beside ours, by one rule for all and none by hand.

The rule is that of `arena/statistics/comparisons.py`: *equivalent*, *differs*, or *compatible* but uninformative.
Before it comes *fitted*: a number that chose a reading or a rate, or is a sum or copy of others, is no agreement
whatever it shows. *Not comparable* are times on other hardware, where the speed-up is told instead. Of many true
numbers up to one in twenty is said to differ by chance alone; a whole table has one test of its own.

Every table is also compared with games of wrong agents (`Swap`): a table that accepts them says nothing for the right
ones.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from outflank.arena.statistics.comparisons import (
    LEVEL,
    Contrast,
    Verdict,
    Weighed,
    accepted,
    all_hold,
    all_together,
    log_likelihood,
    weigh,
)
from outflank.arena.statistics.measured import Measured
from outflank.studies.results import Results
from outflank.studies.study import Claim, PaperTable, Printed, Reading, Study, Swap
from outflank.studies.words import evidence_of

CellVerdict = Verdict | Literal["fitted", "not comparable", "not played"]
Outcome = Literal["holds", "fails", "undecided"]


@dataclass(frozen=True)
class Comparison:
    """A printed number, ours, and what that means."""

    printed: Printed
    ours: Measured | None
    verdict: CellVerdict
    weighed: Weighed | None
    """Where the two can be compared."""
    reason: str

    @property
    def counts(self) -> bool:
        """Whether it is evidence: predicted, for itself, and comparable."""
        return self.weighed is not None and not self.printed.fitted

    @property
    def informative(self) -> bool:
        """Whether it is evidence, with games enough to be found equivalent if it is."""
        return self.counts and self.weighed is not None and self.weighed.informative

    @cached_property
    def accepted(self) -> tuple[float, float] | None:
        """Results of ours that would not have differed."""
        theirs = self.ours and printed_sample(self.printed, self.ours)
        return accepted(self.ours, theirs) if self.ours and theirs else None

    @property
    def speedup(self) -> float | None:
        """How many times faster we are, for a printed time."""
        if self.ours is None or self.ours.kind != "speed" or not self.ours.value:
            return None
        slower, faster = self.printed.value, self.ours.value
        return faster / slower if self.printed.unit == "simulations" else slower / faster

    def facts(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        ours = self.ours
        return {
            "table": self.printed.table,
            "row": self.printed.row,
            "column": self.printed.column,
            "unit": self.printed.unit,
            "line": self.printed.line,
            "printed": self.printed.printed,
            "value": self.printed.value,
            "printed_games": self.printed.games,
            "ours": ours and ours.value,
            "interval": ours and [ours.low, ours.high],
            "games": ours.games if ours else 0,
            "verdict": self.verdict,
            "accepted": self.accepted and list(self.accepted),
            "informative": self.informative,
            "chance": self.weighed and self.weighed.chance,
            "speedup": self.speedup,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Tally:
    """What the cells of a table, or of a whole report, say: only those that were predicted and stand for themselves."""

    equivalent: int
    differ: int
    compatible: int
    """Of the informative ones."""
    others: int
    others_differ: int
    """Of those whose printed number has too few games behind it."""

    @property
    def informative(self) -> int:
        """Numbers with games enough to be found equivalent if they are."""
        return self.equivalent + self.differ + self.compatible


def tally(comparisons: Iterable[Comparison]) -> Tally:
    """Counts the numbers that are evidence."""
    return _tally([cell.weighed for cell in comparisons if cell.counts and cell.weighed])


def _tally(cells: Sequence[Weighed]) -> Tally:
    words = Counter(cell.verdict for cell in cells if cell.informative)
    others = [cell.verdict for cell in cells if not cell.informative]
    return Tally(
        words["equivalent"],
        words["differs"],
        words["compatible"],
        len(others),
        others.count("differs"),
    )


@dataclass(frozen=True)
class WrongAgent:
    """What a table would say of a wrong agent."""

    name: str
    tally: Tally
    columns: Mapping[str, Tally]
    """The same by column."""
    chance: float
    """Of the whole table, if the wrong agent were the paper's."""
    ratio: float
    """Natural logarithm of how many times likelier the right agent makes the printed table."""

    @property
    def caught(self) -> bool:
        """Whether the table as a whole refuses it, and is likelier with the right one."""
        return self.chance < LEVEL and self.ratio > 0

    def facts(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "wrong": self.name,
            "equivalent": self.tally.equivalent,
            "informative": self.tally.informative,
            "differ": self.tally.differ + self.tally.others_differ,
            "chance": self.chance,
            "log_likelihood_ratio": self.ratio,
            "caught": self.caught,
        }


@dataclass(frozen=True)
class TableFindings:
    """A printed table: its cells, one test of them all, and what it would say of wrong agents."""

    table: PaperTable
    cells: Sequence[Comparison]
    chance: float | None
    """Of all cells together, if nothing differed."""
    wrong: Sequence[WrongAgent]

    def facts(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {"table": self.table.table, "chance": self.chance, "wrong": [one.facts() for one in self.wrong]}


@dataclass(frozen=True)
class ReadingFindings:
    """How well every reading of something explains the printed tables, beside the one that was taken."""

    reading: Reading
    gains: Mapping[str, Mapping[str, float]]
    """By other reading and by table: its log-likelihood less that of the reading taken, on the numbers that both have.

    `chosen by` are the numbers that chose a reading; tables have the others.
    """

    def facts(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        one = self.reading
        gains = {label: dict(gains) for label, gains in self.gains.items()}
        return {"question": one.question, "taken": one.taken, "others": gains}


@dataclass(frozen=True)
class Judgement:
    """A claim and what our games say of its inequalities."""

    claim: Claim
    contrasts: Sequence[Contrast]

    @cached_property
    def outcome(self) -> Outcome:
        """The finding in a word."""
        holds = all_hold(self.contrasts)
        return "undecided" if holds is None else "holds" if holds else "fails"

    @property
    def evidence(self) -> str:
        """The inequalities with their numbers."""
        return evidence_of(self.contrasts)

    @property
    def reason(self) -> str:
        """Why it may not have come out; empty when it holds."""
        return "" if self.outcome == "holds" else self.claim.reason

    def facts(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "claim": self.claim.text,
            "line": self.claim.line,
            "outcome": self.outcome,
            "evidence": self.evidence,
            "reason": self.reason,
        }


def compare(study: Study, results: Results) -> list[Comparison]:
    """Every printed number of a study beside ours, in the order of the paper."""
    paper_tables = {paper_table.table: paper_table for paper_table in study.paper_tables}
    return [_compared(cell, paper_tables[cell.table], results) for cell in study.printed]


def compare_tables(
    study: Study, comparisons: Sequence[Comparison], swapped: Mapping[Swap, Results]
) -> list[TableFindings]:
    """Every printed table of a study; `swapped` has the games of wrong agents."""
    wrong = {swap: compare(study, results) for swap, results in swapped.items()}
    found = []
    for table in study.paper_tables:
        cells = [cell for cell in comparisons if cell.printed.table == table.table]
        tried = [
            _wrong_agent(study, swap, cells, [cell for cell in others if cell.printed.table == table.table])
            for swap, others in wrong.items()
            if table.table in swap.tables
        ]
        if cells:
            found.append(TableFindings(table, cells, _chance(_evidence(cells)), [one for one in tried if one]))
    return found


CHOSEN_BY = "numbers that chose"


def compare_readings(
    study: Study, comparisons: Sequence[Comparison], read: Callable[[Study], Results]
) -> list[ReadingFindings]:
    """Every reading of a study; `read` finds the games of a study."""
    found = []
    for reading in study.readings:
        gains = {}
        for label, make in reading.others.items():
            other = make()
            gains[label] = _gains(study, reading, comparisons, compare(other, read(other)))
        found.append(ReadingFindings(reading, gains))
    return found


def _gains(
    study: Study, reading: Reading, taken: Sequence[Comparison], others: Sequence[Comparison]
) -> dict[str, float]:
    """What another reading gains, by table; sums and copies count nothing."""
    columns: dict[str, list[Comparison]] = defaultdict(list)
    for cell in taken:
        fitted = cell.printed.fitted
        if not fitted or fitted.startswith("chose"):
            columns[CHOSEN_BY if fitted and fitted == reading.fitted else cell.printed.table].append(cell)
    gains = {column: _likelier(study, cells, others) for column, cells in columns.items()}
    return {column: gain for column, gain in gains.items() if gain is not None}


def _likelier(study: Study, cells: Sequence[Comparison], others: Sequence[Comparison]) -> float | None:
    """The log-likelihood of printed numbers under other games, less that under these; None where none has both.

    Each pair is compared as if both had the games of the smaller, since a smaller sample is the vaguer model, and in
    its wider tails a number that neither explains is likelier. Numbers from the same games count as their mean.
    """
    tables = {table.table: table for table in study.paper_tables}
    beside = {(cell.printed.table, cell.printed.row, cell.printed.column): cell for cell in others}
    groups: dict[str, list[float]] = defaultdict(list)
    for cell in cells:
        place = cell.printed
        other = beside.get((place.table, place.row, place.column))
        gain = _gain(cell, other) if other else None
        if gain is not None:
            groups[f"{place.table}, {tables[place.table].games(place.row, place.column)}"].append(gain)
    return math.fsum(math.fsum(group) / len(group) for group in groups.values()) if groups else None


def _gain(cell: Comparison, other: Comparison) -> float | None:
    if cell.ours is None or other.ours is None:
        return None
    sides = cell.ours, other.ours
    games, freedom = min(one.weight for one in sides), min(one.degrees for one in sides)
    both = [replace(one, worth=games, freedom=freedom) for one in sides]
    samples = [printed_sample(cell.printed, one) for one in both]
    if samples[0] is None or samples[1] is None:
        return None
    return log_likelihood(both[1], samples[1]) - log_likelihood(both[0], samples[0])


def judge(study: Study, results: Results) -> list[Judgement]:
    """Every claim of a study with its finding."""
    return [Judgement(claim, claim.contrasts(results)) for claim in study.claims]


def count(verdicts: Iterable[str]) -> dict[str, int]:
    """How many of each, the most frequent first.

    >>> count(["agrees", "differs", "agrees"])
    {'agrees': 2, 'differs': 1}
    """
    return dict(Counter(verdicts).most_common())


def printed_sample(cell: Printed, ours: Measured) -> Measured | None:
    """A printed number as a sample of its games; None where it cannot be compared with ours.

    Where no spread is printed, ours stands for it; a spread without games is the error of the value itself.

    >>> cell = Printed("T", "r", "c", "40 %", 0.4, "share", "1", 50, None)
    >>> printed_sample(cell, Measured("share", 0.5, 400)).hits
    20
    """
    if ours.kind == "speed" or (cell.games is None and cell.spread is None):
        return None
    if ours.kind == "share":
        return Measured("share", cell.value, cell.games or 1)
    if cell.games is None:
        return Measured(ours.kind, cell.value, 1, cell.spread or 0.0, freedom=math.inf)
    if cell.spread is None:
        return Measured(ours.kind, cell.value, cell.games, ours.spread, freedom=ours.degrees)
    return Measured(ours.kind, cell.value, cell.games, cell.spread)


def _compared(cell: Printed, paper_table: PaperTable, results: Results) -> Comparison:
    ours = paper_table.measure(results, cell.row, cell.column)
    if ours is None:
        return Comparison(cell, None, "not played", None, "")
    theirs = printed_sample(cell, ours)
    if theirs is None:
        return Comparison(cell, ours, "not comparable", None, "")
    weighed = weigh(ours, theirs)
    if cell.fitted:
        return Comparison(cell, ours, "fitted", weighed, cell.fitted)
    reason = paper_table.cause(cell) if weighed.verdict == "differs" else ""
    return Comparison(cell, ours, weighed.verdict, weighed, reason)


def _evidence(cells: Sequence[Comparison]) -> list[Comparison]:
    """What counts; where a whole table was fitted, all of it, so that wrong agents can be tried on it too."""
    return [cell for cell in cells if cell.counts] or [cell for cell in cells if cell.weighed]


def _chance(cells: Sequence[Comparison]) -> float | None:
    return all_together([cell.weighed.chance for cell in cells if cell.weighed])


def _wrong_agent(
    study: Study, swap: Swap, right: Sequence[Comparison], wrong: Sequence[Comparison]
) -> WrongAgent | None:
    """None while one of the two has not been played."""
    cells = _evidence(wrong)
    chance = _chance(cells)
    if chance is None or any(cell.ours is None for cell in (*right, *wrong)):
        return None
    columns: dict[str, list[Weighed]] = defaultdict(list)
    for cell in cells:
        columns[cell.printed.column] += [cell.weighed] if cell.weighed else []
    counts = {column: _tally(weighed) for column, weighed in columns.items()}
    everything = _tally([weighed for column in columns.values() for weighed in column])
    ratio = -(_likelier(study, _evidence(right), cells) or 0.0)
    return WrongAgent(swap.name, everything, counts, chance, ratio)


def facts_of(
    study: Study,
    comparisons: Sequence[Comparison],
    tables: Sequence[TableFindings],
    readings: Sequence[ReadingFindings],
    judgements: Sequence[Judgement],
) -> dict[str, Any]:
    """What `summary.json` says of a study."""
    return {
        "study": study.name,
        "title": study.title,
        "numbers": count(comparison.verdict for comparison in comparisons),
        "informative": sum(comparison.informative for comparison in comparisons),
        "claims": count(judgement.outcome for judgement in judgements),
        "printed": [comparison.facts() for comparison in comparisons],
        "tables": [table.facts() for table in tables],
        "readings": [reading.facts() for reading in readings],
        "conclusions": [judgement.facts() for judgement in judgements],
    }
