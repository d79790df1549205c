"""Files of many games, a line each: how many of the first moves were random, black's score, the moves without passes.

    8 -2 d3e3f2c4c5b5…

The score is black's disc difference by the usual count (empties to the winner), in the reversed game too. Lines are
short and alike, so `.xz` keeps 100,000 games in 5 MB.
"""

import lzma
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from outflank.board import Position, Rules
from outflank.errors import BadSpec
from outflank.inputs import file_lines, open_file
from outflank.kernels.learning import positions_of


@dataclass(frozen=True)
class Positions:
    """Positions from the view of their side to move, with the result of the game each is from.

    >>> positions = read_positions(["2 -12 d3c3c4"], Rules(8))
    >>> len(positions), positions.labels.tolist()
    (1, [-12.0])
    """

    rules: Rules
    own: npt.NDArray[np.uint64]
    """[positions, words]: discs of the side to move."""
    other: npt.NDArray[np.uint64]
    labels: npt.NDArray[np.float32]
    """The result for the side to move in discs; in the reversed game the more the fewer discs it has."""
    games: npt.NDArray[np.int32]
    """Which game each position is from."""

    def __len__(self) -> int:
        return len(self.labels)

    def where(self, chosen: npt.NDArray[np.bool_]) -> "Positions":
        """Those that are chosen."""
        return Positions(self.rules, self.own[chosen], self.other[chosen], self.labels[chosen], self.games[chosen])

    @property
    def empties(self) -> npt.NDArray[np.int64]:
        """Empty squares of each."""
        discs: npt.NDArray[np.int64] = np.bitwise_count(self.own | self.other).sum(axis=1, dtype=np.int64)
        return self.rules.cells - discs


def game_lines(path: Path) -> Iterator[str]:
    """The lines of a file, which may be packed as .xz."""
    with open_file(path) as file:
        if path.suffix == ".xz":
            with lzma.open(file) as unpacked:
                yield from file_lines(unpacked, str(path))
        else:
            yield from file_lines(file, str(path))


def read_positions(lines: Iterable[str], rules: Rules) -> Positions:
    """The positions of games from the first move that was not random, the one after the last left out."""
    last = chr(ord("a") + rules.size - 1)
    line_of = re.compile(rf"(\d{{1,3}}) ([+-]?\d{{1,3}}) ((?:[a-{last}]\d{{1,2}})+)\s*", re.ASCII)
    squares = {f"{chr(ord('a') + i % rules.size)}{i // rules.size + 1}": i for i in range(rules.cells)}
    bits = [rules.bit(square).bit_length() - 1 for square in range(rules.cells)]
    firsts, scores, ends, moves = array("q"), array("q"), array("q"), array("h")
    for number, line in enumerate(lines, start=1):
        fields = line_of.fullmatch(line)
        names = re.findall(r"[a-z]\d+", fields[3]) if fields else []
        if fields is None or not all(name in squares for name in names):
            raise BadSpec(
                f"line {number}: expected the number of random moves, black's score and moves; got {line[:80]!r}"
            )
        moves.extend(bits[squares[name]] for name in names)
        firsts.append(int(fields[1]))
        scores.append(int(fields[2]))
        ends.append(len(moves))
    return _played(rules, *(np.array(values) for values in (moves, ends, firsts, scores)))


def _played(
    rules: Rules,
    moves: npt.NDArray[np.int16],
    ends: npt.NDArray[np.int64],
    firsts: npt.NDArray[np.int64],
    scores: npt.NDArray[np.int64],
) -> Positions:
    me, opp, full = Position.start(rules).boards
    own, other = (np.zeros((len(moves), rules.words), np.uint64) for _ in range(2))
    labels, games = np.zeros(len(moves), np.float32), np.zeros(len(moves), np.int32)
    signed = scores if rules.variant == "standard" else -scores
    kept = positions_of(me, opp, full, moves, ends, firsts, signed, own, other, labels, games)
    if kept < 0:
        raise BadSpec(f"line {-kept}: a move is not legal; expected moves of {rules} from the start, without passes")
    return Positions(rules, own[:kept], other[:kept], labels[:kept], games[:kept])
