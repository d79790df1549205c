"""How far a shallow search errs about a deep one: the model behind ProbCut, and the margins it gives the kernel.

The error of a search of `probe` moves about one of `depth` moves, with so many squares empty, is taken as normal with
mean 0 and a standard deviation of exp(a + b depth + c probe + d empties) discs; about the end of the game, where depth
and empties are the same, as exp(a + c probe + d empties). `outflank learn probcut` fits the numbers on searches without
cuts, one model for every board and variant; they are in `weights/probcut.toml`.

A confidence is the probability with which a normal error stays within so many deviations to both sides.
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Rules
from outflank.errors import BadSpec
from outflank.kernels.jit import plain
from outflank.kernels.selective import CERTAIN, CONFIDENCES, probe_depth

DEVIATIONS = (1.1, 1.5, 2.0, 2.6, math.inf)
"""Standard deviations of every confidence."""
PERCENT = tuple(round(100 * math.erf(t / math.sqrt(2))) if t < math.inf else 100 for t in DEVIATIONS)
"""Every confidence for people: 73, 87, 95, 99, 100."""

_CERTAIN_MARGIN = 10_000


@dataclass(frozen=True)
class ProbCut:
    """The errors of shallow searches under some rules.

    >>> model = shipped_probcut(Rules(8))
    >>> 1 < model.deviation(8, 4, 30) < model.deviation(8, 2, 30) < 10
    True
    """

    leaves: tuple[float, float, float, float]
    """Constant, depth, probe, empties."""
    end: tuple[float, float, float]
    """Constant, probe, empties."""

    def deviation(self, depth: int, probe: int, empties: int) -> float:
        """In discs, of a probe about a search of this depth."""
        a, b, c, d = self.leaves
        return math.exp(a + b * depth + c * probe + d * empties)

    def end_deviation(self, probe: int, empties: int) -> float:
        """In discs, of a probe about the end of the game."""
        a, c, d = self.end
        return math.exp(a + c * probe + d * empties)

    def margins(self, cells: int) -> npt.NDArray[np.int16]:
        """[confidences, 2, depths, empties] as the kernel takes them."""
        margins = margins_without_cuts(cells)
        probe_of = plain(probe_depth)
        for depth in range(2, cells + 1):
            probe, places = probe_of(depth), range(depth, cells + 1)
            errors = [[self.deviation(depth, probe, empties) for empties in places]]
            errors += [[self.end_deviation(probe, empties) for empties in places]]
            margins[:CERTAIN, :, depth, depth:] = np.ceil(np.multiply.outer(DEVIATIONS[:CERTAIN], errors))
        return margins


def margins_without_cuts(cells: int) -> npt.NDArray[np.int16]:
    """Margins, in the same shape, that no probe ever passes.

    >>> margins_without_cuts(36).shape
    (5, 2, 37, 37)
    """
    return np.full((CONFIDENCES, 2, cells + 1, cells + 1), _CERTAIN_MARGIN, np.int16)


def _key(rules: Rules) -> str:
    return f"{rules.variant}-{rules.size}x{rules.size}"


@cache
def _shipped() -> Mapping[str, Any]:
    return tomllib.loads(resources.files("outflank").joinpath("weights", "probcut.toml").read_text(encoding="utf-8"))


def is_trained(rules: Rules) -> bool:
    """Whether the engine plays under these rules.

    >>> is_trained(Rules(8)), is_trained(Rules(12))
    (True, False)
    """
    return _key(rules) in _shipped()


@cache
def shipped_probcut(rules: Rules) -> ProbCut:
    """The model of the package for these rules; BadSpec where there is none."""
    known = _shipped()
    if not is_trained(rules):
        names = " or ".join(name.replace("-", " ") for name in known)
        raise BadSpec(f"the engine is not trained for {rules}; expected {names}; minimax plays on any board")
    return ProbCut(tuple(known[_key(rules)]["leaves"]), tuple(known[_key(rules)]["end"]))
