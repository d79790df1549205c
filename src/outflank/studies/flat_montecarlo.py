"""An unnamed author's "Reversi with Monte Carlo Tree Search": playouts without a tree, a one-ply formula, and both.

The table of square weights is not printed; the one used gives the printed 90 % against a random player in another
calibration. How the formula guides playouts is not said: if both sides followed it, every playout of a move would be
the same game, and that reading loses; here the searching side follows it and the other plays at random.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from statistics import quantiles

from outflank.arena.statistics.comparisons import Contrast, chance_of_samples
from outflank.arena.statistics.measured import Measured, mean, share
from outflank.board import Color
from outflank.report.document import Figure, Table, Value
from outflank.report.figures import histogram, pie
from outflank.studies.results import Played, Results
from outflank.studies.study import (
    Claim,
    Pairing,
    PaperTable,
    Printed,
    Study,
    Swap,
    TextNumber,
    read_errata,
    read_printed,
    read_rows,
    read_text_numbers,
)

_RANDOM = "heuristic against random"
_MAIN = "heuristic-mc against pure-mc"
_SWITCH = "switch at 10 empty squares against none"
_POINTS = {"wins": 1.0, "ties": 0.5, "losses": 0.0}
_PLAYOUTS = "Square weights and the use of the formula in playouts are not printed, and theirs ran on a clock"


@cache
def _printed() -> tuple[Printed, ...]:
    return read_printed("flat_montecarlo.csv")


def _ordered(games: Sequence[Played], row: str) -> list[Played]:
    """The games of a row: the first agent moves second, first, or either."""
    if row.startswith("heuristic moves"):
        wanted = Color.BLACK if "first" in row else Color.WHITE
        return [game for game in games if game.color is wanted]
    return list(games)


def _thousand(results: Results, row: str, column: str) -> Measured | None:
    return share([game.points == _POINTS[column] for game in _ordered(results[_RANDOM], row)])


def _sixty(results: Results, row: str, column: str) -> Measured | None:
    games = _ordered(results[_MAIN], row)
    if column == "wins of heuristic":
        return share([game.won for game in games])
    return mean([game.own if column == "discs of heuristic" else game.opposing for game in games])


def _text(results: Results, row: str, column: str) -> Measured | None:
    pairing = f"{row} against {column.removeprefix('wins against ')}"
    return share([game.won for game in results[pairing]])


def _better_playouts(results: Results) -> list[Contrast]:
    return [Contrast("wins of heuristic playouts", _sixty(results, "total", "wins of heuristic"), 0.5)]


def _no_order(results: Results) -> list[Contrast]:
    found = []
    for name, measure, column in (
        ("the formula against random", _thousand, "wins"),
        ("heuristic against random playouts", _sixty, "wins of heuristic"),
    ):
        first, second = (measure(results, f"heuristic moves {order}", column) for order in ("first", "second"))
        found.append(Contrast(f"wins when moving first or second, {name}", first, second, "equal", 0.1))
    return found


def _formula_beats_random(results: Results) -> list[Contrast]:
    """*Far*: three games of four."""
    return [Contrast("wins of the formula", _thousand(results, "total", "wins"), 0.75, effect=0.0)]


def _always_beats_random(results: Results) -> list[Contrast]:
    """*Always*: in more than 95 of 100 games, each."""
    return [
        Contrast(f"wins of {agent}", share([game.won for game in results[f"{agent} against random"]]), 0.95, effect=0.0)
        for agent in ("pure-mc", "heuristic-mc")
    ]


def _switch_helps(results: Results) -> list[Contrast]:
    """*Slightly*: two points of a hundred."""
    won = share([game.won for game in results[_SWITCH] if game.points != _POINTS["ties"]])
    return [Contrast("wins with the switch among games that somebody wins", won, 0.5, effect=0.02)]


def _without_formula(pairing: Pairing) -> Pairing:
    """Random moves in place of the formula, and random playouts in place of guided ones."""
    if pairing.name == _MAIN:
        return replace(pairing, a="pure-mc", games=40, large=40)
    if pairing.name == _SWITCH:
        return pairing
    return replace(pairing, a="random", games=100, quick=20, large=100)


def _pies(results: Results) -> Sequence[Figure]:
    found = []
    for name, pairing, table, caption in (
        ("thousand", _RANDOM, ("902", "15", "83"), "The formula against a random player"),
        ("sixty", _MAIN, ("50", "0", "10"), "Heuristic against random playouts"),
    ):
        games = results[pairing]
        if not games:
            continue
        ours = {label: float(sum(game.points == value for game in games)) for label, value in _POINTS.items()}
        theirs = {label: float(number) for label, number in zip(_POINTS, table, strict=True)}
        panels = [pie(_present(theirs), "paper"), pie(_present(ours), f"ours, {len(games):,} games")]
        found.append(
            Figure(f"flat-montecarlo-{name}", f"{caption} (pie chart of the paper, redrawn)", panels, size=(8, 3.6))
        )
    if results[_MAIN]:
        panels = [
            histogram(Counter(margins), "discs ahead", title, width=8)
            for title, margins in (("paper, 60 games", printed_margins()), ("ours", _margins(results)))
        ]
        caption = "Disc margins of heuristic over random playouts, game by game"
        found.append(Figure("flat-montecarlo-margins", caption, panels, size=(9.6, 3.6)))
    return found


@cache
def printed_margins() -> tuple[int, ...]:
    """Discs of heuristic playouts less those of random ones, in each of the paper's sixty games."""
    return tuple(int(row["heuristic"]) - int(row["pure"]) for row in read_rows("sixty_games.csv"))


