"""Who reads the texts, and what must hold: an error of ours or a value that comes back when it is written and read."""

import os
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

import numpy as np

from golden_decisions import TEXTS
from outflank.agents import agent, canonical
from outflank.agents.registry import agent_signatures
from outflank.arena.openings import _from_line, _plies, read_openings
from outflank.arena.quick import match
from outflank.arena.store import Store
from outflank.arena.tournament import SETTINGS, plan_of, read_control, read_limits
from outflank.board import SIZES, Color, Position, Rules, moves_text, read_moves
from outflank.book import Book
from outflank.engines import GtpPlayer, NBoardPlayer
from outflank.engines.process import EngineProcess
from outflank.errors import EngineFailed, OutflankError
from outflank.evaluation import evaluation_signatures
from outflank.explorer import Explorer
from outflank.formats import (
    Problem,
    content_lines,
    ggf_value,
    read,
    read_all,
    read_ggf,
    read_obf,
    read_sgf,
    read_transcript,
    read_wthor,
    write_ggf,
    write_obf,
    write_sgf,
    write_transcript,
    write_wthor,
)
from outflank.formats.wthor_files import names_beside
from outflank.game import Game
from outflank.inputs import parse_toml
from outflank.interfaces.engine import PROTOCOLS, Lines
from outflank.interfaces.engine.lines import read_line
from outflank.interfaces.engine.seat import Seat
from outflank.learn.games import read_positions
from outflank.learn.selfplay import SelfPlay
from outflank.learn.space import read_space
from outflank.patterns import PatternWeights, pattern_set, read_weights
from outflank.search.limits import LIMIT, Limits
from outflank.search.networks import Network, Shape, read_network
from outflank.search.playouts import playout_signatures
from outflank.spec import parse
from outflank.studies.toml import study_from

CORPUS = Path(__file__).parent / "corpus"
_GAMES = 60


class Broken(Exception):
    """A property that does not hold."""


def same(one: object, other: object) -> None:
    """What was written and read again is what it was."""
    if one != other:
        raise Broken(f"{str(one)[:500]} came back as {str(other)[:500]}")


@dataclass(frozen=True)
class Target:
    """A reader with its examples; `read` raises an `OutflankError` where it refuses a text, and nothing else."""

    name: str
    read: Callable[[str], object]
    examples: Callable[[], Sequence[str]]
    words: Callable[[], Sequence[str]] = lambda: ()
    share: int = 1
    """Of the inputs of a run."""


# --- examples -----------------------------------------------------------------------------------------------------


@cache
def games() -> tuple[Game, ...]:
    """Random games of every size and variant, whole and cut short."""
    rng, found = random.Random(11), []
    for number in range(_GAMES):
        rules = Rules(rng.choice((4, 4, 6, 6, 8, 8, *SIZES)), "reversed" if number % 2 else "standard")
        game = Game(Position.start(rules))
        plies = rng.choice((2, 6, 12, 12, 60, 300))
        while len(game) < plies and game.end.moves:
            game = game.play(rng.choice(game.end.moves))
        found.append(game)
    return tuple(found)


def small_games() -> list[Game]:
    """Those that are quickly read."""
    return [game for game in games() if len(game) <= 12]


def kept(name: str) -> list[str]:
    """The texts of the corpus."""
    files = sorted((CORPUS / name).glob("*.txt")) if (CORPUS / name).is_dir() else []
    return [file.read_bytes().decode("utf-8", "surrogatepass") for file in files]


def option_words() -> list[str]:
    """Names of agents, evaluations, playouts and their options."""
    signatures = (*agent_signatures().values(), *evaluation_signatures().values(), *playout_signatures().values())
    return [word for each in signatures for word in (each.name, *(option.name for option in each.options))]


