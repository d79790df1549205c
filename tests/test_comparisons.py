"""Verdicts: exact values, error rates and power of the rule at every number of games that papers used."""

import math
import random
import re
from functools import lru_cache
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom, binomtest, fisher_exact, ttest_ind_from_stats

from outflank.arena.statistics.comparisons import (
    LEVEL,
    MARGIN,
    Contrast,
    accepted,
    all_hold,
    answer,
    chance,
    difference,
    equivalent,
    log_likelihood,
    weigh,
)
from outflank.arena.statistics.measured import Measured, gain, mean, mean_of_groups, share, share_of_groups
from support import ROOT

OURS = 400
IN_USE = (1, 6, 10, 24, 25, 30, 50, 60, 100, 500, 1000)
"""Games behind printed shares."""


def shares(value: float, games: int) -> Measured:
    return Measured("share", value, games)


# ------------------------------------------------------------------------------------------------------- exact values


def test_the_chance_of_shares_is_fishers() -> None:
    rng = random.Random(1)
    for _ in range(200):
        games, others = rng.randint(1, 500), rng.randint(1, 100)
        hits, other_hits = rng.randint(0, games), rng.randint(0, others)
        ours = chance(shares(hits / games, games), shares(other_hits / others, others))
        exact = fisher_exact([[hits, games - hits], [other_hits, others - other_hits]]).pvalue
        assert ours == pytest.approx(exact, abs=1e-9)


