"""Tree search that sends its leaves away in batches: to a card, which plays a thousand of them as soon as one.

`gather` walks to leaf after leaf and counts the playouts that it sends them to at once, as visits without a result: the
means stay as they are, and the exploration term alone keeps the leaves of a batch apart (Liu, Chen, Yu, Zhai, Zhou &
Liu 2020, "Watch the unobserved"). Only a node that is new counts as lost until its result is there. Where all playouts
under way counted as lost (a virtual loss), trees in batches lost three games of four against one that takes leaf
after leaf (docs/gpu.md).

`settle` adds what was won. A batch of one leaf, settled before the next is gathered, makes the search of
`uct.simulate`; in any batches it depends on the seed, their sizes and their order, and not on who plays them or when.
"""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import load, store
from outflank.kernels.jit import Board, Word, Words, inlined, kernel
from outflank.kernels.playout import advance, stream
from outflank.kernels.policy import Values, playouts
from outflank.kernels.uct import DEEPEST, MOVER, NODES, OWN, SIMULATIONS, Numbers, Tree, UctOptions, descend


class Leaves(NamedTuple):
    """A batch of leaves that are played out, and their paths."""

    own: Words
    """[leaves, words]: discs of the side to move."""
    other: Words
    seeds: Words
    """[leaves]: of the playouts of a leaf."""
    firsts: Words
    """[leaves]: the number of its first playout."""
    sides: Words
    """[leaves]: 1 where the side to move is the one that searches, otherwise 0."""
    path: npt.NDArray[np.int32]
    """[leaves * MAX_DEPTH]: slots from the root on, path after path."""
    ends: Numbers
    """[leaves]: where in `path` that of a leaf ends."""
    points: Values
    """[leaves, 2]: rewards of the side to move and of the other, over all playouts of a leaf."""
    placed: Numbers
    """[leaves]: discs placed in them."""
    pending: Numbers
    """[slots]: playouts of a node that are under way, in this batch or another; they are among its visits."""


@inlined
def _send_along(tree: Tree, pending: Numbers, depth: int, playouts: int, reading: UctOptions) -> None:
    """Counts playouts that are under way as visits of all nodes of the tree's path."""
    for level in range(depth + 1):
        slot = tree.path[level]
        pending[slot] += playouts
        tree.visits[slot] += playouts
        tree.spreads[slot] = reading.exploration / sqrt(tree.visits[slot])
        tree.layers[level] += playouts


@inlined
def _settle_along(
    tree: Tree, leaves: Leaves, begin: int, depth: int, own: float, opposing: float, played: bool, reading: UctOptions
) -> None:
    """Adds the rewards of a leaf to all nodes of its path; takes its visits back if it was not played."""
    for level in range(depth + 1):
        slot = leaves.path[begin + level]
        leaves.pending[slot] -= reading.repeats
        if played:
            into = own if level & 1 else opposing
            tree.sums[slot] += into if reading.credited == MOVER else own if reading.credited == OWN else opposing
        else:
            tree.visits[slot] -= reading.repeats
            tree.layers[level] -= reading.repeats
        if tree.visits[slot] > leaves.pending[slot]:
            tree.means[slot] = tree.sums[slot] / (tree.visits[slot] - leaves.pending[slot])
            tree.spreads[slot] = reading.exploration / sqrt(tree.visits[slot])


@kernel
def gather(
    me: Board,
    opp: Board,
    full: Board,
    tree: Tree,
    reading: UctOptions,
    selection: Any,
    seed: Word,
    number: int,
    nodes: int,
    leaves: Leaves,
) -> int:
    """Walks to `number` leaves, fewer if `nodes` are counted since `begin`; returns how many there are."""
    counters, end = tree.counters, 0
    for leaf in range(number):
        if counters[NODES] >= nodes:
            return leaf
        s0, s1 = stream(seed, Word(counters[SIMULATIONS]))
        draw = s0 + s1
        s0, s1 = advance(s0, s1)
        mine, theirs, depth, made = descend(me, opp, full, tree, reading, selection, draw)
        _send_along(tree, leaves.pending, depth, reading.repeats, reading)
        store(leaves.own, leaf, mine)
        store(leaves.other, leaf, theirs)
        leaves.seeds[leaf], leaves.firsts[leaf] = s0 + s1, Word(counters[SIMULATIONS])
        leaves.sides[leaf] = Word(1 - (depth & 1))
        for level in range(depth + 1):
            leaves.path[end + level] = tree.path[level]
        end += depth + 1
        leaves.ends[leaf] = end
        counters[NODES] += 1 if made else 0
        counters[DEEPEST] = max(counters[DEEPEST], depth)
        counters[SIMULATIONS] += 1
    return number


@kernel
def settle(tree: Tree, reading: UctOptions, leaves: Leaves, number: int, played: int) -> None:
    """Credits the results of the first `played` of `number` leaves along their paths; the others are taken back."""
    begin = 0
    tree.counters[SIMULATIONS] -= number - played
    for leaf in range(number):
        end = int(leaves.ends[leaf])
        depth = end - begin - 1
        own, opposing = leaves.points[leaf, 0], leaves.points[leaf, 1]
        if depth & 1:
            own, opposing = opposing, own
        _settle_along(tree, leaves, begin, depth, own, opposing, leaf < played, reading)
        tree.counters[NODES] += leaves.placed[leaf] if leaf < played else 0
        begin = end


@kernel
def play_leaves(full: Board, policy: Any, lanes: Words, leaves: Leaves, begin: int, end: int, repeats: int) -> None:
    """Plays some leaves out on the CPU."""
    for leaf in range(begin, end):
        me, opp = load(leaves.own, leaf, full), load(leaves.other, leaf, full)
        seed, own = leaves.seeds[leaf], leaves.sides[leaf] != Word(0)
        first: Any = np.int64(leaves.firsts[leaf])  # a Word would make sums with it floating
        won, lost, placed = playouts(me, opp, full, own, policy, seed, first, repeats, lanes, 0.0, 0.0)
        leaves.points[leaf, 0], leaves.points[leaf, 1], leaves.placed[leaf] = won, lost, placed
