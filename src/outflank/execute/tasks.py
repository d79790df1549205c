"""What all executors share: tasks, the job that workers do, and the backlog that is handed out to them."""

import importlib
import traceback
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from outflank.errors import OutflankError

Task = tuple[str, Any]
"""A key and a payload, or a key and the result of its work."""

Results = Generator[Task, None, None]
"""Results as they come; whoever stops asking early calls `close`."""

MAX_DEATHS = 3
_BATCH_SECONDS = 0.2
_MOST_PER_BATCH = 256


@dataclass(frozen=True)
class Lost:
    """In place of a result: the workers that ran this task died."""

    reason: str


class TaskFailed(OutflankError):
    """The work, or the preparation for it, raised an error in a worker."""


def resolve(name: str) -> Callable[..., Any]:
    """The function that `module:function` names.

    >>> resolve("math:sqrt")(4)
    2.0
    """
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


@dataclass(frozen=True)
class Job:
    """What a worker is told once: the names of its functions.

    `work(payload)` runs for every task, `prepare(setting)` once in every worker before its first, `finish()` when a
    worker has done its last. `care()` runs before a task whose worker died, also before the preparation: whoever works
    may then be careful.
    """

    work: str
    prepare: str = ""
    setting: Any = None
    finish: str = ""
    care: str = ""

    def take_care(self) -> None:
        """Tells the process that the next task has cost a worker its life."""
        if self.care:
            resolve(self.care)()

    def begin(self) -> Callable[[Any], Any]:
        """The function for every task, in a process that is prepared for it."""
        if self.prepare:
            resolve(self.prepare)(self.setting)
        return resolve(self.work)

    def end(self) -> None:
        """Tidies the process up."""
        if self.finish:
            resolve(self.finish)()


class Executor(Protocol):
    """Runs tasks and yields their results as they come."""

    def run(self, job: Job, tasks: Iterable[Task]) -> Results:
        """The results of the job for every task. No worker runs two tasks at once."""
        ...


def failure(error: Exception) -> TaskFailed:
    """The error as it travels from a worker to the caller; an unexpected one brings its traceback."""
    if isinstance(error, OutflankError):
        return TaskFailed(str(error))
    return TaskFailed(f"a worker failed with {type(error).__name__}: {error}\n{traceback.format_exc()}".strip())


class Backlog:
    """Tasks to hand out; those whose worker died come first and alone.

    >>> backlog = Backlog(enumerate("abc"))
    >>> first = backlog.take(2)
    >>> first, list(backlog.bury(first, "x")), backlog.take(5), backlog.take(5), backlog.take(5), bool(backlog)
    ([(0, 'a'), (1, 'b')], [], [(0, 'a')], [(1, 'b')], [(2, 'c')], False)
    """

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = iter(tasks)
        self._next = list(islice(self._tasks, 1))  # one ahead, to know whether there are more
        self._again: deque[Task] = deque()
        self._deaths: Counter[str] = Counter()

    def __bool__(self) -> bool:
        """Whether there is anything to hand out."""
        return bool(self._next or self._again)

    @property
    def suspicious(self) -> bool:
        """Whether the next task must be alone on its worker, to see whether the worker survives it."""
        return bool(self._again)

    def take(self, most: int) -> list[Task]:
        """The next batch."""
        if self._again:
            return [self._again.popleft()]
        batch = self._next + list(islice(self._tasks, most))
        self._next = batch[most:]
        return batch[:most]

    def bury(self, batch: Sequence[Task], last: str) -> Iterator[Task]:
        """Takes the batch of a dead worker back, and gives a task up that was alone with it too often."""
        for key, payload in batch:
            self._deaths[key] += len(batch) == 1
            if self._deaths[key] >= MAX_DEATHS:
                yield key, Lost(f"its worker died {MAX_DEATHS} times, last {last}")
            else:
                self._again.append((key, payload))


def next_size(size: int, seconds: float) -> int:
    """How many tasks to send after a batch of this size took so long: about a fifth of a second, growing slowly.

    >>> next_size(1, 0.01), next_size(64, 0.4), next_size(1, 3600.0)
    (2, 32, 1)
    """
    each = max(seconds, 1e-9) / size
    return max(1, min(int(_BATCH_SECONDS / each), 2 * size, _MOST_PER_BATCH))
