"""The future work that the papers named, played.

Equal time for both (Phan & Synytsia), playouts cut off by an evaluation (the same), longer limits and more games (He &
Lin), iterative deepening (Phan & Synytsia).
"""

from collections.abc import Sequence

from outflank.arena.statistics.comparisons import Contrast
from outflank.arena.statistics.measured import Measured, mean, share
from outflank.report.document import Figure, Table
from outflank.report.figures import Scales, points_with_intervals
from outflank.studies.results import Results
from outflank.studies.study import Claim, Pairing, Study
from outflank.studies.words import evidence, points, shown

SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1)
"""A move. The papers' machines did in 10 to 30 seconds what takes about a thousandth of that here."""
CUTS = (1, 4, 16)
EVALUATIONS = {"their evaluation": "positional", "five terms": "five_terms"}
"""For cut playouts: the one of Phan & Synytsia, and the one that self-play found."""
LONGER = (1600, 6400, 25600)
BACKUPS = {"agent": "results of the searching agent in every node", "mover": "results of the side that moved"}
BUDGETS = (1000, 4000, 16000)
_MINIMAX = "minimax(eval=positional, order=mobility, hash_mb=16, seconds={})"
_UCT = "uct(seconds={})"


def _wins(results: Results, name: str) -> Measured | None:
    return share([game.won for game in results[name]])


def _timed(seconds: float) -> str:
    return f"equal time, {seconds:g} s"


def _cut(depth: int, evaluation: str) -> str:
    return f"cut after {depth} plies, {evaluation}"


def _longer(playouts: int, depth: int, backup: str) -> str:
    return f"UCT {playouts} ({backup}), complex {depth}"


def _deepening(nodes: int) -> str:
    return f"deepening with {nodes} nodes against depth 4"


def _tables(results: Results) -> Sequence[Table]:
    return (_equal_time(results), _cut_off(results), _longer_limits(results), _iterative(results))


def _equal_time(results: Results) -> Table:
    rows = []
    for seconds in SECONDS:
        games = results[_timed(seconds)]
        depth = mean([game.effort(True).deepest for game in games])
        playouts = mean([game.effort(False).playouts / max(1, game.effort(False).moves) for game in games])
        rows.append(
            [f"{1000 * seconds:g} ms", evidence(_wins(results, _timed(seconds))), shown(depth), shown(playouts)]
        )
    return Table(
        ["a move", "minimax wins", "deepest search, mean", "playouts a move"],
        rows,
        "Equal time for both: iterative deepening minimax against tree search, 8x8",
        "Future work of Phan & Synytsia. Time depends on the machine and its load; depth and playouts reached are "
        "recorded.",
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


def _figures(results: Results) -> Sequence[Figure]:
    panels = []
    for title, label, x, names in (
        ("minimax at equal time", "ms a move", [f"{1000 * s:g}" for s in SECONDS], [_timed(s) for s in SECONDS]),
        ("cut playouts, five terms", "plies played out", [str(d) for d in CUTS], [_cut(d, "five terms") for d in CUTS]),
    ):
        scales = Scales(x=label, y="wins", title=title, share=True)
        panels.append(points_with_intervals([points("ours", x, [_wins(results, name) for name in names])], scales))
    return (Figure("future-work", "Future work of Phan & Synytsia", panels, size=(9.6, 3.8)),)


def _crossing(results: Results) -> list[Contrast]:
    """Tree search is ahead at the shortest limit and minimax at the longest: somewhere between they are equal."""
    shortest, longest = (_wins(results, _timed(seconds)) for seconds in (SECONDS[0], SECONDS[-1]))
    return [
        Contrast("half over the wins of minimax at 1 ms a move", 0.5, shortest),
        Contrast("wins of minimax at 100 ms a move", longest, 0.5),
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
            _MINIMAX.format(seconds),
            _UCT.format(seconds),
            60 if seconds < 0.02 else 24,
            openings="random(6)",
            quick=4,
            large=24,
            seconds=50 * seconds,
        )
        for seconds in SECONDS
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
    return Study(
        name="future-work",
        title="The papers' future work",
        citation="Phan & Synytsia, sections 4.3 to 5; He & Lin, section V.",
        summary="Equal time a move, playouts cut off by an evaluation, longer limits, iterative deepening.",
        pairings=(*timed, *cuts, *longer, *deepening),
        claims=(
            Claim("There is a time limit at which minimax and tree search are equal", "Phan & Synytsia 335", _crossing),
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
        ),
        differences=("The limits of 10 to 30 seconds are 1 to 100 ms here, for about the same work and more.",),
        figures=_figures,
        tables=_tables,
    )
