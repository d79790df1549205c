"""Machine instructions that Python cannot say, as LLVM code that numba pastes into its callers.

Four groups. Bit counting exists on every CPU. `deposit` (BMI2) finds the n-th set bit at once. `CONVOLVE` is the inner
loop of networks (`kernels/network.py`). The rest are vector forms of legal moves and flips, written once as LLVM
vectors; `bitboard` holds a plain twin of each with the same contract, uses it on CPUs without AVX2 and interpreted,
and the tests compare the two.

**One word** (8x8 and smaller). Four rays in the lanes of a `<4 x i64>`, shifted by 1, 8, 7 and 9 squares.
Legal moves fill runs of opposing discs by doubling steps 1, 1, 2, 2. Flips look rays up in a table: the
nearest square on a ray that is not opposing ends the run, and one bit trick isolates it. Random games are such moves
and flips in one loop, whose boards never leave the vectors.

**Four words** (up to 16x16). A row is an `i16`, the board a `<16 x i16>` in one 256-bit register: columns move
by lane shifts, rows by shuffles. Along a row an addition carries through a whole run, eastwards directly and
westwards on the bit-reversed row; the other six directions fill by doubling. For flips, comparing every row
with the mask of a line gathers that line into 16 bits, where the scalar bit trick turns its discs.

Tried without gain on an AMD EPYC (Zen 4): eight rays by rotation in a 512-bit register (perft equal, games
11 % slower); both halves of a 16x16 board mirrored into one 512-bit register (14 % slower than two passes).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from outflank.kernels.jit import cpu_has

I1, I16, I32, I64 = (ir.IntType(bits) for bits in (1, 16, 32, 64))
RAYS = ir.VectorType(I64, 4)
ROWS = ir.VectorType(I16, 16)
FOUR_WORDS = types.UniTuple(types.uint64, 4)

Builder = Any  # llvmlite is untyped; these aliases tell the reader what is meant
Value = Any


# --- small vocabulary -------------------------------------------------------------------------------------


def _constant(kind: Any, numbers: Sequence[int]) -> Value:
    mask = (1 << kind.element.width) - 1
    return ir.Constant(kind, [number & mask for number in numbers])


def _all(kind: Any, number: int) -> Value:
    return _constant(kind, [number] * kind.count)


def _int(kind: Any, number: int) -> Value:
    return ir.Constant(kind, number & ((1 << kind.width) - 1))


def _lanes(numbers: Sequence[int]) -> Value:
    """A shuffle: result lane i takes lane numbers[i] of both operands laid end to end."""
    return ir.Constant(ir.VectorType(I32, len(numbers)), list(numbers))


def _call(builder: Builder, name: str, result: Any, args: Sequence[Value]) -> Value:
    kind = ir.FunctionType(result, [arg.type for arg in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


def _splat(builder: Builder, kind: Any, scalar: Value) -> Value:
    undefined = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(undefined, scalar, _int(I32, 0))
    return builder.shuffle_vector(first, undefined, _lanes([0] * kind.count))


def _any_lane(builder: Builder, vector: Value) -> Value:
    """The lanes or-ed together. llvmlite cannot derive the vector name, so it is spelled out."""
    return _call(builder, "llvm.vector.reduce.or.v4i64", I64, [vector])


def _load(context: Any, builder: Builder, array_type: Any, array: Value, kind: Any, index: Value) -> Value:
    """The index-th vector of this kind in a contiguous array."""
    data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
    pointer = builder.gep(builder.bitcast(data, kind.as_pointer()), [index])
    return builder.load(pointer, align=8)


# --- bit counting -----------------------------------------------------------------------------------------


@intrinsic  # type: ignore[untyped-decorator]
def popcount(typing: Any, word: Any) -> Any:
    """Number of set bits, as int64."""
    return types.int64(types.uint64), lambda context, builder, sig, args: builder.ctpop(args[0])


@intrinsic  # type: ignore[untyped-decorator]
def trailing_zeros(typing: Any, word: Any) -> Any:
    """Index of the lowest set bit, as int64; 64 for an empty word."""
    return types.int64(types.uint64), lambda context, builder, sig, args: builder.cttz(args[0], _int(I1, 0))


@intrinsic  # type: ignore[untyped-decorator]
def deposit(typing: Any, bits: Any, mask: Any) -> Any:
    """The low bits laid onto the set squares of the mask, lowest first (BMI2 pdep)."""

    def code(context: Any, builder: Builder, sig: Any, args: Any) -> Value:
        return _call(builder, "llvm.x86.bmi.pdep.64", I64, args)

    return types.uint64(types.uint64, types.uint64), code


@intrinsic  # type: ignore[untyped-decorator]
def extract(typing: Any, word: Any, mask: Any) -> Any:
    """The bits of the word on the set squares of the mask, side by side from the lowest on (BMI2 pext)."""

    def code(context: Any, builder: Builder, sig: Any, args: Any) -> Value:
        return _call(builder, "llvm.x86.bmi.pext.64", I64, args)

    return types.uint64(types.uint64, types.uint64), code


# --- memory -----------------------------------------------------------------------------------------------


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def stack_rows(typing: Any, rows: Any, like: Any) -> Any:
    """An array of shape [rows, words of the board `like`] on the stack, filled with anything, until the caller returns.

    `rows` is a literal.
    """
    number, words = rows.literal_value, len(like)
    array_type = types.Array(types.uint64, 2, "C")

    def code(context: Any, builder: Builder, sig: Any, args: Any) -> Value:
        with builder.goto_entry_block():  # once a call, however often the place is passed
            data = builder.alloca(I64, number * words)
        array = context.make_array(array_type)(context, builder)
        shape, strides = [_int(I64, number), _int(I64, words)], [_int(I64, 8 * words), _int(I64, 8)]
        populate_array(array, data, shape, strides, _int(I64, 8), None)
        return array._getvalue()

    return array_type(rows, like), code


# --- one word: 8x8 and smaller ----------------------------------------------------------------------------

_STEPS = (1, 8, 7, 9)
_INNER_COLUMNS = 0x7E7E7E7E7E7E7E7E
_NO_WRAP = (_INNER_COLUMNS, -1, _INNER_COLUMNS, _INNER_COLUMNS)


def _targets(builder: Builder, own: Value, opposing: Value) -> Value:
    """In four lanes, squares that end a run of `opposing` beginning beside `own`; both stand in every lane."""
    opposing = builder.and_(opposing, _constant(RAYS, _NO_WRAP))
    once, twice = _constant(RAYS, _STEPS), _constant(RAYS, [2 * step for step in _STEPS])
    found = []
    for shift in (builder.shl, builder.lshr):
        run = builder.and_(opposing, shift(own, once))
        run = builder.or_(run, builder.and_(opposing, shift(run, once)))
        pairs = builder.and_(opposing, shift(opposing, once))
        run = builder.or_(run, builder.and_(pairs, shift(run, twice)))
        run = builder.or_(run, builder.and_(pairs, shift(run, twice)))
        found.append(shift(run, once))
    return builder.or_(*found)


@intrinsic  # type: ignore[untyped-decorator]
def moves_one_word(typing: Any, me: Any, opp: Any) -> Any:
    """Squares, empty or not, that end a run of `opp` beginning beside `me`."""

    def code(context: Any, builder: Builder, sig: Any, args: Any) -> Value:
        own, opposing = (_splat(builder, RAYS, arg) for arg in args)
        return _any_lane(builder, _targets(builder, own, opposing))

    return types.uint64(types.uint64, types.uint64), code


WAYS = ir.VectorType(I64, 8)
_WAYS = (1, 9, 8, 7, 63, 55, 56, 57)
"""What a word is rotated by to go one step: four rising ways, then the same ones back."""
_NOT_FIRST_ROW, _NOT_LAST_ROW = ~0xFF, ~(0xFF << 56)
_NO_ROW_WRAP = (-1, *(_NOT_FIRST_ROW,) * 3, -1, *(_NOT_LAST_ROW,) * 3)
_NO_COLUMN_WRAP = (_INNER_COLUMNS, _INNER_COLUMNS, -1, _INNER_COLUMNS) * 2


def _halves(builder: Builder, vector: Value) -> tuple[Value, Value]:
    """The lower and the upper half of the lanes."""
    half = vector.type.count // 2
    lanes = [_lanes(range(half)), _lanes(range(half, 2 * half))]
    low, high = (builder.shuffle_vector(vector, vector, part) for part in lanes)
    return low, high


def _sum_of_lanes(builder: Builder, slices: list[Value], most: int) -> list[Value]:
    """The numbers of all lanes added up, in at most `most` slices; slice k holds bit k of a number for every square."""
    while slices[0].type.count > 1:
        carry, added = None, []
        for low, high in (_halves(builder, part) for part in slices):
            either, both = builder.xor(low, high), builder.and_(low, high)
            added.append(either if carry is None else builder.xor(either, carry))
            carry = both if carry is None else builder.or_(both, builder.and_(either, carry))
        slices = [*added, carry][:most]
    return [builder.extract_element(part, _int(I32, 0)) for part in slices]


@intrinsic  # type: ignore[untyped-decorator]
def gains_one_word(typing: Any, me: Any, opp: Any, empty: Any) -> Any:
    """What every move of `me` turns, see `bitboard.gains`; `empty` are the squares that may be played."""

    def code(context: Any, builder: Builder, sig: Any, args: Any) -> Value:
        own, free = _splat(builder, WAYS, args[0]), _splat(builder, WAYS, args[2])
        opposing = builder.and_(
            _splat(builder, WAYS, args[1]),
            _constant(WAYS, [a & b for a, b in zip(_NO_ROW_WRAP, _NO_COLUMN_WRAP, strict=True)]),
        )
        free = builder.and_(free, _constant(WAYS, _NO_ROW_WRAP))

        def step(vector: Value, ways: Sequence[int] = _WAYS) -> Value:
            return _call(builder, "llvm.fshl.v8i64", WAYS, [vector, vector, _constant(WAYS, ways)])

        behind, reach = [], step(own)
        for _ in range(6):
            reach = step(builder.and_(opposing, reach))
            behind.append(reach)
        slices = []
        for bit in range(3):
            first, *others = (squares for length, squares in enumerate(behind, start=1) if length >> bit & 1)
            for squares in others:
                first = builder.or_(first, squares)
            slices.append(builder.and_(first, free))
        ends = builder.or_(builder.or_(slices[0], slices[1]), slices[2])
        fronts = step(ends, [64 - way for way in _WAYS])
        words = [
            *_sum_of_lanes(builder, slices, 5),
            _call(builder, "llvm.vector.reduce.or.v8i64", I64, [fronts]),
        ]
        return context.make_tuple(builder, sig.return_type, words)

    return types.UniTuple(types.uint64, 6)(types.uint64, types.uint64, types.uint64), code


def _ray(square: int, rows: int, columns: int) -> int:
    row, column = divmod(square, 8)
    mask = 0
    while 0 <= row + rows < 8 and 0 <= column + columns < 8:
        row, column = row + rows, column + columns
        mask |= 1 << (8 * row + column)
    return mask


_RISING = ((0, 1), (1, 0), (1, -1), (1, 1))
RAY_TABLE = np.array(
    [[_ray(square, s * r, s * c) for s in (1, -1) for r, c in _RISING] for square in range(64)], np.uint64
)
"""Shape [64 squares, 8 rays]: the squares beyond each square, first the rays of rising bits."""


def _turned(builder: Builder, own: Value, others: Value, rising: Value, falling: Value) -> Value:
    """In four lanes, the discs turned along rays; `own`, and `others`, what is not opposing, stand in every lane."""
    zero = _all(RAYS, 0)
    # Rising: the lowest stop that is own, minus one, is the run below it.
    stops = builder.and_(others, rising)
    anchor = builder.and_(builder.and_(stops, builder.sub(zero, stops)), own)
    found = builder.sext(builder.icmp_unsigned("!=", anchor, zero), RAYS)
    upward = builder.and_(builder.add(anchor, found), rising)

    # Falling: the highest stop that is own; the run is all of the ray above it. Square 0 stops what nothing stops.
    stops = builder.or_(builder.and_(others, falling), _all(RAYS, 1))
    zeros = _call(builder, "llvm.ctlz.v4i64", RAYS, [stops, _int(I1, 1)])
    top = builder.lshr(_all(RAYS, 1 << 63), zeros)
    anchor = builder.and_(top, builder.and_(own, falling))
    downward = builder.and_(builder.sub(zero, builder.shl(anchor, _all(RAYS, 1))), falling)
    return builder.or_(upward, downward)


def _rays(context: Any, builder: Builder, array_type: Any, rays: Value, square: Value) -> tuple[Value, Value]:
    """The rays of rising and of falling bits of a square, from RAY_TABLE."""
    index = builder.mul(square, _int(I64, 2))
    rising = _load(context, builder, array_type, rays, RAYS, index)
    return rising, _load(context, builder, array_type, rays, RAYS, builder.add(index, _int(I64, 1)))


@intrinsic  # type: ignore[untyped-decorator]
def flips_one_word(typing: Any, me: Any, opp: Any, square: Any, rays: Any) -> Any:
    """The discs of `opp` that a move on `square` turns. `rays` is RAY_TABLE."""

    def code(context: Any, builder: Builder, sig: Any, args: Any) -> Value:
        own, others = _splat(builder, RAYS, args[0]), _splat(builder, RAYS, builder.not_(args[1]))
        rising, falling = _rays(context, builder, sig.args[3], args[3], args[2])
        return _any_lane(builder, _turned(builder, own, others, rising, falling))

    return types.uint64(types.uint64, types.uint64, types.int64, rays), code


def _in_every_lane(builder: Builder, vector: Value) -> Value:
    """The lanes or-ed together, in every lane."""
    for order in ((2, 3, 0, 1), (1, 0, 3, 2)):
        vector = builder.or_(vector, builder.shuffle_vector(vector, vector, _lanes(order)))
    return vector


def _advanced(builder: Builder, s0: Value, s1: Value) -> tuple[Value, Value]:
    """`playout.advance`."""

    def rotated(word: Value, bits: int) -> Value:
        return builder.or_(builder.shl(word, _int(I64, bits)), builder.lshr(word, _int(I64, 64 - bits)))

    mixed = builder.xor(s0, s1)
    shifted = builder.shl(mixed, _int(I64, 16))
    return builder.xor(builder.xor(rotated(s0, 24), mixed), shifted), rotated(mixed, 37)


@intrinsic  # type: ignore[untyped-decorator]
def random_moves_one_word(typing: Any, me: Any, opp: Any, full: Any, most: Any, s0: Any, s1: Any, rays: Any) -> Any:
    """`playout.random_moves`: (discs of the side to move, of the other, plies, 1 if the game is over, s0, s1).

    Both boards stay in vectors, each in every lane: instructions of a game wait for one another, and the way of a word
    out of a vector and back into one is long (without it games are 8 % slower; AMD EPYC, Zen 5).
    """

    def code(context: Any, builder: Builder, sig: Any, args: Any) -> Value:
        zero, one = _int(I64, 0), _int(I64, 1)
        boards = [_splat(builder, RAYS, arg) for arg in args[:2]]
        full = _splat(builder, RAYS, args[2])
        begun = [*boards, zero, zero, args[4], args[5], args[3]]
        state = [cgutils.alloca_once_value(builder, value) for value in begun]

        def renew(*values: Value) -> None:
            for place, value in zip(state, values, strict=False):
                builder.store(value, place)

        names = ("loop", "ply", "stuck", "passing", "playing", "done")
        loop, ply, stuck, passing, playing, done = (builder.append_basic_block(name) for name in names)
        builder.branch(loop)
        builder.position_at_end(loop)
        own, opposing, plies, passed, s0, s1, left = (builder.load(place) for place in state)
        builder.cbranch(builder.icmp_signed(">", left, zero), ply, done)

        builder.position_at_end(ply)
        number, next_ply = builder.add(s0, s1), builder.add(plies, one)
        s0, s1 = _advanced(builder, s0, s1)
        empty = builder.and_(full, builder.not_(builder.or_(own, opposing)))
        squares = _any_lane(builder, builder.and_(_targets(builder, own, opposing), empty))
        builder.cbranch(builder.icmp_unsigned("==", squares, zero), stuck, playing)

        builder.position_at_end(stuck)
        renew(own, opposing, plies, passed, s0, s1)
        builder.cbranch(builder.icmp_unsigned("!=", passed, zero), done, passing)
        builder.position_at_end(passing)
        renew(opposing, own, next_ply, one)
        builder.branch(loop)

        builder.position_at_end(playing)
        choices = builder.mul(builder.lshr(number, _int(I64, 32)), builder.ctpop(squares))
        rank = builder.shl(one, builder.lshr(choices, _int(I64, 32)))
        bit = _call(builder, "llvm.x86.bmi.pdep.64", I64, [rank, squares])
        rising, falling = _rays(context, builder, sig.args[6], args[6], builder.cttz(bit, _int(I1, 1)))
        turned = _in_every_lane(builder, _turned(builder, own, builder.not_(opposing), rising, falling))
        mine = builder.or_(builder.or_(own, turned), _splat(builder, RAYS, bit))
        theirs = builder.and_(opposing, builder.not_(turned))
        renew(theirs, mine, next_ply, zero, s0, s1, builder.sub(left, one))
        builder.branch(loop)

        builder.position_at_end(done)
        over = builder.phi(I64)
        over.add_incoming(zero, loop)
        over.add_incoming(one, stuck)
        words = [builder.extract_element(builder.load(place), _int(I32, 0)) for place in state[:2]]
        found = [*words, builder.load(state[2]), over, builder.load(state[4]), builder.load(state[5])]
        return context.make_tuple(builder, types.UniTuple(types.uint64, 6), found)

    word = types.uint64
    return types.UniTuple(word, 6)(word, word, word, types.int64, word, word, rays), code


def _last_square_tables() -> tuple[Any, Any, Any]:
    lines, places, turned = np.zeros((64, 4), np.uint64), np.zeros((64, 4), np.uint64), np.zeros(8 * 256, np.uint8)
    for square in range(64):
        for way, (down, right) in enumerate(_RISING):
            rays = _ray(square, down, right), _ray(square, -down, -right)
            lines[square, way] = rays[0] | rays[1] | 1 << square
            places[square, way] = 256 * rays[1].bit_count()
    for place in range(8):
        for line in range(256):
            above = [other for other in range(place + 1, 8) if line >> other & 1]
            below = [other for other in range(place) if line >> other & 1]
            turned[256 * place + line] = sum(abs(end - place) - 1 for end in above[:1] + below[-1:])
    return lines, places, turned


LINE_TABLE, PLACE_TABLE, TURNED_TABLE = _last_square_tables()
"""For the last empty square of a board. Shape [64 squares, 4]: the lines through a square, and 256 times its place in
each. Shape [8 places * 256]: how many discs of the other side are turned by the place and the line's own discs."""


