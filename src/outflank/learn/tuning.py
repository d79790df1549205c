"""Tuning the numbers of an agent by games: a tuner proposes, the arena plays, a match on fresh openings decides.

Whatever a tuner believes came from noisy games and is not believed here. Its answer plays the agent it began with on
openings that no game of the tuning began from, and only the interval of that match says whether anything was gained.
The control is a random search with as many games, judged in the same way. Points of the curve are matches too, again
on openings of their own, and teach nobody.

Games are those of the arena, in a store. A tuner draws from its seed and is told what the store says, so a run that was
killed is simply run again: what was played is read, the same candidates are asked for, and only what is missing is
played. A directory holds

    plan.json    what was asked for; another command does not go on with it
    games.db     every game, of tuning, curve and matches
    spent.json   the processor time of earlier runs
    card.json    the result: what was tuned, from what to what, with which certainty
"""

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

from outflank.agents import canonical, identity
from outflank.agents.names import short_name
from outflank.arena.match import scoreboard
from outflank.arena.openings import Opening, read_openings
from outflank.arena.runner import run_plan
from outflank.arena.schedule import MOST_GAMES, Conditions, PlannedPairing, Slot, pairs_of
from outflank.arena.schedule import Plan as Games
from outflank.arena.statistics.estimates import sample_of
from outflank.arena.store import MEMORY, Store
from outflank.board import Rules
from outflank.errors import BadSpec, require
from outflank.execute import Executor, Here, Processes
from outflank.game import Game
from outflank.inputs import expect, file_name, put_file, shown
from outflank.learn.anchors import Anchor, anchors_for
from outflank.learn.generations import Measure
from outflank.learn.resume import check_same, read_facts
from outflank.learn.space import Space, read_space
from outflank.learn.tuners import METHODS, Duel, Tuner, make_tuner
from outflank.progress import Progress
from outflank.render import text_table

_COMMAND = "outflank tune"
CURVE_POINTS = 10
"""Matches along the path, where a curve is wanted."""


@dataclass(frozen=True)
class Plan:
    """What a run is made of; equal plans have equal results.

    >>> plan = Plan("uct(playouts=100)", "c=log 0.1..10.0", Rules(6), games=1000)
    >>> plan.space.start.round(2).tolist(), plan.confirm
    ([0.58], 2000)
    >>> Plan("uct", "c=log 0.1..10.0", Rules(6), method="luck")
    Traceback (most recent call last):
    outflank.errors.BadSpec: method='luck' is not possible; expected one of: spsa, cmaes, genetic, random
    """

    agent: str
    """The start, which is what the answer has to beat."""
    over: str
    """The numbers that are tuned, and their ranges; see `learn/space.py`."""
    rules: Rules
    method: str = "spsa"
    games: int = 10_000
    """Of tuning; those of the control are as many again, the others extra."""
    confirm: int = 2000
    """Games of every match that decides."""
    curve: int = 0
    """Games of every point of the curve; none unless told."""
    anchors: int = 0
    """Games of start and answer against every opponent that does not change; none unless told."""
    control: bool = False
    """Whether a random search with as many games is run beside it."""
    openings: str = "random(8)"
    seed: int = 0

    def __post_init__(self) -> None:
        expect(str, agent=self.agent, over=self.over, method=self.method, openings=self.openings)
        expect(Rules, rules=self.rules)
        expect(int, games=self.games, confirm=self.confirm, curve=self.curve)
        expect(int, anchors=self.anchors, seed=self.seed)
        expect(bool, control=self.control)
        if self.method not in METHODS:
            raise BadSpec(f"method={shown(self.method)} is not possible; expected one of: {', '.join(METHODS)}")
        bounds = {
            "games": (100, MOST_GAMES),
            "confirm": (2, MOST_GAMES),
            "curve": (0, MOST_GAMES),
            "anchors": (0, MOST_GAMES),
            "seed": (0, 2**32),
        }
        for name, (least, most) in bounds.items():
            if not least <= getattr(self, name) <= most:
                value = shown(getattr(self, name))
                raise BadSpec(f"{name}={value} is not possible; expected {least} to {most:,}")
        object.__setattr__(self, "agent", canonical(self.agent))
        object.__setattr__(self, "over", self.space.over)

    @cached_property
    def space(self) -> Space:
        """The agent and its numbers."""
        return read_space(self.agent, self.over, self.rules)

    def tuner(self, method: str) -> Tuner:
        """The tuner at its beginning."""
        return make_tuner(method, self.space.start, self.games, self.seed, self.space.steps)

    def facts(self) -> dict[str, Any]:
        """The plan as it is written."""
        return asdict(self) | {"rules": str(self.rules)}


