"""Compiles what most tests need for the boards of a size, so that the processes of the tests do not each do it.

`make test` runs it for both layouts of a board at once, beside mypy; for a size without patterns only the solver, which
then has another judge.
"""

import sys

from outflank.agents import agent
from outflank.board import Rules

TEXTS = (
    "solver",
    "solver(by=wdl)",
    "minimax(depth=1)",
    "engine(depth=1)",
    "uct(playouts=4)",
    "montecarlo(playouts=1, playout=own_heuristic)",
    "heuristic",
)


def main() -> None:
    rules = Rules(int(sys.argv[1]))
    for text in TEXTS if rules.size in (8, 10) else TEXTS[:1]:
        agent(text).warm_up(rules)


if __name__ == "__main__":
    main()
