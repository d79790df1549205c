"""`outflank selfplay` and `outflank learn`: games of an agent against itself, and weights from them."""

import argparse
import json
import math
from typing import TYPE_CHECKING, Any

from outflank.errors import BadSpec, require
from outflank.inputs import shown
from outflank.interfaces.cli.common import (
    add_executor_options,
    add_json_option,
    add_quiet_option,
    command_line,
    executor,
    progress,
)

if TYPE_CHECKING:
    from pathlib import Path

    from outflank.learn.training import Method, Training

_SELFPLAY = (
    "Play games of an agent against itself into a file: a line a game, no database. The same command continues where "
    "it stopped, and the file is the same on any number of workers. docs/training.md explains what it is for."
)
_LEARN = "Train the weights of patterns (eval=patterns) from games; docs/training.md and docs/learning.md explain how."
_GENERATIONS = (
    "Weights that teach themselves, from nothing or from a file: each generation plays games, is fitted to them and "
    "plays the best before; it replaces that where it is not worse. Killed at any step, the same command continues."
)
_PROBCUT = (
    "Search positions of games without cuts, and fit how far shallow searches err about deep ones: the model by which "
    "the engine leaves lines out. A third of the positions is held out to see whether it holds."
)
_OPENING = (
    "Fit the phases of the opening, from nothing, to searches of the engine that look past them: games of self-play "
    "begin alike and teach these phases little. All other weights of the package stay."
)
_PATTERNS = (
    "Fit the weights of patterns to the results of games by least squares, and say how wrong they are on games that "
    "were held out. Play with them by eval=patterns(weights=FILE)."
)
_CUDA = (
    "Weights from nothing, or from a file, on an NVIDIA GPU: rounds of self-play and training, a million games a "
    "second. Killed at any time, the same command continues after the last whole round. Needs the extra gpu."
)
_TD = (
    "Temporal differences: a network of patterns plays itself, one ply ahead, and learns from every game; nothing but "
    "the rules is known. Killed at any time, the same command continues. Play with its weights by "
    "eval=patterns(weights=FILE); docs/learning.md explains the method."
)
_NETWORK = (
    "A network of policy and value that teaches itself: it plays itself by tree search, thousands of games side by "
    "side, learns from what the searches found, and is taken where it does not lose to the best before. Killed at any "
    "time, the same command continues. Play with it by puct(network=FILE). Needs the extra network (PyTorch); "
    "docs/learning.md explains the method."
)


def register(commands: Any) -> None:
    """Adds the commands to the parser."""
    selfplay = commands.add_parser("selfplay", help="many games of an agent against itself", description=_SELFPLAY)
    selfplay.add_argument("--rules", default="standard 8x8", metavar="RULES", help='such as "reversed 6x6"')
    selfplay.add_argument("--games", type=int, default=10_000, metavar="N", help="games in all (10,000)")
    selfplay.add_argument("--out", required=True, metavar="FILE", help="NAME.txt, or NAME.txt.xz to be packed")
    selfplay.add_argument("--agent", metavar="AGENT", help="who plays (two plies of patterns, or of five terms)")
    selfplay.add_argument(
        "--random", default="0..20", metavar="A..B", help="random first moves, from A to B of them (0..20)"
    )
    selfplay.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the games")
    add_executor_options(selfplay)
    add_quiet_option(selfplay)
    add_json_option(selfplay)
    selfplay.set_defaults(run=run_selfplay, resumes=True)

    learn = commands.add_parser("learn", help="train the weights of patterns", description=_LEARN)
    learners = learn.add_subparsers(title="what to learn", metavar="WHAT", required=True)
    _register_patterns(learners)
    _register_generations(learners)
    _register_td(learners)
    _register_network(learners)
    _register_cuda(learners)
    _register_probcut(learners)
    _register_opening(learners)


def _register_patterns(learners: Any) -> None:
    patterns = learners.add_parser("patterns", help="weights from files of games", description=_PATTERNS)
    patterns.add_argument("games", nargs="+", metavar="GAMES", help="files of outflank selfplay")
    patterns.add_argument("--rules", metavar="RULES", help="of the games (what the card of the first file says)")
    patterns.add_argument("--out", required=True, metavar="FILE", help="where the weights go: NAME.npz")
    patterns.add_argument("--from", dest="before", metavar="FILE", help="weights to begin with and to be held to")
    _add_method(patterns)
    patterns.add_argument("--report", metavar="DIR", help="also write a report: index.html, report.md, figures, tables")
    add_quiet_option(patterns)
    add_json_option(patterns)
    patterns.set_defaults(run=run_patterns)


