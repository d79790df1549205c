"""Games in the terminal: the game on the table, a scripted person, and real processes with a terminal of their own."""

import fcntl
import io
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.agents import Agent
from outflank.agents.levels import levels
from outflank.arena.openings import open_game
from outflank.board import Color, Position, Rules
from outflank.errors import BadNotation, BadRules, BadSpec, OutflankError
from outflank.formats import read, read_ggf, read_sgf, read_transcript, write_ggf
from outflank.game import Game, Termination
from outflank.interfaces import preparing
from outflank.interfaces.preparing import Step
from outflank.interfaces.terminal.board import Board
from outflank.interfaces.terminal.commands import COMMANDS
from outflank.interfaces.terminal.screen import Screen, screen
from outflank.interfaces.terminal.seats import read_seat
from outflank.interfaces.terminal.session import Session, Setting
from support import PATIENCE, hear_ctrl_c

START_4 = Position.start(Rules(4))
MUST_PASS = "XXXXOOOXOOXXOO-- X"
"""Black must pass; white can play."""


# --- the game on the table --------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.sampled_from(["play", "play", "play", "undo", "redo"]), max_size=60), st.randoms())
def test_undo_and_redo_keep_the_line(acts, rng) -> None:  # type: ignore[no-untyped-def]
    game, line, place = Board(Game(START_4)), list[int](), 0
    for act in acts:
        if act == "play" and not game.game.over:
            move = rng.choice(game.position.moves)
            game.play(move)
            line = line if line[place : place + 1] == [move] else [*line[:place], move]
            place += 1
        elif act == "undo" and place:
            game.undo()
            place -= 1
        elif act == "redo" and place < len(line):
            game.redo()
            place += 1
        assert game.game.moves == tuple(line[:place])
        assert game.position == Game.of(START_4, line[:place]).end


def test_nothing_to_take_back_or_to_play_again() -> None:
    game = Board(Game(START_4))
    with pytest.raises(OutflankError, match="no move to take back"):
        game.undo()
    with pytest.raises(OutflankError, match="no move to play again"):
        game.redo()
    game.play("b1")
    with pytest.raises(OutflankError, match="no move to take back"):
        game.undo(lambda position: position.turn is Color.WHITE)


def test_undo_and_redo_go_to_where_they_are_wanted() -> None:
    game = Board(read_transcript("b1a1a2c1", START_4))
    game.undo(lambda position: position.turn is Color.BLACK)
    assert len(game.game) == 2
    game.redo(lambda position: position.turn is Color.WHITE)
    assert len(game.game) == 3
    game.redo(lambda position: False)
    assert len(game.game) == 4


def test_the_last_move_and_what_it_turned() -> None:
    game = Board(Game(START_4))
    assert game.last is None and not game.turned
    game.play("b1")
    assert game.last == 1 and game.turned == (5,)
    passed = Board(Game(Position.parse(MUST_PASS)))
    passed.play("pass")
    assert passed.last is None and not passed.turned


def test_resigning_ends_a_game_and_can_be_taken_back() -> None:
    game = Board(Game.of(START_4, [1]))
    game.resign()
    assert game.game.winner is Color.BLACK and game.game.result == "black wins, 4 to 1 (resigned: white)"
    [written] = read_ggf(write_ggf(game.game))
    assert (written.score, written.termination, written.moves) == (16, Termination.RESIGNED, (1,))
    with pytest.raises(OutflankError, match="the game is over: black wins"):
        game.play("a1")
    with pytest.raises(OutflankError, match="the game is over: black wins"):
        game.resign()
    game.undo()
    assert not game.game.over and len(game.game) == 1


def test_results_in_words() -> None:
    board = Position.parse("XXXX--------OO-- X")
    assert Game.of(board).result == "black wins, 4 to 2"
    assert Game.of(board.with_variant("reversed")).result == "white wins, 4 to 2"
    assert Game.of(Position.parse("XX----------OO-- X")).result == "a draw, 2 to 2"
    assert Game(START_4).result == ""


