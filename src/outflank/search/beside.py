"""Running the kernels of `kernels/selective.py`: at once when the search is small, otherwise beside the clock.

A kernel recurses and has no clock, so it runs in a thread of its own while this one looks at the clock and listens for
Ctrl-C. Several threads search the same with one table: the first to finish wins, and stops the others.
"""

import threading
from collections.abc import Sequence
from contextvars import copy_context
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank.board import Position, Rules
from outflank.kernels import selective as kernel
from outflank.kernels.control import CELLS, MOST, NODES, STOP
from outflank.kernels.jit import Board, Words
from outflank.kernels.outlook import EndgameRules
from outflank.kernels.table import new_table
from outflank.search.clock import Clock
from outflank.search.limits import NO_LIMIT, Limits

Roots = npt.NDArray[np.int64]
"""[moves, 3]: square, value and what the value is."""

MOST_THREADS = 64
_AT_ONCE = 20_000
"""Nodes that are searched without looking at the clock: a few milliseconds."""
_LOOK_SECONDS = 0.002
"""Time between two looks at the clock."""
_NEAR_MEGABYTES = 0.25
_BUSY = 1 << 12


@dataclass(frozen=True)
class Question:
    """What is searched: a position, how deep, in which window, how surely."""

    me: Board
    opp: Board
    depth: int
    alpha: int
    beta: int
    confidence: int

    def ask(self, roots: Roots, shared: int, search: kernel.Search) -> int:
        """The value of these moves, written beside them."""
        return kernel.search_root(
            self.me, self.opp, roots, self.depth, self.alpha, self.beta, self.confidence, shared, search
        )


def new_searches(
    rules: Rules,
    game: EndgameRules,
    judge: kernel.Judge,
    margins: npt.NDArray[np.int16],
    table: Words,
    threads: int,
) -> list[kernel.Search]:
    """What every thread searches with."""
    busy = np.zeros((_BUSY if threads > 1 else 1, 1), np.uint64)
    settled = np.zeros_like(busy)
    plies = max(kernel.MOST_PLIES, 3 * rules.cells)
    return [
        kernel.Search(
            *(game, judge, margins, table, busy, settled, np.zeros((plies, 1), np.uint64), new_table(_NEAR_MEGABYTES)),
            *(np.zeros((plies, rules.cells), np.int64), 0, np.zeros(CELLS, np.int64)),
        )
        for _ in range(threads)
    ]


def roots_of(position: Position) -> Roots:
    """The legal moves, about which nothing is known."""
    roots = np.zeros((len(position.moves), 3), np.int64)
    roots[:, kernel.SQUARE] = [position.rules.bit(square).bit_length() - 1 for square in position.moves]
    return roots


class _Race:
    """The same search in one or more threads with one table: the first to finish wins, and stops the others."""

    def __init__(self, searches: Sequence[kernel.Search], roots: Roots, question: Question, most: int) -> None:
        self.over = threading.Event()
        self.searches, self.question = searches, question
        self.roots = [roots.copy() for _ in searches]
        self.won: int | None = None
        self.value = 0
        self.failure: BaseException | None = None
        """What a thread died of: interpreted kernels, and those that check their indices, may raise."""
        self._lock = threading.Lock()
        for search in searches:
            search.control[:] = 0
            search.control[MOST] = most
        self._threads = [  # in the caller's context: numpy keeps there what interpreted kernels do about overflow
            threading.Thread(target=copy_context().run, args=(self._work, n), name=f"engine-{n}", daemon=True)
            for n in range(len(searches))
        ]
        for thread in self._threads:
            thread.start()

    def _work(self, number: int) -> None:
        search = self.searches[number]
        try:
            value = self.question.ask(self.roots[number], int(len(self.searches) > 1), search)
            with self._lock:
                if self.won is None and not search.control[STOP]:
                    self.won, self.value = number, value
        except BaseException as failure:
            self.failure = failure
        finally:
            self._stop()
            self.over.set()

    def _stop(self) -> None:
        for search in self.searches:
            search.control[STOP] = 1

    def end(self) -> None:
        """Stops all threads and waits for them: a node or two."""
        self._stop()
        for thread in self._threads:
            thread.join()


class Runner:
    """Asks questions one after the other until limits are reached."""

    def __init__(self, searches: Sequence[kernel.Search], limits: Limits, clock: Clock) -> None:
        self.searches, self.limits, self.clock = searches, limits, clock
        self.nodes = self._last_nodes = 0
        self.patient = False
        """Whether the time is not looked at before a search, so that several have a first answer."""

    @property
    def left(self) -> int:
        """Nodes before the limit is reached."""
        return NO_LIMIT if self.limits.nodes is None else self.limits.nodes - self.nodes

    def search(self, roots: Roots, question: Question) -> int | None:
        """The value of these moves in this window, written beside them; None when a limit stopped it.

        Something is searched in any case when nothing was before.
        """
        if self.nodes and not self.patient and self.clock.expired:
            roots[:, kernel.KNOWN] = kernel.NOTHING
            return None
        if self._last_nodes < _AT_ONCE:
            at_once = min(self.left, _AT_ONCE)
            value = self._run_here(roots, question, at_once)
            if value is not None or at_once < _AT_ONCE or self.left <= 0:
                return value
        return self._run_beside(roots, question)

    def _run_here(self, roots: Roots, question: Question, most: int) -> int | None:
        search = self.searches[0]
        search.control[:] = 0
        search.control[MOST] = most
        value = question.ask(roots, 0, search)
        self._count(int(search.control[NODES]))
        return None if search.control[STOP] else value

    def _run_beside(self, roots: Roots, question: Question) -> int | None:
        """The same in threads, while this one looks at the clock."""
        race = _Race(self.searches, roots, question, self.left)
        try:
            while not race.over.wait(_LOOK_SECONDS):
                if self.clock.expired:
                    break
        finally:
            race.end()
        if race.failure is not None:
            raise race.failure
        self._count(sum(int(search.control[NODES]) for search in self.searches))
        roots[:] = race.roots[race.won or 0]
        return None if race.won is None else race.value

    def _count(self, nodes: int) -> None:
        self.nodes += nodes
        self._last_nodes = nodes
