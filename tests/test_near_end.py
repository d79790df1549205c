"""The exact search of the last squares against brute force and the oracle, with tables of any age, and when stopped."""

import random
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import naive
from outflank.board import Empties, Position, Rules, Variant
from outflank.kernels.control import CELLS, MOST, NODES, STOP, Control
from outflank.kernels.jit import Words
from outflank.kernels.near_end import CHECKED, NEAR_END, near_end, search
from outflank.kernels.shallow import few, shallow
from outflank.kernels.table import lower_in, new_table, upper_in
from outflank.search.solver import endgame_rules
from support import EFFORT, PATIENCE, every_size, every_variant, from_naive
from test_solver import brute, every_convention, filled, played

MANY = 1 << 60


def new_control(most: int = MANY) -> Control:
    control = np.zeros(CELLS, np.int64)
    control[MOST] = most
    return control


def bound(position: Position, alpha: int, empties: Empties, near: Words, control: Control | None = None) -> int:
    """What the kernel says of a position."""
    rules = endgame_rules(position.rules, empties)
    me, opp, _ = position.boards
    control = new_control() if control is None else control
    return int(near_end(me, opp, rules, position.empties, alpha, near, control))


def some(rules: Rules, most: int, number: int) -> Iterator[Position]:
    """Positions of games, and full boards with holes, with 0 to `most` empty squares."""
    for seed in range(max(int(number * EFFORT), 3)):
        holes = min(seed % (most + 1), rules.cells - 4)
        yield (filled if seed % 3 or rules.size > 8 else played)(rules, holes if EFFORT == 1 else min(holes, 5), seed)


@every_size
@every_variant
@every_convention
def test_bounds_are_true_of_every_window(size: int, variant: Variant, empties: Empties) -> None:
    """One small table serves all positions, so that its entries are overwritten, tightened and met again."""
    near = new_table(0.001, least=2)
    most, number = {4: (9, 200), 6: (9, 200), 8: (9, 200)}.get(size, (7, 60))
    for position in some(Rules(size, variant), most, number):
        score = brute(position, empties)
        for alpha in (score - 9, score - 1, score, score + 9, -position.rules.cells - 1, position.rules.cells):
            value = bound(position, alpha, empties, near)
            assert alpha < value <= score if score > alpha else score <= value <= alpha, (position, alpha)


@every_variant
@every_convention
@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_scores_equal_the_oracle(size: int, variant: Variant, empties: Empties) -> None:
    """The oracle knows nothing of our kernels; it is slow, so the positions are few and small."""
    rng, near = random.Random(size), new_table(0.1)
    for _ in range(max(int(8 * EFFORT), 2)):
        board, side = naive.start(size), "X"
        while naive.counts(board)[2] > 5 and (plies := naive.plies(board, side)):
            board, side = naive.play(board, side, rng.choice(plies)), naive.OTHER[side]
        score = naive.solve(board, side, variant, empties)
        position = from_naive(board, side, variant)
        assert bound(position, score - 1, empties, near) == score == bound(position, score, empties, near)


@pytest.mark.compiled
@every_variant
def test_entries_of_other_positions_do_no_harm(variant: Variant) -> None:
    """Thousands of positions in many windows, with one table and each with an empty one."""
    near, rng = new_table(0.02), random.Random(5)
    for seed in range(400):
        position = played(Rules(8, variant), rng.randint(7, NEAR_END), seed)
        alphas = [rng.randint(-64, 63) for _ in range(4)]
        for alpha in alphas:
            assert (bound(position, alpha, "winner", near) > alpha) == (
                bound(position, alpha, "winner", new_table(0.02)) > alpha
            )


@every_size
def test_the_most_moves_have_room(size: int) -> None:
    """With `NEAR_END` empty squares, all of them legal, on a board of any size."""
    for seed in range(int(50 * EFFORT)):
        position = filled(Rules(size), min(NEAR_END, size * size - 4), seed)
        control = new_control(30)
        bound(position, 0, "winner", new_table(0.01), control)
        assert control[NODES] <= 30 + 10**4


@every_variant
@pytest.mark.parametrize("size", [6, 8, 10])
def test_a_search_ends_at_its_limit_and_stores_nothing_wrong(size: int, variant: Variant) -> None:
    for seed in range(max(int(20 * EFFORT), 2)):
        position = played(Rules(size, variant), CHECKED + 1, seed)
        whole = new_control()
        near = new_table(0.1)
        value = bound(position, 0, "winner", near, whole)
        for most in (1, 20, 200)[: None if EFFORT == 1 else 2]:
            near, control = new_table(0.1), new_control(most)
            bound(position, 0, "winner", near, control)
            assert control[STOP] == (whole[NODES] >= most) and control[NODES] <= most + 5000
            for key, data in near:  # whatever was stored is no contradiction
                assert key == 0 or lower_in(data) <= upper_in(data)
            assert (bound(position, 0, "winner", near) > 0) == (value > 0), position


def test_a_stopped_search_does_nothing() -> None:
    position = played(Rules(8), CHECKED, 3)
    control, near = new_control(), new_table(0.1)
    control[STOP] = 1
    bound(position, 0, "winner", near, control)
    assert control[NODES] == 1 and not near.any()


@pytest.mark.compiled
def test_kernels_compile_once_per_layout() -> None:
    for size in (4, 6, 8, 10, 16):
        for variant in ("standard", "reversed"):
            for holes in range(9):
                bound(filled(Rules(size, variant), holes, 1), 0, "nobody", new_table(0.01))
    kernels: list[Any] = [near_end, search, few, shallow]
    assert len(kernels[0].signatures) == 2
    assert all(len(kernel.signatures) <= 2 for kernel in kernels), "a literal was passed on"


@pytest.mark.compiled
def test_the_next_process_runs_the_kernels_from_the_disk() -> None:
    """Cached recursion that meets a literal crashes only in the second process."""
    position = played(Rules(8), 10, 3)
    script = (
        "import numpy as np; from outflank.board import Position; from outflank.kernels.near_end import near_end; "
        "from outflank.kernels.table import new_table; from outflank.search.solver import endgame_rules; "
        f"position = Position.parse({position.line()!r}); rules = endgame_rules(position.rules, 'winner'); "
        "print(near_end(*position.boards[:2], rules, 10, 0, new_table(0.1), np.array([0, 0, 10**9])))"
    )
    value = bound(position, 0, "winner", new_table(0.1))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == value
