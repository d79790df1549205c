"""Phan & Synytsia, "Report on Final Project": minimax to a fixed depth against tree search with fixed iterations.

Their games were stopped after 30 minutes of one player's thinking, and 90 of 288 were. Ours take seconds, so their
clock is kept in nodes: Tables 1 to 8 give their seconds per node for every setting, and a game of ours is cut where
those seconds would have passed 30 minutes. What is left is counted as they counted it; the side with more discs then
wins. When they looked at the clock is not said. Table 9 on 12x12 with 10,000 iterations chose the reading, before the
late side's next move: had they counted right after the late move, tree search, whose move it mostly is, would have just
turned discs and would win all of these games, of which it lost most. The report has all readings on the other tables.
"""

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial

from outflank.arena.statistics.comparisons import Contrast
from outflank.arena.statistics.measured import Measured, mean, mean_of_groups, share_of_groups
from outflank.board import Rules
from outflank.report.document import Figure, Table
from outflank.report.figures import Scales
from outflank.studies.results import Played, Results
from outflank.studies.study import (
    Claim,
    Pairing,
    PaperTable,
    Printed,
    Reading,
    Study,
    Swap,
    read_errata,
    read_printed,
    read_text_numbers,
)
from outflank.studies.words import beside, shown

SIZES = (4, 8, 12)
DEPTHS = (3, 4, 5, 6)
ITERATIONS = (10, 100, 1000, 10000)
_LIMIT_SECONDS = 30 * 60
_MINIMAX, _TREE = "minimax(depth={0}{1})", "uct(playouts={0}, backup=agent, final={1}, pass_node=leaf{2})"
"""The presets of the paper spelled out, with room for other options."""
_MINIMAX_SECONDS = {4: (0.0002,) * 4, 8: (0.002, 0.003, 0.007, 0.021), 12: (0.015, 0.057, 0.4, 2.1)}
_TREE_SECONDS = {4: (0.0002, 0.0004, 0.002, 0.014), 8: (0.001, 0.003, 0.023, 0.23), 12: (0.008, 0.034, 0.32, 2.9)}
"""What a game takes either side here, by board and setting; the game around it takes 3 ms."""
_MATRIX = (
    "not tested: their 8x8 square weights are missing from the paper; we derive them from the printed 12x12 matrix, "
    "and other matrices change these results"
)
_COUNTED = (
    "not tested: how they counted nodes is not said; and where the clock cut games, their seconds per node are known "
    "only as means"
)


def _cause(cell: Printed) -> str:
    """What the paper leaves open, by board."""
    if cell.row.startswith("8x8"):
        return _MATRIX
    if cell.row.startswith("12x12"):
        return "Most of these games were stopped, and how their clock ran and who then won is not clear"
    return "The order of moves, ties and the counting of nodes are not printed"


def _name(size: int, depth: int, iterations: int) -> str:
    return f"{size}x{size}, depth {depth}, iterations {iterations}"


@cache
def _printed() -> tuple[Printed, ...]:
    return read_printed("phan_synytsia.csv")


@cache
def _seconds_per_node() -> dict[tuple[int, str], float]:
    """The paper's speed for a board size and a setting such as `depth 3`: its seconds divided by its nodes."""
    value = {(cell.table, cell.row, cell.column): cell.value for cell in _printed()}
    speeds = {}
    for size in SIZES:
        for setting in (*(f"depth {depth}" for depth in DEPTHS), *(f"iterations {i}" for i in ITERATIONS)):
            times, nodes = ("Table 1", "Table 5") if setting.startswith("depth") else ("Table 3", "Table 7")
            board = f"{size}x{size}"
            speeds[size, setting] = value[times, board, setting] / value[nodes, board, setting]
    return speeds


@dataclass(frozen=True)
class Clocked:
    """A game as far as the paper's clock let it go. The first side is minimax, the second tree search."""

    won: bool
    stopped: bool
    nodes: tuple[int, int]
    moves: tuple[int, int]
    full: Played


