"""The transposition table: what is read was stored for that key, whoever else writes."""

import itertools
import random
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.board import Position, Rules
from outflank.kernels import table as kernels
from outflank.kernels.bitboard import ZERO
from outflank.kernels.jit import Word, Words
from outflank.kernels.rules import PASS
from support import EFFORT, every_size

words = st.integers(0, 2**64 - 1).map(Word)
moves = st.sampled_from([kernels.NO_MOVE, PASS, 0, 63, 255])


@settings(max_examples=int(300 * EFFORT), deadline=None)
@given(st.integers(-(2**51) + 1, 2**51 - 1), st.sampled_from([kernels.EXACT, kernels.UPPER, kernels.LOWER]), moves)
def test_values_come_back_as_they_were_packed(value: int, kind: int, move: int) -> None:
    data = Word(kernels.pack_value(value, kind, move))
    assert (kernels.value_in(data), kernels.kind_in(data), kernels.move_in(data)) == (value, kind, move)
    assert data != ZERO


@settings(max_examples=int(300 * EFFORT), deadline=None)
@given(st.integers(-1024, 1024), st.integers(-1024, 1024), st.integers(0, 256), moves)
def test_bounds_come_back_as_they_were_packed(lower: int, upper: int, depth: int, move: int) -> None:
    data = Word(kernels.pack_bounds(lower, upper, depth, move))
    assert (kernels.lower_in(data), kernels.upper_in(data)) == (lower, upper)
    assert (kernels.depth_in(data), kernels.move_in(data)) == (depth, move)
    assert data != ZERO


def test_an_empty_entry_knows_nothing() -> None:
    table = kernels.new_table(0.001)
    assert all(kernels.read(table, 0, Word(key)) == ZERO for key in (0, 1, 2**64 - 1))
    assert (kernels.kind_in(ZERO), kernels.move_in(ZERO), kernels.depth_in(ZERO)) == (0, kernels.NO_MOVE, 0)


@settings(max_examples=int(300 * EFFORT), deadline=None)
@given(st.lists(words, min_size=2, max_size=2, unique=True), st.lists(words, min_size=2, max_size=2, unique=True))
def test_an_entry_of_two_halves_is_not_believed(keys: list[Word], data: list[Word]) -> None:
    """The first word of one store beside the second word of another, for two keys and for the same."""
    table = kernels.new_table(0.001)
    for other in (keys[1], keys[0]):
        kernels.write(table, 0, keys[0], data[0])
        kernels.write(table, 1, other, data[1])
        table[0, 1] = table[1, 1]
        assert kernels.read(table, 0, keys[0]) == ZERO
        assert kernels.read(table, 0, keys[1]) == ZERO or keys[0] ^ data[0] ^ data[1] == keys[1]


def test_entries_of_another_age_are_not_found() -> None:
    table, key, data = kernels.new_table(0.001), Word(77), Word(kernels.pack_value(5, kernels.EXACT, 3))
    kernels.write(table, 1, Word(kernels.aged(key, 1)), data)
    assert kernels.read(table, 1, Word(kernels.aged(key, 1))) == data
    assert kernels.read(table, 1, Word(kernels.aged(key, 2))) == kernels.read(table, 1, key) == ZERO


@every_size
def test_hashes_of_neighbours_spread_over_the_slots(size: int) -> None:
    """Positions of one game and its side lines: no two alike, and no slot of 64 much fuller than the others."""
    level, hashes = {Position.start(Rules(size))}, set[int]()
    while len(hashes) < 3000 * EFFORT and level:
        hashes |= {int(kernels.position_hash(*position.boards[:2])) for position in level}
        level = {position.play(move) for position in sorted(level, key=str)[:300] for move in position.moves}
    for shift in (0, 1, 20, 58):
        counts = np.bincount([hashed >> shift & 63 for hashed in hashes], minlength=64)
        expected = len(hashes) / 64
        assert ((counts - expected) ** 2 / expected).sum() < 63 + 5 * 126**0.5
    keys = {
        int(kernels.searched_key(Word(hashed), depth, side)) for hashed in hashes for depth in (3, 4) for side in (0, 1)
    }
    assert len(keys) == 4 * len(hashes)


@every_size
def test_hashes_tell_apart_what_differs_in_a_few_squares(size: int) -> None:
    """All ways to occupy three squares, often the last ones, on an empty and on a random board."""
    rules, rng = Rules(size), random.Random(size)
    bits = [rules.bit(square) for square in range(rules.cells)]
    owners = list(itertools.product(range(3), repeat=3))
    for filled in (0.0, 0.8):
        boards = set()
        me = sum(bit for bit in bits if rng.random() < filled / 2)
        opp = sum(bit for bit in bits if not bit & me and rng.random() < filled)
        for _ in range(int(300 * EFFORT)):
            changed = [rng.choice(bits[-2:]), rng.choice(bits[-2 * size :]), rng.choice(bits)]
            kept = ~(changed[0] | changed[1] | changed[2])
            for chosen in owners:
                sides = [me & kept, opp & kept, 0]
                for bit, owner in zip(changed, chosen, strict=True):
                    sides[owner] |= bit
                boards.add((sides[0], sides[1] & ~sides[0]))
        hashes = {int(kernels.position_hash(rules.board(a), rules.board(b))) for a, b in boards}
        assert len(hashes) == len(boards)


@pytest.mark.compiled
def test_threads_never_read_what_was_not_stored_for_their_key() -> None:
    """Four threads write and read eight keys in two slots; every data word tells its key."""

    @numba.njit(nogil=True)  # type: ignore[untyped-decorator]
    def hammer(table: Words, seed: Word, rounds: int) -> Any:
        wrong, found, state = 0, 0, seed
        for _ in range(rounds):
            state = state * Word(6364136223846793005) + Word(1442695040888963407)
            number = (state >> Word(33)) & Word(7)
            key = number * Word(0x9E3779B97F4A7C15)
            at = int(np.int64(number & Word(1)))
            if state >> Word(63):
                kernels.write(table, at, key, (state & Word(0xFFFFFFFF00000000)) | (number + Word(1)))
            else:
                data = kernels.read(table, at, key)
                found += data != Word(0)
                wrong += data != Word(0) and data & Word(0xFFFFFFFF) != number + Word(1)
        return wrong, found

    table = kernels.new_table(0.0001)
    hammer(table, Word(1), 10)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda seed: hammer(table, Word(seed), 5_000_000), range(1, 5)))
    assert [wrong for wrong, _ in results] == [0, 0, 0, 0]
    assert all(found > 1000 for _, found in results)


def test_sizes_are_powers_of_two_that_fit() -> None:
    lengths = [len(kernels.new_table(2.0**power)) for power in range(-16, 5)]
    assert all(larger == 2 * smaller for smaller, larger in pairwise(lengths))
    assert kernels.new_table(3).nbytes == 2 * 2**20
    assert len(kernels.new_table(0, least=2)) == 2 and len(kernels.new_table(1, most=2**5)) == 32
