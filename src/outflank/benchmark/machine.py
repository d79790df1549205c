"""Kernels, searches and start times: perft, random games on every size, decisions, import, memory.

All rates are measured in one run, one after the other in several rounds, and the best round counts: whatever
else the machine is doing can only slow a round down. Compilation happens before the first round.
"""

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from outflank import __version__
from outflank.agents import agent
from outflank.arena.store import cpu_name
from outflank.batch import Games
from outflank.board import SIZES, Position, Rules
from outflank.kernels.bitboard import count, moves
from outflank.kernels.jit import Board, Word
from outflank.kernels.playout import games_in_turn, games_side_by_side, new_lanes
from outflank.kernels.rules import perft

if TYPE_CHECKING:
    from rich.table import Table

Work = Callable[[], tuple[float, float]]
"""Does some work and returns (units done, seconds)."""

_PERFT = [sys.executable, "-m", "outflank", "perft", "--depth", "6"]
_IMPORT = "import time; t = time.perf_counter(); import outflank; print(time.perf_counter() - t)"
RUN_COMMAND = "from outflank.interfaces.cli import main\nmain(sys.argv[1:])"
"""Python text that runs the command line."""
_PEAK = """
status = Path("/proc/self/status")  # getrusage would count the process that started this one
print(int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024 if status.exists() else 0.0)
"""

_MIDGAME = "d3c3f5e3c2d2d1f6b3c5"
_AFTER_OPENING = Position.after(_MIDGAME)
_PLAIN = "win=1048576, pass_costs_depth=no"

SEARCHES = [
    # (name, agent, position): a decision each, timed; the middlegame position is the one after _MIDGAME
    ("uct, 10,000 playouts, 8x8", "uct(playouts=10000)", Position.start()),
    ("uct, 100,000 playouts, 8x8", "uct(playouts=100000)", Position.start()),
    ("uct, 10,000 playouts, 16 leaves at once, 8x8", "uct(playouts=10000, leaves=16)", Position.start()),
    ("uct, 100,000 playouts, 16 leaves at once, 8x8", "uct(playouts=100000, leaves=16)", Position.start()),
    ("uct, 100,000 playouts in lanes, 8x8", "uct(playouts=100000, leaf_playouts=32)", Position.start()),
    ("uct, 10,000 playouts, 12x12", "uct(playouts=10000)", Position.start(Rules(12))),
    (
        "alpha-beta, discs, depth 10",
        f"minimax(10, discs, order=eval, hash_mb=0.25, search=bounds, {_PLAIN})",
        _AFTER_OPENING,
    ),
    (
        "alpha-beta, discs, depth 11",
        f"minimax(11, discs, order=eval, hash_mb=0.25, search=bounds, {_PLAIN})",
        _AFTER_OPENING,
    ),
    (
        "alpha-beta, matrix, depth 10",
        f"minimax(10, terms(position=1, squares=classic), order=positional, hash_mb=1, search=pvs, {_PLAIN})",
        _AFTER_OPENING,
    ),
    (
        "alpha-beta, mobility, depth 10",
        f"minimax(10, outflank.benchmark:own_moves, order=mobility, hash_mb=1, search=pvs, {_PLAIN})",
        _AFTER_OPENING,
    ),
]


def measure(quick: bool = False, on_progress: Callable[[str], None] = lambda text: None) -> dict[str, Any]:
    """All figures by name; rates are per second, times in seconds, games keyed by board size as text."""
    seconds, rounds = (0.03, 2) if quick else (0.2, 5)
    works: dict[str, Work] = {"perft": _perft_work(8 if quick else 10)}
    for size in SIZES:
        works[f"{size} in turn"] = games_work(size, False, seconds)
        if size <= 8:
            works[f"{size} side by side"] = games_work(size, True, seconds)
        works[f"{size} on all cores"] = _all_cores_work(size, seconds)
        works[f"{size} in arrays"] = _steps_work(size, seconds)
    for name, text, position in SEARCHES:
        works[name] = _search_work(text, position)
    rates = best_rates(works, rounds, on_progress)
    single = {str(size): rates[f"{size} in turn"] for size in SIZES}
    beside = {str(size): rates.get(f"{size} side by side", 0.0) for size in SIZES}
    on_progress("start times")
    return {
        "perft_leaves_per_s": rates["perft"],
        "games_per_s": {size: max(single[size], beside[size]) for size in single},
        "single_games_per_s": single,
        "games_per_s_all_cores": {str(size): rates[f"{size} on all cores"] for size in SIZES},
        "steps_in_arrays_per_s": {str(size): rates[f"{size} in arrays"] for size in SIZES},
        "searches": {
            name: {"agent": text, "seconds": 1 / rates[name], **_search_figures(text, position)}
            for name, text, position in SEARCHES
        },
        **_start_times(2 if quick else 5),
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "version": __version__,
    }


def best_rates(works: dict[str, Work], rounds: int, on_progress: Callable[[str], None]) -> dict[str, float]:
    """Units per second of every work, the best of several interleaved rounds after one to warm up.

    >>> best_rates({"idle": lambda: (10.0, 2.0)}, rounds=2, on_progress=lambda text: None)
    {'idle': 5.0}
    """
    best = dict.fromkeys(works, 0.0)
    for number in range(rounds + 1):
        for name, work in works.items():
            on_progress(f"{name}, round {number} of {rounds}")
            units, seconds = work()
            if number:
                best[name] = max(best[name], units / seconds)
    return best


def _perft_work(depth: int) -> Work:
    boards = Position.start().boards

    def work() -> tuple[float, float]:
        began = time.perf_counter()
        leaves = perft(*boards, depth)
        return leaves, time.perf_counter() - began

    return work


