"""What the tests, measurements and screenshots of the page share: Debian's Chromium, and the page as people use it."""

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page, WebSocketRoute, expect, sync_playwright

from outflank.board import Move, Position, Rules, parse_moves
from outflank.formats import read_transcript
from outflank.search.solver import solve, solve_moves
from support import PERFECT_GAME, ROOT, wait_until

CHROMIUM = Path("/usr/bin/chromium")
_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]
PATIENCE = 60_000
"""Milliseconds to wait for anything; a busy machine compiles kernels meanwhile."""
expect.set_options(timeout=PATIENCE)

IN_BROWSER = [
    pytest.mark.compiled,
    pytest.mark.skipif(
        not CHROMIUM.exists(), reason="SKIPPED FOR LACK OF A BROWSER: apt install chromium, or make engines"
    ),
]
"""The marks of tests that open the page."""
AXE = ROOT / "build" / "axe.min.js"
with_axe = pytest.mark.skipif(not AXE.exists(), reason="SKIPPED FOR LACK OF AXE-CORE: make engines fetches it with npm")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=_OPTIONS)
        yield browser
        browser.close()


def open_page(browser: Browser, address: str, **options: Any) -> Page:
    """A page in a session of its own that tells its errors in `troubles`; animations are off unless asked for."""
    settings: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
    return open_tab(browser.new_context(**(settings | options)), address)


def open_tab(context: Any, address: str) -> Page:
    """Another tab of a session."""
    page: Page = context.new_page()
    page.set_default_timeout(PATIENCE)
    troubles: list[str] = []
    page.troubles = troubles  # type: ignore[attr-defined]
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    page.goto(address)
    page.wait_for_selector(".connection.open", state="attached")
    return page


def troubles(page: Page) -> list[str]:
    """What went wrong in a page: exceptions, refused styles and scripts, failed loads."""
    return page.troubles  # type: ignore[attr-defined, no-any-return]