@dataclass(frozen=True)
class Round:
    """What became of a round of duels."""

    games: int
    """Of tuning, up to its end."""
    scores: tuple[float, ...]
    """Of the first of each duel."""
    pairs: tuple[int, int, int, int, int]
    """How many pairs of games gave 0, ½, 1, 1½ and 2 points."""
    centre: tuple[float, ...]
    """The numbers that the tuner would answer with now."""


@dataclass(frozen=True)
class Course:
    """The way of one tuner, and how much chance there was in it."""

    method: str
    pairs: int
    """Of a duel."""
    rounds: tuple[Round, ...]
    answer: str
    """The agent it ends with."""

    @property
    def games(self) -> int:
        """Games spent."""
        return self.rounds[-1].games

    @property
    def values(self) -> tuple[float, ...]:
        """The numbers it ends with."""
        return self.rounds[-1].centre

    @property
    def noise(self) -> float:
        """Standard deviation that chance alone gives to the score of a duel, as a share of the points."""
        counts = [sum(column) for column in zip(*(one.pairs for one in self.rounds), strict=True)]
        ll, ld, mid, wd, ww = counts
        return math.sqrt(sample_of((ll, ld, mid, wd, ww)).variance / self.pairs)

    @property
    def luckiest(self) -> float:
        """The best score that any duel had."""
        return max(score for one in self.rounds for score in one.scores)

    @property
    def luck(self) -> float:
        """What the luckiest of as many duels between equals can be expected to score (Blom 1958)."""
        duels = sum(len(one.scores) for one in self.rounds)
        return min(1.0, 0.5 + self.noise * NormalDist().inv_cdf((duels - 0.375) / (duels + 0.25)))


@dataclass(frozen=True)
class Verdict:
    """A match that decides, from the view of the first."""

    first: str
    """What it is called: the answer of a method."""
    second: str
    measure: Measure | None
    """None where both are the same agent, and nothing was played."""

    @property
    def word(self) -> str:
        """gain, loss, undecided or unchanged, by the 95 % interval alone."""
        if self.measure is None:
            return "unchanged"
        _, low, high = self.measure.elo
        return "gain" if low is not None and low > 0 else "loss" if high is not None and high < 0 else "undecided"

    @property
    def elo_text(self) -> str:
        """Elo with its interval."""
        return "the same agent" if self.measure is None else self.measure.elo_text

    @property
    def games(self) -> int:
        """Games of the match."""
        return 0 if self.measure is None else self.measure.wins + self.measure.draws + self.measure.losses


class AgainstAnchor(NamedTuple):
    """What start and answer score against an opponent that does not change."""

    start: Measure
    answer: Measure


class CurvePoint(NamedTuple):
    """How strong the centre was after so many games of tuning, against the start."""

    games: int
    measure: Measure


