"""Tree search that sends its leaves away in batches: to a card, which plays a thousand of them as soon as one.

`gather` walks to leaf after leaf and counts the playouts that it sends them to at once, as lost: until their results
are there, others look better, and the leaves of a batch lie apart (a virtual loss; Chaslot, Winands & van den Herik
2008). `settle` adds what was won. A batch of one leaf, settled before the next is gathered, makes the search of
`uct.simulate`; in any batches it depends on the seed, their sizes and their order, and not on who plays them or when.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import load, store
from outflank.kernels.jit import Board, Word, Words, kernel
from outflank.kernels.playout import advance, stream
from outflank.kernels.policy import Lanes, Values, playouts
from outflank.kernels.uct import DEEPEST, NODES, SIMULATIONS, Numbers, Tree, UctOptions, credit, descend


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
    lost: int,
    leaves: Leaves,
) -> int:
    """Walks to `number` leaves, fewer if `nodes` are counted since `begin`; returns how many there are.

    `lost` of the playouts of a leaf count at once, the others when they are settled.
    """
    counters, end = tree.counters, 0
    for leaf in range(number):
        if counters[NODES] >= nodes:
            return leaf
        s0, s1 = stream(seed, Word(counters[SIMULATIONS]))
        draw = s0 + s1
        s0, s1 = advance(s0, s1)
        mine, theirs, depth, made = descend(me, opp, full, tree, reading, selection, draw)
        credit(tree, tree.path, 0, depth, 0.0, 0.0, lost, reading)
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
def settle(tree: Tree, reading: UctOptions, lost: int, leaves: Leaves, number: int, played: int) -> None:
    """Credits the results of the first `played` of `number` leaves along their paths; the others are taken back."""
    begin = 0
    tree.counters[SIMULATIONS] -= number - played
    for leaf in range(number):
        end = int(leaves.ends[leaf])
        depth = end - begin - 1
        if leaf >= played:
            credit(tree, leaves.path, begin, depth, 0.0, 0.0, -lost, reading)
            begin = end
            continue
        own, opposing = leaves.points[leaf, 0], leaves.points[leaf, 1]
        if depth & 1:
            own, opposing = opposing, own
        credit(tree, leaves.path, begin, depth, own, opposing, reading.repeats - lost, reading)
        tree.counters[NODES] += leaves.placed[leaf]
        begin = end


@kernel
def play_leaves(full: Board, policy: Any, lanes: Lanes, leaves: Leaves, begin: int, end: int, repeats: int) -> None:
    """Plays some leaves out on the CPU."""
    for leaf in range(begin, end):
        me, opp = load(leaves.own, leaf, full), load(leaves.other, leaf, full)
        seed, own = leaves.seeds[leaf], leaves.sides[leaf] != Word(0)
        first: Any = np.int64(leaves.firsts[leaf])  # a Word would make sums with it floating
        won, lost, placed = playouts(me, opp, full, own, policy, seed, first, repeats, lanes, 0.0, 0.0)
        leaves.points[leaf, 0], leaves.points[leaf, 1], leaves.placed[leaf] = won, lost, placed
