"""UCT simulation by simulation: the tree of `kernels/uct.py`, as one would draw it.

A simulation walks down from the root by the largest w/n + c sqrt(ln N / n), makes one new node, plays a game from there
and credits its result to every node of its path. Simulation number i of a seed draws from stream i: first for the
untried move, then for the playout.
"""

from dataclasses import dataclass, field
from math import log, sqrt
from typing import Any

from outflank.board import Color, Move, Position
from outflank.errors import BadSpec
from outflank.plugins import Plugin
from outflank.search.clock import told_to_stop
from outflank.search.uct import UctSearch
from outflank.tracing.playouts import Played, PlayoutRules, below, numbers

MOST_SIMULATIONS = 1000
"""Of a trace."""


@dataclass(frozen=True)
class Scored:
    """A child as the formula sees it: the one with the largest `mean + bonus` is visited."""

    node: int
    visits: int
    mean: float
    """Points per visit, of the side that moves into it."""
    bonus: float
    """c sqrt(ln N / n): the fewer visits of its parent's it has had, the larger."""


@dataclass(frozen=True)
class Simulated:
    """One simulation: select, expand, play out, credit."""

    number: int
    path: tuple[int, ...]
    """Nodes from the root to the one that was played out; nodes are numbered as they are made, the root is 0."""
    choices: tuple[tuple[Scored, ...], ...]
    """For every step by the formula, the children it chose from."""
    untried: tuple[Move, ...]
    """Moves of which the new node is one: what was not tried before, itself included. Empty where no node was made."""
    move: Move | None
    """Into the new node."""
    line: tuple[Move, ...]
    """The moves of the playout."""
    black: int
    white: int
    """Discs at its end."""
    rewards: tuple[float, ...]
    """Points credited to every node of the path."""


@dataclass(frozen=True)
class UctTrace:
    """A tree search as events."""

    events: tuple[Simulated, ...]
    wanted: int
    """Simulations of the whole search."""
    nodes: int
    """Nodes made plus discs placed in playouts, as decisions count them."""
    visits: dict[Move, tuple[int, float]]
    """Of the root moves: visits, and points in all."""
    move: Move | None

    @property
    def complete(self) -> bool:
        """Whether all simulations are told."""
        return len(self.events) == self.wanted

    def facts(self) -> dict[str, Any]:
        """Plain data for the page: each simulation as a row."""
        rows = [
            [
                event.path,
                [[[s.node, s.visits, round(s.mean, 4), round(s.bonus, 4)] for s in step] for step in event.choices],
                event.untried,
                event.move,
                event.line,
                event.black,
                event.white,
                event.rewards,
            ]
            for event in self.events
        ]
        return {"events": rows, "wanted": self.wanted, "complete": self.complete, "move": self.move}


@dataclass
class _Node:
    position: Position
    move: Move | None
    number: int = -1
    """In the order of making; -1 before that."""
    visits: int = 0
    points: float = 0.0
    children: list["_Node"] | None = None
    """Those tried first, in that order, then the others; None before it was looked at."""
    tried: int = 0


def trace_uct(search: UctSearch, position: Position, simulations: int, seed: int) -> UctTrace:
    """The events of a tree search from a fresh tree.

    >>> found = trace_uct(UctSearch(), Position.start("standard 4x4"), 20, seed=1)
    >>> found.move, sum(visits for visits, _ in found.visits.values()), len(found.events)
    (a2, 20, 20)
    """
    _check(search)
    tracer = _Tracer(search, position, seed)
    for number in range(min(simulations, MOST_SIMULATIONS)):
        if told_to_stop():
            break
        tracer.simulate(number)
    return tracer.found(simulations)


def _check(search: UctSearch) -> None:
    unlike = {
        "select": search.select is not None,
        "final=module:function": isinstance(search.final, Plugin),
        "leaf_playouts": search.leaf_playouts != 1,
        "leaves": search.leaves != 1,
    }
    for option, given in unlike.items():
        if given:
            raise BadSpec(f"a uct with {option} cannot be traced; expected one without it")


@dataclass
class _Step:
    """How a simulation went down."""

    path: list[_Node]
    choices: list[tuple[Scored, ...]] = field(default_factory=list)
    untried: tuple[Move, ...] = ()


