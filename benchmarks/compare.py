"""Outflank beside its public peers, in one run: writes benchmarks/RESULTS.md.

Our figures are measured before and after the peers and the better of the two counts, so that a change of the
machine's load between them shows less. Run it with `make bench`, which sets up the environment of the peers.
"""

import argparse
import json
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from outflank.benchmark import measure, table
from outflank.benchmark.arena import arena_table
from outflank.benchmark.endgames import endgames_table, measure_endgames
from outflank.benchmark.engine import engine_table, measure_engine
from outflank.benchmark.scale import SIZES, measure_scale, scale_table
from outflank.formats import read_obf
from outflank.report.document import Table
from outflank.report.markdown import markdown_table

HERE = Path(__file__).parent
Figures = dict[str, Any]


def _uct(playouts: int) -> list[str]:
    return [f"uct_playouts_per_s_{playouts}", f"uct_expand10_playouts_per_s_{playouts}"]


ROWS = [
    # (work, unit, our figure, measures of the peers that do the same work)
    ("random games, 8x8", "games/s", "side by side", ["random_games_per_s", "random_games_python_per_s"]),
    ("random games, 8x8", "games/s", "one at a time", ["random_games_per_s", "random_games_python_per_s"]),
    ("random moves in arrays, with masks, 8x8", "moves/s", "arrays", ["batch_steps_per_s", "mask_steps_per_s"]),
    ("perft, 8x8, last ply counted", "leaves/s", "perft", ["perft_bulk_leaves_per_s", "perft_leaves_per_s"]),
    ("uct, 10,000 playouts", "playouts/s", "uct, 10,000 playouts, 8x8", _uct(10_000)),
    ("uct, 100,000 playouts", "playouts/s", "uct, 100,000 playouts, 8x8", _uct(100_000)),
    (
        "uct, 10,000 playouts, 16 leaves at once",
        "playouts/s",
        "uct, 10,000 playouts, 16 leaves at once, 8x8",
        _uct(10_000),
    ),
    (
        "uct, 100,000 playouts, 16 leaves at once",
        "playouts/s",
        "uct, 100,000 playouts, 16 leaves at once, 8x8",
        _uct(100_000),
    ),
    ("alpha-beta, discs, 10 plies", "searches/s", "alpha-beta, discs, depth 10", ["alphabeta_depth10_s"]),
    ("alpha-beta, discs, 11 plies", "searches/s", "alpha-beta, discs, depth 11", ["alphabeta_depth11_s"]),
    ("alpha-beta, matrix, 10 plies", "searches/s", "alpha-beta, matrix, depth 10", ["alphabeta_matrix_depth10_s"]),
    (
        "alpha-beta, own moves, 10 plies",
        "searches/s",
        "alpha-beta, mobility, depth 10",
        ["alphabeta_mobility_depth10_s"],
    ),
]


TIMES = ("import_s", "warm_start_s", "cold_start_s", "seconds", "perft_resident_mb")


def better(first: Any, second: Any, is_time: bool = False) -> Any:
    """The better of two measurements of the same thing: higher rates, shorter times."""
    if isinstance(first, dict):
        return {key: better(first[key], second[key], key in TIMES) for key in first}
    if not isinstance(first, float):
        return first
    return min(first, second) if is_time else max(first, second)


def our_figures(figures: Figures) -> dict[str, float]:
    return {
        "side by side": figures["games_per_s"]["8"],
        "one at a time": figures["single_games_per_s"]["8"],
        "perft": figures["perft_leaves_per_s"],
        "arrays": figures["steps_in_arrays_per_s"]["8"],
        **{name: (search["playouts"] or 1) / search["seconds"] for name, search in figures["searches"].items()},
    }


def peer_rate(facts: Figures, names: list[str]) -> float:
    """The best rate of a peer for a work, 0 if it does none of it; times become searches per second."""
    found = [facts["measures"][name]["value"] for name in names if name in facts.get("measures", {})]
    return max(found if "per_s" in names[0] else [1 / seconds for seconds in found], default=0.0)


def run_peers(python: str, quick: bool) -> Figures:
    command = [python, str(HERE / "peers.py"), "--json"] + (["--quick"] if quick else [])
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    peers: Figures = json.loads(done.stdout)
    return peers


def comparison(figures: Figures, peers: Figures) -> list[str]:
    """Markdown rows: our rate, the peer's best rate for the same work, the ratio."""
    lines = ["| work | Outflank | peer | its rate | ratio |", "|---|---:|---|---:|---:|"]
    ours = our_figures(figures)
    for work, unit, way, names in ROWS:
        for peer, facts in peers.items():
            rate = peer_rate(facts, names)
            if rate:
                lines.append(
                    f"| {work} | {_shown(ours[way])} {unit}{_way(way)} | {peer} {facts['version']} "
                    f"| {_shown(rate)} | {ours[way] / rate:,.1f} |"
                )
    for peer, facts in peers.items():
        if "missing" in facts:
            lines.append(f"| – | – | {peer} | not measured: {facts['missing']} | – |")
    return lines


