"""Minimax and alpha-beta node by node: the tree of `kernels/alphabeta.py`, by recursion.

Values and windows are told from the view of the side that searches, as textbooks draw them: it wants the most, the
other side the least, and alpha and beta are what the two are sure of already. A node is entered, gets a value at once
or takes the values of its children one by one, and may be cut off before it has looked at all of them.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from outflank.board import Color, Move, Position
from outflank.errors import BadSpec
from outflank.evaluation import read_table
from outflank.kernels.evaluate import TERMS, Evaluation, evaluation_of
from outflank.plugins import Plugin
from outflank.search.clock import told_to_stop
from outflank.search.minimax import MinimaxSearch

MOST_TOLD = 1500
"""Nodes whose events are told."""
MOST_COUNTED = 20_000
"""Nodes that are looked at in all; those beyond `MOST_TOLD` are counted only."""
_BETWEEN_LOOKS = 64
"""Nodes between two questions whether the trace is still wanted."""

Bound = Literal["exact", "at most", "at least"]
Number = int | None
"""Of an alpha or beta: None where it is infinite."""


@dataclass(frozen=True)
class Entered:
    """A node that is looked at now; nodes are numbered as they are entered, the root is 0."""

    node: int
    parent: Number
    move: Move | None
    """Into the node; None of the root."""
    maximises: bool
    """Whether the side that searches is to move."""
    depth: int
    """Plies that may still be looked ahead."""
    alpha: Number
    beta: Number


@dataclass(frozen=True)
class Valued:
    """A node whose value needs no children: at the depth limit, or with the game over."""

    node: int
    value: int
    over: bool
    terms: dict[str, tuple[int, int]]
    """Of an evaluation by terms: (what the term counts, its weight), those of weight 0 left out."""


@dataclass(frozen=True)
class Taken:
    """The value of a child has come up to its node."""

    node: int
    child: int
    value: int
    bound: Bound
    """What a search cut short knows of the child: its value, or on which side of this one it lies."""
    better: bool
    """Whether the child is the best of the node so far."""
    best: int
    alpha: Number
    beta: Number
    """The window of the node from now on."""


@dataclass(frozen=True)
class Cut:
    """The rest of a node is not looked at: whoever moved into it has something better already."""

    node: int
    value: int
    limit: int
    """The beta of a node that maximises, the alpha of one that minimises, which the value has reached."""
    skipped: tuple[Move, ...]


MinimaxEvent = Entered | Valued | Taken | Cut


@dataclass(frozen=True)
class MinimaxTrace:
    """A minimax search as events."""

    events: tuple[MinimaxEvent, ...]
    nodes: int
    """Positions entered, also those beyond the events."""
    told: int
    """Positions in the events."""
    complete: bool
    """Whether the search came to its end; otherwise there is no move and no value."""
    move: Move | None
    value: int | None

    def facts(self) -> dict[str, Any]:
        """Plain data for the page: events as rows that begin with their name."""
        rows = [[type(event).__name__.lower(), *vars(event).values()] for event in self.events]
        summary = {"nodes": self.nodes, "told": self.told, "complete": self.complete}
        return {"events": rows, **summary, "move": self.move, "value": self.value}


class _Enough(Exception):
    """So many nodes were looked at that the search ends here."""


def trace_minimax(search: MinimaxSearch, position: Position, depth: int) -> MinimaxTrace:
    """The events of a minimax of this depth.

    >>> from outflank.evaluation import read_evaluation
    >>> found = trace_minimax(MinimaxSearch(read_evaluation("discs")), Position.start("standard 4x4"), 2)
    >>> found.move, found.value, found.nodes, found.events[1]
    (b1, 0, 11, Entered(node=1, parent=0, move=b1, maximises=False, depth=1, alpha=None, beta=None))
    """
    _check(search)
    tracer = _Tracer(search, position)
    try:
        value = tracer.value(position, depth, -math.inf, math.inf, None, None)
    except _Enough:
        return MinimaxTrace(tuple(tracer.events), tracer.nodes, tracer.told, False, None, None)
    return MinimaxTrace(tuple(tracer.events), tracer.nodes, tracer.told, True, tracer.best_move, int(value))


def _check(search: MinimaxSearch) -> None:
    ways, evaluation = search.ways, search.evaluation
    unlike = {
        f"search={ways.pruning}": ways.pruning in ("pvs", "bounds"),
        "order=module:function": isinstance(ways.order, Plugin),
        f"eval={evaluation.canonical}": bool(evaluation.own) or evaluation.trained,
        f"eval_view={ways.eval_view}": ways.eval_view != "root",
        f"ties={ways.ties}": ways.ties != "first",
        "hash_mb": len(search._table) > 1,
    }
    for option, given in unlike.items():
        if given:
            raise BadSpec(
                f"a minimax with {option} cannot be traced; expected search=plain or alphabeta, a named order, an "
                "evaluation by terms, and no hash_mb, eval_view or ties"
            )


class _Tracer:
    """One search; inside, values are those of the side to move (negamax), as in the kernel."""

    def __init__(self, search: MinimaxSearch, position: Position) -> None:
        self.ways, self.root = search.ways, position
        self.events: list[MinimaxEvent] = []
        self.nodes = 0
        self.best_move: Move | None = None
        arrays, _ = search.evaluation.build(position.rules)
        self.evaluation: Evaluation = arrays  # type: ignore[assignment]
        table = search.evaluation.table if len(search.evaluation.table.quarter) != 1 else read_table("nested")
        worth = table.squares(position.rules.size).tolist()
        best_first = (self.ways.order != "worst_first") == (position.rules.variant == "standard")
        self.worth = [-value if best_first else value for value in worth]
        """Of the squares, the lowest tried first."""

    @property
    def told(self) -> int:
        """Nodes in the events."""
        return min(self.nodes, MOST_TOLD)

    def value(
        self, position: Position, depth: int, alpha: float, beta: float, parent: int | None, move: Move | None
    ) -> float:
        """The value of a node for its side to move: exact inside the window, otherwise a bound (fail-soft)."""
        if self.nodes == MOST_COUNTED or (self.nodes % _BETWEEN_LOOKS == 0 and told_to_stop()):
            raise _Enough
        node, self.nodes = self.nodes, self.nodes + 1
        window = _window(alpha, beta, self._maximises(position))
        self._tell(node, Entered(node, parent, move, self._maximises(position), depth, *window))
        if depth == 0 or position.is_over:
            return self._leaf(node, position)
        return self._best_child(node, position, depth, alpha, beta)

    def _best_child(self, node: int, position: Position, depth: int, alpha: float, beta: float) -> float:
        maximises, best, best_move = self._maximises(position), -math.inf, position.rules.pass_move
        moves = self._ordered(position, depth)
        below = max(depth - self.ways.pass_costs_depth, 0) if position.must_pass else depth - 1
        for tried, move in enumerate(moves, start=1):
            floor = self._floor(node, max(alpha, best), move, best_move)
            child, after = self.nodes, position.play(move)
            found = -self.value(after, below, -beta, -floor, node, move)
            better = found > best or (node == 0 and floor < found == best and move < best_move)
            if better:
                best, best_move = found, move
            bound: Bound = "exact" if below == 0 or after.is_over else _bound(found, floor, beta, maximises)
            window = _window(max(alpha, best), beta, maximises) if self._prunes else (None, None)
            values = _seen(found, maximises), bound, better, _seen(best, maximises)
            self._tell(child, Taken(node, child, *values, *window))
            if self._prunes and best >= beta and tried < len(moves):
                self._tell(node, Cut(node, _seen(best, maximises), _seen(beta, maximises), moves[tried:]))
                break
        if node == 0:
            self.best_move = best_move
        return best

    @property
    def _prunes(self) -> bool:
        return self.ways.pruning != "plain"

    def _maximises(self, position: Position) -> bool:
        return position.turn is self.root.turn

    def _tell(self, node: int, event: MinimaxEvent) -> None:
        if node < MOST_TOLD:
            self.events.append(event)

    def _floor(self, node: int, sure: float, move: Move, best_move: Move) -> float:
        """What the next move must exceed to matter; at the root an equal value on a lower square does."""
        if not self._prunes:
            return -math.inf
        return sure - 1 if node == 0 and move < best_move else sure

    # --- order of moves ---------------------------------------------------------------------------------------

    def _ordered(self, position: Position, depth: int) -> tuple[Move, ...]:
        """The moves in the order they are tried: as listed, by the worth of squares, then by what they lead to."""
        if self.ways.order == "none" or position.must_pass:
            return position.moves
        by_worth = sorted(position.moves, key=lambda move: self.worth[move])
        if depth <= 2 or self.ways.order in ("positional", "worst_first"):  # sorting pays two plies above the leaves
            return tuple(by_worth)
        return tuple(sorted(by_worth, key=lambda move: self._rank(position, move)))

    def _rank(self, position: Position, move: Move) -> int:
        after = position.play(move)
        if self.ways.order == "mobility":
            return after.moves_mask.bit_count()
        return -self._worth_to(after, position.turn, self.evaluation)

    # --- leaves -----------------------------------------------------------------------------------------------

    def _leaf(self, node: int, position: Position) -> float:
        maximises = self._maximises(position)
        if position.is_over and self.ways.win:
            terms, value = {}, self._result(position)
        else:
            terms = self._terms(position) if node < MOST_TOLD else {}
            value = self._worth_to(position, self.root.turn, self.evaluation)
        self._tell(node, Valued(node, value, position.is_over, terms))
        return value if maximises else -value

    def _result(self, position: Position) -> int:
        """What a finished game is worth to the side that searches."""
        difference = position.score(self.root.turn, empties="nobody")
        worth = self.ways.win if difference > 0 else -self.ways.win if difference < 0 else 0
        return worth + (difference if self.ways.win_margin else 0)

    def _worth_to(self, position: Position, color: Color, evaluation: Evaluation) -> int:
        """The evaluation of a position, whoever is to move."""
        return int(evaluation_of(*position.with_turn(color).boards, evaluation, None))

    def _terms(self, position: Position) -> dict[str, tuple[int, int]]:
        """What every term counts in a position for the side that searches, and its weight now."""
        discs = (position.black | position.white).bit_count()
        phase = sum(discs > end for end in self.evaluation.phase_ends.tolist())
        found = {}
        for number, (term, weight) in enumerate(zip(TERMS, self.evaluation.weights[phase].tolist(), strict=True)):
            if weight:
                alone = np.zeros_like(self.evaluation.weights)
                alone[:, number] = 1
                counted = self._worth_to(position, self.root.turn, self.evaluation._replace(weights=alone))
                found[term] = (counted, weight)
        return found


def _seen(value: float, maximises: bool) -> int:
    """A value of the side to move from the view of the side that searches."""
    return int(value if maximises else -value)


def _window(alpha: float, beta: float, maximises: bool) -> tuple[Number, Number]:
    low, high = (alpha, beta) if maximises else (-beta, -alpha)
    return None if math.isinf(low) else int(low), None if math.isinf(high) else int(high)


def _bound(value: float, floor: float, beta: float, maximises: bool) -> Bound:
    """What a value that came up says: outside of the window of the child it is only a bound."""
    if floor < value < beta:
        return "exact"
    return "at most" if (value <= floor) == maximises else "at least"
