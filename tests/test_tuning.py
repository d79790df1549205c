"""Tuning: spaces of numbers, tuners on problems with known answers, runs that are stopped, reports."""

import json
from pathlib import Path

import numpy as np
import pytest

from outflank.agents import canonical
from outflank.board import Rules
from outflank.errors import BadSpec
from outflank.execute import Here, Job, Processes
from outflank.interfaces.cli import main
from outflank.learn.space import Range, read_space
from outflank.learn.tuners import METHODS, Tuner, make_tuner
from outflank.learn.tuning import Plan, Verdict, run
from outflank.progress import Progress
from outflank.spec import parse
from support import refused

# --- spaces ---------------------------------------------------------------------------------------------------------


def test_names_find_numbers_anywhere_in_the_text_and_every_item_of_a_list() -> None:
    space = read_space("minimax(depth=2, eval=five_terms)", "mobility=0..60, eval.discs[2]=-5..5, squares[b2]=-100..0")
    names = [one.name for one in space.dimensions]
    assert names == ["mobility[1]", "mobility[2]", "mobility[3]", "discs[2]", "squares[b2]"]
    assert [one.start for one in space.dimensions] == [24, 27, 32, 3, -40]
    assert space.values(space.start) == [24, 27, 32, 3, -40]
    assert space.with_values([1, 2, 3, 4, -5]) == canonical(
        "minimax(depth=2, eval=five_terms(mobility=[1, 2, 3], discs=[1, 4, 6], "
        "squares=[120, -20, 20, 5, -5, -5, -5, 15, 3, 3]))"
    )


def test_the_start_is_the_agent_itself_also_with_a_table_spelled_out() -> None:
    space = read_space("tenshi(playouts=10)", "squares=log 1..100", Rules(8, "reversed"))
    assert [one.name for one in space.dimensions][:6] == [
        f"squares[{square}]" for square in ("a1", "b1", "c1", "d1", "b2", "c2")
    ]
    assert parse(space.agent(space.start)).name == "uct" and space.agent(space.start) == space.with_values(
        [1, 14, 10, 11, 16, 12, 12, 10, 12, 12]
    )


@pytest.mark.parametrize("text", ["0..60", "-3..-1", "log 1..300", "0.5..2.0", "log 0.001..1000.0", "0.0..1e-05"])
def test_ranges_are_read_as_they_are_written_and_every_number_is_at_its_place(text: str) -> None:
    bounds = Range.parse(text)
    assert str(bounds) == text and (bounds.at(0.0), bounds.at(1.0)) == (bounds.least, bounds.most)
    for place in np.linspace(0, 1, 41):
        value = bounds.at(float(place))
        assert bounds.least <= value <= bounds.most and isinstance(value, int) == bounds.whole
        assert bounds.at(bounds.place(value)) == value
        beyond = bounds.at(min(1.0, bounds.place(value) + 1.001 * bounds.step(float(place))))
        assert not bounds.whole or value == bounds.most or beyond == value + 1


@pytest.mark.parametrize(
    ("over", "expected"),
    [
        ("", "expected for example"),
        ("c", "expected for example"),
        ("c=1", "is no range"),
        ("c=2..1", "a smaller and a larger"),
        ("c=1...2", "is no range"),
        ("c=log 0.0..1.0", "above 0"),
        ("c=3.0..4.0", "a range around it"),
        ("c=0.1..2.0, c=0.1..2.0", "tuned twice"),
        ("c[1]=0.1..2.0", "is one number"),
        ("draw=0.0..2.0", "expected a number from 0 to 1"),
        ("leaf_playouts=1..5000", "from 1 to 1024"),
        ("memory=1.0..300.0, deep=0..1", "has no number 'deep'"),
        ("9=0..1", "no name of an option"),
        (f"c=0.1..{'9' * 50}", "too many digits"),
    ],
)
def test_what_cannot_be_tuned_is_told_before_any_game(over: str, expected: str) -> None:
    with pytest.raises(BadSpec, match=expected):
        read_space("uct", over)


def test_the_same_space_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("over.toml").write_text('"eval.mobility" = "0..60"\n"squares[b2]" = "-100..0"\n')
    assert read_space("minimax", "over.toml") == read_space("minimax", "eval.mobility=0..60, squares[b2]=-100..0")
    Path("over.toml").write_text("mobility = 5\n")
    with pytest.raises(BadSpec, match="expected a text"):
        read_space("minimax", "over.toml")


# --- tuners on toy problems -----------------------------------------------------------------------------------------

