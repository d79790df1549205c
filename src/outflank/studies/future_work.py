"""The future work that the papers named, played.

Equal time for both (Phan & Synytsia), playouts cut off by an evaluation (the same), longer limits and more games (He &
Lin), iterative deepening (Phan & Synytsia), weights tuned by self-play (Zean He), and what learners came to
(`learned.py`). Their seconds are nodes and playouts
here, at the speeds that Phan & Synytsia printed for their own machine: seconds of ours would measure ours.
"""

from collections.abc import Sequence

from outflank.arena.statistics.comparisons import Contrast
from outflank.arena.statistics.measured import Measured, mean, share
from outflank.board import Rules, Variant
from outflank.report.document import Figure, Table
from outflank.report.figures import Scales, points_with_intervals
from outflank.studies import learned
from outflank.studies.phan_synytsia_games import work_in
from outflank.studies.results import Results
from outflank.studies.scaling import scaling_figure, scaling_table
from outflank.studies.study import Claim, Pairing, Study
from outflank.studies.words import evidence, points, shown

SECONDS = (1, 10, 15, 20, 30, 100)
"""A move, on the machine of Phan & Synytsia. They proposed 10 to 30; one limit below and one above show the trend."""
PROPOSED = (10, 15, 20, 30)
CUTS = (1, 4, 16)
EVALUATIONS = {"their evaluation": "positional", "five terms": "five_terms"}
"""For cut playouts: the one of Phan & Synytsia, and the one that self-play found."""
LONGER = (1600, 6400, 25600)
BACKUPS = {"agent": "results of the searching agent in every node", "mover": "results of the side that moved"}
BUDGETS = (1000, 4000, 16000)
TUNED: dict[Variant, str] = {"standard": "he-tuned", "reversed": "he-reversed-tuned"}
"""What `outflank tune` made of the five terms; the paper prints no weights."""
BEFORE = {
    "equal weights": "five_terms(position=10, mobility=10, discs=10, stability=10, aggregation=10)",
    "weights by hand": "five_terms",
}
"""What it began with, which is all that the paper says of them, and what hill climbing had found from a guess."""
TUNED_DEPTHS = (2, 4)


def _wins(results: Results, name: str) -> Measured | None:
    return share([game.won for game in results[name]])


def _timed(seconds: float) -> str:
    return f"equal time, {seconds:g} s of theirs"


def _cut(depth: int, evaluation: str) -> str:
    return f"cut after {depth} plies, {evaluation}"


def _longer(playouts: int, depth: int, backup: str) -> str:
    return f"UCT {playouts} ({backup}), complex {depth}"


def _deepening(nodes: int) -> str:
    return f"deepening with {nodes} nodes against depth 4"


def _tuned(variant: str, before: str, depth: int) -> str:
    return f"tuned five terms against {before}, {variant}, depth {depth}"


def _tables(results: Results) -> Sequence[Table]:
    return (
        _equal_time(results),
        _cut_off(results),
        _longer_limits(results),
        _iterative(results),
        _tuned_weights(results),
        *learned.tables(results),
        scaling_table(),
    )


def _equal_time(results: Results) -> Table:
    rows = []
    for seconds in SECONDS:
        nodes, playouts = work_in(seconds)
        depth = mean([game.effort().deepest for game in results[_timed(seconds)]])
        wins = evidence(_wins(results, _timed(seconds)))
        rows.append([f"{seconds} s", f"{nodes:,}", f"{playouts:,}", wins, shown(depth)])
    return Table(
        ["a move", "nodes of minimax", "iterations of tree search", "minimax wins", "its deepest search, mean"],
        rows,
        "Equal time for both: iterative deepening minimax against tree search, 8x8",
        "Future work of Phan & Synytsia, with their evaluation and their tree search. What their machine did in a "
        "second is that of Tables 2, 4 and 6, at depth 6 and with 1000 iterations: seconds of ours would measure ours.",
    )


