"""The report of a network that taught itself: how it learned, how strong it is, and what it thinks of a position."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from outflank import __version__
from outflank.board import Position
from outflank.kernels.network import LOGITS, new_workspace, predict
from outflank.learn.anchors import Strength
from outflank.learn.network import State
from outflank.report.document import Document, Drawing, Figure, Section
from outflank.report.figures import INK, PAPER, Scales, Series, lines
from outflank.report.learning import strength_table
from outflank.search.networks import Network


def network_document(state: State, strengths: Sequence[Strength], facts: Mapping[str, str]) -> Document:
    """The report of a run of `outflank learn network`."""
    plan, taken = state.plan, sum(point.taken for point in state.curve)
    taught = f" after the games of {plan.facts()['teacher']}" if plan.teacher else ", from nothing"
    lead = (
        f"A network of {plan.blocks} blocks of {plan.channels} channels for {plan.rules}{taught}: {state.games:,} "
        f"games against itself, {state.positions:,} searched positions of {plan.playouts} playouts, "
        f"{state.seconds:.0f} s. Of {state.rounds} candidates **{taken}** scored half the points or more against the "
        "best before and replaced it."
    )
    sections = [
        Section("Learning curve", [losses_figure(state), gates_figure(state)]),
        Section("Strength", [strength_table(strengths)] if strengths else ["Not measured."]),
        Section("What it thinks", [opinion_figure(state.best, opinions(state.best))]),
    ]
    settings = {name: str(value) for name, value in plan.facts().items()}
    return Document(
        f"A network for {plan.rules}", lead, sections, {**facts, **settings, "made by": f"outflank {__version__}"}
    )


def losses_figure(state: State) -> Figure:
    """How far policy and value are from what searches found, round by round."""
    rounds = [point.number for point in state.curve]
    policy, value = [point.policy_loss for point in state.curve], [point.value_loss for point in state.curve]
    panels = [
        lines([Series("policy", rounds, policy)], Scales("round", "cross entropy")),
        lines([Series("value", rounds, value)], Scales("round", "mean squared error")),
    ]
    caption = "What is left to learn of the searches of the last rounds: their policy, and their values and results."
    return Figure("network-losses", caption, panels, size=(9.6, 4.0))


def gates_figure(state: State) -> Figure:
    """What candidates scored against the best before them."""
    rounds = [point.number for point in state.curve]
    gates = [Series("candidate", rounds, [point.gate for point in state.curve])]
    caption = f"Points of every candidate in {state.plan.gate_games} games against the best before it; half is enough."
    return Figure("network-gates", caption, lines(gates, Scales("round", "points against the best", share=True)))


def opinions(network: Network) -> list[Position]:
    """Positions to show: the start, and two later ones of the network's own choosing."""
    found = [Position.start(network.rules)]
    for plies in (6, 10):
        position = found[-1]
        for _ in range(plies):
            if position.moves:
                policy, _ = opinion(network, position)
                position = position.play(max(position.moves, key=lambda move: policy[int(move)]))
        found.append(position)
    return found


def opinion(network: Network, position: Position) -> tuple[dict[int, float], float]:
    """The network's probability of every legal move, and its value of the position for the side to move, -1..1.

    >>> from outflank.board import Rules
    >>> from outflank.search.networks import shipped_network
    >>> policy, value = opinion(shipped_network(Rules(6)), Position.start(Rules(6)))
    >>> round(sum(policy.values()), 6), -1 < value < 1
    (1.0, True)
    """
    space, logits = new_workspace(network.shape.size, network.shape.channels), np.zeros((1, LOGITS), np.float32)
    value = predict(*position.boards, network.build(), space, logits)
    bits = {int(move): position.rules.bit(move).bit_length() - 1 for move in position.moves}
    found = np.array([logits[0, bit] for bit in bits.values()], np.float64)
    shares = np.exp(found - found.max(initial=0))
    return dict(zip(bits, (shares / max(shares.sum(), 1e-9)).tolist(), strict=True)), float(value)


def opinion_figure(network: Network, positions: Sequence[Position]) -> Figure:
    """Boards with the probability of every move and the expected result, without any search."""
    panels = [opinion_drawing(network, position) for position in positions]
    caption = (
        "What the network thinks at a glance, without search: how likely it holds each move to be the best, in per "
        "cent, and its expected share of points for the side to move."
    )
    return Figure("network-opinion", caption, panels, size=(3.6 * len(panels), 4.0))


def opinion_drawing(network: Network, position: Position) -> Drawing:
    """One board."""

    def draw_opinion(axes: Any) -> None:
        from matplotlib.patches import Circle

        size, (policy, value) = position.rules.size, opinion(network, position)
        shares = np.full((size, size), np.nan)
        for move, share in policy.items():
            shares[divmod(move, size)] = share
        axes.set_facecolor("#7fb792")
        axes.imshow(shares, cmap="YlOrRd", vmin=0, vmax=1, extent=(0, size, size, 0))
        for square in range(size * size):
            row, column = divmod(square, size)
            bit = position.rules.bit(square)
            for discs, colour in ((position.black, INK), (position.white, PAPER)):
                if discs & bit:
                    place = (column + 0.5, row + 0.5)
                    axes.add_patch(Circle(place, 0.4, facecolor=colour, edgecolor=INK, linewidth=0.6))
            if square in policy:
                axes.text(column + 0.5, row + 0.5, f"{100 * policy[square]:.0f}", ha="center", va="center", fontsize=8)
        axes.set_xticks(range(size + 1), labels=[])
        axes.set_yticks(range(size + 1), labels=[])
        axes.grid(True, color=INK, linewidth=0.5)
        axes.set(xlim=(0, size), ylim=(size, 0), aspect="equal")
        axes.set_title(f"{position.turn} to move: {50 * (1 + value):.0f} % expected")

    return draw_opinion