BEST = np.array([0.3, 0.5, 0.7, 0.8])
START = np.full(4, 0.15)


def toy_elo(point: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """A quadratic: 300 Elo from the start to the best."""
    return float(300 - 300 * np.mean((point - BEST) ** 2) / np.mean((START - BEST) ** 2))


def tuned(method: str, games: int = 6000, seed: int = 1, flat: bool = False) -> Tuner:
    """A tuner after games whose results are drawn; of a flat problem all are even."""
    tuner, rng, played = make_tuner(method, START, games, seed), np.random.default_rng(1000 + seed), 0
    while tuner.done < tuner.rounds:
        gaps = [0.0 if flat else toy_elo(duel.first) - toy_elo(duel.second) for duel in tuner.ask()]
        chances = 1 / (1 + 10 ** (-np.array(gaps) / 400))
        tuner.tell(list(rng.binomial(2 * tuner.pairs, chances) / (2 * tuner.pairs)))
        played += 2 * tuner.pairs * len(gaps)
    assert 0.85 * games <= played <= games
    return tuner


@pytest.mark.parametrize(("method", "least"), [("spsa", 285), ("cmaes", 275), ("genetic", 240), ("random", 150)])
def test_every_tuner_climbs_a_noisy_quadratic(method: str, least: float) -> None:
    """By how much of 300 Elo they have in hand, the worst of three seeds."""
    assert min(toy_elo(tuned(method, seed=seed).centre) for seed in (1, 2, 3)) > least


def test_tuners_that_learn_beat_the_control_at_equal_games() -> None:
    found = {method: np.mean([toy_elo(tuned(method, seed=seed).centre) for seed in range(4)]) for method in METHODS}
    assert max(found, key=lambda method: found[method]) == "spsa"
    assert all(found[method] > found["random"] for method in METHODS if method != "random")


@pytest.mark.parametrize("method", METHODS)
def test_told_the_same_scores_a_tuner_asks_for_the_same_duels(method: str) -> None:
    one, other, another = (make_tuner(method, START, 400, seed) for seed in (7, 7, 8))
    differs = False
    for _ in range(2):
        asked = [tuner.ask() for tuner in (one, other, another)]
        for duel, same, different in zip(*asked, strict=True):
            assert np.array_equal(duel.first, same.first) and np.array_equal(duel.second, same.second)
            assert duel.first.min() >= 0 and duel.first.max() <= 1
            differs |= not np.array_equal(duel.first, different.first)
        for tuner in (one, other, another):
            tuner.tell(list(np.linspace(0, 1, tuner.duels)))
    assert differs and np.array_equal(one.centre, other.centre)


def test_spsa_plays_whole_numbers_that_differ() -> None:
    """A range of two numbers is wider than its shift: both ends of a direction still are different agents."""
    space = read_space("uct(playouts=10)", "leaf_playouts=1..2")
    tuner = make_tuner("spsa", space.start, 400, 3, space.steps)
    assert all(space.agent(duel.first) != space.agent(duel.second) for duel in tuner.ask())


# --- runs -----------------------------------------------------------------------------------------------------------

WEIGHTS = "minimax(depth=1, eval=terms(position=1, mobility=0))"


def plan(**settings: object) -> Plan:
    usual = {"method": "spsa", "games": 200, "confirm": 100, "curve": 4, "openings": "random(6)", "seed": 3}
    return Plan(WEIGHTS, "position=-9..9, mobility=-40..40", Rules(6), **(usual | settings))  # type: ignore[arg-type]


class StoppedAfter(Progress):
    """A person's Ctrl-C after so many games."""

    def __init__(self, games: int) -> None:
        super().__init__()
        self.left = games

    def advance(self) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


@pytest.mark.compiled
@pytest.mark.parametrize("method", METHODS)
def test_a_run_that_is_stopped_twice_ends_with_the_same_card(method: str, tmp_path: Path) -> None:
    asked = plan(method=method, games=100 if method in ("genetic", "random") else 200, control=method == "cmaes")
    for games in (37, 60):
        with pytest.raises(KeyboardInterrupt):
            run(asked, tmp_path / "torn", Here(), StoppedAfter(games))
    whole, torn = (run(asked, home, Here()).card() for home in (None, tmp_path / "torn"))
    assert whole.pop("processor seconds") and torn.pop("processor seconds")
    assert whole == torn
    again = StoppedAfter(1)  # nothing is left to play
    assert run(asked, tmp_path / "torn", Here(), again).card()["matches"] == whole["matches"]


@pytest.mark.compiled
def test_a_gain_that_is_real_is_found_and_one_that_cannot_be_is_not() -> None:
    """From weights that lose on purpose any tuner climbs; the size of a table that is never full changes nothing."""
    worst = Plan(
        "minimax(depth=1, eval=terms(position=-1))",
        "position=-9..9",
        Rules(6),
        games=100,
        confirm=60,
        openings="random(6)",
    )
    found = run(worst, None, Here())
    assert found.verdicts[0].word == "gain" and found.found.values[0] > 0
    assert found.agent == found.found.answer != worst.agent
    nothing = Plan("uct(playouts=8)", "memory=1..512", Rules(4), "random", 100, 40, openings="random(4)", seed=2)
    null = run(nothing, None, Here())
    assert null.found.luckiest > 0.5 and null.verdicts[0].word in ("undecided", "unchanged")
    assert null.agent == nothing.agent, "what shows no gain is not taken"


def test_verdicts_are_by_the_interval_alone() -> None:
    from outflank.learn.generations import Measure

    def word(*elo: float | None) -> str:
        return Verdict("a", "b", Measure("b", 1, 1, 1, (0.5, 0.4, 0.6), elo)).word  # type: ignore[arg-type]

    assert [word(20, 1, 40), word(20, -1, 40), word(-20, -40, -1), word(500, 300, None)] == [
        *("gain", "undecided", "loss", "gain"),
    ]


def test_openings_that_decide_are_fresh_and_enough(tmp_path: Path) -> None:
    from outflank.learn.tuning import _Openings

    asked = plan()
    chosen = _Openings.of(asked, asked.tuner("spsa"))
    lines = [{one.line for one in part} for part in (chosen.tuning, chosen.curve, chosen.confirm)]
    assert [len(part) for part in lines] == [len(chosen.tuning), 2, 50] and len(chosen.tuning) >= 96
    assert not (lines[0] & lines[1] or lines[0] & lines[2] or lines[1] & lines[2])
    with pytest.raises(BadSpec, match="openings of their own"):
        run(plan(openings="start"), tmp_path / "out", Here())
    assert not list(tmp_path.iterdir()), "nothing is kept of what cannot be played"


def test_a_directory_of_another_command_is_refused(tmp_path: Path) -> None:
    run(plan(games=100, confirm=2, curve=0), tmp_path / "out", Here())
    with pytest.raises(BadSpec, match="was made with seed=3, not 4"):
        run(plan(games=100, confirm=2, curve=0, seed=4), tmp_path / "out", Here())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "essay.txt").write_text("…")
    with pytest.raises(BadSpec, match="is not empty"):
        run(plan(), tmp_path / "mine", Here())


