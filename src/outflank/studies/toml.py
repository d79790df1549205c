"""A study in a TOML file: pairings, and numbers to compare with if there are any.

    title = "Does depth pay on 6x6?"
    summary = "Minimax to growing depth against depth 2."
    citation = "Our class, autumn term"           # optional

    [[pairings]]
    name = "depth 4 against 2"
    a = "minimax(depth=4)"
    b = "minimax(depth=2)"
    games = 100
    size = 6                                       # default 8
    variant = "standard"                           # default
    openings = "random(6)"                         # default

    [[printed]]                                    # optional: a number from elsewhere
    pairing = "depth 4 against 2"
    measure = "wins"                               # or points, discs, opposing discs, nodes per move, seconds per move
    value = 0.8
    games = 50                                     # behind that number

    [[claims]]                                     # optional: is the first above the second?
    text = "Depth 4 beats depth 2"
    above = ["depth 4 against 2"]                  # wins above one half; with two names: wins of the first above

An unknown key is an error.
"""

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from outflank.board import Rules
from outflank.errors import BadSpec
from outflank.report.document import Table
from outflank.schema import suggestion
from outflank.studies.measure import Measured, above, beyond, mean, share
from outflank.studies.results import Played, Results
from outflank.studies.study import Claim, Finding, Pairing, PaperTable, Printed, Study
from outflank.studies.words import evidence, shown

_TEXT, _WHOLE, _NUMBER, _LIST = (str,), (int,), (int, float), (list,)
_WORDS = {_TEXT: "a text", _WHOLE: "a whole number", _NUMBER: "a number", _LIST: "a list; tables begin with [[name]]"}
_STUDY = {"title": _TEXT, "summary": _TEXT, "citation": _TEXT, "pairings": _LIST, "printed": _LIST, "claims": _LIST}
_PAIRING = {
    "name": _TEXT,
    "a": _TEXT,
    "b": _TEXT,
    "games": _WHOLE,
    "size": _WHOLE,
    "variant": _TEXT,
    "openings": _TEXT,
    "quick": _WHOLE,
}
_PRINTED = {"pairing": _TEXT, "measure": _TEXT, "value": _NUMBER, "games": _WHOLE, "spread": _NUMBER, "source": _TEXT}
_CLAIM = {"text": _TEXT, "above": _LIST, "source": _TEXT}


def _per_move(what: str) -> Callable[[Played], float]:
    return lambda game: float(getattr(game.effort(), what)) / max(1, game.effort().moves)


MEASURES: dict[str, Callable[[Sequence[Played]], Measured | None]] = {
    "wins": lambda games: share([game.won for game in games]),
    "points": lambda games: mean([game.points for game in games]),
    "discs": lambda games: mean([game.own for game in games]),
    "opposing discs": lambda games: mean([game.opposing for game in games]),
    "nodes per move": lambda games: mean([_per_move("nodes")(game) for game in games]),
    "seconds per move": lambda games: mean([_per_move("seconds")(game) for game in games], "speed"),
}
"""What can be measured of the games of a pairing, from the view of its first agent."""


