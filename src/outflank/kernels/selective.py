"""The engine's search: principal variation search with null windows, ProbCut, and exact or probable endgames.

Values are whole discs for the side to move. A search of `depth` moves ends in the pattern evaluation, or at the end of
the game where that is nearer; a pass costs no depth. Nodes on the expected line have an open window (`principal`), all
others only decide whether they beat `alpha` (`null_window`), and the last squares are counted out without the
evaluation (`near_end`).

**ProbCut** (Buro 1995, 1997): a shallow search foretells a deep one with a known error. Where it says that the deep one
would beat `alpha`, or fail to, by more than `t` standard deviations of this error, the deep one is left out. The table
`margins` has these errors, fitted by `outflank learn probcut`, for every confidence: 0 is the boldest, the last cuts
nothing. A search to the end of the game with less than full confidence gives a *probable* score.

**Threads** share the table alone. Each runs the same search, and puts a move off that another has in hand (`busy`,
Feldmann's and Weill's idea in Kerrigan's simple form): by the time it comes back to it, the table knows. Who settles a
node of some depth says so (`settled`), and a thread that is still at work below it goes back there with the answer.

The order of moves is what the speed hangs on: the table's move, then by a search of a few plies with the evaluation far
from the leaves, by the evaluation and the replies it leaves near them.

Measured in million nodes: 8 positions with 40 empties to depth 16 at 73 %, and seven endgames of the FFO suite (40 to
44, 46, 47). As it is 7.5 and 130. Ordered by replies alone 11.7 and 165; by the evaluation without a search 7.1 and
129, but to depth 20 63.9 instead of 55.6; by deeper searches 7.9 and 144. Replies at half their weight 8.2 and 138,
without weight 8.3 and 146. Replies not looked up in the table before they are searched 7.5 and 143. Bounds by stable
discs change nothing there, but FFO 39, won by 64, takes 7 instead of 462.

Where one side has five times the discs of the other nothing is cut: with cuts a search of 12 moves missed that the last
disc was taken in three. It costs less than 1 % of the nodes from 30 to 52 empties.

Two threads with ProbCut, 24 positions with 36 empties to depth 20: 1.12 times the nodes of one, 1.66 times its speed.
Without going back from what another has settled 1.19 and 1.53; asked from depth 5, 8 or 9 on instead of 7 1.61, 1.63
and 1.60; moves put off from depth 4, 5 or 8 on instead of 6 1.64, 1.57 and 1.63. Putting off the first move too, where
the evaluation expects no move to beat `alpha`, makes 1.37 times the nodes; threads from 4,000 nodes on 1.61, from
60,000 on 1.53.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import ONE, ZERO, both, count, either, first, is_empty, moves, without_first
from outflank.kernels.control import LEAVE, NODES, STOP, Control, must_end
from outflank.kernels.jit import Board, Word, Words, inlined, kernel, routine
from outflank.kernels.near_end import near_end
from outflank.kernels.outlook import EndgameRules, Outlook, most_to_win, outlook_value
from outflank.kernels.patterns import UNIT, Patterns, pattern_value
from outflank.kernels.rules import after
from outflank.kernels.shallow import final_score
from outflank.kernels.table import (
    NO_MOVE,
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

Numbers = npt.NDArray[np.int64]

INFINITY = 1 << 14
"""More than every value."""
CONFIDENCES = 5
"""How many levels of confidence there are; the last is certain."""
CERTAIN = CONFIDENCES - 1
PROBED = 2
"""Depth from which a shallow search may take the place of the search."""
OUTNUMBERED = 5
"""How many times the discs of the other make a side one that may be wiped out."""
TABLED = 2
"""Depth from which the table is used."""
LOOKED_UP = 5
"""Depth from which the replies are looked up in the table before they are searched."""
SHARED = 6
"""Depth from which a move in another thread's hand is put off."""
WATCHED = 7
"""Depth from which other threads are told that a node is settled, and asked."""
NEAR = 12
"""Empties up to which the end of the game is searched without the evaluation."""
HOPELESS = 40
"""Depth beyond which no search ends, and one ply must do for the order so that limits are kept."""
MOST_PLIES = 192
"""Rows of `lists` up to 8x8: no line of a search is longer, with its passes and the searches inside it."""

