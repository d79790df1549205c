"""The SQLite file under a store: what a file is, how it is opened, what its errors mean.

A file is looked at before anything is written to it, and looking leaves no trace: a file of another program is told by
its tables and stays as it was. Format and mark of a store are in SQLite's own header (`user_version` and
`application_id`), written in one transaction with the tables: a killed program leaves either no table or a store.

Reading works where nothing may be written, too. SQLite then cannot make the files that let readers and a writer share a
log, so the file is read as one that never changes. The files are only ever opened through SQLite while a store is in
use: to close one by hand would drop the locks of the whole process.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from outflank.errors import OutflankError

FORMAT = 3
_MARK = 0x4F75746C
"""`application_id` of a store: "Outl"."""
_CACHE_KB = 32_000
"""Memory for pages of the file: all keys of a million games."""

TABLES = {
    "texts": "CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",
    "games": """CREATE TABLE games (
    key TEXT PRIMARY KEY,
    pair TEXT NOT NULL,
    repeat INTEGER NOT NULL,
    rules INTEGER NOT NULL REFERENCES texts(id),
    black INTEGER NOT NULL REFERENCES texts(id),
    white INTEGER NOT NULL REFERENCES texts(id),
    conditions INTEGER NOT NULL REFERENCES texts(id),
    made INTEGER NOT NULL REFERENCES texts(id),
    start TEXT NOT NULL,
    opening_plies INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    moves TEXT NOT NULL,
    points REAL NOT NULL,
    score INTEGER NOT NULL,
    black_discs INTEGER NOT NULL,
    white_discs INTEGER NOT NULL,
    termination TEXT NOT NULL,
    reason TEXT NOT NULL,
    spent TEXT NOT NULL,
    notes TEXT,
    checksum INTEGER NOT NULL
)""",
}
"""As SQLite keeps them, to the letter."""


class StoreError(OutflankError):
    """A store that cannot be opened, read or written."""


FAULTS = (sqlite3.Error, UnicodeDecodeError, MemoryError)
"""What reading a damaged file may raise; SQLite's own messages quote it, and then cannot be decoded.

A row whose length makes no sense is "out of memory" for SQLite, which asked for none.
"""
_HINTS = {
    "full": "the disk is full: make room and run the same command again; finished games are kept",
    "locked": "another program is writing to it: wait for it, or use another --store",
    "unable to open": "expected a file in a directory that exists and may be written, and not a directory itself",
    "readonly": "expected a file that may be written, in a directory that may be written",
    "columns but": "another version of Outflank has changed the file meanwhile: continue with that version",
    "I/O": "the disk refuses to read or write: finished games are kept, and the same command continues elsewhere",
}
DAMAGED = (
    "the file is damaged: `outflank store FILE --check` says what is wrong, `outflank store FILE --repair NEW` saves "
    "what can be read"
)


def words(error: Exception) -> str:
    """What one of the `FAULTS` says; a MemoryError says nothing.

    >>> words(MemoryError())
    'out of memory'
    """
    return str(error) or "out of memory"


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns what SQLite raises into words for people."""
    try:
        yield
    except FAULTS as error:
        text = words(error)
        hint = next((hint for word, hint in _HINTS.items() if word in text), DAMAGED)
        raise StoreError(f"cannot use the store {path}: {text}; {hint}") from error


# --- what a file is -----------------------------------------------------------------------------------------------


def is_store(path: Path) -> bool:
    """Whether a file is a store of this format; False for one that has nothing in it yet, or is not there.

    Anything else is a `StoreError` that says what it is. Nothing is written.
    """
    if not path.exists() or (path.is_file() and not path.stat().st_size):
        return False
    with explained(path):
        tables, version, mark = _looked_at(path)
    if not tables and not version:
        return False
    if not TABLES.keys() <= tables or mark not in (_MARK, 0):
        raise StoreError(
            f"{path} is an SQLite file of something else ({_listed(tables)}); expected a store made by outflank match, "
            f"or a new file. Nothing was written to it"
        )
    if version == FORMAT and mark == _MARK:
        return True
    older = version < FORMAT and not mark
    raise StoreError(
        f"the store {path} has format {version}; this version of Outflank reads {FORMAT}: "
        + (f"`outflank store {path} --repair NEW` copies its games" if older else "it is damaged or of a later version")
    )


def _looked_at(path: Path) -> tuple[set[str], int, int]:
    """Names of tables, `user_version` and `application_id`."""
    try:
        with closing(_trace_free(path)) as connection:
            names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            tables = {str(name) for (name,) in names}  # a damaged file may have bytes
            version, mark = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _NUMBERS)
            return tables, version, mark
    except sqlite3.DatabaseError as error:
        if "not a database" not in str(error):
            raise
        raise StoreError(_strange(path)) from None


_NUMBERS = ("user_version", "application_id")


def _trace_free(path: Path) -> sqlite3.Connection:
    """A connection for a look. A file without a log is read as one that never changes, which makes no files."""
    if has_log(path):
        connection = _connect(path, "mode=ro")
        with suppress(sqlite3.OperationalError):
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return connection
        connection.close()
    return _connect(path, "immutable=1")


def has_log(path: Path) -> bool:
    """Whether there are transactions beside the file that are not yet in it."""
    log = Path(f"{path}-wal")
    return log.exists() and log.stat().st_size > 0


def _strange(path: Path) -> str:
    """What is to be said of a file that SQLite does not know; no connection of ours can be using it."""
    with path.open("rb") as file:
        begin = file.read(16)
    if begin == b"SQLite format 3\0":
        return f"cannot use the store {path}: its first page is broken; {DAMAGED}"
    return (
        f"{path} is not an SQLite file: it begins with {begin!r}; expected a store made by outflank match. If it was "
        f"one and is damaged, `outflank store {path} --repair NEW` saves what can be read"
    )


def _listed(tables: set[str]) -> str:
    names = sorted(tables)
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"tables: {', '.join(names[:5])}{more}" if names else "no tables"


# --- opening ------------------------------------------------------------------------------------------------------


def _connect(path: Path, options: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?{options}", uri=True, timeout=30, isolation_level=None)


def to_write(path: Path | None) -> sqlite3.Connection:
    """A connection to a store, made where there is none yet; None is one in memory."""
    if path is not None:
        is_store(path)
    connection = sqlite3.connect(":memory:" if path is None else path, timeout=30, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        connection.execute("BEGIN IMMEDIATE")  # also tells now whether it may be written
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for statement in TABLES.values():
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_MARK}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def to_read(path: Path) -> tuple[sqlite3.Connection, str]:
    """A connection that writes no games, and what people should know about it, if anything."""
    if not is_store(path):
        raise StoreError(f"{path} has no games: it is empty; expected a store made by outflank match")
    if _may_write(path) and _may_write(path.absolute().parent):
        connection = _connect(path, "mode=rw")
        connection.execute("PRAGMA query_only = ON")
        note = ""
    elif has_log(path):
        connection = _connect(path, "mode=ro")
        note = ""
    else:
        connection = _connect(path, "immutable=1")
        note = f"{path} may not be written here, so it is read as a file that does not change meanwhile"
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
    except FAULTS as error:
        connection.close()
        if "unable to open" in str(error) and has_log(path):
            raise StoreError(
                f"the latest games of {path} are in its log, {path.name}-wal, which SQLite cannot read in a directory "
                f"that may not be written: copy both files to another directory, and read them there"
            ) from None
        raise
    return connection, note


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)
