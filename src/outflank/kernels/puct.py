"""Tree search guided by a network (PUCT), many trees side by side: one for a move, thousands for self-play.

A playout walks from the root to a leaf by the largest q + c p sqrt(N) / (1 + n), where p is the network's prior of a
move; the network's value of the leaf is credited along the path, and nothing is played out. A move that was not tried
is expected a little worse than its position. A leaf with few empty squares, and the end of a game, are solved exactly
and need no network; a forced pass is a node with one child.

A leaf that waits for its value counts as a loss on its path (virtual loss), so that several leaves of one tree can be
evaluated together; `walk` collects them and `absorb` takes what the network says.

At the root there is a second way, for few playouts: of the moves with the highest logit plus Gumbel noise the better
halves are tried again and again (sequential halving). The improved policy, softmax of logits plus scaled values, is
what a network learns from.

Sources: Silver et al. 2018 (AlphaZero); Danihelka et al. 2022 (Gumbel AlphaZero). Boards up to 8x8.
"""

from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import count, either, first, is_empty, moves, without, without_first
from outflank.kernels.jit import Board, Words, inlined, kernel, routine
from outflank.kernels.network import LOGITS, Floats, Net, Workspace, forward
from outflank.kernels.rules import PASS, after_or_pass
from outflank.kernels.shallow import odd_blocks, shallow

UNEXPANDED, FINISHED = -1, -2
"""In `children`, of a node without a block: not evaluated yet, exactly known."""
NOTHING = -1
"""In `depths`: no leaf waits in this row."""
MAX_DEPTH = 128
"""More than the plies of any game on 8x8, passes included."""
ME, OPP, MINE, THEIRS = range(4)
"""Words of a leaf: discs of the side to move and of the other, and the moves of both."""
_LEAST_PRIOR = 1e-9
_VISIT_OFFSET, _VALUE_SCALE = 50.0, 0.1
"""How much values count beside logits: (offset + visits of the most visited move) times scale."""

Numbers = npt.NDArray[np.int64]
Considered = npt.NDArray[np.int32]


class Forest(NamedTuple):
    """Trees side by side, all arrays [trees, slots]; slot 0 is the root, the children of a node are one block."""

    visits: npt.NDArray[np.int32]
    sums: Floats
    """Values so far of the side that moved into the node."""
    priors: Floats
    worths: Floats
    """What network or solver say of the node, for the side to move there."""
    children: npt.NDArray[np.int32]
    degrees: npt.NDArray[np.int16]
    squares: npt.NDArray[np.int16]
    used: Numbers
    """[trees]: slots in use."""


class Leaves(NamedTuple):
    """Positions that wait for the network, by row."""

    boards: Words
    """[rows, 4]."""
    paths: npt.NDArray[np.int32]
    """[rows, MAX_DEPTH]: the slots from the root."""
    depths: Numbers
    """[rows]: of the leaf, or `NOTHING`."""
    logits: Floats
    """[rows, LOGITS]: the answer."""
    values: Floats
    """[rows]: the answer, for the side to move."""


class Reading(NamedTuple):
    """How a tree is searched."""

    exploration: float
    """c of the formula."""
    reduction: float
    """How much worse than its position an untried move is expected, in values of -1..1."""
    exact: int
    """Empty squares from which on a position is solved."""
    sign: int
    """1 in the standard game, -1 in the reversed one."""
    squares: int
    """Of the board."""
    halving: int
    """Moves that sequential halving begins with at the root; 0 for PUCT there too."""


def new_forest(trees: int, slots: int) -> Forest:
    """Trees without anything in them.

    >>> new_forest(2, 10).visits.shape
    (2, 10)
    """
    shape = (trees, slots)
    visits, children = (np.zeros(shape, np.int32) for _ in range(2))
    sums, priors, worths = (np.zeros(shape, np.float32) for _ in range(3))
    degrees, squares = (np.zeros(shape, np.int16) for _ in range(2))
    return Forest(visits, sums, priors, worths, children, degrees, squares, np.zeros(trees, np.int64))


def new_leaves(rows: int) -> Leaves:
    """Rows in which nothing waits.

    >>> int(new_leaves(3).depths[2])
    -1
    """
    depths, paths = np.full(rows, NOTHING, np.int64), np.zeros((rows, MAX_DEPTH), np.int32)
    answers = np.zeros((rows, LOGITS), np.float32), np.zeros(rows, np.float32)
    return Leaves(np.zeros((rows, 4), np.uint64), paths, depths, *answers)


