"""The server of `outflank play`: every verb, everything that must be refused, and real processes."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.websockets import WebSocketDisconnect, WebSocketState

from fuzz import messages
from outflank import __version__
from outflank.agents import Agent, canonical
from outflank.arena.runner import run_plan
from outflank.arena.store import Store
from outflank.arena.tournament import plan_of
from outflank.board import Position, Rules
from outflank.errors import BadSpec
from outflank.execute import Here
from outflank.interfaces.cli import main
from outflank.interfaces.web import agents as agents_of_pages
from outflank.interfaces.web import jobs, stores, verbs
from outflank.interfaces.web.app import create_app
from outflank.interfaces.web.lanes import Lane, Queue, Turn
from outflank.interfaces.web.security import Caps, caps_table, page_agent
from outflank.interfaces.web.socket import Connection, Visitors
from outflank.interfaces.web.turns import Turns, Usage, usage_of_loop
from outflank.interfaces.web.verbs import VERBS
from outflank.search.limits import Limits
from outflank.search.solver import solve_moves
from support import PATIENCE, PERFECT_GAME, ROOT, wait_until
from web_client import PING, PONG, START, TEXT, Server, by_hand, frame, odd_message, play, serving, talking
from web_load import is_helpful, pester_together, play_games, settle, together

with warnings.catch_warnings():  # it would rather have a fork of httpx
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

HERE = "http://127.0.0.1"
LONG = "minimax(depth=60, eval=five_terms)"
Reply = dict[str, Any]


class Page:
    """A page in the test's own process."""

    def __init__(self, session: Any) -> None:
        self.session = session

    def send(self, **message: Any) -> None:
        self.session.send_text(json.dumps(message))

    def hear(self) -> Reply:
        reply: Reply = json.loads(self.session.receive_text())
        return reply

    def until_last(self, number: Any) -> list[Reply]:
        replies = []
        while True:
            reply = self.hear()
            assert reply["id"] is not None or number is None, f"refused unread: {reply}"
            if reply["id"] == number:
                replies.append(reply)
                if reply.get("last"):
                    return replies

    def everything(self, **message: Any) -> list[Reply]:
        self.send(id=1, **message)
        return self.until_last(1)

    def ask(self, **message: Any) -> list[Reply]:
        """The replies without those about preparing, which depend on the machine."""
        return [reply for reply in self.everything(**message) if reply["kind"] != "preparing"]

    def answer(self, **message: Any) -> Reply:
        return self.ask(**message)[-1]


@contextlib.contextmanager
def connected(client: TestClient, **headers: str) -> Iterator[Page]:
    address = str(client.base_url.copy_with(scheme="ws", path="/ws"))
    with client.websocket_connect(address, headers={"origin": HERE} | headers) as session:
        yield Page(session)


@pytest.fixture
def client() -> Iterator[TestClient]:
    with TestClient(create_app(), base_url=HERE) as client:
        yield client


@pytest.fixture
def page(client: TestClient) -> Iterator[Page]:
    with connected(client) as page:
        yield page


def capped(**caps: Any) -> TestClient:
    return TestClient(create_app(caps=Caps(**caps)), base_url=HERE)


# --- verbs --------------------------------------------------------------------------------------------------------


def test_hello(page: Page) -> None:
    welcome = page.answer(do="hello")
    assert welcome["kind"] == "welcome" and welcome["version"] == __version__ and welcome["last"] is True
    assert welcome["sizes"][0] == 4 and welcome["variants"] == ["standard", "reversed"]
    assert {"name", "text", "rating", "rating_low", "rating_high", "note"} <= set(welcome["levels"][0])
    names = [agent["name"] for agent in welcome["agents"]]
    assert "minimax" in names and "tenshi" in names and not {"gtp", "nboard"} & set(names)
    assert welcome["limits"]["seconds"] == Caps().seconds


def test_state(page: Page) -> None:
    state = page.answer(do="state", game=START | {"moves": [19]})["state"]
    assert state["cells"] == Position.start().play("d3").line()[:64]
    assert state["legal"] == {"18": [27], "20": [28], "34": [35]} and state["turn"] == "white"
    assert (state["black"], state["white"], state["empties"], state["ply"], state["last"]) == (4, 1, 59, 1, 19)
    assert not state["over"] and state["winner"] is None and not state["must_pass"]


def test_states_of_a_whole_game(page: Page) -> None:
    game = page.answer(do="read", text=PERFECT_GAME)["game"]
    reply = page.answer(do="state", game=game, all=True)
    assert [state["ply"] for state in reply["positions"]] == list(range(61))
    assert reply["positions"][-1] == reply["state"]
    assert reply["state"]["over"] and reply["state"]["winner"] == "draw" and reply["state"]["legal"] == {}
    for state, move in zip(reply["positions"], game["moves"], strict=False):
        assert str(move) in state["legal"]


def test_a_long_quick_answer_lets_others_go_first(page: Page) -> None:
    game = page.answer(do="read", text=PERFECT_GAME)["game"]
    pauses = list(
        VERBS["state"].answers({"game": game, "all": True}, agents_of_pages.Page(agents_of_pages.Agents(Caps())))
    )
    assert pauses == [{}] * 7


def test_a_forced_pass_is_a_legal_move(page: Page) -> None:
    game = {"rules": "standard 4x4", "start": "XXXXOOOXOOXXOO-- X", "moves": []}
    state = page.answer(do="state", game=game)["state"]
    assert state["must_pass"] and state["legal"] == {"16": []}
    decision = page.answer(do="think", game=game, agent="random")
    assert decision["move"] == 16 and decision["forced"]
    assert not page.answer(do="state", game=game | {"moves": [16]})["state"]["must_pass"]


@pytest.mark.parametrize(("opening", "plies"), [("start", 0), ("random(5)", 5), ("balanced(4)", 4)])
@pytest.mark.compiled
def test_new(page: Page, opening: str, plies: int) -> None:
    first, again, other = (page.answer(do="new", rules="reversed 6x6", opening=opening, seed=s) for s in (7, 7, 8))
    assert first["game"]["rules"] == "reversed 6x6" and len(first["game"]["moves"]) == plies
    assert first["game"] == again["game"] and (first["game"] != other["game"]) == (opening == "random(5)" or plies > 0)


@pytest.mark.compiled
@pytest.mark.parametrize("agent", ["minimax(depth=9)", "uct(playouts=150000)", "montecarlo(playouts=5)", "random"])
def test_think(page: Page, agent: str) -> None:
    *thinking, decision = page.ask(do="think", game=START, agent=agent, seed=3)
    assert decision["kind"] == "decision" and decision["move"] in (19, 26, 37, 44) and not decision["forced"]
    assert decision["pv"][0] == decision["move"]
    assert all(reply["kind"] == "thinking" and "last" not in reply for reply in thinking)
    again = page.answer(do="think", game=START, agent=agent, seed=3)
    assert again["move"] == decision["move"]


