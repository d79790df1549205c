"""How strong networks are: matches of `puct` with fixed opponents, and its play in solved positions of 6x6.

    python benchmarks/network_matches.py NAME.jsonl [--networks DIRECTORY] [--seconds 150] [--processes 16]

Plays as much as the time allows, the most important first; every line of the file is a part of a match.
"""

import argparse
import json
import multiprocessing
import random
import time
from pathlib import Path
from typing import Any

from outflank import Color, Position, Rules, agent, match, solve

SIX, EIGHT = Rules(6), Rules(8)
TEN_TIMES = [
    ("puct(playouts=100)", "uct(playouts=1000)", SIX, 400),
    ("puct(playouts=400)", "uct(playouts=40000)", EIGHT, 96),
]
ANCHORS = [
    (f"puct(playouts={playouts})", opponent, rules, games)
    for rules, playouts, opponent, games in [
        (SIX, 100, "random", 96),
        (SIX, 100, "minimax(depth=4, eval=five_terms)", 192),
        (SIX, 100, "uct(playouts=10000)", 192),
        (SIX, 100, "engine(level=6)", 192),
        (EIGHT, 100, "uct(playouts=1000)", 96),
        (EIGHT, 100, "uct(playouts=10000)", 96),
        (EIGHT, 100, "minimax(depth=4, eval=five_terms)", 96),
        (EIGHT, 100, "engine(level=6)", 96),
        (EIGHT, 100, "random", 48),
    ]
]
ROOTS = [
    ("puct(playouts=16)", "puct(playouts=16, root=puct)", SIX, 384),
    ("puct(playouts=100)", "puct(playouts=100, root=puct)", SIX, 192),
    ("puct(playouts=50)", "puct(playouts=50, root=puct)", EIGHT, 96),
]
EQUAL = [
    ("puct(playouts=1000)", "uct(playouts=1000)", SIX, 96),
    ("puct(seconds=0.05)", "uct(seconds=0.05)", SIX, 96),
    ("puct(seconds=0.05)", "uct(seconds=0.05)", EIGHT, 64),
]
CURVE = {SIX: (1, 2, 4, 8, 15), EIGHT: (3, 9, 18, 27)}
_CHUNK = 4


def tasks(networks: str) -> list[tuple[str, str, Rules, int]]:
    """Parts of matches, each with a seed of its own; the most important first."""
    found = []
    for group in (TEN_TIMES, ANCHORS, ROOTS, EQUAL):
        found += [(a, b, rules, seed) for a, b, rules, games in group for seed in range(games // _CHUNK)]
    for rules, rounds in CURVE.items() if networks else ():
        opponent = "uct(playouts=1000)" if rules == SIX else "uct(playouts=10000)"
        for number in rounds:
            file = f"{networks}/{str(rules).replace(' ', '-')}-{number:04}.npz"
            found += [(f'puct(playouts=50, network="{file}")', opponent, rules, seed) for seed in range(16)]
    return found


def play_part(task: tuple[str, str, Rules, int]) -> dict[str, Any]:
    """A few games of a match."""
    a, b, rules, seed = task
    tally = match(a, b, games=_CHUNK, rules=rules, seed=1000 + seed).tally
    counts = [int(number) for number in tally.counts]
    return {"a": a, "b": b, "rules": str(rules), "seed": seed, "wins": tally.wins, "draws": tally.draws,
            "losses": tally.losses, "counts": counts}  # fmt: skip


def solved_position(seed: int) -> Position:
    """A position of 6x6 with 12 to 20 empty squares and a choice, from a random game."""
    chance = random.Random(seed)
    while True:
        position, empties = Position.start(SIX), chance.randint(12, 20)
        while not position.is_over and position.empties > empties:
            position = position.play(chance.choice(position.moves))
        if len(position.moves) > 1:
            return position


def perfect_part(seed: int) -> dict[str, Any]:
    """Games of `puct` as the side to move against a perfect opponent, beside the result under best play."""
    found = []
    player, perfect = agent("puct(playouts=400)"), agent("solver(by=wdl, memory=16)")
    for number in range(4):
        position = solved_position(1000 * seed + number)
        due, side, empties = result_for(position, position.turn), position.turn, position.empties
        kept = due == result_for(position.play(player.choose(position).move), side)
        while not position.is_over:
            mover = player if position.turn is side else perfect
            position = position.play(mover.choose(position).move)
        found.append({"empties": empties, "due": due, "got": result_for(position, side), "kept": kept})
    return {"perfect": found}


def result_for(position: Position, side: Color) -> int:
    """1, 0 or -1: the result for a side under best play of both."""
    if position.is_over:
        margin = position.score(side)
        return (margin > 0) - (margin < 0)
    score = solve(position, by="wdl", memory_mb=16).score
    assert score is not None
    return int(score if position.turn is side else -score)


def do(task: Any) -> dict[str, Any]:
    """One part of either kind."""
    try:
        return perfect_part(task) if isinstance(task, int) else play_part(task)
    except Exception as error:
        return {"error": repr(error), "task": str(task)}


def warm(text: str) -> float:
    """Compiles an agent into the cache on disk."""
    began = time.perf_counter()
    for rules in (SIX, EIGHT):
        agent(text).warm_up(rules)
    return time.perf_counter() - began


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out")
    parser.add_argument("--networks", default="")
    parser.add_argument("--seconds", type=float, default=150)
    parser.add_argument("--processes", type=int, default=16)
    args = parser.parse_args()
    began = time.perf_counter()
    texts = [
        "puct(playouts=4)",
        "uct(playouts=4)",
        "minimax(depth=2, eval=five_terms)",
        "engine(level=6)",
        "solver(nodes=50, by=wdl)",
    ]
    with multiprocessing.get_context("spawn").Pool(len(texts)) as pool:
        print("compiled in", [round(seconds) for seconds in pool.map(warm, texts)], flush=True)
    for text in texts:
        warm(text)
    print(f"{time.perf_counter() - began:.0f} s, playing", flush=True)
    all_tasks: list[Any] = tasks(args.networks)
    first = sum(games // _CHUNK for *_, games in TEN_TIMES)
    all_tasks[first:first] = range(64)
    with multiprocessing.get_context("fork").Pool(args.processes) as pool, Path(args.out).open("w") as file:
        done = 0
        for found in pool.imap(do, all_tasks):
            done += 1
            file.write(json.dumps(found) + "\n")
            file.flush()
            if "error" in found:
                print(found, flush=True)
            if time.perf_counter() - began > args.seconds:
                pool.terminate()
                break
    print(f"{done} of {len(all_tasks)} parts in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
