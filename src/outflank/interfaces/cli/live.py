"""The live table of a match: renewed twice a second on stderr; in a log a line now and then."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from outflank.interfaces.cli.common import progress
from outflank.progress import PREPARING, clock_text

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from outflank.arena.match import MatchResult, Scoreboard
    from outflank.arena.statistics.estimates import Estimate
    from outflank.arena.statistics.sprt import Sprt

_REFRESH_SECONDS = 0.5
_BAR = 41
"""Signs of a bar, an odd number so that it has a middle."""


@contextmanager
def live_table(args: argparse.Namespace, board: "Scoreboard") -> Iterator[Callable[[], None]]:
    """Shows the match while it runs; the function it gives is called after every game."""
    if args.quiet or not sys.stderr.isatty():
        with progress("match", args.quiet) as lines:
            result = board.result()
            lines.plan(result.planned, result.tally.games)
            yield lines.advance
        return
    from rich.console import Console
    from rich.live import Live

    watch = _Watch(args, board)
    with Live(
        get_renderable=watch.table,
        console=Console(stderr=True),
        refresh_per_second=1 / _REFRESH_SECONDS,
        transient=sys.stdout.isatty(),  # where the result is printed below, it takes the place of the table
    ):
        yield watch.game
        watch.look()


class _Watch:
    """The last result looked at, and how fast games come. Only the thread that adds games looks at the board."""

    def __init__(self, args: argparse.Namespace, board: "Scoreboard") -> None:
        self._args, self._board = args, board
        self._before = self._result = board.result()
        self._began = self._looked = time.monotonic()

    def game(self) -> None:
        """Looks at the board if the last look was some time ago."""
        if time.monotonic() - self._looked > _REFRESH_SECONDS:
            self.look()

    def look(self) -> None:
        """Looks at the board."""
        self._looked, self._result = time.monotonic(), self._board.result()

    def table(self) -> "Table":
        """The table now: the clock goes on between two looks."""
        played = self._result.tally.games - self._before.tally.games
        spent = self._looked - self._began
        return match_table(
            self._args.a, self._args.b, self._result, played / spent if spent else 0.0, time.monotonic() - self._began
        )


def match_table(a: str, b: str, result: "MatchResult", rate: float, seconds: float) -> "Table":
    """The table of a match that has run for so many seconds at `rate` games per second."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    games, (first, second) = result.tally, result.names
    left = (result.planned - games.games) / rate if rate else None
    speed = f"{rate:,.1f} games/s" if rate or games.games >= result.planned else PREPARING
    lines: list[tuple[str, Any]] = [
        (first, Text(a, style="bold cyan")),
        (second, Text(b, style="bold magenta")),
        ("games", _progress(games.games, result.planned, at_most=result.sprt is not None)),
        ("time", f"{speed}, {clock_text(seconds)} gone, {clock_text(left)} left"),
        (f"{first}'s games", f"{games.wins:,} won, {games.draws:,} drawn, {games.losses:,} lost"),
        (f"{first}'s pairs", _pairs(games.pairs)),
        (f"score of {first}", _estimate(result.score, ".1%", 0.5)),
        (f"Elo of {first} over {second}", _estimate(result.elo, "+.1f", 0.0)),
        (f"discs, {first} minus {second}", f"{result.margin:+.1f}"),
        ("different", f"{result.distinct_openings:,} openings, {result.distinct_games:,} games"),
        ("endings", ", ".join(f"{name} {number:,}" for name, number in result.terminations.items()) or "none yet"),
    ]
    if result.sprt is not None and result.llr is not None:
        lines.append((result.sprt.title, sprt_bar(result.sprt, result.llr)))
    for name, value in lines:
        table.add_row(name, value)
    return table


def _progress(games: int, planned: int, at_most: bool) -> "Text":
    from rich.text import Text

    full = round(_BAR * games / planned) if planned else _BAR
    of = f"of at most {planned:,}" if at_most else f"of {planned:,}"
    return Text.assemble(
        ("━" * full, "cyan"), ("─" * (_BAR - full), "dim"), f"  {games:,} {of}, {100 * games / max(planned, 1):.0f} %"
    )


def _pairs(pairs: tuple[int, int, int, int, int]) -> str:
    return ", ".join(f"{points}: {count:,}" for points, count in zip(("0", "½", "1", "1½", "2"), pairs, strict=True))


def _estimate(estimate: "Estimate", form: str, level: float) -> "Text":
    """Number and interval; coloured, with a sign, when the interval lies on one side of `level`."""
    from rich.text import Text

    above = estimate.low is not None and estimate.low > level
    below = estimate.high is not None and estimate.high < level
    sign, style = ("▲ ", "bold green") if above else ("▼ ", "bold red") if below else ("  ", "")
    return Text(f"{sign}{estimate:{form}}", style=style)


def sprt_bar(test: "Sprt", llr: float) -> "Text":
    """Where the log-likelihood ratio stands between the bounds of the test: H0 on the left, H1 on the right."""
    from rich.text import Text

    place = (min(max(llr, test.lower), test.upper) - test.lower) / (test.upper - test.lower)
    zero, here = (round((_BAR - 1) * share) for share in (-test.lower / (test.upper - test.lower), place))
    bar = Text()
    for column in range(_BAR):
        between = min(zero, here) <= column <= max(zero, here)
        style = "dim" if not between else "green" if here > zero else "red" if here < zero else "bold"
        bar.append("●" if column == here else "┼" if column == zero else "━" if between else "─", style=style)
    said = test.words(test.verdict(llr))
    return Text.assemble(f"{test.lower:+.2f} ", bar, f" {test.upper:+.2f}  LLR {llr:+.2f}, ", (said, "bold"))
