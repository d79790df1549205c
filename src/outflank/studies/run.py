"""Plays studies: one plan for all of them, one store, and only what is missing.

There are three scales. `quick` has few games of everything; `paper` the papers' own numbers of games, and a factor
multiplies them; `large` at least 400 games of a pairing, so that only the paper's own numbers limit what can be said,
and fewer only where a game takes more than a second. A larger scale has the games of a smaller one and more, so
growing it replays nothing. Timings are kept in a file beside the store.
"""

import json
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from outflank.agents import identity
from outflank.arena.openings import read_openings
from outflank.arena.runner import run_plan
from outflank.arena.schedule import MOST_GAMES, Conditions, Plan, PlannedPairing
from outflank.arena.store import Store, cpu_name
from outflank.board import Color, Position
from outflank.errors import BadSpec, OutflankError
from outflank.execute import Executor, resolve
from outflank.studies.results import Played, Results, Views
from outflank.studies.study import Pairing, Study

QUICK, LARGE = "quick", "large"
_SEED = 0
_MANY_GAMES = 400
_FEWEST_GAMES = 12
_DEAR, _ROOM = 1.0, 24.0
"""Seconds of a game from which there are fewer at the large scale, and the seconds that these have room in."""


def read_scale(text: str) -> str | float:
    """`quick`, `large`, `paper` (1) or a factor on the papers' numbers of games.

    >>> read_scale("quick"), read_scale("paper"), read_scale("2.5")
    ('quick', 1.0, 2.5)
    """
    if text in (QUICK, LARGE):
        return text
    try:
        factor = 1.0 if text == "paper" else float(text)
    except ValueError:
        factor = math.nan
    if not 0 < factor <= 10_000:
        raise BadSpec(f"scale {text!r} is not possible; expected quick, paper, large or a factor such as 0.5 or 10")
    return factor


def pairs_of(pairing: Pairing, scale: str | float) -> int:
    """Pairs of games, one with each colour, at a scale.

    >>> pairing = Pairing("m", "random", "greedy", 25, quick=6)
    >>> [pairs_of(pairing, scale) for scale in ("quick", 0.2, 1.0, "large")]
    [3, 3, 13, 200]
    >>> pairs_of(Pairing("m", "random", "greedy", 6, seconds=3.0), "large")
    6
    """
    return max(1, math.ceil(_games_of(pairing, scale) / 2 - 1e-9))


def _games_of(pairing: Pairing, scale: str | float) -> float:
    if scale == QUICK:
        return pairing.quick or pairing.games / 10
    if scale == LARGE:
        many = _MANY_GAMES if pairing.seconds <= _DEAR else max(_FEWEST_GAMES, _ROOM / pairing.seconds)
        return max(pairing.games, pairing.large or many)
    return pairing.games * float(scale)


def plan_of(studies: Sequence[Study], scale: str | float) -> Plan:
    """The games of all pairings, those of wrong agents and other readings too; what comes twice is played once."""
    return Plan(tuple(planned for planned, _ in _once(studies, scale)), Conditions(seed=_SEED))


def _once(studies: Sequence[Study], scale: str | float) -> Iterable[tuple[PlannedPairing, Pairing]]:
    """Every two agents under the same rules once, with the most games that are asked of them."""
    found: dict[tuple[object, ...], tuple[PlannedPairing, Pairing]] = {}
    for study in studies:
        for one in (study, *study.variants()):
            for pairing in one.pairings:
                planned = _planned(pairing, scale)
                key = (*sorted((planned.first, planned.second)), pairing.rules, pairing.openings)
                if key not in found or found[key][0].pairs < planned.pairs:
                    found[key] = planned, pairing
    return found.values()


def seconds_left(studies: Sequence[Study], scale: str | float, done: Collection[str]) -> float:
    """Seconds of one core, about, that the games need which are not done yet."""
    total = 0.0
    for planned, pairing in _once(studies, scale):
        missing = sum(slot.key not in done for slot in Plan((planned,), Conditions(seed=_SEED)).slots())
        total += missing * pairing.seconds
    return total


