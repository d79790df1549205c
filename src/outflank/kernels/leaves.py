"""Tree search that has its leaves played out in batches: by a card, or side by side in the vectors of a core.

`gather` walks to leaf after leaf and counts the playouts that it sends them to at once, as visits without a result: the
means stay as they are, and the exploration term alone keeps the leaves of a batch apart (Liu, Chen, Yu, Zhai, Zhou &
Liu 2020, "Watch the unobserved"). Only a node that is new counts as lost until its result is there. Where all playouts
under way counted as lost (a virtual loss), trees in batches lost three games of four against one that takes leaf
after leaf (docs/gpu.md).

`settle` adds what was won. A batch of one leaf, settled before the next is gathered, makes the search of
`uct.simulate`; in any batches it depends on the seed, their sizes and their order, and not on who plays them or when.

`simulate_in_batches` does all of it without leaving the kernel. A random game alone waits for its own instructions most
of the time; side by side the playouts of a batch fill the lanes of `play_lanes`, each the game that its simulation
would play alone. One core of an AMD EPYC with AVX-512 (Zen 5), 8x8 from the start, one playout a leaf, thousand
simulations/s for 10,000 and 100,000 of them: leaf after leaf 838 and 815, in batches of 8 1983 and 1704, of 16 2689 and
2346, of 32 3095 and 2641; 64 gain no more. What batches cost in strength is in docs/gpu.md.
Other policies and boards above 8x8 are played one after the other, and gain nothing.
"""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import count, load, store
from outflank.kernels.jit import Board, Word, Words, inlined, kernel
from outflank.kernels.playout import LANES, ME, OPP, S0, S1, advance, play_lanes, stream
from outflank.kernels.policy import FEW, UNIFORM_FIELDS, Values, paid_in_lane, playouts, policy_playout
from outflank.kernels.uct import DEEPEST, MOVER, NODES, OWN, SIMULATIONS, Numbers, Tree, UctOptions, descend

SHARE = 4
"""A batch is at most this part of the leaves that the tree has seen, because a batch learns nothing from itself."""


Counts = npt.NDArray[np.signedinteger]
"""Of playouts: as large as the visits of the tree."""


class Leaves(NamedTuple):
    """A batch of leaves that are played out, and their paths."""

    own: Words
    """[leaves, words]: discs of the side to move."""
    other: Words
    seeds: Words
    """[leaves]: of the playouts of a leaf."""
    firsts: Words
    """[leaves]: the number of its first playout."""
    states: Words
    """[leaves, 2]: the generator of a leaf that is played out once."""
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
    pending: Counts
    """[slots]: playouts of a node that are under way, in this batch or another; they are among its visits."""


@inlined
def _send_along(tree: Tree, pending: Counts, depth: int, playouts: int, reading: UctOptions) -> None:
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
            if tree.visits[slot] > 0:
                tree.spreads[slot] = reading.exploration / sqrt(tree.visits[slot])
        if tree.visits[slot] > leaves.pending[slot]:
            tree.means[slot] = tree.sums[slot] / (tree.visits[slot] - leaves.pending[slot])


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
        leaves.states[leaf, 0], leaves.states[leaf, 1] = s0, s1
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


@inlined
def _play_leaf(full: Board, policy: Any, lanes: Words, leaves: Leaves, leaf: int, repeats: int) -> None:
    me, opp = load(leaves.own, leaf, full), load(leaves.other, leaf, full)
    own = leaves.sides[leaf] != Word(0)
    if repeats == 1:
        won, lost, placed, _, _ = policy_playout(
            me, opp, full, own, policy, leaves.states[leaf, 0], leaves.states[leaf, 1]
        )
    else:
        first: Any = np.int64(leaves.firsts[leaf])  # a Word would make sums with it floating
        won, lost, placed = playouts(me, opp, full, own, policy, leaves.seeds[leaf], first, repeats, lanes, 0.0, 0.0)
    leaves.points[leaf, 0], leaves.points[leaf, 1], leaves.placed[leaf] = won, lost, placed


@inlined
def _fill_lane(lanes: Words, lane: int, leaves: Leaves, leaf: int, playout: int, repeats: int) -> None:
    """Puts a playout of a leaf of one word into a lane."""
    lanes[ME, lane], lanes[OPP, lane] = leaves.own[leaf, 0], leaves.other[leaf, 0]
    if repeats == 1:
        lanes[S0, lane], lanes[S1, lane] = leaves.states[leaf, 0], leaves.states[leaf, 1]
    else:
        lanes[S0, lane], lanes[S1, lane] = stream(leaves.seeds[leaf], leaves.firsts[leaf] + Word(playout))


@inlined
def _play_side_by_side(
    full: Board, policy: Any, lanes: Words, leaves: Leaves, begin: int, end: int, repeats: int
) -> None:
    """`play_leaves` of a uniform policy on one-word boards: playouts fill the lanes, leaf after leaf."""
    for leaf in range(begin, end):
        leaves.points[leaf, 0], leaves.points[leaf, 1], leaves.placed[leaf] = 0.0, 0.0, 0
    for game in range(begin * repeats, end * repeats, LANES):
        width = min(LANES, end * repeats - game)
        for lane in range(width):
            leaf = (game + lane) // repeats
            _fill_lane(lanes, lane, leaves, leaf, game + lane - leaf * repeats, repeats)
        sign = play_lanes(lanes, width, full)
        for lane in range(width):
            leaf = (game + lane) // repeats
            discs = count((leaves.own[leaf, 0] | leaves.other[leaf, 0],))
            won, lost, placed = paid_in_lane(lanes, lane, sign, policy, discs)
            leaves.points[leaf, 0] += won
            leaves.points[leaf, 1] += lost
            leaves.placed[leaf] += placed


@kernel
def play_leaves(full: Board, policy: Any, lanes: Words, leaves: Leaves, begin: int, end: int, repeats: int) -> None:
    """Plays some leaves out on the CPU, side by side where there are lanes for it."""
    if len(full) == 1:  # noqa: SIM102  (each on its own, so that the compiler drops what is not needed)
        if len(policy) == UNIFORM_FIELDS:  # noqa: SIM102
            if (end - begin) * repeats > FEW:
                _play_side_by_side(full, policy, lanes, leaves, begin, end, repeats)
                return
    for leaf in range(begin, end):
        _play_leaf(full, policy, lanes, leaves, leaf, repeats)


@kernel
def simulate_in_batches(
    me: Board,
    opp: Board,
    full: Board,
    tree: Tree,
    reading: UctOptions,
    policy: Any,
    lanes: Words,
    selection: Any,
    seed: Word,
    number: int,
    left: int,
    nodes: int,
    leaves: Leaves,
) -> int:
    """Runs whole batches until `number` simulations are done or `nodes` are counted; returns how many were done.

    Batches are as large as `leaves` and the tree permit, and end together with the `left` simulations of the search:
    their sizes do not depend on the slices that are asked for.
    """
    done = 0
    while done < number and tree.counters[NODES] < nodes:
        seen = tree.visits[0] // reading.repeats
        wanted = min(max(seen // SHARE, 1), len(leaves.ends), left - done)
        found = gather(me, opp, full, tree, reading, selection, seed, wanted, nodes, leaves)
        play_leaves(full, policy, lanes, leaves, 0, found, reading.repeats)
        settle(tree, reading, leaves, found, found)
        done += found
    return done
