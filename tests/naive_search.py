"""Slow and obvious evaluations and minimax on the oracle's boards, written from the papers' descriptions."""

from collections.abc import Callable

import naive

Evaluate = Callable[[naive.Board, str], int]
"""Worth of a board to a side."""

# Phan & Synytsia, as printed: the whole 4x4 matrix, and the upper left quarter of the 12x12 matrix.
MATRIX_4 = [120, -20, -20, 120, -20, -40, -40, -20, -20, -40, -40, -20, 120, -20, -20, 120]
QUARTER_12 = [
    [120, -20, 20, 5, 3, 3],
    [-20, -40, -5, -5, -3, -3],
    [20, -5, 15, 3, 3, 3],
    [5, -5, 3, 3, 3, 3],
    [3, -3, 3, 3, 3, 3],
    [3, -3, 3, 3, 3, 3],
]


def nested(n: int) -> list[int]:
    """The printed 12x12 matrix with its middle rows and columns deleted, or the innermost ones repeated."""
    half = [min(i, 5) for i in range(n // 2)]
    places = half + half[::-1]
    return [QUARTER_12[row][column] for row in places for column in places]


# Lucas & Runarsson 2006, in hundredths: the upper left quarter of the standard weighted piece counter.
COUNTER = [[100, -25, 10, 5], [-25, -25, 1, 1], [10, 1, 5, 2], [5, 1, 2, 1]]


def counter(n: int) -> list[int]:
    """The standard piece counter for any board, its innermost rows and columns deleted or repeated."""
    fold = [min(i, n - 1 - i, 3) for i in range(n)]
    return [COUNTER[row][column] for row in fold for column in fold]


def position(board: naive.Board, side: str, worth: list[int]) -> int:
    cells = "".join(board)
    own = sum(value for sign, value in zip(cells, worth, strict=True) if sign == side)
    return own - sum(value for sign, value in zip(cells, worth, strict=True) if sign == naive.OTHER[side])


def mobility(board: naive.Board, side: str) -> int:
    return len(naive.legal_moves(board, side)) - len(naive.legal_moves(board, naive.OTHER[side]))


def discs(board: naive.Board, side: str) -> int:
    cells = "".join(board)
    return cells.count(side) - cells.count(naive.OTHER[side])


def edges(n: int) -> list[list[int]]:
    """The four edges as lists of squares."""
    last = n - 1
    return [
        list(range(n)),
        [last * n + column for column in range(n)],
        [row * n for row in range(n)],
        [row * n + last for row in range(n)],
    ]


def anchored(board: naive.Board, side: str) -> int:
    """Discs in unbroken runs along an edge from an owned corner, and all discs on full edges."""
    cells, stable = "".join(board), set()
    for edge in edges(len(board)):
        if "-" not in [cells[square] for square in edge]:
            stable |= {square for square in edge if cells[square] == side}
        for path in (edge, edge[::-1]):
            for square in path:
                if cells[square] != side:
                    break
                stable.add(square)
    return len(stable)


def stability(board: naive.Board, side: str) -> int:
    return anchored(board, side) - anchored(board, naive.OTHER[side])


def aggregation(board: naive.Board, side: str) -> int:
    """Ten times the mean squared distance to the centroid, rounded down; in exact fractions."""
    from fractions import Fraction

    places = [(row, column) for row, line in enumerate(board) for column, sign in enumerate(line) if sign == side]
    if not places:
        return 0
    rows = Fraction(sum(row for row, _ in places), len(places))
    columns = Fraction(sum(column for _, column in places), len(places))
    total = sum((row - rows) ** 2 + (column - columns) ** 2 for row, column in places)
    return int(10 * total / len(places))


def minimax(
    board: naive.Board,
    side: str,
    depth: int,
    evaluate: Evaluate,
    variant: str = "standard",
    pass_cost: int = 1,
    win: int = 10**6,
    margin: bool = False,
) -> int:
    """The value for `side`: full tree, no pruning; `evaluate` is asked for the side that began the search."""
    root = side

    def value(board: naive.Board, side: str, depth: int) -> int:
        moves = naive.plies(board, side)
        if not moves and win:
            score = naive.score(board, root, variant, "nobody")
            return (score > 0) * win - (score < 0) * win + (score if margin else 0)
        if depth == 0 or not moves:
            return evaluate(board, root)
        passing = moves == [len(board) ** 2]
        below = depth - pass_cost if passing else depth - 1
        values = [value(naive.play(board, side, move), naive.OTHER[side], below) for move in moves]
        return max(values) if side == root else min(values)

    return value(board, side, depth)
