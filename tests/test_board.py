"""Rules, squares, positions, text, scores, symmetry."""

import json
import pickle
import random
from collections import Counter
from dataclasses import FrozenInstanceError
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from outflank.board import SIZES, Color, Empties, Position, Rules, Variant
from outflank.errors import BadNotation, BadRules, IllegalMove, OutflankError
from outflank.kernels.jit import INTERPRETED
from support import EFFORT, every_size, every_variant, from_naive


def compare_random_game(size: int, variant: Variant, seed: int) -> None:
    """One random game, ours and the oracle's side by side: every move list, position and result."""
    rng = random.Random(seed)
    board, side = naive.start(size), "X"
    position = Position.start(Rules(size, variant))
    while True:
        expected = naive.plies(board, side)
        assert list(position.moves) == expected
        assert position == from_naive(board, side, variant)
        assert position.is_over == (not expected)
        if not expected:
            break
        move = rng.choice(expected)
        position = position.play(move)
        board, side = naive.play(board, side, move), naive.OTHER[side]
    compare_results(position, board)


def compare_results(position: Position, board: naive.Board) -> None:
    variant = position.rules.variant
    assert (position.discs(Color.BLACK), position.discs(Color.WHITE), position.empties) == naive.counts(board)
    conventions: tuple[Empties, ...] = ("nobody", "winner")
    for color in Color:
        for empties in conventions:
            assert position.score(color, empties) == naive.score(board, color.sign, variant, empties)
    margin = naive.score(board, "X", variant, "nobody")
    assert position.winner == (Color.BLACK if margin > 0 else Color.WHITE if margin < 0 else None)


@every_size
@every_variant
def test_random_games_equal_the_oracle(size: int, variant: Variant) -> None:
    """A sample of `make soak`."""
    for seed in range(max(1, int(12 * EFFORT))):
        compare_random_game(size, variant, seed)


@pytest.mark.parametrize(
    ("variant", "empties", "value"),
    [("standard", "nobody", -8), ("standard", "winner", -10), ("reversed", "nobody", 3), ("reversed", "winner", 4)],
)
@pytest.mark.compiled
def test_4x4_solved_over_the_full_tree(variant: Variant, empties: Empties, value: int) -> None:
    """Black's value with perfect play, found through our own moves and scores."""

    @cache
    def best(position: Position) -> int:
        if not position.moves:
            return position.score(position.turn, empties)
        return max(-best(position.play(move)) for move in position.moves)

    assert best(Position.start(Rules(4, variant))) == value


@pytest.mark.compiled
def test_positions_up_to_symmetry() -> None:
    level, sizes = {Position.start().canonical()}, []
    for _ in range(6):
        level = {position.play(move).canonical() for position in level for move in position.moves}
        sizes.append(len(level))
    assert sizes == [1, 3, 14, 60, 322, 1773]


@settings(max_examples=int(100 * EFFORT), deadline=None)
@given(st.sampled_from(SIZES), st.integers(0, 10**6), st.integers(0, 30))
def test_symmetry_keeps_the_game(size: int, seed: int, plies: int) -> None:
    rng = random.Random(seed)
    position = Position.start(Rules(size))
    for _ in range(plies):
        if position.moves:
            position = position.play(rng.choice(position.moves))
    images = [position.transform(number) for number in range(8)]
    oracle = {naive.line(board, position.turn.sign) for board in naive.symmetries(tuple(position.cells()))}
    assert {image.line() for image in images} == oracle
    assert {len(image.moves) for image in images} == {len(position.moves)}
    assert len({image.canonical() for image in images}) == 1


def test_forced_pass_and_end() -> None:
    passing = Position.parse("XXXXXXXXXXXXXXO- O")
    assert passing.moves == (16,) and passing.must_pass and not passing.is_over
    after = passing.play("pass")
    assert after.turn is Color.BLACK and after.black == passing.black
    end = after.play("d4")
    assert end.is_over and end.moves == () and end.winner is Color.BLACK
    with pytest.raises(IllegalMove, match="the game is over"):
        end.play("pass")


def test_wipe_out_ends_the_game() -> None:
    wiped = Position.parse("XXXX------------ O")
    assert wiped.is_over and wiped.winner is Color.BLACK
    assert wiped.score(Color.WHITE, "nobody") == -4 and wiped.score(Color.WHITE) == -16
    assert wiped.with_variant("reversed").winner is Color.WHITE


