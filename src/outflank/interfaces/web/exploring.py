"""What can be asked about openings: their names, what was played in collections of games, and what the book says.

Values of the book come with what was played, so that a click needs one answer. A game of an index is played again from
its entries, in the mirror image that leads through the position on the board.
"""

from collections.abc import Generator
from typing import Any

from outflank.board import Position, Rules, moves_text
from outflank.book import BookMove, opening_book
from outflank.errors import BadSpec
from outflank.explorer import Explorer, MoveCount
from outflank.facts import game_facts
from outflank.game import Game
from outflank.interfaces.web.agents import Page
from outflank.interfaces.web.messages import GAME, Fields
from outflank.named_openings import named_lines, opening_name
from outflank.schema import Option, Signature, choice, text, whole

Reply = dict[str, Any]
Answer = Generator[Reply, None, Reply]
_ROWS = 12
"""Games that are listed at once."""


def _names(_fields: Fields, _page: Page) -> Answer:
    yield from ()
    return {"kind": "openings", "names": [list(each) for each in named_lines()]}


def _collections(_fields: Fields, page: Page) -> Answer:
    yield from ()
    caps, local = page.collections.caps, page.collections.local
    found = {"kind": "collections", "collections": page.collections.facts()}
    return found | {"takes": local, "most_bytes": caps.collection_bytes}


def _filters(fields: Fields) -> dict[str, Any]:
    years = (fields["first_year"] or 0, fields["last_year"] or 9999)
    return {
        "player": fields["player"] or None,
        "years": None if years == (0, 9999) else years,
        "result": None if fields["result"] == "any" else fields["result"],
    }


def _index(fields: Fields, page: Page) -> Explorer | None:
    name = fields["collection"]
    return page.collections.index(name, fields["game"].rules) if name else None


def _explore(fields: Fields, page: Page) -> Answer:
    yield from ()
    position: Position = fields["game"].end
    index = _index(fields, page)
    found = index.at(position, **_filters(fields)) if index else []
    book = opening_book(position.rules)
    return {
        "kind": "explored",
        "games": sum(one.games for one in found),
        "moves": list(map(_played, found)),
        "book": list(map(_valued, book.at(position))) if book else [],
    }


def _played(one: MoveCount) -> Reply:
    return {
        "move": int(one.move),
        "alike": [int(move) for move in one.alike],
        "games": one.games,
        "share": round(one.share, 4),
        "margin": round(one.margin, 2),
        "opening": one.opening,
    }


def _valued(one: BookMove) -> Reply:
    return {"move": int(one.move), "value": round(one.value, 1), "deeper": one.deeper}


def _games(fields: Fields, page: Page) -> Answer:
    yield from ()
    index = _index(fields, page)
    if index is None:
        return {"kind": "explored games", "total": 0, "games": []}
    numbers = index.games_with(fields["game"].end, move=fields["move"], **_filters(fields))
    begin = fields["offset"]
    return {
        "kind": "explored games",
        "total": len(numbers),
        "games": [_row(index, int(number)) for number in numbers[begin : begin + _ROWS]],
    }


def _row(index: Explorer, number: int) -> Reply:
    return {
        "number": number,
        "black": index.names[index.black[number]],
        "white": index.names[index.white[number]],
        "year": int(index.years[number]) or None,
        "score": int(index.scores[number]),
    }


def _game(fields: Fields, page: Page) -> Answer:
    yield from ()
    index = _index(fields, page)
    if index is None:
        raise BadSpec("there is no such collection of games on this board; expected one that is read")
    game = index.game(fields["number"], fields["game"].end)
    return {"kind": "explored game", "game": game_facts(game), **_row(index, fields["number"])}


def _drill(fields: Fields, _page: Page) -> Answer:
    yield from ()
    rules = Rules.parse(fields["rules"])
    book = opening_book(rules)
    if book is None:
        raise BadSpec(f"there is no book for {rules}; expected standard 8x8 or reversed 8x8")
    entry = book.drill(fields["number"])
    game = Game.of(Position.start(rules), entry.line)
    return {
        "kind": "drill",
        "game": game_facts(game),
        "moves": list(map(_valued, book.at(entry.position))),
        "opening": opening_name(game.positions),
        "line": moves_text(entry.line),
        "total": book.drills,
    }


_COLLECTION = Option("collection", text(0, 300), "", "the name of a collection; without one only the book is asked")
_FILTERS = (
    Option("player", text(0, 100), "", "a part of the name of somebody who played"),
    Option("first_year", whole(0, 9999), None, "games of this year and later"),
    Option("last_year", whole(0, 9999), None, "games of this year and earlier"),
    Option("result", choice("any", "black", "white", "draw"), "any", "games that end so"),
)
_NUMBER = Option("number", whole(0, 2**31), None, "counted from 0", needed=True)

QUICK = (
    (Signature("openings", "the openings that have names, with their moves"), _names),
    (Signature("collections", "the collections of games that can be explored"), _collections),
)
"""What is answered at once, and how."""
THREADED = (
    (
        Signature("explore", "what was played in a position, and what the book says", (GAME, _COLLECTION, *_FILTERS)),
        _explore,
    ),
    (
        Signature(
            "explored_games",
            "games of a collection that reached a position",
            (
                GAME,
                _COLLECTION,
                *_FILTERS,
                Option("move", whole(0, 256), None, "with which they went on"),
                Option("offset", whole(0, 2**31), 0, "games that are passed over"),
            ),
        ),
        _games,
    ),
    (Signature("explored_game", "a game of a collection", (GAME, _COLLECTION, _NUMBER)), _game),
    (
        Signature(
            "drill",
            "a position of the opening book to train with",
            (Option("rules", text(most=40), None, "such as standard 8x8", needed=True), _NUMBER),
        ),
        _drill,
    ),
)
"""What is answered in threads for moves, and how."""
