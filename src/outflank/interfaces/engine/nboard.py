"""The NBoard protocol, versions 1 and 2, as an engine.

Lines without numbers: `set game <GGF>` tells the whole game, `go` is answered `=== F5/1.30/0.4` and not played, and
`ping 7` is answered `pong 7`. **Every line ends the thought in hand**, which answers with what it has found; all that
is said before a `pong` belongs to the position before it. A line that is not understood is passed over, as the protocol
asks; one that is and cannot be obeyed is told by `status`, its one line for people.

`set depth` bounds `go`, `hint` and `analyze`; near the end of the game, which is left to the engine, a position is
looked at to its end. `go` keeps to the clock of the game too: `TI`, or `TB` and `TW`, less the seconds of the moves.
Values are discs, from the view of the side to move, in `analysis` from black's; what agents count otherwise is told in
`status` only. `hint` and `analyze` are answered by the analyst of `outflank.analyse` and `outflank.review`, whoever the
agent is, and change nothing in its game. A depth of `100%` is said of proven scores only, `100%W` of proven results,
`73%` of the end of the game at such a confidence.

There is no book: `learn` is answered and nothing learned, `set contempt` has no draws to value. Source: weltyc/ntest,
instructions/Protocol.htm.
"""

import re
from collections.abc import Callable
from math import isfinite

from outflank.analysis import analyse, review
from outflank.board import Color, Move, Position
from outflank.errors import OutflankError
from outflank.formats import read_ggf
from outflank.game import Game
from outflank.inputs import shown
from outflank.interfaces.engine.lines import FAREWELL, Lines
from outflank.interfaces.engine.seat import Seat, Server, on_clock, one_line, with_passes
from outflank.search.clock import stoppable
from outflank.search.decision import Decision, Unit
from outflank.search.limits import Limits

_MOVE = re.compile(r"(?P<name>[A-Pa-p][0-9]{1,2}|PA|PASS)(?P<said>/.*)?", re.IGNORECASE)
_NUMBER = re.compile(r"-?[0-9]{1,15}")
_DECIMAL = re.compile(r"[0-9]{1,9}(?:\.[0-9]{0,9})?")
_DEEPEST = 500
_BEYOND = 6
"""Moves beyond the depth that was set at which the end of the game is looked at instead."""


