"""Evaluations as data: square tables and named weight sets, each with its source, and a person's own functions.

The weights of `five_terms` are ours, because its paper prints none: hill climbing over 270 candidates from a guess by
hand, each playing 480 games at depth 2 against four simpler evaluations, improvements confirmed on fresh openings. On
240 games of fresh openings the result scores 77 % against the guess at depth 2, and 83 % of 120 games at depth 4.

Weights are written for the standard game. In the reversed game, where discs, corners and stable discs are bad,
every term but mobility changes sign; one text therefore means the sensible thing in both games.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank.board import Rules
from outflank.errors import BadSpec
from outflank.kernels.evaluate import DISCS, MOBILITY, TERMS, AnyEvaluation, Evaluation
from outflank.patterns import PatternWeights, digest_called, shipped_weights, weights_called
from outflank.plugins import Plugin
from outflank.schema import LARGEST, CheckedOptions, Option, OptionType, Signature, lookup, numbers, text
from outflank.spec import Value, as_call, show

Squares = npt.NDArray[np.int32]

# Phan & Synytsia, the printed 12x12 matrix: its upper left quarter. The printed 4x4 matrix is its corner.
_NESTED = (
    (120, -20, 20, 5, 3, 3),
    (-20, -40, -5, -5, -3, -3),
    (20, -5, 15, 3, 3, 3),
    (5, -5, 3, 3, 3, 3),
    (3, -3, 3, 3, 3, 3),
    (3, -3, 3, 3, 3, 3),
)
# A widespread 8x8 table; with it the one-ply heuristic of "Reversi with Monte Carlo Tree Search" scores as printed.
_CLASSIC = (100, -20, 10, 5, -50, -2, -2, -1, -1, -1)


def _quarter(triangle: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """A symmetric quarter from its upper triangle, row by row: a1 b1 c1 d1 b2 c2 d2 c3 d3 d4 for 8x8."""
    size = int((2 * len(triangle)) ** 0.5)
    rows = [[0] * size for _ in range(size)]
    values = iter(triangle)
    for row in range(size):
        for column in range(row, size):
            rows[row][column] = rows[column][row] = next(values)
    return tuple(map(tuple, rows))


# Weights for playouts of the reversed game: corners seldom, the squares that force them on the opponent often.
_SHY = (1, 14, 10, 11, 16, 12, 12, 10, 12, 12)

# The standard weighted piece counter of the Othello league, in hundredths: Yoshioka, Ishii & Ito 1999, as printed by
# Lucas & Runarsson 2006.
_LEAGUE = (100, -25, 10, 5, -25, 1, 1, 5, 2, 1)

_TABLES = {
    "nested": _NESTED,
    "classic": _quarter(_CLASSIC),
    "corners": ((100, 4), (4, 1)),
    "shy": _quarter(_SHY),
    "league": _quarter(_LEAGUE),
    "flat": ((1,),),
}


@dataclass(frozen=True)
class Table:
    """The worth of every square of any board, by name or as a list.

    >>> read_table("nested").squares(4).reshape(4, 4)[0].tolist()
    [120, -20, -20, 120]
    """

    canonical: str
    quarter: tuple[tuple[int, ...], ...] = ()
    full: tuple[int, ...] = ()

    def squares(self, size: int) -> Squares:
        """One number per square, row by row: the quarter mirrored, its inner rows repeated on larger boards."""
        if self.full:
            if len(self.full) != size * size:
                raise BadSpec(
                    f"table has {len(self.full)} numbers, but a {size}x{size} board has {size * size} squares"
                )
            return np.array(self.full, np.int32)
        fold = [min(i, size - 1 - i, len(self.quarter) - 1) for i in range(size)]
        return np.array([self.quarter[row][column] for row in fold for column in fold], np.int32)

    def triangle(self, size: int) -> tuple[int, ...]:
        """The numbers that are left of a board under its symmetries, as a list is written: a1 b1 c1 d1 b2 c2 d2 …

        >>> read_table("corners").triangle(6)
        (100, 4, 4, 1, 1, 1)
        """
        rows, half = self.squares(size).reshape(size, size).tolist(), size // 2
        return tuple(rows[row][column] for row in range(half) for column in range(row, half))


def read_table(value: Value, least: int = -LARGEST) -> Table:
    """The table of a name, or of a list: n² numbers, or the upper triangle of a quarter; none below `least`."""
    if isinstance(value, str) and value in _TABLES:
        table = Table(value, _TABLES[value])
    elif isinstance(value, tuple) and len(value) in (1, 3, 6, 10, 15, 21, 28):
        table = Table(show(value), _quarter(value))  # type: ignore[arg-type]
    elif isinstance(value, tuple) and len(value) in (16, 36, 64, 100, 144, 196, 256):
        table = Table(show(value), full=value)  # type: ignore[arg-type]
    else:
        raise BadSpec(
            f"expected {' | '.join(_TABLES)}, or a list: n² whole numbers, or 3, 6, 10… for the upper triangle of a "
            "quarter"
        )
    for worth in (*table.full, *itertools.chain(*table.quarter)):
        if type(worth) is not int or not least <= worth <= LARGEST:
            raise BadSpec(f"a square is worth {show(worth)}; expected whole numbers from {least} to {LARGEST}")
    return table


def byte_sums(squares: Squares, rules: Rules) -> npt.NDArray[np.int32]:
    """Shape [8 * words, 256]: what the squares set in each byte of a board are worth together."""
    worth = np.zeros(64 * rules.words, np.int32)
    for square, value in enumerate(squares):
        worth[rules.bit(square).bit_length() - 1] = value
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.int32)
    return np.ascontiguousarray(worth.reshape(-1, 8) @ bits.T)


@cache
def _edges(rules: Rules) -> npt.NDArray[np.uint64]:
    """Shape [3, words]: corners, first and last row, first and last column."""
    n = rules.size
    rims = {
        "corners": [0, n - 1, n * (n - 1), n * n - 1],
        "rows": [*range(n), *range(n * (n - 1), n * n)],
        "columns": [*range(0, n * n, n), *range(n - 1, n * n, n)],
    }
    masks = [sum(rules.bit(square) for square in set(squares)) for squares in rims.values()]
    return np.array([rules.board(mask) for mask in masks], np.uint64)


@dataclass(frozen=True)
class EvaluationSpec:
    """An evaluation by its canonical text; `build` gives what the kernels take.

    >>> read_evaluation("discs").canonical
    'discs'
    """

    canonical: str
    table: Table = Table("flat", ((1,),))
    weights: tuple[tuple[int, ...], ...] = ((0,) * len(TERMS),)
    phase_ends: tuple[int, ...] = ()
    own: str = ""
    """`module:function` of a person's own."""
    trained: bool = False
    """Whether it is the sum of trained patterns."""
    file: str = ""
    """Where their weights are, or the name of a network, unless they are those of the package."""

    def load(self) -> Callable[..., int] | None:
        """The person's own function, or None; raises BadSpec where there is no such function or file of weights."""
        if self.file:
            digest_called(self.file)
        return Plugin("evaluation", self.own).load() if self.own else None

    @property
    def of_mover(self) -> bool:
        """Whether it values a position for the side to move, who has the next move; else for any side alike.

        A person's function says so by an attribute: `f.of_mover = True`.
        """
        return self.trained or bool(getattr(self.load(), "of_mover", False))

    @property
    def disc(self) -> int:
        """What a disc is worth in the standard game where nothing but the difference of discs counts, otherwise 0.

        >>> [read_evaluation(text).disc for text in ("discs", "terms(discs=3)", "terms(discs=[1, 2], phase_ends=[20])")]
        [1, 3, 0]
        """
        weights = set(self.weights)
        terms = {term for phase in weights for term, weight in enumerate(phase) if weight}
        return self.weights[0][DISCS] if len(weights) == 1 and terms == {DISCS} else 0

    def check_rules(self, rules: Rules) -> None:
        """Raises BadSpec where its table or its weights are for other boards, or its code cannot be compiled."""
        self.table.squares(rules.size)
        if self.own:
            self.build(rules)
        if self.trained:
            self.pattern_weights(rules)

    def pattern_weights(self, rules: Rules) -> PatternWeights:
        """The weights of an evaluation that is trained."""
        return weights_called(self.file, rules) if self.file else shipped_weights(rules)

    def build(self, rules: Rules) -> tuple[AnyEvaluation, Any]:
        """(tables and weights for these rules, the compiled function of a person or None)."""
        return _build(self, rules, digest_called(self.file) if self.file else "")


