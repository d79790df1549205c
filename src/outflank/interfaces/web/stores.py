"""Stores of games and reports that a person offers to the page with `--store` and `--report`.

Files are named by the last part of their path; nothing else on the disk can be asked for. What costs a pass over a
whole store is kept until the file changes.
"""

import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

from outflank.arena.store import Order, Store
from outflank.board import moves_text
from outflank.errors import OutflankError
from outflank.facts import cross_table_facts, game_facts, ratings_facts
from outflank.game import Game

_MOST_ROWS = 200
_REST = 10
"""A store that is being written to is summed up again after a rest of so many times what that took."""
_POINTS = {"won": 1.0, "drawn": 0.5, "lost": 0.0}
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def named(paths: list[Path]) -> dict[str, Path]:
    """Paths by name; two of the same name get a number."""
    found: dict[str, Path] = {}
    for path in paths:
        name, number = path.name, 2
        while name in found:
            name, number = f"{path.stem}-{number}{path.suffix}", number + 1
        found[name] = path
    return found


@dataclass(frozen=True)
class _Summary:
    """What a store was when it was last summed up."""

    state: str
    content: dict[str, Any]
    fresh_until: float


def state_of(path: Path) -> str:
    """What changes whenever games are written; those of a running match lie in a log beside the file."""
    files = (path, path.with_name(f"{path.name}-wal"))
    stats = [file.stat() for file in files if file.is_file()]
    return " ".join(f"{stat.st_mtime_ns}.{stat.st_size}" for stat in stats)


class Stores:
    """The stores that the page may look into."""

    def __init__(self, stores: Mapping[str, Path], reports: Mapping[str, Path]) -> None:
        self.stores, self.reports = stores, reports
        self._files = {name: StaticFiles(directory=path, html=True) for name, path in reports.items()}
        self._summing_up = threading.Lock()
        self._summaries: dict[str, _Summary] = {}

    def offered(self, _request: Request) -> JSONResponse:
        """What there is; a store that was moved away is not."""
        there = {name: path for name, path in self.stores.items() if path.is_file()}
        return JSONResponse(
            {
                "stores": [
                    {"name": name, "bytes": path.stat().st_size, "state": state_of(path)}
                    for name, path in there.items()
                ],
                "reports": [{"name": name, "url": f"/reports/{quote(name)}/"} for name in self.reports],
            }
        )

    async def report(self, request: Request) -> Response:
        """A file of a report."""
        files = self._files.get(request.path_params["name"])
        if files is None:
            return JSONResponse({"error": f"no report is called {request.path_params['name']!r}"}, 404)
        return await files.get_response(request.path_params["path"] or ".", request.scope)

    def summary(self, request: Request) -> JSONResponse:
        """Games, agents, cross table and ratings of a store."""
        return self._answered(request, self._summary)

    def games(self, request: Request) -> JSONResponse:
        """Some rows of a store."""
        return self._answered(request, self._games)

    def game(self, request: Request) -> JSONResponse:
        """One game of a store."""
        return self._answered(request, self._game)

    def _answered(self, request: Request, answer: Any) -> JSONResponse:
        path = self.stores.get(request.path_params["name"])
        if path is None or not path.is_file():
            return JSONResponse({"error": f"no store is called {request.path_params['name']!r}"}, 404)
        try:
            found = answer(path, request)
        except OutflankError as error:
            return JSONResponse({"error": str(error)}, 400)
        return JSONResponse(found) if found is not None else JSONResponse({"error": "no such game"}, 404)

    def _summary(self, path: Path, _request: Request) -> dict[str, Any]:
        name = str(path)
        with self._summing_up:  # many who ask at once wait for one pass over the store
            state, began = state_of(path), time.monotonic()
            known = self._summaries.get(name)
            if known is None or (known.state != state and began >= known.fresh_until):
                content = _summed_up(path) | {"state": state}
                took = time.monotonic() - began
                self._summaries[name] = known = _Summary(state, content, began + (1 + _REST) * took)
            return known.content

    def _games(self, path: Path, request: Request) -> dict[str, Any]:
        asked = request.query_params
        offset, limit = (_number(asked.get(key), usual) for key, usual in (("offset", 0), ("limit", 50)))
        who = {"agent": asked.get("agent"), "opponent": asked.get("opponent")}
        points = _POINTS.get(asked.get("result", ""))
        order: Order = next((name for name in get_args(Order) if name == asked.get("order")), "key")
        with Store(path, reading=True) as store:
            rows = store.games(**who, points=points, order=order, offset=offset, limit=min(limit, _MOST_ROWS))
            total = store.count(**who, points=points)
            return {"offset": offset, "total": total, "games": [_row(game) for game in rows]}

    def _game(self, path: Path, request: Request) -> dict[str, Any] | None:
        with Store(path, reading=True) as store:
            game = next(iter(store.games(key=request.path_params["key"])), None)
        return None if game is None else _row(game) | {"game": game_facts(game), "reason": game.reason}


def _number(text: str | None, usual: int) -> int:
    return int(text) if text is not None and text.isdecimal() and len(text) < 12 else usual


def _row(game: Game) -> dict[str, Any]:
    return {
        "key": game.tags["key"],
        "rules": str(game.rules),
        "black": game.black,
        "white": game.white,
        "black_behaviour": game.tags["black_behaviour"],
        "white_behaviour": game.tags["white_behaviour"],
        "points": game.points,
        "discs": list(game.discs),
        "termination": game.termination,
        "day": _day(game.tags["made"]),
        "moves": moves_text(game.moves, passes=True),
    }


def _day(made: str) -> str | None:
    """The day on which a game was made, where that is told."""
    days = _DAY.findall(made)
    return days[-1] if days else None


def _summed_up(path: Path) -> dict[str, Any]:
    from outflank.agents.names import short_names
    from outflank.arena.ratings import collect, cross_table, rate

    with Store(path, reading=True) as store:
        results = collect(game for game in store.outcomes() if game[0] != game[1])
        count = store.count()
    return {
        "games": count,
        "names": list(short_names(results.players).values()),
        **cross_table_facts(cross_table(results)),
        **ratings_facts(rate(results)),
    }