def _cut_off(results: Results) -> Table:
    rows = [[f"{depth}", *(evidence(_wins(results, _cut(depth, name))) for name in EVALUATIONS)] for depth in CUTS]
    return Table(
        ["plies played out", *(f"wins with {name}" for name in EVALUATIONS)],
        rows,
        "Playouts cut off by an evaluation, against full playouts, 1000 each a move, 8x8",
        "Future work of Phan & Synytsia, who said it takes a good evaluation. Equal playouts; cut ones take less time.",
    )


def _longer_limits(results: Results) -> Table:
    rows = [
        [f"{playouts:,}", *(evidence(_against_complex(results, playouts, backup)) for backup in BACKUPS)]
        for playouts in LONGER
    ]
    return Table(
        ["playouts a move", *(f"wins, {words}" for words in BACKUPS.values())],
        rows,
        "Longer limits and more games for He & Lin's tree search, against complex minimax at depths 4 and 6",
        "1,600 playouts stand for their longest limit of 8 s.",
    )


def _against_complex(results: Results, playouts: int, backup: str) -> Measured | None:
    return share([game.won for game in results.of(_longer(playouts, depth, backup) for depth in (4, 6))])


def _iterative(results: Results) -> Table:
    rows = [[f"{nodes:,}", evidence(_wins(results, _deepening(nodes)))] for nodes in BUDGETS]
    return Table(
        ["nodes a move", "iterative deepening wins"],
        rows,
        "Iterative deepening by nodes against a fixed depth of 4, 8x8",
    )


def _tuned_weights(results: Results) -> Table:
    rows = [
        [f"{variant}, depth {depth}", *(evidence(_wins(results, _tuned(variant, one, depth))) for one in BEFORE)]
        for variant in TUNED
        for depth in TUNED_DEPTHS
    ]
    return Table(
        ["game", *(f"wins against {one}" for one in BEFORE)],
        rows,
        "Weights of the five terms tuned by self-play, 8x8",
        "Future work of Zean He. They were tuned at depth 4; docs/learning.md tells how.",
    )


def _tuning_helps(results: Results) -> list[Contrast]:
    return [
        Contrast(f"wins against {before}, {variant}, depth 4", _wins(results, _tuned(variant, before, 4)), 0.5)
        for variant in TUNED
        for before in BEFORE
    ]


def _figures(results: Results) -> Sequence[Figure]:
    panels = []
    for title, label, x, names in (
        ("minimax at equal time", "their seconds a move", [str(s) for s in SECONDS], [_timed(s) for s in SECONDS]),
        ("cut playouts, five terms", "plies played out", [str(d) for d in CUTS], [_cut(d, "five terms") for d in CUTS]),
    ):
        scales = Scales(x=label, y="wins", title=title, share=True)
        panels.append(points_with_intervals([points("ours", x, [_wins(results, name) for name in names])], scales))
    trend = Figure("future-work", "Future work of Phan & Synytsia", panels, size=(9.6, 3.8))
    return (trend, *learned.figures(), scaling_figure())


def _crossing(results: Results) -> list[Contrast]:
    """Tree search is ahead at the shortest limit and minimax at the longest: somewhere between they are equal."""
    shortest, longest = (_wins(results, _timed(seconds)) for seconds in (SECONDS[0], SECONDS[-1]))
    return [
        Contrast(f"half over the wins of minimax at {SECONDS[0]} s a move", 0.5, shortest),
        Contrast(f"wins of minimax at {SECONDS[-1]} s a move", longest, 0.5),
    ]


def _equal(results: Results) -> list[Contrast]:
    return [
        Contrast(f"wins of minimax at {seconds} s a move", _wins(results, _timed(seconds)), 0.5, "equal", 0.1)
        for seconds in PROPOSED
    ]


def _cutting_helps(results: Results) -> list[Contrast]:
    return [
        Contrast(f"wins with five terms after {depth} plies", _wins(results, _cut(depth, "five terms")), 0.5)
        for depth in CUTS
    ]


