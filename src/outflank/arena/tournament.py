"""Tournaments from a TOML file: who plays whom, under which rules, limits and clocks, as a plan.

`SETTINGS` says what a file may hold; docs/tournaments.md has an example and the list of keys. Every board, variant and
limit is a setting, in which all meet. An unknown key is an error, because a misspelled one would change the tournament
in silence.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from outflank.agents import identity
from outflank.arena.schedule import MOST_GAMES, Conditions, Plan, gauntlet, plan_pairings, round_robin
from outflank.board import SIZES, VARIANTS, Rules
from outflank.errors import BadSpec
from outflank.game_loop import StopClock, StopRule, TimeControl
from outflank.inputs import MOST_IN_AGENT, check_length, read_toml, shown
from outflank.schema import CheckedOptions, Option, Signature, choice, list_of, number, text, whole
from outflank.search.limits import LIMIT, Limits
from outflank.spec import parse

_CLOCKS = (
    Option("clock", text(), None, "seconds for a game and increment for a move, 60+0.5; who oversteps it loses"),
    Option("move_seconds", number(0, above=True), None, "time for a move; who oversteps it loses"),
    Option("stop_after", number(0, above=True), None, "stop a game when its clock shows more seconds after a move"),
    Option("stop_clock", choice(*get_args(StopClock)), None, "which clock: of one player, of the game or of the move"),
    Option("stop_rule", choice(*get_args(StopRule)), None, "who then wins: the majority of discs, or not the exceeder"),
)
CONTROL = Signature("clocks", "the clocks of a game", _CLOCKS)
"""What says how long games may take, in files and on the command line."""

SETTINGS = Signature(
    "tournament",
    "who plays whom, under which rules, limits and clocks",
    (
        Option("agents", list_of(text(), least=2), None, "two or more, all different", needed=True),
        Option("format", choice("round robin", "gauntlet"), "round robin", "all meet, or the first meet the others"),
        Option("seeds", whole(1), None, "gauntlet only: how many are the first; 1 where not said"),
        Option("sizes", list_of(whole(SIZES[0], SIZES[-1]), different=True), (8,), "boards"),
        Option("variants", list_of(choice(*VARIANTS), different=True), ("standard",), "games"),
        Option(
            "pairs", whole(1, MOST_GAMES // 2), 10, "pairs of games for every two agents: one opening, both colours"
        ),
        Option("openings", text(), "random(6)", "start, random(k), ply(k), balanced(k), or a file"),
        Option("limit", text(least=0), None, "for every move, such as nodes=1000,seconds=0.1"),
        Option("limits", list_of(text(least=0)), None, "or several, each a setting of its own"),
        *_CLOCKS,
        Option("seed", whole(), 0, "of openings and games"),
        Option("adjudicate", whole(0, 256), 0, "empty squares at which the solver ends a game; 0 never"),
    ),
)
"""What a tournament file may say."""


def read_limits(written: str) -> Limits:
    """Limits written as `nodes=1000,seconds=0.1`; nothing is no limit.

    >>> read_limits("nodes=1000, seconds=0.1").nodes
    1000
    """
    check_length(written, MOST_IN_AGENT, "limits")
    if not written:
        return Limits()
    call = parse(f"limit({written})")
    if call.values or not call.options:
        raise BadSpec(f"limit {shown(written)} is not understood; expected for example nodes=1000,seconds=0.1")
    return Limits(**LIMIT.fill(call))


def read_control(settings: Mapping[str, Any], where: str = "clocks") -> TimeControl:
    """Clocks from the settings `clock`, `move_seconds`, `stop_after`, `stop_clock` and `stop_rule`; None is not given.

    Other settings are not looked at.

    >>> read_control({"clock": "60+0.5"}).increment
    0.5
    """
    known = [option.name for option in CONTROL.options]
    given = CONTROL.read({key: settings[key] for key in known if key in settings}, where)
    for key in ("stop_clock", "stop_rule"):
        if given[key] and not given["stop_after"]:
            raise BadSpec(f"{where}: {key} {given[key]!r} without stop_after changes nothing; expected its seconds too")
    seconds, increment = _read_clock(given["clock"] or "")
    # 60 and 60.0 are the same condition
    times: dict[str, Any] = {key: given[key] and float(given[key]) for key in ("move_seconds", "stop_after")}
    rules: dict[str, Any] = {key: given[key] for key in ("stop_clock", "stop_rule") if given[key]}
    return TimeControl(game_seconds=seconds, increment=increment, **times, **rules)


def _read_clock(written: str) -> tuple[float | None, float]:
    """Seconds for a game and the increment."""
    if not written:
        return None, 0.0
    seconds, _, increment = written.partition("+")
    try:
        return float(seconds), float(increment or 0)
    except ValueError:
        raise BadSpec(f"clock {shown(written)} is not possible; expected seconds such as 60 or 60+0.5") from None


def read_tournament(path: Path) -> Plan:
    """The plan that a file describes."""
    return plan_of(read_toml(path, "a tournament in lines such as pairs = 10"), path.name)


def plan_of(settings: Mapping[str, Any], where: str = "tournament") -> Plan:
    """The plan that settings describe.

    >>> plan_of({"agents": ["random", "greedy"], "sizes": [4], "pairs": 2, "openings": "random(2)"}).games
    4
    """
    given = SETTINGS.read(settings, where)
    rules = [Rules(size, variant) for size in given["sizes"] for variant in given["variants"]]
    every = _conditions(given, where)
    plan = plan_pairings(_pairings(given, where), rules, given["pairs"], given["openings"], every[0])
    if len(every) == 1:
        return plan
    return replace(plan, pairings=tuple(replace(one, conditions=c) for c in every for one in plan.pairings))


def _pairings(given: CheckedOptions, where: str) -> list[tuple[str, str]]:
    """Who plays whom."""
    agents = [identity(agent) for agent in given["agents"]]
    if len(set(agents)) < len(agents):
        raise BadSpec(f"{where}: {len(agents)} agents, {len(set(agents))} of them different; expected all different")
    seeds = given["seeds"]
    if given["format"] == "round robin":
        if seeds is not None:
            raise BadSpec(f'{where}: seeds = {seeds} is for a gauntlet only; expected format = "gauntlet"')
        return round_robin(agents)
    if seeds is not None and seeds >= len(agents):
        raise BadSpec(f"{where}: seeds = {seeds} of {len(agents)} agents; expected 1 to {len(agents) - 1}")
    return gauntlet(agents, seeds or 1)


def _conditions(given: CheckedOptions, where: str) -> list[Conditions]:
    """The conditions of every limit."""
    if given["limit"] is not None and given["limits"] is not None:
        raise BadSpec(f"{where}: limit and limits; expected one of the two")
    texts = given["limits"] or (given["limit"] or "",)
    limits = [read_limits(one) for one in texts]
    if len(set(limits)) < len(limits):
        raise BadSpec(f"{where}: limits = {list(texts)!r} names one twice; expected different ones")
    control = read_control(given, where)
    return [Conditions(limit, control, given["adjudicate"], given["seed"]) for limit in limits]
