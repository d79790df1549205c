"""Compiled functions of a person's own: against what is built in, against slow twins, and what can be wrong."""

import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import naive
import outflank
from outflank.agents import agent, check_agent, identity
from outflank.board import Color, Position, Rules, Variant
from outflank.errors import BadSpec, EngineFailed
from outflank.interfaces.cli import main
from outflank.plugins import Plugin, score
from outflank.search.decision import Decision
from outflank.search.limits import Limits
from outflank.search.uct import UctSearch
from support import ROOT, VARIANTS, every_variant, from_naive
from test_uct import Node, Oracle, random_position, shares_of

OURS = "plugins_of_people"
pytestmark = pytest.mark.compiled


def decided(text: str, position: Position, seed: int = 3) -> Decision:
    """A decision without the time it took."""
    return replace(agent(text).choose(position, seed=seed), seconds=0.0)


def positions(size: int, variant: Variant) -> list[Position]:
    return [
        from_naive(*random_position(size, size * size - 4 - plies, plies), variant)
        for plies in (1, 4, size * size - 12)
    ]


# --- functions that do what is built in -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "built_in"),
    [
        ("minimax(depth=4, eval={}:fractions)", "minimax(depth=4, eval=discs)"),
        ("montecarlo(playouts=20, playout={}:any_legal)", "montecarlo(playouts=20, playout=weighted(squares=flat))"),
        ("uct(playouts=90, playout={}:any_legal)", "uct(playouts=90, playout=weighted(squares=flat))"),
        ("uct(playouts=90, select={}:ucb)", "uct(playouts=90)"),
        ("uct(playouts=90, select={}:ucb_with_amaf)", "uct(playouts=90)"),
        ("uct(playouts=90, select={}:ucb, leaf_playouts=8)", "uct(playouts=90, leaf_playouts=8)"),
        ("uct(playouts=90, select={}:ucb, leaves=8)", "uct(playouts=90, leaves=8)"),
        ("uct(playouts=90, select={}:ucb, expand=all)", "uct(playouts=90, expand=all)"),
        ("uct(playouts=90, final={}:most_visits)", "uct(playouts=90)"),
    ],
)
def test_a_function_that_does_what_is_built_in_decides_the_same(own: str, built_in: str) -> None:
    for size, variant in ((4, "standard"), (4, "reversed"), (6, "reversed")):
        for position in positions(size, variant):  # type: ignore[arg-type]
            assert decided(own.format(OURS), position) == decided(built_in, position)


@pytest.mark.parametrize("size", [6, 10])
def test_a_function_knows_all_squares_of_its_board(size: int) -> None:
    """Without them the moves of a smaller board reach beyond its edge."""
    rules = Rules(size)
    plug = Plugin("evaluation", f"{OURS}:freedom").build(rules)
    for position in positions(size, "standard"):
        boards = {"own": rules.board(position.own), "opp": rules.board(position.opposing), "to_move": 1}
        assert score(plug, "freedom", boards) == sum(not move.is_pass for move in position.moves)


def test_another_function_decides_otherwise() -> None:
    plain = [decided("uct(playouts=90)", position) for position in positions(6, "standard")]
    for other in (
        f"playout={OURS}:lowest",
        f"select={OURS}:most_visits",
        f"select={OURS}:most_visits, expand=selected",
    ):
        others = [decided(f"uct(playouts=90, {other})", position) for position in positions(6, "standard")]
        assert all(one.moves != two.moves for one, two in zip(plain, others, strict=True))


@every_variant
@pytest.mark.parametrize("search", ["alphabeta", "pvs"])
def test_no_order_of_moves_changes_a_value_or_a_move(variant: Variant, search: str) -> None:
    nodes = set()
    for position in positions(6, variant):
        plain = decided(f"minimax(depth=5, search={search})", position)
        for order in ("mobility_first", "worst_first"):
            own = decided(f"minimax(depth=5, search={search}, order={OURS}:{order})", position)
            assert (own.move, own.value) == (plain.move, plain.value)
            nodes.add(own.nodes - plain.nodes)
    assert nodes != {0}, "the order is used"


@every_variant
def test_an_evaluation_knows_who_is_to_move_and_the_variant(variant: Variant) -> None:
    def slow(position: Position, depth: int, root: Color) -> int:
        """Minimax for the side of the root: a hundred where it is to move, its discs, turned in the reversed game."""
        if position.is_over:
            margin = position.score(root)
            return 10**6 * ((margin > 0) - (margin < 0))
        if depth == 0:
            margin = position.score(root, "nobody")  # turned in the reversed game
            return margin + 100 * (position.turn == root) + position.rules.size
        values = [slow(position.play(move), depth - 1, root) for move in position.moves]
        return max(values) if position.turn == root else min(values)

    for position in positions(4, variant):
        for depth in (2, 3):
            found = decided(f"minimax(depth={depth}, eval={OURS}:told_everything, search=plain)", position)
            assert found.value == slow(position, depth, position.turn)


