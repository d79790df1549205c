"""Pictures: one policy for matplotlib, and the drawings that reports have in common.

Pictures are drawn without a screen and without pyplot's global state, in one style, and are the same byte for byte
when drawn again: ids in SVG come from a fixed salt, and neither date nor version is written. Colours are those of
Okabe & Ito (2008), which colour-blind people tell apart; series also differ in marker and line. Text stays text in SVG,
and ink, grid and paper are three fixed colours that `report.svg` replaces by those of a page.
"""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from outflank.errors import require
from outflank.report.document import Drawing, Figure

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A6A00", "#5E5E5E")
"""Okabe & Ito, in the order of use; its yellow, too pale on white, is darkened."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":")
INK, GRID, PAPER = "#1b1f24", "#d5dae0", "#ffffff"
_DOTS_PER_INCH = 160
_ARROW = 24.0
"""Length of the arrow of a bound in points."""
_POINTS_APART = 7.0
"""Between the points of two series at the same place."""
_STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "errorbar.capsize": 3,
    "figure.facecolor": PAPER,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10.5,
    "grid.color": GRID,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 6,
    "savefig.facecolor": PAPER,
    "svg.fonttype": "none",
    "svg.hashsalt": "outflank",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
}


@dataclass(frozen=True)
class Drawn:
    """One figure in both forms."""

    svg: str
    png: bytes


def draw(figure: Figure) -> Drawn:
    """The figure as SVG and as PNG."""
    with _canvas(figure) as canvas:
        return Drawn(_svg_of(canvas), _png_of(canvas))


def svg(figure: Figure) -> str:
    """The figure as SVG alone, which takes half the time."""
    with _canvas(figure) as canvas:
        return _svg_of(canvas)


def require_matplotlib() -> None:
    """An error that says what to install where matplotlib is missing."""
    require("matplotlib", "pictures need matplotlib", "report")


@contextmanager
def _canvas(figure: Figure) -> Iterator[Any]:
    """A figure of matplotlib with everything drawn, inside our style."""
    require_matplotlib()
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # a person's own matplotlibrc must not change a report
        matplotlib.rcParams.update(_STYLE)
        canvas = Canvas(figsize=figure.size, layout="constrained")
        FigureCanvasAgg(canvas)
        panels = figure.panels
        columns = min(len(panels), 3)
        rows = -(-len(panels) // columns)
        grid = canvas.subplots(rows, columns, squeeze=False)
        for axes, drawing in zip(grid.flat, panels, strict=False):
            drawing(axes)
        for axes in grid.flat[len(panels) :]:
            axes.set_axis_off()
        yield canvas


def _svg_of(canvas: Any) -> str:
    buffer = io.StringIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    canvas.savefig(buffer, format="svg", metadata=nothing)
    return buffer.getvalue()


def _png_of(canvas: Any) -> bytes:
    buffer = io.BytesIO()
    canvas.savefig(buffer, format="png", dpi=_DOTS_PER_INCH, metadata={"Software": None})
    return buffer.getvalue()


# ------------------------------------------------------------------------------------------------- ready drawings


@dataclass(frozen=True)
class Series:
    """Points of one colour: `y` over `x`, with the ends of their intervals where there are any.

    >>> Series("ours", ["4x4", "8x8"], [0.5, 0.6], low=[0.25, None], high=[0.75, None]).reach()
    ([0.25, 0.0], [0.25, 0.0])
    """

    label: str
    x: Sequence[Any]
    """Numbers, or words that stand side by side."""
    y: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    published: bool = False
    """Points of a paper: hollow, in ink, and not joined."""

    def reach(self) -> tuple[list[float], list[float]] | None:
        """How far the intervals reach below and above the points; None without any."""
        if not self.low and not self.high:
            return None
        return _reach(self.y, self.low, -1), _reach(self.y, self.high, 1)


def _reach(values: Sequence[float | None], ends: Sequence[float | None], sign: int) -> list[float]:
    pairs = zip(values, ends or [None] * len(values), strict=True)
    return [0.0 if end is None or value is None else max(0.0, sign * (end - value)) for value, end in pairs]


@dataclass(frozen=True)
class Scales:
    """Labels and scales of a drawing."""

    x: str = ""
    y: str = ""
    title: str = ""
    log_x: bool = False
    log_y: bool = False
    share: bool = False
    """Whether y is a share of points from 0 to 1, shown in per cent with a line at one half."""
    y_range: tuple[float, float] | None = None

    def apply(self, axes: Any) -> None:
        """Sets labels and scales."""
        axes.set(xlabel=self.x, ylabel=self.y, title=self.title)
        if self.share:
            from matplotlib.ticker import PercentFormatter

            axes.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
            axes.axhline(0.5, color=INK, linewidth=0.8, linestyle=":")
            axes.set_ylim(-0.03, 1.03)
        if self.log_x:
            axes.set_xscale("log")
            _plain_numbers(axes.xaxis)
        if self.log_y:
            axes.set_yscale("log")
            _plain_numbers(axes.yaxis)
        if self.y_range is not None:
            axes.set_ylim(*self.y_range)


_FEW_POWERS = 30
"""So many times the least number is too little for an axis with powers of ten alone."""


def _plain_numbers(axis: Any) -> None:
    """1,000 and not 10³, and nothing between the powers of ten unless there are too few of them."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    least, most = axis.get_view_interval()
    if most < _FEW_POWERS * least:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())


