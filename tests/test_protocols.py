"""Outflank as somebody else's engine: the protocols as they are described, whole games through them, and every end."""

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import cycle
from pathlib import Path

import pytest

from outflank.agents import Agent, agent
from outflank.board import Color, Position, Rules
from outflank.engines import EnginePlayer, GtpPlayer, NBoardPlayer
from outflank.errors import EngineFailed, Stopped
from outflank.formats import read_transcript, write_ggf
from outflank.game import Game
from outflank.game_loop import play_game
from outflank.inputs import MOST_IN_GAME
from outflank.interfaces.engine import PROTOCOLS, Lines, Server
from outflank.interfaces.engine.gtp import _Clock
from outflank.interfaces.engine.nboard import _clock
from outflank.interfaces.engine.seat import Seat
from outflank.search.clock import stoppable
from outflank.search.limits import Limits
from protocol_games import PAIRINGS, compare, served, through
from support import PATIENCE, running
from test_engines import START, both, process, told, with_rhino
from test_engines import command as scripted

pytestmark = pytest.mark.compiled

QUICK = "minimax(depth=2, eval=discs)"
ENDLESS = "engine(seconds=3600)"
RECORD = (
    "(;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[./mEdax]PW[chris]RE[?]TI[15:00]TY[8]BO[8 ---------"
    "------------------O*------*O--------------------------- *]B[F5]W[F6]B[D3]W[C5]B[E6]W[F7]B[E7]W[F4];)"
)
LATE = "OX-OXOO-XXXXXXX- O"


def asked(protocol: str, text: str, *lines: str | bytes) -> str:
    """What an agent answers to lines that all are there before the first is read."""
    said: list[str] = []
    incoming = Lines()
    incoming.read_all(BytesIO(b"".join(line if isinstance(line, bytes) else f"{line}\n".encode() for line in lines)))
    server: Server = PROTOCOLS[protocol](Seat(agent(text)), said.append, incoming)
    server.run()
    return "".join(f"{each}\n" for each in said)


def gtp(*commands: str | bytes, text: str = QUICK) -> list[str]:
    """The answers to commands of GTP, each in one piece."""
    *answers, goodbye, nothing = asked("gtp", text, *commands, "quit").split("\n\n")
    assert (goodbye, nothing) == ("=", "")
    return answers


def until(hear: Callable[[], str], beginning: str, times: int = 1) -> Iterator[str]:
    """Lines up to the one that begins like this, or to so many of them."""
    while times:
        line = hear()
        assert not line.startswith("?"), line
        yield line
        times -= line.startswith(beginning)


def nboard(*lines: str | bytes, text: str = QUICK) -> list[str]:
    return asked("nboard", text, *lines, "quit").splitlines()


# --- GTP ----------------------------------------------------------------------------------------------------------


def test_gtp_loads_games_of_files(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;GM[2]RU[reversed];B[f5];W[d6];B[c3])")
    assert gtp(f"loadsgf {file}", *["undo"] * 4) == ["="] * 4 + ["? cannot undo"]
    assert gtp(f"loadsgf {file} 3", "play b f5", "play b c3", "play w d3") == ["=", "? illegal move", "=", "="]
    for bad in ("loadsgf", f"loadsgf {file} x", f"loadsgf {tmp_path / 'none.sgf'}", f"loadsgf {__file__}"):
        assert gtp(bad)[0] in ("? syntax error", "? cannot load file")


