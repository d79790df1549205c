"""An external program at the other end of two pipes, that may do anything: crash, hang, lie, flood, refuse to end.

Three promises are kept here so that the protocols need not think of them:

- **No waiting without an end.** Threads read what the program writes; whoever asks waits for a line until a deadline.
- **No memory without an end.** A line, and all output between two commands, have a greatest size; the reader kills a
  program that exceeds it. Of its errors only the last lines are kept, for the message.
- **No process left behind.** The program leads a process group of its own. Ending it means: a polite word, SIGTERM to
  the group, SIGKILL to the group, and only then is the exit code collected, because until then the number of the group
  cannot belong to anyone else. This happens on `close`, when the object is collected and when Python exits. For a
  Python that is itself killed there is a guard: a shell that waits for the end of a pipe from us and then kills the
  group. (The kernel's "signal me when my parent dies" was not used: it means the thread that started the program.)

A program that leaves its process group on purpose escapes. Elsewhere than on POSIX only the program itself is ended.
A bot of somebody's, which may do so, runs in a `Sandbox`: there a keeper takes the place of the guard, and nothing
escapes (`keeper.py`).
"""

import json
import os
import select
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from outflank.engines.sandbox import Room, Sandbox
from outflank.errors import BadSpec, EngineFailed

LINE_BYTES = 1 << 16
ANSWER_BYTES = 1 << 22
"""Chatty engines report every iteration of a search; four megabytes are far more than any of them writes for a move."""

_POSIX = os.name == "posix"
_GAMES = "/usr/games:/usr/local/games"
"""Where Debian installs engines; not in everyone's PATH."""
_GUARD = 'read -r line; kill -KILL "-$1"'
_LAST_WORDS = 5
_TICK = 0.005
_KEEPER_SECONDS = 20.0
"""For a keeper to end all that a bot started, on a busy machine; then it is killed itself."""
_LOOK = 0.1
_LONGEST_POLL = 10**6
"""Seconds; the kernel counts milliseconds in 32 bits."""


