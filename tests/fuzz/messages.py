"""Messages of the page, mutated, against a real server: each is answered, soon, and the server stays small.

    PYTHONPATH=tests python -m fuzz.messages --count 1000000 --seed 0

A message begins as a good one, made from the fields that its verb accepts, and is then spoilt: other values, other
fields, other JSON, other bytes. What is asked of the server: every message is answered by an answer or a sentence
within `MOST_SECONDS`, or its line is closed with a reason; no traceback; memory below `MOST_MEGABYTES`. Searches that
take longer than `SEARCH_SECONDS` are stopped and counted from there.

Many sockets send at once, several messages each without waiting, so that a million messages take minutes.
"""

import argparse
import asyncio
import json
import random
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from outflank.interfaces.web.messages import BadMessage, Request
from outflank.interfaces.web.security import Caps
from outflank.interfaces.web.verbs import VERBS
from web_client import Line, Server, serving

MOST_SECONDS = 1.0
"""Until an answer; on a busy machine seconds of the server's processor, which other programs do not take."""
SEARCH_SECONDS = 0.1
"""Until a search is stopped."""
MOST_MEGABYTES = 1000.0
"""Of the server, resident."""

# --- good messages ------------------------------------------------------------------------------------------------

_RULES = ("standard 8x8", "reversed 6x6", "standard 4x4", "reversed 16x16", "standard 10x10")
_GAMES: tuple[dict[str, Any], ...] = (
    {"rules": "standard 8x8", "start": None, "moves": []},
    {"rules": "standard 8x8", "moves": [19, 18, 17, 9, 1]},
    {"rules": "reversed 4x4", "moves": [1]},
    {"rules": "standard 4x4", "start": "XXXXOOOXOOXXOO-- X", "moves": [16]},
    {"rules": "standard 4x4", "start": "OX-OXOO-XXXXXXX- O", "moves": [15]},
    {"rules": "standard 16x16", "start": None, "moves": []},
)
_AGENTS = (
    "random", "greedy", "greedy(ties=first)", "heuristic", "uct(playouts=20, c=0.7)", "minimax(depth=2)",
    "minimax(depth=1, eval=five_terms(aggregation=0), ties=random)", "montecarlo(playouts=2)", "solver(memory=1)",
    "tenshi(playouts=10)", "he-lin-minimax(1)", "minimax(depth=2, eval=terms(mobility=[5, 3]), order=mobility)",
    "uct(playouts=30, memory=1, reuse=yes, final=visits)", "minimax(depth=60, eval=five_terms)",
    "uct(playouts=1000000000)",
)  # fmt: skip
_TEXTS = (
    "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7d2b5a5a6a7g5e3b4c8g6g4c2e8d1", "-----OX--XO----- X b1a1", "1. f5 d6 2. c3",
    "(;GM[Othello]PC[x]PB[a]PW[b]TY[4a]RE[?]BO[4 -----O*--*O----- *]B[b1]W[a1];)", "-----OX--XO----- X; b1:+1;",
    "  a b c d\n1 - - - -\n2 - O X -\n3 - X O -\n4 - - - -\nblack to move", "F5 D6 pass C3", "(;(;(;", "f5" * 2000,
)  # fmt: skip
_GOOD: dict[str, tuple[Any, ...]] = {
    "rules": _RULES,
    "game": _GAMES,
    "agent": _AGENTS,
    "text": _TEXTS,
    "opening": ("start", "random(5)", "balanced(4)", "balanced(52)", "balanced(1)"),
    "seed": (0, 1, -(2**53), 2**53),
    "all": (False, True),
    "variant": ("standard", "reversed"),
    "size": (None, 4, 8, 10),
    "black": ("Ann", "]", "\\"),
    "white": ("Bob", "é\u0000"),
    "number": (0, 3, 7),
    "limits": (None, {}, {"seconds": 0.002}, {"nodes": 100, "playouts": 10}, {"depth": 1}),
    "left_seconds": (None, 0.01, 1e-9),
    "seconds": (0.001, 0.02, 1e-9),
    "playouts": (1, 500),
    "depth": (1, 2, 3),
    "empties": (4, 6),
    "seconds_per_move": (None, 0.0001, 1e-9),
    "what": (0, 1),
    "name": ("Ann", "é\u0000", "  "),
    "side": ("black", "white"),
    "mark": ("first", "\\"),
    "opening_plies": (0, 3, 256),
    "loser": (None, "black", "white"),
    "reason": ("resigned", "time"),
    "collection": ("", "games", "club.ggf"),
    "player": ("", "ada", "é"),
    "first_year": (None, 1985),
    "last_year": (None, 1990),
    "result": ("any", "black", "draw"),
    "move": (None, 19, 64),
    "offset": (0, 12),
}
_SEARCHES = frozenset(name for name, verb in VERBS.items() if verb.pool != "quick")
_FIELDS = {name: tuple(option.name for option in verb.accepts.options) for name, verb in VERBS.items()} | {
    "stop": ("what",)
}
_NEEDED = {name: {option.name for option in verb.accepts.options if option.needed} for name, verb in VERBS.items()}
_RARE = frozenset({"analyse", "review", "tree"})


