"""Transcripts: games as moves such as `f5d6c3`, in and out.

Passes may be written (`pass`, `pa`, `ps`, `--`, `@@`) or left out; blanks, dashes, commas, case and move numbers
(`1.`) do not matter. On boards above 9x9 rows have one or two digits, and a letter always begins a new move. Discs of
black and white may stand at the end (`33-31`): the result where the moves do not tell it.
"""

import re

from outflank.board import Position, Rules, moves_text
from outflank.errors import BadNotation
from outflank.formats.records import ended
from outflank.game import Game
from outflank.inputs import expect

_RESULT = re.compile(r"(?:^|(?<=[\s,;]))([0-9]{1,3})\s{0,3}[-:]\s{0,3}([0-9]{1,3})\s*$")
_LONGEST_RESULT = 40


def read_transcript(text: str, start: Position | Rules | str | None = None) -> Game:
    """The game of a transcript from a position, or from the usual start under these rules; passes may be left out.

    >>> read_transcript("f5 d6 2. c3").moves, read_transcript("f5d6 33-31").result
    ((f5, d6, c3), 'black wins, 3 to 3 (adjudicated: as recorded)')
    """
    expect(str, text=text)
    position = start if isinstance(start, Position) else Position.start(start)
    moves, discs = split_result(text)
    game = Game.of(position, moves, tags={"format": "transcript"})
    return game if discs is None else _with_result(game, *discs)


def split_result(text: str) -> tuple[str, tuple[int, int] | None]:
    """The moves of a transcript, and the discs of black and white behind them; None where there are none.

    >>> split_result("f5d6 33-31"), split_result("f5 d6 2. c3")
    (('f5d6 ', (33, 31)), ('f5 d6 2. c3', None))
    """
    found = _RESULT.search(text, max(0, len(text) - _LONGEST_RESULT))
    return (text, None) if found is None else (text[: found.start()], (int(found[1]), int(found[2])))


def _with_result(game: Game, black: int, white: int) -> Game:
    """The game that ended with so many discs, as it is told."""
    cells = game.rules.cells
    if black + white > cells:
        raise BadNotation(f"the result {black}-{white} has {black + white} discs; expected at most {cells}")
    score = game.rules.score(black, white)
    if game.over and score != game.score:
        raise BadNotation(f"the result {black}-{white} is not that of the moves, {game.discs[0]}-{game.discs[1]}")
    return ended(game, score, "", "")


def write_transcript(game: Game, passes: bool = False, result: bool = False) -> str:
    """The moves without separators, behind the first position where it is not the usual one.

    Passes and the result, with the empty squares to the winner, are written where asked.

    >>> game = read_transcript("F5 D6 C3 33-31")
    >>> write_transcript(game), write_transcript(game, result=True)
    ('f5d6c3', 'f5d6c3 33-31')
    """
    expect(Game, game=game)
    usual = game.start == Position.start(game.rules)
    moves = f"{'' if usual else game.start.line()} {moves_text(game.moves, passes)}".strip()
    return f"{moves} {_discs(game)}".rstrip() if result else moves


def _discs(game: Game) -> str:
    """The discs of the result; none where they are no whole numbers."""
    score = game.score
    if score is None or (game.rules.cells + score) % 2:
        return ""
    more = int(score if game.rules.variant == "standard" else -score)
    return f"{(game.rules.cells + more) // 2}-{(game.rules.cells - more) // 2}"
