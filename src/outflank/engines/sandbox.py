"""A bot's room: what it may take, what it sees, where it may write, and who holds it to that.

Every bot has a keeper (`keeper.py`), which watches processes, memory and processor time and ends all that the bot
started. Around it stands a fence:

- `bubblewrap`, where the program of that name is installed and works here: the bot has a file system of its own, with
  the programs of the system and its own files to read and a small scratch directory in memory to write to, no network
  but a loopback of its own, and sees no process but its own.
- `limits` elsewhere: what the keeper does with Linux alone. A scratch directory is the only place to write to and the
  same files can be read (Landlock, since Linux 5.13), and no socket can be made (seccomp). `fence_words` says what of
  this the kernel has; without both only the limits hold, and a bot can read and write what its user can.

Whether bubblewrap works is found out once, by running it: containers and some systems forbid what it needs.
"""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from outflank.engines import keeper
from outflank.errors import BadSpec

Fence = Literal["bubblewrap", "limits"]
FENCES = get_args(Fence)
MEGABYTE = 1_000_000
MARK = "OUTFLANK_BOT"
"""An environment variable that tells the processes of a bot from all others."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/ssl/openssl.cnf")
_DEVICES = ("/dev/urandom", "/dev/random", "/dev/zero")
_KERNEL = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/vm", "/sys/devices/system/cpu")
_SCRATCH = "/scratch"
_PROBE_SECONDS = 20.0
_HELPERS = {"bubblewrap": 2, "limits": 0}
"""Processes of the fence itself."""


@dataclass(frozen=True)
class Sandbox:
    """What a bot may take and see.

    >>> Sandbox(memory=100).memory, Sandbox().processes
    (100, 16)
    """

    memory: float = 512
    """Megabytes of all its processes together."""
    processes: int = 16
    cpu: float = 600
    """Seconds of processor time of all its processes together."""
    readable: tuple[str, ...] = ()
    """Files and directories that it sees beside the programs of the system and our Python."""
    fence: Fence | None = None
    """Which fence it must be; None is the best that works here."""

    def check(self) -> None:
        """Raises BadSpec where the fence that was asked for does not work here, or where none does."""
        if sys.platform != "linux":
            raise BadSpec(f"bots run on Linux only, because their sandbox does; expected Linux, not {sys.platform}")
        if self.fence == "bubblewrap" and bubblewrap_fault():
            raise BadSpec(f"sandbox=bubblewrap is not possible here: {bubblewrap_fault()}; expected limits, or auto")

    def room(self) -> "Room":
        """A place for one process."""
        self.check()
        return Room(self, self.fence or best_fence())


class Room:
    """A sandbox for one process: its command, its environment, its scratch directory."""

    def __init__(self, sandbox: Sandbox, fence: Fence) -> None:
        self.sandbox, self.fence = sandbox, fence
        self.mark = secrets.token_hex(8)
        self.scratch = _SCRATCH if fence == "bubblewrap" else tempfile.mkdtemp(prefix="outflank-bot-")

    def command(self, argv: Sequence[str], lifeline: int, verdict: int) -> list[str]:
        """The command of the keeper that runs this program; the two numbers are the keeper's ends of pipes."""
        sandbox, shown = self.sandbox, _shown(self.sandbox.readable)
        inside = list(argv) if self.fence == "limits" else [*_bubblewrap(shown), "--chdir", self.scratch, "--", *argv]
        orders = {
            "lifeline": lifeline,
            "verdict": verdict,
            "memory": int(sandbox.memory * MEGABYTE),
            "processes": sandbox.processes,
            "helpers": _HELPERS[self.fence],
            "cpu": sandbox.cpu,
            "shut_in": self.fence == "limits",
            "readable": [*_SYSTEM, *_SETTINGS, *_DEVICES, *_KERNEL, *shown],
            "writable": [self.scratch, os.devnull],
            "directory": self.scratch if self.fence == "limits" else "/",
            "scratch": self.scratch if self.fence == "limits" else "",
        }
        return [sys.executable, "-I", "-S", "-B", keeper.__file__, json.dumps(orders), *inside]

    def environment(self) -> dict[str, str]:
        """What a bot is told of its surroundings: nothing of ours. Libraries are told to use one thread."""
        threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/games",
            "LANG": "C.UTF-8",
            "HOME": self.scratch,
            "TMPDIR": self.scratch,
            MARK: self.mark,
            **dict.fromkeys(threads, "1"),
        }

    def leave(self, swept: bool) -> None:
        """Removes what no keeper did: whatever bears the mark is ended, and the scratch directory goes."""
        if not swept:
            _end_marked(self.mark)
        if self.fence == "limits":
            shutil.rmtree(self.scratch, ignore_errors=True)


def best_fence() -> Fence:
    """The best fence that works on this machine.

    >>> best_fence() in FENCES
    True
    """
    return "limits" if bubblewrap_fault() else "bubblewrap"


def fence_words(fence: Fence | None = None) -> str:
    """What holds bots on this machine, for reports.

    >>> fence_words("bubblewrap")
    'bubblewrap'
    """
    if (fence or best_fence()) == "bubblewrap":
        return "bubblewrap"
    parts = ["limits"]
    parts += ["files by Landlock"] if keeper.landlock_version() else ["no fence around files"]
    parts += ["no sockets by seccomp"] if keeper.can_deny_sockets() else ["no fence around the network"]
    return ", ".join(parts)


@cache
def bubblewrap_fault() -> str:
    """Why bubblewrap does not work here; nothing where it does."""
    if sys.platform != "linux" or shutil.which("bwrap") is None:
        return "the program bwrap is not installed (Debian: apt install bubblewrap)"
    try:
        tried = subprocess.run(
            [*_bubblewrap([]), "--", "/bin/sh", "-c", "exit 0"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_PROBE_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"bwrap cannot be run: {error}"
    said = " ".join(tried.stderr.split())
    return "" if tried.returncode == 0 else f"bwrap ended with code {tried.returncode}: {said[:200]}"


def _shown(readable: Iterable[str]) -> list[str]:
    """What a bot sees beside the system: our Python, and its own files."""
    python = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parent.parent)}
    return [path for path in [*sorted(python), *readable] if not path.startswith("/usr/")]


def _bubblewrap(readable: Iterable[str]) -> list[str]:
    """The command up to the program; later arguments lie above earlier ones."""
    size = ["--size", str(keeper.FILE_BYTES)]
    found = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session"]
    found += ["--cap-drop", "ALL", "--uid", "65534", "--gid", "65534", "--hostname", "bot"]
    found += ["--proc", "/proc", "--dev", "/dev", *size, "--tmpfs", "/dev/shm", *size, "--tmpfs", _SCRATCH]
    for path in _SYSTEM:
        if Path(path).is_symlink():
            found += ["--symlink", str(Path(path).readlink()), path]
        else:
            found += ["--ro-bind-try", path, path]
    for path in (*_SETTINGS, *readable):
        found += ["--ro-bind-try", path, path]
    return [*found, "--remount-ro", "/dev", "--remount-ro", "/"]


def _end_marked(mark: str) -> None:
    """Kills whatever has the mark in its environment, which only a bot that killed its keeper can have left."""
    wanted = f"{MARK}={mark}".encode()
    found = True
    while found:
        found = False
        for environ in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if wanted in environ.read_bytes().split(b"\0"):
                    os.kill(int(environ.parent.name), signal.SIGKILL)
                    found = True