NOT_MADE, MADE, NEXT_MOVE, LOSES, BOTH, NONE = (
    "looked at after each move; the late move is not made, more discs win",
    "looked at after each move; the late move is made, more discs win",
    "looked at before the late side's next move; more discs win",
    "looked at after each move; the late side loses",
    "one clock for both sides, looked at after each move; more discs win",
    "no clock",
)
"""Readings of their 30 minutes."""


def clocked(game: Played, speeds: tuple[float, float], clock: str = NEXT_MOVE) -> Clocked:
    """A game cut where one side has used up its time, by a reading of their clock; `speeds` are seconds a node."""
    nodes, moves = [0, 0], [0, 0]
    last = len(game.moves) - 1

    def late(side: int) -> bool:
        used = [number * speed for number, speed in zip(nodes, speeds, strict=True)]
        return (sum(used) if clock == BOTH else used[side]) > _LIMIT_SECONDS

    def stopped(plies: int, side: int) -> Clocked:
        won = side == 1 if clock == LOSES else game.after(plies).score(game.color, empties="nobody") > 0
        return Clocked(won, True, (nodes[0], nodes[1]), (moves[0], moves[1]), game)

    for ply, ((color, move), note) in enumerate(game.noted_moves()):
        side = int(color is not game.color)
        if clock == NEXT_MOVE and late(side):
            return stopped(ply, side)
        nodes[side] += note.nodes
        moves[side] += not move.is_pass
        if clock in (NOT_MADE, MADE, LOSES, BOTH) and late(side) and ply < last:
            return stopped(ply + (clock == MADE), side)
    return Clocked(game.won, False, (nodes[0], nodes[1]), (moves[0], moves[1]), game)


@lru_cache(maxsize=1024)
def _setting(results: Results, size: int, depth: int, iterations: int, clock: str) -> list[Clocked]:
    """The games of one setting."""
    speeds = _seconds_per_node()
    both = speeds[size, f"depth {depth}"], speeds[size, f"iterations {iterations}"]
    return [clocked(game, both, clock) for game in results[_name(size, depth, iterations)]]


def _games(
    results: Results, sizes: Iterable[int], depths: Iterable[int], counts: Iterable[int], clock: str = NEXT_MOVE
) -> list[list[Clocked]]:
    """The games of these settings, a group for each."""
    return [_setting(results, size, depth, count, clock) for size in sizes for depth in depths for count in counts]


def _pooled(results: Results, row: str, column: str, clock: str = NEXT_MOVE) -> list[list[Clocked]]:
    """The games of a cell of Tables 1 to 8: one setting of one side against all settings of the other."""
    size = int(row.split("x")[0])
    kind, _, number = column.partition(" ")
    if kind == "depth":
        return _games(results, [size], [int(number)], ITERATIONS, clock)
    return _games(results, [size], DEPTHS, [int(number)], clock)


def _games_of(row: str, column: str) -> str:
    return f"{row}, {column}"


def _side(column: str) -> int:
    return int(not column.startswith("depth"))


def _seconds(results: Results, row: str, column: str) -> Measured | None:
    first, groups = not _side(column), _pooled(results, row, column)
    return mean_of_groups([[game.full.effort(first).seconds for game in group] for group in groups], "speed")


def _seconds_per_move(results: Results, row: str, column: str) -> Measured | None:
    first, groups = not _side(column), _pooled(results, row, column)
    efforts = [[game.full.effort(first) for game in group] for group in groups]
    return mean_of_groups([[one.seconds / max(1, one.moves) for one in group] for group in efforts], "speed")


def _nodes(results: Results, row: str, column: str, clock: str = NEXT_MOVE) -> Measured | None:
    side, groups = _side(column), _pooled(results, row, column, clock)
    return mean_of_groups([[game.nodes[side] for game in group] for group in groups])


