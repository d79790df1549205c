"""External programs as players: good ones play whole games, bad ones lose them for the right reason, and none stays."""

import gc
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import naive
from outflank.agents import Agent, agent
from outflank.agents.kinds import KINDS
from outflank.board import Position, Rules
from outflank.engines import (
    GTP,
    EnginePlayer,
    EngineProcess,
    GtpPlayer,
    NBoardPlayer,
    build_gtp,
)
from outflank.errors import BadSpec, EngineFailed
from outflank.formats import read_transcript
from outflank.game import Game, moves_between
from outflank.game_loop import play_game
from outflank.search.limits import Limits
from outflank.spec import parse
from support import PATIENCE, PERFECT_GAME, running, wait_until

SCRIPT = Path(__file__).with_name("scripted_engine.py")
RHINO = shutil.which("gtp-rhino") or shutil.which("gtp-rhino", path="/usr/games")
PROTOCOLS = ("gtp", "nboard")
START = Position.start()
PASS = 64

compiled = pytest.mark.compiled
both = pytest.mark.parametrize("protocol", PROTOCOLS)
with_rhino = pytest.mark.skipif(
    RHINO is None, reason="SKIPPED FOR LACK OF A PROGRAM: gtp-rhino is not installed (apt-get install grhino)"
)


def command(protocol: str, *switches: str) -> str:
    return shlex.join([sys.executable, "-S", str(SCRIPT), protocol, *switches])


def player(protocol: str, *switches: str, timeout: float = PATIENCE, startup: float = PATIENCE) -> EnginePlayer:
    kind = {"gtp": GtpPlayer, "nboard": NBoardPlayer}[protocol]
    made: EnginePlayer = kind(command(protocol, *switches), timeout=timeout, startup=startup)
    return made


def process(engine: EnginePlayer) -> EngineProcess:
    assert engine._process is not None
    return engine._process


