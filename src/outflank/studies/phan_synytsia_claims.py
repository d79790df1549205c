"""What Phan & Synytsia concluded, each conclusion as inequalities on the numbers of their tables."""

import itertools
from dataclasses import replace

from outflank.arena.statistics.comparisons import Contrast
from outflank.arena.statistics.measured import mean_of_groups, share_of_groups
from outflank.studies.phan_synytsia_games import (
    DEPTHS,
    ITERATIONS,
    SIZES,
    game_seconds,
    games_at,
    move_nodes,
    move_seconds,
    wins,
)
from outflank.studies.results import Results
from outflank.studies.study import Claim

MATRIX = (
    "not tested: their 8x8 square weights are missing from the paper; we derive them from the printed 12x12 matrix, "
    "and other matrices change these results"
)


def _board_size_drives(results: Results) -> list[Contrast]:
    settings = [*(f"depth {depth}" for depth in DEPTHS), *(f"iterations {count}" for count in ITERATIONS)]
    return [
        Contrast(
            f"{setting}, {larger}x{larger} over {smaller}x{smaller}",
            move_nodes(results, f"{larger}x{larger}", setting),
            move_nodes(results, f"{smaller}x{smaller}", setting),
            effect=0.1,
        )
        for setting in settings
        for smaller, larger in itertools.pairwise(SIZES)
    ]


def _small_board_weak(results: Results) -> list[Contrast]:
    return [Contrast("half over the wins of minimax on 4x4", 0.5, wins(results, [4]))]


def _depth_three_best(results: Results) -> list[Contrast]:
    rates = {depth: wins(results, [4], [depth]) for depth in DEPTHS}
    return [Contrast(f"wins at depth 3 over depth {depth}", rates[3], rates[depth]) for depth in DEPTHS[1:]]


def _ahead_on(size: int, results: Results) -> list[Contrast]:
    """*Generally*: against every number of iterations, over all depths."""
    return [
        Contrast(f"wins against {count} iterations", wins(results, [size], DEPTHS, [count]), 0.5)
        for count in ITERATIONS
    ]


def _depth_matters(results: Results) -> list[Contrast]:
    return [
        Contrast(f"wins on {size}x{size}, depth 6 over 3", wins(results, [size], [6]), wins(results, [size], [3]))
        for size in (8, 12)
    ]


def _equal_budgets(results: Results) -> list[Contrast]:
    return [
        Contrast(f"wins at depth {depth} against {count}", wins(results, [8], [depth], [count]), 0.5)
        for depth, count in zip(DEPTHS, ITERATIONS, strict=True)
    ]


def _playouts_slow(results: Results) -> list[Contrast]:
    slow, fast = (move_seconds(results, "8x8", setting) for setting in ("iterations 10000", "depth 6"))
    return [Contrast("seconds a move on 8x8, 10000 iterations over depth 6", slow, fast, effect=1.0)]


def _branching(results: Results) -> list[Contrast]:
    """*About 10*: within a fifth. Positions without a choice count too."""
    games = games_at(results, [8], DEPTHS, ITERATIONS)
    moves = [[game.full.choices for game in group] for group in games]
    return [Contrast("legal moves a position on 8x8", mean_of_groups(moves), 10.0, "equal", 0.2)]


def _powers_of_ten(results: Results) -> list[Contrast]:
    """An upper bound: no board or depth is above it."""
    return [
        Contrast(f"10^{depth} over the nodes a move at depth {depth} on 8x8", 10.0**depth, nodes, effect=0.0)
        for depth in DEPTHS
        for nodes in [move_nodes(results, "8x8", f"depth {depth}")]
    ]


def _sixty_a_playout(results: Results) -> list[Contrast]:
    """*About*: within a fifth."""
    return [
        Contrast(
            f"nodes a move with {count} iterations on 8x8",
            move_nodes(results, "8x8", f"iterations {count}"),
            60.0 * count,
            "equal",
            0.2,
        )
        for count in ITERATIONS
    ]


def _nearly_double(results: Results) -> list[Contrast]:
    """*Nearly*: within a quarter of twice as many."""
    nodes = {depth: move_nodes(results, "4x4", f"depth {depth}") for depth in DEPTHS}
    return [
        Contrast(f"nodes a move on 4x4, depth {later} and twice depth {earlier}", nodes[later], twice, "equal", 0.25)
        for earlier, later in itertools.pairwise(DEPTHS)
        for before in [nodes[earlier]]
        for twice in [before and replace(before, value=2 * before.value, spread=2 * before.spread)]
    ]


def _less_time(results: Results) -> list[Contrast]:
    """At settings that search about as many nodes, on 8x8."""
    return [
        Contrast(
            f"seconds a game on 8x8, {count} iterations over depth {depth}",
            game_seconds(results, "8x8", f"iterations {count}"),
            game_seconds(results, "8x8", f"depth {depth}"),
            effect=0.1,
        )
        for depth, count in zip(DEPTHS, ITERATIONS, strict=True)
    ]


def _stops_grow(results: Results) -> list[Contrast]:
    stopped = {
        size: share_of_groups(
            [[game.stopped for game in group] for group in games_at(results, [size], DEPTHS, ITERATIONS)]
        )
        for size in SIZES
    }
    return [
        Contrast(f"games past their 30 minutes, {large}x{large} over {small}x{small}", stopped[large], stopped[small])
        for small, large in itertools.pairwise(SIZES)
    ]


CLAIMS = (
    Claim("Board size drives the nodes of both", "315", _board_size_drives),
    Claim("Minimax is weak on 4x4", "266", _small_board_weak),
    Claim(
        "On 4x4 depth 3 is the best",
        "268",
        _depth_three_best,
        "Deeper search evaluates by square weights that misjudge so small a board; the order of depths 4 to 6 "
        "is chance",
    ),
    Claim("Minimax is generally ahead on 8x8", "268", lambda results: _ahead_on(8, results), MATRIX),
    Claim("Minimax is generally ahead on 12x12", "268", lambda results: _ahead_on(12, results)),
    Claim("Depth matters for the win rate on 8x8 and 12x12", "321", _depth_matters),
    Claim(
        "On 8x8 minimax wins more at settings that search about as many nodes",
        "331",
        _equal_budgets,
        "The paper's own Table 9 has 16.67 % at depth 5 against 1000 iterations, one of the four pairs",
    ),
    Claim("Full playouts make tree search slow", "325", _playouts_slow),
    Claim("Games are stopped on larger boards", "290", _stops_grow),
    Claim("A position on 8x8 has about 10 moves", "27", _branching),
    Claim("Minimax to depth d searches at most 10^d nodes a move on 8x8", "173", _powers_of_ten),
    Claim(
        "Tree search visits about 60 nodes a move for an iteration on 8x8",
        "173",
        _sixty_a_playout,
        "60 is the longest game; a playout has only the moves that are left",
    ),
    Claim("On 4x4 nodes nearly double with every ply", "224", _nearly_double),
    Claim(
        "Minimax takes less time at settings that search about as many nodes",
        "341",
        _less_time,
        "Theirs ran in plain Python, where playouts cost more beside an evaluation than compiled",
    ),
)
"""In the order of the studies' reports."""
