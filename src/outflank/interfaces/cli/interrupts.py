"""Ctrl-C that is not lost where LLVM calls Python back, from which nothing that is raised goes further.

Python notices a signal when it runs the next line of Python. While a kernel is compiled or loaded, most of the time is
LLVM's, and its next line is often one of such a call, where ctypes writes an exception to stderr and drops it.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_CALLED_BACK = "_raw_object_cache"
"""How llvmlite names the functions that LLVM calls."""
_LATER = 0.02
"""Seconds, longer than such a call takes."""


@contextmanager
def hearing_ctrl_c() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt inside, a moment later where it would be lost; only in a program of our own."""
    is_ours = threading.current_thread() is threading.main_thread()
    if not is_ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _hear(number: int, frame: FrameType | None) -> None:
    while frame is not None:
        if frame.f_code.co_name.startswith(_CALLED_BACK):
            again = threading.Timer(_LATER, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt
