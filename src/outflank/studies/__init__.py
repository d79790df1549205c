"""The papers' experiments as declarations, played by the arena and set beside the printed numbers."""

from collections.abc import Callable
from importlib import import_module

from outflank.errors import BadSpec
from outflank.schema import suggestion
from outflank.studies.study import Study

PAPERS = ("phan-synytsia", "he-lin", "flat-montecarlo", "he-reversed", "tenshi")
FUTURE_WORK = "future-work"
BEYOND = ("othello-league", "twelve")
"""Studies beyond the five papers: carried out only where they are named, and counted apart."""
_HOMES = {
    "phan-synytsia": "phan_synytsia:study",
    "he-lin": "he_lin:study",
    "he-lin-seconds": "he_lin:study_in_seconds",
    "flat-montecarlo": "flat_montecarlo:study",
    "he-reversed": "he_reversed:study",
    "tenshi": "tenshi:study",
    FUTURE_WORK: "future_work:study",
    "othello-league": "othello_league:study",
    "twelve": "twelve:study",
}


def named_study(name: str) -> Study:
    """The study of a paper.

    >>> named_study("tenshi").title
    'Weighted playouts in the reversed game'
    >>> named_study("tenchi")
    Traceback (most recent call last):
    outflank.errors.BadSpec: no study is called 'tenchi', did you mean tenshi?; expected one of: phan-synytsia, ...
    """
    if name.endswith(".toml"):
        raise BadSpec(f"{name} is no paper's study; expected a name, or for a study of your own outflank study {name}")
    if name not in _HOMES:
        raise BadSpec(f"no study is called {name!r}{suggestion(name, _HOMES)}; expected one of: {', '.join(_HOMES)}")
    module, _, function = _HOMES[name].partition(":")
    make: Callable[[], Study] = getattr(import_module(f"outflank.studies.{module}"), function)
    return make()
