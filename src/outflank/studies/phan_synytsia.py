"""Phan & Synytsia, "Report on Final Project": minimax to a fixed depth against tree search with fixed iterations.

How their games are cut and counted stands in `phan_synytsia_games.py`, what they concluded in
`phan_synytsia_claims.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from outflank.arena.statistics.measured import Measured, mean
from outflank.board import Rules
from outflank.report.document import Figure, Table
from outflank.report.figures import Scales
from outflank.studies.phan_synytsia_claims import CLAIMS, MATRIX
from outflank.studies.phan_synytsia_games import (
    BOTH,
    DEPTHS,
    ITERATIONS,
    LOSES,
    MADE,
    NEXT_MOVE,
    NONE,
    NOT_MADE,
    SIZES,
    game_nodes,
    game_seconds,
    games_at,
    games_of,
    move_nodes,
    move_seconds,
    printed,
    setting_name,
    stopped_share,
    win_rate,
    wins,
)
from outflank.studies.results import Played, Results
from outflank.studies.study import (
    Pairing,
    PaperTable,
    Printed,
    Reading,
    Study,
    Swap,
    read_errata,
    read_text_numbers,
)
from outflank.studies.words import beside, shown

_MINIMAX, _TREE = "minimax(depth={0}{1})", "uct(playouts={0}, backup=agent, final={1}, pass_node=leaf{2})"
"""The presets of the paper spelled out, with room for other options."""
_MINIMAX_SECONDS = {4: (0.0002,) * 4, 8: (0.002, 0.003, 0.007, 0.021), 12: (0.015, 0.057, 0.4, 2.1)}
_TREE_SECONDS = {4: (0.0002, 0.0004, 0.002, 0.014), 8: (0.001, 0.003, 0.023, 0.23), 12: (0.008, 0.034, 0.32, 2.9)}
"""What a game takes either side here, by board and setting; the game around it takes 3 ms."""
_COUNTED = (
    "not tested: how they counted nodes is not said; and where the clock cut games, their seconds per node are known "
    "only as means"
)


def _cause(cell: Printed) -> str:
    """What the paper leaves open, by board."""
    if cell.row.startswith("8x8"):
        return MATRIX
    if cell.row.startswith("12x12"):
        return "Most of these games were stopped, and how their clock ran and who then won is not clear"
    return "a finished game worth infinity comes closer (tested under Readings); order and ties are not printed"


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
    return _figure(results, table, name, title, columns, move_nodes, "nodes per move")


def _time_figure(results: Results, table: str, name: str, title: str, columns: Sequence[str]) -> Figure:
    """The plots of times that the paper announces and its text version lacks."""
    return _figure(results, table, name, title, columns, move_seconds, "seconds per move")


def _figure(
    results: Results,
    table: str,
    name: str,
    title: str,
    columns: Sequence[str],
    measure: Callable[[Results, str, str], Measured | None],
    label: str,
) -> Figure:
    theirs = {(cell.row, cell.column): cell.value for cell in printed() if cell.table == table}
    kind, settings = columns[0].split()[0], [column.split()[1] for column in columns]
    panels = []
    for board in (f"{size}x{size}" for size in SIZES):
        ours = [measure(results, board, column) for column in columns]
        scales = Scales(x=kind, y=label, title=board, log_y=True)
        panels.append(beside(settings, ours, [theirs[board, column] for column in columns], scales))
    caption = f"{title}, ours with 95 % intervals and the printed values ({table})"
    return Figure(f"phan-synytsia-{name}", caption, panels, size=(10, 3.6))


def _win_figure(results: Results) -> Figure:
    theirs = {(cell.row, cell.column): cell.value for cell in printed() if cell.table == "Table 9"}
    panels = []
    for size in SIZES:
        ours = [wins(results, [size], [depth]) for depth in DEPTHS]
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
            games = [game.full for group in games_at(results, [size], [depth], ITERATIONS) for game in group]
            rows.append([f"{size}x{size}", f"minimax, depth {depth}", *_times(games, True)])
        for count in ITERATIONS:
            games = [game.full for group in games_at(results, [size], DEPTHS, [count]) for game in group]
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
        PaperTable("Table 1", "Minimax, search time of a game, seconds", game_seconds),
        PaperTable("Table 2", "Minimax, time per move, seconds", move_seconds),
        PaperTable("Table 3", "Tree search, search time of a game, seconds", game_seconds),
        PaperTable("Table 4", "Tree search, time per move, seconds", move_seconds),
        PaperTable("Table 5", "Minimax, nodes of a game", partial(game_nodes, clock=clock), _cause, games_of),
        PaperTable("Table 6", "Minimax, nodes per move", partial(move_nodes, clock=clock), _cause, games_of),
        PaperTable("Table 7", "Tree search, nodes of a game", partial(game_nodes, clock=clock), _COUNTED, games_of),
        PaperTable("Table 8", "Tree search, nodes per move", partial(move_nodes, clock=clock), _COUNTED, games_of),
        PaperTable("Table 9", "Share of games won by minimax", partial(win_rate, clock=clock), _cause, games_of),
        PaperTable(
            "Table 10",
            "Share of games stopped after 30 minutes",
            partial(stopped_share, clock=clock),
            "Which clock was stopped is not clear",
            games_of,
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


def _infinite_ends(pass_cost: int) -> Study:
    """The study with finished games worth infinity to minimax, where its slow twin has the time: 4x4, and depth 3."""
    player = "outflank.studies.players:InfiniteEnds(depth={0}, pass_cost={1})"
    one = study()
    pairings = [
        replace(
            pairing,
            a=player.format(_number(pairing.a), pass_cost),
            large=60 if pairing.rules.size == 4 else pairing.games,
            seconds=pairing.seconds + (0.01 if pairing.rules.size == 4 else 0.2),
        )
        for pairing in one.pairings
        if pairing.rules.size == 4 or pairing.name.startswith("8x8, depth 3")
    ]
    return replace(one, pairings=tuple(pairings), swaps=(), readings=())


def _number(preset: str) -> str:
    return preset.partition("=")[2].rstrip(")")


def study() -> Study:
    """All of it: 3 boards, 4 depths, 4 numbers of iterations, 6 games each."""
    pairings = [
        Pairing(
            setting_name(size, depth, iterations),
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
        printed=printed(),
        claims=CLAIMS,
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
                "What is a finished game worth to minimax, and what does a pass cost?",
                "a million, less than its window is wide; a ply",
                "",
                {
                    "infinity, so that a won end closes the window; nothing": partial(_infinite_ends, 0),
                    "infinity, so that a won end closes the window; a ply": partial(_infinite_ends, 1),
                },
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
