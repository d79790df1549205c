"""Feeds the readers: in batches over processes, each input with a watch on its time and on memory.

An input fails if the reader raises anything but an `OutflankError`, if what it accepted does not come back when it is
written and read, if it takes more than a second of this process's own time (a busy machine does not count), if it asks
for more than `MEMORY` bytes above what the process had, or if the process dies of it. A failing text is made shorter,
told and kept in a file as soon as its batch ends. What goes wrong in here is told too and counted apart; neither ends a
run.
"""

import hashlib
import random
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

from fuzz.mutate import Mutator
from fuzz.targets import TARGETS, Target, kept
from outflank.errors import OutflankError
from outflank.execute.tasks import Executor, Job, Lost

SECONDS = 1.0
"""Of processor time for one input, that of the system included."""
MEMORY = 256 << 20
"""Bytes of address space that one input may ask for."""
GROWTH = 64 << 20
"""Bytes that a worker may hold after a batch above what it held before its first."""
_BATCH = 1000
_BATCH_SECONDS = 600
"""Of processor time until a worker is ended by an alarm that nobody hears: compiled code hears no other."""
_TRIES = 400
_TRIES_OF_HANGS = 20
_PROGRESS_SECONDS = 30.0
_MOST_FAILURES = 100


class Hang(BaseException):
    """An input that takes too long; not an Exception, so that no reader catches it."""


@dataclass
class Failure:
    """A text that broke something."""

    target: str
    text: str
    what: str


@dataclass
class Count:
    """What became of the inputs of a target."""

    accepted: int = 0
    refused: int = 0
    seconds: float = 0.0
    peak: int = 0
    """Bytes that a batch needed above what the process held before."""
    failures: list[Failure] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    """What went wrong in the harness itself."""

    @property
    def inputs(self) -> int:
        return self.accepted + self.refused + len(self.failures)

    def add(self, other: "Count") -> None:
        """Takes the count of a batch in."""
        self.accepted += other.accepted
        self.refused += other.refused
        self.seconds += other.seconds
        self.peak = max(self.peak, other.peak)
        self.failures += other.failures
        self.errors += other.errors


def _hang(*_: object) -> None:
    raise Hang(f"more than {SECONDS:g} s of processor time")


@contextmanager
def watched() -> Iterator[None]:
    """Bounds what this process may ask for, and hears the alarm of an input that takes too long."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    heard = signal.signal(signal.SIGPROF, _hang)
    if pages:
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGPROF, heard)


def tried(read: Callable[[str], object], text: str) -> str:
    """Whether a text was "accepted" or "refused"; whatever else the reader raises is raised."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        read(text)
    except OutflankError:
        return "refused"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return "accepted"


def fault(read: Callable[[str], object], text: str) -> str:
    """What is wrong with the way a text is read; nothing if all is well."""
    try:
        tried(read, text)
    except (Exception, Hang) as error:
        return f"{type(error).__name__}: {error}"[:1000]
    return ""


def minimal(target: Target, text: str, kind: str) -> str:
    """A shorter text with the same kind of fault, as far as leaving out parts gets there."""
    most, tries = _TRIES_OF_HANGS if kind == "Hang" else _TRIES, 0
    size = max(1, len(text) // 2)
    while size and tries < most:
        at = 0
        while at < len(text) and tries < most:
            shorter, tries = text[:at] + text[at + size :], tries + 1
            if fault(target.read, shorter).partition(":")[0] == kind:
                text = shorter
            else:
                at += size
        size //= 2
    return text


@cache
def _warm(name: str) -> Sequence[str]:
    """The examples of a target, each read once: whatever is compiled or built on first use is."""
    target = TARGETS[name]
    examples = [*target.examples(), *kept(name)]
    for example in examples:
        try:
            target.read(example)
        except OutflankError:
            pass
    return examples


def batch(name: str, seed: str, inputs: int, before: Callable[[str], object] = len) -> Count:
    """What became of so many inputs; the same for the same seed. `before` sees every text before the reader does."""
    target, examples = TARGETS[name], _warm(name)
    maker = Mutator(examples, target.words(), random.Random(f"{name} {seed}"))
    count, began, held = Count(), time.process_time(), _resident()
    _forget_peak()
    with watched():
        for _ in range(inputs):
            try:
                text = maker.text()
                before(text)
            except Exception:
                count.errors.append(f"{name} {seed}: {traceback.format_exc(limit=-3)}")
            else:
                _count_one(count, target, text)
    count.seconds, count.peak = time.process_time() - began, _resident("VmHWM") - held
    return count


def _count_one(count: Count, target: Target, text: str) -> None:
    try:
        if tried(target.read, text) == "accepted":
            count.accepted += 1
        else:
            count.refused += 1
    except (Exception, Hang) as error:
        what = f"{type(error).__name__}: {error}"[:1000]
        if isinstance(error, Hang) and not fault(target.read, text):
            count.accepted += 1  # the time went to something else, such as a collection of garbage
        else:
            count.failures.append(Failure(target.name, minimal(target, text, type(error).__name__), what))


def _resident(field: str = "VmRSS") -> int:
    """Bytes in memory, now or at most (VmHWM); 0 where the system does not say."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith(f"{field}:")), 0)


def _forget_peak() -> None:
    """The peak is that of what follows, as far as the system can forget."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


# --- workers --------------------------------------------------------------------------------------------------------


Batch = tuple[str, str, int]
"""Target, seed, inputs."""


class _Worker:
    """What a worker process knows."""

    directory = Path()
    careful = False
    """Whether every text is noted before it is read: a process has died of one of them."""
    held = 0
    """Bytes when all targets were ready."""


def prepare(setting: tuple[Sequence[str], Path]) -> None:
    """Makes all targets ready, once in every worker."""
    names, _Worker.directory = setting
    for name in names:
        _warm(name)
    _Worker.held = _resident()


def take_care() -> None:
    """Has the texts of this process noted."""
    _Worker.careful = True


def work(task: Batch) -> Count:
    """The count of a batch, whatever happens to it."""
    name, seed, inputs = task
    note = _note(_Worker.directory, task)
    signal.setitimer(signal.ITIMER_VIRTUAL, _BATCH_SECONDS)
    try:
        count = batch(name, seed, inputs, partial(_write, note) if _Worker.careful else len)
        note.unlink(missing_ok=True)
    except (Exception, Hang):
        count = Count(errors=[f"{name} {seed}: {traceback.format_exc()}"])
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    grown = _resident() - _Worker.held
    if grown > GROWTH:
        _Worker.held += grown  # told once
        count.failures.append(Failure(name, "", f"Leak: {grown >> 20} MB more are held after the batch {seed}"))
    return count


def _note(directory: Path, task: Batch) -> Path:
    return directory / f"{task[0]}-{task[1].replace(' ', '-')}.note"


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "surrogatepass"))


