"""Boards as tuples of 64-bit words: counting, picking squares, legal moves, flips.

The only module that knows the layout. Boards up to 8x8 are one word with 8 squares to a row, boards up to
16x16 four words with 16 to a row; a smaller board sits in the top left corner. Square numbers inside kernels
are bit numbers: `stride * row + column`. Squares outside the board are empty and never legal because every
list of moves is cut by `full`, so all sizes of a layout share one compiled body; a run of discs cannot leave
the board, because it would need a disc out there.

Everything above is generic: `len(board)` is folded by the compiler, and the wrong branch is never compiled.
The plain twins below run interpreted and on CPUs without AVX2, and are what the side-by-side random games are
made of: on single words, LLVM turns a loop over them into the widest vectors there are.
"""

import itertools

import numpy as np

from outflank.kernels import native
from outflank.kernels.jit import INTERPRETED, NATIVE, Board, Word, Words, inlined, spliced

ZERO, ONE, ALL, WORD_BITS = Word(0), Word(1), Word(2**64 - 1), Word(64)
_INNER_OF_8 = Word(0x7E7E7E7E7E7E7E7E)
_INNER_OF_16 = Word(0x7FFE7FFE7FFE7FFE)


def stride(words: int) -> int:
    """Squares from one row to the next in a board of this many words.

    >>> stride(1), stride(4)
    (8, 16)
    """
    return 8 if words == 1 else 16


# --- counting bits ----------------------------------------------------------------------------------------


def _plain_popcount(word: Word) -> int:
    return int(word).bit_count()


def _plain_trailing_zeros(word: Word) -> int:
    return (int(word) & -int(word)).bit_length() - 1 if word else 64


_popcount = _plain_popcount if INTERPRETED else native.popcount
_trailing_zeros = _plain_trailing_zeros if INTERPRETED else native.trailing_zeros


@inlined
def count(board: Board) -> int:
    """Number of discs."""
    if len(board) == 1:
        return _popcount(board[0])
    else:
        return _popcount(board[0]) + _popcount(board[1]) + _popcount(board[2]) + _popcount(board[3])


@inlined
def is_empty(board: Board) -> bool:
    """Whether no square is set."""
    if len(board) == 1:
        return bool(board[0] == ZERO)
    else:
        return bool((board[0] | board[1] | board[2] | board[3]) == ZERO)


# --- sets of squares --------------------------------------------------------------------------------------


@inlined
def both(a: Board, b: Board) -> Board:
    """Squares in a and in b."""
    if len(a) == 1:
        return (a[0] & b[0],)
    else:
        return (a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3])


@inlined
def either(a: Board, b: Board) -> Board:
    """Squares in a or in b."""
    if len(a) == 1:
        return (a[0] | b[0],)
    else:
        return (a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3])


@inlined
def without(a: Board, b: Board) -> Board:
    """Squares in a and not in b."""
    if len(a) == 1:
        return (a[0] & ~b[0],)
    else:
        return (a[0] & ~b[0], a[1] & ~b[1], a[2] & ~b[2], a[3] & ~b[3])


@inlined
def single(square: int, like: Board) -> Board:
    """The set of one square, in the layout of `like`."""
    bit = ONE << Word(square & 63)
    if len(like) == 1:
        return (bit,)
    else:
        word = square >> 6
        return (
            bit if word == 0 else ZERO,
            bit if word == 1 else ZERO,
            bit if word == 2 else ZERO,
            bit if word == 3 else ZERO,
        )


@inlined
def first(board: Board) -> int:
    """The lowest square of a board that is not empty."""
    if len(board) == 1:
        return _trailing_zeros(board[0])
    else:
        if board[0] != ZERO:
            return _trailing_zeros(board[0])
        if board[1] != ZERO:
            return 64 + _trailing_zeros(board[1])
        if board[2] != ZERO:
            return 128 + _trailing_zeros(board[2])
        return 192 + _trailing_zeros(board[3])


@inlined
def without_first(board: Board) -> Board:
    """The board less its lowest square."""
    if len(board) == 1:
        return (board[0] & (board[0] - ONE),)
    else:
        if board[0] != ZERO:
            return (board[0] & (board[0] - ONE), board[1], board[2], board[3])
        if board[1] != ZERO:
            return (board[0], board[1] & (board[1] - ONE), board[2], board[3])
        if board[2] != ZERO:
            return (board[0], board[1], board[2] & (board[2] - ONE), board[3])
        return (board[0], board[1], board[2], board[3] & (board[3] - ONE))


