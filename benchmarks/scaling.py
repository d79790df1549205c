"""Play the matches of `src/outflank/studies/data/scaling.csv` again, or those of a file of the same form.

Every line of the result has the points that were measured now, and is written as soon as its match is over. Lines whose
agents want a GPU need one. Lines that are no matches are passed over.
"""

import argparse
import csv
import sys
from pathlib import Path

from outflank import match
from outflank.studies.scaling import OPPONENTS

DATA = Path(__file__).parent.parent / "src/outflank/studies/data/scaling.csv"


def main() -> None:
    """Play, and print a line of CSV for every match."""
    parser = argparse.ArgumentParser(description="Play the matches of the scaling study.")
    parser.add_argument("matches", nargs="?", type=Path, default=DATA, help="a file like scaling.csv (the package's)")
    parser.add_argument("--store", default="scaling.db", help="where games are kept, and resumed from")
    parser.add_argument("--workers", type=int, default=1, help="processes; those of a GPU share it (1)")
    options = parser.parse_args()
    rows = list(csv.DictReader(options.matches.read_text().splitlines()))
    writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        if row["opponent"] not in OPPONENTS:
            continue
        games = int(row["games"])
        opponent = OPPONENTS[row["opponent"]]
        result = match(row["agent"], opponent, games=games, seed=1, workers=options.workers, store=options.store)
        writer.writerow(row | {"points": f"{result.tally.points:g}"})
        sys.stdout.flush()


if __name__ == "__main__":
    main()
