"""The transposition table of all searches: what is known of a position, for when it comes up again.

A table is an array of shape [2^k, 2]: 16 bytes an entry, a check word and a data word. The check word is the key XOR
the data, so an entry of which another thread has overwritten one half fits no key and is not found: several threads
may read and write one table without locks. Data 0 means that nothing is known.

This module has the hash, the slots, the check and the packing. A search has its own key and its own rule of what to
replace, on top of `read` and `write`. The lowest 12 bits of every data word are the kind of the value and the best
move; above them stands one of two packings, because values of minimax are too large for two bounds in one word:

* `pack_value`: one value below 2^51 with its kind. Its depth is part of the key (`alphabeta`).
* `pack_bounds`: a lower and an upper bound below 2^15, and the depth, so that bounds can be tightened and what was dear
  be kept (`endgame`).

Age is a part of the check word: `aged` keys find entries of their own age alone, so that a table need not be cleared
between two searches.
"""

import numpy as np

from outflank.kernels.bitboard import ZERO
from outflank.kernels.jit import Board, Word, Words, inlined

ENTRY_BYTES = 16
NO_MOVE = -2
"""The best move of an entry that has none."""
EXACT, UPPER, LOWER = 1, 2, 3
"""Kinds of values: the value itself, a bound from above, a bound from below."""

_FACTORS = (Word(0x9E3779B97F4A7C15), Word(0x94D049BB133111EB), Word(0xBF58476D1CE4E5B9), Word(0xD1342543DE82EF95))
_DEPTH_STEP, _AGE_STEP = Word(0xC2B2AE3D27D4EB4F), Word(0x165667B19E3779F9)
_R29, _R32 = Word(29), Word(32)

# Bit numbers of the fields of a data word, masks, and what makes their numbers positive.
_MOVE, _VALUE, _UPPER, _DEPTH = Word(2), Word(12), Word(28), Word(44)
_KINDS, _MOVES, _BOUNDS = Word(3), Word(1023), Word(0xFFFF)
_VALUE_BIAS, _BOUND_BIAS = 1 << 51, 1 << 15


def new_table(megabytes: float, least: int = 1, most: int = 1 << 40) -> Words:
    """An empty table of as many entries as fit into the memory: a power of two between `least` and `most`.

    >>> len(new_table(0)), len(new_table(1)), len(new_table(1.9)), len(new_table(64, most=2**10))
    (1, 65536, 65536, 1024)
    """
    fitting = int(megabytes * 2**20) // ENTRY_BYTES
    return np.zeros((1 << min(max(fitting, least), most).bit_length() - 1, 2), np.uint64)


@inlined
def _mixed(me: Word, opp: Word) -> Word:
    """64 bits of one word of both sides.

    Each side is mixed by two products before they meet. After one product the highest square of a side is still a
    pattern of two bits at most, and two squares of the other side can undo it.
    """
    a, b = me * _FACTORS[0], opp * _FACTORS[1]
    a, b = (a ^ (a >> _R32)) * _FACTORS[2], (b ^ (b >> _R29)) * _FACTORS[3]
    return a ^ ((b << _R32) | (b >> _R32))


@inlined
def position_hash(me: Board, opp: Board) -> Word:
    """64 well mixed bits; a search with 10^9 look-ups takes one position for another with probability 10^-10."""
    key = _mixed(me[0], opp[0])
    if len(me) > 1:
        for i in range(1, 4):
            key = (key ^ (key >> _R29)) * _FACTORS[0] + _mixed(me[i], opp[i])
    key = (key ^ (key >> _R29)) * _FACTORS[1]
    return key ^ (key >> _R32)


@inlined
def searched_key(position: Word, depth: int, side: int) -> Word:
    """The key of a hashed position searched to a depth for a side, 0 or 1: where these two are part of the question."""
    h = position ^ (Word(depth * 2 + side + 1) * _DEPTH_STEP)
    return (h ^ (h >> _R32)) * _FACTORS[2]


@inlined
def aged(key: Word, age: int) -> Word:
    """A key that finds what was stored at this age alone; the slot is that of the key itself."""
    return key ^ (Word(age) * _AGE_STEP)


# --- entries ----------------------------------------------------------------------------------------------


@inlined
def slot(key: Word, entries: int) -> int:
    """Where a key stands among the first `entries`, a power of two."""
    return int(np.int64(key & Word(entries - 1)))


@inlined
def read(table: Words, at: int, key: Word) -> Word:
    """The data at a slot if it was stored for this key, otherwise 0."""
    check, data = table[at, 0], table[at, 1]
    return data if check ^ data == key else ZERO


@inlined
def write(table: Words, at: int, key: Word, data: Word) -> None:
    """Puts data for a key into a slot, in place of what was there."""
    table[at, 0], table[at, 1] = key ^ data, data


# --- packing ----------------------------------------------------------------------------------------------


@inlined
def _pack_move(move: int) -> Word:
    return Word(move - NO_MOVE) << _MOVE


@inlined
def move_in(data: Word) -> int:
    """The best move, a square or PASS; NO_MOVE of data 0."""
    return int(np.int64((data >> _MOVE) & _MOVES)) + NO_MOVE


@inlined
def pack_value(value: int, kind: int, move: int) -> Word:
    """Data of a value between -2^51 and 2^51."""
    return (Word(value + _VALUE_BIAS) << _VALUE) | _pack_move(move) | Word(kind)


@inlined
def value_in(data: Word) -> int:
    """The value of `pack_value`."""
    return int(np.int64(data >> _VALUE)) - _VALUE_BIAS


@inlined
def kind_in(data: Word) -> int:
    """The kind of the value; 0 of data 0."""
    return int(np.int64(data & _KINDS))


@inlined
def pack_bounds(lower: int, upper: int, depth: int, move: int) -> Word:
    """Data of two bounds between -2^15 and 2^15 and a depth from 0 to 2^20."""
    bounds = (Word(lower + _BOUND_BIAS) << _VALUE) | (Word(upper + _BOUND_BIAS) << _UPPER)
    return bounds | (Word(depth) << _DEPTH) | _pack_move(move)


@inlined
def lower_in(data: Word) -> int:
    """The lower bound of `pack_bounds`."""
    return int(np.int64((data >> _VALUE) & _BOUNDS)) - _BOUND_BIAS


@inlined
def upper_in(data: Word) -> int:
    """The upper bound of `pack_bounds`."""
    return int(np.int64((data >> _UPPER) & _BOUNDS)) - _BOUND_BIAS


@inlined
def depth_in(data: Word) -> int:
    """The depth of `pack_bounds`; 0 of data 0."""
    return int(np.int64(data >> _DEPTH))
