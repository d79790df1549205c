"""The NBoard protocol, version 2, as NTest and Edax (`edax -nboard`) speak it.

Lines without numbers: `set game <GGF>` gives the whole game, so that nothing needs to be remembered between two moves;
`ping 7` is answered `pong 7` when all before it is done; `go` is answered `=== F5/1.30/0.4` (Edax: blanks for slashes).
The program does not play its move. Everything else that it writes is a report or noise and never an error, so a
program that writes nonsense only is found out by the clock.

A program that has answered is sent one more `ping`, which ends what it may think in its opponent's time; it also ends a
thought that nobody wants any more, whose answer is then the best line reported. What it calls exact (`100%`) was proven
by nobody here: a decision says that in a note and is not `exact`, and a percentage is told as confidence.

`set depth` is the one limit of the protocol. A program may look at the clock of the game, so `TI` holds what is
left, or what the moves to come may take together. Sizes and the reversed game are told by the GGF (`TY[6a]`);
there is no way to ask whether a program understood them. Source: weltyc/ntest, instructions/Protocol.htm.
"""

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from outflank.board import Position
from outflank.engines.player import EnginePlayer
from outflank.engines.process import EngineProcess
from outflank.errors import EngineFailed, OutflankError, Stopped
from outflank.formats import write_ggf
from outflank.game import Game
from outflank.search.decision import Decision, RootMove
from outflank.search.limits import Limits

_FIRST = re.compile(r"pa|[a-p][0-9]{1,2}", re.IGNORECASE)
_CERTAINTY = re.compile(r"([0-9]{1,3})%")
_CALLED = {"100%": "the program calls this exact", "100%W": "the program calls this result exact, not the score"}
_NUMBER = re.compile(r"[+-]?\d{1,18}(?:\.\d*)?")


@dataclass
class _Report:
    """What a program said while it thought: the last of each."""

    variation: str = ""
    depth: str = ""
    nodes: int = 0

    @property
    def first(self) -> str:
        """The first move of the last line that it reported."""
        found = _FIRST.match(self.variation)
        return found[0] if found else ""

    def hear(self, line: str) -> None:
        """Notes `search F5d6 1.3 0 12` and `nodestats 5000 0.2`; passes over all else."""
        word, *rest = line.split() or [""]
        if word in ("search", "book") and len(rest) >= 4:
            self.variation, self.depth = rest[0], rest[3]
        elif word == "nodestats" and rest:
            self.nodes = max(int(_number(rest[0]) or 0), 0)


class NBoardPlayer(EnginePlayer):
    """A program that speaks NBoard; `depth` is what it is told to search in the middle game."""

    def __init__(self, command: str, depth: int = 10, timeout: float = 10.0, startup: float = 30.0) -> None:
        super().__init__(command, timeout, startup)
        self.depth = depth
        self._pings = 0

    def _greet(self, process: EngineProcess) -> None:
        self._pings = 0
        process.send("nboard 2", self.startup)
        self._ping(process, "nboard 2", self.startup)

    def _ping(self, process: EngineProcess, asked: str, seconds: float) -> None:
        """Waits until the program has done all it was told."""
        self._pings += 1
        process.send(f"ping {self._pings}", seconds)
        for line in _lines(process, f"ping {self._pings} after {asked}", seconds):
            word, *rest = line.split() or [""]
            if word == "pong":
                number = rest[0] if rest else ""
                if number == str(self._pings):
                    return
                if not (_number(number) or self._pings) < self._pings:  # an earlier one is merely late
                    raise process.failed("failure", f"answered {line[:40]!r} to ping {self._pings}")

    def _decide(self, process: EngineProcess, game: Game, limits: Limits) -> Decision:
        depth = self.depth if limits.depth is None else min(self.depth, limits.depth)
        process.send(f"set depth {depth}", self.timeout)
        record = write_ggf(game, clock=self._clock(game.end, limits))
        process.send(f"set game {record}", self.timeout)
        self._ping(process, "set game", self.timeout)
        process.send("go", self.timeout)
        report = _Report()
        answer = self._thought(process, report, time.monotonic() + self._patience(limits))
        if answer:
            return self._answer(process, answer, game.end, report)
        return replace(self._answer(process, f"=== {report.first}", game.end, report), finished=False)

    def _thought(self, process: EngineProcess, report: _Report, deadline: float) -> str:
        """The answer to `go`; empty where the thought was ended and the program has none, but reported a line."""
        while (line := self._hear(process, "go", deadline)) is not None:
            if line.startswith("==="):
                self._hush(process)
                return line
            report.hear(line)
        self._hush(process)
        while not (last := process.read("go", deadline)).startswith(("===", f"pong {self._pings}")):
            report.hear(last)
        if last.startswith("==="):
            return last
        if not report.first:
            raise Stopped(f"{process.name} was told to end its thought and had found no move")
        return ""

    def _hush(self, process: EngineProcess) -> None:
        """Ends all thought without waiting for it; the next question passes over the answer."""
        self._pings += 1
        with suppress(EngineFailed):  # its move counts; whoever asks next is told
            process.send(f"ping {self._pings}", self.timeout)

    def _clock(self, position: Position, limits: Limits) -> float:
        """Seconds left in the game, or what the moves to come may take together."""
        if limits.game_seconds is not None:
            return limits.game_seconds
        return (limits.seconds or self.timeout / 2) * (position.empties // 2 + 1)

    def _answer(self, process: EngineProcess, text: str, position: Position, report: _Report) -> Decision:
        """The decision of `=== F5/1.30/0.4`; the value is in discs, as the mover sees it."""
        name, value, *_ = [*re.sub(r"\s+", "/", text[3:].strip()).split("/"), "", ""]
        move = self._legal(process, name, position)
        variation = _variation(report.variation, move, position)
        certainty = _CERTAINTY.match(report.depth) if variation else None
        return Decision(
            move,
            position.turn,
            value=_number(value),
            nodes=report.nodes,
            depth=_depth(report.depth, position) if variation else 0,
            pv=variation or (move,),
            moves=(RootMove(move, _number(value)),),
            unit="discs",
            confidence=min(int(certainty[1]), 100) if certainty else 100,
            note=_CALLED[report.depth] if certainty and report.depth in _CALLED else "",
        )


def _lines(process: EngineProcess, asked: str, seconds: float) -> Iterator[str]:
    """Lines as they come, until the one deadline for all of them."""
    deadline = time.monotonic() + seconds
    while True:
        yield process.read(asked, deadline)


def _number(text: str) -> float | None:
    """A number, None where the text is none: programs also write pairs and words."""
    return float(text) if _NUMBER.fullmatch(text) else None


def _depth(text: str, position: Position) -> int:
    """Plies: a number, or a percentage of certainty of having looked to the end of the game."""
    return position.empties if "%" in text else int(_number(text) or 0)


def _variation(text: str, move: int, position: Position) -> tuple[int, ...]:
    """The line `F5d6C3` as moves if it is legal and begins with the move, else nothing."""
    try:
        moves = tuple(move for move, _ in position.replay(text))
    except OutflankError:
        return ()
    return moves if moves[:1] == (move,) else ()
