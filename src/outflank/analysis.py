"""Judging positions and games: the value of every move, the mistakes of a game, the opinion of a tree.

Everything here is an iterator of ever better answers, for a page, a terminal or a notebook alike; leave the loop when
you have seen enough, or run it inside `outflank.stoppable` to have it end within milliseconds.

The analyst is a minimax with our best evaluation that searches every legal move on its own, with a full window, so that
each has a value and a line and not only the best. Near the end the solver takes over, move by move, and its values are
exact. Values are discs: exact ones with the empty squares to the winner, as tournaments count, estimated ones by
dividing the evaluation by what a disc at the end of the game is worth in it (`points_per_disc`, which `make levels`
measures).
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from outflank.agents import Agent, agent
from outflank.agents.levels import points_per_disc
from outflank.board import Color, Position, Rules
from outflank.game import Game
from outflank.inputs import expect
from outflank.schema import Option, Signature, number, whole
from outflank.search.clock import stoppable, told_to_stop
from outflank.search.decision import Decision, Unit, value_text
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

WIN = 10**6
"""What the analyst's minimax adds to the margin of a game that is won."""

MARKS: tuple[tuple[float, Mark], ...] = ((12, "blunder"), (6, "mistake"), (3, "inaccuracy"))
"""Discs given away from which a move is marked. To give away a proven win or draw is a mistake at least."""

_SOLVE_EMPTIES = {1: 22, 4: 16}
"""Empty squares, by words of the board, at which the solver is worth its time in an analysis."""
_REVIEW_EMPTIES = {1: 18, 4: 12}
"""The same in a review, where every move has its turn: some tenths of a second."""
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

    @property
    def text(self) -> str:
        """The value for people."""
        return value_text(self.value, self.unit, self.exact)


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
    if player is None:
        yield from _analyse(position)
    elif player.deepens:
        yield from _estimates(position, player.player)
    elif position.moves:
        yield from (_opinion(position, decision) for decision in player.think(position))


def _analyse(position: Position) -> Iterator[Analysis]:
    """Estimates, then exact values one by one, the most promising move first."""
    solvable = position.empties <= _SOLVE_EMPTIES[position.rules.words]
    analysis = Analysis(position, ())
    for analysis in _estimates(position, analyst(), points_per_disc(position.rules.variant)):
        yield analysis
        if solvable and analysis.seconds > _FIRST_LOOK_SECONDS:
            break
    if not solvable or told_to_stop():
        return
    values = {value.move: value for value in analysis.moves}
    for found in solve_moves(position, list(values)):
        if found.move is not None and found.score is not None:
            values[found.move] = MoveValue(found.move, found.score, "discs", True, position.empties, found.pv)
            yield _seen(position, values.values(), analysis.nodes + found.nodes, analysis.seconds + found.seconds)
        if told_to_stop():
            return


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
    """A search as the analyst uses it."""
    return agent(ANALYST).player


def judges() -> tuple[Agent, ...]:
    """The agents whose code an analysis or a review runs; prepared before, none of it is compiled meanwhile."""
    return agent(ANALYST), agent("solver")


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
    [(None, d2, 0.0, ''), (d4, c1, 8, 'mistake')]
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

    Depth 8 where neither is given. Where the solver is quick enough values and losses are exact; before that both are
    estimates at one depth, so that they can be compared.

    >>> for verdict in review(Game.of(Position.parse("OX-OXOO-XXXXXXX- O"), "d4")):
    ...     print(verdict.ply, verdict.value, verdict.exact, verdict.loss, verdict.mark)
    1 6 True 0.0
    0 -2 True 8 mistake
    """
    expect(Game, game=game)
    _EFFORT.read({"depth": depth, "seconds_per_move": seconds_per_move}, "review")
    if depth is None and seconds_per_move is None:
        depth = 8
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
        self.search, self.per_disc = analyst(), points_per_disc(rules.variant)
        self.depth, self.seconds = depth, seconds
        self.solvable = _REVIEW_EMPTIES[rules.words]

    def verdict(self, ply: int, position: Position, played: int | None, after: Verdict | None) -> Verdict:
        """What is to be said of a position and the move played in it, given the verdict on what followed."""
        if position.is_over:
            return Verdict(ply, position.score(), True, None, (), None, 0.0, "")
        if after is not None and len(position.moves) == 1:
            line = (position.moves[0], *after.best_pv)
            return Verdict(ply, after.value, after.exact, position.moves[0], line, played, 0.0, "")
        sign = 1 if position.turn is Color.BLACK else -1
        values = self._values(position)
        best = values[0]
        own = next((value.value for value in values if value.move == played), best.value)
        if after is not None and best.exact and after.exact and played != best.move:
            own = sign * after.value
        loss = max(0.0, round(best.value - own, 2))
        mark = _mark(loss, best.value, best.exact)
        return Verdict(ply, sign * best.value, best.exact, best.move, best.pv, played, loss, mark)

    def _values(self, position: Position) -> Sequence[MoveValue]:
        """The best move exactly, where that is quick, otherwise estimates of all; best first."""
        if position.must_pass:
            line = position.rules.pass_move, *(best := self._values(position.play(position.rules.pass_move))[0]).pv
            return [replace(best, move=line[0], value=-best.value, pv=line)]
        if position.empties <= self.solvable:
            found = solve(position)
            if found.move is not None and found.score is not None:
                return [MoveValue(found.move, found.score, "discs", True, position.empties, found.pv)]
        deadline = time.perf_counter() + (self.seconds or float("inf"))
        analysis = Analysis(position, ())
        with stoppable(lambda: time.perf_counter() > deadline):
            for analysis in _estimates(position, self.search, self.per_disc):
                if self.depth is not None and analysis.depth >= self.depth:
                    break
        return analysis.moves


def _mark(loss: float, best: float, exact: bool) -> Mark:
    """The mark of a move that gives away so many discs where the best one is worth `best`.

    >>> _mark(2, 1, True), _mark(2, 9, True), _mark(7, 0, False), _mark(20, 40, True)
    ('mistake', '', 'mistake', 'blunder')
    """
    mark: Mark = next((mark for least, mark in MARKS if loss >= least), "")
    gave_away = exact and (best > 0 >= best - loss or best >= 0 > best - loss)
    return "mistake" if gave_away and mark != "blunder" else mark
