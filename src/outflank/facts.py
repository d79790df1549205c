"""Results as plain data (numbers, texts, lists, dictionaries): what `--json` prints and what the page is sent.

Moves stay moves, which JSON writes as numbers: that is for the page. `with_names` turns them into their names: that is
for the command line.
"""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from outflank.board import Move, Position

if TYPE_CHECKING:
    from outflank.agents.levels import Level
    from outflank.analysis import Analysis, Verdict
    from outflank.arena.match import MatchResult
    from outflank.arena.ratings import CrossTable, Ratings
    from outflank.arena.statistics.estimates import Estimate
    from outflank.game import Game
    from outflank.search.decision import Decision
    from outflank.search.solver import Solution

Facts = dict[str, Any]
_SECONDS_DIGITS = 6


def with_names(data: Any) -> Any:
    """The same data with every move as its name.

    >>> from outflank.board import Position
    >>> with_names({"moves": list(Position.start().moves), "depth": 4})
    {'moves': ['d3', 'c4', 'f5', 'e6'], 'depth': 4}
    """
    if isinstance(data, Move):
        return str(data)
    if isinstance(data, dict):
        return {key: with_names(value) for key, value in data.items()}
    return [with_names(value) for value in data] if isinstance(data, list | tuple) else data


def game_facts(game: "Game") -> Facts:
    """The moves of a game and where it began, as the page writes it; the usual start is left out.

    >>> from outflank.game import Game
    >>> with_names(game_facts(Game.of(moves="f5d6")))
    {'rules': 'standard 8x8', 'start': None, 'moves': ['f5', 'd6']}
    """
    start = None if game.start == Position.start(game.rules) else game.start.line()
    return {"rules": str(game.rules), "start": start, "moves": list(game.moves)}


def decision_facts(decision: "Decision") -> Facts:
    """A move and why.

    >>> from outflank.agents import agent
    >>> from outflank.board import Position
    >>> with_names(decision_facts(agent("minimax(depth=2)").choose(Position.start())))["pv"]
    ['d3', 'c3']
    """
    return {
        "move": decision.move,
        "value": decision.value,
        "value_text": decision.value_text,
        "unit": decision.unit,
        "exact": decision.exact,
        "seen_from": str(decision.seen_from),
        "depth": decision.depth,
        "confidence": decision.confidence,
        "nodes": decision.nodes,
        "playouts": decision.playouts,
        "seconds": round(decision.seconds, _SECONDS_DIGITS),
        "pv": list(decision.pv),
        "moves": [root._asdict() for root in decision.moves],
        "finished": decision.finished,
        "note": decision.note,
    }


def solution_facts(solution: "Solution") -> Facts:
    """The outcome of a position under perfect play; `discs` leaves the empty squares to nobody.

    >>> from outflank.board import Position
    >>> from outflank.search.solver import solve
    >>> found = solution_facts(solve(Position.parse("XXXXOOOXOOXXOO-- X")))
    >>> found["score"], found["discs"], with_names(found["pv"])
    (2, 2, ['pass', 'c4', 'd4'])
    """
    position = end = solution.position
    for move in solution.pv:
        end = end.play(move)
    return {
        "position": position.line(),
        "score": solution.score,
        "discs": end.score(position.turn, empties="nobody") if solution.exact and end.is_over else None,
        "best": solution.move,
        "nodes": solution.nodes,
        "seconds": round(solution.seconds, _SECONDS_DIGITS),
        "exact": solution.exact,
        "pv": list(solution.pv),
    }


def analysis_facts(analysis: "Analysis") -> Facts:
    """The value of every move, best first, from the view of the side to move.

    >>> from outflank.analysis import analyse
    >>> from outflank.board import Position
    >>> *_, last = analyse(Position.parse("OX-OXOO-XXXXXXX- O"))
    >>> [(str(move["move"]), move["value"]) for move in analysis_facts(last)["moves"]]
    [('c1', 2), ('d4', -6)]
    """
    return {
        "depth": analysis.depth,
        "confidence": analysis.confidence,
        "nodes": analysis.nodes,
        "seconds": round(analysis.seconds, _SECONDS_DIGITS),
        "moves": [asdict(move) | {"value_text": move.text, "pv": list(move.pv)} for move in analysis.moves],
    }


