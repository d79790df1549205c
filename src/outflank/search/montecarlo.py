"""Players that play games out: `PlayoutPolicy`, flat Monte Carlo, and the one-ply heuristic.

"Reversi with Monte Carlo Tree Search" (no author, C++) compares three programs that this module holds: a one-ply
heuristic, playouts from every legal move with equal budgets ("pure" when moves are random), and the same with the
heuristic choosing the moves of the playouts. There is no tree in any of them, hence the name flat.

Read literally, heuristic playouts are the same game over and over except for ties; here that lost 4 : 116 against
random playouts, while the paper reports 50 : 10. `own_heuristic` (own side by the formula, the other at random) comes
nearest to the paper and is the kind to use.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from outflank.board import Position, Rules
from outflank.errors import BadSpec, IllegalMove
from outflank.evaluation import EvaluationSpec, Table, byte_sums, read_evaluation
from outflank.kernels import policy as kernels
from outflank.kernels.jit import Word, Words
from outflank.kernels.playout import LANES
from outflank.kernels.policy import KINDS, Cutoff, Guided, Policy, Uniform
from outflank.kernels.rules import play
from outflank.search.limits import Clock, Decision, Limits, RootMove

SquareTable = Table | Sequence[int] | npt.NDArray[np.integer]
"""A number per square: a named table, or n² numbers row by row."""

_SEED_MASK = 2**64 - 1
_MOVE_STREAMS = 1 << 40
"""Random streams set aside for the playouts of one root move."""
_FIRST_RATE = 20_000.0
"""Playouts per second to expect before any was timed: low, so that the first slice of a slow policy is short."""
_NO_LIMIT = 1 << 60


def squares_of(table: SquareTable | None, size: int, otherwise: int) -> npt.NDArray[np.int32]:
    """One number per square of a board of this size; `otherwise` everywhere when there is no table."""
    if table is None:
        return np.full(size * size, otherwise, np.int32)
    if isinstance(table, Table):
        return table.squares(size)
    squares = np.asarray(table, np.int32).ravel()
    if len(squares) != size * size:
        raise BadSpec(f"table has {len(squares)} numbers, but a {size}x{size} board has {size * size} squares")
    return squares


def choices_of(position: Position) -> tuple[int, ...]:
    """The legal moves of a position in which there is something to choose or to pass."""
    moves = position.moves
    if not moves:
        raise IllegalMove(f"no move can be chosen: the game is over in {position.line()}")
    return moves


def forced(position: Position, move: int) -> Decision:
    """The decision when there is only one move: at once, and without a value."""
    return Decision(move, position.turn, pv=(move,), moves=(RootMove(move),))


@dataclass(frozen=True, eq=False)
class PlayoutPolicy:
    """How the moves of playouts are chosen; which fields matter depends on `kind`.

    >>> PlayoutPolicy("epsilon", epsilon=0.25).build(Rules(6), draw=0.5).epsilon
    0.25
    >>> PlayoutPolicy("greedy")
    Traceback (most recent call last):
    outflank.errors.BadSpec: playout 'greedy' is not known; expected one of: uniform, heuristic, ...
    """

    kind: str = "uniform"
    worths: SquareTable | None = None
    """Worth of the squares in H, written for the standard game; nothing is worth anything by default."""
    empties: Literal["before", "after"] = "before"
    """Whether H counts empty squares before or after the move."""
    epsilon: float = 0.1
    """Share of random moves of `epsilon`."""
    weights: SquareTable | None = None
    """Positive whole weights of the squares for `weighted`, as they are in both games; all equal by default."""
    depth: int = 8
    """Random moves before `cutoff` evaluates."""
    scale: float = 100.0
    """The evaluation at which `cutoff` expects 73 % of the points."""
    evaluation: EvaluationSpec | None = None
    """What `cutoff` evaluates with; the discs by default."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadSpec(f"playout {self.kind!r} is not known; expected one of: {', '.join(KINDS)}")
        if not 0 <= self.epsilon <= 1:
            raise BadSpec(f"epsilon={self.epsilon} is not possible; expected 0 to 1")
        if self.depth < 0 or not self.scale > 0:
            raise BadSpec(f"depth={self.depth}, scale={self.scale} is not possible; expected 0 or more, above 0")

    def build(self, rules: Rules, draw: float) -> Policy:
        """What kernels take: tables in the layout of these rules; a draw pays `draw`."""
        return _build(self, rules, draw)


