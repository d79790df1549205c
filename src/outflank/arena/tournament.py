"""Tournaments from a TOML file: who plays whom, under which rules, limits and clocks, as a plan.

    format = "round robin"            # or "gauntlet": the first agents against all the others
    seeds = 1                         # gauntlet only: how many are the first, default 1
    agents = ["random", "minimax(depth=3)", "uct(playouts=200)"]
    sizes = [6, 8]                    # default [8]
    variants = ["standard"]           # default ["standard"]
    pairs = 10                        # pairs of games for every two agents, default 10
    openings = "random(6)"            # default
    limit = "nodes=1000"              # for every move, default none
    limits = ["nodes=100", "nodes=1000"]  # or several, each a setting of its own
    clock = "60+0.5"                  # seconds for a game and increment for a move; who oversteps it loses
    move_seconds = 2.0                # time for a move; who oversteps it loses
    stop_after = 60.0                 # stop a game when its clock shows more seconds after a move
    stop_clock = "player_total"       # which clock: player_total (default), game_total or move
    stop_rule = "majority"            # who then wins: majority of discs (default) or exceeder_loses
    seed = 1                          # default 0
    adjudicate = 0                    # empty squares at which the solver ends a game, default 0

Every board, variant and limit is a setting, in which all meet. An unknown key is an error, because a misspelled one
would change the tournament in silence.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, get_args

from outflank.agents import agent
from outflank.arena.schedule import Conditions, Plan, gauntlet, plan_pairings, round_robin
from outflank.board import Rules
from outflank.errors import BadSpec
from outflank.game import StopClock, StopRule, TimeControl
from outflank.search.limits import Limits
from outflank.spec import parse

KEYS: dict[str, type | tuple[type, ...]] = {
    "format": str,
    "seeds": int,
    "agents": list,
    "sizes": list,
    "variants": list,
    "pairs": int,
    "openings": str,
    "limit": str,
    "limits": list,
    "clock": str,
    "move_seconds": (int, float),
    "stop_after": (int, float),
    "stop_clock": str,
    "stop_rule": str,
    "seed": int,
    "adjudicate": int,
}
"""What a tournament file may say, and of which kind it is."""
_WORDS = {str: "text", int: "whole number", list: "list", (int, float): "number"}
_FORMATS = ("round robin", "gauntlet")
STOP_CLOCKS: tuple[StopClock, ...] = get_args(StopClock)
STOP_RULES: tuple[StopRule, ...] = get_args(StopRule)


def read_limits(text: str) -> Limits:
    """Limits written as `nodes=1000,seconds=0.1`; nothing is no limit.

    >>> read_limits("nodes=1000, seconds=0.1").nodes
    1000
    """
    if not text:
        return Limits()
    known = ("depth", "nodes", "playouts", "seconds")
    found: dict[str, Any] = {}
    for name, value in parse(f"limit({text})").options:
        if name not in known or isinstance(value, bool) or not isinstance(value, int | float):
            raise BadSpec(f"limit {name}={value} is not known; expected some of: {', '.join(known)}, as numbers")
        found[name] = value
    if not found:
        raise BadSpec(f"limit {text!r} says nothing; expected for example nodes=1000,seconds=0.1")
    return Limits(**found)


def read_control(settings: Mapping[str, Any]) -> TimeControl:
    """Clocks from the settings `clock`, `move_seconds`, `stop_after`, `stop_clock` and `stop_rule`.

    None is not given, and other settings are not looked at.

    >>> read_control({"clock": "60+0.5"}).increment
    0.5
    """
    given = {key: value for key, value in settings.items() if value is not None}
    for key, known in (("stop_clock", STOP_CLOCKS), ("stop_rule", STOP_RULES)):
        if given.get(key, known[0]) not in known:
            raise BadSpec(f"{key} {given[key]!r} is not known; expected one of: {', '.join(known)}")
        if key in given and "stop_after" not in given:
            raise BadSpec(f"{key} {given[key]!r} without stop_after changes nothing; expected its seconds too")
    seconds, increment = _read_clock(given.get("clock", ""))
    for key in ("move_seconds", "stop_after"):
        if key in given:
            given[key] = float(given[key])  # 60 and 60.0 are the same condition
    return TimeControl(
        move_seconds=given.get("move_seconds"),
        game_seconds=seconds,
        increment=increment,
        stop_after=given.get("stop_after"),
        stop_clock=given.get("stop_clock", STOP_CLOCKS[0]),
        stop_rule=given.get("stop_rule", STOP_RULES[0]),
    )


def _read_clock(text: str) -> tuple[float | None, float]:
    """Seconds for a game and the increment."""
    if not text:
        return None, 0.0
    seconds, _, increment = text.partition("+")
    try:
        return float(seconds), float(increment or 0)
    except ValueError:
        raise BadSpec(f"clock {text!r} is not possible; expected seconds such as 60 or 60+0.5") from None


def read_tournament(path: Path) -> Plan:
    """The plan that a file describes."""
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSpec(f"{path.name} is not TOML: {error}; expected lines such as pairs = 10") from None
    return plan_of(settings, path.name)


def plan_of(settings: Mapping[str, Any], where: str = "tournament") -> Plan:
    """The plan that settings describe.

    >>> plan_of({"agents": ["random", "greedy"], "sizes": [4], "pairs": 2, "openings": "random(2)"}).games
    4
    """
    _check_kinds(settings, where)
    pairs = settings.get("pairs", 10)
    if pairs < 1:
        raise BadSpec(f"{where}: {pairs} pairs are not possible; expected 1 or more")
    rules = [
        Rules(size, variant)
        for size in settings.get("sizes", [8])
        for variant in settings.get("variants", ["standard"])
    ]
    every = _conditions(settings, where)
    plan = plan_pairings(_pairings(settings, where), rules, pairs, settings.get("openings", "random(6)"), every[0])
    if len(every) == 1:
        return plan
    return replace(plan, pairings=tuple(replace(one, conditions=c) for c in every for one in plan.pairings))


def _check_kinds(settings: Mapping[str, Any], where: str) -> None:
    for key, value in settings.items():
        if key not in KEYS:
            close = get_close_matches(key, KEYS, n=1)
            hint = f", did you mean {close[0]}?" if close else ""
            raise BadSpec(f"{where}: {key!r} is not known{hint}; expected some of: {', '.join(KEYS)}")
        if not isinstance(value, KEYS[key]) or isinstance(value, bool):
            raise BadSpec(f"{where}: {key} = {value!r} is no {_WORDS[KEYS[key]]}; expected one")


def _pairings(settings: Mapping[str, Any], where: str) -> list[tuple[str, str]]:
    """Who plays whom."""
    agents = [agent(text).text for text in settings.get("agents", [])]
    if len(set(agents)) < max(2, len(agents)):
        raise BadSpec(
            f"{where}: {len(agents)} agents, {len(set(agents))} of them different; expected two or more, all different"
        )
    kind, seeds = settings.get("format", _FORMATS[0]), settings.get("seeds")
    if kind not in _FORMATS:
        raise BadSpec(f"{where}: format {kind!r} is not known; expected one of: {', '.join(_FORMATS)}")
    if kind == "round robin":
        if seeds is not None:
            raise BadSpec(f'{where}: seeds = {seeds} is for a gauntlet only; expected format = "gauntlet"')
        return round_robin(agents)
    if seeds is not None and not 1 <= seeds < len(agents):
        raise BadSpec(f"{where}: seeds = {seeds} of {len(agents)} agents; expected 1 to {len(agents) - 1}")
    return gauntlet(agents, seeds or 1)


def _conditions(settings: Mapping[str, Any], where: str) -> list[Conditions]:
    """The conditions of every limit."""
    if "limit" in settings and "limits" in settings:
        raise BadSpec(f"{where}: limit and limits; expected one of the two")
    texts = settings.get("limits", [settings.get("limit", "")])
    if not texts or not all(isinstance(text, str) for text in texts):
        raise BadSpec(f'{where}: limits = {texts!r}; expected texts such as ["nodes=1000", "nodes=10000"]')
    limits = [read_limits(text) for text in texts]
    if len(set(limits)) < len(limits):
        raise BadSpec(f"{where}: limits = {texts!r} names one twice; expected different ones")
    control, adjudicate, seed = read_control(settings), settings.get("adjudicate", 0), settings.get("seed", 0)
    return [Conditions(limit, control, adjudicate, seed) for limit in limits]