TOURNAMENT = """\
agents = ["random", "greedy", "minimax(depth=2)", "uct(playouts=50)"]
format = "gauntlet"
seeds = 2
sizes = [4, 6]
variants = ["standard", "reversed"]
pairs = 2
openings = "random(2)"
limits = ["nodes=1000", "nodes=500,seconds=0.1"]
clock = "60+0.5"
move_seconds = 2
stop_after = 30
stop_clock = "move"
stop_rule = "majority"
seed = 3
adjudicate = 8
"""
STUDY = """\
title = "Does depth pay?"
summary = "Minimax to depth 2 against 1."
citation = "a class"
[[pairings]]
name = "p"
a = "minimax(depth=2)"
b = "random"
games = 10
size = 6
variant = "standard"
openings = "random(2)"
quick_games = 2
[[printed]]
pairing = "p"
measure = "wins"
value = 0.8
games = 50
spread = 0.1
source = "page 5"
[[claims]]
text = "it does"
above = ["p"]
"""


def without_lines(text: str) -> list[str]:
    """A file, and what is left of it without each of its lines."""
    lines = text.splitlines(keepends=True)
    return [text, *("".join(lines[:at] + lines[at + 1 :]) for at in range(len(lines)))]


# --- readers ------------------------------------------------------------------------------------------------------


def _spec(text: str) -> None:
    call = parse(text)
    same(call, parse(str(call)))


def _agent(text: str) -> None:
    full = canonical(text)
    same(full, canonical(full))


def _limits(text: str) -> None:
    limits = read_limits(text)
    given = {name: value for name, value in asdict(limits).items() if value is not None}
    same(limits, read_limits(",".join(f"{name}={value}" for name, value in given.items())))


def _space(text: str) -> None:
    player = "minimax(depth=1, eval=five_terms)"
    space = read_space(player, text)
    same(space, read_space(player, space.over))
    same(space.values(space.start), space.values(space.start.clip(0, 1)))


def _clock(text: str) -> None:
    control = read_control({"clock": text})
    if control.game_seconds is not None:
        same(control, read_control({"clock": f"{control.game_seconds}+{control.increment}"}))


def _transcript(text: str) -> None:
    for start in (Position.start(Rules(4)), Position.start()):
        try:
            game = read_transcript(text, start)
        except OutflankError:
            if start.rules.size == 8:
                raise
        else:
            same(game.moves, read_transcript(write_transcript(game, passes=True), start).moves)
            same(game.moves, read_moves(moves_text(game.moves, passes=True), start.rules))
            return


def _position(text: str) -> None:
    position = Position.parse(text)
    same(position, Position.parse(position.line()))
    same(position, Position.parse(str(position)))


def _obf(text: str) -> None:
    problems = read_obf(text)
    same(problems, read_obf(write_obf(problems)))


def _ggf(text: str) -> None:
    for game in read_ggf(text):
        [back] = read_ggf(write_ggf(game))
        names = ggf_value(game.black) or "black", ggf_value(game.white) or "white"
        same(
            (game.start, game.moves, names, game.termination, game.points),
            (back.start, back.moves, (back.black, back.white), back.termination, back.points),
        )


def _sgf(text: str) -> None:
    for game in read_sgf(text):
        [back] = read_sgf(write_sgf(game))
        told = (
            (each.start, each.moves, each.black, each.white, each.termination, each.points, each.notes)
            for each in (game, back)
        )
        same(next(told), next(told))


def _wthor(text: str) -> None:
    """A file, a character for every byte; records come back as they were, the rest of a file does not count."""
    content = text.encode("latin-1", "replace")
    _wthor_names(content)
    games = read_wthor(content)
    for game in games:
        same(game.end, Game.of(None, game.moves).end)
    back = write_wthor(games).games
    same(back[16:], content[16 : len(back)])


