"""Numbers of a study as text, and as the points of a figure."""

from collections.abc import Sequence

from outflank.arena.statistics.comparisons import Contrast, answer
from outflank.arena.statistics.measured import Measured
from outflank.report.document import Drawing
from outflank.report.figures import Scales, Series, points_with_intervals

_MANY = 8


def shown(measured: Measured | None) -> str:
    """A value alone: shares in per cent, times with a unit that suits them.

    >>> shown(Measured("share", 0.25, 12)), shown(Measured("mean", 1234.5, 6)), shown(None)
    ('25 %', '1,234', '–')
    """
    if measured is None:
        return "–"
    return _number(measured.value, measured.kind)


def evidence(measured: Measured | None) -> str:
    """A value with its interval and its games.

    >>> evidence(Measured("share", 0.25, 12))
    '25 % [5, 57] of 12 games'
    """
    if measured is None:
        return "nothing yet"
    return f"{with_interval(measured)} of {measured.games:,} games"


def with_interval(measured: Measured) -> str:
    """A value with its interval.

    >>> with_interval(Measured("mean", 12.34, 6, 0.8))
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


def band(low: float, high: float, unit: str) -> str:
    """The results that would have been accepted; nothing that is measured is below 0.

    >>> band(0.15, 0.85, "share"), band(280.2, 331.7, "nodes per move")
    ('15 to 85 %', '280 to 332')
    """
    return f"{number(max(low, 0.0), unit).removesuffix(' %')} to {number(high, unit)}"


_SIGNS = {"above": ">", "not below": "≥", "equal": "≈"}


def evidence_of(contrasts: Sequence[Contrast]) -> str:
    """Inequalities with their numbers; of many only how many are shown, and which are not.

    >>> evidence_of([Contrast("wins", Measured("share", 0.25, 12), 0.5)])
    'wins: 25 % [5, 57] > 50 %, 12 games'
    """
    if len(contrasts) <= _MANY:
        return "; ".join(map(_told, contrasts))
    answers = [(answer(one, len(contrasts)), one) for one in contrasts]
    told = [f"{sum(found is True for found, _ in answers)} of {len(contrasts)} are shown"]
    for found, words in ((False, "not so"), (None, "open")):
        these = [_told(one) for said, one in answers if said is found]
        told += [f"{words}: {'; '.join(these)}"] if these else []
    return "; ".join(told)


def _told(contrast: Contrast) -> str:
    sides = (contrast.first, contrast.second)
    measured = [side for side in sides if isinstance(side, Measured)]
    games, kinds = sum(side.games for side in measured), {side.kind for side in measured}
    first, second = (_side(side, "share" in kinds) for side in sides)
    unit = "samples" if "speed" in kinds else "games"
    return f"{contrast.name}: {first} {_SIGNS[contrast.relation]} {second}, {games:,} {unit}"


def _side(value: Measured | float | None, share: bool) -> str:
    if isinstance(value, Measured):
        return f"{100 * value.value:+.0f} points" if value.kind == "gain" else with_interval(value)
    return "nothing yet" if value is None else f"{100 * value:.0f} %" if share else f"{value:g}"


def _number(value: float, kind: str) -> str:
    if kind in ("share", "gain"):
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
