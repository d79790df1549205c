"""Judging positions and games: the value of every move, the mistakes of a game, the opinion of a tree.

Everything here is an iterator of ever better answers, for a page, a terminal or a notebook alike; leave the loop when
you have seen enough, or run it inside `outflank.stoppable` to have it end within milliseconds.

The analyst searches every legal move on its own, so that each has a value and a line and not only the best, and all of
them to the same depth: an answer never mixes a value with a staler one. Values are discs at the end of the game, exact
ones with the empty squares to the winner, as tournaments count.

Where the engine is trained it is the analyst: deeper and deeper, then the probable end of the game, then the exact one.
On other boards it is a minimax whose evaluation is divided by what a disc at the end of the game is worth in it
(`points_per_disc`), and near the end the solver.
"""

import random
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from outflank.agents import Agent, agent
from outflank.agents.levels import points_per_disc
from outflank.board import Color, Position, Rules
from outflank.errors import BadSpec
from outflank.formats import Problem
from outflank.game import Game
from outflank.inputs import expect
from outflank.schema import Option, Signature, number, whole
from outflank.search.clock import stoppable, told_to_stop
from outflank.search.decision import Decision, Unit, depth_text, value_text
from outflank.search.engine import EngineSearch
from outflank.search.limits import Limits
from outflank.search.player import Player
from outflank.search.solver import solve, solve_moves

Mark = Literal["", "inaccuracy", "mistake", "blunder"]

ANALYST = (
    "minimax(eval=five_terms(aggregation=0), order=mobility, search=pvs, hash_mb=16, win_margin=yes, "
    "pass_costs_depth=no)"
)
"""Without aggregation, which only counts own discs, an evaluation is the same for both sides but for its sign. With
20,000 nodes it scores 0.71 in 120 standard games against `five_terms` with it, and 0.45 in 120 reversed ones."""
_MEGABYTES = 16
"""Of the engine's table: a server may run many analyses."""

WIN = 10**6
"""What the analyst's minimax adds to the margin of a game that is won."""

MARKS: tuple[tuple[float, Mark], ...] = ((12, "blunder"), (6, "mistake"), (3, "inaccuracy"))
"""Discs given away from which a move is marked. To give away a proven win or draw is a mistake at least."""
REVIEW_DEPTH = {1: 14, 4: 10}
"""By words of the board, where nothing else is asked for: a whole game takes some seconds. On 10x10 it takes 4 s, and
at depth 12 17 (processor time, AMD EPYC)."""

_SOLVE_EMPTIES = {1: 22, 4: 16}
"""Empty squares, by words of the board, at which the solver is worth its time in an analysis."""
_REVIEW_EMPTIES = {1: 20, 4: 12}
"""Empty squares at which a review, where every move has its turn, is exact: some tenths of a second."""
_LEAST_DEPTH = 8
"""Plies that the engine looks ahead in a review however short the time: some milliseconds."""
_EMPTIES_A_DISC = 12
"""Empty squares for each so many of which an estimated loss must be a disc clearer before the move is marked. Losses at
depth 14 differ from those at depth 19 by 1.1 to 2.3 discs (standard deviations of 12 moves each with 48, 36 and 26
empty squares), and named openings cost up to 7.5, in one of their mirror images or another."""
_GAMBITS = ("f5f6e6d6g7",)
"""Openings that are known by a name although they cost more, such as the X-square opening."""
_PROBLEM_EMPTIES = 4, 16
_LEAST_CHOICE, _CLEAR = 3, 2
"""Legal moves of a problem, and discs by which its best move is better than the next."""
_TRIES = 300
_FIRST_LOOK_SECONDS = 0.3
"""Time for estimates before the solver is asked."""


