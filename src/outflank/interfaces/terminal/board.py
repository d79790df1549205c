"""The game on the board and a place in it, where undo goes back and redo forth.

Whoever plays another move than the one ahead forgets what was ahead. Nothing here prints, thinks or knows who plays.
"""

from collections.abc import Callable

from outflank.board import Move, Position
from outflank.errors import OutflankError
from outflank.game import Game

Wanted = Callable[[Position], bool]


class Board:
    """A game whose moves can be taken back and played again.

    >>> board = Board(Game.of(Position.start("standard 4x4"), "b1a1"))
    >>> board.undo()
    >>> board.game.transcript
    'b1'
    >>> board.redo()
    >>> board.game.transcript, board.position.turn
    ('b1a1', <Color.BLACK: 0>)
    """

    def __init__(self, game: Game) -> None:
        self.game = Game.of(game.start, game.moves, opening_plies=game.opening_plies)
        """The game up to the place; one that was given up goes on."""
        self._ahead = self.game

    @property
    def position(self) -> Position:
        """The position at the place."""
        return self.game.end

    @property
    def last(self) -> Move | None:
        """The square played last; a pass does not hide it."""
        return next((move for move in reversed(self.game.moves) if not move.is_pass), None)

    @property
    def turned(self) -> tuple[Move, ...]:
        """The squares whose discs the last disc turned.

        >>> Board(Game.of(Position.start("standard 4x4"), "b1")).turned
        (b2,)
        """
        ply = max((ply for ply, move in enumerate(self.game.moves, start=1) if not move.is_pass), default=0)
        before, after = self.game.positions[max(ply - 1, 0)], self.game.positions[ply]
        changed = (before.black & after.white) | (before.white & after.black)
        return tuple(self.game.rules.squares(changed))

    def play(self, move: int | str) -> None:
        """Plays a legal move at the place."""
        if self.game.over:
            raise OutflankError(f"the game is over: {self.game.result}; expected undo or new")
        self.game = self.game.play(move)
        if not self._ahead.continues(self.game):
            self._ahead = self.game

    def resign(self) -> None:
        """The side to move gives up."""
        self.game = self.game.resign(self.position.turn)

    def undo(self, wanted: Wanted = lambda position: True) -> None:
        """Goes back to the nearest earlier position that is wanted; after a resignation to where it was said."""
        ply = len(self.game)
        if self.game.over and not self.position.is_over:
            self._go(ply)
            return
        found = next((ply for ply in range(ply - 1, -1, -1) if wanted(self._ahead.positions[ply])), None)
        if found is None:
            raise OutflankError("there is no move to take back")
        self._go(found)

    def redo(self, wanted: Wanted = lambda position: True) -> None:
        """Goes on to the nearest later position that is wanted, or to the end of what is known."""
        ahead = range(len(self.game) + 1, len(self._ahead) + 1)
        if not ahead:
            raise OutflankError("there is no move to play again")
        self._go(next((ply for ply in ahead if wanted(self._ahead.positions[ply])), ahead[-1]))

    def _go(self, ply: int) -> None:
        self.game = self._ahead[:ply]