PLAIN = Scales()


def points_with_intervals(series: Sequence[Series], scales: Scales = PLAIN, joined: bool = False) -> Drawing:
    """Points with the bars of their intervals; published ones are hollow, and series stand side by side.

    `joined` draws lines between the points of each series that is not published.
    """

    def draw_points(axes: Any) -> None:
        scales.apply(axes)
        places = _places(series)
        for number, one in enumerate(series):
            shift = 0.0 if joined else _POINTS_APART * (number - (len(series) - 1) / 2)
            _plot(axes, one, number, one.x if places is None else [places[x] for x in one.x], joined, shift)
        if places is not None:
            axes.set_xticks(list(places.values()), list(places))
            axes.set_xlim(-0.5, len(places) - 0.5)
            axes.grid(visible=False, axis="x")
            _keep_labels_apart(axes, places)
        elif not scales.log_x and all(isinstance(x, int) for one in series for x in one.x):
            axes.xaxis.get_major_locator().set_params(integer=True)
        if len(series) > 1:
            _legend(axes, len(series))

    return draw_points


def lines(series: Sequence[Series], scales: Scales = PLAIN) -> Drawing:
    """Lines through points with intervals: a measure over a setting such as the board size."""
    return points_with_intervals(series, scales, joined=True)


def _plot(axes: Any, series: Series, number: int, x: Sequence[float], joined: bool, shift: float) -> None:
    from matplotlib.transforms import offset_copy

    colour = INK if series.published else PALETTE[number % len(PALETTE)]
    drawn = axes.errorbar(
        x,
        [float("nan") if y is None else y for y in series.y],
        yerr=series.reach(),
        label=series.label,
        color=colour,
        marker="o" if series.published else MARKERS[number % len(MARKERS)],
        markerfacecolor="none" if series.published else colour,
        linestyle=LINES[number % len(LINES)] if joined and not series.published else "none",
        elinewidth=1.2,
    )
    if shift:
        for artist in drawn.get_children():  # afterwards, so that the scales follow the data and not the shift
            artist.set_transform(offset_copy(axes.transData, axes.figure, x=shift, units="points"))


def _places(series: Sequence[Series]) -> dict[Any, int] | None:
    """Where the words of x stand; None when all of x are numbers."""
    values = [x for one in series for x in one.x]
    if all(isinstance(x, int | float) for x in values):
        return None
    return {word: place for place, word in enumerate(dict.fromkeys(values))}


def _keep_labels_apart(axes: Any, words: Iterable[Any]) -> None:
    if sum(len(str(word)) + 2 for word in words) > 60:
        for label in axes.get_xticklabels():
            label.set(rotation=25, ha="right", rotation_mode="anchor")


