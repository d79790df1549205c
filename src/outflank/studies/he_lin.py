"""He & Lin, "Applying and Comparing UCT and Minimax with Alpha-Beta Pruning on Game Reversi".

Their tree search thinks for seconds of a laptop of 2017. One constant turns those into playouts: 200 a second, the
value at which our curve of wins over playouts best explains their Table I (the fit is shown in the report, from the
games of the pairings called `curve`). With it every result depends on seeds alone. `he-lin-seconds` uses real
seconds instead.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise

from scipy.stats import binom

from outflank.report.document import Drawing, Figure, Table
from outflank.report.figures import Scales, Series, points_with_intervals
from outflank.studies.measure import Measured, above, beyond, every, mean, share
from outflank.studies.results import Results
from outflank.studies.study import Claim, Finding, Pairing, PaperTable, Printed, Study, read_printed
from outflank.studies.words import beside, points, shown

PLAYOUTS_PER_SECOND = 200
ALONE = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2, 4, 6, 8)
AGAINST = (2, 4, 6, 8)
DEPTHS = (3, 4, 5, 6)
EVALUATIONS = ("simple", "complex")
CURVE = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
_RATES = [round(20 * 1.05**step, 1) for step in range(90)]
_SPEED = "B: their seconds are playouts here; one constant cannot fit a machine whose load changed"


@cache
def _printed() -> tuple[Printed, ...]:
    return read_printed("he_lin.csv")


def _theirs(table: str, column: str) -> dict[str, Printed]:
    return {cell.row: cell for cell in _printed() if cell.table == table and cell.column == column}


def playouts_in(seconds: float) -> int:
    """Playouts of the paper's machine in so many seconds, at least one.

    >>> playouts_in(0.001), playouts_in(8)
    (1, 1600)
    """
    return max(1, round(PLAYOUTS_PER_SECOND * seconds))


def _measure(results: Results, row: str, column: str) -> Measured | None:
    games = results[row]
    return share([game.won for game in games]) if column == "win rate" else mean([game.own for game in games])


def _test_seconds(results: Results, row: str, column: str) -> Measured | None:  # noqa: ARG001
    games = results[row.removesuffix(" against random")]
    return mean([50 * sum(effort.seconds for effort in game.efforts) for game in games], "speed")


def _wins(results: Results, row: str) -> Measured | None:
    return _measure(results, row, "win rate")


# ------------------------------------------------------------------------------------------------- playouts per second


def _curve(results: Results) -> list[tuple[int, Measured]]:
    found = [(playouts, _wins(results, f"curve, {playouts} playouts")) for playouts in CURVE]
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
        cell = _theirs("Table I", "win rate")[f"UCT {seconds:g} s"]
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


# -------------------------------------------------------------------------------------------------------------- claims


def _rising(rows: Sequence[str]) -> Callable[[Results], Finding]:
    """No step falls, and the last is above the first."""

    def test(results: Results) -> Finding:
        rates = [_wins(results, row) for row in rows]
        falls = any(above(earlier, later) for earlier, later in pairwise(rates))
        holds = False if falls else above(rates[-1], rates[0])
        return Finding(holds, "wins: " + ", ".join(shown(rate) for rate in rates))

    return test


def _gain(results: Results, first: str, last: str) -> tuple[float, float] | None:
    """A difference of two shares and its standard error."""
    rates = [_wins(results, row) for row in (first, last)]
    if rates[0] is None or rates[1] is None:
        return None
    error = math.sqrt(sum(rate.value * (1 - rate.value) / rate.games + 0.25 / rate.games**2 for rate in rates if rate))
    return rates[1].value - rates[0].value, error


def _larger_gain(results: Results, large: tuple[str, str], small: tuple[str, str]) -> bool | None:
    gains = _gain(results, *large), _gain(results, *small)
    if gains[0] is None or gains[1] is None:
        return None
    difference, error = gains[0][0] - gains[1][0], math.hypot(gains[0][1], gains[1][1])
    return None if abs(difference) < 1.96 * error else difference > 0


def _early_gain(results: Results) -> Finding:
    early, late = ("UCT 0.01 s", "UCT 0.05 s"), ("UCT 0.5 s", "UCT 2 s")
    words = [" to ".join(f"{shown(_wins(results, row))} ({row})" for row in steps) for steps in (early, late)]
    return Finding(_larger_gain(results, early, late), "; ".join(words))


def _second_ply(results: Results) -> Finding:
    answers = []
    for evaluation in EVALUATIONS:
        steps = [(f"{evaluation} {depth}", f"{evaluation} {depth + 1}") for depth in range(1, 6)]
        answers += [_larger_gain(results, steps[0], step) for step in steps[1:]]
    words = [f"{row} {shown(_wins(results, row))}" for row in ("simple 1", "simple 2", "complex 1", "complex 2")]
    return Finding(every(answers), ", ".join(words))


def _table_three(evaluation: str, depths: Sequence[int]) -> list[str]:
    return [f"UCT {seconds} s, {evaluation} {depth}" for seconds in AGAINST for depth in depths]


def _uct_ahead(evaluation: str, depths: Sequence[int], ahead: bool) -> Callable[[Results], Finding]:
    """Whether tree search wins more (or fewer) than half of the games at every setting, as a group and singly."""

    def test(results: Results) -> Finding:
        rows = _table_three(evaluation, depths)
        rates = {row: _wins(results, row) for row in rows}
        against = [row for row, rate in rates.items() if beyond(rate, 0.5) is (not ahead)]
        together = share([game.won for game in results.of(rows)])
        answer = beyond(together, 0.5)
        holds = None if answer is None else answer is ahead and not against
        words = f"tree search wins {shown(together)} of all these games"
        return Finding(
            holds, words + (f"; the other way: {', '.join(against)}" if against else ", no setting the other way")
        )

    return test


# ------------------------------------------------------------------------------------------------------------ pictures


def _figures(results: Results) -> Sequence[Figure]:
    alone = [f"UCT {seconds:g} s" for seconds in ALONE]
    times = [f"{seconds:g}" for seconds in ALONE]
    found = [_calibration_figure(results)] if fitted_rate(results) else []
    found.append(
        _pair(
            "5-6", "Tree search against random, Figs. 5 and 6", results, "Table I", alone, times, "seconds of the paper"
        )
    )
    for numbers, evaluation in (("7-8", "simple"), ("9-10", "complex")):
        rows = [f"{evaluation} {depth}" for depth in range(1, 7)]
        caption = f"Minimax with the {evaluation} evaluation against random, Figs. {numbers.replace('-', ' and ')}"
        found.append(_pair(numbers, caption, results, "Table II", rows, [row.split()[1] for row in rows], "depth"))
    for number, seconds in zip((11, 13, 15, 17), AGAINST, strict=True):
        found.append(_against_figure(number, seconds, results))
    return found


def _pair(
    numbers: str, caption: str, results: Results, table: str, rows: Sequence[str], x: Sequence[str], label: str
) -> Figure:
    """Win rate and discs side by side."""
    return Figure(f"he-lin-{numbers}", caption, _panels(results, table, rows, x, label, ""), size=(9.6, 3.6))


def _panels(
    results: Results, table: str, rows: Sequence[str], x: Sequence[str], label: str, title: str
) -> list[Drawing]:
    panels = []
    for column, y in (("win rate", "games won"), ("discs", "discs at the end")):
        ours = [_measure(results, row, column) for row in rows]
        theirs = [_theirs(table, column)[row].value for row in rows]
        scales = Scales(x=label, y=y, title=title, share=column == "win rate")
        panels.append(beside(x, ours, theirs, scales))
    return panels


def _against_figure(number: int, seconds: int, results: Results) -> Figure:
    panels = []
    for evaluation in EVALUATIONS:
        rows = [f"UCT {seconds} s, {evaluation} {depth}" for depth in DEPTHS]
        panels += _panels(
            results, "Table III", rows, [str(depth) for depth in DEPTHS], "depth", f"against {evaluation}"
        )
    caption = f"Tree search with {seconds} s of the paper against minimax, Figs. {number} and {number + 1}"
    return Figure(f"he-lin-{number}-{number + 1}", caption, [panels[0], panels[2], panels[1], panels[3]], size=(10, 6))


def _calibration_figure(results: Results) -> Figure:
    curve = _curve(results)
    ours = points("our curve", [playouts for playouts, _ in curve], [wins for _, wins in curve])
    cells = _theirs("Table I", "win rate")
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


def _tables(results: Results) -> Sequence[Table]:
    found = fitted_rate(results)
    if found is None:
        return ()
    best, low, high = found
    row = [f"{PLAYOUTS_PER_SECOND}", f"{best:.0f}", f"{low:.0f} to {high:.0f}"]
    caption = "Playouts per second of the paper's machine"
    return (Table(["used", "best fit of Table I", "95 % interval"], [row], caption),)


# --------------------------------------------------------------------------------------------------------- the study


def study() -> Study:
    """With seconds turned into playouts."""
    return _study("he-lin", lambda seconds: f"he-lin-uct(playouts={playouts_in(seconds)})", True)


def study_in_seconds() -> Study:
    """With real seconds on this machine, which is thousands of times faster than the paper's."""
    return _study("he-lin-seconds", lambda seconds: f"he-lin-uct(seconds={seconds:g})", False)