def _nodes_per_move(results: Results, row: str, column: str, clock: str = NEXT_MOVE) -> Measured | None:
    side, groups = _side(column), _pooled(results, row, column, clock)
    return mean_of_groups([[game.nodes[side] / max(1, game.moves[side]) for game in group] for group in groups])


def _cell(results: Results, row: str, column: str, clock: str) -> list[list[Clocked]]:
    board, _, depth = row.partition(", depth ")
    counts = ITERATIONS if column == "average" else (int(column.split()[1]),)
    return _games(results, [int(board.split("x")[0])], [int(depth)], counts, clock)


def _win_rate(results: Results, row: str, column: str, clock: str = NEXT_MOVE) -> Measured | None:
    return _won(_cell(results, row, column, clock))


def _stopped(results: Results, row: str, column: str, clock: str = NEXT_MOVE) -> Measured | None:
    return share_of_groups([[game.stopped for game in group] for group in _cell(results, row, column, clock)])


def _won(groups: Iterable[Iterable[Clocked]]) -> Measured | None:
    return share_of_groups([[game.won for game in group] for group in groups])


def _wins(
    results: Results, sizes: Iterable[int], depths: Iterable[int] = DEPTHS, counts: Iterable[int] = ITERATIONS
) -> Measured | None:
    return _won(_games(results, sizes, depths, counts))


# ------------------------------------------------------------------------------------------------------------- claims


def _board_size_drives(results: Results) -> list[Contrast]:
    settings = [*(f"depth {depth}" for depth in DEPTHS), *(f"iterations {count}" for count in ITERATIONS)]
    return [
        Contrast(
            f"{setting}, {larger}x{larger} over {smaller}x{smaller}",
            _nodes_per_move(results, f"{larger}x{larger}", setting),
            _nodes_per_move(results, f"{smaller}x{smaller}", setting),
            effect=0.1,
        )
        for setting in settings
        for smaller, larger in itertools.pairwise(SIZES)
    ]


def _small_board_weak(results: Results) -> list[Contrast]:
    return [Contrast("half over the wins of minimax on 4x4", 0.5, _wins(results, [4]))]


def _depth_three_best(results: Results) -> list[Contrast]:
    rates = {depth: _wins(results, [4], [depth]) for depth in DEPTHS}
    return [Contrast(f"wins at depth 3 over depth {depth}", rates[3], rates[depth]) for depth in DEPTHS[1:]]


def _ahead_on(size: int, results: Results) -> list[Contrast]:
    """*Generally*: against every number of iterations, over all depths."""
    return [
        Contrast(f"wins against {count} iterations", _wins(results, [size], DEPTHS, [count]), 0.5)
        for count in ITERATIONS
    ]


def _depth_matters(results: Results) -> list[Contrast]:
    return [
        Contrast(f"wins on {size}x{size}, depth 6 over 3", _wins(results, [size], [6]), _wins(results, [size], [3]))
        for size in (8, 12)
    ]


def _equal_budgets(results: Results) -> list[Contrast]:
    return [
        Contrast(f"wins at depth {depth} against {count}", _wins(results, [8], [depth], [count]), 0.5)
        for depth, count in zip(DEPTHS, ITERATIONS, strict=True)
    ]


def _playouts_slow(results: Results) -> list[Contrast]:
    slow, fast = (_seconds_per_move(results, "8x8", setting) for setting in ("iterations 10000", "depth 6"))
    return [Contrast("seconds a move on 8x8, 10000 iterations over depth 6", slow, fast, effect=1.0)]


def _branching(results: Results) -> list[Contrast]:
    """*About 10*: within a fifth. Positions without a choice count too."""
    games = _games(results, [8], DEPTHS, ITERATIONS)
    moves = [[game.full.choices for game in group] for group in games]
    return [Contrast("legal moves a position on 8x8", mean_of_groups(moves), 10.0, "equal", 0.2)]