@dataclass(frozen=True, slots=True)
class MoveValue:
    """What a move is worth to the side to move.

    >>> MoveValue(Rules().move(19), 2.0, exact=True).text
    '+2 discs, exact'
    """

    move: int
    value: float
    unit: Unit = "discs"
    exact: bool = False
    """Whether perfect play to the end was proven."""
    depth: int = 0
    pv: tuple[int, ...] = ()
    visits: int = 0
    confidence: int = 100
    """How surely nothing was overlooked in `depth` plies, in per cent."""

    @property
    def text(self) -> str:
        """The value for people."""
        return value_text(self.value, self.unit, self.exact)

    @property
    def depth_text(self) -> str:
        """How far it was looked ahead, for people; nothing where that says nothing."""
        return depth_text(self.depth, self.confidence) if self.depth and not self.exact else ""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The value of every legal move, best first.

    >>> *_, last = analyse(Position.parse("OX-OXOO-XXXXXXX- O"))
    >>> last.moves[0].move, last.finished
    (c1, True)
    """

    position: Position
    moves: tuple[MoveValue, ...]
    depth: int = 0
    """Plies that every move was looked ahead."""
    nodes: int = 0
    seconds: float = 0.0
    confidence: int = 100
    """How surely nothing was overlooked in them, in per cent."""

    @property
    def finished(self) -> bool:
        """Whether nothing can be added: every value is exact."""
        return all(move.exact for move in self.moves)


# --- every move ---------------------------------------------------------------------------------------------------


def analyse(position: Position, player: Agent | None = None) -> Iterator[Analysis]:
    """Ever deeper values of every legal move, until all are exact; without end where the end of the game is far.

    Another agent than the analyst may be asked for its opinion; its values are in its own unit.

    >>> position = Position.parse("OX-OXOO-XXXXXXX- O")
    >>> *_, last = analyse(position)
    >>> [(move.move, move.text) for move in last.moves], last.finished
    ([(c1, '+2 discs, exact'), (d4, '-6 discs, exact')], True)
    """
    expect(Position, position=position)
    expect(Agent | None, player=player)
    engine = engine_for(position.rules) if player is None else player.player
    if isinstance(engine, EngineSearch):
        yield from _judged(position, engine, Limits())
    elif player is None:
        yield from _analyse(position)
    elif player.deepens:
        yield from _estimates(position, player.player)
    elif position.moves:
        yield from (_opinion(position, decision) for decision in player.think(position))


def _judged(
    position: Position, engine: EngineSearch, limits: Limits, moves: Sequence[int] | None = None
) -> Iterator[Analysis]:
    """What the engine says of these moves and of the best one, of every one where none are named."""
    if not position.moves_mask:
        yield Analysis(position, ())
        return
    before: dict[int, Decision] = {}
    for decisions in engine.judge(position, limits, moves):
        to_end = decisions[0].depth >= position.empties
        values = [_settled(decision, None if to_end else before.get(decision.move)) for decision in decisions]
        before = {decision.move: decision for decision in decisions}
        first = decisions[0]
        found = _seen(position, values, first.nodes, first.seconds)
        yield replace(found, depth=first.depth, confidence=first.confidence)


def _settled(decision: Decision, before: Decision | None) -> MoveValue:
    """The value of a move: the mean of two successive depths, because a depth favours whoever moves last in it."""
    value = decision.value or 0
    if before is not None and before.value is not None:
        value = (value + before.value) / 2
    return MoveValue(
        decision.move, value, "discs", decision.exact, decision.depth, decision.pv, confidence=decision.confidence
    )


def _analyse(position: Position) -> Iterator[Analysis]:
    """Estimates, then the exact values of all moves."""
    solvable = position.empties <= _SOLVE_EMPTIES[position.rules.words]
    analysis = Analysis(position, ())
    for analysis in _estimates(position, analyst(), points_per_disc(position.rules.variant)):
        yield analysis
        if solvable and analysis.seconds > _FIRST_LOOK_SECONDS:
            break
    if not solvable or told_to_stop():
        return
    values: list[MoveValue] = []
    nodes, seconds = analysis.nodes, analysis.seconds
    for found in solve_moves(position, [value.move for value in analysis.moves]):
        if found.move is None or found.score is None:
            return
        values.append(MoveValue(found.move, found.score, "discs", True, position.empties, found.pv))
        nodes, seconds = analysis.nodes + found.nodes, analysis.seconds + found.seconds
    yield _seen(position, values, nodes, seconds)


def _estimates(position: Position, search: Player, per_disc: float | None = None) -> Iterator[Analysis]:
    """Values of every move that deepen together, so that they can be compared; the first ones in any case."""
    began = time.perf_counter()
    moves = [move for move in position.moves if move != position.rules.pass_move]
    branches = [_Branch(search, position, move, per_disc) for move in moves]
    deeper = True
    while deeper:
        deeper = False
        for branch in branches:
            deeper = branch.deepen() or deeper
            if told_to_stop() and branch is not branches[-1] and branches[-1].nodes:
                return  # every move has a value of an earlier round; this one would mix depths
        nodes = sum(branch.nodes for branch in branches)
        yield _seen(position, (branch.value for branch in branches), nodes, time.perf_counter() - began)
        if told_to_stop():
            return


def _seen(position: Position, values: Iterable[MoveValue], nodes: int, seconds: float) -> Analysis:
    found = tuple(sorted(values, key=lambda move: (-move.value, move.move)))
    depth = min((value.depth for value in found if not value.exact), default=position.empties)
    return Analysis(position, found, depth, nodes, seconds)


def analyst() -> Player:
    """The minimax that judges where the engine is not trained."""
    return agent(ANALYST).player


def engine_for(rules: Rules) -> EngineSearch | None:
    """The engine as the analyst under these rules; None where it is not trained."""
    engine = EngineSearch(_MEGABYTES)
    try:
        engine.check_rules(rules)
    except BadSpec:
        return None
    return engine


def judges(rules: Rules) -> tuple[Agent, ...]:
    """The agents whose code an analysis or a review runs; prepared before, none of it is compiled meanwhile."""
    return (agent("engine"),) if engine_for(rules) else (agent(ANALYST), agent("solver"))


class _Branch:
    """One legal move and the search behind it, which goes on from depth to depth."""

    def __init__(self, search: Player, position: Position, move: int, per_disc: float | None) -> None:
        """`per_disc` turns points into discs; without it they stay what they are."""
        self.line: tuple[int, ...] = (move,)
        after = position.play(move)
        if after.must_pass:
            self.line, after = (*self.line, position.rules.pass_move), after.play(position.rules.pass_move)
        self.sign = 1 if after.turn is position.turn else -1
        self.per_disc, self.nodes = per_disc, 0
        self.points: list[float] = []
        """At every depth so far."""
        self.thinking = iter(()) if after.is_over else search.think(after, Limits(), seed=0)
        self.value = MoveValue(move, after.score(position.turn), "discs", True, 0, self.line)

    def deepen(self) -> bool:
        """Looks one ply further; False when there is nothing further."""
        decision = next(self.thinking, None)
        if decision is None or decision.value is None:
            return False
        self.nodes = decision.nodes
        self.points.append(self.sign * decision.value)
        value = self.points[-1] if self.per_disc is None else _discs(self.points[-2:], self.per_disc)
        unit: Unit = "points" if self.per_disc is None else "discs"
        depth = decision.depth + len(self.line)
        self.value = MoveValue(self.line[0], value, unit, False, depth, self.line + decision.pv)
        return True


def _discs(points: Sequence[float], per_disc: float) -> float:
    """Evaluations of two successive depths as discs: their mean, because a depth favours whoever moves last in it.

    A game that is won says its margin itself.

    >>> _discs([40, 60], 50), _discs([40, WIN + 12], 50)
    (1.0, 12)
    """
    if abs(points[-1]) > WIN / 2:
        return points[-1] - WIN if points[-1] > 0 else points[-1] + WIN
    open_ones = [value for value in points if abs(value) <= WIN / 2]
    return round(sum(open_ones) / len(open_ones) / per_disc, 2)


def _opinion(position: Position, decision: Decision) -> Analysis:
    """What a decision says of the moves at the root."""
    exact = decision.exact
    values = {
        root.move: MoveValue(root.move, root.value, decision.unit, exact, decision.depth, (root.move,), root.visits)
        for root in decision.moves
        if root.value is not None
    }
    if decision.value is not None:
        visits = values[decision.move].visits if decision.move in values else 0
        best = MoveValue(decision.move, decision.value, decision.unit, exact, decision.depth, decision.pv, visits)
        values[decision.move] = best
    return replace(_seen(position, values.values(), decision.nodes, decision.seconds), depth=decision.depth)


def tree_opinion(position: Position, playouts: int = 100_000) -> Iterator[Decision]:
    """What tree search thinks, as its playouts come in: visits and win rate of every move in `Decision.moves`.

    >>> *_, last = tree_opinion(Position.start(), playouts=2000)
    >>> sorted(root.move for root in last.moves), 0 < last.moves[0].win_rate < 1
    ([d3, c4, f5, e6], True)
    """
    yield from tree_agent(playouts).think(position)


def tree_agent(playouts: int) -> Agent:
    """The agent that `tree_opinion` asks."""
    return agent(f"uct(playouts={playouts}, c=0.7, leaf_playouts=8, instant=no)")


# --- a whole game -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be said of one ply of a game.

    >>> game = Game(Position.parse("OX-OXOO-XXXXXXX- O")).play("d4")
    >>> [(verdict.played, verdict.best, verdict.loss, verdict.mark) for verdict in review(game)]
    [(None, c1, 0.0, ''), (d4, c1, 8, 'mistake')]
    """

    ply: int
    value: float
    """Of the position before the move under best play, from black's view, in discs."""
    exact: bool
    best: int | None
    """None where the game is over."""
    best_pv: tuple[int, ...]
    played: int | None
    """None after the last move."""
    loss: float
    """Discs given away."""
    mark: Mark
    depth: int = 0
    """Plies looked ahead."""
    confidence: int = 100
    """How surely nothing was overlooked in them, in per cent."""