_SPREAD = Word(0x9E3779B97F4A7C15)
_ITEM = 512
_FIRST = 1 << 40
_FAR = 1 << 30
_MARGIN = 8 * UNIT
"""How much worse than the best a move must be foreseen to be known only roughly."""


Judge = Patterns | Outlook
"""What moves are ordered by, and leaves are worth."""


class Search(NamedTuple):
    """What a thread searches with."""

    rules: EndgameRules
    judge: Judge
    margins: npt.NDArray[np.int16]
    """[confidences, 2, depths, empties]: how far a probe must be from `alpha`, in discs, before leaves and the end."""
    table: Words
    """Shared by all threads."""
    busy: Words
    """Shared: moves in hand; one entry when there is one thread."""
    settled: Words
    """Shared: nodes that a thread has settled; one entry when there is one thread."""
    path: Words
    """[MOST_PLIES, 1]: what the nodes of the current line are called in `settled`; 0 for those that are not shared."""
    near: Words
    """The table of the last squares, of this thread alone."""
    lists: Numbers
    """[MOST_PLIES, squares]: moves of the nodes of the current line in the order they are tried."""
    age: int
    """Which search of the engine this is: newer entries of the table are dearer."""
    control: Control


# --- the evaluation -------------------------------------------------------------------------------------------------


@inlined
def _judged(me: Board, opp: Board, judge: Judge, rules: EndgameRules) -> int:
    """What a position is worth by patterns or, on a board without trained ones, by its outlook, in 1/UNIT discs.

    They are told apart by their fields: numba and mypy both know how many a tuple has.
    """
    if len(judge) == 1:
        return outlook_value(me, opp, rules, judge)
    else:
        return pattern_value(me, opp, judge)


