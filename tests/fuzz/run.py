"""Feeds the readers: in batches over processes, each input with a watch on its time and on memory.

An input fails if the reader raises anything but an `OutflankError`, if what it accepted does not come back when it is
written and read, if it takes more than a second of this process's own time (a busy machine does not count), or if it
asks for more than `MEMORY` bytes above what the process had. A failing text is made shorter and kept in a file.
"""

import multiprocessing
import random
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from fuzz.mutate import Mutator
from fuzz.targets import TARGETS, Target, kept
from outflank.errors import OutflankError

SECONDS = 1.0
"""Of processor time for one input."""
MEMORY = 256 << 20
"""Bytes of address space that one input may ask for."""
GROWTH = 64 << 20
"""Bytes by which the peak memory of a process may grow over all its inputs."""
_BATCH = 1000
_TRIES = 400
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
    growth: int = 0
    failures: list[Failure] = field(default_factory=list)

    @property
    def inputs(self) -> int:
        return self.accepted + self.refused + len(self.failures)

    def add(self, other: "Count") -> None:
        """Takes the count of a batch in."""
        self.accepted += other.accepted
        self.refused += other.refused
        self.seconds += other.seconds
        self.growth = max(self.growth, other.growth)
        self.failures += other.failures


def _hang(*_: object) -> None:
    raise Hang(f"more than {SECONDS:g} s of processor time")


@contextmanager
def watched() -> Iterator[None]:
    """Bounds what this process may ask for, and hears the alarm of an input that takes too long."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    heard = signal.signal(signal.SIGVTALRM, _hang)
    if pages:
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGVTALRM, heard)


def tried(read: Callable[[str], object], text: str) -> str | None:
    """Whether a text was "accepted" or "refused"; None where the reader broke, which is raised."""
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        read(text)
    except OutflankError:
        return "refused"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return "accepted"


def fault(read: Callable[[str], object], text: str) -> str:
    """What is wrong with the way a text is read; nothing if all is well."""
    try:
        tried(read, text)
    except (Exception, Hang) as error:
        return f"{type(error).__name__}: {error}"[:1000]
    return ""


def minimal(target: Target, text: str) -> str:
    """A shorter text with the same kind of fault, as far as leaving out parts gets there."""
    kind = fault(target.read, text).partition(":")[0]
    size, tries = max(1, len(text) // 2), 0
    while size and tries < _TRIES and kind != "Hang":
        at = 0
        while at < len(text) and tries < _TRIES:
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


def batch(name: str, seed: str, inputs: int) -> Count:
    """What became of so many inputs; the same for the same seed."""
    target, examples = TARGETS[name], _warm(name)
    maker = Mutator(examples, target.words(), random.Random(f"{name} {seed}"))
    count, began, peak = Count(), time.process_time(), _peak()
    with watched():
        for _ in range(inputs):
            text = maker.text()
            try:
                if tried(target.read, text) == "accepted":
                    count.accepted += 1
                else:
                    count.refused += 1
            except (Exception, Hang) as error:
                what = f"{type(error).__name__}: {error}"[:1000]
                if isinstance(error, Hang) and not fault(target.read, text):
                    count.accepted += 1  # the time went to something else, such as a collection of garbage
                    continue
                count.failures.append(Failure(name, minimal(target, text), what))
    count.seconds, count.growth = time.process_time() - began, _peak() - peak
    return count


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _work(task: tuple[str, str, int]) -> tuple[str, Count]:
    return task[0], batch(*task)


def tasks(names: Sequence[str], inputs: int, seed: int) -> Iterator[tuple[str, str, int]]:
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


def run(names: Sequence[str], inputs: int, seed: int, workers: int, seconds: float) -> dict[str, Count]:
    """Feeds so many inputs over all, or as many as go into the seconds; ends early at a hundred failures."""
    counts = {name: Count() for name in names}
    began = told = time.monotonic()
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for name, count in pool.imap_unordered(_work, tasks(names, inputs, seed)):
            counts[name].add(count)
            now, total = time.monotonic(), _total(counts)
            if now - told > _PROGRESS_SECONDS:
                told = now
                say(f"{total.inputs:,} of {inputs:,} inputs, {len(total.failures)} failures, {now - began:.0f} s")
            if now - began > seconds or len(total.failures) >= _MOST_FAILURES:
                pool.terminate()
                break
    return counts


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
    """Inputs, accepted share and time by target."""
    lines = [f"{'target':<14}{'inputs':>12}{'accepted':>10}{'failures':>10}{'µs each':>9}{'peak MB':>9}"]
    for name, count in (counts | {"all": _total(counts)}).items():
        share = f"{100 * count.accepted / max(1, count.inputs):.1f} %"
        each, grown = 1e6 * count.seconds / max(1, count.inputs), count.growth / 2**20
        lines.append(f"{name:<14}{count.inputs:>12,}{share:>10}{len(count.failures):>10}{each:>9.0f}{grown:>9.0f}")
    return "\n".join(lines)


def keep(failures: Sequence[Failure], directory: Path) -> list[Path]:
    """Writes every failing text, with what it did behind its name, to be looked at and added to the corpus."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for number, failure in enumerate(failures):
        path = directory / f"{failure.target}-{number}.txt"
        path.write_bytes(failure.text.encode("utf-8", "surrogatepass"))
        path.with_suffix(".why").write_text(failure.what, encoding="utf-8", errors="backslashreplace")
        written.append(path)
    return written