def test_the_winner_is_unknown_before_the_end_and_none_in_a_draw() -> None:
    assert Position.start().play("d3").winner is None
    assert Position.parse("XXXXXXXXOOOOOOOO X").winner is None


def test_positions_are_values() -> None:
    a, b = Position.start(), Position.parse(Position.start().line())
    assert a == b and hash(a) == hash(b) and a is not b
    assert a != a.with_turn(Color.WHITE) and a != a.with_variant("reversed")
    with pytest.raises(FrozenInstanceError):
        a.black = 0  # type: ignore[misc]
    children = [a.play(move) for move in a.moves]
    assert children[0] < children[1] or children[1] < children[0]
    assert a == Position.start(), "playing changed the position"


@every_size
def test_squares_have_names(size: int) -> None:
    rules = Rules(size)
    names = [str(rules.move(number)) for number in range(rules.cells + 1)]
    assert names[0] == "a1" and names[size - 1] == f"{'abcdefghijklmnop'[size - 1]}1" and names[-1] == "pass"
    assert len(set(names)) == len(names)
    assert [rules.square(name.upper()) for name in names] == list(range(rules.cells + 1))


@every_size
@every_variant
def test_rules_and_text_come_back(size: int, variant: Variant) -> None:
    rules = Rules(size, variant)
    assert Rules.parse(str(rules)) == rules
    position = Position.start(rules)
    for choice in (0, -1, 0):
        position = position.play(position.moves[choice])
        assert Position.parse(position.line(), variant) == position
        assert Position.parse(str(position), variant) == position
        assert repr(position).splitlines()[1:] == str(position).splitlines()[:-1]


def test_other_signs_are_read() -> None:
    assert Position.parse("_____oB__*W.....  b") == Position.start(Rules(4))
    assert Position.parse("-----OX--XO----- X; b1:+3; a2:-1;") == Position.start(Rules(4))
    assert Position.parse("----\n-○●-\n-●○-\n----\nX") == Position.start(Rules(4))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "position has 0 squares"),
        ("X", "position has 0 squares"),
        ("-----OX--XO----- ", "position has 15 squares"),
        ("-----OX--XO----", "expected one of 16, 36, 64, 100, 144, 196, 256 squares"),
        ("-----OX--XO----Z X", r"strange character 'Z' at square d4 \(number 16 of 16\)"),
        ("-----OX--0O----- X", "strange character '0' at square b3"),
        ("-----OX--XO----- -", "side to move is '-'"),
        ("-----OX--XO----- q", "strange character 'q' at the side to move"),
        ("-" * 25 + " X", "position has 25 squares"),
        ("-" * 324 + " X", "position has 324 squares"),
    ],
)
def test_bad_position_text(text: str, message: str) -> None:
    with pytest.raises(BadNotation, match=message):
        Position.parse(text)


@settings(max_examples=int(1000 * EFFORT), deadline=None)
@given(st.text(alphabet="XO-.*ox abc123\n;move", max_size=70) | st.text(max_size=70))
def test_any_text_is_a_position_or_a_clear_error(text: str) -> None:
    try:
        position = Position.parse(text)
    except OutflankError as error:
        assert "expected" in str(error)
    else:
        assert Position.parse(position.line()) == position


@pytest.mark.parametrize("size", [5, 18, 2, 0, -8, 7, 8.5, "8", None, True])
def test_bad_sizes(size: object) -> None:
    with pytest.raises(BadRules, match="even number from 4 to 16"):
        Rules(size)  # type: ignore[arg-type]


def test_bad_variant_and_rules_text() -> None:
    with pytest.raises(BadRules, match="expected one of: standard, reversed"):
        Rules(8, "anti")  # type: ignore[arg-type]
    with pytest.raises(BadRules, match="'standard 8x8'"):
        Rules.parse("8")


@pytest.mark.parametrize("text", ["", "a", "a0", "a01", "a9", "i1", "1a", "a1b", "ä1", "a²", "passe", "a" + "1" * 5000])
def test_bad_squares(text: str) -> None:
    with pytest.raises(BadNotation, match="expected a1 to h8"):
        Rules().square(text)


