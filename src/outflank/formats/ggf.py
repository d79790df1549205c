"""GGF, the Generic Game Format of the GGS server: one game, its players and its result as one record of text.

A record is `(;TAG[value]…;)`. `TY` holds the size and `a` (anti) for the reversed game, `BO` the first position with
`*` for black, and `B` and `W` the moves with passes written, so that colours alternate. `RE` counts for black as
tournaments do: the winner takes the empty squares; `?` while the game goes on. A letter behind it says that the game
was not played out: `r` resigned, `t` out of time, `s` agreed or judged, `l` left. No value can hold a `]`, and files
are Latin-1. GGF is the one text here that carries every size and both variants without loss.

Source: M. Buro, https://skatgame.net/mburo/ggsa/ggf
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from outflank.board import Color, Position, Rules, Variant
from outflank.errors import BadNotation, IllegalMove, OutflankError

Tag = tuple[str, str]

_BEGIN = "(;"
_TAG = re.compile(r"\s*([A-Za-z]+)\s*\[([^\]]*)\]")
_END = re.compile(r"\s*;\s*\)")
_TYPE = re.compile(r"[sbw]?([0-9]{1,2})((?:k|a|r[0-9]+)*)", re.IGNORECASE)
_BOARD = re.compile(r"([0-9]{1,2})(.*)", re.DOTALL)
_RESULT = re.compile(r"(\?|[+-]?[0-9]{1,4}(?:\.[0-9]*)?)\s*(?::\s*([a-z]))?", re.IGNORECASE)
_MOVER = {"B": Color.BLACK, "W": Color.WHITE}
_OCTAGON = 88

_BOARD_SIGNS = str.maketrans("X", "*")
_ZERO_IS_WHITE = str.maketrans("0", "O")
_BRACKETS = str.maketrans("[]", "()")


# --- writing --------------------------------------------------------------------------------------------------


def ggf(
    start: Position,
    moves: Iterable[int] = (),
    black: str = "black",
    white: str = "white",
    *,
    place: str = "Outflank",
    date: str = "",
    clock: float | None = None,
    result: str = "",
    comment: str = "",
) -> str:
    """The record of a game, finished or not, on one line.

    `clock` is the time in seconds that each side has. `result` is what `RE` says of a game that was not played out,
    such as `-64:t`; without it the board decides. Square brackets in names become round ones, and characters outside
    Latin-1 question marks: GGF cannot hold them.

    >>> print(ggf(Position.start(Rules(4, "reversed")), [1, 0], "a", "b", clock=90))
    (;GM[Othello]PC[Outflank]PB[a]PW[b]RE[?]TI[01:30]TY[4a]BO[4 -----O*--*O----- *]B[B1]W[A1];)
    """
    position, played = start, []
    for move in moves:
        played.append(f"{'BW'[position.turn]}[{_move_name(position.rules, move)}]")
        position = position.play(move)
    score = f"{position.score():+d}" if position.is_over else "?"
    tags = {
        "GM": "Othello",
        "PC": place,
        "DT": date,
        "PB": black,
        "PW": white,
        "RE": result or score,
        "TI": "" if clock is None else _time(clock),
        "TY": f"{start.rules.size}{'a' if start.rules.variant == 'reversed' else ''}",
        "BO": f"{start.rules.size} {start.line().translate(_BOARD_SIGNS)}",
        "CO": comment,
    }
    head = "".join(f"{tag}[{ggf_value(value)}]" for tag, value in tags.items() if value)
    return f"(;{head}{''.join(played)};)"


def ggf_value(text: str) -> str:
    """A text as a record can hold it: one line of Latin-1 without square brackets.

    >>> ggf_value("gtp(setup=[])")
    'gtp(setup=())'
    """
    return " ".join(text.translate(_BRACKETS).encode("latin-1", "replace").decode("latin-1").split())


def _move_name(rules: Rules, move: int) -> str:
    return "PA" if move == rules.pass_move else str(rules.move(move)).upper()


def _time(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"


# --- reading --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GgfGame:
    """One record, its moves replayed. Numbers are seen by black."""

    start: Position
    moves: tuple[int, ...]
    black: str
    white: str
    type: str
    """The match type as written, such as `8`, `10a` or `s8r20`."""
    result: float | None
    """Black's margin with the empty squares to the winner, less the komi; None where the record does not say."""
    ending: str
    """`r`, `t`, `s` or `l` when the game was not played out, otherwise empty."""
    komi: float
    tags: dict[str, str]
    """Every value as it was written, except the moves."""


