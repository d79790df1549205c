"""Perfect play to the end of the game: `solve` dresses the kernel of `kernels/endgame.py`.

A search is a stack of frames in arrays that the kernel works on in slices; between slices the clock is read and
Ctrl-C is heard. Stopping and going on changes nothing, so that a search limited by nodes alone always ends the
same, at the limit or one position of a few empty squares beyond it. A search that a limit stops says what it has
proven: `score` is None, `at_least` and `at_most` enclose it.

A margin is found in two searches with one table: win, draw or loss first, then the window that is left. On 18 FFO
positions (24-26, 28, 30-37, 40-44, 47) that took 411 million nodes, one open window 461 million, null windows from
bound to bound (MTD) 405 million but more where scores are far from 0; and a search that is stopped later knows
who wins.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from outflank.board import Empties, Position, Rules
from outflank.errors import BadSpec
from outflank.inputs import expect, shown
from outflank.kernels import endgame as kernels
from outflank.kernels.jit import INTERPRETED
from outflank.kernels.outlook import EndgameRules
from outflank.kernels.rules import PASS
from outflank.kernels.shallow import NONE
from outflank.kernels.table import new_table
from outflank.search.clock import Clock
from outflank.search.decision import RootMove
from outflank.search.limits import NO_LIMIT, Limits
from outflank.search.memory import MOST_MEGABYTES, memory_for

Aim = Literal["margin", "wdl"]

_FIRST_RATE = 1e4 if INTERPRETED else 5e6


@dataclass(frozen=True, slots=True)
class Solution:
    """The outcome of a position under perfect play, from the view of the side to move: positive when it wins.

    >>> solution = solve(Position.parse("XXXXOOOXOOXXOO-- X"))
    >>> solution.score, solution.exact, solution.pv
    (2, True, (pass, d4, c4))
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
) -> Solution:
    """The outcome of perfect play from here, by the final margin or only by win, draw and loss.

    `empties` says who owns the empty squares of a finished game, as `Position.score`. Limits of nodes and of
    time count; the table takes at most `memory_mb` megabytes. With `every_move` all legal moves get their score.

    >>> start = Position.start(Rules(4))
    >>> solve(start).score, solve(start, by="wdl").score, solve(start.with_variant("reversed")).score
    (-10, -1, 4)
    >>> [(move.move, move.value) for move in solve(start, every_move=True, empties="nobody").moves]
    [(b1, -8), (a2, -8), (d3, -8), (c4, -8)]
    """
    expect(Position, position=position)
    expect(Limits | None, limits=limits)
    _check(by, empties, memory_mb)
    searcher = _Searcher(position, by, empties, limits or Limits(), memory_mb)
    return searcher.solve_every_move() if every_move and position.moves_mask else searcher.solve()


def solve_moves(position: Position, order: Iterable[int], memory_mb: float = 64) -> Iterator[Solution]:
    """The margin of each of these legal moves, one after the other with one table; the line begins with the move.

    >>> [(found.move, found.score) for found in solve_moves(Position.start(Rules(4)), [4, 1])]
    [(4, -10), (1, -10)]
    """
    searcher = _Searcher(position, "margin", "winner", Limits(), memory_mb)
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


