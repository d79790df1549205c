"""The game on the table: moves from a first position, and a place among them.

Undo moves the place back and redo forth; whoever plays another move than the one ahead forgets what was ahead. Nothing
here prints, thinks or knows who plays.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from outflank.arena.openings import read_openings
from outflank.board import Color, Position, Rules, Variant
from outflank.errors import BadSpec, OutflankError
from outflank.formats import Recognised, ggf, recognise, replay, transcript

Wanted = Callable[[Position], bool]

_OPENING = re.compile(r"start|(random|balanced)\(\d{1,3}\)")


class Game:
    """Moves that can be taken back and played again.

    >>> game = Game(Position.start(Rules(4)))
    >>> game.play("b1"), game.play("a1"), game.undo(), game.transcript
    (None, None, None, 'b1')
    >>> game.redo()
    >>> game.transcript, game.position.turn
    ('b1a1', <Color.BLACK: 0>)
    """

    def __init__(self, start: Position, moves: Iterable[int] = ()) -> None:
        self._positions = [start]
        self._moves: list[int] = []
        self._ply = 0
        self._resigned: Color | None = None
        for move in moves:
            self.play(move)

    @property
    def start(self) -> Position:
        """The first position."""
        return self._positions[0]

    @property
    def position(self) -> Position:
        """The position at the place."""
        return self._positions[self._ply]

    @property
    def moves(self) -> tuple[int, ...]:
        """The moves up to the place."""
        return tuple(self._moves[: self._ply])

    @property
    def ply(self) -> int:
        """How many moves there are up to the place."""
        return self._ply

    @property
    def last(self) -> int | None:
        """The square played last; a pass does not hide it."""
        squares = (move for move in reversed(self.moves) if move != self.start.rules.pass_move)
        return next(squares, None)

    @property
    def turned(self) -> tuple[int, ...]:
        """The squares whose discs the last disc turned.

        >>> Game(Position.start(Rules(4)), [1]).turned
        (b2,)
        """
        ply = max((i for i, move in enumerate(self.moves, start=1) if move != self.start.rules.pass_move), default=0)
        before, after = self._positions[max(ply - 1, 0)], self._positions[ply]
        changed = (before.black & after.white) | (before.white & after.black)
        return tuple(self.start.rules.squares(changed))

    @property
    def over(self) -> bool:
        """Whether nobody can move, or somebody gave up."""
        return self._resigned is not None or self.position.is_over

    @property
    def winner(self) -> Color | None:
        """Who won a game that is over; None for a draw."""
        return self.position.winner if self._resigned is None else self._resigned.other

    @property
    def result(self) -> str:
        """How the game ended, in words; empty while it goes on.

        >>> Game(Position.parse("XXXX--------OO-- X")).result
        'black wins with 4 discs to 2'
        """
        if not self.over:
            return ""
        if self._resigned is not None:
            return f"{self._resigned} resigned, {self._resigned.other} wins"
        winner, (black, white) = self.winner, self.discs
        if winner is None:
            return f"a draw with {black} discs each"
        own, opposing = (black, white) if winner is Color.BLACK else (white, black)
        return f"{winner} wins with {own} discs to {opposing}"

    @property
    def discs(self) -> tuple[int, int]:
        """Discs of black and of white."""
        return self.position.discs(Color.BLACK), self.position.discs(Color.WHITE)

    @property
    def transcript(self) -> str:
        """The moves up to the place as people write them, behind the first position where it is not the usual one."""
        moves = transcript(self.moves, self.start.rules)
        usual = self.start == Position.start(self.start.rules)
        return moves if usual else f"{self.start.line()} {moves}".strip()

    def play(self, move: int | str) -> None:
        """Plays a legal move at the place."""
        number = self.start.rules.square(move) if isinstance(move, str) else move
        if self.over:
            raise OutflankError(f"the game is over: {self.result}; expected undo or new")
        after = self.position.play(number)
        if self._moves[self._ply : self._ply + 1] != [number]:
            del self._moves[self._ply :], self._positions[self._ply + 1 :]
            self._moves.append(number)
            self._positions.append(after)
        self._ply += 1

    def resign(self) -> None:
        """The side to move gives up."""
        if self.over:
            raise OutflankError(f"the game is over: {self.result}")
        self._resigned = self.position.turn

    def undo(self, wanted: Wanted = lambda position: True) -> None:
        """Goes back to the nearest earlier position that is wanted; after a resignation to where it was said."""
        if self._resigned is not None:
            self._resigned = None
            return
        earlier = (ply for ply in range(self._ply - 1, -1, -1) if wanted(self._positions[ply]))
        found = next(earlier, None)
        if found is None:
            raise OutflankError("there is no move to take back")
        self._ply = found

    def redo(self, wanted: Wanted = lambda position: True) -> None:
        """Goes on to the nearest later position that is wanted, or to the end of what is known."""
        ahead = range(self._ply + 1, len(self._positions))
        if not ahead:
            raise OutflankError("there is no move to play again")
        self._ply = next((ply for ply in ahead if wanted(self._positions[ply])), ahead[-1])

    def ggf(self, black: str, white: str) -> str:
        """The game up to the place as a GGF record, with the names of the players."""
        lost = self.start.rules.cells
        given_up = {None: "", Color.BLACK: f"{-lost}:r", Color.WHITE: f"+{lost}:r"}[self._resigned]
        return ggf(self.start, self.moves, black, white, result=given_up)


# --- where games come from ----------------------------------------------------------------------------------------


def opened(opening: str, size: int | None, variant: Variant, seed: int) -> Game:
    """A game from `start`, `random(k)` or `balanced(k)`, or from whatever a text holds: moves, a position, GGF.

    >>> opened("random(3)", 6, "standard", seed=1).ply, opened("f5d6", None, "standard", seed=0).ply
    (3, 2)
    """
    if not _OPENING.fullmatch(opening):
        return _told(recognise(opening, variant, size), size)
    start = Position.start(Rules(8 if size is None else size, variant))
    found = read_openings(opening, start.rules, wanted=1, seed=seed)
    if not found:
        raise BadSpec(f"{opening} gives no opening on {start.rules}; expected fewer plies")
    return Game(start, replay(start, found[0].text))


def loaded(path: Path, size: int | None, variant: Variant) -> Game:
    """The game or position of a file, the first one where it has several."""
    content = path.read_bytes()
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:  # GGF is Latin-1
        text = content.decode("latin-1")
    try:
        return _told(recognise(text, variant, size), size)
    except OutflankError as error:
        raise OutflankError(f"{path}: {error}") from None


def _told(found: Recognised, size: int | None) -> Game:
    told = found.start.rules.size
    if size not in (None, told):
        raise BadSpec(f"the board has {told}x{told} squares; expected {size}x{size}, as --size says")
    return Game(found.start, found.moves)
