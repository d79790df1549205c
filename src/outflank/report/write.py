"""Writes a document into a directory: the page, Markdown, pictures and tables.

    index.html          the whole report in one file, or its first page with others beside it
    report.md           the same as Markdown, with pictures beside it
    figures/NAME.svg    every figure, also as PNG
    tables/NAME.csv     every table

Each file is written beside its place and renamed, so a reader never finds half of one; the page comes last. Other files
in the directory are left alone, and a page that Outflank did not write is never replaced.
"""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from outflank.errors import OutflankError
from outflank.inputs import put_file
from outflank.report import figures
from outflank.report.document import Document, Table, Value, cell, named_figures, named_tables
from outflank.report.html import GENERATOR, to_html
from outflank.report.markdown import to_markdown


def check(directory: str | Path) -> None:
    """Says before hours of playing what would keep `write` from writing there."""
    figures.require_matplotlib()
    page = Path(directory) / "index.html"
    if page.exists() and f'name="generator" content="{GENERATOR} ' not in page.read_text("utf-8", "replace"):
        raise OutflankError(f"{page} was not written by Outflank and is not replaced; expected another directory")


def write(document: Document, directory: str | Path, pages: Mapping[str, Document] | None = None) -> Path:
    """Writes everything and returns the path of the page.

    A large document can be split: `pages` then has the HTML pages by name, `index` among them, made of its parts.
    """
    check(directory)
    place = Path(directory)
    drawn = {name: (figure, figures.draw(figure)) for name, figure in named_figures(document).items()}
    for name, (_, picture) in drawn.items():
        put_file(place / "figures" / f"{name}.svg", picture.svg.encode())
        put_file(place / "figures" / f"{name}.png", picture.png)
    for name, table in named_tables(document).items():
        put_file(place / "tables" / f"{name}.csv", to_csv(table).encode())
    put_file(place / "report.md", to_markdown(document).encode())
    vectors = {figure: picture.svg for figure, picture in drawn.values()}
    for name, page in sorted((pages or {"index": document}).items(), key=lambda item: item[0] == "index"):
        put_file(place / f"{name}.html", to_html(page, vectors.__getitem__).encode())
    return place / "index.html"


def to_csv(table: Table) -> str:
    """A table for programs: numbers as they are, cells as their text, nothing for what is not known.

    >>> to_csv(Table(["agent", "games"], [["a, b", 12345], ["c", None]]))
    'agent,games\\n"a, b",12345\\nc,\\n'
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_raw(value) for value in row] for row in table.rows)
    return buffer.getvalue()


def _raw(value: Value) -> str | int | float | None:
    if value is None or isinstance(value, int | float):
        return value
    return cell(value).text.replace("\r\n", "\n").replace("\r", "\n")  # csv leaves a lone \r without quotes
