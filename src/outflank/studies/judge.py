"""Zean He's judge: a board of numbers goes in, and an agent adds squares to its candidate list while it thinks.

Printed are the numbers of the board (0 empty, -1 black, 1 white: Table 1), the candidate list (line 84) and the limit
of 5 s a move (line 322). The rest is chosen here: an agent is made by `Class(chessboard_size, color, time_out)`; its
method `go(chessboard)` adds (row, column) to `candidate_list`; the last square added in time is played, so that a
search may add better ones as it finds them; whatever is added later does not count, and who has added nothing in time
loses.

`Judged` lets an agent with this interface play anywhere in Outflank, by its name; `Candidates` is an agent of Outflank
with this interface.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from outflank.agents import agent
from outflank.board import Color, Position, Rules, Variant
from outflank.errors import EngineFailed
from outflank.plugins import load_object

SECONDS = 5.0
"""For a move (line 322)."""
Numbers = npt.NDArray[np.int64]
Square = tuple[int, int]
"""Row and column, from 0."""
_NUMBERS = {Color.BLACK: -1, Color.WHITE: 1}


class CandidateAgent(Protocol):
    """An agent as the judge knows it, made by `Class(chessboard_size, color, time_out)`."""

    candidate_list: list[Square]

    def go(self, chessboard: Numbers) -> object:
        """Adds squares to its list, the one that it wants to play last."""


def as_numbers(position: Position) -> Numbers:
    """The board as the judge shows it: 0 empty, -1 black, 1 white.

    >>> as_numbers(Position.start("reversed 4x4")).tolist()
    [[0, 0, 0, 0], [0, 1, -1, 0], [0, -1, 1, 0], [0, 0, 0, 0]]
    """
    signs = {"-": 0} | {color.sign: number for color, number in _NUMBERS.items()}
    return np.array([[signs[cell] for cell in row] for row in position.cells()], np.int64)


def from_numbers(chessboard: Numbers, turn: Color, variant: Variant = "reversed") -> Position:
    """The position of a board as the judge shows it.

    >>> start = Position.start("reversed 6x6")
    >>> from_numbers(as_numbers(start), Color.BLACK) == start
    True
    """
    signs = {0: "-"} | {number: color.sign for color, number in _NUMBERS.items()}
    cells = "".join(signs[int(number)] for number in np.ravel(chessboard))
    return Position.parse(f"{cells} {turn.sign}", variant)


class _Timed(list[Square]):
    """A candidate list that takes nothing more once the time is over."""

    def __init__(self, in_time: Callable[[], bool]) -> None:
        super().__init__()
        self._in_time = in_time

    def append(self, square: Square) -> None:
        if self._in_time():
            super().append(square)

    def extend(self, squares: Iterable[Square]) -> None:
        for square in squares:
            self.append(square)

    def __iadd__(self, squares: Iterable[Square]) -> "_Timed":  # type: ignore[misc, override]
        self.extend(squares)
        return self


class Judged:
    """A player that asks an agent with a candidate list, `module:Class`, and plays the last square added in time.

    >>> Judged("outflank.studies.judge:Candidates").choose(Position.start("reversed 4x4"))
    b1
    """

    def __init__(self, who: str, seconds: float = SECONDS, clock: Callable[[], float] = time.perf_counter) -> None:
        module, _, name = who.partition(":")
        self._name, self._make = who, load_object(module, name, "class of an agent with a candidate list")
        self._seconds, self._clock = seconds, clock
        self._agents: dict[tuple[int, Color], CandidateAgent] = {}

    def choose(self, position: Position) -> int:
        """The last square that was added in time, whether it is legal or not."""
        asked = self._agent_for(position)
        latest = self._clock() + self._seconds
        asked.candidate_list = _Timed(lambda: self._clock() <= latest)
        asked.go(as_numbers(position))
        found = asked.candidate_list
        if not found or (not isinstance(found, _Timed) and self._clock() > latest):  # a list of its own has no times
            raise EngineFailed("stall", f"{self._name} added no candidate in {self._seconds:g} s")
        row, column = found[-1]
        return position.rules.move(int(row) * position.rules.size + int(column))

    def _agent_for(self, position: Position) -> CandidateAgent:
        """The agent of a side, built once."""
        size, color = position.rules.size, position.turn
        if (size, color) not in self._agents:
            self._agents[size, color] = self._make(size, _NUMBERS[color], self._seconds)
        return self._agents[size, color]


class Candidates:
    """The paper's final agent as the judge knows it: its list has all legal squares, then the best of every depth.

    A search that is too late has left a move all the same.

    >>> candidates = Candidates(8, -1, 5)
    >>> candidates.go(as_numbers(Position.start("reversed 8x8")))
    >>> candidates.candidate_list[:4], len(candidates.candidate_list)
    ([(2, 3), (3, 2), (4, 5), (5, 4)], 8)
    """

    def __init__(self, chessboard_size: int, color: int, time_out: float) -> None:
        self._rules = Rules(chessboard_size, "reversed")
        self._color = next(each for each, number in _NUMBERS.items() if number == color)
        self.time_out = time_out
        self.candidate_list: list[Square] = []
        self._search = agent("he-reversed")

    def go(self, chessboard: Numbers) -> None:
        """Adds every legal square, and while it thinks the best of every depth."""
        position = from_numbers(chessboard, self._color)
        for move in self._found(position):
            self.candidate_list.append(divmod(int(move), self._rules.size))

    def _found(self, position: Position) -> Iterator[int]:
        yield from position.moves
        if len(position.moves) > 1:
            yield from (decision.move for decision in self._search.think(position))
