"""Random 8x8 games on a GPU beside pgx on the same card, in turns in one process: run it where both are installed.

pgx is not in the lock of this project, and JAX finds a card only with its CUDA plugin; without them it says so.
"""

import argparse
import itertools
import json
import os
import time
from collections.abc import Callable
from importlib.metadata import version

from peers import pgx_player

from outflank.benchmark.gpu import kernel_work, python_work
from outflank.benchmark.machine import best_rates
from outflank.devices import check_gpu
from outflank.errors import OutflankError

BATCHES = (65_536, 262_144, 1_048_576)
"""Games that pgx plays side by side."""


def pgx_work(batch: int) -> Callable[[], tuple[float, float]]:
    """A batch of pgx's games to their ends; what compiles it is not timed."""
    import pgx

    play, seeds = pgx_player(pgx.make("othello"), batch), itertools.count()
    play(next(seeds)).block_until_ready()

    def work() -> tuple[float, float]:
        began = time.perf_counter()
        games = int(play(next(seeds)))
        return games, time.perf_counter() - began

    return work


def main() -> None:
    """Measure both and print the ratio."""
    parser = argparse.ArgumentParser(description="Random 8x8 games on a GPU, beside pgx.")
    parser.add_argument("--rounds", type=int, default=3, help="of which the best counts (3)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # JAX would take three quarters of the card
    try:
        card = check_gpu("games")
    except OutflankError as error:
        parser.error(str(error))
    works = {"kernels": kernel_work(8, 1 << 29), "from Python": python_work(8, 10**8)}
    works |= {f"pgx, {batch} at once": pgx_work(batch) for batch in BATCHES}
    rates = best_rates(works, options.rounds, lambda text: None)
    peer = max(rate for name, rate in rates.items() if name.startswith("pgx"))
    found = {
        "card": card,
        "pgx": f"{version('pgx')} with jax {version('jax')}",
        "games_per_s": rates,
        "times_pgx": rates["kernels"] / peer,
    }
    if options.json:
        print(json.dumps(found, indent=2))
        return
    print(f"8x8 games a second on {card}, pgx {found['pgx']}")
    for name, rate in rates.items():
        print(f"  {name:24} {rate:16,.0f}")
    print(f"  kernels alone to pgx     {found['times_pgx']:16,.0f}")


if __name__ == "__main__":
    main()
