"""Files of games: whatever a file is or became, it is told in words, and what can be saved is saved.

A real store is damaged in many places, a bit, a page or an end at a time. Every damage is either found or did not
matter: then all games read as they were written.
"""

import os
import random
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from outflank.arena.database import FORMAT, TABLES, StoreError
from outflank.arena.repair import repair
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, Plan, plan_match
from outflank.arena.store import Store
from outflank.board import Rules
from outflank.execute import Here
from outflank.interfaces.cli import main
from support import EFFORT, refused
from test_arena import exported


def small_plan(games: int = 20, agents: tuple[str, str] = ("random", "greedy(ties=random)")) -> Plan:
    return plan_match(*agents, Rules(4), games, "random(3)", Conditions())


def contents(path: Path) -> list[str]:
    """All games of a store, as they were written."""
    with Store(path, reading=True) as store:
        return [repr(vars(game)) for game in store.games()]


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of several pages, one game with more notes than a page holds, some with other texts."""
    path = tmp_path_factory.mktemp("store") / "whole.db"
    with Store(path) as store:
        run_plan(small_plan(60), store, Here())
        long = plan_match("random", "greedy(ties=first)", Rules(10), 4, "start", Conditions(seed=5))
        run_plan(long, store, Here(), notes=True)
    return path


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(whole, tmp_path / "games.db"))


def beside(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir())


# --- what a file is ---------------------------------------------------------------------------------------------


COMMANDS = (
    ["store", "FILE"],
    ["store", "FILE", "--check"],
    ["store", "FILE", "--export", "jsonl"],
    ["store", "FILE", "--repair", "NEW"],
    ["rate", "FILE"],
    ["match", "random", "greedy", "--games", "2", "--quiet", "--store", "FILE"],
    ["tournament", "TOML", "--quiet", "--store", "FILE"],
    ["play", "--no-browser", "--store", "FILE"],
)


def every_refusal(path: Path, capfd: pytest.CaptureFixture[str], repairs: bool = False) -> Iterator[tuple[str, str]]:
    """What every command that takes a store says of this one."""
    cup = path.with_name("cup.toml")
    cup.write_text('agents = ["random", "greedy"]\npairs = 1\nsizes = [4]\n')
    names = {"FILE": str(path), "NEW": str(path.with_name("new.db")), "TOML": str(cup)}
    for command in COMMANDS:
        if repairs and "--repair" in command:
            continue
        yield " ".join(command[:3]), refused([names.get(word, word) for word in command], capfd)
    cup.unlink()


@pytest.mark.parametrize("log", [False, True])
def test_a_file_of_another_program_is_named_and_stays_as_it_was(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], log: bool
) -> None:
    path = tmp_path / "foreign.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"PRAGMA journal_mode = {'WAL' if log else 'DELETE'}")
        connection.execute("CREATE TABLE recipes (name TEXT)")
    before, files = path.read_bytes(), beside(path)
    for command, said in every_refusal(path, capfd):
        if "--repair" in command:
            assert "no game can be read from" in said
        else:
            assert "is an SQLite file of something else (tables: recipes)" in said, command
        assert path.read_bytes() == before
    assert beside(path) == files


def test_a_file_that_is_no_database_is_told_so(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "letter.db"
    path.write_text("Dear Sir, this is not a database.\n" * 100)
    for command, said in every_refusal(path, capfd):
        assert ("no game can be read" if "--repair" in command else "begins with b'Dear Sir, this i'") in said, command
    assert path.read_text().startswith("Dear Sir") and beside(path) == ["letter.db"]


def test_nothing_where_games_should_be(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.db"
    path.touch()
    assert "it is empty" in refused(["store", str(path)], capfd)
    assert "there is no store" in refused(["store", str(tmp_path / "none.db")], capfd)
    assert "there is no store" in refused(["store", str(tmp_path)], capfd)
    with pytest.raises(StoreError, match="expected a file in a directory that exists"):
        Store(tmp_path / "none" / "games.db")
    with Store(path) as store:  # a file may be made before its first game
        assert store.count() == 0


def make_older(path: Path, version: int) -> None:
    """Turns a store into one of an earlier format: the second had no checksums."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE games RENAME TO newer")
        connection.execute(TABLES["games"].replace(",\n    checksum INTEGER NOT NULL", ""))
        columns = ", ".join(name for _, name, *_ in connection.execute("PRAGMA table_info(games)"))
        connection.execute(f"INSERT INTO games SELECT {columns} FROM newer ORDER BY rowid")
        connection.execute("DROP TABLE newer")
        connection.execute("PRAGMA application_id = 0")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.commit()


