"""One host for all bots that are Python files: loads the file in a process of its own, and asks it as its course does.

Run as a script inside a sandbox, `python -I -B host.py INTERFACE FILE`; it imports nothing of ours. One JSON object a
line, both ways. When the file is loaded the host says `{"ready": true}`. A question is

    {"board": "----…", "size": 8, "color": "X", "seconds": 5.0}

with the squares row by row (X black, O white, - empty). While the bot thinks, the host says `{"best": [row, column]}`
whenever the bot's best answer so far is another one, because in both courses that answer counts when time runs out;
`{"move": [row, column]}` ends the answer. What went wrong is `{"failed": words, "kind": kind}`. What the bot prints
goes to the errors. Whatever the bot does to this process, it only harms itself: answers are checked by those who asked.
"""

import ctypes
import importlib.util
import inspect
import json
import os
import sys
import threading
import traceback
from types import ModuleType
from typing import Any

_LOOK_SECONDS = 0.003
"""How often a thinking bot is asked for its best answer so far."""
_LAST_SECONDS = 0.05
"""TJHSST: how long before its end a bot is told that its time is over."""


class Unusable(Exception):
    """A bot that does not have what its course asks for, or an answer that is none."""


class Cs303:
    """`class AI(chessboard_size, color, time_out)`: what `go(chessboard)` left at the end of `candidate_list`."""

    def __init__(self, module: ModuleType) -> None:
        import numpy

        self.numpy = numpy
        self.bot: Any = None
        self.kind: Any = getattr(module, "AI", None)
        if not callable(self.kind) or not hasattr(self.kind, "go"):
            raise Unusable("has no class AI with a method go(chessboard)")

    def think(self, board: str, size: int, color: str, seconds: float) -> None:
        """Has the bot choose; one object plays the whole game."""
        numbers = {"X": -1, "O": 1, "-": 0}
        if self.bot is None:
            self.bot = self.kind(size, numbers[color], seconds)
        squares = self.numpy.array([numbers[square] for square in board]).reshape(size, size)
        self.bot.go(squares)

    def best(self) -> list[int] | None:
        """The last entry, or None while there is none."""
        found = getattr(self.bot, "candidate_list", None)
        if not found:
            return None
        row, column = found[-1]
        return [int(row), int(column)]


class Tjhsst:
    """`class Strategy`: `best_strategy(board, player, best_move, still_running)` sets `best_move.value`.

    The values are no `multiprocessing.Value`, because nobody else reads them: the host itself is the child process.
    """

    def __init__(self, module: ModuleType) -> None:
        kind = getattr(module, "Strategy", None)
        if not callable(kind) or not hasattr(kind, "best_strategy"):
            raise Unusable("has no class Strategy with a method best_strategy(board, player, best_move, still_running)")
        self.bot = kind()
        self.wants_limit = len(inspect.signature(self.bot.best_strategy).parameters) > 4
        self.move = ctypes.c_int(-1)

    def think(self, board: str, size: int, color: str, seconds: float) -> None:
        """Has the bot choose; shortly before its time ends `still_running` becomes 0."""
        signs = {"X": "x", "O": "o", "-": "."}
        text = "".join(signs[square] for square in board)
        if getattr(self.bot, "uses_10x10_board", False):
            rows = (text[at : at + size] for at in range(0, len(text), size))
            text = "?" * 11 + "??".join(rows) + "?" * 11
        self.move, running = ctypes.c_int(-1), ctypes.c_int(1)
        bell = threading.Timer(max(seconds - _LAST_SECONDS, seconds / 2), lambda: setattr(running, "value", 0))
        bell.daemon = True
        bell.start()
        try:
            limit = [seconds] if self.wants_limit else []
            self.bot.best_strategy(text, signs[color], self.move, running, *limit)
        finally:
            bell.cancel()

    def best(self) -> list[int] | None:
        """The shared value as a square, or None before it was set."""
        move = self.move.value
        if move == -1:
            return None
        if getattr(self.bot, "uses_10x10_moves", False):
            row, column = divmod(move, 10)
            return [row - 1, column - 1]
        return list(divmod(move, 8))


INTERFACES = {"cs303": Cs303, "tjhsst": Tjhsst}


def load(path: str) -> ModuleType:
    """The module in a file, by its own name; modules that it imports may lie beside it."""
    sys.path.insert(0, os.path.dirname(path))
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise Unusable("is no Python file; expected a name that ends with .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def words(error: BaseException) -> str:
    """An error of a bot in one line, with the line of its code where it was raised.

    >>> words(ValueError("no such square"))
    'ValueError: no such square'
    """
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    where = f" (line {frames[-1].lineno} of {os.path.basename(frames[-1].filename)})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


class Host:
    """The bot, and the line to those who ask it."""

    def __init__(self, interface: str, path: str) -> None:
        self._answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
        self._questions = os.fdopen(os.dup(0), encoding="utf-8")
        os.dup2(2, 1)  # what a bot prints is no answer
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        self._lock = threading.Lock()
        self._told: list[int] | None = None
        self._interface, self._path = interface, path
        self.bot: Any = None

    def say(self, **facts: Any) -> None:
        """One line."""
        with self._lock:
            self._answers.write(json.dumps(facts) + "\n")
            self._answers.flush()

    def serve(self) -> None:
        """Loads the bot and answers until there are no more questions."""
        try:
            self.bot = INTERFACES[self._interface](load(self._path))
        except Unusable as error:
            return self.say(failed=str(error), kind="failure")
        except BaseException as error:
            return self.say(failed=f"cannot be loaded: {words(error)}", kind="failure")
        self.say(ready=True)
        for line in self._questions:
            self.answer(json.loads(line))

    def answer(self, question: dict[str, Any]) -> None:
        """Asks the bot, and tells its best answers meanwhile."""
        self._told, over = None, threading.Event()
        watcher = threading.Thread(target=self._watch, args=(over,), daemon=True)
        watcher.start()
        try:
            self.bot.think(**question)
            over.set()
            watcher.join()
            best = self.bot.best()
            if best is None:
                raise Unusable("chose no move")
            self.say(move=best)
        except Unusable as error:
            self.say(failed=str(error), kind="failure")
        except BaseException as error:
            self.say(failed=words(error), kind="crash")
        finally:
            over.set()

    def _watch(self, over: threading.Event) -> None:
        while not over.wait(_LOOK_SECONDS):
            try:
                best = self.bot.best()
            except Exception:
                continue
            if best is not None and best != self._told:
                self._told = best
                self.say(best=best)


if __name__ == "__main__":
    Host(sys.argv[1], sys.argv[2]).serve()
    os._exit(0)  # threads of the bot keep nobody waiting