def value_scale(most: int) -> float:
    """What values are multiplied by beside logits, where the most visited move has so many visits.

    >>> value_scale(50)
    10.0
    """
    return (_VISIT_OFFSET + most) * _VALUE_SCALE


def considered_visits(most: int, playouts: int) -> Considered:
    """[most + 1, playouts]: visits that a move must have to be tried next, by how many moves are halved.

    Of m moves all are tried once, then the better half again, and so on, in equal shares of the playouts.

    >>> considered_visits(4, 8)[4].tolist(), considered_visits(4, 8)[1].tolist()
    ([0, 0, 0, 0, 1, 1, 2, 2], [0, 1, 2, 3, 4, 5, 6, 7])
    """
    return np.array([_sequence(number, playouts) for number in range(most + 1)], np.int32)


def _sequence(number: int, playouts: int) -> list[int]:
    if number <= 1:
        return list(range(playouts))
    phases, left, found, visits = (number - 1).bit_length(), number, list[int](), [0] * number
    while len(found) < playouts:
        for _ in range(max(1, playouts // (phases * left))):
            found += visits[:left]
            visits[:left] = [tried + 1 for tried in visits[:left]]
        left = max(2, left // 2)
    return found[:playouts]


# --- nodes ------------------------------------------------------------------------------------------------


@inlined
def _clear(forest: Forest, tree: int, slot: int, square: int, prior: float) -> None:
    forest.visits[tree, slot], forest.sums[tree, slot], forest.worths[tree, slot] = 0, np.float32(0), np.float32(0)
    forest.children[tree, slot], forest.degrees[tree, slot] = UNEXPANDED, 0
    forest.squares[tree, slot], forest.priors[tree, slot] = square, np.float32(prior)


@inlined
def plant(forest: Forest, tree: int) -> None:
    """Makes a tree a root that nobody has visited."""
    _clear(forest, tree, 0, PASS, 1.0)
    forest.used[tree] = 1


@inlined
def _take_block(forest: Forest, tree: int, slot: int, degree: int) -> int:
    """The first slot of a new block of children; UNEXPANDED where there is no room."""
    block = forest.used[tree]
    if block + degree > forest.visits.shape[1]:
        return UNEXPANDED
    forest.used[tree] = block + degree
    forest.children[tree, slot], forest.degrees[tree, slot] = block, degree
    return int(block)


@inlined
def _expand(forest: Forest, tree: int, slot: int, legal: Board, logits: Floats, row: int) -> None:
    """Gives a node its moves with their priors: softmax of the logits of legal squares."""
    block = _take_block(forest, tree, slot, count(legal))
    if block == UNEXPANDED:
        return
    highest, rest = -1e30, legal
    while not is_empty(rest):
        highest = max(highest, float(logits[row, first(rest)]))
        rest = without_first(rest)
    total, rest = 0.0, legal
    while not is_empty(rest):
        total += exp(float(logits[row, first(rest)]) - highest)
        rest = without_first(rest)
    child, rest = block, legal
    while not is_empty(rest):
        square = first(rest)
        rest = without_first(rest)
        _clear(forest, tree, child, square, exp(float(logits[row, square]) - highest) / total)
        child += 1


@inlined
def _result(me: Board, opp: Board, sign: int) -> int:
    """1, 0 or -1: the result of a finished game for `me`."""
    difference = sign * (count(me) - count(opp))
    return 1 if difference > 0 else -1 if difference < 0 else 0


@routine
def solved(me: Board, opp: Board, full: Board, reading: Reading) -> int:
    """1, 0 or -1: the result under best play for `me`, who is to move."""
    empty = without(full, either(me, opp))
    empties, odd = count(empty), odd_blocks(empty)
    nothing = reading.squares - reading.squares  # a literal 0 would break the cached recursion of `shallow`
    value, _ = shallow(me, opp, full, odd, empties, nothing, reading.squares, reading.sign, nothing)
    if value > 0:
        return 1
    value, _ = shallow(me, opp, full, odd, empties, nothing - 1, reading.squares, reading.sign, nothing)
    return 0 if value > -1 else -1


@inlined
def _recognise(
    me: Board,
    opp: Board,
    full: Board,
    mine: Board,
    theirs: Board,
    forest: Forest,
    tree: int,
    slot: int,
    reading: Reading,
) -> None:
    """Marks a leaf that needs no network: solved, over, or a forced pass."""
    empties = reading.squares - count(either(me, opp))
    if is_empty(mine) and is_empty(theirs):
        forest.children[tree, slot], forest.worths[tree, slot] = FINISHED, np.float32(_result(me, opp, reading.sign))
    elif empties <= reading.exact and slot > 0:
        forest.children[tree, slot], forest.worths[tree, slot] = FINISHED, np.float32(solved(me, opp, full, reading))
    elif is_empty(mine):
        block = _take_block(forest, tree, slot, 1)
        if block != UNEXPANDED:
            _clear(forest, tree, block, PASS, 1.0)


# --- which move is tried ----------------------------------------------------------------------------------


@inlined
def _best_child(forest: Forest, tree: int, slot: int, reading: Reading) -> int:
    """The child with the largest mean plus exploration; of equal ones the first."""
    visits, block = forest.visits[tree, slot], int(forest.children[tree, slot])
    spread = reading.exploration * sqrt(float(visits))
    untried = -float(forest.sums[tree, slot]) / float(visits) - reading.reduction
    chosen, best = block, -1e30
    for child in range(block, block + forest.degrees[tree, slot]):
        tried = float(forest.visits[tree, child])
        mean = float(forest.sums[tree, child]) / tried if tried > 0 else untried
        value = mean + spread * float(forest.priors[tree, child]) / (1.0 + tried)
        if value > best:
            chosen, best = child, value
    return chosen


@inlined
def _most_visits(forest: Forest, tree: int) -> int:
    """Of a child of the root."""
    most, block = 0, int(forest.children[tree, 0])
    for child in range(block, block + forest.degrees[tree, 0]):
        most = max(most, int(forest.visits[tree, child]))
    return most


@inlined
def _promise(forest: Forest, tree: int, child: int, most: int, noise: float) -> float:
    """Noise, logit and scaled value of a move at the root."""
    tried = float(forest.visits[tree, child])
    mean = float(forest.sums[tree, child]) / tried if tried > 0 else 0.0
    return noise + log(float(forest.priors[tree, child]) + _LEAST_PRIOR) + (_VISIT_OFFSET + most) * _VALUE_SCALE * mean


@inlined
def halved_child(forest: Forest, tree: int, visits: int, noise: Floats) -> int:
    """Of the children of the root with so many visits the one that promises most; without any, of all."""
    block, most = int(forest.children[tree, 0]), _most_visits(forest, tree)
    chosen, best = -1, -1e30
    for child in range(block, block + forest.degrees[tree, 0]):
        if forest.visits[tree, child] == visits:
            value = _promise(forest, tree, child, most, float(noise[tree, child - block]))
            if value > best:
                chosen, best = child, value
    return chosen


@inlined
def _root_child(forest: Forest, tree: int, reading: Reading, considered: Considered, noise: Floats) -> int:
    """The move of the root for the playout that was just begun."""
    degree, playout = int(forest.degrees[tree, 0]), int(forest.visits[tree, 0]) - 2
    if reading.halving == 0 or playout >= considered.shape[1]:
        return _best_child(forest, tree, 0, reading)
    chosen = halved_child(forest, tree, considered[min(reading.halving, degree), playout], noise)
    return chosen if chosen >= 0 else _best_child(forest, tree, 0, reading)


# --- playouts ---------------------------------------------------------------------------------------------


@inlined
def _credit(forest: Forest, tree: int, leaves: Leaves, row: int, depth: int, value: float) -> None:
    """Takes the virtual losses of a path back and adds the value of its leaf, given for the side to move there."""
    into = -value
    for level in range(depth, -1, -1):
        forest.sums[tree, leaves.paths[row, level]] += np.float32(1.0 + into)
        into = -into


@routine
def walk(
    me: Board,
    opp: Board,
    full: Board,
    forest: Forest,
    tree: int,
    leaves: Leaves,
    row: int,
    reading: Reading,
    considered: Considered,
    noise: Floats,
) -> bool:
    """Begins a playout: whether a leaf waits for the network in this row; a solved one is credited at once."""
    slot, depth = 0, 0
    while True:
        leaves.paths[row, depth] = slot
        forest.visits[tree, slot] += 1
        forest.sums[tree, slot] -= np.float32(1)
        if forest.children[tree, slot] == UNEXPANDED:
            mine, theirs = moves(me, opp, full), moves(opp, me, full)
            _recognise(me, opp, full, mine, theirs, forest, tree, slot, reading)
            if forest.children[tree, slot] == UNEXPANDED:
                leaves.boards[row, ME], leaves.boards[row, OPP] = me[0], opp[0]
                leaves.boards[row, MINE], leaves.boards[row, THEIRS] = mine[0], theirs[0]
                leaves.depths[row] = depth
                return True
        if forest.children[tree, slot] == FINISHED:
            _credit(forest, tree, leaves, row, depth, float(forest.worths[tree, slot]))
            leaves.depths[row] = NOTHING
            return False
        if slot == 0:
            slot = _root_child(forest, tree, reading, considered, noise)
        else:
            slot = _best_child(forest, tree, slot, reading)
        me, opp = after_or_pass(me, opp, forest.squares[tree, slot])
        depth += 1


@routine
def absorb(forest: Forest, tree: int, leaves: Leaves, row: int) -> None:
    """Ends a playout with what the network said of the leaf in this row."""
    depth, value = int(leaves.depths[row]), float(leaves.values[row])
    if depth == NOTHING:
        return
    leaves.depths[row] = NOTHING
    slot = leaves.paths[row, depth]
    if forest.children[tree, slot] == UNEXPANDED:
        forest.worths[tree, slot] = np.float32(value)
        legal = (leaves.boards[row, MINE],)
        if not is_empty(legal):
            _expand(forest, tree, slot, legal, leaves.logits, row)
    _credit(forest, tree, leaves, row, depth, value)


# --- one move ---------------------------------------------------------------------------------------------


@kernel
def search(
    me: Board,
    opp: Board,
    full: Board,
    forest: Forest,
    leaves: Leaves,
    reading: Reading,
    considered: Considered,
    noise: Floats,
    net: Net,
    space: Workspace,
    number: int,
) -> int:
    """Makes playouts from a position until the root of tree 0 has `number` more visits; returns the deepest leaf.

    The first visit of a planted root only evaluates it. The state is in the tree: call again to go on.
    """
    deepest = 0
    for _ in range(number):
        if walk(me, opp, full, forest, 0, leaves, 0, reading, considered, noise):
            deepest = max(deepest, int(leaves.depths[0]))
            boards = leaves.boards
            leaves.values[0] = forward(
                (boards[0, ME],),
                (boards[0, OPP],),
                (boards[0, MINE],),
                (boards[0, THEIRS],),
                net,
                space,
                leaves.logits,
                0,
            )
            absorb(forest, 0, leaves, 0)
    return deepest


@kernel
def begin(forest: Forest) -> None:
    """Makes tree 0 a root that nobody has visited."""
    plant(forest, 0)


# --- what was found at the root ---------------------------------------------------------------------------


@inlined
def expected(forest: Forest, tree: int) -> float:
    """The value of the root for its side: what the network says and the tried moves, these weighed by their priors."""
    block, visits, weight, total = int(forest.children[tree, 0]), 0, 0.0, 0.0
    for child in range(block, block + forest.degrees[tree, 0]):
        tried = int(forest.visits[tree, child])
        if tried > 0:
            prior = float(forest.priors[tree, child]) + _LEAST_PRIOR
            visits += tried
            weight += prior
            total += prior * float(forest.sums[tree, child]) / tried
    if visits == 0:
        return float(forest.worths[tree, 0])
    return (float(forest.worths[tree, 0]) + visits * total / weight) / (1 + visits)


@routine
def improve(forest: Forest, tree: int, policy: Floats) -> None:
    """Writes the improved policy into row `tree`, a probability for every child of the root."""
    block, degree = int(forest.children[tree, 0]), int(forest.degrees[tree, 0])
    most, usual = _most_visits(forest, tree), expected(forest, tree)
    scale, highest, total = (_VISIT_OFFSET + most) * _VALUE_SCALE, -1e30, 0.0
    for i in range(degree):
        tried = float(forest.visits[tree, block + i])
        mean = float(forest.sums[tree, block + i]) / tried if tried > 0 else usual
        value = log(float(forest.priors[tree, block + i]) + _LEAST_PRIOR) + scale * mean
        policy[tree, i] = np.float32(value)
        highest = max(highest, value)
    for i in range(degree):
        policy[tree, i] = np.float32(exp(float(policy[tree, i]) - highest))
        total += float(policy[tree, i])
    for i in range(degree):
        policy[tree, i] = np.float32(float(policy[tree, i]) / total)
