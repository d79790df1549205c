"""Reviewed games as reports: what each side gave away, which moves could have been better, and the opening.

A move counts where there was a choice, and where it was not given as an opening. *Accuracy* is the share of such moves
without a mark, *loss* the discs given away by a move on average; `analysis.MARKS` says from how many discs on a move is
marked.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from outflank.analysis import Mark, Verdict, review
from outflank.board import Color
from outflank.execute import Executor, TaskFailed
from outflank.execute.tasks import Job, Lost
from outflank.facts import game_facts, verdict_facts, with_names
from outflank.game import Game
from outflank.report.document import Cell, Document, Section, Table, Tone, Value
from outflank.search.decision import depth_text

_SIGNS: dict[Mark, str] = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}
_TONES: dict[Mark, Tone] = {"inaccuracy": "muted", "mistake": "warn", "blunder": "bad"}
_NOTE = (
    "Accuracy: the share of moves that gave away less than an inaccuracy does. Loss: discs given away by a move. Both "
    "where there was a choice. The mark of an estimate counts as much of the loss as two depths agree on."
)
_LINE = 6
"""Moves of a better line in a table."""

Effort = tuple[int | None, float | None]
"""Depth and seconds for a move, as `analysis.review` takes them."""


@dataclass(frozen=True)
class Side:
    """What one side did where it had a choice.

    >>> Side(moves=10, lost=12.5, inaccuracies=1, mistakes=0, blunders=1).accuracy
    0.8
    """

    moves: int
    lost: float
    inaccuracies: int
    mistakes: int
    blunders: int

    @property
    def accuracy(self) -> float | None:
        """The share of moves without a mark; None without moves."""
        marked = self.inaccuracies + self.mistakes + self.blunders
        return 1 - marked / self.moves if self.moves else None

    @property
    def loss(self) -> float | None:
        """Discs given away by a move; None without moves."""
        return self.lost / self.moves if self.moves else None

    def facts(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "moves": self.moves,
            "accuracy": self.accuracy,
            "loss": self.loss,
            "inaccuracies": self.inaccuracies,
            "mistakes": self.mistakes,
            "blunders": self.blunders,
        }


@dataclass(frozen=True)
class Reviewed:
    """A game with a verdict on every ply, the first one first.

    >>> from outflank.board import Position
    >>> done = review_game(Game.of(Position.parse("OX-OXOO-XXXXXXX- O"), "d4"))
    >>> done.side(Color.WHITE).mistakes, [str(verdict.played) for verdict in done.marked]
    (1, ['d4'])
    """

    game: Game
    verdicts: tuple[Verdict, ...]

    def choices(self, color: Color) -> list[Verdict]:
        """The moves that one side made where it had a choice."""
        positions = self.game.positions
        return [
            verdict
            for verdict in self.verdicts
            if verdict.played is not None
            and verdict.ply >= self.game.opening_plies
            and positions[verdict.ply].turn is color
            and len(positions[verdict.ply].moves) > 1
        ]

    def side(self, color: Color) -> Side:
        """What one side did."""
        own = self.choices(color)
        counts = [sum(verdict.mark == mark for verdict in own) for mark in ("inaccuracy", "mistake", "blunder")]
        return Side(len(own), sum(verdict.loss for verdict in own), *counts)

    @property
    def marked(self) -> list[Verdict]:
        """The moves that could have been better."""
        return [verdict for verdict in self.verdicts if verdict.mark]

    def facts(self) -> dict[str, Any]:
        """As plain data, moves by their names."""
        game = self.game
        return {
            "black": game.black,
            "white": game.white,
            "date": game.date,
            "result": game.result,
            "score": game.score,
            "opening": game.opening,
            **with_names(game_facts(game)),
            "sides": {str(color): self.side(color).facts() for color in Color},
            "verdicts": [with_names(verdict_facts(verdict)) for verdict in self.verdicts],
        }


def review_game(game: Game, depth: int | None = None, seconds: float | None = None) -> Reviewed:
    """A game and what is to be said of it, as `analysis.review` says it.

    >>> len(review_game(Game.of(), depth=1).verdicts)
    1
    """
    found = review(game, depth=depth, seconds_per_move=seconds)
    return Reviewed(game, tuple(reversed(list(found))))


def review_task(payload: tuple[Game, Effort]) -> tuple[Verdict, ...]:
    """What a worker does for a game."""
    game, effort = payload
    return review_game(game, *effort).verdicts


def review_games(games: Sequence[Game], effort: Effort, executor: Executor) -> Iterator[tuple[int, Reviewed]]:
    """The reviewed games with their numbers, as they come.

    >>> from outflank.execute import Here
    >>> [(number, len(done.verdicts)) for number, done in review_games([Game.of()], (1, None), Here())]
    [(0, 1)]
    """
    tasks = ((str(number), (game, effort)) for number, game in enumerate(games))
    for key, verdicts in executor.run(Job(f"{__name__}:{review_task.__name__}"), tasks):
        if isinstance(verdicts, Lost):
            raise TaskFailed(f"game {int(key) + 1} could not be reviewed: {verdicts.reason}")
        yield int(key), Reviewed(games[int(key)], verdicts)


# --- tables -------------------------------------------------------------------------------------------------------


def games_table(reviews: Sequence[Reviewed]) -> Table:
    """A row for every game: who, how it ended, the opening, and accuracy, loss and blunders of black and white.

    >>> games_table([review_game(Game.of(None, "f5", black="Ada"), depth=1)]).rows[0][1:3]
    ['Ada', 'white']
    """
    columns = ["game", "black", "white", "result", "opening"]
    columns += [f"{what}, {side}" for what in ("accuracy", "loss", "blunders") for side in ("black", "white")]
    moves = sum(done.side(color).moves for done in reviews for color in Color)
    caption = f"{len(reviews):,} game{'s' * (len(reviews) != 1)}, {moves:,} moves where there was a choice"
    return Table(columns, [_game_row(number, done) for number, done in enumerate(reviews, start=1)], caption, _NOTE)


def _game_row(number: int, done: Reviewed) -> list[Value]:
    game, sides = done.game, [done.side(color) for color in Color]
    score = "" if game.score is None else f"{game.score:+g}"
    row: list[Value] = [number, game.black or "black", game.white or "white", score, game.opening]
    row += [None if side.accuracy is None else f"{side.accuracy:.0%}" for side in sides]
    row += [None if side.loss is None else round(side.loss, 2) for side in sides]
    return row + [side.blunders for side in sides]


def marked_table(reviews: Iterable[Reviewed]) -> Table:
    """A row for every move that could have been better, with what would have been.

    >>> from outflank.board import Position
    >>> done = review_game(Game.of(Position.parse("OX-OXOO-XXXXXXX- O"), "d4"))
    >>> marked_table([done]).rows[0][:5]
    [1, 1, 'white', 'd4', 'c1']
    """
    rows = [
        _marked_row(number, done, verdict) for number, done in enumerate(reviews, start=1) for verdict in done.marked
    ]
    return Table(["game", "move", "side", "played", "better", "mark", "loss", "looked ahead", "better line"], rows)


def _marked_row(number: int, done: Reviewed, verdict: Verdict) -> list[Value]:
    side = done.game.positions[verdict.ply].turn
    seen = "exact" if verdict.exact else depth_text(verdict.depth, verdict.confidence)
    line = " ".join(map(str, verdict.best_pv[:_LINE]))
    mark = Cell(f"{verdict.mark} {_SIGNS[verdict.mark]}", _TONES[verdict.mark], sign="")
    return [number, verdict.ply + 1, str(side), str(verdict.played), str(verdict.best), mark, verdict.loss, seen, line]


def moves_table(reviews: Iterable[Reviewed]) -> Table:
    """A row for every move of every game, for programs.

    >>> moves_table([review_game(Game.of(None, "f5"), depth=1)]).rows[0][5:8]
    ['black', 'f5', 'd3']
    """
    columns = ["game", "black", "white", "opening", "move", "side", "played", "best", "value", "loss", "mark"]
    rows: list[list[Value]] = [
        [
            *(number, done.game.black, done.game.white, done.game.opening, verdict.ply + 1),
            *(str(done.game.positions[verdict.ply].turn), str(verdict.played), str(verdict.best)),
            *(verdict.value, verdict.loss, verdict.mark, "yes" if verdict.exact else "no", verdict.depth),
            " ".join(map(str, verdict.best_pv)),
        ]
        for number, done in enumerate(reviews, start=1)
        for verdict in done.verdicts
        if verdict.played is not None
    ]
    return Table([*columns, "exact", "depth", "best_line"], rows)


def review_document(reviews: Sequence[Reviewed], title: str) -> Document:
    """The report of reviewed games.

    >>> [section.title for section in review_document([], "Club").sections]
    ['Games', 'Moves that could have been better']
    """
    parts = [
        Section("Games", [games_table(reviews)]),
        Section("Moves that could have been better", [marked_table(reviews)]),
    ]
    return Document(title, "Every move compared with the best one; losses are exact near the end of a game.", parts)
