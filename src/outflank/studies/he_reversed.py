"""Zean He, "A Minimax-Based Reversed Othello Agent": five terms of evaluation in three phases, and UCT beside it.

No weight is printed. Ours were found by self-play (header of `evaluation.py`). Its ancestors have the final agent's
weights for the terms they know and nothing for the rest, so that what is compared are the terms themselves. The paper
played one game against each, always as black from the start; ours play many, from random openings with both colours.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial

from outflank.arena.statistics.comparisons import Contrast
from outflank.arena.statistics.measured import Measured, mean, share
from outflank.board import Rules
from outflank.report.document import Figure, Table
from outflank.report.figures import Scales, points_with_intervals
from outflank.studies.results import Played, Results
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
from outflank.studies.timing import NODES, ORDERING, ORDERS, SEARCHED, SIMULATING
from outflank.studies.words import evidence, points

ANCESTORS = {
    "position": ("mobility=0", "stability=0", "discs=0", "aggregation=0"),
    "position, mobility": ("stability=0", "discs=0", "aggregation=0"),
    "position, mobility, stability, parity": ("aggregation=0",),
}
UNTUNED = {
    "one phase": "position=2, mobility=28, discs=3, stability=47, aggregation=2",
    "equal weights": "position=1, mobility=1, discs=1, stability=1, aggregation=1",
}
"""The final agent with the mean of its weights in all phases, and with none but the signs."""
SIMULATIONS = (100, 425, 1551, 6000)
_RULES = Rules(8, "reversed")
_CORNERS = (0, 7, 56, 63)
_LIMIT = 5.0
"""Seconds of a move on their judge."""
_SLOWER = (1, 10, 30, 100, 300)


@cache
def _printed() -> tuple[Printed, ...]:
    return read_printed("he_reversed.csv")


def _simulations(results: Results, row: str, column: str = "") -> Measured | None:  # noqa: ARG001
    compiled, plain = results.timing("compiled simulations"), results.timing("plain simulations")
    if not compiled or not plain:
        return None
    if row == "compiled / plain":
        return mean([one / other for one, other in zip(compiled, plain, strict=True)], "speed")
    return mean(compiled if row == "compiled" else plain, "speed")


def _ordering(results: Results, row: str, column: str = "") -> Measured | None:  # noqa: ARG001
    over, _, under = row.partition(" / ")
    times = results.timing(f"order {over}")
    if not under:
        return mean(times, "speed")
    return mean([one / other for one, other in zip(times, results.timing(f"order {under}"), strict=True)])


def _ancestor(results: Results, row: str, column: str) -> Measured | None:
    games = results[f"final against {row}"]
    if column == "wins of final":
        return share([game.won for game in games])
    first = column.endswith("final")
    if column.startswith("discs turned"):
        return mean([game.turned(not first) for game in games])
    return mean([game.own if first else game.opposing for game in games])


# -------------------------------------------------------------------------------------------------------------- claims


def _more_terms(results: Results) -> list[Contrast]:
    return [Contrast(f"wins over {name}", _ancestor(results, name, "wins of final"), 0.5) for name in ANCESTORS]


def _tuned(name: str, results: Results) -> list[Contrast]:
    won = share([game.won for game in results[f"final against {name}"]])
    return [Contrast(f"wins over {name}", won, 0.5)]


def _winner_turns_more(results: Results) -> list[Contrast]:
    games = _against_ancestors(results)
    decided = [game for game in games if game.points != 0.5]
    more = share([(game.turned(False) > game.turned(True)) == game.won for game in decided])
    return [Contrast("games in which more discs of the winner were turned", more, 0.5)]


def _ordering_halves(results: Results) -> list[Contrast]:
    name = "a half over the run time with good squares first, of that in the order of the board"
    return [Contrast(name, 0.5, _ordering(results, "positional / none"), effect=0.0)]


def _order_of_orders(results: Results) -> list[Contrast]:
    good, none, bad = (_ordering(results, order) for order in ("positional", "none", "worst_first"))
    return [
        Contrast("ms, no order over good squares first", none, good),
        Contrast("ms, bad squares first over no order", bad, none),
    ]


def _compiling_helps(results: Results) -> list[Contrast]:
    """*Several times*: twice as many more."""
    compiled, plain = (_simulations(results, row) for row in ("compiled", "plain Python"))
    return [Contrast("simulations in 4.9 s, compiled over plain", compiled, plain, effect=2.0)]


def _seldom_in_corners(results: Results) -> list[Contrast]:
    """*Seldom*: fewer than one corner of four, in games against its ancestors."""
    games = _against_ancestors(results)
    taken = mean(
        [sum(move in _CORNERS for color, move in game.colored_moves() if color is game.color) for game in games]
    )
    return [Contrast("one corner a game over those that the final agent takes", 1.0, taken, effect=0.0)]


def _against_ancestors(results: Results) -> list[Played]:
    return results.of(f"final against {name}" for name in ANCESTORS)


def late_moves(results: Results, slower: float = 1.0) -> Measured | None:
    """Moves a game that take the final agent more than 5 s on a machine so many times slower than theirs.

    Its seconds come from its nodes, at the pace of Table 4: what a search takes there, over the nodes of one here.
    """
    games = _against_ancestors(results)
    nodes = dict(zip(ORDERS, results.timing("nodes with five terms"), strict=False))
    if "positional" not in nodes:
        return None
    milliseconds = next(cell.value for cell in _printed() if (cell.table, cell.row) == ("Table 4", "positional"))
    pace = slower * milliseconds / 1000 / (nodes["positional"] / SEARCHED)
    return mean(
        [
            sum(note.nodes * pace > _LIMIT for (color, _), note in game.noted_moves() if color is game.color)
            for game in games
        ]
    )


def _seldom_late(results: Results) -> list[Contrast]:
    late = late_moves(results)
    return [Contrast("three moves a game over those beyond 5 s, at the pace of Table 4", 3.0, late, effect=0.0)]


def _thirty_moves(results: Results) -> list[Contrast]:
    """Half of the opening's plies are moves of its own."""
    games = _against_ancestors(results)
    moves = mean([game.effort().moves + game.game.opening_plies / 2 for game in games])
    return [Contrast("moves of the final agent in a game", moves, 30.0, "equal", 0.1)]


