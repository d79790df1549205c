"""Rooms: two people play each other through one server, others watch, and a room's link opens nothing else."""

import json
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

from outflank.board import Position, Rules
from outflank.interfaces.web.app import create_app
from outflank.interfaces.web.security import Caps

with warnings.catch_warnings():  # it would rather have a fork of httpx
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

pytestmark = pytest.mark.compiled
HERE, SOCKET = "http://192.0.2.7:8123", "ws://192.0.2.7:8123"
TOKEN = "the token of the server"
Facts = dict[str, Any]


class Guest:
    """A page in a room."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.key = ""
        self.room = self.until("room")

    def wish(self, what: str, **fields: Any) -> None:
        self.session.send_text(json.dumps({"do": what, **fields}))

    def hear(self) -> Facts:
        said: Facts = json.loads(self.session.receive_text())
        return said

    def until(self, kind: str, **wanted: Any) -> Facts:
        """The next word of a kind in which these things are so."""
        while True:
            said = self.hear()
            if said["kind"] == "room":
                self.room = said
            if said["kind"] == kind and all(said[name] == value for name, value in wanted.items()):
                return said

    def sit(self, side: str, name: str) -> None:
        self.wish("sit", side=side, name=name)
        self.key = self.until("seat")["key"]
        self.until("room", you=side)

    def refused(self, what: str, **fields: Any) -> str:
        self.wish(what, **fields)
        return str(self.until("error")["message"])


class House:
    """A server for a network, and its rooms."""

    def __init__(self, stack: ExitStack, **caps: Any) -> None:
        self.stack = stack
        app = create_app(TOKEN, caps=Caps(**caps), address=f"{HERE}/")
        self.client = stack.enter_context(TestClient(app, base_url=HERE))
        self.rooms = app.state.rooms

    def open(self) -> str:
        """The path of a new room."""
        answer = self.client.post("/api/rooms", headers={"origin": HERE, "cookie": ""}, params={"token": TOKEN})
        return str(answer.json()["path"])

    def enter(self, path: str, token: str = "") -> Guest:
        """A page in a room; with the token of the server it is the owner's."""
        place, _, query = path.partition("?")
        address = f"{SOCKET}{place}/ws?{f'token={token}' if token else query}"
        return Guest(self.stack.enter_context(self.client.websocket_connect(address, headers={"origin": HERE})))


@contextmanager
def house(**caps: Any) -> Iterator[House]:
    with ExitStack() as stack:
        yield House(stack, **caps)


def small_game(at: House, **clock: float) -> tuple[str, Guest, Guest, Guest]:
    """A 4x4 game of two, with an owner who watches."""
    path = at.open()
    owner, ann, bob = at.enter(path, TOKEN), at.enter(path), at.enter(path)
    owner.wish("set", size=4, **({"seconds": 0} | clock))
    ann.sit("black", "Ann")
    bob.sit("white", "  Bob\n\u0000 ")
    return path, owner, ann, bob


def play_out(players: dict[str, Guest], position: Position) -> Position:
    """Plays the first legal move until nobody can move; the room passes by itself."""
    ply = 0
    while not position.is_over:
        if position.must_pass:
            position, ply = position.play(position.rules.pass_move), ply + 1
            continue
        mover = players[str(position.turn)]
        mover.wish("play", move=int(position.moves[0]), ply=ply)
        position, ply = position.play(position.moves[0]), ply + 1
        while any(len(one.room["game"]["moves"]) < ply for one in players.values()):
            next(one for one in players.values() if len(one.room["game"]["moves"]) < ply).until("room")
    return position


def test_two_play_others_watch_and_a_rematch_swaps_colours() -> None:
    with house() as at:
        path, owner, ann, bob = small_game(at)
        while not (white := ann.until("room")["seats"]["white"]):  # somebody else has come or gone
            pass
        assert white["name"] == "Bob" and bob.room["game"]["rules"] == "standard 4x4"
        assert "watching" in at.enter(path).refused("play", move=1, ply=0)
        assert "black is to move" in bob.refused("play", move=1, ply=0)
        assert "legal: b1 a2 d3 c4" in ann.refused("play", move=0, ply=0)
        assert "taken" in owner.refused("sit", side="black", name="Eve")
        assert "seat already" in ann.refused("sit", side="white", name="Ann")
        end = play_out({"black": ann, "white": bob}, Position.start(Rules(4)))
        said = owner.until("room", over=True)
        points = {name: said["seats"][side]["score"] for side, name in (("black", "Ann"), ("white", "Bob"))}
        assert sum(points.values()) == 1 and points["Ann"] == (0.5 if end.score() == 0 else float(end.score() > 0))
        ann.wish("again")
        bob.until("room", over=True)
        bob.wish("again")
        again = ann.until("room", you="white", over=False)
        assert again["game"]["moves"] == [] and again["seats"]["black"]["name"] == "Bob"
        assert again["seats"]["white"]["score"] == points["Ann"]