@dataclass(frozen=True, repr=False)
class Tuning:
    """The result of a run.

    >>> small = {"rules": Rules(4), "method": "genetic", "games": 100, "confirm": 20, "openings": "random(4)"}
    >>> found = tune("minimax(depth=1, eval=terms(position=1))", "mobility=-9..9", **small)
    >>> found.found.games <= 100, found.verdicts[0].second, found.verdicts[0].word in ("gain", "loss", "undecided")
    (True, 'the start', True)
    """

    plan: Plan
    found: Course
    control: Course | None
    verdicts: tuple[Verdict, ...]
    """The answer against the start; with a control its answer against the start, and both against each other."""
    curve: tuple[CurvePoint, ...]
    anchors: tuple[AgainstAnchor, ...]
    seconds: float = 0.0
    """Of processors, all of them together and over all runs; not part of the result."""

    @property
    def agent(self) -> str:
        """The tuned agent: the answer where it gained, otherwise the start."""
        return self.found.answer if self.verdicts[0].word == "gain" else self.plan.agent

    def card(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "by": _COMMAND,
            "plan": self.plan.facts(),
            "agent": self.agent,
            "verdict": self.verdicts[0].word,
            "numbers": [asdict(one) | {"range": str(one.range)} for one in self.plan.space.dimensions],
            "answer": asdict(self.found),
            "control": self.control and asdict(self.control),
            "matches": [asdict(one) | {"verdict": one.word} for one in self.verdicts],
            "curve": [{"games": point.games, **asdict(point.measure)} for point in self.curve],
            "anchors": [{"start": asdict(one.start), "answer": asdict(one.answer)} for one in self.anchors],
            "noise": {"of a duel": self.found.noise, "luckiest": self.found.luckiest, "by luck": self.found.luck},
            "processor seconds": round(self.seconds, 1),
        }

    def lines(self) -> list[tuple[str, str]]:
        """In words: name and value."""
        lines = [(f"{one.first} against {one.second}", f"{one.elo_text} Elo: {one.word}") for one in self.verdicts]
        values = zip(self.plan.space.dimensions, self.found.values, strict=True)
        return [
            *lines,
            ("games of tuning", f"{self.found.games:,}"),
            *((one.name, f"{one.start:g} → {value:g}") for one, value in values),
            ("tuned agent", short_name(self.agent)),
        ]

    def __str__(self) -> str:
        return text_table(self.lines())

    __repr__ = __str__


def tune(
    agent: str,
    over: str,
    *,
    rules: Rules | None = None,
    method: str = "spsa",
    games: int = 10_000,
    confirm: int = 2000,
    curve: int = 0,
    anchors: int = 0,
    control: bool = False,
    openings: str = "random(8)",
    seed: int = 0,
    workers: int = 1,
    directory: str | Path | None = None,
) -> Tuning:
    """What became of an agent whose numbers were tuned by games, as `outflank tune` does it.

    Nothing is written unless a directory is named, and the same call with it goes on with what is there.

    >>> found = tune("greedy", "c=0..1")
    Traceback (most recent call last):
    outflank.errors.BadSpec: greedy has no number 'c'; it has: none...
    """
    expect(Rules | None, rules=rules)
    expect(int, workers=workers)
    expect(str | Path | None, directory=directory)
    plan = Plan(agent, over, rules or Rules(), method, games, confirm, curve, anchors, control, openings, seed)
    return run(plan, directory, Here() if workers == 1 else Processes(workers))


def run(plan: Plan, directory: str | Path | None, executor: Executor, progress: Progress | None = None) -> Tuning:
    """Tunes and decides; a begun run in this directory goes on."""
    require("scipy", "statistics of matches need scipy", "arena")
    home = None if directory is None else file_name(directory)
    openings = _Openings.of(plan, plan.tuner(plan.method))  # before a directory is made for what cannot be played
    if home is not None:
        _claim(home, plan)
    clock = _Spent(home)
    with ExitStack() as opened:
        store = opened.enter_context(Store(MEMORY if home is None else home / "games.db"))
        if isinstance(executor, Processes):
            opened.enter_context(executor)
        found = _Run(plan, openings, store, executor, progress or Progress(), clock).tuned()
    found = replace(found, seconds=clock.seconds)  # those of workers are known when they have ended
    if home is not None:
        clock.note()
        put_file(home / "card.json", json.dumps(found.card(), indent=1).encode())
    return found


def _claim(home: Path, plan: Plan) -> None:
    """Says why a directory that is there cannot be gone on with, or makes it."""
    home.mkdir(exist_ok=True)
    written = home / "plan.json"
    if written.exists():
        check_same(home, read_facts(written, _COMMAND), plan.facts())
    elif any(home.iterdir()):
        raise BadSpec(f"{home} is not empty and has no plan.json; expected a new directory")
    put_file(written, json.dumps(plan.facts(), indent=1).encode())


