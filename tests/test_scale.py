"""What a million games rest on: keys that never change, stores that are asked and not read, counts and no lists."""

import pickle
import random
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.arena import match, openings, store
from outflank.arena.match import Distinct, Scoreboard
from outflank.arena.openings import read_openings
from outflank.arena.ratings import collect
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, Plan, Slot, plan_match
from outflank.arena.store import Store
from outflank.benchmark import arena, scale
from outflank.board import Position, Rules, moves_text
from outflank.execute import Here
from outflank.game import Game
from outflank.game_loop import TimeControl
from outflank.search.limits import Limits
from support import every_size

AGENTS = ("random", "greedy(ties=random)")


def small_plan(games: int) -> Plan:
    return plan_match(*AGENTS, Rules(4), games, "random(4)", Conditions())


# --- what stores in use depend on -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agents", "rules", "text", "conditions", "keys", "pairs"),
    [
        (
            AGENTS,
            Rules(4),
            "random(3)",
            Conditions(),
            ["c3f45f576dc793bc", "d7425ed289abdf96", "c4858b02fae97b2e", "85cc6cbdc795b65c"],
            ["5ff3535bdae79dea", "229309d14b9be6a2"],
        ),
        (
            ("random", "random"),
            Rules(8, "reversed"),
            "start",
            Conditions(Limits(nodes=5), TimeControl(game_seconds=3, increment=0.5), 4, 7),
            ["686befd3fdffdd5a", "5276a84096463e68", "891b246a1efdbd6c", "103d11a0aad605a9"],
            ["4e62d936dd711f3d", "7768292bba7083c3"],
        ),
        (
            ('märz:Läufer(x="a")', "b\\c"),
            Rules(10),
            "random(4)",
            Conditions(seed=2),
            ["6242e1c32412fe52", "2ca280125490b674", "8005513ec39db6fc", "960a7f7bdd5221d6"],
            ["323334b5febef646", "757d1cd80b576394"],
        ),
    ],
)
def test_keys_stay_what_they_were(
    agents: tuple[str, str], rules: Rules, text: str, conditions: Conditions, keys: list[str], pairs: list[str]
) -> None:
    """With other keys a store would be played again from its first game."""
    slots = list(plan_match(*agents, rules, 4, text, conditions).slots())
    assert [slot.key for slot in slots] == keys
    assert [slot.pair for slot in slots] == [pair for pair in pairs for _ in range(2)]


def test_random_openings_stay_what_they_were() -> None:
    texts = {size: [x.text for x in read_openings("random(6)", Rules(size), 4, seed=1)] for size in (8, 10)}
    assert texts == {
        8: ["c4e3f5b4c3g6", "f5f4e3d6g5e2", "f5f4e3f6e6d7", "d3c3e6f6b3b2"],
        10: ["e4f4g4d6g7g3", "e4d6g7e3d3h8", "g6e7d8g4e4d7", "e4f4g7d6g4g6"],
    }


@every_size
@pytest.mark.parametrize("plies", [0, 1, 9])
def test_random_openings_are_those_of_one_game_after_the_other(size: int, plies: int) -> None:
    """The blocks of the kernel against the plain way: `random.choice`, `Position.play` and `Position.canonical`."""
    rules, rng, seen, expected = Rules(size), random.Random(f"{Rules(size)} {plies} 3"), set(), []
    for _ in range(30):
        position, moves = Position.start(rules), []
        for _ in range(plies):
            if position.moves:
                moves.append(rng.choice(position.moves))
                position = position.play(moves[-1])
        if position.moves and position.canonical() not in seen:
            seen.add(position.canonical())
            expected.append((moves_text(moves, passes=True), position))
    found = read_openings(f"random({plies})", rules, len(expected), seed=3)
    assert [(opening.text, opening.position) for opening in found] == expected
    assert all(opening.line == opening.position.line() for opening in found)


def test_the_size_of_blocks_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = read_openings("random(7)", Rules(6), 100, seed=2)
    monkeypatch.setattr(openings, "_LARGEST_BLOCK", 3)
    assert read_openings("random(7)", Rules(6), 100, seed=2) == whole and len(whole) == 100


# --- the store --------------------------------------------------------------------------------------------------


