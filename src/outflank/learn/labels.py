"""Positions with what a judge says of them: a value, exact or searched, the worth of every move, and a policy.

The positions of files of games are judged one by one, each once, and written in blocks: a directory of files
`part-00000.npz` or `.parquet` and a card, `card.json`, which says who judged what. A block is there whole or not at
all, and what is in it depends on the card alone: the same command continues where it stopped, on any number of workers.

Everything is told for the side to move. What is not known of a move, as of every move that is not legal, is NaN.
"""

import hashlib
import io
import json
import random
import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from outflank.agents import agent, identity
from outflank.agents.players import SolverPlayer
from outflank.arena.schedule import MOST_SEED
from outflank.board import Position, Rules
from outflank.errors import BadSpec, OutflankError, require
from outflank.execute import Executor, Job, Lost, Task
from outflank.formats import read_all
from outflank.inputs import expect, file_name, put_file, shown
from outflank.learn.games import game_lines, positions_in
from outflank.learn.resume import check_same, read_facts
from outflank.learn.selfplay import default_agent
from outflank.patterns import shipped_weights
from outflank.progress import Progress
from outflank.search.decision import RootMove
from outflank.search.engine import EngineSearch
from outflank.search.solver import solve

Form = Literal["npz", "parquet"]
Boards = npt.NDArray[np.uint64]
Columns = dict[str, npt.NDArray[Any]]

CARD = "card.json"
_SELFPLAY = re.compile(r"[0-9]+ [-+]?[0-9]+ ")
"""How lines of `outflank selfplay` begin."""
_BLOCK, _PIECE = 1000, 20
"""Positions of a file, and of a task of a worker."""


def default_judge(rules: Rules) -> str:
    """Who judges unless told otherwise: the engine where it is trained, and minimax of two plies elsewhere.

    >>> default_judge(Rules(8)), default_judge(Rules(12))[:16]
    ('engine(depth=8, memory=1)', 'minimax(depth=2,')
    """
    try:
        shipped_weights(rules)
    except BadSpec:
        return default_agent(rules)
    return "engine(depth=8, memory=1)"  # the table is forgotten with every position, which takes its size in time


@dataclass(frozen=True)
class Labelling:
    """Who judges which positions, and how; two that are equal give the same labels."""

    rules: Rules
    agent: str
    own: Boards = field(repr=False)
    """[positions, words]: discs of the side to move."""
    opposing: Boards = field(repr=False)
    temperature: float = 1.0
    """Policies are a softmax of the values over so many discs, points or wins; 0 shares all among the best moves."""
    seed: int = 0

    def __post_init__(self) -> None:
        expect(float, temperature=self.temperature)
        if not 0 <= self.temperature <= 1000:
            raise BadSpec(f"temperature={shown(self.temperature)} is not possible; expected 0 to 1000")
        expect(int, seed=self.seed)
        if not 0 <= self.seed < MOST_SEED:
            raise BadSpec(f"seed={shown(self.seed)} is not possible; expected 0 to 2^63 - 1")

    def card(self) -> dict[str, Any]:
        """What is said of the directory."""
        digest = hashlib.blake2b(self.own.tobytes() + self.opposing.tobytes(), digest_size=8).hexdigest()
        return {
            "rules": str(self.rules),
            "agent": identity(self.agent),
            "temperature": self.temperature,
            "seed": self.seed,
            "positions": len(self.own),
            "digest of the positions": digest,
        }


# --- positions --------------------------------------------------------------------------------------------------


