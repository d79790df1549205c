"""Texts and files from outside: their sizes, the files that are opened, and time in proportion to what is read."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fuzz.targets import _gtp, _nboard
from outflank.agents.identities import _files, behaviour
from outflank.arena import openings
from outflank.arena.openings import read_openings
from outflank.arena.tournament import plan_of, read_control, read_limits, read_tournament
from outflank.board import Position, Rules, read_moves
from outflank.errors import BadSpec, OutflankError
from outflank.formats import ggf_records, read, read_all, read_ggf, read_obf, read_transcript, recognise, write_ggf
from outflank.game import Game
from outflank.inputs import open_file, parse_toml, read_toml, shown
from outflank.interfaces.cli import main
from outflank.spec import parse
from outflank.studies.toml import study_from

START = Position.start()
GAMES = [Game.of(START, "f5d6c3", black="Zoë"), Game.of(START, "f5f6"), Game.of(Position.start(Rules(6)), "c2")]


# --- sizes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reader", "text", "most"),
    [
        (parse, "a" * 10_001, "10,000"),
        (read_limits, "nodes=" + " " * 10_001, "10,000"),
        (read_transcript, "f5" * 50_001, "100,000"),
        (Position.parse, "X" * 100_001, "100,000"),
        (read, "f5" * 50_001, "100,000"),
        (read, "f5" * 500_001, "1,000,000"),
        (read_obf, "%" * 1_000_001, "1,000,000"),
        (read_ggf, " " * 1_000_001, "1,000,000"),
        (read_ggf, f"(;CO[{'x' * 200_000}];)", "100,000"),
    ],
    ids=lambda value: getattr(value, "__name__", shown(value, 12)),
)
def test_long_texts_are_refused_with_what_is_allowed(reader: Callable[[str], object], text: str, most: str) -> None:
    with pytest.raises(OutflankError) as error:
        reader(text)
    assert most in str(error.value) and len(str(error.value)) < 300


def test_brackets_have_a_depth_and_numbers_an_end() -> None:
    assert str(parse("a(" * 20 + "b" + ")" * 20)).count("(") == 20
    with pytest.raises(BadSpec, match="nested too deeply; expected at most 20"):
        parse("a(" * 21 + "b" + ")" * 21)
    with pytest.raises(BadSpec, match="number 1e309 is too large"):
        parse("uct(c=1e309)")
    assert parse("a(b())") == parse("a(b)") and parse("random()") == parse("random")


def test_half_a_character_is_refused() -> None:
    with pytest.raises(BadSpec, match="half a character"):
        parse('gtp(cmd="\ud800")')


# --- files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["tournament", "study", "solve"])
def test_pipes_devices_and_directories_are_not_read(
    command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, what in (
        (pipe, "a pipe or a device"),
        (Path("/dev/zero"), "a pipe or a device"),
        (tmp_path, "directory"),
    ):
        assert main([command, str(path)]) == 2
        assert what in capfd.readouterr().err
    with pytest.raises(BadSpec, match="not the name of a file"):
        open_file("a\0b")


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_bytes(b'\xef\xbb\xbfagents = ["random", "greedy"]\r\nsizes = [4]\r\npairs = 1\r\nopenings = "start"\r\n')
    assert read_tournament(file).games == 2
    file.write_bytes(b"\xef\xbb\xbff5d6\r\nf5f6\r\n")
    assert [len(game) for game in read_all(file)] == [2, 2]
    assert len(read_openings(str(file), Rules(), 5, 0)) == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a = " + b"[" * 20_000, "nested too deeply"),
        (b"a = " + b"9" * 5000, "a number of thousands of digits"),
        (b"a." * 50_000 + b"b = 1", "a key of more than 30 parts"),
        (b"\xff", "not UTF-8"),
        (b"#" * 1_000_001, "more than 1,000,000 bytes"),
        (b"a = ", "is not TOML"),
    ],
)
def test_bad_toml(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_bytes(content)
    with pytest.raises(BadSpec, match=message) as error:
        read_toml(tmp_path / "x.toml", "a tournament")
    assert "expected a tournament" in str(error.value) and len(str(error.value)) < 500


def test_dots_in_texts_are_no_keys() -> None:
    assert parse_toml(b'a = "see www.a.b.c.org, 1.2.3."', "x", "y")["a"].startswith("see")


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read as if a piece were 5,000 characters, so that small ones have many."""
    monkeypatch.setattr(recognise, "MOST_IN_TEXT", 5000)
    monkeypatch.setattr(recognise, "MOST_IN_GAME", 1000)
    monkeypatch.setattr(ggf_records, "MOST_IN_GAME", 1000)


@pytest.mark.usefixtures("small_pieces")
def test_large_files_are_read_in_pieces(tmp_path: Path) -> None:
    """Every game of a file of several pieces, also where a piece ends within one."""
    records, file = "".join(map(write_ggf, GAMES)), tmp_path / "games"
    file.write_text(records * 60, encoding="latin-1")
    assert file.stat().st_size > 4 * 5000
    assert [game.moves for game in read_all(file)] == [game.moves for game in GAMES] * 60
    assert next(read_all(file)).black == "Zoë" and read(file).black == "Zoë"
    file.write_text("f5d6\nf5f6 # a comment\n" * 500)
    assert [len(game) for game in read_all(file)] == [2, 2] * 500


