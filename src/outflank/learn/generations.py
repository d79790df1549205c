"""Weights that teach themselves: play, fit, measure, and take the new weights only where they are not worse.

A generation plays games with the best weights so far, fits new ones to the games of the last generations, beginning
with the best, and lets the new ones play the best in the arena, every opening with both colours. The first generation
of all plays at random. Each step leaves a file that is there whole or not at all, so that a run that was killed goes on
with the step in hand:

    plan.json                   what was asked for; another command does not go on with it
    openings.txt                even openings for the arena
    generation-01/games.txt.xz  self-play
    generation-01/weights.npz   what was fitted to it
    generation-01/result.json   how it was measured, and whether it is the best now
    matches.db                  the games of the arena
    best.npz                    the best weights
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from outflank.agents import identity
from outflank.arena.match import MatchResult, scoreboard
from outflank.arena.openings import read_openings
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, Slot, plan_match
from outflank.arena.statistics.estimates import Estimate
from outflank.arena.store import Store
from outflank.board import Rules
from outflank.errors import BadSpec, require
from outflank.execute import Executor
from outflank.game import Game
from outflank.inputs import expect, file_name, put_file, shown
from outflank.learn.resume import check_same, read_facts
from outflank.learn.selfplay import SelfPlay, write_games
from outflank.learn.training import Method, train
from outflank.patterns import pattern_set, read_usual_weights, read_weights
from outflank.progress import Progress
from outflank.spec import Quoted, show

_COMMAND = "outflank learn generations"
MOST_GENERATIONS = 1000


@dataclass(frozen=True)
class Plan:
    """What every generation does.

    >>> Plan(Rules(6), games=1000).random_moves
    (0, 22)
    """

    rules: Rules
    games: int = 50_000
    depth: int = 1
    """Plies of the search that plays the games."""
    endgame: int = 8
    """Empty squares from which on games are played exactly."""
    most_random: int | None = None
    """Random first moves at most; None for two thirds of the game."""
    remembered: int = 3
    """Generations whose games are fitted together."""
    prior: float = 30.0
    passes: int = 12
    match_games: int = 200
    match_depth: int = 2
    seed: int = 0
    start: str = ""
    """A file of weights to begin with; from nothing unless told."""

    def __post_init__(self) -> None:
        bounds = {
            "games": (100, 10**8),
            "depth": (1, 20),
            "endgame": (0, 20),
            "remembered": (1, 100),
            "match_games": (2, 10**6),
            "match_depth": (1, 20),
            "seed": (0, 10**12),
        }
        for name, (least, most) in bounds.items():
            value = getattr(self, name)
            expect(int, **{name: value})
            if not least <= value <= most:
                raise BadSpec(f"{name}={shown(value)} is not possible; expected {least} to {most:,}")
        pattern_set(self.rules.size)
        Method(self.prior, self.passes)
        SelfPlay(self.rules, "random", self.random_moves)

    @property
    def random_moves(self) -> tuple[int, int]:
        """The least and the most random first moves of a game."""
        return 0, (self.rules.cells - 4) * 7 // 10 if self.most_random is None else self.most_random

    def facts(self) -> dict[str, Any]:
        """The plan as it is written."""
        return asdict(self) | {"rules": str(self.rules)}

    def player(self, weights: Path | None, depth: int) -> str:
        """Who plays with these weights; at random without any."""
        if weights is None:
            return "random"
        return self._minimax(depth, f"patterns(weights={show(Quoted(weights))})")

    def terms(self) -> str:
        """Who is played against beside the best: five terms at the same depth."""
        return self._minimax(self.match_depth, "five_terms")

    def _minimax(self, depth: int, evaluation: str) -> str:
        exact = f", endgame={self.endgame}, endgame_by=margin" if self.endgame else ""
        return f"minimax(depth={depth}, eval={evaluation}{exact}, win_margin=yes)"


@dataclass(frozen=True)
class Measure:
    """A match of the new weights, from their view; every estimate with the ends of its 95 % interval."""

    opponent: str
    wins: int
    draws: int
    losses: int
    score: tuple[float, float | None, float | None]
    elo: tuple[float, float | None, float | None]

    @classmethod
    def of(cls, opponent: str, result: MatchResult) -> "Measure":
        """What a match says."""
        tally = result.tally
        return cls(opponent, tally.wins, tally.draws, tally.losses, _ends(result.score), _ends(result.elo))

    @property
    def elo_text(self) -> str:
        """Elo with its interval, in words where the games give only a bound."""
        value, low, high = self.elo
        return f"{Estimate(value, low, high, bounded=low is None or high is None):+.0f}"


@dataclass(frozen=True)
class Generation:
    """What became of a generation."""

    number: int
    games: int
    positions: int
    seconds: float
    """Of the fit."""
    error: float
    """On held-out games of its own and those before, in discs."""
    against_best: Measure | None
    """None where there was nothing to play against."""
    against_terms: Measure
    accepted: bool


def run_generations(
    plan: Plan,
    generations: int,
    directory: str | Path,
    executor: Executor,
    progress: Progress | None = None,
    threads: int = 1,
) -> Iterator[Generation]:
    """Every generation, those that were done before too, one after the other."""
    require("scipy", "statistics of matches need scipy", "arena")
    expect(int, generations=generations)
    if not 1 <= generations <= MOST_GENERATIONS:
        raise BadSpec(f"generations={shown(generations)} is not possible; expected 1 to {MOST_GENERATIONS}")
    run = _Run(plan, file_name(directory), executor, progress or Progress(), threads)
    run.claim()
    for number in range(1, generations + 1):
        yield run.generation(number)


class _Run:
    """The generations of one directory."""

    def __init__(self, plan: Plan, place: Path, executor: Executor, progress: Progress, threads: int) -> None:
        self.plan, self.place, self.executor, self.progress, self.threads = plan, place, executor, progress, threads
        self.best = Path(plan.start) if plan.start else None

    def claim(self) -> None:
        """Says why a directory that is there cannot be gone on with, or makes it."""
        plan, written = self.place / "plan.json", self.plan.facts()
        if self.best is not None:
            read_usual_weights(self.best, self.plan.rules)
        if plan.exists():
            check_same(self.place, read_facts(plan, _COMMAND), written)
        elif self.place.exists() and any(self.place.iterdir()):
            raise BadSpec(f"{self.place} is not empty and has no plan.json; expected a new directory")
        put_file(plan, json.dumps(written, indent=1).encode())

    def generation(self, number: int) -> Generation:
        """One generation, as far as it is not done yet."""
        home = self._home(number)
        if (home / "result.json").exists():
            found = _generation(home / "result.json")
        else:
            found = self._measured(number, self._fitted(number, self._played(number)))
            put_file(home / "result.json", json.dumps(asdict(found), indent=1).encode())
        if found.accepted:
            self.best = home / "weights.npz"
            put_file(self.place / "best.npz", self.best.read_bytes())
        return found

    def _home(self, number: int) -> Path:
        return self.place / f"generation-{number:02}"

    def _played(self, number: int) -> list[Path]:
        """The games of this generation, and those before that are fitted with them; random ones teach only once."""
        plan, home = self.plan, self._home(number)
        who = plan.player(self.best, plan.depth)
        games = SelfPlay(plan.rules, who, plan.random_moves, plan.seed * MOST_GENERATIONS + number)
        home.mkdir(exist_ok=True)
        self.progress.say(f"generation {number}: playing")
        write_games(games, plan.games, home / "games.txt.xz", self.executor, self.progress)
        first = 1 if plan.start or number == 1 else 2
        remembered = range(max(first, number - plan.remembered + 1), number + 1)
        return [self._home(one) / "games.txt.xz" for one in remembered]

    def _fitted(self, number: int, files: list[Path]) -> dict[str, Any]:
        """What the card of the new weights says of the fit."""
        file, plan = self._home(number) / "weights.npz", self.plan
        if not file.exists():
            before = None if self.best is None else read_weights(self.best, plan.rules)
            method = Method(plan.prior, plan.passes, threads=self.threads)
            self.progress.say(f"generation {number}: fitting")
            train(plan.rules, files, before, method, self.progress).weights.write(file)
        step: dict[str, Any] = read_weights(file, plan.rules).card["made"][-1]
        return step

    def _measured(self, number: int, step: dict[str, Any]) -> Generation:
        plan, file = self.plan, self._home(number) / "weights.npz"
        new = plan.player(file, plan.match_depth)
        best = None if self.best is None else self._match(number, new, plan.player(self.best, plan.match_depth))
        terms = self._match(number, new, plan.terms())
        accepted = best is None or best.score[0] >= 0.5
        facts = (plan.games, step["positions"], step["seconds"], step["error on held-out games"])
        return Generation(number, *facts, best, terms, accepted)

    def _match(self, number: int, new: str, other: str) -> Measure:
        """The new weights against somebody; games that were played before are not played again."""
        plan = self.plan
        conditions = Conditions(seed=plan.seed)
        texts = identity(new), identity(other)
        match = plan_match(*texts, plan.rules, plan.match_games, str(self._openings()), conditions)
        self.progress.say(f"generation {number}: measuring")
        with Store(self.place / "matches.db") as store:
            board = scoreboard(match, store)
            self.progress.plan(match.games, board.result().tally.games)

            def on_game(slot: Slot, game: Game) -> bool:
                board.add_game(slot, game)
                self.progress.advance()
                return True

            run_plan(match, store, self.executor, on_game)
            result = board.result()
        return Measure.of(other, result)

    def _openings(self) -> Path:
        """Even openings, found once."""
        file, plan = self.place / "openings.txt", self.plan
        if not file.exists():
            self.progress.say("looking for even openings")
            kind = f"balanced({8 if plan.rules.size > 6 else 6})"
            found = read_openings(kind, plan.rules, -(-plan.match_games // 2), plan.seed)
            put_file(file, "".join(f"{opening.text}\n" for opening in found).encode())
        return file


def _ends(estimate: Estimate) -> tuple[float, float | None, float | None]:
    return estimate.value, estimate.low, estimate.high


def _generation(path: Path) -> Generation:
    """What `result.json` says."""
    found = read_facts(path, _COMMAND)
    try:
        measures = {key: found[key] and _measure(found[key]) for key in ("against_best", "against_terms")}
        return Generation(**(found | measures))
    except (TypeError, ValueError, KeyError):
        raise BadSpec(f"{path} is damaged; expected what {_COMMAND} wrote, or no file") from None


def _measure(facts: dict[str, Any]) -> Measure:
    return Measure(**(facts | {"score": tuple(facts["score"]), "elo": tuple(facts["elo"])}))
