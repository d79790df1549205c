"""Kills matches at random moments until a thousand died, and resumes each time; run by `make kill`.

Matches and tournaments of several kinds go into several stores. From their start to their end their parent is killed or
interrupted as by Ctrl-C, and the same command goes on; or one of their workers is killed, and the match must go on by
itself. At the end tables and logs must be those of undisturbed runs, with no game lost and none twice, and no process
may be left.

Most commands run in a fork of this process, which has loaded and compiled everything, with workers that are forks too:
they start in a twentieth of a second, and the moments that matter come as often. Some run as a person starts them.
"""

import argparse
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass, field
from io import StringIO
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from outflank import execute
from outflank.arena.store import Store
from outflank.execute import local
from outflank.interfaces.cli import main as outflank
from test_arena import exported

KINDS = 3
STORES = 4
PATIENCE = 600
TOURNAMENT = """
agents = ["random", "greedy", "minimax(depth=1)", "uct(playouts=5)"]
sizes = [4, 6]
pairs = 6
openings = "random(3)"
seed = {seed}
"""
USUAL = ("--quiet", "--json", "--workers", "2")
VICTIMS = ("parent", "parent", "worker", "Ctrl-C")
STOPPED = (-signal.SIGKILL, -signal.SIGINT, 130)


def command(number: int, directory: Path) -> list[str]:
    """The command of a number: matches of built-in agents, of a person's player, and tournaments, in turn."""
    if number % KINDS == 2:
        file = directory / f"cup{number}.toml"
        file.write_text(TOURNAMENT.format(seed=number))
        return ["tournament", str(file), *USUAL]
    agents = ("random", "uct(playouts=20)") if number % KINDS else ("players_of_people:First", "greedy")
    return ["match", *agents, "--size", "6", "--games", "120", "--seed", str(number), *USUAL]


class Run:
    """A command that was started, in a process group of its own."""

    def __init__(self, words: list[str], real: bool) -> None:
        self._out, self._err = (tempfile.TemporaryFile("w+") for _ in "oe")  # noqa: SIM115
        self.process = self._start(words) if real else self._fork(words)
        self.began = time.monotonic()
        self.code: int | None = None

    def _start(self, words: list[str]) -> int:
        files = {"stdout": self._out, "stderr": self._err}
        started = subprocess.Popen([sys.executable, "-m", "outflank", *words], **files, process_group=0)  # type: ignore[call-overload]
        started.returncode = 0  # its end is waited for here
        return int(started.pid)

    def _fork(self, words: list[str]) -> int:
        process = os.fork()
        if process:
            return process
        code = 130
        try:
            os.setpgid(0, 0)
            os.dup2(self._out.fileno(), 1)
            os.dup2(self._err.fileno(), 2)
            code = outflank(words)
            sys.stdout.flush()
        except KeyboardInterrupt:
            pass
        except BaseException as error:
            os.write(2, f"{error!r}".encode())
            code = 1
        finally:
            os._exit(code)

    def has_ended(self) -> bool:
        if self.code is None:
            process, status = os.waitpid(self.process, os.WNOHANG)
            self.code = os.waitstatus_to_exitcode(status) if process else None
        return self.code is not None

    def wait(self, condition: Callable[[], bool] = lambda: False) -> None:
        """Until the end, or until the condition holds."""
        deadline = time.monotonic() + PATIENCE
        while not self.has_ended() and not condition():
            if time.monotonic() > deadline:
                raise SystemExit("a match does not go on")
            time.sleep(0.002)

    def said(self) -> tuple[str, str]:
        """What it wrote as its answer and as its errors."""
        return tuple(file.seek(0) or file.read() for file in (self._out, self._err))  # type: ignore[return-value]

    def children(self) -> list[int]:
        path = Path(f"/proc/{self.process}/task/{self.process}/children")
        try:
            return [int(child) for child in path.read_text().split()]
        except OSError:
            return []

    def workers(self) -> list[int]:
        """Its workers: of a real command those that were spawned, of a forked one all its children."""
        return [child for child in self.children() if b"resource_tracker" not in _command_of(child)]