def test_an_older_store_is_refused_and_its_games_are_copied(
    copy: Path, whole: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    make_older(copy, 2)
    before = copy.read_bytes()
    for command, said in every_refusal(copy, capfd, repairs=True):
        assert f"has format 2; this version of Outflank reads {FORMAT}" in said, command
        assert f"`outflank store {copy} --repair NEW` copies its games" in said, command
    new = tmp_path / "new.db"
    assert main(["store", str(copy), "--repair", str(new)]) == 0
    assert "64 games saved, 0 lost" in capfd.readouterr().out
    assert contents(new) == contents(whole) and copy.read_bytes() == before
    with Store(new) as store:
        assert not store.problems()


def test_a_later_store_is_refused(copy: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    before = copy.read_bytes()
    for command, said in every_refusal(copy, capfd, repairs=True):
        assert f"has format {FORMAT + 1}; this version" in said and "a later version" in said, command
    assert copy.read_bytes() == before


# --- where nothing may be written -------------------------------------------------------------------------------


@contextmanager
def nobody() -> Iterator[None]:
    """Without the rights of the superuser, who may write everywhere."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def read_only(whole: Path) -> Iterator[Path]:
    """A store in a directory that may not be written."""
    place = Path(tempfile.mkdtemp())
    path = Path(shutil.copy(whole, place / "games.db"))
    path.chmod(0o444)
    place.chmod(0o555)
    with nobody():
        closed = not os.access(path, os.R_OK, effective_ids=True)
    if closed:
        pytest.skip("SKIPPED: the temporary directory is closed to other people")
    yield path
    place.chmod(0o755)
    shutil.rmtree(place)


def test_a_store_that_may_not_be_written_can_be_read(
    read_only: Path, whole: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for command in (["store"], ["store", "--check"], ["store", "--export", "jsonl"], ["rate"]):
        assert main([*command, str(whole)]) == 0  # loads what the command needs, which nobody may not be able to
        expected = capfd.readouterr().out
        with nobody():
            assert main([*command, str(read_only)]) == 0
        found, said = capfd.readouterr()
        assert found == expected and "may not be written here, so it is read as a file" in said
    play = ["match", "random", "greedy", "--size", "4", "--games", "2", "--quiet", "--store", str(read_only)]
    with nobody():
        assert "may be written" in refused(play, capfd)
    assert beside(read_only) == ["games.db"]


def test_a_log_that_cannot_be_read_is_told(whole: Path, read_only: Path) -> None:
    read_only.parent.chmod(0o755)
    Path(f"{read_only}-wal").write_bytes(b"x" * 5000)
    read_only.parent.chmod(0o555)
    with nobody(), pytest.raises(StoreError, match=r"latest games .* are in its log, games.db-wal.* copy both"):
        Store(read_only, reading=True)


# --- damage -----------------------------------------------------------------------------------------------------


def found_or_harmless(path: Path, expected: list[str]) -> bool:
    """Whether a damaged store is told to be damaged; where it is not, its games must be as they were written."""
    try:
        with Store(path, reading=True) as store:
            if store.problems():
                return True
            store.count(), list(store.results()), list(store.outcomes())
            assert [repr(vars(game)) for game in store.games()] == expected
    except StoreError as error:
        assert "Traceback" not in str(error)
        return True
    return False


def read_everything(path: Path) -> None:
    """All that commands do with a store; errors are only those for people."""
    plan = small_plan(60)
    for look in (
        lambda store: store.count("random"),
        lambda store: store.done(),
        lambda store: list(store.missing(plan.slots())),
        lambda store: list(store.finished(plan.slots())),
        lambda store: list(store.results()),
        lambda store: list(store.outcomes()),
        lambda store: list(store.games()),
        lambda store: store.other_behaviours(["random #0"]),
    ):
        with suppress(StoreError), Store(path, reading=True) as store:
            look(store)


def flip(path: Path, rng: random.Random) -> None:
    with path.open("r+b") as file:
        place = rng.randrange(path.stat().st_size) if rng.random() < 0.8 else rng.randrange(100)
        file.seek(place)
        byte = file.read(1)[0] ^ (1 << rng.randrange(8))
        file.seek(place)
        file.write(bytes([byte]))


def zero_page(path: Path, rng: random.Random) -> None:
    with path.open("r+b") as file:
        file.seek(4096 * rng.randrange(path.stat().st_size // 4096))
        file.write(bytes(4096))


def cut(path: Path, rng: random.Random) -> None:
    with path.open("r+b") as file:
        file.truncate(rng.randrange(path.stat().st_size))


def scribble(path: Path, rng: random.Random) -> None:
    with path.open("r+b") as file:
        file.seek(rng.randrange(path.stat().st_size))
        file.write(rng.randbytes(rng.randrange(1, 300)))


@pytest.mark.parametrize(
    ("damage", "times"), [(flip, 60), (zero_page, 12), (cut, 12), (scribble, 20)], ids=lambda each: str(each)[:15]
)
def test_every_damage_is_found_and_the_rest_is_saved(
    whole: Path, tmp_path: Path, damage: Callable[[Path, random.Random], None], times: int
) -> None:
    expected = contents(whole)
    rng, found = random.Random(1), 0
    for number in range(int(times * EFFORT)):
        path, new = tmp_path / f"{number}.db", tmp_path / f"{number}.new.db"
        shutil.copy(whole, path)
        damage(path, rng)
        found += found_or_harmless(path, expected)
        read_everything(path)
        try:
            done = repair(path, new)
        except StoreError as error:
            assert "no game can be read" in str(error)
            continue
        assert set(contents(new)) <= set(expected), "a game was saved that nobody played"
        assert done.saved + len(done.lost) >= 64 or damage is not flip, "a game is neither saved nor told to be lost"
        assert done.saved >= 40 or damage is not flip, "one bit cost more than the games of its page"
    assert found > times * EFFORT / 3


def test_a_table_of_tables_without_sense_is_told(copy: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """SQLite says that memory is full where the table of tables holds a row of four gigabytes."""
    data = bytearray(copy.read_bytes())
    place = data.index(b"tablegamesgames") - 10
    data[place : place + 5] = b"\x8f\xff\xff\xff\x7f"
    copy.write_bytes(data)
    for options in ([], ["--check"], ["--json"]):
        assert "the file is damaged" in refused(["store", str(copy), *options], capfd)
    assert repair(copy, copy.with_name("new.db")).saved == 64


def test_a_name_of_a_table_that_is_no_text_is_told(copy: Path, capfd: pytest.CaptureFixture[str]) -> None:
    data = bytearray(copy.read_bytes())
    data[data.index(b"tablegamesgames") - 5] ^= 1  # the type of the name: bytes instead of text
    copy.write_bytes(data)
    for options in ([], ["--check"], ["--json"]):
        assert "tables: b'games'" in refused(["store", str(copy), *options], capfd)
    assert repair(copy, copy.with_name("new.db")).saved == 64


def leaves_with_a_row_twice(data: bytes) -> Iterator[bytes]:
    """The file once for every leaf of a table or index but the first page, with a row more: the first one again."""
    for page in range(4096, len(data), 4096):
        rows, room = (int.from_bytes(data[page + at : page + at + 2]) for at in (3, 5))
        end = page + 8 + 2 * rows
        if data[page] in (0x0A, 0x0D) and rows and end + 2 <= page + room:
            pointers = data[page + 8 : end] + data[page + 8 : page + 10]
            yield data[: page + 3] + (rows + 1).to_bytes(2) + data[page + 5 : page + 8] + pointers + data[end + 2 :]


def test_no_game_is_counted_twice(copy: Path) -> None:
    plan, told = small_plan(60), 0
    keys = [slot.key for slot in plan.slots()]
    for data in leaves_with_a_row_twice(copy.read_bytes()):
        copy.write_bytes(data)
        for look in (
            lambda store: [game.tags["key"] for game in store.games()],
            lambda store: [slot.key for slot, *_ in store.finished(plan.slots())],
            lambda store: [key for key, *_ in store.results()],
            lambda store: [key for key, *_ in store.results(keys)],
            lambda store: list(enumerate(store.outcomes())),
        ):
            try:
                with Store(copy, reading=True) as store:
                    found = look(store)
            except StoreError as error:
                told += "a game is twice" in str(error)
            else:
                assert len(set(found)) == len(found) <= 64
    assert told >= 4


def test_a_changed_game_is_found_in_every_column(copy: Path, whole: Path) -> None:
    with Store(whole, reading=True) as store:
        key = next(store.games()).tags["key"]
    with closing(sqlite3.connect(copy)) as connection:
        names = [name for _, name, *_ in connection.execute("PRAGMA table_info(games)")]
    for name in names[1:]:
        path = copy.with_name(f"{name}.db")
        shutil.copy(whole, path)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"UPDATE games SET {name} = {name} || '1' WHERE key = ?", [key])
        with Store(path) as store:
            if name != "notes":  # null stays null
                assert store.problems() == [f"game {key}: not as it was written"], name


def test_a_changed_text_is_found_by_its_games(copy: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE texts SET text = 'greedy(ties=nobody)' WHERE text LIKE 'greedy(ties=random)%'")
    with pytest.raises(SystemExit) as end:
        main(["store", str(copy), "--check"])
    assert end.value.code == 1 and capfd.readouterr().out.count("not as it was written") == 60
    assert "is not as it was written: `outflank store FILE --check`" in refused(["store", str(copy)], capfd)


@pytest.mark.parametrize(
    "change",
    [
        "points = 1 - points, score = -score",
        "black = white, white = black",
        "pair = 'another'",
        "moves = moves || 'a1'",
    ],
)
def test_no_changed_game_enters_a_rating_or_a_match(copy: Path, capfd: pytest.CaptureFixture[str], change: str) -> None:
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute(f"UPDATE games SET {change} WHERE rowid = (SELECT rowid FROM games WHERE points <> 0.5)")
    assert "is not as it was written" in refused(["rate", str(copy)], capfd)
    slots = list(small_plan(60).slots())
    with Store(copy, reading=True) as store:
        for asked in (store.finished(slots), store.results(), store.outcomes([slot.key for slot in slots])):
            with pytest.raises(StoreError, match="not as it was written"):
                list(asked)


@pytest.mark.parametrize("value", ["NULL", "7", "x'ff'"])
def test_a_text_that_is_none_is_told(copy: Path, capfd: pytest.CaptureFixture[str], value: str) -> None:
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'text TEXT NOT NULL', 'text')")
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute(f"UPDATE texts SET text = {value} WHERE text LIKE 'greedy(ties=random)%'")
    for command in (["rate"], ["store", "--json"], ["store"]):
        assert "is not as it was written" in refused([*command, str(copy)], capfd)
    with Store(copy) as store, pytest.raises(StoreError, match="not as it was written"):
        store.other_behaviours(["random #0"])


def test_one_bit_in_a_text_costs_no_game(copy: Path, whole: Path) -> None:
    """A text is kept twice, and the checksums of games tell which is right."""
    data = copy.read_bytes()
    at = data.index(b"greedy(ties=random)")
    copy.write_bytes(data[:at] + b"G" + data[at + 1 :])
    done = repair(copy, copy.with_name("new.db"))
    assert (done.saved, done.lost) == (64, []) and contents(copy.with_name("new.db")) == contents(whole)


def test_games_in_a_log_are_saved_too(whole: Path, tmp_path: Path) -> None:
    """A program was killed, and the file that it leaves is then damaged as well."""
    path, torn = tmp_path / "games.db", tmp_path / "torn.db"
    with Store(path) as store:
        run_plan(small_plan(30), store, Here())
        for end in ("", "-wal"):
            shutil.copy(f"{path}{end}", f"{torn}{end}")
    with torn.open("r+b") as file:
        file.write(bytes(4096))
    assert repair(torn, tmp_path / "new.db").saved == 30
    assert contents(tmp_path / "new.db") == contents(path)


def test_a_lost_log_costs_games_and_nothing_else(tmp_path: Path) -> None:
    """What was only in the log is played again."""
    path, torn = tmp_path / "games.db", tmp_path / "torn.db"
    with Store(path) as store:
        run_plan(small_plan(30), store, Here())
    with Store(path) as store:
        run_plan(small_plan(40), store, Here())
        shutil.copy(path, torn)
    with Store(torn) as store:
        assert store.count() == 30 and not store.problems()
        run_plan(small_plan(40), store, Here())
    assert exported(torn) == exported(path)


def test_repair_needs_a_new_file(copy: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for new in (copy, copy.parent):
        assert "is there already; expected the name of a new file" in refused(
            ["store", str(copy), "--repair", str(new)], capfd
        )


# --- a store that is moved away -----------------------------------------------------------------------------------


def run_and_do(store: Store, act: Callable[[], object], after: int) -> None:
    """Plays a match, and does something to its store on the way."""
    played = []

    def on_game(*_: object) -> bool:
        played.append(1)
        if len(played) == after:
            act()
        return True

    run_plan(small_plan(), store, Here(), on_game)


@pytest.mark.parametrize("after", [1, 10, 20])
@pytest.mark.parametrize("log_too", [False, True])
def test_a_store_moved_away_is_told_with_its_new_place(tmp_path: Path, after: int, log_too: bool) -> None:
    path, other = tmp_path / "games.db", tmp_path / "elsewhere.db"

    def move() -> None:
        path.rename(other)
        if log_too:
            for end in ("-wal", "-shm"):
                Path(f"{path}{end}").rename(f"{other}{end}")

    told = f"was moved or deleted .* are in {other}: continue with --store"
    with pytest.raises(StoreError, match=told), Store(path) as store:
        run_and_do(store, move, after)
    with Store(other) as store:
        assert store.count() in (after, after + 1) and not store.problems()
        run_plan(small_plan(), store, Here())
        assert store.count() == 20


@pytest.mark.parametrize("after", [1, 20])
def test_a_deleted_store_is_told(tmp_path: Path, after: int) -> None:
    path = tmp_path / "games.db"
    with pytest.raises(StoreError, match="was deleted, and its games are gone"), Store(path) as store:
        run_and_do(store, path.unlink, after)


def test_another_file_in_its_place_is_told(tmp_path: Path, whole: Path) -> None:
    path, other = tmp_path / "games.db", Path(shutil.copy(whole, tmp_path / "other.db"))
    with pytest.raises(StoreError, match="was moved or deleted"), Store(path) as store:
        run_and_do(store, lambda: other.replace(path), 3)
    assert contents(path) == contents(whole)


def test_another_working_directory_is_no_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Store("games.db") as store:
        run_and_do(store, lambda: os.chdir("/"), 3)
        assert store.count() == 20