class Line:
    """The socket of a page in our hands: what it says is noted, messages can be kept back, the line can be cut."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[dict[str, Any]] = []
        self.kept_back: set[str] = set()
        """Verbs that do not reach the server."""
        self.instead: dict[str, dict[str, Any]] = {}
        """Answers to verbs that do not reach the server."""
        self.verdicts = math.inf
        """How many verdicts of a review still come back."""
        self._is_cut = False
        self._socket: WebSocketRoute | None = None
        page.route_web_socket("**/ws", self._route)
        page.reload()
        page.wait_for_selector(".connection.open", state="attached")

    def _route(self, socket: WebSocketRoute) -> None:
        if self._is_cut:
            socket.close()
            return
        self._socket, beyond = socket, socket.connect_to_server()

        def says(text: str | bytes) -> None:
            message = json.loads(text)
            self.said.append(message)
            if message["do"] in self.instead:
                socket.send(json.dumps(self.instead[message["do"]] | {"id": message["id"], "last": True}))
            elif message["do"] not in self.kept_back:
                beyond.send(text)

        def hears(text: str | bytes) -> None:
            if "ply" in json.loads(text):
                self.verdicts -= 1
            if self.verdicts >= 0:
                socket.send(text)

        socket.on_message(says)
        beyond.on_message(hears)

    def cut(self) -> None:
        """Cuts the line and keeps it cut, until the page says so."""
        assert self._socket is not None
        self._is_cut = True
        self._socket.close()
        self.page.wait_for_selector("#lost:not([hidden])")

    def mend(self) -> None:
        """Lets everything through again, and the page try at once."""
        self._is_cut, self.kept_back, self.verdicts = False, set(), math.inf
        try_now(self.page)
        self.page.wait_for_selector("#lost", state="hidden")

    def asked(self, verb: str) -> list[dict[str, Any]]:
        """The requests of a kind so far."""
        return [message for message in self.said if message["do"] == verb]


def try_now(page: Page) -> None:
    """Has the page connect at once; where it was faster by itself, the button is hidden and does nothing."""
    page.evaluate("document.getElementById('retry').click()")


def differing(one: bytes, other: bytes) -> float:
    """The share of pixels that differ clearly between two pictures of one size."""
    pictures = [Image.open(BytesIO(picture)).convert("L") for picture in (one, other)]
    difference = ImageChops.difference(*pictures).histogram()
    return sum(difference[64:]) / sum(difference)


def walked_to(page: Page) -> Position:
    """The position after walking through a game, where the address follows within a moment."""
    page.evaluate(_UNTIL_ADDRESS_FOLLOWS, PATIENCE)
    return position_of(page)


_UNTIL_ADDRESS_FOLLOWS = """async patience => {
  const {address} = await import("/static/storage.js");
  for (const began = Date.now(); address() !== location.hash; await new Promise(done => setTimeout(done, 20)))
    if (Date.now() - began > patience) throw new Error(`the address is ${location.hash}, not ${address()}`);
}"""


def address_of(page: Page) -> str:
    """The address that the page itself sees; that of the browser may follow later."""
    return str(page.evaluate("location.href"))


def position_of(page: Page) -> Position:
    """The position that the address of the page names, played by our own rules."""
    fields = {key: value[0] for key, value in parse_qs(urlsplit(address_of(page)).fragment).items()}
    rules = Rules.parse(fields["rules"].replace("-", " "))
    start = Position.parse(fields["start"], rules.variant) if "start" in fields else Position.start(rules)
    for move, _ in parse_moves(fields.get("moves", ""), rules):
        start = start.play(move)
    return start


def cells_of(page: Page) -> str:
    """The discs that the page shows."""
    names = page.locator("#board .square").evaluate_all("squares => squares.map(square => square.className)")
    return "".join("X" if " black" in name else "O" if " white" in name else "-" for name in names)


def new_game(
    page: Page, *, size: int = 8, variant: str = "standard", black: str = "", white: str = "", name: str | None = None
) -> None:
    """Starts a game through the dialog; a side without an agent is a person, with a name where one is asked for."""
    page.click("#open-new")
    page.get_by_role("combobox", name="Board").select_option(str(size))
    page.locator(f"dialog[open] input[value={variant}]").check()
    for label, agent in (("Black, who begins", black), ("White", white)):
        choice = page.get_by_role("combobox", name=label, exact=True)
        choice.select_option("by-text" if agent else "person")
        if agent:
            page.get_by_label(f"{label}: agent as text").fill(agent)
    if name is not None:
        page.get_by_label("Your name, to record the game").fill(name)
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_selector("dialog[open]", state="detached")


def is_over(page: Page) -> bool:
    return bool(re.search("wins|draw", page.inner_text("#status")))


def until(page: Page, condition: str, arg: Any = None) -> None:
    """Until a condition holds in a page. Playwright's own `wait_for_function` asks again by `eval` from within the
    page, which its security policy refuses: it fails wherever the first answer is no."""
    wait_until(lambda: page.evaluate(condition, arg))


def wait_for_turn(page: Page) -> None:
    """Until a person may move or must pass, or the game is over."""
    until(
        page,
        """() => document.querySelector("#board .square.legal") || !document.getElementById("pass").disabled
                 || /wins|draw/.test(document.getElementById("status").textContent)""",
    )


def layout_shift(page: Page) -> float:
    """How much has jumped on a page without being asked to, as browsers measure it; below 0.1 is called good."""
    return float(page.evaluate(_SHIFTS))


_SHIFTS = """() => new Promise(done => {
  let sum = 0;
  const add = ({hadRecentInput, value}) => { if (!hadRecentInput) sum += value; };
  new PerformanceObserver(list => list.getEntries().forEach(add))
    .observe({type: "layout-shift", buffered: true});
  setTimeout(() => done(sum), 100);
})"""


def planted_blunder(empties: int) -> tuple[list[Move], int]:
    """The perfect game up to its end, except that one side threw it away at so many empty squares; and when."""
    moves: list[Move] = []
    position = Position.start()
    for move in read_transcript(PERFECT_GAME, position).moves:
        if position.empties <= empties and len(position.moves) > 1:
            worst = min(solve_moves(position, position.moves), key=lambda found: found.score or 0)
            best = solve(position)
            assert best.score is not None and worst.score is not None and best.score - worst.score >= 12
            ply = len(moves)
            assert worst.move is not None
            moves.append(position.rules.move(worst.move))
            position = position.play(worst.move)
            break
        moves.append(move)
        position = position.play(move)
    while not position.is_over:
        decided = position.moves[0] if len(position.moves) == 1 else solve(position).move
        assert decided is not None
        moves.append(position.rules.move(decided))
        position = position.play(decided)
    return moves, ply