def test_games_from_texts_and_files(tmp_path: Path) -> None:
    assert open_game("start", None, "reversed").start.rules == Rules(8, "reversed")
    assert open_game("b1a1", 4, "standard", 0).moves == (1, 0)
    assert open_game(MUST_PASS).start == Position.parse(MUST_PASS)
    drawn = open_game("random(5)", 6, "standard", 3)
    assert len(drawn) == 5 and drawn.moves != open_game("random(5)", 6, "standard", 4).moves
    with pytest.raises(BadNotation, match="4x4 squares; expected 6x6"):
        open_game(MUST_PASS, 6, "standard", 0)
    game = Game.of(Position.start(Rules(6, "reversed")), [8], black="Zoë")
    file = tmp_path / "game.ggf"
    file.write_text(write_ggf(game), encoding="latin-1")
    back = read(file)
    assert (back.start, back.moves) == (game.start, game.moves)
    file.write_text("good evening")
    with pytest.raises(OutflankError, match=r"game\.ggf: 'good evening' is neither"):
        read(file)


def test_transcripts_begin_with_an_unusual_position() -> None:
    assert Game.of(START_4, [1, 0]).transcript == "b1a1"
    unusual = Game.of(Position.parse(MUST_PASS), [16, 15])
    assert unusual.transcript == f"{MUST_PASS} d4"
    assert open_game(unusual.transcript).moves == unusual.moves


def test_seats_by_person_level_and_agent() -> None:
    assert read_seat("Person", Rules(8)).player is None
    weakest = levels()[0]
    assert read_seat(weakest.name.lower(), Rules(8)).name == weakest.name
    assert read_seat("minimax(depth=2)", Rules(8)).name == "minimax(depth=2)"
    with pytest.raises(BadSpec, match=f"neither person nor a level .*{weakest.name}.*no agent is called 'nobody'"):
        read_seat("nobody", Rules(8))


def test_a_level_changes_its_agent_with_the_board() -> None:
    strongest = levels()[-1]
    seat = read_seat(strongest.name, Rules(8))
    for rules, text in ((Rules(8), strongest.text), (Rules(12), strongest.elsewhere), (Rules(8), strongest.text)):
        seat.begin(rules)
        assert seat.player is not None and seat.player.label == text


# --- sessions with a scripted person ----------------------------------------------------------------------------


class Script(Screen):
    """A person who types these lines and then leaves by Ctrl-D; `said` is what they saw."""

    def __init__(self, *lines: str) -> None:
        self.lines, self.said, self.prompts = iter(lines), list[str](), list[str]()

    def say(self, text: str) -> None:
        self.said.append(text)

    def ask(self, prompt: str) -> str:
        self.prompts.append(prompt)
        line = next(self.lines, None)
        if line is None:
            raise EOFError
        return line

    @property
    def text(self) -> str:
        return "\n".join(self.said)


def session(*lines: str, black: str = "person", white: str = "greedy", **setting: object) -> tuple[Session, Script]:
    script = Script(*lines)
    chosen = Setting(**({"size": 4} | setting))  # type: ignore[arg-type]
    game = chosen.game()
    played = Session(script, chosen, (read_seat(black, game.rules), read_seat(white, game.rules)), game)
    played.play()
    return played, script


def test_an_agent_answers_and_undo_comes_back_to_the_person() -> None:
    played, script = session("b1", "undo", "redo", "moves")
    assert len(played.board.game) == 2 and played.board.position.turn is Color.BLACK
    assert script.text.count("white (greedy) plays") == 1, "redo does not ask the agent again"
    assert script.said[-1].startswith("The game so far: b1") and script.prompts == ["black"] * 5


def test_a_person_alone_and_the_agent_with_black() -> None:
    alone, script = session("b1", "undo", black="person", white="person")
    assert len(alone.board.game) == 0 and script.prompts == ["black", "white", "black"]
    answered, script = session("undo", black="greedy", white="person")
    assert len(answered.board.game) == 1 and "! there is no move to take back" in script.text


def test_passes_happen_and_are_announced() -> None:
    played, script = session("pass", black="person", white="person", size=None, opening=MUST_PASS)
    assert "black has no legal move and passes" in script.text
    assert "! white cannot play pass; legal: c4 d4" in script.text and len(played.board.game) == 1
    assert played.board.game.transcript == MUST_PASS


