"""Runs keyed tasks: here, in processes of this machine, or on a cluster. Knows no games.

A task is `(key, payload)`; the work is a function named `module:function`, so that every worker imports it for itself
and objects of ours never travel. An executor yields `(key, result)` in any order, each key once. A worker that dies is
replaced and its unfinished tasks are run again, one at a time so that the culprit is found; a task whose worker died
`MAX_DEATHS` times is given up and yields `Lost`.

Workers are started with spawn, never fork, ignore Ctrl-C (the parent handles it) and end when their parent does. Tasks
go out in batches that take about a fifth of a second, so that short tasks are not eaten by the traffic.
"""

import importlib
import multiprocessing
import os
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from outflank.errors import BadSpec

Task = tuple[str, Any]

MAX_DEATHS = 3
_BATCH_SECONDS = 0.2
_MOST_PER_BATCH = 256
_PARENT_CHECK_SECONDS = 0.5


@dataclass(frozen=True)
class Lost:
    """In place of a result: the workers that ran this task died."""

    reason: str


class Executor(Protocol):
    """Runs tasks and yields their results as they come."""

    def run(self, work: str, tasks: Iterable[Task], prepare: str = "", setting: Any = None) -> Iterator[Task]:
        """`work(payload)` for every task; `prepare(setting)` runs once in every worker before its first task."""
        ...


def resolve(name: str) -> Callable[..., Any]:
    """The function that `module:function` names.

    >>> resolve("math:sqrt")(4)
    2.0
    """
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


class Here:
    """Runs every task in this process, one after the other.

    >>> list(Here().run("math:sqrt", [("a", 9), ("b", 4)]))
    [('a', 3.0), ('b', 2.0)]
    """

    def run(self, work: str, tasks: Iterable[Task], prepare: str = "", setting: Any = None) -> Iterator[Task]:
        """The results in order."""
        if prepare:
            resolve(prepare)(setting)
        function = resolve(work)
        for key, payload in tasks:
            yield key, function(payload)


@dataclass
class _Worker:
    """One process and what it is doing."""

    process: multiprocessing.process.BaseProcess
    pipe: Connection
    doing: list[Task] = field(default_factory=list)
    began: float = 0.0
    batch: int = 1


class Processes:
    """Runs tasks in worker processes of this machine."""

    def __init__(self, workers: int | None = None) -> None:
        """As many workers as there are cores unless told otherwise."""
        self.workers = workers or os.cpu_count() or 1
        if not 1 <= self.workers <= 1024:
            raise BadSpec(f"{self.workers} workers are not possible; expected 1 to 1024")

    def run(self, work: str, tasks: Iterable[Task], prepare: str = "", setting: Any = None) -> Iterator[Task]:
        """The results as they come; all workers have ended when the last is taken, or when the caller stops asking."""
        waiting = iter(tasks)
        again: deque[Task] = deque()
        deaths: Counter[str] = Counter()
        crew = [_hire(work, prepare, setting) for _ in range(self.workers)]
        try:
            for worker in crew:
                _hand_out(worker, waiting, again)
            while any(worker.doing for worker in crew):
                yield from _next_results(crew, work, prepare, setting, waiting, again, deaths)
        finally:
            for worker in crew:
                _dismiss(worker)


def _hire(work: str, prepare: str, setting: Any) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, work, prepare, setting, os.getpid()), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _dismiss(worker: _Worker) -> None:
    worker.pipe.close()
    worker.process.kill()
    worker.process.join()


def _hand_out(worker: _Worker, waiting: Iterator[Task], again: deque[Task]) -> None:
    """Gives a worker its next batch; a task whose worker died goes out alone."""
    worker.doing = [again.popleft()] if again else list(islice(waiting, worker.batch))
    worker.began = time.perf_counter()
    if worker.doing:
        try:
            worker.pipe.send(worker.doing)
        except (BrokenPipeError, OSError):
            pass  # it has died: the wait below finds out


def _next_results(
    crew: list[_Worker],
    work: str,
    prepare: str,
    setting: Any,
    waiting: Iterator[Task],
    again: deque[Task],
    deaths: Counter[str],
) -> Iterator[Task]:
    """Waits for one or more workers, yields what they bring, and sends them off again."""
    busy = [worker for worker in crew if worker.doing]
    ready = wait([worker.pipe for worker in busy] + [worker.process.sentinel for worker in busy])
    for worker in busy:
        if worker.pipe not in ready and worker.process.sentinel not in ready:
            continue
        results = _receive(worker)
        if results is None:
            yield from _bury(worker, again, deaths)
            _dismiss(worker)
            crew[crew.index(worker)] = worker = _hire(work, prepare, setting)
        else:
            _adapt(worker, len(results))
            yield from results
        _hand_out(worker, waiting, again)


def _receive(worker: _Worker) -> list[Task] | None:
    """What a worker brings, or None when it has died."""
    try:
        if not worker.pipe.poll():
            return None
        results: list[Task] = worker.pipe.recv()
    except (EOFError, OSError):
        return None
    return results


def _adapt(worker: _Worker, done: int) -> None:
    """Makes the next batch last about a fifth of a second, growing slowly."""
    each = (time.perf_counter() - worker.began) / done
    worker.batch = max(1, min(int(_BATCH_SECONDS / each), 2 * worker.batch, _MOST_PER_BATCH))


def _bury(worker: _Worker, again: deque[Task], deaths: Counter[str]) -> Iterator[Task]:
    """Puts the tasks of a dead worker up again, or gives one up that killed too often."""
    worker.process.join(5)
    for key, payload in worker.doing:
        deaths[key] += len(worker.doing) == 1
        if deaths[key] >= MAX_DEATHS:
            yield key, Lost(f"its worker died {MAX_DEATHS} times, last with exit code {worker.process.exitcode}")
        else:
            again.append((key, payload))
    worker.doing = []


def _serve(pipe: Connection, work: str, prepare: str, setting: Any, parent: int) -> None:
    """The life of a worker: one batch after the other until its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    threading.Thread(target=_watch_parent, args=(parent,), daemon=True).start()
    if prepare:
        resolve(prepare)(setting)
    function = resolve(work)
    while True:
        try:
            batch: Sequence[Task] = pipe.recv()
            pipe.send([(key, function(payload)) for key, payload in batch])
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_SECONDS)
    os._exit(1)
