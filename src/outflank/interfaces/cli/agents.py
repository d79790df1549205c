"""`outflank agents`, `move`, `solve` and `check`: who can play, what they play, what is best, what they break."""

import argparse
import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from outflank.interfaces.cli.board import add_position, read_position
from outflank.interfaces.cli.common import add_json_option, add_limits, add_variant_option, limits_of

if TYPE_CHECKING:
    from outflank.board import Position
    from outflank.formats import Problem
    from outflank.schema import Signature


def register(commands: Any) -> None:
    """Adds the commands to the parser."""
    agents = commands.add_parser("agents", help="list the agents, or explain one", description=_AGENTS)
    agents.add_argument("name", nargs="?", metavar="NAME", help="an agent, evaluation or playout to explain")
    add_json_option(agents)
    agents.set_defaults(run=run_agents)

    move = commands.add_parser("move", help="ask an agent for a move", description=_MOVE)
    move.add_argument("agent", metavar="AGENT", help='such as "minimax(depth=6, eval=positional)"')
    add_position(move)
    move.add_argument("--moves", metavar="TRANSCRIPT", help="moves to play first, such as f5d6c3")
    add_variant_option(move)
    move.add_argument("--seed", type=int, default=0, metavar="S", help="seed of random choices")
    add_limits(move)
    add_json_option(move)
    move.set_defaults(run=run_move)

    solve = commands.add_parser("solve", help="exact scores by perfect play", description=_SOLVE)
    solve.add_argument("file", nargs="?", metavar="FILE.obf", help="positions, one a line, with or without scores")
    add_position(solve)
    solve.add_argument("--moves", metavar="TRANSCRIPT", help="moves to play first")
    add_variant_option(solve)
    solve.add_argument(
        "--by", choices=("margin", "wdl"), default="margin", help="the margin, or only win, draw or loss"
    )
    add_limits(solve, ("nodes", "seconds"))
    solve.add_argument("--threads", type=int, default=1, metavar="N", help="that search together (1)")
    add_json_option(solve, "one JSON object per position")
    solve.set_defaults(run=run_solve)

    check = commands.add_parser("check", help="test a player against the contract", description=_CHECK)
    check.add_argument("agent", metavar="AGENT", help="an agent, or a player of your own as module:Class")
    check.add_argument("--size", type=int, action="append", metavar="N", help="only this board size; may be repeated")
    check.add_argument("--seconds", type=float, default=10, metavar="T", help="longest time for an answer (default 10)")
    check.add_argument("--printed", action="store_true", help="also show what the player printed")
    check.set_defaults(run=run_check)


_AGENTS = "List every agent with its options, or explain one. An agent is a line of text: name(option=value, ...)."
_MOVE = "Board in, move out: print the move that an agent chooses, alone on a line."
_SOLVE = (
    "Exact scores for the side to move, positive when it wins, with the empty squares to the winner. "
    "The plain output is one line per position: score, best move, nodes, seconds."
)
_CHECK = (
    "Try a player on many positions of the boards it is made for: does it answer in time and legally? Exit code 1 if "
    "not. Whether it answers the same again is told too."
)


def _signatures() -> dict[str, dict[str, "Signature"]]:
    from outflank.agents import agent_signatures
    from outflank.evaluation import evaluation_signatures
    from outflank.search.playouts import playout_signatures

    return {"agents": agent_signatures(), "evaluations": evaluation_signatures(), "playouts": playout_signatures()}


def run_agents(args: argparse.Namespace) -> None:
    """Prints every agent, evaluation and playout, or one of them."""
    from outflank.errors import BadSpec

    groups = _signatures()
    if args.name:
        groups = {group: {args.name: found[args.name]} for group, found in groups.items() if args.name in found}
        if not groups:
            known = ", ".join(name for group in _signatures().values() for name in group)
            raise BadSpec(f"nothing is called {args.name!r}; known: {known}")
    if args.json:
        facts = {group: {name: found.facts() for name, found in names.items()} for group, names in groups.items()}
        print(json.dumps(facts, ensure_ascii=False))
        return
    for group, names in groups.items():
        if not args.name:
            print(f"{group}:")
        for name, signature in names.items():
            _print_signature(name, signature, long=bool(args.name))
        print()
    if not args.name:
        print("outflank agents NAME explains the options. Your own: module:Class, eval=module:function and others.")


def _print_signature(name: str, signature: "Signature", long: bool) -> None:
    if not long:
        options = ", ".join(option.name for option in signature.options)
        print(f"  {name}{f'({options})' if options else ''}\n      {signature.meaning}")
        return
    print(f"{name}: {signature.meaning}")
    if signature.source:
        print(f"source: {signature.source}")
    for line in signature.describe():
        print(f"  {line}")


def _after_moves(args: argparse.Namespace) -> "Position":
    from outflank.formats import read_transcript

    return read_transcript(args.moves or "", read_position(args)).end


def run_move(args: argparse.Namespace) -> None:
    """Prints the move of an agent."""
    from outflank.agents import agent
    from outflank.facts import decision_facts, with_names
    from outflank.interfaces.preparing import prepare_here

    player = agent(args.agent)
    position = _after_moves(args)
    prepare_here(player, position.rules)
    decision = player.choose(position, limits_of(args), args.seed)
    print(json.dumps(with_names(decision_facts(decision))) if args.json else decision.move)


def run_solve(args: argparse.Namespace) -> None:
    """Prints the exact score of a position, or of every position of a file."""
    from outflank.errors import BadSpec
    from outflank.formats import Problem, obf_problems
    from outflank.inputs import file_lines, open_file

    if args.file and (args.position or args.moves):
        raise BadSpec("both a file and a position are given; expected one of them")
    with ExitStack() as opened:
        if args.file:
            file = opened.enter_context(open_file(args.file))
            problems = obf_problems(file_lines(file, args.file), args.variant)
        else:
            problems = iter([Problem(_after_moves(args), {})])
        _print_solutions(problems, args)


def _print_solutions(problems: "Iterator[Problem]", args: argparse.Namespace) -> None:
    from outflank.facts import solution_facts, with_names
    from outflank.search.solver import solve

    for problem in problems:
        solution = solve(problem.position, by=args.by, limits=limits_of(args), threads=args.threads)
        facts = with_names(solution_facts(solution))
        if args.json:
            print(json.dumps(facts), flush=True)
        else:
            print(_solution_line(problem, facts, args.by), flush=True)


def _solution_line(problem: Any, facts: dict[str, Any], by: str) -> str:
    if not facts["exact"]:
        return f"not finished after {facts['nodes']} nodes, {facts['seconds']:.2f} s"
    line = f"{facts['score']:+d} {facts['best'] or '-'} {facts['nodes']} nodes {facts['seconds']:.3f} s"
    if by == "margin" and problem.best is not None:
        line += "  as published" if problem.best == facts["score"] else f"  published {problem.best:+d}"
    return line


def run_check(args: argparse.Namespace) -> None:
    """Prints the report of `check_agent`."""
    from outflank.agents import check_agent
    from outflank.board import VARIANTS, Rules

    rules = [Rules(size, variant) for size in args.size for variant in VARIANTS] if args.size else None
    report = check_agent(args.agent, rules, seconds=args.seconds)
    print(report)
    if args.printed:
        print(f"it printed:\n{report.output.rstrip()}" if report.output.strip() else "it printed nothing")
    if not report.ok:
        raise SystemExit(1)
