"""Names in a table: numbers in its order, and texts cut to fit."""

from collections.abc import Sequence

from outflank.agents.names import short_names

_LONGEST = 40


def numbered(agents: Sequence[str]) -> dict[str, str]:
    """Every agent as number and short name, in this order.

    >>> numbered(["random", "greedy(ties=random)"])
    {'random': '1 random', 'greedy(ties=random)': '2 greedy'}
    """
    return {text: f"{place} {name}" for place, (text, name) in enumerate(short_names(agents).items(), 1)}


def clipped(text: str, longest: int = _LONGEST) -> str:
    """A text that fits beside a drawing.

    >>> clipped("minimax(depth=3)", 10)
    'minimax(d…'
    """
    return text if len(text) <= longest else text[: longest - 1] + "…"
