"""What a match of two says, from the store by pure functions; every number is seen by the first agent."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from outflank.arena.schedule import Plan
from outflank.arena.stats import Estimate, Sprt, Tally, elo, mean_margin, normalized_elo, score, superiority, tally
from outflank.arena.store import Store


@dataclass(frozen=True)
class MatchResult:
    """A match of A and B so far."""

    a: str
    b: str
    planned: int
    tally: Tally
    margin: Estimate
    terminations: dict[str, int]
    distinct_games: int
    distinct_openings: int
    sprt: Sprt | None = None

    @property
    def score(self) -> Estimate:
        """Share of A's points."""
        return score(self.tally.counts)

    @property
    def elo(self) -> Estimate:
        """A relative to B."""
        return elo(self.tally.counts)

    @property
    def llr(self) -> float | None:
        """Log-likelihood ratio of the sequential test over completed pairs."""
        return None if self.sprt is None else self.sprt.llr(self.tally.pairs)

    @property
    def verdict(self) -> str | None:
        """What the sequential test says."""
        return None if self.sprt is None else self.sprt.decide(self.tally.pairs)

    @property
    def undecided(self) -> bool:
        """Whether more games can change what is said: always, unless a sequential test has ended."""
        return self.verdict in (None, "continue")

    def facts(self) -> dict[str, Any]:
        """Everything as plain numbers, for JSON."""
        normalized = normalized_elo(self.tally.counts)
        facts: dict[str, Any] = {
            "a": self.a,
            "b": self.b,
            "seen_from": "a",
            "games": self.tally.games,
            "planned": self.planned,
            "wins": self.tally.wins,
            "draws": self.tally.draws,
            "losses": self.tally.losses,
            "pairs": list(self.tally.pairs),
            "as_black": list(self.tally.as_black),
            "as_white": list(self.tally.as_white),
            "likelihood_of_superiority": superiority(self.tally.counts),
            "distinct_games": self.distinct_games,
            "distinct_openings": self.distinct_openings,
            "terminations": self.terminations,
        }
        for name, estimate in (
            ("score", self.score),
            ("elo", self.elo),
            ("normalized_elo", normalized),
            ("margin", self.margin),
        ):
            facts[name] = None if estimate.bounded else estimate.value
            facts[f"{name}_interval"] = [estimate.low, estimate.high]
        if self.sprt is not None:
            facts["sprt"] = {
                "elo0": self.sprt.elo0,
                "elo1": self.sprt.elo1,
                "llr": self.llr,
                "lower": self.sprt.lower,
                "upper": self.sprt.upper,
                "verdict": self.verdict,
            }
        return facts


def result_of_plan(plan: Plan, store: Store, sprt: Sprt | None = None) -> MatchResult:
    """The result of a match so far: the games of its plan that the store has.

    An agent that plays itself is A in the first game of a pair; which one that is makes no difference.
    """
    [pairing] = plan.pairings
    a, b = pairing.first, pairing.second
    openings = {slot.key: slot.opening for slot in plan.slots()}
    games: list[tuple[str, bool, float]] = []
    margins: list[float] = []
    ends: Counter[str] = Counter()
    different: set[tuple[str, str]] = set()
    begun: set[str] = set()
    for key, pair, black, _, points, black_discs, white_discs, termination, moves in store.results(openings):
        a_is_black = black == a if a != b else pair not in begun
        begun.add(pair)
        games.append((pair, a_is_black, points if a_is_black else 1 - points))
        margins.append((black_discs - white_discs) * (1 if a_is_black else -1))
        ends[termination] += 1
        different.add((openings[key], moves))
    return MatchResult(
        a=a,
        b=b,
        planned=plan.games,
        tally=tally(games),
        margin=mean_margin(margins, [pair for pair, _, _ in games]),
        terminations=dict(ends.most_common()),
        distinct_games=len(different),
        distinct_openings=len({opening for opening, _ in different}),
        sprt=sprt,
    )
