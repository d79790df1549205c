"""What was played in a position: an index of all positions of many games, asked by position.

An entry is a move of a game: the key of the position before it, its square, the game. A key is a hash of 64 bits of the
smallest of the eight images of a board and of who is to move, so that symmetric positions are one; that any two
of ten million positions share a key has a probability of about one in 400,000. Entries are sorted by key: a question
looks one stretch of them up and counts. An entry takes 13 bytes and a game 12, so that 130,000 games take about 100 MB.

Games are of one board, up to 8x8, and one variant, from the usual start; others are left out and counted.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple
from zipfile import ZIP_STORED, ZipFile

import numpy as np
import numpy.typing as npt

from outflank.batch.boards import action_images, transform_boards
from outflank.board import Move, Position, Rules
from outflank.errors import BadNotation, BadSpec
from outflank.game import Game
from outflank.inputs import expect, is_whole, open_file, put_file, shown
from outflank.kernels.learning import positions_of
from outflank.named_openings import named_openings

Result = Literal["black", "white", "draw"]
_BLOCK = 20_000
_FIELDS: dict[str, Any] = {
    **{"keys": np.uint64, "squares": np.uint8, "games": np.int32},
    **{"scores": np.int16, "black": np.int32, "white": np.int32, "years": np.int16},
}
_MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)


class MoveCount(NamedTuple):
    """What became of a move; points and margin are the mover's.

    >>> MoveCount(Rules().move("d3"), (), games=4, points=3.0, margin=2.5, opening="").share
    0.75
    """

    move: Move
    alike: tuple[Move, ...]
    """Moves that lead to mirror images, and are counted with it."""
    games: int
    points: float
    """Wins, and half of the draws."""
    margin: float
    """The mean of the scores, in discs."""
    opening: str
    """The name of the position behind it."""

    @property
    def share(self) -> float:
        """Points of a game."""
        return self.points / self.games


@dataclass(frozen=True, eq=False)
class Explorer:
    """An index of games.

    >>> from outflank.board import Color
    >>> lines = {"f5d6c3": Color.WHITE, "d3c5": Color.BLACK}
    >>> index = Explorer.of(Game.of(None, line).resign(loser) for line, loser in lines.items())
    >>> [(str(found.move), found.games, found.points) for found in index.at(Position.start())]
    [('d3', 2, 1.0)]
    >>> [(str(found.move), found.games, found.opening) for found in index.at(Position.after("f5"))]
    [('d6', 2, 'Perpendicular')]
    """

    rules: Rules
    names: Sequence[str]
    """Of the players, by number."""
    keys: npt.NDArray[np.uint64]
    """[entries]: sorted."""
    squares: npt.NDArray[np.uint8]
    """[entries]: where the move goes in the smallest image."""
    games: npt.NDArray[np.int32]
    """[entries]: the number of the game."""
    scores: npt.NDArray[np.int16]
    """[games]: black's."""
    black: npt.NDArray[np.int32]
    white: npt.NDArray[np.int32]
    years: npt.NDArray[np.int16]
    left_out: int = 0

    @classmethod
    def of(cls, games: Iterable[Game], rules: Rules | None = None) -> "Explorer":
        """The index of finished games under these rules, or under those of the first game."""
        expect(Iterable, games=games)
        expect(Rules | None, rules=rules)
        made = _Making(rules)
        source = iter(games)
        while block := list(islice(source, _BLOCK)):
            made.add(block)
        return made.index()

    def at(
        self,
        position: Position,
        *,
        player: str | None = None,
        years: tuple[int, int] | None = None,
        result: Result | None = None,
    ) -> list[MoveCount]:
        """The moves of a position that were played, most frequent first; passes are no moves here.

        Only games of a player (a part of the name will do, capitals do not count), of the years from one to another, or
        with this result.
        """
        expect(Position, position=position)
        expect(str | None, player=player)
        if years is not None and not (isinstance(years, tuple) and len(years) == 2 and all(map(is_whole, years))):
            raise BadSpec(f"years {shown(years)} are not understood; expected the first and the last, (1985, 1990)")
        if position.rules != self.rules:
            raise BadSpec(f"the position is {position.rules}, the games are {self.rules}; expected the same")
        if result not in (None, "black", "white", "draw"):
            raise BadSpec(f"result {shown(result)} is not known; expected black, white or draw")
        own, other = (np.array([[board]], np.uint64) for board in (position.own, position.opposing))
        small, _ = _smallest(own, other, self.rules.size)
        begin, end = (
            int(np.searchsorted(self.keys, _keys(*small, np.array([not position.turn]))[0], side))
            for side in ("left", "right")
        )
        entries = np.arange(begin, end)[self._wanted(player, years, result)[self.games[begin:end]]]
        return self._counted(position, entries, _images(own, other, small, self.rules.size))

    def _wanted(
        self, player: str | None, years: tuple[int, int] | None, result: Result | None
    ) -> npt.NDArray[np.bool_]:
        """[games]: whether a game is asked for."""
        wanted = np.ones(len(self.scores), np.bool_)
        if player is not None:
            known = np.array([player.casefold() in name.casefold() for name in self.names], np.bool_)
            wanted &= known[self.black] | known[self.white]
        if years is not None:
            wanted &= (self.years >= years[0]) & (self.years <= years[1])
        if result is not None:
            wanted &= np.sign(self.scores) == {"black": 1, "white": -1, "draw": 0}[result]
        return wanted

    def _counted(
        self, position: Position, entries: npt.NDArray[np.int64], images: Sequence[npt.NDArray[np.int64]]
    ) -> list[MoveCount]:
        squares, mine = self.squares[entries], (-1 if position.turn else 1) * self.scores[self.games[entries]]
        count, points, margins = (
            np.bincount(squares, weights, self.rules.cells) for weights in (None, (np.sign(mine) + 1) / 2, mine)
        )
        alike: dict[frozenset[int], list[Move]] = {}
        for move in (move for move in position.moves if not move.is_pass):
            alike.setdefault(frozenset(int(image[move]) for image in images), []).append(move)
        found = []
        for places, (move, *others) in alike.items():
            at = sorted(places)
            if games := int(count[at].sum()):
                margin = float(margins[at].sum()) / games
                name = _name(position.play(move))
                found.append(MoveCount(move, tuple(others), games, float(points[at].sum()), margin, name))
        return sorted(found, key=lambda one: -one.games)

    # --- files ------------------------------------------------------------------------------------------------

    def write(self, path: str | Path) -> None:
        """Keeps the index in a file of numpy arrays."""
        about = {"rules": str(self.rules), "names": list(self.names), "left_out": self.left_out}
        arrays = {name: getattr(self, name) for name in _FIELDS}
        packed = BytesIO()
        np.savez(packed, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)
        put_file(Path(path), packed.getvalue())

    @classmethod
    def read(cls, path: str | Path) -> "Explorer":
        """The index that a file holds."""
        with open_file(path) as file:
            try:
                index = cls._unpacked(file)
            except Exception as error:  # a damaged archive makes its readers raise many things
                told = shown(str(error))
                raise BadNotation(f"{path} is no index of games ({told}); expected one of explore") from None
        index._check(path)
        return index

    @classmethod
    def _unpacked(cls, file: IO[bytes]) -> "Explorer":
        with ZipFile(file) as archive:
            if any(info.compress_type != ZIP_STORED for info in archive.infolist()):
                raise BadSpec("it is packed")  # as large as its arrays, and not a little that unpacks to very much
        file.seek(0)
        held = np.load(file, allow_pickle=False)
        about = json.loads(held["about"].tobytes())
        arrays = {name: np.ascontiguousarray(held[name], kind) for name, kind in _FIELDS.items()}
        return cls(Rules.parse(about["rules"]), about["names"], **arrays, left_out=about["left_out"])

    def _check(self, path: str | Path) -> None:
        entries, games, players = len(self.keys), len(self.scores), len(self.names)
        lengths = {len(self.squares), len(self.games)} == {entries}
        lengths &= {len(each) for each in (self.black, self.white, self.years)} == {games}
        inside = all(
            not len(each) or (int(each.min()) >= 0 and int(each.max()) < most)
            for each, most in ((self.games, games), (self.black, players), (self.white, players))
        )
        squares = not entries or int(self.squares.max()) < self.rules.cells
        if not (lengths and inside and squares and all(isinstance(name, str) for name in self.names)):
            raise BadNotation(f"{path} is no index of games: its parts do not fit; expected one of explore")


