"""The agents that play on the pages: built once a game, kept from move to move, used by one thread at a time.

A request carries its whole game, so an agent that is not kept any more costs time and never a game: the next request
builds it again.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from outflank.agents import Agent
from outflank.board import Color
from outflank.game import Game
from outflank.interfaces.preparing import Ready
from outflank.interfaces.web.collections import Collections
from outflank.interfaces.web.security import Caps, page_agent


@dataclass(frozen=True)
class Kept:
    """An agent that waits for its next move, and the game as it last saw it."""

    written: str
    """The text of the agent as the page wrote it."""
    agent: Agent
    game: Game


class Agents:
    """The agents of all pages that wait for their next move: one for each colour of a page, the latest used last."""

    def __init__(self, caps: Caps) -> None:
        self.caps = caps
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[Page, Color], Kept] = OrderedDict()
        self.ready = Ready()

    def __len__(self) -> int:
        return len(self._kept)

    def take(self, page: "Page", color: Color) -> Kept | None:
        """The agent of a page for a colour, which is now the caller's alone."""
        with self._lock:
            return self._kept.pop((page, color), None)

    def keep(self, page: "Page", color: Color, kept: Kept) -> None:
        """Keeps an agent in place of any other of this page and colour; closes what is one too many."""
        with self._lock:
            if page.closed:
                leaving = [kept]
            else:
                leaving = [old] if (old := self._kept.pop((page, color), None)) else []
                self._kept[page, color] = kept
                while len(self._kept) > self.caps.kept_agents:
                    leaving.append(self._kept.popitem(last=False)[1])
        for left in leaving:
            left.agent.close()

    def leave(self, page: "Page") -> None:
        """Closes the agents of a page that is gone; those at work are closed when they come back."""
        with self._lock:
            page.closed = True
            leaving = [kept for color in Color if (kept := self._kept.pop((page, color), None))]
        for left in leaving:
            left.agent.close()


@dataclass(eq=False)
class Page:
    """A page that is connected: what its requests may use."""

    agents: Agents
    closed: bool = False
    people: Path | None = None
    """The store that finished games of people go into."""
    collections: Collections = field(default_factory=Collections)
    """Games to explore."""

    @property
    def caps(self) -> Caps:
        """What it may use of this machine."""
        return self.agents.caps

    def close(self) -> None:
        """Closes its agents."""
        self.agents.leave(self)

    @contextmanager
    def playing(self, written: str, game: Game) -> Iterator[Agent]:
        """The agent that is to move in a game: the one that made the last move of its colour, or a new one.

        One that fails is not used again.
        """
        color = game.end.turn
        kept = self.agents.take(self, color)
        if kept is not None and kept.written != written:
            kept.agent.close()
            kept = None
        player = kept.agent if kept else page_agent(written, self.caps)
        if kept and not game.continues(kept.game):
            player.new_game()
        try:
            player.follow(game)
            yield player
        except BaseException:
            player.close()
            raise
        self.agents.keep(self, color, Kept(written, player, game))
