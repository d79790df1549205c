"""Phan & Synytsia, "Report on Final Project": minimax to a fixed depth against tree search with fixed iterations.

Their games were stopped after 30 minutes of one player's thinking, and 90 of 288 were. Ours take seconds, so their
clock is kept in nodes: Tables 1 to 8 give their seconds per node for every setting, and a game of ours is cut where
those seconds would have passed 30 minutes. What is left is counted as they counted it; the side with more discs then
wins, and the move that took too long is not made. That reading fits their Table 9: were it made, tree search, whose
move it mostly is, would have just turned discs and would win all games of 10,000 iterations on 12x12, of which it lost
most.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from outflank.board import Rules
from outflank.report.document import Figure, Table
from outflank.report.figures import Scales
from outflank.studies.measure import Measured, above, beyond, every, mean, share
from outflank.studies.results import Played, Results
from outflank.studies.study import Claim, Finding, Pairing, PaperTable, Printed, Study, read_printed
from outflank.studies.words import beside, evidence, shown

SIZES = (4, 8, 12)
DEPTHS = (3, 4, 5, 6)
ITERATIONS = (10, 100, 1000, 10000)
_LIMIT_SECONDS = 30 * 60
_MATRIX = (
    "Their 8x8 square weights are missing from the paper; we derive them from the printed 12x12 matrix, and other "
    "matrices change these results"
)
_COUNTED = (
    "How they counted nodes is not said; and where the clock cut games, their seconds per node are known only as means"
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


def clocked(game: Played, speeds: tuple[float, float]) -> Clocked:
    """A game cut where one side has used up its time, looked at after each of its moves; `speeds` are seconds a "
    "node."""
    nodes, moves = [0, 0], [0, 0]
    notes = game.game.notes[game.game.opening_plies :]
    for ply, ((color, move), note) in enumerate(zip(game.colored_moves(), notes, strict=False)):
        side = int(color is not game.color)
        nodes[side] += note.nodes
        moves[side] += not move.is_pass
        if nodes[side] * speeds[side] > _LIMIT_SECONDS and ply + 1 < len(notes):
            ahead = game.after(ply).score(game.color, empties="nobody")
            return Clocked(ahead > 0, True, (nodes[0], nodes[1]), (moves[0], moves[1]), game)
    return Clocked(game.won, False, (nodes[0], nodes[1]), (moves[0], moves[1]), game)


@cache
def _clocked_games(results: Results) -> dict[str, list[Clocked]]:
    found = {}
    for size in SIZES:
        for depth in DEPTHS:
            for iterations in ITERATIONS:
                name = _name(size, depth, iterations)
                speed = _seconds_per_node()
                speeds = speed[size, f"depth {depth}"], speed[size, f"iterations {iterations}"]
                found[name] = [clocked(game, speeds) for game in results[name]]
    return found


def _games(results: Results, sizes: Iterable[int], depths: Iterable[int], counts: Iterable[int]) -> list[Clocked]:
    games = _clocked_games(results)
    return [game for size in sizes for depth in depths for count in counts for game in games[_name(size, depth, count)]]


def _pooled(results: Results, row: str, column: str) -> list[Clocked]:
    """The games of a cell of Tables 1 to 8: one setting of one side against all settings of the other."""
    size = int(row.split("x")[0])
    kind, _, number = column.partition(" ")
    if kind == "depth":
        return _games(results, [size], [int(number)], ITERATIONS)
    return _games(results, [size], DEPTHS, [int(number)])


def _side(column: str) -> int:
    return int(not column.startswith("depth"))


def _seconds(results: Results, row: str, column: str) -> Measured | None:
    games = _pooled(results, row, column)
    return mean([game.full.effort(not _side(column)).seconds for game in games], "speed")


def _seconds_per_move(results: Results, row: str, column: str) -> Measured | None:
    efforts = [game.full.effort(not _side(column)) for game in _pooled(results, row, column)]
    return mean([effort.seconds / max(1, effort.moves) for effort in efforts], "speed")


