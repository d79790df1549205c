"""Where finished games are kept: one SQLite file, one transaction per game, nothing lost and nothing twice.

The key of a game is its identity (see `schedule`), and the table's primary key: writing a game that is there already
changes nothing. Different plans may share a file; each reads the keys it planned and no others. Write-ahead logging
lets readers look while a match is running; after a kill or a power cut the file is whole up to the last transactions,
and the games of those are played again, the same.

Agents and conditions are kept once, as text with a number, so that a million games take about 500 MB. Games lie in the
order they were written, both games of a pair side by side, and their keys in an index of their own that fits into
memory: looking a key up takes two microseconds among a million, so resuming asks for the keys of a plan and leaves the
rest alone.
"""

import json
import platform
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import fields
from functools import cache
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from outflank import __version__
from outflank.agents.identities import behaviour_of, joined, text_of
from outflank.arena.schedule import Slot
from outflank.board import Color, Position, Rules, moves_text, read_moves
from outflank.errors import BadNotation, OutflankError
from outflank.game import Game, MoveNote, Spent, Termination
from outflank.kernels.jit import cache_directory

T = TypeVar("T")
Result = tuple[str, str, str, str, float, int, int, str, str]
"""(key, pair, black, white, points, discs of black, of white, termination, moves)"""
Finished = tuple[Slot, float, int, str, str]
"""(slot, points of black, score of black, termination, moves)"""

_SCHEMA_VERSION = 2
_SCHEMA = """
CREATE TABLE IF NOT EXISTS texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS games (
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
    notes TEXT
);
"""
_SPENT, _NOTE = (attrgetter(*(each.name for each in fields(kind))) for kind in (Spent, MoveNote))
_CACHE_KB = 32_000
"""Memory for pages of the file: all keys of a million games."""
_AT_ONCE = 500
"""Keys looked up by one query."""

_NUMBERS_OF_AGENT = "(SELECT id FROM texts WHERE text = :agent OR substr(text, 1, length(:agent) + 2) = :agent || ' #')"
_OF_AGENT = f"(:agent IS NULL OR games.black IN {_NUMBERS_OF_AGENT} OR games.white IN {_NUMBERS_OF_AGENT})"
"""An agent is asked for by its identity, or by its canonical text for all its behaviours."""


_INSERT = f"INSERT OR IGNORE INTO games VALUES ({', '.join('?' * 20)})"


class StoreError(OutflankError):
    """A store that cannot be opened, read or written."""


@cache
def made_by() -> str:
    """What made a game: version, kernels and CPU architecture, kept with every game."""
    return f"outflank {__version__}, {cache_directory().name}, Python {platform.python_version()}, {platform.machine()}"


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turns what SQLite raises into words for people."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        text = str(error)
        if "full" in text:
            hint = "the disk is full: make room and run the same command again; finished games are kept"
        elif "locked" in text:
            hint = "another program is writing to it: wait for it, or use another --store"
        elif "unable to open" in text:
            hint = "expected a file in a directory that exists and may be written, and not a directory itself"
        elif "malformed" in text or "not a database" in text:
            hint = "the file is damaged or is no store: `outflank store FILE --check` says what is readable"
        else:
            hint = "expected a store made by `outflank match` or `outflank tournament`"
        raise StoreError(f"cannot use the store {path}: {text}; {hint}") from error


