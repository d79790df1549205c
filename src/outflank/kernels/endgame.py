"""Exact endgames: alpha-beta to the last square, in slices that resume where they stopped.

One search in three layers, by the number of empty squares:

* **Frames** (more than `SHALLOW`): principal variation search on a stack of our own instead of recursion. The
  stack is the resumable state: `proceed` works for a number of nodes and returns, and the next call goes on at the
  same move of the same node, whatever the table holds. Slices therefore change neither score nor node count.
* **`shallow`** (up to `SHALLOW`): plain recursion with null windows, no table, no arrays. Moves that leave few
  replies come first, by tiers of sets instead of a sort, and within a tier those in an odd block.
* **The last two** squares are written out.

Ordering in the frames is what the speed hangs on. The table's move comes first; then, far from the end, a search of
a few plies with a rough outlook (mobility, frontier, stable discs), nearer to it the fewest replies alone. Blocks
of 4x4 squares stand for regions: who plays into an odd number of empty squares plays last there. On 8x8 they are
the quadrants of Edax, and they need no size on other boards.

Scores are those of the side to move: discs, plus the empty squares for the side with more discs where the prize is
set, times the sign of the variant. A stable disc bounds the score of both conventions.

A table is an array of shape [entries, 2]: 16 bytes an entry, a signature of 64 bits and the packed bounds, move and
empties. Entries stand in pairs: the first keeps what was dearer, the second what came last. Positions near the end
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

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import (
    ONE,
    ZERO,
    both,
    count,
    down,
    either,
    first,
    flips,
    is_empty,
    load,
    moves,
    row_step,
    run_down,
    run_up,
    single,
    store,
    up,
    without,
    without_first,
)
from outflank.kernels.jit import Board, Word, Words, inlined, kernel

Integers = npt.NDArray[np.int64]

PASS = 511
"""The pass, and no move, among the moves of frames and of the table."""
NONE = -1024
"""Less than every score."""

SHALLOW, FASTEST = 6, 6
"""Empties up to which `shallow` searches, and from which it looks at replies."""
NEAR, NEAR_ENTRIES = 9, 1 << 14
"""Empties up to which a position is confined to the first entries of the table."""
CUTOFFS = 12
"""Empties from which the replies are looked up in the table before they are searched."""
OUTLOOK, OUTLOOK_STEP, OUTLOOK_PLIES = 12, 2, 4
"""Empties from which moves are ordered by outlook, empties to a ply more, and the most plies."""
HOPELESS = 40
"""Empties beyond which no search ends, and one ply of outlook must do so that a time limit is kept."""

ALPHA, BETA, BEST, BEST_MOVE, NEXT, COUNT, WIDE, EMPTIES, MOVES = range(9)
"""Columns of a frame: window, best score and move so far, index of the move in hand, number of moves (or
UNOPENED), whether the move in hand is searched again with the whole window; the moves begin at MOVES."""
FRAME = MOVES + 256
UNOPENED, WAITING = -1, -2048

PLY, VALUE, MOVE, NODES = range(4)
"""Cells of the state: ply of the frame in hand (-1 when the search is finished), score, move, nodes done."""


class Game(NamedTuple):
    """What is being played for, on which board."""

    full: Board
    sides: Board
    """First and last column."""
    ends: Board
    """First and last row."""
    squares: int
    sign: int
    """+1 when more discs win, -1 when fewer."""
    prize: int
    """1 when the empty squares go to the side with more discs, else 0."""


# --- the last squares -------------------------------------------------------------------------------------


@inlined
def _final(margin: int, empties: int, sign: int, prize: int) -> int:
    """The score of a finished game."""
    if margin > 0:
        return sign * (margin + prize * empties)
    if margin < 0:
        return sign * (margin - prize * empties)
    return 0


@inlined
def _one(me: Board, opp: Board, square: int, squares: int, sign: int, prize: int) -> int:
    """The score with one empty square left."""
    margin = 2 * count(me) - squares + 1
    turned = count(flips(me, opp, square))
    if turned > 0:
        return sign * (margin + 2 * turned + 1)
    turned = count(flips(opp, me, square))
    if turned > 0:
        return sign * (margin - 2 * turned - 1)
    return _final(margin, 1, sign, prize)


@inlined
def _two(me: Board, opp: Board, a: int, b: int, alpha: int, squares: int, sign: int, prize: int) -> tuple[int, int]:
    """(score or a bound on its side of alpha, nodes) with two empty squares left."""
    facing, nodes = 1, 1
    while True:
        best = NONE
        turned = flips(me, opp, a)
        if not is_empty(turned):
            mine = either(either(me, turned), single(a, me))
            best = -_one(without(opp, turned), mine, b, squares, sign, prize)
            nodes += 1
            if best > alpha:
                return facing * best, nodes
        turned = flips(me, opp, b)
        if not is_empty(turned):
            mine = either(either(me, turned), single(b, me))
            best = max(best, -_one(without(opp, turned), mine, a, squares, sign, prize))
            nodes += 1
        if best != NONE:
            return facing * best, nodes
        if facing < 0:
            return facing * _final(2 * count(me) - squares + 2, 2, sign, prize), nodes
        me, opp, facing, alpha = opp, me, -1, -alpha - 1


# --- few squares: recursion without a table ---------------------------------------------------------------


def _block_table(words: int, stride: int) -> Words:
    """For every square its block of 4x4 squares."""
    table = np.zeros((64 * words, words), np.uint64)
    for square in range(64 * words):
        corner = square // stride // 4 * 4 * stride + square % stride // 4 * 4
        for bit in (corner + row * stride + column for row in range(4) for column in range(4)):
            table[square, bit >> 6] |= ONE << Word(bit & 63)
    return table


_BLOCKS_OF_8, _BLOCKS_OF_16 = _block_table(1, 8), _block_table(4, 16)


@inlined
def _with_block_changed(odd: Board, square: int) -> Board:
    """The odd blocks after a disc was set on `square`."""
    if len(odd) == 1:
        return (odd[0] ^ _BLOCKS_OF_8[square, 0],)
    else:
        block = load(_BLOCKS_OF_16, square, odd)
        return (odd[0] ^ block[0], odd[1] ^ block[1], odd[2] ^ block[2], odd[3] ^ block[3])


@inlined
def _odd_blocks(empty: Board) -> Board:
    """The blocks that hold an odd number of empty squares."""
    odd = without(empty, empty)
    while not is_empty(empty):
        odd = _with_block_changed(odd, first(empty))
        empty = without_first(empty)
    return odd


@inlined
def _tiers(me: Board, opp: Board, full: Board, legal: Board) -> tuple[Board, Board, Board, Board]:
    """The moves that leave at most 1, 2, 3 and more replies."""
    none = without(me, me)
    tier_0, tier_1, tier_2, tier_3 = none, none, none, none
    while not is_empty(legal):
        square = first(legal)
        bit = single(square, me)
        legal = without_first(legal)
        turned = flips(me, opp, square)
        replies = count(moves(without(opp, turned), either(either(me, turned), bit), full))
        if replies <= 1:
            tier_0 = either(tier_0, bit)
        elif replies == 2:
            tier_1 = either(tier_1, bit)
        elif replies == 3:
            tier_2 = either(tier_2, bit)
        else:
            tier_3 = either(tier_3, bit)
    return tier_0, tier_1, tier_2, tier_3


@kernel
def shallow(
    me: Board, opp: Board, full: Board, odd: Board, empties: int, alpha: int, squares: int, sign: int, prize: int
) -> tuple[int, int]:
    """(a bound of the score, nodes): an upper bound when it is at most `alpha`, otherwise a lower one.

    `odd` are the blocks with an odd number of empty squares. Recursion keeps one signature.
    """
    empty = without(full, either(me, opp))
    if empties <= 2:
        if empties == 2:
            return _two(me, opp, first(empty), first(without_first(empty)), alpha, squares, sign, prize)
        if empties == 1:
            return _one(me, opp, first(empty), squares, sign, prize), 1
        return sign * (2 * count(me) - squares), 1
    facing, nodes, none = 1, 1, without(me, me)
    while True:
        best, groups = NONE, 2
        tier_0, tier_1, tier_2, tier_3 = moves(me, opp, full), none, none, none
        if empties >= FASTEST:
            groups = 8
            tier_0, tier_1, tier_2, tier_3 = _tiers(me, opp, full, tier_0)
        for group in range(groups):
            tier = tier_0 if group < 2 else tier_1 if group < 4 else tier_2 if group < 6 else tier_3
            rest = both(tier, odd) if group & 1 == 0 else without(tier, odd)
            while not is_empty(rest):
                square = first(rest)
                rest = without_first(rest)
                turned = flips(me, opp, square)
                mine, theirs = either(either(me, turned), single(square, me)), without(opp, turned)
                bound = -max(alpha, best) - 1
                if empties == 3:  # saves the call
                    others = without(empty, single(square, me))
                    a, b = first(others), first(without_first(others))
                    value, done = _two(theirs, mine, a, b, bound, squares, sign, prize)
                else:
                    after = _with_block_changed(odd, square)
                    value, done = shallow(theirs, mine, full, after, empties - 1, bound, squares, sign, prize)
                nodes += done
                if -value > best:
                    best = -value
                    if best > alpha:
                        return facing * best, nodes
        if best != NONE:
            return facing * best, nodes
        if facing < 0:
            return facing * _final(2 * count(me) - squares + empties, empties, sign, prize), nodes
        me, opp, facing, alpha = opp, me, -1, -alpha - 1


# --- the table --------------------------------------------------------------------------------------------

_SEED, _FACTOR, _LAST_FACTOR = Word(0xBF58476D1CE4E5B9), Word(0x9E3779B97F4A7C15), Word(0x94D049BB133111EB)
_R10, _R20, _R29, _R32 = Word(10), Word(20), Word(29), Word(32)
_TEN_BITS, _NINE_BITS, _BIAS = Word(1023), Word(511), 512


@inlined
def _fold(key: Word, word: Word) -> Word:
    key = (key ^ word) * _FACTOR
    return key ^ (key >> _R32)


@inlined
def _signature(me: Board, opp: Board) -> Word:
    """64 bits that stand for a position; a search with 10^9 look-ups takes one for another with probability 10^-10."""
    key = _fold(_fold(_SEED, me[0]), opp[0])
    if len(me) > 1:
        key = _fold(_fold(_fold(_fold(_fold(_fold(key, me[1]), opp[1]), me[2]), opp[2]), me[3]), opp[3])
    key = (key ^ (key >> _R29)) * _LAST_FACTOR
    return key ^ (key >> _R32)


@inlined
def _slot(table: Words, key: Word, empties: int) -> int:
    """The first of the two entries where a position may stand."""
    entries = len(table) if empties > NEAR else min(len(table), NEAR_ENTRIES)
    return int(np.int64(key & Word(entries - 2)))


@inlined
def _find(table: Words, key: Word, empties: int) -> Word:
    """What the table knows of a position, packed; 0 for nothing."""
    at = _slot(table, key, empties)
    if table[at, 0] == key:
        return Word(table[at, 1])
    if table[at + 1, 0] == key:
        return Word(table[at + 1, 1])
    return ZERO


@inlined
def _lower(entry: Word) -> int:
    return int(np.int64(entry & _TEN_BITS)) - _BIAS


@inlined
def _upper(entry: Word) -> int:
    return int(np.int64((entry >> _R10) & _TEN_BITS)) - _BIAS


@inlined
def _remember(table: Words, key: Word, lower: int, upper: int, move: int, empties: int) -> None:
    """Stores bounds of a position, or tightens those that are there."""
    at = _slot(table, key, empties)
    if table[at, 0] != key and table[at + 1, 0] == key:
        at += 1
    if table[at, 0] == key:
        lower, upper = max(lower, _lower(table[at, 1])), min(upper, _upper(table[at, 1]))
    elif empties <= NEAR:
        table[at + 1, 0], table[at + 1, 1] = table[at, 0], table[at, 1]
    elif np.int64(table[at, 1] >> _R29) > empties:
        at += 1
    bounds = Word(lower + _BIAS) | (Word(upper + _BIAS) << _R10)
    table[at, 0] = key
    table[at, 1] = bounds | (Word(move) << _R20) | (Word(empties) << _R29)


# --- stable discs -----------------------------------------------------------------------------------------


@inlined
def _open_line(empty: Board, through: Board, step: Word) -> Board:
    """Squares of `through` with an empty square on their line along `step`."""
    return either(run_up(empty, through, step), run_down(empty, through, step))


@inlined
def _safe_lines(empty: Board, game: Game) -> tuple[Board, Board, Board, Board]:
    """For the four lines, the squares where no disc can be turned along them: full lines and the edges.

    Runs go through inner squares alone, because an edge is safe whatever the line holds; so a run that wraps round
    the end of a row stops there.
    """
    row = row_step(empty)
    across, upright = without(game.full, game.sides), without(game.full, game.ends)
    inner = both(across, upright)
    return (
        without(game.full, _open_line(empty, across, ONE)),
        without(game.full, _open_line(empty, upright, row)),
        without(game.full, _open_line(empty, inner, row + ONE)),
        without(game.full, _open_line(empty, inner, row - ONE)),
    )


@inlined
def _beside(board: Board, step: Word) -> Board:
    return either(up(board, step), down(board, step))


@inlined
def _stable(of: Board, safe: tuple[Board, Board, Board, Board]) -> Board:
    """Discs that can never be turned: along each line safe or beside a stable disc of the same side."""
    row = row_step(of)
    stable = both(of, both(both(safe[0], safe[1]), both(safe[2], safe[3])))
    while True:
        straight = both(either(safe[0], _beside(stable, ONE)), either(safe[1], _beside(stable, row)))
        slanted = both(either(safe[2], _beside(stable, row + ONE)), either(safe[3], _beside(stable, row - ONE)))
        more = without(both(of, both(straight, slanted)), stable)
        if is_empty(more):
            return stable
        stable = either(stable, more)


@kernel
def stability(me: Board, opp: Board, game: Game) -> tuple[int, int]:
    """Numbers of discs of `me` and of `opp` that can never be turned: a lower bound of the truth."""
    safe = _safe_lines(without(game.full, either(me, opp)), game)
    return count(_stable(me, safe)), count(_stable(opp, safe))


# --- ordering ---------------------------------------------------------------------------------------------


@inlined
def _frontier(of: Board, empty: Board, game: Game) -> int:
    """Number of empty squares beside discs that could be turned from there."""
    row = row_step(of)
    across, upright = without(of, game.sides), without(of, game.ends)
    inner = both(across, upright)
    straight = either(_beside(across, ONE), _beside(upright, row))
    return count(both(empty, either(straight, either(_beside(inner, row - ONE), _beside(inner, row + ONE)))))


@inlined
def _outlook(me: Board, opp: Board, legal: Board, game: Game) -> int:
    """A rough worth of a position to `me`, who is to move: moves, frontier and stable discs against theirs."""
    empty = without(game.full, either(me, opp))
    mine, theirs = stability(me, opp, game)
    corners, replies = both(game.sides, game.ends), moves(opp, me, game.full)
    mobility = count(legal) + count(both(legal, corners)) - count(replies) - count(both(replies, corners))
    frontier = _frontier(opp, empty, game) - _frontier(me, empty, game)
    return 8 * mobility + 4 * frontier + 8 * game.sign * (mine - theirs)


_FAR = 1 << 20
_MARGIN = 40


@kernel
def estimate(me: Board, opp: Board, game: Game, plies: int, alpha: int, beta: int) -> tuple[int, int]:
    """(the outlook after some plies of alpha-beta, nodes). Recursion keeps one signature."""
    legal = moves(me, opp, game.full)
    if plies == 0:
        return _outlook(me, opp, legal, game), 1
    if is_empty(legal):
        if is_empty(moves(opp, me, game.full)):
            return game.sign * 1000 * (count(me) - count(opp)), 1
        value, nodes = estimate(opp, me, game, plies - 1, -beta, -alpha)
        return -value, nodes
    best, nodes = -_FAR, 1
    while best < beta and not is_empty(legal):
        square = first(legal)
        legal = without_first(legal)
        turned = flips(me, opp, square)
        mine, theirs = either(either(me, turned), single(square, me)), without(opp, turned)
        value, done = estimate(theirs, mine, game, plies - 1, -beta, -max(alpha, best))
        nodes += done
        best = max(best, -value)
    return best, nodes


@inlined
def _expand(boards: Words, frames: Integers, table: Words, ply: int, game: Game) -> tuple[int, int]:
    """(WAITING, nodes) when the frame has its moves now, the best first; or a score that an entry of a reply proves."""
    me, opp = load(boards, 2 * ply, game.full), load(boards, 2 * ply + 1, game.full)
    empty, legal = without(game.full, either(me, opp)), moves(me, opp, game.full)
    odd, empties, hint = _odd_blocks(empty), frames[ply, EMPTIES], frames[ply, BEST_MOVE]
    lowest = int(np.int64(-_FAR))  # not a literal: cached recursion that meets one crashes in the next process
    number, nodes, window = 0, 1, lowest
    plies = min((empties - OUTLOOK) // OUTLOOK_STEP, OUTLOOK_PLIES) if empties <= HOPELESS else 1
    while not is_empty(legal):
        square = first(legal)
        bit = single(square, me)
        legal = without_first(legal)
        turned = flips(me, opp, square)
        mine, theirs = either(either(me, turned), bit), without(opp, turned)
        if empties >= CUTOFFS and ply > 0:
            entry = _find(table, _signature(theirs, mine), empties - 1)
            if entry != ZERO and -_upper(entry) >= frames[ply, BETA]:
                return -_upper(entry), nodes
        promise = _FAR * _FAR
        replies = moves(theirs, mine, game.full)
        if square != hint and empties >= OUTLOOK:
            value, done = estimate(theirs, mine, game, plies, lowest, -window)
            nodes += done
            window = max(window, -value - _MARGIN)
            promise = -16 * value - 96 * count(replies)
        elif square != hint:
            corners = both(game.sides, game.ends)
            promise = -32 * (count(replies) + count(both(replies, corners))) - 4 * _frontier(mine, empty, game)
            promise += 16 * game.sign * count(both(mine, corners)) + 2 * count(both(odd, bit))
        at, item = MOVES + number, promise * 512 + square
        while at > MOVES and frames[ply, at - 1] < item:
            frames[ply, at] = frames[ply, at - 1]
            at -= 1
        frames[ply, at] = item
        number += 1
    if number == 0:
        number, frames[ply, MOVES] = 1, PASS
    frames[ply, COUNT], frames[ply, NEXT], frames[ply, WIDE] = number, 0, 0
    frames[ply, BEST], frames[ply, BEST_MOVE] = NONE, PASS
    return WAITING, nodes


# --- the frames -------------------------------------------------------------------------------------------


@inlined
def _settle(boards: Words, frames: Integers, table: Words, ply: int, game: Game) -> tuple[int, int]:
    """(score inside the window or bound outside, nodes); (WAITING, 0) when moves must be searched.

    The root is never settled while it has a move, so that a search ends with one.
    """
    me, opp = load(boards, 2 * ply, game.full), load(boards, 2 * ply + 1, game.full)
    alpha, beta = frames[ply, ALPHA], frames[ply, BETA]
    empty = without(game.full, either(me, opp))
    empties = count(empty)
    frames[ply, EMPTIES], frames[ply, BEST_MOVE] = empties, PASS
    if empties <= SHALLOW and ply > 0:
        odd, squares, sign, prize = _odd_blocks(empty), game.squares, game.sign, game.prize
        value, nodes = shallow(me, opp, game.full, odd, empties, alpha, squares, sign, prize)
        while alpha < value < beta:  # null windows climb to the score
            alpha = value
            value, done = shallow(me, opp, game.full, odd, empties, alpha, squares, sign, prize)
            value, nodes = max(value, alpha), nodes + done
        return value, nodes
    if is_empty(moves(me, opp, game.full)) and is_empty(moves(opp, me, game.full)):
        return _final(2 * count(me) - game.squares + empties, empties, game.sign, game.prize), 1
    entry = _find(table, _signature(me, opp), empties)
    if entry != ZERO:
        lower, upper = _lower(entry), _upper(entry)
        frames[ply, BEST_MOVE] = np.int64((entry >> _R20) & _NINE_BITS)
        if ply > 0 and (lower >= beta or lower == upper):
            return lower, 1
        if ply > 0 and upper <= alpha:
            return upper, 1
    if alpha >= empties and ply > 0:
        mine, theirs = stability(me, opp, game)
        most = game.squares - 2 * (theirs if game.sign > 0 else mine)
        if most <= alpha:
            return most, 1
    return WAITING, 0


@inlined
def _descend(boards: Words, frames: Integers, ply: int, game: Game) -> None:
    """Plays the move in hand into an unopened frame above: with the whole window if first or again, else a null one."""
    me, opp = load(boards, 2 * ply, game.full), load(boards, 2 * ply + 1, game.full)
    at = frames[ply, NEXT]
    low = max(frames[ply, ALPHA], frames[ply, BEST])
    high = frames[ply, BETA] if at == 0 or frames[ply, WIDE] == 1 else low + 1
    square = frames[ply, MOVES + at] & 511
    if square != PASS:
        turned = flips(me, opp, square)
        me, opp = either(either(me, turned), single(square, me)), without(opp, turned)
    store(boards, 2 * ply + 2, opp)
    store(boards, 2 * ply + 3, me)
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
        frames[ply, BEST], frames[ply, BEST_MOVE] = value, frames[ply, MOVES + at] & 511


@inlined
def _close(boards: Words, frames: Integers, table: Words, ply: int, game: Game) -> int:
    """The score or bound of a frame that is done, which the table now knows."""
    best = int(frames[ply, BEST])
    lower = best if best > frames[ply, ALPHA] else -game.squares
    upper = best if best < frames[ply, BETA] else game.squares
    key = _signature(load(boards, 2 * ply, game.full), load(boards, 2 * ply + 1, game.full))
    _remember(table, key, lower, upper, frames[ply, BEST_MOVE], frames[ply, EMPTIES])
    return best


@kernel
def proceed(boards: Words, frames: Integers, table: Words, state: Integers, game: Game, budget: int) -> None:
    """Works on a search for about `budget` nodes; it is finished when `state[PLY]` is -1.

    A search begins with `state[PLY]` 0 and frame 0 unopened, its window set, its boards in rows 0 (side to
    move) and 1. It ends with the score in `state[VALUE]`, a bound if outside the window, and the first best move in
    `state[MOVE]`. `boards` is of shape [2 * plies, words], `frames` [plies, FRAME], with room for twice the empties
    and 2; the length of the table is a power of two, 2 at least.
    """
    ply, nodes = state[PLY], 0
    while nodes < budget and ply >= 0:
        value = WAITING
        if frames[ply, COUNT] == UNOPENED:
            value, done = _settle(boards, frames, table, ply, game)
            nodes += done
            if value == WAITING:
                value, done = _expand(boards, frames, table, ply, game)
                nodes += done
        elif frames[ply, BEST] >= frames[ply, BETA] or frames[ply, NEXT] == frames[ply, COUNT]:
            value = _close(boards, frames, table, ply, game)
        else:
            _descend(boards, frames, ply, game)
            ply += 1
        if value != WAITING:
            ply -= 1
            if ply >= 0:
                _take(frames, ply, -value)
            else:
                state[VALUE], state[MOVE] = value, frames[0, BEST_MOVE]
    state[PLY] = ply
    state[NODES] += nodes
