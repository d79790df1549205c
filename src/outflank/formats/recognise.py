"""Whatever people paste: finds out which kind of text it is, and reads it.

The kinds are told apart by their looks, so that a mistake is explained as a mistake of one kind:

- Bytes that begin with a date and a board size: a WTHOR file; names of players are looked for beside it.
- `(;` somewhere: an SGF record where it numbers the game (`GM[2]`), otherwise a GGF record, the first of several; both
  say themselves which size and variant they are.
- `#` and `rules=`: a link of the page of `outflank play`.
- A line of letters `a b c d …`: a board as `str`, `repr` and `outflank show` draw it; moves may follow.
- Sixteen board signs or more at the beginning: a board line, moves may follow; with a `;` it is an OBF line.
- A letter and a digit: a transcript from the usual start, on 8x8 unless a square lies beyond; a result may follow.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import IO, Any, Literal
from urllib.parse import parse_qs

from outflank.board import SIZES, Position, Rules, Variant, parse_moves
from outflank.errors import BadNotation, OutflankError
from outflank.formats.ggf_records import ggf_games
from outflank.formats.obf_files import content_lines, obf_problems
from outflank.formats.sgf_records import is_sgf, sgf_games
from outflank.formats.transcripts import read_transcript, split_result
from outflank.formats.wthor_files import Names, is_wthor, names_beside, wthor_games
from outflank.game import Game
from outflank.inputs import MOST_IN_GAME, MOST_IN_TEXT, check_length, decoded, expect, open_file, shown

Source = str | Path | IO[str] | IO[bytes]
Format = Literal["ggf", "sgf", "wthor", "link", "obf", "board", "board and moves", "transcript"]

ENDINGS = (".ggf", ".obf", ".sgf", ".txt", ".wtb")
"""Of the files that are read where a directory is given."""

_SIGN = "[-._Xx*Bb●Oo○Ww]"
_SIGNS = re.compile(rf"(?:\s*{_SIGN}){{16,}}")
_LETTERS = re.compile(r"^[ \t]*a[ \t]*b[ \t]*c[ \t]*d(?:[ \t]*[e-p])*[ \t]*$", re.IGNORECASE | re.MULTILINE)
_SIDE = re.compile(r"\b(black|white|x|o)\s+to\s+move", re.IGNORECASE)
_RULES = re.compile(r"\b(standard|reversed) [0-9]+x[0-9]+")
_CAPTION = re.compile(r"to move|game over|legal moves:|discs:|score for", re.IGNORECASE)
_SQUARE = re.compile(r"[a-p][0-9]", re.IGNORECASE)
_LINK = re.compile(r"#[^\s#]*\brules=[^\s#]*")
_MOST_IN_LINK = 20
"""Settings of a link."""
_FILE_NAME = re.compile(r"[^\0\n]{1,1000}")
_BEFORE_A_DIGIT = 3
"""Moves behind a board may begin with so many board signs: `--b3` is a pass and a square."""


def read(source: Source, variant: Variant = "standard", size: int | None = None) -> Game:
    """The game or position that a text, a file or a stream holds, whichever way it is written; the first of several.

    `tags["format"]` says which way it was. `variant` counts where the text does not tell; `size` is the board of a
    transcript that would pass for 8x8, and an error where the text has another. A text on one line that names a file is
    that file; of a directory it is the first game in it.

    >>> read("f5d6c3").tags["format"], read("-----OX--XO----- X b1a1").moves
    ('transcript', (b1, a1))
    >>> read("good evening")
    Traceback (most recent call last):
    outflank.errors.BadNotation: 'good evening' is neither a game nor a position; expected an SGF record (;GM[2]…), a
    GGF record (;GM[Othello]…;), a link of the page (#rules=…&moves=…), a drawn board, a board line or an OBF line (n²
    squares and the side to move), or a transcript such as f5d6c3
    """
    _check(source, variant, size)
    if _is_there(source, Path.is_dir):
        return _first(_read_all(source, variant, size), source)
    with _naming(source), _opened(source) as pieces:
        first = _beginning(pieces)
        if isinstance(first, bytes) and is_wthor(first):
            return _of_size(_first(_wthor(first, pieces, source), source), size)
        return _of_size(_read_text(_text(first), variant, size), size)


def _first(games: Iterator[Game], source: Source) -> Game:
    for game in games:
        return game
    raise BadNotation(f"there is no game in {shown(str(source))}")


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
    """Every game of a collection, one at a time: the records of a file, otherwise a game or position on every line.

    A text whose lines are no games of their own, such as a drawn board or a transcript of several lines, is one game.
    Files and streams may have any size; each record or line has at most 100,000 characters. Of a directory all files
    are read that end like files of games, in the order of their names.

    >>> [len(game) for game in read_all("f5d6\\nf5f6e6")]
    [2, 3]
    """
    _check(source, variant, size)
    return _read_all(source, variant, size)


def _read_all(source: Source, variant: Variant, size: int | None) -> Iterator[Game]:
    if _is_there(source, Path.is_dir):
        for path in sorted(Path(str(source)).iterdir()):
            if path.suffix.lower() in ENDINGS and path.is_file():
                yield from _read_all(path, variant, size)
        return
    with _naming(source), _opened(source) as pieces:
        first = _beginning(pieces)
        if isinstance(first, bytes) and is_wthor(first):
            yield from _wthor(first, pieces, source)
            return
        text, second = _text(first), _text(next(pieces, ""))
        everything = chain([text, second], map(_text, pieces))
        if is_sgf(text):
            yield from sgf_games(everything)
        elif "(;" in text:
            yield from ggf_games(everything)
        elif second:
            yield from _games_of_lines(_lines(everything), variant, size)
        else:
            yield from _read_texts(text, variant, size)


def _beginning(pieces: Iterator[str | bytes]) -> str | bytes:
    """The first piece. Stores are read by a room above this one."""
    first = next(pieces, "")
    if isinstance(first, bytes) and first.startswith(b"SQLite format 3\0"):
        raise BadNotation("this is a store of games, which Store(FILE).games() reads; expected text or WTHOR")
    return first


def _wthor(first: bytes, pieces: Iterator[str | bytes], source: Source) -> Iterator[Game]:
    """The games of a database with the names beside its file; beside a stream there are none."""
    names = names_beside(Path(source)) if isinstance(source, str | Path) else Names()
    return wthor_games(chain([first], (piece for piece in pieces if isinstance(piece, bytes))), names)


def _text(piece: str | bytes) -> str:
    return decoded(piece) if isinstance(piece, bytes) else piece


def _games_of_lines(lines: Iterable[str], variant: Variant, size: int | None) -> Iterator[Game]:
    for number, line in _content(lines):
        try:
            yield _read_text(line, variant, size)
        except OutflankError as error:
            raise BadNotation(f"line {number}: {error}") from None


def _read_texts(text: str, variant: Variant, size: int | None) -> list[Game]:
    """The games of a text that is not long: of its lines, or one that goes over several of them."""
    lines = [content for _, content in _content(text.splitlines())]
    if len(lines) > 1 and not _LETTERS.search(text):
        with suppress(OutflankError):
            return [_read_text(line, variant, size) for line in lines]
    return [_read_text(text, variant, size)]


def _content(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines that say something with their numbers; behind the `#` of a link there is no comment."""
    for number, line in enumerate(lines, start=1):
        said = [line.strip()] if _LINK.search(line) else [content for _, content in content_lines([line])]
        yield from ((number, content) for content in said)


