"""Standings, and why everybody lost: by what fault, and by which moves as the engine's review sees them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from outflank.analysis import Verdict
from outflank.arena.rounds import Standing
from outflank.arena.schedule import Plan
from outflank.arena.store import Store, players
from outflank.board import Color
from outflank.game import FAULTS, Game, Termination
from outflank.report.document import Cell, Table, Value
from outflank.report.reviews import review_game

REVIEW_DEPTH = 8
_WORST = 3


def standings_table(lines: Sequence[Standing], names: Mapping[str, str]) -> Table:
    """Everybody in order.

    >>> standings_table([Standing("A", 2, 2, 0, 14)], {"A": "Ada"}).rows
    [[1, 'Ada', '2', 2, '0', '+14']]
    """
    rows: list[list[Value]] = [
        [place, names[one.agent], f"{one.points:g}", one.games, f"{one.opposition:g}", f"{one.score:+g}"]
        for place, one in enumerate(lines, 1)
    ]
    columns = ["place", "name", "points", "games", "points of opponents", "discs"]
    return Table(columns, rows, "Standings", name="standings")


@dataclass(frozen=True)
class Fault:
    """What an agent lost games by."""

    agent: str
    kind: str
    games: int
    reason: str
    """Of the first of these games."""


def faults_of(store: Store, plans: Iterable[Plan]) -> list[Fault]:
    """Every fault of everybody in these plans, most frequent first."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    reasons: dict[tuple[str, str], str] = {}
    finished = (game for plan in plans for game in store.finished(plan.slots()))
    keys = [slot.key for slot, points, _, termination, _ in finished if termination in FAULTS and points in (0, 1)]
    for key in keys:
        for game in store.games(key=key):
            assert game.points is not None, "stores hold finished games"
            agent, kind = players(game)[int(game.points)], str(game.termination)
            counts[agent][kind] += 1
            reasons.setdefault((agent, kind), game.reason.partition(": ")[2] or game.reason)
    return [
        Fault(agent, kind, number, reasons[agent, kind])
        for agent, kinds in counts.items()
        for kind, number in kinds.most_common()
    ]


def faults_table(faults: Iterable[Fault], names: Mapping[str, str]) -> Table:
    """Who lost by what fault, and what was said of it first.

    >>> faults_table([Fault("A", "crash", 2, "ended with exit code 3")], {"A": "Ada"}).rows[0][2]
    2
    """
    rows: list[list[Value]] = []
    for one in faults:
        name = names.get(one.agent, one.agent)
        rows.append([name, Cell(one.kind, "warn"), one.games, one.reason.removeprefix(f"{name}: ")])
    return Table(["name", "lost by", "games", "the first time"], rows, "Games lost by a fault", name="faults")


@dataclass(frozen=True)
class WorstMove:
    """A move of a lost game, and what it cost."""

    agent: str
    game: Game
    verdict: Verdict


def worst_moves(games: Iterable[Game], most: int, depth: int = REVIEW_DEPTH) -> Iterator[WorstMove]:
    """The worst moves of everybody in `most` games each that were played out and lost, the largest losses first."""
    seen: Counter[str] = Counter()
    for game in games:
        if game.termination is not Termination.NORMAL or game.points not in (0.0, 1.0):
            continue
        loser = Color.WHITE if game.points else Color.BLACK
        agent = players(game)[int(loser)]
        seen[agent] += 1
        if seen[agent] <= most:
            worst = sorted(review_game(game, depth).choices(loser), key=lambda one: -one.loss)[:_WORST]
            yield from (WorstMove(agent, game, verdict) for verdict in worst if verdict.loss > 0)


def worst_table(moves: Iterable[WorstMove], names: Mapping[str, str]) -> Table:
    """The worst moves as a table."""
    rows: list[list[Value]] = []
    for one in moves:
        rules, verdict = one.game.rules, one.verdict
        assert verdict.played is not None and verdict.best is not None, "moves were made there"
        black, white = players(one.game)
        other = white if one.agent == black else black
        rows.append(
            [
                names.get(one.agent, one.agent),
                names.get(other, other),
                verdict.ply + 1,
                str(rules.move(verdict.played)),
                str(rules.move(verdict.best)),
                f"{verdict.loss:g}",
                one.game.tags.get("key", ""),
            ]
        )
    columns = ["name", "against", "move", "played", "better", "discs lost", "game"]
    return Table(columns, rows, "Why it lost: the worst moves by the engine's review", name="worst-moves")
