"""RAVE (Gelly & Silver 2007) as a selection of your own: moves also count when they were played later in a game.

Whoever takes `amaf_visits` or `amaf_mean` has those numbers kept: results of all simulations below the parent in which
the same side took that square at any time.
"""

from math import log, sqrt

import outflank

EQUIVALENCE = 100
"""Visits at which both means weigh about the same."""


def score(visits: int, mean: float, total: int, c: float, amaf_visits: int, amaf_mean: float) -> float:
    """A mean between the two, nearer to the move's own with every visit, and UCT's exploration."""
    if visits == 0:
        return 1.0 + amaf_mean if amaf_visits else 2.0
    beta = sqrt(EQUIVALENCE / (3 * total + EQUIVALENCE)) if amaf_visits else 0.0
    return (1 - beta) * mean + beta * amaf_mean + c * sqrt(log(total) / visits)


if __name__ == "__main__":
    rave = "uct(playouts=400, c=0.35, expand=selected, select=__main__:score)"
    print(outflank.agent(rave).choose(outflank.Position.start(), seed=1))
    print(outflank.match(rave, "uct(playouts=400, c=0.35)", games=20))
