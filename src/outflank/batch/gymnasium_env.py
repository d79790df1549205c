"""Reversi as an environment of Gymnasium: one learner against an agent of ours.

`gymnasium.make("outflank.batch.gymnasium_env:outflank/Reversi-v0", opponent="minimax(depth=2)")`, or the class itself.
Extra: `outflank[environments]`.
"""

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from outflank.agents import agent
from outflank.batch.views import legal_actions, observed
from outflank.board import Color, Position, Rules
from outflank.errors import BadSpec, MissingExtra
from outflank.inputs import shown

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise MissingExtra("environments of Gymnasium need gymnasium", "environments") from None

Side = Literal["black", "white", "either"]
Planes = npt.NDArray[np.uint8]


class ReversiEnv(gymnasium.Env[Planes, np.int64]):
    """Reversi against an agent, which answers inside `step`.

    Observations are planes [2, size, size] of 0 and 1: discs of the learner, then of its opponent. Actions are the
    squares row by row, then the pass, which is legal only where it is forced. `info["action_mask"]`, and
    `action_masks()` as some learners want it, say which are legal. The reward comes with the end: 1, 0 or -1. An action
    that is not legal loses the game at once. `color` is the side of the learner, drawn by lot for every game if it is
    `either`.

    >>> env = ReversiEnv("reversed 6x6", opponent="greedy")
    >>> planes, info = env.reset(seed=1)
    >>> planes.shape, info["action_mask"].nonzero()[0].tolist()
    ((2, 6, 6), [8, 13, 22, 27])
    >>> planes, reward, terminated, truncated, info = env.step(8)
    >>> int(planes.sum()), reward, terminated
    (6, 0.0, False)
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  (Gymnasium declares it so)

    def __init__(
        self,
        rules: Rules | str = "standard 8x8",
        opponent: Any = "random",
        color: Side = "black",
        render_mode: str | None = None,
    ) -> None:
        if color not in get_args(Side):
            raise BadSpec(f"color={shown(color)} is not possible; expected one of: {', '.join(get_args(Side))}")
        if render_mode not in (None, "ansi"):
            raise BadSpec(f"render_mode={shown(render_mode)} is not possible; expected ansi or None")
        self.rules = rules if isinstance(rules, Rules) else Rules.parse(rules)
        self.opponent, self.color, self.render_mode = agent(opponent), color, render_mode
        self.opponent.check_rules(self.rules)
        self.observation_space = spaces.Box(0, 1, (2, self.rules.size, self.rules.size), np.uint8)
        self.action_space = spaces.Discrete(self.rules.cells + 1)
        self.position, self.learner = Position.start(self.rules), Color.BLACK

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Planes, dict[str, Any]]:
        """A new game, up to the learner's first move; `options={"position": …}` begins it elsewhere."""
        super().reset(seed=seed)
        black = self.color == "black" or (self.color == "either" and bool(self.np_random.integers(2)))
        self.learner = Color.BLACK if black else Color.WHITE
        self.position = (options or {}).get("position") or Position.start(self.rules)
        if self.position.rules != self.rules:
            raise BadSpec(f"a position of {self.position.rules} cannot begin a game of {self.rules}")
        self.opponent.new_game()
        self._answer()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        """Plays an action and the opponent's answer to it."""
        if not self.action_masks()[int(action)]:
            return self._observation(), -1.0, True, False, self._info() | {"illegal": True}
        self.position = self.position.play(int(action))
        self._answer()
        score = self.position.score(self.learner) if self.position.is_over else 0
        return self._observation(), float(np.sign(score)), self.position.is_over, False, self._info()

    def _answer(self) -> None:
        while self.position.turn != self.learner and not self.position.is_over:
            decision = self.opponent.choose(self.position, seed=int(self.np_random.integers(2**62)))
            self.position = self.position.play(decision.move)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """[size² + 1]: which actions are legal."""
        return legal_actions(self.position).astype(np.bool_)

    def _observation(self) -> Planes:
        return observed(self.position, self.learner)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": legal_actions(self.position)}

    def render(self) -> str | None:
        """The board as text."""
        return str(self.position) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Ends whatever the opponent started."""
        self.opponent.close()


gymnasium.register("outflank/Reversi-v0", entry_point="outflank.batch.gymnasium_env:ReversiEnv")