@contextmanager
def _opened(source: Source) -> Iterator[Iterator[str | bytes]]:
    """What a source holds in pieces: the first is all of it unless it is very long."""
    if isinstance(source, str) and not _is_there(source, Path.is_file):
        check_length(source, MOST_IN_TEXT, "games; files may have any size")
        yield iter([source])
    elif isinstance(source, str | Path):
        with open_file(source) as file:
            yield _pieces(file)
    else:
        yield _pieces(source)


def _pieces(file: IO[Any]) -> Iterator[str | bytes]:
    """What a file holds, cut behind the end of a line where there is one in reach."""
    while content := file.read(MOST_IN_TEXT):
        yield content + file.readline(MOST_IN_GAME)


def _lines(pieces: Iterable[str]) -> Iterator[str]:
    """The lines of pieces that end with lines."""
    for piece in pieces:
        for line in piece.splitlines():
            check_length(line, MOST_IN_GAME, "a line")
            yield line


def _is_there(source: Source, asked: Callable[[Path], bool]) -> bool:
    """Whether a source is the name of what is asked for."""
    if isinstance(source, str) and not _FILE_NAME.fullmatch(source):
        return False
    try:
        return isinstance(source, str | Path) and asked(Path(source))
    except (OSError, ValueError):  # too long for a name, or half a character
        return False


