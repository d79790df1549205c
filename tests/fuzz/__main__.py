"""`python -m fuzz [TARGET…]`: feeds damaged texts to every reader and says what became of them."""

import argparse
import os
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from fuzz.run import run, say, table
from fuzz.targets import TARGETS
from outflank.execute.local import Processes


def main() -> int:
    """Returns 1 where something broke."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="TARGET",
        help=f"some of {', '.join(TARGETS)} (default: all), or messages for those of the page alone",
    )
    parser.add_argument("--inputs", type=int, default=10**12, help="how many in all (default: as many as time allows)")
    parser.add_argument("--seconds", type=float, default=3600, help="time for all (default 3600)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--failures", type=Path, default=Path("build/fuzz"), help="where failing texts are kept")
    parser.add_argument("--coverage", action="store_true", help="let atheris choose the inputs of one target")
    args = parser.parse_args()
    if args.targets == ["messages"]:
        from fuzz import messages

        return messages.main(min(args.inputs, 10**6), args.seed)
    unknown = set(args.targets) - set(TARGETS)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))} not known; expected some of: {', '.join(TARGETS)}")
    if args.coverage:
        from fuzz.coverage import search

        return search(args.targets or list(TARGETS), args.seconds)
    began = time.monotonic()
    if find_spec("atheris") is None:
        say("atheris is not installed: inputs are made by mutation, and not guided by coverage")
    names = args.targets or list(TARGETS)
    counts = run(names, args.inputs, args.seed, Processes(args.workers), args.seconds, args.failures)
    sys.stdout.write(f"{table(counts)}\n")
    sys.stdout.write(f"{time.monotonic() - began:.0f} s with {args.workers} processes, seed {args.seed}\n")
    return int(any(count.failures or count.errors for count in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
