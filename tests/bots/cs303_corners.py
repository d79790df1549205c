"""A bot as the course CS303 describes it: Reversed Reversi, fewest discs win."""

import numpy as np

COLOR_BLACK = -1
COLOR_WHITE = 1
COLOR_NONE = 0


class AI(object):
    def __init__(self, chessboard_size, color, time_out):
        self.chessboard_size = chessboard_size
        self.color = color
        self.time_out = time_out
        self.candidate_list = []

    def go(self, chessboard):
        self.candidate_list.clear()
        empty = np.where(chessboard == COLOR_NONE)
        legal = [(r, c) for r, c in zip(empty[0], empty[1]) if self.flips(chessboard, r, c)]
        self.candidate_list.extend(legal)
        if legal:
            self.candidate_list.append(min(legal, key=lambda square: self.cost(chessboard, *square)))

    def cost(self, board, row, column):
        edge = self.chessboard_size - 1
        corner = row in (0, edge) and column in (0, edge)
        return 100 * corner + self.flips(board, row, column)

    def flips(self, board, row, column):
        total = 0
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                r, c, run = row + down, column + right, 0
                while 0 <= r < len(board) and 0 <= c < len(board) and board[r][c] == -self.color:
                    r, c, run = r + down, c + right, run + 1
                if run and 0 <= r < len(board) and 0 <= c < len(board) and board[r][c] == self.color:
                    total += run
        return total