@lru_cache(maxsize=64)
def _build(spec: EvaluationSpec, rules: Rules, _content: str) -> tuple[AnyEvaluation, Any]:
    """`_content` tells apart what was in the file of weights, which may be written anew while a program runs."""
    if spec.trained:
        return spec.pattern_weights(rules).build(), None
    weights = np.array(spec.weights, np.int64)
    if rules.variant == "reversed":
        turned = np.arange(len(TERMS)) != MOBILITY
        weights[:, turned] *= -1
    sums = np.repeat(byte_sums(spec.table.squares(rules.size), rules)[None], len(spec.weights), axis=0)
    arrays = Evaluation(sums, weights, np.array(spec.phase_ends, np.int64), _edges(rules))
    return arrays, Plugin("evaluation", spec.own).build(rules) if spec.own else None


_FIXED = {"discs": {"discs": (1,)}, "corners": {"position": (1,)}, "league": {"position": (1,)}}
"""Weights of the sets that have no options for them."""


def _weighted(filled: CheckedOptions) -> EvaluationSpec:
    """The evaluation of a weight set: each term has one weight or one per phase, and 0 where nothing is said."""
    if filled.name == "patterns":
        return EvaluationSpec(str(filled), trained=True, file=filled["weights"] or "")
    limits = filled.get("phase_ends") or ()
    if list(limits) != sorted(set(limits)):
        raise BadSpec(f"phase_ends {show(limits)} do not rise; expected numbers of discs such as [22, 43]")
    phases = len(limits) + 1
    weights = {**dict.fromkeys(TERMS, (0,)), **_FIXED.get(filled.name, {}), **filled}
    columns = []
    for term in TERMS:
        given = weights[term]
        if len(given) not in (1, phases):
            raise BadSpec(
                f"{term} has {len(given)} weights; expected 1, or {phases} for the phases that phase_ends makes"
            )
        columns.append(given * phases if len(given) == 1 else given)
    name = filled.name if filled.name in _TABLES else "corners"
    table = filled.get("squares", Table(name, _TABLES[name]))
    return EvaluationSpec(str(filled), table, tuple(zip(*columns, strict=True)), tuple(limits))


