"""What can be asked: each verb takes the checked fields of a message and makes the answers to it.

An answer is a generator: what it yields is sent while it runs, what it returns is sent last. Searches run in threads,
inside `stoppable`, and may take their time. Quick answers are given in the event loop, where all others wait for them:
they take milliseconds, and yield `{}` where they take longer.
"""

import io
import json
import math
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from outflank import __version__
from outflank.agents import Agent, agent_signatures
from outflank.agents.kinds import KINDS
from outflank.agents.levels import agent_text, levels
from outflank.analysis import Analysis, analyse, endgame_problem, judges, review, tree_agent, tree_opinion
from outflank.arena.openings import made_game
from outflank.arena.people import out_of_time, record
from outflank.arena.store import Store
from outflank.board import SIZES, VARIANTS, Color, Position, Rules
from outflank.facts import analysis_facts, decision_facts, game_facts, level_facts, verdict_facts
from outflank.formats import Problem, read, write_ggf, write_obf
from outflank.game import Game
from outflank.interfaces.web import exploring
from outflank.interfaces.web.agents import Page
from outflank.interfaces.web.lessons import trace_answers
from outflank.interfaces.web.messages import AGENT, GAME, LIMITS, SEED, BadMessage, Fields
from outflank.interfaces.web.security import page_agent
from outflank.schema import Option, Signature, choice, flag, number, text, whole
from outflank.search.clock import stoppable
from outflank.search.limits import Limits

T = TypeVar("T")
Reply = dict[str, Any]
Answer = Generator[Reply, None, Reply]
_LONGEST_NEED = 300


@dataclass(frozen=True)
class Verb:
    """A request that can be made: its name and fields, and how it is answered."""

    accepts: Signature
    answer: Callable[[Fields, Page], Answer]
    pool: str = "quick"
    """Which threads it runs in: `moves` for what a player waits for, `analyses` for what may take long; `quick` needs
    none once the boards are compiled."""
    stream: bool = False
    """Whether an answer replaces the one before, so that only the newest need be sent."""

    def needs(self, fields: Mapping[str, Any]) -> str:
        """A name of the compiled code that a request with these fields needs; the fields may be anything."""
        game = fields.get("game")
        rules = game.get("rules") if isinstance(game, dict) else fields.get("rules")
        return str((self.accepts.name, rules, fields.get("agent"), fields.get("opening")))[:_LONGEST_NEED]

    def answers(self, fields: Mapping[str, Any], page: Page) -> Answer:
        """The answers to a request with these fields."""
        if self.pool != "quick":
            yield {"kind": "preparing", "what": "board", "done": 0, "total": 1}  # to read a game its moves are played
        return (yield from self.answer(self.accepts.read(fields, self.accepts.name), page))


def _once(answer: Callable[[Fields, Page], Reply]) -> Callable[[Fields, Page], Answer]:
    """The only answer as answers."""

    def answers(fields: Fields, page: Page) -> Answer:
        yield from ()
        return answer(fields, page)

    return answers


# --- quick answers ------------------------------------------------------------------------------------------------


def _hello(_fields: Fields, page: Page) -> Reply:
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
        "records": page.people is not None,
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
        "score": position.score() if position.is_over else None,
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


def _agent(fields: Fields, page: Page) -> Reply:
    """Whether an agent can be named here; otherwise the error says why not."""
    return {"kind": "agent", "text": page_agent(agent_text(fields["agent"], Rules(8)), page.caps).text}


_WITHOUT_A_PAUSE = 8
"""Positions of a game that are shown before others may go first."""


def _state(fields: Fields, _page: Page) -> Answer:
    game: Game = fields["game"]
    lasts = [None, *game.moves]
    reply: Reply = {"kind": "state", "state": position_state(game.end, lasts[-1], len(game.moves))}
    if fields["all"]:
        reply["positions"] = []
        for ply, position in enumerate(game.positions):
            reply["positions"].append(position_state(position, lasts[ply], ply))
            if ply % _WITHOUT_A_PAUSE == _WITHOUT_A_PAUSE - 1:
                yield {}
    return reply


def _new(fields: Fields, _page: Page) -> Reply:
    with _stopped_after(fields["seconds"]):
        game = made_game(fields["opening"], Rules.parse(fields["rules"]), fields["seed"])
    return {"kind": "game", "game": game_facts(game)}


def _transform(fields: Fields, _page: Page) -> Reply:
    game: Game = fields["game"]
    moves = [game.rules.image(move, fields["number"]) for move in game.moves]
    return {"kind": "game", "game": game_facts(Game(game.start.transform(fields["number"]), tuple(moves)))}


def _read(fields: Fields, _page: Page) -> Reply:
    size = fields["size"]
    given = io.StringIO(fields["text"])  # a text and never the name of a file
    game = read(given, Rules(size or 8, fields["variant"]).variant, size)
    found = {"format": game.tags["format"], "black": game.black, "white": game.white}
    return {"kind": "read", "game": game_facts(game), **found}


