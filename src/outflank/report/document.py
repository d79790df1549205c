"""What a report is made of: plain values that know nothing of HTML, Markdown or matplotlib.

A `Document` has sections; a section has parts: paragraphs, tables, figures and sections again. Paragraphs, captions
and notes are simple Markdown: `**bold**`, `` `code` ``, `[words](address)`, and blocks of lines that begin with `- `.
Titles and cells are plain text, so that an agent's text or a person's words can stand there as they are.

The writers (`markdown`, `html`, `write`) go through a document in the same order and name its figures, tables and
sections by `Names`, so what one of them calls `ratings-2` the others do too.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Union, get_args

from outflank.errors import BadSpec

Tone = Literal["", "good", "bad", "muted", "warn"]
"""What a cell means to its reader. It is shown by colour and, for those who do not see it, by a sign."""
TONES: tuple[Tone, ...] = get_args(Tone)
_SIGNS: dict[Tone, str] = {"": "", "good": "✓", "bad": "✗", "muted": "", "warn": "!"}


@dataclass(frozen=True)
class Cell:
    """A cell with a meaning. On the page only, it has a `hint`, seen when pointing at it, and leads to its `link`.

    >>> Cell("agrees", "good").shown, Cell("61 %", "good", sign="▲").shown
    ('✓ agrees', '▲ 61 %')
    """

    text: str
    tone: Tone = ""
    hint: str = ""
    sign: str | None = None
    """In front of the text; by default that of the tone."""
    link: str = ""
    """An address: elsewhere, or a page of the report."""

    def __post_init__(self) -> None:
        if self.tone not in TONES:
            raise BadSpec(f"cell {self.text!r}: tone {self.tone!r} is not known; expected one of: {', '.join(TONES)}")

    @property
    def shown(self) -> str:
        """Sign and text."""
        sign = _SIGNS[self.tone] if self.sign is None else self.sign
        return f"{sign} {self.text}".strip()


Value = str | int | float | Cell | None
"""What stands in a cell; None is nothing known."""


def cell(value: Value) -> Cell:
    """Any value as a cell: whole numbers in groups of three digits, others with four digits that count.

    >>> cell(12345).text, cell(0.123456).text, cell(True).text, cell(None).text
    ('12,345', '0.1235', 'yes', '–')
    """
    if isinstance(value, Cell):
        return value
    if value is None:
        return Cell("–", "muted")
    if isinstance(value, bool):
        return Cell("yes" if value else "no")
    if isinstance(value, float):
        return Cell(f"{value:,.4g}")
    return Cell(f"{value:,}" if isinstance(value, int) else value)


@dataclass(frozen=True)
class Table:
    """Rows under columns; the first column names its row.

    >>> Table(["agent", "games"], [["random", 40]]).numeric
    [False, True]
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]
    caption: str = ""
    note: str = ""
    """What must be known to read it, below it."""
    name: str = ""
    """Of its CSV file; by default made from the caption."""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise BadSpec(f"table {self.caption!r}: a row of {len(row)} in {len(self.columns)} columns: {row}")

    @property
    def numeric(self) -> list[bool]:
        """For every column, whether it holds numbers: such columns are set flush right. Muted cells do not count."""
        columns = [[cell(row[i]) for row in self.rows] for i in range(len(self.columns))]
        loud = [[one.text for one in cells if one.tone != "muted" and one.text] for cells in columns]
        return [bool(texts) and all(map(_NUMBER.fullmatch, texts)) for texts in loud]


_NUMBER = re.compile(
    r"(at (least|most) )?[\[<>≤≥≈+\-−±]*\s?\d[\d\s.,:;/%×±+\-−–()\[\]]*(s|ms|µs|min|h|Elo|discs|games|moves|MB)?"
)
"""A number, perhaps with others beside it such as an interval, and perhaps a unit."""

Drawing = Callable[[Any], None]
"""Draws into an Axes of matplotlib. Ready ones are in `report.figures`."""


@dataclass(frozen=True, eq=False)
class Figure:
    """A picture: one drawing, or several as panels side by side."""

    name: str
    """Of its files, such as `ratings`."""
    caption: str
    draw: Drawing | Sequence[Drawing]
    alt: str = ""
    """What it shows, in words, for those who cannot see it; by default the caption."""
    size: tuple[float, float] = (6.4, 4.0)
    """Width and height in inches."""

    @property
    def panels(self) -> tuple[Drawing, ...]:
        """Every drawing of the figure."""
        return (self.draw,) if callable(self.draw) else tuple(self.draw)


