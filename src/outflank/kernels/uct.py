"""Tree search by playouts (UCT, Kocsis & Szepesvári 2006), one kernel for all readings of the papers.

One simulation walks from the root to a leaf by the largest w/n + c sqrt(ln N / n), adds a child, plays a game from
it by a policy and credits the result along the path. The tree is a struct of arrays; the children of a node are one
contiguous block, made when the node is visited for the second time, those already tried in front. Boards are not
kept: they are replayed along the path, which costs less than fetching them.

w/n and c/sqrt(n) are kept per node and renewed when a result is credited, so that comparing children needs one
multiplication each and no division or root; the square root of the logarithm is taken once per node passed.

A person's own selection (`Selection`) scores children in place of that formula, from what is kept of them: visits,
mean, and on demand a prior weight and the results of simulations in which the same side made the same move later
(all moves as first, AMAF; Gelly & Silver 2007).

Simulation number i of a seed draws from a stream of its own. What a search has done therefore depends on the seed and
on the number of simulations alone, never on the slices in which they were asked for.

Measured from the start with uniform playouts, one core of an AMD EPYC with AVX-512 (Zen 5), thousand simulations/s: 8x8
857 for 10,000 and 815 for 100,000 of them, where bare random games run at 927; 12x12 166, bare 167. Nine tenths of the
time is the playout, whose instructions wait for one another; `leaves.py` plays several side by side. What did not help:
means and spreads in single precision (3 % slower); arrays counted by numba's runtime cost a fifth (Zen 4).
"""

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import both, count, either, first, is_empty, moves, single, without, without_first
from outflank.kernels.jit import Board, Word, Words, inlined, kernel
from outflank.kernels.playout import advance, choose, stream
from outflank.kernels.policy import marked_playout, playouts, policy_playout
from outflank.kernels.rules import PASS, after_or_pass

MOVER, OWN, OPPOSING = range(3)
"""Whose reward a node is credited with: who moved into it, always the side that searches, always the other."""
PARENT, SIBLINGS, LAYER = range(3)
"""What the logarithm counts: visits of the parent, of its children, of all nodes of that depth."""
UNEXPANDED, FINISHED, PASSING = -1, -2, -3
"""In `children`, of a node without a block: not looked at yet, game over, a pass that stays a leaf."""
NOTHING_HELD = -1
"""In `counters[HELD]`: the next simulation begins at the root."""

USED, SIMULATIONS, NODES, DEEPEST, HELD, FULL = range(6)
COUNTERS = 6
MAX_DEPTH = 1024
"""More than the plies of any game: 252 moves on 16x16, with a pass between each two."""

Numbers = npt.NDArray[np.int64]


class Tree(NamedTuple):
    """All nodes, by slot; slot 0 is the root. Slots of children always have higher numbers than their parent."""

    visits: npt.NDArray[np.int32]
    sums: npt.NDArray[np.float64]
    """Rewards credited so far."""
    means: npt.NDArray[np.float64]
    """sums / visits."""
    spreads: npt.NDArray[np.float64]
    """c / sqrt(visits)."""
    children: npt.NDArray[np.int32]
    """First slot of the block of children, or one of the negative sentinels."""
    degrees: npt.NDArray[np.int16]
    """Children in the block."""
    tried: npt.NDArray[np.int16]
    """Children, from the front of the block, that have been simulated."""
    squares: npt.NDArray[np.int16]
    """The bit number of the move into the node, or `PASS`."""
    path: npt.NDArray[np.int32]
    """[MAX_DEPTH]: slots of the last simulation, by depth."""
    layers: Numbers
    """[MAX_DEPTH]: visits of all nodes of a depth."""
    counters: Numbers
    """[COUNTERS]: slots in use, simulations, nodes counted, deepest path, depth held, whether room was missing."""


class UctOptions(NamedTuple):
    """How the search reads the papers."""

    exploration: float
    """c; with 2 C_p sqrt(2 ln n / n_j) it is 2 sqrt(2) C_p."""
    expand_all: bool
    """Whether a leaf gets all its children simulated in turn, and not one child per simulation."""
    credited: int
    """Whose reward: `MOVER`, `OWN` or `OPPOSING` (numba reserves the name `view`)."""
    logarithm: int
    pass_leaf: bool
    """Whether a forced pass inside the tree stays a leaf, and has no child."""
    most_depth: int
    """Depth below which no node is made; 1 is a bandit over the root moves."""
    repeats: int
    """Playouts per simulation."""


