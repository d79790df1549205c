"""Games that people bring: WTHOR, SGF, GGF, transcripts with results and links, read by one reader and written back."""

import io
import json
import random
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.arena.store import Store
from outflank.board import Color, Position, Rules
from outflank.errors import BadNotation, BadSpec, OutflankError
from outflank.formats import (
    Names,
    read,
    read_all,
    read_ggf,
    read_sgf,
    read_transcript,
    read_wthor,
    write_ggf,
    write_sgf,
    write_transcript,
    write_wthor,
)
from outflank.formats.sgf_records import sgf_games
from outflank.formats.wthor_files import is_wthor
from outflank.game import Game, MoveNote, Termination
from outflank.interfaces.cli import main
from support import DATA, EFFORT, PERFECT_GAME, every_size, every_variant, shared

NAMES = ["Ada", "Zoë Ångström", "???", "", "Bernard"]


def random_game(rules: Rules, seed: int, plies: int = 1000, **facts: object) -> Game:
    rng, game = random.Random(seed), Game.of(Position.start(rules))
    while len(game) < plies and game.end.moves:
        game = game.play(rng.choice(game.end.moves))
    return replace(game, **facts)  # type: ignore[arg-type]


def database(count: int = 40) -> list[Game]:
    """Standard games on 8x8 with names, played out or resigned; among so many some have passes."""
    found = []
    for seed in range(count):
        facts = {"black": NAMES[seed % 5], "white": NAMES[seed % 3], "tags": {"EV": f"Cup {seed % 2}"}}
        game = random_game(Rules(), seed, 30 if seed % 7 == 6 else 1000, **facts)
        found.append(game if game.over else game.resign(Color.BLACK))
    return found


def told(game: Game) -> tuple[object, ...]:
    """What every format of whole games keeps."""
    return game.start, game.moves, game.black, game.white, game.date, game.score, game.points, game.termination


# --- WTHOR ----------------------------------------------------------------------------------------------------


def test_a_database_is_read_as_its_games_were_played(tmp_path: Path) -> None:
    games = database()
    assert any(move.is_pass for game in games for move in game.moves)
    files = write_wthor(games)
    for ending, content in zip(("wtb", "JOU", "trn"), files, strict=True):
        (tmp_path / f"Club.{ending}").write_bytes(content)
    found = list(read_all(tmp_path / "Club.wtb"))
    for game, back in zip(games, found, strict=True):
        assert (back.moves, back.end, back.points) == (game.moves, game.end, game.points)
        assert (back.black, back.white, back.tags["EV"]) == (game.black, game.white, game.tags["EV"])
        assert (back.termination == game.termination) == (game.termination is Termination.NORMAL)
    assert write_wthor(found) == files
    assert [told(game) for game in read_all(tmp_path)] == [told(game) for game in found], "a directory"
    assert read(tmp_path / "Club.wtb").moves == games[0].moves == read(tmp_path).moves
    with (tmp_path / "Club.wtb").open("rb") as stream:
        assert [game.moves for game in read_all(stream)] == [game.moves for game in games]


@pytest.mark.parametrize(("write", "back"), [(write_ggf, read_ggf), (write_sgf, read_sgf)])
def test_a_database_comes_back_through_other_formats(
    write: Callable[[Game], str], back: Callable[[str], list[Game]]
) -> None:
    files = write_wthor(replace(game, black=game.black or "x", white=game.white or "y") for game in database())
    numbered = {number: f"player {number}" for number in range(10)}
    games = read_wthor(files.games, Names(tuple(numbered.values()), ("", "Cup 0", "Cup 1")))
    assert write_wthor(game for one in games for game in back(write(one))).games == files.games


def test_the_database_of_1985_comes_back_byte_for_byte() -> None:
    path = shared("wthor", "WTH_1985.wtb")
    games = list(read_all(path))
    assert len(games) == 954 and games[0].black == "Bernard-Guelle Thie"
    files = write_wthor(games)
    assert files.games == path.read_bytes()
    for write, back in ((write_ggf, read_ggf), (write_sgf, read_sgf)):
        again = [back(write(game))[0] for game in games]
        assert write_wthor(again) == files
        assert list(map(told, again)) == list(map(told, games))


