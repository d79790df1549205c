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
    effect = 0.05                                  # default: what is less is no effect

An unknown key is an error.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from outflank.arena.schedule import MOST_GAMES
from outflank.arena.statistics.comparisons import Contrast
from outflank.arena.statistics.measured import Measured, mean, share
from outflank.board import Rules
from outflank.errors import BadSpec
from outflank.inputs import read_toml
from outflank.report.document import Table
from outflank.schema import Option, Signature, choice, list_of, number, table, text, whole
from outflank.studies.results import Played, Results
from outflank.studies.study import Claim, Pairing, PaperTable, Printed, Study
from outflank.studies.words import shown

STUDY = Signature(
    "study",
    "which agents play each other, and what is expected",
    (
        Option("title", text(), None, "of the report", needed=True),
        Option("summary", text(), None, "what is asked, in a sentence or two"),
        Option("citation", text(), None, "where the question comes from"),
        Option("pairings", list_of(table()), None, "two agents and their games", needed=True),
        Option("printed", list_of(table()), None, "numbers from elsewhere to compare with"),
        Option("claims", list_of(table()), None, "what is expected"),
    ),
)
PAIRING = Signature(
    "pairing",
    "two agents and their games",
    (
        Option("name", text(), None, "used by printed numbers and claims", needed=True),
        Option("a", text(), None, "an agent; every result is from its view", needed=True),
        Option("b", text(), None, "the other agent", needed=True),
        Option("games", whole(1, MOST_GAMES), None, "at --scale paper; rounded up to pairs, both colours", needed=True),
        Option("size", whole(4, 16), 8, "of the board"),
        Option("variant", text(), "standard", "or reversed"),
        Option("openings", text(), "random(6)", "start suits agents with random choices"),
        Option("quick_games", whole(1, MOST_GAMES), None, "at --scale quick; a tenth where left out"),
    ),
)


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


PRINTED = Signature(
    "printed",
    "a number from elsewhere to compare with",
    (
        Option("pairing", text(), None, "the name of a pairing", needed=True),
        Option("measure", choice(*MEASURES), None, "what is measured", needed=True),
        Option("value", number(0), None, "the number; a share of wins from 0 to 1", needed=True),
        Option("games", whole(1), None, "how many games are behind it"),
        Option("spread", number(0, above=True), None, "its standard deviation over games"),
        Option("source", text(), None, "where it stands"),
    ),
)
CLAIM = Signature(
    "claim",
    "what is expected",
    (
        Option("text", text(), None, "in words", needed=True),
        Option("above", list_of(text()), None, "one pairing that wins above half, or two", needed=True),
        Option("effect", number(0, 1), 0.05, "the smallest difference of shares that counts"),
        Option("source", text(), None, "where it comes from"),
    ),
)


def read_study(path: Path) -> Study:
    """The study of a file."""
    try:
        settings = read_toml(path, "a study such as docs/writing-a-study.md has")
    except FileNotFoundError:
        raise BadSpec(
            f"there is no file {path}; expected a study in TOML (outflank reproduce has the papers)"
        ) from None
    return study_from(settings, path.stem, str(path))


def study_from(settings: Mapping[str, Any], name: str, where: str = "study") -> Study:
    """The study that settings describe.

    >>> pairing = {"name": "m", "a": "greedy", "b": "random", "games": 10}
    >>> study_from({"title": "Greed", "pairings": [pairing]}, "greed").pairings[0].rules
    Rules(size=8, variant='standard')
    """
    given = STUDY.read(settings, where)
    pairings = tuple(_pairing(one, f"{where}, pairing {i}") for i, one in enumerate(given["pairings"], start=1))
    names = [pairing.name for pairing in pairings]
    printed = [_printed(one, names, f"{where}, printed {i}") for i, one in enumerate(given["printed"] or (), start=1)]
    if len({(cell.row, cell.column) for cell in printed}) < len(printed):
        raise BadSpec(f"{where}: one measure of a pairing is given twice in [[printed]]; expected each once")
    claims = [_claim(one, names, f"{where}, claim {i}") for i, one in enumerate(given["claims"] or (), start=1)]
    return Study(
        name=name,
        title=given["title"],
        citation=given["citation"] or "",
        summary=given["summary"] or "",
        pairings=pairings,
        paper_tables=(PaperTable("Numbers", "Numbers to compare with", _measured),) if printed else (),
        printed=tuple(printed),
        claims=tuple(claims),
        tables=lambda results: (_overview(names, results),),
    )


def _pairing(settings: Any, where: str) -> Pairing:
    given = PAIRING.read(settings, where)
    rules = Rules(given["size"], given["variant"])
    quick = given["quick_games"] or 0
    return Pairing(given["name"], given["a"], given["b"], given["games"], rules, given["openings"], quick)


def _printed(settings: Any, pairings: Sequence[str], where: str) -> Printed:
    given = PRINTED.read(settings, where)
    _among(given["pairing"], pairings, where)
    share_of_wins = given["measure"] == "wins"
    if share_of_wins and (given["games"] is None or given["value"] > 1):
        raise BadSpec(f"{where}: a share of wins needs `games` behind it and a value from 0 to 1, such as 0.8 for 80 %")
    return Printed(
        table="Numbers",
        row=given["pairing"],
        column=given["measure"],
        printed=str(given["value"]),
        value=float(given["value"]),
        unit="share" if share_of_wins else given["measure"],
        line=given["source"] or "",
        games=given["games"],
        spread=given["spread"],
    )


def _claim(settings: Any, pairings: Sequence[str], where: str) -> Claim:
    given = CLAIM.read(settings, where)
    names = given["above"]
    if len(names) > 2:
        raise BadSpec(f"{where}: above = {list(names)!r} is not possible; expected one or two names of pairings")
    for name in names:
        _among(name, pairings, where)
    return Claim(given["text"], given["source"] or "", lambda results: _contrasts(results, names, given["effect"]))


def _among(name: Any, known: Sequence[str], where: str) -> None:
    if name not in known:
        raise BadSpec(f"{where}: {name!r} is not known; expected one of: {', '.join(known)}")


def _contrasts(results: Results, names: Sequence[str], effect: float) -> list[Contrast]:
    rates = [MEASURES["wins"](results[name]) for name in names]
    second = 0.5 if len(rates) == 1 else rates[1]
    return [Contrast(f"wins, {' over '.join(names)}", rates[0], second, effect=effect)]


def _measured(results: Results, row: str, column: str) -> Measured | None:
    return MEASURES[column](results[row])


def _overview(names: Sequence[str], results: Results) -> Table:
    rows = [[name, *(shown(measure(results[name])) for measure in MEASURES.values())] for name in names]
    return Table(["pairing", *MEASURES], rows, "All measures, from the first agent's view", name="measures")
