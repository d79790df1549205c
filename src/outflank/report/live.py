"""A match or a tournament as it stands, for the page that shows it while it is played.

Everything is worked out from the store, which another process may be writing to, and from what is to be played: nothing
here remembers. What only a plan knows (how many games there will be, rounds, byes, who has not played yet) is missing
where all there is is a store.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from outflank.agents.identities import text_of
from outflank.agents.names import short_names
from outflank.arena.match import Scoreboard
from outflank.arena.ratings import Ratings, ResultCounts, collect, rate, tallies
from outflank.arena.rounds import Met, Standing, standings
from outflank.arena.schedule import Plan
from outflank.arena.statistics.estimates import score, superiority
from outflank.arena.statistics.pairs import Tally
from outflank.arena.statistics.sprt import Sprt
from outflank.arena.store import Store, players
from outflank.arena.tournament import Tournament
from outflank.facts import Facts, match_facts, ratings_facts
from outflank.game import Game, Termination
from outflank.report.links import board_link
from outflank.report.lost import WorstMove, faults_among
from outflank.report.survey import mixed

MOST_PLAYERS = 64
"""Whose rows a table has; a page with more of them could not be read."""
LATEST = 8
"""Games that are listed as the latest."""
_LOST_OF_ONE = 2
"""Lost games of everybody whose worst moves are wanted."""


class Played(NamedTuple):
    """What is needed of a finished game; points and score are black's."""

    key: str
    pair: str
    black: str
    white: str
    points: float
    score: float
    ending: str


@dataclass(frozen=True)
class Event:
    """What is played into a store: a match, a tournament, or, without either, whatever is in it.

    >>> Event("a store", Path("games.db")).kind
    'store'
    """

    title: str
    store: Path
    cup: Tournament | None = None
    plan: Plan | None = None
    """Of a match."""
    sprt: Sprt | None = None

    @property
    def kind(self) -> str:
        """`match`, `tournament` or `store`."""
        return "tournament" if self.cup else "match" if self.plan else "store"

    def look(self) -> "Look":
        """The event as it stands now."""
        with Store(self.store, reading=True) as store:
            return _look(self, store)


@dataclass(frozen=True)
class Look:
    """An event at one moment."""

    facts: Facts
    """As the page is sent it."""
    names: dict[str, str]
    """What everybody is called."""
    keys: frozenset[str] | None
    """Of the games of the event that are in the store; None are all."""
    lost: tuple[str, ...]
    """Keys of lost games whose worst moves are worth a review, those to begin with first."""


def _look(event: Event, store: Store) -> Look:
    plans = _plans(event, store)
    board = Scoreboard(event.plan, event.sprt) if event.plan else None
    played = _planned(store, plans, board) if plans else _all(store)
    results = collect((one.black, one.white, one.points, one.pair) for one in played if one.black != one.white)
    ratings = rate(results, advantage=event.cup is not None)
    order = _order(event, store, plans, played, ratings)
    names = short_names([line.agent for line in order])
    keys = frozenset(one.key for one in played) if plans else None
    shown = order[:MOST_PLAYERS]
    faults = faults_among(store, ((one.key, one.black, one.white, one.points, one.ending) for one in played))
    latest = [
        game for game in store.games(order="newest", limit=8 * LATEST) if keys is None or game.tags["key"] in keys
    ]
    match = match_facts(board.result()) if board else _match(event, results)
    facts: Facts = {
        "title": event.title,
        "kind": event.kind,
        **_progress(event, plans, len(played), match),
        "players": _players(shown, names, ratings),
        "more_players": len(order) - len(shown),
        "cross": _cross([line.agent for line in shown], results),
        "match": match,
        "warnings": _warnings(event, store, ratings),
        "faults": [one.facts() | {"name": names.get(one.agent, one.agent), "link": one.link(names)} for one in faults],
        "latest": [game_line(game, names) for game in latest[:LATEST]],
    }
    return Look(facts, names, keys, _lost(played))


# --- games ----------------------------------------------------------------------------------------------------------


def _plans(event: Event, store: Store) -> list[Plan]:
    """What is played so far: of a tournament in rounds those up to the first that is not finished."""
    if event.cup is None:
        return [event.plan] if event.plan else []
    plans: list[Plan] = []
    for plan in event.cup.plans(store):
        plans.append(plan)
        if next(iter(store.missing(plan.slots())), None) is not None:
            break
    return plans


def _planned(store: Store, plans: Sequence[Plan], board: Scoreboard | None) -> list[Played]:
    """The finished games of plans; those of a match are counted too, because one pass over many keys is enough."""
    played = []
    for plan in plans:
        for slot, points, margin, ending, moves in store.finished(plan.slots()):
            played.append(Played(slot.key, slot.pair, slot.black, slot.white, points, margin, ending))
            if board is not None:
                board.add(slot, points, margin, ending, moves)
    return played


def _all(store: Store) -> list[Played]:
    return [
        Played(key, pair, black, white, points, own - others, ending)
        for key, pair, black, white, points, own, others, ending, _ in store.results()
    ]


def _lost(played: Sequence[Played]) -> tuple[str, ...]:
    """The latest games that everybody lost on the board, the latest of everybody first."""
    found: dict[str, list[str]] = {}
    for one in reversed(played):
        if one.ending == Termination.NORMAL and one.points in (0, 1) and one.black != one.white:
            keys = found.setdefault((one.black, one.white)[int(one.points)], [])
            if len(keys) < _LOST_OF_ONE:
                keys.append(one.key)
    return tuple(keys[at] for at in range(_LOST_OF_ONE) for keys in found.values() if at < len(keys))


