"""Plays a plan: what the store does not have yet goes to an executor, and every result into the store at once.

Resuming is running the same plan again. Workers build their agents from text, once, compile before any game begins, and
close them after the last.

A player of a person's own runs in a process of its own, so that one that dies, hangs or patches what it finds loses its
own games. Evaluations of people are compiled into our searches: where no clock and no limit is in force they run inside
the workers, where they are fastest, and a worker that they kill is replaced by one that takes care: there such code
runs in processes of its own too.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace

from outflank.agents import agent, text_of
from outflank.agents.identities import behaviour_of
from outflank.agents.names import short_name
from outflank.agents.outside import OutsidePlayer
from outflank.agents.registry import Agent, is_own
from outflank.arena.openings import Opening
from outflank.arena.schedule import Plan, Slot
from outflank.arena.store import Store
from outflank.board import Rules
from outflank.execute import Executor, Job, Lost, Task
from outflank.game import Game, Termination
from outflank.game_loop import play_game
from outflank.spec import parse

Setting = Sequence[tuple[str, Rules, bool, int]]
"""What a worker prepares for: agents by text, the rules they will play under, whether a clock or limit is in force, and
how many of them a game has."""


_players: dict[tuple[str, int, bool, bool], Agent] = {}
"""The agents of this worker by text, number, whether a clock or limit is in force, and whether care is taken.

An agent that plays itself needs two, because players remember.
"""

_lent: dict[str, Agent] = {}
"""Players that exist as objects of this process only, by the names they have meanwhile."""

_careful = False
"""Whether a game that this worker played has cost another worker its life."""
_NO_HURRY = 7 * 86_400.0


def _built(text: str, bounded: bool) -> Agent:
    """The agent of a text, outside of this process where it may do harm.

    A script's own classes stay inside unless a clock asks for more: to load them elsewhere is to run the script again.
    So do ours.
    """
    bare = text_of(text)
    if bare in _lent:
        return _lent[bare]
    own = is_own(parse(bare)) and not bare.startswith(("__main__:", "outflank."))
    player = agent(bare, outside=bounded or _careful or own)
    if isinstance(player.player, OutsidePlayer) and not bounded and not own:
        player.player.patience = _NO_HURRY  # as inside, where nobody looks at a clock
    return player


def _player(text: str, number: int, bounded: bool) -> Agent:
    if text_of(text) in _lent:
        return _lent[text_of(text)]  # its owner's: neither told to be brief nor closed
    key = (text, number, bounded, _careful)
    if key not in _players:
        player = _built(text, bounded)
        player.be_brief()  # nobody asks, and it takes a tenth of the time outside the kernels
        _players[key] = player
    return _players[key]


@contextmanager
def lent(players: Mapping[str, Agent]) -> Iterator[None]:
    """Has these objects play under these names in the games of this process."""
    _lent.update(players)
    try:
        yield
    finally:
        for name in players:
            _lent.pop(name, None)


def take_care() -> None:
    """From now on code of people's runs outside of this worker: it may have been what killed another one."""
    global _careful
    _careful = True


def warm_up(setting: Setting) -> None:
    """Builds and compiles in a worker, before any clock runs; a player that fails here will fail in its games."""
    for text, rules, bounded, seats in setting:
        for number in range(seats):
            player = _player(text, number, bounded)
            with suppress(Exception):
                player.warm_up(rules)


def close_players() -> None:
    """Ends whatever the agents of this worker started, such as external programs."""
    global _careful
    _careful = False
    while _players:
        _players.popitem()[1].close()


def play_slot(slot: Slot) -> Game:
    """The game of a slot: the same on any worker."""
    conditions = slot.conditions
    return play_game(
        _player(slot.black, 0, conditions.bounded),
        _player(slot.white, int(slot.white == slot.black), conditions.bounded),
        _opening(slot),
        seed=slot.seed,
        limits=conditions.limits,
        control=conditions.control,
        adjudicate=conditions.adjudicate,
    )


def play_slot_briefly(slot: Slot) -> Game:
    """The same without what every move cost: less to carry from a worker where nobody wants to keep it."""
    game = play_slot(slot)
    return replace(game, notes=()).knowing(end=game.end)


def setting_of(plan: Plan) -> Setting:
    """What workers prepare for: every agent of a plan with its rules, and whether its games are bounded.

    Where the solver ends games, it is one of them.

    >>> from outflank.arena.schedule import Conditions, plan_match
    >>> [prepared] = setting_of(plan_match("greedy", "greedy", Rules(4), 2, "start", Conditions()))
    >>> print(*prepared)
    greedy standard 4x4 False 2
    """
    found: dict[tuple[str, Rules, bool], int] = {}
    for pairing in plan.pairings:
        conditions = pairing.conditions or plan.conditions
        seats = 2 if pairing.first == pairing.second else 1
        for text in (pairing.first, pairing.second):
            key = text, pairing.rules, conditions.bounded
            found[key] = max(seats, found.get(key, 0))
        if conditions.adjudicate:
            found.setdefault(("solver", pairing.rules, False), 1)
    return sorted((*key, seats) for key, seats in found.items())


def _opening(slot: Slot) -> Game:
    return Opening(slot.opening_text, slot.opening, slot.rules).game


def run_plan(
    plan: Plan,
    store: Store,
    executor: Executor,
    on_game: Callable[[Slot, Game], bool] = lambda slot, game: True,
    notes: bool = False,
) -> None:
    """Plays what is missing and stores each game as it comes; ends early when `on_game` says False.

    Only games in flight are held in memory.
    """
    flying: dict[str, Slot] = {}

    def tasks() -> Iterator[Task]:
        for slot in store.missing(plan.slots()):
            flying[slot.key] = slot
            yield slot.key, slot

    for text, rules, bounded, _ in setting_of(plan):  # one that cannot be built or play is told before the first game
        named, player = text_of(text), _built(text, bounded)
        try:
            if isinstance(player.player, OutsidePlayer) and not (bounded and is_own(parse(named))):
                player.player.prepare_for(rules)
            player.check_rules(rules)
        finally:
            if named not in _lent:
                player.close()
    play = play_slot if notes else play_slot_briefly
    names = (f"{__name__}:{function.__name__}" for function in (play, warm_up, close_players, take_care))
    work, prepare, finish, care = names
    with closing(executor.run(Job(work, prepare, setting_of(plan), finish, care), tasks())) as results:
        for key, outcome in results:
            slot = flying.pop(key)
            game = _lost_game(slot, outcome) if isinstance(outcome, Lost) else outcome
            store.add(slot, game, notes)
            if not on_game(slot, game):
                break
    store.check_place()


def behaviour_warnings(plan: Plan, store: Store) -> list[str]:
    """What the store has of the agents of a plan under another behaviour: games that the plan does not use."""
    agents = {text_of(who): who for pairing in plan.pairings for who in (pairing.first, pairing.second)}
    return [
        f"{games:,} games of {short_name(who)} in {store.path} were played by its behaviour {behaviour_of(who)}; "
        f"now it is behaviour {behaviour_of(agents[text_of(who)])}: they are kept, shown apart and not used"
        for who, games in store.other_behaviours(agents.values()).items()
    ]


def _lost_game(slot: Slot, lost: Lost) -> Game:
    """A game that kills even careful workers is a draw by failure: whose fault it is cannot be known."""
    return replace(
        _opening(slot),
        black=text_of(slot.black),
        white=text_of(slot.white),
        seed=slot.seed,
        termination=Termination.CRASH,
        reason=lost.reason,
        points=0.5,
    )
