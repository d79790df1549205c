"""Playouts by policy: how both sides choose their moves after the tree ends, and what the result pays.

A policy is of one of four shapes (`Uniform`, `Own`, `Guided`, `Cutoff`), and a search is compiled for the one it uses:

* `UNIFORM`: every legal move is equally likely; the only one that is worth its own inlined loop.
* `HEURISTIC`: both sides take the best move by the one-ply formula H of "Reversi with Monte Carlo Tree Search".
* `OWN_HEURISTIC`: the side that searches takes the best H, the other plays at random.
* `EPSILON`: both take the best H, except for a uniformly random move with probability epsilon.
* `WEIGHTED`: both draw a square with probability proportional to its weight (Tenshi, "Reversed Reversi").
* `CUTOFF`: uniform for a number of moves, then an evaluation squashed into 0..1 (future work of Phan & Synytsia).
* `OWN`: both take the square that a person's function answers (`plug.py`).

H, with P the worth of own squares minus that of opposing squares after the move, M the opposing moves after
it and F the discs it turns:

    more than 10 empty squares   H = P + 30 / (M + 1) + 80 / (F + 1)
    otherwise                    H = P / 10 + 60 / (M + 1) + 400 F

These six numbers are the paper's (`PRINTED`); a `Formula` may have others.

Tables are written for the standard game. In the reversed game P and the late F count negatively; the early
80 / (F + 1) stays, because turning few discs early keeps choices for later, which is as good there.

Every playout has a random stream of its own, so it does not depend on the slice, the lane or the thread that plays it.
Random moves draw once per ply, passes included; H, weights and own functions draw once per move, `EPSILON` twice.

Measured from the start, one core of an AMD EPYC with AVX-512, thousand playouts/s on 8x8 and 12x12: uniform 870 and 132
alone, 3300 side by side; heuristic 184 and 10; own heuristic 184 and 15; epsilon 137 and 10; weighted (8 classes) 465
and 93; cut off after 8 moves 6100 and 2000. What helped: the worth after a move as the worth before it plus twice what
is turned, and not both boards anew (a fifth faster on 12x12, where a board has 32 bytes). What did not: turning the
early F term as well in the reversed game; in 800 games it scored 36 % with one table and 49 % with another.
"""

from math import exp
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import (
    ZERO,
    both,
    count,
    either,
    first,
    flips,
    is_empty,
    load,
    moves,
    ranked,
    single,
    without,
    without_first,
)
from outflank.kernels.evaluate import AnyEvaluation, Sums, leaf_evaluation, position_worth, worth
from outflank.kernels.jit import Board, Word, Words, inlined, kernel
from outflank.kernels.playout import (
    LANES,
    ME,
    OPP,
    S0,
    S1,
    UNLIMITED,
    advance,
    choose,
    play_lanes,
    random_moves,
    stream,
)
from outflank.kernels.rules import after, with_turned

UNIFORM, HEURISTIC, OWN_HEURISTIC, EPSILON, WEIGHTED, CUTOFF, OWN = range(7)
KINDS = ("uniform", "heuristic", "own_heuristic", "epsilon", "weighted", "cutoff")
"""All but `OWN`, which has no name."""


class Formula(NamedTuple):
    """The numbers of H."""

    replies: float
    discs: float
    """What opposing moves and discs turned are divided into."""
    late_position: float
    """What P is divided by late."""
    late_replies: float
    late_discs: float
    """What a disc turned is worth late."""
    late_empties: int
    """The most empty squares at which it is late."""


PRINTED = Formula(30.0, 80.0, 10.0, 60.0, 400.0, 10)
"""Of "Reversi with Monte Carlo Tree Search"."""

_FRACTION_BITS, _FRACTION = Word(11), 1.0 / (1 << 53)

Values = npt.NDArray[np.float64]
Cuts = npt.NDArray[np.int64]


class Uniform(NamedTuple):
    """Random moves, and what the result pays. All four classes begin with these fields."""

    kind: int
    """One of the constants above."""
    sign: int
    """+1 when most discs win, -1 when fewest do."""
    draw: float
    """What a draw pays to either side; a win pays 1 and a loss 0."""