@cache
def _scratch(kind: str) -> Path:
    """A directory of this process, in memory where possible: to make one for every text takes milliseconds."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    _DIRECTORIES.append(tempfile.TemporaryDirectory(prefix=f"fuzz-{kind}-", dir=memory))
    return Path(_DIRECTORIES[-1].name)


_DIRECTORIES: list[tempfile.TemporaryDirectory[str]] = []
"""Removed when the process ends."""


def _wthor_names(content: bytes) -> None:
    """Any bytes are names, as good as they go."""
    path = _scratch("wthor") / "WTH.wtb"
    for ending in (".jou", ".TRN"):
        path.with_suffix(ending).write_bytes(content)
    names = names_beside(path)
    assert all(name.isprintable() and len(name) <= 26 for kind in names for name in kind)


def _link(text: str) -> None:
    game = read(_no_file(text))
    if game.tags["format"] == "link":
        same(game.moves, read(write_sgf(game)).moves)


def _anything(text: str) -> None:
    game = read(_no_file(text))
    list(read_all(_no_file(text)))
    same(game.moves, read(write_ggf(game)).moves)
    same(game.moves, read(write_sgf(game)).moves)


def _no_file(text: str) -> str:
    """The same as two lines, so that it is never the name of a file."""
    return f"{text}\n"


def _rules(text: str) -> None:
    same(rules := Rules.parse(text), Rules.parse(str(rules)))


def _tournament(text: str) -> None:
    """Checked as a file is; openings that take long to make are left out, and few pairs are planned."""
    settings = parse_toml(text.encode("utf-8", "surrogatepass"), "cup.toml", "a tournament")
    given = SETTINGS.read(settings, "cup.toml")
    _openings(given["openings"])
    assert plan_of(settings | {"pairs": 1, "openings": "start"}, "cup.toml").games >= 2


def _study(text: str) -> None:
    study_from(parse_toml(text.encode("utf-8", "surrogatepass"), "study.toml", "a study"), "study")


def _openings(text: str) -> None:
    rules = Rules(6)
    if text.partition("(")[0].strip() in ("balanced", "ply"):
        _plies(parse(text), rules)  # these look at thousands of positions
    else:
        read_openings(text, rules, 2, 0)


def _opening_lines(text: str) -> None:
    for _, content in content_lines(text.splitlines()):
        _from_line(content, Rules(6))


class Script(EngineProcess):
    """A program that says what it was given and then ends."""

    def __init__(self, text: str) -> None:
        self.name = "script"
        self._lines: Iterator[str] = iter(text.splitlines())

    def send(self, line: str, seconds: float) -> None:
        """Says nothing."""

    def read(self, asked: str, deadline: float) -> str:
        """The next line."""
        line = next(self._lines, None)
        if line is None:
            raise EngineFailed("crash", f"ended when asked {asked}")
        return line

    def failed(self, kind: str, what: str) -> EngineFailed:
        """The error that the protocols raise."""
        return EngineFailed(kind, what)


_ASKED = Game.of(Position.start(), "f5")


def _gtp(text: str) -> None:
    player, process = GtpPlayer("program"), Script(text)
    player._greet(process)
    decision = player._decide(process, _ASKED, Limits(seconds=2))
    assert decision.move in _ASKED.end.moves


def _nboard(text: str) -> None:
    player, process = NBoardPlayer("program"), Script(text)
    player._greet(process)
    decision = player._decide(process, _ASKED, Limits())
    assert decision.move in _ASKED.end.moves and 0 <= decision.nodes < 10**19


def _gtp_server(text: str) -> None:
    """Every command has one answer, which begins with a sign and ends with an empty line."""
    said = _served("gtp", text)
    assert all(answer[:1] in ("=", "?") for answer in said.split("\n\n")[:-1]), said[:200]
    assert not said or said.endswith("\n\n")
    if "?" in (answer[:1] for answer in said.split("\n\n")):
        raise OutflankError("something was refused")


def _nboard_server(text: str) -> None:
    """Nothing is said but what the protocol has words for."""
    said = _served("nboard", text).splitlines()
    words = {"set", "status", "pong", "learned", "===", "search", "nodestats", "analysis"}
    assert all(line.split(" ")[0] in words for line in said), said[:10]
    if any(line.startswith("status") and "expected" in line for line in said):
        raise OutflankError("something was refused")


def _served(protocol: str, text: str) -> str:
    """What an agent answers to these lines; all else than our own errors is raised."""
    said: list[str] = []
    lines = Lines()
    lines.closed = True  # so that no thought is long
    server = PROTOCOLS[protocol](Seat(agent("random")), said.append, lines)
    stream = BytesIO(text.encode("utf-8", "surrogatepass"))
    while not server.over and (line := read_line(stream)) is not None:
        server.answer(line)
    return "".join(f"{each}\n" for each in said)


_GTP_COMMANDS = [
    "1 boardsize 6\n2 clear_board\n3 play b e4\n4 genmove w\n5 undo\n6 showboard\n8 komi 1\nquit\n",
    "set_game Reversed Othello\ntime_settings 60 5 1\ntime_left b 3 0\nreg_genmove b\nlist_commands\nname\n",
    "grhino-setup_board -XXO------------ X\n# comment\nplay w a1\nfinal_score\nkomi 0.5\nset_random_seed 7\n",
    "known_command play\nplay b f5\nplay w d6\nundo\nundo\nget_random_seed\n",
]
_NBOARD_LINES = [
    "nboard 2\nset depth 3\nset game (;TI[05:00/00:01]TY[4a]BO[4 ---- -O*- -*O- ---- *]B[b1//3];)\nping 1\ngo\n",
    "nboard 1\nF5\nD6/1.5/2\nmove C3//0.5\ngo\nlearn\nset contempt 5\nping 2\nquit\n",
    "set game (;TY[6]TB[1:00]TW[2:00:00]B[e4]W[C5];)\nmove PA\nmove f4/1/2\nping 3\n",
]
_GTP_ANSWERS = [
    "=1 play\ngenmove\nset_game\ntime_settings\ntime_left\n\n=2\n\n=3\n\n=4\n\n=5\n\n=6\n\n=7\n\n=8 f4\n\n=9 n\n\n",
    "banner\n= 1\n\n= 2\n\n= 3\n\n= 4\n\n=5\n\n=6\n\n=7\n\n= 8 D6\n\n= 9\n\n",
    "?1 unknown command\n\n=2\n\n=3\n\n=4\n\n=5\n\n=6\n\n=7\n\n=8 f6\n\n=9 f6\n\n=10 f6\n\n",
    "=1 play\ngenmove\n\n=2\n\n=3\n\n=4\n\n=5 d6\n\n=6 d6\n\n=7 d6\n\n",
]
_NBOARD_ANSWERS = [
    "set myname N\npong 1\npong 2\nsearch d6c3 1.3 0 12\nnodestats 5000 0.2\n=== D6/1.30/0.4\n",
    "pong 1\nstatus thinking\npong 1\npong 2\nbook f4 0 0 100% 7\nnodestats 12 1\n=== f4\n",
    "pong 1\npong 2\n=== f6 -12.00 3\n",
]


def _transcripts() -> list[str]:
    games = [game for game in small_games() if game.rules.size in (4, 8)]
    return ["1. b1 a1 2. a2", *(write_transcript(game, passes=bool(len(game) % 2)) for game in games)]


def _positions() -> list[str]:
    ends = [game.end for game in games() if game.rules.size <= 8]
    return [text for end in ends for text in (end.line(), str(end))]


def _obf_lines() -> list[str]:
    problems = [Problem(game.end, {move: ply for ply, move in enumerate(game.end.moves)}) for game in small_games()]
    return ["-----OX--XO----- X; b1:-10; a2:-10; % start\n", *(write_obf([problem]) for problem in problems)]


def _records() -> list[str]:
    two = "(;PB[a]TY[8];) x (;TY[4a]RE[-4:t]BO[4 ---- -O*- -*O- ---- *]B[b1/1.5/0.5]W[A1];)"
    return [two, *(write_ggf(game, clock=60) for game in small_games())]


def _sgf_records() -> list[str]:
    other = "(;FF[4]GM[2]RE[B+R]SZ[8]AB[e4][d5]AW[d4][e5]PL[B];B[fe]C[a \\] b]V[1.5];W[d6](;B[c3])(;B[c5]))"
    return [other, "(;GM[2];B[f5];W[d6]) x (;GM[2]SZ[4];B[b1])", *map(write_sgf, small_games())]


def _databases() -> list[str]:
    ended = [game if game.over else game.resign(Color.BLACK) for game in games() if game.rules == Rules()]
    return [write_wthor(some).games.decode("latin-1") for some in (ended[:1], ended[1:4], [])]


def _links() -> list[str]:
    start = "-----OX--XO-----+X"
    return [
        "http://127.0.0.1:8080/#view=analyse&rules=standard-8x8&moves=f5d6c3",
        f"#rules=reversed-4x4&start={start}&moves=b1a1",
        "#view=play&rules=standard-10x10",
    ]


def _whatever() -> list[str]:
    games = [game for game in small_games() if game.rules.size <= 8]
    forms = (write_ggf, write_sgf, str, lambda game: str(game.end), lambda game: repr(game.end))
    texts = [form(game) for game in games for form in forms]
    return [*texts, *(write_transcript(game, result=True) for game in games), *_links()]


def _opening_files() -> list[str]:
    of_size = [game for game in games() if game.rules == Rules(6)]
    return ["e4 # one\n% two\n\nc5", *(f"{game.end.line()}\n{moves_text(game.moves)}\n" for game in of_size)]


@cache
def _store() -> str:
    """A store of a few games, a character for every byte."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "games.db")
        match("random", "greedy", games=4, rules=Rules(4), openings="random(2)", store=path)
        return path.read_bytes().decode("latin-1")