class NBoardServer(Server):
    """An agent that is spoken to in the NBoard protocol.

    >>> from outflank.agents import agent
    >>> nboard = NBoardServer(Seat(agent("greedy(ties=first)")), print)
    >>> nboard.answer("ping 1"); nboard.answer("move F5"); nboard.answer("go")
    pong 1
    status thinking
    nodestats 4 0.00
    === F4
    status f4 (0 points), depth 1, 4 nodes
    """

    def __init__(self, seat: Seat, say: Callable[[str], None], lines: Lines | None = None) -> None:
        super().__init__(seat, say, lines)
        self._depth: int | None = None
        self._clocks = [_NO_CLOCK, _NO_CLOCK]
        self._trouble = ""
        """Why the position is not known, where it is not."""

    # --- lines ----------------------------------------------------------------------------------------------------

    def obey(self, line: str) -> None:
        """Does what a line says; one that is not understood is passed over."""
        word, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if word == "set":
            word, _, rest = rest.partition(" ")
            word, rest = f"set {word}", rest.strip()
        command = _COMMANDS.get(word)
        if command is not None:
            command(self, rest)
        elif not rest and _MOVE.fullmatch(word):
            self.move(word)  # version 1

    def refuse(self, line: str, why: str) -> None:  # noqa: ARG002
        """A line for people."""
        self.say(f"status {one_line(why)}")

    def _stop(self) -> bool:
        return self.lines.closed or self.lines.waiting is not None

    def greet(self, rest: str) -> None:  # noqa: ARG002
        """Tells our name."""
        self.say(f"set myname Outflank {one_line(self.seat.player.label)}")

    def ping(self, rest: str) -> None:
        """Everything before is done."""
        self.say(f"pong {rest[:40]}")

    def learn(self, rest: str) -> None:  # noqa: ARG002
        """There is no book to add the game to."""
        self.say("learned")

    def contempt(self, rest: str) -> None:
        """There are no draws of a book to value."""

    def quit(self, rest: str) -> None:  # noqa: ARG002
        """The end."""
        self.over = True

    # --- the game -------------------------------------------------------------------------------------------------

    def set_depth(self, rest: str) -> None:
        """How far to look ahead in the middle game."""
        depth = int(rest) if _NUMBER.fullmatch(rest) else 0
        if depth < 1:
            raise OutflankError(f"set depth {shown(rest)} is not possible; expected a whole number from 1")
        self._depth = min(depth, _DEEPEST)

    def set_game(self, rest: str) -> None:
        """The game that everything after is about."""
        try:
            games = read_ggf(rest)
            if not games:
                raise OutflankError("set game names no game; expected a GGF record (;GM[Othello] … ;)")
            game = Game(games[0].start, games[0].moves).knowing(positions=games[0].positions)
            self.seat.tell(game)
        except OutflankError as error:
            self._trouble = f"there is no game: {error}"
            raise
        self._trouble = ""
        tags, notes = games[0].tags, games[0].notes
        for color, tag in ((Color.BLACK, "TB"), (Color.WHITE, "TW")):
            spent = [note.seconds for note in notes[game.start.turn is not color :: 2]]
            self._clocks[color] = _clock(tags.get(tag) or tags.get("TI", ""), spent)

    def move(self, rest: str) -> None:
        """A move of the side whose turn it is; what is left out before it is a pass."""
        found = _MOVE.fullmatch(rest)
        game = self._game()
        try:
            if found is None:
                raise OutflankError(f"{shown(rest)} is not a move; expected for example F5/1.30/0.4")
            self.seat.tell(with_passes(game, None, game.rules.square(found["name"])))
        except OutflankError as error:
            self._trouble = f"there is no game any more: {error}"
            raise
        mover = self.seat.game[-1][0].turn
        _, _, seconds = (found["said"] or "").strip("/").rpartition("/")
        left, increment = self._clocks[mover]
        if _DECIMAL.fullmatch(seconds):
            self._clocks[mover] = left - float(seconds) + increment, increment

    def _game(self) -> Game:
        if self._trouble:
            raise OutflankError(self._trouble)
        return self.seat.game

    # --- thinking -------------------------------------------------------------------------------------------------

    def _deepest(self, position: Position) -> int | None:
        """Plies to look ahead: those that were set, or to the end of the game if that is near."""
        if self._depth is None or position.empties > self._depth + _BEYOND:
            return self._depth
        return max(self._depth, 2 * position.empties)  # some agents count passes as plies

    def go(self, rest: str) -> None:  # noqa: ARG002
        """Tells the move that the agent would play, and what it thinks meanwhile."""
        position = self._game().end
        if position.is_over:
            raise OutflankError("the game is over")
        left, _ = self._clocks[position.turn]
        limits = Limits(depth=self._deepest(position))
        if isfinite(left):
            limits = limits.tightened(on_clock(left))
        self.say("status thinking")
        told, decision = "", None
        for decision in self.seat.thoughts(limits, self._stop):
            line = _search_line(decision, position)
            if line and line != told:
                self.say(line)
            told = line
        assert decision is not None, "there is a move"
        self._tell(decision, position)

    def _tell(self, decision: Decision, position: Position) -> None:
        if decision.nodes:
            self.say(f"nodestats {decision.nodes} {decision.seconds:.2f}")
        value = f"{decision.value:.2f}" if decision.unit == "discs" and decision.value is not None else ""
        seconds = f"{decision.seconds:.2f}" if decision.seconds >= 0.005 else ""
        self.say(f"=== {_name(position.rules.move(decision.move))}/{value}/{seconds}".rstrip("/"))
        self.say(f"status {decision}")

    def hint(self, rest: str) -> None:
        """Values of the best moves, deeper and deeper."""
        count = int(rest) if _NUMBER.fullmatch(rest) else 1
        position = self._game().end
        if position.is_over:
            raise OutflankError("the game is over")
        self.say("status analysing")
        passes = (position.rules.pass_move,) if position.must_pass else ()
        self._tell_values(position.play(passes[0]) if passes else position, 1 if passes else max(count, 1), passes)
        self.say("status")

    def _tell_values(self, position: Position, count: int, passes: tuple[Move, ...]) -> None:
        """Values of the best moves of a position, as seen before the passes that lead to it."""
        deepest, sign = self._deepest(position), -1 if passes else 1
        with stoppable(self._stop):
            for analysis in analyse(position):
                for value in analysis.moves[:count]:
                    depth = _depth_code(value.depth, value.exact, value.unit, value.confidence, position)
                    line = _line((*passes, *(value.pv or (value.move,))), position)
                    self.say(f"search {line} {sign * value.value:.2f} 0 {depth}")
                self.say(f"nodestats {analysis.nodes} {analysis.seconds:.2f}")
                if deepest is not None and deepest < position.empties and analysis.depth >= deepest:
                    break

    def analyze(self, rest: str) -> None:  # noqa: ARG002
        """The value of every position of the game, from its end."""
        game = self._game()
        self.say("status analysing")
        with stoppable(self._stop):
            for verdict in review(game, depth=self._depth):
                self.say(f"analysis {verdict.ply} {verdict.value:.2f}")
        self.say("status")


