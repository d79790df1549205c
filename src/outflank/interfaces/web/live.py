"""What can be watched while it is played: the match or tournament of this program, and every store that it offers.

A page asks every few seconds and is told only what changed. A look at a store is kept until the file changes, and after
one that took long there is a rest, so that watching never takes more than a small share of the machine. The worst moves
of losers come from the engine's review, one game at a time, in a thread that lets all others go first and rests while
nobody watches.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from outflank.arena.store import Store
from outflank.errors import OutflankError
from outflank.interfaces.web.lanes import be_nice
from outflank.interfaces.web.security import Caps
from outflank.interfaces.web.stores import state_of
from outflank.report.live import Event, Look, game_line, worst_line
from outflank.report.lost import WorstMove, loser_of, worst_of
from outflank.search.clock import stoppable

_PAGE = Path(__file__).parent / "static" / "live.html"
_REST = 4
"""An event is looked at again after a rest of so many times what that took."""
_WATCHED_SECONDS = 30.0
"""After which somebody who has not asked again does not watch any more."""
_REVIEW_SECONDS = 60.0
"""For the review of one game, at most."""
_NICENESS = 10
"""Of the thread that reviews, so that whoever plays by a clock hardly notices."""
_EVENTS = 4
"""Watched at the same time, whose reviews are kept."""
_MOST_GAMES = 100
"""Of two players, in a list."""


@dataclass(frozen=True)
class _Seen:
    """A look at an event, and when another may be taken."""

    state: str
    look: Look
    fresh_until: float


class Live:
    """The events that can be watched."""

    def __init__(self, events: Mapping[str, Event], caps: Caps) -> None:
        self.events = events
        self.reviews = Reviews(caps.live_reviews)
        self._looking = threading.Lock()
        self._seen: dict[str, _Seen] = {}

    async def page(self, _request: Request) -> Response:
        """The page of an event."""
        return FileResponse(_PAGE)

    def offered(self, _request: Request) -> JSONResponse:
        """What there is, that of this program first."""
        there = [(name, event) for name, event in self.events.items() if event.store.is_file()]
        return JSONResponse(
            {"events": [{"name": name, "title": event.title, "kind": event.kind} for name, event in there]}
        )

    def facts(self, request: Request) -> JSONResponse:
        """How an event stands; only its state where `seen` says that the page knows it."""
        return self._answered(request, self._facts)

    def games(self, request: Request) -> JSONResponse:
        """The games of two players."""
        return self._answered(request, self._games)

    def _answered(self, request: Request, answer: Any) -> JSONResponse:
        name = request.path_params["name"]
        event = self.events.get(name)
        if event is None or not event.store.is_file():
            return JSONResponse({"error": f"nothing called {name!r} is played here"}, 404)
        try:
            return JSONResponse(answer(name, event, request))
        except OutflankError as error:
            return JSONResponse({"error": str(error)}, 400)

    def _facts(self, name: str, event: Event, request: Request) -> dict[str, Any]:
        seen = self._look(name, event)
        worst = self.reviews.of(event, seen.look)
        state = f"{seen.state} {len(worst)}"
        if request.query_params.get("seen") == state:
            return {"state": state}
        lines = [worst_line(one, seen.look.names) for one in worst]
        return {"state": state, **seen.look.facts, "worst": lines}

    def _look(self, name: str, event: Event) -> _Seen:
        with self._looking:  # many who ask at once wait for one look
            state, began = state_of(event.store), time.monotonic()
            known = self._seen.get(name)
            if known is None or (known.state != state and began >= known.fresh_until):
                look = event.look()
                took = time.monotonic() - began
                self._seen[name] = known = _Seen(state, look, began + (1 + _REST) * took)
            return known

    def _games(self, name: str, event: Event, request: Request) -> dict[str, Any]:
        one, other = (request.query_params.get(key, "") for key in ("agent", "opponent"))
        look = self._look(name, event).look
        with Store(event.store, reading=True) as store:
            games = store.games(agent=one, opponent=other, order="newest")
            own = (game for game in games if look.keys is None or game.tags["key"] in look.keys)
            lines = [game_line(game, look.names) for game, _ in zip(own, range(_MOST_GAMES), strict=False)]
        return {"games": lines}

    def close(self) -> None:
        """Ends the reviews."""
        self.reviews.close()


class Reviews:
    """Worst moves of lost games, found one game after the other while somebody watches."""

    def __init__(self, most: int) -> None:
        """Reviews so many games of an event, the latest."""
        self._most = most
        self._changed = threading.Condition()
        self._wanted: OrderedDict[tuple[Path, str], float] = OrderedDict()
        """Games to review, and until when somebody wants that."""
        self._done: OrderedDict[tuple[Path, str], list[WorstMove]] = OrderedDict()
        self._thread: threading.Thread | None = None
        self._closed = False

    def of(self, event: Event, look: Look) -> list[WorstMove]:
        """What is known of the games that were lost, the latest of everybody first; the others are wanted now."""
        keys = [(event.store, key) for key in look.lost[: self._most]]
        until = time.monotonic() + _WATCHED_SECONDS
        with self._changed:
            for key in keys:
                if key in self._done:
                    self._done.move_to_end(key)
                else:
                    self._wanted[key] = until
            self._wanted = OrderedDict(
                (key, self._wanted[key]) for key in [*keys, *self._wanted] if key in self._wanted
            )
            if self._wanted and self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._work, daemon=True, name="outflank-reviews")
                self._thread.start()
            self._changed.notify()
            return [worst for key in keys for worst in self._done.get(key, [])]

    def close(self) -> None:
        """Ends the thread, at once where it searches."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _work(self) -> None:
        be_nice(_NICENESS)
        while (key := self._next()) is not None:
            found: list[WorstMove] = []
            with suppress(OutflankError), stoppable(self._at_end_of(time.monotonic() + _REVIEW_SECONDS)):
                found = _worst_in(*key)
            self._keep(key, found)

    def _at_end_of(self, deadline: float) -> Callable[[], bool]:
        return lambda: self._closed or time.monotonic() > deadline

    def _next(self) -> tuple[Path, str] | None:
        """The next game that somebody still wants to know of."""
        with self._changed:
            while not self._closed:
                now = time.monotonic()
                self._wanted = OrderedDict((key, until) for key, until in self._wanted.items() if until > now)
                if self._wanted:
                    return next(iter(self._wanted))
                self._changed.wait()
        return None

    def _keep(self, key: tuple[Path, str], found: list[WorstMove]) -> None:
        with self._changed:
            self._wanted.pop(key, None)
            self._done[key] = found
            while len(self._done) > _EVENTS * self._most:
                self._done.popitem(last=False)


def _worst_in(path: Path, key: str) -> list[WorstMove]:
    with Store(path, reading=True) as store:
        game = next(iter(store.games(key=key)), None)
    loser = None if game is None else loser_of(game)
    return [] if game is None or loser is None else worst_of(game, loser)
