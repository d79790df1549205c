"""How strong networks are: matches of `puct` with fixed opponents, and its play in solved positions of 6x6.

    python benchmarks/network_matches.py play NAME.jsonl [--variant reversed] [--networks DIRECTORY] [--seconds 150]
    python benchmarks/network_matches.py play NAME.jsonl --anchors --processes 1 --seconds 1500
    python benchmarks/network_matches.py show NAME.jsonl [--card NETWORK.npz]

Plays as much as the time allows, the most important first; every line of the file is a part of a match, and the parts
that it has are not played again. `--networks` has the networks that were kept along the way, for the curve. `--anchors`
plays the anchors alone, all of them side by side, so that no match is left out when the time is over. `show` adds the
parts up, and writes the matches of the package's network into the card of a file beside those that it has.
"""

import argparse
import json
import multiprocessing
import random
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from outflank import Color, Position, Rules, agent, match, solve
from outflank.arena.statistics.estimates import score
from outflank.arena.statistics.pairs import Tally
from outflank.board import VARIANTS, Variant
from outflank.search.networks import Network, read_network

Match = tuple[str, str, int, int]
"""Who plays whom, on which board, in how many games."""

TARGETS: list[Match] = [
    ("puct(playouts=400)", "uct(playouts=40000)", 8, 96),
    ("puct(playouts=100)", "uct(playouts=1000)", 6, 400),
]
ANCHORS: list[Match] = [
    ("puct(playouts=100)", "uct(playouts=1000)", 8, 96),
    ("puct(playouts=100)", "uct(playouts=10000)", 8, 96),
    ("puct(playouts=100)", "minimax(depth=4, eval=five_terms)", 8, 96),
    ("puct(playouts=100)", "engine(level=6)", 8, 96),
    ("puct(playouts=100)", "random", 8, 48),
    ("puct(playouts=100)", "random", 6, 96),
    ("puct(playouts=100)", "minimax(depth=4, eval=five_terms)", 6, 192),
    ("puct(playouts=100)", "uct(playouts=10000)", 6, 192),
    ("puct(playouts=100)", "engine(level=6)", 6, 192),
]
ROOTS: list[Match] = [
    ("puct(playouts=16)", "puct(playouts=16, root=puct)", 6, 384),
    ("puct(playouts=100)", "puct(playouts=100, root=puct)", 6, 192),
    ("puct(playouts=50)", "puct(playouts=50, root=puct)", 8, 96),
]
EQUAL: list[Match] = [
    ("puct(playouts=1000)", "uct(playouts=1000)", 6, 96),
    ("puct(seconds=0.05)", "uct(seconds=0.05)", 6, 96),
    ("puct(seconds=0.05)", "uct(seconds=0.05)", 8, 64),
]
CURVE_OPPONENTS = {6: "uct(playouts=1000)", 8: "uct(playouts=10000)"}
_CURVE_GAMES, _CHUNK = 64, 4
_PERFECT_PARTS, _PERFECT_CHUNK = 64, 4


# --- what there is to play -----------------------------------------------------------------------------------------


def tasks(variant: Variant, networks: str, anchors: bool) -> Iterator[dict[str, Any]]:
    """Parts of matches, each with a seed of its own; the most important first."""
    if anchors:
        yield from sorted(_parts(ANCHORS, variant), key=lambda part: int(part["seed"]))
        return
    yield from _parts(TARGETS, variant)
    yield from ({"perfect": number, "rules": str(Rules(6, variant))} for number in range(_PERFECT_PARTS))
    yield from _parts(ANCHORS, variant)
    yield from _parts(_curve(networks, variant) if networks else (), variant)
    yield from _parts([*EQUAL, *ROOTS], variant)