def test_the_command_writes_card_and_report(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "tuned"
    command = ["tune", WEIGHTS, "--over", "mobility=0..40", "--rules", "standard 6x6", "--openings", "random(6)"]
    few = ["--games", "100", "--confirm", "4", "--curve", "2", "--method", "genetic", "--workers", "1", "--quiet"]
    assert main([*command, *few, "--anchors", "2", "--out", str(out)]) == 0
    answer, _ = capfd.readouterr()
    card = json.loads((out / "card.json").read_text())
    assert card["verdict"] in answer and f"tuned agent: {card['agent']}" in answer
    page = (out / "report" / "report.md").read_text()
    assert "Matches that decide" in page and "luckiest by chance" in page and "engine(level=3)" in page
    assert (out / "report" / "figures" / "tuning-path.svg").exists()
    assert "expected one of: spsa" in refused([*command, "--out", str(out), "--method", "luck"], capfd)


# --- workers that stay ----------------------------------------------------------------------------------------------


def test_kept_workers_do_one_job_after_the_other() -> None:
    with Processes(1) as kept:
        first = list(kept.run(Job("os:getpid", ""), []))
        assert first == []
        roots = dict(kept.run(Job("math:sqrt"), [("a", 9), ("b", 4)]))
        [worker] = kept._kept or []
        process = worker.process
        powers = dict(kept.run(Job("math:exp2"), [("a", 3)]))
        assert (roots, powers) == ({"a": 3.0, "b": 2.0}, {"a": 8.0})
        assert kept._kept and kept._kept[0].process is process
        process.kill()
        process.join()
        assert dict(kept.run(Job("math:sqrt"), [("a", 16)])) == {"a": 4.0}, "one that died is replaced"
    assert not process.is_alive()
