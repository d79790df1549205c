"""Whose turn it is to act: a person types, agents think, passes happen by themselves.

Against a person an agent answers at once. Two agents wait: Enter lets the next one think, `run` lets them go on. Ctrl-C
stops whoever is thinking; at the prompt it leaves, as Ctrl-D does.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from outflank.agents import Agent
from outflank.arena.openings import open_game
from outflank.board import Color, Position, Rules, Variant
from outflank.errors import OutflankError
from outflank.formats import read
from outflank.game import Game
from outflank.game_loop import move_seed
from outflank.interfaces.preparing import Ready
from outflank.interfaces.terminal.board import Board
from outflank.interfaces.terminal.commands import obey
from outflank.interfaces.terminal.record import Record
from outflank.interfaces.terminal.screen import Names, Screen
from outflank.interfaces.terminal.seats import Seat
from outflank.search.decision import Decision

_WELCOME = "A square such as {square} plays it; help lists what else can be typed."
_AGENTS = "Two agents play: Enter makes the next move, run goes on, Ctrl-C stops."


@dataclass(frozen=True)
class Setting:
    """What a game begins from."""

    size: int | None = None
    """None where a text tells it; otherwise 8."""
    variant: Variant = "standard"
    opening: str = "start"
    seed: int = 0

    def __post_init__(self) -> None:
        Rules(8 if self.size is None else self.size, self.variant)  # explains what is not possible

    def game(self) -> Game:
        """A game from its beginning."""
        return open_game(self.opening, self.size, self.variant, self.seed)

    def game_of(self, path: Path) -> Game:
        """The game of a file."""
        return read(path, self.variant, self.size)

    def next(self) -> "Setting":
        """The same with the next seed."""
        return replace(self, seed=self.seed + 1)


class Session:
    """A person at a board, until they leave."""

    def __init__(
        self, screen: Screen, setting: Setting, seats: tuple[Seat, Seat], game: Game, record: Record | None = None
    ) -> None:
        self.screen, self.setting, self.board = screen, setting, Board(game)
        self.seats = list(seats)
        self.record = record
        """Where finished games of the person are kept, if they are."""
        self._ready = Ready()
        self.open = True
        self.going = False
        """Whether agents move without being told to."""
        self.file: Path | None = None
        """Where this game was saved, if anywhere."""

    @property
    def has_person(self) -> bool:
        """Whether anybody at the board is a person."""
        return any(seat.player is None for seat in self.seats)

    @property
    def names(self) -> Names:
        """Of black and of white, as they are shown."""
        alone = [seat.player is None for seat in self.seats] in ([True, False], [False, True])
        black, white = ("you" if alone and seat.player is None else seat.name for seat in self.seats)
        return black, white

    @property
    def mover(self) -> Seat:
        """Whose turn it is."""
        return self.seats[self.board.position.turn]

    @property
    def thinks(self) -> bool:
        """Whether it is an agent's turn."""
        return not self.board.game.over and self.mover.player is not None

    def play(self) -> None:
        """Until the person leaves."""
        legal = self.board.position.moves or (self.board.position.rules.move(0),)
        self.screen.say(_WELCOME.format(square=legal[0]))
        if not self.has_person:
            self.screen.say(_AGENTS)
        self.begin(self.board.game)
        try:
            while self.open:
                self._act()
        except (EOFError, KeyboardInterrupt):
            self.screen.say("")  # ends the line of the prompt
        finally:
            self._close()
        self.screen.say(f"The game so far: {self.board.game.transcript}" if self.board.game.moves else "Good bye.")

    def _close(self) -> None:
        for seat in self.seats:
            if seat.player is not None:
                seat.player.close()

    def begin(self, game: Game) -> None:
        """Puts a game on the table."""
        self.board = Board(game)
        if self.record:
            self.record.begin()
        for seat in self.seats:
            seat.begin(game.rules)
        self.going = self.has_person
        self.settle()

    def sit(self, color: Color, seat: Seat) -> None:
        """Lets somebody else play a side."""
        leaving, self.seats[color] = self.seats[color].player, seat
        if leaving is not None:
            leaving.close()
        self.going = self.has_person
        self.settle()

    def settle(self) -> None:
        """Passes for whoever must, and shows the board."""
        while self.board.position.must_pass and not self.board.game.over:
            self.screen.say(f"{self.board.position.turn} has no legal move and passes")
            self.board.play(self.board.game.rules.pass_move)
        if self.board.game.over:
            self.going = self.has_person
        self.screen.show(self.board, self.names)
        self._keep()

    def _keep(self) -> None:
        """Records a finished game of a person against an agent, where such games are recorded."""
        agents = {color: seat.player for color, seat in zip(Color, self.seats, strict=True) if seat.player is not None}
        if not self.record or not self.board.game.over or len(agents) != 1:
            return
        [(color, player)] = agents.items()
        if told := self.record.end(self.board.game, color.other, player.text):
            self.screen.say(told)

    def wanted(self, position: Position) -> bool:
        """Whether undo and redo stop here: where a person, or any agent where there is none, has a choice."""
        if position.must_pass:
            return False
        return not self.has_person or self.seats[position.turn].player is None

    # --- one act after the other ----------------------------------------------------------------------------------

    def _act(self) -> None:
        try:
            if self.going and self.thinks:
                self.let_think()
                if self.thinks and not self.has_person:
                    self.screen.pause()
            else:
                obey(self, self.screen.ask(self._prompt()))
        except OutflankError as error:
            self.screen.complain(str(error))
        except OSError as error:
            self.screen.complain(f"cannot use {error.filename}: {error.strerror}")
        except KeyboardInterrupt:
            if not (self.going and self.thinks):
                raise  # at the prompt: the person leaves
            self._stop()

    def _prompt(self) -> str:
        if self.board.game.over:
            return "game over"
        return f"Enter: {self.mover.name}" if self.thinks else str(self.board.position.turn)

    def _stop(self) -> None:
        self.going = False
        self.mover.renew()
        self.screen.say(f"\n{self.board.position.turn} ({self.mover.name}) is stopped; Enter lets it go on")

    def let_think(self) -> None:
        """The agent whose turn it is makes its move."""
        turn = self.board.position.turn
        try:
            decision = self._decide()
            self.board.play(decision.move)
        except KeyboardInterrupt:
            self._stop()
            return
        except Exception as error:  # a person's own player may raise anything
            self.going = False
            raise OutflankError(f"{turn} ({self.mover.name}) failed: {type(error).__name__}: {error}") from error
        self.screen.say(f"{turn} ({self.seats[turn].name}) plays {decision}")
        self.settle()

    def prepare(self, *players: Agent) -> None:
        """Compiles what agents need before they think for the first time under these rules."""
        with self.screen.preparing() as told:
            for player in players:
                for step in self._ready.prepare(player, self.board.position.rules):
                    told(step)

    def _decide(self) -> Decision:
        player, position = self.mover.player, self.board.position
        assert player is not None, "the caller looked"
        self.prepare(player)
        player.follow(self.board.game)
        with self.screen.status() as told:
            told(f"{self.mover.name} thinks")
            for decision in player.think(position, seed=move_seed(self.setting.seed, len(self.board.game))):
                told(f"{self.mover.name} thinks: {decision}")
        return decision
