"""Networks that teach themselves (AlphaZero's recipe): play, learn, and take the new one where it is not worse.

A round plays games of the best network against itself (`kernels/forest.py`), trains a candidate on the positions of the
last rounds, each under the eight symmetries of the board, and lets the candidate play the best, every opening with both
colours. A candidate that scores half the points or more becomes the best. Trees grow on the processor's cores while
the device evaluates the leaves of other games.

The gate is such a match, played on the device like the games that are learned from, or by the arena: `puct` with both
networks as files, games in a store, which takes longer and can be repeated by anybody with `outflank match`. Either
way it is counted as the arena counts: by pairs, with an interval.

After every round the state is written to a directory beside the file of the network, with the positions of every round
of the window, so that a run that was killed goes on with the round in hand. On a CPU it ends with the same network as
an undisturbed one. Nothing depends on time.
"""

import io
import json
import math
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.arena.quick import match
from outflank.arena.statistics.estimates import Estimate, score
from outflank.arena.statistics.pairs import Tally, tally
from outflank.board import Rules
from outflank.errors import BadSpec, require
from outflank.inputs import expect, file_name, open_file, put_file, shown
from outflank.kernels.forest import Course
from outflank.kernels.network import LOGITS
from outflank.learn.anchors import Strength
from outflank.learn.lessons import Lessons, lessons_in, lessons_of, play, reading_of, scores_of
from outflank.learn.residual import DEVICES, Trainer, device_called, device_text, new_tensors, tensors_in
from outflank.learn.resume import check_same
from outflank.progress import Progress
from outflank.search.networks import Network, Shape, read_network
from outflank.spec import Quoted, show

GATES = ("device", "arena")
"""Who plays the match of candidate and best."""
_COMMAND = "outflank learn network"
_MOST_STATE = 2**30
_SEARCHED = 0.5
"""Share of what a search expected in the value that is learned; the rest is the result."""
_LAST_RATE = 0.02
"""Of the rate, at the end."""
_GATE_OPENING = 6
"""Random moves before a game of candidate and best, on boards that have so many."""
_PLAY, _CHOOSE, _GATE, _BEGIN, _TEACH = range(5)
"""What a seed is for."""


