"""Studies from end to end: from a file or by name, resumed, one number on demand."""

import csv
import json
import re
from pathlib import Path

import pytest

from outflank.arena.statistics.measured import share
from outflank.arena.store import Store
from outflank.board import Color, Rules
from outflank.errors import BadSpec
from outflank.execute import Here
from outflank.interfaces.cli import main
from outflank.studies import PAPERS, named_study
from outflank.studies.compare import compare
from outflank.studies.reproduction import cell_of
from outflank.studies.results import Played
from outflank.studies.run import _different, pairs_of, play, results_of, views_of
from outflank.studies.study import Pairing, PaperTable, Printed, Study
from outflank.studies.toml import MEASURES, study_from
from support import ROOT
from test_studies import stored

_TOML = """
title = "Greed"
summary = "Does greed pay?"
[[pairings]]
name = "greedy against random"
a = "greedy"
b = "random"
games = 20
size = 4
openings = "start"
[[printed]]
pairing = "greedy against random"
measure = "wins"
value = 0.5
games = 10
[[printed]]
pairing = "greedy against random"
measure = "discs"
value = 15.9
games = 1000
[[claims]]
text = "Greed pays"
above = ["greedy against random"]
"""


def test_a_study_of_ones_own_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "greed.toml").write_text(_TOML)
    out = tmp_path / "out"
    command = [
        "study",
        str(tmp_path / "greed.toml"),
        "--scale",
        "paper",
        "--out",
        str(out),
        "--workers",
        "1",
        "--json",
    ]
    assert main(command) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["report"] == str(out / "index.html")
    [one] = found["studies"]
    assert [cell["games"] for cell in one["printed"]] == [20, 20]
    assert one["printed"][1]["verdict"] == "differs"
    assert len(one["printed"][0]["accepted"]) == 2
    assert one["conclusions"][0]["claim"] == "Greed pays"
    assert json.loads((out / "summary.json").read_text())["numbers"] == found["numbers"]
    page = (out / "index.html").read_text()
    assert "Greed pays" in page and "greedy against random" in page
    assert json.loads((out / "games" / "greed.json").read_text())["numbers"][0]["games"] == 20
    with (out / "tables" / "greed-games.csv").open() as file:
        assert next(csv.DictReader(file))["games"] == "20"
    with Store(out / "games.db") as store:
        before = store.count()
    assert main(command) == 0
    with Store(out / "games.db") as store:
        assert store.count() == before == 20


def test_the_same_numbers_after_an_interruption(tmp_path: Path) -> None:
    """Games stored in two runs, the first broken off, give the numbers of one run."""

    class Enough(Exception):
        pass

    def stop_after(games: int) -> object:
        left = games

        def on_game() -> None:
            nonlocal left
            left -= 1
            if left == 0:
                raise Enough

        return on_game

    pairing = Pairing("m", "greedy", "random", 30, Rules(4))
    printed = (Printed("T", "m", "wins", "0.6", 0.6, "share", "1", 30, None),)
    measure = PaperTable("T", "t", lambda results, row, column: share([game.won for game in results[row]]))
    one = Study("s", "t", "c", "s", (pairing,), (measure,), printed)

    def numbers(path: Path) -> list[dict[str, object]]:
        with Store(path) as store:
            games = views_of(store)
        return [comparison.facts() for comparison in compare(one, results_of(one, 1.0, games, {}))]

    with Store(tmp_path / "whole.db") as store:
        play([one], 1.0, store, Here())
    with Store(tmp_path / "broken.db") as store:
        with pytest.raises(Enough):
            play([one], 1.0, store, Here(), stop_after(11))  # type: ignore[arg-type]
        assert store.count() == 11
        play([one], 1.0, store, Here())
    assert numbers(tmp_path / "whole.db") == numbers(tmp_path / "broken.db")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"titel": "x"}, "titel"),
        ({"title": 3}, "title"),
        ({"pairings": [{"name": "m"}]}, "missing"),
        ({"pairings": [{"name": "m", "a": "random", "b": "random", "games": 0}]}, "games = 0 is not possible"),
        ({"printed": [{"pairing": "x", "measure": "wins", "value": 1}]}, "'x' is not known"),
        ({"printed": [{"pairing": "m", "measure": "luck", "value": 1}]}, "luck"),
        ({"printed": [{"pairing": "m", "measure": "wins", "value": 3, "games": 2}]}, "from 0 to 1"),
        ({"claims": [{"text": "t", "above": ["m", "m", "m"]}]}, "one or two"),
        ({"claims": [{"text": "t", "above": []}]}, "above = []"),
        ({"titel": "x"}, "did you mean title"),
        ({"printed": [{"pairing": "m", "measure": "discs", "value": float("nan")}]}, "a number from 0"),
        ({"printed": [{"pairing": "m", "measure": "discs", "value": 30, "spread": -1}]}, "above 0"),
        ({"printed": [{"pairing": "m", "measure": "discs", "value": 30}] * 2}, "twice"),
    ],
)
def test_bad_studies_are_explained(change: dict[str, object], message: str) -> None:
    good = {"title": "t", "pairings": [{"name": "m", "a": "random", "b": "greedy", "games": 2}]}
    with pytest.raises(BadSpec, match=re.escape(message)):
        study_from(good | change, "s")


