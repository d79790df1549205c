"""Every export of a store is read again, by other means where there are any, and compared with the store."""

import csv
import json
import os
import pty
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest

from outflank.arena import export
from outflank.arena.database import StoreError
from outflank.arena.export import COLUMNS, FORMS, LINES, write_games
from outflank.arena.frames import LIBRARIES
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, Slot, plan_match
from outflank.arena.store import Store
from outflank.board import Position, Rules, moves_text
from outflank.errors import BadSpec, MissingExtra
from outflank.execute import Here
from outflank.formats import ggf_value, read, read_ggf, read_wthor
from outflank.game import Game, MoveNote, Termination
from outflank.interfaces.cli.store import FORMS as FORMS_OF_THE_COMMAND
from support import ROOT

ENGINE = 'gtp(cmd="a \\"b\\", [c]", setup=[], startup=30, timeout=5)'
REASON = 'white: said "é, β;)",\nthen ] and 42'


def unfinished(record: Game, termination: Termination, moves: int, points: float) -> Game:
    """The record as if the game had ended early, with texts that are hard to write down."""
    return replace(
        record[: record.opening_plies + moves],
        termination=termination,
        points=points,
        reason=REASON,
        black=ENGINE,
    )


def fill(store: Store) -> None:
    """Played games of three rules, with and without notes, and one game for every other way to end."""
    kept: list[tuple[Slot, Game]] = []
    for rules in (Rules(4), Rules(6, "reversed"), Rules(10)):
        plan = plan_match("random", "greedy(ties=random)", rules, 6, "random(3)", Conditions(seed=rules.size))

        def keep(slot: Slot, record: Game) -> bool:
            kept.append((slot, record))
            return True

        run_plan(plan, store, Here(), keep, notes=rules.size == 4)
    endings = [ending for ending in Termination if ending is not Termination.NORMAL]
    for number, ending in enumerate(endings):
        slot, record = kept[number]
        early = unfinished(record, ending, moves=number, points=number % 3 / 2)
        store.add(slot._replace(key=f"{number:016x}", black=ENGINE), early, notes=bool(number % 2))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "games.db"
    with Store(path) as store:
        fill(store)
        assert not store.problems()
    return path


@pytest.fixture
def games(path: Path) -> list[Game]:
    with Store(path) as store:
        return list(store.games())


def facts(game: Game) -> dict[str, Any]:
    """What every form but GGF and transcripts says of a game."""
    start = game.start.line()
    return {
        **{
            name: game.tags[name]
            for name in ("key", "pair", "conditions", "made", "black_behaviour", "white_behaviour")
        },
        "repeat": int(game.tags["repeat"]),
        **{name: getattr(game, name) for name in ("black", "white", "seed", "points", "score", "reason")},
        "rules": str(game.rules),
        "start": "" if start == Position.start(game.rules).line() else start,
        "opening_plies": game.opening_plies,
        "moves": moves_text(game.moves, passes=True),
        "black_discs": game.discs[0],
        "white_discs": game.discs[1],
        "termination": str(game.termination),
    }


def row(game: Game) -> dict[str, Any]:
    flat = facts(game)
    for side, spent in zip(("black", "white"), game.spent, strict=True):
        flat |= {f"{side}_{name}": value for name, value in asdict(spent).items()}
    return flat


def notes_of(game: Game) -> list[dict[str, Any]] | None:
    return [asdict(note) for note in game.notes] or None


def test_the_store_of_these_tests_has_every_ending(games: list[Game]) -> None:
    assert {game.termination for game in games} == {ending.value for ending in Termination}
    assert len({game.rules for game in games}) == 3 and {game.points for game in games} == {0.0, 0.5, 1.0}
    assert {not game.notes for game in games} == {True, False}


