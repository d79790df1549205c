"""`Game`: a first position, the moves from it, who played them, how it ended and what was thought.

The one form of a game: the game loop makes it, files and stores keep it, engines are told it, interfaces show it.
A game is a value; `play` and `resign` give a new one. Positions are worked out when somebody asks for them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, overload

from outflank.board import Color, Move, Position, Rules, moves_text
from outflank.errors import IllegalMove
from outflank.inputs import expect
from outflank.lazy import lazy
from outflank.named_openings import opening_name
from outflank.render import html_block

_SQUARES = 12
_TRIES = 20_000


class Termination(StrEnum):
    """How a game ended.

    >>> Termination("timeout"), str(Termination.NORMAL)
    (<Termination.TIMEOUT: 'timeout'>, 'normal')
    """

    NORMAL = "normal"
    ADJUDICATED = "adjudicated"
    RESIGNED = "resigned"
    TIMEOUT = "timeout"
    STOPPED = "stopped"
    ILLEGAL = "illegal move"
    CRASH = "crash"
    STALL = "stall"
    FAILURE = "failure"


FAILED = frozenset({Termination.ILLEGAL, Termination.CRASH, Termination.STALL, Termination.FAILURE})
"""Ends by somebody who did not answer with a move."""
FAULTS = FAILED | {Termination.TIMEOUT}
"""The same, and those by somebody who did so too late."""


@dataclass(frozen=True, slots=True)
class MoveNote:
    """What is known of one decision; the value is from the mover's view. Of a given move nothing is known.

    >>> MoveNote(12.0, "points", depth=4, nodes=950).value
    12.0
    """

    value: float | None = None
    unit: str = ""
    """What the value counts, as `Decision.unit` says it."""
    depth: int = 0
    nodes: int = 0
    playouts: int = 0
    seconds: float = 0.0
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Spent:
    """What one side spent in a game.

    >>> Spent.on([MoveNote(nodes=10, depth=3), MoveNote(nodes=5, depth=4)]).nodes
    15
    """

    moves: int = 0
    seconds: float = 0.0
    nodes: int = 0
    playouts: int = 0
    deepest: int = 0
    longest: float = 0.0

    @classmethod
    def on(cls, notes: Sequence[MoveNote]) -> "Spent":
        """What these decisions took together."""
        seconds = [note.seconds for note in notes]
        return cls(
            moves=len(notes),
            seconds=sum(seconds),
            nodes=sum([note.nodes for note in notes]),
            playouts=sum([note.playouts for note in notes]),
            deepest=max([note.depth for note in notes], default=0),
            longest=max(seconds, default=0.0),
        )


NOTHING_SPENT = Spent()


@dataclass(frozen=True, repr=False)
class Game:
    """A game, finished or not. Points and scores are black's.

    >>> game = Game.of(Position.start("standard 4x4"), "b1a1")
    >>> game.moves, game.end.turn, game.result
    ((b1, a1), <Color.BLACK: 0>, '')
    >>> game.play("a2").continues(game), game[:1].moves, game.resign(Color.BLACK).result
    (True, (b1,), 'white wins, 3 to 3 (resigned: black)')
    """

    start: Position
    moves: tuple[Move, ...] = ()
    """All of them, passes written."""
    black: str = ""
    white: str = ""
    termination: Termination | None = None
    """None while the game goes on."""
    reason: str = ""
    points: float | None = None
    """1 when black won, 0.5 for a draw, 0 when white won; None while the game goes on."""
    opening_plies: int = 0
    """How many of the moves were given and not chosen by the players."""
    date: str = ""
    seed: int = 0
    spent: tuple[Spent, Spent] = (NOTHING_SPENT, NOTHING_SPENT)
    """What black and white spent."""
    notes: tuple[MoveNote, ...] = ()
    """One for every move, or none at all."""
    ruled: float | None = None
    """Black's score where it was not counted on the board: solved, agreed, or told by a record."""
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Whatever else is known: the tags of a GGF record, the key and the conditions of a stored game."""

    @classmethod
    def of(cls, start: Position | None = None, moves: "str | Iterable[int | str]" = (), **facts: Any) -> "Game":
        """The game of these moves, checked: a transcript, or numbers and names; from the usual start unless told."""
        expect(Position | None, start=start)
        expect(str | Iterable, moves=moves)
        position = start or Position.start()
        positions, played = [position], []
        try:
            for move, after in position.replay(moves) if isinstance(moves, str) else _replayed(position, moves):
                played.append(move)
                positions.append(after)
        except IllegalMove as error:
            raise error if isinstance(moves, str) else IllegalMove(f"move {len(positions)}: {error}") from None
        return cls(positions[0], tuple(played), **facts)._concluded(positions)

    def knowing(self, **facts: Any) -> "Game":
        """The same game, told `positions`, `end` or `discs` that somebody has worked out already."""
        self.__dict__.update(facts)
        return self

    def _concluded(self, positions: Sequence[Position]) -> "Game":
        """The same with its positions, and its result if nobody can move."""
        end = positions[-1]
        over: dict[str, Any] = {}
        if self.termination is None and end.is_over:
            over = {"termination": Termination.NORMAL, "reason": NOBODY_MOVES, "points": points_of(end.score())}
        game = replace(self, **over) if over else self
        return game.knowing(positions=tuple(positions), end=end)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "positions"}

    # --- positions ----------------------------------------------------------------------------------------------

    @property
    def rules(self) -> Rules:
        """Of the game."""
        return self.start.rules

    @lazy
    def positions(self) -> tuple[Position, ...]:
        """Every position, from the first to the one after the last move."""
        return (self.start, *(after for _, after in _replayed(self.start, self.moves)))

    @lazy
    def end(self) -> Position:
        """The position after the last move."""
        return self.positions[-1]

    @lazy
    def opening(self) -> str:
        """The name of the opening, as players call it on 8x8; empty where it has none.

        >>> Game.of(None, "f5d6c3d3c4f4").opening
        'Tiger'
        """
        return opening_name(self.positions)

    @property
    def last(self) -> Move | None:
        """The last move; None before the first."""
        return self.moves[-1] if self.moves else None

    def __len__(self) -> int:
        return len(self.moves)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[tuple[Position, Move]]:
        return zip(self.positions, self.moves, strict=False)

    @overload
    def __getitem__(self, plies: int) -> tuple[Position, Move]: ...
    @overload
    def __getitem__(self, plies: slice) -> "Game": ...
    def __getitem__(self, plies: int | slice) -> "tuple[Position, Move] | Game":
        """A move with its position, or the game of some of the moves: `game[:20]` is the game after twenty plies."""
        if not isinstance(plies, slice):
            return self.positions[: len(self.moves)][plies], self.moves[plies]
        first, last, step = plies.indices(len(self.moves))
        if step != 1:
            raise IndexError(f"a game has no every {step}. move; expected for example game[:20]")
        last = max(first, last)
        if (first, last) == (0, len(self.moves)):
            return self
        cut: dict[str, Any] = {} if last == len(self.moves) else _GOES_ON
        part = replace(
            self,
            start=self.positions[first],
            moves=self.moves[first:last],
            notes=self.notes[first:last],
            opening_plies=max(0, min(self.opening_plies, last) - first),
            **cut,
        )
        return part.knowing(positions=self.positions[first : last + 1])

    def continues(self, earlier: "Game") -> bool:
        """Whether this game begins with all of the earlier one."""
        return self.start == earlier.start and self.moves[: len(earlier.moves)] == earlier.moves

    # --- going on -----------------------------------------------------------------------------------------------

    def play(self, *moves: int | str) -> "Game":
        """The game with more legal moves at its end."""
        if self.termination is not None and moves:
            raise IllegalMove(f"the game is over: {self.result}")
        added = list(_replayed(self.end, moves))
        notes = (*self.notes, *(MoveNote() for _ in added)) if self.notes else ()
        game = replace(self, moves=(*self.moves, *(move for move, _ in added)), notes=notes)
        return game._concluded((*self.positions, *(after for _, after in added)))

    def resign(self, color: Color) -> "Game":
        """The game that one side gave up."""
        if self.termination is not None:
            raise IllegalMove(f"the game is over: {self.result}")
        expect(Color, color=color)
        points = float(color is Color.WHITE)
        game = replace(self, termination=Termination.RESIGNED, reason=str(color), points=points)
        return game.knowing(**{name: value for name, value in vars(self).items() if name in ("positions", "end")})

    # --- result -------------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.termination is not None

    @lazy
    def discs(self) -> tuple[int, int]:
        """Discs of black and white at the end."""
        return self.end.discs(Color.BLACK), self.end.discs(Color.WHITE)

    @property
    def score(self) -> float | None:
        """Black's score, counted as `Position.score` says; None while the game goes on.

        A game that was not played out has the score that was ruled, or counts all squares for its winner.
        """
        if self.points is None or self.ruled is not None:
            return self.ruled
        if self.termination is Termination.NORMAL:
            return self.rules.score(*self.discs)
        return int(2 * self.points - 1) * self.rules.cells

    @property
    def winner(self) -> Color | None:
        """Who won; None for a draw and while the game goes on."""
        return {1.0: Color.BLACK, 0.0: Color.WHITE}.get(0.5 if self.points is None else self.points)

    @property
    def result(self) -> str:
        """How it ended, in words; empty while it goes on."""
        if self.termination is None:
            return ""
        result = "a draw" if self.winner is None else f"{self.winner} wins"
        why = "" if self.termination is Termination.NORMAL else f" ({self.termination}: {self.reason})"
        return f"{result}, {self.discs[0]} to {self.discs[1]}{why}"

    # --- text and pictures --------------------------------------------------------------------------------------

    @property
    def transcript(self) -> str:
        """The moves as people write them, behind the first position where it is not the usual one."""
        usual = self.start == Position.start(self.rules)
        return moves_text(self.moves) if usual else f"{self.start.line()} {moves_text(self.moves)}".strip()

    def _words(self) -> list[str]:
        """Who played what, how it ended, and the moves."""
        opening = f", {self.opening}" if self.opening else ""
        players = f"{self.black or 'black'} against {self.white or 'white'}, {self.rules}{opening}"
        return [players, self.result or f"{self.end.turn} to move", self.transcript]

    def __str__(self) -> str:
        return "\n".join([*self._words(), self.end.text(self.last)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Players, result, moves and the last position, for notebooks."""
        return html_block(*self._words(), html=self.end.svg(self.last))