def _longer_helps(backup: str, results: Results) -> list[Contrast]:
    most, fewest = (_against_complex(results, playouts, backup) for playouts in (LONGER[-1], LONGER[0]))
    return [Contrast(f"wins against complex minimax, {LONGER[-1]:,} over {LONGER[0]:,} playouts", most, fewest)]


def study() -> Study:
    """All of them."""
    timed = [
        Pairing(
            _timed(seconds),
            f"minimax(eval=positional, nodes={nodes})",
            f"phan-synytsia-mcts(playouts={playouts})",
            60,
            quick=4,
            large=150,
            seconds=0.01 + 1.5e-6 * nodes + 15e-6 * playouts,
        )
        for seconds in SECONDS
        for nodes, playouts in [work_in(seconds)]
    ]
    cuts = [
        Pairing(
            _cut(depth, name),
            f"uct(playouts=1000, playout=cutoff(depth={depth}, eval={evaluation}))",
            "uct(playouts=1000)",
            100,
            quick=10,
            seconds=0.06,
            large=100,
        )
        for depth in CUTS
        for name, evaluation in EVALUATIONS.items()
    ]
    longer = [
        Pairing(
            _longer(playouts, depth, backup),
            f"uct(playouts={playouts}, backup={backup}, final=win_rate, draw=0)",
            f"he-lin-minimax(depth={depth}, eval=complex)",
            40,
            quick=4,
            seconds=0.02 + 25e-6 * playouts,
            large=40,
        )
        for playouts in LONGER
        for depth in (4, 6)
        for backup in BACKUPS
    ]
    deepening = [
        Pairing(
            _deepening(nodes),
            f"minimax(eval=positional, order=mobility, nodes={nodes})",
            "minimax(depth=4, eval=positional)",
            100,
            openings="random(6)",
            quick=20,
            seconds=0.05,
            large=100,
        )
        for nodes in BUDGETS
    ]
    tuned = [
        Pairing(
            _tuned(variant, before, depth),
            f"{name}(depth={depth})",
            f"minimax(depth={depth}, eval={evaluation}, order=positional)",
            200,
            rules=Rules(8, variant),
            openings="random(8)",
            quick=20,
            seconds=0.01,
        )
        for variant, name in TUNED.items()
        for before, evaluation in BEFORE.items()
        for depth in TUNED_DEPTHS
    ]
    return Study(
        name="future-work",
        title="The papers' future work",
        citation="Phan & Synytsia, sections 4.3 to 5; He & Lin, section V; Zean He, section 5.",
        summary="Equal time a move, cut playouts, longer limits, iterative deepening, tuned weights, networks.",
        pairings=(*timed, *cuts, *longer, *deepening, *tuned, *learned.pairings()),
        claims=(
            Claim("There is a time limit at which minimax and tree search are equal", "Phan & Synytsia 335", _crossing),
            Claim("They are equal at the limits proposed, 10 to 30 s a move", "Phan & Synytsia 335", _equal),
            Claim("Playouts cut off by a good evaluation are better", "Phan & Synytsia 325", _cutting_helps),
            Claim(
                "Longer limits make the paper's tree search stronger against complex minimax",
                "He & Lin 355",
                lambda results: _longer_helps("agent", results),
                "With the agent's results in every node the tree takes the opponent for a helper, and more "
                "playouts only make it surer of that; with the results of the side that moved it does grow stronger",
            ),
            Claim(
                "Longer limits make tree search stronger when each side plays for itself",
                "He & Lin 355",
                lambda results: _longer_helps("mover", results),
            ),
            Claim("Weights tuned by self-play beat those before", "Zean He 372", _tuning_helps),
            Claim("Numbers tuned by games beat those that authors printed", "Zean He 372", learned.tuning_helps),
        ),
        differences=(
            "The limits of 10 to 30 seconds a move are the nodes and iterations that the machine of Phan & Synytsia "
            "did in them, by their own tables: no clock runs, and every result depends on seeds alone.",
        ),
        figures=_figures,
        tables=_tables,
    )