def test_who_has_no_number_gets_a_free_one() -> None:
    numbered = {"WTHOR": "tournament=3 black=7 white=2 score=40 best=34"}
    games = [
        Game.of(None, PERFECT_GAME, black="a", white="b", tags=numbered),
        Game.of(None, PERFECT_GAME, black="c", white="a", tags=numbered),
        Game.of(None, PERFECT_GAME, black="d", white=""),
    ]
    content = write_wthor(games).games
    rows = [struct.unpack_from("<HHHBB", content, 16 + 68 * game) for game in range(3)]
    assert rows == [(3, 7, 2, 40, 34), (3, 1, 7, 40, 34), (0, 3, 0, 32, 32)]


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (Game.of(Position.start("reversed 8x8"), "f5"), "game 1 is reversed 8x8"),
        (Game.of(Position.start("standard 6x6")), "game 1 is standard 6x6"),
        (Game.of(None, "f5d6"), "game 1 goes on; WTHOR has games with a result"),
    ],
)
def test_what_a_database_cannot_hold_is_refused(game: Game, message: str) -> None:
    with pytest.raises(BadSpec, match=message):
        write_wthor([game])


@pytest.mark.parametrize(
    ("at", "value", "message"),
    [
        (16 + 68 + 8, 99, "game 2 has the byte 99 at move 1; expected 10"),
        (16 + 68 + 8, 11, "game 2: move 1 .*black cannot play a1; legal: d3 c4 f5 e6"),
        (16 + 68 + 20, 0, "game 2 has more moves behind its end at move 13"),
        (16 + 6, 65, "game 1 has 65 discs of black; expected 0 to 64"),
        (4, 200, "the file ends after 3 games; its beginning tells of 200"),
        (12, 10, "of a 10x10 board; expected 8x8"),
        (13, 1, "solitaires"),
    ],
)
def test_a_damaged_database_is_told_by_game_and_move(at: int, value: int, message: str) -> None:
    content = bytearray(write_wthor([Game.of(None, PERFECT_GAME)] * 3).games)
    content[at] = value
    with pytest.raises(BadNotation, match=message):
        read_wthor(bytes(content))