def _command_of(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b"resource_tracker"


@dataclass
class Killer:
    """Runs commands to their end, whatever it does to them meanwhile."""

    directory: Path
    kills: int
    real: float
    rng: random.Random = field(default_factory=lambda: random.Random(7))
    done: Counter[str] = field(default_factory=Counter)
    lives: dict[bool, float] = field(default_factory=lambda: {False: 1.0, True: 6.0})
    """Seconds that an undisturbed run takes, forked or real, as far as is known."""
    groups: set[int] = field(default_factory=set)

    def store(self, number: int) -> Path:
        return self.directory / f"{number % STORES}.db"

    def play(self, number: int) -> str:
        """What a command answers that was started as often as it took."""
        words = [*command(number, self.directory), "--store", str(self.store(number))]
        while True:
            real = self.rng.random() < self.real
            run = Run(words, real)
            self.groups.add(run.process)
            while not run.has_ended() and self.done.total() < self.kills:
                self.strike(run, real)
            run.wait()
            answer, errors = run.said()
            if run.code == 0:
                life = time.monotonic() - run.began
                self.lives[real] += (min(life, 2 * self.lives[real]) - self.lives[real]) / 8
                return answer
            if run.code not in STOPPED and not (real and "KeyboardInterrupt" in errors):
                raise SystemExit(f"{' '.join(words)} ended with {run.code} after {dict(self.done)}:\n{errors}")

    def strike(self, run: Run, real: bool) -> None:
        """Waits for a random moment of its life and kills; nothing is counted where the run ended before."""
        victim, life = self.rng.choice(VICTIMS), self.lives[real]
        moment = time.monotonic() + (self.rng.uniform(0, life) if self.rng.random() < 0.8 else life)
        run.wait(lambda: time.monotonic() > moment)
        if run.has_ended():
            return
        if victim == "worker":
            workers = run.workers()
            if not workers:
                return
            try:
                os.kill(self.rng.choice(workers), signal.SIGKILL)
            except ProcessLookupError:
                return
        elif victim == "parent":
            os.kill(run.process, signal.SIGKILL)
            run.wait()
        else:
            try:
                os.killpg(run.process, signal.SIGINT)
            except ProcessLookupError:
                return  # it has no group yet
            run.wait()
        if victim == "worker" or run.code in STOPPED:
            self.done[f"{victim}, {'real' if real else 'forked'}"] += 1
            if self.done.total() % 100 == 0:
                sys.stderr.write(f"{self.done.total()} kills\n")


def left_running(groups: set[int], mark: str) -> list[int]:
    """Processes of these groups, or with this mark, that are still there after a while."""

    def found() -> list[int]:
        listed = subprocess.run(["ps", "-eo", "pid=,pgid=,stat="], capture_output=True, text=True).stdout
        lines = [line.split() for line in listed.splitlines()]
        here = [int(pid) for pid, group, state in lines if int(group) in groups and not state.startswith("Z")]
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                here += [int(path.parts[2])] if mark.encode() in path.read_bytes() else []
            except OSError:
                continue
        return here

    deadline = time.monotonic() + 30
    while found() and time.monotonic() < deadline:
        time.sleep(0.2)
    return found()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--real", type=float, default=0.05, help="share of runs that are started as people do")
    args = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores Ctrl-C
    mark = f"killed-{os.urandom(8).hex()}"
    os.environ["OUTFLANK_TEST_MARK"] = mark
    forks = multiprocessing.get_context("fork")
    multiprocessing.get_context = lambda method=None: forks  # type: ignore[assignment]
    local._serve = serve_alone  # type: ignore[assignment]
    with tempfile.TemporaryDirectory() as place:
        quiet, killed = Path(place) / "quiet", Path(place) / "killed"
        for directory in (quiet, killed):
            directory.mkdir()
        nobody, killer = Killer(quiet, 0, 0.0), Killer(killed, args.kills, args.real)
        warm_up(Path(place))
        killer.lives[False] = measured(nobody)
        began = time.monotonic()
        answers: list[str] = []
        while killer.done.total() < args.kills or len(answers) < KINDS:
            answers.append(killer.play(len(answers)))
        seconds = time.monotonic() - began
        same = answers == [nobody.play(number) for number in range(len(answers))]
        stores = [killed / file.name for file in sorted(quiet.glob("*.db"))]
        same = same and all(exported(quiet / path.name) == exported(path) for path in stores)
        sound, games = True, 0
        for path in stores:
            with Store(path, reading=True) as store:
                sound, games = sound and not store.problems(), games + store.count()
    left = left_running(killer.groups, mark)
    sys.stdout.write(
        f"{killer.done.total()} kills ({', '.join(f'{what}: {n}' for what, n in sorted(killer.done.items()))}) "
        f"of {len(answers)} matches and tournaments in {len(stores)} stores, {games} games, {seconds:.0f} s; "
        f"same tables and logs: {same}, every game sound: {sound}, processes left: {len(left)}\n"
    )
    raise SystemExit(not (same and sound and not left))


def serve_alone(pipe: Connection, *job: Any) -> None:
    """The life of a worker, without the ends of pipes that a fork inherits: it would never see its own pipe closed."""
    for link in Path("/proc/self/fd").iterdir():
        number = int(link.name)
        with suppress(OSError):
            if number != pipe.fileno() and str(link.readlink()).startswith("socket:"):
                os.close(number)
    serve(pipe, *job)


serve = local._serve


def warm_up(place: Path) -> None:
    """Loads and compiles in this process, which has no threads afterwards, what its forks need."""
    real, execute.Processes = execute.Processes, lambda workers: execute.Here()  # type: ignore[misc, assignment]
    with redirect_stdout(StringIO()):
        for number in range(KINDS):
            assert outflank([*command(number, place), "--store", str(place / "warm.db")]) == 0
    execute.Processes = real  # type: ignore[misc]


def measured(nobody: Killer) -> float:
    """Seconds of an undisturbed run."""
    began = time.monotonic()
    for number in range(KINDS):
        nobody.play(number)
    return (time.monotonic() - began) / KINDS


if __name__ == "__main__":
    main()
