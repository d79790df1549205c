"""Random games on a GPU: the games of `playout` and `policy`, bit for bit, from any positions.

On boards of one word a thread plays 32 random games in slices (`sliced`), on larger ones it plays one, by the source of
the CPU with the plain twins of `bitboard`; so are games of other policies on all boards. A task is a position, a seed
and the number of its first game; all tasks of a launch have equally many games.

On one NVIDIA H200, million games a second from the start, kernels alone: 4x4 22,000, 6x6 6500, 8x8 1940, 10x10 54,
12x12 39, 14x14 29, 16x16 23. Registers bound the small boards: 8x8 needs 256 words for discs, moves and turned discs,
so that four blocks of 64 threads fit a multiprocessor and some hundred words of a thread lie in memory.

Of other policies, 8x8 nine plies from the start, million playouts a second beside thousand of one core of the same
machine: weighted 240 beside 320, own heuristic 73 beside 130, heuristic 60 beside 92, epsilon 46 beside 100; cut off by
an evaluation 60 to 85 beside 3200 to 4700, because the processor adds up what the card evaluates.

What helped, 8x8: a function of its own for the slices, and a block for every 64 groups, because games end at different
plies (1940; as part of one kernel with 12, 8 and 4 blocks a multiprocessor 1130, 1050 and 920). The runs of discs are
found twice, for moves and for turning: remembering them took 900 words of memory. What did not help, beside the 1130:
fewer registers for more threads (200 of them 870, 168 430, 128 260), blocks of 32 threads (890), reckoning the chosen
square again for every direction (1090). The results of 10^8 games are copied while the next ones are played: from
Python 1740, and 1100 when they were copied at the end.
"""

import threading
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
from numba import cuda

from outflank.kernels import bitboard, sliced
from outflank.kernels.bitboard import count, load
from outflank.kernels.cuda import SIMULATED
from outflank.kernels.jit import Word, plain
from outflank.kernels.playout import UNLIMITED, plain_random_moves, stream
from outflank.kernels.policy import cut_value, packed_cut, policy_playout

WON, DRAWN, LOST, PLACED = range(4)
"""Columns of totals: games in which `me` had more discs, as many, fewer; and discs that were placed."""
TOTALS = 4
BLOCK = 2 if SIMULATED else 64
"""Threads that start together."""
_MOST_BLOCKS = 1 << 20
_SLICES = 2 * sliced.DIGITS


_TWINS = {
    plain(bitboard.moves): bitboard.plain_moves,
    plain(bitboard.flips): bitboard.plain_flips_at,
    plain(bitboard.ranked_bit): bitboard._plain_ranked_bit,
}
"""What stands on a card for functions that use instructions of some CPUs."""


@cache
def for_card(function: Any) -> Any:
    """A function of the CPU for the card, with all that it calls; the simulator takes it as it is."""
    if SIMULATED:
        return function
    source = plain(_TWINS.get(plain(function), function))
    names = {**source.__globals__}
    for name in source.__code__.co_names:
        if hasattr(names.get(name), "py_func"):
            names[name] = for_card(names[name])
    return cuda.jit(FunctionType(source.__code__, names, source.__name__), device=True)


# --- boards of one word ---------------------------------------------------------------------------------------------


