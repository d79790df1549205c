"""`outflank review` and `outflank analyse`: the mistakes of games, the value of every move of a position."""

import argparse
import json
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outflank.errors import BadSpec
from outflank.interfaces.cli.board import add_position, read_game
from outflank.interfaces.cli.common import (
    add_executor_options,
    add_json_option,
    add_quiet_option,
    add_variant_option,
    executor,
    progress,
)

if TYPE_CHECKING:
    from outflank.analysis import Analysis
    from outflank.execute import Executor
    from outflank.game import Game
    from outflank.report.reviews import Reviewed

_ENDINGS = (".md", ".csv", ".json")
_SHOWN = 10
"""Games whose moves are listed in the terminal."""
_SECONDS = 3.0
_MOST_GAMES = 10**9
_REVIEW = (
    "Compare every move of games with the best one: accuracy, blunders, opening. GAMES are files, directories or "
    "stores of any form that Outflank reads, or a transcript itself. Values are exact near the end of a game."
)
_ANALYSE = (
    "The value of every legal move, best first, from the view of the side to move, in discs. GAME is a file, a "
    "transcript, a GGF or SGF record, a link of the page or a board; the position after its moves is analysed."
)


def register(commands: Any) -> None:
    """Adds the commands to the parser."""
    review = commands.add_parser("review", help="find the mistakes of games", description=_REVIEW)
    review.add_argument("sources", nargs="+", metavar="GAMES", help="files, directories, stores, or a transcript")
    review.add_argument("--depth", type=int, metavar="D", help="plies to look ahead (default: 14 on 8x8)")
    review.add_argument("--seconds", type=float, metavar="T", help="time for every move instead")
    review.add_argument("--games", type=int, metavar="N", help="only the first N games")
    add_variant_option(review, ", where a game does not tell")
    review.add_argument("--size", type=int, metavar="N", help="board size of transcripts that would pass for 8x8")
    review.add_argument(
        "--out", action="append", default=[], metavar="FILE", help="also write .md, .csv or .json; may be repeated"
    )
    add_executor_options(review)
    add_quiet_option(review)
    add_json_option(review)
    review.set_defaults(run=run_review)

    analyse = commands.add_parser("analyse", help="the value of every move of a position", description=_ANALYSE)
    analyse.add_argument("game", nargs="?", metavar="GAME", help="a game or position of any form: a file, or the text")
    add_position(analyse)
    analyse.add_argument("--moves", metavar="TRANSCRIPT", help="moves to play first")
    add_variant_option(analyse)
    analyse.add_argument("--agent", metavar="AGENT", help="ask another agent than the engine for its opinion")
    analyse.add_argument("--depth", type=int, metavar="D", help="end at so many plies")
    analyse.add_argument(
        "--seconds", type=float, metavar="T", help=f"end after this time ({_SECONDS:g} without --depth)"
    )
    add_json_option(analyse)
    analyse.set_defaults(run=run_analyse)


# --- review -------------------------------------------------------------------------------------------------------


def run_review(args: argparse.Namespace) -> None:
    """Reviews games and prints what was found."""
    for name in args.out:
        if Path(name).suffix.lower() not in _ENDINGS:
            raise BadSpec(f"--out {name} tells no form; expected a file that ends with {', '.join(_ENDINGS)}")
    games = _games(args)
    reviews = _reviewed(games, args)
    for name in args.out:
        _write(reviews, Path(name), ", ".join(args.sources)[:100])
    if args.json:
        print(json.dumps({"games": [done.facts() for done in reviews]}))
    else:
        _print_reviews(reviews)


def _games(args: argparse.Namespace) -> "list[Game]":
    from outflank.arena.imports import games_of_all

    if args.games is not None and not 1 <= args.games <= _MOST_GAMES:
        raise BadSpec(f"--games {args.games} is not possible; expected 1 to {_MOST_GAMES:,}")
    games = [game for game in islice(games_of_all(args.sources, args.variant, args.size), args.games) if len(game)]
    if not games:
        raise BadSpec(f"there is no game with moves in {', '.join(args.sources)[:100]}; expected games to review")
    return games


