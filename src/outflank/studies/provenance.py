"""Where every number comes from: its games and how many differ, their seeds, the agents' behaviours, what made them.

A report has this as a table for each study, and as `games/NAME.json` number by number, with every seed and key.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from outflank.agents import identity
from outflank.agents.identities import behaviour_of
from outflank.arena.store import cpu_name, players
from outflank.report.document import Table, Value
from outflank.studies.findings import StudyFindings
from outflank.studies.results import Asked, Played, distinct
from outflank.studies.study import Pairing


@dataclass(frozen=True)
class Provenance:
    """What is known of the games of one pairing."""

    first: str
    second: str
    """The agents with their behaviours."""
    rules: str
    openings: str
    games: int
    different: int
    thought: float
    """Seconds that both agents thought, in all games together."""
    made: dict[str, int]
    """Version, kernels, Python, CPU and day of playing, each with its number of games."""
    seeds: list[int]
    keys: list[str]
    """Of every game, in the order of the report."""


def provenance_of(pairing: Pairing, games: Sequence[Played]) -> Provenance:
    """The provenance of the games of a pairing, of which there is at least one."""
    who, color = players(games[0].game), games[0].color
    return Provenance(
        first=who[color],
        second=who[color.other],
        rules=str(pairing.rules),
        openings=pairing.openings,
        games=len(games),
        different=distinct(games),
        thought=round(sum(side.seconds for played in games for side in played.game.spent), 3),
        made=dict(Counter(played.game.tags["made"] for played in games).most_common()),
        seeds=[played.game.seed for played in games],
        keys=[played.game.tags["key"] for played in games],
    )


def provenance_table(one: StudyFindings) -> Table:
    """A line for every pairing that has been played, and for every timing that was taken."""
    rows: list[list[Value]] = [
        [
            name,
            " and ".join(behaviour_of(who) for who in (found.first, found.second)),
            found.games,
            found.different,
            len(set(found.seeds)),
            f"{found.thought:,.1f} s",
            "\n".join(f"{maker} ({games:,} games)" for maker, games in found.made.items()),
        ]
        for name, found in _pairings(one).items()
    ]
    rows += [
        [name, behaviour_of(timing["agent"]), f"{len(timing['samples'])} samples", None, None, None, timing["machine"]]
        for name, timing in _timings(one).items()
    ]
    columns = ["pairing", "behaviours", "games", "different", "seeds", "thought, both", "made by, on, day"]
    note = f"Number by number, with every agent, seed and key: `games/{one.study.name}.json`."
    return Table(columns, rows, "Provenance", note, f"{one.study.name} provenance")


def provenance_facts(one: StudyFindings) -> dict[str, Any]:
    """Every number and claim with its pairings and timings, and these with all that is known of them."""
    tables = {table.table: table for table in one.study.paper_tables}
    numbers = [
        {"table": cell.table, "row": cell.row, "column": cell.column, "line": cell.line}
        | _behind(one, tables[cell.table].behind(cell))
        for cell in one.study.printed
    ]
    claims = [{"claim": claim.text, "line": claim.line} | _behind(one, claim.behind) for claim in one.study.claims]
    pairings = {name: asdict(found) for name, found in _pairings(one).items()}
    sources = {"pairings": pairings, "timings": _timings(one)}
    return {"study": one.study.name, "numbers": numbers, "claims": claims, **sources}


def _pairings(one: StudyFindings) -> dict[str, Provenance]:
    played = {pairing: one.results[pairing.name] for pairing in one.study.pairings}
    return {pairing.name: provenance_of(pairing, games) for pairing, games in played.items() if games}


def _timings(one: StudyFindings) -> dict[str, dict[str, Any]]:
    """Timings are taken on the machine that writes of them (`run.take_timings`)."""
    samples = {timing: list(one.results.timing(timing.name)) for timing in one.study.timings}
    return {
        timing.name: {"agent": identity(timing.agent), "machine": cpu_name(), "samples": taken}
        for timing, taken in samples.items()
        if taken
    }


def _behind(one: StudyFindings, asked: Asked) -> dict[str, Any]:
    names = _once(asked.pairings)
    games = one.results.of(names)
    return {"pairings": names, "timings": _once(asked.timings), "games": len(games), "different": distinct(games)}


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
