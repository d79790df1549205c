"""Agents by text: identity, errors, limits, a person's own players, the contract."""

import json
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from outflank.agents import agent, agent_signatures, check_agent
from outflank.board import Position, Rules, Variant
from outflank.errors import BadSpec, IllegalMove
from outflank.evaluation import read_evaluation
from outflank.game_loop import play
from outflank.kernels.jit import INTERPRETED
from outflank.search.limits import Limits
from outflank.search.minimax import MinimaxSearch
from players_of_people import First, Nothing, by_function
from support import PATIENCE, ROOT, every_size, every_variant
from test_minimax import random_position

TEXTS = [
    "random",
    "greedy",
    "greedy(ties=first)",
    "heuristic",
    "league",
    "league(eval=discs, random=0.5)",
    "minimax(depth=2)",
    "minimax(nodes=300, eval=five_terms, search=pvs, order=mobility, hash_mb=1)",
    "minimax(depth=2, eval=terms(mobility=1, discs=[1, 2], phase_ends=[20]))",
    "montecarlo(playouts=3)",
    "montecarlo(playouts=2, playout=own_heuristic)",
    "montecarlo(playouts=2, playout=epsilon(0.3))",
    "uct(playouts=30)",
    "uct(playouts=30, expand=all, playout=weighted, reuse=yes, final=win_rate)",
    "uct(playouts=20, playout=cutoff(depth=2, eval=discs, scale=5))",
    "uct(playouts=20, endgame=6)",
    "solver(nodes=500)",
    "phan-synytsia-minimax(2)",
    "phan-synytsia-mcts(20)",
    "he-lin-uct(playouts=20)",
    "he-lin-minimax(2, complex)",
    "he-lin-minimax(1)",
    "he-reversed(2)",
    "he-reversed-uct(20)",
    "he-tuned(2)",
    "phan-synytsia-tuned(2)",
    "heuristic-tuned",
    "he-reversed-tuned(2)",
    "tenshi(20, endgame=6)",
]
SLOW = ["pure-mc", "heuristic-mc"]


@pytest.mark.parametrize("text", TEXTS + SLOW)
def test_texts_are_identities(text: str) -> None:
    player = agent(text)
    assert player.label == text
    assert agent(player.text).text == player.text
    assert player.text.startswith(tuple(agent_signatures()))


def test_equal_meanings_have_equal_texts() -> None:
    assert agent("minimax(depth=5, eval=positional)").text == agent("minimax( 5 , positional() )").text
    assert agent("uct(playouts=10,final=visits)").text == agent("uct(10)").text
    spelled = "uct(playouts=100, backup=agent, final=win_rate, pass_node=leaf)"
    assert agent("phan-synytsia-mcts(100)").text == agent(spelled).text
    assert agent("uct(10)").text != agent("uct(11)").text
    assert agent("he-lin-minimax(1)").text == "random"
    assert agent("pure-mc").text == agent("montecarlo(250, uniform)").text


@every_variant
@pytest.mark.parametrize("size", [4, 8, 10])
@pytest.mark.parametrize("text", TEXTS)
def test_every_agent_plays_every_board_legally_and_reproducibly(text: str, size: int, variant: Variant) -> None:
    if INTERPRETED and size > 4:
        size = 4
    player, twin = agent(text), agent(text)
    for seed in range(2):
        _, _, position = random_position(size, 40 + seed, variant)
        player.new_game()
        twin.new_game()
        decision = player.choose(position, seed=seed)
        assert decision.move in position.moves and decision.seen_from is position.turn
        again = twin.choose(position, seed=seed)
        assert (again.move, again.value, again.nodes, again.playouts, again.pv, again.moves) == (
            decision.move,
            decision.value,
            decision.nodes,
            decision.playouts,
            decision.pv,
            decision.moves,
        )
        assert {root.move for root in decision.moves} <= set(position.moves)


@pytest.mark.compiled
def test_the_same_decision_on_any_number_of_threads_and_in_another_process() -> None:
    texts = ["minimax(depth=4)", "uct(playouts=500)", "montecarlo(playouts=20)", "uct(playouts=300, playout=weighted)"]
    _, _, position = random_position(8, 77)

    def decide(text: str) -> tuple[object, ...]:
        decision = agent(text).choose(position, seed=5)
        return decision.move, decision.value, decision.nodes, decision.playouts

    alone = [decide(text) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(decide, texts * 4)) == alone * 4
    for text, expected in zip(texts[:2], alone[:2], strict=True):
        command = [
            sys.executable,
            "-m",
            "outflank",
            "move",
            text,
            "--position",
            position.line(),
            "--seed",
            "5",
            "--json",
        ]
        facts = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        found = (position.rules.square(facts["move"]), facts["value"], facts["nodes"], facts["playouts"])
        assert found == expected