def _legend(axes: Any, entries: int) -> None:
    """Above the drawing, where no point can be hidden by it."""
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=min(entries, 3), borderaxespad=0.2)
    if axes.get_title():
        axes.set_title(axes.get_title(), pad=8 + 18 * -(-entries // 3))  # above the legend, one line of it for three


@dataclass(frozen=True)
class Bar:
    """A named number with the ends of its interval; a number that is only a bound has one open end."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    bounded: bool = False
    note: str = ""


def ranking(bars: Sequence[Bar], x: str = "", title: str = "") -> Drawing:
    """Names down the side and a point with its interval for each, the first on top; bounds are arrows."""

    def draw_ranking(axes: Any) -> None:
        axes.set(xlabel=x, title=title)
        for place, bar in enumerate(bars):
            colour = PALETTE[0]
            if bar.bounded:
                _draw_bound(axes, bar, place)
                continue
            reach = [[r] for r in (*_reach([bar.value], [bar.low], -1), *_reach([bar.value], [bar.high], 1))]
            axes.errorbar([bar.value], [place], xerr=reach, marker="o", color=colour, elinewidth=1.6)
        axes.set_yticks(range(len(bars)), [bar.label for bar in bars])
        axes.set_ylim(max(len(bars), 1) - 0.5, -0.5)
        axes.margins(x=0.08)

    return draw_ranking


def _draw_bound(axes: Any, bar: Bar, place: int) -> None:
    """A stop at the bound and an arrow into the open; where both ends are open, words."""
    end = bar.high if bar.low is None else bar.low
    if end is None:
        across = axes.get_yaxis_transform()
        axes.text(0.5, place, "unknown", transform=across, ha="center", va="center", color=PALETTE[1])
        return
    away = -_ARROW if bar.low is None else _ARROW
    axes.plot([end], [place], marker="|", color=PALETTE[1], markersize=11, markeredgewidth=1.8)
    arrow = {"arrowstyle": "<|-", "color": PALETTE[1], "linewidth": 1.6, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (end, place), (away, 0), textcoords="offset points", arrowprops=arrow)


def histogram(counts: Mapping[int, int], x: str = "", title: str = "", width: int = 4) -> Drawing:
    """How often each whole number came, in bars of `width`, those below, at and above zero told apart.

    A bar never holds zero together with other numbers, so that draws are seen.
    """

    def draw_histogram(axes: Any) -> None:
        axes.set(xlabel=x, ylabel="games", title=title)
        heights: dict[int, int] = {}
        for number, games in counts.items():
            step = 0 if number == 0 else (abs(number) - 1) // width + 1
            heights[step if number > 0 else -step] = heights.get(step if number > 0 else -step, 0) + games
        for sign, colour, hatch, label in ((-1, 1, "///", "below zero"), (0, 7, "", "zero"), (1, 0, "", "above zero")):
            steps = [step for step in heights if (step > 0) - (step < 0) == sign]
            middles = [sign * ((abs(step) - 1) * width + (width + 1) / 2) if step else 0 for step in steps]
            wide = width if sign else 1
            axes.bar(
                middles,
                [heights[step] for step in steps],
                width=wide,
                color=PALETTE[colour],
                edgecolor=PAPER,
                hatch=hatch,
                label=label,
            )
        axes.axvline(0, color=INK, linewidth=0.8)
        axes.grid(visible=False, axis="x")

    return draw_histogram


def pie(parts: Mapping[str, float], title: str = "") -> Drawing:
    """Shares of a whole, each with its name and its per cent; parts of nothing are left out."""

    def draw_pie(axes: Any) -> None:
        axes.set_title(title)
        shown = {name: value for name, value in parts.items() if value > 0}
        whole = sum(shown.values())
        axes.pie(
            list(shown.values()),
            labels=[f"{name}\n{100 * value / whole:.1f} %" for name, value in shown.items()],
            colors=PALETTE,
            startangle=90,
            counterclock=False,
            wedgeprops={"edgecolor": PAPER, "linewidth": 1.5},
        )

    return draw_pie