Part = Union[str, Table, Figure, "Section"]


@dataclass(frozen=True)
class Section:
    """A title and what stands below it."""

    title: str
    parts: Sequence[Part]
    anchor: str = ""
    """Where links lead to; by default made from the title."""


@dataclass(frozen=True)
class Document:
    """A report: its lead is read first, its provenance says last what made it."""

    title: str
    lead: str
    sections: Sequence[Section]
    provenance: Mapping[str, str] = field(default_factory=dict)

    def parts(self) -> Iterator[Part]:
        """Every part of every section, sections before what they hold."""
        return _within(self.sections)


def _within(parts: Sequence[Part]) -> Iterator[Part]:
    for part in parts:
        yield part
        if isinstance(part, Section):
            yield from _within(part.parts)


# ---------------------------------------------------------------------------------------------------------- names


def slug(text: str) -> str:
    """A text as part of an address or a file name.

    >>> slug("Ratings, in Elo (95 %)"), slug("♞")
    ('ratings-in-elo-95', 'part')
    """
    return "-".join(re.findall(r"[a-z0-9]+", text.lower()))[:60].strip("-") or "part"


class Names:
    """Names that are given once.

    >>> names = Names()
    >>> names.take("Ratings"), names.take("ratings")
    ('ratings', 'ratings-2')
    """

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, wish: str) -> str:
        """The wish as a slug, with a number if it was given before."""
        name, number = slug(wish), 1
        while (given := name if number == 1 else f"{name}-{number}") in self._taken:
            number += 1
        self._taken.add(given)
        return given


def named_tables(document: Document) -> dict[str, Table]:
    """Every table by its name."""
    names = Names()
    return {names.take(part.name or part.caption): part for part in document.parts() if isinstance(part, Table)}


def named_figures(document: Document) -> dict[str, Figure]:
    """Every figure by its name."""
    names = Names()
    return {names.take(part.name): part for part in document.parts() if isinstance(part, Figure)}


# ---------------------------------------------------------------------------------------------------- simple text


class Span(NamedTuple):
    """A run of text: plain, bold, code, or a link to `address`."""

    kind: Literal["plain", "bold", "code", "link"]
    text: str
    address: str = ""


_SPAN = re.compile(r"`(?P<code>[^`]+)`|\*\*(?P<bold>.+?)\*\*|\[(?P<words>[^\]]+)\]\((?P<address>[^)\s]+)\)")


def spans(text: str) -> Iterator[Span]:
    """The runs of a paragraph, a caption or a note.

    >>> [span.kind for span in spans("see **this** `code` [here](https://example.org)")]
    ['plain', 'bold', 'plain', 'code', 'plain', 'link']
    """
    end = 0
    for found in _SPAN.finditer(text):
        if found.start() > end:
            yield Span("plain", text[end : found.start()])
        if found["code"]:
            yield Span("code", found["code"])
        elif found["bold"]:
            yield Span("bold", found["bold"])
        else:
            yield Span("link", found["words"], found["address"])
        end = found.end()
    if end < len(text):
        yield Span("plain", text[end:])


def words(text: str) -> str:
    """The text without its markup.

    >>> words("see **this** [here](https://example.org)")
    'see this here'
    """
    return "".join(span.text for span in spans(text))


def blocks(text: str) -> Iterator[list[str] | str]:
    """Paragraphs as text and lists as their items, from text with blank lines between them.

    >>> list(blocks("one\\nline\\n\\n- a\\n- b"))
    ['one line', ['a', 'b']]
    """
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in block.splitlines() if line.strip()]
        if lines and all(line.startswith("- ") for line in lines):
            yield [line[2:] for line in lines]
        elif lines:
            yield " ".join(lines)


def code(text: str) -> str:
    """Words as code in a paragraph; back quotes, which would end it, become apostrophes.

    >>> code("uct(playouts=1000)")
    '`uct(playouts=1000)`'
    """
    return "`" + text.replace("`", "'") + "`" if text.strip() else ""