def test_forced_moves_need_no_thought() -> None:
    passing = Position.parse("XXXXXXXXXXXXXXO- O")
    texts = ("minimax(depth=3)", "uct(playouts=10)", "montecarlo(instant=no)", "heuristic", "random", "solver")
    for text in (*texts, "players_of_people:First"):
        decision = agent(text).choose(passing)
        assert decision.move == 16 and decision.nodes == 0
    with pytest.raises(IllegalMove, match="the game is over"):
        agent("random").choose(Position.parse("XXXX------------ O"))
    single = Position.parse("XO-------------- X")
    assert len(single.moves) == 1
    assert agent("uct(playouts=10)").choose(single).playouts == 0
    assert agent("uct(playouts=10, instant=no)").choose(single).playouts == 10
    assert agent("montecarlo(10)").choose(single).playouts == 0
    assert agent("montecarlo(10, instant=no)").choose(single).playouts == 10


def test_anything_that_chooses_is_an_agent() -> None:
    position = Position.start(Rules(4))
    for thing in (First(), by_function, agent("greedy"), MinimaxSearch(read_evaluation("discs"))):
        player = agent(thing)
        assert agent(player) is player
        assert player.choose(position, Limits(depth=1, nodes=5)).move in position.moves
    with pytest.raises(BadSpec, match=r"Nothing cannot play: expected a method choose\(position\)"):
        agent(Nothing())
    assert play(First(), "random", position).black == "First"


def test_limits_of_text_and_caller_are_both_kept() -> None:
    _, _, position = random_position(6, 3)
    assert agent("minimax(depth=3)").choose(position, Limits(depth=2)).depth == 2
    assert agent("minimax(depth=2)").choose(position, Limits(depth=3)).depth == 2
    assert agent("uct(playouts=20)").choose(position, Limits(playouts=7)).playouts == 7
    assert agent("uct").choose(position, Limits(playouts=9)).playouts == 9
    if not INTERPRETED:
        assert agent("minimax").choose(position).depth == 5
        assert agent("uct").choose(position).playouts == 1000
        assert agent("uct").choose(position, Limits(depth=3)).playouts == 1000


BAD = ["", " ", *(ROOT / "tests" / "bad_agents.txt").read_text().splitlines()]


def test_there_are_a_hundred_of_them() -> None:
    assert len(set(BAD)) >= 100


@pytest.mark.parametrize("text", BAD)
def test_malformed_texts_are_explained(text: str) -> None:
    with pytest.raises(BadSpec) as caught:
        agent(text).choose(Position.start(Rules(4)), Limits(playouts=2, depth=1))
    message = str(caught.value)
    helpful = ("expected", "known:", "options", "no option", "cannot", "has no", "takes", "twice")
    assert any(word in message for word in helpful), message
    assert len(message) > 20


def test_a_persons_class_gets_texts_without_their_quotes() -> None:
    player = agent('players_of_people:Told(book="a b.txt", books=["c", d])').player
    told = player._choose.__self__  # type: ignore[attr-defined]
    assert (str(told.book), list(map(str, told.books))) == ("a b.txt", ["c", "d"])


@pytest.mark.parametrize("text", ["First", "Named", "Named(last=yes)", "by_function", "First()"])
def test_players_of_people_play(text: str) -> None:
    player = agent(f"players_of_people:{text}")
    position = Position.start(Rules(6, "reversed"))
    player.new_game()
    decision = player.choose(position, Limits(nodes=7), seed=3)
    assert decision.move in position.moves
    if text == "Named(last=yes)":
        assert decision.move == position.moves[-1]
    if text == "by_function":
        assert decision.nodes == 7 and decision.move == position.moves[3]


def test_an_illegal_answer_is_told_with_the_position() -> None:
    with pytest.raises(IllegalMove, match=r"players_of_people:Illegal answered 0 in .*legal: d3 c4 f5 e6"):
        agent("players_of_people:Illegal").choose(Position.start())


