"""Faults: processes killed at every step of a game's life, disks that fail, clocks that jump, two programs at once.

Whatever happens, what was said to be kept is kept, the same again ends with the same games, an error is one line for
people, and nothing is left running.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import faulty
from outflank.agents.outside import OutsidePlayer
from outflank.arena import runner
from outflank.arena.database import FORMAT, StoreError
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, plan_match, plan_pairings
from outflank.arena.store import Store
from outflank.board import Rules
from outflank.execute import Here, Processes
from outflank.game_loop import TimeControl
from outflank.search.limits import Limits
from support import PATIENCE, ROOT, hear_ctrl_c, wait_until
from test_arena import exported

pytestmark = pytest.mark.compiled
PEOPLE = "players_of_people"
STRACE = shutil.which("strace")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("undisturbed") / "games.db"
    with Store(path) as store:
        run_plan(faulty.plan(), store, Here())
    return exported(path)


def endings(directory: Path, *steps: str) -> dict[str, tuple[int, str]]:
    """How the matches of `faulty.py` ended: exit code or signal, and what was said."""
    command = [sys.executable, str(ROOT / "tests" / "faulty.py"), str(directory), *steps]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        step, code, said = (*line.split(" ", 2), "")[:3]
        found[step] = (int(code), said)
    assert list(found) == list(steps)
    return found


def goes_on(path: Path, expected: str) -> int:
    """Plays the rest of a disturbed match into its store, as the same command would; how many games it had kept."""
    with Store(path) as store:
        kept = store.count()
        assert not store.problems()
        run_plan(faulty.plan(), store, Here())
    assert exported(path) == expected
    return kept


# --- killed ---------------------------------------------------------------------------------------------------------


def test_killed_at_every_step_of_a_games_life(tmp_path: Path, undisturbed: str) -> None:
    for step, (code, said) in endings(tmp_path, *faulty.MOMENTS).items():
        assert (code, said) == (-signal.SIGKILL, ""), step
        kept = goes_on(tmp_path / f"{step}.db", undisturbed)
        early = ("looked", "log", "table", "made", "born", "warm-up", "text")
        wanted = {"kept": 20, "last": 60, "end": 60} | dict.fromkeys(early, 0)
        assert kept == wanted.get(step, kept) and 18 * (step not in early) <= kept <= 60, step


def test_killed_inside_a_write(tmp_path: Path, undisturbed: str) -> None:
    sizes = [1, 4000, 5000, 20_000, 50_003, 100_000, 150_001]
    for step, (code, _) in endings(tmp_path, *(f"dies={size}" for size in sizes)).items():
        assert code == -signal.SIGXFSZ, step
        goes_on(tmp_path / f"{step}.db", undisturbed)


def mark_of(environment: dict[str, str]) -> bytes:
    return f"OUTFLANK_TEST_MARK={environment['OUTFLANK_TEST_MARK']}".encode()


def marked(mark: bytes) -> Iterator[int]:
    """Every process, of whatever parent, that was started for a test."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes():
                yield int(path.parts[2])
        except OSError:
            continue


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_left_running_when_the_parent_goes(tmp_path: Path, how: signal.Signals) -> None:
    """Workers, the processes of people's players and their guards."""
    environment = os.environ | {"OUTFLANK_TEST_MARK": os.urandom(8).hex()}
    mark = mark_of(environment)
    command = [
        *(sys.executable, "-m", "outflank", "match", f"{PEOPLE}:Looping", "random", "--size", "4", "--games", "4"),
        *("--move-seconds", "300", "--workers", "2", "--quiet", "--store", str(tmp_path / "games.db")),
    ]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": hear_ctrl_c}
    with subprocess.Popen(command, env=environment, **pipes) as process:
        wait_until(lambda: len(list(marked(mark))) >= 5)  # itself, two workers, two players
        process.send_signal(how)
        process.communicate(timeout=PATIENCE)
    wait_until(lambda: not list(marked(mark)))


# --- people's code that dies ----------------------------------------------------------------------------------------