_identity = lru_cache(maxsize=4096)(identity)
"""Read once: a plan names an agent a hundred times, and all of its games are of one behaviour."""


def _planned(pairing: Pairing, scale: str | float) -> PlannedPairing:
    pairs = pairs_of(pairing, scale)
    if 2 * pairs > MOST_GAMES:
        raise BadSpec(
            f"pairing {pairing.name!r}: {2 * pairs:,} games are not possible; expected at most {MOST_GAMES:,}"
        )
    try:
        openings = tuple(read_openings(pairing.openings, pairing.rules, pairs, _SEED))
        return PlannedPairing(_identity(pairing.a), _identity(pairing.b), pairing.rules, pairs, openings)
    except OutflankError as error:
        raise BadSpec(f"pairing {pairing.name!r}: {error}") from None


def play(
    studies: Sequence[Study],
    scale: str | float,
    store: Store,
    executor: Executor,
    on_game: Callable[[], None] = lambda: None,
) -> None:
    """Plays what the store does not have; Ctrl-C and the same call continue."""

    def after_game(*_: object) -> bool:
        on_game()
        return True

    run_plan(plan_of(studies, scale), store, executor, after_game, notes=True)


def take_timings(
    studies: Sequence[Study], scale: str | float, path: Path, on_timing: Callable[[str], None]
) -> dict[str, list[float]]:
    """The samples of every timing; each is taken once for a behaviour of its agent and a CPU, and kept in a file."""
    taken: dict[str, list[float]] = json.loads(path.read_text()) if path.exists() else {}
    keys = {
        timing: f"{timing.name} ({'quick' if scale == QUICK else 'full'}) of {identity(timing.agent)} on {cpu_name()}"
        for study in studies
        for timing in study.timings
    }
    for timing, key in keys.items():
        if key not in taken:
            on_timing(timing.name)
            taken[key] = resolve(timing.work)(scale == QUICK)
            beside = path.with_suffix(".new")
            beside.write_text(json.dumps(taken, indent=1))
            beside.replace(path)
    return {timing.name: taken[key] for timing, key in keys.items()}


def views_of(store: Store, keys: Container[str] | None = None) -> dict[str, Views]:
    """The games of a store by key, those under `keys` alone where it is given, as all studies share them."""
    games = ((game.tags["key"], game) for game in store.games())
    return {
        key: (Played(game, Color.BLACK), Played(game, Color.WHITE))
        for key, game in games
        if keys is None or key in keys
    }


def results_of(
    study: Study, scale: str | float, games: Mapping[str, Views], timings: Mapping[str, list[float]]
) -> Results:
    """The games of one study out of all games by key; what has not been played is left out."""
    found: dict[str, list[Played]] = defaultdict(list)
    for pairing in study.pairings:
        planned = _planned(pairing, scale)
        seen: set[str] = set()
        for slot in Plan((planned,), Conditions(seed=_SEED)).slots():
            if slot.key not in games:
                continue
            # an agent that plays itself is black in the first game of a pair
            first_is_black = slot.black == planned.first if planned.first != planned.second else slot.pair not in seen
            seen.add(slot.pair)
            found[pairing.name].append(games[slot.key][Color.BLACK if first_is_black else Color.WHITE])
    return Results({name: _different(played) for name, played in found.items()}, timings)


def _different(games: list[Played]) -> list[Played]:
    """Without repeated games where two agents without random choices play the same again: they are no evidence.

    Agents with random choices may repeat a game by chance; then the games of an opening differ, and all count.
    """
    groups: dict[tuple[Position, str], list[Played]] = defaultdict(list)
    for played in games:
        groups[played.start, played.game.black].append(played)
    repeated = [group for group in groups.values() if len(group) > 1]
    if repeated and all(len({played.moves for played in group}) == 1 for group in repeated):
        return [group[0] for group in groups.values()]
    return games
