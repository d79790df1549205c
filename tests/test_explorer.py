"""What was played in a position, beside a slow count."""

import json
import random
from collections import defaultdict
from pathlib import Path

import pytest

from outflank.board import Position, Rules
from outflank.errors import BadNotation, BadSpec
from outflank.explorer import Explorer, explored_facts
from outflank.formats import write_sgf
from outflank.game import Game
from outflank.interfaces.cli import main
from support import refused

SMALL = Rules(4)


def random_games(rules: Rules, count: int) -> list[Game]:
    rng, games = random.Random(3), []
    for number in range(count):
        game = Game(Position.start(rules), black=f"Ada {number % 3}", white="Bob", date=f"{1990 + number % 4}-05-01")
        while not game.end.is_over:
            game = game.play(rng.choice(game.end.moves))
        games.append(game)
    return games


def slowly(games: list[Game], position: Position) -> dict[Position, list[float]]:
    """The scores of whoever played from a position or an image of it, by the canonical position behind the move."""
    found: dict[Position, list[float]] = defaultdict(list)
    for game in games:
        assert game.score is not None
        for before, move in game:
            if not move.is_pass and same(before, position):
                found[before.play(move).canonical()].append(-game.score if before.turn else game.score)
    return found


def same(one: Position, other: Position) -> bool:
    return one.canonical() == other.canonical()


@pytest.fixture(scope="module")
def games() -> list[Game]:
    return random_games(SMALL, 60)


def test_moves_are_counted_as_a_slow_count_does(games: list[Game], tmp_path: Path) -> None:
    index = Explorer.of(games)
    index.write(tmp_path / "index.npz")
    again = Explorer.read(tmp_path / "index.npz")
    positions = {before.canonical() for game in games[:8] for before, _ in game if before.moves}
    for position in positions:
        expected = slowly(games, position)
        found = {position.play(one.move).canonical(): one for one in index.at(position)}
        assert {after: one.games for after, one in found.items()} == {a: len(s) for a, s in expected.items()}
        for after, one in found.items():
            scores = expected[after]
            assert one.points == sum((score > 0) + (score == 0) / 2 for score in scores)
            assert one.margin == pytest.approx(sum(scores) / len(scores))
            assert all(same(position.play(other), position.play(one.move)) for other in one.alike)
        for turned in (position.transform(3), position.transform(4)):
            assert sorted(one[2:] for one in again.at(turned)) == sorted(one[2:] for one in index.at(position))


def test_games_are_chosen_by_player_year_and_result(games: list[Game]) -> None:
    index, start = Explorer.of(games), Position.start(SMALL)
    [all_games] = index.at(start)
    assert all_games.games == 60 and len(all_games.alike) == 3
    assert index.at(start, player="ada 1")[0].games == 20 and not index.at(start, player="Eve")
    assert index.at(start, years=(1990, 1991))[0].games == 30
    won = sum(game.points == 1 for game in games)
    assert index.at(start, result="black")[0].points == won == index.at(start, result="black")[0].games
    with pytest.raises(BadSpec, match="the position is standard 8x8"):
        index.at(Position.start())
    assert Explorer.of([*games, Game(start)]).left_out == 1
    assert explored_facts(index.at(start))[0]["games"] == 60


def test_the_command_explores_games_and_their_index(
    games: list[Game], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file, index = tmp_path / "club.sgf", tmp_path / "club.npz"
    file.write_text("\n".join(map(write_sgf, games)))
    assert main(["explore", str(file), "--size", "4", "--out", str(index), "--moves", "b1"]) == 0
    assert "60 games of standard 4x4" in capfd.readouterr().out
    assert main(["explore", str(index), "--size", "4", "--player", "ada 1", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["moves"][0]["games"] == 20
    assert "is an index; expected it alone" in refused(["explore", str(index), str(file)], capfd)
    assert "expected 1985 or 1985..1990" in refused(["explore", str(index), "--year", "x"], capfd)
    index.write_bytes(index.read_bytes()[:2000])
    assert "is no index of games" in refused(["explore", str(index), "--size", "4"], capfd)
    with pytest.raises(BadNotation):
        Explorer.read(file)
