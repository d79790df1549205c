"""What the arena costs: stored games per minute, overhead per game, two workers against one, the share of kernels.

Short games show the overhead: random movers play for a millisecond, and everything else is schedule, traffic and
transactions. It is told as processor time, which hardly depends on what else the machine is doing: that of all
processes for a stored game, start of the workers included, less that of playing the game and nothing else. Long games
show how workers share the machine, in time as it passes from the first stored game to the last.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from outflank.agents import identity
from outflank.arena.runner import play_slot, run_plan, setting_of, warm_up
from outflank.arena.schedule import Conditions, Plan, Slot, plan_match
from outflank.arena.store import Store
from outflank.benchmark.machine import processor_seconds
from outflank.board import Rules
from outflank.execute import Processes
from outflank.kernels import alphabeta, rules, uct
from outflank.report.document import Table

SHORT = ("random", "random")
LONG = ("minimax(depth=4, eval=positional)", "uct(playouts=1000)")
_WORKERS = 2
_SAMPLE, _ROUNDS = 40, 20
_KERNELS = ((alphabeta, "search"), (uct, "plant"), (uct, "simulate"), (rules, "legal_moves"), (rules, "play"))
"""What the games of `LONG` call, by module and name."""


def measure_arena(quick: bool = False, on_progress: Callable[[str], None] = lambda text: None) -> dict[str, Any]:
    """The figures by name; times in seconds or, where the name says so, in milliseconds."""
    short, long = _plan(SHORT, 1_000 if quick else 20_000), _plan(LONG, 40 if quick else 1_000)
    on_progress(f"{short.games} games of {SHORT[0]}")
    bare, stored = _bare_seconds(short), _stored(short, _WORKERS)
    together, alone = _best_of(1 if quick else 3, long, on_progress)
    return {
        "short": {
            "agents": SHORT,
            "games": short.games,
            "games_per_minute": 60 * short.games / (stored.start + stored.seconds),
            "bare_ms": 1000 * bare,
            "overhead_ms": 1000 * (stored.processor / short.games - bare),
        },
        "long": {
            "agents": LONG,
            "games": long.games,
            "start_s": together.start,
            "one_worker_s": alone.seconds,
            "two_workers_s": together.seconds,
            "times_one_worker": alone.seconds / together.seconds,
            "share_in_kernels": share_in_kernels(long),
        },
    }


def arena_table(figures: dict[str, Any]) -> Table:
    """The figures, beside what was asked for."""
    short, long = figures["short"], figures["long"]
    rows = [
        (f"{' against '.join(short['agents'])}, {short['games']:,} games, {_WORKERS} workers", "", ""),
        ("stored games per minute", f"{short['games_per_minute']:,.0f}", "≥ 20,000"),
        ("playing a game and nothing else", f"{short['bare_ms']:.2f} ms", ""),
        ("overhead per game", f"{short['overhead_ms']:.2f} ms", "≤ 1.50 ms"),
        (f"{' against '.join(long['agents'])}, {long['games']:,} games", "", ""),
        ("until the first game is stored", f"{long['start_s']:.1f} s", ""),
        ("from there on, one worker", f"{long['one_worker_s']:.1f} s", ""),
        ("from there on, two workers", f"{long['two_workers_s']:.1f} s", ""),
        ("times one worker", f"{long['times_one_worker']:.2f}", "≥ 1.90"),
        ("time inside kernels", f"{100 * long['share_in_kernels']:.1f} %", "≥ 90 %"),
    ]
    return Table(["games of the arena, 8x8", "measured", "wanted"], rows)


def _plan(agents: tuple[str, str], games: int) -> Plan:
    first, second = (identity(text) for text in agents)
    return plan_match(first, second, Rules(), games, "random(6)", Conditions())


# --- games in workers ---------------------------------------------------------------------------------------------


class _Stored(NamedTuple):
    """A plan that was played."""

    start: float
    """Seconds until the first game was stored."""
    seconds: float
    """From there to the last."""
    processor: float
    """Of all processes."""


def _best_of(rounds: int, plan: Plan, on_progress: Callable[[str], None]) -> tuple[_Stored, _Stored]:
    """With two workers and with one, in turn; whatever else the machine does can only slow a round down."""
    found: dict[int, list[_Stored]] = {_WORKERS: [], 1: []}
    for number in range(1, rounds + 1):
        for workers, stored in found.items():
            on_progress(f"{plan.games} long games, workers: {workers}, round {number} of {rounds}")
            stored.append(_stored(plan, workers))
    together, alone = (min(stored, key=lambda one: one.seconds) for stored in found.values())
    return together, alone


def _stored(plan: Plan, workers: int) -> _Stored:
    first = 0.0

    def note(*_: object) -> bool:
        nonlocal first
        first = first or time.perf_counter()
        return True

    with TemporaryDirectory() as directory, Store(Path(directory) / "games.db") as store:
        began, used = time.perf_counter(), processor_seconds()
        run_plan(plan, store, Processes(workers), note)
        return _Stored(first - began, time.perf_counter() - first, processor_seconds() - used)


# --- games here ---------------------------------------------------------------------------------------------------


def _sample(plan: Plan) -> list[Slot]:
    """Some games of a plan, with all that they need compiled."""
    warm_up(setting_of(plan))
    slots = list(islice(plan.slots(), _SAMPLE))
    play_slot(slots[0])
    return slots


def _bare_seconds(plan: Plan) -> float:
    """Processor time of playing a game and nothing else: the best of several rounds."""
    slots, rounds = _sample(plan), []
    for _ in range(_ROUNDS):
        began = time.process_time()
        for slot in slots:
            play_slot(slot)
        rounds.append((time.process_time() - began) / len(slots))
    return min(rounds)


def share_in_kernels(plan: Plan) -> float:
    """The share of the time of games that compiled functions take, searches and boards: the best of several rounds."""
    slots, shares = _sample(plan), []
    for _ in range(_ROUNDS):
        with _watched() as inside:
            began = time.perf_counter()
            for slot in slots:
                play_slot(slot)
            shares.append(inside() / (time.perf_counter() - began))
    return max(shares)


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
