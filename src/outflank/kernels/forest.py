"""Games of networks against themselves or each other, thousands side by side: what trees do between two batches.

Every lane plays one game after the other. `advance` takes what the network said of the leaves of a range of lanes, goes
on with their searches and games, and leaves the next leaves to be evaluated; threads take ranges of their own. A game
has a random stream of its own, and lanes do not know of each other: the games are the same in any order and on any
number of threads.

A game begins with some random moves. From then on every move is searched by sequential halving with Gumbel noise; what
the search found is kept for training. Where few squares are empty the solver says how the game ends. Forced moves are
played without a search and not kept.

On 16 cores of an Intel Xeon and one NVIDIA H200, 4,096 lanes of 8x8 with 64 playouts and 5 blocks of 64 channels:
44,500 searched positions a second, 2.8 million leaves (`benchmarks/network.py selfplay`).
"""

from math import log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import count, either, first, is_empty, moves, ranked
from outflank.kernels.jit import Board, Word, Words, inlined, kernel, routine
from outflank.kernels.network import LOGITS, Floats
from outflank.kernels.playout import advance as next_state
from outflank.kernels.playout import choose, stream
from outflank.kernels.puct import (
    ME,
    MINE,
    OPP,
    THEIRS,
    Considered,
    Forest,
    Leaves,
    Numbers,
    Reading,
    absorb,
    considered_visits,
    expected,
    halved_child,
    improve,
    new_forest,
    new_leaves,
    plant,
    solved,
    walk,
)
from outflank.kernels.rules import after

BETWEEN, ROOT, SEARCH, OVER = range(4)
"""Stages of a lane: a game or move is to begin, its root waits, its tree is searched, all games are played."""
STAGE, GAME, BLACK, FIRST, KEPT, MOVER = range(6)
"""Columns of a lane: its stage, how many games it has begun, 1 where black is to move and else -1, the first position
kept of this game, how many are kept, and which of two networks is to move."""
_COLUMNS = 6
_UNIT = 2.0**-53
_R11 = Word(11)


class Course(NamedTuple):
    """How games go."""

    playouts: int
    together: int
    """Leaves of a tree that are evaluated together."""
    least: int
    most: int
    """Random first moves."""
    games: int
    """Of every lane."""
    noise: float
    """What Gumbel noise is multiplied by: 1 explores, 0 plays the best."""
    paired: bool
    """Whether lanes 2k and 2k + 1 have the same openings, with networks 0 and 1 changing colours."""


class Lanes(NamedTuple):
    """The games in hand, by lane."""

    boards: Words
    """[lanes, 2]: of the side to move, of the other."""
    columns: Numbers
    streams: Words
    """[lanes, 2]: the state of the generator."""
    noise: Floats
    """[lanes, LOGITS]: by move of the root."""
    policy: Floats
    """[lanes, LOGITS]: by move of the root, working space."""


class Record(NamedTuple):
    """What is kept of searched positions, [lanes, positions] each."""

    boards: Words
    """[…, 4]: discs of the side to move and of the other, and the moves of both."""
    policies: npt.NDArray[np.uint8]
    """[…, LOGITS]: the improved policy by square, in 1/255."""
    values: Floats
    """What the search expected, for the side to move."""
    results: npt.NDArray[np.int8]
    """How the game ended: 1, 0 or -1 for the side to move."""
    outcomes: npt.NDArray[np.int8]
    """[lanes, games]: how each game ended, for black."""


class Group(NamedTuple):
    """Lanes whose leaves are evaluated in one batch."""

    lanes: Lanes
    forest: Forest
    leaves: Leaves
    record: Record
    considered: Considered


def new_group(number: int, course: Course, reading: Reading) -> Group:
    """Lanes that have not begun yet.

    >>> new_group(2, Course(4, 2, 0, 4, 1, 1.0, False), Reading(1.5, 0.2, 0, 1, 16, 4)).leaves.values.shape
    (4,)
    """
    moves_of_game = reading.squares - 4
    slots = 1 + (course.playouts + 1) * min(20, moves_of_game)
    kept = (number, course.games * moves_of_game)
    lanes = Lanes(
        np.zeros((number, 2), np.uint64),
        np.zeros((number, _COLUMNS), np.int64),
        np.zeros((number, 2), np.uint64),
        np.zeros((number, LOGITS), np.float32),
        np.zeros((number, LOGITS), np.float32),
    )
    record = Record(
        np.zeros((*kept, 4), np.uint64),
        np.zeros((*kept, LOGITS), np.uint8),
        np.zeros(kept, np.float32),
        np.zeros(kept, np.int8),
        np.zeros((number, course.games), np.int8),
    )
    considered = considered_visits(reading.halving, course.playouts)
    return Group(lanes, new_forest(number, slots), new_leaves(number * course.together), record, considered)


