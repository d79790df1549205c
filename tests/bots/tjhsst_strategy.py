"""A bot as TJHSST's tournament server describes it, with the bordered board of its example."""

DIRECTIONS = (-11, -10, -9, -1, 1, 9, 10, 11)


class Strategy:
    logging = True
    uses_10x10_board = True
    uses_10x10_moves = True

    def best_strategy(self, board, player, best_move, still_running):
        depth = 1
        legal = self.legal_moves(board, player)
        while still_running.value > 0 and depth < 3:
            best_move.value = max(legal, key=lambda move: (self.worth(move), -move)) if depth > 1 else legal[0]
            depth += 1

    def worth(self, move):
        row, column = divmod(move, 10)
        return (row in (1, 8)) + (column in (1, 8))

    def legal_moves(self, board, player):
        return [at for at, square in enumerate(board) if square == "." and self.turns(board, at, player)]

    def turns(self, board, at, player):
        other = "o" if player == "x" else "x"
        for step in DIRECTIONS:
            here = at + step
            while board[here] == other:
                here += step
            if board[here] == player and here != at + step:
                return True
        return False
