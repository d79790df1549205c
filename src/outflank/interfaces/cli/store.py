"""`outflank store`: list, check, repair and export stored games."""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outflank.arena.store import Store

FORMS = ("jsonl", "csv", "parquet", "ggf", "transcripts")
"""As `outflank.arena.export` has them, without loading it."""


def register(commands: Any) -> None:
    """Adds the commands to the parser."""
    store = commands.add_parser("store", help="list, check, repair and export stored games", description=_STORE)
    store.add_argument("file", metavar="FILE", help="a store")
    store.add_argument("--check", action="store_true", help="check every game; exit code 1 if something is wrong")
    store.add_argument(
        "--repair", metavar="NEW", help="copy every sound game into a new store; exit code 1 if any is lost"
    )
    store.add_argument("--export", choices=FORMS, help="every game, on stdout or into --out")
    store.add_argument("--out", metavar="FILE", help="where --export writes; the file appears when it is complete")
    store.add_argument("--json", action="store_true", help="print one JSON object")
    store.set_defaults(run=run_store)


_STORE = (
    "What a store holds; every game can be checked, or exported: as JSON lines, CSV or Parquet for statistics, as GGF "
    "records or transcripts for other Reversi programs. --repair saves what can be read of a damaged store, or of one "
    "that an earlier version made. The file itself is never changed."
)


def run_store(args: argparse.Namespace) -> None:
    """Prints what a store holds, or exports it."""
    from outflank.errors import BadSpec

    if args.out and not args.export:
        raise BadSpec(f"--out {args.out} needs a form; expected for example --export csv --out {args.out}")
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
    from outflank.errors import BadSpec

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
    show([Table(["agent", "against", "rules", "games"], pairings, f"{met.total()} games")])