@dataclass(frozen=True)
class Plan:
    """What a run is made of; equal plans make the same network on a CPU.

    >>> Plan(Rules(6), playouts=16).shape
    Shape(size=6, channels=64, blocks=5)
    >>> Plan(Rules(10))
    Traceback (most recent call last):
    outflank.errors.BadSpec: networks are not possible on 10x10; expected 4x4, 6x6 or 8x8
    """

    rules: Rules
    channels: int = 64
    blocks: int = 5
    rounds: int = 40
    games: int = 8192
    """Of a round."""
    lanes: int = 4096
    """Games side by side."""
    playouts: int = 64
    """Of every move."""
    together: int = 4
    """Leaves of a tree that are evaluated together."""
    exact: int = 8
    """Empty squares from which on the solver says how a game ends."""
    random_moves: int | None = None
    """First moves at random, at most; None for a third of the game."""
    window: int = 12
    """Rounds whose positions are learned from together."""
    steps: int = 300
    """Of training in a round."""
    batch: int = 2048
    """Positions of a step."""
    rate: float = 0.002
    gate_games: int = 256
    gate_by: str = "device"
    """Or arena: who plays them."""
    teacher: str = ""
    """A file of games to learn from first; from nothing unless told."""
    lesson_steps: int = 3000
    """Of training on these games."""
    seed: int = 0
    device: str = "auto"

    def __post_init__(self) -> None:
        Shape(self.rules.size, self.channels, self.blocks)
        bounds = {
            "rounds": (1, 10_000),
            "games": (1, 10**7),
            "lanes": (1, 10**6),
            "playouts": (2, 10_000),
            "together": (1, 64),
            "exact": (0, 12),
            "random_moves": (0, self.rules.cells - 5),
            "window": (1, 1000),
            "steps": (1, 10**6),
            "batch": (8, 10**6),
            "gate_games": (2, 10**6),
            "lesson_steps": (1, 10**6),
            "seed": (0, 2**60),
        }
        for name, (least, most) in bounds.items():
            value = getattr(self, name)
            if value is None:
                continue
            expect(int, **{name: value})
            if not least <= value <= most:
                raise BadSpec(f"{name}={shown(value)} is not possible; expected {least} to {most:,}")
        expect(int | float, rate=self.rate)
        if not 0 < self.rate <= 1:
            raise BadSpec(f"rate={shown(self.rate)} is not possible; expected a number above 0, up to 1")
        if self.games % self.lanes:
            raise BadSpec(
                f"{self.games} games in {self.lanes} lanes are not possible; expected a multiple of the lanes"
            )
        if self.batch % 8 or self.gate_games % 2:
            raise BadSpec(
                f"batch={self.batch} and gate_games={self.gate_games} are not possible; expected a multiple of 8, for "
                "the symmetries, and one of 2, for the colours"
            )
        for name, known in (("device", DEVICES), ("gate_by", GATES)):
            if getattr(self, name) not in known:
                raise BadSpec(f"{name} {shown(getattr(self, name))} is not known; expected {', '.join(known)}")

    @property
    def shape(self) -> Shape:
        """Of the network."""
        return Shape(self.rules.size, self.channels, self.blocks)

    @property
    def most_random(self) -> int:
        """First moves at random, at most."""
        return (self.rules.cells - 4) // 3 if self.random_moves is None else self.random_moves

    @property
    def course(self) -> Course:
        """How it plays against itself."""
        return Course(self.playouts, self.together, 0, self.most_random, self.games // self.lanes, 1.0, False)

    @property
    def gate_opening(self) -> int:
        """Random moves before a game of candidate and best."""
        return min(_GATE_OPENING, self.rules.cells // 4)

    @property
    def gate(self) -> Course:
        """How a candidate plays the best on the device."""
        return Course(self.playouts, self.together, self.gate_opening, self.gate_opening, 1, 0.0, True)

    def seed_of(self, purpose: int, number: int) -> int:
        """A seed for one purpose in one round."""
        return int(np.random.SeedSequence([self.seed, purpose, number]).generate_state(1, np.uint64)[0] >> 4)

    def rate_of(self, number: int, step: int) -> float:
        """Half a wave down, from round to round; the first hundred steps climb."""
        gone = (number + step / self.steps) / self.rounds
        climbed = min(1.0, (number * self.steps + step + 1) / 100)
        return self.rate * climbed * (_LAST_RATE + (1 - _LAST_RATE) * (1 + math.cos(math.pi * gone)) / 2)

    def facts(self) -> dict[str, Any]:
        """The plan as it is written, the teacher by its content."""
        teacher = Path(self.teacher).name if self.teacher else ""
        return asdict(self) | {"rules": str(self.rules), "teacher": teacher, "random_moves": self.most_random}


@dataclass(frozen=True)
class Point:
    """What a round came to."""

    number: int
    positions: int
    """That were searched."""
    play_seconds: float
    train_seconds: float
    policy_loss: float
    value_loss: float
    gate: float
    """Points of a game that the candidate made against the best."""
    gate_interval: tuple[float | None, float | None]
    """Its 95 % interval; None where the games give no end."""
    taken: bool
    """Whether the candidate became the best."""


@dataclass
class State:
    """What is kept from round to round."""

    plan: Plan
    numbers: dict[str, npt.NDArray[np.float32]]
    """Of the candidate in training and of its optimiser."""
    best: Network
    rounds: int = 0
    taught: bool = False
    """Whether the teacher's games were learned."""
    games: int = 0
    positions: int = 0
    seconds: float = 0.0
    curve: list[Point] = field(default_factory=list)

    @classmethod
    def begin(cls, plan: Plan) -> "State":
        """A network that knows nothing."""
        tensors = new_tensors(plan.shape, plan.seed_of(_BEGIN, 0))
        trainer = Trainer(plan.shape, tensors, "cpu")
        return cls(plan, trainer.state(), trainer.network(plan.rules, {}), taught=not plan.teacher)

    def write(self, directory: Path) -> None:
        """Writes the state whole or not at all."""
        told = {name: getattr(self, name) for name in ("rounds", "taught", "games", "positions", "seconds")}
        told |= {"plan": self.plan.facts(), "curve": [asdict(point) for point in self.curve]}
        packed = io.BytesIO()
        arrays: dict[str, Any] = {**self.numbers, "best": self.best.weights, "told": np.array(json.dumps(told))}
        np.savez(packed, **arrays)
        put_file(directory / "state.npz", packed.getvalue())

    @classmethod
    def read(cls, directory: Path, plan: Plan) -> "State":
        """The state of an earlier run of the same plan; its beginning where there is none."""
        state, path = cls.begin(plan), directory / "state.npz"
        if not path.exists():
            return state
        with open_file(path) as file:
            content = file.read(_MOST_STATE)
        try:
            with np.load(io.BytesIO(content)) as arrays:
                told, numbers = json.loads(str(arrays["told"])), {name: arrays[name] for name in arrays.files}
            curve = [Point(**point | {"gate_interval": tuple(point["gate_interval"])}) for point in told.pop("curve")]
            given = told.pop("plan")
            del numbers["told"]
            weights = numbers.pop("best")
        except Exception:  # a damaged archive may raise anything
            raise BadSpec(f"{path} is damaged; expected what {_COMMAND} wrote, or no file") from None
        check_same(path, given, plan.facts())
        return cls(plan, numbers, Network(plan.rules, plan.shape, weights, {}), **told, curve=curve)

    def network(self, device: str) -> Network:
        """The best network so far, and how it was made."""
        made = {"by": _COMMAND, **self.plan.facts(), "device": device_text(device), "rounds done": self.rounds}
        made |= {"all games": self.games, "positions": self.positions, "seconds": round(self.seconds, 1)}
        told = f"{self.plan.blocks} blocks of {self.plan.channels} channels, policy and value"
        gates = [
            {
                "round": one.number,
                "score": round(one.gate, 3),
                "interval": [None if end is None else round(end, 3) for end in one.gate_interval],
                "taken": one.taken,
            }
            for one in self.curve
        ]
        return Network(
            self.plan.rules, self.plan.shape, self.best.weights, {"network": told, "made": made, "gates": gates}
        )


# --- a run --------------------------------------------------------------------------------------------------------


def learn(plan: Plan, path: str | Path, progress: Progress | None = None, keep: int = 0) -> State:
    """Learns, and writes the best network to `path` whenever it changes; a begun run goes on from `path` + `.state`.

    So many networks along the way are kept beside it, each with the number of its round in its name.
    """
    require("scipy", "the match of candidate and best needs scipy", "arena")
    device, path, told = device_called(plan.device), file_name(path), progress or Progress()
    directory = path.with_name(f"{path.name}.state")
    directory.mkdir(exist_ok=True)
    state = State.read(directory, plan)
    told.plan(plan.rounds, state.rounds, "rounds")
    for done in learn_rounds(state, directory, device, told):
        network = done.network(device)
        network.write(path)
        if keep and done.rounds and done.rounds % max(1, plan.rounds // keep) == 0:
            network.write(path.with_name(f"{path.stem}-{done.rounds:04}{path.suffix}"))
        told.reach(done.rounds, plan.rounds)
    shutil.rmtree(directory)
    return state


def learn_rounds(state: State, directory: Path, device: str, progress: Progress) -> Iterator[State]:
    """The same state after every round that is left, written to the directory."""
    plan, window = state.plan, dict[int, Lessons]()
    trainer = Trainer(plan.shape, tensors_in(state.numbers), device)
    trainer.remember(state.numbers)
    if not state.taught:
        _teach(state, trainer, progress)
        state.write(directory)
        yield state
    while state.rounds < plan.rounds:
        began, number = time.perf_counter(), state.rounds
        progress.say(f"round {number + 1}: playing")
        reading = reading_of(plan.rules, plan.exact)
        groups = play(plan.rules, plan.course, reading, [state.best], plan.lanes, plan.seed_of(_PLAY, number), device)
        new = lessons_of(groups, _SEARCHED)
        del groups
        new.write(_window_file(directory, number))
        played = time.perf_counter()
        progress.say(f"round {number + 1}: training")
        for old in range(max(0, number - plan.window + 1), number + 1):
            if old not in window:
                window[old] = new if old == number else Lessons.read(_window_file(directory, old))
        for old in [old for old in window if old <= number - plan.window]:
            del window[old]
            _window_file(directory, old).unlink(missing_ok=True)
        rates = [plan.rate_of(number, step) for step in range(plan.steps)]
        losses = train(trainer, list(window.values()), rates, plan.batch, plan.seed_of(_CHOOSE, number))
        trained = time.perf_counter()
        progress.say(f"round {number + 1}: candidate against best")
        candidate = trainer.network(plan.rules, {})
        gate = gate_match(plan, state.best, candidate, number, directory if plan.gate_by == "arena" else device)
        if taken := gate.value >= 0.5:
            state.best = candidate
        spent = played - began, trained - played
        ends = gate.low, gate.high
        state.curve.append(Point(number + 1, len(new), *spent, *losses, gate.value, ends, taken))
        state.numbers = trainer.state()
        state.rounds, state.games, state.positions = number + 1, state.games + plan.games, state.positions + len(new)
        state.seconds += time.perf_counter() - began
        state.write(directory)
        yield state


def _window_file(directory: Path, number: int) -> Path:
    return directory / f"round-{number + 1:05}.npz"


def _teach(state: State, trainer: Trainer, progress: Progress) -> None:
    """Learns the moves and results of the teacher's games."""
    plan, began = state.plan, time.perf_counter()
    progress.say("reading the teacher's games")
    lessons = list(lessons_in(Path(plan.teacher), plan.rules, plan.exact))
    progress.say("learning from the teacher's games")
    rates = [
        plan.rate * min(1.0, (step + 1) / 100) * (0.1 + 0.9 * (1 - step / plan.lesson_steps))
        for step in range(plan.lesson_steps)
    ]
    train(trainer, lessons, rates, plan.batch, plan.seed_of(_TEACH, 0))
    state.numbers, state.best, state.taught = trainer.state(), trainer.network(plan.rules, {}), True
    state.seconds += time.perf_counter() - began


def train(trainer: Trainer, lessons: list[Lessons], rates: list[float], batch: int, seed: int) -> tuple[float, float]:
    """A step of training for every rate; mean losses of policy and value over them."""
    import torch

    joined, device, size = Lessons.joined(lessons), trainer.device, trainer.shape.size
    bits = [8 * line + column for line in range(size) for column in range(size)]
    policies = torch.from_numpy(joined.policies[:, bits] if size < 8 else joined.policies).to(device)
    boards, values = (
        torch.from_numpy(joined.boards.view(np.int64)).to(device),
        torch.from_numpy(joined.values).to(device),
    )
    chance = torch.Generator(device).manual_seed(seed)
    totals = torch.zeros(2, device=device)
    assert joined.policies.shape[1] == LOGITS
    for rate in rates:
        chosen = torch.randint(len(joined), (batch,), generator=chance, device=device)
        target = policies[chosen].float()
        target /= target.sum(1, keepdim=True).clamp(min=1)
        totals += torch.stack(trainer.step(boards[chosen], target, values[chosen], rate))
    policy, value = (totals / len(rates)).tolist()
    return policy, value


def gate_match(plan: Plan, best: Network, candidate: Network, number: int, where: str | Path) -> Estimate:
    """Points of a game that the candidate of a round makes against the best, on a device or by the arena."""
    seed = plan.seed_of(_GATE, number)
    if isinstance(where, Path):
        return score(_arena_gate(plan, best, candidate, seed, where / f"gate-{number + 1:05}.db").counts)
    reading = reading_of(plan.rules, plan.exact)
    groups = play(plan.rules, plan.gate, reading, [best, candidate], plan.gate_games, seed, where)
    return score(_device_tally(*scores_of(groups)).counts)


def _arena_gate(plan: Plan, best: Network, candidate: Network, seed: int, store: Path) -> Tally:
    """The match as the arena plays it: both networks are files, and the games stay in a store until the run ends."""
    texts = []
    for name, network in (("candidate", candidate), ("best", best)):
        file = store.with_name(f"{name}.npz")
        network.write(file)
        texts.append(f"puct(network={show(Quoted(file))}, playouts={plan.playouts}, endgame={plan.exact})")
    opening = f"random({plan.gate_opening})"
    return match(*texts, games=plan.gate_games, rules=plan.rules, openings=opening, seed=seed, store=store).tally


def _device_tally(with_black: npt.NDArray[np.int64], with_white: npt.NDArray[np.int64]) -> Tally:
    """The match of these half points of the candidate; games at the same place had the same opening.

    >>> _device_tally(np.array([2, 1]), np.array([0, 2])).pairs
    (0, 0, 1, 1, 0)
    """
    games = ((True, with_black), (False, with_white))
    return tally((pair, black, half / 2) for black, halves in games for pair, half in enumerate(halves.tolist()))


def with_strengths(path: Path, rules: Rules, found: Sequence[Strength]) -> dict[str, Any]:
    """The card of a network, into which its matches with anchors were written."""
    network = read_network(path, rules)
    card = dict(network.card)
    if found:
        card["strength"] = [{"player": one.player, **asdict(one.measure)} for one in found]
        Network(rules, network.shape, network.weights, card).write(path)
    return card
