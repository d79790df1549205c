"""Playouts move by move, with the random numbers of the kernels: `kernels/playout.py` and `kernels/policy.py`, in turn.

A playout draws from a stream of its own: xoroshiro128+ (Blackman & Vigna 2018), begun by splitmix64 (Steele et al.
2014) from the seed and the number of the playout. Random moves draw once per ply, passes included, the others once per
move; `epsilon` draws twice.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from outflank.board import Color, Move, Position
from outflank.errors import BadSpec
from outflank.search.policy import PlayoutPolicy, formula_of, squares_of

_MASK = 2**64 - 1
_POLICIES = ("uniform", "weighted", "heuristic", "own_heuristic", "epsilon")


def numbers(seed: int, game: int) -> Iterator[int]:
    """The random numbers of a game, without end.

    >>> drawn = numbers(seed=1, game=0)
    >>> next(drawn) >> 32, next(drawn) >> 32
    (1341504397, 4105921379)
    """
    start = (seed + game * 0xD1342543DE82EF95 + 0x9E3779B97F4A7C15) & _MASK
    s0, s1 = _mixed(start), _mixed(start + 0x9E3779B97F4A7C15 & _MASK)
    while True:
        yield (s0 + s1) & _MASK
        s1 ^= s0
        s0, s1 = _rotated(s0, 24) ^ s1 ^ (s1 << 16 & _MASK), _rotated(s1, 37)


def _mixed(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
    return z ^ (z >> 31)


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> (64 - by)) & _MASK


def below(number: int, choices: int) -> int:
    """A number below `choices`, from the upper half of a drawn one."""
    return (number >> 32) * choices >> 32


@dataclass(frozen=True)
class Played:
    """A game that was played out."""

    line: tuple[Move, ...]
    """Its moves, passes included."""
    end: Position

    def reward(self, color: Color, draw: float) -> float:
        """What it pays to a side: 1, 0, or `draw`."""
        score = self.end.score(color, empties="nobody")
        return 1.0 if score > 0 else 0.0 if score < 0 else draw

    @property
    def placed(self) -> int:
        """Discs that were placed."""
        return sum(move != self.end.rules.pass_move for move in self.line)


class PlayoutRules:
    """A policy as one would do it by hand: which of the legal moves is played."""

    def __init__(self, policy: PlayoutPolicy, position: Position) -> None:
        """`position` is the one that is searched: its board, and the side whose search it is."""
        if policy.function is not None or policy.kind not in _POLICIES:
            kind = "module:function" if policy.function is not None else policy.kind
            raise BadSpec(f"playouts by {kind} cannot be traced; expected one of: {', '.join(_POLICIES)}")
        self.policy, self.searcher = policy, position.turn
        self.sign = 1 if position.rules.variant == "standard" else -1
        self.weights: list[int] = squares_of(policy.weights, position.rules.size, 1).tolist()
        self.worths: list[int] = squares_of(policy.worths, position.rules.size, 0).tolist()

    def play(self, position: Position, drawn: Iterator[int]) -> Played:
        """Plays a game to its end."""
        line = []
        while not position.is_over:
            if not position.must_pass:
                move = self._chosen(position, drawn)
            else:
                move = position.moves[0]
                if self.policy.kind == "uniform":
                    next(drawn)
            line.append(move)
            position = position.play(move)
        return Played(tuple(line), position)

    def _chosen(self, position: Position, drawn: Iterator[int]) -> Move:
        moves, number, kind = position.moves, next(drawn), self.policy.kind
        if kind == "weighted":
            return self._by_lot(moves, number)
        greedy = kind == "heuristic" or (kind == "own_heuristic" and position.turn is self.searcher)
        if kind == "epsilon":
            greedy, number = (number >> 11) / 2**53 >= self.policy.epsilon, next(drawn)
        if greedy:
            worth = {move: self.worth(position, move) for move in moves}
            moves = tuple(move for move in moves if worth[move] == max(worth.values()))
        return moves[below(number, len(moves))]

    def _by_lot(self, moves: tuple[Move, ...], number: int) -> Move:
        """A move drawn in proportion to the weights of the squares, which have their tickets in rising order."""
        ticket = below(number, sum(self.weights[move] for move in moves))
        for move in sorted(moves, key=lambda move: self.weights[move]):
            ticket -= self.weights[move]
            if ticket < 0:
                break
        return move

    def worth(self, position: Position, move: Move) -> float:
        """The formula H of "Reversi with Monte Carlo Tree Search" for a move; `kernels/policy.py` explains it."""
        after = position.play(move)
        own = position.rules.squares(after.opposing)
        opposing = position.rules.squares(after.own)
        squares = self.sign * (sum(self.worths[at] for at in own) - sum(self.worths[at] for at in opposing))
        turned = after.opposing.bit_count() - position.own.bit_count() - 1
        replies = after.moves_mask.bit_count()
        formula = formula_of(self.policy.formula)
        if position.empties - (self.policy.empties == "after") > formula.late_empties:
            return squares + formula.replies / (replies + 1) + formula.discs / (turned + 1)
        late = formula.late_replies / (replies + 1) + formula.late_discs * self.sign * turned
        return squares / formula.late_position + late
