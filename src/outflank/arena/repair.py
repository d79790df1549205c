"""Saves the games of a damaged store into a new one.

SQLite stops at the first broken page, and one that leads to others hides all behind it. Here every page of the file and
of the log beside it is read for itself (https://sqlite.org/fileformat2.html): the leaves of a table hold whole rows,
and the checksum of a game says with certainty whether a row is as it was written. Texts are kept twice by SQLite, in
their table and in its index, so each number may have several candidates; the checksum tells which is right.

A store of format 2, without checksums, is copied the same way; its games are replayed instead.
"""

import struct
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice, product
from pathlib import Path
from typing import Any, BinaryIO

from outflank.arena.database import StoreError
from outflank.arena.export import completed
from outflank.arena.store import Row, Store, checksum, fault

_USUAL_PAGE = 4096
_TABLE_LEAF, _INDEX_LEAF, _INDEX_INSIDE = 0x0D, 0x0A, 0x02
_LOG_HEADER, _FRAME_HEADER = 32, 24
_COLUMNS = {20: 2, 21: 3}
"""Format by the number of columns of a game."""
_WIDTHS = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)
_MOST_TRIES = 64
"""Combinations of candidates for the texts of one game."""
_LARGEST_ROW = 10_000_000


@dataclass
class Repaired:
    """What became of the games of a damaged store."""

    saved: int = 0
    lost: list[str] = field(default_factory=list)
    """Keys of games that are not in the new store, as far as they can be known."""

    def __str__(self) -> str:
        names = f": {', '.join(self.lost[:10])}{', …' if len(self.lost) > 10 else ''}" if self.lost else ""
        return f"{self.saved:,} games saved, {len(self.lost):,} lost{names}"


def repair(path: Path, new: Path) -> Repaired:
    """Copies every game that is as it was written into a new store; the old file is only read."""
    if new.exists():
        raise StoreError(f"{new} is there already; expected the name of a new file for the games that can be saved")
    done = Repaired()
    with path.open("rb") as file, _log_of(path) as log:
        pages = _Pages(file, log)
        texts, named = _texts_and_keys(pages)
        with completed(new) as part, Store(part) as store:
            for columns in pages.rows(_TABLE_LEAF):
                row = _resolved(columns, texts) if len(columns) in _COLUMNS else None
                if row is not None:
                    done.saved += store.add_row(row)
            named -= store.done()
            if not done.saved:
                raise StoreError(f"no game can be read from {path}; expected a store made by outflank match")
    done.lost = sorted(named)
    return done


def _log_of(path: Path) -> BinaryIO:
    log = Path(f"{path}-wal")
    return log.open("rb") if log.exists() else BytesIO()


def _texts_and_keys(pages: "_Pages") -> tuple[dict[int, Counter[str]], set[str]]:
    """The candidates for every text by number, and the keys of all games that any page names."""
    texts: dict[int, Counter[str]] = defaultdict(Counter)
    keys: set[str] = set()
    for rowid, columns in pages.numbered_rows(_TABLE_LEAF):
        if len(columns) == 2 and columns[0] is None and isinstance(columns[1], str):
            texts[rowid][columns[1]] += 1
        elif len(columns) in _COLUMNS and _is_key(columns[0]):
            keys.add(columns[0])
    for kind in (_INDEX_LEAF, _INDEX_INSIDE):
        for columns in pages.rows(kind):
            if len(columns) == 2 and isinstance(columns[0], str) and isinstance(columns[1], int):
                if _is_key(columns[0]):
                    keys.add(columns[0])
                else:
                    texts[columns[1]][columns[0]] += 1
    return texts, keys


