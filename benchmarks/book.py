"""Makes the opening books of the package again: `make book`.

    python benchmarks/book.py [--out DIR] ["standard 8x8" ...]

One processor for about five minutes a book; the same command goes on where it was stopped, and with the same engine
the same books come out. They are not put into the package: look at them, and copy them yourself.
"""

import argparse
import time
from itertools import islice
from pathlib import Path

from outflank.board import Rules
from outflank.book import Book, grow, new_book

POSITIONS, DEPTH = 1000, 14
RULES = ("standard 8x8", "reversed 8x8")
_EVERY = 25
"""Positions after which what there is is written."""


def make(name: str, out: Path, positions: int, depth: int) -> Path:
    """The book of one board; its file is there when it is whole."""
    rules = Rules.parse(name)
    path = out / f"{rules.variant}-{rules.size}x{rules.size}.txt"
    part = path.with_suffix(".part")
    if path.exists():
        return path
    book = Book.parse(part.read_text(encoding="utf-8"), rules) if part.exists() else new_book(rules, depth)
    began, had = time.process_time(), len(book.entries)
    for grown in islice(grow(book, depth), positions - had):
        book = grown
        if len(book.entries) % _EVERY == 0:
            part.write_text(str(book), encoding="utf-8")
            seconds = (time.process_time() - began) / (len(book.entries) - had)
            print(f"{name}: {len(book.entries)} positions, {seconds:.2f} s of a processor each", flush=True)
    part.write_text(str(book), encoding="utf-8")
    return part.rename(path)


def main() -> None:
    """Makes them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules", nargs="*", default=list(RULES), help="such as 'standard 8x8' (both variants)")
    parser.add_argument("--out", type=Path, default=Path("build/books"), help="where they go")
    parser.add_argument("--positions", type=int, default=POSITIONS, help=f"of a book ({POSITIONS})")
    parser.add_argument("--depth", type=int, default=DEPTH, help=f"plies that every move is looked ahead ({DEPTH})")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.rules:
        print(make(name, args.out, args.positions, args.depth))


if __name__ == "__main__":
    main()
