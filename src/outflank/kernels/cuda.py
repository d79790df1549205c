"""Games of self-play and the training of pattern weights on a GPU, by numba-cuda.

The games are those of `kernels/lanes.py`, from the same source: numba compiles functions of the CPU for the card when a
kernel of the card calls them. Only the value of a position is written anew, because a card has no use for a table of
200 KB: every square becomes a digit in a register, and the sums that make the numbers of the patterns are written out
for the compiler (`_written_out`).

Training adds for every position its error to each of its weights. The sums are whole numbers, error and count in one
64-bit word: one atomic addition in place of two, and the order of additions, which a card does not promise, cannot
change them, so that the same seed makes the same weights.
"""

import math
import warnings
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import cuda
from numba.core import config

from outflank.kernels.bitboard import ONE, count, either, load
from outflank.kernels.jit import Word, plain
from outflank.kernels.lanes import ROWS, Course, Kept, play_games
from outflank.kernels.patterns import SCALE, UNIT, Patterns, phase_of

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

vars(np).setdefault("row_stack", np.vstack)  # numpy 2.5 has none, and numba-cuda 0.30 asks for it when it compiles
warnings.filterwarnings("ignore", "(?s).*Grid size .* will likely")  # a few games are few
warnings.filterwarnings("ignore", "(?s).*NVRTC log messages")  # of names in `sliced` that are not used in the end

SIMULATED = bool(config.ENABLE_CUDASIM)
"""Whether numba plays the card with ordinary Python (`NUMBA_ENABLE_CUDASIM=1`): slow, for tests."""
BLOCK = 4 if SIMULATED else 128
"""Threads that start together."""
_BLOCKS_EACH = 8
"""Blocks for every multiprocessor, as many as it can have at work."""
FRACTION = 32
"""Errors are summed in this fraction of a disc."""
_COUNT_BITS, _ERROR_BITS = 26, 12
"""A position counts up to 8 times for a weight, with an error below 2^12 / FRACTION: sums of 2^22 fit a word."""


class Pattern(NamedTuple):
    """A pattern at one place of the board."""

    bits: tuple[int, ...]
    """The bits of its squares, the most significant digit first."""
    center: int
    """Where the weight of the empty pattern stands."""


def card_name() -> tuple[str, str]:
    """The name of the card, or why there is none."""
    if SIMULATED:
        return "simulated card", ""
    try:
        name = cuda.get_current_device().name
    except cuda.cudadrv.error.CudaSupportError as error:
        return "", " ".join(str(error).split())
    return name.decode() if isinstance(name, bytes) else str(name), ""


def free_memory() -> float:
    """Bytes that are free on the card."""
    return float(cuda.current_context().get_memory_info().free)


