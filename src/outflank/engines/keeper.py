"""The process between us and a bot: starts it inside its limits, watches what it takes, and ends all that it started.

`sandbox.py` runs this file as a script, `python -I -S -B keeper.py ORDERS program arguments…`; it imports nothing of
ours and starts in a hundredth of a second. The bot inherits the three pipes, and the keeper closes its own copies.

- **It is the parent of everything.** As a subreaper it adopts whatever the bot starts and leaves behind, in whatever
  session or process group, so that all of it is found and killed when the bot ends, when it breaks a limit, or when
  the other end of the lifeline is closed, which the kernel does too if we are killed.
- **It counts.** Forty times a second it adds up the processes of the bot, their memory (shared pages once) and their
  processor time. The kernel's own limits of a process stand behind that, wider, for what is faster than a count.
- **It shuts in**, where no bubblewrap does: Landlock leaves the bot its scratch directory to write to and what it is
  shown to read, and lets it send no signal to strangers; a seccomp filter denies it sockets. Both are the kernel's,
  need no rights, and are inherited by all that the bot starts.

At the end it removes the scratch directory, because we may be gone, and writes a verdict, a line of JSON: the exit code
of the bot and the limit that it broke.
"""

import ctypes
import json
import os
import platform
import resource
import select
import signal
import struct
import sys
from typing import Any, NoReturn

TICK = 0.025
"""Seconds between two counts. A bot may take about a hundred megabytes between them; the kernel's limit is behind."""
SLACK_BYTES = 1 << 30
"""What a process may map and not use, beyond its memory limit: libraries reserve stacks and buffers of threads."""
FILE_BYTES = 1 << 26
OPEN_FILES = 256
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_SIZE_MB = 1_000_000


# --- the bot's processes ------------------------------------------------------------------------------------------


class Family:
    """All processes below one, kept up to date by looking at new numbers only.

    A process that is not below it never will be, and what is below it stays there, because orphans are adopted.
    """

    def __init__(self, parent: int) -> None:
        self.parent = parent
        self.members: set[int] = set()
        self._strangers: set[int] = set()

    def look(self) -> dict[int, list[str]]:
        """The members that are alive, with the fields of their `stat` behind the name: state, parent, …"""
        numbers = {int(name) for name in os.listdir("/proc") if name.isdigit()}
        self._strangers &= numbers
        self.members &= numbers
        stats = {number: _stat(number) for number in numbers - self._strangers}
        grew = True
        while grew:
            found = {
                number
                for number, stat in stats.items()
                if number not in self.members and stat and (int(stat[1]) == self.parent or int(stat[1]) in self.members)
            }
            self.members |= found
            grew = bool(found)
        self._strangers = numbers - self.members
        return {number: stat for number, stat in stats.items() if number in self.members and stat and stat[0] != "Z"}

    def end(self) -> None:
        """Kills every member until none is left; stopped first, so that they cannot multiply meanwhile."""
        self._strangers.clear()
        while True:
            alive = self.look()
            for number in alive:
                _kill(number, signal.SIGSTOP)
            for number in self.look() if alive else {}:
                _kill(number, signal.SIGKILL)
            if not _reap_all() and not alive:
                return
            select.select([], [], [], 0.001)