def test_a_store_is_asked_for_the_games_of_a_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_AT_ONCE", 7)  # several queries, the last of them short
    with Store(tmp_path / "games.db") as games:
        run_plan(small_plan(20), games, Here())
        slots = list(small_plan(30).slots())
        assert list(games.missing(slots)) == slots[20:]
        assert not list(games.missing(iter(slots[:20]))) and not list(games.missing([]))
        found = {slot.key: game for slot, *game in games.finished(slots)}
        assert set(found) == {slot.key for slot in slots[:20]} == games.done()
        rows = {row[0]: row for row in games.results()}
        scores = {key: small_plan(20).pairings[0].rules.score(row[5], row[6]) for key, row in rows.items()}
        assert all(found[key] == [row[4], scores[key], row[7], row[8]] for key, row in rows.items())
        assert sorted(games.results(slot.key for slot in slots)) == sorted(rows.values())
        outcomes = [(row[2], row[3], row[4], row[1]) for row in rows.values()]
        assert list(games.outcomes()) == outcomes
        assert sorted(games.outcomes(slot.key for slot in slots[:4])) == sorted(outcomes[:4])
        assert collect(games.outcomes()).pairs == 10


def test_workers_bring_notes_only_where_they_are_kept(tmp_path: Path) -> None:
    seen: list[Game] = []

    def note(slot: Slot, record: Game) -> bool:
        seen.append(record)
        return True

    for notes in (False, True):
        with Store(tmp_path / f"{notes}.db") as games:
            run_plan(small_plan(4), games, Here(), note, notes)
    brief, full = seen[:4], seen[4:]
    assert [record.moves for record in brief] == [record.moves for record in full]
    assert all(not record.notes for record in brief) and all(record.notes for record in full)
    assert [[side.moves for side in record.spent] for record in brief] == [
        [side.moves for side in record.spent] for record in full
    ]


# --- counts in place of lists -------------------------------------------------------------------------------------


@given(st.lists(st.text("abc", max_size=2)), st.integers(1, 5))
def test_distinct_counts_as_a_set_does(things: list[str], most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(match, "_MOST_RECENT", most)
        seen, expected = Distinct(), set()
        for thing in things:
            seen.add(thing)
            expected.add(thing)
            assert len(seen) == len(expected)


@pytest.mark.compiled
def test_a_scoreboard_needs_8_bytes_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """And as many for its opening, which two games share; a list of anything would take more."""
    monkeypatch.setattr(match, "_MOST_RECENT", 100)
    plan = plan_match(*AGENTS, Rules(6), 24_000, "random(10)", Conditions())
    board, rng, slots = Scoreboard(plan), random.Random(1), plan.slots()

    def size_after(games: int) -> int:
        for slot in islice(slots, games):
            discs = rng.randrange(37)
            board.add(slot, float(discs > 18), 2 * discs - 36, "normal", str(rng.random()))
        return len(pickle.dumps([value for name, value in vars(board).items() if name != "_pairing"]))

    before = size_after(4_000)
    assert size_after(20_000) - before < 20_000 * 12.2
    result = board.result()
    assert (result.tally.games, result.distinct_games, result.distinct_openings) == (24_000, 24_000, 12_000)
    assert sum(result.tally.pairs) == 12_000 and not board.undecided


# --- the benchmarks ---------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_the_store_of_the_benchmark_holds_real_games(tmp_path: Path) -> None:
    assert scale.fill(tmp_path / "games.db", 60) > 0
    with Store(tmp_path / "games.db") as games:
        assert games.count() == 60 and not games.problems()
        assert {game.termination for game in games.games()} == {"normal"}


@pytest.mark.compiled
def test_costs_of_a_store_are_measured() -> None:
    [row] = scale.measure_scale((60,))
    assert row["games"] == 60 and all(value > 0 for value in row.values())
    assert scale.scale_table([row]).rows[0][0] == "60"


@pytest.mark.compiled
def test_the_share_of_kernels_is_measured_and_leaves_no_trace() -> None:
    before = [getattr(module, name) for module, name in arena._KERNELS]
    assert 0 < arena.share_in_kernels(arena._plan(arena.LONG, 2)) < 1
    assert [getattr(module, name) for module, name in arena._KERNELS] == before
