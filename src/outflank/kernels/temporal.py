"""Temporal differences: a player that learns what positions are worth while it plays itself.

The value of a position for its side to move is v = tanh(s), with s the sum of one weight for every pattern of the board
(`kernels/patterns.py`) and of one for the number of discs. The player looks one ply ahead and takes the move after
which the opponent's value is lowest; a share of moves is random, so that it sees more than it would like to. After a
game every value is moved towards what came after it: the result at the end, and before that

    target(t) = -((1 - trace) v(t+1) + trace target(t+1))

which is TD(0) for trace 0 and the result itself for trace 1 (Sutton 1988; for this game Lucas & Runarsson 2006). A
random move is no fault of the position before it: that one does not learn from it, and those before learn from its
value. A position in which a side must pass counts like any other, and so does the finished one, whose target is the
result. Weights are the same for a whole game, so that a game is known from them and from its own random stream.

Or it plays an opponent that does not learn, and that looks one ply ahead with a sum of terms. Then only positions count
in which this opponent is to move, since only these are compared for a move; targets come from the next of them, and
the sign does not change. Random moves, of both, are a part of that game, and are learned from: without it 100,000 games
of pairs made 2 to 4 points less in the league, while with it those of self-play made 5 to 18 points less.

The step of each weight is the rate times the error, times 1 - v² (the slope of tanh), divided by the number of
patterns: a rate of 1 would correct the error of a single position at once.

`one_ply_games` plays a network against a sum of terms by the rules of the Othello league: one ply, ties drawn, a share
of random moves for both, finished games valued like any other position.

Measured on 8x8, AMD EPYC, one core beside other work, games of learning a second: all 210 straight pairs 5,000 to
9,000 against itself, 6,400 to 7,600 against an opponent; straight runs of four 13,000 and twelve snakes of six 8,700
against an opponent.
"""

from math import tanh
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import count, either, first, is_empty, moves, ranked, single, without_first
from outflank.kernels.evaluate import AnyEvaluation, Evaluation, evaluate
from outflank.kernels.jit import Board, Word, inlined, kernel, routine
from outflank.kernels.patterns import Patterns, pattern_value, phase_of, write_places
from outflank.kernels.playout import advance, choose, stream
from outflank.kernels.rules import after

Weights = npt.NDArray[np.float32]
Places = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]

_FRACTION_BITS, _FRACTION = Word(11), 1.0 / (1 << 53)


class Course(NamedTuple):
    """How a player learns."""

    sign: int
    """1 when most discs win, -1 when fewest do."""
    explore: float
    """Share of random moves."""
    trace: float
    """How much of a target comes from further on than the next position: 0 to 1."""
    rate: float
    """Of the first game."""
    last_rate: float
    """To which the rate falls in a straight line until the last game."""
    games: int
    """All games."""
    alone: bool
    """Whether it plays itself; else it plays an opponent that does not learn."""
    odd: bool
    """Whether a pattern is worth the negative of the same with colours exchanged, as in a weighted piece counter."""


class Trail(NamedTuple):
    """Working space: the positions of a game."""

    places: npt.NDArray[np.int32]
    """[positions, patterns]: where the weights of a position stand."""
    discs: Numbers
    """[positions]"""
    values: Values
    """[positions]: for the side to move."""
    learns: Numbers
    """[positions]: 0 where the move was random, else 1."""
    trial: Places
    """[patterns]: of a position that is only looked at."""


# --- the value -----------------------------------------------------------------------------------------------------


@routine
def network_sum(me: Board, opp: Board, patterns: Patterns, weights: Weights, places: Places) -> float:
    """The sum of the weights of a position, whose places are written.

    Four sums side by side: a single one has to wait for each addition before the next.
    """
    discs = count(either(me, opp))
    row = Word(phase_of(discs, patterns))
    write_places(me, opp, patterns, places)
    number = len(places)
    a, b = weights[row, np.uint32(patterns.tempo + discs)], np.float32(0)
    c, d = np.float32(0), np.float32(0)
    i = 0
    while i + 3 < number:
        a += weights[row, np.uint32(places[i])]
        b += weights[row, np.uint32(places[i + 1])]
        c += weights[row, np.uint32(places[i + 2])]
        d += weights[row, np.uint32(places[i + 3])]
        i += 4
    while i < number:
        a += weights[row, np.uint32(places[i])]
        i += 1
    return float((a + b) + (c + d))


@inlined
def _best_by_network(
    me: Board, opp: Board, legal: Board, patterns: Patterns, weights: Weights, places: Places
) -> Board:
    """The moves after which the sum of the opponent is lowest."""
    best, found = np.inf, legal
    while not is_empty(legal):
        square = first(legal)
        legal = without_first(legal)
        theirs, mine = after(me, opp, square)
        value = network_sum(theirs, mine, patterns, weights, places)
        if value < best:
            best = value
            found = single(square, me)
        elif value == best:
            found = either(found, single(square, me))
    return found


@inlined
def _is_random(number: Word, share: float) -> bool:
    return bool((number >> _FRACTION_BITS) * _FRACTION < share)


# --- learning ------------------------------------------------------------------------------------------------------


@inlined
def _remember(me: Board, opp: Board, patterns: Patterns, weights: Weights, trail: Trail, at: int) -> None:
    """Writes a position into the trail."""
    trail.values[at] = tanh(network_sum(me, opp, patterns, weights, trail.trial))
    trail.discs[at] = count(either(me, opp))
    trail.learns[at] = 1
    for i in range(len(trail.trial)):
        trail.places[at, i] = trail.trial[i]


