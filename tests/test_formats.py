"""Transcripts, and real games of the WTHOR database."""

import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.board import SIZES, Color, Position, Rules
from outflank.errors import BadNotation, IllegalMove, OutflankError
from outflank.formats import parse_moves, play_moves, replay, transcript
from support import EFFORT, PERFECT_GAME, every_size, shared

pass_forced = "e6f4c3c4d3d6e3c2b3d2c5f5f3"


def random_moves(size: int, seed: int) -> list[int]:
    rng, position, moves = random.Random(seed), Position.start(Rules(size)), []
    while position.moves:
        moves.append(rng.choice(position.moves))
        position = position.play(moves[-1])
    return moves


def test_the_perfect_game_is_drawn() -> None:
    end = play_moves(Position.start(), replay(Position.start(), PERFECT_GAME))
    assert end.is_over and end.empties == 0 and end.winner is None
    assert end.discs(Color.BLACK) == end.discs(Color.WHITE) == 32


@settings(max_examples=int(60 * EFFORT), deadline=None)
@given(st.sampled_from(SIZES), st.integers(0, 10**6), st.booleans(), st.sampled_from(["", " ", "\n", "-", ", "]))
def test_transcripts_come_back(size: int, seed: int, passes: bool, separator: str) -> None:
    moves, rules = random_moves(size, seed), Rules(size)
    text = separator.join(transcript([move], rules, passes) for move in moves if passes or move != rules.pass_move)
    while moves[-1:] == [rules.pass_move]:  # cannot happen: a game never ends on a pass
        raise AssertionError(moves)
    assert replay(Position.start(rules), text.upper() if seed % 2 else text) == moves


def test_passes_are_implied_or_written_in_every_way() -> None:
    seed = next(seed for seed in range(100) if 36 in random_moves(6, seed))
    moves, rules = random_moves(6, seed), Rules(6)
    start = Position.start(rules)
    assert replay(start, transcript(moves, rules)) == moves
    for word in ("pa", "PS", "pass", "--", "@@", " Pass "):
        assert replay(start, transcript(moves, rules, passes=True).replace("pa", word)) == moves


def test_move_numbers_and_two_digit_rows() -> None:
    assert [move for move, _ in parse_moves("1. f5 d6 2. c3 d3 10.c4", Rules())] == [37, 43, 18, 19, 26]
    assert [move for move, _ in parse_moves("j10a1p16o9", Rules(16))] == [153, 0, 255, 142]
    assert [move for move, _ in parse_moves("f5d62.c3", Rules())] == [37, 43, 18]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("f5?", BadNotation, r"strange text '\?' at character 3"),
        ("f5 z9", BadNotation, "'z9' is not a square of a 8x8 board; expected a1 to h8, at character 4"),
        ("f5 f", BadNotation, "strange text 'f' at character 4"),
        ("a1", IllegalMove, r"move 1 \(character 1\): black cannot play a1; legal: d3 c4 f5 e6"),
        ("f5f5", IllegalMove, r"move 2 \(character 3\): white cannot play f5"),
        ("f5--", IllegalMove, "white cannot play pass; legal: f4 d6 f6"),
        (PERFECT_GAME + "a1", IllegalMove, "the game is over"),
    ],
)
def test_bad_transcripts(text: str, error: type[OutflankError], message: str) -> None:
    with pytest.raises(error, match=message):
        replay(Position.start(), text)


@settings(max_examples=int(500 * EFFORT), deadline=None)
@given(st.text(alphabet="abcdefghpas12345678-@. ", max_size=30) | st.text(max_size=20))
def test_any_text_is_a_game_or_a_clear_error(text: str) -> None:
    try:
        moves = replay(Position.start(), text)
    except OutflankError as error:
        assert any(word in str(error) for word in ("expected", "legal", "over"))
    else:
        assert replay(Position.start(), transcript(moves, Rules(), passes=True)) == moves


@every_size
def test_off_board_squares_are_refused(size: int) -> None:
    with pytest.raises(BadNotation):
        replay(Position.start(Rules(size)), f"a{size + 1}")


@pytest.mark.compiled
def test_every_wthor_game_of_1985_replays_to_its_stored_score() -> None:
    """68-byte records: three indices, actual and theoretical black score, 60 moves as 10 * row + column."""
    data = shared("wthor", "WTH_1985.wtb").read_bytes()
    games = struct.unpack_from("<I", data, 4)[0]
    assert len(data) == 16 + 68 * games and games > 100
    finished = 0
    for number in range(games):
        record = data[16 + 68 * number : 84 + 68 * number]
        text = "".join(f"{'abcdefgh'[move % 10 - 1]}{move // 10}" for move in record[8:] if move)
        end = play_moves(Position.start(), replay(Position.start(), text))
        if end.is_over:
            finished += 1
            assert 32 + end.score(Color.BLACK, "winner") / 2 == record[6], text
    assert finished > 0.95 * games
