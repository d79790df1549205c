"""One search at a time for every player, however many threads ask it.

A player keeps what its search writes: a stack, a table, a tree, the pipe to a program. `Agent` therefore asks it inside
its turn. Threads wait for each other's decisions, and each gets the decision it would have got alone. An iterator of
`think` has the turn for one step at a time, so that one that is left half-way keeps nobody waiting; whoever asks the
player for something else meanwhile ends it, and its next step says so.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from outflank.errors import OutflankError
from outflank.search.player import Player


class Turns:
    """The turns of one player.

    >>> turns = Turns()
    >>> with turns.begun() as first, turns.begun() as second:
    ...     second - first
    1
    >>> with turns.resumed(first):
    ...     pass
    Traceback (most recent call last):
    outflank.errors.OutflankError: these thoughts have ended, because ...; expected an agent of its own, ...
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._searches = 0

    @contextmanager
    def begun(self) -> Iterator[int]:
        """A new search, by its number, while no other thread uses the player."""
        with self._lock:
            self._searches += 1
            yield self._searches

    @contextmanager
    def resumed(self, search: int) -> Iterator[None]:
        """One step more of a search, while no other thread uses the player."""
        with self._lock:
            if search != self._searches:
                raise OutflankError(
                    "these thoughts have ended, because the agent was asked for something else meanwhile; "
                    "expected an agent of its own, agent(text), for whatever thinks at the same time"
                )
            yield


def turns_of(player: Player) -> Turns:
    """The turns of a player, the same ones for all agents around it."""
    turns: Turns = player.__dict__.setdefault("_turns", Turns())  # one step, so that no thread makes a second one
    return turns