def alive(group: int) -> list[str]:
    """The processes of a group, those excepted that only wait for their exit code to be collected."""
    listed = subprocess.run(["ps", "-eo", "pgid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    return [row[2] for row in rows if int(row[0]) == group and not row[1].startswith("Z")]


def wait_until_gone(*groups: int) -> None:
    wait_until(lambda: not any(alive(group) for group in groups))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The groups of all programs and guards that a test starts; none may be alive when it ends."""
    groups: list[int] = []
    popen = subprocess.Popen.__init__

    def noted(self: subprocess.Popen[bytes], *args: object, **options: object) -> None:
        popen(self, *args, **options)  # type: ignore[call-overload]
        if options.get("start_new_session"):
            groups.append(self.pid)

    monkeypatch.setattr(subprocess.Popen, "__init__", noted)
    yield groups
    assert groups
    assert [line for group in groups for line in alive(group)] == []


def play_out(black: EnginePlayer, white: EnginePlayer, start: Position, follow: bool) -> list[int]:
    """A whole game; like an agent it does not ask for forced moves, and passes are among them."""
    position, moves = start, list[int]()
    for side in (black, white):
        side.new_game()
    while position.moves:
        side = white if position.turn else black
        if follow:
            side.follow(Game.of(start, moves))
        move: int = position.moves[0]
        if len(position.moves) > 1:
            move = side.choose(position, Limits(), len(moves)).move
        moves.append(move)
        position = position.play(move)
    return moves


# --- without any program --------------------------------------------------------------------------------------


def test_a_way_is_found_from_the_start_to_every_opening() -> None:
    for game in range(20):
        board, side = naive.start(8), "X"
        moves = naive.random_game(board, side, 5, game)[1][:8]
        after = Game.of(START, moves).end
        found = moves_between(START, after)
        assert found is not None and Game.of(START, found).end == after


def test_a_way_leads_through_passes() -> None:
    before = Position.parse("OXX-OX---------- X".replace(" X", " O"))
    assert before.rules.size == 4
    position, moves = before, list[int]()
    while position.moves:
        moves.append(position.moves[0])
        position = position.play(moves[-1])
    assert 16 in moves
    assert moves_between(before, position) is not None


def test_no_way_leads_back_or_elsewhere() -> None:
    later = START.play("f5")
    assert moves_between(later, START) is None
    assert moves_between(START, later.with_turn(START.turn)) is None
    assert moves_between(START, Position.start(Rules(6))) is None
    assert moves_between(START, read_transcript(PERFECT_GAME, START).end) is None


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("gtp", "gtp needs a program to run"),
        ("nboard(depth=3)", "nboard needs a program to run"),
        ('gtp(cmd="")', "names no program"),
        ('gtp(cmd="sh -c \'x")', "cannot be read"),
        ("gtp(cmd=5)", "expected a program and its arguments in quotes"),
        ("gtp(cmd=x, setup=[5])", "expected commands of the protocol"),
        ('gtp(cmd=x, setup=["a", ""])', "expected commands of the protocol"),
        ("gtp(cmd=x, timeout=0)", "a number above 0"),
        ("gtp(cmd=x, cwd=5)", "expected a directory in quotes"),
        ('nboard(cmd=x, cwd="")', "expected a directory in quotes"),
        ("gtp(cmd=x, env=5)", "expected variables of the environment"),
        ('gtp(cmd=x, env=["A=1", "B"])', "expected variables of the environment"),
        ('nboard(cmd=x, env="1A=b")', "expected variables of the environment"),
        ("gtp(cmd=x, seconds=0)", "a number above 0"),
        ("nboard(cmd=x, clock=-1)", "a number above 0"),
        ("nboard(cmd=x, depth=0)", "a whole number from 1"),
        ("nboard(cmd=x, setup=[])", "no option 'setup'"),
    ],
)
def test_bad_texts(text: str, error: str) -> None:
    call = parse(text)
    with pytest.raises(BadSpec, match=re.escape(error)):
        KINDS[call.name].build(KINDS[call.name].signature.fill(call))


def test_texts_are_identities() -> None:
    signature = GTP
    filled = signature.fill(parse('gtp(gtp-rhino, setup="komi 0")'))
    assert str(filled) == 'gtp(cmd="gtp-rhino", setup=["komi 0"], startup=30, timeout=10)'
    assert str(signature.fill(parse(str(filled)))) == str(filled)
    assert build_gtp(filled).setup == ("komi 0",)


# --- good programs ----------------------------------------------------------------------------------------------


@compiled
@pytest.mark.parametrize("follow", [True, False], ids=["told", "not told"])
@pytest.mark.parametrize("size", [6, 8])
@pytest.mark.parametrize(
    ("protocol", "switches"),
    [("gtp", []), ("gtp", ["--written-passes", "--like-edax", "--banner"]), ("nboard", ["--like-edax", "--banner"])],
)
def test_whole_games(protocol: str, switches: list[str], size: int, follow: bool, started: list[int]) -> None:
    black = player(protocol, "--sizes=6,8", "--seed=1", *switches)
    white = player("nboard", "--seed=2")
    passes = 0
    for _ in range(3):
        moves = play_out(black, white, Position.start(Rules(size)), follow)
        assert Game.of(Position.start(Rules(size)), moves).end.is_over
        passes += moves.count(size * size)
    assert passes or size == 8
    assert len(started) == 4  # two programs and their guards, for three games
    black.close()
    white.close()


@compiled
@both
def test_one_player_on_both_sides(protocol: str, started: list[int]) -> None:
    both_sides = player(protocol)
    assert Game.of(START, play_out(both_sides, both_sides, START, follow=False)).end.is_over
    both_sides.close()


@compiled
def test_what_nboard_reports(started: list[int]) -> None:
    engine = player("nboard")
    decision = engine.choose(START.play("f5"), Limits(depth=3))
    assert (decision.value, decision.depth, decision.nodes, decision.pv) == (1.5, 12, 4711, (decision.move,))
    assert decision.seconds > 0
    engine.close()
    wait_until_gone(*started)


def told(engine: EnginePlayer) -> list[str]:
    assert isinstance(engine, GtpPlayer)
    return engine._command(process(engine), "told").splitlines()


@compiled
def test_what_gtp_is_told(started: list[int]) -> None:
    engine = GtpPlayer(command("gtp"), setup=("name",))
    engine.new_game()
    engine.follow(read_transcript("f5d6", START))
    first = engine.choose(read_transcript("f5d6", START).end, Limits(seconds=2.9)).move
    assert told(engine) == [
        "list_commands", "name", "set_game Othello", "boardsize 8", "clear_board", "play b f5", "play w d6",
        "time_settings 2 2 1", "time_left b 2 1", "genmove b", "name",
    ]  # fmt: skip
    position = read_transcript("f5d6", START).end.play(first)
    reply = position.moves[0]
    engine.choose(position.play(reply), Limits(game_seconds=60.5, seconds=2))
    assert told(engine)[12:] == [
        f"play w {START.rules.move(reply)}", "time_settings 60 0 0", "time_left b 60 0", "genmove b", "name",
    ]  # fmt: skip
    before = process(engine).pid
    engine.choose(START)
    assert process(engine).pid != before  # started anew to lose its time limit
    assert told(engine)[2:] == ["set_game Othello", "boardsize 8", "clear_board", "genmove b", "name"]
    engine.close()


@compiled
def test_gtp_and_what_it_cannot_play(started: list[int]) -> None:
    engine = player("gtp", "--sizes=8")
    with pytest.raises(EngineFailed, match="refused 'boardsize 6': unacceptable size"):
        engine.choose(Position.start(Rules(6)))
    with pytest.raises(EngineFailed, match="does not play the reversed game"):
        engine.choose(Position.start(Rules(8, "reversed")))
    far = read_transcript(PERFECT_GAME[:60], START).end
    with pytest.raises(EngineFailed, match="GTP has no command for a position") as failed:
        engine.choose(far)
    assert failed.value.kind == "failure"
    engine.follow(read_transcript(PERFECT_GAME[:60], START))
    assert engine.choose(far).move in far.moves
    engine.close()
    anti = player("gtp", "--anti")
    anti.choose(Position.start(Rules(8, "reversed")))
    assert "set_game Anti Othello" in told(anti)
    anti.close()


# --- bad programs -----------------------------------------------------------------------------------------------

BAD = [
    ("--illegal", "illegal move", "black cannot play a1 in .*; legal: d3 c4 f5 e6"),
    ("--wrong-colour", "illegal move", r"black cannot play e3 \(a move for white\)"),
    (
        "--crash-on-go",
        "crash",
        "ended with exit code 7 when asked '(go|genmove b)'; its last words: Segmentation fault",
    ),
    ("--crash-at-start", "crash", "ended with exit code 1 when asked .*; its last words: cannot load eval.dat"),
    ("--huge-line", "failure", "wrote a line of more than 65536 bytes"),
    ("--endless-output", "failure", "wrote more than 4194304 bytes in one answer, after"),
    ("--wrong-id", "failure", "answered number 9.* to 'genmove b', which was|answered 'pong 91' to ping 1"),
    ("--garbage", "failure", "answered 'WIBBLE.*'"),
]
SILENT = [
    ("--stall", "no answer to '(genmove b|go)' in time; its last words: thinking about it"),
    ("--slow-start", "no answer to '.*' in time"),
]


@compiled
@both
@pytest.mark.parametrize(("switch", "kind", "message"), BAD)
def test_bad_behaviour(protocol: str, switch: str, kind: str, message: str, started: list[int]) -> None:
    engine = player(protocol, switch, "--with-child")
    engine.new_game()  # never raises
    with pytest.raises(EngineFailed, match=message) as failed:
        engine.choose(START)
    assert failed.value.kind == kind
    assert str(failed.value).startswith(f"{engine.command}: ")
    wait_until_gone(*started)
    with pytest.raises(EngineFailed, match=message):  # a fresh program behaves no better
        engine.choose(START)
    wait_until_gone(*started)
    assert len(started) == 4


@compiled
@both
@pytest.mark.parametrize(("switch", "message"), SILENT)
def test_silence(protocol: str, switch: str, message: str, started: list[int]) -> None:
    engine = player(protocol, switch, "--with-child", timeout=2, startup=0.3 if "start" in switch else PATIENCE)
    with pytest.raises(EngineFailed, match=message) as failed:
        engine.choose(START)
    assert failed.value.kind == "stall"
    wait_until_gone(*started)


@compiled
def test_a_time_limit_is_also_a_deadline(started: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outflank.engines.player.GRACE", 0.2)
    engine = player("nboard", "--stall", timeout=3600)
    engine.new_game()
    with pytest.raises(EngineFailed, match="no answer to 'go' in time"):
        engine.choose(START, Limits(seconds=0.1))
    wait_until_gone(*started)


@compiled
def test_a_program_that_does_not_read(started: list[int]) -> None:
    with EngineProcess(command("gtp", "--deaf")) as deaf, pytest.raises(EngineFailed, match="does not read") as failed:
        deaf.send("x" * 1_000_000, seconds=0.3)
    assert failed.value.kind == "stall"


@compiled
@both
def test_a_program_that_refuses_to_quit(protocol: str, started: list[int]) -> None:
    engine = player(protocol, "--refuse-quit", "--with-child")
    engine.choose(START)
    assert len(alive(process(engine).pid)) == 2
    engine.close()
    wait_until_gone(*started)
    engine.close()  # once more is harmless


@compiled
def test_a_polite_program_leaves_no_child(started: list[int]) -> None:
    engine = player("gtp", "--with-child")
    engine.choose(START)
    engine.close()
    wait_until_gone(*started)


@compiled
def test_a_forgotten_player(started: list[int]) -> None:
    engine = player("gtp", "--refuse-quit")
    engine.choose(START)
    del engine
    gc.collect()
    wait_until_gone(*started)


@compiled
def test_a_dead_program_whose_child_keeps_the_pipe_open(started: list[int], tmp_path: Path) -> None:
    """Whoever waited for the pipe to close would call it a stall."""
    dead = EngineProcess(f"sh -c 'setsid sleep 3600 & echo $! > {tmp_path}/child; exit 3'")
    with pytest.raises(EngineFailed, match="ended with exit code 3") as failed:
        dead.read("anything", time.monotonic() + PATIENCE)
    dead.close()
    os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)
    assert failed.value.kind == "crash"


@compiled
def test_a_flood_of_errors_is_passed_over(started: list[int]) -> None:
    with EngineProcess("sh -c 'head -c 20000000 /dev/zero >&2; echo; echo done >&2; echo here; exit 5'") as loud:
        assert [loud.read("x", time.monotonic() + PATIENCE) for _ in range(2)] == ["", "here"]
        with pytest.raises(EngineFailed, match="ended with exit code 5") as failed:
            loud.read("y", time.monotonic() + PATIENCE)
    assert str(failed.value).endswith("done") and len(str(failed.value)) < 1000


@compiled
def test_a_killed_program(started: list[int]) -> None:
    engine = player("nboard")
    engine.choose(START)
    os.kill(process(engine).pid, signal.SIGSEGV)
    with pytest.raises(EngineFailed, match="was ended by signal SIGSEGV") as failed:
        engine.choose(START)
    assert failed.value.kind == "crash"
    assert engine.choose(START).move in START.moves  # by a fresh one
    engine.close()


def test_a_program_that_does_not_exist() -> None:
    engine = GtpPlayer("no-such-program --at all")
    engine.new_game()
    with pytest.raises(EngineFailed, match=r"no-such-program --at all: cannot be started: .*No such file") as failed:
        engine.choose(START)
    assert failed.value.kind == "failure"


def has_ended(python: subprocess.Popen[str], sign: signal.Signals) -> bool:
    """Whether a process ends on this signal within seconds; who waits for it presses Ctrl-C again."""
    python.send_signal(sign)
    with suppress(subprocess.TimeoutExpired):
        python.wait(5)
    return python.poll() is not None


LEAVING = """
import sys
from outflank.board import Position
from outflank.engines import GtpPlayer
engine = GtpPlayer(sys.argv[1], timeout=3600)
engine.new_game()
Position.start().play("d3").moves  # a signal that comes while kernels are loaded may be lost in a destructor
print(engine._process.pid, engine._process._group.guard.pid, flush=True)
if sys.argv[2] == "think":
    engine.choose(Position.start())
"""


@compiled
@pytest.mark.parametrize(
    ("deed", "sign"), [("exit", None), ("think", signal.SIGINT), ("think", signal.SIGTERM), ("think", signal.SIGKILL)]
)
def test_nothing_outlives_python(deed: str, sign: signal.Signals | None) -> None:
    bad = command("gtp", "--refuse-quit", "--stall", "--with-child")
    with running(sys.executable, "-c", LEAVING, bad, deed) as python:
        assert python.stdout is not None
        groups = [int(number) for number in python.stdout.readline().split()]
        if sign is not None:
            assert alive(groups[0])
            wait_until(lambda: has_ended(python, sign))
        python.wait(PATIENCE)
    wait_until_gone(*groups)


@compiled
@pytest.mark.parametrize("switch", ["", "--illegal", "--crash-on-go", "--stall", "--garbage"])
def test_games_are_lost_and_not_matches(switch: str, started: list[int]) -> None:
    engine = player("gtp", *filter(None, [switch]), timeout=0.3 if switch == "--stall" else PATIENCE)
    agents = Agent("engine", "engine", engine), agent("random")
    for _ in range(2):
        record = play_game(*agents, START, seed=1)
        ends = {"": "normal", "--illegal": "illegal move", "--crash-on-go": "crash", "--stall": "stall"}
        assert record.termination == ends.get(switch, "failure"), record.reason
        assert not switch or (record.points == 0 and engine.command in record.reason)
    engine.close()


# --- a real program -----------------------------------------------------------------------------------------------


@compiled
@with_rhino
@pytest.mark.parametrize("follow", [True, False], ids=["told", "not told"])
def test_rhino_plays_whole_games(follow: bool, started: list[int]) -> None:
    rhino = build_gtp(GTP.fill(parse('gtp("gtp-rhino -l 1 -b 0")')))
    passes = 0
    for seed in range(4):
        other = player("nboard", f"--seed={seed}")
        moves = play_out(rhino, other, START, follow) if seed % 2 else play_out(other, rhino, START, follow)
        assert Game.of(START, moves).end.is_over
        passes += moves.count(PASS)
        other.close()
    assert passes
    rhino.close()


@compiled
@with_rhino
def test_rhino_begins_from_a_position(started: list[int]) -> None:
    rhino = GtpPlayer("gtp-rhino -l 1")
    far = read_transcript(PERFECT_GAME[:60], START).end
    assert rhino.choose(far).move in far.moves
    forced = Position.parse("OX" + "-" * 60 + "OO X")
    assert forced.must_pass and rhino.choose(forced).move == PASS
    with pytest.raises(EngineFailed, match=r"refused 'grhino-setup_board .*syntax error"):
        rhino.choose(Position.parse("OX" + "-" * 62 + " O"))
    with pytest.raises(EngineFailed, match="refused 'boardsize 6': unacceptable size"):
        rhino.choose(Position.start(Rules(6)))
    assert rhino.choose(START).move in START.moves
    rhino.close()
