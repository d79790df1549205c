"""What `test_warm_up.py` does in processes of their own, in which nothing is compiled or loaded yet."""

import json
import sys

from outflank.agents import agent
from outflank.board import Position, Rules
from outflank.game import Termination
from outflank.game_loop import play_game
from outflank.kernels.jit import compilations, specialisations


def counts_around_a_game(text: str, rules: Rules) -> tuple[tuple[int, int], tuple[int, int]]:
    """(specialisations, compilations) after the warm-up of two players, and after their game."""
    players = agent(text), agent(text)
    for player in players:
        player.warm_up(rules)
    before = specialisations(), compilations()
    game = play_game(*players, Position.start(rules), seed=1)
    assert game.termination is Termination.NORMAL, game.reason
    return before, (specialisations(), compilations())


if __name__ == "__main__":
    json.dump(counts_around_a_game(sys.argv[1], Rules.parse(sys.argv[2])), sys.stdout)
