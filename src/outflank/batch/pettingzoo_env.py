"""Reversi as an environment of PettingZoo: two agents, `black_0` and `white_0`, one after the other (AEC).

    env = pettingzoo_env.env("standard 8x8")

Extra: `outflank[environments]`.
"""

from typing import Any

import numpy as np

from outflank.batch.views import legal_actions, observed
from outflank.board import Color, Position, Rules
from outflank.errors import BadSpec, MissingExtra
from outflank.inputs import shown

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError:
    raise MissingExtra("environments of PettingZoo need gymnasium and pettingzoo", "environments") from None


_COLORS = {"black_0": Color.BLACK, "white_0": Color.WHITE}


def env(rules: Rules | str = "standard 8x8", render_mode: str | None = None) -> Any:
    """The environment with PettingZoo's usual guards: an action that is not legal loses the game at once.

    >>> game = env("standard 4x4")
    >>> game.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = game.last()
    >>> game.agent_selection, observation["action_mask"].nonzero()[0].tolist()
    ('black_0', [1, 4, 11, 14])
    """
    guarded = wrappers.TerminateIllegalWrapper(ReversiAEC(rules, render_mode), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(guarded))


class ReversiAEC(AECEnv[str, dict[str, Any], int]):  # type: ignore[misc, unused-ignore]
    """Reversi without guards; `env` adds them.

    An observation is `observation`, planes [2, size, size] with the discs of the agent that looks and then of the
    other, and `action_mask` [size² + 1], all 0 where it is not its turn. Actions are the squares row by row, then the
    pass, which is legal only where it is forced. The reward comes with the end: 1, 0 or -1.
    """

    metadata = {"render_modes": ["ansi"], "name": "reversi_v0", "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, rules: Rules | str = "standard 8x8", render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode not in (None, "ansi"):
            raise BadSpec(f"render_mode={shown(render_mode)} is not possible; expected ansi or None")
        self.rules, self.render_mode = rules if isinstance(rules, Rules) else Rules.parse(rules), render_mode
        self.possible_agents = list(_COLORS)
        size, actions = self.rules.size, self.rules.cells + 1
        planes, mask = spaces.Box(0, 1, (2, size, size), np.uint8), spaces.Box(0, 1, (actions,), np.int8)
        self.observation_spaces = {
            name: spaces.Dict({"observation": planes, "action_mask": mask}) for name in self.possible_agents
        }
        self.action_spaces = {name: spaces.Discrete(actions) for name in self.possible_agents}
        self.position = Position.start(self.rules)

    def observation_space(self, agent: str) -> Any:
        """What an agent observes."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """What an agent may do."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """A new game; `options={"position": …}` begins it elsewhere. Nothing is drawn by lot, whatever the seed."""
        self.position = (options or {}).get("position") or Position.start(self.rules)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, self.position.is_over)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Any] = {name: {} for name in self.agents}
        self.agent_selection = self.possible_agents[self.position.turn]

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees now."""
        color, mask = _COLORS[agent], legal_actions(self.position)
        return {
            "observation": observed(self.position, color),
            "action_mask": mask if color == self.position.turn else np.zeros_like(mask),
        }

    def step(self, action: Any) -> None:
        """Plays an action of the agent whose turn it is."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0
        self.position = self.position.play(int(action))
        over = self.position.is_over
        for name in self.agents:
            score = self.position.score(_COLORS[name]) if over else 0
            self.rewards[name], self.terminations[name] = (score > 0) - (score < 0), over
        self.agent_selection = self.possible_agents[self.position.turn]
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The board as text."""
        return str(self.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is left open."""