def test_two_agents_step_and_run() -> None:
    played, script = session("", "", "b4", "run", black="uct(playouts=9)", seed=2)
    assert played.board.game.over and script.prompts[:2] == ["Enter: uct(playouts=9)", "Enter: greedy"]
    assert "! it is the turn of black, which is uct(playouts=9); Enter lets it think" in script.text
    assert f"game over: {played.board.game.result}" in script.text and script.prompts[-1] == "game over"
    again, _ = session("run", black="uct(playouts=9)", seed=2)
    assert again.board.game.moves == played.board.game.moves, "the seed decides"


def test_sides_can_be_changed_in_mid_game() -> None:
    played, script = session("b1", "flip", "black", "white nobody", "white person")
    assert [seat.name for seat in played.seats] == ["greedy", "person"]
    assert "! who plays black?" in script.text and "! 'nobody' is neither" in script.text
    played, _ = session("white heuristic", "b1")
    assert played.seats[1].name == "heuristic" and len(played.board.game) == 2


def test_save_load_and_new(tmp_path: Path) -> None:
    file = tmp_path / "a game.ggf"
    played, script = session("b1", f"save {file}", "new", f"save {file}", f"load {file}", "save", "load nothing.ggf")
    [written] = read_ggf(file.read_text())
    assert written.black == "you" and written.white == "greedy" and written.moves == played.board.game.moves
    session("b1", f"save {tmp_path / 'club.sgf'}")
    assert [str(game.moves[0]) for game in read_sgf((tmp_path / "club.sgf").read_text())] == ["b1"]
    assert f"! there is already a file {file}" in script.text, "it belongs to another game"
    assert "! which file?" in script.text and "! cannot use nothing.ggf: No such file" in script.text
    assert played.setting.seed == 1


def test_bad_input_changes_nothing() -> None:
    bad = [
        "f9",
        "a1",
        "foo",
        "re",
        "re x",
        "pass",
        "run",
        "redo",
        "undo",
        "analyse x",
        "analyse 0",
        "save",
        "load .",
        "42",
    ]
    played, script = session(*bad)
    complaints = [line for line in script.said if line.startswith("! ")]
    assert len(complaints) == len(bad) and len(played.board.game) == 0
    assert complaints[:3] == [
        "! 'f9' is not a square of a 4x4 board; expected a1 to d4",
        "! black cannot play a1; legal: b1 a2 d3 c4",
        "! 'foo' is neither a square nor a command; help lists them",
    ]
    assert "did you mean redo or resign?" in complaints[3]


def test_hint_and_analysis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outflank.interfaces.terminal.commands._HINT_SECONDS", PATIENCE)  # it ends when all is exact
    near_the_end = "OX-OXOO-XXXXXXX- O"
    _, script = session("hint", "analyse", "an 1", white="person", opening=near_the_end)
    assert "try c1: +2 discs, exact, expecting c1" in script.text
    tables = [line for line in script.said if line.startswith("Every move of white")]
    assert len(tables) == 2 and all("d4    -6 discs, exact" in table for table in tables)
    monkeypatch.setattr("outflank.interfaces.terminal.commands._HINT_SECONDS", 0.001)
    _, script = session("hint", "analyse 0.001", white="person", size=8, opening="start")
    assert re.search(r"try [a-h]\d: about [-+]?[\d.]+ discs?, depth \d+ at 73 %, expecting", script.text)
    assert re.search(r"^[a-h]\d\s+about [-+]?[\d.]+ discs?\s+depth \d+ at 73 %", script.text, re.MULTILINE)
    _, over = session("resign", "hint", "analyse", "resign", "b1", "", "quit", "hint")
    assert (
        over.text.count("! the game is over: white wins, 2 to 2 (resigned: black)") == 4
        and over.prompts[-1] == "game over"
    )


