"""Many games, sockets and bad messages on one server, with figures; run by `make load`.

First so many sockets are open at once and each plays a game, then sockets send random and malformed messages. Last
people play, a move every one to four seconds, while others send as fast as the server reads what is known to hurt
(searches without end, openings that are not to be found, huge numbers, endless brackets, texts as long as may be), ask
without end and read nothing, or keep sockets open and do nothing, a third of the other sockets each.
Nothing may go wrong, people's moves are to be answered within a second, and afterwards the server must be as small,
as idle and as helpful as before.
"""

import argparse
import asyncio
import contextlib
import json
import random
import resource
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, cast

from support import running
from web_client import START, Line, Server, by_hand, pester, play, serving, talking

MOST_SECONDS, MOST_LATE = 1.0, 0.001
"""Until a move is answered, whatever others do, and the share of answers that may come later: people, enemies and the
server have the same few processors here."""
THINKING_SECONDS = 1.0, 4.0
"""Between two moves of a person."""


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


# --- people and their enemies -------------------------------------------------------------------------------------

_HUGE = "1" + "0" * 400
HOSTILE: tuple[str, ...] = (
    '{"id":1,"do":"new","rules":"standard 8x8","opening":"balanced(52)","seconds":0.001}',
    '{"id":2,"do":"new","rules":"standard 4x4","opening":"balanced(1)"}',
    '{"id":3,"do":"new","rules":"standard 16x16","opening":"balanced(150)"}',
    '{"id":4,"do":"agent","agent":"uct(playouts=' + "9" * 9900 + 'x)"}',
    '{"id":5,"do":"agent","agent":"' + "x(" * 4900 + '"}',
    '{"id":6,"do":"analyse","game":{"rules":"standard 8x8"},"seconds":' + _HUGE + "}",
    '{"id":7,"do":"think","game":{"rules":"standard 8x8"},"agent":"random","limits":{"seconds":' + "9" * 5000 + "}}",
    "[" * 20_000,
    '{"id":8,"do":"new","rules":"standard 8x8","seed":NaN}',
    '{"id":9,"do":"read","text":"' + "f5" * 9_900 + '"}',
    '{"id":14,"do":"hello","id":15}',
    '{"id":"\\ud800","do":"\\ud800"}',
)
ENDLESS: tuple[str, ...] = (
    '{"id":10,"do":"think","game":{"rules":"standard 8x8"},"agent":"minimax(depth=60, eval=five_terms)"}',
    '{"id":11,"do":"analyse","game":{"rules":"standard 8x8"}}',
    '{"id":12,"do":"tree","game":{"rules":"standard 16x16"},"playouts":1000000000}',
    '{"id":13,"do":"review","game":{"rules":"standard 8x8","moves":[19,18]},"seconds_per_move":100}',
)
"""What keeps the processors busy as long as it may."""
_UNREAD = '{"id":%d,"do":"state","all":true,"game":{"rules":"standard 8x8","moves":[19,18,17,9,1,0]}}'


@dataclass
class Waits:
    """How long people waited."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def share(self, part: float) -> float:
        """The wait that so many did not exceed."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


async def person(server: Server, seed: int, moves: int, agent: str, waits: Waits) -> None:
    """Somebody who plays against an agent and thinks a few seconds about every move."""
    rng = random.Random(seed)
    async with talking(server) as talk:
        game: dict[str, Any] = START | {"moves": []}
        await asyncio.sleep(rng.uniform(0, THINKING_SECONDS[1]))
        for number in range(moves):
            began = time.perf_counter()
            state = (await talk.ask(id=f"state {number}", do="state", game=game))[-1]
            waits.seconds.append(time.perf_counter() - began)
            if state["kind"] != "state" or state["state"]["over"]:
                waits.errors += [str(state)] if state["kind"] != "state" else []
                return
            began = time.perf_counter()
            reply = (await talk.ask(id=number, do="think", game=game, agent=agent, seed=seed))[-1]
            waits.seconds.append(time.perf_counter() - began)
            if reply["kind"] != "decision":
                waits.errors.append(str(reply))
                return
            game["moves"].append(reply["move"])
            await asyncio.sleep(rng.uniform(*THINKING_SECONDS))


