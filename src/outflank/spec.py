"""Names with options as text: `minimax(depth=5, eval=positional)`, parsed into a `Call` and printed back.

A text is a `Call`: a name and, in brackets, values and `option=value` pairs. A value is a number, a word, a
quoted text, a list `[1, 2]` or again a call. What a name accepts, `schema.py` says.
"""

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Union

from outflank.errors import BadSpec
from outflank.inputs import MOST_DIGITS, MOST_IN_AGENT, MOST_NESTED, check_length, shown

Value = Union[int, float, str, bool, "Quoted", tuple["Value", ...], "Call"]

# What is matched once is not given back (`++`): a text of n characters takes n steps. The exponent ends in `?`, not
# `?+`, because Python 3.11.2 keeps half of a group that does not match there.
_TOKEN = re.compile(
    r"\s*+(?:(?P<number>[+-]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?(?P<unit>ms|s)?(?![\w.:/-]))"
    r"|(?P<name>[A-Za-z_][\w.:/-]*+)"
    r"|(?P<text>\"(?:[^\"\\]|\\.)*+\")"
    r"|(?P<sign>[()\[\],=]))"
)


class Quoted(str):
    """A text in quotes, such as a command with blanks."""

    __slots__ = ()

    def __str__(self) -> str:
        return '"' + self.replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass(frozen=True)
class Call:
    """A name with values and options.

    >>> str(Call("uct", (), (("playouts", 1000), ("final", "visits"))))
    'uct(playouts=1000, final=visits)'
    """

    name: str
    values: tuple[Value, ...] = ()
    options: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        inner = [show(value) for value in self.values] + [f"{key}={show(value)}" for key, value in self.options]
        return f"{self.name}({', '.join(inner)})" if inner else self.name


def show(value: Value) -> str:
    """A value as `parse` reads it.

    >>> show((1, 2.5, 2.0, 0.1 + 0.2, True)), show(Quoted('say "hi"'))
    ('[1, 2.5, 2, 0.30000000000000004, yes]', '"say \\\\"hi\\\\""')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return f"[{', '.join(show(item) for item in value)}]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))  # 2 and 2.0 are the same number
    return str(value)


class _Reader:
    """One pass over a text, remembering where it is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    def fail(self, expected: str) -> BadSpec:
        rest = self.text[self.at :].strip()
        found = repr(rest[:12]) if rest else "the end"
        return BadSpec(
            f"cannot read {shown(self.text, 200)}: found {found} at character {self.at + 1}, expected {expected}"
        )

    def peek(self) -> re.Match[str] | None:
        return _TOKEN.match(self.text, self.at)

    def take(self, sign: str) -> bool:
        """Whether this sign comes next; if so it is read."""
        token = self.peek()
        if token is None or token["sign"] != sign:
            return False
        self.at = token.end()
        return True

    def value(self) -> Value:
        """A value inside brackets."""
        self.depth += 1
        if self.depth > MOST_NESTED:
            raise BadSpec(f"brackets are nested too deeply; expected at most {MOST_NESTED} levels")
        found = self._value()
        self.depth -= 1
        return found

    def _value(self) -> Value:
        token = self.peek()
        if token is None:
            raise self.fail("a name, a number, a text in quotes or a list")
        if token["number"]:
            self.at = token.end()
            return _number(token["number"], token["unit"])
        if token["text"]:
            self.at = token.end()
            return Quoted(re.sub(r"\\(.)", r"\1", token["text"][1:-1]))
        if self.take("["):
            return self.items("]")
        return self.call()

    def items(self, closing: str) -> tuple[Value, ...]:
        found: list[Value] = []
        while not self.take(closing):
            if found and not self.take(","):
                raise self.fail(f"a comma or {closing}")
            found.append(self.value())
        return tuple(found)

    def call(self) -> Value:
        token = self.peek()
        if token is None or not token["name"]:
            raise self.fail("a name")
        name = token["name"]
        self.at = token.end()
        word: Value = {"yes": True, "no": False, "true": True, "false": False}.get(name, name)
        if not self.take("("):
            return word
        values: list[Value] = []
        options: dict[str, Value] = {}
        while not self.take(")"):
            if (values or options) and not self.take(","):
                raise self.fail("a comma or )")
            before = self.at
            item = self.value()
            if self.take("="):
                if not isinstance(item, str) or isinstance(item, Quoted):
                    self.at = before
                    raise self.fail("the name of an option before =")
                if item in options:
                    raise BadSpec(f"option {shown(item)} is given twice in {shown(self.text, 200)}")
                options[item] = self.value()
            elif options:
                self.at = before
                raise self.fail("option=value after the first option")
            else:
                values.append(item)
        return Call(name, tuple(values), tuple(options.items())) if values or options else word


def _number(text: str, unit: str | None) -> int | float:
    digits = text.removesuffix(unit or "")
    if len(digits) > MOST_DIGITS:
        raise BadSpec(f"number {digits[:12]}… has {len(digits)} digits; expected at most {MOST_DIGITS}")
    number = int(digits) if re.fullmatch(r"[+-]?\d+", digits) else float(digits)
    if math.isinf(number):
        raise BadSpec(f"number {digits} is too large; expected one below 1e308")
    return number / 1000 if unit == "ms" else number


def parse(text: str) -> Call:
    """The call that a text spells.

    >>> parse("minimax(depth=5, eval=terms(mobility=[5, 3]))").options[1]
    ('eval', Call(name='terms', values=(), options=(('mobility', (5, 3)),)))
    >>> parse("uct(playouts=)")
    Traceback (most recent call last):
    outflank.errors.BadSpec: cannot read 'uct(playouts=)': found ')' at character 14, expected a name
    """
    check_length(text, MOST_IN_AGENT, "a name with options")
    return _parsed(text)


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Call:
    """The same; an agent is asked for its text and identity again and again, which was a third of short games."""
    reader = _Reader(text)
    value = reader.call()
    if text[reader.at :].strip():
        raise reader.fail("the end of the text")
    return value if isinstance(value, Call) else Call(show(value))


def as_call(value: Value) -> Call:
    """A call, or the call that a text spells."""
    if isinstance(value, Call):
        return value
    if isinstance(value, str) and not isinstance(value, Quoted):
        return parse(value)
    raise BadSpec("expected a name, with options in brackets where it has any")
