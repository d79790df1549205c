"""Agents with a person's code in a process of their own, which may hang, crash or write without end.

Whoever plays against a clock must be able to lose on time, and a function that does not return can only be killed with
its process. The process is an `EngineProcess`, so it is bounded in what it writes and never outlives us; it is started
and prepared before the clock of a game runs, used for one game after the other, and started again after a failure.

One JSON object a line, both ways. The first line is our `sys.path`; then `{"agent": text, "main": path}` is answered
`{"ready": true, "sizes": …, "variants": …}`, and afterwards `{"do": "new_game"}`, `{"do": "warm_up", "rules": …}` and
`{"do": "choose", "position": …, "rules": …, "limits": …, "seed": …}` are answered in turn. What comes back is data,
checked here like the answer of any program: a person's process cannot run code in ours. What the code prints goes to
its errors.
"""

import json
import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from outflank.agents.own import OwnPlayer, check_made_for
from outflank.board import Position, Rules
from outflank.engines.process import LINE_BYTES, EngineProcess
from outflank.errors import EngineFailed, IllegalMove, OutflankError
from outflank.game import Game
from outflank.plugins import with_stand_ins
from outflank.search.decision import Decision
from outflank.search.limits import Limits
from outflank.search.player import Player
from outflank.spec import Call, Value, parse

START_SECONDS = 60.0
"""For Python, the person's imports and the building of the agent."""
MOVE_SECONDS = 60.0
"""Usually for a move that no time limit bounds."""
_COMPILE_SECONDS = 300.0
"""For everything that a built-in agent needs, from an empty cache on a busy machine."""
_WARM_UP_SECONDS = 5.0
"""For a first decision outside a game; a player that cannot decide in that time will lose its games by the clock."""
_GRACE = 0.5
"""Seconds behind the limit before the process is killed; whether a late answer loses, the game says."""
_CHILD = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.readline()); "
    "from outflank.agents.outside import serve; serve()"
)
_NUMBERS = ("value", "nodes", "playouts", "depth")


def has_own_code(text: str) -> bool:
    """Whether an agent's text names code of a person's: a player or an evaluation as `module:name`.

    >>> has_own_code("mine:Player"), has_own_code("minimax(eval=mine:f)"), has_own_code("uct(playouts=100)")
    (True, True, False)
    """
    return any(":" in name for name in _names(parse(text)))


def _names(value: Value) -> Iterator[str]:
    if isinstance(value, Call):
        yield value.name
        for inner in (*value.values, *(item for _, item in value.options)):
            yield from _names(inner)
    elif type(value) is str:  # a quoted text is data
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _names(item)


def can_run_outside(text: str) -> bool:
    """Whether another process can load the code: what a notebook defines exists in the notebook alone."""
    return not _in_main(text) or _main_file() is not None


def _in_main(text: str) -> bool:
    return any(name.startswith("__main__:") for name in _names(parse(text)))


def _main_file() -> str | None:
    return getattr(sys.modules["__main__"], "__file__", None)