def test_json_lines_hold_everything(games: list[Game], tmp_path: Path) -> None:
    write_games(games, "jsonl", tmp_path / "games")
    lines = (tmp_path / "games").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {**facts(game), "spent": [asdict(side) for side in game.spent], "notes": notes_of(game)} for game in games
    ]


def test_csv_is_read_back(games: list[Game], tmp_path: Path) -> None:
    write_games(games, "csv", tmp_path / "games")
    with (tmp_path / "games").open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
    assert reader.fieldnames == [*COLUMNS, "notes"] and len(rows) == len(games)
    for found, game in zip(rows, games, strict=True):
        notes = found.pop("notes")
        assert (json.loads(notes) if notes else None) == notes_of(game)
        assert {name: COLUMNS[name](value) for name, value in found.items()} == row(game)


def test_parquet_is_read_back_in_groups(games: list[Game], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "_ROWS_PER_GROUP", 10)
    write_games(iter(games), "parquet", tmp_path / "games")
    file = parquet.ParquetFile(tmp_path / "games")
    assert file.metadata.num_row_groups == -(-len(games) // 10) and file.metadata.num_rows == len(games)
    for found, game in zip(file.read().to_pylist(), games, strict=True):
        notes = found.pop("notes")
        assert notes == notes_of(game)
        assert found == row(game)


def test_groups_are_written_while_games_are_still_read(
    games: list[Game], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At no time are more games held than one group has."""
    monkeypatch.setattr(export, "_ROWS_PER_GROUP", 10)
    sizes: list[int] = []

    def source() -> Iterator[Game]:
        for _ in range(20):
            yield from games
            sizes.append((tmp_path / "games.part").stat().st_size)

    write_games(source(), "parquet", tmp_path / "games")
    assert 0 < sizes[2] < sizes[10] < sizes[19]


def test_ggf_is_read_back(games: list[Game], tmp_path: Path) -> None:
    write_games(games, "ggf", tmp_path / "games")
    text = (tmp_path / "games").read_text(encoding="latin-1")
    records = read_ggf(text)
    assert len(text.splitlines()) == len(records) == len(games)
    for record, game in zip(records, games, strict=True):
        assert (record.start, record.moves, record.end) == (game.start, game.moves, game.end)
        assert (record.black, record.white) == (ggf_value(game.black), ggf_value(game.white))
        assert (record.points, record.score, record.termination) == (game.points, game.score, game.termination)
        if game.termination == "normal":
            assert record.score == game.end.score() and "CO" not in record.tags
        else:
            assert record.tags["CO"] == f'{game.termination}: white: said "é, ?;)", then ) and 42'
            letters = {"timeout": "t", "adjudicated": "s", "stopped": "s", "resigned": "r"}
            assert record.tags["RE"].endswith(f":{letters.get(str(game.termination), 'l')}")


def test_agents_without_brackets_keep_their_text_in_ggf(games: list[Game]) -> None:
    names = {read_ggf(line)[0].white for line in LINES["ggf"](games)}
    assert names == {game.white for game in games} == {"random", "greedy(ties=random)"}


def test_transcripts_are_recognised(games: list[Game], tmp_path: Path) -> None:
    write_games(games, "transcripts", tmp_path / "games")
    lines = (tmp_path / "games").read_text().splitlines()
    for line, game in zip(lines, games, strict=True):
        found = read(line, game.rules.variant)
        assert (found.start, found.moves) == (game.start, game.moves)


@pytest.mark.parametrize("form", FORMS)
def test_an_empty_store_is_an_empty_file(form: str, tmp_path: Path) -> None:
    write_games([], form, tmp_path / "games")
    if form == "parquet":
        assert parquet.read_table(tmp_path / "games").column_names == [*COLUMNS, "notes"]
    elif form == "wthor":
        assert read_wthor((tmp_path / "games").read_bytes()) == []
    else:
        assert len((tmp_path / "games").read_text().splitlines()) == (form == "csv")


@pytest.mark.parametrize("form", [form for form in FORMS if form != "wthor"])  # which has other games, in several files
def test_a_file_is_complete_or_as_it_was(form: str, games: list[Game], tmp_path: Path) -> None:
    file, link = tmp_path / "games", tmp_path / "link"
    file.write_text("before")
    link.symlink_to(file)

    def interrupted() -> Iterator[Game]:
        yield from games
        assert (tmp_path / "games.part").exists() and file.read_text() == "before"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_games(interrupted(), form, file)
    assert file.read_text() == "before" and sorted(tmp_path.iterdir()) == [file, link]
    write_games(games, form, link)
    assert link.is_symlink() and file.stat().st_size > 1000 and sorted(tmp_path.iterdir()) == [file, link]


def test_bad_exports_are_explained(games: list[Game], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadSpec, match="no form is called 'xml'; expected one of: jsonl"):
        write_games(games, "xml", tmp_path / "games")
    with pytest.raises(StoreError, match="not a plain file"):
        write_games(games, "csv", tmp_path)
    with pytest.raises(StoreError, match=r"not a plain file"):
        write_games(games, "csv", Path("/dev/null"))
    with pytest.raises(StoreError, match=r"cannot write .*/none/games: No such file"):
        write_games(games, "csv", tmp_path / "none" / "games")
    with pytest.raises(StoreError, match=r"cannot write .*: Not a directory"):
        write_games(games, "csv", Path(__file__) / "games")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=re.escape("pip install 'outflank[parquet]'")):
        write_games(games, "parquet", tmp_path / "games")
    assert not list(tmp_path.iterdir())


def test_games_know_their_openings(games: list[Game], path: Path) -> None:
    """From the usual start on, so that every export has them too."""
    for game in games:
        assert game.start == Position.start(game.rules) and game.opening_plies == 3
        assert not game.notes or (game.notes[:3] == (MoveNote(),) * 3 and len(game.notes) == len(game))
    with closing(sqlite3.connect(path)) as connection:
        [line] = connection.execute("SELECT moves FROM games WHERE key = ?", [games[0].tags["key"]]).fetchone()
    assert line == moves_text(games[0].moves, passes=True)


def test_changed_moves_are_told_with_their_game(tmp_path: Path, path: Path) -> None:
    damaged = tmp_path / "games.db"
    damaged.write_bytes(path.read_bytes())
    with Store(damaged) as store:
        key, other = [game.tags["key"] for game in store.games()][:2]
    with closing(sqlite3.connect(damaged)) as connection, connection:
        connection.execute("UPDATE games SET moves = 'd3z9' WHERE key = ?", [key])
        connection.execute("UPDATE games SET moves = 'a1a1' WHERE key = ?", [other])
    with Store(damaged) as store:
        with pytest.raises(StoreError, match=rf"game {key} .* is not as it was written.*--check"):
            list(store.games())
        assert {problem.split(":")[0] for problem in store.problems()} == {f"game {key}", f"game {other}"}


# --- tables ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_table_holds_every_game(library: str, path: Path, games: list[Game]) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed: its tables were not tried")
    with Store(path, reading=True) as store:
        table = store.frame(library)
    assert list(table.columns) == list(COLUMNS)
    found = table.to_dicts() if library == "polars" else table.to_dict("records")
    assert {line["key"]: line for line in found} == {game.tags["key"]: row(game) for game in games}
    assert len(found) == len(games)


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_table_of_an_empty_store_has_the_same_columns(library: str, path: Path) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed: its tables were not tried")
    with Store(":memory:") as empty, Store(path, reading=True) as store:
        none, some = empty.frame(library), store.frame(library)
    assert list(none.columns) == list(some.columns) and len(none) == 0
    assert [str(kind).split("(")[0] for kind in none.dtypes] == [str(kind).split("(")[0] for kind in some.dtypes]


def test_bad_tables_are_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, path: Path) -> None:
    with Store(":memory:") as store:
        with pytest.raises(BadSpec, match="library 'excel' makes no tables here; expected one of: pandas, polars"):
            store.frame("excel")
        monkeypatch.setattr("outflank.errors.find_spec", lambda name: None)
        with pytest.raises(MissingExtra, match=re.escape("pip install 'outflank[frame]'")):
            store.frame()
        with pytest.raises(MissingExtra, match=re.escape("pip install 'outflank[polars]'")):
            store.frame("polars")


def test_no_table_has_a_changed_game(tmp_path: Path, path: Path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed: its tables were not tried")
    damaged = tmp_path / "games.db"
    damaged.write_bytes(path.read_bytes())
    with closing(sqlite3.connect(damaged)) as connection, connection:
        connection.execute("UPDATE games SET points = 0.25 WHERE rowid = 7")
    with Store(damaged) as store, pytest.raises(StoreError, match="is not as it was written"):
        store.frame()


# --- the command ----------------------------------------------------------------------------------------------


def outflank(*args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([sys.executable, "-m", "outflank", *args], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == code and "Traceback" not in done.stderr, done.stderr
    return done


def test_the_command_exports_to_stdout_and_to_files(path: Path, games: list[Game], tmp_path: Path) -> None:
    assert sorted(FORMS_OF_THE_COMMAND) == sorted(FORMS)
    printed = outflank("store", str(path), "--export", "transcripts").stdout
    assert printed.splitlines() == list(LINES["transcripts"](games))
    assert outflank("store", str(path), "--export", "parquet", "--out", str(tmp_path / "games.parquet")).stdout == ""
    assert parquet.read_metadata(tmp_path / "games.parquet").num_rows == len(games)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--export", "parquet"], "parquet is not text; expected a file for it, such as --out games.parquet"),
        (["--export", "xml"], "invalid choice: 'xml'"),
        (["--out", "games.csv"], "--out games.csv needs a form; expected for example --export csv"),
        (["--export", "csv", "--out", "STORE"], "is the store itself"),
        (["--export", "csv", "--out", "/none/games.csv"], "cannot write /none/games.csv: No such file"),
    ],
)
def test_bad_input_of_the_command(path: Path, games: list[Game], args: list[str], message: str) -> None:
    args = [str(path) if arg == "STORE" else arg for arg in args]
    done = outflank("store", str(path), *args, code=2)
    assert message in done.stderr and done.stdout == ""
    with Store(path) as store:
        assert list(store.games()) == games


def test_the_list_of_a_store(path: Path, games: list[Game]) -> None:
    title, _, *lines = outflank("store", str(path)).stdout.splitlines()
    assert title == f"{len(games)} games" and sum(int(line.split()[-1]) for line in lines) == len(games)
    assert ["greedy", "random", "reversed", "6x6", "6"] in [line.split() for line in lines]
    found = json.loads(outflank("store", str(path), "--json").stdout)
    assert found["games"] == len(games) == sum(line["games"] for line in found["pairings"])
    columns = ("black", "white", "black_behaviour", "white_behaviour", "games")
    assert {tuple(line) for line in found["pairings"]} == {columns}


def read_all(descriptor: int) -> str:
    """What a process wrote to its terminal before it left."""
    chunks = []
    try:
        while chunk := os.read(descriptor, 100_000):
            chunks.append(chunk)
    except OSError:  # the other end is closed
        pass
    return b"".join(chunks).decode()


def test_the_list_is_a_table_on_a_terminal(path: Path) -> None:
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "60"}
    with subprocess.Popen([sys.executable, "-m", "outflank", "store", str(path)], stdout=slave, env=environment):
        os.close(slave)
        shown = re.sub(r"\x1b\[[0-9;]*m", "", read_all(master))
    assert all(word in shown for word in ("against", "────", "reversed 6x6", "greedy"))
    assert max(map(len, shown.splitlines())) <= 60
