"""A small opening book: positions near the start, each with the engine's value of every move, in discs for the mover.

A book is a text. Its head is its card (`# word: value`: how it was made); then comes a line for every position, the
moves that lead to it and every move from it with its value: `f5d6 c3:-0.2 c5:-1.4 …`. Moves that lead to mirror images
stand for each other, and a position is found in any mirror image, by whatever moves it was reached.

It grows by one position at a time, the end of the line that is cheapest in discs that both sides give away on it, with
a price for every move (drop-out expansion: T. Lincke, "Strategies for the Automatic Construction of Opening Books",
2000). The value of a position goes back to those before it, which may change which line is cheapest. Positions stand in
the order in which they came, so that the first ones matter most, and every position stands behind one that leads to it.
With the same engine the same text is made, at once or in parts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from outflank.agents.identities import identity
from outflank.analysis import analyse
from outflank.board import Move, Position, Rules, moves_text
from outflank.board.text import read_moves
from outflank.errors import BadNotation, BadSpec
from outflank.inputs import MOST_IN_TEXT, check_length, expect, shown
from outflank.lazy import lazy

_PLY = 0.25
"""Discs that a move of a line counts in its price, beside what it gives away."""
_START = "start"


class BookMove(NamedTuple):
    """A move that the book knows.

    >>> BookMove(Rules().move("d3"), -0.5, deeper=True).value
    -0.5
    """

    move: Move
    value: float
    """In discs for the mover, from the positions behind it where the book has them."""
    deeper: bool
    """Whether the book has the position behind it."""


@dataclass(frozen=True)
class Entry:
    """A position of a book: how it is reached, and what the engine says of its moves, one of each that are alike.

    >>> [(moves_text(entry.line), len(entry.values)) for entry in opening_book(Rules()).entries.values()][:2]
    [('', 1), ('d3', 3)]
    """

    line: tuple[Move, ...]
    position: Position
    values: Mapping[Move, float]

    @lazy
    def behind(self) -> dict[Position, Move]:
        """The positions behind its moves."""
        return {_key(self.position.play(move)): move for move in self.values}


@dataclass(frozen=True, eq=False)
class Book:
    """Positions with the values of their moves.

    >>> lines = "start d3:-0.5\\nd3 c3:+1 c5:+0.5 e3:-2\\nd3c5 b6:-6 c6:-1 d6:+1 e6:+0 f6:-1"
    >>> book = Book.parse(lines, Rules())
    >>> [(str(found.move), found.value, found.deeper) for found in book.at(Position.after("f5"))]
    [('f6', 1.0, False), ('d6', -1.0, True), ('f4', -2.0, False)]
    >>> [found.value for found in book.at(Position.start())]
    [-1.0, -1.0, -1.0, -1.0]
    """

    rules: Rules
    card: Mapping[str, str]
    entries: Mapping[Position, Entry]
    """By canonical position, in the order in which they came."""

    def at(self, position: Position) -> list[BookMove]:
        """All moves of a position with their values, best first; nothing where the book does not have it."""
        expect(Position, position=position)
        entry = self.entries.get(_key(position)) if position.rules == self.rules else None
        if entry is None:
            return []
        values = self._values(entry)
        behind = [(move, _key(position.play(move))) for move in position.moves]
        found = [BookMove(move, values[after], after in self.entries) for move, after in behind]
        return sorted(found, key=lambda one: -one.value)

    def drill(self, number: int) -> Entry:
        """A position in which there is a choice, counted from 0: those that matter most come first."""
        expect(int, number=number)
        if not 0 <= number < len(self._drills):
            raise BadSpec(f"position {number} is not in the book; expected 0 to {len(self._drills) - 1}")
        return self._drills[number]

    @property
    def drills(self) -> int:
        """How many positions have a choice."""
        return len(self._drills)

    @lazy
    def _drills(self) -> list[Entry]:
        return [entry for entry in self.entries.values() if len(entry.values) > 1]

    def _values(self, entry: Entry) -> dict[Position, float]:
        """What the moves of an entry are worth, by the positions behind them."""
        return {
            after: -self._bests[after] if after in self.entries else entry.values[move]
            for after, move in entry.behind.items()
        }

    @lazy
    def _bests(self) -> dict[Position, float]:
        """The value of every position: that of its best move."""
        found: dict[Position, float] = {}
        for key in sorted(self.entries, key=lambda each: each.empties):
            entry = self.entries[key]
            found[key] = max(
                -found[after] if after in found else entry.values[move] for after, move in entry.behind.items()
            )
        return found

    # --- growing --------------------------------------------------------------------------------------------------

    def next_line(self) -> tuple[Move, ...] | None:
        """The cheapest line that leads out of the book; None where nothing can be added."""
        if not self.entries:
            return ()
        price = dict.fromkeys(self.entries, float("inf"))
        price[_key(Position.start(self.rules))] = 0.0
        best, cheapest = None, float("inf")
        for key in sorted(self.entries, key=lambda each: -each.empties):
            entry, values = self.entries[key], self._values(self.entries[key])
            for after, value in values.items():
                cost = price[key] + self._bests[key] - value + _PLY
                if after in price:
                    price[after] = min(price[after], cost)
                elif cost < cheapest and not (after.must_pass or after.is_over):
                    best, cheapest = (*entry.line, entry.behind[after]), cost
        return best

    def with_entry(self, entry: Entry) -> "Book":
        """The book with one position more."""
        return Book(self.rules, self.card, {**self.entries, _key(entry.position): entry})

    # --- as text --------------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        head = [f"# {word}: {value}" for word, value in self.card.items()]
        return "\n".join([*head, *map(_line_of, self.entries.values())]) + "\n"

    @classmethod
    def parse(cls, text: str, rules: Rules) -> "Book":
        """The book that a text holds."""
        check_length(text, MOST_IN_TEXT, "a book")
        expect(Rules, rules=rules)
        card: dict[str, str] = {}
        entries: dict[Position, Entry] = {}
        by_line: dict[tuple[Move, ...], Position] = {}
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("#"):
                word, _, value = line.lstrip("# ").partition(": ")
                card[word] = value
            elif line.strip():
                entry = _entry_of(line, rules, by_line, f"line {number} of the book")
                if _key(entry.position) in entries:
                    raise BadNotation(f"line {number} of the book has a position again; expected each once")
                entries[_key(entry.position)] = entry
                by_line[entry.line] = entry.position
        return cls(rules, card, entries)


def _key(position: Position) -> Position:
    return position.canonical()


def _line_of(entry: Entry) -> str:
    values = " ".join(f"{move}:{value:+.1f}" for move, value in entry.values.items())
    return f"{moves_text(entry.line) or _START} {values}"


def _entry_of(text: str, rules: Rules, by_line: Mapping[tuple[Move, ...], Position], where: str) -> Entry:
    name, *words = text.split()
    position, line = Position.start(rules), read_moves("" if name == _START else name, rules)
    if line:
        if line[:-1] not in by_line:
            raise BadNotation(f"{where}: {shown(name)} does not follow; expected the position before it first")
        position = by_line[line[:-1]].play(line[-1])
    values = {}
    for word in words:
        move, _, value = word.partition(":")
        try:
            values[rules.move(move)] = round(float(value), 1)
        except ValueError:
            raise BadNotation(f"{where}: {shown(word)} is no move with a value; expected such as d3:-0.5") from None
    if set(values) != set(_choices(position)) or not all(abs(value) <= rules.cells for value in values.values()):
        raise BadNotation(f"{where}: the moves do not fit; expected {' '.join(map(str, _choices(position)))}")
    return Entry(line, position, values)


def _choices(position: Position) -> list[Move]:
    """The moves of a position, the first of those that are alike."""
    found: dict[Position, Move] = {}
    for move in position.moves:
        found.setdefault(_key(position.play(move)), move)
    return list(found.values())


def opening_book(rules: Rules) -> Book | None:
    """The book of the package for these rules; None where there is none.

    >>> book = opening_book(Rules())
    >>> book.card["rules"], opening_book(Rules(4))
    ('standard 8x8', None)
    """
    expect(Rules, rules=rules)
    return _shipped(rules)


@cache
def _shipped(rules: Rules) -> Book | None:
    file = files("outflank").joinpath("books", f"{rules.variant}-{rules.size}x{rules.size}.txt")
    return Book.parse(file.read_text(encoding="utf-8"), rules) if file.is_file() else None


# --- making it ----------------------------------------------------------------------------------------------------


def grow(book: Book, depth: int) -> Iterator[Book]:
    """The book with one position more, again and again, each judged so many plies deep.

    >>> from itertools import islice
    >>> small = next(islice(grow(new_book(Rules(6), depth=2), depth=2), 2, None))
    >>> [moves_text(entry.line) for entry in small.entries.values()]
    ['', 'c2', 'c2b4']
    """
    while (line := book.next_line()) is not None:
        position = Position.start(book.rules)
        for move in line:
            position = position.play(move)
        book = book.with_entry(Entry(line, position, _judged(position, depth)))
        yield book


def new_book(rules: Rules, depth: int) -> Book:
    """A book without positions, with the card of one that is made so.

    >>> new_book(Rules(6), depth=2).card["depth"]
    '2 plies'
    """
    card = {"rules": str(rules), "engine": identity("engine"), "depth": f"{depth} plies"}
    return Book(rules, card, {})


def _judged(position: Position, depth: int) -> dict[Move, float]:
    """What the engine says of the moves, of those that are alike the first."""
    found = next(found for found in analyse(position) if found.depth >= depth or found.finished)
    values = {one.move: round(one.value, 1) + 0.0 for one in found.moves}
    return {move: values[move] for move in _choices(position)}