# --- the tree of RAVE and PUCT against slow twins ---------------------------------------------------------------------


class SelectedOracle(Oracle):
    """The search of `expand=selected` with AMAF and priors, from its description."""

    def __init__(self, board: naive.Board, side: str, variant: str, score: Callable[..., float], weigh: Any) -> None:
        super().__init__(board, side, variant, {"log": "parent", "draw": 0.5, "backup": "mover"}, c=0.7)
        self.score, self.weigh = score, weigh
        self.amaf: dict[int, list[float]] = {}
        self.priors: dict[int, float] = {}

    def begin(self, node: Node) -> None:
        node.expand(False)
        assert node.children is not None
        passing = node.move is not None and not naive.legal_moves(node.board, node.side)
        weights = [1.0 if passing else self.weigh(node.board, node.side, child.move) for child in node.children]
        for child, weight in zip(node.children, weights, strict=True):
            self.amaf[id(child)], self.priors[id(child)] = [0, 0.0], weight / sum(weights)

    def value(self, child: Node, total: int) -> float:
        (often, reward), visits = self.amaf[id(child)], child.visits
        known = {"visits": visits, "mean": child.reward / visits if visits else 0.0, "total": total, "c": self.c}
        amaf = {"amaf_visits": often, "amaf_mean": reward / often if often else 0.0, "prior": self.priors[id(child)]}
        names = self.score.__code__.co_varnames[: self.score.__code__.co_argcount]
        return self.score(**{name: (known | amaf)[name] for name in names})

    def descend(self, number: int) -> list[Node]:
        path = [self.root]
        while True:
            node = path[-1]
            if node.children is None:
                self.begin(node)
            if not node.children:
                return path
            child = max(node.children, key=lambda each: self.value(each, node.visits))
            path.append(child)
            if child.visits == 0:
                place = node.children.index(child)
                node.children[node.tried], node.children[place] = node.children[place], node.children[node.tried]
                node.tried += 1
                return path

    def simulate(self, seed: int, game: int) -> None:
        numbers = naive.stream(seed, game)
        path = self.descend(next(numbers))
        board, side = path[-1].board, path[-1].side
        steps = [(above.side, below.move) for above, below in pairwise(path)]
        played: set[tuple[str, int | None]] = set()
        while choices := naive.plies(board, side):
            ply = choices[((next(numbers) >> 32) * len(choices)) >> 32]
            played.add((side, ply))
            board, side = naive.play(board, side, ply), naive.OTHER[side]
        for depth, node in enumerate(path[:-1]):
            for child in node.children or ():
                if child.move != len(board) ** 2 and (node.side, child.move) in played.union(steps[depth:]):
                    self.amaf[id(child)][0] += 1
                    self.amaf[id(child)][1] += self.reward_of(node.side, board)
        for node in path:
            node.visits += 1
            node.reward += self.reward_of(naive.OTHER[node.side], board)


def turned(board: naive.Board, side: str, move: int) -> float:
    """The prior of the example, from the rules."""
    before = naive.counts(board)["XO".index(side)]
    return 1.0 / (naive.counts(naive.play(board, side, move))["XO".index(side)] - before)


@pytest.mark.parametrize("example", ["rave", "puct"])
@pytest.mark.parametrize(("size", "empties"), [(4, 12), (4, 7), (6, 14)])
def test_the_trees_of_the_examples_equal_slow_ones(
    example: str, size: int, empties: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT / "examples")
    select = Plugin("select", f"{example}:score")
    for case, variant in enumerate(VARIANTS):
        board, side = random_position(size, empties, case)
        position = from_naive(board, side, variant)
        search = UctSearch(select=select, expand="selected", exploration=0.7, memory=1)
        search.choose(position, Limits(playouts=150), seed=case)
        oracle = SelectedOracle(board, side, variant, select.load(), turned if example == "puct" else lambda *move: 1.0)
        for game in range(150):
            oracle.simulate(case, game)
        expected = {position.rules.bit(move).bit_length() - 1: share for move, share in oracle.summary().items()}
        assert shares_of(search) == expected