async def enemy(server: Server, seed: int, messages: tuple[str, ...]) -> None:
    """Somebody who sends what hurts as fast as it is read, without end; comes back when cut off."""
    rng = random.Random(seed)
    while True:
        async with calling(server) as line, asyncio.TaskGroup() as group:
            line.writer.transport.set_write_buffer_limits(high=4096)
            reading = group.create_task(_read(line))
            with contextlib.suppress(ConnectionError):  # once the line is cut it would be raised without end
                while not reading.done():
                    line.send(rng.choice(messages) if rng.random() < 0.99 else "x" * 300_000)
                    if rng.random() < 0.1:
                        line.send(json.dumps({"id": "s", "do": "stop", "what": rng.randrange(1, 14)}))
                    await line.writer.drain()


@contextlib.asynccontextmanager
async def calling(server: Server) -> AsyncIterator[Line]:
    """A line to the server, which may be refused: then another, a moment later."""
    while True:
        try:
            line = await Line.open(server)
            break
        except (ConnectionError, asyncio.IncompleteReadError):
            await asyncio.sleep(0.1)
    try:
        yield line
    finally:
        line.close()


async def _read(line: Line) -> None:
    while await line.hear() is not None:
        pass


async def deaf(server: Server) -> None:
    """Somebody who asks as fast as it is read and never reads; comes back when cut off."""
    while True:
        async with calling(server) as line:
            line.writer.transport.pause_reading()  # type: ignore[attr-defined]
            line.writer.transport.set_write_buffer_limits(high=4096)
            number = 0
            with contextlib.suppress(ConnectionError):
                while not line.writer.is_closing():
                    number += 1
                    line.send(_UNREAD % number)
                    await line.writer.drain()


async def idle(server: Server) -> None:
    """Somebody who has the page open and does nothing."""
    async with by_hand(server) as line:
        await _read(line)


async def together(server: Server, games: int, sockets: int, moves: int, agent: str, endless: bool = True) -> Waits:
    """People play, on so many of the sockets; then others, in a process of their own, do what they can against it."""
    waits = Waits()
    command = [sys.executable, __file__, "--enemies-of", server.address, "--all-sockets", str(sockets - games)]
    command += ["--endless"] if endless else []
    people = asyncio.gather(*(person(server, seed, moves, agent, waits) for seed in range(games)))
    while len(waits.seconds) < 2 * games and not people.done():  # a first move of everybody
        await asyncio.sleep(0.1)
    with running(*command) as enemies:
        assert enemies.stdout is not None and enemies.stderr is not None
        assert enemies.stdout.readline(), enemies.stderr.read()
        await people
        waits.errors += [] if enemies.poll() is None else [f"the enemies gave up: {enemies.stderr.read()[-500:]}"]
    return waits


async def be_enemies(server: Server, sockets: int, endless: bool) -> None:
    """A third sends what hurts, a third does not read, a third is idle; until this process is ended."""
    third, messages = sockets // 3, HOSTILE + ENDLESS * endless
    everybody = [enemy(server, seed, messages) for seed in range(third)] + [deaf(server) for _ in range(third)]
    everybody += [idle(server) for _ in range(sockets - 2 * third)]
    say("here")
    await asyncio.gather(*everybody)
    await asyncio.Event().wait()


