"""Tree search against an oracle that grows the same tree from the documented draws, and against solved positions."""

import itertools
import random
import time
from math import log, sqrt
from typing import Any

import pytest

import naive
from outflank.agents import Agent, agent
from outflank.board import SIZES, Color, Position, Rules, Variant
from outflank.errors import BadSpec
from outflank.evaluation import read_table
from outflank.kernels import uct as kernels
from outflank.kernels.jit import INTERPRETED
from outflank.kernels.rules import PASS
from outflank.search.decision import Decision
from outflank.search.heuristic import HeuristicPlayer
from outflank.search.limits import Limits
from outflank.search.policy import PlayoutPolicy
from outflank.search.uct import BYTES_PER_NODE, UctSearch
from outflank.search.uct_batches import BatchedUct, SideBySideUct
from support import EFFORT, VARIANTS, every_size, every_variant, from_naive

READINGS: list[dict[str, Any]] = [
    dict(zip(("expand", "backup", "log", "pass_node", "draw", "tree"), values, strict=True))
    for values in itertools.product(
        ("one", "all"),
        ("mover", "agent", "black"),
        ("parent", "siblings", "layer"),
        ("child", "leaf"),
        (0.5, 0.0),
        ("full", "flat"),
    )
]


def random_position(size: int, empties: int, seed: int) -> tuple[naive.Board, str]:
    """A position with so many empty squares, or fewer if need be, in which there is a move."""
    rng, board, side = random.Random(seed), naive.start(size), "X"
    while naive.counts(board)[2] > empties:
        choices = naive.plies(board, side)
        if not choices:
            return random_position(size, empties, seed + 1000)
        board, side = naive.play(board, side, rng.choice(choices)), naive.OTHER[side]
    if not naive.legal_moves(board, side):
        return random_position(size, empties, seed + 1000)
    return board, side


# --- the oracle -------------------------------------------------------------------------------------------


class Node:
    """A node as one would draw it."""

    def __init__(self, board: naive.Board, side: str, move: int | None) -> None:
        self.board, self.side, self.move = board, side, move
        self.visits, self.reward = 0, 0.0
        self.children: list[Node] | None = None
        self.tried = 0

    def expand(self, pass_leaf: bool) -> None:
        moves = naive.legal_moves(self.board, self.side)
        if not moves and pass_leaf:
            self.children = []
            return
        self.children = [
            Node(naive.play(self.board, self.side, ply), naive.OTHER[self.side], ply)
            for ply in naive.plies(self.board, self.side)
        ]


class Oracle:
    """The search of `kernels.uct`, from its description."""

    def __init__(
        self, board: naive.Board, side: str, variant: str, reading: dict[str, Any], c: float = sqrt(2)
    ) -> None:
        self.root, self.variant, self.reading, self.c = Node(board, side, None), variant, reading, c
        self.layers = [0] * 99
        self.held: list[Node] = []
        self.nodes = 0

    def select(self, node: Node, depth: int) -> Node:
        assert node.children
        counted = {
            "parent": node.visits,
            "siblings": sum(child.visits for child in node.children),
            "layer": self.layers[depth + 1],
        }[self.reading["log"]]
        factor = sqrt(log(counted))
        return max(
            node.children, key=lambda child: child.reward / child.visits + factor * (self.c / sqrt(child.visits))
        )

    def descend(self, number: int) -> list[Node]:
        path, self.held = self.held or [self.root], []
        while True:
            node, depth = path[-1], len(path) - 1
            if node.children is None and not (self.reading["tree"] == "flat" and depth == 1):
                node.expand(self.reading["pass_node"] == "leaf")
            if not node.children:
                return path
            untried = len(node.children) - node.tried
            if untried == 0:
                path = [*path, self.select(node, depth)]
                continue
            front = node.tried
            if self.reading["expand"] == "one":
                drawn = front + (((number >> 32) * untried) >> 32)
                node.children[front], node.children[drawn] = node.children[drawn], node.children[front]
            elif untried > 1:
                self.held = path
            node.tried += 1
            self.nodes += 1
            return [*path, node.children[front]]

    def reward_of(self, side: str, board: naive.Board) -> float:
        margin = naive.score(board, side, self.variant, "nobody")
        return 1.0 if margin > 0 else 0.0 if margin < 0 else float(self.reading["draw"])

    def simulate(self, seed: int, game: int) -> None:
        numbers = naive.stream(seed, game)
        path = self.descend(next(numbers))
        board, side = path[-1].board, path[-1].side
        while choices := naive.plies(board, side):
            ply = choices[((next(numbers) >> 32) * len(choices)) >> 32]
            self.nodes += ply != len(board) ** 2
            board, side = naive.play(board, side, ply), naive.OTHER[side]
        for depth, node in enumerate(path):
            credited = {"mover": naive.OTHER[node.side], "agent": self.root.side, "black": "X"}[self.reading["backup"]]
            node.visits += 1
            node.reward += self.reward_of(credited, board)
            self.layers[depth] += 1

    def summary(self) -> dict[int, tuple[int, float]]:
        assert self.root.children
        return {child.move or 0: (child.visits, child.reward) for child in self.root.children}


