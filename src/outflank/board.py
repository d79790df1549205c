"""The game: `Rules`, `Color` and `Position`.

A `Position` is a value: comparing, hashing and sorting work, and playing a move gives a new one. Squares are
integers row by row, a1 = 0, with the pass as n². Discs are kept as bit masks in the layout that the kernels
use (bit `stride * row + column`), so that a search starts without conversion; ask for squares and never see
it. The compiled functions know only the side to move; black and white live here.

A game in Python makes one position per move, so these values are made for that: whatever depends on the size alone
stands in tables by the bytes of a mask, and a position works out its moves once.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property
from operator import getitem
from os import cpu_count
from string import ascii_lowercase
from typing import Any, Literal, get_args

from outflank.errors import BadNotation, BadRules, IllegalMove
from outflank.kernels import rules as kernels
from outflank.kernels.bitboard import stride
from outflank.kernels.jit import Board, Word
from outflank.render import svg_board, text_board

Variant = Literal["standard", "reversed"]
Empties = Literal["nobody", "winner"]

SIZES = (4, 6, 8, 10, 12, 14, 16)
VARIANTS: tuple[Variant, ...] = get_args(Variant)

_BLACK_SIGNS, _WHITE_SIGNS, _EMPTY_SIGNS = "Xx*Bb●", "Oo○Ww", "-._"
_ALL_SIGNS = _BLACK_SIGNS + _WHITE_SIGNS + _EMPTY_SIGNS
_IS_BLACK, _IS_WHITE = (
    str.maketrans({sign: str(+(sign in own)) for sign in _ALL_SIGNS}) for own in (_BLACK_SIGNS, _WHITE_SIGNS)
)
_DROP_SIGNS = str.maketrans("", "", _ALL_SIGNS)
_SIGN_OF_DIGIT = str.maketrans("012", "-XO")
_WORD_MASK = (1 << 64) - 1
_PERFT_TASKS = 1000
_PERFT_SHALLOW = 6


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
        if isinstance(self.size, bool) or self.size not in SIZES:
            raise BadRules(
                f"board size {self.size!r} is not possible; expected an even number from {SIZES[0]} to {SIZES[-1]}"
            )
        if self.variant not in VARIANTS:
            raise BadRules(f"variant {self.variant!r} is not known; expected one of: {', '.join(VARIANTS)}")

    @staticmethod
    def parse(text: str) -> "Rules":
        """The rules that `str` printed.

        >>> Rules.parse("reversed 6x6")
        Rules(size=6, variant='reversed')
        """
        for size in SIZES:
            for variant in VARIANTS:
                if text.split() == [variant, f"{size}x{size}"]:
                    return _rules(size, variant)
        raise BadRules(f"rules {text!r} are not known; expected for example 'standard 8x8' or 'reversed 6x6'")

    def __str__(self) -> str:
        return f"{self.variant} {self.size}x{self.size}"

    def __reduce__(self) -> tuple[Callable[[int, Variant], "Rules"], tuple[int, Variant]]:
        return _rules, (self.size, self.variant)

    @cached_property
    def pass_move(self) -> int:
        """The number of the pass: n², one more than the last square."""
        return self.size * self.size

    @cached_property
    def words(self) -> int:
        """Machine words per board: 1 up to 8x8, 4 above."""
        return 1 if self.size <= 8 else 4

    @cached_property
    def _stride(self) -> int:
        return stride(self.words)

    @cached_property
    def full(self) -> int:
        """The mask of all squares of the board."""
        return sum(self.bit(square) for square in range(self.pass_move))

    @cached_property
    def _full_board(self) -> Board:
        return self.board(self.full)

    def bit(self, square: int) -> int:
        """The mask of one square."""
        return 1 << (square // self.size * self._stride + square % self.size)

    @cached_property
    def by_bit(self) -> tuple[int, ...]:
        """The square of every bit number that kernels use; -1 and what is not on the board are the pass.

        >>> Rules(6).by_bit[8], Rules(6).by_bit[-1]
        (6, 36)
        """
        numbers = [self.pass_move] * (64 * self.words + 1)
        for square in range(self.pass_move):
            numbers[self.bit(square).bit_length() - 1] = square
        return tuple(numbers)

    def squares(self, mask: int) -> Iterator[int]:
        """The squares of a mask, in rising order."""
        return iter(_squares_of(self.size, mask))

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

    def name(self, move: int) -> str:
        """The text of a square or of the pass.

        >>> Rules(8).name(19), Rules(10).name(99), Rules(8).name(64)
        ('d3', 'j10', 'pass')
        """
        if not 0 <= move <= self.pass_move:
            raise IllegalMove(f"move {move} is not on a {self}; expected 0 to {self.pass_move} (pass)")
        return self._names[move]

    @cached_property
    def _names(self) -> tuple[str, ...]:
        rows, columns = range(1, self.size + 1), ascii_lowercase[: self.size]
        return (*(f"{column}{row}" for row in rows for column in columns), "pass")

    def square(self, text: str) -> int:
        """The number of a square such as `d3`, or of `pass`.

        >>> Rules(8).square("D3"), Rules(16).square("p16"), Rules(4).square("pass")
        (19, 255, 16)
        """
        name = text.strip().lower()
        if name in ("pass", "pa", "ps", "--", "@@"):
            return self.pass_move
        column = ascii_lowercase.find(name[:1]) if name else -1
        row = int(name[1:]) - 1 if re.fullmatch("[1-9][0-9]?", name[1:]) else -1
        if 0 <= column < self.size and 0 <= row < self.size:
            return row * self.size + column
        last = self.name(self.pass_move - 1)
        raise BadNotation(f"{text!r} is not a square of a {self.size}x{self.size} board; expected a1 to {last}")

    def image(self, move: int, number: int) -> int:
        """Where a symmetry (see `Position.transform`) takes a square; the pass stays the pass.

        >>> Rules().name(Rules().image(19, 1)), Rules().image(64, 1)
        ('e3', 64)
        """
        return move if move == self.pass_move else _symmetry(self.size, number)[move]


@cache
def _rules(size: int, variant: Variant) -> Rules:
    """Rules to share, so that what they work out is worked out once."""
    return Rules(size, variant)


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
    wide, tables = Rules(size)._stride, []
    for first in range(0, 64 * Rules(size).words, 8):
        table = [nothing]
        for row, column in (divmod(bit, wide) for bit in range(first, first + 8)):
            value = values[row * size + column] if max(row, column) < size else nothing
            table += [below + value for below in table]
        tables.append(table)
    return tables


@cache
def _squares_by_byte(size: int) -> list[list[tuple[int, ...]]]:
    return _by_byte(size, [(square,) for square in range(size * size)], ())


@cache
def _images_by_byte(size: int, number: int) -> list[list[int]]:
    return _by_byte(size, [Rules(size).bit(square) for square in _symmetry(size, number)], 0)


def _squares_of(size: int, mask: int) -> tuple[int, ...]:
    """The squares of a mask, in rising order."""
    tables = _squares_by_byte(size)
    return sum(map(getitem, tables, mask.to_bytes(len(tables), "little")), ())


def _image_of(size: int, number: int, mask: int) -> int:
    """The mask that a symmetry makes of a mask."""
    tables = _images_by_byte(size, number)
    return sum(map(getitem, tables, mask.to_bytes(len(tables), "little")))


@dataclass(frozen=True, order=True, repr=False)
class Position:
    """Discs and the side to move. `black` and `white` are masks; see `Rules.squares` and `Rules.bit`.

    >>> position = Position.start().play("d3")
    >>> position
    standard 8x8, white to move, black 4 white 1
      a b c d e f g h
    1 - - - - - - - - 1
    2 - - - - - - - - 2
    3 - - . X . - - - 3
    4 - - - X X - - - 4
    5 - - . X O - - - 5
    6 - - - - - - - - 6
    7 - - - - - - - - 7
    8 - - - - - - - - 8
      a b c d e f g h
    """

    rules: Rules
    black: int
    white: int
    turn: Color = Color.BLACK

    def __post_init__(self) -> None:
        if self.black & self.white or (self.black | self.white) & ~self.rules.full:
            raise BadNotation(
                f"two discs on one square, or a disc outside the {self.rules.size}x{self.rules.size} board"
            )

    def __reduce__(self) -> tuple[type["Position"], tuple[Rules, int, int, Color]]:
        return Position, (self.rules, self.black, self.white, self.turn)  # without what was worked out

    # --- making positions -----------------------------------------------------------------------------

    @classmethod
    def start(cls, rules: Rules | None = None) -> "Position":
        """The initial position: white on the falling diagonal of the centre, black to move.

        >>> Position.start(Rules(4)).line()
        '-----OX--XO----- X'
        """
        rules = rules or _rules(8, "standard")
        half = rules.size // 2
        corner = (half - 1) * rules.size + half - 1
        black = rules.bit(corner + 1) | rules.bit(corner + rules.size)
        white = rules.bit(corner) | rules.bit(corner + rules.size + 1)
        return cls(rules, black, white)

    @classmethod
    def parse(cls, text: str, variant: Variant = "standard") -> "Position":
        """The position written as a line of n² squares and the side to move, or as `str` draws it.

        X x * B b and ● are black, O o W w and ○ white, - . and _ empty; blanks and line ends do not
        matter, and whatever follows a semicolon is left to readers of OBF. The size follows from the length.

        >>> Position.parse("-----OX--XO----- O") == Position.start(Rules(4)).with_turn(Color.WHITE)
        True
        >>> Position.parse(str(Position.start())) == Position.start()
        True
        """
        signs, side = _board_signs(text)
        rules = _rules(_size_of(len(signs), text), variant)
        for strange in signs.translate(_DROP_SIGNS)[:1]:
            square = signs.index(strange)
            raise _strange(strange, f"square {rules.name(square)} (number {square + 1} of {len(signs)})")
        if not side or side not in _ALL_SIGNS:
            raise _strange(side, "the side to move")
        if side in _EMPTY_SIGNS:
            raise BadNotation(f"side to move is {side!r} in {_shown(text)}; expected X (black) or O (white)")
        black, white = (_mask_of(signs.translate(is_own), rules) for is_own in (_IS_BLACK, _IS_WHITE))
        return cls(rules, black, white, Color.BLACK if side in _BLACK_SIGNS else Color.WHITE)

    def with_turn(self, turn: Color) -> "Position":
        """The same discs with this side to move."""
        return Position(self.rules, self.black, self.white, turn)

    def with_variant(self, variant: Variant) -> "Position":
        """The same discs and side to move under the other rule of winning."""
        return Position(_rules(self.rules.size, variant), self.black, self.white, self.turn)

    # --- moving ---------------------------------------------------------------------------------------

    @property
    def own(self) -> int:
        """Mask of the side to move."""
        return self.white if self.turn else self.black

    @property
    def opposing(self) -> int:
        """Mask of the side not to move."""
        return self.black if self.turn else self.white

    @property
    def boards(self) -> tuple[Board, Board, Board]:
        """What kernels take: discs of the side to move, of the other side, all squares."""
        rules = self.rules
        own, opposing = (self.white, self.black) if self.turn else (self.black, self.white)
        if rules.words == 1:
            return (Word(own),), (Word(opposing),), rules._full_board
        return rules.board(own), rules.board(opposing), rules._full_board

    @cached_property
    def moves_mask(self) -> int:
        """Mask of the squares the side to move may play; 0 when it must pass or the game is over."""
        return self.rules.mask(kernels.legal_moves(*self.boards))

    @cached_property
    def moves(self) -> tuple[int, ...]:
        """The legal moves: squares in rising order, the pass alone when forced, nothing when the game is over.

        >>> [Rules().name(move) for move in Position.start().moves]
        ['d3', 'c4', 'f5', 'e6']
        """
        if self.moves_mask:
            return _squares_of(self.rules.size, self.moves_mask)
        return () if self.is_over else (self.rules.pass_move,)

    @cached_property
    def is_over(self) -> bool:
        """Whether neither side can move: a full board and a side without discs are cases of it."""
        return not self.moves_mask and not self.with_turn(self.turn.other).moves_mask

    @property
    def must_pass(self) -> bool:
        """Whether the only legal move is the pass."""
        return not self.moves_mask and not self.is_over

    def play(self, move: int | str) -> "Position":
        """The position after a legal move, given by number or name.

        >>> Position.start().play("a1")
        Traceback (most recent call last):
        outflank.errors.IllegalMove: black cannot play a1; legal: d3 c4 f5 e6
        """
        rules = self.rules
        square = rules.square(move) if isinstance(move, str) else move
        if square == rules.pass_move and self.must_pass:
            return self.with_turn(_OTHER[self.turn])
        bit = rules.bit(square) if 0 <= square < rules.pass_move else 0
        if not bit & self.moves_mask:
            raise IllegalMove(f"{self.turn} cannot play {rules.name(square)}; {self._legal_text()}")
        me, opp, _ = self.boards
        own, opposing = kernels.play(me, opp, bit.bit_length() - 1)
        if self.turn:
            return Position(rules, rules.mask(own), rules.mask(opposing), Color.BLACK)
        return Position(rules, rules.mask(opposing), rules.mask(own), Color.WHITE)

    def _legal_text(self) -> str:
        if self.is_over:
            return "the game is over"
        return "legal: " + " ".join(self.rules.name(move) for move in self.moves)

    # --- counting -------------------------------------------------------------------------------------

    @property
    def empties(self) -> int:
        """Number of empty squares."""
        return self.rules.pass_move - self.discs(Color.BLACK) - self.discs(Color.WHITE)

    def discs(self, color: Color) -> int:
        """Number of discs of one side."""
        return (self.white if color else self.black).bit_count()

    def score(self, color: Color, empties: Empties = "nobody") -> int:
        """The margin by which `color` is ahead under these rules, positive when it wins.

        With `empties="winner"` the empty squares go to the side with more discs, as tournaments count.
        The reversed game negates both.

        >>> board = Position.parse("XXXXXX--OO------ X")
        >>> board.score(Color.BLACK), board.score(Color.BLACK, empties="winner")
        (4, 12)
        >>> board.with_variant("reversed").score(Color.BLACK)
        -4
        """
        margin = self.discs(color) - self.discs(color.other)
        if empties == "winner" and margin:
            margin += self.empties if margin > 0 else -self.empties
        return margin if self.rules.variant == "standard" else -margin

    @property
    def winner(self) -> Color | None:
        """The winner of a finished game; None for a draw or while the game goes on."""
        margin = self.score(Color.BLACK)
        if not self.is_over or margin == 0:
            return None
        return Color.BLACK if margin > 0 else Color.WHITE

    # --- symmetry -------------------------------------------------------------------------------------

    def transform(self, number: int) -> "Position":
        """The image under one of the eight symmetries: bit 0 mirrors columns, bit 1 rows, bit 2 swaps both.

        >>> Position.start().transform(1) == Position.start()
        False
        >>> Position.start().transform(4) == Position.start()
        True
        """
        black, white = (_image_of(self.rules.size, number, mask) for mask in (self.black, self.white))
        return Position(self.rules, black, white, self.turn)

    def canonical(self) -> "Position":
        """The least of the eight images: the same for positions that differ by a symmetry only.

        >>> len({Position.start().play(move).canonical() for move in Position.start().moves})
        1
        """
        size = self.rules.size
        black, white = min((_image_of(size, i, self.black), _image_of(size, i, self.white)) for i in range(8))
        return Position(self.rules, black, white, self.turn)

    # --- perft ----------------------------------------------------------------------------------------

    def perft(self, depth: int, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Number of lines of play of `depth` plies; a pass is a ply, a finished game counts once.

        Deep trees are cut into tasks for all cores, and Ctrl-C ends the work between two tasks;
        `on_progress(done, tasks)` is called after each.

        >>> [Position.start(Rules(6)).perft(depth) for depth in range(1, 6)]
        [4, 12, 56, 244, 1364]
        """
        if depth < 0:
            raise BadNotation(f"depth {depth} is not possible; expected 0 or more")
        if depth == 0:
            return 1
        tasks, finished = [self], 0
        while depth > _PERFT_SHALLOW and 0 < len(tasks) < _PERFT_TASKS:
            finished += sum(task.is_over for task in tasks)
            tasks = [task.play(move) for task in tasks for move in task.moves]
            depth -= 1
        return finished + _count_in_threads(tasks, depth, on_progress)

    def divide(self, depth: int) -> dict[int, int]:
        """`perft(depth)` split by the first move.

        >>> {Rules(4).name(move): n for move, n in Position.start(Rules(4)).divide(4).items()}
        {'b1': 32, 'a2': 32, 'd3': 32, 'c4': 32}
        """
        if depth < 1:
            raise BadNotation(f"depth {depth} cannot be divided by moves; expected 1 or more")
        return {move: self.play(move).perft(depth - 1) for move in self.moves}

    # --- text and pictures ----------------------------------------------------------------------------

    def cells(self) -> list[str]:
        """The rows as text, `X` black, `O` white, `-` empty.

        >>> Position.start(Rules(4)).cells()
        ['----', '-OX-', '-XO-', '----']
        """
        size, wide = self.rules.size, self.rules._stride
        # A digit for every bit, as one hexadecimal number: 1 for black, 2 for white.
        digits = int(f"{self.black:b}", 16) + 2 * int(f"{self.white:b}", 16)
        signs = f"{digits:0{size * wide}x}"[::-1].translate(_SIGN_OF_DIGIT)
        return [signs[row * wide : row * wide + size] for row in range(size)]

    def line(self) -> str:
        """The position as one line: n² squares, a blank, the side to move; as OBF files and Edax write it."""
        return f"{''.join(self.cells())} {self.turn.sign}"

    def _legal_cells(self) -> set[tuple[int, int]]:
        return {divmod(square, self.rules.size) for square in self.rules.squares(self.moves_mask)}

    def _cell(self, move: int | None) -> tuple[int, int] | None:
        return None if move is None or move == self.rules.pass_move else divmod(move, self.rules.size)

    def text(self, last: int | None = None) -> str:
        """The board in characters with the legal moves marked, and the last move where given."""
        return text_board(self.cells(), self._legal_cells(), self._cell(last))

    def __str__(self) -> str:
        return f"{self.text()}\n{self.turn} to move"

    def __repr__(self) -> str:
        state = "game over" if self.is_over else f"{self.turn} to move"
        counts = f"black {self.discs(Color.BLACK)} white {self.discs(Color.WHITE)}"
        return f"{self.rules}, {state}, {counts}\n{self.text()}"

    def svg(self, last: int | None = None) -> str:
        """A drawing with the legal moves marked, and the last move where given."""
        title = f"{self.rules}, " + ("game over" if self.is_over else f"{self.turn} to move")
        return svg_board(self.cells(), self._legal_cells(), self._cell(last), title)

    def _repr_svg_(self) -> str:
        return self.svg()


