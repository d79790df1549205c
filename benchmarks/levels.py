"""Writes src/outflank/agents/levels.toml: the levels of `outflank play` with their ratings.

    python benchmarks/levels.py [--games SHARE] [--store FILE] [--workers N]

Every level plays the two below it, from random openings of 8 plies, each opening with both colours, standard and
reversed, on 6x6 and 8x8; ratings are Elo above `random`. Games of weak levels take milliseconds, so they play more of
them; those of strong ones on 10x10 take a minute and are not played. The same command with the same store adds what is
missing.
"""

import argparse
import tempfile
from pathlib import Path
from typing import NamedTuple

from outflank import __version__
from outflank.agents import canonical, identity, text_of
from outflank.agents.kinds import LEVELS
from outflank.agents.levels import points_per_disc
from outflank.arena.ratings import Rating, collect, rate
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, Plan, PlannedPairing, plan_pairings
from outflank.arena.store import Store
from outflank.board import VARIANTS, Rules
from outflank.execute import Processes
from outflank.spec import Call

TARGET = Path(__file__).parent.parent / "src" / "outflank" / "agents" / "levels.toml"
_SIZES = (6, 8)
_REACH = 2
"""Every level plays so many below it."""


class Named(NamedTuple):
    """What a level is called, beside what it is."""

    name: str
    note: str
    elsewhere: str
    """The agent in its place on boards that the engine is not trained for."""
    pairs: int
    """Pairs of games against each of the levels below."""


_KNOWS = "eval=five_terms(aggregation=0)"
_LOOKS = f"{_KNOWS}, order=mobility, search=pvs"
NAMES = (
    Named("Random", "plays any legal move", "random", 0),
    Named("Newcomer", "likes corners, and misjudges most moves", "greedy", 300),
    Named("Beginner", "takes what looks good, and often errs", "uct(playouts=20, c=0.7)", 300),
    Named("Casual", "knows what is good, and errs now and then", f"minimax(depth=1, {_KNOWS}, ties=random)", 300),
    Named("Improver", "sees your answer, and often misjudges it", "uct(playouts=500, c=0.5)", 300),
    Named("Club", "sees your answer, with small errors", f"minimax(depth=3, {_LOOKS}, ties=random, endgame=8)", 300),
    Named("Advanced", "looks some moves ahead", f"minimax(depth=5, {_LOOKS}, hash_mb=1, endgame=12)", 300),
    Named("Expert", "looks far ahead, and hardly errs", f"minimax(depth=7, {_LOOKS}, hash_mb=2, endgame=14)", 300),
    Named(
        "Master",
        "makes no mistakes that a person sees",
        f"minimax(nodes=100000, {_LOOKS}, hash_mb=2, endgame=16, endgame_by=margin)",
        200,
    ),
    Named(
        "Grandmaster",
        "sees the end of the game while there is much to play",
        f"minimax(nodes=300000, {_LOOKS}, hash_mb=4, endgame=17, endgame_by=margin)",
        100,
    ),
    Named(
        "Strongest",
        "is as strong as it gets in a second",
        f"minimax(nodes=1000000, {_LOOKS}, hash_mb=8, endgame=18, endgame_by=margin)",
        20,
    ),
)
_ENGINES = [str(Call("engine", (), tuple(options.items()))) for options in LEVELS]
TEXTS = ("random", *_ENGINES)


def main() -> None:
    """Plays what is missing, rates and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=float, default=1.0, help="share of the usual number of games (default 1)")
    parser.add_argument("--store", help="where games are kept; a temporary file without")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    rated = [Rules(size, variant) for size in _SIZES for variant in VARIANTS]
    with tempfile.TemporaryDirectory() as place, Store(args.store or Path(place) / "levels.db") as store:
        plans = {str(rules): _plan(rules, args.games) for rules in rated}
        for rules, plan in plans.items():
            print(f"{rules}: {plan.games} games", flush=True)
            run_plan(plan, store, Processes(args.workers))
        ratings = {rules: _rated(plan, store) for rules, plan in plans.items()}
    TARGET.write_text(_document(ratings), encoding="utf-8")
    print(TARGET.read_text(encoding="utf-8"))


def _plan(rules: Rules, share: float) -> Plan:
    agents, conditions = [identity(text) for text in TEXTS], Conditions(seed=1)
    pairings: list[PlannedPairing] = []
    for number, named in enumerate(NAMES):
        below = [(agents[number], other) for other in agents[max(number - _REACH, 0) : number]]
        pairs = max(1, round(named.pairs * share))
        pairings += plan_pairings(below, [rules], pairs, "random(8)", conditions).pairings
    return Plan(tuple(pairings), conditions)


def _rated(plan: Plan, store: Store) -> dict[str, Rating]:
    keys = [slot.key for slot in plan.slots()]
    games = [(text_of(black), text_of(white), points, pair) for black, white, points, pair in store.outcomes(keys)]
    ratings = rate(collect(games), anchor=("random", 0.0))
    for warning in ratings.warnings:
        print(f"warning: {warning}")
    return {line.player: line for line in ratings.lines}


def _document(ratings: dict[str, dict[str, Rating]]) -> str:
    lines = [
        f"# Written by `make levels` (outflank {__version__}, every level against the two below it, random openings",
        "# of 8 plies): Elo above random with 95 % intervals. Do not edit.",
        "",
        "# What a disc at the end is worth in the analyst's evaluation.",
        "[points_per_disc]",
        *(f"{variant} = {points_per_disc(variant)}" for variant in VARIANTS),
    ]
    for named, text in zip(NAMES, TEXTS, strict=True):
        lines += ["", "[[level]]", f'name = "{named.name}"', f'text = "{text}"', f'elsewhere = "{named.elsewhere}"']
        lines += [f'note = "{named.note}"']
        lines += [f'ratings."{rules}" = {_row(table[canonical(text)])}' for rules, table in ratings.items()]
    return "\n".join(lines) + "\n"


def _row(line: Rating) -> str:
    ends = {"rating": line.elo.value, "low": line.elo.low, "high": line.elo.high}
    known = {name: line.elo.value if end is None else end for name, end in ends.items()}
    return "{" + ", ".join(f"{name} = {round(end)}" for name, end in known.items()) + f", games = {line.games}}}"


if __name__ == "__main__":
    main()
