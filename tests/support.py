"""What several test files share: sizes, positions to try, data that lies beside the repository."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import naive
from outflank.board import SIZES, Position, Rules, Variant
from outflank.interfaces.cli import main
from outflank.kernels.jit import INTERPRETED
from outflank.progress import Progress

ROOT = Path(__file__).parent.parent
DATA = ROOT / "tests" / "data"
SHARED = ROOT.parent / "shared" / "data"

VARIANTS: tuple[Variant, ...] = ("standard", "reversed")
PERFECT_GAME = (
    "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1"
    "f7e2g3h4f1e1f2g1b1f8g8b3h3b2h5b7a3a4a1a2c1h2h1g2b8a8g7h8h7h6"
)

every_size = pytest.mark.parametrize("size", SIZES)
every_variant = pytest.mark.parametrize("variant", VARIANTS)
EFFORT = 0.1 if INTERPRETED else 1.0
"""Interpreted runs do a tenth of the work."""


def shared(*parts: str) -> Path:
    """A file of test data beside the repository, or a loud skip."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"SKIPPED FOR LACK OF DATA: {'/'.join(parts)} is not beside the repository")
    return path


def reference(name: str) -> Path:
    """A file of printed numbers beside the repository, or a loud skip."""
    return shared("..", "reference", name)


PATIENCE = 300.0
"""Seconds after which something that has not come never will, on a busy machine too."""


def wait_until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Returns as soon as the condition holds; fails when it does not within this time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not so after {seconds:.0f} s"
        time.sleep(0.01)


def hear_ctrl_c() -> None:
    """For `preexec_fn`: a process started in the background of a shell ignores Ctrl-C, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def running(*command: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A process that hears Ctrl-C and is gone afterwards, whatever happens to the test."""
    pipes: dict[str, Any] = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        "preexec_fn": hear_ctrl_c,
    }
    with subprocess.Popen(command, **(pipes | options)) as process:
        try:
            yield process
        finally:
            process.kill()


def refused(args: list[str], capfd: pytest.CaptureFixture[str]) -> str:
    """What a command that ends with exit code 2 says; it prints no answer, or says the same in JSON.

    In this process: there are many of them.
    """
    code = main(args)
    answer, errors = capfd.readouterr()
    assert code == 2, (code, answer)
    if "--json" not in args:
        assert answer == ""
        return errors
    told = json.loads(answer)["error"]
    assert told["kind"].isidentifier() and errors.strip().endswith(told["message"])
    return errors


class StoppedAt(Progress):
    """A kill of a long work at a moment that it tells."""

    def __init__(self, moment: str) -> None:
        super().__init__()
        self.moment = moment

    def say(self, what: str) -> None:
        if what == self.moment:
            raise KeyboardInterrupt


def is_worker(process: int) -> bool:
    """Whether a process was started by spawn, and is still there."""
    try:
        return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def workers_of(parent: int) -> list[int]:
    """The worker processes of a process."""
    listed = subprocess.run(["ps", "--ppid", str(parent), "-o", "pid="], capture_output=True, text=True).stdout
    return [process for process in map(int, listed.split()) if is_worker(process)]


def from_naive(board: naive.Board, side: str, variant: Variant = "standard") -> Position:
    """An oracle's position as one of ours, built square by square and not through text."""
    rules = Rules(len(board), variant)
    masks = dict.fromkeys("XO-", 0)
    for row, line in enumerate(board):
        for column, sign in enumerate(line):
            masks[sign] |= rules.bit(row * rules.size + column)
    return Position.start(rules).__class__(
        rules, masks["X"], masks["O"], Position.start().turn if side == "X" else Position.start().turn.other
    )