@inlined
def _in_discs(value: int) -> int:
    """Hundredths of discs, rounded to the nearest disc."""
    return (value + UNIT // 2) // UNIT


@inlined
def _leaf(me: Board, opp: Board, search: Search) -> int:
    """The evaluation in discs; a side without discs has lost or won them all."""
    if is_empty(me):
        return -search.rules.sign * search.rules.squares
    most = search.rules.squares - 2
    return min(max(_in_discs(_judged(me, opp, search.judge, search.rules)), -most), most)


@inlined
def _finished(me: Board, opp: Board, search: Search) -> int:
    """The score of a finished game."""
    rules, mine, theirs = search.rules, count(me), count(opp)
    return final_score(mine - theirs, rules.squares - mine - theirs, rules.sign, rules.prize)


@kernel
def foreseen(me: Board, opp: Board, plies: int, alpha: int, beta: int, search: Search) -> int:
    """The evaluation after some plies of alpha-beta, in 1/UNIT discs: what moves are ordered by.

    Once the search must end, the evaluation itself, so that limits are kept.

    Recursion keeps one signature.
    """
    search.control[NODES] += 1
    if plies == 0 or must_end(search.control):
        return _judged(me, opp, search.judge, search.rules)
    legal = moves(me, opp, search.rules.full)
    if is_empty(legal):
        if is_empty(moves(opp, me, search.rules.full)):
            return UNIT * _finished(me, opp, search)
        return -foreseen(opp, me, plies, -beta, -alpha, search)
    best = alpha
    while best < beta and not is_empty(legal):
        square = first(legal)
        legal = without_first(legal)
        theirs, mine = after(me, opp, square)
        if plies == 1:  # saves the call, which hands all of `search` over
            search.control[NODES] += 1
            best = max(best, -_judged(theirs, mine, search.judge, search.rules))
        else:
            best = max(best, -foreseen(theirs, mine, plies - 1, -beta, -best, search))
    return best


# --- the table ------------------------------------------------------------------------------------------------------


@inlined
def _dearness(search: Search, depth: int, confidence: int) -> int:
    """What an entry is kept for, as its depth field: age, then depth, then confidence."""
    return (search.age << 11) | (depth << 4) | confidence


@inlined
def _serves(entry: Word, depth: int, confidence: int) -> bool:
    """Whether an entry is of such a depth and confidence at least."""
    field = depth_in(entry)
    return (field >> 4) & 127 >= depth and field & 15 >= confidence


@inlined
def _recall(table: Words, key: Word) -> Word:
    """What the table knows of a position, packed; 0 for nothing."""
    at = slot(key, len(table)) & ~1
    entry = read(table, at, key)
    return entry if entry != ZERO else read(table, at + 1, key)


@routine
def _remember(
    search: Search, key: Word, depth: int, confidence: int, alpha: int, beta: int, value: int, move: int
) -> None:
    """Stores what a search of a position with this window has shown; bounds of the same effort are tightened."""
    table = search.table
    lower = value if value > alpha else -INFINITY
    upper = value if value < beta else INFINITY
    dearness = _dearness(search, depth, confidence)
    at = slot(key, len(table)) & ~1
    entry = read(table, at, key)
    if entry == ZERO:
        entry = read(table, at + 1, key)
        if entry != ZERO:
            at += 1
    if entry != ZERO:
        if _serves(entry, depth, confidence) and (depth_in(entry) ^ dearness) & 2047 == 0:
            lower, upper = max(lower, lower_in(entry)), min(upper, upper_in(entry))
            if lower > upper:  # probable scores may contradict each other: the newer one holds
                lower = value if value > alpha else -INFINITY
                upper = value if value < beta else INFINITY
        if move == NO_MOVE:
            move = move_in(entry)
    elif depth_in(table[at, 1]) > dearness:
        at += 1
    write(table, at, key, pack_bounds(lower, upper, dearness, move))


# --- the order of moves ---------------------------------------------------------------------------------------------


@inlined
def _foresight(depth: int, to_end: bool) -> int:
    """Plies of the searches that moves are ordered by; -1 where replies alone must do."""
    if depth < 4:
        return -1
    if depth > HOPELESS:
        return 1
    return min(max((depth - (NEAR + 1 if to_end else 9)) // 3, 0), 3)


@inlined
def _insert(search: Search, ply: int, listed: int, item: int) -> None:
    """Puts a move among those listed, the highest first."""
    lists, at = search.lists, listed
    while at > 0 and lists[ply, at - 1] < item:
        lists[ply, at] = lists[ply, at - 1]
        at -= 1
    lists[ply, at] = item


@routine
def _list_moves(
    me: Board,
    opp: Board,
    legal: Board,
    depth: int,
    alpha: int,
    confidence: int,
    hint: int,
    to_end: bool,
    ply: int,
    search: Search,
) -> int:
    """Lists the moves in the order they will be tried: how many; or, where the table knows a reply that settles the
    node, -1 with the value in the first place of the list."""
    rules, listed, plies = search.rules, 0, _foresight(depth, to_end)
    # Not literals: cached recursion that is called with one crashes in the next process.
    lowest, highest = int(np.int64(-_FAR)), int(np.int64(_FAR))
    foreseen_best = lowest
    look_up = depth >= LOOKED_UP and not (to_end and depth == NEAR + 1)  # which the table does not hold
    corners = both(rules.sides, rules.ends)
    while not is_empty(legal):
        square = first(legal)
        legal = without_first(legal)
        theirs, mine = after(me, opp, square)
        if look_up:
            entry = _recall(search.table, position_hash(theirs, mine))
            if entry != ZERO and _serves(entry, depth - 1, confidence) and -upper_in(entry) > alpha:
                search.lists[ply, 0] = -upper_in(entry)
                return -1
        rank = _FIRST
        if square != hint:
            replies = moves(theirs, mine, rules.full)
            mobility = count(replies) + count(both(replies, corners))
            if plies < 0:
                rank = -mobility
            else:
                if plies == 0:
                    search.control[NODES] += 1
                    value = -_judged(theirs, mine, search.judge, search.rules)
                else:
                    value = -foreseen(theirs, mine, plies, lowest, min(highest, _MARGIN - foreseen_best), search)
                foreseen_best = max(foreseen_best, value)
                rank = value - (120 if to_end else 80) * mobility
        _insert(search, ply, listed, rank * _ITEM + square)
        listed += 1
    return listed


@inlined
def _square(search: Search, ply: int, at: int) -> int:
    return int(search.lists[ply, at] & (_ITEM - 1))


# --- nodes ----------------------------------------------------------------------------------------------------------


@inlined
def probe_depth(depth: int) -> int:
    """How deep a probe searches in place of a search of this depth: about half, and both end with the same side."""
    shallow_depth = 2 * (depth >> 2) + (depth & 1)
    return shallow_depth if shallow_depth > 0 else depth - 2


@inlined
def _may_vanish(me: Board, opp: Board) -> bool:
    """Whether one side has so few discs that it may lose them all, which the patterns of a probe do not see."""
    mine, theirs = count(me), count(opp)
    return min(mine, theirs) * OUTNUMBERED <= max(mine, theirs)


@routine
def _last_move(me: Board, opp: Board, legal: Board, alpha: int, search: Search) -> int:
    """The value of a node one move above the leaves."""
    best, control = -INFINITY, search.control
    while not is_empty(legal):
        square = first(legal)
        legal = without_first(legal)
        theirs, mine = after(me, opp, square)
        control[NODES] += 1
        best = max(best, -_leaf(theirs, mine, search))
        if best > alpha:
            return best
    return best


@inlined
def _take_in_hand(search: Search, theirs: Board, mine: Board, depth: int, may_wait: bool) -> tuple[bool, int]:
    """(whether another thread has this move in hand, its place among the busy ones)."""
    child = position_hash(theirs, mine) + Word(depth)
    place = slot(child, len(search.busy))
    if may_wait and search.busy[place, 0] == child:
        return True, place
    search.busy[place, 0] = child
    return False, place


@inlined
def _settle(search: Search, ply: int, beats: int) -> None:
    """Tells the other threads that this node is settled: above alpha or not."""
    called = search.path[ply, 0]
    if called != ZERO:
        search.settled[slot(called, len(search.settled)), 0] = called + Word(beats)


@routine
def _leaves(search: Search, ply: int) -> bool:
    """Whether another thread has settled a node of this line; the highest is noted."""
    for at in range(1, ply):
        called = search.path[at, 0]
        if called != ZERO:
            known = search.settled[slot(called, len(search.settled)), 0] - called
            if known <= ONE:
                search.control[LEAVE] = 2 * at + int(np.int64(known))
                return True
    return False


@inlined
def _left(control: Control, ply: int, alpha: int) -> int:
    """What a node answers that was left: nothing, or on the way back to it, whether it beats alpha."""
    back = int(control[LEAVE])
    if control[STOP] == 0 and back >> 1 == ply:
        control[LEAVE] = 0
        return alpha + (back & 1)
    return alpha


@kernel
def null_window(
    me: Board, opp: Board, depth: int, alpha: int, confidence: int, shared: int, ply: int, search: Search
) -> int:
    """A bound of the value: an upper one when at most `alpha`, otherwise a lower one; nothing once it must end.

    `shared` is 1 when other threads run. Recursion keeps one signature.
    """
    rules, control = search.rules, search.control
    empty = rules.squares - count(either(me, opp))
    to_end = depth >= empty
    if shared == 1:
        search.path[ply, 0] = ZERO
        if depth >= WATCHED and _leaves(search, ply):
            return alpha
    if to_end:
        depth = empty
        if empty <= NEAR:
            return near_end(me, opp, rules, empty, alpha, search.near, control)
    control[NODES] += 1
    if depth <= 0:
        return _leaf(me, opp, search)
    if must_end(control):
        return alpha
    legal = moves(me, opp, rules.full)
    if is_empty(legal):
        if is_empty(moves(opp, me, rules.full)):
            return _finished(me, opp, search)
        return -null_window(opp, me, depth, -alpha - 1, confidence, shared, ply + 1, search)
    if depth == 1:
        return _last_move(me, opp, legal, alpha, search)

    hint, key = NO_MOVE, ZERO
    if depth >= TABLED:
        key = position_hash(me, opp)
        entry = _recall(search.table, key)
        if entry != ZERO:
            hint = move_in(entry)
            if _serves(entry, depth, confidence):
                if lower_in(entry) > alpha:
                    return lower_in(entry)
                if upper_in(entry) <= alpha:
                    return upper_in(entry)

    if to_end:
        most = most_to_win(me, opp, empty, alpha, rules)
        if most <= alpha:
            return most
    if shared == 1 and depth >= WATCHED:
        asked = (depth << 24) | (confidence << 16) | ((alpha + 512) << 1)
        search.path[ply, 0] = (key ^ (Word(asked) * _SPREAD)) & ~ONE
    if depth >= PROBED and confidence < CERTAIN and not _may_vanish(me, opp):
        margin = int(search.margins[confidence, 1 if to_end else 0, depth, empty])
        probe = probe_depth(depth)
        if not (to_end and probe >= depth):
            guess = _leaf(me, opp, search)
            high, low = alpha + 1 + margin, alpha - margin
            found = low + 1
            if high < rules.squares and guess > alpha:
                found = null_window(me, opp, probe, high - 1, confidence, shared, ply + 1, search)
            elif low > -rules.squares and guess <= alpha:
                found = null_window(me, opp, probe, low, confidence, shared, ply + 1, search)
            if control[STOP] != 0 or control[LEAVE] != 0:
                return _left(control, ply, alpha)
            if found >= high or found <= low:
                return alpha + 1 if found > alpha else alpha

    listed = _list_moves(me, opp, legal, depth, alpha, confidence, hint, to_end, ply, search)
    if listed < 0:
        return int(search.lists[ply, 0])
    best, best_move, deferred = -INFINITY, NO_MOVE, ZERO
    split = shared == 1 and depth >= SHARED
    for turn in range(2):
        for at in range(listed):
            rank = Word(1) << Word(at & 63)
            if turn == 1 and deferred & rank == ZERO:
                continue
            square = _square(search, ply, at)
            theirs, mine = after(me, opp, square)
            place = 0
            if split:
                waits, place = _take_in_hand(search, theirs, mine, depth, turn == 0 and at > 0)
                if waits:
                    deferred |= rank
                    continue
            value = -null_window(theirs, mine, depth - 1, -alpha - 1, confidence, shared, ply + 1, search)
            if split:
                search.busy[place, 0] = ZERO
            if control[STOP] != 0 or control[LEAVE] != 0:
                return _left(control, ply, alpha)
            if value > best:
                best, best_move = value, square
                if best > alpha:
                    break
        if best > alpha or deferred == ZERO:
            break
    if shared == 1:
        _settle(search, ply, 1 if best > alpha else 0)
    if depth >= TABLED:
        _remember(search, key, depth, confidence, alpha, alpha + 1, best, best_move)
    return best


@kernel
def principal(
    me: Board,
    opp: Board,
    depth: int,
    alpha: int,
    beta: int,
    confidence: int,
    shared: int,
    ply: int,
    search: Search,
) -> int:
    """The value inside the window, a bound outside; nothing once it must end. Recursion keeps one signature."""
    rules, control = search.rules, search.control
    search.path[ply, 0] = ZERO
    empty = rules.squares - count(either(me, opp))
    depth = min(depth, empty)
    if depth <= 0 or (depth == empty and empty <= NEAR):
        value = null_window(me, opp, depth, alpha, confidence, shared, ply, search)
        while alpha < value < beta and depth > 0:  # null windows climb to the score
            alpha = value
            value = max(null_window(me, opp, depth, alpha, confidence, shared, ply, search), alpha)
        return value
    control[NODES] += 1
    if must_end(control):
        return alpha
    legal = moves(me, opp, rules.full)
    if is_empty(legal):
        if is_empty(moves(opp, me, rules.full)):
            return _finished(me, opp, search)
        return -principal(opp, me, depth, -beta, -alpha, confidence, shared, ply + 1, search)
    key = position_hash(me, opp)
    entry = _recall(search.table, key)
    hint = move_in(entry)
    if entry != ZERO and _serves(entry, depth, confidence) and lower_in(entry) == upper_in(entry):
        return lower_in(entry)
    if hint == NO_MOVE and depth > 2:
        inner = probe_depth(depth) if depth == empty else depth - 2
        principal(me, opp, inner, alpha, beta, confidence, shared, ply + 1, search)
        hint = move_in(_recall(search.table, key))
    never = int(np.int64(INFINITY))
    listed = _list_moves(me, opp, legal, depth, never, confidence, hint, depth == empty, ply, search)
    best, best_move, deferred = -INFINITY, NO_MOVE, ZERO
    split = shared == 1 and depth >= SHARED
    for turn in range(2):
        for at in range(listed):
            rank = Word(1) << Word(at & 63)
            if turn == 1 and deferred & rank == ZERO:
                continue
            square = _square(search, ply, at)
            theirs, mine = after(me, opp, square)
            place = 0
            if split and at > 0:
                waits, place = _take_in_hand(search, theirs, mine, depth, turn == 0)
                if waits:
                    deferred |= rank
                    continue
            low = max(alpha, best)
            value = low + 1
            if best > -INFINITY:
                value = -null_window(theirs, mine, depth - 1, -low - 1, confidence, shared, ply + 1, search)
            if split and at > 0:
                search.busy[place, 0] = ZERO
            if low < value < beta:
                value = -principal(theirs, mine, depth - 1, -beta, -low, confidence, shared, ply + 1, search)
            if control[STOP] != 0:
                return alpha
            if value > best:
                best, best_move = value, square
                if best >= beta:
                    break
        if best >= beta or deferred == ZERO:
            break
    _remember(search, key, depth, confidence, alpha, beta, best, best_move)
    return best


SQUARE, VALUE, KNOWN = range(3)
"""Columns of a root move: its square, its value, and what the value is."""
NOTHING, BOUND, VALUED = range(3)
"""Not searched, at most this, exactly this."""


@kernel
def search_root(
    me: Board,
    opp: Board,
    roots: Numbers,
    depth: int,
    alpha: int,
    beta: int,
    confidence: int,
    shared: int,
    search: Search,
) -> int:
    """The best value of these moves, searched in this order with this window; their values are written beside them.

    A search that must end leaves the moves it has not finished as NOTHING.
    """
    control, ply = search.control, int(np.int64(1))
    best, deferred = -INFINITY, ZERO
    for at in range(len(roots)):
        roots[at, KNOWN] = NOTHING
    for turn in range(2):
        for at in range(len(roots)):
            rank = Word(1) << Word(at & 63)
            if turn == 1 and deferred & rank == ZERO:
                continue
            if must_end(control):  # the last squares do not ask
                return best
            theirs, mine = after(me, opp, int(roots[at, SQUARE]))
            place, split = 0, shared == 1 and at > 0
            if split:
                waits, place = _take_in_hand(search, theirs, mine, depth, turn == 0)
                if waits:
                    deferred |= rank
                    continue
            low = max(alpha, best)
            value = low + 1
            if best > -INFINITY:
                value = -null_window(theirs, mine, depth - 1, -low - 1, confidence, shared, ply, search)
            if low < value < beta:
                value = -principal(theirs, mine, depth - 1, -beta, -low, confidence, shared, ply, search)
            if split:
                search.busy[place, 0] = ZERO
            if control[STOP] != 0:
                return best
            roots[at, VALUE], roots[at, KNOWN] = value, VALUED if value > low else BOUND
            best = max(best, value)
            if best >= beta:
                return best
        if deferred == ZERO:
            break
    return best


@kernel
def known_move(me: Board, opp: Board, table: Words) -> int:
    """The move that the table holds best, or NO_MOVE."""
    return move_in(_recall(table, position_hash(me, opp)))
