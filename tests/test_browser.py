"""The page in a real browser, with a real server: whole games by mouse and by keyboard, analysis, tabs, restarts, axe.

Needs Debian's Chromium, and axe-core for one test; `make test` fetches both where it can.
"""

import json
import random
import re
from collections.abc import Iterator
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from browser import (
    AXE,
    IN_BROWSER,
    PATIENCE,
    Line,
    address_of,
    cells_of,
    chromium,
    differing,
    is_over,
    layout_shift,
    new_game,
    open_page,
    open_tab,
    planted_blunder,
    position_of,
    troubles,
    try_now,
    until,
    wait_for_turn,
    walked_to,
    with_axe,
)
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, plan_match
from outflank.arena.store import Store
from outflank.board import SIZES, Color, Position, Rules, moves_text
from outflank.execute import Here
from outflank.formats import read_all, read_transcript, write_ggf
from outflank.game import Game
from outflank.search.solver import solve, solve_moves
from outflank.studies.games import on_board
from support import PERFECT_GAME, every_variant
from web_client import Server, serving

pytestmark = IN_BROWSER
PLAYED = Game.of(Position.start("standard 4x4"), "b1a1a2", black="random", white="greedy")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few games of two agents."""
    path = tmp_path_factory.mktemp("store") / "cup.sqlite"
    with Store(path) as games:
        run_plan(plan_match("random", "greedy", Rules(4), 30, "random(2)", Conditions()), games, Here())
    return path


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of a match that is not finished."""
    path = tmp_path_factory.mktemp("running") / "match.sqlite"
    play_games(path, 2)
    return path


def play_games(path: Path, number: int) -> None:
    """Plays a match so far."""
    with Store(path) as games:
        run_plan(plan_match("random", "heuristic", Rules(4), number, "random(2)", Conditions()), games, Here())


@pytest.fixture(scope="module")
def server(store: Path, running: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    report = tmp_path_factory.mktemp("report")
    (report / "index.html").write_text("<title>A report</title><h1>A report</h1>")
    (report / "games").mkdir()
    (report / "games" / "one.html").write_text(f'<link rel="icon" href="data:,"><a href="{on_board(PLAYED)}">1</a>')
    with serving("--store", str(store), "--store", str(running), "--report", str(report)) as server:
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(server: Server, browser: Browser) -> Iterator[Page]:
    """A fresh page; nothing may go wrong in it."""
    page = open_page(browser, server.address)
    yield page
    page.context.close()
    assert troubles(page) == []


def linked(server: Server, browser: Browser, position: Position, moves: str = "", view: str = "analyse") -> Page:
    """A page opened by a link."""
    return open_page(browser, server.address + link(position, moves, view))


def link(position: Position, moves: str = "", view: str = "analyse") -> str:
    rules = str(position.rules).replace(" ", "-")
    return f"#view={view}&rules={rules}&start={position.line()}&moves={moves}"


# --- playing ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "variant"), [(8, "standard"), (6, "reversed")])
def test_a_whole_game_by_mouse(page: Page, size: int, variant: Any) -> None:
    new_game(page, size=size, variant=variant, white="minimax(depth=2, eval=positional)")
    while True:
        wait_for_turn(page)
        assert cells_of(page) == "".join(position_of(page).cells())
        if is_over(page):
            break
        if page.locator("#pass").is_enabled():
            page.click("#pass")
        else:
            page.locator("#board .square.legal").first.click()
    final = position_of(page)
    assert final.is_over and final.rules == Rules(size, variant)
    winner = final.winner
    assert page.inner_text("#status").startswith(str(winner).capitalize() if winner is not None else "A draw")
    discs = [page.inner_text(f"#seat-{color} .count") for color in ("black", "white")]
    assert discs == [str(final.discs(color)) for color in Color]


def test_a_level_is_rated_on_8x8_and_plays_on_every_board(page: Page) -> None:
    page.click("#open-new")
    white = page.get_by_role("combobox", name="White", exact=True)
    white.select_option("Newcomer")
    labels = {}
    for size in ("8", "4"):
        page.get_by_role("combobox", name="Board").select_option(size)
        labels[size] = white.locator("option:checked").inner_text()
    assert labels["8"].startswith("Newcomer · ") and labels["4"] == "Newcomer"
    page.get_by_role("button", name="Start", exact=True).click()
    page.locator("#board .square.legal").first.click()
    wait_for_turn(page)
    assert position_of(page).empties == 10 and page.inner_text("#seat-white .who") == "Newcomer"


def test_a_whole_game_by_keyboard_alone(page: Page) -> None:
    press = page.keyboard.press
    press("n")
    for wanted in ("Board", "White"):
        while page.evaluate("document.activeElement.labels?.[0]?.textContent") != wanted:
            press("Tab")
        for key in ["ArrowUp", "ArrowUp"] if wanted == "Board" else ["Home", "ArrowDown"]:
            press(key)
    while page.evaluate("document.activeElement.textContent") != "Start":
        press("Tab")
    press("Enter")
    expect(page.locator("dialog[open]")).to_have_count(0)
    assert position_of(page) == Position.start(Rules(4))
    while True:
        wait_for_turn(page)
        if is_over(page):
            break
        press("b")
        if page.locator("#pass").is_enabled():
            press("p")
            continue
        press("l")
        name = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert "empty, legal, turns" in name
        press("Enter")
        expect(page.locator(f'#board [data-square="{name[:2]}"]')).not_to_have_class("empty")
    assert position_of(page).is_over
    expect(page.locator("#announcer")).to_contain_text(page.inner_text("#status"))


def test_arrow_keys_walk_on_the_board_and_preview_what_a_move_turns(page: Page) -> None:
    page.locator('[data-square="d4"]').focus()
    page.keyboard.press("ArrowUp")
    focused = page.locator(":focus")
    expect(focused).to_have_attribute("aria-label", "d3, empty, legal, turns 1 disc")
    assert page.locator(".will-turn").evaluate_all("all => all.map(one => one.dataset.square)") == ["d4"]
    page.keyboard.press("Home")
    expect(page.locator(":focus")).to_have_attribute("aria-label", "a3, empty")
    assert page.locator('#board .square[tabindex="0"]').count() == 1


def test_undo_and_redo_and_another_move_makes_a_variation(page: Page) -> None:
    new_game(page, white="minimax(depth=1)")
    for _ in range(2):
        wait_for_turn(page)
        page.locator("#board .square.legal").first.click()
    wait_for_turn(page)
    after = address_of(page)
    page.keyboard.press("u")
    page.keyboard.press("u")
    assert walked_to(page) == Position.start()
    page.keyboard.press("r")
    page.keyboard.press("r")
    assert walked_to(page).empties == 56 and address_of(page) == after
    page.keyboard.press("u")
    page.locator("#board .square.legal").nth(1).click()
    wait_for_turn(page)
    assert address_of(page) != after
    assert page.locator(".variation").count() == 1


def stuck() -> Position:
    """A position of a random game in which the side to move must pass."""
    lot, position = random.Random(1), Position.start(Rules(4))
    while not position.must_pass:
        position = position.play(lot.choice(position.moves)) if position.moves else Position.start(Rules(4))
    return position


def test_passes_are_announced(server: Server, browser: Browser) -> None:
    position = stuck()
    side, other = (str(color).capitalize() for color in (position.turn, position.turn.other))
    page = linked(server, browser, position, view="play")
    expect(page.locator("#status")).to_have_text(f"{side} must pass")
    expect(page.locator("#board .square.legal")).to_have_count(0)
    page.click("#pass")
    expect(page.locator("#announcer")).to_contain_text(f"{side} passes")
    expect(page.locator("#status")).to_have_text(f"{other} to move")
    page.context.close()


def test_agents_play_each_other_with_pause_and_step(page: Page) -> None:
    new_game(page, size=4, black="random", white="greedy")
    page.click("#pause")
    page.wait_for_timeout(300)
    before = page.inner_text("#ply")
    page.click("#step")
    expect(page.locator("#ply")).not_to_have_text(before)
    after = page.inner_text("#ply")
    page.wait_for_timeout(300)
    assert page.inner_text("#ply") == after
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("#status")).to_have_text(re.compile("wins|draw"))


