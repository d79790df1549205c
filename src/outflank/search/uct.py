"""`UctSearch`: tree search by playouts, with the readings of the papers as options.

| option | default | other readings |
|---|---|---|
| expand | one child per playout | `all`: every child of a leaf once (He; Tenshi); `selected`: as `select` says |
| backup | the mover into a node | `agent`: always the searching side (Phan & Synytsia, He & Lin); `black` |
| log | visits of the parent | `siblings`, `layer` (He & Lin) |
| final | most visits | `win_rate` (all papers with a tree) |
| pass_node | a pass is a child | `leaf`: played out again at every visit (Phan & Synytsia) |
| draw | 0.5 | 0 (He & Lin) |
| tree | full | `flat`: a bandit over the root moves (He & Lin, figure 2) |
| select | the formula above | a person's own function of visits, mean, prior and AMAF |
| reuse | fresh tree for every move | the part of the tree that the game has reached is kept (Tenshi) |
| leaves | leaf after leaf | so many under way at once, played out side by side (`uct_batches.py`) |

`backup=agent` is a tree in which the opponent helps; `backup=black` plays to lose as white. The tree has a fixed number
of slots; when they are used up, simulations go on without new nodes and the decision says so.

Points against the defaults on 8x8 from random openings of 4 plies. With 1000 playouts, 200 games each (plus or minus
0.07): reuse 0.50, win_rate 0.48, all 0.42, flat 0.37, agent 0.28. With 10 ms, 100 games each (plus or minus 0.1):
exploration 0.7 gives 0.60 and 0.35 gives 0.76; leaf_playouts of 12, 16, 32 and 64 give 0.49, 0.57, 0.62 and 0.72, and
32 with exploration 0.7 gives 0.75.
"""

from collections.abc import Callable, Iterator
from math import sqrt
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from outflank.board import Color, Position, Rules
from outflank.errors import BadSpec
from outflank.game import moves_between
from outflank.kernels import uct as kernels
from outflank.kernels.jit import Board, Word
from outflank.kernels.playout import new_lanes
from outflank.kernels.policy import Policy
from outflank.kernels.rules import PASS
from outflank.kernels.uct import Selection, Tree, UctOptions
from outflank.plugins import Plugin, raise_faults, score
from outflank.search.clock import Clock
from outflank.search.decision import Decision, RootMove
from outflank.search.limits import NO_LIMIT, Limits
from outflank.search.memory import MOST_MEGABYTES, memory_for
from outflank.search.player import Player
from outflank.search.policy import PlayoutPolicy

Expand = Literal["one", "all", "selected"]
Backup = Literal["mover", "agent", "black"]
Log = Literal["parent", "siblings", "layer"]
Final = Literal["visits", "win_rate"]
PassNode = Literal["child", "leaf"]
TreeKind = Literal["full", "flat"]

BYTES_PER_NODE = 46
"""Memory of one slot of the tree, working space of `keep` included."""
_BYTES_OF_PRIOR, _BYTES_OF_AMAF = 8, 12

_SEED_MASK = 2**64 - 1
_FIRST_RATE = 20_000.0
"""Playouts per second to expect before any was timed: low, so that the first slice of a slow policy is short."""
MOST_EXPLORATION = 10**5
_LEAST_SLOTS = 512
"""Room for the moves of any position."""
_NEWS_SECONDS = 0.05
"""Time between two decisions of `think`."""
_MOST_PLIES = 4
"""Moves since the last search beyond which the tree is not looked up: two are usual, more after forced moves."""
_LOGS = {"parent": kernels.PARENT, "siblings": kernels.SIBLINGS, "layer": kernels.LAYER}


def _check(option: str, value: str, expected: object) -> None:
    if value not in get_args(expected):
        raise BadSpec(f"{option}={value} is not known; expected one of: {', '.join(get_args(expected))}")


def _new_tree(slots: int, visits: type[np.signedinteger]) -> Tree:
    """Arrays for so many nodes, whose visits are numbers of this kind; a page gets memory when it is first used."""
    return Tree(
        np.empty(slots, visits),
        np.empty(slots),
        np.empty(slots),
        np.empty(slots),
        np.empty(slots, np.int32),
        np.empty(slots, np.int16),
        np.empty(slots, np.int16),
        np.empty(slots, np.int16),
        np.empty(kernels.MAX_DEPTH, np.int32),
        np.zeros(kernels.MAX_DEPTH, np.int64),
        np.zeros(kernels.COUNTERS, np.int64),
    )


