"""What one match says: score, Elo and normalised Elo with 95 % intervals, and the sequential test. All of A against B.

The unit is the *pair*: two games from one opening with colours swapped. An opening that favours a side gives each
player one easy game, so the two results lean against each other, and intervals from single games come out too wide.
The points of a pair, halved, are one of 0, ¼, ½, ¾, 1; their five counts are called pentanomial. Every function here
takes `Counts`, worst result first: five of pairs, or three of games (losses, draws, wins) where there are no pairs.

With N units, mean μ and variance σ² (divided by N, not N-1), the standard error is √(σ²/N) and

    Elo  = -400 log10(1/μ - 1)                      the logistic scale: 200 points are 76 %
    nElo = (μ - ½)/√(kσ²) · 800/ln 10               k = 2 for pairs, 1 for games

Normalised Elo (M. Van den Bergh, "Normalized Elo") counts in standard deviations of a game: the games
needed to tell two players apart depend on it alone, whatever the share of draws.

Small samples. Below 100 units Student's quantile replaces 1.96, and an end of an interval that leaves (0, 1) is
replaced by Wilson's, which is cautious because the variance of a score in 0..1 is at most μ(1-μ). When all units ended
alike there is no variance at all: then Clopper & Pearson bound the share q of units that end so, and the mean lies
between q·a and 1 - q·(1-a), whatever the others would be. Nothing here is ever NaN or infinite: a number that the games
cannot give is a one-sided bound with an open end, None.

Measured coverage of the score interval (20,000 matches each, 10 % draws, openings biased by 200 Elo): scores of 50
and 61 % with 10 pairs 94 % (89 to 92 % with 1.96), with 30 pairs and more 94 to 95 %. A score of 95 % without bias is
covered by 99 % with 20 pairs, but by 88 % with 30 and 91 % with 50: few lost games say little about how many there
are.

The sequential test (SPRT, Wald 1945) follows two notes of M. Van den Bergh that fishtest and fastchess use:
`support_MLE_multinomial.pdf` and "Comments on Normalized Elo" (`normalized_elo_practical.pdf`, both at
cantate.be/Fishtest). For each hypothesis the likeliest distribution of results that obeys it is found, and the
log-likelihood ratio (LLR) of the two is compared with Wald's bounds ln(β/(1-α)) and ln((1-β)/α). The decision falls at
the first crossing, looked at after completed pairs only; what comes in later does not change it. The Elo read at that
moment is biased in favour of the winner: SPRT decides, a fixed number of games measures.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, TypeVar

from outflank.errors import BadSpec

Counts = Sequence[int]
"""How often each result came, worst first: (losses, draws, wins) of games, or the five of pairs."""
Model = Literal["normalized", "logistic", "bayesian"]
Decision = Literal["H1", "H0", "continue"]
Match = TypeVar("Match", bound=Hashable)

CONFIDENCE = 0.95
MODELS: tuple[Model, ...] = ("normalized", "logistic", "bayesian")

_NORMAL = NormalDist()
_SMALL_SAMPLE = 100
"""Units below which Student's quantile is used."""
_NORMALIZED_UNIT = 800 / math.log(10)
"""Normalised Elo of one standard deviation per game; the same slope as Elo at a score of ½ without draws."""
_MOST_ELO = 4000.0
"""Hypotheses are clamped here, so that the score they stand for stays inside (0, 1) in double precision."""
_INSTEAD_OF_ZERO = 1e-3
"""A result that never came counts so much (fishtest, fastchess); a hypothesis may need it to be possible."""


# ---------------------------------------------------------------------------------------------------- what happened


