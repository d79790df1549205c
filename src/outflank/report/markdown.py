"""A document as Markdown, as GitHub reads it: aligned tables, pictures by reference."""

import re
from collections.abc import Iterator, Sequence

from outflank.report.document import (
    Cell,
    Document,
    Figure,
    Names,
    Part,
    Section,
    Span,
    Table,
    blocks,
    cell,
    slug,
    spans,
)

_SPECIAL = re.compile(r"([\\`*|~]|(?<!\w)_|_(?!\w)|\](?=[(\[:]))")
"""Signs that Markdown would take for markup; an underscore within a word and brackets around nothing are none."""
_DEEPEST = 6


def to_markdown(document: Document, pictures: str = "figures") -> str:
    """The document; its figures are looked for in the folder `pictures`, as `NAME.svg`.

    >>> print(to_markdown(Document("Ours", "Two **numbers**.", [Section("Sums", [Table(["n", "sum"], [[1, 2]])])])))
    # Ours
    <BLANKLINE>
    Two **numbers**.
    <BLANKLINE>
    ## Sums
    <BLANKLINE>
    |   n | sum |
    | --: | --: |
    |   1 |   2 |
    <BLANKLINE>
    """
    names = Names()
    lines = [f"# {_plain(document.title)}", *_text(document.lead)]
    for section in document.sections:
        lines += _section(section, 2, pictures, names)
    if document.provenance:
        facts = Table(["what", "value"], [[key, value] for key, value in document.provenance.items()])
        lines += ["## Provenance", *_table(facts)]
    return "\n\n".join(line for line in lines if line) + "\n"


def _section(section: Section, level: int, pictures: str, names: Names) -> Iterator[str]:
    if section.anchor and section.anchor != slug(section.title):
        yield f'<a id="{slug(section.anchor)}"></a>'
    yield f"{'#' * min(level, _DEEPEST)} {_plain(section.title)}"
    for part in section.parts:
        yield from _part(part, level, pictures, names)


def _part(part: Part, level: int, pictures: str, names: Names) -> Iterator[str]:
    if isinstance(part, str):
        yield from _text(part)
    elif isinstance(part, Table):
        yield from _table(part)
    elif isinstance(part, Figure):
        yield f"![{_plain(part.alt or part.caption)}]({pictures}/{names.take(part.name)}.svg)"
        yield f"*{_inline(part.caption)}*" if part.caption else ""
    else:
        yield from _section(part, level + 1, pictures, names)


def markdown_table(table: Table) -> str:
    """The rows of a table, aligned; without caption and note."""
    numeric = table.numeric
    cells = [[_plain(name) for name in table.columns], *([_cell(cell(x)) for x in row] for row in table.rows)]
    widths = [max(3, *(len(row[i]) for row in cells)) for i in range(len(table.columns))]
    rule = ["-" * (wide - 1) + ":" if right else "-" * wide for wide, right in zip(widths, numeric, strict=True)]
    return "\n".join(_line(row, widths, numeric) for row in (cells[0], rule, *cells[1:]))


def _table(table: Table) -> Iterator[str]:
    if table.caption:
        yield f"**{_inline(table.caption).replace('**', '')}**"
    yield markdown_table(table) if table.rows else "*nothing to show*"
    yield from _text(table.note)


def _line(row: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    padded = (
        text.rjust(wide) if right else text.ljust(wide) for text, wide, right in zip(row, widths, numeric, strict=True)
    )
    return f"| {' | '.join(padded)} |"


def _cell(value: Cell) -> str:
    return "<br>".join(_plain(line) for line in value.shown.splitlines())


def _text(text: str) -> Iterator[str]:
    for block in blocks(text):
        if isinstance(block, str):
            yield re.sub(r"^(?=[#+-])", r"\\", _inline(block))  # no heading and no list
        else:
            yield "\n".join(f"- {_inline(item)}" for item in block)


def _inline(text: str) -> str:
    return "".join(_span(span) for span in spans(text))


def _span(span: Span) -> str:
    if span.kind == "code":
        return f"`{span.text}`"
    if span.kind == "bold":
        return f"**{_plain(span.text)}**"
    if span.kind == "link":
        return f"[{_plain(span.text)}]({span.address})"
    return _plain(span.text)


def _plain(text: str) -> str:
    """Text that must not be taken for markup."""
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", safe)
