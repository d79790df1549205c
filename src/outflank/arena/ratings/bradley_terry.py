"""Ratings from counts: the model, its fit, its intervals and the table, put together."""

import math

import numpy as np

from outflank.arena.ratings.connection import connections_of, runaway_advantage
from outflank.arena.ratings.counts import ResultCounts, sums_of
from outflank.arena.ratings.fit import fit_strengths
from outflank.arena.ratings.intervals import (
    Errors,
    bootstrap_samples,
    covariance_of,
    frame_of,
    merged_spread,
    spread_of_covariance,
    spread_of_samples,
    with_matches,
)
from outflank.arena.ratings.table import Ratings, ratings_of
from outflank.errors import BadSpec


def rate(
    results: ResultCounts,
    *,
    anchor: tuple[str, float] | None = None,
    advantage: bool = False,
    errors: Errors = "pairs",
    pseudo_draws: float = 1.0,
    replicates: int = 1000,
    seed: int | None = None,
) -> Ratings:
    """Ratings in Elo. The anchor (player, Elo) stays where it is put; in groups without it the core has mean 0.

    `advantage` fits what black is worth. `errors` names the source of the intervals; with `pairs` two who met nobody
    else have the difference and the interval of their match; `bootstrap` needs a `seed` and draws `replicates` times.
    `pseudo_draws` are added only to pairings that would make somebody infinitely strong.

    >>> from outflank.arena.ratings import collect
    >>> games = [("A", "B", 1.0, i) for i in range(10)] + [("B", "A", 0.5, i) for i in range(9)] + [("B", "A", 1.0, 9)]
    >>> table = rate(collect(games), anchor=("B", 1500))
    >>> [(line.player, round(line.elo.value), line.games) for line in table.lines]
    [('A', 1668, 20), ('B', 1500, 20)]
    """
    _check(results, anchor, errors, pseudo_draws, replicates, seed)
    if not results.players:
        return Ratings((), None, (), (), ())
    sums = sums_of(results.first, results.second, results.ways)
    connections = connections_of(results.players, sums, anchor)
    runaway = runaway_advantage(sums, len(results.players)) if advantage else 0
    draws = np.where(connections.crossing | (runaway != 0), pseudo_draws, 0.0)
    fit = fit_strengths(sums.with_draws(draws), connections.group, advantage)
    frame = frame_of(connections, anchor, results.players)
    spread = spread_of_covariance(fit, covariance_of(results, fit, draws, errors), frame)
    if errors == "bootstrap" and seed is not None:
        samples = bootstrap_samples(results, connections.group, draws, fit, replicates, np.random.default_rng(seed))
        spread = merged_spread(spread, spread_of_samples(fit, samples, frame), connections.bound == "")
    if errors == "pairs":
        spread = with_matches(spread, results, connections, frame)
    return ratings_of(results, spread, connections, runaway if advantage else None, anchor)


def _check(
    results: ResultCounts,
    anchor: tuple[str, float] | None,
    errors: str,
    pseudo_draws: float,
    replicates: int,
    seed: int | None,
) -> None:
    if errors not in ("pairs", "model", "bootstrap"):
        raise BadSpec(f"errors={errors!r} is not known; expected one of: pairs, model, bootstrap")
    if errors == "bootstrap" and (seed is None or replicates < 2):
        raise BadSpec(f"bootstrap with seed={seed}, replicates={replicates}; expected a seed and 2 replicates or more")
    if not 0 < pseudo_draws < math.inf:
        raise BadSpec(f"pseudo_draws={pseudo_draws} is not possible; expected more than 0")
    if anchor is not None and anchor[0] not in results.players:
        raise BadSpec(f"anchor {anchor[0]!r} played no game; expected one of: {', '.join(results.players)}")
    if anchor is not None and not math.isfinite(anchor[1]):
        raise BadSpec(f"anchor {anchor[0]!r} at {anchor[1]} Elo is not possible; expected a number")
