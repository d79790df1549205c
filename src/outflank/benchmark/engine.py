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
    middle = _thread_gain(game_positions(36, count // 2 + 1), 12 if quick else 18)
    end = _thread_gain(game_positions(18 if quick else 22, count // 2 + 1), 60)
    on_progress("start")
    return {
        "seconds": seconds,
        "depth_from_40_empties": statistics.median(thought.depth for thought in thoughts),
        "nodes_per_s": sum(thought.nodes for thought in thoughts) / sum(thought.seconds for thought in thoughts),
        "second_thread_middle": middle,
        "second_thread_end": end,
        "weights_load_s": min(_load_seconds() for _ in range(5)),
        "first_decision_s": min(ask(_FIRST)[0]["seconds"] for _ in range(2 if quick else 3)),
        "memory_mb": ask(_FIRST)[3],
    }


def _thought(position: Position, seconds: float) -> Any:
    return EngineSearch().choose(position, Limits(seconds=seconds), 0)


def _load_seconds() -> float:
    with resources.as_file(resources.files("outflank") / "weights" / "standard-8x8.npz") as path:
        began = time.perf_counter()
        read_weights(Path(path), Rules(8))
        return time.perf_counter() - began


def _thread_gain(positions: Sequence[Position], depth: int) -> float:
    """How many times faster two threads search to a depth, the end at most, and come to the same score at the end."""
    seconds = {1: 0.0, 2: 0.0}
    for position in positions:
        for threads in seconds:
            began = time.perf_counter()
            EngineSearch(threads=threads).choose(position, Limits(depth=min(depth, position.empties)), 0)
            seconds[threads] += time.perf_counter() - began
    return seconds[1] / seconds[2]


def engine_table(figures: dict[str, Any]) -> Table:
    """The figures as a table."""
    rows = [
        (f"depth in {figures['seconds']:g} s from 40 empties", f"{figures['depth_from_40_empties']:g}", "≥ 18"),
        ("nodes a second there", f"{figures['nodes_per_s'] / 1e6:.1f} million", "≥ 8 million"),
        ("two threads to one, middle game", f"{figures['second_thread_middle']:.2f}", "≥ 1.70"),
        ("two threads to one, solving", f"{figures['second_thread_end']:.2f}", "≥ 1.70"),
        ("weights read", f"{1000 * figures['weights_load_s']:.0f} ms", "≤ 50 ms"),
        ("first decision of a process, kernels on disk", f"{figures['first_decision_s']:.2f} s", "≤ 1 s"),
        ("peak of its memory, 64 MB of table among it", f"{figures['memory_mb']:.0f} MB", ""),
    ]
    return Table(["the engine, 8x8", "measured", "wanted"], rows)