def test_gtp_commands_as_they_are_described() -> None:
    assert gtp("1 protocol_version", "known_command play", "7 known_command fly") == ["=1 2", "= true", "=7 false"]
    [name, version, listed] = gtp("name", "version", "list_commands")
    assert name == f"= Outflank {QUICK}" and re.fullmatch(r"= \d+\.\d+\.\d+\S*", version)
    assert {"quit", "boardsize", "clear_board", "komi", "play", "genmove", "undo", "showboard"} <= set(listed.split())
    assert gtp("3 set_game Othello", "4 boardsize 7", "7 play b f5", "12 play b a1", "11 final_score") == [
        "=3", "?4 unacceptable size", "=7", "?12 illegal move", "?11 cannot score",
    ]  # fmt: skip
    assert gtp("list_games", "set_game Go") == ["= Othello\nReversed Othello", "? unsupported game"]
    assert gtp("komi 5", "time_settings 60 5 1", "time_left b 10 0") == ["="] * 3


def test_gtp_reads_lines_as_the_standard_says() -> None:
    """Comments, empty lines, tabs, control characters and line ends of other systems."""
    assert gtp("# nothing", "", "  \t ", "\t9\tkomi\t0.5 # the price", b"8 na\x07me\r\n") == [
        "=9",
        f"=8 Outflank {QUICK}",
    ]


BAD_GTP = {
    "fly": "unknown command",
    "5": "unknown command",
    "play": "syntax error",
    "play b": "syntax error",
    "play red f5": "syntax error",
    "play b z9": "syntax error",
    "play b f5 now": "syntax error",
    "play w f4": "illegal move",
    "play b pass": "illegal move",
    "genmove": "syntax error",
    "genmove x": "syntax error",
    "genmove w": "it is the turn of black",
    "boardsize": "syntax error",
    "boardsize eight": "syntax error",
    "boardsize -8": "syntax error",
    "boardsize 18": "unacceptable size",
    "undo": "cannot undo",
    "time_settings 1 2": "syntax error",
    "time_settings a b c": "syntax error",
    "time_left b 1e9 0": "syntax error",
    "set_random_seed x": "syntax error",
    "outflank-analyze b 10 10": "syntax error",
    "outflank-analyze w": "it is the turn of black",
    "9" * 5000: "unknown command",
}


@pytest.mark.parametrize("line", BAD_GTP, ids=lambda line: line[:20])
def test_gtp_refuses_in_its_own_words(line: str) -> None:
    assert gtp(line)[0].partition(" ")[::2] in (("?", BAD_GTP[line]), ("?5", BAD_GTP[line]))
    assert gtp(line, "play b f5")[-1] == "=", "the game goes on"


def test_lines_are_bounded() -> None:
    long = b"5 play b " + b"x" * (3 * MOST_IN_GAME) + b"\n"
    assert gtp(long, "6 play b f5") == [f"?5 a line of more than {MOST_IN_GAME} bytes", "=6"]
    said = nboard(b"set game " + b"(" * MOST_IN_GAME + b"\n", b"\xff\xfe\x00\n", "ping 1")
    assert said == [f"status a line of more than {MOST_IN_GAME} bytes", "pong 1"]


def test_gtp_passes_written_and_left_out() -> None:
    blocked = "grhino-setup_board -XXO------------ X"
    assert gtp(blocked, "play b pass", "play w a1", "final_score") == ["=", "=", "=", "= W+16"]
    assert gtp(blocked, "play w a1", "undo", "genmove b", "genmove w") == ["=", "=", "=", "= pass", "= a1"]
    assert gtp(blocked, "genmove w", "genmove b", "genmove w", "undo", "genmove w") == [
        "=", "= a1", "= pass", "= pass", "=", "= a1",
    ]  # fmt: skip


def test_gtp_plays_every_board_and_the_reversed_game() -> None:
    for size in (4, 6, 10, 16):
        shown = gtp(f"boardsize {size}", "clear_board", "showboard")[2]
        assert f"\n{Position.start(Rules(size))}" == shown[1:]
    won = "grhino-setup_board XXXX-----------O X"
    assert gtp(won, "final_score", "set_game reversed othello", won, "final_score")[1::2] == ["= B+14", "="]
    assert gtp("set_game Anti-Othello", won, "final_score")[2] == "= W+14"
    assert gtp("set_game Reversed Othello", "reg_genmove b", "reg_genmove b")[1:] == ["= d3", "= d3"]