def game_line(game: Game, names: dict[str, str]) -> Facts:
    """A game in a list: who, how it ended, and the address that opens it."""
    black, white = (names.get(who, who) for who in players(game))
    return {
        "key": game.tags["key"],
        "black": black,
        "white": white,
        "points": game.points,
        "discs": list(game.discs),
        "rules": str(game.rules),
        "ending": str(game.termination),
        "reason": game.reason,
        "link": board_link(game, None, (black, white)),
    }


def worst_line(worst: WorstMove, names: dict[str, str]) -> Facts:
    """A move that cost a game, and the address that opens the game before it."""
    verdict, rules, (black, white) = worst.verdict, worst.game.rules, players(worst.game)
    assert verdict.played is not None and verdict.best is not None, "moves were made there"
    other = white if worst.agent == black else black
    return {
        "agent": worst.agent,
        "name": names.get(worst.agent, worst.agent),
        "against": names.get(other, other),
        "move": verdict.ply + 1,
        "played": str(rules.move(verdict.played)),
        "better": str(rules.move(verdict.best)),
        "loss": round(verdict.loss, 1),
        "exact": verdict.exact,
        "link": worst.link(names),
    }


# --- how it stands --------------------------------------------------------------------------------------------------


def _order(
    event: Event, store: Store, plans: list[Plan], played: Sequence[Played], ratings: Ratings
) -> Sequence[Standing]:
    """Everybody, best first: by the standings of a tournament or a match, by ratings where there is only a store."""
    if event.cup is not None:
        return event.cup.standings(plans, store)
    agents = [line.player for line in ratings.lines]
    if event.plan is not None:
        [pairing] = event.plan.pairings
        agents = list(dict.fromkeys((pairing.first, pairing.second)))
    lines = standings(agents, _met(played))
    return lines if event.plan is not None else sorted(lines, key=lambda line: agents.index(line.agent))


def _met(played: Iterable[Played]) -> list[Met]:
    """What every two did against each other."""
    sums: dict[tuple[str, str], list[float]] = {}
    for one in played:
        first, second = sorted((one.black, one.white))
        own, margin = (one.points, one.score) if one.black == first else (1 - one.points, -one.score)
        so_far = sums.setdefault((first, second), [0.0, 0.0, 0.0])
        for at, more in enumerate((own, 1.0, margin)):
            so_far[at] += more
    return [Met(first, second, *values) for (first, second), values in sums.items() if first != second]


def _progress(event: Event, plans: list[Plan], played: int, match: Facts | None) -> Facts:
    """How far it is, and whether nothing more will be played: a sequential test may end a match early."""
    if event.cup is not None:
        planned, rounds = event.cup.games, event.cup.rounds if event.cup.in_rounds else 0
        words = {"format": event.cup.format, "round": len(plans) if rounds else 0, "rounds": rounds}
    else:
        planned, words = (event.plan.games if event.plan else 0), {"format": "", "round": 0, "rounds": 0}
    decided = (match or {}).get("sprt", {}).get("verdict") not in (None, "continue")
    return {"games": played, "planned": planned, "over": decided or 0 < planned <= played, **words}


def _players(order: Sequence[Standing], names: dict[str, str], ratings: Ratings) -> list[Facts]:
    elo = {line.player: facts for line, facts in zip(ratings.lines, ratings_facts(ratings)["ratings"], strict=True)}
    unrated = {"elo": None, "elo_interval": [None, None]}
    return [
        {"id": line.agent, "name": names[line.agent], "text": text_of(line.agent)}
        | {key: value for key, value in asdict(line).items() if key != "agent"}
        | {key: elo.get(line.agent, unrated)[key] for key in unrated}
        for line in order
    ]


def _cross(order: Sequence[str], results: ResultCounts) -> list[list[Facts | None]]:
    """What everybody did against everybody, from the view of the row."""
    found = tallies(results)
    return [[_judged(found[row, column]) if (row, column) in found else None for column in order] for row in order]


@lru_cache(maxsize=4096)
def _judged(match: Tally) -> Facts:
    """A match of two in numbers. Many in one table are alike, and each takes a millisecond to judge."""
    share = score(match.counts)
    return {
        "points": match.points,
        "games": match.games,
        "wins": match.wins,
        "draws": match.draws,
        "losses": match.losses,
        "low": share.low,
        "high": share.high,
        "los": superiority(match.counts),
    }


def _match(event: Event, results: ResultCounts) -> Facts | None:
    """What the games of two say, where there are no others."""
    if event.cup is not None or len(results.players) != 2:
        return None
    from outflank.arena.statistics.elo_scale import elo

    one, two = results.players
    match = tallies(results)[one, two]
    share, difference = score(match.counts), elo(match.counts)
    return {
        "a": text_of(one),
        "b": text_of(two),
        **{key: getattr(match, key) for key in ("games", "wins", "draws", "losses")},
        "likelihood_of_superiority": superiority(match.counts),
        "score": share.value,
        "score_interval": [share.low, share.high],
        "elo": None if difference.bounded else difference.value,
        "elo_interval": [difference.low, difference.high],
    }


def _warnings(event: Event, store: Store, ratings: Ratings) -> list[str]:
    """What a reader of the numbers must be told."""
    word = mixed(store.settings()) if event.kind == "store" else ""
    return [*([word] if word else []), *ratings.warnings]
