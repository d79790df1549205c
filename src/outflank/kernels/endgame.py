"""Exact endgames: alpha-beta to the last square, in slices that resume where they stopped.

One search in three layers, by the number of empty squares:

* **Frames** (more than `SHALLOW`): principal variation search on a stack of our own instead of recursion. The
  stack is the resumable state: `proceed` works for a number of nodes and returns, and the next call goes on at the
  same move of the same node, whatever the table holds. Slices therefore change neither score nor node count.
* **`shallow`** (up to `SHALLOW`): recursion without a table, in a module of its own, as are
* **the last two** squares, written out.

Ordering in the frames is what the speed hangs on. The table's move comes first; then, far from the end, a search of
a few plies with a rough outlook (`outlook`), nearer to it the fewest replies alone.

Scores are those of the side to move: discs, plus the empty squares for the side with more discs where the prize is
set, times the sign of the variant. A stable disc bounds the score of both conventions.

Entries of the table stand in pairs: the first keeps what was dearer, the second what came last. Positions near the end
are many and soon forgotten, so they are confined to the first `NEAR_ENTRIES`, which stay in the processor's cache.

Sources: Edax (Delorme) for parity, ordering terms and the stability bound; Plaat et al. 1996 for enhanced
transposition cutoffs; fastest-first is old in computer Othello.

Measured on one core of an AMD EPYC (Zen 4), about 30 million nodes/s, on 15 to 20 FFO positions with 19 to 25 empties.
What paid: the near entries, 11 % of the time; outlook instead of replies alone, 29 % of the nodes; stable discs
instead of corners in the outlook, 10 %; arrays as arguments of their own and not fields of a tuple, where each access
counts references, 4 % of the time. What did not: the stability bound saves 0.7 % of the nodes where scores are near 0
(kept for lopsided ones); cutoffs by replies from 9 empties instead of 13 save 4 % of the nodes and no time; an outlook
of 5 plies, or from 10 empties on (22 % more time); parity in the outlook; corners weighed more; 256 MB of table
instead of 16 (2 % of the nodes, no time); recursion up to 8 empties instead of 6 (22 % more nodes, 13 % more time).
"""

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import (
    ZERO,
    both,
    count,
    either,
    first,
    is_empty,
    load,
    moves,
    single,
    store,
    without,
    without_first,
)
from outflank.kernels.jit import Word, Words, inlined, kernel
from outflank.kernels.outlook import FAR, EndgameRules, estimate, frontier, stability
from outflank.kernels.rules import PASS, after, after_or_pass
from outflank.kernels.shallow import NONE, SHALLOW, final_score, odd_blocks, shallow
from outflank.kernels.table import (
    depth_in,
    lower_in,
    move_in,
    pack_bounds,
    position_hash,
    read,
    slot,
    upper_in,
    write,
)

Integers = npt.NDArray[np.int64]

NEAR, NEAR_ENTRIES = 9, 1 << 14
"""Empties up to which a position is confined to the first entries of the table."""
CUTOFFS = 12
"""Empties from which the replies are looked up in the table before they are searched."""
OUTLOOK, OUTLOOK_STEP, OUTLOOK_PLIES = 12, 2, 4
"""Empties from which moves are ordered by outlook, empties to a ply more, and the most plies."""
HOPELESS = 40
"""Empties beyond which no search ends, and one ply of outlook must do so that a time limit is kept."""
_MARGIN = 40
"""How much worse than the best a move's outlook must be to be known only roughly."""

ALPHA, BETA, BEST, BEST_MOVE, NEXT, COUNT, WIDE, EMPTIES, MOVES = range(9)
"""Columns of a frame: window, best score and move so far, index of the move in hand, number of moves (or
UNOPENED), whether the move in hand is searched again with the whole window; the moves begin at MOVES, each as
promise * ITEM + move + 1."""
FRAME, ITEM = MOVES + 256, 512
UNOPENED, WAITING = -1, -2048

PLY, VALUE, MOVE, NODES = range(4)
"""Cells of the state: ply of the frame in hand (-1 when the search is finished), score, move, nodes done."""


# --- the table --------------------------------------------------------------------------------------------


@inlined
def _pair(table: Words, key: Word, empties: int) -> int:
    """The first of the two entries where a position may stand."""
    return slot(key, len(table) if empties > NEAR else min(len(table), NEAR_ENTRIES)) & ~1


@inlined
def _recall(table: Words, key: Word, empties: int) -> Word:
    """What the table knows of a position, packed; 0 for nothing."""
    at = _pair(table, key, empties)
    entry = read(table, at, key)
    return entry if entry != ZERO else read(table, at + 1, key)