def _stores(text: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "games.db")
        path.write_bytes(text.encode("latin-1", "replace"))
        with Store(path, reading=True) as store:
            store.problems()
            assert sum(1 for _ in store.games()) <= 4
            assert sum(1 for _ in store.outcomes()) <= 4


def _game_lines(text: str) -> None:
    found = read_positions(text.split("\n"), Rules(6))
    assert len(found) == len(found.labels) and (found.empties > 0).all()


def _lines_of_games() -> list[str]:
    return ["\n".join(SelfPlay(Rules(6), "random", (0, 4), seed=1).play(0, 3)), "30 -36 c2", "0 +0 c2b3\n1 2 c2"]


@cache
def _packed_weights() -> str:
    """A file of weights, a character for every byte."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "weights.npz")
        values = np.zeros((1, pattern_set(6).weights), np.int16)
        PatternWeights(Rules(6), values, {"rules": "standard 6x6"}).write(path)
        return path.read_bytes().decode("latin-1")


def _packed_index() -> str:
    """An index of games, a character for every byte."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "index.npz")
        unfinished = (game for game in small_games() if not game.end.is_over)
        Explorer.of((game.resign(Color.BLACK) for game in unfinished), Rules(4)).write(path)
        return path.read_bytes().decode("latin-1")


def _index(text: str) -> None:
    path = _scratch("indices") / "index.npz"
    path.write_bytes(text.encode("latin-1", "replace"))
    index = Explorer.read(path)
    index.at(Position.start(index.rules))


