"""Decisions that must not change: `python tests/golden_decisions.py` writes them to `golden/decisions.json`.

With names of kinds behind it, it asks only those anew and keeps the decisions of all others, which saves minutes.
Whoever changes what a kind of agent decides raises its `behaviour` in `agents/kinds.py` first, because games of the old
behaviour must not be mixed with games of the new one, and then runs this.
"""

import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from outflank.agents import agent, canonical
from outflank.agents.kinds import KINDS
from outflank.board import Position, Rules, Variant
from outflank.errors import BadSpec
from outflank.spec import parse
from support import ROOT

FILE = ROOT / "tests" / "golden" / "decisions.json"
SIZES = (4, 6, 8, 12)
"""Size classes: solved at once, small, usual, and a board of four words."""
VARIANTS: tuple[Variant, ...] = ("standard", "reversed")

_MINIMAX = (
    *("eval=discs", "eval=corners", "eval=positional", "eval=five_terms", "eval=five_terms(aggregation=0)"),
    *("eval=positional(squares=classic)", "eval=terms(mobility=[1, 2], discs=1, phase_ends=[20], squares=corners)"),
    *("search=plain", "search=pvs", "search=pvs, order=mobility, hash_mb=1", "order=positional", "order=worst_first"),
    *("order=eval", "ties=random, eval=discs", "eval_view=mover", "eval_view=black", "pass_costs_depth=no"),
    *("win=0", "win_margin=yes", "endgame=8", "endgame=8, endgame_by=margin"),
    "search=bounds, eval=discs, order=eval, hash_mb=1",
)
_PLAYOUTS = (
    *("uniform", "heuristic", "own_heuristic", "own_heuristic(squares=nested, empties=after)", "epsilon(0.3)"),
    *("weighted", "weighted(squares=flat)", "cutoff(depth=3)", "cutoff(depth=3, eval=five_terms, scale=50)"),
)
_UCT = (
    *("c=0.7", "expand=all", "backup=agent", "backup=black", "log=siblings", "log=layer", "final=win_rate"),
    *("pass_node=leaf", "draw=0", "tree=flat", "reuse=yes", "leaf_playouts=8", "endgame=8"),
    *("endgame=8, endgame_by=margin", "instant=no", "leaves=8", "leaves=8, reuse=yes, expand=all"),
    *("leaves=4, leaf_playouts=3", "leaves=8, playout=own_heuristic"),
)
TEXTS = (
    *("random", "greedy", "greedy(ties=first)", "heuristic", "heuristic(squares=nested, empties=after)"),
    *("league", "league(eval=five_terms, random=0.5)", "league(eval=patterns(weights=snakes))"),
    *(f"minimax(depth=3, {options})" for options in _MINIMAX),
    *("minimax(nodes=500)", "minimax(nodes=500, search=pvs, order=mobility, hash_mb=1)"),
    *(f"montecarlo(playouts=6, playout={playout})" for playout in _PLAYOUTS),
    *(f"uct(playouts=40, playout={playout})" for playout in _PLAYOUTS),
    *(f"uct(playouts=60, {options})" for options in _UCT),
    *("uct(nodes=500)", "solver(nodes=2000)", "solver(nodes=2000, by=wdl)"),
    *("engine(depth=5)", "engine(nodes=3000)", "engine(depth=2, error=4)", "engine(depth=4, confidence=100)"),
    *("puct(playouts=6)", "puct(playouts=6, root=puct, c=3, endgame=6)"),
    *(
        "phan-synytsia-minimax(3)",
        "phan-synytsia-tuned(3)",
        "phan-synytsia-mcts(50)",
        "he-lin-uct(playouts=50)",
        "he-lin-minimax(1)",
    ),
    *("he-lin-minimax(3)", "he-lin-minimax(3, complex)", "pure-mc", "heuristic-mc", "he-reversed(3)"),
    *("he-tuned(3)", "he-reversed-tuned(3)", "heuristic-tuned"),
    *("he-reversed-uct(50)", "tenshi(50, endgame=8)", "tenshi(50, weighted=no)"),
)