def visits(decision: Reply) -> int:
    return sum(move["visits"] for move in decision["moves"])


REUSING = "uct(playouts=2000, reuse=yes)"


@pytest.mark.compiled
def test_an_agent_is_kept_for_the_next_move_of_its_game(page: Page) -> None:
    def asked(moves: list[int], text: str = REUSING) -> Reply:
        return page.answer(do="think", game=START | {"moves": moves}, agent=text)

    first = asked([])
    assert visits(first) == 2000
    line = first["pv"][:2]
    assert visits(asked(line)) > 2100
    assert visits(asked(line, "uct(playouts=2000)")) == 2000
    assert visits(asked([])) == 2000, "the agent of another text was there in between"
    assert visits(asked([19, 18])) >= 2000
    asked([26, 18])
    assert visits(asked([19, 18])) == 2000, "another game was played in between"


@pytest.mark.compiled
def test_agents_that_are_kept_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[Agent] = []
    closed: list[Agent] = []

    def build(text: str, caps: Caps) -> Agent:
        built.append(page_agent(text, caps))
        return built[-1]

    monkeypatch.setattr(agents_of_pages, "page_agent", build)
    monkeypatch.setattr(Agent, "close", lambda agent: closed.append(agent))
    with capped(kept_agents=3, workers=1) as client:
        kept = client.app.state.visitors.agents  # type: ignore[attr-defined]
        with connected(client) as first, connected(client) as second:
            for page in (first, second):
                for moves in ([], [19], [19, 18], [19, 18, 17]):
                    page.answer(do="think", game=START | {"moves": moves}, agent="greedy")
            assert len(kept) == 3 and len(built) == 4 and closed == built[:1]
            first.answer(do="think", game=START, agent="random")
            assert len(kept) == 3 and closed == built[:2]
        wait_until(lambda: len(closed) == len(built))
        assert not len(kept)


@pytest.mark.compiled
def test_two_searches_at_once_have_two_agents(page: Page) -> None:
    for number in "ab":
        page.send(id=number, do="think", game=START, agent="uct(seconds=0.3, reuse=yes)")
    replies: Reply = {}
    while len(replies) < 2:
        reply = page.hear()
        if reply.get("last"):
            replies[reply["id"]] = reply
    assert all(visits(reply) == reply["playouts"] for reply in replies.values())