def _write(fields: Fields, _page: Page) -> Reply:
    game: Game = fields["game"]
    return {
        "kind": "written",
        "transcript": game.transcript,
        "board": game.end.line(),
        "ggf": write_ggf(replace(game, black=fields["black"], white=fields["white"])),
        "obf": write_obf([Problem(game.end, {})]).strip(),
        "svg": game.end.svg(game.last),
        "drawn": str(game.end),
    }


def _record(fields: Fields, page: Page) -> Reply:
    if page.people is None:
        raise BadMessage("no games are recorded here; expected a server started with outflank play --record FILE")
    game: Game = replace(fields["game"], opening_plies=min(fields["opening_plies"], len(fields["game"])))
    if fields["loser"] and not game.over:
        game = _given_up(game, Color[fields["loser"].upper()], fields["reason"])
    who = page_agent(agent_text(fields["agent"], game.rules), page.caps).text
    with Store(page.people) as store:
        if store.count() >= page.caps.people_games:
            raise BadMessage(f"{store.count()} games are recorded; expected no more: begin with another file")
        added = record(store, game, fields["name"], Color[fields["side"].upper()], who, fields["mark"])
        return {"kind": "recorded", "added": added, "games": store.count()}


def _given_up(game: Game, loser: Color, reason: str) -> Game:
    return game.resign(loser) if reason == "resigned" else out_of_time(game, loser)


# --- searches -----------------------------------------------------------------------------------------------------


def _prepared(page: Page, game: Game, *players: Agent) -> Iterator[Reply]:
    """What is compiled before a search, so that no clock sees it."""
    for ready, player in enumerate(players):
        for what, done, total in page.agents.ready.prepare(player, game.start.rules):
            yield {"kind": "preparing", "what": what, "done": ready * total + done, "total": len(players) * total}


def _think(fields: Fields, page: Page) -> Answer:
    game: Game = fields["game"]
    given: Limits = fields["limits"] or Limits()
    limits = given.tightened(Limits(game_seconds=fields["left_seconds"]))
    with page.playing(agent_text(fields["agent"], game.rules), game) as player:
        yield from _prepared(page, game, player)
        thoughts = player.think(game.end, limits, fields["seed"])
        last = yield from _now_and_then(thoughts, lambda found: {"kind": "thinking", **decision_facts(found)})
    return last | {"kind": "decision", "forced": len(game.end.moves) == 1}


_STOPPED: Reply = {"kind": "stopped"}
_NOW_AND_THEN = 0.05


def _now_and_then(found: Iterator[T], told: Callable[[T], Reply]) -> Answer:
    """Tells what is found some times a second, and last of all; a search finds more than anybody can read."""
    latest, silent_until = None, 0.0
    for latest in found:
        if time.monotonic() >= silent_until:
            yield told(latest)
            silent_until = time.monotonic() + _NOW_AND_THEN
    return _STOPPED if latest is None else told(latest)


def _analyse(fields: Fields, page: Page) -> Answer:
    game: Game = fields["game"]
    player = page_agent(agent_text(fields["agent"], game.rules), page.caps) if fields["agent"] else None
    yield from _prepared(page, game, *([player] if player else judges(game.rules)))
    with _stopped_after(fields["seconds"]):
        return (yield from _now_and_then(analyse(game.end, player), _analysis_reply))


def _analysis_reply(analysis: Analysis) -> Reply:
    return {"kind": "analysis", **analysis_facts(analysis)}


def _stopped_after(seconds: float | None) -> AbstractContextManager[None]:
    deadline = time.monotonic() + (seconds or math.inf)
    return stoppable(lambda: time.monotonic() > deadline)


def _tree(fields: Fields, page: Page) -> Answer:
    game: Game = fields["game"]
    yield from _prepared(page, game, tree_agent(fields["playouts"]))
    opinions = tree_opinion(game.end, fields["playouts"])
    return (yield from _now_and_then(opinions, lambda found: {"kind": "tree", **decision_facts(found)}))


def _review(fields: Fields, page: Page) -> Answer:
    game: Game = fields["game"]
    yield from _prepared(page, game, *judges(game.rules))
    done = 0
    for verdict in review(game, seconds_per_move=fields["seconds_per_move"], depth=fields["depth"]):
        yield {"kind": "review", **verdict_facts(verdict)}
        done += 1
    return {"kind": "review", "done": done == len(game.positions)}


def _problem(fields: Fields, page: Page) -> Answer:
    rules = Rules.parse(fields["rules"])
    yield from _prepared(page, Game(Position.start(rules)), *judges(rules))
    problem = endgame_problem(rules, fields["empties"], fields["seed"])
    scores = {int(move): score for move, score in problem.scores.items()}
    return {"kind": "problem", "game": game_facts(Game(problem.position)), "scores": scores}


LONGEST_TEXT = 20_000
"""Characters of a game or position to read: ten times a 16x16 game with all that GGF can say of it."""
_RULES = Option("rules", text(most=40), None, "such as standard 8x8", needed=True)
_SECONDS = number(0, above=True)


