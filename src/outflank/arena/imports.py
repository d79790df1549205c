"""Games of others in a store, and back: whatever `outflank.formats` reads, kept with all that its record said.

Players are people there, `person("Ada")`, so that no rating mixes them with agents. A store has no columns for
tournaments, ratings, dates and clocks: they are kept with the conditions of the game, and `restored` puts them back.
The same game of the same record is kept once, however often it is imported; a game without a result is not kept.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from outflank import __version__
from outflank.arena.people import LONGEST_NAME, person
from outflank.arena.schedule import Conditions, Slot
from outflank.arena.store import Store
from outflank.board import Variant, moves_text
from outflank.formats import read_all
from outflank.formats.recognise import Source
from outflank.game import Game
from outflank.inputs import open_file

_SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True)
class RecordConditions(Conditions):
    """Conditions of a game that was played elsewhere: what its record says of it, as JSON."""

    record: str = "{}"

    @cached_property
    def text(self) -> str:
        """One line of JSON."""
        return json.dumps({"adjudicate": 0, "seed": 0, "record": json.loads(self.record)}, sort_keys=True)


class Imported(NamedTuple):
    """What became of the games of a collection.

    >>> str(Imported(3, 1, 2))
    '3 games added, 1 was there already, 2 without a result left out'
    """

    added: int
    known: int
    unfinished: int

    def __str__(self) -> str:
        known = f"{self.known} {'was' if self.known == 1 else 'were'} there already"
        left_out = f", {self.unfinished} without a result left out" if self.unfinished else ""
        return f"{self.added} game{'' if self.added == 1 else 's'} added, {known}{left_out}"


def import_games(store: Store, games: Iterable[Game], origin: str = "") -> Imported:
    """Writes games into a store; `origin` says where they are from.

    >>> games = [Game.of(None, "f5d6", black="Ada").resign(Game.of().end.turn), Game.of(None, "f5")]
    >>> with Store(":memory:") as store:
    ...     for _ in range(2):
    ...         print(import_games(store, games))
    ...     [(game.black, restored(game).black) for game in store.games()]
    1 game added, 0 were there already, 1 without a result left out
    0 games added, 1 was there already, 1 without a result left out
    [('person("Ada")', 'Ada')]
    """
    origin = origin.encode("utf-8", "backslashreplace").decode()  # names of files may hold bytes that are no text
    made = f"imported by outflank {__version__}{f' from {origin}' if origin else ''}"
    seen: Counter[str] = Counter()
    added = known = unfinished = 0
    for game in games:
        if game.score is None:
            unfinished += 1
            continue
        slot = _slot(game, seen)
        kept = replace(game, black=slot.black, white=slot.white).knowing(discs=game.discs)
        if store.add(slot, kept, notes=bool(game.notes), made=made):
            added += 1
        else:
            known += 1
    return Imported(added, known, unfinished)


def _slot(game: Game, seen: "Counter[str]") -> Slot:
    """The place of a game: its key is all that its record says, and how often that was said before."""
    record = json.dumps(_record(game), sort_keys=True)
    said = json.dumps([str(game.rules), game.start.line(), moves_text(game.moves, passes=True), game.score, record])
    seen[said] += 1
    text = json.dumps(["imported", said, seen[said]])
    key = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    conditions = RecordConditions(record=record)
    return Slot(key, game.rules, _person(game.black), _person(game.white), "", "", key, 0, conditions, 0)


def _record(game: Game) -> dict[str, Any]:
    return {
        "black": game.black,
        "white": game.white,
        "date": game.date,
        "ruled": game.ruled,
        "tags": dict(game.tags),
    }


def _person(name: str) -> str:
    """A name as a store has it; who has none is `?`."""
    printable = "".join(sign if sign.isprintable() else " " for sign in name)
    return person(" ".join(printable.split())[:LONGEST_NAME].strip() or "?")


def restored(game: Game) -> Game:
    """A stored game as it was imported; any other one as it is.

    >>> restored(Game.of(None, "f5", black="random")).black
    'random'
    """
    record = json.loads(game.tags.get("conditions", "{}")).get("record")
    return game if record is None else replace(game, **record).knowing(discs=game.discs)


# --- collections --------------------------------------------------------------------------------------------------


def games_of(source: Source, variant: Variant = "standard", size: int | None = None) -> Iterator[Game]:
    """Every game of a source that `read_all` reads, or of a store: in the order and form they were imported in.

    >>> [len(game) for game in games_of("f5d6\\nf5f6e6")]
    [2, 3]
    """
    if isinstance(source, str | Path) and is_store(Path(source)):
        with Store(source, reading=True) as store:
            yield from map(restored, store.in_order())
    else:
        yield from read_all(source, variant, size)


def games_of_all(sources: Iterable[Source], variant: Variant = "standard", size: int | None = None) -> Iterator[Game]:
    """The games of several sources, one behind the other."""
    return chain.from_iterable(games_of(source, variant, size) for source in sources)


def is_store(path: Path) -> bool:
    """Whether a file is an SQLite file, as stores are."""
    try:
        if not path.is_file():
            return False
    except (OSError, ValueError):  # too long for a name, or no name at all
        return False
    with open_file(path) as file:
        return file.read(len(_SQLITE)) == _SQLITE