def allow_sockets(wanted: int) -> None:
    """As many open files as that, if the system lets us."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard) if hard > 0 else wanted, hard))


# --- all of it ----------------------------------------------------------------------------------------------------


def main() -> None:
    """Runs all three and prints the figures; fails if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--sockets", type=int, default=20)
    parser.add_argument("--all-sockets", type=int, default=1000)
    parser.add_argument("--moves", type=int, default=60)
    parser.add_argument("--rules", default="standard 8x8")
    parser.add_argument("--agent", default="uct(playouts=50)")
    parser.add_argument("--only-together", action="store_true", help="only the last part")
    parser.add_argument("--enemies-of", metavar="ADDRESS", help="only be the enemies of the server there")
    parser.add_argument("--endless", action="store_true", help="as enemies, ask for searches without end as well")
    args = parser.parse_args()
    allow_sockets(4096)
    if args.enemies_of:
        elsewhere = Server(args.enemies_of, cast("Any", None))  # the process is another's
        asyncio.run(be_enemies(elsewhere, args.all_sockets, args.endless))
    with serving() as server:
        asyncio.run(pester_together(server, 400, 4, seed=10**6))  # every thread and every kernel is there from now on
        settle(server)
        say(f"before: {server.threads} threads, {server.megabytes:.0f} MB")
        wrong = [] if args.only_together else games_and_messages(server, args)
        wrong += people_and_enemies(server, args)
        quiet = settle(server, 60.0)
        say(f"afterwards: {server.threads} threads, {server.megabytes:.0f} MB, {quiet:.0%} of a core")
        helpful = asyncio.run(is_helpful(server))
        assert server.process.poll() is None and helpful and quiet < 0.2 and not wrong, wrong[:3]
    say("nothing went wrong")


def games_and_messages(server: Server, args: argparse.Namespace) -> list[str]:
    """Games at once, then bad messages; what went wrong."""
    figures = asyncio.run(play_games(server, args.games, args.rules, args.agent))
    rate = figures.messages / figures.seconds
    say(
        f"{figures.games} games at once ({args.rules}, {args.agent}): {len(figures.errors)} errors, "
        f"{figures.messages} messages in {figures.seconds:.1f} s ({rate:.0f}/s), {figures.megabytes:.0f} MB"
    )
    quiet = settle(server)
    say(f"after the games: {server.threads} threads, {server.megabytes:.0f} MB, {quiet:.0%} of a core")
    for half in range(2):
        began = time.perf_counter()
        errors = asyncio.run(pester_together(server, args.messages // 2, args.sockets, seed=half * args.sockets))
        seconds = time.perf_counter() - began
        quiet = settle(server)
        say(
            f"{args.messages // 2} odd messages on {args.sockets} sockets in {seconds:.1f} s: {errors} errors sent "
            f"back, then {server.threads} threads, {server.megabytes:.0f} MB, {quiet:.0%} of a core"
        )
    return list(figures.errors)


def people_and_enemies(server: Server, args: argparse.Namespace) -> list[str]:
    """People alone for a while, then with their enemies, then with such as search without end; what went wrong.

    Hundreds who search without end leave less of two processors than people need, whoever goes first: those waits are
    told, not judged.
    """
    few, many = max(2, args.moves // 10), args.moves
    wrong = _served(server, args, args.games, few, endless=False)
    wrong += _served(server, args, args.all_sockets, many, endless=False)
    _served(server, args, args.all_sockets, many // 2, endless=True)
    return wrong


def _served(server: Server, args: argparse.Namespace, sockets: int, moves: int, endless: bool) -> list[str]:
    began, cpu = time.perf_counter(), server.cpu_seconds
    waits = asyncio.run(together(server, args.games, sockets, moves, args.agent, endless))
    seconds = time.perf_counter() - began
    late = [f"a wait of {wait:.2f} s" for wait in waits.seconds if wait > MOST_SECONDS]
    say(
        f"{args.games} people among {sockets} sockets{' that search without end' * endless} for {seconds:.0f} s: "
        f"{len(waits.seconds)} answers, {len(waits.errors)} errors; the waits: {waits.share(0.5):.3f} s in the middle, "
        f"{waits.share(0.99):.3f} s at 99 %, {waits.share(1):.3f} s at most, {len(late)} above {MOST_SECONDS:g} s; "
        f"{server.megabytes:.0f} MB, {server.threads} threads, {(server.cpu_seconds - cpu) / seconds:.1f} processors"
    )
    return waits.errors + (late if len(late) > MOST_LATE * len(waits.seconds) else [])


def say(line: str) -> None:
    """Prints a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
