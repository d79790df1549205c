"""What is fixed before a game begins: `Color`, `Rules`, and a `Move` for every square and the pass.

Squares are integers row by row, a1 = 0, with the pass as n². Discs are kept as bit masks in the layout that the kernels
use (bit `stride * row + column`). Whatever depends on the size alone stands in tables by the bytes of a mask.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from operator import getitem
from string import ascii_lowercase
from typing import Any, Literal, get_args

from outflank.errors import BadNotation, BadRules, IllegalMove
from outflank.inputs import expect, is_whole, shown
from outflank.kernels.bitboard import stride as row_width
from outflank.kernels.jit import Board, Word
from outflank.lazy import lazy

Variant = Literal["standard", "reversed"]
Empties = Literal["winner", "nobody"]

SIZES = (4, 6, 8, 10, 12, 14, 16)
VARIANTS: tuple[Variant, ...] = get_args(Variant)

_WORD_MASK = (1 << 64) - 1
_NUMBER_FORMATS = "bcdoxXn"


class Color(IntEnum):
    """The two sides. Black moves first.

    >>> Color.BLACK.other, Color.WHITE.sign, str(Color.BLACK)
    (<Color.WHITE: 1>, 'O', 'black')
    """

    BLACK = 0
    WHITE = 1

    @property
    def other(self) -> "Color":
        """The opponent."""
        return _OTHER[self]

    @property
    def sign(self) -> str:
        """X for black, O for white."""
        return "XO"[self]

    def __str__(self) -> str:
        return self.name.lower()


_OTHER = (Color.WHITE, Color.BLACK)


class Move(int):
    """A square or the pass: a whole number, row by row from a1 = 0, that prints as its name.

    There is one object for every move of a board size; `Rules.move` gives it.

    >>> move = Rules().move(19)
    >>> move, move == 19, f"{move} is {move:d}", move.is_pass
    (d3, True, 'd3 is 19', False)
    """

    size: int
    """Of the board."""
    name: str

    @property
    def is_pass(self) -> bool:
        """Whether it is the pass."""
        return int(self) == self.size * self.size

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__

    def __format__(self, how: str) -> str:
        return format(int(self), how) if how[-1:] in _NUMBER_FORMATS and how else format(self.name, how)

    def __reduce__(self) -> tuple[Callable[[int, int], "Move"], tuple[int, int]]:
        return _move, (self.size, int(self))


def _move(size: int, number: int) -> Move:
    return moves_of_size(size)[number]


@cache
def moves_of_size(size: int) -> tuple[Move, ...]:
    """Every square of a board by its number, then the pass."""
    rows, columns = range(1, size + 1), ascii_lowercase[:size]
    names = [*(f"{column}{row}" for row in rows for column in columns), "pass"]
    moves = []
    for number, name in enumerate(names):
        move = Move(number)
        move.size, move.name = size, name
        moves.append(move)
    return tuple(moves)


@dataclass(frozen=True, order=True)
class Rules:
    """Board size and variant: `standard` (most discs win) or `reversed` (fewest discs win).

    >>> print(Rules(), "/", Rules(10, "reversed"))
    standard 8x8 / reversed 10x10
    >>> Rules(5)
    Traceback (most recent call last):
    outflank.errors.BadRules: board size 5 is not possible; expected an even number from 4 to 16
    """

    size: int = 8
    variant: Variant = "standard"

    def __post_init__(self) -> None:
        if not is_whole(self.size) or self.size not in SIZES:
            raise BadRules(
                f"board size {shown(self.size)} is not possible; expected an even number from {SIZES[0]} to {SIZES[-1]}"
            )
        if self.variant not in VARIANTS:
            raise BadRules(f"variant {shown(self.variant)} is not known; expected one of: {', '.join(VARIANTS)}")

    @staticmethod
    def parse(text: str) -> "Rules":
        """The rules that `str` printed.

        >>> Rules.parse("reversed 6x6")
        Rules(size=6, variant='reversed')
        """
        expect(str, text=text)
        written = text.split(maxsplit=2)
        for size in SIZES:
            for variant in VARIANTS:
                if written == [variant, f"{size}x{size}"]:
                    return shared_rules(size, variant)
        raise BadRules(f"rules {shown(text)} are not known; expected for example 'standard 8x8' or 'reversed 6x6'")

    def __str__(self) -> str:
        return f"{self.variant} {self.size}x{self.size}"

    def __reduce__(self) -> tuple[Callable[[int, Variant], "Rules"], tuple[int, Variant]]:
        return shared_rules, (self.size, self.variant)

    @lazy
    def pass_move(self) -> Move:
        """The pass, numbered n²: one more than the last square."""
        return moves_of_size(self.size)[-1]

    @lazy
    def cells(self) -> int:
        """The number of squares: n²."""
        return self.size * self.size

    @lazy
    def words(self) -> int:
        """Machine words per board: 1 up to 8x8, 4 above."""
        return 1 if self.size <= 8 else 4

    @lazy
    def stride(self) -> int:
        """Bits from one row of a mask to the next."""
        return row_width(self.words)

    @lazy
    def full(self) -> int:
        """The mask of all squares of the board."""
        return sum(self.bit(square) for square in range(self.cells))

    @lazy
    def full_board(self) -> Board:
        """All squares of the board as the words that kernels take."""
        return self.board(self.full)

    def bit(self, square: int) -> int:
        """The mask of one square."""
        return self._bits[square]

    @lazy
    def _bits(self) -> tuple[int, ...]:
        squares = (divmod(square, self.size) for square in range(self.cells))
        return tuple(1 << (row * self.stride + column) for row, column in squares)

    @lazy
    def by_bit(self) -> tuple[Move, ...]:
        """The move of every bit number that kernels use; -1 and what is not on the board are the pass.

        >>> Rules(6).by_bit[8], Rules(6).by_bit[-1]
        (a2, pass)
        """
        found = [self.pass_move] * (64 * self.words + 1)
        for square in moves_of_size(self.size)[:-1]:
            found[self.bit(square).bit_length() - 1] = square
        return tuple(found)

    def squares(self, mask: int) -> Iterator[Move]:
        """The squares of a mask, in rising order."""
        return iter(squares_of(self.size, mask))

    def board(self, mask: int) -> Board:
        """A mask as the words that kernels take."""
        if self.words == 1:
            return (Word(mask),)
        return tuple(Word(mask >> shift & _WORD_MASK) for shift in (0, 64, 128, 192))

    def mask(self, board: Board) -> int:
        """The words of a kernel as a mask: the inverse of `board`."""
        if len(board) == 1:
            return int(board[0])
        return sum(int(word) << 64 * i for i, word in enumerate(board))

    def move(self, move: int | str) -> Move:
        """The move of a number or a name.

        >>> Rules(8).move(19), Rules(10).move(99), Rules(8).move(64), Rules(8).move("D3")
        (d3, j10, pass, d3)
        """
        if isinstance(move, str):
            return self.square(move)
        if not is_whole(move) or not 0 <= move <= self.cells:
            raise IllegalMove(f"move {shown(move)} is not on a {self}; expected 0 to {self.cells} (pass)")
        return moves_of_size(self.size)[move]

    def square(self, text: str) -> Move:
        """The square of a name such as `d3`, or the pass.

        >>> Rules(8).square("D3"), int(Rules(16).square("p16")), Rules(4).square("--")
        (d3, 255, pass)
        """
        if not isinstance(text, str):
            expect(str, text=text)
        name = text.strip().lower()
        if name in ("pass", "pa", "ps", "--", "@@"):
            return self.pass_move
        column = ascii_lowercase.find(name[:1]) if name else -1
        row = int(name[1:]) - 1 if re.fullmatch("[1-9][0-9]?", name[1:]) else -1
        if 0 <= column < self.size and 0 <= row < self.size:
            return moves_of_size(self.size)[row * self.size + column]
        last = moves_of_size(self.size)[-2]
        raise BadNotation(f"{shown(text)} is not a square of a {self.size}x{self.size} board; expected a1 to {last}")

    def score(self, own: int, opposing: int, empties: Empties = "winner") -> int:
        """The score of so many discs against so many; `Position.score` says how it is counted."""
        score = own - opposing
        if empties == "winner" and score:
            score += self.cells - own - opposing if score > 0 else own + opposing - self.cells
        return score if self.variant == "standard" else -score

    def image(self, move: int, number: int) -> Move:
        """Where a symmetry (see `Position.transform`) takes a square; the pass stays the pass.

        >>> Rules().image(19, 1), Rules().image(64, 1)
        (e3, pass)
        """
        return moves_of_size(self.size)[move if move == self.pass_move else _symmetry(self.size, number)[move]]


def shared_rules(size: int, variant: Variant) -> Rules:
    """Rules to share, so that what they work out is worked out once."""
    try:
        return _shared_rules(size, variant)
    except TypeError:  # a list as variant: not even to be looked up
        return Rules(size, variant)


_shared_rules = cache(Rules)


@cache
def _symmetry(size: int, number: int) -> tuple[int, ...]:
    """Where symmetry `number` (0 to 7) takes each square: bit 0 mirrors columns, bit 1 rows, bit 2 swaps them."""
    last = size - 1
    image = []
    for square in range(size * size):
        row, column = divmod(square, size)
        column = last - column if number & 1 else column
        row = last - row if number & 2 else row
        image.append(column * size + row if number & 4 else row * size + column)
    return tuple(image)


# --- tables by the bytes of a mask ------------------------------------------------------------------------------


def _by_byte(size: int, values: Sequence[Any], nothing: Any) -> list[list[Any]]:
    """For each byte of a mask and each of its 256 values: what its squares are worth, added up from the lowest on."""
    wide, tables = Rules(size).stride, []
    for first in range(0, 64 * Rules(size).words, 8):
        table = [nothing]
        for row, column in (divmod(bit, wide) for bit in range(first, first + 8)):
            value = values[row * size + column] if max(row, column) < size else nothing
            table += [below + value for below in table]
        tables.append(table)
    return tables


@cache
def _squares_by_byte(size: int) -> list[list[tuple[Move, ...]]]:
    return _by_byte(size, [(square,) for square in moves_of_size(size)[:-1]], ())


@cache
def _images_by_byte(size: int, number: int) -> list[list[int]]:
    return _by_byte(size, [Rules(size).bit(square) for square in _symmetry(size, number)], 0)


def squares_of(size: int, mask: int) -> tuple[Move, ...]:
    """The squares of a mask, in rising order."""
    tables = _squares_by_byte(size)
    return sum(map(getitem, tables, mask.to_bytes(len(tables), "little")), ())


def image_of(size: int, number: int, mask: int) -> int:
    """The mask that a symmetry makes of a mask."""
    tables = _images_by_byte(size, number)
    return sum(map(getitem, tables, mask.to_bytes(len(tables), "little")))
