"""Transcripts: games as moves such as `f5d6c3`, in and out.

Passes may be written (`pass`, `pa`, `ps`, `--`, `@@`) or left out; blanks, dashes, commas, case and move numbers
(`1.`) do not matter. On boards above 9x9 rows have one or two digits, and a letter always begins a new move.
"""

from collections.abc import Iterable

from outflank.board import Move, Position, Rules


def replay(start: Position, text: str) -> list[Move]:
    """The moves of a transcript played from `start`, with implied passes filled in.

    >>> len(replay(Position.start(), "f5d6c3d3c4"))
    5
    """
    return [move for move, _ in start.replay(text)]


def play_moves(start: Position, moves: Iterable[int]) -> Position:
    """The position after these moves.

    >>> play_moves(Position.start(), replay(Position.start(), "f5d6")).empties
    58
    """
    position = start
    for move in moves:
        position = position.play(move)
    return position


def transcript(moves: Iterable[int], rules: Rules, passes: bool = False) -> str:
    """Moves as a transcript without separators; passes are left out, or written `pa` where asked.

    >>> transcript([37, 43, 64, 18], Rules()), transcript([37, 64], Rules(), passes=True)
    ('f5d6c3', 'f5pa')
    """
    names = ("pa" if move == rules.pass_move else rules.move(move).name for move in moves)
    return "".join(name for name in names if passes or name != "pa")
