"""Whatever people paste: finds out which kind of text it is, and reads it.

The kinds are told apart by their looks, so that a mistake is explained as a mistake of one kind:

- `(;` somewhere: a GGF record, the first of several; it says itself which size and variant it is.
- A line of letters `a b c d …`: a board as `str`, `repr` and `outflank show` draw it; moves may follow.
- Sixteen board signs or more at the beginning: a board line, moves may follow; with a `;` it is an OBF line.
- A letter and a digit: a transcript from the usual start, on 8x8 unless a square lies beyond.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from outflank.board import SIZES, Position, Rules, Variant, parse_moves
from outflank.errors import BadNotation, OutflankError
from outflank.formats.ggf_records import read_ggf
from outflank.formats.obf_files import content_lines, read_obf
from outflank.game import Game

Source = str | Path | IO[str] | IO[bytes]
Format = Literal["ggf", "obf", "board", "board and moves", "transcript"]

_SIGN = "[-._Xx*Bb●Oo○Ww]"
_SIGNS = re.compile(rf"(?:\s*{_SIGN}){{16,}}")
_LETTERS = re.compile(r"^[ \t]*a[ \t]*b[ \t]*c[ \t]*d(?:[ \t]*[e-p])*[ \t]*$", re.IGNORECASE | re.MULTILINE)
_SIDE = re.compile(r"\b(black|white|x|o)\s+to\s+move", re.IGNORECASE)
_RULES = re.compile(r"\b(standard|reversed) [0-9]+x[0-9]+")
_CAPTION = re.compile(r"to move|game over|legal moves:|discs:|score for", re.IGNORECASE)
_SQUARE = re.compile(r"[a-p][0-9]", re.IGNORECASE)
_FILE_NAME = re.compile(r"[^\0\n]{1,1000}")
_BEFORE_A_DIGIT = 3
"""Moves behind a board may begin with so many board signs: `--b3` is a pass and a square."""


def read(source: Source, variant: Variant = "standard", size: int | None = None) -> Game:
    """The game or position that a text, a file or a stream holds, whichever way it is written; the first of several.

    `tags["format"]` says which way it was. `variant` counts where the text does not tell; `size` is the board of a
    transcript that would pass for 8x8, and an error where the text has another. A text on one line that names a file is
    that file.

    >>> read("f5d6c3").tags["format"], read("-----OX--XO----- X b1a1").moves
    ('transcript', (b1, a1))
    >>> read("good evening")
    Traceback (most recent call last):
    outflank.errors.BadNotation: 'good evening' is neither a game nor a position; expected a GGF record
    (;GM[Othello]…;), a drawn board, a board line or an OBF line (n² squares and the side to move), or a transcript such
    as f5d6c3
    """
    text = _text_of(source)
    with _naming(source):
        return _of_size(_read_text(text, variant, size), size)


@contextmanager
def _naming(source: Source) -> Iterator[None]:
    """A mistake in a file is told with its name."""
    try:
        yield
    except OutflankError as error:
        if isinstance(source, Path):
            raise BadNotation(f"{source}: {error}") from None
        raise


def _of_size(game: Game, size: int | None) -> Game:
    found = game.rules.size
    if size not in (None, found):
        raise BadNotation(f"the board has {found}x{found} squares; expected {size}x{size}")
    return game


def read_all(source: Source, variant: Variant = "standard", size: int | None = None) -> list[Game]:
    """Every game of a collection: the records of a GGF file, otherwise a game or position on every line.

    A text whose lines are no games of their own, such as a drawn board or a transcript of several lines, is one game.

    >>> [len(game) for game in read_all("f5d6\\nf5f6e6")]
    [2, 3]
    """
    text = _text_of(source)
    with _naming(source):
        return _read_texts(text, variant, size)


def _read_texts(text: str, variant: Variant, size: int | None) -> list[Game]:
    if "(;" in text:
        return read_ggf(text)
    lines = [content for _, content in content_lines(text)]
    if len(lines) > 1 and not _LETTERS.search(text):
        try:
            return [_read_text(line, variant, size) for line in lines]
        except OutflankError:
            pass  # one game that goes over several lines
    return [_read_text(text, variant, size)]


def _text_of(source: Source) -> str:
    if isinstance(source, str):
        if not _FILE_NAME.fullmatch(source) or not _is_file(source):
            return source
        source = Path(source)
    content = source.read_bytes() if isinstance(source, Path) else source.read()
    if isinstance(content, str):
        return content
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:  # GGF is Latin-1
        return content.decode("latin-1")


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except OSError:  # too long for a name
        return False


def _read_text(text: str, variant: Variant, size: int | None) -> Game:
    for kind in _KINDS:
        if kind.fits(text):
            try:
                return kind.read(text, variant, size)
            except OutflankError as error:
                raise BadNotation(f"this looks like {kind.name}, but: {error}") from None
    shown = " ".join(text[:200].split())[:60]
    *kinds, last = (kind.name + kind.example for kind in _KINDS)
    raise BadNotation(f"{shown!r} is neither a game nor a position; expected {', '.join(kinds)}, or {last}")


def _ggf(text: str, _variant: Variant, _size: int | None) -> Game:
    return read_ggf(text)[0]


def _drawn(text: str, variant: Variant, _size: int | None) -> Game:
    """Rows of a letter line's length below it; captions may tell the side to move and the variant."""
    above, letters, below = _around_letters(text)
    lines = [line for line in below.splitlines() if line.strip()]
    signs = "".join(_row(lines, row, len(letters)) for row in range(len(letters)))
    captions = [line for line in (*above.splitlines(), *lines[len(letters) :]) if _CAPTION.search(line)]
    side = _SIDE.search("\n".join(captions))
    if side is None and not any("game over" in line for line in captions):
        raise BadNotation("there is no side to move; expected a line such as black to move")
    told = _RULES.search("\n".join(captions))
    if told:
        variant = "reversed" if told[1] == "reversed" else "standard"
    turn = "O" if side and side[1].lower() in ("white", "o") else "X"
    moves = [line for line in lines[len(letters) :] if not _CAPTION.search(line) and not _LETTERS.match(line)]
    return _board_and_moves(Position.parse(signs + turn, variant), "\n".join(moves))


