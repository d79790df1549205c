"""What was played in a position: an index of all positions of many games, asked by position.

An entry is a move of a game: the key of the position before it, its square, the game. A key is a hash of 64 bits of the
smallest of the eight images of a board and of who is to move, so that symmetric positions are one; that any two
of ten million positions share a key has a probability of about one in 400,000. Entries are sorted by key: a question
looks one stretch of them up and counts. An entry takes 13 bytes and a game 12, so that 130,000 games take about 100 MB.

Games are of one board, up to 8x8, and one variant, from the usual start; others are left out and counted.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple
from zipfile import ZIP_STORED, ZipFile

import numpy as np
import numpy.typing as npt

from outflank.batch.boards import action_images, transform_boards
from outflank.board import VARIANTS, Move, Position, Rules
from outflank.errors import BadNotation, BadSpec
from outflank.game import Game
from outflank.inputs import expect, is_whole, open_file, put_file, shown
from outflank.kernels.learning import positions_of
from outflank.named_openings import named_openings

Result = Literal["black", "white", "draw"]
_BLOCK, _SMALL_BLOCK = 20_000, 2000
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
        entries, images = self._chosen(position, player, years, result)
        return self._counted(position, entries, images)

    def games_with(
        self,
        position: Position,
        *,
        move: int | None = None,
        player: str | None = None,
        years: tuple[int, int] | None = None,
        result: Result | None = None,
    ) -> npt.NDArray[np.int32]:
        """The numbers of the games that went on from a position, by this move where one is named, the newest first."""
        entries, images = self._chosen(position, player, years, result)
        if move is not None:
            wanted = position.rules.move(move)
            places = [int(image[wanted]) for image in images if not wanted.is_pass]
            entries = entries[np.isin(self.squares[entries], np.array(places, np.uint8))]
        games = self.games[entries]
        return games[np.lexsort((games, -self.years[games].astype(np.int64)))]

    def game(self, number: int, through: Position | None = None) -> Game:
        """A game by its number, played again from its entries.

        Which of its mirror images it was is not known: it is the one that leads through a position where one is given.

        >>> index = Explorer.of([Game.of(None, "f5d6c3d3c4f4c5b3", black="Ada").resign(Position.start().turn)])
        >>> index.game(0).transcript, index.game(0, Position.after("f5d6c3")).transcript, index.game(0).black
        ('d3c5f6f5e6e3d6f7', 'f5d6c3d3c4f4c5b3', 'Ada')
        """
        expect(int, number=number)
        expect(Position | None, through=through)
        if not 0 <= number < len(self.scores):
            raise BadSpec(f"game {shown(number)} is not in the index; expected 0 to {len(self.scores) - 1}")
        positions, moves = [Position.start(self.rules)], list[Move]()
        while (move := self._played(positions[-1], number)) is not None:
            moves.append(move)
            positions.append(positions[-1].play(move))
        image = _image_through(positions, through)
        names = {"black": self.names[self.black[number]], "white": self.names[self.white[number]]}
        year = int(self.years[number])
        played = [self.rules.image(move, image) for move in moves]
        return Game.of(positions[0].transform(image), played, **names, date=f"{year:04}" if year else "")

    def _played(self, position: Position, number: int) -> Move | None:
        """What a game played in a position; None where it ended."""
        if position.must_pass:
            return position.rules.pass_move
        begin, end, images = self._stretch(position)
        at = begin + int(np.searchsorted(self.games[begin:end], number))  # games of one key stand in their order
        if at == end or self.games[at] != number:
            return None
        square = self.squares[at]
        return next((move for move in position.moves if any(image[move] == square for image in images)), None)

    def _stretch(self, position: Position) -> tuple[int, int, list[npt.NDArray[np.int64]]]:
        """The first and the last entry of a position, and where squares go in its smallest image."""
        own, other = (np.array([[board]], np.uint64) for board in (position.own, position.opposing))
        small, _ = _smallest(own, other, self.rules.size)
        key = _keys(*small, np.array([not position.turn]))[0]
        begin, end = (int(np.searchsorted(self.keys, key, side)) for side in ("left", "right"))
        return begin, end, _images(own, other, small, self.rules.size)

    def _chosen(
        self, position: Position, player: str | None, years: tuple[int, int] | None, result: Result | None
    ) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.int64]]]:
        """The entries of a position that are asked for, and where squares go in its smallest image."""
        expect(Position, position=position)
        expect(str | None, player=player)
        if years is not None and not (isinstance(years, tuple) and len(years) == 2 and all(map(is_whole, years))):
            raise BadSpec(f"years {shown(years)} are not understood; expected the first and the last, (1985, 1990)")
        if position.rules != self.rules:
            raise BadSpec(f"the position is {position.rules}, the games are {self.rules}; expected the same")
        if result not in (None, "black", "white", "draw"):
            raise BadSpec(f"result {shown(result)} is not known; expected black, white or draw")
        begin, end, images = self._stretch(position)
        entries = np.arange(begin, end)
        if (player, years, result) != (None, None, None):
            entries = entries[self._wanted(player, years, result)[self.games[begin:end]]]
        return entries, images

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


def _image_through(positions: Sequence[Position], through: Position | None) -> int:
    """Which symmetry makes a game lead through a position; none where it does not."""
    if through is None:
        return 0
    for position in positions:
        images = [number for number in range(8) if position.transform(number) == through]
        if images:  # the usual start stays the usual start where that can be
            return min(images, key=lambda number: positions[0].transform(number) != positions[0])
    return 0


def indexes(games: Iterable[Game], tell: Callable[[int], None] = lambda _: None) -> dict[Rules, Explorer]:
    """An index for every board up to 8x8 and variant that occurs; `tell` is called with how many games are read.

    >>> found = indexes([Game.of(None, "f5d6").resign(Position.start().turn), Game.of(Position.start("reversed 6x6"))])
    >>> [(str(rules), len(index.scores), index.left_out) for rules, index in found.items()]
    [('standard 8x8', 1, 0), ('reversed 6x6', 0, 1)]
    """
    expect(Iterable, games=games)
    made: dict[Rules, _Making] = {}
    source, read = iter(games), 0
    while block := list(islice(source, _SMALL_BLOCK)):
        by_rules: dict[Rules, list[Game]] = {}
        for game in block:
            by_rules.setdefault(game.rules, []).append(game)
        for rules, some in by_rules.items():
            if rules.words == 1:
                made.setdefault(rules, _Making(rules)).add(some)
        read += len(block)
        tell(read)
    return {rules: making.index() for rules, making in made.items()}


def _name(position: Position) -> str:
    if position.rules.size != 8:
        return ""
    return named_openings()[0].get(position.with_variant("standard").canonical(), "")


def opening_names(games: Sequence[Game]) -> list[str]:
    """The name of the opening of each of these games, as `Game.opening` tells it, of very many in little time.

    >>> tiger = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1"
    >>> opening_names([Game.of(None, tiger), Game.of(Position.start("standard 6x6"), "c2"), Game.of(None, "f5")])
    ['Scorpion', '', '']
    """
    expect(Sequence, games=games)
    most = named_openings()[1]
    names = [""] * len(games)
    usual = [Position.start(Rules(8, variant)) for variant in VARIANTS]
    lines = {}
    for number, game in enumerate(games):
        if game.start in usual and game.rules.size == 8:
            line = [move for move in game.moves[: 2 * most] if not move.is_pass][: most + 1]
            if len(line) > most:
                lines[number] = line
            else:  # its last position may have the name
                names[number] = game.opening
    keys, known = _named_keys()
    found, numbers = _entries_of(list(lines.values()), usual[0]), list(lines)
    places = np.minimum(np.searchsorted(keys, found["keys"]), len(keys) - 1)
    for entry in np.flatnonzero(keys[places] == found["keys"]):
        names[numbers[found["games"][entry]]] = known[places[entry]]
    return names


@cache
def _named_keys() -> tuple[npt.NDArray[np.uint64], list[str]]:
    """The keys of the positions that have a name, sorted, and their names."""
    named = list(named_openings()[0].items())
    own = np.array([[position.own] for position, _ in named], np.uint64)
    other = np.array([[position.opposing] for position, _ in named], np.uint64)
    keys = _keys(*_smallest(own, other, 8)[0], np.array([not position.turn for position, _ in named]))
    order = np.argsort(keys)
    return keys[order], [named[place][1] for place in order]


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
        found = _entries_of([[move for move in game.moves if not move.is_pass] for game in games], start)
        return {**found, "games": found["games"] + np.int32(self._count)}

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


def _entries_of(lines: Sequence[Sequence[int]], start: Position) -> dict[str, npt.NDArray[Any]]:
    """Every move of these lines without passes: the key of the position before it, its square there, its line."""
    rules = start.rules
    bits = [rules.bit(square).bit_length() - 1 for square in range(rules.cells)]
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
    return {"keys": _keys(*small, sides > 0), "squares": tables[images, moves].astype(np.uint8), "games": numbers}


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