class Selection(NamedTuple):
    """A person's own tree policy, and what it wants kept of every node beside the tree."""

    score: Any
    """(visits, mean, N of the formula, c, prior, AMAF visits, AMAF mean) -> the child with the largest is chosen."""
    weight: Any
    """(own, opp, legal, square) -> what the prior of a move is in proportion to."""
    untried: bool
    """Whether children that were never visited are scored too, and not each tried once first."""
    has_priors: bool
    has_amaf: bool
    priors: npt.NDArray[np.float64]
    """[slots], or anything without priors: shares of a node's children, 1 in all."""
    amaf_visits: npt.NDArray[np.int32]
    amaf_sums: npt.NDArray[np.float64]
    """[slots], or anything without AMAF."""


@inlined
def _clear(tree: Tree, slot: int, square: int) -> None:
    tree.visits[slot], tree.sums[slot], tree.means[slot], tree.spreads[slot] = 0, 0.0, 0.0, 0.0
    tree.children[slot], tree.degrees[slot], tree.tried[slot] = UNEXPANDED, 0, 0
    tree.squares[slot] = square


@kernel
def plant(tree: Tree) -> None:
    """Makes the tree a root without children."""
    _clear(tree, 0, PASS)
    tree.layers[:] = 0
    tree.counters[:] = 0
    tree.counters[USED], tree.counters[HELD] = 1, NOTHING_HELD


@kernel
def begin(tree: Tree) -> None:
    """Sets the counters of a search back and keeps the nodes."""
    used = tree.counters[USED]
    tree.counters[:] = 0
    tree.counters[USED], tree.counters[HELD] = used, NOTHING_HELD


# --- one simulation ---------------------------------------------------------------------------------------


@inlined
def _clear_selected(me: Board, opp: Board, legal: Board, tree: Tree, block: int, degree: int, selection: Any) -> None:
    """Begins what a selection wants kept of a block of new children."""
    if selection.has_amaf:
        for child in range(block, block + degree):
            selection.amaf_visits[child], selection.amaf_sums[child] = 0, 0.0
    if selection.has_priors:
        total = 0.0
        for child in range(block, block + degree):
            square = tree.squares[child]
            weight = 1.0 if square == PASS else selection.weight(me, opp, legal, np.int64(square))
            selection.priors[child] = weight
            total += weight
        for child in range(block, block + degree):
            selection.priors[child] = selection.priors[child] / total if total > 0.0 else 1.0 / degree


@inlined
def _make_block(tree: Tree, slot: int, squares: Board, degree: int) -> None:
    """Gives a node a block of untried children, or notes that there is no room."""
    block = tree.counters[USED]
    if block + degree > len(tree.visits):
        tree.counters[FULL] = 1
        return
    tree.counters[USED] = block + degree
    tree.children[slot], tree.degrees[slot] = block, degree
    if is_empty(squares):
        _clear(tree, block, PASS)
        return
    for child in range(block, block + degree):
        _clear(tree, child, first(squares))
        squares = without_first(squares)


@inlined
def _expand(me: Board, opp: Board, full: Board, tree: Tree, slot: int, pass_leaf: bool, selection: Any) -> None:
    """Gives a node its block of children, or marks it as one that never has any."""
    squares = moves(me, opp, full)
    if is_empty(squares):
        if is_empty(moves(opp, me, full)):
            tree.children[slot] = FINISHED
            return
        if pass_leaf:
            tree.children[slot] = PASSING
            return
    degree = max(count(squares), 1)
    _make_block(tree, slot, squares, degree)
    if selection is None:
        return
    else:
        if tree.children[slot] > 0:
            _clear_selected(me, opp, squares, tree, int(tree.children[slot]), degree, selection)


