"""The kinds of agents: one record each, with what its text accepts, how it is built and the number of its behaviour.

A kind's `behaviour` is part of the identity of its agents (`identities.py`): raise it whenever the kind decides
otherwise than before for the same text, limits and seed. `tests/golden/decisions.json` holds decisions of every kind,
and the test that compares them says whose number to raise.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from outflank.agents.players import Erring, RandomPlayer, SolverPlayer, WithEndgame
from outflank.bots import BOTS, USUAL_LIMITS, build_bot
from outflank.devices import DEVICES
from outflank.engines import GTP, NBOARD, build_gtp, build_nboard
from outflank.errors import BadSpec
from outflank.evaluation import evaluation_option, read_evaluation, squares_option
from outflank.plugins import Plugin, plugin_type
from outflank.schema import CheckedOptions, Option, Signature, choice, flag, number, text, whole
from outflank.search.beside import MOST_THREADS
from outflank.search.engine import EngineSearch
from outflank.search.heuristic import HeuristicPlayer
from outflank.search.limits import Limits
from outflank.search.memory import MOST_MEGABYTES
from outflank.search.minimax import MOST_WIN, ORDERS, PRUNING, TIES, VIEWS, MinimaxOptions, MinimaxSearch
from outflank.search.montecarlo import MOST_PLAYOUTS, FlatMonteCarlo
from outflank.search.player import Player
from outflank.search.playouts import FORMULA, playout_option
from outflank.search.probcut import PERCENT
from outflank.search.puct import MOST_EXACT, PuctSearch
from outflank.search.puct import MOST_EXPLORATION as MOST_PUCT_EXPLORATION
from outflank.search.uct import MOST_EXPLORATION, UctSearch
from outflank.search.uct_batches import LEAVES, BatchedUct, SideBySideUct
from outflank.search.uct_threads import ThreadedUct
from outflank.spec import Call, Value


def _limits_among(options: CheckedOptions) -> Limits:
    """The limits that stand among the options by their own names; a clock is time for a whole game."""
    limits = {word: options[word] for word in ("depth", "nodes", "playouts", "seconds") if word in options}
    return Limits(**limits, game_seconds=options.get("clock"))


@dataclass(frozen=True)
class AgentKind:
    """A kind of agent."""

    signature: Signature
    build: Callable[[CheckedOptions], Player]
    behaviour: int
    limits: Callable[[CheckedOptions], Limits] = _limits_among
    """What its own text allows it."""
    usual_limits: Limits = Limits()  # noqa: RUF009
    """What it may spend when neither its text nor its caller bounds it."""
    stands_for: Callable[[Call], Call] = lambda call: call
    """The call with its shorthands spelled out."""
    external: bool = False
    """Whether it runs a program that is not ours."""
    instant: bool = True
    """Whether a single legal move is played without asking, where it has no option that says so."""


_DEPTH = Option("depth", whole(1, 500), None, "plies; 5 when no limit at all is given")
_SECONDS = Option("seconds", number(0, above=True), None, "time for a move; 2s and 300ms are read too")
_NODES = Option("nodes", whole(1), None, "positions entered")
_PLAYOUTS = Option("playouts", whole(1), None, "games played out for a move; 1000 when no limit at all is given")
_THREADS = Option("threads", whole(1, MOST_THREADS), 1, "searches side by side that share a table")
_DEVICE = Option("device", choice(*DEVICES), None, "what plays games out; auto is a GPU where there is one")
_INSTANT = Option("instant", flag(), True, "whether a single legal move is played without thinking")
_MEMORY = Option("memory", number(1, MOST_MEGABYTES), 256, "megabytes at most for the tree or table")
_ENDGAME = (
    Option("endgame", whole(0, 60), 0, "solve exactly when so many squares or fewer are empty; 0 never"),
    Option("endgame_by", choice("wdl", "margin"), "wdl", "solve for win, draw or loss, or for the margin"),
)
_PLAYOUT = playout_option()


def _with_endgame(player: Player, options: CheckedOptions) -> Player:
    if not options["endgame"]:
        return player
    return WithEndgame(player, options["endgame"], SolverPlayer(options["endgame_by"], 64))


def _load(*options: object) -> None:
    """A missing function is told now, and not in the first game."""
    for option in options:
        if isinstance(option, Plugin):
            option.load()


def _minimax(options: CheckedOptions) -> Player:
    _load(options["order"])
    ways = MinimaxOptions(
        pruning=options["search"],
        order=options["order"],
        ties=options["ties"],
        eval_view=options["eval_view"],
        pass_costs_depth=options["pass_costs_depth"],
        win=options["win"],
        win_margin=options["win_margin"],
    )
    options["eval"].load()  # a missing function is told now, and not in the first game
    return _with_endgame(MinimaxSearch(options["eval"], ways, options["hash_mb"]), options)


def _uct(options: CheckedOptions) -> Player:
    _load(options["final"], options["select"])
    trees = [_tree(options) for _ in range(options["threads"] or 1)]
    if len(trees) > 1 and options["final"] not in ("visits", "win_rate"):
        raise BadSpec(f"uct: threads={len(trees)} count the moves of all trees; expected final=visits or win_rate")
    return _with_endgame(trees[0] if len(trees) == 1 else ThreadedUct(trees), options)


def _tree(options: CheckedOptions) -> UctSearch:
    return _kind_of_tree(options["device"], options["leaves"])(
        exploration=options["c"],
        expand=options["expand"],
        backup=options["backup"],
        log=options["log"],
        final=options["final"],
        pass_node=options["pass_node"],
        draw=options["draw"],
        tree=options["tree"],
        reuse=options["reuse"],
        select=options["select"],
        policy=options["playout"].load(),
        leaf_playouts=options["leaf_playouts"],
        memory=options["memory"] / (options["threads"] or 1),
    )


def _kind_of_tree(device: str | None, leaves: int | None) -> Callable[..., UctSearch]:
    if device is not None:
        return partial(BatchedUct, device, leaves=leaves or LEAVES)
    return partial(SideBySideUct, leaves=leaves) if leaves is not None and leaves > 1 else UctSearch


def _puct(options: CheckedOptions) -> Player:
    search = PuctSearch(
        options["network"] or "",
        exploration=options["c"],
        root=options["root"],
        exact=options["endgame"],
        memory=options["memory"],
    )
    return _with_endgame(search, options)


def _league(options: CheckedOptions) -> Player:
    options["eval"].load()
    return Erring(MinimaxSearch(options["eval"], MinimaxOptions(ties="random", win=0)), options["random"])


def _engine(options: CheckedOptions) -> Player:
    confidence = next(level for level, percent in enumerate(PERCENT) if percent >= options["confidence"])
    return EngineSearch(
        options["memory"], options["threads"], confidence, options["error"], weights=options["weights"] or ""
    )


LEVELS: tuple[dict[str, Value], ...] = (
    {"depth": 1, "error": 14, "memory": 1},
    {"depth": 1, "error": 7, "memory": 1},
    {"depth": 1, "error": 3.5, "memory": 1},
    {"depth": 2, "error": 2.5, "memory": 1},
    {"depth": 3, "error": 1.5, "memory": 1},
    {"depth": 4, "error": 1, "memory": 1},
    {"depth": 6, "error": 0.5, "memory": 1},
    {"nodes": 20_000, "memory": 4},
    {"nodes": 200_000, "memory": 16},
    {"nodes": 5_000_000, "memory": 64},
)
"""What the levels of the engine stand for, the weakest first: a weak player looks less far ahead and errs more."""

_ENGINE = Signature(
    "engine",
    "our strongest player: selective search with trained patterns, exact or probable near the end",
    (
        _SECONDS,
        _NODES,
        Option("depth", whole(1, 60), None, "moves ahead; to the end of the game when no limit is given"),
        _THREADS,
        Option("confidence", whole(1, 100), 73, "per cent of a cut: 73, 87, 95, 99, or 100, none"),
        Option("error", number(0, 64), 0, "discs by which it misjudges a move: weak players err"),
        Option("memory", number(1, MOST_MEGABYTES), 64, "megabytes of the transposition table"),
        _INSTANT,
        Option("level", whole(1, len(LEVELS)), None, "strength, in place of depth or nodes, error and memory"),
        Option("weights", text(most=1000), None, "a file of outflank learn; those of the package unless told"),
    ),
)


def _without_level(call: Call) -> Call:
    """The engine with the options that its level stands for."""
    level = _ENGINE.fill(call)["level"]
    if level is None:
        return call
    given, meant = _ENGINE.by_name(call), LEVELS[level - 1]
    for name in meant:
        if name in given:
            spelled = Call("engine", (), tuple(meant.items()))
            raise BadSpec(f"engine: level={level} and {name} are both given; expected one: level={level} is {spelled}")
    del given["level"]
    return Call("engine", (), tuple((given | meant).items()))


KINDS = {
    kind.signature.name: kind
    for kind in (
        AgentKind(
            Signature("random", "every legal move is as likely as any other"),
            build=lambda options: RandomPlayer(),
            behaviour=1,
        ),
        AgentKind(
            Signature(
                "greedy",
                "the most discs after the move, the fewest in the reversed game",
                (Option("ties", choice(*TIES), "random", "which of equal moves is played"),),
            ),
            build=lambda options: MinimaxSearch(read_evaluation("discs"), MinimaxOptions(ties=options["ties"], win=0)),
            behaviour=1,
            limits=lambda options: Limits(depth=1),
        ),
        AgentKind(
            Signature(
                "heuristic",
                "one ply by square worths, replies left to the opponent and discs turned, in two phases",
                (
                    squares_option("classic"),
                    Option(
                        "empties",
                        choice("before", "after"),
                        "before",
                        "whether empty squares are counted before the move",
                    ),
                    FORMULA,
                ),
                "Reversi with Monte Carlo Tree Search",
            ),
            build=lambda options: HeuristicPlayer(options["squares"], options["empties"], options["formula"]),
            behaviour=1,
        ),
        AgentKind(
            Signature(
                "league",
                "a player of the Othello league: one ply of an evaluation, and some random moves",
                (
                    evaluation_option("league"),
                    Option("random", number(0, 1), 0.1, "share of moves drawn at random"),
                ),
                "Lucas & Runarsson 2006; Jaśkowski 2014",
            ),
            build=_league,
            behaviour=1,
            limits=lambda options: Limits(depth=1),
        ),
        AgentKind(
            Signature(
                "minimax",
                "looks ahead to a depth, or as deep as nodes and seconds permit, and evaluates",
                (
                    _DEPTH,
                    evaluation_option("positional"),
                    _SECONDS,
                    _NODES,
                    Option(
                        "search",
                        choice(*PRUNING),
                        "alphabeta",
                        "no pruning, alpha-beta, null windows, or also bounds where only discs count: the same move",
                    ),
                    Option(
                        "order",
                        plugin_type("order", choice(*ORDERS)),
                        "none",
                        "order in which moves are tried: the same move, other speed",
                    ),
                    Option(
                        "hash_mb",
                        number(0, MOST_MEGABYTES),
                        0,
                        "megabytes of transposition table: the same move, other speed",
                    ),
                    Option("ties", choice(*TIES), "first", "which of equal moves is played"),
                    Option("eval_view", choice(*VIEWS), "root", "whose score the evaluation is; only root makes sense"),
                    Option("pass_costs_depth", flag(), True, "whether a forced pass uses up a ply"),
                    Option("win", whole(0, MOST_WIN), 10**6, "worth of a won game; 0 evaluates it like any position"),
                    Option("win_margin", flag(), False, "whether a larger win is worth more"),
                    *_ENDGAME,
                    _INSTANT,
                ),
                "Phan & Synytsia; He & Lin; Zean He",
            ),
            build=_minimax,
            behaviour=3,
            usual_limits=Limits(depth=5),
        ),
        AgentKind(
            Signature(
                "montecarlo",
                "plays out every move equally often, without a tree",
                (
                    Option("playouts", whole(1, MOST_PLAYOUTS), 250, "games played out for each legal move"),
                    _PLAYOUT,
                    _SECONDS,
                    Option("draw", number(0, 1), 0.5, "points of a drawn game"),
                    _DEVICE,
                    _INSTANT,
                ),
                "Reversi with Monte Carlo Tree Search",
            ),
            build=lambda options: FlatMonteCarlo(
                options["playouts"], options["playout"].load(), options["draw"], options["device"]
            ),
            behaviour=2,
            limits=lambda options: Limits(seconds=options["seconds"]),  # its playouts are for each move
        ),
        AgentKind(
            Signature(
                "uct",
                "tree search by playouts",
                (
                    _PLAYOUTS,
                    _SECONDS,
                    _NODES,
                    Option("c", number(0, MOST_EXPLORATION), 1.41421356237, "exploration in w/n + c sqrt(ln N / n)"),
                    Option(
                        "expand",
                        choice("one", "all", "selected"),
                        "one",
                        "children made for a leaf: one, or all, each played out, or the one that select scores highest",
                    ),
                    Option("backup", choice("mover", "agent", "black"), "mover", "whose points a node counts"),
                    Option("log", choice("parent", "siblings", "layer"), "parent", "visits inside the logarithm"),
                    Option(
                        "final",
                        plugin_type("final", choice("visits", "win_rate")),
                        "visits",
                        "how the move is chosen at the end",
                    ),
                    Option(
                        "pass_node",
                        choice("child", "leaf"),
                        "child",
                        "a forced pass in the tree: a node, or played out",
                    ),
                    Option("draw", number(0, 1), 0.5, "points of a drawn game"),
                    Option("tree", choice("full", "flat"), "full", "a tree, or a bandit over the root moves"),
                    Option("reuse", flag(), False, "whether the tree is kept for the next move"),
                    _PLAYOUT,
                    Option("leaf_playouts", whole(1, 1024), 1, "games played out each time a leaf is reached"),
                    *_ENDGAME,
                    _MEMORY,
                    Option("threads", whole(1, MOST_THREADS), None, "trees side by side, counted together at the root"),
                    _DEVICE,
                    _INSTANT,
                    Option(
                        "select",
                        plugin_type("select"),
                        None,
                        "how children are chosen, in place of c's formula: PUCT, RAVE",
                    ),
                    Option("leaves", whole(1, LEAVES), None, "leaves under way at once, played out side by side"),
                ),
                "Phan & Synytsia; He & Lin; Zean He; Tenshi",
            ),
            build=_uct,
            behaviour=3,
            usual_limits=Limits(playouts=1000),
        ),
        AgentKind(
            Signature(
                "puct",
                "tree search guided by a network of policy and value",
                (
                    Option(
                        "playouts", whole(1), None, "leaves evaluated for a move; 400 when no limit at all is given"
                    ),
                    Option(
                        "network", text(most=1000), None, "a file of outflank learn network; the package's unless told"
                    ),
                    _SECONDS,
                    _NODES,
                    Option("c", number(0, MOST_PUCT_EXPLORATION), 1.5, "exploration in q + c p sqrt(N) / (1 + n)"),
                    Option(
                        "root",
                        choice("halving", "puct"),
                        "halving",
                        "how playouts are shared among the moves to choose from",
                    ),
                    Option(
                        "endgame",
                        whole(0, MOST_EXACT),
                        10,
                        "empty squares from which on positions are solved, in the tree too",
                    ),
                    Option(
                        "endgame_by", choice("wdl", "margin"), "wdl", "solve for win, draw or loss, or for the margin"
                    ),
                    Option("memory", number(1, MOST_MEGABYTES), 64, "megabytes at most for the tree"),
                    _INSTANT,
                ),
                "Silver et al. 2018; Danihelka et al. 2022",
            ),
            build=_puct,
            behaviour=1,
            usual_limits=Limits(playouts=400),
        ),
        AgentKind(
            Signature(
                "solver",
                "perfect play to the end of the game, where the limits permit",
                (
                    Option("by", choice("margin", "wdl"), "margin", "the largest margin, or win, draw or loss"),
                    _SECONDS,
                    _NODES,
                    _MEMORY,
                    _THREADS,
                    _INSTANT,
                ),
            ),
            build=lambda options: SolverPlayer(options["by"], options["memory"], options["threads"]),
            behaviour=5,
        ),
        AgentKind(
            _ENGINE,
            build=_engine,
            behaviour=5,
            usual_limits=Limits(seconds=1),
            stands_for=_without_level,
        ),
        AgentKind(GTP, build=build_gtp, behaviour=1, external=True),
        AgentKind(NBOARD, build=build_nboard, behaviour=1, external=True),
        *(
            AgentKind(signature, build_bot, behaviour=1, usual_limits=USUAL_LIMITS, external=True, instant=False)
            for signature in BOTS.values()
        ),
    )
}
"""Every kind by name."""