def shares_of(search: UctSearch) -> dict[int, tuple[int, float]]:
    """Visits and rewards of the root moves, by bit number of the move."""
    tree = search._nodes
    assert tree is not None
    block = int(tree.children[0])
    slots = range(block, block + int(tree.degrees[0]))
    return {int(tree.squares[slot]): (int(tree.visits[slot]), float(tree.sums[slot])) for slot in slots}


def compare_with_oracle(size: int, empties: int, case: int, reading: dict[str, Any], simulations: int) -> None:
    variant: Variant = VARIANTS[case % 2]
    board, side = random_position(size, empties, case)
    position = from_naive(board, side, variant)
    search = UctSearch(**reading, memory=1)
    oracle = Oracle(board, side, variant, reading)
    decision = search.choose(position, Limits(playouts=simulations), seed=case)
    for game in range(simulations):
        oracle.simulate(case, game)
    expected = {position.rules.bit(move).bit_length() - 1: share for move, share in oracle.summary().items()}
    assert shares_of(search) == expected, (reading, position)
    assert decision.nodes == oracle.nodes


@pytest.mark.parametrize("number", range(0, len(READINGS), 1 if not INTERPRETED else 13))
def test_trees_equal_the_oracle(number: int) -> None:
    compare_with_oracle(4, 6 + number % 6, number, READINGS[number], 40)


@every_size
def test_trees_equal_the_oracle_on_every_size(size: int) -> None:
    for case in range(1 if INTERPRETED else 3):
        compare_with_oracle(size, min(size * size - 6, 14), case, READINGS[(29 * case + 7 * size) % len(READINGS)], 40)


# --- what holds for every tree ----------------------------------------------------------------------------


def check_counts(tree: kernels.Tree, kept: int = 0) -> None:
    """Visits of a node are those of its children and its own; means stay within 0 and 1."""
    used = int(tree.counters[kernels.USED])
    own = 0
    for slot in range(used):
        visits, block, degree = int(tree.visits[slot]), int(tree.children[slot]), int(tree.degrees[slot])
        assert visits >= 0 and 0 <= tree.sums[slot] <= visits + 1e-9
        below = sum(tree.visits[block : block + degree].tolist()) if degree else 0
        assert below <= visits
        own += visits - below
        if degree:
            assert slot < block and block + degree <= used
            assert all(n > 0 for n in tree.visits[block : block + int(tree.tried[slot])].tolist())
            assert not any(tree.visits[block + int(tree.tried[slot]) : block + degree].tolist())
    assert own == tree.visits[0], "every simulation ends in one node"


@every_size
@every_variant
def test_every_reading_runs_on_every_size(size: int, variant: Variant) -> None:
    start = Position.start(Rules(size, variant))
    position = start.play(start.moves[0])
    step = 1 if not INTERPRETED else 37 if size < 8 else 97
    for number in range(size % step, len(READINGS), step):
        for final in ("visits", "win_rate"):
            playouts = 12 if not INTERPRETED else 5 if size < 8 else 2
            search = UctSearch(**READINGS[number], final=final, memory=0.1)
            decision = search.choose(position, Limits(playouts=playouts), seed=number)
            assert decision.move in position.moves and decision.pv[0] == decision.move
            assert decision.playouts == playouts == sum(root.visits for root in decision.moves)
            assert decision.value is not None and 0 <= decision.value <= 1
            assert decision.seen_from is Color.WHITE and decision.finished
            assert [root.move for root in decision.moves] == list(position.moves)
            assert 1 <= decision.depth <= playouts


@pytest.mark.parametrize("reading", READINGS[:: 11 if not INTERPRETED else 47], ids=str)
def test_counts_add_up(reading: dict[str, Any]) -> None:
    search = UctSearch(**reading, memory=4)
    playouts = int(3000 * EFFORT)
    search.choose(Position.start(Rules(6)), Limits(playouts=playouts), 4)
    assert search._nodes is not None and search._nodes.visits[0] == playouts
    check_counts(search._nodes)


def essence(decision: Decision) -> tuple[Any, ...]:
    return decision.move, decision.value, decision.nodes, decision.playouts, decision.depth, decision.pv, decision.moves


@pytest.mark.parametrize("expand", ["one", "all"])
@pytest.mark.parametrize("limits", [Limits(playouts=int(2000 * EFFORT)), Limits(nodes=int(20_000 * EFFORT))])
def test_the_same_seed_gives_the_same_decision_in_any_slices(expand: Any, limits: Limits) -> None:
    found = set()
    for rate in (60.0, 1234.0, 1e9):
        search = UctSearch(expand=expand, memory=4)
        search._rate = rate
        found.add(essence(search.choose(Position.start(Rules(6)), limits, seed=11)))
    assert len(found) == 1
    other = UctSearch(expand=expand, memory=4).choose(Position.start(Rules(6)), limits, seed=12)
    assert essence(other) not in found


