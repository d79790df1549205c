"""Bots as people hand them in: the interfaces of courses and judges, and a tournament with ten that break the rules."""

import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import bad_bots
from outflank.agents import agent, canonical, check_agent, identity
from outflank.agents.names import short_name
from outflank.arena.store import Store
from outflank.board import Position, Rules
from outflank.bots import BotPlayer
from outflank.bots.directory import bots_in
from outflank.engines.sandbox import FENCES, Fence
from outflank.errors import BadSpec, EngineFailed
from outflank.game import Game, Termination
from outflank.game_loop import TimeControl, play_game
from outflank.interfaces.cli import main
from outflank.report.lost import worst_moves
from outflank.search.limits import Limits
from support import PATIENCE, PERFECT_GAME, ROOT
from test_sandbox import command_lines, works

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bots need Linux")
HERE = Path(__file__).parent / "bots"
SAMPLES = ROOT / "examples" / "bots"
CS303 = f'cs303(file="{HERE}/cs303_corners.py", name="Ada")'
TJHSST = f'tjhsst(file="{HERE}/tjhsst_strategy.py", name="Bob")'
SCRIPT = f'tjhsst(cmd="{sys.executable} {HERE}/tjhsst_script.py", name="Cyd")'
BOTZONE = f'botzone(cmd="{sys.executable} {HERE}/botzone_reversi.py", name="Dan")'
LONG = f'botzone(cmd="{sys.executable} {HERE}/botzone_reversi.py long", keep_running=yes, name="Eve")'
SAMPLE = f'stdio(cmd="{sys.executable} {SAMPLES}/greedy.py", name="Fay")'
PATIENT = Limits(seconds=PATIENCE)


@pytest.fixture(params=FENCES)
def fence(request: pytest.FixtureRequest) -> Fence:
    return works(request.param)


def played(black: str, white: str, rules: Rules | None = None, limits: Limits = PATIENT, opening: str = "") -> Game:
    first, second = agent(black), agent(white)
    try:
        return play_game(first, second, Game.of(Position.start(rules or Rules()), opening), seed=1, limits=limits)
    finally:
        first.close()
        second.close()


# --- interfaces -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bot", [CS303, TJHSST, BOTZONE, LONG, SAMPLE], ids=short_name)
def test_bots_play_whole_games_with_both_colours(bot: str) -> None:
    for black, white in ((bot, "random"), ("random", bot)):
        game = played(black, white, opening=PERFECT_GAME[:90] if bot == BOTZONE else "f5d6c3")
        assert game.termination is Termination.NORMAL, game.reason


def test_bots_play_each_other_under_each_fence(fence: Fence) -> None:
    black, white = (f"{text[:-1]}, sandbox={fence})" for text in (CS303, TJHSST))
    assert played(black, white).termination is Termination.NORMAL


def test_a_script_is_asked_with_board_and_token(tmp_path: Path) -> None:
    position = Position.after("f5d6")
    player = agent(SCRIPT)
    expected = max(int(move) for move in position.moves)
    assert player.choose(position, PATIENT).move == expected
    slow = tmp_path / "slow.py"
    slow.write_text("import time\nprint('I think of', 19, flush=True)\ntime.sleep(60)\n")
    text = f'tjhsst(cmd="{sys.executable} {slow}")'
    assert agent(text).choose(Position.start(), Limits(seconds=2)).move == 19, "what was printed in time counts"
    slow.write_text("print('no idea')\n")
    with pytest.raises(EngineFailed, match="printed no move"):
        agent(text).choose(Position.start(), PATIENT)


