"""Transcripts, GGF and OBF, told apart automatically; real games of the WTHOR database and of GGS."""

import io
import random
import re
import struct
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import naive
from outflank.board import SIZES, Color, Move, Position, Rules, Variant, moves_text, parse_moves, read_moves
from outflank.errors import BadNotation, IllegalMove, OutflankError
from outflank.formats import (
    Problem,
    read,
    read_all,
    read_ggf,
    read_obf,
    read_transcript,
    write_ggf,
    write_obf,
    write_transcript,
)
from outflank.game import Game, MoveNote, Termination
from support import DATA, EFFORT, PERFECT_GAME, VARIANTS, every_size, every_variant, from_naive, shared

START = Position.start()
games = st.tuples(st.sampled_from(SIZES), st.sampled_from(VARIANTS), st.integers(0, 10**6), st.integers(0, 8))


def random_moves(size: int, seed: int) -> tuple[Move, ...]:
    return moves_from(Position.start(Rules(size)), seed)


def moves_from(position: Position, seed: int) -> tuple[Move, ...]:
    rng, moves = random.Random(seed), []
    while position.moves:
        moves.append(rng.choice(position.moves))
        position = position.play(moves[-1])
    return tuple(moves)


def test_the_perfect_game_is_drawn() -> None:
    end = read_transcript(PERFECT_GAME, Position.start()).end
    assert end.is_over and end.empties == 0 and end.winner is None
    assert end.discs(Color.BLACK) == end.discs(Color.WHITE) == 32


@settings(max_examples=int(60 * EFFORT), deadline=None)
@given(st.sampled_from(SIZES), st.integers(0, 10**6), st.booleans(), st.sampled_from(["", " ", "\n", "-", ", "]))
def test_transcripts_come_back(size: int, seed: int, passes: bool, separator: str) -> None:
    moves, rules = random_moves(size, seed), Rules(size)
    text = separator.join(moves_text([move], passes) for move in moves if passes or move != rules.pass_move)
    while moves[-1:] == (rules.pass_move,):  # cannot happen: a game never ends on a pass
        raise AssertionError(moves)
    assert read_transcript(text.upper() if seed % 2 else text, Position.start(rules)).moves == moves


def test_passes_are_implied_or_written_in_every_way() -> None:
    seed = next(seed for seed in range(100) if 36 in random_moves(6, seed))
    moves, rules = random_moves(6, seed), Rules(6)
    start = Position.start(rules)
    assert read_transcript(moves_text(moves), start).moves == moves
    for word in ("pa", "PS", "pass", "--", "@@", " Pass "):
        assert read_transcript(moves_text(moves, passes=True).replace("pa", word), start).moves == moves


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
        read_transcript(text, Position.start())


@settings(max_examples=int(500 * EFFORT), deadline=None)
@given(st.text(alphabet="abcdefghpas12345678-@. ", max_size=30) | st.text(max_size=20))
def test_any_text_is_a_game_or_a_clear_error(text: str) -> None:
    try:
        moves = read_transcript(text, Position.start()).moves
    except OutflankError as error:
        assert any(word in str(error) for word in ("expected", "legal", "over"))
    else:
        assert read_transcript(moves_text(moves, passes=True), Position.start()).moves == moves


@every_size
def test_off_board_squares_are_refused(size: int) -> None:
    with pytest.raises(BadNotation):
        read_transcript(f"a{size + 1}", Rules(size))


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
        end = read_transcript(text, Position.start()).end
        if end.is_over:
            finished += 1
            assert 32 + end.score() / 2 == record[6], text
    assert finished > 0.95 * games


# --- GGF ------------------------------------------------------------------------------------------------------


