"""The games of a study as its measures see them: by pairing, from the side of the first agent.

Everything comes from the store; what a store does not keep (discs turned, a game cut short) is found by replaying.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce

from outflank.board import Color, Move, Position
from outflank.game import Game, MoveNote, Spent


@dataclass(frozen=True, eq=False)
class Played:
    """One game from the view of its pairing's first agent.

    What is found by replaying is kept, so a game that many tables look at is replayed once (`views_of`).
    """

    game: Game
    color: Color
    """The colour of the first agent."""

    @property
    def points(self) -> float:
        """1, 0.5 or 0."""
        assert self.game.points is not None, "stores hold finished games"
        return self.game.points if self.color is Color.BLACK else 1 - self.game.points

    @property
    def won(self) -> bool:
        """Whether the first agent won."""
        return self.points == 1

    @property
    def own(self) -> int:
        """Its discs at the end."""
        return self.game.discs[self.color]

    @property
    def opposing(self) -> int:
        """The discs of the second agent at the end."""
        return self.game.discs[self.color.other]

    @cached_property
    def start(self) -> Position:
        """Where the players began to choose: after the opening."""
        return reduce(Position.play, self.game.moves[: self.game.opening_plies], self.game.start)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves that the players chose, passes among them."""
        return self.game.moves[self.game.opening_plies :]

    def effort(self, first: bool = True) -> Spent:
        """What the first agent, or the second, spent; its moves are discs placed, without passes."""
        return self.efforts[self.color if first else self.color.other]

    @cached_property
    def efforts(self) -> tuple[Spent, Spent]:
        """What black and white spent."""
        placed = [0, 0]
        for color, move in self.colored_moves():
            placed[color] += not move.is_pass
        black, white = self.game.spent
        return replace(black, moves=placed[0]), replace(white, moves=placed[1])

    def colored_moves(self) -> Iterator[tuple[Color, Move]]:
        """Every move with the colour that made it; passes are written, so colours alternate."""
        color = Color((self.game.start.turn + self.game.opening_plies) % 2)
        for move in self.moves:
            yield color, move
            color = color.other

    def noted_moves(self) -> Iterator[tuple[tuple[Color, Move], MoveNote]]:
        """Every move with what is known of its decision; none where the store kept no notes."""
        return zip(self.colored_moves(), self.game.notes[self.game.opening_plies :], strict=False)

    def after(self, plies: int) -> Position:
        """The position after so many of the moves."""
        return reduce(Position.play, self.moves[:plies], self.start)

    @cached_property
    def first_pass(self) -> Position:
        """The position in which a side first cannot move; the last one where that never came."""
        passes = [ply for ply, move in enumerate(self.moves) if move.is_pass]
        return self.after(passes[0] if passes else len(self.moves))

    @cached_property
    def choices(self) -> float:
        """Legal moves of a position, on average over the game, those where a side must pass left out."""
        counts, position = [], self.start
        for move in self.moves:
            if not move.is_pass:
                counts.append(len(position.moves))
            position = position.play(move)
        return sum(counts) / max(1, len(counts))

    def turned(self, first: bool = True) -> int:
        """Discs that one side turned over during the whole game."""
        return self.turns[self.color if first else self.color.other]

    @cached_property
    def turns(self) -> tuple[int, int]:
        """Discs that black and white turned over."""
        position, totals = self.start, [0, 0]
        for color, move in self.colored_moves():
            after = position.play(move)
            if not move.is_pass:
                totals[color] += after.discs(color) - position.discs(color) - 1
            position = after
        return totals[0], totals[1]


Views = tuple[Played, Played]
"""A game with black as its first agent and with white."""


def distinct(games: Iterable[Played]) -> int:
    """How many of the games differ in rules, opening or moves."""
    return len({(game.start, game.moves) for game in games})


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
        return list({game.game.tags["key"]: game for game in self.of(self._games)}.values())


class Asked(Results):
    """Results without games that remember which pairings and timings they were asked for.

    >>> asked = Asked()
    >>> list(asked["greedy against random"]), asked.pairings
    ([], ['greedy against random'])
    """

    def __init__(self) -> None:
        super().__init__({}, {})
        self.pairings: list[str] = []
        self.timings: list[str] = []

    def __getitem__(self, pairing: str) -> Sequence[Played]:
        self.pairings.append(pairing)
        return ()

    def timing(self, name: str) -> Sequence[float]:
        """Nothing, remembered."""
        self.timings.append(name)
        return ()
