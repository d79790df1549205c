"""Tournaments from a TOML file: who plays whom under which rules, as a plan.

    format = "round robin"            # or "gauntlet": the first agent against all the others
    agents = ["random", "minimax(depth=3)", "uct(playouts=200)"]
    sizes = [6, 8]                    # default [8]
    variants = ["standard"]           # default ["standard"]
    pairs = 10                        # pairs of games for every two agents, default 10
    openings = "random(6)"            # default
    limit = "nodes=1000"              # for every move, default none
    seed = 1                          # default 0
    adjudicate = 0                    # empty squares at which the solver ends a game, default 0

An unknown key is an error, because a misspelled one would change the tournament in silence.
"""

import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from outflank.agents import agent
from outflank.arena.schedule import Conditions, Plan, gauntlet, plan_pairings, round_robin
from outflank.board import Rules
from outflank.errors import BadSpec
from outflank.search.limits import Limits
from outflank.spec import parse

_KINDS: dict[str, type] = {
    "format": str,
    "agents": list,
    "sizes": list,
    "variants": list,
    "pairs": int,
    "openings": str,
    "limit": str,
    "seed": int,
    "adjudicate": int,
}
_FORMATS = ("round robin", "gauntlet")


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


def read_tournament(path: Path) -> Plan:
    """The plan that a file describes."""
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSpec(f"{path.name} is not TOML: {error}; expected lines such as pairs = 10") from None
    return plan_of(settings, path.name)


def plan_of(settings: dict[str, Any], where: str = "tournament") -> Plan:
    """The plan that settings describe.

    >>> plan_of({"agents": ["random", "greedy"], "sizes": [4], "pairs": 2, "openings": "random(2)"}).games
    4
    """
    for key, value in settings.items():
        if key not in _KINDS:
            close = get_close_matches(key, _KINDS, n=1)
            hint = f", did you mean {close[0]}?" if close else ""
            raise BadSpec(f"{where}: {key!r} is not known{hint}; expected some of: {', '.join(_KINDS)}")
        if not isinstance(value, _KINDS[key]) or isinstance(value, bool):
            raise BadSpec(f"{where}: {key} = {value!r} is no {_KINDS[key].__name__}; expected one")
    agents = [agent(text).text for text in settings.get("agents", [])]
    if len(set(agents)) < max(2, len(agents)):
        raise BadSpec(
            f"{where}: {len(agents)} agents, {len(set(agents))} of them different; expected two or more, all different"
        )
    kind = settings.get("format", _FORMATS[0])
    if kind not in _FORMATS:
        raise BadSpec(f"{where}: format {kind!r} is not known; expected one of: {', '.join(_FORMATS)}")
    pairs = settings.get("pairs", 10)
    if pairs < 1:
        raise BadSpec(f"{where}: {pairs} pairs are not possible; expected 1 or more")
    rules = [
        Rules(size, variant)
        for size in settings.get("sizes", [8])
        for variant in settings.get("variants", ["standard"])
    ]
    conditions = Conditions(
        limits=read_limits(settings.get("limit", "")),
        adjudicate=settings.get("adjudicate", 0),
        seed=settings.get("seed", 0),
    )
    meetings = round_robin(agents) if kind == "round robin" else gauntlet(agents)
    return plan_pairings(meetings, rules, pairs, settings.get("openings", "random(6)"), conditions)