# --- four words: up to 16x16 ------------------------------------------------------------------------------


def _to_rows(builder: Builder, board: Value) -> Value:
    words = ir.Constant(RAYS, ir.Undefined)
    for i in range(4):
        words = builder.insert_element(words, builder.extract_value(board, i), _int(I32, i))
    return builder.bitcast(words, ROWS)


def _from_rows(builder: Builder, rows: Value) -> Value:
    words = builder.bitcast(rows, RAYS)
    board = ir.Constant(ir.ArrayType(I64, 4), ir.Undefined)
    for i in range(4):
        board = builder.insert_value(board, builder.extract_element(words, _int(I32, i)), i)
    return board


def _shifter(builder: Builder, down: int, right: int) -> Callable[[Value, int], Value]:
    """A function that moves a board k squares in a direction; what leaves the board is gone."""

    def shift(rows: Value, k: int) -> Value:
        source = [i - down * k if 0 <= i - down * k < 16 else 16 for i in range(16)]
        moved = builder.shuffle_vector(rows, _all(ROWS, 0), _lanes(source))
        if right > 0:
            return builder.shl(moved, _all(ROWS, k))
        return builder.lshr(moved, _all(ROWS, k)) if right < 0 else moved

    return shift


def _beyond_runs(builder: Builder, own: Value, opposing: Value, shift: Callable[[Value, int], Value]) -> Value:
    """Squares just past a run of `opposing` that follows `own`: doubling steps reach 16 squares."""
    run = builder.and_(opposing, shift(own, 1))
    run = builder.or_(run, builder.and_(opposing, shift(run, 1)))
    pairs = builder.and_(opposing, shift(opposing, 1))
    run = builder.or_(run, builder.and_(pairs, shift(run, 2)))
    fours = builder.and_(pairs, shift(pairs, 2))
    for _ in range(3):
        run = builder.or_(run, builder.and_(fours, shift(run, 4)))
    return shift(run, 1)


