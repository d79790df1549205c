"""How fast the page is, measured in a real browser on this machine: `python tests/page_speed.py`.

First paint and weight of a first visit, the time from a press on a square to the drawn board, updates of the analysis
per second, the longest frame and the longest task while two searches run. Nothing is asserted: figures depend on
machine and load.
"""

import json
import statistics
import sys
from typing import Any

from playwright.sync_api import Browser, Page

from browser import chromium, layout_shift, new_game, open_page
from support import PERFECT_GAME
from web_client import serving

_PAINT = """() => new Promise(done => new PerformanceObserver(list => done(list.getEntries()[0].startTime))
  .observe({type: "paint", buffered: true}))"""
_PRESS = """async square => {
  const button = document.querySelector(`[data-square="${square}"]`);
  const began = performance.now();
  button.click();
  await new Promise(requestAnimationFrame);
  await new Promise(done => setTimeout(done));
  return button.classList.contains("empty") ? NaN : performance.now() - began;
}"""
_WATCH = """seconds => new Promise(done => {
  let longest = 0, long = 0, last = performance.now(), updates = 0;
  const began = last;
  new MutationObserver(() => updates++).observe(document.getElementById("analysis-state"),
    {childList: true, characterData: true, subtree: true});
  const frame = now => {
    longest = Math.max(longest, now - last);
    long += now - last > 50;
    last = now;
    if (now - began < 1000 * seconds) requestAnimationFrame(frame);
    else done({longest, long, updates: updates / seconds});
  };
  requestAnimationFrame(frame);
})"""


def weigh(browser: Browser, address: str) -> tuple[int, int, int]:
    """Bytes on the wire, bytes unpacked and number of files of a first visit."""
    page = browser.new_page()
    answers: list[Any] = []
    page.on("requestfinished", lambda request: answers.append(request))
    page.goto(address)
    page.wait_for_selector(".connection.open", state="attached")
    sent = sum(request.sizes()["responseBodySize"] for request in answers)
    whole = sum(len(request.response().body()) for request in answers)
    page.close()
    return sent, whole, len(answers)


def first_paints(browser: Browser, address: str, times: int = 5) -> list[float]:
    """Milliseconds to the first paint, each in a session of its own."""
    found = []
    for _ in range(times):
        page = open_page(browser, address)
        found.append(float(page.evaluate(_PAINT)))
        page.context.close()
    return found


def press_times(page: Page) -> list[float]:
    """Milliseconds from a press to the drawn board, for twenty moves of two persons."""
    new_game(page)
    squares = [PERFECT_GAME[at : at + 2] for at in range(0, 40, 2)]
    return [float(page.evaluate(_PRESS, square)) for square in squares]


def frames_with_two_analysts(page: Page, address: str, seconds: int = 8) -> dict[str, float]:
    """The longest frame in milliseconds, frames above 50 ms and updates a second while two searches run; and the
    longest task of the page in milliseconds of its processor, which is what a frame costs where nobody else works."""
    page.goto(f"{address}#view=analyse&rules=standard-8x8&moves={PERFECT_GAME[:60]}")
    page.get_by_label("Second opinion", exact=True).select_option("by-text")
    page.get_by_label("Second opinion: agent as text").fill("uct(playouts=100000000)")
    page.get_by_label("Second opinion: agent as text").press("Tab")
    page.wait_for_selector("#opinions-body tr")
    browser = page.context.browser
    assert browser is not None
    browser.start_tracing(page=page, categories=["toplevel", "devtools.timeline"])
    found: dict[str, float] = page.evaluate(_WATCH, seconds)
    return found | {"task": _longest_task(json.loads(browser.stop_tracing())["traceEvents"])}


def _longest_task(events: list[dict[str, Any]]) -> float:
    """Milliseconds of the processor that the longest task on the main thread of a page took."""
    names = {(each["pid"], each["tid"]): each["args"]["name"] for each in events if each["name"] == "thread_name"}
    tasks = [each for each in events if "RunTask" in each["name"] and "tdur" in each]
    return max(
        float(each["tdur"]) / 1000 for each in tasks if names.get((each["pid"], each["tid"])) == "CrRendererMain"
    )


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main() -> None:
    with serving() as server, chromium() as browser:
        sent, whole, files = weigh(browser, server.address)
        tell(f"page weight      {sent / 1000:.0f} kB sent, {whole / 1000:.0f} kB unpacked, {files} files")
        paints = first_paints(browser, server.address)
        tell(f"first paint      {statistics.median(paints):.0f} ms (median of {len(paints)}, worst {max(paints):.0f})")
        page = open_page(browser, server.address, reduced_motion="no-preference")
        times = press_times(page)
        tell(f"move to board    {statistics.median(times):.1f} ms (median of {len(times)}, worst {max(times):.1f})")
        watched = frames_with_two_analysts(page, server.address)
        shifts = layout_shift(page)
        tell(f"analysis         {watched['updates']:.1f} updates a second while two searches run")
        tell(f"layout shift     {shifts:.3f} in all, from the first visit to here")
        tell(f"longest frame    {watched['longest']:.0f} ms meanwhile, {watched['long']} above 50 ms")
        tell(f"longest task     {watched['task']:.0f} ms of the processor")


if __name__ == "__main__":
    main()
