"""Labels of positions: against the oracle and the engine, resumed, on any number of workers, in both forms."""

import json
import random
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import naive
from outflank import inputs
from outflank.agents import agent
from outflank.board import Position, Rules, Variant
from outflank.errors import BadSpec
from outflank.execute import Here, Processes
from outflank.formats import write_transcript
from outflank.game import Game
from outflank.interfaces.cli import main
from outflank.learn import labels
from outflank.learn.labels import Form, Judge, Labelling, gathered, read_labels, write_labels
from outflank.learn.selfplay import SelfPlay, write_games
from outflank.search.solver import solve
from support import every_variant


def random_game(rules: Rules, seed: int) -> Game:
    rng, game = random.Random(seed), Game(Position.start(rules))
    while game.end.moves:
        game = game.play(rng.choice(game.end.moves))
    return game


@pytest.fixture
def transcripts(tmp_path: Path) -> Path:
    """Games of 4x4 a line each."""
    path = tmp_path / "games.transcripts"
    games = [random_game(Rules(4), seed) for seed in range(12)]
    path.write_text("".join(f"{game.start.line()} {write_transcript(game)}\n" for game in games))
    return path


def plan_of(path: Path, rules: Rules, text: str, **options: Any) -> Labelling:
    return Labelling(rules, text, *gathered([path], rules, **options))


def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return list(a) == list(b) and all(
        np.array_equal(a[name], b[name], equal_nan=a[name].dtype.kind == "f") for name in a
    )


def position_of(rules: Rules, columns: dict[str, Any], row: int) -> Position:
    own, opposing = (rules.mask(tuple(columns[name][row])) for name in ("own", "opposing"))
    return Position(rules, own, opposing)


@every_variant
def test_solved_positions_equal_the_oracle(variant: Variant, transcripts: Path, tmp_path: Path) -> None:
    rules = Rules(4, variant)
    plan = plan_of(transcripts, rules, "solver", most=40, seed=1)
    assert write_labels(plan, tmp_path / "labels", Here()) == len(plan.own) == 40
    found = read_labels(tmp_path / "labels")
    assert found["exact"].all()
    for row in range(0, 40, 5):
        position = position_of(rules, found, row)
        board = tuple(position.cells())
        assert found["value"][row] == naive.solve(board, "X", variant, "winner")
        for move in position.moves:
            after = naive.play(board, "X", move)
            assert found["values"][row, move] == -naive.solve(after, "O", variant, "winner")
        assert np.isfinite(found["values"][row]).sum() == len(position.moves)


