"""Patterns: their geometry and sums against the obvious ones, shipped weights, and the regression that made them."""

import io
import json
import lzma
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from outflank.agents import agent, identity
from outflank.board import Color, Position, Rules, Variant
from outflank.errors import BadSpec
from outflank.evaluation import read_evaluation
from outflank.game_loop import play_game
from outflank.interfaces.cli import main
from outflank.kernels.evaluate import evaluation_of
from outflank.kernels.patterns import SCALE, UNIT
from outflank.learn.games import Positions, game_lines, read_positions
from outflank.learn.regression import errors, fit
from outflank.patterns import PatternWeights, pattern_set, quantised, read_weights, shipped_weights, weights_in
from outflank.search.limits import Limits
from support import EFFORT, ROOT, from_naive, refused
from test_kernels import arbitrary_board

VARIANTS: tuple[Variant, ...] = ("standard", "reversed")


def slow_value(board: naive.Board, side: str, values: npt.NDArray[np.int16]) -> int:
    """The sum of the weights, square by square, from the description of the patterns alone."""
    size = len(board)
    patterns, discs = pattern_set(size), size * size - naive.counts(board)[2]
    length = -(-(size * size - 4) // len(values))
    phase = min(max(discs - 4, 0) // length, len(values) - 1)
    total = int(values[phase, patterns.tempo + discs])
    for name, squares in patterns.instances:
        number = 0
        for square in squares:
            disc = board[square // size][square % size]
            number = 3 * number + (0 if disc not in "XO" else 1 if disc == side else -1)
        total += int(values[phase, patterns.offsets[name] + 3 ** len(squares) // 2 + number])
    return total * UNIT // SCALE


def random_weights(size: int, phases: int = 5) -> npt.NDArray[np.int16]:
    shape = (phases, pattern_set(size).weights)
    return np.random.default_rng(1).integers(-2000, 2000, shape).astype(np.int16)


@pytest.mark.parametrize("size", [6, 8, 10])
@settings(max_examples=int(100 * EFFORT), deadline=None)
@given(seed=st.integers(0, 2**32), emptiness=st.sampled_from([0.05, 0.3, 1.0, 4.0]), side=st.sampled_from("XO"))
def test_the_sum_equals_the_obvious_one(size: int, seed: int, emptiness: float, side: str) -> None:
    board = arbitrary_board(size, seed, emptiness)
    values = random_weights(size)
    position = from_naive(board, side)
    built = PatternWeights(Rules(size), values, {}).build()
    assert evaluation_of(*position.boards, built, None) == slow_value(board, side, values)


@pytest.mark.parametrize("size", [6, 8, 10])
def test_every_kind_stands_at_all_its_places(size: int) -> None:
    patterns = pattern_set(size)
    places = {name: [set(squares) for kind, squares in patterns.instances if kind == name] for name in patterns.kinds}
    everywhere = {"corner": 4, "edge": 4, "triangle": 4, "block": 8, f"diagonal {size}": 2, "diagonal 4": 4, "row 2": 4}
    assert {name: len(places[name]) for name in everywhere} == everywhere
    assert set.union(*(set.union(*found) for found in places.values())) == set(range(size * size))
    assert all(len(squares) <= 10 for squares in patterns.kinds.values())


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_value_is_the_same_for_all_symmetries(variant: Variant) -> None:
    rng = random.Random(3)
    position = Position.start(Rules(8, variant))
    for _ in range(25):
        position = position.play(rng.choice(position.moves))
    spec = read_evaluation("patterns")
    values = {evaluation_of(*image.boards, *spec.build(position.rules)) for image in map(position.transform, range(8))}
    assert len(values) == 1


def test_weights_are_written_and_read(tmp_path: Path) -> None:
    patterns = pattern_set(6)
    values = random_weights(6)[:, patterns.canonical]
    made = PatternWeights(Rules(6), values, {"rules": "standard 6x6", "games": 7})
    made.write(tmp_path / "six.npz")
    read = read_weights(tmp_path / "six.npz", Rules(6))
    assert np.array_equal(read.values, values) and read.card == made.card


SHIPPED = sorted((ROOT / "src" / "outflank" / "weights").glob("*.npz"))


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_shipped_weights_have_a_card_and_fit_their_bounds(file: Path) -> None:
    weights = shipped_weights(Rules.parse(file.stem.replace("-", " ")))
    assert weights.card["rules"] == file.stem.replace("-", " ") and weights.card["made"] and weights.card["error"]
    assert "/tmp" not in json.dumps(weights.card), "a card names no place of the machine it was made on"
    assert file.stat().st_size < 4 * 2**20
    # No sum of all patterns and the move can leave the range that searches and tables take.
    terms = len(pattern_set(weights.rules.size).instances) + 1
    assert terms * int(np.abs(weights.values).max()) * UNIT // SCALE < 10**6


def test_boards_without_weights_are_refused_before_the_first_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(BadSpec, match=r"there are no trained patterns for standard 12x12; expected .* or standard 8x8"):
        shipped_weights(Rules(12))
    for text in ("minimax(depth=2, eval=patterns)", "uct(playouts=9, playout=cutoff(depth=1, eval=patterns))"):
        store = tmp_path / "games.db"
        assert main(["match", text, "random", "--size", "12", "--games", "2", "--store", str(store)]) == 2
        assert "there are no trained patterns for standard 12x12" in capsys.readouterr().err


def test_weights_are_part_of_the_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    before = identity("minimax(depth=2, eval=patterns)")
    playout = identity("uct(playouts=9, playout=cutoff(depth=1, eval=patterns))")
    monkeypatch.setattr("outflank.agents.identities.weights_digest", lambda: "other")
    assert identity("minimax(depth=2, eval=patterns)") != before
    assert identity("uct(playouts=9, playout=cutoff(depth=1, eval=patterns))") != playout
    assert identity("minimax(depth=2)").endswith("#" + before.split("#")[1].split("-")[0])


def written(path: Path, seed: int = 1, **changes: object) -> Path:
    """A small file of weights for standard 6x6."""
    patterns = pattern_set(6)
    values = np.random.default_rng(seed).integers(-2000, 2000, (2, patterns.weights)).astype(np.int16)
    PatternWeights(Rules(6), values[:, patterns.canonical], {"rules": "standard 6x6"} | changes).write(path)
    return path


def test_weights_of_a_file_play_and_count_by_their_content(tmp_path: Path) -> None:
    one, copy, other = written(tmp_path / "one.npz"), tmp_path / "copy.npz", written(tmp_path / "other.npz", seed=2)
    copy.write_bytes(one.read_bytes())
    texts = {
        path: (
            f'minimax(depth=2, eval=patterns(weights="{path}"))',
            f'uct(playouts=9, playout=cutoff(depth=1, eval=patterns(weights="{path}")))',
            f'engine(depth=2, memory=1, weights="{path}")',
        )
        for path in (one, copy, other)
    }
    start = Position.start(Rules(6))
    for i in range(3):
        values = [agent(texts[path][i]).choose(start, seed=1).value for path in (one, copy, other)]
        assert values[0] == values[1] != values[2]
        marks = [identity(texts[path][i]).split("#")[1] for path in (one, copy, other)]
        assert marks[0] == marks[1] != marks[2]
    kept, before = agent(texts[one][0]), identity(texts[one][0])
    value = kept.choose(start).value
    one.write_bytes(other.read_bytes())  # whoever plays goes on with what it read; whoever is built now reads anew
    assert kept.choose(start).value == value != agent(texts[one][0]).choose(start).value
    assert identity(texts[one][0]) != before
    assert agent(agent(texts[one][0]).text).text == agent(texts[one][0]).text


def archive(path: Path, **members: bytes) -> Path:
    """A zip file with these members."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return path


def packed(array: npt.NDArray[np.generic]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def test_what_is_no_file_of_weights_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    card, good = packed(np.array('{"rules": "standard 6x6"}')), written(tmp_path / "good.npz")
    ones = packed(np.ones((2, 9), np.int16))
    wrong = {
        tmp_path / "missing.npz": "No such file",
        tmp_path: "no file of weights",
        written(tmp_path / "no-rules.npz", rules="chess"): "for which rules",
        written(tmp_path / "other-board.npz", rules="reversed 6x6"): "weights for reversed 6x6; expected",
        archive(tmp_path / "no-card.npz", weights=ones): "cannot be unpacked",
        archive(tmp_path / "no-weights.npz", card=card): "cannot be unpacked",
        archive(tmp_path / "list.npz", card=packed(np.array("[1]")), weights=ones): "its card is no table",
        archive(tmp_path / "few.npz", card=card, weights=ones): "shape (2, 9)",
        archive(tmp_path / "objects.npz", card=card, weights=packed(np.array([{}], object))): "cannot be unpacked",
        archive(tmp_path / "huge.npz", card=card, weights=bytes(65 * 2**20)): "at most 67,108,864 are possible",
        archive(tmp_path / "boast.npz", card=card, weights=ones.replace(b"(2, 9)", b"(99,9)")): "cut off",
    }
    text = tmp_path / "text.npz"
    text.write_text("no archive")
    torn = tmp_path / "torn.npz"
    torn.write_bytes(good.read_bytes()[:-100])
    for path, told in (wrong | {text: "cannot be unpacked", torn: "cannot be unpacked"}).items():
        command = ["match", "--quiet", f'minimax(depth=1, eval=patterns(weights="{path}"))', "random", "--size", "6"]
        assert told in refused([*command, "--games", "2", "--store", str(tmp_path / "games.db")], capfd), path
    with (tmp_path / "long.npz").open("wb") as file:
        file.truncate(64 * 2**20 + 1)
    with pytest.raises(BadSpec, match="more than 67,108,864 bytes"):
        read_weights(tmp_path / "long.npz", Rules(6))
    assert weights_in(good).rules == Rules(6)


@pytest.mark.compiled
@pytest.mark.parametrize("variant", VARIANTS)
def test_patterns_beat_five_terms_at_equal_depth(variant: Variant) -> None:
    """Ten games at two plies, the same ones each time: a sign error or weights of the other variant lose them all."""
    rng, won = random.Random(5), 0.0
    ours, theirs = agent("minimax(depth=2, eval=patterns)"), agent("minimax(depth=2, eval=five_terms)")
    for _ in range(5):
        opening = Position.start(Rules(8, variant))
        for _ in range(8):
            opening = opening.play(rng.choice(opening.moves))
        won += play_game(ours, theirs, opening, seed=1).points or 0
        won += 1 - (play_game(theirs, ours, opening, seed=1).points or 0)
    assert won >= 8


def slow_negamax(position: Position, depth: int, value: Callable[[Position], int]) -> int:
    """The value for the side to move, with a pass as a ply."""
    if position.is_over:
        score = position.score(position.turn)
        return 10**6 * ((score > 0) - (score < 0))
    if depth == 0:
        return value(position)
    return max(-slow_negamax(position.play(move), depth - 1, value) for move in position.moves)


OWN = """
from outflank.kernels.bitboard import count

def tempo(own, opp, size):
    return 100 * count(own) - 90 * count(opp) + 7

tempo.of_mover = True
"""


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("evaluation", ["patterns", "mover_relative:tempo"])
def test_minimax_values_leaves_for_their_side_to_move(
    evaluation: str, variant: Variant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mover_relative.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    spec = read_evaluation(evaluation)
    rng, rules = random.Random(7), Rules(8, variant)
    search = agent(f"minimax(eval={evaluation})")
    for plies in (3, 20, 41):
        position = Position.start(rules)
        for _ in range(plies):
            position = position.play(rng.choice(position.moves))
        for depth in (1, 2, 3):
            expected = slow_negamax(position, depth, lambda leaf: evaluation_of(*leaf.boards, *spec.build(rules)))
            assert search.choose(position, Limits(depth=depth), 0).value == expected


# --- learning -------------------------------------------------------------------------------------------------------


def random_games(count: int, size: int, seed: int) -> list[str]:
    """Lines of random games with their scores."""
    rng, lines = random.Random(seed), []
    for _ in range(count):
        position, moves = Position.start(Rules(size)), ""
        while position.moves:
            move = rng.choice(position.moves)
            position = position.play(move)
            moves += "" if str(move) == "pass" else str(move)
        lines.append(f"4 {position.score(Color.BLACK):+d} {moves}\n")
    return lines


def test_positions_are_those_of_the_games(tmp_path: Path) -> None:
    lines = random_games(6, 6, seed=1)
    path = tmp_path / "games.txt.xz"
    path.write_bytes(lzma.compress("".join(lines).encode()))
    found = read_positions(game_lines(path), Rules(6))
    expected = []
    for line in lines:
        _, score, moves = line.split()
        position, plies = Position.start(Rules(6)), 0
        for i in range(0, len(moves), 2):
            if str(position.moves[0]) == "pass":
                position = position.play("pass")
            if plies >= 4:
                me, opp, _ = position.boards
                expected.append((me[0], opp[0], int(score) * (1 if position.turn == 0 else -1)))
            position, plies = position.play(moves[i : i + 2]), plies + 1
    got = zip(found.own[:, 0].tolist(), found.other[:, 0].tolist(), found.labels.tolist(), strict=True)
    assert list(got) == expected


@pytest.mark.parametrize("line", ["d3", "x 1 d3", "1 y d3", "1 2 d", "1 2 d9", "1 2 a1", "0 2 d3d3"])
def test_bad_lines_of_games_are_refused(line: str) -> None:
    with pytest.raises(BadSpec, match="line 1"):
        read_positions([line], Rules(8))


def labelled(positions: Positions, weights: npt.NDArray[np.float32]) -> Positions:
    """The same positions with labels that these weights foretell exactly."""
    return Positions(
        positions.rules, positions.own, positions.other, -errors(positions, weights) + positions.labels, positions.games
    )


@pytest.mark.compiled
def test_the_regression_finds_what_made_the_labels() -> None:
    positions = read_positions(random_games(150, 6, seed=2), Rules(6))
    patterns = pattern_set(6)
    truth = np.random.default_rng(2).normal(0, 1, (4, patterns.weights)).astype(np.float32)[:, patterns.canonical]
    known, nothing = labelled(positions, truth), np.zeros_like(truth)
    found = fit(known, nothing, prior=0.01, passes=30)
    before, after = (float(np.sqrt(np.mean(errors(known, weights) ** 2))) for weights in (nothing, found))
    assert after < 0.05 * before
    assert np.array_equal(found, found[:, patterns.canonical])


@pytest.mark.compiled
def test_the_regression_is_the_least_squares_solution() -> None:
    """The gradient of its sum, written out again with a matrix, vanishes where it ends, and nowhere else nearby."""
    positions = read_positions(random_games(20, 6, seed=3), Rules(6))
    patterns = pattern_set(6)
    start = np.random.default_rng(3).normal(0, 1, (2, patterns.weights)).astype(np.float32)[:, patterns.canonical]
    found = fit(positions, start, prior=5.0, passes=50)
    error = errors(positions, found)
    loss = float(np.sum(error.astype(np.float64) ** 2))
    canonical = patterns.canonical == np.arange(patterns.weights)
    total = loss + 5.0 * float(np.sum((found - start)[:, canonical].astype(np.float64) ** 2))
    rng = np.random.default_rng(4)
    for scale in (0.01, 0.1, 1.0):
        other = (
            found + scale * (found - start) * rng.normal(0, 1, found.shape).astype(np.float32)[:, patterns.canonical]
        )
        moved = float(np.sum(errors(positions, other).astype(np.float64) ** 2))
        assert moved + 5.0 * float(np.sum((other - start)[:, canonical].astype(np.float64) ** 2)) > total


@pytest.mark.compiled
def test_what_is_learned_holds_on_other_games_and_noise_teaches_nothing() -> None:
    games = random_games(300, 6, seed=4)
    positions = read_positions(games, Rules(6))
    held = positions.games >= 240
    training, others = positions.where(~held), positions.where(held)
    nothing = np.zeros((4, pattern_set(6).weights), np.float32)
    learned = fit(training, nothing, prior=30.0)
    shuffled = np.random.default_rng(5).permutation(training.labels)
    noise = fit(Positions(training.rules, training.own, training.other, shuffled, training.games), nothing, prior=30.0)
    late = others.empties <= 8
    before, after, wrong = (np.sqrt(np.mean(errors(others, w)[late] ** 2)) for w in (nothing, learned, noise))
    assert after < 0.85 * before and wrong > 0.95 * before


def test_quantised_weights_are_those_in_discs() -> None:
    discs = np.array([[0.5, -1.26, 10_000, -10_000]], np.float32)
    assert quantised(discs).tolist() == [[32, -81, 32767, -32767]]
