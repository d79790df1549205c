"""Games of an agent against itself into a file of many games: no database, nothing kept but moves and results.

Game number i of a seed is the same on any number of workers. Games are written in blocks of fixed size: a file is what
its command says, byte for byte, however often it was interrupted, and what was torn is cut off and written again. In
`.xz` a block is a stream of its own, so that a file can be appended to. Beside the file lies its card, `FILE.json`,
which says who played; another command does not go on with it.

Random moves, and minimax of a few plies on trained patterns, are played by a kernel at thousands of games a second
(`kernels/selfplay.py`); every other agent plays by the usual game loop.
"""

import json
import lzma
import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from outflank.agents import agent, identity
from outflank.agents.registry import is_own, spelled_out
from outflank.arena.schedule import MOST_SEED
from outflank.board import Position, Rules, moves_text
from outflank.errors import BadSpec, OutflankError
from outflank.execute import Executor, Job, Lost, Task
from outflank.game import Game, Termination
from outflank.game_loop import play_game
from outflank.inputs import expect, file_name, put_file, shown
from outflank.kernels.jit import Word
from outflank.kernels.selfplay import NO_SQUARE, Player, play_games
from outflank.learn.resume import check_same, read_facts
from outflank.patterns import PatternWeights, pattern_set, shipped_weights
from outflank.progress import Progress
from outflank.spec import parse

MOST_GAMES = 10**9
_MOST_NATIVE_DEPTH, _MOST_NATIVE_ENDGAME = 3, 10
_PRIZE = 1
"""Empty squares count for the winner."""
_PIECE = 1 << 20
"""Bytes of a file that are looked at together."""


def default_agent(rules: Rules) -> str:
    """Who plays unless told otherwise: two plies of the package's patterns, or of five terms where there are none.

    >>> default_agent(Rules(12))
    'minimax(depth=2, eval=five_terms, endgame=8, endgame_by=margin, win_margin=yes)'
    """
    try:
        shipped_weights(rules)
        evaluation = "patterns"
    except BadSpec:
        evaluation = "five_terms"
    return f"minimax(depth=2, eval={evaluation}, endgame=8, endgame_by=margin, win_margin=yes)"


@dataclass(frozen=True)
class SelfPlay:
    """What is to be played; two that are equal give the same games.

    >>> plan = SelfPlay(Rules(6), "random", seed=3)
    >>> plan.card()["agent"], next(plan.play(0, 1))[:8]
    ('random #1', '0 +14 b3')
    """

    rules: Rules
    agent: str
    random_moves: tuple[int, int] = (0, 20)
    """The least and the most random first moves; every number between is as likely."""
    seed: int = 0

    def __post_init__(self) -> None:
        least, most = self.random_moves
        if not 0 <= least <= most < self.rules.cells - 4:
            expected = f"expected for example 0..{self.rules.cells // 3}, at most {self.rules.cells - 5}"
            raise BadSpec(f"{least}..{most} random first moves are not possible on {self.rules}; {expected}")
        expect(int, seed=self.seed)
        if not 0 <= self.seed < MOST_SEED:
            raise BadSpec(f"seed={shown(self.seed)} is not possible; expected 0 to 2^63 - 1")

    def card(self) -> dict[str, Any]:
        """What is said of the file: who played, by identity."""
        least, most = self.random_moves
        return {
            "rules": str(self.rules),
            "agent": identity(self.agent),
            "random first moves": f"{least}..{most}",
            "seed": self.seed,
        }

    def play(self, begin: int, number: int) -> Iterator[str]:
        """The games from this number on, a line each as `learn/games.py` describes them."""
        with closing(_table_for(self)) as table:
            yield from table.lines(begin, number)


def native_player(text: str, rules: Rules) -> tuple[Player, PatternWeights] | None:
    """Who plays the games of this agent inside a kernel; None where the agent must be asked.

    A kernel plays `random`, and `minimax` of up to three plies on patterns with an exact end of up to ten squares.

    >>> native_player("minimax(depth=1, eval=patterns)", Rules(8))[0].depth
    1
    >>> native_player("minimax(depth=1, eval=discs)", Rules(8)) is None
    True
    """
    call = parse(text)
    if is_own(call):
        return None
    options = spelled_out(call)
    sign = 1 if rules.variant == "standard" else -1
    if options.name == "random":
        return Player(0, 0, 0, sign, 0, rules.cells, _PRIZE), _no_weights(rules)
    plain = {"ties": "first", "pass_costs_depth": True, "seconds": None, "nodes": None}
    if options.name != "minimax" or any(options[key] != value for key, value in plain.items()):
        return None
    spec, depth, endgame = options["eval"], options["depth"] or _MOST_NATIVE_DEPTH + 1, options["endgame"]
    exact = endgame == 0 or (endgame <= _MOST_NATIVE_ENDGAME and options["endgame_by"] == "margin")
    if not spec.trained or depth > _MOST_NATIVE_DEPTH or not exact:
        return None
    player = Player(depth, options["win"], int(options["win_margin"]), sign, endgame, rules.cells, _PRIZE)
    return player, spec.pattern_weights(rules)