def test_the_chance_of_means_is_welchs() -> None:
    rng = random.Random(2)
    for _ in range(100):
        one, other = (Measured("mean", rng.gauss(10, 3), rng.randint(2, 400), rng.uniform(0.5, 9)) for _ in range(2))
        exact = ttest_ind_from_stats(
            one.value, one.spread, one.games, other.value, other.spread, other.games, equal_var=False
        ).pvalue
        assert chance(one, other) == pytest.approx(exact, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_intervals_of_few_games_are_clopper_and_pearsons(confidence: float) -> None:
    for games in (6, 25, 50, 100):
        for hits in range(0, games + 1, 3):
            exact = binomtest(hits, games).proportion_ci(confidence, "exact")
            assert shares(hits / games, games).interval(confidence) == pytest.approx((exact.low, exact.high), abs=0.003)


def test_groups_weigh_the_same_however_many_games_they_have() -> None:
    few, many = [1.0, 3.0], [10.0, 14.0] * 50
    found = mean_of_groups([few, many])
    assert found is not None and found.value == 7.0 and found.games == 102
    error = math.sqrt(np.var(few, ddof=1) / 2 + np.var(many, ddof=1) / 100) / 2
    assert found.error == pytest.approx(error)
    even = share_of_groups([[True, False], [True, True]])
    assert even is not None and even.value == 0.75 and even.weight == 4
    assert share_of_groups([[True], []]) is None and mean([]) is None and share([]) is None
    assert gain(even, None) is None


def test_what_is_accepted_ends_where_it_differs() -> None:
    for games in IN_USE:
        for value in (0.0, 0.5, 0.8):
            theirs = shares(round(value * games) / games, games)
            low, high = accepted(shares(0.5, OURS), theirs)
            assert chance(shares(low, OURS), theirs) >= LEVEL <= chance(shares(high, OURS), theirs)
            if low > 0:
                assert chance(shares(low - 1 / OURS, OURS), theirs) < LEVEL
            if high < 1:
                assert chance(shares(high + 1 / OURS, OURS), theirs) < LEVEL
    ours, theirs = Measured("mean", 9.0, 24, 2.0), Measured("mean", 10.0, 24, 2.0)
    for end in accepted(ours, theirs):
        assert chance(Measured("mean", end, 24, 2.0), theirs) == pytest.approx(LEVEL)


def test_a_likelier_truth_has_the_larger_likelihood() -> None:
    printed = shares(0.84, 50)
    assert log_likelihood(shares(0.85, OURS), printed) > log_likelihood(shares(0.7, OURS), printed)
    assert log_likelihood(shares(1.0, OURS), shares(0.0, 50)) > -math.inf
    nodes = Measured("mean", 280.0, 24, 60.0)
    assert log_likelihood(Measured("mean", 285.0, 96, 60.0), nodes) > log_likelihood(Measured("mean", 0.0, 20), nodes)


# --------------------------------------------------------------------------------------------------------- error rates


@lru_cache(maxsize=100_000)
def _differs(hits: int, other_hits: int, others: int) -> bool:
    ours, theirs = shares(hits / OURS, OURS), shares(other_hits / others, others)
    return chance(ours, theirs) < LEVEL and not equivalent(ours, theirs)  # as weigh, in less time


def said_to_differ(ours: float, theirs: float, games: int) -> float:
    """The probability that `games` with one truth are said to differ from our games with another, summed exactly.

    Ours are taken at 25 quantiles.
    """
    hits = sorted({int(hit) for hit in binom.ppf((np.arange(25) + 0.5) / 25, OURS, ours)})
    edges = [-1, *((left + right) // 2 for left, right in pairwise(hits)), OURS]
    weights = np.diff(binom.cdf(edges, OURS, ours))
    low, high = (int(end) for end in binom.ppf([1e-4, 1 - 1e-4], games, theirs))
    return float(
        sum(
            weight * binom.pmf(other, games, theirs)
            for hit, weight in zip(hits, weights, strict=True)
            for other in range(low, high + 1)
            if weight > 1e-6 and _differs(hit, other, games)
        )
    )


@pytest.mark.parametrize("games", IN_USE)
def test_a_true_agent_is_said_to_differ_in_at_most_one_cell_of_twenty(games: int) -> None:
    for truth in (0.02, 0.16, 0.5, 0.84) if games < 500 else (0.5, 0.9):
        assert said_to_differ(truth, truth, games) <= LEVEL + 0.001


def test_true_means_are_said_to_differ_in_one_cell_of_twenty() -> None:
    rng = np.random.default_rng(3)
    for games in (24, 25, 50, 100):
        wrong = 0
        for _ in range(400):
            ours, theirs = rng.normal(40, 12, OURS), rng.normal(40, 12, games)
            spread = float(np.std(ours, ddof=1))
            one = Measured("mean", float(ours.mean()), OURS, spread)
            wrong += weigh(one, Measured("mean", float(theirs.mean()), games, spread, freedom=399)).verdict == "differs"
        assert wrong <= 34  # five in a hundred, and three standard deviations of chance


def test_a_difference_of_twenty_points_is_caught_with_the_stated_power() -> None:
    """The table of docs/statistics.md: printed games, errors, and power at 50 against 30 % and 90 against 70 %."""
    text = (ROOT / "docs" / "statistics.md").read_text()
    stated = {int(row[0]): row[1:] for row in re.findall(r"^\| (\d+) \| (\d+) % \| (\d+) % \|", text, re.MULTILINE)}
    assert set(stated) == set(IN_USE)
    for games, (middle, edge) in stated.items():
        assert 100 * said_to_differ(0.5, 0.3, games) == pytest.approx(int(middle), abs=1.5)
        assert 100 * said_to_differ(0.9, 0.7, games) == pytest.approx(int(edge), abs=1.5)


def test_a_difference_of_the_margin_is_seldom_called_equivalent() -> None:
    rng = np.random.default_rng(4)
    for games in (50, 100, 1000):
        for ours in (0.5, 0.9, 1.0):
            draws = zip(rng.binomial(OURS, ours, 100), rng.binomial(games, ours - MARGIN, 100), strict=True)
            wrong = sum(equivalent(shares(a / OURS, OURS), shares(b / games, games)) for a, b in draws)
            assert wrong <= 11  # five in a hundred, and three standard deviations of chance


# -------------------------------------------------------------------------------------------------------------- claims


def test_claims_need_an_effect_to_hold_and_its_absence_to_fail() -> None:
    assert answer(Contrast("c", shares(0.57, 1600), 0.5)) is True
    assert answer(Contrast("c", shares(0.51, 100_000), 0.5)) is False  # above, but by less than counts
    assert answer(Contrast("c", shares(0.55, 100), 0.5)) is None
    assert answer(Contrast("c", 0.5, shares(0.2, 100))) is True
    assert answer(Contrast("c", None, 0.5)) is None


def test_no_difference_needs_to_be_shown() -> None:
    assert answer(Contrast("c", shares(0.5, 30), shares(0.5, 30), "equal", 0.1)) is None
    assert answer(Contrast("c", shares(0.5, 1000), shares(0.52, 1000), "equal", 0.1)) is True
    assert answer(Contrast("c", shares(0.5, 1000), shares(0.7, 1000), "equal", 0.1)) is False


def test_no_fall_allows_a_small_one() -> None:
    assert answer(Contrast("c", shares(0.99, 400), shares(1.0, 400), "not below", 0.1)) is True
    assert answer(Contrast("c", shares(0.6, 400), shares(0.8, 400), "not below", 0.1)) is False


def test_every_setting_is_tested() -> None:
    good, bad, open_ = (Contrast("c", shares(value, 100), 0.5) for value in (0.8, 0.2, 0.5))
    assert all_hold([good, good]) is True
    assert all_hold([good, bad]) is False
    assert all_hold([good, open_]) is None
    assert all_hold([]) is None


def test_one_failure_by_chance_among_many_settings_fails_no_claim() -> None:
    """A setting that alone would fail at 5 % does not among sixteen."""
    doubtful = Contrast("c", shares(0.48, 150), 0.5, effect=0.07)
    assert answer(doubtful) is None or all_hold([doubtful] * 16) is None
    low, high = difference(shares(0.48, 150), 0.5, 0.95)
    assert low < 0 < high
