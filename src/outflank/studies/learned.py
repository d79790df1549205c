"""What the papers wished for and learners did: numbers tuned by games, and a network in place of playouts.

Tuned agents play those they came from here, like all others. Networks were trained on a GPU, and their matches took
hours of processors: those are recorded, in the cards of the package's networks and in `data/learning.csv`, with the
device and the command, and not played again. So they are shown and judge no claim.
"""

from collections.abc import Iterator, Mapping, Sequence

from outflank.arena.statistics.comparisons import Contrast
from outflank.arena.statistics.measured import Measured, share
from outflank.board import VARIANTS, Rules
from outflank.report.document import Figure, Table
from outflank.report.figures import Scales, points_with_intervals
from outflank.search.networks import shipped_network
from outflank.studies.results import Results
from outflank.studies.study import Pairing, read_rows
from outflank.studies.words import evidence, points, with_interval

BOARDS = tuple(Rules(size, variant) for variant in VARIANTS for size in (6, 8))
"""Those that the package has networks for."""
MATRIX_DEPTHS = (1, 3, 5)
_TUNED = "the matrix of Phan & Synytsia, tuned"
_EXPLORING = "tree search that explores less, 100 playouts"
_FORMULA = "the one-ply formula, tuned"


def pairings() -> tuple[Pairing, ...]:
    """Tuned numbers against the printed ones, and against the usual constant of tree search."""
    matrix = (
        Pairing(
            _matrix(depth),
            f"phan-synytsia-tuned(depth={depth})",
            f"phan-synytsia-minimax(depth={depth})",
            games,
            openings="random(8)",
            quick=games // 10,
            seconds=0.005 * 4 ** (depth / 2),
            large=games,
        )
        for depth, games in zip(MATRIX_DEPTHS, (200, 200, 100), strict=True)
    )
    exploring = Pairing(
        _EXPLORING,
        "uct(playouts=100, c=0.38)",
        "uct(playouts=100)",
        200,
        openings="random(8)",
        quick=20,
        seconds=0.01,
        large=200,
    )
    formula = Pairing(
        _FORMULA,
        "heuristic-tuned",
        "heuristic",
        200,
        openings="random(8)",
        quick=20,
        seconds=0.002,
        large=200,
    )
    return (*matrix, exploring, formula)


def _matrix(depth: int) -> str:
    return f"{_TUNED}, depth {depth}"


def tuning_helps(results: Results) -> list[Contrast]:
    """The tuned matrix wins at the depth that it was tuned at and at those beside it, the tuned formula too."""
    names = {f"the tuned matrix, depth {depth}": _matrix(depth) for depth in MATRIX_DEPTHS}
    return [
        Contrast(f"wins of {what}", share([game.won for game in results[pairing]]), 0.5)
        for what, pairing in (names | {"the tuned one-ply formula": _FORMULA}).items()
    ]


def tables(results: Results) -> Sequence[Table]:
    """What became of tuning, and of networks."""
    return _tuned(results), _networks(), _growth()


def _tuned(results: Results) -> Table:
    def row(what: str, by: str, pairing: str, gained: str = "", control: str = "") -> list[str]:
        wins = evidence(share([game.won for game in results[pairing]])) if pairing else "not played"
        return [what, by, gained, control, wins]

    at = {depth: f"matrix and mobility, narrow ranges, depth {depth}" for depth in MATRIX_DEPTHS}
    rows = [
        row(at[1], "SPSA, 12,000 games at depth 3", _matrix(1)),
        row(at[3], "the same", _matrix(3), "+151 [+135, +167]", "+63 [+47, +78]"),
        row(at[5], "the same", _matrix(5)),
        row("matrix and weights, wide ranges, depth 3", "genetic, 12,000", "", "−157 [−174, −141]", "−33 [−48, −18]"),
        row("six numbers of the one-ply formula", "SPSA, 6,000", _FORMULA, "+188 [+171, +205]", "+141 [+125, +158]"),
        row("c of tree search, 100 playouts", "SPSA, 6,000", _EXPLORING, "+64 [+49, +79]", "+50 [+35, +65]"),
        row("c of tree search, 1,000 playouts", "SPSA, 2,000", "", "+93 [+72, +114]", "+85 [+64, +107]"),
        row("c of tree search, 10,000 playouts, 6x6", "SPSA, 400", "", "+98 [+72, +125]", "+85 [+57, +113]"),
        row("weights of Tenshi's squares, reversed", "SPSA, 3,000", "", "−9 [−30, +11]", "−44 [−64, −24]"),
    ]
    return Table(
        ["tuned", "by", "Elo, recorded", "Elo of random search, recorded", "wins here"],
        rows,
        "Numbers of the papers' players and of tree search, tuned by games, 8x8",
        "Elo against the agent that was tuned, in 400 to 2,000 games on fresh openings as outflank tune confirmed "
        "them; wins are played here. What the genetic algorithm answered lost, and Tenshi's squares gained "
        "nothing. docs/learning.md tells how.",
        "tuned by games",
    )