def _verb(name: str, meaning: str, answer: Callable[[Fields, Page], Answer], *fields: Option, **how: Any) -> Verb:
    return Verb(Signature(name, meaning, fields), answer, **how)


VERBS = {
    verb.accepts.name: verb
    for verb in (
        _verb("hello", "what the server offers", _once(_hello)),
        _verb("agent", "an agent in full, or why it cannot be named", _once(_agent), AGENT),
        _verb(
            "state",
            "everything that a page shows of a position",
            _state,
            GAME,
            Option("all", flag(), False, "whether every position of the game is wanted"),
        ),
        _verb(
            "new",
            "a game that begins with an opening",
            _once(_new),
            _RULES,
            Option("opening", text(most=40), "start", "start, random(8) or balanced(8)"),
            Option("seconds", _SECONDS, None, "after which the search for an even opening ends"),
            SEED,
            pool="moves",
        ),
        _verb(
            "read",
            "the game or position of a text",
            _once(_read),
            Option("text", text(0, LONGEST_TEXT), None, "in any format", needed=True),
            Option("variant", choice(*VARIANTS), "standard", "where the text does not tell"),
            Option("size", whole(4, 16), None, "of a transcript that would pass for 8x8"),
        ),
        _verb(
            "write",
            "a game in every format",
            _once(_write),
            GAME,
            Option("black", text(0, 200), "black", "who plays black"),
            Option("white", text(0, 200), "white", "who plays white"),
        ),
        _verb(
            "record",
            "keeps a finished game of a person against an agent",
            _once(_record),
            GAME,
            AGENT,
            Option("name", text(1, 60), None, "the person", needed=True),
            Option("side", choice("black", "white"), None, "of the person", needed=True),
            Option("mark", text(1, 60), None, "of the game, chosen when it began", needed=True),
            Option("opening_plies", whole(0, 256), 0, "moves that were given"),
            Option("loser", choice("black", "white"), None, "who gave up or ran out of time, with moves left"),
            Option("reason", choice("resigned", "time"), "resigned", "why"),
            pool="moves",
        ),
        _verb(
            "transform",
            "the same game turned or mirrored",
            _once(_transform),
            GAME,
            Option("number", whole(0, 7), None, "of the symmetry", needed=True),
        ),
        _verb(
            "think",
            "the move of an agent",
            _think,
            GAME,
            AGENT,
            Option("limits", LIMITS, None, "what it may spend"),
            Option("left_seconds", _SECONDS, None, "on its clock"),
            SEED,
            pool="moves",
            stream=True,
        ),
        _verb(
            "analyse",
            "the value of every legal move",
            _analyse,
            GAME,
            Option("agent", text(0), None, "whose opinion is wanted, where it is not the analyst's"),
            Option("seconds", _SECONDS, None, "after which it ends"),
            pool="analyses",
            stream=True,
        ),
        _verb(
            "tree",
            "the opinion of a tree search",
            _tree,
            GAME,
            Option("playouts", whole(1, 10**9), 100_000, "games played out"),
            pool="analyses",
            stream=True,
        ),
        _verb("trace", "the steps of a search, for lessons", trace_answers, GAME, AGENT, SEED, pool="moves"),
        _verb(
            "problem",
            "an endgame with one best move",
            _problem,
            _RULES,
            Option("empties", whole(4, 16), 8, "empty squares"),
            SEED,
            pool="moves",
        ),
        _verb(
            "review",
            "a verdict on every move of a game",
            _review,
            GAME,
            Option("depth", whole(1, 60), None, "plies"),
            Option("seconds_per_move", _SECONDS, None, "time for a move"),
            pool="analyses",
        ),
        *(Verb(accepts, answer) for accepts, answer in exploring.QUICK),
        *(Verb(accepts, answer, pool="moves") for accepts, answer in exploring.THREADED),
    )
}


def rehearse_quick_answers(page: Page) -> None:
    """Answers every quick verb once on a board of each layout, so that all they need is compiled and loaded."""
    for size in (8, 10):
        fields: dict[str, Any] = {
            "game": {"rules": f"standard {size}x{size}"},
            "text": Position.start(Rules(size)).line(),
        }
        fields |= {"all": True, "number": 1, "agent": "random"}
        for verb in VERBS.values():
            if verb.pool == "quick":
                known = {option.name: fields[option.name] for option in verb.accepts.options if option.name in fields}
                for _ in verb.answers(known, page):
                    pass


def verb_of(name: Any) -> Verb:
    """The verb of a request.

    >>> verb_of("sing")
    Traceback (most recent call last):
    outflank.interfaces.web.messages.BadMessage: do is "sing"; expected one of: hello, agent, ..., stop
    """
    if not isinstance(name, str) or name not in VERBS:
        shown = "missing" if name is None else json.dumps(name)[:60]
        raise BadMessage(f"do is {shown}; expected one of: {', '.join([*VERBS, 'stop'])}")
    return VERBS[name]