def test_pairs_play_both_colours() -> None:
    assert pairs_of(Pairing("m", "a", "b", 25), 1.0) == 13
    assert pairs_of(Pairing("m", "a", "b", 25, quick=4), "quick") == 2
    assert pairs_of(Pairing("m", "a", "b", 1), 0.001) == 1


def test_the_documented_example_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs" / "writing-a-study.md").read_text()
    example = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert example is not None
    (tmp_path / "depth.toml").write_text(example.group(1))
    file = str(tmp_path / "depth.toml")
    assert main(["study", file, "--scale", "0.02", "--out", str(tmp_path / "out"), "--workers", "1"]) == 0
    assert "report:" in capsys.readouterr().out
    assert all(f"`{name}`" in text for name in MEASURES)


def test_one_cell_is_played_on_demand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    command = ["reproduce", "--study", "phan-synytsia", "--cell", "Table 9/4x4, depth 3/iterations 10", "--games", "30"]
    assert main([*command, "--out", str(out), "--workers", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["games"], found["printed"], found["line"]) == (30, "33.33%", "273")
    assert found["pairings"] == ["4x4, depth 3, iterations 10"] and found["verdict"] in ("compatible", "differs")
    with Store(out / "games.db") as store:
        assert store.count() == 30
    again = ["--games", "32", "--out", str(out), "--workers", "1"]
    assert main([*command[:-2], *again]) == 0
    said = capsys.readouterr().out
    assert "of 32 games" in said and "games.db: 30 of 32 games from the store, 2 played" in said
    with Store(out / "games.db") as store:
        assert store.count() == 32


def test_every_printed_number_but_times_can_be_played_on_demand() -> None:
    for name in PAPERS:
        one = named_study(name)
        for printed in one.printed:
            if printed.unit not in ("milliseconds", "ratio", "simulations"):
                part = cell_of(one, f"{printed.table}/{printed.row}/{printed.column}", 10)
                assert part.printed == (printed,) and 1 <= len(part.pairings) <= 4, printed


def test_repeated_games_are_no_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two agents that never draw lots play two games from the start, however many are asked for."""
    (tmp_path / "again.toml").write_text(
        'title = "Again"\n[[pairings]]\nname = "m"\na = "minimax(depth=2)"\nb = "minimax(depth=1)"\n'
        'games = 20\nsize = 4\nopenings = "start"\n'
        '[[printed]]\npairing = "m"\nmeasure = "wins"\nvalue = 0.5\ngames = 10\n'
    )
    command = ["study", str(tmp_path / "again.toml"), "--scale", "paper", "--out", str(tmp_path / "out")]
    assert main([*command, "--workers", "1", "--json"]) == 0
    printed = capsys.readouterr()
    [cell] = json.loads(printed.out)["studies"][0]["printed"]
    assert cell["games"] == 2
    assert "only 2 of 20 games are different" in printed.err
    with (tmp_path / "out" / "numbers.csv").open() as file:
        assert [row["verdict"] for row in csv.DictReader(file)] == [cell["verdict"]]


def test_chance_repetitions_all_count() -> None:
    same, other = stored("c4b4a1d2d4"), stored("c4b4a1d2d4d3")
    games = [Played(game, Color.BLACK) for game in (same, same, same, other)]
    assert len(_different(games)) == 4
    assert len(_different(games[:3])) == 1
