"""The page in Debian's Firefox: `make firefox`, or `python tests/firefox.py [DIRECTORY]` for pictures too.

Playwright drives a Firefox of its own only; this one is spoken to in its own protocol, WebDriver BiDi, which takes a
socket and a few lines. Every view is opened, a game is begun against an agent, a position is analysed and looked up,
a lesson is opened at a step, a store is watched live and projected, a room is opened and ended. Any error that the
console shows fails it.
"""

import base64
import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from websockets.sync.client import ClientConnection, connect

from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, plan_match
from outflank.arena.store import Store
from outflank.board import Rules
from outflank.execute import Here
from support import running
from web_client import serving

FIREFOX = Path("/usr/bin/firefox-esr")
PATIENCE = 120.0


class Firefox:
    """One tab."""

    def __init__(self, line: ClientConnection) -> None:
        self.line, self.number = line, 0
        self.errors: list[str] = []
        self.ask("session.new", capabilities={})
        self.ask("session.subscribe", events=["log.entryAdded"])
        [tab] = self.ask("browsingContext.getTree")["contexts"]
        self.tab = tab["context"]

    def ask(self, method: str, **params: Any) -> Any:
        """Does something, and notes what the console says meanwhile."""
        self.number += 1
        self.line.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            said = json.loads(self.line.recv(timeout=PATIENCE))
            if said.get("method") == "log.entryAdded" and said["params"]["level"] == "error":
                self.errors.append(str(said["params"]["text"]))
            if said.get("id") == self.number:
                assert said["type"] == "success", said
                return said["result"]

    def go(self, address: str) -> None:
        self.ask("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def run(self, script: str) -> Any:
        """The value of an expression."""
        found = self.ask(
            "script.evaluate", expression=script, target={"context": self.tab}, awaitPromise=True, userActivation=True
        )
        assert found["type"] == "success", found
        return found["result"].get("value")

    def until(self, condition: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not self.run(f"Boolean({condition})"):
            assert time.monotonic() < deadline, condition
            time.sleep(0.1)

    def click(self, selector: str) -> None:
        self.until(f"document.querySelector({selector!r})")
        self.run(f"document.querySelector({selector!r}).click()")

    def picture(self, path: Path) -> None:
        drawn = self.ask("browsingContext.captureScreenshot", context=self.tab)["data"]
        path.write_bytes(base64.b64decode(drawn))


@contextmanager
def firefox() -> Iterator[Firefox]:
    with TemporaryDirectory() as profile:
        command = [str(FIREFOX), "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
        with running(*command) as process:
            assert process.stderr is not None
            address = next(found[1] for line in process.stderr if (found := re.search(r"(ws://\S+)", line)))
            with connect(f"{address}/session", max_size=None) as line:
                yield Firefox(line)


def visit(page: Firefox, address: str, pictures: Path | None) -> None:
    """Every view, once."""

    def seen(name: str) -> None:
        sys.stdout.write(f"{name}\n")
        if pictures:
            page.picture(pictures / f"firefox-{name}.png")

    page.go(address)
    page.until("document.querySelector('.connection.open')")
    page.click("#board .square.legal")
    page.until("document.querySelectorAll('#moves button').length >= 2")  # the agent has answered
    seen("play")
    page.click("nav [data-view=analyse]")
    page.until("document.querySelector('#board .square.noted')")
    seen("analyse")
    page.click("#tab-openings")
    page.until("document.querySelector('#explorer-moves button')")
    seen("openings")
    page.click("nav [data-view=train]")
    page.until("document.querySelector('#train').childElementCount")
    seen("train")
    page.run("location.hash = 'lesson=alphabeta&step=20'")
    page.until("document.querySelectorAll('.lesson-svg .node').length > 4")
    seen("lesson")
    page.click("nav [data-view=games]")
    page.until("document.querySelector('#games-body tr')")
    seen("games")
    page.click("#games-live")
    page.until("location.pathname === '/live' && document.querySelector('.cross button')")
    page.click(".cross button")
    page.until("document.querySelector('#games-of-two + ol a')")
    seen("live")
    page.click("#projector")
    page.until("!document.querySelector('header').checkVisibility()")
    seen("projector")
    page.click("#leave")
    page.go(address)
    page.until("document.querySelector('.connection.open')")
    page.run("import('/static/invite.js').then(({invite}) => invite())")
    page.until("location.pathname.startsWith('/room/') && document.querySelector('#sit-card:not([hidden])')")
    page.click("#sit-black")
    page.until("/Waiting/.test(document.getElementById('status').textContent)")
    seen("room")
    page.click("#end-room")
    page.until("/ended/.test(document.getElementById('status').textContent)")


def main(pictures: Path | None) -> None:
    with TemporaryDirectory() as directory:
        store = Path(directory) / "cup.sqlite"
        with Store(store) as games:
            run_plan(plan_match("random", "greedy", Rules(4), 6, "random(2)", Conditions()), games, Here())
        with serving("--store", str(store)) as server, firefox() as page:
            visit(page, server.address, pictures)
            assert page.errors == [], page.errors


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
