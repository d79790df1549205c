"""What this machine does per second: perft, random games on every size, import and start times.

All rates are measured in one run, one after the other in several rounds, and the best round counts: whatever
else the machine is doing can only slow a round down. Compilation happens before the first round.
"""

import os
import platform
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
from outflank.board import SIZES, Position, Rules
from outflank.kernels.jit import Word
from outflank.kernels.playout import games_in_turn, games_side_by_side
from outflank.kernels.rules import perft

if TYPE_CHECKING:
    from rich.table import Table

Work = Callable[[], tuple[float, float]]
"""Does some work and returns (units done, seconds)."""

_PERFT = [sys.executable, "-m", "outflank", "perft", "--depth", "6"]
_IMPORT = "import time; t = time.perf_counter(); import outflank; print(time.perf_counter() - t)"
_MEMORY = (
    "import resource, sys; from outflank.interfaces.cli import main; main(sys.argv[1:]); "
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, file=sys.stderr)"
)


def measure(quick: bool = False, on_progress: Callable[[str], None] = lambda text: None) -> dict[str, Any]:
    """All figures by name; rates are per second, times in seconds, games keyed by board size as text."""
    seconds, rounds = (0.03, 2) if quick else (0.2, 5)
    works: dict[str, Work] = {"perft": _perft_work(8 if quick else 10)}
    for size in SIZES:
        works[f"{size} in turn"] = _games_work(size, games_in_turn, seconds)
        if size <= 8:
            works[f"{size} side by side"] = _games_work(size, games_side_by_side, seconds)
        works[f"{size} on all cores"] = _all_cores_work(size, seconds)
    rates = best_rates(works, rounds, on_progress)
    single = {str(size): rates[f"{size} in turn"] for size in SIZES}
    beside = {str(size): rates.get(f"{size} side by side", 0.0) for size in SIZES}
    on_progress("start times")
    return {
        "perft_leaves_per_s": rates["perft"],
        "games_per_s": {size: max(single[size], beside[size]) for size in single},
        "single_games_per_s": single,
        "games_per_s_all_cores": {str(size): rates[f"{size} on all cores"] for size in SIZES},
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


def _games_work(size: int, play: Callable[..., None], seconds: float) -> Work:
    """Random games from the start until the time is over, in blocks of a few milliseconds."""
    boards = Position.start(Rules(size)).boards
    out = np.empty(64 * (16 // size) ** 3 * 4, np.int16)

    def work() -> tuple[float, float]:
        games, began = 0, time.perf_counter()
        while games == 0 or time.perf_counter() - began < seconds:
            play(*boards, Word(1), games, out)
            games += len(out)
        return games, time.perf_counter() - began

    return work


def _all_cores_work(size: int, seconds: float) -> Work:
    """The fastest way on every core at once: kernels release the GIL."""
    cores = os.cpu_count() or 1
    one = _games_work(size, games_side_by_side if size <= 8 else games_in_turn, seconds)

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
    memory = run([sys.executable, "-c", _MEMORY, *_PERFT[3:]])[2] if os.name == "posix" else "nan"
    return {
        "import_s": min(float(run([sys.executable, "-c", _IMPORT])[1]) for _ in range(rounds)),
        "warm_start_s": min(run(_PERFT)[0] for _ in range(rounds)),
        "cold_start_s": cold,
        "perft_resident_mb": float(memory),
    }


def cpu_name() -> str:
    """The model of the CPU, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


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
    result.add_row("perft leaves/s, 8x8", f"{figures['perft_leaves_per_s']:,.0f}", "", "")
    result.add_row("import outflank", f"{figures['import_s']:.3f} s", "", "")
    result.add_row("outflank perft --depth 6, warm", f"{figures['warm_start_s']:.2f} s", "", "")
    result.add_row("the same from an empty cache", f"{figures['cold_start_s']:.2f} s", "", "")
    result.add_row("its resident memory", f"{figures['perft_resident_mb']:.0f} MB", "", "")
    return result