def _nodes(results: Results, row: str, column: str) -> Measured | None:
    return mean([game.nodes[_side(column)] for game in _pooled(results, row, column)])


def _nodes_per_move(results: Results, row: str, column: str) -> Measured | None:
    side = _side(column)
    return mean([game.nodes[side] / max(1, game.moves[side]) for game in _pooled(results, row, column)])


def _cell(results: Results, row: str, column: str) -> list[Clocked]:
    board, _, depth = row.partition(", depth ")
    counts = ITERATIONS if column == "average" else (int(column.split()[1]),)
    return _games(results, [int(board.split("x")[0])], [int(depth)], counts)


def _win_rate(results: Results, row: str, column: str) -> Measured | None:
    return share([game.won for game in _cell(results, row, column)])


def _stopped(results: Results, row: str, column: str) -> Measured | None:
    return share([game.stopped for game in _cell(results, row, column)])


def _wins(results: Results, sizes: Iterable[int], depths: Iterable[int] = DEPTHS) -> Measured | None:
    return share([game.won for game in _games(results, sizes, depths, ITERATIONS)])


# ------------------------------------------------------------------------------------------------------------- claims


def _board_size_drives(results: Results) -> Finding:
    answers, words = [], []
    for setting in ("depth 3", "iterations 10", "iterations 100"):
        nodes = [_nodes_per_move(results, f"{size}x{size}", setting) for size in SIZES]
        answers += [above(larger, smaller) for smaller, larger in itertools.pairwise(nodes)]
        words.append(f"{setting}: " + " < ".join(shown(number) for number in nodes))
    return Finding(every(answers), "nodes per move on 4x4, 8x8, 12x12; " + "; ".join(words))


def _small_board_weak(results: Results) -> Finding:
    wins = _wins(results, [4])
    return Finding(_not(beyond(wins, 0.5)), f"minimax wins {evidence(wins)} on 4x4")


def _depth_three_best(results: Results) -> Finding:
    rates = [_wins(results, [4], [depth]) for depth in DEPTHS]
    answers = [above(rates[0], other) for other in rates[1:]]
    return Finding(every(answers), "wins on 4x4 at depths 3 to 6: " + ", ".join(shown(rate) for rate in rates))


def _ahead_on(size: int, results: Results) -> Finding:
    wins = _wins(results, [size])
    return Finding(beyond(wins, 0.5), f"minimax wins {evidence(wins)} on {size}x{size}")


def _depth_matters(results: Results) -> Finding:
    deep, shallow = _wins(results, [8, 12], [6]), _wins(results, [8, 12], [3])
    return Finding(above(deep, shallow), f"wins on 8x8 and 12x12: depth 6 {shown(deep)}, depth 3 {shown(shallow)}")


def _equal_budgets(results: Results) -> Finding:
    pairs = list(zip(DEPTHS, ITERATIONS, strict=True))
    rates = [share([game.won for game in _games(results, [8], [depth], [count])]) for depth, count in pairs]
    words = [f"{depth}/{count}: {shown(rate)}" for (depth, count), rate in zip(pairs, rates, strict=True)]
    return Finding(every([beyond(rate, 0.5) for rate in rates]), "wins on 8x8 at depth/iterations " + ", ".join(words))


def _playouts_slow(results: Results) -> Finding:
    seconds = [_seconds_per_move(results, "8x8", setting) for setting in ("iterations 10000", "depth 6")]
    return Finding(
        above(*seconds), f"8x8, seconds a move: 10000 iterations {shown(seconds[0])}, depth 6 {shown(seconds[1])}"
    )


def _stops_grow(results: Results) -> Finding:
    stopped = {size: share([game.stopped for game in _games(results, [size], DEPTHS, ITERATIONS)]) for size in SIZES}
    answers = [above(stopped[8], stopped[4]), above(stopped[12], stopped[8])]
    words = ", ".join(f"{size}x{size} {shown(rate)}" for size, rate in stopped.items())
    return Finding(every(answers), f"games past their 30 minutes: {words}")


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


