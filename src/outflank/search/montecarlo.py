"""Flat Monte Carlo: playouts from every legal move in equal number, without a tree, hence the name flat.

"Reversi with Monte Carlo Tree Search" (no author, C++) calls it "pure" when the moves of playouts are random, and has a
second one whose playouts follow its one-ply heuristic.

On a GPU all moves are played out at once. The playouts are the same games, so that the decision is the same.
"""

import random
from typing import Any

import numpy as np

from outflank.board import Position, Rules
from outflank.devices import CardPlayouts, on_gpu
from outflank.errors import BadSpec
from outflank.kernels import policy as kernels
from outflank.kernels.jit import Word, Words
from outflank.kernels.playout import LANES, new_lanes
from outflank.kernels.rules import play
from outflank.plugins import raise_faults
from outflank.search.clock import Clock
from outflank.search.decision import Decision, RootMove
from outflank.search.limits import NO_LIMIT, Limits
from outflank.search.player import Player
from outflank.search.policy import PlayoutPolicy

_SEED_MASK = 2**64 - 1
MOVE_STREAMS = 1 << 40
"""Random streams set aside for the playouts of one root move."""
MOST_PLAYOUTS = 10**12
"""Of one root move; fewer than its random streams."""
_FIRST_RATE = 20_000.0
"""Playouts per second to expect before any was timed: low, so that the first slice of a slow policy is short."""
_CARD_MOVES = 64
"""Root moves for which a card has room; more are rare."""
_CARD_SLICE = 1 << 22
"""Playouts of a round on a card that are not uniform: a tenth of a second."""
_FIRST_CARD_RATE, _SLOW_CARD_RATE = 4e8, 2e7
"""The same on a GPU, for uniform playouts and others: a launch of a few takes as long as one of a million."""