def _networks() -> Table:
    rows = [[*row] for rules in BOARDS for row in _matches(rules)]
    return Table(
        ["game", "network", "against", "compared by", "points, recorded"],
        rows,
        "A network in place of playouts: puct against tree search",
        "Recorded with the networks of the package, which learned on one NVIDIA H200; every opening of six random "
        "moves with both colours (benchmarks/network_matches.py). puct solves the last ten squares.",
        "networks",
    )


def _matches(rules: Rules) -> Iterator[tuple[str, str, str, str, str]]:
    """Matches of the network for a board with tree search: those of its card, and those at equal time."""
    for one in shipped_network(rules).card["strength"]:
        if one["opponent"].startswith("uct("):
            games = one["wins"] + one["draws"] + one["losses"]
            value, low, high = (f"{100 * end:.0f}" for end in one["score"])
            told = f"{value} % [{low}, {high}] of {games} games"
            yield str(rules), one["player"], one["opponent"], compared(one["player"], one["opponent"]), told
    for row in _recorded("equal time"):
        if row["rules"] == str(rules):
            told = evidence(Measured("share", float(row["points"]), int(row["games"])))
            yield row["rules"], row["player"], row["opponent"], "equal time", told


def compared(player: str, opponent: str) -> str:
    """How the playouts of two texts compare.

    >>> compared("puct(playouts=100)", "uct(playouts=1000)"), compared("puct(playouts=9)", "uct(playouts=9)")
    ('10 times the playouts', 'equal playouts')
    """
    own, other = (int(text.partition("playouts=")[2].rstrip(")")) for text in (player, opponent))
    return "equal playouts" if own == other else f"{other / own:g} times the playouts"


def _recorded(what: str) -> list[Mapping[str, str]]:
    return [row for row in read_rows("learning.csv") if row["what"] == what]


def _growth() -> Table:
    rows = [
        [
            row["rules"],
            f"{int(row['self_play_games']):,}",
            row["seconds"],
            with_interval(Measured("share", float(row["points"]), int(row["games"]))),
            row["opponent"],
        ]
        for row in _recorded("growth")
    ]
    return Table(
        ["game", "games of self-play", "seconds of one H200", "points, recorded", "against"],
        rows,
        "How a network grows: puct(playouts=50) after so much learning, 64 games each",
        "On 6x6 from nothing; on 8x8 after 124,094 games of a teacher, from which most of the strength came.",
        "growth of networks",
    )


def figures() -> Sequence[Figure]:
    """Strength by games of self-play and by seconds of a GPU."""
    panels = []
    for column, label in (("self_play_games", "games of self-play"), ("seconds", "seconds of one H200")):
        series = []
        for rules in ("standard 6x6", "standard 8x8"):
            rows = [row for row in _recorded("growth") if row["rules"] == rules]
            found = [Measured("share", float(row["points"]), int(row["games"])) for row in rows]
            series.append(points(rules, [float(row[column]) for row in rows], found))
        panels.append(points_with_intervals(series, Scales(label, "points", log_x=True, share=True), joined=True))
    caption = "Points of a network by how much it has learned: against 1,000 playouts on 6x6, against 10,000 on 8x8"
    return (Figure("future-work-networks", caption, panels, size=(9.6, 3.8)),)
