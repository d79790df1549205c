"""Who plays whom, from what opening, with which colours: a pure function from a plan to slots with stable keys.

A slot's key is a hash of everything that determines its game, the behaviour of its agents too, and its seed comes from
the key: a game does not depend on order, worker or machine. Resuming is the difference between the slots and the keys a
store has; a larger plan has the slots of a smaller one and more.

What is hashed is a line of JSON. All games of a pairing share its beginning and its end, so these are made once, and a
million keys take two or three seconds.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from outflank.agents.identities import behaviour_of, text_of
from outflank.arena.openings import Opening, read_openings
from outflank.board import SIZES, Rules
from outflank.errors import BadSpec
from outflank.game_loop import TimeControl
from outflank.inputs import expect, shown
from outflank.search.limits import Limits

MOST_GAMES = 10_000_000
"""Of one plan: a million are played in a day, and every opening is in memory."""
MOST_SEED = 2**63


@dataclass(frozen=True)
class Conditions:
    """What every game of a plan has in common; part of the identity of each."""

    limits: Limits = Limits()  # noqa: RUF009
    control: TimeControl = TimeControl()  # noqa: RUF009
    adjudicate: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        expect(Limits, limits=self.limits)
        expect(TimeControl, control=self.control)
        expect(int, adjudicate=self.adjudicate, seed=self.seed)
        if not 0 <= self.adjudicate <= SIZES[-1] ** 2:
            raise BadSpec(f"adjudicate={shown(self.adjudicate)} is not possible; expected 0 or more empty squares")
        if abs(self.seed) >= MOST_SEED:
            raise BadSpec(f"seed={shown(self.seed)} is not possible; expected less than 2^63")

    @property
    def bounded(self) -> bool:
        """Whether a clock or a limit is in force: then code of a person's is asked in a process that can be killed."""
        return bool(self.limits.bounds) or self.control.has_clock

    @cached_property
    def text(self) -> str:
        """One line of JSON without what is left at its default."""
        parts = {"limits": asdict(self.limits), "control": asdict(self.control)}
        defaults = {"limits": asdict(Limits()), "control": asdict(TimeControl())}
        changed = {
            name: {key: value for key, value in part.items() if value != defaults[name][key]}
            for name, part in parts.items()
        }
        facts = {name: part for name, part in changed.items() if part}
        return json.dumps(facts | {"adjudicate": self.adjudicate, "seed": self.seed}, sort_keys=True)


class Slot(NamedTuple):
    """One game to play."""

    key: str
    rules: Rules
    black: str
    white: str
    opening: str
    """The line of the opening position."""
    opening_text: str
    pair: str
    """The same for both games of a pair: one opening, colours swapped."""
    repeat: int
    conditions: Conditions
    seed: int
    """Of the game: from its key without the behaviour of the agents, so that two behaviours meet the same chances."""


def _mask(*agents: str) -> int:
    """What the behaviours of these agents change in the keys of their games; 0 where none is told."""
    told = json.dumps([behaviour_of(agent) for agent in agents])
    return int.from_bytes(hashlib.blake2b(told.encode(), digest_size=8).digest()) if any(json.loads(told)) else 0


def _numbers(before: Sequence[object], after: Sequence[object]) -> Callable[[str, int], int]:
    """The function from (line of an opening, repeat) to the hash of the JSON list [*before, line, repeat, *after]."""
    head, tail = (json.dumps([str(part) for part in parts])[1:-1] for parts in (before, after))
    begun = hashlib.blake2b(f"[{head}, ".encode(), digest_size=8)

    def number(line: str, repeat: int) -> int:
        state = begun.copy()
        state.update(f'"{line}", "{repeat}", {tail}]'.encode())
        return int.from_bytes(state.digest())

    return number