def _register_generations(learners: Any) -> None:
    command = learners.add_parser("generations", help="play, fit, measure, again and again", description=_GENERATIONS)
    command.add_argument("--rules", default="standard 8x8", metavar="RULES", help='such as "reversed 6x6"')
    command.add_argument("--generations", type=int, default=5, metavar="N", help="generations in all (5)")
    command.add_argument("--games", type=int, default=50_000, metavar="N", help="games of a generation (50,000)")
    command.add_argument("--out", required=True, metavar="DIR", help="where games, weights, matches and report go")
    command.add_argument("--from", dest="before", default="", metavar="FILE", help="weights to begin with (none)")
    command.add_argument("--depth", type=int, default=1, metavar="N", help="plies of the players (1)")
    command.add_argument("--endgame", type=int, default=8, metavar="N", help="squares played exactly at the end (8)")
    command.add_argument("--most-random", type=int, metavar="N", help="random first moves at most (7 of 10 moves)")
    command.add_argument("--remember", type=int, default=3, metavar="N", help="generations fitted together (3)")
    command.add_argument("--prior", type=float, default=30.0, metavar="N", help="what a weight of before is worth (30)")
    command.add_argument("--passes", type=int, default=12, metavar="N", help="passes over the positions (12)")
    command.add_argument("--match-games", type=int, default=200, metavar="N", help="games of each match (200)")
    command.add_argument("--match-depth", type=int, default=2, metavar="N", help="plies of both in matches (2)")
    command.add_argument("--seed", type=int, default=0, metavar="S", help="seed of games and openings")
    command.add_argument("--threads", type=int, default=1, metavar="N", help="threads of the fit (1)")
    add_executor_options(command)
    add_quiet_option(command)
    add_json_option(command)
    command.set_defaults(run=run_generations, resumes=True)


def _add_measured_options(command: Any) -> None:
    """What learners have that meet anchors at the end."""
    command.add_argument(
        "--match-games",
        type=int,
        default=100,
        metavar="N",
        help="games against each anchor at the end; 0: none (100)",
    )
    command.add_argument("--report", metavar="DIR", help="also write a report: curve, strength, what was learned")
    add_quiet_option(command)
    add_json_option(command)


def _register_td(learners: Any) -> None:
    command = learners.add_parser("td", help="a network that plays itself", description=_TD)
    command.add_argument("--rules", default="standard 8x8", metavar="RULES", help='such as "reversed 6x6"')
    command.add_argument("--out", required=True, metavar="FILE", help="where the weights go: NAME.npz")
    command.add_argument(
        "--patterns",
        default="straight(2)",
        metavar="NETWORK",
        help="squares (a weighted piece counter), straight(N), snakes(HOW MANY, LENGTH) or usual (straight(2))",
    )
    command.add_argument("--games", type=int, default=1_000_000, metavar="N", help="games of self-play (1,000,000)")
    command.add_argument("--phases", type=int, default=1, metavar="N", help="stages with weights of their own (1)")
    command.add_argument("--rate", type=float, default=0.1, metavar="X", help="part of an error corrected (0.1)")
    command.add_argument("--last-rate", type=float, default=0.003, metavar="X", help="to which the rate falls (0.003)")
    command.add_argument(
        "--trace", type=float, default=0.7, metavar="X", help="0 learns from the next move, 1 from the end (0.7)"
    )
    command.add_argument(
        "--opponent", default="", metavar="EVAL", help="learn by playing this evaluation, such as league (itself)"
    )
    command.add_argument("--explore", type=float, default=0.1, metavar="X", help="share of random moves (0.1)")
    command.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the games")
    _add_measured_options(command)
    command.set_defaults(run=run_td, resumes=True)


