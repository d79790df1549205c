"""Playout policies by text: `uniform`, `own_heuristic(squares=classic)`, `cutoff(eval=positional)`, `module:f`."""

from dataclasses import dataclass

from outflank.errors import BadSpec
from outflank.evaluation import evaluation_option, squares_option
from outflank.plugins import Plugin
from outflank.schema import Option, OptionType, Signature, choice, lookup, number, numbers, whole
from outflank.search.policy import PlayoutPolicy, formula_of
from outflank.spec import Value, as_call

_EMPTIES = Option(
    "empties", choice("before", "after"), "before", "whether the formula counts empty squares before the move"
)


def _formula(value: Value) -> tuple[int, ...]:
    found: tuple[int, ...] = numbers(6, 6)(value)
    formula_of(found)
    return found


FORMULA = Option(
    "formula",
    OptionType("six whole numbers", _formula),
    None,
    "its numbers in place of the paper's 30, 80, 10, 60, 400, 10",
)
"""Without a default, so that agents without it are called as they always were."""
_CLASSIC = squares_option("classic", "worth of the squares in the formula")

_SIGNATURES = {
    signature.name: signature
    for signature in (
        Signature("uniform", "every legal move is as likely as any other"),
        Signature(
            "heuristic",
            "both sides play the best move of the one-ply formula, ties at random",
            (_CLASSIC, _EMPTIES, FORMULA),
            "Reversi with Monte Carlo Tree Search, read literally",
        ),
        Signature(
            "own_heuristic",
            "the searching side plays by the one-ply formula, the other at random",
            (_CLASSIC, _EMPTIES, FORMULA),
            "Reversi with Monte Carlo Tree Search, the reading that fits its result",
        ),
        Signature(
            "epsilon",
            "both sides play by the one-ply formula, now and then at random",
            (Option("epsilon", number(0, 1), 0.1, "share of random moves"), _CLASSIC, _EMPTIES, FORMULA),
        ),
        Signature(
            "weighted",
            "both sides draw a square with a probability proportional to its weight",
            (squares_option("shy", "positive weights of the squares, the same in both games", least=1),),
            "Tenshi, Reversed Reversi; the paper prints no weights",
        ),
        Signature(
            "cutoff",
            "random moves for a few plies, then an evaluation turned into an expected result",
            (
                Option("depth", whole(0, 400), 8, "random plies before the evaluation"),
                evaluation_option("positional"),
                Option("scale", number(0.001, 1e12), 300, "evaluation that is worth 73 % of the points"),
            ),
            "future work of Phan & Synytsia",
        ),
    )
}


@dataclass(frozen=True)
class PlayoutSpec:
    """A policy with its canonical text.

    >>> read_playout("epsilon(0.25)").canonical
    'epsilon(empties=before, epsilon=0.25, squares=classic)'
    """

    canonical: str
    policy: PlayoutPolicy

    def load(self) -> PlayoutPolicy:
        """The policy; raises BadSpec where it or its evaluation names a function that is not there."""
        for named in (self.policy.evaluation, self.policy.function):
            if named is not None:
                named.load()
        return self.policy


def playout_signatures() -> dict[str, Signature]:
    """The named policies, for help texts."""
    return dict(_SIGNATURES)


def read_playout(value: Value) -> PlayoutSpec:
    """The policy of a name with its options, or of `module:function`, which is not loaded before it is used."""
    call = as_call(value)
    if ":" in call.name:
        if call.values or call.options:
            raise BadSpec(f"{call.name} is a function and takes no options here; expected {call.name} alone")
        return PlayoutSpec(call.name, PlayoutPolicy(function=Plugin("playout", call.name)))
    filled = lookup(call, _SIGNATURES, "playout").fill(call)
    policy = PlayoutPolicy(
        call.name,
        worths=filled.get("squares") if call.name != "weighted" else None,
        empties=filled.get("empties", "before"),
        formula=filled.get("formula"),
        epsilon=filled.get("epsilon", 0.1),
        weights=filled.get("squares") if call.name == "weighted" else None,
        depth=filled.get("depth", 8),
        scale=filled.get("scale", 100.0),
        evaluation=filled.get("eval"),
    )
    return PlayoutSpec(str(filled), policy)


def playout_option() -> Option:
    """The option `playout`."""
    words = "uniform | heuristic(…) | own_heuristic(…) | epsilon(…) | weighted(…) | cutoff(…) | module:function"
    read = OptionType(words, read_playout, lambda spec: spec.canonical)
    return Option("playout", read, "uniform", "how moves of playouts are chosen")