def gathered(
    files: Iterable[Path], rules: Rules, every: int = 1, most: int | None = None, seed: int = 0
) -> tuple[Boards, Boards]:
    """The positions of files of games in which a square can be played, each once: every so manyth, at most so many.

    Files are those of `outflank selfplay`, whose random first moves are left out, or of any kind that `read_all` reads.
    """
    expect(int, every=every)
    expect(int | None, most=most)
    if every < 1 or (most is not None and most < 1):
        raise BadSpec(f"every {shown(every)} and at most {shown(most)} positions are not possible; expected 1 or more")
    parts = [part for file in files for part in _pairs(file, rules)]
    if not parts:
        raise BadSpec(f"these files have no position of {rules} with a move; expected files of games")
    pairs = np.concatenate(parts)
    _, firsts = np.unique(pairs, axis=0, return_index=True)
    chosen = np.sort(firsts)[::every]
    if most is not None and len(chosen) > most:
        chosen = chosen[sorted(random.Random(seed).sample(range(len(chosen)), most))]
    own, opposing = np.split(pairs[chosen], 2, axis=1)
    return np.ascontiguousarray(own), np.ascontiguousarray(opposing)


def _pairs(file: Path, rules: Rules) -> Iterator[Boards]:
    """[positions, 2 * words]: own discs beside the opponent's."""
    if file.suffix == ".xz" or _SELFPLAY.match(next(game_lines(file), "")):
        for found in positions_in(file, rules, set()):
            yield np.hstack([found.own, found.other])
        return
    rows = [
        np.concatenate(position.boards[:2])
        for game in read_all(file, rules.variant)
        if game.rules == rules
        for position in game.positions
        if position.moves_mask
    ]
    if rows:
        yield np.array(rows, np.uint64)


# --- judging ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judgement:
    """What is said of one position."""

    value: float
    exact: bool
    depth: int
    unit: str
    moves: tuple[RootMove, ...]


class Judge:
    """An agent that judges positions, every move where it can.

    >>> found = Judge("solver").judge(Position.parse("OX-OXOO-XXXXXXX- O"))
    >>> found.value, found.exact, [(root.move, root.value) for root in found.moves]
    (2.0, True, [(c1, 2), (d4, -6)])
    """

    def __init__(self, text: str) -> None:
        self.agent = agent(text)
        self.bounds = self.agent.limits if self.agent.limits.bounds else self.agent.fallback
        if isinstance(self.agent.player, EngineSearch):
            self.agent.be_brief()  # lines are not asked for, and its moves are valued one by one anyway

    def judge(self, position: Position, seed: int = 0) -> Judgement:
        """Of a position with a legal square: the values of all moves by engine and solver, by others what they tell."""
        player = self.agent.player
        if isinstance(player, EngineSearch) and not player.error:
            return self._by_engine(player, position)
        if isinstance(player, SolverPlayer) and player.by == "margin":
            return self._by_solver(player, position)
        player.new_game()
        decision = player.choose(position, self.bounds, seed)
        value = np.nan if decision.value is None else decision.value
        told = tuple(root for root in decision.moves if root.exact or root.move == decision.move)
        best = RootMove(decision.move, decision.value)
        moves = told if any(root.move == decision.move and _says(root) for root in told) else (best,)
        return Judgement(float(value), decision.exact, decision.depth, decision.unit, moves)

    def _by_engine(self, player: EngineSearch, position: Position) -> Judgement:
        *_, decisions = player.judge(position, self.bounds)
        best = decisions[0]
        moves = tuple(RootMove(decision.move, decision.value) for decision in decisions)
        return Judgement(float(best.value or 0), best.exact, best.depth, best.unit, tuple(sorted(moves)))

    def _by_solver(self, player: SolverPlayer, position: Position) -> Judgement:
        found = solve(position, limits=self.bounds, memory_mb=player.memory_mb, threads=player.threads, every_move=True)
        value = np.nan if found.score is None else found.score
        return Judgement(float(value), found.exact, position.empties if found.exact else 0, "discs", found.moves)


def _says(root: RootMove) -> bool:
    return root.value is not None or root.visits > 0


