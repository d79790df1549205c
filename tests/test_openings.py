"""Openings: the book and how it grows, names in reports, games of an index, and collections on the page's server."""

import json
import random
import warnings
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from outflank.arena.store import Store
from outflank.board import Move, Position, Rules
from outflank.book import Book, grow, new_book, opening_book
from outflank.errors import BadNotation, BadSpec
from outflank.explorer import Explorer, indexes, opening_names
from outflank.formats import write_ggf
from outflank.game import Game
from outflank.interfaces.web.app import create_app
from outflank.interfaces.web.security import Caps
from outflank.named_openings import named_lines
from outflank.report.arena import openings_table
from outflank.report.survey import survey
from support import every_variant, wait_until
from test_explorer import random_games

with warnings.catch_warnings():  # it would rather have a fork of httpx
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

SMALL = Rules(6)
HERE = "http://127.0.0.1"

# --- the book -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def book() -> Book:
    """A small book of a small board."""
    return list(islice(grow(new_book(SMALL, depth=1), depth=1), 12))[-1]


def test_a_book_grows_the_same_at_once_and_in_parts(book: Book) -> None:
    lines = str(book).splitlines(keepends=True)
    part = Book.parse("".join(lines[:-5]), SMALL)
    assert len(part.entries) == len(book.entries) - 5
    assert str(list(islice(grow(part, depth=1), 5))[-1]) == str(book)


def naive_value(book: Book, position: Position) -> float:
    """What a position is worth by all lines of the book, walked through one by one."""
    entry = book.entries[position.canonical()]
    worth = []
    for move in position.moves:
        after = position.play(move)
        alike = next(each for each in entry.values if entry.position.play(each).canonical() == after.canonical())
        worth.append(-naive_value(book, after) if after.canonical() in book.entries else entry.values[alike])
    return max(worth)


def test_values_come_back_from_the_ends_of_lines_in_every_mirror_image(book: Book) -> None:
    assert book.at(Position.start(SMALL))[0].value == naive_value(book, Position.start(SMALL))
    for entry in book.entries.values():
        found = book.at(entry.position)
        assert found[0].value == naive_value(book, entry.position)
        assert [one.move for one in found if one.deeper] == [
            one.move for one in found if entry.position.play(one.move).canonical() in book.entries
        ]
        for number in (1, 6):
            turned = book.at(entry.position.transform(number))
            assert sorted(one.value for one in turned) == sorted(one.value for one in found)
    assert not book.at(Position.start()) and not book.at(Position.after("c2d2e3", SMALL).with_variant("reversed"))


def test_the_next_position_ends_the_cheapest_line(book: Book) -> None:
    """No other line that leads out of the book gives less away; the price of a line is what its moves give away."""

    def price(line: tuple[Move, ...]) -> float:
        position, given = Position.start(SMALL), 0.0
        for move in line:
            values = {one.move: one.value for one in book.at(position)}
            given += max(values.values()) - values[move] + 0.25
            position = position.play(move)
        return given

    chosen = book.next_line()
    assert chosen is not None
    ends = [
        (*entry.line, move)
        for entry in book.entries.values()
        for move in entry.values
        if entry.position.play(move).canonical() not in book.entries
    ]
    assert price(chosen) == pytest.approx(min(map(price, ends)))


def test_texts_that_are_no_books_are_refused(book: Book) -> None:
    bad = {
        "c2 d2:+1": "does not follow",
        "start c2:x": "no move with a value",
        "start c2:+1 a1:+2": "the moves do not fit",
        "start c2:nan": "the moves do not fit",
        "start c2:+1\nstart c2:+1": "a position again",
        "q9 c2:+1": "not a move",
    }
    for text, problem in bad.items():
        with pytest.raises(BadNotation, match=problem):
            Book.parse(text, SMALL)
    with pytest.raises(BadSpec, match="expected 0 to"):
        book.drill(10**6)


@every_variant
def test_the_shipped_books_are_whole(variant: Any) -> None:
    shipped = opening_book(Rules(8, variant))
    assert shipped is not None and shipped.card["rules"] == f"{variant} 8x8"
    assert len(shipped.entries) == 1000 and shipped.drills > 900
    assert shipped.card["engine"].startswith("engine(") and shipped.card["depth"].endswith("plies")
    best = shipped.at(Position.start(Rules(8, variant)))[0]
    assert abs(best.value) < 6 and best.deeper


# --- names and games of an index ----------------------------------------------------------------------------------


def named_games() -> list[Game]:
    rng = random.Random(5)
    games = []
    for moves, _ in named_lines()[::4]:
        game = Game.of(None, moves)
        while not game.end.is_over:
            game = game.play(rng.choice(game.end.moves))
        games.append(game)
    return games


def test_very_many_games_are_named_as_one_is() -> None:
    games = [*named_games(), *random_games(Rules(6), 2), Game.of(None, named_lines()[5][0]), Game.of(None, "f5")]
    games.append(Game.of(Position.start("reversed 8x8"), games[3].moves))
    names = opening_names(games)
    assert names == [game.opening for game in games] and len(set(names)) > 10


def test_reports_tell_openings_by_their_names() -> None:
    played = [Game.of(None, game.moves, black="random", white="greedy", tags=_TAGS) for game in named_games()]
    table = openings_table(survey([*played, *played, played[0]]))
    counted = {str(name): int(str(games)) for name, games, *_ in table.rows}
    assert counted[played[0].opening] % 2 == 1 and sum(counted.values()) == 2 * len(played) + 1
    [row] = [row for row in table.rows if row[0] == played[0].opening]
    scores = [game.score or 0 for game in [*played, *played, played[0]] if game.opening == played[0].opening]
    assert row[3] == f"{sum(scores) / len(scores):+.1f}"


_TAGS = {"made": "", "conditions": "{}", "pair": "1", "black_behaviour": "", "white_behaviour": ""}


def test_a_game_of_an_index_is_played_again_through_a_position() -> None:
    games = random_games(Rules(4), 30)
    index = Explorer.of(games)
    for number, game in enumerate(games):
        again = index.game(number)
        assert [one.canonical() for one in again.positions] == [one.canonical() for one in game.positions]
        assert (again.black, again.date) == (game.black, game.date[:4])
        turned = game.positions[5].transform(number % 8)
        assert turned in index.game(number, turned).positions
    position = games[0].positions[3]
    for one in index.at(position):
        chosen = index.games_with(position, move=one.move)
        assert len(chosen) == one.games
        assert all(position.play(one.move).canonical() in map(_canonical, games[number].positions) for number in chosen)
    years = [int(games[number].date[:4]) for number in index.games_with(Position.start(Rules(4)), player="ada 1")]
    assert len(years) == 10 and years == sorted(years, reverse=True)
    with pytest.raises(BadSpec, match="expected 0 to 29"):
        index.game(30)


def _canonical(position: Position) -> Position:
    return position.canonical()


# --- on the page's server -----------------------------------------------------------------------------------------


def files_of(**contents: bytes) -> bytes:
    head = {"files": [{"name": name, "size": len(content)} for name, content in contents.items()]}
    return json.dumps(head).encode() + b"\n" + b"".join(contents.values())


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return [*random_games(Rules(4), 40), *random_games(Rules(4, "reversed"), 5)]


def asked(client: TestClient, verb: str, **fields: Any) -> dict[str, Any]:
    """The last answer to a request."""
    with client.websocket_connect(f"{HERE.replace('http', 'ws')}/ws", headers={"origin": HERE}) as socket:
        socket.send_text(json.dumps({"id": 1, "do": verb, **fields}))
        while True:
            reply: dict[str, Any] = json.loads(socket.receive_text())
            if reply.get("last"):
                return reply


def ready(client: TestClient) -> list[dict[str, Any]]:
    def found() -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = asked(client, "collections")["collections"]
        return listed

    wait_until(lambda: all(each["ready"] for each in found()))
    return found()


