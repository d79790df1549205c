"""What the games of a study say of every printed number and claim, gathered; and of several studies in a few counts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from outflank.studies.compare import (
    Comparison,
    Judgement,
    ReadingFindings,
    TableFindings,
    WrongAgent,
    compare,
    compare_readings,
    compare_tables,
    judge,
    tally,
)
from outflank.studies.results import Results
from outflank.studies.run import pairs_of
from outflank.studies.study import Study, Swap


@dataclass(frozen=True)
class Source:
    """A study with its games."""

    study: Study
    results: Results


@dataclass(frozen=True)
class StudyFindings(Source):
    """A study with what its games say of every printed number and every claim."""

    comparisons: Sequence[Comparison]
    tables: Sequence[TableFindings]
    readings: Sequence[ReadingFindings]
    judgements: Sequence[Judgement]
    swapped: Mapping[str, Source]
    """The pairings that have a wrong agent, with their games, by the name of the swap."""

    @property
    def wrong(self) -> list[WrongAgent]:
        """Every wrong agent on every table that it was tried on."""
        return [wrong for table in self.tables for wrong in table.wrong]


def findings_of(study: Study, read: Callable[[Study], Results]) -> StudyFindings:
    """Compares every number, judges every claim, tries the tables on wrong agents and under other readings.

    `read` finds the games of the study, and of it with wrong agents and under other readings.
    """
    results = read(study)
    comparisons = compare(study, results)
    swapped = {swap: read(study.swapped(swap)) for swap in study.swaps}
    tables = compare_tables(study, comparisons, swapped)
    readings = compare_readings(study, comparisons, read)
    sources = {swap.name: Source(_changed(study, swap), games) for swap, games in swapped.items()}
    return StudyFindings(study, results, comparisons, tables, readings, judge(study, results), sources)


def _changed(study: Study, swap: Swap) -> Study:
    """The part of a study that a wrong agent changes, under a name of its own."""
    pairings = [swap.wrong(pairing) for pairing in study.pairings if swap.wrong(pairing) != pairing]
    name, title = (f"{words} with {swap.name}" for words in (study.name, study.title))
    printed = [cell for cell in study.printed if cell.table in swap.tables]
    return replace(study, name=name, title=title, pairings=tuple(pairings), printed=tuple(printed), swaps=(), claims=())


def headline(found: Sequence[StudyFindings]) -> dict[str, int]:
    """What all studies together say: informative, predicted, independent numbers only, and wrong agents caught."""
    cells, wrong = _all_cells(found), [one for study in found for one in study.wrong]
    counts = tally(cells)
    return {
        "informative": counts.informative,
        "equivalent": counts.equivalent,
        "differ": counts.differ,
        "open": counts.compatible,
        "uninformative": counts.others,
        "uninformative_differ": counts.others_differ,
        "fitted": sum(cell.verdict == "fitted" for cell in cells),
        "times": sum(cell.verdict == "not comparable" for cell in cells),
        "wrong_agents": len(wrong),
        "caught": sum(one.caught for one in wrong),
    }


def _all_cells(found: Iterable[StudyFindings]) -> list[Comparison]:
    return [cell for one in found for cell in one.comparisons]


def warnings_of(found: Sequence[StudyFindings], scale: str | float) -> list[str]:
    """Warnings: pairings with repeated games, games with unusual endings."""
    warnings = []
    for one in found:
        for pairing in one.study.pairings:
            games = one.results[pairing.name]
            planned = 2 * pairs_of(pairing, scale)
            if 0 < len(games) < planned:
                warnings.append(
                    f"{pairing.name}: only {len(games)} of {planned} games are different, and only those are counted; "
                    "expected more openings, such as random(8)"
                )
            lost = sum(game.game.termination not in ("normal", "adjudicated") for game in games)
            if lost:
                warnings.append(f"{pairing.name}: {lost} of {len(games)} games ended unusually, see the table of games")
    return warnings
