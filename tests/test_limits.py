"""Limits hold for every search, and a search that one stops says what it really did."""

import itertools

import pytest

from outflank.agents import agent
from outflank.agents.kinds import KINDS
from outflank.agents.players import SolverPlayer
from outflank.board import Position, Rules
from outflank.kernels.jit import INTERPRETED
from outflank.search.clock import Clock, stoppable
from outflank.search.decision import Decision
from outflank.search.limits import Limits
from outflank.search.montecarlo import FlatMonteCarlo
from outflank.search.policy import PlayoutPolicy
from outflank.search.solver import solve
from test_solver import played

MIDDLE = played(Rules(8), 34, 2)
LATE = played(Rules(8), 20, 2)
LARGE = played(Rules(12), 100, 2)
SMALL = played(Rules(6), 10, 2)

A_LAST_SUBTREE = 250
"""More nodes than a position of six empty squares takes here."""


def unit(text: str, position: Position) -> int:
    """Nodes of the smallest piece of work that an agent does not leave half done."""
    first_ply = 2 + len(position.moves)
    playout = position.empties + len(position.moves)
    units = {"minimax": max(first_ply, 30), "montecarlo": playout, "uct": playout, "solver": A_LAST_SUBTREE}
    work = units[text.partition("(")[0]] * (8 if "leaf_playouts" in text or "leaves" in text else 1)
    return work + (A_LAST_SUBTREE if "endgame" in text else 0)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "minimax(depth=9)",
            "minimax(depth=9, search=pvs, order=mobility, hash_mb=1)",
            "minimax(depth=9, endgame=20)",
        ),
        *("montecarlo(playouts=10000)", "montecarlo(playouts=10000, playout=own_heuristic)"),
        *("montecarlo(playouts=10000, playout=cutoff)", "uct(playouts=100000)", "uct(playouts=100000, expand=all)"),
        *(
            "uct(playouts=100000, leaves=8)",
            "uct(playouts=100000, leaf_playouts=8)",
            "uct(playouts=100000, endgame=20)",
            "solver",
            "solver(by=wdl)",
        ),
    ],
)
def test_limits_of_nodes_hold_for_every_search(text: str) -> None:
    for position in (SMALL, LATE) if INTERPRETED else (Position.start(), MIDDLE, LATE, LARGE, SMALL):
        for nodes in (1, 10, 100, 1000) if INTERPRETED else (1, 10, 100, 1000, 3000, 10_000, 100_000):
            decision = agent(text).choose(position, Limits(nodes=nodes), seed=1)
            assert decision.move in position.moves
            assert 0 < decision.nodes <= max(1.01 * nodes, nodes + unit(text, position)), (position, nodes)
            assert decision.finished or decision.nodes >= min(nodes, 1000) // 2, "what is allowed is used"


@pytest.mark.parametrize(
    "text", ["montecarlo(playouts=10000)", "uct(playouts=10000)", "uct(leaf_playouts=8)", "uct(leaves=8)"]
)
def test_limits_of_playouts_hold(text: str) -> None:
    for playouts in (1, 3, 10, 100, 1000)[: 4 if INTERPRETED else None]:
        decision = agent(text).choose(MIDDLE, Limits(playouts=playouts), seed=1)
        assert 0 < decision.playouts <= max(playouts, 8 if "leaf" in text else 1)


def test_a_solver_that_does_not_finish_leaves_the_player_half_of_the_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    spent: list[int] = []
    whole = SolverPlayer.choose

    def recorded(solver: SolverPlayer, position: Position, limits: Limits, seed: int) -> Decision:
        decision = whole(solver, position, limits, seed)
        spent.append(decision.nodes)
        return decision

    monkeypatch.setattr(SolverPlayer, "choose", recorded)
    decision = agent("minimax(depth=9, endgame=20)").choose(LATE, Limits(nodes=1000))
    assert 500 <= spent[0] <= 500 + A_LAST_SUBTREE and not decision.finished
    assert spent[0] < decision.nodes <= 1010 + A_LAST_SUBTREE, "the nodes of both are told"


# --- flat Monte Carlo -------------------------------------------------------------------------------------


