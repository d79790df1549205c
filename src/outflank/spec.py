"""Names with options as text: `minimax(depth=5, eval=positional)`, parsed, checked, filled in and printed back.

A text is a `Call`: a name and, in brackets, values and `option=value` pairs. A value is a number, a word, a
quoted text, a list `[1, 2]` or again a call. What a name accepts is a `Signature`: its options with kind, default
and meaning. `Signature.fill` checks a call, fills in every default and turns nested calls into values, so that
two texts that mean the same print the same: that canonical text is an identity.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Union

from outflank.errors import BadSpec

Value = Union[int, float, str, bool, "Quoted", tuple["Value", ...], "Call"]

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?P<unit>ms|s)?(?![\w.:/-]))"
    r"|(?P<name>[A-Za-z_][\w.:/-]*)"
    r"|(?P<text>\"(?:[^\"\\]|\\.)*\")"
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

    >>> show((1, 2.5, True)), show(Quoted('say "hi"'))
    ('[1, 2.5, yes]', '"say \\\\"hi\\\\""')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return f"[{', '.join(show(item) for item in value)}]"
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(value)


class _Reader:
    """One pass over a text, remembering where it is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def fail(self, expected: str) -> BadSpec:
        rest = self.text[self.at :].strip()
        found = repr(rest[:12]) if rest else "the end"
        return BadSpec(f"cannot read {self.text!r}: found {found} at character {self.at + 1}, expected {expected}")

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
        if not self.take("("):
            return {"yes": True, "no": False, "true": True, "false": False}.get(name, name)
        values: list[Value] = []
        options: list[tuple[str, Value]] = []
        while not self.take(")"):
            if (values or options) and not self.take(","):
                raise self.fail("a comma or )")
            before = self.at
            item = self.value()
            if self.take("="):
                if not isinstance(item, str) or isinstance(item, Quoted):
                    self.at = before
                    raise self.fail("the name of an option before =")
                if item in dict(options):
                    raise BadSpec(f"option {item} is given twice in {self.text!r}")
                options.append((item, self.value()))
            elif options:
                self.at = before
                raise self.fail("option=value after the first option")
            else:
                values.append(item)
        return Call(name, tuple(values), tuple(options))


def _number(text: str, unit: str | None) -> int | float:
    digits = text.removesuffix(unit or "")
    if unit == "ms":
        return float(digits) / 1000
    return int(digits) if re.fullmatch(r"[+-]?\d+", digits) else float(digits)


def parse(text: str) -> Call:
    """The call that a text spells.

    >>> parse("minimax(depth=5, eval=terms(mobility=[5, 3]))").options[1]
    ('eval', Call(name='terms', values=(), options=(('mobility', (5, 3)),)))
    >>> parse("uct(playouts=)")
    Traceback (most recent call last):
    outflank.errors.BadSpec: cannot read 'uct(playouts=)': found ')' at character 14, expected a name
    """
    if len(text) > 10_000:
        raise BadSpec(f"text of {len(text)} characters is too long; expected at most 10000")
    reader = _Reader(text)
    try:
        value = reader.call()
    except RecursionError:
        raise BadSpec("brackets are nested too deeply; expected a handful of levels") from None
    if text[reader.at :].strip():
        raise reader.fail("the end of the text")
    return value if isinstance(value, Call) else Call(show(value))


# --- what a name accepts --------------------------------------------------------------------------------------

OptionType = Callable[[Value], Any]
"""Turns a written value into a checked one, or raises BadSpec saying what it expected."""


@dataclass(frozen=True)
class Option:
    """One option: its kind, its default as written, and what it means."""

    name: str
    kind: OptionType
    default: Value | None
    meaning: str

    @property
    def expects(self) -> str:
        """The type in words."""
        return (self.kind.__doc__ or "").strip()


class CheckedOptions(Mapping[str, Any]):
    """The checked options of a call: by name for programs, as canonical text for identity."""

    def __init__(self, name: str, options: dict[str, Any], written: dict[str, Value]) -> None:
        self.name = name
        self._options = options
        self._written = written

    def __getitem__(self, key: str) -> Any:
        return self._options[key]

    def __iter__(self) -> Any:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)

    def __str__(self) -> str:
        given = sorted((key, value) for key, value in self._written.items())
        return str(Call(self.name, (), tuple(given)))


