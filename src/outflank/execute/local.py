"""Executors of this machine: this process, or worker processes.

Workers are started with spawn, never fork, ignore Ctrl-C (the parent handles it) and end when their parent does. One
that dies is replaced. A worker that has nothing to do when the run ends may tidy up; a busy one is killed at once.
"""

import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait

from outflank.errors import BadSpec
from outflank.execute.tasks import Backlog, Job, Results, Task, TaskFailed, failure, next_size
from outflank.inputs import shown

_PARENT_CHECK_SECONDS = 0.5
_FINISH_SECONDS = 5.0


class Here:
    """Runs every task in this process, one after the other.

    >>> list(Here().run(Job("math:sqrt"), [("a", 9), ("b", 4)]))
    [('a', 3.0), ('b', 2.0)]
    """

    def run(self, job: Job, tasks: Iterable[Task]) -> Results:
        """The results in order; an error of the work is raised as it is."""
        try:
            function = job.begin()
            for key, payload in tasks:
                yield key, function(payload)
        finally:
            job.end()


@dataclass
class _Worker:
    """One process and what it is doing."""

    process: multiprocessing.process.BaseProcess
    pipe: Connection
    doing: list[Task] = field(default_factory=list)
    began: float = 0.0
    batch: int = 1
    started: bool = False
    """Whether it has begun to prepare itself."""


class Processes:
    """Runs tasks in worker processes of this machine.

    Inside `with` workers stay from one run to the next: they take seconds to start, which many short runs would pay
    for again and again.
    """

    def __init__(self, workers: int | None = None) -> None:
        """As many workers as there are cores unless told otherwise."""
        self.workers = (os.cpu_count() or 1) if workers is None else workers
        if not 1 <= self.workers <= 1024:
            raise BadSpec(f"{shown(self.workers)} workers are not possible; expected 1 to 1024")
        self._kept: list[_Worker] | None = None

    def __enter__(self) -> "Processes":
        self._kept = []
        return self

    def __exit__(self, *failure: object) -> None:
        _dismiss(self._kept or [])
        self._kept = None

    def run(self, job: Job, tasks: Iterable[Task]) -> Results:
        """The results as they come; all workers have ended when the last is taken, or when the caller stops asking,
        unless they are kept."""
        backlog = Backlog(tasks)
        packed = pickle.dumps(job)
        crew = self._crew(packed) if backlog else []
        try:
            while backlog or any(worker.doing for worker in crew):
                for worker in crew:
                    _hand_out(worker, backlog)
                yield from _next_results(crew, packed, backlog)
        finally:
            if self._kept is None:
                _dismiss(crew)
            else:
                self._kept = [worker for worker in crew or self._kept if not worker.doing]
                _dismiss(worker for worker in crew if worker.doing)

    def _crew(self, job: bytes) -> list[_Worker]:
        """Workers for a job: those that were kept, and new ones."""
        kept = self._kept or []
        for worker in kept:
            worker.batch = 1
            with suppress(OSError):  # it has died: whoever waits for it finds out
                worker.pipe.send(job)
        return kept + [_hire(job) for _ in range(self.workers - len(kept))]


def _hire(job: bytes) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, job, os.getpid()), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _dismiss(crew: Iterable[_Worker]) -> None:
    for worker in crew:
        worker.pipe.close()  # the sign to finish
        if worker.doing:
            worker.process.kill()
    deadline = time.monotonic() + _FINISH_SECONDS
    for worker in crew:
        worker.process.join(max(deadline - time.monotonic(), 0))
        worker.process.kill()
        worker.process.join()


def _hand_out(worker: _Worker, backlog: Backlog) -> None:
    """Gives an idle worker its next batch."""
    if worker.doing or not backlog:
        return
    suspicious = backlog.suspicious
    worker.doing = backlog.take(worker.batch)
    worker.began = time.perf_counter()
    with suppress(OSError):  # it has died: whoever waits for it finds out
        worker.pipe.send((suspicious, worker.doing))


def _next_results(crew: list[_Worker], job: bytes, backlog: Backlog) -> Iterator[Task]:
    """Waits for one or more workers, sends each off again, and only then yields what it brought."""
    busy = [worker for worker in crew if worker.doing]
    ready = wait([worker.pipe for worker in busy] + [worker.process.sentinel for worker in busy])
    for worker in busy:
        if worker.pipe not in ready and worker.process.sentinel not in ready:
            continue
        results = _receive(worker)
        if results == []:
            worker.started, worker.began = True, time.perf_counter()
            continue
        if results is None:
            worker.process.join(5)
            _refuse_false_start(worker)
            results = list(backlog.bury(worker.doing, f"with exit code {worker.process.exitcode}"))
            _dismiss([worker])
            crew[crew.index(worker)] = worker = _hire(job)
        else:
            worker.batch = next_size(len(results), time.perf_counter() - worker.began)
            worker.doing = []
        _hand_out(worker, backlog)
        yield from results


def _refuse_false_start(worker: _Worker) -> None:
    """A worker that cannot start never will: most often a script that starts itself again."""
    if not worker.started and worker.process.exitcode == 1:
        raise TaskFailed(
            "a worker process could not start (its own message is above); a script that uses several workers needs "
            "`if __name__ == '__main__':` around what it does, or workers=1"
        )


def _receive(worker: _Worker) -> list[Task] | None:
    """What a worker brings, nothing when it has started or is prepared, None when it has died; its error is raised."""
    try:
        if not worker.pipe.poll():
            return None
        results: list[Task] | TaskFailed = worker.pipe.recv()
    except (EOFError, OSError):
        return None
    if isinstance(results, TaskFailed):
        raise results
    return results


def _serve(pipe: Connection, packed: bytes, parent: int) -> None:
    """The life of a worker: one batch after the other until its pipe is closed or its parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")  # before the job is unpacked, which may import numba
    threading.Thread(target=_watch_parent, args=(parent,), daemon=True).start()
    try:
        job: Job = pickle.loads(packed)
        function = None
        pipe.send([])
        while order := _next_order(pipe):
            if isinstance(order, bytes):  # another job
                job.end()
                job, function = pickle.loads(order), None
                continue
            suspicious, batch = order
            if suspicious:
                job.take_care()
            if function is None:
                function = job.begin()
                pipe.send([])
            pipe.send([(key, function(payload)) for key, payload in batch])
        job.end()
    except Exception as error:
        with suppress(OSError):  # nobody listens any more
            pipe.send(failure(error))


def _next_order(pipe: Connection) -> tuple[bool, list[Task]] | bytes | None:
    """Whether the next batch has cost a worker its life, and the batch; or another job; None when there are no more."""
    try:
        order: tuple[bool, list[Task]] | bytes = pipe.recv()
    except (EOFError, OSError):
        return None
    return order


def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_SECONDS)
    os._exit(1)
