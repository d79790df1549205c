"""How often a network has the wrong opinion of who wins, where the solver knows it."""

import random

import numpy as np

from outflank.board import Position
from outflank.kernels.network import LOGITS, new_workspace, predict
from outflank.search.networks import Network
from outflank.search.solver import solve


def errors_of_signs(network: Network, seed: int, positions: int = 60) -> float:
    """The share of decided positions, with 5 to 9 empty squares, whose value has the wrong sign."""
    chance, wrong, seen = random.Random(seed), 0, 0
    net, space, logits = (
        network.build(),
        new_workspace(network.shape.size, network.shape.channels),
        np.zeros((1, LOGITS), np.float32),
    )
    while seen < positions:
        position, empties = Position.start(network.rules), chance.randint(5, 9)
        while not position.is_over and position.empties > empties:
            position = position.play(chance.choice(position.moves))
        score = None if position.is_over or position.moves[0].is_pass else solve(position, by="wdl").score
        if score:
            seen += 1
            wrong += (predict(*position.boards, net, space, logits) > 0) != (score > 0)
    return wrong / positions