def test_help_names_every_command_and_agents_every_level() -> None:
    _, script = session("help", "agents", "h", "?", "q")
    for name in (*COMMANDS, *(level.name for level in levels())):
        assert re.search(rf"^{name}\b", script.text, re.MULTILINE), name
    assert "did you mean hint or help?" in script.text and "'?' is neither" in script.text
    assert script.said[-1] == "Good bye."


def test_an_agent_that_fails_leaves_the_person_in_charge() -> None:
    played, script = session("b1", "", "undo", white="players_of_people:Raising")
    assert script.text.count("! white (players_of_people:Raising) failed: ZeroDivisionError: one of those days") == 2
    assert len(played.board.game) == 0


@pytest.mark.parametrize("quiet", [0.0, 1e9])
def test_preparing_is_said_once_and_only_when_it_takes_long(monkeypatch: pytest.MonkeyPatch, quiet: float) -> None:
    def prepare(*_: object) -> Iterator[Step]:
        for step in range(3):
            yield f"part {step}", step, 3
            time.sleep(0 if quiet else 0.2)

    monkeypatch.setattr(Agent, "prepare", prepare)
    monkeypatch.setattr(preparing, "QUIET_SECONDS", quiet)
    _, script = session("b1", "", white="greedy", black="greedy")
    assert script.said.count("preparing (first time only)") == (0 if quiet else 1)


def test_ctrl_c_stops_a_single_step_and_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Agent, "think", interrupted)
    played, script = session("", "run", "moves", black="heuristic")
    assert script.text.count("black (heuristic) is stopped; Enter lets it go on") == 2
    assert "no moves yet" in script.text and len(played.board.game) == 0


def test_settings_that_are_not_possible() -> None:
    with pytest.raises(BadRules):
        Setting(size=5)
    with pytest.raises(BadRules):
        Setting(variant="upside-down")  # type: ignore[arg-type]


def test_a_pipe_gets_plain_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert type(screen()) is Screen


# --- real processes in a real terminal --------------------------------------------------------------------------

_CODES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal:
    """A process with a terminal of its own: what it writes, and keys to press."""

    def __init__(self, master: int, process: subprocess.Popen[bytes]) -> None:
        self._master, self.process = master, process
        self.raw = ""
        self._seen = 0

    def until(self, text: str, seconds: float = PATIENCE) -> str:
        """What is written from the last time on until this text comes, without control codes."""
        deadline = time.monotonic() + seconds
        while (found := self._fresh().find(text)) < 0:
            assert time.monotonic() < deadline, f"{text!r} did not come; the end was {self._fresh()[-2000:]!r}"
            self._read(deadline)
        fresh = self._fresh()
        self._seen += found + len(text)
        return fresh[: found + len(text)]

    def _fresh(self) -> str:
        return _CODES.sub("", self.raw)[self._seen :]

    def _read(self, deadline: float) -> None:
        ready, _, _ = select.select([self._master], [], [], max(0, deadline - time.monotonic()))
        if ready:
            try:
                self.raw += os.read(self._master, 65536).decode()
            except OSError:  # the other end is closed
                time.sleep(0.05)

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def type(self, line: str) -> None:
        self.press(line + "\n")

    def interrupt_the_prompt(self) -> None:
        """Ctrl-C until the process ends: one in the very moment before Python waits for a key is not heard."""
        while self.process.poll() is None:
            self.press("\x03")
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=20)  # a second one would meet the farewell of the first

    def ended(self) -> int:
        return self.process.wait(timeout=PATIENCE)


@contextmanager
def terminal(*args: str, **env: str) -> Iterator[Terminal]:
    """`outflank play --terminal` with a terminal of its own."""
    master, slave = pty.openpty()

    def take_the_terminal() -> None:
        hear_ctrl_c()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    fcntl.ioctl(slave, termios.TIOCSWINSZ, b"\x28\x00\x64\x00\x00\x00\x00\x00")  # 40 lines of 100
    without = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    with subprocess.Popen(
        [sys.executable, "-m", "outflank", "play", "--terminal", *args],
        stdin=slave, stdout=slave, stderr=slave, start_new_session=True, preexec_fn=take_the_terminal,
        env=without | {"TERM": "xterm-256color", "PYTHONUTF8": "1"} | env,
    ) as process:  # fmt: skip
        os.close(slave)
        try:
            yield Terminal(master, process)
        finally:
            process.kill()
            os.close(master)


