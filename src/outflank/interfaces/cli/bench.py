"""`outflank bench` and `outflank devices`: how fast this machine plays, and by what."""

import argparse
import json
from collections.abc import Callable
from typing import Any

from outflank.interfaces.cli.common import add_json_option, add_quiet_option, progress


def register(commands: Any) -> None:
    """Adds the command to the parser."""
    bench = commands.add_parser(
        "bench",
        help="measure this machine",
        description="Measure perft, random games on every board size, import and start times: in one run, "
        "interleaved, the best of several rounds. Other programs running at the same time lower the figures.",
    )
    bench.add_argument("--arena", action="store_true", help="measure stored games and workers instead")
    bench.add_argument("--gpu", action="store_true", help="measure random games on a GPU instead")
    bench.add_argument("--engine", action="store_true", help="measure the engine instead")
    bench.add_argument("--endgames", metavar="FILE.obf", help="measure the solver on the problems of a file instead")
    bench.add_argument("--threads", type=int, default=1, metavar="N", help="that solve an endgame (1)")
    bench.add_argument("--stores", action="store_true", help="measure stores of up to a million games instead")
    bench.add_argument("--quick", action="store_true", help="fewer and shorter rounds, smaller stores")
    add_quiet_option(bench)
    add_json_option(bench)
    bench.set_defaults(run=run_bench)
    devices = commands.add_parser(
        "devices",
        help="what can play here: the processor, a GPU",
        description="Tell what can play random games and train here, and what a GPU lacks.",
    )
    devices.add_argument("--json", action="store_true", help="print a JSON object a line")
    devices.set_defaults(run=run_devices)


def run_devices(args: argparse.Namespace) -> None:
    """Prints the processor and the GPU, or what is missing."""
    from dataclasses import asdict

    from outflank.devices import devices

    for device in devices():
        if args.json:
            print(json.dumps(asdict(device)))
        else:
            print(f"{device.kind}: {device.name + ', ' if device.usable else ''}{device.note}")


def run_bench(args: argparse.Namespace) -> None:
    """Prints the measurements as a table or as JSON."""
    with progress("bench", args.quiet) as shown:
        shown.say("measuring")
        figures, table = _measured(args, lambda text: shown.say(f"measuring {text}"))
    if args.json:
        print(json.dumps(figures))
    else:
        table()


def _measured(args: argparse.Namespace, on_progress: Callable[[str], None]) -> tuple[Any, Callable[[], None]]:
    """The figures, and the function that prints them as a table."""
    from rich.console import Console

    from outflank.benchmark import arena, endgames, engine, gpu, machine, scale
    from outflank.formats import obf_problems
    from outflank.inputs import file_lines, open_file
    from outflank.report.terminal import show

    if args.stores:
        rows = scale.measure_scale(scale.SIZES[: 1 if args.quick else None], on_progress)
        return {"scale": rows}, lambda: show([scale.scale_table(rows)])
    if args.endgames:
        with open_file(args.endgames) as file:
            problems = obf_problems(file_lines(file, args.endgames))
            solved = endgames.measure_endgames(problems, args.threads, on_progress)
        return {"endgames": solved}, lambda: show([endgames.endgames_table(solved, args.threads)])
    if args.engine:
        found = engine.measure_engine(args.quick, on_progress)
        return {"engine": found}, lambda: show([engine.engine_table(found)])
    if args.gpu:
        rates = gpu.measure_gpu(args.quick, on_progress)
        return {"gpu": rates}, lambda: show([gpu.gpu_table(rates)])
    if args.arena:
        figures = arena.measure_arena(args.quick, on_progress)
        return {"arena": figures}, lambda: show([arena.arena_table(figures)])
    found = machine.measure(args.quick, on_progress)
    return found, lambda: Console().print(machine.table(found))
