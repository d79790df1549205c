"""What comes from outside, before anyone reads it: how long texts and files may be, and which files are opened at all.

Every reader takes time and memory in proportion to its text, and no text is longer than is said here. Files of many
games are read piece by piece and may have any size.
"""

import os
import re
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import IO, Any

from outflank.errors import BadSpec

MOST_IN_AGENT = 10_000
"""Characters of the text of an agent, of openings, limits and clocks."""
MOST_DIGITS = 40
"""Digits of a number in such a text."""
MOST_NESTED = 20
"""Brackets within brackets in such a text."""
MOST_IN_GAME = 100_000
"""Characters of one game or position: a transcript, a drawn board, a GGF record, a line of a file."""
MOST_IN_TEXT = 1_000_000
"""Characters of a text that holds many games, and bytes of a file of settings."""
_MOST_IN_NAME = 255
"""Bytes of the name of a file, nearly everywhere."""
_MOST_KEY_PARTS = 30
"""`tomllib` takes time with the square of the parts of a key such as `a.b.c`."""

_LONG_KEY = re.compile(rf"""(?<!["'\w-])(?:["'\w-]++[ \t]*+\.[ \t]*+){{{_MOST_KEY_PARTS}}}""")
_WORDS: dict[Any, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    type(None): "None",
    Path: "a path",
}


def shown(value: object, most: int = 60) -> str:
    """A value as an error quotes it: cut where it is long, and never failing.

    >>> shown("f5"), shown("x" * 100, most=8), shown(10**5000)
    ("'f5'", "'xxxxxx…", 'int')
    """
    try:
        text = repr(value[: most + 1] if isinstance(value, str | bytes) else value)
    except Exception:  # a number of 5,000 digits, or an object that cannot print itself
        return type(value).__name__
    return text if len(text) <= most + 2 else f"{text[: most - 1]}…"


def expect(kind: type | UnionType, **values: object) -> None:
    """Raises `BadSpec` for the first of these arguments that is not of a kind; True and False are no numbers.

    >>> expect(int | None, games=4, seed=None)
    >>> expect(str, text=5)
    Traceback (most recent call last):
    outflank.errors.BadSpec: text=5 is not possible; expected a text
    """
    kinds = kind.__args__ if isinstance(kind, UnionType) else (kind,)
    for name, value in values.items():
        if not any(_is(value, each) for each in kinds):
            words = " or ".join(_WORDS.get(each, each.__name__) for each in kinds)
            raise BadSpec(f"{name}={shown(value)} is not possible; expected {words}")


def _is(value: object, kind: type) -> bool:
    if isinstance(value, bool):
        return kind in (bool, object)
    if kind is int:
        return is_whole(value)
    if kind is float:
        return isinstance(value, float) or is_whole(value)
    return isinstance(value, kind)


def is_whole(value: object) -> bool:
    """Whether a value is a whole number, numpy's too; True and False are none.

    >>> is_whole(8), is_whole(8.0), is_whole(True)
    (True, False, False)
    """
    return not isinstance(value, bool) and hasattr(type(value), "__index__")


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}…"


def check_length(text: str, most: int, what: str) -> None:
    """Refuses what is no text, and a text that is too long.

    >>> check_length("f5" * 50, 10, "a game")
    Traceback (most recent call last):
    outflank.errors.BadSpec: a text of 100 characters is too long for a game; expected at most 10
    """
    expect(str, text=text)
    if len(text) > most:
        raise BadSpec(f"a text of {len(text):,} characters is too long for {what}; expected at most {most:,}")
    if not (text.isascii() or text.isprintable()):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            strange = text[error.start]
            raise BadSpec(f"{strange!r} at character {error.start + 1} is half a character; expected Unicode") from None


# --- files ------------------------------------------------------------------------------------------------------


def file_name(path: str | Path) -> Path:
    """The path that a text spells; one that no file can have is refused.

    >>> file_name("games.db").suffix
    '.db'
    """
    expect(str | Path, path=path)
    try:
        encoded = os.fsencode(path)
    except UnicodeEncodeError:  # half a character
        encoded = b"\0"
    if b"\0" in encoded or max(map(len, encoded.split(b"/"))) > _MOST_IN_NAME:
        raise BadSpec(f"{shown(str(path))} is not the name of a file; expected one that can exist")
    return Path(path)


def open_file(path: str | Path) -> IO[bytes]:
    """A plain file to read from: opening a pipe waits for its writer, and a device never ends."""
    mode = file_name(path).stat().st_mode
    if not stat.S_ISREG(mode):
        kind = "a directory" if stat.S_ISDIR(mode) else "a pipe or a device"
        raise BadSpec(f"{path} is {kind}; expected a plain file")
    return open(path, "rb")


def put_file(path: Path, content: bytes) -> None:
    """Writes a file so that it is there whole or not at all, and with it the directories above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def decoded(content: bytes) -> str:
    """Text as people's programs write it: UTF-8 where it is, with or without a byte order mark, otherwise Latin-1.

    >>> decoded(b"\\xef\\xbb\\xbff5"), decoded(b"Caf\\xe9")
    ('f5', 'Café')
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def file_lines(file: IO[bytes], name: str) -> Iterator[str]:
    """The lines of a file without their ends, one at a time."""
    number = 0
    while line := file.readline(MOST_IN_GAME + 1):
        number += 1
        if len(line) > MOST_IN_GAME:
            raise BadSpec(f"{name}, line {number}: longer than {MOST_IN_GAME:,} bytes; expected a game on every line")
        yield decoded(line).rstrip("\r\n")


def read_toml(path: Path, expected: str) -> dict[str, Any]:
    """The tables of a TOML file; `expected` says what should stand in it.

    A file that is not TOML, or too large, is a `BadSpec`.
    """
    with open_file(path) as file:
        return parse_toml(file.read(MOST_IN_TEXT + 1), str(path), expected)


def parse_toml(content: bytes, name: str, expected: str) -> dict[str, Any]:
    """The tables that the content of a file holds.

    >>> parse_toml(b"pairs = 10", "cup.toml", "a tournament")
    {'pairs': 10}
    """
    if len(content) > MOST_IN_TEXT:
        raise BadSpec(f"{name} has more than {MOST_IN_TEXT:,} bytes; expected {expected}")
    try:
        text = content.decode("utf-8-sig")
        long_key = _LONG_KEY.search(text)
        settings = {} if long_key else tomllib.loads(text)
    except RecursionError:
        raise BadSpec(f"{name} has brackets that are nested too deeply; expected {expected}") from None
    except UnicodeDecodeError:
        raise BadSpec(f"{name} is not TOML: it is not UTF-8; expected {expected}") from None
    except tomllib.TOMLDecodeError as error:
        raise BadSpec(f"{name} is not TOML: {_short(str(error))}; expected {expected}") from None
    except ValueError:  # Python reads no number of more than 4,300 digits
        raise BadSpec(f"{name} has a number of thousands of digits; expected {expected}") from None
    if long_key:
        raise BadSpec(f"{name} has a key of more than {_MOST_KEY_PARTS} parts; expected {expected}")
    return settings