_EFFORT = Signature(
    "effort",
    "how much is spent on a ply",
    (
        Option("depth", whole(1, 500), None, "plies"),
        Option("seconds_per_move", number(0, 86_400, above=True), None, "time"),
    ),
)


def review(game: Game, *, seconds_per_move: float | None = None, depth: int | None = None) -> Iterator[Verdict]:
    """A verdict on every ply, from the end of the game to its start, the position after the last move first.

    Depth 14 where neither is given, 10 on 10x10, 8 where the engine is not trained. Near the end values and losses are
    exact. Before that they are estimates at one depth, and a loss counts as far as two depths agree on it.

    >>> for verdict in review(Game.of(Position.parse("OX-OXOO-XXXXXXX- O"), "d4")):
    ...     print(verdict.ply, verdict.value, verdict.exact, verdict.loss, verdict.mark)
    1 6 True 0.0
    0 -2 True 8 mistake
    """
    expect(Game, game=game)
    _EFFORT.read({"depth": depth, "seconds_per_move": seconds_per_move}, "review")
    judge = _Judge(game.rules, depth, seconds_per_move)
    after: Verdict | None = None
    for ply, position in reversed(list(enumerate(game.positions))):
        played = game.moves[ply] if ply < len(game) else None
        after = judge.verdict(ply, position, played, after)
        if told_to_stop():
            return
        yield after