def _stat(process: int) -> list[str]:
    """The fields behind the name, which may hold anything; none for a process that has ended."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].decode().split()
    except OSError:
        return []


def _kill(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except OSError:
        pass


def _reap_all() -> bool:
    """Collects children that have ended; whether some are left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _shared_once(processes: Any) -> int | None:
    """Bytes of memory of processes with what they share counted once; None where the kernel does not tell."""
    total = 0
    for process in processes:
        try:
            with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
                total += sum(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
        except FileNotFoundError:
            return None
        except OSError:  # it has ended
            continue
    return total


def broken_limit(alive: dict[int, list[str]], orders: dict[str, Any]) -> str:
    """The limit that the bot exceeds, in words, or nothing."""
    if len(alive) - orders["helpers"] > orders["processes"]:
        return f"had more than {orders['processes']} processes"
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = ended.ru_utime + ended.ru_stime
    seconds += sum(sum(map(int, stat[11:15])) for stat in alive.values()) / _TICKS_A_SECOND
    if seconds > orders["cpu"]:
        return f"used more than {orders['cpu']:g} s of processor time"
    if sum(int(stat[21]) for stat in alive.values()) * _PAGE > orders["memory"]:
        used = _shared_once(alive)
        if used is None or used > orders["memory"]:
            return f"used more than {orders['memory'] / _SIZE_MB:g} MB of memory"
    return ""


# --- what the kernel holds it to ------------------------------------------------------------------------------------

_LIBC: Any = None
_NO_NEW_PRIVILEGES, _SUBREAPER, _DEATH_SIGNAL, _SECCOMP = 38, 36, 1, 22
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL
_NEW_RIGHTS = ((2, 1 << 13), (3, _TRUNCATE), (5, _IOCTL))
"""Rights that later versions of Landlock added: to move between directories, to cut files, to command devices."""
_MACHINES = {"x86_64": (0xC000003E, 41, 62), "aarch64": (0xC00000B7, 198, 129)}
"""What the kernel calls a machine, and the numbers of `socket` and `kill` on it."""
_IO_URING_SETUP, _X32 = 425, 0x40000000


def _call(function: str, *arguments: Any) -> int:
    global _LIBC
    _LIBC = _LIBC or ctypes.CDLL(None, use_errno=True)
    result = int(getattr(_LIBC, function)(*arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{function}{arguments[:1]}: {os.strerror(number)}")
    return result


def _long(number: int) -> ctypes.c_ulong:
    return ctypes.c_ulong(number)


def landlock_version() -> int:
    """The version of Landlock that the kernel has; 0 for none.

    >>> landlock_version() >= 0
    True
    """
    try:
        return max(_call("syscall", _long(_CREATE_RULESET), None, _long(0), _long(1)), 0)
    except (OSError, AttributeError):
        return 0


def can_deny_sockets() -> bool:
    """Whether a filter for this machine is written here.

    >>> can_deny_sockets() == (platform.machine() in ("x86_64", "aarch64") and sys.platform == "linux")
    True
    """
    return sys.platform == "linux" and platform.machine() in _MACHINES


def _shut_in(readable: list[str], writable: list[str]) -> None:
    """From now on nothing else can be read, run or written by this process and what it starts."""
    version = landlock_version()
    if not version:
        return
    rights = (1 << 13) - 1
    for since, right in _NEW_RIGHTS:
        rights |= right if version >= since else 0
    attributes = struct.pack("QQQ", rights, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _call("syscall", _long(_CREATE_RULESET), attributes, _long(size), _long(0))
    for paths, allowed in ((readable, _EXECUTE | _READ_FILE | _READ_DIR), (writable, rights)):
        for path in paths:
            _allow(ruleset, path, allowed & rights)
    _call("prctl", _NO_NEW_PRIVILEGES, _long(1), _long(0), _long(0), _long(0))
    _call("syscall", _long(_RESTRICT_SELF), _long(ruleset), _long(0))
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there cannot be used either
    try:
        rule = struct.pack("=Qi", rights if os.path.isdir(path) else rights & _OF_FILES, place)
        _call("syscall", _long(_ADD_RULE), _long(ruleset), _long(1), rule, _long(0))
    finally:
        os.close(place)


def _deny_sockets() -> None:
    """From now on `socket` fails in this process and in what it starts, and a signal to everybody at once.

    Pairs of sockets are no network and remain; signals to others are Landlock's, where the kernel has it.
    """
    if not can_deny_sockets():
        return
    machine, socket, kill = _MACHINES[platform.machine()]
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    program = [
        (load, 0, 0, 4),
        (equal, 0, 8, machine),
        (load, 0, 0, 0),
        (equal, 6, 0, socket),
        (equal, 5, 0, _IO_URING_SETUP),
        (at_least, 4, 0, _X32),
        (equal, 0, 2, kill),
        (load, 0, 0, 16),
        (equal, 1, 0, 0xFFFFFFFF),
        (answer, 0, 0, 0x7FFF0000),
        (answer, 0, 0, 0x00050000 | 13),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
    filter_ = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    _call("prctl", _NO_NEW_PRIVILEGES, _long(1), _long(0), _long(0), _long(0))
    _call("prctl", _SECCOMP, _long(2), filter_, _long(0), _long(0))


def _limit(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))


def _threads_of_user() -> int:
    """Threads of this user, which the kernel counts together."""
    total, user = 0, os.getuid()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{name}").st_uid == user:
                total += int(_stat(int(name))[17])
        except (OSError, IndexError):
            continue
    return total


# --- the life of a keeper -------------------------------------------------------------------------------------------


def _become_bot(orders: dict[str, Any], command: list[str], keeper: int) -> NoReturn:
    try:
        os.setsid()
        os.chdir(orders["directory"])
        _call("prctl", _DEATH_SIGNAL, _long(signal.SIGKILL), _long(0), _long(0), _long(0))
        if os.getppid() != keeper:
            os._exit(1)
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_NOFILE, OPEN_FILES)
        _limit(resource.RLIMIT_FSIZE, FILE_BYTES)
        _limit(resource.RLIMIT_CPU, int(orders["cpu"]) + 2)
        _limit(resource.RLIMIT_DATA, int(orders["memory"]) + SLACK_BYTES)
        if os.getuid():  # the kernel does not count the processes of root
            _limit(resource.RLIMIT_NPROC, _threads_of_user() + 16 * (orders["processes"] + orders["helpers"]))
        if orders["shut_in"]:
            _shut_in([*orders["readable"], f"/proc/{os.getpid()}"], orders["writable"])
            _deny_sockets()
        os.execv(command[0], command)
    except BaseException as error:
        os.write(2, f"cannot be started: {error}\n".encode())
        os._exit(127)


def _watch(bot: int, orders: dict[str, Any], family: Family) -> tuple[int | None, str]:
    """Until the bot ends, breaks a limit, or nobody wants it any more: its exit code if it ended, and the limit."""
    poll = select.poll()
    poll.register(orders["lifeline"], select.POLLIN)
    poll.register(os.pidfd_open(bot), select.POLLIN)
    while True:
        events = dict(poll.poll(TICK * 1000))
        code = _reaped(bot)
        if code is not None:
            return code, ""
        if orders["lifeline"] in events:
            return None, ""
        broken = broken_limit(family.look(), orders)
        if broken:
            return None, broken


def _reaped(bot: int) -> int | None:
    """Collects what has ended, orphans too; the exit code of the bot if it is among them."""
    while True:
        process, status = os.waitpid(-1, os.WNOHANG)
        if process in (0, bot):
            return os.waitstatus_to_exitcode(status) if process else None


def main() -> None:
    """Keeps a bot as the orders say."""
    orders, command = json.loads(sys.argv[1]), sys.argv[2:]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # Ctrl-C is for us, and we close the lifeline
    _call("prctl", _SUBREAPER, _long(1), _long(0), _long(0), _long(0))
    keeper = os.getpid()
    bot = os.fork()
    if bot == 0:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        os.close(orders["lifeline"])
        os.close(orders["verdict"])
        _become_bot(orders, command, keeper)
    nothing = os.open(os.devnull, os.O_RDWR)
    for pipe in (0, 1, 2):
        os.dup2(nothing, pipe)
    family = Family(keeper)
    code, broken = _watch(bot, orders, family)
    family.end()
    if orders["scratch"]:
        import shutil  # not needed before the end

        shutil.rmtree(orders["scratch"], ignore_errors=True)
    os.write(orders["verdict"], json.dumps({"code": code, "broken": broken}).encode())


if __name__ == "__main__":
    main()
