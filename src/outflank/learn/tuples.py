"""Networks of n-tuples: sets of patterns cut by one rule, and named by a text such as `straight(2)`.

An n-tuple is what this package calls a pattern: a few squares, with one weight for whatever may stand on them, shared
by all its images under the symmetries of the board. `straight` has every straight run of so many squares, anywhere
(Jaśkowski 2014: on 8x8 32 kinds of pairs with 288 weights); `snakes` are random walks (Lucas 2008); `squares` is the
weighted piece counter, one weight a square and its negative for the opponent's disc; `usual` are the patterns of the
package.
"""

import random
from dataclasses import dataclass
from itertools import product

from outflank.board import Rules
from outflank.errors import BadSpec
from outflank.patterns import PatternSet, pattern_set, set_of_squares
from outflank.schema import CheckedOptions, Option, Signature, lookup, whole
from outflank.spec import parse

_DIRECTIONS = tuple((row, column) for row, column in product((-1, 0, 1), repeat=2) if (row, column) != (0, 0))
_MOST_TRIES = 100_000


@dataclass(frozen=True)
class Network:
    """Patterns that are learned together.

    >>> network = read_network("straight(2)", 8)
    >>> len(network.patterns.kinds), len(network.patterns.instances), network.patterns.tempo
    (32, 210, 288)
    """

    canonical: str
    patterns: PatternSet
    odd: bool = False
    """Whether exchanging the colours of a pattern turns the sign of its weight."""
    usual: bool = False
    """Whether its patterns are those of the package."""

    @property
    def own(self) -> PatternSet | None:
        """The patterns that a file of its weights has to list."""
        return None if self.usual else self.patterns


_SIGNATURES = {
    signature.name: signature
    for signature in (
        Signature("squares", "a weighted piece counter: one weight a square"),
        Signature(
            "straight",
            "every straight run of squares, in rows, columns and diagonals",
            (Option("length", whole(1, 8), 2, "squares of a run"),),
            "Jaśkowski 2014",
        ),
        Signature(
            "snakes",
            "random walks over neighbouring squares",
            (
                Option("number", whole(1, 64), 12, "how many"),
                Option("length", whole(2, 8), 6, "squares of each"),
                Option("seed", whole(0, 10**9), 0, "of the walks"),
            ),
            "Lucas 2008",
        ),
        Signature("usual", "the patterns of the package: corners, edges, rows, diagonals", (), "Buro 1997"),
    )
}


def network_signatures() -> dict[str, Signature]:
    """The known networks, for help texts."""
    return dict(_SIGNATURES)


def read_network(text: str, size: int) -> Network:
    """The network that a text names, for boards of this size.

    >>> read_network("snakes(2, length=4)", 8).canonical
    'snakes(length=4, number=2, seed=0)'
    >>> read_network("straight(7)", 6)
    Traceback (most recent call last):
    outflank.errors.BadSpec: a run of 7 squares does not fit on 6x6; expected 6 or fewer
    """
    call = parse(text)
    options = lookup(call, _SIGNATURES, "network").fill(call)
    if options.name == "usual":
        return Network(str(options), pattern_set(size), usual=True)
    return Network(str(options), set_of_squares(size, _kinds(options, size)), odd=options.name == "squares")


def _kinds(options: CheckedOptions, size: int) -> list[str]:
    """The kinds of a network, each by its squares."""
    if options.name == "snakes":
        return _snakes(size, options["number"], options["length"], options["seed"])
    return _straight(size, options.get("length", 1))


def _straight(size: int, length: int) -> list[str]:
    if length > size:
        raise BadSpec(f"a run of {length} squares does not fit on {size}x{size}; expected {size} or fewer")
    found: dict[frozenset[int], str] = {}
    for row, column, (down, right) in product(range(size), range(size), ((0, 1), (1, 0), (1, 1), (1, -1))):
        run = [(row + i * down, column + i * right) for i in range(length)]
        if all(0 <= r < size and 0 <= c < size for r, c in run):
            squares = tuple(r * size + c for r, c in run)
            found.setdefault(_place(squares, size), _name(squares, size))
    return list(found.values())


def _snakes(size: int, number: int, length: int, seed: int) -> list[str]:
    """Random walks that do not cross themselves, all different, each with one mirrored twin at most."""
    chance, found = random.Random(f"{size} {length} {seed}"), dict[frozenset[int], str]()
    for _ in range(_MOST_TRIES):
        squares = _walk(size, length, chance)
        if squares and _good(squares, size):
            found.setdefault(_place(squares, size), _name(squares, size))
        if len(found) == number:
            return list(found.values())
    raise BadSpec(f"there are not {number} snakes of {length} squares on {size}x{size}; expected fewer")


def _walk(size: int, length: int, chance: random.Random) -> tuple[int, ...]:
    """Nothing where the walk has no way to go on."""
    row, column = chance.randrange(size), chance.randrange(size)
    walked = [(row, column)]
    while len(walked) < length:
        row, column = walked[-1]
        near = [(row + down, column + right) for down, right in _DIRECTIONS]
        free = [(r, c) for r, c in near if 0 <= r < size and 0 <= c < size and (r, c) not in walked]
        if not free:
            return ()
        walked.append(chance.choice(free))
    return tuple(row * size + column for row, column in walked)


def _good(squares: tuple[int, ...], size: int) -> bool:
    try:
        set_of_squares(size, [_name(squares, size)])
    except BadSpec:
        return False
    return True


def _place(squares: tuple[int, ...], size: int) -> frozenset[int]:
    """The same for all images of a pattern: the lowest of them."""
    rules = Rules(size)
    images = [frozenset(int(rules.image(square, number)) for square in squares) for number in range(8)]
    return min(images, key=sorted)


def _name(squares: tuple[int, ...], size: int) -> str:
    rules = Rules(size)
    return "".join(str(rules.move(square)) for square in squares)