def games_work(size: int, beside: bool, seconds: float) -> Work:
    """Random games from the start until the time is over, in blocks of a few milliseconds."""
    me, opp, full = Position.start(Rules(size)).boards
    out = np.empty(64 * (16 // size) ** 3 * 4, np.int16)

    def work() -> tuple[float, float]:
        lanes = new_lanes()
        games, began = 0, time.perf_counter()
        while games == 0 or time.perf_counter() - began < seconds:
            if beside:
                games_side_by_side(me, opp, full, Word(1), games, out, lanes)
            else:
                games_in_turn(me, opp, full, Word(1), games, out)
            games += len(out)
        return games, time.perf_counter() - began

    return work


def _steps_work(size: int, seconds: float) -> Work:
    """Random legal moves in games side by side, with masks and planes; games that are over begin anew."""
    games = Games(4096 if size <= 8 else 1024, Rules(size))
    actions = games.random_actions()

    def work() -> tuple[float, float]:
        steps, began = 0, time.perf_counter()
        while steps == 0 or time.perf_counter() - began < seconds:
            games.step(games.random_actions(actions))
            steps += len(games)
        return steps, time.perf_counter() - began

    return work


def own_moves(own: Board, opp: Board, size: int) -> int:
    """The legal moves of one side alone: an evaluation of a public library, for comparison."""
    full = (Word(0xFFFFFFFFFFFFFFFF),)
    return count(moves(own, opp, full)) + 0 * size


def _search_work(text: str, position: Position) -> Work:
    """One decision of an agent; its rate is decisions per second."""
    player = agent(text)

    def work() -> tuple[float, float]:
        began = time.perf_counter()
        player.choose(position, seed=1)
        return 1, time.perf_counter() - began

    return work


def _search_figures(text: str, position: Position) -> dict[str, Any]:
    """What one decision finds; equal on every machine."""
    decision = agent(text).choose(position, seed=1)
    return {"value": decision.value, "nodes": decision.nodes, "playouts": decision.playouts, "depth": decision.depth}


def _all_cores_work(size: int, seconds: float) -> Work:
    """The fastest way on every core at once: kernels release the GIL."""
    cores = os.cpu_count() or 1
    one = games_work(size, size <= 8, seconds)

    def work() -> tuple[float, float]:
        began = time.perf_counter()
        with ThreadPoolExecutor(cores) as pool:
            games = sum(future.result()[0] for future in [pool.submit(one) for _ in range(cores)])
        return games, time.perf_counter() - began

    return work


def _start_times(rounds: int) -> dict[str, float]:
    """Import time, time of a first perft from a warm and from an empty cache, resident memory of a perft."""

    def run(command: list[str], cache: str | None = None) -> tuple[float, str, str]:
        environment = os.environ | ({"OUTFLANK_CACHE_DIR": cache} if cache else {})
        began = time.perf_counter()
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return time.perf_counter() - began, done.stdout, done.stderr

    run(_PERFT)
    with tempfile.TemporaryDirectory() as empty:
        cold = min(run(_PERFT, str(Path(empty) / str(i)))[0] for i in range(min(rounds, 2)))
    *_, memory = ask(RUN_COMMAND, *_PERFT[3:], "--json")
    return {
        "import_s": min(float(run([sys.executable, "-c", _IMPORT])[1]) for _ in range(rounds)),
        "warm_start_s": min(run(_PERFT)[0] for _ in range(rounds)),
        "cold_start_s": cold,
        "perft_resident_mb": memory,
    }


def ask(work: str, *args: str) -> tuple[dict[str, Any], float, float, float]:
    """(JSON printed, seconds, processor seconds, peak of memory in MB) of Python text, run as a process of its own."""
    began, used = time.perf_counter(), processor_seconds()
    command = [sys.executable, "-c", f"import sys\nfrom pathlib import Path\n{work}\n{_PEAK}", *args]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    *_, answer, peak = done.stdout.splitlines()
    return json.loads(answer), time.perf_counter() - began, processor_seconds() - used, float(peak)


def processor_seconds() -> float:
    """Processor time of this process and of all it started that have ended."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def table(figures: dict[str, Any]) -> "Table":
    """The figures as a table for a terminal."""
    from rich.table import Table

    result = Table(title=f"Outflank {figures['version']} on {figures['cpu']}", title_justify="left")
    for heading in ("measure", "one at a time", "side by side", f"all {figures['cores']} cores"):
        result.add_column(heading, justify="left" if heading == "measure" else "right")
    for size in figures["games_per_s"]:
        rates = [figures[key][size] for key in ("single_games_per_s", "games_per_s", "games_per_s_all_cores")]
        cells = [f"{rate:,.0f}" for rate in rates]
        if int(size) > 8:
            cells[1] = "–"
        result.add_row(f"random games/s, {size}x{size}", *cells)
    for size, rate in figures["steps_in_arrays_per_s"].items():
        result.add_row(f"moves/s in arrays, {size}x{size}", "", f"{rate:,.0f}", "")
    for name, search in figures["searches"].items():
        done = search["playouts"] or search["nodes"]
        unit = "playouts/s" if search["playouts"] else "nodes/s"
        result.add_row(name, f"{search['seconds'] * 1000:.1f} ms", f"{done / search['seconds']:,.0f} {unit}", "")
    result.add_row("perft leaves/s, 8x8", f"{figures['perft_leaves_per_s']:,.0f}", "", "")
    result.add_row("import outflank", f"{figures['import_s']:.3f} s", "", "")
    result.add_row("outflank perft --depth 6, warm", f"{figures['warm_start_s']:.2f} s", "", "")
    result.add_row("the same from an empty cache", f"{figures['cold_start_s']:.2f} s", "", "")
    result.add_row("its resident memory", f"{figures['perft_resident_mb']:.0f} MB", "", "")
    return result
