"""The option `--report DIR` that matches, tournaments and ratings share."""

import argparse
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from outflank.errors import require
from outflank.interfaces.cli.common import command_line

if TYPE_CHECKING:
    from outflank.arena.match import MatchResult
    from outflank.arena.ratings import Ratings
    from outflank.arena.store import Store
    from outflank.report.document import Table


def add_report_option(parser: argparse.ArgumentParser) -> None:
    """Adds the option."""
    parser.add_argument("--report", metavar="DIR", help="also write a report: index.html, report.md, figures, tables")


def check_report(args: argparse.Namespace) -> None:
    """Says before any game is played what would keep its results from being told or written."""
    require("scipy", "statistics of matches need scipy", "arena")
    if args.report:
        from outflank.report.write import check

        check(args.report)


def sandbox_facts(agents: Iterable[str]) -> dict[str, str]:
    """What held the bots among these agents, for the terminal and the report; nothing where there are none."""
    from outflank.agents.identities import text_of
    from outflank.bots import BOTS
    from outflank.engines.sandbox import fence_words
    from outflank.spec import parse

    calls = [parse(text_of(who)) for who in agents]
    asked = {str(dict(call.options).get("sandbox", "auto")) for call in calls if call.name in BOTS}
    words = sorted({fence_words(None if fence == "auto" else fence) for fence in asked})  # type: ignore[arg-type]
    return {"bots held by": "; ".join(words)} if words else {}


def write_report(
    args: argparse.Namespace,
    title: str,
    store: "Store",
    keys: Collection[str] | None = None,
    ratings: "Ratings | None" = None,
    match: "MatchResult | None" = None,
    tables: "Sequence[Table]" = (),
    facts: Mapping[str, str] | None = None,
) -> Path | None:
    """The page of the games with these keys, or of all; None if no report was asked for."""
    if not args.report:
        return None
    from outflank.arena.ratings import rate
    from outflank.report.arena import arena_document
    from outflank.report.survey import survey
    from outflank.report.write import write

    counts = survey(game for game in store.games() if keys is None or game.tags["key"] in keys)
    told = {"command": command_line(), "store": str(store.path), **(facts or {})}
    strength = ratings or rate(counts.results, advantage=True)
    return write(arena_document(title, counts, strength, told, match, tables), args.report)
