"""A small residual network of policy and value, one position at a time on one core, without any library.

Five planes (own and opposing discs, moves of either side, ones) go through a convolution 3x3 and blocks of two more
with a shortcut; a head has one logit for every square, the other one value in -1..1. Batch normalisation was folded
into the weights before (`learn/residual.py`). A board has a border of zeros, and squares hold their channels side by
side, so that three squares of a row are one run of memory and a convolution is three such runs.

`native.CONVOLVE` sums 16 or 32 channels of a row of squares in registers. The order of every sum is fixed, so that all
CPUs with fused multiply-add give the same bits, alone or among threads.

Microseconds of a pass of 5 blocks of 64 channels on 8x8, one core (`benchmarks/network.py forward`): Intel Xeon
(Sapphire Rapids) 341, ONNX Runtime 1.30 there 297 for one position and 273 in batches of 32; AMD EPYC (Zen 4) beside
other work 447, which is 106 GFLOP/s, and 559 with 16 channels at a time instead of 32. Both are within a fifth of each
other, and this one needs no library, gives the same bits everywhere and stays inside the search.
"""

from math import tanh
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels import native
from outflank.kernels.bitboard import both, is_empty, moves, single
from outflank.kernels.jit import INTERPRETED, Board, cpu_has, inlined, kernel, routine

PLANES = 5
"""Own discs, opposing discs, own moves, opposing moves, ones."""
NARROW = 8
"""Channels into the value head."""
HIDDEN = 64
"""Of the value head."""
TOGETHER = 16
"""Channels come in multiples of it."""
LOGITS = 64
"""One for every bit of a board."""

Floats = npt.NDArray[np.float32]


class Net(NamedTuple):
    """The weights, all flat; convolutions are [3, 3, channels in, channels out]."""

    size: int
    channels: int
    blocks: int
    stem: Floats
    convolutions: Floats
    """Two for every block."""
    biases: Floats
    """[1 + 2 blocks, channels]."""
    policy: Floats
    """[channels]."""
    places: Floats
    """[squares]: added to the logits."""
    narrow: Floats
    """[channels, NARROW]."""
    narrow_bias: Floats
    hidden: Floats
    """[squares, NARROW, HIDDEN]."""
    hidden_bias: Floats
    last: Floats
    """[HIDDEN + 1]: the last is the bias."""


class Workspace(NamedTuple):
    """What a forward pass writes to; borders stay 0."""

    planes: Floats
    x: Floats
    h: Floats
    zeros: Floats
    narrow: Floats
    hidden: Floats


def new_workspace(size: int, channels: int) -> Workspace:
    """Room for one forward pass.

    >>> new_workspace(4, 16).planes.shape
    (180,)
    """
    squares = (size + 2) ** 2

    def room(numbers: int) -> Floats:
        return np.zeros(numbers, np.float32)

    first, second, third = (room(squares * channels) for _ in range(3))
    return Workspace(room(squares * PLANES), first, second, third, room(size * size * NARROW), room(HIDDEN))


_ROW_4, _ROW_6, _ROW_8 = (native.CONVOLVE[width, 1] for width in (4, 6, 8))
_ROWS_4, _ROWS_6, _ROWS_8 = (native.CONVOLVE[width, 2] for width in (4, 6, 8))

# --- convolutions -----------------------------------------------------------------------------------------


def _plain_row(
    inputs: Floats,
    at: int,
    row: int,
    inner: int,
    weights: Floats,
    first: int,
    outer: int,
    bias: Floats,
    lane: int,
    added: Floats,
    out: Floats,
    place: int,
    width: int,
    channels: int,
) -> None:
    """Twin of `native.CONVOLVE`, for any width."""
    for square in range(width):
        to = place + square * outer
        total = bias[lane : lane + channels] + added[to : to + channels]
        for line in range(3):
            begin = at + line * row + square * inner
            for tap in range(3 * inner):
                weight = first + (line * 3 * inner + tap) * outer
                total = total + inputs[begin + tap] * weights[weight : weight + channels]
        out[to : to + channels] = np.maximum(total, 0)


@inlined
def _compiled_row(
    inputs: Floats,
    at: int,
    row: int,
    inner: int,
    weights: Floats,
    first: int,
    outer: int,
    bias: Floats,
    lane: int,
    added: Floats,
    out: Floats,
    place: int,
    width: int,
    channels: int,
) -> None:
    if channels == TOGETHER:
        if width == 8:
            _ROW_8(inputs, at, row, inner, weights, first, outer, bias, lane, added, out, place)
        elif width == 6:
            _ROW_6(inputs, at, row, inner, weights, first, outer, bias, lane, added, out, place)
        else:
            _ROW_4(inputs, at, row, inner, weights, first, outer, bias, lane, added, out, place)
    elif width == 8:
        _ROWS_8(inputs, at, row, inner, weights, first, outer, bias, lane, added, out, place)
    elif width == 6:
        _ROWS_6(inputs, at, row, inner, weights, first, outer, bias, lane, added, out, place)
    else:
        _ROWS_4(inputs, at, row, inner, weights, first, outer, bias, lane, added, out, place)


