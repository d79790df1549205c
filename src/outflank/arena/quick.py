"""Matches and tournaments in one call, for scripts and notebooks.

They are what `outflank match` and `outflank tournament` play, with the same games, but without files unless a store is
named. Games are played in this process, so that agents of the script or notebook itself can take part as
`__main__:Name`. Workers are new processes that import the script again: a script that asks for more than one keeps its
own work under `if __name__ == "__main__":`.
"""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from outflank.agents import Agent, agent, identity, text_of
from outflank.arena.match import MatchResult, scoreboard
from outflank.arena.ratings import Ratings, collect, rate
from outflank.arena.runner import behaviour_warnings, lent, run_plan
from outflank.arena.schedule import Conditions, Plan, Slot, pairs_of, plan_match, plan_pairings, round_robin
from outflank.arena.statistics.sprt import Sprt
from outflank.arena.store import MEMORY, Store
from outflank.board import Rules
from outflank.errors import BadSpec, require
from outflank.execute import Executor, Here, Processes
from outflank.game import Game
from outflank.inputs import expect
from outflank.search.limits import Limits


class BehaviourWarning(UserWarning):
    """A store has games of agents with these texts and another behaviour, which are not used."""


def match(
    a: str | Agent | Any,
    b: str | Agent | Any,
    *,
    games: int = 100,
    rules: Rules | None = None,
    openings: str = "random(6)",
    limits: Limits | None = None,
    seed: int = 0,
    workers: int = 1,
    store: str | Path = MEMORY,
    sprt: str | Sprt | None = None,
) -> MatchResult:
    """What a match of A and B says, every opening played with both colours; from A's view.

    An agent is a text, or anything with `choose(position)`: objects play in this process and cannot be stored.
    `limits` are for every move. A store keeps the games, and the same call with it plays only what is missing; a
    `BehaviourWarning` tells of games that another behaviour of the agents played, which are not used. `sprt` ends the
    match early, when a sequential test is decided: `normalized(0, 10)` in normalised Elo, `logistic(0, 10)` in Elo,
    `bayesian(0, 10)` in BayesElo.

    >>> match("greedy", "random", games=4, rules=Rules(4), openings="random(2)").tally.games
    4
    """
    require("scipy", "statistics of matches need scipy", "arena")
    _check(games, rules, openings, limits, seed, workers, store)
    conditions = Conditions(limits or Limits(), seed=seed)
    texts, objects = _named([a, b], workers, store)
    plan = plan_match(texts[0], texts[1], rules or Rules(), games, openings, conditions)
    test = Sprt.parse(sprt) if isinstance(sprt, str) else sprt
    with Store(store) as kept, lent(objects):
        board = scoreboard(plan, kept, test)

        def on_game(slot: Slot, game: Game) -> bool:
            board.add_game(slot, game)
            return board.undecided

        _tell(plan, kept)
        if board.undecided:
            run_plan(plan, kept, _executor(workers), on_game)
        return board.result()


def tournament(
    agents: Sequence[str | Agent | Any],
    *,
    games: int = 20,
    rules: Rules | None = None,
    openings: str = "random(6)",
    limits: Limits | None = None,
    seed: int = 0,
    workers: int = 1,
    store: str | Path = MEMORY,
) -> Ratings:
    """Ratings from a round robin with so many games for every two agents.

    >>> table = tournament(["random", "greedy"], games=4, rules=Rules(4), openings="random(2)")
    >>> sorted(line.games for line in table.lines)
    [4, 4]
    """
    expect(list | tuple, agents=agents)
    texts, objects = _named(agents, workers, store)
    if len(set(texts)) < max(2, len(texts)):
        raise BadSpec(f"{len(texts)} agents, {len(set(texts))} different; expected two or more, all different")
    require("scipy", "statistics of matches need scipy", "arena")
    _check(games, rules, openings, limits, seed, workers, store)
    conditions = Conditions(limits or Limits(), seed=seed)
    plan = plan_pairings(round_robin(texts), [rules or Rules()], pairs_of(games), openings, conditions)
    with Store(store) as kept, lent(objects):
        _tell(plan, kept)
        run_plan(plan, kept, _executor(workers))
        outcomes = kept.outcomes(slot.key for slot in plan.slots())  # of one behaviour: texts tell agents apart
        return rate(collect((text_of(black), text_of(white), points, pair) for black, white, points, pair in outcomes))


def _check(
    games: object,
    rules: object,
    openings: object,
    limits: object,
    seed: object,
    workers: object,
    store: object,
) -> None:
    """Says before the first game which argument is of the wrong kind."""
    expect(int, games=games, seed=seed, workers=workers)
    expect(Rules | None, rules=rules)
    expect(str, openings=openings)
    expect(Limits | None, limits=limits)
    expect(str | Path, store=store)


def _named(ones: Sequence[Any], workers: int, store: object) -> tuple[list[str], dict[str, Agent]]:
    """The identities of agents, and those among them that are objects of this process, by the names they get here."""
    texts: list[str] = []
    objects: dict[str, Agent] = {}
    for one in ones:
        built = one if isinstance(one, str) else agent(one)
        text = built if isinstance(built, str) else built.text
        if isinstance(built, str) or not built.is_object:
            texts.append(identity(text))
            continue
        if any(one is other for other in ones[: len(texts)]):
            raise BadSpec(f"one object {text} is named twice; expected two of them, because players remember")
        if workers != 1 or store != MEMORY:
            expected = f"a text such as module:{text}, which workers and stores can know again"
            raise BadSpec(f"{text} is an object of this process; expected no store and one worker, or {expected}")
        alike = sum(name.startswith(f"{text}()") for name in objects)
        texts.append(f"{text}()" + (f" {alike + 1}" if alike else ""))
        objects[texts[-1]] = built
    return texts, objects


def _tell(plan: Plan, store: Store) -> None:
    """A `BehaviourWarning` of games of other behaviours in the store."""
    for warning in behaviour_warnings(plan, store):
        warnings.warn(warning, BehaviourWarning, stacklevel=3)


def _executor(workers: int) -> Executor:
    return Here() if workers == 1 else Processes(workers)
