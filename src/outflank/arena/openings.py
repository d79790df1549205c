"""Openings: the positions games begin from, all different up to symmetry, chosen by text and seed alone.

Deterministic agents replay the same game, so without varied openings a hundred games are one game. An opening is a
start position and the moves played from it; statistics count a *pair*: both colours on one opening.

A match of a million games wants half a million openings in a second or two. They are therefore made and compared in
blocks: compiled code plays the random moves, and the symmetries of a block of boards are views of one array.
"""

import random
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.board import Color, Position, Rules, Variant, moves_text, read_moves
from outflank.errors import BadSpec, OutflankError, Stopped
from outflank.formats import content_lines, read, read_transcript
from outflank.game import Game
from outflank.inputs import MOST_IN_AGENT, check_length, expect, file_lines, open_file, shown
from outflank.kernels.jit import Words
from outflank.kernels.playout import OVER, Lines, random_lines
from outflank.search.clock import told_to_stop
from outflank.search.limits import Limits
from outflank.search.probcut import is_trained
from outflank.search.solver import solve
from outflank.spec import Call, parse

if TYPE_CHECKING:
    from outflank.agents import Agent

_TRIES_PER_OPENING = 200
_LARGEST_BLOCK = 4096
_MOST_UNEVEN = 2000
"""Openings in a row that are not even before the search for one gives up; where there are any, one in twelve is."""
_EVEN = 2
"""Discs that one side may be better by in an even opening."""
_MOST_POSITIONS = 100_000
"""Of `ply(k)`, which looks at all of them: 67,245 after 8 plies on 8x8, up to symmetry."""
_MADE = re.compile(r"start|(random|balanced)\(\d{1,3}\)")


class Opening(NamedTuple):
    """A position to begin from, and how it came about."""

    text: str
    """The moves from the usual start, passes written, or the line where only the position is known."""
    line: str
    """The position as one line."""
    rules: Rules

    @property
    def position(self) -> Position:
        """The position."""
        return Position.parse(self.line, self.rules.variant)

    @property
    def game(self) -> Game:
        """The game so far, all of it given."""
        if self.text == self.line:
            return Game(self.position)
        moves = read_moves(self.text, self.rules)
        return Game(Position.start(self.rules), moves, opening_plies=len(moves)).knowing(end=self.position)


class _Block(NamedTuple):
    """Openings in bulk."""

    texts: list[str]
    black: Words
    """[openings, words]"""
    white: Words
    turn: npt.NDArray[np.uint8]
    over: npt.NDArray[np.bool_]
    """Whether the game is over in the position."""


def read_openings(text: str, rules: Rules, wanted: int, seed: int) -> list[Opening]:
    """Up to `wanted` different openings: `start`, `random(k)`, `ply(k)`, `balanced(k)` or a file.

    `random(k)`: k random plies. `ply(k)`: every position after k plies, in order. `balanced(k)`: random ones in which
    neither side is better by more than two discs, as the engine judges or, on boards without it, a shallow search. A
    file has a transcript or a position on every line.

    >>> [opening.text for opening in read_openings("ply(2)", Rules(8), wanted=5, seed=0)]
    ['d3c3', 'd3e3', 'd3c5']
    >>> len({opening.position.canonical() for opening in read_openings("random(6)", Rules(6), wanted=20, seed=1)})
    20
    """
    check_length(text, MOST_IN_AGENT, "openings")
    expect(int, wanted=wanted, seed=seed)
    path = Path(text)
    call = Call(text) if path.suffix or _exists(path) else parse(text)
    size = max(1, min(wanted, _LARGEST_BLOCK))
    if call.name == "random":
        return _different(_random(rules, _plies(call, rules), seed, size), rules, wanted)
    if call.name == "start":
        found: Iterator[tuple[str, Position]] = iter([("", Position.start(rules))])
    elif call.name == "balanced":
        found = _balanced(rules, _plies(call, rules), seed)
    elif call.name == "ply":
        found = _all_after(rules, _plies(call, rules))
    elif _exists(path):
        found = _from_file(path, rules)
    else:
        raise BadSpec(f"no openings are called {shown(text)}; expected start, random(4), ply(3), balanced(6) or a file")
    return _different(_in_blocks(found, size), rules, wanted)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a name, or no name at all
        return False


def made_game(opening: str, rules: Rules, seed: int = 0) -> Game:
    """The game so far of `start`, `random(k)` or `balanced(k)`; never of a file.

    >>> len(made_game("random(3)", Rules(6), seed=1))
    3
    """
    if not _MADE.fullmatch(opening):
        raise BadSpec(f"opening {shown(opening)} is not possible here; expected start, random(8) or balanced(8)")
    found = read_openings(opening, rules, wanted=1, seed=seed)
    if not found:
        raise BadSpec(f"{opening} gives no opening on {rules}; expected another number of plies")
    return found[0].game


