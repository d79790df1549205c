"""Openings, schedule, store and matches: fair, resumable, the same on any number of workers."""

import json
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from outflank.agents import agent
from outflank.arena.match import MatchResult, Scoreboard, scoreboard
from outflank.arena.openings import made_game, read_openings
from outflank.arena.quick import match
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, Plan, Slot, gauntlet, plan_match, plan_pairings, round_robin
from outflank.arena.statistics.pairs import tally
from outflank.arena.statistics.sprt import Sprt
from outflank.arena.store import Store
from outflank.arena.tournament import SETTINGS, read_tournament
from outflank.board import Position, Rules, Variant
from outflank.errors import BadSpec, OutflankError, Stopped
from outflank.execute import Here, Processes
from outflank.facts import match_facts
from outflank.game import Game
from outflank.interfaces.cli import main
from outflank.search.clock import stoppable
from outflank.search.limits import Limits
from support import ROOT, every_size, every_variant, refused, wait_until

SMALL = Rules(4)


def small_plan(games: int = 20, seed: int = 0, a: str = "random", b: str = "greedy(ties=random)") -> Plan:
    return plan_match(a, b, SMALL, games, "random(3)", Conditions(seed=seed))


def result_of_plan(plan: Plan, store: Store, sprt: Sprt | None = None) -> MatchResult:
    return scoreboard(plan, store, sprt).result()


# --- openings -------------------------------------------------------------------------------------------------


@every_size
def test_random_openings_are_different_and_repeatable(size: int) -> None:
    rules = Rules(size)
    openings = read_openings("random(4)", rules, wanted=6, seed=1)
    assert len({opening.position.canonical() for opening in openings}) == len(openings) >= 5
    assert openings == read_openings("random(4)", rules, wanted=6, seed=1)
    assert openings != read_openings("random(4)", rules, wanted=6, seed=2)
    assert all(opening.position.empties == size * size - 8 for opening in openings)


def test_all_openings_of_a_ply_up_to_symmetry() -> None:
    assert [len(read_openings(f"ply({k})", Rules(8), 10**6, 0)) for k in range(5)] == [1, 1, 3, 14, 60]


def test_openings_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text(
        "# two openings and one twice\nf5d6c3 Tiger\nf5f6\n\nf5d6c3\n" + Position.start().play("d3").line() + "\n"
    )
    openings = read_openings(str(path), Rules(8), 10, 0)
    assert [opening.text for opening in openings][:2] == ["f5d6c3", "f5f6"] and len(openings) == 3
    path.write_text("f5a1\n")
    with pytest.raises(BadSpec, match=r"openings.txt, line 1: move 2"):
        read_openings(str(path), Rules(8), 10, 0)


@pytest.mark.compiled
def test_balanced_openings_are_fewer_and_repeatable() -> None:
    balanced = read_openings("balanced(6)", Rules(8), 5, 3)
    assert len(balanced) == 5 and balanced == read_openings("balanced(6)", Rules(8), 5, 3)


@pytest.mark.compiled
@every_variant
def test_balanced_openings_are_even_for_a_deeper_search(variant: Variant) -> None:
    """Of random ones a third is not; a judge that is no judge fails here."""
    deeper = agent("engine(depth=12, instant=no, memory=4)")

    def worth(openings: str) -> list[float]:
        found = read_openings(openings, Rules(8, variant), 16, 1)
        return [abs(deeper.choose(opening.position).value or 0) for opening in found]

    assert max(worth("balanced(8)")) <= 6 < max(worth("random(8)"))


@pytest.mark.parametrize("opening", ["balanced(52)", "balanced(8)"])
def test_a_stop_ends_the_search_for_an_even_opening(opening: str) -> None:
    with stoppable(lambda: True), pytest.raises(Stopped, match=r"even opening after \d+ plies was stopped"):
        made_game(opening, Rules(8))


def test_where_no_opening_is_even_the_search_for_one_ends() -> None:
    with pytest.raises(
        BadSpec, match=r"balanced\(1\) gives no opening on standard 4x4; expected another number of plies"
    ):
        made_game("balanced(1)", Rules(4))


@pytest.mark.parametrize(
    "text", ["random", "random(x)", "random(1, 2)", "random(100)", "ply(-1)", "nonsense", "none.txt"]
)
def test_bad_openings(text: str) -> None:
    with pytest.raises(BadSpec, match="expected"):
        read_openings(text, Rules(4), 3, 0)


