"""Runs a notebook cell by cell and says what each would show; `python tests/notebook.py` renews examples/tour.ipynb.

A notebook is JSON, so neither Jupyter nor its libraries are needed: the cells run one after the other in a module that
is `__main__` meanwhile, as a kernel of Jupyter has it, and the value of a last expression shows itself by its
`_repr_html_` or `_repr_svg_`.
"""

import ast
import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

from support import ROOT

TOUR = ROOT / "examples" / "tour.ipynb"
_DISPLAYS = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}


def outputs(notebook: dict[str, Any]) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Every code cell with what it shows."""
    with _main_module() as module:
        for number, cell in enumerate(cell for cell in notebook["cells"] if cell["cell_type"] == "code"):
            yield cell, list(_shown("".join(cell["source"]), module, number + 1))


@contextmanager
def _main_module() -> Iterator[ModuleType]:
    before, module = sys.modules["__main__"], ModuleType("__main__")
    sys.modules["__main__"] = module
    try:
        yield module
    finally:
        sys.modules["__main__"] = before


def _shown(source: str, module: ModuleType, number: int) -> Iterator[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), module.__dict__)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), module.__dict__)
    if printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())}
    if value is not None:
        yield {"data": _data(value), "execution_count": number, "metadata": {}, "output_type": "execute_result"}


def _data(value: object) -> dict[str, list[str]]:
    rich = {kind: _lines(getattr(value, name)()) for kind, name in _DISPLAYS.items() if hasattr(value, name)}
    return rich | {"text/plain": _lines(repr(value))}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def renew(path: Path) -> None:
    """Runs a notebook and keeps what its cells show."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for number, (cell, shown) in enumerate(outputs(notebook), start=1):
        cell["execution_count"], cell["outputs"] = number, shown
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    renew(TOUR)