@inlined
def _counted(tree: Tree, slot: int, depth: int, logarithm: int) -> int:
    """The N of the formula for the children of a node at this depth."""
    if logarithm == PARENT:
        return int(tree.visits[slot])
    if logarithm == LAYER:
        return int(tree.layers[depth + 1])
    total = 0
    block = int(tree.children[slot])
    for child in range(block, block + tree.degrees[slot]):
        total += tree.visits[child]
    return total


@inlined
def _best_child(tree: Tree, slot: int, depth: int, logarithm: int) -> int:
    """The child with the largest mean plus exploration; all have been tried."""
    block = int(tree.children[slot])
    factor = sqrt(log(_counted(tree, slot, depth, logarithm)))
    chosen, best = block, -1.0
    for child in range(block, block + tree.degrees[slot]):
        value = tree.means[child] + factor * tree.spreads[child]
        if value > best:
            chosen, best = child, value
    return chosen


@inlined
def _highest_score(tree: Tree, slot: int, depth: int, reading: UctOptions, selection: Any) -> int:
    """The child that a person's own selection scores highest; of equal ones the first in its block."""
    block, total = int(tree.children[slot]), _counted(tree, slot, depth, reading.logarithm)
    number = tree.degrees[slot] if selection.untried else tree.tried[slot]
    chosen, best = block, -np.inf
    for child in range(block, block + number):
        prior = selection.priors[child] if selection.has_priors else 1.0 / tree.degrees[slot]
        amaf_visits, amaf_mean = 0, 0.0
        if selection.has_amaf:
            amaf_visits = int(selection.amaf_visits[child])
            amaf_mean = selection.amaf_sums[child] / amaf_visits if amaf_visits > 0 else 0.0
        value = selection.score(
            int(tree.visits[child]), tree.means[child], total, reading.exploration, prior, amaf_visits, amaf_mean
        )
        if value > best:
            chosen, best = child, value
    return chosen


@inlined
def _swap_selected(selection: Any, one: int, other: int) -> None:
    if selection.has_priors:
        selection.priors[one], selection.priors[other] = selection.priors[other], selection.priors[one]
    if selection.has_amaf:
        visits, sums = selection.amaf_visits, selection.amaf_sums
        visits[one], visits[other] = visits[other], visits[one]
        sums[one], sums[other] = sums[other], sums[one]


@inlined
def _take_untried(tree: Tree, slot: int, child: int, selection: Any) -> int:
    """The slot of a child that is tried now for the first time: it changes places with the first untried one."""
    front = int(tree.children[slot]) + int(tree.tried[slot])
    tree.tried[slot] += 1
    tree.squares[front], tree.squares[child] = tree.squares[child], tree.squares[front]
    if selection is None:
        return front
    else:
        _swap_selected(selection, front, child)
        return front


@inlined
def _untried_child(tree: Tree, slot: int, number: Word, in_order: bool) -> int:
    """One of the children that were never tried: a random one unless `in_order`."""
    tried = int(tree.tried[slot])
    front = int(tree.children[slot]) + tried
    return front if in_order else front + int(choose(number, tree.degrees[slot] - tried))


@inlined
def _next_child(
    tree: Tree, slot: int, depth: int, reading: UctOptions, selection: Any, number: Word
) -> tuple[int, bool]:
    """(the child to go to, whether it is tried for the first time)."""
    complete = tree.tried[slot] == tree.degrees[slot]
    if selection is None:
        if complete:
            return _best_child(tree, slot, depth, reading.logarithm), False
    else:
        if complete or selection.untried:
            child = _highest_score(tree, slot, depth, reading, selection)
            if child < tree.children[slot] + tree.tried[slot]:
                return child, False
            return _take_untried(tree, slot, child, selection), True
    return _take_untried(tree, slot, _untried_child(tree, slot, number, reading.expand_all), selection), True


@inlined
def credit(
    tree: Tree,
    path: npt.NDArray[np.int32],
    begin: int,
    depth: int,
    own: float,
    opposing: float,
    playouts: int,
    reading: UctOptions,
) -> None:
    """Adds rewards and a number of playouts to all nodes of a path: the slots from place `begin` on, root first."""
    for level in range(depth + 1):
        slot = path[begin + level]
        into = own if level & 1 else opposing
        reward = into if reading.credited == MOVER else own if reading.credited == OWN else opposing
        visits = tree.visits[slot] + playouts
        tree.visits[slot] = visits
        tree.sums[slot] += reward
        tree.means[slot] = tree.sums[slot] / visits
        tree.spreads[slot] = reading.exploration / sqrt(visits)
        tree.layers[level] += playouts


