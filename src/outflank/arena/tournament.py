"""Tournaments from a TOML file: who plays whom, under which rules, limits and clocks, as a plan.

`SETTINGS` says what a file may hold; docs/tournaments.md has an example and the list of keys. Every board, variant and
limit is a setting, in which all meet. An unknown key is an error, because a misspelled one would change the tournament
in silence. A Swiss system and a knockout are played in rounds (`rounds.py`), each with openings of its own.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from outflank.agents import identity
from outflank.arena.rounds import Met, Pairing, Standing, knockout_round, standings, swiss_round, usual_rounds
from outflank.arena.schedule import MOST_GAMES, Conditions, Plan, gauntlet, plan_pairings, round_robin
from outflank.arena.store import Store
from outflank.board import SIZES, VARIANTS, Rules
from outflank.bots.directory import INTERFACES, bots_in
from outflank.engines.sandbox import FENCES
from outflank.errors import BadSpec
from outflank.game_loop import StopClock, StopRule, TimeControl
from outflank.inputs import MOST_IN_AGENT, check_length, read_toml, shown
from outflank.schema import CheckedOptions, Option, Signature, choice, list_of, number, table, text, whole
from outflank.search.limits import LIMIT, Limits
from outflank.spec import Value, parse

_CLOCKS = (
    Option("clock", text(), None, "seconds for a game and increment for a move, 60+0.5; who oversteps it loses"),
    Option("move_seconds", number(0, above=True), None, "time for a move; who oversteps it loses"),
    Option("stop_after", number(0, above=True), None, "stop a game when its clock shows more seconds after a move"),
    Option("stop_clock", choice(*get_args(StopClock)), None, "which clock: of one player, of the game or of the move"),
    Option("stop_rule", choice(*get_args(StopRule)), None, "who then wins: the majority of discs, or not the exceeder"),
)
CONTROL = Signature("clocks", "the clocks of a game", _CLOCKS)
"""What says how long games may take, in files and on the command line."""

_LIMITS = tuple(option.name for option in LIMIT.options)
_FORMATS = ("round robin", "gauntlet", "swiss", "knockout")

SETTINGS = Signature(
    "tournament",
    "who plays whom, under which rules, limits and clocks",
    (
        Option("agents", list_of(text()), None, "all different, two or more together with the bots"),
        Option("bots", text(), None, "a directory, beside this file: every file or directory in it is a bot"),
        Option("interface", choice("auto", *INTERFACES), "auto", "that the bots speak; auto recognises each"),
        Option("names", table(), None, 'names of bots by their files, as in names = {ada = "Ada"}'),
        Option("memory", number(16), None, "megabytes for every bot of the directory; 512 where not said"),
        Option("sandbox", choice("auto", *FENCES), "auto", "what must hold the bots; auto is the best that works here"),
        Option("format", choice(*_FORMATS), "round robin", "all meet, the first meet the others, or rounds"),
        Option("rounds", whole(1, 1000), None, "of a Swiss system; as many as single out a winner where not said"),
        Option("seeds", whole(1), None, "gauntlet only: how many are the first; 1 where not said"),
        Option("sizes", list_of(whole(SIZES[0], SIZES[-1]), different=True), (8,), "boards"),
        Option("variants", list_of(choice(*VARIANTS), different=True), ("standard",), "games"),
        Option(
            "pairs", whole(1, MOST_GAMES // 2), 10, "pairs of games for every two agents: one opening, both colours"
        ),
        Option("openings", text(), "random(6)", "start, random(k), ply(k), balanced(k), or a file"),
        *(replace(option, meaning=f"limit of {option.name} for every move") for option in LIMIT.options),
        Option("limits", list_of(text(least=0)), None, "or several, each a setting of its own: nodes=1000,seconds=0.1"),
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


@dataclass(frozen=True)
class Tournament:
    """A tournament: who takes part, and what is played, round by round.

    >>> cup = Tournament.of({"agents": ["random", "greedy"], "sizes": [4], "pairs": 1, "format": "swiss"})
    >>> cup.games, cup.rounds
    (2, 1)
    """

    agents: tuple[str, ...]
    """Their identities, in the order of the file."""
    format: str
    rounds: int
    first: Plan
    """What is played first; everything, where there are no rounds."""
    given: CheckedOptions
    where: str

    @classmethod
    def of(cls, settings: Mapping[str, Any], where: str = "tournament", place: Path | None = None) -> "Tournament":
        """The tournament that settings describe; bots are looked for beside `place`, by default in this directory."""
        if "limit" in settings:
            raise BadSpec(f"{where}: limit is now {', '.join(_LIMITS)}; expected for example nodes = 1000")
        given = SETTINGS.read(settings, where)
        agents = _agents(given, where, place or Path())
        rounds = _rounds(given, len(agents), where)
        return cls(
            agents, given["format"], rounds, _plan(given, _first_pairings(given, agents, where), where), given, where
        )

    @property
    def in_rounds(self) -> bool:
        """Whether later pairings depend on earlier results."""
        return self.format in ("swiss", "knockout")

    @property
    def games(self) -> int:
        """Number of games in all."""
        if not self.in_rounds:
            return self.first.games
        pairings = len(self.agents) - 1 if self.format == "knockout" else self.rounds * (len(self.agents) // 2)
        return pairings * self._games_a_pairing

    @property
    def _games_a_pairing(self) -> int:
        every = len(self.given["sizes"]) * len(self.given["variants"]) * len(self.given["limits"] or ("",))
        return int(2 * self.given["pairs"] * every)

    def plans(self, store: Store) -> Iterator[Plan]:
        """What is to be played, one plan after the other; the games of one must be in the store before the next."""
        yield self.first
        played = [self.first]
        while self.in_rounds and len(played) < self.rounds:
            pairings = self._next_pairings([_met(plan, store) for plan in played])
            played.append(_plan(self.given, pairings, self.where, len(played)))
            yield played[-1]

    def _next_pairings(self, met: list[list[Met]]) -> list[Pairing]:
        if self.format == "knockout":
            return knockout_round(self.agents, met)[0]
        return swiss_round(self.agents, [one for some in met for one in some], self._byes(met))[0]

    def _byes(self, met: list[list[Met]]) -> dict[str, float]:
        """Who had a bye, with the points of it: all of a round."""
        byes: dict[str, float] = {}
        for some in met if self.format == "swiss" and len(self.agents) % 2 else ():
            playing = {agent for one in some for agent in (one.first, one.second)}
            for agent in set(self.agents) - playing:
                byes[agent] = byes.get(agent, 0.0) + self._games_a_pairing
        return byes

    def standings(self, plans: list[Plan], store: Store) -> list[Standing]:
        """Everybody after these plans, best first; in a knockout who came further is before."""
        met = [_met(plan, store) for plan in plans]
        lines = standings(self.agents, [one for some in met for one in some], self._byes(met))
        if self.format != "knockout":
            return lines
        lost = {
            one.first if one.winner == one.second else one.second: place
            for place, some in enumerate(met)
            for one in some
        }
        return sorted(lines, key=lambda line: -lost.get(line.agent, len(met)))


def open_tournament(path: Path) -> Tournament:
    """The tournament that a file describes."""
    settings = read_toml(path, "a tournament in lines such as pairs = 10")
    return Tournament.of(settings, path.name, path.parent)


def read_tournament(path: Path) -> Plan:
    """The plan that a file describes; of a tournament in rounds the first."""
    return open_tournament(path).first


def plan_of(settings: Mapping[str, Any], where: str = "tournament") -> Plan:
    """The plan that settings describe; of a tournament in rounds the first.

    >>> plan_of({"agents": ["random", "greedy"], "sizes": [4], "pairs": 2, "openings": "random(2)"}).games
    4
    """
    return Tournament.of(settings, where).first


def _met(plan: Plan, store: Store) -> list[Met]:
    """What the pairings of a round did."""
    found: dict[frozenset[str], Met] = {}
    for pairing in plan.pairings:
        found.setdefault(frozenset((pairing.first, pairing.second)), Met(pairing.first, pairing.second, 0.0, 0.0))
    for slot, points, score, *_ in store.finished(plan.slots()):
        key = frozenset((slot.black, slot.white))
        one, black = found[key], slot.black == found[key].first
        own, discs = (points, score) if black else (1 - points, -score)
        found[key] = replace(one, points=one.points + own, most=one.most + 1, score=one.score + discs)
    return list(found.values())


def _plan(given: CheckedOptions, pairings: list[Pairing], where: str, number: int = 0) -> Plan:
    """What these play in a round; every round has openings of its own."""
    rules = [Rules(size, variant) for size in given["sizes"] for variant in given["variants"]]
    every = [replace(each, seed=each.seed + number) for each in _conditions(given, where)]
    plan = plan_pairings(pairings, rules, given["pairs"], given["openings"], every[0])
    if len(every) == 1:
        return plan
    return replace(plan, pairings=tuple(replace(one, conditions=c) for c in every for one in plan.pairings))


def _agents(given: CheckedOptions, where: str, place: Path) -> tuple[str, ...]:
    """Who takes part."""
    texts = list(given["agents"] or ())
    if given["bots"] is not None:
        options: dict[str, Value] = {key: given[key] for key in ("memory",) if given[key] is not None}
        options |= {"sandbox": given["sandbox"]} if given["sandbox"] != "auto" else {}
        names = _names(given["names"] or {}, where)
        texts += bots_in(place / given["bots"], given["interface"], names, options)
    elif given["names"] or given["memory"] or given["interface"] != "auto" or given["sandbox"] != "auto":
        raise BadSpec(f"{where}: names, memory, interface and sandbox are of bots; expected bots = a directory too")
    if len(texts) < 2:
        raise BadSpec(
            f"{where}: {len(texts)} take part; expected agents = a list of two or more, or bots = a directory"
        )
    agents = tuple([identity(agent) for agent in texts])
    if len(set(agents)) < len(agents):
        raise BadSpec(f"{where}: {len(agents)} agents, {len(set(agents))} of them different; expected all different")
    return agents


def _names(table: Mapping[str, Any], where: str) -> dict[str, str]:
    for key, name in table.items():
        if not isinstance(name, str) or not 1 <= len(name) <= 60:
            raise BadSpec(
                f"{where}: names: {shown(key)} = {shown(name)} is no name; expected a text of 1 to 60 characters"
            )
    return dict(table)


def _rounds(given: CheckedOptions, agents: int, where: str) -> int:
    """Number of rounds; 1 where all is known from the beginning."""
    if given["rounds"] is not None and given["format"] != "swiss":
        raise BadSpec(f'{where}: rounds = {given["rounds"]} is for a Swiss system only; expected format = "swiss"')
    if given["format"] == "swiss":
        return int(given["rounds"] or usual_rounds(agents))
    return usual_rounds(agents) if given["format"] == "knockout" else 1


def _first_pairings(given: CheckedOptions, agents: tuple[str, ...], where: str) -> list[Pairing]:
    """Who plays whom, at first where there are rounds."""
    seeds = given["seeds"]
    if given["format"] != "gauntlet" and seeds is not None:
        raise BadSpec(f'{where}: seeds = {seeds} is for a gauntlet only; expected format = "gauntlet"')
    if given["format"] == "swiss":
        return swiss_round(agents, [], {})[0]
    if given["format"] == "knockout":
        return knockout_round(agents, [])[0]
    if given["format"] == "round robin":
        return round_robin(agents)
    if seeds is not None and seeds >= len(agents):
        raise BadSpec(f"{where}: seeds = {seeds} of {len(agents)} agents; expected 1 to {len(agents) - 1}")
    return gauntlet(agents, seeds or 1)


def _conditions(given: CheckedOptions, where: str) -> list[Conditions]:
    """The conditions of every limit."""
    one = {name: given[name] for name in _LIMITS if given[name] is not None}
    if one and given["limits"] is not None:
        raise BadSpec(f"{where}: {', '.join(one)} and limits; expected one of the two")
    limits = [Limits(**one)] if one else [read_limits(each) for each in given["limits"] or ("",)]
    if len(set(limits)) < len(limits):
        raise BadSpec(f"{where}: limits = {list(given['limits'])!r} names one twice; expected different ones")
    control = read_control(given, where)
    return [Conditions(limit, control, given["adjudicate"], given["seed"]) for limit in limits]