@pytest.mark.parametrize("example", ["rave", "puct"])
def test_the_same_in_any_slices_and_with_a_tree_that_is_kept(example: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "examples")
    select = Plugin("select", f"{example}:score")
    position = Position.start(Rules(6))
    searches = [UctSearch(select=select, expand="selected", reuse=True, memory=1) for _ in range(2)]
    for _ in range(4):
        first, second = (
            searches[0].choose(position, Limits(playouts=120), 5),
            [*searches[1].think(position, Limits(playouts=120, seconds=100), 5)][-1],
        )
        assert replace(first, seconds=0.0) == replace(second, seconds=0.0)
        position = position.play(first.move)
        position = position.play(position.moves[0])


# --- what is wrong with a function ------------------------------------------------------------------------------------

WRONG = {
    "minimax(eval={}:too_many)": "takes colour; expected an evaluation .*: own, opp, to_move, size, full, sign",
    "minimax(eval={}:everything)": r"everything takes \*boards; expected",
    "minimax(eval={}:a_number)": "has no 'a_number' to call; expected an evaluation function",
    "minimax(eval=math:sqrt)": "math:sqrt is no function written in Python",
    "minimax(order={}:lowest)": "lowest takes legal; expected an ordering function",
    "uct(playout={}:ucb)": "ucb takes visits, mean, total, c; expected a playout function",
    "uct(select={}:lowest)": "lowest takes legal; expected a selection function",
    "uct(select={}:prior_missing)": "prior_missing.prior is no function",
    "uct(select={}:ucb_with_amaf, leaf_playouts=4)": "leaf_playouts=4 with a select that takes amaf_mean; expected 1",
    "uct(select={}:ucb_with_amaf, leaves=4)": "select takes amaf_mean, which leaves side by side do not tell",
    "uct(expand=selected)": "expand=selected has nothing to go by",
    'uct(select="{}:ucb")': "expected module:function",
    "uct(playout={}:lowest(3))": "takes no options here",
}
UNCOMPILABLE = {
    "minimax(eval={}:halves)": "halves cannot be compiled .*returns fractions; .*f.scale = 100",
    "minimax(eval={}:speaks)": "returns .*; expected a whole number",
    "montecarlo(playout={}:halves)": "it returns float64; expected a square",
    "minimax(eval={}:unknown_attribute)": "plugins_of_people.py, line {line}: Unknown attribute 'discs'",
}
FAULTS = {
    "minimax(depth=3, eval={}:unfinished)": ("crash", "unfinished raised ValueError: not thought of yet"),
    "minimax(depth=3, order={}:raising_order)": ("crash", "raising_order raised IndexError: which"),
    "minimax(depth=3, eval={}:not_a_number)": ("failure", "not_a_number answered nan"),
    "montecarlo(playouts=9, playout={}:occupied)": ("illegal move", r"occupied answered \d+ in a playout"),
    "uct(playouts=9, playout={}:far_away)": ("illegal move", "far_away answered 1000000000"),
    "uct(playouts=50, playout=cutoff(eval={}:unfinished))": ("crash", "unfinished raised ValueError"),
    "uct(playouts=50, select={}:nan_score)": ("failure", "nan_score answered nan"),
    "uct(playouts=50, select={}:raising_score)": ("crash", "raising_score raised ZeroDivisionError: three are enough"),
    "uct(playouts=50, select={}:prior_below_zero)": ("failure", r"prior_below_zero.prior answered -1.0"),
    "uct(playouts=50, final={}:nan_score)": ("failure", "nan_score answered nan"),
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_function_is_told_when_its_agent_is_built(text: str) -> None:
    with pytest.raises(BadSpec, match=WRONG[text]):
        agent(text.format(OURS))


@pytest.mark.parametrize("text", UNCOMPILABLE)
def test_code_that_cannot_be_compiled_is_told_in_a_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    source = (Path(__file__).parent / f"{OURS}.py").read_text().splitlines()
    line = next(number for number, words in enumerate(source, 1) if "the test looks for this line" in words)
    message = UNCOMPILABLE[text].replace("{line}", str(line))
    with pytest.raises(BadSpec, match=message) as told:
        agent(text.format(OURS)).check_rules(Rules(4))
    assert "\n" not in str(told.value) and len(str(told.value)) < 400
    if "halves" not in text:
        assert main(["move", text.format(OURS), "--size", "4"]) == 2
        assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("text", FAULTS)
def test_what_a_function_raises_or_answers_wrongly_is_told(text: str) -> None:
    kind, message = FAULTS[text]
    for _ in range(2):  # and told again
        with pytest.raises(EngineFailed, match=message) as told:
            agent(text.format(OURS)).choose(Position.start(Rules(6)), seed=1)
        assert told.value.kind == kind


def test_who_fails_loses_its_game_with_the_reason() -> None:
    text = f"minimax(depth=2, eval={OURS}:unfinished)"
    game = outflank.play(text, "random", Position.start(Rules(4)))
    assert game.points == 0 and "unfinished raised ValueError: not thought of yet" in game.result


def test_check_explains_a_function() -> None:
    good = "montecarlo(playouts=2, playout=plugins_of_people:any_legal)"
    assert check_agent(good, rules=[Rules(4)], positions=1).ok
    bad = check_agent(f"minimax(depth=2, eval={OURS}:unknown_attribute)", rules=[Rules(4)], positions=2)
    assert "cannot be built" in str(bad) and "line" in str(bad) and "Unknown attribute 'discs'" in str(bad)
    hanging = check_agent(f"uct(playouts=2, playout={OURS}:endless)", rules=[Rules(4)], positions=1, seconds=2)
    assert not hanging.ok and "no answer within" in str(hanging)


# --- games ------------------------------------------------------------------------------------------------------------


def test_a_game_is_known_by_the_source_of_its_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    source = tmp_path / "changing_functions.py"
    named = ("minimax(order={}:f)", "montecarlo(playout={}:f)", "uct(select={}:f)", "uct(final={}:f)")
    texts = [text.format("changing_functions") for text in named]
    found = []
    for content in ("def f(visits): return 1.0", "def f(visits): return 2.0"):
        source.write_text(content)
        found.append([identity(text) for text in texts])
    assert all(one != other for one, other in zip(*found, strict=True))
    assert "changing_functions" not in sys.modules


def test_a_match_is_the_same_on_any_number_of_workers(tmp_path: Path) -> None:
    ours = f"uct(playouts=40, select={OURS}:ucb_with_amaf, playout={OURS}:any_legal)"
    stores = [str(tmp_path / f"{workers}.db") for workers in (1, 2)]
    games = []
    for workers, path in zip((1, 2), stores, strict=True):
        outflank.match(ours, "greedy", games=6, rules=Rules(4), openings="random(2)", workers=workers, store=path)
        with outflank.Store(path) as store:
            games.append(sorted((game.black, game.seed, str(game.moves)) for game in store.games()))
    assert games[0] == games[1] and len(games[0]) == 6


def test_data_beside_a_module_is_part_of_its_identity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_network.py").write_text("def f(own): return 1")
    found = [identity("minimax(eval=my_network:f)")]
    for content in (b"weights", b"others"):
        (tmp_path / "my_network.npz").write_bytes(content)
        found.append(identity("minimax(eval=my_network:f)"))
    assert len(set(found)) == 3


# --- players as objects -----------------------------------------------------------------------------------------------


class Remembering:
    """Plays the first move, and keeps what it was told."""

    def __init__(self) -> None:
        self.heard: list[int] = []

    def choose(self, position: Position, game: outflank.Game) -> int:
        assert game.end == position
        self.heard.append(len(game.moves))
        return position.moves[0]


def test_objects_play_games_matches_and_tournaments() -> None:
    mine, settings = Remembering(), {"games": 4, "rules": Rules(4), "openings": "random(2)"}
    game = outflank.play(mine, "random", Position.start(Rules(4)))
    own = [ply for ply in range(0, len(game), 2) if game.moves[ply] != game.start.rules.pass_move]
    assert mine.heard == own and len(own) > 3
    result = outflank.match(mine, Remembering(), **settings)  # type: ignore[arg-type]
    assert (result.a, result.b, result.tally.games) == ("Remembering()", "Remembering() 2", 4)
    by_text = outflank.match("players_of_people:First", "greedy", **settings)  # type: ignore[arg-type]
    by_object = outflank.match(lambda position: position.moves[0], "greedy", **settings)  # type: ignore[arg-type]
    assert by_object.tally.games == by_text.tally.games == 4
    table = outflank.tournament([Remembering(), "greedy", "random"], **settings)  # type: ignore[arg-type]
    assert "Remembering()" in str(table)
    for wrong, message in (
        ((mine, mine), "is named twice"),
        ((Remembering, "greedy"), "is a class; expected an object"),
        ((7, "greedy"), "cannot play"),
    ):
        with pytest.raises(BadSpec, match=message):
            outflank.match(*wrong, **settings)  # type: ignore[arg-type]
    for more in ({"workers": 2}, {"store": "kept.db"}):
        with pytest.raises(BadSpec, match="is an object of this process; expected no store and one worker"):
            outflank.match(mine, "greedy", **settings, **more)  # type: ignore[arg-type]


def test_a_player_outside_hears_the_game_too() -> None:
    game = outflank.play("test_plugins:Remembering", "random", Position.start(Rules(4)), limits=Limits(seconds=20))
    assert game.termination is not None and game.termination.value == "normal", game.result
