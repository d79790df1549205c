"""A person's code in a process of its own: whatever it does, we go on and nothing is left running."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import outflank
from outflank.agents import agent
from outflank.agents.outside import OutsidePlayer, can_run_outside, has_own_code
from outflank.board import Position, Rules
from outflank.errors import EngineFailed
from outflank.search.limits import Limits
from support import PATIENCE

START = Position.start(Rules(6))
PEOPLE = "players_of_people"


def is_running(process: int) -> bool:
    return Path(f"/proc/{process}/cmdline").exists() and b"outside" in Path(f"/proc/{process}/cmdline").read_bytes()


@pytest.mark.parametrize("name", ["First", "Named(last=yes)", "by_function", "Printing"])
def test_the_answer_is_that_of_the_same_code_in_this_process(name: str) -> None:
    player = OutsidePlayer(f"{PEOPLE}:{name}")
    try:
        player.new_game()
        for seed in (0, 1, 7):
            expected = agent(f"{PEOPLE}:{name}").choose(START, Limits(nodes=5), seed)
            found = player.choose(START, Limits(nodes=5), seed)
            assert (found.move, found.value, found.nodes) == (expected.move, expected.value, expected.nodes)
    finally:
        player.close()


def test_an_evaluation_of_a_person_runs_outside_too() -> None:
    text = f"minimax(depth=3, eval={PEOPLE}:frontier)"
    assert has_own_code(text) and can_run_outside(text)
    player = OutsidePlayer(text)
    try:
        expected, found = agent(text).choose(START), player.choose(START, Limits(), 0)
        assert (found.move, found.value, found.nodes) == (expected.move, expected.value, expected.nodes)
    finally:
        player.close()


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("Looping", "timeout", "no answer within"),
        ("Silent", "timeout", "no answer within"),
        ("Dying", "crash", "ended with exit code 3"),
        ("Raising", "crash", "ZeroDivisionError: one of those days"),
        ("Illegal", "illegal move", "answered 0 in"),
        ("Missing", "failure", "has no 'Missing'"),
    ],
)
def test_a_failure_has_its_kind_and_the_next_game_a_fresh_process(name: str, kind: str, said: str) -> None:
    player = OutsidePlayer(f"{PEOPLE}:{name}")
    seconds = 0.2 if kind == "timeout" else 60
    seen = set()
    for _ in range(2):
        player.new_game()
        if player._process is not None:
            seen.add(player._process.pid)
        with pytest.raises(EngineFailed, match=said) as failed:
            player.choose(START, Limits(seconds=seconds), 0)
        assert failed.value.kind == kind
    player.close()
    assert not any(map(is_running, seen))


def test_what_a_notebook_defines_cannot_run_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    assert not can_run_outside("__main__:Mine")
    assert can_run_outside("mine:Mine")


def test_a_player_that_never_returns_loses_on_time_and_the_match_goes_on(tmp_path: Path) -> None:
    """What a person would type; it used to hang for ever. It sleeps: others want the processor."""
    command = [
        *(sys.executable, "-m", "outflank", "match", f"{PEOPLE}:Silent", "random", "--games", "2", "--size", "4"),
        *("--move-seconds", "0.2", "--workers", "1", "--store", str(tmp_path / "games.db"), "--json"),
    ]
    mark = os.urandom(8).hex()
    environment = os.environ | {"OUTFLANK_TEST_MARK": mark}
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=environment)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert (facts["games"], facts["losses"], facts["terminations"]) == (2, 2, {"timeout": 2})
    assert not [path for path in Path("/proc").glob("[0-9]*/environ") if mark.encode() in readable(path)]


@pytest.mark.parametrize(
    ("first", "second", "endings"),
    [(f"{PEOPLE}:Dying", "random", {"crash": 2}), (f"{PEOPLE}:Patching", f"{PEOPLE}:First", {"normal": 2})],
    ids=["dying", "patching"],
)
def test_without_a_clock_whoever_breaks_something_breaks_it_for_itself(
    first: str, second: str, endings: dict[str, int]
) -> None:
    """The one used to draw, the other to spoil the moves of whoever shared its process."""
    result = outflank.match(first, second, games=2, rules=Rules(4), openings="start")
    assert result.terminations == endings
    if "crash" in endings:
        assert result.tally.losses == 2, "whoever dies loses"


def readable(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
