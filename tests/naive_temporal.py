"""Temporal differences and the Othello league, slow and obvious, on the oracle's boards."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import tanh

import numpy as np
import numpy.typing as npt

import naive

Value = Callable[[naive.Board, str], float]
"""Worth of a board to the side that is to move there."""


@dataclass
class SlowNetwork:
    """Weights of patterns that are given as lists of squares, one for all images of a pattern and its mirrored twin."""

    size: int
    instances: list[tuple[int, tuple[int, ...]]]
    """For every place of a pattern: where its weights begin, and its squares."""
    tempo: int
    twins: list[int]
    weights: npt.NDArray[np.float32]
    odd: bool

    def row(self, board: naive.Board) -> tuple[int, int]:
        """(phase, discs)."""
        discs = self.size**2 - naive.counts(board)[2]
        length = -(-(self.size**2 - 4) // len(self.weights))
        return min((discs - 4) // length, len(self.weights) - 1), discs

    def places(self, board: naive.Board, side: str) -> list[tuple[int, int]]:
        """(where the weight stands, where that of the pattern with exchanged colours stands) of every pattern."""
        found = []
        for begin, squares in self.instances:
            number = 0
            for square in squares:
                disc = board[square // self.size][square % self.size]
                number = 3 * number + (0 if disc == "-" else 1 if disc == side else -1)
            center = begin + 3 ** len(squares) // 2
            found.append((center + number, center - number))
        return found

    def sum(self, board: naive.Board, side: str) -> float:
        """The sum of all weights of a board, in single precision: in other orders other moves would be equal."""
        row, discs = self.row(board)
        sums = [self.weights[row, self.tempo + discs], np.float32(0), np.float32(0), np.float32(0)]
        places = self.places(board, side)
        whole = len(places) // 4 * 4
        for i, (place, _) in enumerate(places):
            sums[i % 4 if i < whole else 0] += self.weights[row, place]
        return float((sums[0] + sums[1]) + (sums[2] + sums[3]))

    def change(self, board: naive.Board, side: str, change: float) -> None:
        """Changes the sum of a board, in equal parts."""
        row, discs = self.row(board)
        step = np.float32(change / (len(self.instances) + 1))
        self.weights[row, self.tempo + discs] += step
        for place, exchanged in self.places(board, side):
            for same in {place, self.twins[place]}:
                self.weights[row, same] += step
            for other in {exchanged, self.twins[exchanged]} if self.odd else ():
                self.weights[row, other] -= step


def drawn(numbers: Iterator[int], share: float) -> bool:
    """Whether a move is random."""
    return (next(numbers) >> 11) / 2**53 < share


def ranked(numbers: Iterator[int], moves: list[int]) -> int:
    """One of the moves."""
    return moves[((next(numbers) >> 32) * len(moves)) >> 32]


def best(board: naive.Board, side: str, moves: list[int], left: Value) -> list[int]:
    """The moves that leave the opponent least."""
    values = {move: left(naive.play(board, side, move), naive.OTHER[side]) for move in moves}
    return [move for move in moves if values[move] == min(values.values())]


def learn(
    network: SlowNetwork,
    start: tuple[naive.Board, str],
    variant: str,
    seed: int,
    game: int,
    course: dict[str, float],
    opponent: Value | None = None,
) -> float:
    """Plays a game, against itself or an opponent, and learns from it; the sum of squared errors."""
    numbers, (board, side) = naive.stream(seed, game), start
    pupil = side if game % 2 == 0 else naive.OTHER[side]
    seen: list[tuple[naive.Board, str, float, bool]] = []
    while True:
        value = tanh(network.sum(board, side))
        moves, random = naive.plies(board, side), False
        if moves and moves != [len(board) ** 2]:
            random = drawn(numbers, course["explore"])
            left = network.sum if opponent is None or side == pupil else opponent
            moves = [ranked(numbers, moves if random else best(board, side, moves, left))]
        if opponent is None:
            seen.append((board, side, value, not random))
        elif side != pupil:
            seen.append((board, side, value, True))
        if not moves:
            break
        board, side = naive.play(board, side, moves[0]), naive.OTHER[side]
    whose = side if opponent is None else naive.OTHER[pupil]
    target, errors = float(np.sign(naive.score(board, whose, variant, "nobody"))), 0.0
    for board, side, value, learns in reversed(seen):
        if learns:
            errors += (target - value) ** 2
            network.change(board, side, course["rate"] * (target - value) * (1 - value**2))
        else:
            target = value
        target = (1 - course["trace"]) * value + course["trace"] * target
        target = -target if opponent is None else target
    return errors


def league_game(size: int, variant: str, first: Value, second: Value, share: float, seed: int, game: int) -> int:
    """The margin of whoever moves first; each value is that of the side that is to move."""
    numbers, board, side = naive.stream(seed, game), naive.start(size), "X"
    while moves := naive.plies(board, side):
        move = moves[0]
        if move != size * size:
            random = drawn(numbers, share)
            left = first if side == "X" else second
            move = ranked(numbers, moves if random else best(board, side, moves, left))
        board, side = naive.play(board, side, move), naive.OTHER[side]
    return naive.score(board, "X", variant, "nobody")