@dataclass(frozen=True)
class Signature:
    """A name, its meaning and its options. Values without a name fill the options in order."""

    name: str
    meaning: str
    options: tuple[Option, ...] = ()
    source: str = ""

    def fill(self, call: Call) -> CheckedOptions:
        """Every option checked and every default filled in; an option without default and value is left out."""
        known = {option.name: option for option in self.options}
        written = self._by_name(call, known)
        filled: dict[str, Any] = {}
        shown: dict[str, Value] = {}
        for name, option in known.items():
            value = written.get(name, option.default)
            if value is None:
                filled[name] = None
                continue
            try:
                filled[name] = option.kind(value)
            except BadSpec as error:
                raise BadSpec(f"{self.name}: option {name}={show(value)}: {error}") from None
            shown[name] = _canonical(value, filled[name])
        return CheckedOptions(self.name, filled, shown)

    def _by_name(self, call: Call, known: Mapping[str, Option]) -> dict[str, Value]:
        if len(call.values) > len(known):
            raise BadSpec(
                f"{self.name} takes at most {len(known)} values, {len(call.values)} were given{self._known()}"
            )
        written = dict(zip(known, call.values, strict=False))
        for name, value in call.options:
            if name not in known:
                raise BadSpec(f"{self.name} has no option {name!r}{suggestion(name, known)}{self._known()}")
            if name in written:
                raise BadSpec(f"{self.name}: option {name} is given twice, as a value and by name")
            written[name] = value
        return written

    def _known(self) -> str:
        if not self.options:
            return "; it has no options"
        return "; options:\n" + "\n".join(f"  {line}" for line in self.describe())

    def describe(self) -> list[str]:
        """One line per option: name, kind, default, meaning."""
        return [
            f"{option.name}: {option.expects}"
            + ("" if option.default is None else f", default {show(option.default)}")
            + f". {option.meaning}"
            for option in self.options
        ]

    def facts(self) -> dict[str, Any]:
        """The same as plain data, for JSON."""
        options = [
            {
                "name": option.name,
                "type": option.expects,
                "default": None if option.default is None else show(option.default),
                "meaning": option.meaning,
            }
            for option in self.options
        ]
        return {"meaning": self.meaning, "source": self.source, "options": options}


def _canonical(written: Value, value: Any) -> Value:
    """A filled-in nested value prints itself; anything else prints as its checked value."""
    if hasattr(value, "canonical"):
        return str(value.canonical)
    return value if isinstance(value, int | float | str | bool | tuple) else written


def suggestion(name: str, known: Mapping[str, Any]) -> str:
    """A hint at a likely slip of the pen.

    >>> suggestion("minmax", {"minimax": 1, "uct": 2})
    ', did you mean minimax?'
    """
    close = get_close_matches(name, list(known), n=1)
    return f", did you mean {close[0]}?" if close else ""


def lookup(call: Call, signatures: Mapping[str, Signature], what: str) -> Signature:
    """The signature a call names, or an error that lists the known names."""
    if call.name not in signatures:
        raise BadSpec(
            f"no {what} is called {call.name!r}{suggestion(call.name, signatures)}; known: {', '.join(signatures)}"
        )
    return signatures[call.name]


def as_call(value: Value) -> Call:
    """A call, or the call that a text spells."""
    if isinstance(value, Call):
        return value
    if isinstance(value, str) and not isinstance(value, Quoted):
        return parse(value)
    raise BadSpec("expected a name, with options in brackets where it has any")


# --- kinds ----------------------------------------------------------------------------------------------------


def _documented(kind: OptionType, words: str) -> OptionType:
    kind.__doc__ = words
    return kind


def whole(least: int, most: int = 2**53) -> OptionType:
    """The kind of whole numbers from `least` to `most`.

    >>> whole(1)(5)
    5
    """
    words = f"a whole number, {least} or more" if most == 2**53 else f"a whole number from {least} to {most}"

    def kind(value: Value) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise BadSpec(f"expected {words}")
        return value

    return _documented(kind, words)


def number(least: float, most: float = float("inf"), above: bool = False) -> OptionType:
    """The kind of numbers from `least` (or above it) to `most`; `s` and `ms` mark seconds."""
    words = f"a number {'above' if above else 'from'} {least:g}" + ("" if most == float("inf") else f" to {most:g}")

    def kind(value: Value) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise BadSpec(f"expected {words}")
        if above and value == least:
            raise BadSpec(f"expected {words}")
        return value

    return _documented(kind, words)


def choice(*words: str) -> OptionType:
    """The kind of one of several words.

    >>> choice("one", "all")("all")
    'all'
    """
    text = " | ".join(words)

    def kind(value: Value) -> str:
        if value not in words:
            raise BadSpec(f"expected {text}")
        return str(value)

    return _documented(kind, text)


def flag() -> OptionType:
    """The kind of yes and no."""

    def kind(value: Value) -> bool:
        if not isinstance(value, bool):
            raise BadSpec("expected yes or no")
        return value

    return _documented(kind, "yes | no")


def numbers(least: int = 1, most: int = 256) -> OptionType:
    """The kind of one whole number or a list of them, always given back as a tuple."""
    words = "a whole number or a list of them"

    def kind(value: Value) -> tuple[int, ...]:
        items = value if isinstance(value, tuple) else (value,)
        good = [item for item in items if isinstance(item, int) and not isinstance(item, bool) and abs(item) < 2**31]
        if len(good) != len(items) or not least <= len(items) <= most:
            raise BadSpec(f"expected {words}, {least} to {most} in all, each below 2^31")
        return tuple(good)

    return _documented(kind, words)