def _read_text(text: str, variant: Variant, size: int | None) -> Game:
    for kind in _KINDS:
        if kind.fits(text):
            try:
                if kind.name not in _RECORDS:
                    check_length(text, MOST_IN_GAME, "a game")
                return kind.read(text, variant, size)
            except OutflankError as error:
                raise BadNotation(f"this looks like {kind.name}, but: {error}") from None
    *kinds, last = (kind.name + kind.example for kind in _KINDS)
    strange = shown(" ".join(text[:200].split()))
    raise BadNotation(f"{strange} is neither a game nor a position; expected {', '.join(kinds)}, or {last}")


def _ggf(text: str, _variant: Variant, _size: int | None) -> Game:
    return next(ggf_games([text]))


def _sgf(text: str, _variant: Variant, _size: int | None) -> Game:
    return next(sgf_games([text]))


def _link(text: str, _variant: Variant, _size: int | None) -> Game:
    """The game that the page writes into its address: rules, moves, maybe a start; in what it shares also the moves
    that follow (`then`) and who plays."""
    found = _LINK.search(text)
    assert found is not None, "the caller looked"
    try:
        parts = parse_qs(found[0][1:], max_num_fields=_MOST_IN_LINK)
    except ValueError:
        raise BadNotation(f"a link of more than {_MOST_IN_LINK} parts; expected rules, moves and start") from None
    rules = Rules.parse(parts.get("rules", [""])[0].replace("-", " "))
    line = parts.get("start", [""])[0]
    start = Position.parse(line, rules.variant) if line else Position.start(rules)
    if start.rules != rules:
        raise BadNotation(f"the link is of {rules}, but its start of {start.rules}; expected the same")
    moves = parts.get("moves", [""])[0] + parts.get("then", [""])[0]
    black, white = (parts.get(side, [""])[0].removeprefix("agent:") for side in ("black", "white"))
    return replace(_told(start, moves, "link"), black=black, white=white)


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
    moves, _ = split_result(text)
    readable = (each for each in sizes if _has_squares_of(moves, Rules(each, variant)))
    return read_transcript(text, Position.start(Rules(next(readable, sizes[0]), variant)))


def _has_squares_of(text: str, rules: Rules) -> bool:
    try:
        return bool(parse_moves(text, rules))
    except BadNotation:
        return False


def _begins_with_a_board(text: str) -> bool:
    lines = (content for _, content in content_lines(text.splitlines()))
    return bool(_SIGNS.match("\n".join(lines)))


_SGF, _GGF = "an SGF record", "a GGF record"
_RECORDS = (_SGF, _GGF)
"""Bounded by their readers: there may be many."""


@dataclass(frozen=True)
class _Kind:
    name: str
    example: str
    fits: Callable[[str], object]
    read: Callable[[str, Variant, int | None], Game]


_KINDS = (
    _Kind(_SGF, " (;GM[2]…)", is_sgf, _sgf),
    _Kind(_GGF, " (;GM[Othello]…;)", lambda text: "(;" in text, _ggf),
    _Kind("a link of the page", " (#rules=…&moves=…)", _LINK.search, _link),
    _Kind("a drawn board", "", _LETTERS.search, _drawn),
    _Kind("a board line or an OBF line", " (n² squares and the side to move)", _begins_with_a_board, _line),
    _Kind("a transcript", " such as f5d6c3", _SQUARE.search, _transcript),
)
