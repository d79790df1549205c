"""The network that plays without any library, and the search that asks it."""

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from naive_puct import NaivePuct
from outflank import Limits
from outflank.agents import agent, identity
from outflank.board import VARIANTS, Position, Rules, Variant
from outflank.errors import BadSpec
from outflank.kernels.forest import KEPT, Course, advance, new_group
from outflank.kernels.jit import Word
from outflank.kernels.network import LOGITS, new_workspace, predict
from outflank.kernels.puct import Reading
from outflank.search.networks import Network, Shape, read_network, shipped_network
from outflank.search.puct import PuctSearch
from outflank.search.solver import solve
from support import every_variant


def some_network(rules: Rules, channels: int = 16, seed: int = 0) -> Network:
    """Weights drawn at random, large enough that policy and value differ from move to move."""
    chance, shape = np.random.default_rng(seed), Shape(rules.size, channels, 1)
    fans = {"stem": 45, "convolutions": 9 * channels, "hidden": 8 * rules.cells, "last": 64}
    arrays = {
        name: chance.standard_normal(dims) * (2 / fans.get(name, channels)) ** 0.5 for name, dims in shape.parts.items()
    }
    return Network.of(rules, shape, arrays, {"made": "by a test"})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    some_network(Rules(4)).write(tmp_path / "network.npz")
    return tmp_path / "network.npz"


