"""What several commands share: where games are played, and how far they have come."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outflank.execute import Executor


def add_executor_options(command: argparse.ArgumentParser) -> None:
    """Adds `--workers` and `--cluster`."""
    where = command.add_mutually_exclusive_group()
    where.add_argument("--workers", type=int, metavar="W", help="worker processes (default: one a core)")
    where.add_argument("--cluster", metavar="ADDRESS", help="play on a Dask cluster, such as tcp://host:8786")


def executor(args: argparse.Namespace) -> "Executor":
    """The executor that the options ask for."""
    if args.cluster is not None:
        from outflank.execute.cluster import Cluster

        return Cluster(args.cluster)
    from outflank.execute import Processes

    return Processes(args.workers)


@contextmanager
def progress(quiet: bool, games: int, done: int) -> Iterator[tuple[Callable[[], None], Callable[[str], None]]]:
    """(called after every game, called with what is being done): a bar on stderr; nothing when nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield lambda: None, lambda text: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("games", total=games, completed=done)
        yield lambda: bar.advance(task), lambda text: bar.update(task, description=text)
