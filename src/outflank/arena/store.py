"""Where finished games are kept: one SQLite file, one transaction per game, nothing lost and nothing twice.

The key of a game is its identity (see `schedule`), and the table's primary key: writing a game that is there already
changes nothing. Different plans may share a file; each reads the keys it planned and no others. Write-ahead logging
lets readers look while a match is running; after a kill or a power cut the file is whole up to the last transactions,
and the games of those are played again, the same.

Agents and conditions are kept once, as text with a number, so that a million games take about 500 MB. Games lie in the
order they were written, both games of a pair side by side, and their keys in an index of their own that fits into
memory: looking a key up takes two microseconds among a million, so resuming asks for the keys of a plan and leaves the
rest alone.

Every game carries a checksum of all that is kept of it. Whoever asks for games or results gets them as they were
written, or an error, so that no changed game enters a rating or a match that goes on; a million checksums take about
five seconds. `problems` finds every changed game, `repair` saves the others.
"""

import hashlib
import json
import platform
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from outflank import __version__
from outflank.agents.identities import behaviour_of, joined, text_of
from outflank.arena.database import DAMAGED, FAULTS, TABLES, StoreError, explained, to_read, to_write, words
from outflank.arena.schedule import Slot
from outflank.board import Color, Position, Rules, moves_text, read_moves
from outflank.errors import OutflankError
from outflank.game import Game, MoveNote, Spent, Termination
from outflank.inputs import file_name
from outflank.kernels.jit import cache_directory

T = TypeVar("T")
MEMORY = ":memory:"
"""In place of a path: a store that is gone when it is closed."""
Result = tuple[str, str, str, str, float, int, int, str, str]
"""(key, pair, black, white, points, discs of black, of white, termination, moves)"""
Finished = tuple[Slot, float, int, str, str]
"""(slot, points of black, score of black, termination, moves)"""

_SPENT, _NOTE = (attrgetter(*(each.name for each in fields(kind))) for kind in (Spent, MoveNote))
_IN_GROUP = 2000
"""Games that go into a table at once."""
_AT_ONCE = 500
"""Keys looked up by one query."""

_NUMBERS_OF_AGENT = "(SELECT id FROM texts WHERE text = :agent OR substr(text, 1, length(:agent) + 2) = :agent || ' #')"
_NUMBERS_OF_OPPONENT = _NUMBERS_OF_AGENT.replace(":agent", ":opponent")
_WANTED = f"""(:agent IS NULL OR games.black IN {_NUMBERS_OF_AGENT} OR games.white IN {_NUMBERS_OF_AGENT})
AND (:opponent IS NULL OR games.black IN {_NUMBERS_OF_OPPONENT} OR games.white IN {_NUMBERS_OF_OPPONENT})
AND (:points IS NULL OR :points =
    CASE WHEN :agent IS NULL OR games.black IN {_NUMBERS_OF_AGENT} THEN points ELSE 1 - points END)"""
"""Agents are asked for by their identities, or by their canonical texts for all their behaviours."""
_ORDERS = {
    "key": "key",
    "newest": "games.rowid DESC",
    "oldest": "games.rowid",
    "margin": "abs(score) DESC, games.rowid DESC",
    "shortest": "length(moves), games.rowid DESC",
}
Order = Literal["key", "newest", "oldest", "margin", "shortest"]
"""In which order games are given: by key, by when they were written, the largest margin or the fewest moves first."""


_TEXTS = ("rules", "black", "white", "conditions", "made")
"""Columns that hold the number of a text."""
_REST = (
    *("start", "opening_plies", "seed", "moves", "points", "score", "black_discs", "white_discs"),
    *("termination", "reason", "spent", "notes", "checksum"),
)
_INSERT = f"INSERT OR IGNORE INTO games VALUES ({', '.join('?' * 21)})"
_ROWS = (
    f"key, pair, repeat, {', '.join(f'{name}_text.text' for name in _TEXTS)}, {', '.join(_REST)} FROM games "
    + " ".join(f"LEFT JOIN texts {name}_text ON {name}_text.id = games.{name}" for name in _TEXTS)
)
"""Games as `checksum` knows them; a text that is not there is None."""
_COLUMNS = ("key", "pair", "repeat", *_TEXTS, *_REST)
_RULES = _COLUMNS.index("rules")
_RESULT, _OUTCOME, _FINISHED = (
    itemgetter(*map(_COLUMNS.index, names))
    for names in (
        ("key", "pair", "black", "white", "points", "black_discs", "white_discs", "termination", "moves"),
        ("black", "white", "points", "pair"),
        ("key", "points", "score", "termination", "moves"),
    )
)

