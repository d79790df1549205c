"""The games of a study as its measures see them: by pairing, from the side of the first agent.

Everything comes from the store; what a store does not keep (discs turned, a game cut short) is found by replaying.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from outflank.arena.store import StoredGame
from outflank.board import Color, Move, Position
from outflank.formats import play_moves, replay


@dataclass(frozen=True)
class Effort:
    """What one side spent in a game."""

    moves: int
    """Discs placed; passes are not moves."""
    seconds: float
    nodes: int
    playouts: int
    deepest: int
    longest: float


@dataclass(frozen=True)
class Played:
    """One game from the view of its pairing's first agent."""

    game: StoredGame
    color: Color
    """The colour of the first agent."""

    @property
    def points(self) -> float:
        """1, 0.5 or 0."""
        return self.game.points if self.color is Color.BLACK else 1 - self.game.points

    @property
    def won(self) -> bool:
        """Whether the first agent won."""
        return self.points == 1

    @property
    def own(self) -> int:
        """Its discs at the end."""
        return self._discs[self.color]

    @property
    def opposing(self) -> int:
        """The discs of the second agent at the end."""
        return self._discs[self.color.other]

    @property
    def _discs(self) -> tuple[int, int]:
        return self.game.black_discs, self.game.white_discs

    @cached_property
    def start(self) -> Position:
        """Where the game began."""
        return Position.parse(self.game.opening, self.game.rules.variant)

    @cached_property
    def moves(self) -> list[Move]:
        """Its moves, passes among them."""
        return replay(self.start, self.game.moves)

    def effort(self, first: bool = True) -> Effort:
        """What the first agent, or the second, spent."""
        return self.efforts[self.color if first else self.color.other]

    @cached_property
    def efforts(self) -> tuple[Effort, Effort]:
        """What black and white spent."""
        placed = [0, 0]
        for color, move in self.colored_moves():
            placed[color] += move != self.game.rules.pass_move
        black, white = (
            Effort(
                placed[color],
                spent["seconds"],
                spent["nodes"],
                spent["playouts"],
                spent["deepest"],
                spent["longest"],
            )
            for color, spent in enumerate(self.game.spent)
        )
        return black, white

    def colored_moves(self) -> Iterator[tuple[Color, int]]:
        """Every move with the colour that made it; passes are written, so colours alternate."""
        color = self.start.turn
        for move in self.moves:
            yield color, move
            color = color.other

    def after(self, plies: int) -> Position:
        """The position after so many plies."""
        return play_moves(self.start, self.moves[:plies])

    def turned(self, first: bool = True) -> int:
        """Discs that one side turned over during the whole game."""
        wanted = self.color if first else self.color.other
        position, total = self.start, 0
        for color, move in self.colored_moves():
            after = position.play(move)
            if color is wanted and move != self.game.rules.pass_move:
                total += after.discs(color) - position.discs(color) - 1
            position = after
        return total


class Results:
    """Games by the name of their pairing, and timings by theirs."""

    def __init__(self, games: Mapping[str, Sequence[Played]], timings: Mapping[str, Sequence[float]]) -> None:
        self._games = games
        self._timings = timings

    def __getitem__(self, pairing: str) -> Sequence[Played]:
        """The games of a pairing; none while it has not been played."""
        return self._games.get(pairing, ())

    def of(self, pairings: Iterable[str]) -> list[Played]:
        """The games of several pairings together."""
        return [game for pairing in pairings for game in self[pairing]]

    def timing(self, name: str) -> Sequence[float]:
        """The samples of a timing; none while it has not been taken."""
        return self._timings.get(name, ())

    @property
    def games(self) -> list[Played]:
        """Every game, once also where two pairings share it."""
        return list({game.game.key: game for game in self.of(self._games)}.values())
