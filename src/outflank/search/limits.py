"""What a search may spend, what it found, and the clock that is read between slices of kernel work.

Kernels have no clock and hold Ctrl-C, so every search runs in slices: a kernel does a bounded number of nodes
or playouts and returns a state that the next call resumes. `Clock` looks at the time between two slices and
chooses the next so that a deadline is kept within a few milliseconds. A search without a time limit has slices
of fixed size, so that its result depends on its text and seed alone.
"""

import time
from dataclasses import dataclass, fields, replace

from outflank.board import Color
from outflank.errors import BadSpec

SLICE_SECONDS = 0.002
_FIXED_SLICE_SECONDS = 0.05


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
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not value > 0:
                raise BadSpec(f"limit {field.name}={value} is not possible; expected more than 0")

    @property
    def bounds(self) -> set[str]:
        """The names of the limits that are set."""
        return {name for name, value in vars(self).items() if value is not None}

    def tightened(self, other: "Limits") -> "Limits":
        """The stricter of two limits in every respect."""
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in vars(self)}
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


class Clock:
    """Time since a search began, and the size of its next slice."""

    def __init__(self, limits: Limits, rate: float) -> None:
        """`rate` is a first guess of units (nodes or playouts) per second; it is corrected as slices run."""
        self.began = time.perf_counter()
        self.deadline = None if limits.seconds is None else self.began + limits.seconds
        self.rate = rate
        self._fixed = max(1, int(rate * _FIXED_SLICE_SECONDS))
        self._last = self.began

    @property
    def seconds(self) -> float:
        """Seconds since the search began."""
        return time.perf_counter() - self.began

    @property
    def expired(self) -> bool:
        """Whether the time limit is reached."""
        return self.deadline is not None and time.perf_counter() >= self.deadline

    def slice(self) -> int:
        """Units to do before the clock is read again: about 2 ms of work under a deadline, else a fixed number."""
        if self.deadline is None:
            return self._fixed
        left = max(self.deadline - time.perf_counter(), 0.0)
        return max(1, int(self.rate * min(SLICE_SECONDS, left)))

    def worked(self, units: int) -> None:
        """Tells the clock what the last slice did."""
        now = time.perf_counter()
        if now > self._last and units:
            measured = units / (now - self._last)
            self.rate = measured if self.rate > 4 * measured else 0.7 * self.rate + 0.3 * measured
        self._last = now


@dataclass(frozen=True, slots=True)
class RootMove:
    """What a search thinks of one move at the root, as seen by the side to move."""

    move: int
    value: float | None = None
    exact: bool = True
    """False when `value` is only an upper bound, because the move was refuted."""
    visits: int = 0
    win_rate: float | None = None
    """Share of points in 0..1, for searches that play games out."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A move and why. Values are seen by the side to move, named in `seen_from`.

    >>> Decision(19, Color.BLACK, value=0.5, playouts=100).move
    19
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
