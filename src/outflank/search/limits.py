"""What a search may spend, what it found, and the clock that is read between slices of kernel work.

Kernels have no clock and hold Ctrl-C, so every search runs in slices: a kernel does a bounded number of nodes
or playouts and returns a state that the next call resumes. `Clock` looks at the time between two slices and
chooses the next so that a deadline is kept within a few milliseconds. A search without a time limit has slices
of fixed size, so that its result depends on its text and seed alone.

Whoever starts a search may want to end it early: inside `stoppable(stop)` every search asks `stop()` between two slices
and ends, with what it has found, once the answer is yes.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Literal, NamedTuple

from outflank.board import Color
from outflank.errors import BadSpec
from outflank.render import html_block, html_table

SLICE_SECONDS = 0.002
_FIXED_SLICE_SECONDS = 0.05
_SHOWN_LINE = 8
"""Moves of a principal variation that people are shown."""


@dataclass(frozen=True)
class Limits:
    """Bounds of one decision; the first reached stops the search, None is no bound.

    >>> Limits(nodes=1000).tightened(Limits(nodes=500, seconds=2))
    Limits(depth=None, nodes=500, playouts=None, seconds=2, game_seconds=None)
    """

    depth: int | None = None
    nodes: int | None = None
    playouts: int | None = None
    seconds: float | None = None
    """For one move."""
    game_seconds: float | None = None
    """Left on this side's clock for the rest of the game."""

    def __post_init__(self) -> None:
        for name in self.bounds:
            value = getattr(self, name)
            if not value > 0:
                raise BadSpec(f"limit {name}={value} is not possible; expected more than 0")

    @cached_property
    def bounds(self) -> frozenset[str]:
        """The names of the limits that are set."""
        return frozenset(name for name in _NAMES if getattr(self, name) is not None)

    def tightened(self, other: "Limits") -> "Limits":
        """The stricter of two limits in every respect."""
        if not other.bounds:
            return self
        if not self.bounds:
            return other
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in _NAMES}
        return Limits(**{name: min((x for x in pair if x is not None), default=None) for name, pair in pairs.items()})

    def for_move(self, own_moves_left: int) -> "Limits":
        """The same with `game_seconds` turned into seconds for this move: an even share of what is left.

        >>> Limits(game_seconds=60).for_move(own_moves_left=30).seconds
        2.0
        """
        if self.game_seconds is None:
            return self
        share = self.game_seconds / max(own_moves_left, 2)
        return replace(self, seconds=share if self.seconds is None else min(share, self.seconds))


_NAMES = tuple(field.name for field in fields(Limits))
_STOP: ContextVar[Callable[[], bool] | None] = ContextVar("stop", default=None)


@contextmanager
def stoppable(stop: Callable[[], bool]) -> Iterator[None]:
    """Searches begun inside, in this thread, end within a few milliseconds once `stop()` is true.

    They still answer, with what they found so far. Inside another `stoppable` either stops them.

    >>> with stoppable(lambda: True):
    ...     told_to_stop()
    True
    """
    outer = _STOP.get()
    token = _STOP.set(stop if outer is None else lambda: stop() or outer())
    try:
        yield
    finally:
        _STOP.reset(token)


def told_to_stop() -> bool:
    """Whether whoever started this search wants it to end."""
    stop = _STOP.get()
    return stop is not None and stop()


class Clock:
    """Time since a search began, and the size of its next slice."""

    def __init__(self, limits: Limits, rate: float) -> None:
        """`rate` is a first guess of units (nodes or playouts) per second; it is corrected as slices run."""
        self.began = time.perf_counter()
        self.deadline = None if limits.seconds is None else self.began + limits.seconds
        self.rate = rate
        self.stop = _STOP.get()
        self._fixed = max(1, int(rate * _FIXED_SLICE_SECONDS))
        self._last = self.began

    @property
    def seconds(self) -> float:
        """Seconds since the search began."""
        return time.perf_counter() - self.began

    @property
    def expired(self) -> bool:
        """Whether the time limit is reached, or whoever started the search wants it to end."""
        if self.stop is not None and self.stop():
            return True
        return self.deadline is not None and time.perf_counter() >= self.deadline

    def slice(self) -> int:
        """Units to do before the clock is read again: about 2 ms of work if it can end the search, else a fixed number.

        The size of slices never changes what a search finds.
        """
        if self.deadline is None and self.stop is None:
            return self._fixed
        if self.expired:
            return 1
        left = SLICE_SECONDS if self.deadline is None else self.deadline - time.perf_counter()
        return max(1, int(self.rate * min(SLICE_SECONDS, left)))

    def worked(self, units: int) -> None:
        """Tells the clock what the last slice did."""
        now = time.perf_counter()
        if now > self._last and units:
            measured = units / (now - self._last)
            self.rate = measured if self.rate > 4 * measured else 0.7 * self.rate + 0.3 * measured
        self._last = now


