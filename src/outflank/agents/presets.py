"""The players of the five papers, spelled out as built-in agents, and what tuning made of some of them.

A preset is a signature and a function from its options to the call it stands for. What a paper leaves open is an
option; where its text is ambiguous or its pseudo-code cannot work, the preset takes the reading that fits the
printed results.
"""

from collections.abc import Callable
from dataclasses import dataclass

from outflank.evaluation import squares_option
from outflank.schema import CheckedOptions, Option, Signature, choice, flag, number, whole
from outflank.spec import Call, Value, parse, show

_SECONDS = Option("seconds", number(0, above=True), None, "time for a move; 2s and 300ms are read too")
_PLAYOUTS = Option("playouts", whole(1), None, "games played out for a move")

_WHAT_UCT = (_PLAYOUTS, _SECONDS)


@dataclass(frozen=True)
class Preset:
    """A name for a built-in agent with certain options."""

    signature: Signature
    expand: Callable[[CheckedOptions], Call]
    """The call that it stands for."""


def _spelled(name: str, options: CheckedOptions, keep: tuple[str, ...] = (), **settings: Value) -> Call:
    """A call of a built-in agent: the options a preset passes on, and the settings that make it the paper's."""
    passed = {key: options[key] for key in keep if options[key] is not None}
    return Call(name, (), tuple((passed | settings).items()))


def _he_lin_minimax(options: CheckedOptions) -> Call:
    """Their depth 1 scores 0.47 and 0.48 against a random player, so it is a random player here."""
    if options["depth"] == 1:
        return Call("random")
    evaluation = {"simple": "discs", "complex": "corners"}[options["eval"]]
    return _spelled("minimax", options, ("depth",), eval=evaluation, win=0)


def _tenshi(options: CheckedOptions) -> Call:
    playout = Call("weighted", (), (("squares", options["squares"].canonical),)) if options["weighted"] else "uniform"
    settings: dict[str, Value] = {"expand": "all", "final": "win_rate", "reuse": True, "playout": _reparsed(playout)}
    return _spelled("uct", options, ("playouts", "seconds", "endgame"), **settings)


def _reparsed(value: Value) -> Value:
    """A nested call whose texts may be lists, as a value."""
    return parse(show(value))


def _tuned_terms(name: str, variant: str, gain: str, weights: str) -> Preset:
    """He's player with weights that `outflank tune` found from equal ones; docs/learning.md has the runs."""
    signature = Signature(
        name,
        f"he-reversed with tuned weights, for the {variant} game",
        (Option("depth", whole(1, 500), 4, "plies"),),
        f"ours: SPSA, 30,000 games; {gain} Elo against five_terms in 2,000 games at depth 4",
    )
    evaluation = parse(f"five_terms({weights})")
    return Preset(
        signature, lambda options: _spelled("minimax", options, ("depth",), eval=evaluation, order="positional")
    )


_TUNED_MATRIX = parse("positional(mobility=35, squares=[156, -22, 8, 13, -72, -20, -10, -5, -7, -3])")
_TUNED_FORMULA = parse("heuristic(formula=[153, 0, 25, 11, 490, 1])")
_PAPER_UCT: dict[str, Value] = {"backup": "agent", "final": "win_rate"}

