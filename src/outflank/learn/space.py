"""What is tuned: numbers in the text of an agent, each with a range, as points of a cube.

An agent is a text, and every number in it is an option by name: `uct(c=1.4)` has `c`. Options that are not written have
their defaults, so the name alone suffices; lists are tuned number by number, and a table of squares by the ten numbers
(on 8x8) that its symmetries leave. What is tuned over is a text of its own,

    mobility=0..60, squares[b2]=-100..0, c=log 0.1..5.0

or the same as a TOML file with a line for every name. A number is whole where both ends are written without a point.
`log` says that doubling counts the same everywhere. Tuners see nothing of this: to them a candidate is a point with
coordinates from 0 to 1.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.agents import canonical
from outflank.board import Rules
from outflank.errors import BadSpec
from outflank.evaluation import read_table
from outflank.inputs import MOST_DIGITS, MOST_IN_AGENT, check_length, expect, file_name, read_toml, shown
from outflank.schema import suggestion
from outflank.spec import Call, Value, parse

Point = npt.NDArray[np.float64]
"""[dimensions], each from 0 to 1."""

MOST_DIMENSIONS = 256
_NUMBER = r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"
_RANGE = re.compile(rf"(?P<log>log\s+)?(?P<least>{_NUMBER})\.\.(?P<most>{_NUMBER})")
_NAME = re.compile(r"(?P<name>[A-Za-z_][\w.]*)(?:\[(?P<item>\w+)\])?")
_EXPECTED = "expected for example mobility=0..60, squares[b2]=-100..0 or c=log 0.1..5.0"
_LEAST_LOG = 1e-9
_DIGITS = 6
"""Of a number that is not whole: more say nothing, and texts stay short."""


@dataclass(frozen=True)
class Range:
    """The numbers from `least` to `most`.

    >>> Range.parse("log 0.5..8.0").at(0.5), Range.parse("0..60").at(0.99)
    (2.0, 59)
    """

    least: float
    most: float
    whole: bool
    log: bool = False

    @classmethod
    def parse(cls, text: str) -> "Range":
        """The range that a text spells."""
        found = _RANGE.fullmatch(text.strip())
        if not found:
            raise BadSpec(f"{shown(text)} is no range; expected for example 0..60 or log 0.1..5.0")
        ends = found["least"], found["most"]
        if max(map(len, ends)) > MOST_DIGITS:
            raise BadSpec(f"{shown(text)} has a number of too many digits; expected at most {MOST_DIGITS}")
        whole = all(end.lstrip("+-").isdigit() for end in ends)
        least, most = (int(end) if whole else float(end) for end in ends)
        if not -1e15 <= least < most <= 1e15:
            raise BadSpec(f"{shown(text)} is no range; expected a smaller and a larger number, such as 0..60")
        if found["log"] and least < _LEAST_LOG:
            raise BadSpec(f"{shown(text)} is not possible; expected numbers above 0 after log, {_LEAST_LOG:g} or more")
        return cls(least, most, whole, bool(found["log"]))

    def at(self, place: float) -> float:
        """The number at a place from 0 to 1."""
        if self.log:
            value = math.exp(math.log(self.least) + place * (math.log(self.most) - math.log(self.least)))
        else:
            value = self.least + place * (self.most - self.least)
        value = min(max(value, self.least), self.most)
        return math.floor(value + 0.5) if self.whole else float(f"{value:.{_DIGITS}g}")

    def place(self, value: float) -> float:
        """Where a number lies, from 0 to 1."""
        if self.log:
            return math.log(value / self.least) / math.log(self.most / self.least)
        return (value - self.least) / (self.most - self.least)

    def step(self, place: float) -> float:
        """How far the next number is from that at a place, as a share of the range; 0 where there is one at any."""
        if not self.whole:
            return 0.0
        value = self.at(place)
        other = value + 1 if value < self.most else value - 1
        return abs(self.place(other) - self.place(value))

    def __str__(self) -> str:
        ends = ((f"{end:.0f}" if self.whole else repr(float(end))) for end in (self.least, self.most))
        return "log " * self.log + "..".join(ends)


@dataclass(frozen=True)
class Dimension:
    """One number that is tuned."""

    name: str
    """As reports call it: the option, and in brackets its item where it has several."""
    path: tuple[str, ...]
    """The options that lead to it."""
    item: int | None
    """Its place in a list."""
    start: float
    """The number of the agent that is tuned."""
    range: Range


@dataclass(frozen=True)
class Space:
    """An agent and the numbers in it that are tuned.

    >>> space = read_space("uct(playouts=100)", "c=log 0.1..10.0, leaf_playouts=1..4")
    >>> [dimension.name for dimension in space.dimensions], space.start.round(2).tolist()
    (['c', 'leaf_playouts'], [0.58, 0.0])
    >>> space.values(space.start), "c=0.1," in space.agent([0, 1])
    ([1.41421, 1], True)
    """

    call: Call
    """Of the agent, every option spelled out."""
    over: str
    """What is tuned, as it was asked for."""
    dimensions: tuple[Dimension, ...]

    @cached_property
    def start(self) -> Point:
        """The agent that is tuned, as a point."""
        return np.array([one.range.place(one.start) for one in self.dimensions])

    def values(self, point: Sequence[float] | Point) -> list[float]:
        """The numbers of a point."""
        return [one.range.at(float(place)) for one, place in zip(self.dimensions, point, strict=True)]

    def steps(self, point: Point) -> Point:
        """How far the next whole number is in every dimension; 0 where numbers are not whole."""
        return np.array([one.range.step(float(place)) for one, place in zip(self.dimensions, point, strict=True)])

    def agent(self, point: Sequence[float] | Point) -> str:
        """The canonical text of the agent at a point."""
        return self.with_values(self.values(point))

    def with_values(self, values: Sequence[float]) -> str:
        """The canonical text of the agent with these numbers."""
        call: Value = self.call
        for one, value in zip(self.dimensions, values, strict=True):
            call = _replaced(call, one.path, one.item, value)
        return canonical(str(call))


def read_space(agent: str, over: str, rules: Rules | None = None) -> Space:
    """The space of an agent and what is tuned in it: a text, or the name of a TOML file with a line for every name.

    >>> read_space("uct", "d=0..1")
    Traceback (most recent call last):
    outflank.errors.BadSpec: uct has no number 'd', did you mean c?; it has: c, draw, endgame, leaf_playouts, memory
    """
    call = parse(canonical(agent))
    numbers = dict(_numbers(call, (rules or Rules()).size))
    dimensions: dict[str, Dimension] = {}
    for name, item, bounds in _entries(over):
        path = _path(call.name, name, list(numbers))
        for one in _dimensions(path, item, numbers[path], bounds):
            if one.name in dimensions:
                raise BadSpec(f"{one.name} is to be tuned twice; expected every number once")
            dimensions[one.name] = one
    if not 1 <= len(dimensions) <= MOST_DIMENSIONS:
        raise BadSpec(f"{len(dimensions)} numbers are to be tuned; expected 1 to {MOST_DIMENSIONS}")
    for path in {one.path for one in dimensions.values()}:
        call = _as_list(call, path, numbers[path])
    named = (f"{name}{f'[{item}]' if item else ''}={bounds}" for name, item, bounds in _entries(over))
    space = Space(call, ", ".join(named), tuple(dimensions.values()))
    for corner in (0.0, 1.0):  # numbers that the agent does not take are told before the first game
        space.agent([corner] * len(dimensions))
    return space


def _entries(over: str) -> Iterator[tuple[str, str | None, Range]]:
    """(name, item of a list, range) of everything that is named."""
    check_length(over, MOST_IN_AGENT, "what is tuned")
    if over.endswith(".toml"):
        given = read_toml(file_name(over), 'lines such as mobility = "0..60"')
        for key, value in given.items():
            expect(str, **{"range": value})
            yield *_name(key), Range.parse(value)
        return
    for entry in over.split(","):
        name, equals, bounds = entry.partition("=")
        if not equals:
            raise BadSpec(f"cannot read {shown(entry.strip())} in what is tuned; {_EXPECTED}")
        yield *_name(name.strip()), Range.parse(bounds)


def _name(text: str) -> tuple[str, str | None]:
    found = _NAME.fullmatch(text)
    if not found:
        raise BadSpec(f"{shown(text)} is no name of an option; {_EXPECTED}")
    return found["name"], found["item"]


# --- numbers in a call --------------------------------------------------------------------------------------------


def _numbers(call: Call, size: int, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The path and the value of every option with a number, a list of numbers or a table of squares."""
    for name, value in call.options:
        path = (*above, name)
        if isinstance(value, Call):
            yield from _numbers(value, size, path)
        elif name == "squares" and type(value) is str:
            yield path, read_table(value).triangle(size)
        elif _is_number(value) or (isinstance(value, tuple) and value and all(map(_is_number, value))):
            yield path, value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _path(agent: str, name: str, known: list[tuple[str, ...]]) -> tuple[str, ...]:
    """The path that a name means: its last parts are enough where no other ends alike."""
    parts = tuple(name.split("."))
    found = [path for path in known if path[-len(parts) :] == parts]
    if len(found) == 1:
        return found[0]
    if found:
        raise BadSpec(f"{agent} has several numbers {shown(name)}; expected one of: {', '.join(map('.'.join, found))}")
    names = [".".join(path) for path in known]
    hint = suggestion(name, [path[-1] for path in known])
    listed = ", ".join(names) if names else "none; numbers without a default are tuned where the agent says them"
    raise BadSpec(f"{agent} has no number {shown(name)}{hint}; it has: {listed}")


