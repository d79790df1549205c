"""A document as one HTML page that needs nothing else: style and pictures are inside, there are no scripts.

The page follows the reader's choice of light or dark. Wide tables scroll within their own box, so the page itself never
scrolls sideways; on wide screens the list of contents stays in view. Pictures are inline SVG drawn by `report.figures`:
its ink, grid and paper become the page's colours, so one picture serves light and dark.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape

from outflank import __version__
from outflank.report import figures
from outflank.report.document import (
    Cell,
    Document,
    Figure,
    Names,
    Part,
    Section,
    Span,
    Table,
    Value,
    blocks,
    cell,
    spans,
    words,
)
from outflank.report.style import CSS
from outflank.report.svg import inline

GENERATOR = "outflank"
"""Marks pages that `report.write` may replace."""
_DEEPEST = 6
_SAFE_ADDRESS = re.compile(r"https?://|mailto:|(\.\./)*#|(\.\./)?([a-z0-9-]+/)?[a-z0-9-]+\.html(#|$)")
"""Elsewhere, in this page, on the board of the server above it, or another page of the report."""


def to_html(document: Document, picture: Callable[[Figure], str] = figures.svg) -> str:
    """The page. `picture` gives a figure as SVG; by default it is drawn."""
    return _Page(document, picture).text()


class _Page:
    """A page being written: names are given as the document is gone through."""

    def __init__(self, document: Document, picture: Callable[[Figure], str]) -> None:
        self._document = document
        self._picture = picture
        self._anchors = Names()
        self._names = Names()
        self._contents: list[tuple[int, str, str]] = []

    def text(self) -> str:
        title = escape(self._document.title)
        body = [line for section in self._document.sections for line in self._section(section, 2)]
        body += self._provenance()
        lines = [
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f'<meta name="generator" content="{GENERATOR} {__version__}">',
            f"<title>{title}</title>\n<style>{CSS}</style>\n</head>\n<body>",
            *self._navigation(),
            f"<main>\n<header>\n<h1>{title}</h1>",
            *_text(self._document.lead, "lead"),
            "</header>",
            *body,
            "</main>\n</body>\n</html>\n",
        ]
        return "\n".join(lines)

    def _navigation(self) -> Iterator[str]:
        if len(self._contents) < 2:
            return
        yield '<nav aria-label="Contents">\n<ul>'
        for level, anchor, title in self._contents:
            yield f'<li class="level{level}"><a href="#{anchor}">{escape(title)}</a></li>'
        yield "</ul>\n</nav>"

    def _provenance(self) -> Iterator[str]:
        if not self._document.provenance:
            return
        anchor = self._anchors.take("provenance")
        self._contents.append((2, anchor, "Provenance"))
        yield f'<footer id="{anchor}">\n<h2>Provenance</h2>\n<dl>'
        for key, value in self._document.provenance.items():
            yield f"<dt>{escape(key)}</dt><dd>{_lines(value)}</dd>"
        yield "</dl>\n</footer>"

    def _section(self, section: Section, level: int) -> Iterator[str]:
        anchor = self._anchors.take(section.anchor or section.title)
        if level <= 3:
            self._contents.append((level, anchor, section.title))
        tag = f"h{min(level, _DEEPEST)}"
        yield f'<section id="{anchor}">\n<{tag}>{escape(section.title)}</{tag}>'
        for part in section.parts:
            yield from self._part(part, level)
        yield "</section>"

    def _part(self, part: Part, level: int) -> Iterator[str]:
        if isinstance(part, str):
            yield from _text(part)
        elif isinstance(part, Table):
            yield from _table(part)
        elif isinstance(part, Figure):
            yield from self._figure(part)
        else:
            yield from self._section(part, level + 1)

    def _figure(self, figure: Figure) -> Iterator[str]:
        name = self._names.take(figure.name)
        yield f'<figure id="figure-{name}" class="picture">'
        yield f'<div class="view">{inline(self._picture(figure), name, words(figure.caption), figure.alt)}</div>'
        yield f"<figcaption>{_inline(figure.caption)}</figcaption>\n</figure>"


def _table(table: Table) -> Iterator[str]:
    yield '<figure class="table">'
    if table.caption:
        yield f"<figcaption>{_inline(table.caption)}</figcaption>"
    if table.rows:
        label = escape(words(table.caption) or "table")
        yield f'<div class="scroll" role="region" aria-label="{label}" tabindex="0">\n<table>'
        numeric = table.numeric  # looks at every cell: once a table and not once a row
        named = zip(table.columns, numeric, strict=True)
        heads = (_tag("th", escape(name), _right(right), 'scope="col"') for name, right in named)
        yield f"<thead><tr>{''.join(heads)}</tr></thead>\n<tbody>"
        for row in table.rows:
            yield _row(row, numeric)
        yield "</tbody>\n</table>\n</div>"
    else:
        yield '<p class="muted">nothing to show</p>'
    yield from _text(table.note, "note")
    yield "</figure>"


_TOGETHER = re.compile(r"(?<=\d) (?=[%\[])|(?<=\d,) (?=[\d−-])|(?<=[✓✗▲▼·○=]) ")
"""Blanks at which a number must not be torn: before a sign of per cent, in and before its interval, after its sign."""
_SHORT = 20
"""Characters of a name that stays on one line."""


def _row(row: Sequence[Value], numeric: Sequence[bool]) -> str:
    first, *others = (_cell(cell(value), right) for value, right in zip(row, numeric, strict=True))
    short = 'data-short=""' if len(cell(row[0]).shown) <= _SHORT else ""
    head = _tag("th", first[0], *first[1:], 'scope="row"', short)
    return f"<tr>{head}{''.join(_tag('td', *parts) for parts in others)}</tr>"


def _cell(value: Cell, right: bool) -> tuple[str, str, str]:
    """Content, classes and hint of a cell."""
    classes = " ".join(filter(None, (value.tone, "number" if right else "")))
    content = _TOGETHER.sub("\u00a0", _lines(value.shown))
    return (
        _linked(content, value.link),
        f'class="{classes}"' if classes else "",
        f'title="{escape(value.hint)}"' if value.hint else "",
    )


def _right(right: bool) -> str:
    return 'class="number"' if right else ""


def _tag(name: str, content: str, *attributes: str) -> str:
    return f"<{' '.join((name, *filter(None, attributes)))}>{content}</{name}>"


def _text(text: str, kind: str = "") -> Iterator[str]:
    attribute = f'class="{kind}"' if kind else ""
    for block in blocks(text):
        if isinstance(block, str):
            yield _tag("p", _inline(block), attribute)
        else:
            yield _tag("ul", "".join(_tag("li", _inline(item)) for item in block), attribute)


def _inline(text: str) -> str:
    return "".join(_span(span) for span in spans(text))


def _span(span: Span) -> str:
    text = escape(span.text)
    if span.kind == "link":
        return _linked(text, span.address)
    return {"bold": f"<strong>{text}</strong>", "code": f"<code>{text}</code>"}.get(span.kind, text)


def _linked(content: str, address: str) -> str:
    """Content that leads to an address, or the content alone where that is empty or not safe."""
    return f'<a href="{escape(address)}">{content}</a>' if _SAFE_ADDRESS.match(address) else content


def _lines(text: str) -> str:
    return "<br>".join(escape(line) for line in text.splitlines())
