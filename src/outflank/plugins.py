"""Compiled functions of a person's own, by text: `module:function`, loaded, looked at, compiled, their faults told.

A search has places where such a function can stand in for what is built in: an evaluation, the moves of playouts, the
order of moves, the choice inside a tree. `docs/own-players.md` has the contract of each for people who write one;
`kernels/plug.py` how they are compiled. Whatever is wrong with one is told as early as it can be known: names and
parameters when an agent is built, code that cannot be compiled before the first game, exceptions and impossible
answers between two slices of a search.
"""

import importlib
import inspect
from dataclasses import dataclass
from typing import Any

from outflank.board import Rules
from outflank.errors import BadSpec, EngineFailed
from outflank.kernels.bitboard import first
from outflank.kernels.plug import KINDS, REAL, SQUARE, Uncompilable, compile_plug, fault_of, taken_by
from outflank.schema import OptionType
from outflank.spec import Call, Value

_WORDS = {
    "evaluation": "evaluation function f(own, opp, size) -> int",
    "playout": "playout function f(own, opp, legal, number) -> square",
    "order": "ordering function f(own, opp, square) -> int",
    "select": "selection function f(visits, mean, total, c) -> float",
    "prior": "prior function f(own, opp, legal, square) -> float",
    "final": "final function f(visits, mean) -> float",
}
"""What a person is told was expected."""


def load_object(module_name: str, name: str, what: str) -> Any:
    """An object of a module, or an error that says which of the two is missing.

    >>> load_object("math", "tau", "function")
    Traceback (most recent call last):
    outflank.errors.BadSpec: module 'math' has no 'tau' to call; expected a function
    """
    try:
        found = getattr(importlib.import_module(module_name), name, None)
    except Exception as error:  # whatever a person's module raises while it is imported
        raise BadSpec(
            f"cannot import module {module_name!r} for {_a(what)}: {type(error).__name__}: {error}"
        ) from error
    if not callable(found):
        raise BadSpec(f"module {module_name!r} has no {name!r} to call; expected {_a(what)}")
    return found


@dataclass(frozen=True)
class Plugin:
    """A function by its name `module:function`, for one of the places in `kernels.plug.KINDS`.

    >>> Plugin("order", "math:sqrt").load()
    Traceback (most recent call last):
    outflank.errors.BadSpec: math:sqrt is no function written in Python; expected an ordering function ...
    """

    kind: str
    name: str

    def load(self) -> Any:
        """The function; raises BadSpec where it is missing or takes what it is not given."""
        module, _, name = self.name.partition(":")
        function = load_object(module, name, _WORDS[self.kind])
        _check(function, self.kind, self.name)
        if self.kind == "select" and "prior" in taken_by(function):
            _check(getattr(function, "prior", None), "prior", f"{self.name}.prior")
        return function

    def takes(self, *names: str) -> bool:
        """Whether the function asks for any of these."""
        return not set(taken_by(self.load())).isdisjoint(names)

    def build(self, rules: Rules) -> Any:
        """The function as kernels take it under these rules; raises BadSpec where it cannot be compiled."""
        return _compiled(self.load(), self.kind, self.name, rules)

    def build_prior(self, rules: Rules) -> Any:
        """What `f.prior` of a selection gives for every move; without one all moves weigh the same."""
        function = self.load()
        if "prior" in taken_by(function):
            return _compiled(function.prior, "prior", f"{self.name}.prior", rules)
        return compile_plug(_alike, "prior", rules.words, rules.size, 1)


def _alike(square: int) -> float:  # noqa: ARG001  (numba looks at the names)
    return 1.0


def _check(function: Any, kind: str, name: str) -> None:
    """Raises BadSpec where a function cannot stand in a place of this kind."""
    if not inspect.isfunction(getattr(function, "py_func", function)):
        raise BadSpec(f"{name} is no function written in Python; expected {_a(_WORDS[kind])}")
    known = KINDS[kind].names
    unknown = [parameter for parameter in taken_by(function) if parameter not in known]
    if unknown:
        raise BadSpec(
            f"{name} takes {', '.join(unknown)}; expected {_a(_WORDS[kind])}, with any of these parameters by name: "
            f"{', '.join(known)}"
        )


