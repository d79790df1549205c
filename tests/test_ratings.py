"""Ratings of tournaments: a slow solver that looks at single games, known strengths, and what games cannot tell."""

import math
import random
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.arena.ratings import Ratings, collect, cross_table, rate
from outflank.arena.ratings.intervals import ELO, Errors
from outflank.arena.statistics import elo_scale, estimates
from outflank.arena.statistics.pairs import tally
from outflank.errors import BadSpec

Game = tuple[str, str, float, int | None]

results_of_games = st.lists(
    st.tuples(st.sampled_from("ABCDEF"), st.sampled_from("ABCDEF"), st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 5))
    .filter(lambda game: game[0] != game[1])
    .map(lambda game: (game[0], game[1], game[2], game[3] or None)),
    max_size=40,
)


def tournament(
    strengths: dict[str, float], pairs: int, seed: int, first_move: float = 0.0, bias: float = 100.0
) -> list[Game]:
    """Everyone plays everyone, in pairs from openings that favour a side by a normal `bias` in Elo; some are drawn."""
    rng = random.Random(seed)
    games: list[Game] = []
    names = list(strengths)
    for number, one in enumerate(names):
        for two in names[number + 1 :]:
            for pair in range(pairs):
                opening = rng.gauss(first_move, bias)
                for black, white in ((one, two), (two, one)):
                    share = elo_scale.expected_score(strengths[black] - strengths[white] + opening)
                    drawn, luck = 0.2 * min(share, 1 - share), rng.random()
                    points = 1.0 if luck < share - drawn / 2 else 0.5 if luck < share + drawn / 2 else 0.0
                    games.append((black, white, points, pair))
    return games


STRENGTHS = {"Ada": 0.0, "Bob": 120.0, "Cyd": -90.0, "Dan": 260.0, "Eve": 40.0}
GAMES = tournament(STRENGTHS, 100, seed=11, first_move=40.0)


def naive_strengths(games: list[Game], advantage: bool, steps: int = 4000) -> tuple[dict[str, float], float]:
    """Gradient ascent on the likelihood of single games; ratings in Elo with mean 0, and the advantage of black."""
    players = sorted({player for game in games for player in game[:2]})
    theta, h = dict.fromkeys(players, 0.0), 0.0
    played = {player: sum(player in game[:2] for game in games) for player in players}
    table: dict[tuple[str, str], list[float]] = {}
    for black, white, points, _ in games:
        entry = table.setdefault((black, white), [0, 0.0])
        entry[0] += 1
        entry[1] += points
    for _ in range(steps):
        slope, slope_h = dict.fromkeys(players, 0.0), 0.0
        for (black, white), (n, points) in table.items():
            excess = points - n / (1 + math.exp(theta[white] - theta[black] - h))
            slope[black] += excess
            slope[white] -= excess
            slope_h += excess
        theta = {player: theta[player] + 2 * slope[player] / played[player] for player in players}
        h += 2 * slope_h / len(games) if advantage else 0.0
    mean = sum(theta.values()) / len(theta)
    return {player: ELO * (theta[player] - mean) for player in players}, ELO * h


def elos(table: Ratings) -> dict[str, float]:
    return {line.player: line.elo.value for line in table.lines}


def half_width(estimate: estimates.Estimate) -> float:
    assert estimate.low is not None and estimate.high is not None
    return (estimate.high - estimate.low) / 2


def reach(table: Ratings, player: str) -> float:
    return half_width(table[player].elo)


# ---------------------------------------------------------------------------------------------------------- numbers


@pytest.mark.parametrize("advantage", [False, True])
def test_a_slow_solver_agrees(advantage: bool) -> None:
    theirs, first_move = naive_strengths(GAMES, advantage)
    ours = rate(collect(GAMES), advantage=advantage)
    assert elos(ours) == pytest.approx(theirs, abs=1e-6)
    assert (ours.advantage is not None) == advantage
    if ours.advantage is not None:
        assert ours.advantage.value == pytest.approx(first_move, abs=1e-6)