def test_a_collection_that_is_brought_is_explored(games: list[Game], tmp_path: Path) -> None:
    club = "\n".join(map(write_ggf, games)).encode()
    with TestClient(create_app(), base_url=HERE, headers={"origin": HERE}) as client:
        for content in (club, club[: len(club) // 2]):  # the second ends in the middle of a game
            assert client.post("/api/collections", content=files_of(**{"../../club.ggf": content})).status_code == 200
        first, second = ready(client)
        assert first["name"] == "club.ggf" and second["name"] == "club.ggf 2" and first["brought"]
        boards = {board["rules"]: board for board in first["boards"]}
        assert {name: board["games"] for name, board in boards.items()} == {"standard 4x4": 40, "reversed 4x4": 5}
        assert boards["standard 4x4"]["years"] == [1990, 1993]
        game = {"rules": "standard 4x4", "moves": []}
        found = asked(client, "explore", game=game, collection="club.ggf", player="ada 1", first_year=1991)
        expected = indexes(games)[Rules(4)].at(Position.start(Rules(4)), player="ada 1", years=(1991, 9999))
        assert found["games"] == expected[0].games > 0 and found["moves"][0]["move"] == expected[0].move
        assert len(found["moves"][0]["alike"]) == 3 and found["book"] == []
        listed = asked(client, "explored_games", game=game, collection="club.ggf", result="black", offset=2)
        won = sum(each.points == 1 for each in games[:40])
        assert listed["total"] == won and len(listed["games"]) == min(12, won - 2)
        number = listed["games"][0]["number"]
        played = asked(client, "explored_game", game=game, collection="club.ggf", number=number)
        assert played["black"].startswith("Ada") and played["score"] == games[number].score > 0
        assert len(played["game"]["moves"]) == len(games[number].moves)
        none = asked(client, "explore", game={"rules": "standard 6x6", "moves": []}, collection="club.ggf")
        assert none["games"] == 0
        assert "no collection is called" in asked(client, "explore", game=game, collection="x")["message"]


def test_collections_of_the_owner_and_the_book(games: list[Game], tmp_path: Path) -> None:
    index, bad = tmp_path / "club.npz", tmp_path / "bad.txt"
    Explorer.of(games[:40]).write(index)
    bad.write_text("good evening")
    with Store(tmp_path / "own.db"):
        pass
    app = create_app("secret", games=[index, bad, tmp_path / "own.db"])
    with TestClient(app, base_url=HERE, headers={"origin": HERE}, cookies=_cookie("secret")) as client:
        first, second, third = ready(client)
        assert first["boards"][0]["games"] == 40 and not first["brought"]
        assert "neither a game nor a position" in second["problems"][0] and third["boards"] == []
        refused = client.post("/api/collections", content=files_of(**{"club.ggf": b""}))
        assert refused.status_code == 403 and "--collection" in refused.json()["error"]
        found = asked(client, "explore", game={"rules": "standard 8x8", "moves": [44]})
        assert len(found["book"]) == 3 and found["book"][0]["value"] >= found["book"][1]["value"]
        drill = asked(client, "drill", rules="reversed 8x8", number=0)
        assert drill["total"] > 140 and len(drill["moves"]) == 3 and len(drill["game"]["moves"]) == 1
        assert "there is no book for standard 4x4" in asked(client, "drill", rules="standard 4x4", number=0)["message"]
        assert dict(map(reversed, asked(client, "openings")["names"]))["Tiger"] == "f5d6c3d3c4"


def _cookie(token: str) -> dict[str, str]:
    from outflank.interfaces.web.security import Guard

    async def nothing(*_: Any) -> None: ...

    return {Guard(nothing, token).cookie: token}


def test_what_a_page_may_not_bring() -> None:
    caps = Caps(collections=1, collection_bytes=1000, collection_games=3)
    with TestClient(create_app(caps=caps), base_url=HERE) as client:

        def refused(content: bytes, **headers: str) -> str:
            answer = client.post("/api/collections", content=content, headers={"origin": HERE} | headers)
            assert answer.status_code in (400, 403)
            return str(answer.text)

        one = {"games.txt": b"f5d6"}
        assert "Origin" in refused(files_of(**one), origin="http://evil.example")
        assert client.post("/api/collections", content=files_of(**one)).status_code == 403
        assert "too large" in refused(files_of(**{"x.txt": b"f5" * 600}))
        assert "longer than the files" in refused(files_of(**one) + b"x")
        assert "ended before" in refused(files_of(**one)[:-1])
        assert "no games in these files" in refused(files_of(**{"WTHOR.JOU": b""}))
        for head in (
            b"",
            b"{\n",
            b"[]\n",
            b'{"files": []}\n',
            b'{"files": [{"name": "", "size": 1}]}\n',
            b"[" * 70_000,
        ):
            refused(head)
        assert asked(client, "collections")["collections"] == []
        for name in ("one.txt", "two.txt"):
            many = b"\n".join([b"f5d6c3d3c4"] * 5)
            client.post("/api/collections", content=files_of(**{name: many}), headers={"origin": HERE})
        [kept] = ready(client)
        assert kept["name"] == "two.txt" and kept["read"] == 3 and "only the first 3" in kept["problems"][0]
