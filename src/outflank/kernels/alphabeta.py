"""Minimax to a fixed depth: without pruning, with alpha-beta, with null windows (PVS), or with bounds; resumable.

The search keeps its own stack in arrays instead of recursing, so that it can stop after any number of nodes and go
on later: kernels have no clock. A frame is a node on the current line: boards, window, moves in the order they are
tried, best so far. Nodes one ply above the leaves play and evaluate their moves in registers, without frames.

Values are negamax: always from the view of the side to move at a node. The search is fail-soft: the value of a node is
exact inside its window, an upper bound at or below alpha, a lower bound at or above beta. Order of moves, null
windows, bounds and the table change the number of nodes, never the value or the move: the root returns the lowest
square among the best.

Measured on the position after d3c3f5e3c2d2d1f6b3c5, discs, 10 plies, AMD EPYC, one core: no order 1.55 million nodes,
positional 0.93, by value 0.52, by value with null windows and a quarter of a megabyte of table 0.42 in 7.8 ms, with the
last two plies counted (`discs`) 0.086 in 3.5 ms; 11 plies 21.5 and 9.7 ms. Tried without gain: larger tables (slower to
clear), sorting one ply above the leaves too (10 % fewer nodes, 15 % slower), leaving out the look whether the game is
over where it cannot matter (the branch costs what it saves; shown by fronts, as in `discs`, it saves 1 %), counting
one ply above the leaves alone (10 plies 8 % slower, 11 plies 17 % faster).

Other orders, in nodes from two plies above the leaves on, at 10 and at 11 plies beside the order by value: fewest
replies 2.8 and 2.0 times as many, value after the best reply 1.06 and 1.12, history of cuts 1.39 and 0.91, value of a
search of 1 to 3 plies 1.42 and 1.71, best moves of searches two and four plies shallower 1.05 both, asking the table
for a refutation among all children first 0.98 and 0.96 in the same time.

The node counter counts every position entered, the root included (Phan & Synytsia count calls of the function). Leaves
that are counted without being played are not entered.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import (
    ZERO,
    both,
    count,
    first,
    gain_of,
    gains,
    is_empty,
    load,
    moves,
    store,
    without_first,
)
from outflank.kernels.discs import UNSETTLED, two_plies
from outflank.kernels.evaluate import MOST, AnyEvaluation, leaf_evaluation
from outflank.kernels.jit import Board, Word, Words, inlined, kernel, routine
from outflank.kernels.rules import PASS, after
from outflank.kernels.table import (
    EXACT,
    LOWER,
    NO_MOVE,
    UPPER,
    aged,
    kind_in,
    move_in,
    pack_value,
    position_hash,
    read,
    searched_key,
    slot,
    value_in,
    write,
)

INFINITY = 1 << 60

# A frame is a row of numbers: these fields, then the moves of the node in the order they are tried.
DEPTH, ALPHA, BETA, BEST, BEST_MOVE, COUNT, NEXT, SCOUT, FLOOR, MOVES = range(10)

# Fields of the state between two slices.
PLY, ENTERING, NODES, OPEN_LEAVES, VALUE = range(5)
STATE = 5

# How a search prunes (BOUNDING scouts, and counts the last two plies by `discs`), whose view a leaf takes, how moves
# are ordered, which of equal root moves is played.
PLAIN, ALPHA_BETA, SCOUTING, BOUNDING = range(4)
ROOT_VIEW, MOVER_VIEW, BLACK_VIEW, NEGAMAX = range(4)
AS_LISTED, BY_CLASS, BY_MOBILITY, BY_VALUE, BY_KEY = range(5)
FIRST, RANDOM = range(2)

# As variables, flags of a call have one type; written as literals each would compile a version of its own.
NOT_OVER, OVER = 0, 1

Numbers = npt.NDArray[np.int64]


class Options(NamedTuple):
    """What the search is asked to do; all whole numbers."""

    pruning: int
    order: int
    ties: int
    leaf_view: int
    root_is_black: int
    pass_cost: int
    """Plies that a forced pass uses up, 0 or 1."""
    win: int
    """Worth of a won game; 0 evaluates finished positions like all others."""
    margin: int
    """Whether the disc difference is added to `win`."""
    sign: int
    """1 in the standard game, -1 in the reversed one."""
    disc: int
    """Worth of a disc where leaves are worth their difference of discs to the root and nothing else, otherwise 0."""


class Stack(NamedTuple):
    """Everything a search writes; allocated once and reused."""

    own: Words
    """[plies, words]: discs of the side to move."""
    other: Words
    """[plies, words]: discs of the other side."""
    frames: Numbers
    """[plies, MOVES + squares]"""
    lines: Numbers
    """[plies, 1 + max(plies, squares)]: length of the best line found below each node, then the line."""
    state: Numbers
    """[STATE]"""
    roots: Numbers
    """[squares, 2]: value of every root move in the order tried, and 1 if it is exact, 0 if an upper bound."""


@inlined
def _leaf(me: Board, opp: Board, full: Board, ply: int, options: Options, evaluation: AnyEvaluation, plug: Any) -> int:
    """Evaluation of a position for its side to move, taken in the view that the options ask for.

    `black` for white at the root means that white searches with black's score; `mover` takes the score of the side to
    move for the root's. NEGAMAX is for evaluations that are made for the side to move.
    """
    if options.leaf_view == NEGAMAX:
        return leaf_evaluation(me, opp, full, evaluation, plug, 1)
    root_to_move = ply & 1 == 0
    of_root = options.leaf_view == ROOT_VIEW or options.root_is_black == 1
    of_mover = options.leaf_view == MOVER_VIEW or root_to_move == of_root
    own, other = (me, opp) if of_mover else (opp, me)
    value = leaf_evaluation(own, other, full, evaluation, plug, 1 if of_mover else 0)
    return value if root_to_move else -value


@inlined
def _horizon(
    me: Board,
    opp: Board,
    full: Board,
    ply: int,
    options: Options,
    evaluation: AnyEvaluation,
    plug: Any,
    state: Numbers,
    known_over: int,
) -> int:
    """Value for its side to move of a position that is not searched further: finished or at the depth limit."""
    if options.win != 0 and (known_over == OVER or (is_empty(moves(me, opp, full)) and is_empty(moves(opp, me, full)))):
        difference = options.sign * (count(me) - count(opp))
        worth = options.win if difference > 0 else -options.win if difference < 0 else 0
        return worth + options.margin * difference
    if known_over == NOT_OVER:
        state[OPEN_LEAVES] += 1
    return _leaf(me, opp, full, ply, options, evaluation, plug)


@routine
def _settled(
    me: Board,
    opp: Board,
    full: Board,
    ply: int,
    options: Options,
    evaluation: AnyEvaluation,
    plug: Any,
    state: Numbers,
    known_over: int,
) -> int:
    """`_horizon` as a call, for the places where it is rare: inlined it would swell the kernel."""
    return _horizon(me, opp, full, ply, options, evaluation, plug, state, known_over)


@inlined
def _rank(
    me: Board, opp: Board, full: Board, square: int, order: int, evaluation: AnyEvaluation, plug: Any, key: Any
) -> int:
    """What a move is sorted by, the lowest first: replies left, own evaluation after it, or a person's key turned."""
    if key is None:
        theirs, mine = after(me, opp, square)
        if order == BY_MOBILITY:
            return count(moves(theirs, mine, full))
        return -leaf_evaluation(mine, theirs, full, evaluation, plug, 0)
    else:
        return -int(min(max(key(me, opp, square), -MOST), MOST))


