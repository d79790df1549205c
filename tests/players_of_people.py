"""Players as people write them, good and bad, for the tests of agents."""

import random
import time

from outflank.board import Position
from outflank.kernels.bitboard import count, moves
from outflank.search.decision import Decision
from outflank.search.limits import Limits


class First:
    """Takes the position alone and answers with a number."""

    def choose(self, position: Position) -> int:
        return position.moves[0]


class Named:
    """Takes options and a seed, and answers with a name."""

    def __init__(self, last: bool = False) -> None:
        self.last = last
        self.games = 0

    def new_game(self) -> None:
        self.games += 1

    def choose(self, position: Position, seed: int) -> str:
        return str(position.moves[-1] if self.last else random.Random(seed).choice(position.moves))


def by_function(position: Position, limits: Limits, seed: int) -> Decision:
    """A function that answers with a decision."""
    return Decision(position.moves[seed % len(position.moves)], position.turn, value=0.5, nodes=limits.nodes or 0)


class Told:
    """Takes texts: a name of a file and a list of them."""

    def __init__(self, book: str, books: tuple[str, ...]) -> None:
        self.book, self.books = book, books

    def choose(self, position: Position) -> int:
        return position.moves[0]


class Illegal:
    def choose(self, position: Position) -> int:
        return 0


class Silent:
    def choose(self, position: Position) -> int:
        time.sleep(3600)
        return 0


class Raising:
    def choose(self, position: Position) -> int:
        raise ZeroDivisionError("one of those days")


class Moody:
    """Never the same twice."""

    def __init__(self) -> None:
        self.count = 0

    def choose(self, position: Position) -> int:
        self.count += 1
        return position.moves[self.count % len(position.moves)]


class Dying:
    def choose(self, position: Position) -> int:
        import os

        os._exit(3)


class DyingLate:
    """Dies in the middle of a game, of the most common exit code."""

    def choose(self, position: Position) -> int:
        import os

        if position.empties < 9:
            os._exit(1)
        return position.moves[0]


class KilledOnce:
    """The worker that asks it is killed once, in the middle of a game, by somebody who leaves a file."""

    def choose(self, position: Position) -> int:
        import os
        import signal
        from pathlib import Path

        mark = Path(os.environ["OUTFLANK_TEST_KILLED"])
        if position.empties < 9 and not mark.exists():
            mark.touch()
            os.kill(os.getppid(), signal.SIGKILL)
        return position.moves[-1]


class MadeFor8x8:
    """Knows one board, and may say so; on others it does what such code does."""

    def __init__(self, says: bool) -> None:
        if says:
            self.sizes, self.variants = (8,), ("standard",)

    def choose(self, position: Position) -> int:
        board = position.line().split()[0]
        return position.moves[0] if board[:64] and board[27] and len(board) == 64 else [][0]


class Patching:
    """Makes everybody else lose, where it can: all who share its process would answer illegally."""

    def choose(self, position: Position) -> int:
        First.choose = lambda self, position: 0  # type: ignore[method-assign]
        return position.moves[-1]


class Nothing:
    """Has no way to play."""


def frontier(own, opp, size):  # type: ignore[no-untyped-def]
    """An evaluation of a person's own: few discs, many moves."""
    return 3 * count(opp) - count(own) + size


def own_mobility(own, opp, size):  # type: ignore[no-untyped-def]
    return count(moves(own, opp, (~(own[0] & opp[0]),))) if len(own) == 1 else count(own)


def huge(own, opp, size):  # type: ignore[no-untyped-def]
    """An evaluation that knows no bounds."""
    return 2**62 if count(own) > count(opp) else -(2**62)


class Looping:
    """Never returns and never sleeps."""

    def choose(self, position: Position) -> int:
        while True:
            pass


class Printing:
    """Writes to where answers go, as text and as bytes."""

    def choose(self, position: Position) -> int:
        import os

        print('{"move": 0}')  # noqa: T201
        os.write(1, b'{"move": 0}\n')
        return position.moves[-1]