@cache
def _no_weights(rules: Rules) -> PatternWeights:
    """What the kernel gets where it looks at no weights: those of a board of the same layout."""
    size = 8 if rules.words == 1 else 10
    return PatternWeights(Rules(size), np.zeros((1, pattern_set(size).weights), np.int16), {})


# --- who plays -----------------------------------------------------------------------------------------------------


class _NativeTable:
    """Games inside a kernel."""

    block = piece = 2_000
    """Games that are written together, and that a worker plays together: less than a second."""

    def __init__(self, plan: SelfPlay, player: Player, weights: PatternWeights) -> None:
        self.plan, self.player, self.patterns = plan, player, weights.build()
        self.names = {bit: str(move) for bit, move in enumerate(plan.rules.by_bit)} | {NO_SQUARE: ""}

    def lines(self, begin: int, number: int) -> Iterator[str]:
        plan, start = self.plan, Position.start(self.plan.rules).boards
        squares = np.empty((number, plan.rules.cells - 4), np.int16)
        firsts, scores = np.empty(number, np.int64), np.empty(number, np.int64)
        seed = Word(plan.seed)
        play_games(*start, self.player, self.patterns, seed, begin, *plan.random_moves, squares, firsts, scores)
        for first, score, bits in zip(firsts.tolist(), scores.tolist(), squares.tolist(), strict=True):
            yield f"{first} {score:+d} {''.join([self.names[bit] for bit in bits])}"

    def close(self) -> None:
        pass


class _AgentTable:
    """Games of two agents of one text, because players remember."""

    block, piece = 50, 1

    def __init__(self, plan: SelfPlay) -> None:
        self.plan = plan
        self.players = (agent(plan.agent), agent(plan.agent))
        for player in self.players:
            player.be_brief()
            player.check_rules(plan.rules)
        self.ready = False

    def lines(self, begin: int, number: int) -> Iterator[str]:
        for player in self.players if not self.ready else ():
            player.warm_up(self.plan.rules)
        self.ready = True
        return (self._line(self._game(i)) for i in range(begin, begin + number))

    def _game(self, number: int) -> Game:
        rng, rules = random.Random(f"{self.plan.seed} {number}"), self.plan.rules
        position, moves, wanted = Position.start(rules), [], rng.randint(*self.plan.random_moves)
        while wanted and position.moves:
            moves.append(rng.choice(position.moves))
            wanted -= moves[-1] != rules.pass_move
            position = position.play(moves[-1])
        game = play_game(*self.players, Game(Position.start(rules), tuple(moves)), seed=rng.getrandbits(62))
        if game.termination is not Termination.NORMAL:
            raise OutflankError(f"game {number} of {self.plan.agent} did not come to its end: {game.reason}")
        return game

    def _line(self, game: Game) -> str:
        given = sum(not move.is_pass for move in game.moves[: game.opening_plies])
        score = game.end.score() if self.plan.rules.variant == "standard" else -game.end.score()
        return f"{given} {score:+d} {moves_text(game.moves)}"

    def close(self) -> None:
        for player in self.players:
            player.close()


def _table_for(plan: SelfPlay) -> _NativeTable | _AgentTable:
    native = native_player(plan.agent, plan.rules)
    return _AgentTable(plan) if native is None else _NativeTable(plan, *native)


_tables: dict[SelfPlay, _NativeTable | _AgentTable] = {}
"""Of this worker."""


def prepare(plan: SelfPlay) -> None:
    """Builds who plays, once in every worker."""
    _tables[plan] = _table_for(plan)


def play_piece(piece: tuple[SelfPlay, int, int]) -> str:
    """The games of a plan from a number on, as lines."""
    plan, begin, number = piece
    return "".join(f"{line}\n" for line in _tables[plan].lines(begin, number))


def finish() -> None:
    """Ends whatever the agents of this worker started."""
    while _tables:
        _tables.popitem()[1].close()


# --- the file ------------------------------------------------------------------------------------------------------


