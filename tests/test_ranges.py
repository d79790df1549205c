"""Numbers that reach kernels: at the ends of their ranges nothing overflows, and beyond them people are told."""

import numpy as np
import pytest

from outflank.agents import agent, canonical
from outflank.arena.quick import match
from outflank.arena.schedule import Conditions
from outflank.board import Position, Rules, Variant
from outflank.errors import BadSpec
from outflank.evaluation import read_evaluation
from outflank.kernels import evaluate
from outflank.kernels.evaluate import evaluation_of
from outflank.kernels.jit import Word
from outflank.kernels.table import EXACT, pack_value, value_in
from outflank.schema import LARGEST
from outflank.search import memory, minimax
from outflank.search.limits import Limits
from outflank.search.montecarlo import FlatMonteCarlo
from outflank.search.policy import PlayoutPolicy
from outflank.search.uct import UctSearch
from support import every_variant
from test_solver import played


@every_variant
@pytest.mark.parametrize("size", [8, 16])
def test_the_largest_weights_do_not_overflow(size: int, variant: Variant) -> None:
    """All squares of one side, the largest worths, the largest weights: as whole numbers without an end have it."""
    rules = Rules(size, variant)
    sign = 1 if variant == "standard" else -1
    for worth in (LARGEST, -LARGEST):
        spec = read_evaluation(f"terms(position={LARGEST}, discs={LARGEST}, squares=[{worth}])")
        full = Position(rules, rules.full, 0)
        value = evaluation_of(*full.boards, *spec.build(rules))
        assert value == sign * rules.cells * LARGEST * (worth + 1) and abs(value) < evaluate.MOST
        assert value_in(Word(pack_value(value, EXACT, 0))) == value
    terms = f"mobility={LARGEST}, discs={LARGEST}, stability={LARGEST}, aggregation={LARGEST}, position={LARGEST}"
    spec = read_evaluation(f"terms({terms}, squares=[{LARGEST}])")
    for position in (played(rules, 20, 1), Position(rules, rules.full, 0), Position(rules, 0, rules.full)):
        assert abs(evaluation_of(*position.boards, *spec.build(rules))) < evaluate.MOST


def test_the_table_holds_the_largest_values() -> None:
    """With and without a table the same move and value, where worths and the win are as large as they may be."""
    worths = f"terms(position={LARGEST}, mobility=-{LARGEST}, squares=[{LARGEST}, -{LARGEST}, 1])"
    text = f"minimax(depth=3, search=pvs, win={minimax.MOST_WIN}, win_margin=yes, eval={worths}"
    for empties in (5, 20):
        position = played(Rules(6), empties, 4)
        plain, tabled = (agent(f"{text}, hash_mb={size})").choose(position) for size in (0, 1))
        assert (plain.move, plain.value) == (tabled.move, tabled.value)


@pytest.mark.compiled
def test_what_a_persons_evaluation_returns_is_cut_to_what_searches_can_hold() -> None:
    position = played(Rules(6), 12, 3)
    plain, tabled = (
        agent(f"minimax(depth=3, search=pvs, eval=players_of_people:huge, win=0, hash_mb={size})").choose(position)
        for size in (0, 1)
    )
    assert (plain.move, plain.value) == (tabled.move, tabled.value)
    assert plain.value in (evaluate.MOST, -evaluate.MOST)


@pytest.mark.parametrize("worths", [[2**31] * 16, [2**70] * 16, [0.5] * 16, [-LARGEST - 1] * 16])
def test_tables_of_programs_are_checked_too(worths: list[int]) -> None:
    for field in ("worths", "weights"):
        with pytest.raises(BadSpec, match=f"{LARGEST}"):
            PlayoutPolicy("heuristic", **{field: worths}).build(Rules(4), 0.5)  # type: ignore[arg-type]


def test_numbers_of_programs_are_checked_too() -> None:
    with pytest.raises(BadSpec, match="expected"):
        UctSearch(exploration=float("nan"))
    with pytest.raises(BadSpec, match="expected"):
        UctSearch(memory=10**6)
    with pytest.raises(BadSpec, match="expected"):
        FlatMonteCarlo(draw=float("nan"))
    with pytest.raises(BadSpec, match="expected"):
        minimax.MinimaxOptions(win=2**70)
    for limits in ({"nodes": 2**63}, {"playouts": 10**5000}, {"depth": 2**53 + 1}):
        with pytest.raises(BadSpec, match="expected a whole number from 1 to"):
            Limits(**limits)


