"""How strength grows with playouts: games that were played once on a GPU, kept as data.

No study can play them again without the card, so that they are no pairings: `data/scaling.csv` has a line for every
match, with the agent, its opponent and what played; `benchmarks/scaling.py` plays them again where there is a card.
Games began with six random moves, each opening with both colours.
"""

from outflank.arena.statistics.measured import Measured
from outflank.report.document import Figure, Table
from outflank.report.figures import Scales, points_with_intervals
from outflank.studies.study import read_rows
from outflank.studies.words import evidence, points, with_interval

OPPONENTS = {
    "minimax 2": "minimax(depth=2, eval=five_terms)",
    "minimax 4": "minimax(depth=4, eval=five_terms)",
    "engine 3": "engine(level=3)",
    "engine 4": "engine(level=4)",
}
_MATCHES = (("flat", "minimax 2"), ("flat", "engine 3"), ("tree", "minimax 4"), ("tree", "engine 4"))
_SAME = ("as a billion", "itself")


def _measured() -> dict[tuple[str, str], dict[int, Measured]]:
    """The share of points by search and opponent, then by playouts a move."""
    found: dict[tuple[str, str], dict[int, Measured]] = {}
    for row in read_rows("scaling.csv"):
        games = int(row["games"])
        share = Measured("share", float(row["points"]) / games, games)
        found.setdefault((row["search"], row["opponent"]), {})[int(row["playouts"])] = share
    return found


def scaling_table() -> Table:
    """Points by playouts a move, flat and in a tree; and how often flat Monte Carlo decides as with a billion.

    >>> scaling_table().rows[0][:2]
    ['1,000', '34 % [25, 44] of 100 games']
    """
    measured = _measured()
    playouts = sorted({number for row in measured.values() for number in row})
    rows = [
        [f"{number:,}", *(_shown(measured[key].get(number), key) for key in (*_MATCHES, _SAME))] for number in playouts
    ]
    heads = [f"{search}, against {OPPONENTS[opponent]}" for search, opponent in _MATCHES]
    return Table(
        ["playouts a move", *heads, "flat, same move as with 1,000,000,000"],
        rows,
        "Strength against playouts: points of flat Monte Carlo and of tree search, 8x8",
        "Flat Monte Carlo and its decisions (40 positions, two seeds each) on one NVIDIA H200, tree search on a core "
        "beside it up to 100,000 playouts, and on the card beyond, with 32, 256 and 1024 playouts a leaf; nine moves "
        "on average share the playouts of a flat move. Not played again by this report.",
    )


def _shown(share: Measured | None, key: tuple[str, str]) -> str:
    if share is None:
        return ""
    return with_interval(share) if key == _SAME else evidence(share)


def scaling_figure() -> Figure:
    """The same as curves.

    >>> len(scaling_figure().panels)
    3
    """
    measured, panels = _measured(), []
    for title, keys in (
        ("flat, points", _MATCHES[:2]),
        ("tree, points", _MATCHES[2:]),
        ("flat, same move as with a billion", (_SAME,)),
    ):
        scales = Scales(x="playouts a move", y="share", title=title, share=True)
        series = [points(key[1], [_power(n) for n in measured[key]], list(measured[key].values())) for key in keys]
        panels.append(points_with_intervals(series, scales, joined=True))
    return Figure("scaling", "Strength against playouts", panels, size=(12.6, 3.8))


def _power(number: int) -> str:
    """A power of ten as people write it."""
    return "10" + "⁰¹²³⁴⁵⁶⁷⁸⁹"[len(str(number)) - 1]
