"""Minimax: pruning, order, table and slices change the number of nodes, never the value or the move."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_search as slow
from outflank.agents import agent
from outflank.board import SIZES, Position, Rules, Variant
from outflank.evaluation import read_evaluation
from outflank.kernels import alphabeta
from outflank.kernels.jit import INTERPRETED
from outflank.search.clock import Clock
from outflank.search.limits import Limits
from outflank.search.minimax import ORDERS, PRUNING, MinimaxOptions, MinimaxSearch
from support import EFFORT, every_size, every_variant, from_naive


def random_position(size: int, seed: int, variant: Variant = "standard") -> tuple[naive.Board, str, Position]:
    """A position of a random game that has a square to play, at any stage."""
    rng = random.Random(seed)
    while True:
        board, side = naive.start(size), "X"
        for _ in range(rng.randrange(size * size - 6)):
            moves = naive.plies(board, side)
            if moves:
                board, side = naive.play(board, side, rng.choice(moves)), naive.OTHER[side]
        if naive.legal_moves(board, side):
            return board, side, from_naive(board, side, variant)


EVALUATIONS: dict[str, slow.Evaluate] = {
    "discs": slow.discs,
    "positional": lambda board, side: (
        10 * slow.position(board, side, slow.nested(len(board))) + 5 * slow.mobility(board, side)
    ),
    "terms(aggregation=3, stability=7)": lambda board, side: (
        3 * slow.aggregation(board, side) + 7 * slow.stability(board, side)
    ),
}


@pytest.mark.parametrize("text", EVALUATIONS)
@settings(max_examples=int(60 * EFFORT), deadline=None)
@given(
    size=st.sampled_from(SIZES),
    seed=st.integers(0, 10**6),
    depth=st.integers(1, 3),
    pass_cost=st.booleans(),
    win=st.sampled_from([0, 10**6]),
    margin=st.booleans(),
)
def test_the_value_equals_the_obvious_minimax(
    text: str, size: int, seed: int, depth: int, pass_cost: bool, win: int, margin: bool
) -> None:
    board, side, position = random_position(size, seed)
    depth = depth if size <= 6 else min(depth, 2) if size <= 10 else 1
    expected = slow.minimax(
        board, side, depth, EVALUATIONS[text], pass_cost=int(pass_cost), win=win, margin=margin and win > 0
    )
    ways = MinimaxOptions(pass_costs_depth=pass_cost, win=win, win_margin=margin)
    decision = MinimaxSearch(read_evaluation(text), ways).choose(position, Limits(depth=depth), 0)
    assert decision.value == expected


@every_variant
@every_size
def test_every_way_of_searching_finds_the_same_value_and_move(size: int, variant: Variant) -> None:
    """Plain minimax is the reference; thousands of searches over all pruning, orders and tables."""
    rounds = max(1, int((40 if size <= 8 else 12) * EFFORT))
    texts = ["discs", "positional", "five_terms"]
    for seed in range(rounds):
        _, _, position = random_position(size, 1000 * size + seed, variant)
        evaluation = read_evaluation(texts[seed % 3])
        limits = Limits(depth=(5 if size == 4 else 4 if size <= 8 else 3) - (2 if INTERPRETED else 0))
        plain = MinimaxSearch(evaluation, MinimaxOptions(pruning="plain")).choose(position, limits, 0)
        assert all(root.exact for root in plain.moves)
        assert plain.move == min(root.move for root in plain.moves if root.value == plain.value)
        for pruning, order, table in itertools.product(("alphabeta", "pvs", "bounds"), ORDERS, (0, 0.001, 1)):
            found = MinimaxSearch(evaluation, MinimaxOptions(pruning=pruning, order=order), table).choose(
                position, limits, 0
            )
            assert (found.value, found.move) == (plain.value, plain.move), (pruning, order, table, position)
            for root, exact in zip(found.moves, plain.moves, strict=True):
                assert root.value is not None and exact.value is not None
                assert root.value == exact.value if root.exact else root.value >= exact.value


@pytest.mark.compiled
def test_pruning_saves_nodes_and_order_saves_more() -> None:
    _, _, position = random_position(8, 3)
    limits = Limits(depth=6)

    def nodes(**ways: str) -> int:
        return MinimaxSearch(read_evaluation("positional"), MinimaxOptions(**ways)).choose(position, limits, 0).nodes  # type: ignore[arg-type]

    plain, pruned, ordered = nodes(pruning="plain"), nodes(), nodes(order="positional")
    assert plain > 5 * pruned > 5 * ordered


def test_the_line_leads_to_the_value() -> None:
    """Playing the principal variation and evaluating its end gives the value of the root."""
    for seed in range(int(40 * EFFORT) + 1):
        _, _, position = random_position(6, seed)
        decision = MinimaxSearch(read_evaluation("discs"), MinimaxOptions(win=0)).choose(position, Limits(depth=4), 0)
        end = position
        for move in decision.pv:
            end = end.play(move)
        assert end.score(position.turn, "nobody") == decision.value
        assert decision.pv[0] == decision.move and (len(decision.pv) == 4 or end.is_over)


def test_random_ties_choose_every_best_move_and_no_other() -> None:
    search = MinimaxSearch(read_evaluation("discs"), MinimaxOptions(ties="random"))
    chosen = {search.choose(Position.start(), Limits(depth=3), seed).move for seed in range(60)}
    assert chosen == set(Position.start().moves)  # all four are the same by symmetry
    _, _, position = random_position(8, 11)
    plain = MinimaxSearch(read_evaluation("discs"), MinimaxOptions(pruning="plain")).choose(
        position, Limits(depth=2), 0
    )
    best = {root.move for root in plain.moves if root.value == plain.value}
    assert {search.choose(position, Limits(depth=2), seed).move for seed in range(60)} == best


@pytest.mark.parametrize(("pruning", "text"), [("pvs", "positional"), ("bounds", "discs")])
@pytest.mark.parametrize("budget", [1, 7, 100])
def test_any_slices_give_the_same_search(budget: int, pruning: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, position = random_position(6, 4)
    search = MinimaxSearch(read_evaluation(text), MinimaxOptions(pruning=pruning, order="mobility"), 0.1)
    limits = Limits(depth=3 if INTERPRETED else 5)
    whole = search.choose(position, limits, 0)
    monkeypatch.setattr(Clock, "slice", lambda self: budget)
    sliced = search.choose(position, limits, 0)
    assert (sliced.move, sliced.value, sliced.nodes, sliced.pv, sliced.moves) == (
        whole.move,
        whole.value,
        whole.nodes,
        whole.pv,
        whole.moves,
    )


def test_a_node_limit_deepens_and_plays_the_last_complete_depth() -> None:
    _, _, position = random_position(8, 5)
    search = MinimaxSearch(read_evaluation("positional"), MinimaxOptions(order="mobility"), 1)
    limit = 2_000 if INTERPRETED else 50_000
    decision = search.choose(position, Limits(nodes=limit), 0)
    assert not decision.finished and decision.depth > 1 and decision.nodes <= limit + 40
    fixed = search.choose(position, Limits(depth=decision.depth), 0)
    assert (decision.move, decision.value) == (fixed.move, fixed.value)
    again = search.choose(position, Limits(nodes=limit), 0)
    assert (again.move, again.value, again.nodes, again.depth) == (
        decision.move,
        decision.value,
        decision.nodes,
        decision.depth,
    )
    assert search.choose(position, Limits(nodes=1), 0).depth == 1


def test_deepening_ends_when_the_game_is_solved() -> None:
    position = Position.start(Rules(4))
    for _ in range(5):
        position = position.play(position.moves[0])
    decision = MinimaxSearch(read_evaluation("discs"), MinimaxOptions(win_margin=True)).choose(
        position, Limits(nodes=10**7), 0
    )
    board, side = tuple(position.cells()), position.turn.sign
    exact = naive.solve(board, side, "standard", "nobody")
    assert decision.finished and decision.value == exact + 10**6 * ((exact > 0) - (exact < 0))


@every_variant
def test_views(variant: Variant) -> None:
    """The literal readings: the score of the mover at the leaf, and of black whoever searches."""
    _, _, position = random_position(6, 8, variant)
    board, side = tuple(position.cells()), position.turn.sign
    sign = 1 if variant == "standard" else -1

    def worth(view: str, depth: int) -> float | None:
        ways = MinimaxOptions(pruning="plain", eval_view=view, win=0)
        return MinimaxSearch(read_evaluation("discs"), ways).choose(position, Limits(depth=depth), 0).value

    def after(move: int) -> naive.Board:
        return naive.play(board, side, move)

    moves = naive.legal_moves(board, side)
    other = naive.OTHER[side]
    assert worth("root", 1) == max(sign * slow.discs(after(move), side) for move in moves)
    assert worth("mover", 1) == max(sign * slow.discs(after(move), other) for move in moves)
    assert worth("black", 1) == max(sign * slow.discs(after(move), "X") for move in moves)


@pytest.mark.compiled
def test_nodes_per_move_of_phan_and_synytsia_on_4x4() -> None:
    """Printed: 18.73, 33.27, 69.41 and 111.44 nodes a move at depths 3 to 6, over games against their tree search."""
    printed = {3: 18.73, 4: 33.27, 5: 69.41, 6: 111.44}
    for depth, expected in printed.items():
        player, opponent = agent(f"phan-synytsia-minimax({depth})"), agent("phan-synytsia-mcts(100)")
        nodes = moves = 0
        for game in range(40):
            position = Position.start(Rules(4))
            while position.moves:
                ours = position.turn == game % 2
                decision = (player if ours else opponent).choose(position, seed=game * 100 + moves)
                nodes += decision.nodes if ours else 0
                moves += ours
                position = position.play(decision.move)
        assert 0.75 * expected < nodes / moves < 1.35 * expected, (depth, nodes / moves)


@pytest.mark.compiled
def test_time_limits_are_kept() -> None:
    position = Position.start()
    search = MinimaxSearch(read_evaluation("positional"), MinimaxOptions(pruning="pvs", order="mobility"), 16)
    search.choose(position, Limits(depth=3), 0)
    decision = search.choose(position, Limits(seconds=0.3), 0)
    assert 0.29 < decision.seconds < 5 and decision.depth > 3  # generous: the machine may be busy


@pytest.mark.compiled
def test_one_compiled_search_per_layout() -> None:
    for size in (6, 8, 10, 16):
        for pruning, order in itertools.product(PRUNING, ORDERS):
            search = MinimaxSearch(read_evaluation("positional"), MinimaxOptions(pruning=pruning, order=order), 0.1)
            search.choose(Position.start(Rules(size)), Limits(depth=2), 0)
    kernel = alphabeta.search
    others = ("FunctionType", "Patterns(")  # evaluations of people and trained ones, which other tests may have used
    signatures = [found for found in map(str, kernel.signatures) if not any(kind in found for kind in others)]  # type: ignore[attr-defined]
    assert len(signatures) == 2
