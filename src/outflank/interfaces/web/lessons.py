"""The verb `trace`: what an agent does in a position, step by step, for the lessons of the page."""

from collections.abc import Generator
from typing import Any

from outflank.agents.levels import agent_text
from outflank.game import Game
from outflank.interfaces.web.agents import Page
from outflank.interfaces.web.messages import Fields
from outflank.interfaces.web.security import page_agent
from outflank.tracing import FlatTrace, MinimaxTrace, trace


def trace_answers(fields: Fields, page: Page) -> Generator[dict[str, Any], None, dict[str, Any]]:
    """The trace of an agent as plain data, with the agent in full; it takes a second or two at most."""
    yield from ()
    game: Game = fields["game"]
    who = page_agent(agent_text(fields["agent"], game.rules), page.caps)
    found = trace(who, game.end, fields["seed"])
    method = "minimax" if isinstance(found, MinimaxTrace) else "flat" if isinstance(found, FlatTrace) else "uct"
    return {"kind": "trace", "method": method, "agent": who.text, **found.facts()}