@inlined
def _plain_ranked_bit(word: Word, rank: Word) -> Word:
    for _ in range(rank):
        word &= word - ONE
    return word & (~word + ONE)


@inlined
def _native_ranked_bit(word: Word, rank: Word) -> Word:
    return Word(native.deposit(ONE << rank, word))


ranked_bit = _native_ranked_bit if NATIVE else _plain_ranked_bit
"""The set bit of this rank, counted from 0 at the lowest, of one word."""


@inlined
def ranked(board: Board, rank: Word) -> int:
    """The square of this rank, counted from 0 in rising order; `rank` is below the count."""
    if len(board) == 1:
        return _trailing_zeros(ranked_bit(board[0], rank))
    else:
        after_0 = Word(_popcount(board[0]))
        after_1 = after_0 + Word(_popcount(board[1]))
        after_2 = after_1 + Word(_popcount(board[2]))
        word, skipped, base = board[0], ZERO, 0
        if rank >= after_0:
            word, skipped, base = board[1], after_0, 64
        if rank >= after_1:
            word, skipped, base = board[2], after_1, 128
        if rank >= after_2:
            word, skipped, base = board[3], after_2, 192
        return base + _trailing_zeros(ranked_bit(word, rank - skipped))


@inlined
def row_step(board: Board) -> Word:
    """Bits from a square to the one below it."""
    if len(board) == 1:
        return Word(8)
    else:
        return Word(16)


# --- runs of discs, the plain way -------------------------------------------------------------------------


@inlined
def up(board: Board, step: Word) -> Board:
    """All squares moved by `step` towards rising bits, 0 < step < 64."""
    if len(board) == 1:
        return (board[0] << step,)
    else:
        rest = WORD_BITS - step
        return (
            board[0] << step,
            (board[1] << step) | (board[0] >> rest),
            (board[2] << step) | (board[1] >> rest),
            (board[3] << step) | (board[2] >> rest),
        )


@inlined
def down(board: Board, step: Word) -> Board:
    """All squares moved by `step` towards falling bits, 0 < step < 64."""
    if len(board) == 1:
        return (board[0] >> step,)
    else:
        rest = WORD_BITS - step
        return (
            (board[0] >> step) | (board[1] << rest),
            (board[1] >> step) | (board[2] << rest),
            (board[2] >> step) | (board[3] << rest),
            board[3] >> step,
        )


@inlined
def _inner(board: Board) -> Board:
    """The board less its first and last column: a run that turns discs never passes through them sideways."""
    if len(board) == 1:
        return (board[0] & _INNER_OF_8,)
    else:
        return (board[0] & _INNER_OF_16, board[1] & _INNER_OF_16, board[2] & _INNER_OF_16, board[3] & _INNER_OF_16)


@inlined
def run_up(start: Board, through: Board, step: Word) -> Board:
    """Squares of `through` in unbroken runs that begin one step above `start`: doubling steps 1, 1, 2, 2…"""
    run = both(through, up(start, step))
    run = either(run, both(through, up(run, step)))
    pairs = both(through, up(through, step))
    for _ in range(2 if len(start) == 1 else 6):
        run = either(run, both(pairs, up(run, step + step)))
    return run


@inlined
def run_down(start: Board, through: Board, step: Word) -> Board:
    """The same below `start`."""
    run = both(through, down(start, step))
    run = either(run, both(through, down(run, step)))
    pairs = both(through, down(through, step))
    for _ in range(2 if len(start) == 1 else 6):
        run = either(run, both(pairs, down(run, step + step)))
    return run


@inlined
def _beyond(me: Board, opp: Board, step: Word) -> Board:
    """Squares one step past a run of `opp` that follows `me`, both ways."""
    return either(up(run_up(me, opp, step), step), down(run_down(me, opp, step), step))


@inlined
def _kept(run: Board, end: Board) -> Board:
    """The run if `end` has a disc, otherwise nothing; a choice of masks, so that lanes stay together."""
    keep = ZERO if is_empty(end) else ALL
    if len(run) == 1:
        return (run[0] & keep,)
    else:
        return (run[0] & keep, run[1] & keep, run[2] & keep, run[3] & keep)


