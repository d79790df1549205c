"""The one way in for code of a person's own: functions in plain Python, compiled and called at native speed.

A function that is passed as an argument is normally a type of its own, and every kernel that takes it would be
compiled anew in every process. Wrapped as a C callback all functions of one signature share one type, so the search
that calls it is compiled once and found again on disk; the call costs three nanoseconds (AMD EPYC).

Kernels hand over what `KINDS` lists for a kind, in that order; a function takes what it wants of it by name, and the
size of the board, all its squares and the sign of the game, which are constants to the compiler. Between the two
stands a check: an exception, or an answer that cannot be used, is noted with its arguments and answered with
something harmless, because a kernel cannot raise. Whoever ran the kernel asks `fault_of` afterwards, which calls the
function once more with those arguments to learn what it said.
"""

import inspect
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from outflank.kernels.bitboard import both, first, is_empty, single, stride
from outflank.kernels.jit import INTERPRETED, Board, Word, Words

WHOLE, SQUARE, REAL, WEIGHT = "a whole number", "a square of `legal`", "a number", "a number of 0 or more"


class PlugKind(NamedTuple):
    """What kernels hand to a function and what they expect of it."""

    given: tuple[str, ...]
    answer: str
    on_board: bool = True
    """Whether it is made for one board, and may ask for `size`, `full` and `sign`."""

    @property
    def names(self) -> tuple[str, ...]:
        """Everything that a function may ask for."""
        return (*self.given, "size", "full", "sign") if self.on_board else self.given


KINDS = {
    "evaluation": PlugKind(("own", "opp", "to_move"), WHOLE),
    "playout": PlugKind(("own", "opp", "legal", "number", "searcher"), SQUARE),
    "order": PlugKind(("own", "opp", "square"), WHOLE),
    "select": PlugKind(("visits", "mean", "total", "c", "prior", "amaf_visits", "amaf_mean"), REAL, on_board=False),
    "prior": PlugKind(("own", "opp", "legal", "square"), WEIGHT),
    "final": PlugKind(("visits", "mean", "total", "c"), REAL, on_board=False),
}
_BOARDS, _REALS = {"own", "opp", "legal"}, {"mean", "c", "prior", "amaf_mean"}

MOST_SCALED = 1e15
"""No scaled value is larger."""
_RAISED, _WRONG = 1, 2
_RECORD_WORDS = 32
"""Room for what happened, and for all arguments of any kind."""
_LEGAL = KINDS["playout"].given.index("legal")


class Uncompilable(ValueError):
    """A function that cannot be compiled, or returns what no kernel can use; the text names its file and line."""


# --- what a function is given -------------------------------------------------------------------------------------


def _type_of(name: str, words: int) -> Any:
    if name in _BOARDS:
        return types.UniTuple(types.uint64, words)
    return types.float64 if name in _REALS else types.uint64 if name == "number" else types.int64


def taken_by(function: Callable[..., Any]) -> list[str]:
    """The names of a function's parameters; those that collect the rest have their stars.

    >>> taken_by(lambda own, opp, *rest: 0)
    ['own', 'opp', '*rest']
    """
    stars: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    parameters = inspect.signature(getattr(function, "py_func", function)).parameters
    return [stars.get(parameter.kind, "") + name for name, parameter in parameters.items()]


def _asking(inner: Callable[..., Any], kind: PlugKind, words: int, size: int, sign: int) -> Any:
    """A function of all that is given, which asks `inner` for what it takes: both lists are names of ours."""
    constants = {"inner": inner, "size": np.int64(size), "full": _full(words, size), "sign": np.int64(sign)}
    assert set(taken_by(inner)) <= set(kind.names), "the caller has looked"
    return eval(f"lambda {', '.join(kind.given)}: inner({', '.join(taken_by(inner))})", constants)


def _full(words: int, size: int) -> Board:
    """Every square of a board of this size."""
    board = sum((1 << size) - 1 << stride(words) * row for row in range(size))
    return tuple(Word(board >> 64 * word & 2**64 - 1) for word in range(words))


# --- the check in between -----------------------------------------------------------------------------------------


