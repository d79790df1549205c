"""A hundred thousand random games, ours beside the oracle's: every move list, every position, every result.

Run by `make soak`; all sizes and both variants in equal shares, on all cores, a quarter of an hour or so.
"""

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from rich.progress import track

from outflank.board import SIZES, VARIANTS, Variant
from test_board import compare_random_game

BLOCK = 50


def compare_block(task: tuple[int, Variant, int]) -> int:
    size, variant, first = task
    for seed in range(first, first + BLOCK):
        compare_random_game(size, variant, seed)
    return BLOCK


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100_000)
    games = parser.parse_args().games
    blocks = -(-games // (BLOCK * len(SIZES) * len(VARIANTS)))
    tasks = [
        (size, variant, 10**6 + block * BLOCK) for block in range(blocks) for size in SIZES for variant in VARIANTS
    ]
    began = time.perf_counter()
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        played = sum(track(pool.map(compare_block, tasks), "comparing", len(tasks)))
    sys.stdout.write(f"{played} games equal the oracle, {time.perf_counter() - began:.0f} s\n")


if __name__ == "__main__":
    main()
