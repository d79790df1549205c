"""The numba policy, in one place: how a kernel is compiled, where it is cached, what the CPU offers.

A kernel is a plain Python function under `@kernel`. It is compiled on first use, releases the GIL, and is
kept on disk for the next process. Four rules of numba's cache are handled here so that no kernel has to:

* A cached caller keeps the old body of a callee that lives in another file (numba #1833). The cache
  directory is therefore named by the content of all kernel files: any change starts a fresh one.
* Two processes that compile two signatures of one function at the same time choose the same file name,
  and the index of one may point at the code of the other. File names here carry the process id.
* A full disk, a read-only home or a damaged file must cost a compilation, never a game.
* The code depends on `NATIVE` and on whether bounds are checked, so each setting has a directory of its own.

Environment: `OUTFLANK_CACHE_DIR` moves the cache, `OUTFLANK_NATIVE=0` selects the plain twins, `NUMBA_DISABLE_JIT=1`
runs every kernel as ordinary Python, `NUMBA_BOUNDSCHECK=1` makes a kernel that would leave an array raise IndexError.
"""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding
import numba
import numpy as np
import numpy.typing as npt
from numba.core import config, event
from numba.core.caching import FunctionCache
from numba.np import linalg

Word = np.uint64
"""One machine word of a board. Every constant in a kernel is a Word: uint64 with a plain int turns signed."""

Board = tuple[np.uint64, ...]
"""The squares of one side: 1 word for boards up to 8x8, 4 words up to 16x16 (see `bitboard`)."""

Words = npt.NDArray[np.uint64]
"""Many words: boards in rows, or a generator's state."""

INTERPRETED = bool(config.DISABLE_JIT)
"""Whether kernels run as ordinary Python."""

if INTERPRETED:
    np.seterr(over="ignore")  # scalars wrap silently, as the compiled words do


def _load_without_scipy() -> None:
    """Loads the part of numba that asks whether scipy is there by loading its linear algebra.

    No kernel multiplies matrices, and every process would spend an eighth of a second on it (AMD EPYC). Functions of
    people that do are compiled as before: numba asks again when it meets them.
    """

    def refuse() -> None:
        raise ImportError

    ask, linalg.ensure_blas = linalg.ensure_blas, refuse
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ask


_load_without_scipy()

_UNUSED_DAYS = 30


def cpu_has(*features: str) -> bool:
    """Whether code may use these instructions, honouring NUMBA_CPU_NAME and NUMBA_CPU_FEATURES."""
    if config.CPU_FEATURES:
        return all(f"+{feature}" in config.CPU_FEATURES.split(",") for feature in features)
    if config.CPU_NAME == "generic":
        return False
    host = llvmlite.binding.get_host_cpu_features()
    return all(host.get(feature, False) for feature in features)


NATIVE = not INTERPRETED and os.environ.get("OUTFLANK_NATIVE", "1") != "0" and cpu_has("avx2", "bmi2")
"""Whether `bitboard` uses vector instructions and pdep; otherwise its plain twins."""


def _content_hash() -> str:
    """Eight hex digits that change whenever any kernel file changes."""
    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:8]


def _writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False


def _remove_unused(parent: Path) -> None:
    """Drops caches of older kernels that nobody opened for a month, so that the directory stays bounded."""
    limit = time.time() - _UNUSED_DAYS * 86400
    for directory in parent.glob("kernels-*"):
        if directory.stat().st_mtime < limit:
            shutil.rmtree(directory, ignore_errors=True)


@cache
def cache_directory() -> Path:
    """Where compiled kernels are kept: never in the package, which may be read-only.

    The first writable of `OUTFLANK_CACHE_DIR`, `$XDG_CACHE_HOME/outflank`, `~/.cache/outflank` and a
    directory of this user under the system's temporary directory.
    """
    name = f"kernels-{_content_hash()}" + ("" if NATIVE else "-plain") + ("-checked" if config.BOUNDSCHECK else "")
    chosen = os.environ.get("OUTFLANK_CACHE_DIR")
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    user = os.getuid() if hasattr(os, "getuid") else "user"
    fallback = Path(tempfile.gettempdir()) / f"outflank-{user}"
    for parent in ([Path(chosen)] if chosen else [Path(home) / "outflank"]) + [fallback]:
        if _writable(parent / name):
            os.utime(parent / name)
            _remove_unused(parent)
            return parent / name
    return Path(tempfile.mkdtemp(prefix="outflank-"))