@pytest.mark.parametrize(
    ("interface", "code"),
    [
        (
            "cs303",
            "class AI:\n"
            "    def __init__(self, size, color, time_out): self.candidate_list = []\n"
            "    def go(self, board):\n"
            "        self.candidate_list.extend([(2, 3), (3, 2)])\n"
            "        while True: pass\n",
        ),
        (
            "tjhsst",
            "class Strategy:\n"
            "    def best_strategy(self, board, player, best_move, still_running, time_limit):\n"
            "        best_move.value = 19\n"
            "        best_move.value = 26 if still_running.value and time_limit else 0\n"
            "        while True: pass\n",
        ),
    ],
)
def test_the_best_answer_so_far_counts_when_time_runs_out(interface: str, code: str, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(code)
    player = agent(f'{interface}(file="{bot}")')
    player.new_game()
    try:
        for _ in range(2):  # the second time in the process that took over
            assert str(player.choose(Position.start(), Limits(seconds=1)).move) == "c4"
    finally:
        player.close()
    assert not command_lines(str(bot))


def test_a_strategy_is_told_before_its_time_ends(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "class Strategy:\n"
        "    def best_strategy(self, board, player, best_move, still_running):\n"
        "        while still_running.value: pass\n"
        "        best_move.value = 26\n"
    )
    player = agent(f'tjhsst(file="{bot}")')
    player.new_game()
    before = player.player._process  # type: ignore[attr-defined]
    assert str(player.choose(Position.start(), Limits(seconds=1)).move) == "c4"
    assert player.player._process in (before, None)  # type: ignore[attr-defined]
    player.close()


def test_a_long_run_is_one_process_and_short_ones_are_told_what_they_kept() -> None:
    longs, shorts = agent(LONG), agent(BOTZONE)
    game = Game.of(None, "f5")
    long_player, short_player = longs.player, shorts.player
    assert isinstance(long_player, BotPlayer) and isinstance(short_player, BotPlayer)
    for player in (longs, shorts):
        player.new_game()
    first = long_player._process
    try:
        for _ in range(3):
            answers = []
            for player in (longs, shorts):
                player.follow(game)
                answers.append(player.choose(game.end, PATIENT).move)
            assert answers[0] == answers[1], "both forms play the same"
            game = game.play(answers[0])
            game = game.play(game.end.moves[0])
        assert first is not None and long_player._process is first
        assert short_player._process is None and short_player._kept == {"data": "3"}  # type: ignore[attr-defined]
    finally:
        longs.close()
        shorts.close()


def test_samples_in_three_languages_play_the_same(tmp_path: Path) -> None:
    commands = [f"{sys.executable} {SAMPLES}/greedy.py"]
    if shutil.which("cc"):
        subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-o", tmp_path / "greedy", SAMPLES / "greedy.c"], check=True)
        commands.append(str(tmp_path / "greedy"))
    if shutil.which("node"):
        commands.append(f"node {SAMPLES}/greedy.js")
    for rules in (Rules(8), Rules(6, "reversed")):
        games = [played(f'stdio(cmd="{one}")', "greedy(ties=first)", rules) for one in commands]
        assert {game.termination for game in games} == {Termination.NORMAL}, [game.reason for game in games]
        assert len({game.moves for game in games}) == 1


@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        ("class AI:\n    pass", "failure", "has no class AI with a method go"),
        ("import nothing_of_that_name", "failure", "cannot be loaded: ModuleNotFoundError"),
        ("def f(:", "failure", "cannot be loaded: SyntaxError"),
        ("import sys; sys.exit(2)", "failure", "cannot be loaded: SystemExit"),
        ("go = 'pass'", "failure", "chose no move"),
        ("go = '1/0'", "crash", "ZeroDivisionError: division by zero (line 4 of bot.py)"),
        ("go = 'raise SystemExit(1)'", "crash", "SystemExit"),
        ("go = 'self.candidate_list.append((9, 9))'", "failure", "answered [9, 9]; expected row and column"),
        ("go = 'self.candidate_list.append(\"d3\")'", "crash", "ValueError"),
    ],
)
def test_what_a_bot_breaks_is_explained(code: str, kind: str, said: str, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    if code.startswith("go = "):
        body = code.removeprefix("go = ").strip("'")
        code = (
            f"class AI:\n    def __init__(self, *_): self.candidate_list = []\n    def go(self, board):\n        {body}"
        )
    bot.write_text(code)
    player = agent(f'cs303(file="{bot}")')
    player.new_game()
    try:
        with pytest.raises(EngineFailed) as failed:
            player.choose(Position.start(), PATIENT)
    finally:
        player.close()
    assert failed.value.kind == kind and said in str(failed.value), str(failed.value)


def test_a_clock_for_the_game_leaves_a_bot_its_time_for_a_move_and_no_more() -> None:
    control = TimeControl(move_seconds=1, game_seconds=PATIENCE)
    bot = agent('stdio(cmd="sleep 60")')
    try:
        game = play_game(bot, agent("random"), Position.start(), control=control)
    finally:
        bot.close()
    assert game.termination is Termination.TIMEOUT and "no answer within 1 s" in game.reason


# --- texts ------------------------------------------------------------------------------------------------------------


def test_bots_have_names_and_are_known_by_their_files(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("class AI: pass")
    text = f'cs303(file="{bot}", name="Ada")'
    first = identity(text)
    assert short_name(first) == "Ada" and short_name(canonical(f'cs303(file="{bot}")')).startswith("cs303(file=")
    bot.write_text("class AI: ...")
    assert identity(text) != first, "another content is another behaviour"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cs303", 'cs303 needs one bot; expected cs303(file="…")'),
        ('tjhsst(file="a.py", cmd="b")', "tjhsst needs one bot"),
        ('cs303(file="/no/such/bot.py")', "there is no file"),
        (f'cs303(file="{HERE}/cs303_corners.py", needs=["nowhere"])', "is not there"),
        ('stdio(cmd="cat", memory=1)', "expected a number from 16"),
        ('stdio(cmd="cat", sandbox=yes)', "expected auto | bubblewrap | limits"),
        ('stdio(cmd="")', "not empty"),
    ],
)
def test_texts_that_describe_no_bot_are_explained(text: str, said: str) -> None:
    with pytest.raises(BadSpec) as refused:
        agent(text)
    assert said in str(refused.value)


