"""A bot of the interface stdio: takes a corner if it can, else the move that turns most discs (fewest when reversed).

outflank match 'stdio(cmd="python3 examples/bots/greedy.py")' random --games 20
"""

import sys

DIRECTIONS = [(row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if row or column]


def turned(board: str, size: int, me: str, row: int, column: int) -> int:
    """How many discs a move turns; 0 is no legal move."""
    if board[row * size + column] != "-":
        return 0
    total = 0
    for down, right in DIRECTIONS:
        r, c, run = row + down, column + right, 0
        while 0 <= r < size and 0 <= c < size and board[r * size + c] not in ("-", me):
            r, c, run = r + down, c + right, run + 1
        if run and 0 <= r < size and 0 <= c < size and board[r * size + c] == me:
            total += run
    return total


def choose(board: str, me: str, reverse: bool) -> str:
    """The square to play."""
    size = int(len(board) ** 0.5)
    best, square = None, ""
    for row in range(size):
        for column in range(size):
            discs = turned(board, size, me, row, column)
            if discs:
                corner = row in (0, size - 1) and column in (0, size - 1)
                value = -discs - 100 * corner if reverse else discs + 100 * corner
                if best is None or value > best:
                    best, square = value, f"{chr(ord('a') + column)}{row + 1}"
    return square


def main() -> None:
    """Answers one line after the other."""
    me, reverse = "X", False
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "game":
            reverse, me = rest[0] == "reversed", rest[2]
        elif word == "move":
            print(choose(rest[0], me, reverse), flush=True)


if __name__ == "__main__":
    main()
