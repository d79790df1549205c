"""Positions and moves as text: boards of signs, and transcripts such as `f5d6c3`."""

import re
from collections.abc import Iterable
from functools import cache
from string import ascii_lowercase

from outflank.board.rules import SIZES, Color, Move, Rules, Variant, moves_of_size, shared_rules
from outflank.errors import BadNotation
from outflank.inputs import MOST_IN_GAME, check_length
from outflank.inputs import shown as cut

_BLACK_SIGNS, _WHITE_SIGNS, _EMPTY_SIGNS = "Xx*Bb●", "Oo○Ww", "-._"
_ALL_SIGNS = _BLACK_SIGNS + _WHITE_SIGNS + _EMPTY_SIGNS
_IS_BLACK, _IS_WHITE = (
    str.maketrans({sign: str(+(sign in own)) for sign in _ALL_SIGNS}) for own in (_BLACK_SIGNS, _WHITE_SIGNS)
)
_DROP_SIGNS = str.maketrans("", "", _ALL_SIGNS)
_SIGN_OF_DIGIT = str.maketrans("012", "-XO")
_NAME = re.compile(r"pa|[a-p]\d*|.")
_PASS = r"pass|pa(?!\d)|ps(?!\d)|--|@@"


# --- positions --------------------------------------------------------------------------------------------------


def parse_board(text: str, variant: Variant) -> tuple[Rules, int, int, Color]:
    """Rules, masks of black and white and the side to move of a written position; see `Position.parse`."""
    check_length(text, MOST_IN_GAME, "a position")
    signs, side = _board_signs(text)
    rules = shared_rules(_size_of(len(signs), text), variant)
    for strange in signs.translate(_DROP_SIGNS)[:1]:
        square = signs.index(strange)
        raise _strange(strange, f"square {rules.move(square)} (number {square + 1} of {len(signs)})")
    if not side or side not in _ALL_SIGNS:
        raise _strange(side, "the side to move")
    if side in _EMPTY_SIGNS:
        raise BadNotation(f"side to move is {side!r} in {_shown(text)}; expected X (black) or O (white)")
    black, white = (_mask_of(signs.translate(is_own), rules) for is_own in (_IS_BLACK, _IS_WHITE))
    return rules, black, white, Color.BLACK if side in _BLACK_SIGNS else Color.WHITE


def board_rows(rules: Rules, black: int, white: int) -> list[str]:
    """The rows of a board as signs; see `Position.cells`."""
    size, wide = rules.size, rules.stride
    # A digit for every bit, as one hexadecimal number: 1 for black, 2 for white.
    digits = int(f"{black:b}", 16) + 2 * int(f"{white:b}", 16)
    signs = f"{digits:0{size * wide}x}"[::-1].translate(_SIGN_OF_DIGIT)
    return [signs[row * wide : row * wide + size] for row in range(size)]


def _shown(text: str) -> str:
    """Text as an error quotes it: one line, not too long."""
    return cut(" ".join(text[:400].split()), 80)


def _board_signs(text: str) -> tuple[str, str]:
    """(n² signs, sign of the side to move) of a line or a drawn board."""
    lines = [line.split() for line in text.partition(";")[0].splitlines() if line.strip()]
    if len(lines) > 1 and lines[0] == list(ascii_lowercase[: len(lines[0])]):
        size = len(lines[0])
        signs = "".join("".join(line[1 : size + 1]) for line in lines[1 : size + 1])
        side = next((line[0] for line in lines[size + 1 :] if line[-1] == "move"), "")
    else:
        compact = "".join("".join(line) for line in lines)
        signs, side = compact[:-1], compact[-1:]
    return signs, {"black": "X", "white": "O"}.get(side, side)


def _size_of(squares: int, text: str) -> int:
    for size in SIZES:
        if size * size == squares:
            return size
    counts = ", ".join(str(size * size) for size in SIZES)
    raise BadNotation(
        f"position has {squares} squares and a side to move in {_shown(text)}; "
        f"expected one of {counts} squares, row by row from a1, then X or O"
    )


def _strange(sign: str, where: str) -> BadNotation:
    return BadNotation(f"strange character {cut(sign)} at {where}; expected X (black), O (white) or - (empty)")


def _mask_of(digits: str, rules: Rules) -> int:
    """The mask whose squares, row by row, are the 1s of a text of 0 and 1."""
    size, blank = rules.size, "0" * (rules.stride - rules.size)
    rows = (digits[at : at + size] for at in range(0, len(digits), size))
    return int(blank.join(rows)[::-1], 2)


# --- moves ------------------------------------------------------------------------------------------------------


@cache
def _token(size: int) -> re.Pattern[str]:
    digits = r"\d" if size < 10 else r"\d{1,2}"
    return re.compile(rf"(?P<move>{_PASS}|[a-z]{digits})|(?P<other>\d+\.+|[\s,;]+|-)", re.IGNORECASE)


def parse_moves(text: str, rules: Rules) -> list[tuple[Move, int]]:
    """The moves written in a text, each with the place of its first character; legality is not looked at.

    >>> parse_moves("1. f5 D6 2. c3", Rules())
    [(f5, 3), (d6, 6), (c3, 12)]
    """
    check_length(text, MOST_IN_GAME, "a game")
    moves: list[tuple[Move, int]] = []
    at = 0
    while at < len(text):
        found = _token(rules.size).match(text, at)
        if found is None:
            raise BadNotation(
                f"strange text {text[at : at + 8]!r} at character {at + 1} of the moves; "
                f"expected squares such as f5, or pass"
            )
        if found["move"]:
            if len(moves) >= 2 * rules.cells:
                raise BadNotation(f"a game on {rules} cannot have more than {2 * rules.cells} moves; more are written")
            try:
                moves.append((rules.square(found["move"]), at))
            except BadNotation as error:
                raise BadNotation(f"{error}, at character {at + 1} of the moves") from None
        at = found.end()
    return moves


@cache
def _by_name(size: int) -> dict[str, Move]:
    return {**{move.name: move for move in moves_of_size(size)}, "pa": moves_of_size(size)[-1]}


def moves_text(moves: Iterable[Move], passes: bool = False) -> str:
    """Moves as a transcript without separators; passes are left out, or written `pa` where asked.

    >>> moves = [Rules().move(name) for name in ("f5", "d6", "pass", "c3")]
    >>> moves_text(moves), moves_text(moves, passes=True)
    ('f5d6c3', 'f5d6pac3')
    """
    return "".join([move.name for move in moves]).replace("pass", "pa" if passes else "")


def read_moves(text: str, rules: Rules) -> tuple[Move, ...]:
    """The moves that `moves_text` wrote with passes; legality is not looked at.

    >>> read_moves("f5d6pac3", Rules())
    (f5, d6, pass, c3)
    """
    names = [text[at : at + 2] for at in range(0, len(text), 2)] if rules.size < 10 else _NAME.findall(text)
    try:
        return tuple(map(_by_name(rules.size).__getitem__, names))
    except KeyError as error:
        raise BadNotation(f"{error.args[0]!r} is not a move on a {rules}; expected moves such as f5pad6") from None
