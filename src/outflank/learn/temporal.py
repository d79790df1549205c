"""Weights by temporal differences: games of a network against itself, one after the other, and what it learns of each.

Nothing but the game is known: no games of others and no search; an opponent only where one is named.
`kernels/temporal.py` has the rule and `learn/tuples.py` the networks. After every block of games the state is written
beside the file of weights, so that a run that was killed goes on with the block in hand and ends with the same weights
as an undisturbed one; and the network plays some games of the Othello league, which make the learning curve. Those do
not teach it anything.

A sum of 1 inside tanh is written as `DISCS_OF_ONE` discs, so that the files are like those of all other learners:
hundredths of a disc for the side to move. That is a convention: the network foretells who wins, not by how much.
"""

import io
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Position, Rules
from outflank.errors import BadSpec
from outflank.evaluation import read_evaluation
from outflank.inputs import expect, file_name, open_file, put_file, shown
from outflank.kernels.evaluate import Evaluation
from outflank.kernels.jit import Word
from outflank.kernels.temporal import Course, Trail, learn_games, one_ply_games
from outflank.learn.anchors import Strength
from outflank.learn.resume import check_same
from outflank.learn.tuples import Network, read_network
from outflank.patterns import MOST_PHASES, PatternWeights, quantised, read_weights
from outflank.progress import Progress

DISCS_OF_ONE = 16.0
"""Discs that stand for a sum of 1, where the network is sure of a win to 76 %."""
LEAGUE = "league"
"""The evaluation of the opponent in the Othello league."""
LEAGUE_RANDOM = 0.1
"""Share of random moves of both players there."""
BLOCKS = 50
"""Of a run: states that are written, points of the curve."""
_CURVE_GAMES = 2000
"""League games of each point."""
_CURVE_SEED = 1 << 62
"""Apart from the seeds of learning."""
_MOST_STATE = 2**28


