"""What readers of records share: moves of named colours replayed, and results that the board does not tell."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from outflank.board import Color, Move, Position
from outflank.errors import BadNotation, IllegalMove
from outflank.game import Game, MoveNote, Termination, points_of

NO_NOTE = MoveNote()
Written = tuple[Color, Move, MoveNote, str]
"""A move of a record: whose it is, what is said of it, and how it is written."""

_TERMINATIONS = {
    "r": Termination.RESIGNED,
    "t": Termination.TIMEOUT,
    "s": Termination.ADJUDICATED,
    "l": Termination.FAILURE,
    "f": Termination.FAILURE,
}


def replayed(start: Position, written: Iterable[Written]) -> Iterator[tuple[Move, MoveNote]]:
    """The moves of a record, checked; passes that its writer left out are put in.

    >>> start = Position.start("standard 4x4")
    >>> list(replayed(start, [(Color.BLACK, start.rules.square("b1"), NO_NOTE, "b1")]))[0][0]
    b1
    """
    position, pass_move = start, start.rules.pass_move
    for number, (color, move, note, text) in enumerate(written, start=1):
        if position.turn is not color and position.must_pass:
            yield pass_move, NO_NOTE
            position = position.play(pass_move)
        if position.turn is not color:
            raise BadNotation(f"move {number} ({text[:20]}) is {color}'s; expected a move of {position.turn}")
        try:
            position = position.play(move)
        except IllegalMove as error:
            raise IllegalMove(f"move {number}: {error}") from None
        yield move, note


def recorded(start: Position, written: Iterable[Written], **facts: object) -> Game:
    """The game of a record; notes are kept where one of them says something.

    >>> recorded(Position.start(), [], black="Ada").black
    'Ada'
    """
    played = list(replayed(start, written))
    notes = tuple(note for _, note in played)
    return Game.of(
        start, [move for move, _ in played], notes=notes if any(note != NO_NOTE for note in notes) else (), **facts
    )


def ended(game: Game, score: float | None, letter: str, comment: str) -> Game:
    """The game with the result of its record; that of the board where it was played out and no letter says otherwise.

    A comment such as `timeout: white` tells how it ended, as the writers here put it.

    >>> ended(Game.of(), 64.0, "t", "").result
    'black wins, 2 to 2 (timeout: as recorded)'
    """
    if score is None or (game.over and not letter):
        return game
    kind, _, reason = comment.partition(": ")
    if kind in {each.value for each in Termination}:
        termination = Termination(kind)
    else:
        termination, reason = _TERMINATIONS.get(letter, Termination.ADJUDICATED), comment or "as recorded"
    result = replace(game, termination=termination, reason=reason, points=points_of(score), ruled=score)
    return result.knowing(positions=game.positions)


def ending_comment(game: Game) -> str:
    """What `ended` reads back: how a game ended that was not played out, otherwise the comment it was read with.

    >>> ending_comment(Game.of().resign(Color.BLACK))
    'resigned: black'
    """
    if game.termination in (None, Termination.NORMAL):
        return game.tags.get("CO") or game.tags.get("GC") or ""
    return f"{game.termination}: {game.reason}"


_RESULT = re.compile(
    r"([+-]?[0-9]{1,4}(?:\.[0-9]{0,4})?)|([BW])\+([0-9]{0,4}(?:\.[0-9]{0,4})?)([A-Za-z]{0,10})", re.IGNORECASE
)
_DISCS = re.compile(r"([0-9]{1,3})\s{0,3}[-:]\s{0,3}([0-9]{1,3})")


def read_result(text: str, cells: int) -> tuple[float | None, str]:
    """Black's score and the letter of how the game ended, of `B+4`, `W+R`, `33-31`, `-4` or `draw`; None for no result.

    Who wins without a number wins by all squares.

    >>> read_result("B+4", 64), read_result("W+Resign", 64), read_result("33-31", 64), read_result("?", 64)
    ((4.0, ''), (-64.0, 'r'), (2.0, ''), (None, ''))
    """
    text = text.strip()
    if text.lower() in ("draw", "jigo"):
        return 0.0, ""
    if discs := _DISCS.fullmatch(text):
        return float(int(discs[1]) - int(discs[2])), ""
    found = _RESULT.fullmatch(text)
    if found is None:
        return None, ""
    if found[1]:
        return float(found[1]), ""
    margin = float(found[3]) if found[3] not in ("", ".") else float(cells)
    return margin if found[2].upper() == "B" else -margin, found[4][:1].lower()


def komi_score(game: Game) -> float | None:
    """Black's score with komi, as the record of the game has it; None where no komi was played for.

    >>> komi_score(Game.of(None, "f5", tags={"KM": "-3", "RE": "+1.5"}))
    1.5
    """
    return read_result(game.tags.get("RE", ""), game.rules.cells)[0] if "KM" in game.tags else None


def passed_on(game: Game, own: Collection[str], names: Mapping[str, str]) -> dict[str, str]:
    """The tags that a record keeps as they are: those of capitals that are not its own, by the names it has for them.

    >>> passed_on(Game.of(tags={"EV": "Cup", "SZ": "8", "BR": "1800", "format": "sgf"}), ["EV"], {"BR": "RB"})
    {'RB': '1800'}
    """
    tags = {names.get(tag, tag): value for tag, value in game.tags.items() if _CAPITALS.fullmatch(tag) and value}
    return {tag: value for tag, value in tags.items() if tag not in own and tag not in _STRUCTURE}


_CAPITALS = re.compile("[A-Z]{1,12}")
_STRUCTURE = frozenset(
    (
        "FF",
        "GM",
        "CA",
        "AP",
        "SZ",
        "AB",
        "AW",
        "AE",
        "PL",
        "RU",
        "BO",
        "B",
        "W",
        "PB",
        "PW",
        "DT",
        "RE",
        "CO",
        "GC",
        "ST",
    )
)
"""Tags that say what the game itself says, in one kind of record or another."""