@settings(max_examples=int(300 * EFFORT), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=4), st.integers(0, 400))
def test_any_bytes_are_a_database_or_a_clear_error(changes: list[tuple[int, int]], cut: int) -> None:
    content = bytearray(write_wthor(database(3)).games)
    for at, value in changes:
        content[at % len(content)] = value
    try:
        games = read_wthor(bytes(content[: len(content) - cut // 4]))
    except OutflankError as error:
        assert "expected" in str(error) or "tells of" in str(error) or "legal" in str(error)
    else:
        assert all(Game.of(None, game.moves).end == game.end for game in games)


def test_files_of_names_may_be_cut_or_missing(tmp_path: Path) -> None:
    files = write_wthor([Game.of(None, PERFECT_GAME, black="a", white="b")])
    (tmp_path / "WTH_2001.WTB").write_bytes(files.games)
    assert read(tmp_path / "WTH_2001.WTB").black == ""
    (tmp_path / "WTH.JOU").write_bytes(files.players[:-10])
    assert (read(tmp_path / "WTH_2001.WTB").black, read(tmp_path / "WTH_2001.WTB").white) == ("a", "")
    (tmp_path / "WTH.JOU").write_bytes(bytes(2_000_000))
    with pytest.raises(BadNotation, match="more than 65,536 names"):
        read(tmp_path / "WTH_2001.WTB")


def test_texts_are_no_databases() -> None:
    for text in (PERFECT_GAME, write_ggf(Game.of()), write_sgf(Game.of()), Position.start().line(), "", "\n" * 40):
        assert not is_wthor(text.encode())


# --- SGF ------------------------------------------------------------------------------------------------------


@every_size
@every_variant
def test_games_come_back_from_sgf(size: int, variant: str) -> None:
    for seed in range(3):
        game = random_game(
            Rules.parse(f"{variant} {size}x{size}"), seed, 1000 if seed else 9, black="A ]\\[", date="2026-11-16"
        )
        notes = tuple(
            MoveNote(float(ply % 5 - 2), seconds=ply / 8, comment="why ]\n" * (ply % 3 == 1))
            for ply in range(len(game))
        )
        cut = replace(game, notes=tuple(replace(note, comment=note.comment.strip()) for note in notes))[4:]
        for sample in (cut, replace(game, white="β")):
            [back] = read_sgf(write_sgf(sample))
            assert told(back) == told(sample) and back.notes == sample.notes
            assert read(io.StringIO(write_sgf(sample))).moves == sample.moves


def test_every_ending_comes_back_from_sgf() -> None:
    for game, ending in product((Game.of(None, "f5d6c3"), Game.of(None, PERFECT_GAME)), Termination):
        if ending is not Termination.NORMAL:
            for points, ruled in ((1.0, 12), (0.0, -64), (0.5, 0), (1.0, None), (0.0, None), (0.5, None)):
                ended = replace(game, termination=ending, reason="white: why", points=points, ruled=ruled)
                [back] = read_sgf(write_sgf(ended))
                assert (told(back), back.reason) == (told(ended), "white: why")


@pytest.mark.parametrize(
    ("text", "moves", "result"),
    [
        ("(;GM[2];B[f5];W[d6])", "f5d6", ""),
        ("(;FF[4]GM[2];B[fe];W[df])", "f5d6", ""),
        ("( ;\nFF [4] GM\n[2] ; B [F5] )", "f5", ""),
        ("(;GM[2](;B[f5];W[d6](;B[c3])(;B[c5]))(;B[d3]))", "f5d6c3", ""),
        ("(;FF[3]GaMe[2]RE[0];Black[f5])", "f5", "a draw, 4 to 1 (adjudicated: as recorded)"),
        ("(;GM[2]RE[W+Time];B[f5])", "f5", "white wins, 4 to 1 (timeout: as recorded)"),
        ("(;GM[2]RE[33-31];B[f5])", "f5", "black wins, 4 to 1 (adjudicated: as recorded)"),
        ("(;GM[2]RE[Void];B[f5])", "f5", ""),
    ],
)
def test_sgf_as_others_write_it(text: str, moves: str, result: str) -> None:
    game = read(text)
    assert (game.tags["format"], game.transcript, game.result) == ("sgf", moves, result)


def test_first_positions_and_passes_in_sgf() -> None:
    before = Position.parse("XXXXOOOXOOXXOO-- X")
    setup = "AB[a1][b1][c1][d1][d2][c3][d3]AW[a2][b2][c2][a3][b3][a4][b4]"
    for moves in ("B[];W[cd];B[dd]", "W[c4];B[d4]", "B[PA];W[c4];B[d4]", "B[tt];W[c4];B[d4]"):
        game = read(f"(;GM[2]SZ[4]PL[B]{setup};{moves})")
        assert (game.start, game.moves) == (before, read_transcript("pa c4 d4", before).moves)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;GM[1];B[aa])", "the game has number '1'; expected 2, Othello"),
        ("(;GM[2]SZ[19];B[aa])", "19"),
        ("(;GM[2]SZ[x])", "board size 'x' is not known"),
        ("(;GM[2];B[a1])", "game 1: move 1: black cannot play a1"),
        ("(;GM[2];W[f5])", "move 1 .* is white's; expected a move of black"),
        ("(;GM[2];B[f5];AB[a1])", "node 3 changes the board other than by a move"),
        ("(;GM[2]AB[--])", "a disc is set on a pass"),
        ("(;GM[2]AB[a1]AW[a1])", "two discs on one square"),
        ("(;GM[2];B[f5]", "strange text '' at character 14 of the record; expected PROPERTY"),
        ("(;GM[2];B[f5", "strange text 'B.f5' at character 9"),
        ("(;GM[2]?", "strange text '\\?'"),
    ],
)
def test_bad_sgf(text: str, message: str) -> None:
    with pytest.raises(BadNotation, match=message):
        read(text)


def test_a_record_may_be_cut_anywhere() -> None:
    text = "x ( \n ;GM[2]PB[a];B[f5]) ( ;GM[2];B[f5];W[d6])"
    for cut in range(1, len(text)):
        assert [len(game) for game in sgf_games([text[:cut], text[cut:]])] == [1, 2]


PIECES = [
    "(",
    ")",
    ";",
    "[",
    "]",
    "\\",
    "C[",
    "C[]",
    "(;",
    ";B[f5]",
    "AB[a1]",
    "[a1]",
    "\n",
    " A",
    "#rules=",
    "&a=b",
    "33-31 ",
]


@pytest.mark.parametrize("piece", PIECES)
def test_long_texts_take_no_time(piece: str) -> None:
    """Pieces that would make a careless expression take quadratic time; such a test would run for minutes."""
    for begin in ("(;GM[2]", "(;GM[2]C[", "#rules=standard-8x8&", "f5 "):
        for text in (begin + piece * 30_000, begin + piece * 300_000):
            with suppress(OutflankError):
                list(read_all(io.StringIO(text)))


def test_collections_of_sgf_may_come_in_pieces(tmp_path: Path) -> None:
    games = [random_game(Rules(6), seed, 12, black=f"player {seed}") for seed in range(7)]
    text = "\n\n".join(map(write_sgf, games))
    assert [told(game) for game in read_sgf(text)] == [told(game) for game in games]
    file = tmp_path / "many.sgf"
    file.write_text(text * 1100, encoding="utf-8")
    assert file.stat().st_size > 1_000_000 and sum(1 for _ in read_all(file)) == 7700


