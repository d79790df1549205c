"""What a search decided, and what it thinks of every move."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from outflank.board import Color
from outflank.render import html_block, html_table

_SHOWN_LINE = 8
"""Moves of a principal variation that people are shown."""

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
    discs = f"{number} disc{'' if abs(value) == 1 else 's'}"
    return f"{discs}, exact" if exact else discs if unit == "discs" else number


def depth_text(depth: int, confidence: int) -> str:
    """How far a search looked, for people.

    >>> depth_text(18, 73), depth_text(6, 100)
    ('depth 18 at 73 %', 'depth 6')
    """
    return f"depth {depth}" + (f" at {confidence} %" if confidence < 100 else "")


class RootMove(NamedTuple):
    """What a search thinks of one move at the root, from the view of the side to move.

    >>> from outflank.board import Rules
    >>> RootMove(Rules().move(19), value=3.0).move
    d3
    """

    move: int
    value: float | None = None
    exact: bool = True
    """False when `value` is only an upper bound, because the move was refuted."""
    visits: int = 0
    win_rate: float | None = None
    """Share of points in 0..1, for searches that play games out."""


@dataclass(frozen=True, slots=True, repr=False)
class Decision:
    """A move and why. Values are from the view of the side to move, named in `seen_from`.

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
    exact: bool = False
    """Whether `value` is proven to be the score under perfect play."""
    confidence: int = 100
    """How surely nothing was overlooked in `depth` plies, in per cent: below 100 where a search leaves out lines that
    a shallow look calls hopeless."""

    @property
    def value_text(self) -> str:
        """The value for people."""
        return value_text(self.value, self.unit, self.exact)

    def __str__(self) -> str:
        unit = " points" if self.unit == "points" else ""
        value = f" ({self.value_text}{unit})" if self.value_text else ""
        spent, what = (self.playouts, "playouts") if self.playouts else (self.nodes, "nodes")
        depth = [depth_text(self.depth, self.confidence)] if self.depth else []
        effort = depth + [f"{spent:,} {what}"] * (spent > 0)
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
