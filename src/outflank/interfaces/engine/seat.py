"""What both protocols share: the agent, the game as it was told, and decisions that can be ended.

A decision has the seed that it would have in a game of `play_game` with the same seed, from the same first position:
the games that an agent plays through a protocol are those that it plays in process.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing, suppress

from outflank.agents import Agent
from outflank.board import Color, Move, Position, Rules
from outflank.errors import OutflankError
from outflank.game import Game
from outflank.game_loop import move_seed
from outflank.inputs import MOST_IN_GAME
from outflank.interfaces.engine.lines import Lines, TooLong
from outflank.search.clock import stoppable
from outflank.search.decision import Decision
from outflank.search.limits import Limits

_LAG = 0.05
"""Seconds between the end of a thought and the moment when the other side has heard of it."""
_LEAST_SECONDS = 0.01


class Seat:
    """An agent and the game in which it is asked.

    >>> from outflank.agents import agent
    >>> seat = Seat(agent("minimax(depth=2, eval=discs)"))
    >>> seat.tell(seat.game.play("f5"))
    >>> seat.decide(Limits(), lambda: False).move
    d6
    """

    def __init__(self, player: Agent, seed: int = 0, warm: bool = False) -> None:
        """With `warm`, everything is compiled before the first game under its rules."""
        self.player, self.seed = player, seed
        self.game = Game(Position.start())
        self._warm: set[Rules] | None = set() if warm else None
        self._begun = False

    def open(self) -> None:
        """Gets ready for the usual game; an agent that is made for another one waits for it."""
        if self._warm is not None:
            with suppress(OutflankError):
                self.begin(self.game.start)

    def begin(self, start: Position) -> None:
        """A new game from this position; refused where the agent cannot play under its rules."""
        self.player.check_rules(start.rules)
        if self._warm is not None and start.rules not in self._warm:
            self.player.warm_up(start.rules)
            self._warm.add(start.rules)
        self.player.new_game()
        self.game, self._begun = Game(start), True

    def tell(self, game: Game) -> None:
        """The game is this one now: the same one some moves on, or another."""
        if not self._begun or not game.continues(self.game):
            self.begin(game.start)
        self.game = game

    def decide(self, limits: Limits, stop: Callable[[], bool]) -> Decision:
        """Its decision in the last position of the game; what it has found so far once it is told to stop."""
        position, seed = self._asked()
        with stoppable(stop):
            return self.player.choose(position, limits, seed)

    def thoughts(self, limits: Limits, stop: Callable[[], bool]) -> Iterator[Decision]:
        """The same, better and better; the last one is the decision."""
        position, seed = self._asked()
        with stoppable(stop):
            yield from self.player.think(position, limits, seed)

    def _asked(self) -> tuple[Position, int]:
        """The position that it is asked about and the seed of the decision."""
        if not self._begun:
            self.begin(self.game.start)
        if self.player.listens:
            self.player.follow(self.game)
        return self.game.end, move_seed(self.seed, len(self.game))


def with_passes(game: Game, color: Color | None, move: Move) -> Game:
    """The game with a move, and before it the pass that nobody wrote, where the side to move has no other.

    >>> game = Game(Position.parse("-XXO------------ X"))
    >>> with_passes(game, Color.WHITE, game.rules.move("a1")).moves
    (pass, a1)
    """
    end = game.end
    if end.must_pass and not move.is_pass and color is not end.turn:
        return game.play(game.rules.pass_move, move)
    return game.play(move)


def in_time(seconds: float) -> Limits:
    """The limit of a thought whose answer must be heard within this time.

    >>> in_time(2).seconds, in_time(0.02).seconds, in_time(0).seconds
    (1.95, 0.01, 0.01)
    """
    return Limits(seconds=max(seconds - _LAG, seconds / 2, _LEAST_SECONDS))


def on_clock(seconds: float) -> Limits:
    """The limit of a thought with so many seconds left for the rest of the game."""
    return Limits(game_seconds=max(seconds - _LAG, _LEAST_SECONDS))


class Server(ABC):
    """A protocol: answers lines until it is told to quit."""

    def __init__(self, seat: Seat, say: Callable[[str], None], lines: Lines | None = None) -> None:
        """`say` writes a line to the other side; `lines` are asked whether a thought is still wanted."""
        self.seat, self.say = seat, say
        self.lines = lines or Lines()
        self.over = False

    def run(self) -> None:
        """Answers all lines. Whatever an agent raises is told in the words of the protocol."""
        with closing(self.seat.player):
            self.seat.open()
            while not self.over and (line := self.lines.next()) is not None:
                try:
                    self.answer(line)
                except BrokenPipeError:
                    raise
                except Exception as error:  # a person's agent may raise anything, and the game is not over by that
                    self.refuse(line, f"{type(error).__name__}: {error}")

    def answer(self, line: str) -> None:
        """Answers one line; what the protocol or the agent refuses is told and not raised."""
        try:
            if isinstance(line, TooLong):
                raise OutflankError(f"a line of more than {MOST_IN_GAME} bytes")
            self.obey(line)
        except OutflankError as error:
            self.refuse(line, str(error))

    @abstractmethod
    def obey(self, line: str) -> None:
        """Does what a line says; an `OutflankError` says why not."""

    @abstractmethod
    def refuse(self, line: str, why: str) -> None:
        """Tells why a line was not obeyed."""


def one_line(text: str) -> str:
    """A message for a protocol of lines: printable, without line ends, cut where it is long."""
    plain = "".join(sign if sign.isprintable() else " " for sign in text[:2000])
    words = " ".join(plain.split())
    return words if len(words) <= 300 else f"{words[:299]}…"
