"""A Dask cluster as executor: a real scheduler and real workers as processes of this machine, some of them killed."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from threading import Thread

import pytest

from outflank.agents import identity
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, plan_match
from outflank.arena.store import Store
from outflank.board import Rules
from outflank.errors import BadSpec, MissingExtra
from outflank.execute import Job, Lost, Processes, TaskFailed
from outflank.execute.cluster import Cluster, ClusterFailed
from outflank.interfaces.cli import main
from support import PATIENCE, running, wait_until
from test_arena import exported, wait_for_games
from test_engine_matches import play_match

pytestmark = pytest.mark.compiled

NAMES = ("workers_task:process", "workers_task:prepare", "workers_task:finish")


@contextmanager
def dask(directory: Path, *args: str) -> Iterator[subprocess.Popen[str]]:
    """A process of Dask that is gone afterwards; its log is beside the scheduler's file."""
    common = ("--no-dashboard", "--host=127.0.0.1", f"--scheduler-file={directory}/scheduler.json")
    command = (sys.executable, "-m", "dask", *args, *common)
    log = directory / f"{args[0]}.log"
    with log.open("a") as file, running(*command, stdout=file, stderr=file) as process:
        yield process


@contextmanager
def scheduler(directory: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address of a scheduler, and its process."""
    with dask(directory, "scheduler", "--port=0") as process:
        file = directory / "scheduler.json"

        def is_ready() -> bool:
            assert process.poll() is None, (directory / "scheduler.log").read_text()
            return file.exists() and file.stat().st_size > 0

        wait_until(is_ready)
        yield json.loads(file.read_text())["address"], process


def worker(directory: Path, *args: str) -> AbstractContextManager[subprocess.Popen[str]]:
    return dask(directory, "worker", "--nthreads=1", f"--local-directory={directory}", *args)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dask")


@pytest.fixture(scope="module")
def cluster(directory: Path) -> Iterator[Cluster]:
    """Two workers, each with a nanny that replaces it when it dies."""
    with ExitStack() as stack:
        address, _ = stack.enter_context(scheduler(directory))
        stack.enter_context(worker(directory))
        stack.enter_context(worker(directory, "--nthreads=2"))
        yield Cluster(address)


def processes(cluster: Cluster) -> set[int]:
    """Two processes that work for the cluster, waited for."""
    found: set[int] = set()
    while len(found) < 2:
        found = {process for _, (process, _) in cluster.run(Job(NAMES[0]), [(str(i), 0.02) for i in range(20)])}
    return found


def test_workers_die_and_join_and_every_task_is_done_once(cluster: Cluster, tmp_path: Path) -> None:
    victim = min(processes(cluster))
    asked, done, worked = list[str](), list[str](), set[int]()

    def tasks() -> Iterator[tuple[str, float]]:
        """More and more, until the worker that replaces the victim has done some."""
        while len(asked) < 100 or len(worked) < 3:
            asked.append(str(len(asked)))
            yield asked[-1], 0.02

    for key, (process, prepared) in cluster.run(Job(NAMES[0], NAMES[1], str(tmp_path), NAMES[2]), tasks()):
        assert prepared == 1
        done.append(key)
        worked.add(process)
        if len(done) == 30:
            os.kill(victim, signal.SIGKILL)
    assert sorted(done) == sorted(asked)
    assert victim in worked and worked - {victim} == {int(path.name) for path in tmp_path.iterdir()}


def test_a_task_that_always_kills_is_given_up_and_the_rest_goes_on(cluster: Cluster) -> None:
    results = dict(cluster.run(Job("workers_task:die_always"), [(str(i), i) for i in range(30)]))
    lost = results.pop("5")
    assert isinstance(lost, Lost) and "its worker died 3 times, last at tcp://127.0.0.1" in lost.reason
    assert results == {str(i): i for i in range(30) if i != 5}


def test_no_tasks_and_tasks_that_fail(cluster: Cluster) -> None:
    assert list(cluster.run(Job("workers_task:square"), [])) == []
    with pytest.raises(TaskFailed, match=r"^number 1$"):
        list(cluster.run(Job("workers_task:fail"), [("a", 1)]))
    with pytest.raises(TaskFailed, match="failed with ModuleNotFoundError: No module named 'nowhere'"):
        list(cluster.run(Job("nowhere:square"), [("a", 1)]))


# --- matches ----------------------------------------------------------------------------------------------------

GAMES = 300
MATCH = ["match", "minimax(depth=1)", "uct(playouts=20)", "--size", "6", "--games", str(GAMES), "--quiet", "--json"]


def match(cluster: Cluster, store: Path) -> AbstractContextManager[subprocess.Popen[str]]:
    command = [*MATCH, "--cluster", cluster.address, "--store", str(store)]
    return running(sys.executable, "-m", "outflank", *command)


def test_a_match_with_a_killed_worker_a_new_one_and_ctrl_c(cluster: Cluster, directory: Path, tmp_path: Path) -> None:
    """All games are there, once, and the log is that of a match on this machine."""
    victim = min(processes(cluster))
    store, quiet = tmp_path / "cluster.db", tmp_path / "here.db"
    with match(cluster, store) as first:
        wait_for_games(store, 20)
        first.send_signal(signal.SIGINT)
        assert first.wait(timeout=PATIENCE) == 130, first.communicate()
    with match(cluster, store) as second:
        wait_for_games(store, 60)
        os.kill(victim, signal.SIGKILL)
        with worker(directory, "--no-nanny"):
            answer, errors = second.communicate(timeout=PATIENCE)
    assert errors == ""
    plan = plan_match(identity(MATCH[1]), identity(MATCH[2]), Rules(6), GAMES, "random(6)", Conditions())
    with Store(quiet) as games:
        run_plan(plan, games, Processes(2))
    assert exported(quiet) == exported(store) and json.loads(answer)["games"] == GAMES


@pytest.mark.parametrize("stopped", [False, True], ids=["complete", "stopped"])
def test_no_engine_is_left_behind(cluster: Cluster, tmp_path: Path, stopped: bool) -> None:
    """Workers outlive a match, and what they started for it must not."""
    play_match(cluster, tmp_path, stopped)


# --- what can be wrong with a cluster -----------------------------------------------------------------------------


def test_a_scheduler_without_workers_and_one_that_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("outflank.execute.cluster._NOTICE_SECONDS", 0.1)
    monkeypatch.setattr("outflank.execute.cluster._CONNECT_SECONDS", 20)
    tasks = [(str(i), 0.02) for i in range(100_000)]
    with scheduler(tmp_path) as (address, process), ExitStack() as stack:

        def join_when_missed() -> None:
            wait_until(lambda: "waiting for workers" in caplog.text)
            stack.enter_context(worker(tmp_path, "--no-nanny"))

        Thread(target=join_when_missed, daemon=True).start()
        running = Cluster(address).run(Job(NAMES[0]), tasks)
        next(running)
        assert f"waiting for workers: nobody has joined {address}" in caplog.text
        monkeypatch.setattr("outflank.execute.cluster._CONNECT_SECONDS", 1)
        process.kill()
        with pytest.raises(ClusterFailed, match=f"the Dask scheduler at {address} is gone"):
            list(running)


def test_an_address_where_no_scheduler_is(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadSpec, match="'host' is no address of a Dask scheduler; expected for example tcp://host:8786"):
        Cluster("host")
    monkeypatch.setattr("outflank.execute.cluster._CONNECT_SECONDS", 0.5)
    with pytest.raises(ClusterFailed, match=r"no Dask scheduler answers at tcp://127.0.0.1:9 .*start one with"):
        list(Cluster("tcp://127.0.0.1:9").run(Job("workers_task:square"), [("a", 1)]))
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"not installed; install it with: pip install 'outflank\[cluster\]'"):
        list(Cluster("tcp://127.0.0.1:9").run(Job("workers_task:square"), [("a", 1)]))


def test_the_command_line_says_what_is_wrong(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "all.toml"
    file.write_text('agents = ["random", "greedy"]\nsizes = [4]\npairs = 1\nopenings = "start"\n')
    for command in (["match", "random", "greedy", "--size=4", "--games=2"], ["tournament", str(file)]):
        assert main([*command, f"--store={tmp_path}/games.db", "--cluster=nowhere"]) == 2
        assert "'nowhere' is no address of a Dask scheduler" in capfd.readouterr().err
