"""Reversi as other projects want it, by their own tests of their interfaces, and against `Position`."""

import random
import subprocess
import sys
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from outflank.batch.views import legal_actions, observed
from outflank.board import Color, Position, Rules
from outflank.errors import BadSpec, MissingExtra
from support import every_size, every_variant

RULES = [Rules(8), Rules(4, "reversed"), Rules(10)]
every_rules = pytest.mark.parametrize("rules", RULES, ids=str)


def needed(module: str) -> Any:
    return pytest.importorskip(module, reason=f"{module} is not installed: its interface was not tried")


def drawn(mask: Any, rng: random.Random) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


# --- Gymnasium --------------------------------------------------------------------------------------------------


def gymnasium_env(*args: Any, **options: Any) -> Any:
    needed("gymnasium")
    from outflank.batch.gymnasium_env import ReversiEnv

    return ReversiEnv(*args, **options)


@every_rules
@pytest.mark.parametrize("color", ["black", "white", "either"])
def test_gymnasium_checks_the_environment(rules: Rules, color: str) -> None:
    env = gymnasium_env(rules, color=color)
    from gymnasium.utils.env_checker import check_env

    check_env(env, skip_render_check=True)


def test_gymnasium_makes_and_renders_it() -> None:
    gymnasium = needed("gymnasium")
    env = gymnasium.make(
        "outflank.batch.gymnasium_env:outflank/Reversi-v0", rules="reversed 6x6", opponent="greedy", render_mode="ansi"
    )
    env.reset(seed=2)
    env.step(8)
    assert "reversed" not in env.render() and "X" in env.render()
    env.close()


@every_rules
def test_games_of_gymnasium_are_games(rules: Rules) -> None:
    """Every observation is that of the position, and rewards are results for the learner."""
    rng, rewards = random.Random(1), set()
    env = gymnasium_env(rules, color="either")
    for game in range(20):
        planes, info = env.reset(seed=game)
        terminated, reward = False, 0.0
        while not terminated:
            assert reward == 0 and env.position.turn == env.learner
            assert (planes == observed(env.position, env.learner)).all()
            assert (info["action_mask"] == legal_actions(env.position)).all() and (
                env.action_masks() == info["action_mask"]
            ).all()
            planes, reward, terminated, truncated, info = env.step(drawn(info["action_mask"], rng))
            assert not truncated
        assert env.position.is_over and reward == np.sign(env.position.score(env.learner))
        rewards.add(reward)
    assert {1.0, -1.0} <= rewards


def test_the_same_seed_is_the_same_game_of_gymnasium() -> None:
    env = gymnasium_env("standard 6x6", opponent="random", color="either")

    def line(seed: int) -> list[str]:
        rng, found = random.Random(3), []
        _, info = env.reset(seed=seed)
        while info["action_mask"].any():
            found.append(env.position.line())
            *_, info = env.step(drawn(info["action_mask"], rng))
        return found

    assert line(5) == line(5) != line(6)


def test_an_illegal_action_loses_the_game_of_gymnasium() -> None:
    env = gymnasium_env()
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated, info["illegal"]) == (-1.0, True, True)
    env.reset(options={"position": Position.after("f5d6")})
    assert env.position == Position.after("f5d6")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"color": "green"}, "color='green' is not possible; expected one of: black, white, either"),
        ({"render_mode": "human"}, "render_mode='human' is not possible"),
        ({"opponent": "nobody"}, "nobody"),
    ],
)
def test_bad_options_of_gymnasium_are_explained(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSpec, match=message):
        gymnasium_env(**options)
    with pytest.raises(BadSpec, match="a position of standard 4x4 cannot begin a game of standard 8x8"):
        gymnasium_env().reset(options={"position": Position.start("standard 4x4")})


# --- PettingZoo -------------------------------------------------------------------------------------------------


def pettingzoo_env(*args: Any, **options: Any) -> Any:
    needed("pettingzoo")
    from outflank.batch.pettingzoo_env import env

    return env(*args, **options)


@every_rules
@pytest.mark.filterwarnings(
    "ignore:Observation (space|is not a NumPy)"
)  # with masks they are dicts, which it knows by name
def test_pettingzoo_tests_the_environment(rules: Rules) -> None:
    env = pettingzoo_env(rules, render_mode="ansi")
    from pettingzoo.test import api_test, seed_test

    api_test(env, num_cycles=300)
    seed_test(lambda: pettingzoo_env(rules), num_cycles=100)
    env.reset()
    assert "black to move" in env.render()


