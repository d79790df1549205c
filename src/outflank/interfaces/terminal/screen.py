"""What a person sees and types: in colours where the terminal has them, as plain characters elsewhere.

Both screens show the same things in the same order, so nothing is said by colour alone. The plain one writes no control
codes at all: for `NO_COLOR`, for pipes, for `TERM=dumb`, for screen readers.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from string import ascii_lowercase

from rich.console import Console
from rich.live import Live
from rich.table import Table as Grid
from rich.text import Text

from outflank.board import Color
from outflank.interfaces.preparing import Step, after_a_moment, preparing_bar
from outflank.interfaces.terminal.board import Board
from outflank.progress import PREPARING
from outflank.report.document import Table
from outflank.report.names import clipped
from outflank.report.terminal import coloured, plain

Names = tuple[str, str]
"""Of black and of white."""


@dataclass(frozen=True)
class Palette:
    """Colours of the squares in turn, of the last move, of the discs it turned; of discs and dots by their signs."""

    felt: tuple[str, str]
    last: str
    turned: str
    ink: dict[str, str]


_FINE = Palette(
    ("#2e7d4f", "#2a7348"), "#c79a2a", "#55ab79", {"X": "#101010", "O": "#ffffff", ".": "#d4ffe4", "-": "default"}
)
_SIXTEEN = Palette(
    ("green", "green"), "yellow", "cyan", {"X": "black", "O": "bright_white", ".": "bright_white", "-": "default"}
)
_SIGNS = {"X": "●", "O": "●", ".": "·", "-": " "}
_LONGEST_NAME = 28
_LOOK_SECONDS = 0.3


class Screen:
    """Plain characters, X for black and O for white, a dot on every legal move, brackets around the last one."""

    def show(self, board: Board, names: Names) -> None:
        """The board and how things stand."""
        (black, white), position = board.game.discs, board.position
        self.say(f"\n{position.text(board.last)}")
        self.say(f"black X {black} ({names[0]}), white O {white} ({names[1]})")
        last = "" if board.last is None else f"last move {board.last}; "
        self.say(f"{last}{state(board)}")
        if board.game.opening:
            self.say(f"opening: {board.game.opening}")

    def say(self, text: str) -> None:
        """A line of text."""
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def complain(self, text: str) -> None:
        """A line that says what went wrong."""
        self.say(f"! {text}")

    def ask(self, prompt: str) -> str:
        """What the person types."""
        return input(f"{prompt}> ").strip()

    def pause(self) -> None:
        """Time to look, between the moves of two agents; the plain screen takes none."""

    @contextmanager
    def status(self) -> Iterator[Callable[[str], None]]:
        """Takes lines that each replace the one before while something is going on; the plain screen shows none."""
        yield lambda text: None

    @contextmanager
    def preparing(self) -> Iterator[Callable[[Step], None]]:
        """Takes how far the compiling of an agent is; the plain screen says once that it goes on."""
        with after_a_moment(lambda: self.say(PREPARING)):
            yield lambda step: None

    @contextmanager
    def table(self) -> Iterator[Callable[[Table], None]]:
        """Takes tables that each replace the one before; the plain screen shows the last one."""
        shown: list[Table] = []
        try:
            yield shown.append
        finally:
            if shown:
                self.say(plain(shown[-1]))


class ColourScreen(Screen):
    """The same in colours."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, markup=False, emoji=False)
        self._palette = _FINE if self._console.color_system in ("256", "truecolor") else _SIXTEEN
        with suppress(ImportError):  # editing and history of what is typed, where Python has them
            __import__("readline")

    def show(self, board: Board, names: Names) -> None:
        """The board, and beside it how things stand."""
        grid = Grid.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        grid.add_row(felt(board, self._palette), Text("\n").join(_facts(board, names, self._palette)))
        self._console.print()
        self._console.print(grid)

    def say(self, text: str) -> None:
        """A line of text."""
        self._console.print(text, soft_wrap=True)

    def complain(self, text: str) -> None:
        """A line that says what went wrong."""
        self._console.print(Text(f"! {text}", style="bold red"), soft_wrap=True)

    def pause(self) -> None:
        """Time to look, between the moves of two agents."""
        time.sleep(_LOOK_SECONDS)

    @contextmanager
    def status(self) -> Iterator[Callable[[str], None]]:
        """Takes lines that each replace the one before, and leaves none."""
        with self._console.status("") as status:
            yield lambda text: status.update(Text(clipped(text, self._console.width - 4), style="dim"))

    @contextmanager
    def preparing(self) -> Iterator[Callable[[Step], None]]:
        """Takes how far the compiling of an agent is, as a bar."""
        with preparing_bar(self._console) as told:
            yield told

    @contextmanager
    def table(self) -> Iterator[Callable[[Table], None]]:
        """Takes tables that each replace the one before, and leaves the last."""
        with Live(console=self._console, refresh_per_second=8) as live:
            yield lambda table: live.update(coloured(table))


def screen() -> Screen:
    """The screen that fits this terminal."""
    console = Console()
    colours = console.is_terminal and not console.is_dumb_terminal and not os.environ.get("NO_COLOR")
    return ColourScreen() if colours and console.encoding.startswith("utf") else Screen()


def state(board: Board) -> str:
    """Whose turn it is and what is legal, or how the game ended."""
    if board.game.over:
        return f"game over: {board.game.result}"
    position = board.position
    return f"{position.turn} to move: {' '.join(map(str, position.moves))}"


# --- in colours ---------------------------------------------------------------------------------------------------


def felt(board: Board, palette: Palette) -> Text:
    """The board as coloured squares: the last move on amber, the discs it turned on lighter green."""
    position, size = board.position, board.position.rules.size
    legal = () if board.game.over else position.moves
    grounds: dict[int | None, str] = dict.fromkeys(board.turned, palette.turned) | {board.last: palette.last}
    letters = "   " + "".join(f" {letter} " for letter in ascii_lowercase[:size])
    drawn = Text(f"{letters}\n", style="none")
    for row, line in enumerate(position.cells()):
        drawn.append(f"{row + 1:>2} ")
        for square, sign in enumerate(line, start=row * size):
            sign = "." if square in legal else sign
            ground = grounds.get(square, palette.felt[(row + square) % 2])
            drawn.append(f" {_SIGNS[sign]} ", style=f"{palette.ink[sign]} on {ground}")
        drawn.append(f" {row + 1}\n")
    return drawn.append(letters)


def _facts(board: Board, names: Names, palette: Palette) -> list[Text]:
    turn = None if board.game.over else board.position.turn
    chips = [f"{palette.ink[color.sign]} on {palette.felt[0]}" for color in Color]
    sides = [_side(color, chips[color], board.game.discs[color], names[color], color is turn) for color in Color]
    plies = len(board.game)
    played = f", {plies} {'move' if plies == 1 else 'moves'} played" if plies else ""
    facts = [Text(), Text(f"{board.game.start.rules}{played}", style="dim"), *sides, Text()]
    if board.last is not None:
        facts.append(Text(f"last move {board.last}"))
    if board.game.opening:
        facts.append(Text(f"opening: {board.game.opening}"))
    return [*facts, Text(f"game over: {board.game.result}", style="bold")] if board.game.over else facts


def _side(color: Color, chip: str, discs: int, name: str, to_move: bool) -> Text:
    return Text.assemble(
        ("▶ " if to_move else "  ", "bold"),
        (" ● ", chip),
        (f" {color!s:<5} {discs:>3}  {clipped(name, _LONGEST_NAME)}", "bold" if to_move else ""),
    )