@inlined
def _gains(me: Board, opp: Board, full: Board, wanted: bool) -> Board:
    """What all moves turn, if it is wanted and the board has one word; otherwise nothing."""
    if len(me) == 1 and wanted:
        return gains(me, opp, full)
    return (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)


@routine
def _list_moves(
    frames: Numbers,
    lines: Numbers,
    ply: int,
    me: Board,
    opp: Board,
    full: Board,
    legal: Board,
    classes: Words,
    order: int,
    disc: int,
    evaluation: AnyEvaluation,
    plug: Any,
    key: Any,
) -> None:
    """Writes the legal moves into the frame in the order they will be tried.

    By class, then, where asked, the fewest replies, the best evaluation after the move or a person's largest key first;
    equal ones keep their order (insertion sort). Where nothing but discs counts, `disc` each, the number that a move
    turns says what it is worth without playing it. The last row of `lines` is scratch space.
    """
    listed, scratch = 0, len(lines) - 1
    counted = len(me) == 1 and disc != 0 and order == BY_VALUE
    known = _gains(me, opp, full, counted)
    for i in range(len(classes)):
        rest = both(legal, load(classes, i, legal))
        while not is_empty(rest):
            square = first(rest)
            rest = without_first(rest)
            place = listed
            if order >= BY_MOBILITY:
                if counted:
                    rank = -disc * gain_of(known, square)
                else:
                    rank = _rank(me, opp, full, square, order, evaluation, plug, key)
                while place > 0 and lines[scratch, place - 1] > rank:
                    lines[scratch, place] = lines[scratch, place - 1]
                    frames[ply, MOVES + place] = frames[ply, MOVES + place - 1]
                    place -= 1
                lines[scratch, place] = rank
            frames[ply, MOVES + place] = square
            listed += 1
    frames[ply, COUNT] = listed