def test_gtp_refuses_boards_that_its_agent_cannot_play() -> None:
    assert gtp("boardsize 4", "boardsize 6", text="engine(depth=1)") == ["? unacceptable size", "="]


def test_gtp_analysis() -> None:
    [_, analysis, after] = gtp(f"grhino-setup_board {LATE}", "7 outflank-analyze w 10", "undo")
    assert analysis.startswith("=7\ninfo move ") and after == "? cannot undo"
    [moves] = re.findall("info move (.*?) value .*? info move (.*?) ", analysis)
    assert set(moves) == {"c1", "d4"}
    with served(QUICK, "gtp") as (say, hear):
        say(f"grhino-setup_board {LATE}", "7 outflank-analyze w")
        lines = list(until(hear, "info "))
        while "exact no" in lines[-1]:
            lines.append(hear())
        assert "move c1 value 2.00 unit discs" in lines[-1] and "exact yes" in lines[-1]
        say("boardsize 8", "9 outflank-analyze")
        list(until(hear, "=9"))
        list(until(hear, "info "))
        say("10 quit")  # the next line ends it
        list(until(hear, "=10"))


def test_clocks_of_gtp() -> None:
    black = Color.BLACK
    assert _Clock().limits(black) == Limits()
    both_times = _Clock(main=10, period=6, stones=2)
    both_times.spend(black, 4)
    assert both_times.limits(black) == Limits(game_seconds=5.95)
    both_times.spend(black, 7)
    assert both_times.limits(black) == Limits(seconds=2.95)
    both_times.spend(black, 1)
    assert both_times.limits(black) == Limits(seconds=4.95)
    both_times.spend(black, 1)
    assert both_times.limits(black) == Limits(seconds=2.95)
    both_times.tell(black, 0.5, 0)
    assert both_times.limits(black) == Limits(game_seconds=0.45)
    assert both_times.limits(Color.WHITE) == Limits(game_seconds=9.95)


@both
def test_the_clock_is_kept(protocol: str) -> None:
    """An agent that would think for an hour answers when it is told that a second is left."""
    with served(ENDLESS, protocol) as (say, hear):
        if protocol == "gtp":
            say("time_settings 0 1 1", "5 genmove b")
            assert list(until(hear, "=5"))[-1].split()[1] in ("d3", "c4", "f5", "e6")
        else:
            say(f"set game {write_ggf(Game(START), clock=2)}", "go")
            assert list(until(hear, "==="))[-1].split()[1][:2] in ("D3", "C4", "F5", "E6")


# --- NBoard -------------------------------------------------------------------------------------------------------


def test_the_session_of_the_protocol() -> None:
    with served("engine(nodes=2000)", "nboard") as (say, hear):
        say("nboard 2", f"set game {RECORD}", "set depth 6", "ping 1")
        assert list(until(hear, "pong 1")) == ["set myname Outflank engine(nodes=2000)", "pong 1"]
        say("go")
        *thoughts, answer = until(hear, "===")
        assert thoughts[0] == "status thinking" and re.fullmatch(r"nodestats \d+ \d+\.\d\d", thoughts[-1])
        assert all(re.fullmatch(r"search ([A-H][1-8]|PA)+ -?\d+\.\d\d 0 \d+", line) for line in thoughts[1:-1])
        assert re.fullmatch(r"=== [A-H][1-8]/-?\d+\.\d\d(/\d+\.\d\d)?", answer)
        assert hear().startswith(f"status {answer[4:6].lower()} ")
        say("go")
        assert list(until(hear, "==="))[-1][:6] == answer[:6], "it was not played"