@intrinsic  # type: ignore[untyped-decorator]
def moves_four_words(typing: Any, me: Any, opp: Any) -> Any:
    """Squares, empty or not, that end a run of `opp` beginning beside `me`; others may be set where `opp` is."""

    def code(context: Any, builder: Builder, sig: Any, args: Any) -> Value:
        own, opposing = _to_rows(builder, args[0]), _to_rows(builder, args[1])

        def reverse(rows: Value) -> Value:
            return _call(builder, "llvm.bitreverse.v16i16", ROWS, [rows])

        def eastwards(own: Value, opposing: Value) -> Value:
            first = builder.and_(builder.shl(own, _all(ROWS, 1)), opposing)
            return builder.add(first, opposing)

        found = builder.or_(eastwards(own, opposing), reverse(eastwards(reverse(own), reverse(opposing))))
        for down in (1, -1):
            for right in (0, 1, -1):
                shift = _shifter(builder, down, right)
                found = builder.or_(found, _beyond_runs(builder, own, opposing, shift))
        return _from_rows(builder, found)

    return FOUR_WORDS(FOUR_WORDS, FOUR_WORDS), code


def _diagonal(offset: int, right: int) -> list[int]:
    columns = (offset + right * row for row in range(16))
    return [1 << column if 0 <= column < 16 else 0 for column in columns]