@inlined
def _bring_forward(frames: Numbers, ply: int, move: int) -> None:
    """Puts a move of the frame first; the others keep their order."""
    for i in range(frames[ply, COUNT]):
        if frames[ply, MOVES + i] == move:
            for j in range(i, 0, -1):
                frames[ply, MOVES + j] = frames[ply, MOVES + j - 1]
            frames[ply, MOVES] = move
            return


@inlined
def _floor(frames: Numbers, ply: int, square: int, options: Options) -> int:
    """What the next move must exceed to matter: at the root an equal value counts where ties need it."""
    if options.pruning == PLAIN:
        return -INFINITY
    best = max(frames[ply, ALPHA], frames[ply, BEST])
    if ply == 0 and best > -INFINITY and (options.ties == RANDOM or square < frames[0, BEST_MOVE]):
        best -= 1
    return int(best)


@inlined
def _absorb(frames: Numbers, lines: Numbers, roots: Numbers, ply: int, square: int, value: int, floor: int) -> None:
    """Takes the value of the move just searched into its node, and with it the line below."""
    better = value > frames[ply, BEST]
    if ply == 0:
        rank = frames[0, NEXT] - 1
        exact = value > floor
        roots[rank, 0] = value
        roots[rank, 1] = 1 if exact else 0
        better = better or (exact and value == frames[0, BEST] and square < frames[0, BEST_MOVE])
    if better:
        frames[ply, BEST] = value
        frames[ply, BEST_MOVE] = square
        if ply == 0 or value > frames[ply, ALPHA]:
            below = lines[ply + 1, 0]
            lines[ply, 0] = below + 1
            lines[ply, 1] = square
            for i in range(below):
                lines[ply, i + 2] = lines[ply + 1, i + 1]


@inlined
def _settles(frames: Numbers, ply: int, entry: Word) -> bool:
    """Whether a table entry settles a node; its value then stands in BEST."""
    value, kind = value_in(entry), kind_in(entry)
    low, high = frames[ply, ALPHA], frames[ply, BETA]
    settled = kind == EXACT or (kind == UPPER and value <= low) or (kind == LOWER and value >= high)
    if settled:
        frames[ply, BEST] = value
    return settled


@inlined
def _recall(table: Words, key: Word, age: int) -> Word:
    """What the table knows, packed; 0 for nothing."""
    return read(table, slot(key, len(table)), aged(key, age))


