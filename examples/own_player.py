"""A player of your own: any class with `choose(position)`, or a function of a position, named `module:Name`.

It answers with a square as number or name. `outflank check module:Name` says whether it keeps the contract.
"""

import outflank
from outflank import Position


class Cornerstone:
    """Takes corners, gives none away, and leaves the opponent as few moves as possible."""

    def choose(self, position: Position) -> int:
        """The move."""
        size = position.rules.size
        corners = {0, size - 1, size * size - size, size * size - 1}
        replies = {move: set(position.play(move).moves) for move in position.moves}
        return min(replies, key=lambda move: (move not in corners, bool(corners & replies[move]), len(replies[move])))


if __name__ == "__main__":
    print(outflank.play("__main__:Cornerstone", "greedy", seed=1))
    print(outflank.match("__main__:Cornerstone", "greedy", games=20))