def test_bots_are_asked_on_the_boards_of_their_interface_alone() -> None:
    with pytest.raises(BadSpec, match="plays on 8x8 only"):
        agent(TJHSST).check_rules(Rules(6))
    with pytest.raises(BadSpec, match="expected standard"):
        agent(BOTZONE).check_rules(Rules(8, "reversed"))
    agent(CS303).check_rules(Rules(6, "reversed"))


def test_check_examines_a_bot_and_shows_what_it_prints(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    report = check_agent(TJHSST, positions=2, seconds=PATIENCE)
    assert report.ok and report.decisions == 8 and any("not made for standard 4x4" in note for note in report.notes)
    told_moves = check_agent(BOTZONE, positions=3, seconds=PATIENCE)
    assert told_moves.ok and told_moves.decisions == 6, str(told_moves)
    bot = tmp_path / "bot.py"
    bot.write_text("class Strategy:\n    def best_strategy(self, *_): print('I give up')")
    assert main_code("check", f'tjhsst(file="{bot}")', "--size", "8", "--printed") == 1
    said = capfd.readouterr().out
    assert "breaks the contract" in said and "chose no move" in said and "I give up" in said


@pytest.mark.parametrize(
    ("file", "source", "text"),
    [
        ("ada.py", "class AI: ...", 'cs303(file="{}")'),
        ("bob.py", "class Strategy: ...", 'tjhsst(file="{}")'),
        ("eve.py", "class Eve:\n    def choose(self, position): ...", "eve:Eve"),
        ("dan.js", "", 'stdio(cmd="node {}")'),
        ("bots/dora", "", 'stdio(cmd="{}")'),
    ],
)
def test_who_names_a_file_is_told_the_text_of_its_bot(file: str, source: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(source)
    with pytest.raises(BadSpec, match="is a file; as an agent it is") as refused:
        agent(str(path))
    assert repr(text.format(path)) in str(refused.value)
    with pytest.raises(BadSpec, match="there is no file"):
        agent(str(tmp_path / "nobody.py"))


def test_a_program_that_does_not_flush_is_told_so() -> None:
    silent = f"stdio(cmd=\"{sys.executable} -c 'import time; time.sleep(60)'\", seconds=0.1)"
    report = check_agent(silent, rules=[Rules(4)], positions=2, seconds=0.1)
    assert len(report.problems) == 1 and "does it flush its output" in report.problems[0]
    assert report.problems[0].endswith("and 1 other position")


def main_code(*arguments: str) -> object:
    try:
        return main(list(arguments))
    except SystemExit as end:
        return end.code


# --- tournaments ------------------------------------------------------------------------------------------------------


def test_a_directory_of_bots_is_recognised(tmp_path: Path) -> None:
    for file in HERE.glob("*.py"):
        shutil.copy(file, tmp_path)
    shutil.copy(SAMPLES / "greedy.py", tmp_path)
    shutil.copy(SAMPLES / "greedy.js", tmp_path / "script.js")
    (tmp_path / "team").mkdir()
    shutil.copy(HERE / "cs303_corners.py", tmp_path / "team" / "ai.py")
    (tmp_path / "README.md").write_text("not a bot")
    (tmp_path / "_helper.py").write_text("not a bot")
    texts = bots_in(tmp_path, names={"team": "The Team"})
    kinds = {short_name(text): text.partition("(")[0] + (" cmd" if "cmd=" in text else "") for text in texts}
    assert kinds == {
        "botzone_reversi": "botzone cmd",
        "cs303_corners": "cs303",
        "greedy": "stdio cmd",
        "script": "stdio cmd",
        "The Team": "cs303",
        "tjhsst_script": "tjhsst cmd",
        "tjhsst_strategy": "tjhsst",
    }
    for text in texts:
        assert canonical(canonical(text)) == canonical(text), "also the files that it needs"
        agent(text).close()
    with pytest.raises(BadSpec, match="there is no bot 'tem', did you mean team"):
        bots_in(tmp_path, names={"tem": "The Team"})


def test_three_courses_and_ten_bad_bots_in_one_tournament(
    fence: Fence, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every bad bot loses all of its games by its own reason, the good ones win, and nothing is left."""
    written, class_ = tmp_path / "written", tmp_path / "class"
    class_.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        bad_bots.write_all(class_, written, server.getsockname()[1])
        good = [f"{text[:-1]}, sandbox={fence})" for text in (CS303, TJHSST, LONG)]
        lines = [
            f"agents = {json.dumps(good)}",
            'bots = "class"',
            'format = "gauntlet"',
            f'sandbox = "{fence}"',
            "seconds = 2",
            "memory = 150",
            "pairs = 1",
        ]
        (tmp_path / "class.toml").write_text("\n".join(lines))
        command = ["tournament", str(tmp_path / "class.toml"), "--workers", "1", "--quiet", "--json"]
        assert main_code(*command, "--store", str(tmp_path / "class.db")) == 0
        with pytest.raises(BlockingIOError):
            server.accept()
    facts = json.loads(capfd.readouterr().out)
    points = {short_name(line["agent"]): line["points"] for line in facts["standings"]}
    assert points["Ada"] >= 20 and points["Ada"] + points["Bob"] + points["Eve"] == 24
    assert not any(points[name] for name in bad_bots.BODIES)
    found = {short_name(fault["agent"]): (fault["kind"], fault["games"], fault["reason"]) for fault in facts["faults"]}
    assert len(facts["faults"]) == len(found), "everybody has one fault"
    for name, (kind, reason) in bad_bots.REASONS.items():
        assert found[name][:2] == (kind, 2) and reason in found[name][2], (name, found[name])
    assert facts["bots_held_by"].startswith(fence)
    assert not written.exists() and not command_lines(str(tmp_path))
    with Store(tmp_path / "class.db") as store:
        assert {game.reason for game in store.games() if "had more than" in game.reason}, "exports have the reasons"


def test_a_class_plays_a_swiss_system_and_is_told_why_it_lost(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    class_ = tmp_path / "class"
    class_.mkdir()
    for file in ("cs303_corners.py", "tjhsst_strategy.py"):
        shutil.copy(HERE / file, class_)
    lines = [
        'bots = "class"',
        'agents = ["random"]',
        'format = "swiss"',
        "rounds = 2",
        "pairs = 1",
        "move_seconds = 60",
    ]
    (tmp_path / "class.toml").write_text("\n".join([*lines, 'names = {cs303_corners = "Ada"}']))
    command = ["tournament", str(tmp_path / "class.toml"), "--workers", "1", "--store", str(tmp_path / "class.db")]
    assert main_code(*command, "--quiet", "--report", str(tmp_path / "report")) == 0
    said = capfd.readouterr().out
    assert "Standings" in said and "Ada" in said and "bots held by: " in said
    page = (tmp_path / "report" / "report.md").read_text()
    assert "Standings" in page and "bots held by" in page
    with Store(tmp_path / "class.db") as store:
        games = list(store.games())
        assert len(games) == 4
        worst = list(worst_moves(games[:1], most=1, depth=1))
    assert worst and all(one.verdict.loss > 0 for one in worst)
    assert main_code(*command, "--quiet") == 0, "the same again plays nothing"
    assert len(capfd.readouterr().out.splitlines()) > 5
