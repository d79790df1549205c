"""Thousands of games side by side as numpy arrays, and games as other projects' learners want them.

>>> from outflank import batch
>>> games = batch.Games(1000, "standard 8x8", seed=1)
>>> games.planes.shape, games.legal.shape
((1000, 2, 8, 8), (1000, 65))
>>> games.step(games.random_actions())
>>> games.turn[:3].tolist(), games.rewards[:3].tolist(), len(games.position(0).moves)
([1, 1, 1], [0.0, 0.0, 0.0], 3)

`games` plays, `gpu` plays the same games on a GPU, `boards` turns packed boards into planes and back and moves both by
symmetries. `gymnasium_env`, `pettingzoo_env` and `openspiel_game` need the libraries that they are for. docs/arrays.md
has the order of the bits.
"""

from outflank.batch.boards import (
    action_images,
    boards_of,
    planes_of,
    transform_actions,
    transform_boards,
    transform_planes,
)
from outflank.batch.games import Games

__all__ = [
    "Games",
    "action_images",
    "boards_of",
    "planes_of",
    "transform_actions",
    "transform_boards",
    "transform_planes",
]