@every_size
def test_ggf_as_others_read_it(size: int) -> None:
    rules = Rules(size, "reversed")
    start = Position.start(rules)
    moves = naive.random_game(naive.start(size), "X", 3, 1)[1]
    text = write_ggf(Game.of(start, moves, black="A [x]\n", white="β"))
    tags = re.findall(r"([A-Z]+)\[(.*?)\]", text)
    assert text.startswith("(;GM[Othello]") and text.endswith(";)") and "\n" not in text
    assert [tag for tag, _ in tags if tag not in "BW"] == ["GM", "PC", "PB", "PW", "RE", "TY", "BO"]
    assert [rules.square(value) for tag, value in tags if tag in "BW"] == moves
    assert "".join(tag for tag, _ in tags if tag in "BW") == ("BW" * len(moves))[: len(moves)]
    cells, side = dict(tags)["BO"].removeprefix(f"{size} ").split()
    assert from_naive(*naive.from_line(f"{cells} {side}".replace("*", "X")), "reversed") == start
    board = Game.of(start, moves).end
    assert dict(tags)["RE"] == f"{naive.score(tuple(board.cells()), 'X', 'reversed', 'winner'):+d}"
    assert (dict(tags)["TY"], dict(tags)["PB"], dict(tags)["PW"]) == (f"{size}a", "A (x)", "?")


def test_ggf_as_nboard_writes_it() -> None:
    moves = read_transcript("f5d6", START).moves
    want = "RE[?]TI[15:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6];)"
    assert write_ggf(Game.of(START, moves), clock=900).endswith(want)
    assert "TI[1:00:01]" in write_ggf(Game(START), clock=3601)
    assert "RE[-64:t]" in write_ggf(
        replace(Game.of(START, moves), termination=Termination.TIMEOUT, reason="late", points=0.0)
    )


@settings(max_examples=int(60 * EFFORT), deadline=None)
@given(games, st.text(max_size=10))
@example((4, "standard", 0, 0), " ")
def test_ggf_comes_back(game: tuple[int, Variant, int, int], name: str) -> None:
    size, variant, seed, before = game
    rules = Rules(size, variant)
    start = Game.of(Position.start(rules), random_moves(size, seed)[:before]).end
    moves = moves_from(start, seed + 1)
    plain = " ".join(name.replace("[", "(").replace("]", ")").encode("latin-1", "replace").decode("latin-1").split())
    text = f"2 {write_ggf(Game.of(start, moves, black=name, white=name))}\n{write_ggf(Game.of(start, moves[:3]))}"
    whole, part = read_ggf(text if name else text.lower())
    assert (whole.start, whole.moves, whole.black, whole.white) == (start, moves, plain or "black", plain or "white")
    assert whole.score == Game.of(start, moves).end.score() and whole.termination is Termination.NORMAL
    assert (part.start, part.moves, part.black) == (start, moves[:3], "black")
    assert part.score is None or len(moves) <= 3


@pytest.mark.parametrize(
    ("name", "games"), [("games.ggf", 5), ("TestGames.ggf", 12), ("test.ggf", 1), ("test2.ggf", 3)]
)
def test_every_sample_game_replays_to_its_stored_result(name: str, games: int) -> None:
    found = read_ggf((DATA / name if name == "games.ggf" else shared("ggf", name)).read_text(encoding="latin-1"))
    assert len(found) == games
    for game in found:
        end = Game.of(game.start, game.moves).end
        komi = float(game.tags.get("KM", 0))
        assert end.is_over and game.score is not None and game.black and game.white and game.tags["PC"] == "GGS/os"
        assert game.score == end.score() == pytest.approx(float(game.tags["RE"]) + komi, abs=0.005)
    if name in ("games.ggf", "test2.ggf"):
        assert [(game.tags["TY"], game.rules.size, game.tags.get("KM", "0")) for game in found[:2]] == [
            ("4", 4, "0"),
            ("8kr20", 8, "-3.133"),
        ]
        assert found[1].start.empties == 44


BOARD_4 = "BO[4 ---- -O*- -*O- ---- *]"


@pytest.mark.parametrize(
    ("record", "rules", "moves"),
    [
        ("(;;)", "standard 8x8", ""),
        ("(; TY [ 10 ] ;)", "standard 10x10", ""),
        ("1 (;GM[othello]TY[s4r4]BO[4-----0x--xo-----X]B[b1/+2.5/0.1]W[A1];)", "standard 4x4", "b1a1"),
        (f"(;TY[w4ka]KM[-2.5]{BOARD_4}B[b1]\n W[a1//3];)", "reversed 4x4", "b1a1"),
        (f"(;{BOARD_4}PB[see (;) ;) x]B[B1];)", "standard 4x4", "b1"),
    ],
)
def test_ggf_in_other_hands(record: str, rules: str, moves: str) -> None:
    [game] = read_ggf(record)
    assert str(game.start.rules) == rules and moves_text(game.moves, passes=True) == moves


