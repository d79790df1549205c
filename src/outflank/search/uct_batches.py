"""Tree search whose leaves are played out in batches: `BatchedUct` by a GPU, `SideBySideUct` by vectors of one core.

A card plays a million games as soon as a thousand, so that a leaf is worth many playouts and a batch many leaves. The
tree grows on the processor (`kernels/leaves.py`). Two batches are under way: one is played, and the results of the one
before it are credited meanwhile. Batches are gathered and settled in one fixed order, so that a decision depends on
text, seed and number of playouts, whoever plays and however fast; `device=cpu` plays the same search on the processor.

A core plays eight random games in the time of three, and 32 in that of four. `uct(leaves=16)` gathers up to 16 leaves,
plays one game each of them side by side, settles them and goes on: the same batches, small ones, one at a time.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from outflank.board import Position, Rules
from outflank.devices import CardPlayouts, on_gpu
from outflank.errors import BadSpec
from outflank.kernels import leaves as kernels
from outflank.kernels.jit import Board, Word
from outflank.kernels.leaves import SHARE, Counts, Leaves
from outflank.kernels.playout import new_lanes
from outflank.kernels.policy import Policy
from outflank.kernels.uct import MAX_DEPTH, Selection, Tree, UctOptions
from outflank.plugins import raise_faults
from outflank.search.clock import Clock
from outflank.search.limits import NO_LIMIT, Limits
from outflank.search.uct import UctSearch

LEAVES = 1024
"""Leaves of a batch at most."""
UNDER_WAY = 2
"""Batches that are gathered and not yet settled."""
LEAST_LEAVES = 32
"""Leaves of a batch at least, unless the search ends with fewer."""
_LEAST_PLAYOUTS = 8
"""Of a leaf: with fewer a card is idle most of the time."""


class _Boards:
    """Positions to be played out, in the memory of this processor."""

    def __init__(self, words: int, leaves: int) -> None:
        self.own, self.other = np.zeros((leaves, words), np.uint64), np.zeros((leaves, words), np.uint64)
        self.seeds, self.firsts, self.sides = (np.zeros(leaves, np.uint64) for _ in range(3))


def _new_leaves(boards: CardPlayouts | _Boards, leaves: int, pending: Counts) -> Leaves:
    """Room for a batch of so many leaves, whose boards lie where they are played out."""
    return Leaves(
        boards.own,
        boards.other,
        boards.seeds,
        boards.firsts,
        np.empty((leaves, 2), np.uint64),
        boards.sides,
        path=np.empty(leaves * MAX_DEPTH, np.int32),
        ends=np.empty(leaves, np.int64),
        points=np.empty((leaves, 2)),
        placed=np.empty(leaves, np.int64),
        pending=pending,
    )


class _HerePlayouts(_Boards):
    """Plays the leaves of a batch on this processor, when they are asked for."""

    def __init__(self, rules: Rules, policy: Policy, leaves: int) -> None:
        super().__init__(rules.words, leaves)
        self._full, self._policy, self._lanes = Position.start(rules).boards[2], policy, new_lanes()

    def play(self, leaves: Leaves, number: int, each: int, clock: Clock) -> int:
        """Plays leaf after leaf, one at least, until the time is over; returns how many."""
        for leaf in range(number):
            if leaf and clock.expired:
                return leaf
            kernels.play_leaves(self._full, self._policy, self._lanes, leaves, leaf, leaf + 1, each)
        return number


class _Batch:
    """Leaves, and who plays them."""

    def __init__(self, player: CardPlayouts | _HerePlayouts, leaves: int, pending: Counts) -> None:
        self.player, self.number, self._each = player, 0, 0
        self.leaves = _new_leaves(player, leaves, pending)

    def send(self, number: int, each: int) -> None:
        self.number, self._each = number, each
        if isinstance(self.player, CardPlayouts):
            self.player.send(number, each)

    def receive(self, clock: Clock) -> int:
        """Waits for the results; of how many leaves there are any."""
        if not isinstance(self.player, CardPlayouts):
            return self.player.play(self.leaves, self.number, self._each, clock)
        self.leaves.points[: self.number], self.leaves.placed[: self.number] = 0, 0
        self.player.receive(self.leaves.points, self.leaves.placed)
        return self.number


class BatchedUct(UctSearch):
    """Tree search by playouts in batches of leaves.

    >>> search = BatchedUct("cpu", leaf_playouts=32, memory=1)
    >>> decision = search.choose(Position.start("standard 4x4"), Limits(playouts=3200), seed=1)
    >>> decision.playouts, sum(root.visits for root in decision.moves)
    (3200, 3200)
    """

    visits = np.int64
    bytes_beside_node = 8  # its playouts under way

    def __init__(
        self,
        device: str,
        *,
        leaves: int = LEAVES,
        least: int = LEAST_LEAVES,
        share: int = SHARE,
        under_way: int = UNDER_WAY,
        leaf_playouts: int = 256,
        **options: Any,
    ) -> None:
        """`device` is `cpu`, `gpu` or `auto`; the options are those of `UctSearch`."""
        super().__init__(leaf_playouts=leaf_playouts, **options)
        if leaf_playouts < _LEAST_PLAYOUTS:
            raise BadSpec(
                f"leaf_playouts={leaf_playouts} leaves a device idle; expected {_LEAST_PLAYOUTS} to 1024 with device, "
                "such as leaf_playouts=256"
            )
        if self._has_amaf:
            raise BadSpec("select takes amaf_mean, which a device does not tell; expected no device")
        own_code = self.policy.has_own_code
        if device == "gpu" and own_code:
            raise BadSpec("device=gpu does not play functions of a person's own; expected device=cpu")
        self.on_gpu = not own_code and on_gpu(device)
        self.leaves, self._least, self._share, self._under_way = leaves, min(least, leaves), share, under_way
        self._batches: list[_Batch] = []
        self._policy: Policy | None = None

    def _batches_for(self, rules: Rules, tree: Tree) -> list[_Batch]:
        policy = self.policy.build(rules, self.draw)
        if self._policy is not policy:
            kind = CardPlayouts if self.on_gpu else _HerePlayouts
            players = [kind(rules, policy, self.leaves) for _ in range(self._under_way)]
            pending = np.zeros(len(tree.visits), np.int64)
            self._batches = [_Batch(player, self.leaves, pending) for player in players]
            self._policy = policy
        return self._batches

    def _simulate(self, position: Position, tree: Tree, limits: Limits, clock: Clock, seed: int) -> Iterator[None]:
        """Sends batches until a limit is reached, and settles all of them; what is found is told between two.

        A limit of nodes is exceeded by the batches under way.
        """
        free, under_way = deque(self._batches_for(position.rules, tree)), deque[_Batch]()
        left = self._simulations(tree, limits)
        whole = False
        try:
            while left or under_way:
                if left and free:
                    seen = tree.visits.item(0) // self.leaf_playouts
                    wanted = min(max(self._least, seen // self._share), self.leaves, left)
                    found = self._send(free[0], position, tree, limits, seed, wanted)
                    left = left - found if found == wanted else 0
                    under_way.extend([free.popleft()] if found else [])
                else:
                    batch = under_way[0]
                    played = self._settle(batch, position, tree, clock)
                    clock.worked(played * self.leaf_playouts)
                    free.append(under_way.popleft())
                    yield
                    left = 0 if clock.expired or played < batch.number else left
                    whole = not left and not under_way and played == batch.number
        finally:
            if not whole:  # leaves were sent in vain, and have changed the tree
                self._root, self._policy = None, None

    def _send(self, batch: _Batch, position: Position, tree: Tree, limits: Limits, seed: int, number: int) -> int:
        """Gathers so many leaves, or fewer at a limit of nodes, and has them played out."""
        reading, selection = self._readings[position.turn], self._selection(position.rules)
        word, nodes = Word(seed % 2**64), limits.nodes or NO_LIMIT
        found = kernels.gather(*position.boards, tree, reading, selection, word, number, nodes, batch.leaves)
        raise_faults(*self._plugs(None, selection))
        if found:
            batch.send(found, self.leaf_playouts)
        return found

    def _settle(self, batch: _Batch, position: Position, tree: Tree, clock: Clock) -> int:
        """Credits what the leaves of a batch brought; how many were played out."""
        played = batch.receive(clock)
        raise_faults(*self._plugs(self.policy.build(position.rules, self.draw), None))
        kernels.settle(tree, self._readings[position.turn], batch.leaves, batch.number, played)
        return played


class SideBySideUct(UctSearch):
    """Tree search whose leaves are played out side by side, by the vectors of one core of the processor.

    A batch is settled before the next is gathered; with one leaf it is the search of `UctSearch`. Batches are whole
    when a slice ends, so that nothing is under way between two of them.

    >>> search = SideBySideUct(leaves=16, memory=1)
    >>> decision = search.choose(Position.start("standard 4x4"), Limits(playouts=1000), seed=1)
    >>> decision.playouts, sum(root.visits for root in decision.moves)
    (1000, 1000)
    """

    bytes_beside_node = 4  # its playouts under way

    def __init__(self, *, leaves: int, **options: Any) -> None:
        """`leaves` are those of a batch at most; the other options are those of `UctSearch`."""
        super().__init__(**options)
        if not 1 <= leaves <= LEAVES:
            raise BadSpec(f"leaves={leaves} is not possible; expected 1 to {LEAVES}")
        if self._has_amaf:
            raise BadSpec("select takes amaf_mean, which leaves side by side do not tell; expected leaves=1")
        self.leaves = leaves
        self._lanes, self._rooms = new_lanes(), dict[int, Leaves]()

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
        leaves = self._room(len(boards[0]), tree)
        return lambda number, left: kernels.simulate_in_batches(
            *boards, tree, reading, policy, self._lanes, selection, seed, number, left, nodes, leaves
        )

    def _room(self, words: int, tree: Tree) -> Leaves:
        """Where batches of boards of so many words lie."""
        if words not in self._rooms:
            pending = np.zeros(len(tree.visits), np.int32)
            self._rooms = {words: _new_leaves(_Boards(words, self.leaves), self.leaves, pending)}
        return self._rooms[words]