@dataclass(frozen=True)
class PlannedPairing:
    """Two agents and the pairs of games they play."""

    first: str
    second: str
    rules: Rules
    pairs: int
    openings: tuple[Opening, ...]
    conditions: Conditions | None = None
    """Its own; None are those of the plan."""

    @property
    def repeats(self) -> int:
        """How often the most used opening is used."""
        return -(-self.pairs // len(self.openings)) if self.openings else 0

    def pair_maker(self, default: Conditions) -> Callable[[int], tuple[Slot, Slot]]:
        """The function from the number of a pair to its two games: first black, then white.

        The pair's name does not depend on which of the two is called first.
        """
        first, second, rules, conditions = self.first, self.second, self.rules, self.conditions or default
        text, (one, other) = conditions.text, map(text_of, (first, second))
        pair_mask, first_mask, second_mask = _mask(*sorted((first, second))), _mask(first, second), _mask(second, first)
        pair_number = _numbers(["pair", *sorted((one, other)), rules], [text])
        first_black = _numbers(["game", rules, one, other], [text])
        # The same agent twice: the second game needs a key of its own.
        second_black = _numbers(["game", rules, other, one], [text, "swapped"] if first == second else [text])

        def pair(number: int) -> tuple[Slot, Slot]:
            repeat, place = divmod(number, len(self.openings))
            opening, line, _ = self.openings[place]
            rest = (line, opening, f"{pair_number(line, repeat) ^ pair_mask:016x}", repeat, conditions)
            a, b = first_black(line, repeat), second_black(line, repeat)
            return (
                Slot(f"{a ^ first_mask:016x}", rules, first, second, *rest, a >> 1),
                Slot(f"{b ^ second_mask:016x}", rules, second, first, *rest, b >> 1),
            )

        return pair


@dataclass(frozen=True)
class Plan:
    """Pairings, under common conditions where they have none of their own."""

    pairings: tuple[PlannedPairing, ...]
    conditions: Conditions

    @property
    def games(self) -> int:
        """Number of games in all."""
        return sum(2 * pairing.pairs for pairing in self.pairings)

    def slots(self) -> Iterator[Slot]:
        """Every game, pair by pair, round-robin over the pairings so that all advance together."""
        most = max((pairing.pairs for pairing in self.pairings), default=0)
        makers = [(pairing.pairs, pairing.pair_maker(self.conditions)) for pairing in self.pairings]
        for number in range(most):
            for pairs, make in makers:
                if number < pairs:
                    yield from make(number)

    def warnings(self) -> list[str]:
        """What a careful person would want to know: openings that have to be used again."""
        found = []
        for pairing in self.pairings:
            if pairing.repeats > 1:
                found.append(
                    f"{pairing.rules}: {pairing.pairs} pairs from {len(pairing.openings)} different openings; "
                    f"deterministic agents will repeat games (try --openings random({min(8, pairing.rules.size)}))"
                )
        return sorted(set(found))


def plan_match(first: str, second: str, rules: Rules, games: int, openings: str, conditions: Conditions) -> Plan:
    """A match of two agents; an odd number of games is rounded up to whole pairs."""
    return plan_pairings([(first, second)], [rules], pairs_of(games), openings, conditions)


def pairs_of(games: int) -> int:
    """The pairs of so many games; an odd number is rounded up.

    >>> pairs_of(5)
    3
    """
    expect(int, games=games)
    if not 1 <= games <= MOST_GAMES:
        raise BadSpec(f"{shown(games)} games are not possible; expected 2 to {MOST_GAMES:,}")
    return -(-games // 2)


def plan_pairings(
    pairings: Sequence[tuple[str, str]], rules: Sequence[Rules], pairs: int, openings: str, conditions: Conditions
) -> Plan:
    """The same number of pairs for every two agents under every rules, all from the same openings."""
    found = []
    for rule in rules:
        chosen = tuple(read_openings(openings, rule, pairs, conditions.seed))
        if not chosen:
            raise BadSpec(f"{openings} gives no opening for {rule} that is not over; expected for example random(4)")
        found += [PlannedPairing(first, second, rule, pairs, chosen) for first, second in pairings]
    plan = Plan(tuple(found), conditions)
    if plan.games > MOST_GAMES:
        raise BadSpec(f"{plan.games:,} games are planned; expected at most {MOST_GAMES:,}")
    return plan


def round_robin(agents: Sequence[str]) -> list[tuple[str, str]]:
    """Everybody against everybody.

    >>> round_robin(["a", "b", "c"])
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    return list(combinations(agents, 2))


def gauntlet(agents: Sequence[str], seeds: int = 1) -> list[tuple[str, str]]:
    """The first `seeds` agents against all the others.

    >>> gauntlet(["a", "b", "c"])
    [('a', 'b'), ('a', 'c')]
    """
    return [(first, second) for first in agents[:seeds] for second in agents[seeds:]]