def test_a_search_object_carries_nothing_from_one_decision_to_the_next() -> None:
    position, limits = Position.start(Rules(6)).play("c2"), Limits(playouts=int(500 * EFFORT))
    used = UctSearch(memory=1)
    for size in (4, 8, 10 if not INTERPRETED else 4):
        used.choose(Position.start(Rules(size)), Limits(playouts=int(200 * EFFORT)), 1)
    assert essence(used.choose(position, limits, 5)) == essence(UctSearch(memory=1).choose(position, limits, 5))


def test_node_limit_stops_with_the_simulation_that_reaches_it() -> None:
    start = Position.start(Rules(6))
    limit = int(5000 * EFFORT)
    decision = UctSearch(memory=1).choose(start, Limits(nodes=limit), 2)
    assert limit <= decision.nodes < limit + 33
    longer = UctSearch(memory=1).choose(start, Limits(playouts=decision.playouts), 2)
    assert essence(longer) == essence(decision)
    shorter = UctSearch(memory=1).choose(start, Limits(playouts=decision.playouts - 1), 2)
    assert shorter.nodes < limit


def test_time_limits_are_kept() -> None:
    search = UctSearch(memory=8)
    search.warm_up(Rules(8))
    for limits in (Limits(seconds=0.1), Limits(game_seconds=0.3)):
        began = time.process_time()  # other processes may take the processor from us, but not add to this
        assert search.choose(Position.start(), limits, 1).playouts >= 1
        assert time.process_time() - began < 0.25
    assert search.choose(Position.start(), Limits(seconds=1e-9), 1).playouts >= 1


@pytest.mark.compiled
def test_a_decision_costs_little_beside_its_playouts() -> None:
    search, position = UctSearch(), Position.start().play("d3")
    search.warm_up(position.rules)

    def seconds(playouts: int) -> float:
        best = 1.0
        for seed in range(50):
            began = time.process_time()
            search.choose(position, Limits(playouts=playouts), seed)
            best = min(best, time.process_time() - began)
        return best

    assert 2 * seconds(1) < seconds(200), "a decision costs more than 200 playouts"


# --- memory -----------------------------------------------------------------------------------------------


def test_a_full_tree_goes_on_and_says_so() -> None:
    start = Position.start(Rules(6))
    playouts = 5000 if not INTERPRETED else 400
    small = UctSearch(memory=600 * BYTES_PER_NODE / 2**20)
    decision = small.choose(start, Limits(playouts=playouts), 3)
    assert small._nodes is not None and len(small._nodes.visits) == 600
    assert small._nodes.counters[kernels.USED] <= 600
    assert decision.playouts == playouts == small._nodes.visits[0]
    assert "600 nodes" in decision.note
    check_counts(small._nodes)
    assert UctSearch(memory=1).choose(start, Limits(playouts=20), 3).note == ""
    assert small.choose(start, Limits(playouts=20), 3).note == "", "the next search begins with an empty tree"


def test_bytes_per_node_are_what_the_arrays_take() -> None:
    search = UctSearch(memory=1)
    search.choose(Position.start(Rules(4)), Limits(playouts=4), 1)
    assert search._nodes is not None
    arrays: list[Any] = [*search._nodes[:8], search._owners, search._depths]
    assert sum(array.itemsize for array in arrays) == BYTES_PER_NODE
    assert sum(array.nbytes for array in arrays) <= 2**20


# --- reuse ------------------------------------------------------------------------------------------------


def descendant(tree: kernels.Tree, bits: list[int]) -> int:
    slot = 0
    for bit in bits:
        block = int(tree.children[slot])
        slot = block + tree.squares[block : block + int(tree.degrees[slot])].tolist().index(bit)
    return slot


def subtree(tree: kernels.Tree, slot: int) -> Any:
    """A node and all below it as nested tuples, by move."""
    block = int(tree.children[slot])
    below = {
        int(tree.squares[child]): subtree(tree, child)
        for child in (range(block, block + int(tree.degrees[slot])) if block > 0 else ())
    }
    tried = int(tree.tried[slot])
    return (
        int(tree.visits[slot]),
        float(tree.sums[slot]),
        float(tree.means[slot]),
        float(tree.spreads[slot]),
        tried,
        below,
    )


