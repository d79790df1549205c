"""Playouts by policy against an oracle that replays them, the formula H by hand, and the players made of them."""

import random
import time
from collections.abc import Iterator
from math import exp
from typing import Any

import pytest

import naive
from outflank.agents import agent
from outflank.board import SIZES, Color, Position, Rules, Variant
from outflank.errors import BadSpec
from outflank.evaluation import read_evaluation, read_table
from outflank.kernels import policy as kernels
from outflank.kernels.jit import INTERPRETED, Word
from outflank.kernels.playout import new_lanes
from outflank.kernels.policy import KINDS
from outflank.search.decision import Decision
from outflank.search.heuristic import HeuristicPlayer
from outflank.search.limits import Limits
from outflank.search.montecarlo import FlatMonteCarlo
from outflank.search.policy import PlayoutPolicy
from support import EFFORT, VARIANTS, every_size, every_variant, from_naive


def mixed_table(size: int) -> list[int]:
    """Worths with corners far above the rest and no symmetry, so that a transposed or mirrored table shows."""
    table = [(7 * square) % 23 - 9 for square in range(size * size)]
    for corner in (0, size - 1, size * (size - 1), size * size - 1):
        table[corner] = 100 + corner % 5
    return table


def weights_of(size: int) -> list[int]:
    """Weights in several classes, corners rare."""
    return [1 + 3 * (square % 4) if square else 1 for square in range(size * size)]


def random_position(size: int, plies: int, seed: int) -> tuple[naive.Board, str]:
    rng, board, side = random.Random(seed), naive.start(size), "X"
    for _ in range(plies):
        choices = naive.plies(board, side)
        if not choices:
            break
        board, side = naive.play(board, side, rng.choice(choices)), naive.OTHER[side]
    return board, side


# --- the oracle -------------------------------------------------------------------------------------------


def worth(board: naive.Board, side: str, table: list[int]) -> int:
    cells = "".join(board)
    return sum(
        value if cell == side else -value
        for cell, value in zip(cells, table, strict=True)
        if cell in (side, naive.OTHER[side])
    )


def heuristic(board: naive.Board, side: str, move: int, table: list[int], variant: str, after: bool = False) -> float:
    """H from its definition."""
    sign = 1 if variant == "standard" else -1
    empties = naive.counts(board)[2] - after
    then = naive.play(board, side, move)
    own = naive.counts(board)[0 if side == "X" else 1]
    turned = naive.counts(then)[0 if side == "X" else 1] - own - 1
    replies = len(naive.legal_moves(then, naive.OTHER[side]))
    points = sign * worth(then, side, table)
    if empties > 10:
        return points + 30 / (replies + 1) + 80 / (turned + 1)
    return points / 10 + 60 / (replies + 1) + 400 * sign * turned


def pick(board: naive.Board, side: str, own: bool, kind: str, variant: str, numbers: Iterator[int]) -> int:
    """The move that a policy chooses, from the documented draws."""
    moves, size, number = naive.legal_moves(board, side), len(board), next(numbers)
    if kind == "weighted":
        table = weights_of(size)
        tickets = sorted((table[move], move) for move in moves)
        ticket = ((number >> 32) * sum(weight for weight, _ in tickets)) >> 32
        return next(move for place, move in enumerate_tickets(tickets) if place > ticket)
    greedy = kind == "heuristic" or (kind == "own_heuristic" and own)
    if kind == "epsilon":
        greedy, number = (number >> 11) / 2**53 >= 0.3, next(numbers)
    if greedy:
        values = {move: heuristic(board, side, move, mixed_table(size), variant) for move in moves}
        moves = [move for move in moves if values[move] == max(values.values())]
    return moves[((number >> 32) * len(moves)) >> 32]