def test_a_seat_is_kept_for_its_key() -> None:
    with house() as at:
        path, _, ann, bob = small_game(at)
        ann.session.close()
        while bob.until("room")["seats"]["black"]["here"]:
            pass
        back = at.enter(path)
        back.wish("hello", key="not " + ann.key)
        assert back.until("room")["you"] is None
        back.wish("hello", key=ann.key)
        back.until("room", you="black")
        back.wish("play", move=1, ply=0)
        while not bob.until("room")["game"]["moves"]:
            pass
        assert bob.room["seats"]["black"]["here"]


def test_a_clock_runs_from_the_first_move_on_and_loses_the_game() -> None:
    with house() as at:
        _, owner, ann, bob = small_game(at, seconds=0.2, increment=0)
        ann.wish("play", move=1, ply=0)
        said = bob.until("room", over=True)
        assert said["end"] == {"reason": "time", "loser": "white"} and said["left"] == {"black": 0.2, "white": 0}
        assert "no game goes on" in bob.refused("play", move=0, ply=1)
        assert owner.until("room", over=True)["seats"]["black"]["score"] == 1


def test_resigning_leaving_and_what_only_the_owner_may_do() -> None:
    with house() as at:
        path, owner, ann, bob = small_game(at)
        assert "no game goes on" in ann.refused("resign")
        ann.wish("play", move=1, ply=0)
        bob.until("room", running=False)
        for what in ("again", "leave"):
            assert "a game goes on" in bob.refused(what)
        assert "a game goes on" in owner.refused("set", size=6)
        for what, fields in (("set", {"size": 6}), ("free", {"side": "black"}), ("end", {})):
            assert "only whoever opened the room" in ann.refused(what, **fields)
        bob.wish("resign")
        assert ann.until("room", over=True)["end"] == {"reason": "resigned", "loser": "white"}
        owner.wish("free", side="black")
        ann.until("room", you=None)
        bob.wish("leave")
        bob.until("room", you=None)
        owner.wish("end")
        for one in (owner, ann, bob):
            one.until("ended")
        assert at.client.get(path).status_code == 403
        with pytest.raises(WebSocketDisconnect):
            at.enter(path)


def test_the_link_of_a_room_opens_that_room_and_nothing_else() -> None:
    with house() as at:
        path, other = at.open(), at.open()
        get = at.client.get
        assert get(path.partition("?")[0]).status_code == get("/static/room.js").status_code == 403
        assert get(path[:-1]).status_code == 403
        page = get(path)  # the token becomes a cookie
        assert page.status_code == 200 and page.url.path == path.partition("?")[0] and not page.url.query
        cookie = page.history[0].headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=lax" in cookie
        for place in ("/static/room.js", "/favicon.ico", f"{page.url.path}/code.svg"):
            assert get(place).status_code == 200, place
        for place in ("/", "/live", "/api/live", "/api/stores", "/healthz", other.partition("?")[0], "/static/../"):
            assert get(place).status_code == 403, place
        assert at.client.post("/api/rooms", headers={"origin": HERE}).status_code == 403
        with pytest.raises(WebSocketDisconnect), at.client.websocket_connect(f"{SOCKET}/ws", headers={"origin": HERE}):
            pass
        with pytest.raises(WebSocketDisconnect):
            at.client.websocket_connect(f"{SOCKET}{page.url.path}/ws", headers={"origin": "http://evil"}).__enter__()


def test_only_the_page_of_the_server_opens_rooms_and_they_are_few() -> None:
    with house(rooms=2, room_visitors=2) as at:
        for headers in ({}, {"origin": "http://evil.example"}, {"origin": "null"}):
            assert at.client.post("/api/rooms", headers=headers, params={"token": TOKEN}).status_code == 403
        path, _ = at.open(), at.open()
        refused = at.client.post("/api/rooms", headers={"origin": HERE}, params={"token": TOKEN})
        assert refused.status_code == 429 and "2 rooms are open" in refused.json()["error"]
        at.enter(path), at.enter(path)
        with pytest.raises(WebSocketDisconnect) as full:
            at.enter(path)
        assert full.value.code == 1013


BAD = [
    "", "[]", "{", '{"do": 1}', '{"do": "sing"}', '{"do": "sit"}', '{"do": "sit", "side": "red"}', '{"do": "play"}',
    '{"do": "play", "move": -1, "ply": 0}', '{"do": "play", "move": 1e400, "ply": 0}', '{"do": "hello", "x": 1}',
    '{"do": "set", "size": 5}', '{"do": "set", "seconds": -1}', '{"do": "hello", "key": "' + "k" * 3000 + '"}',
    '{"do": "sit", "side": "black", "name": ["x"]}', '{"do": "end", "do": "end"}', "[" * 5000,
]  # fmt: skip


def test_odd_messages_are_answered_in_words() -> None:
    with house(room_messages_per_second=10_000) as at:
        guest = at.enter(at.open(), TOKEN)
        for message in BAD:
            guest.session.send_text(message)
            said = guest.until("error")["message"]
            assert said and "Traceback" not in said and len(said) < 300, message
        guest.session.send_bytes(b"\0\1")
        assert "as text" in guest.until("error")["message"]
        assert guest.refused("sit", side="black", name="\ud800")
        guest.sit("black", "\u0000 \u2028")
        assert guest.room["seats"]["black"]["name"] == "Black"