def good_message(rng: random.Random, number: int) -> dict[str, Any]:
    """A message that ought to be understood."""
    verb = rng.choice(tuple(_FIELDS))
    if verb in _RARE and rng.random() < 0.8:
        verb = "state"
    message: dict[str, Any] = {"id": number, "do": verb}
    for name in _FIELDS[verb]:
        if name in _NEEDED.get(verb, ()) or rng.random() < 0.4:
            message[name] = rng.choice(_GOOD[name])
    return message


# --- spoilt ones --------------------------------------------------------------------------------------------------

_ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 64, 65, 255, 256, 2**31, -(2**63), 2**64, 10**30, 10**400, 0.5, -0.0, 1e308, 1e-320,
    "", " ", "a", "é\u0000", "\ud800", "😀", "x" * 3000, "9" * 5000, "(" * 900, "[" * 900,
    "uct(playouts=" + "9" * 900 + "x)",
    [], {}, [[[]]], [0] * 600, {"rules": 7}, {"moves": [[]]}, "/etc/passwd", "../..", "os:system", "NaN", "1e309",
    "minimax(depth=2.5)", "uct(c=1e309)", "uct(memory=1000000)", "random(yes)", "minimax(hash_mb=1e6)", "ply(9)",
)  # fmt: skip
_RAW_NUMBERS = (
    "NaN", "-Infinity", "Infinity", "1e400", "-1e400", "1" + "0" * 400, "9" * 5000, "0." + "1" * 3000, "1e-400",
    "01", "+1",
    "0x10", "1_000", "--1", "1e", ".5", "5.",
)  # fmt: skip
_RAW: tuple[str, ...] = (
    "", "{", "}", "[1]", "7", '"hello"', "null", "[" * 20_000, "{" * 20_000, '{"a":' * 10_000, "[[],[" * 5_000,
    "[" * 900 + "]" * 900, '{"id":1,"id":2,"do":"hello"}', '{"id":1,"do":"hello","do":"state"}', "\ufeff{}", "{}\x00",
    '{"id":1,"do":"hello"}{"id":2}', "{'id':1}", '{"id":1,"do":"hello",}', '{"id":"\\ud800","do":"hello"}',
)  # fmt: skip
_AGENT_BITS = (
    "(", ")", "[", "]", ",", "=", '"', "\\", " ", "uct", "minimax", "depth", "eval", "terms", "playouts", "1", "9" * 41,
    "-", ".", "1e9", "yes", "2s", "300ms", ":", "#1", "é",
)  # fmt: skip


def _spoil_value(rng: random.Random, message: dict[str, Any]) -> None:
    name = rng.choice(tuple(message))
    if name == "game" and isinstance(message["game"], dict) and rng.random() < 0.7:
        inner = dict(message["game"])
        inner[rng.choice(("rules", "start", "moves", "more"))] = rng.choice(_ODD)
        message["game"] = inner
    else:
        message[name] = rng.choice(_ODD)


def _spoil_field(rng: random.Random, message: dict[str, Any]) -> None:
    if rng.random() < 0.5:
        message.pop(rng.choice(tuple(message)))
    else:
        message[rng.choice((*_GOOD, "", "é", "x" * 200))] = rng.choice(_ODD)