def test_a_clock_that_runs_out_loses_and_resigning_can_be_undone(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.address)
    page.clock.install()
    page.click("#open-new")
    page.get_by_role("combobox", name="White", exact=True).select_option("person")
    page.get_by_label("Clock").select_option("60+0")
    page.get_by_role("button", name="Start", exact=True).click()
    page.click('[data-square="d3"]')
    page.click("#resign")
    page.locator("dialog[open]").get_by_role("button", name="Resign").click()
    expect(page.locator("#status")).to_have_text("Black wins")
    page.keyboard.press("u")
    expect(page.locator("#status")).to_have_text("White to move")
    page.clock.run_for(61_000)
    expect(page.locator("#status")).to_have_text("Black wins")
    expect(page.locator("#status-more")).to_have_text("White ran out of time.")
    page.context.close()


def test_the_clock_stands_while_an_agent_is_prepared(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.address)
    waiting: list[Any] = []

    def route(socket: WebSocketRoute) -> None:
        beyond = socket.connect_to_server()

        def said(text: str | bytes) -> None:
            message = json.loads(text)
            if message["do"] == "think" and not waiting:
                reply = {"id": message["id"], "kind": "preparing", "what": "tree search", "done": 1, "total": 4}
                socket.send(json.dumps(reply))
                waiting.append(lambda: beyond.send(text))
            else:
                beyond.send(text)

        socket.on_message(said)

    page.route_web_socket("**/ws", route)
    page.reload()
    page.click("#open-new")
    page.get_by_role("combobox", name="White", exact=True).select_option("by-text")
    page.get_by_label("White: agent as text").fill("uct(playouts=50)")
    page.get_by_label("Clock").select_option("60+0")
    page.get_by_role("button", name="Start", exact=True).click()
    page.click('[data-square="d3"]')
    expect(page.locator("#thinking-title")).to_have_text("Preparing (first time only)")
    expect(page.locator("#status-more")).to_have_text("uct(playouts=50) is preparing (first time only).")
    expect(page.locator("#announcer")).to_have_text("uct(playouts=50): preparing (first time only).")
    assert page.locator("#thinking progress").evaluate("bar => bar.position") == 0.25
    page.wait_for_timeout(1500)
    expect(page.locator("#seat-white")).to_contain_text("1:00white preparing…")
    waiting[0]()
    expect(page.locator("#status")).to_have_text("Black to move")
    expect(page.locator("#thinking-title")).to_have_text("Thinking")
    assert troubles(page) == []
    page.context.close()


def test_bad_agents_are_refused_in_words(page: Page) -> None:
    page.click("#open-new")
    page.get_by_role("combobox", name="White", exact=True).select_option("by-text")
    for text, problem in (("nonsense(1)", "no agent is called 'nonsense'"), ("gtp(command=ls)", "gtp")):
        page.get_by_label("White: agent as text").fill(text)
        page.get_by_role("button", name="Start", exact=True).click()
        expect(page.locator("dialog[open] .trouble")).to_contain_text(problem)


def test_players_change_in_the_middle_of_a_game(page: Page) -> None:
    """Seats are pressed, sides swapped, hints taken; a game is given up, played again, reviewed, played on from."""
    new_game(page, size=6, white="greedy")
    page.locator("#board .square.legal").first.click()
    wait_for_turn(page)
    page.click("#hint")
    expect(page.locator("#toast")).to_contain_text("Hint: ")
    hinted = page.locator("#board .square.best")
    expect(hinted).to_have_count(1)
    assert "legal" in (hinted.get_attribute("class") or "")
    page.get_by_role("button", name="greedy white").click()
    page.get_by_role("combobox", name="White", exact=True).select_option("Newcomer")
    page.get_by_role("button", name="Change", exact=True).click()
    expect(page.locator("#seat-white .who")).to_have_text("Newcomer")
    page.locator("#board .square.legal").first.click()
    wait_for_turn(page)
    assert position_of(page).empties == 28
    page.locator("#seat-black").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Swap sides").click()
    page.get_by_role("button", name="Change", exact=True).click()
    expect(page.locator("#seat-black .who")).to_have_text("Newcomer")
    wait_for_turn(page)
    assert position_of(page).empties == 27 and position_of(page).turn is Color.WHITE
    page.click("#resign")
    page.locator("dialog[open]").get_by_role("button", name="Resign").click()
    expect(page.locator("#status")).to_have_text("Black wins")
    expect(page.locator("#pass, #hint, #resign").locator("visible=true")).to_have_count(0)
    page.click("#review-game")
    expect(page.locator("#review-state")).to_contain_text("Review finished", timeout=3 * PATIENCE)
    page.evaluate("history.back()")
    expect(page.locator("html")).to_have_attribute("data-view", "play")
    page.click("#go-first")
    page.click("#rematch-swapped")
    expect(page.locator("#seat-white .who")).to_have_text("Newcomer")
    assert position_of(page) == Position.start(Rules(6))
    page.evaluate("history.back()")
    expect(page.locator("#status")).to_have_text("Black wins")
    page.keyboard.press("2")
    page.click("#go-first")
    page.keyboard.press(".")
    page.keyboard.press("f")
    page.get_by_role("combobox", name="White", exact=True).select_option("person")
    page.get_by_role("combobox", name="Black", exact=True).select_option("person")
    page.get_by_role("button", name="Play", exact=True).last.click()
    expect(page.locator("html")).to_have_attribute("data-view", "play")
    expect(page.locator("#ply")).to_have_text("Move 1 of 1")


