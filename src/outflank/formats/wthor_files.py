"""WTHOR, the game database of the French Othello Federation: a binary file of games, and files of names beside it.

A `.wtb` file has 16 bytes about itself and 68 for every game: numbers of the tournament and of both players, black's
discs at the end and under best play from some number of empty squares on, both with the empty squares to the winner,
and up to 60 moves as 10 * row + column, without passes. Names are in a `.jou` file (players, 20 bytes each) and a
`.trn` file (tournaments, 26 bytes each), by number, in Latin-1. It holds the standard game on 8x8 from the usual start.

What a record says and `Game` has no word for is the tag `WTHOR`; GGF, SGF and stores keep it, so that a game comes back
from any of them as it was. Records are read by the block: numpy takes them apart and compiled code plays the moves, so
that 130,000 games take seconds.
"""

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.board import Color, Move, Position, Rules
from outflank.errors import BadNotation, BadSpec
from outflank.game import NOBODY_MOVES, Game, Termination, points_of
from outflank.inputs import expect, open_file
from outflank.kernels.learning import positions_of
from outflank.kernels.rules import play

Records = npt.NDArray[np.void]

_HEADER = struct.Struct("<4BIHH4B")
_MOVES = 60
_RECORD = np.dtype(
    [
        ("tournament", "<u2"),
        ("black", "<u2"),
        ("white", "<u2"),
        ("score", "u1"),
        ("best", "u1"),
        ("moves", "u1", _MOVES),
    ]
)
_PLAYER, _TOURNAMENT = 20, 26
_MOST_NAMES = 1 << 16
"""Numbers have two bytes."""
_AT_ONCE = 4096
"""Games that are played side by side: their positions take 4 MB."""
_HALF = 32
_NONE, _WRONG = -1, -2
_TOLD = re.compile(r"\b([a-z]{1,12})=([0-9]{1,8})\b")
_MOST = {"tournament": 65535, "black": 65535, "white": 65535, "score": 64, "best": 255, "year": 65535, "depth": 255}


class Wthor(NamedTuple):
    """The three files that hold games.

    >>> [len(part) for part in write_wthor([Game.of(None, "f5d6", termination=Termination.RESIGNED, points=1.0)])]
    [84, 36, 42]
    """

    games: bytes
    players: bytes
    tournaments: bytes


class Names(NamedTuple):
    """The names of players and tournaments by their numbers; without them nobody has a name.

    >>> Names(("???", "Ada"), ("Cup",)).players[1]
    'Ada'
    """

    players: Sequence[str] = ()
    tournaments: Sequence[str] = ()


# --- reading --------------------------------------------------------------------------------------------------


def read_wthor(content: bytes, names: Names | None = None) -> list[Game]:
    """The games of a `.wtb` file, with the names of their players where those are given.

    >>> [game] = read_wthor(write_wthor([Game.of(None, "f5d6", black="Ada").resign(Color.WHITE)]).games)
    >>> game.moves, game.result
    ((f5, d6), 'black wins, 3 to 3 (adjudicated: as recorded)')
    """
    expect(bytes, content=content)
    expect(Names | None, names=names)
    return list(wthor_games([content], names or Names()))


def is_wthor(content: bytes) -> bool:
    """Whether a file that begins like this is one of games: a day, a size and a kind that exist, and bytes of zero.

    >>> is_wthor(write_wthor([]).games), is_wthor(b"f5d6c3d3c4f4f6f3e6e7")
    (True, False)
    """
    if len(content) < _HEADER.size:
        return False
    century, _, month, day, _, _, _, size, kind, _, last = _HEADER.unpack_from(content)
    return century in range(17, 23) and month <= 12 and day <= 31 and size <= 16 and kind <= 1 and last == 0


