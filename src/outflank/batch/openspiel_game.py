"""Reversi as a game of OpenSpiel, on every board and in both variants.

Importing this module registers it: `pyspiel.load_game("outflank_reversi(size=6,variant=reversed)")` then loads it, and
algorithms of OpenSpiel play it as any game of theirs. Extra: `outflank[openspiel]`.
"""

from typing import Any

import numpy as np

from outflank.batch.views import observed
from outflank.board import Color, Position, Rules
from outflank.errors import MissingExtra

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ImportError:
    raise MissingExtra("games of OpenSpiel need open_spiel", "openspiel") from None

_DEFAULTS: dict[str, Any] = {"size": 8, "variant": "standard"}
_TYPE = pyspiel.GameType(
    short_name="outflank_reversi",
    long_name="Reversi of Outflank",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=_DEFAULTS,
)


class ReversiGame(pyspiel.Game):  # type: ignore[misc]
    """Reversi of a size and a variant; player 0 is black.

    >>> state = pyspiel.load_game("outflank_reversi(size=4)").new_initial_state()
    >>> [state.action_to_string(action) for action in state.legal_actions()]
    ['b1', 'a2', 'd3', 'c4']
    """

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = _DEFAULTS | (params or {})
        self.rules = Rules(given["size"], given["variant"])
        moves = self.rules.cells - 4
        info = pyspiel.GameInfo(
            num_distinct_actions=self.rules.cells + 1,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=2 * moves,  # a pass is always answered by a move
        )
        super().__init__(_TYPE, info, given)

    def new_initial_state(self) -> "ReversiState":
        """The usual first position."""
        return ReversiState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """What players see: the whole board."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return ReversiObserver(self.rules)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class ReversiState(pyspiel.State):  # type: ignore[misc]
    """A position of a game of OpenSpiel, which keeps the moves that led to it."""

    def __init__(self, game: ReversiGame) -> None:
        super().__init__(game)
        self.position = Position.start(game.rules)

    def current_player(self) -> Any:
        """0 for black, 1 for white."""
        return pyspiel.PlayerId.TERMINAL if self.position.is_over else int(self.position.turn)

    def _legal_actions(self, player: int) -> list[int]:  # noqa: ARG002
        return [int(move) for move in self.position.moves]

    def _apply_action(self, action: int) -> None:
        self.position = self.position.play(action)

    def _action_to_string(self, player: int, action: int) -> str:  # noqa: ARG002
        return str(self.position.rules.move(action))

    def is_terminal(self) -> bool:
        """Whether neither side can move."""
        return self.position.is_over

    def returns(self) -> list[float]:
        """1, 0 or -1 for black and for white when the game is over, before that 0."""
        score = self.position.score(Color.BLACK) if self.position.is_over else 0
        return [float(np.sign(score)), float(np.sign(-score))]

    def __str__(self) -> str:
        return str(self.position)


class ReversiObserver:
    """Planes [2, size, size] as OpenSpiel's observers have them: discs of the player that looks, then of the other."""

    def __init__(self, rules: Rules) -> None:
        planes = np.zeros((2, rules.size, rules.size), np.float32)
        self.tensor, self.dict = planes.ravel(), {"observation": planes}

    def set_from(self, state: ReversiState, player: int) -> None:
        """Looks at a state as a player."""
        self.dict["observation"][:] = observed(state.position, Color(player))

    def string_from(self, state: ReversiState, player: int) -> str:  # noqa: ARG002
        """The same as text, which is one for both."""
        return str(state)


pyspiel.register_game(_TYPE, ReversiGame)
