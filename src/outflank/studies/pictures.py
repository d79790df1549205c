"""The picture of a study that tells its result at a glance: every printed number beside ours, by verdict."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from outflank.arena.statistics.comparisons import MARGIN
from outflank.report.document import Drawing, Figure
from outflank.report.figures import INK, PALETTE, Scales
from outflank.studies.compare import Comparison

_LOOKS = {
    "equivalent": (PALETTE[2], "o"),
    "differs": (PALETTE[1], "X"),
    "compatible": (PALETTE[0], "."),
    "fitted": (PALETTE[7], "_"),
}
"""Colour and marker of every verdict."""
_WIDEST = 2.0


def agreement(name: str, caption: str, comparisons: Sequence[Comparison]) -> Figure | None:
    """Ours over theirs: shares in one panel, means in another; None where there is nothing to compare."""
    cells = [cell for cell in comparisons if cell.ours and cell.verdict in _LOOKS]
    shares = [cell for cell in cells if cell.ours and cell.ours.kind == "share"]
    means = [cell for cell in cells if cell not in shares and cell.printed.value]
    panels = [draw(group) for draw, group in ((_shares, shares), (_means, means)) if group]
    return Figure(f"agreement-{name}", caption, panels, size=(5.2 * len(panels), 4.2)) if panels else None


def _shares(cells: Sequence[Comparison]) -> Drawing:
    """Our share over the printed one; between the dotted lines they are within the margin."""

    def draw(axes: Any) -> None:
        from matplotlib.ticker import PercentFormatter

        Scales(x="printed", y="ours, 95 % interval", title="shares", y_range=(-0.03, 1.03)).apply(axes)
        axes.set_xlim(-0.03, 1.03)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
        for shift in (-MARGIN, 0.0, MARGIN):
            axes.plot([0, 1], [shift, 1 + shift], color=INK, linewidth=0.8, linestyle=":" if shift else "-")
        _points(axes, cells, lambda place, cell: cell.printed.value, 1.0)

    return draw


def _means(cells: Sequence[Comparison]) -> Drawing:
    """Our mean as a multiple of the printed one, in the paper's order; between the dotted lines within the margin."""

    def draw(axes: Any) -> None:
        scales = Scales(
            x="printed numbers, in the paper's order", y="ours / printed", title="means", y_range=(0, _WIDEST)
        )
        scales.apply(axes)
        axes.set_xticks([])
        for ratio in (1 - MARGIN, 1.0, 1 + MARGIN):
            axes.axhline(ratio, color=INK, linewidth=0.8, linestyle="-" if ratio == 1 else ":")
        _points(axes, cells, lambda place, cell: place, None)

    return draw


def _points(
    axes: Any, cells: Sequence[Comparison], place: Callable[[int, Comparison], float], unit: float | None
) -> None:
    """Points with intervals, a series for every verdict; in units of the printed value where `unit` is None."""
    for verdict, (colour, marker) in _LOOKS.items():
        x, y, below, above = [], [], [], []
        for number, cell in enumerate(cells):
            if cell.verdict == verdict and cell.ours:
                scale = unit or abs(cell.printed.value)
                x.append(place(number, cell))
                y.append(min(cell.ours.value / scale, math.inf if unit else 0.97 * _WIDEST))
                below.append(max(0.0, cell.ours.value - cell.ours.low) / scale)
                above.append(max(0.0, cell.ours.high - cell.ours.value) / scale)
        if x:
            label = f"{verdict} ({len(x)})"
            axes.errorbar(
                x, y, yerr=(below, above), label=label, color=colour, marker=marker, linestyle="none", elinewidth=0.7
            )
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, borderaxespad=0.2, fontsize="small")
    axes.set_title(axes.get_title(), pad=44)
