"""The engine: our strongest player, a selective search with trained patterns and an exact or probable endgame.

The search deepens one move at a time around the value of the depth before. When the end of the game is six moves beyond
and what is left of the limits will do, it jumps there, first with little confidence and then with more, until the score
is certain; otherwise it goes on one move at a time. A kernel recurses and has
no clock, so it runs in a thread of its own while this one looks at the clock and listens for Ctrl-C; a small search is
done at once. With one thread and no clock a decision depends on the position, the nodes and what was searched in the
same game before, and on nothing else.

The transposition table is kept from move to move of a game and has a fixed size. Beside it a thread needs 2 MB.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from outflank.board import Position, Rules, Variant
from outflank.kernels import selective as kernel
from outflank.kernels.control import MOST
from outflank.kernels.table import NO_MOVE, new_table
from outflank.patterns import PatternWeights, file_digest, read_usual_weights, shipped_weights
from outflank.search.beside import Question, Roots, Runner, new_searches, roots_of
from outflank.search.clock import Clock
from outflank.search.decision import Decision, RootMove
from outflank.search.limits import NO_LIMIT, Limits
from outflank.search.memory import memory_for
from outflank.search.player import Player
from outflank.search.probcut import PERCENT, margins_without_cuts, shipped_probcut
from outflank.search.solver import endgame_rules

_JUMP = 6
"""Moves before the end of the game from which a search may go to it. In all this takes 0.92 of the nodes of a jump from
10 moves before (both variants, 14 to 24 empties), and leaves more where the end is out of reach; from 2 before 1.17."""
_AT_ONCE = 10
"""Empties up to which the end is searched and nothing before it."""
_SURE = 15
"""Empties up to which no probable end is searched before the certain one, which takes no more nodes than a probable one
at 14 empties, 1.5 times as many at 15 and 1.8 times at 16."""
_END_COST: dict[Variant, float] = {"standard": 1.0, "reversed": 4.0}
_END_GROWTH = 1.35
"""The way to a probable end from `n` moves before takes about cost x growth^n times the nodes spent so far."""
_WINDOWS = (3, 8, 200)
"""Discs to both sides of the value before, wider each time the value falls outside."""
_FREE, _DOUBT = 16, 2.5
"""Empties from which the end of the game takes no time to speak of; the most that doubts may stretch the usual time."""
_AGES = 500
"""Searches after which the table is cleared: its entries know their age by a few bits."""


@dataclass(frozen=True)
class _Step:
    """One search of the way to a decision."""

    depth: int
    confidence: int
    to_end: bool


def _steps(
    position: Position, deepest: int, confidence: int, affords: Callable[[int], bool] = lambda moves: True
) -> Iterator[_Step]:
    """What is searched one after the other, the last being the certain score of the position.

    `affords` is asked whether the end of the game, so many moves beyond what was searched last, is within the limits.

    >>> [step.depth for step in _steps(Position.start("standard 4x4"), 60, 0)]
    [1, 2, 3, 4, 5, 6, 12]
    """
    empties = position.empties
    ends = deepest >= empties
    first = 1 if empties > _AT_ONCE or not ends else empties
    for depth in range(first, min(deepest, empties - 1) + 1):
        yield _Step(depth, confidence, False)
        if ends and empties - depth <= _JUMP and affords(empties - depth):
            break
    surest = kernel.CERTAIN if empties <= _SURE else confidence
    for level in range(surest, kernel.CONFIDENCES) if ends else ():
        yield _Step(empties, level, True)


class _Tools:
    """What searches under one rule set share: trained numbers, the table, and the arrays of every thread."""

    def __init__(self, rules: Rules, weights: PatternWeights, megabytes: float, threads: int, cuts: bool) -> None:
        with memory_for("memory", megabytes):
            self.table = new_table(megabytes, least=2)
        margins = shipped_probcut(rules).margins(rules.cells) if cuts else margins_without_cuts(rules.cells)
        self.age = 0
        self.searches = new_searches(
            rules,
            endgame_rules(rules, "winner"),
            weights.build(),
            margins,
            self.table,
            threads,
        )

    def begin(self) -> None:
        """A new decision: what was known before stays, and is the first to be replaced."""
        self.age += 1
        if self.age > _AGES:
            self.forget()
        self.searches = [search._replace(age=self.age) for search in self.searches]

    def forget(self) -> None:
        """A new game."""
        self.age = 1
        self.table[:] = 0


class EngineSearch(Player):
    """The engine with these ways of searching; `choose` answers with a `Decision` in discs.

    >>> decision = EngineSearch().choose(Position.start(), Limits(depth=6), seed=0)
    >>> decision.depth, decision.unit, decision.confidence
    (6, 'discs', 73)
    """

    kind = "engine"

    def __init__(
        self, memory: float = 64, threads: int = 1, confidence: int = 0, error: float = 0.0, weights: str = ""
    ) -> None:
        """`error` is the standard deviation, in discs, of its judgement of every move: weak players err.

        `weights` is a file of pattern weights in place of those of the package.
        """
        self.memory, self.threads, self.confidence, self.error = memory, threads, confidence, error
        self.weights = weights
        if weights:
            file_digest(Path(weights))  # whether there is such a file is told now
        self.explains = True
        self._cuts = confidence < kernel.CERTAIN
        self._tools: dict[Rules, _Tools] = {}

    @property
    def deepens(self) -> bool:
        """One move after the other, the first always."""
        return True

    def be_brief(self) -> None:
        """Tells neither the expected line nor the other moves from now on."""
        self.explains = False

    def check_rules(self, rules: Rules) -> None:
        """Boards it was trained for."""
        self._trained(rules)
        if self._cuts:
            shipped_probcut(rules)

    def new_game(self) -> None:
        """Forgets the table."""
        for tools in self._tools.values():
            tools.forget()

    def tools(self, rules: Rules) -> _Tools:
        """What searches under these rules need, made once."""
        if rules not in self._tools:
            self._tools[rules] = _Tools(rules, self._trained(rules), self.memory, self.threads, self._cuts)
        return self._tools[rules]

    def _trained(self, rules: Rules) -> PatternWeights:
        return read_usual_weights(Path(self.weights), rules) if self.weights else shipped_weights(rules)

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """The best move that the limits permit to find."""
        *_, decision = self.think(position, limits, seed)
        return decision

    def think(self, position: Position, limits: Limits, seed: int) -> Iterator[Decision]:
        """The decision at every depth and confidence, until the score is certain or a limit is reached."""
        run = _Run(self, position, limits)
        steps = run.steps()
        if self.error:
            yield from run.err(steps, random.Random(seed), self.error)
        else:
            yield from run.deepen(steps)

    def judge(
        self, position: Position, limits: Limits, moves: Sequence[int] | None = None
    ) -> Iterator[tuple[Decision, ...]]:
        """A decision for each of these moves, as if nothing else could be played, and for the best move; best first.

        They are told at every depth and confidence, all of the same, until the scores are certain or a limit is
        reached. None of them is lent a deeper look by what was searched before: the table is forgotten. Every legal
        move is judged where none are named.

        >>> *_, told = EngineSearch().judge(Position.start(), Limits(depth=4))
        >>> [(decision.depth, decision.value == told[0].value) for decision in told]
        [(4, True), (4, True), (4, True), (4, True)]
        """
        self.new_game()
        wanted = position.moves if moves is None else moves
        run = _Run(self, position, limits)
        return run.judge(run.steps(), wanted)


def _allotted(limits: Limits, empties: int) -> tuple[Limits, float | None]:
    """(the limits of this move, seconds that a move without doubts should take, None without a clock for the game).

    The end of a game costs nothing, so what is left is shared by the moves before it.

    >>> _allotted(Limits(game_seconds=60), 56), _allotted(Limits(game_seconds=6), 12)[0].seconds
    ((Limits(depth=None, nodes=None, playouts=None, seconds=7.5, game_seconds=None), 3.0), 2.0)
    """
    if limits.game_seconds is None:
        return limits, None
    usual = limits.game_seconds / max((empties - _FREE) / 2, 3)
    most = min(_DOUBT * usual, limits.game_seconds / 3, limits.seconds or math.inf)
    return replace(limits, seconds=most, game_seconds=None), usual


def _patience(history: Sequence[tuple[int, int]]) -> float:
    """How much of the usual time the next step may begin after.

    >>> _patience([(19, 2)] * 6), _patience([(19, 2), (26, 2)]), _patience([(19, 2), (19, 2), (19, 0)])
    (0.4, 1.7, 0.8)
    """
    moves = [move for move, _ in history]
    if len(set(moves[-3:])) > 1 or (len(history) > 2 and history[-1][1] < history[-3][1] - 2):
        return 1.7
    return 0.4 if len(moves) >= 5 and len(set(moves[-5:])) == 1 else 0.8


class _Run:
    """One decision in the making."""

    def __init__(self, engine: EngineSearch, position: Position, limits: Limits) -> None:
        self.position, self.engine = position, engine
        self.limits, self.usual_seconds = _allotted(limits, position.empties)
        self.clock = Clock(self.limits, rate=5e6)
        self.history: list[tuple[int, int]] = []
        """Best move and value of every step so far."""
        self.tools = engine.tools(position.rules)
        self.tools.begin()
        self.searches = self.tools.searches
        self.me, self.opp, _ = position.boards
        self.roots = roots_of(position)
        self.runner = Runner(self.searches, self.limits, self.clock)
        self.value = 0
        self.done = _Step(0, 0, False)

    def steps(self) -> Iterator[_Step]:
        """What is searched one after the other."""
        deepest = self.limits.depth or self.position.empties
        return _steps(self.position, deepest, self.engine.confidence, self._affords_end)

    def _affords_end(self, moves: int) -> bool:
        """Whether the limits are likely to permit a search to the end of the game, so many moves beyond the last."""
        nodes = self.runner.nodes / (self.limits.nodes or math.inf)
        seconds = self.clock.seconds / (self.usual_seconds or self.limits.seconds or math.inf)
        return max(nodes, seconds) * (1 + _END_COST[self.position.rules.variant] * _END_GROWTH**moves) <= 1

    # --- one search -------------------------------------------------------------------------------------------------

    def search(self, roots: Roots, step: _Step, alpha: int, beta: int) -> int | None:
        """The value of these moves in this window, written beside them; None when a limit stopped it."""
        question = Question(self.me, self.opp, step.depth, alpha, beta, step.confidence)
        return self.runner.search(roots, question)

    # --- all moves against each other -------------------------------------------------------------------------------

    def deepen(self, steps: Iterator[_Step]) -> Iterator[Decision]:
        """The decision after every step."""
        for step in steps:
            finished = self._widen(step)
            yield self.decision(finished)
            self.history.append((int(self.roots[0, kernel.SQUARE]), self.value))
            if not finished or self.clock.expired or self._decided():
                return

    def _decided(self) -> bool:
        """Whether on a clock for the game more time is better kept: sooner when the move stands, later in doubt."""
        return self.usual_seconds is not None and self.clock.seconds > self.usual_seconds * _patience(self.history)

    def _widen(self, step: _Step) -> bool:
        """Searches a step with wider and wider windows; False when a limit stopped it."""
        value = self.value
        for width in _WINDOWS if step.depth > 2 else _WINDOWS[-1:]:
            alpha, beta = value - width, value + width
            before = self.roots.copy()
            found = self.search(self.roots, step, alpha, beta)
            if found is None:
                self._take_partial(before)
                return False
            self._sort()
            value = found
            if alpha < found < beta:
                break
        self.value, self.done = value, step
        return True

    def _sort(self) -> None:
        """The best move first; others keep the order in which they were tried."""
        rank = self.roots[:, kernel.VALUE] * 4 + self.roots[:, kernel.KNOWN]
        self.roots = self.roots[np.argsort(-rank, kind="stable")]

    def _take_partial(self, before: Roots) -> None:
        """Of a search that was stopped: the best move that was shown to be better than the one before, if any."""
        valued = self.roots[self.roots[:, kernel.KNOWN] == kernel.VALUED]
        first_is_done = self.roots[0, kernel.KNOWN] == kernel.VALUED
        if self.done.depth and not (first_is_done and len(valued)):
            self.roots = before
            return
        if len(valued):
            best = valued[np.argmax(valued[:, kernel.VALUE])]
            others = before[before[:, kernel.SQUARE] != best[kernel.SQUARE]]
            self.roots = np.concatenate([best[None], others])
            self.value = int(best[kernel.VALUE])

    # --- every move on its own --------------------------------------------------------------------------------------

    def value_every_move(self, steps: Iterator[_Step]) -> Iterator[_Step]:
        """Values every move at every step, and tells which; the first always."""
        for step in steps:
            for row in range(len(self.roots)):
                if not self._value_one(self.roots[row : row + 1], step) and self.done.depth:
                    return
            self._sort()
            self.value, self.done = int(self.roots[0, kernel.VALUE]), step
            yield step
            if self.clock.expired:
                return

    def _value_one(self, row: Roots, step: _Step) -> bool:
        before = int(row[0, kernel.VALUE])
        for width in _WINDOWS if self.done.depth > 2 else _WINDOWS[-1:]:
            attempt = row.copy()
            found = self.search(attempt, step, before - width, before + width)
            if found is None:
                return False
            if abs(found - before) < width:
                break
        row[:] = attempt
        row[0, kernel.KNOWN] = kernel.VALUED
        return True

    def judge(self, steps: Iterator[_Step], moves: Sequence[int]) -> Iterator[tuple[Decision, ...]]:
        """What is said of these moves and of the best one after every step, which is done for all or not told."""
        rules = self.position.rules
        values: dict[int, int] = {}
        self.runner.patient = True  # the first step is done for all
        for step in steps:
            if not self._widen(step):
                return
            values[best := int(self.roots[0, kernel.SQUARE])] = self.value
            told = {best, *(rules.bit(move).bit_length() - 1 for move in moves)}
            for square in told - {best}:
                row = np.array([[square, values.get(square, self.value), kernel.NOTHING]], np.int64)
                if not self._value_one(row, step):
                    return
                values[square] = int(row[0, kernel.VALUE])
            order = sorted(told, key=lambda square: (-values[square], rules.by_bit[square]))
            yield tuple(self._say(rules.by_bit[square], values[square], finished=True) for square in order)
            self.runner.patient = False
            if self.clock.expired:
                return

    def err(self, steps: Iterator[_Step], rng: random.Random, error: float) -> Iterator[Decision]:
        """The decisions of a player who misjudges every move by a normal error of so many discs."""
        errors = {int(square): rng.gauss(0, error) for square in sorted(self.roots[:, kernel.SQUARE])}
        for _ in self.value_every_move(steps):
            worth = [row[kernel.VALUE] + errors[row[kernel.SQUARE]] for row in self.roots.tolist()]
            chosen = int(np.argmax(worth))
            self.roots = np.concatenate([self.roots[[chosen]], np.delete(self.roots, chosen, axis=0)])
            yield self.decision(finished=True)

    # --- what people are told ---------------------------------------------------------------------------------------

    def decision(self, finished: bool) -> Decision:
        """The best move so far and why."""
        best = self.position.rules.by_bit[int(self.roots[0, kernel.SQUARE])]
        said = self._say(best, self.value, finished)
        return replace(said, moves=self._judged()) if self.engine.explains else said

    def _say(self, move: int, value: int, finished: bool) -> Decision:
        """A move and its value after the last step."""
        return Decision(
            move=move,
            seen_from=self.position.turn,
            value=value,
            nodes=self.runner.nodes,
            depth=self.done.depth,
            seconds=self.clock.seconds,
            pv=self._line(move) if self.engine.explains else (move,),
            finished=finished,
            unit="discs",
            confidence=PERCENT[self.done.confidence],
            exact=self.done.to_end and self.done.confidence == kernel.CERTAIN,
        )

    def _judged(self) -> tuple[RootMove, ...]:
        by_bit = self.position.rules.by_bit
        rows = [row for row in self.roots.tolist() if row[kernel.KNOWN] != kernel.NOTHING]
        moves = [
            RootMove(by_bit[row[kernel.SQUARE]], row[kernel.VALUE], row[kernel.KNOWN] == kernel.VALUED) for row in rows
        ]
        return tuple(sorted(moves))

    def _line(self, move: int) -> tuple[int, ...]:
        """The expected line: the table's moves as far as it knows them, and perfect play where the score is certain."""
        line, position = [move], self.position.play(move)
        while not position.is_over and len(line) < max(self.done.depth, 1) + line.count(position.rules.pass_move):
            next_move = position.rules.pass_move if position.must_pass else self._expected(position)
            if next_move is None:
                break
            line.append(next_move)
            position = position.play(next_move)
        return tuple(line)

    def _expected(self, position: Position) -> int | None:
        """The move that the table holds best; near a certain end, where it holds none, the best move."""
        me, opp, _ = position.boards
        if self.done.to_end and self.done.confidence == kernel.CERTAIN and position.empties <= kernel.NEAR:
            roots, search, alone = roots_of(position), self.searches[0], 0
            search.control[:] = 0
            search.control[MOST] = NO_LIMIT
            most = position.rules.cells + 1
            kernel.search_root(me, opp, roots, position.empties, -most, most, kernel.CERTAIN, alone, search)
            best = roots[np.argmax(roots[:, kernel.VALUE] * 4 + roots[:, kernel.KNOWN])]
            return position.rules.by_bit[int(best[kernel.SQUARE])]
        bit = int(kernel.known_move(me, opp, self.tools.table))
        known = bit != NO_MOVE and position.moves_mask >> bit & 1  # another position may have the same key
        return position.rules.by_bit[bit] if known else None
