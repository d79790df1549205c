"""`outflank show` and `outflank perft`: look at a position, count its tree."""

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank.interfaces.cli.common import add_json_option, add_quiet_option, add_variant_option, progress

if TYPE_CHECKING:
    from outflank.board import Position
    from outflank.game import Game


def register(commands: Any) -> None:
    """Adds the commands to the parser."""
    show = commands.add_parser("show", help="show a position, or a game after its moves", description=_SHOW)
    show.add_argument(
        "game", nargs="?", metavar="GAME", help="a game or position of any form: a file, or the text itself"
    )
    add_position(show)
    show.add_argument(
        "--moves", metavar="TRANSCRIPT", help="moves to play first, such as f5d6c3; passes may be left out"
    )
    add_variant_option(show, ": who wins")
    show.add_argument("--out", metavar="FILE", help="also write a drawing: .svg or .png")
    add_json_option(show)
    show.set_defaults(run=run_show)

    perft = commands.add_parser("perft", help="count lines of play", description=_PERFT)
    add_position(perft)
    perft.add_argument("--depth", type=int, required=True, metavar="D", help="plies to count")
    perft.add_argument("--divide", action="store_true", help="also the count of each first move")
    add_quiet_option(perft)
    add_json_option(perft)
    perft.set_defaults(run=run_perft)


_SHOW = (
    "Show the board, the side to move, the legal moves, the score, and the name of the opening. GAME is a file, a "
    "transcript, a GGF or SGF record, a link of the page or a board; with --moves replay moves first."
)
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

    game = read_game(args) if args.game is not None else position_game(args)
    position = game.end
    if args.out:
        _draw(game, Path(args.out))
    facts = _facts(position)
    facts["moves"] = moves_text(game.moves)
    facts["opening"] = game.opening
    print(json.dumps(facts) if args.json else _report(position, facts))


def position_game(args: argparse.Namespace) -> "Game":
    """The game of --moves from the position that the other options describe."""
    from outflank.formats import read_transcript

    return read_transcript(args.moves or "", read_position(args))


def read_game(args: argparse.Namespace) -> "Game":
    """The game that the argument GAME is or names, with the moves of --moves behind it."""
    from outflank.errors import BadSpec
    from outflank.formats import read

    if args.position is not None:
        raise BadSpec("both a game and --position are given; expected one of them")
    game = read(args.game, args.variant, args.size)
    return game.play(*(move for move, _ in game.end.replay(args.moves))) if args.moves else game


def _draw(game: "Game", path: Path) -> None:
    from outflank.errors import BadSpec

    ending = path.suffix.lower()
    if ending not in (".svg", ".png"):
        raise BadSpec(f"--out {path} is no picture; expected a file that ends with .svg or .png")
    drawn = game.end.png(game.last) if ending == ".png" else game.end.svg(game.last).encode()
    path.write_bytes(drawn)


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
    opening = f"\nopening: {facts['opening']}" if facts["opening"] else ""
    return (
        f"{board}\n{facts['rules']}: {side}\nlegal moves: {legal}\n"
        f"discs: black {discs['black']}, white {discs['white']}, empty {discs['empty']}{score}{opening}"
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