class _SafeCache(FunctionCache):  # type: ignore[misc]  # numba is untyped
    """A disk cache whose failures cost a compilation and nothing else."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a damaged file may raise anything while it is unpickled: begin anew
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):
            super().save_overload(sig, data)


KERNELS: list[Any] = []
"""Every function under `@kernel`, in the order of definition."""


class _Counter(event.Listener):  # type: ignore[misc]  # numba is untyped
    """Counts kernels that numba compiles; what is found on disk raises no such event."""

    compiled = 0

    def on_start(self, event: Any) -> None:
        # At the start and not at the end: who watches from another thread learns of a compilation while it lasts.
        if any(event.data["dispatcher"] is known for known in KERNELS):
            self.compiled += 1

    def on_end(self, event: Any) -> None:
        pass


_counter = _Counter()
event.register("numba:compile", _counter)


def specialisations() -> int:
    """How many versions of kernels this process has at hand, compiled here or loaded from disk; 0 interpreted.

    When this does not change during a game, no clock of that game saw a compilation or a load.

    >>> from outflank.kernels.rules import play
    >>> _ = play((Word(1),), (Word(2),), 2)
    >>> before = specialisations()
    >>> [int(board[0]) for board in play((Word(1),), (Word(2),), 2)], specialisations() - before
    ([0, 7], 0)
    """
    return sum(len(known.overloads) for known in KERNELS)


def compilations() -> int:
    """How many of them had to be compiled, the one in progress included: above 0 the cache was not complete.

    >>> 0 <= compilations() <= specialisations()
    True
    """
    return _counter.compiled


F = TypeVar("F", bound=Callable[..., Any])

# Without numba's runtime (_nrt) arrays are not counted: a kernel cannot allocate, its caller does. Counting costs two
# atomic instructions wherever an array is passed on or read from a tuple: minimax ran at a fifth of its speed with it.
_COMPILE = {"nogil": True, "error_model": "numpy", "_nrt": False}


def kernel(function: F) -> F:
    """The function, compiled on first use, cached on disk, without the GIL. Kernels never raise and never allocate."""
    return _cached(function, nogil=True)


def instant(function: F) -> F:
    """A kernel of a microsecond, which keeps the GIL: where threads contend, getting it back takes far longer."""
    return _cached(function, nogil=False)


def _cached(function: F, nogil: bool) -> F:
    if INTERPRETED:
        return function
    dispatcher = numba.njit(**(_COMPILE | {"nogil": nogil}))(function)
    KERNELS.append(dispatcher)
    previous, config.CACHE_DIR = config.CACHE_DIR, str(cache_directory())
    try:
        dispatcher.enable_caching()
    finally:
        config.CACHE_DIR = previous
    dispatcher._cache.__class__ = _SafeCache
    files = dispatcher._cache._cache_file
    files._data_name_pattern = files._data_name_pattern.replace("{number:d}", f"{os.getpid()}-{{number:d}}")
    return cast(F, dispatcher)


def inlined(function: F) -> F:
    """A small function that dissolves into its callers: compiled with them, never cached on its own."""
    if INTERPRETED:
        return function
    return cast(F, numba.njit(forceinline=True, **_COMPILE)(function))


def spliced(function: F) -> F:
    """A small function whose source is put into its callers: for those that return several boards.

    Dissolved by LLVM, as `inlined` ones are, they hand boards of four words over through memory, which costs random
    games on 10x10 to 16x16 six per cent (AMD EPYC).
    """
    if INTERPRETED:
        return function
    return cast(F, numba.njit(inline="always", **_COMPILE)(function))


def routine(function: F) -> F:
    """A larger function that only kernels call: compiled with them once, so that it does not swell every caller."""
    if INTERPRETED:
        return function
    return cast(F, numba.njit(**_COMPILE)(function))


def plain(function: Any) -> Any:
    """The Python function under one of these decorators: called once, it answers before it would be compiled.

    >>> from outflank.kernels.selective import probe_depth
    >>> plain(probe_depth)(12)
    6
    """
    return getattr(function, "py_func", function)