def paired(
    games: Iterable[tuple[Match, Hashable | None, bool, float]],
) -> Iterator[tuple[Match, float | None, float | None]]:
    """(match, points with black, points with white) of each pair once it is complete; lonely games come with a None.

    A game is (match, key of its pair, whether black was played, points). A key names one pair of a match; a game with
    the key None has no partner. Only open pairs are held in memory. A game that comes again before its partner sets
    the first one free as a lonely game.

    >>> list(paired([("AB", "f5", True, 1.0), ("AB", "d3", True, 0.5), ("AB", "f5", False, 0.0)]))
    [('AB', 1.0, 0.0), ('AB', 0.5, None)]
    """
    waiting: dict[tuple[Match, Hashable, bool], float] = {}
    for match, key, black, points in games:
        partner = waiting.pop((match, key, not black), None)
        if partner is not None:
            yield (match, points, partner) if black else (match, partner, points)
            continue
        lonely = points if key is None else waiting.get((match, key, black))
        if lonely is not None:
            yield (match, lonely, None) if black else (match, None, lonely)
        if key is not None:
            waiting[match, key, black] = points
    for (match, _, black), points in waiting.items():
        yield (match, points, None) if black else (match, None, points)


@dataclass(frozen=True, slots=True)
class Tally:
    """Results of A against B. Triples are (losses, draws, wins); `pairs` counts completed pairs by A's points.

    >>> match = Tally(wins=3, draws=1, losses=0, pairs=(0, 0, 0, 1, 1))
    >>> match.games, match.points, match.swapped.pairs, (match + match.swapped).points
    (4, 3.5, (1, 1, 0, 0, 0), 4.0)
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    """Pairs in which A made 0, ½, 1, 1½, 2 points."""
    as_black: tuple[int, int, int] = (0, 0, 0)
    as_white: tuple[int, int, int] = (0, 0, 0)

    def __post_init__(self) -> None:
        counts = (self.losses, self.draws, self.wins, *self.pairs, *self.as_black, *self.as_white)
        if min(counts) < 0 or 2 * sum(self.pairs) > self.games or sum(self.as_black + self.as_white) > self.games:
            raise BadSpec(f"{self} is not possible; expected counts of 0 or more, and no more pairs than games allow")

    @property
    def games(self) -> int:
        """All games, those without a partner included."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Points of A in all games."""
        return self.wins + self.draws / 2

    @property
    def unpaired(self) -> int:
        """Games whose partner is not finished or does not exist."""
        return self.games - 2 * sum(self.pairs)

    @property
    def counts(self) -> Counts:
        """What the estimates below are made from: the pairs, or the games while there is no completed pair."""
        return self.pairs if any(self.pairs) else (self.losses, self.draws, self.wins)

    @property
    def swapped(self) -> "Tally":
        """The same match seen from B: A's games with black are B's with white."""
        ll, ld, mid, wd, ww = self.pairs
        black, white = _reversed(self.as_white), _reversed(self.as_black)
        return Tally(self.losses, self.draws, self.wins, (ww, wd, mid, ld, ll), black, white)

    def __add__(self, other: "Tally") -> "Tally":
        ll, ld, mid, wd, ww = (x + y for x, y in zip(self.pairs, other.pairs, strict=True))
        return Tally(
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
            (ll, ld, mid, wd, ww),
            _added(self.as_black, other.as_black),
            _added(self.as_white, other.as_white),
        )


def _reversed(triple: tuple[int, int, int]) -> tuple[int, int, int]:
    return triple[2], triple[1], triple[0]


def _added(one: tuple[int, int, int], other: tuple[int, int, int]) -> tuple[int, int, int]:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def tally(games: Iterable[tuple[Hashable | None, bool, float]]) -> Tally:
    """The match made of these games: (key of the pair, whether A was black, points of A), in any order.

    >>> tally([("f5", True, 1.0), ("f5", False, 0.5), ("d3", True, 0.0)])
    Tally(wins=1, draws=1, losses=1, pairs=(0, 0, 0, 1, 0), as_black=(1, 0, 1), as_white=(0, 1, 0))
    """
    pairs, as_black, as_white = [0] * 5, [0] * 3, [0] * 3
    for _, with_black, with_white in paired((None, key, black, points) for key, black, points in games):
        if with_black is not None:
            as_black[half_points(with_black)] += 1
        if with_white is not None:
            as_white[half_points(with_white)] += 1
        if with_black is not None and with_white is not None:
            pairs[half_points(with_black) + half_points(with_white)] += 1
    losses, draws, wins = (x + y for x, y in zip(as_black, as_white, strict=True))
    ll, ld, mid, wd, ww = pairs
    return Tally(wins, draws, losses, (ll, ld, mid, wd, ww), _triple(as_black), _triple(as_white))


