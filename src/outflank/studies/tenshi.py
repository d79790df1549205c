"""Tenshi, "Reversed Reversi": tree search with weighted playouts and an exact end game.

The weights of the squares, the time and the number of empty squares at which exact search takes over are not printed.
Ours are the table `shy` (corners seldom), found by a small search against uniform playouts, 1000 playouts a move, and
ten empty squares.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from outflank.arena.statistics.comparisons import Contrast
from outflank.arena.statistics.measured import Measured, mean, share
from outflank.board import Rules
from outflank.report.document import Figure, Table
from outflank.report.figures import Scales, points_with_intervals
from outflank.studies.growth import ARRAYS, GROWTH, PLAYOUTS, SIZES, by_round, exponents
from outflank.studies.results import Results
from outflank.studies.study import (
    Claim,
    Pairing,
    PaperTable,
    Printed,
    Reading,
    Study,
    Swap,
    Timing,
    read_errata,
    read_printed,
    read_text_numbers,
)
from outflank.studies.timing import EQUAL_PLAYOUTS
from outflank.studies.words import points, shown

_RULES = Rules(8, "reversed")
_WEIGHTED = "weighted against uniform"
_EXACT = "exact end game on against off"
_COMPILED = "compiled against plain"
BUDGETS = (100, 300, 1000, 3000)
_PLAIN_SHARE = 3.65
"""How many times slower plain code is at least, as the sister paper on the reversed game printed."""
_COMPILER = {
    "equal playouts, compiled": "outflank.studies.timing:compiled_decisions",
    "equal playouts, interpreted": "outflank.studies.timing:interpreted_decisions",
}
_CUBE = 3.0


@cache
def _printed() -> tuple[Printed, ...]:
    return read_printed("tenshi.csv")


def _wins(results: Results, pairing: str) -> Measured | None:
    return share([game.won for game in results[pairing]])


def _better(pairing: str, who: str, results: Results) -> list[Contrast]:
    return [Contrast(f"wins {who}", _wins(results, pairing), 0.5)]


def _compiled_wins(results: Results) -> list[Contrast]:
    """In the same time plain code has fewer playouts than those that it is given here."""
    compiled, plain = (results.timing(name) for name in _COMPILER)
    faster = mean([slow / fast for fast, slow in zip(compiled, plain, strict=True)], "speed")
    times = Contrast("times as fast as the interpreter at equal playouts", faster, _PLAIN_SHARE, effect=0.0)
    return [times, *_better(_COMPILED, f"with {_PLAIN_SHARE} times the playouts", results)]


def _cubic(results: Results) -> list[Contrast]:
    power = mean(exponents(results.timing(ARRAYS)), "speed")
    return [Contrast("power of the board's length by which the time grows", power, _CUBE, "equal", 0.1)]


def _costs(results: Results) -> Sequence[Table]:
    """What a move costs by board, and what compiling is worth."""
    rounds = {name: by_round(results.timing(name)) for name in GROWTH}
    if not all(rounds.values()):
        return ()
    means = {name: [mean(times) for times in zip(*found, strict=True)] for name, found in rounds.items()}
    rows = [[f"{size}x{size}", *(shown(means[name][place]) for name in GROWTH)] for place, size in enumerate(SIZES)]
    caption = "Microseconds a move by board, in the interpreter and compiled"
    note = "Up to 8x8 a board is one word, above four: within each the cost of a move hardly grows."
    return (Table(["board", *GROWTH], rows, caption, note, "tenshi growth"),)


def _uniform(pairing: Pairing) -> Pairing:
    return replace(pairing, a=pairing.b, games=60, quick=20, large=60) if pairing.name == _WEIGHTED else pairing


def _last_results() -> Study:
    """The study with trees that keep the last result of a node alone, as printed, in place of their sum."""
    one, player = study(), "outflank.studies.players:LastResult(playouts=300{})"
    pairing = next(each for each in one.pairings if each.name == _WEIGHTED)
    changed = replace(
        pairing, a=player.format(""), b=player.format(", playout=uniform"), games=40, quick=4, large=60, seconds=0.9
    )
    return replace(one, pairings=(changed,), swaps=(), readings=())


def _at(playouts: int) -> str:
    return _WEIGHTED if playouts == 1000 else f"{_WEIGHTED}, {playouts} playouts"


def _figures(results: Results) -> Sequence[Figure]:
    wins = [_wins(results, _at(playouts)) for playouts in BUDGETS]
    if not any(wins):
        return ()
    scales = Scales(x="playouts a move", y="weighted playouts win", share=True)
    drawing = points_with_intervals([points("ours", [f"{playouts:,}" for playouts in BUDGETS], wins)], scales)
    return (Figure("tenshi-budgets", "Weighted against uniform playouts by budget (the paper prints 74 %)", drawing),)


def study() -> Study:
    """Weights, exact end game, and what compiling is worth."""
    weighted = [
        Pairing(
            _at(playouts),
            f"tenshi(playouts={playouts})",
            f"tenshi(playouts={playouts}, weighted=no)",
            200 if playouts == 1000 else 50,
            _RULES,
            quick=60 if playouts == 1000 else 4,
            seconds=0.01 + 5e-5 * playouts,
        )
        for playouts in BUDGETS
    ]
    plain = round(1000 / _PLAIN_SHARE)
    return Study(
        name="tenshi",
        title="Weighted playouts in the reversed game",
        citation='Tenshi: "Reversed Reversi", course project report.',
        summary="Tree search whose playouts prefer some squares against the same with uniform playouts; the exact end "
        "game is switched off; compiling is timed, and played as a search with more playouts; what moves cost is "
        "measured on boards of all sizes.",
        pairings=(
            *weighted,
            Pairing(
                _EXACT,
                "tenshi(playouts=1000)",
                "tenshi(playouts=1000, endgame=0)",
                100,
                _RULES,
                quick=30,
                seconds=0.08,
                large=600,
            ),
            Pairing(
                _COMPILED, "tenshi(playouts=1000)", f"tenshi(playouts={plain})", 100, _RULES, quick=30, seconds=0.06
            ),
        ),
        paper_tables=(
            PaperTable(
                "Text",
                "Weighted against uniform playouts",
                lambda results, row, column: _wins(results, row),
                "The weights of the squares and the time limit are not printed",
            ),
        ),
        printed=_printed(),
        claims=(
            Claim(
                "Weighted playouts are better than uniform ones",
                "227",
                lambda results: _better(_WEIGHTED, "of weighted playouts", results),
                "The weights are not printed",
            ),
            Claim(
                "Exact search at the end wins games",
                "91",
                lambda results: _better(_EXACT, "with exact search", results),
                "Near the end 1000 playouts see most of the tree, so little is left to be won",
            ),
            Claim("Compiled code wins more", "229", _compiled_wins),
            Claim(
                "Listing the moves costs Θ(n³)",
                "197",
                _cubic,
                "n³ is a bound that is not reached: in a direction every disc lies in one run, and a run is walked "
                "from one empty square only, so that at most 16 n² squares are looked at",
            ),
        ),
        swaps=(Swap("uniform for weighted playouts", ("Text",), _uniform),),
        readings=(
            Reading(
                "What does a node of the tree keep of its results?",
                "their sum",
                "",
                {"the last one alone, as printed (300 playouts, a new tree every move)": _last_results},
            ),
        ),
        differences=(
            "Weights, time limit and the start of exact search are not printed: ours are the table `shy`, 1000 "
            "playouts a move and 10 empty squares. Results are summed; the tree is kept between moves.",
            f"What compiling is worth is measured by equal playouts with the compiler and without. In games plain code "
            f"is compiled code with {plain} playouts where the other has 1000, {_PLAIN_SHARE} times fewer, as Zean He "
            "printed for a search like this one: the interpreter would leave it fewer still.",
            "Moves are listed on a board of arrays, as the paper says it, to measure how their cost grows; games are "
            "played on words of 64 bits.",
        ),
        timings=(
            *(Timing(name, work, EQUAL_PLAYOUTS) for name, work in _COMPILER.items()),
            *(Timing(name, work, PLAYOUTS) for name, work in GROWTH.items()),
        ),
        errata=read_errata("tenshi"),
        text_numbers=read_text_numbers("tenshi"),
        figures=_figures,
        tables=_costs,
    )
