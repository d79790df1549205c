"""Rooms: two people play each other over a network, with clocks, and others watch.

A room is opened by whoever runs the server and reached by a link with a token of its own, which opens that room and
nothing else: no search, no store, no other room. Whoever sits down gets a key, and with it the seat again after a lost
connection or a reload. The server keeps the game and the clocks; a page only wishes, and is told how the room stands.

Everything is bounded: rooms, visitors of a room, messages a second, letters of a name. Whoever does not read is told
the newest state when they do, and nothing in between.
"""

import asyncio
import io
import json
import secrets
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from outflank.board import VARIANTS, Position, Rules
from outflank.errors import OutflankError
from outflank.facts import game_facts
from outflank.game import Game
from outflank.interfaces.web.messages import BadMessage, Fields
from outflank.interfaces.web.messages import Request as Message
from outflank.interfaces.web.security import OWNER, Caps, Pace, is_secret, same_origin
from outflank.schema import Option, Signature, choice, number, text, whole

Reply = dict[str, Any]
Sides = dict[str, float]
SIDES = ("black", "white")
_PAGE = Path(__file__).parent / "static" / "room.html"
_LONGEST_NAME = 40
_LONGEST_ORIGIN = 200
_IDLE_SECONDS = 600.0
"""After which a room that nobody is in makes way for a new one, where there are too many."""
_GONE, _FULL = 4404, 1013
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Of the name of a room: none that is mistaken for another."""


@dataclass
class Seat:
    """Whose seat it is."""

    name: str
    key: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    wants_more: bool = False
    """Whether whoever sits here wants another game."""


class Visitor:
    """One page in a room."""

    def __init__(self, socket: WebSocket, owner: bool) -> None:
        self.socket, self.owner = socket, owner
        self.key = ""
        """Of the seat it says it has; it counts while the seat does."""
        self.answers: deque[Reply] = deque(maxlen=8)
        """To this page alone."""
        self.news = asyncio.Event()

    def tell(self, **answer: Any) -> None:
        """Sends something to this page alone."""
        self.answers.append(answer)
        self.news.set()


class Room:
    """Two seats, a game, its clocks, and whoever is there."""

    def __init__(self, name: str, link: Callable[[str, str], str]) -> None:
        self.name, self.token = name, secrets.token_urlsafe(24)
        self.link = link(name, self.token)
        self.rules, self.clock = Rules(8), (600.0, 5.0)
        self.seats: dict[str, Seat | None] = dict.fromkeys(SIDES)
        self.score: dict[str, float] = {}
        """Points by the keys of seats: they stay with people, who change colours."""
        self.visitors: set[Visitor] = set()
        self.used = time.monotonic()
        self.ended = False
        self._alarm: asyncio.TimerHandle | None = None
        self._begin()

    def _begin(self) -> None:
        """A new game, with what stands on the clocks before it."""
        self.game = Game(Position.start(self.rules))
        self.left: Sides = dict.fromkeys(SIDES, self.clock[0])
        self.since: float | None = None
        """Since when the clock of the side to move runs."""
        self.end: dict[str, str] | None = None

    # --- what is told -------------------------------------------------------------------------------------------

    def changed(self) -> None:
        """Tells everybody."""
        self.used = time.monotonic()
        for visitor in self.visitors:
            visitor.news.set()

    def side_of(self, visitor: Visitor) -> str | None:
        """Where a visitor sits."""
        return next((side for side, seat in self.seats.items() if seat and is_secret(visitor.key, seat.key)), None)

    def facts(self, visitor: Visitor) -> Reply:
        """The room as one visitor sees it."""
        sitting = {self.side_of(each) for each in self.visitors}
        seats = {
            side: seat
            and {
                "name": seat.name,
                "here": side in sitting,
                "score": self.score.get(seat.key, 0),
                "wants_more": seat.wants_more,
            }
            for side, seat in self.seats.items()
        }
        return {
            "kind": "room",
            "name": self.name,
            "link": self.link,
            "path": f"/room/{self.name}?token={self.token}",
            "game": game_facts(self.game),
            "seats": seats,
            "you": self.side_of(visitor),
            "owner": visitor.owner,
            "watching": sum(self.side_of(each) is None for each in self.visitors),
            "clock": list(self.clock),
            "left": self.left_now(),
            "running": self.since is not None,
            "end": self.end,
            "over": self.is_over,
        }

    @property
    def is_over(self) -> bool:
        """Whether nothing more can be played."""
        return self.end is not None or (len(self.game) > 0 and self.game.over)

    @property
    def turn(self) -> str:
        """Who is to move."""
        return str(self.game.end.turn)

    def left_now(self) -> Sides:
        """Seconds on both clocks."""
        spent = 0.0 if self.since is None else time.monotonic() - self.since
        return {
            side: round(max(0.0, left - (spent if side == self.turn else 0)), 2) for side, left in self.left.items()
        }

    # --- clocks -------------------------------------------------------------------------------------------------

    def _stop_clock(self) -> None:
        """Books the time of the side to move."""
        self.left = self.left_now()
        self.since = None
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _start_clock(self) -> None:
        """Runs the clock of the side to move, from the first move on."""
        if self.clock[0] and not self.is_over and len(self.game):
            self.since = time.monotonic()
            self._alarm = asyncio.get_running_loop().call_later(self.left[self.turn] + 0.01, self._ring)

    def _ring(self) -> None:
        """The time of the side to move is over."""
        loser = self.turn
        self._stop_clock()
        self._finish({"reason": "time", "loser": loser})
        self.changed()

    # --- what people do -----------------------------------------------------------------------------------------

    def hello(self, visitor: Visitor, fields: Fields) -> None:
        """A page that had a seat says so."""
        visitor.key = fields["key"] or ""

    def sit(self, visitor: Visitor, fields: Fields) -> None:
        """Takes a free seat."""
        side = fields["side"]
        if self.side_of(visitor) is not None:
            raise BadMessage("you have a seat already; expected one seat for each")
        if self.seats[side] is not None:
            raise BadMessage(f"the seat of {side} is taken; expected the other one, or watch")
        seat = self.seats[side] = Seat(_readable(fields["name"]) or side.capitalize())
        visitor.key = seat.key
        visitor.tell(kind="seat", side=side, key=seat.key)

    def leave(self, visitor: Visitor, _fields: Fields) -> None:
        """Gives the seat up, before a game or after it."""
        self.seats[self._seated(visitor, between_games=True)] = None

    def play(self, visitor: Visitor, fields: Fields) -> None:
        """Makes a move; whoever cannot move then passes."""
        side = self._seated(visitor)
        if self.is_over or None in self.seats.values():
            raise BadMessage("no game goes on; expected two people at the board")
        if side != self.turn or fields["ply"] != len(self.game):
            raise BadMessage(f"{self.turn} is to move, at move {len(self.game) + 1}")
        if self.since is not None and not self.left_now()[side]:
            return self._ring()  # the alarm has not rung yet
        game = self.game.play(fields["move"])  # refused in words where it is not legal
        self._stop_clock()
        if len(self.game) > 0:
            self.left[side] += self.clock[1] if self.clock[0] else 0
        self.game = game.play(game.rules.pass_move) if game.end.must_pass else game
        if self.game.over:
            self._finish(None)
        else:
            self._start_clock()

    def resign(self, visitor: Visitor, _fields: Fields) -> None:
        """Gives the game up."""
        side = self._seated(visitor)
        if self.is_over or not len(self.game):
            raise BadMessage("no game goes on; expected one to resign")
        self._stop_clock()
        self._finish({"reason": "resigned", "loser": side})

    def again(self, visitor: Visitor, _fields: Fields) -> None:
        """Wants another game; when both do, it begins with colours swapped."""
        seat = self.seats[self._seated(visitor, between_games=True)]
        assert seat is not None
        seat.wants_more = True
        black, white = (self.seats[side] for side in SIDES)
        if black and white and black.wants_more and white.wants_more:
            black.wants_more = white.wants_more = False
            self.seats = {"black": white, "white": black}
            self._begin()

    def choose(self, visitor: Visitor, fields: Fields) -> None:
        """The owner chooses board, rule and clock, before a game or after it."""
        _must_own(visitor)
        if len(self.game) and not self.is_over:
            raise BadMessage("a game goes on; expected its end before it is changed")
        self.rules = Rules(fields["size"], fields["variant"])
        self.clock = (float(fields["seconds"]), float(fields["increment"]))
        self._begin()

    def free(self, visitor: Visitor, fields: Fields) -> None:
        """The owner frees the seat of somebody who does not come back; a game that goes on ends."""
        _must_own(visitor)
        side = fields["side"]
        if len(self.game) and not self.is_over:
            self._stop_clock()
            self._finish({"reason": "left", "loser": side})
        self.seats[side] = None

    def close(self, visitor: Visitor, _fields: Fields) -> None:
        """The owner ends the room."""
        _must_own(visitor)
        self.shut()

    def shut(self) -> None:
        """Ends the room: its link opens nothing any more, and everybody is told."""
        self._stop_clock()
        self.ended = True
        self.changed()

    def _seated(self, visitor: Visitor, between_games: bool = False) -> str:
        side = self.side_of(visitor)
        if side is None:
            raise BadMessage("you are watching; expected somebody with a seat")
        if between_games and len(self.game) and not self.is_over:
            raise BadMessage("a game goes on; expected its end, or resign")
        return side

    def _finish(self, end: dict[str, str] | None) -> None:
        """Counts a game that was played out, or ended by the fault of somebody."""
        self.end = end
        points = self.game.points if end is None else float(end["loser"] == "white")
        assert points is not None, "it is over"
        for seat, won in ((self.seats["black"], points), (self.seats["white"], 1 - points)):
            if seat is not None:
                self.score[seat.key] = self.score.get(seat.key, 0.0) + won


def _must_own(visitor: Visitor) -> None:
    if not visitor.owner:
        raise BadMessage("only whoever opened the room can do that; ask them")


def _readable(name: str) -> str:
    """A name on one line, without what cannot be seen."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())[:_LONGEST_NAME]