def open_game(text: str, size: int | None = None, variant: Variant = "standard", seed: int = 0) -> Game:
    """The same, or whatever a text holds: moves, a position, GGF; `size` is 8 where neither it nor the text tells.

    >>> len(open_game("random(3)", 6, seed=1)), len(open_game("f5d6"))
    (3, 2)
    """
    if _MADE.fullmatch(text):
        return made_game(text, Rules(8 if size is None else size, variant), seed)
    return read(text, variant, size)


def _plies(call: Call, rules: Rules) -> int:
    values = [*call.values, *(value for _, value in call.options)]
    named = all(name == "plies" for name, _ in call.options)
    if not named or len(values) != 1 or type(values[0]) is not int or not 0 <= values[0] < rules.cells - 4:
        expected = f"{call.name}(k) with k plies from 0 to {rules.cells - 5}"
        raise BadSpec(f"{shown(str(call))[1:-1]} is not a way to open on {rules}; expected {expected}")
    return values[0]


def _different(blocks: Iterator[_Block], rules: Rules, wanted: int) -> list[Opening]:
    """The first ones that are not over and differ by more than a symmetry; gives up after many repetitions."""
    seen: tuple[set[bytes], set[bytes]] = (set(), set())
    kept: list[Opening] = []
    repeated = 0
    for block in blocks:
        columns = (block.texts, *_lines_and_keys(block, rules), block.turn.tolist(), block.over.tolist())
        for text, line, key, turn, over in zip(*columns, strict=True):
            if len(kept) >= wanted or repeated > _TRIES_PER_OPENING:
                return kept
            if over or key in seen[turn]:
                repeated += 1
                continue
            repeated = 0
            seen[turn].add(key)
            kept.append(Opening(text, line, rules))
    return kept


def _lines_and_keys(block: _Block, rules: Rules) -> tuple[list[str], list[bytes]]:
    """Of every opening its line, and a key that its discs share with their mirror images and with nothing else."""
    count, size, wide = len(block.texts), rules.size, 8 if rules.words == 1 else 16
    bits = np.unpackbits(np.stack([block.black, block.white], axis=1).astype("<u8").view(np.uint8), bitorder="little")
    sides = bits.reshape(count, 2, -1, wide)[:, :, :size, :size]
    turns = (sides, sides[:, :, ::-1], sides[:, :, :, ::-1], sides[:, :, ::-1, ::-1])
    images = [image.reshape(count, -1) for turn in turns for image in (turn, turn.swapaxes(2, 3))]
    packed = np.packbits(np.stack(images, axis=1), axis=2)
    least = np.sort(_as_bytes(packed), axis=1)[:, 0]
    signs = np.full((count, size * size + 2), ord(" "), np.uint8)
    signs[:, :-2] = np.frombuffer(b"-XO", np.uint8)[sides[:, 0] + 2 * sides[:, 1]].reshape(count, -1)
    signs[:, -1] = np.frombuffer(b"XO", np.uint8)[block.turn]
    return [line.decode() for line in _as_bytes(signs).tolist()], least.tolist()


def _as_bytes(array: npt.NDArray[np.uint8]) -> npt.NDArray[np.bytes_]:
    """The last axis as one text of bytes, which loses the zeros at its end."""
    return array.view(f"S{array.shape[-1]}")[..., 0]


def _in_blocks(openings: Iterator[tuple[str, Position]], size: int) -> Iterator[_Block]:
    """Openings of any origin as blocks of at most this size."""
    while chosen := list(islice(openings, size)):
        positions = [position for _, position in chosen]
        yield _Block(
            texts=[text for text, _ in chosen],
            black=np.array([position.rules.board(position.black) for position in positions], np.uint64),
            white=np.array([position.rules.board(position.white) for position in positions], np.uint64),
            turn=np.array([position.turn for position in positions], np.uint8),
            over=np.array([position.is_over for position in positions]),
        )


def _random(rules: Rules, plies: int, seed: int, size: int) -> Iterator[_Block]:
    """Random moves without end: those that `random.Random(text).choice` would choose one after the other."""
    source, draws = _same_draws(random.Random(f"{rules} {plies} {seed}")), np.empty(0, np.uint64)
    boards = Position.start(rules).boards
    while True:
        lines = np.empty((size, plies + 1), np.int16)
        mine, theirs = np.empty((2, size, rules.words), np.uint64)
        draws = np.concatenate([draws, source.random_raw(2 * size * plies + 64)])
        made, used = random_lines(*boards, draws, lines, mine, theirs)
        draws = draws[used:]
        if made:
            yield _block(lines[:made], mine[:made], theirs[:made], rules)


