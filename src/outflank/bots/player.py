"""Bots as players: what the interfaces of courses and judges share, and the lines that each of them adds.

A bot is an external program (`engines.EnginePlayer`) that always runs in a sandbox, in a process of its own for every
game, or for every move where its interface says so. Its time runs from the moment it is asked: who has not answered
then is killed and loses, unless its interface says that the best answer so far counts.
"""

import json
import re
import shlex
import sys
import time
from abc import abstractmethod
from contextlib import suppress
from typing import Any

from outflank.board import Color, Move, Position, Rules
from outflank.bots import host
from outflank.engines.player import EnginePlayer
from outflank.engines.process import LINE_BYTES, EngineProcess
from outflank.engines.sandbox import Sandbox
from outflank.errors import BadSpec, EngineFailed
from outflank.game import Game
from outflank.search.decision import Decision
from outflank.search.limits import Limits

USUAL_SECONDS = 5.0
"""For a move where nobody says otherwise, as in most courses."""
START_SECONDS = 60.0
"""For a bot to load what it needs, before any clock runs; on a busy machine."""
GRACE = 0.5
"""Seconds behind its time before a bot is killed; whether a late answer loses, the game says."""
_KEEP_RUNNING = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
_MARK_SECONDS = 0.5
"""For that line after an answer."""
_NUMBER = re.compile(r"-?\d+")


class BotPlayer(EnginePlayer):
    """What all bots have in common; interfaces add `_answer`, and `_greet` where there is something to say first."""

    kind = "bot"
    farewell = ""
    size: int | None = 8
    """The only board of its interface; None is any."""

    def __init__(self, command: str, sandbox: Sandbox, name: str = "") -> None:
        super().__init__(command, USUAL_SECONDS, START_SECONDS)
        self.sandbox = sandbox
        self.name = name or command
        self.said = ""
        """The last of what it wrote beside its answers."""
        self._asked = 0.0
        self._position: Position | None = None

    def check_rules(self, rules: Rules) -> None:
        """Interfaces with squares from 0 to 63 know one board."""
        if self.size not in (None, rules.size):
            raise BadSpec(f"{self.name} plays on {self.size}x{self.size} only; expected that board, not {rules}")

    def new_game(self) -> None:
        """Ends the process of the game before; a fresh one is not told of it. Never fails."""
        self.close()
        super().new_game()

    def rehearse(self, rules: Rules) -> None:
        """There is nothing to prepare: every game starts a process, before its clock runs."""

    def choose(self, position: Position, limits: Limits | None = None, seed: int = 0) -> Decision:
        """The bot's decision; its time runs from now."""
        self._asked, self._position = time.monotonic(), position
        return super().choose(position, limits, seed)

    @property
    def listens(self) -> bool:
        """Most interfaces tell the board alone."""
        return False

    def _game_to(self, position: Position) -> Game:
        return Game(position)

    def close(self) -> None:
        """Ends the process and all that it started."""
        process, self._process = self._process, None
        if process is not None:
            self._end(process)

    def _end(self, process: EngineProcess) -> None:
        process.close(patience=0)
        self.said = (self.said + process.said)[-LINE_BYTES:]

    def _drop(self) -> None:
        self.close()

    def _launch(self) -> EngineProcess:
        return EngineProcess(self.command, self.name, self.sandbox)

    def _greet(self, process: EngineProcess) -> None:
        """Most interfaces have no first words."""

    def _decide(self, process: EngineProcess, game: Game, limits: Limits) -> Decision:
        try:
            move = self._answer(process, game, limits)
        except EngineFailed as error:
            if error.kind != "stall":
                raise
            late = f"no answer within {self._most(limits):.3g} s, its process was killed"
            raise process.failed("timeout", late + self._why_silent()) from None
        return Decision(move, game.end.turn, pv=(move,))

    def _why_silent(self) -> str:
        """What often is the reason where a bot has not answered in time."""
        return ""

    @abstractmethod
    def _answer(self, process: EngineProcess, game: Game, limits: Limits) -> Move:
        """The move, checked to be legal."""

    # --- time -------------------------------------------------------------------------------------------------------

    def _seconds(self, limits: Limits) -> float:
        """What the bot is told it may use for this move."""
        return self.timeout if limits.seconds is None else limits.seconds

    def _most(self, limits: Limits) -> float:
        """What it may use at the very most."""
        return self.timeout if limits.longest is None else limits.longest

    def _deadline(self, limits: Limits) -> float:
        return self._asked + self._most(limits) + GRACE

    # --- squares ----------------------------------------------------------------------------------------------------

    def _at(self, process: EngineProcess, place: Any, position: Position) -> Move:
        """The move at [row, column], checked."""
        size = position.rules.size
        good = (
            isinstance(place, list) and len(place) == 2 and all(type(one) is int and 0 <= one < size for one in place)
        )
        if not good:
            told = json.dumps(place)[:40]
            raise process.failed("failure", f"answered {told}; expected row and column from 0 to {size - 1}")
        return self._legal(process, str(position.rules.move(place[0] * size + place[1])), position)


