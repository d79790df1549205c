"""`outflank store` and `outflank convert`: list, check, repair, import and export games, from any form to any other."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank.errors import BadSpec
from outflank.interfaces.cli.common import add_json_option, add_variant_option, some_games

if TYPE_CHECKING:
    from outflank.arena.store import Store
    from outflank.game import Game

FORMS = ("jsonl", "csv", "parquet", "ggf", "sgf", "wthor", "transcripts", "moves")
"""As `outflank.arena.export` has them, without loading it."""


def register(commands: Any) -> None:
    """Adds the commands to the parser."""
    store = commands.add_parser("store", help="list, check, repair, import and export games", description=_STORE)
    store.add_argument("file", metavar="FILE", help="a store")
    store.add_argument("--check", action="store_true", help="check every game; exit code 1 if something is wrong")
    store.add_argument(
        "--repair", metavar="NEW", help="copy every sound game into a new store; exit code 1 if any is lost"
    )
    store.add_argument("--export", choices=FORMS, help="every game, on stdout or into --out")
    store.add_argument(
        "--import",
        dest="sources",
        nargs="+",
        metavar="GAMES",
        help="add games of others, of any form: files, directories, - for stdin; FILE is made if it is not there",
    )
    store.add_argument("--out", metavar="FILE", help="where --export writes; the file appears when it is complete")
    add_json_option(store)
    store.set_defaults(run=run_store)

    convert = commands.add_parser("convert", help="write games in another form", description=_CONVERT)
    convert.add_argument("sources", nargs="+", metavar="GAMES", help="files, directories, stores, - for stdin")
    convert.add_argument("target", metavar="FILE", help="the file to write; a store (.db) is added to; - for stdout")
    convert.add_argument("--form", choices=(*FORMS, "store"), help="of the file (default: by its ending)")
    add_variant_option(convert, ", where a game does not tell")
    convert.add_argument("--size", type=int, metavar="N", help="board size of transcripts that would pass for 8x8")
    add_json_option(convert)
    convert.set_defaults(run=run_convert)


_STORE = (
    "What a store holds; every game can be checked, or exported: as JSON lines, CSV or Parquet for statistics, as GGF "
    "records or transcripts for other Reversi programs. --repair saves what can be read of a damaged store, or of one "
    "that an earlier version made. --import adds games of others; otherwise the file itself is never changed."
)
_CONVERT = (
    "Read games of any form and write them in another: WTHOR (.wtb, with .jou and .trn beside it), SGF, GGF, "
    "transcripts (.txt), stores (.db), and for statistics JSON lines, CSV and Parquet. What a form has no place for is "
    "lost: transcripts have no names. docs/games-of-others.md tells what each one keeps."
)


def run_store(args: argparse.Namespace) -> None:
    """Prints what a store holds, or exports it."""
    if args.out and not args.export:
        raise BadSpec(f"--out {args.out} needs a form; expected for example --export csv --out {args.out}")
    if args.sources:
        _import(args.sources, Path(args.file), args.json)
        return
    if args.repair:
        _repair(existing_file(args.file), Path(args.repair))
        return
    with existing_store(args.file) as store:
        if args.export:
            _export(store, args.export, args.out)
        elif args.check:
            _check(store)
        else:
            _list(store, args.json)


def run_convert(args: argparse.Namespace) -> None:
    """Writes the games of all sources into one file."""
    form = _form(args.form, args.target)
    target = Path(args.target)
    if any(Path(source).resolve() == target.resolve() for source in args.sources if source != _STREAM):
        raise BadSpec(f"{target} is both read and written; expected another file to write")
    if form == "store":
        _import(args.sources, target, args.json, args.variant, args.size)
        return
    from outflank.arena.export import LINES, write_games

    counted = _Counted(_games(args.sources, args.variant, args.size))
    if args.target == _STREAM:
        if form not in LINES:
            raise BadSpec(f"{form} is not text; expected a file for it, such as games.{form}")
        sys.stdout.writelines(f"{line}\n" for line in LINES[form](counted))
        return
    write_games(counted, form, target)
    facts = {"games": counted.count, "file": args.target}
    print(json.dumps(facts) if args.json else f"{target}: {some_games(counted.count)}")


_STREAM = "-"


class _Counted:
    """Games that are counted as they go by."""

    def __init__(self, games: "Iterator[Game]") -> None:
        self._games, self.count = games, 0

    def __iter__(self) -> "Iterator[Game]":
        for game in self._games:
            self.count += 1
            yield game


def _form(asked: str | None, target: str) -> str:
    """The form that is asked for, or that the ending of a file tells."""
    from outflank.arena.export import ENDINGS

    ending = Path(target).suffix.lower()
    form = asked or (ENDINGS | {".db": "store"}).get(ending)
    if form is None:
        known = ", ".join((*ENDINGS, ".db"))
        raise BadSpec(f"the ending of {target} tells no form; expected {known}, or --form {'|'.join(FORMS)}|store")
    return form


def _games(sources: Sequence[str], variant: Any = "standard", size: int | None = None) -> "Iterator[Game]":
    """The games of files and directories that are there, or of standard input."""
    from outflank.arena.imports import games_of_all

    for source in sources:
        if source != _STREAM and not Path(source).exists():
            raise BadSpec(f"there is no file or directory {source}; expected games to read")
    opened = [sys.stdin.buffer if source == _STREAM else Path(source) for source in sources]
    return games_of_all(opened, variant, size)


def _import(
    sources: Sequence[str], path: Path, as_json: bool, variant: Any = "standard", size: int | None = None
) -> None:
    from outflank.arena.imports import import_games
    from outflank.arena.store import Store

    games = _games(sources, variant, size)
    origin = ", ".join("standard input" if source == _STREAM else Path(source).name for source in sources)
    with Store(path) as store:
        done = import_games(store, games, origin)
        count = store.count()
    facts = done._asdict() | {"games": count}
    print(json.dumps(facts) if as_json else f"{path}: {done}; it holds {some_games(count)}")


def existing_store(name: str) -> "Store":
    """A store that is there, to read."""
    from outflank.arena.store import Store

    store = Store(existing_file(name), reading=True)
    if store.note:
        print(f"outflank: note: {store.note}", file=sys.stderr)
    return store


def existing_file(name: str) -> Path:
    """The path of a file that is there."""
    from outflank.arena.database import StoreError

    if not Path(name).is_file():
        raise StoreError(f"there is no store {name}; expected a file made by outflank match")
    return Path(name)


def _export(store: "Store", form: str, out: str | None) -> None:
    from outflank.arena.export import LINES, write_games

    if out is None:
        if form not in LINES:
            raise BadSpec(f"{form} is not text; expected a file for it, such as --out games.{form}")
        sys.stdout.writelines(f"{line}\n" for line in LINES[form](store.games()))
        return
    if Path(out).resolve() == store.path.resolve():
        raise BadSpec(f"--out {out} is the store itself; expected another file")
    write_games(store.games(), form, Path(out))


def _check(store: "Store") -> None:
    problems = store.problems()
    print("\n".join(problems) or f"{store.count()} games, nothing wrong")
    if problems:
        raise SystemExit(1)


def _repair(path: Path, new: Path) -> None:
    from outflank.arena.repair import repair

    done = repair(path, new)
    print(f"{new}: {done}")
    if done.lost:
        raise SystemExit(1)


def _list(store: "Store", as_json: bool) -> None:
    from outflank.agents.identities import behaviour_of, text_of
    from outflank.agents.names import short_names
    from outflank.arena.store import players
    from outflank.report.document import Table
    from outflank.report.terminal import show

    if as_json:
        colours = Counter((black, white) for _, _, black, white, *_ in store.results())
        rows = [
            {"black": text_of(black), "white": text_of(white)}
            | {"black_behaviour": behaviour_of(black), "white_behaviour": behaviour_of(white), "games": games}
            for (black, white), games in colours.items()
        ]
        print(json.dumps({"games": colours.total(), "pairings": rows}))
        return
    met = Counter((str(game.rules), *sorted(players(game))) for game in store.games())
    names = short_names(who for _, *both in met for who in both)
    pairings = [(names[first], names[second], rules, games) for (rules, first, second), games in met.most_common()]
    show([Table(["agent", "against", "rules", "games"], pairings, some_games(met.total()))])
