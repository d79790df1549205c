"""Pictures of the page for the documents: `python tests/screenshots.py` writes docs/pictures/*.png.

Play, analyse, review, games and training in light, dark and on a phone, with real agents and a store made on the spot.
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


VIEWS: dict[str, Callable[[Page], None]] = {
    "play": play,
    "analyse": analyse,
    "review": review,
    "games": games,
    "train": train,
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
        with serving("--store", str(store)) as server, chromium() as browser:
            for view in VIEWS:
                for look in LOOKS:
                    take(browser, server.address, view, look)


if __name__ == "__main__":
    main()
