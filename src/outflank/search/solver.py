"""Perfect play to the end of the game: `solve` dresses the kernels of `kernels/selective.py`.

The moves are put in order first, by searches of a few moves and, where there are trained patterns, by searches to the
end that are probably right: they fill the table with good moves, and their value says where the score is. The certain
search then has a narrow window around it, and wider ones where it was wrong. A search that a limit stops says what it
has proven: `score` is None, `at_least` and `at_most` enclose it.

With one thread a search limited by nodes always ends the same, a position of a few empty squares beyond the limit.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from outflank.board import Empties, Position, Rules
from outflank.errors import BadSpec
from outflank.inputs import expect, shown
from outflank.kernels import selective as kernel
from outflank.kernels.outlook import EndgameRules, Outlook
from outflank.kernels.table import new_table
from outflank.patterns import shipped_weights
from outflank.search.beside import MOST_THREADS, Question, Roots, Runner, new_searches, roots_of
from outflank.search.clock import Clock
from outflank.search.decision import RootMove
from outflank.search.limits import Limits
from outflank.search.memory import MOST_MEGABYTES, memory_for
from outflank.search.probcut import shipped_probcut

Aim = Literal["margin", "wdl"]

_OUTLOOK = Outlook(20)
_NO_MARGINS = np.zeros((1, 1, 1, 1), np.int16)
_ORDERED = 6
"""Moves of the deepest search by which moves are put in order where there are no trained patterns."""
_BEFORE_END = 10
"""Moves before the end of the game from which a search goes to it."""
_PROBABLE = (0, 2)
"""Confidences of the searches to the end before the certain one."""
_WIDTHS = (1, 4)
"""Discs to both sides of the expected score, before the window is open."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The outcome of a position under perfect play, from the view of the side to move: positive when it wins.

    >>> solution = solve(Position.parse("XXXXOOOXOOXXOO-- X"))
    >>> solution.score, solution.exact, solution.pv
    (2, True, (pass, c4, d4))
    """

    position: Position
    by: Aim
    score: int | None
    """The margin, or 1, 0, -1 for a win, a draw, a loss; None when a limit stopped the search before."""
    at_least: int
    at_most: int
    """Proven bounds; both are the score of a search that was not stopped."""
    move: int | None
    """A best move: the lowest square of them with `every_move`, otherwise the first that the search proved best.
    Of a stopped search the best so far, else the most promising; None when the game is over."""
    nodes: int
    seconds: float
    pv: tuple[int, ...] = ()
    """A line of best moves, passes included, to the end of the game or to where a limit stopped it."""
    moves: tuple[RootMove, ...] = ()
    """With `every_move` every legal move, rising, with its score; value None for those not solved."""

    @property
    def exact(self) -> bool:
        """Whether the score is proven."""
        return self.score is not None


def solve(
    position: Position,
    by: Aim = "margin",
    limits: Limits | None = None,
    empties: Empties = "winner",
    memory_mb: float = 64,
    every_move: bool = False,
    threads: int = 1,
) -> Solution:
    """The outcome of perfect play from here, by the final margin or only by win, draw and loss.

    `empties` says who owns the empty squares of a finished game, as `Position.score`. Limits of nodes and of
    time count; the table takes at most `memory_mb` megabytes. With `every_move` all legal moves get their score. With
    several threads, which share the table, the score is the same and comes sooner.

    >>> start = Position.start(Rules(4))
    >>> solve(start).score, solve(start, by="wdl").score, solve(start.with_variant("reversed")).score
    (-10, -1, 4)
    >>> [(move.move, move.value) for move in solve(start, every_move=True, empties="nobody").moves]
    [(b1, -8), (a2, -8), (d3, -8), (c4, -8)]
    """
    expect(Position, position=position)
    expect(Limits | None, limits=limits)
    _check(by, empties, memory_mb)
    expect(int, threads=threads)
    if not 1 <= threads <= MOST_THREADS:
        raise BadSpec(f"threads={shown(threads)} is not possible; expected 1 to {MOST_THREADS}")
    searcher = _Searcher(position, by, empties, limits or Limits(), memory_mb, threads)
    return searcher.solve_every_move() if every_move and position.moves_mask else searcher.solve()


def solve_moves(position: Position, order: Iterable[int], memory_mb: float = 64) -> Iterator[Solution]:
    """The margin of each of these legal moves, one after the other with one table; the line begins with the move.

    >>> [(found.move, found.score) for found in solve_moves(Position.start(Rules(4)), [4, 1])]
    [(4, -10), (1, -10)]
    """
    searcher = _Searcher(position, "margin", "winner", Limits(), memory_mb, threads=1)
    for move in order:
        yield searcher.solve_move(move)


def _check(by: str, empties: str, memory_mb: float) -> None:
    if by not in get_args(Aim):
        raise BadSpec(f"cannot solve by {shown(by)}; expected one of: {', '.join(get_args(Aim))}")
    if empties not in get_args(Empties):
        raise BadSpec(f"empty squares cannot go to {shown(empties)}; expected one of: {', '.join(get_args(Empties))}")
    expect(float, memory_mb=memory_mb)
    if not 0 < memory_mb <= MOST_MEGABYTES:
        raise BadSpec(f"memory_mb={shown(memory_mb)} is not possible; expected more than 0, at most {MOST_MEGABYTES}")


def endgame_rules(rules: Rules, empties: Empties) -> EndgameRules:
    """The rules as the kernel takes them."""
    last = rules.size - 1
    cells = [(rules.bit(square), *divmod(square, rules.size)) for square in range(rules.cells)]
    return EndgameRules(
        full=rules.board(rules.full),
        sides=rules.board(sum(bit for bit, _, column in cells if column in (0, last))),
        ends=rules.board(sum(bit for bit, row, _ in cells if row in (0, last))),
        squares=rules.cells,
        sign=1 if rules.variant == "standard" else -1,
        prize=1 if empties == "winner" else 0,
    )


@cache
def _judge(rules: Rules) -> tuple[kernel.Judge, npt.NDArray[np.int16], bool]:
    """(what moves are ordered by, margins of probable searches, whether there are any)."""
    try:
        return shipped_weights(rules).build(), shipped_probcut(rules).margins(rules.cells), True
    except BadSpec:
        return _OUTLOOK, _NO_MARGINS, False


class _Searcher:
    """The arrays and the clock of one call of `solve`; several searches share the table."""

    def __init__(
        self, position: Position, by: Aim, empties: Empties, limits: Limits, memory_mb: float, threads: int
    ) -> None:
        self.position, self.rules, self.by = position, position.rules, by
        self.clock = Clock(limits.for_move((position.empties + 1) // 2), rate=5e6)
        self.game = endgame_rules(position.rules, empties)
        self.worst, self.best = (-1, 1) if by == "wdl" else (-self.game.squares, self.game.squares)
        with memory_for("memory", memory_mb):  # few empties cannot fill more
            self.table = new_table(memory_mb, least=2, most=2 ** (position.empties + 4))
        judge, margins, self.trained = _judge(position.rules)
        searches = new_searches(position.rules, self.game, judge, margins, self.table, threads)
        self.runner = Runner(searches, limits.for_move((position.empties + 1) // 2), self.clock)
        self.roots: Roots = np.zeros((0, 3), np.int64)

    # --- one search -----------------------------------------------------------------------------------

    def _ask(self, position: Position, depth: int, alpha: int, beta: int, confidence: int) -> int | None:
        """The value of a position that has moves, the best of which comes first in `roots` then; None if stopped."""
        me, opp, _ = position.boards
        before = self.roots.copy()
        value = self.runner.search(self.roots, Question(me, opp, depth, alpha, beta, confidence))
        if value is None and not (self.roots[:, kernel.KNOWN] == kernel.VALUED).any():
            self.roots[:, : kernel.KNOWN] = before[:, : kernel.KNOWN]
        else:
            known = self.roots[:, kernel.KNOWN]
            rank = np.where(known == kernel.NOTHING, -(1 << 20), 4 * self.roots[:, kernel.VALUE] + known)
            self.roots = self.roots[np.argsort(-rank, kind="stable")]
        return value

    def _list(self, position: Position) -> None:
        """Begins with the moves of a position, the one that the table holds best first."""
        me, opp, _ = position.boards
        roots = roots_of(position)
        known = roots[:, kernel.SQUARE] == kernel.known_move(me, opp, self.table)
        self.roots = roots[np.argsort(~known, kind="stable")]

    def _order(self, position: Position) -> int | None:
        """Puts the moves of a position in order, the most promising first; what the score will be, if that is known.

        Stops as soon as a limit is reached: the certain search then ends at once.
        """
        self._list(position)
        empties, most, value = position.empties, self.game.squares + 1, 0
        if empties <= kernel.NEAR:
            return None
        deepest = empties - _BEFORE_END if self.trained else min(_ORDERED, empties - kernel.NEAR)
        steps = [(depth, 0 if self.trained else kernel.CERTAIN) for depth in range(1, deepest + 1)]
        if self.trained:
            steps += [(empties, confidence) for confidence in _PROBABLE]
        for depth, confidence in steps:
            width = 3 if self.trained and depth > 2 else 2 * most
            all_of_it = value == self.game.squares  # no more can be won
            lowest = value - (1 if all_of_it else width)
            found = self._ask(position, depth, lowest, value + width, confidence)
            if found is not None and not lowest < found < value + width:
                found = self._ask(position, depth, -most, most, confidence)
            if found is None:
                return None
            value = found
        return value if self.trained else None

    def _narrowed(self, position: Position, lower: int, upper: int, alpha: int, beta: int) -> tuple[int, int, bool]:
        """(proven bounds after a search with this window, whether it came to its end)."""
        found = self._ask(position, position.empties, alpha, beta, kernel.CERTAIN)
        valued = self.roots[self.roots[:, kernel.KNOWN] == kernel.VALUED, kernel.VALUE]
        value = max(int(valued.max(initial=-kernel.INFINITY)) if found is None else found, -kernel.INFINITY)
        if value > alpha:
            lower = max(lower, min(value, self.best))
        if found is not None and value < beta:
            upper = min(upper, max(value, self.worst))
        return lower, upper, found is not None

    def _bounds(self, position: Position) -> tuple[int, int]:
        """Proven bounds of the score of a position, equal unless a limit stopped the search."""
        if position.is_over:
            score = self._clipped(position.score(position.turn, "winner" if self.game.prize else "nobody"))
            return score, score
        if position.must_pass:
            lower, upper = self._bounds(position.play(position.rules.pass_move))
            return -upper, -lower
        guess = self._clipped(self._order(position) or 0)
        lower, upper, widths = self.worst, self.best, [*_WIDTHS, 2 * self.game.squares]
        for width in widths:
            alpha, beta = max(lower - 1, guess - width), min(upper + 1, guess + width)
            lower, upper, finished = self._narrowed(position, lower, upper, alpha, beta)
            if lower == upper or not finished:
                break
            guess = lower if lower > self.worst else upper
        return lower, upper

    def _clipped(self, score: int) -> int:
        return min(max(score, self.worst), self.best)

    def _first_root(self) -> int:
        """The move that comes first now."""
        return self.rules.by_bit[int(self.roots[0, kernel.SQUARE])]

    # --- what people ask for --------------------------------------------------------------------------

    def solve(self) -> Solution:
        """The score and one best move."""
        lower, upper = self._bounds(self.position)
        move = None if self.position.is_over else self._best_move(self.position)
        return self._solution(lower, upper, move, self._line(lower, move) if lower == upper else ())

    def _best_move(self, position: Position) -> int:
        return position.rules.pass_move if position.must_pass else self._first_root()

    def solve_move(self, move: int) -> Solution:
        """The score of one move."""
        least, most = self._bounds(self.position.play(move))
        return self._solution(-most, -least, move, self._line(-least, move) if least == most else (move,))

    def solve_every_move(self) -> Solution:
        """The score of every move; the lowest of the best begins the line."""
        found, lower, upper = [], self.worst, self.worst
        for move in self.position.moves:
            least, most = self._bounds(self.position.play(move))
            found.append(RootMove(move, -least if least == most else None, exact=least == most))
            lower, upper = max(lower, -most), max(upper, -least)
        best = next((move.move for move in found if move.value == lower), found[0].move)
        return self._solution(lower, upper, best, self._line(lower, best) if lower == upper else (), tuple(found))

    def _line(self, score: int, move: int | None) -> tuple[int, ...]:
        """Best moves from the root on: each step is a search around the known score, with a warm table."""
        line: list[int] = []
        position = self.position
        while move is not None:
            line.append(move)
            position, score = position.play(move), -score
            move = None if position.is_over else self._next_of_line(position, score)
        return tuple(line)

    def _next_of_line(self, position: Position, score: int) -> int | None:
        """A move that keeps the score; None when a limit stops the search for it."""
        if position.must_pass:
            return position.rules.pass_move
        self._list(position)
        alpha, beta = (-1, 1) if self.by == "wdl" else (score - 1, score + 1)
        if self._ask(position, position.empties, alpha, beta, kernel.CERTAIN) is None:
            return None
        return self._first_root()

    def _solution(
        self, lower: int, upper: int, move: int | None, pv: tuple[int, ...] = (), moves: tuple[RootMove, ...] = ()
    ) -> Solution:
        score = lower if lower == upper else None
        nodes, seconds = self.runner.nodes, self.clock.seconds
        return Solution(self.position, self.by, score, lower, upper, move, nodes, seconds, pv, moves)
