"""`check_agent`: does a player keep the contract? It is asked in a process of its own, so that nothing can hang us.

The contract: in every position that is not over, of every size and variant it is made for, `choose` returns a legal
move within the deadline and raises nothing. A player that answers otherwise for the same seed keeps it too, because it
may draw lots or watch the clock; that is told, since its games cannot be repeated. A bot is made for the board of its
interface, an own player for the `sizes` and `variants` that it names; without a word it is tried everywhere, and what
it cannot do on boards other than 8x8 is told and is no fault.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from outflank.agents.outside import OutsidePlayer
from outflank.agents.registry import agent
from outflank.board import Position, Rules
from outflank.bots import BOTS, BotPlayer
from outflank.errors import BadSpec, EngineFailed, OutflankError
from outflank.game import Game
from outflank.inputs import expect
from outflank.schema import Option, Signature, number, whole
from outflank.search.decision import Decision
from outflank.search.limits import Limits

DEFAULT_RULES = tuple(Rules(size, variant) for size in (8, 4, 6, 10) for variant in ("standard", "reversed"))
_MOST_PROBLEMS = 10
_LIMITS = Limits(depth=2, nodes=5000, playouts=50)
_TOLD_SECONDS = 1.0
"""What a bot is told it may use: those that use all of it are asked many times."""
_USUAL_SIZE = 8
_Problem = tuple[str, str]
"""What was wrong, and in which position; no position where it was wrong everywhere."""


@dataclass(frozen=True)
class CheckReport:
    """What was tried and what was broken.

    >>> print(CheckReport("mine:Bot", 12, (), ("answers differ for the same seed",)))
    mine:Bot: keeps the contract (12 decisions)
    note: answers differ for the same seed
    """

    text: str
    decisions: int
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """What is good to know and breaks nothing."""
    output: str = ""
    """The last of what it wrote beside its answers."""

    @property
    def ok(self) -> bool:
        """Whether nothing was broken."""
        return not self.problems

    def __str__(self) -> str:
        verdict = "keeps the contract" if self.ok else "breaks the contract"
        lines = [f"{self.text}: {verdict} ({self.decisions} decisions)", *(f"- {problem}" for problem in self.problems)]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def sample_games(rules: Rules, count: int, seed: int) -> list[Game]:
    """Random games up to positions that are not over, at all stages.

    >>> [len(game) for game in sample_games(Rules(4), 3, seed=1)]
    [0, 2, 1]
    """
    rng, found = random.Random(seed), [Game(Position.start(rules))]
    while len(found) < count:
        game = found[0]
        for _ in range(rng.randrange(rules.cells - 4)):
            game = game.play(rng.choice(game.end.moves)) if game.end.moves else found[0]
        if game.end.moves:
            found.append(game)
    return found[:count]


def sample_positions(rules: Rules, count: int, seed: int) -> list[Position]:
    """The last positions of such games.

    >>> len(sample_positions(Rules(6), 5, seed=1))
    5
    """
    return [game.end for game in sample_games(rules, count, seed)]


_EFFORT = Signature(
    "effort",
    "how much a player is tried",
    (
        Option("positions", whole(1, 10_000), None, "of every rules", needed=True),
        Option("seconds", number(0, 86_400, above=True), None, "longest time for an answer", needed=True),
    ),
)


def check_agent(
    text: str, rules: Iterable[Rules] | None = None, positions: int = 6, seconds: float = 10.0
) -> CheckReport:
    """Tries an agent on positions of every rules, twice each with one seed, `seconds` at most for an answer.

    Without `rules` it is tried on boards of several sizes, and must manage those that it is made for.

    >>> check_agent("random", rules=[Rules(4)], positions=2).ok
    True
    """
    expect(str, text=text)
    expect(Iterable | None, rules=rules)
    wanted = None if rules is None else list(rules)
    for each in wanted or ():
        expect(Rules, rules=each)
    given = _EFFORT.read({"positions": positions, "seconds": seconds}, "check_agent")
    try:
        examination = _Examination(_Subject(text), given["positions"], given["seconds"])
    except OutflankError as error:
        return CheckReport(text, 0, (f"cannot be built: {error}",))
    return examination.report(text, wanted)


class _Subject:
    """Whoever is examined: a bot in its sandbox, anything else in a process of its own."""

    def __init__(self, text: str) -> None:
        self.player: OutsidePlayer | BotPlayer = OutsidePlayer(text)
        if text.partition("(")[0].strip() in BOTS:
            built = agent(text)
            assert isinstance(built.player, BotPlayer)
            self.player = built.player

    def prepare_for(self, rules: Rules) -> None:
        """Has it loaded; BadSpec where it is not made for these rules, EngineFailed where it cannot be built."""
        if isinstance(self.player, OutsidePlayer):
            self.player.prepare_for(rules)
        self.player.check_rules(rules)

    def ask(self, game: Game, seconds: float) -> Decision:
        """Its decision at the end of a game that it is new to."""
        position = game.end
        self.player.new_game()
        self.player.follow(game)
        if isinstance(self.player, OutsidePlayer):
            return self.player.ask_move(position, _LIMITS, 1, seconds)
        if len(position.moves) == 1:  # as an agent plays it, whoever it is
            return Decision(position.moves[0], position.turn)
        return self.player.choose(position, replace(_LIMITS, seconds=min(_TOLD_SECONDS, seconds)), 1)


class _Examination:
    """One subject, asked on one board after the other."""

    def __init__(self, subject: _Subject, positions: int, seconds: float) -> None:
        self.subject, self.positions, self.seconds = subject, positions, seconds
        self.decisions = 0
        self.differing = ""
        self.output = ""

    def report(self, text: str, wanted: Sequence[Rules] | None) -> CheckReport:
        """What it did on these rules, or on those it is made for."""
        problems: dict[Rules, list[_Problem]] = {}
        refused: dict[Rules, str] = {}
        try:
            for rules in DEFAULT_RULES if wanted is None else wanted:
                try:
                    self.subject.prepare_for(rules)
                except BadSpec as error:
                    refused[rules] = str(error)
                    continue
                problems[rules] = self._problems(rules, _MOST_PROBLEMS - sum(map(len, problems.values())))
                if sum(map(len, problems.values())) >= _MOST_PROBLEMS:
                    break
        except OutflankError as error:
            problems[Rules()] = [*problems.get(Rules(), []), (f"cannot be built: {error}", "")]
        finally:
            self.subject.player.close()
            self.output = self.subject.player.said
        return self._concluded(text, problems, refused, wanted)

    def _problems(self, rules: Rules, most: int) -> list[_Problem]:
        found: list[_Problem] = []
        for game in sample_games(rules, self.positions, seed=rules.size):
            found.extend(self._ask_twice(game))
            if len(found) >= most:
                break
        return found

    def _ask_twice(self, game: Game) -> Iterator[_Problem]:
        """What was wrong."""
        where = f"{game.rules} {game.end.line()}"
        moves: list[int] = []
        self.subject.prepare_for(game.rules)
        try:
            for _ in range(2):
                moves.append(self.subject.ask(game, self.seconds).move)
        except EngineFailed as error:
            yield str(error), where
        self.decisions += len(moves)
        if len(set(moves)) == 2 and not self.differing:
            self.differing = f"{moves[0]} and {moves[1]} in {where}"

    def _concluded(
        self,
        text: str,
        problems: dict[Rules, list[_Problem]],
        refused: dict[Rules, str],
        wanted: Sequence[Rules] | None,
    ) -> CheckReport:
        notes = _not_made_for(refused)
        faults = _told_once([problem for some in problems.values() for problem in some])
        if wanted is None and faults and not any(some for rules, some in problems.items() if rules.size == _USUAL_SIZE):
            elsewhere = ", ".join(
                dict.fromkeys(f"{rules.size}x{rules.size}" for rules, some in problems.items() if some)
            )
            notes.append(f"made for 8x8, where it is right; on {elsewhere} it is not: {faults[0]}")
            faults = []
        if refused and not problems:
            faults = [next(iter(refused.values()))]
        if self.differing:
            notes.append(
                f"answers differ for the same seed ({self.differing}): it draws lots or watches the clock, "
                "and its games cannot be repeated"
            )
        return CheckReport(text, self.decisions, tuple(faults), tuple(notes), self.output)


def _not_made_for(refused: dict[Rules, str]) -> list[str]:
    """A line for every reason, with all the boards that it holds for.

    >>> _not_made_for({rules: f"8x8 only, not {rules}" for rules in (Rules(4), Rules(6))})
    ['not made for standard 4x4, standard 6x6: 8x8 only']
    """
    boards: dict[str, list[str]] = {}
    for rules, why in refused.items():
        boards.setdefault(why.rpartition(", not ")[0] or why, []).append(str(rules))
    return [f"not made for {', '.join(some)}: {why}" for why, some in boards.items()]


def _told_once(problems: Sequence[_Problem]) -> list[str]:
    """A line for everything that was wrong, with the first position and how many others.

    >>> _told_once([("too late", "a"), ("too late", "b"), ("too late", "c"), ("no such move", "b")])
    ['too late, in a and 2 other positions', 'no such move, in b']
    """
    places: dict[str, list[str]] = {}
    for what, where in problems:
        places.setdefault(what, []).append(where)
    return [what + _in_places(some) for what, some in places.items()]


def _in_places(places: Sequence[str]) -> str:
    others = len(places) - 1
    first = f", in {places[0]}" if places[0] else ""
    return first + (f" and {others} other position{'s' * (others > 1)}" if others else "")
