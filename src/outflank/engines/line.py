"""How a game came to a position: what an external program must be told, and how to find it out when nobody says.

GTP has no word for "this is the board": a program knows a position only by the moves that led to it. Whoever asks
for a move may know them (`EnginePlayer.follow`). Otherwise `moves_between` looks for a way from one position to a
later one: every move fills one square for good, so that only the squares newly filled need be tried, in some
order, with passes where they are forced. Positions found to lead nowhere are not tried twice.
"""

from dataclasses import dataclass
from functools import cached_property

from outflank.board import Position
from outflank.formats import play_moves

_SQUARES = 12
_TRIES = 20_000


@dataclass(frozen=True)
class Line:
    """A starting position and the moves played from it, passes written.

    >>> Line(Position.start(), (37, 43)).end.empties
    58
    """

    start: Position
    moves: tuple[int, ...] = ()

    @cached_property
    def end(self) -> Position:
        """The position after the last move."""
        return play_moves(self.start, self.moves)

    def plus(self, *moves: int) -> "Line":
        """The line with more moves at its end."""
        return Line(self.start, self.moves + moves)

    def continues(self, earlier: "Line") -> bool:
        """Whether this line begins with all of the earlier one."""
        return self.start == earlier.start and self.moves[: len(earlier.moves)] == earlier.moves


def moves_between(before: Position, after: Position) -> tuple[int, ...] | None:
    """Moves that lead from one position to the other, passes written; None when there are none or they are too many.

    Up to twelve squares apart are looked at: an opening from the start, and any two decisions of one game.

    >>> start = Position.start()
    >>> moves_between(start, start.play("f5").play("d6")), moves_between(start.play("f5"), start)
    ((f5, d6), None)
    """
    if before.rules != after.rules or (_filled(after) & ~_filled(before)).bit_count() > _SQUARES:
        return None
    return _way(before, after, set())


def _way(before: Position, after: Position, hopeless: set[Position]) -> tuple[int, ...] | None:
    if before == after:
        return ()
    if before in hopeless or len(hopeless) > _TRIES or _filled(before) & ~_filled(after):
        return None
    rules = before.rules
    squares = tuple(rules.squares(before.moves_mask & _filled(after)))
    for move in (rules.pass_move,) if before.must_pass else squares:
        rest = _way(before.play(move), after, hopeless)
        if rest is not None:
            return (move, *rest)
    hopeless.add(before)
    return None


def _filled(position: Position) -> int:
    return position.black | position.white
