"""GGF, the Generic Game Format of the GGS server: one game, its players and its result as one record of text.

A record is `(;TAG[value]…;)`. `TY` holds the size and `a` (anti) for the reversed game, `BO` the first position with
`*` for black, and `B` and `W` the moves with passes written, so that colours alternate. `RE` is
black's score, counted as `Position.score` says; `?` while the game goes on. A letter behind it says that the game
was not played out: `r` resigned, `t` out of time, `s` agreed or judged, `l` left. No value can hold a `]`, and files
are Latin-1. GGF is the one text here that carries every size and both variants without loss.

Source: M. Buro, https://skatgame.net/mburo/ggsa/ggf
"""

import re
from collections.abc import Iterable, Iterator
from itertools import repeat

from outflank.board import Color, Move, Position, Rules, Variant
from outflank.errors import BadNotation, BadSpec, OutflankError
from outflank.formats.records import NO_NOTE, Written, ended, ending_comment, komi_score, passed_on, recorded
from outflank.game import Game, MoveNote, Termination
from outflank.inputs import MOST_IN_GAME, MOST_IN_TEXT, check_length, expect, shown

Tag = tuple[str, str]

_BEGIN = "(;"
_TAG = re.compile(r"\s*+([A-Za-z]++)\s*+\[([^\]]*+)\]")
_END = re.compile(r"\s*+;\s*+\)")
_TYPE = re.compile(r"[sbw]?([0-9]{1,2})((?:k|a|r[0-9]+)*)", re.IGNORECASE)
_BOARD = re.compile(r"([0-9]{1,2})(.*)", re.DOTALL)
_RESULT = re.compile(r"(\?|[+-]?[0-9]{1,4}(?:\.[0-9]*)?)\s*(?::\s*([a-z]))?", re.IGNORECASE)
_MOVER = {"B": Color.BLACK, "W": Color.WHITE}
_OCTAGON = 88
_LONGEST_CLOCK = 10**9
_DECIMAL = re.compile(r"[+-]?[0-9]{1,9}(?:\.[0-9]{0,9})?")
_LETTERS: dict[Termination | None, str] = {
    Termination.RESIGNED: "r",
    Termination.TIMEOUT: "t",
    Termination.ADJUDICATED: "s",
    Termination.STOPPED: "s",
}
_OWN = frozenset({"PC", "TI", "TY"})
"""Tags that are written in their places; `records` knows those that the game itself tells."""
_NAMES = {"BR": "RB", "WR": "RW"}
"""What other records call them."""

_BOARD_SIGNS = str.maketrans("X", "*")
_ZERO_IS_WHITE = str.maketrans("0", "O")
_BRACKETS = str.maketrans("[]", "()")


# --- writing --------------------------------------------------------------------------------------------------


def write_ggf(game: Game, *, place: str = "Outflank", clock: float | None = None) -> str:
    """The record of a game, finished or not, on one line; values and times of the moves where they are known.

    What a game was read with comes back: its place before `place`, ratings, komi, clocks and whatever other tags.
    `clock` is the time in seconds that each side has. Square brackets in names become round ones, and characters
    outside Latin-1 question marks: GGF cannot hold them.

    >>> print(write_ggf(Game.of(Position.start("reversed 4x4"), "b1a1", black="a", white="b"), clock=90))
    (;GM[Othello]PC[Outflank]PB[a]PW[b]RE[?]TI[01:30]TY[4a]BO[4 -----O*--*O----- *]B[B1]W[A1];)
    """
    expect(Game, game=game)
    expect(str, place=place)
    expect(float | None, clock=clock)
    if clock is not None and not 0 <= clock < _LONGEST_CLOCK:
        raise BadSpec(f"clock={shown(clock)} is not possible; expected seconds from 0 to {_LONGEST_CLOCK:,}")
    rules = game.rules
    tags = {
        "GM": "Othello",
        "PC": game.tags.get("PC") or place,
        "DT": game.date,
        "PB": ggf_value(game.black) or "black",
        "PW": ggf_value(game.white) or "white",
        "RE": _result(game),
        "TI": game.tags.get("TI", "") if clock is None else _time(clock),
        "TY": _type(game),
        "BO": f"{rules.size} {game.start.line().translate(_BOARD_SIGNS)}",
        "CO": ending_comment(game),
        **passed_on(game, _OWN, _NAMES),
    }
    head = "".join(f"{tag}[{ggf_value(value)}]" for tag, value in tags.items() if value)
    notes = game.notes or repeat(NO_NOTE)
    first = game.start.turn
    played = [
        f"{'BW'[(first + ply) % 2]}[{_move_name(move)}{_note_text(note)}]"
        for ply, (move, note) in enumerate(zip(game.moves, notes, strict=False))
    ]
    return f"(;{head}{''.join(played)};)"