def _study(name: str, uct: Callable[[float], str], calibrated: bool) -> Study:
    games = {
        row: cell.games or 50 for table in ("Table I", "Table II") for row, cell in _theirs(table, "win rate").items()
    }
    alone = [(f"UCT {seconds:g} s", uct(seconds)) for seconds in ALONE]
    minimax = {
        f"{evaluation} {depth}": f"he-lin-minimax(depth={depth}, eval={evaluation})"
        for evaluation in EVALUATIONS
        for depth in range(1, 7)
    }
    pairings = [Pairing(row, text, "random", games[row], quick=20) for row, text in (*alone, *minimax.items())]
    for seconds in AGAINST:
        for evaluation in EVALUATIONS:
            for depth in DEPTHS:
                row = f"UCT {seconds} s, {evaluation} {depth}"
                pairings.append(Pairing(row, uct(seconds), minimax[f"{evaluation} {depth}"], games=26, quick=8))
    if calibrated:
        for playouts in CURVE:
            pairings.append(
                Pairing(f"curve, {playouts} playouts", f"he-lin-uct(playouts={playouts})", "random", 200, quick=40)
            )
    first = [f"UCT {seconds:g} s" for seconds in ALONE]
    return Study(
        name=name,
        title="UCT against minimax with two evaluations" + ("" if calibrated else ", in real seconds"),
        citation='Zhiyuan He, Zhengxian Lin: "Applying and Comparing UCT and Minimax with Alpha-Beta Pruning on Game '
        'Reversi", final project report, CS531, Oregon State University.',
        summary="Tree search with 0.001 to 8 seconds a move, and minimax to depth 1 to 6 counting discs or weighing "
        "corners and edges, play a random player and each other.",
        pairings=tuple(pairings),
        paper_tables=(
            PaperTable("Text", "Time for a test of 50 games", _test_seconds),
            PaperTable("Table I", "Tree search against random", _measure, _SPEED),
            PaperTable(
                "Table II",
                "Minimax against random",
                _measure,
                "The paper gives three rules for the end of a game and none for passes",
            ),
            PaperTable("Table III", "Tree search against minimax, values of tree search", _measure, _SPEED),
        ),
        printed=_printed(),
        claims=(
            Claim("Tree search grows stronger with time", "347", _rising(first)),
            Claim(
                "Simple minimax grows stronger with depth", "347", _rising([f"simple {depth}" for depth in range(1, 7)])
            ),
            Claim(
                "Complex minimax grows stronger with depth",
                "347",
                _rising([f"complex {depth}" for depth in range(1, 7)]),
            ),
            Claim("Tree search gains much at first and little later", "348", _early_gain),
            Claim("Minimax gains most from depth 1 to 2", "348", _second_ply),
            Claim("Tree search beats simple minimax at every setting", "351", _uct_ahead("simple", DEPTHS, True)),
            Claim("Tree search beats complex minimax at depth 3", "351", _uct_ahead("complex", (3,), True), _SPEED),
            Claim("Complex minimax beats tree search from depth 4 on", "351", _uct_ahead("complex", (4, 5, 6), False)),
        ),
        differences=(
            f"A second of the paper is {PLAYOUTS_PER_SECOND} playouts, fitted to Table I."
            if calibrated
            else "Real seconds: our tree search does thousands of playouts where theirs did one.",
            "Where the paper can be read in several ways: tree search grows a full tree, has the parent's visits in "
            "the logarithm, counts nothing for a draw and the searching agent's results at every node, and plays the "
            "move with the highest win rate.",
            "The game ends when neither side can move. Depth 1 is a random player, as their figures for it show.",
            "Who starts is not said: colours alternate. Table III has 26 games a cell; theirs fit 25 and 10.",
        ),
        figures=_figures,
        tables=_tables,
    )