# --- schedule -------------------------------------------------------------------------------------------------


def test_the_schedule_is_pure_and_keys_are_unique() -> None:
    slots = list(small_plan().slots())
    assert slots == list(small_plan().slots())
    assert len({slot.key for slot in slots}) == len(slots) == 20
    assert len({slot.pair for slot in slots}) == 10
    for black_game, white_game in zip(slots[::2], slots[1::2], strict=True):
        assert black_game.pair == white_game.pair and black_game.opening == white_game.opening
        assert (black_game.black, black_game.white) == (white_game.white, white_game.black)
        assert black_game.seed != white_game.seed


def test_a_larger_plan_contains_the_smaller_one() -> None:
    small, large = ({slot.key for slot in small_plan(games).slots()} for games in (10, 20))
    assert small < large


def test_whatever_matters_changes_the_keys() -> None:
    base = {slot.key for slot in small_plan().slots()}
    others = [
        small_plan(seed=1),
        small_plan(b="greedy(ties=first)"),
        plan_match("random", "greedy(ties=random)", Rules(4, "reversed"), 20, "random(3)", Conditions()),
        plan_match("random", "greedy(ties=random)", SMALL, 20, "random(3)", Conditions(Limits(nodes=5))),
        plan_match("random", "greedy(ties=random)", SMALL, 20, "random(3)", Conditions(adjudicate=4)),
    ]
    for plan in others:
        assert not base & {slot.key for slot in plan.slots()}


def test_the_order_of_the_two_does_not_matter() -> None:
    swapped = small_plan(a="greedy(ties=random)", b="random")
    assert {slot.key for slot in small_plan().slots()} == {slot.key for slot in swapped.slots()}


def test_tournaments_and_warnings() -> None:
    agents = ["random", "greedy(ties=first)", "greedy(ties=random)"]
    plan = plan_pairings(round_robin(agents), [SMALL, Rules(6)], 2, "random(2)", Conditions())
    assert plan.games == 3 * 2 * 4 == len(list(plan.slots()))
    assert len(gauntlet(agents)) == 2
    assert not plan.warnings()
    [warning] = plan_match("random", "random", SMALL, 10, "start", Conditions()).warnings()
    assert "5 pairs from 1 different openings" in warning
    itself = list(plan_match("random", "random", SMALL, 4, "random(3)", Conditions()).slots())
    assert len({slot.key for slot in itself}) == 4


# --- store ----------------------------------------------------------------------------------------------------


def exported(path: Path) -> str:
    """Everything in a store that does not depend on time and place, as text."""
    lines = []
    with Store(path) as store:
        for game in store.games():
            spent = [replace(side, seconds=0.0, longest=0.0) for side in game.spent]
            facts = {**vars(game), "spent": spent, "tags": {**game.tags, "made": ""}, "notes": None}
            lines.append(repr(sorted((facts | {"start": game.start.line()}).items())))
    return "\n".join(lines)


def test_games_are_kept_once_and_a_plan_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "games.db"
    with Store(path) as store:
        run_plan(small_plan(10), store, Here(), notes=True)
        assert store.count() == 10
        played: set[str] = set()

        def note(slot: Slot, game: Game) -> bool:
            played.add(slot.key)
            return True

        run_plan(small_plan(20), store, Here(), note)
        assert len(played) == 10 and store.count() == 20
        run_plan(small_plan(20), store, Here(), lambda slot, record: pytest.fail("played again"))
        assert not store.problems()
        assert sum(bool(game.notes) for game in store.games()) == 10


def test_plans_in_one_store_are_kept_apart(tmp_path: Path) -> None:
    with Store(tmp_path / "games.db") as store:
        for seed in (0, 1):
            run_plan(small_plan(seed=seed), store, Here())
        assert store.count() == 40
        assert result_of_plan(small_plan(), store).tally.games == 20


# --- matches --------------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_the_same_log_with_1_and_3_workers(tmp_path: Path) -> None:
    agents = ["minimax(depth=2)", "uct(playouts=20)", "minimax(nodes=300, order=mobility)"]
    plan = plan_pairings(round_robin(agents), [Rules(6)], 4, "random(4)", Conditions(seed=3))
    logs = []
    for workers in (1, 3):
        path = tmp_path / f"{workers}.db"
        with Store(path) as store:
            run_plan(plan, store, Processes(workers))
        logs.append(exported(path))
    assert logs[0] == logs[1] and logs[0].count("\n") == 23