class Store:
    """A file of games.

    >>> with Store(":memory:") as store:
    ...     store.count()
    0
    """

    def __init__(self, path: str | Path) -> None:
        """Opens the file, making it if it is not there."""
        self.path = Path(path)
        with _explained(self.path):
            self._connection = sqlite3.connect(str(path), timeout=30, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, _SCHEMA_VERSION):
                raise StoreError(
                    f"the store {path} has format {version}; this version of Outflank reads {_SCHEMA_VERSION}: "
                    f"play into another file, or read it with the version that made it"
                )
            self._connection.executescript(_SCHEMA)
            self._connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
        self._numbers: dict[str, int] = {}

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file; a closed store is one file without a log beside it."""
        self._connection.close()

    def count(self, agent: str | None = None) -> int:
        """Number of games, of all or of one agent."""
        query = f"SELECT count(*) FROM games WHERE {_OF_AGENT}"
        with _explained(self.path):
            return int(self._connection.execute(query, {"agent": agent}).fetchone()[0])

    def done(self) -> set[str]:
        """The keys of all games."""
        with _explained(self.path):
            return {key for (key,) in self._connection.execute("SELECT key FROM games")}

    def missing(self, slots: Iterable[Slot]) -> Iterator[Slot]:
        """Those of the slots whose games are not here yet, in their order."""
        for some in _batches(slots):
            found = {key for (key,) in self._chosen("SELECT key FROM games", [slot.key for slot in some])}
            yield from (slot for slot in some if slot.key not in found)

    def add(self, slot: Slot, game: Game, notes: bool = False) -> bool:
        """Writes a finished game in a transaction of its own; False if it was there already."""
        assert game.termination is not None and game.score is not None, "only finished games are kept"
        row = (
            slot.key,
            slot.pair,
            slot.repeat,
            str(slot.rules),
            slot.black,
            slot.white,
            slot.conditions.text,
            made_by(),
            "" if game.start == Position.start(game.rules) else game.start.line(),
            game.opening_plies,
            slot.seed,
            moves_text(game.moves, passes=True),
            game.points,
            int(game.score),
            *game.discs,
            game.termination.value,
            game.reason,
            json.dumps([_rounded(_SPENT(side)) for side in game.spent]),
            json.dumps([_rounded(_NOTE(note)) for note in game.notes]) if notes else None,
        )
        with _explained(self.path):
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
        with _explained(self.path):
            known = dict(self._connection.execute("SELECT id, text FROM texts"))
            others = {i: who for i, who in known.items() if who not in identities and text_of(who) in texts}
            query = "SELECT count(*) FROM games WHERE black = :agent OR white = :agent"
            counts = {who: self._connection.execute(query, {"agent": i}).fetchone()[0] for i, who in others.items()}
        return {who: games for who, games in counts.items() if games}

    def results(self, keys: Iterable[str] | None = None) -> Iterator[Result]:
        """The results of all games, or of these."""
        query = (
            "SELECT key, pair, b.text, w.text, points, black_discs, white_discs, termination, moves FROM games "
            "JOIN texts b ON b.id = black JOIN texts w ON w.id = white"
        )
        yield from self._chosen(query, keys)

    def outcomes(self, keys: Iterable[str] | None = None) -> Iterator[tuple[str, str, float, str]]:
        """(black, white, points of black, pair) of all games, or of these: what ratings are made from."""
        with _explained(self.path):
            texts = dict(self._connection.execute("SELECT id, text FROM texts"))
        for black, white, points, pair in self._chosen("SELECT black, white, points, pair FROM games", keys):
            yield texts[black], texts[white], points, pair

    def finished(self, slots: Iterable[Slot]) -> Iterator[Finished]:
        """The slots whose games are here with their results, roughly in order."""
        query = "SELECT key, points, score, termination, moves FROM games"
        for some in _batches(slots):
            by_key = {slot.key: slot for slot in some}
            for key, *result in self._chosen(query, by_key):
                yield by_key[key], *result

    def _chosen(self, query: str, keys: Iterable[str] | None) -> Iterator[Any]:
        """The rows of a query, of all games in the order they were written or of these keys."""
        with _explained(self.path):
            if keys is None:
                with closing(self._connection.execute(query)) as rows:
                    yield from rows
                return
            for some in _batches(keys):
                marks = ", ".join("?" * len(some))
                yield from self._connection.execute(f"{query} WHERE key IN ({marks})", some).fetchall()

    def games(
        self, key: str | None = None, agent: str | None = None, offset: int = 0, limit: int = -1
    ) -> Iterator[Game]:
        """Games with all there is to know, by key: every game, that of a key, those of an agent, some of them.

        Players are named by their texts. The tags say `key`, `pair` (both games of one opening), `repeat`,
        `conditions`, what `made` them, and the behaviour of the players, `black_behaviour` and `white_behaviour`.
        """
        yield from map(_game, self._rows(key, agent, offset, limit))

    def _rows(
        self, key: str | None = None, agent: str | None = None, offset: int = 0, limit: int = -1
    ) -> Iterator[tuple[Any, ...]]:
        names = ("rules", "black", "white", "conditions", "made")
        texts = ", ".join(f"{name}_text.text" for name in names)
        joins = " ".join(f"JOIN texts {name}_text ON {name}_text.id = games.{name}" for name in names)
        query = (
            f"SELECT key, pair, repeat, {texts}, start, opening_plies, seed, moves, points, score, black_discs, "
            f"white_discs, termination, reason, spent, notes FROM games {joins} "
            f"WHERE (:key IS NULL OR key = :key) AND {_OF_AGENT} ORDER BY key LIMIT :limit OFFSET :offset"
        )
        wanted = {"key": key, "agent": agent, "offset": offset, "limit": limit}
        with _explained(self.path), closing(self._connection.execute(query, wanted)) as rows:
            yield from rows

    def problems(self) -> list[str]:
        """What is wrong with the file and with the games in it: each is replayed, and its discs counted."""
        with _explained(self.path):
            found = [row[0] for row in self._connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
        for row in self._rows():
            try:
                game = _game(row)
                discs = game.end.discs(Color.BLACK), game.end.discs(Color.WHITE)
            except OutflankError as error:
                found.append(f"game {row[0]}: {error}")
                continue
            if discs != game.discs:
                found.append(f"game {row[0]}: ends {discs}, stored {game.discs}")
        return found


def _game(row: tuple[Any, ...]) -> Game:
    """The game of a row; its discs are known without replaying it."""
    key, pair, repeat, rules_text, black, white, conditions, made, start, opening_plies, seed, moves, *rest = row
    points, score, black_discs, white_discs, termination, reason, spent, notes = rest
    rules = _rules(rules_text)
    try:
        played = read_moves(moves, rules)
    except BadNotation as error:
        raise StoreError(f"game {key}: {error}; `outflank store FILE --check` finds all such games") from None
    black_spent, white_spent = (Spent(*side) for side in json.loads(spent))
    return Game(
        start=Position.parse(start, rules.variant) if start else _start(rules),
        moves=played,
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


def _rounded(facts: tuple[Any, ...]) -> list[Any]:
    return [round(fact, 6) if isinstance(fact, float) else fact for fact in facts]