@pytest.mark.parametrize("word", ["PA", "p", "Pass//4.2", "--", "left out"])
def test_passes_in_ggf(word: str) -> None:
    seed = next(seed for seed in range(100) if 16 in random_moves(4, seed)[:-2])
    moves, start = random_moves(4, seed), Position.start(Rules(4))
    text = write_ggf(Game.of(start, moves))
    assert "[PA]" in text
    changed = re.sub(r"[BW]\[PA\]", "", text) if word == "left out" else text.replace("[PA]", f"[{word}]")
    assert read_ggf(changed)[0].moves == moves


@pytest.mark.parametrize(("text", "result", "ending"), [("?", None, ""), ("+64.000:t", 64, "t"), ("-12: R", -12, "r")])
def test_results_in_ggf(text: str, result: float | None, ending: str) -> None:
    [game] = read_ggf(f"(;RE[{text}]TY[8];)")
    ends = {"": None, "t": Termination.TIMEOUT, "r": Termination.RESIGNED}
    assert (game.score, game.termination) == (result, ends[ending])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f5d6", "no GGF record in 'f5d6'"),
        ("(;GM[Othello]", "game 1: strange text '' at character 14 of the record; expected TAG"),
        ("(;PB[a;)", "game 1: strange text"),
        ("(;;) (;GM[Chess];)", "game 2: the game is 'Chess'; expected Othello"),
        ("(;TY[88];)", "the octagon"),
        ("(;BO[88 ---- *];)", "the octagon"),
        ("(;TY[8x];)", "match type '8x' is not known"),
        ("(;TY[7];)", "board size 7"),
        ("(;TY[16]BO[4 ---- -O*- -*O- ---- *];)", "differ in size"),
        ("(;BO[6 ---- -O*- -*O- ---- *];)", "board of size 6 has 16 squares"),
        ("(;BO[board];)", "has no size"),
        ("(;BO[4 ---- -O*- -*O- ---- -];)", "side to move"),
        ("(;RE[won];)", "result 'won' is not known"),
        ("(;KM[1e9];)", "komi '1e9' is not known"),
        (f"(;{BOARD_4}W[b1];)", r"move 1 \(b1\) is white's; expected a move of black"),
        (f"(;{BOARD_4}B[a1];)", "move 1: black cannot play a1"),
        (f"(;{BOARD_4}B[h9];)", "'h9' is not a square"),
        (f"(;{BOARD_4}B[];)", "'' is not a square"),
        ("(;RE[" + "9" * 5000 + "];)", "result"),
    ],
)
def test_bad_ggf(text: str, message: str) -> None:
    with pytest.raises(BadNotation, match=message):
        read_ggf(text)


# --- whatever people paste ------------------------------------------------------------------------------------


@settings(max_examples=int(60 * EFFORT), deadline=None)
@given(games)
def test_every_way_to_write_a_game_is_recognised(game: tuple[int, Variant, int, int]) -> None:
    size, variant, seed, before = game
    rules, opening = Rules(size, variant), random_moves(size, seed)[:before]
    start = Game.of(Position.start(rules), opening).end
    moves = moves_from(start, seed + 1)
    text, short = moves_text(moves), moves_text(moves)[:2]
    told = f"{rules}: " + ("game over" if start.is_over else f"{start.turn} to move")
    shown = "\n".join(str(start).splitlines()[:-1]) + f"\n{told}\nlegal moves: {short}\ndiscs: black 3, white 2\n"
    ways = [
        ("ggf", write_ggf(Game.of(start, moves, black="a", white="b"))),
        ("board and moves", f"{start.line()} {text}"),
        ("board and moves", f"% a game\n{chr(10).join(start.cells())}\n{start.turn.sign}\n\n{text}"),
        ("board and moves", f"{start}\n\n{text}"),
        ("board and moves", f"{start!r}\n{text}"),
        ("board and moves", f"{shown}\n{text}"),
    ]
    for form, written in ways if moves else ways[:1]:
        found = read(written, variant)
        assert (found.start, found.moves, found.tags["format"]) == (start, moves, form), written
        assert found.end.is_over
    played = (*opening, *moves)
    farthest = max(max(ord(name[0]) - 96, int(name[1:])) for name in map(str, played) if name != "pass")
    tells = size == 8 or farthest > max(8, size - 2)  # a short game may fit a smaller board, which is then taken
    found = read(moves_text(played), variant, None if tells else size)
    assert (found.start, found.moves, found.tags["format"]) == (Position.start(rules), played, "transcript")


