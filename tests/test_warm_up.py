"""No clock sees a compilation: after warming up, a whole game needs no code that is not there yet."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from outflank.agents import agent
from outflank.agents.kinds import KINDS
from outflank.agents.presets import PRESETS
from outflank.arena.runner import setting_of
from outflank.arena.schedule import Conditions, plan_match
from outflank.board import Rules
from outflank.spec import parse
from support import ROOT
from warm_up_games import counts_around_a_game

LARGE = (
    *("heuristic", "solver(nodes=50)", "minimax(depth=1, endgame=5)", "montecarlo(playouts=1)"),
    *("minimax(depth=1, eval=players_of_people:frontier, hash_mb=1)", "uct(playouts=4, reuse=yes, endgame=5)"),
    "uct(playouts=40, leaves=4, reuse=yes)",
    *("engine(depth=3)", "players_of_people:First"),
)
"""Agents for a board of four words, of which every kernel takes another type."""
SMALL = (
    *LARGE,
    *("random", "greedy", "league", "solver(nodes=50, by=wdl)", "minimax(nodes=50, endgame=5, endgame_by=margin)"),
    *("minimax(depth=2, search=pvs, order=mobility, hash_mb=1)", "minimax(depth=2, eval=five_terms, order=eval)"),
    *("minimax(seconds=1ms)", "montecarlo(playouts=1, playout=epsilon(0.3))", "uct(seconds=1ms)"),
    *("uct(playouts=4, playout=cutoff(depth=3))", "uct(playouts=8, leaf_playouts=4, tree=flat, endgame=5)"),
    *("phan-synytsia-minimax(1)", "phan-synytsia-mcts(4)", "he-lin-uct(playouts=4)", "he-lin-minimax(2, complex)"),
    *("pure-mc", "heuristic-mc", "he-reversed(1)", "he-reversed-uct(4)", "tenshi(4, endgame=5)"),
    *("he-tuned(1)", "he-reversed-tuned(1)", "phan-synytsia-tuned(1)", "heuristic-tuned"),
    *("engine(nodes=3000, memory=1)", "players_of_people:by_function", "minimax(order=plugins_of_people:worst_first)"),
    "uct(playouts=4, reuse=yes, select=plugins_of_people:ucb_with_amaf, playout=plugins_of_people:any_legal)",
    "puct(playouts=2)",
)
CASES = [(text, Rules(6)) for text in SMALL] + [(text, Rules(10, "reversed")) for text in LARGE]


@pytest.fixture(scope="module")
def fresh() -> Iterator[Any]:
    """Runs a function in a process that has imported everything, but neither compiled nor loaded any kernel."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["warm_up_games"])
    with ProcessPoolExecutor(1, mp_context=context, max_tasks_per_child=1) as pool:
        yield lambda work: pool.submit(work).result()


@pytest.mark.compiled
@pytest.mark.parametrize(("text", "rules"), CASES, ids=str)
def test_a_game_after_warming_up_loads_nothing(fresh: Any, text: str, rules: Rules) -> None:
    before, after = fresh(partial(counts_around_a_game, text, rules))
    assert after == before and after[0] > 0


def test_every_kind_of_agent_is_among_them() -> None:
    internal = {name for name, kind in KINDS.items() if not kind.external}
    missing = (internal | PRESETS.keys()) - {parse(text).name for text in SMALL}
    assert not missing, f"SMALL above has no text of {missing}"


@pytest.mark.compiled
def test_a_game_compiles_nothing_on_an_empty_cache(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "tests" / "warm_up_games.py"), "montecarlo(playouts=1)", "standard 6x6"]
    environment = os.environ | {"OUTFLANK_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    before, after = json.loads(done.stdout)
    assert after == before and after[1] > 0


@pytest.mark.parametrize("adjudicate", [0, 6])
def test_workers_prepare_the_solver_where_it_ends_games(adjudicate: int) -> None:
    plan = plan_match("greedy", "random", Rules(6), 2, "start", Conditions(adjudicate=adjudicate))
    prepared = [text for text, *_ in setting_of(plan)]
    assert prepared == ["greedy", "random"] + ["solver"] * bool(adjudicate)


def test_preparing_tells_every_part_before_it_is_done() -> None:
    player = agent("uct(playouts=4, endgame=5)")
    assert list(player.prepare(Rules(4))) == [("boards", 0, 3), ("uct", 1, 3), ("solver", 2, 3)]