class HostedBot(BotPlayer):
    """A bot that is a Python file (`host.py`): the best answer so far counts when time runs out."""

    def __init__(self, interface: str, path: str, sandbox: Sandbox, name: str = "") -> None:
        super().__init__(shlex.join([sys.executable, "-I", "-B", "-u", host.__file__, interface, path]), sandbox, name)
        self.size = 8 if interface == "tjhsst" else None
        self._cut: list[EngineProcess] = []
        self._next: EngineProcess | None = None

    def close(self) -> None:
        """Ends the process, and those that were cut off."""
        waiting, self._next = self._next, None
        for process in (*self._cut, *([waiting] if waiting else [])):
            self._end(process)
        self._cut.clear()
        super().close()

    def _launch(self) -> EngineProcess:
        waiting, self._next = self._next, None
        return waiting or super()._launch()

    def _greet(self, process: EngineProcess) -> None:
        _hosted(process.read("to load", time.monotonic() + self.startup), process)

    def _answer(self, process: EngineProcess, game: Game, limits: Limits) -> Move:
        position, seconds = game.end, self._seconds(limits)
        deadline = self._asked + seconds
        cells, sign = position.line().split()
        question = {"board": cells, "size": position.rules.size, "color": sign, "seconds": seconds}
        process.send(json.dumps(question), seconds)
        answer: dict[str, Any] = {}
        while "move" not in answer:
            try:
                answer = _hosted(process.read("its move", deadline), process)
                if not answer.keys() & {"best", "move"}:
                    raise process.failed("failure", f"answered {json.dumps(answer)[:60]}; expected a move")
            except EngineFailed as error:
                if error.kind != "stall" or "best" not in answer:
                    raise
                self._cut_off(process)
                return self._at(process, answer["best"], position)
        return self._at(process, answer["move"], position)

    def _cut_off(self, process: EngineProcess) -> None:
        """Ends a bot that still thinks; another process takes over, and loads while the opponent thinks."""
        process.kill()
        self._cut.append(process)
        self._process = None
        self._next = super()._launch()