@pytest.mark.parametrize("expand", ["one", "all"])
def test_keeping_a_part_of_the_tree_keeps_it_whole(expand: Any) -> None:
    search = UctSearch(reuse=True, expand=expand, memory=4)
    start, playouts = Position.start(Rules(6)), int(3000 * EFFORT)
    first = search.choose(start, Limits(playouts=playouts), 1)
    tree = search._nodes
    assert tree is not None and len(first.pv) >= 2
    bits = [start.rules.bit(move).bit_length() - 1 for move in first.pv[:2]]
    expected = subtree(tree, descendant(tree, bits))
    position = start.play(first.pv[0]).play(first.pv[1])
    assert search._tree_at(position) is tree
    assert subtree(tree, 0)[:6] == expected
    assert tree.layers[0] == expected[0] and tree.layers[1] == sum(child[0] for child in expected[5].values())
    check_counts(tree)


def test_reuse_adds_new_visits_to_the_kept_ones() -> None:
    search = UctSearch(reuse=True, memory=4)
    start, playouts = Position.start(Rules(6)), int(2000 * EFFORT)
    first = search.choose(start, Limits(playouts=playouts), 1)
    tree = search._nodes
    assert tree is not None
    bits = [start.rules.bit(move).bit_length() - 1 for move in first.pv[:2]]
    kept = int(tree.visits[descendant(tree, bits)])
    assert kept > 0
    position = start.play(first.pv[0]).play(first.pv[1])
    second = search.choose(position, Limits(playouts=playouts), 2)
    assert second.playouts == playouts and tree.visits[0] == kept + playouts
    assert sum(root.visits for root in second.moves) in (kept + playouts, kept + playouts - 1)
    check_counts(tree)
    fresh = UctSearch(memory=4).choose(position, Limits(playouts=playouts), 2)
    assert fresh.moves != second.moves


def test_a_tree_that_does_not_lead_here_is_dropped() -> None:
    limits = Limits(playouts=int(300 * EFFORT))
    search = UctSearch(reuse=True, memory=1)
    elsewhere = Position.start(Rules(6)).play("c2")
    for unrelated in (
        Position.start(Rules(4)),
        Position.start(Rules(6, "reversed")),
        Position.start(Rules(6)).play("b3"),
    ):
        search.choose(unrelated, limits, 1)
        assert essence(search.choose(elsewhere, limits, 7)) == essence(UctSearch(memory=1).choose(elsewhere, limits, 7))
    search.new_game()
    assert essence(search.choose(elsewhere, limits, 7)) == essence(UctSearch(memory=1).choose(elsewhere, limits, 7))


@pytest.mark.parametrize("size", [4, 6])
@every_variant
def test_whole_games_with_reuse_keep_their_counts(size: int, variant: Variant) -> None:
    """Forced moves and passes come between two searches; the tree is found again all the same."""
    found_again = 0
    for game in range(int(10 * EFFORT) or 1):
        rng, search = random.Random(game), UctSearch(reuse=True, memory=1)
        position = Position.start(Rules(size, variant))
        while not position.is_over:
            if position.turn is Color.WHITE:
                position = position.play(rng.choice(position.moves))
                continue
            decision = search.choose(position, Limits(playouts=int(200 * EFFORT)), game)
            tree = search._nodes
            if decision.playouts:
                assert tree is not None
                found_again += int(tree.visits[0]) > decision.playouts
                check_counts(tree)
            position = position.play(decision.move)
    assert found_again > 0


# --- single moves and passes ------------------------------------------------------------------------------

SINGLE = "XXXXXXXXXXXXXXO- X"


def test_a_single_move_is_searched_like_any_other() -> None:
    searched = UctSearch().choose(Position.parse(SINGLE), Limits(playouts=10), 1)
    assert (searched.move, searched.playouts, searched.value) == (15, 10, 1.0)


def test_finished_leaves_pay_their_result_every_time() -> None:
    search = UctSearch()
    decision = search.choose(Position.parse(SINGLE), Limits(playouts=10), 1)
    assert decision.nodes == 1 and decision.depth == 1, "one child, no playout moves"
    assert decision.moves[0].visits == 10


def test_passes_inside_the_tree() -> None:
    """A forced pass is a node of its own, or a leaf that is played out again and again."""
    position = next(
        candidate
        for candidate in (from_naive(*random_position(4, 5, seed)) for seed in range(500))
        if any(candidate.play(move).must_pass for move in candidate.moves) and len(candidate.moves) > 1
    )
    move = next(move for move in position.moves if position.play(move).must_pass)
    bit = position.rules.bit(move).bit_length() - 1
    for pass_node, expected in (("child", [PASS]), ("leaf", [])):
        search = UctSearch(pass_node=pass_node)  # type: ignore[arg-type]
        search.choose(position, Limits(playouts=200), 1)
        tree = search._nodes
        assert tree is not None
        slot = descendant(tree, [bit])
        block = int(tree.children[slot])
        assert tree.visits[slot] >= 2
        assert [int(tree.squares[child]) for child in range(block, block + int(tree.degrees[slot]))] == expected
        check_counts(tree)