_COMMANDS: dict[str, Callable[[NBoardServer, str], None]] = {
    "nboard": NBoardServer.greet,
    "set depth": NBoardServer.set_depth,
    "set game": NBoardServer.set_game,
    "set contempt": NBoardServer.contempt,
    "move": NBoardServer.move,
    "hint": NBoardServer.hint,
    "go": NBoardServer.go,
    "ping": NBoardServer.ping,
    "learn": NBoardServer.learn,
    "analyze": NBoardServer.analyze,
    FAREWELL: NBoardServer.quit,
}
_NO_CLOCK = (float("inf"), 0.0)


def _clock(text: str, spent: list[float]) -> tuple[float, float]:
    """Seconds left and added with a move, of a clock `main/increment/grace` after moves that took so long.

    >>> _clock("05:00/00:02/02:00", [30, 40.5]), _clock("1:00:00", [])
    ((233.5, 2.0), (3600.0, 0.0))
    """
    main, increment = (_seconds(part) for part in (*text.split("/"), "")[:2])
    if main is None:
        return _NO_CLOCK
    more = increment or 0.0
    return main + len(spent) * more - sum(spent), more


def _seconds(text: str) -> float | None:
    """The seconds of `[[days.]hours:]minutes:seconds`; None where there are none."""
    parts = text.strip().replace(".", ":", 1).split(":") if text.strip() else []
    if not parts or len(parts) > len(_UNITS) or not all(_DIGITS.fullmatch(part) for part in parts):
        return None
    return float(sum(int(part) * unit for part, unit in zip(reversed(parts), _UNITS, strict=False)))


_DIGITS = re.compile(r"[0-9]{1,6}")
_UNITS = (1, 60, 3600, 86_400)


def _name(move: Move) -> str:
    return "PA" if move.is_pass else move.name.upper()


def _line(moves: tuple[int, ...], position: Position) -> str:
    return "".join(_name(position.rules.move(move)) for move in moves)


def _search_line(decision: Decision, position: Position) -> str:
    """`search F5D6 1.30 0 12`; nothing where the agent counts something else than discs."""
    if decision.value is None or decision.unit not in ("discs", "result"):
        return ""
    line = _line(decision.pv or (decision.move,), position)
    depth = _depth_code(decision.depth, decision.exact, decision.unit, decision.confidence, position)
    return f"search {line} {decision.value:.2f} 0 {depth}"


def _depth_code(depth: int, exact: bool, unit: Unit, confidence: int, position: Position) -> str:
    """How far was looked: plies, or how certain the end of the game is.

    >>> end = Position.parse("OX-OXOO-XXXXXXX- O")
    >>> _depth_code(3, True, "discs", 100, end), _depth_code(3, False, "discs", 73, end)
    ('100%', '73%')
    >>> _depth_code(2, False, "discs", 73, end)
    '2'
    """
    if unit == "result":
        return "100%W"
    if exact:
        return "100%"
    if depth >= position.empties and confidence < 100:
        return f"{confidence}%"
    return str(depth)