@every_rules
def test_games_of_pettingzoo_are_games(rules: Rules) -> None:
    rng, env = random.Random(2), pettingzoo_env(rules)
    for _ in range(10):
        env.reset()
        position, totals = Position.start(rules), {"black_0": 0.0, "white_0": 0.0}
        for name in env.agent_iter():
            seen, reward, terminated, _, _ = env.last()
            totals[name] += reward
            assert (seen["observation"] == observed(position, Color.BLACK if name == "black_0" else Color.WHITE)).all()
            if terminated:
                env.step(None)
                continue
            assert name == ("black_0", "white_0")[position.turn]
            assert (seen["action_mask"] == legal_actions(position)).all()
            action = drawn(seen["action_mask"], rng)
            env.step(action)
            position = position.play(action)
        assert position.is_over
        assert list(totals.values()) == [np.sign(position.score(color)) for color in Color]


def test_an_illegal_action_loses_the_game_of_pettingzoo(capfd: pytest.CaptureFixture[str]) -> None:
    env = pettingzoo_env()
    env.reset()
    env.step(0)
    assert env.terminations == {"black_0": True, "white_0": True} and env.rewards["black_0"] == -1
    with pytest.raises(BadSpec, match="render_mode='human' is not possible"):
        pettingzoo_env(render_mode="human")


# --- OpenSpiel --------------------------------------------------------------------------------------------------


def openspiel_game(size: int = 8, variant: str = "standard") -> Any:
    pyspiel = needed("pyspiel")
    import_module("outflank.batch.openspiel_game")  # registers it

    return pyspiel.load_game(f"outflank_reversi(size={size},variant={variant})")


@every_size
@every_variant
def test_openspiel_tests_the_game(size: int, variant: str) -> None:
    pyspiel = needed("pyspiel")
    game = openspiel_game(size, variant)
    pyspiel.random_sim_test(game, num_sims=3 if size <= 8 else 1, serialize=size <= 8, verbose=False)


def test_games_of_openspiel_are_games() -> None:
    game, rng = openspiel_game(6, "reversed"), random.Random(4)
    for _ in range(10):
        state, position = game.new_initial_state(), Position.start("reversed 6x6")
        while not state.is_terminal():
            assert state.legal_actions() == list(position.moves) and state.current_player() == position.turn
            assert state.legal_actions_mask() == legal_actions(position).tolist()
            for player in Color:
                planes = np.reshape(state.observation_tensor(player), (2, 6, 6))
                assert (planes == observed(position, player)).all()
            action = rng.choice(state.legal_actions())
            assert state.action_to_string(action) == str(position.rules.move(action))
            state.apply_action(action)
            position = position.play(action)
        assert position.is_over and state.returns() == [np.sign(position.score(color)) for color in Color]


def test_openspiel_counts_the_same_games() -> None:
    """Its own Othello and ours have one tree."""
    pyspiel = needed("pyspiel")
    openspiel_game()

    def leaves(state: Any, depth: int) -> int:
        if depth == 0 or state.is_terminal():
            return 1
        return sum(leaves(state.child(action), depth - 1) for action in state.legal_actions())

    for name in ("othello", "outflank_reversi"):
        assert leaves(pyspiel.load_game(name).new_initial_state(), 5) == 1396


def test_algorithms_of_openspiel_play_it() -> None:
    """Those in Python: its tree search in C++ ends the process on any game that is written in Python, its own too."""
    game = openspiel_game(4)
    from open_spiel.python.algorithms import mcts

    draws = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 2.0, 20, mcts.RandomRolloutEvaluator(1, draws), random_state=draws)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(bot.step(state))
    assert sum(state.returns()) == 0


# --- without them -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "missing", "extra"),
    [
        ("gymnasium_env", "gymnasium", "environments"),
        ("pettingzoo_env", "pettingzoo", "environments"),
        ("openspiel_game", "pyspiel", "openspiel"),
    ],
)
def test_a_missing_library_is_told_with_the_command_that_installs_it(module: str, missing: str, extra: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; import outflank.batch.{module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f"pip install 'outflank[{extra}]'" in done.stderr and MissingExtra.__name__ in done.stderr
