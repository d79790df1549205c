"""OBF files: a position on every line with the exact scores of its moves, as the FFO endgame suite and Edax have them.

`--------…X--- X; A2:+38; C7:+36;`: n² squares row by row, the side to move, then scored moves. `%` and `#` begin a
comment. A score is the exact score from the view of the side to move, counted as `Position.score` says.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from outflank.board import Move, Position, Rules, Variant
from outflank.errors import BadNotation, OutflankError
from outflank.inputs import MOST_IN_TEXT, check_length, expect, shown


@dataclass(frozen=True)
class Problem:
    """One line of an OBF file: a position and the exact scores of its moves, from the view of the side to move.

    >>> [problem] = read_obf("-----OX--XO----- X; b1:-10; a2:-10;")
    >>> problem.scores
    {b1: -10, a2: -10}
    """

    position: Position
    scores: dict[Move, int]

    @property
    def best(self) -> int | None:
        """The best published score, None where the line has no scores."""
        return max(self.scores.values(), default=None)


def read_obf(text: str, variant: Variant = "standard") -> list[Problem]:
    """The problems of an OBF file; comments and blank lines are passed over.

    >>> [problem] = read_obf("-----OX--XO----- X; b1:-10; a2:-10; % start")
    >>> problem.best, problem.position == Position.start(Rules(4))
    (-10, True)
    """
    check_length(text, MOST_IN_TEXT, "OBF lines; outflank solve reads files of any size")
    return list(obf_problems(text.splitlines(), variant))


def obf_problems(lines: Iterable[str], variant: Variant = "standard") -> Iterator[Problem]:
    """The problems of lines that may come one at a time.

    >>> [problem.best for problem in obf_problems(["% two", "-----OX--XO----- X; b1:-10;"])]
    [-10]
    """
    for number, content in content_lines(lines):
        board, *entries = content.split(";")
        try:
            position = Position.parse(board, variant)
            yield Problem(position, dict(_scores(entries, position.rules)))
        except OutflankError as error:
            raise BadNotation(f"line {number}: {error}") from None


def write_obf(problems: Iterable[Problem]) -> str:
    """The problems as a file, a line each.

    >>> print(write_obf(read_obf("-----OX--XO----- X; b1:-10; a2:-10")), end="")
    -----OX--XO----- X; b1:-10; a2:-10;
    """
    expect(Iterable, problems=problems)
    return "".join(map(_obf_line, problems))


def _obf_line(problem: Problem) -> str:
    expect(Problem, problem=problem)
    scores = (f" {move}:{score:+d};" for move, score in problem.scores.items())
    return f"{problem.position.line()};{''.join(scores)}\n"


def content_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines that say something, with their numbers and without comments.

    >>> list(content_lines(["% two", "", "X; # one"]))
    [(3, 'X;')]
    """
    for number, line in enumerate(lines, start=1):
        content = re.split("[%#]", line, maxsplit=1)[0].strip()
        if content:
            yield number, content


def _scores(entries: Iterable[str], rules: Rules) -> Iterable[tuple[Move, int]]:
    for entry in filter(None, map(str.strip, entries)):
        name, colon, score = entry.partition(":")
        if name.strip() == "--":
            continue
        if not colon or not re.fullmatch(r"\s*[+-]?[0-9]{1,3}\s*", score):
            raise BadNotation(f"{shown(entry)} is not a scored move; expected for example G8:+18")
        yield rules.square(name), int(score)