# --- GGF, transcripts, links -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["games.ggf", "TestGames.ggf", "test.ggf", "test2.ggf"])
def test_records_keep_all_they_say(name: str) -> None:
    """Ratings, clocks, komi, types and times, through GGF and through SGF."""
    path = DATA / name if name == "games.ggf" else shared("ggf", name)
    for game in read_all(path):
        for back in (
            *read_ggf(write_ggf(game)),
            *(one for sgf in read_sgf(write_sgf(game)) for one in read_ggf(write_ggf(sgf))),
        ):
            assert told(back) == told(game) and back.notes == game.notes
            plain = {tag: value for tag, value in game.tags.items() if tag not in ("RE", "BO")}
            assert plain == {tag: value for tag, value in back.tags.items() if tag in plain}
            if "KM" in plain:
                assert float(game.tags["RE"]) == float(back.tags["RE"]) != game.score


def test_komi_counts_in_the_result_of_a_record() -> None:
    game = Game.of(None, PERFECT_GAME, tags={"KM": "-3.5", "RE": "+3.5", "TY": "8kr20"})
    for text in (write_ggf(game), write_ggf(read_sgf(write_sgf(game))[0])):
        assert "RE[+3.5]" in text and "KM[-3.5]" in text and "TY[8kr20]" in text
    assert read_ggf(write_ggf(game))[0].score == 0


def test_results_behind_transcripts() -> None:
    assert read(f"{PERFECT_GAME} 32-32").result == "a draw, 32 to 32"
    assert read("f5d6c3 33-31").score == 2 and read("f5d6c3, 31 : 33").score == -2
    assert read("f5d6c3 33-31", "reversed").score == -2
    assert [game.score for game in read_all("f5d6c3 33-31\nf5f6 20-44")] == [2, -24]
    assert read("1. f5 d6 2. c3").result == "" == read("f5-d6-c3").result
    for game in (
        random_game(Rules(6, "reversed"), 1),
        random_game(Rules(10), 2),
        Game.of(None, "f5d6").resign(Color.BLACK),
    ):
        text = write_transcript(game, result=True)
        back = read_transcript(text, game.start)
        assert (back.moves, back.score) == (game.moves, game.score)
    with pytest.raises(BadNotation, match="the result 33-31 is not that of the moves, 32-32"):
        read(f"{PERFECT_GAME} 33-31")
    with pytest.raises(BadNotation, match="the result 33-61 has 94 discs; expected at most 64"):
        read("f5d6 33-61")


def test_links_of_the_page() -> None:
    game = read("http://127.0.0.1:8080/#view=analyse&rules=standard-8x8&moves=f5d6c3")
    assert (game.tags["format"], game.transcript) == ("link", "f5d6c3")
    shared = read("#view=analyse&rules=standard-8x8&moves=f5d6&then=c3&black=Ada&white=agent%3AClub&review=0_0_x_1__")
    assert (shared.transcript, shared.black, shared.white) == ("f5d6c3", "Ada", "Club")
    line = Position.start("reversed 4x4").play("b1").line()
    both = f"#rules=reversed-4x4&moves=a1&start={line.replace(' ', '+')}\nhttps://a.b/c#view=play&rules=standard-10x10"
    first, second = read_all(both)
    assert (str(first.rules), first.start.line(), first.transcript) == ("reversed 4x4", line, f"{line} a1")
    assert (str(second.rules), len(second)) == ("standard 10x10", 0)
    for text, message in (
        ("#rules=standard-7x7", "this looks like a link of the page, but"),
        ("#rules=standard-8x8&moves=a1", "black cannot play a1"),
        ("#rules=standard-8x8&start=-----OX--XO-----+X", "the link is of standard 8x8, but its start of standard 4x4"),
        ("#rules=standard-8x8" + "&a=b" * 50, "more than 20 parts"),
    ):
        with pytest.raises(BadNotation, match=message):
            read(text)