def _result(game: Game) -> str:
    if game.score is None:
        return "?"
    if game.termination is not Termination.NORMAL:
        return f"{game.score:+g}:{_LETTERS.get(game.termination, 'l')}"
    komi = komi_score(game)
    return f"{game.score if komi is None else komi:+g}"


def _type(game: Game) -> str:
    """The match type: as it was read, with komi and random start, where it still is the type of this game."""
    plain = f"{game.rules.size}{'a' if game.rules.variant == 'reversed' else ''}"
    told = _TYPE.fullmatch(game.tags.get("TY", ""))
    same = told and (int(told[1]), "a" in told[2].lower()) == (game.rules.size, game.rules.variant == "reversed")
    return told[0] if told and same else plain


def ggf_value(text: str) -> str:
    """A text as a record can hold it: one line of Latin-1 without square brackets.

    >>> ggf_value("gtp(setup=[])")
    'gtp(setup=())'
    """
    return " ".join(text.translate(_BRACKETS).encode("latin-1", "replace").decode("latin-1").split())


def _move_name(move: Move) -> str:
    return "PA" if move.is_pass else move.name.upper()


def _note_text(note: MoveNote) -> str:
    """`/value/seconds`, as far as they are known; values have two digits and times three."""
    value = "" if note.value is None else f"{note.value:.2f}"
    seconds = f"{note.seconds:.3f}".rstrip("0").rstrip(".") if note.seconds else ""
    return f"/{value}/{seconds}".rstrip("/")


