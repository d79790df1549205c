"""Outflank as somebody else's engine: `outflank engine AGENT --protocol gtp|nboard` for any GUI or arena.

`lines` reads what the other side sends, ahead of what is being done, so that a thought can be ended by the next line;
`seat` is what both protocols share: an agent, the game it was told, its decisions; `gtp` and `nboard` are the
protocols. A protocol answers one line at a time and may refuse it in its own words; whatever else goes wrong, such as
a person's agent that raises, is told in the same words, and the next line is served.
"""

from outflank.interfaces.engine.gtp import GtpServer
from outflank.interfaces.engine.lines import Lines
from outflank.interfaces.engine.nboard import NBoardServer
from outflank.interfaces.engine.seat import Server

PROTOCOLS: dict[str, type[Server]] = {"gtp": GtpServer, "nboard": NBoardServer}

__all__ = ["PROTOCOLS", "GtpServer", "Lines", "NBoardServer", "Server"]