def squares_option(default: str, meaning: str = "worth of the squares", least: int = -LARGEST) -> Option:
    """The option `squares` with this default, for tables without a number below `least`."""
    words = f"{' | '.join(_TABLES)} | a list of numbers"
    read = OptionType(words, partial(read_table, least=least), lambda table: table.canonical)
    return Option("squares", read, default, meaning)


_MEANINGS = {
    "position": "weight of square worths, own minus opposing",
    "mobility": "weight of legal moves, own minus opposing",
    "discs": "weight of discs, own minus opposing",
    "stability": "weight of discs tied to corners or on full edges, own minus opposing",
    "aggregation": "weight of ten times the mean squared distance of own discs to their centroid",
}
"""What a person reads of each of TERMS."""


def _weight_options(table: str, limits: Value, **defaults: Value) -> tuple[Option, ...]:
    """Options for the weights of these terms, the ends of phases and the worth of squares."""
    weights = tuple(Option(term, numbers(), weight, _MEANINGS[term]) for term, weight in defaults.items())
    return (
        *weights,
        Option("phase_ends", numbers(0, 15), limits, "discs on the board up to which each phase but the last holds"),
        squares_option(table),
    )


_SIGNATURES = {
    signature.name: signature
    for signature in (
        Signature("discs", "own discs minus opposing discs", source="He & Lin, simple evaluation"),
        Signature("corners", "100 a corner, 4 an edge square, 1 any other", source="He & Lin, complex evaluation"),
        Signature(
            "league",
            "the standard weighted piece counter of the Othello league, in hundredths",
            source="Yoshioka, Ishii & Ito 1999; Lucas & Runarsson 2006",
        ),
        Signature(
            "positional",
            "10 x square worths + 5 x mobility",
            (
                Option("position", numbers(1, 1), 10, "weight of square worths"),
                Option("mobility", numbers(1, 1), 5, "weight of mobility"),
                squares_option("nested"),
            ),
            "Phan & Synytsia, section 2.2; the nested matrix",
        ),
        Signature(
            "five_terms",
            "five terms in three phases; weights are written for the standard game and turned in the reversed one",
            _weight_options(
                "nested",
                (22, 43),
                position=(4, 1, 1),
                mobility=(24, 27, 32),
                discs=(1, 3, 6),
                stability=(20, 60, 60),
                aggregation=(3, 1, 2),
            ),
            "Zean He; the paper prints no weights, these were found by self-play, see evaluation.py",
        ),
        Signature(
            "patterns",
            "trained weights of corners, edges, rows and diagonals: hundredths of a disc at the end of the game",
            (
                Option(
                    "weights",
                    text(most=1000),
                    None,
                    "a file of outflank learn, or pairs, triples or snakes (8x8); our best unless told",
                ),
            ),
            "ours, after Buro 1997; 6x6, 8x8 and 10x10, both variants",
        ),
        Signature(
            "terms",
            "any weights by phase, written for the standard game and turned in the reversed one",
            _weight_options("nested", (), **dict.fromkeys(TERMS, 0)),
        ),
    )
}


def evaluation_signatures() -> dict[str, Signature]:
    """The named evaluations, for help texts."""
    return dict(_SIGNATURES)


def read_evaluation(value: Value) -> EvaluationSpec:
    """The evaluation of a name with its options, or of `module:function`, which is not loaded before it is used."""
    call = as_call(value)
    if ":" in call.name:
        if call.values or call.options:
            raise BadSpec(f"{call.name} is a function and takes no options here; expected {call.name} alone")
        return EvaluationSpec(call.name, own=call.name)
    return _weighted(lookup(call, _SIGNATURES, "evaluation").fill(call))


def evaluation_option(default: str) -> Option:
    """The option `eval` with this default."""
    names = (name + "(…)" * bool(signature.options) for name, signature in _SIGNATURES.items())
    words = f"{' | '.join(names)} | module:function"
    read = OptionType(words, read_evaluation, lambda spec: spec.canonical)
    return Option("eval", read, default, "what a position is worth at the depth limit")
