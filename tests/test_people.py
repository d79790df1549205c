"""Games of people that are kept: on the page's socket, in the terminal, and what is refused."""

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from outflank.arena.people import record
from outflank.arena.ratings import collect
from outflank.arena.store import Store
from outflank.board import Color, Position
from outflank.game import Game, Termination
from outflank.game_loop import play
from outflank.interfaces.cli import main
from outflank.interfaces.terminal.record import Record
from outflank.interfaces.terminal.seats import read_seat
from outflank.interfaces.terminal.session import Session, Setting
from outflank.interfaces.web.app import create_app
from outflank.interfaces.web.security import Caps
from support import ROOT
from test_terminal import Script
from test_web import HERE, Page, connected

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

PLAYED = play("random", "greedy", Position.start("standard 4x4"))
MESSAGE: dict[str, Any] = {
    "do": "record",
    "game": {"rules": "standard 4x4", "moves": list(PLAYED.moves)},
    "name": "Ada",
    "side": "black",
    "agent": "greedy",
    "mark": "first",
}


def kept(path: Path) -> list[Game]:
    with Store(path, reading=True) as store:
        assert store.problems() == []
        return list(store.games())


# --- on the socket ------------------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "people.db"


@pytest.fixture
def page(path: Path) -> Iterator[Page]:
    Store(path).close()
    app = create_app(people=path, caps=Caps(people_games=3))
    with TestClient(app, base_url=HERE) as client, connected(client) as one:
        yield one


def test_a_finished_game_of_a_person_is_kept_once(page: Page, path: Path) -> None:
    assert page.answer(do="hello")["records"] is True
    replies = [page.answer(**MESSAGE), page.answer(**MESSAGE)]
    assert [(reply["kind"], reply["added"], reply["games"]) for reply in replies] == [
        ("recorded", True, 1),
        ("recorded", False, 1),
    ]
    [game] = kept(path)
    assert (game.black, game.white, game.tags["black_behaviour"]) == ('person("Ada")', "greedy(ties=random)", "")
    assert (game.moves, game.points, game.termination) == (PLAYED.moves, PLAYED.points, Termination.NORMAL)


def test_a_level_an_opening_and_a_game_that_was_given_up_or_lost_on_time(page: Page, path: Path) -> None:
    game = {"rules": "standard 8x8", "moves": [19, 18]}
    for mark, reason in (("one", "resigned"), ("two", "time")):
        end = {"mark": mark, "loser": "white", "reason": reason, "side": "white", "agent": "Club", "opening_plies": 2}
        assert page.answer(**MESSAGE | {"game": game} | end)["added"]
    games = kept(path)
    assert {game.termination for game in games} == {Termination.RESIGNED, Termination.TIMEOUT}
    assert all(game.points == 1 and game.opening_plies == 2 and "engine" in game.black for game in games)
    with Store(path, reading=True) as store:
        assert collect(store.outcomes()).games == 2  # `outflank rate` reads them


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": {"rules": "standard 4x4", "moves": [1]}}, "the game goes on after 1 moves"),
        ({"name": "  "}, "is no name of a person"),
        ({"name": "a\u0000b"}, "is no name of a person"),
        ({"agent": "players_of_people:Raising"}, "cannot be used from the page"),
        ({"agent": "nobody"}, "nobody"),
        ({"side": "red"}, "black | white"),
        ({"mark": ""}, "mark"),
    ],
)
def test_what_is_no_game_of_a_person_is_refused(page: Page, path: Path, change: Any, message: str) -> None:
    reply = page.answer(**MESSAGE | change)
    assert reply["kind"] == "error" and message in reply["message"]
    assert not kept(path)


def test_a_server_keeps_so_many_games_and_without_a_file_none(page: Page) -> None:
    replies = [page.answer(**MESSAGE | {"mark": str(number)}) for number in range(4)]
    assert [reply["kind"] for reply in replies] == ["recorded"] * 3 + ["error"] and "3 games" in replies[3]["message"]
    with TestClient(create_app(), base_url=HERE) as client, connected(client) as other:
        assert other.answer(do="hello")["records"] is False
        assert "--record FILE" in other.answer(**MESSAGE)["message"]


# --- in the terminal ----------------------------------------------------------------------------------------------


def typed(path: Path, *lines: str, white: str = "greedy(ties=first)") -> str:
    """What a person is told who types these lines, with black."""
    script, setting = Script(*lines), Setting(size=4)
    game = setting.game()
    seats = read_seat("person", game.rules), read_seat(white, game.rules)
    Session(script, setting, seats, game, Record(path, "Ada")).play()
    return script.text


def test_the_terminal_keeps_finished_games(path: Path) -> None:
    text = typed(path, "b1", "resign", "undo", "resign", "new", "b1", "resign")
    assert text.count(f"recorded in {path} as a game of Ada") == 2, "the first end of each game"
    assert [(game.white, game.winner, len(game)) for game in kept(path)] == [("greedy(ties=first)", Color.WHITE, 2)] * 2


@pytest.mark.parametrize("help_", ["undo", "flip", "white random"])
def test_a_game_with_help_is_not_kept(path: Path, help_: str) -> None:
    text = typed(path, "b1", help_, *(["flip"] if help_ == "flip" else []), "resign")
    assert f"not recorded, because of {help_.split()[0]}" in text and not kept(path)


def test_two_people_and_a_loaded_game_are_not_kept(path: Path, tmp_path: Path) -> None:
    assert "recorded" not in typed(path, "b1", "resign", white="person")
    file = tmp_path / "game.txt"
    file.write_text("-----OX--XO----- X b1a1")
    assert "not recorded, because of load" in typed(path, f"load {file}", "resign")
    assert not kept(path)


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--terminal", "--record", "x.db"], "--record needs --name NAME"),
        (["--terminal", "--name", "Ada"], "--name needs --record FILE"),
        (["--terminal", "--record", "x.db", "--name", " "], "is no name of a person"),
        (["--terminal", "--record", "x.db", "--name", "Ada", "--load", "y"], "--record does not go with --load"),
        (["--name", "Ada"], "--name needs --terminal"),
        (["--record", "."], "."),
    ],
)
@pytest.mark.usefixtures("elsewhere")
def test_options_that_do_not_go_together(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", *options]) == 2
    assert re.search(re.escape(message), capsys.readouterr().err)


# --- what is documented -------------------------------------------------------------------------------------------


def test_the_documented_analysis_counts_people(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ada wins two of two, Bob one of three: their shares are a whole and a third, whatever games they had."""
    text = (ROOT / "docs" / "people.md").read_text()
    example = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert example is not None
    start = Game.of(Position.start("standard 4x4"), "b1")
    with Store(path) as store:
        for name, results in (("Ada", (1, 1)), ("Bob", (1, 0, 0))):
            for number, won in enumerate(results):
                game = start.resign(Color.WHITE if won else Color.BLACK)
                assert record(store, game, name, Color.BLACK, "greedy", str(number))
    monkeypatch.chdir(path.parent)
    exec(example.group(1).replace("heuristic-mc", "greedy"), {})
    assert re.fullmatch(r"67% \[.*\] of the points, 2 people\n", capsys.readouterr().out)
