"""Self-play, training and generations: the same files from the same commands, and weights that learned something."""

import json
import lzma
import random
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from outflank.agents import agent
from outflank.board import Position, Rules, Variant
from outflank.errors import BadSpec, OutflankError
from outflank.execute import Here, Processes
from outflank.interfaces.cli import main
from outflank.kernels.jit import INTERPRETED
from outflank.learn.games import game_lines, positions_in, read_positions
from outflank.learn.generations import Generation, Measure, Plan, _Run, run_generations
from outflank.learn.opening import fit_opening
from outflank.learn.selfplay import SelfPlay, card_of, native_player, write_games
from outflank.learn.training import Method, train
from outflank.patterns import PatternWeights, pattern_set, read_weights, shipped_weights
from outflank.progress import Progress
from outflank.search.solver import solve
from support import EFFORT, PATIENCE, VARIANTS, StoppedAt, refused, running


def weights_file(path: Path, rules: Rules, seed: int = 1) -> Path:
    """Random weights: they tell any two positions apart."""
    patterns = pattern_set(rules.size)
    values = np.random.default_rng(seed).integers(-500, 500, (4, patterns.weights)).astype(np.int16)
    PatternWeights(rules, values[:, patterns.canonical], {"rules": str(rules)}).write(path)
    return path


def moves_of(line: str, rules: Rules) -> list[int]:
    names = line.split()[2]
    return [int(rules.square(f"{letter}{digits}")) for letter, digits in _squares(names)]


def _squares(names: str) -> Iterable[tuple[str, str]]:
    at = 0
    while at < len(names):
        end = at + 1
        while end < len(names) and names[end].isdigit():
            end += 1
        yield names[at], names[at + 1 : end]
        at = end


# --- self-play ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("size", "depth", "win"), [(6, 1, 10**6), (6, 2, 0), (6, 3, 10**6), (8, 2, 10**6), (10, 1, 0)])
def test_games_inside_the_kernel_are_those_of_the_agent(
    size: int, depth: int, win: int, variant: Variant, tmp_path: Path
) -> None:
    rules = Rules(size, variant)
    file = weights_file(tmp_path / "weights.npz", rules)
    text = f'minimax(depth={depth}, eval=patterns(weights="{file}"), win={win}, win_margin=yes, order=eval)'
    plan, player = SelfPlay(rules, text, (0, rules.cells - 10), seed=7), agent(text)
    assert native_player(text, rules) is not None
    asked = 0
    for line in plan.play(100, max(1, int(8 * EFFORT))):
        first, position = int(line.split()[0]), Position.start(rules)
        for i, move in enumerate(moves_of(line, rules)):
            if position.moves == (rules.pass_move,):
                position = position.play(rules.pass_move)
            if i >= first:
                assert player.choose(position).move == move, line
                asked += 1
            position = position.play(move)
        score = position.score() if variant == "standard" else -position.score()
        assert position.is_over and score == int(line.split()[1])
    assert asked


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_end_inside_the_kernel_is_exact(variant: Variant, tmp_path: Path) -> None:
    rules = Rules(6, variant)
    file = weights_file(tmp_path / "weights.npz", rules)
    text = f'minimax(depth=1, eval=patterns(weights="{file}"), endgame=7, endgame_by=margin)'
    for line in SelfPlay(rules, text, (0, 20), seed=3).play(0, max(2, int(20 * EFFORT))):
        position, best = Position.start(rules), None
        for move in moves_of(line, rules):
            if position.moves == (rules.pass_move,):
                position = position.play(rules.pass_move)
            if best is None and position.empties <= 7:
                found = solve(position, every_move=True)
                best = found.score if position.turn == 0 else -(found.score or 0)
                assert found.move == move
            position = position.play(move)
        assert best is None or best == position.score()


