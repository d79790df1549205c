"""Plays small matches that end badly, each in a forked process: `python tests/faulty.py DIRECTORY STEP...`.

A step is a moment in the life of a game at which the process kills itself (`MOMENTS`), `dies=BYTES` to be killed by the
system inside a write as soon as a file would grow longer, or `fails=BYTES` to have that write fail. The store is
DIRECTORY/STEP.db. Prints one line a step: how the process ended, and what it said.
"""

import os
import resource
import signal
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from outflank.agents import Agent
from outflank.arena import database, runner
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, Plan, plan_match
from outflank.arena.store import Store
from outflank.board import Rules
from outflank.errors import OutflankError
from outflank.execute import Here


def plan(games: int = 60) -> Plan:
    return plan_match("random", "greedy(ties=random)", Rules(4), games, "random(3)", Conditions(seed=4))


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def at_statement(begin: str, number: int) -> Callable[[], None]:
    """Before the statement of this number that begins so."""

    def install() -> None:
        connect, seen = sqlite3.connect, [0]

        def watched(*args: Any, **options: Any) -> sqlite3.Connection:
            def look(statement: str) -> None:
                seen[0] += statement.startswith(begin)
                if seen[0] == number:
                    die()

            connection: sqlite3.Connection = connect(*args, **options)
            connection.set_trace_callback(look)
            return connection

        database.sqlite3.connect = watched  # type: ignore[attr-defined]

    return install


def in_call(place: Any, name: str, number: int, after: bool = False) -> Callable[[], None]:
    """Before or after the call of this number of a function."""

    def install() -> None:
        function, calls = getattr(place, name), [0]

        def counted(*args: Any, **options: Any) -> Any:
            calls[0] += 1
            if calls[0] == number and not after:
                die()
            result = function(*args, **options)
            if calls[0] == number:
                die()
            return result

        setattr(place, name, counted)

    return install


MOMENTS: dict[str, Callable[[], None]] = {
    "looked": in_call(database, "is_store", 1, after=True),
    "log": at_statement("PRAGMA synchronous", 1),
    "table": at_statement("CREATE TABLE games", 1),
    "made": at_statement("PRAGMA user_version =", 1),
    "born": at_statement("COMMIT", 1),
    "warm-up": in_call(Agent, "warm_up", 1),
    "game": in_call(runner, "play_game", 20),
    "result": in_call(Store, "add", 20),
    "begin": at_statement("BEGIN", 20),
    "text": at_statement("INSERT OR IGNORE INTO texts", 3),
    "insert": at_statement("INSERT OR IGNORE INTO games", 20),
    "commit": at_statement("COMMIT", 20),
    "kept": in_call(Store, "add", 20, after=True),
    "last": in_call(Store, "add", 60, after=True),
    "end": in_call(Store, "close", 1),
}


def limited(size: int, action: signal.Handlers) -> None:
    signal.signal(signal.SIGXFSZ, action)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def play(step: str, path: Path) -> None:
    name, _, size = step.partition("=")
    if size:
        limited(int(size), signal.SIG_DFL if name == "dies" else signal.SIG_IGN)
    elif step:
        MOMENTS[step]()
    with Store(path) as store:
        run_plan(plan(), store, Here())


def ending(step: str, directory: Path) -> str:
    """How the process of a step ended: its signal or exit code, and what it said."""
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        code = 0
        try:
            play(step, directory / f"{step}.db")
        except OutflankError as error:
            os.write(writing, str(error).replace("\n", " ").encode()[:2000])
            code = 2
        except BaseException as error:
            os.write(writing, f"Traceback: {error!r}".encode()[:2000])
            code = 1
        os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    return f"{os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])} {said}"


if __name__ == "__main__":
    with Store(":memory:") as rehearsal:
        run_plan(plan(2), rehearsal, Here())  # loads everything before the first fork
    for each in sys.argv[2:]:
        sys.stdout.write(f"{each} {ending(each, Path(sys.argv[1]))}\n")
        sys.stdout.flush()
