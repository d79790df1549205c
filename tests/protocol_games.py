"""Games of Outflank against itself through GTP and NBoard, compared with the same games in process.

    python tests/protocol_games.py --games 1000

Run by `make protocols`. Every agent is a program of its own, `outflank engine`, that is told a position and moves as
any program is; every game must have the moves and the result that the two agents play in this process.
"""

import argparse
import json
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager

from outflank.agents import Agent, agent
from outflank.arena.openings import read_openings
from outflank.board import Rules
from outflank.game_loop import play_game

SEED = 5
PAIRINGS = [
    ("minimax(depth=3)", "minimax(depth=2, eval=positional)", "standard 8x8"),
    ("engine(nodes=400)", "uct(playouts=60)", "standard 8x8"),
    ("engine(depth=3, error=2)", "montecarlo(playouts=60)", "reversed 8x8"),
    ("uct(playouts=40, reuse=yes)", "minimax(nodes=300, ties=random)", "standard 6x6"),
    ("greedy", "random", "reversed 10x10"),
]
"""Limited by depth, nodes or playouts; some draw lots, some remember their game."""


@contextmanager
def served(text: str, protocol: str) -> Iterator[tuple[Callable[..., None], Callable[[], str]]]:
    """An agent as an engine: a function that sends it lines, and one that waits for its next line."""
    command = [sys.executable, "-m", "outflank", "engine", text, "--protocol", protocol]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin is not None and program.stdout is not None
        sent, heard = program.stdin, program.stdout

        def say(*lines: str) -> None:
            sent.write("".join(f"{line}\n" for line in lines))
            sent.flush()

        def hear() -> str:
            line = heard.readline()
            assert line, "it has ended"
            return line.rstrip("\n")

        try:
            yield say, hear
        finally:
            program.kill()


def through(text: str, protocol: str) -> Agent:
    """The agent that asks another program for the moves of this one."""
    command = shlex.join([sys.executable, "-m", "outflank", "engine", text, "--protocol", protocol, f"--seed={SEED}"])
    depth = ", depth=500" if protocol == "nboard" else ""
    return agent(f"{protocol}(cmd={json.dumps(command)}, timeout=3600, startup=3600{depth})")


def compare(pairing: int, protocol: str, games: int) -> int:
    """The number of games that are equal; an AssertionError for the first that is not."""
    first, second, rules = PAIRINGS[pairing]
    openings = read_openings("random(6)", Rules.parse(rules), games, SEED)
    with ExitStack() as opened:
        here = [opened.enter_context(closing(agent(text))) for text in (first, second)]
        there = [opened.enter_context(closing(through(text, protocol))) for text in (first, second)]
        for number, opening in enumerate(openings):
            start, black = opening.position, number % 2
            one, other = (play_game(both[black], both[1 - black], start, SEED) for both in (here, there))
            assert one.moves == other.moves and one.points == other.points, f"{start.line()}: {one} {other}"
    return len(openings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000, help="through each protocol")
    parser.add_argument("--protocols", nargs="+", choices=("gtp", "nboard"), default=("gtp", "nboard"))
    games = parser.parse_args().games
    for protocol in parser.parse_args().protocols:
        began, equal = time.perf_counter(), 0
        for pairing in range(len(PAIRINGS)):
            share = games // len(PAIRINGS) + (pairing < games % len(PAIRINGS))
            equal += compare(pairing, protocol, share)
        sys.stdout.write(f"{protocol}: {equal} games as in process, {time.perf_counter() - began:.0f} s\n")


if __name__ == "__main__":
    main()