def test_strengths_are_found_again() -> None:
    games = tournament(STRENGTHS, 1500, seed=3, first_move=40.0, bias=0.0)
    table = rate(collect(games), anchor=("Ada", 0.0), advantage=True)
    for player, strength in STRENGTHS.items():
        assert table[player].elo.value == pytest.approx(strength, abs=12)
    assert table.advantage is not None and table.advantage.value == pytest.approx(40, abs=8)
    assert [line.player for line in table.lines] == ["Dan", "Bob", "Eve", "Ada", "Cyd"]


def test_two_players_are_a_match() -> None:
    games = [game for game in GAMES if set(game[:2]) == {"Ada", "Bob"}]
    match = tally((pair, black == "Bob", p if black == "Bob" else 1 - p) for black, _, p, pair in games)
    table = rate(collect(games), anchor=("Ada", 0.0))
    estimate = elo_scale.elo(match.counts)
    assert table["Bob"].elo.value == pytest.approx(estimate.value, abs=1e-6)
    assert reach(table, "Bob") == pytest.approx(half_width(estimate), rel=0.02)
    assert table.above("Bob", "Ada") == pytest.approx(estimates.superiority(match.counts), abs=0.02)


def naive_margins(games: list[Game], over_pairs: bool) -> dict[str, float]:
    """± Elo against the first player, with H and M written out from single games."""
    fitted, _ = naive_strengths(games, advantage=False)
    players = sorted(fitted)
    units: dict[object, np.ndarray[tuple[int], np.dtype[np.float64]]] = {}
    information = np.zeros((len(players), len(players)))
    for number, (black, white, points, pair) in enumerate(games):
        x = np.zeros(len(players))
        x[players.index(black)], x[players.index(white)] = 1, -1
        chance = elo_scale.expected_score(fitted[black] - fitted[white])
        information += chance * (1 - chance) * np.outer(x, x)
        unit = (min(black, white), max(black, white), pair) if over_pairs else number
        units[unit] = units.get(unit, np.zeros(len(players))) + (points - chance) * x
    inverse = np.linalg.inv(information[1:, 1:])
    middle = sum(np.outer(u, u) for u in units.values())
    covariance = inverse @ np.asarray(middle)[1:, 1:] @ inverse if over_pairs else inverse
    return dict(zip(players[1:], 1.96 * ELO * np.sqrt(np.diag(covariance)), strict=True))


def test_margins_are_those_of_the_formulas() -> None:
    results = collect(GAMES)
    model = rate(results, anchor=("Ada", 0.0), errors="model")
    pairs = rate(results, anchor=("Ada", 0.0), errors="pairs")
    for player, value in naive_margins(GAMES, over_pairs=False).items():
        assert reach(model, player) == pytest.approx(value, rel=1e-4)
    for player, value in naive_margins(GAMES, over_pairs=True).items():
        assert value < reach(pairs, player) < 1.015 * value  # one imagined pair in a hundred


def test_all_three_kinds_of_margin_are_alike() -> None:
    """ARENA: 33/33/38/36 by the model, 33/32/36/34 over pairs, 29/31/38/34 by bootstrap on such a tournament."""
    results = collect(tournament(STRENGTHS, 100, seed=2, bias=0.0))
    tables = [rate(results, anchor=("Ada", 0.0), errors=e, seed=1) for e in ("model", "pairs", "bootstrap")]
    for player in ("Bob", "Cyd", "Dan", "Eve"):
        margins = [reach(table, player) for table in tables]
        assert max(margins) < 1.15 * min(margins) and 25 < min(margins) < max(margins) < 45


def test_biased_openings_make_pairs_narrower_than_games() -> None:
    results = collect(tournament(STRENGTHS, 100, seed=5, bias=300.0))
    assert reach(rate(results), "Bob") < 0.9 * reach(rate(results, errors="model"), "Bob")


