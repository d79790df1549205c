"""Random games for a card, 32 of them in every word: the text of a function that plays them.

A board is a word for every square and side, and bit i of every word belongs to game i. What costs shifts and masks on
ordinary boards is then a name: a neighbour is another variable. Legal moves of 32 games take 650 instructions and
turning discs 1000, where one game alone takes 180 and 200. A move is drawn from the digits of its rank: they choose a
row, then a column. Only the generators stay whole numbers, one a game, because multiplying by slices costs more.

Compilers must see every square as a variable of its own, so the text is written out here, once for any size of one
word and in two dialects. The card takes C, which its compiler reads in seconds; numba needs minutes for as many lines.
Tests run the same lines as Python, and the card was compared with the CPU game by game: they are those of `playout`.

A group is the 32 games of a thread: game `4 * q + b` of it is bit `q + 8 * b`, so that a word of four bytes, one for
each of four games, is made from slices by shifting and masking alone.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from outflank.kernels.bitboard import ONE, ZERO
from outflank.kernels.jit import Word, Words
from outflank.kernels.playout import advance, choose, stream

GROUP = 32
"""Games of a thread."""
DIGITS = 7
"""Slices of a number of discs."""
_BYTES = 0x01010101
_NONE = ""
"""In place of a name: a slice that is 0 in all games."""


def lines_of(size: int) -> list[list[int]]:
    """All lines of squares along which discs can be turned, each from one end to the other.

    >>> [line for line in lines_of(4) if len(line) < 4]
    [[1, 6, 11], [4, 9, 14], [2, 5, 8], [7, 10, 13]]
    """
    found = []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for start in range(size * size):
            row, column = divmod(start, size)
            if 0 <= row - down < size and 0 <= column - right < size:
                continue
            line = []
            while 0 <= row < size and 0 <= column < size:
                line.append(row * size + column)
                row, column = row + down, column + right
            if len(line) > 2:
                found.append(line)
    return found


class _Lines:
    """Assignments that are valid in both dialects, and how a dialect writes them."""

    def __init__(self, dialect: str) -> None:
        self.python = dialect == "python"
        self.lines: list[str] = []
        self.names: dict[str, None] = {}
        self.indent = 4

    def say(self, line: str) -> None:
        self.lines.append(" " * self.indent + line)

    def let(self, name: str, expression: str) -> str:
        self.names[name] = None
        self.say(f"{name} = slice({expression})" if self.python else f"{name} = {expression};")
        return name

    def new(self, expression: str) -> str:
        return self.let(f"t{len(self.names)}", expression)

    def forget(self, names: list[str]) -> None:
        """Keeps the card's compiler from remembering what it made of these: reckoning it again costs less than room."""
        if not self.python:
            for i in range(0, len(names), 16):
                self.say('asm volatile("" : ' + ", ".join(f'"+r"({name})' for name in names[i : i + 16]) + ");")

    def total(self, columns: list[list[str]], digits: int) -> list[str]:
        """The digits of a sum, lowest first; `columns` hold what is added, by digit."""
        columns = [[name for name in column if name] for column in columns] + [[] for _ in range(digits)]
        for i in range(digits):
            while len(columns[i]) > 1:
                a, b, *rest = columns[i]
                c = rest.pop(0) if rest else _NONE
                columns[i] = [*rest, self.new(f"{a} ^ {b} ^ {c}" if c else f"{a} ^ {b}")]
                if i + 1 < digits:
                    columns[i + 1].append(self.new(f"({a} & {b}) | ({c} & ({a} | {b}))" if c else f"{a} & {b}"))
        return [column[0] if column else _NONE for column in columns[:digits]]


def _run(lines: _Lines, through: list[str], start: list[str]) -> list[str]:
    """Squares of `through` in an unbroken run that begins one step after `start`; none at either end of the line."""
    found = [_NONE]
    for i in range(1, len(through) - 1):
        before = f"({found[-1]} | {start[i - 1]})" if found[-1] else start[i - 1]
        found.append(lines.new(f"{through[i]} & {before}"))
    return [*found, _NONE]


def _both_runs(lines: _Lines, line: list[int]) -> tuple[list[str], list[str]]:
    """Discs of `o` in runs that begin beside one of `m`: seen from the start of the line, and from its end."""
    own, other = ([f"{side}{square}" for square in line] for side in "mo")
    return _run(lines, other, own), _run(lines, other[::-1], own[::-1])[::-1]


def _moves(lines: _Lines, size: int) -> None:
    """Legal squares `l`: empty ones at the end of a run."""
    seen: set[int] = set()
    for line in lines_of(size):
        forth, back = _both_runs(lines, line)
        for i, square in enumerate(line):
            ends = [forth[i - 1] if i else _NONE, back[i + 1] if i + 1 < len(line) else _NONE]
            ends = [name for name in [*ends, f"l{square}" if square in seen else _NONE] if name]
            if ends:
                lines.let(f"l{square}", " | ".join(ends))
                seen.add(square)
    for square in range(size * size):
        lines.let(f"l{square}", f"l{square} & ~(m{square} | o{square})")


