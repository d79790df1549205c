"""The last dozen squares of an exact endgame: null windows by recursion, where nine of ten nodes are.

Above `FEW` empty squares there are a small table that stays in the processor's cache, bounds by stable discs, and an
order of moves by the fewest replies. What the order looks at, the boards after each move and the replies there, is
handed to the search of that move. The last squares are those of `shallow.few`.

Scores are those of the side to move: discs, plus the empty squares for the side with more discs where the prize is set,
times the sign of the variant.

Sources: Edax (Delorme) for parity, the order and counting the last flip; fastest-first is old in computer Othello;
Plaat et al. 1996 for cutoffs by the replies' entries.

Measured on one core of an AMD EPYC (Zen 4) that others kept busy, in turns in one process, CPU time, best of 5 to 20:
positions of selfplay games with 10, 12 and 14 empties, four null windows around the score of each, against the kernel
with frames, a table from 7 empties on and lists of moves to the last square: 0.76, 0.71 and 0.69 of its nodes, 0.76
of its time at 12 and about 0.7 at 14. What paid: the table down to 5 empties instead of 7 (28 % of the nodes), stable
discs at 5 and 6 empties (10 % of the nodes), one place an entry instead of two (2 to 6 % of the time), cutoffs by
replies from 8 empties (4 % of the nodes, 5 % of the time), the last flip by tables (4 to 8 %), a look at the squares
beside before flips are computed (8 %). What did not: the table at 4 empties (17 % fewer nodes, 11 % more time); no
order but parity at 5 (9 % more nodes, the same time); a way of its own for a single move; odd blocks weighed as much
as a reply; own moves, own frontier, edges and turned discs as terms of the order (weights fitted by descent: 2 % of
the nodes in all, more time); 2^16 entries instead of 2^14 (1 % fewer nodes, a quarter more time) and 2^12 (14 % more
nodes at 14 empties).
"""

import numpy as np

from outflank.kernels.bitboard import (
    ZERO,
    both,
    count,
    either,
    first,
    is_empty,
    load,
    moves,
    scratch,
    single,
    store,
    without,
    without_first,
)
from outflank.kernels.control import NODES, Control, must_end
from outflank.kernels.jit import Board, Word, Words, inlined, kernel
from outflank.kernels.outlook import EndgameRules, frontier, most_to_win
from outflank.kernels.rules import PASS, after
from outflank.kernels.shallow import FEW, NONE, few, final_score, odd_blocks, with_block_changed
from outflank.kernels.table import lower_in, move_in, pack_bounds, position_hash, read, slot, upper_in, write

NEAR_END = 14
"""The most empty squares that `near_end` is meant for, and that it has room for."""
CHECKED = 8
"""Empties from which a node asks whether the search must end: below, a search takes microseconds."""
_FRONTIER, _CUTOFFS = 7, 8
"""Empties from which the frontier is part of the order, and replies are looked up in the table beforehand."""


# --- more squares -----------------------------------------------------------------------------------------

RANK, THEIRS, MINE, REPLIES, ROWS = range(5)
"""Rows of a move: its rank, the boards after it, and the legal moves there."""
_ROOM = ROWS * NEAR_END
_FIRST, _USUAL = 1 << 30, 1 << 20
"""The promise of the table's move, and what all others begin with."""
_SQUARE, _SQUARES = Word(8), Word(255)
_NUMBERS = Word(16)


@inlined
def _promise(mine: Board, replies: Board, empty: Board, odd: Board, square: int, rules: EndgameRules) -> int:
    """How good a move looks that leads to `mine` and `replies`."""
    corners = both(rules.sides, rules.ends)
    promise = _USUAL - 32 * (count(replies) + count(both(replies, corners)))
    if count(empty) >= _FRONTIER:
        promise -= 4 * frontier(mine, empty, rules)
    return promise + 16 * rules.sign * count(both(mine, corners)) + 8 * count(both(odd, single(square, mine)))


@inlined
def _ranked(
    me: Board,
    opp: Board,
    legal: Board,
    odd: Board,
    hint: int,
    alpha: int,
    rules: EndgameRules,
    near: Words,
    ranked: Words,
) -> tuple[int, int]:
    """(the number of moves, which stand in rows of `ranked` now; the best bound that entries of replies prove).

    Where the bound is above alpha, some moves may be missing.
    """
    number, proven, empty = 0, NONE, without(rules.full, either(me, opp))
    look_up = count(empty) >= _CUTOFFS
    while proven <= alpha and not is_empty(legal):
        square = first(legal)
        legal = without_first(legal)
        theirs, mine = after(me, opp, square)
        if look_up:
            entry = _recall(near, position_hash(theirs, mine))
            if entry != ZERO:
                proven = max(proven, -upper_in(entry))
        replies = moves(theirs, mine, rules.full)
        promise = _FIRST if square == hint else _promise(mine, replies, empty, odd, square, rules)
        ranked[ROWS * number, 0] = (Word(promise) << _SQUARE) | Word(square)
        store(ranked, ROWS * number + THEIRS, theirs)
        store(ranked, ROWS * number + MINE, mine)
        store(ranked, ROWS * number + REPLIES, replies)
        number += 1
    return number, proven


