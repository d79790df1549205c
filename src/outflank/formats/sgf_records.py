"""SGF, the Smart Game Format (FF[4]), with Othello as GM[2]: one game as a tree of nodes with properties.

`(;FF[4]GM[2]SZ[8]PB[Ada];B[f5];W[d6])`: the first node tells of the game, every other one has a move. Squares are read
both as Othello programs write them (`f5`, the pass `PA`) and as programs for Go do (`fe`, column and row; the pass
empty). `AB`, `AW` and `PL` are a first position that is not the usual one, `RE` the result (`B+4`, `W+R`, `0`),
`RU[reversed]` the reversed game, `V` the value of a move for black, `ET` the seconds it took and `C` a comment on it. A
backslash goes before `]` and itself. The main line is read; how many variations there are besides is the tag
`variations`.

Source: A. Hollosi, https://www.red-bean.com/sgf/
"""

import re
from collections.abc import Iterable, Iterator

from outflank import __version__
from outflank.board import Color, Move, Position, Rules, Variant
from outflank.errors import BadNotation, OutflankError
from outflank.formats.records import (
    NO_NOTE,
    Written,
    ended,
    ending_comment,
    komi_score,
    passed_on,
    read_result,
    recorded,
)
from outflank.game import Game, MoveNote, Termination
from outflank.inputs import MOST_IN_GAME, MOST_IN_TEXT, check_length, expect, shown

Node = dict[str, list[str]]

_BEGIN = re.compile(r"\(\s{0,20};")
_LONGEST_BEGIN = 22
_TOKEN = re.compile(r"\s*+([();]|[A-Za-z]++)")
_VALUE = re.compile(r"\s*+\[([^\]\\]*(?:\\.[^\]\\]*)*)\]", re.DOTALL)
_ESCAPED = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)
_NUMBER = re.compile(r"[+-]?[0-9]{1,9}(?:\.[0-9]{0,9})?")
_LOOKS_LIKE = re.compile(r"\b(?:FF\s*\[|GM\s*\[\s*([0-9]*))")
_MOVER = {"B": Color.BLACK, "W": Color.WHITE}
_OTHELLO = "2"
_LETTERS: dict[Termination | None, str] = {Termination.RESIGNED: "R", Termination.TIMEOUT: "T"}
_SECONDS = "ET"
"""The time that a move took. SGF has only times that are left; a property of our own loses nothing."""
_NAMES = {"RB": "BR", "RW": "WR"}
"""What other records call them."""


def is_sgf(text: str) -> bool:
    """Whether the first record of a text is one of SGF, which numbers the games, and not of GGF, which names them.

    >>> is_sgf("(;GM[2];B[f5])"), is_sgf("(;GM[Othello]B[F5];)")
    (True, False)
    """
    begin = _BEGIN.search(text)
    found = _LOOKS_LIKE.search(text, begin.end(), begin.end() + 2000) if begin else None
    return found is not None and found[1] != ""


# --- writing --------------------------------------------------------------------------------------------------


def write_sgf(game: Game) -> str:
    """The record of a game, finished or not, on one line; values and comments of the moves where they are known.

    >>> print(write_sgf(Game.of(Position.start("reversed 4x4"), "b1a1", black="[a]")).replace(__version__, "1"))
    (;FF[4]GM[2]CA[UTF-8]AP[Outflank:1]SZ[4]RU[reversed]PB[[a\\]]RE[?];B[b1];W[a1])
    """
    expect(Game, game=game)
    rules, start = game.rules, game.start
    head = {
        "FF": "4",
        "GM": _OTHELLO,
        "CA": "UTF-8",
        "AP": f"Outflank:{__version__}",
        "SZ": f"{rules.size}",
        "RU": "reversed" if rules.variant == "reversed" else game.tags.get("RU", ""),
        "PB": game.black,
        "PW": game.white,
        "DT": game.date,
        "RE": _result(game),
        "GC": ending_comment(game),
        **passed_on(game, (), _NAMES),
    }
    nodes = "".join(f"{name}[{_escaped(value)}]" for name, value in head.items() if value)
    if start != Position.start(rules):
        nodes += _stones("AB", rules, start.black) + _stones("AW", rules, start.white) + f"PL[{'BW'[start.turn]}]"
    notes = game.notes or [NO_NOTE] * len(game)
    moves = (
        _node((start.turn + ply) % 2, move, note)
        for ply, (move, note) in enumerate(zip(game.moves, notes, strict=True))
    )
    return f"(;{nodes}{''.join(moves)})"