Row = tuple[Any, ...]
"""A game as it is kept, by the columns of the table, with texts in place of their numbers."""


@cache
def made_by() -> str:
    """What made a game, and when: version, kernels, CPU and the day this program began, kept with every game.

    A day and not a time, since a store keeps every different text once.
    """
    program = f"outflank {__version__}, {cache_directory().name}, Python {platform.python_version()}"
    return f"{program}, {platform.machine()}, {cpu_name()}, {datetime.now(UTC).date()}"


def cpu_name() -> str:
    """The model of the CPU, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def checksum(row: Row) -> int:
    """A hash of everything that a row says of a game, the texts behind its numbers included.

    >>> checksum(("key", 1, 0.5, None)) == checksum(("key", 1, 0.5, None)) != checksum(("key", 1, 0.5, ""))
    True
    """
    return int.from_bytes(hashlib.blake2b(_as_json(row).encode(), digest_size=8).digest(), signed=True)


_as_json = json.JSONEncoder(default=repr).encode  # a damaged row may have bytes


class FromStore(NamedTuple):
    """How many games of a plan a store had, and how many were played now.

    >>> str(FromStore(Path("club.db"), 20, 20, 0))
    'club.db: 20 of 20 games from the store, 0 played'
    """

    file: Path
    planned: int
    found: int
    played: int

    def __str__(self) -> str:
        return f"{self.file}: {self.found:,} of {self.planned:,} games from the store, {self.played:,} played"

    def facts(self) -> dict[str, Any]:
        """The same for programs."""
        return {"store": {"file": str(self.file), "found": self.found, "played": self.played}}


class Store:
    """A file of games.

    >>> with Store(":memory:") as store:
    ...     store.count()
    0
    """

    def __init__(self, path: str | Path, reading: bool = False) -> None:
        """Opens the file, making it if it is not there, or only for reading, which needs no right to write."""
        self.path = file_name(path)
        self.note = ""
        """What people should know about the way it is read."""
        self._numbers: dict[str, int] = {}
        with explained(self.path):
            if reading:
                self._connection, self.note = to_read(self.path)
            else:
                self._connection = to_write(None if str(path) == MEMORY else self.path)
        self._file = None if str(path) == MEMORY else _Identity(self.path)

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; a closed store is one file without a log beside it."""
        self._connection.close()

    def count(self, agent: str | None = None, opponent: str | None = None, points: float | None = None) -> int:
        """Number of games, of all or of one agent; as `games` tells them apart."""
        query = f"SELECT count(*) FROM games WHERE {_WANTED}"
        wanted = {"agent": agent, "opponent": opponent, "points": points}
        with explained(self.path):
            return int(self._connection.execute(query, wanted).fetchone()[0])

    def done(self) -> set[str]:
        """The keys of all games."""
        with explained(self.path):
            return {key for (key,) in self._connection.execute("SELECT key FROM games")}

    def missing(self, slots: Iterable[Slot]) -> Iterator[Slot]:
        """Those of the slots whose games are not here yet, in their order."""
        for some in _batches(slots):
            found = {key for (key,) in self._chosen("key FROM games", [slot.key for slot in some])}
            yield from (slot for slot in some if slot.key not in found)

    def add(self, slot: Slot, game: Game, notes: bool = False, made: str | None = None) -> bool:
        """Writes a finished game in a transaction of its own; False if it was there already.

        `made` says what made it where that is not this program.
        """
        assert game.termination is not None and game.score is not None and game.points is not None, "a finished game"
        row = (
            slot.key,
            slot.pair,
            slot.repeat,
            str(slot.rules),
            slot.black,
            slot.white,
            slot.conditions.text,
            made_by() if made is None else made,
            "" if game.start == Position.start(game.rules) else game.start.line(),
            game.opening_plies,
            slot.seed,
            moves_text(game.moves, passes=True),
            float(game.points),
            int(game.score),
            *game.discs,
            game.termination.value,
            game.reason,
            json.dumps([_rounded(_SPENT(side)) for side in game.spent]),
            json.dumps([_rounded(_NOTE(note)) for note in game.notes]) if notes else None,
        )
        added = self.add_row((*row, checksum(row)))
        self.check_place()
        return added

    def add_row(self, row: Row) -> bool:
        """Writes a game as it is kept, in a transaction of its own; False if it was there already."""
        with explained(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                numbered = (*row[:3], *(self._number(text) for text in row[3:8]), *row[8:])
                added = self._connection.execute(_INSERT, numbered).rowcount
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                self._numbers.clear()
                raise
        return added == 1

    def check_place(self) -> None:
        """Raises an error that says where the games are if the file is no longer where it was opened."""
        if self._file is None or self._file.is_in_place():
            return
        with explained(self.path):  # what is still in the log goes into the file, wherever that is
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        raise StoreError(
            f"the store {self.path} was moved or deleted while games were written to it; {self._file.whereabouts()}"
        )

    def _number(self, text: str) -> int:
        if text not in self._numbers:
            self._connection.execute("INSERT OR IGNORE INTO texts (text) VALUES (?)", (text,))
            row = self._connection.execute("SELECT id FROM texts WHERE text = ?", (text,)).fetchone()
            self._numbers[text] = row[0]
        return self._numbers[text]

    def other_behaviours(self, agents: Iterable[str]) -> dict[str, int]:
        """Games of agents with the text of one of these and another behaviour, by identity."""
        identities = set(agents)
        texts = {text_of(who) for who in identities}
        with explained(self.path):
            others = {i: who for i, who in self._texts().items() if who not in identities and text_of(who) in texts}
            query = "SELECT count(*) FROM games WHERE black = :agent OR white = :agent"
            counts = {who: self._connection.execute(query, {"agent": i}).fetchone()[0] for i, who in others.items()}
        return {who: games for who, games in counts.items() if games}

    def results(self, keys: Iterable[str] | None = None) -> Iterator[Result]:
        """The results of all games, or of these."""
        return map(_RESULT, self._rows(keys))

    def outcomes(
        self, keys: Iterable[str] | None = None, rules: Rules | None = None
    ) -> Iterator[tuple[str, str, float, str]]:
        """(black, white, points of black, pair) of all games, or of these: what ratings are made from."""
        wanted = None if rules is None else str(rules)
        return (_OUTCOME(row) for row in self._rows(keys) if wanted in (None, row[_RULES]))

    def settings(self) -> dict[tuple[str, str], int]:
        """Games between different agents by rules and conditions, as texts."""
        numbers = "SELECT rules, conditions, count(*) FROM games WHERE black != white GROUP BY rules, conditions"
        with explained(self.path):
            texts, counted = self._texts(), self._connection.execute(numbers).fetchall()
        return {(texts[rules], texts[conditions]): games for rules, conditions, games in counted}

    def finished(self, slots: Iterable[Slot]) -> Iterator[Finished]:
        """The slots whose games are here with their results, roughly in order."""
        for some in _batches(slots):
            by_key = {slot.key: slot for slot in some}
            for key, points, score, termination, moves in map(_FINISHED, self._rows(by_key)):
                yield by_key[key], points, score, termination, moves

    def _rows(self, keys: Iterable[str] | None) -> Iterator[Row]:
        """All games as they are kept, or those of these keys; each is as it was written."""
        for row in self._chosen(_ROWS, keys):
            if checksum(row[:-1]) != row[-1]:
                raise self._changed(row[0])
            yield row

    def _changed(self, key: object) -> StoreError:
        return StoreError(
            f"game {key} in {self.path} is not as it was written: `outflank store FILE --check` finds all such games, "
            f"`outflank store FILE --repair NEW` saves the others"
        )

    def _twice(self) -> StoreError:
        return StoreError(f"a game is twice in {self.path}; {DAMAGED}")

    def _texts(self) -> dict[int, str]:
        """Every text by its number."""
        with explained(self.path):
            texts = dict(self._connection.execute("SELECT id, text FROM texts"))
        if any(type(text) is not str for text in texts.values()):
            raise StoreError(f"a text in {self.path} is not as it was written; {DAMAGED}")
        return texts

    @contextmanager
    def _asked(self, query: str, wanted: dict[str, Any] | None = None) -> Iterator[Iterable[Any]]:
        """The rows of a query, which is over afterwards."""
        with explained(self.path):
            rows = self._connection.execute(query, wanted or {})
            try:
                yield rows
            finally:
                with suppress(sqlite3.ProgrammingError):  # the store may be closed already
                    rows.close()

    def _chosen(self, columns: str, keys: Iterable[str] | None) -> Iterator[Any]:
        """Columns of all games in the order they were written, or of these keys.

        A damaged table or index may lead to a row twice, which its number tells.
        """
        query = f"SELECT games.rowid, {columns}"
        if keys is None:
            last = 0
            with self._asked(query) as rows:
                for row in rows:
                    if row[0] <= last:
                        raise self._twice()
                    last = row[0]
                    yield row[1:]
            return
        with explained(self.path):
            for some in _batches(keys):
                marks = ", ".join("?" * len(some))
                found = self._connection.execute(f"{query} WHERE key IN ({marks})", some).fetchall()
                if len({row[0] for row in found}) < len(found):
                    raise self._twice()
                yield from (row[1:] for row in found)

    def games(
        self,
        key: str | None = None,
        agent: str | None = None,
        offset: int = 0,
        limit: int = -1,
        *,
        opponent: str | None = None,
        points: float | None = None,
        order: Order = "key",
    ) -> Iterator[Game]:
        """Games with all there is to know: every game, that of a key, those of an agent, some of them.

        Of the games of an agent those against an opponent can be asked for, and those in which it took so many points
        (1, 0.5 or 0; without an agent these are black's).
        Players are named by their texts. The tags say `key`, `pair` (both games of one opening), `repeat`,
        `conditions`, what `made` them, and the behaviour of the players, `black_behaviour` and `white_behaviour`.
        """
        where = f"WHERE (:key IS NULL OR key = :key) AND {_WANTED}"
        where += f" ORDER BY {_ORDERS[order]} LIMIT :limit OFFSET :offset"
        wanted = {"key": key, "agent": agent, "opponent": opponent, "points": points, "offset": offset, "limit": limit}
        last = ""
        with self._asked(f"SELECT {_ROWS} {where}", wanted) as rows:
            for row in rows:
                if checksum(row[:-1]) != row[-1]:
                    raise self._changed(row[0])
                if order == "key" and str(row[0]) <= last:
                    raise self._twice()
                last = str(row[0])
                yield game_of(row)

    def frame(self, library: str = "pandas") -> Any:
        """All games as one table of pandas or polars, in the order they were written: a row each.

        The columns are those of the exports (`arena/export.py`) without the notes on moves; texts that many games share
        are categories. 100,000 games take about a second.

        >>> with Store(":memory:") as store:
        ...     store.frame().shape
        (0, 32)
        """
        from outflank.arena import frames

        frames.check_library(library)
        texts = self._texts()
        return frames.frame(self._groups(texts), _COLUMNS, texts, library)

    def _groups(self, texts: dict[int, str]) -> Iterator[list[Row]]:
        """All games, some thousands at a time, with the numbers of texts; each is as it was written."""
        rows = self._chosen("* FROM games", None)
        while group := list(islice(rows, _IN_GROUP)):
            for row in group:
                if checksum((*row[:3], *map(texts.get, row[3:8]), *row[8:-1])) != row[-1]:
                    raise self._changed(row[0])
            yield group

    def in_order(self) -> Iterator[Game]:
        """All games in the order they were written."""
        return map(game_of, self._rows(None))

    def problems(self) -> list[str]:
        """What is wrong with the file and with the games in it: each is compared with its checksum and replayed."""
        found: list[str] = []
        keep, self._connection.text_factory = self._connection.text_factory, _lenient
        try:
            tables = dict(self._connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"))
            found += [f"table {name} is not as it was made" for name in TABLES if tables.get(name) != TABLES[name]]
            found += [row[0] for row in self._connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
            for row in self._connection.execute(f"SELECT {_ROWS} ORDER BY games.rowid"):
                found += fault(row)
        except FAULTS as error:
            found.append(f"the file cannot be read to its end: {words(error)}")
        finally:
            self._connection.text_factory = keep
        return found


def fault(row: Row) -> list[str]:
    """What is wrong with a game as it is kept, if anything."""
    if checksum(row[:-1]) != row[-1]:
        return [f"game {row[0]}: not as it was written"]
    try:
        game = game_of(row)
        discs = game.end.discs(Color.BLACK), game.end.discs(Color.WHITE)
    except (OutflankError, ValueError, TypeError) as error:  # written wrongly, by whatever program
        return [f"game {row[0]}: {error}"]
    return [] if discs == game.discs else [f"game {row[0]}: ends {discs}, stored {game.discs}"]


def game_of(row: Row) -> Game:
    """The game of a row; its discs are known without replaying it."""
    key, pair, repeat, rules_text, black, white, conditions, made, start, opening_plies, seed, moves, *rest = row
    points, score, black_discs, white_discs, termination, reason, spent, notes, _ = rest
    rules = _rules(rules_text)
    black_spent, white_spent = (Spent(*side) for side in json.loads(spent))
    return Game(
        start=Position.parse(start, rules.variant) if start else _start(rules),
        moves=read_moves(moves, rules),
        black=text_of(black),
        white=text_of(white),
        termination=Termination(termination),
        reason=reason,
        points=points,
        opening_plies=opening_plies,
        seed=seed,
        spent=(black_spent, white_spent),
        notes=tuple(MoveNote(*note) for note in json.loads(notes)) if notes else (),
        ruled=None if termination == Termination.NORMAL else score,
        tags={
            "key": key,
            "pair": pair,
            "repeat": str(repeat),
            "conditions": conditions,
            "made": made,
            "black_behaviour": behaviour_of(black),
            "white_behaviour": behaviour_of(white),
        },
    ).knowing(discs=(black_discs, white_discs))


class _Identity:
    """Which file a path meant when it was opened."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()  # the working directory may change
        self._number = self._look()

    def _look(self, path: Path | None = None) -> tuple[int, int] | None:
        try:
            found = (path or self._path).stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def is_in_place(self) -> bool:
        """Whether the path still means that file."""
        return self._look() == self._number

    def whereabouts(self) -> str:
        """What became of it, as far as the system tells: Linux lists the files that a process has open."""
        again = "the same command plays the games anew"
        for link in Path("/proc/self/fd").glob("*"):
            if self._look(link) == self._number:
                name = str(link.readlink())
                if not name.endswith(" (deleted)"):
                    return f"the games so far are in {name}: continue with --store {name}"
                return f"the file was deleted, and its games are gone: {again}"
        return f"the games so far are in it, wherever it is now: continue with it as --store; otherwise {again}"


def players(game: Game) -> tuple[str, str]:
    """The identities of the players of a stored game."""
    tags = game.tags
    return joined(game.black, tags["black_behaviour"]), joined(game.white, tags["white_behaviour"])


_rules = cache(Rules.parse)
_start = cache(Position.start)


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(items)
    while some := list(islice(rest, _AT_ONCE)):
        yield some


def _lenient(text: bytes) -> str:
    return text.decode(errors="replace")


def _rounded(facts: tuple[Any, ...]) -> list[Any]:
    return [round(fact, 6) if isinstance(fact, float) else fact for fact in facts]
