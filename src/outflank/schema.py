"""What a text or a table of settings accepts: the one schema of agents, TOML files and messages of the page.

A `Signature` is a list of `Option`s with type, default and meaning. `fill` checks a call such as `minimax(depth=5)`
and `read` a mapping such as a TOML table; both fill in every default. Two calls that mean the same print the same when
filled in: that canonical text names an agent.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from outflank.errors import BadSpec
from outflank.inputs import MOST_IN_AGENT, check_length
from outflank.inputs import shown as cut
from outflank.spec import Call, Quoted, Value, show


@dataclass(frozen=True)
class OptionType:
    """Turns a written value into a checked one, or raises BadSpec saying what it expected."""

    words: str
    """What is expected."""
    check: Callable[[Any], Any]
    write: Callable[[Any], Value] = lambda checked: checked
    """The checked value as canonical text has it."""

    def __call__(self, value: Any) -> Any:
        """The checked value."""
        return self.check(value)


@dataclass(frozen=True)
class Option:
    """One option: its type, its default as written, and what it means."""

    name: str
    type: OptionType
    default: Value | None
    meaning: str
    needed: bool = False
    """Whether it must be given."""


class CheckedOptions(Mapping[str, Any]):
    """The checked options of a call or table: by name for programs, as canonical text for identity."""

    def __init__(self, name: str, options: dict[str, Any], written: dict[str, Value]) -> None:
        self.name = name
        self._options = options
        self._written = written

    def __getitem__(self, key: str) -> Any:
        return self._options[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)

    def __str__(self) -> str:
        given = sorted((key, value) for key, value in self._written.items())
        return str(Call(self.name, (), tuple(given)))


@dataclass(frozen=True)
class Signature:
    """A name, its meaning and its options. Values without a name fill the options in order.

    >>> cup = Signature("cup", "a small tournament", (Option("pairs", whole(1), 10, "pairs of games"),))
    >>> from outflank.spec import parse
    >>> str(cup.fill(parse("cup(3)"))), cup.read({}, "cup.toml")["pairs"]
    ('cup(pairs=3)', 10)
    >>> cup.read({"pair": 3}, "cup.toml")
    Traceback (most recent call last):
    outflank.errors.BadSpec: cup.toml: 'pair' is not known, did you mean pairs?; expected some of: pairs
    """

    name: str
    meaning: str
    options: tuple[Option, ...] = ()
    source: str = ""

    def fill(self, call: Call) -> CheckedOptions:
        """A call with every option checked and every default filled in; None where there is no value."""
        written = self.by_name(call)
        return self._checked(written, lambda name, value: f"{self.name}: option {name}={_short(show(value))}")

    def read(self, settings: Any, where: str) -> CheckedOptions:
        """A mapping, such as a TOML table or a message, checked in the same way; None is not given."""
        known = [option.name for option in self.options]
        if not isinstance(settings, Mapping):
            raise BadSpec(f"{where}: {_shown(settings)} is no table; expected keys such as {', '.join(known)}")
        for key in settings:
            if key not in known:
                hint = suggestion(str(key), known)
                raise BadSpec(f"{where}: {cut(key)} is not known{hint}; expected some of: {', '.join(known)}")
        missing = [option for option in self.options if option.needed and settings.get(option.name) is None]
        if missing:
            expected = ", ".join(f"{option.name} = {option.type.words}" for option in missing)
            raise BadSpec(f"{where}: {', '.join(option.name for option in missing)} missing; expected {expected}")
        return self._checked(settings, lambda name, value: f"{where}: {name} = {_shown(value)} is not possible")

    def _checked(self, written: Mapping[str, Any], place: Callable[[str, Any], str]) -> CheckedOptions:
        filled: dict[str, Any] = {}
        shown: dict[str, Value] = {}
        for option in self.options:
            name, value = option.name, written.get(option.name)
            if value is None:
                value = option.default
            if value is None:
                filled[name] = None
                continue
            try:
                filled[name] = option.type(value)
            except BadSpec as error:
                raise BadSpec(f"{place(name, value)}: {error}") from None
            shown[name] = option.type.write(filled[name])
        return CheckedOptions(self.name, filled, shown)

    def by_name(self, call: Call) -> dict[str, Value]:
        """The options of a call as they were written, by name."""
        known = [option.name for option in self.options]
        if len(call.values) > len(known):
            raise BadSpec(
                f"{self.name} takes at most {len(known)} values, {len(call.values)} were given{self._known()}"
            )
        written = dict(zip(known, call.values, strict=False))
        for name, value in call.options:
            if name not in known:
                raise BadSpec(f"{self.name} has no option {cut(name)}{suggestion(name, known)}{self._known()}")
            if name in written:
                raise BadSpec(f"{self.name}: option {name} is given twice, as a value and by name")
            written[name] = value
        return written

    def _known(self) -> str:
        if not self.options:
            return "; it has no options"
        return "; options:\n" + "\n".join(f"  {line}" for line in self.describe())

    def describe(self) -> list[str]:
        """One line per option: name, type, default, meaning."""
        return [
            f"{option.name}: {option.type.words}"
            + ("" if option.default is None else f", default {show(option.default)}")
            + f". {option.meaning}"
            for option in self.options
        ]

    def markdown(self) -> str:
        """The same as a table for documentation, with keys instead of options."""
        rows = [
            f"| `{option.name}` | {option.type.words.replace('|', 'or')} | {_default(option)} | {option.meaning} |"
            for option in self.options
        ]
        return "\n".join(["| key | what | default | meaning |", "|---|---|---|---|", *rows])

    def facts(self) -> dict[str, Any]:
        """The same as plain data, for JSON."""
        options = [
            {
                "name": option.name,
                "type": option.type.words,
                "default": None if option.default is None else show(option.default),
                "meaning": option.meaning,
            }
            for option in self.options
        ]
        return {"meaning": self.meaning, "source": self.source, "options": options}


def _default(option: Option) -> str:
    return "needed" if option.needed else "" if option.default is None else f"`{json.dumps(option.default)}`"


def _shown(value: Any) -> str:
    """A value of a table for people, cut where it is long."""
    try:
        return _short(json.dumps(value, default=str, ensure_ascii=False))
    except (ValueError, TypeError, RecursionError):  # a number of 5,000 digits, a list that holds itself
        return cut(value)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:50]}…"


def suggestion(name: str, known: Iterable[str]) -> str:
    """A hint at a likely slip of the pen.

    >>> suggestion("minmax", ["minimax", "uct"])
    ', did you mean minimax?'
    """
    close = get_close_matches(name, list(known), n=1)
    return f", did you mean {close[0]}?" if close else ""


def lookup(call: Call, signatures: Mapping[str, Signature], what: str) -> Signature:
    """The signature a call names, or an error that lists the known names."""
    if call.name not in signatures:
        raise BadSpec(
            f"no {what} is called {cut(call.name)}{suggestion(call.name, signatures)}; known: {', '.join(signatures)}"
        )
    return signatures[call.name]


_MOST = 2**53
"""Whole numbers beyond are not the same in JSON."""

# --- types ----------------------------------------------------------------------------------------------------

_HUGE = 1e300
"""No number is this large: neither an infinite one nor a whole one that no float can hold."""


def whole(least: int = -_MOST, most: int = _MOST) -> OptionType:
    """Whole numbers from `least` to `most`.

    >>> whole(1)(5)
    5
    """
    words = "a whole number" + (f" from {least} to {most}" if most < _MOST else f", {least} or more" * (least > -_MOST))

    def check(value: Any) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise BadSpec(f"expected {words}")
        return value

    return OptionType(words, check)


def number(least: float, most: float = math.inf, above: bool = False) -> OptionType:
    """Numbers from `least` (or above it) to `most`; `s` and `ms` mark seconds."""
    words = f"a number {'above' if above else 'from'} {least:g}" + ("" if most == math.inf else f" to {most:g}")

    def check(value: Any) -> float:
        good = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _HUGE
        if not good or not least <= value <= most or (above and value == least):
            raise BadSpec(f"expected {words}")
        return value  # type: ignore[no-any-return]

    return OptionType(words, check)


def choice(*words: str) -> OptionType:
    """One of several words.

    >>> choice("one", "all")("all")
    'all'
    """
    expected = " | ".join(words)

    def check(value: Any) -> str:
        if value not in words:
            raise BadSpec(f"expected {expected}")
        return str(value)

    return OptionType(expected, check)


def flag() -> OptionType:
    """Yes and no; true and false in TOML and JSON."""

    def check(value: Any) -> bool:
        if not isinstance(value, bool):
            raise BadSpec("expected yes or no")
        return value

    return OptionType("yes | no", check)


LARGEST = 10**6
"""Weights and worths of squares go so far up and down: all terms of 256 squares together then stay below 10^15."""


def numbers(least: int = 1, most: int = 256) -> OptionType:
    """One whole number or a list of `least` to `most` of them, always given back as a tuple.

    >>> numbers()([1, -2]), numbers()(3)
    ((1, -2), (3,))
    """
    words = "a whole number or a list of them"
    one = whole(-LARGEST, LARGEST)

    def check(value: Any) -> tuple[int, ...]:
        items = value if isinstance(value, tuple | list) else (value,)
        if not least <= len(items) <= most or not all(type(item) is int and abs(item) <= LARGEST for item in items):
            raise BadSpec(f"expected {words}, {least} to {most} in all, each {one.words}")
        return tuple(items)

    return OptionType(words, check)


def text(least: int = 1, most: int = MOST_IN_AGENT) -> OptionType:
    """Texts of `least` to `most` characters.

    >>> text()("random(6)")
    'random(6)'
    """
    words = "a text" if most == MOST_IN_AGENT else f"a text of at most {most} characters"

    def check(value: Any) -> str:
        if not isinstance(value, str) or not least <= len(value) <= most:
            raise BadSpec(f"expected {words}" + (" that is not empty" if value == "" else ""))
        check_length(value, most, "a text")
        return "".join(value)  # a plain text: that of a quoted one has quotes around it

    return OptionType(words, check, Quoted)


def list_of(item: OptionType, least: int = 1, most: int = 10_000, different: bool = False) -> OptionType:
    """Lists of `least` to `most` items of one type, all of them different where asked, given back as a tuple.

    >>> list_of(whole(4, 16))([6, 8])
    (6, 8)
    >>> str(Call("needs", list_of(text()).write(("a b", "c"))))
    'needs("a b", "c")'
    """
    words = f"a list of {least} {'or more' if most == 10_000 else f'to {most}'}, each {item.words}"

    def check(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple) or not least <= len(value) <= most:
            raise BadSpec(f"expected {words}")
        checked = tuple([item(one) for one in value])
        if different and len(set(checked)) < len(checked):
            raise BadSpec(f"one is named twice; expected {words}, all different")
        return checked

    return OptionType(words, check, lambda checked: tuple(item.write(one) for one in checked))


def table() -> OptionType:
    """A table of a file or an object of a message, whose keys another `Signature.read` checks."""

    def check(value: Any) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            raise BadSpec("expected a table of keys and values")
        return value

    return OptionType("a table", check)
