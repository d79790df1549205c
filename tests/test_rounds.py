"""Swiss systems and knockouts: who meets whom, and the same again after an interruption."""

import random
from itertools import pairwise
from pathlib import Path

import pytest

from outflank.arena.rounds import Met, knockout_round, standings, swiss_round, usual_rounds
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Plan
from outflank.arena.store import Store
from outflank.arena.tournament import Tournament
from outflank.errors import BadSpec
from outflank.execute import Here


def outcome(rng: random.Random, pairing: tuple[str, str]) -> Met:
    """The player with the smaller number usually wins."""
    first, second = pairing
    luck = rng.gauss((int(second) - int(first)) / 4)
    return Met(first, second, 2 if luck > 0.5 else 0 if luck < -0.5 else 1, 2, luck)


@pytest.mark.parametrize("size", [2, 3, 5, 8, 13, 40])
def test_in_a_swiss_system_equals_meet_and_nobody_twice(size: int) -> None:
    rng, agents = random.Random(size), [str(number) for number in range(size)]
    met: list[Met] = []
    byes: dict[str, float] = {}
    for _ in range(usual_rounds(size)):
        pairings, bye = swiss_round(agents, met, byes)
        playing = [agent for pairing in pairings for agent in pairing] + ([bye] if bye else [])
        assert sorted(playing) == sorted(agents), "everybody plays or has a bye"
        if bye is not None:
            assert bye not in byes, "nobody has two byes"
            byes[bye] = 2.0
        met += [outcome(rng, pairing) for pairing in pairings]
    assert len({frozenset((one.first, one.second)) for one in met}) == len(met)
    lines = standings(agents, met, byes)
    assert sum(line.points for line in lines) == 2 * len(met) + 2 * len(byes)
    assert all(one.points >= other.points for one, other in pairwise(lines))


def test_a_swiss_system_goes_on_when_all_have_met() -> None:
    met: list[Met] = []
    for _ in range(5):
        pairings, bye = swiss_round("ABCD", met, {})
        assert len(pairings) == 2 and bye is None
        met += [Met(*pairing, 1, 2) for pairing in pairings]


@pytest.mark.parametrize("size", [2, 3, 5, 8, 13])
def test_a_knockout_ends_with_one_who_never_lost(size: int) -> None:
    rng, agents = random.Random(size), [str(number) for number in range(size)]
    rounds: list[list[Met]] = []
    left = set(agents)
    while True:
        pairings, free = knockout_round(agents, rounds)
        if not pairings:
            break
        assert {agent for pairing in pairings for agent in pairing} | set(free) == left
        rounds.append([outcome(rng, pairing) for pairing in pairings])
        left -= {one.first if one.winner == one.second else one.second for one in rounds[-1]}
    assert len(left) == 1 and len(rounds) == usual_rounds(size) and sum(map(len, rounds)) == size - 1


@pytest.mark.compiled
@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_rounds_are_played_and_worked_out_again_from_the_store(form: str, tmp_path: Path) -> None:
    agents = ["random", "greedy", "greedy(ties=first)", "minimax(depth=2)", "minimax(depth=3)"]
    cup = Tournament.of({"agents": agents, "format": form, "sizes": [4], "pairs": 1, "openings": "random(2)"})
    with Store(tmp_path / "cup.db") as store:
        plans: list[Plan] = []
        for plan in cup.plans(store):
            run_plan(plan, store, Here())
            plans.append(plan)
        lines = cup.standings(plans, store)
        played = sum(1 for _ in store.games())
    assert len(plans) == 3 and played == sum(plan.games for plan in plans) == cup.games
    assert sum(line.games for line in lines) == 2 * played
    if form == "knockout":
        assert lines[0].games == max(line.games for line in lines), "the winner met somebody to the end"
    with Store(tmp_path / "cup.db") as store:
        again = list(cup.plans(store))
        assert again == plans and not any(list(store.missing(plan.slots())) for plan in again)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"format": "knockout", "rounds": 3}, "rounds = 3 is for a Swiss system only"),
        ({"format": "swiss", "seeds": 1}, "seeds = 1 is for a gauntlet only"),
        ({"names": {"a": "Ada"}}, "expected bots = a directory too"),
        ({"agents": ["random"]}, "1 take part; expected agents = a list of two or more"),
        ({"bots": "/no/such/place"}, "is no directory"),
    ],
)
def test_settings_that_do_not_fit_are_explained(settings: dict[str, object], said: str) -> None:
    with pytest.raises(BadSpec) as refused:
        Tournament.of({"agents": ["random", "greedy"], "pairs": 1} | settings)
    assert said in str(refused.value)