_SIDE = Option("side", choice(*SIDES), None, "of the board", needed=True)
WISHES: dict[str, tuple[Signature, Callable[[Room, Visitor, Fields], None]]] = {
    signature.name: (signature, act)
    for signature, act in (
        (
            Signature("hello", "is here", (Option("key", text(0, 60), None, "of the seat that it had"),)),
            Room.hello,
        ),
        (
            Signature("sit", "takes a seat", (_SIDE, Option("name", text(0, 200), "", "what people call you"))),
            Room.sit,
        ),
        (Signature("leave", "gives the seat up"), Room.leave),
        (
            Signature(
                "play",
                "makes a move",
                (
                    Option("move", whole(0, 255), None, "a square, row by row from a1 = 0", needed=True),
                    Option("ply", whole(0, 512), None, "moves so far, passes too", needed=True),
                ),
            ),
            Room.play,
        ),
        (Signature("resign", "gives the game up"), Room.resign),
        (Signature("again", "wants another game, with the other colour"), Room.again),
        (
            Signature(
                "set",
                "the owner chooses the game",
                (
                    Option("size", whole(4, 16), 8, "of the board"),
                    Option("variant", choice(*VARIANTS), "standard", "who wins"),
                    Option("seconds", number(0, 24 * 3600), 600, "on each clock; 0 is no clock"),
                    Option("increment", number(0, 3600), 5, "seconds for every move"),
                ),
            ),
            Room.choose,
        ),
        (Signature("free", "the owner frees a seat", (_SIDE,)), Room.free),
        (Signature("end", "the owner ends the room"), Room.close),
    )
}
"""What a page in a room can wish for, with its fields."""