class UctSearch(Player):
    """Tree search by playouts.

    >>> search = UctSearch(final="win_rate")
    >>> position = Position.parse("XXXXXXXXXO-XX-OX X")
    >>> decision = search.choose(position, Limits(playouts=50), seed=1)
    >>> decision.playouts, sum(root.visits for root in decision.moves)
    (50, 50)
    """

    kind = "uct"
    visits: ClassVar[type[np.signedinteger]] = np.int32
    """What counts the playouts of a node; a search ends when it can count no more."""
    bytes_beside_node: ClassVar[int] = 0
    """What a search keeps of every node beside the tree."""
    leaves: int = 1
    """Leaves that are under way at once, at most."""

    def __init__(
        self,
        *,
        exploration: float = sqrt(2),
        expand: Expand = "one",
        backup: Backup = "mover",
        log: Log = "parent",
        final: Final | Plugin = "visits",
        pass_node: PassNode = "child",
        draw: float = 0.5,
        tree: TreeKind = "full",
        reuse: bool = False,
        select: Plugin | None = None,
        policy: PlayoutPolicy | None = None,
        leaf_playouts: int = 1,
        memory: float = 256,
    ) -> None:
        """`exploration` is c of w/n + c sqrt(ln N / n); `memory` the tree in MiB; `leaf_playouts` per simulation."""
        for option, value, expected in (
            ("expand", expand, Expand),
            ("backup", backup, Backup),
            ("log", log, Log),
            ("final", "visits" if isinstance(final, Plugin) else final, Final),
            ("pass_node", pass_node, PassNode),
            ("tree", tree, TreeKind),
        ):
            _check(option, value, expected)
        possible = 0 <= exploration <= MOST_EXPLORATION and 0 <= draw <= 1 and 1 <= leaf_playouts <= 1024
        if not possible or not 0 < memory <= MOST_MEGABYTES:
            raise BadSpec(
                f"exploration={exploration}, draw={draw}, leaf_playouts={leaf_playouts}, memory={memory} "
                f"is not possible; expected 0 to {MOST_EXPLORATION}, 0 to 1, 1 to 1024, above 0 to {MOST_MEGABYTES}"
            )
        if expand == "selected" and select is None:
            raise BadSpec("expand=selected has nothing to go by; expected select=module:function beside it")
        with memory_for("memory", memory):
            pass
        self.select = select
        self._has_priors = select is not None and select.takes("prior")
        self._has_amaf = select is not None and select.takes("amaf_visits", "amaf_mean")
        if self._has_amaf and leaf_playouts > 1:
            raise BadSpec(f"leaf_playouts={leaf_playouts} with a select that takes amaf_mean; expected 1")
        self.exploration, self.expand, self.backup, self.log = exploration, expand, backup, log
        self.final, self.pass_node, self.draw, self.tree = final, pass_node, draw, tree
        self.reuse, self.policy, self.leaf_playouts = reuse, policy or PlayoutPolicy(), leaf_playouts
        self.memory = memory
        self.explains = True
        """Whether decisions tell the expected line and what every move is worth."""
        self._readings = (self._reading(Color.BLACK), self._reading(Color.WHITE))
        self._rate = _FIRST_RATE
        self._nodes: Tree | None = None
        self._owners = self._depths = np.empty(0, np.int32)
        self._root: Position | None = None
        self._selections: dict[Rules, Selection] = {}

    def be_brief(self) -> None:
        """Tells neither the expected line nor the other moves from now on."""
        self.explains = False

    def new_game(self) -> None:
        """Forgets the tree of the last game."""
        self._root = None

    def check_rules(self, rules: Rules) -> None:
        """The tables of the playouts must fit the board, and what is a person's own be compiled."""
        self.policy.check_rules(rules)
        if isinstance(self.final, Plugin):
            self.final.build(rules)
        if self.select is not None:
            self.select.build(rules)
            self.select.build_prior(rules)

    def rehearse(self, rules: Rules) -> None:
        """A short search, and another one below it where the tree is kept."""
        position = Position.start(rules)
        for _ in range(2 if self.reuse else 1):
            position = position.play(self.choose(position, Limits(playouts=4 * self.leaf_playouts), seed=0).move)
        self._rate, self._root = _FIRST_RATE, None  # the compiler's time is in what was measured

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """The move that the playouts favour; the same for the same seed unless a clock decides.

        Playouts come in simulations of `leaf_playouts`; nodes are children made plus discs placed in playouts.
        """
        *_, decision = self.think(position, limits, seed)
        return decision

    def think(self, position: Position, limits: Limits, seed: int) -> Iterator[Decision]:
        """The decision so far, some twenty times a second; the last one is that of `choose`."""
        if limits.game_seconds is not None:
            limits = limits.for_move((position.empties + 1) // 2)
        if limits.playouts is None and limits.nodes is None and limits.seconds is None:
            raise BadSpec("tree search has no limit; expected playouts, nodes or seconds")
        clock = Clock(limits, self._rate)
        tree = self._tree_at(position)
        told = 0.0
        for _ in self._simulate(position, tree, limits, clock, seed):
            self._rate, self._root = clock.rate, position
            if clock.seconds > told + _NEWS_SECONDS:
                yield self._decision(position, tree, limits, clock)
                told = clock.seconds
        yield self._decision(position, tree, limits, clock)

    # --- searching ------------------------------------------------------------------------------------

    def _reading(self, turn: Color) -> UctOptions:
        views = {"mover": kernels.MOVER, "agent": kernels.OWN}
        black = kernels.OWN if turn is Color.BLACK else kernels.OPPOSING
        return UctOptions(
            float(self.exploration),
            self.expand == "all",
            views.get(self.backup, black),
            _LOGS[self.log],
            self.pass_node == "leaf",
            1 if self.tree == "flat" else kernels.MAX_DEPTH - 1,
            self.leaf_playouts,
        )

    def _simulate(self, position: Position, tree: Tree, limits: Limits, clock: Clock, seed: int) -> Iterator[None]:
        """Runs slices until a limit is reached, one simulation at least; what is found is told between two."""
        reading, policy = self._readings[position.turn], self.policy.build(position.rules, self.draw)
        left = self._simulations(tree, limits)
        nodes, word, selection = limits.nodes or NO_LIMIT, Word(seed & _SEED_MASK), self._selection(position.rules)
        run = self._kernel(position.boards, tree, reading, policy, selection, word, nodes)
        plugs = self._plugs(policy, selection)
        while left:
            number, counted = min(max(1, clock.slice() // self.leaf_playouts), left), tree.counters.item(kernels.NODES)
            done = run(number, left)
            raise_faults(*plugs)
            clock.worked(done * self.leaf_playouts)
            left -= done
            yield
            complete = limits.nodes is not None and tree.counters.item(kernels.NODES) == counted
            if done < number or clock.expired or complete:  # a complete tree counts no more nodes
                break

    def _kernel(
        self,
        boards: tuple[Board, Board, Board],
        tree: Tree,
        reading: UctOptions,
        policy: Policy,
        selection: Selection | None,
        seed: Word,
        nodes: int,
    ) -> Callable[[int, int], int]:
        """A slice of the search: from the simulations to do, and those left in all, to how many were done."""
        lanes = new_lanes() if self.leaf_playouts > 1 else None
        return lambda number, left: kernels.simulate(
            *boards, tree, reading, policy, lanes, selection, seed, number, nodes
        )

    def _simulations(self, tree: Tree, limits: Limits) -> int:
        """How many may be done at most, one at least."""
        most = (np.iinfo(self.visits).max - tree.visits.item(0)) // self.leaf_playouts
        return min(most, NO_LIMIT if limits.playouts is None else max(1, limits.playouts // self.leaf_playouts))

    def _plugs(self, policy: Any, selection: Selection | None) -> list[Any]:
        """What a search calls of a person's own code."""
        return [getattr(policy, "plug", None), *([selection.score, selection.weight] if selection else [])]

    # --- the tree between two moves -------------------------------------------------------------------

    def _tree_at(self, position: Position) -> Tree:
        """The tree with its root at this position: what is left of the last one, or a fresh one."""
        if self._nodes is None:
            slots = max(_LEAST_SLOTS, int(self.memory * 2**20 / self._bytes_per_node))
            with memory_for("memory", self.memory):
                owners, depths = np.empty(slots, np.int32), np.empty(slots, np.int32)
                nodes = _new_tree(slots, self.visits)
            self._nodes, self._owners, self._depths = nodes, owners, depths
        slot = self._slot_of(position) if self.reuse else None
        if slot is None:
            kernels.plant(self._nodes)
        else:
            kernels.keep(self._nodes, slot, self._owners, self._depths, self._selection(position.rules))
            kernels.begin(self._nodes)
        return self._nodes

    @property
    def _bytes_per_node(self) -> int:
        visits = np.dtype(self.visits).itemsize - np.dtype(np.int32).itemsize + self.bytes_beside_node
        return BYTES_PER_NODE + visits + _BYTES_OF_PRIOR * self._has_priors + _BYTES_OF_AMAF * self._has_amaf

    def _selection(self, rules: Rules) -> Selection | None:
        """A person's own tree policy with room for what it wants kept of the nodes, once there is a tree."""
        if self.select is None or self._nodes is None:
            return None
        if rules not in self._selections:
            slots = len(self._nodes.visits)
            priors, amaf = slots if self._has_priors else 1, slots if self._has_amaf else 1
            self._selections = {  # of one game at a time, as the tree
                rules: Selection(
                    self.select.build(rules),
                    self.select.build_prior(rules),
                    self.expand == "selected",
                    self._has_priors,
                    self._has_amaf,
                    np.empty(priors),
                    np.empty(amaf, np.int32),
                    np.empty(amaf),
                )
            }
        return self._selections[rules]

    def _slot_of(self, position: Position) -> int | None:
        """The visited node of the old tree that holds a position, or None."""
        if self._root is None or self._nodes is None or self._root.rules != position.rules:
            return None
        line = moves_between(self._root, position, squares=_MOST_PLIES)
        if line is None:
            return None
        slot, tree = 0, self._nodes
        for move in line:
            bit = PASS if move == position.rules.pass_move else position.rules.bit(move).bit_length() - 1
            block, tried = int(tree.children[slot]), int(tree.tried[slot])
            squares = tree.squares[block : block + tried].tolist() if block > 0 else []
            if bit not in squares:
                return None
            slot = block + squares.index(bit)
        return slot

    # --- dressing the result --------------------------------------------------------------------------

    def _final(self, visits: list[int], means: list[float], rules: Rules) -> int:
        """The number of the child to play; among equals the one tried first."""
        if isinstance(self.final, Plugin):
            plug, total, scores = self.final.build(rules), sum(visits), {}
            for i in (i for i, n in enumerate(visits) if n):
                facts = {"visits": visits[i], "mean": means[i], "total": total, "c": float(self.exploration)}
                scores[i] = score(plug, self.final.name, facts)
            return max(scores, key=lambda i: scores[i])
        most = max(visits)
        if self.final == "visits" and visits.count(most) == 1:
            return visits.index(most)
        tried = [i for i, n in enumerate(visits) if n]
        if self.final == "visits":
            return max(tried, key=lambda i: (visits[i], means[i]))
        return max(tried, key=lambda i: (means[i], visits[i]))

    def _decision(self, position: Position, tree: Tree, limits: Limits, clock: Clock) -> Decision:
        squares, block = position.rules.by_bit, int(tree.children[0])
        visits = tree.visits[block : block + int(tree.degrees[0])].tolist()
        means = tree.means[block : block + len(visits)].tolist()
        if self.backup == "black" and position.turn is Color.WHITE:
            rates = [1.0 - mean for mean in means]
        else:
            rates = means
        names = [squares[bit] for bit in tree.squares[block : block + len(visits)].tolist()]
        best = self._final(visits, means, position.rules)
        told = sorted(zip(names, visits, rates, strict=True)) if self.explains else []
        found = [RootMove(move, rate if n else None, True, n, rate if n else None) for move, n, rate in told]
        counters = tree.counters.tolist()
        playouts = counters[kernels.SIMULATIONS] * self.leaf_playouts
        return Decision(
            names[best],
            position.turn,
            rates[best],
            counters[kernels.NODES],
            playouts,
            counters[kernels.DEEPEST],
            clock.seconds,
            (names[best], *(_most_visited_line(squares, tree, block + best) if self.explains else ())),
            tuple(found),
            finished=limits.playouts is None or playouts + self.leaf_playouts > limits.playouts,
            note=f"the tree was full at {len(tree.visits)} nodes" if counters[kernels.FULL] else "",
            unit="wins",
        )


def _most_visited_line(squares: tuple[int, ...], tree: Tree, slot: int) -> list[int]:
    """The line below a node that was simulated most often."""
    line = []
    while (block := tree.children.item(slot)) > 0 and (tried := tree.tried.item(slot)) > 0:
        visits = tree.visits[block : block + tried].tolist()
        slot = block + visits.index(max(visits))
        line.append(squares[tree.squares.item(slot)])
    return line