def _spoil_text(rng: random.Random, message: dict[str, Any]) -> None:
    """Edits a text inside a message."""
    for name in ("agent", "text", "opening", "rules"):
        if isinstance(message.get(name), str):
            message[name] = _edited(rng, message[name], _AGENT_BITS)
    if isinstance(message.get("game"), dict) and rng.random() < 0.5:
        moves = message["game"].get("moves")
        moves = moves if isinstance(moves, list) else [19]
        message["game"] = message["game"] | {"moves": [*moves[: rng.randrange(6)], rng.randrange(-1, 258)]}


def _edited(rng: random.Random, text: str, bits: tuple[str, ...]) -> str:
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(text) + 1)
        to = min(len(text), at + rng.randrange(6))
        piece = rng.choice((rng.choice(bits), text[at:to] * 2, ""))
        text = text[:at] + piece + text[to:]
    return text


def _spoil_json(rng: random.Random, text: str) -> str:
    """Edits a message as it is written."""
    kind = rng.random()
    if kind < 0.4:
        return _edited(
            rng, text, ("{", "}", "[", "]", ":", ",", '"', "\\", "\\u0000", "\\ud83d", "null", "é", "\x00", "\n")
        )
    if kind < 0.7:
        head, _, tail = text.partition(":")
        return f"{head}:{rng.choice(_RAW_NUMBERS)},{tail.partition(',')[2]}"
    if kind < 0.85:
        return text[:-1] + f', "{rng.choice((*_GOOD, "id", "do"))}": {rng.choice(_RAW_NUMBERS)}}}'
    return text[: rng.randrange(len(text))]


_LONG = (
    '{"id":7,"do":"read","text":"' + "f5" * 29_000 + '"}',
    '{"id":7,"do":"read","text":"' + "(;" * 29_000 + '"}',
    '{"id":7,"do":"read","text":"' + "- " * 29_000 + '"}',
    '{"id":7,"do":"agent","agent":"uct(playouts=' + "9" * 9_900 + 'x)"}',
    '{"id":7,"do":"agent","agent":"uct(' + "a=1," * 2_400 + ')"}',
    '{"id":7,"do":"agent","agent":"' + "[" * 9_900 + '"}',
    '{"id":7,"do":"agent","agent":"' + "x(" * 4_900 + '"}',
    '{"id":7,"do":"agent","agent":"' + " " * 9_999 + '"}',
    '{"id":7,"do":"state","game":{"rules":"standard 8x8","moves":[' + "19," * 15_000 + "19]}}",
    '{"id":7,"do":"state","game":' + '{"rules":' * 6_000 + "1" + "}" * 6_000 + "}",
    '{"id":7,"do":"hello",' + ",".join(f'"{at}":{at}' for at in range(5_000)) + "}",
    '{"id":7,"do":"hello","x":"' + "\\u00e9" * 10_000 + '"}',
    '{"id":7,"do":"read","text":"' + "f5" * 40_000 + '"}',
)


def message(rng: random.Random, number: int) -> str | bytes:
    """A message that is wrong in some way, or perhaps right; bytes are sent as a binary message."""
    kind = rng.random()
    if kind < 0.005:
        return rng.randbytes(rng.randrange(200))
    if kind < 0.015:
        return rng.choice(_RAW)
    if kind < 0.017:
        return rng.choice(_LONG)
    if kind < 0.03:
        return json.dumps(rng.choice(_ODD))
    made = good_message(rng, number)
    if kind < 0.25:
        return json.dumps(made)
    for spoil in rng.sample((_spoil_value, _spoil_field, _spoil_text), rng.randrange(1, 3)):
        if made:
            spoil(rng, made)
    text = json.dumps(made)
    return _spoil_json(rng, text) if rng.random() < 0.3 else text


def messages(seed: int) -> Iterator[str | bytes]:
    """Messages without end, the same for the same seed."""
    rng = random.Random(seed)
    number = 0
    while True:
        number += 1
        yield message(rng, number)


def id_of(text: str | bytes) -> tuple[Any, bool]:
    """(the id that the answer will have, whether a search may be meant that only a stop ends)."""
    if isinstance(text, bytes) or len(text) > Caps().message_bytes:
        return None, False
    try:
        request = Request.read(text)
    except BadMessage:
        return None, False
    is_search = isinstance(request.verb, str) and request.verb in _SEARCHES
    return request.id, is_search and request.id is not None


# --- the property -------------------------------------------------------------------------------------------------