@inlined
def _credit_amaf(
    tree: Tree, depth: int, by_own: Board, by_other: Board, own: float, opposing: float, reading: UctOptions, kept: Any
) -> None:
    """Adds the rewards of a simulation to every move that its side made then or later; `kept` is a `Selection`.

    `by_own` and `by_other` are the squares that the side that searches and the other took in the playout.
    """
    for level in range(depth - 1, -1, -1):
        square = tree.squares[tree.path[level + 1]]
        if square != PASS:
            if level & 1 == 0:
                by_own = either(by_own, single(square, by_own))
            else:
                by_other = either(by_other, single(square, by_other))
        taken = by_own if level & 1 == 0 else by_other
        into = own if level & 1 == 0 else opposing
        reward = into if reading.credited == MOVER else own if reading.credited == OWN else opposing
        block = int(tree.children[tree.path[level]])
        for child in range(block, block + tree.degrees[tree.path[level]]):
            move = tree.squares[child]
            if move != PASS and not is_empty(both(taken, single(move, taken))):
                kept.amaf_visits[child] += 1
                kept.amaf_sums[child] += reward


@inlined
def _replay(me: Board, opp: Board, tree: Tree, depth: int) -> tuple[Board, Board]:
    """The boards at this depth of the last path."""
    for level in range(1, depth + 1):
        me, opp = after_or_pass(me, opp, tree.squares[tree.path[level]])
    return me, opp


@inlined
def descend(
    me: Board, opp: Board, full: Board, tree: Tree, reading: UctOptions, selection: Any, number: Word
) -> tuple[Board, Board, int, bool]:
    """Walks to the node to simulate from: (its boards, its depth, whether it is new). The path is left in the tree."""
    depth, counters = 0, tree.counters
    if counters[HELD] != NOTHING_HELD:
        depth = counters[HELD]
        me, opp = _replay(me, opp, tree, depth)
        counters[HELD] = NOTHING_HELD
    else:
        tree.path[0] = 0
    while True:
        slot = tree.path[depth]
        if tree.children[slot] == UNEXPANDED and depth < reading.most_depth:
            _expand(me, opp, full, tree, slot, reading.pass_leaf, selection)
        if tree.children[slot] < 0:
            return me, opp, depth, False
        child, fresh = _next_child(tree, slot, depth, reading, selection, number)
        if fresh and reading.expand_all and tree.tried[slot] < tree.degrees[slot]:
            counters[HELD] = depth
        me, opp = after_or_pass(me, opp, tree.squares[child])
        depth += 1
        tree.path[depth] = child
        if fresh:
            return me, opp, depth, True


@inlined
def _rewards(
    me: Board,
    opp: Board,
    full: Board,
    simulation: int,
    own: bool,
    policy: Any,
    repeats: int,
    lanes: Words | None,
    s0: Word,
    s1: Word,
) -> tuple[float, float, int]:
    """(rewards of `me`, of `opp`, discs placed), summed over the playouts of one simulation."""
    if lanes is None:
        won, lost, plies, s0, s1 = policy_playout(me, opp, full, own, policy, s0, s1)
        return won, lost, plies
    else:
        return playouts(me, opp, full, own, policy, s0 + s1, simulation, repeats, lanes, 0.0, 0.0)


@inlined
def _marked_rewards(
    me: Board,
    opp: Board,
    full: Board,
    simulation: int,
    own: bool,
    policy: Any,
    repeats: int,
    lanes: Words | None,
    selection: Any,
    s0: Word,
    s1: Word,
) -> tuple[float, float, int, Board, Board]:
    """`_rewards`, and where a selection wants to know the squares that `me` and `opp` took."""
    if selection.has_amaf:
        won, lost, plies, by_me, by_opp, s0, s1 = marked_playout(me, opp, full, own, policy, s0, s1)
        return won, lost, plies, by_me, by_opp
    nothing = without(me, me)
    won, lost, plies = _rewards(me, opp, full, simulation, own, policy, repeats, lanes, s0, s1)
    return won, lost, plies, nothing, nothing