def _same_draws(rng: random.Random) -> np.random.MT19937:
    """Numpy's generator in the state of Python's: both give the same 32 bits at every draw."""
    _, (*key, at), _ = rng.getstate()
    source = np.random.MT19937()
    source.state = {"bit_generator": "MT19937", "state": {"key": np.array(key, np.uint32), "pos": at}}
    return source


def _block(lines: Lines, mine: Words, theirs: Words, rules: Rules) -> _Block:
    """The block that `random_lines` made."""
    moves, wide = lines[:, :-1], 3 * (lines.shape[1] - 1)
    squares = [moves_text([move], passes=True) for move in rules.by_bit[:-1]]
    written = np.array([*squares, "", "pa"], "S3")[moves].tobytes()  # the last two are OVER and PASS
    texts = [written[at * wide : (at + 1) * wide].replace(b"\0", b"").decode() for at in range(len(lines))]
    turn = (moves != OVER).sum(axis=1, dtype=np.uint8) % 2
    white_moves = turn[:, None] == Color.WHITE
    black, white = np.where(white_moves, theirs, mine), np.where(white_moves, mine, theirs)
    return _Block(texts, black, white, turn, lines[:, -1] == OVER)


def _balanced(rules: Rules, plies: int, seed: int) -> Iterator[tuple[str, Position]]:
    """Random openings that a search to a modest depth, or the solver near the end, calls even.

    None any more after many that are not: of 4x4 after one ply no opening is even. A search that is stopped says
    nothing, so that a stop ends it all.
    """
    judge, margin = _judge(rules)
    uneven = 0
    for text, position in _one_by_one(_random(rules, plies, seed, 64), rules):
        even = bool(position.moves) and _is_even(position, judge, margin)
        if told_to_stop():
            raise Stopped(f"the search for an even opening after {plies} plies was stopped before it had found one")
        uneven = 0 if even else uneven + 1
        if even:
            yield text, position
        elif uneven >= _MOST_UNEVEN:
            return


def _judge(rules: Rules) -> tuple["Agent", int]:
    """Who says whether an opening is even, and the most that an even one is worth to either side.

    On 8x8 the engine takes 3 ms for an opening; of 25 that it called even, 20 were so for a search of 14 plies, and all
    within 5 discs. The shallow search counts in points: five squares' worth of the nested table, ten each.
    """
    from outflank.agents import agent

    if is_trained(rules):
        return agent("engine(depth=10, instant=no, memory=1)"), _EVEN
    return agent("minimax(depth=6, eval=positional, order=mobility)"), 60 * 10


def _is_even(position: Position, judge: "Agent", margin: int) -> bool:
    """Whether neither side is better by more than a little."""
    if position.empties <= 12:
        value = solve(position, by="margin").score
        return value is not None and abs(value) <= _EVEN
    judge.new_game()  # what was searched before must not change what is said
    found = judge.choose(position, Limits()).value
    return found is None or abs(found) <= margin


def _one_by_one(blocks: Iterator[_Block], rules: Rules) -> Iterator[tuple[str, Position]]:
    for block in blocks:
        for text, black, white, turn in zip(block.texts, block.black, block.white, block.turn, strict=True):
            yield text, Position(rules, rules.mask(black), rules.mask(white), Color(int(turn)))


def _all_after(rules: Rules, plies: int) -> Iterator[tuple[str, Position]]:
    """Every position after so many plies, up to symmetry at every ply."""
    level = [("", Position.start(rules))]
    for _ in range(plies):
        following: dict[Position, tuple[str, Position]] = {}
        for text, position in level:
            for move in position.moves:
                after = position.play(move)
                following.setdefault(after.canonical(), (text + moves_text([move], passes=True), after))
        level = list(following.values())
        if len(level) > _MOST_POSITIONS:
            raise BadSpec(f"ply({plies}) has more than {_MOST_POSITIONS:,} positions on {rules}; expected fewer plies")
    yield from level


def _from_file(path: Path, rules: Rules) -> Iterator[tuple[str, Position]]:
    with open_file(path) as file:
        for number, content in content_lines(file_lines(file, path.name)):
            try:
                yield _from_line(content, rules)
            except OutflankError as error:
                raise BadSpec(f"{path.name}, line {number}: {error}") from None


def _from_line(content: str, rules: Rules) -> tuple[str, Position]:
    """A position line where it has the length of one, otherwise the transcript in its first column."""
    squares = content.partition(";")[0]
    if len("".join(squares.split())) == rules.cells + 1:
        position = Position.parse(squares, rules.variant)
        return position.line(), position
    game = read_transcript(content.split()[0], rules)
    return moves_text(game.moves, passes=True), game.end
