"""The sequential test (SPRT, Wald 1945): is A better than B by so much? It stops as soon as the games say so.

It follows two notes of M. Van den Bergh that fishtest and fastchess use: `support_MLE_multinomial.pdf` and "Comments on
Normalized Elo" (`normalized_elo_practical.pdf`, both at cantate.be/Fishtest). For each hypothesis the likeliest
distribution of results that obeys it is found, and the log-likelihood ratio (LLR) of the two is compared with Wald's
bounds ln(β/(1-α)) and ln((1-β)/α). The decision falls at the first crossing, looked at after completed pairs only; what
comes in later does not change it. The Elo read at that moment is biased in favour of the winner: SPRT decides, a fixed
number of games measures.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from outflank.arena.statistics.elo_scale import NORMALIZED_UNIT, clamped, expected_score
from outflank.arena.statistics.estimates import scores_of
from outflank.arena.statistics.pairs import Counts
from outflank.errors import BadSpec
from outflank.schema import Option, Signature, lookup, number
from outflank.spec import Call, parse

SprtModel = Literal["normalized", "logistic", "bayesian"]
SprtDecision = Literal["H1", "H0", "continue"]
UNITS: dict[SprtModel, str] = {"normalized": "normalised Elo", "logistic": "Elo", "bayesian": "BayesElo"}
"""What the bounds of each model are in."""
MODELS: tuple[SprtModel, ...] = tuple(UNITS)
_INSTEAD_OF_ZERO = 1e-3
"""A result that never came counts so much (fishtest, fastchess); a hypothesis may need it to be possible."""


@dataclass(frozen=True, slots=True)
class Sprt:
    """Wald's test of H1 (A is `elo1` or more above B) against H0 (`elo0` or less), with error rates alpha and beta.

    `model` says what the bounds are in: `normalized` Elo, whose tests take as many games whatever the share of draws;
    `logistic`, the usual Elo; or `bayesian` (BayesElo, counts of games only).

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
    model: SprtModel = "normalized"

    @staticmethod
    def parse(text: str) -> "Sprt":
        """The test that a text such as `logistic(0, 10)` names; `0, 10` alone are in normalised Elo.

        >>> print(Sprt.parse("0,10"), Sprt.parse("logistic(-5, 5, alpha=0.01)").unit, sep="; ")
        normalized(0, 10); Elo
        """
        call = parse(text if "(" in text else f"{MODELS[0]}({text})")
        signature = lookup(call, _SIGNATURES, "model of SPRT")
        options = signature.fill(call)
        if options["elo0"] is None or options["elo1"] is None:
            raise BadSpec(f"SPRT {text!r} needs two bounds; expected for example {call.name}(0, 10)")
        return Sprt(**options, model=cast(SprtModel, call.name))

    def __str__(self) -> str:
        options = [(name, value) for name, value in (("alpha", self.alpha), ("beta", self.beta)) if value != 0.05]
        return str(Call(self.model, (self.elo0, self.elo1), tuple(options)))

    @property
    def unit(self) -> str:
        """What the bounds are in."""
        return UNITS[self.model]

    @property
    def title(self) -> str:
        """The test in words, with the unit of its bounds."""
        return f"SPRT, {self.elo0:g} to {self.elo1:g} {self.unit}"

    def words(self, decision: SprtDecision) -> str:
        """What a decision says, in the unit of the title.

        >>> Sprt(0, 10, model="logistic").words("H0")
        'H0, A is better by 0 rather than 10'
        """
        if decision == "continue":
            return "undecided"
        rather, than = (self.elo1, self.elo0) if decision == "H1" else (self.elo0, self.elo1)
        return f"{decision}, A is better by {rather:g} rather than {than:g}"

    def choice(self, pairs: Counts, games: Counts) -> Counts:
        """What the test looks at of completed pairs: their five counts, or where it knows games only those of games."""
        return games if self.model == "bayesian" else pairs

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
        scores = scores_of(counts)
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
        win, loss = expected_score(clamped(elo) - draw_elo), expected_score(-clamped(elo) - draw_elo)
        return 0.5 + (win - loss) / 2

    def decide(self, counts: Counts) -> SprtDecision:
        """What these results allow to say. Give the counts of completed pairs, and stop at the first answer."""
        return self.verdict(self.llr(counts))

    def verdict(self, llr: float) -> SprtDecision:
        """What this log-likelihood ratio allows to say."""
        return "H1" if llr >= self.upper else "H0" if llr <= self.lower else "continue"


_SIGNATURES: dict[str, Signature] = {
    model: Signature(
        model,
        f"SPRT with bounds in {unit}",
        (
            Option("elo0", number(-4000, 4000), None, f"{unit} of A over B that H0 stands for"),
            Option("elo1", number(-4000, 4000), None, f"{unit} of A over B that H1 stands for"),
            Option("alpha", number(0, 1, above=True), 0.05, "chance to accept H1 when H0 holds"),
            Option("beta", number(0, 1, above=True), 0.05, "chance to accept H0 when H1 holds"),
        ),
    )
    for model, unit in UNITS.items()
}


def _effect(elo: float, games_per_unit: int) -> float:
    """Normalised Elo as (mean - ½)/deviation of one unit."""
    return clamped(elo) / NORMALIZED_UNIT * math.sqrt(games_per_unit)


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
    root nearer to a pole than rounding can tell is taken to be that near to it.
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
