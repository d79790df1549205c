"""`Position`: discs and the side to move, as a value.

Comparing, hashing and sorting work, and playing a move gives a new position. A search starts without conversion,
because the masks have the layout of the kernels; ask for squares and never see it. The compiled functions know only
the side to move; black and white live here.

A game in Python makes one position per move, so these values are made for that: a position works out its moves once.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from outflank.board.perft import check_depth, perft
from outflank.board.rules import Color, Empties, Move, Rules, Variant, image_of, shared_rules, squares_of
from outflank.board.text import board_rows, parse_board, parse_moves
from outflank.errors import BadNotation, IllegalMove
from outflank.inputs import expect, shown
from outflank.kernels import rules as kernels
from outflank.kernels.jit import Board, Word
from outflank.lazy import lazy
from outflank.render import png_board, svg_board, text_board


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
        if not (isinstance(self.turn, Color) and isinstance(self.rules, Rules)):
            expect(Color, turn=self.turn)
            expect(Rules, rules=self.rules)
        if not (isinstance(self.black, int) and isinstance(self.white, int)):
            expect(int, black=self.black, white=self.white)
        if self.black & self.white or (self.black | self.white) & ~self.rules.full:
            raise BadNotation(
                f"two discs on one square, or a disc outside the {self.rules.size}x{self.rules.size} board"
            )

    def __reduce__(self) -> tuple[type["Position"], tuple[Rules, int, int, Color]]:
        return Position, (self.rules, self.black, self.white, self.turn)  # without what was worked out

    # --- making positions -----------------------------------------------------------------------------

    @classmethod
    def start(cls, rules: Rules | str | None = None) -> "Position":
        """The initial position: white on the falling diagonal of the centre, black to move. Rules may be text.

        >>> Position.start(Rules(4)).line(), str(Position.start("reversed 6x6").rules)
        ('-----OX--XO----- X', 'reversed 6x6')
        """
        if not isinstance(rules, Rules):
            expect(Rules | str | None, rules=rules)
            rules = shared_rules(8, "standard") if rules is None else Rules.parse(rules)
        half = rules.size // 2
        corner = (half - 1) * rules.size + half - 1
        black = rules.bit(corner + 1) | rules.bit(corner + rules.size)
        white = rules.bit(corner) | rules.bit(corner + rules.size + 1)
        return cls(rules, black, white)

    @classmethod
    def after(cls, moves: str, rules: Rules | str | None = None) -> "Position":
        """The position after a transcript from the usual start; passes may be left out.

        >>> Position.after("f5d6c3") == Position.start().play("f5").play("d6").play("c3")
        True
        """
        position = cls.start(rules)
        return [position, *(after for _, after in position.replay(moves))][-1]

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
        return cls(*parse_board(text, variant))

    def with_turn(self, turn: Color) -> "Position":
        """The same discs with this side to move."""
        return Position(self.rules, self.black, self.white, turn)

    def with_variant(self, variant: Variant) -> "Position":
        """The same discs and side to move under the other rule of winning."""
        return Position(shared_rules(self.rules.size, variant), self.black, self.white, self.turn)

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
            return (Word(own),), (Word(opposing),), rules.full_board
        return rules.board(own), rules.board(opposing), rules.full_board

    @lazy
    def moves_mask(self) -> int:
        """Mask of the squares the side to move may play; 0 when it must pass or the game is over."""
        return self.rules.mask(kernels.legal_moves(*self.boards))

    @lazy
    def moves(self) -> tuple[Move, ...]:
        """The legal moves: squares in rising order, the pass alone when forced, nothing when the game is over.

        >>> Position.start().moves
        (d3, c4, f5, e6)
        """
        if self.moves_mask:
            return squares_of(self.rules.size, self.moves_mask)
        return () if self.is_over else (self.rules.pass_move,)

    @lazy
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
        square = move if isinstance(move, Move) else rules.move(move)
        if square == rules.pass_move and self.must_pass:
            return self.with_turn(self.turn.other)
        bit = rules.bit(square) if 0 <= square < rules.cells else 0
        if not bit & self.moves_mask:
            raise IllegalMove(f"{self.turn} cannot play {rules.move(square)}; {self._legal_text()}")
        me, opp, _ = self.boards
        own, opposing = kernels.play(me, opp, bit.bit_length() - 1)
        if self.turn:
            return Position(rules, rules.mask(own), rules.mask(opposing), Color.BLACK)
        return Position(rules, rules.mask(opposing), rules.mask(own), Color.WHITE)

    def _legal_text(self) -> str:
        if self.is_over:
            return "the game is over"
        return "legal: " + " ".join(map(str, self.moves))

    def replay(self, moves: str) -> Iterator[tuple[Move, "Position"]]:
        """Every move of a transcript from here with the position after it; passes left out are put in.

        >>> [move for move, _ in Position.start().replay("f5 d6 2. c3")]
        [f5, d6, c3]
        >>> list(Position.start().replay("f5 pass"))
        Traceback (most recent call last):
        outflank.errors.IllegalMove: move 2 (character 4): white cannot play pass; legal: f4 d6 f6
        """
        position, pass_move = self, self.rules.pass_move
        for number, (move, at) in enumerate(parse_moves(moves, self.rules), start=1):
            if position.must_pass and move != pass_move:
                position = position.play(pass_move)
                yield pass_move, position
            try:
                position = position.play(move)
            except IllegalMove as error:
                raise IllegalMove(f"move {number} (character {at + 1}): {error}") from None
            yield move, position

    # --- counting -------------------------------------------------------------------------------------

    @property
    def empties(self) -> int:
        """Number of empty squares."""
        return self.rules.cells - self.discs(Color.BLACK) - self.discs(Color.WHITE)

    def discs(self, color: Color) -> int:
        """Number of discs of one side."""
        return (self.white if color else self.black).bit_count()

    def score(self, color: Color = Color.BLACK, empties: Empties = "winner") -> int:
        """The score of `color` if the game were over now: the difference of discs, positive when it wins.

        **The one convention.** The empty squares go to the side with more discs, as OBF, GGF, WTHOR and Edax count; the
        reversed game has the same number with the other sign. Scores of games, records, exports, matches, the solver,
        reports and the page are counted like this. Where they count for nobody, it is said by name: `empties="nobody"`.

        >>> board = Position.parse("XXXXXX--OO------ X")
        >>> board.score(Color.BLACK), board.score(Color.BLACK, empties="nobody")
        (12, 4)
        >>> board.with_variant("reversed").score(Color.BLACK)
        -12
        """
        if not isinstance(color, Color):
            expect(Color, color=color)
        if empties not in ("winner", "nobody"):
            raise BadNotation(f"empty squares cannot go to {shown(empties)}; expected one of: winner, nobody")
        return self.rules.score(self.discs(color), self.discs(color.other), empties)

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
        expect(int, number=number)
        if not 0 <= number <= 7:
            raise BadNotation(f"symmetry {shown(number)} is not known; expected 0 to 7")
        black, white = (image_of(self.rules.size, number, mask) for mask in (self.black, self.white))
        return Position(self.rules, black, white, self.turn)

    def canonical(self) -> "Position":
        """The least of the eight images: the same for positions that differ by a symmetry only.

        >>> len({Position.start().play(move).canonical() for move in Position.start().moves})
        1
        """
        size = self.rules.size
        black, white = min((image_of(size, i, self.black), image_of(size, i, self.white)) for i in range(8))
        return Position(self.rules, black, white, self.turn)

    # --- perft ----------------------------------------------------------------------------------------

    def perft(self, depth: int, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Number of lines of play of `depth` plies; a pass is a ply, a finished game counts once.

        Deep trees are cut into tasks for all cores, and Ctrl-C ends the work between two tasks;
        `on_progress(done, tasks)` is called after each.

        >>> [Position.start(Rules(6)).perft(depth) for depth in range(1, 6)]
        [4, 12, 56, 244, 1364]
        """
        return perft(self, depth, on_progress)

    def divide(self, depth: int) -> dict[Move, int]:
        """`perft(depth)` split by the first move.

        >>> Position.start(Rules(4)).divide(4)
        {b1: 32, a2: 32, d3: 32, c4: 32}
        """
        check_depth(depth)
        if depth < 1:
            raise BadNotation(f"depth {depth} cannot be divided by moves; expected 1 or more")
        return {move: self.play(move).perft(depth - 1) for move in self.moves}

    # --- text and pictures ----------------------------------------------------------------------------

    def cells(self) -> list[str]:
        """The rows as text, `X` black, `O` white, `-` empty.

        >>> Position.start(Rules(4)).cells()
        ['----', '-OX-', '-XO-', '----']
        """
        return board_rows(self.rules, self.black, self.white)

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

    def png(self, last: int | None = None) -> bytes:
        """The same drawing as a PNG file.

        >>> Position.start().png()[1:4]
        b'PNG'
        """
        return png_board(self.cells(), self._legal_cells(), self._cell(last))

    def _repr_svg_(self) -> str:
        return self.svg()
