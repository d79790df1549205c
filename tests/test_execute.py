"""Executors: every key once, whatever happens to the workers."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from outflank.errors import BadSpec
from outflank.execute import Here, Job, Lost, Processes, TaskFailed
from support import PATIENCE, wait_until, workers_of

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_task_once(workers: int) -> None:
    tasks = [(str(i), i) for i in range(500)]
    results = list(Processes(workers).run(Job("workers_task:square"), tasks))
    assert sorted(results) == sorted((str(i), i * i) for i in range(500))
    assert sorted(Here().run(Job("workers_task:square"), tasks)) == sorted(results)


def test_workers_are_prepared() -> None:
    results = Processes(2).run(Job("workers_task:prepared", "workers_task:prepare", {"x": 3}), [("a", 1)])
    assert list(results) == [("a", (1, {"x": 3}))]


def test_no_tasks_and_lazy_tasks() -> None:
    assert list(Processes(2).run(Job("workers_task:square"), [])) == []
    assert len(list(Processes(2).run(Job("workers_task:square"), ((str(i), i) for i in range(50))))) == 50


def test_a_worker_that_dies_is_replaced_and_its_tasks_run_again(tmp_path: Path) -> None:
    tasks = [(str(i), (i, str(tmp_path))) for i in range(40)]
    results = list(Processes(3).run(Job("workers_task:die_once"), tasks))
    assert sorted(results) == sorted((str(i), i) for i in range(40))


def test_a_task_that_always_kills_is_given_up_and_the_rest_goes_on() -> None:
    results = dict(Processes(2).run(Job("workers_task:die_always"), [(str(i), i) for i in range(30)]))
    lost = results.pop("5")
    assert isinstance(lost, Lost) and "died 3 times, last with exit code 11" in lost.reason
    assert results == {str(i): i for i in range(30) if i != 5}


def test_killed_workers_lose_nothing() -> None:
    """kill -9 from outside, several times, in the middle of the work."""
    results, killed = [], 0
    for result in Processes(2).run(Job("workers_task:slow_square"), [(str(i), i) for i in range(120)]):
        results.append(result)
        if len(results) % 30 == 10:
            for child in workers_of(os.getpid()):
                os.kill(child, signal.SIGKILL)
                killed += 1
                break
    assert killed >= 3 and sorted(results) == sorted((str(i), i * i) for i in range(120))


def test_no_process_is_left_behind_when_the_caller_stops_asking() -> None:
    running = Processes(2).run(Job("workers_task:slow_square"), [(str(i), i) for i in range(1000)])
    next(running)
    assert workers_of(os.getpid())
    running.close()
    wait_until(lambda: not workers_of(os.getpid()))


def test_workers_tidy_up_when_all_is_done(tmp_path: Path) -> None:
    names = ("workers_task:process", "workers_task:prepare", "workers_task:finish")
    for executor in (Processes(2), Here()):
        tasks = [(str(i), 0.01) for i in range(40)]
        ran = {process for _, (process, _) in executor.run(Job(names[0], names[1], str(tmp_path), names[2]), tasks)}
        assert ran <= {int(path.name) for path in tmp_path.iterdir()}
    assert len(list(tmp_path.iterdir())) == 3


def test_errors_of_the_work_are_told() -> None:
    with pytest.raises(TaskFailed, match=r"^number 1$"):
        list(Processes(2).run(Job("workers_task:fail"), [("a", 1)]))
    with pytest.raises(TaskFailed, match=r"failed with ZeroDivisionError: number 0\n(?s:Traceback.*in fail\n)"):
        list(Processes(2).run(Job("workers_task:fail"), [("a", 0)]))
    with pytest.raises(TaskFailed, match="failed with AttributeError"):
        list(Processes(2).run(Job("workers_task:square", "workers_task:nothing"), [("a", 1)]))


def test_bad_numbers_of_workers() -> None:
    with pytest.raises(BadSpec, match="expected 1 to 1024"):
        Processes(-1)


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    """Its workers start the script again, which starts workers: each fails before it is ready."""
    script = tmp_path / "careless.py"
    script.write_text(
        "from outflank.execute import Job, Processes\n"
        "print(list(Processes(2).run(Job('math:sqrt'), [('a', 4), ('b', 9), ('c', 16)])))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode != 0
    assert "if __name__ == '__main__'" in done.stderr.splitlines()[-1]