def _dimensions(path: tuple[str, ...], item: str | None, value: Any, bounds: Range) -> Iterator[Dimension]:
    name = ".".join(path[-1:])
    if not isinstance(value, tuple):
        if item is not None:
            raise BadSpec(f"{name} is one number; expected {name} alone, not {name}[{item}]")
        yield _dimension(name, path, None, value, bounds)
        return
    labels = _labels(path[-1], len(value))
    if item is not None and item not in labels:
        raise BadSpec(f"{name} has no item {shown(item)}; expected one of: {', '.join(labels)}")
    for place, (label, number) in enumerate(zip(labels, value, strict=True)):
        if item in (None, label):
            yield _dimension(f"{name}[{label}]", path, place, number, bounds)


def _dimension(name: str, path: tuple[str, ...], item: int | None, start: float, bounds: Range) -> Dimension:
    if not bounds.least <= start <= bounds.most:
        raise BadSpec(f"{name} is {start:g} in the agent, outside of {bounds}; expected a range around it")
    return Dimension(name, path, item, start, bounds)


def _labels(option: str, length: int) -> list[str]:
    """What the numbers of a list are called: by square in a quarter of a board, else by their places from 1 on."""
    side = math.isqrt(2 * length)
    if option != "squares" or side * (side + 1) // 2 != length:
        return [str(place + 1) for place in range(length)]
    return [f"{chr(ord('a') + column)}{row + 1}" for row in range(side) for column in range(row, side)]


def _as_list(call: Call, path: tuple[str, ...], value: Any) -> Call:
    """The call with this value spelled out, as a named table is not."""
    changed = _replaced(call, path, None, value)
    assert isinstance(changed, Call)
    return changed


def _replaced(value: Value, path: tuple[str, ...], item: int | None, number: Any) -> Value:
    """The call with another number at the end of a path."""
    if not path:
        if item is None:
            return number  # type: ignore[no-any-return]
        assert isinstance(value, tuple)
        return (*value[:item], number, *value[item + 1 :])
    assert isinstance(value, Call)
    options = ((k, _replaced(v, path[1:], item, number) if k == path[0] else v) for k, v in value.options)
    return Call(value.name, value.values, tuple(options))