def _powers_of_ten(results: Results) -> list[Contrast]:
    """An upper bound: no board or depth is above it."""
    return [
        Contrast(f"10^{depth} over the nodes a move at depth {depth} on 8x8", 10.0**depth, nodes, effect=0.0)
        for depth in DEPTHS
        for nodes in [_nodes_per_move(results, "8x8", f"depth {depth}")]
    ]


def _sixty_a_playout(results: Results) -> list[Contrast]:
    """*About*: within a fifth."""
    return [
        Contrast(
            f"nodes a move with {count} iterations on 8x8",
            _nodes_per_move(results, "8x8", f"iterations {count}"),
            60.0 * count,
            "equal",
            0.2,
        )
        for count in ITERATIONS
    ]


def _nearly_double(results: Results) -> list[Contrast]:
    """*Nearly*: within a quarter of twice as many."""
    nodes = {depth: _nodes_per_move(results, "4x4", f"depth {depth}") for depth in DEPTHS}
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
            _seconds(results, "8x8", f"iterations {count}"),
            _seconds(results, "8x8", f"depth {depth}"),
            effect=0.1,
        )
        for depth, count in zip(DEPTHS, ITERATIONS, strict=True)
    ]


def _stops_grow(results: Results) -> list[Contrast]:
    stopped = {
        size: share_of_groups(
            [[game.stopped for game in group] for group in _games(results, [size], DEPTHS, ITERATIONS)]
        )
        for size in SIZES
    }
    return [
        Contrast(f"games past their 30 minutes, {large}x{large} over {small}x{small}", stopped[large], stopped[small])
        for small, large in itertools.pairwise(SIZES)
    ]


# ------------------------------------------------------------------------------------------------------- wrong agents


def _random(pairing: Pairing) -> Pairing:
    return replace(pairing, a="random", games=12, quick=2, large=12)


def _depth_three(pairing: Pairing) -> Pairing:
    return replace(pairing, a="phan-synytsia-minimax(depth=3)")


def _hundred_iterations(pairing: Pairing) -> Pairing:
    return replace(pairing, b="phan-synytsia-mcts(playouts=100)")


# ------------------------------------------------------------------------------------------------------------ pictures


def _figures(results: Results) -> Sequence[Figure]:
    depths, counts = [f"depth {depth}" for depth in DEPTHS], [f"iterations {count}" for count in ITERATIONS]
    return (
        _node_figure(results, "Table 6", "nodes-minimax", "Nodes per move of minimax", depths),
        _node_figure(results, "Table 8", "nodes-mcts", "Nodes per move of tree search", counts),
        _time_figure(results, "Table 2", "times-minimax", "Time per move of minimax", depths),
        _time_figure(results, "Table 4", "times-mcts", "Time per move of tree search", counts),
        _win_figure(results),
    )


def _node_figure(results: Results, table: str, name: str, title: str, columns: Sequence[str]) -> Figure:
    return _figure(results, table, name, title, columns, _nodes_per_move, "nodes per move")


def _time_figure(results: Results, table: str, name: str, title: str, columns: Sequence[str]) -> Figure:
    """The plots of times that the paper announces and its text version lacks."""
    return _figure(results, table, name, title, columns, _seconds_per_move, "seconds per move")


def _figure(
    results: Results,
    table: str,
    name: str,
    title: str,
    columns: Sequence[str],
    measure: Callable[[Results, str, str], Measured | None],
    label: str,
) -> Figure:
    theirs = {(cell.row, cell.column): cell.value for cell in _printed() if cell.table == table}
    kind, settings = columns[0].split()[0], [column.split()[1] for column in columns]
    panels = []
    for board in (f"{size}x{size}" for size in SIZES):
        ours = [measure(results, board, column) for column in columns]
        scales = Scales(x=kind, y=label, title=board, log_y=True)
        panels.append(beside(settings, ours, [theirs[board, column] for column in columns], scales))
    caption = f"{title}, ours with 95 % intervals and the printed values ({table})"
    return Figure(f"phan-synytsia-{name}", caption, panels, size=(10, 3.6))


