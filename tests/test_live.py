"""Matches and tournaments while they are played: what the live page is told, from a store that others write to."""

import json
import signal
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from outflank.arena.match import scoreboard
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, plan_match
from outflank.arena.statistics.estimates import superiority
from outflank.arena.store import Store
from outflank.arena.tournament import Tournament
from outflank.board import Rules
from outflank.execute import Here
from outflank.interfaces.cli import main
from outflank.interfaces.web.app import create_app
from outflank.report.live import Event
from outflank.report.style import CSS
from support import PATIENCE, ROOT, running, wait_until

with warnings.catch_warnings():  # it would rather have a fork of httpx
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

pytestmark = pytest.mark.compiled
CUP = {
    "agents": ["random", "greedy", "heuristic", "minimax(depth=1)"],
    "sizes": [4],
    "pairs": 1,
    "openings": "random(2)",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with games of somebody else."""
    path = tmp_path / "club.db"
    play(path, plan_match("random", "minimax(depth=2)", Rules(4), 4, "random(2)", Conditions()))
    return path


def play(path: Path, plan: Any, most: int = 10**6) -> None:
    """Plays a plan into a store, or some games of it."""
    played = []

    def on_game(*game: Any) -> bool:
        played.append(game)
        return len(played) < most

    with Store(path) as store:
        run_plan(plan, store, Here(), on_game)


def test_a_swiss_tournament_is_followed_round_by_round(path: Path) -> None:
    cup = Tournament.of(CUP | {"format": "swiss", "rounds": 2})
    event = Event("club", path, cup)
    before = event.look()
    assert before.facts["games"] == 0 and before.facts["planned"] == cup.games and before.keys == frozenset()
    assert [line["points"] for line in before.facts["players"]] == [0, 0, 0, 0], "who has not played yet is there"
    play(path, cup.first)
    look = event.look()
    assert (look.facts["round"], look.facts["rounds"], look.facts["over"]) == (2, 2, False)
    with Store(path, reading=True) as store:
        plans = [plan for plan, _ in zip(cup.plans(store), range(2), strict=False)]
        expected = [(line.agent, line.points, line.opposition) for line in cup.standings(plans, store)]
    told = [(line["id"], line["points"], line["opposition"]) for line in look.facts["players"]]
    assert told == expected and look.facts["games"] == cup.first.games == len(look.keys or ())
    play(path, plans[1])
    assert event.look().facts["over"] and event.look().facts["games"] == cup.games


def test_a_match_is_told_by_the_statistics_of_matches_and_by_its_own_games(path: Path) -> None:
    plan = plan_match("random", "greedy", Rules(4), 20, "random(2)", Conditions())
    play(path, plan, most=11)
    facts = Event("match", path, plan=plan).look().facts
    with Store(path, reading=True) as store:
        result = scoreboard(plan, store).result()
    assert 0 < facts["games"] == result.tally.games < 20 == facts["planned"]
    assert facts["match"]["likelihood_of_superiority"] == superiority(result.tally.counts)
    assert facts["match"]["elo_interval"] == [result.elo.low, result.elo.high]
    assert {line["name"] for line in facts["players"]} == {"random", "greedy"}
    [[itself, cell], [mirrored, _]] = facts["cross"]
    assert itself is None and cell["points"] + mirrored["points"] == cell["games"] == result.tally.games
    assert cell["los"] + mirrored["los"] == pytest.approx(1)


@pytest.fixture
def client(path: Path) -> Iterator[TestClient]:
    plan = plan_match("random", "greedy", Rules(4), 6, "random(2)", Conditions())
    play(path, plan)
    app = create_app(stores=[path], events={"now": Event("random – greedy", path, plan=plan)})
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield client


def is_told_once(client: TestClient) -> bool:
    """Whether somebody who has seen how it stands is told nothing more; until then games are reviewed."""
    state = client.get("/api/live/now").json()["state"]
    return bool(client.get("/api/live/now", params={"seen": state}).json() == {"state": state})


def test_a_page_is_told_what_changed_and_finds_games_and_worst_moves(client: TestClient, path: Path) -> None:
    assert [event["name"] for event in client.get("/api/live").json()["events"]] == ["now", "club.db"]
    told = client.get("/api/live/now").json()
    black, white = (line["id"] for line in told["players"])
    games = client.get("/api/live/now/games", params={"agent": black, "opponent": white}).json()["games"]
    assert len(games) == told["games"] == 6 and told["over"]
    assert all(game["link"].startswith("#view=analyse&rules=standard-4x4&moves=") for game in games)

    def worst() -> Any:
        return client.get("/api/live/now").json()["worst"]

    wait_until(lambda: bool(worst()))
    lost = {game["black"] if game["points"] == 0 else game["white"] for game in games if game["points"] != 0.5}
    for move in worst():
        assert move["name"] in lost and move["loss"] > 0 and move["played"] != move["better"]
        assert f"&then={move['played']}" in move["link"] and "&review=" in move["link"]
    wait_until(lambda: is_told_once(client))
    everything = client.get("/api/live/club.db").json()
    assert everything["kind"] == "store" and everything["games"] == 10 and len(everything["players"]) == 3
    play(path, plan_match("heuristic", "greedy", Rules(4), 2, "random(2)", Conditions()))
    wait_until(lambda: client.get("/api/live/club.db").json()["games"] == 12)
    assert client.get("/api/live/now").json()["games"] == 6, "games of others in the same store are theirs"
    assert client.get("/api/live/other.db").status_code == 404


def test_the_live_page_is_asked_for_before_anything_is_played(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store = str(tmp_path / "no.db")
    assert main(["match", "random", "greedy", "--port", "0", "--store", store]) == 2
    assert "--port needs --live" in capsys.readouterr().err and not Path(store).exists()


def test_a_match_says_where_it_is_watched(tmp_path: Path) -> None:
    options = ["--size", "4", "--games", "2", "--openings", "start", "--quiet", "--store", str(tmp_path / "m.db")]
    live = ["--workers", "1", "--live", "--host", "127.0.0.1", "--port", "0"]
    with running(sys.executable, "-m", "outflank", "match", "random", "greedy", *options, *live) as process:
        assert process.stderr is not None
        said = next(line for line in process.stderr if "Watch it at " in line)
        address, _, token = said.split()[-1].partition("?")
        assert address.endswith("/live") and token

        def shown() -> Any:
            with urlopen(f"{address.removesuffix('live')}api/live/now?{token}") as answer:
                return json.load(answer)

        wait_until(lambda: shown()["over"])
        assert shown()["title"] == "random – greedy" and shown()["games"] == 2
        next(line for line in process.stderr if "Ctrl-C" in line)
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0


def test_reports_have_the_colours_of_the_page() -> None:
    page = (ROOT / "src/outflank/interfaces/web/static/base.css").read_text()
    for ours, theirs in (("ink", "ink"), ("soft", "soft"), ("grid", "line"), ("link", "accent")):
        [pair] = [line for line in page.splitlines() if line.startswith(f"  --{theirs}: light-dark(")]
        light, dark = pair.partition("(")[2].rstrip(");").split(", ")
        assert CSS.count(f"--{ours}: {light};") == CSS.count(f"--{ours}: {dark};") == 1, ours
