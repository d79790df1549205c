"""The bots of a class: every file and directory of one place, as texts of agents with the names of the files.

A Python file is recognised by what it defines: a class `AI` is of CS303, a class `Strategy` of TJHSST, a script that
speaks of `requests` and `responses` of Botzone, one that reads its arguments of TJHSST, and any other script speaks
stdio, as do JavaScript and programs that may be executed. A directory is a bot with files of its own: one of `bot.py`,
`main.py`, `ai.py`, `strategy.py` and `bot.js`, or its only Python file, or a program `bot`. Nothing is run to find out.
"""

import ast
import os
import shlex
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from outflank.bots import BOTS
from outflank.errors import BadSpec
from outflank.inputs import MOST_IN_TEXT, open_file
from outflank.schema import suggestion
from outflank.spec import Call, Quoted, Value

INTERFACES = tuple(BOTS)
_FIRST = ("bot.py", "main.py", "ai.py", "strategy.py", "bot.js", "bot")
_RUN_BY = {".py": "python3", ".js": "node"}
_MOST_BOTS = 1000


def bots_in(
    directory: Path,
    interface: str = "auto",
    names: Mapping[str, str] | None = None,
    options: Mapping[str, Value] | None = None,
) -> list[str]:
    """The texts of all bots of a directory, in the order of their files.

    `names` are by the file without its ending, or with it where two would be the same.
    Hidden files, files that begin with an underscore and files that nobody can run are no bots.
    """
    if not directory.is_dir():
        raise BadSpec(f"bots = {str(directory)!r} is no directory; expected one with a file or directory for every bot")
    entries = [entry for entry in sorted(directory.iterdir()) if entry.name[0] not in "._" and _main_of(entry)]
    if not 1 <= len(entries) <= _MOST_BOTS:
        raise BadSpec(f"{len(entries)} bots are in {directory}; expected 1 to {_MOST_BOTS}")
    stems = Counter(entry.stem for entry in entries)
    known = [entry.stem if stems[entry.stem] == 1 else entry.name for entry in entries]
    for name in names or {}:
        if name not in known:
            hint = suggestion(name, known)
            raise BadSpec(f"names: there is no bot {name!r}{hint}; expected some of: {', '.join(known)}")
    return [
        _text(entry, interface, (names or {}).get(file, file), dict(options or {}))
        for entry, file in zip(entries, known, strict=True)
    ]


def _main_of(entry: Path) -> Path | None:
    """The file of a bot that is run."""
    if entry.is_file():
        return entry if entry.suffix in _RUN_BY or os.access(entry, os.X_OK) else None
    if not entry.is_dir():
        return None
    python = sorted(entry.glob("*.py"))
    named = [entry / name for name in _FIRST if (entry / name).is_file()]
    return named[0] if named else python[0] if len(python) == 1 else None


def _text(entry: Path, interface: str, name: str, options: dict[str, Value]) -> str:
    main = _main_of(entry)
    assert main is not None, "others were left out"
    found, way = recognised(main)
    if interface not in ("auto", found):
        way = "file" if main.suffix == ".py" and interface == "cs303" else way if found == "tjhsst" else "cmd"
        found = interface
    if entry.is_dir():
        options["needs"] = (Quoted(entry.absolute()),)
    given: dict[str, Value] = {way: Quoted(main if way == "file" else _command(main)), "name": Quoted(name), **options}
    return str(Call(found, (), tuple(given.items())))


def text_of_file(path: Path) -> str:
    """The agent that a file is: a bot by its interface, or the class in our own one that it defines.

    >>> text_of_file(Path("greedy"))
    'stdio(cmd="./greedy")'
    """
    found, way = recognised(path)
    own = [node.name for node in _defined(path) if isinstance(node, ast.ClassDef) and _chooses(node)]
    if found == "stdio" and own:
        return f"{path.stem}:{own[0]}"
    return str(Call(found, (), ((way, Quoted(path if way == "file" else _command(path))),)))


def _chooses(node: ast.ClassDef) -> bool:
    return any(isinstance(part, ast.FunctionDef) and part.name == "choose" for part in node.body)


def _command(main: Path) -> str:
    path = str(main) if main.is_absolute() else f"./{main}"
    return shlex.join([*([_RUN_BY[main.suffix]] if main.suffix in _RUN_BY else []), path])


def recognised(path: Path) -> tuple[str, str]:
    """The interface of a file, and the option that names it: a file, or a command.

    >>> recognised(Path("greedy"))
    ('stdio', 'cmd')
    """
    nodes = _defined(path)
    classes = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    words = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    if "AI" in classes:
        return "cs303", "file"
    if "Strategy" in classes:
        return "tjhsst", "file"
    if {"requests", "responses"} <= words:
        return "botzone", "cmd"
    return ("tjhsst", "cmd") if "argv" in attributes and "stdin" not in attributes else ("stdio", "cmd")


def _defined(path: Path) -> list[ast.AST]:
    """Everything in a Python file; nothing of another, or of one with a mistake, which it will tell itself."""
    if path.suffix != ".py":
        return []
    with open_file(path) as file:
        source = file.read(MOST_IN_TEXT)
    try:
        return list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