# --- games ------------------------------------------------------------------------------------------------


@inlined
def _drawn(lanes: Lanes, lane: int) -> Word:
    """The next random number of a lane."""
    s0, s1 = lanes.streams[lane, 0], lanes.streams[lane, 1]
    lanes.streams[lane, 0], lanes.streams[lane, 1] = next_state(s0, s1)
    drawn: Word = s0 + s1
    return drawn


@inlined
def _set_boards(lanes: Lanes, lane: int, me: Board, opp: Board) -> None:
    lanes.boards[lane, 0], lanes.boards[lane, 1] = me[0], opp[0]


@inlined
def _pass_turn(lanes: Lanes, lane: int) -> None:
    """The other side is to move."""
    lanes.columns[lane, BLACK] = -lanes.columns[lane, BLACK]
    lanes.columns[lane, MOVER] = 1 - lanes.columns[lane, MOVER]


@inlined
def _play(lanes: Lanes, lane: int, square: int) -> None:
    me, opp = (lanes.boards[lane, 0],), (lanes.boards[lane, 1],)
    theirs, mine = after(me, opp, square)
    _set_boards(lanes, lane, theirs, mine)
    _pass_turn(lanes, lane)


@routine
def _begin_game(
    me: Board, opp: Board, full: Board, lanes: Lanes, lane: int, course: Course, seed: Word, number: int
) -> None:
    """Sets a game up and plays its random moves; it goes by the number of its opening."""
    s0, s1 = stream(seed, Word(number))
    lanes.streams[lane, 0], lanes.streams[lane, 1] = s0, s1
    columns = lanes.columns
    columns[lane, BLACK], columns[lane, MOVER] = 1, (lane & 1) if course.paired else 0
    columns[lane, FIRST] = columns[lane, KEPT]
    columns[lane, GAME] += 1
    _set_boards(lanes, lane, me, opp)
    wanted = course.least + int(choose(_drawn(lanes, lane), course.most - course.least + 1))
    for _ in range(wanted):
        mine, theirs = (lanes.boards[lane, 0],), (lanes.boards[lane, 1],)
        legal = moves(mine, theirs, full)
        if is_empty(legal):
            legal = moves(theirs, mine, full)
            if is_empty(legal):
                return
            _set_boards(lanes, lane, theirs, mine)
            _pass_turn(lanes, lane)
        _play(lanes, lane, ranked(legal, choose(_drawn(lanes, lane), count(legal))))


@inlined
def _end_game(lanes: Lanes, lane: int, record: Record, result: int) -> None:
    """Writes how a game ended, given for the side to move now, into all that was kept of it."""
    columns = lanes.columns
    black = result * columns[lane, BLACK]
    record.outcomes[lane, columns[lane, GAME] - 1] = black
    for i in range(columns[lane, FIRST], columns[lane, KEPT]):
        record.results[lane, i] *= black  # so far 1 where black was to move


@routine
def _reach_choice(full: Board, lanes: Lanes, lane: int, record: Record, reading: Reading) -> bool:
    """Goes on until there is a choice: whether there is one before the game is decided."""
    while True:
        me, opp = (lanes.boards[lane, 0],), (lanes.boards[lane, 1],)
        mine, theirs = moves(me, opp, full), moves(opp, me, full)
        over = is_empty(mine) and is_empty(theirs)
        if over or reading.squares - count(either(me, opp)) <= reading.exact:
            _end_game(lanes, lane, record, solved(me, opp, full, reading))
            return False
        if is_empty(mine):
            _set_boards(lanes, lane, opp, me)
            _pass_turn(lanes, lane)
        elif count(mine) == 1:
            _play(lanes, lane, first(mine))
        else:
            return True