def _name(position: Position) -> str:
    if position.rules.size != 8:
        return ""
    return named_openings()[0].get(position.with_variant("standard").canonical(), "")


# --- making it ----------------------------------------------------------------------------------------------------


class _Making:
    """An index in the making, block by block."""

    def __init__(self, rules: Rules | None) -> None:
        self.rules, self.left_out = rules, 0
        self._names: dict[str, int] = {}
        self._parts: list[dict[str, npt.NDArray[Any]]] = []
        self._count = 0

    def add(self, games: Sequence[Game]) -> None:
        """Takes a block of games in."""
        for game in games:
            expect(Game, game=game)
        if self.rules is None:
            self.rules = games[0].rules
        if self.rules.words > 1:
            raise BadSpec(f"games of {self.rules} are not indexed; expected a board up to 8x8")
        usual = Position.start(self.rules)
        fit = [game for game in games if game.start == usual and game.score is not None]
        self.left_out += len(games) - len(fit)
        if fit:
            self._parts.append(self._entries(fit, usual) | self._facts(fit))
            self._count += len(fit)

    def _entries(self, games: Sequence[Game], start: Position) -> dict[str, npt.NDArray[Any]]:
        rules = start.rules
        bits = [rules.bit(square).bit_length() - 1 for square in range(rules.cells)]
        lines = [[move for move in game.moves if not move.is_pass] for game in games]
        moves = np.array([move for line in lines for move in line], np.int64)
        ends = np.cumsum([len(line) for line in lines])
        own, other = (np.zeros((len(moves), 1), np.uint64) for _ in range(2))
        sides, numbers = np.zeros(len(moves), np.float32), np.zeros(len(moves), np.int32)
        nothing, black_wins = np.zeros(len(ends), np.int64), np.ones(len(ends), np.int64)
        squares = np.array(bits, np.int16)[moves] if len(moves) else np.empty(0, np.int16)
        done = positions_of(*start.boards, squares, ends, nothing, black_wins, own, other, sides, numbers)
        assert done >= 0, "games have legal moves"
        small, images = _smallest(own, other, rules.size)
        tables = np.array([action_images(rules.size, number) for number in range(8)])
        placed = tables[images, moves].astype(np.uint8)
        return {"keys": _keys(*small, sides > 0), "squares": placed, "games": numbers + np.int32(self._count)}

    def _facts(self, games: Sequence[Game]) -> dict[str, npt.NDArray[Any]]:
        number = self._names.setdefault
        who = [[number(name, len(self._names)) for name in (game.black, game.white)] for game in games]
        years = [int(game.date[:4]) if game.date[:4].isascii() and game.date[:4].isdigit() else 0 for game in games]
        return {
            "scores": np.array([game.score for game in games], np.int16),
            "black": np.array([black for black, _ in who], np.int32),
            "white": np.array([white for _, white in who], np.int32),
            "years": np.array(years, np.int16),
        }

    def index(self) -> Explorer:
        """All of it, sorted."""
        joined = {
            name: np.concatenate([np.empty(0, kind), *(part.pop(name) for part in self._parts)]).astype(kind)
            for name, kind in _FIELDS.items()
        }
        order = np.argsort(joined["keys"], kind="stable")
        for name in ("keys", "squares", "games"):
            joined[name] = joined[name][order]
        return Explorer(self.rules or Rules(), tuple(self._names), **joined, left_out=self.left_out)