@dataclass
class Findings:
    """What a run came to."""

    answered: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    slowest: list[tuple[float, str]] = field(default_factory=list)
    """The slowest answers and what was asked."""
    megabytes: float = 0.0
    cpu: float = 0.0
    """Seconds of a processor that the server has used so far, looked at now and then."""
    longest_work: float = 0.0
    """Seconds of a processor that the server used at most between a message and its answer."""
    wrong: list[str] = field(default_factory=list)
    """What broke the property."""

    def took(self, seconds: float, asked: str) -> None:
        """Counts an answer."""
        self.answered += 1
        if len(self.slowest) < 5 or seconds > self.slowest[-1][0]:
            self.slowest = sorted([*self.slowest, (seconds, asked[:300])], reverse=True)[:5]


_PATIENCE = 60.0
"""Seconds after which an answer is taken to be lost, on a busy machine too."""


class Sender:
    """One socket that sends some of the messages, several at a time, and checks the answers."""

    PER_SECOND = 0.9
    """Of what the server allows a page."""

    def __init__(self, server: Server, findings: Findings, window: int) -> None:
        self.server, self.findings, self.window = server, findings, window
        self.open: dict[Any, deque[tuple[float, float, str]]] = {}
        self.under_way = 0
        self.room = asyncio.Event()
        self.closed = False
        self.searching: deque[tuple[float, Any]] = deque()

    async def run(self, count: int, seed: int) -> None:
        """Sends so many messages and waits for the answers to all of them."""
        self.line, self.heard = await Line.open(self.server), time.monotonic()
        hearing = asyncio.create_task(self._hear())
        caps, begin = Caps(), time.monotonic()
        sent = size = 0
        for text, _ in zip(messages(seed), range(count), strict=False):
            await self._wait_for_room()
            if self.closed:
                return
            ahead = sent / (self.PER_SECOND * caps.messages_per_second) - (time.monotonic() - begin)
            ahead = max(
                ahead,
                (size - caps.burst_bytes / 2) / (self.PER_SECOND * caps.bytes_per_second) - (time.monotonic() - begin),
            )
            if ahead > 0:
                await asyncio.sleep(ahead)
            self._send(text)
            sent, size = sent + 1, size + len(text)
            self._stop_searches()
        while self.under_way and not self.closed:
            await asyncio.sleep(SEARCH_SECONDS / 4)
            self._stop_searches()
        hearing.cancel()
        self.line.close()

    async def _wait_for_room(self, most: int | None = None) -> None:
        most = self.window - 1 if most is None else most
        while self.under_way > most and not self.closed:
            self.room.clear()
            try:
                await asyncio.wait_for(self.room.wait(), SEARCH_SECONDS)
            except TimeoutError:
                self._stop_searches()
                if time.monotonic() - self.heard < _PATIENCE:
                    continue
                self.findings.wrong.append(
                    f"no answer to {[text for open_ in self.open.values() for *_, text in open_][:3]}"
                )
                self.open.clear()
                self.under_way = 0

    def _stop_searches(self) -> None:
        """Stops what has searched for a while; its answer is expected from now on."""
        now = time.monotonic()
        while self.searching and self.searching[0][0] < now - SEARCH_SECONDS:
            _, number = self.searching.popleft()
            if number in self.open:
                self.open[number] = deque((now, self.findings.cpu, asked) for *_, asked in self.open[number])
                self._send(json.dumps({"id": f"stop {number}", "do": "stop", "what": number}))

    def _send(self, text: str | bytes) -> None:
        number, is_search = id_of(text)
        shown = text if isinstance(text, str) else repr(text)
        self.open.setdefault(number, deque()).append((time.monotonic(), self.findings.cpu, shown))
        if is_search:
            self.searching.append((time.monotonic(), number))
        self.under_way += 1
        self.line.send(text)

    async def _hear(self) -> None:
        while (heard := await self.line.hear()) is not None:
            if b'"last":' not in heard:
                continue
            reply = json.loads(heard)
            if reply.get("last"):
                self._check(reply)
        latest = [text[:100] for open_ in self.open.values() for *_, text in open_]
        self.findings.wrong.append(f"the line was closed ({self.line.reason}) after {latest}")
        self.closed = True
        self.room.set()

    def _check(self, reply: dict[str, Any]) -> None:
        number = reply["id"]
        waiting = self.open.get(number)
        if not waiting:
            self.findings.wrong.append(f"an answer to nothing: {str(reply)[:300]}")
            return
        began, cpu, asked = waiting.popleft()
        if not waiting:
            del self.open[number]
        self.under_way -= 1
        self.heard = time.monotonic()
        self.room.set()
        seconds = time.monotonic() - began
        self.findings.took(seconds, asked)
        self.findings.kinds[reply["kind"]] += 1
        problem = reply.get("message", "") if reply["kind"] == "error" else ""
        if reply["kind"] == "error" and (not problem or "could not be answered" in problem or len(problem) > 5000):
            self.findings.wrong.append(f"{problem[:300]!r} to {asked[:300]!r}")
        worked = self.findings.cpu - cpu
        self.findings.longest_work = max(self.findings.longest_work, worked)
        if seconds > MOST_SECONDS and worked > MOST_SECONDS:
            self.findings.wrong.append(f"{seconds:.2f} s for {asked[:300]!r}")


