"""Pictures of the page for the documents: `python tests/screenshots.py` writes docs/pictures/*.png.

Play, analyse, review, games, training, openings and their book, lessons, a tournament live and a room, in light, dark
and on a phone, with real agents, a store and games made on the spot. `python tests/screenshots.py live` takes some.
"""

import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, expect

from browser import PATIENCE, chromium, new_game, open_page, planted_blunder, wait_for_turn
from outflank.agents import agent
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, plan_pairings, round_robin
from outflank.arena.store import Store
from outflank.board import Rules, moves_text
from outflank.execute import Here
from outflank.formats import write_ggf
from outflank.game import Game
from outflank.named_openings import named_lines
from support import PERFECT_GAME, ROOT
from web_client import serving

PICTURES = ROOT / "docs" / "pictures"
LARGEST = 150_000
AGENTS = ("random", "greedy", "minimax(depth=3)", "uct(playouts=300)")
PHONE = {"width": 360, "height": 740}


def play(page: Page) -> None:
    new_game(page, white="minimax(depth=7, eval=positional)")
    for square in ("f5", "f6", "c4"):
        wait_for_turn(page)
        legal = page.locator(f'#board .square.legal[data-square="{square}"]')
        (legal if legal.count() else page.locator("#board .square.legal").first).click()
    wait_for_turn(page)
    page.locator("#board .square.legal").nth(2).hover()


def bring(page: Page, moves: str) -> None:
    """Pastes a game."""
    page.click("#open-paste")
    page.get_by_label("Text", exact=True).fill(moves)
    page.get_by_role("button", name="Read", exact=True).click()
    page.wait_for_selector("dialog[open]", state="detached")
    page.locator("#toast").evaluate("toast => toast.classList.remove('shown')")


def analyse(page: Page) -> None:
    bring(page, PERFECT_GAME[:72])
    page.wait_for_selector("#board .square.noted")
    page.get_by_label("Second opinion", exact=True).select_option("by-text")
    page.get_by_label("Second opinion: agent as text").fill("uct(playouts=20000)")
    page.get_by_label("Second opinion: agent as text").press("Enter")
    page.wait_for_timeout(4000)
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")


def review(page: Page) -> None:
    bring(page, moves_text(planted_blunder(empties=14)[0]))
    page.click("#tab-review")
    page.click("#review-start")
    expect(page.locator("#review-state")).to_contain_text("Review finished", timeout=5 * PATIENCE)
    page.get_by_role("button", name="blunder").last.click()


def games(page: Page) -> None:
    page.click("nav [data-view=games]")
    page.wait_for_selector("#games-list table")


def train(page: Page) -> None:
    page.click("nav [data-view=train]")
    page.get_by_label("Train with").select_option("8")
    expect(page.locator("#train-told")).to_contain_text("One move is better")


def lessons(page: Page) -> None:
    page.click("nav [data-view=lessons]")
    page.wait_for_selector("#lessons-title")


def lesson(link: str) -> Callable[[Page], None]:
    """A lesson at a step of its link."""

    def show(page: Page) -> None:
        if page.viewport_size != PHONE:
            page.set_viewport_size({"width": 1600, "height": 900})
        page.evaluate("link => { location.hash = link; }", f"lesson={link}")
        page.wait_for_selector("#lessons .lesson-svg .node")
        page.wait_for_timeout(2000)
        if page.viewport_size == PHONE:
            page.locator("#lesson-play").evaluate("button => button.scrollIntoView()")
        page.evaluate("document.activeElement.blur()")

    return show


def openings(page: Page) -> None:
    page.evaluate("location.hash = '#view=analyse&rules=standard-8x8&moves=f5d6c3'")
    page.click("#tab-openings")
    expect(page.locator("#explorer-state")).to_contain_text("went on from here")
    page.locator(".explorer-list summary").click()
    page.wait_for_timeout(3000)
    page.evaluate("document.activeElement.blur()")
    page.locator(".tabs").evaluate("tabs => scrollBy(0, tabs.getBoundingClientRect().top - 20)")


def book(page: Page) -> None:
    page.click("nav [data-view=train]")
    page.get_by_label("Train with").select_option("standard 8x8")
    for _ in range(6):
        expect(page.locator("#train-told")).to_contain_text("Guess the book's move")
        page.locator("#train-board .legal").first.click()
        expect(page.locator("#train-told")).to_contain_text("It comes back")
        page.locator("#train-next").click()
    page.locator("#train-board .legal").first.click()
    expect(page.locator("#train-told")).to_contain_text("It comes back")


def live(page: Page) -> None:
    page.goto(f"{page.url.partition('#')[0]}live")
    page.get_by_role("region", name="Why they lost").locator("a").nth(4).wait_for()


def projector(page: Page) -> None:
    live(page)
    page.keyboard.press("f")


def room(page: Page) -> None:
    page.click("#open-new")
    page.get_by_role("button", name="Play a friend").click()
    friend = page.context.new_page()
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="Play black").click()
    friend.goto(page.get_by_label("Link", exact=True).input_value())
    friend.get_by_label("Your name").fill("Ben")
    friend.get_by_role("button", name="Play white").click()
    for mover in (page, friend, page, friend, page, friend):
        expect(mover.locator("#status")).to_have_text("Your move")
        mover.locator("#board .square.legal").nth(1).click()
    expect(page.locator("#status")).to_have_text("Your move")


VIEWS: dict[str, Callable[[Page], None]] = {
    "lessons": lessons,
    "lesson-alphabeta": lesson("alphabeta&step=46"),
    "lesson-uct": lesson("uct&step=123"),
    "play": play,
    "analyse": analyse,
    "review": review,
    "games": games,
    "train": train,
    "openings": openings,
    "book": book,
    "live": live,
    "projector": projector,
    "room": room,
}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {"color_scheme": "light", "viewport": PHONE},
}


def make_store(path: Path) -> None:
    """A small tournament."""
    pairings = round_robin([agent(text).text for text in AGENTS])
    with Store(path) as store:
        run_plan(plan_pairings(pairings, [Rules(6)], 5, "random(4)", Conditions()), store, Here())


def club_games() -> list[Game]:
    """Games of three people from openings that have names."""
    player, names, games = agent("greedy(ties=random)"), ("Ada", "Bob", "Cleo"), []
    for number, (moves, _) in enumerate(named_lines() * 2):
        game = Game.of(None, moves)
        while not game.end.is_over:
            game = game.play(player.choose(game.end, seed=number).move)
        seats = {"black": names[number % 3], "white": names[(number + 1 + number % 2) % 3]}
        games.append(Game.of(None, game.moves, **seats, date=str(1990 + number % 30)))
    return games


def take(browser: Browser, address: str, view: str, look: str) -> None:
    page = open_page(browser, address, **LOOKS[look])
    VIEWS[view](page)
    path = PICTURES / f"{view}-{look}.png"
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    page.context.close()
    picture.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(path, optimize=True)
    size = path.stat().st_size
    sys.stdout.write(f"{path.name:20} {size / 1000:.0f} kB{'  TOO LARGE' if size > LARGEST else ''}\n")


def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as directory:
        store = Path(directory) / "cup.sqlite"
        make_store(store)
        club = Path(directory) / "club.ggf"
        club.write_text("\n".join(map(write_ggf, club_games())))
        with serving("--store", str(store), "--collection", str(club)) as server, chromium() as browser:
            for view in sys.argv[1:] or VIEWS:
                for look in LOOKS:
                    take(browser, server.address, view, look)


if __name__ == "__main__":
    main()
