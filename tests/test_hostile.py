"""Hostile values for every option of every command and for every argument of the front door.

Whatever is given, the answer is a result or an error of ours that says what was expected; a command then ends with exit
code 2. Any other exception fails the test.
"""

import argparse
import io
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import outflank
from outflank import Color, Game, Limits, OutflankError, Position, Rules, TimeControl
from outflank.interfaces import cli
from outflank.interfaces.cli import main
from outflank.tracing import trace

START = Position.start("standard 4x4")
LATE = Position.parse("OX-OXOO-XXXXXXX- O")
GAME = Game.of(START, "b1a1")

VALUES: dict[str, Any] = {
    "None": None,
    "a truth value": True,
    "negative": -1,
    "nothing": 0,
    "2^31": 2**31,
    "30 digits": 10**30,
    "400 digits": 10**400,
    "5000 digits": 10**5000,
    "a fraction": 1.5,
    "a whole float": 8.0,
    "not a number": math.nan,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "an empty text": "",
    "a word": "x",
    "a NUL": "a\0b",
    "half a character": "\ud800",
    "a text of digits": "9" * 5000,
    "brackets": "(" * 20_000,
    "nested calls": "a(" * 300 + ")" * 300,
    "a long text": "f5" * 600_000,
    "bytes": b"f5",
    "an empty list": [],
    "an empty table": {},
    "a list": [1, 2],
    "a list of lists": [[]],
    "a generator": iter(()),
    "an object": object(),
    "complex": 1j,
    "a class": int,
    "a directory": Path("/"),
    "a device": Path("/dev/zero"),
    "no file": Path("/no/such/file"),
}


def _all(function: Callable[..., Iterator[Any]]) -> Callable[..., Any]:
    return lambda **arguments: list(function(**arguments))


AGENTS: dict[str, Any] = {"rules": Rules(4), "openings": "start", "games": 2, "limits": None, "seed": 0, "workers": 1}
FUNCTIONS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "agent": (outflank.agent, {"described": "random"}),
    "Agent.choose": (outflank.agent("random").choose, {"position": START, "limits": None, "seed": 0}),
    "canonical": (outflank.canonical, {"text": "random"}),
    "trace": (trace, {"player": "minimax(depth=1)", "position": START, "seed": 0}),
    "analyse": (_all(outflank.analyse), {"position": LATE, "player": None}),
    "review": (_all(outflank.review), {"game": Game.of(LATE, "d4"), "seconds_per_move": None, "depth": 2}),
    "match": (outflank.match, {"a": "random", "b": "greedy", "store": ":memory:", **AGENTS}),
    "tournament": (outflank.tournament, {"agents": ["random", "greedy"], "store": ":memory:", **AGENTS}),
    "tune": (
        outflank.tune,
        {"agent": "uct(playouts=1)", "over": "c=0.1..2.0", "rules": Rules(4), "method": "random", "games": 100}
        | {"confirm": 2, "curve": 0, "anchors": 0, "control": False, "openings": "random(4)", "seed": 0}
        | {"workers": 1, "directory": None},
    ),
    "play": (outflank.play, {"black": "random", "white": "greedy", "start": START, "seed": 0, "limits": None}),
    "solve": (
        outflank.solve,
        {"position": LATE, "by": "margin", "limits": None, "empties": "winner", "memory_mb": 1, "every_move": False},
    ),
    "read": (outflank.read, {"source": "f5d6", "variant": "standard", "size": 8}),
    "read_all": (_all(outflank.read_all), {"source": "f5d6\nf5", "variant": "standard", "size": 8}),
    "read_ggf": (outflank.read_ggf, {"text": ""}),
    "read_obf": (outflank.read_obf, {"text": "", "variant": "standard"}),
    "read_sgf": (outflank.read_sgf, {"text": "(;GM[2])"}),
    "read_wthor": (outflank.read_wthor, {"content": outflank.write_wthor([]).games, "names": None}),
    "read_transcript": (outflank.read_transcript, {"text": "b1", "start": START}),
    "write_ggf": (outflank.write_ggf, {"game": GAME, "place": "here", "clock": 3}),
    "write_obf": (outflank.write_obf, {"problems": []}),
    "write_sgf": (outflank.write_sgf, {"game": GAME}),
    "write_wthor": (outflank.write_wthor, {"games": []}),
    "write_transcript": (outflank.write_transcript, {"game": GAME, "passes": False}),
    "Position": (Position, {"rules": Rules(4), "black": 1, "white": 2, "turn": Color.BLACK}),
    "Position.start": (Position.start, {"rules": "standard 4x4"}),
    "Position.parse": (Position.parse, {"text": START.line(), "variant": "standard"}),
    "Position.after": (Position.after, {"moves": "b1", "rules": "standard 4x4"}),
    "Position.play": (START.play, {"move": "b1"}),
    "Position.perft": (LATE.perft, {"depth": 2}),
    "Position.divide": (LATE.divide, {"depth": 2}),
    "Position.transform": (START.transform, {"number": 2}),
    "Position.with_variant": (START.with_variant, {"variant": "reversed"}),
    "Position.with_turn": (START.with_turn, {"turn": Color.WHITE}),
    "Position.score": (START.score, {"color": Color.WHITE, "empties": "winner"}),
    "Rules": (Rules, {"size": 4, "variant": "standard"}),
    "Rules.parse": (Rules.parse, {"text": "standard 4x4"}),
    "Rules.move": (Rules(4).move, {"move": 1}),
    "Rules.square": (Rules(4).square, {"text": "a1"}),
    "Limits": (Limits, {"depth": 1, "nodes": 1, "playouts": 1, "seconds": 1.0, "game_seconds": 1.0}),
    "TimeControl": (
        TimeControl,
        {"move_seconds": 1, "game_seconds": 1, "increment": 1, "tolerance": 1, "stop_after": 1}
        | {"stop_clock": "move", "stop_rule": "majority"},
    ),
    "Game.of": (Game.of, {"start": START, "moves": "b1"}),
    "Game.resign": (GAME.resign, {"color": Color.WHITE}),
    "Store": (outflank.Store, {"path": ":memory:"}),
    "Explorer.of": (outflank.Explorer.of, {"games": [GAME], "rules": Rules(4)}),
    "Explorer.at": (
        outflank.Explorer.of([GAME.resign(Color.BLACK)]).at,
        {"position": START, "player": "Ada", "years": (1985, 1990), "result": "draw"},
    ),
    "Explorer.games_with": (
        outflank.Explorer.of([GAME.resign(Color.BLACK)]).games_with,
        {"position": START, "move": 1, "player": "Ada", "years": (1985, 1990), "result": "draw"},
    ),
    "Explorer.game": (outflank.Explorer.of([GAME.resign(Color.BLACK)]).game, {"number": 0, "through": START}),
    "opening_book": (outflank.opening_book, {"rules": Rules(4)}),
    "check_agent": (outflank.check_agent, {"text": "random", "rules": [], "positions": 1, "seconds": 10}),
}