async def attack(server: Server, count: int, seed: int, sockets: int, window: int = 4) -> Findings:
    """So many messages on several sockets."""
    findings = Findings()
    senders = [Sender(server, findings, window) for _ in range(sockets)]

    async def watch() -> None:
        while True:
            findings.megabytes, findings.cpu = max(findings.megabytes, server.megabytes), server.cpu_seconds
            await asyncio.sleep(0.05)

    watching = asyncio.create_task(watch())
    share = -(-count // sockets)
    await asyncio.gather(*(sender.run(share, seed * 1_000_003 + at) for at, sender in enumerate(senders)))
    findings.megabytes = max(findings.megabytes, server.megabytes)
    watching.cancel()
    if findings.megabytes > MOST_MEGABYTES:
        findings.wrong.append(f"{findings.megabytes:.0f} MB")
    return findings


def warm_up(server: Server) -> None:
    """Compiles what messages ask for, which no property counts: a few thousand good ones."""

    async def ask() -> None:
        line = await Line.open(server)
        asked = 0
        for verb in VERBS:
            for game in _GAMES:
                for agent in _AGENTS if verb in ("think", "analyse") else _AGENTS[:1]:
                    fields = {
                        "game": game,
                        "agent": agent,
                        "rules": game["rules"],
                        "opening": "balanced(4)",
                        "text": "f5",
                    }
                    fields |= {"number": 1, "depth": 1, "limits": {"seconds": 0.01}, "seconds": 0.01, "playouts": 10}
                    known = {name: value for name, value in fields.items() if name in _FIELDS[verb]}
                    asked += 1
                    line.send(json.dumps({"id": asked, "do": verb, **known}))
                    while (heard := await line.hear()) is not None and b'"last":' not in heard:
                        pass
                    assert heard is not None, (line.reason, verb, agent, game)
        line.close()

    asyncio.run(ask())


def main(count: int, seed: int, sockets: int = 60) -> int:
    """Runs the attack with figures; the exit code."""
    with serving() as server:
        warm_up(server)
        say(f"warm: {server.megabytes:.0f} MB, {server.threads} threads")
        began, cpu = time.monotonic(), server.cpu_seconds
        findings = asyncio.run(attack(server, count, seed, sockets))
        seconds = time.monotonic() - began
        say(
            f"{findings.answered} messages answered on {sockets} sockets in {seconds:.0f} s, "
            f"{findings.answered / seconds:.0f}/s"
        )
        say(
            f"the server: {server.cpu_seconds - cpu:.0f} s of a processor, {findings.longest_work:.2f} s at most "
            f"between a message and its answer; {findings.megabytes:.0f} MB at most"
        )
        say(", ".join(f"{number} {kind}" for kind, number in findings.kinds.most_common()))
        for took, asked in findings.slowest:
            say(f"{took:.3f} s: {asked[:120]!r}")
        server.process.terminate()
        _, errors = server.process.communicate()
        findings.wrong += [f"the server wrote: {errors[-2000:]}"] if "Traceback" in errors else []
        for problem in [*findings.wrong[-1:], *findings.wrong[:10]]:
            say(f"WRONG: {problem}")
    say("nothing was found" if not findings.wrong else f"{len(findings.wrong)} found")
    return 1 if findings.wrong else 0


def say(line: str) -> None:
    """Prints a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sockets", type=int, default=60)
    args = parser.parse_args()
    sys.exit(main(args.count, args.seed, args.sockets))
