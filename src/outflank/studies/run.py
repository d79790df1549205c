"""Plays studies: one plan for all of them, one store, and only what is missing.

A scale multiplies the number of games of every pairing; a larger scale has the games of a smaller one and more, so
growing it replays nothing. Timings are kept in a file beside the store.
"""

import json
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from outflank.agents import identity
from outflank.arena.openings import read_openings
from outflank.arena.runner import run_plan
from outflank.arena.schedule import MOST_GAMES, Conditions, Plan, PlannedPairing
from outflank.arena.store import Store
from outflank.board import Color, Position
from outflank.errors import BadSpec, OutflankError
from outflank.execute import Executor, resolve
from outflank.game import Game
from outflank.studies.results import Played, Results
from outflank.studies.study import Pairing, Study

QUICK = "quick"
_SEED = 0


def read_scale(text: str) -> str | float:
    """`quick`, `paper` (1) or a factor on the papers' numbers of games.

    >>> read_scale("quick"), read_scale("paper"), read_scale("2.5")
    ('quick', 1.0, 2.5)
    """
    if text == QUICK:
        return QUICK
    try:
        factor = 1.0 if text == "paper" else float(text)
    except ValueError:
        factor = math.nan
    if not 0 < factor <= 10_000:
        raise BadSpec(f"scale {text!r} is not possible; expected quick, paper or a factor such as 0.5 or 10")
    return factor


def pairs_of(pairing: Pairing, scale: str | float) -> int:
    """Pairs of games of a pairing at a scale: at least one, both colours equally often.

    >>> [pairs_of(Pairing("m", "random", "greedy", games=6), scale) for scale in ("quick", 1.0, 3.0)]
    [1, 3, 9]
    """
    games = (pairing.quick or pairing.games / 10) if scale == QUICK else pairing.games * float(scale)
    return max(1, math.ceil(games / 2 - 1e-9))


def plan_of(studies: Sequence[Study], scale: str | float) -> Plan:
    """The games of all pairings; a pairing of two studies is played once."""
    found: dict[tuple[object, ...], PlannedPairing] = {}
    for pairing in (pairing for study in studies for pairing in study.pairings):
        planned = _planned(pairing, scale)
        key = (planned.first, planned.second, pairing.rules, pairing.openings)
        if key not in found or found[key].pairs < planned.pairs:
            found[key] = planned
    return Plan(tuple(found.values()), Conditions(seed=_SEED))


def _planned(pairing: Pairing, scale: str | float) -> PlannedPairing:
    pairs = pairs_of(pairing, scale)
    if 2 * pairs > MOST_GAMES:
        raise BadSpec(
            f"pairing {pairing.name!r}: {2 * pairs:,} games are not possible; expected at most {MOST_GAMES:,}"
        )
    try:
        openings = tuple(read_openings(pairing.openings, pairing.rules, pairs, _SEED))
        return PlannedPairing(identity(pairing.a), identity(pairing.b), pairing.rules, pairs, openings)
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
    """The samples of every timing; each is taken once for a behaviour of its agent and kept in a file."""
    taken: dict[str, list[float]] = json.loads(path.read_text()) if path.exists() else {}
    keys = {
        timing: f"{timing.name} ({scale}) of {identity(timing.agent)}" for study in studies for timing in study.timings
    }
    for timing, key in keys.items():
        if key not in taken:
            on_timing(timing.name)
            taken[key] = resolve(timing.work)(scale == QUICK)
            beside = path.with_suffix(".new")
            beside.write_text(json.dumps(taken, indent=1))
            beside.replace(path)
    return {timing.name: taken[key] for timing, key in keys.items()}


def results_of(study: Study, scale: str | float, games: dict[str, Game], timings: dict[str, list[float]]) -> Results:
    """The games of one study out of all games by key; what has not been played is left out."""
    found: dict[str, list[Played]] = defaultdict(list)
    for pairing in study.pairings:
        planned = _planned(pairing, scale)
        seen: set[str] = set()
        for slot in Plan((planned,), Conditions(seed=_SEED)).slots():
            if slot.key not in games:
                continue
            game = games[slot.key]
            # an agent that plays itself is black in the first game of a pair
            first_is_black = slot.black == planned.first if planned.first != planned.second else slot.pair not in seen
            seen.add(slot.pair)
            found[pairing.name].append(Played(game, Color.BLACK if first_is_black else Color.WHITE))
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
