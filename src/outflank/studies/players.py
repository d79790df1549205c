"""Players that only studies ask: a paper's agent without one of its parts, or with a fault that is printed."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from outflank.agents import agent
from outflank.board import Color, Position
from outflank.evaluation import read_evaluation, read_table
from outflank.kernels.evaluate import evaluation_of
from outflank.kernels.policy import PRINTED
from outflank.search.decision import Decision
from outflank.search.heuristic import HeuristicPlayer
from outflank.search.limits import Limits

_EXACT = 10
"""Empty squares from which `tenshi` solves."""


class TwoMaximisers:
    """Zean He's Algorithm 1 as it is printed: the root maximises, and so does the layer of the opponent below it.

    Layers alternate from there, so that the opponent looks for what is best for the agent, and the agent for what is
    worst: a search by the opponent for the agent's own evaluation. The root hands its depth down whole, and a child
    without moves is worth least, both as printed.

    >>> TwoMaximisers(depth=1).choose(Position.start("reversed 8x8")) in Position.start().moves
    True
    """

    def __init__(self, depth: int = 4) -> None:
        options = "eval=five_terms, eval_view=black, order=positional, win=0, instant=no"
        self._search = agent(f"minimax(depth={depth}, {options})")

    def choose(self, position: Position) -> int:
        """The first of the moves with the highest value."""
        return max(position.moves, key=lambda move: self.value(position.play(move)))

    def value(self, child: Position) -> float:
        """What a child of the root is worth to whoever has moved there."""
        if child.moves_mask:
            return self._search.choose(_with_black_waiting(child), None, 0).value or 0.0
        won = child.is_over and child.score(child.turn.other) > 0
        return math.inf if won else -math.inf


def _with_black_waiting(position: Position) -> Position:
    """The position with white to move, colours exchanged where black is: the search values what black has."""
    if position.turn is Color.WHITE:
        return position
    return Position(position.rules, position.white, position.black, Color.WHITE)


@dataclass
class Node:
    """A position of a tree, passes already played, with what its last visit gave to whoever moved there."""

    position: Position
    mover: Color
    move: int = 0
    visits: int = 0
    last: float = 0.0
    children: list["Node"] = field(default_factory=list)

    def mean(self) -> float:
        """Q/N as printed, where Q is the last result alone."""
        return self.last / self.visits

    def urgency(self, visits: int) -> float:
        """UCT with the constant sqrt(2), below a node with so many visits."""
        return self.mean() + math.sqrt(2 * math.log(visits) / self.visits)


class LastResult:
    """Tenshi's tree search with its back-up as printed, Q(u) <- delta: a node keeps its last result and no sum.

    The tree is not kept between turns, and the end of the game is the paper's.

    >>> LastResult(playouts=20).choose(Position.start("reversed 8x8"), seed=1) in Position.start().moves
    True
    """

    def __init__(self, playouts: int = 300, playout: str = "weighted") -> None:
        self._playouts = playouts
        self._once = agent(f"montecarlo(playouts=1, playout={playout}, instant=no)")
        self._end = agent("tenshi")

    def choose(self, position: Position, seed: int) -> int:
        """The root move with the best Q/N."""
        if position.empties <= _EXACT:
            return self._end.choose(position, None, seed).move
        root, done, chance = Node(position, position.turn.other), 0, random.Random(seed)
        while done < self._playouts:
            path = [root]
            while path[-1].children:
                visits = max(1, path[-1].visits)
                path.append(max(path[-1].children, key=lambda child: child.urgency(visits)))
            done += self._expand(path, chance.getrandbits(60))
        return max(root.children, key=Node.mean).move

    def _expand(self, path: list[Node], seed: int) -> int:
        """Adds all children of the last node and plays each out once; the number of playouts."""
        leaf = path[-1]
        if leaf.position.is_over:
            back_up(path, leaf.mover, float(np.sign(leaf.position.score(leaf.mover))))
            return 1
        turn = leaf.position.turn
        for root in self._once.choose(leaf.position, None, seed).moves:
            child = leaf.position.play(root.move)
            leaf.children.append(Node(child.play(child.moves[0]) if child.must_pass else child, turn, root.move))
            back_up([*path, leaf.children[-1]], turn, 2 * (root.value or 0.0) - 1)
        return len(leaf.children)


def back_up(path: Sequence[Node], side: Color, result: float) -> None:
    """Every node of the path keeps the result alone, from the view of whoever moved there."""
    for node in path:
        node.visits += 1
        node.last = result if node.mover is side else -result


class Unswitched:
    """The player `heuristic` that goes on to turn few discs when 10 squares or fewer are empty.

    >>> Unswitched().choose(Position.start(), seed=0) in Position.start().moves
    True
    """

    def __init__(self) -> None:
        self._table = read_table("classic")
        self._early = HeuristicPlayer(self._table)

    def choose(self, position: Position, seed: int) -> int:
        """The move with the highest H, a random one of equals."""
        if position.empties > PRINTED.late_empties:
            return self._early.choose(position, Limits(), seed).move
        values = {move: self.early_value(position, move) for move in position.moves}
        best = max(values.values())
        return random.Random(seed).choice([move for move, value in values.items() if value == best])

    def early_value(self, position: Position, move: int) -> float:
        """H as it is with more than 10 empty squares: square worths, replies left, few discs turned."""
        side, after = position.turn, position.play(move)
        worths: list[int] = self._table.squares(position.rules.size).tolist()
        signs = {side.sign: 1, side.other.sign: -1, "-": 0}
        worth = sum(signs[cell] * one for cell, one in zip("".join(after.cells()), worths, strict=True))
        turned = after.discs(side) - position.discs(side) - 1
        return worth + 30 / (after.moves_mask.bit_count() + 1) + 80 / (turned + 1)


class InfiniteEnds:
    """Phan & Synytsia's minimax where a finished game is worth infinity, as wide as its window, and a pass is free.

    Their "large positive or negative value" may be the infinity that their window begins with: then a won end found
    closes the window, and whoever has it looks at no other move. Every call counts as a node, the first one too, as in
    `minimax`, which this is with another `end` and `pass_cost`. It is slow: for small boards.

    >>> InfiniteEnds(depth=2).choose(Position.start("standard 4x4")).nodes
    15
    """

    def __init__(self, depth: int = 3, end: float = math.inf, pass_cost: int = 0) -> None:
        self._depth, self._end, self._pass_cost = depth, end, pass_cost
        self._evaluation = read_evaluation("positional")
        self._side, self._nodes = Color.BLACK, 0

    def choose(self, position: Position) -> Decision:
        """The first of the moves with the highest value; an only move costs no node."""
        if len(position.moves) == 1:
            return Decision(position.moves[0], position.turn)
        self._side, self._nodes = position.turn, 1
        best, chosen = -math.inf, position.moves[0]
        for move in position.moves:
            value = self._value(position.play(move), self._depth - 1, best, math.inf)
            if value > best:
                best, chosen = value, move
            if best == math.inf:
                break
        return Decision(chosen, position.turn, nodes=self._nodes, depth=self._depth)

    def _value(self, position: Position, depth: int, alpha: float, beta: float) -> float:
        """What a position is worth to the side at the root, within the window."""
        self._nodes += 1
        if depth <= 0 or position.is_over:
            return self._worth(position)
        if position.must_pass:
            return self._value(position.play(position.rules.pass_move), depth - self._pass_cost, alpha, beta)
        ours = position.turn is self._side
        best = -math.inf if ours else math.inf
        for move in position.moves:
            value = self._value(position.play(move), depth - 1, alpha, beta)
            best = max(best, value) if ours else min(best, value)
            alpha, beta = (max(alpha, value), beta) if ours else (alpha, min(beta, value))
            if beta <= alpha:
                break
        return best

    def _worth(self, position: Position) -> float:
        if position.is_over:
            score = position.score(self._side)
            return self._end if score > 0 else -self._end if score < 0 else 0.0
        seen = position.with_turn(self._side)
        return float(evaluation_of(*seen.boards, *self._evaluation.build(position.rules)))