DIAGONAL_TABLE = np.array(
    [_diagonal(offset, 1) for offset in range(-15, 16)] + [_diagonal(offset, -1) for offset in range(31)],
    np.uint16,
)
"""Shape [62 lines, 16 rows]: 31 diagonals by column minus row, then 31 by column plus row."""


def _line_flips(builder: Builder, own: Value, opposing: Value, place: Value) -> Value:
    """The discs turned on a line of 16 squares held in the low bits of an i32, for a move on `place`."""
    one = _int(I32, 1)
    above = builder.add(place, one)
    run = builder.lshr(opposing, above)
    stop = builder.and_(builder.not_(run), builder.add(run, one))
    anchor = builder.and_(builder.lshr(own, above), stop)
    found = builder.zext(builder.icmp_unsigned("!=", anchor, _int(I32, 0)), I32)
    upward = builder.shl(builder.sub(anchor, found), above)

    # Below: the same at the top of the word, in two shifts because `place` may be 0.
    distance = builder.sub(_int(I32, 31), place)
    below = builder.shl(builder.shl(opposing, distance), one)
    length = _call(builder, "llvm.ctlz.i32", I32, [builder.not_(below), _int(I1, 1)])
    stop = builder.shl(builder.shl(builder.shl(own, distance), one), length)
    anchored = builder.ashr(stop, _int(I32, 31))
    run = builder.and_(builder.not_(builder.lshr(_int(I32, -1), length)), anchored)
    return builder.or_(upward, builder.lshr(builder.lshr(run, one), distance))


