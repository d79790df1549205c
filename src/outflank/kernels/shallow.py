"""The last squares of an exact endgame without table and arrays: `few` of them written out, `shallow` by recursion.

Blocks of 4x4 squares stand for regions: who plays into an odd number of empty squares plays last there. On 8x8 they are
the quadrants of Edax, and they need no size on other boards. `few` tries every empty square, those in an odd block
first; `shallow` looks at replies from `FASTEST` empties on, by tiers of sets instead of a sort.

The last flip is counted by tables (4 to 8 % of the time of `near_end`), and the squares beside are looked at before
flips are computed (8 %). Source: Edax (Delorme).
"""

import numpy as np

from outflank.kernels.bitboard import (
    ONE,
    both,
    count,
    either,
    first,
    flips_or_none,
    is_empty,
    last_turned,
    load,
    moves,
    single,
    without,
    without_first,
)
from outflank.kernels.jit import Board, Word, Words, inlined, kernel
from outflank.kernels.rules import after, with_turned

NONE = -1024
"""Less than every score."""
FEW, FASTEST = 4, 6
"""Empties up to which `few` searches, and from which `shallow` looks at replies."""


# --- odd blocks ------------------------------------------------------------------------------------------


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
def with_block_changed(odd: Board, square: int) -> Board:
    """The odd blocks after a disc was set on `square`."""
    if len(odd) == 1:
        return (odd[0] ^ _BLOCKS_OF_8[square, 0],)
    else:
        block = load(_BLOCKS_OF_16, square, odd)
        return (odd[0] ^ block[0], odd[1] ^ block[1], odd[2] ^ block[2], odd[3] ^ block[3])


@inlined
def odd_blocks(empty: Board) -> Board:
    """The blocks that hold an odd number of empty squares."""
    odd = without(empty, empty)
    while not is_empty(empty):
        odd = with_block_changed(odd, first(empty))
        empty = without_first(empty)
    return odd


# --- few squares ------------------------------------------------------------------------------------------


@inlined
def final_score(margin: int, empties: int, sign: int, prize: int) -> int:
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
    turned = last_turned(me, opp, square)
    if turned > 0:
        return sign * (margin + 2 * turned + 1)
    turned = last_turned(opp, me, square)
    if turned > 0:
        return sign * (margin - 2 * turned - 1)
    return final_score(margin, 1, sign, prize)


@inlined
def _two(me: Board, opp: Board, empty: Board, alpha: int, squares: int, sign: int, prize: int) -> tuple[int, int]:
    """(score or a bound on its side of alpha, nodes) with two empty squares left."""
    a, b = first(empty), first(without_first(empty))
    facing, nodes = 1, 1
    while True:
        best = NONE
        turned = flips_or_none(me, opp, a)
        if not is_empty(turned):
            theirs, mine = with_turned(me, opp, turned, single(a, me))
            best = -_one(theirs, mine, b, squares, sign, prize)
            nodes += 1
            if best > alpha:
                return facing * best, nodes
        turned = flips_or_none(me, opp, b)
        if not is_empty(turned):
            theirs, mine = with_turned(me, opp, turned, single(b, me))
            best = max(best, -_one(theirs, mine, a, squares, sign, prize))
            nodes += 1
        if best != NONE:
            return facing * best, nodes
        if facing < 0:
            return facing * final_score(2 * count(me) - squares + 2, 2, sign, prize), nodes
        me, opp, facing, alpha = opp, me, -1, -alpha - 1


@inlined
def _three(
    me: Board, opp: Board, empty: Board, odd: Board, alpha: int, squares: int, sign: int, prize: int
) -> tuple[int, int]:
    """(score or a bound on its side of alpha, nodes) with three empty squares left."""
    facing, nodes = 1, 1
    while True:
        best = NONE
        rest, later = _odd_first(empty, odd)
        while not is_empty(rest):
            square = first(rest)
            rest, later = _next(rest, later)
            turned = flips_or_none(me, opp, square)
            if not is_empty(turned):
                bit = single(square, me)
                theirs, mine = with_turned(me, opp, turned, bit)
                value, done = _two(theirs, mine, without(empty, bit), -max(alpha, best) - 1, squares, sign, prize)
                nodes += done
                best = max(best, -value)
                if best > alpha:
                    return facing * best, nodes
        if best != NONE:
            return facing * best, nodes
        if facing < 0:
            return facing * final_score(2 * count(me) - squares + 3, 3, sign, prize), nodes
        me, opp, facing, alpha = opp, me, -1, -alpha - 1