def _hosted(line: str, process: EngineProcess) -> dict[str, Any]:
    """What the host said; a failure is raised."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise process.failed("failure", f"wrote {line[:60]!r} in place of an answer")
    if "failed" in answer:
        kind = "crash" if answer.get("kind") == "crash" else "failure"
        raise EngineFailed(kind, f"{process.name}: {str(answer['failed'])[:500]}")
    return answer


class StdioBot(BotPlayer):
    """Our own few lines of text: `game RULES COLOUR`, `move BOARD SECONDS`; the answer is a square."""

    size = None

    def _launch(self) -> EngineProcess:
        self._introduced = self._heard = False
        return super()._launch()

    def _why_silent(self) -> str:
        return "" if self._heard else "; nothing ever came from it: does it flush its output behind every line?"

    def _answer(self, process: EngineProcess, game: Game, limits: Limits) -> Move:
        position, deadline = game.end, self._deadline(limits)
        cells, sign = position.line().split()
        if not self._introduced:
            process.send(f"game {position.rules} {sign}", self._most(limits))
            self._introduced = True
        process.send(f"move {cells} {self._seconds(limits):g}", self._most(limits))
        while (line := process.read("move", deadline).strip()).startswith("#") or not line:
            self._heard = True
        self._heard = True
        return self._legal(process, line, position)


class BotzoneBot(BotPlayer):
    """Botzone's Reversi: the whole history as JSON for every move, in a process for every move or in one that stays."""

    def __init__(self, command: str, sandbox: Sandbox, name: str = "", keep_running: bool = False) -> None:
        super().__init__(command, sandbox, name)
        self.keep_running = keep_running
        self._kept: dict[str, Any] = {}
        self._stays = False
        self._answered: Game | None = None

    @property
    def listens(self) -> bool:
        """It is told moves and no board."""
        return True

    def _game_to(self, position: Position) -> Game:
        return EnginePlayer._game_to(self, position)

    def check_rules(self, rules: Rules) -> None:
        """Its only game is the usual one."""
        super().check_rules(rules)
        if rules.variant != "standard":
            raise BadSpec(f"{self.name} is told moves and no rules; expected standard, not {rules}")

    def new_game(self) -> None:
        """Forgets what the bot asked to be kept."""
        self._kept.clear()
        self._stays = False
        super().new_game()

    def _answer(self, process: EngineProcess, game: Game, limits: Limits) -> Move:
        known = self._answered
        if self._stays and known is not None and game.continues(known) and len(game) == len(known) + 1:
            process.send(json.dumps(_point(game.moves[-1], game.rules)), self._most(limits))
        else:
            process = self._told_all(process, game, limits)
        response = self._response(process, self._deadline(limits))
        move = self._move(process, response, game.end)
        self._stays = self.keep_running and self._wants_to_stay(process)
        self._answered = game.play(move)
        if not self._stays:
            self.close()
        return move

    def _told_all(self, process: EngineProcess, game: Game, limits: Limits) -> EngineProcess:
        """A process that is told the whole history."""
        if game.start != Position.start(game.rules):
            raise process.failed("failure", f"cannot begin from {game.start.line()}: it is told moves alone")
        if self._stays:
            self.close()
            process = self._process = self._launch()
        process.send(json.dumps(history(game) | self._kept), self._most(limits))
        if not self.keep_running:
            process.end_input()
        return process

    def _response(self, process: EngineProcess, deadline: float) -> Any:
        while True:
            line = process.read("its move", deadline)
            with suppress(ValueError, RecursionError):
                answer = json.loads(line)
                if isinstance(answer, dict) and "response" in answer:
                    self._kept = {key: answer[key] for key in ("data", "globaldata") if key in answer}
                    return answer["response"]
            if line.strip():
                raise process.failed("failure", f'wrote {line[:60]!r}; expected {{"response": {{"x": 0, "y": 0}}}}')

    def _move(self, process: EngineProcess, response: Any, position: Position) -> Move:
        place = [response.get("y"), response.get("x")] if isinstance(response, dict) else response
        return self._at(process, place, position)

    def _wants_to_stay(self, process: EngineProcess) -> bool:
        try:
            return process.read("the line of a long run", time.monotonic() + _MARK_SECONDS).strip() == _KEEP_RUNNING
        except EngineFailed:
            return False


def _point(move: Move, rules: Rules) -> dict[str, int]:
    """Column and row; a pass is -1, -1."""
    row, column = (-1, -1) if move.is_pass else divmod(int(move), rules.size)
    return {"x": column, "y": row}


def history(game: Game) -> dict[str, Any]:
    """What Botzone tells the side to move: the moves of the other as requests, its own as responses.

    >>> history(Game.of(None, "f5"))
    {'requests': [{'x': 5, 'y': 4}], 'responses': []}
    """
    points: dict[Color, list[dict[str, int]]] = {color: [] for color in Color}
    for position, move in game:
        points[position.turn].append(_point(move, game.rules))
    own = game.end.turn
    first = [{"x": -1, "y": -1}] if own is Color.BLACK else []
    return {"requests": first + points[own.other], "responses": points[own]}


class ArgumentsBot(BotPlayer):
    """TJHSST's scripts: board and token as arguments; the last whole number that is printed is the move.

    What was printed before time ran out counts.
    """

    def new_game(self) -> None:
        """There is no process between two moves."""
        self.close()

    def _launch(self) -> EngineProcess:
        assert self._position is not None, "a process is started for a move"
        cells, sign = self._position.line().split()
        signs = str.maketrans("XO-", "xo.")
        command = shlex.join([*shlex.split(self.command), cells.translate(signs), sign.translate(signs)])
        return EngineProcess(command, self.name, self.sandbox)

    def _answer(self, process: EngineProcess, game: Game, limits: Limits) -> Move:
        process.end_input()
        deadline, printed = self._asked + self._seconds(limits), ""
        try:
            while True:
                numbers = _NUMBER.findall(process.read("its move", deadline))
                printed = numbers[-1] if numbers else printed
        except EngineFailed as error:
            if not printed:
                raise process.failed("failure", "printed no move") if error.kind == "crash" else error from None
        self.close()
        return self._at(process, list(divmod(int(printed[:9]), game.rules.size)), game.end)