def test_results_are_seen_by_the_first_agent(tmp_path: Path) -> None:
    with Store(tmp_path / "games.db") as store:
        run_plan(small_plan(), store, Here())
        ours = result_of_plan(small_plan(), store)
        theirs = result_of_plan(small_plan(a="greedy(ties=random)", b="random"), store)
        rows = [(row[1], row[2] == "random", row[4] if row[2] == "random" else 1 - row[4]) for row in store.results()]
    assert ours.tally == tally(rows), "adding games one by one differs from counting them together"
    assert ours.tally.games == 20 and ours.tally.swapped == theirs.tally and sum(ours.tally.pairs) == 10
    assert ours.margin.value == -theirs.margin.value
    facts = match_facts(ours)
    assert facts["wins"] == match_facts(theirs)["losses"]
    assert {"score", "score_interval", "elo", "elo_interval", "distinct_games", "terminations", "pairs"} <= set(facts)
    json.dumps(facts, allow_nan=False)


def test_a_sequential_test_stops_the_match(tmp_path: Path) -> None:
    plan = small_plan(400, a="greedy(ties=random)", b="players_of_people:First")
    test = Sprt(0, 400)
    with Store(tmp_path / "games.db") as store:
        run_plan(plan, store, Here(), lambda slot, record: result_of_plan(plan, store, test).undecided)
        result = result_of_plan(plan, store, test)
        assert (result.tally.games < 400) == (not result.undecided)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("0,300", "normalised Elo"),
        ("normalized(0, 300)", "normalised Elo"),
        ("logistic(0, 300)", "Elo"),
        ("bayesian(0, 300)", "BayesElo"),
    ],
)
def test_a_sequential_test_names_its_unit_everywhere(text: str, unit: str) -> None:
    found = match("random", "minimax(depth=2)", games=60, rules=Rules(4), openings="random(2)", sprt=text)
    assert found.verdict == "H0" and found.tally.games < 60, "decided early"
    lines = dict(found.lines())
    assert lines[f"SPRT, 0 to 300 {unit}"].endswith("H0, A is better by 0 rather than 300")
    facts = match_facts(found)["sprt"]
    assert (facts["unit"], facts["elo1"], facts["verdict"]) == (unit, 300, "H0")
    tested = found.paired if unit == "BayesElo" else found.tally.pairs
    assert found.llr == pytest.approx(Sprt.parse(text).llr(tested))


def test_the_units_of_a_sequential_test_are_different_tests() -> None:
    llrs = {Sprt.parse(f"{model}(0, 50)").llr((30, 60, 90, 70, 50)) for model in ("normalized", "logistic")}
    assert len(llrs) == 2 and Sprt.parse(" 0, 50 ") == Sprt.parse("normalized(0, 50)") == Sprt(0, 50)
    for test in (Sprt(-2.5, 5, 0.01, 0.1), Sprt(0, 1, model="bayesian")):
        assert Sprt.parse(str(test)) == test


def test_games_of_open_pairs_are_not_tested() -> None:
    plan = small_plan(4)
    board = Scoreboard(plan, Sprt.parse("bayesian(0, 10)"))
    for number, slot in enumerate(plan.slots()):
        if number != 1:
            board.add(slot, 1.0, 4.0, "normal", f"{number}")
    found = board.result()
    assert found.tally.games == 3 and sum(found.paired) == 2 * sum(found.tally.pairs) == 2


MATCH = ["match", "random", "greedy", "--size", "6", "--games", "300", "--quiet", "--json", "--workers", "2"]


def wait_for_games(store: Path, number: int) -> None:
    """Until so many games of a match that another process plays are kept."""

    def are_there() -> bool:
        if not store.exists():
            return False
        with Store(store) as games:
            return games.count() >= number

    wait_until(are_there)


