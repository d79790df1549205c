"""Files of many games, a line each: how many of the first moves were random, black's score, the moves without passes.

    8 -2 d3e3f2c4c5b5…

The score is black's disc difference by the usual count (empties to the winner), in the reversed game too. Lines are
short and alike, so `.xz` keeps 100,000 games in 5 MB.
"""

import lzma
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from outflank.board import Position, Rules
from outflank.errors import BadSpec
from outflank.inputs import file_lines, open_file, shown
from outflank.kernels.learning import positions_of, read_lines


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

    @staticmethod
    def joined(parts: "Sequence[Positions]") -> "Positions":
        """All of them in one; the games of each part have numbers of their own already."""
        columns = ("own", "other", "labels", "games")
        return Positions(parts[0].rules, *(np.concatenate([getattr(part, name) for part in parts]) for name in columns))

    @property
    def empties(self) -> npt.NDArray[np.int64]:
        """Empty squares of each."""
        discs: npt.NDArray[np.int64] = np.bitwise_count(self.own | self.other).sum(axis=1, dtype=np.int64)
        return self.rules.cells - discs


def game_lines(path: Path) -> Iterator[str]:
    """The lines of a file, which may be packed as .xz."""
    with open_file(path) as file:
        if path.suffix == ".xz":
            try:
                with lzma.open(file) as unpacked:
                    yield from file_lines(unpacked, str(path))
            except (lzma.LZMAError, EOFError) as error:
                raise BadSpec(f"{path} cannot be unpacked: {error}; expected a whole file of games") from None
        else:
            yield from file_lines(file, str(path))


_LINES_AT_ONCE = 50_000


def positions_in(path: Path, rules: Rules, seen: set[int]) -> Iterator[Positions]:
    """The positions of a file, those of some thousands of games at a time, each game once; `seen` are hashes of games.

    Agents that do not draw lots play the same game again from the same first moves: that would be no other game to hold
    out, and count twice.
    """
    number, lines = 0, game_lines(path)
    while block := list(islice(lines, _LINES_AT_ONCE)):
        try:
            found = read_positions(block, rules, number + 1)
        except BadSpec as error:
            raise BadSpec(f"{path}, {error}") from None
        new = np.zeros(len(block), np.bool_)
        for i, line in enumerate(block):
            game = hash(line.rpartition(" ")[2])
            new[i] = game not in seen
            seen.add(game)
        renumbered = (np.cumsum(new) - 1 + len(seen) - int(new.sum())).astype(np.int32)
        kept = found.where(new[found.games])
        yield replace(kept, games=renumbered[kept.games])
        number += len(block)


def read_positions(lines: Iterable[str], rules: Rules, number: int = 1) -> Positions:
    """The positions of games from the first move that was not random, the one after the last left out.

    `number` is that of the first line, for errors.
    """
    text = "".join(f"{line.rstrip()}\n" for line in lines)
    data = np.frombuffer(text.encode("utf-8", "replace"), np.uint8)
    games = text.count("\n")
    moves = np.zeros(len(data) // 2 + 1, np.int16)
    ends, firsts, scores = (np.zeros(games + 1, np.int64) for _ in range(3))
    read = read_lines(data, rules.size, rules.stride, moves, ends, firsts, scores)
    if read < 0:
        line = text.split("\n")[-read - 1]
        raise BadSpec(
            f"line {number - read - 1}: expected the number of random moves, black's score and moves of {rules}; "
            f"got {shown(line)}"
        )
    moved = int(ends[read - 1]) if read else 0
    return _played(rules, moves[:moved], ends[:read], firsts[:read], scores[:read], number)


def _played(
    rules: Rules,
    moves: npt.NDArray[np.int16],
    ends: npt.NDArray[np.int64],
    firsts: npt.NDArray[np.int64],
    scores: npt.NDArray[np.int64],
    number: int,
) -> Positions:
    me, opp, full = Position.start(rules).boards
    own, other = (np.zeros((len(moves), rules.words), np.uint64) for _ in range(2))
    labels, games = np.zeros(len(moves), np.float32), np.zeros(len(moves), np.int32)
    signed = scores if rules.variant == "standard" else -scores
    kept = positions_of(me, opp, full, moves, ends, firsts, signed, own, other, labels, games)
    if kept < 0:
        where = f"line {number - kept - 1}"
        raise BadSpec(f"{where}: a move is not legal; expected moves of {rules} from the start, without passes")
    return Positions(rules, own[:kept], other[:kept], labels[:kept], games[:kept])