@cache
def _packed_network() -> str:
    """A file of a network, a character for every byte."""
    with tempfile.TemporaryDirectory() as directory:
        path, shape = Path(directory, "network.npz"), Shape(4, 16, 1)
        parts = {name: np.zeros(dims) for name, dims in shape.parts.items()}
        Network.of(Rules(4), shape, parts, {"network": "of zeros"}).write(path)
        return path.read_bytes().decode("latin-1")


def _network(text: str) -> None:
    path = _scratch("networks") / "network.npz"
    path.write_bytes(text.encode("latin-1", "replace"))
    network = read_network(path)
    network.write(path)
    back = read_network(path, network.rules)
    same((network.shape, network.weights.tolist()), (back.shape, back.weights.tolist()))
    network.build()


def _weights(text: str) -> None:
    path = _scratch("weights") / "weights.npz"
    path.write_bytes(text.encode("latin-1", "replace"))
    assert read_weights(path, Rules(6)).values.shape[1] == pattern_set(6).weights


_TEXTS = (*TEXTS, 'a(1, -2.5, "x \\"y\\"", [1, [2]], b(c=d), e=300ms)')
_LIMITS = ("nodes=1000,seconds=0.1", "depth=5", "playouts=7, nodes=3", "seconds=300ms")
_SPACES = ("mobility=0..60", "eval.discs[2]=-5..5, squares[b2]=-100..0", "win=log 1..2000000", "stability=log 1..1e2")
_CLOCKS = ("60+0.5", "60", "1e3", "0.5+0", " 7 + 2 ")
_OPENINGS = ("start", "random(3)", "ply(2)", "balanced(4)", "random(plies=2)")
_RULES = ("standard 8x8", "reversed 6x6")