def _result(game: Game) -> str:
    """`B+4`, with a letter behind it where the board does not tell how the game ended."""
    if game.score is None or game.points is None:
        return "?"
    score = game.score if (komi := komi_score(game)) is None else komi
    if game.termination is Termination.NORMAL:
        letter = ""
    else:
        letter = _LETTERS.get(game.termination, "F" if game.end.is_over or game.ruled is None else "")
    won_by_all = game.ruled is None and letter and score
    if not score and not letter:
        return "0"
    return f"{'W' if score < 0 else 'B'}+{'' if won_by_all else f'{abs(score):g}'}{letter}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


def _stones(name: str, rules: Rules, mask: int) -> str:
    squares = "".join(f"[{square}]" for square in rules.squares(mask))
    return f"{name}{squares}" if squares else ""


def _node(color: int, move: Move, note: MoveNote) -> str:
    value = "" if note.value is None else f"V[{_exact(-note.value if color else note.value)}]"
    comment = f"C[{_escaped(note.comment)}]" if note.comment else ""
    seconds = f"{_SECONDS}[{note.seconds:.3f}]" if note.seconds else ""
    return f";{'BW'[color]}[{'PA' if move.is_pass else move}]{value}{seconds}{comment}"


def _exact(value: float) -> str:
    """A number with all of its digits, so that it is the same when it is read.

    >>> _exact(2.0), _exact(-1.555555)
    ('2', '-1.555555')
    """
    return repr(float(value)).removesuffix(".0")


# --- reading --------------------------------------------------------------------------------------------------


def read_sgf(text: str) -> list[Game]:
    """The games of a collection, in order; what stands between them is passed over.

    >>> [game] = read_sgf("(;GM[2]PB[Ada]RE[B+R];B[fe];W[d6](;B[c3]C[good])(;B[c5]))")
    >>> game.moves, game.black, game.result, game.notes[2].comment, game.tags["variations"]
    ((f5, d6, c3), 'Ada', 'black wins, 5 to 2 (resigned: as recorded)', 'good', '1')
    """
    check_length(text, MOST_IN_TEXT, "SGF records; read_all reads files of any size")
    return list(sgf_games([text]))


def sgf_games(pieces: Iterable[str]) -> Iterator[Game]:
    """The games of records that come in pieces, cut anywhere: a file of any size, of which one piece is kept.

    >>> [game.black for game in sgf_games(["(;GM[2]PB[a]) (;GM[2]P", "B[b])"])]
    ['a', 'b']
    """
    rest = iter(pieces)
    text, number, at = "", 0, 0
    while True:
        begin = _BEGIN.search(text, at)
        first = begin.start() if begin else max(at, len(text) - _LONGEST_BEGIN)
        if begin is None or len(text) - first <= MOST_IN_GAME:  # a whole record must be in sight
            if piece := next(rest, ""):
                text, at = text[first:] + piece, 0
                continue
            if begin is None:
                break
        number += 1
        try:
            nodes, variations, at = _nodes(text, first)
            yield _game(nodes, variations)
        except OutflankError as error:
            raise BadNotation(f"game {number}: {error}") from None
    if not number:
        raise BadNotation(f"no SGF record in {shown(text.strip()[:60], 40)}; expected (;FF[4]GM[2] … )")


def _nodes(text: str, begin: int) -> tuple[list[Node], int, int]:
    """The nodes of the main line of the record that begins here, how many variations it has, and where it ends.

    The main line is what stands before the first bracket that closes: a first variation goes on with it.
    """
    nodes: list[Node] = []
    depth, variations, at, closed = 0, 0, begin, False
    most = begin + MOST_IN_GAME
    while found := _TOKEN.match(text, at, most):
        token = found[1]
        values, end = _values(text, found.end(), most) if token.isalpha() else ([], found.end())
        if token.isalpha() and not values:
            break
        at = end
        if token == "(":
            depth += 1
            variations += closed
        elif token == ")":
            depth, closed = depth - 1, True
            if not depth:
                return nodes, variations, at
        elif closed:
            continue
        elif token == ";":
            nodes.append({})
        elif nodes:
            capitals = "".join(letter for letter in token if letter.isupper())
            nodes[-1].setdefault(capitals, []).extend(map(_plain, values))
    place = f"{text[at : at + 12]!r} at character {at - begin + 1} of the record"
    raise BadNotation(
        f"strange text {place}; expected PROPERTY[value], ; ( or ) in at most {MOST_IN_GAME:,} characters"
    )