def test_agents_that_play_each_other_show_what_they_think(page: Page) -> None:
    new_game(page, size=4, black="minimax(depth=2)", white="uct(playouts=50)")
    expect(page.locator("#status")).to_have_text(re.compile("wins|draw"))
    for side in ("black", "white"):
        assert page.locator(f"#graph circle.thought.{side}").count() >= 3
        expect(page.locator(f"#key-{side}")).to_contain_text({"black": "minimax", "white": "uct"}[side])
    final = position_of(page)
    expect(page.get_by_role("meter")).to_have_attribute("aria-valuetext", re.compile("for black, in discs"))
    margin = final.discs(Color.BLACK) - final.discs(Color.WHITE)
    assert (int(page.get_by_role("meter").get_attribute("aria-valuenow") or 50) > 50) == (margin > 0)


def test_wheel_keys_and_finger_step_through_a_game(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.address + link(Position.start(), "f5d6c3d3c4"), has_touch=True)
    place = page.locator("#ply")
    box = page.locator("#board").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.wheel(0, -100)
    expect(place).to_have_text("Move 4 of 5")
    page.locator("#theme").focus()
    for key, reached in (("ArrowLeft", 3), (",", 2), ("[", 1), ("ArrowRight", 2), (".", 3), ("]", 4)):
        page.keyboard.press(key)
        expect(place).to_have_text(f"Move {reached} of 5")
    finger = page.context.new_cdp_session(page)

    def swipe(to: float) -> None:
        for kind, at in (("touchStart", x), ("touchMove", (x + to) / 2), ("touchMove", to), ("touchEnd", None)):
            points = [] if at is None else [{"x": at, "y": y}]
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    swipe(x + 150)
    expect(place).to_have_text("Move 3 of 5")
    swipe(x - 150)
    expect(place).to_have_text("Move 4 of 5")
    page.click("#go-first")
    expect(place).to_have_text("Start, 5 moves follow")
    page.locator("#opinions-body .line-move:has(+ .line-move)").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert walked_to(page).empties == 57
    assert troubles(page) == []
    page.context.close()


# --- analysing ----------------------------------------------------------------------------------------------------


def test_pasted_ggf_is_analysed_to_exact_values(page: Page) -> None:
    start = Position.start()
    moves = read_transcript(PERFECT_GAME, start).moves[:50]
    position = Game.of(start, moves).end
    page.click("#open-paste")
    page.get_by_label("Text", exact=True).fill(write_ggf(Game.of(start, moves, black="Anna", white="Bert")))
    page.get_by_role("button", name="Read").click()
    expect(page.locator("#seat-black .who")).to_have_text("Anna")
    assert position_of(page) == position
    expect(page.locator("#board .square.exact")).to_have_count(len(position.moves))
    for found in solve_moves(position, position.moves):
        assert found.move is not None and found.score is not None
        square = page.locator(f'[data-square="{found.move}"]')
        shown = f"{found.score:+d}".replace("-", "−") if found.score else "0"
        expect(square.locator(".note")).to_have_text(shown)
        assert "exact" in (square.get_attribute("aria-label") or "")
    assert f"from the view of {position.turn}" in page.inner_text("#analysis-state")
    expect(page.locator("#analysis-state")).to_contain_text("Exact")
    page.click("#go-first")
    expect(page.locator("#analysis-state")).to_contain_text(re.compile(r"Depth \d+ at 73\s%"))


def test_two_opinions_side_by_side_and_the_tree(page: Page) -> None:
    page.keyboard.press("2")
    page.get_by_label("Second opinion", exact=True).select_option("by-text")
    page.get_by_label("Second opinion: agent as text").fill("uct(playouts=500)")
    page.get_by_label("Second opinion: agent as text").press("Tab")
    expect(page.locator("#opinions-body tr")).to_have_count(4)
    expect(page.locator("#opinions-body tr").first.locator(".second")).to_contain_text("% wins")
    page.click("#tab-tree")
    page.click("#tree-start")
    expect(page.locator("#tree-body tr")).to_have_count(4)
    expect(page.locator("#board .square.noted")).to_have_count(4)


def test_a_review_finds_the_planted_blunder(page: Page) -> None:
    moves, ply = planted_blunder(empties=12)
    page.click("#open-paste")
    page.get_by_label("Text", exact=True).fill(moves_text(moves))
    page.get_by_role("button", name="Read").click()
    page.click("#tab-review")
    page.click("#review-start")
    expect(page.locator("#review-state")).to_contain_text("Review finished", timeout=3 * PATIENCE)
    name = str(moves[ply])
    found = page.locator("#review-list li").filter(has_text=f"{ply + 1}. {name}")
    expect(found).to_contain_text("Blunder")
    assert page.locator("#graph .flag.blunder").count() >= 1
    expect(page.get_by_role("button", name=f"{ply + 1}, ", exact=False).filter(has_text="??").first).to_be_visible()
    before = Game.of(Position.start(), moves[:ply]).end
    found.get_by_role("button", name="Put the better line").click()
    best = solve(before)
    assert best.score is not None
    after = walked_to(page)
    reached = solve(after).score if not after.is_over else after.score(after.turn, "winner")
    assert reached is not None and -reached == best.score
    assert page.locator(".variation").count() == 1


def test_the_graph_is_a_slider(server: Server, browser: Browser) -> None:
    page = linked(server, browser, Position.start(), PERFECT_GAME)
    page.get_by_role("slider").focus()
    page.keyboard.press("Home")
    assert walked_to(page) == Position.start()
    box = page.locator("#graph").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 40, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 12, box["y"] + 60, steps=8)
    page.mouse.up()
    assert walked_to(page).is_over
    page.context.close()