def _win_figure(results: Results) -> Figure:
    theirs = {(cell.row, cell.column): cell.value for cell in _printed() if cell.table == "Table 9"}
    panels = []
    for size in SIZES:
        ours = [_wins(results, [size], [depth]) for depth in DEPTHS]
        values = [theirs[f"{size}x{size}, depth {depth}", "average"] for depth in DEPTHS]
        scales = Scales(x="depth", y="minimax wins", title=f"{size}x{size}", y_range=(0, 1))
        panels.append(beside([str(depth) for depth in DEPTHS], ours, values, scales))
    caption = (
        "Share of games that minimax wins, by depth, against all numbers of iterations together (Table 9, averages)"
    )
    return Figure("phan-synytsia-wins", caption, panels, size=(10, 3.6))


def _unprinted(results: Results) -> Sequence[Table]:
    """Game time and longest thinking time: recorded by the paper, but not printed."""
    rows: list[list[str]] = []
    for size in SIZES:
        for depth in DEPTHS:
            games = [game.full for group in _games(results, [size], [depth], ITERATIONS) for game in group]
            rows.append([f"{size}x{size}", f"minimax, depth {depth}", *_times(games, True)])
        for count in ITERATIONS:
            games = [game.full for group in _games(results, [size], DEPTHS, [count]) for game in group]
            rows.append([f"{size}x{size}", f"tree search, {count} iterations", *_times(games, False)])
    return (
        Table(
            ["board", "agent", "seconds a game", "longest thought, seconds"],
            rows,
            "Game time and longest thinking time (recorded in the paper, not printed there)",
            "Means over games of both sides' search time, and of the longest single decision of the agent. Ours alone.",
        ),
    )


def _times(games: Sequence[Played], first: bool) -> list[str]:
    both = mean([sum(effort.seconds for effort in game.efforts) for game in games], "speed")
    longest = mean([game.effort(first).longest for game in games], "speed")
    return [shown(both), shown(longest)]


def _paper_tables(clock: str) -> tuple[PaperTable, ...]:
    return (
        PaperTable("Table 1", "Minimax, search time of a game, seconds", _seconds),
        PaperTable("Table 2", "Minimax, time per move, seconds", _seconds_per_move),
        PaperTable("Table 3", "Tree search, search time of a game, seconds", _seconds),
        PaperTable("Table 4", "Tree search, time per move, seconds", _seconds_per_move),
        PaperTable("Table 5", "Minimax, nodes of a game", partial(_nodes, clock=clock), _cause, _games_of),
        PaperTable("Table 6", "Minimax, nodes per move", partial(_nodes_per_move, clock=clock), _cause, _games_of),
        PaperTable("Table 7", "Tree search, nodes of a game", partial(_nodes, clock=clock), _COUNTED, _games_of),
        PaperTable(
            "Table 8", "Tree search, nodes per move", partial(_nodes_per_move, clock=clock), _COUNTED, _games_of
        ),
        PaperTable("Table 9", "Share of games won by minimax", partial(_win_rate, clock=clock), _cause, _games_of),
        PaperTable(
            "Table 10",
            "Share of games stopped after 30 minutes",
            partial(_stopped, clock=clock),
            "Which clock was stopped is not clear",
            _games_of,
        ),
    )


def _under(clock: str) -> Study:
    """The study under another reading of their clock, of the same games."""
    return replace(study(), paper_tables=_paper_tables(clock), swaps=(), readings=())


def _with_options(minimax: str = "", final: str = "win_rate", tree: str = "") -> Study:
    """The study with other options of its agents, without the dearest games."""
    pairings = [
        replace(
            pairing,
            a=_MINIMAX.format(_number(pairing.a), minimax),
            b=_TREE.format(_number(pairing.b), final, tree),
            large=pairing.games,
        )
        for pairing in study().pairings
        if pairing.seconds < 0.1
    ]
    return replace(study(), pairings=tuple(pairings), swaps=(), readings=())


