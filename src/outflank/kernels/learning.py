"""What training needs at native speed: the positions of games, the weights each of them asks for, sums over both.

A position is a row of places in the table of weights, one for every pattern and one for the move. The prediction is the
sum of the weights at these places (`predict`), the gradient adds the error of a position to each of them (`collect`).
"""

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import both, count, either, is_empty, load, moves, single, store
from outflank.kernels.jit import Board, Words, kernel
from outflank.kernels.patterns import Patterns, pattern_number, phase_of
from outflank.kernels.rules import after

Places = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


@kernel
def positions_of(
    me: Board,
    opp: Board,
    full: Board,
    squares: npt.NDArray[np.int16],
    ends: Numbers,
    firsts: Numbers,
    scores: Numbers,
    own: Words,
    other: Words,
    labels: Floats,
    games: Places,
) -> int:
    """Plays games of bits without passes from a start with black to move; how many positions were written.

    `ends[i]` is where the moves of game i end, `firsts[i]` the ply from which its positions are wanted, `scores[i]`
    black's score. A position is seen by its side to move. A move that is not legal ends it: minus the number of its
    game, the first being 1.
    """
    written, begin = 0, 0
    for game in range(len(ends)):
        mine, theirs, score = me, opp, scores[game]
        for i in range(begin, ends[game]):
            legal = moves(mine, theirs, full)
            if is_empty(legal):
                mine, theirs, score = theirs, mine, -score
                legal = moves(mine, theirs, full)
            if is_empty(both(legal, single(int(squares[i]), legal))):
                return -1 - game
            if i - begin >= firsts[game]:
                store(own, written, mine)
                store(other, written, theirs)
                labels[written], games[written] = score, game
                written += 1
            mine, theirs = after(mine, theirs, int(squares[i]))
            score = -score
        begin = ends[game]
    return written


@kernel
def places_of(own: Words, other: Words, full: Board, patterns: Patterns, places: Places, phases: Places) -> None:
    """Writes the places and the phase of every position."""
    last = len(patterns.centers)
    for row in range(len(own)):
        me, opp = load(own, row, full), load(other, row, full)
        discs = count(either(me, opp))
        phases[row] = phase_of(discs, patterns)
        for i in range(last):
            places[row, i] = patterns.centers[i] + pattern_number(me, opp, patterns, i)
        places[row, last] = patterns.tempo + discs


@kernel
def predict(places: Places, phases: Places, weights: Floats, values: Floats) -> None:
    """Writes the sum of the weights of every position."""
    for row in range(len(places)):
        total, phase = np.float32(0), phases[row]
        for i in range(places.shape[1]):
            total += weights[phase, places[row, i]]
        values[row] = total


@kernel
def collect(places: Places, phases: Places, values: Floats, sums: Floats) -> None:
    """Adds the value of every position to all its places."""
    for row in range(len(places)):
        value, phase = values[row], phases[row]
        for i in range(places.shape[1]):
            sums[phase, places[row, i]] += value
