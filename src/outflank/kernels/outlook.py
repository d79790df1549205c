"""A rough worth of a position, by which exact endgames order their moves: mobility, frontier and stable discs.

A stable disc, one that can never be turned, also bounds the score. Source: Edax (Delorme).
"""

from typing import NamedTuple

from outflank.kernels.bitboard import (
    ONE,
    both,
    count,
    down,
    either,
    is_empty,
    moves,
    row_step,
    run_down,
    run_up,
    up,
    without,
)
from outflank.kernels.jit import Board, Word, inlined, routine


class EndgameRules(NamedTuple):
    """What is being played for, on which board."""

    full: Board
    sides: Board
    """First and last column."""
    ends: Board
    """First and last row."""
    squares: int
    sign: int
    """+1 when more discs win, -1 when fewer."""
    prize: int
    """1 when the empty squares go to the side with more discs, else 0."""


# --- stable discs -----------------------------------------------------------------------------------------


@inlined
def _open_line(empty: Board, through: Board, step: Word) -> Board:
    """Squares of `through` with an empty square on their line along `step`."""
    return either(run_up(empty, through, step), run_down(empty, through, step))


@inlined
def _safe_lines(empty: Board, rules: EndgameRules) -> tuple[Board, Board, Board, Board]:
    """For the four lines, the squares where no disc can be turned along them: full lines and the edges.

    Runs go through inner squares alone, because an edge is safe whatever the line holds; so a run that wraps round
    the end of a row stops there.
    """
    row = row_step(empty)
    across, upright = without(rules.full, rules.sides), without(rules.full, rules.ends)
    inner = both(across, upright)
    return (
        without(rules.full, _open_line(empty, across, ONE)),
        without(rules.full, _open_line(empty, upright, row)),
        without(rules.full, _open_line(empty, inner, row + ONE)),
        without(rules.full, _open_line(empty, inner, row - ONE)),
    )


@inlined
def _beside(board: Board, step: Word) -> Board:
    return either(up(board, step), down(board, step))


@inlined
def _stable(of: Board, safe: tuple[Board, Board, Board, Board]) -> Board:
    """Discs that can never be turned: along each line safe or beside a stable disc of the same side."""
    row = row_step(of)
    stable = both(of, both(both(safe[0], safe[1]), both(safe[2], safe[3])))
    while True:
        straight = both(either(safe[0], _beside(stable, ONE)), either(safe[1], _beside(stable, row)))
        slanted = both(either(safe[2], _beside(stable, row + ONE)), either(safe[3], _beside(stable, row - ONE)))
        more = without(both(of, both(straight, slanted)), stable)
        if is_empty(more):
            return stable
        stable = either(stable, more)


@inlined
def stable_discs(of: Board, empty: Board, rules: EndgameRules) -> int:
    """Number of discs of a side that can never be turned: a lower bound of the truth."""
    return count(_stable(of, _safe_lines(empty, rules)))


@inlined
def most_to_win(me: Board, opp: Board, empties: int, alpha: int, rules: EndgameRules) -> int:
    """What `me` can win at most, by stable discs, where that may be as little as `alpha`; else the whole board."""
    dear = opp if rules.sign > 0 else me  # what of them is stable, we cannot win
    if alpha < empties or rules.squares - 2 * count(dear) > alpha:
        return rules.squares
    return rules.squares - 2 * stable_discs(dear, without(rules.full, either(me, opp)), rules)


class Outlook(NamedTuple):
    """In place of trained patterns where there are none."""

    weight: int
    """Of a point of outlook, in hundredths of discs."""


# --- outlook ----------------------------------------------------------------------------------------------


@inlined
def frontier(of: Board, empty: Board, rules: EndgameRules) -> int:
    """Number of empty squares beside discs that could be turned from there."""
    row = row_step(of)
    across, upright = without(of, rules.sides), without(of, rules.ends)
    inner = both(across, upright)
    straight = either(_beside(across, ONE), _beside(upright, row))
    return count(both(empty, either(straight, either(_beside(inner, row - ONE), _beside(inner, row + ONE)))))


@routine
def outlook_value(me: Board, opp: Board, rules: EndgameRules, outlook: Outlook) -> int:
    """A rough worth of a position to `me`, who is to move: moves, frontier and stable discs against theirs."""
    legal, empty = moves(me, opp, rules.full), without(rules.full, either(me, opp))
    safe = _safe_lines(empty, rules)
    stable = count(_stable(me, safe)) - count(_stable(opp, safe))
    corners, replies = both(rules.sides, rules.ends), moves(opp, me, rules.full)
    mobility = count(legal) + count(both(legal, corners)) - count(replies) - count(both(replies, corners))
    exposed = frontier(opp, empty, rules) - frontier(me, empty, rules)
    return outlook.weight * (8 * mobility + 4 * exposed + 8 * rules.sign * stable)