@lru_cache(maxsize=64)
def _build(policy: PlayoutPolicy, rules: Rules, draw: float) -> Policy:
    paid = Uniform(KINDS.index(policy.kind), 1 if rules.variant == "standard" else -1, float(draw))
    if policy.kind == "uniform":
        return paid
    if policy.kind == "cutoff":
        evaluation, plug = (policy.evaluation or read_evaluation("discs")).build(rules)
        return Cutoff(*paid, policy.depth, float(policy.scale), evaluation, plug)
    classes, weights = _weight_classes(squares_of(policy.weights, rules.size, 1), rules)
    sums = byte_sums(squares_of(policy.worths, rules.size, 0), rules)[None]
    return Guided(*paid, sums, policy.empties == "after", float(policy.epsilon), classes, weights)


def _weight_classes(weights: npt.NDArray[np.int32], rules: Rules) -> tuple[Words, Words]:
    """Squares of equal weight as masks [classes, words], and the weights [classes]."""
    if weights.min() < 1 or int(weights.sum()) >= 2**31:
        raise BadSpec("a weight is below 1 or all are too large; expected positive weights with a sum below 2^31")
    values = np.unique(weights)
    masks = [sum(rules.bit(int(square)) for square in np.flatnonzero(weights == value)) for value in values]
    return np.array([rules.board(mask) for mask in masks], np.uint64), values.astype(np.uint64)


