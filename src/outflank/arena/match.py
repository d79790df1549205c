"""What a match of two says, from the store by pure functions; every number is seen by the first agent."""

from collections import Counter
from dataclasses import dataclass, replace
from operator import add
from typing import Any

from outflank.arena.schedule import Plan, Slot
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


class Scoreboard:
    """A match in progress: every game is added once, and the result of all so far costs nothing to ask for.

    An agent that plays itself is A in the first game of a pair; which one that is makes no difference.
    """

    def __init__(self, plan: Plan, sprt: Sprt | None = None) -> None:
        [self._pairing] = plan.pairings
        self._planned = plan.games
        self._sprt = sprt
        self._waiting: dict[str, tuple[bool, float]] = {}
        self._tally = Tally()
        self._margins: list[float] = []
        self._pairs: list[str] = []
        self._ends: Counter[str] = Counter()
        self._different: set[int] = set()
        self._openings: set[str] = set()

    def add(self, slot: Slot, points: float, discs: tuple[int, int], termination: str, moves: str) -> None:
        """Takes a finished game in; points and discs are black's first."""
        a, b = self._pairing.first, self._pairing.second
        a_is_black = slot.black == a if a != b else slot.pair not in self._waiting
        own = points if a_is_black else 1 - points
        self._tally += tally([(None, a_is_black, own)])
        partner = self._waiting.pop(slot.pair, None)
        if partner is None:
            self._waiting[slot.pair] = (a_is_black, own)
        else:
            complete = tally([(slot.pair, a_is_black, own), (slot.pair, *partner)]).pairs
            pairs = tuple(map(add, self._tally.pairs, complete))
            self._tally = replace(self._tally, pairs=pairs)
        self._margins.append((discs[0] - discs[1]) * (1 if a_is_black else -1))
        self._pairs.append(slot.pair)
        self._ends[termination] += 1
        self._different.add(hash((slot.opening, moves)))
        self._openings.add(slot.opening)

    def result(self) -> MatchResult:
        """What the games so far say."""
        return MatchResult(
            a=self._pairing.first,
            b=self._pairing.second,
            planned=self._planned,
            tally=self._tally,
            margin=mean_margin(self._margins, self._pairs),
            terminations=dict(self._ends.most_common()),
            distinct_games=len(self._different),
            distinct_openings=len(self._openings),
            sprt=self._sprt,
        )

    @property
    def undecided(self) -> bool:
        """Whether the sequential test, if there is one, wants more games."""
        return self._sprt is None or self._sprt.decide(self._tally.pairs) == "continue"


def scoreboard(plan: Plan, store: Store, sprt: Sprt | None = None) -> Scoreboard:
    """The scoreboard of a match with the games of its plan that the store has."""
    slots = {slot.key: slot for slot in plan.slots()}
    board = Scoreboard(plan, sprt)
    for key, _, _, _, points, black, white, termination, moves in store.results(slots):
        board.add(slots[key], points, (black, white), termination, moves)
    return board