@inlined
def _add(weights: Weights, row: int, place: int, twins: Places, step: np.float32) -> None:
    """Adds to a weight, and to that of the mirrored twin, which is the same weight."""
    weights[row, place] += step
    if twins[place] != place:
        weights[row, twins[place]] += step


@inlined
def _correct(
    patterns: Patterns, weights: Weights, twins: Places, trail: Trail, at: int, change: float, odd: bool
) -> None:
    """Changes the sum of a position of the trail by `change`, in equal parts."""
    number = len(trail.trial)
    row, step = phase_of(trail.discs[at], patterns), np.float32(change / (number + 1))
    weights[row, patterns.tempo + trail.discs[at]] += step
    for i in range(number):
        place = trail.places[at, i]
        _add(weights, row, place, twins, step)
        if odd:
            _add(weights, row, 2 * patterns.centers[i] - place, twins, -step)


@inlined
def _result(me: Board, opp: Board, sign: int) -> float:
    """1, 0 or -1 for `me` at the end of a game."""
    margin = sign * (count(me) - count(opp))
    return 1.0 if margin > 0 else -1.0 if margin < 0 else 0.0


@inlined
def _left(me: Board, opp: Board, full: Board, evaluation: AnyEvaluation) -> int:
    """What a position is worth to `opp`, who has just moved."""
    if len(evaluation) == 4:
        return evaluate(opp, me, full, evaluation)
    else:
        return -pattern_value(me, opp, evaluation)


@inlined
def _best(me: Board, opp: Board, full: Board, legal: Board, evaluation: AnyEvaluation) -> Board:
    """The best moves by one ply."""
    best, found = -(1 << 60), legal
    while not is_empty(legal):
        square = first(legal)
        legal = without_first(legal)
        theirs, mine = after(me, opp, square)
        value = _left(theirs, mine, full, evaluation)
        if value > best:
            best = value
            found = single(square, me)
        elif value == best:
            found = either(found, single(square, me))
    return found


@kernel
def learn_games(
    me: Board,
    opp: Board,
    full: Board,
    patterns: Patterns,
    weights: Weights,
    twins: Places,
    terms: Evaluation,
    course: Course,
    seed: Word,
    begin: int,
    number: int,
    trail: Trail,
) -> tuple[float, int]:
    """Plays games `begin` and following and learns from each; (squared errors, positions) of them all.

    Of `patterns` only the layout is used: `weights` [phases, weights] are learned, and stay equal for `twins`. The
    trail has room for twice as many positions as the board has squares. Where it does not play itself, the network
    moves first in games of even number.
    """
    errors, positions = 0.0, 0
    turn = -1.0 if course.alone else 1.0
    for game in range(begin, begin + number):
        s0, s1 = stream(seed, Word(game))
        rate = course.rate + (course.last_rate - course.rate) * game / course.games
        mine, theirs, last = me, opp, -1
        own = course.alone or game % 2 == 0
        while True:
            if course.alone or not own:
                last += 1
                _remember(mine, theirs, patterns, weights, trail, last)
            legal = moves(mine, theirs, full)
            if is_empty(legal):
                if is_empty(moves(theirs, mine, full)):
                    break
                mine, theirs = theirs, mine
            else:
                if _is_random(s0 + s1, course.explore):
                    if course.alone:
                        trail.learns[last] = 0
                elif own:
                    legal = _best_by_network(mine, theirs, legal, patterns, weights, trail.trial)
                else:
                    legal = _best(mine, theirs, full, legal, terms)
                s0, s1 = advance(s0, s1)
                square = ranked(legal, choose(s0 + s1, count(legal)))
                s0, s1 = advance(s0, s1)
                mine, theirs = after(mine, theirs, square)
            own = course.alone or not own
        target = _result(mine, theirs, course.sign)
        if own and not course.alone:
            target = -target
        for at in range(last, -1, -1):
            value = trail.values[at]
            if trail.learns[at] == 0:
                target = value
            else:
                error = target - value
                errors, positions = errors + error * error, positions + 1
                _correct(patterns, weights, twins, trail, at, rate * error * (1.0 - value * value), course.odd)
            target = turn * ((1.0 - course.trace) * value + course.trace * target)
    return errors, positions


# --- the league ----------------------------------------------------------------------------------------------------


@kernel
def one_ply_games(
    me: Board,
    opp: Board,
    full: Board,
    network: Patterns,
    terms: Evaluation,
    sign: int,
    share: float,
    seed: Word,
    begin: int,
    number: int,
    results: Numbers,
) -> None:
    """Plays games `begin` and following of a network against terms; adds to its losses, draws and wins [3].

    The network moves first in games of even number. `share` of the moves of both are random.
    """
    for game in range(begin, begin + number):
        s0, s1 = stream(seed, Word(game))
        mine, theirs = me, opp
        own = game % 2 == 0
        while True:
            legal = moves(mine, theirs, full)
            if is_empty(legal):
                if is_empty(moves(theirs, mine, full)):
                    break
                mine, theirs = theirs, mine
            else:
                if not _is_random(s0 + s1, share):
                    if own:
                        legal = _best(mine, theirs, full, legal, network)
                    else:
                        legal = _best(mine, theirs, full, legal, terms)
                s0, s1 = advance(s0, s1)
                square = ranked(legal, choose(s0 + s1, count(legal)))
                s0, s1 = advance(s0, s1)
                mine, theirs = after(mine, theirs, square)
            own = not own
        margin = sign * (count(mine) - count(theirs))
        if not own:
            margin = -margin
        results[2 if margin > 0 else 0 if margin < 0 else 1] += 1
