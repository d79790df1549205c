"""Identity is behaviour: numbers of kinds, content of source files, and golden decisions that pin them."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from golden_decisions import FILE, TEXTS, decisions, kind_of
from outflank.agents import agent, agent_signatures, behaviour, canonical, identity, text_of
from outflank.agents.kinds import KINDS
from outflank.agents.names import short_name, short_names
from outflank.arena.quick import BehaviourWarning, match
from outflank.arena.ratings import rate
from outflank.arena.runner import behaviour_warnings
from outflank.arena.schedule import Conditions, plan_match
from outflank.arena.store import Store, made_by, players
from outflank.board import Rules
from outflank.errors import BadSpec
from outflank.interfaces.cli import main
from outflank.report.arena import arena_document
from outflank.report.markdown import to_markdown
from outflank.report.survey import survey
from outflank.studies import named_study
from outflank.studies.run import take_timings
from outflank.studies.study import Timing

PLAYED = sorted({kind_of(text) for text in TEXTS})
MATCH = {"games": 4, "rules": Rules(4), "openings": "random(2)"}


def test_every_kind_and_preset_has_golden_decisions() -> None:
    named = {text.partition("(")[0] for text in TEXTS}
    wanted = {name for name in agent_signatures() if not (name in KINDS and KINDS[name].external)}
    assert named == wanted, f"TEXTS in tests/golden_decisions.py names too little or too much: {named ^ wanted}"


@pytest.mark.compiled
@pytest.mark.parametrize("kind", PLAYED)
def test_decisions_are_those_of_the_behaviour(kind: str) -> None:
    golden = json.loads(FILE.read_text())
    rewrite = f"rewrite the file: python tests/golden_decisions.py {kind}"
    assert golden["behaviour"].get(kind) == KINDS[kind].behaviour, (
        f"{kind} is new or its behaviour was raised; {rewrite}"
    )
    found, expected = decisions(kind, golden["positions"]), golden["decisions"][kind]
    other = [f"{key}: {found.get(key)} instead of {made}" for key, made in expected.items() if found.get(key) != made]
    assert not other, (
        f"{kind} decides otherwise than before in {len(other)} of {len(expected)} cases, such as {other[0]}. If it is "
        f"meant, raise its behaviour in agents/kinds.py (now {KINDS[kind].behaviour}), then {rewrite}"
    )
    assert found.keys() == expected.keys(), rewrite


def test_identities_are_texts_with_behaviour() -> None:
    assert identity("greedy") == "greedy(ties=random) #1"
    for takes_texts in (agent, canonical, identity):
        with pytest.raises(BadSpec, match="'greedy #1' has the mark of a behaviour, #1; expected the text before it"):
            takes_texts("greedy #1")
    assert (
        text_of(identity("uct(10)")) == canonical("uct(10)") and short_name(identity("uct(10)")) == "uct(playouts=10)"
    )
    names = short_names(["random #1", "greedy(ties=random) #1", "greedy(ties=random) #2"])
    assert list(names.values()) == ["random", "greedy, behaviour 1", "greedy, behaviour 2"]


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a player, a module beside it, an evaluation and a package."""
    (tmp_path / "bot_one.py").write_text("import json\nimport bot_help\nraise RuntimeError('imported')\n")
    (tmp_path / "bot_help.py").write_text("LEVEL = 1\n")
    (tmp_path / "bot_other.py").write_text("LEVEL = 1\n")
    (tmp_path / "bot_house").mkdir()
    (tmp_path / "bot_house" / "__init__.py").write_text("raise RuntimeError('imported')\n")
    (tmp_path / "bot_house" / "player.py").write_text("from .weights import W\nfrom . import tables\n")
    (tmp_path / "bot_house" / "weights.py").write_text("W = 1\n")
    (tmp_path / "bot_house" / "tables.py").write_text("T = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("text", "changed", "unchanged"),
    [
        ("bot_one:Bot(level=3)", ["bot_one.py", "bot_help.py"], ["bot_other.py", "bot_house/weights.py"]),
        (
            "bot_house.player:Bot",
            ["bot_house/player.py", "bot_house/weights.py", "bot_house/tables.py"],
            ["bot_one.py"],
        ),
        ("minimax(depth=2, eval=bot_one:f)", ["bot_help.py"], ["bot_other.py"]),
        ("uct(playouts=5, playout=cutoff(eval=bot_one:f))", ["bot_help.py"], ["bot_other.py"]),
    ],
)
def test_people_are_known_by_the_content_of_their_files(
    text: str, changed: list[str], unchanged: list[str], bots: Path
) -> None:
    first = identity(text)
    assert text_of(first) == canonical(text)
    for name in unchanged:
        (bots / name).write_text((bots / name).read_text() + "# more\n")
        assert identity(text) == first
    seen = {first}
    for name in changed:
        (bots / name).write_text((bots / name).read_text() + "# more\n")
        seen.add(identity(text))
    assert len(seen) == 1 + len(changed)
    assert not any(name.startswith("bot_") for name in sys.modules), "something was imported"
    if not text.startswith("bot"):
        assert behaviour(text).startswith(f"{KINDS[text.partition('(')[0]].behaviour}-")


def test_modules_that_are_not_there_are_told() -> None:
    with pytest.raises(BadSpec, match="cannot import module 'no_such_module'"):
        identity("no_such_module:Bot")