def positions() -> dict[str, str]:
    """By name such as `8 standard 2` a position of a random game: early, in the middle, near the end."""
    found = {}
    for size in SIZES:
        for variant in VARIANTS:
            for stage, empties in enumerate((size * size - 5, size * size // 2, min(size + 1, 8))):
                found[f"{size} {variant} {stage}"] = _random_position(size, variant, empties).line()
    return found


def _random_position(size: int, variant: Variant, empties: int) -> Position:
    """A position of a random game with so many empty squares and something to choose."""
    rng = random.Random(f"{size} {variant} {empties}")
    while True:
        position = Position.start(Rules(size, variant))
        while position.moves and position.empties > empties:
            position = position.play(rng.choice(position.moves))
        if len(position.moves) > 1:
            return position


def _plays(text: str, size: int, variant: Variant) -> bool:
    """Whether an agent is made for such boards."""
    try:
        agent(text).check_rules(Rules(size, variant))
    except BadSpec:
        return False
    return True


def decided(text: str, line: str, variant: Variant) -> Iterator[list[Any]]:
    """[move, value, nodes, playouts, depth] of an agent; of one that keeps its tree in the next position too."""
    player, position = agent(text), Position.parse(line, variant)
    for _ in range(2 if "reuse=yes" in player.text else 1):
        if len(position.moves) < 2:
            return
        decision = player.choose(position, seed=1)
        yield [str(decision.move), decision.value, decision.nodes, decision.playouts, decision.depth]
        position = position.play(decision.move)
        position = position.play(position.moves[0]) if position.moves else position


def kind_of(text: str) -> str:
    """The kind that an agent is of, whatever preset names it."""
    return parse(canonical(text)).name


def decisions(kind: str, places: dict[str, str]) -> dict[str, list[list[Any]]]:
    """What the agents of a kind decide, by text and position."""
    found = {}
    for text in TEXTS:
        if kind_of(text) == kind:
            for name, line in places.items():
                variant: Any = name.split()[1]
                if not _plays(text, int(name.split()[0]), variant):
                    continue
                found[f"{text} | {name}"] = list(decided(text, line, variant))
    return found


def main(asked: list[str]) -> None:
    """Writes the file, unless a kind decides otherwise under its old number."""
    old: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {"behaviour": {}, "decisions": {}}
    places = positions()
    kinds = sorted({kind_of(text) for text in TEXTS})
    unknown = set(asked) - set(kinds)
    if unknown:
        raise SystemExit(f"TEXTS has no agent of kind {', '.join(unknown)}; expected some of {', '.join(kinds)}")
    new = {kind: decisions(kind, places) if kind in (asked or kinds) else old["decisions"][kind] for kind in kinds}
    behaviour = {kind: KINDS[kind].behaviour if kind in (asked or kinds) else old["behaviour"][kind] for kind in kinds}
    before: dict[str, dict[str, Any]] = defaultdict(dict, old["decisions"])
    for kind, found in new.items():
        same = all(before[kind].get(key, made) == made for key, made in found.items())
        if not same and old["behaviour"].get(kind) == behaviour[kind]:
            raise SystemExit(f"{kind} decides otherwise than before: raise its behaviour in agents/kinds.py first")
    FILE.write_text(_written({"behaviour": behaviour, "positions": places, "decisions": new}))


def _written(facts: dict[str, Any]) -> str:
    """JSON with one decision to a line."""
    parts = {key: facts[key] for key in ("behaviour", "positions")}
    text = json.dumps(parts, indent=1)[:-2]
    kinds = [
        f'  "{kind}": {{\n'
        + ",\n".join(f"   {json.dumps(key)}: {json.dumps(rows)}" for key, rows in found.items())
        + "\n  }"
        for kind, found in facts["decisions"].items()
    ]
    return text + ',\n "decisions": {\n' + ",\n".join(kinds) + "\n }\n}\n"


if __name__ == "__main__":
    main(sys.argv[1:])