def _shown(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 1000 else f"{rate:.3g}"


def _way(way: str) -> str:
    return f" ({way})" if way in ("side by side", "one at a time") else ""


def own_table(figures: Figures) -> list[str]:
    lines = ["| board | one at a time | side by side | all cores | moves in arrays |", "|---|---:|---:|---:|---:|"]
    for size, single in figures["single_games_per_s"].items():
        beside = f"{figures['games_per_s'][size]:,.0f}" if int(size) <= 8 else "–"
        cells = [f"{single:,.0f}", beside, f"{figures['games_per_s_all_cores'][size]:,.0f}"]
        cells.append(f"{figures['steps_in_arrays_per_s'][size]:,.0f}")
        lines.append(f"| {size}x{size} | {' | '.join(cells)} |")
    return lines


def search_table(figures: Figures) -> list[str]:
    lines = ["| search | agent | time | rate | value | depth |", "|---|---|---:|---:|---:|---:|"]
    for name, search in figures["searches"].items():
        done, unit = (search["playouts"], "playouts/s") if search["playouts"] else (search["nodes"], "nodes/s")
        lines.append(
            f"| {name} | `{search['agent']}` | {search['seconds'] * 1000:.1f} ms "
            f"| {done / search['seconds']:,.0f} {unit} | {search['value']:.4g} | {search['depth']} |"
        )
    return lines


def how(peers: Figures) -> list[str]:
    used = {name for _, _, _, names in ROWS for name in names}
    return [
        f"- {peer}, `{name}`: {facts['measures'][name]['how']}"
        for peer, facts in peers.items()
        for name in facts.get("measures", {})
        if name in used
    ]


def report(figures: Figures, peers: Figures, engine: list[Table], arena: list[Table], command: str) -> str:
    parts = [
        "# Benchmark results",
        "",
        f"Made by `{command}` on {figures['cpu']}, {figures['cores']} cores, Python {platform.python_version()}, "
        f"Outflank {figures['version']}. Generated: run the command to renew it.",
        "",
        "One core unless it says otherwise; the best of several interleaved rounds.",
        "",
        "## Beside public libraries",
        "",
        *comparison(figures, peers),
        "",
        "What the peers did:",
        "",
        *how(peers),
        "",
        "## Random games per second",
        "",
        *own_table(figures),
        "",
        "## Searches",
        "",
        *search_table(figures),
        "",
        "## The engine",
        "",
        *sections(engine),
        "## Start and memory",
        "",
        f"- `import outflank`: {figures['import_s']:.3f} s",
        f"- `outflank perft --depth 6`, warm: {figures['warm_start_s']:.2f} s; "
        f"from an empty cache: {figures['cold_start_s']:.2f} s; resident memory {figures['perft_resident_mb']:.0f} MB",
        f"- perft of 8x8, one core: {figures['perft_leaves_per_s'] / 1e6:,.0f} million leaves/s",
        "",
        "## Matches and stores",
        "",
        *sections(arena),
        "`resume` is schedule minus done, `match` and `rate` are the commands on a store that has all the games, "
        "`frame` is `Store.frame()`; every one with the start of Python, and in brackets the time of the processor.",
        "",
    ]
    return "\n".join(parts)


def sections(tables: list[Table]) -> list[str]:
    return [line for part in tables for line in (markdown_table(part), "", *([part.note, ""] if part.note else []))]


def own_process_arena(quick: bool) -> Any:
    """The arena's figures from a process of their own: here the objects of all the measurements before slow them."""
    command = [sys.executable, "-m", "outflank", "bench", "--arena", "--json", *(["--quick"] if quick else [])]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["arena"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", required=True, metavar="PYTHON", help="the interpreter of the peers' environment")
    parser.add_argument("--endgames", type=Path, nargs="*", default=[], metavar="FILE.obf", help="problems to solve")
    parser.add_argument("--quick", action="store_true", help="shorter rounds")
    parser.add_argument("--out", type=Path, default=HERE / "RESULTS.md")
    args = parser.parse_args()
    before: Figures = {}
    peers: Figures = {}
    figures: Figures = {}
    for step in track(("Outflank", "its peers", "Outflank again"), "measuring", console=Console(stderr=True)):
        if step == "its peers":
            peers = run_peers(args.peers, args.quick)
        else:
            figures = measure(quick=args.quick)
            figures = better(before, figures) if before else figures
            before = figures
    arena = [arena_table(own_process_arena(args.quick)), scale_table(measure_scale(SIZES[: 1 if args.quick else None]))]
    engine = [engine_table(measure_engine(args.quick))]
    engine += [endgames_table(measure_endgames(read_obf(path.read_text("utf-8")))) for path in args.endgames]
    command = "make bench" + (" (quick)" if args.quick else "")
    args.out.write_text(report(figures, peers, engine, arena, command), encoding="utf-8")
    Console().print(table(figures))
    sys.stdout.write("\n".join(comparison(figures, peers)) + f"\n\nwritten to {args.out}\n")


if __name__ == "__main__":
    main()