class Own(NamedTuple):
    """Moves by a person's function."""

    kind: int
    sign: int
    draw: float
    plug: Any
    """The square for (own, opp, legal, a random number, whether own is the side that searches)."""


class Guided(NamedTuple):
    """Moves by the formula H or by weights, in the layout of one board size."""

    kind: int
    sign: int
    draw: float
    sums: Sums
    """[1, 8 * words, 256]: worth of the squares set in each byte of a board, for H."""
    count_after: bool
    """Whether H counts empty squares after the move instead of before it."""
    formula: Formula
    """The numbers of H."""
    epsilon: float
    """Share of random moves of `EPSILON`."""
    classes: Words
    """[classes, words]: squares of equal weight; together they cover the board."""
    weights: Words
    """[classes]: the weight of each class, positive, their sum over all squares below 2^31."""


class Cutoff(NamedTuple):
    """Random moves, then an evaluation."""

    kind: int
    sign: int
    draw: float
    depth: int
    """Moves before the evaluation."""
    scale: float
    """The evaluation that is turned into a value of 1 / (1 + 1/e) = 0.73."""
    evaluation: AnyEvaluation
    plug: Any
    """A person's evaluation or None; see `leaf_evaluation`."""


Policy = Uniform | Own | Guided | Cutoff
"""Kernels tell them apart by their length, which the compiler folds: each search compiles the one it uses."""
UNIFORM_FIELDS, _OWN_FIELDS, _CUTOFF_FIELDS, _GUIDED_FIELDS = 3, 4, 7, 9


FEW = 3
"""Playouts that are sooner played one after the other than side by side."""


# --- results ----------------------------------------------------------------------------------------------


@inlined
def _paid(difference: int, sign: int, draw: float) -> tuple[float, float]:
    """What a finished game pays (to the side with this difference of discs, to the other)."""
    margin = sign * difference
    if margin > 0:
        return 1.0, 0.0
    if margin < 0:
        return 0.0, 1.0
    return draw, draw


@inlined
def _seen(own: bool, me: Board, opp: Board) -> int:
    """Difference of discs from the view of the side that began: the one to move now if `own`."""
    difference = count(me) - count(opp)
    return difference if own else -difference


@inlined
def paid_in_lane(lanes: Words, lane: int, sign: int, policy: Any, discs: int) -> tuple[float, float, int]:
    """(reward of the side that began, of the other, discs placed) of a game that `play_lanes` ended with this sign.

    `discs` are those on the board before it.
    """
    mine, theirs = (lanes[ME, lane],), (lanes[OPP, lane],)
    won, lost = _paid(sign * (count(mine) - count(theirs)), policy.sign, policy.draw)
    return won, lost, count(either(mine, theirs)) - discs


# --- uniformly random moves -------------------------------------------------------------------------------


@inlined
def _uniform_playout(
    me: Board, opp: Board, full: Board, policy: Uniform, s0: Word, s1: Word
) -> tuple[float, float, int, Word, Word]:
    mine, theirs, own, _, s0, s1 = random_moves(me, opp, full, UNLIMITED, s0, s1)
    plies = count(either(mine, theirs)) - count(either(me, opp))
    won, lost = _paid(_seen(own, mine, theirs), policy.sign, policy.draw)
    return won, lost, plies, s0, s1


@inlined
def cut_value(mine: Board, theirs: Board, full: Board, evaluation: AnyEvaluation, plug: Any) -> tuple[bool, int]:
    """(whether the game is over; the difference of discs if so, otherwise what an evaluation says), for `mine`."""
    if is_empty(moves(mine, theirs, full)) and is_empty(moves(theirs, mine, full)):
        return True, count(mine) - count(theirs)
    return False, leaf_evaluation(mine, theirs, full, evaluation, plug, 1)


@inlined
def _cut_rewards(over: bool, value: int, own: bool, policy: Cutoff) -> tuple[float, float]:
    """What `cut_value` pays the side that began, who is to move if `own`, and the other."""
    if over:
        return _paid(value if own else -value, policy.sign, policy.draw)
    share = 1.0 / (1.0 + exp(-value / policy.scale))
    return (share, 1.0 - share) if own else (1.0 - share, share)


