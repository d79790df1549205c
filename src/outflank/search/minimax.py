"""Minimax as people use it: a fixed depth, or as deep as nodes and seconds permit.

With a limit of nodes or seconds the search deepens one ply at a time and answers with the last complete depth, its
root moves tried in the order of the depth before. The first ply is always completed. The search is resumable, so
limits are kept to the node and to a few milliseconds, and Ctrl-C works between slices.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count as counting
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.board import Color, Position, Rules
from outflank.errors import BadSpec
from outflank.evaluation import EvaluationSpec, Table, read_table
from outflank.kernels import alphabeta as kernel
from outflank.kernels.table import new_table
from outflank.plugins import Plugin, raise_faults
from outflank.search.clock import Clock
from outflank.search.decision import Decision, RootMove
from outflank.search.limits import Limits
from outflank.search.memory import memory_for
from outflank.search.player import Player

_NODES_PER_SECOND = 2e7
MOST_WIN = 10**12
"""Far more than an evaluation should say, and little enough for every table."""

PRUNING = {
    "plain": kernel.PLAIN,
    "alphabeta": kernel.ALPHA_BETA,
    "pvs": kernel.SCOUTING,
    "bounds": kernel.BOUNDING,
}
ORDERS = {
    "none": kernel.AS_LISTED,
    "positional": kernel.BY_CLASS,
    "worst_first": kernel.BY_CLASS,
    "mobility": kernel.BY_MOBILITY,
    "eval": kernel.BY_VALUE,
}
VIEWS = {"root": kernel.ROOT_VIEW, "mover": kernel.MOVER_VIEW, "black": kernel.BLACK_VIEW}
TIES = {"first": kernel.FIRST, "random": kernel.RANDOM}


@dataclass(frozen=True)
class MinimaxOptions:
    """How a minimax searches; the names are the keys of the tables above."""

    pruning: str = "alphabeta"
    order: str | Plugin = "none"
    """A key of ORDERS, or a person's function: the moves with the largest keys are tried first."""
    ties: str = "first"
    eval_view: str = "root"
    pass_costs_depth: bool = True
    win: int = 10**6
    win_margin: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.win <= MOST_WIN:
            raise BadSpec(f"win={self.win} is not possible; expected 0 to {MOST_WIN}")


@lru_cache(maxsize=64)
def order_classes(rules: Rules, order: str | Plugin, table: Table) -> npt.NDArray[np.uint64]:
    """Shape [classes, words]: squares in the order they are tried, best class first, row by row within one.

    In the reversed game good squares are the ones of low worth.

    >>> order_classes(Rules(4), "positional", read_table("nested")).tolist()
    [[150994953], [101255430], [394752]]
    """
    if order == "none" or isinstance(order, Plugin):
        return np.array([rules.board(rules.full)], np.uint64)
    worth = table.squares(rules.size)
    best_first = (order != "worst_first") == (rules.variant == "standard")
    masks = [
        sum(rules.bit(int(square)) for square in np.flatnonzero(worth == value))
        for value in sorted(set(worth.tolist()), reverse=best_first)
    ]
    return np.array([rules.board(mask) for mask in masks], np.uint64)


def _new_stack(rules: Rules, plies: int) -> kernel.Stack:
    """Arrays for this many plies, and one row of scratch space."""
    rows, squares = plies + 2, rules.cells
    return kernel.Stack(
        own=np.zeros((rows, rules.words), np.uint64),
        other=np.zeros((rows, rules.words), np.uint64),
        frames=np.zeros((rows, kernel.MOVES + squares), np.int64),
        lines=np.zeros((rows, 1 + max(rows, squares)), np.int64),
        state=np.zeros(kernel.STATE, np.int64),
        roots=np.zeros((squares, 2), np.int64),
    )


class _Setting(NamedTuple):
    """What all searches under the same rules have in common."""

    evaluation: Any
    plug: Any
    key: Any
    """A person's order of moves, or None."""
    classes: npt.NDArray[np.uint64]
    options: tuple[kernel.Options, kernel.Options]
    """With black and with white to move at the root."""


