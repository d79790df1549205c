"""Counting lines of play: the usual check of a move generator, and a measure of speed."""

import time

from outflank import Position, Rules

if __name__ == "__main__":
    position = Position.start()
    position.perft(1)  # compiles, where that was not done before
    for depth in range(1, 10):
        began = time.perf_counter()
        count = position.perft(depth)
        seconds = time.perf_counter() - began
        print(f"perft({depth}) = {count:>10,}  {count / seconds / 1e6:8.1f} million a second")
    small = Position.start(Rules(4))
    for move, lines in small.divide(6).items():
        print(f"4x4, {move} first: {lines:,} lines of six plies")