def _time(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"


# --- reading --------------------------------------------------------------------------------------------------


def read_ggf(text: str) -> list[Game]:
    """The games of a file, in order; what stands between records is passed over. Read files as Latin-1.

    Values and times behind the moves become notes, and passes that a writer left out are put in.

    >>> [game] = read_ggf("1 (;GM[Othello]PB[a]PW[b]RE[-4:t]TY[4a]BO[4 ---- -O*- -*O- ---- *]B[b1//0.5]W[A1];)")
    >>> str(game.rules), game.moves, game.black, game.score, game.termination, game.notes[0].seconds
    ('reversed 4x4', (b1, a1), 'a', -4.0, <Termination.TIMEOUT: 'timeout'>, 0.5)
    """
    check_length(text, MOST_IN_TEXT, "GGF records; read_all reads files of any size")
    return list(ggf_games([text]))


def ggf_games(pieces: Iterable[str]) -> Iterator[Game]:
    """The games of records that come in pieces, cut anywhere: a file of any size, of which one piece is kept.

    >>> [game.black for game in ggf_games(["(;PB[a]TY[8];) (;P", "B[b]TY[8];)"])]
    ['a', 'b']
    """
    rest = iter(pieces)
    text, number, at, blank = "", 0, 0, True
    while True:
        begin = text.find(_BEGIN, at)
        if begin < 0 or len(text) - begin <= MOST_IN_GAME:  # a whole record must be in sight
            keep = begin if begin >= 0 else max(at, len(text) - 1)
            blank = blank and not text[at:keep].strip()
            if piece := next(rest, ""):
                text, at = text[keep:] + piece, 0
                continue
            if begin < 0:
                break
        number += 1
        try:
            tags, at = _tags(text, begin + len(_BEGIN))
            yield _game(tags)
        except OutflankError as error:
            raise BadNotation(f"game {number}: {error}") from None
    if not number and (text.strip() or not blank):
        raise BadNotation(f"no GGF record in {shown(text.strip()[:60], 40)}; expected (;GM[Othello] … ;)")


def _tags(text: str, at: int) -> tuple[list[Tag], int]:
    """The tags of the record whose first one begins here, and where the record ends."""
    tags: list[Tag] = []
    begin = at
    while found := _TAG.match(text, at):
        tags.append((found[1].upper(), found[2].strip()))
        at = found.end()
    end = _END.match(text, at)
    if at - begin > MOST_IN_GAME:
        raise BadNotation(f"a record of {at - begin:,} characters; expected one game in at most {MOST_IN_GAME:,}")
    if end is None:
        place = f"{text[at : at + 12]!r} at character {at - begin + len(_BEGIN) + 1} of the record"
        raise BadNotation(f"strange text {place}; expected TAG[value] or ;) in at most {MOST_IN_GAME:,} characters")
    return tags, end.end()


def _game(tags: list[Tag]) -> Game:
    facts = {tag: value for tag, value in tags if tag not in _MOVER}
    if facts.get("GM", "othello").lower() not in ("othello", "reversi"):
        raise BadNotation(f"the game is {shown(facts['GM'])}; expected Othello")
    start = _start(facts.get("TY", ""), facts.get("BO", ""))
    score, letter = _number(facts.get("RE", "?"), "result")
    _number(facts.get("KM", "0"), "komi")
    game = recorded(
        start,
        _written(start.rules, tags),
        black=facts.get("PB", ""),
        white=facts.get("PW", ""),
        date=facts.get("DT", ""),
        tags=facts | {"format": "ggf"},
    )
    return ended(game, score, letter, facts.get("CO", ""))


def _start(match_type: str, board: str) -> Position:
    """The first position; the usual one where the record has no board."""
    typed = _TYPE.fullmatch(match_type)
    if match_type and typed is None:
        raise BadNotation(f"match type {shown(match_type)} is not known; expected for example 8, 10a or s8r20")
    drawn = _BOARD.fullmatch(board)
    if board and drawn is None:
        raise BadNotation(f"board {board[:20]!r} has no size; expected for example 8 ---- … *")
    sizes = {int(found[1]) for found in (typed, drawn) if found} or {8}
    if _OCTAGON in sizes:
        raise BadNotation("the octagon (board 88) is not played here; expected an even square board from 4 to 16")
    if len(sizes) > 1:
        raise BadNotation(f"match type {shown(match_type)} and board {board[:20]!r} differ in size; expected the same")
    [size] = sizes
    variant: Variant = "reversed" if typed and "a" in typed[2].lower() else "standard"
    if drawn is None:
        return Position.start(Rules(size, variant))
    position = Position.parse("".join(drawn[2].split()).translate(_ZERO_IS_WHITE), variant)
    if position.rules.size != size:
        raise BadNotation(f"board of size {size} has {position.rules.cells} squares; expected {size * size}")
    return position


def _written(rules: Rules, tags: list[Tag]) -> Iterator[Written]:
    for tag, value in tags:
        if tag in _MOVER:
            name, *said = value.split("/")
            yield _MOVER[tag], _move(rules, name), _note(said), value


def _note(said: list[str]) -> MoveNote:
    """What stands behind a move, value and seconds; what is no number there is passed over."""
    value, seconds = (float(text) if _DECIMAL.fullmatch(text) else None for text in (*map(str.strip, said), "", "")[:2])
    return NO_NOTE if value is None and not seconds else MoveNote(value, seconds=seconds or 0.0)


def _move(rules: Rules, name: str) -> Move:
    """A square, or the pass as any beginning of the word."""
    name = name.strip()
    return rules.pass_move if name and "PASS".startswith(name.upper()) else rules.square(name)


def _number(text: str, what: str) -> tuple[float | None, str]:
    """A signed decimal, None for `?`, and the letter behind it."""
    found = _RESULT.fullmatch(text)
    if found is None:
        raise BadNotation(f"{what} {shown(text)} is not known; expected for example +12, -3.5, +64:t or ?")
    return None if found[1] == "?" else float(found[1]), (found[2] or "").lower()
