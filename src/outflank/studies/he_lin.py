"""He & Lin, "Applying and Comparing UCT and Minimax with Alpha-Beta Pruning on Game Reversi".

Their seconds are playouts here (`he_lin_rate.py`); `he-lin-seconds` uses real seconds instead.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from outflank.arena.statistics.comparisons import Contrast
from outflank.arena.statistics.measured import Measured, gain, mean, share
from outflank.board import Color
from outflank.report.document import Drawing, Figure
from outflank.report.figures import Scales
from outflank.studies.he_lin_rate import (
    ALONE,
    CURVE,
    PLAYOUTS_PER_SECOND,
    calibration_figure,
    fitted_rate,
    playouts_in,
    printed_numbers,
    rate_table,
    theirs_in,
)
from outflank.studies.results import Played, Results
from outflank.studies.study import (
    Claim,
    Pairing,
    PaperTable,
    Reading,
    Study,
    Swap,
    read_errata,
    read_text_numbers,
)
from outflank.studies.words import beside

_TREE_SECONDS = 22e-6
"""What a playout a move costs in a game here."""
RATES = (25, 50, 100, 270)
"""Other playouts a second that are tried."""
AGAINST = (2, 4, 6, 8)
DEPTHS = (3, 4, 5, 6)
EVALUATIONS = ("simple", "complex")
_DEPTH = re.compile(r"minimax\(depth=\d+")
_SPEED = (
    "their seconds are playouts here, by a rate that Table I chose; Table I goes as well with half that rate, which "
    "explains Table III far better (tested under Readings)"
)


Seen = Callable[[Sequence[Played]], Sequence[tuple[bool, int]]]
"""Games as (won, discs at the end) of the first agent, by a reading of what was counted."""


def _whole(games: Sequence[Played]) -> list[tuple[bool, int]]:
    return [(game.won, game.own) for game in games]


def _moving(color: Color, games: Sequence[Played]) -> list[tuple[bool, int]]:
    """Only the games in which the first agent has this colour."""
    return _whole([game for game in games if game.color is color])


def _until_a_pass(games: Sequence[Played]) -> list[tuple[bool, int]]:
    """As if a game ended where a side cannot move."""
    ends = [(game.first_pass.discs(game.color), game.first_pass.discs(game.color.other)) for game in games]
    return [(own > opposing, own) for own, opposing in ends]


def _measure(results: Results, row: str, column: str, seen: Seen = _whole) -> Measured | None:
    games = seen(results[row])
    return share([won for won, _ in games]) if column == "win rate" else mean([discs for _, discs in games])


def _test_seconds(results: Results, row: str, column: str) -> Measured | None:  # noqa: ARG001
    games = results[row.removesuffix(" against random")]
    return mean([50 * sum(effort.seconds for effort in game.efforts) for game in games], "speed")


def _wins(results: Results, row: str) -> Measured | None:
    return _measure(results, row, "win rate")


# -------------------------------------------------------------------------------------------------------------- claims


def _rising(rows: Sequence[str]) -> Callable[[Results], list[Contrast]]:
    """The last is above the first, and no step falls by ten points."""

    def contrasts(results: Results) -> list[Contrast]:
        rates = {row: _wins(results, row) for row in rows}
        whole = Contrast(f"wins, {rows[-1]} over {rows[0]}", rates[rows[-1]], rates[rows[0]])
        steps = [
            Contrast(f"wins, {later} after {earlier}", rates[later], rates[earlier], "not below", 0.1)
            for earlier, later in pairwise(rows)
        ]
        return [whole, *steps]

    return contrasts


def _gain(results: Results, first: str, last: str) -> Measured | None:
    return gain(_wins(results, last), _wins(results, first))


def _early_gain(results: Results) -> list[Contrast]:
    early, late = ("UCT 0.01 s", "UCT 0.05 s"), ("UCT 0.5 s", "UCT 2 s")
    name = "gain of wins from 0.01 to 0.05 s over that from 0.5 to 2 s"
    return [Contrast(name, _gain(results, *early), _gain(results, *late))]


def _second_ply(results: Results) -> list[Contrast]:
    return [
        Contrast(
            f"{evaluation}, gain from depth 1 to 2 over that from {depth} to {depth + 1}",
            _gain(results, f"{evaluation} 1", f"{evaluation} 2"),
            _gain(results, f"{evaluation} {depth}", f"{evaluation} {depth + 1}"),
        )
        for evaluation in EVALUATIONS
        for depth in range(2, 6)
    ]


def _uct_ahead(evaluation: str, depths: Sequence[int], ahead: bool) -> Callable[[Results], list[Contrast]]:
    """Whether tree search wins more (or fewer) than half of the games, at every setting."""

    def contrasts(results: Results) -> list[Contrast]:
        rows = [f"UCT {seconds} s, {evaluation} {depth}" for seconds in AGAINST for depth in depths]
        if ahead:
            return [Contrast(f"wins, {row}", _wins(results, row), 0.5) for row in rows]
        return [Contrast(f"half over the wins, {row}", 0.5, _wins(results, row)) for row in rows]

    return contrasts


# ------------------------------------------------------------------------------------------------------- wrong agents


def _random_for_minimax(pairing: Pairing) -> Pairing:
    if pairing.b.startswith("he-lin-minimax"):
        return replace(pairing, b="random", large=100)
    return replace(pairing, a="random", large=100) if pairing.a.startswith("he-lin-minimax") else pairing


def _random_for_tree_search(pairing: Pairing) -> Pairing:
    alone = pairing.a.startswith("he-lin-uct") and pairing.b == "random"
    return replace(pairing, a="random", large=100) if alone else pairing


def _simple_for_complex(pairing: Pairing) -> Pairing:
    return replace(pairing, a=pairing.a.replace("complex", "simple"), b=pairing.b.replace("complex", "simple"))


def _depth_three(pairing: Pairing) -> Pairing:
    a, b = (_DEPTH.sub("minimax(depth=3", text) for text in (pairing.a, pairing.b))
    return replace(pairing, a=a, b=b)


# ------------------------------------------------------------------------------------------------------------ pictures


def _figures(results: Results) -> Sequence[Figure]:
    alone = [f"UCT {seconds:g} s" for seconds in ALONE]
    times = [f"{seconds:g}" for seconds in ALONE]
    found = [calibration_figure(results)] if fitted_rate(results) else []
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
        theirs = [theirs_in(table, column)[row].value for row in rows]
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


# --------------------------------------------------------------------------------------------------------- the study


def study() -> Study:
    """With seconds turned into playouts."""
    return _study("he-lin", lambda seconds: f"he-lin-uct(playouts={playouts_in(seconds)})", True)


def _counting(seen: Seen) -> Study:
    """The study under another reading of what was counted, of the same games."""
    one = study()
    tables = [
        table if table.table == "Text" else replace(table, measure=partial(_measure, seen=seen))
        for table in one.paper_tables
    ]
    return replace(one, paper_tables=tuple(tables), swaps=(), readings=())


def _at_rate(rate: int) -> Study:
    """The study with another number of playouts for a second of the paper."""
    one = _study("he-lin", lambda seconds: f"he-lin-uct(playouts={max(1, round(rate * seconds))})", True)
    pairings = [
        replace(pairing, quick=2, large=pairing.games, seconds=pairing.seconds * rate / PLAYOUTS_PER_SECOND)
        for pairing in one.pairings
        if pairing.name.startswith("UCT")
    ]
    return replace(one, pairings=tuple(pairings), swaps=(), readings=())


def study_in_seconds() -> Study:
    """With real seconds on this machine, which is thousands of times faster than the paper's."""
    return _study("he-lin-seconds", lambda seconds: f"he-lin-uct(seconds={seconds:g})", False)