def _register_network(learners: Any) -> None:
    command = learners.add_parser("network", help="a network that a tree search asks", description=_NETWORK)
    command.add_argument("--rules", default="standard 8x8", metavar="RULES", help='such as "reversed 6x6"')
    command.add_argument("--out", required=True, metavar="FILE", help="where the network goes: NAME.npz")
    command.add_argument("--device", default="auto", metavar="WHERE", help="cpu, cuda, or auto: a GPU if there is one")
    command.add_argument("--channels", type=int, default=64, metavar="N", help="of the network, a multiple of 16 (64)")
    command.add_argument("--blocks", type=int, default=5, metavar="N", help="of two convolutions (5)")
    command.add_argument("--rounds", type=int, default=40, metavar="N", help="rounds of playing and training (40)")
    command.add_argument("--games", type=int, default=8192, metavar="N", help="games of a round (8,192)")
    command.add_argument("--lanes", type=int, default=4096, metavar="N", help="games side by side (4,096)")
    command.add_argument("--playouts", type=int, default=64, metavar="N", help="of every move (64)")
    command.add_argument("--together", type=int, default=4, metavar="N", help="leaves of a tree in one batch (4)")
    command.add_argument(
        "--endgame", dest="exact", type=int, default=8, metavar="N", help="squares solved at the end (8)"
    )
    command.add_argument(
        "--most-random",
        dest="random_moves",
        type=int,
        metavar="N",
        help="random first moves at most (a third of the game)",
    )
    command.add_argument("--window", type=int, default=12, metavar="N", help="rounds learned from together (12)")
    command.add_argument("--steps", type=int, default=300, metavar="N", help="steps of training in a round (300)")
    command.add_argument("--batch", type=int, default=2048, metavar="N", help="positions of a step (2,048)")
    command.add_argument("--rate", type=float, default=0.002, metavar="X", help="of learning, at first (0.002)")
    command.add_argument("--gate-games", type=int, default=256, metavar="N", help="of candidate and best (256)")
    command.add_argument(
        "--gate-by",
        default="device",
        metavar="WHO",
        help="who plays them: device, or arena, which is slower (device)",
    )
    command.add_argument(
        "--teacher", default="", metavar="GAMES", help="a file of outflank selfplay to learn from first (none)"
    )
    command.add_argument("--lesson-steps", type=int, default=3000, metavar="N", help="steps on these games (3,000)")
    command.add_argument("--seed", type=int, default=0, metavar="S", help="seed of games and network")
    command.add_argument("--keep", type=int, default=0, metavar="N", help="networks kept along the way (0)")
    _add_measured_options(command)
    command.set_defaults(run=run_network, resumes=True)


def _register_cuda(learners: Any) -> None:
    command = learners.add_parser("cuda", help="play and train on a GPU", description=_CUDA)
    command.add_argument("--rules", default="standard 8x8", metavar="RULES", help='such as "reversed 6x6"')
    command.add_argument("--out", required=True, metavar="FILE", help="where the weights go: NAME.npz")
    command.add_argument("--from", dest="start", default="", metavar="FILE", help="weights to begin with (none)")
    command.add_argument("--rounds", type=int, default=32, metavar="N", help="rounds of playing and training (32)")
    command.add_argument("--games", type=int, default=1 << 20, metavar="N", help="games of a round (1,048,576)")
    command.add_argument(
        "--last", type=int, default=30, metavar="N", help="how many times as many in the last round (30)"
    )
    command.add_argument("--passes", type=int, default=4, metavar="N", help="passes over the positions of a round (4)")
    command.add_argument("--last-passes", type=int, default=40, metavar="N", help="of the last round (40)")
    command.add_argument("--depth", dest="plies", type=int, default=3, metavar="N", help="plies of the players (3)")
    command.add_argument(
        "--endgame", dest="exact", type=int, default=8, metavar="N", help="squares played exactly at the end (8)"
    )
    command.add_argument(
        "--most-random", dest="random_moves", type=int, metavar="N", help="random first moves at most (3 of 4 moves)"
    )
    command.add_argument("--every", type=int, default=5, metavar="N", help="keep every so manyth position (5)")
    command.add_argument("--phases", type=int, metavar="N", help="phases of the game (two to six discs each)")
    command.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the games")
    add_quiet_option(command)
    add_json_option(command)
    command.set_defaults(run=run_cuda, resumes=True)


def _register_probcut(learners: Any) -> None:
    command = learners.add_parser("probcut", help="errors of shallow searches", description=_PROBCUT)
    command.add_argument("games", metavar="GAMES", help="a file of outflank selfplay")
    command.add_argument("--rules", metavar="RULES", help="of the games (what the card of the file says)")
    command.add_argument("--positions", type=int, default=2000, metavar="N", help="positions searched (2,000)")
    command.add_argument("--depth", type=int, default=9, metavar="N", help="moves that searches look ahead (9)")
    command.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the choice of positions")
    add_quiet_option(command)
    add_json_option(command)
    command.set_defaults(run=run_probcut)