class Rooms:
    """All rooms of a server."""

    def __init__(self, caps: Caps, boards_are_ready: Event, address: str = "") -> None:
        """`address` is where other machines reach this server; empty where they do not."""
        self.caps, self.address = caps, address
        self._ready = boards_are_ready
        self._rooms: dict[str, Room] = {}

    def open(self) -> Room:
        """A new room; one that nobody is in makes way where there are too many."""
        if len(self._rooms) >= self.caps.rooms:
            idle = [room for room in self._rooms.values() if not room.visitors and self._idle(room) > _IDLE_SECONDS]
            if not idle:
                raise BadMessage(f"{len(self._rooms)} rooms are open; expected no more: end one of them first")
            self._drop(max(idle, key=self._idle))
        name = next(name for name in iter(_name, "") if name not in self._rooms)
        room = self._rooms[name] = Room(name, self._link)
        return room

    def admits(self, name: str, token: str) -> bool:
        """Whether a token opens a room."""
        room = self._rooms.get(name)
        return room is not None and is_secret(token, room.token)

    @staticmethod
    def _idle(room: Room) -> float:
        return time.monotonic() - room.used

    def _link(self, name: str, token: str) -> str:
        return f"{self.address}room/{name}?token={token}" if self.address else ""

    def _drop(self, room: Room) -> None:
        self._rooms.pop(room.name, None)
        room.shut()

    def close(self) -> None:
        """Ends all rooms."""
        for room in list(self._rooms.values()):
            self._drop(room)

    # --- over HTTP ----------------------------------------------------------------------------------------------

    async def page(self, _request: Request) -> Response:
        """The page of a room."""
        return FileResponse(_PAGE)

    async def create(self, request: Request) -> Response:
        """Opens a room for the page of this server, and of nobody else's."""
        if not same_origin(request.headers):
            return JSONResponse({"error": "rooms are opened by the page of this server (wrong or missing Origin)"}, 403)
        try:
            room = self.open()
        except OutflankError as error:
            return JSONResponse({"error": str(error)}, 429)
        return JSONResponse({"path": f"/room/{room.name}?token={room.token}", "shared": bool(self.address)})

    async def code(self, request: Request) -> Response:
        """The link of a room as a picture that a telephone reads; `at` is where the page itself was found."""
        room = self._rooms.get(request.path_params["name"])
        at = request.query_params.get("at", "")
        if room is None or len(at) > _LONGEST_ORIGIN or urlsplit(at).scheme not in ("", "http", "https"):
            return PlainTextResponse("no such room", 404)
        path = f"/room/{room.name}?token={room.token}"
        return Response(picture(at.rstrip("/") + path if at else room.link), media_type="image/svg+xml")

    # --- over a socket ------------------------------------------------------------------------------------------

    async def welcome(self, socket: WebSocket) -> None:
        """Serves a page in a room until it leaves or the room ends."""
        await socket.accept()
        room = self._rooms.get(socket.path_params["name"])
        if room is None:
            await socket.close(_GONE, "this room has ended")
            return
        if len(room.visitors) >= self.caps.room_visitors:
            await socket.close(_FULL, f"{self.caps.room_visitors} people are here, no more are let in")
            return
        visitor = Visitor(socket, bool(socket.scope.get(OWNER)))
        room.visitors.add(visitor)
        telling = asyncio.create_task(_keep_telling(room, visitor))
        telling.add_done_callback(lambda _: hearing.cancel())
        hearing = asyncio.ensure_future(self._hear(room, visitor))
        try:
            with suppress(asyncio.CancelledError):
                await hearing
        finally:
            telling.cancel()
            room.visitors.discard(visitor)
            room.changed()

    async def _hear(self, room: Room, visitor: Visitor) -> None:
        """Acts on messages, no faster than a person could mean them."""
        pace = Pace(self.caps.room_messages_per_second, 3 * self.caps.room_messages_per_second)
        room.changed()
        while True:
            message = await visitor.socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            wait = pace.wait()
            if wait:
                await asyncio.sleep(wait)
            try:
                await self._act(room, visitor, message.get("text"))
            except OutflankError as error:
                visitor.tell(kind="error", message=str(error))

    async def _act(self, room: Room, visitor: Visitor, given: str | None) -> None:
        if given is None or len(given) > self.caps.room_message_bytes:
            raise BadMessage(f"expected a message of at most {self.caps.room_message_bytes} bytes, as text")
        wish = Message.read(given)
        if not isinstance(wish.verb, str) or wish.verb not in WISHES:
            raise BadMessage(f"do is {json.dumps(wish.verb)[:60]}; expected one of: {', '.join(WISHES)}")
        signature, act = WISHES[wish.verb]
        fields = signature.read(wish.fields, signature.name)
        if not self._ready.is_set():  # what a move needs is still being compiled
            await asyncio.to_thread(self._ready.wait)
        act(room, visitor, fields)
        if room.ended:
            self._rooms.pop(room.name, None)
        room.changed()