def slow_to_prepare(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Agents take two steps to be prepared, the first until the event."""
    done = threading.Event()

    def prepare(_agent: Agent, _rules: Rules) -> Iterator[tuple[str, int, int]]:
        yield "first part", 0, 2
        done.wait(PATIENCE)
        yield "second part", 1, 2

    monkeypatch.setattr(Agent, "prepare", prepare)
    return done


@pytest.mark.compiled
@pytest.mark.parametrize("message", [{"do": "think", "agent": "uct(playouts=50)"}, {"do": "review", "depth": 1}])
def test_preparing_is_told_once(monkeypatch: pytest.MonkeyPatch, page: Page, message: Reply) -> None:
    prepared = slow_to_prepare(monkeypatch)
    page.send(id=1, game=START, **message)
    while (first := page.hear())["what"] == "board":
        pass
    assert (first["kind"], first["what"], first["done"]) == ("preparing", "first part", 0) and first["total"] in (2, 4)
    prepared.set()
    kinds = [reply["kind"] for reply in page.until_last(1)]
    assert kinds[-1] != "preparing" and kinds == sorted(kinds, key=lambda kind: kind != "preparing")
    assert all(reply["kind"] != "preparing" for reply in page.everything(game=START, **message))


@pytest.mark.compiled
@pytest.mark.parametrize("message", [{"do": "think", "agent": "uct(playouts=50)"}, {"do": "review", "depth": 1}])
def test_what_is_ready_at_once_is_not_told(monkeypatch: pytest.MonkeyPatch, page: Page, message: Reply) -> None:
    monkeypatch.setattr(jobs, "QUIET_SECONDS", 1e9)
    slow_to_prepare(monkeypatch).set()
    assert all(reply["kind"] != "preparing" for reply in page.everything(game=START, **message))


@pytest.mark.compiled
def test_no_clock_sees_the_preparing(monkeypatch: pytest.MonkeyPatch) -> None:
    page_agent(LONG, Caps()).choose(Position.start(), Limits(depth=2))  # what is not prepared below must be ready
    prepared = slow_to_prepare(monkeypatch)
    with capped(seconds=0.5) as client, connected(client) as page:
        page.send(id=1, do="think", game=START, agent=LONG)
        assert page.hear()["kind"] == "preparing"
        time.sleep(0.6)  # longer than a search may take
        prepared.set()
        assert page.until_last(1)[-1]["depth"] > 1


@pytest.mark.compiled
def test_the_first_move_on_a_new_machine_is_prepared(tmp_path: Path) -> None:
    script = (
        "from test_web import START, capped, connected\n"
        "with capped() as client, connected(client) as page:\n"
        "    for _ in range(2):\n"
        "        replies = page.everything(do='think', game=START, agent='heuristic')\n"
        "        print(*dict.fromkeys(reply['kind'] for reply in replies))"
    )
    environment = os.environ | {"OUTFLANK_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    assert done.stdout.splitlines() == ["preparing decision", "decision"], done.stderr


@pytest.mark.compiled
def test_limits_of_a_request_bound_an_agent(page: Page) -> None:
    decision = page.answer(do="think", game=START, agent=LONG, limits={"depth": 2})
    assert decision["depth"] == 2
    for bound in ({"limits": {"seconds": 0.05}}, {"left_seconds": 1}):
        assert page.answer(do="think", game=START, agent=LONG, **bound)["kind"] == "decision"


@pytest.mark.compiled
def test_analyse(page: Page) -> None:
    game = page.answer(do="read", text=PERFECT_GAME[: 2 * 48])["game"]
    *before, last = page.ask(do="analyse", game=game)
    assert all(reply["kind"] == "analysis" for reply in before) and last["kind"] == "analysis"
    assert all(move["exact"] and move["value_text"].endswith("exact") for move in last["moves"])
    assert last["moves"][0]["value"] == 0 and last["moves"][0]["pv"][0] == last["moves"][0]["move"]


@pytest.mark.compiled
def test_an_analysis_may_be_given_some_seconds(page: Page) -> None:
    last = page.answer(do="analyse", game=START, seconds=0.3)
    assert last["kind"] == "analysis" and last["depth"] >= 1 and len(last["moves"]) == 4
    assert page.answer(do="analyse", game=START, seconds="soon")["kind"] == "error"


@pytest.mark.compiled
def test_analyses_side_by_side_stream_until_they_are_stopped(page: Page) -> None:
    page.send(id="a", do="analyse", game=START)
    page.send(id="b", do="analyse", game=START, agent="uct(playouts=1000000000)")
    heard: dict[str, int] = {"a": 0, "b": 0}
    while min(heard.values()) < 5:
        reply = page.hear()
        if reply["kind"] != "preparing":
            assert reply["kind"] == "analysis" and len(reply["moves"]) == 4
            heard[reply["id"]] += 1
    for name in "ab":
        page.send(id=f"stop {name}", do="stop", what=name)
    ended: set[Any] = set()
    while len(ended) < 4:
        reply = page.hear()
        if reply.get("last"):
            ended.add(reply["id"])
    assert ended == {"a", "b", "stop a", "stop b"}


@pytest.mark.compiled
def test_tree(page: Page) -> None:
    last = page.answer(do="tree", game=START, playouts=20_000)
    assert last["playouts"] == 20_000 == sum(move["visits"] for move in last["moves"])
    assert all(0 < move["win_rate"] < 1 for move in last["moves"])


@pytest.mark.compiled
def test_problem(page: Page) -> None:
    first, again = (page.answer(do="problem", rules="standard 6x6", empties=6, seed=5) for _ in range(2))
    assert first == again and first["kind"] == "problem"
    position = Position.parse(first["game"]["start"])
    best, second, *_ = sorted(first["scores"].values(), reverse=True)
    assert position.empties == 6 and best - second >= 2
    exact = {str(int(found.move or 0)): found.score for found in solve_moves(position, position.moves)}
    assert exact == first["scores"]
    assert page.answer(do="problem", rules="standard 6x6", empties=3)["kind"] == "error"


@pytest.mark.compiled
def test_review_finds_the_blunder(page: Page) -> None:
    game = page.answer(do="read", text="OX-OXOO-XXXXXXX- O d4")["game"]
    *plies, last = page.ask(do="review", game=game, depth=4)
    assert [reply["ply"] for reply in plies] == [1, 0] and last == {
        "id": 1,
        "kind": "review",
        "done": True,
        "last": True,
    }
    assert plies[1]["mark"] == "mistake" and plies[1]["loss"] == 8 and plies[1]["exact"]
    assert plies[1]["best"] == 2 and plies[1]["played"] == 15 and plies[1]["value"] == -2


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("f5d6c3", "transcript"),
        (Position.start(Rules(6)).line(), "board"),
        ("(;GM[Othello]PB[a]PW[b]TY[4a]BO[4 -----O*--*O----- *]B[b1]W[a1];)", "ggf"),
        (f"{Position.start().line()}; D3:+1", "obf"),
    ],
)
def test_what_is_read_can_be_written_and_read_again(page: Page, text: str, form: str) -> None:
    read = page.answer(do="read", text=text)
    assert read["format"] == form
    written = page.answer(do="write", game=read["game"], black="Ann", white="Bob")
    assert written["svg"].startswith("<svg") and "PB[Ann]" in written["ggf"]
    assert page.answer(do="read", text=written["ggf"])["game"] == read["game"]
    if "reversed" not in read["game"]["rules"]:
        assert page.answer(do="read", text=written["board"])["game"]["start"] in (None, written["board"])
        assert page.answer(do="read", text=written["obf"])["format"] == "obf"
    if read["game"]["moves"] and form == "transcript":
        assert page.answer(do="read", text=written["transcript"])["game"] == read["game"]


def test_transforming_eight_ways(page: Page) -> None:
    game = START | {"moves": [19, 18, 17]}
    turned = [page.answer(do="transform", game=game, number=number)["game"] for number in range(8)]
    assert turned[0] == game and len({json.dumps(found) for found in turned}) == 8
    for found in turned:
        state = page.answer(do="state", game=found)["state"]
        assert (state["black"], state["white"]) == (5, 2)
    back = page.answer(do="transform", game=turned[1], number=1)["game"]
    assert back == game


# --- what is refused ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"do": "sing"}, 'do is "sing"; expected one of: hello'),
        ({}, "do is missing"),
        ({"do": 7}, "do is 7"),
        ({"do": "state"}, "state: game missing; expected game = a game: rules, start, moves"),
        ({"do": "state", "game": 5}, "5 is no table; expected keys such as rules, start, moves"),
        ({"do": "state", "game": {}}, "game: rules missing"),
        ({"do": "state", "game": START, "al": True}, "'al' is not known, did you mean all?"),
        ({"do": "state", "game": {"rules": "standard 5x5"}}, "not known"),
        ({"do": "state", "game": START | {"moves": [0]}}, "black cannot play a1"),
        ({"do": "state", "game": START | {"moves": [True]}}, "expected a whole number from 0 to 256"),
        ({"do": "state", "game": START | {"moves": [65]}}, "expected 0 to 64"),
        ({"do": "state", "game": START | {"moves": [64] * 1000}}, "a list of 0 to 512"),
        ({"do": "state", "game": START | {"start": "-----OX--XO----- X"}}, "has 16 squares"),
        ({"do": "state", "game": START, "all": "yes"}, "expected yes or no"),
        ({"do": "new", "rules": "standard 8x8", "opening": "/etc/passwd"}, "expected start, random(8)"),
        ({"do": "new", "rules": "standard 8x8", "opening": "random(99)"}, "not a way to open"),
        ({"do": "new", "rules": "standard 8x8", "seed": 1e300}, "expected a whole number"),
        ({"do": "think", "game": START}, "think: agent missing"),
        ({"do": "think", "game": START, "agent": "minmax"}, "did you mean minimax"),
        ({"do": "think", "game": START, "agent": "random", "limits": {"depth": 0}}, "from 1 to 500"),
        ({"do": "think", "game": START, "agent": "random", "limits": {"seconds": -1}}, "above 0"),
        ({"do": "think", "game": START, "agent": "random", "left_seconds": 10**400}, "a number above 0"),
        ({"do": "tree", "game": START, "playouts": "many"}, "expected a whole number"),
        ({"do": "read", "text": "good evening"}, "neither a game nor a position"),
        ({"do": "transform", "game": START, "number": 8}, "from 0 to 7"),
    ],
)
def test_bad_messages_get_a_clear_error(page: Page, message: Reply, words: str) -> None:
    reply = page.answer(**message)
    assert reply["kind"] == "error" and words in reply["message"] and reply["last"] is True
    assert page.answer(do="hello")["kind"] == "welcome"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "{",
            "[" * 30_000,
            "[" * 990 + "]" * 990,
            "[1]",
            "7",
            '"hello"',
            "NaN",
            '{"do": "hello", "id": ' + "9" * 5000,
        ),
        *('{"id": 1, "do": "hello", "id": 2}', '{"id": 1, "do": "hello", "x": {"a": 1, "a": 2}}'),
        *('{"id": 1, "do": "new", "seed": NaN}', '{"id": 1, "do": "new", "seed": -Infinity}'),
    ],
)
def test_text_that_is_no_message(page: Page, text: str) -> None:
    page.session.send_text(text)
    reply = page.hear()
    assert reply["kind"] == "error" and reply["id"] is None and len(reply["message"]) < 300
    page.session.send_bytes(b"\x00\xff")
    assert "binary" in page.hear()["message"]


@pytest.mark.parametrize("number", [None, 1.5, True, [1], "x" * 100, 10**80])
def test_a_request_needs_an_id(page: Page, number: Any) -> None:
    page.send(id=number, do="hello")
    assert "id is missing" in page.hear()["message"]


@pytest.mark.parametrize(
    "text",
    [
        'gtp(command="touch /tmp/x")',
        'nboard(command="x")',
        "os:system",
        "players_of_people:Careful",
        "minimax(eval=os:system)",
        *("minimax(order=os:system)", "uct(playout=os:system)", "uct(select=os:system)", "uct(final=os:system)"),
        "minimax(3, os:system)",
        "uct(playout=cutoff(eval=os:system))",
        "uct(playout=cutoff(8, os:system))",
        'minimax(eval="os:system")',
        "minimax(eval=some.file)",
        "minimax(eval=patterns(weights=mine.npz))",
        'minimax(eval=patterns(weights="/tmp/mine.npz"))',
        'engine(weights="/tmp/mine.npz")',
        "minimax(eval=[os:system])",
    ],
)
def test_no_agent_that_runs_commands_or_loads_code(page: Page, text: str) -> None:
    for verb in ("think", "analyse"):
        reply = page.answer(do=verb, game=START, agent=text)
        assert reply["kind"] == "error" and "cannot be used from the page" in reply["message"]


@pytest.mark.parametrize(
    "text",
    [
        "uct(memory=1000)",
        "minimax(hash_mb=1000)",
        "uct(10, 1, 1, 1, one, mover, parent, visits, child, 0.5, full, no, uniform, 1, 0, wdl, 4000)",
        "solver(memory=4000)",
        "uct(leaf_playouts=1000)",
        "uct(leaves=100)",
        "uct(leaves=8, leaf_playouts=16)",
    ],
)
def test_no_agent_that_takes_too_much(text: str) -> None:
    with pytest.raises(BadSpec, match="too much for the page"):
        page_agent(text, Caps())


def test_levels_and_presets_can_be_used_from_the_page(page: Page) -> None:
    for level in page.answer(do="hello")["levels"]:
        page_agent(level["text"], Caps())
        page_agent(level["elsewhere"], Caps())
        assert page.answer(do="agent", agent=level["name"])["text"] == canonical(level["text"])
    for rules in ("standard 8x8", "reversed 10x10", "reversed 12x12"):
        decision = page.answer(do="think", agent="Newcomer", game={"rules": rules}, seed=1)
        assert decision["kind"] == "decision", decision
    page_agent("tenshi(playouts=10)", Caps())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
QUICK = ("hello", "state", "new", "read", "write", "transform", "stop")
FIELDS = ("rules", "start", "moves", "limits", "playouts", "opening", "seed", "text", "number", "all", "game", "what")


def quiet_client() -> Iterator[Page]:
    with capped(messages_per_second=10**6, burst=10**6) as client, connected(client) as page:
        yield page


patient = pytest.fixture(quiet_client)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(("hello", "state", "new", "read", "write", "transform", "stop")) | st.text(max_size=9), st.data()
)
def test_any_content_gets_an_answer(patient: Page, verb: str, data: st.DataObject) -> None:
    names = [option.name for option in VERBS[verb].accepts.options] if verb in VERBS else []
    message = data.draw(st.dictionaries(st.sampled_from(names or FIELDS), JSON, max_size=6))
    reply = patient.answer(**message, do=verb)
    assert reply["last"] is True and isinstance(reply["kind"], str)
    if reply["kind"] == "error":
        assert "could not be answered" not in reply["message"] and len(reply["message"]) < 5000


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON)
def test_any_json_gets_an_answer(patient: Page, value: Any) -> None:
    patient.session.send_text(json.dumps(value))
    if patient.hear()["kind"] != "error":
        raise AssertionError(value)


# --- caps ---------------------------------------------------------------------------------------------------------


def test_messages_that_are_too_large_are_refused(page: Page) -> None:
    page.send(id=1, do="read", text="f5" * 40_000)
    assert "expected at most 65536" in page.hear()["message"]
    page.send(id=1, do="read", text="f5" + " " * 19_000)
    assert page.hear()["kind"] == "read"
    page.send(id=1, do="read", text="f5" + " " * 20_000)
    assert "expected a text of at most 20000 characters" in page.hear()["message"]


def hellos(page: Page, count: int) -> float:
    """Seconds until so many messages that are sent at once are answered."""
    began = time.monotonic()
    for number in range(count):
        page.send(id=number, do="hello")
    assert [page.hear()["kind"] for _ in range(count)] == ["welcome"] * count
    return time.monotonic() - began


def test_messages_that_come_too_fast_wait() -> None:
    with capped(messages_per_second=20, burst=3) as client, connected(client) as page:
        assert hellos(page, 9) > 0.29
    with capped(bytes_per_second=200, burst_bytes=60) as client, connected(client) as page:
        assert hellos(page, 4) > 0.1


def test_pages_of_one_address_wait_for_each_other() -> None:
    app = create_app(caps=Caps(address_messages_per_second=4))
    with (
        TestClient(app, base_url=HERE, client=("192.0.2.7", 1)) as client,
        connected(client) as first,
        connected(client) as second,
    ):
        hellos(first, 4)
        assert hellos(second, 2) > 0.2


def test_who_used_much_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outflank.interfaces.web.turns._LATEST", 1.0)

    async def served() -> bool:
        turns, heavy, light = Turns(), usage_of_loop(), usage_of_loop()
        heavy.add(PATIENCE)

        async def flood() -> None:
            while True:
                await turns.wait(light)

        flooding = [asyncio.create_task(flood()) for _ in range(20)]
        await asyncio.wait_for(turns.wait(heavy), PATIENCE)
        return all(task.cancel() for task in flooding)

    assert asyncio.run(served())


def test_who_sends_without_end_waits_for_those_who_do_not() -> None:
    async def order() -> list[str]:
        turns, greedy, modest, heard = Turns(), usage_of_loop(), usage_of_loop(), list[str]()

        async def send(name: str, page: Usage, messages: int) -> None:
            for _ in range(messages):
                await turns.wait(page)
                with page.charged():
                    heard.append(name)

        flood = [asyncio.create_task(send("greedy", greedy, 200)) for _ in range(8)]
        while len(heard) < 100:
            await asyncio.sleep(0)
        await send("modest", modest, 1)
        at = len(heard)
        await asyncio.gather(*flood)
        return heard[100:at]

    heard = asyncio.run(order())
    assert heard[-1] == "modest" and len(heard) < 40


def test_who_has_just_come_goes_after_those_known_to_use_little() -> None:
    async def order() -> list[str]:
        turns, known, heard = Turns(), usage_of_loop(), list[str]()
        known.add(-1.0)  # as after a long silence

        async def send(name: str, page: Usage) -> None:
            await turns.wait(page)
            heard.append(name)

        await asyncio.gather(send("new", usage_of_loop()), send("known", known))
        return heard

    assert asyncio.run(order()) == ["known", "new"]


@pytest.mark.parametrize(("address", "kind"), [("192.0.2.7", "error"), ("127.0.0.1", "welcome"), ("::1", "welcome")])
def test_pages_of_another_machine_are_counted(address: str, kind: str) -> None:
    app = create_app(caps=Caps(connections_per_address=1))
    with TestClient(app, base_url=HERE, client=(address, 1)) as client, connected(client) as first:
        with connected(client) as second:
            second.send(id=1, do="hello")
            reply = second.hear()
            assert reply["kind"] == kind and ("1 pages are open from 192.0.2.7" in str(reply)) == (kind == "error")
        assert first.answer(do="hello")["kind"] == "welcome"


def test_a_page_that_does_not_read_is_left() -> None:
    async def fill(visitors: Visitors) -> bool:
        page = agents_of_pages.Page(visitors.agents)
        connection = Connection(Deaf(), page, visitors, [])  # type: ignore[arg-type]
        serving = asyncio.create_task(connection.serve())
        await asyncio.sleep(0)
        sending = [asyncio.create_task(connection.send("x" * 400)) for _ in range(3)]
        with contextlib.suppress(asyncio.CancelledError):
            await serving
        for task in sending:
            task.cancel()
        await asyncio.wait(sending)
        return connection.left and visitors.unsent == 0

    assert asyncio.run(fill(Visitors(Caps(unsent_bytes=1000))))
    assert asyncio.run(fill(Visitors(Caps(all_unsent_bytes=1000))))


class Deaf:
    """A socket that says nothing and takes nothing."""

    application_state = WebSocketState.CONNECTED

    async def receive(self) -> None:
        await asyncio.Event().wait()

    async def send_text(self, _text: str) -> None:
        await asyncio.Event().wait()


def test_quick_answers_are_given_before_the_boards_are_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Visitors, "get_ready", lambda _visitors: None)
    with capped() as client, connected(client) as page:
        for _ in range(2):
            assert page.answer(do="state", game=START)["kind"] == "state"


@pytest.mark.compiled
def test_nobody_waits_for_what_others_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    with capped(workers=1, first_workers=1) as client, connected(client) as first, connected(client) as second:
        assert second.answer(do="think", game=START, agent="random")["kind"] == "decision"
        compiled = slow_to_prepare(monkeypatch)
        for number in range(8):
            first.send(id=number, do="think", game=START, agent=f"uct(playouts={number + 1})")
        assert first.hear()["kind"] == "preparing"
        for _ in range(3):
            assert second.answer(do="think", game=START, agent="random")["kind"] == "decision"
        compiled.set()


@pytest.mark.compiled
def test_what_cannot_be_stopped_gives_up_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = slow_to_prepare(monkeypatch)
    with capped(first_workers=1) as client, connected(client) as first, connected(client) as second:
        first.send(id=1, do="think", game=START, agent="greedy")
        assert first.hear()["kind"] == "preparing"
        monkeypatch.undo()
        assert second.answer(do="think", game=START, agent="random")["kind"] == "decision", "though nobody stopped it"
        first.send(id=2, do="stop", what=1)
        assert first.until_last(1)[-1]["kind"] == "stopped"
        assert first.answer(do="think", game=START, agent="random")["kind"] == "decision"
        compiled.set()


@pytest.mark.compiled
def test_a_search_ends_when_others_wait_and_says_so() -> None:
    with capped(first_workers=1, move_share=0.01) as client, connected(client) as first, connected(client) as second:
        first.send(id=1, do="think", game=START, agent=LONG)
        while first.hear()["kind"] != "thinking":
            pass
        assert second.answer(do="think", game=START, agent="random")["kind"] == "decision"
        last = first.until_last(1)[-1]
        assert last["kind"] == "decision" and last["cut"] == "others were waiting"


def test_a_message_with_an_opening_that_takes_too_long_is_answered(page: Page) -> None:
    reply = page.answer(do="new", rules="standard 8x8", opening="balanced(52)", seconds=1e-9)
    assert reply["kind"] == "error" and "was stopped before it had found one" in reply["message"]
    assert "gives no opening" in page.answer(do="new", rules="standard 4x4", opening="balanced(1)")["message"]


@pytest.mark.compiled
def test_searches_of_a_page_are_counted() -> None:
    with capped(searches_per_connection=2, requests_per_connection=3) as client, connected(client) as page:
        for number in "ab":
            page.send(id=number, do="think", game=START, agent=LONG)
        page.send(id="c", do="think", game=START, agent=LONG)
        [refused] = page.until_last("c")
        assert "2 searches are under way" in refused["message"]
        page.send(id="a", do="hello")
        while (reply := page.hear())["kind"] != "error":
            pass
        assert "still under way" in reply["message"]
        page.send(id=9, do="stop", what="a")
        assert page.until_last("a")[-1]["kind"] in ("decision", "stopped")
        page.send(id="c", do="think", game=START, agent=LONG)
        page.send(id=10, do="stop", what="c")
        assert page.until_last("c")[-1]["kind"] in ("decision", "stopped")


@pytest.mark.compiled
def test_a_search_ends_after_the_longest_time_and_waiting_ones_get_their_turn() -> None:
    with capped(seconds=0.2, first_workers=1) as client, connected(client) as page:
        for number in "abc":
            page.send(id=number, do="think", game=START, agent=LONG)
        ended: list[tuple[str, str]] = []
        while len(ended) < 3:
            reply = page.hear()
            if reply.get("last"):
                ended.append((reply["id"], reply["kind"]))
        assert ended == [("a", "decision"), ("b", "decision"), ("c", "decision")]


@pytest.mark.compiled
def test_a_waiting_search_can_be_stopped() -> None:
    with capped(first_workers=1) as client, connected(client) as page:
        for number in "ab":
            page.send(id=number, do="think", game=START, agent=LONG)
        page.send(id=1, do="stop", what="b")
        assert page.until_last("b")[-1]["kind"] == "stopped"
        page.send(id=2, do="stop", what="a")
        assert page.until_last("a")[-1]["kind"] in ("decision", "stopped")


def test_stopping_what_does_not_run_is_no_error(page: Page) -> None:
    page.send(id=1, do="stop", what="nothing")
    assert page.hear() == {"id": 1, "kind": "stopped", "running": False, "last": True}


def test_pages_are_counted() -> None:
    with capped(connections=1) as client, connected(client) as first:
        with connected(client) as second:
            assert "no more are served" in second.hear()["message"]
            with pytest.raises(WebSocketDisconnect):
                second.hear()
        assert first.answer(do="hello")["kind"] == "welcome"


@pytest.mark.compiled
def test_a_closed_socket_stops_its_searches(client: TestClient) -> None:
    jobs = client.app.state.visitors.pools.jobs  # type: ignore[attr-defined]
    with connected(client) as page:
        page.send(id=1, do="analyse", game=START)
        page.send(id=2, do="think", game=START, agent=LONG)
        page.send(id=3, do="review", game=START | {"moves": [19, 18]}, seconds_per_move=100)
        page.send(id=4, do="tree", game=START, playouts=10**9)
        wait_until(lambda: len(jobs) == 4)
    wait_until(lambda: not jobs)


# --- turns --------------------------------------------------------------------------------------------------------


class Recorded:
    """Work that writes its name down, the first of all when it is told to."""

    def __init__(self, name: str, order: list[str], gate: threading.Event) -> None:
        self.name, self.order, self.gate = name, order, gate

    def run(self, _turn: Turn) -> None:
        self.gate.wait(PATIENCE)
        self.order.append(self.name)


def test_pages_take_turns() -> None:
    lane, gate = Lane("test", places=1, share=PATIENCE), threading.Event()
    order: list[str] = []
    greedy, modest, late = Queue(), Queue(), Queue()
    turns = [lane.submit(greedy, Recorded(f"greedy {at}", order, gate)) for at in range(4)]
    turns += [lane.submit(queue, Recorded(name, order, gate)) for queue, name in ((modest, "modest"), (late, "late"))]
    gate.set()
    for turn in turns:
        turn.future.result(PATIENCE)
    assert order[0] == "greedy 0" and order.index("modest") < order.index("late") < order.index("greedy 2")
    assert [name for name in order if "greedy" in name] == [f"greedy {at}" for at in range(4)]


def test_who_asks_for_little_goes_first() -> None:
    lane, gate = Lane("test", places=1, share=PATIENCE), threading.Event()
    order: list[str] = []
    gate.set()
    pages = [Queue() for _ in range(5)]
    pages[3].usual = 1e-6  # as its latest request suggests
    closed = threading.Event()
    first = lane.submit(Queue(), Recorded("first", order, closed))
    wait_until(lambda: first.began)
    turns = [lane.submit(page, Recorded(str(at), order, gate)) for at, page in enumerate(pages)]
    closed.set()
    for turn in (first, *turns):
        turn.future.result(PATIENCE)
    assert order == ["first", "3", "0", "1", "2", "4"]


def test_who_asked_for_much_waits_but_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outflank.interfaces.web.lanes._LATEST", 0.2)
    lane, gate, stopped = Lane("test", places=1, share=PATIENCE), threading.Event(), threading.Event()
    order: list[str] = []
    heavy = Queue()
    heavy.used.add(PATIENCE)
    first = lane.submit(Queue(), Recorded("first", order, gate))
    wait_until(lambda: first.began)
    last = lane.submit(heavy, Recorded("heavy", order, gate))
    light = lane.submit(Queue(), Recorded("light", order, gate))

    def flood() -> None:
        while not stopped.is_set():
            lane.submit(Queue(), Recorded("flood", [], gate)).future.result(PATIENCE)

    floods = [threading.Thread(target=flood) for _ in range(4)]
    for thread in floods:
        thread.start()
    gate.set()
    last.future.result(PATIENCE)
    stopped.set()
    for thread in floods:
        thread.join()
    assert light.future.done() and order == ["first", "light", "heavy"]


def test_who_has_nothing_under_way_goes_first() -> None:
    lane, gate = Lane("test", places=2, share=PATIENCE), threading.Event()
    order: list[str] = []
    greedy, opened = Queue(), threading.Event()
    greedy.usual = 1e-6
    first, second = (lane.submit(greedy, Recorded(name, order, event)) for name, event in (("1", gate), ("2", opened)))
    wait_until(lambda: first.began and second.began)
    turns = [lane.submit(greedy, Recorded("3", order, gate)), lane.submit(Queue(), Recorded("other", order, gate))]
    opened.set()
    wait_until(lambda: turns[1].began)
    gate.set()
    for turn in (first, second, *turns):
        turn.future.result(PATIENCE)
    assert order.index("other") < order.index("3") or not turns[0].began < turns[1].began


def test_the_more_wait_the_shorter_is_a_turn() -> None:
    lane, gate = Lane("test", places=2, share=8.0), threading.Event()
    assert lane.share_now == 8.0
    turns = [lane.submit(Queue(), Recorded("x", [], gate)) for _ in range(10)]
    wait_until(lambda: turns[0].began and turns[1].began)
    assert lane.share_now == 2.0
    gate.set()
    for turn in turns:
        turn.future.result(PATIENCE)


def test_a_turn_can_be_given_up() -> None:
    lane, gate = Lane("test", places=1, share=PATIENCE), threading.Event()
    order: list[str] = []
    page, other = Queue(), Queue()
    first = lane.submit(page, Recorded("first", order, gate))
    wait_until(lambda: first.began)
    given_up, last = (lane.submit(other, Recorded(name, order, gate)) for name in ("given up", "last"))
    assert lane.others_wait(page) and not lane.others_wait(other)
    given_up.withdraw()
    gate.set()
    last.future.result(PATIENCE)
    first.future.result(PATIENCE)
    assert order == ["first", "last"] and given_up.future.cancelled() and not lane.others_wait(page)


# --- who may ask --------------------------------------------------------------------------------------------------


def test_pages_have_the_headers_that_protect_them(client: TestClient) -> None:
    response = client.get("/")
    assert response.status_code == 200 and response.headers["cache-control"] == "no-store"
    assert "default-src 'self'" in response.headers["content-security-policy"]
    assert "unsafe" not in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert client.get("/healthz").json() == {"ok": True, "version": __version__}


def test_files_are_small_and_asked_for_once(client: TestClient) -> None:
    response = client.get("/static/index.html", headers={"accept-encoding": "gzip"})
    assert response.headers["content-encoding"] == "gzip" and response.headers["cache-control"] == "no-cache"
    again = client.get("/static/index.html", headers={"if-none-match": response.headers["etag"]})
    assert again.status_code == 304 and not again.content
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/nothing", "/nothing", "/reports/x/y"):
        assert client.get(path).status_code == 404


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "null", "", "http://["])
def test_the_socket_answers_to_its_own_page_only(client: TestClient, origin: str) -> None:
    with pytest.raises(WebSocketDisconnect), connected(client, origin=origin) as page:
        page.hear()


def test_foreign_names_for_this_machine_are_refused(client: TestClient) -> None:
    for host in ("evil.example", "evil.example:8123", "127.0.0.1.evil.example", "[", ""):
        assert client.get("/", headers={"host": host}).status_code == 403
    for host in ("localhost:8123", "127.0.0.1", "[::1]:8123"):
        assert client.get("/healthz", headers={"host": host}).status_code == 200


def test_a_token_is_needed_for_everything() -> None:
    with TestClient(create_app(token="secret"), base_url="http://club.example") as client:
        for path in ("/", "/healthz", "/static/index.html", "/api/stores", "/?token=wrong"):
            assert client.get(path).status_code == 403, path
        with pytest.raises(WebSocketDisconnect), connected(client, origin="http://club.example") as page:
            page.hear()
        landing = client.get("/?token=secret", follow_redirects=False)
        assert landing.status_code == 303 and landing.headers["location"] == "/"
        cookie = landing.headers["set-cookie"].lower()
        assert "httponly" in cookie and "samesite=lax" in cookie
        assert client.get("/").status_code == 200
        with connected(client, origin="http://club.example") as page:
            assert page.answer(do="hello")["kind"] == "welcome"
        with pytest.raises(WebSocketDisconnect), connected(client, origin="http://evil.example") as page:
            page.hear()
        client.cookies.clear()
        assert client.get("/healthz?token=secret").status_code == 200


def test_whoever_has_no_token_is_told_how_to_enter() -> None:
    with TestClient(create_app(token="secret"), base_url="http://club.example") as client:
        refused = client.get("/", headers={"accept": "text/html"})
        assert refused.status_code == 403 and "Ask for the whole link" in refused.text and "<form" in refused.text
        assert "form-action 'self'" in refused.headers["content-security-policy"]
        pasted = client.get("/", params={"token": " http://club.example/?token=secret "}, follow_redirects=False)
        assert pasted.status_code == 303
        client.cookies.clear()
        assert client.get("/", params={"token": "secret?token=x"}).status_code == 403
    with TestClient(create_app(), base_url="http://<b>.example") as client:
        refused = client.get("/", headers={"accept": "text/html"})
        assert "outflank play --host" in refused.text and "<form" not in refused.text and "<b>" not in refused.text


# --- stored games -------------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "games.db"
    plan = plan_of({"agents": ["random", "greedy", "heuristic"], "sizes": [4], "pairs": 2, "openings": "random(2)"})
    with Store(path) as store:
        run_plan(plan, store, Here())
    return path


def test_a_store_can_be_browsed(store: Path, tmp_path: Path) -> None:
    app = create_app(stores=[store], reports=[tmp_path])
    (tmp_path / "index.html").write_text("<h1>figures</h1>")
    with TestClient(app, base_url=HERE) as client:
        offered = client.get("/api/stores").json()
        assert [entry["name"] for entry in offered["stores"]] == ["games.db"]
        summary = client.get("/api/store/games.db/summary").json()
        assert summary["games"] == 12 and len(summary["agents"]) == 3 == len(summary["ratings"])
        assert sum(map(sum, summary["cross_table"]["games"])) == 24
        rows = client.get("/api/store/games.db/games?offset=4&limit=5").json()
        assert len(rows["games"]) == 5 and rows["total"] == 12
        random = summary["agents"][summary["names"].index("random")]
        mine = client.get("/api/store/games.db/games", params={"agent": random}).json()
        assert mine["total"] == 8 == len(mine["games"])
        assert all("random" in (game["black"], game["white"]) for game in mine["games"])
        assert client.get("/api/store/games.db/games", params={"agent": "random #1"}).json() == mine
        greedy = summary["agents"][summary["names"].index("greedy")]
        against = {"agent": random, "opponent": greedy, "order": "margin"}
        found = {
            result: client.get("/api/store/games.db/games", params=against | {"result": result}).json()
            for result in ("", "won", "drawn", "lost")
        }
        assert found[""]["total"] == 4 == sum(found[result]["total"] for result in ("won", "drawn", "lost"))
        margins = [abs(game["discs"][0] - game["discs"][1]) for game in found[""]["games"]]
        assert margins == sorted(margins, reverse=True) and all(game["day"] for game in found[""]["games"])
        assert summary["behaviours"] == ["1"] * 3 and mine["games"][0]["black_behaviour"] == "1"
        game = client.get(f"/api/store/games.db/game/{rows['games'][0]['key']}").json()
        with connected(client) as page:
            state = page.answer(do="state", game=game["game"])["state"]
        assert state["over"] and [state["black"], state["white"]] == game["discs"]
        [report] = offered["reports"]
        page_of_report = client.get(report["url"])
        assert page_of_report.text == "<h1>figures</h1>"
        assert "sandbox" in page_of_report.headers["content-security-policy"]


def test_a_store_that_is_damaged_or_moved_away_is_told(store: Path, tmp_path: Path) -> None:
    damaged, moved = tmp_path / "damaged.db", tmp_path / "moved.db"
    whole = store.read_bytes()
    for path, data in ((damaged, whole[:4096] + bytes(len(whole) - 4096)), (moved, whole)):
        path.write_bytes(data)
    app = create_app(stores=[damaged, moved], reports=[])
    moved.unlink()
    with TestClient(app, base_url=HERE) as client:
        assert [entry["name"] for entry in client.get("/api/stores").json()["stores"]] == ["damaged.db"]
        for question in ("summary", "games", "game/0123456789abcdef"):
            answer = client.get(f"/api/store/damaged.db/{question}")
            assert answer.status_code == 400 and "--repair" in answer.json()["error"], answer.text
            assert client.get(f"/api/store/moved.db/{question}").status_code == 404


def test_nothing_else_on_the_disk_can_be_asked_for(store: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (tmp_path / "report").mkdir()
    app = create_app(stores=[store], reports=[tmp_path / "report"])
    with TestClient(app, base_url=HERE) as client:
        for path in (
            "/api/store/secret/summary",
            "/api/store/..%2Fgames.db/summary",
            "/api/store/games.db/game/none",
            "/reports/report/../secret",
            "/reports/report/%2e%2e/secret",
            "/reports/report/..%2fsecret",
            "/reports/other/secret",
        ):
            assert client.get(path).status_code == 404, path
        odd = client.get("/api/store/games.db/games?offset=-1&limit=99999999999999999999&agent=x'--").json()
        assert odd["games"] == [] and odd["offset"] == 0


# --- real processes -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def besieged() -> Iterator[Server]:
    """A server for everybody below who comes in crowds or with bad intentions; it is helpful to the last."""
    with serving() as server:
        yield server
        assert asyncio.run(is_helpful(server)) and server.process.poll() is None
        assert "Traceback" not in said_by(server)


@pytest.mark.compiled
def test_a_game_against_an_agent_on_a_real_server(besieged: Server) -> None:
    async def game() -> list[str]:
        async with talking(besieged) as talk:
            return await play(talk, "reversed 6x6", "uct(playouts=30)", seed=1)

    assert asyncio.run(game()) == []


@pytest.mark.compiled
def test_ctrl_c_ends_the_server_at_once() -> None:
    async def search_and_end() -> None:
        async with talking(server) as talk:
            await talk.send(id=1, do="analyse", game=START)
            await talk.hear()
            server.process.send_signal(signal.SIGINT)
            await asyncio.to_thread(server.process.wait, PATIENCE)

    with serving() as server:
        asyncio.run(search_and_end())
        assert server.process.returncode == 0 and server.process.stderr is not None
        assert server.process.stderr.read().splitlines() == ["Ctrl-C ends it.", "Outflank has ended."]


@pytest.mark.compiled
def test_a_host_demands_a_token() -> None:
    async def greeting(address: str) -> str:
        async with talking(server, address) as talk:
            return str((await talk.ask(id=1, do="hello"))[-1]["kind"])

    with serving("--host", "127.0.0.1") as server:
        token = server.address.partition("?token=")[2]
        assert len(token) >= 32
        with pytest.raises(Exception, match="403"):
            asyncio.run(greeting(server.socket))
        assert asyncio.run(greeting(f"{server.socket}?token={token}")) == "welcome"


def test_what_cannot_be_served_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for args, words in (
            (["--port", port], f"port {port} on 127.0.0.1 is taken"),
            (["--port", "99999"], "expected 0 to 65535"),
            (["--host", "198.51.100.7", "--port", "0"], "cannot serve on 198.51.100.7"),
            (["--store", "nothing.db"], "there is no store"),
            (["--report", "nothing"], "there is no directory"),
        ):
            assert main(["play", "--no-browser", *args]) == 2
            said = capsys.readouterr().err
            assert words in said and said.count("\n") == 1, "one line"


def test_a_missing_extra_is_named() -> None:
    script = "import sys; sys.modules['uvicorn'] = None; from outflank.interfaces.cli import main; main(['play'])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "pip install 'outflank[web]'" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.compiled
def test_many_games_and_many_odd_messages_leave_no_trace(besieged: Server) -> None:
    """A small version of `make load`."""
    asyncio.run(pester_together(besieged, 200, 4, seed=100))
    settle(besieged)
    figures = asyncio.run(play_games(besieged, 25, "standard 6x6", "uct(playouts=10)"))
    assert figures.errors == ()
    asyncio.run(pester_together(besieged, 300, 6, seed=0))
    assert settle(besieged, PATIENCE) < 0.5
    assert besieged.threads < 40 and besieged.megabytes < 1000
    assert asyncio.run(is_helpful(besieged)) and besieged.process.poll() is None


def test_odd_messages_are_odd() -> None:
    import random

    rng = random.Random(0)
    assert len({str(odd_message(rng, number)) for number in range(200)}) > 190


# --- what is promised ---------------------------------------------------------------------------------------------


def test_the_limits_are_documented() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    assert caps_table() in text, f"SECURITY.md: expected this table:\n{caps_table()}"
    assert f"{verbs.LONGEST_TEXT:,}" in text


def test_a_store_is_summed_up_once_for_many(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Path] = []
    summed_up = stores._summed_up

    def counted(path: Path) -> Reply:
        calls.append(path)
        return summed_up(path)

    monkeypatch.setattr(stores, "_summed_up", counted)
    with TestClient(create_app(stores=[store]), base_url=HERE) as client:
        asked = [threading.Thread(target=client.get, args=["/api/store/games.db/summary"]) for _ in range(8)]
        for thread in asked:
            thread.start()
        for thread in asked:
            thread.join()
    assert len(calls) == 1


# --- a small part of the fuzzing ----------------------------------------------------------------------------------


@pytest.mark.compiled
def test_mutated_messages_are_answered_in_time_and_in_words(besieged: Server) -> None:
    messages.warm_up(besieged)
    findings = asyncio.run(messages.attack(besieged, 900, seed=1, sockets=6))
    assert findings.wrong == [] and findings.answered >= 900
    assert {"error", "state", "decision", "stopped", "game"} <= set(findings.kinds)


@pytest.mark.compiled
def test_people_are_served_beside_their_enemies(besieged: Server) -> None:
    """A small version of the last part of `make load`; how long they wait depends on the machine."""
    waits = asyncio.run(together(besieged, games=4, sockets=40, moves=2, agent="uct(playouts=10)"))
    assert waits.errors == [] and len(waits.seconds) == 16
    assert settle(besieged, PATIENCE) < 0.5 and besieged.threads < 60 and besieged.megabytes < 1000


def test_sockets_that_only_cost_are_left(besieged: Server) -> None:
    async def flooded(first: bytes, again: bytes) -> None:
        async with by_hand(besieged) as line:
            line.writer.write(first)
            with contextlib.suppress(ConnectionError):
                while not line.reader.at_eof():
                    line.writer.write(again)
                    await line.writer.drain()
                    await asyncio.sleep(0)

    async def reason(content: bytes) -> str:
        async with by_hand(besieged) as line:
            line.writer.write(content)
            assert await line.hear() is None
            return line.reason

    for empty in (PING, PONG):
        asyncio.run(asyncio.wait_for(flooded(b"", frame(empty, b"x") * 100), PATIENCE))
    pieces = frame(TEXT, b"{", final=False), frame(0, b"", final=False) * 100
    asyncio.run(asyncio.wait_for(flooded(*pieces), PATIENCE))
    assert asyncio.run(reason(frame(TEXT, b"\xff\xfe"))) == "a text is not UTF-8"
    assert "exceeds limit of 262144 bytes" in asyncio.run(reason(frame(TEXT, b"x" * 262_145)))
    assert asyncio.run(is_helpful(besieged))


def said_by(server: Server) -> str:
    """What a server has written where errors go, when it has ended."""
    server.process.terminate()
    return server.process.communicate()[1]