class _Searcher:
    """The arrays and the clock of one call of `solve`; several searches share the table."""

    def __init__(self, position: Position, by: Aim, empties: Empties, limits: Limits, memory_mb: float) -> None:
        plies = 2 * position.empties + 3
        self.position, self.rules, self.by = position, position.rules, by
        self.limits = limits.for_move((position.empties + 1) // 2)
        self.clock = Clock(self.limits, _FIRST_RATE)
        self.game = endgame_rules(position.rules, empties)
        self.worst, self.best = (-1, 1) if by == "wdl" else (-self.game.squares, self.game.squares)
        with memory_for("memory", memory_mb):  # few empties cannot fill more
            self.table = new_table(memory_mb, least=2, most=2 ** (position.empties + 4))
        self.boards = np.zeros((2 * plies, position.rules.words), np.uint64)
        self.frames = np.zeros((plies, kernels.FRAME), np.int64)
        self.state = np.zeros(4, np.int64)
        self.nodes = 0
        self.proven: int | None = None
        """The best move of the last search that came to its end."""

    # --- one search -----------------------------------------------------------------------------------

    def _search(self, position: Position, alpha: int, beta: int) -> bool:
        """Whether the search of this position came to its end."""
        self.boards[0], self.boards[1], _ = position.boards
        root = self.frames[0]
        root[kernels.ALPHA], root[kernels.BETA], root[kernels.COUNT] = alpha, beta, kernels.UNOPENED
        root[kernels.BEST], root[kernels.BEST_MOVE] = NONE, PASS
        self.state[:] = 0
        while self.state[kernels.PLY] >= 0:
            budget = self._budget()
            if budget <= 0:
                return False
            before = int(self.state[kernels.NODES])
            kernels.proceed(self.boards, self.frames, self.table, self.state, self.game, budget, self._left())
            done = int(self.state[kernels.NODES]) - before
            self.nodes += done
            self.clock.worked(done)
        return True

    def _budget(self) -> int:
        """Nodes of the next slice, 0 when a limit is reached; the first slice is done in any case."""
        if self.nodes == 0:
            return 1
        return 0 if self.clock.expired else min(self.clock.slice(), self._left())

    def _left(self) -> int:
        """Nodes before the limit is reached."""
        return NO_LIMIT if self.limits.nodes is None else self.limits.nodes - self.nodes

    def _narrowed(self, position: Position, lower: int, upper: int, alpha: int, beta: int) -> tuple[int, int, bool]:
        """(proven bounds after a search with this window, whether it came to its end)."""
        finished = self._search(position, alpha, beta)
        if finished:
            self.proven = int(self.state[kernels.MOVE])
        value = int(self.state[kernels.VALUE] if finished else self.frames[0, kernels.BEST])
        if value > alpha:
            lower = max(lower, min(value, self.best))
        if value < beta and finished:
            upper = min(upper, max(value, self.worst))
        return lower, upper, finished

    def _bounds(self, position: Position) -> tuple[int, int]:
        """Proven bounds of the score of a position, equal unless a limit stopped the search."""
        lower, upper, finished = self._narrowed(position, self.worst, self.best, -1, 1)
        if finished and lower < upper:
            lower, upper, _ = self._narrowed(position, lower, upper, lower - 1, upper + 1)
        return lower, upper

    def _square(self, bit: int) -> int:
        """A move of the kernel as one of ours."""
        return self.rules.by_bit[bit]

    def _root_move(self) -> int | None:
        """The best move of the last search; of a stopped one the best so far, that of the search before, or the
        most promising."""
        if self.position.is_over:
            return None
        best, improves, move = (
            int(self.frames[0, field]) for field in (kernels.BEST, kernels.ALPHA, kernels.BEST_MOVE)
        )
        if self.proven is not None and best <= improves:
            return self._square(self.proven)
        return self._square(int(self.frames[0, kernels.MOVES]) % kernels.ITEM - 1 if best == NONE else move)

    # --- what people ask for --------------------------------------------------------------------------

    def solve(self) -> Solution:
        """The score and one best move."""
        lower, upper = self._bounds(self.position)
        move = self._root_move()
        return self._solution(lower, upper, move, self._line(lower, move) if lower == upper else ())

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
            alpha, beta = (-1, 1) if self.by == "wdl" else (score - 1, score + 1)
            if position.is_over or not self._search(position, alpha, beta):
                break
            move = self._square(int(self.state[kernels.MOVE]))
        return tuple(line)

    def _solution(
        self, lower: int, upper: int, move: int | None, pv: tuple[int, ...] = (), moves: tuple[RootMove, ...] = ()
    ) -> Solution:
        score = lower if lower == upper else None
        return Solution(self.position, self.by, score, lower, upper, move, self.nodes, self.clock.seconds, pv, moves)