def test_hints_and_analysis() -> None:
    late = f"set game {write_ggf(Game.of(Position.parse(LATE), 'd4'))}"
    with served(QUICK, "nboard") as (say, hear):
        say(f"set game {write_ggf(Game(Position.parse(LATE)))}", "hint 2")
        lines = list(until(hear, "status", 2))
        values = [(line.split()[1][:2], line.split()[2:]) for line in lines if line.startswith("search")]
        assert values[-2:] == [("C1", ["2.00", "0", "100%"]), ("D4", ["-6.00", "0", "100%"])]
        say("hint 1")
        words = [line.split()[0] for line in until(hear, "status", 2)]
        assert words.count("search") == words.count("nodestats") > 0
        say(late, "analyze")
        assert list(until(hear, "status", 2)) == ["status analysing", "analysis 1 6.00", "analysis 0 -2.00", "status"]
        say(f"set game {RECORD}", "set depth 4", "hint 3")
        told_depths = [line.split()[4] for line in until(hear, "status", 2) if line.startswith("search")]
        assert sorted(told_depths) == [depth for depth in "1234" for _ in range(3)]


def test_moves_of_both_versions_and_passes() -> None:
    moves = "nboard 1", "F5", "D6/1.5/2", "move C3//0.5", "go"
    answer = nboard(*moves)[-2]
    assert START.rules.square(answer[4:6]) in read_transcript("f5d6c3", START).end.moves
    refused, unknown, pong = nboard(*moves, "move A1", "go", "ping 2")[-3:]
    assert refused.startswith("status white cannot play a1; legal: ") and pong == "pong 2"
    assert unknown == refused.replace("status ", "status there is no game any more: ")
    blocked = write_ggf(Game(Position.parse("-XXO------------ X")))
    assert "=== PA" in nboard(f"set game {blocked}", "go")
    assert nboard(f"set game {blocked}", "move A1", "go") == ["status the game is over"]


def test_nboard_passes_over_what_it_does_not_know() -> None:
    assert nboard("", "fly", "set wings 2", "set", "set contempt 5", "learn", "\t", "ping") == ["learned", "pong "]
    for bad in ("set depth", "set depth -1", "set depth x", "set game", "set game (;GM[Go];)", "move", "move f5f6"):
        [told_why, pong] = nboard(bad, "ping 3")
        assert told_why.startswith("status ") and "expected" in told_why and pong == "pong 3"


def test_a_depth_beyond_the_end_bounds_nobody() -> None:
    """Of two empty squares three plies can be looked ahead where a pass is one of them."""
    start = Position.parse("---------------------------OX------OOOO----OXO------X----------- X")
    moves = "c4d3h4f7c5c6f8c3b6c7e3f4b3c2f3a6b4g6c1a3c8b5h6d7a5a4d8h5g4e8b7e2f2a8h3b8d1g8d2g3b2a1a2a7h7h8g2h1f1g7h2e1"
    game = Game.of(start, moves)
    game = game.play(game.rules.pass_move)
    with served("minimax(depth=3)", "nboard") as (say, hear):
        say("set depth 500", f"set game {write_ggf(game)}", "go")
        *_, answer = until(hear, "===")
    assert START.rules.square(answer[4:6]) == agent("minimax(depth=3)").choose(game.end).move


def test_clocks_of_games() -> None:
    assert _clock("15:00", [1.5, 2.5]) == (896.0, 0.0)
    assert _clock("1.00:00:01", []) == (86_401.0, 0.0)
    assert _clock("05:00//02:00", []) == (300.0, 0.0)
    for nothing in ("", "/", "x", "1:2:3:4:5", "9" * 30):
        assert _clock(nothing, [1.0])[0] == float("inf")


def test_values_that_are_no_discs_are_not_told_as_discs() -> None:
    said = nboard(f"set game {RECORD}", "go", text="uct(playouts=50)")
    assert not [line for line in said if line.startswith("search")]
    assert re.fullmatch(r"=== [A-H][1-8](//\d+\.\d\d)?", said[-2]) and "% wins" in said[-1]