@routine
def _decide(full: Board, group: Group, lane: int) -> None:
    """Keeps what the search of a lane found, and plays the move."""
    lanes, forest, record, columns = group.lanes, group.forest, group.record, group.lanes.columns
    block, degree, at = int(forest.children[lane, 0]), int(forest.degrees[lane, 0]), columns[lane, KEPT]
    most = 0
    for child in range(block, block + degree):
        most = max(most, int(forest.visits[lane, child]))
    chosen = halved_child(forest, lane, most, lanes.noise)
    improve(forest, lane, lanes.policy)
    me, opp = (lanes.boards[lane, 0],), (lanes.boards[lane, 1],)
    record.boards[lane, at, ME], record.boards[lane, at, OPP] = me[0], opp[0]
    record.boards[lane, at, MINE] = moves(me, opp, full)[0]
    record.boards[lane, at, THEIRS] = moves(opp, me, full)[0]
    record.policies[lane, at] = 0
    for i in range(degree):
        record.policies[lane, at, forest.squares[lane, block + i]] = int(255.0 * float(lanes.policy[lane, i]) + 0.5)
    record.values[lane, at] = np.float32(expected(forest, lane))
    record.results[lane, at] = columns[lane, BLACK]
    columns[lane, KEPT] = at + 1
    _play(lanes, lane, forest.squares[lane, chosen])


@inlined
def _draw_noise(lanes: Lanes, lane: int, degree: int, factor: float) -> None:
    """Gumbel noise for every move of the root."""
    for i in range(degree):
        uniform = (float(_drawn(lanes, lane) >> _R11) + 0.5) * _UNIT
        lanes.noise[lane, i] = np.float32(-log(-log(uniform)) * factor)


@inlined
def _advance_lane(
    me: Board,
    opp: Board,
    full: Board,
    group: Group,
    lane: int,
    course: Course,
    reading: Reading,
    seed: Word,
    begin: int,
) -> int:
    """Goes on with a lane until leaves wait; how many do."""
    lanes, forest, leaves, columns = group.lanes, group.forest, group.leaves, group.lanes.columns
    row = lane * course.together
    for i in range(course.together):
        absorb(forest, lane, leaves, row + i)
    if columns[lane, STAGE] == ROOT:
        _draw_noise(lanes, lane, int(forest.degrees[lane, 0]), course.noise)
        columns[lane, STAGE] = SEARCH
    while columns[lane, STAGE] != OVER:
        mine, theirs = (lanes.boards[lane, 0],), (lanes.boards[lane, 1],)
        if columns[lane, STAGE] == SEARCH:
            left = course.playouts + 1 - int(forest.visits[lane, 0])
            if left > 0:
                waiting = 0
                for i in range(min(left, course.together)):
                    if walk(mine, theirs, full, forest, lane, leaves, row + i, reading, group.considered, lanes.noise):
                        waiting += 1
                if waiting > 0:
                    return waiting
            else:
                _decide(full, group, lane)
                columns[lane, STAGE] = BETWEEN
        elif columns[lane, GAME] > 0 and _reach_choice(full, lanes, lane, group.record, reading):
            plant(forest, lane)
            columns[lane, STAGE] = ROOT
            me_now, opp_now = (lanes.boards[lane, 0],), (lanes.boards[lane, 1],)
            walk(me_now, opp_now, full, forest, lane, leaves, row, reading, group.considered, lanes.noise)
            return 1
        elif columns[lane, GAME] < course.games:
            number = begin + (lane >> 1 if course.paired else lane) + columns[lane, GAME] * len(columns)
            _begin_game(me, opp, full, lanes, lane, course, seed, number)
        else:
            columns[lane, STAGE] = OVER
    return 0


@kernel
def advance(
    me: Board,
    opp: Board,
    full: Board,
    group: Group,
    course: Course,
    reading: Reading,
    seed: Word,
    begin: int,
    first_lane: int,
    last_lane: int,
) -> int:
    """Goes on with lanes `first_lane` to before `last_lane` until leaves wait in them; returns how many, 0 at the end.

    `me` and `opp` are the start, black to move; `begin` is the number of the first game of lane 0.
    """
    waiting = 0
    for lane in range(first_lane, last_lane):
        waiting += _advance_lane(me, opp, full, group, lane, course, reading, seed, begin)
    return waiting


@kernel
def add_moves(full: Board, boards: Words) -> None:
    """Writes the moves of both sides into the last two words of rows [positions, 4] whose first two are their discs."""
    for row in range(len(boards)):
        me, opp = (boards[row, ME],), (boards[row, OPP],)
        boards[row, MINE], boards[row, THEIRS] = moves(me, opp, full)[0], moves(opp, me, full)[0]