_row: Any = _plain_row if INTERPRETED else _compiled_row
_ROOM_FOR_TWO = not INTERPRETED and cpu_has("avx512f")
"""Whether 32 channels of 8 squares fit into the registers of the CPU."""


@routine
def _convolve(
    inputs: Floats,
    inner: int,
    weights: Floats,
    begin: int,
    net: Net,
    bias: int,
    added: Floats,
    out: Floats,
) -> None:
    """A convolution of a whole board: what is added, plus the sum, never below 0."""
    row, together = net.size + 2, TOGETHER
    if _ROOM_FOR_TWO and net.channels % (2 * TOGETHER) == 0:
        together = 2 * TOGETHER
    for line in range(net.size):
        for lane in range(0, net.channels, together):
            _row(
                inputs,
                line * row * inner,
                row * inner,
                inner,
                weights,
                begin + lane,
                net.channels,
                net.biases,
                bias + lane,
                added,
                out,
                ((line + 1) * row + 1) * net.channels + lane,
                net.size,
                together,
            )


# --- a whole pass -----------------------------------------------------------------------------------------


@inlined
def _set_planes(me: Board, opp: Board, mine: Board, theirs: Board, size: int, planes: Floats) -> None:
    for line in range(size):
        for column in range(size):
            bit, at = single(8 * line + column, me), PLANES * ((line + 1) * (size + 2) + column + 1)
            planes[at] = np.float32(0) if is_empty(both(me, bit)) else np.float32(1)
            planes[at + 1] = np.float32(0) if is_empty(both(opp, bit)) else np.float32(1)
            planes[at + 2] = np.float32(0) if is_empty(both(mine, bit)) else np.float32(1)
            planes[at + 3] = np.float32(0) if is_empty(both(theirs, bit)) else np.float32(1)
            planes[at + 4] = np.float32(1)


@inlined
def _set_logits(net: Net, x: Floats, logits: Floats, row: int) -> None:
    for square in range(net.size * net.size):
        line, column = square // net.size, square % net.size
        at = ((line + 1) * (net.size + 2) + column + 1) * net.channels
        total = net.places[square]
        for channel in range(net.channels):
            total += x[at + channel] * net.policy[channel]
        logits[row, 8 * line + column] = total


@inlined
def _value(net: Net, x: Floats, space: Workspace) -> float:
    for i in range(HIDDEN):
        space.hidden[i] = net.hidden_bias[i]
    for square in range(net.size * net.size):
        line, column = square // net.size, square % net.size
        at = ((line + 1) * (net.size + 2) + column + 1) * net.channels
        for i in range(NARROW):
            space.narrow[square * NARROW + i] = net.narrow_bias[i]
        for channel in range(net.channels):
            for i in range(NARROW):
                space.narrow[square * NARROW + i] += x[at + channel] * net.narrow[channel * NARROW + i]
    for i in range(net.size * net.size * NARROW):
        one = space.narrow[i]
        if one > 0:
            for j in range(HIDDEN):
                space.hidden[j] += one * net.hidden[i * HIDDEN + j]
    total = float(net.last[HIDDEN])
    for i in range(HIDDEN):
        total += float(max(space.hidden[i], np.float32(0))) * float(net.last[i])
    return tanh(total)


@routine
def forward(
    me: Board, opp: Board, mine: Board, theirs: Board, net: Net, space: Workspace, logits: Floats, row: int
) -> float:
    """The value for `me`, who is to move; row `row` of `logits` receives one number for every square of the board.

    `mine` and `theirs` are the legal moves of either side.
    """
    _set_planes(me, opp, mine, theirs, net.size, space.planes)
    _convolve(space.planes, PLANES, net.stem, 0, net, 0, space.zeros, space.x)
    step = 9 * net.channels * net.channels
    for block in range(net.blocks):
        first = 2 * block
        _convolve(
            space.x,
            net.channels,
            net.convolutions,
            first * step,
            net,
            (1 + first) * net.channels,
            space.zeros,
            space.h,
        )
        _convolve(
            space.h,
            net.channels,
            net.convolutions,
            (first + 1) * step,
            net,
            (2 + first) * net.channels,
            space.x,
            space.x,
        )
    _set_logits(net, space.x, logits, row)
    return _value(net, space.x, space)


@kernel
def predict(me: Board, opp: Board, full: Board, net: Net, space: Workspace, logits: Floats) -> float:
    """`forward` for callers that are not kernels: the value of a position, and its logits in row 0."""
    return np.float64(forward(me, opp, moves(me, opp, full), moves(opp, me, full), net, space, logits, 0))