def _count_in_threads(tasks: list[Position], depth: int, on_progress: Callable[[int, int], None] | None) -> int:
    """Sum of perft over the tasks, on all cores; kernels release the GIL."""

    def count(task: Position) -> int:
        me, opp, full = task.boards
        return kernels.perft(me, opp, full, depth)

    leaves = 0
    pool = ThreadPoolExecutor(cpu_count())
    try:
        counts = pool.map(count, tasks)
        for done, leaves_of_task in enumerate(counts, start=1):
            leaves += leaves_of_task
            if on_progress is not None:
                on_progress(done, len(tasks))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return leaves


# --- reading position text ----------------------------------------------------------------------------------


def _shown(text: str) -> str:
    """Text as an error quotes it: one line, not too long."""
    flat = " ".join(text.split())
    return repr(flat if len(flat) <= 80 else f"{flat[:60]}…")


def _board_signs(text: str) -> tuple[str, str]:
    """(n² signs, sign of the side to move) of a line or a drawn board."""
    lines = [line.split() for line in text.partition(";")[0].splitlines() if line.strip()]
    if len(lines) > 1 and lines[0] == list(ascii_lowercase[: len(lines[0])]):
        size = len(lines[0])
        signs = "".join("".join(line[1 : size + 1]) for line in lines[1 : size + 1])
        side = next((line[0] for line in lines[size + 1 :] if line[-1] == "move"), "")
    else:
        compact = "".join("".join(line) for line in lines)
        signs, side = compact[:-1], compact[-1:]
    return signs, {"black": "X", "white": "O"}.get(side, side)


def _size_of(squares: int, text: str) -> int:
    for size in SIZES:
        if size * size == squares:
            return size
    counts = ", ".join(str(size * size) for size in SIZES)
    raise BadNotation(
        f"position has {squares} squares and a side to move in {_shown(text)}; "
        f"expected one of {counts} squares, row by row from a1, then X or O"
    )


def _strange(sign: str, where: str) -> BadNotation:
    return BadNotation(f"strange character {sign!r} at {where}; expected X (black), O (white) or - (empty)")


def _mask_of(digits: str, rules: Rules) -> int:
    """The mask whose squares, row by row, are the 1s of a text of 0 and 1."""
    size, blank = rules.size, "0" * (rules._stride - rules.size)
    rows = (digits[at : at + size] for at in range(0, len(digits), size))
    return int(blank.join(rows)[::-1], 2)