def test_who_kills_a_worker_loses_and_nobody_else(tmp_path: Path) -> None:
    """One dies at its first move, which is already that of the preparation, the other late in a game."""
    early, late = f"{PEOPLE}:Dying", f"{PEOPLE}:DyingLate"
    plan = plan_pairings([(early, late), (late, "random")], [Rules(4)], 1, "start", Conditions())
    with Store(tmp_path / "games.db") as store:
        run_plan(plan, store, Processes(1))
        games = list(store.games())
    assert len(games) == 4
    for game in games:
        culprit = early if early in (game.black, game.white) else late
        assert game.termination == "crash" and game.points == float(game.white == culprit), game.reason
        code = 3 if culprit == early else 1
        assert f": {culprit}: ended with exit code {code} when asked" in game.reason, game.reason


def test_care_is_taken_of_peoples_code_alone_and_without_a_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_players", {})
    runner.take_care()
    evaluation = f"minimax(depth=1, eval={PEOPLE}:frontier)"
    own, builtin = (runner._player(text, 0, False) for text in (evaluation, "random"))
    runner.close_players()
    assert isinstance(own.player, OutsidePlayer) and own.player._seconds_for(Limits()) > 86_400
    assert not isinstance(builtin.player, OutsidePlayer)
    assert not isinstance(runner._player(evaluation, 0, False).player, OutsidePlayer), "the next run is as usual"


def test_players_of_people_are_always_outside_and_cannot_hang_a_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "_players", {})
    own = runner._player(f"{PEOPLE}:First", 0, False)
    assert isinstance(own.player, OutsidePlayer) and own.player._seconds_for(Limits()) < 600
    runner.close_players()


def test_a_worker_killed_by_somebody_else_changes_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A player whose worker is killed once plays the same game again."""
    plan = plan_match(f"{PEOPLE}:KilledOnce", "random", Rules(4), 8, "random(3)", Conditions())
    mark = tmp_path / "killed"
    monkeypatch.setenv("OUTFLANK_TEST_KILLED", str(mark))
    with Store(tmp_path / "killed.db") as store:
        run_plan(plan, store, Processes(1))
    assert mark.exists()
    with Store(tmp_path / "quiet.db") as store:
        run_plan(plan, store, Here())
    log = exported(tmp_path / "killed.db")
    assert log == exported(tmp_path / "quiet.db") and log.count("'normal'") == 8


# --- disks ----------------------------------------------------------------------------------------------------------


def test_failed_writes_are_told_and_lose_nothing(tmp_path: Path, undisturbed: str) -> None:
    sizes = [1, 5000, 20_000, 50_003, 100_000, 150_001]
    for step, (code, said) in endings(tmp_path, *(f"fails={size}" for size in sizes)).items():
        assert code == 2 and "cannot use the store" in said, (step, code, said)
        assert re.search("disk is full|disk refuses", said), said
        goes_on(tmp_path / f"{step}.db", undisturbed)


@pytest.mark.skipif(not STRACE, reason="needs strace, which makes the system refuse to write to the disk")
def test_a_disk_that_refuses_to_sync_is_told_and_loses_nothing(tmp_path: Path, undisturbed: str) -> None:
    path = tmp_path / "games.db"
    script = "import faulty, pathlib, sys; faulty.play('', pathlib.Path(sys.argv[1]))"
    refuse = "inject=fsync,fdatasync:error=EIO"
    command = [str(STRACE), "-qq", "-f", "-o", os.devnull, "-e", "trace=fsync,fdatasync", "-e", refuse]
    done = subprocess.run(
        [*command, sys.executable, "-c", script, str(path)], capture_output=True, text=True, timeout=PATIENCE
    )
    if "ptrace" in done.stderr.lower():
        pytest.skip("SKIPPED: strace may not watch processes here")
    assert "StoreError: cannot use the store" in done.stderr and "the disk refuses to read or write" in done.stderr
    goes_on(path, undisturbed)


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path, undisturbed: str) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k", "none", str(disk)], capture_output=True).returncode:
        pytest.skip("SKIPPED: a small disk can only be made by who may mount one")
    try:
        full = "the disk is full: make room and run the same command again"
        with pytest.raises(StoreError, match=full), Store(disk / "games.db") as store:
            run_plan(faulty.plan(), store, Here())
        for file in disk.iterdir():
            shutil.copy(file, tmp_path)
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    assert goes_on(tmp_path / "games.db", undisturbed) > 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device that is always full")
def test_an_answer_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with Store(path) as store:
        run_plan(faulty.plan(2), store, Here())
    command = [sys.executable, "-m", "outflank", "store", str(path), "--export", "jsonl"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (2, "outflank: cannot write the answer: No space left on device\n")


# --- clocks ---------------------------------------------------------------------------------------------------------


def test_a_clock_of_the_day_that_jumps_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sets the clock back by a day, and forward by a year, all the time."""
    control = TimeControl(game_seconds=600, increment=1)
    plan = plan_match("random", "greedy(ties=random)", Rules(4), 10, "random(3)", Conditions(control=control))
    days = iter(range(10**9))
    real = time.time()
    monkeypatch.setattr(time, "time", lambda: real + (-86_400 if next(days) % 2 else 365 * 86_400))
    with Store(tmp_path / "games.db") as store:
        run_plan(plan, store, Here())
        games = list(store.games())
    assert len(games) == 10 and {game.termination for game in games} == {"normal"}
    assert all(0 <= side.seconds < 600 for game in games for side in game.spent)