@every_variant
@every_size
def test_positions_are_recognised(size: int, variant: Variant) -> None:
    position = Game.of(Position.start(Rules(size, variant)), random_moves(size, 1)[:5]).end
    for form, text in [
        ("board", position.line()),
        ("board", position.line().replace(" ", "").lower()),
        ("board", "\n".join([*position.cells(), position.turn.sign])),
        ("board", f"{position}"),
        ("board", f"{position!r}"),
        ("board", f"{position}".upper()),
        ("obf", f"{position.line()};"),
        (
            "obf",
            f"# a file\n\n{position.line()}; {position.moves[0]}:+2; % best\n{position.line()}",
        ),
    ]:
        found = read(text, variant)
        assert (found.start, found.moves, found.tags["format"]) == (position, (), form), text


def test_the_drawing_tells_the_variant_and_the_record_its_names() -> None:
    position = Position.start(Rules(6, "reversed"))
    assert read(repr(position)).start == position
    found = read(write_ggf(Game.of(position, [], black="a", white="b")) + write_ggf(Game.of(START)))
    assert (found.start, found.black, found.white) == (position, "a", "b")


@pytest.mark.parametrize(("text", "size"), [("f5d6", 8), ("1. f5 d6 2. c3", 8), ("f5d62.c3", 8), ("e4", 10)])
def test_the_board_of_a_transcript(text: str, size: int) -> None:
    assert read(text, size=None if size == 8 else size).start == Position.start(Rules(size))


def test_squares_beyond_8x8_make_the_board_larger() -> None:
    for size in (10, 12, 14, 16):
        moves = random_moves(size, 2)
        assert read(moves_text(moves).upper()).start.rules.size == size


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is neither a game nor a position; expected an SGF record .*, or a transcript such as f5d6c3"),
        ("good evening", "'good evening' is neither"),
        ("f5a1", r"this looks like a transcript, but: move 2 \(character 3\): white cannot play a1"),
        ("f5 z9", "this looks like a transcript, but: 'z9' is not a square of a 8x8 board"),
        ("-" * 63 + " X", "this looks like a board line or an OBF line, but: position has 63 squares"),
        ("-" * 64, "position has 63 squares"),
        (START.line() + "; best", "'best' is not a scored move"),
        (START.line() + " a1", "black cannot play a1"),
        (START.line() + "\n" + START.line(), "position has 129 squares"),
        (str(START).rpartition("\n")[0], "this looks like a drawn board, but: there is no side to move"),
        (str(START).replace("3 - -", "3 -"), "row 3 of the drawn board is .* expected 8 squares"),
        ("a b c d\n1 - - - -", "row 2 of the drawn board is ''"),
        (str(START) + "\nf5f5", "move 2"),
        ("(;GM[Othello]B[a1];)", "this looks like a GGF record, but: game 1: move 1: black cannot play a1"),
    ],
)
def test_what_is_not_recognised_is_explained(text: str, message: str) -> None:
    with pytest.raises(BadNotation, match=message):
        read(text)