def _is_key(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 16 and not value.strip("0123456789abcdef")


def _resolved(columns: Row, texts: dict[int, Counter[str]]) -> Row | None:
    """The row of a game with its texts and a right checksum, or None if it is not as it was written."""
    old = _COLUMNS[len(columns)] == 2
    if not isinstance(columns[12], float | int):
        return None
    rest = (*columns[8:12], float(columns[12]), *columns[13:20])  # SQLite keeps 1.0 as 1
    candidates = [[text for text, _ in texts[number].most_common()] for number in columns[3:8] if number in texts]
    if len(candidates) < 5:
        return None
    for chosen in islice(product(*candidates), _MOST_TRIES):
        row = (*columns[:3], *chosen, *rest)
        right = checksum(row)
        if columns[20] == right if not old else not fault((*row, right)):
            for number, text in zip(columns[3:8], chosen, strict=True):
                texts[number][text] += 1  # the right one is tried first the next time
            return (*row, right)
    return None


# --- the format of SQLite's files -----------------------------------------------------------------------------------


class _Pages:
    """All pages of a file and its log, whatever leads to them; what makes no sense is skipped."""

    def __init__(self, file: BinaryIO, log: BinaryIO) -> None:
        self._file, self._log = file, log
        header = file.read(32)
        size = int.from_bytes(header[16:18])
        self.size = size if size >= 512 and size.bit_count() == 1 else _USUAL_PAGE
        self._frames = dict(self._logged())

    def _logged(self) -> Iterator[tuple[int, int]]:
        """Number of the page and place of every frame of the log, oldest first."""
        end = self._log.seek(0, 2)
        for place in range(_LOG_HEADER, end - _FRAME_HEADER, _FRAME_HEADER + self.size):
            self._log.seek(place)
            yield int.from_bytes(self._log.read(4)), place + _FRAME_HEADER

    def __iter__(self) -> Iterator[tuple[bytes, int]]:
        """Every page and where its own header begins."""
        self._file.seek(0)
        number = 0
        while True:
            self._file.seek(number * self.size)
            page = self._file.read(self.size)
            if not page:
                break
            yield page, 0 if number else 100
            number += 1
        for number, place in self._logged():
            self._log.seek(place)
            yield self._log.read(self.size), 0 if number != 1 else 100

    def rows(self, kind: int) -> Iterator[Row]:
        """The rows on all pages of a kind."""
        return (columns for _, columns in self.numbered_rows(kind))

    def numbered_rows(self, kind: int) -> Iterator[tuple[int, Row]]:
        """The same with their numbers; a row of an index has none, which is 0."""
        for page, start in self:
            if len(page) < self.size or page[start] != kind:
                continue
            cells = int.from_bytes(page[start + 3 : start + 5])
            first = start + (12 if kind == _INDEX_INSIDE else 8)
            for at in range(first, min(first + 2 * cells, self.size - 1), 2):
                try:
                    yield self._row(page, int.from_bytes(page[at : at + 2]), kind)
                except (IndexError, ValueError, struct.error):  # not a row any more
                    continue

    def _row(self, page: bytes, at: int, kind: int) -> tuple[int, Row]:
        if kind == _INDEX_INSIDE:
            at += 4
        length, at = _number(page, at)
        rowid, at = _number(page, at) if kind == _TABLE_LEAF else (0, at)
        if length > _LARGEST_ROW:
            raise ValueError("no row of ours is so long")
        return rowid, _columns(self._payload(page, at, length, kind))

    def _payload(self, page: bytes, at: int, length: int, kind: int) -> bytes:
        """The bytes of a row: what does not fit on its page is in a chain of others."""
        least = (self.size - 12) * 32 // 255 - 23
        most = self.size - 35 if kind == _TABLE_LEAF else (self.size - 12) * 64 // 255 - 23
        if length <= most:
            return page[at : at + length]
        here = least + (length - least) % (self.size - 4)
        here = here if here <= most else least
        parts, got = [page[at : at + here]], here
        following = int.from_bytes(page[at + here : at + here + 4])
        while got < length:
            more = self._page(following)
            following = int.from_bytes(more[:4])
            parts.append(more[4 : 4 + length - got])
            got += self.size - 4
        return b"".join(parts)

    def _page(self, number: int) -> bytes:
        """The latest page of this number."""
        source, place = self._file, (number - 1) * self.size
        if number in self._frames:
            source, place = self._log, self._frames[number]
        source.seek(max(place, 0))
        page = source.read(self.size)
        if number < 1 or len(page) < self.size:
            raise ValueError("no such page")
        return page


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of SQLite's variable length, and where it ends."""
    value = 0
    for length in range(1, 9):
        byte = data[at + length - 1]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + length
    return value << 8 | data[at + 8], at + 9


def _columns(payload: bytes) -> Row:
    """The values of a row."""
    end, at = _number(payload, 0)
    found: list[Any] = []
    body = end
    while at < end:
        kind, at = _number(payload, at)
        width = _WIDTHS[kind] if kind < 10 else (kind - 12) // 2
        raw = payload[body : body + width]
        if len(raw) < width or kind in (10, 11):
            raise ValueError("a row that is cut off")
        found.append(_value(kind, raw))
        body += width
    return tuple(found)


def _value(kind: int, raw: bytes) -> Any:
    if kind == 0:
        return None
    if kind in (8, 9):
        return kind - 8
    if kind == 7:
        return struct.unpack(">d", raw)[0]
    if kind < 7:
        return int.from_bytes(raw, signed=True)
    return raw.decode() if kind % 2 else raw
