"""Stored games for other programs: JSON lines, CSV, Parquet, GGF records, transcripts.

Every form is read and written game by game, so a million games need no more memory than one; Parquet, a format of
columns, takes them in groups. A file appears under its name when it is complete and not before.

- `jsonl`: one object a game with everything that the store knows.
- `csv`, `parquet`: one row a game. What the two sides spent has columns of its own, such as `black_nodes`; the details
  of the moves, where they were kept, are JSON in CSV and a list of records in Parquet.
- `ggf`: one record a line, players by their agent texts, in Latin-1. A game that was not played out counts all squares
  for its winner, with a letter (`t` time, `s` adjudicated or stopped, `l` any failure) and the reason as a comment.
- `transcripts`: one line a game, the first position and the moves from it; the variant is not in it.

`outflank.formats.recognise` reads the last two, line by line.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from itertools import chain, islice
from pathlib import Path
from typing import Any

from outflank.arena.store import StoredGame, StoreError
from outflank.board import Position, parse_moves
from outflank.errors import BadSpec, MissingExtra, OutflankError
from outflank.formats import ggf
from outflank.game import MoveRecord, Spent, Termination

Games = Iterable[StoredGame]

_ROWS_PER_GROUP = 4096
_GGF_ENDINGS = {Termination.TIMEOUT: "t", Termination.ADJUDICATED: "s", Termination.STOPPED: "s"}
_NOT_FLAT = ("spent", "details")

COLUMNS: dict[str, Any] = {
    **{each.name: each.type for each in fields(StoredGame) if each.name not in _NOT_FLAT},
    "rules": str,
    **{f"{side}_{each.name}": each.type for side in ("black", "white") for each in fields(Spent)},
}
"""Name and type of every column of CSV and Parquet, except the details, which come last."""


# --- forms that are lines of text -----------------------------------------------------------------------------


def json_lines(games: Games) -> Iterator[str]:
    """Every game as one JSON object."""
    for game in games:
        yield json.dumps(_facts(game))


def csv_lines(games: Games) -> Iterator[str]:
    """A heading, then every game as one row; a text with line ends is quoted and may take several lines of a file."""
    writer = csv.writer(_Echo(), lineterminator="\n")
    rows = ([*_flat(game).values(), "" if game.details is None else json.dumps(game.details)] for game in games)
    for row in chain([[*COLUMNS, "details"]], rows):
        yield writer.writerow(row).removesuffix("\n")


def ggf_lines(games: Games) -> Iterator[str]:
    """Every game as one GGF record."""
    for game in games:
        try:
            start = Position.parse(game.opening, game.rules.variant)
            moves = [move for move, _ in parse_moves(game.moves, game.rules)]
            result, comment = _ending(game)
            yield ggf(start, moves, game.black, game.white, result=result, comment=comment)
        except OutflankError as error:
            raise StoreError(f"game {game.key}: {error}; `outflank store FILE --check` finds all such games") from None


def transcripts(games: Games) -> Iterator[str]:
    """Every game as its first position and its moves."""
    for game in games:
        yield f"{game.opening} {game.moves}".rstrip()


class _Echo:
    """A file for `csv.writer` that hands every row back."""

    def write(self, text: str) -> str:
        """The text."""
        return text


def _facts(game: StoredGame) -> dict[str, Any]:
    return {each.name: getattr(game, each.name) for each in fields(game)} | {"rules": str(game.rules)}


def _flat(game: StoredGame) -> dict[str, Any]:
    """The game by `COLUMNS`."""
    facts = _facts(game)
    for side, spent in zip(("black", "white"), game.spent, strict=True):
        facts |= {f"{side}_{name}": value for name, value in spent.items()}
    return {name: facts[name] for name in COLUMNS}


def _ending(game: StoredGame) -> tuple[str, str]:
    """Result and comment of a game that was not played out; of one that was, the board tells all."""
    ending = Termination(game.termination)
    if ending is Termination.NORMAL:
        return "", ""
    margin = int(2 * game.points - 1) * game.rules.size**2
    letter = _GGF_ENDINGS.get(ending, "l")
    return f"{margin:+d}:{letter}", f"{game.termination}: {game.reason}"


LINES: dict[str, Callable[[Games], Iterator[str]]] = {
    "jsonl": json_lines,
    "csv": csv_lines,
    "ggf": ggf_lines,
    "transcripts": transcripts,
}
FORMS = (*LINES, "parquet")


# --- files ----------------------------------------------------------------------------------------------------


def write_games(games: Games, form: str, path: Path) -> None:
    """Writes the games to a file, which takes the place of one that is there when it is complete."""
    if form not in FORMS:
        raise BadSpec(f"no form is called {form!r}; expected one of: {', '.join(FORMS)}")
    with _completed(path) as part:
        if form == "parquet":
            _write_parquet(games, part)
        else:
            with part.open("w", encoding="latin-1" if form == "ggf" else "utf-8", newline="\n") as file:
                file.writelines(f"{line}\n" for line in LINES[form](games))


@contextmanager
def _completed(path: Path) -> Iterator[Path]:
    """A file beside `path` to write to; it is renamed when all went well and removed when not."""
    path = path.resolve()  # a link stays a link to the new file
    if path.exists() and not path.is_file():
        raise StoreError(f"{path} is not a plain file; expected the name of a file to write")
    part = path.with_name(f"{path.name}.part")
    try:
        yield part
        part.replace(path)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}; nothing was changed") from None
    finally:
        with suppress(OSError):  # it is there only if something went wrong
            part.unlink()


def _write_parquet(games: Games, path: Path) -> None:
    try:
        import pyarrow
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise MissingExtra("Parquet files need pyarrow", "parquet") from None
    kinds: dict[Any, Any] = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}
    move = pyarrow.struct([(each.name, kinds.get(each.type, pyarrow.float64())) for each in fields(MoveRecord)])
    columns = [(name, kinds[kind]) for name, kind in COLUMNS.items()]
    schema = pyarrow.schema([*columns, ("details", pyarrow.list_(move))])
    rows = (_flat(game) | {"details": _details(game)} for game in games)
    with ParquetWriter(path, schema, compression="zstd") as writer:
        while group := list(islice(rows, _ROWS_PER_GROUP)):
            writer.write_batch(pyarrow.RecordBatch.from_pylist(group, schema=schema))


def _details(game: StoredGame) -> list[dict[str, Any]] | None:
    names = [each.name for each in fields(MoveRecord)]
    return None if game.details is None else [dict(zip(names, row, strict=True)) for row in game.details]