@pytest.mark.compiled
def test_a_whole_game_with_undo_hint_save_and_load(tmp_path: Path) -> None:
    file = tmp_path / "game.ggf"
    with terminal("--size", "4", "--white", "greedy") as person:
        person.until("black> ")
        person.type("nonsense")
        assert "neither a square nor a command" in person.until("black> ")
        person.type("hint")
        assert "exact" in person.until("black> ")
        position, undone = START_4, False
        while not position.is_over:
            assert position.turn is Color.BLACK
            person.type(str(position.moves[0]))
            seen = person.until("> ")
            while not seen.endswith(("black> ", "game over> ")):
                seen += person.until("> ")
            if not undone:
                undone = True
                person.type("undo")
                person.until("black> ")
                continue
            position = position.play(position.moves[0])
            for reply in re.findall(r"plays ([a-d][1-4])|has no legal move and (pass)", seen):
                position = position.play("".join(reply))
        black, white = position.discs(Color.BLACK), position.discs(Color.WHITE)
        assert f"{black} to {white}" in seen and "\x1b[" in person.raw
        person.type(f"save {file}")
        person.until("saved as")
        person.type(f"load {file}")
        person.until("game over> ")
        person.type("quit")
        person.until("The game so far: ")
        assert person.ended() == 0
    [written] = read_ggf(file.read_text())
    assert Game.of(written.start, written.moves).end == position and written.white == "greedy"


@pytest.mark.compiled
def test_without_colours_there_are_no_control_codes() -> None:
    with terminal("--size", "4", "--black", "heuristic", "--white", "greedy", NO_COLOR="1") as person:
        person.until("Enter: heuristic> ")
        person.type("")
        seen = person.until("Enter: greedy> ")
        assert re.search(r"^1 [-.XO(]", seen, re.MULTILINE) and "black X " in seen
        person.type("run")
        assert "game over: " in person.until("game over> ")
        person.press("\x04")
        person.until("The game so far: ")
        assert person.ended() == 0 and "\x1b" not in person.raw


@pytest.mark.compiled
@pytest.mark.parametrize("colour", [True, False])
def test_the_first_move_on_a_new_machine_is_prepared(tmp_path: Path, colour: bool) -> None:
    environment = {"OUTFLANK_CACHE_DIR": str(tmp_path)} | ({} if colour else {"NO_COLOR": "1"})
    with terminal("--size", "4", "--white", "heuristic", **environment) as person:
        person.until("black> ")
        person.type("b1")
        person.until("preparing (first time only)")
        person.until("white (heuristic) plays")
        person.until("black> ")
        assert person.raw.count("preparing (first time only)") == 1 or colour, "the bar is drawn many times"
        person.type("quit")
        person.until("The game so far: ")
        assert person.ended() == 0


@pytest.mark.compiled
def test_ctrl_c_stops_a_thinking_agent_and_leaves_at_the_prompt() -> None:
    with terminal("--size", "6", "--white", "uct(seconds=600)") as person:
        person.until("black> ")
        person.type("c2")
        person.until("thinks: ")
        person.press("\x03")
        person.until("is stopped; Enter lets it go on")
        person.type("undo")
        person.until("black> ")
        person.interrupt_the_prompt()
        person.until("Good bye.")
        assert person.ended() == 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--size", "6"], "--size needs --terminal"),
        (["--terminal", "--port", "1"], "--port does not go with --terminal"),
        (["--terminal", "--white", "nobody"], "'nobody' is neither person nor a level"),
        (["--terminal", "--openings", "z9"], "z9"),
        (["--terminal", "--load", "nothing.ggf"], "cannot use nothing.ggf"),
        (["--terminal", "--size", "5"], "board size 5 is not possible"),
    ],
)
def test_bad_options_are_explained(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    from outflank.interfaces.cli import main

    assert main(["play", *args]) == 2
    assert message in capsys.readouterr().err