@intrinsic  # type: ignore[untyped-decorator]
def flips_four_words(typing: Any, me: Any, opp: Any, square: Any, diagonals: Any) -> Any:
    """The discs of `opp` that a move on `square` turns. `diagonals` is DIAGONAL_TABLE."""

    def code(context: Any, builder: Builder, sig: Any, args: Any) -> Value:
        own, opposing = _to_rows(builder, args[0]), _to_rows(builder, args[1])
        row, column = builder.lshr(args[2], _int(I64, 4)), builder.and_(args[2], _int(I64, 15))
        zero = _all(ROWS, 0)
        gathered = ir.VectorType(I1, 16)

        def across(line: Value) -> Value:
            """Flips on a line that has one square in every row."""

            def gather(rows: Value) -> Value:
                present = builder.icmp_unsigned("!=", builder.and_(rows, line), zero)
                return builder.zext(builder.bitcast(present, I16), I32)

            flips = _line_flips(builder, gather(own), gather(opposing), builder.trunc(row, I32))
            return builder.select(builder.bitcast(builder.trunc(flips, I16), gathered), line, zero)

        def table(index: Value) -> Value:
            return _load(context, builder, sig.args[3], args[3], ROWS, index)

        def one_row(rows: Value) -> Value:
            return builder.zext(builder.extract_element(rows, row), I32)

        vertical = _splat(builder, ROWS, builder.trunc(builder.shl(_int(I64, 1), column), I16))
        falling = table(builder.add(builder.sub(column, row), _int(I64, 15)))
        rising = table(builder.add(builder.add(column, row), _int(I64, 31)))
        flips = builder.or_(builder.or_(across(vertical), across(falling)), across(rising))
        along = _line_flips(builder, one_row(own), one_row(opposing), builder.trunc(column, I32))
        here = builder.icmp_unsigned("==", _constant(ROWS, range(16)), _splat(builder, ROWS, builder.trunc(row, I16)))
        horizontal = builder.select(here, _splat(builder, ROWS, builder.trunc(along, I16)), zero)
        return _from_rows(builder, builder.or_(flips, horizontal))

    return FOUR_WORDS(FOUR_WORDS, FOUR_WORDS, types.int64, diagonals), code


