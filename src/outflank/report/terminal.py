"""Tables of a document in a terminal: with rich's colours where somebody watches, as aligned text elsewhere."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

from outflank.render import text_table
from outflank.report.document import Table, Tone, cell, words

if TYPE_CHECKING:
    from rich.table import Table as RichTable

_STYLES: dict[Tone, str] = {"": "", "good": "bold green", "bad": "bold red", "muted": "dim", "warn": "yellow"}

_PLAINER = str.maketrans({"▲": "^", "▼": "v", "✓": "+", "✗": "x", "–": "-", "½": "/2"})


def show(tables: Sequence[Table], file: TextIO | None = None) -> None:
    """Prints tables to a file, by default to stdout, in colours if that is a terminal."""
    out = file or sys.stdout
    if not out.isatty():
        text = "\n\n".join(plain(table) for table in tables)
        out.write(_encodable(text, out.encoding) + "\n")
        return
    from rich.console import Console

    console = Console(file=out)
    for number, table in enumerate(tables):
        if number:
            console.print()
        console.print(coloured(table))
        if table.note:
            console.print(words(table.note), style="dim", markup=False, highlight=False)


def _encodable(text: str, encoding: str | None) -> str:
    """The text with plainer signs where the reader's encoding lacks ours."""
    try:
        text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return text.translate(_PLAINER).encode("ascii", "replace").decode()
    return text


def plain(table: Table) -> str:
    """A table as aligned lines, its caption above and its note below.

    >>> print(plain(Table(["agent", "games"], [["random", 40], ["greedy", 8]], "Who played")))
    Who played
    agent   games
    random     40
    greedy      8
    """
    rows = [list(table.columns), *([cell(value).shown.replace("\n", " ") for value in row] for row in table.rows)]
    return "\n".join(filter(None, (words(table.caption), text_table(rows, table.numeric), words(table.note))))


def coloured(table: Table) -> "RichTable":
    """A table for a console of rich, without its note."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    caption = Text(words(table.caption), style="bold")
    shown: Any = RichTable(title=caption, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for name, right in zip(table.columns, table.numeric, strict=True):
        shown.add_column(Text(name), justify="right" if right else "left", no_wrap=right, overflow="fold")
    for row in table.rows:
        cells = [cell(value) for value in row]
        shown.add_row(*(Text(one.shown, style=_STYLES[one.tone]) for one in cells))
    return shown  # type: ignore[no-any-return]
