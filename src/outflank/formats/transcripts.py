"""Transcripts: games as moves such as `f5d6c3`, in and out.

Passes may be written (`pass`, `pa`, `ps`, `--`, `@@`) or left out; blanks, dashes, commas, case and move numbers
(`1.`) do not matter. On boards above 9x9 rows have one or two digits, and a letter always begins a new move.
"""

from outflank.board import Position, Rules, moves_text
from outflank.game import Game
from outflank.inputs import expect


def read_transcript(text: str, start: Position | Rules | str | None = None) -> Game:
    """The game of a transcript from a position, or from the usual start under these rules; passes may be left out.

    >>> read_transcript("f5 d6 2. c3").moves
    (f5, d6, c3)
    """
    expect(str, text=text)
    position = start if isinstance(start, Position) else Position.start(start)
    return Game.of(position, text, tags={"format": "transcript"})


def write_transcript(game: Game, passes: bool = False) -> str:
    """The moves without separators, behind the first position where it is not the usual one; passes where asked.

    >>> write_transcript(read_transcript("F5 D6 C3"))
    'f5d6c3'
    """
    expect(Game, game=game)
    if not passes:
        return game.transcript
    usual = game.start == Position.start(game.rules)
    return f"{'' if usual else game.start.line()} {moves_text(game.moves, passes)}".strip()
