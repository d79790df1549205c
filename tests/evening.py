"""An evening at the page in one go, in real browsers: `make evening`, or `python tests/evening.py`.

A game is played by mouse and thrown away, reviewed, the blunder trained, its opening looked up in a collection, the
game shared and opened from its link; a match of two bots, which another process plays, is watched live, also as on a
projector; a friend joins a room from a browser of their own, and the two play while a telephone watches. Then all of
it again. No console may have an error, and memory must stay flat: what page and server hold after the second round (the
first loads what is opened) is compared with what they hold after the last. Last the longest frame is measured while two
analysts run; that depends on machine and load and is told, and its share of the processor is judged.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, Page, expect

from browser import PATIENCE, chromium, new_game, open_page, open_tab, planted_blunder, troubles
from outflank.board import Position
from outflank.formats import read_transcript, write_ggf
from outflank.game import Game
from outflank.search.solver import solve
from page_speed import frames_with_two_analysts
from support import PERFECT_GAME, running
from web_client import Server, serving

MOST_MEGABYTES = {"page": 1.5, "server": 25.0}
"""By which all rounds after the second may leave each larger. The hands that press leave some: a hundred presses of
Playwright on nothing 0.02 to 0.15 MB, sixty games by a script 0.03 MB after the tenth."""
expect.set_options(timeout=PATIENCE)


class Evening:
    """The page of somebody at home, and what happens in it."""

    def __init__(self, browser: Browser, server: Server, live: str) -> None:
        self.browser, self.server, self.live = browser, server, live
        self.page = open_page(browser, server.address)
        self.moves, self.ply = planted_blunder(empties=10)

    def play_and_blunder(self) -> None:
        self.page.keyboard.press("1")
        new_game(self.page)
        for move in self.moves:
            if str(move) == "pass":
                self.page.click("#pass")
            else:
                self.page.locator(f'#board .square.legal[data-square="{move}"]').click()
        expect(self.page.locator("#review-game")).to_be_visible()

    def review(self) -> None:
        self.page.click("#review-game")
        expect(self.page.locator("#review-state")).to_contain_text("Review finished", timeout=5 * PATIENCE)
        expect(self.page.locator("#review-list")).to_contain_text("Blunder")

    def train_the_blunder(self) -> None:
        page = self.page
        page.keyboard.press("4")
        told = page.locator("#train-told")
        expect(told).not_to_be_empty()
        if "you played" not in told.inner_text():
            return  # solved in an earlier round; it comes back another day
        before = Game.of(Position.start(), self.moves[: self.ply]).end
        best = solve(before).move
        assert best is not None
        page.locator(f'#train-board [data-square="{before.rules.move(best)}"]').click()
        expect(told).to_contain_text("is right")

    def look_the_opening_up(self) -> None:
        """The beginning of the game in a collection and in the book; a game that began so is opened, and left again."""
        page = self.page
        page.keyboard.press("2")
        page.click("#tab-openings")
        page.click("#go-first")
        for _ in range(3):
            page.click("#go-next")
        expect(page.locator("#explorer-state")).to_contain_text("went on from here")
        expect(page.locator("#explorer-moves")).to_contain_text("book")
        games = page.locator(".explorer-list")
        if games.get_attribute("open") is None:
            games.locator("summary").click()
        games.get_by_role("button", name="Open Ada against Bob").first.click()
        expect(page.locator("#seat-black .who")).to_have_text("Ada")
        page.go_back()
        expect(page.locator("#seat-black .who")).not_to_have_text("Ada")
        page.click("#go-last")

    def share(self) -> None:
        page = self.page
        page.keyboard.press("2")
        page.click("#open-share")
        expect(page.locator('input[name="transcript"]')).not_to_have_value("")
        address = page.locator('input[name="link"]').input_value()
        page.keyboard.press("Escape")
        other = open_tab(page.context, address)
        other.click("#tab-review")
        expect(other.locator("#review-list")).to_contain_text("Blunder")
        self._close(other)

    def watch_a_match_of_bots(self) -> None:
        page = self._visit(self.live)
        text = page.locator("#progress-text")
        expect(text).to_contain_text("game")
        before = text.inner_text()
        if "finished" not in before:
            expect(text).not_to_have_text(before)
        page.keyboard.press("f")
        expect(page.locator("header")).to_be_hidden()
        page.keyboard.press("Escape")
        self._close(page)

    def join_from_a_second_browser(self) -> None:
        home = open_tab(self.page.context, self.server.address)
        home.click("#open-new")
        home.get_by_role("button", name="Play a friend").click()
        home.wait_for_selector("#invite-card:not([hidden])")
        link = home.get_by_label("Link", exact=True).input_value()
        friend, phone = self._visit(link), self._visit(link, viewport={"width": 390, "height": 800}, has_touch=True)
        home.get_by_role("combobox", name="Board").select_option("4")
        expect(friend.locator("#rules")).to_contain_text("4 × 4")
        home.get_by_role("button", name="Play black").click()
        friend.get_by_role("button", name="Play white").click()
        for mover in (home, friend, home, friend):
            expect(mover.locator("#status")).to_have_text("Your move")
            mover.locator("#board .square.legal").first.click()
        expect(phone.locator("#moves")).to_contain_text("2.")
        home.click("#end-room")
        for page in (friend, phone):
            expect(page.locator("#status")).to_have_text("The room has ended")
            self._close(page)
        self._close(home)

    def _visit(self, address: str, **options: Any) -> Page:
        """A page of somebody else, in a browser of their own."""
        page = self.browser.new_context(reduced_motion="reduce", **options).new_page()
        told: list[str] = []
        page.troubles = told  # type: ignore[attr-defined]
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on("console", lambda message: told.append(message.text) if message.type == "error" else None)
        page.goto(address)
        return page

    def _close(self, page: Page) -> None:
        assert troubles(page) == [], troubles(page)
        if page.context is self.page.context:
            page.close()
        else:
            page.context.close()

    @property
    def steps(self) -> list[Callable[[], None]]:
        return [
            self.play_and_blunder,
            self.review,
            self.train_the_blunder,
            self.look_the_opening_up,
            self.share,
            self.watch_a_match_of_bots,
            self.join_from_a_second_browser,
        ]

    def megabytes(self) -> float:
        """What scripts of the page hold, after a collection."""
        session = self.page.context.new_cdp_session(self.page)
        session.send("HeapProfiler.collectGarbage")
        used = float(session.send("Runtime.getHeapUsage")["usedSize"])
        session.detach()
        return used / 1e6


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def club(path: Path) -> Path:
    """A collection whose games begin like the one of the evening."""
    moves = read_transcript(PERFECT_GAME, Position.start()).moves
    path.write_text(write_ggf(Game.of(None, moves, black="Ada", white="Bob", date="1999")))
    return path


def main(rounds: int) -> None:
    with TemporaryDirectory() as directory, chromium() as browser:
        match = [sys.executable, "-m", "outflank", "match", "heuristic", "greedy", "--size", "6", "--games", "100000"]
        match += ["--workers", "1", "--quiet", "--live", "--port", "0", "--store", str(Path(directory) / "bots.db")]
        collection = str(club(Path(directory) / "club.ggf"))
        with running(*match) as bots, serving("--host", "127.0.0.1", "--collection", collection) as server:
            assert bots.stderr is not None
            live = next(line.split()[-1] for line in bots.stderr if line.startswith("Watch it at"))
            evening = Evening(browser, server, live)
            held: dict[str, list[float]] = {"page": [], "server": []}
            for number in range(1, rounds + 1):
                for step in evening.steps:
                    began = time.monotonic()
                    step()
                    tell(f"round {number}, {step.__name__.replace('_', ' ')}: {time.monotonic() - began:.1f} s")
                assert troubles(evening.page) == [], troubles(evening.page)
                held["page"].append(evening.megabytes())
                held["server"].append(server.megabytes)
                now = ", ".join(f"{sizes[-1]:.2f} MB held by the {who}" for who, sizes in held.items())
                tell(f"round {number}: {now}")
            for who, sizes in held.items():
                assert sizes[-1] - sizes[1] < MOST_MEGABYTES[who], (who, sizes)
        with serving() as server:
            page = open_page(browser, server.address, reduced_motion="no-preference")
            watched = frames_with_two_analysts(page, server.address)
            tell(f"longest frame {watched['longest']:.0f} ms while two analysts run, {watched['long']} above 50 ms")
            tell(f"on {os.cpu_count()} processors with a load of {os.getloadavg()[0]:.1f}")
            tell(f"longest task of the page: {watched['task']:.0f} ms of the processor")
            assert watched["task"] < 50, watched
            assert troubles(page) == [], troubles(page)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    main(parser.parse_args().rounds)
