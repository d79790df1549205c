"""Many threads: one agent shared by them decides as it does alone, and one table serves several searches."""

import random
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outflank.agents import Agent, agent
from outflank.board import Position, Rules
from outflank.errors import OutflankError
from outflank.evaluation import read_evaluation
from outflank.kernels.control import MOST
from outflank.kernels.selective import CERTAIN
from outflank.kernels.table import new_table
from outflank.patterns import shipped_weights
from outflank.search.beside import Question, new_searches, roots_of
from outflank.search.decision import Decision
from outflank.search.limits import Limits
from outflank.search.minimax import MinimaxOptions, MinimaxSearch
from outflank.search.solver import endgame_rules, solve
from support import PATIENCE
from test_solver import played

pytestmark = pytest.mark.compiled  # interpreted threads take turns anyway

THREADS = 8
ENGINE = f"{sys.executable} -S {Path(__file__).with_name('scripted_engine.py')}"


def together(work: Callable[[int], Any], threads: int = THREADS) -> list[Any]:
    """What each of the threads returns; they begin at the same time."""
    barrier = threading.Barrier(threads)

    def begin(number: int) -> Any:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(begin, range(threads)))


@pytest.fixture
def impatient() -> Any:
    """The interpreter changes threads a hundred times as often as usual."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(usual / 100)
    yield
    sys.setswitchinterval(usual)


def found(decision: Decision) -> tuple[Any, ...]:
    """What must not depend on other threads."""
    judged = tuple((root.move, root.value, root.visits) for root in decision.moves)
    return decision.move, decision.value, decision.nodes, decision.playouts, decision.depth, decision.pv, judged


POSITIONS = [
    played(Rules(size), empties, 5) for size, empties in ((8, 50), (6, 20), (8, 40), (8, 11), (6, 10), (10, 80))
]

SHARED = [
    "random",
    "greedy",
    "heuristic",
    "minimax(depth=4)",
    "minimax(nodes=4000, search=pvs, order=mobility, hash_mb=1)",
    "minimax(depth=2, eval=players_of_people:frontier)",
    "minimax(depth=3, endgame=12, endgame_by=margin)",
    "montecarlo(playouts=60)",
    "montecarlo(playouts=5, playout=own_heuristic)",
    "uct(playouts=400)",
    "uct(playouts=400, reuse=yes, expand=all)",
    "uct(playouts=400, leaf_playouts=16)",
    "uct(playouts=400, leaves=8)",
    "uct(playouts=100, playout=weighted, endgame=12)",
    "solver(nodes=4000)",
    "players_of_people:Named",
    f'gtp("{ENGINE} gtp --seed 1", timeout={PATIENCE:.0f}, startup={PATIENCE:.0f})',
    f'nboard("{ENGINE} nboard --seed 1", timeout={PATIENCE:.0f}, startup={PATIENCE:.0f})',
]


@pytest.mark.parametrize("text", SHARED)
def test_threads_that_share_an_agent_get_the_decisions_it_makes_alone(text: str, impatient: None) -> None:
    external = text.startswith(("gtp", "nboard"))
    places = POSITIONS[:1] if external else POSITIONS
    questions = [(position, seed) for position in places for seed in range(2)] * (1 if external else 2)
    alone, shared = agent(text), agent(text)
    expected = {question: found(alone.choose(question[0], seed=question[1])) for question in questions}

    def ask(thread: int) -> list[Any]:
        mine = random.Random(thread).sample(questions, len(questions))
        return [(question, found(shared.choose(question[0], seed=question[1]))) for question in mine]

    try:
        answers = together(ask, 4 if external else THREADS)
    finally:
        alone.close()
        shared.close()
    if external or "reuse=yes" in text:  # with a memory of their own: every answer must be one to its question
        assert all(made[0] in question[0].moves for answer in answers for question, made in answer)
    else:
        wrong = [question for answer in answers for question, made in answer if made != expected[question]]
        assert not wrong, f"{len(wrong)} of {THREADS * len(questions)} decisions differ"


def test_two_agents_around_one_player_take_turns_too(impatient: None) -> None:
    search = agent("uct(playouts=400)").player
    limits = Limits(playouts=400)
    expected = {position: found(search.choose(position, limits, 1)) for position in POSITIONS}
    agents = [Agent("mine", "mine", search, instant=False) for _ in range(THREADS)]
    answers = together(lambda number: [(p, found(agents[number].choose(p, limits, 1))) for p in POSITIONS * 3])
    assert all(made == expected[position] for answer in answers for position, made in answer)


def test_thoughts_left_half_way_keep_nobody_waiting_and_say_that_they_have_ended() -> None:
    shared, start = agent("minimax(depth=3)"), POSITIONS[0]
    expected = found(agent("minimax(depth=3)").choose(start))
    thoughts = shared.think(start)
    next(thoughts)
    assert together(lambda number: found(shared.choose(start)), 2) == [expected] * 2
    with pytest.raises(OutflankError, match=r"these thoughts have ended.*agent\(text\)"):
        next(thoughts)
    *_, last = shared.think(start)
    assert found(last)[:2] == expected[:2]


def test_two_threads_that_think_at_once_are_told(impatient: None) -> None:
    """Each comes to its own end, or hears that the other has ended it; neither gets a wrong answer."""
    shared = agent("uct(playouts=20000)")
    expected = [found(agent("uct(playouts=20000)").choose(position)) for position in POSITIONS[:2]]

    def think(number: int) -> Any:
        try:
            *_, last = shared.think(POSITIONS[number])
        except OutflankError as error:
            return str(error)
        return found(last)

    for _ in range(5):
        answers = together(think, 2)
        assert any(answer in expected for answer in answers), "the one who began last comes to its end"
        for number, answer in enumerate(answers):
            assert answer == expected[number] or "these thoughts have ended" in answer


# --- one table for several searches -------------------------------------------------------------------------


def margin(position: Position, table: np.ndarray[Any, Any]) -> int:
    """The score of a position by the kernel of the solver, with this table."""
    rules, most = position.rules, position.rules.cells + 1
    game, margins = endgame_rules(rules, "winner"), np.zeros((1, 1, 1, 1), np.int16)
    (search,) = new_searches(rules, game, shipped_weights(rules).build(), margins, table, threads=1)
    search.control[MOST] = 1 << 60
    me, opp, _ = position.boards
    question = Question(me, opp, position.empties, -most, most, CERTAIN)
    return question.ask(roots_of(position), 0, search)


def test_eight_solvers_share_one_small_table() -> None:
    """In a table of 256 entries the threads overwrite each other all the time; every score is right."""
    positions = [played(Rules(8), 14, seed) for seed in range(12)]
    scores = {position: solve(position).score for position in positions}
    for entries in (2**4, 2**8, 2**16):
        table = new_table(64, most=entries)

        def work(number: int, table: Any = table) -> list[tuple[Position, int]]:
            mine = random.Random(number).sample(positions, len(positions))
            return [(position, margin(position, table)) for position in mine]

        assert all(scores[position] == score for answer in together(work) for position, score in answer)


def test_eight_minimax_searches_share_one_small_table() -> None:
    """Entries of other threads change how many nodes a search takes, never its value or its move."""
    ways = MinimaxOptions(pruning="pvs", order="mobility")
    evaluation, positions = read_evaluation("positional"), POSITIONS[:4]

    def search() -> MinimaxSearch:
        return MinimaxSearch(evaluation, ways, hash_mb=0.004)

    def judged(player: MinimaxSearch, position: Position) -> tuple[Any, ...]:
        decision = player.choose(position, Limits(depth=6), seed=0)
        return decision.move, decision.value

    expected = {position: judged(search(), position) for position in positions}
    players = [search() for _ in range(THREADS)]
    for number, player in enumerate(players):
        player._table = players[0]._table
        player._searches = 1000 * number  # ages of their own, as those of one player are
    answers = together(lambda number: [(place, judged(players[number], place)) for place in positions * 3])
    assert all(made == expected[place] for answer in answers for place, made in answer)
