"""Progress where nobody watches: lines in a log, at growing intervals, and none when they are not wanted."""

import io
import sys
from pathlib import Path

import pytest

from outflank.interfaces.cli import common, main
from outflank.progress import Progress, ProgressLines


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_lines_come_at_once_after_ten_seconds_and_then_every_thirty() -> None:
    clock, lines = Clock(), list[str]()
    progress = ProgressLines("reproduce", lines.append, clock)
    began, seen = clock.now, []
    progress.plan(8778, done=1000)
    for second in range(1, 101):
        clock.now = began + second
        before = len(lines)
        progress.advance() if second % 2 else progress.show()
        seen += [second] * (len(lines) - before)
    assert seen == [10, 40, 70, 100]
    assert lines[0] == "reproduce: 1,000 of 8,778 games, 0:00 gone"
    assert lines[1] == "reproduce: 1,005 of 8,778 games, 0:10 gone, about 4:19:06 left"


def test_workers_that_compile_are_told_until_the_first_game() -> None:
    clock, lines = Clock(), list[str]()
    progress = ProgressLines("match", lines.append, clock)
    progress.plan(132)
    clock.now += 10
    progress.show()
    clock.now += 30
    progress.advance()
    assert lines[1:] == [
        "match: 0 of 132 games, preparing (first time only), 0:10 gone",
        "match: 1 of 132 games, 0:40 gone, about 1:27:20 left",
    ]


def test_what_is_done_beside_games_is_told() -> None:
    clock, lines = Clock(), list[str]()
    progress = ProgressLines("reproduce", lines.append, clock)
    progress.plan(2)
    progress.reach(2, 2)
    progress.say("timing order none")
    clock.now += 10
    progress.show()
    assert lines[-1] == "reproduce: 2 of 2 games, timing order none, 0:10 gone"


def test_a_brief_command_says_nothing_at_once() -> None:
    clock, lines = Clock(), list[str]()
    progress = ProgressLines("perft", lines.append, clock, at_once=False)
    progress.plan(0, unit="subtrees")
    progress.reach(1, 16)
    assert lines == []
    clock.now += 10
    progress.show()
    assert lines == ["perft: 1 of 16 subtrees, 0:10 gone, about 2:30 left"]


def test_long_games_are_looked_at_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """While nothing is reported, a thread asks whether a line is due."""
    import threading

    asked = threading.Event()

    class Asked(ProgressLines):
        def show(self) -> None:
            asked.set()

    monkeypatch.setattr(common, "_LOOK_SECONDS", 0.001)
    monkeypatch.setattr(common, "ProgressLines", Asked)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with common.progress("match", quiet=False):
        assert asked.wait(60)


def test_quiet_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with common.progress("match", quiet=True) as shown:
        shown.plan(10)
        shown.say("something")
    assert type(shown) is Progress and capsys.readouterr().err == ""


@pytest.mark.parametrize("quiet", [False, True])
def test_a_match_in_a_log(quiet: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["match", "greedy", "random", "--games", "4", "--size", "4", "--openings", "start", "--workers", "1"]
    assert main([*command, "--store", str(tmp_path / "games.db"), *(["--quiet"] if quiet else [])]) == 0
    told = "match: 0 of 4 games, 0:00 gone"
    assert (told in capsys.readouterr().err) is not quiet
