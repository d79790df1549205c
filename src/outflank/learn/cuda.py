"""Pattern weights on a GPU, from nothing or from a file: rounds of self-play and training.

A round plays games with the weights it was given (`kernels/lanes.py`) and then passes over the positions that were
kept, in batches, with Adam (`kernels/cuda.py`). Rates fall from round to round. The last round has many more games and
passes, larger batches and a pull of rare weights to 0, as by `_RIDGE` positions.

Nothing depends on time: the same plan makes the same games and, with the same versions of compiler and card, the same
weights. After every round the state is written beside the file of weights, and the same command goes on from there.

On one NVIDIA H200, 8x8: 8.7 million games a second of one ply, 1.5 with the last 8 squares exact, 1.1 of two plies with
them, 0.43 of three; with the last 10 exact two plies fall to 0.23. A pass takes a second for 550 million positions.
"""

import io
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Position, Rules
from outflank.devices import check_gpu
from outflank.errors import BadSpec, OutflankError
from outflank.inputs import expect, file_name, open_file, put_file, shown
from outflank.kernels.jit import Board, Word
from outflank.kernels.lanes import Course, Kept
from outflank.kernels.patterns import Patterns
from outflank.learn.resume import check_same
from outflank.learn.training import PHASES
from outflank.patterns import MOST_PHASES, PatternWeights, file_digest, pattern_set, quantised, read_usual_weights
from outflank.progress import Progress

_RIDGE = 25.0
_BATCH, _LAST_BATCH = 1 << 18, 1 << 21
"""Positions between two steps, in most rounds and in the last."""
_FIRST_RATE, _LAST_RATE, _FINAL_RATE = 0.3, 0.008, 0.0008
"""Of the first round, of the last one at its first pass, and at its last."""
_LAUNCH = 1 << 19
"""Games of one launch: a second or two on 8x8, because a card at work hears no Ctrl-C."""
_MOST_STATE = 2**30