@inlined
def _best_left(ranked: Words, number: int) -> int:
    """Which of the moves has the highest rank."""
    best, at = ranked[0, 0], 0
    for other in range(1, number):
        if ranked[ROWS * other, 0] > best:
            best, at = ranked[ROWS * other, 0], other
    return at


@inlined
def _recall(near: Words, key: Word) -> Word:
    """What the table knows of a position, packed; 0 for nothing."""
    return read(near, slot(key, len(near)), key)


@inlined
def _remember(near: Words, key: Word, lower: int, upper: int, empties: int, move: int) -> None:
    """Stores bounds of a position, or tightens those that are there."""
    entry = _recall(near, key)
    if entry != ZERO:
        lower, upper = max(lower, lower_in(entry)), min(upper, upper_in(entry))
    write(near, slot(key, len(near)), key, pack_bounds(lower, upper, empties, move))


@kernel
def search(
    me: Board,
    opp: Board,
    legal: Board,
    odd: Board,
    empties: int,
    alpha: int,
    rules: EndgameRules,
    near: Words,
    control: Control,
) -> int:
    """`near_end` of a position whose moves and odd blocks are known. Recursion keeps one signature."""
    if empties <= FEW:
        value, nodes = few(me, opp, rules.full, odd, empties, alpha, rules.squares, rules.sign, rules.prize)
        control[NODES] += nodes
        return value
    control[NODES] += 1
    if empties >= CHECKED and must_end(control):
        return alpha
    if is_empty(legal):
        legal = moves(opp, me, rules.full)
        if is_empty(legal):
            return final_score(2 * count(me) - rules.squares + empties, empties, rules.sign, rules.prize)
        return -search(opp, me, legal, odd, empties, -alpha - 1, rules, near, control)
    key = position_hash(me, opp)
    entry = _recall(near, key)
    if entry != ZERO:
        if lower_in(entry) > alpha:
            return lower_in(entry)
        if upper_in(entry) <= alpha:
            return upper_in(entry)
    most = most_to_win(me, opp, empties, alpha, rules)
    if most <= alpha:
        return most
    ranked = scratch(_ROOM, me)
    number, proven = _ranked(me, opp, legal, odd, move_in(entry), alpha, rules, near, ranked)
    if proven > alpha:
        return proven
    best, best_move = NONE, PASS
    for _ in range(number):
        at = ROWS * _best_left(ranked, number)
        square = int(np.int64(ranked[at, 0] & _SQUARES))
        ranked[at, 0] = ZERO
        theirs, mine, replies = (
            load(ranked, at + THEIRS, me),
            load(ranked, at + MINE, me),
            load(ranked, at + REPLIES, me),
        )
        blocks = with_block_changed(odd, square)
        bound = -max(alpha, best) - 1
        if empties == FEW + 1:
            value, nodes = few(
                theirs, mine, rules.full, blocks, empties - 1, bound, rules.squares, rules.sign, rules.prize
            )
            control[NODES] += nodes
        else:
            value = search(theirs, mine, replies, blocks, empties - 1, bound, rules, near, control)
        value = -value
        if value > best:
            best, best_move = value, square
            if best > alpha:
                break
    if empties >= CHECKED and must_end(control):
        return alpha
    lower = best if best > alpha else -rules.squares
    upper = best if best <= alpha else rules.squares
    _remember(near, key, lower, upper, empties, best_move)
    return best


@kernel
def near_end(
    me: Board, opp: Board, rules: EndgameRules, empties: int, alpha: int, near: Words, control: Control
) -> int:
    """A bound of the exact score: an upper one when at most alpha, otherwise a lower one; nothing once it must end.

    `empties` is at most `NEAR_END`. `near` has a power of two of entries, of these rules alone; about 2^14 stay in the
    processor's cache.
    """
    legal = moves(me, opp, rules.full)
    odd = odd_blocks(without(rules.full, either(me, opp)))
    return search(me, opp, legal, odd, empties, alpha, rules, near, control)
