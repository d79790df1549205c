"""Standings, and why everybody lost: by what fault, and by which moves as the engine's review sees them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from outflank.analysis import Verdict
from outflank.arena.rounds import Standing
from outflank.arena.schedule import Plan
from outflank.arena.store import Store, players
from outflank.board import Color
from outflank.game import FAULTS, Game, Termination
from outflank.report.document import Cell, Table, Value
from outflank.report.links import FROM_REPORT, board_link
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
    game: Game | None = field(default=None, compare=False, repr=False)
    """The first of them."""

    def link(self, names: Mapping[str, str]) -> str:
        """Opens the first of these games on the board."""
        return board_link(self.game, None, called(self.game, names)) if self.game else ""

    def facts(self) -> dict[str, str | int]:
        """As plain data."""
        return {"agent": self.agent, "kind": self.kind, "games": self.games, "reason": self.reason}


def faults_of(store: Store, plans: Iterable[Plan]) -> list[Fault]:
    """Every fault of everybody in these plans, most frequent first."""
    finished = (game for plan in plans for game in store.finished(plan.slots()))
    return faults_among(
        store, ((slot.key, slot.black, slot.white, points, end) for slot, points, _, end, _ in finished)
    )


def faults_among(store: Store, results: Iterable[tuple[str, str, str, float, str]]) -> list[Fault]:
    """The same of games by key, black, white, points of black and ending; only the first of each kind is read.

    >>> with Store(":memory:") as store:
    ...     faults_among(store, [("key", "A", "B", 1.0, "normal")])
    []
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    first: dict[tuple[str, str], str] = {}
    for key, black, white, points, kind in results:
        if kind in FAULTS and points in (0, 1):
            agent = (black, white)[int(points)]
            counts[agent][kind] += 1
            first.setdefault((agent, kind), key)
    return [
        _fault(agent, kind, number, next(iter(store.games(key=first[agent, kind]))))
        for agent, kinds in counts.items()
        for kind, number in kinds.most_common()
    ]


def _fault(agent: str, kind: str, games: int, game: Game) -> Fault:
    return Fault(agent, kind, games, game.reason.partition(": ")[2] or game.reason, game)


def faults_table(faults: Iterable[Fault], names: Mapping[str, str]) -> Table:
    """Who lost by what fault, and what was said of it first.

    >>> faults_table([Fault("A", "crash", 2, "ended with exit code 3")], {"A": "Ada"}).rows[0][2]
    2
    """
    rows: list[list[Value]] = []
    for one in faults:
        name = names.get(one.agent, one.agent)
        reason = Cell(one.reason.removeprefix(f"{name}: "), link=FROM_REPORT + one.link(names) if one.game else "")
        rows.append([name, Cell(one.kind, "warn"), one.games, reason])
    return Table(["name", "lost by", "games", "the first time"], rows, "Games lost by a fault", name="faults")


def called(game: Game, names: Mapping[str, str]) -> tuple[str, str]:
    """What the players of a stored game are called."""
    black, white = players(game)
    return names.get(black, black), names.get(white, white)


@dataclass(frozen=True)
class WorstMove:
    """A move of a lost game, and what it cost."""

    agent: str
    game: Game
    verdict: Verdict
    verdicts: tuple[Verdict, ...] = field(default=(), repr=False)
    """Of the whole game."""

    def link(self, names: Mapping[str, str]) -> str:
        """Opens the game on the board before this move, with its review."""
        return board_link(self.game, self.verdict.ply, called(self.game, names), self.verdicts)


def loser_of(game: Game) -> Color | None:
    """Who lost a game that was played out; None where nobody did."""
    if game.termination is not Termination.NORMAL or game.points not in (0.0, 1.0):
        return None
    return Color.WHITE if game.points else Color.BLACK


def worst_of(game: Game, loser: Color, depth: int = REVIEW_DEPTH) -> list[WorstMove]:
    """The worst moves of the loser of one game, the largest losses first."""
    done = review_game(game, depth)
    worst = sorted(done.choices(loser), key=lambda one: -one.loss)[:_WORST]
    agent = players(game)[int(loser)]
    return [WorstMove(agent, game, verdict, done.verdicts) for verdict in worst if verdict.loss > 0]


def worst_moves(games: Iterable[Game], most: int, depth: int = REVIEW_DEPTH) -> Iterator[WorstMove]:
    """The worst moves of everybody in `most` games each that were played out and lost, the largest losses first."""
    seen: Counter[str] = Counter()
    for game in games:
        loser = loser_of(game)
        if loser is None:
            continue
        agent = players(game)[int(loser)]
        seen[agent] += 1
        if seen[agent] <= most:
            yield from worst_of(game, loser, depth)


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
                Cell(one.game.tags.get("key", ""), link=FROM_REPORT + one.link(names)),
            ]
        )
    columns = ["name", "against", "move", "played", "better", "discs lost", "game"]
    return Table(columns, rows, "Why it lost: the worst moves by the engine's review", name="worst-moves")