PRESETS = {
    preset.signature.name: preset
    for preset in (
        Preset(
            Signature(
                "phan-synytsia-minimax",
                "alpha-beta to a fixed depth with 10 x position + 5 x mobility",
                (Option("depth", whole(1, 500), 3, "plies"), squares_option("nested")),
                "Phan & Synytsia",
            ),
            lambda options: _spelled(
                "minimax",
                options,
                ("depth",),
                eval=Call("positional", (), (("squares", options["squares"].canonical),)),
            ),
        ),
        Preset(
            Signature(
                "phan-synytsia-tuned",
                "phan-synytsia-minimax with a tuned matrix and weight of mobility, for the standard 8x8 game",
                (Option("depth", whole(1, 500), 3, "plies"),),
                "ours: SPSA, 12,000 games; +151 [+135, +167] Elo against the printed one in 2,000 games at depth 3",
            ),
            lambda options: _spelled("minimax", options, ("depth",), eval=_TUNED_MATRIX),
        ),
        Preset(
            Signature(
                "phan-synytsia-mcts",
                "tree search with a fixed number of playouts, points of the searching agent in every node",
                (Option("playouts", whole(1), 1000, "iterations"),),
                "Phan & Synytsia",
            ),
            lambda options: _spelled("uct", options, ("playouts",), **_PAPER_UCT, pass_node="leaf"),
        ),
        Preset(
            Signature(
                "he-lin-uct",
                "tree search for some seconds, a draw counts nothing",
                (_SECONDS, Option("playouts", whole(1), None, "in place of seconds")),
                "He & Lin",
            ),
            lambda options: _spelled("uct", options, ("seconds", "playouts"), **_PAPER_UCT, draw=0),
        ),
        Preset(
            Signature(
                "he-lin-minimax",
                "alpha-beta to a fixed depth; depth 1 is a random player",
                (
                    Option("depth", whole(1, 500), 3, "plies"),
                    Option(
                        "eval", choice("simple", "complex"), "simple", "discs, or 100 a corner, 4 an edge, 1 others"
                    ),
                ),
                "He & Lin",
            ),
            _he_lin_minimax,
        ),
        Preset(
            Signature("pure-mc", "250 random playouts for every move", source="Reversi with Monte Carlo Tree Search"),
            lambda options: Call("montecarlo", (), (("playouts", 250),)),
        ),
        Preset(
            Signature(
                "heuristic-mc",
                "250 playouts for every move, own moves by the one-ply formula",
                source="Reversi with Monte Carlo Tree Search",
            ),
            lambda options: Call("montecarlo", (), (("playouts", 250), ("playout", "own_heuristic"))),
        ),
        Preset(
            Signature(
                "heuristic-tuned",
                "the one-ply formula with tuned numbers, for the standard 8x8 game",
                source="ours: SPSA, 6,000 games; +188 [+171, +205] Elo against heuristic in 2,000 games",
            ),
            lambda options: _TUNED_FORMULA,
        ),
        Preset(
            Signature(
                "he-reversed",
                "alpha-beta with five terms in three phases for the reversed game",
                (Option("depth", whole(1, 500), 4, "plies"),),
                "Zean He",
            ),
            lambda options: _spelled("minimax", options, ("depth",), eval="five_terms", order="positional"),
        ),
        _tuned_terms(
            "he-tuned",
            "standard",
            "+114 [+99, +130]",
            "position=[10, 6, 2], mobility=[288, 224, 277], discs=[2, 1, 4], stability=[8, 294, 280], "
            "aggregation=[2, 1, 2]",
        ),
        _tuned_terms(
            "he-reversed-tuned",
            "reversed",
            "+158 [+142, +175]",
            "position=[3, 1, 1], mobility=[180, 113, 117], discs=[283, 49, 58], stability=[7, 293, 297], "
            "aggregation=[55, 17, 9]",
        ),
        Preset(
            Signature("he-reversed-uct", "tree search that plays out every child of a leaf", _WHAT_UCT, "Zean He"),
            lambda options: _spelled("uct", options, ("playouts", "seconds"), expand="all", final="win_rate", c=2),
        ),
        Preset(
            Signature(
                "tenshi",
                "tree search with weighted playouts, kept between moves, exact near the end",
                (
                    *_WHAT_UCT,
                    Option("weighted", flag(), True, "weighted or uniform playouts"),
                    squares_option("shy", "weights of the squares"),
                    Option("endgame", whole(0, 60), 10, "solve exactly when so many squares or fewer are empty"),
                ),
                "Tenshi",
            ),
            _tenshi,
        ),
    )
}
