"""The examples run and say what they promise; what notebooks show of our values."""

import json
import re
import runpy
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

import outflank
from notebook import TOUR, outputs
from outflank import Color, Decision, Limits, Position, Rules
from outflank.errors import BadSpec
from outflank.search.decision import RootMove
from support import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SAYS = {
    "error_bars": r"(?s)score of A .*95 % interval: \+\d+ \[",
    "find_mistakes": r"move 52, h7: blunder, gives away exactly 14 discs; better was h2",
    "own_evaluation": r"(?s)points\), depth 3.*__main__:corners_and_freedom.*games +40 of 40.*normal 40",
    "own_player": r"(?s)__main__:Cornerstone against greedy.*games +20 of 20.*normal 20",
    "perft": r"(?s)perft\(9\) = +3,005,288.*4x4, b1 first: 314",
    "policy_gradient": r"(?s)after 0 x 250 games: (4|5)\d % won.*after 30 x 250 games: [7-9]\d % won",
    "puct": r"(?s)400 playouts.*select=__main__:score.*normal 20",
    "rave": r"(?s)400 playouts.*select=__main__:score.*normal 20",
    "small_study": r"(?s)Greed beats chance: \w+ \(wins, greed: .*Foresight beats greed: holds",
    "small_tournament": r"(?s)uct\(playouts=100\) +\+\d+ \[.*is above .* probability",
    "solve_endgame": r"(?s)h5: \+0.*best line: h5.*positions in",
    "tiny_network": r"(?s)__main__:network.*score of A.* (6|7|8|9|10)\d(\.\d)? %.*normal 20",
}


def test_every_example_is_short_and_has_a_promise() -> None:
    assert [path.stem for path in EXAMPLES] == sorted(SAYS)
    assert all(len(path.read_text().splitlines()) < 30 for path in EXAMPLES)
    assert "examples/" in (ROOT / "README.md").read_text()


@pytest.mark.compiled
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_keep_their_promises(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(path), run_name="__main__")
    assert re.search(SAYS[path.stem], capsys.readouterr().out)


@pytest.mark.compiled
def test_an_example_runs_by_itself(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples" / "own_evaluation.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert re.search(SAYS["own_evaluation"], done.stdout) and not list(tmp_path.iterdir()), "nothing is left behind"


@pytest.mark.compiled
def test_the_tour_shows_what_it_says_it_shows() -> None:
    notebook = json.loads(TOUR.read_text(encoding="utf-8"))
    cells = 0
    for cell, shown in outputs(notebook):
        assert _kinds(shown) == _kinds(cell["outputs"]), cell["source"]
        cells += 1
    assert cells >= 8


def _kinds(shown: list[dict[str, dict[str, str]]]) -> list[list[str]]:
    return [sorted(output.get("data", {"text": ""})) for output in shown]


# --- what notebooks show ----------------------------------------------------------------------------------------


def well_formed(html: str) -> str:
    """The HTML, once it is known that every tag is closed."""
    ElementTree.fromstring(html.replace("<br>", "<br/>"))
    return html


def test_a_game_shows_players_result_moves_and_board() -> None:
    game = outflank.play("greedy(ties=first)", "heuristic", Position.start(Rules(4)))
    html = well_formed(game._repr_html_())
    moves = outflank.write_transcript(game)
    for shown in ("greedy(ties=first) against heuristic, standard 4x4", game.result, moves, "<svg"):
        assert shown in html
    assert repr(game) == str(game) and game.end.text(game.moves[-1]) in str(game)
    elsewhere = outflank.play("greedy", "greedy", Position.parse("-OX--OXX-XXO---- O"))
    assert "-OX--OXX-XXO---- O " in str(elsewhere)


def test_a_lost_game_says_why() -> None:
    game = outflank.play("players_of_people:Raising", "random", Position.start(Rules(4)))
    assert game.result == "white wins, 2 to 2 (crash: black: ZeroDivisionError: one of those days)"
    assert game.moves == () and "one of those days" in well_formed(game._repr_html_())


@pytest.mark.parametrize("text", ["random", "greedy", "minimax(depth=2)", "uct(playouts=60)", "montecarlo(playouts=5)",
                                  "heuristic", "solver", "players_of_people:First"])  # fmt: skip
def test_a_decision_names_its_moves(text: str) -> None:
    position = Position.start(Rules(4)).play("b1")
    decision = outflank.agent(text).choose(position)
    assert str(decision).startswith(str(decision.move)) and repr(decision) == str(decision)
    assert str(decision) in well_formed(decision._repr_html_())
    for root in decision.moves:
        judged = root.value is not None or root.visits
        assert bool(judged) == (f">{root.move}</td>" in decision._repr_html_())


def test_forced_moves_and_decisions_of_others_have_words_too() -> None:
    must_pass = Position.parse("XXXXOOOXOOXXOO-- X")
    assert str(outflank.agent("uct").choose(must_pass)) == "pass"
    assert str(Decision(3, Color.BLACK)) == "3"
    b1, a2 = map(Rules(4).move, ("b1", "a2"))
    told = Decision(b1, Color.BLACK, 4, moves=(RootMove(b1, 4), RootMove(a2, 2, exact=False)), note="a & b")
    html = well_formed(told._repr_html_())
    assert "b1 (+4 points)" in html and "at most +2" in html and "a &amp; b" in html and "visits" not in html
    assert str(replace(told, pv=tuple(map(Rules(4).move, range(12))))).endswith("a1 b1 c1 d1 a2 b2 c2 d2 …")


def test_a_match_and_ratings_show_themselves(tmp_path: Path) -> None:
    store = tmp_path / "games.db"
    settings = {"games": 6, "rules": Rules(4), "openings": "random(2)", "seed": 4}
    result = outflank.match("greedy", outflank.agent("random"), store=store, **settings)  # type: ignore[arg-type]
    assert result.tally.games == 6 and result.a == "greedy(ties=random)"
    assert "6 of 6" in str(result) == repr(result) and "6 of 6" in well_formed(result._repr_html_())
    again = outflank.match("greedy", "random", store=store, **settings)  # type: ignore[arg-type]
    assert again == result and outflank.match("greedy", "random", **settings) == result  # type: ignore[arg-type]
    table = outflank.tournament(["greedy", "random", "heuristic"], **settings)  # type: ignore[arg-type]
    assert all(name in str(table) for name in ("greedy", "random", "heuristic")) and repr(table) == str(table)
    html = well_formed(table._repr_html_())
    assert html.count("<tr>") == 4 and "of 12" in html and "group" not in html


def test_quick_matches_mind_their_limits_and_agents() -> None:
    short = outflank.match(
        "uct", "uct(playouts=9)", games=2, rules=Rules(4), openings="start", limits=Limits(playouts=5)
    )
    assert short.tally.games == 2
    with pytest.raises(BadSpec, match="2 agents, 1 different"):
        outflank.tournament(["greedy", "greedy"])
