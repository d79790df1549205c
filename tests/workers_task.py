"""Work for the tests of executors: squares, deaths, slowness."""

import os
import time
from pathlib import Path
from typing import Any


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


def prepare(setting: Any) -> None:
    global SETTING
    SETTING = setting
