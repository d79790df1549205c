"""A Dask cluster as an executor: workers on any number of machines, which come and go as they like.

Every batch is sent to one worker by name, two to a worker at most, so it is known at any time who is doing what: when a
worker is no longer on the scheduler's list, its batches are done again. Dask's own way was not used: it tries again in
silence, blames every task that waited on a dead worker, and cannot say which one killed it. Here a task under suspicion
is alone on its worker, as it is in a process of this machine.

A worker may have several threads; a lock sees to it that they take turns, because players are not for two threads at
once. It keeps what it prepared for one run apart from all others, so two runs can share a cluster.
"""

import asyncio
import gc
import logging
import os
import pickle
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from outflank import __version__
from outflank.errors import BadSpec, OutflankError, require
from outflank.execute.tasks import Backlog, Job, Results, Task, TaskFailed, failure, next_size

if TYPE_CHECKING:
    from distributed import Client, Future

_AHEAD = 2
_CONNECT_SECONDS = 8.0
_CENSUS_SECONDS = 0.5
_FETCH_SECONDS = (1.0, 3.0, 10.0, 30.0)
_FINISH_SECONDS = 5.0
_CLOSE_SECONDS = 2.0
_NOTICE_SECONDS = 10.0

_log = logging.getLogger(__name__)


class ClusterFailed(OutflankError):
    """A cluster that cannot be reached, or whose workers cannot do this work."""


class Cluster:
    """Runs tasks on the workers of a Dask scheduler, given by its address such as `tcp://host:8786`."""

    def __init__(self, address: str) -> None:
        if "://" not in address:
            raise BadSpec(f"{address!r} is no address of a Dask scheduler; expected for example tcp://host:8786")
        self.address = address

    def run(self, job: Job, tasks: Iterable[Task]) -> Results:
        """The results as they come; waits for workers as long as there are none."""
        with _connected(self.address) as client:
            shift = _Shift(client, job, Backlog(tasks))
            try:
                yield from shift.results()
            except BaseException:
                shift.end(wait=False)
                raise
            shift.end(wait=True)


@contextmanager
def _connected(address: str) -> Iterator["Client"]:
    require("distributed", "a cluster needs Dask", "cluster")
    from distributed import Client

    try:
        ThreadPoolExecutor(1).submit(asyncio.run, _greet(address)).result()  # a notebook has a loop of its own here
    except Exception as error:  # anything may answer at an address, and anything may be wrong with it
        raise ClusterFailed(
            f"no Dask scheduler answers at {address} ({str(error) or 'nothing within seconds'}); "
            f"start one with `dask scheduler`, which prints its address"
        ) from None
    with _quiet("distributed.client", "asyncio"):
        client = Client(address, set_as_default=False, name="outflank")
        try:
            yield client
        finally:
            with suppress(OSError):
                client.close(timeout=_CLOSE_SECONDS)
            gc.collect()  # asyncio complains of forgotten tasks when they are collected: here, where it is not heard


@contextmanager
def _quiet(*names: str) -> Iterator[None]:
    """Silences loggers: dead workers and lost schedulers are handled here, and told where people need to know."""
    levels = {logger: logger.level for logger in map(logging.getLogger, names)}
    for logger in levels:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)


async def _greet(address: str) -> None:
    """Makes sure that a scheduler answers: a client that has to wait for one cannot be stopped."""
    from distributed import Security, rpc

    keys = Security().get_connection_args("client")
    async with asyncio.timeout(_CONNECT_SECONDS), rpc(address, connection_args=keys) as stranger:
        kind = (await stranger.identity())["type"]
    if kind != "Scheduler":
        raise ClusterFailed(f"this is a {kind.lower()}")


@dataclass
class _Worker:
    """A worker of the cluster and the batches it has."""

    doing: dict[str, tuple["Future[bytes]", list[Task]]] = field(default_factory=dict)
    batch: int = 1
    room: int = 1


