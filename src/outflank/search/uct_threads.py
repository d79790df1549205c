"""`ThreadedUct`: tree searches side by side, a tree for every thread, whose root moves are counted together.

Root parallelism (Chaslot, Winands & van den Herik 2008). The trees share nothing while they grow: kernels release the
GIL, threads wait for nobody, and at a fixed number of playouts a decision depends on text and seed alone.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace

from outflank.board import Position, Rules
from outflank.search.decision import Decision, RootMove
from outflank.search.limits import Limits
from outflank.search.player import Player
from outflank.search.uct import UctSearch

_NEXT_SEED = 0x9E3779B97F4A7C15


class ThreadedUct(Player):
    """Several tree searches as one; each gets an even share of playouts and nodes, and the whole time.

    >>> search = ThreadedUct([UctSearch(memory=1) for _ in range(2)])
    >>> decision = search.choose(Position.start("standard 4x4"), Limits(playouts=101), seed=1)
    >>> decision.playouts, sum(root.visits for root in decision.moves)
    (101, 101)
    """

    kind = "uct"

    def __init__(self, trees: Sequence[UctSearch]) -> None:
        self.trees = tuple(trees)

    def check_rules(self, rules: Rules) -> None:
        """What its trees need."""
        self.trees[0].check_rules(rules)

    def new_game(self) -> None:
        """Forgets the trees of the last game."""
        for tree in self.trees:
            tree.new_game()

    def rehearse(self, rules: Rules) -> None:
        """The same kernels serve all trees, and each has its own memory to touch."""
        for tree in self.trees:
            tree.rehearse(rules)

    def choose(self, position: Position, limits: Limits, seed: int) -> Decision:
        """The move that all trees together favour; the same for the same seed unless a clock decides."""
        searches = [self._search(number, position, limits, seed) for number in range(len(self.trees))]
        with ThreadPoolExecutor(len(searches)) as pool:
            others = [pool.submit(copy_context().run, search) for search in searches[1:]]
            decisions = [searches[0](), *(other.result() for other in others)]
        return self._together(decisions)

    def _search(self, number: int, position: Position, limits: Limits, seed: int) -> Callable[[], Decision]:
        """The search of one tree."""
        share = replace(limits, playouts=self._share(limits.playouts, number), nodes=self._share(limits.nodes, number))
        return lambda: self.trees[number].choose(position, share, (seed + number * _NEXT_SEED) % 2**64)

    def _share(self, total: int | None, number: int) -> int | None:
        """An even part, one at least; the first trees get what is left over."""
        trees = len(self.trees)
        return None if total is None else max(1, total // trees + (number < total % trees))

    def _together(self, decisions: list[Decision]) -> Decision:
        counted: dict[int, tuple[int, float]] = {}
        for root in (root for decision in decisions for root in decision.moves):
            visits, points = counted.get(root.move, (0, 0.0))
            counted[root.move] = visits + root.visits, points + root.visits * (root.win_rate or 0.0)
        moves = [
            RootMove(move, points / visits if visits else None, True, visits, points / visits if visits else None)
            for move, (visits, points) in sorted(counted.items())
        ]
        by_visits = self.trees[0].final == "visits"
        best = max(
            (root for root in moves if root.win_rate is not None),
            key=lambda root: (root.visits, root.win_rate) if by_visits else (root.win_rate, root.visits),
        )
        lines = [decision.pv for decision in decisions if decision.move == best.move]
        return replace(
            decisions[0],
            move=best.move,
            value=best.value,
            nodes=sum(decision.nodes for decision in decisions),
            playouts=sum(decision.playouts for decision in decisions),
            depth=max(decision.depth for decision in decisions),
            seconds=max(decision.seconds for decision in decisions),
            pv=lines[0] if lines else (best.move,),
            moves=tuple(moves),
            finished=all(decision.finished for decision in decisions),
            note=next((decision.note for decision in decisions if decision.note), ""),
        )