@inlined
def _cut_result(mine: Board, theirs: Board, full: Board, own: bool, policy: Cutoff) -> tuple[float, float]:
    """What a playout pays where it was cut off or over, with `mine` to move: the side that began if `own`."""
    over, value = cut_value(mine, theirs, full, policy.evaluation, policy.plug)
    return _cut_rewards(over, value, own, policy)


@inlined
def _cut_playout(
    me: Board, opp: Board, full: Board, policy: Cutoff, s0: Word, s1: Word
) -> tuple[float, float, int, Word, Word]:
    mine, theirs, own, _, s0, s1 = random_moves(me, opp, full, policy.depth, s0, s1)
    plies = count(either(mine, theirs)) - count(either(me, opp))
    won, lost = _cut_result(mine, theirs, full, own, policy)
    return won, lost, plies, s0, s1


# --- choosing a move --------------------------------------------------------------------------------------


@inlined
def _heuristic(me: Board, opp: Board, full: Board, square: int, late: bool, before: int, policy: Guided) -> float:
    """H of a legal move; `before` is the worth of the position without it."""
    sums, sign, formula = policy.sums, policy.sign, policy.formula
    turned = flips(me, opp, square)
    theirs, mine = with_turned(me, opp, turned, single(square, me))
    gained = 2 * worth(turned, sums, 0) + np.int64(sums[0, square >> 3, 1 << (square & 7)])
    position = float(sign * (before + gained))
    replies, discs = count(moves(theirs, mine, full)), count(turned)
    if late:
        return (
            position / formula.late_position
            + formula.late_replies / (replies + 1)
            + formula.late_discs * (sign * discs)
        )
    return position + formula.replies / (replies + 1) + formula.discs / (discs + 1)


@inlined
def _is_late(me: Board, opp: Board, full: Board, policy: Guided) -> bool:
    empties = count(full) - count(either(me, opp))
    return empties - (1 if policy.count_after else 0) <= policy.formula.late_empties


@inlined
def _best_squares(me: Board, opp: Board, full: Board, squares: Board, policy: Guided) -> Board:
    """The legal squares whose H is highest."""
    late, before = _is_late(me, opp, full, policy), position_worth(me, opp, policy.sums, 0)
    best = -np.inf
    found = squares
    while not is_empty(squares):
        square = first(squares)
        squares = without_first(squares)
        value = _heuristic(me, opp, full, square, late, before, policy)
        if value > best:
            best = value
            found = single(square, me)
        elif value == best:
            found = either(found, single(square, me))
    return found