@intrinsic  # type: ignore[untyped-decorator]
def _store(typing: Any, address: Any, value: Any) -> Any:  # noqa: ARG001  (numba fixes the signature)
    """Writes a value, or a tuple of 64-bit values one behind the other, to an address."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.inttoptr(args[0], context.get_value_type(signature.args[1]).as_pointer())
        builder.store(args[1], place)
        return ir.Constant(ir.IntType(8).as_pointer(), None)

    return types.void(types.uint64, value), code


def _noting(record: Words) -> Any:
    """The function that notes (what happened, the arguments); interpreted, it raises at once."""
    if INTERPRETED:

        def tell(what: int, given: Any) -> None:
            if what == _RAISED:
                raise
            raise ValueError(f"an answer that cannot be used, for {given}")

        return tell
    address = np.uint64(record.ctypes.data)
    behind = np.uint64(record.ctypes.data + 8)

    def note(what: int, given: Any) -> None:
        _store(behind, given)
        _store(address, np.int64(what))

    return numba.njit(note)


def _whole(ask: Any, note: Any) -> Any:
    def checked(given: Any) -> Any:
        try:
            return np.int64(ask(*given))
        except Exception:
            note(_RAISED, given)
        return np.int64(0)

    return checked


def _scaled(ask: Any, note: Any, scale: float) -> Any:
    def checked(given: Any) -> Any:
        value = 0.0
        try:
            value = ask(*given) * scale
        except Exception:
            note(_RAISED, given)
        if np.isnan(value):
            note(_WRONG, given)
            return np.int64(0)
        return np.int64(np.floor(min(max(value, -MOST_SCALED), MOST_SCALED) + 0.5))

    return checked


def _real(ask: Any, note: Any) -> Any:
    def checked(given: Any) -> Any:
        value = 0.0
        try:
            value = np.float64(ask(*given))
        except Exception:
            note(_RAISED, given)
        if np.isnan(value):
            note(_WRONG, given)
            return 0.0
        return value

    return checked


def _weight(ask: Any, note: Any) -> Any:
    def checked(given: Any) -> Any:
        value = 1.0
        try:
            value = np.float64(ask(*given))
        except Exception:
            note(_RAISED, given)
        if not 0.0 <= value < np.inf:
            note(_WRONG, given)
            return 1.0
        return value

    return checked


def _legal_square(ask: Any, note: Any) -> Any:
    def checked(given: Any) -> Any:
        legal = given[_LEGAL]
        square = np.int64(-1)
        try:
            square = np.int64(ask(*given))
        except Exception:
            note(_RAISED, given)
            return np.int64(first(legal))
        if square < 0 or square >= 64 * len(legal) or is_empty(both(legal, single(int(square), legal))):
            note(_WRONG, given)
            return np.int64(first(legal))
        return square

    return checked


_CHECKS = {WHOLE: _whole, SQUARE: _legal_square, REAL: _real, WEIGHT: _weight}


# --- compiling ----------------------------------------------------------------------------------------------------


@cache
def compile_plug(function: Callable[..., Any], name: str, words: int, size: int, sign: int, scale: float = 0) -> Any:
    """A function as kernels of this layout take it, one of the KINDS `name`; raises Uncompilable.

    `scale` multiplies the answers of a function that may return fractions; 0 allows whole ones only.
    """
    kind = KINDS[name]
    given = tuple(_type_of(each, words) for each in kind.given)
    record = np.zeros(_RECORD_WORDS, np.uint64)
    inner = function if INTERPRETED or hasattr(function, "py_func") else numba.njit(function)
    ask = _asking(inner, kind, words, size, sign)
    spread = f"lambda {', '.join(kind.given)}: checked(({', '.join(kind.given)},))"
    if INTERPRETED:
        check = _scaled(ask, _noting(record), scale) if scale else _CHECKS[kind.answer](ask, _noting(record))
        return eval(spread, {"checked": check})
    asked = numba.njit(ask)
    _look_at_answer(_compiled(asked, given, inner), kind.answer, scale)
    check = _scaled(asked, _noting(record), scale) if scale else _CHECKS[kind.answer](asked, _noting(record))
    answer = types.float64 if kind.answer in (REAL, WEIGHT) else types.int64
    plug = numba.cfunc(answer(*given))(eval(spread, {"checked": numba.njit(check)}))
    plug.record, plug.asked, plug.given, plug.answer = record, asked, given, kind.answer
    return plug


def _compiled(asked: Any, given: Any, inner: Any) -> Any:
    """The type that a function returns."""
    try:
        asked.compile(given)
    except Exception as error:  # numba raises its own errors, and now and then those of what it is made of
        raise Uncompilable(_in_short(error, inner.py_func)) from error
    return asked.overloads[given].signature.return_type


def _look_at_answer(found: Any, answer: str, scale: float) -> None:
    fraction = isinstance(found, types.Float)
    if fraction and answer == WHOLE and not scale:
        raise Uncompilable("it returns fractions; expected whole numbers, or a scale such as f.scale = 100")
    good = isinstance(found, types.Integer | types.Boolean) or (fraction and answer != SQUARE)
    if not good:
        raise Uncompilable(f"it returns {found}; expected {answer}")


_NOISE = re.compile(r"\x1b\[[0-9;]*m")
_PLACES = (re.compile(r"Raised from (.+?) \((\d+)\)"), re.compile(r'File "([^"]+)", line (\d+)'))
_PAGES = ("Failed in nopython", "During:", "File ", "There are ", "Enable ", "Overload")


def _in_short(error: Exception, function: Callable[..., Any]) -> str:
    """File, line and the first thing that numba says, without its pages: they are for people who write kernels."""
    said = _NOISE.sub("", str(error))
    lines = [line.strip() for line in said.splitlines()]
    told = [line for line in lines if line and not line.startswith(_PAGES)] or [type(error).__name__]
    words = " ".join(told[:1] + [line for line in told[1:3] if line.startswith(">>>")])
    code = function.__code__
    file = Path(code.co_filename).name
    places = [place for pattern in _PLACES for place in pattern.findall(said)]  # numba names the innermost first
    line = next((line for path, line in places if Path(path).name == file), code.co_firstlineno)
    return f"{file}, line {line}: {words[:300]}"


# --- what went wrong ----------------------------------------------------------------------------------------------


def fault_of(plug: Any) -> tuple[bool, str] | None:
    """What a plug noted since it was last asked: (whether it raised, what it raised or answered), or None."""
    record = getattr(plug, "record", None)
    if record is None or record[0] == 0:
        return None
    raised, record[0] = bool(record[0] == _RAISED), 0
    try:
        answer = plug.asked(*_arguments(record[1:], plug.given))
    except Exception as error:  # whatever a person's function raises
        return True, f"{type(error).__name__}: {error}"
    return raised, "an exception that it does not raise again" if raised else str(answer)


def _arguments(noted: Words, given: Any) -> list[Any]:
    """The arguments of a call as they were noted, one 64-bit word behind the other."""
    found, at = [], 0
    for kind in given:
        words = len(kind) if isinstance(kind, types.UniTuple) else 1
        part = noted[at : at + words]
        at += words
        if isinstance(kind, types.UniTuple):
            found.append(tuple(map(np.uint64, part)))
        else:
            found.append(part.view(np.dtype(str(kind)))[0])
    return found
