"""Games for other programs: JSON lines, CSV, Parquet, GGF and SGF records, WTHOR databases, transcripts.

Every form is read and written game by game, so a million games need no more memory than one; Parquet, a format of
columns, takes them in groups. A file appears under its name when it is complete and not before.

- `jsonl`: one object a game with everything that the store knows. `start` is empty for the usual one; `moves` are all
  moves from it, of which the first `opening_plies` were given; `score` is black's, counted as `Position.score` says.
- `csv`, `parquet`: one row a game. What the two sides spent has columns of its own, such as `black_nodes`; the notes on
  the moves, where they were kept, are JSON in CSV and a list of records in Parquet.
- `black` and `white` are texts of agents; `black_behaviour` and `white_behaviour` say which program played under them.
- `ggf`: one record a line, players by their agent texts, in Latin-1. A game that was not played out has its ruled
  score, or counts all squares for its winner, with a letter (`t` time, `s` adjudicated or stopped, `l` any failure) and
  the reason as a comment.
- `sgf`: one record a line, in UTF-8.
- `wthor`: a database of standard games on 8x8, with files of players (`.jou`) and tournaments (`.trn`) beside it.
- `transcripts`: one line a game, its first position and all moves from it; the variant is not in it.
- `moves`: the same as people write it on 8x8: moves from the usual start, without passes, and the result (`33-31`).

`outflank.formats.read_all` reads the last five. Imported games are written with their own names and tags there.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from itertools import chain, islice
from pathlib import Path
from typing import Any

from outflank.arena.database import StoreError
from outflank.arena.imports import restored
from outflank.board import Position, moves_text
from outflank.errors import BadSpec, require
from outflank.formats import write_ggf, write_sgf, write_transcript, write_wthor
from outflank.game import Game, MoveNote, Spent

Games = Iterable[Game]

_ROWS_PER_GROUP = 4096
_TAGS = ("key", "pair", "conditions", "made", "black_behaviour", "white_behaviour")
COLUMNS: dict[str, Any] = {
    "key": str,
    "pair": str,
    "repeat": int,
    "rules": str,
    "black": str,
    "white": str,
    "black_behaviour": str,
    "white_behaviour": str,
    "conditions": str,
    "made": str,
    "start": str,
    "opening_plies": int,
    "seed": int,
    "moves": str,
    "points": float,
    "score": int,
    "black_discs": int,
    "white_discs": int,
    "termination": str,
    "reason": str,
    **{f"{side}_{each.name}": each.type for side in ("black", "white") for each in fields(Spent)},
}
"""Name and type of every column of CSV and Parquet, except the notes, which come last."""


# --- forms that are lines of text -----------------------------------------------------------------------------


def json_lines(games: Games) -> Iterator[str]:
    """Every game as one JSON object."""
    for game in games:
        spent = [_fields(side) for side in game.spent]
        yield json.dumps(_facts(game) | {"spent": spent, "notes": _notes(game)})


def csv_lines(games: Games) -> Iterator[str]:
    """A heading, then every game as one row; a text with line ends is quoted and may take several lines of a file."""
    writer = csv.writer(_Echo(), lineterminator="\n")
    rows = ([*_flat(game).values(), json.dumps(_notes(game)) if game.notes else ""] for game in games)
    for row in chain([[*COLUMNS, "notes"]], rows):
        yield writer.writerow(row).removesuffix("\n")


def ggf_lines(games: Games) -> Iterator[str]:
    """Every game as one GGF record."""
    return map(write_ggf, map(restored, games))


def sgf_lines(games: Games) -> Iterator[str]:
    """Every game as one SGF record."""
    return map(write_sgf, map(restored, games))


def transcripts(games: Games) -> Iterator[str]:
    """Every game as its first position, which tells the size, and all its moves."""
    return (f"{game.start.line()} {moves_text(game.moves, passes=True)}".rstrip() for game in games)


def plain_moves(games: Games) -> Iterator[str]:
    """Every game as its moves and its result; on other boards than 8x8 its first position tells the size."""
    for game in games:
        usual = game.start == Position.start("standard 8x8").with_variant(game.rules.variant)
        yield write_transcript(game, result=True) if usual else next(transcripts([game]))


class _Echo:
    """A file for `csv.writer` that hands every row back."""

    def write(self, text: str) -> str:
        """The text."""
        return text


def _facts(game: Game) -> dict[str, Any]:
    """What is one number or text."""
    tags = {name: game.tags.get(name, "") for name in _TAGS}
    return {
        **tags,
        "repeat": int(game.tags.get("repeat", 0)),
        "rules": str(game.rules),
        "black": game.black,
        "white": game.white,
        "start": "" if game.start == Position.start(game.rules) else game.start.line(),
        "opening_plies": game.opening_plies,
        "seed": game.seed,
        "moves": moves_text(game.moves, passes=True),
        "points": game.points,
        "score": game.score,
        "black_discs": game.discs[0],
        "white_discs": game.discs[1],
        "termination": game.termination,
        "reason": game.reason,
    }


def _flat(game: Game) -> dict[str, Any]:
    """The game by `COLUMNS`."""
    facts = _facts(game)
    for side, spent in zip(("black", "white"), game.spent, strict=True):
        facts |= {f"{side}_{name}": value for name, value in _fields(spent).items()}
    return {name: facts[name] for name in COLUMNS}


def _fields(facts: Spent | MoveNote) -> dict[str, Any]:
    return {name: getattr(facts, name) for name in facts.__slots__}


def _notes(game: Game) -> list[dict[str, Any]] | None:
    return [_fields(note) for note in game.notes] or None


LINES: dict[str, Callable[[Games], Iterator[str]]] = {
    "jsonl": json_lines,
    "csv": csv_lines,
    "ggf": ggf_lines,
    "sgf": sgf_lines,
    "transcripts": transcripts,
    "moves": plain_moves,
}
FORMS = (*LINES, "parquet", "wthor")
ENDINGS = {".jsonl": "jsonl", ".csv": "csv", ".ggf": "ggf", ".sgf": "sgf", ".txt": "moves", ".parquet": "parquet"} | {
    ".wtb": "wthor"
}
"""The form that the ending of a file asks for."""


# --- files ----------------------------------------------------------------------------------------------------


def write_games(games: Games, form: str, path: Path) -> None:
    """Writes the games to a file, which takes the place of one that is there when it is complete."""
    if form not in FORMS:
        raise BadSpec(f"no form is called {form!r}; expected one of: {', '.join(FORMS)}")
    if form == "wthor":
        _write_wthor(games, path)
        return
    with completed(path) as part:
        if form == "parquet":
            _write_parquet(games, part)
        else:
            with part.open("w", encoding="latin-1" if form == "ggf" else "utf-8", newline="\n") as file:
                file.writelines(f"{line}\n" for line in LINES[form](games))


@contextmanager
def completed(path: Path) -> Iterator[Path]:
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


def _write_wthor(games: Games, path: Path) -> None:
    """Writes the database and its names; the names first, so that no game is there without them."""
    files = write_wthor(map(restored, games))
    path = path.resolve()  # names lie beside the file itself
    for file, content in (
        (path.with_suffix(".jou"), files.players),
        (path.with_suffix(".trn"), files.tournaments),
        (path, files.games),
    ):
        with completed(file) as part:
            part.write_bytes(content)


def _write_parquet(games: Games, path: Path) -> None:
    require("pyarrow", "Parquet files need pyarrow", "parquet")
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    kinds: dict[Any, Any] = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}
    move = pyarrow.struct([(each.name, kinds.get(each.type, pyarrow.float64())) for each in fields(MoveNote)])
    columns = [(name, kinds[kind]) for name, kind in COLUMNS.items()]
    schema = pyarrow.schema([*columns, ("notes", pyarrow.list_(move))])
    rows = (_flat(game) | {"notes": _notes(game)} for game in games)
    with ParquetWriter(path, schema, compression="zstd") as writer:
        while group := list(islice(rows, _ROWS_PER_GROUP)):
            writer.write_batch(pyarrow.RecordBatch.from_pylist(group, schema=schema))
