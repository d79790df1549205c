"""The games of Phan & Synytsia as their tables see them: cut by their clock, and pooled over the other side's settings.

Their games were stopped after 30 minutes of one player's thinking, and 90 of 288 were. Ours take seconds, so their
clock is kept in nodes: Tables 1 to 8 give their seconds per node for every setting, and a game of ours is cut where
those seconds would have passed 30 minutes. What is left is counted as they counted it; the side with more discs then
wins. When they looked at the clock is not said. Table 9 on 12x12 with 10,000 iterations chose the reading, before the
late side's next move: had they counted right after the late move, tree search, whose move it mostly is, would have just
turned discs and would win all of these games, of which it lost most. The report has all readings on the other tables.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from outflank.arena.statistics.measured import Measured, mean_of_groups, share_of_groups
from outflank.studies.results import Played, Results
from outflank.studies.study import Printed, read_printed

SIZES = (4, 8, 12)
DEPTHS = (3, 4, 5, 6)
ITERATIONS = (10, 100, 1000, 10000)
_LIMIT_SECONDS = 30 * 60


def setting_name(size: int, depth: int, iterations: int) -> str:
    """The pairing of a setting.

    >>> setting_name(8, 3, 10)
    '8x8, depth 3, iterations 10'
    """
    return f"{size}x{size}, depth {depth}, iterations {iterations}"


@cache
def printed() -> tuple[Printed, ...]:
    """The numbers of their tables.

    >>> printed()[0].table, printed()[0].value
    ('Table 1', 0.022)
    """
    return read_printed("phan_synytsia.csv")


@cache
def seconds_per_node() -> dict[tuple[int, str], float]:
    """The paper's speed for a board size and a setting such as `depth 3`: its seconds divided by its nodes."""
    value = {(cell.table, cell.row, cell.column): cell.value for cell in printed()}
    speeds = {}
    for size in SIZES:
        for setting in (*(f"depth {depth}" for depth in DEPTHS), *(f"iterations {i}" for i in ITERATIONS)):
            times, nodes = ("Table 1", "Table 5") if setting.startswith("depth") else ("Table 3", "Table 7")
            board = f"{size}x{size}"
            speeds[size, setting] = value[times, board, setting] / value[nodes, board, setting]
    return speeds


def work_in(seconds: float) -> tuple[int, int]:
    """(nodes of minimax, iterations of tree search) that their machine did on 8x8 in so many seconds of a move.

    By Tables 2, 4 and 6, where a move took minimax 23 s at depth 6, and tree search 12 s with 1000 iterations.

    >>> work_in(10)
    (11843, 817)
    """
    value = {(cell.table, cell.column): cell.value for cell in printed() if cell.row == "8x8"}
    nodes = value["Table 6", "depth 6"] / value["Table 2", "depth 6"]
    return round(nodes * seconds), round(1000 * seconds / value["Table 4", "iterations 1000"])


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


@lru_cache(maxsize=1 << 17)
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
    speeds = seconds_per_node()
    both = speeds[size, f"depth {depth}"], speeds[size, f"iterations {iterations}"]
    return [clocked(game, both, clock) for game in results[setting_name(size, depth, iterations)]]


def games_at(
    results: Results, sizes: Iterable[int], depths: Iterable[int], counts: Iterable[int], clock: str = NEXT_MOVE
) -> list[list[Clocked]]:
    """The games of these settings, a group for each."""
    return [_setting(results, size, depth, count, clock) for size in sizes for depth in depths for count in counts]


def _pooled(results: Results, row: str, column: str, clock: str = NEXT_MOVE) -> list[list[Clocked]]:
    """The games of a cell of Tables 1 to 8: one setting of one side against all settings of the other."""
    size = int(row.split("x")[0])
    kind, _, number = column.partition(" ")
    if kind == "depth":
        return games_at(results, [size], [int(number)], ITERATIONS, clock)
    return games_at(results, [size], DEPTHS, [int(number)], clock)


def games_of(row: str, column: str) -> str:
    """What numbers from the same games have in common.

    >>> games_of("8x8", "depth 3")
    '8x8, depth 3'
    """
    return f"{row}, {column}"


def _side(column: str) -> int:
    return int(not column.startswith("depth"))


def game_seconds(results: Results, row: str, column: str) -> Measured | None:
    """Tables 1 and 3: seconds that a side thinks in a game."""
    first, groups = not _side(column), _pooled(results, row, column)
    return mean_of_groups([[game.full.effort(first).seconds for game in group] for group in groups], "speed")


def move_seconds(results: Results, row: str, column: str) -> Measured | None:
    """Tables 2 and 4: seconds that a side thinks about a move."""
    first, groups = not _side(column), _pooled(results, row, column)
    efforts = [[game.full.effort(first) for game in group] for group in groups]
    return mean_of_groups([[one.seconds / max(1, one.moves) for one in group] for group in efforts], "speed")


def game_nodes(results: Results, row: str, column: str, clock: str = NEXT_MOVE) -> Measured | None:
    """Tables 5 and 7: nodes of a side in a game."""
    side, groups = _side(column), _pooled(results, row, column, clock)
    return mean_of_groups([[game.nodes[side] for game in group] for group in groups])


def move_nodes(results: Results, row: str, column: str, clock: str = NEXT_MOVE) -> Measured | None:
    """Tables 6 and 8: nodes of a side for a move."""
    side, groups = _side(column), _pooled(results, row, column, clock)
    return mean_of_groups([[game.nodes[side] / max(1, game.moves[side]) for game in group] for group in groups])


def _cell(results: Results, row: str, column: str, clock: str) -> list[list[Clocked]]:
    board, _, depth = row.partition(", depth ")
    counts = ITERATIONS if column == "average" else (int(column.split()[1]),)
    return games_at(results, [int(board.split("x")[0])], [int(depth)], counts, clock)


def win_rate(results: Results, row: str, column: str, clock: str = NEXT_MOVE) -> Measured | None:
    """Table 9: share of games that minimax wins."""
    return _won(_cell(results, row, column, clock))


def stopped_share(results: Results, row: str, column: str, clock: str = NEXT_MOVE) -> Measured | None:
    """Table 10: share of games that are stopped."""
    return share_of_groups([[game.stopped for game in group] for group in _cell(results, row, column, clock)])


def _won(groups: Iterable[Iterable[Clocked]]) -> Measured | None:
    return share_of_groups([[game.won for game in group] for group in groups])


def wins(
    results: Results, sizes: Iterable[int], depths: Iterable[int] = DEPTHS, counts: Iterable[int] = ITERATIONS
) -> Measured | None:
    """Share of games that minimax wins, over all of these settings, each with the same weight."""
    return _won(games_at(results, sizes, depths, counts))