@dataclass(frozen=True)
class Plan:
    """What a run is made of; equal plans make the same weights.

    >>> plan = Plan(Rules(6, "reversed"), games=1000)
    >>> plan.course().sign, plan.slots, plan.games_of(0), plan.games_of(31)
    (-1, 7, 1000, 30000)
    """

    rules: Rules
    rounds: int = 32
    games: int = 1 << 20
    """Of a round."""
    last: int = 30
    """How many times as many games the last round has."""
    passes: int = 4
    last_passes: int = 40
    plies: int = 3
    """How deep a move is searched."""
    exact: int = 8
    """Empty squares from which on it is searched to the end."""
    random_moves: int | None = None
    """Random first moves at most; None for three quarters of the game."""
    every: int = 5
    """Plies from one position that is kept to the next."""
    phases: int | None = None
    """None for the usual number."""
    seed: int = 0
    start: str = ""
    """A file of weights to begin with; from nothing unless told."""

    def __post_init__(self) -> None:
        pattern_set(self.rules.size)
        bounds = {
            "rounds": (1, 10_000),
            "games": (1, 10**8),
            "last": (1, 1000),
            "passes": (1, 1000),
            "last_passes": (1, 1000),
            "plies": (1, 12),
            "exact": (0, 12),
            "random_moves": (0, self.rules.cells - 5),
            "every": (1, self.rules.cells),
            "phases": (1, MOST_PHASES),
            "seed": (0, 2**62),
        }
        for name, (least, most) in bounds.items():
            value = getattr(self, name)
            if value is None:
                continue
            expect(int, **{name: value})
            if not least <= value <= most:
                raise BadSpec(f"{name}={shown(value)} is not possible; expected {least} to {most:,}")

    @property
    def levels(self) -> int:
        """Levels of the deepest search."""
        return max(self.plies, self.exact)

    @property
    def slots(self) -> int:
        """Positions that a game can keep."""
        return -(-(self.rules.cells - 4) // self.every)

    def games_of(self, number: int) -> int:
        """Games of a round."""
        return self.games * (self.last if number == self.rounds - 1 else 1)

    @property
    def memory(self) -> int:
        """Bytes of the positions of the last two rounds, which are on the card together."""
        most = sum(self.games_of(number) for number in range(max(self.rounds - 2, 0), self.rounds))
        return most * (self.slots * (16 * self.rules.words + 1) + 1)

    def course(self) -> Course:
        """How its games go; searches try corners first, in the reversed game last."""
        rules, n = self.rules, self.rules.size
        corners = _squares(rules, [0, n - 1, n * n - n, n * n - 1])
        diagonal = _squares(rules, [n + 1, 2 * n - 2, n * n - 2 * n + 1, n * n - n - 2])
        standard = rules.variant == "standard"
        order = (corners, diagonal) if standard else (diagonal, corners)
        randoms = (rules.cells - 4) * 3 // 4 if self.random_moves is None else self.random_moves
        sign = 1 if standard else -1
        return Course(*Position.start(rules).boards, *order, sign, self.plies, self.exact, randoms, self.every)

    def facts(self) -> dict[str, Any]:
        """The plan as it is written, the weights to begin with by their content."""
        start = file_digest(Path(self.start)) if self.start else ""
        return asdict(self) | {"rules": str(self.rules), "start": start}


def _squares(rules: Rules, squares: list[int]) -> Board:
    return rules.board(sum(rules.bit(square) for square in squares))


# --- from round to round --------------------------------------------------------------------------------------------


@dataclass
class State:
    """What is kept from round to round."""

    plan: Plan
    weights: npt.NDArray[np.float32]
    """[phases, weights] in discs."""
    mean: npt.NDArray[np.float32]
    square: npt.NDArray[np.float32]
    rounds: int = 0
    steps: int = 0
    games: int = 0
    seconds: float = 0.0
    errors: dict[str, float] = field(default_factory=dict)
    """Root mean square in discs on games of the last round as they were first seen, by empty squares."""

    @classmethod
    def begin(cls, plan: Plan) -> "State":
        """The weights that the plan begins with."""
        if plan.start:
            weights = read_usual_weights(Path(plan.start), plan.rules).in_discs
            if plan.phases not in (None, len(weights)):
                raise BadSpec(f"phases={plan.phases} is not possible: the weights to begin with have {len(weights)}")
        else:
            shape = (plan.phases or PHASES[plan.rules.size], pattern_set(plan.rules.size).weights)
            weights = np.zeros(shape, np.float32)
        return cls(plan, weights, np.zeros_like(weights), np.zeros_like(weights))

    def _numbers(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("rounds", "steps", "games", "seconds", "errors")}

    def write(self, path: Path) -> None:
        """Writes the state whole or not at all."""
        told = json.dumps({"plan": self.plan.facts(), "numbers": self._numbers()})
        packed = io.BytesIO()
        np.savez(packed, weights=self.weights, mean=self.mean, square=self.square, told=np.array(told))
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
                told = json.loads(str(arrays["told"]))
                found = cls(plan, *(arrays[name] for name in ("weights", "mean", "square")), **told["numbers"])
                given = told["plan"]
        except Exception:  # a damaged archive may raise anything
            raise BadSpec(f"{path} is damaged; expected what outflank learn cuda wrote, or no file") from None
        check_same(path, given, plan.facts())
        return found

    def trained(self, card: str) -> PatternWeights:
        """The weights as they are played with, and how they were made on this card."""
        plan, patterns = self.plan, pattern_set(self.plan.rules.size)
        before = read_usual_weights(Path(plan.start), plan.rules).card.get("made", []) if plan.start else []
        step = {"by": "outflank learn cuda", **plan.facts(), "all games": self.games, "card": card}
        step |= {"seconds": round(self.seconds, 1), "random_moves": plan.course().randoms}
        weights = PatternWeights(plan.rules, quantised(self.weights), {})
        unit = "root mean square, discs, by empty squares, on games of the last round as they were first seen"
        facts = {
            "rules": str(plan.rules),
            "patterns": f"{len(patterns.instances)} of {len(patterns.kinds)} kinds, {len(self.weights)} phases of "
            f"{weights.phase_length} discs, and the move by number of discs",
            "made": [*before, step],
            "error": {"unit": unit, "values": self.errors},
        }
        return PatternWeights(plan.rules, weights.values, facts)


def _check_memory(plan: Plan) -> None:
    from outflank.kernels.cuda import free_memory

    free = free_memory()
    if plan.memory > 0.9 * free:
        raise OutflankError(
            f"the games of the last round need {plan.memory / 2**30:.1f} GiB, and the card has {free / 2**30:.1f} GiB "
            "free; expected fewer games, or a last round that is fewer times as large"
        )


def train(plan: Plan, path: str | Path, progress: Progress | None = None) -> PatternWeights:
    """The weights of a plan, written to `path`; a begun run goes on from `path` with `.state` added to its name."""
    card, shown_to, path = check_gpu("training"), progress or Progress(), file_name(path)
    beside = path.with_name(f"{path.name}.state")
    state = State.read(beside, plan)
    _check_memory(plan)
    shown_to.plan(plan.rounds, state.rounds, "rounds")
    for done in train_rounds(state):
        done.write(beside)
        shown_to.say(f"{done.games / 1e6:,.1f} million games")
        shown_to.advance()
    weights = state.trained(card)
    weights.write(path)
    beside.unlink(missing_ok=True)
    return weights


def train_rounds(state: State) -> Iterator[State]:
    """The same state after every round that is left; needs a GPU."""
    plan, run = state.plan, _Run(state)
    while state.rounds < plan.rounds:
        began = time.perf_counter()
        last, games = state.rounds == plan.rounds - 1, plan.games_of(state.rounds)
        kept = run.play(games, state.games)
        for done in range(plan.last_passes if last else plan.passes):
            errors = run.fit(kept, *_rates(plan, state.rounds, done))
            if done == 0:
                state.errors = _by_empties(errors, plan.rules)
        run.fetch()
        state.rounds, state.games = state.rounds + 1, state.games + games
        state.seconds += time.perf_counter() - began
        yield state


def _rates(plan: Plan, number: int, done: int) -> tuple[float, int, float]:
    """Rate, positions of a batch, and pull to 0 of a pass."""
    if number < plan.rounds - 1:
        return _FIRST_RATE * (_LAST_RATE / _FIRST_RATE) ** (number / plan.rounds), _BATCH, 0.0
    return _LAST_RATE * (_FINAL_RATE / _LAST_RATE) ** (done / plan.last_passes), _LAST_BATCH, _RIDGE


def _by_empties(errors: npt.NDArray[np.int64], rules: Rules) -> dict[str, float]:
    """Root mean square errors of phases, by empty squares in the middle of each."""
    length = -(-(rules.cells - 4) // len(errors))
    middles = [rules.cells - 4 - phase * length - length // 2 for phase in range(len(errors))]
    told = zip(middles, errors.tolist(), strict=True)
    return {str(empties): round((squares / count) ** 0.5, 2) for empties, (count, squares) in told if count}


# --- on the card ----------------------------------------------------------------------------------------------------


class _Run:
    """A state on the card."""

    def __init__(self, state: State) -> None:
        from outflank.kernels import cuda as card

        plan, self.state, self.card = state.plan, state, card
        rules, patterns = plan.rules, pattern_set(plan.rules.size)
        shape = [card.Pattern(*each) for each in patterns.placed()]
        self.course = plan.course()
        self.play_kernel = card.play_kernel(shape, rules.words, plan.levels)
        self.collect_kernel, self.step_kernel = card.collect_kernel(shape), card.step_kernel()
        self.twins = card.put(patterns.twins)
        self.arrays = [card.put(array) for array in (state.weights, state.mean, state.square)]
        self.sums = card.put(np.zeros(state.weights.shape, np.int64))
        self.patterns = self._patterns()

    def _patterns(self) -> Patterns:
        """What the games take, with the weights of now; a card needs no tables of squares."""
        built = PatternWeights(self.state.plan.rules, quantised(self.state.weights), {}).build()
        nothing = self.card.put(np.zeros((1, 1, 1), np.int16)), self.card.put(np.zeros(1, np.int32))
        return Patterns(*nothing, self.card.put(built.weights), built.tempo, built.first, built.length)

    def play(self, games: int, number: int) -> Kept:
        """The games from this number on, with the weights that were fetched last."""
        plan, card = self.state.plan, self.card
        rows, words = plan.slots * games, plan.rules.words
        kept = Kept(
            card.room((rows, words), np.uint64),
            card.room((rows, words), np.uint64),
            card.room(rows, np.int8),
            card.room(games, np.int8),
        )
        self.patterns, seed = self._patterns(), Word(plan.seed)
        for begin in range(0, games, _LAUNCH):
            end = min(begin + _LAUNCH, games)
            play = self.play_kernel[card.busy_blocks(end - begin), card.BLOCK]
            play(self.course, self.patterns, seed, number, begin, end, kept)
            card.wait()
        return kept

    def fit(self, kept: Kept, rate: float, batch: int, ridge: float) -> npt.NDArray[np.int64]:
        """One pass over all positions; [phases, 2]: how many, and the sum of their squared errors."""
        state, card, slots = self.state, self.card, self.state.plan.slots
        total = kept.counts.shape[0]
        games = min(max(batch // slots, 1), total)
        errors = card.put(np.zeros((len(state.weights), 2), np.int64))
        collect = self.collect_kernel[-(-games * slots // card.BLOCK), card.BLOCK]
        step = self.step_kernel[card.busy_blocks(state.weights.size), card.BLOCK]
        for begin in range(0, total, games):
            collect(kept, begin, games, self.course.full, self.patterns, self.arrays[0], self.sums, errors)
            state.steps += 1
            warm = np.float32(1 / (1 - 0.9**state.steps)), np.float32(1 / (1 - 0.99**state.steps))
            step(*self.arrays, self.sums, self.twins, np.float32(rate), warm, np.float32(ridge * games / total))
        found: npt.NDArray[np.int64] = errors.copy_to_host()
        return found

    def fetch(self) -> None:
        """Brings the state back from the card."""
        state = self.state
        state.weights, state.mean, state.square = (array.copy_to_host() for array in self.arrays)
