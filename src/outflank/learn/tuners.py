"""Four ways to look for a better point of a cube when all that can be asked is who wins: noise and all.

A tuner proposes a round of duels between two points each, is told the scores, and moves its centre. The centre is its
answer: a mean of what it believes, never the luckiest point it has seen. Random search is the control that shows what
such luck is worth, and alone does answer with the best score.

* `spsa`: every duel is a pair of games between two points on opposite sides of the centre, all coordinates shifted at
  once by random signs; the centre moves towards the winners (Spall 1992; gains after Spall 1998). Works with any number
  of coordinates, and every game counts.
* `cmaes`: a normal distribution that learns its shape from the order of the candidates (Hansen & Ostermeier 2001), by
  the library of that name.
* `genetic`: tournaments of three choose parents, children take each coordinate from one of two and are changed at
  random now and then, ever less (Goldberg 1989). Written here, because it is twenty lines, and the known library for it
  draws from Python's global random state.
* `random`: points anywhere.

Candidates of the last three play one opponent, on common openings: the centre of their round, so that scores stay near
one half however much is gained; for `random` the start. All draw from their seed alone: told the same scores, they ask
for the same duels, and a run that was killed is repeated from the games that are kept.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from outflank.errors import BadSpec, require
from outflank.inputs import shown
from outflank.learn.space import Point

_SPSA_ROUNDS = 100
_ROUNDS = 20
"""Of the other tuners, where there are games for so many."""
_LEAST_GAMES = 100
_SHIFT = 0.1
"""Of SPSA in its last round, as a share of every range."""
_REACH = 0.25
"""Ranges that the centre of SPSA can cross, divided by the root of its pairs: so its random walk is equally wide with
any number of games, about a tenth of a range. Half of it stops short of an optimum of fifteen numbers."""
_DELAY, _SLOWING, _NARROWING = 0.1, 0.602, 0.101
"""Spall's: rounds before gains fall, as a share of all, and the exponents of gain and shift."""
_AVERAGED = 0.2
"""Share of the last rounds of SPSA whose centres are averaged."""
_WIDTH = 0.2
"""Standard deviation of the first candidates of CMA-ES and of the genetic algorithm."""
_MUTATED = 0.3
"""Share of coordinates of a child that are changed."""


@dataclass(frozen=True)
class Duel:
    """Two points that play each other."""

    first: Point
    second: Point


