"""The game: `Rules`, `Color` and `Position`.

A `Position` is a value: comparing, hashing and sorting work, and playing a move gives a new one. Squares are
integers row by row, a1 = 0, with the pass as n². Discs are kept as bit masks in the layout that the kernels
use (bit `stride * row + column`), so that a search starts without conversion; ask for squares and never see
it. The compiled functions know only the side to move; black and white live here.
"""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property
from os import cpu_count
from string import ascii_lowercase
from typing import Literal, get_args

from outflank.errors import BadNotation, BadRules, IllegalMove
from outflank.kernels import rules as kernels
from outflank.kernels.jit import Board, Word
from outflank.kernels.words import stride
from outflank.render import svg_board, text_board

Variant = Literal["standard", "reversed"]
Empties = Literal["nobody", "winner"]

SIZES = (4, 6, 8, 10, 12, 14, 16)
VARIANTS: tuple[Variant, ...] = get_args(Variant)

_BLACK_SIGNS, _WHITE_SIGNS, _EMPTY_SIGNS = "Xx*Bb●", "Oo○Ww", "-._"
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
        return Color(1 - self)

    @property
    def sign(self) -> str:
        """X for black, O for white."""
        return "XO"[self]

    def __str__(self) -> str:
        return self.name.lower()


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

    @classmethod
    def parse(cls, text: str) -> "Rules":
        """The rules that `str` printed.

        >>> Rules.parse("reversed 6x6")
        Rules(size=6, variant='reversed')
        """
        for size in SIZES:
            for variant in VARIANTS:
                if text.split() == [variant, f"{size}x{size}"]:
                    return cls(size, variant)
        raise BadRules(f"rules {text!r} are not known; expected for example 'standard 8x8' or 'reversed 6x6'")

    def __str__(self) -> str:
        return f"{self.variant} {self.size}x{self.size}"

    @property
    def pass_move(self) -> int:
        """The number of the pass: n², one more than the last square."""
        return self.size * self.size

    @property
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

    def bit(self, square: int) -> int:
        """The mask of one square."""
        return 1 << (square // self.size * self._stride + square % self.size)

    def squares(self, mask: int) -> Iterator[int]:
        """The squares of a mask, in rising order."""
        while mask:
            row, column = divmod((mask & -mask).bit_length() - 1, self._stride)
            yield row * self.size + column
            mask &= mask - 1

    def board(self, mask: int) -> Board:
        """A mask as the words that kernels take."""
        if self.words == 1:
            return (Word(mask),)
        return tuple(Word(mask >> shift & _WORD_MASK) for shift in (0, 64, 128, 192))

    def mask(self, board: Board) -> int:
        """The words of a kernel as a mask: the inverse of `board`."""
        return sum(int(word) << 64 * i for i, word in enumerate(board))

    def name(self, move: int) -> str:
        """The text of a square or of the pass.

        >>> Rules(8).name(19), Rules(10).name(99), Rules(8).name(64)
        ('d3', 'j10', 'pass')
        """
        if not 0 <= move <= self.pass_move:
            raise IllegalMove(f"move {move} is not on a {self}; expected 0 to {self.pass_move} (pass)")
        if move == self.pass_move:
            return "pass"
        return f"{ascii_lowercase[move % self.size]}{move // self.size + 1}"

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

    # --- making positions -----------------------------------------------------------------------------

    @classmethod
    def start(cls, rules: Rules | None = None) -> "Position":
        """The initial position: white on the falling diagonal of the centre, black to move.

        >>> Position.start(Rules(4)).line()
        '-----OX--XO----- X'
        """
        rules = rules or Rules()
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
        rules = Rules(_size_of(len(signs), text), variant)
        masks = {Color.BLACK: 0, Color.WHITE: 0}
        for square, sign in enumerate(signs):
            color = _color_of(sign, f"square {rules.name(square)} (number {square + 1} of {len(signs)})")
            if color is not None:
                masks[color] |= rules.bit(square)
        turn = _color_of(side, "the side to move")
        if turn is None:
            raise BadNotation(f"side to move is {side!r} in {_shown(text)}; expected X (black) or O (white)")
        return cls(rules, masks[Color.BLACK], masks[Color.WHITE], turn)

    def with_turn(self, turn: Color) -> "Position":
        """The same discs with this side to move."""
        return Position(self.rules, self.black, self.white, turn)

    def with_variant(self, variant: Variant) -> "Position":
        """The same discs and side to move under the other rule of winning."""
        return Position(Rules(self.rules.size, variant), self.black, self.white, self.turn)

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
        board = self.rules.board
        return board(self.own), board(self.opposing), board(self.rules.full)

    @cached_property
    def moves_mask(self) -> int:
        """Mask of the squares the side to move may play; 0 when it must pass or the game is over."""
        return self.rules.mask(kernels.legal_moves(*self.boards))

    @property
    def moves(self) -> tuple[int, ...]:
        """The legal moves: squares in rising order, the pass alone when forced, nothing when the game is over.

        >>> [Rules().name(move) for move in Position.start().moves]
        ['d3', 'c4', 'f5', 'e6']
        """
        if self.moves_mask:
            return tuple(self.rules.squares(self.moves_mask))
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
            return self.with_turn(self.turn.other)
        if not (0 <= square < rules.pass_move and rules.bit(square) & self.moves_mask):
            raise IllegalMove(f"{self.turn} cannot play {rules.name(square)}; {self._legal_text()}")
        own, opposing, _ = self.boards
        after = kernels.play(own, opposing, rules.bit(square).bit_length() - 1)
        black, white = rules.mask(after[1 - self.turn]), rules.mask(after[self.turn])
        return Position(rules, black, white, self.turn.other)

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
        image = _symmetry(self.rules.size, number)

        def moved(mask: int) -> int:
            return sum(self.rules.bit(image[square]) for square in self.rules.squares(mask))

        return Position(self.rules, moved(self.black), moved(self.white), self.turn)

    def canonical(self) -> "Position":
        """The least of the eight images: the same for positions that differ by a symmetry only.

        >>> len({Position.start().play(move).canonical() for move in Position.start().moves})
        1
        """
        return min(self.transform(number) for number in range(8))

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
        size = self.rules.size
        signs = ["-"] * self.rules.pass_move
        for color, mask in ((Color.BLACK, self.black), (Color.WHITE, self.white)):
            for square in self.rules.squares(mask):
                signs[square] = color.sign
        return ["".join(signs[row * size : (row + 1) * size]) for row in range(size)]

    def line(self) -> str:
        """The position as one line: n² squares, a blank, the side to move; as OBF files and Edax write it."""
        return f"{''.join(self.cells())} {self.turn.sign}"

    def _legal_cells(self) -> set[tuple[int, int]]:
        return {divmod(square, self.rules.size) for square in self.rules.squares(self.moves_mask)}

    def __str__(self) -> str:
        return f"{text_board(self.cells(), self._legal_cells())}\n{self.turn} to move"

    def __repr__(self) -> str:
        state = "game over" if self.is_over else f"{self.turn} to move"
        counts = f"black {self.discs(Color.BLACK)} white {self.discs(Color.WHITE)}"
        return f"{self.rules}, {state}, {counts}\n{text_board(self.cells(), self._legal_cells())}"

    def svg(self, last: int | None = None) -> str:
        """A drawing with the legal moves marked, and the last move where given."""
        mark = None if last is None or last == self.rules.pass_move else divmod(last, self.rules.size)
        title = f"{self.rules}, " + ("game over" if self.is_over else f"{self.turn} to move")
        return svg_board(self.cells(), self._legal_cells(), mark, title)

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


def _color_of(sign: str, where: str) -> Color | None:
    """The colour a sign stands for, None for an empty square."""
    for signs, color in ((_EMPTY_SIGNS, None), (_BLACK_SIGNS, Color.BLACK), (_WHITE_SIGNS, Color.WHITE)):
        if sign and sign in signs:
            return color
    raise BadNotation(f"strange character {sign!r} at {where}; expected X (black), O (white) or - (empty)")