def _triple(counts: Sequence[int]) -> tuple[int, int, int]:
    return counts[0], counts[1], counts[2]


def half_points(points: float) -> int:
    """0, 1 or 2 for a loss, a draw or a win.

    >>> half_points(0.5)
    1
    """
    halves = 2 * points
    if halves not in (0, 1, 2):
        raise BadSpec(f"{points} is not a result; expected 0, 0.5 or 1 points")
    return int(halves)


# ------------------------------------------------------------------------------------------------------- estimates


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval; an end that the games leave open is None, and `note` says why.

    `bounded` is True when the games give no estimate but only a bound: then `low` or `high` holds it, the other end is
    None, and `value` is good for sorting only. A format is applied to each number, and bounds are shown as such.

    >>> f"{elo((96, 111, 136)):+.1f}", f"{elo((0, 0, 10)):+.1f}", f"{elo((0, 0, 0)):+.1f}"
    ('+40.7 [+10.6, +71.4]', 'at least +182.7', 'unknown')
    """

    value: float
    low: float | None
    high: float | None
    bounded: bool = False
    note: str = ""

    @property
    def margin(self) -> float | None:
        """Half the width of the interval, for "value ± margin"; None when an end is open."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def __format__(self, spec: str) -> str:
        low, high = (None if end is None else format(end, spec) for end in (self.low, self.high))
        if not self.bounded:
            return f"{self.value:{spec}} [{low or '?'}, {high or '?'}]"
        return f"at least {low}" if low and not high else f"at most {high}" if high and not low else "unknown"


@dataclass(frozen=True, slots=True)
class _Sample:
    """Counts as a sample of scores in 0..1."""

    units: int
    games_per_unit: int
    mean: float
    variance: float
    single: float | None
    """The score of all units when they ended alike."""

    @property
    def error(self) -> float:
        """Standard error of the mean."""
        return math.sqrt(self.variance / self.units)


