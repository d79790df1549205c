"""The application: routes, headers, the socket."""

from collections.abc import AsyncIterator
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
from outflank.interfaces.web.security import Caps, Guard
from outflank.interfaces.web.socket import Visitors
from outflank.interfaces.web.stores import Stores, named

STATIC = Path(__file__).parent / "static"


def create_app(
    token: str | None = None,
    stores: list[Path] | None = None,
    reports: list[Path] | None = None,
    caps: Caps | None = None,
    people: Path | None = None,
) -> Starlette:
    """The application of `outflank play`; with a token nobody is served without it.

    Games of people go into the store `people`, which is offered with the others.
    """
    visitors = Visitors(caps or Caps(), people)
    offered = Stores(named([*(stores or []), *([people] if people else [])]), named(reports or []))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        visitors.get_ready()
        yield
        visitors.pools.close()

    routes: list[BaseRoute] = [
        Route("/", _page),
        Route("/favicon.ico", _icon),
        Route("/healthz", _health),
        Route("/api/stores", offered.offered),
        Route("/api/store/{name}/summary", offered.summary),
        Route("/api/store/{name}/games", offered.games),
        Route("/api/store/{name}/game/{key}", offered.game),
        WebSocketRoute("/ws", visitors.welcome),
        Mount("/static", StaticFiles(directory=STATIC, check_dir=False)),
        Route("/reports/{name}/{path:path}", offered.report),
    ]
    guard, small = Middleware(Guard, token=token), Middleware(GZipMiddleware, minimum_size=1000)
    app = Starlette(routes=routes, middleware=[guard, small], lifespan=lifespan)
    app.state.visitors = visitors
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