@dataclass(frozen=True)
class Plan:
    """What a run is made of; equal plans make the same weights.

    >>> Plan(Rules(6), games=1000).network.canonical
    'straight(length=2)'
    >>> Plan(Rules(6), explore=2.0)
    Traceback (most recent call last):
    outflank.errors.BadSpec: explore=2.0 is not possible; expected 0 to 1
    """

    rules: Rules
    patterns: str = "straight(2)"
    """The network, as `learn/tuples.py` reads it."""
    games: int = 1_000_000
    phases: int = 1
    """Stages of the game with weights of their own."""
    rate: float = 0.1
    """Of the first game: the part of an error that a step corrects."""
    last_rate: float = 0.003
    """To which it falls until the last game."""
    trace: float = 0.7
    explore: float = 0.1
    opponent: str = ""
    """An evaluation of one ply to be played against; it plays itself unless told."""
    seed: int = 0

    def __post_init__(self) -> None:
        expect(int, games=self.games, phases=self.phases, seed=self.seed)
        expect(float, rate=self.rate, last_rate=self.last_rate, trace=self.trace, explore=self.explore)
        bounds = {
            "games": (1, 10**9),
            "phases": (1, MOST_PHASES),
            "rate": (0, 100),
            "last_rate": (0, 100),
            "trace": (0, 1),
            "explore": (0, 1),
            "seed": (0, 2**61),
        }
        for name, (least, most) in bounds.items():
            value = getattr(self, name)
            if not least <= value <= most:
                raise BadSpec(f"{name}={shown(value)} is not possible; expected {least} to {most:,}")
        read_network(self.patterns, self.rules.size)
        self.terms()

    @property
    def network(self) -> Network:
        """The patterns whose weights are learned."""
        return read_network(self.patterns, self.rules.size)

    @property
    def block(self) -> int:
        """Games from one written state to the next."""
        return -(-self.games // BLOCKS)

    def terms(self) -> Evaluation:
        """The evaluation of the opponent; that of the league where it plays itself, which is never asked."""
        spec = read_evaluation(self.opponent or LEAGUE)
        if spec.trained or spec.own:
            raise BadSpec(f"an opponent {shown(self.opponent)} is not possible; expected a sum of terms such as league")
        built, _ = spec.build(self.rules)
        assert len(built) == 4, "what is not trained is a sum of terms"
        return built

    def course(self, odd: bool) -> Course:
        """How its games go."""
        sign = 1 if self.rules.variant == "standard" else -1
        return Course(sign, self.explore, self.trace, self.rate, self.last_rate, self.games, not self.opponent, odd)

    def facts(self) -> dict[str, Any]:
        """The plan as it is written."""
        return asdict(self) | {"rules": str(self.rules), "patterns": self.network.canonical}


@dataclass(frozen=True)
class Point:
    """How a network did in the league after so many games of learning."""

    games: int
    losses: int
    draws: int
    wins: int
    error: float
    """Root mean square of what values were corrected by, over the last block."""

    @property
    def score(self) -> float:
        """Points of a game."""
        return (self.wins + 0.5 * self.draws) / (self.losses + self.draws + self.wins)


@dataclass
class State:
    """What is kept from block to block."""

    plan: Plan
    weights: npt.NDArray[np.float32]
    """[phases, weights] of the sum inside tanh."""
    games: int = 0
    seconds: float = 0.0
    curve: list[Point] = field(default_factory=list)

    @classmethod
    def begin(cls, plan: Plan) -> "State":
        """A network that knows nothing."""
        return cls(plan, np.zeros((plan.phases, plan.network.patterns.weights), np.float32))

    def write(self, path: Path) -> None:
        """Writes the state whole or not at all."""
        numbers = {"games": self.games, "seconds": self.seconds, "curve": [asdict(point) for point in self.curve]}
        packed = io.BytesIO()
        np.savez(packed, weights=self.weights, told=np.array(json.dumps({"plan": self.plan.facts()} | numbers)))
        put_file(path, packed.getvalue())

    @classmethod
    def read(cls, path: Path, plan: Plan) -> "State":
        """The state of an earlier run of the same plan; its beginning where there is none."""
        state = cls.begin(plan)
        if not path.exists():
            return state
        with open_file(path) as file:
            content = file.read(_MOST_STATE)
        try:
            with np.load(io.BytesIO(content)) as arrays:
                told, weights = json.loads(str(arrays["told"])), np.asarray(arrays["weights"], np.float32)
            given, curve = told["plan"], [Point(**point) for point in told["curve"]]
            found = cls(plan, weights, int(told["games"]), float(told["seconds"]), curve)
        except Exception:  # a damaged archive may raise anything
            raise BadSpec(f"{path} is damaged; expected what outflank learn td wrote, or no file") from None
        check_same(path, given, plan.facts())
        if weights.shape != state.weights.shape or not 0 <= found.games <= plan.games:
            raise BadSpec(f"{path} is damaged; expected what outflank learn td wrote, or no file")
        return found

    def learned(self) -> PatternWeights:
        """The weights as they are played with, and how they were made."""
        network = self.plan.network
        made = {"by": "outflank learn td", **self.plan.facts(), "seconds": round(self.seconds, 1)}
        card: dict[str, Any] = {
            "rules": str(self.plan.rules),
            "patterns": f"{network.canonical}: {len(network.patterns.instances)} of {len(network.patterns.kinds)} "
            f"kinds, {self.plan.phases} phases, and the move by number of discs",
            "unit": f"{DISCS_OF_ONE:g} discs are a sum of 1 inside tanh, the expected result",
            "made": [made],
        }
        if self.curve:
            last = self.curve[-1]
            card["league"] = {"score": round(last.score, 4), "games": last.wins + last.draws + last.losses}
        return PatternWeights(self.plan.rules, quantised(DISCS_OF_ONE * self.weights), card, network.own)


def learn(plan: Plan, path: str | Path, progress: Progress | None = None) -> State:
    """Learns, and writes the weights to `path`; a begun run goes on from `path` with `.state` added to its name."""
    path, told = file_name(path), progress or Progress()
    beside = path.with_name(f"{path.name}.state")
    state = State.read(beside, plan)
    told.plan(plan.games, state.games)
    for done in learn_blocks(state):
        done.write(beside)
        told.say(f"{100 * done.curve[-1].score:.1f} % in the league")
        told.reach(done.games, plan.games)
    state.learned().write(path)
    beside.unlink(missing_ok=True)
    return state


def with_strengths(path: Path, rules: Rules, found: Sequence[Strength]) -> dict[str, Any]:
    """The card of a file of weights, into which its matches with anchors were written."""
    weights = read_weights(path, rules)
    card = dict(weights.card)
    if found:
        card["strength"] = [{"player": one.player, **asdict(one.measure)} for one in found]
        replace(weights, card=card).write(path)
    return card


def learn_blocks(state: State, league_games: int = _CURVE_GAMES) -> Iterator[State]:
    """The same state after every block that is left, each a point of the curve unless no league games are wanted.

    >>> state = State.begin(Plan(Rules(4), "squares", games=20))
    >>> [done.games for done in learn_blocks(state)][-1], state.curve[-1].games
    (20, 20)
    """
    plan, network = state.plan, state.plan.network
    start, course, twins = Position.start(plan.rules).boards, plan.course(network.odd), network.patterns.twins
    layout = PatternWeights(plan.rules, np.zeros(state.weights.shape, np.int16), {}, network.own).build()
    trail = new_trail(plan.rules, len(network.patterns.instances))
    terms = plan.terms()
    while state.games < plan.games:
        began, number = time.perf_counter(), min(plan.block, plan.games - state.games)
        seed = Word(plan.seed)
        errors, positions = learn_games(
            *start, layout, state.weights, twins, terms, course, seed, state.games, number, trail
        )
        state.games += number
        state.seconds += time.perf_counter() - began
        if league_games:
            results = league(state.learned(), state.games, league_games)
            state.curve.append(Point(state.games, *results, error=float(np.sqrt(errors / max(1, positions)))))
        yield state


def new_trail(rules: Rules, patterns: int) -> Trail:
    """Working space for games of a network with so many patterns."""
    rows = 2 * rules.cells
    return Trail(
        np.empty((rows, patterns), np.int32),
        np.empty(rows, np.int64),
        np.empty(rows, np.float64),
        np.empty(rows, np.int64),
        np.empty(patterns, np.int32),
    )


def league(weights: PatternWeights, seed: int, games: int = _CURVE_GAMES) -> tuple[int, int, int]:
    """(losses, draws, wins) of weights in the Othello league: one ply against the standard piece counter, a tenth of
    the moves of both at random, each colour in turn.

    >>> sum(league(State.begin(Plan(Rules(4))).learned(), seed=0, games=10))
    10
    """
    rules = weights.rules
    terms = Plan(rules).terms()
    sign, results = 1 if rules.variant == "standard" else -1, np.zeros(3, np.int64)
    start, built = Position.start(rules).boards, weights.build()
    one_ply_games(*start, built, terms, sign, LEAGUE_RANDOM, Word(_CURVE_SEED + seed), 0, games, results)
    losses, draws, wins = results.tolist()
    return losses, draws, wins


def square_worths(weights: PatternWeights, phase: int = 0) -> npt.NDArray[np.float64]:
    """[squares]: what a disc of the side to move is worth on each, in discs: half of own less opposing.

    The other squares of every pattern count as if all that may stand there were as likely.

    >>> square_worths(State.begin(Plan(Rules(4))).learned()).tolist() == [0.0] * 16
    True
    """
    patterns, found = weights.patterns, np.zeros(weights.rules.cells)
    for name, squares in patterns.instances:
        begin, shape = patterns.offsets[name], (3,) * len(squares)
        cube = weights.in_discs[phase, begin : begin + 3 ** len(squares)].reshape(shape)
        for axis, square in enumerate(squares):
            opposing, _, own = (float(cube.take(digit, axis).mean()) for digit in range(3))
            found[square] += (own - opposing) / 2
    return found
