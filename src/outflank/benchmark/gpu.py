"""Random games on a GPU: kernels alone, from Python with all results, and one core of the processor beside them."""

import time
from collections.abc import Callable
from typing import Any

from outflank.benchmark.machine import best_rates, games_work
from outflank.board import SIZES, Position, Rules
from outflank.devices import CardGames, check_gpu
from outflank.report.document import Table

_KERNEL_GAMES = {4: 1 << 29, 6: 1 << 28, 8: 1 << 27}
_LARGE_BOARDS = 1 << 22
_ALL_GAMES = 10**8


def measure_gpu(quick: bool = False, on_progress: Callable[[str], None] = lambda text: None) -> dict[str, Any]:
    """Games a second by board size: kernels alone, from Python with all results, one core of the processor."""
    card, rounds = check_gpu("games"), 1 if quick else 3
    works: dict[str, Any] = {}
    for size in SIZES:
        games = _KERNEL_GAMES.get(size, _LARGE_BOARDS) // (64 if quick else 1)
        works[f"{size} kernels"] = kernel_work(size, games)
        works[f"{size} python"] = python_work(size, min(games, _ALL_GAMES) if quick or size > 8 else _ALL_GAMES)
        works[f"{size} core"] = games_work(size, size <= 8, 0.03 if quick else 0.2)
    rates = best_rates(works, rounds, on_progress)
    kinds = ("kernels", "python", "core")
    return {
        "card": card,
        "games_per_s": {str(size): {kind: rates[f"{size} {kind}"] for kind in kinds} for size in SIZES},
    }


def kernel_work(size: int, games: int) -> Callable[[], tuple[float, float]]:
    """Games from the start whose results stay on the card."""
    position = Position.start(Rules(size))
    card = CardGames(position.rules)

    def work() -> tuple[float, float]:
        began = time.perf_counter()
        card.play(position, games, seed=1)
        return games, time.perf_counter() - began

    return work


def python_work(size: int, games: int) -> Callable[[], tuple[float, float]]:
    """Games whose results are all brought back as an array."""
    position = Position.start(Rules(size))
    card = CardGames(position.rules)

    def work() -> tuple[float, float]:
        began = time.perf_counter()
        found = card.differences(position, games, seed=1)
        return len(found), time.perf_counter() - began

    return work


def gpu_table(figures: dict[str, Any]) -> Table:
    """The figures for a terminal."""
    rows = [
        (f"{size}x{size}", *(f"{rates[kind]:,.0f}" for kind in ("kernels", "python", "core")))
        for size, rates in figures["games_per_s"].items()
    ]
    heads = ["board", "kernels alone", "from Python", "one core"]
    return Table(heads, rows, caption=f"Random games a second on {figures['card']}")