def test_games_of_another_behaviour_are_told_and_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "club.db"
    first = match("greedy", "random", store=path, **MATCH)  # type: ignore[arg-type]
    monkeypatch.setitem(KINDS, "greedy", replace(KINDS["greedy"], behaviour=2))
    plan = plan_match(identity("greedy"), identity("random"), Rules(4), 4, "random(2)", Conditions())
    with Store(path) as store:
        [warning] = behaviour_warnings(plan, store)
        assert (
            f"4 games of greedy in {path} were played by its behaviour 1; now it is behaviour 2: they are kept"
            in warning
        )
        assert len(list(store.missing(plan.slots()))) == 4
    with pytest.warns(BehaviourWarning, match="4 games of greedy"):
        again = match("greedy", "random", store=path, **MATCH)  # type: ignore[arg-type]
    with Store(path) as store:
        assert store.count() == 8
        games = list(store.games())
    assert first.tally == again.tally, "the same seeds, and here the same moves"
    assert len({game.tags["pair"] for game in games}) == 4
    assert {player for game in games for player in (game.black, game.white)} == {"greedy(ties=random)", "random"}
    assert {player for game in games for player in players(game)} == {
        "greedy(ties=random) #1",
        "greedy(ties=random) #2",
        "random #1",
    }


def outflank(capfd: pytest.CaptureFixture[str], *args: object) -> tuple[str, str]:
    """What a command that goes well says on stdout and stderr, in this process."""
    assert main([str(arg) for arg in args]) == 0
    said = capfd.readouterr()
    assert " #1" not in said.out and " #2" not in said.out, "people are shown texts"
    return said.out, said.err


def test_a_raised_behaviour_as_a_person_sees_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "club.db"
    words = "match greedy random --size 4 --games 4 --openings random(2) --workers 1 --quiet --store"
    command = [*words.split(), path]
    assert "warning" not in outflank(capfd, *command)[1]
    assert "warning" not in outflank(capfd, *command)[1], "the same again: everything is there"
    monkeypatch.setitem(KINDS, "greedy", replace(KINDS["greedy"], behaviour=2))
    out, err = outflank(capfd, *command)
    assert err == (
        f"outflank: warning: 4 games of greedy in {path} were played by its behaviour 1; now it is behaviour 2: "
        "they are kept, shown apart and not used\n"
    )
    assert "4 of 4" in out
    assert outflank(capfd, "store", path)[0].startswith("8 games")
    rated = json.loads(outflank(capfd, "rate", path, "--json")[0])
    lines = {(line["agent"], line["behaviour"]): line["games"] for line in rated["ratings"]}
    assert lines == {("greedy(ties=random)", "1"): 4, ("greedy(ties=random)", "2"): 4, ("random", "1"): 8}
    assert rated["agents"] == ["greedy(ties=random)", "greedy(ties=random)", "random"]
    assert rated["behaviours"] == ["1", "2", "1"]
    for shown in (outflank(capfd, "rate", path)[0], outflank(capfd, "store", path)[0]):
        assert "greedy, behaviour 1" in shown and "greedy, behaviour 2" in shown
    anchored = json.loads(outflank(capfd, "rate", path, "--json", "--anchor", "greedy #2=100")[0])["ratings"]
    assert [line["behaviour"] for line in anchored if line["elo"] == 100] == ["2"]
    assert main(["rate", str(path), "--anchor", "greedy=100"]) == 2
    assert "games of 2 behaviours; expected 'greedy #1=100' or 'greedy #2=100'" in capfd.readouterr().err
    with Store(path) as store:
        text = to_markdown(arena_document("Club", counts := survey(store.games()), rate(counts.results), {}))
    assert "greedy, behaviour 1" in text and "greedy, behaviour 2" in text and " #2" not in text
    assert made_by() in text


def test_a_changed_file_as_a_person_sees_it(tmp_path: Path) -> None:
    bot = "from my_help import pick\n\n\ndef bot(position):\n    return pick(position.moves)\n"
    (tmp_path / "my_bot.py").write_text(bot)

    def played(pick: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "my_help.py").write_text(f"def pick(moves):\n    return moves[{pick}]\n")
        command = "match my_bot:bot random --size 4 --games 4 --openings random(2) --store club.db --workers 1 --quiet"
        return subprocess.run(
            [sys.executable, "-m", "outflank", *command.split()], cwd=tmp_path, capture_output=True, text=True
        )

    first, same, changed = played("0"), played("0"), played("-1")
    assert [done.returncode for done in (first, same, changed)] == [0, 0, 0], changed.stderr
    assert first.stderr == same.stderr == ""
    assert first.stdout.replace("0 of 4 games from the store, 4", "4 of 4 games from the store, 0") == same.stdout
    assert "4 games of my_bot:bot in club.db were played by its behaviour " in changed.stderr
    assert "they are kept, shown apart and not used" in changed.stderr and "4 of 4" in changed.stdout
    with Store(tmp_path / "club.db") as store:
        assert store.count() == 8
        assert len({players(game) for game in store.games()}) == 4, "two behaviours, two colours"


def test_timings_are_taken_anew_for_another_behaviour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = replace(named_study("he-reversed"), timings=(Timing("speed", "builtins:float", "greedy"),))
    told: list[str] = []

    def take() -> dict[str, list[float]]:
        return take_timings([study], "quick", tmp_path / "timings.json", told.append)

    assert take() == take() and told == ["speed"]
    monkeypatch.setitem(KINDS, "greedy", replace(KINDS["greedy"], behaviour=2))
    assert list(take()) == ["speed"] and told == ["speed", "speed"]
