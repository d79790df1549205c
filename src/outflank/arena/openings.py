"""Openings: the positions games begin from, all different up to symmetry, chosen by text and seed alone.

Deterministic agents replay the same game, so without varied openings a hundred games are one game. An opening is a
start position and the moves played from it; statistics count a *pair*: both colours on one opening.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from outflank.board import Position, Rules
from outflank.errors import BadSpec
from outflank.formats import play_moves, replay, transcript
from outflank.search.limits import Limits
from outflank.search.solver import solve
from outflank.spec import Call, parse

_TRIES_PER_OPENING = 200


@dataclass(frozen=True)
class Opening:
    """A position to begin from, and the text that made it."""

    text: str
    position: Position


def read_openings(text: str, rules: Rules, wanted: int, seed: int) -> list[Opening]:
    """Up to `wanted` different openings: `start`, `random(k)`, `ply(k)`, `balanced(k)` or a file.

    `random(k)`: k random plies. `ply(k)`: every position after k plies, in order. `balanced(k)`: random ones from which
    a shallow search sees at most a few discs of advantage. A file has a transcript or a position on every line.

    >>> [opening.text for opening in read_openings("ply(2)", Rules(8), wanted=5, seed=0)]
    ['d3c3', 'd3e3', 'd3c5']
    >>> len({opening.position.canonical() for opening in read_openings("random(6)", Rules(6), wanted=20, seed=1)})
    20
    """
    path = Path(text)
    call = Call(text) if path.suffix or path.exists() else parse(text)
    if call.name == "start":
        found: Iterator[Opening] = iter([Opening("", Position.start(rules))])
    elif call.name == "random":
        found = _random(rules, _plies(call, rules), seed)
    elif call.name == "balanced":
        found = _balanced(rules, _plies(call, rules), seed)
    elif call.name == "ply":
        found = _all_after(rules, _plies(call, rules))
    elif path.is_file():
        found = _from_file(path, rules)
    else:
        raise BadSpec(f"no openings are called {text!r}; expected start, random(4), ply(3), balanced(6) or a file")
    return _different(found, wanted)


def _plies(call: Call, rules: Rules) -> int:
    values = [*call.values, *(value for name, value in call.options if name == "plies")]
    if len(values) != 1 or not isinstance(values[0], int) or not 0 <= values[0] < rules.pass_move - 4:
        raise BadSpec(f"{call} is not a way to open on {rules}; expected for example {call.name}(4)")
    return values[0]


def _different(openings: Iterator[Opening], wanted: int) -> list[Opening]:
    """The first ones that are not over and differ by more than a symmetry; gives up after many repetitions."""
    seen: set[Position] = set()
    kept: list[Opening] = []
    repeated = 0
    for opening in openings:
        if len(kept) >= wanted or repeated > _TRIES_PER_OPENING:
            break
        key = opening.position.canonical()
        if key in seen or not opening.position.moves:
            repeated += 1
            continue
        repeated = 0
        seen.add(key)
        kept.append(opening)
    return kept


def _random(rules: Rules, plies: int, seed: int) -> Iterator[Opening]:
    rng = random.Random(f"{rules} {plies} {seed}")
    while True:
        position, moves = Position.start(rules), []
        for _ in range(plies):
            if position.moves:
                moves.append(rng.choice(position.moves))
                position = position.play(moves[-1])
        yield Opening(transcript(moves, rules, passes=True), position)


def _balanced(rules: Rules, plies: int, seed: int) -> Iterator[Opening]:
    """Random openings that a search to a modest depth, or the solver near the end, calls even."""
    from outflank.agents import agent

    judge = agent("minimax(depth=6, eval=positional, order=mobility)")
    small = 60 * 10  # five squares' worth of the nested table, ten points each
    for opening in _random(rules, plies, seed):
        position = opening.position
        if not position.moves:
            continue
        if position.empties <= 12:
            value = solve(position, by="margin").score
            even = value is not None and abs(value) <= 2
        else:
            found = judge.choose(position, Limits()).value
            even = found is None or abs(found) <= small
        if even:
            yield opening


def _all_after(rules: Rules, plies: int) -> Iterator[Opening]:
    """Every position after so many plies, up to symmetry at every ply."""
    level = [Opening("", Position.start(rules))]
    for _ in range(plies):
        following: dict[Position, Opening] = {}
        for opening in level:
            for move in opening.position.moves:
                after = opening.position.play(move)
                text = opening.text + transcript([move], rules, passes=True)
                following.setdefault(after.canonical(), Opening(text, after))
        level = list(following.values())
    yield from level


def _from_file(path: Path, rules: Rules) -> Iterator[Opening]:
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        content = line.split("#")[0].split("%")[0].strip()
        if not content:
            continue
        try:
            yield _from_line(content, rules)
        except ValueError as error:
            raise BadSpec(f"{path.name}, line {number}: {error}") from None


def _from_line(content: str, rules: Rules) -> Opening:
    """A position line where it has the length of one, otherwise the transcript in its first column."""
    squares = content.partition(";")[0]
    if len("".join(squares.split())) == rules.pass_move + 1:
        return Opening(squares, Position.parse(squares, rules.variant))
    start = Position.start(rules)
    text = content.split()[0]
    return Opening(text, play_moves(start, replay(start, text)))
