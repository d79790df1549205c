"""The measurements of speed that papers made: simulations with and without a compiler, and orders of moves."""

import os
import random
import subprocess
import sys
import time
from functools import cache

from outflank.agents import Agent, agent
from outflank.board import Position, Rules
from outflank.search.limits import Limits

ORDERS = ("none", "positional", "worst_first")
SIMULATING = "he-reversed-uct"
ORDERING = {order: f"minimax(depth=4, eval=five_terms, order={order})" for order in ORDERS}
"""The agents that are timed."""
SEARCHED = 60
"""Positions that every order is timed on, and whose nodes are counted."""
EQUAL_PLAYOUTS = "tenshi(playouts=400)"
"""The agent that is timed with the compiler and without."""
_SECONDS = 4.9
_SIMULATIONS = """
import sys
from outflank.studies.timing import count_simulations
print(*count_simulations(float(sys.argv[1]), int(sys.argv[2])))
"""
_DECISIONS = """
import sys
from outflank.studies.timing import time_decisions
print(*time_decisions(int(sys.argv[1])))
"""


def positions(number: int, seed: int = 1, rules: Rules = Rules(8, "reversed")) -> list[Position]:  # noqa: B008
    """Positions of the middle game of random games, all different: an eighth to five eighths of the squares played."""
    rng = random.Random(seed)
    found: list[Position] = []
    while len(found) < number:
        position = Position.start(rules)
        for _ in range(rng.randrange(rules.cells // 8, 5 * rules.cells // 8)):
            if position.moves:
                position = position.play(rng.choice(position.moves))
        if len(position.moves) > 1 and position not in found:
            found.append(position)
    return found


def count_simulations(seconds: float, number: int) -> list[float]:
    """Playouts that Zean He's tree search does in so many seconds, for several positions."""
    player = agent(SIMULATING)
    player.warm_up(Rules(8, "reversed"))
    return [float(player.choose(position, Limits(seconds=seconds), 1).playouts) for position in positions(number)]


def compiled_simulations(quick: bool) -> list[float]:
    """Simulations in 4.9 s, compiled; quick runs take a tenth of the time and multiply."""
    return _simulations(quick, interpreted=False)


def interpreted_simulations(quick: bool) -> list[float]:
    """Simulations in 4.9 s with the same source run by the Python interpreter."""
    return _simulations(quick, interpreted=True)


def _simulations(quick: bool, interpreted: bool) -> list[float]:
    share = 10 if quick else 1
    found = _in_own_process(interpreted, _SIMULATIONS, str(_SECONDS / share), "3" if quick else "5")
    return [number * share for number in found]


def time_decisions(number: int) -> list[float]:
    """Seconds that Tenshi's tree search takes for the same playouts, for several positions."""
    player = agent(EQUAL_PLAYOUTS)
    player.warm_up(Rules(8, "reversed"))
    return [player.choose(position, None, 1).seconds for position in positions(number)]


def compiled_decisions(quick: bool) -> list[float]:
    """Seconds of decisions by equal playouts, compiled."""
    return _in_own_process(False, _DECISIONS, "4" if quick else "12")


def interpreted_decisions(quick: bool) -> list[float]:
    """Seconds of the same decisions with the same source run by the Python interpreter."""
    return _in_own_process(True, _DECISIONS, "4" if quick else "12")


def _in_own_process(interpreted: bool, program: str, *arguments: str) -> list[float]:
    """The numbers that a program prints; whether numba compiles is fixed when a process begins."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": str(int(interpreted))}
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [float(text) for text in done.stdout.split()]


def order_none(quick: bool) -> list[float]:
    """Milliseconds of a search to depth 4 with moves in the order of the board, one sample a round."""
    return _orders(quick)["none"]


def order_positional(quick: bool) -> list[float]:
    """Milliseconds of a search to depth 4, good squares first."""
    return _orders(quick)["positional"]


def order_worst_first(quick: bool) -> list[float]:
    """Milliseconds of a search to depth 4, bad squares first."""
    return _orders(quick)["worst_first"]


NODES = {
    "five terms": "outflank.studies.timing:nodes_with_five_terms",
    "position alone": "outflank.studies.timing:nodes_with_position",
}
"""Nodes of searches to depth 4 in all orders, by what is evaluated."""


def nodes_with_five_terms(quick: bool) -> list[float]:  # noqa: ARG001
    """Nodes of a search to depth 4, for every order of moves."""
    return [_nodes(text) for text in ORDERING.values()]


def nodes_with_position(quick: bool) -> list[float]:  # noqa: ARG001
    """The same where position alone is evaluated, the matrix that orders."""
    position = "five_terms(mobility=0, stability=0, discs=0, aggregation=0)"
    return [_nodes(text.replace("five_terms", position)) for text in ORDERING.values()]


def _nodes(text: str) -> float:
    player = agent(text)
    return float(sum(player.choose(position, None, 1).nodes for position in positions(SEARCHED)))


@cache
def _orders(quick: bool) -> dict[str, list[float]]:
    """All orders in turn, round by round, so that whatever else the machine does slows them alike."""
    players = {order: agent(text) for order, text in ORDERING.items()}
    board = positions(SEARCHED)
    for player in players.values():
        player.warm_up(Rules(8, "reversed"))
    samples: dict[str, list[float]] = {order: [] for order in ORDERS}
    for _ in range(5 if quick else 15):
        for order, player in players.items():
            samples[order].append(_milliseconds(player, board))
    return samples


def _milliseconds(player: Agent, board: list[Position]) -> float:
    """The mean time of a search, the best of five passes over the positions."""
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        for position in board:
            player.choose(position, None, 1)
        best = min(best, time.perf_counter() - began)
    return best * 1000 / len(board)
