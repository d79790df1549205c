"""The rooms of the house: an import may only point downwards. docs/architecture.md explains them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import ROOT

PACKAGE = ROOT / "src" / "outflank"

ROOMS = [
    "errors",
    "inputs",
    "lazy",
    "progress",
    "spec",
    "schema",
    "kernels",
    "render",
    "board",
    "devices",
    "named_openings",
    "game",
    "formats",
    "patterns",
    "plugins",
    "evaluation",
    "search",
    "engines",
    "bots",
    "agents",
    "tracing",
    "batch",
    "game_loop",
    "analysis",
    "book",
    "execute",
    "arena",
    "explorer",
    "learn",
    "facts",
    "report",
    "benchmark",
    "studies",
    "interfaces",
    "__main__",
]
"""Lowest first. A module may import from its own room and from rooms above it in this list."""


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """Every module that a file imports, wherever the statement stands."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_downwards(path: Path) -> None:
    if path == PACKAGE / "__init__.py":
        return  # the front door: names of every room, loaded on first use
    here = ROOMS.index(room(path))
    for name in imported(path):
        parts = name.split(".")
        if parts[0] == "outflank" and parts[1:2] not in ([], ["__version__"]):
            assert ROOMS.index(parts[1]) <= here, f"{path.name} imports {name} from a higher room"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_numba_stays_in_the_kernels(path: Path) -> None:
    heavy = {name.split(".")[0] for name in imported(path)} & {"numba", "llvmlite"}
    assert not heavy or room(path) == "kernels"


def test_kernels_know_nothing_of_ours() -> None:
    for path in (PACKAGE / "kernels").glob("*.py"):
        ours = {name for name in imported(path) if name.startswith("outflank.")}
        assert all(name.startswith("outflank.kernels") for name in ours), path


def documented() -> dict[str, list[str]]:
    """The rooms of the document in its order, each with the words of its last column."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    rows = re.findall(r"^\| `([a-z_]+).*\| (.*) \|$", text, re.MULTILINE)
    return {name: re.findall(r"\w+", known) for name, known in rows}


def test_the_document_lists_the_rooms_in_this_order() -> None:
    assert list(documented()) == [name for name in ROOMS if name != "__main__"]


def test_rooms_know_what_the_document_says() -> None:
    known: dict[str, set[str]] = {}
    for name, listed in documented().items():
        direct = set(ROOMS if listed == ["everything"] else listed) & set(ROOMS)
        known[name] = direct.union({name}, *(known.get(other, set()) for other in direct))
    for path in modules():
        for parts in (imported_name.split(".") for imported_name in imported(path)):
            if parts[0] == "outflank" and parts[1] in ROOMS and room(path) in known:
                assert parts[1] in known[room(path)], f"{path} knows {parts[1]}: docs/architecture.md does not say so"