def _sample(counts: Counts) -> _Sample:
    scores = _scores(counts)
    units = sum(counts)
    if units == 0:
        return _Sample(0, len(counts) // 2, 0.5, 0.0, None)
    mean = sum(n * a for n, a in zip(counts, scores, strict=True)) / units
    variance = sum(n * (a - mean) ** 2 for n, a in zip(counts, scores, strict=True)) / units
    seen = [a for n, a in zip(counts, scores, strict=True) if n]
    return _Sample(units, len(counts) // 2, mean, variance, seen[0] if len(seen) == 1 else None)


def _scores(counts: Counts) -> list[float]:
    """The score that each count stands for: 0, ½, 1 or 0, ¼, ½, ¾, 1."""
    if len(counts) not in (3, 5):
        raise BadSpec(f"{tuple(counts)} are no results; expected 3 counts of games or 5 of pairs, worst first")
    if min(counts) < 0:
        raise BadSpec(f"{tuple(counts)} are no results; expected counts of 0 or more")
    return [i / (len(counts) - 1) for i in range(len(counts))]


def _quantile(units: int) -> float:
    if units >= _SMALL_SAMPLE:
        return _NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
    from scipy.special import stdtrit

    return float(stdtrit(units - 1, (1 + CONFIDENCE) / 2))


def _share_alike(units: int) -> float:
    """Lower end of Clopper & Pearson for all of `units`: with a smaller share this is seen in less than 5 %."""
    return float((1 - CONFIDENCE) ** (1 / units))


def score(counts: Counts) -> Estimate:
    """A's share of the points, 0..1.

    >>> f"{score((96, 111, 136)):.3f}"
    '0.558 [0.515, 0.601]'
    >>> f"{score((0, 0, 0, 0, 10)):.3f}", score((0, 0, 0, 0, 10)).note
    ('1.000 [0.741, 1.000]', 'all 10 pairs ended alike')
    """
    sample = _sample(counts)
    if sample.units == 0:
        return Estimate(0.5, 0.0, 1.0, True, "no games")
    if sample.single is not None:
        share = _share_alike(sample.units)
        low, high = share * sample.single, 1 - share * (1 - sample.single)
        return Estimate(sample.single, low, high, False, _alike(sample))
    reach = _quantile(sample.units) * sample.error
    low, high = sample.mean - reach, sample.mean + reach
    if low > 0 and high < 1:
        return Estimate(sample.mean, low, high)
    inside = wilson(sample.mean * sample.units, sample.units)
    assert inside.low is not None and inside.high is not None
    low, high = (low if low > 0 else inside.low), (high if high < 1 else inside.high)
    return Estimate(sample.mean, low, high, False, "close to the end of the scale")


def _alike(sample: _Sample) -> str:
    unit = "pair" if sample.games_per_unit == 2 else "game"
    return f"one {unit}" if sample.units == 1 else f"all {sample.units} {unit}s ended alike"


def elo_of(share: float) -> float:
    """The Elo difference at which this share of the points is expected.

    >>> round(elo_of(0.76))
    200
    """
    if not 0 < share < 1:
        raise BadSpec(f"a score of {share} has no Elo; expected more than 0 and less than 1")
    return -400 * math.log10(1 / share - 1)


def expected_score(difference: float) -> float:
    """The share of the points expected at an Elo difference; beyond ±4000 that of ±4000, to stay inside (0, 1).

    >>> round(expected_score(202), 2)
    0.76
    """
    return float(1 / (1 + 10 ** (-_clamped(difference) / 400)))


def _clamped(difference: float) -> float:
    return max(-_MOST_ELO, min(_MOST_ELO, difference))


def elo(counts: Counts) -> Estimate:
    """A's Elo minus B's. All wins or all losses give a one-sided bound.

    >>> f"{elo((34, 54, 63, 64, 75)):+.1f}", f"{elo((10, 0, 0)):+.1f}"
    ('+55.6 [+28.3, +83.6]', 'at most -182.7')
    """
    share = score(counts)
    low = elo_of(share.low) if share.low else None
    high = elo_of(share.high) if share.high is not None and share.high < 1 else None
    if 0 < share.value < 1:
        return Estimate(elo_of(share.value), low, high, share.bounded, share.note)
    return _one_sided(low, high, share.note)


def _one_sided(low: float | None, high: float | None, note: str) -> Estimate:
    if low is not None:
        return Estimate(low, low, None, True, f"{note}: at least this")
    assert high is not None
    return Estimate(high, None, high, True, f"{note}: at most this")


def normalized_elo(counts: Counts) -> Estimate:
    """A's normalised Elo: the score above ½ in standard deviations of a game, times 800/ln 10.

    >>> f"{normalized_elo((332, 433, 498, 333, 334)):+.1f}"
    '-9.2 [-20.1, +1.8]'
    """
    sample = _sample(counts)
    if sample.units == 0:
        return Estimate(0.0, None, None, True, "no games")
    unit = _NORMALIZED_UNIT / math.sqrt(sample.games_per_unit)
    if sample.single is None:
        value = unit * (sample.mean - 0.5) / math.sqrt(sample.variance)
        reach = unit * _quantile(sample.units) / math.sqrt(sample.units)
        return Estimate(value, value - reach, value + reach)
    share, note = _share_alike(sample.units), _alike(sample)
    if sample.single == 0.5:
        reach = unit * math.sqrt((1 - share) / share)
        return Estimate(0.0, -reach, reach, False, note)
    # The least favourable rest lies at the far end of the scale: seen from there the mean is q·distance and the
    # deviation distance·√(q(1-q)).
    distance = max(sample.single, 1 - sample.single)
    bound = unit * (share * distance - 0.5) / (distance * math.sqrt(share * (1 - share)))
    return _one_sided(bound, None, note) if sample.single > 0.5 else _one_sided(None, -bound, note)


def superiority(counts: Counts) -> float:
    """Likelihood of superiority, 0..1: Φ((μ-½)/standard error), how sure it is that A is the stronger.

    When all units ended alike, the share of a uniform prior above ½ that this leaves: 1 - 2^-(N+1) after N wins.

    >>> round(superiority((96, 111, 136)), 4), superiority((0, 0, 0))
    (0.996, 0.5)
    """
    sample = _sample(counts)
    if sample.units == 0 or sample.single == 0.5:
        return 0.5
    if sample.single is not None:
        doubt = 0.5 ** (sample.units + 1)
        return 1 - doubt if sample.single > 0.5 else doubt
    return _NORMAL.cdf((sample.mean - 0.5) / sample.error)


def draw_ratio(counts: Counts) -> float | None:
    """The share of units that ended level (of pairs: two draws or a win each); None without games.

    >>> draw_ratio((1, 1, 2)), draw_ratio((0, 0, 0))
    (0.25, None)
    """
    units = _sample(counts).units
    return counts[len(counts) // 2] / units if units else None


def pairs_ratio(pairs: Counts) -> float | None:
    """Pairs that A won over pairs that A lost; None when A lost none.

    >>> pairs_ratio((1, 3, 9, 5, 1)), pairs_ratio((0, 0, 3, 1, 0))
    (1.5, None)
    """
    middle = len(_scores(pairs)) // 2
    lost = sum(pairs[:middle])
    return sum(pairs[middle + 1 :]) / lost if lost else None


def mean_margin(margins: Iterable[float], pairs: Iterable[Hashable] | None = None) -> Estimate:
    """The mean disc margin with its interval, Student's on the pairs; without keys of pairs every game stands alone.

    >>> f"{mean_margin([10, -4, 12, 2], pairs=['f5', 'f5', 'd3', 'd3']):+.1f}"
    '+5.0 [-20.4, +30.4]'
    """
    values = [float(margin) for margin in margins]
    keys = list(range(len(values))) if pairs is None else list(pairs)
    if len(keys) != len(values):
        raise BadSpec(f"{len(values)} margins with {len(keys)} keys of pairs; expected as many of both")
    units: dict[Hashable, tuple[float, int]] = {}
    for key, value in zip(keys, values, strict=True):
        total, games = units.get(key, (0.0, 0))
        units[key] = (total + value, games + 1)
    return mean_margin_of_units(Counter(units.values()))


def mean_margin_of_units(units: Mapping[tuple[float, int], int]) -> Estimate:
    """The same from counts: how often a unit, a pair or a lonely game, had this (sum of margins, number of games).

    >>> f"{mean_margin_of_units({(6, 2): 1, (14, 2): 1}):+.1f}"
    '+5.0 [-20.4, +30.4]'
    """
    games = sum(number * often for (_, number), often in units.items())
    if not games:
        return Estimate(0.0, None, None, True, "no games")
    mean = math.fsum(total * often for (total, _), often in units.items()) / games
    count = sum(units.values())
    spread = math.fsum(often * (total - number * mean) ** 2 for (total, number), often in units.items())
    if count == 1 or spread == 0:
        return Estimate(mean, None, None, False, "no spread to make an interval from")
    reach = _quantile(count) * math.sqrt(spread * count / (count - 1)) / games
    return Estimate(mean, mean - reach, mean + reach)


# --------------------------------------------------------------------------------- proportions, as papers print them


def wilson(successes: float, trials: float) -> Estimate:
    """The interval of Wilson (1927) for a share of `trials`; draws may count as halves. On average it covers 95 %.

    >>> f"{wilson(50, 60):.3f}"
    '0.833 [0.720, 0.907]'
    """
    share, z = _share(successes, trials), _NORMAL.inv_cdf((1 + CONFIDENCE) / 2)
    weight = z * z / trials
    centre = (share + weight / 2) / (1 + weight)
    reach = math.sqrt(weight * share * (1 - share) + weight * weight / 4) / (1 + weight)
    low, high = (0.0 if share == 0 else centre - reach), (1.0 if share == 1 else centre + reach)
    return Estimate(share, max(0.0, low), min(1.0, high))


def clopper_pearson(successes: float, trials: float) -> Estimate:
    """The interval of Clopper & Pearson (1934) for a share of `trials`: covers at least 95 %, often more.

    >>> f"{clopper_pearson(50, 60):.3f}"
    '0.833 [0.715, 0.917]'
    """
    from scipy.special import betaincinv

    share, tail = _share(successes, trials), (1 - CONFIDENCE) / 2
    low = 0.0 if share == 0 else float(betaincinv(successes, trials - successes + 1, tail))
    high = 1.0 if share == 1 else float(betaincinv(successes + 1, trials - successes, 1 - tail))
    return Estimate(share, low, high)


def _share(successes: float, trials: float) -> float:
    if not (0 <= successes <= trials and 0 < trials < math.inf):
        raise BadSpec(
            f"{successes} of {trials} is no proportion; expected 0 <= successes <= trials, and trials above 0"
        )
    return successes / trials


# ---------------------------------------------------------------------------------------------- the sequential test


@dataclass(frozen=True, slots=True)
class Sprt:
    """Wald's test of H1 (A is `elo1` or more above B) against H0 (`elo0` or less), with error rates alpha and beta.

    `model` says what Elo the bounds are in: `normalized`, `logistic`, or `bayesian` (BayesElo, counts of games only).

    >>> test = Sprt(0, 2)
    >>> pairs = (365, 16618, 36229, 16974, 390)
    >>> f"{test.llr(pairs):.2f} in ({test.lower:.2f}, {test.upper:.2f})", test.decide(pairs)
    ('2.25 in (-2.94, 2.94)', 'continue')
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    """The chance to accept H1 when H0 holds."""
    beta: float = 0.05
    """The chance to accept H0 when H1 holds."""
    model: Model = "normalized"

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise BadSpec(f"SPRT model {self.model!r} is not known; expected one of: {', '.join(MODELS)}")
        if not -math.inf < self.elo0 < self.elo1 < math.inf:
            raise BadSpec(f"SPRT with elo0={self.elo0}, elo1={self.elo1} is not possible; expected elo0 < elo1")
        if not (self.alpha > 0 and self.beta > 0 and self.alpha + self.beta < 1):
            given = f"alpha={self.alpha}, beta={self.beta}"
            raise BadSpec(f"SPRT with {given} is not possible; expected both above 0 and their sum below 1")

    @property
    def lower(self) -> float:
        """The LLR at which H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The LLR at which H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Counts) -> float:
        """The log-likelihood ratio of H1 to H0, always finite; 0 without games."""
        scores = _scores(counts)
        if not any(counts):
            return 0.0
        filled = [n or _INSTEAD_OF_ZERO for n in counts]
        total = sum(filled)
        seen = [n / total for n in filled]
        if self.model == "normalized":
            tilts = [_tilt_to_effect(seen, scores, _effect(elo, len(counts) // 2)) for elo in (self.elo0, self.elo1)]
        else:
            tilts = [_tilt_to_mean(seen, scores, self._mean(elo, seen)) for elo in (self.elo0, self.elo1)]
        # p_i = seen_i / tilt_i under each hypothesis, so ln(p1/p0) = ln(tilt0/tilt1).
        return total * math.fsum(p * math.log(t0 / t1) for p, t0, t1 in zip(seen, *tilts, strict=True))

    def _mean(self, elo: float, seen: Sequence[float]) -> float:
        """The score that a hypothesis stands for."""
        if self.model == "logistic":
            return expected_score(elo)
        if len(seen) != 3:
            raise BadSpec("the bayesian model of SPRT knows single games only; expected 3 counts: losses, draws, wins")
        losses, _, wins = seen
        draw_elo = 200 * math.log10((1 - losses) / losses * (1 - wins) / wins)
        win, loss = expected_score(_clamped(elo) - draw_elo), expected_score(-_clamped(elo) - draw_elo)
        return 0.5 + (win - loss) / 2

    def decide(self, counts: Counts) -> Decision:
        """What these results allow to say. Give the counts of completed pairs, and stop at the first answer."""
        llr = self.llr(counts)
        return "H1" if llr >= self.upper else "H0" if llr <= self.lower else "continue"


def _effect(elo: float, games_per_unit: int) -> float:
    """Normalised Elo as (mean - ½)/deviation of one unit."""
    return _clamped(elo) / _NORMALIZED_UNIT * math.sqrt(games_per_unit)


def _tilt_to_mean(seen: Sequence[float], scores: Sequence[float], mean: float) -> list[float]:
    """What `seen` must be divided by to become the likeliest distribution with this mean (first note, prop. 1.1)."""
    return _tilt(seen, [a - mean for a in scores])


def _tilt_to_effect(seen: Sequence[float], scores: Sequence[float], effect: float) -> list[float]:
    """The same for the likeliest distribution with (mean - ½)/deviation = `effect` (second note, 4.1).

    The condition is not linear, so it is linearised at the last distribution until nothing changes; three or four
    rounds are usual. The note starts from the uniform distribution, from where extreme hypotheses have no solution (and
    fastchess hung, its issue 877); the distribution on the two ends of the scale with the wanted effect always has one.
    Beyond an effect of 2 (490 nElo with pairs) the likelihood can have several maxima, of which this finds one.
    """
    mean = 0.5 + 0.5 * effect / math.sqrt(1 + effect * effect)
    deviation = 0.5 / math.sqrt(1 + effect * effect)
    tilt: list[float] = [1.0] * len(seen)
    for _ in range(50):
        before = tilt
        slopes = [a - 0.5 - 0.5 * effect * deviation * (1 + ((a - mean) / deviation) ** 2) for a in scores]
        if not min(slopes) < 0 < max(slopes):
            break
        tilt = _tilt(seen, slopes)
        shares = [p / t for p, t in zip(seen, tilt, strict=True)]
        mean = sum(p * a for p, a in zip(shares, scores, strict=True))
        deviation = math.sqrt(sum(p * (a - mean) ** 2 for p, a in zip(shares, scores, strict=True)))
        if max(abs(p / t - p / b) for p, t, b in zip(seen, tilt, before, strict=True)) < 1e-9:
            break
    return tilt


def _tilt(seen: Sequence[float], slopes: Sequence[float]) -> list[float]:
    """1 + θ·slope with Σ seen·slope/(1 + θ·slope) = 0: the likeliest distribution under which the slopes average 0.

    The sum falls from +∞ to -∞ between its outermost poles, where all divisors are positive, so there is one root. A
    root nearer to a pole than rounding can tell is taken to be at that margin.
    """
    from scipy.optimize import brentq

    terms = list(zip(seen, slopes, strict=True))

    def balance(theta: float) -> float:
        return sum([p * x / (1 + theta * x) for p, x in terms])

    low, high = -1 / max(slopes), -1 / min(slopes)
    hair = 1e-13 * (high - low)
    low, high = low + hair, high - hair
    if balance(low) <= 0:
        theta = low
    elif balance(high) >= 0:
        theta = high
    else:
        theta = float(brentq(balance, low, high, xtol=hair, rtol=1e-14))
    return [max(1 + theta * x, 1e-15) for x in slopes]