def _sixty_games() -> Iterator[TextNumber]:
    """The list of sixty games as it is printed: number, discs of both, winner."""
    for row in read_rows("sixty_games.csv"):
        winner = "Heuristic" if int(row["heuristic"]) > int(row["pure"]) else "Pure"
        printed = f"{row['game']} {row['heuristic']} {row['pure']} {winner}"
        yield TextNumber(row["line"], printed, "compared", "60 games, and as a distribution of discs")


def _margins(results: Results) -> list[int]:
    return [game.own - game.opposing for game in results[_MAIN]]


def _distribution(results: Results) -> Sequence[Table]:
    """The list of sixty games as a distribution."""
    ours, theirs = _margins(results), printed_margins()
    if len(ours) < 2:
        return ()
    rows: list[list[Value]] = [
        [name, len(margins), *(f"{value:+.0f}" for value in (min(margins), *quantiles(margins), max(margins)))]
        for name, margins in (("paper", theirs), ("ours", ours))
    ]
    note = f"Samples as unlike as these come by chance in {100 * chance_of_samples(ours, theirs):.0f} % of cases."
    columns = ["", "games", "lowest", "first quarter", "median", "third quarter", "highest"]
    return (Table(columns, rows, "Disc margins of heuristic over random playouts (the list of 60 games)", note),)


def _present(parts: dict[str, float]) -> dict[str, float]:
    return {label: value for label, value in parts.items() if value}


def study() -> Study:
    """All three experiments."""
    return Study(
        name="flat-montecarlo",
        title="Flat Monte Carlo with a formula in its playouts",
        citation='"Reversi with Monte Carlo Tree Search", assignment report, no author named.',
        summary="A one-ply formula against a random player; 250 playouts for every move, random or by the formula, "
        "against each other and a random player.",
        pairings=(
            Pairing(_RANDOM, "heuristic", "random", 1000, quick=400, seconds=0.01),
            Pairing(_MAIN, "heuristic-mc", "pure-mc", 60, quick=16, seconds=0.32),
            Pairing("pure-mc against random", "pure-mc", "random", 24, quick=8, seconds=0.03),
            Pairing("heuristic-mc against random", "heuristic-mc", "random", 24, quick=4, seconds=0.23),
            Pairing(
                _SWITCH,
                "heuristic",
                "outflank.studies.players:Unswitched",
                400,
                openings="random(6)",
                quick=100,
                seconds=0.006,
                large=2000,
            ),
        ),
        paper_tables=(
            PaperTable(
                "1000 games", "The formula against a random player", _thousand, "The square weights are not printed"
            ),
            PaperTable("60 games", "Heuristic against random playouts", _sixty, _PLAYOUTS),
            PaperTable("Text", "Numbers in the text", _text, _PLAYOUTS),
        ),
        printed=_printed(),
        claims=(
            Claim("The formula is far better than random moves", "25", _formula_beats_random),
            Claim("Heuristic playouts are better than random ones", "48", _better_playouts),
            Claim("Who moves first makes no difference", "48", _no_order),
            Claim(
                "Turning most discs from 10 empty squares on helps slightly",
                "11",
                _switch_helps,
                "The square weights are not printed, and what it was tested against is not said",
            ),
            Claim("Both programs always beat a random player", "50", _always_beats_random),
        ),
        swaps=(Swap("random for the formula", ("1000 games", "60 games", "Text"), _without_formula),),
        differences=(
            "Square weights, which are not printed: 100/-20/10/5/-50/-2/-2/-1/-1/-1. In playouts the searching side "
            "follows the formula and the other moves at random. Always 250 playouts for each move, no clock.",
            "The switch at 10 empty squares is tried against the formula without it, from six random plies.",
            '"Dozens" of games against a random player are taken as 24.',
        ),
        errata=read_errata("flat-montecarlo"),
        text_numbers=(*read_text_numbers("flat-montecarlo"), *_sixty_games()),
        figures=_pies,
        tables=_distribution,
    )