# --- convolutions -----------------------------------------------------------------------------------------

FLOATS = ir.VectorType(ir.FloatType(), 16)
"""Channels that are computed together."""


def _add_product(builder: Builder, x: Value, y: Value, to: Value) -> Value:
    """x * y + to, rounded once where the CPU can: sums have a fixed order, so all such CPUs agree in every bit."""
    if cpu_has("fma"):
        return _call(builder, "llvm.fma.v16f32", FLOATS, [x, y, to])
    return builder.fadd(builder.fmul(x, y), to)


def _convolution(width: int, vectors: int) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
    def convolve(
        typing: Any,
        inputs: Any,
        at: Any,
        row: Any,
        inner: Any,
        weights: Any,
        first: Any,
        outer: Any,
        bias: Any,
        lane: Any,
        added: Any,
        out: Any,
        place: Any,
    ) -> Any:
        """16 times `vectors` channels of `width` squares of a row of a convolution 3x3, never below 0.

        All arrays are flat, and numbers count their elements: `inputs` from `at` on, `row` from one row to the next,
        `inner` channels a square; `weights` [3, 3, inner, outer] from `first` on; `bias` from `lane` on; `added` is
        what is added and `out` what is written, `outer` channels a square, both from `place` on.
        """

        def code(context: Any, builder: Builder, sig: Any, args: Any) -> Value:
            def pointer(array: int, index: Value) -> Value:
                return builder.gep(
                    cgutils.create_struct_proxy(sig.args[array])(context, builder, args[array]).data, [index]
                )

            def vector(array: int, index: Value) -> Value:
                return builder.bitcast(pointer(array, index), FLOATS.as_pointer())

            at, row, inner, first, outer, lane, place = (args[i] for i in (1, 2, 3, 5, 6, 8, 11))
            sixteens = [_int(I64, 16 * number) for number in range(vectors)]
            both = [(square, number) for square in range(width) for number in range(vectors)]
            with builder.goto_entry_block():
                sums = [builder.alloca(FLOATS) for _ in both]
            squares = [builder.add(place, builder.mul(outer, _int(I64, square))) for square in range(width)]
            places = [builder.add(squares[square], sixteens[number]) for square, number in both]
            starts = [builder.load(vector(7, builder.add(lane, step)), align=4) for step in sixteens]
            for total, to, (_, number) in zip(sums, places, both, strict=True):
                builder.store(builder.fadd(starts[number], builder.load(vector(9, to), align=4)), total)
            taps = builder.mul(inner, _int(I64, 3))
            with cgutils.for_range(builder, _int(I64, 3)) as line:
                begin = builder.add(at, builder.mul(line.index, row))
                weight = builder.add(first, builder.mul(builder.mul(line.index, taps), outer))
                with cgutils.for_range(builder, taps) as tap:
                    from_here = builder.add(weight, builder.mul(tap.index, outer))
                    many = [builder.load(vector(4, builder.add(from_here, step)), align=4) for step in sixteens]
                    for square in range(width):
                        index = builder.add(builder.add(begin, tap.index), builder.mul(inner, _int(I64, square)))
                        one = _splat(builder, FLOATS, builder.load(pointer(0, index), align=4))
                        for number in range(vectors):
                            total = sums[square * vectors + number]
                            builder.store(_add_product(builder, one, many[number], builder.load(total)), total)
            zero = ir.Constant(FLOATS, [0.0] * 16)
            for total, to in zip(sums, places, strict=True):
                value = builder.load(total)
                positive = builder.fcmp_ordered(">", value, zero)
                builder.store(builder.select(positive, value, zero), vector(10, to), align=4)
            return context.get_dummy_value()

        numbers = (types.int64,) * 3
        return types.void(
            inputs, *numbers, weights, types.int64, types.int64, bias, types.int64, added, out, types.int64
        ), code

    return convolve


CONVOLVE = {(width, vectors): _convolution(width, vectors) for width in (4, 6, 8) for vectors in (1, 2)}
"""By the squares of a row, and by how many times 16 channels are computed together."""