def _register_opening(learners: Any) -> None:
    command = learners.add_parser("opening", help="weights of the opening from searches", description=_OPENING)
    command.add_argument("--rules", default="standard 8x8", metavar="RULES", help='such as "reversed 8x8"')
    command.add_argument("--from", dest="start", default="", metavar="FILE", help="weights of before (the package's)")
    command.add_argument("--discs", type=int, default=15, metavar="N", help="where the last phase fitted ends (15)")
    command.add_argument("--games", type=int, default=4000, metavar="N", help="random openings (4,000)")
    command.add_argument("--depth", type=int, default=10, metavar="N", help="moves that searches look ahead (10)")
    command.add_argument("--prior", type=float, default=5.0, metavar="N", help="positions that a weight 0 is worth (5)")
    command.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the openings")
    command.add_argument("--out", required=True, metavar="FILE", help="where the weights go: NAME.npz")
    add_quiet_option(command)
    add_json_option(command)
    command.set_defaults(run=run_opening)


def _add_method(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--prior", type=float, default=30.0, metavar="N", help="positions that a weight of before is worth (30)"
    )
    command.add_argument("--passes", type=int, default=12, metavar="N", help="passes over the positions (12)")
    command.add_argument("--held-out", default="5%", metavar="SHARE", help="games to judge by, such as 5%% (default)")
    command.add_argument("--phases", type=int, metavar="N", help="phases of the game (two to six discs each)")
    command.add_argument("--threads", type=int, default=1, metavar="N", help="threads of the fit (1)")


def _method(args: argparse.Namespace) -> "Method":
    from outflank.learn.training import Method

    return Method(args.prior, args.passes, _share(args.held_out), args.phases, args.threads)


def _share(text: str) -> float:
    """The share that `5%` or `0.05` names."""
    digits = text.removesuffix("%")
    try:
        number = float(digits) if len(digits) <= 20 else math.nan
    except ValueError:
        number = math.nan
    if not 0 < number < 100:
        raise BadSpec(f"--held-out {shown(text)} is not possible; expected a share of the games such as 5%")
    return number / 100 if text.endswith("%") else number


def run_selfplay(args: argparse.Namespace) -> None:
    """Plays games into a file."""
    from pathlib import Path

    from outflank.board import Rules
    from outflank.learn.selfplay import SelfPlay, default_agent, write_games

    rules = Rules.parse(args.rules)
    plan = SelfPlay(rules, args.agent or default_agent(rules), _span(args.random), args.seed)
    _check_name(args.out)
    with progress("selfplay", args.quiet) as shown_to:
        played = write_games(plan, args.games, args.out, executor(args), shown_to)
    size = Path(args.out).stat().st_size
    if args.json:
        print(json.dumps({**plan.card(), "games": args.games, "played": played, "file": args.out, "bytes": size}))
    else:
        print(
            f"{args.out}: {args.games:,} games of {plan.agent}, {rules}, {played:,} of them played now, {size:,} bytes"
        )


def run_patterns(args: argparse.Namespace) -> None:
    """Fits weights to games."""
    from pathlib import Path

    from outflank.board import Rules
    from outflank.inputs import file_name
    from outflank.learn.selfplay import read_card
    from outflank.learn.training import train
    from outflank.patterns import read_usual_weights

    files, out, method = [file_name(name) for name in args.games], _weights_name(args.out), _method(args)
    rules = Rules.parse(args.rules or read_card(files[0]).get("rules") or "standard 8x8")
    before = None if args.before is None else read_usual_weights(Path(args.before), rules)
    if args.report:
        from outflank.report.write import check

        check(args.report)
    with progress("learn", args.quiet) as shown_to:
        training = train(rules, files, before, method, shown_to)
    training.weights.write(out)
    page = None
    if args.report:
        from outflank.report.learning import training_document
        from outflank.report.write import write

        page = write(training_document(training, {"command": command_line()}), args.report)
    if args.json:
        print(json.dumps({"weights": args.out, **training.weights.card, **({"report": str(page)} if page else {})}))
        return
    print(_training_text(training))
    print(f"weights: {args.out}" + (f"\nreport: {page}" if page else ""))