def read_study(path: Path) -> Study:
    """The study of a file."""
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadSpec(
            f"there is no file {path}; expected a study in TOML (outflank reproduce has the papers)"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSpec(f"{path} is not TOML: {error}") from None
    return study_from(settings, path.stem, str(path))


def study_from(settings: Mapping[str, Any], name: str, where: str = "study") -> Study:
    """The study that settings describe.

    >>> pairing = {"name": "m", "a": "greedy", "b": "random", "games": 10}
    >>> study_from({"title": "Greed", "pairings": [pairing]}, "greed").pairings[0].rules
    Rules(size=8, variant='standard')
    """
    _check(settings, _STUDY, ("title", "pairings"), where)
    pairings = tuple(_pairing(one, f"{where}, pairing {i}") for i, one in enumerate(settings["pairings"], start=1))
    names = [pairing.name for pairing in pairings]
    printed = [
        _printed(one, names, f"{where}, printed {i}") for i, one in enumerate(settings.get("printed", []), start=1)
    ]
    if len({(cell.row, cell.column) for cell in printed}) < len(printed):
        raise BadSpec(f"{where}: one measure of a pairing is given twice in [[printed]]; expected each once")
    claims = [_claim(one, names, f"{where}, claim {i}") for i, one in enumerate(settings.get("claims", []), start=1)]
    return Study(
        name=name,
        title=settings["title"],
        citation=settings.get("citation", ""),
        summary=settings.get("summary", ""),
        pairings=pairings,
        paper_tables=(PaperTable("Numbers", "Numbers to compare with", _measured),) if printed else (),
        printed=tuple(printed),
        claims=tuple(claims),
        tables=lambda results: (_overview(names, results),),
    )


def _check(given: Any, known: Mapping[str, tuple[type, ...]], needed: Sequence[str], where: str) -> None:
    if not isinstance(given, Mapping):
        raise BadSpec(f"{where}: {given!r} is no table; expected keys such as {', '.join(known)}")
    for key, value in given.items():
        if key not in known:
            raise BadSpec(
                f"{where}: key {key!r} is not known{suggestion(key, known)}; expected some of: {', '.join(known)}"
            )
        if not isinstance(value, known[key]) or isinstance(value, bool):
            raise BadSpec(f"{where}: {key} = {value!r} is not possible; expected {_WORDS[known[key]]}")
        if value in ("", []):
            raise BadSpec(f"{where}: {key} is empty; expected {_WORDS[known[key]]}")
    missing = [key for key in needed if key not in given]
    if missing:
        raise BadSpec(f"{where}: {', '.join(missing)} missing")


def _pairing(given: Any, where: str) -> Pairing:
    _check(given, _PAIRING, ("name", "a", "b", "games"), where)
    if given["games"] < 1 or given.get("quick", 1) < 1:
        raise BadSpec(f"{where}: {given['games']} games are not possible; expected 1 or more")
    return Pairing(
        given["name"],
        given["a"],
        given["b"],
        given["games"],
        Rules(given.get("size", 8), given.get("variant", "standard")),
        given.get("openings", "random(6)"),
        given.get("quick", 0),
    )


def _printed(given: Any, pairings: Sequence[str], where: str) -> Printed:
    _check(given, _PRINTED, ("pairing", "measure", "value"), where)
    _among(given["pairing"], pairings, where)
    _among(given["measure"], list(MEASURES), where)
    if given["measure"] == "wins" and ("games" not in given or not 0 <= given["value"] <= 1):
        raise BadSpec(f"{where}: a share of wins needs `games` behind it and a value from 0 to 1, such as 0.8 for 80 %")
    if not math.isfinite(given["value"]) or given["value"] < 0:
        raise BadSpec(f"{where}: value = {given['value']} is not possible; expected 0 or more")
    if given.get("games", 1) < 1 or not 0 < given.get("spread", 1) < math.inf:
        raise BadSpec(f"{where}: games and spread must be above 0, or left out")
    return Printed(
        table="Numbers",
        row=given["pairing"],
        column=given["measure"],
        printed=str(given["value"]),
        value=float(given["value"]),
        unit="share" if given["measure"] == "wins" else given["measure"],
        line=given.get("source", ""),
        games=given.get("games"),
        spread=given.get("spread"),
    )


def _claim(given: Any, pairings: Sequence[str], where: str) -> Claim:
    _check(given, _CLAIM, ("text", "above"), where)
    names = given["above"]
    if not 1 <= len(names) <= 2:
        raise BadSpec(f"{where}: above = {names!r} is not possible; expected one or two names of pairings")
    for name in names:
        _among(name, pairings, where)
    return Claim(given["text"], given.get("source", ""), lambda results: _finding(results, names))


def _among(name: Any, known: Sequence[str], where: str) -> None:
    if name not in known:
        raise BadSpec(f"{where}: {name!r} is not known; expected one of: {', '.join(known)}")


def _finding(results: Results, names: Sequence[str]) -> Finding:
    rates = [MEASURES["wins"](results[name]) for name in names]
    holds = beyond(rates[0], 0.5) if len(rates) == 1 else above(rates[0], rates[1])
    words = ", ".join(f"{name}: wins {evidence(rate)}" for name, rate in zip(names, rates, strict=True))
    return Finding(holds, words)


def _measured(results: Results, row: str, column: str) -> Measured | None:
    return MEASURES[column](results[row])


def _overview(names: Sequence[str], results: Results) -> Table:
    rows = [[name, *(shown(measure(results[name])) for measure in MEASURES.values())] for name in names]
    return Table(["pairing", *MEASURES], rows, "All measures, from the first agent's view", name="measures")
