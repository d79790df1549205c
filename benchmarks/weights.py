"""Makes the weights of the package again, by the commands that made them: `make weights`.

    python benchmarks/weights.py [--out DIR] [--workers N] ["standard 6x6" ...]

Without names it makes all for which there is a recipe here: they learn by generations from nothing, on a CPU. The same
command goes on where it was stopped. The result is not put into the package: look at it, and copy it yourself.
"""

import argparse
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from outflank.board import Rules
from outflank.patterns import read_weights

RECIPES = {
    f"{variant} 6x6": ["learn", "generations", "--generations", "4", "--games", "60000"]
    for variant in ("standard", "reversed")
}
"""The command for every board, without rules, directory and workers. It leaves `best.npz` in its directory."""


def make(name: str, out: Path, workers: list[str]) -> Path:
    """The weights of one board."""
    rules = Rules.parse(name)
    place = out / f"{rules.variant}-{rules.size}x{rules.size}"
    command = [*RECIPES[name], "--rules", name, "--out", str(place), *workers]
    print(shlex.join(["outflank", *command]), flush=True)
    subprocess.run([sys.executable, "-m", "outflank", *command], check=True)
    made = out / f"{rules.variant}-{rules.size}x{rules.size}.npz"
    shutil.copyfile(place / "best.npz", made)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules", nargs="*", default=sorted(RECIPES), help="such as 'standard 6x6' (all)")
    parser.add_argument("--out", type=Path, default=Path("build/weights"), help="where they go")
    parser.add_argument("--workers", help="worker processes (one a core)")
    args = parser.parse_args()
    for name in args.rules:
        made = make(name, args.out, ["--workers", args.workers] if args.workers else [])
        error = read_weights(made, Rules.parse(name)).card["error"]["values"]
        late = ", ".join(f"{error[empties]} at {empties}" for empties in ("24", "16", "8") if empties in error)
        print(f"{made}: {made.stat().st_size:,} bytes; error in discs by empty squares: {late}")


if __name__ == "__main__":
    main()
