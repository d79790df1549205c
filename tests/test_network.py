"""Networks that teach themselves, on 4x4 and on the CPU; PyTorch is an extra, and without it all of this is skipped."""

import json
from pathlib import Path

import numpy as np
import pytest

from outflank.board import Position, Rules
from outflank.errors import BadSpec, MissingExtra
from outflank.interfaces.cli import main
from outflank.kernels.forest import add_moves
from outflank.kernels.network import LOGITS, new_workspace, predict
from outflank.learn.network import Plan, State, learn, learn_rounds
from outflank.progress import Progress
from outflank.search.networks import read_network

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
    for wrong in ({"games": 10, "lanes": 4}, {"batch": 9}, {"playouts": 1}, {"device": "tpu"}, {"rate": 2.0}):
        with pytest.raises(BadSpec, match="expected"):
            Plan(Rules(4), **wrong)


@pytest.mark.skipif(torch is not None, reason="PyTorch is installed, so that its absence cannot be told")
def test_without_pytorch_the_command_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(MissingExtra, match=r"outflank\[network\]"):
        learn(TINY, tmp_path / "network.npz")


@needs_torch
def test_killed_and_resumed_is_undisturbed(tmp_path: Path) -> None:
    whole = learn(TINY, tmp_path / "whole.npz")
    (tmp_path / "parts").mkdir()
    for rounds in (1, 2, 3):  # killed after the first round, and after the second in the middle of the third
        state = State.read(tmp_path / "parts", TINY)
        assert state.rounds == rounds - 1
        next(learn_rounds(state, tmp_path / "parts", "cpu", Progress()))
    assert state.rounds == 3 and np.array_equal(state.best.weights, whole.best.weights)
    assert [point.gate for point in state.curve] == [point.gate for point in whole.curve]
    assert not (tmp_path / "whole.npz.state").exists()
    with pytest.raises(BadSpec, match="was made with seed=0, not 1"):
        State.read(tmp_path / "parts", Plan(**{**vars(TINY), "seed": 1}))
    (tmp_path / "parts" / "state.npz").write_bytes(b"nothing")
    with pytest.raises(BadSpec, match="is damaged"):
        State.read(tmp_path / "parts", TINY)


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
    words = "--channels 16 --blocks 1 --rounds 1 --games 8 --lanes 8 --playouts 4 --exact 4 --steps 4 --batch 16"
    given = [*words.split(), "--gate-games", "4", "--device", "cpu", "--match-games", "2", "--quiet", "--json"]
    assert main(["learn", "network", "--rules", "standard 4x4", "--out", out, *given]) in (None, 0)
    told = json.loads(capsys.readouterr().out)
    card = read_network(Path(out), Rules(4)).card
    assert card["made"]["all games"] == 8 and card["made"]["seed"] == 0 and "PyTorch" in card["made"]["device"]
    assert {one["opponent"] for one in card["strength"]} >= {"random", "uct(playouts=10000)"}
    assert told["strength"] == card["strength"] and len(card["gates"]) == 1


@needs_torch
def test_it_learns_what_the_solver_knows(tmp_path: Path) -> None:
    """On 4x4 the losses fall, and the value of a network that was trained tells won from lost positions."""
    plan = Plan(**{**vars(TINY), "rounds": 4, "games": 64, "lanes": 64, "steps": 60, "rate": 0.01, "exact": 0})
    state = learn(plan, tmp_path / "network.npz")
    assert state.curve[-1].value_loss < state.curve[0].value_loss
    from naive_truth import errors_of_signs

    assert errors_of_signs(state.best, seed=1) < 0.5 * errors_of_signs(State.begin(plan).best, seed=1) + 0.1