def test_only_proven_scores_are_called_exact() -> None:
    for text, code in (("solver", "100%"), ("solver(by=wdl)", "100%W")):
        with served(text, "nboard") as (say, hear):
            say(f"set game {write_ggf(Game(Position.parse(LATE)))}", "go")
            assert [line.split()[-1] for line in until(hear, "===") if line.startswith("search")] == [code]


# --- ends ---------------------------------------------------------------------------------------------------------


def test_every_line_of_nboard_ends_a_thought() -> None:
    with served(ENDLESS, "nboard") as (say, hear):
        say("set game " + RECORD.replace("TI[15:00]", ""), "go")
        list(until(hear, "search"))
        say("ping 1")
        lines = list(until(hear, "pong 1"))
        assert [line for line in lines if line.startswith("===")]
        say("hint 64")
        list(until(hear, "search"))
        say("ping 2", "ping 3")
        assert "pong 2" in list(until(hear, "pong 3"))


def test_gogui_may_interrupt_a_thought() -> None:
    with served(ENDLESS, "gtp") as (say, hear):
        say("1 genmove b", "# interrupt", "2 genmove w", "# interrupt")
        assert len(list(until(hear, "=2"))) == 3


@both
def test_the_end_of_the_input_ends_a_thought(protocol: str) -> None:
    command = sys.executable, "-m", "outflank", "engine", ENDLESS, "--protocol", protocol
    with running(*command, stdin=subprocess.PIPE) as program:
        assert program.stdin is not None and program.stdout is not None
        program.stdin.write("name\n" if protocol == "gtp" else "ping 1\n")
        program.stdin.flush()
        assert program.stdout.readline()  # it is ready
        said, errors = program.communicate("7 genmove b\n" if protocol == "gtp" else "go\n", timeout=PATIENCE)
        assert (program.returncode, errors) == (0, "")
        assert re.search(r"^=7 [a-h][1-8]$|^=== [A-H][1-8]", said, re.MULTILINE)


def test_a_script_that_ends_with_quit_is_answered_in_full() -> None:
    command = [sys.executable, "-m", "outflank", "engine", "minimax(depth=5)", "--protocol", "gtp"]
    done = subprocess.run(command, input="genmove b\n8 quit\nname\n", capture_output=True, text=True, timeout=PATIENCE)
    move = agent("minimax(depth=5)").choose(START).move
    assert (done.returncode, done.stdout, done.stderr) == (0, f"= {move}\n\n=8\n\n", "")


@both
def test_ctrl_c_ends_it(protocol: str) -> None:
    command = sys.executable, "-m", "outflank", "engine", ENDLESS, "--protocol", protocol
    with running(*command, stdin=subprocess.PIPE) as served_:
        assert served_.stdin is not None and served_.stdout is not None and served_.stderr is not None
        served_.stdin.write("1 name\n2 genmove b\n" if protocol == "gtp" else "ping 1\ngo\n")
        served_.stdin.flush()
        assert served_.stdout.readline()
        served_.send_signal(signal.SIGINT)
        assert served_.wait(PATIENCE) == 130
        assert served_.stderr.read() == "outflank: interrupted\n"


def test_whoever_stops_listening_is_no_error() -> None:
    command = f"{sys.executable} -m outflank engine random --protocol gtp | true; echo ${{PIPESTATUS[0]}}"
    text = "name\n" * 100_000
    done = subprocess.run(["bash", "-c", command], input=text, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.stdout.strip(), done.stderr) == ("0", "")


class Noisy:
    """Prints, and raises in every position but the first."""

    def choose(self, position: Position) -> int:
        sys.stdout.write("hello\n")
        if position != START:
            raise RuntimeError("no\nidea")
        return position.moves[0]


