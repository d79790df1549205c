"""People's own players: any object with `choose(position)`, or any function of a position."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from outflank.board import Position, Rules
from outflank.errors import BadSpec, IllegalMove
from outflank.game import Game
from outflank.plugins import load_object
from outflank.search.decision import Decision
from outflank.search.limits import Limits
from outflank.search.player import Player


def load_own(name: str, options: dict[str, Any]) -> "OwnPlayer":
    """The player that `module:Name` with these options describes."""
    module, _, attribute = name.partition(":")
    thing = load_object(module, attribute, "class with a method choose(position), or function of a position")
    if inspect.isclass(thing) or options:
        try:
            thing = thing(**{option: _plain(value) for option, value in options.items()})
        except Exception as error:  # a person's code may raise anything
            raise BadSpec(f"cannot make {name} with {options}: {type(error).__name__}: {error}") from error
    return OwnPlayer(name, thing)


def check_made_for(name: str, rules: Rules, sizes: tuple[int, ...], variants: tuple[str, ...]) -> None:
    """Raises BadSpec where a player that names its sizes and variants is not made for these rules; none are all."""
    for what, made_for, asked in (("sizes", sizes, rules.size), ("variants", variants, rules.variant)):
        if made_for and asked not in made_for:
            listed = ", ".join(map(str, made_for))
            raise BadSpec(f"{name} is made for {what} {listed}; expected one of them, not {asked}")


def _plain(value: Any) -> Any:
    """The value without its quotes: people's code expects a text, as it stands between them."""
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    return "".join(value) if isinstance(value, str) else value


class OwnPlayer(Player):
    """A person's object or function behind the interface of all players.

    It may take `limits`, `seed` and `game` beside the position, and answers with a move, its name or a `Decision`.

    >>> OwnPlayer("last", lambda position: position.moves[-1]).choose(Position.start(), Limits(), seed=0).move
    e6
    """

    def __init__(self, name: str, thing: Any) -> None:
        self.name = name
        self._choose: Callable[..., Any] = getattr(thing, "choose", thing)
        if not callable(self._choose):
            raise BadSpec(f"{name} cannot play: expected a method choose(position) or a function of a position")
        self._reset: Callable[[], None] = getattr(thing, "new_game", lambda: None)
        self.sizes: tuple[int, ...] = tuple(getattr(thing, "sizes", ()))
        self.variants: tuple[str, ...] = tuple(getattr(thing, "variants", ()))
        """The boards and games it is made for, where it says so; otherwise all."""
        try:
            taken = inspect.signature(self._choose).parameters
        except (TypeError, ValueError):  # written in C, and silent about it
            raise BadSpec(f"{name} cannot play: expected a function of a position written in Python") from None
        self._extra = [word for word in ("limits", "seed", "game") if word in taken]
        self._game: Game | None = None

    @property
    def listens(self) -> bool:
        """Whether it takes the game so far."""
        return "game" in self._extra

    def follow(self, game: Game) -> None:
        """Keeps the game for the next `choose`."""
        self._game = game

    def check_rules(self, rules: Rules) -> None:
        """It may name its `sizes` and `variants`.

        >>> def only_8x8(position): return position.moves[0]
        >>> only_8x8.sizes = (8,)
        >>> OwnPlayer("mine:only_8x8", only_8x8).check_rules(Rules(6))
        Traceback (most recent call last):
        outflank.errors.BadSpec: mine:only_8x8 is made for sizes 8; expected one of them, not 6
        """
        check_made_for(self.name, rules, self.sizes, self.variants)

    def new_game(self) -> None:
        """Calls the player's own `new_game` where it has one."""
        self._reset()

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """What the player answered, checked."""
        heard = self._game if self._game is not None and self._game.end == position else Game(position)
        given = {"limits": limits, "seed": seed, "game": heard}
        answer = self._choose(position, **{word: given[word] for word in self._extra})
        decision = answer if isinstance(answer, Decision) else None
        move = decision.move if decision else answer
        if isinstance(move, str):
            move = position.rules.square(move)
        if isinstance(move, bool) or not hasattr(move, "__index__") or move.__index__() not in position.moves:
            legal = " ".join(map(str, position.moves))
            raise IllegalMove(f"{self.name} answered {answer!r} in {position.line()}; legal: {legal}")
        chosen = position.rules.move(move.__index__())
        return replace(decision, move=chosen) if decision else Decision(chosen, position.turn, pv=(chosen,))