def run_generations(args: argparse.Namespace) -> None:
    """Generations of weights."""
    from dataclasses import asdict

    from outflank.board import Rules
    from outflank.learn import generations as learn
    from outflank.report.learning import generations_document, generations_table
    from outflank.report.terminal import show
    from outflank.report.write import check, write

    rules = Rules.parse(args.rules)
    names = ("games", "depth", "endgame", "prior", "passes", "match_games", "match_depth", "seed")
    given = {name: getattr(args, name) for name in names}
    plan = learn.Plan(rules, most_random=args.most_random, remembered=args.remember, start=args.before, **given)
    check(f"{args.out}/report")
    found = []
    with progress("learn", args.quiet) as shown_to:
        run = learn.run_generations(plan, args.generations, args.out, executor(args), shown_to, args.threads)
        for generation in run:
            found.append(generation)
            page = write(generations_document(plan, found, {"command": command_line()}), f"{args.out}/report")
    if args.json:
        print(json.dumps({"generations": [asdict(one) for one in found], "report": str(page)}))
        return
    show([generations_table(found)])
    print(f"best weights: {args.out}/best.npz\nreport: {page}")


def run_td(args: argparse.Namespace) -> None:
    """Learns by temporal differences."""
    from dataclasses import fields

    from outflank.board import Rules
    from outflank.learn import temporal
    from outflank.learn.anchors import strengths

    given = {known.name: getattr(args, known.name) for known in fields(temporal.Plan) if known.name != "rules"}
    plan, out = temporal.Plan(Rules.parse(args.rules), **given), _weights_name(args.out)
    if args.match_games < 0:
        raise BadSpec(f"--match-games {args.match_games} is not possible; expected 0 or more")
    if args.match_games:
        require("scipy", "matches with the anchors (--match-games) need scipy", "arena")
    if args.report:
        from outflank.report.write import check

        check(args.report)
    with progress("learn", args.quiet) as shown_to:
        state = temporal.learn(plan, out, shown_to)
        found = list(strengths(out, plan.rules, args.match_games, plan.seed, shown_to)) if args.match_games else []
    card = temporal.with_strengths(out, plan.rules, found)
    page = None
    if args.report:
        from outflank.report.learning import temporal_document
        from outflank.report.write import write

        page = write(temporal_document(state, found, {"command": command_line()}), args.report)
    if args.json:
        facts = {"weights": args.out, **card}
        print(json.dumps(facts | ({"report": str(page)} if page else {})))
        return
    last = state.curve[-1]
    print(
        f"{state.games:,} games in {state.seconds:.1f} s, {state.games / max(state.seconds, 1e-9):,.0f} a second; "
        f"{100 * last.score:.1f} % of {last.wins + last.draws + last.losses:,} games of the Othello league"
    )
    if found:
        from outflank.report.learning import strength_table
        from outflank.report.terminal import show

        show([strength_table(found)])
    print(f"weights: {args.out}" + (f"\nreport: {page}" if page else ""))


def run_network(args: argparse.Namespace) -> None:
    """Learns a network."""
    from dataclasses import fields

    from outflank.board import Rules
    from outflank.learn import network as learner
    from outflank.learn.anchors import NETWORK_ANCHORS, strengths

    given = {known.name: getattr(args, known.name) for known in fields(learner.Plan) if known.name != "rules"}
    plan, out = learner.Plan(Rules.parse(args.rules), **given), _weights_name(args.out)
    if args.match_games < 0 or not 0 <= args.keep <= plan.rounds:
        raise BadSpec(
            f"--match-games {args.match_games} --keep {args.keep} is not possible; expected 0 or more, and 0 to the "
            f"number of rounds, {plan.rounds}"
        )
    if args.report:
        from outflank.report.write import check

        check(args.report)
    with progress("learn", args.quiet) as shown_to:
        state = learner.learn(plan, out, shown_to, args.keep)
        anchors = strengths(out, plan.rules, args.match_games, plan.seed, shown_to, anchors=NETWORK_ANCHORS)
        found = list(anchors) if args.match_games else []
    card = learner.with_strengths(out, plan.rules, found)
    page = None
    if args.report:
        from outflank.report.networks import network_document
        from outflank.report.write import write

        page = write(network_document(state, found, {"command": command_line()}), args.report)
    if args.json:
        print(json.dumps({"network": args.out, **card} | ({"report": str(page)} if page else {})))
        return
    taken = sum(point.taken for point in state.curve)
    print(
        f"{state.rounds} rounds, {state.games:,} games, {state.positions:,} searched positions in "
        f"{state.seconds:.1f} s on {card['made']['device']}; {taken} candidates were taken"
    )
    if found:
        from outflank.report.learning import strength_table
        from outflank.report.terminal import show

        show([strength_table(found)])
    print(f"network: {args.out}" + (f"\nreport: {page}" if page else ""))