def _smallest(
    own: npt.NDArray[np.uint64], other: npt.NDArray[np.uint64], size: int
) -> tuple[tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]], npt.NDArray[np.int64]]:
    """The smallest images of boards, and by which symmetry each is made."""
    best, rest = own[:, 0].copy(), other[:, 0].copy()
    images = np.zeros(len(own), np.int64)
    for number in range(1, 8):
        one, two = (transform_boards(boards, size, number)[:, 0] for boards in (own, other))
        less = (one < best) | ((one == best) & (two < rest))
        best[less], rest[less], images[less] = one[less], two[less], number
    return (best, rest), images


def _images(
    own: npt.NDArray[np.uint64],
    other: npt.NDArray[np.uint64],
    small: tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]],
    size: int,
) -> list[npt.NDArray[np.int64]]:
    """Where every symmetry that makes the smallest image of a board takes its squares."""
    return [
        action_images(size, number)
        for number in range(8)
        if transform_boards(own, size, number)[0, 0] == small[0][0]
        and transform_boards(other, size, number)[0, 0] == small[1][0]
    ]


def _keys(
    own: npt.NDArray[np.uint64], other: npt.NDArray[np.uint64], black: npt.NDArray[np.bool_]
) -> npt.NDArray[np.uint64]:
    """Hashes of boards and of who is to move: products folded twice, which spread every bit."""
    mixed: npt.NDArray[np.uint64] = own * _MIX[0] + (other ^ (other >> np.uint64(31))) * _MIX[1] + black
    mixed ^= mixed >> np.uint64(29)
    mixed *= _MIX[2]
    mixed ^= mixed >> np.uint64(32)
    return mixed


def years_of(text: str) -> tuple[int, int]:
    """The first and the last year that `1985` or `1985..1990` names.

    >>> years_of("1985"), years_of("1985..1990")
    ((1985, 1985), (1985, 1990))
    """
    parts = text.split("..")
    if len(parts) > 2 or not all(part.isascii() and part.isdigit() and len(part) <= 4 for part in parts):
        raise BadSpec(f"year {shown(text)} is not understood; expected 1985 or 1985..1990")
    return int(parts[0]), int(parts[-1])


def _of_kind(found: Iterable[MoveCount]) -> Iterator[dict[str, Any]]:
    """Moves as plain data."""
    for one in found:
        yield {
            "move": str(one.move),
            "alike": list(map(str, one.alike)),
            "games": one.games,
            "points": one.points,
            "share": round(one.share, 4),
            "margin": round(one.margin, 3),
            "opening": one.opening,
        }


def explored_facts(found: Iterable[MoveCount]) -> list[dict[str, Any]]:
    """What a position's moves became, for `--json` and pages.

    >>> explored_facts([MoveCount(Rules().move("d3"), (), 2, 1.5, 4.0, "")])[0]["share"]
    0.75
    """
    return list(_of_kind(found))
