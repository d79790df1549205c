"""The papers' experiments as declarations, played by the arena and set beside the printed numbers."""

from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

from outflank.errors import BadSpec
from outflank.studies.study import Study

PAPERS = ("phan-synytsia", "he-lin", "flat-montecarlo", "he-reversed", "tenshi")
FUTURE_WORK = "future-work"
_HOMES = {
    "phan-synytsia": "phan_synytsia:study",
    "he-lin": "he_lin:study",
    "he-lin-seconds": "he_lin:study_in_seconds",
    "flat-montecarlo": "flat_montecarlo:study",
    "he-reversed": "he_reversed:study",
    "tenshi": "tenshi:study",
    FUTURE_WORK: "future_work:study",
}


def study(text: str) -> Study:
    """The study of this name, or the one that a TOML file describes.

    >>> study("tenshi").title
    'Weighted playouts in the reversed game'
    >>> study("tenchi")
    Traceback (most recent call last):
    outflank.errors.BadSpec: no study is called 'tenchi', did you mean tenshi?; expected one of: phan-synytsia, ...
    """
    if text.endswith(".toml"):
        from outflank.studies.toml import read_study

        return read_study(Path(text))
    if text not in _HOMES:
        close = get_close_matches(text, _HOMES, 1)
        hint = f", did you mean {close[0]}?" if close else ""
        raise BadSpec(
            f"no study is called {text!r}{hint}; expected one of: {', '.join(_HOMES)}, or a file ending in .toml"
        )
    module, _, function = _HOMES[text].partition(":")
    make: Callable[[], Study] = getattr(import_module(f"outflank.studies.{module}"), function)
    return make()
