"""Compiles what most tests need, for both layouts of a board, so that the processes of the tests do not each do it.

`make test` runs it beside mypy: each is one process, and there are two processors.
"""

from outflank.agents import agent
from outflank.board import Rules

TEXTS = (
    "solver",
    "minimax(depth=1)",
    "engine(depth=1)",
    "uct(playouts=4)",
    "montecarlo(playouts=1, playout=own_heuristic)",
    "heuristic",
)


def main() -> None:
    for text in TEXTS:
        for size in (10, 8):
            agent(text).warm_up(Rules(size))


if __name__ == "__main__":
    main()