class MinimaxSearch(Player):
    """Minimax with these ways of searching; `choose` answers with a `Decision`.

    >>> from outflank.evaluation import read_evaluation
    >>> search = MinimaxSearch(read_evaluation("discs"))
    >>> decision = search.choose(Position.start(), Limits(depth=3), seed=0)
    >>> decision.move, decision.value, decision.depth, len(decision.pv)
    (d3, 3, 3, 3)
    """

    kind = "minimax"

    def __init__(self, evaluation: EvaluationSpec, ways: MinimaxOptions | None = None, hash_mb: float = 0) -> None:
        self.evaluation = evaluation
        self.ways = ways or MinimaxOptions()
        self.explains = True
        """Whether decisions tell the expected line and what every move is worth."""
        with memory_for("hash_mb", hash_mb):
            self._table = new_table(hash_mb)
        self._searches = 0
        self._stacks: dict[tuple[int, int], kernel.Stack] = {}
        self._settings: dict[Rules, _Setting] = {}

    @property
    def deepens(self) -> bool:
        """One ply after the other, the first always."""
        return True

    def be_brief(self) -> None:
        """Tells neither the expected line nor the other moves from now on."""
        self.explains = False

    def check_rules(self, rules: Rules) -> None:
        """The evaluation must be made for such boards, and what is a person's own be compiled."""
        self.evaluation.check_rules(rules)
        if isinstance(self.ways.order, Plugin):
            self.ways.order.build(rules)

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """The move with the highest value; equal ones by the rule of ties, for which `seed` serves.

        The last decision of `think`, without those before it where a fixed depth needs none.
        """
        clock = Clock(limits, _NODES_PER_SECOND)
        if clock.stop is not None or limits.nodes is not None or limits.seconds is not None:
            *_, decision = self.think(position, limits, seed)
            return decision
        deepest = limits.depth or _deepest(position)
        run = _Run(self, position, clock, None)
        run.search(deepest)
        return run.decision(seed, deepest)

    def think(self, position: Position, limits: Limits, seed: int) -> Iterator[Decision]:
        """The decision at every depth, one ply at a time, the first always, until a limit is reached.

        The last one is that of `choose`; it repeats the depth before when a limit stopped the next.
        """
        deepest = limits.depth or _deepest(position)
        run = _Run(self, position, Clock(limits, _NODES_PER_SECOND), limits.nodes)
        for depth in range(1, deepest + 1):
            completed = run.search(depth)
            yield run.decision(seed, deepest)
            if not completed or run.solved:
                break

    def stack(self, position: Position, depth: int) -> kernel.Stack:
        """Arrays that are deep enough, kept for the next search; passes add at most one ply to every move."""
        depth = min(depth, _deepest(position))
        plies = depth + 1 if self.ways.pass_costs_depth else min(2 * depth, 2 * position.empties) + 2
        plies = -(-plies // 16) * 16
        key = (position.rules.size, plies)
        if key not in self._stacks:
            self._stacks[key] = _new_stack(position.rules, plies)
        return self._stacks[key]

    def setting(self, rules: Rules) -> _Setting:
        """What searches under these rules need, made once."""
        if rules not in self._settings:
            table = self.evaluation.table if len(self.evaluation.table.quarter) != 1 else read_table("nested")
            classes = order_classes(rules, self.ways.order, table)
            options = (self._options(rules, Color.BLACK), self._options(rules, Color.WHITE))
            key = self.ways.order.build(rules) if isinstance(self.ways.order, Plugin) else None
            self._settings[rules] = _Setting(*self.evaluation.build(rules), key, classes, options)
        return self._settings[rules]

    def _options(self, rules: Rules, turn: Color) -> kernel.Options:
        ways = self.ways
        sign = 1 if rules.variant == "standard" else -1
        disc = sign * self.evaluation.disc if ways.eval_view == "root" else 0
        pruning = PRUNING[ways.pruning]
        return kernel.Options(
            pruning=kernel.SCOUTING if pruning == kernel.BOUNDING and not self._counts(rules, disc) else pruning,
            order=kernel.BY_KEY if isinstance(ways.order, Plugin) else ORDERS[ways.order],
            ties=TIES[ways.ties],
            leaf_view=kernel.NEGAMAX if self.evaluation.of_mover else VIEWS[ways.eval_view],
            root_is_black=int(turn is Color.BLACK),
            pass_cost=int(ways.pass_costs_depth),
            win=ways.win,
            margin=int(ways.win_margin),
            sign=sign,
            disc=disc,
        )

    def _counts(self, rules: Rules, disc: int) -> bool:
        """Whether the last two plies can be counted: what `kernels/discs.py` asks for."""
        won = self.ways.win == 0 or self.ways.win >= disc * rules.cells
        return rules.words == 1 and rules.variant == "standard" and disc > 0 and won


def _deepest(position: Position) -> int:
    """No line of play is longer, passes included."""
    return 2 * position.empties + 2


class _Run:
    """One decision in the making: the depth last completed, and what it found."""

    def __init__(self, search: MinimaxSearch, position: Position, clock: Clock, nodes: int | None) -> None:
        self.position, self.clock, self.node_limit = position, clock, nodes
        self.me, self.opp, self.full = position.boards
        self.parent = search
        self.evaluation, self.plug, self.key, self.classes, options = search.setting(position.rules)
        self.options = options[position.turn]
        self.table = search._table
        search._searches += 1
        self.age = search._searches  # entries of an earlier search would change the number of nodes
        self.nodes = 0
        self.depth = 0
        self.solved = False
        self.value = 0
        self.line: tuple[int, ...] = ()
        self.roots: list[tuple[int, int, bool]] = []

    def search(self, depth: int) -> bool:
        """Searches to a depth; False when a limit stopped it, and what was found before stands."""
        stack = self.parent.stack(self.position, depth)
        self._begin(stack, depth)
        for _ in counting():
            before = stack.state.item(kernel.NODES)
            finished = kernel.search(
                stack,
                self.full,
                self.classes,
                self.table,
                self.age,
                self.options,
                self.evaluation,
                self.plug,
                self.key,
                self._slice(before),
            )
            raise_faults(self.plug, self.key)
            used = stack.state.item(kernel.NODES)
            self.clock.worked(used - before)
            if finished:
                break
            if self.depth and self._exhausted(used):
                self.nodes += used
                return False
        self._take(stack, depth)
        return True

    def _slice(self, used: int) -> int:
        size = self.clock.slice()
        if self.node_limit is None or not self.depth:
            return size
        return max(1, min(size, self.node_limit - self.nodes - used))

    def _exhausted(self, used: int) -> bool:
        return self.clock.expired or (self.node_limit is not None and self.nodes + used >= self.node_limit)

    def _begin(self, stack: kernel.Stack, depth: int) -> None:
        for board, rows in ((self.me, stack.own), (self.opp, stack.other)):
            rows[0] = board
        stack.frames[0] = 0
        stack.frames[0, kernel.DEPTH] = depth
        stack.frames[0, kernel.ALPHA], stack.frames[0, kernel.BETA] = -kernel.INFINITY, kernel.INFINITY
        stack.state[:] = 0
        stack.state[kernel.ENTERING] = 1
        if self.roots:
            order = sorted(self.roots, key=lambda root: -root[1])
            stack.frames[0, kernel.MOVES : kernel.MOVES + len(order)] = [bit for bit, _, _ in order]
            stack.frames[0, kernel.COUNT] = len(order)

    def _take(self, stack: kernel.Stack, depth: int) -> None:
        """Keeps what a completed depth found."""
        state, frame = stack.state.tolist(), stack.frames[0].tolist()
        listed = frame[kernel.COUNT]
        self.nodes += state[kernel.NODES]
        self.depth = depth
        self.solved = state[kernel.OPEN_LEAVES] == 0
        self.value = state[kernel.VALUE]
        length, *line = stack.lines[0].tolist()
        self.line = tuple(line[:length])
        squares = frame[kernel.MOVES : kernel.MOVES + listed]
        values = stack.roots[:listed].tolist()
        self.roots = [(square, value, exact == 1) for square, (value, exact) in zip(squares, values, strict=True)]

    def decision(self, seed: int, deepest: int) -> Decision:
        moves = self.position.rules.by_bit
        best = [bit for bit, value, exact in self.roots if exact and value == self.value]
        bit = random.Random(seed).choice(sorted(best)) if self.options.ties == kernel.RANDOM else min(best)
        line = self.line if self.line[:1] == (bit,) and self.parent.explains else (bit,)
        roots = sorted(self.roots) if self.parent.explains else []
        return Decision(
            move=moves[bit],
            seen_from=self.position.turn,
            value=self.value,
            nodes=self.nodes,
            depth=self.depth,
            seconds=self.clock.seconds,
            pv=tuple([moves[bit] for bit in line]),
            moves=tuple([RootMove(moves[bit], value, exact) for bit, value, exact in roots]),
            finished=self.solved or self.depth >= deepest,
        )
