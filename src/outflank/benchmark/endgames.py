"""Endgame problems: the nodes and the time that exact scores take, position by position.

The usual ones are those of the FFO suite, an OBF file with published scores, which is not part of the package.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

from outflank.formats import Problem
from outflank.report.document import Table
from outflank.search.solver import solve


def measure_endgames(
    problems: Iterable[Problem], threads: int = 1, on_progress: Callable[[str], None] = lambda text: None
) -> list[dict[str, Any]]:
    """One row of figures for every problem; seconds are those of the processors, also while others use them.

    >>> from outflank import read_obf
    >>> [row] = measure_endgames(read_obf("-----OX--XO----- X; b1:-10; a2:-10; d3:-10; c4:-10;"))
    >>> row["empties"], row["score"], row["published"]
    (12, -10, -10)
    """
    rows = []
    for number, problem in enumerate(problems, 1):
        on_progress(f"endgame {number}")
        began, cpu = time.perf_counter(), time.process_time()
        solution = solve(problem.position, threads=threads)
        rows.append(
            {
                "empties": problem.position.empties,
                "score": solution.score,
                "published": problem.best,
                "nodes": solution.nodes,
                "cpu_seconds": time.process_time() - cpu,
                "seconds": time.perf_counter() - began,
            }
        )
    return rows


def endgames_table(rows: list[dict[str, Any]], threads: int = 1) -> Table:
    """The rows as a table, and their sum."""
    shown = [(str(number), *_cells(row)) for number, row in enumerate(rows, 1)]
    total = {key: sum(row[key] for row in rows) for key in ("nodes", "cpu_seconds", "seconds")}
    shown.append(("all", *_cells({"empties": "", "score": None, **total})))
    wrong = [str(number) for number, row in enumerate(rows, 1) if row["published"] not in (None, row["score"])]
    verdict = f"the file has other scores for {', '.join(wrong)}" if wrong else "no score differs from one in the file"
    note = f"{threads} thread{'s' * (threads > 1)}; {verdict}."
    return Table(["problem", "empty", "score", "million nodes", "processor", "clock"], shown, note=note)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    score = "" if row["score"] is None else f"{row['score']:+d}"
    return (
        str(row["empties"]),
        score,
        f"{row['nodes'] / 1e6:.1f}",
        f"{row['cpu_seconds']:.2f} s",
        f"{row['seconds']:.2f} s",
    )
