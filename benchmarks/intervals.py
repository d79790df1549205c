"""How often 95 % intervals hold the truth: the table of docs/statistics.md, by simulated matches.

    python benchmarks/intervals.py [matches]

For every score and number of pairs it prints the lowest coverage over seven ways in which pairs can hang together: of
Student's interval with Wilson's ends, and of `arena.statistics.estimates.score`.
"""

import math
import sys
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from outflank.arena.statistics.elo_scale import expected_score
from outflank.arena.statistics.estimates import sample_of, score

Floats = npt.NDArray[np.float64]
SCORES, PAIRS = (0.5, 0.75, 0.9, 0.95, 0.99), (5, 10, 30, 100, 300, 1000)


def ways(share: float) -> Iterator[Floats]:
    """Chances of the five results of a pair, all with this score."""
    yield _pairs(share, bias=0.0, draws=0.0)
    yield _pairs(share, bias=0.0, draws=0.1)
    yield _pairs(share, bias=0.0, draws=0.3)
    yield _pairs(share, bias=200.0, draws=0.1)
    yield _pairs(share, bias=400.0, draws=0.0)
    yield np.array([1 - share, 0, 0, 0, share])
    yield np.array([0, 0, 2 - 2 * share, 0, 2 * share - 1])


def _pairs(share: float, bias: float, draws: float) -> Floats:
    """From openings that favour a side by a normal `bias` in Elo; `draws` is their share in level games."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(15)

    def game(difference: float) -> Floats:
        wins = expected_score(difference)
        drawn = draws * 2 * min(wins, 1 - wins)
        return np.array([1 - wins - drawn / 2, drawn, wins - drawn / 2])

    def pair(elo: float) -> Floats:
        parts = [
            w * np.convolve(game(elo + bias * x), game(elo - bias * x)) for x, w in zip(nodes, weights, strict=True)
        ]
        return np.asarray(np.sum(parts, axis=0) / weights.sum())

    low, high = -3000.0, 3000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if pair(middle) @ np.arange(5) / 4 < share else (low, middle)
    return pair(low)


def student(counts: list[int]) -> tuple[float, float]:
    """Student's interval, 1.96 standard errors from 100 pairs on, with Wilson's ends where it leaves 0..1.

    Where all pairs ended alike, the share of such pairs is 0.05^(1/N) or more.
    """
    sample = sample_of(counts)
    units, mean = sample.units, sample.mean
    if sample.single is not None:
        return 0.05 ** (1 / units) * mean, 1 - 0.05 ** (1 / units) * (1 - mean)
    reach = (1.96 if units >= 100 else float(stdtrit(units - 1, 0.975))) * sample.error
    weight = 1.96**2 / units
    centre = (mean + weight / 2) / (1 + weight)
    wilson = math.sqrt(weight * mean * (1 - mean) + weight * weight / 4) / (1 + weight)
    low, high = mean - reach, mean + reach
    return (low if low > 0 else max(0.0, centre - wilson)), (high if high < 1 else min(1.0, centre + wilson))


def ours(counts: list[int]) -> tuple[float, float]:
    """The interval of reports."""
    estimate = score(counts)
    assert estimate.low is not None and estimate.high is not None
    return estimate.low, estimate.high


def coverage(interval: Callable[[list[int]], tuple[float, float]], chances: Floats, pairs: int, matches: int) -> float:
    """The share of simulated matches whose interval holds the true score."""
    truth = float(chances @ np.arange(5)) / 4
    seen, often = np.unique(
        np.random.default_rng(pairs).multinomial(pairs, chances, matches), axis=0, return_counts=True
    )
    held = 0
    for counts, times in zip(seen.tolist(), often.tolist(), strict=True):
        low, high = interval(counts)
        held += times * (low - 1e-12 <= truth <= high + 1e-12)
    return held / matches


def main(matches: int) -> None:
    """Prints the table."""
    print("| score | " + " | ".join(f"{pairs} pairs" for pairs in PAIRS) + " |")
    print("|---:" * (len(PAIRS) + 1) + "|")
    for share in SCORES:
        cells = []
        for pairs in PAIRS:
            both = [min(coverage(method, way, pairs, matches) for way in ways(share)) for method in (student, ours)]
            cells.append(" → ".join(f"{100 * lowest:.1f}" for lowest in both))
        print(f"| {100 * share:.0f} % | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
