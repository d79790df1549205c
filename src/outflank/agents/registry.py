"""Agents: a line of text in, a player out.

`agent("minimax(depth=5, eval=positional)")` parses the line, fills in every default and builds the player. Its `text`
is the canonical line, with all options sorted: two lines that mean the same have the same text, and presets named after
papers spell out what they stand for. `label` is the line as it was written. `canonical` gives the text alone, without
building, importing or starting anything.

Whatever plays is a `Player` and returns a `Decision`. A person's own player is any class or function named
`module:Name`; a class has a method `choose`, and either may take the position alone and return the move as a number or
a name.
"""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from outflank.agents.kinds import KINDS
from outflank.agents.outside import OutsidePlayer, can_run_outside, has_own_code
from outflank.agents.own import OwnPlayer, load_own
from outflank.agents.presets import PRESETS
from outflank.agents.turns import Turns, turns_of
from outflank.board import Position, Rules
from outflank.bots.directory import text_of_file
from outflank.errors import BadSpec, IllegalMove
from outflank.game import Game
from outflank.inputs import MOST_IN_AGENT, check_length, expect, shown
from outflank.lazy import lazy
from outflank.schema import CheckedOptions, Signature, lookup
from outflank.search.decision import Decision, RootMove
from outflank.search.limits import Limits
from outflank.search.player import Player, Preparation
from outflank.spec import Call, parse

NO_LIMITS = Limits()
IDENTITY = re.compile(r"(?s)(.*) #([0-9a-z]+(?:-[0-9a-z]+)*)")
"""A text and the behaviour behind it, as `identities.py` writes them."""
_BOT_FILE = re.compile(r"[^()\"=\n]+\.(?:py|js)|[^()\"=\n/]*/[^()\"=\n]+")
_OWN_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*")