# --- strength ---------------------------------------------------------------------------------------------


def winning_moves(board: naive.Board, side: str, variant: Variant) -> tuple[set[int], int]:
    """The moves that keep the best result of perfect play, and that result: 1, 0 or -1."""
    results = {}
    for move in naive.legal_moves(board, side):
        value = -naive.solve(naive.play(board, side, move), naive.OTHER[side], variant, "nobody")
        results[move] = (value > 0) - (value < 0)
    best = max(results.values())
    return {move for move, result in results.items() if result == best}, best


@every_variant
@pytest.mark.parametrize("expand", ["one", "all"])
def test_more_playouts_find_the_solved_move(variant: Variant, expand: Any) -> None:
    few, many, cases = 20, 3000 if not INTERPRETED else 1000, 0
    right = {few: 0, many: 0}
    for seed in range(int(40 * EFFORT)):
        board, side = random_position(4 if seed % 2 else 6, 7, seed)
        best, result = winning_moves(board, side, variant)
        if len(best) == len(naive.legal_moves(board, side)):
            continue
        cases += 1
        position = from_naive(board, side, variant)
        for playouts in right:
            decision = UctSearch(expand=expand, memory=4).choose(position, Limits(playouts=playouts), seed)
            right[playouts] += decision.move in best
            if playouts == many and decision.value is not None and decision.move in best:
                assert decision.value > 0.8 if result > 0 else decision.value < 0.6 if result < 0 else True
    assert right[many] >= cases - (1 if not INTERPRETED else 0)
    if not INTERPRETED:
        assert cases >= 10 and right[few] < right[many]


def play_against_random(search: UctSearch, color: Color, games: int, playouts: int) -> float:
    points = 0.0
    for game in range(games):
        rng, position = random.Random(game), Position.start(Rules(6))
        while not position.is_over:
            if position.turn is color:
                position = position.play(search.choose(position, Limits(playouts=playouts), game).move)
            else:
                position = position.play(rng.choice(position.moves))
        margin = position.score(color)
        points += 1.0 if margin > 0 else 0.5 if margin == 0 else 0.0
    return points / games


@pytest.mark.compiled
def test_crediting_black_plays_to_lose_as_white() -> None:
    for backup, white_wins in (("mover", True), ("agent", True), ("black", False)):
        search = UctSearch(backup=backup, memory=8)  # type: ignore[arg-type]
        assert play_against_random(search, Color.BLACK, 30, 200) > 0.8
        as_white = play_against_random(search, Color.WHITE, 30, 200)
        assert as_white > 0.8 if white_wins else as_white < 0.2


@pytest.mark.compiled
def test_values_are_seen_by_the_side_to_move_whoever_is_credited() -> None:
    lost = Position.parse("XXXXXXXXXXXXOXX- O")
    for backup in ("mover", "agent", "black"):
        search = UctSearch(backup=backup)
        decision = search.choose(lost, Limits(playouts=100), 1)
        assert decision.value == 0.0


@pytest.mark.compiled
@pytest.mark.parametrize(
    "policy",
    [
        PlayoutPolicy("own_heuristic", worths=read_table("classic")),
        PlayoutPolicy("epsilon", worths=read_table("classic"), epsilon=0.3),
        PlayoutPolicy("weighted", weights=[1 + square % 3 for square in range(36)]),
        PlayoutPolicy("cutoff", depth=4, scale=5.0),
    ],
    ids=lambda policy: policy.kind,
)
def test_every_policy_plays_in_the_tree(policy: PlayoutPolicy) -> None:
    search = UctSearch(policy=policy, memory=8)
    assert play_against_random(search, Color.WHITE, 20, 200) > 0.8
    assert search._nodes is not None
    check_counts(search._nodes)


@pytest.mark.parametrize("leaf_playouts", [4, 32])
def test_several_playouts_per_leaf(leaf_playouts: int) -> None:
    search = UctSearch(leaf_playouts=leaf_playouts)
    for size in (6, 10) if not INTERPRETED else (4,):
        decision = search.choose(Position.start(Rules(size)), Limits(playouts=10 * leaf_playouts + 3), 1)
        assert decision.playouts == 10 * leaf_playouts == sum(root.visits for root in decision.moves)
        assert decision.finished
        assert search._nodes is not None
        check_counts(search._nodes)


# --- the figures of the paper -----------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("iterations, printed", [(10, 308.2), (100, 2897.44), (1000, 27625.41)])
def test_nodes_per_move_are_near_those_of_phan_and_synytsia(iterations: int, printed: float) -> None:
    search = Agent("uct", "uct", UctSearch(backup="agent", final="win_rate", pass_node="leaf", memory=8))
    opponent = Agent("heuristic", "heuristic", HeuristicPlayer(read_table("nested")))
    nodes, moves = 0, 0
    for game in range(24):
        position, own = Position.start(), Color(game % 2)
        while not position.is_over:
            player = search if position.turn is own else opponent
            decision = player.choose(position, Limits(playouts=iterations), 100 * game + moves)
            if position.turn is own and not position.must_pass:
                nodes, moves = nodes + decision.nodes, moves + 1
            position = position.play(decision.move)
    assert nodes / moves == pytest.approx(printed, rel=0.08)


