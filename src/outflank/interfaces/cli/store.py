"""`outflank store`: list, check and export stored games."""

import argparse
import json
from pathlib import Path
from typing import Any


def register(commands: Any) -> None:
    """Adds the commands to the parser."""
    store = commands.add_parser("store", help="list, check and export stored games", description=_STORE)
    store.add_argument("file", metavar="FILE", help="a store")
    store.add_argument("--check", action="store_true", help="replay every game; exit code 1 if something is wrong")
    store.add_argument("--export", choices=("jsonl", "transcripts"), help="print every game")
    store.add_argument("--json", action="store_true", help="print one JSON object")
    store.set_defaults(run=run_store)


_STORE = "What a store holds; every game can be exported, or replayed and checked."


def run_store(args: argparse.Namespace) -> None:
    """Prints what a store holds."""
    from collections import Counter

    from outflank.arena.store import Store

    with Store(existing_store(args.file)) as store:
        if args.export:
            for game in store.games():
                print(_exported(game, args.export))
            return
        if args.check:
            problems = store.problems()
            print("\n".join(problems) or f"{store.count()} games, nothing wrong")
            if problems:
                raise SystemExit(1)
            return
        pairings: Counter[tuple[str, str]] = Counter()
        for _, _, black, white, *_ in store.results():
            pairings[black, white] += 1
    if args.json:
        rows = [{"black": black, "white": white, "games": games} for (black, white), games in pairings.items()]
        print(json.dumps({"games": pairings.total(), "pairings": rows}))
        return
    print(f"{pairings.total()} games")
    for (black, white), games in pairings.most_common():
        print(f"{games:>8}  {black}\n          {white}")


def existing_store(name: str) -> Path:
    """The path of a store that is there."""
    from outflank.arena.store import StoreError

    if not Path(name).is_file():
        raise StoreError(f"there is no store {name}; expected a file made by outflank match")
    return Path(name)


def _exported(game: Any, form: str) -> str:
    if form == "transcripts":
        return f"{game.opening} {game.moves}"
    return json.dumps({**vars(game), "rules": str(game.rules)})
