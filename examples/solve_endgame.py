"""Perfect play to the end of the game: the score of every move, and a line of best moves."""

from outflank import Position, solve

GAME = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1f7e2g3h4f1e1f2g1b1f8g8b3h3b2"

if __name__ == "__main__":
    position = Position.after(GAME)
    print(repr(position))
    found = solve(position, every_move=True)
    for root in found.moves:
        print(f"{root.move}: {root.value:+.0f}")
    print(f"best line: {' '.join(map(str, found.pv))}")
    print(f"{found.nodes:,} positions in {found.seconds:.3f} s")
