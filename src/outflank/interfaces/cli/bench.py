"""`outflank bench`: how fast this machine plays."""

import argparse
import json
from typing import Any


def register(commands: Any) -> None:
    """Adds the command to the parser."""
    bench = commands.add_parser(
        "bench",
        help="measure this machine",
        description="Measure perft, random games on every board size, import and start times: in one run, "
        "interleaved, the best of several rounds. Other programs running at the same time lower the figures.",
    )
    bench.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    bench.add_argument("--json", action="store_true", help="print one JSON object")
    bench.set_defaults(run=run_bench)


def run_bench(args: argparse.Namespace) -> None:
    """Prints the measurements as a table or as JSON."""
    from rich.console import Console

    from outflank.benchmark import measure, table

    with Console(stderr=True).status("measuring") as status:
        figures = measure(quick=args.quick, on_progress=lambda text: status.update(f"measuring {text}"))
    if args.json:
        print(json.dumps(figures))
    else:
        Console().print(table(figures))