@pytest.mark.compiled
@pytest.mark.parametrize("errors", ["pairs", "model"])
def test_intervals_cover(errors: Errors) -> None:
    covered = trials = 0
    for seed in range(150):
        table = rate(
            collect(tournament(STRENGTHS, 15, seed, bias=0.0)), anchor=("Ada", 0.0), errors=errors, advantage=True
        )
        for player, strength in STRENGTHS.items():
            estimate = table[player].elo
            if player != "Ada" and estimate.low is not None and estimate.high is not None:
                covered += estimate.low <= strength <= estimate.high
                trials += 1
    assert trials > 580 and 0.92 < covered / trials < 0.98


def test_the_probability_to_be_above() -> None:
    results = collect(GAMES)
    normal, sampled = rate(results), rate(results, errors="bootstrap", seed=4)
    for i, one in enumerate(normal.lines):
        assert normal.superiority[i][i] is None
        for two in normal.lines[i + 1 :]:
            above, below = normal.above(one.player, two.player), normal.above(two.player, one.player)
            other = sampled.above(one.player, two.player)
            assert above is not None and below is not None and other is not None
            assert 0.5 <= above <= 1 and above + below == pytest.approx(1)
            assert other == pytest.approx(above, abs=0.04)


def test_a_bootstrap_is_the_same_again_with_its_seed() -> None:
    results = collect(GAMES)
    first, again, other = (rate(results, errors="bootstrap", seed=s, replicates=50) for s in (1, 1, 2))
    assert first == again and first != other


# -------------------------------------------------------------------------------------------------------- invariance


@pytest.mark.parametrize("advantage", [False, True])
def test_order_and_names_do_not_matter(advantage: bool) -> None:
    table = rate(collect(GAMES), advantage=advantage)
    shuffled = GAMES.copy()
    random.Random(1).shuffle(shuffled)
    assert rate(collect(shuffled), advantage=advantage) == table
    mirror = {name: "".join(reversed(name)) for name in STRENGTHS}  # another alphabetical order
    renamed = rate(collect([(mirror[b], mirror[w], p, k) for b, w, p, k in GAMES]), advantage=advantage)
    for player in STRENGTHS:
        ours, theirs = table[player], renamed[mirror[player]]
        assert (ours.games, ours.points) == (theirs.games, theirs.points)
        assert ours.elo.value == pytest.approx(theirs.elo.value, abs=1e-6)
        assert ours.elo.low == pytest.approx(theirs.elo.low, abs=1e-6)
        assert table.above("Ada", player) == (
            None if player == "Ada" else pytest.approx(renamed.above("adA", mirror[player]), abs=1e-9)
        )


def test_colours_swapped_turn_the_advantage() -> None:
    table = rate(collect(GAMES), advantage=True)
    swapped = rate(collect([(w, b, 1 - p, k) for b, w, p, k in GAMES]), advantage=True)
    assert table.advantage is not None and swapped.advantage is not None
    assert swapped.advantage.value == pytest.approx(-table.advantage.value, abs=1e-6)
    assert elos(swapped) == pytest.approx(elos(table), abs=1e-6)


def test_anchors_move_the_scale_and_nothing_else() -> None:
    free = elos(rate(collect(GAMES)))
    assert sum(free.values()) == pytest.approx(0, abs=1e-6)
    table = rate(collect(GAMES), anchor=("Eve", 1500.0))
    assert table["Eve"].elo == estimates.Estimate(1500.0, 1500.0, 1500.0, False, "anchor")
    for player, value in free.items():
        assert table[player].elo.value - 1500 == pytest.approx(value - free["Eve"], abs=1e-6)
    assert rate(collect(GAMES)).above("Dan", "Ada") == pytest.approx(table.above("Dan", "Ada"))


def test_cross_table() -> None:
    table = cross_table(collect(GAMES))
    assert table.players == tuple(STRENGTHS)
    for i, one in enumerate(table.players):
        for j, two in enumerate(table.players):
            points = sum(p if b == one else 1 - p for b, w, p, _ in GAMES if {b, w} == {one, two})
            assert table.points[i, j] == points
            assert table.games[i, j] == (0 if one == two else 200)
    assert (table.points + table.points.T == table.games).all()


# ------------------------------------------------------------------------------------------- what games cannot tell