def test_the_moves_of_flat_monte_carlo_take_turns() -> None:
    """Whenever a limit or whoever started it stops it, every move has been played out equally often."""
    player = agent("montecarlo(playouts=100000)")
    for nodes in (1, 100, 2345, 5000):
        visits = [root.visits for root in player.choose(MIDDLE, Limits(nodes=nodes)).moves]
        assert max(visits) - min(visits) <= 1
    for asks in (1, 2, 30, 31):
        asked = itertools.count()
        with stoppable(lambda: next(asked) >= asks):  # noqa: B023  (used before the loop goes on)
            decision = player.choose(MIDDLE)
        visits = [root.visits for root in decision.moves]
        assert sum(visits) == decision.playouts and not decision.finished
        assert max(visits) - min(visits) <= 1


def test_a_move_that_was_not_played_out_is_not_chosen() -> None:
    decision = agent("montecarlo").choose(MIDDLE, Limits(nodes=1), seed=5)
    played_out = [root for root in decision.moves if root.visits]
    assert [root.move for root in played_out] == [decision.move] and decision.playouts == 1
    assert all(root.value is None and root.win_rate is None for root in decision.moves if not root.visits)
    with stoppable(lambda: True):
        stopped = agent("montecarlo").choose(MIDDLE, seed=5)
    assert {root.move: root.visits for root in stopped.moves}[stopped.move] == 1


@pytest.mark.parametrize("kind", ["uniform", "cutoff", "heuristic"])
def test_flat_monte_carlo_finds_the_same_in_any_slices(kind: str) -> None:
    """To the last bit, also of rewards that are no whole numbers, with and without a limit of nodes."""
    playouts = 150 if not INTERPRETED else 8
    for limits in (Limits(), Limits(nodes=4000 if not INTERPRETED else 300)):
        found = set()
        for rate in (1.0, 700.0, 12_345.0, 1e7):
            player = FlatMonteCarlo(playouts, PlayoutPolicy(kind), draw=0.3)
            player._rate = rate
            decision = player.choose(SMALL, limits, seed=9)
            found.add((decision.move, decision.nodes, decision.moves))
        assert len(found) == 1


def test_playouts_that_place_no_disc_come_to_an_end() -> None:
    nearly_over = Position.parse("XXXXXXXXXXXXXXO- X")
    assert FlatMonteCarlo(None).choose(nearly_over, Limits(nodes=1000), seed=1).nodes <= 1001


# --- the solver -------------------------------------------------------------------------------------------


def test_a_solver_stopped_between_two_searches_plays_the_move_it_has_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the first search proves that e1 and g1 win, and the order of moves begins with one that loses."""
    monkeypatch.setattr(Clock, "slice", lambda clock: 10**6)
    line = "--XXXX-XX-OOX-X-XOOXXXOOXOXXXOXXXOOOXXXXXOXOOX-OXOOOXXX-XOOXXXX- O"
    position = Position.parse(line)
    value = {move.move: move.value or 0 for move in solve(position, every_move=True).moves}
    for asks in range(4):
        asked = itertools.count()
        with stoppable(lambda: next(asked) >= asks):  # noqa: B023
            stopped = solve(position)
        assert stopped.move is not None and stopped.at_least <= value[stopped.move]


def test_a_limit_far_away_changes_nothing() -> None:
    for position in (SMALL, played(Rules(8), 12 if not INTERPRETED else 8, 3)):
        free, bounded = solve(position), solve(position, limits=Limits(nodes=10**12))
        assert (free.score, free.move, free.nodes, free.pv) == (bounded.score, bounded.move, bounded.nodes, bounded.pv)


@pytest.mark.parametrize("text", ["engine", "minimax", "uct"])
def test_the_usual_limits_are_those_of_agents_that_nothing_else_bounds(text: str) -> None:
    start, kind = Position.start(), KINDS[text]
    assert agent(text)._bounds(start, None) == kind.usual_limits
    assert agent(text)._bounds(start, Limits(nodes=5)) == Limits(nodes=5)
    if text != "uct":  # which would never end by its depth alone
        assert agent(f"{text}(depth=3)")._bounds(start, None) == Limits(depth=3)
        assert agent(text)._bounds(start, Limits(depth=3)) == Limits(depth=3)
    else:
        assert agent(text)._bounds(start, Limits(depth=3)).playouts == kind.usual_limits.playouts