@inlined
def _remember(frames: Numbers, ply: int, table: Words, key: Word, age: int) -> None:
    """Stores the value of a finished node, always in place of what was there."""
    value = frames[ply, BEST]
    kind = UPPER if value <= frames[ply, ALPHA] else LOWER if value >= frames[ply, BETA] else EXACT
    data = pack_value(value, kind, frames[ply, BEST_MOVE])
    write(table, slot(key, len(table)), aged(key, age), data)


@inlined
def _above_leaves(
    me: Board,
    opp: Board,
    full: Board,
    legal: Board,
    classes: Words,
    ply: int,
    beta: int,
    options: Options,
    evaluation: AnyEvaluation,
    plug: Any,
    state: Numbers,
) -> tuple[int, int, int]:
    """(best value, its move, moves tried) of a node of depth 1: all in registers, where most of the time is spent."""
    best, best_move, tried = -INFINITY, NO_MOVE, 0
    for i in range(len(classes)):
        rest = both(legal, load(classes, i, legal))
        while not is_empty(rest):
            square = first(rest)
            rest = without_first(rest)
            theirs, mine = after(me, opp, square)
            tried += 1
            value = -_horizon(theirs, mine, full, ply + 1, options, evaluation, plug, state, NOT_OVER)
            if value > best:
                best, best_move = value, square
                if best >= beta and options.pruning != PLAIN:
                    return best, best_move, tried
    return best, best_move, tried


@inlined
def _counted(
    frames: Numbers, lines: Numbers, ply: int, me: Board, opp: Board, full: Board, options: Options
) -> tuple[int, bool]:
    """(moves played, whether the node is settled) of a node of depth 2, by `discs.two_plies`."""
    if len(me) == 1:
        low = frames[ply, ALPHA]
        value, square, reply, played = two_plies(me, opp, full, low, frames[ply, BETA], options.disc, options.win)
        if value != UNSETTLED:
            frames[ply, BEST] = value
            lines[ply, 0] = 2 if value > low else 0
            lines[ply, 1], lines[ply, 2] = square, reply
        return played, value != UNSETTLED
    else:
        return 0, False