class OutsidePlayer(Player):
    """An agent by its text, asked in a process that is killed when it does not answer in time.

    >>> with_code = OutsidePlayer("greedy(ties=first)")
    >>> with_code.new_game()
    >>> with_code.choose(Position.start(), Limits(seconds=30), seed=0).move
    d3
    >>> with_code.close()
    """

    kind = "process"

    def __init__(self, text: str) -> None:
        self.text = text
        self.patience = MOVE_SECONDS
        """Seconds for a move that no time limit bounds."""
        self._has_own_code = has_own_code(text)
        self.said = ""
        """The last of what its code printed."""
        self._made_for: dict[str, tuple[Any, ...]] = {"sizes": (), "variants": ()}
        self._process: EngineProcess | None = None
        self._failed: EngineFailed | None = None
        self._rules: Rules | None = None
        self._listens = False
        self._game: Game | None = None

    @property
    def listens(self) -> bool:
        """Whether an own player takes the game so far; known once it was started."""
        return self._listens

    def follow(self, game: Game) -> None:
        """Sends the game with the next question."""
        self._game = game

    def prepare_for(self, rules: Rules) -> None:
        """Has a process running that has loaded what positions need; a built-in search is compiled too.

        Raises `EngineFailed` where the agent cannot be built.
        """
        if self._process is not None and self._rules == rules:
            return
        self._rules = rules
        self._ask({"do": "load", "rules": str(rules)}, _COMPILE_SECONDS)
        if not self._has_own_code:
            self._ask({"do": "warm_up", "rules": str(rules)}, _COMPILE_SECONDS)

    def rehearse(self, rules: Rules) -> None:
        """Starts the process and has it decide once; whatever fails here will fail in the games."""
        with suppress(EngineFailed):
            self.prepare_for(rules)
            if self._has_own_code:
                self._ask({"do": "warm_up", "rules": str(rules)}, _WARM_UP_SECONDS)

    def new_game(self) -> None:
        """Has a process running that forgot the game before. Never fails: a failure is told by the next `choose`."""
        self._failed = None
        try:
            self._ask({"do": "new_game"}, START_SECONDS)
        except EngineFailed as error:
            self._failed = error

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """The decision of the agent, checked to be legal; no answer in time is a failure of the kind `timeout`."""
        failed, self._failed = self._failed, None
        if failed is not None:
            raise failed
        return self.ask_move(position, limits, seed, self._seconds_for(limits))

    def ask_move(self, position: Position, limits: Limits, seed: int, seconds: float) -> Decision:
        """The decision, waited for so many seconds at most."""
        began = time.perf_counter()
        question = {
            "do": "choose",
            "position": position.line(),
            "rules": str(position.rules),
            "limits": asdict(limits),
            "seed": seed,
        }
        if self._listens and self._game is not None and self._game.end == position:
            question["game"] = {"start": self._game.start.line(), "moves": [int(move) for move in self._game.moves]}
        answer = self._ask(question, seconds)
        return replace(_decision(answer, position, self.text), seconds=time.perf_counter() - began)

    def _seconds_for(self, limits: Limits) -> float:
        """Seconds to wait for a move."""
        return self.patience if limits.longest is None else limits.longest + _GRACE

    def close(self) -> None:
        """Ends the process; the next question starts another."""
        process, self._process = self._process, None
        if process is not None:
            process.close(patience=0.1)
            self.said = (self.said + process.said)[-LINE_BYTES:]

    def check_rules(self, rules: Rules) -> None:
        """An own player may name its `sizes` and `variants`; it is asked for them when it is first started."""
        check_made_for(self.text, rules, **self._made_for)

    # --- the process ------------------------------------------------------------------------------------------------

    def _ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer to a question; after any failure, and after Ctrl-C, the process is ended."""
        try:
            if self._process is None:
                self._start()
            return self._exchange(question, seconds)
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        self._process = EngineProcess(shlex.join([sys.executable, "-c", _CHILD]), name=self.text)
        self._process.send(json.dumps(sys.path), START_SECONDS)
        main = _main_file() if _in_main(self.text) else None
        ready = self._exchange({"agent": self.text, "main": main}, START_SECONDS)
        self._listens = ready.get("listens") is True
        for what in self._made_for:
            told = ready.get(what)
            self._made_for[what] = tuple(told) if isinstance(told, list) else ()
        if self._rules is not None:  # a fresh process in place of a killed one
            self._exchange({"do": "load", "rules": str(self._rules)}, START_SECONDS)

    def _exchange(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        process = self._process
        assert process is not None, "it was started"
        deadline = time.monotonic() + seconds
        process.send(json.dumps(question), seconds)
        asked = str(question.get("do", "start"))
        try:
            line = process.read(asked, deadline)
        except EngineFailed as error:
            if error.kind == "stall":
                raise EngineFailed("timeout", f"no answer within {seconds:.3g} s, its process was killed") from None
            raise
        return _read(line, process)


def _read(line: str, process: EngineProcess) -> dict[str, Any]:
    """The answer that a line holds; what it says of a failure is raised."""
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise process.failed("failure", f"wrote {line[:60]!r}; expected an answer")
    if "failed" in answer:
        raise EngineFailed(str(answer.get("kind", "crash")), str(answer["failed"])[:500])
    return answer


def _decision(answer: dict[str, Any], position: Position, text: str) -> Decision:
    """The decision that an answer describes; anything but a legal move is an `IllegalMove`."""
    move = answer.get("move")
    if isinstance(move, bool) or not isinstance(move, int) or move not in position.moves:
        legal = " ".join(map(str, position.moves))
        raise IllegalMove(f"{text} answered {str(move)[:40]} in {position.line()}; legal: {legal}")
    numbers = {name: answer.get(name) for name in _NUMBERS}
    good: dict[str, Any] = {name: value for name, value in numbers.items() if isinstance(value, int | float)}
    chosen = position.rules.move(move)
    return Decision(chosen, position.turn, pv=(chosen,), **good)


# --- in the process -------------------------------------------------------------------------------------------------


def serve() -> None:
    """The life of the process: one answer a line until its input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a person's code prints is no answer

    def say(**facts: Any) -> None:
        answers.write(json.dumps(facts) + "\n")
        answers.flush()

    from outflank.agents.registry import agent

    try:
        told = json.loads(sys.stdin.readline())
        _load_main(told["main"])
        player = agent(told["agent"])
        made_for = {what: getattr(player.player, what, ()) for what in ("sizes", "variants")}
        say(ready=True, listens=player.listens, **made_for)
    except OutflankError as error:
        say(failed=str(error), kind="failure")
        return
    for line in sys.stdin:
        try:
            say(**_answer(player, json.loads(line)))
        except IllegalMove as error:
            say(failed=str(error), kind="illegal move")
        except OutflankError as error:
            say(failed=str(error), kind="failure")
        except Exception as error:  # a person's code may raise anything; the game says so
            say(failed=f"{type(error).__name__}: {error}", kind="crash")


