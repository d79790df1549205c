"""Many quick games of self-play by trained patterns, from one source for the CPU and for a GPU (`kernels/cuda.py`).

A game begins with some random moves. Then each side searches a few plies of the patterns, and everything once few
squares are left, so that the result is the exact value of the position there. Of each game some positions are kept,
the first after the random moves and every so many plies one more, each with the result for its side to move.

A lane plays game after game. Everything it does is a turn of one loop: a move of the game, a node of the search entered
or left. On a GPU 32 lanes share their instructions, and lanes in loops of their own would wait for the slowest of them
after every move. Only the plain twins of `bitboard` are used, which exist on both; game `g` of a seed is the same game
on either, alone or beside others.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import (
    both,
    count,
    either,
    first,
    is_empty,
    load,
    plain_flips,
    plain_moves,
    single,
    store,
    without,
    without_first,
)
from outflank.kernels.jit import Board, Word, Words, inlined, kernel, routine
from outflank.kernels.patterns import UNIT, Patterns, pattern_value
from outflank.kernels.playout import advance, choose, stream
from outflank.kernels.rules import PASS, with_turned
from outflank.kernels.shallow import final_score

Bounds = npt.NDArray[np.int32]

ROWS = 3
"""Boards of a level of the search: discs of its side to move, of the other, and moves not yet tried."""
LOWER, UPPER, SIDE = range(3)
"""Bounds of a level: of its value for its side to move, and 1 or -1: whose value it is for the level above."""
_LARGEST = 10**9


class Course(NamedTuple):
    """How the games of a run go."""

    me: Board
    """Discs at the start, of the side to move."""
    opp: Board
    full: Board
    early: Board
    """Squares that a search tries first."""
    late: Board
    """Squares that a search tries last."""
    sign: int
    """1, or -1 for the reversed game."""
    plies: int
    """How deep a move is searched."""
    exact: int
    """Empty squares from which on it is searched to the end."""
    randoms: int
    """Random first moves at most; a game has any number up to that."""
    every: int
    """Plies from one position that is kept to the next."""


class Kept(NamedTuple):
    """The positions that are kept, those of `slot` in rows `slot * games + game`."""

    own: Words
    other: Words
    labels: npt.NDArray[np.int8]
    """[rows]: the result for the side to move in discs; more is better in the reversed game too."""
    counts: npt.NDArray[np.int8]
    """[games]: slots that are filled."""


@inlined
def _ranked(squares: Board, rank: Word) -> int:
    """`bitboard.ranked` without instructions that only some CPUs have."""
    for _ in range(rank):
        squares = without_first(squares)
    return first(squares)


@inlined
def _next(rest: Board, course: Course) -> int:
    """The move to be tried next."""
    squares = both(rest, course.early)
    if is_empty(squares):
        squares = without(rest, course.late)
    if is_empty(squares):
        squares = rest
    return first(squares)


@inlined
def _final(me: Board, opp: Board, course: Course) -> int:
    """The score of `me` when the game is over, empty squares to the winner."""
    mine, theirs = count(me), count(opp)
    return final_score(mine - theirs, count(course.full) - mine - theirs, course.sign, 1)


@inlined
def _label(kept: Kept, game: int, slots: int, score: int) -> None:
    """Turns the signs that stand for black and white into results: `score` is black's."""
    for slot in range(slots):
        row = slot * len(kept.counts) + game
        kept.labels[row] = np.int8(kept.labels[row] * score)
    kept.counts[game] = np.int8(slots)


@routine
def play_games(
    course: Course,
    patterns: Patterns,
    seed: Word,
    number: int,
    lane: int,
    lanes: int,
    end: int,
    boards: Words,
    bounds: Bounds,
    kept: Kept,
) -> None:
    """Plays games `lane`, `lane + lanes`, … below `end` of `kept`, whose first has this number.

    `boards` [ROWS * levels, words] and `bounds` [levels, 3] are working space for searches of `levels` plies.
    """
    full, games = course.full, len(kept.counts)
    game, level, deepest, chosen, tried = lane, -1, 0, PASS, PASS
    me, opp, ply, black, slots = course.me, course.opp, 0, 1, 0
    s0, s1 = stream(seed, Word(number + game))
    randoms = int(choose(s0 + s1, course.randoms + 1))
    while game < end:
        played = PASS
        if level < 0:
            legal = plain_moves(me, opp, full)
            if is_empty(legal):
                me, opp, black = opp, me, -black
                legal = plain_moves(me, opp, full)
            if is_empty(legal):
                _label(kept, game, slots, black * _final(me, opp, course))
                game += lanes
                me, opp, ply, black, slots = course.me, course.opp, 0, 1, 0
                s0, s1 = stream(seed, Word(number + game))
                randoms = int(choose(s0 + s1, course.randoms + 1))
            elif ply < randoms:
                s0, s1 = advance(s0, s1)
                played = _ranked(legal, choose(s0 + s1, count(legal)))
            else:
                if (ply - randoms) % course.every == 0:
                    row = slots * games + game
                    store(kept.own, row, me)
                    store(kept.other, row, opp)
                    kept.labels[row] = np.int8(black)
                    slots += 1
                deepest = course.plies
                if count(full) - count(either(me, opp)) <= course.exact:
                    deepest = course.exact
                store(boards, 0, me)
                store(boards, 1, opp)
                store(boards, 2, legal)
                bounds[0, LOWER], bounds[0, UPPER] = -_LARGEST, _LARGEST
                level = 0
        else:
            rest = load(boards, ROWS * level + 2, full)
            value = -_LARGEST
            if is_empty(rest) or bounds[level, LOWER] >= bounds[level, UPPER]:
                value = int(bounds[level, LOWER] * bounds[level, SIDE])
                level -= 1
                if level < 0:
                    played = chosen
            else:
                square = _next(rest, course)
                if level == 0:
                    tried = square
                placed = single(square, full)
                store(boards, ROWS * level + 2, without(rest, placed))
                mine, theirs = load(boards, ROWS * level, full), load(boards, ROWS * level + 1, full)
                mine, theirs = with_turned(mine, theirs, plain_flips(mine, theirs, placed), placed)
                side = -1
                legal = plain_moves(mine, theirs, full)
                if is_empty(legal):
                    mine, theirs, side = theirs, mine, 1
                    legal = plain_moves(mine, theirs, full)
                if is_empty(legal):
                    value = side * UNIT * _final(mine, theirs, course)
                elif level + 1 == deepest:
                    value = side * pattern_value(mine, theirs, patterns)
                else:
                    lower, upper = bounds[level, LOWER], bounds[level, UPPER]
                    level += 1
                    store(boards, ROWS * level, mine)
                    store(boards, ROWS * level + 1, theirs)
                    store(boards, ROWS * level + 2, legal)
                    bounds[level, LOWER] = lower if side > 0 else -upper
                    bounds[level, UPPER] = upper if side > 0 else -lower
                    bounds[level, SIDE] = side
            if level >= 0 and value > bounds[level, LOWER]:
                bounds[level, LOWER] = value
                if level == 0:
                    chosen = tried
        if played != PASS:
            placed = single(played, full)
            me, opp = with_turned(me, opp, plain_flips(me, opp, placed), placed)
            ply, black = ply + 1, -black


@kernel
def games_in_turn(
    course: Course, patterns: Patterns, seed: Word, number: int, boards: Words, bounds: Bounds, kept: Kept
) -> None:
    """All games of `kept` on the CPU, one after the other."""
    play_games(course, patterns, seed, number, 0, 1, len(kept.counts), boards, bounds, kept)
