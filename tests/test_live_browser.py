"""The live page and rooms in a real browser: followed and projected, played from two browsers, watched on a third."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from browser import AXE, IN_BROWSER, PATIENCE, chromium, troubles, until, with_axe
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, plan_match, plan_pairings, round_robin
from outflank.arena.store import Store
from outflank.board import Rules
from outflank.execute import Here
from web_client import Server, serving

pytestmark = IN_BROWSER
AGENTS = ["random", "greedy", "heuristic"]
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 800}, "has_touch": True}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("live") / "cup.sqlite"
    with Store(path) as games:
        run_plan(plan_pairings(round_robin(AGENTS), [Rules(4)], 2, "random(2)", Conditions()), games, Here())
    return path


@pytest.fixture(scope="module")
def server(store: Path) -> Iterator[Server]:
    with serving("--host", "127.0.0.1", "--store", str(store)) as server:
        yield server


@pytest.fixture(scope="module")
def room(server: Server) -> str:
    """The link for a friend, which is printed behind the address."""
    assert server.process.stdout is not None
    return server.process.stdout.readline().split()[-1]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def visit(browser: Browser, address: str, **options: Any) -> Page:
    """A page of somebody with a browser of their own."""
    settings: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
    page = browser.new_context(**(settings | options)).new_page()
    page.set_default_timeout(PATIENCE)
    told: list[str] = []
    page.troubles = told  # type: ignore[attr-defined]
    page.on("pageerror", lambda error: told.append(str(error)))
    page.on("console", lambda message: told.append(message.text) if message.type == "error" else None)
    page.goto(address)
    return page


def live_address(server: Server) -> str:
    return server.address.replace("/?", "/live?")


def leave(*pages: Page) -> None:
    for page in pages:
        assert troubles(page) == []
        page.context.close()


def is_within(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_a_tournament_is_watched_from_near_and_from_far(server: Server, browser: Browser, store: Path) -> None:
    page = visit(browser, live_address(server))
    rows = page.get_by_role("group", name="Standings").locator("tbody tr")
    expect(rows).to_have_count(len(AGENTS))
    assert page.url.endswith("/live"), "the token has left the address"
    first = page.locator(".cross button").first
    first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#games-of-two")).to_be_focused()
    expect(page.locator("#games-of-two + ol a")).to_have_count(4)
    with Store(store) as games:  # another process plays on
        run_plan(plan_match("random", "minimax(depth=1)", Rules(4), 2, "random(2)", Conditions()), games, Here())
    expect(rows).to_have_count(len(AGENTS) + 1)
    expect(page.locator("#games-of-two")).to_be_focused()
    reasons = page.get_by_role("region", name="Why they lost").locator("a")
    expect(reasons.first).to_be_visible(timeout=5 * PATIENCE)  # reviews let everybody else go first
    page.keyboard.press("f")
    expect(page.locator("header")).to_be_hidden()
    size = float(page.locator(".name").first.evaluate("one => parseFloat(getComputedStyle(one).fontSize)"))
    assert size >= 24 and page.evaluate("document.querySelector('main').scrollHeight <= innerHeight"), size
    page.mouse.move(300, 300)
    expect(page.locator("#leave")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("header")).to_be_visible()
    reasons.first.click()
    page.wait_for_selector(".connection.open", state="attached")
    assert page.locator("#seat-black .who").inner_text() in (*AGENTS, "minimax(depth=1)")
    reviewed = """import("/static/table.js").then(({table}) => table.tree.line().every(({review}) => review))"""
    assert page.evaluate(reviewed), "the link carries the review"
    leave(page)


def move(page: Page, how: str) -> None:
    """Makes the first legal move by mouse, by keyboard or by finger."""
    square = page.locator("#board .square.legal").first
    if how == "mouse":
        square.click()
    elif how == "touch":
        square.tap()
    else:
        page.locator("#board [tabindex='0']").focus()
        page.keyboard.press("l")
        page.keyboard.press("Enter")


def next_to_move(*players: Page) -> Page | None:
    """Who has the move; None when the game is over."""
    until(players[0], "!/Waiting|seat/.test(document.getElementById('status').textContent)")
    return next((page for page in players if page.locator("#board .legal").count()), None)


def test_two_browsers_play_in_a_room_and_a_third_watches(server: Server, browser: Browser, room: str) -> None:
    owner = visit(browser, server.address)
    owner.wait_for_selector(".connection.open", state="attached")
    owner.goto(room.partition("?")[0])
    owner.get_by_role("combobox", name="Board").select_option("4")
    expect(owner.locator("#rules")).to_contain_text("4 × 4")
    friend, watcher = visit(browser, room, **PHONE), visit(browser, room)
    owner.get_by_label("Your name").fill("Ann")
    owner.get_by_role("button", name="Play black").click()
    friend.get_by_label("Your name").fill("Bob")
    friend.get_by_role("button", name="Play white").tap()
    expect(owner.locator("#status")).to_have_text("Your move")
    assert "room/" in friend.get_by_label("Link").input_value() and friend.url.partition("?")[1] == ""
    expect(watcher.locator("#board .square.legal")).to_have_count(0)
    move(owner, "mouse")
    expect(friend.locator("#status")).to_have_text("Your move")
    friend.reload()
    expect(friend.locator("#status")).to_have_text("Your move")
    ways = {owner: "keyboard", friend: "touch"}
    while mover := next_to_move(owner, friend):
        before = mover.locator("#moves").inner_text()
        move(mover, ways[mover])
        for page in (owner, friend, watcher):
            expect(page.locator("#moves")).not_to_have_text(before)
    for page in (owner, friend, watcher):
        expect(page.locator("#status")).to_have_text(owner.locator("#status").inner_text())
        assert is_within(page)
    watcher.set_viewport_size({"width": 640, "height": 400})  # a laptop at 200 %
    expect(watcher.locator("#board .square").last).to_be_in_viewport()
    assert watcher.locator("#actions button").count() == 0 and friend.locator("#review").count() == 0
    owner.get_by_role("button", name="Another game").click()
    friend.get_by_role("button", name="Another game").tap()
    expect(friend.locator("#status")).to_have_text("Your move")
    owner.click("#end-room")
    for page in (owner, friend, watcher):
        expect(page.locator("#status")).to_have_text("The room has ended")
    leave(owner, friend, watcher)


@with_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_them(server: Server, browser: Browser, scheme: str) -> None:
    page = visit(browser, live_address(server), color_scheme=scheme)
    page.locator(".cross button").first.click()
    for width in (1280, 640, 390):  # 640: 1280 at 200 %
        page.set_viewport_size({"width": width, "height": 800})
        assert is_within(page), width
    found = [("live", judged(page))]
    page.keyboard.press("f")
    found.append(("projector", judged(page)))
    page.keyboard.press("Escape")
    page.goto(server.origin)
    page.click("#open-new")
    page.get_by_role("button", name="Play a friend").click()
    page.get_by_role("button", name="Play black").click()
    expect(page.locator("#status")).to_have_text("Waiting for somebody")
    for width in (390, 640, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert is_within(page), width
    found.append(("room", judged(page)))
    assert all(not bad for _, bad in found), found
    page.click("#end-room")
    expect(page.locator("#status")).to_have_text("The room has ended")
    leave(page)


def judged(page: Page) -> list[Any]:
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return [(rule["id"], [node["html"] for node in rule["nodes"]][:3]) for rule in found]