def read_ggf(text: str) -> list[GgfGame]:
    """The games of a file, in order; what stands between records is passed over. Read files as Latin-1.

    Evaluations and times behind the moves are left out, and passes that a writer left out are put in.

    >>> [game] = read_ggf("1 (;GM[Othello]PB[a]PW[b]RE[-4:t]TY[4a]BO[4 ---- -O*- -*O- ---- *]B[b1//0.5]W[A1];)")
    >>> str(game.start.rules), game.moves, game.black, game.result, game.ending
    ('reversed 4x4', (b1, a1), 'a', -4.0, 't')
    """
    games: list[GgfGame] = []
    at = text.find(_BEGIN)
    if at < 0 and text.strip():
        raise BadNotation(f"no GGF record in {text.strip()[:40]!r}; expected (;GM[Othello] … ;)")
    while at >= 0:
        try:
            tags, end = _tags(text, at + len(_BEGIN))
            games.append(_game(tags))
        except OutflankError as error:
            raise BadNotation(f"game {len(games) + 1}: {error}") from None
        at = text.find(_BEGIN, end)
    return games


def _tags(text: str, at: int) -> tuple[list[Tag], int]:
    """The tags of the record whose first one begins here, and where the record ends."""
    tags: list[Tag] = []
    while found := _TAG.match(text, at):
        tags.append((found[1].upper(), found[2].strip()))
        at = found.end()
    end = _END.match(text, at)
    if end is None:
        raise BadNotation(f"strange text {text[at : at + 12]!r} at character {at + 1}; expected TAG[value] or ;)")
    return tags, end.end()


def _game(tags: list[Tag]) -> GgfGame:
    facts = {tag: value for tag, value in tags if tag not in _MOVER}
    if facts.get("GM", "othello").lower() not in ("othello", "reversi"):
        raise BadNotation(f"the game is {facts['GM']!r}; expected Othello")
    start = _start(facts.get("TY", ""), facts.get("BO", ""))
    result, ending = _number(facts.get("RE", "?"), "result")
    komi, _ = _number(facts.get("KM", "0"), "komi")
    return GgfGame(
        start=start,
        moves=tuple(_replayed(start, [(_MOVER[tag], value) for tag, value in tags if tag in _MOVER])),
        black=facts.get("PB", ""),
        white=facts.get("PW", ""),
        type=facts.get("TY", ""),
        result=result,
        ending=ending,
        komi=komi or 0.0,
        tags=facts,
    )


def _start(match_type: str, board: str) -> Position:
    """The first position; the usual one where the record has no board."""
    typed = _TYPE.fullmatch(match_type)
    if match_type and typed is None:
        raise BadNotation(f"match type {match_type!r} is not known; expected for example 8, 10a or s8r20")
    drawn = _BOARD.fullmatch(board)
    if board and drawn is None:
        raise BadNotation(f"board {board[:20]!r} has no size; expected for example 8 ---- … *")
    sizes = {int(found[1]) for found in (typed, drawn) if found} or {8}
    if _OCTAGON in sizes:
        raise BadNotation("the octagon (board 88) is not played here; expected an even square board from 4 to 16")
    if len(sizes) > 1:
        raise BadNotation(f"match type {match_type} and board {board[:20]!r} differ in size; expected the same")
    [size] = sizes
    variant: Variant = "reversed" if typed and "a" in typed[2].lower() else "standard"
    if drawn is None:
        return Position.start(Rules(size, variant))
    position = Position.parse("".join(drawn[2].split()).translate(_ZERO_IS_WHITE), variant)
    if position.rules.size != size:
        raise BadNotation(f"board of size {size} has {position.rules.cells} squares; expected {size * size}")
    return position


def _replayed(start: Position, written: list[tuple[Color, str]]) -> Iterator[int]:
    position, rules = start, start.rules
    for number, (color, value) in enumerate(written, start=1):
        move = _move(rules, value.partition("/")[0])
        if position.turn is not color and position.must_pass:
            yield rules.pass_move
            position = position.play(rules.pass_move)
        if position.turn is not color:
            raise BadNotation(f"move {number} ({value}) is {color}'s; expected a move of {position.turn}")
        try:
            position = position.play(move)
        except IllegalMove as error:
            raise IllegalMove(f"move {number}: {error}") from None
        yield move


def _move(rules: Rules, name: str) -> int:
    """A square, or the pass as any beginning of the word."""
    name = name.strip()
    return rules.pass_move if name and "PASS".startswith(name.upper()) else rules.square(name)


def _number(text: str, what: str) -> tuple[float | None, str]:
    """A signed decimal, None for `?`, and the letter behind it."""
    found = _RESULT.fullmatch(text)
    if found is None:
        raise BadNotation(f"{what} {text!r} is not known; expected for example +12, -3.5, +64:t or ?")
    return None if found[1] == "?" else float(found[1]), (found[2] or "").lower()