# ------------------------------------------------------------------------------------------------------------ pictures


def _figures(results: Results) -> Sequence[Figure]:
    depths, counts = [f"depth {depth}" for depth in DEPTHS], [f"iterations {count}" for count in ITERATIONS]
    return (
        _node_figure(results, "Table 6", "nodes-minimax", "Nodes per move of minimax", depths),
        _node_figure(results, "Table 8", "nodes-mcts", "Nodes per move of tree search", counts),
        _win_figure(results),
    )


def _node_figure(results: Results, table: str, name: str, title: str, columns: Sequence[str]) -> Figure:
    theirs = {(cell.row, cell.column): cell.value for cell in _printed() if cell.table == table}
    kind, settings = columns[0].split()[0], [column.split()[1] for column in columns]
    panels = []
    for board in (f"{size}x{size}" for size in SIZES):
        ours = [_nodes_per_move(results, board, column) for column in columns]
        scales = Scales(x=kind, y="nodes per move", title=board, log_y=True)
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
            games = [game.full for game in _games(results, [size], [depth], ITERATIONS)]
            rows.append([f"{size}x{size}", f"minimax, depth {depth}", *_times(games, True)])
        for count in ITERATIONS:
            games = [game.full for game in _games(results, [size], DEPTHS, [count])]
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
        )
        for size in SIZES
        for depth in DEPTHS
        for iterations in ITERATIONS
    ]
    paper_tables = [
        PaperTable("Table 1", "Minimax, search time of a game, seconds", _seconds),
        PaperTable("Table 2", "Minimax, time per move, seconds", _seconds_per_move),
        PaperTable("Table 3", "Tree search, search time of a game, seconds", _seconds),
        PaperTable("Table 4", "Tree search, time per move, seconds", _seconds_per_move),
        PaperTable("Table 5", "Minimax, nodes of a game", _nodes, _cause),
        PaperTable("Table 6", "Minimax, nodes per move", _nodes_per_move, _cause),
        PaperTable("Table 7", "Tree search, nodes of a game", _nodes, _COUNTED),
        PaperTable("Table 8", "Tree search, nodes per move", _nodes_per_move, _COUNTED),
        PaperTable("Table 9", "Share of games won by minimax", _win_rate, _cause),
        PaperTable(
            "Table 10", "Share of games stopped after 30 minutes", _stopped, "Which clock was stopped is not clear"
        ),
    ]
    return Study(
        name="phan-synytsia",
        title="Minimax against tree search on three boards",
        citation='Bach Xuan Phan, Mykyta Synytsia: "Report on Final Project", course project report.',
        summary="Minimax to depth 3 to 6 with square weights and mobility against tree search with 10 to 10,000 "
        "iterations on 4x4, 8x8 and 12x12.",
        pairings=tuple(pairings),
        paper_tables=tuple(paper_tables),
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
        ),
        differences=(
            "Where the paper can be read in several ways: minimax evaluates from the view of the side to move at the "
            "root, a pass costs a ply, and alpha is shared by root moves; tree search counts the searching agent's "
            "points at every node and plays the move with the highest win rate.",
            "The 8x8 matrix is missing in the paper; ours takes each square's weight from the printed 12x12 one by the "
            "square's distances to the nearest edges.",
            "The 30 minutes are kept in nodes at the paper's own seconds per node for each setting, per player, "
            "looked at after each move; then the side with more discs wins, counted before the move that "
            "took too long.",
            "A draw is no win. Passes are not counted as moves: the paper's nodes per game and per move give "
            "5.5 to 6.1 moves a side on 4x4, and 12 squares are to be filled.",
            "More games than 6 a cell are played at larger scales; repeated games differ by the seeds of tree search.",
        ),
        figures=_figures,
        tables=_unprinted,
    )
