"""Pictures of a board, and small tables: text for terminals, SVG and HTML for pages and notebooks, PNG for files.

Knows nothing of rules: a board is `n` rows of `n` characters, `X` black, `O` white, `-` empty, and marks are
squares `(row, column)`. `python -m outflank.render` prints a sample.
"""

import struct
import zlib
from collections.abc import Collection, Sequence
from html import escape
from string import ascii_lowercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Pixels = npt.NDArray[np.float32]

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


# --- pixels -----------------------------------------------------------------------------------------------------

_DENSE = 2
"""Pixels for every unit of the SVG drawing."""
_BACKGROUND, _BOARD, _GRID, _WORDS = (255, 255, 255), (46, 125, 79), (20, 83, 45), (85, 85, 85)
_BLACK, _WHITE, _FREE, _LAST = (17, 17, 17), (250, 250, 250), (167, 224, 189), (229, 72, 77)
_GLYPHS = {
    "a": "00000e010f110f",
    "b": "1010161911111e",
    "c": "00000e1010110e",
    "d": "01010d1311110f",
    "e": "00000e111f100e",
    "f": "0609081c080808",
    "g": "000f11110f010e",
    "h": "10101619111111",
    "i": "04000c0404040e",
    "j": "0200060202120c",
    "k": "10101214181412",
    "l": "0c04040404040e",
    "m": "00001a15151111",
    "n": "00001619111111",
    "o": "00000e1111110e",
    "p": "00001e111e1010",
    "0": "0e11131519110e",
    "1": "040c040404040e",
    "2": "0e11010204081f",
    "3": "1f02040201110e",
    "4": "02060a121f0202",
    "5": "1f101e0101110e",
    "6": "0608101e11110e",
    "7": "1f010204080808",
    "8": "0e11110e11110e",
    "9": "0e11110f01020c",
}
"""Letters and digits as seven rows of five dots, two hexadecimal digits each."""


def png_board(cells: Cells, legal: Squares = (), last: tuple[int, int] | None = None) -> bytes:
    """The drawing of `svg_board` as a PNG file, twice as large; nothing but numpy is needed for it.

    >>> png_board(["----", "-OX-", "-XO-", "----"])[:4]
    b'\\x89PNG'
    """
    size = len(cells)
    canvas = _Canvas((size * _CELL + _BORDER + 6) * _DENSE)
    canvas.square(_BORDER, _BORDER, size * _CELL, size * _CELL, _BOARD)
    for i in range(size + 1):
        canvas.square(_BORDER - 0.5, _BORDER + i * _CELL - 0.5, size * _CELL + 1, 1, _GRID)
        canvas.square(_BORDER + i * _CELL - 0.5, _BORDER - 0.5, 1, size * _CELL + 1, _GRID)
    for i in range(size):
        middle = _BORDER + (i + 0.5) * _CELL
        canvas.write(ascii_lowercase[i], middle, _BORDER / 2)
        canvas.write(str(i + 1), _BORDER / 2, middle)
    for row, line in enumerate(cells):
        for column, cell in enumerate(line):
            if cell in "XO":
                canvas.disc(row, column, 0.42 + 0.5 / _CELL, _BLACK)
                canvas.disc(row, column, 0.42 - 0.5 / _CELL, _BLACK if cell == "X" else _WHITE)
    for row, column in sorted(legal):
        canvas.disc(row, column, 0.13, _FREE)
    if last is not None:
        canvas.disc(*last, 0.12, _LAST)
    return canvas.png()


class _Canvas:
    """Pixels to draw on, in the units of the SVG drawing."""

    def __init__(self, side: int) -> None:
        import numpy as np

        self.pixels: Pixels = np.full((side, side, 3), _BACKGROUND, np.float32)

    def square(self, x: float, y: float, wide: float, high: float, colour: tuple[int, int, int]) -> None:
        """A rectangle, at whole pixels."""
        left, top, right, bottom = (round(_DENSE * at) for at in (x, y, x + wide, y + high))
        self.pixels[top:bottom, left:right] = colour

    def disc(self, row: int, column: int, radius: float, colour: tuple[int, int, int]) -> None:
        """A disc in a square, its edge mixed with what is below."""
        import numpy as np

        corner = [_DENSE * (_BORDER + at * _CELL) for at in (row, column)]
        side = _DENSE * _CELL
        away = np.arange(side) + 0.5 - side / 2
        covered = np.clip(radius * side - np.hypot(away[:, None], away) + 0.5, 0, 1)[..., None]
        part = self.pixels[corner[0] : corner[0] + side, corner[1] : corner[1] + side]
        part += covered * (np.array(colour) - part)

    def write(self, text: str, x: float, y: float) -> None:
        """Letters or digits around a point."""
        left, top = round(_DENSE * x) - 6 * len(text) * _DENSE // 2 + 1, round(_DENSE * y) - 7
        for number, sign in enumerate(text):
            for row in range(7):
                dots = int(_GLYPHS[sign][2 * row : 2 * row + 2], 16)
                for dot in range(5):
                    if dots >> (4 - dot) & 1:
                        at = left + 6 * _DENSE * number + 2 * dot
                        self.pixels[top + 2 * row : top + 2 * row + 2, at : at + 2] = _WORDS

    def png(self) -> bytes:
        """The file: a head, one compressed block of rows that each begin with a zero, an end."""
        import numpy as np

        side = len(self.pixels)
        rows = np.zeros((side, 3 * side + 1), np.uint8)
        rows[:, 1:] = (self.pixels + 0.5).astype(np.uint8).reshape(side, -1)
        head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
        parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
        chunks = (struct.pack(">I", len(data)) + kind + data + _crc(kind + data) for kind, data in parts)
        return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _crc(data: bytes) -> bytes:
    return struct.pack(">I", zlib.crc32(data))


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
