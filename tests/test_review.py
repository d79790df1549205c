"""`outflank review`, `analyse` and `show` with games of any form, names of openings, and boards as pictures."""

import json
import struct
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from outflank.analysis import review
from outflank.board import Color, Position, Rules
from outflank.execute import Processes
from outflank.formats import read_all, write_ggf, write_sgf
from outflank.game import Game
from outflank.interfaces.cli import main
from outflank.named_openings import named_openings, opening_name
from outflank.report.reviews import review_game, review_games
from support import every_size, shared

ENDING = Position.parse("OX-OXOO-XXXXXXX- O")


# --- openings -------------------------------------------------------------------------------------------------


def test_openings_are_known_in_every_order_and_image() -> None:
    assert Game.of(None, "f5d6c3d3c4").opening == "Tiger" == Game.of(None, "c4e3f6e6f5").opening
    assert Game.of(None, "f5d6c4d3c5").opening == "Cat" and Game.of(None, "f5f4").opening == "Parallel"
    assert Game.of(None, "f5d6c3d3c4f4f6f3e6e7d7").opening == "Scorpion", "the last name on the way"
    assert Game.of(None, "f5").opening == "" == Game.of(Position.start("standard 6x6"), "c2b4").opening
    assert Game.of(Position.start("reversed 8x8"), "f5d6").opening == "Perpendicular"
    late = Game.of(Position.after("f5d6c3"), "d3c4")
    assert late.opening == "Tiger" and late[:0].opening == ""


def test_every_name_is_of_one_position() -> None:
    names, most = named_openings()
    assert len(set(names.values())) == len(names) > 70 and 20 <= most <= 30
    for position, name in names.items():
        assert opening_name([position.transform(5)]) == name


def test_names_are_those_of_others() -> None:
    """As far as both have them; a name of theirs may have words of explanation and other names beside it."""
    text = shared("openings", "welty_openings.txt").read_text(encoding="latin-1")
    theirs = {
        Position.after(line.split()[0].lower()).canonical(): line.partition(" ")[2].strip().lower()
        for line in text.splitlines()
        if line.strip() and not line.startswith("//")
    }
    ours, _ = named_openings()
    both = ours.keys() & theirs.keys()
    assert len(both) > 70
    for position in both:
        first = ours[position].lower().replace(" ", "").replace("f.a.t.draw", "f.a.t.")
        assert first in theirs[position].replace(" ", "").replace("-", "-"), (ours[position], theirs[position])


# --- pictures -------------------------------------------------------------------------------------------------