def convolved(x: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """[size, size, channels]: a convolution 3x3 by its definition."""
    padded, size = np.pad(x, ((1, 1), (1, 1), (0, 0))), len(x)
    parts = [padded[r : r + size, c : c + size] @ weights[r, c] for r in range(3) for c in range(3)]
    return np.asarray(sum(parts) + bias)


def by_definition(network: Network, position: Position) -> tuple[np.ndarray, float]:
    """Logits [size, size] and value in double precision."""
    parts = {name: array.astype(np.float64) for name, array in network.arrays().items()}
    size, rules = network.shape.size, position.rules
    other = position.with_turn(position.turn.other)
    own, opp = (position.black, position.white) if position.turn == 0 else (position.white, position.black)
    masks = (own, opp, position.moves_mask, other.moves_mask)
    planes = [[1.0 if mask & rules.bit(square) else 0.0 for square in range(rules.cells)] for mask in masks]
    x = np.array([*planes, [1.0] * rules.cells]).T.reshape(size, size, 5)
    x = np.maximum(convolved(x, parts["stem"], parts["biases"][0]), 0)
    for block in range(network.shape.blocks):
        first, second = parts["convolutions"][2 * block : 2 * block + 2]
        h = np.maximum(convolved(x, first, parts["biases"][2 * block + 1]), 0)
        x = np.maximum(convolved(h, second, parts["biases"][2 * block + 2]) + x, 0)
    narrow = np.maximum(x @ parts["narrow"] + parts["narrow_bias"], 0)
    hidden = np.maximum(np.tensordot(narrow.reshape(-1, 8), parts["hidden"], 2) + parts["hidden_bias"], 0)
    value = np.tanh(hidden @ parts["last"][:-1] + parts["last"][-1])
    return x @ parts["policy"] + parts["places"].reshape(size, size), float(value)


@pytest.mark.parametrize(("size", "channels"), [(4, 16), (6, 32), (8, 48)])
def test_the_forward_pass_equals_its_definition(size: int, channels: int) -> None:
    network, chance = some_network(Rules(size), channels), random.Random(size)
    position = Position.start(Rules(size))
    for _ in range(4):
        position = position.play(chance.choice(position.moves))
    logits = np.zeros((1, LOGITS), np.float32)
    value = predict(*position.boards, network.build(), new_workspace(size, channels), logits)
    expected_logits, expected = by_definition(network, position)
    assert abs(value - expected) < 1e-4
    assert np.abs(logits.reshape(8, 8)[:size, :size] - expected_logits).max() < 1e-3


@every_variant
@pytest.mark.parametrize("halving", [False, True])
def test_the_search_is_its_naive_twin(variant: Variant, halving: bool, tmp_path: Path) -> None:
    rules, chance = Rules(4, variant), random.Random(3)
    network = some_network(rules)
    network.write(tmp_path / "network.npz")
    search = PuctSearch(str(tmp_path / "network.npz"), exact=3, root="halving" if halving else "puct")
    for plies in (0, 3, 5):
        position = Position.start(rules)
        for _ in range(plies):
            position = position.play(chance.choice(position.moves))
        if len(position.moves) < 2:
            continue
        decision = search.choose(position, Limits(playouts=40), seed=0)
        root = NaivePuct(network, 3).search(position, 40, halving)
        assert {int(one.move): one.visits for one in decision.moves} == {
            move: child.visits for move, child in root.children.items()
        }
        chosen = root.children[int(decision.move)]
        assert decision.value is not None and abs(2 * decision.value - 1 - chosen.total / chosen.visits) < 1e-4


def test_many_playouts_find_the_truth(file: Path) -> None:
    """Where the whole tree is searched, even a network that knows nothing keeps the result that the solver knows."""
    chance, tried = random.Random(1), 0
    player = PuctSearch(str(file), exact=0, root="puct")
    while tried < 5:
        position = Position.start(Rules(4))
        while not position.is_over and position.empties > 5:
            position = position.play(chance.choice(position.moves))
        if len(position.moves) < 2:
            continue
        tried += 1
        chosen = player.choose(position, Limits(playouts=600), seed=0).move
        values = {root.move: root.value for root in solve(position, by="wdl", every_move=True).moves}
        assert values[chosen] == max(value for value in values.values() if value is not None)


def test_a_decision_does_not_depend_on_slices_or_seeds(file: Path) -> None:
    player, position = PuctSearch(str(file)), Position.start(Rules(4)).play("b1")
    whole = player.choose(position, Limits(playouts=60), seed=1)
    player._rate = 20.0  # slices of one playout
    parts = player.choose(position, Limits(playouts=60), seed=2)
    assert whole.moves == parts.moves and whole.move == parts.move


def test_lanes_play_the_same_games_in_any_ranges() -> None:
    network = some_network(Rules(4))
    course, reading = Course(8, 2, 0, 3, 2, 1.0, False), Reading(1.5, 0.25, 3, 1, 16, 16)
    found = []
    for edges in ([0, 6], [0, 1, 4, 6]):
        group = new_group(6, course, reading)
        start, net, space = Position.start(Rules(4)).boards, network.build(), new_workspace(4, 16)
        while sum(advance(*start, group, course, reading, Word(7), 0, first, last) for first, last in pairwise(edges)):
            for row in np.flatnonzero(group.leaves.depths >= 0):
                me, opp = group.leaves.boards[row, :2]
                logits = np.zeros((1, LOGITS), np.float32)
                group.leaves.values[row] = predict((me,), (opp,), start[2], net, space, logits)
                group.leaves.logits[row] = logits[0]
        assert group.lanes.columns[:, KEPT].min() > 0
        assert set(np.abs(group.record.outcomes).ravel().tolist()) <= {0, 1}
        found.append(group.record)
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def test_files_come_back_and_are_part_of_the_identity(file: Path, tmp_path: Path) -> None:
    read = read_network(file, Rules(4))
    assert read.shape == Shape(4, 16, 1) and np.array_equal(read.weights, some_network(Rules(4)).weights)
    first = identity(f'puct(network="{file}")')
    some_network(Rules(4), seed=1).write(file)
    assert identity(f'puct(network="{file}")') != first
    with pytest.raises(BadSpec, match="a network for standard 4x4; expected one for standard 6x6"):
        read_network(file, Rules(6))
    np.savez(tmp_path / "other.npz", weights=np.zeros(3))
    (tmp_path / "cut.npz").write_bytes(file.read_bytes()[:500])
    for name in ("other.npz", "cut.npz", "none.npz"):
        with pytest.raises(BadSpec):
            read_network(tmp_path / name)


def test_the_package_has_networks_for_both_usual_boards_and_both_variants() -> None:
    """Each with a card that says how it was made and how strong it was found to be."""
    for variant in VARIANTS:
        for size in (6, 8):
            agent("puct(playouts=2)").check_rules(Rules(size, variant))
            card = shipped_network(Rules(size, variant)).card
            assert card["made"]["rules"] == f"{variant} {size}x{size}" and "H200" in card["made"]["device"]
            assert any("uct(" in one["opponent"] for one in card["strength"])
            assert all(one["score"][1] > 0.5 for one in card["strength"])
    with pytest.raises(BadSpec, match="no trained network for standard 10x10"):
        agent("puct").check_rules(Rules(10))
