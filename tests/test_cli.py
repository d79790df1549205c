"""The command line, in real processes."""

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from outflank import __version__
from outflank.arena.tournament import SETTINGS
from outflank.interfaces import cli
from outflank.interfaces.cli.parsers import RENAMED, commands_of
from outflank.kernels.jit import INTERPRETED
from outflank.studies.toml import PAIRING
from support import PATIENCE, PERFECT_GAME, hear_ctrl_c, refused, running

START_6 = "--------------OX----XO-------------- X"


def outflank(*args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([sys.executable, "-m", "outflank", *args], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def test_help_reads_well_and_loads_neither_numba_nor_numpy() -> None:
    script = (
        "import sys; from outflank.interfaces.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print([name for name in ('numba', 'numpy', 'rich') if name in sys.modules])"
    )
    for args in (["--help"], ["perft", "--help"], ["show", "--help"], ["bench", "--help"], ["--version"]):
        done = subprocess.run([sys.executable, "-c", script, *args], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "[]", args
    help_text = outflank("--help").stdout
    for word in ("show", "perft", "bench", "examples:", "4x4 to 16x16"):
        assert word in help_text
    assert max(map(len, help_text.splitlines())) <= 100
    assert outflank("--version").stdout.strip() == f"outflank {__version__}"


def test_import_is_light() -> None:
    script = "import sys, outflank; print([name for name in ('numba', 'numpy', 'rich') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout.strip() == "[]"


@pytest.mark.compiled
def test_a_decision_loads_no_linear_algebra_and_functions_of_people_may() -> None:
    script = """
import sys, numba, numpy
from outflank import Position, agent
print(agent("engine(depth=2)").choose(Position.start()).move, "scipy.linalg" in sys.modules)
print(numba.njit(lambda a: a @ a)(numpy.eye(3)).sum(), "scipy.linalg" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    move, product = done.stdout.splitlines()
    assert move.endswith("False") and product == "3.0 True", done.stderr


@pytest.mark.compiled
def test_ctrl_c_while_a_kernel_is_compiled_or_loaded_is_not_lost() -> None:
    """Noticed where LLVM calls Python back, it would be written to stderr and forgotten."""
    script = """
import signal, sys
import numba.core.codegen as codegen
library = codegen.JITCodeLibrary
asked = library._object_getbuffer_hook
def hook(module):
    signal.raise_signal(signal.SIGINT)
    return asked(module)
library._object_getbuffer_hook = staticmethod(hook)
from outflank.interfaces.cli import main
sys.exit(main(["move", "engine(seconds=3600)"]))
"""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=hear_ctrl_c, timeout=PATIENCE)
    assert done.returncode == 130 and done.stderr.endswith("outflank: interrupted\n"), done


def test_perft_ends_with_the_count_alone() -> None:
    assert outflank("perft", "--depth", "4").stdout == "244\n"
    lines = outflank("perft", "--size", "6", "--depth", "3", "--divide").stdout.splitlines()
    assert lines == ["c2: 14", "b3: 14", "e4: 14", "d5: 14", "56"]
    assert outflank("perft", "--depth", "0").stdout == "1\n"
    assert outflank("perft", "--depth", "0", "--divide").stdout == "1\n"


def test_perft_as_json() -> None:
    facts = json.loads(outflank("perft", "--position", START_6, "--depth", "3", "--divide", "--json").stdout)
    assert facts["count"] == 56 and facts["depth"] == 3 and facts["position"] == START_6
    assert facts["divide"] == {"c2": 14, "b3": 14, "e4": 14, "d5": 14}
    assert "divide" not in json.loads(outflank("perft", "--depth", "2", "--json").stdout)


def test_show_a_position() -> None:
    text = outflank("show", "--size", "6", "--variant", "reversed").stdout
    assert text == (
        "  a b c d e f\n1 - - - - - - 1\n2 - - . - - - 2\n3 - . O X - - 3\n"
        "4 - - X O . - 4\n5 - - - . - - 5\n6 - - - - - - 6\n  a b c d e f\n"
        "reversed 6x6: black to move\nlegal moves: c2 b3 e4 d5\n"
        "discs: black 2, white 2, empty 32\n"
    )


def test_show_replays_a_game(tmp_path: Path) -> None:
    svg = tmp_path / "board.svg"
    facts = json.loads(outflank("show", "--moves", PERFECT_GAME, "--json", "--out", str(svg)).stdout)
    assert facts["over"] and facts["winner"] is None and facts["discs"] == {"black": 32, "white": 32, "empty": 0}
    assert facts["moves"] == PERFECT_GAME and facts["legal"] == []
    assert svg.read_text().startswith("<svg")
    text = outflank("show", "--moves", PERFECT_GAME).stdout
    assert "game over, a draw" in text and "legal moves: none" in text
    won = outflank("show", "--position", "XXXX------------ O", "--variant", "reversed").stdout
    assert "game over, white wins" in won
    assert "score for black: -16, the empty squares counted for the winner" in won


def test_agents_are_listed_and_explained() -> None:
    text = outflank("agents").stdout
    for name in ("minimax(", "uct(", "solver(", "phan-synytsia-mcts(", "own_heuristic(", "positional(", "gtp("):
        assert name in text
    explained = outflank("agents", "minimax").stdout
    assert "depth: a whole number from 1 to 500. plies; 5 when no limit at all is given" in explained
    assert "eval: discs | corners" in explained and "default positional" in explained
    facts = json.loads(outflank("agents", "--json").stdout)
    assert {"agents", "evaluations", "playouts"} == set(facts)
    assert facts["agents"]["uct"]["options"][0]["name"] == "playouts"


def test_board_in_move_out() -> None:
    assert outflank("move", "minimax(depth=2, eval=discs)").stdout == "d3\n"
    facts = json.loads(outflank("move", "uct(playouts=30)", "--position", START_6, "--seed", "4", "--json").stdout)
    assert set(facts) >= {"move", "value", "nodes", "playouts", "depth", "seconds", "pv", "moves"}
    assert facts["playouts"] == 30 and facts["move"] in ("c2", "b3", "e4", "d5")
    assert sum(move["visits"] for move in facts["moves"]) == 30
    limited = json.loads(outflank("move", "minimax", "--moves", "f5d6", "--depth", "1", "--json").stdout)
    assert limited["depth"] == 1 and limited["seen_from"] == "black"
    assert outflank("move", "random", "--size", "4", "--variant", "reversed", "--seed", "1").stdout.strip() in (
        "b1", "a2", "d3", "c4",
    )  # fmt: skip


def test_solve_positions_and_files(tmp_path: Path) -> None:
    facts = json.loads(outflank("solve", "--size", "4", "--json").stdout)
    assert facts["score"] == -10 and facts["discs"] == -8 and facts["exact"] and facts["best"] in facts["pv"]
    assert {"nodes", "seconds"} <= set(facts)
    reversed_4 = json.loads(outflank("solve", "--size", "4", "--variant", "reversed", "--json").stdout)
    assert reversed_4["score"] == 4
    problems = tmp_path / "problems.obf"
    problems.write_text("% two\n-----OX--XO----- X; b1:-10;\n\nXXXXOOOXOOXXOO-- X; pass:+99;\n")
    lines = outflank("solve", str(problems)).stdout.splitlines()
    assert len(lines) == 2 and "as published" in lines[0] and "published +99" in lines[1]
    by_two = outflank("solve", str(problems), "--threads", "2").stdout.splitlines()
    assert [line.split()[:2] for line in by_two] == [line.split()[:2] for line in lines]
    stopped = outflank("solve", "--nodes", "1000").stdout
    assert stopped.startswith("not finished after")
    assert json.loads(outflank("solve", "--nodes", "1000", "--json").stdout)["exact"] is False


BAD = [
    [],
    ["reproduce", "tenchi"],
    ["reproduce", "tenshi", "--scale", "huge"],
    ["reproduce", "mine.toml"],
    ["reproduce", "--cell", "Table 9/4x4, depth 3/iterations 10"],
    ["reproduce", "--study", "tenshi", "--cell", "Table 99"],
    ["reproduce", "--study", "tenshi", "--cell", "Text/weighted against uniform/wins", "--games", "0"],
    ["reproduce", "--study", "he-reversed", "--cell", "Table 4/none/milliseconds"],
    ["reproduce", "tenshi", "--study", "tenshi", "--cell", "Text/weighted against uniform/wins"],
    ["study", "nowhere.toml"],
    ["study", "tenshi"],
    ["nonsense"],
    ["engine"],
    ["engine", "random"],
    ["engine", "random", "--protocol", "uci"],
    ["engine", "nobody", "--protocol", "gtp"],
    ["engine", "gtp(cmd=x, env=5)", "--protocol", "gtp"],
    ["label", "nowhere.txt", "--out", "labels"],
    ["label", "README.md", "--out", "labels", "--rules", "standard 5x5"],
    ["label", "README.md", "--out", "labels", "--form", "csv"],
    ["label", "tests/data/games.ggf", "--out", "labels", "--every", "0"],
    ["label", "tests/data/games.ggf", "--out", "labels", "--temperature", "-1"],
    ["label", "tests/data/games.ggf", "--out", "README.md"],
    ["perft"],
    ["perft", "--depth", "x"],
    ["perft", "--depth", "-1"],
    ["perft", "--depth", "2", "--size", "5"],
    ["perft", "--depth", "2", "--size", "18"],
    ["perft", "--depth", "2", "--size", "eight"],
    ["perft", "--depth", "2", "--position", "XO"],
    ["perft", "--depth", "2", "--position", ""],
    ["perft", "--depth", "2", "--position", START_6.replace("O", "Q", 1)],
    ["perft", "--depth", "2", "--position", START_6[:-1] + "?"],
    ["perft", "--depth", "2", "--position", START_6, "--size", "8"],
    ["perft", "--depth", "2", "--colour", "red"],
    ["show", "--size", "0"],
    ["show", "--variant", "anti"],
    ["show", "--moves", "a1"],
    ["show", "--moves", "f5f5"],
    ["show", "--moves", "f5pass"],
    ["show", "--moves", "f5d9"],
    ["show", "--moves", "f5 & d6"],
    ["show", "--moves", PERFECT_GAME + "a1"],
    ["show", "--position", "-" * 64],
    ["show", "--out", "/no/such/directory/board.svg"],
    ["show", "good evening"],
    ["show", "f5", "--position", START_6],
    ["show", "--out", "board.gif"],
    ["review"],
    ["review", "good evening"],
    ["review", "f5", "--seconds", "0"],
    ["review", "f5", "--workers", "0", "--games", "x"],
    ["analyse", "f5a1"],
    ["analyse", "--depth", "0"],
    ["analyse", "f5", "--agent", "minmax"],
    ["convert", "f5d6"],
    ["convert", "nowhere.sgf", "games.ggf"],
    ["convert", "nowhere.sgf", "games.ggf", "--form", "chess"],
    ["store", "/no/such/directory/games.db", "--import", __file__],
    ["bench", "--fast"],
    ["agents", "chess"],
    ["move"],
    ["move", "minmax"],
    ["move", "uct(playouts=0)"],
    ["move", "random", "--position", "XXXX------------ O"],
    ["move", "random", "--depth", "0"],
    ["move", "random", "--seed", "x"],
    ["solve", "/no/such/file.obf"],
    ["solve", __file__],
    ["solve", "x.obf", "--position", START_6],
    ["solve", "--by", "luck"],
    ["selfplay"],
    ["selfplay", "--rules", "standard", "--out", "x.txt"],
    ["selfplay", "--rules", "standard 8x9", "--out", "x.txt"],
    ["selfplay", "--out", "games.db"],
    ["selfplay", "--out", "/no/such/directory\0/x.txt"],
    ["learn", "patterns", "", "--out", "x.npz"],
    ["learn", "probcut", "."],
    ["selfplay", "--out", "x.txt", "--games", "0"],
    ["selfplay", "--out", "x.txt", "--games", "many"],
    ["selfplay", "--out", "x.txt", "--random", "20..0"],
    ["selfplay", "--out", "x.txt", "--random", "1..x"],
    ["selfplay", "--out", "x.txt", "--random", "0..60"],
    ["selfplay", "--out", "x.txt", "--seed", "-1"],
    ["selfplay", "--out", "x.txt", "--agent", "minmax"],
    ["selfplay", "--rules", "standard 12x12", "--out", "x.txt", "--agent", "minimax(depth=1, eval=patterns)"],
    ["selfplay", "--out", "x.txt", "--workers", "0"],
]


@pytest.mark.parametrize("args", BAD, ids=lambda args: " ".join(args)[:50] or "nothing")
def test_bad_input_is_explained_as_text_and_as_json(args: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    errors = refused(args, capfd)
    message = errors.strip().splitlines()[-1]
    assert message.startswith("outflank") and len(message) > 20
    told = (
        "expected",
        "required",
        "invalid",
        "unrecognized",
        "legal",
        "over",
        "does not fit",
        "No such",
        "choose",
        "known",
        "cannot use",
    )
    assert any(word in errors for word in told), f"{message!r} does not say what was expected: none of {told}"
    # Also of commands that do not exist and of those that have no --json: a program cannot know before.
    again = refused([*args, "--json"], capfd).strip().splitlines()[-1]
    assert again == message or "--json" in again


def test_an_option_means_the_same_in_every_command_and_file() -> None:
    """One name, one type: of all commands, and of the TOML keys that have the same name."""
    kinds: dict[str, dict[object, str]] = {}
    for command, parser in commands_of(cli._parser()):
        for action in parser._actions:
            for name in action.option_strings:
                takes: object = None if action.nargs == 0 else action.type or str
                kinds.setdefault(name, {})[takes] = command
    assert len(kinds) > 80
    assert {name: found for name, found in kinds.items() if len(found) > 1} == {}
    assert not set(RENAMED) & set(kinds) - {"--random", "--scale"}, "old names that are in use again"
    for option in (*SETTINGS.options, *PAIRING.options):
        words = option.type.words
        kind = int if words.startswith("a whole number") else float if words.startswith("a number") else str
        assert kinds.get(f"--{option.name.replace('_', '-')}", {kind: ""}).keys() == {kind}, option.name


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["show", "--svg", "board.svg"], "--svg is now --out"),
        (["match", "random", "greedy", "--limit=nodes=5"], "--limit is now --depth, --nodes, --playouts or --seconds"),
        (["bench", "--scale"], "--scale is now --stores"),
        (["learn", "cuda", "--out", "a.npz", "--plies", "2"], "--plies is now --depth"),
        (["play", "--terminal", "--opening", "f5"], "--opening is now --openings"),
        (["show", "--movs", "f5"], "did you mean --moves?"),
    ],
)
def test_old_names_are_refused_with_the_new_ones(args: list[str], told: str, capfd: pytest.CaptureFixture[str]) -> None:
    errors = refused(args, capfd)
    assert told in errors and errors.startswith(f"usage: outflank {args[0]}")


@pytest.fixture(scope="module")
def completion_script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("completion") / "outflank.bash"
    file.write_text(outflank("completion", "bash").stdout)
    return file


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sh", {"show"}),
        ("learn ", {"patterns", "generations", "td", "network", "cuda", "probcut", "opening"}),
        ("learn td --pat", {"--patterns"}),
        ("match mini", {"minimax"}),
        ("match minimax --stop-rule ", {"majority", "exceeder_loses"}),
        ("match minimax --stop-rule = m", {"majority"}),
        ("match a b --mov", {"--move-seconds"}),
        ("match a b --games ", set()),
        ("move random --variant r", {"reversed"}),
        ("review clu", {"club games.sgf"}),
        ("show --out clu", {"club games.sgf"}),
        ("engine random --protocol ", {"gtp", "nboard"}),
    ],
)
def test_bash_completes(line: str, expected: set[str], completion_script: Path) -> None:
    (completion_script.parent / "club games.sgf").touch()
    words = ["outflank", *line.split(" ")]
    asked = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _outflank; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(
        ["bash", "-c", asked, "bash", str(completion_script), *words],
        capture_output=True, text=True, cwd=completion_script.parent,
    )  # fmt: skip
    assert set(done.stdout.split("\n")) - {""} == expected and done.stderr == ""


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_scripts_of_other_shells_are_read_by_them(shell: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(outflank("completion", shell).stdout)
    assert "stop-rule" in script.read_text() and "minimax" in script.read_text()
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed: its script was made, and not read by it")
    done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_that_leaves_early_is_no_error() -> None:
    command = f"{sys.executable} -m outflank perft --depth 3 --divide | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout.strip() == "0" and done.stderr == ""


@pytest.mark.compiled
def test_a_long_count_shows_progress_on_a_terminal_and_hears_ctrl_c() -> None:
    master, slave = pty.openpty()
    with running(sys.executable, "-m", "outflank", "perft", "--depth", "13", stderr=slave) as process:
        os.close(slave)
        shown = b""
        while b"subtrees" not in shown:
            shown += os.read(master, 1000)
        process.send_signal(signal.SIGINT)
        while b"outflank: interrupted" not in shown:
            shown += os.read(master, 1000)
        assert process.wait(PATIENCE) == 130


def test_bench_measures_endgames_of_a_file(tmp_path: Path) -> None:
    problems = tmp_path / "problems.obf"
    problems.write_text("-----OX--XO----- X; b1:-10;\nXXXXOOOXOOXXOO-- X; pass:+99;\n-----OX--XO----- O;\n")
    table = outflank("bench", "--endgames", str(problems), "--threads", "2").stdout
    assert "the file has other scores for 2." in table and "2 threads" in table
    rows = json.loads(outflank("bench", "--endgames", str(problems), "--json").stdout)["endgames"]
    assert [row["published"] for row in rows] == [-10, 99, None] and rows[0]["score"] == -10
    assert all(row["nodes"] > 0 and row["cpu_seconds"] > 0 for row in rows)


@pytest.mark.skipif(INTERPRETED, reason="measures compiled kernels")
def test_bench_has_every_figure() -> None:
    figures = json.loads(outflank("bench", "--quick", "--json").stdout)
    sizes = ["4", "6", "8", "10", "12", "14", "16"]
    for key in ("games_per_s", "single_games_per_s", "games_per_s_all_cores", "steps_in_arrays_per_s"):
        assert list(figures[key]) == sizes and all(rate > 100 for rate in figures[key].values())
    for key in ("perft_leaves_per_s", "import_s", "warm_start_s", "cold_start_s", "perft_resident_mb"):
        assert figures[key] > 0
    assert figures["version"] == __version__ and figures["cpu"]
    assert all(figures["games_per_s"][size] >= figures["single_games_per_s"][size] for size in sizes)
