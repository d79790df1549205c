"""Networks that teach themselves, on 4x4 and on the CPU; PyTorch is an extra, and without it training is skipped."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from outflank.board import Position, Rules
from outflank.errors import BadSpec, MissingExtra
from outflank.interfaces.cli import main
from outflank.kernels.forest import add_moves
from outflank.kernels.network import LOGITS, new_workspace, predict
from outflank.learn.network import GATES, Plan, State, gate_match, learn, learn_rounds
from outflank.progress import Progress
from outflank.search.networks import Network, read_network
from support import StoppedAt, refused

try:
    import torch

    torch.set_num_threads(1)
except ImportError:
    torch = None

needs_torch = pytest.mark.skipif(torch is None, reason="PyTorch is not installed: training of networks is not tested")

TINY = Plan(
    Rules(4),
    channels=16,
    blocks=1,
    rounds=3,
    games=16,
    lanes=8,
    playouts=8,
    together=2,
    exact=4,
    window=2,
    steps=10,
    batch=64,
    gate_games=8,
    device="cpu",
)


def test_plans_that_are_not_possible_are_told() -> None:
    for wrong in (
        {"games": 10, "lanes": 4},
        {"batch": 9},
        {"playouts": 1},
        {"device": "tpu"},
        {"rate": 2.0},
        {"gate_by": "me"},
    ):
        with pytest.raises(BadSpec, match="expected"):
            Plan(Rules(4), **wrong)


def test_without_pytorch_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Python takes a module for missing where None stands in its place, whether it is installed or not."""
    monkeypatch.setitem(sys.modules, "torch", None)
    out = tmp_path / "network.npz"
    assert "outflank[network]" in refused(["learn", "network", "--rules", "standard 4x4", "--out", str(out)], capfd)
    with pytest.raises(MissingExtra, match=r"outflank\[network\]"):
        learn(TINY, out)
    assert not list(tmp_path.iterdir())


@needs_torch
@pytest.mark.parametrize("gate_by", GATES)
def test_killed_twice_and_resumed_is_undisturbed(gate_by: str, tmp_path: Path) -> None:
    plan, torn = replace(TINY, gate_by=gate_by), tmp_path / "torn.npz"
    whole = learn(plan, tmp_path / "whole.npz")
    for moment in ("round 2: training", "round 3: candidate against best"):
        with pytest.raises(KeyboardInterrupt):
            learn(plan, torn, StoppedAt(moment))
    assert State.read(tmp_path / "torn.npz.state", plan).rounds == 2
    state = learn(plan, torn)
    assert np.array_equal(state.best.weights, whole.best.weights) and not (tmp_path / "torn.npz.state").exists()
    facts = [[(one.gate, one.gate_interval, one.taken, one.positions) for one in run.curve] for run in (whole, state)]
    assert facts[0] == facts[1] and (state.games, state.positions) == (whole.games, whole.positions)
    assert read_network(torn).weights.tolist() == read_network(tmp_path / "whole.npz").weights.tolist()


@needs_torch
def test_a_state_of_another_run_or_a_damaged_one_is_refused(tmp_path: Path) -> None:
    next(learn_rounds(State.begin(TINY), tmp_path, "cpu", Progress()))
    with pytest.raises(BadSpec, match="was made with seed=0, not 1"):
        State.read(tmp_path, replace(TINY, seed=1))
    (tmp_path / "state.npz").write_bytes(b"nothing")
    with pytest.raises(BadSpec, match="is damaged"):
        State.read(tmp_path, TINY)


@needs_torch
@pytest.mark.parametrize("gate_by", GATES)
def test_a_gate_tells_who_is_better(gate_by: str, tmp_path: Path) -> None:
    """A network that sees the truth against one that wants to lose, and the same network against itself."""
    plan = replace(TINY, gate_by=gate_by, gate_games=24, playouts=16, exact=0)
    good = learn(replace(TINY, rounds=2, games=64, lanes=64, steps=60, rate=0.01, exact=0), tmp_path / "good.npz").best
    parts = good.arrays()
    contrary = {"last": -parts["last"], "policy": -parts["policy"], "places": -parts["places"]}
    bad = Network.of(plan.rules, plan.shape, parts | contrary, {})
    other = tmp_path / "other"
    other.mkdir()
    here, there = (tmp_path, other) if gate_by == "arena" else ("cpu", "cpu")
    found = gate_match(plan, bad, good, 0, here)
    assert found.value > 0.6 and found.value == 1 - gate_match(plan, good, bad, 0, there).value
    assert gate_match(plan, good, good, 1, here).value == 0.5


@needs_torch
def test_both_forward_passes_agree() -> None:
    from outflank.learn.residual import Evaluator

    network = State.begin(TINY).best
    boards = Position.start(Rules(4)).boards
    logits = np.zeros((1, LOGITS), np.float32)
    value = predict(*boards, network.build(), new_workspace(4, 16), logits)
    words = np.array([[boards[0][0], boards[1][0], 0, 0]], np.uint64)
    add_moves(boards[2], words)
    others, values = Evaluator(network, "cpu").answer(torch.from_numpy(words.view(np.int64)))
    assert abs(float(values[0]) - value) < 1e-5 and np.abs(others.numpy() - logits).max() < 1e-5


@needs_torch
def test_the_command_plays_learns_and_writes_a_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, games = str(tmp_path / "network.npz"), tmp_path / "games.txt"
    games.write_text("0 +2 b1\n")
    words = "--channels 16 --blocks 1 --rounds 1 --games 8 --lanes 8 --playouts 4 --endgame 4 --steps 4 --batch 16"
    given = [*words.split(), "--gate-games", "4", "--device", "cpu", "--match-games", "2", "--quiet", "--json"]
    assert main(["learn", "network", "--rules", "standard 4x4", "--out", out, *given]) in (None, 0)
    told = json.loads(capsys.readouterr().out)
    card = read_network(Path(out), Rules(4)).card
    assert card["made"]["all games"] == 8 and card["made"]["seed"] == 0 and "PyTorch" in card["made"]["device"]
    assert {one["opponent"] for one in card["strength"]} >= {"random", "uct(playouts=10000)"}
    assert told["strength"] == card["strength"] and len(card["gates"]) == 1 and len(card["gates"][0]["interval"]) == 2


@needs_torch
def test_it_learns_what_the_solver_knows(tmp_path: Path) -> None:
    """On 4x4 the losses fall, and the value of a network that was trained tells won from lost positions."""
    plan = replace(TINY, rounds=4, games=64, lanes=64, steps=60, rate=0.01, exact=0)
    state = learn(plan, tmp_path / "network.npz")
    assert state.curve[-1].value_loss < state.curve[0].value_loss
    from naive_truth import errors_of_signs

    assert errors_of_signs(state.best, seed=1) < 0.5 * errors_of_signs(State.begin(plan).best, seed=1) + 0.1
