"""`Games`: thousands of games side by side, each a row of numpy arrays.

A step plays one action in every game, and writes what learners read in the same pass. The arrays are made once and
keep their place in memory: whoever holds one, or a tensor made of it without a copy, sees the games as they are now,
and copies what is to be kept.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.batch.boards import for_kernels
from outflank.board import Color, Position, Rules
from outflank.board.rules import moves_of_size
from outflank.errors import BadNotation, BadSpec, IllegalMove
from outflank.inputs import expect, is_whole, shown
from outflank.kernels import batch as kernels
from outflank.kernels.jit import Word
from outflank.kernels.rules import PASS

MOST_GAMES = kernels.NEXT_IN_ROW


class Games:
    """Games side by side. Every array has a row for each; `size² + 1` actions are the squares, and the pass last.

    A side that cannot move plays the pass: it is then the only legal action, and otherwise never legal. Where a game
    is over a new one takes its place at once, in the same step: `done`, `rewards` and `scores` tell of the game that
    ended, everything else is of the new one. With `auto_reset=False` it stays as it ended, without a legal action, and
    whatever action it is given is not played.

    Games are numbered. The first in row i has the number `first + i`, and each later one in the row 2^32 more than the
    one before it. Number g of a seed has random numbers of its own, one for each ply: the random games of a batch are
    the same in one batch, in several with fitting `first`, and one at a time.

    >>> games = Games(4, "reversed 6x6", seed=7)
    >>> games.legal[0].nonzero()[0].tolist()
    [8, 13, 22, 27]
    >>> games.step([8, 13, 22, 27])
    >>> games.position(3)
    reversed 6x6, white to move, black 4 white 1
      a b c d e f
    1 - - - - - - 1
    2 - - - - - - 2
    3 - - O X . - 3
    4 - - X X - - 4
    5 - - . X . - 5
    6 - - - - - - 6
      a b c d e f
    >>> while not games.done.any():
    ...     games.step(games.random_actions())
    >>> games.done.sum() == 1, set(games.rewards.tolist()) <= {-1.0, 0.0, 1.0}
    (np.True_, True)
    """

    own: npt.NDArray[np.uint64]
    """[games, words]: discs of the side to move, packed as `batch.boards` says."""
    opposing: npt.NDArray[np.uint64]
    """[games, words]: discs of the other side."""
    turn: npt.NDArray[np.uint8]
    """[games]: 0 where black is to move, 1 where white is."""
    planes: npt.NDArray[np.uint8]
    """[games, 2, size, size]: 1 for discs of the side to move, then for those of the other."""
    legal: npt.NDArray[np.bool_]
    """[games, size² + 1]: whether an action is legal."""
    done: npt.NDArray[np.bool_]
    """[games]: whether the last step ended the game; without `auto_reset`, whether it is over."""
    rewards: npt.NDArray[np.float32]
    """[games]: 1, 0 or -1, the result of the game that the last step ended, for the side that played the step; 0 in all
    others. The side that moved before it has the opposite."""
    scores: npt.NDArray[np.int16]
    """[games]: its score for that side, in discs as `Position.score` counts them."""
    plies: npt.NDArray[np.int64]
    """[games]: actions played in the game so far, passes too."""
    numbers: npt.NDArray[np.int64]
    """[games]: which game of the seed it is."""

    def __init__(
        self,
        count: int,
        start: Position | Rules | str = "standard 8x8",
        seed: int = 0,
        *,
        first: int = 0,
        auto_reset: bool = True,
    ) -> None:
        """So many games that begin with the usual position of these rules, or with this position."""
        _check_number("count", count, 1, MOST_GAMES)
        _check_number("first", first, 0, MOST_GAMES - count)
        expect(bool, auto_reset=auto_reset)
        self.start = start if isinstance(start, Position) else Position.start(start)
        self.rules, self.count, self.first = self.start.rules, count, first
        if self.start.is_over:
            raise BadSpec(f"{self.start.line()} is over; expected a position to begin games with")
        self._rows = _new_rows(count, self.rules)
        self._setting = _setting(self.start, auto_reset)
        self._name_arrays()
        self.reset(seed)

    def _name_arrays(self) -> None:
        rows, size = self._rows, self.rules.size
        self.own, self.opposing, self.turn = rows.own, rows.opposing, rows.turn
        self.planes, self.legal = rows.planes.reshape(-1, 2, size, size), rows.legal.view(np.bool_)
        self.done, self.rewards, self.scores = rows.done.view(np.bool_), rows.rewards, rows.scores
        self.plies, self.numbers = rows.plies, rows.numbers

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f"{self.count} games, {self.rules}"

    # --- playing --------------------------------------------------------------------------------------

    def step(self, actions: npt.ArrayLike) -> None:
        """Plays one action in every game; where one is not legal, none is played and the error says which.

        >>> Games(2).step([19, 0])
        Traceback (most recent call last):
        outflank.errors.IllegalMove: game 1: black cannot play a1; legal: d3 c4 f5 e6
        """
        given = np.asarray(actions)
        if given.shape != (self.count,) or given.dtype.kind not in "iu":
            raise BadSpec(
                f"actions of {given.dtype} with the shape {given.shape} cannot be played in {self.count} games; "
                f"expected a whole number for each"
            )
        wrong = kernels.step_games(self._rows, self._setting, for_kernels(given, np.int64))
        if wrong != kernels.ALL_LEGAL:
            self._refuse(wrong, int(given[wrong]))

    def _refuse(self, game: int, action: int) -> None:
        moves = moves_of_size(self.rules.size)
        named = moves[action] if 0 <= action < len(moves) else f"action {action}"
        legal = " ".join(str(moves[index]) for index in self.legal[game].nonzero()[0])
        raise IllegalMove(f"game {game}: {Color(int(self.turn[game]))} cannot play {named}; legal: {legal}")

    def random_actions(self, out: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
        """A legal action for every game, each as likely; the pass in games that are over. Into `out` where given.

        They are those of this ply: asking twice gives the same.

        >>> games = Games(3)
        >>> (games.random_actions() == games.random_actions()).all()
        np.True_
        """
        if out is None:
            out = np.empty(self.count, np.int64)
        elif out.shape != (self.count,) or out.dtype != np.int64 or not out.flags.carray:
            raise BadSpec(
                f"out has the shape {out.shape} of {out.dtype}; expected ({self.count},) of int64, in one piece"
            )
        kernels.random_actions(self._rows, self._setting, out)
        return out

    # --- beginning ------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, which: npt.ArrayLike | None = None) -> None:
        """Begins all games anew, from their first number on; or the next game in some rows, told by True or False each.

        >>> games = Games(2)
        >>> games.step([19, 19])
        >>> games.reset(which=[True, False])
        >>> games.plies.tolist(), games.numbers.tolist()
        ([0, 1], [4294967296, 1])
        """
        if seed is not None:
            _check_number("seed", seed, 0, 2**64 - 1)
            self._setting = self._setting._replace(seed=Word(seed))
        chosen = np.ones(self.count, np.bool_) if which is None else np.asarray(which)
        if chosen.shape != (self.count,) or chosen.dtype != np.bool_:
            raise BadSpec(f"which has the shape {chosen.shape} of {chosen.dtype}; expected True or False for each game")
        numbers = self.first + np.arange(self.count) if which is None else self.numbers + kernels.NEXT_IN_ROW
        kernels.begin_games(self._rows, self._setting, for_kernels(chosen, np.uint8), numbers)
        self._look(chosen)

    def load(self, own: npt.ArrayLike, opposing: npt.ArrayLike, turn: npt.ArrayLike = 0) -> None:
        """Goes on from these packed boards [games, words]; `turn` is 0 where black is to move, 1 where white is.

        With `auto_reset` a position that is over gives way to a new game, without a reward.

        >>> games = Games(2)
        >>> after = Position.after("f5d6")
        >>> games.load([[after.own]] * 2, [[after.opposing]] * 2)
        >>> games.position(1) == after
        True
        """
        shape = (self.count, self.rules.words)
        try:
            boards = [np.broadcast_to(np.asarray(each, np.uint64), shape) for each in (own, opposing)]
            turns = np.broadcast_to(np.asarray(turn, np.uint8), (self.count,))
        except (ValueError, OverflowError, TypeError) as error:
            raise BadSpec(f"these are no boards for {self!r}: {error}; expected packed boards {list(shape)}") from None
        outside = ~np.array(self.rules.full_board, np.uint64)
        wrong = ((boards[0] & boards[1]) | (boards[0] | boards[1]) & outside).any(axis=1) | (turns > 1)
        if wrong.any():
            raise BadNotation(
                f"game {int(wrong.argmax())}: two discs on one square, a disc outside the "
                f"{self.rules.size}x{self.rules.size} board, or a turn that is neither 0 nor 1"
            )
        self.own[:], self.opposing[:], self.turn[:], self.plies[:] = *boards, turns, 0
        self._look(np.ones(self.count, np.bool_))

    def _look(self, chosen: npt.NDArray[np.bool_]) -> None:
        """Works out what follows from boards that were not reached by a step: nothing has ended there yet."""
        kernels.show_games(self._rows, self._setting)
        self.rewards[chosen], self.scores[chosen] = 0, 0
        over = np.asarray(~self.legal.any(axis=1))
        if self._setting.anew:
            self.done[chosen] = False
            if over.any():
                self.reset(which=over)
        else:
            self.done[chosen] = over[chosen]

    # --- as values ------------------------------------------------------------------------------------

    def position(self, game: int) -> Position:
        """The position of one game.

        >>> Games(2, "standard 4x4").position(0) == Position.start("standard 4x4")
        True
        """
        if not is_whole(game) or not -self.count <= game < self.count:
            raise BadSpec(f"game {shown(game)} is not one of {self.count}")
        own, opposing = (self.rules.mask(tuple(boards[game])) for boards in (self.own, self.opposing))
        turn = Color(int(self.turn[game]))
        return Position(self.rules, *((opposing, own) if turn else (own, opposing)), turn)


def _check_number(name: str, value: int, least: int, most: int) -> None:
    expect(int, **{name: value})
    if not least <= value <= most:
        raise BadSpec(f"{name}={shown(value)} is not possible; expected {least} to {most}")


def _new_rows(count: int, rules: Rules) -> kernels.Rows:
    """Arrays of zeros; those of words and numbers first, as `Rows` has them."""

    def zeros(kind: type[Any], *shape: int) -> npt.NDArray[Any]:
        return np.zeros((count, *shape), kind)

    return kernels.Rows(
        own=zeros(np.uint64, rules.words),
        opposing=zeros(np.uint64, rules.words),
        moves=zeros(np.uint64, rules.words),
        streams=zeros(np.uint64, 2),
        numbers=zeros(np.int64),
        plies=zeros(np.int64),
        turn=zeros(np.uint8),
        legal=zeros(np.uint8, rules.cells + 1),
        planes=zeros(np.uint8, 2, rules.cells),
        done=zeros(np.uint8),
        rewards=zeros(np.float32),
        scores=zeros(np.int16),
    )


def _setting(start: Position, auto_reset: bool) -> kernels.Setting:
    rules = start.rules
    bits = [rules.bit(square).bit_length() - 1 for square in range(rules.cells)]
    return kernels.Setting(
        *start.boards,
        turn=int(start.turn),
        sign=1 if rules.variant == "standard" else -1,
        size=rules.size,
        seed=Word(0),
        anew=int(auto_reset),
        bits=np.array([*bits, PASS], np.int64),
        actions=np.array(rules.by_bit, np.int64),
    )
