"""Kills matches with kill -9 at random moments, parent or worker, and resumes each time; run by `make kill`.

One match after the other goes into one store. While it starts, while it plays and while it ends, its parent is killed,
and the same command goes on; or one of its workers, and the match must go on by itself. At the end tables and log must
be those of undisturbed matches, with no game lost and none twice, and no worker may be left.
"""

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from outflank.arena.store import Store
from support import is_worker, workers_of
from test_arena import exported

MATCH = ["match", "random", "uct(playouts=20)", "--size", "6", "--quiet", "--json", "--workers", "2"]
PHASES = ("starting", "playing", "ending")
START_SECONDS = 1.5
END_SECONDS = 0.1
PATIENCE = 120


def outflank(store: Path, games: int, seed: int) -> subprocess.Popen[str]:
    options = ["--games", str(games), "--seed", str(seed), "--store", str(store)]
    command = [sys.executable, "-m", "outflank", *MATCH, *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def stored(path: Path) -> int:
    """Number of games in a store that somebody else is writing, perhaps not even made yet."""
    try:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            return int(connection.execute("SELECT count(*) FROM games").fetchone()[0])
    except sqlite3.Error:
        return 0


@dataclass
class Killer:
    """Plays matches to their end, whatever it does to them meanwhile."""

    store: Path
    games: int
    kills: int
    rng: random.Random = field(default_factory=lambda: random.Random(7))
    done: Counter[tuple[str, str]] = field(default_factory=Counter)
    seen: set[int] = field(default_factory=set)

    def play(self, number: int) -> str:
        """What a match prints that was started as often as it took."""
        while True:
            with outflank(self.store, self.games, number) as process:
                phases: tuple[str, ...] = PHASES
                while process.poll() is None and self.done.total() < self.kills:
                    self.strike(process, self.rarest(phases), number)
                    phases = PHASES[1:]  # a match that lost a worker has started
                answer, errors = process.communicate(timeout=PATIENCE)
            if process.returncode == 0:
                return answer
            if process.returncode != -signal.SIGKILL:
                raise SystemExit(f"a match ended by itself after {dict(self.done)}:\n{errors}")

    def killed(self, what: str) -> int:
        """How many parents, or workers, or how many in a phase."""
        return sum(number for key, number in self.done.items() if what in key)

    def rarest(self, choices: tuple[str, ...]) -> str:
        """What was done least so far, more or less."""
        return min(choices, key=lambda choice: self.killed(choice) + self.rng.uniform(0, 4))

    def strike(self, process: subprocess.Popen[str], phase: str, number: int) -> None:
        """Waits for a random moment and kills; nothing is counted where the match ended before."""
        victim = self.rarest(("parent", "worker"))
        self.wait(process, phase, victim, number)
        workers = workers_of(process.pid)
        self.seen.update(workers)
        if victim == "worker" and workers:
            os.kill(self.rng.choice(workers), signal.SIGKILL)
        elif victim == "parent" and process.poll() is None:
            process.kill()
            process.wait()
        else:
            return
        if victim == "worker" or process.returncode == -signal.SIGKILL:
            self.done[victim, phase] += 1

    def wait(self, process: subprocess.Popen[str], phase: str, victim: str, number: int) -> None:
        """Until the moment to strike, or until the match has ended."""

        def until(reached: Callable[[], bool]) -> None:
            deadline = time.monotonic() + PATIENCE
            while process.poll() is None and not reached():
                if time.monotonic() > deadline:
                    process.kill()
                    raise SystemExit(f"a match does not go on after {dict(self.done)}")
                time.sleep(0.005)

        def games() -> int:
            return stored(self.store) - number * self.games

        if phase == "starting":
            if victim == "worker":
                until(lambda: bool(workers_of(process.pid)))
            moment = time.monotonic() + self.rng.uniform(0, START_SECONDS)
        else:
            few = self.rng.randrange(self.games // 8)
            wanted = min(games() + few + 1, self.games) if phase == "playing" else self.games - few
            until(lambda: games() >= wanted)
            moment = time.monotonic() + self.rng.uniform(0, END_SECONDS)
        until(lambda: time.monotonic() > moment)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--games", type=int, default=250, help="games of one match")
    args = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        quiet, killed = Path(directory) / "quiet.db", Path(directory) / "killed.db"
        killer, nobody = Killer(killed, args.games, args.kills), Killer(quiet, args.games, 0)
        tables: list[str] = []
        while killer.done.total() < args.kills:
            tables.append(killer.play(len(tables)))
        seconds = time.monotonic() - began
        same = tables == [nobody.play(number) for number in range(len(tables))] and exported(killed) == exported(quiet)
        with Store(killed) as store:
            whole = store.count() == args.games * len(tables) and not store.problems()
    left = [worker for worker in killer.seen if is_worker(worker)]
    moments = ", ".join(f"{killer.killed(phase)} {phase}" for phase in PHASES)
    sys.stdout.write(
        f"{killer.killed('parent')} parents and {killer.killed('worker')} workers killed ({moments}), "
        f"{len(tables)} matches, {args.games * len(tables)} games, {seconds:.0f} s; "
        f"same tables and log: {same}, every game there once and sound: {whole}, workers left: {len(left)}\n"
    )
    raise SystemExit(not (same and whole and not left))


if __name__ == "__main__":
    main()
