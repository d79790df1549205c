"""What can be asked: each verb takes the fields of a message and makes the answers to it.

An answer is a generator: what it yields is sent while it runs, what it returns is sent last. All of them run in
threads, inside `stoppable`, and may take their time.
"""

import io
import re
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any

from outflank import __version__
from outflank.agents import agent_signatures
from outflank.agents.kinds import KINDS
from outflank.agents.levels import levels
from outflank.analysis import analyse, review, tree_opinion
from outflank.arena.openings import read_openings
from outflank.board import SIZES, VARIANTS, Color, Position, Rules
from outflank.errors import BadSpec
from outflank.facts import analysis_facts, decision_facts, level_facts, verdict_facts
from outflank.formats import Problem, read, write_ggf, write_obf
from outflank.game import Game
from outflank.interfaces.web.agents import Page
from outflank.interfaces.web.fields import BadMessage, Fields, written
from outflank.interfaces.web.security import page_agent
from outflank.search.limits import Limits

Reply = dict[str, Any]
Answer = Generator[Reply, None, Reply]

_OPENING = re.compile(r"start|(random|balanced)\(\d{1,3}\)")
_MOST = 2**53


@dataclass(frozen=True)
class Verb:
    """How a request is answered."""

    answer: Callable[[Fields, Page], Answer]
    pool: str = "quick"
    """Which threads it runs in: `quick`, `moves` for what a player waits for, `analyses` for what may take long."""
    stream: bool = False
    """Whether an answer replaces the one before, so that only the newest need be sent."""


# --- quick answers ------------------------------------------------------------------------------------------------


def _hello(_fields: Fields, page: Page) -> Answer:
    yield from ()
    agents = {name: found for name, found in agent_signatures().items() if not (name in KINDS and KINDS[name].external)}
    return {
        "kind": "welcome",
        "version": __version__,
        "sizes": list(SIZES),
        "variants": list(VARIANTS),
        "levels": [level_facts(level) for level in levels()],
        "agents": [
            {"name": name, "summary": found.meaning, "source": found.source, "options": found.facts()["options"]}
            for name, found in agents.items()
        ],
        "limits": {
            "seconds": page.caps.seconds,
            "searches": page.caps.searches_per_connection,
            "memory_mb": page.caps.memory_mb,
            "message_bytes": page.caps.message_bytes,
            "messages_per_second": page.caps.messages_per_second,
        },
    }


def position_state(position: Position, last: int | None, ply: int) -> Reply:
    """Everything that a page shows of a position."""
    winner = position.winner
    return {
        "cells": "".join(position.cells()),
        "turn": str(position.turn),
        "legal": {int(move): _turned(position, move) for move in position.moves},
        "black": position.discs(Color.BLACK),
        "white": position.discs(Color.WHITE),
        "over": position.is_over,
        "winner": (str(winner) if winner is not None else "draw") if position.is_over else None,
        "last": last,
        "ply": ply,
        "must_pass": position.must_pass,
        "empties": position.empties,
    }


def _turned(position: Position, move: int) -> list[int]:
    """The squares that a move turns over."""
    if move == position.rules.pass_move:
        return []
    after = position.play(move)
    return list(position.rules.squares(position.opposing & ~after.own))


def _agent(fields: Fields, page: Page) -> Answer:
    """Whether an agent can be named here; otherwise the error says why not."""
    yield from ()
    return {"kind": "agent", "text": page_agent(fields.text("agent"), page.caps).text}


def _state(fields: Fields, _page: Page) -> Answer:
    yield from ()
    game = fields.game()
    lasts = [None, *game.moves]
    reply: Reply = {"kind": "state", "state": position_state(game.end, lasts[-1], len(game.moves))}
    if fields.flag("all"):
        reply["positions"] = [position_state(position, lasts[ply], ply) for ply, position in enumerate(game.positions)]
    return reply


def _new(fields: Fields, _page: Page) -> Answer:
    yield from ()
    rules = Rules.parse(fields.text("rules", most=40))
    opening = fields.text("opening", "start", most=40)
    if not _OPENING.fullmatch(opening):
        raise BadSpec(f"opening {opening!r} is not possible here; expected start, random(8) or balanced(8)")
    found = read_openings(opening, rules, wanted=1, seed=fields.whole("seed", -_MOST, _MOST, 0))
    if not found:
        raise BadSpec(f"{opening} gives no opening on {rules}; expected fewer plies")
    return {"kind": "game", "game": written(found[0].game)}