class _Tracer:
    def __init__(self, search: UctSearch, position: Position, seed: int) -> None:
        self.search, self.seed = search, seed & (2**64 - 1)
        self.playouts = PlayoutRules(search.policy, position)
        self.root = _Node(position, None, 0)
        self.made, self.placed = 1, 0
        self.layers: dict[int, int] = {}
        self.held: list[_Node] = []
        """With expand=all, the path to a node some of whose children are still to be tried once."""
        self.events: list[Simulated] = []

    def simulate(self, number: int) -> None:
        """One simulation."""
        drawn = numbers(self.seed, number)
        step = self._descended(next(drawn))
        leaf = step.path[-1]
        if step.untried:
            leaf.number, self.made = self.made, self.made + 1
        played = self.playouts.play(leaf.position, drawn)
        self.placed += played.placed
        rewards = self._credited(step.path, played)
        self.events.append(
            Simulated(
                number,
                tuple(node.number for node in step.path),
                tuple(step.choices),
                step.untried,
                leaf.move if step.untried else None,
                played.line,
                played.end.discs(Color.BLACK),
                played.end.discs(Color.WHITE),
                rewards,
            )
        )

    def _descended(self, number: int) -> _Step:
        """From the root to the node to play out from; `number` was drawn for the move not tried before."""
        step, self.held = _Step(self.held or [self.root]), []
        while True:
            node, depth = step.path[-1], len(step.path) - 1
            self._expand(node, depth)
            if not node.children:
                return step
            if node.tried < len(node.children):
                step.untried = tuple(child.move for child in node.children[node.tried :] if child.move is not None)
                step.path = [*step.path, self._new_child(node, step.path, number)]
                return step
            scored = self._scored(node, depth)
            step.choices.append(scored)
            best = max(range(len(scored)), key=lambda i: scored[i].mean + scored[i].bonus)
            step.path = [*step.path, node.children[best]]

    def _expand(self, node: _Node, depth: int) -> None:
        """Lists the children of a node when it is first passed; some readings have none."""
        if node.children is not None or (self.search.tree == "flat" and depth == 1):
            return
        stays_leaf = node.position.must_pass and self.search.pass_node == "leaf"
        moves = () if stays_leaf else node.position.moves
        node.children = [_Node(node.position.play(move), move) for move in moves]

    def _new_child(self, node: _Node, path: list[_Node], number: int) -> _Node:
        """The child that is tried now: a random one, or with expand=all one after the other."""
        children, front = node.children or [], node.tried
        if self.search.expand == "one":
            drawn = front + below(number, len(children) - front)
            children[front], children[drawn] = children[drawn], children[front]
        elif len(children) - front > 1:
            self.held = path
        node.tried += 1
        return children[front]

    def _scored(self, node: _Node, depth: int) -> tuple[Scored, ...]:
        children = node.children or []
        counted = {
            "parent": node.visits,
            "siblings": sum(child.visits for child in children),
            "layer": self.layers.get(depth + 1, 0),
        }[self.search.log]
        factor, c = sqrt(log(counted)), float(self.search.exploration)
        return tuple(
            Scored(child.number, child.visits, child.points / child.visits, factor * (c / sqrt(child.visits)))
            for child in children
        )

    def _credited(self, path: list[_Node], played: Played) -> tuple[float, ...]:
        """Adds the result to every node of the path; what each was credited."""
        rewards = []
        for depth, node in enumerate(path):
            views = {"mover": node.position.turn.other, "agent": self.root.position.turn, "black": Color.BLACK}
            reward = played.reward(views[self.search.backup], self.search.draw)
            node.visits += 1
            node.points += reward
            self.layers[depth] = self.layers.get(depth, 0) + 1
            rewards.append(reward)
        return tuple(rewards)

    def found(self, wanted: int) -> UctTrace:
        """What has been found."""
        tried = [child for child in self.root.children or [] if child.visits]
        by_visits = self.search.final == "visits"
        best = max(tried, key=lambda child: _preference(child, by_visits), default=None)
        visits = {child.move: (child.visits, child.points) for child in tried if child.move is not None}
        nodes = self.made - 1 + self.placed
        return UctTrace(tuple(self.events), wanted, nodes, visits, best.move if best else None)


def _preference(child: _Node, by_visits: bool) -> tuple[float, float]:
    """What the final choice goes by: visits, then points per visit, or the other way round."""
    mean = child.points / child.visits
    return (child.visits, mean) if by_visits else (mean, child.visits)
