"""Verdicts: every printed number beside ours, by one rule for all and none by hand.

*agrees*: the printed value, with the uncertainty that its own number of games implies, is compatible with ours
(probability of such a difference 5 % or more). *differs*: it is not. *not comparable*: a time on other hardware, where
the speed-up is told instead. Of many true numbers about one in twenty is said to differ by chance alone.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from outflank.studies.measure import Measured, compatible
from outflank.studies.results import Results
from outflank.studies.study import Claim, Finding, PaperTable, Printed, Study

Agreement = Literal["agrees", "differs", "not comparable", "not played"]
Outcome = Literal["holds", "fails", "undecided"]
_LEVEL = 0.05


@dataclass(frozen=True)
class Comparison:
    """A printed number, ours, and what that means."""

    printed: Printed
    ours: Measured | None
    verdict: Agreement
    chance: float | None
    """Probability of such a difference if nothing differed."""
    reason: str

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
            "chance": self.chance,
            "speedup": self.speedup,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Judgement:
    """A claim and what our games say of it."""

    claim: Claim
    finding: Finding

    @property
    def outcome(self) -> Outcome:
        """The finding in a word."""
        return "undecided" if self.finding.holds is None else "holds" if self.finding.holds else "fails"

    @property
    def reason(self) -> str:
        """Why it may not have come out; empty when it holds."""
        return "" if self.finding.holds else self.claim.reason

    def facts(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "claim": self.claim.text,
            "line": self.claim.line,
            "outcome": self.outcome,
            "evidence": self.finding.evidence,
            "reason": self.reason,
        }


def compare(study: Study, results: Results) -> list[Comparison]:
    """Every printed number of a study beside ours, in the order of the paper."""
    paper_tables = {paper_table.table: paper_table for paper_table in study.paper_tables}
    return [_compared(cell, paper_tables[cell.table], results) for cell in study.printed]


def judge(study: Study, results: Results) -> list[Judgement]:
    """Every claim of a study with its finding."""
    return [Judgement(claim, claim.test(results)) for claim in study.claims]


def count(verdicts: Iterable[str]) -> dict[str, int]:
    """How many of each, the most frequent first.

    >>> count(["agrees", "differs", "agrees"])
    {'agrees': 2, 'differs': 1}
    """
    return dict(Counter(verdicts).most_common())


def _compared(cell: Printed, paper_table: PaperTable, results: Results) -> Comparison:
    ours = paper_table.measure(results, cell.row, cell.column)
    if ours is None:
        return Comparison(cell, None, "not played", None, "")
    chance = compatible(ours, cell.value, cell.games, cell.spread)
    if chance is None:
        return Comparison(cell, ours, "not comparable", None, "")
    agrees = chance >= _LEVEL
    return Comparison(cell, ours, "agrees" if agrees else "differs", chance, "" if agrees else paper_table.cause(cell))


def facts_of(study: Study, comparisons: Sequence[Comparison], judgements: Sequence[Judgement]) -> dict[str, Any]:
    """What `summary.json` says of a study."""
    return {
        "study": study.name,
        "title": study.title,
        "numbers": count(comparison.verdict for comparison in comparisons),
        "claims": count(judgement.outcome for judgement in judgements),
        "printed": [comparison.facts() for comparison in comparisons],
        "conclusions": [judgement.facts() for judgement in judgements],
    }
