"""What the arena costs: stored games per minute, overhead per game, two workers against one, the share of kernels.

Short games show the overhead: random movers play for a millisecond, and everything else is schedule, traffic and
transactions. It is told as processor time, which hardly depends on what else the machine is doing: that of all
processes for a stored game, start of the workers included, less that of playing the game and nothing else. Long games
show how workers share the machine, in time as it passes.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from outflank.agents import agent
from outflank.arena.runner import play_slot, run_plan, warm_up
from outflank.arena.schedule import Conditions, Plan, Slot, plan_match
from outflank.arena.store import Store
from outflank.benchmark.machine import processor_seconds
from outflank.board import Rules
from outflank.execute import Processes
from outflank.kernels import alphabeta, rules, uct

SHORT = ("random", "random")
LONG = ("minimax(depth=4, eval=positional)", "uct(playouts=1000)")
_WORKERS = 2
_SAMPLE = 40
_KERNELS = ((alphabeta, "search"), (uct, "plant"), (uct, "simulate"), (rules, "legal_moves"), (rules, "play"))
"""What the games of `LONG` call, by module and name."""


def measure_arena(quick: bool = False, on_progress: Callable[[str], None] = lambda text: None) -> dict[str, Any]:
    """The figures by name; times in seconds or, where the name says so, in milliseconds."""
    short, long = _plan(SHORT, 1_000 if quick else 20_000), _plan(LONG, 40 if quick else 1_000)
    on_progress(f"{short.games} games of {SHORT[0]}")
    bare = _bare_seconds(short)
    seconds, processor = _stored(short, _WORKERS)
    on_progress(f"{long.games} games of {' and '.join(LONG)}, {_WORKERS} workers")
    together, _ = _stored(long, _WORKERS)
    on_progress(f"{long.games} games of {' and '.join(LONG)}, one worker")
    alone, _ = _stored(long, 1)
    return {
        "short": {
            "agents": SHORT,
            "games": short.games,
            "workers": _WORKERS,
            "games_per_minute": 60 * short.games / seconds,
            "bare_ms": 1000 * bare,
            "overhead_ms": 1000 * (processor / short.games - bare),
        },
        "long": {
            "agents": LONG,
            "games": long.games,
            "one_worker_s": alone,
            "two_workers_s": together,
            "times_one_worker": alone / together,
            "share_in_kernels": share_in_kernels(long),
        },
    }


def _plan(agents: tuple[str, str], games: int) -> Plan:
    first, second = (agent(text).text for text in agents)
    return plan_match(first, second, Rules(), games, "random(10)", Conditions())


def _sample(plan: Plan) -> list[Slot]:
    """Some games of a plan, with all that they need compiled."""
    [pairing] = plan.pairings
    warm_up([(pairing.first, pairing.rules), (pairing.second, pairing.rules)])
    slots = [slot for slot, _ in zip(plan.slots(), range(_SAMPLE), strict=False)]
    play_slot(slots[0])
    return slots


def _bare_seconds(plan: Plan) -> float:
    """Processor time of playing a game and nothing else: the best of several rounds."""
    slots, rounds = _sample(plan), []
    for _ in range(5):
        began = time.process_time()
        for slot in slots:
            play_slot(slot)
        rounds.append((time.process_time() - began) / len(slots))
    return min(rounds)


def _stored(plan: Plan, workers: int) -> tuple[float, float]:
    """(seconds until all games are stored, processor time of all processes), from the start of the workers on."""
    with TemporaryDirectory() as directory, Store(Path(directory) / "games.db") as store:
        began, used = time.perf_counter(), processor_seconds()
        run_plan(plan, store, Processes(workers))
        return time.perf_counter() - began, processor_seconds() - used


def share_in_kernels(plan: Plan) -> float:
    """The share of the time of games that compiled functions take, those of searches and of the board."""
    slots = _sample(plan)
    with _watched() as inside:
        began = time.perf_counter()
        for slot in slots:
            play_slot(slot)
        return inside() / (time.perf_counter() - began)


@contextmanager
def _watched() -> Iterator[Callable[[], float]]:
    """Measures the time inside the compiled functions that games call; gives the function that tells it."""
    seconds = 0.0

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            nonlocal seconds
            began = time.perf_counter()
            result = function(*args)
            seconds += time.perf_counter() - began
            return result

        return call

    kept = [getattr(module, name) for module, name in _KERNELS]
    try:
        for (module, name), function in zip(_KERNELS, kept, strict=True):
            setattr(module, name, timed(function))
        yield lambda: seconds
    finally:
        for (module, name), function in zip(_KERNELS, kept, strict=True):
            setattr(module, name, function)
