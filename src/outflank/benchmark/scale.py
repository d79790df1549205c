"""How the costs of a store grow: appending, resuming, rating and the memory for it, up to a million games.

The games are real: random movers, played by a kernel from the openings of a real plan and stored one transaction each,
so that `outflank store FILE --check` finds nothing wrong with them. Every question is asked in a process of its own,
because a peak of memory belongs to a process.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from outflank.agents import identity, text_of
from outflank.arena.openings import Opening
from outflank.arena.schedule import Conditions, Plan, Slot, plan_match
from outflank.arena.store import Store
from outflank.benchmark.machine import RUN_COMMAND, ask
from outflank.board import Color, Rules
from outflank.errors import require
from outflank.game import NOBODY_MOVES, Game, Termination, points_of
from outflank.kernels.jit import Words
from outflank.kernels.playout import OVER, random_lines
from outflank.report.document import Table

SIZES = (10_000, 100_000, 1_000_000)
_AGENTS = ("random", "greedy(ties=random)")
_OPENINGS = "random(12)"
_MORE = 2
"""Games that a store does not have when its match is resumed."""

_QUESTIONS = ("resume", "rate", "match", "frame")
"""Schedule minus done; the command `rate`; the command `match` when all its games are there; a table of pandas."""
_MATCH = ("match", *_AGENTS, "--openings", _OPENINGS, "--quiet", "--json")


def measure_scale(
    sizes: tuple[int, ...] = SIZES, on_progress: Callable[[str], None] = lambda text: None
) -> list[dict[str, float]]:
    """One row of figures for every size: times in seconds, memory in megabytes."""
    require("scipy", "ratings of the stores need scipy", "frame")
    require("pandas", "tables of the stores need pandas", "frame")
    with TemporaryDirectory() as directory:
        return [_row(Path(directory) / f"{games}.db", games, on_progress) for games in sizes]


def _row(path: Path, games: int, on_progress: Callable[[str], None]) -> dict[str, float]:
    on_progress(f"appending {games} games")
    append = fill(path, games)
    row = {"games": games, "append_us": 1e6 * append, "file_mb": path.stat().st_size / 1e6}
    questions = (
        ("from outflank.benchmark.scale import resume\nresume(*sys.argv[1:])", str(path), str(games)),
        (RUN_COMMAND, "rate", str(path), "--json"),
        (RUN_COMMAND, *_MATCH, "--games", str(games), "--store", str(path)),
        ("from outflank.benchmark.scale import frame\nframe(*sys.argv[1:])", str(path)),
    )
    for name, (work, *args) in zip(_QUESTIONS, questions, strict=True):
        on_progress(f"{name} with {games} games")
        answer, seconds, processor, peak = ask(work, *args)
        assert answer.get("games", games) == games, f"{name} knows of {answer} games"
        row |= {f"{name}_s": seconds, f"{name}_processor_s": processor, f"{name}_mb": peak}
    path.unlink()
    return row


def scale_table(rows: list[dict[str, float]]) -> Table:
    """The rows, with processor time, which a busy machine changes less than time as it passes, in brackets."""

    def cells(row: dict[str, float]) -> Iterator[str]:
        yield f"{row['games']:,}"
        yield f"{row['append_us']:.0f} µs"
        yield f"{row['file_mb']:.0f} MB"
        for name in _QUESTIONS:
            yield f"{row[f'{name}_s']:.1f} s ({row[f'{name}_processor_s']:.1f} s)"
            yield f"{row[f'{name}_mb']:.0f} MB"

    return Table(
        ["games", "append one", "file", *(word for name in _QUESTIONS for word in (name, "memory"))],
        [list(cells(row)) for row in rows],
        note="Wanted for a million games: resume and rate in less than 10 s, memory below 500 MB.",
    )


# --- a store with real games ------------------------------------------------------------------------------------


def _plan(games: int) -> Plan:
    black, white = map(identity, _AGENTS)
    return plan_match(black, white, Rules(), games, _OPENINGS, Conditions())


def fill(path: Path, games: int) -> float:
    """Makes a store of so many games; returns the seconds that storing one of the last tenth of them took."""
    seconds, counted = 0.0, 0
    with Store(path) as store:
        for number, (slot, game) in enumerate(_played(_plan(games))):
            began = time.perf_counter()
            store.add(slot, game)
            if number >= 0.9 * games:
                seconds, counted = seconds + time.perf_counter() - began, counted + 1
    return seconds / max(counted, 1)


def _played(plan: Plan) -> Iterator[tuple[Slot, Game]]:
    """Every game of a plan, with random moves."""
    source = np.random.Generator(np.random.PCG64(1))
    for slot in plan.slots():
        yield slot, _random_game(slot, source.integers(0, 2**32, 600, np.uint64))


def _random_game(slot: Slot, draws: Words) -> Game:
    opening = Opening(slot.opening_text, slot.opening, slot.rules).game
    start = opening.end
    lines = np.empty((1, 2 * start.empties + 1), np.int16)
    mine, theirs = np.empty((2, 1, slot.rules.words), np.uint64)
    made, _ = random_lines(*start.boards, draws, lines, mine, theirs)
    assert made == 1, "a game needs more draws"
    moves = tuple(slot.rules.by_bit[bit] for bit in lines[0].tolist() if bit != OVER)
    discs = (slot.rules.mask(mine[0]).bit_count(), slot.rules.mask(theirs[0]).bit_count())
    black, white = discs if (len(moves) + start.turn) % 2 == Color.BLACK else discs[::-1]
    return replace(
        opening,
        moves=opening.moves + moves,
        black=text_of(slot.black),
        white=text_of(slot.white),
        termination=Termination.NORMAL,
        reason=NOBODY_MOVES,
        points=points_of(slot.rules.score(black, white)),
    ).knowing(discs=(black, white))


def resume(path: str, games: str) -> None:
    """Schedule minus done: finds the games that a slightly larger match still has to play."""
    with Store(path) as store:
        missing = sum(1 for _ in store.missing(_plan(int(games) + _MORE).slots()))
    sys.stdout.write(json.dumps({"games": int(games) + _MORE - missing}) + "\n")


def frame(path: str) -> None:
    """A table of all games."""
    with Store(path, reading=True) as store:
        games = len(store.frame())
    sys.stdout.write(json.dumps({"games": games}) + "\n")