def wthor_games(pieces: Iterable[bytes], names: Names) -> Iterator[Game]:
    """The games of a file that comes in pieces, cut anywhere."""
    rest = iter(pieces)
    content = next(rest, b"")
    if len(content) < _HEADER.size:
        raise BadNotation(f"a WTHOR file of {len(content)} bytes; expected at least {_HEADER.size}")
    header = _header(content)
    content, done = content[_HEADER.size :], 0
    while done < header.games:
        whole = min(len(content) // _RECORD.itemsize, header.games - done)
        if not whole:
            piece = next(rest, b"")
            if not piece:
                raise BadNotation(f"the file ends after {done} games; its beginning tells of {header.games}")
            content += piece
            continue
        records = np.frombuffer(content, _RECORD, whole)
        for first in range(0, whole, _AT_ONCE):
            yield from _games(records[first : first + _AT_ONCE], done + first + 1, header, names)
        content, done = content[whole * _RECORD.itemsize :], done + whole


class _Header(NamedTuple):
    games: int
    year: int
    depth: int
    made: int
    """The day the file was made, as one number: 20060712."""


def _header(content: bytes) -> _Header:
    century, year, month, day, count, _, played, size, kind, depth, _ = _HEADER.unpack_from(content)
    if size not in (0, 8):
        raise BadNotation(f"the WTHOR file is of a {size}x{size} board; expected 8x8")
    if kind:
        raise BadNotation("the WTHOR file holds solitaires, positions to solve; expected games")
    return _Header(count, played, depth, ((century * 100 + year) * 100 + month) * 100 + day)


@cache
def _bits() -> npt.NDArray[np.int16]:
    """The bit of every byte of a move."""
    bits = np.full(256, _WRONG, np.int16)
    bits[0] = _NONE
    for row in range(8):
        bits[10 * row + 11 : 10 * row + 19] = range(8 * row, 8 * row + 8)
    return bits


class _Played(NamedTuple):
    """What compiled code makes of the moves of a block of games."""

    squares: npt.NDArray[np.int16]
    """The bits of all moves, one game behind the other."""
    ends: npt.NDArray[np.int64]
    """Where the moves of each game end."""
    own: npt.NDArray[np.uint64]
    """[moves, 1]: discs of the mover before each move."""
    other: npt.NDArray[np.uint64]
    black: npt.NDArray[np.bool_]
    """Whether black made the move."""
    games: npt.NDArray[np.int32]

    def passes(self) -> dict[int, list[int]]:
        """By game, the moves before which the other side passed: who moves twice was the only one who could."""
        twice = (self.black[1:] == self.black[:-1]) & (self.games[1:] == self.games[:-1])
        found: dict[int, list[int]] = {}
        for at in (np.flatnonzero(twice) + 1).tolist():
            found.setdefault(int(self.games[at]), []).append(at)
        return found

    def end(self, at: int, start: Position) -> Position:
        """The position after a move."""
        theirs, mine = (
            int(board[0]) for board in play((self.own[at, 0],), (self.other[at, 0],), int(self.squares[at]))
        )
        if self.black[at]:
            return Position(start.rules, mine, theirs, Color.WHITE)
        return Position(start.rules, theirs, mine, Color.BLACK)


def _played(records: Records, number: int) -> _Played:
    """The games of a block, played; the first has this number in its file."""
    squares = _bits()[records["moves"]]
    counts = (squares >= 0).sum(axis=1)
    _check_bytes(squares, counts, records, number)
    squares, ends = squares[squares >= 0], np.cumsum(counts)
    own, other = (np.zeros((len(squares), 1), np.uint64) for _ in range(2))
    sides, games = np.zeros(len(squares), np.float32), np.zeros(len(squares), np.int32)
    from_the_start, black_wins = np.zeros(len(ends), np.int64), np.ones(len(ends), np.int64)
    boards = Position.start().boards
    done = positions_of(*boards, squares, ends, from_the_start, black_wins, own, other, sides, games)
    if done < 0:
        raise _illegal(squares, ends, -done - 1, number)
    return _Played(squares, ends, own, other, sides > 0, games)


def _games(records: Records, number: int, header: _Header, names: Names) -> Iterator[Game]:
    """The games of a block, the first of which has this number in its file."""
    played, start = _played(records, number), Position.start()
    passes, pass_move = played.passes(), start.rules.pass_move
    moves = list(map(start.rules.by_bit.__getitem__, played.squares.tolist()))
    rows = zip(*(records[name].tolist() for name in ("tournament", "black", "white", "score", "best")), strict=True)
    file = f"year={header.year} depth={header.depth} made={header.made}"
    begin = 0
    for game, ((tournament, black, white, score, best), end) in enumerate(zip(rows, played.ends.tolist(), strict=True)):
        line = moves[begin:end]
        for earlier, at in enumerate(passes.get(game, ())):
            line.insert(at - begin + earlier, pass_move)
        yield _game(
            start,
            tuple(line),
            played.end(end - 1, start) if end > begin else start,
            score,
            black=_named(names.players, black),
            white=_named(names.players, white),
            date=f"{header.year}" if header.year else "",
            tags={
                "format": "wthor",
                "EV": _named(names.tournaments, tournament),
                "WTHOR": f"tournament={tournament} black={black} white={white} score={score} best={best} {file}",
            },
        )
        begin = end


def _game(start: Position, moves: tuple[Move, ...], end: Position, recorded: int, **facts: Any) -> Game:
    """The game with its result: that of the board where it was played out, otherwise that of the record."""
    if end.black | end.white == end.rules.full or end.is_over:
        score = end.score()
        ending: dict[str, Any] = {"termination": Termination.NORMAL, "reason": NOBODY_MOVES}
    else:
        score = 2 * (recorded - _HALF)
        ending = {"termination": Termination.ADJUDICATED, "reason": "as recorded", "ruled": score}
    return Game(start, moves, points=points_of(score), **ending, **facts).knowing(end=end)


def _named(names: Sequence[str], number: int) -> str:
    return names[number] if number < len(names) else ""


def _check_bytes(squares: npt.NDArray[np.int16], counts: npt.NDArray[np.int64], records: Records, number: int) -> None:
    """Refuses a byte that is no square, moves behind the end of a game, and more discs than a board has."""
    strange = ((squares >= 0) != (np.arange(_MOVES) < counts[:, None])) | (squares == _WRONG)
    for game in np.flatnonzero(strange.any(axis=1))[:1].tolist():
        ply = int(np.flatnonzero(squares[game] < 0)[0])
        byte = int(records["moves"][game, ply])
        what = f"the byte {byte}" if byte else "more moves behind its end"
        raise BadNotation(
            f"game {number + game} has {what} at move {ply + 1}; expected 10 * row + column, 0 at its end"
        )
    for game in np.flatnonzero(records["score"] > 2 * _HALF)[:1].tolist():
        raise BadNotation(f"game {number + game} has {records['score'][game]} discs of black; expected 0 to 64")


def _illegal(played: npt.NDArray[np.int16], ends: npt.NDArray[np.int64], game: int, number: int) -> BadNotation:
    """The error that names the move."""
    begin = int(ends[game - 1]) if game else 0
    moves = Rules().by_bit
    try:
        Game.of(None, "".join(str(moves[square]) for square in played[begin : int(ends[game])].tolist()))
    except ValueError as error:
        return BadNotation(f"game {number + game}: {error}")
    raise AssertionError("compiled and plain rules differ")


def names_beside(path: Path) -> Names:
    """The names that lie beside a file of games: files of its own name, of the name WTH, or the only ones there."""
    return Names(_names_of(path, ".jou", _PLAYER), _names_of(path, ".trn", _TOURNAMENT))


def _names_of(path: Path, ending: str, width: int) -> tuple[str, ...]:
    found = {each.stem.lower(): each for each in sorted(path.parent.iterdir()) if each.suffix.lower() == ending}
    only = next(iter(found.values())) if len(found) == 1 else None
    file = found.get(path.stem.lower()) or found.get("wth") or only
    if file is None:
        return ()
    with open_file(file) as opened:
        content = opened.read(_HEADER.size + width * _MOST_NAMES + 1)[_HEADER.size :]
    if len(content) > width * _MOST_NAMES:
        raise BadNotation(f"{file} has more than {_MOST_NAMES:,} names; expected a WTHOR file of names")
    fields = (content[at : at + width] for at in range(0, len(content) - width + 1, width))
    return tuple(_text(field) for field in fields)


def _text(field: bytes) -> str:
    """A name as a line of text: what is behind a zero does not count."""
    return "".join(sign if sign.isprintable() else "?" for sign in field.partition(b"\0")[0].decode("latin-1")).strip()


# --- writing --------------------------------------------------------------------------------------------------


def write_wthor(games: Iterable[Game]) -> Wthor:
    """The files of finished standard games on 8x8 from the usual start: games, players, tournaments.

    Numbers and scores that a game was read with are kept; others get free numbers, and their score under best play is
    the actual one. Names are cut to what a record can hold.

    >>> files = write_wthor([Game.of(None, "f5d6", black="Ada").resign(Color.WHITE)])
    >>> files.players[36:].rstrip(bytes(1)), read_wthor(files.games)[0].score
    (b'Ada', 64)
    """
    expect(Iterable, games=games)
    found, told = [], []
    for number, game in enumerate(games, start=1):
        expect(Game, game=game)
        _check_fits(game, number)
        found.append(game)
        told.append(_told(game))
    players, tournaments = _Numbers(_PLAYER), _Numbers(_TOURNAMENT)
    for game, facts in zip(found, told, strict=True):
        players.keep(game.black, facts.get("black"))
        players.keep(game.white, facts.get("white"))
        tournaments.keep(_event(game), facts.get("tournament"))
    records = np.zeros(len(found), _RECORD)
    for record, game, facts in zip(records, found, told, strict=True):
        score = facts.get("score", _discs(game))
        record["tournament"] = tournaments.of(_event(game), facts.get("tournament"))
        record["black"] = players.of(game.black, facts.get("black"))
        record["white"] = players.of(game.white, facts.get("white"))
        record["score"], record["best"] = score, facts.get("best", score)
        squares = [10 * (move // 8) + move % 8 + 11 for move in game.moves if not move.is_pass]
        record["moves"][: len(squares)] = squares
    year, depth, day = _about(found, told)
    head = (day // 1_000_000 % 100, day // 10_000 % 100, day // 100 % 100, day % 100)
    return Wthor(
        _HEADER.pack(*head, len(found), 0, year, 8, 0, depth, 0) + records.tobytes(),
        _HEADER.pack(*head, 0, players.count, 0, 0, 0, 0, 0) + players.content(),
        _HEADER.pack(*head, 0, tournaments.count, 0, 0, 0, 0, 0) + tournaments.content(),
    )


def _check_fits(game: Game, number: int) -> None:
    if game.start != Position.start():
        raise BadSpec(
            f"game {number} is {game.rules}, or not from the usual start; WTHOR has the standard game on 8x8 from there"
        )
    if game.score is None:
        raise BadSpec(f"game {number} goes on; WTHOR has games with a result")


def _told(game: Game) -> dict[str, int]:
    """What the record that a game was read from said, as far as a record can say it."""
    told = {name: int(value) for name, value in _TOLD.findall(game.tags.get("WTHOR", "")[:200])}
    return {name: value for name, value in told.items() if value <= _MOST.get(name, 22_991_231)}


def _event(game: Game) -> str:
    return game.tags.get("EV", "")


def _discs(game: Game) -> int:
    """Black's discs, the empty squares with the winner."""
    assert game.score is not None, "looked at before"
    return min(max(round(_HALF + game.score / 2), 0), 2 * _HALF)


def _about(games: list[Game], told: list[dict[str, int]]) -> tuple[int, int, int]:
    """Year, depth and day of the file: as the games were read, where they agree."""
    files = {
        (facts["year"], facts["depth"], facts["made"]) for facts in told if {"year", "depth", "made"} <= facts.keys()
    }
    if len(files) == 1:
        return files.pop()
    years = {int(found[0]) for game in games if (found := re.match("[0-9]{4}", game.date))}
    today = datetime.now(UTC).date()
    return (years.pop() if len(years) == 1 else 0), 0, (today.year * 100 + today.month) * 100 + today.day


class _Numbers:
    """Names with their numbers in a file; number 0 is for what has no name."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.names = {0: ""}
        self._known: dict[str, int] = {"": 0}
        self._free = 1

    def keep(self, name: str, number: int | None) -> None:
        """Remembers a number that a name had, unless another name has it."""
        if number is not None and self.names.setdefault(number, name) in ("", name):
            self.names[number] = name
            self._known.setdefault(name, number)

    def of(self, name: str, number: int | None) -> int:
        """The number of a name: its own, that of its name, or a new one."""
        if number is not None and self.names.get(number) == name:
            return number
        if name not in self._known:
            while self._free in self.names:
                self._free += 1
            if self._free >= _MOST_NAMES:
                raise BadSpec(f"there are more than {_MOST_NAMES - 1:,} names; WTHOR has no numbers for them")
            self.names[self._free], self._known[name] = name, self._free
        return self._known[name]

    @property
    def count(self) -> int:
        """Names in the file, without names too."""
        return min(max(self.names) + 1, _MOST_NAMES - 1)

    def content(self) -> bytes:
        """The names by number, each in its width."""
        names = (self.names.get(number, "") for number in range(max(self.names) + 1))
        texts = (name.encode("latin-1", "replace")[: self.width - 1] for name in names)
        return b"".join(map(bytes.ljust, texts, repeat(self.width), repeat(b"\0")))