def card_of(path: Path) -> Path:
    """Where the card of a file of games lies.

    >>> str(card_of(Path("games.txt.xz")))
    'games.txt.xz.json'
    """
    if not path.name:  # that of the directory we are in has none
        raise BadSpec(f"{str(path)!r} is no file of games; expected the name of a file")
    return path.with_name(f"{path.name}.json")


def write_games(
    plan: SelfPlay, games: int, path: str | Path, executor: Executor, progress: Progress | None = None
) -> int:
    """Plays what the file has not yet of so many games, and writes it; how many were played now."""
    path, shown_to = file_name(path), progress or Progress()
    expect(int, games=games)
    if not 1 <= games <= MOST_GAMES:
        raise BadSpec(f"{shown(games)} games are not possible; expected 1 to {MOST_GAMES:,}")
    with closing(_table_for(plan)) as table:  # who cannot be built is told before anything is written
        block, piece = table.block, table.piece
    _claim(plan, path)
    with open(path, "r+b") as file:
        done = _mended(file, path, block, games)
        shown_to.plan(games, done)
        if done >= games:
            return 0
        tasks = (
            (str(begin), (plan, begin, min(piece, games - begin, block - begin % block)))
            for begin in range(done, games, piece)
        )
        job = Job(f"{__name__}:play_piece", f"{__name__}:prepare", plan, f"{__name__}:finish")
        with closing(executor.run(job, tasks)) as results:
            for number, text in _blocks(results, done, games, block, shown_to):
                file.write(lzma.compress(text, preset=1) if path.suffix == ".xz" else text)
                file.flush()
                shown_to.reach(number, games)
    return games - done


def _claim(plan: SelfPlay, path: Path) -> None:
    """Makes an empty file with its card, or says why a file that is there cannot be gone on with."""
    card = plan.card()
    if not path.exists():
        put_file(card_of(path), json.dumps(card, indent=1).encode())
        put_file(path, b"")
        return
    if not card_of(path).exists():
        raise BadSpec(
            f"{path} has no card {card_of(path).name} beside it; expected a file of outflank selfplay, or none"
        )
    check_same(path, read_card(path), card)


def read_card(path: Path) -> dict[str, Any]:
    """What is said of a file of games; nothing where it has no card."""
    beside = card_of(path)
    return read_facts(beside, "outflank selfplay") if beside.exists() else {}


def _mended(file: BinaryIO, path: Path, block: int, games: int) -> int:
    """How many games of whole blocks the file has; what comes after them is cut off.

    A last block that is short counts where it is what was asked for.
    """
    done = end = 0
    for number, after in _streams(file) if path.suffix == ".xz" else _stretches(file, block):
        if done >= games or (number != block and done + number != games):
            break
        done, end = done + number, after
    if done < games:
        file.truncate(end)
        file.seek(end)
    return done


def _streams(file: BinaryIO) -> Iterator[tuple[int, int]]:
    """(lines, where it ends) of every whole stream of an .xz file."""
    reader, lines, read, rest = lzma.LZMADecompressor(lzma.FORMAT_XZ), 0, 0, b""
    try:
        while rest or (rest := file.read(_PIECE)):
            read += len(rest)
            lines += reader.decompress(rest).count(b"\n")
            rest = b""
            if reader.eof:
                rest = reader.unused_data
                read -= len(rest)
                yield lines, read
                reader, lines = lzma.LZMADecompressor(lzma.FORMAT_XZ), 0
    except lzma.LZMAError:
        return


def _stretches(file: BinaryIO, block: int) -> Iterator[tuple[int, int]]:
    """(lines, where it ends) of every so many lines, and of what is left of them."""
    lines = end = whole = 0
    while piece := file.readline(_PIECE):
        end += len(piece)
        if not piece.endswith(b"\n"):
            break
        lines, whole = lines + 1, end
        if lines == block:
            yield lines, whole
            lines = 0
    if lines:
        yield lines, whole


def _blocks(
    results: Iterator[Task], done: int, games: int, block: int, progress: Progress
) -> Iterator[tuple[int, bytes]]:
    """(games so far, the lines of a block) in order, whatever order the pieces come in."""
    pieces: dict[int, str] = {}
    block_begin, reached = done, done
    text: list[str] = []
    for key, piece in results:
        if isinstance(piece, Lost):
            raise OutflankError(f"game {key} could not be played: {piece.reason}")
        pieces[int(key)] = piece
        while reached in pieces:
            text.append(pieces.pop(reached))
            reached += text[-1].count("\n")
            if reached - block_begin == block or reached == games:
                yield reached, "".join(text).encode()
                block_begin, text = reached, []
        progress.reach(reached + len(pieces), games)