def _uct_is_awful(results: Results) -> list[Contrast]:
    return [Contrast("wins of minimax against 1551 simulations a move", _uct_wins(results, 1551), 0.5)]


def _uct_wins(results: Results, simulations: int) -> Measured | None:
    return share([game.won for game in results[f"final against UCT, {simulations} simulations"]])


# ------------------------------------------------------------------------------------------------------------ pictures


def _figures(results: Results) -> Sequence[Figure]:
    wins = [_uct_wins(results, simulations) for simulations in SIMULATIONS]
    times = [_ordering(results, order) for order in ORDERS]
    found = []
    if any(wins):
        scales = Scales(x="simulations a move of tree search", y="minimax wins", share=True)
        drawing = points_with_intervals([points("ours", [f"{number:,}" for number in SIMULATIONS], wins)], scales)
        found.append(
            Figure("he-reversed-uct", "Minimax at depth 4 against tree search, the numbers the paper left out", drawing)
        )
    if all(times):
        scales = Scales(x="order of moves", y="milliseconds a search")
        caption = "A search to depth 4 by order of moves (Table 4 prints 77.5, 33.6 and 90.9 ms)"
        found.append(
            Figure("he-reversed-orders", caption, points_with_intervals([points("ours", ORDERS, times)], scales))
        )
    return found


def _tables(results: Results) -> Sequence[Table]:
    rows = [
        [f"{simulations:,} simulations a move", evidence(_uct_wins(results, simulations))]
        for simulations in SIMULATIONS
    ]
    caption = 'Minimax against tree search in the reversed game (the paper says "awful" and no number)'
    late = [[f"{slower}", evidence(late_moves(results, slower))] for slower in _SLOWER]
    columns = ["times slower than theirs", "moves a game beyond 5 s"]
    late_caption = 'Late moves by the speed of the judge (the paper says "1 - 3 steps" of 30)'
    return (
        Table(["tree search", "minimax at depth 4 wins"], rows, caption),
        Table(columns, late, late_caption, "Nodes of our games at the pace of Table 4.", "he-reversed late moves"),
    )