def _transform(fields: Fields, _page: Page) -> Answer:
    yield from ()
    game, number = fields.game(), fields.whole("number", 0, 7)
    rules = game.start.rules
    moves = [rules.image(move, number) for move in game.moves]
    return {"kind": "game", "game": written(Game(game.start.transform(number), tuple(moves)))}


def _read(fields: Fields, _page: Page) -> Answer:
    yield from ()
    variant: Any = fields.text("variant", "standard", most=20)
    size = fields.maybe_whole("size", 4, 16)
    text = io.StringIO(fields.text("text", most=60_000))  # a text and never the name of a file
    game = read(text, Rules(size or 8, variant).variant, size)
    found = {"format": game.tags["format"], "black": game.black, "white": game.white}
    return {"kind": "read", "game": written(game), **found}


def _write(fields: Fields, _page: Page) -> Answer:
    yield from ()
    game = fields.game()
    names = fields.text("black", "black", most=200), fields.text("white", "white", most=200)
    return {
        "kind": "written",
        "transcript": game.transcript,
        "board": game.end.line(),
        "ggf": write_ggf(replace(game, black=names[0], white=names[1])),
        "obf": write_obf([Problem(game.end, {})]).strip(),
        "svg": game.end.svg(game.last),
        "drawn": str(game.end),
    }


# --- searches -----------------------------------------------------------------------------------------------------


def _think(fields: Fields, page: Page) -> Answer:
    game = fields.game()
    given = fields.part("limits")
    limits = Limits(
        depth=given.maybe_whole("depth", 1, 500),
        nodes=given.maybe_whole("nodes", 1, _MOST),
        playouts=given.maybe_whole("playouts", 1, _MOST),
        seconds=given.maybe_number("seconds", page.caps.seconds),
        game_seconds=fields.maybe_number("left_seconds", 1e6),
    )
    seed = fields.whole("seed", -_MOST, _MOST, 0)
    decision = None
    with page.playing(fields.text("agent"), game) as player:
        for decision in player.think(game.end, limits, seed):
            yield {"kind": "thinking", **decision_facts(decision)}
    assert decision is not None, "an agent decides or raises"
    return {"kind": "decision", **decision_facts(decision), "forced": len(game.end.moves) == 1}


_STOPPED: Reply = {"kind": "stopped"}


def _analyse(fields: Fields, page: Page) -> Answer:
    game = fields.game()
    text = fields.text("agent", "")
    player = page_agent(text, page.caps) if text else None
    latest = _STOPPED
    for analysis in analyse(game.end, player):
        latest = {"kind": "analysis", **analysis_facts(analysis)}
        yield latest
    return latest


def _tree(fields: Fields, _page: Page) -> Answer:
    game = fields.game()
    latest = _STOPPED
    for decision in tree_opinion(game.end, fields.whole("playouts", 1, 10**9, 100_000)):
        latest = {"kind": "tree", **decision_facts(decision)}
        yield latest
    return latest


def _review(fields: Fields, page: Page) -> Answer:
    game = fields.game()
    depth, seconds = fields.maybe_whole("depth", 1, 60), fields.maybe_number("seconds_per_move", page.caps.seconds)
    done = 0
    for verdict in review(game, seconds_per_move=seconds, depth=depth):
        yield {"kind": "review", **verdict_facts(verdict)}
        done += 1
    return {"kind": "review", "done": done == len(game.positions)}


VERBS = {
    "hello": Verb(_hello),
    "agent": Verb(_agent),
    "state": Verb(_state),
    "new": Verb(_new, pool="moves"),
    "read": Verb(_read),
    "write": Verb(_write),
    "transform": Verb(_transform),
    "think": Verb(_think, pool="moves", stream=True),
    "analyse": Verb(_analyse, pool="analyses", stream=True),
    "tree": Verb(_tree, pool="analyses", stream=True),
    "review": Verb(_review, pool="analyses"),
}


def verb_of(fields: Fields) -> Verb:
    """The verb of a message."""
    name = fields.verb
    if name not in VERBS:
        raise BadMessage(f"nothing is called {name!r}; expected one of: {', '.join([*VERBS, 'stop'])}")
    return VERBS[name]