@inlined
def _four(
    me: Board, opp: Board, empty: Board, odd: Board, alpha: int, squares: int, sign: int, prize: int
) -> tuple[int, int]:
    """(score or a bound on its side of alpha, nodes) with four empty squares left."""
    facing, nodes = 1, 1
    while True:
        best = NONE
        rest, later = _odd_first(empty, odd)
        while not is_empty(rest):
            square = first(rest)
            rest, later = _next(rest, later)
            turned = flips_or_none(me, opp, square)
            if not is_empty(turned):
                bit = single(square, me)
                theirs, mine = with_turned(me, opp, turned, bit)
                blocks = with_block_changed(odd, square)
                value, done = _three(
                    theirs, mine, without(empty, bit), blocks, -max(alpha, best) - 1, squares, sign, prize
                )
                nodes += done
                best = max(best, -value)
                if best > alpha:
                    return facing * best, nodes
        if best != NONE:
            return facing * best, nodes
        if facing < 0:
            return facing * final_score(2 * count(me) - squares + 4, 4, sign, prize), nodes
        me, opp, facing, alpha = opp, me, -1, -alpha - 1


@inlined
def _odd_first(empty: Board, odd: Board) -> tuple[Board, Board]:
    """(the squares to try now, those to try later); the first is not empty while there is any."""
    rest, later = both(empty, odd), without(empty, odd)
    return (later, rest) if is_empty(rest) else (rest, later)


@inlined
def _next(rest: Board, later: Board) -> tuple[Board, Board]:
    """The same less the first square to try."""
    rest = without_first(rest)
    return (later, rest) if is_empty(rest) else (rest, later)


@kernel
def few(
    me: Board, opp: Board, full: Board, odd: Board, empties: int, alpha: int, squares: int, sign: int, prize: int
) -> tuple[int, int]:
    """(a bound of the score, nodes) with at most `FEW` empty squares; `odd` are the blocks with an odd number."""
    empty = without(full, either(me, opp))
    if empties == 4:
        return _four(me, opp, empty, odd, alpha, squares, sign, prize)
    if empties == 3:
        return _three(me, opp, empty, odd, alpha, squares, sign, prize)
    if empties == 2:
        return _two(me, opp, empty, alpha, squares, sign, prize)
    if empties == 1:
        return _one(me, opp, first(empty), squares, sign, prize), 1
    return sign * (2 * count(me) - squares), 1


# --- recursion -------------------------------------------------------------------------------------------


@inlined
def _tiers(me: Board, opp: Board, full: Board, legal: Board) -> tuple[Board, Board, Board, Board]:
    """The moves that leave at most 1, 2, 3 and more replies."""
    none = without(me, me)
    tier_0, tier_1, tier_2, tier_3 = none, none, none, none
    while not is_empty(legal):
        square = first(legal)
        bit = single(square, me)
        legal = without_first(legal)
        theirs, mine = after(me, opp, square)
        replies = count(moves(theirs, mine, full))
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
    if empties <= FEW:
        return few(me, opp, full, odd, empties, alpha, squares, sign, prize)
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
                theirs, mine = after(me, opp, square)
                bound = -max(alpha, best) - 1
                blocks = with_block_changed(odd, square)
                value, done = shallow(theirs, mine, full, blocks, empties - 1, bound, squares, sign, prize)
                nodes += done
                if -value > best:
                    best = -value
                    if best > alpha:
                        return facing * best, nodes
        if best != NONE:
            return facing * best, nodes
        if facing < 0:
            return facing * final_score(2 * count(me) - squares + empties, empties, sign, prize), nodes
        me, opp, facing, alpha = opp, me, -1, -alpha - 1