def _position_alone(pairing: Pairing) -> Pairing:
    """The final agent becomes its first ancestor."""
    text = _ancestor_text(ANCESTORS["position"])
    return replace(pairing, a=text, games=40, quick=10, large=40) if _is_ancestors(pairing) else pairing


def _random(pairing: Pairing) -> Pairing:
    return replace(pairing, a="random", games=40, quick=10, large=40) if _is_ancestors(pairing) else pairing


def _is_ancestors(pairing: Pairing) -> bool:
    return pairing.name in {f"final against {name}" for name in ANCESTORS}


def _ancestor_text(missing: Sequence[str]) -> str:
    return f"minimax(depth=4, eval=five_terms({', '.join(missing)}), order=positional)"


def _turned_by(results: Results, row: str, column: str) -> Measured | None:
    """The other reading of turned discs: those that a side turned over."""
    if not column.startswith("discs turned"):
        return _ancestor(results, row, column)
    other = {"discs turned of final": "discs turned of ancestor", "discs turned of ancestor": "discs turned of final"}
    return _ancestor(results, row, other[column])


def _node_ratio(evaluation: str, results: Results, row: str, column: str) -> Measured | None:
    """Table 4 in nodes, whatever a node costs."""
    nodes = dict(zip(ORDERS, results.timing(f"nodes with {evaluation}"), strict=False))
    over, _, under = row.partition(" / ")
    return mean([nodes[over] / nodes[under]]) if under and nodes else _ordering(results, row, column)


def _reading(table: str, measure: Callable[[Results, str, str], Measured | None]) -> Study:
    """The study with one table measured in another way."""
    one = study()
    tables = [replace(each, measure=measure) if each.table == table else each for each in one.paper_tables]
    return replace(one, paper_tables=tuple(tables), swaps=(), readings=())


def _as_printed() -> Study:
    """The study with the final agent as its Algorithm 1 is printed."""
    one = study()
    pairings = [
        replace(each, a="outflank.studies.players:TwoMaximisers", games=40, quick=10, large=100, seconds=0.09)
        for each in one.pairings
        if _is_ancestors(each)
    ]
    return replace(one, pairings=tuple(pairings), swaps=(), readings=())


