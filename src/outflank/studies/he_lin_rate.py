"""How many playouts He & Lin's machine did in a second: the rate at which our curve of wins explains their Table I.

Their tree search thinks for seconds of a laptop of 2017. One constant turns those into playouts: 200 a second, close to
the best fit to Table I, which the report shows from the games of the pairings called `curve`. With it every result
depends on seeds alone.
"""

import math
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from scipy.stats import binom

from outflank.arena.statistics.measured import Measured, share
from outflank.report.document import Figure, Table
from outflank.report.figures import Scales, Series, points_with_intervals
from outflank.studies.results import Results
from outflank.studies.study import Printed, read_printed
from outflank.studies.words import points

PLAYOUTS_PER_SECOND = 200
ALONE = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2, 4, 6, 8)
CURVE = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
_RATES = [round(20 * 1.05**step, 1) for step in range(90)]


@cache
def printed_numbers() -> tuple[Printed, ...]:
    """The numbers of their tables.

    >>> len(printed_numbers())
    111
    """
    return read_printed("he_lin.csv")


def theirs_in(table: str, column: str) -> dict[str, Printed]:
    """A column of a printed table, by row.

    >>> theirs_in("Table I", "win rate")["UCT 0.001 s"].value
    0.54
    """
    return {cell.row: cell for cell in printed_numbers() if cell.table == table and cell.column == column}


def playouts_in(seconds: float) -> int:
    """Playouts of the paper's machine in so many seconds, at least one.

    >>> playouts_in(0.001), playouts_in(8)
    (1, 1600)
    """
    return max(1, round(PLAYOUTS_PER_SECOND * seconds))


def _curve(results: Results) -> list[tuple[int, Measured]]:
    found = [(playouts, share([game.won for game in results[f"curve, {playouts} playouts"]])) for playouts in CURVE]
    return [(playouts, wins) for playouts, wins in found if wins is not None]


def likelihood(rate: float, curve: Sequence[tuple[int, float]]) -> float:
    """Logarithm of the probability of the wins of Table I at so many playouts a second.

    The curve of (playouts, share of wins) is joined by straight lines over the logarithm of playouts.

    >>> curve = [(1, 0.5), (512, 0.999)]
    >>> likelihood(200, curve) > likelihood(2, curve)
    True
    """
    total = 0.0
    for seconds in ALONE:
        cell = theirs_in("Table I", "win rate")[f"UCT {seconds:g} s"]
        assert cell.games is not None
        chance = _between(max(1.0, rate * seconds), curve)
        total += float(binom.logpmf(round(cell.value * cell.games), cell.games, chance))
    return total


def _between(playouts: float, curve: Sequence[tuple[int, float]]) -> float:
    for (left, low), (right, high) in pairwise(curve):
        if playouts <= right:
            along = math.log(playouts / left) / math.log(right / left)
            return low + along * (high - low)
    return curve[-1][1]


def _smooth(curve: Sequence[tuple[int, Measured]]) -> list[tuple[int, float]]:
    """Shares away from 0 and 1, where a likelihood would be nothing, and never falling."""
    best, found = 0.0, []
    for playouts, wins in curve:
        best = max(best, (wins.hits + 0.5) / (wins.games + 1))
        found.append((playouts, best))
    return found


def fitted_rate(results: Results) -> tuple[float, float, float] | None:
    """(best, lowest, highest) playouts a second that explain Table I; the ends lose 1.92 of log-likelihood (95 %)."""
    curve = _smooth(_curve(results))
    if len(curve) < len(CURVE):
        return None
    values = [(likelihood(rate, curve), rate) for rate in _RATES]
    best, rate = max(values)
    inside = [other for value, other in values if value > best - 1.92]
    return rate, min(inside), max(inside)


def calibration_figure(results: Results) -> Figure:
    """The curve of wins beside Table I, and how well every rate explains it."""
    curve = _curve(results)
    ours = points("our curve", [playouts for playouts, _ in curve], [wins for _, wins in curve])
    cells = theirs_in("Table I", "win rate")
    theirs = Series(
        f"Table I at {PLAYOUTS_PER_SECOND} playouts/s",
        [float(playouts_in(seconds)) for seconds in ALONE],
        [cells[f"UCT {seconds:g} s"].value for seconds in ALONE],
        published=True,
    )
    smooth = _smooth(curve)
    fit = Series("log-likelihood", _RATES, [likelihood(rate, smooth) for rate in _RATES])
    panels = [
        points_with_intervals([ours, theirs], Scales(x="playouts", y="wins against random", log_x=True, share=True)),
        points_with_intervals(
            [fit], Scales(x="playouts per second", y="log-likelihood of Table I", log_x=True), joined=True
        ),
    ]
    caption = "Calibration: wins against a random player over playouts, and how well each speed explains Table I"
    return Figure("he-lin-calibration", caption, panels, size=(9.6, 3.8))


def rate_table(results: Results) -> Sequence[Table]:
    """The rate in use beside the best fit and its interval."""
    found = fitted_rate(results)
    if found is None:
        return ()
    best, low, high = found
    row = [f"{PLAYOUTS_PER_SECOND}", f"{best:.0f}", f"{low:.0f} to {high:.0f}"]
    caption = "Playouts per second of the paper's machine"
    return (Table(["used", "best fit of Table I", "95 % interval"], [row], caption),)