def read_command(text: str) -> list[str]:
    """The program and its arguments, split as a shell would; a program is looked for in /usr/games too.

    >>> read_command("sh -c 'exec cat'")[1:]
    ['-c', 'exec cat']
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise BadSpec(f"command {text!r} cannot be read: {error}; expected a program and its arguments") from None
    if not words or "\0" in text:
        raise BadSpec(f"command {text!r} names no program; expected for example 'gtp-rhino -l 3'")
    return [shutil.which(words[0]) or shutil.which(words[0], path=_GAMES) or words[0], *words[1:]]


class _Group:
    """The program and all that it starts. Knows nothing of the object that owns it, which may be collected first."""

    broken = ""
    """The limit of a sandbox that the program broke, in words."""

    def __init__(self, argv: list[str], cwd: str | None = None, env: dict[str, str] | None = None) -> None:
        self.guard: subprocess.Popen[bytes] | None = None
        self._cwd, self._env = cwd, env
        self.process = self._start(argv)
        self._lock = threading.RLock()  # a collected owner ends its group in whatever thread is running
        self._over = False
        self._owner = os.getpid()

    def _start(self, argv: list[str]) -> subprocess.Popen[bytes]:
        process = _popen(argv, cwd=self._cwd, env=self._env)
        try:
            self.guard = _start_guard(process.pid)
        except BaseException:
            process.kill()
            process.wait()
            raise
        return process

    def kill(self) -> None:
        """Kills the group at once; the exit code is collected by `end`."""
        with self._lock:
            self._signal("SIGKILL")

    def end(self, patience: float) -> int | None:
        """The exit code of the program, which has `patience` seconds to end by itself and as many after SIGTERM."""
        if os.getpid() != self._owner:
            return None  # a forked copy of us must not end what is not its own
        with self._lock:
            if not self._over and not self._exits_within(patience):
                self._signal("SIGTERM")
                self._exits_within(patience)
            self._signal("SIGKILL")  # also what the program started and left behind
            code = self.process.wait()
            self._over = True
        self._dismiss_guard()
        _close(self.process.stdin)
        return code

    def exits_within(self, seconds: float) -> bool:
        """Whether the program ends by itself in this time."""
        with self._lock:
            return self._over or self._exits_within(seconds)

    def _exits_within(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not self._has_exited():
            if time.monotonic() >= deadline:
                return False
            time.sleep(_TICK)
        return True

    def _has_exited(self) -> bool:
        if not hasattr(os, "waitid"):
            return self.process.poll() is not None
        try:
            look = os.WEXITED | os.WNOWAIT | os.WNOHANG
            return os.waitid(os.P_PID, self.process.pid, look) is not None
        except ChildProcessError:
            return True  # someone who ignores SIGCHLD has collected it

    def _signal(self, name: str) -> None:
        if self._over:
            return
        try:
            if _POSIX:
                os.killpg(self.process.pid, getattr(signal, name))
            else:
                self.process.kill()
        except (ProcessLookupError, PermissionError):
            pass  # ended already; macOS says PermissionError of a group of zombies

    def _dismiss_guard(self) -> None:
        if self.guard is not None:
            self.guard.kill()
            self.guard.wait()
            _close(self.guard.stdin)


class _KeptGroup(_Group):
    """A bot in a sandbox, with its keeper as the process that is ours."""

    def __init__(self, argv: list[str], room: Room) -> None:
        self._room = room
        self._verdict = b""
        super().__init__(argv)

    def _start(self, argv: list[str]) -> subprocess.Popen[bytes]:
        watched, self._lifeline = os.pipe()
        self._told, verdict = os.pipe()
        try:
            return _popen(
                self._room.command(argv, watched, verdict),
                env=self._room.environment(), pass_fds=(watched, verdict),
            )  # fmt: skip
        except BaseException:
            self._let_go()
            os.close(self._told)
            self._room.leave(swept=True)
            raise
        finally:
            os.close(watched)
            os.close(verdict)

    def _let_go(self) -> None:
        """The sign for the keeper to end all that it keeps."""
        lifeline, self._lifeline = self._lifeline, -1
        if lifeline >= 0:
            os.close(lifeline)

    def kill(self) -> None:
        """Has everything killed; nobody waits for it here."""
        with self._lock:
            self._let_go()

    def end(self, patience: float) -> int | None:
        """The exit code of the bot, when all that it started has ended; None where it was killed."""
        if os.getpid() != self._owner:
            return None
        with self._lock:
            if not self._over:
                if not self._exits_within(patience):
                    self._let_go()
                    self._exits_within(_KEEPER_SECONDS)
                super().end(0)
                self._conclude()
            code: int | None = json.loads(self._verdict)["code"] if self._verdict else None
            return code

    def _conclude(self) -> None:
        """Reads the verdict of the keeper, which only a bot that killed its keeper can have prevented."""
        self._let_go()
        self._verdict = os.read(self._told, select.PIPE_BUF)
        os.close(self._told)
        self._room.leave(swept=bool(self._verdict))
        self.broken = json.loads(self._verdict)["broken"] if self._verdict else "killed the process that watched it"


def _popen(argv: list[str], **options: Any) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        argv, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=_POSIX, **options
    )  # fmt: skip


def _start_guard(group: int) -> subprocess.Popen[bytes] | None:
    if not _POSIX:
        return None
    nothing = subprocess.DEVNULL
    return subprocess.Popen(
        ["/bin/sh", "-c", _GUARD, "guard", str(group)],
        bufsize=0, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing, start_new_session=True,
    )  # fmt: skip


def _close(pipe: IO[bytes] | None) -> None:
    if pipe is not None:
        try:
            pipe.close()
        except OSError:
            pass


class _Output:
    """What the program wrote: lines for whoever asks, and the reason why there will be no more."""

    def __init__(self, group: _Group) -> None:
        self.lines: SimpleQueue[str | None] = SimpleQueue()
        self.errors: deque[str] = deque(maxlen=_LAST_WORDS)
        self.fault = ""
        self.left = ANSWER_BYTES
        self.said = b""
        """The end of all its errors."""
        self._group = group
        self.threads = [
            threading.Thread(target=self._collect, args=(group.process.stdout,), daemon=True),
            threading.Thread(target=self._overhear, args=(group.process.stderr,), daemon=True),
        ]
        for thread in self.threads:
            thread.start()

    def _collect(self, pipe: IO[bytes]) -> None:
        rest = b""
        with pipe:
            while chunk := pipe.read(LINE_BYTES):
                *lines, rest = (rest + chunk).split(b"\n")
                self.left -= len(chunk)
                self.fault = self._too_much(max(map(len, lines), default=0), len(rest))
                if self.fault:
                    self._group.kill()
                    break
                for line in lines:
                    self.lines.put(_text(line))
        if rest and not self.fault:
            self.lines.put(_text(rest))  # a last line need not have an end
        self.lines.put(None)

    def _too_much(self, longest: int, unfinished: int) -> str:
        if max(longest, unfinished) > LINE_BYTES:
            return f"wrote a line of more than {LINE_BYTES} bytes"
        return "" if self.left >= 0 else f"wrote more than {ANSWER_BYTES} bytes in one answer"

    def _overhear(self, pipe: IO[bytes]) -> None:
        rest = b""
        with pipe:
            while chunk := pipe.read(LINE_BYTES):
                *lines, rest = (rest[-LINE_BYTES:] + chunk).split(b"\n")
                self.errors.extend(_text(line) for line in lines[-_LAST_WORDS:])
                self.said = (self.said + chunk)[-LINE_BYTES:]
                if isinstance(self._group, _KeptGroup) and self._is_flood(len(chunk)):
                    self._group.kill()
                    break
        self.errors.append(_text(rest))

    def _is_flood(self, more: int) -> bool:
        """Whether a bot has now written too much: what it says beside its answers counts too."""
        self.left -= more
        self.fault = self.fault or self._too_much(0, 0)
        return bool(self.fault)

    def last_words(self) -> str:
        """The last lines of its errors, for a message."""
        printable = ("".join(filter(str.isprintable, line[-200:])).strip() for line in tuple(self.errors))
        words = list(filter(None, printable))
        return f"; its last words: {' | '.join(words)}" if words else ""


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").rstrip("\r")


class EngineProcess:
    """A running program: `send` lines, `read` lines, `close`. Any failure is an `EngineFailed`, and the caller closes.

    >>> with EngineProcess("cat") as echo:
    ...     echo.send("hello", seconds=5)
    ...     echo.read("hello", deadline=time.monotonic() + 5)
    'hello'
    """

    def __init__(
        self,
        command: str,
        name: str = "",
        sandbox: Sandbox | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Starts the program in a directory, ours unless told, with ours and more variables of the environment.

        Messages call it by its name, which is the command where none is given. A sandbox has a place of its own.
        """
        self.name = name or command
        argv = read_command(command)
        try:
            if sandbox is None:
                self._group = _Group(argv, cwd, {**os.environ, **env} if env else None)
            else:
                self._group = _KeptGroup(_runnable(argv), sandbox.room())
        except OSError as error:
            raise EngineFailed("failure", f"{self.name}: cannot be started: {error}") from None
        self._output = _Output(self._group)
        self._finalizer = weakref.finalize(self, self._group.end, 0.2)

    @property
    def pid(self) -> int:
        """The number of the program and of its process group."""
        return self._group.process.pid

    @property
    def said(self) -> str:
        """The last of what it wrote beside its answers: its errors, and of a hosted bot all that it prints."""
        return self._output.said.decode("utf-8", "replace")

    def __enter__(self) -> "EngineProcess":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, line: str, seconds: float) -> None:
        """Writes one line; what the program may write in answer is counted anew."""
        self._output.left = ANSWER_BYTES
        data = memoryview(f"{line}\n".encode())
        deadline = time.monotonic() + seconds
        pipe = self._group.process.stdin
        if pipe is None or pipe.closed:
            raise self._ended(line)
        try:
            while data:
                self._wait_until_writable(pipe, deadline, line)
                data = data[pipe.write(data[: select.PIPE_BUF if _POSIX else None]) :]
        except OSError:
            raise self._ended(line) from None

    def _wait_until_writable(self, pipe: IO[bytes], deadline: float, line: str) -> None:
        """A program that does not read fills the pipe, and a write would hang."""
        if not hasattr(select, "poll"):
            return
        poll = select.poll()
        poll.register(pipe.fileno(), select.POLLOUT)
        if not poll.poll(min(max(deadline - time.monotonic(), 0), _LONGEST_POLL) * 1000):
            raise self.failed("stall", f"does not read its input; {_short(line)} could not be sent")

    def read(self, asked: str, deadline: float) -> str:
        """The next line, without its end; `asked` is the command that it answers, for the message of a failure."""
        while True:
            left = max(deadline - time.monotonic(), 0)
            dead = self._group.exits_within(0)  # looked at first: what it wrote before is in the pipe
            if dead:
                self._group.end(0)  # a child of it may keep the pipe open
            try:
                line = self._output.lines.get(timeout=_LOOK if dead else min(left, _LOOK))
            except Empty:
                if dead:
                    raise self._ended(asked) from None
                if left == 0:
                    raise self.failed("stall", f"no answer to {_short(asked)} in time") from None
                continue
            if line is None:
                self._output.lines.put(None)
                raise self._ended(asked)
            return line

    def failed(self, kind: str, what: str) -> EngineFailed:
        """The error that says what this program did, with the last lines it wrote as errors."""
        return EngineFailed(kind, f"{self.name}: {what}{self._output.last_words()}")

    def _ended(self, asked: str) -> EngineFailed:
        """Why there is no more output: a flood that was cut, an exit, or a closed pipe."""
        by_itself = self._group.exits_within(1)
        code = self._group.end(0)
        for thread in self._output.threads:
            thread.join(0.5)  # so that its last words are complete
        if self._output.fault:
            return self.failed("failure", f"{self._output.fault}, after {_short(asked)}")
        if self._group.broken:
            return self.failed("failure", self._group.broken)
        how = _exit_words(code) if by_itself else "closed its pipes"
        return self.failed("crash", f"{how} when asked {_short(asked)}")

    def kill(self) -> None:
        """Kills the program at once, without waiting for its end; `close` does that."""
        self._group.kill()

    def end_input(self) -> None:
        """Closes its input, for programs that read it to its end."""
        _close(self._group.process.stdin)

    def close(self, farewell: str = "", patience: float = 0.5) -> None:
        """Ends the program: the farewell and the end of its input, then SIGTERM, then SIGKILL. Never fails."""
        if farewell and self._finalizer.alive:
            try:
                self.send(farewell, seconds=0.1)
            except EngineFailed:
                pass
        _close(self._group.process.stdin)
        self._finalizer.detach()
        self._group.end(patience)
        for thread in self._output.threads:
            thread.join(0.5)


def _runnable(argv: list[str]) -> list[str]:
    """The command with the full path of its program, which must be there: a keeper could only tell it later."""
    program = Path(argv[0]).absolute()
    if not program.is_file():
        raise FileNotFoundError(f"there is no program {argv[0]!r}")
    if not os.access(program, os.X_OK):
        raise PermissionError(f"{argv[0]!r} is not executable")
    return [str(program), *argv[1:]]


def _exit_words(code: int | None) -> str:
    if code is not None and code < 0:
        names = {one.value: one.name for one in signal.Signals}
        return f"was ended by signal {names.get(-code, -code)}"
    return f"ended with exit code {code}"


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}…")