def _counts(lines: _Lines, size: int, digits: int) -> list[list[str]]:
    """Digits of the number of legal squares above every row, and of all of them."""
    sums = [[_NONE] * digits]
    for row in range(size):
        here = lines.total([[f"l{size * row + column}" for column in range(size)]], digits)
        sums.append(lines.total([list(pair) for pair in zip(sums[-1], here, strict=True)], digits))
    return sums


def _shifted(name: str, by: int) -> str:
    return f"({name} << {by})" if by > 0 else f"({name} >> {-by})" if by < 0 else name


def _ranks(lines: _Lines, number: list[str]) -> None:
    """Digits `r` of a random rank below the number of legal squares: four games at a time are whole numbers."""
    for q in range(8):
        parts = [f"({_shifted(name, j - q)} & {_BYTES << j})" for j, name in enumerate(number) if name]
        word = lines.let("w", " | ".join(parts))
        ranks = lines.let("v", f"ranks(states, {4 * q}, {word})")
        for j in range(len(number)):
            part = f"({_shifted(ranks, q - j)} & {_BYTES << q})"
            lines.let(f"r{j}", f"r{j} | {part}" if q else part)


def _less(lines: _Lines, number: list[str]) -> str:
    """Where `r` is below a number."""
    less = _NONE
    for j, name in enumerate(number):
        if name and less:
            less = lines.new(f"(~r{j} & {name}) | (~(r{j} ^ {name}) & {less})")
        elif name or less:
            less = lines.new(f"~r{j} & {name or less}")
    return less


def _chosen(lines: _Lines, size: int, sums: list[list[str]]) -> None:
    """The chosen square as its `row` and its column `c`; a game without a move has no column.

    The legal squares of the chosen row are counted down from what the rows above it leave of the rank. Once it was 0 it
    is not 0 again before the row ends, because it has as many digits as a row needs.
    """
    digits = (size - 1).bit_length()
    below = [_less(lines, number) for number in sums[1:size]]
    for row in range(size):
        bounds = [below[row]] if row < size - 1 else []
        lines.let(f"row{row}", " & ".join(bounds + ([f"~{below[row - 1]}"] if row else [])))
    for column in range(size):
        lines.let(f"x{column}", " | ".join(f"(row{row} & l{size * row + column})" for row in range(size)))
    borrow = _NONE
    for j in range(digits):
        lines.let(f"b{j}", " | ".join(f"(row{row} & {sums[row][j]})" for row in range(1, size) if sums[row][j]))
        lines.let(f"d{j}", f"r{j} ^ b{j} ^ {borrow}" if borrow else f"r{j} ^ b{j}")
        borrow = lines.new(f"(~r{j} & b{j}) | (~(r{j} ^ b{j}) & {borrow})" if borrow else f"~r{j} & b{j}")
    for column in range(size):
        taken = f"x{column}"
        for j in range(digits):
            still = lines.new(f"{taken} & ~d{j}")
            lines.let(f"d{j}", f"d{j} ^ {taken}")
            taken = still
        lines.let(f"c{column}", taken)


def _turn(lines: _Lines, size: int) -> None:
    """Sets the chosen disc, turns what it outflanks and hands the turn over; without a move that is a pass."""
    for square in range(size * size):
        lines.let(f"p{square}", f"row{square // size} & c{square % size}")
    turned: set[int] = set()
    for line in lines_of(size):
        forth, back = _both_runs(lines, line)
        placed = [f"p{square}" for square in line]
        up, down = _run(lines, back, placed), _run(lines, forth[::-1], placed[::-1])[::-1]
        for i, square in enumerate(line[1:-1], start=1):
            before = f" | f{square}" if square in turned else ""
            lines.let(f"f{square}", f"{up[i]} | {down[i]}{before}")
            turned.add(square)
    for square in range(size * size):
        own = lines.new(f"m{square}")
        lines.let(f"m{square}", f"o{square} & ~f{square}" if square in turned else f"o{square}")
        discs = [own, f"p{square}", *([f"f{square}"] if square in turned else [])]
        lines.let(f"o{square}", " | ".join(discs))


