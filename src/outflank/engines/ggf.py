"""One game as GGF, the Generic Game Format of the GGS server, which NBoard programs read.

A record is `(;TAG[value]…;)`. `TY` holds the size and `a` (anti) for the reversed game, `BO` the first position with
`*` for black, and `B` and `W` the moves with passes written, so that colours alternate. `RE` counts as tournaments do:
the winner takes the empty squares; `?` while the game goes on. Source: M. Buro, https://skatgame.net/mburo/ggsa/ggf
"""

from collections.abc import Iterable

from outflank.board import Color, Position

_BOARD_SIGNS = str.maketrans("X", "*")


def ggf(
    start: Position,
    moves: Iterable[int] = (),
    black: str = "black",
    white: str = "white",
    *,
    place: str = "Outflank",
    date: str = "",
    clock: float | None = None,
) -> str:
    """The record of a game, finished or not; `clock` is the time in seconds that each side has, left out where None.

    >>> from outflank.board import Rules
    >>> print(ggf(Position.start(Rules(4, "reversed")), [1, 0], "a", "b", clock=90))
    (;GM[Othello]PC[Outflank]PB[a]PW[b]RE[?]TI[01:30]TY[4a]BO[4 -----O*--*O----- *]B[B1]W[A1];)
    """
    position, played = start, ""
    for move in moves:
        played += f"{_color_tag(position)}[{_move_name(position, move)}]"
        position = position.play(move)
    tags = {
        "GM": "Othello",
        "PC": place,
        "DT": date,
        "PB": black,
        "PW": white,
        "RE": f"{position.score(Color.BLACK, empties='winner'):+d}" if position.is_over else "?",
        "TI": "" if clock is None else _time(clock),
        "TY": f"{start.rules.size}{'a' if start.rules.variant == 'reversed' else ''}",
        "BO": f"{start.rules.size} {start.line().translate(_BOARD_SIGNS)}",
    }
    return f"(;{''.join(f'{tag}[{_clean(value)}]' for tag, value in tags.items() if value)}{played};)"


def _color_tag(position: Position) -> str:
    return "W" if position.turn else "B"


def _move_name(position: Position, move: int) -> str:
    return "PA" if move == position.rules.pass_move else position.rules.name(move).upper()


def _time(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"


def _clean(value: str) -> str:
    """Without the bracket that would end the value; GGF is Latin-1 on one line."""
    return " ".join(value.replace("]", ")").encode("latin-1", "replace").decode("latin-1").split())