def test_agents_that_print_and_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=":")
    command = [sys.executable, "-m", "outflank", "engine", "test_protocols:Noisy", "--protocol", "gtp"]
    text = "1 genmove b\n2 genmove w\n3 undo\n4 genmove b\nquit\n"
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=PATIENCE)
    answers = done.stdout.split("\n\n")
    assert answers[0] == "=1 d3" and answers[2:] == ["=3", "=4 d3", "=", ""]
    assert answers[1].startswith("?2 ") and "RuntimeError: no idea" in answers[1] and "Traceback" not in done.stdout


# --- whole games --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pairing", "protocol"), list(zip(range(len(PAIRINGS)), cycle(PROTOCOLS))))
def test_games_through_a_protocol_are_those_in_process(pairing: int, protocol: str) -> None:
    """Every pairing through one of them; `make protocols` plays a thousand games through both."""
    assert compare(pairing, protocol, games=2) == 2


@with_rhino
def test_rhino_is_a_peer() -> None:
    """What both are asked both answer alike, number, sign and words; and they agree on a whole game and its score."""
    ours = GtpPlayer(f"{sys.executable} -m outflank engine '{QUICK}' --protocol gtp", PATIENCE, PATIENCE)
    rhino = GtpPlayer("gtp-rhino -l 1 -b 0", PATIENCE, PATIENCE)
    for game_seed in range(2):
        players = [Agent("ours", "ours", ours), Agent("rhino", "rhino", rhino)]
        game = play_game(players[game_seed], players[1 - game_seed], START, seed=game_seed)
        assert game.termination == "normal", game.reason
        scores = []
        for one in (ours, rhino):
            one._bring_to(process(one), game)  # with the last moves of the other
            scores.append(one._command(process(one), "final_score"))
        score = game.end.score()
        assert scores[0] == scores[1] == (f"{'B' if score > 0 else 'W'}+{abs(score)}" if score else "0")
    asked_both = (
        "set_game Othello", "boardsize 8", "clear_board", "komi 1", "final_score", "undo", "known_command play",
        "known_command fly", "play b f5", "play b a1", "play w a1", "play x f5", "play w", "undo", "undo",
        "set_game Go", "boardsize 7", "boardsize x", "fly", "protocol_version",
    )  # fmt: skip
    for command in asked_both:
        answers = [one._exchange(process(one), command, PATIENCE) for one in (ours, rhino)]
        assert answers[0] == answers[1], command
    ours.close()
    rhino.close()


def test_an_agent_may_be_another_program() -> None:
    """A program of one protocol behind the other."""
    bridge = f"{sys.executable} -m outflank engine 'nboard(cmd=\"{scripted('nboard')}\")' --protocol gtp"
    through = GtpPlayer(bridge, PATIENCE, PATIENCE)
    record = play_game(Agent("through", "through", through), agent("random"), START, seed=3)
    assert record.termination == "normal", record.reason
    through.close()


# --- programs of others -------------------------------------------------------------------------------------------


def test_programs_have_a_directory_and_an_environment(tmp_path: Path) -> None:
    (tmp_path / "answers.sh").write_text('echo "=1 $GREETING $PWD $HOME"; echo; read line\n')
    text = f'gtp(cmd="sh answers.sh", cwd="{tmp_path}", env=["GREETING=hello=you", "HOME=/nowhere"])'
    player = agent(text).player
    assert isinstance(player, GtpPlayer) and agent(agent(text).text).text == agent(text).text
    greeted = player._launch()
    assert player._exchange(greeted, "x", PATIENCE) == (True, f"hello=you {tmp_path} /nowhere")
    greeted.close()
    missing = agent(f'gtp(cmd="sh x", cwd="{tmp_path}/nowhere")')
    missing.new_game()
    with pytest.raises(EngineFailed, match=r"cannot be started.*nowhere"):
        missing.choose(START)