def pair(one: str, two: str, first: float, second: float, key: int = 0) -> list[Game]:
    """Points of `one` with black and with white."""
    return [(one, two, first, key), (two, one, 1 - second, key)]


def test_groups_are_rated_apart() -> None:
    games = tournament({"A": 0, "B": 50, "C": 100}, 30, 1) + tournament({"X": 0, "Y": 80}, 30, 2)
    table = rate(collect(games), anchor=("Y", 2000.0))
    assert [set(group) for group in table.groups] == [{"A", "B", "C"}, {"X", "Y"}]
    assert table.above("A", "X") is None and table.above("A", "B") is not None
    assert "2 groups" in table.warnings[0]
    alone = elos(rate(collect(games[:180])))
    assert {player: elos(table)[player] for player in "ABC"} == pytest.approx(alone, abs=1e-6)
    assert table["X"].group == 1 and table["X"].elo.value < 2000


def test_the_undefeated_are_bounds() -> None:
    core = tournament({"B": 0, "C": 50}, 50, 3)
    champion = [game for k in range(10) for two in "BC" for game in pair("A", two, 1, 1, k)]
    beginner = [game for k in range(10) for two in "ABC" for game in pair("D", two, 0, 0, k)]
    table = rate(collect(core + champion + beginner))
    best, worst = table["A"].elo, table["D"].elo
    assert best.bounded and best.high is None and best.low is not None and best.low > 100
    assert worst.bounded and worst.low is None and worst.high is not None and worst.high < -100
    assert not table["B"].elo.bounded and reach(table, "B") > 0
    assert table["B"].elo.value == pytest.approx(rate(collect(core))["B"].elo.value, abs=5)
    assert [w[:2] for w in table.warnings] == ["A:", "D:"]
    assert rate(collect(core + champion + beginner), errors="bootstrap", seed=1, replicates=20)["A"].elo == best


@pytest.mark.parametrize("pairs", [1, 2, 5, 10])
def test_who_won_all_games_comes_first(pairs: int) -> None:
    """Also where so few games leave open who is the stronger."""
    for winner, loser in ("AB", "BA"):
        table = rate(collect([game for k in range(pairs) for game in pair(winner, loser, 1, 1, k)]))
        assert [line.player for line in table.lines] == [winner, loser]
        bounds = [line.elo for line in table.lines if line.elo.bounded]
        difference = elo_scale.elo((pairs, 0, 0, 0, 0)).high
        assert [abs(bound.value) for bound in bounds] == pytest.approx([abs(difference or 0.0)])


def test_the_core_is_where_the_anchor_is() -> None:
    games = pair("A", "B", 1, 1) + pair("B", "C", 0.5, 0.5) + pair("C", "D", 1, 1)
    assert [rate(collect(games))[x].elo.bounded for x in "ABCD"] == [True, False, False, True]
    anchored = rate(collect(games), anchor=("D", 0.0))
    assert [anchored[x].elo.bounded for x in "ABCD"] == [True, True, True, False]
    assert all(anchored[x].elo.high is None for x in "ABC")


def test_neither_above_nor_below_is_open() -> None:
    table = rate(collect(pair("A", "B", 1, 1) + pair("A", "C", 1, 1)), anchor=("B", 0.0))
    assert table["C"].elo.low is None and table["C"].elo.high is None and f"{table['C'].elo:.0f}" == "unknown"
    assert f"{table['A'].elo:.0f}".startswith("at least")


@pytest.mark.parametrize(("black", "word"), [(1.0, "at least"), (0.0, "at most")])
def test_an_advantage_without_limit_is_a_bound(black: float, word: str) -> None:
    games = [game for k in range(20) for game in pair("A", "B", black, 1 - black, k)]
    table = rate(collect(games), advantage=True)
    assert table.advantage is not None and f"{table.advantage:.0f}".startswith(word)
    assert elos(table) == pytest.approx({"A": 0.0, "B": 0.0}, abs=1e-6)
    upsets = pair("A", "B", 0, 0, 98) + pair("A", "B", 1, 1, 99)  # one alone could be a difference of strength as large
    limited = rate(collect(games + upsets), advantage=True).advantage
    assert limited is not None and not limited.bounded and abs(limited.value) > 400