class Tuner:
    """What all tuners have; `ask` and `tell` take turns until all rounds are done."""

    common = True
    """Whether the duels of a round are played on the same openings."""

    def __init__(self, start: Point, games: int, seed: int) -> None:
        self.start, self.centre = start, start
        self.rng = np.random.default_rng(seed)
        self.rounds, self.duels, self.pairs = self._shape(games // 2)
        """Rounds in all, duels of each, pairs of games of each duel."""
        self.done = 0

    def _shape(self, pairs: int) -> tuple[int, int, int]:
        duels = max(12, 4 + int(3 * math.log(len(self.start))))
        rounds = max(2, min(_ROUNDS, pairs // (4 * duels)))
        return rounds, duels, max(1, pairs // (rounds * duels))

    def ask(self) -> list[Duel]:
        """The duels of the next round."""
        raise NotImplementedError

    def tell(self, scores: Sequence[float]) -> None:
        """Takes the shares of the points that went to the first of each duel."""
        self.done += 1
        self._learn(np.asarray(scores, np.float64))

    def _learn(self, scores: Point) -> None:
        raise NotImplementedError


class Spsa(Tuner):
    """Simultaneous perturbation, with a round of directions at once."""

    common = False

    def __init__(self, start: Point, games: int, seed: int, steps: Callable[[Point], Point]) -> None:
        super().__init__(start, games, seed)
        self._steps, self._at, self._signs = steps, start, np.empty(0)
        numbers = np.arange(1, self.rounds + 1)
        gains = numbers**_NARROWING / (_DELAY * self.rounds + numbers) ** _SLOWING
        pairs = self.rounds * self.duels
        self._gains = _REACH * math.sqrt(pairs) * gains / gains.sum() / self.duels
        self._shifts = _SHIFT * (self.rounds / numbers) ** _NARROWING
        self._last: list[Point] = []

    def _shape(self, pairs: int) -> tuple[int, int, int]:
        rounds = max(2, min(_SPSA_ROUNDS, pairs // 8))
        return rounds, max(1, pairs // rounds), 1

    def ask(self) -> list[Duel]:
        """Directions, each with both its ends."""
        self._signs = self.rng.choice([-1.0, 1.0], (self.duels, len(self.start)))
        # Half a step to either side is the least that makes two whole numbers of one.
        shift = np.maximum(self._shifts[self.done], self._steps(self._at) * 0.501)
        ends = self._signs * shift
        return [Duel(np.clip(self._at + end, 0, 1), np.clip(self._at - end, 0, 1)) for end in ends]

    def _learn(self, scores: Point) -> None:
        move = self._gains[self.done - 1] * ((2 * scores - 1) @ self._signs)
        self._at = np.clip(self._at + move, 0, 1)
        self._last = [*self._last, self._at][-max(1, int(_AVERAGED * self.rounds)) :]
        self.centre = np.mean(self._last, axis=0)


class CmaEs(Tuner):
    """Covariance matrix adaptation."""

    def __init__(self, start: Point, games: int, seed: int) -> None:
        require("cmaes", "the method cmaes needs cmaes", "tune")
        from cmaes import CMA

        super().__init__(start, games, seed)
        bounds = np.array([[0.0, 1.0]] * len(start))
        mean = np.clip(start, 0.01, 0.99)  # on the very edge half of all candidates are outside
        self._cma = CMA(mean, _WIDTH, bounds=bounds, seed=seed % 2**32, population_size=self.duels)
        self._asked: list[Point] = []

    def ask(self) -> list[Duel]:
        """Candidates of the present distribution, each against its mean."""
        self._asked = [self._cma.ask() for _ in range(self.duels)]
        return [Duel(one, self.centre) for one in self._asked]

    def _learn(self, scores: Point) -> None:
        self._cma.tell([(one, -score) for one, score in zip(self._asked, scores.tolist(), strict=True)])
        self.centre = np.clip(self._cma.mean, 0, 1)


class Genetic(Tuner):
    """Generations of candidates, each the children of the better ones before."""

    def __init__(self, start: Point, games: int, seed: int) -> None:
        super().__init__(start, games, seed)
        self._people = self._changed(np.tile(start, (self.duels, 1)), _WIDTH)
        self.centre = self._people.mean(axis=0)

    def _changed(self, people: Point, width: float) -> Point:
        return np.clip(people + self.rng.normal(0, width, people.shape), 0, 1)

    def ask(self) -> list[Duel]:
        """Everybody against the mean of all."""
        return [Duel(one, self.centre) for one in self._people]

    def _learn(self, scores: Point) -> None:
        entrants = self.rng.integers(self.duels, size=(2, self.duels, 3))
        winners = np.take_along_axis(entrants, scores[entrants].argmax(axis=2)[..., None], axis=2)[..., 0]
        mothers, fathers = self._people[winners]
        children = np.where(self.rng.random(mothers.shape) < 0.5, mothers, fathers)
        changed = self._changed(children, _WIDTH * (1 - self.done / self.rounds))
        self._people = np.where(self.rng.random(mothers.shape) < _MUTATED, changed, children)
        self.centre = self._people.mean(axis=0)


class RandomSearch(Tuner):
    """Points anywhere, and the best score so far: the luckiest, on purpose."""

    def __init__(self, start: Point, games: int, seed: int) -> None:
        super().__init__(start, games, seed)
        self._asked: list[Point] = []
        self._best = -1.0

    def ask(self) -> list[Duel]:
        """Each against the start."""
        self._asked = list(self.rng.random((self.duels, len(self.start))))
        return [Duel(one, self.start) for one in self._asked]

    def _learn(self, scores: Point) -> None:
        if scores.max() > self._best:
            self._best, self.centre = float(scores.max()), self._asked[scores.argmax()]


METHODS = ("spsa", "cmaes", "genetic", "random")


def make_tuner(
    method: str, start: Point, games: int, seed: int = 0, steps: Callable[[Point], Point] = np.zeros_like
) -> Tuner:
    """A tuner from a start that plays so many games or a few less; `steps` says how far apart whole numbers are.

    >>> tuner = make_tuner("spsa", np.array([0.5]), games=400)
    >>> while tuner.done < tuner.rounds:  # the larger always wins
    ...     tuner.tell([float(duel.first[0] > duel.second[0]) for duel in tuner.ask()])
    >>> tuner.centre.tolist()
    [1.0]
    """
    if games < _LEAST_GAMES:
        raise BadSpec(f"{shown(games)} games are too few to tune with; expected {_LEAST_GAMES} or more")
    if method == "spsa":
        return Spsa(start, games, seed, steps)
    if method in ("cmaes", "genetic", "random"):
        return {"cmaes": CmaEs, "genetic": Genetic, "random": RandomSearch}[method](start, games, seed)
    raise BadSpec(f"no method is called {shown(method)}; expected one of: {', '.join(METHODS)}")
