"""`PlayoutPolicy`: how the moves of playouts are chosen.

Read literally, the heuristic playouts of "Reversi with Monte Carlo Tree Search" are the same game over and over except
for ties; here that lost 4 : 116 against random playouts, while the paper reports 50 : 10. `own_heuristic` (own side by
the formula, the other at random) comes nearest to the paper and is the kind to use.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from outflank.board import SIZES, Rules
from outflank.errors import BadSpec
from outflank.evaluation import EvaluationSpec, Table, byte_sums, read_evaluation
from outflank.inputs import shown
from outflank.kernels.jit import Words
from outflank.kernels.policy import KINDS, OWN, PRINTED, Cutoff, Formula, Guided, Own, Policy, Uniform
from outflank.plugins import Plugin
from outflank.schema import LARGEST

_MOST_EMPTIES = SIZES[-1] ** 2
SquareTable = Table | Sequence[int] | npt.NDArray[np.integer]
"""A number per square: a named table, or n² numbers row by row."""


def squares_of(table: SquareTable | None, size: int, otherwise: int) -> npt.NDArray[np.int32]:
    """One number per square of a board of this size; `otherwise` everywhere when there is no table."""
    if table is None:
        return np.full(size * size, otherwise, np.int32)
    if isinstance(table, Table):
        return table.squares(size)
    squares = np.asarray(table).ravel()
    if len(squares) != size * size:
        raise BadSpec(f"table has {len(squares)} numbers, but a {size}x{size} board has {size * size} squares")
    if squares.dtype.kind not in "iu" or squares.min() < -LARGEST or squares.max() > LARGEST:
        raise BadSpec(f"a square has another worth than expected: whole numbers from {-LARGEST} to {LARGEST}")
    return squares.astype(np.int32)


@dataclass(frozen=True, eq=False)
class PlayoutPolicy:
    """How the moves of playouts are chosen; which fields matter depends on `kind`.

    >>> PlayoutPolicy("epsilon", epsilon=0.25).build(Rules(6), draw=0.5).epsilon
    0.25
    >>> PlayoutPolicy("greedy")
    Traceback (most recent call last):
    outflank.errors.BadSpec: playout 'greedy' is not known; expected one of: uniform, heuristic, ...
    """

    kind: str = "uniform"
    worths: SquareTable | None = None
    """Worth of the squares in H, written for the standard game; nothing is worth anything by default."""
    empties: Literal["before", "after"] = "before"
    """Whether H counts empty squares before or after the move."""
    formula: Sequence[int] | None = None
    """The six numbers of H; those of the paper by default."""
    epsilon: float = 0.1
    """Share of random moves of `epsilon`."""
    weights: SquareTable | None = None
    """Positive whole weights of the squares for `weighted`, as they are in both games; all equal by default."""
    depth: int = 8
    """Random moves before `cutoff` evaluates."""
    scale: float = 100.0
    """The evaluation at which `cutoff` expects 73 % of the points."""
    evaluation: EvaluationSpec | None = None
    """What `cutoff` evaluates with; the discs by default."""
    function: Plugin | None = None
    """A person's own, which chooses the moves in place of `kind`."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadSpec(f"playout {self.kind!r} is not known; expected one of: {', '.join(KINDS)}")
        if not 0 <= self.epsilon <= 1:
            raise BadSpec(f"epsilon={self.epsilon} is not possible; expected 0 to 1")
        if not 0 <= self.depth <= 400 or not 0.001 <= self.scale <= 1e12:
            raise BadSpec(f"depth={self.depth}, scale={self.scale} is not possible; expected 0 to 400, 0.001 to 1e+12")
        formula_of(self.formula)

    @property
    def has_own_code(self) -> bool:
        """Whether a function of a person's own chooses or evaluates, which only the processor runs."""
        return self.function is not None or (self.evaluation is not None and bool(self.evaluation.own))

    def check_rules(self, rules: Rules) -> None:
        """Raises BadSpec where a table or an evaluation is for other boards, or code cannot be compiled."""
        for table in (self.worths, self.weights):
            squares_of(table, rules.size, 0)
        if self.evaluation is not None:
            self.evaluation.check_rules(rules)
        if self.function is not None:
            self.function.build(rules)

    def build(self, rules: Rules, draw: float) -> Policy:
        """What kernels take: tables in the layout of these rules; a draw pays `draw`."""
        return _build(self, rules, draw)


def formula_of(numbers: Sequence[int] | None) -> Formula:
    """H with these numbers; the paper's where there are none.

    >>> formula_of([30, 80, 10, 60, 400, 10]) == formula_of(None)
    True
    """
    if numbers is None:
        return PRINTED
    if len(numbers) != len(PRINTED) or numbers[2] < 1 or not 0 <= numbers[5] <= _MOST_EMPTIES:
        printed = ", ".join(f"{number:g}" for number in PRINTED)
        raise BadSpec(
            f"formula={shown(list(numbers))} is not possible; expected six numbers such as the paper's {printed}: the "
            f"third 1 or more, the last 0 to {_MOST_EMPTIES}"
        )
    *weights, empties = numbers
    replies, discs, late_position, late_replies, late_discs = map(float, weights)
    return Formula(replies, discs, late_position, late_replies, late_discs, int(empties))


@lru_cache(maxsize=64)
def _build(policy: PlayoutPolicy, rules: Rules, draw: float) -> Policy:
    kind = KINDS.index(policy.kind) if policy.function is None else OWN
    paid = Uniform(kind, 1 if rules.variant == "standard" else -1, float(draw))
    if policy.function is not None:
        return Own(*paid, policy.function.build(rules))
    if policy.kind == "uniform":
        return paid
    if policy.kind == "cutoff":
        evaluation, plug = (policy.evaluation or read_evaluation("discs")).build(rules)
        return Cutoff(*paid, policy.depth, float(policy.scale), evaluation, plug)
    classes, weights = _weight_classes(squares_of(policy.weights, rules.size, 1), rules)
    sums = byte_sums(squares_of(policy.worths, rules.size, 0), rules)[None]
    formula = formula_of(policy.formula)
    return Guided(*paid, sums, policy.empties == "after", formula, float(policy.epsilon), classes, weights)


def _weight_classes(weights: npt.NDArray[np.int32], rules: Rules) -> tuple[Words, Words]:
    """Squares of equal weight as masks [classes, words], and the weights [classes]."""
    if weights.min() < 1:
        raise BadSpec(f"a square has the weight {weights.min()}; expected weights from 1 to {LARGEST}")
    values = np.unique(weights)
    masks = [sum(rules.bit(int(square)) for square in np.flatnonzero(weights == value)) for value in values]
    return np.array([rules.board(mask) for mask in masks], np.uint64), values.astype(np.uint64)
