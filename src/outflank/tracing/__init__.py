"""How the searches think, step by step, for lessons: what an agent does in a position, as a list of events.

`trace(agent, position)` searches once more, slowly and in plain Python, by the rules of the compiled searches, and
notes every step: a node entered, a value taken, a branch cut; a path walked, a game played out, a result credited. The
random numbers are those of the kernels too, so that the values, nodes, visits and moves of a trace are those of the
agent; `tests/test_tracing.py` compares them. Traces are bounded, and say where they end.
"""

from outflank.tracing.agents import Trace, trace
from outflank.tracing.flat import FlatTrace, PlayoutOf
from outflank.tracing.minimax import Cut, Entered, MinimaxTrace, Taken, Valued
from outflank.tracing.uct import Scored, Simulated, UctTrace

__all__ = [
    "Cut",
    "Entered",
    "FlatTrace",
    "MinimaxTrace",
    "PlayoutOf",
    "Scored",
    "Simulated",
    "Taken",
    "Trace",
    "UctTrace",
    "Valued",
    "trace",
]