@kernel
def search(
    stack: Stack,
    full: Board,
    classes: Words,
    table: Words,
    age: int,
    options: Options,
    evaluation: AnyEvaluation,
    plug: Any,
    key: Any,
    budget: int,
) -> bool:
    """Goes on with the search that `stack` holds for about `budget` nodes; whether it is finished.

    `table` is from `new_table`, one entry means none; entries of another `age` are not looked at. `plug` and `key` are
    a person's evaluation and order of moves, or None.

    Begin with the position in row 0 of `own` and `other`, its DEPTH set, its window infinite, COUNT 0 or the number of
    root moves already listed, and a state of PLY 0 and ENTERING 1. Finished, the value stands in state[VALUE].

    Invariant at the head of the loop: frames 0 to ply are the nodes of the current line. If `entering`, frame `ply` has
    boards, depth and window, and nothing else; otherwise its moves before NEXT have been absorbed into BEST.
    """
    own, other, frames, lines, state, roots = (
        stack.own,
        stack.other,
        stack.frames,
        stack.lines,
        stack.state,
        stack.roots,
    )
    tabled = len(table) > 1
    prune = options.pruning != PLAIN
    ply, entering = state[PLY], state[ENTERING] != 0
    nodes, stop = state[NODES], state[NODES] + budget
    while nodes < stop:
        me, opp = load(own, ply, full), load(other, ply, full)
        depth = frames[ply, DEPTH]
        done = False
        if entering:
            entering = False
            nodes += 1
            frames[ply, BEST], frames[ply, BEST_MOVE], frames[ply, NEXT] = -INFINITY, NO_MOVE, 0
            lines[ply, 0] = 0
            known = NO_MOVE
            if tabled and depth > 2 and ply > 0:
                position = position_hash(me, opp)
                entry = _recall(table, searched_key(position, depth, ply & 1), age)
                done = _settles(frames, ply, entry)
                known = move_in(entry)
                if known == NO_MOVE:
                    known = move_in(_recall(table, searched_key(position, depth - 1, ply & 1), age))
            if options.pruning == BOUNDING and depth == 2 and ply > 0:
                played, done = _counted(frames, lines, ply, me, opp, full, options)
                nodes += played
                state[OPEN_LEAVES] += 1 if done else 0
            if depth == 0:
                frames[ply, BEST] = _settled(me, opp, full, ply, options, evaluation, plug, state, NOT_OVER)
                done = True
            elif not done:
                legal = moves(me, opp, full)
                if is_empty(legal):
                    frames[ply, COUNT] = 0
                    if is_empty(moves(opp, me, full)):
                        frames[ply, BEST] = _settled(me, opp, full, ply, options, evaluation, plug, state, OVER)
                        done = True
                elif depth == 1 and ply > 0:
                    value, square, tried = _above_leaves(
                        me,
                        opp,
                        full,
                        legal,
                        classes,
                        ply,
                        frames[ply, BETA],
                        options,
                        evaluation,
                        plug,
                        state,
                    )
                    frames[ply, BEST], lines[ply, 0], lines[ply, 1] = value, 1, square
                    nodes += tried
                    done = True
                elif ply > 0 or frames[0, COUNT] == 0:
                    order = options.order if depth > 2 else BY_CLASS  # sorting pays two plies above the leaves
                    _list_moves(
                        frames, lines, ply, me, opp, full, legal, classes, order, options.disc, evaluation, plug, key
                    )
                    if known >= 0:
                        _bring_forward(frames, ply, known)
        refuted = prune and frames[ply, BEST] >= frames[ply, BETA]
        if not done and not refuted and frames[ply, NEXT] < max(frames[ply, COUNT], 1):
            # Down to the next move, or through the forced pass.
            rank = frames[ply, NEXT]
            frames[ply, NEXT] += 1
            floor = frames[ply, ALPHA]
            theirs, mine = opp, me
            frames[ply + 1, DEPTH] = max(depth - options.pass_cost, 0)
            if frames[ply, COUNT] > 0:
                square = int(frames[ply, MOVES + rank])
                floor = _floor(frames, ply, square, options)
                theirs, mine = after(me, opp, square)
                frames[ply + 1, DEPTH] = depth - 1
            store(own, ply + 1, theirs)
            store(other, ply + 1, mine)
            scout = options.pruning >= SCOUTING and rank > 0 and -INFINITY < floor < frames[ply, BETA] - 1
            frames[ply, FLOOR], frames[ply, SCOUT] = floor, 1 if scout else 0
            frames[ply + 1, ALPHA] = -(floor + 1) if scout else -frames[ply, BETA]
            frames[ply + 1, BETA] = -floor
            ply += 1
            entering = True
            continue
        # The node is finished: up to its parent.
        if tabled and depth > 2 and ply > 0 and frames[ply, NEXT] > 0:
            _remember(frames, ply, table, searched_key(position_hash(me, opp), depth, ply & 1), age)
        if ply == 0:
            state[VALUE], state[NODES] = frames[0, BEST], nodes
            return True
        ply -= 1
        value = -frames[ply + 1, BEST]
        floor = frames[ply, FLOOR]
        if frames[ply, SCOUT] == 1 and floor < value < frames[ply, BETA]:
            # Better than the null window could show: the same move once more with the whole window.
            frames[ply, SCOUT] = 0
            frames[ply + 1, ALPHA], frames[ply + 1, BETA] = -frames[ply, BETA], -floor
            ply += 1
            entering = True
            continue
        square = int(frames[ply, MOVES + frames[ply, NEXT] - 1]) if frames[ply, COUNT] > 0 else PASS
        _absorb(frames, lines, roots, ply, square, value, floor)
    state[PLY], state[ENTERING], state[NODES] = ply, 1 if entering else 0, nodes
    return False
