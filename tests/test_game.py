"""The game loop: results, reasons, clocks."""

import pickle
import time
from dataclasses import replace

import pytest

from outflank.agents import agent
from outflank.board import Color, Position, Rules, Variant
from outflank.errors import BadSpec, IllegalMove
from outflank.game import Game, MoveNote, Termination
from outflank.game_loop import TimeControl, move_seed, play_game
from outflank.kernels.jit import INTERPRETED
from outflank.search.decision import Decision
from outflank.search.limits import Limits
from outflank.search.player import Player
from outflank.search.solver import solve
from support import every_variant


class Scripted(Player):
    """A player that takes some time and then plays its first legal move, or does something worse."""

    def __init__(self, seconds: float = 0.0, worse: str = "") -> None:
        self.seconds, self.worse = seconds, worse
        self.games, self.heard, self.limits = 0, [], []  # type: ignore[var-annotated]

    def new_game(self) -> None:
        self.games += 1

    @property
    def listens(self) -> bool:
        return True

    def follow(self, game: Game) -> None:
        assert game.end == Game.of(game.start, game.moves).end
        self.heard.append(game.moves)

    def choose(self, position: Position, limits: Limits | None = None, seed: int = 0) -> Decision:
        self.limits.append(limits)
        time.sleep(self.seconds)
        if self.worse == "illegal":
            return Decision(0, position.turn)
        if self.worse == "raise":
            raise RuntimeError("no idea")
        return Decision(position.moves[0], position.turn)


def without_times(record: Game) -> Game:
    """A record with every measured time set to nothing."""
    notes = tuple(replace(note, seconds=0.0) for note in record.notes)
    black, white = (replace(side, seconds=0.0, longest=0.0) for side in record.spent)
    return replace(record, notes=notes, spent=(black, white))


@every_variant
def test_a_game_replays_to_its_result(variant: Variant) -> None:
    start = Position.start(Rules(6, variant))
    record = play_game(agent("random"), agent("greedy"), start, seed=5)
    position = start
    for move in record.moves:
        position = position.play(move)
    assert position.is_over and record.termination is Termination.NORMAL
    assert record.discs == (position.discs(Color.BLACK), position.discs(Color.WHITE))
    margin = position.score(Color.BLACK)
    assert record.points == (1.0 if margin > 0 else 0.0 if margin < 0 else 0.5)
    assert record.spent[0].moves + record.spent[1].moves == len(record.moves)


def test_the_same_seed_is_the_same_game_and_another_is_another() -> None:
    start = Position.start(Rules(4 if INTERPRETED else 8))
    texts = ("uct(playouts=10)", "minimax(depth=1)")
    first, again, other = (play_game(agent(texts[0]), agent(texts[1]), start, seed=seed) for seed in (3, 3, 4))
    assert without_times(first) == without_times(again)
    assert first.moves != other.moves
    assert len({move_seed(seed, ply) for seed in range(50) for ply in range(50)}) == 2500


@pytest.mark.parametrize(
    ("worse", "termination", "reason"),
    [
        ("illegal", Termination.ILLEGAL, "white: white cannot play a1"),
        ("raise", Termination.CRASH, "white: RuntimeError: no idea"),
    ],
)
def test_failures_lose_with_a_reason(worse: str, termination: Termination, reason: str) -> None:
    record = play_game(Scripted(), Scripted(worse=worse), Position.start())
    assert record.termination is termination and record.points == 1.0
    assert record.reason.startswith(reason)


def test_players_hear_of_new_games_and_moves() -> None:
    black, white = Scripted(), Scripted()
    record = play_game(black, white, Position.start(Rules(4)))
    assert black.games == white.games == 1
    assert black.heard[0] == () and white.heard[0] == record.moves[:1]


def test_clocks() -> None:
    """Times are generous: whoever is not slow on purpose must never be late on a busy machine."""
    start = Position.start(Rules(4))
    record = play_game(Scripted(), Scripted(0.5), start, control=TimeControl(move_seconds=0.2, tolerance=0.1))
    assert record.termination is Termination.TIMEOUT and record.points == 1.0 and "white: took" in record.reason
    record = play_game(Scripted(0.3), Scripted(), start, control=TimeControl(game_seconds=0.5, tolerance=0.05))
    assert record.termination is Termination.TIMEOUT and record.points == 0.0 and "left on the clock" in record.reason
    slow = Scripted(0.1)
    record = play_game(slow, Scripted(), start, control=TimeControl(game_seconds=0.5, increment=0.6, tolerance=0.05))
    assert record.termination is Termination.NORMAL
    assert slow.limits[-1].game_seconds > 0.5


@pytest.mark.parametrize(
    ("rule", "clock"), [("majority", "player_total"), ("exceeder_loses", "player_total"), ("majority", "game_total")]
)
def test_stopped_games(rule: str, clock: str) -> None:
    control = TimeControl(stop_after=0.3, stop_rule=rule, stop_clock=clock)  # type: ignore[arg-type]
    record = play_game(Scripted(0.2), Scripted(), Position.start(Rules(6)), control=control)
    assert record.termination is Termination.STOPPED and 2 <= len(record.moves) < 30
    position = Position.start(Rules(6))
    for move in record.moves:
        position = position.play(move)
    margin = position.score(Color.BLACK)
    majority = 1.0 if margin > 0 else 0.0 if margin < 0 else 0.5
    assert record.points == (majority if rule == "majority" else 0.0)