def busy_blocks(work: int) -> int:
    """Blocks of threads that keep a card busy with this much to do, some of it to each thread."""
    most = 1 if SIMULATED else _BLOCKS_EACH * cuda.get_current_device().MULTIPROCESSOR_COUNT
    return int(min(most, -(-work // BLOCK)))


def card_number() -> int:
    """Which of several cards is used."""
    return int(cuda.get_current_device().id)


put, room, wait = cuda.to_device, cuda.device_array, cuda.synchronize
"""An array copied to the card, a new one there, and waiting until its work is done."""


def as_on_card(array: Any) -> Any:
    """An array of another library that lies on the card, without a copy."""
    return cuda.as_cuda_array(array)


def _device(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as one that kernels of the card call; the simulator takes it as it is."""
    return function if SIMULATED else cuda.jit(function, device=True)


def _digit(own: Word, other: Word, shift: Word) -> np.int32:
    """1 for an own disc, -1 for an opposing one."""
    return np.int32(np.int32((own >> shift) & ONE) - np.int32((other >> shift) & ONE))


def _written_out(name: str, shape: Sequence[Pattern], head: str, line: str, tail: str) -> Callable[..., Any]:
    """A function of (me, opp, patterns, out) with `line` written out for every pattern: its {i} and {place}."""
    bits = sorted({bit for pattern in shape for bit in pattern.bits})
    text = [f"def {name}(me, opp, patterns, out):", head]
    text += [f"    d{bit} = digit(me[{bit >> 6}], opp[{bit >> 6}], Word({bit & 63}))" for bit in bits]
    for i, pattern in enumerate(shape):
        text.append(f"    p = d{pattern.bits[0]}")
        text += [f"    p = np.int32(np.int32(p * 3) + d{bit})" for bit in pattern.bits[1:]]
        text.append(line.format(i=i, place=f"np.uint32(np.int32({pattern.center} + p))"))
    space: dict[str, Any] = {"np": np, "Word": Word, "digit": _device(_digit), "count": count, "either": either}
    space |= {"phase_of": phase_of, "SCALE": SCALE, "UNIT": UNIT}
    exec("\n".join([*text, tail]), space)
    return _device(space[name])


def value_function(shape: Sequence[Pattern]) -> Callable[..., int]:
    """`patterns.pattern_value` for a card."""
    head = (
        "    discs = count(either(me, opp))\n"
        "    phase = np.uint32(phase_of(discs, patterns))\n"
        "    weights = patterns.weights\n"
        "    total = np.int32(weights[phase, np.uint32(patterns.tempo + discs)])"
    )
    tail = "    return np.int64(total) * UNIT // SCALE"
    summed = _written_out("value", shape, head, "    total += np.int32(weights[phase, {place}])", tail)

    def value(me: Any, opp: Any, patterns: Any) -> Any:
        return summed(me, opp, patterns, None)

    return _device(value)


def _places_function(shape: Sequence[Pattern]) -> Callable[..., int]:
    """Writes the places of a position as `learning.places_of` does; its phase."""
    head = "    discs = count(either(me, opp))"
    tail = f"    out[{len(shape)}] = patterns.tempo + discs\n    return phase_of(discs, patterns)"
    return _written_out("places", shape, head, "    out[{i}] = {place}", tail)


def _games_function(value: Callable[..., int]) -> Callable[..., None]:
    """`lanes.play_games` with another function for the value of a position."""
    source = plain(play_games)
    return _device(FunctionType(source.__code__, {**source.__globals__, "pattern_value": value}))


def play_kernel(shape: Sequence[Pattern], words: int, levels: int) -> Any:
    """The kernel (course, patterns, seed, number, begin, end, kept) that plays these games of `kept`.

    It has room for searches of `levels` plies.
    """
    play = _games_function(value_function(shape))
    rows, sides = (ROWS * levels, words), (levels, 3)

    def games(course: Course, patterns: Patterns, seed: Word, number: int, begin: int, end: int, kept: Kept) -> None:
        boards = cuda.local.array(rows, np.uint64)
        bounds = cuda.local.array(sides, np.int32)
        play(course, patterns, seed, number, begin + cuda.grid(1), cuda.gridsize(1), end, boards, bounds, kept)

    return cuda.jit(games)


def collect_kernel(shape: Sequence[Pattern]) -> Any:
    """The kernel (kept, begin, games, full, patterns, weights, sums, errors) that sums what games teach.

    It takes the positions of `games` games from game `begin` on, one a thread. `sums` [phases, weights] gets the error
    of each with its count (see `step`), `errors` [phases, 2] their number and the sum of their squared errors in
    whole discs; `weights` are in discs, those of `patterns` are not used.
    """
    places_of = _places_function(shape)
    places_each = len(shape) + 1
    count_bits, fraction, half = np.int64(_COUNT_BITS), np.float32(FRACTION), np.float32(0.5)
    most = np.float32((1 << _ERROR_BITS) - 1)

    def collect(
        kept: Kept, begin: int, games: int, full: Any, patterns: Patterns, weights: Floats, sums: Integers, errors: Any
    ) -> None:
        slot, game = cuda.grid(1) // games, begin + cuda.grid(1) % games
        if game >= len(kept.counts) or slot >= kept.counts[game]:
            return
        row = slot * len(kept.counts) + game
        line = cuda.local.array(places_each, np.int32)
        phase = places_of(load(kept.own, row, full), load(kept.other, row, full), patterns, line)
        total = np.float32(0)
        for i in range(places_each):
            total += weights[phase, line[i]]
        error = np.float32(kept.labels[row]) - total
        cuda.atomic.add(errors, (phase, 0), np.int64(1))
        cuda.atomic.add(errors, (phase, 1), np.int64(error * error))
        whole = np.int64(math.floor(min(max(error * fraction, -most), most) + half))
        word = (whole << count_bits) + np.int64(1)
        for i in range(places_each):
            cuda.atomic.add(sums, (phase, line[i]), word)

    return cuda.jit(collect)


def step_kernel() -> Any:
    """The kernel (weights, mean, square, sums, twins, rate, warm, ridge) of one step of training; `sums` become 0.

    Adam (Kingma & Ba 2015) on the mean error of every weight, a pattern and its mirrored twin as one. `warm` makes up
    for means that begin at 0: 1 / (1 - 0.9^steps) and 1 / (1 - 0.99^steps). Weights that no position asks for stay;
    those of few move slowly, and are pulled to 0 as by `ridge` positions.
    """
    mask, count_bits, fraction = np.int64((1 << _COUNT_BITS) - 1), np.int64(_COUNT_BITS), np.float32(FRACTION)

    def step(
        weights: Floats, mean: Floats, square: Floats, sums: Integers, twins: Any, rate: Any, warm: Any, ridge: Any
    ) -> None:
        size = weights.shape[1]
        for place in range(cuda.grid(1), size * weights.shape[0], cuda.gridsize(1)):
            phase, i = place // size, place % size
            twin = twins[i]
            both, now = sums[phase, i], weights[phase, i]
            if twin > i:
                both += sums[phase, twin]
            if twin < i or (both == 0 and now == 0):
                continue
            sums[phase, i] = sums[phase, twin] = 0
            seen, error = np.float32(both & mask), np.float32(both >> count_bits) / fraction
            slope = (error - ridge * now) / (seen + np.float32(8))
            mean[phase, i] = np.float32(0.9) * mean[phase, i] + np.float32(0.1) * slope
            square[phase, i] = np.float32(0.99) * square[phase, i] + np.float32(0.01) * slope * slope
            size_of_slope = np.float32(math.sqrt(square[phase, i] * warm[1]))
            now += rate * mean[phase, i] * warm[0] / (size_of_slope + np.float32(0.3))
            weights[phase, i] = weights[phase, twin] = now

    return cuda.jit(step)