def _of_the_dead(task: Batch, lost: Lost, directory: Path) -> Count:
    """The count of a batch that kills: the text that was noted last."""
    note = _note(directory, task)
    text = note.read_bytes().decode("utf-8", "surrogatepass") if note.exists() else ""
    note.unlink(missing_ok=True)
    return Count(failures=[Failure(task[0], text, f"Death: {lost.reason} (batch {task[1]})")])


# --- a run ----------------------------------------------------------------------------------------------------------


def tasks(names: Sequence[str], inputs: int, seed: int) -> Iterator[Batch]:
    """Batches of all targets, side by side, as their shares are."""
    shares = sum(TARGETS[name].share for name in names)
    left = {name: -(-inputs * TARGETS[name].share // shares) for name in names}
    number = 0
    while any(left.values()):
        for name in names:
            for _ in range(TARGETS[name].share):
                size = min(_BATCH, left[name])
                if size:
                    left[name] -= size
                    yield name, f"{seed} {number}", size
                    number += 1


def run(
    names: Sequence[str], inputs: int, seed: int, executor: Executor, seconds: float, directory: Path
) -> dict[str, Count]:
    """Feeds so many inputs over all, or as many as go into the seconds; ends early at a hundred failures.

    Failures and errors are told as they come, and the failing texts kept in the directory.
    """
    directory.mkdir(parents=True, exist_ok=True)
    counts = {name: Count() for name in names}
    job = Job("fuzz.run:work", "fuzz.run:prepare", (names, directory), care="fuzz.run:take_care")
    batches = ((f"{task[0]} {task[1]}", task) for task in tasks(names, inputs, seed))
    began = told = time.monotonic()
    with closing(executor.run(job, batches)) as results:
        for key, result in results:
            name, _, number = key.partition(" ")
            count = result if isinstance(result, Count) else _of_the_dead((name, number, 0), result, directory)
            counts[name].add(count)
            _tell(count, directory)
            now, total = time.monotonic(), _total(counts)
            if now - told > _PROGRESS_SECONDS:
                told = now
                say(f"{total.inputs:,} of {inputs:,} inputs, {_broken(total)}, {now - began:.0f} s")
            if now - began > seconds or len(total.failures) + len(total.errors) >= _MOST_FAILURES:
                break
    return counts


def _tell(count: Count, directory: Path) -> None:
    for failure in count.failures:
        say(f"{keep(failure, directory)}: {failure.what[:200]}: {failure.text[:200]!r}")
    for error in count.errors:
        say(f"error of the harness: {error}")


def _broken(count: Count) -> str:
    return f"{len(count.failures)} failures, {len(count.errors)} errors of the harness"


def say(line: str) -> None:
    """A line of progress."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _total(counts: dict[str, Count]) -> Count:
    total = Count()
    for count in counts.values():
        total.add(count)
    return total


def table(counts: dict[str, Count]) -> str:
    """Inputs, accepted share, time and memory by target."""
    lines = [f"{'target':<14}{'inputs':>12}{'accepted':>10}{'failures':>10}{'errors':>8}{'µs each':>9}{'peak MB':>9}"]
    for name, count in (counts | {"all": _total(counts)}).items():
        share = f"{100 * count.accepted / max(1, count.inputs):.1f} %"
        each, peak = 1e6 * count.seconds / max(1, count.inputs), count.peak / 2**20
        broken = f"{len(count.failures):>10}{len(count.errors):>8}"
        lines.append(f"{name:<14}{count.inputs:>12,}{share:>10}{broken}{each:>9.0f}{peak:>9.0f}")
    return "\n".join(lines)


def keep(failure: Failure, directory: Path) -> Path:
    """Writes a failing text, with what it did behind its name, to be looked at and added to the corpus."""
    text = failure.text.encode("utf-8", "surrogatepass")
    path = directory / f"{failure.target}-{hashlib.sha256(text).hexdigest()[:12]}.txt"
    path.write_bytes(text)
    path.with_suffix(".why").write_text(failure.what, encoding="utf-8", errors="backslashreplace")
    return path
