"""What a message says, checked: every field that is asked for has its kind and its bounds, or a clear error."""

import json
import math
from typing import Any

from outflank.board import Position, Rules
from outflank.errors import OutflankError
from outflank.game import Game

_LONGEST_ID = 64
_MISSING = object()


class BadMessage(OutflankError):
    """A message that is not understood."""


def _shown(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:50]}…"


def written(game: Game) -> dict[str, Any]:
    """A game as the page reads it."""
    start = game.start
    usual = start == Position.start(start.rules)
    return {"rules": str(start.rules), "start": None if usual else start.line(), "moves": list(game.moves)}


class Fields:
    """The fields of one message."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    @classmethod
    def read(cls, text: str) -> "Fields":
        """The message that a text holds.

        >>> Fields.read('{"do": "hello", "id": 1}').verb
        'hello'
        >>> Fields.read("[1]")
        Traceback (most recent call last):
        outflank.interfaces.web.fields.BadMessage: the message is [1]; expected an object such as ...
        """
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadMessage(f"the message is not JSON: {str(error)[:80]}") from None
        if not isinstance(content, dict):
            raise BadMessage(f'the message is {_shown(content)}; expected an object such as {{"id": 1, "do": "hello"}}')
        return cls(content)

    @property
    def id(self) -> int | str | None:
        """The number or name that the page gave the request; None where it is no such thing."""
        given = self.content.get("id")
        if isinstance(given, bool) or not isinstance(given, int | str) or len(str(given)) > _LONGEST_ID:
            return None
        return given

    @property
    def verb(self) -> str:
        """What is asked for."""
        return self.text("do", most=20)

    def _get(self, name: str, otherwise: Any) -> Any:
        value = self.content.get(name)
        if value is None:
            value = otherwise
        if value is _MISSING:
            raise BadMessage(f"{name} is missing")
        return value

    def text(self, name: str, otherwise: Any = _MISSING, most: int = 10_000) -> str:
        """A text."""
        value = self._get(name, otherwise)
        if not isinstance(value, str) or len(value) > most:
            raise BadMessage(f"{name} is {_shown(value)}; expected a text of at most {most} characters")
        return value

    def whole(self, name: str, least: int, most: int, otherwise: Any = _MISSING) -> int:
        """A whole number within bounds."""
        value = self._get(name, otherwise)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise BadMessage(f"{name} is {_shown(value)}; expected a whole number from {least} to {most}")
        return value

    def maybe_whole(self, name: str, least: int, most: int) -> int | None:
        """A whole number within bounds, or None where it is not said."""
        return None if self.content.get(name) is None else self.whole(name, least, most)

    def maybe_number(self, name: str, most: float) -> float | None:
        """A number above 0, cut at `most`, or None where it is not said."""
        value = self._get(name, None)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
            raise BadMessage(f"{name} is {_shown(value)}; expected a number above 0")
        return min(float(value), most)

    def flag(self, name: str) -> bool:
        """Whether something is wanted; not, unless it is said."""
        value = self._get(name, False)
        if not isinstance(value, bool):
            raise BadMessage(f"{name} is {_shown(value)}; expected true or false")
        return value

    def part(self, name: str) -> "Fields":
        """An object within the message; an empty one where it is missing."""
        value = self._get(name, {})
        if not isinstance(value, dict):
            raise BadMessage(f"{name} is {_shown(value)}; expected an object")
        return Fields(value)

    def game(self) -> Game:
        """The game that every request carries, replayed."""
        game = self.part("game")
        rules = Rules.parse(game.text("rules", most=40))
        line = game.text("start", "", most=1000)
        start = Position.parse(line, rules.variant) if line else Position.start(rules)
        if start.rules != rules:
            raise BadMessage(f"start has {start.rules.cells} squares; expected {rules.cells} for {rules}")
        moves = game._get("moves", [])
        if not isinstance(moves, list) or len(moves) > 2 * rules.cells:
            raise BadMessage(f"moves is {_shown(moves)}; expected a list of at most {2 * rules.cells} moves")
        for move in moves:
            if isinstance(move, bool) or not isinstance(move, int) or not 0 <= move <= rules.cells:
                raise BadMessage(f"move {_shown(move)} is none; expected 0 to {rules.cells}, the pass")
        try:
            return Game.of(start, moves)
        except OutflankError as error:
            raise BadMessage(f"the game: {error}") from None
