"""The Othello position evaluation league: players of one ply against the standard weighted piece counter.

Of the league these were found and are played as they are: the weights of the standard piece counter (Yoshioka, Ishii &
Ito 1999, as in Lucas & Runarsson 2006), one ply, every move of either player random with probability 0.1, ties drawn,
each colour equally often, a draw half a point, finished games valued by the evaluation like any other position. The
score of nearly 96 % for a network of 288 weights, and the title that says more than 90 %, are those of Jaśkowski 2014.
Its tables could not be read here, nor those of Lucas 2008: only what their titles and abstracts say is a claim below.
How many games are behind the 96 % is not known: the error that it is given here is its rounding alone. The published
network was evolved against the standard piece counter; ours learned by temporal differences from games against it.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from outflank.arena.statistics.comparisons import Contrast
from outflank.arena.statistics.measured import Measured, mean
from outflank.board import VARIANTS, Rules, Variant
from outflank.learn.temporal import Plan, State, league, learn_blocks
from outflank.report.document import Figure, Table
from outflank.report.figures import Scales, points_with_intervals
from outflank.studies.results import Results
from outflank.studies.study import Claim, Pairing, PaperTable, Study, Swap, Timing, read_printed
from outflank.studies.words import evidence, points

EVALUATIONS = {
    "pairs": "patterns(weights=pairs)",
    "triples": "patterns(weights=triples)",
    "snakes": "patterns(weights=snakes)",
    "package": "patterns",
    "five terms": "five_terms",
    "positional": "positional",
    "discs": "discs",
}
"""Who plays in the league: networks learned by temporal differences against it, and evaluations of other origin."""
LEARNERS = {
    "straight(2)": "every straight pair (288 weights)",
    "straight(3)": "every straight triple (648)",
    "snakes(10, 3)": "10 snakes of 3 (270)",
    "squares": "a weighted piece counter (10)",
}
"""Networks that learn anew, several times each."""
EARLY = "snakes(12, 6) after 500 games"
_FULL, _QUICK = (60_000, 5), (6_000, 3)
"""Games of learning and number of seeds."""
_MEASURED_GAMES = 4_000


def _name(who: str, variant: Variant) -> str:
    return who if variant == "standard" else f"{who}, reversed"


def _points(results: Results, name: str) -> Measured | None:
    return mean([game.points for game in results[name]])


# --- learning ------------------------------------------------------------------------------------------------------


def learned_scores(network: str, games: int, seeds: int) -> list[float]:
    """The league score of networks that learned from so many games, one for every seed."""
    found = []
    for seed in range(seeds):
        state = State.begin(Plan(Rules(8), network, games=games, seed=seed))
        for _ in learn_blocks(state, league_games=0):
            pass
        losses, draws, wins = league(state.learned(), seed, _MEASURED_GAMES)
        found.append((wins + 0.5 * draws) / (losses + draws + wins))
    return found


def pairs_learn(quick: bool) -> list[float]:
    """Of every straight pair."""
    return learned_scores("straight(2)", *(_QUICK if quick else _FULL))


def triples_learn(quick: bool) -> list[float]:
    """Of every straight triple."""
    return learned_scores("straight(3)", *(_QUICK if quick else _FULL))


def snakes_learn(quick: bool) -> list[float]:
    """Of as many weights in random snakes as all pairs have."""
    return learned_scores("snakes(10, 3)", *(_QUICK if quick else _FULL))


def squares_learn(quick: bool) -> list[float]:
    """Of a weighted piece counter."""
    return learned_scores("squares", *(_QUICK if quick else _FULL))


def early_learn(quick: bool) -> list[float]:
    """Of snakes after 500 games."""
    return learned_scores("snakes(12, 6)", 500, 3 if quick else 10)


_WORKS = dict(zip([*LEARNERS, EARLY], ("pairs", "triples", "snakes", "squares", "early"), strict=True))


def _learned(results: Results, name: str) -> Measured | None:
    return mean(results.timing(name))


# --- what is shown -------------------------------------------------------------------------------------------------


def _tables(results: Results) -> Sequence[Table]:
    rows = [
        [who, text, *(evidence(_points(results, _name(who, variant))) for variant in VARIANTS)]
        for who, text in EVALUATIONS.items()
    ]
    league_table = Table(
        ["player", "evaluation", *(f"points, {variant}" for variant in VARIANTS)],
        rows,
        "One ply against the standard piece counter, a tenth of all moves random",
        "In the reversed game the weights of the piece counter change sign.",
        "league",
    )
    learned = [[words, evidence(_learned(results, name)).replace("games", "runs")] for name, words in LEARNERS.items()]
    learned.append(["12 snakes of 6 after 500 games", evidence(_learned(results, EARLY)).replace("games", "runs")])
    note = f"{_FULL[0]:,} games of self-play a run where not told, {_QUICK[0]:,} at the quick scale; 95 % over runs."
    return league_table, Table(["network", "points in the league"], learned, "Learned anew", note, "learned")


def _figures(results: Results) -> Sequence[Figure]:
    found = {name: _learned(results, name) for name in LEARNERS}
    if not any(found.values()):
        return ()
    scales = Scales("network", "points in the league", share=True)
    drawing = points_with_intervals([points("ours", list(found), list(found.values()))], scales)
    caption = "Networks by temporal differences from equally many games of self-play; intervals over seeds"
    return (Figure("league-learners", caption, drawing),)


# --- the study -----------------------------------------------------------------------------------------------------


def _beats(name: str, least: float, results: Results) -> list[Contrast]:
    return [Contrast(f"points of {name}", _points(results, name), least, effect=0.0)]


def _learns_better(first: str, second: str, results: Results) -> list[Contrast]:
    words = f"points after learning, {first} over {second}"
    return [Contrast(words, _learned(results, first), _learned(results, second), effect=0.01)]


def _learns_as_well(results: Results) -> list[Contrast]:
    pair = _learned(results, "straight(2)"), _learned(results, "straight(3)")
    return [Contrast("points after learning, straight(2) over straight(3)", *pair, "not below", 0.02)]


def _early(results: Results) -> list[Contrast]:
    return [Contrast("points after 500 games of self-play", _learned(results, EARLY), 0.5, effect=0.0)]


def _instead(text: str, pairing: Pairing) -> Pairing:
    return replace(pairing, a=text, games=200, quick=100, large=400) if pairing.name == "pairs" else pairing


def study() -> Study:
    """The league."""
    pairings = [
        Pairing(
            _name(who, variant),
            f"league(eval={text})",
            "league",
            1000,
            Rules(8, variant),
            quick=200,
            large=8000 if who == "pairs" else 2000,
            seconds=0.01,
        )
        for variant in VARIANTS
        for who, text in EVALUATIONS.items()
    ]
    return Study(
        name="othello-league",
        title="The Othello league: one ply and n-tuple networks",
        citation="W. Jaśkowski: Systematic n-tuple networks for Othello position evaluation, ICGA Journal 37(2), 2014 "
        "(arXiv:1406.1509); S. M. Lucas: Learning to play Othello with n-tuple systems, 2008; S. M. Lucas & T. P. "
        "Runarsson: Temporal difference learning versus co-evolution for acquiring Othello position evaluation, 2006.",
        summary="Players of one ply meet the standard weighted piece counter, with a tenth of all moves random: "
        "networks learned by temporal differences, and other evaluations. Networks of several kinds learn anew from "
        "several seeds.",
        pairings=tuple(pairings),
        paper_tables=(
            PaperTable(
                "Abstract",
                "A network of all straight pairs",
                lambda results, row, column: _points(results, row),
                "Theirs was evolved, ours learned by temporal differences",
            ),
        ),
        printed=read_printed("othello_league.csv"),
        claims=(
            Claim(
                "A network of all straight pairs exceeds 90 % in the league",
                "Jaśkowski 2014, title",
                partial(_beats, "pairs", 0.9),
                "Theirs was evolved, ours learned by temporal differences",
            ),
            Claim(
                "An n-tuple network at one ply reaches the best published score",
                "Jaśkowski 2014, abstract: nearly 96 %",
                partial(_beats, "snakes", 0.96),
            ),
            Claim(
                "All straight pairs learn better than as many weights in random snakes",
                "Jaśkowski 2014, abstract",
                partial(_learns_better, "straight(2)", "snakes(10, 3)"),
                "There an evolution strategy learned, here temporal differences",
            ),
            Claim(
                "Straight runs of two are enough",
                "Jaśkowski 2014, abstract",
                _learns_as_well,
                "There an evolution strategy learned, for which fewer weights are easier",
            ),
            Claim(
                "n-tuple networks beat the piece counter after 500 games of self-play",
                "Lucas 2008, abstract",
                _early,
                "The rate of learning here is one for long runs, and theirs is not known",
            ),
            Claim(
                "n-tuple networks learn better than weighted piece counters",
                "Lucas 2008, abstract",
                partial(_learns_better, "straight(2)", "squares"),
            ),
        ),
        swaps=(
            Swap("a piece counter for the network", ("Abstract",), partial(_instead, "league")),
            Swap("random for the network", ("Abstract",), partial(_instead, "random")),
        ),
        differences=(
            "The networks of the package learned by `outflank learn td --opponent league`, from games against the "
            "standard piece counter; the published one was evolved against it. Networks that learn anew do so from "
            "self-play, which is harder: they never meet the opponent that they are measured by.",
            "The number of games behind the printed score is not known; its error here is that of rounding.",
            "Lucas 2008 compares with the best piece counter and the best neural network of an earlier paper, whose "
            "weights could not be read here: the standard piece counter stands in their place.",
            "The tables and curves of the papers could not be read here: only what their titles and abstracts say is "
            "compared.",
        ),
        timings=tuple(
            Timing(name, f"outflank.studies.othello_league:{work}_learn", "league") for name, work in _WORKS.items()
        ),
        figures=_figures,
        tables=_tables,
    )
