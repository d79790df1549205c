"""Openings on the page in a real browser: names, the explorer, the book's trainer, and Back, which closes dialogs.

Needs Debian's Chromium, and axe-core for one test; `make test` fetches both where it can.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from browser import (
    AXE,
    IN_BROWSER,
    address_of,
    chromium,
    open_page,
    position_of,
    troubles,
    until,
    walked_to,
    with_axe,
)
from outflank.board import Position
from outflank.book import opening_book
from outflank.explorer import Explorer
from outflank.formats import write_ggf
from outflank.game import Game
from test_openings import named_games
from web_client import Server, serving

pytestmark = IN_BROWSER


@pytest.fixture(scope="module")
def games() -> list[Game]:
    """Games of two people with openings that have names."""
    named = named_games()
    return [
        Game.of(None, game.moves, black=f"Ada {number % 2}", white="Bob", date=str(1990 + number))
        for number, game in enumerate(named)
    ]


@pytest.fixture(scope="module")
def server(games: list[Game], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    club = tmp_path_factory.mktemp("games") / "club.ggf"
    club.write_text("\n".join(map(write_ggf, games)))
    with serving("--collection", str(club)) as server:
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def opened(server: Server, browser: Browser, place: str = "", **options: Any) -> Page:
    return open_page(browser, server.address + place, **options)


def square(page: Page, name: str, board: str = "board") -> Any:
    return page.locator(f'#{board} [data-square="{name}"]')


def test_the_opening_is_named_while_one_plays(server: Server, browser: Browser) -> None:
    page = opened(server, browser, "#view=analyse&rules=standard-8x8")
    expect(page.locator("#opening")).to_have_text("")
    for name in ("d3", "c5", "f6", "f5", "e6"):  # the Tiger in a mirror image
        square(page, name).click()
    expect(page.locator("#opening")).to_have_text(" · Tiger")
    page.keyboard.press(",")
    page.keyboard.press(",")
    page.keyboard.press(",")
    expect(page.locator("#opening")).to_have_text(" · Perpendicular")
    assert troubles(page) == []
    page.context.close()


def test_a_collection_is_explored_by_mouse(server: Server, browser: Browser, games: list[Game]) -> None:
    page = opened(server, browser, "#view=analyse&rules=standard-8x8&moves=f5")
    page.click("#tab-openings")
    index = Explorer.of(games)
    here = index.at(Position.after("f5"))
    expect(page.locator("#explorer-state")).to_contain_text(f"{len(games)} of {len(games)} games")
    shown = page.locator("#explorer-moves tr").first.locator("td").all_inner_texts()
    assert shown[0] == str(here[0].move) and shown[1] == str(here[0].games)
    assert "book" in shown[4], "the book has a value for it"
    expect(square(page, str(here[0].move)).locator(".note")).to_have_text(f"{round(100 * here[0].games / len(games))}%")
    page.locator("#explorer-moves button").first.click()
    assert walked_to(page) == Position.after("f5").play(here[0].move)
    after = index.at(Position.after("f5").play(here[0].move), player="ada 1")
    page.locator(".explorer-filters summary").click()
    page.get_by_label("Player").fill("ada 1")
    expect(page.locator("#explorer-state")).to_contain_text(f"{sum(one.games for one in after)} of {len(games)} games")
    page.locator(".explorer-list summary").click()
    expect(page.locator("#explorer-range")).to_contain_text("games")
    before = position_of(page)
    page.locator("#explorer-games button").first.click()
    expect(page.locator("#seat-black .who")).to_have_text("Ada 1")
    assert walked_to(page) == before, "the game is opened where it was found"
    page.click("#go-last")
    assert walked_to(page).is_over
    page.go_back()
    expect(page.locator("#seat-black .who")).to_have_text("Person")
    assert walked_to(page) == before
    assert troubles(page) == []
    page.context.close()


def test_files_are_brought_and_explored_by_keyboard_alone(
    server: Server, browser: Browser, games: list[Game], tmp_path: Path
) -> None:
    file = tmp_path / "mine.ggf"
    file.write_text("\n".join(map(write_ggf, games[:3])))
    page = opened(server, browser, "#view=analyse&rules=standard-8x8")
    page.locator("#tab-values").focus()
    page.keyboard.press("ArrowLeft")  # the tabs go round
    expect(page.locator("#tab-openings")).to_be_focused()
    with page.expect_file_chooser() as chooser:
        page.locator("#explorer-add").focus()
        page.keyboard.press("Enter")
    chooser.value.set_files(str(file))
    expect(page.locator("#explorer-state")).to_contain_text("3 of 3 games")
    expect(page.locator("#explorer-collection")).to_have_value("mine.ggf")
    page.locator("#explorer-moves button").first.focus()
    page.keyboard.press("Enter")
    assert walked_to(page).empties == 59
    bad = tmp_path / "bad.txt"
    bad.write_text("good evening")
    page.locator("input[type=file][multiple]").set_input_files(str(bad))
    expect(page.locator("#explorer-state")).to_contain_text("neither a game nor a position")
    assert troubles(page) == []
    page.context.close()


def test_the_book_is_trained_by_finger(server: Server, browser: Browser) -> None:
    book = opening_book(Position.start().rules)
    assert book is not None
    page = opened(
        server, browser, "#view=train&rules=standard-8x8", viewport={"width": 390, "height": 740}, has_touch=True
    )
    page.get_by_label("Train with").select_option("standard 8x8")
    for number in (0, 1):
        entry = book.drill(number)
        best, *_, worst = book.at(entry.position)
        expect(page.locator("#train-told")).to_contain_text("Guess the book's move")
        guess = worst if number else best
        square(page, str(guess.move), "train-board").tap()
        equal = "is the book's move" if guess == best else "is as good as"
        told = "gives away" if best.value - guess.value >= 0.5 else equal
        expect(page.locator("#train-told")).to_contain_text(told)
        assert page.locator("#train-board .noted").count() == len(book.at(entry.position))
        page.locator("#train-next").tap()
    expect(page.locator("#train-count")).to_contain_text("3 problems")
    page.reload()
    expect(page.locator("#train-told")).to_contain_text("Guess the book's move")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert troubles(page) == []
    page.context.close()


def test_back_closes_a_dialog_and_nothing_else(server: Server, browser: Browser) -> None:
    page = opened(server, browser, "#view=analyse&rules=standard-8x8&moves=f5d6")
    page.keyboard.press("1")
    page.keyboard.press("2")
    before = address_of(page)
    for button in ("help", "open-new"):
        page.click(f"#{button}")
        page.wait_for_selector("dialog[open]")
        page.go_back()
        page.wait_for_selector("dialog[open]", state="detached")
        assert address_of(page) == before
    page.click("#help")
    page.keyboard.press("Escape")  # closed otherwise: Back then leads to the view before
    page.wait_for_selector("dialog[open]", state="detached")
    until(page, "!history.state?.dialog")
    page.go_back()
    expect(page.locator("html")).to_have_attribute("data-view", "play")
    page.go_forward()
    expect(page.locator("html")).to_have_attribute("data-view", "analyse")
    page.click("#open-new")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_selector("dialog[open]", state="detached")
    expect(page.locator("#ply")).to_have_text("Start")
    page.go_back()  # the game before, at once
    expect(page.locator("#ply")).to_have_text("Move 2 of 2")
    assert troubles(page) == []
    page.context.close()


@with_axe
def test_axe_finds_nothing_serious_in_openings(server: Server, browser: Browser) -> None:
    page = opened(server, browser, "#view=analyse&rules=standard-8x8&moves=f5", viewport={"width": 390, "height": 740})
    page.click("#tab-openings")
    expect(page.locator("#explorer-moves button").first).to_be_visible()
    page.locator(".explorer-filters summary").click()
    page.locator(".explorer-list summary").click()
    expect(page.locator("#explorer-games button").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.evaluate(AXE.read_text())
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
        bad = [(rule["id"], [node["html"] for node in rule["nodes"]][:3]) for rule in found]
        assert bad == [], scheme
    page.context.close()
