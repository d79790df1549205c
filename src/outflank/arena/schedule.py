"""Who plays whom, from what opening, with which colours: a pure function from a plan to slots with stable keys.

A slot's key is a hash of everything that determines its game, and its seed comes from the key: a game does not depend
on order, worker or machine. Resuming is the difference between the slots and the keys a store has; a larger plan has
the slots of a smaller one and more.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

from outflank.arena.openings import Opening, read_openings
from outflank.board import Rules
from outflank.errors import BadSpec
from outflank.game import TimeControl
from outflank.search.limits import Limits


@dataclass(frozen=True)
class Conditions:
    """What every game of a plan has in common; part of the identity of each."""

    limits: Limits = Limits()  # noqa: RUF009
    control: TimeControl = TimeControl()  # noqa: RUF009
    adjudicate: int = 0
    seed: int = 0

    @property
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


@dataclass(frozen=True)
class Slot:
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

    @property
    def seed(self) -> int:
        """The seed of the game, from its key."""
        return int(self.key, 16) >> 1


def _hash(*parts: object) -> str:
    text = json.dumps([str(part) for part in parts])
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def pair_of(
    first: str, second: str, rules: Rules, opening: Opening, repeat: int, conditions: Conditions
) -> tuple[Slot, Slot]:
    """The two games of a pair: first black, then white.

    The pair's name does not depend on which of the two is called first.
    """
    line = opening.position.line()
    pair = _hash("pair", *sorted((first, second)), rules, line, repeat, conditions.text)

    def slot(black: str, white: str) -> Slot:
        key = _hash("game", rules, black, white, line, repeat, conditions.text)
        return Slot(key, rules, black, white, line, opening.text, pair, repeat, conditions)

    if first == second:  # the same agent twice: the second game needs a key of its own
        key = _hash("game", rules, first, second, line, repeat, conditions.text, "swapped")
        return slot(first, second), Slot(key, rules, first, second, line, opening.text, pair, repeat, conditions)
    return slot(first, second), slot(second, first)


@dataclass(frozen=True)
class Pairing:
    """Two agents and the pairs of games they play."""

    first: str
    second: str
    rules: Rules
    pairs: int
    openings: tuple[Opening, ...]

    @property
    def repeats(self) -> int:
        """How often the most used opening is used."""
        return -(-self.pairs // len(self.openings)) if self.openings else 0


@dataclass(frozen=True)
class Plan:
    """Pairings under common conditions."""

    pairings: tuple[Pairing, ...]
    conditions: Conditions

    @property
    def games(self) -> int:
        """Number of games in all."""
        return sum(2 * pairing.pairs for pairing in self.pairings)

    def slots(self) -> Iterator[Slot]:
        """Every game, pair by pair, round-robin over the pairings so that all advance together."""
        most = max((pairing.pairs for pairing in self.pairings), default=0)
        for number in range(most):
            for pairing in self.pairings:
                if number < pairing.pairs:
                    opening = pairing.openings[number % len(pairing.openings)]
                    repeat = number // len(pairing.openings)
                    yield from pair_of(pairing.first, pairing.second, pairing.rules, opening, repeat, self.conditions)

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
    if games < 1:
        raise BadSpec(f"{games} games are not possible; expected 2 or more")
    return plan_pairings([(first, second)], [rules], -(-games // 2), openings, conditions)


def plan_pairings(
    pairings: Sequence[tuple[str, str]], rules: Sequence[Rules], pairs: int, openings: str, conditions: Conditions
) -> Plan:
    """The same number of pairs for every two agents under every rules, all from the same openings."""
    found = []
    for rule in rules:
        chosen = tuple(read_openings(openings, rule, pairs, conditions.seed))
        if not chosen:
            raise BadSpec(f"{openings} gives no opening for {rule} that is not over; expected for example random(4)")
        found += [Pairing(first, second, rule, pairs, chosen) for first, second in pairings]
    return Plan(tuple(found), conditions)


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