def test_adjudication_by_the_solver_is_marked() -> None:
    record = play_game(agent("random"), agent("random"), Position.start(Rules(4)), seed=2, adjudicate=6)
    assert record.termination is Termination.ADJUDICATED and "solved with" in record.reason
    position = Position.start(Rules(4))
    for move in record.moves:
        position = position.play(move)
    score = solve(position).score
    assert score is not None
    black = score if position.turn is Color.BLACK else -score
    assert record.points == (1.0 if black > 0 else 0.0 if black < 0 else 0.5)


def test_bad_clocks() -> None:
    for bad in ({"move_seconds": 0}, {"game_seconds": -1}, {"increment": -1}, {"stop_after": 0}):
        with pytest.raises(BadSpec, match="is not possible"):
            TimeControl(**bad)  # type: ignore[arg-type]


def test_what_each_side_spent_is_told_of_it() -> None:
    """Whoever begins, and with passes in between."""
    for seed, turn in enumerate((Color.BLACK, Color.WHITE) * 5):
        start = Position.start(Rules(4)).with_turn(turn)
        record = play_game(agent("minimax(depth=1)"), agent("minimax(depth=2)"), start, seed=seed)
        sides: tuple[list[MoveNote], list[MoveNote]] = ([], [])
        for (position, _), note in zip(record, record.notes, strict=True):
            sides[position.turn].append(note)
        for spent, moves in zip(record.spent, sides, strict=True):
            assert (spent.moves, spent.nodes) == (len(moves), sum(move.nodes for move in moves))
            assert spent.longest == max(move.seconds for move in moves) and spent.deepest <= 2
            assert spent.seconds == pytest.approx(sum(move.seconds for move in moves))


# --- the value ------------------------------------------------------------------------------------------------


def played() -> Game:
    return play_game(agent("random"), agent("greedy"), Game.of(Position.start("reversed 6x6"), "c2b2"), seed=3)


def test_a_game_is_its_positions_and_moves() -> None:
    game = played()
    assert game.opening_plies == 2 and game.start == Position.start("reversed 6x6")
    assert len(game) == len(game.moves) == len(game.notes) == len(game.positions) - 1 and game.end.is_over
    position = game.start
    for ply, (before, move) in enumerate(game):
        assert before == position == game.positions[ply] == game[:ply].end and game[ply] == (before, move)
        position = position.play(move)
    assert position == game.end and game == game[:] == game[: len(game)]


def test_shorter_games_go_on_and_longer_ones_end() -> None:
    game = played()
    part = game[:20]
    assert part.termination is None and part.points is None and part.score is None and part.result == ""
    assert part.opening_plies == 2 and len(part.notes) == 20 and game.continues(part) and not part.continues(game)
    assert game[1:].start == game.positions[1] and game[1:].opening_plies == 1 and game[1:].end == game.end
    again = part.play(*game.moves[20:])
    assert (again.moves, again.termination, again.points, again.score, again.discs) == (
        game.moves, game.termination, game.points, game.score, game.discs,
    )  # fmt: skip
    with pytest.raises(IllegalMove, match="the game is over"):
        game.play("a1")
    with pytest.raises(IllegalMove, match="move 2: white cannot play c2"):
        Game.of(Position.start("standard 6x6"), ["c2", "c2"])
    given_up = part.resign(Color.BLACK)
    assert given_up.winner is Color.WHITE and given_up.score == -36 and given_up.termination is Termination.RESIGNED
    with pytest.raises(IllegalMove, match="the game is over: white wins"):
        given_up.resign(Color.WHITE)


def test_games_travel_light() -> None:
    """Between processes without their positions, but with an end that is known, so that nothing is replayed."""
    game = played()
    assert game.positions
    back = pickle.loads(pickle.dumps(game))
    assert back == game and "positions" not in vars(back) and vars(back)["end"] == game.end
    assert len(pickle.dumps(replace(game, notes=()).knowing(end=game.end))) < 1500


def test_ruled_scores_and_forfeits() -> None:
    ruled = play_game(agent("random"), agent("random"), Position.start(Rules(4)), seed=2, adjudicate=6)
    score = solve(ruled.end).score
    assert score is not None and ruled.score == (score if ruled.end.turn is Color.BLACK else -score)
    lost = play_game(Scripted(), Scripted(worse="raise"), Position.start(Rules(4)))
    assert lost.score == 16 and lost.winner is Color.BLACK and "(crash: white: RuntimeError" in lost.result


def test_a_game_shows_itself() -> None:
    game = played()
    for text in (str(game), game._repr_html_()):
        assert game.result in text and "reversed 6x6" in text and game.transcript in text
    assert "white to move" in str(Game.of(moves="f5")) and "black against white" in str(Game.of(moves="f5"))