@inlined
def _turned(bit: Board, me: Board, opp: Board, step: Word) -> Board:
    """Discs of `opp` between `bit` and a disc of `me`, both ways along one line."""
    above, below = run_up(bit, opp, step), run_down(bit, opp, step)
    return either(_kept(above, both(up(above, step), me)), _kept(below, both(down(below, step), me)))


@inlined
def plain_targets(me: Board, opp: Board) -> Board:
    """Squares, empty or not, that end a run of `opp` beginning beside `me`."""
    row = row_step(me)
    inner = _inner(opp)
    straight = either(_beyond(me, inner, ONE), _beyond(me, opp, row))
    return either(straight, either(_beyond(me, inner, row - ONE), _beyond(me, inner, row + ONE)))


@inlined
def plain_flips(me: Board, opp: Board, bit: Board) -> Board:
    """The discs of `opp` that a move on the one square of `bit` turns; nothing for an empty `bit`."""
    row = row_step(me)
    inner = _inner(opp)
    straight = either(_turned(bit, me, inner, ONE), _turned(bit, me, opp, row))
    return either(straight, either(_turned(bit, me, inner, row - ONE), _turned(bit, me, inner, row + ONE)))


@inlined
def along_edges(board: Board, horizontal: Board, vertical: Board) -> Board:
    """Squares of the edges beside a disc of `board` on the same edge: first and last row, first and last column."""
    row = row_step(board)
    across, upright = both(board, horizontal), both(board, vertical)
    beside = both(horizontal, either(up(across, ONE), down(across, ONE)))
    return either(beside, both(vertical, either(up(upright, row), down(upright, row))))


# --- legal moves and flips --------------------------------------------------------------------------------


@inlined
def plain_moves(me: Board, opp: Board, full: Board) -> Board:
    """Plain twin of `moves`."""
    return both(plain_targets(me, opp), without(full, either(me, opp)))


@inlined
def _native_moves(me: Board, opp: Board, full: Board) -> Board:
    empty = without(full, either(me, opp))
    if len(me) == 1:
        return (native.moves_one_word(me[0], opp[0]) & empty[0],)
    else:
        return both(native.moves_four_words(me, opp), empty)


@inlined
def plain_flips_at(me: Board, opp: Board, square: int) -> Board:
    """Plain twin of `flips`."""
    return plain_flips(me, opp, single(square, me))


@inlined
def _native_flips(me: Board, opp: Board, square: int) -> Board:
    if len(me) == 1:
        return (native.flips_one_word(me[0], opp[0], square, native.RAY_TABLE),)
    else:
        return native.flips_four_words(me, opp, square, native.DIAGONAL_TABLE)  # type: ignore[no-any-return]


@inlined
def _native_targets(me: Board, opp: Board) -> Board:
    if len(me) == 1:
        return (native.moves_one_word(me[0], opp[0]),)
    else:
        return native.moves_four_words(me, opp)  # type: ignore[no-any-return]


targets = _native_targets if NATIVE else plain_targets
"""targets(me, opp): squares that end a run of `opp` beginning beside `me`; what is set where `opp` is means nothing."""

moves = _native_moves if NATIVE else plain_moves
"""moves(me, opp, full): the legal squares of `me`."""

flips = _native_flips if NATIVE else plain_flips_at
"""flips(me, opp, square): the discs of `opp` that a move of `me` on an empty square turns."""


# --- what moves turn --------------------------------------------------------------------------------------

FRONTS = 5
"""The word of `gains` behind the five slices."""


@inlined
def _slide(word: Word, step: int) -> Word:
    return word << Word(step) if step > 0 else word >> Word(-step)


@inlined
def _with_way(known: Board, me: Word, opp: Word, empty: Word, step: int) -> Board:
    """`gains` with what moves turn along one way added: binary addition, all squares at once."""
    ones, twos, fours, reach = ZERO, ZERO, ZERO, _slide(me, step)
    for length in range(1, 7):
        reach = _slide(reach & opp, step)
        ones |= reach & empty if length & 1 else ZERO
        twos |= reach & empty if length & 2 else ZERO
        fours |= reach & empty if length & 4 else ZERO
    carry_0 = known[0] & ones
    carry_1 = (known[1] & twos) | ((known[1] ^ twos) & carry_0)
    carry_2 = (known[2] & fours) | ((known[2] ^ fours) & carry_1)
    return (
        known[0] ^ ones,
        known[1] ^ twos ^ carry_0,
        known[2] ^ fours ^ carry_1,
        known[3] ^ carry_2,
        known[4] ^ (known[3] & carry_2),
        known[5] | _slide(ones | twos | fours, -step),
    )