def test_a_directory_is_all_its_games(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text(write_sgf(Game.of(None, "f5")))
    (tmp_path / "b.ggf").write_text(write_ggf(Game.of(None, "f5d6")))
    (tmp_path / "c.txt").write_text("f5d6c3 33-31\nf5f6e6f4")
    (tmp_path / "notes.md").write_text("good evening")
    (tmp_path / "d.txt").mkdir()
    assert [len(game) for game in read_all(tmp_path)] == [1, 2, 3, 4] == [len(game) for game in read_all(str(tmp_path))]
    (tmp_path / "b.txt").write_text("good evening")
    with pytest.raises(BadNotation, match=r"b\.txt: 'good evening' is neither"):
        list(read_all(tmp_path))
    empty = tmp_path / "d.txt"
    with pytest.raises(BadNotation, match="there is no game in"):
        read(empty)


# --- stores and conversions --------------------------------------------------------------------------------------


def outflank(*words: object) -> None:
    assert main([str(word) for word in words]) == 0


def test_a_database_comes_back_from_a_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = database()
    twice = [*games, games[0], games[6]]  # the same game may be in a record twice
    for ending, content in zip(("wtb", "jou", "trn"), write_wthor(twice), strict=True):
        (tmp_path / f"a.{ending}").write_bytes(content)
    outflank("convert", tmp_path / "a.wtb", tmp_path / "club.db")
    assert "42 games added, 0 were there already; it holds 42 games" in capsys.readouterr().out
    outflank("store", tmp_path / "club.db", "--import", tmp_path / "a.wtb", "--json")
    assert json.loads(capsys.readouterr().out) == {"added": 0, "known": 42, "unfinished": 0, "games": 42}
    outflank("store", tmp_path / "club.db", "--check")
    with pytest.raises(BadNotation, match=r"club.db: this is a store of games, which Store"):
        list(read_all(tmp_path / "club.db"))
    outflank("convert", tmp_path / "club.db", tmp_path / "b.WTB")
    for ending in ("wtb", "jou", "trn"):
        back = tmp_path / ("b.WTB" if ending == "wtb" else f"b.{ending}")
        assert back.read_bytes() == (tmp_path / f"a.{ending}").read_bytes()
    with Store(tmp_path / "club.db", reading=True) as store:
        assert {game.black for game in store.games()} == {f'person("{name or "?"}")' for name in NAMES}


@pytest.mark.parametrize("name", ["games.ggf", "TestGames.ggf", "test.ggf", "test2.ggf"])
def test_records_come_back_from_stores_and_other_forms(name: str, tmp_path: Path) -> None:
    path = DATA / name if name == "games.ggf" else shared("ggf", name)
    games = [game for game in read_all(path) if game.over]
    first = tmp_path / "first.ggf"
    first.write_text("".join(f"{write_ggf(game)}\n" for game in games), encoding="latin-1")
    way = [first, *(tmp_path / each for each in ("a.sgf", "b.db", "c.ggf", "d.db", "e.sgf", "f.ggf"))]
    for before, after in pairwise(way):
        outflank("convert", before, after)
    again = list(read_all(way[-1]))
    assert list(map(told, again)) == list(map(told, games))
    for one, other in zip(games, again, strict=True):
        assert one.notes == other.notes
        plain = {tag: value for tag, value in one.tags.items() if tag not in ("RE", "BO", "GM")}
        assert plain.items() <= other.tags.items()


def test_conversions_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.txt"
    file.write_text("f5d6c3 33-31\nf5f6\n")
    outflank("convert", file, "-", "--form", "sgf")
    assert [game.transcript for game in read_sgf(capsys.readouterr().out)] == ["f5d6c3", "f5f6"]
    outflank("convert", file, file, tmp_path / "all.csv", "--json")
    assert json.loads(capsys.readouterr().out)["games"] == 4
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 5
    outflank("convert", file, tmp_path / "some.db")
    assert "1 game added, 0 were there already, 1 without a result left out" in capsys.readouterr().out
    outflank("convert", tmp_path / "some.db", tmp_path / "back.txt")
    assert (tmp_path / "back.txt").read_text() == "f5d6c3 33-31\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere.ggf", "b.sgf"], "there is no file or directory nowhere.ggf; expected games to read"),
        (["a.txt", "b"], "the ending of b tells no form; expected .jsonl"),
        (["a.txt", "a.txt"], "a.txt is both read and written; expected another file to write"),
        (["a.txt", "-", "--form", "wthor"], "wthor is not text"),
        (["a.txt", "b.wtb"], "game 1 goes on; WTHOR has games with a result"),
        (["bad.txt", "b.sgf"], "bad.txt: 'good evening' is neither a game nor a position"),
    ],
)
def test_bad_conversions(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("f5d6")
    Path("bad.txt").write_text("good evening")
    assert main(["convert", *words]) == 2
    assert message in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "bad.txt"], "nothing half written is left"
