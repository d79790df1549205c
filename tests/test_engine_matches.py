"""Matches of external programs: from openings, to the end whatever a program does, and none is left behind."""

import json
import subprocess
from pathlib import Path

import pytest

from outflank.agents import Agent, agent
from outflank.arena.runner import run_plan
from outflank.arena.schedule import Conditions, Slot, gauntlet, plan_match, plan_pairings
from outflank.arena.store import Store
from outflank.board import Rules
from outflank.engines import GtpPlayer
from outflank.execute import Executor, Here, Processes
from outflank.formats import read_transcript
from outflank.game import Game
from outflank.game_loop import play_game
from support import PATIENCE, PERFECT_GAME, wait_until
from test_engines import START, command, told, with_rhino

pytestmark = pytest.mark.compiled


def scripted(directory: Path, *switches: str) -> str:
    """The text of the scripted engine as an agent, with the directory among its arguments to be known by."""
    mark = f"--seed={int.from_bytes(str(directory).encode()) % 10**12}"
    timeout = 0.5 if "--stall" in switches else PATIENCE
    return agent(f"gtp(cmd={json.dumps(command('gtp', mark, *switches))}, timeout={timeout})").text


def running_for(directory: Path) -> list[str]:
    """The programs that run for the tests of this directory."""
    mark = f"--seed={int.from_bytes(str(directory).encode()) % 10**12}"
    listed = subprocess.run(["ps", "-ewwo", "stat=,args="], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if mark in line and not line.startswith("Z")]


def wait_until_none_runs_for(directory: Path) -> None:
    wait_until(lambda: not running_for(directory))


def play_match(executor: Executor, directory: Path, stopped: bool) -> None:
    """A match of the scripted engine, stopped after a game where asked, that leaves no program behind.

    The engine has no command for a position, and an opening of 14 moves is too long to be found out.
    """
    plan = plan_match(scripted(directory), "random", Rules(8), 8, "random(14)", Conditions())
    seen: list[str] = []

    def note(slot: Slot, record: Game) -> bool:
        seen.extend(running_for(directory))
        assert record.termination == "normal", record.reason
        return not stopped

    with Store(directory / "games.db") as games:
        run_plan(plan, games, executor, note)
        assert games.count() == (1 if stopped else 8)
    assert seen
    wait_until_none_runs_for(directory)


@pytest.mark.parametrize("stopped", [False, True], ids=["complete", "stopped"])
@pytest.mark.parametrize("executor", [Processes(2), Here()], ids=["processes", "here"])
def test_a_match_leaves_no_program_behind(executor: Executor, tmp_path: Path, stopped: bool) -> None:
    play_match(executor, tmp_path, stopped)


def test_programs_are_told_the_moves_of_an_opening() -> None:
    engine = GtpPlayer(command("gtp"))
    opening = read_transcript(PERFECT_GAME[:28], START)
    start = opening.end
    record = play_game(Agent("engine", "engine", engine), agent("random"), opening, seed=1)
    assert record.termination == "normal" and record.continues(opening), record.reason
    plays = [line.split()[2] for line in told(engine) if line.startswith("play ")]
    assert "".join(plays[:14]) == PERFECT_GAME[:28]
    lost = play_game(Agent("engine", "engine", engine), agent("random"), start, seed=1)
    assert lost.termination == "failure" and "GTP has no command for a position" in lost.reason
    engine.close()


def test_openings_that_are_positions_are_told_as_such(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text(read_transcript(PERFECT_GAME[:28], START).end.line() + "\n")
    plan = plan_match(scripted(tmp_path), "random", Rules(8), 2, str(file), Conditions())
    with Store(tmp_path / "games.db") as games:
        run_plan(plan, games, Here())
        assert ["GTP has no command for a position" in game.reason for game in games.games()] == [True, True]


BAD = {
    "--illegal": "illegal move",
    "--wrong-colour": "illegal move",
    "--crash-on-go": "crash",
    "--crash-at-start": "crash",
    "--stall": "stall",
    "--garbage": "failure",
    "--endless-output": "failure",
    "--refuse-quit": "normal",
}


def test_bad_programs_lose_their_games_and_the_rest_is_played(tmp_path: Path) -> None:
    engines = {scripted(tmp_path, switch): end for switch, end in BAD.items()}
    plan = plan_pairings(gauntlet(["random", *engines]), [Rules(8)], 1, "random(6)", Conditions())
    with Store(tmp_path / "games.db") as store:
        run_plan(plan, store, Processes(2))
        games = list(store.games())
    assert len(games) == 2 * len(BAD)
    for game in games:
        assert game.points is not None
        engine, points = (game.white, game.points) if game.black == "random" else (game.black, 1 - game.points)
        assert game.termination == engines[engine], game.reason
        assert game.termination == "normal" or points == 1, "the opponent wins"
    wait_until_none_runs_for(tmp_path)


@with_rhino
def test_rhino_plays_from_openings(tmp_path: Path) -> None:
    plan = plan_match(agent('gtp("gtp-rhino -l 1 -b 0")').text, "random", Rules(8), 4, "random(8)", Conditions())
    with Store(tmp_path / "games.db") as games:
        run_plan(plan, games, Here())
        assert [game.termination for game in games.games()] == ["normal"] * 4