@inlined
def plain_gains(me: Board, opp: Board, full: Board) -> Board:
    """Plain twin of `gains`."""
    empty, inner = without(full, either(me, opp))[0], _inner(opp)[0]
    known: Board = (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)
    for step in (1, 7, 9, -1, -7, -9):
        known = _with_way(known, me[0], inner, empty, step)
    for step in (8, -8):
        known = _with_way(known, me[0], opp[0], empty, step)
    return known


@inlined
def _native_gains(me: Board, opp: Board, full: Board) -> Board:
    empty = without(full, either(me, opp))
    return native.gains_one_word(me[0], opp[0], empty[0])  # type: ignore[no-any-return]


gains = _native_gains if NATIVE else plain_gains
"""gains(me, opp, full): how many discs every move of `me` turns, on boards of one word.

Six words. Word k of the first five holds bit k of the number of discs that a move on each square turns, 0 where no move
is legal: numbers of all squares at once, added in slices of one bit. The last word, at FRONTS, are the discs of `opp`
beside a legal square of `me` that a move there turns. A move that leaves one of them leaves `me` another move.
"""


@inlined
def gaining(known: Board) -> Board:
    """The legal squares of `gains`."""
    return (known[0] | known[1] | known[2] | known[3] | known[4],)


@inlined
def gain_of(known: Board, square: int) -> int:
    """How many discs a move on this square turns."""
    at = Word(square)
    number = ZERO
    for k in range(5):
        number |= ((known[k] >> at) & ONE) << Word(k)
    return int(np.int64(number))


@spliced
def most_gaining(known: Board, among: Board) -> tuple[Board, int]:
    """(those of some legal squares that turn the most discs, how many)."""
    squares, most = among[0], 0
    for k in range(4, -1, -1):
        some = squares & known[k]
        if some != ZERO:
            squares, most = some, most + (1 << k)
    return (squares,), most


# --- the last empty squares -------------------------------------------------------------------------------


def _neighbours() -> Words:
    """For every square of one word the squares beside it."""
    table = np.zeros(64, np.uint64)
    for square in range(64):
        around = itertools.product(*(range(max(place - 1, 0), min(place + 2, 8)) for place in divmod(square, 8)))
        table[square] = sum(1 << 8 * row + column for row, column in around) - (1 << square)
    return table


_NEIGHBOURS = _neighbours()


@inlined
def flips_or_none(me: Board, opp: Board, square: int) -> Board:
    """`flips`, sooner when no disc of `opp` is beside the square: where most empty squares are no moves."""
    if len(me) == 1:
        return flips(me, opp, square) if _NEIGHBOURS[square] & opp[0] != ZERO else (ZERO,)
    else:
        return flips(me, opp, square)


@inlined
def last_turned(me: Board, opp: Board, square: int) -> int:
    """How many discs `me` turns by a move on the only empty square."""
    if len(me) == 1 and NATIVE:
        turned = ZERO
        for way in range(4):
            line = native.extract(me[0], native.LINE_TABLE[square, way])
            turned += Word(native.TURNED_TABLE[native.PLACE_TABLE[square, way] + line])
        return int(np.int64(turned))
    else:
        return count(flips(me, opp, square))


# --- boards in arrays -------------------------------------------------------------------------------------


@inlined
def load(rows: Words, index: int, like: Board) -> Board:
    """Row `index` of an array of shape [rows, words] as a board in the layout of `like`."""
    if len(like) == 1:
        return (rows[index, 0],)
    else:
        return (rows[index, 0], rows[index, 1], rows[index, 2], rows[index, 3])


def _plain_scratch(rows: int, like: Board) -> Words:
    return np.zeros((rows, len(like)), np.uint64)


scratch = _plain_scratch if INTERPRETED else native.stack_rows
"""scratch(rows, like): an array of shape [rows, words], of no particular content, until the caller returns."""


@inlined
def store(rows: Words, index: int, board: Board) -> None:
    """Writes a board into row `index` of an array of shape [rows, words]."""
    rows[index, 0] = board[0]
    if len(board) > 1:
        rows[index, 1], rows[index, 2], rows[index, 3] = board[1], board[2], board[3]
