"""Work for the tests of executors: squares, deaths, slowness."""

import os
import time
from pathlib import Path
from typing import Any

from outflank.errors import BadSpec


def square(number: int) -> int:
    return number * number


def slow_square(number: int) -> int:
    time.sleep(0.02)
    return number * number


def die_once(payload: tuple[int, str]) -> int:
    """Kills its worker the first time a number is seen."""
    number, directory = payload
    mark = Path(directory) / str(number)
    if number % 7 == 3 and not mark.exists():
        mark.touch()
        os._exit(9)
    return number


def die_always(number: int) -> int:
    if number == 5:
        os._exit(11)
    return number


def prepared(number: int) -> tuple[int, Any]:
    return number, SETTING


SETTING: Any = None
PREPARED = 0


def prepare(setting: Any) -> None:
    global SETTING, PREPARED
    SETTING = setting
    PREPARED += 1


def finish() -> None:
    """Leaves a file named by its process in the directory that it was prepared with."""
    (Path(SETTING) / str(os.getpid())).touch()


def process(seconds: float) -> tuple[int, int]:
    """Takes so long, and tells its process and how often that was prepared."""
    time.sleep(seconds)
    return os.getpid(), PREPARED


def fail(number: int) -> int:
    raise (BadSpec if number else ZeroDivisionError)(f"number {number}")