@pytest.mark.compiled
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_answer_or_explain(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a word may be the name of a store
    function, usual = FUNCTIONS[name]
    function(**usual)
    for argument in usual:
        for kind, value in VALUES.items():
            try:
                function(**(usual | {argument: value}))
            except OutflankError as error:
                told = str(error)
                assert 10 < len(told) < 2000, f"{argument} = {kind}: {told}"
            except OSError as error:
                assert isinstance(value, Path) and error.filename, f"{argument} = {kind}"
            except Exception as error:
                raise AssertionError(f"{name}: {argument} = {kind}") from error


def test_every_public_function_is_tried() -> None:
    functions = {
        name
        for name in outflank.__all__
        if callable(getattr(outflank, name)) and not isinstance(getattr(outflank, name), type)
    }
    assert functions - {"levels", "stoppable"} <= set(FUNCTIONS)


# --- commands -----------------------------------------------------------------------------------------------------

WORDS = [
    "",
    "x",
    "-1",
    "0",
    "1.5",
    "nan",
    "inf",
    "1e309",
    "9" * 26,
    "9" * 400,
    "9" * 5000,
    "(" * 3000,
    "a(" * 300,
    "random(yes)",
    "f5" * 60_000,
    "\udcff",
    "é\x07",
    "/",
    "/dev/zero",
    "/no/such/file",
]
BASES: dict[str, list[str]] = {
    "show": [],
    "perft": ["--depth", "1", "--size", "4"],
    "agents": [],
    "devices": [],
    "move": ["random", "--size", "4"],
    "solve": ["--position", LATE.line()],
    "analyse": ["--size", "4", "--depth", "1"],
    "review": ["f5d6", "--depth", "1", "--workers", "1025", "--quiet"],
    "convert": ["games.db", "games.ggf"],
    "check": ["random", "--size", "5"],
    "engine": ["random", "--protocol", "uci"],
    "match": ["random", "greedy", "--size", "4", "--games", "2", "--openings", "start", "--workers", "1025", "--quiet"],
    "tournament": ["cup.toml", "--workers", "1025", "--quiet"],
    "rate": ["games.db", "--anchor=chess=0"],
    "store": ["games.db"],
    "reproduce": ["tenshi", "--workers", "1025", "--quiet"],
    "study": ["study.toml", "--workers", "1025", "--quiet"],
    "play": ["--terminal", "--size", "5"],
    "bench": ["--no-such-option"],
    "completion": ["bash"],
    "explore": ["games.db", "--size", "4"],
    "selfplay": ["--rules", "standard 4x4", "--games", "1", "--out", "games.no-such-kind", "--quiet"],
    "label": ["games.txt", "--rules", "standard 4x4", "--out", "labels", "--workers", "1025", "--quiet"],
    "tune": ["uct", "--over", "c=0.1..2.0", "--out", "tuned", "--workers", "1025", "--quiet"],
    "learn": ["patterns", "games.txt", "--out", "weights.no-such-kind"],
}
"""Commands that would play are stopped behind their checks by a number of workers, or a size, that is not possible."""


LEARNERS: dict[str, list[str]] = {
    "network": ["--rules", "standard 4x4", "--out", "network.no-such-kind", "--quiet"],
    "td": ["--rules", "standard 4x4", "--out", "weights.no-such-kind", "--quiet"],
}
"""Those of `outflank learn` whose plans are checked before a name that is not possible stops them."""
FEW_WORDS = ["", "x", "-1", "0", "1.5", "nan", "1e309", "9" * 400, "\udcff", "/dev/zero"]


def commands(parser: argparse.ArgumentParser | None = None) -> dict[str, argparse.ArgumentParser]:
    parser = parser or cli._parser()
    [found] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(found.choices)


def attacks(name: str) -> Iterator[list[str]]:
    """Every option and every argument of a command, or of a learner, with every hostile word."""
    learner = LEARNERS.get(name)
    base, words = (BASES[name], WORDS) if learner is None else (learner, FEW_WORDS)
    parser = commands()[name] if learner is None else commands(commands()["learn"])[name]
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction) or action.nargs == 0:
            continue
        for word in words:
            if action.option_strings:
                yield [*base, f"{action.option_strings[-1]}={word}"]
            else:
                yield [word, *base[1:]] if base and not base[0].startswith("-") else [word, *base]


