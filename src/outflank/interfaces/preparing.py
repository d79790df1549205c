"""Agents are compiled before they think for the first time: which are ready, and a bar for people who wait."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from outflank.agents import Agent
from outflank.board import Rules
from outflank.progress import PREPARING

if TYPE_CHECKING:
    from rich.console import Console

QUIET_SECONDS = 0.3
"""What is ready within this time is not worth a word."""

Step = tuple[str, int, int]
"""What is compiled, how many steps are done, of how many."""
_MOST = 1000


class Ready:
    """The agents that were prepared, with the rules they were prepared for.

    >>> from outflank.agents import agent
    >>> ready, player = Ready(), agent("greedy")
    >>> first, again = (list(ready.prepare(player, Rules(4))) for _ in range(2))
    >>> again
    []
    """

    def __init__(self) -> None:
        self._known: set[tuple[str, Rules]] = set()

    def prepare(self, player: Agent, rules: Rules) -> Iterator[Step]:
        """Compiles what an agent needs under these rules and tells every step; none if that was done before."""
        if (player.text, rules) in self._known:
            return
        yield from player.prepare(rules)
        if len(self._known) >= _MOST:  # a page can think of any number of texts
            self._known.clear()
        self._known.add((player.text, rules))


def prepare_here(player: Agent, rules: Rules) -> None:
    """Prepares an agent, with a bar on stderr where somebody watches."""
    if not sys.stderr.isatty():
        return
    from rich.console import Console

    with preparing_bar(Console(stderr=True)) as told:
        for step in player.prepare(rules):
            told(step)


@contextmanager
def after_a_moment(show: Callable[[], None]) -> Iterator[None]:
    """Calls `show` in another thread if the block takes longer than a moment; never after the block."""
    timer = threading.Timer(QUIET_SECONDS, show)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


@contextmanager
def preparing_bar(console: "Console") -> Iterator[Callable[[Step], None]]:
    """Takes steps and shows them as a bar that appears after a moment and leaves nothing behind."""
    from rich.progress import BarColumn, Progress, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[what]}", style="dim")
    progress = Progress(*columns, console=console, transient=True)
    task = progress.add_task(PREPARING, total=None, what="")

    def told(step: Step) -> None:
        what, done, total = step
        progress.update(task, what=what, completed=done, total=total if total > 1 else None)

    try:
        with after_a_moment(progress.start):
            yield told
    finally:
        progress.stop()
