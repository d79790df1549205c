"""What a study is: a paper's experiments as a declaration, and its printed numbers as data.

A study names agents by text, says which of them play each other how often, and how each printed number is measured from
the games. It holds no code that plays: the arena does that, the same for every study. Printed numbers lie in
`data/*.csv`, one a line with its table, row, column and the line of its source.
"""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import TYPE_CHECKING

from outflank.arena.statistics.comparisons import Contrast
from outflank.arena.statistics.measured import Measured
from outflank.board import Rules
from outflank.errors import BadSpec
from outflank.studies.results import Asked, Results

if TYPE_CHECKING:
    from outflank.report.document import Figure, Table


@dataclass(frozen=True)
class Pairing:
    """Two agents, the rules, and how many games they play at the scale of the paper."""

    name: str
    a: str
    b: str
    games: int
    rules: Rules = Rules()  # noqa: RUF009
    openings: str = "start"
    quick: int = 0
    """Games at the quick scale; a tenth, and at least two, where left out."""
    seconds: float = 0.0
    """What a game takes on one core, about, where that is known: dear games are fewer at the large scale."""
    large: int = 0
    """Games at the large scale; by one rule for all (`run.games_of`) where left out."""


@dataclass(frozen=True)
class Timing:
    """Seconds or rates that no game shows: a function named `module:function`, called with the quick or full effort."""

    name: str
    work: str
    agent: str
    """Whose speed it is, by text: another behaviour is timed anew."""


@dataclass(frozen=True)
class Printed:
    """One number of a paper, on the scale of our measure, with where it stands and how many games are behind it."""

    table: str
    row: str
    column: str
    printed: str
    value: float
    unit: str
    line: str
    games: int | None
    spread: float | None
    fitted: str = ""
    """Why it can be no agreement: it chose a reading or a rate, or is a sum or copy of other numbers. Else empty."""


def _row(row: str, column: str) -> str:  # noqa: ARG001
    return row


@dataclass(frozen=True)
class PaperTable:
    """A printed table: how each of its numbers is measured, and why it may differ."""

    table: str
    title: str
    measure: Callable[[Results, str, str], Measured | None]
    reason: str | Callable[[Printed], str] = ""
    """A known cause, shown where a number differs; or which one it is for a number."""
    games: Callable[[str, str], str] = _row
    """The name of the games behind a row and column: numbers with the same name come from the same games."""

    def cause(self, cell: Printed) -> str:
        """Why a number may differ."""
        return self.reason if isinstance(self.reason, str) else self.reason(cell)

    def behind(self, cell: Printed) -> Asked:
        """The pairings and timings that a number is measured from."""
        asked = Asked()
        self.measure(asked, cell.row, cell.column)
        return asked


@dataclass(frozen=True)
class TextNumber:
    """A number in the text of a paper: compared (where), an input of the experiments, or why it is not compared."""

    line: str
    printed: str
    what: str
    where: str


@dataclass(frozen=True)
class Erratum:
    """What a paper says in one place, what speaks against it, and how it is read here; the lines are the source's."""

    lines: str
    says: str
    but: str
    reading: str


@dataclass(frozen=True)
class Claim:
    """A conclusion of the paper in our words, its place there, and the inequalities that must all hold."""

    text: str
    line: str
    contrasts: Callable[[Results], Sequence[Contrast]]
    reason: str = ""
    """A known cause, shown where the claim does not come out."""

    @property
    def behind(self) -> Asked:
        """The pairings and timings that it is judged by."""
        asked = Asked()
        self.contrasts(asked)
        return asked


@dataclass(frozen=True)
class Swap:
    """A wrong agent in place of the right one: printed tables must tell the two apart."""

    name: str
    """Such as `random for minimax`."""
    tables: tuple[str, ...]
    """The printed tables that it is tried on."""
    wrong: Callable[[Pairing], Pairing]
    """A pairing with the wrong agent; one that it does not concern as it is."""


@dataclass(frozen=True)
class Reading:
    """Something that a paper leaves open: the reading taken here, and the study under other readings."""

    question: str
    taken: str
    fitted: str
    """What `Printed.fitted` says of the numbers that chose it; empty when none did."""
    others: Mapping[str, Callable[[], "Study"]]


