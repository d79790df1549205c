"""A sandbox holds whatever runs in it, with bubblewrap and without, and nothing is left running or lying about."""

import os
import secrets
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from outflank.agents import agent
from outflank.engines import sandbox as sandbox_module
from outflank.engines.process import ANSWER_BYTES, EngineProcess
from outflank.engines.sandbox import FENCES, Fence, Sandbox, best_fence, bubblewrap_fault, fence_words
from outflank.errors import BadSpec, EngineFailed
from support import PATIENCE, running, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bots need Linux")


@pytest.fixture(params=FENCES)
def fence(request: pytest.FixtureRequest) -> Fence:
    return works(request.param)


def works(fence: Fence) -> Fence:
    """The fence, or a loud skip."""
    if fence == "bubblewrap" and bubblewrap_fault():
        pytest.skip(f"SKIPPED FOR LACK OF BUBBLEWRAP: {bubblewrap_fault()}")
    return fence


def command_lines(part: str) -> list[str]:
    """The command lines of all processes that have this in theirs."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        found += [line] if part in line else []
    return found


@pytest.fixture
def mark() -> Iterator[str]:
    """A number of seconds to sleep that nobody else sleeps: whatever sleeps so long afterwards was left running."""
    seconds = f"61.{secrets.randbelow(10**9):09d}"
    yield seconds
    assert not command_lines(seconds)


def python(code: str, *arguments: str) -> str:
    import shlex

    return shlex.join([sys.executable, "-I", "-B", "-c", code, *arguments])


def said(command: str, fence: Fence, **options: object) -> str:
    """The first line that a program writes in a sandbox."""
    room = Sandbox(fence=fence, **options)  # type: ignore[arg-type]
    with EngineProcess(command, "bot", room) as process:
        return process.read("to speak", time.monotonic() + PATIENCE)


def failure(command: str, fence: Fence, **options: object) -> EngineFailed:
    with pytest.raises(EngineFailed) as failed:
        said(command, fence, **options)
    return failed.value


def test_lines_go_in_and_out(fence: Fence) -> None:
    with EngineProcess("cat", "bot", Sandbox(fence=fence)) as echo:
        for word in ("one", "two"):
            echo.send(word, PATIENCE)
            assert echo.read(word, time.monotonic() + PATIENCE) == word


def test_how_a_program_ended_is_told(fence: Fence) -> None:
    assert "ended with exit code 3 " in str(failure("sh -c 'exit 3'", fence))
    missing = failure("no-such-program-here", fence)
    assert missing.kind == "failure" and "cannot be started" in str(missing)


def test_nothing_outlives_a_bot_whatever_it_does_to_hide(fence: Fence, mark: str) -> None:
    hide = f"setsid sh -c 'setsid sleep {mark} & setsid sleep {mark} & echo started' & sleep {mark}"
    command = python("import os, sys; os.execv('/bin/sh', ['sh', '-c', sys.argv[1]])", hide)
    with EngineProcess(command, "bot", Sandbox(fence=fence)) as process:
        assert process.read("to start", time.monotonic() + PATIENCE) == "started"
    assert not command_lines(mark)


def test_what_a_bot_that_ended_left_behind_is_ended_too(fence: Fence, mark: str) -> None:
    error = failure(f"sh -c 'sleep {mark} & exit 4'", fence)
    assert "exit code 4" in str(error) and not command_lines(mark)


def test_nothing_outlives_us_when_we_are_killed(fence: Fence, mark: str) -> None:
    code = (
        "import sys, time\n"
        "from outflank.engines.process import EngineProcess\n"
        "from outflank.engines.sandbox import Sandbox\n"
        "kept = EngineProcess(sys.argv[1], 'bot', Sandbox(fence=sys.argv[2]))\n"
        "print(kept.read('to start', time.monotonic() + 300), flush=True)\n"
        "time.sleep(300)\n"
    )
    bot = f"sh -c 'setsid sleep {mark} & pwd; sleep {mark}'"
    with running(sys.executable, "-c", code, bot, fence) as ours:
        assert ours.stdout is not None
        scratch = ours.stdout.readline().strip()
        assert scratch.startswith("/")
        assert command_lines(f"sleep {mark}")
        ours.send_signal(signal.SIGKILL)
        ours.wait()
    wait_until(lambda: not command_lines(mark) and not Path(scratch).exists())


def test_a_bot_can_write_to_its_scratch_directory_alone(fence: Fence, tmp_path: Path) -> None:
    before = set(Path(tempfile.gettempdir()).glob("outflank-bot-*"))
    outside = tmp_path / "written"
    code = "open('mine', 'w').write('x'); print(open('mine').read(), flush=True); open(__import__('sys').argv[1], 'w')"
    with EngineProcess(python(code, str(outside)), "bot", Sandbox(fence=fence)) as process:
        assert process.read("to write", time.monotonic() + PATIENCE) == "x"
        with pytest.raises(EngineFailed, match=r"written"):
            process.read("to write", time.monotonic() + PATIENCE)
    assert not outside.exists()
    assert set(Path(tempfile.gettempdir()).glob("outflank-bot-*")) <= before, "the scratch directory is gone"


def test_a_bot_sees_what_it_is_shown_and_nothing_else(fence: Fence, tmp_path: Path) -> None:
    shown, hidden = tmp_path / "weights", tmp_path / "games.db"
    shown.write_text("17")
    hidden.write_text("secret")
    assert said(f"cat {shown}", fence, readable=(str(shown),)) in ("17",)
    error = failure(f"cat {hidden}", fence, readable=(str(shown),))
    assert "games.db" in str(error) and "secret" not in str(error)
    assert "Permission denied" in str(error) or "No such file" in str(error)


def test_a_bot_knows_nothing_of_our_environment(fence: Fence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTFLANK_SECRET", "17")
    assert said(python("import os; print(os.environ.get('OUTFLANK_SECRET'), flush=True)"), fence) == "None"


def test_a_bot_has_no_network(fence: Fence) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        code = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])))"
        error = failure(python(code, str(server.getsockname()[1])), fence)
        assert "Error" in str(error)
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.parametrize(
    ("code", "said_of_it", "limits"),
    [
        ("import time; a = [b'x' * (1 << 24) for _ in range(40)]; time.sleep(60)", "100 MB", {"memory": 100}),
        ("import os, time; [os.fork() for _ in range(5)]; time.sleep(60)", "more than 8 processes", {"processes": 8}),
        ("while True: pass", "more than 1 s of processor time", {"cpu": 1}),
    ],
    ids=["memory", "processes", "processor"],
)
def test_limits_are_kept_and_told(fence: Fence, code: str, said_of_it: str, limits: dict[str, float]) -> None:
    error = failure(python(code), fence, **limits)
    assert error.kind == "failure" and said_of_it in str(error), str(error)


def test_memory_that_processes_share_is_counted_once(fence: Fence) -> None:
    code = (
        "import os, time; a = bytearray(os.urandom(1 << 10) * (40 << 10)); [os.fork() for _ in range(3)]\n"
        "time.sleep(0.5)\n"
        "print('well', flush=True)\n"
        "time.sleep(60)"
    )
    assert said(python(code), fence, memory=200) == "well"


def test_a_bot_cannot_signal_everybody() -> None:
    """With bubblewrap it has nobody to signal; otherwise it would be all that its user runs."""
    error = failure(python("import os; os.kill(-1, 0)"), works("limits"))
    assert "PermissionError" in str(error)


def test_a_bot_can_end_what_it_started(fence: Fence) -> None:
    code = (
        "import os, signal, time; child = os.fork()\n"
        "if child == 0: time.sleep(60)\n"
        "os.kill(child, signal.SIGTERM); os.waitpid(child, 0); print('ended', flush=True)"
    )
    assert said(python(code), fence) == "ended"


def test_errors_without_end_are_a_flood(fence: Fence) -> None:
    code = f"import sys\nfor _ in range({8 * ANSWER_BYTES // 1000}): sys.stderr.write('x' * 999 + chr(10))"
    error = failure(python(code), fence)
    assert error.kind == "failure" and f"wrote more than {ANSWER_BYTES} bytes" in str(error)


def test_a_bot_that_attacks_its_keeper_is_ended_all_the_same(fence: Fence, mark: str) -> None:
    """Where the kernel does not hold its signals it kills the keeper, which ends it; elsewhere nothing happens."""
    attack = f"sleep {mark} & kill -9 $PPID; echo still here; sleep {mark}"
    command = python("import os, sys; os.execv('/bin/sh', ['sh', '-c', sys.argv[1]])", attack)
    with EngineProcess(command, "bot", Sandbox(fence=fence)) as process:
        try:
            assert process.read("to attack", time.monotonic() + PATIENCE) == "still here"
        except EngineFailed as error:
            assert "killed the process that watched it" in str(error)
    wait_until(lambda: not command_lines(mark))


def test_what_a_keeper_did_not_end_is_found_by_its_mark(mark: str) -> None:
    """As where a bot kills its keeper: whatever bears the mark of the bot is ended."""
    room = Sandbox(fence="limits").room()
    with running("sleep", mark, env=room.environment()) as left:
        room.leave(swept=False)
        assert left.wait(PATIENCE) == -signal.SIGKILL
    assert not Path(room.scratch).exists()


def test_a_fence_that_does_not_work_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_module, "bubblewrap_fault", lambda: "it is Tuesday")
    assert best_fence() == "limits" and fence_words().startswith("limits, ")
    with pytest.raises(BadSpec, match="sandbox=bubblewrap is not possible here: it is Tuesday"):
        agent('stdio(cmd="cat", sandbox=bubblewrap)')
    agent('stdio(cmd="cat")').close()


def test_the_probe_says_why_bubblewrap_does_not_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho No permissions to create a new namespace >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert "No permissions" in bubblewrap_fault.__wrapped__()
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert "not installed" in bubblewrap_fault.__wrapped__()
