"""`check_agent`: does a player keep the contract? It is asked in a process of its own, so that nothing can hang us.

The contract: in every position that is not over, of every size and variant it is meant for, `choose` returns a legal
move within the deadline, raises nothing, and returns the same move again for the same seed.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass

from outflank.agents.outside import OutsidePlayer
from outflank.board import Position, Rules
from outflank.errors import EngineFailed, OutflankError
from outflank.inputs import expect
from outflank.schema import Option, Signature, number, whole
from outflank.search.limits import Limits

DEFAULT_RULES = tuple(Rules(size, variant) for size in (4, 6, 8, 10) for variant in ("standard", "reversed"))
_MOST_PROBLEMS = 10
_LIMITS = Limits(depth=2, nodes=5000, playouts=50)


@dataclass(frozen=True)
class CheckReport:
    """What was tried and what was broken.

    >>> print(CheckReport("mine:Bot", 12, ()))
    mine:Bot: keeps the contract (12 decisions)
    """

    text: str
    decisions: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was broken."""
        return not self.problems

    def __str__(self) -> str:
        verdict = "keeps the contract" if self.ok else "breaks the contract"
        lines = [f"{self.text}: {verdict} ({self.decisions} decisions)", *(f"- {problem}" for problem in self.problems)]
        return "\n".join(lines)


def sample_positions(rules: Rules, count: int, seed: int) -> list[Position]:
    """Positions of random games that are not over, at all stages.

    >>> len(sample_positions(Rules(6), 5, seed=1))
    5
    """
    rng, found = random.Random(seed), [Position.start(rules)]
    while len(found) < count:
        position = Position.start(rules)
        for _ in range(rng.randrange(rules.cells - 4)):
            position = position.play(rng.choice(position.moves)) if position.moves else Position.start(rules)
        if position.moves:
            found.append(position)
    return found[:count]


_EFFORT = Signature(
    "effort",
    "how much a player is tried",
    (
        Option("positions", whole(1, 10_000), None, "of every rules", needed=True),
        Option("seconds", number(0, 86_400, above=True), None, "longest time for an answer", needed=True),
    ),
)


def check_agent(
    text: str, rules: Iterable[Rules] = DEFAULT_RULES, positions: int = 6, seconds: float = 10.0
) -> CheckReport:
    """Tries an agent on positions of every rules, twice each with one seed, `seconds` at most for an answer.

    >>> check_agent("random", rules=[Rules(4)], positions=2).ok
    True
    """
    expect(str, text=text)
    expect(Iterable, rules=rules)
    rules = list(rules)
    for each in rules:
        expect(Rules, rules=each)
    given = _EFFORT.read({"positions": positions, "seconds": seconds}, "check_agent")
    positions, seconds = given["positions"], given["seconds"]
    problems: list[str] = []
    decisions = 0
    player = OutsidePlayer(text)
    try:
        for each in rules:
            player.prepare_for(each)
            for position in sample_positions(each, positions, seed=each.size):
                answers = _ask_twice(player, position, seconds, problems)
                decisions += answers
                if len(problems) >= _MOST_PROBLEMS:
                    return CheckReport(text, decisions, tuple(problems))
    except OutflankError as error:
        problems.append(f"cannot be built: {error}")
    finally:
        player.close()
    return CheckReport(text, decisions, tuple(problems))


def _ask_twice(player: OutsidePlayer, position: Position, seconds: float, problems: list[str]) -> int:
    """The number of legal answers; what was wrong is added to the problems."""
    moves: list[int] = []
    where = f"{position.rules} {position.line()}"
    player.prepare_for(position.rules)
    try:
        for _ in range(2):
            player.new_game()
            moves.append(player.ask_move(position, _LIMITS, 1, seconds).move)
    except EngineFailed as error:
        problems.append(f"{error}, in {where}")
    else:
        if moves[0] != moves[1]:
            problems.append(f"not reproducible: {moves[0]} and {moves[1]} for the same seed in {where}")
    return len(moves)
