"""Games of people against agents, kept in a store like those of agents: a person is `person("Ada")` there.

A person has no behaviour and no seed, so nobody plays such a game again: its key comes from a mark that it was given
when it began. The first end of a game counts, and writing it twice changes nothing.
"""

import hashlib
import json
from dataclasses import replace

from outflank.agents import identity
from outflank.arena.schedule import Conditions, Slot
from outflank.arena.store import Store
from outflank.board import Color
from outflank.errors import BadSpec
from outflank.game import Game, Termination
from outflank.spec import Call, Quoted

LONGEST_NAME = 60
_CONDITIONS = Conditions()


def person(name: str) -> str:
    """What a store calls a person.

    >>> person(" Ada  Lovelace ")
    'person("Ada Lovelace")'
    >>> person("")
    Traceback (most recent call last):
    outflank.errors.BadSpec: '' is no name of a person; expected 1 to 60 characters that can be printed
    """
    plain = " ".join(name.split())
    if not plain.isprintable() or not 1 <= len(plain) <= LONGEST_NAME:
        raise BadSpec(
            f"{name[: LONGEST_NAME + 1]!r} is no name of a person; expected 1 to {LONGEST_NAME} characters that can be "
            "printed"
        )
    return str(Call("person", (Quoted(plain),)))


def out_of_time(game: Game, loser: Color) -> Game:
    """The game whose clock ran out for one side.

    >>> out_of_time(Game.of(), Color.BLACK).result
    'white wins, 2 to 2 (timeout: black)'
    """
    return replace(game, termination=Termination.TIMEOUT, reason=str(loser), points=float(loser is Color.WHITE))


def record(store: Store, game: Game, name: str, color: Color, agent: str, mark: str) -> bool:
    """Writes a finished game of a person, who had this colour, against an agent; False if it was there already.

    `mark` tells the games of a person apart: whatever was chosen when the game began.

    >>> from outflank.board import Position
    >>> game = Game.of(Position.start("standard 4x4"), "b1a1").resign(Color.BLACK)
    >>> with Store(":memory:") as store:
    ...     twice = [record(store, game, "Ada", Color.BLACK, "greedy", "first") for _ in range(2)]
    ...     twice, [(kept.black, kept.white, kept.points) for kept in store.games()]
    ([True, False], [('person("Ada")', 'greedy(ties=random)', 0.0)])
    """
    if game.termination is None:
        raise BadSpec(f"the game goes on after {len(game)} moves; expected one that is over")
    who = person(name)
    players = (who, identity(agent)) if color is Color.BLACK else (identity(agent), who)
    text = json.dumps(["person", who, mark])
    key = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    slot = Slot(key, game.rules, *players, "", "", pair=key, repeat=0, conditions=_CONDITIONS, seed=0)
    return store.add(slot, replace(game, black=players[0], white=players[1]))