class _Judge:
    """Judges one ply after the other, from the end."""

    def __init__(self, rules: Rules, depth: int | None, seconds: float | None) -> None:
        self.engine = engine_for(rules)
        self.search, self.per_disc = analyst(), points_per_disc(rules.variant)
        if depth is None and seconds is None:
            depth = REVIEW_DEPTH[rules.words] if self.engine else 8
        self.depth, self.seconds = depth, seconds
        self.solvable = _REVIEW_EMPTIES[rules.words]

    def verdict(self, ply: int, position: Position, played: int | None, after: Verdict | None) -> Verdict:
        """What is to be said of a position and the move played in it, given the verdict on what followed."""
        if position.is_over:
            return Verdict(ply, position.score(), True, None, (), None, 0.0, "")
        if after is not None and len(position.moves) == 1:
            line = (position.moves[0], *after.best_pv)
            return replace(after, ply=ply, best=position.moves[0], best_pv=line, played=played, loss=0.0, mark="")
        sign = 1 if position.turn is Color.BLACK else -1
        known = sign * after.value if after is not None and after.exact else None
        *_, last = looks = self._looks(position, played, known)
        best = last[0]
        loss = min(_loss(look, played, known) for look in looks)
        mark = _mark(loss, best.value, best.exact, position.empties)
        if mark and played is not None and position.play(played).canonical() in _gambits():
            mark = ""
        return Verdict(
            ply, sign * best.value + 0, best.exact, best.move, best.pv, played, loss, mark, best.depth, best.confidence
        )

    def _looks(self, position: Position, played: int | None, known: float | None) -> list[Sequence[MoveValue]]:
        """What the last two depths say of the best move and of the one played; exact values stand alone.

        `known` is the exact value of the move played, where what followed was judged exactly.
        """
        if position.must_pass:
            *_, (best, *_) = self._looks(position.play(position.rules.pass_move), None, None)
            line = position.rules.pass_move, *best.pv
            return [[replace(best, move=line[0], value=-best.value, pv=line)]]
        solvable = position.empties <= self.solvable
        if solvable and self.engine is None:
            found = solve(position)
            if found.move is not None and found.score is not None:
                return [[MoveValue(found.move, found.score, "discs", True, position.empties, found.pv)]]
        wanted = [] if played is None or (solvable and known is not None) else [played]
        looks: list[Sequence[MoveValue]] = []
        deadline = time.perf_counter() + (float("inf") if solvable else self.seconds or float("inf"))
        least = _LEAST_DEPTH if self.engine else 1

        def is_late() -> bool:
            return bool(looks) and looks[-1][0].depth >= least and time.perf_counter() > deadline

        with stoppable(is_late):
            for analysis in self._estimates(position, wanted, None if solvable else self.depth):
                looks = [*looks[-1:], analysis.moves]
        return looks[-1:] if looks[-1][0].exact else looks

    def _estimates(self, position: Position, wanted: Sequence[int], depth: int | None) -> Iterator[Analysis]:
        """Deeper and deeper, until such a depth."""
        if self.engine is not None:
            yield from _judged(position, self.engine, Limits(depth=depth), wanted)
            return
        for analysis in _estimates(position, self.search, self.per_disc):
            yield analysis
            if depth is not None and analysis.depth >= depth:
                return