SAMPLES = [
    PERFECT_GAME,
    write_ggf(read_transcript("f5d6")),
    str(START),
    repr(START),
    f"{START.line()}; f5:+2;",
    "a10j9",
]


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A good text with a piece cut out and something else put in."""
    text = draw(st.sampled_from(SAMPLES))
    first, last = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    filling = draw(st.text(alphabet="(;)[]BWOX*-.%#:a15 \n", max_size=20) | st.text(max_size=5))
    return text[:first] + filling + text[min(last, first + draw(st.integers(0, 12))) :]


@settings(max_examples=int(1500 * EFFORT), deadline=None)
@given(damaged() | st.text(alphabet="XO-*. abcdefgh12345678(;)[]\n%#", max_size=80) | st.text(max_size=60))
def test_any_text_is_recognised_or_refused_with_reason(text: str) -> None:
    for reader in (read_ggf, read_obf):
        with suppress(OutflankError):
            reader(text)
    try:
        found = read(io.StringIO(text))
    except BadNotation as error:
        assert "this looks like" in str(error) or "expected" in str(error)
    else:
        assert read(write_ggf(Game.of(found.start, found.moves))).moves == found.moves


@pytest.mark.parametrize(
    "piece", ["f5", "9", "(;", "[", "A", " ", "-", "a b c d\n", "black to move ", "B[f5]", ";", "%"]
)
def test_long_texts_are_refused_in_no_time(piece: str) -> None:
    """Pieces that would make a careless expression take quadratic time; such a test would run for minutes."""
    for text in (piece * 50_000, f"(;{piece * 50_000}", f"a b c d\n{piece * 50_000}"):
        with pytest.raises(BadNotation):
            read(text)


# --- readers and writers in pairs -----------------------------------------------------------------------------


@settings(max_examples=int(40 * EFFORT), deadline=None)
@given(games)
def test_what_is_written_is_read(given_game: tuple[int, Variant, int, int]) -> None:
    size, variant, seed, before = given_game
    rules = Rules(size, variant)
    opening = random_moves(size, seed)[:before]
    game = Game.of(Position.start(rules), opening)
    game = game.play(*moves_from(game.end, seed + 1))
    assert read_transcript(write_transcript(game), rules).moves == game.moves
    assert read_moves(moves_text(game.moves, passes=True), rules) == game.moves
    cut = Game.of(game.positions[before], game.moves[before:])
    assert read(write_transcript(cut, passes=True), variant, size).moves == cut.moves or not cut.moves
    problems = [
        Problem(position, dict.fromkeys(position.moves, 4)) for position in game.positions if not position.must_pass
    ]
    assert read_obf(write_obf(problems), variant) == problems


def test_values_times_and_endings_come_back_from_ggf() -> None:
    game = Game.of(START, "f5d6c3", black="a", white="b", date="2026.11.16")
    notes = (MoveNote(-1.5, seconds=0.25), MoveNote(), MoveNote(seconds=3.0))
    told = replace(game, notes=notes)
    assert "B[F5/-1.50/0.25]W[D6]B[C3//3]" in write_ggf(told)
    [back] = read_ggf(write_ggf(told))
    assert (back.notes, back.moves, back.date) == (notes, game.moves, game.date)
    for ending in Termination:
        if ending is not Termination.NORMAL:
            ended = replace(game, termination=ending, reason="white: why", points=1.0, ruled=12)
            [back] = read_ggf(write_ggf(ended))
            assert (back.termination, back.reason, back.points, back.score) == (ending, "white: why", 1.0, 12)


def test_any_source_is_read(tmp_path: Path) -> None:
    file = tmp_path / "games.ggf"
    both = [Game.of(START, "f5d6", black="Zoë"), Game.of(START, "f5f6e6")]
    file.write_text("\n".join(map(write_ggf, both)), encoding="latin-1")
    with file.open("rb") as stream:
        sources = [read(file), read(str(file)), read(stream), read(file.read_text(encoding="latin-1"))]
    assert {(game.moves, game.black) for game in sources} == {(both[0].moves, "Zoë")}
    assert [game.moves for game in read_all(file)] == [game.moves for game in both]
    assert [len(game) for game in read_all("f5d6\nf5f6e6")] == [2, 3]
    assert [game.moves for game in read_all("f5d6\nc3")] == [read_transcript("f5d6c3").moves]
    assert len(list(read_all(f"{START.line()}; f5:+2;\n{START.line()};"))) == 2 and len(list(read_all(str(START)))) == 1
    file.write_text("good evening")
    for reader in (read, lambda source: list(read_all(source))):
        with pytest.raises(BadNotation, match=f"{file}: 'good evening' is neither"):
            reader(file)


def test_no_more_moves_are_read_than_a_game_can_have() -> None:
    with pytest.raises(BadNotation, match="cannot have more than 128 moves"):
        read("f5" * 5000, size=8)
    assert read("f5" + " ,;" * 20_000 + "d6").moves == read("f5d6").moves