def verdict_facts(verdict: "Verdict") -> Facts:
    """What a review says of one ply; its value is from black's view.

    >>> from outflank.analysis import Verdict
    >>> verdict_facts(Verdict(0, -2, True, None, (), None, 0.0, ""))["value"]
    -2
    """
    return asdict(verdict) | {"best_pv": list(verdict.best_pv)}


def level_facts(level: "Level") -> Facts:
    """A level of `outflank play`, with its rating in the standard game on 8x8 beside those of all rules.

    >>> from outflank.agents.levels import levels
    >>> sorted(level_facts(levels()[0])["ratings"])
    ['reversed 6x6', 'reversed 8x8', 'standard 6x6', 'standard 8x8']
    """
    standard = level.ratings["standard 8x8"]
    rating = {"rating": standard.rating, "rating_low": standard.low, "rating_high": standard.high}
    return asdict(level) | rating


def match_facts(result: "MatchResult") -> Facts:
    """Everything that a match says, from A's view.

    >>> from outflank.arena.quick import match
    >>> from outflank.board import Rules
    >>> match_facts(match("greedy", "random", games=2, rules=Rules(4), openings="start"))["games"]
    2
    """
    from outflank.arena.statistics.elo_scale import normalized_elo
    from outflank.arena.statistics.estimates import superiority

    tally = result.tally
    facts: Facts = {
        "a": result.a,
        "b": result.b,
        "a_behaviour": result.behaviours[0],
        "b_behaviour": result.behaviours[1],
        "seen_from": "a",
        "games": tally.games,
        "planned": result.planned,
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "pairs": list(tally.pairs),
        "as_black": list(tally.as_black),
        "as_white": list(tally.as_white),
        "likelihood_of_superiority": superiority(tally.counts),
        "distinct_games": result.distinct_games,
        "distinct_openings": result.distinct_openings,
        "terminations": result.terminations,
        **_estimated("score", result.score),
        **_estimated("elo", result.elo),
        **_estimated("normalized_elo", normalized_elo(tally.counts)),
        **_estimated("margin", result.margin),
    }
    if result.sprt is not None:
        facts["sprt"] = {
            "model": result.sprt.model,
            "unit": result.sprt.unit,
            "elo0": result.sprt.elo0,
            "elo1": result.sprt.elo1,
            "alpha": result.sprt.alpha,
            "beta": result.sprt.beta,
            "llr": result.llr,
            "lower": result.sprt.lower,
            "upper": result.sprt.upper,
            "verdict": result.verdict,
        }
    return facts


def ratings_facts(ratings: "Ratings") -> Facts:
    """The table of ratings, group by group and best first, and what a reader of it must be told.

    >>> from outflank.arena.ratings import collect, rate
    >>> found = ratings_facts(rate(collect([("A", "B", 0.5, 1), ("B", "A", 0.5, 1)])))
    >>> [(line["agent"], line["points"]) for line in found["ratings"]]
    [('A', 1.0), ('B', 1.0)]
    """
    from outflank.agents.identities import behaviour_of, text_of

    lines = [
        {"agent": text_of(line.player), "behaviour": behaviour_of(line.player), **_estimated("elo", line.elo)}
        | {"games": line.games, "points": line.points, "group": line.group}
        for line in ratings.lines
    ]
    return {"ratings": lines, "warnings": list(ratings.warnings)}


def cross_table_facts(table: "CrossTable") -> Facts:
    """Points and games of every agent against every other, rows and columns in the order of `agents`.

    >>> from outflank.arena.ratings import collect, cross_table
    >>> cross_table_facts(cross_table(collect([("A", "B", 1.0, None)])))["cross_table"]["games"]
    [[0, 1], [1, 0]]
    """
    from outflank.agents.identities import behaviour_of, text_of

    return {
        "agents": [text_of(player) for player in table.players],
        "behaviours": [behaviour_of(player) for player in table.players],
        "cross_table": {"points": table.points.tolist(), "games": table.games.tolist()},
    }


def _estimated(name: str, estimate: "Estimate") -> Facts:
    """A number, None where the games give only a bound, and its interval, None where an end is open."""
    return {
        name: None if estimate.bounded else estimate.value,
        f"{name}_interval": [estimate.low, estimate.high],
    }
