"""A program that speaks GTP or NBoard and misbehaves as asked, for the tests of external engines.

    python scripted_engine.py gtp|nboard [--illegal] [--crash-on-go] [--stall] …

It knows the rules from `naive.py` alone, so that a whole game against it also compares two accounts of the rules. As
gtp-rhino does, it refuses a written pass and passes by itself, unless told `--written-passes`.
"""

import argparse
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import naive

SIDES = {"b": "X", "black": "X", "w": "O", "white": "O"}


class Engine:
    """The board, the side to move and the switches."""

    def __init__(self, switches: argparse.Namespace) -> None:
        self.switches = switches
        self.random = random.Random(switches.seed)
        self.board, self.side = naive.start(8), "X"
        self.told: list[str] = []

    def name(self, square: int) -> str:
        size = len(self.board)
        return "pass" if square == size * size else f"{chr(ord('a') + square % size)}{square // size + 1}"

    def square(self, name: str) -> int:
        size = len(self.board)
        return size * size if name.lower() in ("pass", "pa") else ord(name[0].lower()) - 97 + size * (int(name[1:]) - 1)

    def must_pass(self) -> bool:
        return not naive.legal_moves(self.board, self.side) and not naive.is_over(self.board)

    def place(self, square: int) -> None:
        self.board = naive.play(self.board, self.side, square)
        self.side = naive.OTHER[self.side]

    def choose(self) -> str:
        """The move of the side to move, good or bad."""
        switches = self.switches
        if switches.crash_on_go:
            say_error("Segmentation fault, core dumped")
            sys.exit(7)
        if switches.stall:
            say_error("thinking about it")
            time.sleep(3600)
        if switches.endless_output:
            say("= and so on" if switches.protocol == "gtp" else "status and so on")
            while True:
                sys.stdout.write("search F5 0 0 1\n" * 1000)
        if switches.huge_line:
            while True:
                sys.stdout.write("x" * 100_000)
        if switches.garbage:
            return "wibble wobble"
        legal = naive.legal_moves(self.board, self.side)
        if switches.illegal:
            return self.name(next(square for square in range(64) if square not in legal))
        if switches.wrong_colour:
            other = naive.legal_moves(self.board, naive.OTHER[self.side])
            return self.name(next(square for square in other if square not in legal))
        return self.name(self.random.choice(legal)) if legal else "pass"


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def say_error(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


# --- GTP ------------------------------------------------------------------------------------------------------


def gtp(engine: Engine) -> None:
    for line in sys.stdin:
        number, command, *words = line.split()
        good, text = GTP[command](engine, words) if command in GTP else (False, "unknown command")
        engine.told.append(" ".join([command, *words]))
        if engine.switches.wrong_id and command == "genmove":
            number = "9" + number
        if engine.switches.garbage and command == "genmove":
            say(text)
        say(f"{'=' if good else '?'}{' ' if engine.switches.like_edax else ''}{number} {text}\n")
        if command == "quit" and not engine.switches.refuse_quit:
            return


Reply = tuple[bool, str]


def gtp_size(engine: Engine, words: list[str]) -> Reply:
    size = int(words[0])
    if size not in engine.switches.sizes:
        return False, "unacceptable size"
    engine.board = naive.start(size)
    return True, ""


def gtp_clear(engine: Engine, words: list[str]) -> Reply:
    engine.board, engine.side = naive.start(len(engine.board)), "X"
    return True, ""


def gtp_play(engine: Engine, words: list[str]) -> Reply:
    side, square = SIDES[words[0]], engine.square(words[1])
    if square == len(engine.board) ** 2:
        if not engine.switches.written_passes or not engine.must_pass() or side != engine.side:
            return False, "syntax error"
        engine.side = naive.OTHER[engine.side]
        return True, ""
    if engine.must_pass() and not engine.switches.written_passes:
        engine.side = naive.OTHER[engine.side]
    if side != engine.side or square not in naive.legal_moves(engine.board, side):
        return False, "illegal move"
    engine.place(square)
    return True, ""


def gtp_genmove(engine: Engine, words: list[str]) -> Reply:
    if engine.must_pass() and SIDES[words[0]] != engine.side and not engine.switches.written_passes:
        engine.side = naive.OTHER[engine.side]
    if SIDES[words[0]] != engine.side:
        return False, "wrong color"
    name = engine.choose()
    if not re.fullmatch(r"[a-p]\d+", name):
        engine.side = naive.OTHER[engine.side]
    elif engine.square(name) in naive.legal_moves(engine.board, engine.side):
        engine.place(engine.square(name))
    return True, name.upper()


GTP: dict[str, Callable[[Engine, list[str]], Reply]] = {
    "list_commands": lambda engine, words: (True, "\n".join(GTP)),
    "name": lambda engine, words: (True, "scripted"),
    "set_game": lambda engine, words: (words in (["Othello"], ["Anti", "Othello"]), ""),
    "list_games": lambda engine, words: (True, "Othello" + "\nAnti Othello" * engine.switches.anti),
    "boardsize": gtp_size,
    "clear_board": gtp_clear,
    "play": gtp_play,
    "genmove": gtp_genmove,
    "time_settings": lambda engine, words: (True, ""),
    "time_left": lambda engine, words: (True, ""),
    "told": lambda engine, words: (True, "\n".join(engine.told)),
    "quit": lambda engine, words: (True, ""),
}


# --- NBoard ---------------------------------------------------------------------------------------------------


def nboard(engine: Engine) -> None:
    for line in sys.stdin:
        command, *words = line.split()
        engine.told.append(line.strip())
        if command == "quit" and not engine.switches.refuse_quit:
            return
        if command == "ping":
            say("status nobody asked for this")
            say(f"pong {'9' if engine.switches.wrong_id else ''}{words[0]}")
        elif line.startswith("set game"):
            read_ggf(engine, line)
        elif command == "go":
            go(engine)


def read_ggf(engine: Engine, text: str) -> None:
    tags = re.findall(r"([A-Z]+)\[(.*?)\]", text)
    size, cells, side = dict(tags)["BO"].split()
    assert len(cells) == int(size) ** 2 and dict(tags)["TY"].rstrip("a") == size
    engine.board, engine.side = naive.from_line(f"{cells.replace('*', 'X')} {side.replace('*', 'X')}")
    for tag, value in tags:
        if tag in ("B", "W"):
            assert SIDES[tag.lower()] == engine.side, "colours do not alternate"
            if value == "PA":
                assert engine.must_pass()
                engine.side = naive.OTHER[engine.side]
            else:
                assert engine.square(value) in naive.legal_moves(engine.board, engine.side)
                engine.place(engine.square(value))


def go(engine: Engine) -> None:
    name = engine.choose()
    say("status thinking")
    say(f"search {name.upper().replace(' ', '')} 1.50 0 12")
    say("nodestats 4711 0.02")
    if engine.switches.like_edax:
        say(f"=== {'ps' if name == 'pass' else name} -1.00 0.0")
    else:
        say(f"=== {'PA' if name == 'pass' else name.upper()}/1.50/0.02")


# --- the program ----------------------------------------------------------------------------------------------

SWITCHES = (
    "illegal", "crash-on-go", "stall", "garbage", "endless-output", "huge-line", "wrong-colour", "wrong-id",
    "refuse-quit", "crash-at-start", "slow-start", "with-child", "deaf", "banner", "like-edax", "written-passes",
    "anti",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("protocol", choices=("gtp", "nboard"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=[8])
    for switch in SWITCHES:
        parser.add_argument(f"--{switch}", action="store_true")
    switches = parser.parse_args()
    if switches.crash_at_start:
        raise SystemExit("cannot load eval.dat")
    if switches.slow_start or switches.deaf:
        time.sleep(3600)
    if switches.refuse_quit:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if switches.with_child:
        subprocess.Popen(["sleep", "3600"])
    if switches.banner:
        say("Scripted Engine 1.0\ncopyright nobody")
    {"gtp": gtp, "nboard": nboard}[switches.protocol](Engine(switches))
    if switches.refuse_quit:
        time.sleep(3600)


if __name__ == "__main__":
    main()