def _sliced_functions(size: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """(played(me, opp, seed, first), digit(place)): plays a group, then tells its slices."""
    if not SIMULATED:
        source = cuda.CUSource(sliced.c_text(size, BLOCK), name=f"sliced_{size}.cu")
        played = cuda.declare_device("played", "int32(uint64, uint64, uint64, uint64)", link=source, abi="c")
        return played, cuda.declare_device("digit", "uint32(int32)", link=source, abi="c")
    function, here = sliced.python_function(size), threading.local()

    def play(me: Word, opp: Word, seed: Word, first: Word) -> int:
        here.slices = np.zeros(_SLICES, np.uint32)
        function(me, opp, seed, first, here.slices)
        return 0

    return play, lambda place: here.slices[place]


def _group_kernel(size: int) -> Any:
    """`games_kernel` for boards of one word."""
    played, digit = _sliced_functions(size)
    digits, most = sliced.DIGITS, np.uint32(0xFFFFFFFF)
    high, low, unit = np.uint32(0x80808080), np.uint32(0x01010101), np.uint32(1)

    def games(
        own: Any,
        other: Any,
        full: Any,  # noqa: ARG001  (both kernels take the same)
        seeds: Any,
        firsts: Any,
        each: int,
        begin: int,
        end: int,
        out: Any,
        totals: Any,
    ) -> None:
        for group in range(begin + cuda.grid(1), end, cuda.gridsize(1)):
            groups = (each + 31) // 32
            task = group // groups
            first = 32 * (group - task * groups)
            me, opp = own[task, 0], other[task, 0]
            played(me, opp, seeds[task], firsts[task] + np.uint64(first))
            wanted = most
            if each - first < 32:
                wanted = np.uint32(0)
                for game in range(each - first):
                    wanted = np.uint32(wanted | (unit << np.uint32((game >> 2) + 8 * (game & 3))))
            more, less, discs = np.uint32(0), np.uint32(0), 0
            for j in range(digits):
                mine, theirs = digit(j), digit(digits + j)
                more, less = (
                    np.uint32((mine & ~theirs) | (more & ~(mine ^ theirs))),
                    np.uint32((theirs & ~mine) | (less & ~(mine ^ theirs))),
                )
                discs += (cuda.popc(np.uint32(mine & wanted)) + cuda.popc(np.uint32(theirs & wanted))) << j
            if len(totals) > 0:
                number = cuda.popc(wanted)
                won, lost = cuda.popc(np.uint32(more & wanted)), cuda.popc(np.uint32(less & wanted))
                placed = discs - number * (cuda.popc(np.uint64(me)) + cuda.popc(np.uint64(opp)))
                cuda.atomic.add(totals, (task, WON), np.int64(won))
                cuda.atomic.add(totals, (task, DRAWN), np.int64(number - won - lost))
                cuda.atomic.add(totals, (task, LOST), np.int64(lost))
                cuda.atomic.add(totals, (task, PLACED), np.int64(placed))
            if len(out) > 0:
                for q in range(8):
                    mine, theirs = high, np.uint32(0)
                    for j in range(digits):
                        mine = np.uint32(mine + (((digit(j) >> np.uint32(q)) & low) << np.uint32(j)))
                        theirs = np.uint32(theirs + (((digit(digits + j) >> np.uint32(q)) & low) << np.uint32(j)))
                    four = np.uint32((mine - theirs) ^ high)
                    for b in range(4):
                        if first + 4 * q + b < each:
                            out[task * each + first + 4 * q + b] = np.int8((four >> np.uint32(8 * b)) & np.uint32(255))

    return cuda.jit(games)


# --- larger boards --------------------------------------------------------------------------------------------------


def _single_kernel() -> Any:
    """`games_kernel` for larger boards, one game a thread."""
    play, begin_stream, counted, read = (for_card(each) for each in (plain_random_moves, stream, count, load))

    def games(
        own: Any, other: Any, full: Any, seeds: Any, firsts: Any, each: int, begin: int, end: int, out: Any, totals: Any
    ) -> None:
        for game in range(begin + cuda.grid(1), end, cuda.gridsize(1)):
            task = game // each
            number = game - task * each
            me, opp = read(own, task, full), read(other, task, full)
            s0, s1 = begin_stream(seeds[task], firsts[task] + np.uint64(number))
            mine, theirs, kept, _, _, _ = play(me, opp, full, UNLIMITED, s0, s1)
            difference = counted(mine) - counted(theirs)
            if not kept:
                difference = -difference
            if len(totals) > 0:
                placed = counted(mine) + counted(theirs) - counted(me) - counted(opp)
                column = WON if difference > 0 else LOST if difference < 0 else DRAWN
                cuda.atomic.add(totals, (task, column), np.int64(1))
                cuda.atomic.add(totals, (task, PLACED), np.int64(placed))
            if len(out) > 0:
                out[game] = np.int16(difference)

    return cuda.jit(games)


# --- other policies -------------------------------------------------------------------------------------------------


@cache
def guided_kernel() -> Any:
    """The kernel (own, other, full, seeds, firsts, sides, each, begin, end, policy, cuts, totals), one game a thread.

    As `games_kernel` for a `Guided` policy that pays a draw 0.5: totals are games that the policy pays `own`, a draw,
    and `other`. `sides` [tasks] is 1 where `own` is the side that searches. `cuts` are not used.
    """
    play, begin_stream, read = (for_card(each) for each in (policy_playout, stream, load))

    def games(
        own: Any,
        other: Any,
        full: Any,
        seeds: Any,
        firsts: Any,
        sides: Any,
        each: int,
        begin: int,
        end: int,
        policy: Any,
        cuts: Any,  # noqa: ARG001  (both kernels take the same)
        totals: Any,
    ) -> None:
        for game in range(begin + cuda.grid(1), end, cuda.gridsize(1)):
            task = game // each
            s0, s1 = begin_stream(seeds[task], firsts[task] + np.uint64(game - task * each))
            me, opp, searching = read(own, task, full), read(other, task, full), sides[task] != np.uint64(0)
            won, lost, placed, _, _ = play(me, opp, full, searching, policy, s0, s1)
            column = WON if won > lost else LOST if won < lost else DRAWN
            cuda.atomic.add(totals, (task, column), np.int64(1))
            cuda.atomic.add(totals, (task, PLACED), np.int64(placed))

    return cuda.jit(games)


@cache
def cut_kernel() -> Any:
    """`guided_kernel` for a `Cutoff` policy: `cuts` [tasks * each] get what `policy.add_cuts` adds up.

    The card does not add them up, because its exponential differs from the CPU's in the last bit.
    """
    play, begin_stream, read, counted = (for_card(each) for each in (plain_random_moves, stream, load, count))
    value_of, packed = for_card(cut_value), for_card(packed_cut)

    def games(
        own: Any,
        other: Any,
        full: Any,
        seeds: Any,
        firsts: Any,
        sides: Any,  # noqa: ARG001  (random moves do not ask who searches)
        each: int,
        begin: int,
        end: int,
        policy: Any,
        cuts: Any,
        totals: Any,
    ) -> None:
        for game in range(begin + cuda.grid(1), end, cuda.gridsize(1)):
            task = game // each
            s0, s1 = begin_stream(seeds[task], firsts[task] + np.uint64(game - task * each))
            me, opp = read(own, task, full), read(other, task, full)
            mine, theirs, kept, _, _, _ = play(me, opp, full, policy.depth, s0, s1)
            over, value = value_of(mine, theirs, full, policy.evaluation, None)
            cuts[game] = packed(over, value, kept)
            placed = counted(mine) + counted(theirs) - counted(me) - counted(opp)
            cuda.atomic.add(totals, (task, PLACED), np.int64(placed))

    return cuda.jit(games)


def to_card(value: Any) -> Any:
    """A named tuple with its arrays copied to the card, for kernels; 0 in place of None, which they do not take."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(to_card, value))
    return put(value) if isinstance(value, np.ndarray) else 0 if value is None else value


# --- random moves ---------------------------------------------------------------------------------------------------


@cache
def games_kernel(size: int) -> Any:
    """The kernel (own, other, full, seeds, firsts, each, begin, end, out, totals).

    `own` and `other` are [tasks, words], each task with `each` games, numbers `firsts[task]` on. Units `begin` to `end`
    are played: groups of 32 games of a task on boards of one word, games on others. `out` [tasks * each] gets the
    final discs of `own` minus those of `other`, `totals` [tasks, TOTALS] is added to; either may have length 0.
    """
    return _group_kernel(size) if size <= 8 else _single_kernel()


def units_of(size: int, each: int) -> int:
    """Units of work of a task."""
    return -(-each // sliced.GROUP) if size <= 8 else each


def blocks_for(units: int) -> int:
    """Blocks of threads for so many units, one each as far as that is possible."""
    return min(_MOST_BLOCKS, -(-units // BLOCK))


def clear(array: Any, stream: Any) -> None:
    """Makes an array on the card 0, as the next work of a stream."""
    cuda.cudadrv.driver.device_memset(array, 0, array.nbytes, stream)


def failures() -> tuple[type[Exception], ...]:
    """What numba raises when a card or its driver fails."""
    if SIMULATED:
        return (MemoryError,)
    driver = cuda.cudadrv
    return (driver.driver.CudaAPIError, driver.error.CudaSupportError, MemoryError)


put, room = cuda.to_device, cuda.device_array
pinned, new_stream, new_event = cuda.pinned_array, cuda.stream, cuda.event
"""An array copied to the card, a new one there; memory of the computer that a card copies to while it plays; what runs
beside other work; a mark in it."""