@dataclass(frozen=True)
class Study:
    """The experiments of one paper."""

    name: str
    title: str
    citation: str
    summary: str
    pairings: tuple[Pairing, ...]
    paper_tables: tuple[PaperTable, ...] = ()
    printed: tuple[Printed, ...] = ()
    claims: tuple[Claim, ...] = ()
    swaps: tuple[Swap, ...] = ()
    readings: tuple[Reading, ...] = ()
    differences: tuple[str, ...] = ()
    """How our setting differs from the paper's, and which reading of it was taken."""
    text_numbers: tuple[TextNumber, ...] = ()
    """Every number of the text beside the tables."""
    errata: tuple[Erratum, ...] = ()
    """The paper's contradictions, mistakes and gaps."""
    timings: tuple[Timing, ...] = ()
    figures: Callable[[Results], "Sequence[Figure]"] = field(default=lambda results: ())
    tables: Callable[[Results], "Sequence[Table]"] = field(default=lambda results: ())
    """Tables of our own beside the printed ones."""

    def swapped(self, swap: Swap) -> "Study":
        """The study with a wrong agent; pairings keep their names, so that everything is measured in the same way."""
        return replace(self, pairings=tuple(swap.wrong(pairing) for pairing in self.pairings), swaps=(), readings=())

    def variants(self) -> Iterator["Study"]:
        """The study with every wrong agent, and under every other reading."""
        yield from (self.swapped(swap) for swap in self.swaps)
        for reading in self.readings:
            yield from (other() for other in reading.others.values())

    def __post_init__(self) -> None:
        names = [pairing.name for pairing in self.pairings]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise BadSpec(f"study {self.name}: pairings are called the same: {', '.join(twice)}")
        unmeasured = {cell.table for cell in self.printed} - {paper_table.table for paper_table in self.paper_tables}
        if unmeasured:
            raise BadSpec(f"study {self.name}: nothing measures the printed {', '.join(sorted(unmeasured))}")
        unknown = {table for swap in self.swaps for table in swap.tables} - {cell.table for cell in self.printed}
        if unknown:
            raise BadSpec(f"study {self.name}: a wrong agent is tried on unknown tables: {', '.join(sorted(unknown))}")


def read_printed(name: str) -> tuple[Printed, ...]:
    """The printed numbers of a data file of the package.

    >>> read_printed("tenshi.csv")[0].printed
    '74%'
    """
    return tuple(printed_from(read_rows(name)))


def read_errata(study: str) -> tuple[Erratum, ...]:
    """The errata of a paper.

    >>> read_errata("phan-synytsia")[2].says
    'nearly 7.5 million (8x8, depth 6)'
    """
    rows = [row for row in read_rows("errata.csv") if row["study"] == study]
    return tuple(Erratum(row["lines"], row["says"], row["but"], row["reading"]) for row in rows)


def read_text_numbers(study: str) -> tuple[TextNumber, ...]:
    """The numbers in the text of a paper.

    >>> [number.printed for number in read_text_numbers("tenshi") if number.where == "Text"]
    ['$74\\\\%$']
    """
    rows = [row for row in read_rows("text_numbers.csv") if row["study"] == study]
    return tuple(TextNumber(row["line"], row["printed"], row["what"], row["where"]) for row in rows)


def read_rows(name: str) -> "csv.DictReader[str]":
    """The rows of a data file of the package.

    >>> next(iter(read_rows("sixty_games.csv")))
    {'game': '1', 'line': '55', 'heuristic': '40', 'pure': '24'}
    """
    text = files("outflank.studies").joinpath("data", name).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines())


def printed_from(rows: Iterable[Mapping[str, str]]) -> Iterable[Printed]:
    """Printed numbers from rows of text; `games`, `spread` and `fitted` may be empty."""
    for row in rows:
        yield Printed(
            table=row["table"],
            row=row["row"],
            column=row["column"],
            printed=row["printed"],
            value=float(row["value"]),
            unit=row["unit"],
            line=row["line"],
            games=int(row["games"]) if row["games"] else None,
            spread=float(row["spread"]) if row["spread"] else None,
            fitted=row["fitted"],
        )
