"""Pictures of a board, and small tables: text for terminals, SVG and HTML for pages and notebooks.

Knows nothing of rules: a board is `n` rows of `n` characters, `X` black, `O` white, `-` empty, and marks are
squares `(row, column)`. `python -m outflank.render` prints a sample.
"""

from collections.abc import Collection, Sequence
from html import escape
from string import ascii_lowercase

Cells = Sequence[str]
Squares = Collection[tuple[int, int]]

_CELL = 40
_BORDER = 22
_LEGAL = "."


def text_board(cells: Cells, legal: Squares = (), last: tuple[int, int] | None = None) -> str:
    """The board with coordinates, one line per row; legal moves are dots, the last move is in brackets.

    Without brackets `Position.parse` reads it back.

    >>> print(text_board(["----", "-OX-", "-XO-", "----"], legal=[(0, 1)]))
      a b c d
    1 - . - - 1
    2 - O X - 2
    3 - X O - 3
    4 - - - - 4
      a b c d
    """
    size = len(cells)
    wide = len(str(size))
    letters = " " * (wide + 1) + " ".join(ascii_lowercase[:size])
    lines = [letters]
    for row, line in enumerate(cells):
        marks = " ".join(_LEGAL if (row, column) in legal else cell for column, cell in enumerate(line))
        squares = _bracketed(f" {marks} ", last[1]) if last and row == last[0] else f" {marks} "
        lines.append(f"{row + 1:>{wide}}{squares}{row + 1}")
    return "\n".join([*lines, letters])


def _bracketed(row: str, column: int) -> str:
    """A row of squares, each between two blanks, with brackets around one of them."""
    at = 2 * column
    return f"{row[:at]}({row[at + 1]}){row[at + 3 :]}"


def _disc(row: int, column: int, colour: str) -> str:
    x, y = _BORDER + (column + 0.5) * _CELL, _BORDER + (row + 0.5) * _CELL
    fill = "#111" if colour == "X" else "#fafafa"
    return f'<circle cx="{x:g}" cy="{y:g}" r="{_CELL * 0.42:g}" fill="{fill}" stroke="#111" stroke-width="1"/>'


def _dot(row: int, column: int, colour: str, radius: float) -> str:
    x, y = _BORDER + (column + 0.5) * _CELL, _BORDER + (row + 0.5) * _CELL
    return f'<circle cx="{x:g}" cy="{y:g}" r="{_CELL * radius:g}" fill="{colour}"/>'


def _labels(size: int) -> list[str]:
    labels = []
    for i in range(size):
        middle = _BORDER + (i + 0.5) * _CELL
        labels.append(f'<text x="{middle:g}" y="{_BORDER - 7}">{ascii_lowercase[i]}</text>')
        labels.append(f'<text x="{_BORDER / 2:g}" y="{middle + 4:g}">{i + 1}</text>')
    return labels


def svg_board(cells: Cells, legal: Squares = (), last: tuple[int, int] | None = None, title: str = "") -> str:
    """An SVG drawing of the board: discs, dots on legal moves, a red dot on the last move.

    >>> svg = svg_board(["----", "-OX-", "-XO-", "----"], legal=[(0, 1)], title="Black to move")
    >>> svg.startswith("<svg") and svg.count("<circle") == 5
    True
    """
    size = len(cells)
    side = size * _CELL
    total = side + _BORDER + 6
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {total}" width="{total}" height="{total}" '
        f'role="img" font-family="sans-serif" font-size="13" text-anchor="middle" fill="#555">',
        f"<title>{title}</title>" if title else "",
        f'<rect x="{_BORDER}" y="{_BORDER}" width="{side}" height="{side}" fill="#2e7d4f"/>',
    ]
    for i in range(size + 1):
        at = _BORDER + i * _CELL
        parts.append(f'<path d="M{_BORDER} {at}h{side}M{at} {_BORDER}v{side}" stroke="#14532d" stroke-width="1"/>')
    parts += _labels(size)
    for row, line in enumerate(cells):
        parts += [_disc(row, column, cell) for column, cell in enumerate(line) if cell in "XO"]
    parts += [_dot(row, column, "#a7e0bd", 0.13) for row, column in sorted(legal)]
    if last is not None:
        parts.append(_dot(*last, "#e5484d", 0.12))
    return "\n".join(part for part in [*parts, "</svg>"] if part)


# --- tables ---------------------------------------------------------------------------------------------------


def text_table(rows: Sequence[Sequence[str]], right: Sequence[bool] = ()) -> str:
    """Rows as aligned lines; columns that `right` marks are set flush right.

    >>> print(text_table([["random", "4"], ["greedy", "40"]], [False, True]))
    random   4
    greedy  40
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = right or [False] * len(widths)
    lines = (
        "  ".join(
            text.rjust(wide) if to_right else text.ljust(wide)
            for text, wide, to_right in zip(row, widths, sides, strict=True)
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def html_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under columns for a notebook; columns without any content are left out, and without names there is no head.

    >>> html_table(["move", "value"], [["f5", "<3"]]).count("&lt;3")
    1
    """
    filled = [i for i in range(len(columns)) if any(row[i] for row in rows)]
    style = 'style="text-align: left; padding: 0.1em 1em 0.1em 0"'
    heads = "".join(f"<th {style}>{escape(columns[i])}</th>" for i in filled)
    lines = ("".join(f"<td {style}>{escape(row[i])}</td>" for i in filled) for row in rows)
    head = f"<thead><tr>{heads}</tr></thead>" if any(columns) else ""
    return f"<table>{head}<tbody>{''.join(f'<tr>{line}</tr>' for line in lines)}</tbody></table>"


def html_block(title: str, *lines: str, html: str = "") -> str:
    """A title, lines of text, and finished HTML such as a board or a table, for a notebook.

    >>> html_block("A & B", "a draw")
    '<div><p style="overflow-wrap: anywhere"><strong>A &amp; B</strong><br>a draw</p></div>'
    """
    text = "<br>".join([f"<strong>{escape(title)}</strong>", *map(escape, lines)])
    return f'<div><p style="overflow-wrap: anywhere">{text}</p>{html}</div>'


if __name__ == "__main__":
    print(text_board(["----", "-OX-", "-XO-", "----"], legal=[(0, 1), (1, 0), (2, 3), (3, 2)]))