def outflank(*args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([sys.executable, "-m", "outflank", *args], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == code and "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.compiled
def test_killed_at_random_moments_and_resumed_the_table_is_the_same(tmp_path: Path) -> None:
    """kill -9 of the parent or of a worker; `tests/kill.py` does it a thousand times."""
    quiet, killed = tmp_path / "quiet.db", tmp_path / "killed.db"
    expected = json.loads(outflank(*MATCH, "--store", str(quiet)).stdout)
    rng = random.Random(1)
    for part in range(2):
        with subprocess.Popen(
            [sys.executable, "-m", "outflank", *MATCH, "--store", str(killed)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            wait_for_games(killed, rng.randrange(150 * part, 150 * part + 100))
            process.kill()
    found = json.loads(outflank(*MATCH, "--store", str(killed)).stdout)
    store, before = found.pop("store"), expected.pop("store")
    assert found == expected and expected["games"] == before["played"] == store["found"] + store["played"] == 300
    assert exported(quiet) == exported(killed)


@pytest.mark.compiled
def test_the_commands_of_the_arena(tmp_path: Path) -> None:
    path = str(tmp_path / "games.db")
    facts = json.loads(
        outflank("match", "greedy", "random", "--size", "4", "--games", "20", "--store", path, "--json").stdout
    )
    assert facts["games"] == 20 and facts["distinct_openings"] == 10
    assert facts["store"] == {"file": path, "found": 0, "played": 20}
    text = outflank("match", "greedy", "random", "--size", "4", "--games", "20", "--store", path).stdout
    assert "Elo, A relative to B" in text and f"{path}: 20 of 20 games from the store, 0 played" in text
    assert "20 games, nothing wrong" in outflank("store", path, "--check").stdout
    assert json.loads(outflank("store", path, "--json").stdout)["games"] == 20
    assert len(outflank("store", path, "--export", "jsonl").stdout.splitlines()) == 20
    rated = json.loads(outflank("rate", path, "--json", "--anchor", "random=0").stdout)["ratings"]
    assert {(line["agent"], line["behaviour"]) for line in rated} == {("random", "1"), ("greedy(ties=random)", "1")}


TOURNAMENT = """
agents = ["random", "greedy", "minimax(depth=1)"]
sizes = [4, 6]
pairs = 3
openings = "random(3)"
seed = 2
"""


@pytest.mark.compiled
def test_a_tournament_from_a_file(tmp_path: Path) -> None:
    file, path = tmp_path / "all.toml", str(tmp_path / "games.db")
    file.write_text(TOURNAMENT)
    first = outflank("tournament", str(file), "--store", path, "--json").stdout
    ratings = json.loads(first)["ratings"]
    assert len(ratings) == 3 and sum(line["games"] for line in ratings) == 2 * 36
    again = outflank("tournament", str(file), "--store", path)
    assert re.search(r"\d random +\S+ +\[.*\] +[\d.]+ +24 ", again.stdout)
    assert f"{path}: 36 of 36 games from the store, 0 played" in again.stdout
    mixed = "games of 2 settings are rated together (18 of standard 4x4; 18 of standard 6x6)"
    assert mixed in again.stderr and mixed in json.loads(first)["warnings"][0]
    assert mixed in outflank("rate", path).stderr
    one = outflank("rate", path, "--rules", "standard 4x4", "--json")
    assert "settings" not in one.stderr
    assert sum(line["games"] for line in json.loads(one.stdout)["ratings"]) == 2 * 18


def test_a_match_without_a_game_that_was_played_ends_with_an_error_code(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    args = ["match", "players_of_people:Raising", "random", "--size", "4", "--openings", "start", "--games", "2"]
    with pytest.raises(SystemExit) as end:
        main([*args, "--workers", "1", "--quiet", "--json", "--store", str(tmp_path / "games.db")])
    answer, errors = capfd.readouterr()
    assert end.value.code == 1 and json.loads(answer)["games"] == 2
    assert "every game failed: crash 2" in errors


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('agent = ["random"]', "'agent' is not known, did you mean agents?"),
        ("pairs = 0", "bad.toml: pairs = 0 is not possible: expected a whole number from 1 to 5000000"),
        ('pairs = "many"', 'pairs = "many" is not possible: expected a whole number'),
        ("pairs = true", "pairs = true is not possible: expected a whole number"),
        ('agents = ["random"]', "expected agents = a list of two or more, or bots = a directory"),
        ('agents = ["random", "random"]', "1 of them different; expected all different"),
        ('agents = ["random", "nobody"]', "no agent is called"),
        ("sizes = [5]", "board size 5"),
        ('format = "danish"', 'format = "danish" is not possible: expected round robin | gauntlet | swiss | knockout'),
        ("sizes = [4, 4]", "one is named twice"),
        ("sizes = []", "expected a list of 1 or more"),
        ('limits = ["speed=1"]', "limit has no option 'speed'; options:"),
        ('limit = "nodes=1"', "limit is now depth, nodes, playouts, seconds; expected for example nodes = 1000"),
        ('limits = ["nodes=1"]\nnodes = 2', "nodes and limits; expected one of the two"),
        ("pairs = ", "is not TOML"),
    ],
)
def test_bad_tournaments(change: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    key = change.split(" ")[0]
    file.write_text("\n".join([change, *(line for line in TOURNAMENT.splitlines() if not line.startswith(f"{key} "))]))
    with pytest.raises(OutflankError, match=re.escape(message)):
        read_tournament(file)


@pytest.mark.parametrize(
    "args",
    [
        ["match", "random"],
        ["match", "random", "nobody"],
        ["match", "random", "greedy", "--games", "0"],
        ["match", "random", "greedy", "--openings", "none"],
        ["match", "random", "greedy", "--nodes", "0"],
        ["match", "random", "greedy", "--seconds", "1e309"],
        ["match", "random", "greedy", "--adjudicate", "-1"],
        ["match", "random", "greedy", "--openings", "random(yes)"],
        ["match", "random", "greedy", "--clock", "1e309+nan"],
        ["match", "random", "greedy", "--clock", "soon"],
        ["match", "random", "greedy", "--sprt", "10"],
        ["match", "random", "greedy", "--sprt", "10,0"],
        ["match", "random", "greedy", "--sprt", "elo(0, 10)"],
        ["match", "random", "greedy", "--sprt", "logistic(0)"],
        ["match", "random", "greedy", "--sprt", "logistic(0, 10, alpha=0)"],
        ["match", "random", "greedy", "--sprt", "0,1e309"],
        ["match", "random", "greedy", "--workers", "-2"],
        ["match", "random", "greedy", "--store", "/no/such/directory/games.db"],
        ["tournament", "/no/such/file.toml"],
        ["store", "/no/such/file.db"],
        ["rate", "/no/such/file.db"],
    ],
    ids=lambda args: " ".join(args)[:40],
)
def test_bad_input_of_the_arena(args: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if args[0] == "match" and "--store" not in args:
        args = [*args, "--store", str(tmp_path / "games.db")]
    errors = refused(args, capfd)
    assert any(word in errors for word in ("expected", "required", "known:", "options:", "No such file"))


@pytest.mark.parametrize(
    "args",
    [
        ["match", "random", "greedy"],
        ["tournament", "cup.toml"],
        ["rate", "a.db"],
        ["reproduce"],
        ["study", "a.toml"],
        ["selfplay", "--out", "a.txt", "--cluster", "tcp://127.0.0.1:9"],
        ["label", "a.txt", "--out", "labels", "--form", "parquet"],
        ["label", "a.txt", "--out", "labels", "--cluster", "tcp://127.0.0.1:9"],
        ["review", "f5d6", "--cluster", "tcp://127.0.0.1:9"],
        ["learn", "td", "--out", "a.npz", "--games", "1"],
        ["learn", "td", "--out", "a.npz", "--games", "1", "--match-games", "0", "--report", "report"],
        ["learn", "patterns", "a.txt", "--out", "a.npz", "--rules", "standard 8x8", "--report", "report"],
        ["learn", "generations", "--out", "a"],
        ["learn", "cuda", "--out", "a.npz"],
        ["convert", str(ROOT / "tests" / "data" / "games.ggf"), "a.parquet"],
        ["bench", "--stores"],
    ],
    ids=lambda args: " ".join(args)[:40],
)
def test_a_missing_extra_is_told_before_anything_is_done(
    args: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same commands used to play all games and end in a traceback."""
    monkeypatch.setattr("outflank.errors.find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    assert ", which is not installed; install it with: pip install 'outflank[" in refused(args, capfd)
    assert not list(tmp_path.iterdir())


def test_the_documented_tournament_can_be_played(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "tournaments.md").read_text()
    example = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert example is not None
    # the same with the clocks that are commented out
    full = re.sub(
        r"^# (?=(clock|move|stop)\w* = )", "", example.group(1), flags=re.MULTILINE
    )  # with the keys that are commented out
    for content in (example.group(1), full):
        (tmp_path / "cup.toml").write_text(content)
        plan = read_tournament(tmp_path / "cup.toml")
        assert plan.games == 3 * 3 * 2 * 2
    assert all(f"{option.name} = " in text for option in SETTINGS.options)
    assert SETTINGS.markdown() in text, (
        "python -c 'from outflank.arena.tournament import *; print(SETTINGS.markdown())'"
    )
