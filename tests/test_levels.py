"""The levels: rated, those of the engine, playable on every board."""

from itertools import pairwise

import pytest

from outflank.agents import agent, canonical
from outflank.agents.levels import agent_text, levels, points_per_disc
from outflank.board import VARIANTS, Position, Rules
from outflank.errors import BadSpec
from outflank.search.limits import Limits


def test_levels_are_rated_by_games_and_rise() -> None:
    found = levels()
    assert len(found) >= 10 and found[0].text == "random"
    for rules in (Rules(size, variant) for size in (6, 8) for variant in VARIANTS):
        ratings = [level.ratings[str(rules)] for level in found]
        assert all(rated.low <= rated.rating <= rated.high and rated.games for rated in ratings)
        climbing = [rated.rating for rated in ratings[:10]]
        assert climbing[0] == 0 and climbing == sorted(climbing)
        assert all(upper.high > lower.rating for lower, upper in pairwise(ratings)), "a level is below the one before"
        told_apart = ratings[:10] if rules.size == 8 else ratings[:6]  # the best levels play 6x6 nearly perfectly
        assert all(upper.low > lower.rating for lower, upper in pairwise(told_apart))
        assert 10 < points_per_disc(rules.variant) < 200


def test_levels_are_those_of_the_engine_and_equally_strong_on_every_machine() -> None:
    engines = [canonical(f"engine(level={number})") for number in range(1, len(levels()))]
    assert [canonical(level.text) for level in levels()[1:]] == engines, "make levels rates them anew"
    for level in levels():
        for text in (level.text, level.elsewhere):
            player = agent(text)
            assert "seconds" not in player.limits.bounds and level.note
            assert not player.fallback.bounds or player.limits.bounds


@pytest.mark.parametrize("size", [4, 6, 8, 10, 16])
def test_every_level_plays_on_every_board(size: int) -> None:
    for variant in VARIANTS:
        start = Position.start(Rules(size, variant))
        for level in levels():
            player = agent(level.text_on(start.rules))
            player.check_rules(start.rules)
            assert player.choose(start, Limits(nodes=50, playouts=5)).move in start.moves


def test_a_level_of_the_engine_is_spelled_out() -> None:
    assert canonical("engine(threads=2, level=1)") == canonical(f"engine(threads=2, {levels()[1].text[7:-1]})")
    with pytest.raises(BadSpec, match="level=1 and depth are both given; expected one: level=1 is engine"):
        agent("engine(depth=3, level=1)")
    with pytest.raises(BadSpec, match="expected a whole number from 1 to"):
        agent("engine(level=0)")


def test_a_level_by_name_is_the_agent_of_the_board() -> None:
    level = levels()[-1]
    assert agent_text(level.name.upper(), Rules(8)) == level.text != agent_text(level.name, Rules(12))
