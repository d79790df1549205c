"""What games of many agents add up to: one pass over a store, counts and nothing else.

A setting is what games have in common apart from who plays and from where: rules, limits, clocks, adjudication.
Games of different seeds are games of one setting from different openings.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from outflank.arena.ratings import ResultCounts, collect
from outflank.arena.store import players
from outflank.board import Rules
from outflank.explorer import opening_names
from outflank.game import Game, Termination

_TOLD = 4
"""Settings that a warning names."""
_BLOCK = 5000
"""Games whose openings are named at once."""
_REGULAR = (Termination.NORMAL, Termination.ADJUDICATED)


@dataclass(frozen=True, eq=False)
class Survey:
    """Counts of games; agents by their identities."""

    games: int
    results: ResultCounts
    """Of all games between different agents."""
    settings: dict[str, ResultCounts]
    """The same, setting by setting."""
    margins: dict[str, Counter[int]]
    """For every agent, how often it ended with this score."""
    endings: Counter[str]
    faults: dict[str, Counter[str]]
    """For every irregular ending, how often each agent lost by it."""
    distinct_games: int
    distinct_openings: int
    made: Counter[str]
    """What made the games: version, kernels, machine."""
    openings: dict[str, list[int]]
    """For every opening that has a name, black's scores; of the games without one under no name."""

    @property
    def itself(self) -> int:
        """Games of agents against themselves, which say nothing about strength."""
        return self.games - self.results.games


def survey(games: Iterable[Game]) -> Survey:
    """Counts everything in one pass; a million games take some 200 MB until it is done."""
    rows: dict[str, list[tuple[str, str, float, str]]] = defaultdict(list)
    margins: dict[str, Counter[int]] = defaultdict(Counter)
    endings: Counter[str] = Counter()
    faults: dict[str, Counter[str]] = defaultdict(Counter)
    made: Counter[str] = Counter()
    different: set[int] = set()
    openings: set[int] = set()
    names = _OpeningNames()
    for game in games:
        assert game.termination is not None and game.points is not None, "stores hold finished games"
        black, white = players(game)
        names.add(game)
        made[game.tags["made"]] += 1
        endings[game.termination] += 1
        different.add(hash((game.start, game.moves)))
        openings.add(hash((game.start, game.moves[: game.opening_plies])))
        if game.termination not in _REGULAR and game.points != 0.5:
            faults[game.termination][white if game.points else black] += 1
        if black != white:
            setting = setting_name(game.rules, game.tags["conditions"])
            rows[setting].append((black, white, game.points, game.tags["pair"]))
            ahead = int(game.score or 0)
            margins[black][ahead] += 1
            margins[white][-ahead] += 1
    return Survey(
        games=made.total(),
        results=collect(row for part in rows.values() for row in part),
        settings={setting: collect(rows[setting]) for setting in sorted(rows, key=_in_order)},
        margins=dict(margins),
        endings=endings,
        faults=dict(faults),
        distinct_games=len(different),
        distinct_openings=len(openings),
        made=made,
        openings=names.scores(),
    )


class _OpeningNames:
    """What became of openings that have names, looked up for many games at once."""

    def __init__(self) -> None:
        self._block: list[Game] = []
        self._scores: dict[str, list[int]] = defaultdict(list)

    def add(self, game: Game) -> None:
        """Counts a game in."""
        self._block.append(game)
        if len(self._block) >= _BLOCK:
            self.scores()

    def scores(self) -> dict[str, list[int]]:
        """Black's scores by the names of the openings."""
        for game, name in zip(self._block, opening_names(self._block), strict=True):
            self._scores[name].append(int(game.score or 0))
        self._block.clear()
        return dict(self._scores)


def _in_order(setting: str) -> list[tuple[int, str]]:
    """4x4 before 12x12."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", setting)]


@lru_cache(maxsize=1024)
def setting_name(rules: Rules, conditions: str) -> str:
    """Rules and conditions in words, without the seed.

    >>> setting_name(Rules(8), '{"adjudicate": 4, "limits": {"nodes": 100}, "seed": 3}')
    'standard 8x8, nodes=100, adjudicate=4'
    """
    facts = json.loads(conditions)
    parts = {**facts.get("limits", {}), **facts.get("control", {})}
    if facts.get("adjudicate"):
        parts["adjudicate"] = facts["adjudicate"]
    return ", ".join([str(rules), *(f"{key}={value}" for key, value in parts.items())])


def mixed(settings: Mapping[tuple[str, str], int]) -> str:
    """What to say of one rating of games under several rules or conditions; nothing where there is one setting.

    >>> mixed({("standard 8x8", '{"seed": 1}'): 40, ("reversed 8x8", '{"seed": 1}'): 2, ("standard 8x8", "{}"): 3})
    'games of 2 settings are rated together (43 of standard 8x8; 2 of reversed 8x8): strength may differ between them'
    >>> mixed({("standard 8x8", "{}"): 40})
    ''
    """
    counts: Counter[str] = Counter()
    for (rules, conditions), games in settings.items():
        counts[setting_name(Rules.parse(rules), conditions)] += games
    if len(counts) < 2:
        return ""
    most = [f"{games:,} of {name}" for name, games in counts.most_common(_TOLD)]
    told = "; ".join(most + ([f"{len(counts) - _TOLD} more"] if len(counts) > _TOLD else []))
    return f"games of {len(counts)} settings are rated together ({told}): strength may differ between them"