def _values(text: str, at: int, most: int) -> tuple[list[str], int]:
    """The values in brackets that begin here, and where they end."""
    values = []
    while found := _VALUE.match(text, at, most):
        values.append(found[1])
        at = found.end()
    return values, at


def _plain(value: str) -> str:
    """A value without its escapes; a line end behind a backslash is none."""
    return _ESCAPED.sub(lambda found: "" if found[1][0] in "\r\n" else found[1], value).strip()


def _game(nodes: list[Node], variations: int) -> Game:
    facts = {name: values[0] for name, values in nodes[0].items() if name not in _MOVER}
    if facts.get("GM", _OTHELLO) != _OTHELLO:
        raise BadNotation(f"the game has number {shown(facts['GM'])}; expected {_OTHELLO}, Othello")
    rules = _rules(facts)
    written = list(_written(nodes, rules))
    start = _start(rules, nodes[0], facts.get("PL", ""), written)
    beside = {"variations": f"{variations}"} if variations else {}
    game = recorded(
        start,
        written,
        black=facts.get("PB", ""),
        white=facts.get("PW", ""),
        date=facts.get("DT", ""),
        tags=facts | beside | {"format": "sgf"},
    )
    return ended(game, *read_result(facts.get("RE", ""), rules.cells), facts.get("GC", ""))


def _rules(facts: dict[str, str]) -> Rules:
    size = facts.get("SZ", "8").partition(":")[0]
    if not re.fullmatch("[0-9]{1,2}", size):
        raise BadNotation(f"board size {shown(size)} is not known; expected for example SZ[8]")
    told = facts.get("RU", "").lower()
    variant: Variant = "reversed" if "revers" in told or "anti" in told else "standard"
    return Rules(int(size), variant)


def _start(rules: Rules, root: Node, turn: str, written: list[Written]) -> Position:
    """The first position: the usual one where the record sets no discs."""
    if not root.get("AB") and not root.get("AW"):
        return Position.start(rules)
    black, white = (_discs(rules, root.get(name, [])) for name in ("AB", "AW"))
    first = written[0][0] if written else Color.BLACK
    return Position(rules, black, white, {"B": Color.BLACK, "W": Color.WHITE}.get(turn[:1].upper(), first))


def _discs(rules: Rules, names: list[str]) -> int:
    squares = {_square(rules, name) for name in names}
    if rules.pass_move in squares:
        raise BadNotation("a disc is set on a pass; expected squares such as AB[e4][d5]")
    return sum(map(rules.bit, squares))


def _written(nodes: list[Node], rules: Rules) -> Iterator[Written]:
    for number, node in enumerate(nodes):
        moved = [name for name in _MOVER if name in node]
        if number and (node.keys() & {"AB", "AW", "AE"} or len(moved) > 1):
            raise BadNotation(f"node {number + 1} changes the board other than by a move; expected one move a node")
        for name in moved:
            color, text = _MOVER[name], node[name][0]
            yield color, _move(rules, text), _note(node, color), text


def _move(rules: Rules, name: str) -> Move:
    """A square in either notation, or the pass."""
    return rules.pass_move if name.lower() in ("", "tt", "pa") else _square(rules, name)


def _square(rules: Rules, name: str) -> Move:
    if len(name) == 2 and name.isascii() and name.isalpha():
        name = f"{name[0]}{ord(name[1].lower()) - ord('a') + 1}"
    return rules.square(name)


def _note(node: Node, color: Color) -> MoveNote:
    """Value, time and comment of a node; a value is the mover's here and black's there."""
    value, seconds = (_number(node.get(name, [""])[0]) for name in ("V", _SECONDS))
    if value is not None and color is Color.WHITE:
        value = -value
    note = MoveNote(value, seconds=seconds or 0.0, comment=node.get("C", [""])[0])
    return NO_NOTE if note == NO_NOTE else note


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None
