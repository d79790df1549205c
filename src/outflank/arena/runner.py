"""Plays a plan: what the store does not have yet goes to an executor, and every result into the store at once.

Resuming is running the same plan again. Workers build their agents from text, once, and compile before any game begins.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from outflank.agents import agent
from outflank.agents.registry import Agent
from outflank.arena.schedule import Plan, Slot
from outflank.arena.store import Store
from outflank.board import Position, Rules
from outflank.execute import Executor, Lost, Task
from outflank.game import GameRecord, Spent, Termination, play_game

Setting = Sequence[tuple[str, Rules]]
"""What a worker prepares for: agents by text, and the rules they will play under."""


@cache
def _player(text: str, side: int) -> Agent:
    """The agent of one side; an agent that plays itself needs two, because players remember."""
    assert side in (0, 1)
    return agent(text)


def warm_up(setting: Setting) -> None:
    """Builds and compiles in a worker, before any clock runs."""
    for text, rules in setting:
        _player(text, 0).warm_up(rules)


def play_slot(slot: Slot) -> GameRecord:
    """The game of a slot: the same on any worker."""
    start = Position.parse(slot.opening, slot.rules.variant)
    conditions = slot.conditions
    return play_game(
        _player(slot.black, 0),
        _player(slot.white, 1),
        start,
        seed=slot.seed,
        limits=conditions.limits,
        control=conditions.control,
        adjudicate=conditions.adjudicate,
    )


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
    done = store.done()
    flying: dict[str, Slot] = {}

    def tasks() -> Iterator[Task]:
        for slot in plan.slots():
            if slot.key not in done:
                flying[slot.key] = slot
                yield slot.key, slot

    setting = sorted({(text, pairing.rules) for pairing in plan.pairings for text in (pairing.first, pairing.second)})
    results = executor.run("outflank.arena.runner:play_slot", tasks(), "outflank.arena.runner:warm_up", setting)
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