def test_only_clocks_that_never_jump_are_looked_at() -> None:
    """The time of day is for the age of files and the day of a game or of a database alone."""
    package = ROOT / "src" / "outflank"
    found = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if re.search(r"\btime\.time\(|\bfrom time import .*\btime\b|datetime\.now", path.read_text())
    }
    assert found <= {"kernels/jit.py", "arena/store.py", "formats/wthor_files.py"}


# --- two programs on one store --------------------------------------------------------------------------------------


def test_readers_see_whole_games_while_a_match_is_played(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    seen: list[int] = []

    def look(*_: object) -> bool:
        with Store(path, reading=True) as reader:
            games = list(reader.games())
            assert not reader.problems()
        seen.append(len(games))
        return True

    with Store(path) as store:
        run_plan(faulty.plan(20), store, Here(), look)
    assert seen == list(range(1, 21))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["games.db"]


def test_two_matches_on_one_store(tmp_path: Path, undisturbed: str) -> None:
    """Both play the same; each game is kept once."""
    path = tmp_path / "games.db"
    with Store(path) as one, Store(path) as other:

        def play_in_the_other(slot: Any, game: Any) -> bool:
            other.add(slot, game)
            return True

        run_plan(faulty.plan(), one, Here(), play_in_the_other)
        run_plan(faulty.plan(), other, Here(), lambda slot, game: pytest.fail("played twice"))
    assert exported(path) == undisturbed


def test_a_later_version_that_changes_the_store_meanwhile_is_told(tmp_path: Path) -> None:
    path = tmp_path / "games.db"

    def change(*_: object) -> bool:
        with Store(path) as later:
            later._connection.execute("ALTER TABLE games ADD COLUMN mood TEXT")
            later._connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
        return True

    told = "another version of Outflank has changed the file meanwhile"
    with pytest.raises(StoreError, match=told), Store(path) as store:
        run_plan(faulty.plan(6), store, Here(), change)
    with pytest.raises(StoreError, match=f"has format {FORMAT + 1}"):
        Store(path)


def test_a_moved_store_ends_the_command_with_an_error(tmp_path: Path) -> None:
    """As a person sees it: exit code 2, where the games are, and that the same command can go on with them."""
    path, other = tmp_path / "games.db", tmp_path / "moved.db"
    match = ["match", "random", "uct(playouts=2000)", "--size", "6", "--games", "4000", "--quiet", "--json"]
    command = [sys.executable, "-m", "outflank", *match, "--workers", "1", "--store"]
    with subprocess.Popen([*command, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: Path(f"{path}-wal").exists() and Path(f"{path}-wal").stat().st_size > 50_000)
        path.rename(other)
        answer, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2 and json.loads(answer)["error"]["kind"] == "StoreError", said
    assert f"the games so far are in {other}: continue with --store {other}" in said
    with Store(other) as store:
        assert store.count() > 0 and not store.problems()