_BOOK = "# rules: standard 6x6\nstart c2:-1.0\nc2 b2:+0.5 b4:-1.0 d2:+2.0\nc2d2 e1:+1.0 e2:-2.0 e3:+0.0 e4:+0.1\n"


_SMALL_BOOKS = ("# engine: engine #4\n# depth: 14 plies\n", "start c2:-1.0\n", "# rules: standard 6x6\nstart c2:+0.5\n")


def _book(text: str) -> None:
    book = Book.parse(text, Rules(6))
    same(str(Book.parse(str(book), Rules(6))), str(book))


TARGETS = {
    target.name: target
    for target in (
        Target("spec", _spec, lambda: _TEXTS, share=10),
        Target("agents", _agent, lambda: TEXTS, option_words, share=8),
        Target("limits", _limits, lambda: _LIMITS, lambda: [option.name for option in LIMIT.options], share=12),
        Target("spaces", _space, lambda: _SPACES, lambda: ["log ", "..", "[1]", "position", "="], share=4),
        Target("clocks", _clock, lambda: _CLOCKS, share=12),
        Target("transcripts", _transcript, _transcripts, share=10),
        Target("positions", _position, _positions, share=10),
        Target("obf", _obf, _obf_lines, share=8),
        Target("ggf", _ggf, _records, share=4),
        Target("sgf", _sgf, _sgf_records, lambda: ["GM[2]", "RE[", "AB[", "PL[", "SZ["], share=4),
        Target("wthor", _wthor, _databases, share=4),
        Target("links", _link, _links, lambda: ["rules=", "start=", "moves=", "%20", "&"], share=6),
        Target("anything", _anything, _whatever, share=3),
        Target("rules", _rules, lambda: _RULES, share=6),
        Target("tournaments", _tournament, lambda: without_lines(TOURNAMENT), option_words, share=1),
        Target("studies", _study, lambda: without_lines(STUDY), option_words, share=2),
        Target("openings", _openings, lambda: _OPENINGS, share=4),
        Target("opening_lines", _opening_lines, _opening_files, share=4),
        Target("game_lines", _game_lines, _lines_of_games, share=6),
        Target("indices", _index, lambda: [_packed_index()]),
        Target("books", _book, lambda: [_BOOK, *_SMALL_BOOKS], lambda: ["start", "c2", ":+1", "\n"], share=2),
        Target("weights", _weights, lambda: [_packed_weights()], share=2),
        Target("networks", _network, lambda: [_packed_network()]),
        Target("stores", _stores, lambda: [_store()]),
        Target("gtp", _gtp, lambda: _GTP_ANSWERS, lambda: ["pass", "resign", "d6", "f4", "f6"], share=3),
        Target(
            "gtp_server", _gtp_server, lambda: _GTP_COMMANDS, lambda: ["pass", "b", "w", "play", "undo", "16"], share=2
        ),
        Target(
            "nboard_server", _nboard_server, lambda: _NBOARD_LINES, lambda: ["set game", "move", "go", "PA"], share=2
        ),
        Target("nboard", _nboard, lambda: _NBOARD_ANSWERS, lambda: ["pong", "ping", "search", "==="], share=3),
    )
}