def test_a_depth_without_end_takes_no_more_memory_than_a_game_is_long() -> None:
    position = played(Rules(6), 4, 3)
    deep, enough = (agent("minimax(eval=discs)").choose(position, Limits(depth=depth)) for depth in (2**53, 10))
    assert (deep.move, deep.value, deep.nodes) == (enough.move, enough.value, enough.nodes)


def test_a_node_never_counts_more_visits_than_it_can_hold() -> None:
    search, position = UctSearch(reuse=True, leaf_playouts=8), Position.start(Rules(4))
    search.choose(position, Limits(playouts=80), seed=1)
    assert search._nodes is not None
    most = np.iinfo(search.visits).max
    search._nodes.visits[0] = most - 20
    assert search.choose(position, Limits(playouts=800), seed=1).playouts == 16
    assert search._nodes.visits[0] == most - 4
    assert search.choose(position, Limits(playouts=800), seed=1).move in position.moves
    assert np.all(search._nodes.visits[: search._nodes.counters[0]] >= 0)


@pytest.mark.parametrize(
    "text",
    [
        *("heuristic({})", "minimax(eval=positional({}))", "minimax(endgame=4, eval=positional({}))"),
        *("uct(playout=weighted({}))", "montecarlo(playout=cutoff(eval=positional({})))"),
    ],
)
def test_a_table_for_another_board_is_told_before_the_first_game(text: str) -> None:
    written = text.format(f"squares=[{', '.join(['1'] * 64)}]")
    agent(written).check_rules(Rules(8))
    with pytest.raises(BadSpec, match="table has 64 numbers, but a 6x6 board has 36 squares"):
        match(written, "random", games=2, rules=Rules(6))


# --- memory -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["minimax(hash_mb=64)", "uct(memory=64)", "solver(memory=64)"])
def test_more_memory_than_the_machine_has_is_refused_when_an_agent_is_built(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent(text)
    monkeypatch.setattr(memory, "machine_megabytes", lambda: 10.0)
    with pytest.raises(BadSpec, match="=64 is more than the 10 megabytes of this machine"):
        agent(text)
    assert canonical(text), "reading a text needs no memory"


def test_memory_that_is_not_given_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(minimax, "new_table", refuse)
        with pytest.raises(BadSpec, match="hash_mb=64 megabytes are not free"):
            agent("minimax(hash_mb=64)")
    monkeypatch.setattr("outflank.search.uct._new_tree", refuse)
    with pytest.raises(BadSpec, match="memory=64 megabytes are not free"):
        agent("uct(memory=64)").choose(Position.start(Rules(4)))


# --- identity ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("uct(c=1)", "uct(c=1.0000000000001)"),
        ("uct(draw=0.3)", "uct(draw=0.30000000000000004)"),
        ("uct(seconds=0.1)", "uct(seconds=0.10000000000000002)"),
        ("uct(playout=epsilon(0.1))", "uct(playout=epsilon(0.10000000000000002))"),
        ("uct(playout=cutoff(scale=300))", "uct(playout=cutoff(scale=300.00000000000006))"),
        ("minimax(hash_mb=0.5)", "minimax(hash_mb=0.5000000000000001)"),
        (
            "minimax(eval=terms(mobility=[1, 999999], phase_ends=[20]))",
            "minimax(eval=terms(mobility=[1, 999998], phase_ends=[20]))",
        ),
        ("club.bots:Bot(level=[1, 0.1])", "club.bots:Bot(level=[1, 0.10000000000000002])"),
    ],
)
def test_texts_keep_every_digit(one: str, other: str) -> None:
    texts = [canonical(text) for text in (one, other)]
    assert texts[0] != texts[1]
    assert [canonical(text) for text in texts] == texts, "and are read back as they are written"


def test_conditions_keep_every_digit() -> None:
    seconds = (0.1, 0.10000000000000002)
    assert len({Conditions(Limits(seconds=one)).text for one in seconds}) == 2