def _number(preset: str) -> str:
    return preset.partition("=")[2].rstrip(")")


def study() -> Study:
    """All of it: 3 boards, 4 depths, 4 numbers of iterations, 6 games each."""
    pairings = [
        Pairing(
            _name(size, depth, iterations),
            f"phan-synytsia-minimax(depth={depth})",
            f"phan-synytsia-mcts(playouts={iterations})",
            games=6,
            rules=Rules(size),
            quick=2,
            seconds=0.003 + minimax + tree,
        )
        for size in SIZES
        for depth, minimax in zip(DEPTHS, _MINIMAX_SECONDS[size], strict=True)
        for iterations, tree in zip(ITERATIONS, _TREE_SECONDS[size], strict=True)
    ]
    return Study(
        name="phan-synytsia",
        title="Minimax against tree search on three boards",
        citation='Bach Xuan Phan, Mykyta Synytsia: "Report on Final Project", course project report.',
        summary="Minimax to depth 3 to 6 with square weights and mobility against tree search with 10 to 10,000 "
        "iterations on 4x4, 8x8 and 12x12.",
        pairings=tuple(pairings),
        paper_tables=_paper_tables(NEXT_MOVE),
        printed=_printed(),
        claims=(
            Claim("Board size drives the nodes of both", "315", _board_size_drives),
            Claim("Minimax is weak on 4x4", "266", _small_board_weak),
            Claim(
                "On 4x4 depth 3 is the best",
                "268",
                _depth_three_best,
                "Deeper search evaluates by square weights that misjudge so small a board; the order of depths 4 to 6 "
                "is chance",
            ),
            Claim("Minimax is generally ahead on 8x8", "268", lambda results: _ahead_on(8, results), _MATRIX),
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
        ),
        swaps=(
            Swap("random for minimax", ("Table 6", "Table 9"), _random),
            Swap("depth 3 for every depth", ("Table 6", "Table 9"), _depth_three),
            Swap("100 iterations for every number", ("Table 8", "Table 9", "Table 10"), _hundred_iterations),
        ),
        readings=(
            Reading(
                "How are games stopped after 30 minutes?",
                NEXT_MOVE,
                "chose how their clock is read",
                {clock: partial(_under, clock) for clock in (NOT_MADE, MADE, LOSES, BOTH, NONE)},
            ),
            Reading(
                "Which move does tree search play?",
                "that with the highest win rate",
                "",
                {"the most visited one": partial(_with_options, final="visits")},
            ),
            Reading(
                "What does a pass cost minimax?",
                "a ply",
                "",
                {"nothing": partial(_with_options, minimax=", pass_costs_depth=no")},
            ),
            Reading(
                "What does a forced move cost?",
                "nothing: it is played at once",
                "",
                {"a search": partial(_with_options, minimax=", instant=no", tree=", instant=no")},
            ),
        ),
        differences=(
            "Where the paper can be read in several ways: minimax evaluates from the view of the side to move at the "
            "root, a pass costs a ply, and alpha is shared by root moves; tree search counts the searching agent's "
            "points at every node and plays the move with the highest win rate.",
            "The 8x8 matrix is missing in the paper; ours takes each square's weight from the printed 12x12 one by the "
            "square's distances to the nearest edges.",
            "The 30 minutes are kept in nodes at the paper's own seconds per node for each setting, per player, "
            "looked at before each move; then the side with more discs wins.",
            "A draw is no win. Passes are not counted as moves: the paper's nodes per game and per move give "
            "5.5 to 6.1 moves a side on 4x4, and 12 squares are to be filled.",
            "More games than 6 a cell are played at larger scales; repeated games differ by the seeds of tree search.",
        ),
        errata=read_errata("phan-synytsia"),
        text_numbers=read_text_numbers("phan-synytsia"),
        figures=_figures,
        tables=_unprinted,
    )