def policy_of(judgement: Judgement, temperature: float, actions: int) -> npt.NDArray[np.float32]:
    """[actions]: the share of every move: of the visits where moves were visited, else a softmax of what is known.

    >>> moves = (RootMove(Rules(4).move(1), 2.0), RootMove(Rules(4).move(4), 2.0), RootMove(Rules(4).move(9), -1.0))
    >>> policy_of(Judgement(2.0, True, 3, "discs", moves), 0.0, 17).nonzero()[0].tolist()
    [1, 4]
    """
    policy = np.zeros(actions, np.float32)
    visits = sum(root.visits for root in judgement.moves)
    known = [root for root in judgement.moves if root.value is not None]
    if visits or not known:
        for root in judgement.moves:
            policy[root.move] = root.visits / visits if visits else 1 / len(judgement.moves)
        return policy
    best = max(float(root.value or 0) for root in known)
    for root in known:
        behind = best - float(root.value or 0)
        policy[root.move] = np.exp(-behind / temperature) if temperature else behind == 0
    policy /= policy.sum()
    return policy


# --- in workers -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Manner:
    """What a worker is told once."""

    rules: Rules
    agent: str
    temperature: float
    seed: int


class _Desk:
    """A worker's judge."""

    def __init__(self, manner: _Manner) -> None:
        self.manner, self.judge = manner, Judge(manner.agent)
        self.judge.agent.check_rules(manner.rules)

    def labels(self, begin: int, own: Boards, opposing: Boards) -> Columns:
        """What is said of positions, of which the first has this number."""
        rules, count = self.manner.rules, len(own)
        found: Columns = {
            "own": own,
            "opposing": opposing,
            "value": np.full(count, np.nan, np.float32),
            "exact": np.zeros(count, np.bool_),
            "depth": np.zeros(count, np.int16),
            "values": np.full((count, rules.cells + 1), np.nan, np.float32),
            "policy": np.zeros((count, rules.cells + 1), np.float32),
        }
        for row in range(count):
            position = Position(rules, rules.mask(tuple(own[row])), rules.mask(tuple(opposing[row])))
            said = self.judge.judge(position, (self.manner.seed + begin + row) % MOST_SEED)
            found["value"][row], found["exact"][row], found["depth"][row] = said.value, said.exact, said.depth
            for root in said.moves:
                found["values"][row, root.move] = np.nan if root.value is None else root.value
            found["policy"][row] = policy_of(said, self.manner.temperature, rules.cells + 1)
        return found


_desks: dict[str, _Desk] = {}
"""The one of this worker."""


def prepare(manner: _Manner) -> None:
    """Builds who judges, once in every worker."""
    _desks["here"] = _Desk(manner)
    _desks["here"].judge.agent.warm_up(manner.rules)


def label_piece(piece: tuple[int, Boards, Boards]) -> Columns:
    """The labels of some positions."""
    return _desks["here"].labels(*piece)


def finish() -> None:
    """Ends whatever the judge of this worker started."""
    if "here" in _desks:
        _desks.pop("here").judge.agent.close()


# --- the directory ----------------------------------------------------------------------------------------------


def check_form(form: Form) -> None:
    """Says before anything is read or judged that a form needs what is not installed.

    >>> check_form("npz")
    """
    if form == "parquet":
        require("pyarrow", "Parquet files need pyarrow", "parquet")