def test_impossible_options_are_refused() -> None:
    bad: list[dict[str, Any]] = [
        {"expand": "some"},
        {"backup": "white"},
        {"log": "none"},
        {"final": "best"},
        {"pass_node": "no"},
        {"tree": "bush"},
        {"exploration": -1.0},
        {"draw": 2.0},
        {"leaf_playouts": 0},
        {"memory": 0},
    ]
    for options in bad:
        with pytest.raises(BadSpec, match=next(iter(options))):
            UctSearch(**options)
    with pytest.raises(BadSpec, match="no limit"):
        UctSearch().choose(Position.start(), Limits(depth=3), 1)


@pytest.mark.compiled
def test_kernels_are_compiled_once_per_layout() -> None:
    """A second signature would mean that signed words, or plain ints, came in somewhere."""
    for size in SIZES:
        search = UctSearch(reuse=True, memory=1)
        first = search.choose(Position.start(Rules(size)), Limits(playouts=40), 1)
        after = Position.start(Rules(size)).play(first.pv[0])
        search.choose(after.play(after.moves[0]), Limits(playouts=40), 1)
    simulate: Any = kernels.simulate
    plain = [
        signature
        for signature in simulate.signatures
        if "Uniform(" in str(signature) and str(signature).count("none") == 2  # neither lanes nor a selection
    ]
    assert len(plain) == 2, plain
    for name in ("plant", "keep", "begin"):
        of_usual_trees = [each for each in getattr(kernels, name).signatures if "Tree(array(int32" in str(each)]
        assert len(of_usual_trees) == 1


def test_a_complete_tree_ends_a_search_by_nodes() -> None:
    """Once every game is in the tree, no simulation counts a node, and a limit of nodes would never be reached."""
    position = Position.parse("XXXXXXXXXO-XX-OX X")
    decision = UctSearch().choose(position, Limits(nodes=200), seed=1)
    assert decision.nodes < 200 and decision.move in position.moves


def test_trees_side_by_side_decide_as_their_trees_one_after_the_other() -> None:
    position = Position.start("standard 6x6")
    forest = agent("uct(playouts=301, threads=3, memory=3)")
    decision = forest.choose(position, seed=5)
    again = forest.choose(position, seed=5)
    assert (decision.move, decision.moves, decision.nodes) == (again.move, again.moves, again.nodes)
    seeds = [(5 + number * 0x9E3779B97F4A7C15) % 2**64 for number in range(3)]
    alone = [
        UctSearch(exploration=1.41421356237, memory=1).choose(position, Limits(playouts=playouts), seed)
        for playouts, seed in zip((101, 100, 100), seeds, strict=True)
    ]
    visits = {root.move: sum(one.moves[i].visits for one in alone) for i, root in enumerate(alone[0].moves)}
    assert {root.move: root.visits for root in decision.moves} == visits
    assert decision.playouts == 301 and decision.nodes == sum(one.nodes for one in alone)
    assert visits[decision.move] == max(visits.values())


# --- leaves side by side ----------------------------------------------------------------------------------


