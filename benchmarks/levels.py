"""Writes src/outflank/agents/levels.toml: the levels of `outflank play` with their ratings, and the analyst's scale.

    python benchmarks/levels.py [--pairs N] [--store FILE] [--workers N]

Every level plays those one and two steps away from it, on 8x8 from random openings of 8 plies, each opening with both
colours; ratings are Elo above `random`. The scale is a regression of exact final margins on the analyst's estimates,
in positions of the games of the stronger levels. The same command with the same store adds what is missing.
"""

import argparse
import tempfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from outflank import __version__
from outflank.agents import canonical, identity, text_of
from outflank.analysis import WIN, analyst
from outflank.arena.ratings import Rating, collect, rate
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, Plan, plan_pairings
from outflank.arena.store import Store
from outflank.board import VARIANTS, Rules, Variant
from outflank.execute import Processes
from outflank.search.limits import Limits
from outflank.search.solver import solve

TARGET = Path(__file__).parent.parent / "src" / "outflank" / "agents" / "levels.toml"

_STRONG = "eval=five_terms(aggregation=0), order=mobility, search=pvs"
LEVELS = (
    ("Random", "random", "plays any legal move"),
    ("Newcomer", "greedy", "takes as many discs as it can, or as few in the reversed game"),
    ("Beginner", "uct(playouts=20, c=0.7)", "plays twenty games out at random and goes by them"),
    (
        "Casual",
        "minimax(depth=1, eval=five_terms(aggregation=0), ties=random)",
        "knows what is good, and looks no further",
    ),
    ("Improver", "uct(playouts=500, c=0.5)", "has a plan and gives some away"),
    ("Club", f"minimax(depth=3, {_STRONG}, ties=random, endgame=8)", "looks three moves ahead and values mobility"),
    ("Advanced", f"minimax(depth=5, {_STRONG}, hash_mb=1, endgame=12)", "looks five ahead, counts the end"),
    ("Expert", f"minimax(depth=7, {_STRONG}, hash_mb=2, endgame=14)", "looks seven ahead, counts the last fourteen"),
    (
        "Strongest",
        f"minimax(nodes=1000000, {_STRONG}, hash_mb=8, endgame=18, endgame_by=margin)",
        "a million positions a move, perfect from eighteen empty squares on",
    ),
)
_CALIBRATED_BY = 4
"""The games of so many of the strongest levels serve the scale."""
_EMPTIES = (14, 18)
_DEPTH = 8
_POSITIONS = 200


def main() -> None:
    """Plays what is missing, rates and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=16, help="pairs of games for every two levels that meet")
    parser.add_argument("--store", help="where games are kept; a temporary file without")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, Store(args.store or Path(place) / "levels.db") as store:
        plans = {variant: _plan(variant, args.pairs) for variant in VARIANTS}
        for variant, plan in plans.items():
            print(f"{variant}: {plan.games} games", flush=True)
            run_plan(plan, store, Processes(args.workers))
        ratings = {variant: _rated(plan, store) for variant, plan in plans.items()}
        scales = {variant: _points_per_disc(plan, store) for variant, plan in plans.items()}
    TARGET.write_text(_document(ratings, scales, args.pairs), encoding="utf-8")
    print(TARGET.read_text(encoding="utf-8"))


def _plan(variant: Variant, pairs: int) -> Plan:
    texts = [identity(text) for _, text, _ in LEVELS]
    pairings = [(texts[i], other) for i in range(len(texts)) for other in texts[i + 1 : i + 3]]
    return plan_pairings(pairings, [Rules(8, variant)], pairs, "random(8)", Conditions(seed=1))


def _rated(plan: Plan, store: Store) -> dict[str, Rating]:
    keys = [slot.key for slot in plan.slots()]
    games = [(text_of(black), text_of(white), points, pair) for black, white, points, pair in store.outcomes(keys)]
    ratings = rate(collect(games), anchor=("random", 0.0))
    for warning in ratings.warnings:
        print(f"warning: {warning}")
    return {line.player: line for line in ratings.lines}


def _points_per_disc(plan: Plan, store: Store) -> tuple[float, float]:
    """(points that stand for a disc, correlation of estimates and exact margins)."""
    pairs = list(islice(_estimates(plan, store), _POSITIONS))
    squares = sum(points * points for points, _ in pairs)
    products = sum(points * margin for points, margin in pairs)
    margins = sum(margin * margin for _, margin in pairs)
    return squares / products, products / (squares * margins) ** 0.5


def _estimates(plan: Plan, store: Store) -> Iterator[tuple[float, float]]:
    """(analyst's points, exact margin) of one position of each game between strong levels."""
    keys = {slot.key for slot in plan.slots()}
    strong = {canonical(text) for _, text, _ in LEVELS[-_CALIBRATED_BY:]}
    search = analyst()
    for number, game in enumerate(store.games()):
        if game.tags["key"] not in keys or not {game.black, game.white} <= strong:
            continue
        empties = _EMPTIES[0] + number % (_EMPTIES[1] - _EMPTIES[0] + 1)
        position = next((position for position in game.positions if position.empties <= empties), game.end)
        if not position.moves_mask:
            continue
        found = [decision.value or 0.0 for decision in search.think(position, Limits(depth=_DEPTH), seed=0)]
        if max(map(abs, found)) < WIN / 2:
            yield sum(found[-2:]) / 2, float(solve(position).score or 0)


def _document(ratings: dict[Variant, dict[str, Rating]], scales: dict[Variant, tuple[float, float]], pairs: int) -> str:
    lines = [
        f"# Written by `make levels` (outflank {__version__}, {pairs} pairs of games for every two levels at most two",
        "# steps apart, 8x8, random openings of 8 plies): Elo above random with 95 % intervals. Do not edit.",
        "",
        "# What a disc at the end is worth in the analyst's evaluation; correlation of estimates and exact margins: "
        + ", ".join(f"{variant} {correlation:.2f}" for variant, (_, correlation) in scales.items()),
        "[points_per_disc]",
        *(f"{variant} = {points:.1f}" for variant, (points, _) in scales.items()),
    ]
    for name, text, note in LEVELS:
        lines += ["", "[[level]]", f'name = "{name}"', f'text = "{text}"', f'note = "{note}"']
        lines += [f"ratings.{variant} = {_row(table[canonical(text)])}" for variant, table in ratings.items()]
    return "\n".join(lines) + "\n"


def _row(line: Rating) -> str:
    ends = {"rating": line.elo.value, "low": line.elo.low, "high": line.elo.high}
    known = {name: line.elo.value if end is None else end for name, end in ends.items()}
    return "{" + ", ".join(f"{name} = {round(end)}" for name, end in known.items()) + f", games = {line.games}}}"


if __name__ == "__main__":
    main()
