"""`outflank explore`: what was played in a position, in the games of any collection."""

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank.interfaces.cli.board import add_position, position_game
from outflank.interfaces.cli.common import add_json_option, add_variant_option, some_games

if TYPE_CHECKING:
    from outflank.explorer import Explorer

_EXPLORE = (
    "The moves that were played in a position, with counts, results and names, in games of any form that Outflank "
    "reads (WTHOR years, GGF, SGF, stores), mirror images counted together. --out keeps the index of a large "
    "collection, which is then given in place of the games."
)


def register(commands: Any) -> None:
    """Adds the command to the parser."""
    explore = commands.add_parser("explore", help="what was played in a position", description=_EXPLORE)
    explore.add_argument("sources", nargs="+", metavar="GAMES", help="files, directories, stores, or an index (.npz)")
    add_position(explore)
    explore.add_argument("--moves", metavar="TRANSCRIPT", help="moves to play first, such as f5d6c3")
    add_variant_option(explore)
    explore.add_argument("--player", metavar="NAME", help="only games of whoever has this in the name")
    explore.add_argument("--year", metavar="YEAR", help="only games of 1985, or of 1985..1990")
    explore.add_argument("--result", choices=("black", "white", "draw"), help="only games that end so")
    explore.add_argument("--out", metavar="FILE", help="also keep the index: NAME.npz")
    add_json_option(explore)
    explore.set_defaults(run=run_explore)


def run_explore(args: argparse.Namespace) -> None:
    """Prints the moves of a position."""
    from outflank.errors import BadSpec
    from outflank.explorer import explored_facts, years_of

    if args.out and not args.out.endswith(".npz"):
        raise BadSpec(f"--out {args.out[:100]} is not possible; expected the name of an index, NAME.npz")
    years = None if args.year is None else years_of(args.year)
    position = position_game(args).end
    index = _index(args)
    if args.out:
        index.write(args.out)
    began = time.perf_counter()
    found = index.at(position, player=args.player, years=years, result=args.result)
    seconds = time.perf_counter() - began
    if args.json:
        facts = {"position": position.line(), "rules": str(index.rules), "games": len(index.scores)}
        facts |= {"left_out": index.left_out, "seconds": round(seconds, 6), "moves": explored_facts(found)}
        print(json.dumps(facts))
        return
    _print(index, found)


def _index(args: argparse.Namespace) -> "Explorer":
    from outflank.arena.imports import games_of_all
    from outflank.errors import BadSpec
    from outflank.explorer import Explorer

    kept = [name for name in args.sources if name.endswith(".npz")]
    if kept and len(args.sources) > 1:
        raise BadSpec(f"{kept[0]} is an index; expected it alone, or games")
    if kept:
        return Explorer.read(kept[0])
    for name in args.sources:
        if not Path(name[:4000]).exists():
            raise BadSpec(f"there is no file or directory {name[:100]}; expected games to read")
    from outflank.board import Rules

    rules = Rules(8 if args.size is None else args.size, args.variant)
    return Explorer.of(games_of_all(map(Path, args.sources), args.variant, args.size), rules)


def _print(index: "Explorer", found: Any) -> None:
    from outflank.report.document import Table
    from outflank.report.terminal import show

    rows = [
        [str(one.move), f"{one.games:,}", f"{100 * one.share:.1f} %", f"{one.margin:+z.1f}", one.opening]
        for one in found
    ]
    note = f"{some_games(len(index.scores))} of {index.rules}"
    if index.left_out:
        note += f", {index.left_out:,} others left out"
    show([Table(["move", "games", "points of the mover", "discs", "opening"], rows, note)])