def pixels(png: bytes) -> npt.NDArray[np.uint8]:
    """The pixels of a picture with eight bits a colour and rows that are kept as they are; its parts are checked."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, parts = 8, {}
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", png, at + 8 + length)[0] == zlib.crc32(kind + data)
        parts[kind] = data
        at += 12 + length
    wide, high, *rest = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    assert rest == [8, 2, 0, 0, 0] and list(parts) == [b"IHDR", b"IDAT", b"IEND"]
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(high, 3 * wide + 1)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(high, wide, 3)


@every_size
def test_a_picture_has_every_disc_in_its_square(size: int) -> None:
    position = Position.start(Rules(size)).play(Position.start(Rules(size)).moves[0])
    last = Position.start(Rules(size)).moves[0]
    found = pixels(position.png(last))
    assert found.shape[:2] == (80 * size + 56,) * 2
    for row, line in enumerate(position.cells()):
        for column, cell in enumerate(line):
            middle, side = (
                found[44 + 80 * row + 40, 44 + 80 * column + 40],
                found[44 + 80 * row + 40, 44 + 80 * column + 60],
            )
            disc = {"X": (17, 17, 17), "O": (250, 250, 250), "-": (46, 125, 79)}[cell]
            assert tuple(side) == disc
            marked = (229, 72, 77) if row * size + column == last else disc
            free = Rules(size).bit(row * size + column) & position.moves_mask
            assert tuple(middle) == ((167, 224, 189) if free else marked)


def test_show_draws_and_names_any_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = Game.of(None, "f5d6c3d3c4f4")
    (tmp_path / "g.sgf").write_text(write_sgf(game))
    png, svg = tmp_path / "b.png", tmp_path / "b.SVG"
    assert main(["show", str(tmp_path / "g.sgf"), "--out", str(png)]) == 0
    assert "opening: Tiger" in capsys.readouterr().out and png.read_bytes() == game.end.png(game.last)
    assert main(["show", write_ggf(game), "--moves", "c5", "--json", "--out", str(svg)]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["opening"], facts["moves"]) == ("Tiger", "f5d6c3d3c4f4c5")
    assert svg.read_text() == game.play("c5").end.svg(game.play("c5").last)


# --- review and analyse ---------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_reviews_say_what_the_analysis_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = Game.of(ENDING, "d4c1", black="Ada", white="[Bob]")
    other = Game.of(Position.start("standard 4x4"), "b1a1a2")
    file = tmp_path / "club.sgf"
    file.write_text("\n".join(map(write_sgf, (game, other))), encoding="utf-8")
    out = [tmp_path / name for name in ("r.md", "r.csv", "r.json")]
    words = [word for path in out for word in ("--out", str(path))]
    assert main(["review", str(file), "--depth", "4", "--workers", "1", "--quiet", *words]) == 0
    printed = capsys.readouterr().out
    assert "2 games" in printed and "mistake ?" in printed and "Ada" in printed
    found = json.loads(out[2].read_text())["games"]
    for facts, reviewed in zip(found, (game, other), strict=True):
        verdicts = sorted(review(reviewed, depth=4), key=lambda verdict: verdict.ply)
        told = [(each["ply"], each["loss"], each["mark"], each["value"]) for each in facts["verdicts"]]
        assert told == [(each.ply, each.loss, each.mark, each.value) for each in verdicts]
    white = found[0]["sides"]["white"]
    assert (white["mistakes"], white["accuracy"], white["loss"]) == (1, 0.0, 8.0)
    rows = out[1].read_text().splitlines()
    assert rows[0].startswith("game,black,white,opening,move,side,played,best") and len(rows) == 1 + 2 + 3
    assert "# Review of" in out[0].read_text() and "| d4 " in out[0].read_text()


@pytest.mark.compiled
def test_workers_review_as_one_process_does() -> None:
    games = [Game.of(Position.start("standard 4x4"), moves) for moves in ("b1a1", "b1a1a2", "b1c1d1")]
    found = dict(review_games(games, (3, None), Processes(2)))
    assert [found[number].verdicts for number in range(3)] == [review_game(game, 3).verdicts for game in games]


def test_only_moves_with_a_choice_count() -> None:
    done = review_game(Game.of(Position.parse("XXXXOOOXOOXXOO-- X"), "c4d4"), depth=2)
    assert [len(position.moves) for position in done.game.positions] == [1, 2, 1, 0], "a pass, a choice, one square"
    assert [done.side(color).moves for color in (Color.WHITE, Color.BLACK)] == [1, 0]
    assert done.side(Color.BLACK).accuracy is None is done.side(Color.BLACK).loss


@pytest.mark.compiled
def test_analyse_any_position(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", ENDING.line(), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [(move["move"], move["value"], move["exact"]) for move in facts["moves"]] == [
        ("c1", 2, True),
        ("d4", -6, True),
    ]
    (tmp_path / "g.ggf").write_text(write_ggf(Game.of(ENDING, "d4")))
    assert main(["analyse", str(tmp_path / "g.ggf")]) == 0
    assert "discs, exact" in capsys.readouterr().out
    assert main(["analyse", "--moves", "f5d6c3d3c4", "--depth", "2"]) == 0
    assert "opening: Tiger" in capsys.readouterr().out
    assert main(["analyse", "f5d6", "--agent", "minimax(eval=discs)", "--depth", "3"]) == 0
    assert "depth 3" in capsys.readouterr().out
    assert main(["analyse", "XXXX------------ O"]) == 0
    assert "the game is over" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["review", "good evening"], "neither a game nor a position"),
        (["review", "f5d6", "--out", "r.pdf"], "--out r.pdf tells no form; expected a file that ends with .md"),
        (["review", "f5d6", "--games", "0"], "--games 0 is not possible"),
        (["review", "f5d6", "--depth", "0"], "depth = 0 is not possible"),
        (["review", Position.start().line()], "there is no game with moves"),
        (["analyse", "f5d6", "--seconds", "0"], "--seconds 0.0 is not possible; expected more than 0"),
        (["analyse", "f5a1"], "white cannot play a1"),
        (["analyse", "f5", "--position", "x"], "both a game and --position are given"),
        (["show", "f5", "--out", "b.gif"], "--out b.gif is no picture; expected a file that ends with .svg or .png"),
    ],
)
def test_bad_requests(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--quiet"] if words[0] == "review" else words) == 2
    assert message in capsys.readouterr().err


@pytest.mark.compiled
def test_records_of_others_are_reviewed() -> None:
    games = list(read_all(shared("ggf", "test2.ggf")))
    done = review_game(games[0], depth=4)
    assert len(done.verdicts) == len(games[0]) + 1 and done.verdicts[0].exact and done.verdicts[0].value == -10
