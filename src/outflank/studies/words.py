"""Numbers of a study as text, and as the points of a figure."""

from collections.abc import Sequence

from outflank.report.document import Drawing
from outflank.report.figures import Scales, Series, points_with_intervals
from outflank.studies.measure import Measured


def shown(measured: Measured | None) -> str:
    """A value alone: shares in per cent, times with a unit that suits them.

    >>> shown(Measured("share", 0.25, 0.1, 0.5, 12)), shown(Measured("mean", 1234.5, 1200, 1300, 6)), shown(None)
    ('25 %', '1,234', '–')
    """
    if measured is None:
        return "–"
    return _number(measured.value, measured.kind)


def evidence(measured: Measured | None) -> str:
    """A value with its interval and its games.

    >>> evidence(Measured("share", 0.25, 0.1, 0.5, 12))
    '25 % [10, 50] of 12 games'
    """
    if measured is None:
        return "nothing yet"
    return f"{with_interval(measured)} of {measured.games:,} games"


def with_interval(measured: Measured) -> str:
    """A value with its interval.

    >>> with_interval(Measured("mean", 12.34, 11.5, 13.25, 6))
    '12.3 [11.5, 13.2]'
    """
    low, high = (_number(end, measured.kind).removesuffix(" %") for end in (measured.low, measured.high))
    return f"{shown(measured)} [{low}, {high}]"


def number(value: float, unit: str) -> str:
    """A printed value in its unit.

    >>> number(0.4167, "share"), number(27625.41, "nodes per move")
    ('42 %', '27,625')
    """
    return _number(value, "share" if unit == "share" else "mean")


def _number(value: float, kind: str) -> str:
    if kind == "share":
        return f"{100 * value:.0f} %"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if 0 < abs(value) < 0.001:
        return f"{value:.6f}"
    return f"{value:.3g}"


def points(label: str, x: Sequence[str | float], measured: Sequence[Measured | None]) -> Series:
    """Measured numbers as a series of a figure."""
    return Series(
        label,
        list(x),
        [None if number is None else number.value for number in measured],
        [None if number is None else number.low for number in measured],
        [None if number is None else number.high for number in measured],
    )


def beside(
    x: Sequence[str | float], ours: Sequence[Measured | None], theirs: Sequence[float | None], scales: Scales
) -> Drawing:
    """A drawing of our numbers with intervals beside the printed ones."""
    return points_with_intervals([points("ours", x, ours), Series("paper", list(x), theirs, published=True)], scales)
