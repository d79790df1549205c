"""Traces are those of the compiled searches: the same values, nodes, visits, cuts and moves."""

import random
from typing import Any

import pytest

from outflank.agents import agent
from outflank.board import Position
from outflank.errors import BadSpec
from outflank.search.clock import stoppable
from outflank.tracing import Cut, Entered, FlatTrace, MinimaxTrace, Taken, UctTrace, Valued, minimax, trace
from support import every_variant


def random_position(rules: str, plies: int, seed: int) -> Position:
    """A position with a choice, after so many random moves."""
    lot = random.Random(seed)
    while True:
        position = Position.start(rules)
        for _ in range(plies):
            if position.moves:
                position = position.play(lot.choice(position.moves))
        if len(position.moves) > 1:
            return position


SEARCHES = [
    "search=plain, eval=discs",
    "eval=five_terms, order=positional",
    "eval=positional, order=worst_first, win_margin=yes",
    "eval=corners, order=mobility, pass_costs_depth=no",
    "eval=positional, order=eval, win=0",
]


@every_variant
@pytest.mark.parametrize("ways", SEARCHES)
def test_minimax_has_the_nodes_the_value_and_the_move_of_the_search(ways: str, variant: str) -> None:
    for size, plies, depth in ((4, 5, 6), (6, 14, 3), (8, 20, 2)):
        position = random_position(f"{variant} {size}x{size}", plies, len(ways) + size)
        text = f"minimax(depth={depth}, {ways})"
        found, decision = trace(text, position), agent(text).choose(position)
        assert isinstance(found, MinimaxTrace) and found.complete
        assert (found.move, found.value, found.nodes) == (decision.move, decision.value, decision.nodes), text
        check_tree(found, position, "plain" not in ways)


def check_tree(found: MinimaxTrace, position: Position, prunes: bool) -> None:
    """Every value that comes up was found below, every branch is looked at or cut, and for a reason."""
    entered = {event.node: event for event in found.events if isinstance(event, Entered)}
    values = {event.node: event.value for event in found.events if isinstance(event, Valued)}
    looked_at: dict[int, int] = {}
    for event in found.events:
        if isinstance(event, Valued) and event.terms:
            assert sum(counted * weight for counted, weight in event.terms.values()) == event.value
        elif isinstance(event, Taken):
            assert event.value == values[event.child]
            values[event.node] = event.best
            looked_at[event.node] = looked_at.get(event.node, 0) + 1
        elif isinstance(event, Cut):
            assert prunes and event.value == values[event.node]
            reached = event.value >= event.limit if entered[event.node].maximises else event.value <= event.limit
            assert reached and event.skipped
            looked_at[event.node] += len(event.skipped)
    assert values[0] == found.value
    for node, number in looked_at.items():
        assert number == len(position_of(node, entered, position).moves)


def position_of(node: int, entered: dict[int, Entered], root: Position) -> Position:
    event = entered[node]
    if event.parent is None or event.move is None:
        return root
    return position_of(event.parent, entered, root).play(event.move)


@every_variant
def test_bounds_are_true(variant: str) -> None:
    """What is known of a node after cuts, beside its value without any."""
    position = random_position(f"{variant} 6x6", 12, 3)
    plain, pruned = (trace(f"minimax(depth=4, search={search})", position) for search in ("plain", "alphabeta"))
    assert isinstance(plain, MinimaxTrace) and isinstance(pruned, MinimaxTrace)
    truth, known = values_of_lines(plain), values_of_lines(pruned)
    assert {bound for _, bound in truth.values()} == {"exact"}
    assert {bound for _, bound in known.values()} == {"exact", "at most", "at least"}
    for line in known.keys() & truth.keys():
        (value, bound), (true, _) = known[line], truth[line]
        assert {"exact": true == value, "at most": true <= value, "at least": true >= value}[bound], line


def values_of_lines(found: MinimaxTrace) -> dict[tuple[int, ...], tuple[int, str]]:
    """Value and bound of every node that is finished, by the moves that lead to it."""
    lines: dict[int, tuple[int, ...]] = {}
    values: dict[tuple[int, ...], tuple[int, str]] = {}
    for event in found.events:
        if isinstance(event, Entered):
            above = lines.get(event.parent, ()) if event.parent is not None else ()
            lines[event.node] = (*above, *([event.move] if event.move is not None else []))
        elif isinstance(event, Taken):
            values[lines[event.child]] = (event.value, event.bound)
    return values