def test_colours_that_never_change_say_nothing_of_the_first_move() -> None:
    games: list[Game] = [("A", "B", p, None) for p in (1.0, 0.0, 0.5, 1.0)]
    table = rate(collect(games), advantage=True)
    assert table.advantage is not None and f"{table.advantage:.0f}" == "unknown"
    assert any("advantage" in warning for warning in table.warnings)


def test_pairs_that_all_end_alike_leave_an_interval() -> None:
    games = [game for k in range(50) for game in pair("A", "B", 1, 0, k)]
    for errors in ("pairs", "bootstrap"):
        table = rate(collect(games), errors=errors, seed=1, replicates=20)
        assert table["A"].elo.value == pytest.approx(0, abs=1e-6) and 2 < reach(table, "A") < 20


def test_no_games_no_ratings() -> None:
    table = rate(collect([]), advantage=True)
    assert table.lines == () and table.groups == () and cross_table(collect([])).points.shape == (0, 0)


def finite(estimate: estimates.Estimate) -> bool:
    ends = (estimate.value, estimate.low or 0.0, estimate.high or 0.0)
    return all(math.isfinite(x) and abs(x) < 1e5 for x in ends) and ends[0] == ends[0]


@given(results_of_games, st.booleans(), st.sampled_from(["pairs", "model"]))
@settings(max_examples=150, deadline=None)
def test_any_games_give_finite_numbers(games: list[Game], advantage: bool, errors: Errors) -> None:
    results = collect(games)
    table = rate(results, advantage=advantage, errors=errors)
    assert results.games == len(games)
    assert sum(line.games for line in table.lines) == 2 * len(games)
    assert sum(line.points for line in table.lines) == len(games)
    assert sorted(x for group in table.groups for x in group) == sorted(results.players)
    for line in table.lines:
        assert finite(line.elo)
        assert line.elo.low is None or line.elo.low <= line.elo.value + 1e-9
        assert line.elo.high is None or line.elo.high >= line.elo.value - 1e-9
    assert all(p is None or 0 <= p <= 1 for row in table.superiority for p in row)
    assert table.advantage is None or finite(table.advantage)


# ------------------------------------------------------------------------------------------------- input and weight


def test_bad_input_is_refused() -> None:
    with pytest.raises(BadSpec, match="against itself"):
        collect([("A", "A", 1.0, None)])
    with pytest.raises(BadSpec, match="not a result"):
        collect([("A", "B", 0.3, None)])
    results = collect(pair("A", "B", 1, 0))
    with pytest.raises(BadSpec, match="anchor 'Z' played no game"):
        rate(results, anchor=("Z", 0.0))
    with pytest.raises(BadSpec, match="expected a number"):
        rate(results, anchor=("A", math.inf))
    with pytest.raises(BadSpec, match="a seed"):
        rate(results, errors="bootstrap")
    with pytest.raises(BadSpec, match="expected one of"):
        rate(results, errors="magic")  # type: ignore[arg-type]
    with pytest.raises(BadSpec, match="more than 0"):
        rate(results, pseudo_draws=0)
    with pytest.raises(BadSpec, match="expected one of: A, B"):
        rate(results).above("A", "Z")


@pytest.mark.compiled
def test_many_games_are_counted_and_rated() -> None:
    def games() -> Iterator[Game]:
        rng = random.Random(1)
        names = [f"player {i:02}" for i in range(20)]
        for key in range(50_000):
            one, two = rng.choices(names, k=2)
            if one == two:
                one, two = names[:2]
            yield one, two, rng.choice((0.0, 0.5, 1.0, 1.0)), key
            yield two, one, rng.choice((0.0, 0.5, 1.0, 1.0)), key

    results = collect(games())
    table = rate(results, advantage=True)
    assert results.games == 100_000 and results.pairs == 50_000 and len(table.lines) == 20


def test_importing_leaves_scipy_alone() -> None:
    code = "import sys, outflank.arena.ratings; print('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"