Unit = Literal["points", "wins", "discs", "result"]
"""What a value counts: points of an evaluation, the share of games won (0..1), discs, or 1, 0, -1 for the result."""


def value_text(value: float | None, unit: Unit, exact: bool = False) -> str:
    """A value for people.

    >>> value_text(6, "discs", exact=True), value_text(0.571, "wins"), value_text(1.26, "points")
    ('+6 discs, exact', '57 % wins', '+1.3')
    """
    if value is None:
        return ""
    if unit == "wins":
        return f"{100 * value:.0f} % wins"
    if unit == "result":
        return ("a loss", "a draw", "a win")[int(value) + 1] + ", exact"
    number = f"{value:+.1f}".removesuffix(".0") if abs(value) >= 0.05 else "0"
    return f"{number} disc{'' if abs(value) == 1 else 's'}, exact" if exact else number


class RootMove(NamedTuple):
    """What a search thinks of one move at the root, as seen by the side to move."""

    move: int
    value: float | None = None
    exact: bool = True
    """False when `value` is only an upper bound, because the move was refuted."""
    visits: int = 0
    win_rate: float | None = None
    """Share of points in 0..1, for searches that play games out."""


@dataclass(frozen=True, slots=True, repr=False)
class Decision:
    """A move and why. Values are seen by the side to move, named in `seen_from`.

    >>> from outflank.board import Rules
    >>> line = tuple(map(Rules().move, ("d3", "c3")))
    >>> decision = Decision(line[0], Color.BLACK, 0.5, playouts=100, pv=line, unit="wins")
    >>> decision.move, str(decision)
    (d3, 'd3 (50 % wins), 100 playouts, d3 c3')
    """

    move: int
    seen_from: Color
    value: float | None = None
    nodes: int = 0
    playouts: int = 0
    depth: int = 0
    seconds: float = 0.0
    pv: tuple[int, ...] = ()
    """Principal variation: the expected line, beginning with `move`."""
    moves: tuple[RootMove, ...] = ()
    finished: bool = True
    """False when a limit stopped the search before it had done what was asked."""
    note: str = ""
    """What a person should know, such as a full tree."""
    unit: Unit = "points"
    """What `value` counts."""

    @property
    def value_text(self) -> str:
        """The value for people; discs are counted by the solver alone and therefore exact."""
        return value_text(self.value, self.unit, exact=self.unit == "discs")

    def __str__(self) -> str:
        unit = " points" if self.unit == "points" else ""
        value = f" ({self.value_text}{unit})" if self.value_text else ""
        spent, what = (self.playouts, "playouts") if self.playouts else (self.nodes, "nodes")
        effort = [f"depth {self.depth}"] * (self.depth > 0) + [f"{spent:,} {what}"] * (spent > 0)
        names = [*map(str, self.pv[:_SHOWN_LINE]), *(["…"] if len(self.pv) > _SHOWN_LINE else [])]
        line = [" ".join(names)] if len(names) > 1 else []
        return ", ".join([f"{self.move}{value}", *effort, *line])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The decision and what it thought of the other moves, for notebooks."""
        judged = sorted(self.moves, key=lambda root: (root.move != self.move, -root.visits, -(root.value or 0)))
        rows = [
            [
                str(root.move),
                ("" if root.exact else "at most ") + value_text(root.value, self.unit),
                f"{root.visits:,}" if root.visits else "",
            ]
            for root in judged
            if root.value is not None or root.visits
        ]
        table = html_table(["move", f"value for {self.seen_from}", "visits"], rows)
        note = [self.note] if self.note else []
        return html_block(str(self), *note, html=table if rows else "")