class _Shift:
    """One run of a job on a cluster."""

    def __init__(self, client: "Client", job: Job, backlog: Backlog) -> None:
        self.client = client
        self.backlog = backlog
        self.run = f"outflank-{uuid.uuid4().hex}"
        self.job = pickle.dumps(job)
        self.workers: dict[str, _Worker] = {}
        self.done: SimpleQueue[tuple[str, str]] = SimpleQueue()
        self.numbers = count()
        self.counted = self.manned = time.monotonic()

    def results(self) -> Iterator[Task]:
        """Hands out and collects until nothing is left."""
        yield from self._census()
        while self.backlog or any(worker.doing for worker in self.workers.values()):
            for address, worker in self.workers.items():
                self._hand_out(address, worker)
            with suppress(Empty):
                yield from self._collect(*self.done.get(timeout=_CENSUS_SECONDS))
            if time.monotonic() - self.counted > _CENSUS_SECONDS:
                yield from self._census()

    def end(self, wait: bool) -> None:
        """Takes back what is not done, and has the workers tidy up, where asked before this returns.

        Workers are told by name and answer. A task would not do: a scheduler forgets one whose client leaves at once.
        """
        for worker in self.workers.values():
            for future, _ in worker.doing.values():
                future.release()
        order = {"workers": list(self.workers), "wait": wait, "on_error": "ignore"}
        with suppress(OSError):
            self.client.run(_finish, self.job, self.run, **order, callback_timeout=_FINISH_SECONDS)

    # --- who is there ---------------------------------------------------------------------------------------------

    def _census(self) -> Iterator[Task]:
        """Looks who has come and who has gone; what the gone were doing is to be done again."""
        try:
            present = set(self.client.nthreads(callback_timeout=_CONNECT_SECONDS))
        except OSError:
            raise ClusterFailed(
                f"the Dask scheduler at {self.client.scheduler.address} is gone; what is done is kept, and the same "
                f"again goes on once there is one"
            ) from None
        for address in self.workers.keys() - present:
            for future, batch in self.workers.pop(address).doing.values():
                future.cancel()
                yield from self.backlog.bury(batch, f"at {address}")
        for address in present - self.workers.keys():
            self.workers[address] = _Worker()
        self.counted = time.monotonic()
        self._notice()

    def _notice(self) -> None:
        """Says so, again and again, while nobody works."""
        if self.workers:
            self.manned = self.counted
        elif self.counted - self.manned > _NOTICE_SECONDS:
            self.manned = self.counted
            _log.warning("waiting for workers: nobody has joined %s", self.client.scheduler.address)

    # --- batches out and in -----------------------------------------------------------------------------------------

    def _hand_out(self, address: str, worker: _Worker) -> None:
        """Fills a worker's queue; a task under suspicion waits for an idle worker and has it for itself."""
        while self.backlog and len(worker.doing) < worker.room and not (self.backlog.suspicious and worker.doing):
            suspicious = self.backlog.suspicious
            if suspicious:
                worker.room = 1
            batch = self.backlog.take(worker.batch)
            key = f"{self.run}-{next(self.numbers)}"
            order = (self.job, self.run, __version__, pickle.dumps((suspicious, batch)))
            future = self.client.submit(_work, *order, key=key, workers=[address])
            worker.doing[key] = future, batch
            future.add_done_callback(lambda _, key=key: self.done.put((address, key)))

    def _collect(self, address: str, key: str) -> Iterator[Task]:
        """The results of a batch, after its worker was sent off again; nothing for a batch that was taken back."""
        worker = self.workers.get(address, _Worker())
        future, batch = worker.doing.pop(key, (None, []))
        if future is None:
            return
        answer = _fetch(future, address)
        if answer is None:
            yield from self.backlog.bury(batch, f"at {address}")
            return
        seconds, results = answer
        worker.batch = next_size(len(batch), seconds)
        worker.room = _AHEAD if worker.batch > 1 else 1  # long tasks gain nothing by waiting at a worker
        self._hand_out(address, worker)
        yield from results


def _fetch(future: "Future[bytes]", address: str) -> tuple[float, list[Task]] | None:
    """What a worker brings, or None when it died before it could; its error is raised."""
    from distributed import CancelledError, KilledWorker

    try:
        answer = pickle.loads(_bytes(future))
    except (KilledWorker, CancelledError, OSError):
        return None
    except Exception as error:
        raise ClusterFailed(
            f"the worker at {address} cannot do this work ({type(error).__name__}: {error}); "
            f"expected the same Python and outflank {__version__} there as here"
        ) from None
    finally:
        future.release()  # not left to its __del__, where Python would swallow a Ctrl-C
    if isinstance(answer, TaskFailed):
        raise answer
    seconds, results = answer
    return seconds, results


def _bytes(future: "Future[bytes]") -> bytes:
    """The result as it travels. Dask waits without end for one that died with its worker, so it is looked at again."""
    for seconds in _FETCH_SECONDS:
        try:
            found: bytes = future.result(timeout=seconds)
            return found
        except TimeoutError:
            if future.status != "finished":
                break
    raise TimeoutError


# --- what runs in the workers -------------------------------------------------------------------------------------

_turn = threading.Lock()
_prepared: dict[str, Callable[[Any], Any]] = {}
"""The function of every run that this process works for."""

_ended: deque[str] = deque(maxlen=1000)
"""The latest runs that are over: what is still queued for them is not begun."""


def _work(job: bytes, run: str, version: str, order: bytes) -> bytes:
    """The seconds and results of a batch, or the error that it raised."""
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")  # before anything is unpacked, which may import numba
    with _turn:
        try:
            if version != __version__:
                raise ClusterFailed(f"a worker has outflank {__version__}; expected {version}, as here")
            if run in _ended:
                return pickle.dumps((0.0, []))
            suspicious, batch = pickle.loads(order)
            if suspicious:
                pickle.loads(job).take_care()
            if run not in _prepared:
                _prepared[run] = pickle.loads(job).begin()
            began = time.perf_counter()
            results = [(key, _prepared[run](payload)) for key, payload in batch]
            return pickle.dumps((time.perf_counter() - began, results))
        except Exception as error:
            return pickle.dumps(failure(error))


async def _finish(job: bytes, run: str) -> None:
    """Tidies up after a run, when the batch at hand is done."""
    _ended.append(run)
    await asyncio.to_thread(_tidy, job, run)


def _tidy(job: bytes, run: str) -> None:
    with _turn:
        if _prepared.pop(run, None) is not None:
            pickle.loads(job).end()
