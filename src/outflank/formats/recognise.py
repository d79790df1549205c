"""Whatever people paste: finds out which kind of text it is, and reads it.

The kinds are told apart by their looks, so that a mistake is explained as a mistake of one kind:

- `(;` somewhere: a GGF record, the first of several; it says itself which size and variant it is.
- A line of letters `a b c d …`: a board as `str`, `repr` and `outflank show` draw it; moves may follow.
- Sixteen board signs or more at the beginning: a board line, moves may follow; with a `;` it is an OBF line.
- A letter and a digit: a transcript from the usual start, on 8x8 unless a square lies beyond.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any, Literal

from outflank.board import SIZES, Position, Rules, Variant, parse_moves
from outflank.errors import BadNotation, OutflankError
from outflank.formats.ggf_records import ggf_games
from outflank.formats.obf_files import content_lines, obf_problems
from outflank.game import Game
from outflank.inputs import MOST_IN_GAME, MOST_IN_TEXT, check_length, decoded, expect, open_file, shown

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
    _check(source, variant, size)
    with _naming(source), _opened(source) as pieces:
        return _of_size(_read_text(next(pieces, ""), variant, size), size)


def _check(source: Source, variant: Variant, size: int | None) -> None:
    """Refuses arguments of the wrong kind."""
    if not hasattr(source, "read"):
        expect(str | Path, source=source)
    Rules(8 if size is None else size, variant)


@contextmanager
def _naming(source: Source) -> Iterator[None]:
    """A mistake in a file is told with its name."""
    try:
        yield
    except OutflankError as error:
        if isinstance(source, Path) and str(source) not in str(error):
            raise BadNotation(f"{source}: {error}") from None
        raise


def _of_size(game: Game, size: int | None) -> Game:
    found = game.rules.size
    if size not in (None, found):
        raise BadNotation(f"the board has {found}x{found} squares; expected {size}x{size}")
    return game


def read_all(source: Source, variant: Variant = "standard", size: int | None = None) -> Iterator[Game]:
    """Every game of a collection, one at a time: the records of a GGF file, otherwise a game or position on every line.

    A text whose lines are no games of their own, such as a drawn board or a transcript of several lines, is one game.
    Files and streams may have any size; each record or line has at most 100,000 characters.

    >>> [len(game) for game in read_all("f5d6\\nf5f6e6")]
    [2, 3]
    """
    _check(source, variant, size)
    return _read_all(source, variant, size)


def _read_all(source: Source, variant: Variant, size: int | None) -> Iterator[Game]:
    with _naming(source), _opened(source) as pieces:
        first = next(pieces, "")
        second = next(pieces, "")
        everything = chain([first, second], pieces)
        if "(;" in first:
            yield from ggf_games(everything)
        elif second:
            yield from _games_of_lines(_lines(everything), variant, size)
        else:
            yield from _read_texts(first, variant, size)


def _games_of_lines(lines: Iterable[str], variant: Variant, size: int | None) -> Iterator[Game]:
    for number, line in content_lines(lines):
        try:
            yield _read_text(line, variant, size)
        except OutflankError as error:
            raise BadNotation(f"line {number}: {error}") from None


def _read_texts(text: str, variant: Variant, size: int | None) -> list[Game]:
    """The games of a text that is not long: of its lines, or one that goes over several of them."""
    lines = [content for _, content in content_lines(text.splitlines())]
    if len(lines) > 1 and not _LETTERS.search(text):
        with suppress(OutflankError):
            return [_read_text(line, variant, size) for line in lines]
    return [_read_text(text, variant, size)]


@contextmanager
def _opened(source: Source) -> Iterator[Iterator[str]]:
    """The text of a source in pieces: the first is all of it unless it is very long."""
    if isinstance(source, str) and not (_FILE_NAME.fullmatch(source) and _is_file(source)):
        check_length(source, MOST_IN_TEXT, "games; files may have any size")
        yield iter([source])
    elif isinstance(source, str | Path):
        with open_file(source) as file:
            yield _pieces(file)
    else:
        yield _pieces(source)


def _pieces(file: IO[Any]) -> Iterator[str]:
    """What a file holds, cut behind the end of a line where there is one in reach."""
    while content := file.read(MOST_IN_TEXT):
        end = file.readline(MOST_IN_GAME)
        yield decoded(content + end) if isinstance(content, bytes) else content + end


def _lines(pieces: Iterable[str]) -> Iterator[str]:
    """The lines of pieces that end with lines."""
    for piece in pieces:
        for line in piece.splitlines():
            check_length(line, MOST_IN_GAME, "a line")
            yield line


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # too long for a name, or half a character
        return False


def _read_text(text: str, variant: Variant, size: int | None) -> Game:
    for kind in _KINDS:
        if kind.fits(text):
            try:
                if kind.name != _GGF:
                    check_length(text, MOST_IN_GAME, "a game")
                return kind.read(text, variant, size)
            except OutflankError as error:
                raise BadNotation(f"this looks like {kind.name}, but: {error}") from None
    *kinds, last = (kind.name + kind.example for kind in _KINDS)
    strange = shown(" ".join(text[:200].split()))
    raise BadNotation(f"{strange} is neither a game nor a position; expected {', '.join(kinds)}, or {last}")


def _ggf(text: str, _variant: Variant, _size: int | None) -> Game:
    return next(ggf_games([text]))


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
    lines = [content for _, content in content_lines(text.splitlines())]
    if ";" in lines[0]:
        return _told(next(obf_problems(lines, variant)).position, "", "obf")
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
    lines = (content for _, content in content_lines(text.splitlines()))
    return bool(_SIGNS.match("\n".join(lines)))


_GGF = "a GGF record"


@dataclass(frozen=True)
class _Kind:
    name: str
    example: str
    fits: Callable[[str], object]
    read: Callable[[str, Variant, int | None], Game]


_KINDS = (
    _Kind(_GGF, " (;GM[Othello]…;)", lambda text: "(;" in text, _ggf),
    _Kind("a drawn board", "", _LETTERS.search, _drawn),
    _Kind("a board line or an OBF line", " (n² squares and the side to move)", _begins_with_a_board, _line),
    _Kind("a transcript", " such as f5d6c3", _SQUARE.search, _transcript),
)
