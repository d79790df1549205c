"""One score convention: whoever tells the score of a finished game counts its empty squares for the winner."""

import json
from pathlib import Path

import pytest

from outflank.arena.export import LINES
from outflank.arena.match import scoreboard
from outflank.arena.schedule import Conditions, plan_match
from outflank.arena.store import Store
from outflank.board import Color, Position, Rules, Variant
from outflank.facts import match_facts
from outflank.formats import read_ggf, read_obf, read_transcript, write_ggf
from outflank.game import Game
from outflank.interfaces.cli import main
from outflank.interfaces.web.verbs import position_state
from outflank.report.survey import survey
from outflank.search.solver import solve
from support import every_variant

WIPED_OUT = "e6f4e3f6g5d6e7f5c5"
"""Nine moves, after which white has no disc: 13 to 0 with 51 empty squares."""


def finished(variant: Variant) -> tuple[Game, int]:
    """A game that ends with empty squares, and black's score of it."""
    game = read_transcript(WIPED_OUT, Rules(8, variant))
    assert game.over and game.discs == (13, 0) and game.end.empties == 51
    return game, 64 if variant == "standard" else -64


@every_variant
def test_positions_games_and_records_agree(variant: Variant) -> None:
    game, score = finished(variant)
    assert game.score == game.end.score() == game.end.score(Color.BLACK) == -game.end.score(Color.WHITE) == score
    assert game.end.score(empties="nobody") == score * 13 // 64
    assert f"RE[{score:+d}]" in write_ggf(game) and read_ggf(write_ggf(game))[0].score == score
    assert game.winner is (Color.BLACK if score > 0 else Color.WHITE)


@every_variant
def test_the_solver_and_obf_agree_with_them(variant: Variant) -> None:
    """One move before its end the solver finds the game's score, which is what an OBF line must say."""
    game, score = finished(variant)
    before = game[:-1].end
    last = Position.parse("XO-------------- X", variant)  # one move, and nobody can go on
    assert solve(last).score == last.play("c1").score() == (16 if variant == "standard" else -16)
    [problem] = read_obf(f"{before.line()}; {game.moves[-1]}:{score:+d};", variant)
    assert problem.best == score == before.play(game.moves[-1]).score()


@every_variant
def test_stores_matches_exports_and_reports_agree(variant: Variant, tmp_path: Path) -> None:
    game, score = finished(variant)
    plan = plan_match("random", "greedy(ties=random)", game.rules, 2, "start", Conditions())
    first, _ = plan.slots()
    with Store(tmp_path / "games.db") as store:
        store.add(first, Game.of(game.start, game.moves, black=first.black, white=first.white))
        [kept] = store.games()
        result = scoreboard(plan, store).result()
        counts = survey(store.games())
    assert kept.score == kept.end.score() == score
    assert match_facts(result)["margin"] == result.margin.value == score
    assert counts.margins[first.black] == {score: 1}
    assert json.loads(next(iter(LINES["jsonl"]([kept]))))["score"] == score
    assert f"RE[{score:+d}]" in next(iter(LINES["ggf"]([kept])))


@every_variant
def test_the_commands_and_the_page_agree(variant: Variant, capsys: pytest.CaptureFixture[str]) -> None:
    game, score = finished(variant)
    main(["show", "--variant", variant, "--moves", WIPED_OUT, "--json"])
    assert json.loads(capsys.readouterr().out)["score"] == score
    main(["show", "--variant", variant, "--moves", WIPED_OUT])
    assert f"score for black: {score:+d}, the empty squares counted for the winner" in capsys.readouterr().out
    assert position_state(game.end, game.last, len(game))["score"] == score
    main(["solve", "--variant", variant, "--position", game.end.line(), "--json"])
    assert json.loads(capsys.readouterr().out)["score"] == game.end.score(game.end.turn)
