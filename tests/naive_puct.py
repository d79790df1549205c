"""Tree search guided by a network as one would write it first: objects, recursion, the formulas of the papers."""

from dataclasses import dataclass, field
from math import exp, log, sqrt

import numpy as np

from outflank.board import Position
from outflank.kernels.network import LOGITS, new_workspace, predict
from outflank.search.networks import Network
from outflank.search.solver import solve

EXPLORATION, REDUCTION, HALVED = 1.5, 0.25, 16


@dataclass
class Node:
    position: Position
    prior: float = 1.0
    visits: int = 0
    total: float = 0.0
    """For the side that moved here."""
    children: "dict[int, Node]" = field(default_factory=dict)


class NaivePuct:
    """A search of one position."""

    def __init__(self, network: Network, exact: int) -> None:
        self.net, self.exact = network.build(), exact
        self.space = new_workspace(network.shape.size, network.shape.channels)

    def opinion(self, position: Position) -> tuple[dict[int, float], float]:
        logits = np.zeros((1, LOGITS), np.float32)
        value = predict(*position.boards, self.net, self.space, logits)
        found = {int(move): float(logits[0, position.rules.bit(move).bit_length() - 1]) for move in position.moves}
        highest = max(found.values())
        total = sum(exp(one - highest) for one in found.values())
        return {move: exp(one - highest) / total for move, one in found.items()}, value

    def search(self, position: Position, playouts: int, halving: bool) -> Node:
        root = Node(position)
        self.visit(root, root, [], halving)
        for number in range(playouts):
            order = considered(min(HALVED, len(root.children)), playouts)
            self.visit(root, root, [order[number]], halving)
        return root

    def visit(self, node: Node, root: Node, wanted: list[int], halving: bool) -> float:
        """The value of a playout through a node, for the side to move there."""
        node.visits += 1
        value = self.value_below(node, root, wanted, halving)
        node.total -= value
        return value

    def value_below(self, node: Node, root: Node, wanted: list[int], halving: bool) -> float:
        position = node.position
        if position.is_over:
            margin = position.score(position.turn)
            return float((margin > 0) - (margin < 0))
        if node is not root and position.empties <= self.exact:
            score = solve(position, by="wdl").score
            assert score is not None
            return float(score)
        if not node.children and position.moves[0].is_pass:
            node.children[-1] = Node(position.play("pass"))
        if not node.children:
            priors, value = self.opinion(position)
            node.children = {move: Node(position.play(move), prior) for move, prior in priors.items()}
            return value
        if node is root and halving:
            return -self.visit(halved(root, wanted[0]), root, wanted, halving)
        return -self.visit(best(node), root, wanted, halving)


def best(node: Node) -> Node:
    """By q + c p sqrt(N) / (1 + n); the visit in hand counts already, as a loss."""
    spread, untried = EXPLORATION * sqrt(node.visits), -(node.total - 1) / node.visits - REDUCTION

    def worth(child: Node) -> float:
        mean = child.total / child.visits if child.visits else untried
        return mean + spread * child.prior / (1 + child.visits)

    return max(node.children.values(), key=worth)


def promise(root: Node, child: Node) -> float:
    most = max(one.visits for one in root.children.values())
    mean = child.total / child.visits if child.visits else 0.0
    return log(child.prior + 1e-9) + (50 + most) * 0.1 * mean


def halved(root: Node, visits: int) -> Node:
    """Of the moves with so many visits the most promising."""
    return max((one for one in root.children.values() if one.visits == visits), key=lambda one: promise(root, one))


def considered(moves: int, playouts: int) -> list[int]:
    """Visits that the next move tried must have: halves are tried again in equal shares of the playouts."""
    if moves <= 1:
        return list(range(playouts))
    phases, left, visits, found = (moves - 1).bit_length(), moves, [0] * moves, list[int]()
    while len(found) < playouts:
        for _ in range(max(1, playouts // (phases * left))):
            for one in range(left):
                found.append(visits[one])
                visits[one] += 1
        left = max(2, left // 2)
    return found[:playouts]