def _around_letters(text: str) -> tuple[str, str, str]:
    found = _LETTERS.search(text)
    assert found is not None, "the caller looked"
    return text[: found.start()], "".join(found[0].split()), text[found.end() :]


def _row(lines: list[str], row: int, size: int) -> str:
    line = lines[row] if row < len(lines) else ""
    found = re.match(rf"\s*{row + 1}\b\s*((?:{_SIGN}\s*){{{size}}})", line)
    if found is None:
        raise BadNotation(f"row {row + 1} of the drawn board is {line.strip()[:40]!r}; expected {size} squares")
    return "".join(found[1].split())


def _line(text: str, variant: Variant, _size: int | None) -> Game:
    """The longest board that the signs at the beginning fill, and what follows it as moves."""
    lines = [content for _, content in content_lines(text)]
    if ";" in lines[0]:
        return _told(read_obf(lines[0], variant)[0].position, "", "obf")
    content = "\n".join(lines)
    signs = _SIGNS.match(content)
    ends = [at for at, sign in enumerate(signs[0] if signs else "") if not sign.isspace()]
    for size in reversed(SIZES):
        if 0 <= len(ends) - (size * size + 1) <= _BEFORE_A_DIGIT:
            cut = ends[size * size] + 1
            return _board_and_moves(Position.parse(content[:cut], variant), content[cut:])
    return _board_and_moves(Position.parse(content, variant), "")


def _board_and_moves(start: Position, text: str) -> Game:
    return _told(start, text, "board and moves" if parse_moves(text, start.rules) else "board")


def _told(start: Position, moves: str, form: Format) -> Game:
    return Game.of(start, moves, tags={"format": form})


def _transcript(text: str, variant: Variant, size: int | None) -> Game:
    sizes = [each for each in SIZES if each >= 8] if size is None else [size]
    readable = (each for each in sizes if _has_squares_of(text, Rules(each, variant)))
    start = Position.start(Rules(next(readable, sizes[0]), variant))
    return _told(start, text, "transcript")


def _has_squares_of(text: str, rules: Rules) -> bool:
    try:
        return bool(parse_moves(text, rules))
    except BadNotation:
        return False


def _begins_with_a_board(text: str) -> bool:
    lines = (content for _, content in content_lines(text))
    return bool(_SIGNS.match("\n".join(lines)))


@dataclass(frozen=True)
class _Kind:
    name: str
    example: str
    fits: Callable[[str], object]
    read: Callable[[str, Variant, int | None], Game]


_KINDS = (
    _Kind("a GGF record", " (;GM[Othello]…;)", lambda text: "(;" in text, _ggf),
    _Kind("a drawn board", "", _LETTERS.search, _drawn),
    _Kind("a board line or an OBF line", " (n² squares and the side to move)", _begins_with_a_board, _line),
    _Kind("a transcript", " such as f5d6c3", _SQUARE.search, _transcript),
)
