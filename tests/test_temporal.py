"""Temporal differences: kernels against the oracle, networks, a toy game with a known answer, runs that are killed."""

import json
import random
import signal
import subprocess
import sys
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import naive
import naive_search
from naive_temporal import SlowNetwork, league_game, learn
from outflank.agents import agent, identity
from outflank.board import Position, Rules, Variant
from outflank.errors import BadSpec
from outflank.game_loop import play_game
from outflank.interfaces.cli import main
from outflank.kernels.evaluate import evaluation_of
from outflank.kernels.jit import Word
from outflank.kernels.temporal import learn_games, one_ply_games
from outflank.learn.temporal import Plan, State, league, learn_blocks, new_trail, square_worths
from outflank.learn.temporal import learn as learn_to_file
from outflank.learn.tuples import read_network
from outflank.patterns import PatternWeights, quantised, read_weights, weights_in
from outflank.search.solver import solve
from support import EFFORT, ROOT, every_variant, from_naive, refused, running, wait_until
from test_minimax import random_position

# --- networks -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "kinds", "weights"), [(1, 10, 30), (2, 32, 288), (3, 24, 648), (4, 21, 1701)])
def test_straight_networks_have_the_published_numbers_of_weights(length: int, kinds: int, weights: int) -> None:
    """288 weights of pairs are printed in Jaśkowski 2014; the others follow from the same rule."""
    patterns = read_network(f"straight({length})", 8).patterns
    assert (len(patterns.kinds), patterns.tempo) == (kinds, weights)
    runs = [frozenset(squares) for _, squares in patterns.instances]
    assert len(runs) == len(set(runs)) == (64 if length == 1 else 2 * 8 * (9 - length) + 2 * (9 - length) ** 2)


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_snakes_are_walks_that_do_not_cross_themselves_and_all_differ(size: int) -> None:
    network = read_network("snakes(9, 5, seed=3)", size)
    assert network.canonical == "snakes(length=5, number=9, seed=3)"
    assert network.patterns == read_network("snakes(9, 5, seed=3)", size).patterns
    assert network.patterns != read_network("snakes(9, 5, seed=4)", size).patterns
    assert len(network.patterns.kinds) == 9
    for squares in network.patterns.kinds.values():
        steps = [(abs(a // size - b // size), abs(a % size - b % size)) for a, b in pairwise(squares)]
        assert len(set(squares)) == 5 and all(max(step) == 1 for step in steps)
    places = [frozenset(squares) for _, squares in network.patterns.instances]
    assert len(places) == len(set(places)), "no two kinds are images of each other"
    twins = network.patterns.twins
    assert np.array_equal(twins[twins], np.arange(len(twins)))


@pytest.mark.parametrize(
    "text", ["", "crooked", "straight(0)", "straight(9)", "snakes(0)", "snakes(3, 99)", "squares(2)"]
)
def test_networks_that_are_none(text: str) -> None:
    with pytest.raises(BadSpec, match=r"expected|takes at most|known:"):
        read_network(text, 8)


# --- the kernels against the oracle ---------------------------------------------------------------------------------


def slow(size: int, text: str, weights: npt.NDArray[np.float32]) -> SlowNetwork:
    network = read_network(text, size)
    patterns = network.patterns
    instances = [(patterns.offsets[name], squares) for name, squares in patterns.instances]
    twins = patterns.twins.tolist()
    return SlowNetwork(size, instances, patterns.tempo, twins, weights.copy(), network.odd)


@every_variant
@pytest.mark.parametrize("opponent", ["", "league"])
@pytest.mark.parametrize(
    ("size", "text", "phases"),
    [(4, "straight(3)", 2), (6, "straight(2)", 1), (6, "squares", 3), (8, "snakes(4, 5)", 1), (10, "straight(2)", 2)],
)
def test_learning_is_that_of_the_oracle(size: int, text: str, phases: int, opponent: str, variant: Variant) -> None:
    """Game by game, from a position without symmetry and from random weights."""
    rules = Rules(size, variant)
    plan = Plan(rules, text, 100, phases, rate=0.5, last_rate=0.25, trace=0.6, explore=0.3, opponent=opponent)
    network = plan.network
    shape = phases, network.patterns.weights
    random_ones = np.random.default_rng(5).normal(0, 0.1, shape).astype(np.float32)
    weights = np.ascontiguousarray(random_ones[:, network.patterns.canonical])
    board, side, position = random_position(size, 9, variant)
    layout = PatternWeights(plan.rules, np.zeros(weights.shape, np.int16), {}, network.own).build()
    trail = new_trail(plan.rules, len(network.patterns.instances))
    twins, terms, course = network.patterns.twins, plan.terms(), plan.course(network.odd)
    table, turned = naive_search.counter(size), 1 if variant == "standard" else -1

    def by_counter(board: naive.Board, side: str) -> float:
        return turned * naive_search.position(board, side, table)

    for game in range(7, 7 + max(1, int((2 if size < 10 else 1) * EFFORT))):
        oracle, before = slow(size, text, weights), weights.copy()  # anew, so that rounding does not add up
        told = {"rate": 0.5 - game / 400, "trace": 0.6, "explore": 0.3}
        expected = learn(oracle, (board, side), variant, 3, game, told, by_counter if opponent else None)
        errors, positions = learn_games(
            *position.boards, layout, weights, twins, terms, course, Word(3), game, 1, trail
        )
        assert positions and errors == pytest.approx(expected, rel=1e-5)
        assert np.abs(weights - before).max() > 1e-4 and np.allclose(weights, oracle.weights, atol=1e-6)
    assert np.array_equal(weights, weights[:, network.patterns.twins]), "a pattern and its mirrored twin share a weight"


@every_variant
def test_league_games_are_those_of_the_oracle(variant: Variant) -> None:
    rules = Rules(6, variant)
    network = read_network("straight(2)", 6)
    values = quantised(np.random.default_rng(2).normal(0, 3, (1, network.patterns.weights)).astype(np.float32))
    weights = PatternWeights(rules, values[:, network.patterns.canonical], {}, network.own)
    built, terms = weights.build(), Plan(rules).terms()
    table = naive_search.counter(6)
    turned = 1 if variant == "standard" else -1

    def by_network(board: naive.Board, side: str) -> float:
        return evaluation_of(*from_naive(board, side, variant).boards, built, None)

    def by_counter(board: naive.Board, side: str) -> float:
        return turned * naive_search.position(board, side, table)

    games, found = max(2, int(8 * EFFORT)), [0, 0, 0]
    for game in range(games):
        players = (by_network, by_counter) if game % 2 == 0 else (by_counter, by_network)
        margin = league_game(6, variant, *players, share=0.25, seed=9, game=game)
        margin = margin if game % 2 == 0 else -margin
        found[(margin > 0) - (margin < 0) + 1] += 1
    results = np.zeros(3, np.int64)
    one_ply_games(*Position.start(rules).boards, built, terms, turned, 0.25, Word(9), 0, games, results)
    assert results.tolist() == found


# --- the league -----------------------------------------------------------------------------------------------------


def test_a_league_player_looks_one_ply_ahead_and_draws_a_tenth_of_its_moves() -> None:
    _, _, position = random_position(8, 21)
    values = {move: -naive_value(position.play(move)) for move in position.moves}
    best = {move for move, value in values.items() if value == max(values.values())}
    sure = agent("league(random=0)")
    assert {sure.choose(position, seed=seed).move for seed in range(40)} == best
    usual = [agent("league").choose(position, seed=seed).move for seed in range(600)]
    share = sum(move not in best for move in usual) / len(usual)
    expected = 0.1 * (1 - len(best) / len(values))
    assert abs(share - expected) < 5 * (expected / len(usual)) ** 0.5 + 0.005
    assert set(usual) == set(values), "a random move is any legal one"
    random_ones = [agent("league(random=1)").choose(position, seed=seed).move for seed in range(300)]
    assert set(random_ones) == set(values)


def naive_value(position: Position) -> int:
    """Worth of the squares of the side to move less those of the other."""
    table = naive_search.counter(position.rules.size)
    signs = {position.turn.sign: 1, position.turn.other.sign: -1, "-": 0}
    return sum(signs[cell] * worth for cell, worth in zip("".join(position.cells()), table, strict=True))


def test_the_kernel_and_the_agents_score_alike() -> None:
    """They draw from other generators, so only their shares of points can be compared."""
    rules = Rules(4)
    weights = State.begin(Plan(rules)).learned()
    losses, draws, wins = league(weights, seed=1, games=2000)
    points = (wins + 0.5 * draws) / 2000
    played = [
        play_game(agent("league(random=1)"), agent("league"), Position.start(rules), seed=seed).points
        for seed in range(int(100 * EFFORT))
    ]
    assert losses + draws + wins == 2000 and 0 < points < 1
    assert all(point is not None for point in played)


# --- a toy with a known answer --------------------------------------------------------------------------------------


def kept(rules: Rules, player: str, number: int) -> float:
    """The share of positions of random 4x4 games in which a player's move keeps what the position is worth."""
    chance, good, asked = random.Random(4), 0, 0
    one = agent(player)
    while asked < number:
        position = Position.start(rules)
        for _ in range(chance.randrange(1, 9)):
            if position.moves:
                position = position.play(chance.choice(position.moves))
        if len(position.moves) < 2:
            continue
        values = {move: -(solve(position.play(move), by="wdl").score or 0) for move in position.moves}
        if len(set(values.values())) == 1:
            continue
        asked += 1
        good += values[rules.move(one.choose(position, seed=asked).move)] == max(values.values())
    return good / asked


@every_variant
@pytest.mark.compiled
def test_a_network_learns_the_truth_of_4x4(variant: Variant, tmp_path: Path) -> None:
    """The solver knows every result there; random moves keep 4 of 10 results where there is something to lose."""
    rules, file = Rules(4, variant), tmp_path / "toy.npz"
    plan = Plan(rules, "snakes(8, 6)", 20_000, phases=12, rate=0.5, last_rate=0.02, explore=0.3, seed=1)
    learn_to_file(plan, file)
    untaught = f'league(random=0, eval=patterns(weights="{tmp_path / "nothing.npz"}"))'
    State.begin(plan).learned().write(tmp_path / "nothing.npz")
    assert kept(rules, untaught, 150) < 0.6
    assert kept(rules, f'league(random=0, eval=patterns(weights="{file}"))', 150) > 0.8


# --- runs -----------------------------------------------------------------------------------------------------------

TINY = ["learn", "td", "--rules", "standard 6x6", "--patterns", "straight(2)", "--quiet", "--match-games", "0"]


@pytest.mark.compiled
def test_a_run_that_is_killed_twice_ends_with_the_same_weights(tmp_path: Path) -> None:
    whole, torn = tmp_path / "whole.npz", tmp_path / "torn.npz"
    games = [*TINY, "--games", "4000", "--seed", "5"]
    assert main([*games, "--out", str(whole)]) == 0
    beside = tmp_path / "torn.npz.state"
    for least in (1, 1000):
        with running(sys.executable, "-m", "outflank", *games, "--out", str(torn)) as process:
            wait_until(partial(_has_learned, process, beside, least))
            process.send_signal(signal.SIGKILL)
            process.wait()
    assert main([*games, "--out", str(torn)]) == 0
    one, other = weights_in(whole), weights_in(torn)
    assert np.array_equal(one.values, other.values) and one.card["league"] == other.card["league"]
    assert not beside.exists()


def _has_learned(process: subprocess.Popen[str], beside: Path, least: int) -> bool:
    return process.poll() is not None or _games_in(beside) >= least


def _games_in(path: Path) -> int:
    try:
        with np.load(path) as arrays:
            return int(json.loads(str(arrays["told"]))["games"])
    except (OSError, ValueError, KeyError):
        return 0


def test_blocks_do_not_change_what_is_learned(tmp_path: Path) -> None:
    plan = Plan(Rules(4), "straight(2)", games=60, seed=2)
    state = State.begin(plan)
    blocks = learn_blocks(state)
    for _ in range(20):
        next(blocks)
    state.write(tmp_path / "state")
    again = State.read(tmp_path / "state", plan)
    assert again.games == state.games < 60 and again.curve == state.curve
    for one in (state, again):
        for _ in learn_blocks(one):
            pass
    assert np.array_equal(state.weights, again.weights) and state.curve == again.curve
    (tmp_path / "state").write_bytes(b"no state")
    with pytest.raises(BadSpec, match="is damaged"):
        State.read(tmp_path / "state", plan)
    state.write(tmp_path / "state")
    with pytest.raises(BadSpec, match="was made with seed=2, not 3"):
        State.read(tmp_path / "state", Plan(Rules(4), "straight(2)", games=60, seed=3))


@every_variant
@pytest.mark.compiled
def test_a_weighted_piece_counter_learns_what_corners_are_worth(variant: Variant) -> None:
    state = State.begin(Plan(Rules(6, variant), "squares", games=20_000, seed=1))
    for _ in learn_blocks(state):
        pass
    weights = state.learned()
    for name, begin in weights.patterns.offsets.items():
        opposing, empty, own = weights.values[0, begin : begin + 3].tolist()
        assert (opposing, empty) == (-own, 0), name
    worths = square_worths(weights).reshape(6, 6)
    assert np.array_equal(worths, worths.T) and np.array_equal(worths, worths[::-1])
    corner = worths[0, 0]
    assert corner > 2 * np.abs(worths[1, 1]) if variant == "standard" else corner < -2 * np.abs(worths[2, 2])


@pytest.mark.compiled
def test_the_command_learns_measures_and_reports(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file, report = tmp_path / "td.npz", tmp_path / "report"
    command = ["learn", "td", "--rules", "reversed 6x6", "--games", "3000", "--quiet", "--out", str(file)]
    assert main([*command, "--match-games", "4", "--report", str(report), "--json"]) == 0
    facts = json.loads(capfd.readouterr().out)
    assert facts["rules"] == "reversed 6x6" and facts["made"][0]["patterns"] == "straight(length=2)"
    assert [one["opponent"] for one in facts["strength"]][:2] == ["league", "random"]
    for name in ("index.html", "report.md", "figures/td-curve.svg", "figures/td-squares.svg", "tables/strength.csv"):
        assert (report / name).stat().st_size > 100
    weights = read_weights(file, Rules(6, "reversed"))
    assert weights.card["strength"] == facts["strength"] and len(facts["strength"][0]["score"]) == 3
    assert list(weights.card["kinds"]) == list(read_network("straight(2)", 6).patterns.kinds)
    assert "#" in identity(f'uct(playouts=9, playout=cutoff(depth=1, eval=patterns(weights="{file}")))')
    again = [*command[:-1], str(tmp_path / "other.npz")]
    assert main([*again, "--match-games", "0"]) == 0
    said = capfd.readouterr().out
    assert "3,000 games" in said and "of the Othello league" in said


def test_td_refuses_what_it_cannot_do(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = ["--out", str(tmp_path / "td.npz")]
    wrong = {
        "NAME.npz": ["--out", str(tmp_path / "td.txt")],
        "no network is called": [*out, "--patterns", "triangles"],
        "games=0": [*out, "--games", "0"],
        "explore=1.5": [*out, "--explore", "1.5"],
        "trace=-1": [*out, "--trace", "-1"],
        "phases=0": [*out, "--phases", "0"],
        "an opponent 'patterns' is not possible": [*out, "--opponent", "patterns"],
        "no evaluation is called": [*out, "--opponent", "tenshi"],
        "12x12": [*out, "--rules", "standard 12x12"],
        "rules 'chess'": [*out, "--rules", "chess"],
        "--match-games -1": [*out, "--match-games", "-1"],
    }
    for told, options in wrong.items():
        assert told in refused(["learn", "td", *options], capfd), options


def test_other_learners_refuse_networks(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file, games = tmp_path / "td.npz", tmp_path / "games.txt"
    State.begin(Plan(Rules(6))).learned().write(file)
    games.write_text("0 2 c2b3\n")
    command = ["learn", "patterns", str(games), "--rules", "standard 6x6", "--out", str(tmp_path / "new.npz")]
    assert "weights of other patterns" in refused([*command, "--from", str(file)], capfd)


# --- files ----------------------------------------------------------------------------------------------------------

NETWORKS = sorted((ROOT / "src" / "outflank" / "weights" / "networks").glob("*.npz"))


@pytest.mark.parametrize("file", NETWORKS, ids=lambda file: file.stem)
def test_networks_of_the_package_are_small_and_play(file: Path) -> None:
    name, variant, board = file.stem.rsplit("-", 2)
    weights = weights_in(file)
    assert str(weights.rules) == f"{variant} {board}" and weights.card["made"][0]["by"] == "outflank learn td"
    assert file.stat().st_size < 100_000
    start = Position.start(weights.rules)
    assert agent(f"league(eval=patterns(weights={name}))").choose(start, seed=1).move in start.moves
    assert identity(f"league(eval=patterns(weights={name}))") != identity("league(eval=patterns)")


@pytest.mark.parametrize(
    ("kinds", "told"),
    [
        ("a1b1", "lists no patterns"),
        ([1, 2], "lists no patterns"),
        ([], "0 kinds of patterns"),
        (["a1a1"], "a pattern 'a1a1' is not possible"),
        (["z9"], "a pattern 'z9' is not possible"),
        (["a1b"], "a pattern 'a1b' is not possible"),
        (["a1b1c1d1e1f1a2b2c2d2e2"], "is not possible"),
        (["c3c4d3d4"], "is not possible"),
        ([f"a{row}b{other}" for row in range(1, 7) for other in range(1, 7)] * 9, "shape"),
    ],
)
def test_kinds_of_files_are_checked(kinds: object, told: str, tmp_path: Path) -> None:
    file = tmp_path / "own.npz"
    card = np.array(json.dumps({"rules": "standard 6x6", "kinds": kinds}))
    np.savez_compressed(file, weights=np.zeros((1, 99), np.int16), card=card)
    with pytest.raises(BadSpec, match=told):
        read_weights(file, Rules(6))
