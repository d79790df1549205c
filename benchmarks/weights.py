"""Makes the weights of the package again, by the commands that made them: `make weights`.

    python benchmarks/weights.py [--out DIR] [--workers N] [--games FILE] ["standard 8x8" ...]

Those of 6x6 learn by generations from nothing, on a CPU. Those of 8x8 and 10x10 want an NVIDIA GPU and the extra `gpu`
for the first step, which is told where there is none. Those of 8x8 were then fitted to searched games, `--games`: files
of `outflank selfplay`, or of others in the same form; without any this step is left out, and told. The same command
goes on where it was stopped. The result is not put into the package: look at it, and copy it yourself.
"""

import argparse
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from outflank.board import Rules
from outflank.devices import check_gpu
from outflank.errors import OutflankError
from outflank.patterns import read_weights

_CARD = "learn cuda --seed 20261116"
_LARGE = "--games 524288 --passes 6 --last-passes 50 --depth 2 --endgame 6"
_FITTED = "learn patterns GAMES --from BEFORE --prior 2000 --passes 8"
_OPENING = "learn opening --from BEFORE"
RECIPES = {
    "standard 6x6": ("learn generations --generations 4 --games 60000",),
    "reversed 6x6": ("learn generations --generations 4 --games 60000",),
    "standard 8x8": (_CARD, _FITTED, f"{_OPENING} --seed 0", f"{_OPENING} --seed 1"),
    "reversed 8x8": (_CARD, _FITTED, f"{_OPENING} --seed 0", f"{_OPENING} --seed 1"),
    "standard 10x10": (f"{_CARD} --rounds 24 --last 40 {_LARGE}", f"{_OPENING} --games 1500 --depth 8 --seed 1"),
    "reversed 10x10": (f"{_CARD} --rounds 16 --last 12 {_LARGE}", f"{_OPENING} --games 1500 --depth 8 --seed 1"),
}
"""The commands for every board, one after the other, without rules and files: BEFORE is what the last one made."""


def make(name: str, out: Path, workers: list[str], games: list[str]) -> Path:
    """The weights of one board."""
    rules = Rules.parse(name)
    board = f"{rules.variant}-{rules.size}x{rules.size}"
    made = Path()
    for number, step in enumerate(RECIPES[name], 1):
        if "GAMES" in step and not games:
            print(f"left out, because no --games were given: outflank {step}", flush=True)
            continue
        before, made = made, out / f"{board}.{number}.npz"
        if not made.exists():
            _run(step, name, before, made, workers, games)
    shutil.copyfile(made, out / f"{board}.npz")
    return out / f"{board}.npz"


def _run(step: str, name: str, before: Path, made: Path, workers: list[str], games: list[str]) -> None:
    """One command; what it leaves has its name only when it is whole."""
    part = made.with_name(f"part-{made.name}")
    meant = {"BEFORE": [str(before)], "GAMES": games}
    command = [word for given in step.split() for word in meant.get(given, [given])] + ["--rules", name]
    if "generations" in step:
        place = made.with_suffix("")
        command += ["--out", str(place), *workers]
        part = place / "best.npz"
    else:
        command += ["--out", str(part)]
    print(shlex.join(["outflank", *command]), flush=True)
    subprocess.run([sys.executable, "-m", "outflank", *command], check=True)
    part.replace(made)


def _needs_card(name: str) -> bool:
    return any("cuda" in step for step in RECIPES[name])


def main() -> None:
    """Makes them, or says which cannot be made here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules", nargs="*", default=list(RECIPES), help="such as 'standard 6x6' (all)")
    parser.add_argument("--out", type=Path, default=Path("build/weights"), help="where they go")
    parser.add_argument("--workers", help="worker processes (one a core)")
    parser.add_argument("--games", nargs="+", default=[], metavar="FILE", help="searched games to fit 8x8 to")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.rules:
        if _needs_card(name):
            try:
                check_gpu("training")
            except OutflankError as problem:
                print(f"left out: {name}: {problem}")
                continue
        made = make(name, args.out, ["--workers", args.workers] if args.workers else [], args.games)
        error = read_weights(made, Rules.parse(name)).card["error"]["values"]
        late = ", ".join(f"{error[empties]} at {empties}" for empties in ("24", "16", "8") if empties in error)
        print(f"{made}: {made.stat().st_size:,} bytes; error in discs by empty squares: {late}")


if __name__ == "__main__":
    main()