@inlined
def _weighted_square(squares: Board, policy: Guided, number: Word) -> int:
    """A square drawn with probability proportional to its weight: by class first, then within the class."""
    total = ZERO
    for i in range(len(policy.weights)):
        total += policy.weights[i] * Word(count(both(squares, load(policy.classes, i, squares))))
    ticket = ((number >> Word(32)) * total) >> Word(32)
    for i in range(len(policy.weights)):
        members = both(squares, load(policy.classes, i, squares))
        share = policy.weights[i] * Word(count(members))
        if ticket < share:
            return ranked(members, ticket // policy.weights[i])
        ticket -= share
    return first(squares)  # never reached: the classes cover the board


@inlined
def _is_greedy(own: bool, policy: Guided, number: Word) -> bool:
    """Whether H chooses this move; `number` is a fresh random number."""
    if policy.kind == EPSILON:
        return bool((number >> _FRACTION_BITS) * _FRACTION >= policy.epsilon)
    return policy.kind == HEURISTIC or own


@inlined
def _guided_pick(
    me: Board, opp: Board, full: Board, squares: Board, own: bool, policy: Guided, s0: Word, s1: Word
) -> tuple[int, Word, Word]:
    number = s0 + s1
    s0, s1 = advance(s0, s1)
    if policy.kind == WEIGHTED:
        return _weighted_square(squares, policy, number), s0, s1
    greedy = _is_greedy(own, policy, number)
    if policy.kind == EPSILON:
        number = s0 + s1
        s0, s1 = advance(s0, s1)
    if greedy:
        squares = _best_squares(me, opp, full, squares, policy)
    return ranked(squares, choose(number, count(squares))), s0, s1


@inlined
def _pick(
    me: Board, opp: Board, full: Board, squares: Board, own: bool, policy: Any, s0: Word, s1: Word
) -> tuple[int, Word, Word]:
    """(the square that a policy chooses among the legal ones, generator state after it)."""
    if len(policy) == _GUIDED_FIELDS:
        return _guided_pick(me, opp, full, squares, own, policy, s0, s1)
    else:
        number = s0 + s1
        s0, s1 = advance(s0, s1)
        if len(policy) == _OWN_FIELDS:
            return policy.plug(me, opp, squares, number, 1 if own else 0), s0, s1
        else:
            return ranked(squares, choose(number, count(squares))), s0, s1


@inlined
def _after_pass(policy: Any, s0: Word, s1: Word) -> tuple[Word, Word]:
    """The generator state after a pass, for which only random moves draw."""
    if len(policy) == UNIFORM_FIELDS or len(policy) == _CUTOFF_FIELDS:
        return advance(s0, s1)
    else:
        return s0, s1


@inlined
def _most_moves(policy: Any) -> int:
    if len(policy) == _CUTOFF_FIELDS:
        return int(policy.depth)
    else:
        return UNLIMITED


@inlined
def _result(mine: Board, theirs: Board, full: Board, own: bool, policy: Any) -> tuple[float, float]:
    """What a playout pays to the side that began and to the other; `mine` is to move, who began if `own`."""
    if len(policy) == _CUTOFF_FIELDS:
        return _cut_result(mine, theirs, full, own, policy)
    else:
        return _paid(_seen(own, mine, theirs), policy.sign, policy.draw)


# --- playouts ---------------------------------------------------------------------------------------------


@kernel
def marked_playout(
    me: Board, opp: Board, full: Board, own: bool, policy: Any, s0: Word, s1: Word
) -> tuple[float, float, int, Board, Board, Word, Word]:
    """`policy_playout` of any policy, one move after the other, with the squares that `me` took and that `opp` took.

    A function of its own, so that searches stay small. Random moves have a faster loop, which does not know who took
    what.
    """
    mine, theirs, ours, passed = me, opp, own, False
    by_me = by_opp = without(me, me)
    left = _most_moves(policy)
    while left > 0:
        squares = moves(mine, theirs, full)
        if is_empty(squares):
            if passed:
                break
            passed = True
            s0, s1 = _after_pass(policy, s0, s1)
            mine, theirs = theirs, mine
        else:
            passed = False
            left -= 1
            square, s0, s1 = _pick(mine, theirs, full, squares, ours, policy, s0, s1)
            if ours == own:
                by_me = either(by_me, single(square, me))
            else:
                by_opp = either(by_opp, single(square, me))
            mine, theirs = after(mine, theirs, square)
        ours = not ours
    won, lost = _result(mine, theirs, full, ours == own, policy)
    return won, lost, count(either(mine, theirs)) - count(either(me, opp)), by_me, by_opp, s0, s1


@inlined
def policy_playout(
    me: Board, opp: Board, full: Board, own: bool, policy: Any, s0: Word, s1: Word
) -> tuple[float, float, int, Word, Word]:
    """(reward of `me` in 0..1, reward of `opp`, discs placed, generator state after it) of one playout.

    `me` is to move; `own` says whether `me` is the side that searches. The rewards of a draw are `policy.draw` for
    both, so they need not add up to 1. A finished game pays its result.
    """
    if len(policy) == UNIFORM_FIELDS:
        return _uniform_playout(me, opp, full, policy, s0, s1)
    else:
        if len(policy) == _CUTOFF_FIELDS:
            return _cut_playout(me, opp, full, policy, s0, s1)
        else:
            won, lost, plies, _, _, s0, s1 = marked_playout(me, opp, full, own, policy, s0, s1)
            return won, lost, plies, s0, s1


@inlined
def _playouts_side_by_side(
    me: Board,
    opp: Board,
    full: Board,
    policy: Any,
    seed: Word,
    begin: int,
    number: int,
    lanes: Words,
    won: float,
    lost: float,
) -> tuple[float, float, int]:
    """`playouts` of a uniform policy on one-word boards, `LANES` at a time."""
    plies, discs = 0, count(either(me, opp))
    for batch in range(0, number, LANES):
        width = min(LANES, number - batch)
        for i in range(width):
            lanes[ME, i], lanes[OPP, i] = me[0], opp[0]
            lanes[S0, i], lanes[S1, i] = stream(seed, Word(begin + batch + i))
        sign = play_lanes(lanes, width, full)
        for i in range(width):
            points, against, placed = paid_in_lane(lanes, i, sign, policy, discs)
            won, lost, plies = won + points, lost + against, plies + placed
    return won, lost, plies


@inlined
def _playouts_in_turn(
    me: Board,
    opp: Board,
    full: Board,
    own: bool,
    policy: Any,
    seed: Word,
    begin: int,
    number: int,
    won: float,
    lost: float,
) -> tuple[float, float, int]:
    plies = 0
    for i in range(number):
        s0, s1 = stream(seed, Word(begin + i))
        points, against, placed, _, _ = policy_playout(me, opp, full, own, policy, s0, s1)
        won, lost, plies = won + points, lost + against, plies + placed
    return won, lost, plies


@kernel
def playouts(
    me: Board,
    opp: Board,
    full: Board,
    own: bool,
    policy: Any,
    seed: Word,
    begin: int,
    number: int,
    lanes: Words,
    won: float,
    lost: float,
) -> tuple[float, float, int]:
    """(rewards of `me`, rewards of `opp`, discs placed) with playouts `begin` to `begin + number - 1`.

    Playout number i has the stream of game i of this seed, whether it is played alone or side by side. Rewards are
    added to `won` and `lost`, those of the playouts before, one by one: the same sums to the last bit in any slices.
    """
    if len(me) == 1:  # noqa: SIM102  (each on its own, so that the compiler drops what is not needed)
        if len(policy) == UNIFORM_FIELDS:  # noqa: SIM102
            if number > FEW:
                return _playouts_side_by_side(me, opp, full, policy, seed, begin, number, lanes, won, lost)
    return _playouts_in_turn(me, opp, full, own, policy, seed, begin, number, won, lost)


@kernel
def add_cuts(cuts: Cuts, each: int, policy: Cutoff, points: Values) -> None:
    """Adds the rewards of playouts that were cut off elsewhere, as `playouts` does it.

    `points` [tasks, 2] are those of the side that began and of the other, `cuts` [tasks * each] from `packed_cut`.
    """
    for task in range(len(points)):
        won, lost = points[task, 0], points[task, 1]
        for i in range(task * each, task * each + each):
            cut = cuts[i]
            paid, against = _cut_rewards(cut & 1 != 0, cut >> 2, cut & 2 != 0, policy)
            won, lost = won + paid, lost + against
        points[task, 0], points[task, 1] = won, lost


@inlined
def packed_cut(over: bool, value: int, own: bool) -> int:
    """What `cut_value` found, with whether the side that began is to move, as one number."""
    return 4 * value + (2 if own else 0) + (1 if over else 0)


@kernel
def best_by_heuristic(me: Board, opp: Board, full: Board, policy: Guided, seed: Word, values: Values) -> int:
    """The square with the highest H, random among equals; `me` has a legal move.

    `values` [at least as many as legal moves] receives H of every legal square in rising order.
    """
    s0, s1 = stream(seed, ZERO)
    squares = moves(me, opp, full)
    late, before, rest = _is_late(me, opp, full, policy), position_worth(me, opp, policy.sums, 0), squares
    for i in range(count(squares)):
        values[i] = _heuristic(me, opp, full, first(rest), late, before, policy)
        rest = without_first(rest)
    best = _best_squares(me, opp, full, squares, policy)
    return ranked(best, choose(s0 + s1, count(best)))
