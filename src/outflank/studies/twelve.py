"""Minimax against tree search on 12x12: a matrix of depths and playouts, in both games.

No published matrix of agents on 12x12 was found that says enough to be played: Phan & Synytsia's boards of that size
are in their own study, with a clock that cuts the games. This one is ours: minimax with five terms to depths 1 to 4,
and tree search with 100 to 1,600 playouts a move; nothing depends on time.
"""

from collections.abc import Sequence

from outflank.arena.statistics.comparisons import Contrast
from outflank.arena.statistics.measured import Measured, share, share_of_groups
from outflank.board import VARIANTS, Rules, Variant
from outflank.report.document import Figure, Table
from outflank.report.figures import Scales, points_with_intervals
from outflank.studies.results import Results
from outflank.studies.study import Claim, Pairing, Study
from outflank.studies.words import evidence, points

DEPTHS = (1, 2, 3, 4)
PLAYOUTS = (100, 400, 1600)
_SECONDS = {1: 0.05, 2: 0.06, 3: 0.2, 4: 0.6}
"""A game of minimax, about."""


def _name(depth: int, playouts: int, variant: Variant) -> str:
    return f"depth {depth} against {playouts} playouts, {variant}"


def _wins(results: Results, depth: int, playouts: int, variant: Variant) -> Measured | None:
    return share([game.won for game in results[_name(depth, playouts, variant)]])


def _row(results: Results, depth: int, variant: Variant) -> Measured | None:
    """Wins of a depth over all numbers of playouts, each of the same weight."""
    return share_of_groups([[game.won for game in results[_name(depth, each, variant)]] for each in PLAYOUTS])


def _column(results: Results, playouts: int, variant: Variant) -> Measured | None:
    return share_of_groups([[game.won for game in results[_name(each, playouts, variant)]] for each in DEPTHS])


def _tables(results: Results) -> Sequence[Table]:
    return [
        Table(
            ["minimax", *(f"against {playouts:,} playouts" for playouts in PLAYOUTS)],
            [
                [f"depth {depth}", *(evidence(_wins(results, depth, playouts, variant)) for playouts in PLAYOUTS)]
                for depth in DEPTHS
            ],
            f"Wins of minimax with five terms against tree search, {variant} 12x12",
            name=f"twelve {variant}",
        )
        for variant in VARIANTS
    ]


def _figures(results: Results) -> Sequence[Figure]:
    if not results.games:
        return ()
    panels = []
    for variant in VARIANTS:
        series = [
            points(
                f"{playouts:,}",
                [str(depth) for depth in DEPTHS],
                [_wins(results, depth, playouts, variant) for depth in DEPTHS],
            )
            for playouts in PLAYOUTS
        ]
        scales = Scales(x="depth", y="minimax wins", title=f"{variant} 12x12", share=True)
        panels.append(points_with_intervals(series, scales))
    return (Figure("twelve", "Minimax against tree search on 12x12, by playouts a move", panels, size=(9.6, 3.8)),)


def _deeper(results: Results) -> list[Contrast]:
    """Depth 4 over depth 1: neighbouring depths differ by whose move is last, which is another matter."""
    return [
        Contrast(
            f"wins of depth {DEPTHS[-1]} over depth {DEPTHS[0]}, {variant}",
            _row(results, DEPTHS[-1], variant),
            _row(results, DEPTHS[0], variant),
        )
        for variant in VARIANTS
    ]


def _more_playouts(results: Results) -> list[Contrast]:
    return [
        Contrast(
            f"wins of minimax against {PLAYOUTS[0]} playouts over those against {PLAYOUTS[-1]:,}, {variant}",
            _column(results, PLAYOUTS[0], variant),
            _column(results, PLAYOUTS[-1], variant),
        )
        for variant in VARIANTS
    ]


def study() -> Study:
    """The matrix."""
    pairings = [
        Pairing(
            _name(depth, playouts, variant),
            f"minimax(depth={depth}, eval=five_terms, order=mobility)",
            f"uct(playouts={playouts})",
            40,
            Rules(12, variant),
            openings="random(6)",
            quick=4,
            large=100,
            seconds=_SECONDS[depth] + 7e-4 * playouts,
        )
        for variant in VARIANTS
        for depth in DEPTHS
        for playouts in PLAYOUTS
    ]
    return Study(
        name="twelve",
        title="Minimax against tree search on 12x12",
        citation="Ours: no published matrix on 12x12 was found that says enough to be played.",
        summary="Minimax with five terms to depths 1 to 4 against tree search with 100 to 1,600 playouts a move, in "
        "the standard and in the reversed game, from random openings of six moves.",
        pairings=tuple(pairings),
        claims=(
            Claim("Looking further ahead wins more against tree search", "ours", _deeper),
            Claim("More playouts win more against minimax", "ours", _more_playouts),
        ),
        figures=_figures,
        tables=_tables,
    )
