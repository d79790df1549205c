"""Agents by text: `agent("uct(playouts=1000)")`; `registry` has the interface, `presets` the players of the papers."""

from outflank.agents.check import CheckReport, check_agent
from outflank.agents.identities import behaviour, identity, text_of
from outflank.agents.registry import Agent, agent, agent_signatures, canonical
from outflank.search.player import Player

__all__ = [
    "Agent",
    "CheckReport",
    "Player",
    "agent",
    "agent_signatures",
    "behaviour",
    "canonical",
    "check_agent",
    "identity",
    "text_of",
]