def _parts(matches: Iterable[Match], variant: Variant) -> Iterator[dict[str, Any]]:
    for a, b, size, games in matches:
        for seed in range(games // _CHUNK):
            yield {"a": a, "b": b, "rules": str(Rules(size, variant)), "seed": seed}


def _curve(networks: str, variant: Variant) -> Iterator[Match]:
    for size, opponent in CURVE_OPPONENTS.items():
        for file in sorted(Path(networks).glob(f"{variant}-{size}x{size}-*.npz")):
            yield f'puct(playouts=50, network="{file}")', opponent, size, _CURVE_GAMES


# --- playing -------------------------------------------------------------------------------------------------------


def play_part(a: str, b: str, rules: str, seed: int) -> dict[str, Any]:
    """A few games of a match."""
    tally = match(a, b, games=_CHUNK, rules=Rules.parse(rules), seed=1000 + seed).tally
    return {"wins": tally.wins, "draws": tally.draws, "losses": tally.losses, "counts": [int(n) for n in tally.counts]}


def solved_position(rules: Rules, seed: int) -> Position:
    """A position with 12 to 20 empty squares and a choice, from a random game."""
    chance = random.Random(seed)
    while True:
        position, empties = Position.start(rules), chance.randint(12, 20)
        while not position.is_over and position.empties > empties:
            position = position.play(chance.choice(position.moves))
        if len(position.moves) > 1:
            return position


def perfect_part(number: int, rules: str) -> dict[str, Any]:
    """Games of `puct` as the side to move against a perfect opponent, beside the result under best play."""
    found = []
    player, perfect = agent("puct(playouts=400)"), agent("solver(by=wdl, memory=16)")
    for game in range(_PERFECT_CHUNK):
        position = solved_position(Rules.parse(rules), 1000 * number + game)
        due, side, empties = result_for(position, position.turn), position.turn, position.empties
        kept = due == result_for(position.play(player.choose(position).move), side)
        while not position.is_over:
            mover = player if position.turn is side else perfect
            position = position.play(mover.choose(position).move)
        found.append({"empties": empties, "due": due, "got": result_for(position, side), "kept": kept})
    return {"found": found}


def result_for(position: Position, side: Color) -> int:
    """1, 0 or -1: the result for a side under best play of both."""
    if position.is_over:
        margin = position.score(side)
        return (margin > 0) - (margin < 0)
    score = solve(position, by="wdl", memory_mb=16).score
    assert score is not None
    return int(score if position.turn is side else -score)


def do(task: dict[str, Any]) -> dict[str, Any]:
    """One part of either kind, with its result."""
    try:
        found = perfect_part(task["perfect"], task["rules"]) if "perfect" in task else play_part(**task)
    except Exception as error:
        found = {"error": repr(error)}
    return task | found


def warm(task: tuple[str, Variant]) -> float:
    """Compiles an agent into the cache on disk."""
    began = time.perf_counter()
    for size in (6, 8):
        agent(task[0]).warm_up(Rules(size, task[1]))
    return time.perf_counter() - began


TEXTS = (
    "puct(playouts=4)",
    "uct(playouts=4)",
    "minimax(depth=2, eval=five_terms)",
    "engine(level=6)",
    "solver(nodes=50, by=wdl)",
)


def play(args: argparse.Namespace) -> None:
    """Plays what the file does not have."""
    began, file = time.perf_counter(), Path(args.file)
    texts: list[tuple[str, Variant]] = [(text, args.variant) for text in TEXTS]
    with multiprocessing.get_context("spawn").Pool(min(len(texts), args.processes)) as pool:
        print("compiled in", [round(seconds) for seconds in pool.map(warm, texts)], flush=True)
    for text in texts:
        warm(text)
    there = {_key(line) for line in _lines(file)} if file.exists() else set()
    left = [task for task in tasks(args.variant, args.networks, args.anchors) if _key(task) not in there]
    print(f"{time.perf_counter() - began:.0f} s, playing {len(left)} parts", flush=True)
    done = 0
    with multiprocessing.get_context("fork").Pool(args.processes) as pool, file.open("a") as out:
        for found in pool.imap_unordered(do, left):
            done += 1
            if "error" in found:
                print(found, flush=True)
            else:
                out.write(json.dumps(found) + "\n")
                out.flush()
            if time.perf_counter() - began > args.seconds:
                pool.terminate()
                break
    print(f"{done} of {len(left)} parts in {time.perf_counter() - began:.0f} s")


def _key(line: dict[str, Any]) -> str:
    return json.dumps([line.get(name) for name in ("a", "b", "rules", "seed", "perfect")])


def _lines(file: Path) -> list[dict[str, Any]]:
    """Every part once, though files may have been joined."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    return list({_key(line): line for line in lines}.values())


# --- what it came to -----------------------------------------------------------------------------------------------


def show(args: argparse.Namespace) -> None:
    """Adds up the parts of every match."""
    tallies: dict[tuple[str, str, str], Tally] = {}
    perfect: dict[str, list[dict[str, Any]]] = {}
    for line in _lines(Path(args.file)):
        if "perfect" in line:
            perfect.setdefault(line["rules"], []).extend(line["found"])
            continue
        key = (line["rules"], line["a"], line["b"])
        ll, ld, mid, wd, ww = line["counts"]
        part = Tally(line["wins"], line["draws"], line["losses"], (ll, ld, mid, wd, ww))
        tallies[key] = tallies.get(key, Tally()) + part
    for (rules, a, b), tally in tallies.items():
        print(f"{rules}: {a} against {b}, {tally.games} games: {score(tally.counts):.1%}")
    for rules, found in perfect.items():
        show_perfect(rules, found)
    if args.card:
        put_strength(Path(args.card), tallies)


def show_perfect(rules: str, found: list[dict[str, Any]]) -> None:
    """What was lost in solved positions."""
    lost = [(one["due"] - one["got"]) / 2 for one in found]
    mean = sum(lost) / len(lost)
    error = 1.96 * (sum((one - mean) ** 2 for one in lost) / len(lost) / len(lost)) ** 0.5
    due, got = (sum((1 + one[name]) / 2 for one in found) / len(found) for name in ("due", "got"))
    kept = sum(one["kept"] for one in found) / len(found)
    print(f"{rules}: {got:.3f} of {due:.3f} points a game in {len(found)} solved positions")
    print(f"{rules}: {mean:.1%} ± {error:.1%} of a point lost; the first move kept the result in {kept:.1%}")


def put_strength(path: Path, tallies: dict[tuple[str, str, str], Tally]) -> None:
    """Writes into a network's card what was played by its rules with the package's network; the rest of it stays."""
    network = read_network(path)
    found = {(one["player"], one["opponent"]): one for one in network.card.get("strength", ())}
    for (rules, a, b), tally in tallies.items():
        if rules == str(network.rules) and "network" not in a and "uct(" in a:
            estimate = score(tally.counts)
            ends = [None if end is None else round(end, 4) for end in (estimate.value, estimate.low, estimate.high)]
            counts = {"wins": tally.wins, "draws": tally.draws, "losses": tally.losses}
            found[a, b] = {"player": a, "opponent": b, **counts, "score": ends}
    card = {**network.card, "strength": list(found.values())}
    Network(network.rules, network.shape, network.weights, card).write(path)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    player = commands.add_parser("play")
    player.add_argument("file")
    player.add_argument("--variant", choices=VARIANTS, default="standard")
    player.add_argument("--networks", default="")
    player.add_argument("--anchors", action="store_true")
    player.add_argument("--seconds", type=float, default=150)
    player.add_argument("--processes", type=int, default=16)
    player.set_defaults(run=play)
    shower = commands.add_parser("show")
    shower.add_argument("file")
    shower.add_argument("--card", default="")
    shower.set_defaults(run=show)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