@cache
def _gambits() -> frozenset[Position]:
    return frozenset(Position.after(moves).canonical() for moves in _GAMBITS)


def _loss(look: Sequence[MoveValue], played: int | None, known: float | None) -> float:
    """Discs that a move gives away; `known` is its exact value."""
    best = look[0]
    own = next((value.value for value in look if value.move == played), best.value)
    if best.exact and known is not None and played != best.move:
        own = known
    return max(0.0, round(best.value - own, 2))


def _mark(loss: float, best: float, exact: bool, empties: int) -> Mark:
    """The mark of a move that gives away so many discs where the best one is worth `best`.

    Estimates with many empty squares need be clearer.

    >>> _mark(2, 1, True, 9), _mark(2, 9, True, 9), _mark(7, 0, False, 12), _mark(20, 40, True, 9)
    ('mistake', '', 'mistake', 'blunder')
    >>> _mark(6, 0, False, 54), _mark(8, 0, False, 45)
    ('', 'inaccuracy')
    """
    beyond_doubt = loss if exact else loss - empties / _EMPTIES_A_DISC
    mark: Mark = next((mark for least, mark in MARKS if beyond_doubt >= least), "")
    gave_away = exact and (best > 0 >= best - loss or best >= 0 > best - loss)
    return "mistake" if gave_away and mark != "blunder" else mark


def endgame_problem(rules: Rules, empties: int, seed: int = 0) -> Problem:
    """A position with so many empty squares and one best move, by at least two discs, with the exact scores of all.

    It arises in a game of hasty players, so that it looks like one of people's. The same seed makes the same problem.

    >>> problem = endgame_problem(Rules(6), 6, seed=1)
    >>> problem.position.empties, list(problem.scores.values()).count(problem.best or 0)
    (6, 1)
    """
    least, most = _PROBLEM_EMPTIES
    if not least <= empties <= most:
        raise BadSpec(f"no problems are made with {empties} empty squares; expected {least} to {most}")
    hasty = agent("heuristic")
    for attempt in range(_TRIES):
        position = _played_down(rules, empties, random.Random(f"{seed} {attempt}"), hasty)
        if position.is_over or len(position.moves) < _LEAST_CHOICE:
            continue
        found = list(solve_moves(position, position.moves))
        if told_to_stop():
            break
        scores = {
            rules.move(each.move): each.score for each in found if each.move is not None and each.score is not None
        }
        best, second, *_ = sorted(scores.values(), reverse=True)
        if best - second >= _CLEAR:
            return Problem(position, scores)
    raise BadSpec(f"no problem with {empties} empty squares was found on {rules}; expected another number of them")


def _played_down(rules: Rules, empties: int, lot: random.Random, player: Agent) -> Position:
    """The position of a game when so many squares are left, or its end; every third move is random."""
    position = Position.start(rules)
    while position.empties > empties and not position.is_over:
        moves = position.moves
        hasty = len(moves) > 1 and lot.random() > 1 / 3
        chosen = player.choose(position, seed=lot.randrange(2**31)).move if hasty else lot.choice(moves)
        position = position.play(chosen)
    return position
