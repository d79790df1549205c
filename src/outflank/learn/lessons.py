"""What a network learns from: positions of games it played against itself, or of a file of games of others."""

import io
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Position, Rules
from outflank.errors import BadSpec
from outflank.inputs import open_file, put_file
from outflank.kernels.forest import KEPT, MOVER, Course, Group, add_moves, advance, new_group
from outflank.kernels.jit import Word
from outflank.kernels.network import LOGITS
from outflank.kernels.puct import ME, OPP, Reading
from outflank.learn.games import Positions, positions_in
from outflank.learn.residual import Batch, Evaluator
from outflank.search.networks import Network

_MOST_BYTES = 2**31
_EXPLORATION, _REDUCTION, _CONSIDERED = 1.5, 0.25, 16


@dataclass(frozen=True)
class Lessons:
    """Positions with what is to be learned of them."""

    boards: npt.NDArray[np.uint64]
    """[positions, 4]: discs of the side to move and of the other, and the moves of both."""
    policies: npt.NDArray[np.uint8]
    """[positions, LOGITS]: by bit, in 1/255."""
    values: npt.NDArray[np.float32]
    """[positions]: -1..1 for the side to move."""

    def __len__(self) -> int:
        return len(self.values)

    @staticmethod
    def joined(parts: "list[Lessons]") -> "Lessons":
        """All of them in one."""
        columns = ("boards", "policies", "values")
        return Lessons(*(np.concatenate([getattr(part, name) for part in parts]) for name in columns))

    def write(self, path: Path) -> None:
        """Writes the file that `read` reads, whole or not at all."""
        packed = io.BytesIO()
        np.savez(packed, boards=self.boards, policies=self.policies, values=self.values)
        put_file(path, packed.getvalue())

    @staticmethod
    def read(path: Path) -> "Lessons":
        """The lessons of a file; BadSpec where it has none."""
        with open_file(path) as file:
            content = file.read(_MOST_BYTES)
        try:
            with np.load(io.BytesIO(content)) as arrays:
                return Lessons(arrays["boards"], arrays["policies"], arrays["values"])
        except Exception:  # a damaged archive may raise anything
            raise BadSpec(f"{path} is damaged; expected what outflank learn network wrote, or no file") from None


def reading_of(rules: Rules, exact: int) -> Reading:
    """How trees are searched in training."""
    sign = 1 if rules.variant == "standard" else -1
    return Reading(_EXPLORATION, _REDUCTION, exact, sign, rules.cells, _CONSIDERED)


# --- games --------------------------------------------------------------------------------------------------------


class _Side:
    """A group of lanes, and its batch."""

    def __init__(self, lanes: int, course: Course, reading: Reading, evaluators: list[Evaluator]) -> None:
        group = new_group(lanes, course, reading)
        self.batch = Batch(group.leaves, evaluators)
        self.group: Group = group._replace(leaves=self.batch.leaves)
        self.together, self.lanes = course.together, lanes


def play(
    rules: Rules,
    course: Course,
    reading: Reading,
    networks: list[Network],
    lanes: int,
    seed: int,
    device: str,
    tell: Callable[[], object] = lambda: None,
) -> list[Group]:
    """Plays all games of so many lanes, in two groups: one is in its trees while the other is on the device."""
    evaluators = [Evaluator(network, device) for network in networks]
    parts = [lanes] if lanes < 4 or course.paired else [lanes // 2, lanes - lanes // 2]
    sides = [_Side(number, course, reading, evaluators) for number in parts]
    begins = [0, parts[0] * course.games]
    start, waiting = Position.start(rules).boards, list(range(len(sides)))
    threads = os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:
        while waiting:
            for number in list(waiting):
                side = sides[number]
                side.batch.wait()
                edges = np.linspace(0, side.lanes, threads + 1).astype(int)

                def go_on(first: int, last: int, side: _Side = side, begin: int = begins[number]) -> int:
                    return advance(*start, side.group, course, reading, Word(seed), begin, first, last)

                if sum(pool.map(go_on, edges[:-1].tolist(), edges[1:].tolist())) == 0:
                    waiting.remove(number)
                    continue
                if len(evaluators) > 1:
                    movers = side.group.lanes.columns[:, MOVER] == 1
                    side.batch.second.numpy()[:] = np.repeat(movers, side.together)
                side.batch.send()
            tell()
    return [side.group for side in sides]


def lessons_of(groups: list[Group], searched: float) -> Lessons:
    """What was kept of games; values are results and, by this share, what the searches expected."""
    parts = []
    for group in groups:
        record, kept = group.record, group.lanes.columns[:, KEPT]
        there = np.arange(record.values.shape[1])[None, :] < kept[:, None]
        values = (1 - searched) * record.results[there] + searched * record.values[there]
        parts.append(Lessons(record.boards[there], record.policies[there], values.astype(np.float32)))
    return Lessons.joined(parts)


def scores_of(groups: list[Group]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Of paired lanes: half points of network 1, in the games it had black, and in those it had white."""
    outcomes = np.concatenate([group.record.outcomes for group in groups]).astype(np.int64)
    return 1 + outcomes[1::2].ravel(), 1 - outcomes[0::2].ravel()


# --- files of games -----------------------------------------------------------------------------------------------


def lessons_in(path: Path, rules: Rules, exact: int) -> Iterator[Lessons]:
    """What a file of games teaches: the moves that were played and the results, some thousands of games at a time."""
    for positions in positions_in(path, rules, set()):
        yield _lessons(positions, rules, exact)


def _lessons(positions: Positions, rules: Rules, exact: int) -> Lessons:
    discs = (positions.own | positions.other)[:, 0]
    same = positions.games[1:] == positions.games[:-1]
    placed = discs[1:] & ~discs[:-1]
    good = same & (np.bitwise_count(placed) == 1) & (positions.empties[:-1] > exact)
    boards = np.zeros((int(good.sum()), 4), np.uint64)
    boards[:, ME], boards[:, OPP] = positions.own[:-1][good, 0], positions.other[:-1][good, 0]
    add_moves(Position.start(rules).boards[2], boards)
    policies = np.zeros((len(boards), LOGITS), np.uint8)
    squares: Any = np.bitwise_count(placed[good] - np.uint64(1))
    policies[np.arange(len(boards)), squares] = 255
    return Lessons(boards, policies, np.sign(positions.labels[:-1][good]).astype(np.float32))
