"""Agents: a line of text in, a player out.

`agent("minimax(depth=5, eval=positional)")` parses the line, fills in every default and builds the player. Its `text`
is the canonical line, with all options sorted, and is its identity: two lines that mean the same have the same text,
and presets named after papers spell out what they stand for. `label` is the line as it was written.

Whatever plays has `choose(position, limits, seed)` and returns a `Decision`. A person's own player is any class or
function named `module:Name`; a class has a method `choose`, and either may take the position alone and return the
move as a number or a name.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Any

from outflank.agents.own import OwnPlayer, load_own
from outflank.agents.players import RandomPlayer, SolverPlayer, WithEndgame
from outflank.agents.presets import PRESETS
from outflank.board import Position, Rules
from outflank.engines import ENGINE_SIGNATURES, build_gtp, build_nboard
from outflank.errors import BadSpec, IllegalMove
from outflank.evaluation import evaluation_option, read_evaluation, squares_option
from outflank.search.decision import Decision, RootMove
from outflank.search.heuristic import HeuristicPlayer
from outflank.search.limits import Limits
from outflank.search.minimax import ORDERS, PRUNING, TIES, VIEWS, MinimaxOptions, MinimaxSearch
from outflank.search.montecarlo import FlatMonteCarlo
from outflank.search.player import Player
from outflank.search.playouts import read_playout
from outflank.search.uct import UctSearch
from outflank.spec import CheckedOptions, Option, Signature, Value, choice, flag, lookup, number, parse, whole

NO_LIMITS = Limits()


@dataclass(frozen=True)
class Agent(Player):
    """A player with its name, which answers forced moves itself.

    >>> player = agent("minimax(depth=2, eval=discs)")
    >>> decision = player.choose(Position.start())
    >>> decision.move, decision.nodes, player.label
    (d3, 11, 'minimax(depth=2, eval=discs)')
    """

    text: str
    label: str
    player: Player
    limits: Limits = NO_LIMITS
    """What its own text allows it."""
    fallback: Limits = NO_LIMITS
    """What it may spend when neither its text nor its caller bounds it."""
    instant: bool = True
    """Whether a single legal move is played without thinking."""

    def new_game(self) -> None:
        """Forgets whatever the player kept from the game before."""
        self.player.new_game()

    def follow(self, start: Position, moves: tuple[int, ...]) -> None:
        """Tells a player that wants to know the moves of the game so far."""
        self.player.follow(start, moves)

    @property
    def listens(self) -> bool:
        """Whether its player wants to know."""
        return self.player.listens

    @property
    def deepens(self) -> bool:
        """Whether its player tells of every depth."""
        return self.player.deepens

    def be_brief(self) -> None:
        """Decisions need not explain themselves any more: no expected line, no values of moves that are not played."""
        self.player.be_brief()

    def close(self) -> None:
        """Ends whatever the player started, such as an external program."""
        self.player.close()

    def warm_up(self, rules: Rules) -> None:
        """Compiles what a game under these rules needs, so that no clock measures a compilation."""
        self.player.warm_up(rules)

    def choose(self, position: Position, limits: Limits | None = None, seed: int = 0) -> Decision:
        """The decision in any position that is not over; a forced move needs no thought."""
        forced = self._forced(position)
        if forced is not None:
            return forced
        began = time.perf_counter()
        decision = self.player.choose(position, self._bounds(position, limits), seed)
        return decision if decision.seconds else replace(decision, seconds=time.perf_counter() - began)

    def think(self, position: Position, limits: Limits | None = None, seed: int = 0) -> Iterator[Decision]:
        """What it would decide, better and better where its player can tell: by depth, by playouts; `choose` is last.

        >>> [decision.depth for decision in agent("minimax(depth=3, eval=discs)").think(Position.start())]
        [1, 2, 3]
        """
        forced = self._forced(position)
        if forced is not None:
            yield forced
            return
        began = time.perf_counter()
        for decision in self.player.think(position, self._bounds(position, limits), seed):
            yield replace(decision, seconds=time.perf_counter() - began)

    def _forced(self, position: Position) -> Decision | None:
        """The decision that needs no thought, if there is one."""
        moves = position.moves
        if not moves:
            raise IllegalMove(f"no move can be chosen: the game is over in {position.line()}")
        if moves[0] == position.rules.pass_move or (self.instant and len(moves) == 1):
            return Decision(moves[0], position.turn, pv=moves, moves=(RootMove(moves[0]),))
        return None

    @cached_property
    def _enough(self) -> frozenset[str]:
        """Limits of which one suffices."""
        return self.fallback.bounds | {"nodes", "seconds", "game_seconds"}

    def _bounds(self, position: Position, limits: Limits | None) -> Limits:
        """Its own limits and those of its caller, or the usual ones where there are none."""
        bounds = self.limits.tightened(limits or NO_LIMITS)
        if self.fallback.bounds and bounds.bounds.isdisjoint(self._enough):
            bounds = bounds.tightened(self.fallback)
        return bounds if bounds.game_seconds is None else bounds.for_move(position.empties // 2 + 1)


# --- the registry ---------------------------------------------------------------------------------------------

_DEPTH = Option("depth", whole(1, 500), None, "plies; 5 when no limit at all is given")
_SECONDS = Option("seconds", number(0, above=True), None, "time for a move; 2s and 300ms are read too")
_NODES = Option("nodes", whole(1), None, "positions entered")
_PLAYOUTS = Option("playouts", whole(1), None, "games played out for a move; 1000 when no limit at all is given")
_INSTANT = Option("instant", flag(), True, "whether a single legal move is played without thinking")
_MEMORY = Option("memory", number(1, 1 << 20), 256, "megabytes at most for the tree or table")
_ENDGAME = (
    Option("endgame", whole(0, 60), 0, "solve exactly when so many squares or fewer are empty; 0 never"),
    Option("endgame_by", choice("wdl", "margin"), "wdl", "solve for win, draw or loss, or for the margin"),
)


def _documented_playout(value: Value) -> Any:
    """uniform | heuristic(…) | own_heuristic(…) | epsilon(…) | weighted(…) | cutoff(…)"""
    return read_playout(value)


_PLAYOUT = Option("playout", _documented_playout, "uniform", "how moves of playouts are chosen")

_AGENTS = {
    signature.name: signature
    for signature in (
        Signature("random", "every legal move is as likely as any other"),
        Signature(
            "greedy",
            "the most discs after the move, the fewest in the reversed game",
            (Option("ties", choice(*TIES), "random", "which of equal moves is played"),),
        ),
        Signature(
            "heuristic",
            "one ply by square worths, replies left to the opponent and discs turned, in two phases",
            (
                squares_option("classic"),
                Option(
                    "empties", choice("before", "after"), "before", "whether empty squares are counted before the move"
                ),
            ),
            "Reversi with Monte Carlo Tree Search",
        ),
        Signature(
            "minimax",
            "looks ahead to a depth, or as deep as nodes and seconds permit, and evaluates",
            (
                _DEPTH,
                evaluation_option("positional"),
                _SECONDS,
                _NODES,
                Option(
                    "search", choice(*PRUNING), "alphabeta", "no pruning, alpha-beta, or null windows: the same move"
                ),
                Option("order", choice(*ORDERS), "none", "order in which moves are tried: the same move, other speed"),
                Option(
                    "hash_mb", number(0, 1 << 20), 0, "megabytes of transposition table: the same move, other speed"
                ),
                Option("ties", choice(*TIES), "first", "which of equal moves is played"),
                Option("eval_view", choice(*VIEWS), "root", "whose score the evaluation is; only root makes sense"),
                Option("pass_costs_depth", flag(), True, "whether a forced pass uses up a ply"),
                Option("win", whole(0, 10**12), 10**6, "worth of a won game; 0 evaluates it like any position"),
                Option("win_margin", flag(), False, "whether a larger win is worth more"),
                *_ENDGAME,
                _INSTANT,
            ),
            "Phan & Synytsia; He & Lin; Zean He",
        ),
        Signature(
            "montecarlo",
            "plays out every move equally often, without a tree",
            (
                Option("playouts", whole(1), 250, "games played out for each legal move"),
                _PLAYOUT,
                _SECONDS,
                Option("draw", number(0, 1), 0.5, "points of a drawn game"),
                _INSTANT,
            ),
            "Reversi with Monte Carlo Tree Search",
        ),
        Signature(
            "uct",
            "tree search by playouts",
            (
                _PLAYOUTS,
                _SECONDS,
                _NODES,
                Option("c", number(0), round(sqrt(2), 12), "exploration in w/n + c sqrt(ln N / n)"),
                Option("expand", choice("one", "all"), "one", "children made for a leaf: one, or all, each played out"),
                Option("backup", choice("mover", "agent", "black"), "mover", "whose points a node counts"),
                Option("log", choice("parent", "siblings", "layer"), "parent", "visits inside the logarithm"),
                Option("final", choice("visits", "win_rate"), "visits", "how the move is chosen at the end"),
                Option(
                    "pass_node", choice("child", "leaf"), "child", "a forced pass in the tree: a node, or played out"
                ),
                Option("draw", number(0, 1), 0.5, "points of a drawn game"),
                Option("tree", choice("full", "flat"), "full", "a tree, or a bandit over the root moves"),
                Option("reuse", flag(), False, "whether the tree is kept for the next move"),
                _PLAYOUT,
                Option("leaf_playouts", whole(1, 1024), 1, "games played out each time a leaf is reached"),
                *_ENDGAME,
                _MEMORY,
                _INSTANT,
            ),
            "Phan & Synytsia; He & Lin; Zean He; Tenshi",
        ),
        Signature(
            "solver",
            "perfect play to the end of the game, where the limits permit",
            (
                Option("by", choice("margin", "wdl"), "margin", "the largest margin, or win, draw or loss"),
                _SECONDS,
                _NODES,
                _MEMORY,
                _INSTANT,
            ),
        ),
    )
}


def _with_endgame(player: Player, options: CheckedOptions) -> Player:
    if not options["endgame"]:
        return player
    return WithEndgame(player, options["endgame"], SolverPlayer(options["endgame_by"], 64))


def _minimax(options: CheckedOptions) -> Player:
    ways = MinimaxOptions(
        pruning=options["search"],
        order=options["order"],
        ties=options["ties"],
        eval_view=options["eval_view"],
        pass_costs_depth=options["pass_costs_depth"],
        win=options["win"],
        win_margin=options["win_margin"],
    )
    return _with_endgame(MinimaxSearch(options["eval"], ways, options["hash_mb"]), options)


def _uct(options: CheckedOptions) -> Player:
    search = UctSearch(
        exploration=options["c"],
        expand=options["expand"],
        backup=options["backup"],
        log=options["log"],
        final=options["final"],
        pass_node=options["pass_node"],
        draw=options["draw"],
        tree=options["tree"],
        reuse=options["reuse"],
        policy=options["playout"].policy,
        leaf_playouts=options["leaf_playouts"],
        memory=options["memory"],
    )
    return _with_endgame(search, options)


_BUILDERS: dict[str, Callable[[CheckedOptions], Player]] = {
    "random": lambda options: RandomPlayer(),
    "greedy": lambda options: MinimaxSearch(read_evaluation("discs"), MinimaxOptions(ties=options["ties"], win=0)),
    "heuristic": lambda options: HeuristicPlayer(options["squares"], options["empties"]),
    "minimax": _minimax,
    "montecarlo": lambda options: FlatMonteCarlo(
        options["playouts"],
        policy=options["playout"].policy,
        draw=options["draw"],
    ),
    "uct": _uct,
    "solver": lambda options: SolverPlayer(options["by"], options["memory"]),
}

_AGENTS |= ENGINE_SIGNATURES
_BUILDERS |= {"gtp": build_gtp, "nboard": build_nboard}

_FALLBACKS = {"minimax": Limits(depth=5), "uct": Limits(playouts=1000), "greedy": Limits(depth=1)}


def agent_signatures() -> dict[str, Signature]:
    """Every named agent, presets last."""
    return _AGENTS | {name: signature for name, (signature, _) in PRESETS.items()}


def agent(described: str | Player | Any) -> Agent:
    """The agent that a line of text describes; a player, or anything with `choose(position)`, is made one.

    >>> agent("phan-synytsia-mcts(100)").text == agent(agent("phan-synytsia-mcts(100)").text).text
    True
    >>> agent("random(depth=3)")
    Traceback (most recent call last):
    outflank.errors.BadSpec: random has no option 'depth'; it has no options
    >>> agent(lambda position: position.moves[0]).choose(Position.start()).move
    d3
    """
    if not isinstance(described, str):
        return _around(described)
    call, text = parse(described), described.strip()
    if ":" in call.name:
        if call.values:
            raise BadSpec(f"{call.name} takes named options only, such as {call.name}(level=3)")
        return Agent(str(call), text, load_own(call.name, dict(call.options)), instant=False)
    options = spelled_out(text)
    name = options.name
    return Agent(
        text=str(options),
        label=text,
        player=_BUILDERS[name](options),
        limits=_own_limits(name, options),
        fallback=_FALLBACKS.get(name, Limits()),
        instant=options.get("instant", True),
    )


def _around(thing: Any) -> Agent:
    """An agent around something built already, named after its class or function."""
    if isinstance(thing, Agent):
        return thing
    name = getattr(thing, "__name__", type(thing).__name__)
    player = thing if isinstance(thing, Player) else OwnPlayer(name, thing)
    return Agent(name, name, player, instant=False)


def spelled_out(text: str) -> CheckedOptions:
    """The built-in agent that a line of text stands for, with every option checked and filled in, but not built.

    >>> str(spelled_out("pure-mc")).startswith("montecarlo(draw=0.5, instant=yes, playout=uniform, playouts=250")
    True
    """
    call = parse(text)
    signature = lookup(call, agent_signatures(), "agent")
    if call.name in PRESETS:
        call = PRESETS[call.name][1](signature.fill(call))
        signature = _AGENTS[call.name]
    return signature.fill(call)


def _own_limits(name: str, options: CheckedOptions) -> Limits:
    """The limits among the options; the playouts of flat Monte Carlo are for each move and not a limit of all."""
    if name == "greedy":
        return Limits(depth=1)
    words = ("depth", "nodes", "seconds") if name == "montecarlo" else ("depth", "nodes", "playouts", "seconds")
    return Limits(**{word: options[word] for word in words if word in options})
