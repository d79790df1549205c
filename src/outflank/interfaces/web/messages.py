"""Messages of the page: JSON in, its fields checked by the schema of all options."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from outflank.board import Position, Rules
from outflank.errors import BadSpec, OutflankError
from outflank.game import Game
from outflank.schema import Option, OptionType, Signature, list_of, text, whole
from outflank.search.limits import LIMIT, Limits

Id = int | str | None
"""What a page calls a request; None where it is no such thing."""
Fields = Mapping[str, Any]
"""The fields of a message, checked."""

MOST = 2**53
"""The largest whole number that a page can write."""
_LONGEST_ID = 64


class BadMessage(OutflankError):
    """A message that is not understood."""


# --- requests -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Request:
    """What a page asks for: the id to answer to, the verb, and its fields, which are not checked yet."""

    id: Id
    verb: Any
    fields: dict[str, Any]

    @classmethod
    def read(cls, message: str) -> "Request":
        """The request of a message.

        >>> Request.read('{"do": "state", "id": 1, "all": true}')
        Request(id=1, verb='state', fields={'all': True})
        >>> Request.read("[1]")
        Traceback (most recent call last):
        outflank.interfaces.web.messages.BadMessage: the message is [1]; expected an object such as ...
        """
        try:
            content = json.loads(message, object_pairs_hook=_object, parse_constant=_constant)
        except RecursionError:
            raise BadMessage("the message is not JSON that is meant: brackets are nested too deeply") from None
        except BadMessage:
            raise
        except ValueError as error:
            raise BadMessage(f"the message is not JSON: {str(error)[:80]}") from None
        if not isinstance(content, dict):
            raise BadMessage(f'the message is {message[:60]}; expected an object such as {{"id": 1, "do": "hello"}}')
        return cls(read_id(content.pop("id", None)), content.pop("do", None), content)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these keys and values, each key once: two readers must not see two messages in one."""
    found = dict(pairs)
    if len(found) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise BadMessage(f"the message has the key {twice[:40]!r} twice in one object; expected every key once")
    return found


def _constant(name: str) -> float:
    raise BadMessage(f"the message has {name}, which is not JSON; expected a number")


def read_id(given: Any) -> Id:
    """A number or a short text that names a request, otherwise None."""
    if isinstance(given, bool) or not isinstance(given, int | str) or len(str(given)) > _LONGEST_ID:
        return None
    return given


# --- types of fields ----------------------------------------------------------------------------------------------

_GAME = Signature(
    "game",
    "a game as the page writes it",
    (
        Option("rules", text(most=40), None, "such as standard 8x8", needed=True),
        Option("start", text(most=1000), None, "the first position as a line, where it is not the usual one"),
        Option("moves", list_of(whole(0, 256), 0, 512), (), "squares row by row from a1 = 0; n² is the pass"),
    ),
)


def read_game(given: Any) -> Game:
    """The game of a request, replayed.

    >>> read_game({"rules": "standard 4x4", "moves": [1]}).end.line()
    '-X---XX--XO----- O'
    >>> read_game({"rules": "standard 4x4", "moves": [0]})
    Traceback (most recent call last):
    outflank.errors.IllegalMove: move 1: black cannot play a1; legal: b1 a2 d3 c4
    """
    fields = _GAME.read(given, "game")
    rules = Rules.parse(fields["rules"])
    line = fields["start"]
    start = Position.parse(line, rules.variant) if line else Position.start(rules)
    if start.rules != rules:
        raise BadSpec(f"start has {start.rules.cells} squares; expected {rules.cells} for {rules}")
    return Game.of(start, fields["moves"])


LIMITS = OptionType("limits: depth, nodes, playouts, seconds", lambda given: Limits(**LIMIT.read(given, "limits")))
GAME = Option("game", OptionType("a game: rules, start, moves", read_game), None, "the whole game", needed=True)
AGENT = Option("agent", text(), None, "the agent as text", needed=True)
SEED = Option("seed", whole(-MOST, MOST), 0, "of random choices")
