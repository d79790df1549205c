"""Links that open a game on the board of `outflank play`, with its players and its review.

The page reads what stands behind `#` of its address (`static/storage.js`): the moves that led to the position on the
board, those that follow, who played, and what a review said of every ply.
"""

from collections.abc import Sequence
from urllib.parse import urlencode

from outflank.analysis import Verdict
from outflank.board import Position, Rules, moves_text
from outflank.game import Game

FROM_REPORT = "../../"
"""The server's first page, seen from `/reports/NAME/index.html`."""


def board_link(
    game: Game, ply: int | None = None, names: tuple[str, str] = ("", ""), verdicts: Sequence[Verdict] = ()
) -> str:
    """The part of an address behind the server's first page: the game, with so many of its moves played.

    >>> board_link(Game.of(Position.start("standard 4x4"), "b1a1"))
    '#view=analyse&rules=standard-4x4&moves=b1a1'
    >>> board_link(Game.of(Position.start("standard 4x4"), "b1a1"), 1, ("Ada", ""))
    '#view=analyse&rules=standard-4x4&moves=b1&then=a1&black=Ada'
    """
    at = len(game) if ply is None else ply
    parts = {
        "view": "analyse",
        "rules": str(game.rules).replace(" ", "-"),
        "moves": moves_text(game.moves[:at], passes=True),
        "start": "" if game.start == Position.start(game.rules) else game.start.line(),
        "then": moves_text(game.moves[at:], passes=True),
        "black": names[0],
        "white": names[1],
        "review": _reviewed(game, verdicts),
    }
    needed = ("view", "rules", "moves")
    return f"#{urlencode({name: text for name, text in parts.items() if text or name in needed})}"


def _reviewed(game: Game, verdicts: Sequence[Verdict]) -> str:
    """Verdicts by their plies, as the page writes them."""
    texts = {verdict.ply: _verdict(verdict, game.rules) for verdict in verdicts}
    return ".".join(texts.get(ply, "") for ply in range(max(texts) + 1)) if texts else ""


def _verdict(verdict: Verdict, rules: Rules) -> str:
    """Value and loss in tenths of a disc, whether exact, depth, confidence, the best move, the letter of the mark."""
    value, loss = (round(10 * number) for number in (verdict.value, verdict.loss))
    best = "" if verdict.best is None else moves_text([rules.move(verdict.best)], passes=True)
    exact = "x" if verdict.exact else ""
    return f"{value}_{loss}_{exact}{verdict.depth}_{verdict.confidence}_{best}_{verdict.mark[:1]}"