def run_cuda(args: argparse.Namespace) -> None:
    """Weights from a GPU."""
    from dataclasses import fields

    from outflank.board import Rules
    from outflank.learn import cuda

    given = {known.name: getattr(args, known.name) for known in fields(cuda.Plan) if known.name != "rules"}
    plan, out = cuda.Plan(Rules.parse(args.rules), **given), _weights_name(args.out)
    with progress("learn", args.quiet) as shown_to:
        weights = cuda.train(plan, out, shown_to)
    if args.json:
        print(json.dumps({"weights": args.out, **weights.card}))
        return
    made, told = weights.card["made"][-1], weights.card["error"]["values"]
    print(f"{made['all games']:,} games on {made['card']}, {made['seconds']:.1f} s; error in discs by empty squares:")
    print(", ".join(f"{error} at {empties}" for empties, error in told.items()))
    print(f"weights: {args.out}")


def run_probcut(args: argparse.Namespace) -> None:
    """Fits the model of the engine's cuts."""
    from dataclasses import asdict

    from outflank.board import Rules
    from outflank.inputs import file_name
    from outflank.learn.probcut import learn_probcut
    from outflank.learn.selfplay import read_card
    from outflank.render import text_table

    file = file_name(args.games)
    rules = Rules.parse(args.rules or read_card(file).get("rules") or "standard 8x8")
    with progress("learn", args.quiet) as shown_to:
        found = learn_probcut(file, rules, args.positions, args.depth, args.seed, shown_to)
    if args.json:
        print(json.dumps(asdict(found)))
        return
    rows = [["deviations", "normal", "about leaves", "about the end"]]
    rows += [[f"{one.deviations}", *(f"{100 * share:.1f} %" for share in one.shares)] for one in found.held]
    print(f"{found.fitted:,} positions fitted, {found.held_out:,} held out; errors within so many deviations there:")
    print(text_table(rows, [True] * 4))
    print(f"\n[{rules.variant}-{rules.size}x{rules.size}]\nleaves = {list(found.model.leaves)}")
    print(f"end = {list(found.model.end)}")


def run_opening(args: argparse.Namespace) -> None:
    """Fits the opening to searches."""
    from outflank.board import Rules
    from outflank.learn.opening import fit_opening

    out, rules = _weights_name(args.out), Rules.parse(args.rules)
    with progress("learn", args.quiet) as shown_to:
        found = fit_opening(rules, args.discs, args.games, args.depth, args.prior, args.seed, shown_to, args.start)
    found.weights.write(out)
    if args.json:
        facts = {"positions": found.positions, "before": found.before, "after": found.after}
        print(json.dumps({"weights": args.out, **facts}))
        return
    print(
        f"{found.positions:,} positions of the opening; error about searches of held-out ones {found.before:.2f} discs "
        f"before, {found.after:.2f} now\nweights: {args.out}"
    )


def _training_text(training: "Training") -> str:
    from outflank.render import text_table

    rows = [["empty squares", "held-out positions", "before", "now"]]
    rows += [
        [str(error.empties), f"{error.positions:,}", f"{error.before:.2f}", f"{error.after:.2f}"]
        for error in training.errors
        if error.empties % 4 == 0
    ]
    rows.append(["all", f"{training.held_out:,}", f"{training.curve[0][2]:.2f}", f"{training.curve[-1][2]:.2f}"])
    head = f"{training.games:,} games, {training.positions:,} positions, {training.seconds:.1f} s; error in discs:\n"
    return head + text_table(rows, [True] * 4)


def _weights_name(name: str) -> "Path":
    from outflank.inputs import file_name

    if not name.endswith(".npz"):
        raise BadSpec(f"--out {shown(name)} is not possible; expected the name of a file of weights, NAME.npz")
    return file_name(name)


def _span(text: str) -> tuple[int, int]:
    """The least and the most that `0..20` or `8` names."""
    parts = text.split("..")
    if len(parts) > 2 or not all(part.isascii() and part.isdigit() and len(part) <= 3 for part in parts):
        raise BadSpec(f"--random {shown(text)} is not possible; expected numbers of moves such as 0..20 or 8")
    return int(parts[0]), int(parts[-1])


def _check_name(name: str) -> None:
    if not name.endswith((".txt", ".txt.xz")):
        raise BadSpec(f"--out {shown(name)} is not possible; expected NAME.txt or NAME.txt.xz")