def test_programs_have_limits_of_their_own() -> None:
    fast = agent(f"gtp(cmd='{scripted('gtp')}', seconds=2, timeout={PATIENCE}, startup={PATIENCE})".replace("'", '"'))
    assert isinstance(fast.player, GtpPlayer)
    play_game(fast, agent("random"), START, limits=Limits(seconds=60))
    assert [line for line in told(fast.player) if line.startswith("time_settings")] == ["time_settings 2 2 1"]
    fast.close()
    timed = agent(f"gtp(cmd='{scripted('gtp')}', clock=600, startup={PATIENCE})".replace("'", '"'))
    assert isinstance(timed.player, GtpPlayer)
    play_game(timed, agent("random"), START)
    left = [int(line.split()[2]) for line in told(timed.player) if line.startswith("time_left")]
    assert left[0] == 600 and left == sorted(left, reverse=True) and left[-1] < 600
    timed.close()
    late = agent(f"gtp(cmd='{scripted('gtp', '--stall')}', clock=0.2, startup={PATIENCE})".replace("'", '"'))
    lost = play_game(late, agent("random"), START)
    assert lost.points == 0 and lost.termination in ("stall", "timeout")
    late.close()


@pytest.mark.parametrize(
    ("depth", "confidence", "note"),
    [
        ("12", 100, ""),
        ("73%", 73, ""),
        ("100%", 100, "the program calls this exact"),
        ("100%W", 100, "the program calls this result exact, not the score"),
        ("100%!", 100, ""),
    ],
)
def test_what_programs_call_exact_is_their_word(depth: str, confidence: int, note: str) -> None:
    answers = f"pong 1\\npong 2\\nsearch f5 3 0 {depth}\\n=== f5//0.5\\n"
    player = NBoardPlayer(f"sh -c 'printf \"{answers}\"; cat >/dev/null'".replace("%", "%%"), timeout=PATIENCE)
    decision = player.choose(START)
    assert (decision.move.name, decision.value, decision.exact) == ("f5", None, False)  # type: ignore[attr-defined]
    assert (decision.confidence, decision.note) == (confidence, note)
    assert decision.depth == (12 if depth == "12" else START.empties)
    player.close()


@both
def test_programs_are_told_to_stop_thinking(protocol: str, tmp_path: Path) -> None:
    """One line more after every answer."""
    log = tmp_path / "log"
    engine: EnginePlayer = {"gtp": GtpPlayer, "nboard": NBoardPlayer}[protocol](
        f"sh -c 'tee {log} | {scripted(protocol)}'", timeout=PATIENCE, startup=PATIENCE
    )
    engine.choose(START)
    engine.close()
    question = {"gtp": "genmove b", "nboard": "go"}[protocol]
    lines = log.read_text().splitlines()
    after = lines[[line.split(" ", 1)[-1] == question for line in lines].index(True) + 1]
    assert re.fullmatch({"gtp": r"\d+ name", "nboard": r"ping \d+"}[protocol], after)


@both
def test_programs_are_told_when_nobody_wants_their_answer(protocol: str) -> None:
    """Ours think for an hour unless they are told; they answer with what they have, and to the next question too."""
    engine = through(ENDLESS, protocol)
    for position in (START, START.play("f5")):
        with stoppable(lambda: True):
            assert engine.choose(position).move in position.moves
    engine.close()


def test_a_program_that_reports_and_does_not_answer() -> None:
    says = "pong 1\\npong 2\\nsearch f5d6 3 0 7\\npong 3\\n"
    player = NBoardPlayer(f"sh -c 'printf \"{says}\"; cat >/dev/null'", timeout=PATIENCE)
    with stoppable(lambda: True):
        decision = player.choose(START)
    assert (str(decision.move), decision.depth, decision.finished) == ("f5", 7, False)
    player.close()
    silent = NBoardPlayer("sh -c 'printf \"pong 1\\npong 2\\npong 3\\n\"; cat >/dev/null'", timeout=PATIENCE)
    with stoppable(lambda: True), pytest.raises(Stopped, match="had found no move"):
        silent.choose(START)
    silent.close()