def enumerate_tickets(tickets: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """(the first ticket number that is no longer this square's, the square)."""
    total = 0
    for weight, move in tickets:
        total += weight
        yield total, move


def oracle_playout(
    board: naive.Board, side: str, own: bool, kind: str, variant: str, numbers: Iterator[int]
) -> tuple[float, float, int]:
    """(reward of `side`, of the other, discs placed), a draw paying 0.25 to both."""
    mover, placed, cut = side, 0, 5 if kind == "cutoff" else 10**6
    while naive.plies(board, mover) and placed < cut:
        moves = naive.legal_moves(board, mover)
        if not moves:
            if kind in ("uniform", "cutoff"):
                next(numbers)
            mover = naive.OTHER[mover]
            continue
        move = pick(board, mover, own == (mover == side), kind, variant, numbers)
        board, mover, placed = naive.play(board, mover, move), naive.OTHER[mover], placed + 1
    if not naive.is_over(board):
        value = worth(board, side, [1] * len(board) ** 2) * (1 if variant == "standard" else -1)
        return 1 / (1 + exp(-value / 3)), 1 / (1 + exp(value / 3)), placed
    margin = naive.score(board, side, variant, "nobody")
    return (1.0, 0.0, placed) if margin > 0 else (0.0, 1.0, placed) if margin < 0 else (0.25, 0.25, placed)


def policy_of(kind: str, rules: Rules) -> kernels.Policy:
    policy = PlayoutPolicy(
        kind,
        worths=mixed_table(rules.size),
        epsilon=0.3,
        weights=weights_of(rules.size),
        depth=5,
        scale=3.0,
        evaluation=read_evaluation("discs"),
    )
    return policy.build(rules, 0.25)


# --- playouts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@every_size
def test_playouts_equal_the_oracle(size: int, kind: str) -> None:
    if INTERPRETED and size > 8 and kind not in ("uniform", "weighted", "cutoff"):
        pytest.skip("hundreds of moves looked at per ply: compiled only")
    lanes = new_lanes()
    for case in range(int(6 * EFFORT) or 1):
        variant: Variant = VARIANTS[case % 2]
        plies = size * size - 4 - (6, 12, 25)[case % 3]
        board, side = random_position(size, max(plies, 0), case)
        position, own = from_naive(board, side, variant), case % 4 < 2
        policy = policy_of(kind, position.rules)
        for number in range(2):
            found = kernels.playouts(*position.boards, own, policy, Word(case), number, 1, lanes, 0.0, 0.0)
            expected = oracle_playout(board, side, own, kind, variant, naive.stream(case, number))
            assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@every_variant
def test_many_playouts_are_the_sum_of_single_ones(kind: str, variant: Variant) -> None:
    """Side by side or in turn, in one slice or in many."""
    lanes = new_lanes()
    for size in (6, 8, 10) if not INTERPRETED else (4,):
        position = Position.start(Rules(size, variant))
        policy = policy_of(kind, position.rules)
        number = 71 if not INTERPRETED else 12
        together = kernels.playouts(*position.boards, True, policy, Word(5), 3, number, lanes, 0.0, 0.0)
        alone = [
            kernels.playouts(*position.boards, True, policy, Word(5), 3 + i, 1, lanes, 0.0, 0.0) for i in range(number)
        ]
        assert together == pytest.approx(tuple(map(sum, zip(*alone, strict=True))))


def test_a_finished_game_pays_its_result_and_a_draw_what_is_asked() -> None:
    lanes = new_lanes()
    for line, standard in (("XXXX----------OO X", (1, 0)), ("XX------------OO X", (0.25, 0.25))):
        for variant in VARIANTS:
            position = Position.parse(line, variant)
            expected = standard if variant == "standard" else standard[::-1]
            for kind in KINDS:
                policy = policy_of(kind, position.rules)
                assert kernels.playouts(*position.boards, True, policy, Word(1), 0, 1, lanes, 0.0, 0.0) == (
                    *expected,
                    0,
                )


def test_weighted_moves_are_drawn_in_proportion_to_their_weights() -> None:
    """Chi-square of the first move; the same tally is far from the uniform one."""
    rules = Rules(8)
    position = Position.start(rules)
    table = [1] * 64
    for square, weight in zip(position.moves, (1, 5, 10, 10), strict=True):
        table[square] = weight
    policy: Any = PlayoutPolicy("weighted", weights=table).build(rules, 0.5)
    squares: Any = rules.board(position.moves_mask)
    draws = int(20_000 * EFFORT)
    tally: dict[int, int] = dict.fromkeys(position.moves, 0)
    for game in range(draws):
        number = Word(next(naive.stream(3, game)))
        tally[kernels._weighted_square(squares, policy, number)] += 1

    def chi_square(shares: tuple[float, ...]) -> float:
        pairs = zip(tally.values(), shares, strict=True)
        return sum((seen - draws * share) ** 2 / (draws * share) for seen, share in pairs)

    assert chi_square((1 / 26, 5 / 26, 10 / 26, 10 / 26)) < 16.3  # 3 degrees of freedom, p = 0.001
    assert chi_square((0.25, 0.25, 0.25, 0.25)) > 100


@pytest.mark.compiled
def test_greedy_playouts_of_the_own_side_win_more() -> None:
    start, lanes = Position.start(), new_lanes()
    policy = PlayoutPolicy("own_heuristic", worths=read_table("classic")).build(start.rules, 0.5)
    own, _, _ = kernels.playouts(*start.boards, True, policy, Word(1), 0, 1000, lanes, 0.0, 0.0)
    other, _, _ = kernels.playouts(*start.boards, False, policy, Word(1), 0, 1000, lanes, 0.0, 0.0)
    assert own > 800 and other < 200


# --- H ----------------------------------------------------------------------------------------------------


def values_of(position: Position, table: list[int], **options: Any) -> dict[str, float]:
    decision = HeuristicPlayer(table, **options).choose(position, Limits(), seed=1)
    return {str(root.move): root.value or 0.0 for root in decision.moves}


ELEVEN_EMPTIES = "-X---XX--XO----- O"
TEN_EMPTIES = "OX---OX--XO----- X"
CORNERS_TEN = [10 if square in (0, 3, 12, 15) else 1 for square in range(16)]


def test_h_by_hand_with_eleven_empty_squares() -> None:
    """White a1 turns b2: worth 10 + 1 + 1 against 3, and leaves black a2, c4 and d3."""
    position = Position.parse(ELEVEN_EMPTIES)
    assert position.empties == 11
    assert values_of(position, CORNERS_TEN)["a1"] == 9 + 30 / 4 + 80 / 2
    assert values_of(position, CORNERS_TEN, empties="after")["a1"] == pytest.approx(0.9 + 60 / 4 + 400)


def test_h_by_hand_with_ten_empty_squares() -> None:
    """Black a2 turns b2: five discs worth 1 against 10 + 1, and leaves white c1 and a3."""
    position = Position.parse(TEN_EMPTIES)
    assert position.empties == 10
    assert values_of(position, CORNERS_TEN)["a2"] == pytest.approx(-0.6 + 60 / 3 + 400)


def test_h_in_the_reversed_game_by_hand() -> None:
    """Worths and late turned discs count against; turning few early stays good."""
    early, late = (Position.parse(line, "reversed") for line in (ELEVEN_EMPTIES, TEN_EMPTIES))
    assert values_of(early, CORNERS_TEN)["a1"] == -9 + 30 / 4 + 80 / 2
    assert values_of(late, CORNERS_TEN)["a2"] == pytest.approx(0.6 + 60 / 3 - 400)


def test_h_with_other_numbers_by_hand() -> None:
    """The last of them says when it is late; those of the paper are the ones that are taken without any."""
    position = Position.parse(ELEVEN_EMPTIES)
    assert values_of(position, CORNERS_TEN, formula=(60, 40, 5, 32, 7, 10))["a1"] == 9 + 60 / 4 + 40 / 2
    assert values_of(position, CORNERS_TEN, formula=(60, 40, 5, 32, 7, 11))["a1"] == pytest.approx(9 / 5 + 32 / 4 + 7)
    printed = values_of(position, CORNERS_TEN, formula=(30, 80, 10, 60, 400, 10))
    assert printed == values_of(position, CORNERS_TEN)


@every_size
def test_h_equals_the_oracle(size: int) -> None:
    for case in range(int(20 * EFFORT) or 2):
        variant = VARIANTS[case % 2]
        board, side = random_position(size, size * size - 4 - (9, 10, 11, 12, 20, 60)[case % 6], case)
        position = from_naive(board, side, variant)
        if not position.moves_mask:
            continue
        table, empties = mixed_table(size), "after" if case % 3 == 0 else "before"
        expected = {
            str(move): heuristic(board, side, move, table, variant, empties == "after") for move in position.moves
        }
        assert values_of(position, table, empties=empties) == pytest.approx(expected)


def test_equal_h_is_decided_by_lot() -> None:
    start = Position.start(Rules(4))
    seen = {HeuristicPlayer().choose(start, Limits(), seed).move for seed in range(40)}
    assert seen == set(start.moves)
    decision = HeuristicPlayer(mixed_table(4)).choose(start, Limits(), 1)
    best = max(decision.moves, key=lambda root: root.value or 0.0)
    assert decision.move == best.move and decision.value == best.value


# --- flat Monte Carlo -------------------------------------------------------------------------------------


@every_size
@every_variant
def test_flat_monte_carlo_on_every_size(size: int, variant: Variant) -> None:
    start = Position.start(Rules(size, variant))
    playouts = 40 if not INTERPRETED else 2
    decision = FlatMonteCarlo(playouts).choose(start, Limits(), 3)
    assert decision.move in start.moves
    assert [root.visits for root in decision.moves] == [playouts] * 4
    assert decision.playouts == 4 * playouts and decision.finished
    assert decision.value == max(root.win_rate or 0.0 for root in decision.moves)
    assert 4 <= decision.nodes <= 4 + 4 * playouts * (start.empties - 1)


def test_flat_monte_carlo_is_the_same_for_the_same_seed_and_any_slices() -> None:
    start = Position.start(Rules(6))
    players = [FlatMonteCarlo(int(100 * EFFORT), PlayoutPolicy("epsilon", mixed_table(6))) for _ in range(3)]
    for player, rate in zip(players, (40.0, 700.0, 1e6), strict=True):
        player._rate = rate
    decisions = [player.choose(start, Limits(), 9) for player in players]
    assert len({(one.move, one.nodes, one.moves) for one in decisions}) == 1


def test_limits_are_split_evenly_over_the_moves() -> None:
    start = Position.start(Rules(4))
    assert FlatMonteCarlo(None).choose(start, Limits(playouts=14), 1).playouts == 12
    assert FlatMonteCarlo(5).choose(start, Limits(playouts=1), 1).playouts == 1
    assert not FlatMonteCarlo(5).choose(start, Limits(playouts=1), 1).finished
    bounded = FlatMonteCarlo(None).choose(start, Limits(nodes=100), 1)
    assert [root.visits for root in bounded.moves] == [3, 2, 2, 2], "the moves take turns"
    with pytest.raises(BadSpec, match="no limit"):
        FlatMonteCarlo(None).choose(start, Limits(), 1)


def test_flat_monte_carlo_keeps_its_time() -> None:
    start = Position.start(Rules(6))
    player = FlatMonteCarlo(None)
    player.warm_up(start.rules)
    began = time.process_time()  # other processes may take the processor from us, but not add to this
    decision = player.choose(start, Limits(seconds=0.1), 1)
    assert time.process_time() - began < 0.5
    assert all(root.visits >= 1 for root in decision.moves)
    assert player.choose(start, Limits(seconds=1e-9), 1).playouts == 1


def test_impossible_policies_are_refused() -> None:
    bad: list[dict[str, Any]] = [{"kind": "best"}, {"epsilon": 1.5}, {"depth": -1}, {"scale": 0.0}]
    for options in bad:
        with pytest.raises(BadSpec):
            PlayoutPolicy(**options)
    with pytest.raises(BadSpec, match="16 numbers"):
        PlayoutPolicy("heuristic", worths=[0] * 16).build(Rules(8), 0.5)
    with pytest.raises(BadSpec, match="weight"):
        PlayoutPolicy("weighted", weights=[0] * 16).build(Rules(4), 0.5)
    with pytest.raises(BadSpec, match="playouts=0"):
        FlatMonteCarlo(0)


def own_evaluation(own: Any, opp: Any, size: int) -> int:
    return 1000 if size == 8 else -1000


def test_playouts_cut_off_may_ask_a_function_of_a_person() -> None:
    evaluation = read_evaluation("test_montecarlo:own_evaluation")
    player = FlatMonteCarlo(5, PlayoutPolicy("cutoff", depth=1, scale=1.0, evaluation=evaluation))
    shares = [root.win_rate for root in player.choose(Position.start(), Limits(), 1).moves]
    assert shares == pytest.approx([1.0] * 4), "after one reply the own side is to move and likes what it sees"


class RandomPlayer:
    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        return Decision(random.Random(seed).choice(position.moves), position.turn)


def play_match(first: Any, second: Any, games: int, rules: Rules, opening: int) -> float:
    """Points of `first` in games from random openings, each played with both colours."""
    first, second = agent(first), agent(second)
    points = 0.0
    for game in range(games):
        rng = random.Random(game // 2)
        position = Position.start(rules)
        for _ in range(opening):
            position = position.play(rng.choice(position.moves)) if not position.is_over else position
        black, white = (first, second) if game % 2 == 0 else (second, first)
        while not position.is_over:
            player = black if position.turn is Color.BLACK else white
            position = position.play(player.choose(position, Limits(), rng.getrandbits(32)).move)
        margin = position.score(Color.BLACK) * (1 if game % 2 == 0 else -1)
        points += 1.0 if margin > 0 else 0.5 if margin == 0 else 0.0
    return points / games


@pytest.mark.compiled
def test_the_players_are_ranked_as_in_the_paper() -> None:
    """Heuristic and playouts beat chance; playouts by the heuristic of the own side beat those at random."""
    classic = read_table("classic")
    heuristic_player = HeuristicPlayer(classic)
    pure = FlatMonteCarlo(250)
    guided = FlatMonteCarlo(250, PlayoutPolicy("own_heuristic", worths=classic))
    assert play_match(heuristic_player, RandomPlayer(), 40, Rules(8), 0) > 0.8
    assert play_match(pure, RandomPlayer(), 12, Rules(8), 0) > 0.9
    assert play_match(guided, pure, 20, Rules(8), 2) > 0.5


@pytest.mark.compiled
def test_kernels_are_compiled_once_per_layout() -> None:
    """A second signature would mean that signed words, or plain ints, came in somewhere."""
    for size in SIZES:
        FlatMonteCarlo(2).choose(Position.start(Rules(size)).play(Position.start(Rules(size)).moves[0]), Limits(), 1)
        HeuristicPlayer().choose(Position.start(Rules(size)), Limits(), 1)
    for name, shape in (("playouts", "Uniform("), ("best_by_heuristic", "Guided(")):
        signatures = [signature for signature in getattr(kernels, name).signatures if shape in str(signature)]
        assert len(signatures) == 2, signatures
