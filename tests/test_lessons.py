"""Lessons in a real browser: searches step by step by mouse, keyboard and touch, links, tables, colours, axe."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from browser import AXE, IN_BROWSER, chromium, open_page, troubles, until, with_axe
from outflank.agents import agent
from outflank.board import Position
from outflank.tracing import MinimaxTrace, trace
from web_client import Server, serving

pytestmark = IN_BROWSER


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def lesson(server: Server, browser: Browser, link: str, **options: Any) -> Page:
    """A page opened by a link to a lesson, its trees drawn."""
    page = open_page(browser, f"{server.address}#{link}", **options)
    page.wait_for_selector("#lessons .lesson-svg .node")
    return page


def close(page: Page) -> None:
    page.context.close()
    assert troubles(page) == []


def figure(page: Page, pane: str, name: str) -> str:
    """A number of a search."""
    return page.locator(f"[aria-label='Search {pane}'] .facts div", has_text=name).locator("dd").inner_text()


def step_of(page: Page) -> str:
    return page.inner_text("#lesson-count")


def test_alpha_beta_by_mouse(server: Server, browser: Browser) -> None:
    """From the list to a cut and its reason, to the end, back, and to a link that shows the same."""
    page = open_page(browser, server.address)
    page.click("nav [data-view=lessons]")
    page.get_by_role("link", name="Not looking: alpha-beta").click()
    page.click("#lesson-cut")
    sentence = page.inner_text("#lesson-sentence")
    assert "Cut off: " in sentence and "Not looked at: " in sentence
    page.locator(".lesson-svg .node.cut").first.hover()
    expect(page.locator("#lesson-facts")).to_contain_text("already has a move elsewhere")
    page.click("#lesson-last")
    position = Position.after("e4e5e6d2c2f6", "standard 6x6")
    for pane, order in (("A", "none"), ("B", "positional")):
        decided = agent(f"minimax(depth=3, order={order}, eval=positional)").choose(position)
        assert figure(page, pane, "Positions in all") == str(decided.nodes)
        assert figure(page, pane, "Plays").startswith(f"{decided.move}, ")
    page.click("#lesson-back")
    step = step_of(page).split()[1]
    until(page, "step => location.hash.endsWith(`step=${step}`)", step)
    page.keyboard.press("f")
    for part in ("header", ".lesson-text", ".lesson-table"):
        expect(page.locator(part)).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("header")).to_be_visible()
    link = page.evaluate("location.hash.slice(1)")
    again = lesson(server, browser, link, viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    expect(again.locator("#lesson-count")).to_have_text(step_of(page))
    expect(again.locator("#lesson-sentence")).to_be_in_viewport()
    assert again.inner_text("#lesson-sentence") == page.inner_text("#lesson-sentence")
    close(again)
    page.get_by_role("link", name="All lessons").click()
    expect(page.locator("#lessons-title")).to_be_visible()
    page.go_back()
    expect(page.locator("#lesson-title")).to_contain_text("alpha-beta")
    close(page)


def test_minimax_by_keyboard_with_a_table(server: Server, browser: Browser) -> None:
    """Steps by keys, a walk through the tree, and the same numbers in a table."""
    page = lesson(server, browser, "lesson=minimax")
    page.locator("#lesson-title").focus()
    page.keyboard.press("End")
    count = step_of(page)
    found = trace("minimax(depth=2, search=plain, eval=discs)", Position.after("c4b4a2", "standard 4x4"))
    assert isinstance(found, MinimaxTrace) and count == f"Step {len(found.events)} of {len(found.events)}"
    page.keyboard.press("ArrowLeft")
    assert step_of(page) != count
    page.keyboard.press("End")
    page.locator(".lesson-svg [role=treeitem]").first.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    focused = page.locator(".lesson-svg .node:focus")
    expect(focused).to_have_attribute("aria-level", "3")
    expect(page.locator("#lesson-facts")).to_contain_text("what the evaluation says")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(focused).to_have_attribute("aria-expanded", "false")
    page.get_by_text("The tree as a table").click()
    rows = page.locator(".lesson-table tbody tr")
    expect(rows).to_have_count(found.nodes)
    assert rows.first.inner_text().split()[0] == "root"
    assert f"{found.value:+d}".replace("-", "−") in rows.first.inner_text()
    close(page)


def test_uct_on_a_phone_by_touch(server: Server, browser: Browser) -> None:
    """Four steps of a simulation, the playout on the board, nothing wider than the screen."""
    page = lesson(server, browser, "lesson=uct", viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth && innerWidth === 390")
    for word in ("Select", "Expand", "Play out", "Credit"):
        page.locator("#lesson-next").tap()
        expect(page.locator("#lesson-sentence")).to_contain_text(word)
    line = page.get_by_label("Move of the playout")
    line.fill("3")
    expect(page.locator("#lesson-caption")).to_contain_text("move 3 of")
    page.locator("#lesson-last").tap()
    decided = agent("uct(playouts=120)").choose(Position.after("c2b2", "standard 6x6"), seed=1)
    assert figure(page, "A", "Plays") == str(decided.move)
    page.locator("#lesson-first").tap()
    page.locator(".lesson-svg .node").first.tap()
    expect(page.locator("#lesson-facts")).to_contain_text("simulations that came through this node")
    close(page)


def test_a_lesson_of_ones_own(server: Server, browser: Browser) -> None:
    """The position of the game, another search, played by itself; a link that names what is not there says so."""
    page = open_page(browser, f"{server.address}#view=analyse&rules=reversed-6x6&moves=c2b2")
    page.click("nav [data-view=lessons]")
    page.get_by_role("link", name="Asking chance").click()
    page.get_by_text("Set it up yourself").click()
    page.get_by_role("button", name="Take the position of the game").click()
    page.get_by_label("A: Playouts of every move").select_option("5")
    until(page, "text => location.hash.includes(text)", "&a=montecarlo(playouts=5,+playout=")  # for people to read
    page.get_by_role("button", name="Remove the second search").click()
    page.select_option("#lesson-speed", "very fast")
    page.click("#lesson-play")
    decided = agent("montecarlo(playouts=5)").choose(Position.after("c2b2", "reversed 6x6"), seed=1)
    expect(page.locator("[aria-label='Search A'] .facts")).to_contain_text("Plays")
    assert figure(page, "A", "Plays") == str(decided.move)
    page.goto(f"{server.address}#lesson=nonsense")
    expect(page.locator("#toast")).to_contain_text("no lesson “nonsense”")
    page.click("nav [data-view=play]")
    assert "reversed-6x6" in page.evaluate("location.hash")
    page.goto(f"{server.address}#lesson=minimax&a=random")
    expect(page.locator("[aria-label='Search A']")).to_contain_text("cannot be traced")
    close(page)


def test_every_set_up_of_the_lessons_can_be_traced(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.address)
    lessons = page.evaluate("import('/static/lesson-texts.js').then(({LESSONS}) => LESSONS)")
    close(page)
    assert [each["id"] for each in lessons] == ["minimax", "alphabeta", "evaluation", "montecarlo", "uct", "reversed"]
    sizes, traced = set(), set()
    for each in lessons:
        for setup in [each["setup"], *(each["setup"] | task.get("setup", {}) for task in each["tasks"])]:
            position = Position.after(setup.get("moves", ""), setup["rules"])
            sizes.add(position.rules.size)
            for key in ("a", "b"):
                asked = (setup.get(key), position.line(), position.rules.variant)
                if setup.get(key) and asked not in traced:
                    traced.add(asked)
                    assert trace(setup[key], position, setup.get("seed", 1)).events, (each["id"], setup)
    assert sizes == {4, 6, 8}


@with_axe
def test_axe_finds_nothing_in_the_lessons(server: Server, browser: Browser) -> None:
    page = open_page(browser, f"{server.address}#lesson=")
    page.evaluate(AXE.read_text())
    check_axe(page, "list")
    page.get_by_role("link", name="Not looking: alpha-beta").click()
    page.wait_for_selector("[aria-label='Search B'] .node")
    page.click("#lesson-cut")
    page.get_by_text("The tree as a table").click()
    expect(page.locator(".lesson-table caption")).to_have_text(["Nodes of tree A", "Nodes of tree B"])
    page.get_by_text("Set it up yourself").click()
    check_axe(page, "lesson")
    page.keyboard.press("f")
    check_axe(page, "projector")
    page.keyboard.press("f")
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    check_axe(page, "dark", ["color-contrast"])
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    strokes = page.locator(".lesson-svg .node rect").evaluate_all(
        "all => all.map(one => getComputedStyle(one).stroke + getComputedStyle(one).strokeDasharray)"
    )
    assert len(set(strokes)) >= 3, "what is cut, on the path and neither look different"
    close(page)


def check_axe(page: Page, place: str, rules: list[str] | None = None) -> None:
    page.wait_for_timeout(150)
    ask = "rules => axe.run({resultTypes: ['violations'], ...(rules && {runOnly: rules})})"
    found = page.evaluate(ask, rules)["violations"]
    bad = [
        (each["id"], [node["html"] for node in each["nodes"]][:3])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
    assert bad == [], place
