"""Flat Monte Carlo: playouts from every legal move in equal number, without a tree, hence the name flat.

"Reversi with Monte Carlo Tree Search" (no author, C++) calls it "pure" when the moves of playouts are random, and has a
second one whose playouts follow its one-ply heuristic.
"""

import random

from outflank.board import Position, Rules
from outflank.errors import BadSpec
from outflank.kernels import policy as kernels
from outflank.kernels.jit import Word
from outflank.kernels.playout import LANES
from outflank.kernels.rules import play
from outflank.search.clock import Clock
from outflank.search.decision import Decision, RootMove
from outflank.search.limits import Limits
from outflank.search.player import Player
from outflank.search.policy import PlayoutPolicy

_SEED_MASK = 2**64 - 1
_MOVE_STREAMS = 1 << 40
"""Random streams set aside for the playouts of one root move."""
_FIRST_RATE = 20_000.0
"""Playouts per second to expect before any was timed: low, so that the first slice of a slow policy is short."""
_NO_LIMIT = 1 << 60


class FlatMonteCarlo(Player):
    """Playouts from every legal move in equal number; the move with the most points is played.

    Every move gets `playouts` playouts, or an even share of the limits, whichever is less, and one at least; time that
    a move does not use is lost, as in the paper. Of equal moves a random one is played.

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
    ) -> None:
        """`playouts` per legal move, None for the limits alone."""
        if playouts is not None and playouts < 1:
            raise BadSpec(f"playouts={playouts} is not possible; expected 1 or more")
        self.playouts = playouts
        self.policy = policy or PlayoutPolicy()
        self.draw = draw
        self._rate = _FIRST_RATE
        self._lanes = kernels.lanes_for_playouts()

    def rehearse(self, rules: Rules) -> None:
        """A few playouts of every move."""
        self.choose(Position.start(rules), Limits(playouts=4 * LANES), seed=0)
        self._rate = _FIRST_RATE  # the compiler's time is in what was measured

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """The move with the highest share of points; the same for the same seed unless a clock decides."""
        moves = position.moves
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