def test_bad_moves() -> None:
    start = Position.start()
    for move in (-1, 65, 0, 64, "a1", "pass"):
        with pytest.raises(IllegalMove):
            start.play(move)
    with pytest.raises(BadNotation, match="outside"):
        Position(Rules(4), 1 << 4, 0)
    with pytest.raises(BadNotation, match="two discs"):
        Position(Rules(4), 1, 1)
    with pytest.raises(BadNotation, match="expected 0 to 512"):
        start.perft(-1)
    with pytest.raises(BadNotation, match="expected 1 or more"):
        start.divide(0)


def test_perft_reports_progress_and_counts_finished_games() -> None:
    seen: list[tuple[int, int]] = []
    depth = 7 if INTERPRETED else 9
    leaves = Position.start(Rules(4)).perft(depth, lambda done, tasks: seen.append((done, tasks)))
    assert leaves == {7: 3624, 9: 20044}[depth]
    assert seen and seen[-1][0] == seen[-1][1] == len(seen)
    assert Position.parse("XXXX------------ O").perft(12) == 1
    assert Position.start(Rules(4)).perft(0) == 1


def test_divide_adds_up() -> None:
    position = Position.start(Rules(6)).play("c2")
    assert sum(position.divide(4).values()) == position.perft(4)
    assert set(position.divide(4)) == set(position.moves)


def test_a_drawing_shows_discs_moves_and_the_last_move() -> None:
    position = Position.start().play("d3")
    svg = position.svg(last=19)
    fills = Counter(part.split('"')[1] for part in svg.split("fill=")[1:])
    assert fills["#111"] == 4 and fills["#fafafa"] == 1 and fills["#a7e0bd"] == 3 and fills["#e5484d"] == 1
    assert position._repr_svg_().count("#e5484d") == 0
    assert "white to move" in svg


@every_size
def test_the_canonical_image_is_the_least_of_eight(size: int) -> None:
    rng, position = random.Random(size), Position.start(Rules(size))
    for _ in range(12):
        position = position.play(rng.choice(position.moves))
        images = [position.transform(number) for number in range(8)]
        assert position.canonical() == min(images) and len({image.canonical() for image in images}) == 1


@every_size
def test_bits_of_the_kernels_have_squares(size: int) -> None:
    rules = Rules(size)
    for square in range(rules.cells):
        assert rules.by_bit[rules.bit(square).bit_length() - 1] == square
        assert list(rules.squares(rules.bit(square) | rules.bit(0))) == sorted({0, square})
    assert rules.by_bit[-1] == rules.pass_move and len(rules.by_bit) == 64 * rules.words + 1


@every_size
def test_positions_travel_without_what_they_worked_out(size: int) -> None:
    position = Position.start(Rules(size, "reversed"))
    packed = pickle.dumps(position)
    assert position.moves and position.rules.full
    assert pickle.dumps(position) == packed
    again = pickle.loads(packed)
    assert again == position and again.moves == position.moves and again.rules == position.rules


def test_digits_are_no_discs() -> None:
    """A board is read by way of digits; they must not get in from outside."""
    with pytest.raises(BadNotation, match="strange character '1' at square c2 "):
        Position.parse("-----O1--XO----- X")
    with pytest.raises(BadNotation, match="strange character '1' at the side to move"):
        Position.parse("-----OX--XO----- 1")


def test_moves_are_numbers_that_print_as_their_names() -> None:
    for size in SIZES:
        rules = Rules(size)
        for number in range(rules.cells + 1):
            move = rules.move(number)
            assert move == number and hash(move) == hash(number) and json.dumps([move]) == f"[{number}]"
            assert str(move) == repr(move) == f"{move}" == f"{move:s}" and f"{move:d}" == str(number)
            assert rules.move(str(move)) is move is rules.square(str(move)) is pickle.loads(pickle.dumps(move))
            assert move.is_pass == (number == rules.cells) and move.size == size
    position = Position.start()
    assert all(move is position.rules.move(int(move)) for move in position.moves)
    assert str(position.moves) == "(d3, c4, f5, e6)" and list(range(65))[position.moves[0]] == 19


def test_positions_after_a_transcript() -> None:
    assert Position.after("f5d6c3") == Position.start().play("f5").play("d6").play("c3")
    assert Position.after("", "reversed 6x6") == Position.start(Rules(6, "reversed")) == Position.start("reversed 6x6")
    with pytest.raises(BadRules):
        Position.start("reversed 7x7")
    with pytest.raises(IllegalMove, match=r"move 2 \(character 3\)"):
        Position.after("f5a1")
