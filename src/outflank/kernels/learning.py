"""What training needs at native speed: the positions of games, the weights each of them asks for, sums over both.

A position asks for a weight at one place for every pattern and at one for the move. The prediction is the sum of these
weights (`predict`); the gradient of squared errors adds the error of every position to each of its places (`project`).
Places are found anew each time: that takes a tenth of the time of the sums, and to keep them 200 bytes a position.
"""

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import both, count, either, is_empty, load, moves, single, store
from outflank.kernels.jit import Board, Words, inlined, kernel
from outflank.kernels.patterns import Patterns, phase_of, write_places
from outflank.kernels.rules import after

Bytes = npt.NDArray[np.uint8]
Squares = npt.NDArray[np.int16]
Places = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
OnePhase = npt.NDArray[np.float32]
Sums = npt.NDArray[np.float64]
"""In double precision: in single, a count of 2^24 does not grow any more."""


@kernel
def positions_of(
    me: Board,
    opp: Board,
    full: Board,
    squares: Squares,
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


# --- text ----------------------------------------------------------------------------------------------------------

_BLANK, _NEWLINE, _RETURN, _PLUS, _MINUS, _ZERO, _A = 32, 10, 13, 43, 45, 48, 97


@inlined
def _digits(text: Bytes, at: int, most: int) -> tuple[int, int]:
    """(the number that begins here, or -1 for none; where it ends), of at most so many digits."""
    value, begin = 0, at
    while at < len(text) and at - begin < most and 0 <= int(text[at]) - _ZERO <= 9:
        value = 10 * value + int(text[at]) - _ZERO
        at += 1
    return (value if at > begin else -1), at


@kernel
def read_lines(
    text: Bytes, size: int, stride: int, squares: Squares, ends: Numbers, firsts: Numbers, scores: Numbers
) -> int:
    """Reads games, a line each as `learn/games.py` describes them; how many, or minus the number of a bad line.

    Every line ends with a newline. `squares` [half as many as the text has bytes] receives the bits of the moves.
    """
    at, game, moved = 0, 0, 0
    while at < len(text):
        firsts[game], at = _digits(text, at, 3)
        if firsts[game] < 0 or text[at] != _BLANK:
            return -1 - game
        at += 1
        sign = -1 if text[at] == _MINUS else 1
        at += 1 if text[at] == _MINUS or text[at] == _PLUS else 0
        score, at = _digits(text, at, 3)
        if score < 0 or text[at] != _BLANK:
            return -1 - game
        scores[game] = sign * score
        at += 1
        begin = moved
        while 0 <= int(text[at]) - _A < size:
            column = int(text[at]) - _A
            row, at = _digits(text, at + 1, 2)
            if not 1 <= row <= size:
                return -1 - game
            squares[moved] = stride * (row - 1) + column
            moved += 1
        while text[at] == _BLANK or text[at] == _RETURN:
            at += 1
        if moved == begin or text[at] != _NEWLINE:
            return -1 - game
        at += 1
        ends[game] = moved
        game += 1
    return game


# --- sums ----------------------------------------------------------------------------------------------------------


@kernel
def predict(
    own: Words, other: Words, full: Board, patterns: Patterns, weights: Floats, places: Places, values: Floats
) -> None:
    """Writes the sum of the weights [phases, weights] of every position; `places` is working space."""
    for row in range(len(own)):
        me, opp = load(own, row, full), load(other, row, full)
        discs = count(either(me, opp))
        phase = phase_of(discs, patterns)
        write_places(me, opp, patterns, places)
        total = weights[phase, patterns.tempo + discs]
        for i in range(len(patterns.centers)):
            total += weights[phase, np.uint32(places[i])]
        values[row] = total


@kernel
def project(
    own: Words,
    other: Words,
    full: Board,
    patterns: Patterns,
    weights: OnePhase,
    labels: OnePhase,
    places: Places,
    sums: Sums,
) -> None:
    """Adds to the sum of every place of a position its label less what the weights foretell, for one phase."""
    for row in range(len(own)):
        me, opp = load(own, row, full), load(other, row, full)
        move = patterns.tempo + count(either(me, opp))
        write_places(me, opp, patterns, places)
        error = labels[row] - weights[move]
        for i in range(len(patterns.centers)):
            error -= weights[np.uint32(places[i])]
        sums[move] += error
        for i in range(len(patterns.centers)):
            sums[np.uint32(places[i])] += error