@kernel
def simulate(
    me: Board,
    opp: Board,
    full: Board,
    tree: Tree,
    reading: UctOptions,
    policy: Any,
    lanes: Words | None,
    selection: Any,
    seed: Word,
    number: int,
    nodes: int,
) -> int:
    """Runs simulations until `number` are done or `nodes` are counted since `begin`; returns how many were done.

    `me`, to move, is the side that searches. A node is counted for every child made and every disc placed in a
    playout; walking down is not counted. The state is in the tree: call again to go on. With `lanes` a simulation is
    `reading.repeats` playouts, otherwise one. `selection` is a person's own or None; one with AMAF takes no `lanes`.
    """
    counters = tree.counters
    done = 0
    while done < number and counters[NODES] < nodes:
        s0, s1 = stream(seed, Word(counters[SIMULATIONS]))
        draw = s0 + s1
        s0, s1 = advance(s0, s1)
        mine, theirs, depth, made = descend(me, opp, full, tree, reading, selection, draw)
        own = depth & 1 == 0
        if selection is None:
            won, lost, plies = _rewards(
                mine, theirs, full, counters[SIMULATIONS], own, policy, reading.repeats, lanes, s0, s1
            )
            if depth & 1:
                won, lost = lost, won
        else:
            won, lost, plies, by_own, by_other = _marked_rewards(
                mine, theirs, full, counters[SIMULATIONS], own, policy, reading.repeats, lanes, selection, s0, s1
            )
            if depth & 1:
                won, lost, by_own, by_other = lost, won, by_other, by_own
            if selection.has_amaf:
                _credit_amaf(tree, depth, by_own, by_other, won, lost, reading, selection)
        credit(tree, tree.path, 0, depth, won, lost, reading.repeats, reading)
        counters[NODES] += plies + (1 if made else 0)
        counters[DEEPEST] = max(counters[DEEPEST], depth)
        counters[SIMULATIONS] += 1
        done += 1
    return done


# --- keeping a part of the tree ---------------------------------------------------------------------------


@inlined
def _move_slot(tree: Tree, source: int, target: int) -> None:
    tree.visits[target], tree.sums[target] = tree.visits[source], tree.sums[source]
    tree.means[target], tree.spreads[target] = tree.means[source], tree.spreads[source]
    tree.children[target], tree.degrees[target] = tree.children[source], tree.degrees[source]
    tree.tried[target], tree.squares[target] = tree.tried[source], tree.squares[source]


@inlined
def _move_selected(selection: Any, source: int, target: int) -> None:
    if selection.has_priors:
        selection.priors[target] = selection.priors[source]
    if selection.has_amaf:
        selection.amaf_visits[target] = selection.amaf_visits[source]
        selection.amaf_sums[target] = selection.amaf_sums[source]


@kernel
def keep(tree: Tree, root: int, owners: npt.NDArray[np.int32], depths: npt.NDArray[np.int32], selection: Any) -> None:
    """Makes slot `root` the root and drops whatever does not descend from it, in one pass and in place.

    Children have higher slots than their parents and blocks stay whole, so every node only moves down, to where
    nothing is needed any more. `owners` and `depths` [slots] are working space: the new slot of the parent plus one,
    0 for nodes to drop, and the new depth.
    """
    used, target = tree.counters[USED], 0
    owners[root:used] = 0
    owners[root], depths[root] = 1, 0
    tree.layers[:] = 0
    for slot in range(root, used):
        if owners[slot] == 0:
            continue
        block, degree, depth = tree.children[slot], tree.degrees[slot], depths[slot]
        tree.layers[depth] += tree.visits[slot]
        for child in range(block, block + degree):
            owners[child], depths[child] = target + 1, depth + 1
        parent = owners[slot] - 1
        _move_slot(tree, slot, target)
        if selection is not None:
            _move_selected(selection, slot, target)
        if tree.children[parent] == slot:
            tree.children[parent] = target
        target += 1
    tree.counters[USED] = target