def test_random_games_are_legal_and_all_of_their_positions_count() -> None:
    rules = Rules(6)
    lines = list(SelfPlay(rules, "random", (5, 9), seed=1).play(0, 30))
    assert len(set(lines)) == 30 and all(line.startswith("0 ") for line in lines)
    assert len(read_positions(lines, rules)) == sum(len(moves_of(line, rules)) for line in lines)
    late = read_positions(SelfPlay(rules, "greedy", (5, 9), seed=1).play(0, 3), rules)
    assert late.empties.max() in range(23, 28)


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_of_agents_and_of_the_kernel_have_one_form(variant: Variant) -> None:
    """Labels of the reversed game are turned, and a result is black's in both."""
    rules = Rules(4, variant)
    for text in ("random", "greedy(ties=first)"):
        for line in SelfPlay(rules, text, (2, 4), seed=2).play(0, 5):
            first, score, _ = line.split()
            position = Position.start(rules)
            for move in moves_of(line, rules):
                if position.moves == (rules.pass_move,):
                    position = position.play(rules.pass_move)
                position = position.play(move)
            assert position.is_over and int(score) == position.with_variant("standard").score()
            assert int(first) == 0 if text == "random" else int(first) in (2, 3, 4)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["games.txt", "games.txt.xz"])