def test_every_command_is_tried() -> None:
    assert set(commands()) == set(BASES)


@pytest.mark.compiled
@pytest.mark.parametrize("name", [*BASES, *LEARNERS])
def test_commands_answer_or_explain(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    Path("cup.toml").write_text('agents = ["random", "greedy"]\nsizes = [4]\nopenings = "start"\npairs = 1\n')
    Path("games.txt").write_text("0 +2 b1\n")
    Path("study.toml").write_text(
        'title = "t"\n[[pairings]]\nname = "p"\na = "random"\nb = "greedy"\ngames = 2\nsize = 4\nopenings = "start"\n'
    )
    outflank.match("random", "greedy", games=2, rules=Rules(4), openings="start", store="games.db")
    command = ["learn", name] if name in LEARNERS else [name]
    for arguments in attacks(name):
        try:
            code: object = main([*command, *arguments])
        except SystemExit as end:  # argparse, or a check that found something
            code = end.code
        except Exception as error:
            raise AssertionError(f"outflank {name} {[word[:40] for word in arguments]}") from error
        answer, errors = capfd.readouterr()
        assert code in (0, 1, 2) and "Traceback" not in errors, arguments
        assert code != 2 or (errors and not answer), arguments
        assert len(errors.splitlines()[-1] if errors else "") < 3000, arguments


FILES: dict[str, bytes] = {
    "empty": b"",
    "not UTF-8": b'agents = ["\xff\xfe"]',
    "UTF-16": 'agents = ["random", "greedy"]'.encode("utf-16"),
    "NUL": b"\0" * 100,
    "20000 brackets": b"agents = " + b"[" * 20_000,
    "20000 tables": b"agents = " + b"{a=" * 20_000,
    "5000 digits": b"pairs = " + b"9" * 5000,
    "400 digits": b'agents = ["random", "greedy"]\nseed = ' + b"9" * 400,
    "a key of 50000 parts": b"a." * 50_000 + b"b = 1",
    "two megabytes": b"# " + b"x" * 2_000_000,
    "numbers for agents": b"agents = [1, 2]",
    "one line": b"f5" * 1_000_000,
    "a bad size": b'agents = ["random", "greedy"]\nsizes = [8.5]',
    "a size twice": b'agents = ["random", "greedy"]\nsizes = [4, 4]',
    "no sizes": b'agents = ["random", "greedy"]\nsizes = []',
}


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize(
    "command",
    [["tournament", "FILE"], ["study", "FILE"], ["solve", "FILE"], ["rate", "FILE"], ["store", "FILE"]],
    ids=str,
)
def test_bad_files_are_explained(
    kind: str, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("FILE").write_bytes(FILES[kind])
    code = main([*command, *(["--workers", "1025", "--quiet"] if command[0] in ("tournament", "study") else [])])
    answer, errors = capfd.readouterr()
    if command == ["solve", "FILE"] and kind in ("empty", "two megabytes"):
        assert code in (0, 2)  # comments only, or a line that is too long
        return
    assert code == 2 and not answer and "expected" in errors and len(errors) < 3000, (code, errors)
