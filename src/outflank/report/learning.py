"""Reports of training: how wrong weights are on games they never saw, and what they say about corners and edges."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank import __version__
from outflank.arena.statistics.estimates import score
from outflank.evaluation import read_table
from outflank.kernels.patterns import SCALE
from outflank.learn.anchors import Strength
from outflank.learn.generations import Generation, Measure, Plan
from outflank.learn.temporal import State, square_worths
from outflank.learn.training import Training
from outflank.patterns import pattern_set
from outflank.report.document import Cell, Document, Drawing, Figure, Section, Table, Value
from outflank.report.figures import INK, PAPER, Scales, Series, lines, points_with_intervals

_SHARE_SEEN = 2000
"""A pattern is shown that stands on the board in one of so many positions."""
_SHOWN = 6
"""Best and worst patterns of a kind that are drawn."""
_BOARD = "#7fb792"


def training_document(training: Training, facts: Mapping[str, str]) -> Document:
    """The report of a training."""
    weights = training.weights
    held = training.curve[-1][2]
    lead = (
        f"Weights for {weights.rules}, fitted in {training.seconds:.0f} s to {training.positions:,} positions of "
        f"{training.games:,} games. On {training.held_out:,} positions of games that were held out they are wrong by "
        f"**{held:.2f} discs** (root mean square); with {_before(training)} it is {training.curve[0][2]:.2f}."
    )
    sections = [
        Section("Error", [_error_figure(training), _error_table(training)]),
        Section("Learning curve", [_curve_figure(training)]),
        Section("What the weights say", _said(training)),
    ]
    return Document(f"Patterns for {weights.rules}", lead, sections, {**facts, "made by": f"outflank {__version__}"})


def _before(training: Training) -> str:
    return "the weights before" if training.before else "a guess of 0"


def _error_figure(training: Training) -> Figure:
    empties = [error.empties for error in training.errors]
    series = [
        Series(_before(training), empties, [error.before for error in training.errors]),
        Series("these weights", empties, [error.after for error in training.errors]),
    ]
    scales = Scales("empty squares", "error in discs (root mean square)")
    return Figure("error", "Error on held-out games by the number of empty squares.", lines(series, scales))


def _error_table(training: Training) -> Table:
    rows: list[list[Value]] = [
        [error.empties, error.positions, round(error.before, 2), round(error.after, 2)]
        for error in training.errors
        if error.empties % 4 == 0
    ]
    return Table(["empty squares", "held-out positions", _before(training), "these weights"], rows, name="error")


def _curve_figure(training: Training) -> Figure:
    passes = [done for done, _, _ in training.curve]
    series = [
        Series("fitted positions", passes, [fitted for _, fitted, _ in training.curve]),
        Series("held-out positions", passes, [held for _, _, held in training.curve]),
    ]
    caption = "Error after every pass over the positions. Where the two part, weights learn their games by heart."
    return Figure("curve", caption, lines(series, Scales("passes", "error in discs (root mean square)")))


# --- what the weights say ------------------------------------------------------------------------------------------


def _said(training: Training) -> list[Any]:
    phase = len(training.weights.values) // 2
    discs = 4 + phase * training.weights.phase_length
    words = (
        f"A position is worth the sum of the weights of its patterns, so that no weight means much alone: here are "
        f"those of a kind beside each other, in discs for the side to move (black), less the mean of the kind, around "
        f"{discs} discs. White discs are the opponent's, dots are empty squares."
    )
    figures = []
    for kind, what, tall in (("corner", "of the corner", 1.5), ("edge", "of an edge with its X squares", 0.9)):
        found = _extremes(training, kind, phase)
        if found:
            caption = (
                f"Patterns {what}: the {len(found) // 2} best and the {len(found) // 2} worst that are seen often."
            )
            rows = -(-len(found) // 3)
            figures.append(Figure(f"weights-{kind}", caption, found, size=(6.4, tall * rows)))
    return [words, _corner_table(training), *figures]


@dataclass(frozen=True)
class _Kind:
    """The weights of one kind in one phase, as far as they are seen."""

    digits: npt.NDArray[np.int64]
    """[patterns, squares]: 1 for an own disc, -1 for an opposing one."""
    worth: npt.NDArray[np.float64]
    """Less the mean."""
    seen: npt.NDArray[np.int64]

    def mean(self, chosen: npt.NDArray[np.bool_]) -> float | None:
        """The mean worth of these patterns where they stand on the board; None where they are not seen."""
        seen = self.seen[chosen]
        return float(np.average(self.worth[chosen], weights=seen)) if seen.sum() >= _SHOWN else None


def _kind(training: Training, kind: str, phase: int) -> _Kind:
    patterns = pattern_set(training.weights.rules.size)
    squares = patterns.kinds[kind]
    begin, number = patterns.offsets[kind], 3 ** len(squares)
    seen = training.seen[phase, begin : begin + number]
    weights = training.weights.values[phase, begin : begin + number] / SCALE
    digits = np.array(np.unravel_index(np.arange(number), (3,) * len(squares))).T - 1
    mean = np.average(weights, weights=seen) if seen.sum() else 0.0
    return _Kind(digits, weights - mean, seen)


def _corner_table(training: Training) -> Table:
    """The mean worth of the corner pattern by what stands on the corner and beside it."""
    squares = pattern_set(training.weights.rules.size).kinds["corner"]
    size = training.weights.rules.size
    corner, c, x = (squares.index(square) for square in (0, 1, size + 1))
    conditions: dict[str, Callable[[npt.NDArray[np.int64]], npt.NDArray[np.bool_]]] = {
        "own disc on the corner": lambda digits: digits[:, corner] == 1,
        "opposing disc on the corner": lambda digits: digits[:, corner] == -1,
        "own disc on the X square, corner empty": lambda digits: (digits[:, x] == 1) & (digits[:, corner] == 0),
        "opposing disc on the X square, corner empty": lambda digits: (digits[:, x] == -1) & (digits[:, corner] == 0),
        "own disc on a C square, corner empty": lambda digits: (digits[:, c] == 1) & (digits[:, corner] == 0),
        "opposing disc on a C square, corner empty": lambda digits: (digits[:, c] == -1) & (digits[:, corner] == 0),
    }
    weights = training.weights
    phases = [len(weights.values) // 4, len(weights.values) // 2, 3 * len(weights.values) // 4]
    kinds = [_kind(training, "corner", phase) for phase in phases]
    heads = [f"{4 + phase * weights.phase_length} discs" for phase in phases]
    rows: list[list[Value]] = []
    for words, condition in conditions.items():
        means = [kind.mean(condition(kind.digits)) for kind in kinds]
        rows.append([words, *(None if mean is None else f"{mean:+.2f}" for mean in means)])
    caption = "Mean worth of the 3x3 corner pattern in discs, for the side to move"
    return Table(["on the board", *heads], rows, caption, name="corners")


def _extremes(training: Training, kind: str, phase: int) -> list[Drawing]:
    """The worst and the best patterns of a kind that are seen often, the best first."""
    found = _kind(training, kind, phase)
    often = np.flatnonzero(found.seen >= max(1, found.seen.sum() // _SHARE_SEEN))
    order = often[np.argsort(-found.worth[often], kind="stable")]
    number = min(_SHOWN, len(order) // 2)
    squares, size = pattern_set(training.weights.rules.size).kinds[kind], training.weights.rules.size
    chosen = [*order[:number], *order[len(order) - number :]]
    return [pattern_drawing(squares, found.digits[i].tolist(), size, f"{found.worth[i]:+.1f}") for i in chosen]


def pattern_drawing(squares: Sequence[int], digits: Sequence[int], size: int, title: str) -> Drawing:
    """A small board with a pattern: black for own discs (1), white for opposing ones (-1), dots for empty squares."""

    def draw_pattern(axes: Any) -> None:
        from matplotlib.patches import Circle, Rectangle

        for square, digit in zip(squares, digits, strict=True):
            row, column = divmod(square, size)
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor=_BOARD, edgecolor=INK, linewidth=0.6))
            colour, radius = {1: (INK, 0.38), -1: (PAPER, 0.38), 0: (INK, 0.05)}[digit]
            axes.add_patch(Circle((column + 0.5, row + 0.5), radius, facecolor=colour, edgecolor=INK, linewidth=0.6))
        rows, columns = zip(*(divmod(square, size) for square in squares), strict=True)
        axes.set(xlim=(-0.1, max(columns) + 1.1), ylim=(max(rows) + 1.1, -0.1), title=title, aspect="equal")
        axes.set_axis_off()

    return draw_pattern


# --- generations ---------------------------------------------------------------------------------------------------


def generations_document(plan: Plan, generations: Sequence[Generation], facts: Mapping[str, str]) -> Document:
    """The report of generations."""
    best = max((one.number for one in generations if one.accepted), default=0)
    lead = (
        f"{len(generations)} generations of weights for {plan.rules}, {plan.games:,} games each"
        f"{'' if plan.start else ', from nothing'}: the best is generation **{best}**. A generation replaces the best "
        f"where it scores one half or more in {plan.match_games:,} games against it at depth {plan.match_depth}."
    )
    settings = {name: str(value) for name, value in plan.facts().items()}
    sections = [Section("Generation by generation", [generations_table(generations), _strength_figure(generations)])]
    return Document(
        f"Generations for {plan.rules}", lead, sections, {**facts, **settings, "made by": f"outflank {__version__}"}
    )


def generations_table(generations: Sequence[Generation]) -> Table:
    """A line for every generation."""
    rows: list[list[Value]] = [
        [
            one.number,
            one.games,
            one.positions,
            round(one.error, 2),
            "–" if one.against_best is None else one.against_best.elo_text,
            one.against_terms.elo_text,
            Cell("best", "good") if one.accepted else Cell("not better", "muted"),
        ]
        for one in generations
    ]
    heads = ["generation", "games", "positions", "error", "Elo against the best before", "Elo against five terms", ""]
    return Table(heads, rows, "Generations", "Elo with 95 % intervals; the error is on held-out games.", "generations")


def _strength_figure(generations: Sequence[Generation]) -> Figure:
    def series(label: str, of: Callable[[Generation], Measure | None]) -> Series:
        there = [(one.number, measure) for one in generations if (measure := of(one)) is not None]
        scores = [measure.score for _, measure in there]
        ends = ([low for _, low, _ in scores], [high for _, _, high in scores])
        return Series(label, [number for number, _ in there], [value for value, _, _ in scores], *ends)

    found = [
        series("five terms", lambda one: one.against_terms),
        series("the best before", lambda one: one.against_best),
    ]
    scales = Scales("generation", "share of points against", share=True)
    caption = "How each generation scored against five terms at the same depth, and against the best before it."
    return Figure("generations", caption, points_with_intervals([one for one in found if one.x], scales))


# --- temporal differences ------------------------------------------------------------------------------------------


def temporal_document(state: State, strengths: Sequence[Strength], facts: Mapping[str, str]) -> Document:
    """The report of learning by temporal differences."""
    plan, last, network = state.plan, state.curve[-1], state.plan.network
    opponent = f"the evaluation {plan.opponent}" if plan.opponent else "itself"
    lead = (
        f"A network of {len(network.patterns.kinds)} kinds of patterns, `{network.canonical}`, played {state.games:,} "
        f"games of {plan.rules} against {opponent} in {state.seconds:.0f} s and learned from each. One ply ahead, by "
        f"the rules of the Othello league, it scores **{100 * last.score:.1f} %** against the standard piece counter."
    )
    sections = [
        Section("Learning curve", [curve_figure({network.canonical: state})]),
        Section("Strength", [strength_table(strengths)] if strengths else ["Not measured."]),
        Section("What was learned", [worth_figure(state)]),
    ]
    settings = {name: str(value) for name, value in plan.facts().items()}
    made = {**facts, **settings, "made by": f"outflank {__version__}"}
    return Document(f"Temporal differences for {plan.rules}", lead, sections, made)


def curve_figure(states: Mapping[str, State]) -> Figure:
    """The score in the league by games of learning, with 95 % intervals; several runs in one picture."""
    series = []
    for label, state in states.items():
        found = [score((point.losses, point.draws, point.wins)) for point in state.curve]
        ends = [one.low for one in found], [one.high for one in found]
        games = [point.games for point in state.curve]
        series.append(Series(label, games, [one.value for one in found], *ends))
    caption = (
        "Points against the standard piece counter at one ply, a tenth of all moves random, by games of learning. "
        "None of these games teaches the network anything."
    )
    scales = Scales("games of learning", "points in the league", log_x=True, share=True)
    return Figure("td-curve", caption, points_with_intervals(series, scales, joined=True))


def strength_table(strengths: Sequence[Strength]) -> Table:
    """A line for every opponent."""
    rows: list[list[Value]] = []
    for one in strengths:
        measure = one.measure
        value, low, high = measure.score
        share = f"{100 * value:.1f} % [{100 * (low or 0):.1f}, {100 * (1 if high is None else high):.1f}]"
        games = measure.wins + measure.draws + measure.losses
        rows.append([one.player, measure.opponent, games, share, measure.elo_text])
    heads = ["with these weights", "against", "games", "points", "Elo"]
    return Table(heads, rows, "Strength", "With 95 % intervals; each opening with both colours.", "strength")


def worth_figure(state: State) -> Figure:
    """What a disc on each square is worth, beside the weights of the league's piece counter."""
    rules = state.plan.rules
    turned = 1 if rules.variant == "standard" else -1
    league = turned * read_table("league").squares(rules.size).astype(float)
    worths = square_worths(state.learned(), state.plan.phases // 2)
    panels = [worth_drawing(worths, rules.size, "learned"), worth_drawing(league, rules.size, "standard piece counter")]
    caption = (
        "What a disc on each square is worth, the largest set to 1: as it was learned, and as people set it. "
        "Of larger patterns it is the mean over whatever stands on their other squares."
    )
    return Figure("td-squares", caption, panels, size=(9.6, 4.6))


def worth_drawing(worths: npt.NDArray[np.float64], size: int, title: str) -> Drawing:
    """A board with a number and a colour for every square: green is good, red is bad."""

    def draw_worths(axes: Any) -> None:
        board = (worths / max(1e-9, float(np.abs(worths).max()))).reshape(size, size)
        axes.imshow(board, cmap="RdYlGn", vmin=-1, vmax=1)
        for row in range(size):
            for column in range(size):
                worth = float(board[row, column])
                colour = INK if abs(worth) < 0.7 else PAPER
                axes.text(column, row, f"{worth:+.2f}", ha="center", va="center", fontsize=7, color=colour)
        axes.set_xticks(range(size), [chr(ord("a") + column) for column in range(size)])
        axes.set_yticks(range(size), [str(row + 1) for row in range(size)])
        axes.grid(False)
        axes.set_title(title)

    return draw_worths