def _load_main(path: str | None) -> None:
    """Loads the script whose classes are called `__main__:Name`, as multiprocessing does in its workers."""
    if path is None or not path.endswith(".py"):
        return
    import runpy
    import types

    main = types.ModuleType("__mp_main__")
    main.__dict__.update(runpy.run_path(path, run_name="__mp_main__"))
    sys.modules["__main__"] = sys.modules["__mp_main__"] = main


def _compile_search(text: str, rules: Rules) -> None:
    """Compiles the search around a person's functions without asking them, since they may never return."""
    if has_own_code(text):
        from outflank.agents.registry import agent

        agent(str(with_stand_ins(parse(text)))).warm_up(rules)


def _answer(player: Any, question: dict[str, Any]) -> dict[str, Any]:
    if question["do"] == "new_game":
        player.new_game()
        return {"ready": True}
    rules = Rules.parse(question["rules"])
    if question["do"] == "warm_up":
        player.warm_up(rules)
        return {"ready": True}
    if question["do"] == "load":
        start = Position.start(rules)
        start.play(start.moves[0])  # what every player uses of ours, before a clock runs
        if not isinstance(player.player, OwnPlayer):  # which says itself what it is made for
            player.check_rules(rules)
            _compile_search(player.text, rules)
        return {"ready": True}
    position = Position.parse(question["position"], rules.variant)
    if "game" in question:
        heard = question["game"]
        start = Position.parse(heard["start"], rules.variant)
        player.follow(Game(start, tuple(start.rules.move(move) for move in heard["moves"])))
    decision = player.choose(position, Limits(**question["limits"]), question["seed"])
    return {"move": int(decision.move)} | {name: getattr(decision, name) for name in _NUMBERS}