NOBODY_MOVES = "neither side can move"
_GOES_ON: dict[str, Any] = {
    "termination": None,
    "reason": "",
    "points": None,
    "ruled": None,
    "spent": (NOTHING_SPENT, NOTHING_SPENT),
}


def points_of(score: float) -> float:
    """Black's points of black's score.

    >>> points_of(-3), points_of(0)
    (0.0, 0.5)
    """
    return 1.0 if score > 0 else 0.0 if score < 0 else 0.5


def _replayed(position: Position, moves: Iterable[int | str]) -> Iterator[tuple[Move, Position]]:
    """Every move with the position after it."""
    rules = position.rules
    for move in moves:
        position = position.play(move)
        yield move if isinstance(move, Move) else rules.move(move), position


# --- how a game came from one position to another -------------------------------------------------------------------


def moves_between(before: Position, after: Position, squares: int = _SQUARES) -> tuple[Move, ...] | None:
    """Moves that lead from one position to the other, passes written; None when there are none or they are too many.

    Every move fills one square for good, so that only the squares newly filled need be tried, in some order, with
    passes where they are forced. Up to so many squares apart are looked at: an opening, any two decisions of one game.

    >>> start = Position.start()
    >>> moves_between(start, start.play("f5").play("d6")), moves_between(start.play("f5"), start)
    ((f5, d6), None)
    """
    if before.rules != after.rules or (_filled(after) & ~_filled(before)).bit_count() > squares:
        return None
    return _way(before, after, set())


def _way(before: Position, after: Position, hopeless: set[Position]) -> tuple[Move, ...] | None:
    """The moves from one to the other; positions found to lead nowhere are not tried twice."""
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