@inlined
def _remember(table: Words, key: Word, lower: int, upper: int, move: int, empties: int) -> None:
    """Stores bounds of a position, or tightens those that are there."""
    at = _pair(table, key, empties)
    entry = read(table, at, key)
    if entry == ZERO:
        entry = read(table, at + 1, key)
        if entry != ZERO:
            at += 1
    if entry != ZERO:
        lower, upper = max(lower, lower_in(entry)), min(upper, upper_in(entry))
    elif empties <= NEAR:
        table[at + 1, 0], table[at + 1, 1] = table[at, 0], table[at, 1]
    elif depth_in(table[at, 1]) > empties:
        at += 1
    write(table, at, key, pack_bounds(lower, upper, empties, move))


# --- ordering ---------------------------------------------------------------------------------------------


@inlined
def _outlook_plies(empties: int, choices: int, most: int) -> int:
    """Plies of outlook by which moves are ordered, so few that about `most` nodes suffice; -1 for no outlook."""
    if empties < OUTLOOK or choices > most:
        return -1
    plies = min((empties - OUTLOOK) // OUTLOOK_STEP, OUTLOOK_PLIES) if empties <= HOPELESS else 1
    cost = choices
    for ply in range(plies):
        cost *= choices
        if cost > most:
            return ply
    return plies


@inlined
def _expand(boards: Words, frames: Integers, table: Words, ply: int, rules: EndgameRules, most: int) -> tuple[int, int]:
    """(WAITING, nodes) when the frame has its moves now, the best first; or a score that an entry of a reply proves.

    Moves that are not looked at before `most` nodes are done come last.
    """
    me, opp = load(boards, 2 * ply, rules.full), load(boards, 2 * ply + 1, rules.full)
    empty, legal = without(rules.full, either(me, opp)), moves(me, opp, rules.full)
    odd, empties, hint = odd_blocks(empty), frames[ply, EMPTIES], frames[ply, BEST_MOVE]
    lowest = int(np.int64(-FAR))  # not a literal: cached recursion that meets one crashes in the next process
    number, nodes, window = 0, 1, lowest
    plies = _outlook_plies(empties, count(legal), most)
    while not is_empty(legal):
        square = first(legal)
        bit = single(square, me)
        legal = without_first(legal)
        theirs, mine = after(me, opp, square)
        if empties >= CUTOFFS and ply > 0:
            entry = _recall(table, position_hash(theirs, mine), empties - 1)
            if entry != ZERO and -upper_in(entry) >= frames[ply, BETA]:
                return -upper_in(entry), nodes
        promise = FAR * FAR
        replies = moves(theirs, mine, rules.full)
        if square != hint and plies >= 0:
            value, done = estimate(theirs, mine, rules, plies, lowest, -window, most - nodes)
            nodes += done
            if nodes < most:
                window = max(window, -value - _MARGIN)
                promise = -16 * value - 96 * count(replies)
            else:
                promise = -FAR * FAR
        elif square != hint:
            corners = both(rules.sides, rules.ends)
            promise = -32 * (count(replies) + count(both(replies, corners))) - 4 * frontier(mine, empty, rules)
            promise += 16 * rules.sign * count(both(mine, corners)) + 2 * count(both(odd, bit))
        at, item = MOVES + number, promise * ITEM + square + 1
        while at > MOVES and frames[ply, at - 1] < item:
            frames[ply, at] = frames[ply, at - 1]
            at -= 1
        frames[ply, at] = item
        number += 1
    if number == 0:
        number, frames[ply, MOVES] = 1, PASS + 1
    frames[ply, COUNT], frames[ply, NEXT], frames[ply, WIDE] = number, 0, 0
    frames[ply, BEST], frames[ply, BEST_MOVE] = NONE, PASS
    return WAITING, nodes


# --- the frames -------------------------------------------------------------------------------------------


@inlined
def _move(frames: Integers, ply: int, at: int) -> int:
    """The move of this rank: a square or PASS."""
    return int(frames[ply, MOVES + at] & (ITEM - 1)) - 1


@inlined
def _settle(boards: Words, frames: Integers, table: Words, ply: int, rules: EndgameRules) -> tuple[int, int]:
    """(score inside the window or bound outside, nodes); (WAITING, 0) when moves must be searched.

    The root is never settled while it has a move, so that a search ends with one.
    """
    me, opp = load(boards, 2 * ply, rules.full), load(boards, 2 * ply + 1, rules.full)
    alpha, beta = frames[ply, ALPHA], frames[ply, BETA]
    empty = without(rules.full, either(me, opp))
    empties = count(empty)
    frames[ply, EMPTIES], frames[ply, BEST_MOVE] = empties, PASS
    if empties <= SHALLOW and ply > 0:
        odd, squares, sign, prize = odd_blocks(empty), rules.squares, rules.sign, rules.prize
        value, nodes = shallow(me, opp, rules.full, odd, empties, alpha, squares, sign, prize)
        while alpha < value < beta:  # null windows climb to the score
            alpha = value
            value, done = shallow(me, opp, rules.full, odd, empties, alpha, squares, sign, prize)
            value, nodes = max(value, alpha), nodes + done
        return value, nodes
    if is_empty(moves(me, opp, rules.full)) and is_empty(moves(opp, me, rules.full)):
        return final_score(2 * count(me) - rules.squares + empties, empties, rules.sign, rules.prize), 1
    entry = _recall(table, position_hash(me, opp), empties)
    if entry != ZERO:
        lower, upper = lower_in(entry), upper_in(entry)
        frames[ply, BEST_MOVE] = move_in(entry)
        if ply > 0 and (lower >= beta or lower == upper):
            return lower, 1
        if ply > 0 and upper <= alpha:
            return upper, 1
    if alpha >= empties and ply > 0:
        mine, theirs = stability(me, opp, rules)
        most = rules.squares - 2 * (theirs if rules.sign > 0 else mine)
        if most <= alpha:
            return most, 1
    return WAITING, 0


@inlined
def _descend(boards: Words, frames: Integers, ply: int, rules: EndgameRules) -> None:
    """Plays the move in hand into an unopened frame above: with the whole window if first or again, else a null one."""
    me, opp = load(boards, 2 * ply, rules.full), load(boards, 2 * ply + 1, rules.full)
    at = frames[ply, NEXT]
    low = max(frames[ply, ALPHA], frames[ply, BEST])
    high = frames[ply, BETA] if at == 0 or frames[ply, WIDE] == 1 else low + 1
    theirs, mine = after_or_pass(me, opp, _move(frames, ply, at))
    store(boards, 2 * ply + 2, theirs)
    store(boards, 2 * ply + 3, mine)
    frames[ply + 1, ALPHA], frames[ply + 1, BETA], frames[ply + 1, COUNT] = -high, -low, UNOPENED


@inlined
def _take(frames: Integers, ply: int, value: int) -> None:
    """Books the score of the move in hand, or sends it down again when a null window proved it better."""
    alpha, beta, best, at = frames[ply, ALPHA], frames[ply, BETA], frames[ply, BEST], frames[ply, NEXT]
    if at > 0 and frames[ply, WIDE] == 0 and max(alpha, best) < value < beta:
        frames[ply, WIDE] = 1
        return
    frames[ply, NEXT], frames[ply, WIDE] = at + 1, 0
    if value > best:
        frames[ply, BEST], frames[ply, BEST_MOVE] = value, _move(frames, ply, at)


@inlined
def _close(boards: Words, frames: Integers, table: Words, ply: int, rules: EndgameRules) -> int:
    """The score or bound of a frame that is done, which the table now knows."""
    best = int(frames[ply, BEST])
    lower = best if best > frames[ply, ALPHA] else -rules.squares
    upper = best if best < frames[ply, BETA] else rules.squares
    key = position_hash(load(boards, 2 * ply, rules.full), load(boards, 2 * ply + 1, rules.full))
    _remember(table, key, lower, upper, frames[ply, BEST_MOVE], frames[ply, EMPTIES])
    return best


@kernel
def proceed(
    boards: Words, frames: Integers, table: Words, state: Integers, rules: EndgameRules, budget: int, most: int
) -> None:
    """Works on a search for about `budget` nodes; it is finished when `state[PLY]` is -1.

    When `most` nodes are done, the search ends for good: near them moves are ordered with less effort. The number of
    nodes exceeds `most` by those of one position of `SHALLOW` empties.

    A search begins with `state[PLY]` 0 and frame 0 unopened, its window set, its boards in rows 0 (side to
    move) and 1. It ends with the score in `state[VALUE]`, a bound if outside the window, and the first best move in
    `state[MOVE]`. `boards` is of shape [2 * plies, words], `frames` [plies, FRAME], with room for twice the empties
    and 2; the length of the table is a power of two, 2 at least.
    """
    ply, nodes = state[PLY], 0
    while nodes < budget and ply >= 0:
        value = WAITING
        if frames[ply, COUNT] == UNOPENED:
            value, done = _settle(boards, frames, table, ply, rules)
            nodes += done
            if value == WAITING:
                value, done = _expand(boards, frames, table, ply, rules, most - nodes)
                nodes += done
        elif frames[ply, BEST] >= frames[ply, BETA] or frames[ply, NEXT] == frames[ply, COUNT]:
            value = _close(boards, frames, table, ply, rules)
        else:
            _descend(boards, frames, ply, rules)
            ply += 1
        if value != WAITING:
            ply -= 1
            if ply >= 0:
                _take(frames, ply, -value)
            else:
                state[VALUE], state[MOVE] = value, frames[0, BEST_MOVE]
    state[PLY] = ply
    state[NODES] += nodes
