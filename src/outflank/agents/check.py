"""`check_agent`: does a player keep the contract? Run in a process of its own, so that nothing it does can hang us.

The contract: in every position that is not over, of every size and variant it is meant for, `choose` returns a legal
move within the deadline, raises nothing, and returns the same move again for the same seed.
"""

import multiprocessing
import random
from collections.abc import Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection

from outflank.agents.registry import agent, is_own
from outflank.board import Position, Rules
from outflank.errors import OutflankError
from outflank.search.limits import Limits
from outflank.spec import parse

DEFAULT_RULES = tuple(Rules(size, variant) for size in (4, 6, 8, 10) for variant in ("standard", "reversed"))
_START_SECONDS = 120.0
_DEPTH = 2
_LIMITS = Limits(depth=_DEPTH, nodes=5000, playouts=50)


@dataclass(frozen=True)
class CheckReport:
    """What was tried and what was broken."""

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


def check_agent(
    text: str, rules: Iterable[Rules] = DEFAULT_RULES, positions: int = 6, seconds: float = 10.0
) -> CheckReport:
    """Tries an agent on positions of every rules, twice each with one seed, `seconds` at most for an answer.

    >>> check_agent("random", rules=[Rules(4)], positions=2).ok
    True
    """
    tasks = [position for rule in rules for position in sample_positions(rule, positions, seed=rule.size)]
    problems: list[str] = []
    decisions = 0
    context = multiprocessing.get_context("spawn")
    while tasks and len(problems) < 10:
        ours, theirs = context.Pipe()
        process = context.Process(target=_answer, args=(text, theirs, tasks), daemon=True)
        process.start()
        theirs.close()
        try:
            done, failure = _question(ours, tasks, seconds, problems)
        finally:
            process.kill()
            process.join()
            ours.close()
        decisions += done
        if not failure:
            break
        problems.append(failure)
        tasks = tasks[done // 2 + 1 :] if "cannot be built" not in failure else []
    return CheckReport(text, decisions, tuple(problems))


def _question(ours: Connection, tasks: list[Position], seconds: float, problems: list[str]) -> tuple[int, str]:
    """Asks about every position twice; (answers received, what ended the dialogue early)."""
    decisions = 0
    if not ours.poll(_START_SECONDS):
        return 0, f"cannot be built within {_START_SECONDS:.0f} s"
    built = _receive(ours)
    if built != "ready":
        return 0, f"cannot be built: {built}"
    for position in tasks:
        moves = []
        for _ in range(2):
            ours.send(position)
            if not ours.poll(seconds):
                return decisions, f"no answer within {seconds:g} s in {_where(position)}"
            move = _receive(ours)
            if isinstance(move, str):
                return decisions, f"{move} in {_where(position)}"
            if move not in position.moves:
                legal = " ".join(map(str, position.moves))
                return decisions, f"illegal move {move!r} in {_where(position)}; legal: {legal}"
            moves.append(move)
            decisions += 1
        if moves[0] != moves[1]:
            names = " and ".join(map(str, moves))
            problems.append(f"not reproducible: {names} for the same seed in {_where(position)}")
    return decisions, ""


def _receive(ours: Connection) -> object:
    try:
        return ours.recv()
    except (EOFError, OSError):
        return "the process of the player died"


def _where(position: Position) -> str:
    return f"{position.rules} {position.line()}"


def _answer(text: str, theirs: Connection, positions: list[Position]) -> None:
    """The other side of the pipe: builds the agent, compiles what it needs, and answers until it is killed."""
    try:
        player = agent(text)
        for position in positions:
            position.play(position.moves[0])  # loads what positions need: the player is timed and not we
        if not is_own(parse(text)):  # a person's player is asked under a deadline only
            for rules in {position.rules.words: position.rules for position in positions}.values():
                player.warm_up(rules)
    except OutflankError as error:
        theirs.send(str(error))
        return
    theirs.send("ready")
    while True:
        position = theirs.recv()
        player.new_game()
        try:
            theirs.send(player.choose(position, _LIMITS, seed=1).move)
        except Exception as error:  # a person's code may raise anything, and the report should say what
            theirs.send(f"raised {type(error).__name__}: {error}")
