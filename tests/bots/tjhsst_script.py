"""A script as TJHSST's labs describe it: board and token as arguments, the last number printed is the move."""

import sys


def main():
    board, token = sys.argv[1].lower(), sys.argv[2].lower()
    other = "o" if token == "x" else "x"
    legal = []
    for at in range(64):
        if board[at] == "." and any(closes(board, at, step, token, other) for step in (-9, -8, -7, -1, 1, 7, 8, 9)):
            legal.append(at)
    print("possible moves", legal)
    print("my move is", legal[-1])


def closes(board, at, step, token, other):
    here, seen = at, False
    while True:
        after = here + step
        if not 0 <= after < 64 or abs(after % 8 - here % 8) > 1:
            return False
        if board[after] == other:
            seen = True
        else:
            return seen and board[after] == token
        here = after


main()