def write_labels(
    plan: Labelling, path: str | Path, executor: Executor, form: Form = "npz", progress: Progress | None = None
) -> int:
    """Judges the positions that the directory has not yet, and writes them; how many were judged now."""
    directory, shown_to = file_name(path), progress or Progress()
    if form not in get_args(Form):
        raise BadSpec(f"no form is called {shown(form)}; expected one of: {', '.join(get_args(Form))}")
    check_form(form)
    _Desk(_manner(plan)).judge.agent.close()  # who cannot be built is told before anything is written
    _claim(plan, directory, form)
    blocks = [block for block in range(-(-len(plan.own) // _BLOCK)) if not _part(directory, block, form).exists()]
    left = sum(len(plan.own[block * _BLOCK : (block + 1) * _BLOCK]) for block in blocks)
    shown_to.plan(len(plan.own), len(plan.own) - left, unit="positions")
    job = Job(f"{__name__}:label_piece", f"{__name__}:prepare", _manner(plan), f"{__name__}:finish")
    with closing(executor.run(job, _tasks(plan, blocks))) as results:
        for block, columns in _assembled(results, plan, shown_to):
            put_file(_part(directory, block, form), _content(columns, form))
    return left


def _manner(plan: Labelling) -> _Manner:
    return _Manner(plan.rules, plan.agent, plan.temperature, plan.seed)


def _part(directory: Path, block: int, form: Form) -> Path:
    return directory / f"part-{block:05}.{form}"


def _tasks(plan: Labelling, blocks: Iterable[int]) -> Iterator[Task]:
    for block in blocks:
        end = min((block + 1) * _BLOCK, len(plan.own))
        for begin in range(block * _BLOCK, end, _PIECE):
            piece = slice(begin, min(begin + _PIECE, end))
            yield str(begin), (begin, plan.own[piece], plan.opposing[piece])


def _assembled(results: Iterator[Task], plan: Labelling, progress: Progress) -> Iterator[tuple[int, Columns]]:
    """Every block when all its pieces are there, whatever order they come in."""
    pieces: dict[int, dict[int, Columns]] = {}
    for key, columns in results:
        if isinstance(columns, Lost):
            raise OutflankError(f"position {key} could not be judged: {columns.reason}")
        begin = int(key)
        block = pieces.setdefault(begin // _BLOCK, {})
        block[begin] = columns
        progress.reach(progress.done + len(columns["value"]), progress.total)
        size = len(plan.own[begin // _BLOCK * _BLOCK : (begin // _BLOCK + 1) * _BLOCK])
        if sum(len(part["value"]) for part in block.values()) == size:
            parts = [pieces[begin // _BLOCK][i] for i in sorted(block)]
            del pieces[begin // _BLOCK]
            yield begin // _BLOCK, {name: np.concatenate([part[name] for part in parts]) for name in columns}


def _content(columns: Columns, form: Form) -> bytes:
    file = io.BytesIO()
    if form == "npz":
        np.savez_compressed(file, allow_pickle=False, **columns)
        return file.getvalue()
    import pyarrow
    from pyarrow import parquet

    def column(values: npt.NDArray[Any]) -> Any:
        if values.ndim == 1:
            return pyarrow.array(values)
        return pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(values.ravel()), values.shape[1])

    parquet.write_table(
        pyarrow.table({name: column(values) for name, values in columns.items()}), file, compression="zstd"
    )
    return file.getvalue()


def _claim(plan: Labelling, directory: Path, form: Form) -> None:
    """Makes a directory with its card, or says why one that is there cannot be gone on with."""
    card = plan.card() | {"form": form}
    if not (directory / CARD).exists():
        if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
            raise BadSpec(f"{directory} is no directory of labels; expected one of outflank label, or none")
        put_file(directory / CARD, json.dumps(card, indent=1).encode())
        return
    check_same(directory, read_card(directory), card)


def read_card(directory: Path) -> dict[str, Any]:
    """What is said of a directory of labels."""
    return read_facts(directory / CARD, "outflank label")


def read_labels(path: str | Path) -> Columns:
    """The columns of a directory, all blocks together, by name: `own`, `opposing`, `value`, `exact`, `depth`, …"""
    directory = file_name(path)
    form = read_card(directory).get("form")
    parts = [_read_part(part) for part in sorted(directory.glob(f"part-*.{form}"))]
    if not parts:
        raise BadSpec(f"{directory} has no labels yet; expected a directory of outflank label")
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _read_part(path: Path) -> Columns:
    if path.suffix == ".npz":
        with np.load(path) as file:
            return dict(file)
    from pyarrow import parquet

    table = parquet.read_table(path)
    found: Columns = {}
    for name in table.column_names:
        values = table[name].combine_chunks()
        wide = name in ("own", "opposing", "values", "policy")
        found[name] = (values.flatten() if wide else values).to_numpy(zero_copy_only=False)
        found[name] = found[name].reshape(len(values), -1) if wide else found[name]
    return found
