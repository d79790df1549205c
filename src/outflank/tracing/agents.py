"""`trace`: the one way in, for any agent whose search can be traced."""

from outflank.agents import Agent, agent
from outflank.agents.players import WithEndgame
from outflank.board import Position
from outflank.errors import BadSpec
from outflank.inputs import expect
from outflank.search.minimax import MinimaxSearch
from outflank.search.montecarlo import FlatMonteCarlo
from outflank.search.uct import UctSearch
from outflank.tracing.flat import FlatTrace, trace_flat
from outflank.tracing.minimax import MinimaxTrace, trace_minimax
from outflank.tracing.uct import UctTrace, trace_uct

Trace = MinimaxTrace | UctTrace | FlatTrace


def trace(player: Agent | str, position: Position, seed: int = 0) -> Trace:
    """What an agent does in a position, step by step: its values, nodes, visits and move are those of `choose`.

    Minimax of a fixed depth, tree search and flat Monte Carlo of a fixed number of playouts can be traced; others are
    refused by BadSpec. A trace is bounded: `complete` says whether it is all of the search.

    >>> found = trace("minimax(depth=2, eval=discs)", Position.start())
    >>> found.move, found.nodes, type(found.events[0]).__name__
    (d3, 11, 'Entered')
    """
    expect(Position, position=position)
    expect(int, seed=seed)
    who = agent(player)
    who.check_rules(position.rules)
    if position.is_over or position.must_pass:
        raise BadSpec(f"{position.turn} has no choice here; expected a position with a square to play")
    search = who.player
    if isinstance(search, WithEndgame):
        if position.empties <= search.empties:
            raise BadSpec(f"{who.label} solves this position by its endgame option; expected one without endgame")
        search = search.player
    if isinstance(search, MinimaxSearch):
        return trace_minimax(search, position, _limit(who, "depth"))
    if isinstance(search, UctSearch):
        return trace_uct(search, position, _limit(who, "playouts"), seed)
    if isinstance(search, FlatMonteCarlo) and search.playouts is not None:
        _limit(who, "playouts")
        return trace_flat(search, position, search.playouts, seed)
    raise BadSpec(f"{who.label} cannot be traced; expected minimax, uct or montecarlo")


def _limit(who: Agent, name: str) -> int:
    """The depth or the playouts of an agent that nothing else bounds."""
    others = who.limits.bounds - {name}
    if others:
        raise BadSpec(f"{who.label} is bounded by {', '.join(sorted(others))}; expected {name} alone for a trace")
    found: int | None = getattr(who.limits, name) or getattr(who.fallback, name)
    return found or 0
