"""A slow and obvious Reversi oracle, written from the rules alone, to check the fast kernels against.

Nothing here may import from the package under test. A board is a tuple of n strings of n characters
('X' black, 'O' white, '-' empty), row 0 on top; a side is 'X' or 'O'; squares are numbered row by row
from a1 = 0 and the number n*n means a pass.
"""

from collections.abc import Iterator
from functools import cache
from math import isqrt

Board = tuple[str, ...]
OTHER = {"X": "O", "O": "X"}
DIRECTIONS = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if (dr, dc) != (0, 0)]
MASK = 2**64 - 1


@cache
def rays(n: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """For every square, its rays: the squares met when walking from it to the edge, nearest first.

    A ray of fewer than two squares can capture nothing and is left out.
    """
    table = []
    for square in range(n * n):
        found = []
        for dr, dc in DIRECTIONS:
            row, col, ray = square // n + dr, square % n + dc, []
            while 0 <= row < n and 0 <= col < n:
                ray.append(row * n + col)
                row, col = row + dr, col + dc
            if len(ray) >= 2:
                found.append(tuple(ray))
        table.append(tuple(found))
    return tuple(table)


def captured(cells: str, ray: tuple[int, ...], side: str) -> tuple[int, ...]:
    """The opposing discs that `side` turns along one ray: an unbroken run of them closed by an own disc."""
    for length, square in enumerate(ray):
        if cells[square] == side:
            return ray[:length]
        if cells[square] == "-":
            return ()
    return ()


def start(n: int) -> Board:
    """The usual start: white on the falling diagonal of the centre, black on the rising one."""
    assert n % 2 == 0 and 4 <= n <= 16
    side, empty = "-" * (n // 2 - 1), ("-" * n,) * (n // 2 - 1)
    return (*empty, side + "OX" + side, side + "XO" + side, *empty)


def legal_moves(board: Board, side: str) -> list[int]:
    """The squares where `side` may place a disc, ascending; a pass is never listed."""
    cells, other, moves = "".join(board), OTHER[side], []
    for square, its_rays in enumerate(rays(len(board))):
        if cells[square] == "-":
            for ray in its_rays:
                if cells[ray[0]] == other and captured(cells, ray, side):
                    moves.append(square)
                    break
    return moves


def play(board: Board, side: str, square: int) -> Board:
    """The board after `side` has played on `square`; n*n is a pass, legal only when it is forced."""
    n = len(board)
    if square == n * n:
        assert not legal_moves(board, side) and legal_moves(board, OTHER[side]), "a pass must be forced"
        return board
    cells = "".join(board)
    assert 0 <= square < n * n and cells[square] == "-", "not an empty square of the board"
    turned = [disc for ray in rays(n)[square] for disc in captured(cells, ray, side)]
    assert turned, "a move must turn at least one disc"
    after = list(cells)
    for changed in [square, *turned]:
        after[changed] = side
    return tuple("".join(after[row : row + n]) for row in range(0, n * n, n))


def is_over(board: Board) -> bool:
    """Whether neither side can move."""
    return not legal_moves(board, "X") and not legal_moves(board, "O")


def counts(board: Board) -> tuple[int, int, int]:
    """The numbers of black discs, white discs and empty squares."""
    cells = "".join(board)
    return cells.count("X"), cells.count("O"), cells.count("-")


def score(board: Board, side: str, variant: str, empties: str) -> int:
    """The margin by which `side` wins; negative when it loses.

    Variant 'standard': own minus opposing discs; 'reversed': minus that. With empties='winner' the side
    with more discs (in both variants) also owns the empty squares, with 'nobody' they do not count.
    """
    assert side in OTHER and variant in ("standard", "reversed") and empties in ("nobody", "winner")
    black, white, empty = counts(board)
    margin = black - white
    if empties == "winner" and margin > 0:
        margin += empty
    if empties == "winner" and margin < 0:
        margin -= empty
    if side == "O":
        margin = -margin
    return margin if variant == "standard" else -margin


def line(board: Board, side: str) -> str:
    """The position as one line of text: n*n characters from a1 on, a blank, the side to move."""
    return "".join(board) + " " + side


def from_line(text: str) -> tuple[Board, str]:
    """The board and the side to move that `line` wrote."""
    cells, side = text.split(" ")
    n = isqrt(len(cells))
    assert n * n == len(cells) and n % 2 == 0 and 4 <= n <= 16
    assert set(cells) <= set("XO-") and side in OTHER
    return tuple(cells[row : row + n] for row in range(0, n * n, n)), side


def symmetries(board: Board) -> list[Board]:
    """The 8 images of the board: its four quarter turns (itself first), then the mirror image of each."""
    turns = [board]
    for _ in range(3):
        turns.append(tuple("".join(column) for column in zip(*turns[-1][::-1], strict=True)))
    return turns + [tuple(row[::-1] for row in turn) for turn in turns]


def plies(board: Board, side: str) -> list[int]:
    """What `side` may do: its legal squares, else the forced pass, else (the game is over) nothing."""
    moves = legal_moves(board, side)
    if not moves and legal_moves(board, OTHER[side]):
        return [len(board) ** 2]
    return moves


def perft(board: Board, side: str, depth: int) -> int:
    """The leaves `depth` plies down; a forced pass is one ply, a finished game is one leaf at any depth."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(legal_moves(board, side)) or 1  # a pass or a finished game: one leaf either way
    return sum(divide(board, side, depth).values()) or 1


def divide(board: Board, side: str, depth: int) -> dict[int, int]:
    """The `perft` below each ply that `side` may play, `depth` >= 1; empty when the game is over."""
    assert depth >= 1
    return {ply: perft(play(board, side, ply), OTHER[side], depth - 1) for ply in plies(board, side)}


def solve(board: Board, side: str, variant: str, empties: str) -> int:
    """The exact score for `side`, to move, when both sides play perfectly to the end."""
    memo: dict[tuple[Board, str], int] = {}

    def value(board: Board, side: str) -> int:
        if (board, side) not in memo:
            replies = [-value(play(board, side, ply), OTHER[side]) for ply in plies(board, side)]
            memo[board, side] = max(replies) if replies else score(board, side, variant, empties)
        return memo[board, side]

    return value(board, side)


def splitmix64(state: int) -> Iterator[int]:
    """The splitmix64 generator started at `state`."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def rotl(word: int, by: int) -> int:
    """A 64-bit word rotated to the left."""
    return ((word << by) | (word >> (64 - by))) & MASK


def xoroshiro128plus(s0: int, s1: int) -> Iterator[int]:
    """The xoroshiro128+ generator of Blackman and Vigna, 2018 constants, from its two state words."""
    while True:
        yield (s0 + s1) & MASK
        s1 ^= s0
        s0 = rotl(s0, 24) ^ s1 ^ ((s1 << 16) & MASK)
        s1 = rotl(s1, 37)


def stream(seed: int, game: int) -> Iterator[int]:
    """The random numbers of one game: xoroshiro128+ from the first two words of splitmix64."""
    words = splitmix64((seed + game * 0xD1342543DE82EF95) & MASK)
    return xoroshiro128plus(next(words), next(words))


def random_game(board: Board, side: str, seed: int, game: int) -> tuple[Board, list[int]]:
    """Play random moves to the end: the final board and the plies, passes included.

    Every ply, a forced pass too, draws one number r; of k legal moves it plays number ((r >> 32) * k) >> 32.
    """
    numbers, played = stream(seed, game), []
    while choices := plies(board, side):
        ply = choices[((next(numbers) >> 32) * len(choices)) >> 32]
        board, side = play(board, side, ply), OTHER[side]
        played.append(ply)
    return board, played