def _a(words: str) -> str:
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def _scale_of(function: Any, name: str) -> float:
    """What the fractions of an evaluation are multiplied by; 0 where it has none to give."""
    scale = getattr(function, "scale", 0)
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not (scale == 0 or 1e-9 <= scale <= 1e9):
        raise BadSpec(f"{name}.scale = {scale!r} is not possible; expected a number above 0, such as 100")
    return float(scale)


def _compiled(function: Any, kind: str, name: str, rules: Rules) -> Any:
    sign = 1 if rules.variant == "standard" else -1
    board = (rules.words, rules.size, sign) if KINDS[kind].on_board else (1, 0, 1)
    try:
        plug = compile_plug(function, kind, *board, _scale_of(function, name) if kind == "evaluation" else 0.0)
    except Uncompilable as error:
        raise BadSpec(f"{name} cannot be compiled for {_a(kind)}: {error}") from None
    plug.told_as = name
    return plug


def raise_faults(*plugs: Any) -> None:
    """Raises EngineFailed where one of these plugs raised or answered what cannot be used; None never did."""
    for plug in plugs:
        fault = fault_of(plug)
        if fault is None:
            continue
        raised, said = fault
        name = plug.told_as
        if raised:
            raise EngineFailed("crash", f"{name} raised {said}")
        if plug.answer == SQUARE:
            raise EngineFailed("illegal move", f"{name} answered {said} in a playout; expected {SQUARE}")
        raise EngineFailed("failure", f"{name} answered {said}; expected {plug.answer}")


def score(plug: Any, name: str, arguments: dict[str, Any]) -> float:
    """What a compiled function says of these arguments, asked from Python."""
    asked = getattr(plug, "asked", plug)
    try:
        value = float(asked(*arguments.values()))
    except Exception as error:  # whatever a person's function raises
        raise EngineFailed("crash", f"{name} raised {type(error).__name__}: {error}") from error
    if value != value:
        raise EngineFailed("failure", f"{name} answered nan; expected {REAL}")
    return value


def plugin_type(kind: str, builtin: OptionType | None = None) -> OptionType:
    """The type of an option that is one of the built-in values or `module:function` of this kind.

    >>> from outflank.schema import choice
    >>> order = plugin_type("order", choice("none", "eval"))
    >>> order.words, order("none"), order.write(order("mine:f"))
    ('none | eval | module:function', 'none', 'mine:f')
    """
    words = f"{builtin.words} | module:function" if builtin else "module:function"

    def check(value: Any) -> Any:
        if type(value) is str and ":" in value:  # a quoted text is data
            return Plugin(kind, value)
        if builtin is None:
            raise BadSpec(f"expected {words}")
        return builtin(value)

    return OptionType(words, check, lambda value: value.name if isinstance(value, Plugin) else value)


# --- stand-ins ----------------------------------------------------------------------------------------------------


def nothing() -> int:
    """0, whatever it is asked for: an evaluation, a key, a score.

    >>> nothing()
    0
    """
    return 0


def lowest(legal: Any) -> Any:
    """The lowest legal square, as the next move of a playout.

    >>> int(lowest((0b1100,)))
    2
    """
    return first(legal)


def with_stand_ins(value: Value, option: str = "") -> Value:
    """An agent with functions of ours in place of a person's: its search can be compiled without asking theirs.

    Every function of one kind has one type, so that the search around it is the same code.

    >>> from outflank.spec import parse
    >>> print(with_stand_ins(parse("minimax(depth=2, eval=mine:f)")))
    minimax(depth=2, eval=outflank.plugins:nothing)
    """
    if isinstance(value, Call):
        options = tuple((name, with_stand_ins(inner, name)) for name, inner in value.options)
        return Call(value.name, tuple(map(with_stand_ins, value.values)), options)
    if type(value) is str and ":" in value:  # a quoted text is data
        return f"{__name__}:{(lowest if option == 'playout' else nothing).__name__}"
    return value