@dataclass(frozen=True)
class Agent(Player):
    """A player with its name, which answers forced moves itself.

    Threads may share it; they wait for each other. One that remembers its game, such as a program or a tree that is
    kept, answers by what it was asked before, and should play one game at a time.

    >>> player = agent("minimax(depth=2, eval=discs)")
    >>> decision = player.choose(Position.start())
    >>> decision.move, decision.nodes, player.label
    (d3, 11, 'minimax(depth=2, eval=discs)')
    """

    text: str
    label: str
    player: Player
    limits: Limits = NO_LIMITS
    """What its own text allows it."""
    fallback: Limits = NO_LIMITS
    """What it may spend when neither its text nor its caller bounds it."""
    bounded_by: frozenset[str] = frozenset()
    """Limits of which one suffices, beside those of `fallback` and of time and nodes: it has options for them."""
    instant: bool = True
    """Whether a single legal move is played without thinking."""
    is_object: bool = False
    """Whether it stands around an object of this process, which no text describes."""

    def new_game(self) -> None:
        """Forgets whatever the player kept from the game before."""
        with self._turns.begun():
            self.player.new_game()

    def check_rules(self, rules: Rules) -> None:
        """Raises BadSpec where its player cannot play under these rules."""
        self.player.check_rules(rules)

    def follow(self, game: Game) -> None:
        """Tells a player that wants to know the game so far."""
        self.player.follow(game)

    @property
    def listens(self) -> bool:
        """Whether its player wants to know."""
        return self.player.listens

    @property
    def deepens(self) -> bool:
        """Whether its player tells of every depth."""
        return self.player.deepens

    def be_brief(self) -> None:
        """Decisions need not explain themselves any more: no expected line, no values of moves that are not played."""
        self.player.be_brief()

    def close(self) -> None:
        """Ends whatever the player started, such as an external program."""
        self.player.close()

    def preparations(self, rules: Rules) -> list[Preparation]:
        """The boards of a game, and what the player needs.

        >>> list(agent("minimax(endgame=8)").prepare(Rules(4)))
        [('boards', 0, 3), ('minimax', 1, 3), ('solver', 2, 3)]
        """
        steps = [("boards", lambda: _play_first_move(rules)), *self.player.preparations(rules)]
        return [(what, partial(self._alone, do)) for what, do in steps]

    def _alone(self, do: Callable[[], object]) -> object:
        """Does something with the player while no other thread uses it."""
        with self._turns.begun():
            return do()

    def choose(self, position: Position, limits: Limits | None = None, seed: int = 0) -> Decision:
        """The decision in any position that is not over; a forced move needs no thought."""
        forced = self._forced(position)
        if forced is not None:
            return forced
        expect(int, seed=seed)
        expect(Limits | None, limits=limits)
        began = time.perf_counter()
        with self._turns.begun():
            decision = self.player.choose(position, self._bounds(position, limits), seed)
        return decision if decision.seconds else replace(decision, seconds=time.perf_counter() - began)

    def think(self, position: Position, limits: Limits | None = None, seed: int = 0) -> Iterator[Decision]:
        """What it would decide, better and better where its player can tell: by depth, by playouts; `choose` is last.

        Whoever asks the agent for something else meanwhile ends these thoughts; the next one is an error that says so.

        >>> [decision.depth for decision in agent("minimax(depth=3, eval=discs)").think(Position.start())]
        [1, 2, 3]
        """
        forced = self._forced(position)
        if forced is not None:
            yield forced
            return
        began, steps = time.perf_counter(), self.player.think(position, self._bounds(position, limits), seed)
        with self._turns.begun() as search:
            decision = next(steps, None)
        while decision is not None:
            yield replace(decision, seconds=time.perf_counter() - began)
            with self._turns.resumed(search):
                decision = next(steps, None)

    def _forced(self, position: Position) -> Decision | None:
        """The decision that needs no thought, if there is one."""
        if not isinstance(position, Position):
            expect(Position, position=position)
        moves = position.moves
        if not moves:
            raise IllegalMove(f"no move can be chosen: the game is over in {position.line()}")
        if moves[0] == position.rules.pass_move or (self.instant and len(moves) == 1):
            return Decision(moves[0], position.turn, pv=moves, moves=(RootMove(moves[0]),))
        return None

    @lazy
    def _turns(self) -> Turns:
        """Those of its player."""
        return turns_of(self.player)

    @lazy
    def _enough(self) -> frozenset[str]:
        """Limits of which one suffices."""
        return self.fallback.bounds | self.bounded_by | {"nodes", "seconds", "game_seconds"}

    def _bounds(self, position: Position, limits: Limits | None) -> Limits:
        """Its own limits and those of its caller, or the usual ones where there are none."""
        bounds = self.limits.tightened(limits or NO_LIMITS)
        if self.fallback.bounds and bounds.bounds.isdisjoint(self._enough):
            bounds = bounds.tightened(self.fallback)
        return bounds if bounds.game_seconds is None else bounds.for_move(position.empties // 2 + 1)


def _play_first_move(rules: Rules) -> None:
    start = Position.start(rules)
    assert start.play(start.moves[0]).moves


# --- from text ------------------------------------------------------------------------------------------------


def agent_signatures() -> dict[str, Signature]:
    """Every named agent, presets last."""
    return {name: kind.signature for name, kind in KINDS.items()} | {
        name: preset.signature for name, preset in PRESETS.items()
    }


def agent(described: str | Player | Any, outside: bool = False) -> Agent:
    """The agent that a line of text describes; a player, or anything with `choose(position)`, is made one.

    With `outside`, code of a person's that the text names runs in a process of its own, which can be killed.

    >>> agent("phan-synytsia-mcts(100)").text == agent(agent("phan-synytsia-mcts(100)").text).text
    True
    >>> agent("random(depth=3)")
    Traceback (most recent call last):
    outflank.errors.BadSpec: random has no option 'depth'; it has no options
    >>> agent(lambda position: position.moves[0]).choose(Position.start()).move
    d3
    """
    if not isinstance(described, str):
        return _around(described)
    text = described.strip()
    call = _call(text)
    outside = outside and has_own_code(text) and can_run_outside(text)
    if is_own(call):
        player = OutsidePlayer(text) if outside else load_own(call.name, dict(call.options))
        return Agent(_own_text(call), text, player, instant=False)
    options = spelled_out(call)
    kind = KINDS[options.name]
    return Agent(
        text=str(options),
        label=text,
        player=OutsidePlayer(text) if outside else kind.build(options),
        limits=kind.limits(options),
        fallback=kind.usual_limits,
        bounded_by=frozenset(option.name for option in kind.signature.options),
        instant=options.get("instant", kind.instant),
    )


def _call(text: str) -> Call:
    """The call that a text is; an identity is none, because only the present behaviour can be played."""
    check_length(text, MOST_IN_AGENT, "an agent")
    found = IDENTITY.fullmatch(text)
    if found:
        raise BadSpec(f"{text!r} has the mark of a behaviour, #{found[2]}; expected the text before it, {found[1]!r}")
    if _BOT_FILE.fullmatch(text):
        raise BadSpec(_file_of_a_bot(Path(text)))
    return parse(text)


def _file_of_a_bot(path: Path) -> str:
    """What to write in place of the mere name of a file."""
    if not path.is_file():
        return f"there is no file {str(path)!r}; expected an agent such as random, or 'cs303(file=\"bot.py\")'"
    return f"{str(path)!r} is a file; as an agent it is {text_of_file(path)!r}"


def _around(thing: Any) -> Agent:
    """An agent around something built already, named after its class or function."""
    if isinstance(thing, Agent):
        return thing
    name = getattr(thing, "__name__", type(thing).__name__)
    if isinstance(thing, type):
        raise BadSpec(f"{shown(thing)} is a class; expected an object of it, such as {name}()")
    player = thing if isinstance(thing, Player) else OwnPlayer(name, thing)
    return Agent(name, name, player, instant=False, is_object=True)


def is_own(call: Call) -> bool:
    """Whether a call names a person's own player."""
    return ":" in call.name


def _own_text(call: Call) -> str:
    if not _OWN_NAME.fullmatch(call.name):
        raise BadSpec(f"{shown(call.name)} names no player; expected module:Name")
    if call.values:
        raise BadSpec(f"{call.name} takes named options only, such as {call.name}(level=3)")
    return str(Call(call.name, (), tuple(sorted(call.options, key=lambda option: option[0]))))


def canonical(text: str) -> str:
    """The canonical text of an agent; nothing is built, imported or started.

    >>> canonical("he-lin-minimax(1)"), canonical("club.bots:Bot(level=3, book=no)")
    ('random', 'club.bots:Bot(book=no, level=3)')
    """
    call = _call(text)
    return _own_text(call) if is_own(call) else str(spelled_out(call))


def spelled_out(call: Call) -> CheckedOptions:
    """The built-in agent that a call stands for, with every option checked and filled in, but not built.

    >>> str(spelled_out(parse("engine(level=1)"))) == str(spelled_out(parse("engine(depth=1, error=14, memory=1)")))
    True

    >>> str(spelled_out(parse("pure-mc"))).startswith("montecarlo(draw=0.5, instant=yes, playout=uniform, playouts=250")
    True
    """
    signature = lookup(call, agent_signatures(), "agent")
    if call.name in PRESETS:
        call = PRESETS[call.name].expand(signature.fill(call))
        signature = KINDS[call.name].signature
    return signature.fill(KINDS[call.name].stands_for(call))