class FlatMonteCarlo(Player):
    """Playouts from every legal move in equal number; the move with the most points is played.

    Every move gets `playouts` playouts, or an even share of the limits, whichever is less. The moves take turns: when a
    search is stopped, all have been played out equally often but for one playout. A limit is exceeded by one playout at
    most, and moves that were never played out are not chosen. Of equal moves a random one is played.

    >>> position = Position.parse("-X-X-XXOOXOOXXXO O")
    >>> decision = FlatMonteCarlo(playouts=20).choose(position, Limits(), seed=1)
    >>> {root.move: root.win_rate for root in decision.moves}
    {a1: 0.5, c1: 1.0, a2: 0.0}
    """

    kind = "montecarlo"

    def __init__(
        self,
        playouts: int | None = 250,
        policy: PlayoutPolicy | None = None,
        draw: float = 0.5,
        device: str | None = None,
    ) -> None:
        """`playouts` per legal move, None for the limits alone; `device` is `cpu`, `gpu` or `auto`."""
        if playouts is not None and not 1 <= playouts <= MOST_PLAYOUTS:
            raise BadSpec(f"playouts={playouts} is not possible; expected 1 to {MOST_PLAYOUTS}")
        if not 0 <= draw <= 1:
            raise BadSpec(f"draw={draw} is not possible; expected 0 to 1")
        self.playouts = playouts
        self.policy = policy or PlayoutPolicy()
        self.draw = draw
        if device == "gpu" and self.policy.has_own_code:
            raise BadSpec("device=gpu does not play functions of a person's own; expected device=cpu")
        self.on_gpu = not self.policy.has_own_code and on_gpu(device)
        uniform = self.policy.kind == "uniform"
        self._first_rate = (_FIRST_CARD_RATE if uniform else _SLOW_CARD_RATE) if self.on_gpu else _FIRST_RATE
        self._rate = self._first_rate
        self._most_at_once = _CARD_SLICE if self.on_gpu and not uniform else NO_LIMIT
        self._lanes = new_lanes()
        self._card: CardPlayouts | None = None

    def check_rules(self, rules: Rules) -> None:
        """The tables of the playouts must fit the board."""
        self.policy.check_rules(rules)

    def rehearse(self, rules: Rules) -> None:
        """A few playouts of every move."""
        self.choose(Position.start(rules), Limits(playouts=4 * LANES), seed=0)
        self._rate = self._first_rate  # the compiler's time is in what was measured

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """The move with the highest share of points; the same for the same seed unless a clock decides."""
        limits = limits.for_move((position.empties + 1) // 2)
        clock = Clock(limits, self._rate)
        samples = self._samples(position, limits, clock, seed)
        self._rate = clock.rate
        highest = max(one.share for one in samples if one.share is not None)
        best = random.Random(seed).choice([one for one in samples if one.share == highest])
        total = sum(one.playouts for one in samples)
        return Decision(
            best.move,
            position.turn,
            best.share,
            nodes=_nodes(samples),
            playouts=total,
            depth=1,
            seconds=clock.seconds,
            pv=(best.move,),
            moves=tuple(RootMove(one.move, one.share, True, one.playouts, one.share) for one in samples),
            finished=self.playouts is None or total == self.playouts * len(samples),
            unit="wins",
        )

    def _samples(self, position: Position, limits: Limits, clock: Clock, seed: int) -> list["_Sample"]:
        """The playouts of every move, in rounds, until a limit is reached; one playout at least.

        In what order and in which slices they are played changes none of them.
        """
        policy, word = self.policy.build(position.rules, self.draw), Word(seed & _SEED_MASK)
        samples = [_Sample(position, move, number * MOVE_STREAMS) for number, move in enumerate(position.moves)]
        most = self._most(limits, len(samples))
        while samples[-1].playouts < most:
            number = min(self._number(samples, position, limits, clock), most - samples[-1].playouts)
            before = _nodes(samples)
            if self.on_gpu:
                self._play_on_card(samples, number, policy, position.rules, seed)
            for one in [] if self.on_gpu else samples:
                one.play(number, policy, word, self._lanes)
                raise_faults(getattr(policy, "plug", None))
                if number == 1 and _reached(samples, limits, clock):
                    return samples
            if self.on_gpu and number == 1 and _reached(samples, limits, clock):
                return samples
            clock.worked(number * len(samples))
            endless = most == MOST_PLAYOUTS and _nodes(samples) == before  # every game is over at once
            if clock.expired or (endless and limits.nodes is not None):
                break
        return samples

    def _play_on_card(self, samples: list["_Sample"], number: int, policy: Any, rules: Rules, seed: int) -> None:
        """So many playouts more of every move, at once."""
        card, tasks = self._card, len(samples)
        if card is None or card.policy is not policy or card.tasks < tasks:
            card = self._card = CardPlayouts(rules, policy, max(tasks, _CARD_MOVES))
        card.seeds[:tasks] = seed & _SEED_MASK
        for task, one in enumerate(samples):
            card.own[task], card.other[task] = one.boards
            card.firsts[task] = one.first + one.playouts
        points = np.array([[0.0, one.points] for one in samples])
        placed = np.zeros(tasks, np.int64)
        card.send(tasks, number)
        card.receive(points, placed)
        for one, paid, plies in zip(samples, points[:, 1].tolist(), placed.tolist(), strict=True):
            one.points = paid
            one.playouts += number
            one.plies += plies

    def _most(self, limits: Limits, moves: int) -> int:
        """Playouts that each of so many moves may have, one at least."""
        if self.playouts is None and limits.playouts is None and limits.nodes is None and limits.seconds is None:
            raise BadSpec("flat Monte Carlo has no limit; expected playouts, nodes or seconds")
        return max(1, min(self.playouts or MOST_PLAYOUTS, (limits.playouts or NO_LIMIT) // moves))

    def _number(self, samples: list["_Sample"], position: Position, limits: Limits, clock: Clock) -> int:
        """Playouts of each move in the next round: a slice of the clock, and too few to reach the limit of nodes.

        The last playouts before that limit are therefore played one by one.
        """
        number = min(clock.slice(), self._most_at_once) // len(samples)
        if limits.nodes is not None:
            longest = max(1, position.empties - 1)
            number = min(number, (limits.nodes - 1 - _nodes(samples)) // (len(samples) * longest))
        return max(1, number - number % LANES if number > LANES else number)


class _Sample:
    """One root move and its playouts so far; points are those of the side that searches."""

    def __init__(self, position: Position, move: int, first: int) -> None:
        """Its playouts have the random streams from `first` on."""
        me, opp, self.full = position.boards
        after = play(me, opp, position.rules.bit(move).bit_length() - 1)
        self.boards = [tuple(map(Word, board)) for board in after]  # compiled code hands words back as plain ints
        self.move, self.first = move, first
        self.points, self.playouts, self.plies = 0.0, 0, 0

    @property
    def share(self) -> float | None:
        """Points per playout; None of a move that was not played out."""
        return self.points / self.playouts if self.playouts else None

    def play(self, number: int, policy: Any, seed: Word, lanes: Words) -> None:
        """So many playouts more."""
        mine, theirs = self.boards
        _, self.points, plies = kernels.playouts(
            mine, theirs, self.full, False, policy, seed, self.first + self.playouts, number, lanes, 0.0, self.points
        )
        self.playouts += number
        self.plies += plies


def _nodes(samples: list[_Sample]) -> int:
    """Every root move and every disc placed in a playout."""
    return sum(1 + one.plies for one in samples)


def _reached(samples: list[_Sample], limits: Limits, clock: Clock) -> bool:
    """Whether a limit is reached."""
    played = sum(one.playouts for one in samples)
    return (
        clock.expired
        or (limits.playouts is not None and played >= limits.playouts)
        or (limits.nodes is not None and _nodes(samples) >= limits.nodes)
    )
