"""`outflank show` and `outflank perft`: look at a position, count its tree."""

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank.interfaces.cli.common import add_quiet_option, progress

if TYPE_CHECKING:
    from outflank.board import Position


def register(commands: Any) -> None:
    """Adds the commands to the parser."""
    show = commands.add_parser("show", help="show a position, or a game after its moves", description=_SHOW)
    add_position(show)
    show.add_argument(
        "--moves", metavar="TRANSCRIPT", help="moves to play first, such as f5d6c3; passes may be left out"
    )
    show.add_argument("--variant", default="standard", help="standard (default) or reversed: who wins")
    show.add_argument("--svg", metavar="FILE", help="also write a drawing")
    show.add_argument("--json", action="store_true", help="print one JSON object")
    show.set_defaults(run=run_show)

    perft = commands.add_parser("perft", help="count lines of play", description=_PERFT)
    add_position(perft)
    perft.add_argument("--depth", type=int, required=True, metavar="D", help="plies to count")
    perft.add_argument("--divide", action="store_true", help="also the count of each first move")
    add_quiet_option(perft)
    perft.add_argument("--json", action="store_true", help="print one JSON object")
    perft.set_defaults(run=run_perft)


_SHOW = "Show the board, the side to move, the legal moves and the score; with --moves replay a game first."
_PERFT = (
    "Count the lines of play of D plies. A forced pass is one ply, a finished game counts once. "
    "The last line printed is the count alone. The standard and the reversed game have the same tree."
)


def add_position(parser: argparse.ArgumentParser) -> None:
    """The options that describe a position."""
    parser.add_argument("--size", type=int, metavar="N", help="board size, even, 4 to 16 (default 8)")
    parser.add_argument(
        "--position",
        metavar="TEXT",
        help="squares row by row (X black, O white, - empty), then the side to move X or O",
    )


def read_position(args: argparse.Namespace) -> "Position":
    """The position that --position, --size and --variant describe."""
    from outflank.board import Position, Rules
    from outflank.errors import BadRules

    variant: Any = getattr(args, "variant", "standard")
    rules = Rules(8 if args.size is None else args.size, variant)
    if args.position is None:
        return Position.start(rules)
    position = Position.parse(args.position, variant)
    if args.size not in (None, position.rules.size):
        raise BadRules(
            f"--size {args.size} does not fit --position, which has {position.rules.size}x{position.rules.size} squares"
        )
    return position


def run_show(args: argparse.Namespace) -> None:
    """Prints the position that the arguments describe."""
    from outflank.board import moves_text
    from outflank.formats import read_transcript

    game = read_transcript(args.moves or "", read_position(args))
    position = game.end
    if args.svg:
        Path(args.svg).write_text(position.svg(game.last), encoding="utf-8")
    facts = _facts(position)
    facts["moves"] = moves_text(game.moves)
    print(json.dumps(facts) if args.json else _report(position, facts))


def _facts(position: "Position") -> dict[str, Any]:
    from outflank.board import Color

    black, white = Color.BLACK, Color.WHITE
    return {
        "position": position.line(),
        "rules": str(position.rules),
        "turn": str(position.turn),
        "legal": list(map(str, position.moves)),
        "discs": {"black": position.discs(black), "white": position.discs(white), "empty": position.empties},
        "over": position.is_over,
        "winner": str(position.winner) if position.winner is not None else None,
        "score": position.score(black) if position.is_over else None,
    }


def _report(position: "Position", facts: dict[str, Any]) -> str:
    board, _, side = str(position).rpartition("\n")
    discs, score = facts["discs"], ""
    if facts["over"]:
        side = f"game over, {facts['winner'] + ' wins' if facts['winner'] else 'a draw'}"
        score = f"\nscore for black: {facts['score']:+d}, the empty squares counted for the winner"
    legal = " ".join(facts["legal"]) or "none"
    return (
        f"{board}\n{facts['rules']}: {side}\nlegal moves: {legal}\n"
        f"discs: black {discs['black']}, white {discs['white']}, empty {discs['empty']}{score}"
    )


def run_perft(args: argparse.Namespace) -> None:
    """Prints the count, and with --divide the count of each first move."""
    position = read_position(args)
    began = time.perf_counter()
    divided: dict[str, int] = {}
    with progress("perft", args.quiet, brief=True) as shown:
        shown.plan(0, unit="subtrees")
        if args.divide:
            divided = {
                str(move): position.play(move).perft(args.depth - 1, shown.reach)
                for move in (position.moves if args.depth > 0 else ())
            }
        count = sum(divided.values()) if divided else position.perft(args.depth, shown.reach)
    seconds = time.perf_counter() - began
    if args.json:
        facts = {"position": position.line(), "depth": args.depth, "count": count, "seconds": round(seconds, 6)}
        print(json.dumps(facts | ({"divide": divided} if args.divide else {})))
        return
    for name, leaves in divided.items():
        print(f"{name}: {leaves}")
    print(count)
