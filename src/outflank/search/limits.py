"""What a search may spend on one decision."""

from dataclasses import dataclass, field, fields, replace
from typing import Any

from outflank.errors import BadSpec
from outflank.inputs import shown
from outflank.lazy import lazy
from outflank.schema import Option, Signature, number, whole

_MOST = 2**53
"""Kernels count in 64 bits, JSON in 53."""


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
    most_seconds: float | None = field(default=None, repr=False)
    """For one move at the very most, where `seconds` is a share of the clock."""

    def __post_init__(self) -> None:
        for name in self.bounds:
            value, is_time = getattr(self, name), name in _TIMES
            kind: Any = int | float if is_time else int
            if isinstance(value, bool) or not isinstance(value, kind) or not 0 < value <= _MOST:
                expected = f"{'seconds above 0, up' if is_time else 'a whole number from 1'} to {_MOST}"
                raise BadSpec(f"limit {name}={shown(value)} is not possible; expected {expected}")

    @lazy
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

    @property
    def longest(self) -> float | None:
        """Seconds after which a move is late for certain: a clock for the game leaves it to the player how to spend it.

        >>> Limits(seconds=5, game_seconds=60).for_move(own_moves_left=30).longest
        5
        """
        if self.game_seconds is None:
            return self.seconds
        return min(self.game_seconds, self.most_seconds or self.game_seconds)

    def for_move(self, own_moves_left: int) -> "Limits":
        """The same with `game_seconds` turned into seconds for this move: an even share of what is left.

        >>> Limits(game_seconds=60).for_move(own_moves_left=30).seconds
        2.0
        """
        if self.game_seconds is None:
            return self
        share = self.game_seconds / max(own_moves_left, 2)
        if self.seconds is None:
            return replace(self, seconds=share)
        return replace(self, seconds=min(share, self.seconds), most_seconds=self.most_seconds or self.seconds)


LIMIT = Signature(
    "limit",
    "what may be spent on a move; the first reached stops",
    (
        Option("depth", whole(1, 500), None, "plies"),
        Option("nodes", whole(1), None, "positions entered"),
        Option("playouts", whole(1), None, "games played out"),
        Option("seconds", number(0, above=True), None, "time"),
    ),
)
"""Limits as people write them: in a text, a file or a message."""

NO_LIMIT = 1 << 60
"""Nodes or playouts that no search reaches."""
_TIMES = ("seconds", "game_seconds", "most_seconds")
_NAMES = tuple(each.name for each in fields(Limits))