def study() -> Study:
    """Speed, orders, ancestors and tree search."""
    ancestors = tuple(
        Pairing(
            f"final against {name}",
            "he-reversed",
            _ancestor_text(missing),
            100,
            _RULES,
            "random(6)",
            quick=40,
            seconds=0.011,
            large=1600,
        )
        for name, missing in ANCESTORS.items()
    )
    untuned = tuple(
        Pairing(
            f"final against {name}",
            "he-reversed",
            f"minimax(depth=4, eval=five_terms({weights}), order=positional)",
            100,
            _RULES,
            "random(6)",
            quick=40,
            seconds=0.011,
        )
        for name, weights in UNTUNED.items()
    )
    searches = tuple(
        Pairing(
            f"final against UCT, {simulations} simulations",
            "he-reversed",
            f"he-reversed-uct(playouts={simulations})",
            50,
            _RULES,
            quick=20,
            seconds=0.01 + 22e-6 * simulations,
        )
        for simulations in SIMULATIONS
    )
    unknown = "Matrix, weights and phases are not printed; ours were found by self-play"
    return Study(
        name="he-reversed",
        title="Minimax for the reversed game",
        citation='Zean He: "A Minimax-Based Reversed Othello Agent", course project report.',
        summary="Minimax at depth 4 with five terms against its ancestors with fewer terms and tree search; compiling "
        "and the order of moves are timed.",
        pairings=ancestors + untuned + searches,
        paper_tables=(
            PaperTable("Table 3", "Simulations of tree search in 4.9 s", _simulations),
            PaperTable(
                "Table 4",
                "Milliseconds of a search to depth 4, by order of moves",
                _ordering,
                "the evaluation: in nodes, with position alone, good order comes out, bad order does not (Readings)",
                lambda row, column: "one run of timings",
            ),
            PaperTable(
                "Table 5", "The final agent against its ancestors", _ancestor, unknown + "; turned discs: see Setting"
            ),
        ),
        printed=_printed(),
        claims=(
            Claim("More terms make a better agent", "360", _more_terms, unknown),
            Claim("Weights of their own for three phases are better", "290", partial(_tuned, "one phase"), unknown),
            Claim("Adjusted weights are better", "362", partial(_tuned, "equal weights"), unknown),
            Claim("More discs of the winner are turned than of the loser", "356", _winner_turns_more),
            Claim(
                "Ordering by the matrix more than halves the run time",
                "364",
                _ordering_halves,
                "At depth 4 a search takes a fifth of a millisecond here, and sorting moves is a good part of it; "
                "theirs took 78 ms",
            ),
            Claim("Good order is faster than none, none faster than bad", "335", _order_of_orders),
            Claim("Compiling makes simulations several times faster", "314", _compiling_helps),
            Claim("The final agent seldom takes corners", "345", _seldom_in_corners, unknown),
            Claim("A side has about 30 moves in a game", "339", _thirty_moves),
            Claim("At most 3 of 30 moves take longer than 5 s", "339", _seldom_late),
            Claim("Tree search with 1500 simulations loses to minimax", "343", _uct_is_awful, unknown),
        ),
        swaps=(
            Swap("position alone for five terms", ("Table 5",), _position_alone),
            Swap("random for minimax", ("Table 5",), _random),
        ),
        readings=(
            Reading(
                "What does Algorithm 1 call for the root's children?",
                "MINIMIZE, with a ply less",
                "",
                {"MAXIMIZE with the whole depth, as printed": _as_printed},
            ),
            Reading(
                "What are turned discs of a side?",
                "its discs that were turned over",
                "",
                {"discs that it turned over": partial(_reading, "Table 5", _turned_by)},
            ),
            Reading(
                "What do orders of moves change?",
                "run time, with five terms",
                "",
                {
                    f"nodes, with {evaluation}": partial(_reading, "Table 4", partial(_node_ratio, evaluation))
                    for evaluation in NODES
                },
            ),
        ),
        differences=(
            "Weights, matrix and phases are ours, since none is printed. Depth 4 means four plies in all. Both colours "
            "and random openings of six plies against ancestors, since two deterministic agents play one game from "
            "the start.",
            "Tuning: the paper says that weights were adjusted by hand on downloaded games and prints neither weights "
            "nor a result, so that only the direction can be compared: the final agent against itself with the mean of "
            "its weights in all phases, and with equal weights.",
            "The judge asks an agent for a list of candidates; `studies/judge.py` is that interface, for agents "
            "written for it. Which candidate counts is not printed: the last one that is added in time.",
            "Plain Python is our own source run without the compiler, compiled ours with it: the ratio says what the "
            "compiler does for all of a search, theirs for two functions of it.",
            "C_p = 1/sqrt(2) in tree search; the paper says only that it is above 0.",
            "Turned discs are read as discs of that side that were turned over: who ends with fewer discs has had more "
            "turned. Even so the printed counts cannot be those of whole games: a side ends with 2 + placed + turned "
            "for it - turned away, and 13 = 2 + placed + 103 - 154 needs 62 placements.",
        ),
        timings=(
            Timing("compiled simulations", "outflank.studies.timing:compiled_simulations", SIMULATING),
            Timing("plain simulations", "outflank.studies.timing:interpreted_simulations", SIMULATING),
            *(Timing(f"nodes with {evaluation}", work, ORDERING["none"]) for evaluation, work in NODES.items()),
            *(
                Timing(f"order {order}", f"outflank.studies.timing:order_{order}", agent)
                for order, agent in ORDERING.items()
            ),
        ),
        errata=read_errata("he-reversed"),
        text_numbers=read_text_numbers("he-reversed"),
        figures=_figures,
        tables=_tables,
    )