def _reviewed(games: "list[Game]", args: argparse.Namespace) -> "list[Reviewed]":
    from outflank.report.reviews import review_games

    found: dict[int, Reviewed] = {}
    with progress("review", args.quiet) as shown:
        shown.plan(len(games), unit="games")
        for number, done in review_games(games, (args.depth, args.seconds), _executor(len(games), args)):
            found[number] = done
            shown.reach(len(found), len(games))
    return [found[number] for number in range(len(games))]


def _executor(games: int, args: argparse.Namespace) -> "Executor":
    """Workers where there is more than one game for them."""
    from outflank.execute import Here

    alone = args.cluster is None and (games == 1 or args.workers == 1)
    return Here() if alone else executor(args)


def _write(reviews: "Sequence[Reviewed]", path: Path, title: str) -> None:
    from outflank.inputs import put_file
    from outflank.report.markdown import to_markdown
    from outflank.report.reviews import moves_table, review_document
    from outflank.report.write import to_csv

    ending = path.suffix.lower()
    if ending == ".md":
        text = to_markdown(review_document(reviews, f"Review of {title}"))
    elif ending == ".csv":
        text = to_csv(moves_table(reviews))
    else:
        text = json.dumps({"games": [done.facts() for done in reviews]}) + "\n"
    put_file(path, text.encode())


def _print_reviews(reviews: "Sequence[Reviewed]") -> None:
    from outflank.report.reviews import games_table, marked_table
    from outflank.report.terminal import show

    tables = [games_table(reviews)]
    marked = marked_table(reviews)
    if marked.rows and len(reviews) <= _SHOWN:
        tables.append(marked)
    show(tables)


# --- analyse ------------------------------------------------------------------------------------------------------


def run_analyse(args: argparse.Namespace) -> None:
    """Prints the value of every move."""
    from outflank.agents import agent
    from outflank.analysis import judges
    from outflank.facts import analysis_facts, with_names
    from outflank.interfaces.cli.board import position_game
    from outflank.interfaces.preparing import prepare_here

    for name in ("depth", "seconds"):
        if (value := getattr(args, name)) is not None and value <= 0:
            raise BadSpec(f"--{name} {value} is not possible; expected more than 0")
    game = read_game(args) if args.game is not None else position_game(args)
    player = agent(args.agent) if args.agent else None
    for each in (player,) if player else judges(game.rules):
        prepare_here(each, game.rules)
    last = _analysed(game, player, args)
    if args.json:
        facts = {"position": game.end.line(), "rules": str(game.rules), "opening": game.opening}
        print(json.dumps(facts | with_names(analysis_facts(last))))
    else:
        _print_analysis(game, last)


def _analysed(game: "Game", player: Any, args: argparse.Namespace) -> "Analysis":
    """The last answer within the limits; the first one in any case."""
    from outflank.analysis import Analysis, analyse
    from outflank.search.clock import stoppable

    seconds = args.seconds if args.seconds is not None or args.depth is not None else _SECONDS
    deadline = time.perf_counter() + (float("inf") if seconds is None else seconds)
    last = Analysis(game.end, ())
    with stoppable(lambda: bool(last.moves) and time.perf_counter() > deadline):
        for last in analyse(game.end, player):
            if args.depth is not None and last.depth >= args.depth:
                break
    return last


def _print_analysis(game: "Game", analysis: "Analysis") -> None:
    from outflank.report.document import Table
    from outflank.report.terminal import show

    print(game.end)
    if game.opening:
        print(f"opening: {game.opening}")
    if not analysis.moves:
        print("the game is over" if game.end.is_over else "only the pass is possible")
        return
    rows = [
        [str(value.move), value.text, value.depth_text, " ".join(map(str, value.pv[:12]))] for value in analysis.moves
    ]
    note = f"{analysis.nodes:,} nodes, {analysis.seconds:.1f} s"
    show([Table(["move", "value", "looked ahead", "line"], rows, note)])
