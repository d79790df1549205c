"""How the cost of moves grows with the board: listed on a board of arrays, as papers do, and in words of 64 bits."""

import math
import time
from collections.abc import Callable, Sequence
from itertools import product
from statistics import linear_regression

from outflank.agents import agent
from outflank.board import Position, Rules
from outflank.studies.timing import positions

SIZES = (4, 6, 8, 10, 12, 14, 16)
ARRAYS, WORDS = "moves listed on a board of arrays", "moves of playouts in words of 64 bits"
GROWTH = {ARRAYS: "outflank.studies.growth:on_arrays", WORDS: "outflank.studies.growth:in_words"}
"""Microseconds a move by what is timed: a number for every size, round after round."""
PLAYOUTS = "montecarlo(playouts=100)"
_STEPS = [(down, right) for down, right in product((-1, 0, 1), repeat=2) if down or right]
_ROUNDS = 8


def exponents(samples: Sequence[float]) -> list[float]:
    """The powers of the length of the board by which the cost grows, one a round.

    >>> [round(power, 3) for power in exponents([size**3 for size in SIZES])]
    [3.0]
    """
    lengths = [math.log(size) for size in SIZES]
    return [linear_regression(lengths, [math.log(one) for one in times]).slope for times in by_round(samples)]


def by_round(samples: Sequence[float]) -> list[tuple[float, ...]]:
    """Every round with a number for every size."""
    return list(zip(*[iter(samples)] * len(SIZES), strict=False))


def on_arrays(quick: bool) -> list[float]:
    """Microseconds to list the moves of a position on a board of arrays."""
    boards = {size: positions(20, rules=Rules(size, "reversed")) for size in SIZES}
    cells = {size: [(one.cells(), one.turn.sign) for one in found] for size, found in boards.items()}

    def list_all(size: int) -> int:
        return sum(bool(listed_moves(rows, mover)) for rows, mover in cells[size])

    return _rounds(quick, list_all)


def in_words(quick: bool) -> list[float]:
    """Microseconds of a move in random playouts from the start."""
    player = agent(PLAYOUTS)
    starts = {size: Position.start(Rules(size, "reversed")) for size in SIZES}
    for start in starts.values():
        player.warm_up(start.rules)

    def play(size: int) -> int:
        return player.choose(starts[size], None, 1).playouts * (size * size - 4)

    return _rounds(quick, play)


def listed_moves(rows: Sequence[Sequence[str]], mover: str) -> list[tuple[int, int]]:
    """Every legal move as (row, column): from each empty square a walk in eight directions over opposing discs."""
    return [
        (row, column)
        for row, column in product(range(len(rows)), repeat=2)
        if rows[row][column] == "-" and any(_turns(rows, mover, row, column, *step) for step in _STEPS)
    ]


def _turns(rows: Sequence[Sequence[str]], mover: str, row: int, column: int, down: int, right: int) -> bool:
    size, walked = len(rows), 0
    while 0 <= (row := row + down) < size and 0 <= (column := column + right) < size:
        if rows[row][column] == "-":
            return False
        if rows[row][column] == mover:
            return walked > 0
        walked += 1
    return False


def _rounds(quick: bool, work: Callable[[int], int]) -> list[float]:
    """Microseconds for a unit of work on every size, round after round; the best of three in each.

    All sizes in turn, so that whatever else the machine does slows them alike.
    """
    return [min(_microseconds(work, size) for _ in range(3)) for _ in range(_ROUNDS // (1 + quick)) for size in SIZES]


def _microseconds(work: Callable[[int], int], size: int) -> float:
    began = time.perf_counter()
    done = work(size)
    return (time.perf_counter() - began) * 1e6 / done