def _study(name: str, uct: Callable[[float], str], calibrated: bool) -> Study:
    games = {
        row: cell.games or 50 for table in ("Table I", "Table II") for row, cell in theirs_in(table, "win rate").items()
    }
    alone = [(f"UCT {seconds:g} s", uct(seconds)) for seconds in ALONE]
    minimax = {
        f"{evaluation} {depth}": f"he-lin-minimax(depth={depth}, eval={evaluation})"
        for evaluation in EVALUATIONS
        for depth in range(1, 7)
    }
    cost = {f"UCT {seconds:g} s": _TREE_SECONDS * playouts_in(seconds) for seconds in ALONE} if calibrated else {}
    pairings = [
        Pairing(row, text, "random", games[row], quick=20, seconds=0.005 + cost.get(row, 0.01))
        for row, text in (*alone, *minimax.items())
    ]
    for seconds in AGAINST:
        for evaluation in EVALUATIONS:
            for depth in DEPTHS:
                row = f"UCT {seconds} s, {evaluation} {depth}"
                dear = 0.01 + cost.get(f"UCT {seconds} s", 30.0 * seconds)
                text = minimax[f"{evaluation} {depth}"]
                pairings.append(Pairing(row, uct(seconds), text, games=26, quick=8, seconds=dear))
    if calibrated:
        for playouts in CURVE:
            text = f"he-lin-uct(playouts={playouts})"
            dear = 0.005 + _TREE_SECONDS * playouts
            pairings.append(Pairing(f"curve, {playouts} playouts", text, "random", 200, quick=40, seconds=dear))
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
        printed=printed_numbers(),
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
            Claim(
                "That 2 s beat complex minimax at depth 3 more often than 4 s did is chance",
                "355",
                lambda results: [
                    Contrast(
                        "wins against complex 3, 4 s after 2 s",
                        _wins(results, "UCT 4 s, complex 3"),
                        _wins(results, "UCT 2 s, complex 3"),
                        "not below",
                        0.1,
                    )
                ],
            ),
            Claim("Complex minimax beats tree search from depth 4 on", "351", _uct_ahead("complex", (4, 5, 6), False)),
        ),
        swaps=(
            Swap("random for tree search", ("Table I",), _random_for_tree_search),
            Swap("random for minimax", ("Table II", "Table III"), _random_for_minimax),
            Swap("simple for complex", ("Table II", "Table III"), _simple_for_complex),
            Swap("depth 3 for every depth", ("Table II", "Table III"), _depth_three),
        ),
        readings=(
            Reading(
                "How many playouts did their machine do in a second?",
                str(PLAYOUTS_PER_SECOND),
                "chose the rate of playouts",
                {str(rate): partial(_at_rate, rate) for rate in RATES},
            ),
            Reading(
                "Who moves first?",
                "both equally often",
                "",
                {
                    "tree search or minimax": partial(_counting, partial(_moving, Color.BLACK)),
                    "the other": partial(_counting, partial(_moving, Color.WHITE)),
                },
            ),
            Reading(
                "When does a game end?",
                "when neither side can move",
                "",
                {"when a side cannot move": partial(_counting, _until_a_pass)},
            ),
        )
        if calibrated
        else (),
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
        errata=read_errata("he-lin"),
        text_numbers=read_text_numbers("he-lin"),
        figures=_figures,
        tables=rate_table,
    )