@pytest.mark.usefixtures("small_pieces")
def test_a_mistake_in_a_large_file_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "games"
    file.write_text("% a comment of some length\n" * 600 + "f5d6\n" * 3 + "f5f5\n")
    with pytest.raises(OutflankError, match=r"games: line 604: .* white cannot play f5"):
        list(read_all(file))
    file.write_text("f5d6\n" * 1500 + "f5" * 2000)
    with pytest.raises(OutflankError, match="too long for a line"):
        list(read_all(file))


def test_openings_of_many_plies_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openings, "_MOST_POSITIONS", 10)
    assert len(read_openings("ply(2)", Rules(), 100, 0)) == 3
    with pytest.raises(BadSpec, match=r"ply\(3\) has more than 10 positions"):
        read_openings("ply(3)", Rules(), 100, 0)


def test_the_behaviour_of_a_module_of_python_is_its_own_file() -> None:
    """Beside it lies all of Python: hashing that took seconds."""
    first = Path(os.__file__).with_name("random.py")
    assert _files("random", first) == [first]
    assert behaviour("random:choice") != behaviour("bisect:bisect")
    with pytest.raises(BadSpec, match="'random:' names no player; expected module:Name"):
        behaviour("random:")


# --- time ---------------------------------------------------------------------------------------------------------

_OBF = f"{START.line()}; f5:+0;\n"
_RECORD = write_ggf(GAMES[0])
GROWING: dict[str, tuple[Callable[[int], str], Callable[[str], Any], int]] = {
    "digits of an agent": (lambda n: "uct(playouts=" + "9" * n + "x)", parse, 1200),
    "options of an agent": (lambda n: "a(" + ",".join(f"b{i}=1" for i in range(n // 8)) + ")", parse, 1200),
    "quotes of an agent": (lambda n: 'a("' + '\\"' * (n // 2) + '")', parse, 1200),
    "blanks of an agent": (lambda n: "a(" + " " * n + "!", parse, 1200),
    "limits": (lambda n: "nodes=" + " " * n + "5", read_limits, 1200),
    "clocks": (lambda n: "1" * n + "+x", lambda text: read_control({"clock": text}), 1200),
    "moves": (lambda n: "f5d6" * (n // 4), read_transcript, 4000),
    "digits of moves": (lambda n: "1" * n, read_transcript, 12_000),
    "stored moves": (lambda n: "f5pa" * (n // 4), lambda text: read_moves(text, Rules()), 12_000),
    "boards": (lambda n: "X-O" * (n // 3), Position.parse, 12_000),
    "drawn boards": (lambda n: "a b c d\n" * (n // 8), Position.parse, 12_000),
    "OBF": (lambda n: _OBF * (n // len(_OBF)), read_obf, 4000),
    "GGF": (lambda n: _RECORD * (n // len(_RECORD)), read_ggf, 4000),
    "letters of GGF": (lambda n: "(;" + "A" * n, read_ggf, 100_000),
    "blanks of GGF": (lambda n: "(;A" + " " * n, read_ggf, 100_000),
    "beginnings of GGF": (lambda n: "(;" * (n // 2), read_ggf, 100_000),
    "tags of GGF": (lambda n: "(;" + "A[1]" * (n // 4) + ";)", read_ggf, 12_000),
    "whatever": (lambda n: "a b c d" + " " * n + "!", read, 12_000),
    "lines of TOML": (lambda n: "agents=[" + '"random",' * (n // 9) + "]", lambda text: _plan(text), 20_000),
    "tables of TOML": (lambda n: "".join(f"[a{i}]\n" for i in range(n // 9)), lambda text: _plan(text), 20_000),
    "parts of a key": (lambda n: "a." * (n // 2) + "b=1", lambda text: _plan(text), 100_000),
    "a word of TOML": (lambda n: "a" * n, lambda text: _plan(text), 100_000),
    "brackets of TOML": (lambda n: "a=" + "[" * n, lambda text: _plan(text), 100_000),
    "studies": (lambda n: 'title="t"\n' + '[[pairings]]\nname="p"\n' * (n // 24), lambda text: _study(text), 10_000),
    "answers in GTP": (lambda n: "=1 " + "x\n" * (n // 2) + "\n", _gtp, 40_000),
    "reports in NBoard": (lambda n: "pong 1\npong 2\n" + "search f4 1 0 2\n" * (n // 16) + "=== f4", _nboard, 40_000),
}


def _plan(text: str) -> object:
    return plan_of(parse_toml(text.encode(), "x", "y"))


def _study(text: str) -> object:
    return study_from(parse_toml(text.encode(), "x", "y"), "x")


def _seconds(reader: Callable[[str], Any], text: str) -> float:
    """Processor time, the best of three."""
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        try:
            reader(text)
        except OutflankError:
            pass
        best = min(best, time.process_time() - began)
    return best


@pytest.mark.compiled
@pytest.mark.parametrize("name", GROWING)
def test_time_grows_with_the_text_and_not_with_its_square(name: str) -> None:
    """Eight times the text takes about eight times as long, where a square would take 64 times."""
    make, reader, size = GROWING[name]
    small, large = _seconds(reader, make(size)), _seconds(reader, make(8 * size))
    assert large < 30 * small + 0.1, f"{small:.4f} s and {large:.4f} s"
