"""The application: routes, headers, the socket."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from outflank import __version__
from outflank.interfaces.web.collections import Collections
from outflank.interfaces.web.live import Live
from outflank.interfaces.web.rooms import Rooms
from outflank.interfaces.web.security import Caps, Guard
from outflank.interfaces.web.socket import Visitors
from outflank.interfaces.web.stores import Stores, named
from outflank.report.live import Event

STATIC = Path(__file__).parent / "static"


def create_app(
    token: str | None = None,
    stores: list[Path] | None = None,
    reports: list[Path] | None = None,
    caps: Caps | None = None,
    people: Path | None = None,
    games: list[Path] | None = None,
    events: Mapping[str, Event] | None = None,
    address: str = "",
) -> Starlette:
    """The application of `outflank play`; with a token nobody is served without it, or without that of a room.

    Games of people go into the store `people`, which is offered with the others; `games` are there to be explored.
    `events` are what this program plays meanwhile; `address` is where other machines reach it.
    """
    caps = caps or Caps()
    collections = Collections(games or [], caps, local=token is None)
    visitors = Visitors(caps, people, collections)
    files = named([*(stores or []), *([people] if people else [])])
    offered = Stores(files, named(reports or []))
    live = Live({**(events or {}), **{name: Event(name, path) for name, path in files.items()}}, caps)
    rooms = Rooms(caps, visitors.boards_are_ready, address)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        visitors.get_ready()
        yield
        visitors.pools.close()
        live.close()
        rooms.close()

    routes: list[BaseRoute] = [
        Route("/", _page),
        Route("/favicon.ico", _icon),
        Route("/healthz", _health),
        Route("/api/stores", offered.offered),
        Route("/api/store/{name}/summary", offered.summary),
        Route("/api/store/{name}/games", offered.games),
        Route("/api/store/{name}/game/{key}", offered.game),
        Route("/api/collections", collections.receive, methods=["POST"]),
        Route("/live", live.page),
        Route("/api/live", live.offered),
        Route("/api/live/{name}", live.facts),
        Route("/api/live/{name}/games", live.games),
        Route("/api/rooms", rooms.create, methods=["POST"]),
        Route("/room/{name}", rooms.page),
        Route("/room/{name}/code.svg", rooms.code),
        WebSocketRoute("/room/{name}/ws", rooms.welcome),
        WebSocketRoute("/ws", visitors.welcome),
        Mount("/static", StaticFiles(directory=STATIC, check_dir=False)),
        Route("/reports/{name}/{path:path}", offered.report),
    ]
    guard, small = Middleware(Guard, token=token, rooms=rooms), Middleware(GZipMiddleware, minimum_size=1000)
    app = Starlette(routes=routes, middleware=[guard, small], lifespan=lifespan)
    app.state.visitors, app.state.rooms = visitors, rooms
    return app


async def _page(_request: Request) -> Response:
    page = STATIC / "index.html"
    return (
        FileResponse(page) if page.is_file() else PlainTextResponse("the page is missing from this installation", 404)
    )


async def _icon(_request: Request) -> Response:
    icon = STATIC / "icon.svg"
    return FileResponse(icon) if icon.is_file() else Response(status_code=404)


async def _health(_request: Request) -> Response:
    return JSONResponse({"ok": True, "version": __version__})
