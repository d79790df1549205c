"""What several commands share: where games are played, and how far they have come."""

import argparse
import shlex
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from outflank.errors import require
from outflank.progress import PREPARING, Progress, ProgressLines

if TYPE_CHECKING:
    from outflank.execute import Executor
    from outflank.search.limits import Limits

_LOOK_SECONDS = 1.0
"""How often it is asked whether a line is due while nothing changes."""


def add_executor_options(command: argparse.ArgumentParser) -> None:
    """Adds `--workers` and `--cluster`."""
    where = command.add_mutually_exclusive_group()
    where.add_argument("--workers", type=int, metavar="W", help="worker processes (default: one a core)")
    where.add_argument("--cluster", metavar="ADDRESS", help="play on a Dask cluster, such as tcp://host:8786")


def add_quiet_option(command: argparse.ArgumentParser) -> None:
    """Adds `--quiet`."""
    command.add_argument("--quiet", action="store_true", help="show no progress on stderr")


def add_json_option(command: argparse.ArgumentParser, what: str = "one JSON object") -> None:
    """Adds `--json`."""
    command.add_argument("--json", action="store_true", help=f"print {what}")


def add_variant_option(command: argparse.ArgumentParser, when: str = "") -> None:
    """Adds `--variant`."""
    command.add_argument("--variant", default="standard", metavar="V", help=f"standard (default) or reversed{when}")


LIMITS = ("depth", "nodes", "playouts", "seconds")


def add_limits(command: argparse.ArgumentParser, words: tuple[str, ...] = LIMITS) -> None:
    """Adds limits for every move."""
    for word in words:
        kind = float if word == "seconds" else int
        command.add_argument(
            f"--{word}", type=kind, metavar="N", help=f"limit of {word}; the first limit reached stops"
        )


def limits_of(args: argparse.Namespace) -> "Limits":
    """The limits that the options ask for."""
    from outflank.search.limits import Limits

    return Limits(**{word: getattr(args, word) for word in LIMITS if getattr(args, word, None) is not None})


def executor(args: argparse.Namespace) -> "Executor":
    """The executor that the options ask for."""
    if args.cluster is not None:
        require("distributed", "a cluster needs Dask", "cluster")
        from outflank.execute.cluster import Cluster

        return Cluster(args.cluster)
    from outflank.execute import Processes

    return Processes(args.workers)


def end_where_nothing_was_played(endings: Mapping[str, int]) -> None:
    """Ends the program with exit code 1 where every game failed: then nothing was found out."""
    from outflank.game import FAILED

    if endings and all(kind in FAILED for kind in endings):
        told = ", ".join(f"{kind} {games:,}" for kind, games in endings.items())
        print(f"outflank: every game failed: {told}", file=sys.stderr)
        raise SystemExit(1)


def some_games(count: int) -> str:
    """How many games, in words.

    >>> some_games(1), some_games(1200)
    ('1 game', '1,200 games')
    """
    return f"{count:,} game{'s' * (count != 1)}"


def command_line() -> str:
    """The command as it was typed, for reports."""
    return shlex.join(["outflank", *sys.argv[1:]])


@contextmanager
def progress(command: str, quiet: bool, brief: bool = False) -> Iterator[Progress]:
    """Shows on stderr how far a command has come: a bar in a terminal, otherwise a line now and then.

    A `brief` command is usually over at once, so nothing is shown before it has run for a second or ten.
    """
    if quiet:
        yield Progress()
    elif sys.stderr.isatty():
        with _bar(brief) as bar:
            yield bar
    else:
        lines = ProgressLines(command, lambda line: print(line, file=sys.stderr, flush=True), at_once=not brief)
        with _repeated(lines):
            yield lines


@contextmanager
def _repeated(lines: ProgressLines) -> Iterator[None]:
    """Asks for a line also while nothing is reported, as in a long game."""
    over = threading.Event()

    def look() -> None:
        while not over.wait(_LOOK_SECONDS):
            lines.show()

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


@contextmanager
def _bar(brief: bool) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with RichProgress(*columns, console=Console(stderr=True), transient=brief) as rich:
        task = rich.add_task("", total=None, visible=not brief)

        class Bar(Progress):
            def show(self) -> None:
                visible = not brief or (rich.tasks[task].elapsed or 0) > _LOOK_SECONDS
                total = self.total or None
                doing = self.doing or (PREPARING if self.preparing else self.unit)
                rich.update(task, description=doing, completed=self.done, total=total, visible=visible)

        yield Bar()