# --- bringing and taking, browsing --------------------------------------------------------------------------------


def test_copies_links_editor_and_symmetries(server: Server, browser: Browser) -> None:
    page = linked(server, browser, Position.start(), "f5d6c3")
    page.click("#open-share")
    expect(page.locator('input[name="transcript"]')).to_have_value("f5d6c3")
    address = page.locator('input[name="link"]').input_value()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the board").click()
    assert Path(download.value.path()).read_text().startswith("<svg")
    page.keyboard.press("Escape")
    other = open_tab(page.context, address)
    assert position_of(other) == position_of(page)
    other.close()
    before = position_of(page)
    page.click("#open-turn")
    page.get_by_role("button", name="Half a turn").click()
    assert position_of(page) == before.transform(3)
    page.click("#open-edit")
    editor = page.locator("dialog[open]")
    editor.get_by_role("button", name="Clear").click()
    editor.locator('[data-square="a1"]').click()
    editor.get_by_label("White", exact=True).first.check()
    editor.locator('[data-square="b1"]').click()
    editor.get_by_role("button", name="Use this position").click()
    assert position_of(page).line() == "XO" + "-" * 62 + " " + before.turn.sign
    assert troubles(page) == []
    page.context.close()


def test_stores_and_reports_can_be_browsed(page: Page, store: Path) -> None:
    page.keyboard.press("3")
    with Store(store) as kept:
        games = kept.count()
    expect(page.locator("#games-state")).to_contain_text(f"{games} games of 2 agents")
    expect(page.get_by_role("link", name="report")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#games-list")).to_contain_text(f"26 to {games} of {games}")
    page.get_by_role("button", name="Open the game").first.click()
    expect(page.locator("#status")).to_have_text("Black to move")
    page.click("#go-last")
    assert walked_to(page).is_over


def test_a_running_match_is_followed_sorted_and_filtered(page: Page, running: Path) -> None:
    page.keyboard.press("3")
    page.get_by_label("Store", exact=True).select_option(running.name)
    expect(page.locator("#games-state")).to_contain_text("2 games of 2 agents")
    play_games(running, 8)
    expect(page.locator("#games-state")).to_contain_text("8 games of 2 agents")
    expect(page.locator("#games-body tr")).to_have_count(8)
    expect(page.locator("#games-body tr").first).to_contain_text(re.compile(r"\d{4}-\d\d-\d\d"))
    page.get_by_label("Order").select_option("margin")
    page.get_by_label("Games of").select_option(label="heuristic")
    page.get_by_label("Result", exact=True).select_option("won")
    with Store(running) as games:
        won = [
            abs(game.discs[0] - game.discs[1])
            for game in games.games()
            if game.points == (1.0 if game.black == "heuristic" else 0.0)
        ]
    expect(page.locator("#games-body tr")).to_have_count(len(won))
    shown = [text.split("–") for text in page.locator("#games-body td:nth-child(4)").all_inner_texts()]
    margins = [abs(int(black) - int(white)) for black, white in shown]
    assert sorted(margins, reverse=True) == margins


def test_a_game_of_a_report_opens_on_the_board(page: Page) -> None:
    page.keyboard.press("3")
    index = page.get_by_role("link", name="report").get_attribute("href")
    page.evaluate("address => { location = address; }", f"{index}games/one.html")
    page.get_by_role("link", name="1").click()
    expect(page.locator("#board .square.last")).to_be_visible()
    assert cells_of(page) == PLAYED.positions[-1].line().split()[0]
    assert [page.inner_text(f"#seat-{side} .who") for side in ("black", "white")] == ["random", "greedy"]


def test_every_game_is_kept_found_gone_on_with_and_shared(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.address)
    new_game(page, size=4, white="greedy(ties=first)")
    page.locator("#board .square.legal").first.click()
    wait_for_turn(page)
    played = address_of(page)
    shared = linked_by(page)
    page.click("#open-paste")
    page.get_by_label("Text", exact=True).fill(write_ggf(Game.of(Position.start(), "f5d6c3", black="Ada", white="Bo")))
    page.get_by_role("button", name="Read").click()
    page.wait_for_selector("dialog[open]", state="detached")
    page.keyboard.press("3")
    rows = page.locator("#shelf-body tr")
    expect(rows).to_have_count(2)
    page.get_by_label("Search names").fill("greedy 4x4")
    expect(rows).to_have_count(1)
    page.get_by_label("Which").select_option("over")
    expect(rows).to_have_count(0)
    page.get_by_label("Which").select_option("open")
    other = open_tab(page.context, server.address)  # the library is the browser's, not the tab's
    other.keyboard.press("3")
    other.get_by_role("button", name="Go on with Person against greedy").click()
    expect(other).to_have_url(played)
    wait_for_turn(other)
    expect(other.locator("#seat-white .who")).to_have_text("greedy(ties=first)")
    play_to_the_end(other)
    other.keyboard.press("3")
    expect(other.get_by_role("button", name="Open Person against greedy")).to_be_visible()
    with other.expect_download() as download:
        other.get_by_role("button", name="Export as GGF").click()
    exported = list(read_all(Path(download.value.path()).read_text()))
    assert sorted((game.black, len(game.moves) > 3) for game in exported) == [("Ada", False), ("Person", True)]
    other.get_by_role("button", name="Remove Ada").click()
    expect(other.locator("#shelf-body tr")).to_have_count(1)
    other.get_by_role("button", name="Put back").click()
    expect(other.locator("#shelf-body tr")).to_have_count(2)
    other.click("#open-paste")
    other.get_by_label("Text", exact=True).fill(f"Look: {shared}")
    other.get_by_role("button", name="Read").click()
    expect(other.locator("#seat-white .who")).to_have_text("greedy(ties=first)")
    assert position_of(other).empties == 10
    assert troubles(page) == troubles(other) == []
    page.context.close()


def linked_by(page: Page) -> str:
    """The link that the page offers to share."""
    page.click("#open-share")
    expect(page.locator('input[name="transcript"]')).not_to_have_value("")
    address = page.locator('input[name="link"]').input_value()
    page.keyboard.press("Escape")
    return address


def test_a_shared_game_has_its_players_review_and_pictures(server: Server, browser: Browser) -> None:
    page = linked(server, browser, Position.start(Rules(4)), "b1a1a2")
    page.click("#tab-review")
    page.click("#review-start")
    expect(page.locator("#review-state")).to_contain_text("Review finished")
    page.click("#go-first")
    page.keyboard.press(".")
    verdicts = page.evaluate(_VERDICTS)
    assert len(verdicts) == 4 and all(verdict["exact"] for verdict in verdicts)
    other = open_tab(page.context, linked_by(page))
    expect(other.locator("#ply")).to_have_text("Move 1 of 3")
    until(other, "() => document.querySelector('#graph .line')?.getAttribute('d')")
    assert other.evaluate(_VERDICTS) == verdicts
    other.click("#open-share")
    expect(other.locator("[name=text]")).to_have_value(re.compile(r"Person \(black\) 4 – 1 Person \(white\)"))
    files = {}
    for label in ("Save as PNG", "Save the game as a GIF"):
        with other.expect_download() as download:
            other.get_by_role("button", name=label).click()
        files[label] = Image.open(BytesIO(Path(download.value.path()).read_bytes()))
    png, gif = files.values()
    assert png.format == "PNG" and gif.format == "GIF" and gif.n_frames == 4  # type: ignore[attr-defined]
    gif.seek(1)
    assert ImageChops.difference(png.convert("L"), gif.convert("L")).getextrema()[1] < 40  # type: ignore[operator]
    assert troubles(page) == troubles(other) == []
    page.context.close()


_VERDICTS = """async () => {
  const {table} = await import("/static/table.js");
  return table.tree.line().map(({review: {value, loss, exact, best, played, mark}}) =>
    ({value, loss, exact, best, played, mark}));
}"""


def test_mistakes_and_endgames_are_trained(server: Server, browser: Browser) -> None:
    """The blunder of a game comes back as a problem, its answer counts, and so does that of an endgame."""
    moves, ply = planted_blunder(empties=10)
    page = linked(server, browser, Position.start(), moves_text(moves))
    page.click("#tab-review")
    page.click("#review-start")
    expect(page.locator("#review-state")).to_contain_text("Review finished", timeout=3 * PATIENCE)
    expect(page.locator("#toast")).to_contain_text("can be trained now")
    page.keyboard.press("4")
    before = Game.of(Position.start(), moves[:ply]).end
    expect(page.locator("#train-told")).to_contain_text(f"you played {moves[ply]} here")
    cells = page.locator("#train-board .square").evaluate_all("squares => squares.map(square => square.className)")
    assert sum(" empty" in name for name in cells) == before.empties
    page.locator(f'#train-board [data-square="{moves[ply]}"]').click()
    expect(page.locator("#train-told")).to_contain_text(f"{moves[ply]} loses")
    page.get_by_role("button", name="Try again").click()
    best = solve(before).move
    assert best is not None
    page.locator(f'#train-board [data-square="{before.rules.move(best)}"]').click()
    expect(page.locator("#train-told")).to_contain_text("is right")
    page.get_by_label("Train with").select_option("6")
    expect(page.locator("#train-told")).to_contain_text("6 empty squares")
    for kept in (3, 4):  # "Next" without an answer leads to one that was not shown yet
        page.locator("#train-next").click()
        expect(page.locator("#train-count")).to_contain_text(f"{kept} problems, of which {kept - 1} to do now")
    page.get_by_role("button", name="Show the answer").click()
    expect(page.locator("#train-told")).to_contain_text("The best move is")
    expect(page.locator("#train-count")).to_contain_text("4 problems, of which 2 to do now")
    page.get_by_role("button", name="Look at it in Analyse").click()
    expect(page.locator("html")).to_have_attribute("data-view", "analyse")
    assert position_of(page).empties == 6
    assert troubles(page) == []
    page.context.close()


# --- keeping the game ---------------------------------------------------------------------------------------------


def test_two_tabs_keep_two_games_and_a_reload_restores_them(server: Server, browser: Browser) -> None:
    first = open_page(browser, server.address)
    second = open_tab(first.context, server.address)
    new_game(second, size=8, variant="reversed", white="greedy")
    first.bring_to_front()  # a browser draws a tab behind another only once a second
    new_game(first, size=6, white="minimax(depth=1)")
    for page in (second, first):
        page.bring_to_front()
        page.locator("#board .square.legal").first.click()
        wait_for_turn(page)
    addresses = [address_of(first), address_of(second)]
    first.keyboard.press("u")
    first.locator("#board .square.legal").last.click()
    wait_for_turn(first)
    for page in (second, first):
        page.bring_to_front()
        url = address_of(page)
        page.reload()
        page.wait_for_selector(".connection.open", state="attached")
        assert address_of(page) == url and cells_of(page) == "".join(position_of(page).cells())
    assert address_of(first) != addresses[0] and address_of(second) == addresses[1]
    assert first.locator(".variation").count() == 1
    expect(first.locator("#seat-white .who")).to_have_text("minimax(depth=1)")
    first.locator("#board .square.legal").first.click()
    wait_for_turn(first)
    assert troubles(first) == troubles(second) == []
    first.context.close()


def test_a_linked_game_is_not_the_latest_until_somebody_plays_in_it(server: Server, browser: Browser) -> None:
    first = open_page(browser, server.address)
    new_game(first, size=6, white="greedy")
    first.locator("#board .square.legal").first.click()
    wait_for_turn(first)
    played = cells_of(first)
    linked = open_tab(first.context, server.address + link(Position.start(), "f5d6c3", view="play"))
    linked.keyboard.press("[")
    linked.keyboard.press("2")

    def latest() -> tuple[str, str]:
        page = open_tab(first.context, server.address)
        page.click("#open-new")
        page.get_by_role("button", name="Go on with the latest game").click()
        found = cells_of(page), page.inner_text("#seat-white .who")
        page.close()
        return found

    assert latest() == (played, "greedy")
    linked.bring_to_front()
    linked.keyboard.press("1")
    linked.locator("#board .square.legal").first.click()
    assert latest() == (cells_of(linked), "Person")
    first.bring_to_front()
    first.keyboard.press("u")  # looks back, and is left: neither is a move
    first.goto("about:blank")
    assert latest() == (cells_of(linked), "Person")
    linked.context.close()


def test_back_and_forward_find_games_as_they_were_left(page: Page) -> None:
    def shown() -> list[str]:
        return [
            address_of(page),
            cells_of(page),
            *page.locator(".seat .who").all_inner_texts(),
            page.inner_text("#pause"),
        ]

    def play() -> None:
        page.locator("#board .square.legal").first.click()
        wait_for_turn(page)

    def travel(step: int, expected: list[str]) -> None:
        page.evaluate("step => history.go(step)", step)
        page.wait_for_url(expected[0])
        expect(page.locator("#seat-white .who")).to_have_text(expected[3])
        assert shown() == expected

    new_game(page, size=6, white="minimax(depth=1)")
    play()
    first = shown()
    new_game(page, size=8, variant="reversed", white="greedy")
    play()
    page.click("#pause")
    second = shown()
    assert "Go on" in second
    travel(-1, first)
    play()
    first = shown()
    page.reload()
    page.wait_for_selector(".connection.open", state="attached")
    assert shown() == first
    travel(1, second)
    page.evaluate("hash => { location.hash = hash; }", link(Position.start(), "f5d6"))
    expect(page.locator("#seat-white .who")).to_have_text("Person")
    assert position_of(page).empties == 58
    travel(-1, second)
    page.keyboard.press("2")
    page.locator("#board .square.legal").last.click()
    analysed = address_of(page)
    page.evaluate("history.back()")
    expect(page.locator("html")).to_have_attribute("data-view", "play")
    assert shown() == second
    page.click("#go-next")  # what was tried in the other view is still there
    assert walked_to(page).empties == 57
    page.evaluate("history.forward()")
    page.wait_for_url(analysed)
    expect(page.locator("html")).to_have_attribute("data-view", "analyse")
    expect(page.locator("#seat-white .who")).to_have_text("greedy")


def test_a_restarted_server_goes_on_with_the_game(browser: Browser, store: Path) -> None:
    with serving() as server:
        page = open_page(browser, server.address)
        new_game(page, size=6, white="greedy")
        port = server.origin.rsplit(":", 1)[1]
    expect(page.locator("#lost")).to_contain_text("Your game is kept")
    expect(page.locator("#lost")).to_contain_text("connects again by itself")
    expect(page.locator("#announcer")).to_contain_text("The connection is lost")
    page.locator("#board .square.legal").first.click()
    assert position_of(page).turn is Color.WHITE
    expect(page.locator("#status-more")).to_have_text(
        "greedy waits for the connection and moves as soon as it is back."
    )
    expect(page.locator("#seat-white")).to_contain_text("white waits")
    page.keyboard.press("3")
    expect(page.locator("#games")).to_contain_text("There is no connection to the server")
    with serving("--port", port, "--store", str(store)):
        try_now(page)
        expect(page.locator("#toast")).to_contain_text("Connected again")
        expect(page.locator("#games-list table")).to_be_visible()
        expect(page.locator("#lost")).to_be_hidden()
        page.go_back()
        wait_for_turn(page)
        before = position_of(page)
        assert before.turn is Color.BLACK
    with serving("--port", port, "--host", "127.0.0.1") as server:  # which has a token that the page does not know
        expect(page.locator("#refused")).to_contain_text("Open the address that outflank play printed")
        page.goto(server.address)
        page.wait_for_selector(".connection.open", state="attached")
        assert position_of(page) == before
        expect(page.locator("#seat-white .who")).to_have_text("greedy")
    page.context.close()


def test_whatever_a_cut_line_stops_goes_on_when_it_is_mended(page: Page) -> None:
    line = Line(page)
    page.click("#open-new")
    page.get_by_role("combobox", name="White", exact=True).select_option("by-text")
    page.get_by_label("White: agent as text").fill("greedy")
    page.get_by_label("Clock").select_option("60+0")
    page.get_by_role("button", name="Start", exact=True).click()
    line.kept_back = {"think"}
    page.click('[data-square="d3"]')
    expect(page.locator("#status-more")).to_have_text("greedy is thinking.")
    line.cut()
    expect(page.locator("#status-more")).to_have_text(
        "greedy waits for the connection and moves as soon as it is back."
    )
    expect(page.locator("#seat-white")).to_contain_text("white waits")
    left = page.evaluate("import('/static/clock.js').then(({secondsLeft}) => secondsLeft('white'))")
    assert left == 60, "the clock of an agent that cannot think stands"
    line.mend()
    expect(page.locator("#status")).to_have_text("Black to move")

    page.keyboard.press("2")
    expect(page.locator("#board .square.noted").first).to_be_visible()
    line.cut()
    expect(page.locator("#analysis-state")).to_have_text("Analysis goes on when the connection is back.")
    asked = len(line.asked("analyse"))
    line.mend()
    expect(page.locator("#analysis-state")).to_contain_text("from the view of black")
    assert len(line.asked("analyse")) > asked

    page.click("#tab-tree")
    line.kept_back = {"tree"}
    page.click("#tree-start")
    expect(page.locator("#tree-state")).to_have_text("Growing a tree…")
    line.cut()
    expect(page.locator("#tree-state")).to_have_text("The tree is grown anew when the connection is back.")
    line.mend()
    expect(page.locator("#tree-body tr").first).to_be_visible()

    page.click("#tab-review")
    line.verdicts = 2
    page.click("#review-start")
    expect(page.locator("#review-progress")).to_have_js_property("value", 2)
    line.cut()
    expect(page.locator("#review-state")).to_have_text("The review goes on when the connection is back.")
    line.mend()
    expect(page.locator("#review-state")).to_contain_text("Review finished", timeout=3 * PATIENCE)
    assert [len(message["game"]["moves"]) for message in line.asked("review")] == [2, 1]
    assert page.evaluate(_REVIEWED) == [True, True, True]


_REVIEWED = """async () => {
  const {table} = await import("/static/table.js");
  return table.tree.line().map(({review}) => Boolean(review));
}"""


def test_what_the_server_ends_is_told(page: Page) -> None:
    """A server ends what takes too long, and sooner where others wait; the page does not wait for more."""
    line = Line(page)
    new_game(page, white="greedy")
    line.instead = {verb: {"kind": "stopped"} for verb in ("think", "analyse", "tree", "review")}
    page.click('[data-square="d3"]')
    expect(page.locator("#toast")).to_have_text("The agent could not move: the server has stopped it.")
    expect(page.locator("#status-more")).to_contain_text("Paused")
    page.keyboard.press("2")
    expect(page.locator("#analysis-state")).to_have_text("There is no analysis: the server has stopped it.")
    page.click("#tab-review")
    page.click("#review-start")
    expect(page.locator("#review-state")).to_have_text("The review ended before it was finished.")
    page.click("#tab-tree")
    page.click("#tree-start")
    expect(page.locator("#tree-state")).to_have_text("There is no tree: the server has stopped it.")
    move = {"move": 18, "value": 1, "value_text": "+1 discs", "unit": "discs", "exact": False, "pv": [18]}
    cut = {"moves": [move], "depth": 3, "nodes": 10, "seconds": 0.5, "cut": "others were waiting"}
    line.instead = {"analyse": {"kind": "analysis"} | cut}
    page.click("#tab-values")
    expect(page.locator("#analysis-state")).to_contain_text("ended early: others were waiting")


def test_a_server_that_does_not_answer_is_given_up(server: Server, browser: Browser) -> None:
    page = open_page(browser, server.address)
    page.clock.install()
    line = Line(page)
    line.kept_back = {"stop"}
    greeted = len(line.asked("hello"))
    page.clock.run_for(60_000)
    expect(page.locator("#toast")).to_have_text("Connected again. The game goes on.")
    assert line.asked("stop") and len(line.asked("hello")) > greeted
    page.context.close()


# --- for everyone -------------------------------------------------------------------------------------------------


def test_nothing_is_wider_than_a_phone(server: Server, browser: Browser) -> None:
    page = open_page(
        browser, server.address + link(Position.start(), PERFECT_GAME[:60]), viewport={"width": 360, "height": 740}
    )
    for view in ("play", "analyse", "games", "train"):
        page.click(f"nav [data-view={view}]")
        page.wait_for_timeout(100)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, view
    page.click("nav [data-view=play]")
    board = page.locator("#board").bounding_box()
    assert board is not None and board["width"] > 330
    for button in ("open-new", "open-paste", "open-share", "open-edit", "help"):
        page.click(f"#{button}")
        assert page.evaluate("document.querySelector('dialog[open]').scrollWidth") <= 360, button
        page.keyboard.press("Escape")
    page.context.close()


def test_small_and_enlarged_screens(server: Server, browser: Browser) -> None:
    """What was once cut, covered, oval or too small, at 390 and 1280 pixels and at 200 %."""
    page = open_page(browser, server.address + link(Position.start(), "f5", view="play"))

    def resize(width: int, height: int) -> None:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(100)

    def box(selector: str) -> dict[str, float]:
        found = page.locator(selector).first.bounding_box()
        assert found is not None
        x, y, width, height = found["x"], found["y"], found["width"], found["height"]
        return {"x": x, "y": y, "width": width, "height": height, "right": x + width, "bottom": y + height}

    page.click("#go-first")
    expect(page.locator("#ply")).to_have_text("Start, 1 move follows")
    page.click("#theme")
    assert box("#toast")["x"] > box("#go-last")["right"] or box("#toast")["y"] > box("#go-last")["bottom"]
    for width, height in ((390, 740), (640, 400), (740, 360), (1280, 800), (360, 640)):
        resize(width, height)
        for ring in page.locator("#board .legal .disc").all():
            size = ring.bounding_box()
            assert size is not None and size["width"] == size["height"] == round(size["width"]), (width, size)
        assert box("#board .grid")["bottom"] <= height, f"rows below the fold at {width} x {height}"
        names = page.locator(".seat .who").evaluate_all("all => all.map(one => one.scrollWidth <= one.clientWidth)")
        assert all(names), f"names cut at {width} x {height}"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert len({box(f"#{name}")["y"] for name in ("open-new", "open-edit", "help")}) == 1
        for name in ("open-new", "open-paste", "open-share", "open-edit"):
            assert page.locator(f"#{name} span").first.is_visible()
    resize(640, 400)
    assert box("header")["height"] < 60
    resize(390, 740)
    new_game(page, size=16, variant="standard")
    page.click("#zoom")
    assert box("#board .square")["width"] >= 39
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    square = page.locator("#board .square.legal").first
    square.click()
    assert position_of(page).empties == 251
    page.keyboard.press("z")
    assert box("#board .square")["width"] < 25
    assert troubles(page) == []
    page.context.close()


def test_moves_stand_in_columns_and_whole_lines(server: Server, browser: Browser) -> None:
    page = linked(server, browser, Position.start(), PERFECT_GAME)
    page.set_viewport_size({"width": 1000, "height": 700})
    lefts = {side: page.locator(f".pair .of-{side}").evaluate_all(_LEFTS) for side in ("black", "white")}
    assert all(len(set(found)) == 1 for found in lefts.values()) and lefts["black"][0] < lefts["white"][0]
    for step in ("go-back", "go-back", "go-last"):
        page.click(f"#{step}")
        page.wait_for_timeout(100)
        assert page.evaluate(_CUT) < 1, "the first line of the list is cut"
    labels = page.locator("#graph text").evaluate_all("all => all.map(one => one.getBoundingClientRect().left)")
    assert min(labels) >= page.locator("#graph").evaluate("graph => graph.getBoundingClientRect().left")
    page.context.close()


_LEFTS = "all => all.map(one => Math.round(one.getBoundingClientRect().left))"
_CUT = """() => {
  const list = document.getElementById("moves");
  return Math.min(...[...list.querySelectorAll(".pair")].map(pair => Math.abs(pair.offsetTop - list.scrollTop)));
}"""


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_jumps(server: Server, browser: Browser, width: int) -> None:
    address = server.address + link(Position.start(), PERFECT_GAME[:60])
    page = open_page(browser, address, viewport={"width": width, "height": 800})
    page.wait_for_selector("#board .square.noted")
    assert layout_shift(page) < 0.02
    page.context.close()


def test_forced_colours_hide_nothing(server: Server, browser: Browser) -> None:
    """High contrast: discs, marks, hints, what is chosen and the focus look different from each other."""
    page = linked(server, browser, Position.start(), "f5d6c3", view="play")
    for scheme in ("light", "dark"):
        page.emulate_media(forced_colors="active", color_scheme=scheme, reduced_motion="reduce")
        page.keyboard.press("1")
        check_looks(page, scheme)
    page.context.close()


def check_looks(page: Page, scheme: str) -> None:
    squares = {"empty": "a1", "black": "e5", "white": "d6", "black, last": "c3", "legal": "c5"}

    def picture(square: str) -> bytes:
        return page.locator(f'#board [data-square="{square}"]').screenshot()

    page.locator("#theme").focus()
    looks = {name: picture(square) for name, square in squares.items()}
    page.keyboard.press("b")
    for key in ["Home", *["ArrowUp"] * 8]:
        page.keyboard.press(key)
    looks["focused"] = picture("a1")
    for one, other in combinations(looks, 2):
        assert differing(looks[one], looks[other]) > 0.01, f"{one} looks like {other}, {scheme}"
    stones = [page.locator(f"#seat-{side} .stone").screenshot() for side in ("black", "white")]
    assert differing(*stones) > 0.1
    page.keyboard.press("2")
    page.hover("nav [aria-current]")
    for group in ("nav button", ".tabs button", "#moves button"):
        backgrounds = page.locator(group).evaluate_all("all => all.map(one => getComputedStyle(one).backgroundColor)")
        assert len(set(backgrounds)) == 2, f"which of {group} is chosen, {scheme}"


@with_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(server: Server, browser: Browser, scheme: str) -> None:
    page = linked(server, browser, Position.start(), PERFECT_GAME[:80])
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    page.evaluate(AXE.read_text())
    for place, ways in VIEWS.items():
        for selector in ways:
            page.click(selector)
        page.wait_for_timeout(150)
        found = page.evaluate(
            "rules => axe.run({resultTypes: ['violations'], ...(rules && {runOnly: rules})})", _AXE_RULES[scheme]
        )["violations"]
        bad = [
            (rule["id"], [node["html"] for node in rule["nodes"]][:3])
            for rule in found
            if rule["impact"] in ("serious", "critical")
        ]
        assert bad == [], f"{place}, {scheme}"
        page.keyboard.press("Escape")
    page.context.close()


_AXE_RULES = {"light": None, "dark": ["color-contrast"]}
"""The colours are all that differs in the dark."""

VIEWS = {
    "analyse": ["nav [data-view=analyse]"],
    "review": ["#analyse-on", "#tab-review"],
    "tree search": ["#tab-tree"],
    "turn": ["#open-turn"],
    "play": ["nav [data-view=play]"],
    "new game": ["#open-new"],
    "paste": ["#open-paste"],
    "copy": ["#open-share"],
    "edit": ["#open-edit"],
    "help": ["#help"],
    "players": ["nav [data-view=play]", "#seat-white"],
    "games": ["nav [data-view=games]"],
    "train": ["nav [data-view=train]"],
}


# --- the rules in the page ----------------------------------------------------------------------------------------


@every_variant
def test_the_page_knows_the_rules_as_we_do(page: Page, variant: Any) -> None:
    """Random games on every size, position by position."""
    lot = random.Random(7)
    for size in SIZES:
        rules = Rules(size, variant)
        position, moves, expected = Position.start(rules), [], [facts(Position.start(rules))]
        while position.moves:
            moves.append(lot.choice(position.moves))
            position = position.play(moves[-1])
            expected.append(facts(position))
        assert page.evaluate(_REPLAY, {"rules": str(rules), "moves": moves}) == expected
        for number in range(8):
            shown = page.evaluate(_IMAGES, {"size": size, "number": number})
            assert shown == [rules.image(square, number) for square in range(rules.cells + 1)]


def facts(position: Position) -> list[Any]:
    winner = position.winner
    return [
        "".join(position.cells()),
        str(position.turn),
        [move for move in position.moves if move != position.rules.pass_move],
        position.must_pass,
        (str(winner) if winner is not None else "draw") if position.is_over else None,
    ]


_REPLAY = """async ({rules, moves}) => {
  const {GameTree} = await import("/static/tree.js");
  const tree = GameTree.fromGame({rules, start: null, moves});
  return tree.line().map(({position: {cells, turn, legal, mustPass, winner}}) =>
    [cells, turn, [...legal.keys()], mustPass, winner]);
}"""
_IMAGES = """async ({size, number}) => {
  const {image} = await import("/static/rules.js");
  return Array.from({length: size * size + 1}, (_, square) => image(square, size, number));
}"""


# --- games that are kept ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recorder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    """A server that keeps the games of people, and where."""
    path = tmp_path_factory.mktemp("people") / "people.db"
    with serving("--record", str(path)) as server:
        yield server, path


@pytest.fixture
def recording(browser: Browser, recorder: tuple[Server, Path]) -> Iterator[tuple[Page, Path]]:
    server, path = recorder
    page = open_page(browser, server.address)
    yield page, path
    page.context.close()
    assert troubles(page) == []


def play_to_the_end(page: Page) -> None:
    while True:
        wait_for_turn(page)
        if is_over(page):
            return
        page.click("#pass" if page.locator("#pass").is_enabled() else "#board .square.legal >> nth=0")


def recorded(path: Path) -> list[tuple[str, str]]:
    with Store(path, reading=True) as store:
        return [(game.black, game.white) for game in store.games()]


def test_a_game_of_a_person_with_a_name_is_kept(recording: tuple[Page, Path]) -> None:
    """Also over a reload in its middle, and only once, although the page is opened again at its end."""
    page, path = recording
    new_game(page, size=4, white="greedy(ties=first)", name="Ada Lovelace")
    expect(page.locator("#seat-black")).to_contain_text("Ada Lovelace")
    page.locator("#board .square.legal").first.click()
    wait_for_turn(page)
    page.reload()
    play_to_the_end(page)
    expect(page.locator("#toast")).to_contain_text("Recorded as a game of Ada Lovelace")
    page.reload()
    wait_for_turn(page)
    page.click("nav [data-view=games]")
    expect(page.locator("#games-state")).to_contain_text("1 game of 2 agents")
    assert recorded(path) == [('person("Ada Lovelace")', "greedy(ties=first)")]
    new_game(page, size=4, white="greedy(ties=first)", name="")
    play_to_the_end(page)
    assert len(recorded(path)) == 1, "a game without a name is not kept"


@pytest.mark.parametrize("help_", ["a move was taken back", "it was looked at in Analyse"])
def test_a_game_with_help_is_not_kept(recording: tuple[Page, Path], help_: str) -> None:
    page, path = recording
    before = recorded(path)
    new_game(page, size=4, white="greedy(ties=first)", name="Ada")
    page.locator("#board .square.legal").first.click()
    wait_for_turn(page)
    if "Analyse" in help_:
        page.click("nav [data-view=analyse]")
        page.click("nav [data-view=play]")
    else:
        page.click("#undo")
        page.locator("#board .square.legal").last.click()
    play_to_the_end(page)
    expect(page.locator("#toast")).to_contain_text(f"This game is not recorded: {help_}")
    assert recorded(path) == before


def test_only_a_server_that_keeps_games_asks_for_a_name(page: Page) -> None:
    page.click("#open-new")
    expect(page.get_by_label("Your name, to record the game")).to_be_hidden()
    page.keyboard.press("Escape")
