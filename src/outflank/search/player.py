"""`Player`: what everything that chooses moves offers, whether a search, a program, a person's code or an `Agent`."""

# ruff: noqa: B027  (what a player need not do, it does not do)

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from outflank.board import Position, Rules
from outflank.game import Game
from outflank.search.decision import Decision
from outflank.search.limits import Limits

Preparation = tuple[str, Callable[[], object]]
"""Something to do before a game: what people are told it is, and the function that does it."""


class Player(ABC):
    """Chooses moves. Only `choose` must be written; the rest is there to be overridden where it means something.

    A player is used by one thread at a time, which `Agent` sees to.

    >>> class First(Player):
    ...     def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
    ...         return Decision(position.moves[0], position.turn)
    >>> [decision.move for decision in First().think(Position.start(), Limits(), seed=0)]
    [d3]
    """

    kind = "player"
    """What people are told is prepared."""

    @property
    def listens(self) -> bool:
        """Whether `follow` does anything."""
        return False

    @property
    def deepens(self) -> bool:
        """Whether `think` tells of every depth, one ply after the other, so that moves can be compared at one depth."""
        return False

    @abstractmethod
    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """The decision in a position that has a legal square to play; `Agent` answers forced moves itself."""

    def think(self, position: Position, limits: Limits, seed: int) -> Iterator[Decision]:
        """What it would decide, better and better, where it can tell; the last one is that of `choose`."""
        yield self.choose(position, limits, seed)

    def check_rules(self, rules: Rules) -> None:
        """Raises BadSpec where it cannot play under these rules, such as with a table for another size."""

    def new_game(self) -> None:
        """Forgets whatever it kept from the game before."""

    def follow(self, game: Game) -> None:
        """Hears how the game came to the position of the next `choose`."""

    def be_brief(self) -> None:
        """Decisions need not explain themselves any more: no expected line, no values of moves that are not played."""

    def preparations(self, rules: Rules) -> list[Preparation]:
        """All that must be compiled, loaded or started before a game under these rules, in steps."""
        return [(self.kind, lambda: self.rehearse(rules))]

    def rehearse(self, rules: Rules) -> None:
        """Decides shortly, in such a way that everything is used that a game under these rules can use."""
        self.choose(Position.start(rules), Limits(depth=2, nodes=200, playouts=40, seconds=1), 0)
        self.new_game()

    def prepare(self, rules: Rules) -> Iterator[tuple[str, int, int]]:
        """Does all preparations, and tells before each: what it is, how many are done, of how many."""
        preparations = self.preparations(rules)
        for done, (what, do) in enumerate(preparations):
            yield what, done, len(preparations)
            do()

    def warm_up(self, rules: Rules) -> None:
        """Does all preparations, so that no clock of a game under these rules measures a compilation."""
        for _ in self.prepare(rules):
            pass

    def close(self) -> None:
        """Ends whatever it started, such as an external program."""