class BatchOracle(Oracle):
    """The search of `kernels.leaves`, from its description: batches are gathered, played out and settled in order."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.under_way: dict[int, int] = {}

    def mean(self, node: Node) -> float:
        known = node.visits - self.under_way.get(id(node), 0)
        return node.reward / known if known else 0.0

    def select(self, node: Node, depth: int) -> Node:
        assert node.children
        counted = {
            "parent": node.visits,
            "siblings": sum(child.visits for child in node.children),
            "layer": self.layers[depth + 1],
        }[self.reading["log"]]
        factor = sqrt(log(counted))
        return max(node.children, key=lambda child: self.mean(child) + factor * (self.c / sqrt(child.visits)))

    def run(self, seed: int, simulations: int, leaves: int) -> None:
        done = 0
        while done < simulations:
            number = min(max(1, self.root.visits // 4), leaves, simulations - done)
            batch = [self.gather(naive.stream(seed, game)) for game in range(done, done + number)]
            for path, numbers in batch:
                self.settle(path, numbers)
            done += number

    def gather(self, numbers: Any) -> tuple[list[Node], Any]:
        path = self.descend(next(numbers))
        for depth, node in enumerate(path):
            node.visits += 1
            self.layers[depth] += 1
            self.under_way[id(node)] = self.under_way.get(id(node), 0) + 1
        return path, numbers

    def settle(self, path: list[Node], numbers: Any) -> None:
        board, side = path[-1].board, path[-1].side
        while choices := naive.plies(board, side):
            ply = choices[((next(numbers) >> 32) * len(choices)) >> 32]
            self.nodes += ply != len(board) ** 2
            board, side = naive.play(board, side, ply), naive.OTHER[side]
        for node in path:
            credited = {"mover": naive.OTHER[node.side], "agent": self.root.side, "black": "X"}[self.reading["backup"]]
            self.under_way[id(node)] -= 1
            node.reward += self.reward_of(credited, board)


def compare_with_batches(size: int, empties: int, case: int, reading: dict[str, Any], leaves: int) -> None:
    variant: Variant = VARIANTS[case % 2]
    board, side = random_position(size, empties, case)
    position = from_naive(board, side, variant)
    search = SideBySideUct(leaves=leaves, **reading, memory=1)
    oracle = BatchOracle(board, side, variant, reading)
    decision = search.choose(position, Limits(playouts=60), seed=case)
    oracle.run(case, 60, leaves)
    expected = {position.rules.bit(move).bit_length() - 1: share for move, share in oracle.summary().items()}
    assert shares_of(search) == expected, (reading, position)
    assert decision.nodes == oracle.nodes


@pytest.mark.parametrize("number", range(0, len(READINGS), 1 if not INTERPRETED else 17))
def test_leaves_side_by_side_equal_the_oracle(number: int) -> None:
    compare_with_batches(4, 6 + number % 6, number, READINGS[number], 1 + number % 16)


@every_size
def test_leaves_side_by_side_equal_the_oracle_on_every_size(size: int) -> None:
    for case in range(1 if INTERPRETED else 3):
        reading = READINGS[(29 * case + 7 * size) % len(READINGS)]
        compare_with_batches(size, min(size * size - 6, 14), case, reading, 8)


POLICIES = [
    PlayoutPolicy(),
    PlayoutPolicy("own_heuristic", worths=read_table("classic")),
    PlayoutPolicy("weighted", weights=[1 + square % 3 for square in range(36)]),
    PlayoutPolicy("cutoff", depth=4, scale=5.0),
]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.kind)
@pytest.mark.parametrize("leaf_playouts", [1, 5])
def test_batches_of_one_leaf_are_the_usual_search(policy: PlayoutPolicy, leaf_playouts: int) -> None:
    options: dict[str, Any] = {"policy": policy, "leaf_playouts": leaf_playouts, "memory": 1}
    limits = Limits(playouts=int(1000 * EFFORT))
    usual = UctSearch(**options).choose(Position.start(Rules(6)), limits, seed=3)
    assert essence(SideBySideUct(leaves=1, **options).choose(Position.start(Rules(6)), limits, seed=3)) == essence(
        usual
    )


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.kind)
@pytest.mark.parametrize("size", [6, 10])
def test_batches_are_those_of_a_device_with_one_under_way(policy: PlayoutPolicy, size: int) -> None:
    if policy.kind == "weighted" and size != 6:
        return
    options: dict[str, Any] = {"leaves": 8, "leaf_playouts": 8, "policy": policy, "memory": 1}
    limits = Limits(playouts=8 * max(20, int(100 * EFFORT)))
    beside = SideBySideUct(**options).choose(Position.start(Rules(size)), limits, seed=4)
    batched = BatchedUct("cpu", least=1, under_way=1, **options).choose(Position.start(Rules(size)), limits, seed=4)
    assert essence(beside) == essence(batched)


def settled(search: SideBySideUct) -> kernels.Tree:
    """Its tree, in which nothing is under way."""
    tree, (leaves,) = search._nodes, search._rooms.values()
    assert tree is not None and not leaves.pending.any()
    used = [slot for slot in range(int(tree.counters[kernels.USED])) if tree.visits[slot]]
    assert tree.means[used] == pytest.approx(tree.sums[used] / tree.visits[used], rel=1e-12)
    check_counts(tree)
    return tree


@pytest.mark.parametrize("reading", READINGS[:: 11 if not INTERPRETED else 47], ids=str)
def test_counts_add_up_with_leaves_side_by_side(reading: dict[str, Any]) -> None:
    for leaves, playouts in ((3, 700), (16, 3001), (64, 2000)):
        search = SideBySideUct(leaves=leaves, **reading, memory=4)
        done = max(100, int(playouts * EFFORT))
        decision = search.choose(Position.start(Rules(6)), Limits(playouts=done), 4)
        assert settled(search).visits[0] == done == decision.playouts


@pytest.mark.parametrize("expand", ["one", "all"])
@pytest.mark.parametrize("limits", [Limits(playouts=int(2003 * EFFORT)), Limits(nodes=int(20_000 * EFFORT))])
def test_leaves_side_by_side_do_not_depend_on_slices(expand: Any, limits: Limits) -> None:
    found = set()
    for rate in (60.0, 1234.0, 1e9):
        search = SideBySideUct(leaves=8, expand=expand, memory=4)
        search._rate = rate
        found.add(essence(search.choose(Position.start(Rules(6)), limits, seed=11)))
    assert len(found) == 1
    other = SideBySideUct(leaves=8, expand=expand, memory=4).choose(Position.start(Rules(6)), limits, seed=12)
    usual = UctSearch(expand=expand, memory=4).choose(Position.start(Rules(6)), limits, seed=11)
    assert not {essence(other), essence(usual)} & found


def test_a_full_tree_with_leaves_side_by_side() -> None:
    playouts = 5000 if not INTERPRETED else 400
    small = SideBySideUct(leaves=16, memory=600 * (BYTES_PER_NODE + 4) / 2**20)
    decision = small.choose(Position.start(Rules(6)), Limits(playouts=playouts), 3)
    assert "600 nodes" in decision.note
    assert decision.playouts == playouts == settled(small).visits[0]


def test_finished_games_and_passes_with_leaves_side_by_side() -> None:
    single = SideBySideUct(leaves=8, memory=1).choose(Position.parse(SINGLE), Limits(playouts=50), 1)
    assert (single.nodes, single.depth, single.value, single.moves[0].visits) == (1, 1, 1.0, 50)
    complete = SideBySideUct(leaves=8, memory=1)
    position = Position.parse("XXXXXXXXXO-XX-OX X")
    assert complete.choose(position, Limits(nodes=200), seed=1).nodes < 200, "a complete tree counts no more nodes"
    for seed in range(10 if not INTERPRETED else 2):
        for pass_node in ("child", "leaf"):
            search = SideBySideUct(leaves=8, pass_node=pass_node, memory=1)
            search.choose(from_naive(*random_position(4, 5, seed)), Limits(playouts=100), seed)
            settled(search)


@every_variant
@pytest.mark.parametrize("leaves", [8, 64])
def test_leaves_side_by_side_find_the_solved_move(variant: Variant, leaves: int) -> None:
    right = cases = 0
    for seed in range(int(40 * EFFORT)):
        board, side = random_position(4 if seed % 2 else 6, 7, seed)
        best, _ = winning_moves(board, side, variant)
        if len(best) < len(naive.legal_moves(board, side)):
            search = SideBySideUct(leaves=leaves, memory=4)
            limits = Limits(playouts=3000 if not INTERPRETED else 1000)
            right += search.choose(from_naive(board, side, variant), limits, seed).move in best
            cases += 1
    assert right >= cases - (1 if not INTERPRETED else 0)


@pytest.mark.parametrize("size", [4, 6, 10])
@every_variant
def test_whole_games_with_leaves_side_by_side_keep_their_counts(size: int, variant: Variant) -> None:
    if INTERPRETED and size == 10:
        return
    found_again = 0
    for game in range(int((10 if size < 10 else 2) * EFFORT) or 1):
        rng, search = random.Random(game), SideBySideUct(leaves=8, reuse=True, memory=1)
        position = Position.start(Rules(size, variant))
        while not position.is_over:
            if position.turn is Color.WHITE or len(position.moves) < 2:
                position = position.play(rng.choice(position.moves) if position.moves else position.rules.pass_move)
                continue
            decision = search.choose(position, Limits(playouts=int(200 * EFFORT)), game)
            found_again += int(settled(search).visits[0]) > decision.playouts
            position = position.play(decision.move)
    assert found_again > 0


def test_trees_side_by_side_with_leaves_side_by_side() -> None:
    position = Position.start("standard 6x6")
    forest = agent("uct(playouts=301, threads=3, leaves=4, memory=3)")
    decision = forest.choose(position, seed=5)
    assert essence(forest.choose(position, seed=5)) == essence(decision)
    seeds = [(5 + number * 0x9E3779B97F4A7C15) % 2**64 for number in range(3)]
    alone = [
        SideBySideUct(leaves=4, exploration=1.41421356237, memory=1).choose(position, Limits(playouts=playouts), seed)
        for playouts, seed in zip((101, 100, 100), seeds, strict=True)
    ]
    visits = {root.move: sum(one.moves[i].visits for one in alone) for i, root in enumerate(alone[0].moves)}
    assert {root.move: root.visits for root in decision.moves} == visits


def test_leaves_by_text() -> None:
    position = Position.start("standard 6x6")
    usual, one, some = (agent(f"uct(playouts=300{leaves})") for leaves in ("", ", leaves=1", ", leaves=8"))
    assert "leaves" not in usual.text and "leaves=8" in some.text
    assert essence(one.choose(position, seed=1)) == essence(usual.choose(position, seed=1))
    assert essence(some.choose(position, seed=1)) != essence(usual.choose(position, seed=1))
    for leaves in (0, 1025):
        with pytest.raises(BadSpec, match="leaves"):
            SideBySideUct(leaves=leaves)
