"""The engine: how deep it looks in a second, how fast, how long it takes to begin, what a second thread gains.

Positions are those of games between quick engines after random openings, the same on every machine.
"""

import random
import statistics
import time
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from outflank.agents import agent
from outflank.benchmark.machine import ask
from outflank.board import Position, Rules, Variant
from outflank.kernels.selective import CERTAIN
from outflank.patterns import read_weights
from outflank.report.document import Table
from outflank.search.engine import EngineSearch
from outflank.search.limits import Limits

_FIRST = """
import json, time
began = time.perf_counter()
import outflank
decision = outflank.agent("engine(depth=10)").choose(outflank.Position.start())
print(json.dumps({"seconds": time.perf_counter() - began}))
"""


@cache
def game_positions(empties: int, count: int, variant: Variant = "standard") -> tuple[Position, ...]:
    """So many positions with so many empty squares, from games of the engine after eight random moves.

    >>> [position.empties for position in game_positions(50, 2)]
    [50, 50]
    """
    player, rng = agent("engine(depth=3, memory=1)"), random.Random(f"{empties} {variant}")
    found: list[Position] = []
    while len(found) < count:
        position = Position.start(Rules(8, variant))
        while position.empties > empties and not position.is_over:
            is_opening = position.empties > 60 - 8
            move = rng.choice(position.moves) if is_opening else player.choose(position, Limits(), 0).move
            position = position.play(move)
        if len(position.moves) > 1 and position.empties == empties:
            found.append(position)
    return tuple(found)


def measure_engine(quick: bool = False, on_progress: Callable[[str], None] = lambda text: None) -> dict[str, Any]:
    """All figures by name; depths are medians."""
    count, seconds = (2, 0.2) if quick else (12, 1.0)
    agent("engine(depth=4)").choose(Position.start())
    on_progress("depth in a second")
    thoughts = [_thought(position, seconds) for position in game_positions(40, count)]
    on_progress("a second thread")
    middle = game_positions(36, count)
    selective = _thread_gain(middle, 12 if quick else 20)
    whole = _thread_gain(middle, 8 if quick else 13, CERTAIN)
    end = _thread_gain(game_positions(18 if quick else 22, count), 60)
    on_progress("values at 18 empties")
    values = [_judged(position, 200_000 if quick else 5_000_000) for position in game_positions(18, 4 * count)]
    on_progress("start")
    return {
        "seconds": seconds,
        "depth_from_40_empties": statistics.median(thought.depth for thought in thoughts),
        "nodes_per_s": sum(thought.nodes for thought in thoughts) / sum(thought.seconds for thought in thoughts),
        "second_thread_selective": selective,
        "second_thread_middle": whole,
        "second_thread_end": end,
        **value_errors(values),
        "weights_load_s": min(_load_seconds() for _ in range(5)),
        "first_decision_s": min(ask(_FIRST)[0]["seconds"] for _ in range(2 if quick else 3)),
        "memory_mb": ask(_FIRST)[3],
    }


def _thought(position: Position, seconds: float) -> Any:
    return EngineSearch().choose(position, Limits(seconds=seconds), 0)


def _judged(position: Position, nodes: int) -> tuple[float, float]:
    """(value after so many nodes, about those of a second; exact value) of a position."""
    judged = EngineSearch().choose(position, Limits(nodes=nodes), 0).value
    exact = EngineSearch().choose(position, Limits(), 0).value
    return judged or 0.0, exact or 0.0


def value_errors(values: Sequence[tuple[float, float]]) -> dict[str, float]:
    """Mean error in discs, and how often the sign is right where the exact value is not within 2 of a draw.

    >>> value_errors([(3, 4), (-1, 0), (5, -6)])
    {'value_error': 4.333333333333333, 'sign_right': 0.5}
    """
    decided = [judged * exact > 0 for judged, exact in values if abs(exact) > 2]
    return {
        "value_error": statistics.mean(abs(judged - exact) for judged, exact in values),
        "sign_right": sum(decided) / max(len(decided), 1),
    }


def _load_seconds() -> float:
    with resources.as_file(resources.files("outflank") / "weights" / "standard-8x8.npz") as path:
        began = time.perf_counter()
        read_weights(Path(path), Rules(8))
        return time.perf_counter() - began


def _thread_gain(positions: Sequence[Position], depth: int, confidence: int = 0) -> float:
    """How many times faster two threads search to a depth, the end at most."""
    seconds = {1: 0.0, 2: 0.0}
    players = {threads: EngineSearch(threads=threads, confidence=confidence) for threads in seconds}
    for position in positions:
        for threads, player in players.items():
            player.tools(position.rules).forget()  # also gives the table its memory, which takes time once
            began = time.perf_counter()
            player.choose(position, Limits(depth=min(depth, position.empties)), 0)
            seconds[threads] += time.perf_counter() - began
    return seconds[1] / seconds[2]


def engine_table(figures: dict[str, Any]) -> Table:
    """The figures as a table."""
    rows = [
        (f"depth in {figures['seconds']:g} s from 40 empties", f"{figures['depth_from_40_empties']:g}", "≥ 18"),
        ("nodes a second there", f"{figures['nodes_per_s'] / 1e6:.1f} million", "≥ 8 million"),
        ("two threads to one, middle game, no cuts", f"{figures['second_thread_middle']:.2f}", "≥ 1.70"),
        ("two threads to one, middle game, ProbCut", f"{figures['second_thread_selective']:.2f}", "≥ 1.70"),
        ("two threads to one, solving", f"{figures['second_thread_end']:.2f}", "≥ 1.70"),
        ("mean error at 18 empties after 5 million nodes", f"{figures['value_error']:.2f} discs", "≤ 2"),
        ("sign right there, beyond 2 discs", f"{100 * figures['sign_right']:.0f} %", "≥ 97 %"),
        ("weights read", f"{1000 * figures['weights_load_s']:.0f} ms", "≤ 50 ms"),
        ("first decision of a process, kernels on disk", f"{figures['first_decision_s']:.2f} s", "≤ 1 s"),
        ("peak of its memory, 64 MB of table among it", f"{figures['memory_mb']:.0f} MB", ""),
    ]
    return Table(["the engine, 8x8", "measured", "wanted"], rows)