@dataclass(frozen=True)
class _Openings:
    """Openings of a run, no two alike: some for tuning, again and again if need be, and some for nothing else."""

    tuning: tuple[Opening, ...]
    curve: tuple[Opening, ...]
    confirm: tuple[Opening, ...]

    @classmethod
    def of(cls, plan: Plan, tuner: Tuner) -> "_Openings":
        wanted = tuner.rounds * tuner.pairs * (1 if tuner.common else tuner.duels)
        kept = pairs_of(plan.confirm) + -(-plan.curve // 2)
        found = read_openings(plan.openings, plan.rules, wanted + kept, plan.seed)
        least = kept + min(wanted, tuner.pairs)
        if len(found) < least:
            raise BadSpec(
                f"{plan.openings} gives {len(found):,} different openings for {plan.rules}; expected {least:,} or "
                f"more: matches that decide have openings of their own (try random({min(10, plan.rules.size)}))"
            )
        confirm, rest = found[: pairs_of(plan.confirm)], found[pairs_of(plan.confirm) :]
        split = -(-plan.curve // 2)
        return cls(tuple(rest[split:]), tuple(rest[:split]), tuple(confirm))

    def against(self, anchor: Anchor, plan: Plan) -> tuple[Opening, ...]:
        """Those of a match with an anchor: some of the fresh ones."""
        return self.confirm[: max(1, round(plan.anchors * anchor.times) // 2)]

    def of_duel(self, begin: int, pairs: int) -> tuple[Opening, ...]:
        """Those of a duel: so many from a number on, from the first again after the last."""
        return tuple(self.tuning[number % len(self.tuning)] for number in range(begin, begin + pairs))


class _Run:
    """One run, from the games that its store has to those that are missing."""

    def __init__(
        self,
        plan: Plan,
        openings: _Openings,
        store: Store,
        executor: Executor,
        progress: Progress,
        clock: "_Spent",
    ) -> None:
        self.plan, self.openings, self.store, self.executor = plan, openings, store, executor
        self.progress, self.clock, self.conditions = progress, clock, Conditions(seed=plan.seed)
        matches = (3 if plan.control else 1) * plan.confirm + CURVE_POINTS * plan.curve
        matches += sum(4 * len(self.openings.against(anchor, plan)) for anchor in self.opponents())
        progress.plan((2 if plan.control else 1) * plan.games + matches, store.count())

    def tuned(self) -> Tuning:
        plan, curve = self.plan, list[CurvePoint]()
        found = self.course(plan.method, curve)
        control = self.course("random", None) if plan.control else None
        start, agents = plan.agent, {f"tuned by {plan.method}": found.answer}
        if control:
            agents["random search"] = control.answer
        verdicts = [self.verdict(name, "the start", answer, start) for name, answer in agents.items()]
        if control:
            verdicts.append(self.verdict(*agents, *agents.values()))
        anchors = tuple(self.anchored(found.answer))
        return Tuning(plan, found, control, tuple(verdicts), tuple(curve), anchors)

    # --- tuning -----------------------------------------------------------------------------------------------------

    def course(self, method: str, curve: list[CurvePoint] | None) -> Course:
        """All rounds of a tuner; points of the curve are added where they are wanted."""
        plan, tuner, rounds = self.plan, self.plan.tuner(method), list[Round]()
        while tuner.done < tuner.rounds:
            self.progress.say(f"{method}: round {tuner.done + 1} of {tuner.rounds}")
            games, scores, pairs = self.round(tuner)
            tuner.tell(scores)
            games += rounds[-1].games if rounds else 0
            rounds.append(Round(games, tuple(scores), pairs, tuple(plan.space.values(tuner.centre))))
            due = tuner.done * CURVE_POINTS // tuner.rounds > (tuner.done - 1) * CURVE_POINTS // tuner.rounds
            if curve is not None and plan.curve and due:
                measure = self.match(plan.space.agent(tuner.centre), plan.agent, self.openings.curve)
                curve += [CurvePoint(games, measure)] if measure else []
            self.clock.note()
        return Course(method, tuner.pairs, tuple(rounds), plan.space.agent(tuner.centre))

    def round(self, tuner: Tuner) -> tuple[int, list[float], tuple[int, int, int, int, int]]:
        """(games, score of the first of every duel, pairs by their points) of the next round."""
        duels = tuner.ask()
        planned = [self.pairing(duel, number, tuner) for number, duel in enumerate(duels)]
        games = Games(tuple(dict.fromkeys(one for one in planned if one is not None)), self.conditions)
        points = self.play(games)
        counts, scores = [0] * 5, []
        for pairing in planned:
            pairs = [] if pairing is None else self.pair_points(pairing, points)
            for one in pairs:
                counts[round(2 * one)] += 1
            scores.append(sum(pairs) / (2 * len(pairs)) if pairs else 0.5)
        ll, ld, mid, wd, ww = counts
        return games.games, scores, (ll, ld, mid, wd, ww)

    def pairing(self, duel: Duel, number: int, tuner: Tuner) -> PlannedPairing | None:
        """The games of a duel; None where both points round to the same agent."""
        first, second = (identity(self.plan.space.agent(point)) for point in (duel.first, duel.second))
        if first == second:
            return None
        begin = (tuner.done if tuner.common else tuner.done * tuner.duels + number) * tuner.pairs
        openings = self.openings.of_duel(begin, tuner.pairs)
        return PlannedPairing(first, second, self.plan.rules, tuner.pairs, openings)

    def pair_points(self, pairing: PlannedPairing, points: Mapping[str, float]) -> list[float]:
        """Points of the first in every pair, from 0 to 2."""
        make = pairing.pair_maker(self.conditions)
        pairs = map(make, range(pairing.pairs))
        return [points[with_black.key] + 1 - points[with_white.key] for with_black, with_white in pairs]

    def play(self, games: Games) -> dict[str, float]:
        """Points of black of every game by key, after those that are missing were played."""
        run_plan(games, self.store, self.executor, self.on_game)
        return {slot.key: points for slot, points, *_ in self.store.finished(games.slots())}

    def on_game(self, slot: Slot, game: Game) -> bool:
        """Counts a game; more are always wanted."""
        del slot, game
        self.progress.advance()
        return True

    # --- deciding ---------------------------------------------------------------------------------------------------

    def verdict(self, first: str, second: str, one: str, other: str) -> Verdict:
        self.progress.say(f"{first} against {second}")
        return Verdict(first, second, self.match(one, other, self.openings.confirm))

    def match(self, one: str, other: str, openings: Sequence[Opening]) -> Measure | None:
        """A match of two agents, both colours on each opening."""
        first, second = identity(one), identity(other)
        if first == second:
            return None
        pairing = PlannedPairing(first, second, self.plan.rules, len(openings), tuple(openings))
        games = Games((pairing,), self.conditions)
        run_plan(games, self.store, self.executor, self.on_game)
        self.clock.note()
        return Measure.of(other, scoreboard(games, self.store).result())

    def opponents(self) -> list[Anchor]:
        """The anchors that can play by these rules."""
        return list(anchors_for(self.plan.rules)) if self.plan.anchors else []

    def anchored(self, answer: str) -> Iterator[AgainstAnchor]:
        """Start and answer against each of them, on the same openings."""
        for anchor in self.opponents():
            self.progress.say(f"against {anchor.opponent}")
            openings = self.openings.against(anchor, self.plan)
            start = self.match(self.plan.agent, anchor.opponent, openings)
            found = self.match(answer, anchor.opponent, openings)
            if start and found:
                yield AgainstAnchor(start, found)


class _Spent:
    """Processor time of this run and of earlier ones in the same directory, but for workers that were killed."""

    def __init__(self, home: Path | None) -> None:
        self._path = None if home is None else home / "spent.json"
        self._began, self._before = _processor_seconds(), 0.0
        if self._path is not None and self._path.exists():
            seconds = read_facts(self._path, _COMMAND).get("processor seconds")
            self._before = float(seconds) if isinstance(seconds, int | float) else 0.0

    @property
    def seconds(self) -> float:
        """So far; those of a worker are counted when it has ended."""
        return self._before + _processor_seconds() - self._began

    def note(self) -> None:
        """Remembers it for a run that goes on."""
        if self._path is not None:
            put_file(self._path, json.dumps({"processor seconds": self.seconds}).encode())


def _processor_seconds() -> float:
    """Of this process and of those it has waited for."""
    return sum(os.times()[:4])
