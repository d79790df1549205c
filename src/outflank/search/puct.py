"""`PuctSearch`: tree search guided by a network, on one core and without any library but numba.

A position is evaluated in a fraction of a millisecond (`kernels/network.py`), one after the other: our forward pass is
as fast for one position as for many, so that no leaf need wait for others. Where the number of playouts is known,
moves at the root are chosen by sequential halving, otherwise by PUCT as everywhere in the tree.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import log
from typing import Literal, get_args

import numpy as np

from outflank.board import Position, Rules
from outflank.errors import BadSpec
from outflank.kernels import puct as kernels
from outflank.kernels.network import LOGITS, Net, Workspace, new_workspace
from outflank.kernels.puct import Considered, Forest, Reading
from outflank.search.clock import Clock
from outflank.search.decision import Decision, RootMove
from outflank.search.limits import NO_LIMIT, Limits
from outflank.search.memory import MOST_MEGABYTES, memory_for
from outflank.search.networks import network_called
from outflank.search.player import Player

Root = Literal["halving", "puct"]

BYTES_PER_NODE = 24
"""Memory of one slot of the tree."""
MOST_EXACT = 14
"""Empty squares from which on leaves can be solved."""
MOST_EXPLORATION = 1000
_REDUCTION = 0.25
"""How much worse than its position a move is expected that was not tried."""
_HALVED = 16
"""Moves that sequential halving begins with."""
_MOST_HALVED = 10_000
"""Playouts beyond which it would have nothing left to halve."""
_FIRST_RATE = 1000.0
"""Playouts per second to expect before any was timed."""
_NEWS_SECONDS = 0.05
"""Time between two decisions of `think`."""
_LEAST_SLOTS = 512
"""Room for the moves of any position."""
_MOST_PLAYOUTS = 2**24
"""After which a search ends: sums in single precision would no longer count."""


@lru_cache(maxsize=8)
def _considered(playouts: int) -> Considered:
    return kernels.considered_visits(_HALVED, playouts)


class PuctSearch(Player):
    """Tree search guided by the network of a file, or by that of the package.

    >>> search = PuctSearch()
    >>> decision = search.choose(Position.start(Rules(6)), Limits(playouts=20), seed=0)
    >>> decision.playouts, sum(root.visits for root in decision.moves)
    (20, 20)
    """

    kind = "puct"

    def __init__(
        self,
        network: str = "",
        *,
        exploration: float = 1.5,
        root: Root = "halving",
        exact: int = 10,
        memory: float = 64,
    ) -> None:
        """`exact` is the number of empty squares from which on leaves are solved; `memory` that of the tree in MiB."""
        if root not in get_args(Root):
            raise BadSpec(f"root={root} is not known; expected one of: {', '.join(get_args(Root))}")
        possible = 0 <= exploration <= MOST_EXPLORATION and 0 <= exact <= MOST_EXACT and 0 < memory <= MOST_MEGABYTES
        if not possible:
            raise BadSpec(
                f"exploration={exploration}, exact={exact}, memory={memory} is not possible; expected 0 to "
                f"{MOST_EXPLORATION}, 0 to {MOST_EXACT}, above 0 to {MOST_MEGABYTES}"
            )
        self.network, self.exploration, self.root, self.exact, self.memory = network, exploration, root, exact, memory
        self.explains = True
        """Whether decisions tell the expected line and what every move is worth."""
        self._rate = _FIRST_RATE
        self._noise = np.zeros((1, LOGITS), np.float32)
        self._leaves = kernels.new_leaves(1)
        self._forest: Forest | None = None
        self._built: dict[Rules, tuple[Net, Workspace]] = {}

    def be_brief(self) -> None:
        """Tells neither the expected line nor the other moves from now on."""
        self.explains = False

    def check_rules(self, rules: Rules) -> None:
        """The network must be for these rules."""
        self._net(rules)

    def rehearse(self, rules: Rules) -> None:
        """A short search: one kernel does all."""
        self.choose(Position.start(rules), Limits(playouts=4), seed=0)
        self._rate = _FIRST_RATE  # the compiler's time is in what was measured

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """The move that the search favours; the same whatever the seed, unless a clock decides.

        Every playout asks the network or the solver once; the root is evaluated before the first.
        """
        *_, decision = self.think(position, limits, seed)
        return decision

    def think(self, position: Position, limits: Limits, seed: int) -> Iterator[Decision]:  # noqa: ARG002
        """The decision so far, some twenty times a second; the last one is that of `choose`."""
        if limits.game_seconds is not None:
            limits = limits.for_move((position.empties + 1) // 2)
        if limits.playouts is None and limits.nodes is None and limits.seconds is None:
            raise BadSpec("tree search has no limit; expected playouts, nodes or seconds")
        clock, forest, told, deepest = Clock(limits, self._rate), self._tree(), 0.0, 0
        wanted = min(limits.playouts or NO_LIMIT, limits.nodes or NO_LIMIT)
        halving = self.root == "halving" and wanted <= _MOST_HALVED
        reading, considered = self._reading(position.rules, halving), _considered(wanted if halving else 1)
        left, (net, space) = min(wanted, _MOST_PLAYOUTS) + 1, self._net(position.rules)  # the first evaluates the root
        own, opp, full = position.boards
        while left:
            number = min(max(2, clock.slice()), left)
            found = kernels.search(
                own, opp, full, forest, self._leaves, reading, considered, self._noise, net, space, number
            )
            deepest = max(deepest, found)
            clock.worked(number)
            self._rate, left = clock.rate, left - number
            if clock.expired:
                break
            if left and clock.seconds > told + _NEWS_SECONDS:
                yield self._decision(position, forest, clock, deepest, halving, left == 0)
                told = clock.seconds
        yield self._decision(position, forest, clock, deepest, halving, left == 0)

    # --- preparing ------------------------------------------------------------------------------------

    def _net(self, rules: Rules) -> tuple[Net, Workspace]:
        if rules not in self._built:
            found = network_called(self.network, rules)
            self._built = {rules: (found.build(), new_workspace(rules.size, found.shape.channels))}
        return self._built[rules]

    def _tree(self) -> Forest:
        """The tree, without anything in it."""
        if self._forest is None:
            with memory_for("memory", self.memory):
                self._forest = kernels.new_forest(1, max(_LEAST_SLOTS, int(self.memory * 2**20 / BYTES_PER_NODE)))
        kernels.begin(self._forest)
        return self._forest

    def _reading(self, rules: Rules, halving: bool) -> Reading:
        sign = 1 if rules.variant == "standard" else -1
        return Reading(float(self.exploration), _REDUCTION, self.exact, sign, rules.cells, _HALVED if halving else 0)

    # --- dressing the result --------------------------------------------------------------------------

    def _decision(
        self, position: Position, forest: Forest, clock: Clock, deepest: int, halving: bool, finished: bool
    ) -> Decision:
        squares, playouts = position.rules.by_bit, int(forest.visits[0, 0]) - 1
        block, degree = int(forest.children[0, 0]), int(forest.degrees[0, 0])
        visits = forest.visits[0, block : block + degree].tolist()
        sums, priors = (
            forest.sums[0, block : block + degree].tolist(),
            forest.priors[0, block : block + degree].tolist(),
        )
        rates = [(1 + total / max(1, tried)) / 2 for total, tried in zip(sums, visits, strict=True)]
        names = [squares[bit] for bit in forest.squares[0, block : block + degree].tolist()]
        most = max(visits)
        scale = kernels.value_scale(most) if halving else 0.0
        best = max(
            (i for i in range(degree) if visits[i] == most),
            key=lambda i: (log(priors[i] + 1e-9) + scale * (2 * rates[i] - 1) if halving else rates[i], -i),
        )
        told = sorted(zip(names, visits, rates, strict=True)) if self.explains else []
        full = forest.used.item(0) + LOGITS > forest.visits.shape[1]
        return Decision(
            names[best],
            position.turn,
            rates[best],
            playouts,
            playouts,
            deepest,
            clock.seconds,
            (names[best], *(_most_visited_line(squares, forest, block + best) if self.explains else ())),
            tuple(RootMove(move, rate if n else None, True, n, rate if n else None) for move, n, rate in told),
            finished=finished,
            note=f"the tree was full at {forest.visits.shape[1]} nodes" if full else "",
            unit="wins",
        )


def _most_visited_line(squares: tuple[int, ...], forest: Forest, slot: int) -> list[int]:
    """The line below a node that was visited most often."""
    line = []
    while (block := forest.children.item(0, slot)) > 0:
        visits = forest.visits[0, block : block + forest.degrees.item(0, slot)].tolist()
        if max(visits) == 0:
            break
        slot = block + visits.index(max(visits))
        line.append(squares[forest.squares.item(0, slot)])
    return line
