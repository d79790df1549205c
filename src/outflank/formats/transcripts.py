"""Transcripts: games as moves such as `f5d6c3`, in and out.

Passes may be written (`pass`, `pa`, `ps`, `--`, `@@`) or left out; blanks, dashes, commas, case and move numbers
(`1.`) do not matter. On boards above 9x9 rows have one or two digits, and a letter always begins a new move.
"""

import re
from collections.abc import Iterable
from functools import cache

from outflank.board import Position, Rules
from outflank.errors import BadNotation, IllegalMove

_PASS = r"pass|pa(?!\d)|ps(?!\d)|--|@@"


@cache
def _token(size: int) -> re.Pattern[str]:
    digits = r"\d" if size < 10 else r"\d{1,2}"
    return re.compile(rf"(?P<move>{_PASS}|[a-z]{digits})|(?P<other>\d+\.+|[\s,;-])", re.IGNORECASE)


def parse_moves(text: str, rules: Rules) -> list[tuple[int, int]]:
    """The moves written in a text, each with the place of its first character; legality is not looked at.

    >>> parse_moves("1. f5 D6 2. c3", Rules())
    [(37, 3), (43, 6), (18, 12)]
    """
    moves, at = [], 0
    while at < len(text):
        found = _token(rules.size).match(text, at)
        if found is None:
            raise BadNotation(
                f"strange text {text[at : at + 8]!r} at character {at + 1} of the moves; "
                f"expected squares such as f5, or pass"
            )
        if found["move"]:
            try:
                moves.append((rules.square(found["move"]), at))
            except BadNotation as error:
                raise BadNotation(f"{error}, at character {at + 1} of the moves") from None
        at = found.end()
    return moves


def replay(start: Position, text: str) -> list[int]:
    """The moves of a transcript played from `start`, with implied passes filled in.

    >>> len(replay(Position.start(), "f5d6c3d3c4"))
    5
    >>> replay(Position.start(), "f5 pass")
    Traceback (most recent call last):
    outflank.errors.IllegalMove: move 2 (character 4): white cannot play pass; legal: f4 d6 f6
    """
    position, moves = start, []
    for number, (move, at) in enumerate(parse_moves(text, start.rules), start=1):
        if position.must_pass and move != start.rules.pass_move:
            moves.append(start.rules.pass_move)
            position = position.play(start.rules.pass_move)
        try:
            position = position.play(move)
        except IllegalMove as error:
            raise IllegalMove(f"move {number} (character {at + 1}): {error}") from None
        moves.append(move)
    return moves


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
    names = ("pa" if move == rules.pass_move else rules.name(move) for move in moves)
    return "".join(name for name in names if passes or name != "pa")