@pytest.mark.parametrize(("text", "games"), [("random", 4300), ("greedy", 120)])
def test_a_file_is_what_its_command_says_however_it_was_interrupted(
    text: str, games: int, name: str, tmp_path: Path
) -> None:
    plan = SelfPlay(Rules(4), text, (0, 6), seed=5)
    whole, file = tmp_path / "whole" / name, tmp_path / name
    assert write_games(plan, games, whole, Here()) == games
    content = whole.read_bytes()
    assert write_games(plan, games, whole, Here()) == 0 and whole.read_bytes() == content
    lines = list(game_lines(whole))
    assert len(lines) == games and lines == list(plan.play(0, games))
    assert write_games(plan, games // 2, file, Here()) == games // 2
    assert write_games(plan, games, file, Here()) >= games // 2
    assert file.read_bytes() == content, "a larger number of games goes on"
    for cut in (0, 1, len(content) // 3, len(content) - 1, *random.Random(3).sample(range(len(content)), 3)):
        file.write_bytes(content[:cut])
        assert write_games(plan, games, file, Here()) > 0
        assert file.read_bytes() == content, f"torn at {cut}"
    file.write_bytes(content[: len(content) // 2] + b"\xff" * 1000)
    write_games(plan, games, file, Here())
    assert file.read_bytes() == content


@pytest.mark.compiled
def test_workers_change_nothing(tmp_path: Path) -> None:
    one, two, plan = tmp_path / "one.txt.xz", tmp_path / "two.txt.xz", SelfPlay(Rules(4), "greedy", (0, 4), seed=9)
    write_games(plan, 110, one, Here())
    write_games(plan, 110, two, Processes(2))
    assert one.read_bytes() == two.read_bytes()


def test_another_command_does_not_go_on_with_a_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "games.txt"
    command = [
        "selfplay",
        "--rules",
        "standard 4x4",
        "--out",
        str(file),
        "--random",
        "0..4",
        "--quiet",
        "--workers",
        "1",
    ]
    if not INTERPRETED:
        assert main([*command, "--agent", "random", "--games", "5", "--json"]) == 0
        assert json.loads(capfd.readouterr().out)["played"] == 5
    else:
        write_games(SelfPlay(Rules(4), "random", (0, 4)), 5, file, Here())
    before = file.read_bytes()
    assert "was made with agent=" in refused([*command, "--agent", "greedy"], capfd)
    assert "was made with seed=0, not 1" in refused([*command, "--agent", "random", "--seed", "1"], capfd)
    card_of(file).write_text("[]")
    assert "is damaged; expected what outflank selfplay wrote" in refused([*command, "--agent", "random"], capfd)
    card_of(file).unlink()
    assert "no card games.txt.json" in refused([*command, "--agent", "random"], capfd)
    assert file.read_bytes() == before
    with pytest.raises(OutflankError, match="answered 16"):
        write_games(SelfPlay(Rules(4), "test_learn:refuse", (0, 4)), 1, tmp_path / "bad.txt", Here())


def refuse(position: Position) -> int:
    """A player that plays no legal move."""
    return int(position.rules.pass_move)


@pytest.mark.compiled
def test_ctrl_c_ends_self_play_at_once_and_the_same_command_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "games.txt.xz"
    command = [
        sys.executable,
        "-m",
        "outflank",
        "selfplay",
        "--rules",
        "standard 4x4",
        "--agent",
        "random",
        "--out",
        str(file),
    ]
    command += ["--random", "0..4", "--workers", "1", "--games"]
    with running(*command, "100000000") as process:
        while not file.exists() or file.stat().st_size < 20_000:
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert "the same command continues" in (process.stderr.read() if process.stderr else "")
    done = len(list(_whole(file)))
    assert main([*command[3:], str(done + 2000), "--quiet"]) == 0
    assert list(_whole(file)) == list(SelfPlay(Rules(4), "random", (0, 4)).play(0, done + 2000))


def _whole(file: Path) -> Iterable[str]:
    """The lines of the whole streams of a file that may be torn."""
    content = file.read_bytes()
    while content:
        reader = lzma.LZMADecompressor(lzma.FORMAT_XZ)
        try:
            text = reader.decompress(content)
        except lzma.LZMAError:
            return
        if not reader.eof:
            return
        content = reader.unused_data
        yield from text.decode().splitlines()


# --- training -------------------------------------------------------------------------------------------------------


def test_the_lines_of_a_file_are_read_once_each_and_errors_name_them(tmp_path: Path) -> None:
    rules, file = Rules(6), tmp_path / "games.txt"
    lines = list(SelfPlay(rules, "random", (0, 4), seed=1).play(0, 40))
    file.write_text("\n".join([*lines[:20], *lines, lines[3]]) + "\n")
    seen: set[int] = set()
    [found] = positions_in(file, rules, seen)
    alone = read_positions(lines, rules)
    assert len(seen) == 40 and np.array_equal(found.own, alone.own) and np.array_equal(found.games, alone.games)
    for bad in ("0 2 c2x9", "0 2 a1", "junk", "", "0 +2 c2 c3"):
        file.write_text("\n".join([*lines[:7], bad, *lines]))
        with pytest.raises(BadSpec, match=r"games\.txt, line 8: "):
            list(positions_in(file, rules, set()))


@pytest.mark.compiled
def test_threads_and_files_change_nothing(tmp_path: Path) -> None:
    rules = Rules(6)
    lines = list(SelfPlay(rules, "random", (0, 4), seed=1).play(0, 400))
    one, parts = tmp_path / "all.txt", [tmp_path / "a.txt", tmp_path / "b.txt"]
    for file, content in zip((one, *parts), (lines, lines[:150], lines[150:]), strict=True):
        file.write_text("\n".join(content))
    made = [
        train(rules, files, method=Method(passes=3, phases=4, threads=threads))
        for files, threads in (([one], 1), ([one], 3), (parts, 2))
    ]
    assert all(np.array_equal(other.weights.values, made[0].weights.values) for other in made[1:])
    assert made[0].curve[-1][2] < made[0].curve[0][2] and made[0].games == 400


@pytest.mark.compiled
def test_the_whole_pipeline_makes_weights_that_know_more(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Self-play, training with a report, training from there, and a game with what came out."""
    games, first, second = (str(tmp_path / name) for name in ("games.txt.xz", "first.npz", "second.npz"))
    command = [
        "selfplay",
        "--rules",
        "reversed 6x6",
        "--agent",
        "random",
        "--random",
        "0..0",
        "--games",
        "3000",
        "--out",
        games,
    ]
    assert main([*command, "--workers", "1", "--quiet"]) == 0
    learn = ["learn", "patterns", games, "--quiet", "--json", "--phases", "4", "--held-out", "10%", "--passes", "4"]
    capfd.readouterr()
    assert main([*learn, "--out", first, "--report", str(tmp_path / "report")]) == 0
    card = json.loads(capfd.readouterr().out)
    [step] = card["made"]
    assert card["rules"] == "reversed 6x6" and step["files"][0]["agent"] == "random #1" and step["games"] == 3000
    assert card["error"]["values"]["4"] < 0.8 * card["error"]["values"]["28"]
    for name in ("index.html", "report.md", "figures/weights-corner.svg", "figures/error.svg", "tables/corners.csv"):
        assert (tmp_path / "report" / name).stat().st_size > 100
    assert main([*learn, "--out", second, "--from", first]) == 0
    assert len(json.loads(capfd.readouterr().out)["made"]) == 2
    text = f'minimax(depth=1, eval=patterns(weights="{second}"))'
    assert main(["match", text, "random", "--size", "6", "--variant", "reversed", "--games", "20", "--quiet",
                 "--workers", "1", "--json", "--store", str(tmp_path / "games.db")]) == 0  # fmt: skip
    assert json.loads(capfd.readouterr().out)["score"] > 0.6
    assert main([*learn[:-2], "--out", second, "--from", first, "--passes", "1", "--phases", "5"]) == 2
    assert "the weights to begin with have 4" in capfd.readouterr().err
    assert "for reversed 6x6; expected" in refused(
        [*learn, "--rules", "reversed 8x8", "--out", second, "--from", first], capfd
    )
    assert read_weights(Path(second), Rules(6, "reversed")).card["made"]


def test_training_refuses_what_it_cannot_use(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    games, out = tmp_path / "games.txt", str(tmp_path / "weights.npz")
    games.write_text("0 2 d3c3\n")
    learn = ["learn", "patterns", str(games), "--quiet", "--out", out]
    wrong = {
        "too few to learn from": learn,
        "No such file": ["learn", "patterns", str(tmp_path / "nothing.txt"), "--out", out],
        "NAME.npz": ["learn", "patterns", str(games), "--out", str(tmp_path / "weights.txt")],
        "passes=0": [*learn, "--passes", "0"],
        "prior=-1": [*learn, "--prior", "-1"],
        "a share of the games": [*learn, "--held-out", "all"],
        "held_out=0.9": [*learn, "--held-out", "90%"],
        "phases=100": [*learn, "--phases", "100"],
        "no patterns for 4x4": [*learn, "--rules", "standard 4x4"],
        "rules 'chess'": [*learn, "--rules", "chess"],
        "cannot read weights": [*learn, "--from", str(tmp_path / "nothing.npz")],
        "line 1": [*learn, "--rules", "standard 6x6"],
    }
    for told, command in wrong.items():
        assert told in refused(command, capfd), command
    packed = tmp_path / "games.txt.xz"
    packed.write_bytes(b"no archive")
    assert "expected" in refused(["learn", "patterns", str(packed), "--out", out], capfd)
    assert not Path(out).exists()


# --- generations ----------------------------------------------------------------------------------------------------

SMALL = Plan(Rules(6), games=400, passes=2, match_games=4, match_depth=1, endgame=4)


@pytest.mark.compiled
def test_generations_killed_twice_and_resumed_are_undisturbed(tmp_path: Path) -> None:
    plan, whole = SMALL, tmp_path / "whole"
    found = list(run_generations(plan, 2, whole, Here()))
    assert [one.number for one in found] == [1, 2] and found[0].against_best is None and found[0].accepted
    best = found[1].against_best
    assert best is not None and best.wins + best.draws + best.losses == 4
    assert found[1].accepted == (best.score[0] >= 0.5)
    chosen = whole / f"generation-0{2 if found[1].accepted else 1}" / "weights.npz"
    assert (whole / "best.npz").read_bytes() == chosen.read_bytes()
    assert list(run_generations(plan, 2, whole, Nobody())) == found, "what is done is not done again"
    torn = tmp_path / "torn"
    for moment in ("generation 1: fitting", "generation 2: measuring"):
        with pytest.raises(KeyboardInterrupt):
            list(run_generations(plan, 2, torn, Here(), StoppedAt(moment)))
    again = list(run_generations(plan, 2, torn, Here()))
    for one, other in zip(found, again, strict=True):
        assert [_results(one), one.positions, one.error] == [_results(other), other.positions, other.error]
        files = (home / f"generation-0{one.number}" / "weights.npz" for home in (whole, torn))
        undisturbed, resumed = (read_weights(file, plan.rules).values for file in files)
        assert np.array_equal(undisturbed, resumed)
    (whole / "generation-02" / "result.json").unlink()
    assert _results(list(run_generations(plan, 2, whole, Here()))[1]) == _results(found[1])


def _results(one: Generation) -> list[tuple[int, int, int]]:
    matches = [one.against_terms] if one.against_best is None else [one.against_best, one.against_terms]
    return [(each.wins, each.draws, each.losses) for each in matches]


class Nobody:
    """An executor that must not be asked."""

    def run(self, job: object, tasks: object) -> NoReturn:
        raise AssertionError("nothing is left to do")


@pytest.mark.compiled
def test_generations_by_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "made"
    command = ["learn", "generations", "--rules", "reversed 6x6", "--out", str(place), "--quiet", "--workers", "1"]
    command += ["--games", "300", "--passes", "2", "--match-games", "2", "--match-depth", "1", "--endgame", "2"]
    assert main([*command, "--generations", "1", "--json"]) == 0
    [made] = json.loads(capfd.readouterr().out)["generations"]
    assert made["number"] == 1 and made["accepted"] and made["positions"] > 1000
    assert (place / "report" / "report.md").exists() and (place / "best.npz").exists()
    assert main([*command, "--generations", "1"]) == 0
    assert "Elo against five terms" in " ".join(capfd.readouterr().out.split())
    wrong = {
        "was made with games=300, not 500": [*command, "--games", "500"],
        "generations=0": [*command, "--generations", "0"],
        "games=5 ": [*command, "--games", "5"],
        "random first moves": [*command, "--most-random", "99"],
        "no patterns for 12x12": [*command, "--rules", "standard 12x12"],
        "cannot read weights": [*command[:3], "standard 6x6", "--out", str(tmp_path / "new"), "--from", "no.npz"],
        "is not empty": ["learn", "generations", "--out", str(tmp_path)],
    }
    for told, bad in wrong.items():
        assert told in refused(bad, capfd), bad
    (place / "generation-01" / "result.json").write_text("{}")
    assert "is damaged" in refused([*command, "--generations", "1"], capfd)


def test_weights_that_are_worse_do_not_replace_the_best(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the arena and the fit replaced: the rule alone."""
    rules = Rules(6)
    start = weights_file(tmp_path / "start.npz", rules)
    scores = iter([0.4, 0.6, 0.5, 0.49])
    played: list[str] = []

    def match(self: object, number: int, new: str, other: str) -> Measure:
        if "five_terms" in other:
            return Measure(other, 0, 0, 2, (0.0, None, None), (0.0, None, None))
        played.append(other)
        return Measure(other, 1, 0, 1, (next(scores), 0.1, 0.9), (0.0, -9.0, 9.0))

    def fitted(self: Any, number: int, files: list[Path]) -> dict[str, Any]:
        weights_file(self._home(number) / "weights.npz", rules, seed=number)
        return {"positions": len(files), "seconds": 0.0, "error on held-out games": 1.0}

    monkeypatch.setattr(_Run, "_match", match)
    monkeypatch.setattr(_Run, "_fitted", fitted)
    monkeypatch.setattr("outflank.learn.generations.write_games", lambda *given: 0)
    plan = Plan(rules, games=100, start=str(start), remembered=2)
    found = list(run_generations(plan, 4, tmp_path / "run", Here()))
    assert [one.accepted for one in found] == [False, True, True, False]
    assert [one.positions for one in found] == [1, 2, 2, 2], "games of the last two generations"
    opponents = ["start.npz", "start.npz", "generation-02", "generation-03"]
    assert all(name in text for name, text in zip(opponents, played, strict=True))
    third = (tmp_path / "run" / "generation-03" / "weights.npz").read_bytes()
    assert (tmp_path / "run" / "best.npz").read_bytes() == third


@pytest.mark.compiled
def test_the_opening_is_fitted_to_searches(tmp_path: Path) -> None:
    """New phases of the opening foretell searches of held-out openings better than none; all other weights stay."""
    found = fit_opening(Rules(6), 8, games=60, depth=4, prior=5.0, seed=1, progress=Progress())
    before = shipped_weights(Rules(6))
    phases = (8 + 1 - 4) // before.phase_length
    assert found.after < 6 and found.weights.card["made"][-1]["by"] == "outflank learn opening"
    assert np.array_equal(found.weights.values[phases:], before.values[phases:])
    assert not np.array_equal(found.weights.values[:phases], before.values[:phases])
    with pytest.raises(BadSpec, match="expected a phase"):
        fit_opening(Rules(6), 3, games=60, depth=4, prior=5.0, seed=1, progress=Progress())
    found.weights.write(tmp_path / "opening.npz")
    assert read_weights(tmp_path / "opening.npz", Rules(6)).card["made"][-1]["depth"] == 4
    again = fit_opening(Rules(6), 8, 60, 4, 5.0, seed=2, progress=Progress(), start=str(tmp_path / "opening.npz"))
    assert [step.get("seed") for step in again.weights.card["made"][-2:]] == [1, 2]
    assert again.before != found.before, "another opening was searched with"
