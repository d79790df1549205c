"""What a match of two says, from the store by pure functions; every number is from the first agent's view."""

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank.agents.identities import behaviour_of, text_of
from outflank.agents.names import given_name, short_name
from outflank.arena.schedule import Plan, Slot
from outflank.arena.statistics.elo_scale import elo, normalized_elo
from outflank.arena.statistics.estimates import Estimate, mean_margin, score, superiority
from outflank.arena.statistics.pairs import Tally, half_points
from outflank.arena.statistics.sprt import Sprt
from outflank.arena.store import Store
from outflank.board import moves_text
from outflank.game import Game
from outflank.render import html_table, text_table

_MOST_RECENT = 1 << 16
NARROW = "intervals may be too narrow"
"""What repeated games do, which are no news and are counted as if they were."""


@dataclass(frozen=True, repr=False)
class MatchResult:
    """A match of A and B so far.

    >>> from outflank.arena.statistics.pairs import tally
    >>> games = tally([("f5", True, 1.0), ("f5", False, 0.5)])
    >>> result = MatchResult("a", "b", 2, games, Estimate(4, -8, 16), {"normal": 2}, 2, 1)
    >>> result.score.value, dict(result.lines())["A wins, draws, losses"]
    (0.75, '1, 1, 0')
    """

    a: str
    b: str
    planned: int
    tally: Tally
    margin: Estimate
    terminations: dict[str, int]
    distinct_games: int
    distinct_openings: int
    sprt: Sprt | None = None
    behaviours: tuple[str, str] = ("", "")
    """Of A and B, which are named by their texts."""
    paired: tuple[int, int, int] = (0, 0, 0)
    """Losses, draws and wins of A in completed pairs."""

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
        return None if self.sprt is None else self.sprt.llr(self.sprt.choice(self.tally.pairs, self.paired))

    @property
    def verdict(self) -> str | None:
        """What the sequential test says."""
        return None if self.sprt is None else self.sprt.decide(self.sprt.choice(self.tally.pairs, self.paired))

    @property
    def undecided(self) -> bool:
        """Whether more games can change what is said: always, unless a sequential test has ended."""
        return self.verdict in (None, "continue")

    @property
    def names(self) -> tuple[str, str]:
        """What the two are called in words: bots by the names that people gave them, all others A and B."""
        a, b = given_name(self.a), given_name(self.b)
        return (a, b) if a and b and a != b else ("A", "B")

    def lines(self) -> list[tuple[str, str]]:
        """Everything in words, name and value, for pages, terminals and notebooks."""
        games, (a, b) = self.tally, self.names
        lines = [
            ("games", f"{games.games:,} of {self.planned:,}"),
            (f"{a} wins, draws, losses", f"{games.wins:,}, {games.draws:,}, {games.losses:,}"),
            (f"pairs of {a}, 0 to 2 points", ", ".join(map(str, games.pairs))),
            (f"score of {a} [95 % interval]", f"{self.score:.1%}"),
            (f"score of {a} with black, with white", f"{percent(games.as_black)} %, {percent(games.as_white)} %"),
            (f"Elo, {a} relative to {b}", f"{self.elo:+.1f}"),
            (f"normalised Elo, {a} relative to {b}", f"{normalized_elo(games.counts):+.1f}"),
            (f"likelihood that {a} is stronger", f"{100 * superiority(games.counts):.1f} %"),
            (f"discs, {a} minus {b}", f"{self.margin:+.1f}"),
            ("different openings, games", f"{self.distinct_openings:,}, {self.distinct_games:,}{self._repeats}"),
            ("endings", ", ".join(f"{name} {number:,}" for name, number in self.terminations.items()) or "none"),
        ]
        return lines if self.sprt is None else [*lines, _sprt_line(self)]

    @property
    def _repeats(self) -> str:
        repeated = self.tally.games - self.distinct_games
        return f"; {repeated:,} repeated, which count again: {NARROW}" if repeated > 0 else ""

    def who(self) -> list[tuple[str, str]]:
        """Whom A and B stand for; nothing where the two go by their own names."""
        return [("A", short_name(self.a)), ("B", short_name(self.b))] if self.names == ("A", "B") else []

    def _all_lines(self) -> list[tuple[str, str]]:
        return [*self.who(), *self.lines()]

    def __str__(self) -> str:
        return text_table(self._all_lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The lines as a table, for notebooks."""
        return html_table(["", ""], self._all_lines())


def percent(triple: tuple[int, int, int]) -> str:
    """Points of losses, draws and wins in per cent, without the sign.

    >>> percent((1, 2, 1)), percent((0, 0, 0))
    ('50', '–')
    """
    losses, draws, wins = triple
    games = losses + draws + wins
    return f"{100 * (wins + draws / 2) / games:.0f}" if games else "–"


def _sprt_line(result: MatchResult) -> tuple[str, str]:
    test = result.sprt
    assert test is not None and result.llr is not None
    bounds = f"{test.lower:.2f} to {test.upper:.2f}"
    return test.title, f"LLR {result.llr:+.2f} in {bounds}: {test.words(test.verdict(result.llr))}"


class Scoreboard:
    """A match in progress: every game is added once, and the result of all so far costs nothing to ask for.

    An agent that plays itself is A in the first game of a pair; which one that is makes no difference. Only counts are
    kept, and 8 bytes a game to know how many games are different.
    """

    def __init__(self, plan: Plan, sprt: Sprt | None = None) -> None:
        [self._pairing] = plan.pairings
        self._planned = plan.games
        self._sprt = sprt
        self._waiting: dict[str, tuple[int, float]] = {}
        """Half points and margin of A in pairs of which one game is played."""
        self._as_black, self._as_white, self._pairs, self._paired = [0] * 3, [0] * 3, [0] * 5, [0] * 3
        self._margins: Counter[tuple[float, int]] = Counter()
        self._ends: Counter[str] = Counter()
        self._games, self._openings = Distinct(), Distinct()

    def add(self, slot: Slot, points: float, score: float, termination: str, moves: str) -> None:
        """Takes a finished game in; points and score are black's."""
        a, b = self._pairing.first, self._pairing.second
        a_is_black = slot.black == a if a != b else slot.pair not in self._waiting
        halves = half_points(points if a_is_black else 1 - points)
        margin = score if a_is_black else -score
        (self._as_black if a_is_black else self._as_white)[halves] += 1
        if slot.pair in self._waiting:
            others, before = self._waiting.pop(slot.pair)
            self._pairs[halves + others] += 1
            self._paired[halves] += 1
            self._paired[others] += 1
            self._margins[before, 1] -= 1
            self._margins[before + margin, 2] += 1
        else:
            self._waiting[slot.pair] = (halves, margin)
            self._margins[margin, 1] += 1
        self._ends[termination] += 1
        self._games.add((slot.opening, moves))
        self._openings.add(slot.opening)

    def add_game(self, slot: Slot, game: Game) -> None:
        """Takes a game in that has just been played."""
        assert game.points is not None and game.score is not None, "a finished game"
        self.add(slot, game.points, game.score, str(game.termination), moves_text(game.moves, passes=True))

    def result(self) -> MatchResult:
        """What the games so far say."""
        return MatchResult(
            a=text_of(self._pairing.first),
            b=text_of(self._pairing.second),
            planned=self._planned,
            tally=self._tally(),
            margin=mean_margin(self._margins, self._pairing.rules.cells),
            terminations=dict(self._ends.most_common()),
            distinct_games=len(self._games),
            distinct_openings=len(self._openings),
            sprt=self._sprt,
            behaviours=(behaviour_of(self._pairing.first), behaviour_of(self._pairing.second)),
            paired=(self._paired[0], self._paired[1], self._paired[2]),
        )

    def _tally(self) -> Tally:
        black, white = ((counts[0], counts[1], counts[2]) for counts in (self._as_black, self._as_white))
        losses, draws, wins = (one + other for one, other in zip(black, white, strict=True))
        ll, ld, mid, wd, ww = self._pairs
        return Tally(wins, draws, losses, (ll, ld, mid, wd, ww), black, white)

    @property
    def undecided(self) -> bool:
        """Whether games are left to play, and the sequential test, if there is one, wants them."""
        if self._ends.total() >= self._planned:
            return False
        test = self._sprt
        return test is None or test.decide(test.choice(self._pairs, self._paired)) == "continue"


class Distinct:
    """How many different things were added, by hashes of 64 bits: 8 bytes each, and a few megabytes for the last ones.

    >>> seen = Distinct()
    >>> for word in ("f5", "d3", "f5"):
    ...     seen.add(word)
    >>> len(seen)
    2
    """

    def __init__(self) -> None:
        self._old = np.empty(0, np.int64)
        """Sorted."""
        self._recent: set[int] = set()

    def add(self, thing: Hashable) -> None:
        """Takes a thing in."""
        self._recent.add(hash(thing))
        if len(self._recent) >= _MOST_RECENT:
            self._old = np.sort(np.concatenate([self._old, self._new()]), kind="stable")  # quick with sorted stretches
            self._recent.clear()

    def __len__(self) -> int:
        return len(self._old) + len(self._new())

    def _new(self) -> npt.NDArray[np.int64]:
        """Those of the recent ones that are not among the old, sorted."""
        recent = np.sort(np.fromiter(self._recent, np.int64, len(self._recent)))
        places = np.searchsorted(self._old, recent)
        inside = places < len(self._old)
        known = np.zeros(len(recent), np.bool_)
        known[inside] = self._old[places[inside]] == recent[inside]
        return recent[~known]


def scoreboard(plan: Plan, store: Store, sprt: Sprt | None = None) -> Scoreboard:
    """The scoreboard of a match with the games of its plan that the store has."""
    board = Scoreboard(plan, sprt)
    for game in store.finished(plan.slots()):
        board.add(*game)
    return board
