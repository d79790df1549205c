"""How strong learned weights are: matches against opponents that do not change, with intervals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from outflank.arena.quick import match
from outflank.board import Rules
from outflank.learn.generations import Measure
from outflank.progress import Progress
from outflank.spec import Quoted, show


@dataclass(frozen=True)
class Anchor:
    """An opponent, and who plays it with what is measured."""

    player: str
    """With `{}` for the evaluation, or for the file of a network."""
    opponent: str
    openings: str = "random(6)"
    times: float = 1.0
    """How many times as many games: cheap ones are more, dear ones fewer."""


ANCHORS = (
    Anchor("league(eval={})", "league", "start", 10),
    Anchor("minimax(depth=4, eval={})", "random"),
    Anchor("minimax(depth=4, eval={})", "minimax(depth=4, eval=five_terms)"),
    Anchor("minimax(depth=4, eval={})", "engine(level=3)"),
    Anchor("minimax(depth=4, eval={})", "uct(playouts=10000)", times=0.2),
)
"""The league's own rules, then four plies ahead."""

NETWORK_ANCHORS = (
    Anchor("puct(network={}, playouts=100)", "random"),
    Anchor("puct(network={}, playouts=100)", "minimax(depth=4, eval=five_terms)"),
    Anchor("puct(network={}, playouts=100)", "engine(level=6)"),
    Anchor("puct(network={}, playouts=100)", "uct(playouts=1000)"),
    Anchor("puct(network={}, playouts=100)", "uct(playouts=10000)"),
)
"""Of networks that a tree search asks a hundred times a move."""


def anchors_for(rules: Rules) -> Iterator[Anchor]:
    """Those that whole agents meet by these rules: all but the league, and the engine where it is trained.

    >>> [anchor.opponent for anchor in anchors_for(Rules(12))]
    ['random', 'minimax(depth=4, eval=five_terms)', 'uct(playouts=10000)']
    """
    for anchor in ANCHORS:
        if anchor.opponent != "league" and not ("engine" in anchor.opponent and rules.size not in (6, 8, 10)):
            yield anchor


@dataclass(frozen=True)
class Strength:
    """A match with an anchor."""

    player: str
    """With `eval` for the evaluation."""
    measure: Measure


def strengths(
    path: Path,
    rules: Rules,
    games: int,
    seed: int = 0,
    progress: Progress | None = None,
    workers: int = 1,
    anchors: Sequence[Anchor] = ANCHORS,
) -> Iterator[Strength]:
    """What the weights of a file score against every anchor that can play by these rules."""
    told, file = progress or Progress(), show(Quoted(path))
    learned = f"patterns(weights={file})" if anchors is ANCHORS else file
    for anchor in anchors:
        if "engine" in anchor.opponent and rules.size not in (6, 8, 10):
            continue
        told.say(f"against {anchor.opponent}")
        result = match(
            anchor.player.format(learned),
            anchor.opponent,
            games=max(2, round(games * anchor.times)),
            rules=rules,
            openings=anchor.openings if rules.size > 4 or anchor.openings == "start" else "random(4)",
            seed=seed,
            workers=workers,
        )
        yield Strength(anchor.player.format("…"), Measure.of(anchor.opponent, result))
