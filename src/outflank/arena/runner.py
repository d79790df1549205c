"""Plays a plan: what the store does not have yet goes to an executor, and every result into the store at once.

Resuming is running the same plan again. Workers build their agents from text, once, compile before any game begins, and
close them after the last.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace

from outflank.agents import agent
from outflank.agents.registry import Agent
from outflank.arena.schedule import Plan, Slot
from outflank.arena.store import Store
from outflank.board import Position, Rules
from outflank.errors import OutflankError
from outflank.execute import Executor, Lost, Task
from outflank.formats import play_moves, replay
from outflank.game import GameRecord, Spent, Termination, play_game

Setting = Sequence[tuple[str, Rules]]
"""What a worker prepares for: agents by text, and the rules they will play under."""


_players: dict[tuple[str, int], Agent] = {}
"""The agents of this worker by text and side; an agent that plays itself needs two, because players remember."""


def _player(text: str, side: int) -> Agent:
    if (text, side) not in _players:
        _players[text, side] = agent(text)
        _players[text, side].be_brief()  # nobody asks, and it takes a tenth of the time outside the kernels
    return _players[text, side]


def warm_up(setting: Setting) -> None:
    """Builds and compiles in a worker, before any clock runs; a player that fails here will fail in its games."""
    for text, rules in setting:
        player = _player(text, 0)
        with suppress(Exception):
            player.warm_up(rules)


def close_players() -> None:
    """Ends whatever the agents of this worker started, such as external programs."""
    while _players:
        _players.popitem()[1].close()


def play_slot(slot: Slot) -> GameRecord:
    """The game of a slot: the same on any worker."""
    start = Position.parse(slot.opening, slot.rules.variant)
    black, white, conditions = _player(slot.black, 0), _player(slot.white, 1), slot.conditions
    return play_game(
        black,
        white,
        start,
        seed=slot.seed,
        limits=conditions.limits,
        control=conditions.control,
        adjudicate=conditions.adjudicate,
        before=_before(slot, start) if black.listens or white.listens else None,
    )


def play_slot_briefly(slot: Slot) -> GameRecord:
    """The same without what every move cost: less to carry from a worker where nobody wants to keep it."""
    return replace(play_slot(slot), details=())


def _before(slot: Slot, start: Position) -> tuple[Position, tuple[int, ...]]:
    """The usual start and the moves from it to the opening; the opening alone where no transcript leads to it."""
    origin = Position.start(slot.rules)
    try:
        moves = tuple(replay(origin, slot.opening_text))
    except OutflankError:  # a position from a file
        return start, ()
    return (origin, moves) if play_moves(origin, moves) == start else (start, ())


def run_plan(
    plan: Plan,
    store: Store,
    executor: Executor,
    on_game: Callable[[Slot, GameRecord], bool] = lambda slot, record: True,
    details: bool = False,
) -> None:
    """Plays what is missing and stores each game as it comes; ends early when `on_game` says False.

    Only games in flight are held in memory.
    """
    flying: dict[str, Slot] = {}

    def tasks() -> Iterator[Task]:
        for slot in store.missing(plan.slots()):
            flying[slot.key] = slot
            yield slot.key, slot

    setting = sorted({(text, pairing.rules) for pairing in plan.pairings for text in (pairing.first, pairing.second)})
    play = play_slot if details else play_slot_briefly
    work, prepare, finish = (f"{__name__}:{function.__name__}" for function in (play, warm_up, close_players))
    with closing(executor.run(work, tasks(), prepare, setting, finish)) as results:
        for key, outcome in results:
            slot = flying.pop(key)
            record = _lost_game(slot, outcome) if isinstance(outcome, Lost) else outcome
            store.add(slot, record, details)
            if not on_game(slot, record):
                break


def _lost_game(slot: Slot, lost: Lost) -> GameRecord:
    """A game that kills its worker every time is a draw by failure: whose fault it is cannot be known."""
    start = Position.parse(slot.opening, slot.rules.variant)
    return GameRecord(
        start=start,
        moves=(),
        black=slot.black,
        white=slot.white,
        seed=slot.seed,
        termination=Termination.CRASH,
        reason=lost.reason,
        points=0.5,
        discs=(start.black.bit_count(), start.white.bit_count()),
        spent=(Spent(), Spent()),
        details=(),
    )