TREES = [
    "",
    "expand=all, final=win_rate, playout=weighted",
    "backup=agent, log=layer, pass_node=leaf, draw=0, playout=own_heuristic",
    "tree=flat, log=siblings, playout=epsilon(0.3), c=0.5",
]


@every_variant
@pytest.mark.parametrize("ways", TREES)
def test_uct_has_the_visits_and_the_move_of_the_search(ways: str, variant: str) -> None:
    for size, plies in ((4, 3), (6, 12)):
        position = random_position(f"{variant} {size}x{size}", plies, len(ways))
        text = f"uct(playouts=40, memory=1, {ways})".replace(", )", ")")
        found, decision = trace(text, position, seed=size), agent(text).choose(position, seed=size)
        assert isinstance(found, UctTrace) and found.complete
        expected = {root.move: (root.visits, root.win_rate) for root in decision.moves if root.visits}
        assert {move: (n, points / n) for move, (n, points) in found.visits.items()} == expected
        assert (found.move, found.nodes) == (decision.move, decision.nodes), text
        check_simulations(found)


def check_simulations(found: UctTrace) -> None:
    """Counted again from the events alone, the formula chooses the child that was visited."""
    visits: dict[int, int] = {}
    for event in found.events:
        for scored, went in zip(event.choices, event.path[1:], strict=False):
            assert {each.node: each.visits for each in scored} == {each.node: visits[each.node] for each in scored}
            assert max(scored, key=lambda each: each.mean + each.bonus).node == went
        for node in event.path:
            visits[node] = visits.get(node, 0) + 1
    assert visits[0] == len(found.events)


@every_variant
@pytest.mark.parametrize("playout", ["uniform", "weighted", "heuristic"])
def test_flat_monte_carlo_has_the_shares_and_the_move_of_the_search(playout: str, variant: str) -> None:
    position = random_position(f"{variant} 6x6", 12, 5)
    text = f"montecarlo(playouts=12, playout={playout})"
    found, decision = trace(text, position, seed=9), agent(text).choose(position, seed=9)
    assert isinstance(found, FlatTrace) and found.complete
    assert found.shares == {root.move: root.win_rate for root in decision.moves}
    assert found.move == decision.move


def test_a_large_search_is_counted_beyond_what_is_told_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    position = Position.start("standard 6x6")
    whole = agent("minimax(depth=4)").choose(position)
    monkeypatch.setattr(minimax, "MOST_TOLD", 30)
    counted = trace("minimax(depth=4)", position)
    assert isinstance(counted, MinimaxTrace)
    assert counted.complete and counted.nodes == whole.nodes and counted.told == 30
    assert {event.node for event in counted.events} <= set(range(30))
    monkeypatch.setattr(minimax, "MOST_COUNTED", 50)
    ended = trace("minimax(depth=4)", position)
    assert isinstance(ended, MinimaxTrace) and not ended.complete and ended.nodes == 50 and ended.move is None
    with stoppable(lambda: True):
        assert not trace("uct(playouts=10)", position).complete


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("greedy", "ties=random"),
        ("random", "expected minimax, uct or montecarlo"),
        ("minimax(search=pvs)", "search=pvs"),
        ("minimax(search=bounds)", "search=bounds"),
        ("minimax(hash_mb=1)", "hash_mb"),
        ("minimax(depth=3, seconds=1)", "bounded by seconds"),
        ("minimax(eval=patterns)", "eval=patterns"),
        ("uct(leaf_playouts=4)", "leaf_playouts"),
        ("uct(leaves=4)", "leaves"),
        ("uct(playout=cutoff)", "cutoff"),
        ("montecarlo(seconds=1)", "bounded by seconds"),
        ("minimax(endgame=32)", "endgame"),
    ],
)
def test_what_cannot_be_traced_is_refused(text: str, told: str) -> None:
    with pytest.raises(BadSpec, match=told):
        trace(text, Position.start("standard 6x6"))


@pytest.mark.parametrize("given", [{"position": 7}, {"seed": "x"}, {"player": 3.5}])
def test_arguments_of_the_wrong_kind_are_refused(given: dict[str, Any]) -> None:
    usual: dict[str, Any] = {"player": "minimax", "position": Position.start("standard 4x4"), "seed": 0}
    with pytest.raises(BadSpec):
        trace(**(usual | given))
    with pytest.raises(BadSpec, match="no choice"):
        trace("minimax", Position.parse("XXXXXXXXXXXXXXX- X"))
