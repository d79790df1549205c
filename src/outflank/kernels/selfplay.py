"""Whole games of one player against itself, without Python between two moves: learning wants millions of them.

The player is minimax of one or a few plies on trained patterns with an exact end, and plays the moves of the agent of
that text (`learn/selfplay.py` says which texts). Of equal moves it takes the lowest square, near the end too, where
the agent takes any of the best. Every game has a random stream of its own, for the number of its random first moves
and for these moves.

Measured on 8x8, 0 to 40 random moves, AMD EPYC, processor time of one core beside other work, games a second: one ply
28,000, with the last 6 squares exact 24,000, the last 8 16,000, the last 10 4,500; two plies and the last 8 5,200;
three plies 900; random moves alone 820,000.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.kernels.bitboard import count, either, first, is_empty, moves, ranked, without, without_first
from outflank.kernels.jit import Board, Word, inlined, kernel
from outflank.kernels.patterns import Patterns, pattern_value
from outflank.kernels.playout import advance, choose, stream
from outflank.kernels.rules import after
from outflank.kernels.shallow import final_score, odd_blocks, shallow

Numbers = npt.NDArray[np.int64]
Squares = npt.NDArray[np.int16]

NO_SQUARE = -1
"""In place of a move after the end of a game."""
_LIMIT = 1 << 60


class Player(NamedTuple):
    """Who plays both sides."""

    depth: int
    """Plies; 0 plays every move at random."""
    win: int
    """Worth of a won game; 0 evaluates it like any position."""
    margin: int
    """Whether the disc difference is added to `win`."""
    sign: int
    """1 in the standard game, -1 in the reversed one."""
    endgame: int
    """Empty squares from which on play is exact."""
    squares: int
    """Squares of the board."""
    prize: int
    """Discs that an empty square is worth to the winner."""


# --- a few plies ---------------------------------------------------------------------------------------------------


@inlined
def _worth(me: Board, opp: Board, player: Player, patterns: Patterns) -> int:
    """Value of a finished game."""
    if player.win == 0:
        return pattern_value(me, opp, patterns)
    difference = player.sign * (count(me) - count(opp))
    won = player.win if difference > 0 else -player.win if difference < 0 else 0
    return won + player.margin * difference


@inlined
def _leaf(me: Board, opp: Board, full: Board, player: Player, patterns: Patterns) -> int:
    """Value for its side to move of a position that is not searched further."""
    if player.win != 0 and is_empty(moves(me, opp, full)) and is_empty(moves(opp, me, full)):
        return _worth(me, opp, player, patterns)
    return pattern_value(me, opp, patterns)


@kernel
def value_of(
    me: Board, opp: Board, full: Board, depth: int, alpha: int, beta: int, player: Player, patterns: Patterns
) -> int:
    """The value of minimax, exact inside the window, else a bound on its side of it; a pass is a ply.

    Recursion keeps one signature.
    """
    if depth == 0:
        return _leaf(me, opp, full, player, patterns)
    legal = moves(me, opp, full)
    if is_empty(legal):
        if is_empty(moves(opp, me, full)):
            return _worth(me, opp, player, patterns)
        return -value_of(opp, me, full, depth - 1, -beta, -alpha, player, patterns)
    best = -_LIMIT
    while not is_empty(legal):
        square = first(legal)
        legal = without_first(legal)
        theirs, mine = after(me, opp, square)
        if depth == 1:  # saves the call
            value = -_leaf(theirs, mine, full, player, patterns)
        else:
            value = -value_of(theirs, mine, full, depth - 1, -beta, -max(alpha, best), player, patterns)
        if value > best:
            best = value
            if best >= beta:
                return best
    return best


@inlined
def _by_search(me: Board, opp: Board, full: Board, legal: Board, player: Player, patterns: Patterns) -> int:
    """The lowest of the best squares by a search of `depth` plies."""
    best, found = -_LIMIT, first(legal)
    while not is_empty(legal):
        square = first(legal)
        legal = without_first(legal)
        theirs, mine = after(me, opp, square)
        value = -value_of(theirs, mine, full, player.depth - 1, -_LIMIT, -best, player, patterns)
        if value > best:
            best, found = value, square
    return found


# --- the exact end -------------------------------------------------------------------------------------------------


@inlined
def _exact_below(me: Board, opp: Board, full: Board, empties: int, high: int, player: Player) -> int:
    """The final score of `me`, who is to move, under best play where it is below `high`; else something not below."""
    odd = odd_blocks(without(full, either(me, opp)))
    value, before = high, high + 1
    while value < before:
        before = value
        found, _ = shallow(me, opp, full, odd, empties, before - 1, player.squares, player.sign, player.prize)
        value = min(found, before)
    return value


@inlined
def _exact(me: Board, opp: Board, full: Board, legal: Board, empties: int, player: Player) -> int:
    """The lowest of the squares whose final score is best."""
    best, found = -player.squares - 1, first(legal)
    while not is_empty(legal):
        square = first(legal)
        legal = without_first(legal)
        theirs, mine = after(me, opp, square)
        value = -_exact_below(theirs, mine, full, empties - 1, -best, player)
        if value > best:
            best, found = value, square
    return found


# --- games ---------------------------------------------------------------------------------------------------------


@inlined
def _chosen(me: Board, opp: Board, full: Board, legal: Board, player: Player, patterns: Patterns) -> int:
    empties = count(full) - count(either(me, opp))
    if empties <= player.endgame:
        return _exact(me, opp, full, legal, empties, player)
    return _by_search(me, opp, full, legal, player, patterns)


@kernel
def play_games(
    me: Board,
    opp: Board,
    full: Board,
    player: Player,
    patterns: Patterns,
    seed: Word,
    begin: int,
    least: int,
    most: int,
    squares: Squares,
    firsts: Numbers,
    scores: Numbers,
) -> None:
    """Plays games `begin` and following of this seed from a start with black to move, one for every row of `squares`.

    A row [at least as many as squares are empty] receives the moves without passes, then NO_SQUARE; `firsts` how many
    of them were random, `least` to `most` unless the game was over before; `scores` black's final disc difference with
    the empty squares for the side that has more. Where the player is random itself, none counts as random.
    """
    for row in range(len(squares)):
        s0, s1 = stream(seed, Word(begin + row))
        wanted = least + int(choose(s0 + s1, most - least + 1))
        mine, theirs, black, placed = me, opp, 1, 0
        while True:
            legal = moves(mine, theirs, full)
            if is_empty(legal):
                mine, theirs, black = theirs, mine, -black
                legal = moves(mine, theirs, full)
                if is_empty(legal):
                    break
            if placed < wanted or player.depth == 0:
                s0, s1 = advance(s0, s1)
                square = ranked(legal, choose(s0 + s1, count(legal)))
            else:
                square = _chosen(mine, theirs, full, legal, player, patterns)
            squares[row, placed] = square
            placed += 1
            mine, theirs = after(mine, theirs, square)
            black = -black
        empties = count(full) - count(either(mine, theirs))
        scores[row] = black * final_score(count(mine) - count(theirs), empties, 1, player.prize)
        firsts[row] = 0 if player.depth == 0 else min(wanted, placed)
        for i in range(placed, squares.shape[1]):
            squares[row, i] = NO_SQUARE