class FlatMonteCarlo:
    """Playouts from every legal move in equal number; the move with the most points is played.

    Every move gets `playouts` playouts, or an even share of the limits, whichever is less, and one at least; time that
    a move does not use is lost, as in the paper. Equal points are decided by lot.

    >>> position = Position.parse("-X-X-XXOOXOOXXXO O")
    >>> decision = FlatMonteCarlo(playouts=20).choose(position, Limits(), seed=1)
    >>> {root.move: root.win_rate for root in decision.moves}
    {a1: 0.5, c1: 1.0, a2: 0.0}
    """

    def __init__(
        self,
        playouts: int | None = 250,
        policy: PlayoutPolicy | None = None,
        draw: float = 0.5,
        instant: bool = True,
    ) -> None:
        """`playouts` per legal move, None for the limits alone; `instant` answers at once when one move is legal."""
        if playouts is not None and playouts < 1:
            raise BadSpec(f"playouts={playouts} is not possible; expected 1 or more")
        self.playouts = playouts
        self.policy = policy or PlayoutPolicy()
        self.draw = draw
        self.instant = instant
        self._rate = _FIRST_RATE
        self._lanes = kernels.lanes_for_playouts()

    def new_game(self) -> None:
        """Forgets the last game; there is nothing to forget."""

    def warm_up(self, rules: Rules) -> None:
        """Compiles what a game under these rules needs."""
        self.choose(Position.start(rules), Limits(playouts=4 * LANES), seed=0)
        self._rate = _FIRST_RATE  # the compiler's time is in what was measured

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """The move with the highest share of points; the same for the same seed unless a clock decides."""
        moves = choices_of(position)
        if moves[0] == position.rules.pass_move or (self.instant and len(moves) == 1):
            return forced(position, moves[0])
        limits = limits.for_move((position.empties + 1) // 2)
        whole = Clock(limits, self._rate)
        share = self._share(limits, len(moves))
        samples = [
            self._sample(position, move, share, seed, number * _MOVE_STREAMS) for number, move in enumerate(moves)
        ]
        shares = [points / playouts for points, playouts, _ in samples]
        number = random.Random(seed).choice([i for i, points in enumerate(shares) if points == max(shares)])
        total = sum(playouts for _, playouts, _ in samples)
        return Decision(
            moves[number],
            position.turn,
            shares[number],
            nodes=sum(1 + plies for _, _, plies in samples),
            playouts=total,
            depth=1,
            seconds=whole.seconds,
            pv=(moves[number],),
            moves=tuple(
                RootMove(move, rate, True, playouts, rate)
                for move, rate, (_, playouts, _) in zip(moves, shares, samples, strict=True)
            ),
            finished=self.playouts is None or total == self.playouts * len(moves),
            unit="wins",
        )

    def _share(self, limits: Limits, moves: int) -> Limits:
        """What one of so many moves may spend."""
        if self.playouts is None and limits.playouts is None and limits.nodes is None and limits.seconds is None:
            raise BadSpec("flat Monte Carlo has no limit; expected playouts, nodes or seconds")
        allowed = [] if self.playouts is None else [self.playouts]
        if limits.playouts is not None:
            allowed.append(max(1, limits.playouts // moves))
        return Limits(
            playouts=min(allowed, default=None),
            nodes=None if limits.nodes is None else max(1, limits.nodes // moves),
            seconds=None if limits.seconds is None else limits.seconds / moves,
        )

    def _sample(self, position: Position, move: int, share: Limits, seed: int, first: int) -> tuple[float, int, int]:
        """(points, playouts, discs placed) of the playouts of one move, from random stream `first` on."""
        rules, (me, opp, full) = position.rules, position.boards
        policy = self.policy.build(rules, self.draw)
        after = play(me, opp, rules.bit(move).bit_length() - 1)
        mine, theirs = (tuple(map(Word, board)) for board in after)  # compiled code hands words back as plain ints
        clock = Clock(share, self._rate)
        most, nodes = share.playouts or _NO_LIMIT, share.nodes or _NO_LIMIT
        points, done, plies = 0.0, 0, 0
        while done < most and plies < nodes and not (done and clock.expired):
            slice_size = clock.slice() if share.nodes is None else LANES
            number = min(slice_size, most - done)
            _, won, placed = kernels.playouts(
                mine, theirs, full, False, policy, Word(seed & _SEED_MASK), first + done, number, self._lanes
            )
            clock.worked(number)
            points, done, plies = points + won, done + number, plies + placed
        self._rate = clock.rate
        return points, done, plies


class HeuristicPlayer:
    """One ply of the formula H: square worths, opposing moves, discs turned; see `kernels.policy`.

    >>> position = Position.start(Rules(4))
    >>> decision = HeuristicPlayer(worths=[0] * 16).choose(position, Limits(), seed=3)
    >>> [root.value for root in decision.moves]
    [47.5, 47.5, 47.5, 47.5]
    """

    def __init__(self, worths: SquareTable | None = None, empties: Literal["before", "after"] = "before") -> None:
        """`worths` are written for the standard game; `empties` are counted before or after the move."""
        self.policy = PlayoutPolicy("heuristic", worths, empties)
        self._values = np.empty(256)

    def new_game(self) -> None:
        """Forgets the last game; there is nothing to forget."""

    def warm_up(self, rules: Rules) -> None:
        """Compiles what a game under these rules needs."""
        self.choose(Position.start(rules), Limits(), seed=0)

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """The move with the highest H, by lot among equals; limits do not matter to one ply."""
        moves = choices_of(position)
        if moves[0] == position.rules.pass_move:
            return forced(position, moves[0])
        clock = Clock(limits, _FIRST_RATE)
        policy: Any = self.policy.build(position.rules, 0.5)
        bit = kernels.best_by_heuristic(*position.boards, policy, Word(seed & _SEED_MASK), self._values)
        found = tuple(
            RootMove(move, value) for move, value in zip(moves, self._values[: len(moves)].tolist(), strict=True)
        )
        move = next(position.rules.squares(1 << int(bit)))
        value = next(root.value for root in found if root.move == move)
        return Decision(move, position.turn, value, len(moves), 0, 1, clock.seconds, (move,), found)