def _text(size: int, dialect: str) -> str:
    """The function `played`: from a position to the slices of the discs of both sides when all games are over."""
    lines, cells = _Lines(dialect), size * size
    python = lines.python
    for square in range(cells):
        at = 8 * (square // size) + square % size
        for name, board in (("m", "me"), ("o", "opp")):
            lines.let(f"{name}{square}", f"ZERO - (({board} >> Word({at})) & ONE)")
    lines.say("passes, swapped = 0, False" if python else "int passes = 0, swapped = 0;")
    lines.say("while passes < 2:" if python else "while (passes < 2) {")
    lines.indent = 8
    _moves(lines, size)
    legal = lines.let("any", " | ".join(f"l{square}" for square in range(cells)))
    lines.say(f"passes = 0 if {legal} != 0 else passes + 1" if python else f"passes = {legal} ? 0 : passes + 1;")
    digits = (cells - 1).bit_length()
    sums = _counts(lines, size, digits)
    _ranks(lines, sums[size])
    _chosen(lines, size, sums)
    lines.forget([f"o{square}" for square in range(cells)])
    _turn(lines, size)
    lines.say("swapped = not swapped" if python else "swapped = !swapped; }")
    lines.indent = 4
    for side, first in (("m", 0), ("o", DIGITS)):
        for j, name in enumerate(lines.total([[f"{side}{square}" for square in range(cells)]], DIGITS)):
            place = f"{DIGITS - first} if swapped else {first}" if python else f"(swapped ? {DIGITS - first} : {first})"
            where = f"out[({place}) + {j}]" if python else f"states[({place} + {j}) * BLOCK]"
            lines.say(f"{where} = {name or 0}" + ("" if python else ";"))
    head = "def played(me, opp, states, out):" if python else _C_HEAD.format(names=", ".join(lines.names))
    return "\n".join([head, *lines.lines] + ([] if python else ["    return 0;", "}"]))


# --- the dialect of tests -------------------------------------------------------------------------------------------


def _drawn(states: Words, game: int, choices: Any) -> Any:
    """For four games from this one on a rank below its byte of `choices`, and the next states of the generators."""
    drawn = 0
    for i in range(4):
        s0, s1 = states[game + i]
        drawn |= int(choose(s0 + s1, int(choices) >> 8 * i & 255)) << 8 * i
        states[game + i] = advance(s0, s1)
    return drawn


def python_function(size: int) -> Callable[..., None]:
    """played(me, opp, seed, first, out): `out` [2 * DIGITS] gets the slices of both sides' discs."""
    space: dict[str, Any] = {"Word": Word, "ZERO": ZERO, "ONE": ONE, "slice": np.uint32, "ranks": _drawn}
    exec(_text(size, "python"), space)
    games = space["played"]

    def played(me: Word, opp: Word, seed: Word, first: Word, out: Any) -> None:
        states = np.array([stream(seed, first + Word(game)) for game in range(GROUP)], np.uint64)
        games(me, opp, states, out)

    return played


# --- the dialect of a card ------------------------------------------------------------------------------------------

_C_HEAD = """
typedef unsigned long long Word;
#define ZERO Word(0)
#define ONE Word(1)

static __device__ __forceinline__ Word turned(Word word, int by) {{ return (word << by) | (word >> (64 - by)); }}

static __device__ __forceinline__ Word mixed(Word z) {{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}}

static __device__ __forceinline__ unsigned ranks(volatile Word *states, int game, unsigned choices) {{
    Word state[8];
    unsigned drawn = 0;
    for (int i = 0; i < 8; i++) state[i] = states[(2 * game + i) * BLOCK];
    for (int i = 0; i < 4; i++) {{
        Word s0 = state[2 * i], s1 = state[2 * i + 1];
        drawn |= __umulhi((unsigned)((s0 + s1) >> 32), (choices >> (8 * i)) & 255) << (8 * i);
        s1 ^= s0;
        states[2 * (game + i) * BLOCK] = turned(s0, 24) ^ s1 ^ (s1 << 16);
        states[(2 * (game + i) + 1) * BLOCK] = turned(s1, 37);
    }}
    return drawn;
}}

__shared__ volatile Word all_states[2 * GROUP * BLOCK];

extern "C" __device__ unsigned digit(int place) {{
    return (unsigned)all_states[place * BLOCK + threadIdx.x];
}}

extern "C" __device__ int played(Word me, Word opp, Word seed, Word first) {{
    volatile Word *states = all_states + threadIdx.x;
    for (int game = 0; game < GROUP; game++) {{
        Word start = seed + (first + game) * 0xD1342543DE82EF95ull + 0x9E3779B97F4A7C15ull;
        states[2 * game * BLOCK] = mixed(start);
        states[(2 * game + 1) * BLOCK] = mixed(start + 0x9E3779B97F4A7C15ull);
    }}
    unsigned {names};"""


def c_text(size: int, block: int) -> str:
    """`played` in C for blocks of so many threads, and `digit`, which then tells the slices, those of `me` first.

    Generators, and later the slices, take 512 bytes of shared memory for each thread.
    """
    return f"#define GROUP {GROUP}\n#define BLOCK {block}\n" + _text(size, "c")