@pytest.mark.compiled
@pytest.mark.parametrize("size", [8, 12])
def test_an_evaluation_of_a_persons_own_searches_like_a_built_in(size: int) -> None:
    """3 * opposing - own discs is what terms cannot say; plain and pruned agree, and the plug is compiled."""
    position = Position.start(Rules(size))
    text = "minimax(depth=5, eval=players_of_people:frontier{})"
    plain = agent(text.format(", search=plain")).choose(position)
    for more in ("", ", search=pvs, order=eval, hash_mb=1", ", order=mobility"):
        found = agent(text.format(more)).choose(position)
        assert (found.move, found.value) == (plain.move, plain.value)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Illegal", "answered 0"),
        ("Silent", "no answer within 1 s"),
        ("Raising", "ZeroDivisionError: one of those days"),
        ("Dying", "ended with exit code 3"),
        ("Nothing", "cannot be built"),
    ],
)
def test_check_agent_reports_what_was_broken(name: str, problem: str) -> None:
    seconds = 1 if name == "Silent" else PATIENCE
    report = check_agent(f"players_of_people:{name}", [Rules(4)], positions=2, seconds=seconds)
    assert not report.ok
    assert problem in str(report), str(report)


@pytest.mark.compiled
def test_check_agent_accepts_who_draws_lots_and_tells_it() -> None:
    report = check_agent("players_of_people:Moody", [Rules(4)], positions=2, seconds=PATIENCE)
    assert report.ok and "cannot be repeated" in str(report)


@pytest.mark.compiled
def test_check_agent_tests_the_board_that_a_player_is_made_for(monkeypatch: pytest.MonkeyPatch) -> None:
    boards = (Rules(8), Rules(8, "reversed"), Rules(4), Rules(6))  # every fault costs a process
    monkeypatch.setattr("outflank.agents.check.DEFAULT_RULES", boards)
    named = check_agent("players_of_people:MadeFor8x8(says=yes)", positions=1, seconds=PATIENCE)
    assert named.ok and named.decisions == 2 and len(named.notes) <= 2, str(named)
    unnamed = check_agent("players_of_people:MadeFor8x8(says=no)", positions=1, seconds=PATIENCE)
    assert unnamed.ok and "made for 8x8, where it is right; on 4x4, 6x6" in str(unnamed), str(unnamed)
    asked = check_agent("players_of_people:MadeFor8x8(says=no)", [Rules(6)], positions=1, seconds=PATIENCE)
    assert not asked.ok and "IndexError" in str(asked)


@pytest.mark.compiled
def test_check_agent_finds_nothing_wrong_with_good_players() -> None:
    for text in ("random", "players_of_people:First", "minimax(depth=2)"):
        report = check_agent(text, [Rules(4), Rules(10, "reversed")], positions=3, seconds=PATIENCE)
        assert report.ok and report.decisions == 12, str(report)


@every_size
def test_every_board_size_has_every_kind_of_search(size: int) -> None:
    if INTERPRETED and size > 6:
        size = 6
    position = Position.start(Rules(size, "reversed"))
    for text in ("minimax(depth=1)", "uct(playouts=4)", "montecarlo(playouts=1)", "heuristic", "he-reversed(1)"):
        assert agent(text).choose(position).move in position.moves


@pytest.mark.compiled
@pytest.mark.parametrize(
    "text", ["minimax(depth=40)", "uct(playouts=1000000000)", "montecarlo(playouts=100000000)", "solver"]
)
def test_ctrl_c_stops_a_search_that_would_take_hours(text: str) -> None:
    player = agent(text)
    player.warm_up(Rules())
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background of a shell it is ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
            player.choose(Position.start())
    finally:
        signal.signal(signal.SIGINT, previous)


@pytest.mark.parametrize("text", ["minimax(depth=3)", "uct(playouts=40)", "uct(playouts=40, endgame=4)", "random"])
def test_a_brief_agent_decides_the_same(text: str) -> None:
    position = Position.start(Rules(6)).play("c2")
    full, brief = agent(text), agent(text)
    brief.be_brief()
    one, other = full.choose(position, seed=3), brief.choose(position, seed=3)
    assert len(one.moves) == len(position.moves) and one.pv[0] == one.move
    assert (one.move, one.value, one.nodes, one.playouts, one.depth) == (
        other.move,
        other.value,
        other.nodes,
        other.playouts,
        other.depth,
    )
    assert text == "random" or not other.moves
    assert other.pv == (other.move,)


def test_the_usual_exploration_is_the_one_that_stored_games_name() -> None:
    assert "c=1.41421356237," in agent("uct").text, "seeds of games come from this text"
