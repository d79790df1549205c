"""The disk cache of compiled kernels, in real processes."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from support import ROOT

pytestmark = pytest.mark.compiled

SCRIPT = """
import sys, numpy as np
from outflank.board import Position, Rules
from outflank.kernels.jit import NATIVE, Word, compilations, specialisations
from outflank.kernels.playout import games_in_turn, games_side_by_side, new_lanes
for size in map(int, sys.argv[1:]):
    position = Position.start(Rules(size))
    if size in (4, 16):
        print(size, position.perft(3))
        continue
    out = np.empty(100, np.int16)
    games_in_turn(*position.boards, Word(3), 0, out)
    total = int(out.astype(int) @ np.arange(100))
    if size <= 8:
        games_side_by_side(*position.boards, Word(3), 0, out, new_lanes())
        assert int(out.astype(int) @ np.arange(100)) == total
    print(size, position.perft(5), total)
print(compilations(), specialisations(), file=sys.stderr)
"""


def run(*sizes: int, source: Path = ROOT / "src", **environment: Any) -> list[str]:
    """The lines the script prints in a fresh process."""
    return run_and_count(*sizes, source=source, **environment)[0]


def run_and_count(*sizes: int, source: Path = ROOT / "src", **environment: Any) -> tuple[list[str], list[int]]:
    """The lines the script prints, and its counts of compilations and of specialisations."""
    command = [sys.executable, "-c", SCRIPT, *map(str, sizes)]
    settings = os.environ | {"PYTHONPATH": str(source)} | environment
    done = subprocess.run(command, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), [int(number) for number in done.stderr.split()]


def files(directory: Path) -> set[Path]:
    return {path for path in directory.rglob("*") if path.suffix in (".nbc", ".nbi")}


@pytest.fixture(scope="module")
def reference() -> list[str]:
    return run(8, 12)


@pytest.fixture(scope="module")
def counts() -> list[str]:
    """Of the smallest and the largest board, for which little is compiled."""
    return run(4, 16)


def test_what_one_process_compiles_the_next_loads_and_agrees(tmp_path: Path, reference: list[str]) -> None:
    directory = str(tmp_path)
    said, (compiled, at_hand) = run_and_count(8, OUTFLANK_CACHE_DIR=directory)
    assert said == reference[:1] and compiled == at_hand > 0
    kept = files(tmp_path)
    assert kept
    assert run_and_count(8, OUTFLANK_CACHE_DIR=directory) == (said, [0, at_hand])
    assert files(tmp_path) == kept, "the second process compiled again"
    said, (compiled, both) = run_and_count(8, 12, OUTFLANK_CACHE_DIR=directory)
    assert said == reference and 0 < compiled == both - at_hand
    assert run_and_count(8, OUTFLANK_CACHE_DIR=directory, NUMBA_DISABLE_JIT="1")[1] == [0, 0]


def test_four_processes_on_a_cold_cache(tmp_path: Path, counts: list[str]) -> None:
    """Different signatures of the same functions at the same time: the case in which numba mixes files up."""
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(run, *sizes, OUTFLANK_CACHE_DIR=str(tmp_path)) for sizes in [(4,), (16,), (4,), (16,)]]
        assert [job.result() for job in jobs] == [counts[:1], counts[1:]] * 2
    assert run(4, 16, OUTFLANK_CACHE_DIR=str(tmp_path)) == counts


def test_damaged_files_cost_a_compilation_only(tmp_path: Path, counts: list[str]) -> None:
    run(4, OUTFLANK_CACHE_DIR=str(tmp_path))
    for path in files(tmp_path):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert run(4, OUTFLANK_CACHE_DIR=str(tmp_path)) == counts[:1]


def test_a_read_only_package_and_home(tmp_path: Path, counts: list[str]) -> None:
    """Root may write anywhere, so the cache is denied by a file where its directory should be."""
    package = tmp_path / "source"
    subprocess.run(["cp", "-r", str(ROOT / "src"), str(package)], check=True)
    for path in [*package.rglob("*"), package]:
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    blocked = tmp_path / "blocked"
    blocked.write_text("not a directory")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment: dict[str, Any] = {"XDG_CACHE_HOME": str(blocked), "TMPDIR": str(temporary), "OUTFLANK_CACHE_DIR": ""}
    assert run(4, source=package, **environment) == counts[:1]
    assert files(temporary), "the fallback under the temporary directory was not used"
    assert not files(package)


@pytest.mark.parametrize(
    "environment",
    [{"OUTFLANK_NATIVE": "0"}, {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+bmi,+bmi2,+popcnt"}],
    ids=["plain", "avx2"],
)
def test_other_cpus_play_the_same_games(tmp_path: Path, reference: list[str], environment: dict[str, Any]) -> None:
    assert run(8, 12, OUTFLANK_CACHE_DIR=str(tmp_path), **environment) == reference


def test_unused_caches_of_older_kernels_are_removed(tmp_path: Path) -> None:
    old, recent = tmp_path / "kernels-00000000", tmp_path / "kernels-11111111"
    for directory in (old, recent):
        directory.mkdir()
    os.utime(old, (0, 0))
    run(OUTFLANK_CACHE_DIR=str(tmp_path))
    assert not old.exists() and recent.exists()


def test_kernels_that_check_bounds_raise_and_have_a_cache_of_their_own(tmp_path: Path) -> None:
    """A tree without room for its counters: unchecked, the kernel would write beside it."""
    code = """
import numpy as np
from outflank.kernels.uct import plant
from outflank.search.uct import _new_tree
plant(_new_tree(4, np.int32)._replace(counters=np.zeros(1, np.int64)))
"""
    settings = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OUTFLANK_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=settings | {"NUMBA_BOUNDSCHECK": "1"}, capture_output=True, text=True)
    assert done.returncode == 1 and "IndexError" in done.stderr, done.stderr
    assert [path.name.endswith("-checked") for path in tmp_path.iterdir()] == [True]
