"""Stored games as one table of pandas or polars, with the columns of the exports (`export.py`) but for the notes.

Games are taken as they lie in the store, some thousands at a time and column by column, without making a `Game` of
each. Texts that many games share, such as agents and conditions, are categories: they are held once.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from outflank.agents.identities import behaviour_of, text_of
from outflank.arena.export import COLUMNS
from outflank.errors import BadSpec, require
from outflank.inputs import shown

LIBRARIES = {"pandas": "frame", "polars": "polars"}
"""What makes tables, and the extra that brings it."""
_SPENT = [name for name in COLUMNS if name.startswith(("black_", "white_"))]
_SPENT = [name for name in _SPENT if not name.endswith(("_behaviour", "_discs"))]
_WITHOUT_BRACKETS = str.maketrans("", "", "[]")


class Shared(NamedTuple):
    """A column whose texts are held once."""

    texts: list[str]
    codes: npt.NDArray[np.int64]
    """[games]: which of the texts."""


def check_library(library: str) -> None:
    """Says what is wrong with a library for tables before any game is read."""
    if library not in LIBRARIES:
        raise BadSpec(f"library {shown(library)} makes no tables here; expected one of: {', '.join(LIBRARIES)}")
    require(library, f"tables of {library} need {library}", LIBRARIES[library])


def frame(groups: Iterable[Sequence[Sequence[Any]]], names: Sequence[str], texts: dict[int, str], library: str) -> Any:
    """The table of rows with these names, which come in groups, as a store keeps them: with numbers of `texts`."""
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for group in groups:
        for name, values in zip(names, zip(*group, strict=True), strict=True):
            columns[name].extend(values)
    found: dict[str, Any] = {**columns, **_spent(columns["spent"])}
    for name in ("rules", "conditions", "made"):
        found[name] = _numbered(columns[name], texts)
    for side in ("black", "white"):
        who = _numbered(columns[side], texts)
        found[side], found[f"{side}_behaviour"] = _made(text_of, who), _made(behaviour_of, who)
    for name in ("termination", "reason"):
        found[name] = _repeated(columns[name])
    made = {name: found[name] for name in COLUMNS}
    return _pandas(made) if library == "pandas" else _polars(made)


def _spent(texts: list[str]) -> dict[str, npt.NDArray[Any]]:
    """Columns of what both sides spent. The lists are parsed as one, which takes a third of the time."""
    flat = ",".join(texts).translate(_WITHOUT_BRACKETS)
    numbers = np.array(json.loads(f"[{flat}]"), np.float64).reshape(-1, len(_SPENT))
    return {name: numbers[:, i].astype(COLUMNS[name]) for i, name in enumerate(_SPENT)}


def _numbered(numbers: list[int], texts: dict[int, str]) -> Shared:
    used, codes = np.unique(np.array(numbers, np.int64), return_inverse=True)
    return Shared([texts[number] for number in used.tolist()], codes)


def _repeated(values: list[str]) -> Shared:
    used = dict.fromkeys(values)
    order = {text: code for code, text in enumerate(used)}
    return Shared(list(used), np.array([order[text] for text in values], np.int64))


def _made(work: Callable[[str], str], column: Shared) -> Shared:
    """What is made of every text; some may become alike."""
    merged = _repeated([work(text) for text in column.texts])
    return Shared(merged.texts, merged.codes[column.codes])


def _pandas(columns: dict[str, Any]) -> Any:
    import pandas

    kinds = {str: "str", int: "int64", float: "float64"}

    def column(name: str, values: Any) -> Any:
        if isinstance(values, Shared):
            return pandas.Categorical.from_codes(values.codes, categories=values.texts)
        return pandas.Series(values, dtype=kinds[COLUMNS[name]])

    return pandas.DataFrame({name: column(name, values) for name, values in columns.items()})


def _polars(columns: dict[str, Any]) -> Any:
    import polars

    kinds = {str: polars.String, int: polars.Int64, float: polars.Float64}

    def column(name: str, values: Any) -> Any:
        if isinstance(values, Shared):
            return polars.Series(values.texts, dtype=polars.Categorical).gather(values.codes)
        return polars.Series(values, dtype=kinds[COLUMNS[name]])

    return polars.DataFrame({name: column(name, values) for name, values in columns.items()})