async def _keep_telling(room: Room, visitor: Visitor) -> None:
    """Sends the newest state whenever there is one, and ends with the room."""
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await visitor.news.wait()
            visitor.news.clear()
            if room.ended:
                await visitor.socket.send_text(json.dumps({"kind": "ended"}))
                await visitor.socket.close(_GONE, "this room has ended")
                return
            while visitor.answers:
                await visitor.socket.send_text(json.dumps(visitor.answers.popleft()))
            await visitor.socket.send_text(json.dumps(room.facts(visitor), separators=(",", ":")))


def _name() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(5))


def picture(link: str) -> str:
    """A link as a QR code in SVG, dark on light with its margin, in any colours of a page.

    >>> picture("http://192.0.2.7:8123/room/ab2cd?token=x")[:4]
    '<svg'
    """
    import segno

    drawn = io.BytesIO()
    segno.make(link, error="m", micro=False).save(
        drawn, kind="svg", xmldecl=False, omitsize=True, border=4, dark="#000", light="#fff"
    )
    return drawn.getvalue().decode()


def in_terminal(link: str) -> str:
    """The same in half blocks, for a terminal.

    >>> "▀" in in_terminal("http://192.0.2.7:8123/room/ab2cd?token=x")
    True
    """
    import segno

    drawn = io.StringIO()
    segno.make(link, error="l", micro=False).terminal(drawn, compact=True, border=2)
    return drawn.getvalue()