def test_positions_of_games_are_each_there_once(transcripts: Path) -> None:
    rules = Rules(4)
    own, opposing = gathered([transcripts, transcripts], rules)
    games = [random_game(rules, seed) for seed in range(12)]
    expected = {(one.own, one.opposing) for game in games for one in game.positions if one.moves_mask}
    assert {(int(a[0]), int(b[0])) for a, b in zip(own, opposing, strict=True)} == expected and len(own) == len(
        expected
    )
    assert len(gathered([transcripts], rules, every=3)[0]) == -(-len(own) // 3)
    few = gathered([transcripts], rules, most=10, seed=2)
    assert len(few[0]) == 10 and (few[0] == gathered([transcripts], rules, most=10, seed=2)[0]).all()


def test_the_engine_tells_every_move_and_where_it_is_exact(tmp_path: Path) -> None:
    rules = Rules(6)
    write_games(SelfPlay(rules, "random", (0, 0)), 3, tmp_path / "games.txt", Here())
    plan = plan_of(tmp_path / "games.txt", rules, "engine(depth=4, memory=1)", every=3)
    write_labels(plan, tmp_path / "labels", Here())
    found = read_labels(tmp_path / "labels")
    assert found["exact"].any() and not found["exact"].all()
    for row in range(len(plan.own)):
        position = position_of(rules, found, row)
        known = np.isfinite(found["values"][row])
        assert known.nonzero()[0].tolist() == list(position.moves)
        assert found["value"][row] == np.nanmax(found["values"][row])
        policy = found["policy"][row]
        assert policy.sum() == pytest.approx(1, abs=1e-5) and (policy[~known] == 0).all()
        assert found["values"][row, policy.argmax()] == found["value"][row]
        if found["exact"][row] and position.empties < 8:
            assert found["value"][row] == solve(position).score


@pytest.mark.parametrize("text", ["uct(playouts=50)", "minimax(depth=2)", "random", "greedy(ties=first)"])
def test_other_judges_say_what_they_know(text: str) -> None:
    position = Position.start(Rules(6)).play("c2")
    said = Judge(text).judge(position, seed=3)
    policy = labels.policy_of(said, 1.0, 37)
    assert policy.sum() == pytest.approx(1, abs=1e-5) and set(policy.nonzero()[0]) <= set(map(int, position.moves))
    if text.startswith("uct"):
        decision = agent(text).choose(position, seed=3)
        visits = {int(root.move): root.visits / 50 for root in decision.moves}
        assert all(policy[move] == pytest.approx(share, abs=0.05) for move, share in visits.items())


def test_labels_are_the_same_interrupted_and_on_workers(
    transcripts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labels, "_BLOCK", 25)
    plan = plan_of(transcripts, Rules(4), "uct(playouts=20)")
    whole, resumed = tmp_path / "whole", tmp_path / "resumed"
    write_labels(plan, whole, Here())
    parts = sorted(path.name for path in whole.glob("part-*"))
    assert len(parts) == -(-len(plan.own) // 25) > 2
    put, left = inputs.put_file, [3]

    def failing(path: Path, content: bytes) -> None:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        put(path, content)

    monkeypatch.setattr(labels, "put_file", failing)
    with pytest.raises(KeyboardInterrupt):
        write_labels(plan, resumed, Here())
    monkeypatch.setattr(labels, "put_file", put)
    assert len(list(resumed.glob("part-*"))) == 2
    assert write_labels(plan, resumed, Processes(2)) == len(plan.own) - 50
    assert write_labels(plan, resumed, Here()) == 0
    assert same(read_labels(whole), read_labels(resumed))


def test_parquet_has_the_same_labels(transcripts: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: Parquet was not tried")
    plan = plan_of(transcripts, Rules(4), "solver", most=30)
    for form in get_args(Form):
        write_labels(plan, tmp_path / form, Here(), form)
    assert same(read_labels(tmp_path / "npz"), read_labels(tmp_path / "parquet"))
    assert parquet.read_table(tmp_path / "parquet" / "part-00000.parquet").num_rows == 30


def test_the_command_labels_and_continues(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    games, out = str(tmp_path / "games.txt.xz"), str(tmp_path / "labels")
    assert (
        main(["selfplay", "--rules", "reversed 6x6", "--agent", "random", "--games", "20", "--out", games, "--quiet"])
        == 0
    )
    capfd.readouterr()
    command = [
        "label",
        games,
        "--out",
        out,
        "--agent",
        "engine(depth=2)",
        "--positions",
        "50",
        "--workers",
        "1",
        "--quiet",
    ]
    assert main(command) == 0
    said = capfd.readouterr().out
    assert said == f"{out}: 50 positions of reversed 6x6, judged by engine(depth=2), 50 of them now\n"
    assert main([*command, "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["judged"] == 0 and told["positions"] == 50 and told["rules"] == "reversed 6x6"
    assert main([*command, "--temperature", "2"]) == 2
    assert "was made with temperature=1.0, not 2.0; expected the same command" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": -1.0}, "temperature=-1.0 is not possible"),
        ({"seed": -1}, "seed=-1 is not possible"),
    ],
)
def test_bad_labellings_are_explained(options: dict[str, Any], message: str, transcripts: Path, tmp_path: Path) -> None:
    boards = gathered([transcripts], Rules(4))
    with pytest.raises(BadSpec, match=message):
        Labelling(Rules(4), "solver", *boards, **options)
    with pytest.raises(BadSpec, match="no position of standard 6x6"):
        gathered([transcripts], Rules(6))
    with pytest.raises(BadSpec, match="every 0"):
        gathered([transcripts], Rules(4), every=0)
    plan = Labelling(Rules(4), "engine", *boards)
    with pytest.raises(BadSpec, match="4x4"):
        write_labels(plan, tmp_path / "labels", Here())
    assert not (tmp_path / "labels").exists()
    with pytest.raises(BadSpec, match="no form is called 'csv'"):
        write_labels(plan, tmp_path / "labels", Here(), "csv")  # type: ignore[arg-type]
    with pytest.raises(BadSpec, match="is no directory of labels"):
        write_labels(Labelling(Rules(4), "solver", *boards), transcripts.parent, Here())
