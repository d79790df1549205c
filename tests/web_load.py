"""Many games and many bad messages on one server, with figures; run by `make load`.

First so many sockets are open at once and each plays a game, then sockets send random and malformed messages. Nothing
may go wrong, and afterwards the server must be as small, as idle and as helpful as before.
"""

import argparse
import asyncio
import sys
import time
from dataclasses import dataclass

from web_client import Server, pester, play, serving, talking


@dataclass(frozen=True)
class Figures:
    """What a run came to."""

    games: int = 0
    messages: int = 0
    errors: tuple[str, ...] = ()
    seconds: float = 0.0
    megabytes: float = 0.0


async def play_games(server: Server, games: int, rules: str, agent: str) -> Figures:
    """So many games at the same time, each on a socket of its own; all are open before the first begins."""
    all_here = asyncio.Barrier(games)
    messages = 0

    async def one(seed: int) -> list[str]:
        nonlocal messages
        async with talking(server) as talk:
            await all_here.wait()
            wrong = await play(talk, rules, agent, seed)
            messages += talk.sent + talk.heard
            return wrong

    began = time.perf_counter()
    wrong = await asyncio.gather(*(one(seed) for seed in range(games)))
    errors = tuple(error for errors in wrong for error in errors)
    return Figures(games, messages, errors, time.perf_counter() - began, server.megabytes)


async def pester_together(server: Server, messages: int, sockets: int, seed: int) -> int:
    """Odd messages on several sockets at once; the number of errors that came back."""
    counts = await asyncio.gather(*(pester(server, messages // sockets, seed + i) for i in range(sockets)))
    return sum(counts)


async def is_helpful(server: Server) -> bool:
    """Whether a newcomer is served."""
    async with talking(server) as talk:
        game = {"rules": "standard 8x8", "moves": []}
        reply = (await talk.ask(id=1, do="think", game=game, agent="minimax(depth=2)"))[-1]
        return bool(reply["kind"] == "decision")


def settle(server: Server, seconds: float = 20.0) -> float:
    """Waits until the server is idle; the share of a core that it still uses."""
    deadline = time.perf_counter() + seconds
    share = server.busy(0.5)
    while share > 0.05 and time.perf_counter() < deadline:
        share = server.busy(0.5)
    return share


def main() -> None:
    """Runs both and prints the figures; fails if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--sockets", type=int, default=20)
    parser.add_argument("--rules", default="standard 8x8")
    parser.add_argument("--agent", default="uct(playouts=50)")
    args = parser.parse_args()
    with serving() as server:
        asyncio.run(pester_together(server, 400, 4, seed=10**6))  # every thread and every kernel is there from now on
        settle(server)
        say(f"before: {server.threads} threads, {server.megabytes:.0f} MB")
        figures = asyncio.run(play_games(server, args.games, args.rules, args.agent))
        rate = figures.messages / figures.seconds
        say(
            f"{figures.games} games at once ({args.rules}, {args.agent}): {len(figures.errors)} errors, "
            f"{figures.messages} messages in {figures.seconds:.1f} s ({rate:.0f}/s), {figures.megabytes:.0f} MB"
        )
        idle = settle(server)
        say(f"after the games: {server.threads} threads, {server.megabytes:.0f} MB, {idle:.0%} of a core")
        for half in range(2):
            began = time.perf_counter()
            errors = asyncio.run(pester_together(server, args.messages // 2, args.sockets, seed=half * args.sockets))
            seconds = time.perf_counter() - began
            idle = settle(server)
            say(
                f"{args.messages // 2} odd messages on {args.sockets} sockets in {seconds:.1f} s: {errors} errors sent "
                f"back, then {server.threads} threads, {server.megabytes:.0f} MB, {idle:.0%} of a core"
            )
        helpful = asyncio.run(is_helpful(server))
        assert server.process.poll() is None and helpful and idle < 0.2 and not figures.errors, figures.errors[:3]
    say("nothing went wrong")


def say(line: str) -> None:
    """Prints a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
