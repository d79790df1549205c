"""Games that are kept: the finished games of a person against an agent, played without help."""

import secrets
from pathlib import Path

from outflank.arena.people import person, record
from outflank.arena.store import Store
from outflank.board import Color
from outflank.game import Game

HELP = ("hint", "analyse", "undo", "redo", "load", "flip", "black", "white")
"""Commands after which a game is not kept: advice, moves taken back, other players."""


class Record:
    """Where the games of a person go, and whether the game on the table goes there."""

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        person(name)  # explains what is no name
        Store(path).close()  # and a file that cannot be written to
        self.begin()

    def begin(self) -> None:
        """Another game is on the table."""
        self._mark, self._done, self._help = secrets.token_hex(8), False, ""

    def used(self, command: str) -> None:
        """The person typed a command."""
        if command in HELP:
            self._help = self._help or command

    def end(self, game: Game, color: Color, agent: str) -> str:
        """Keeps a finished game, once; what to tell the person, if anything."""
        if self._done:
            return ""
        self._done = True
        if self._help:
            return f"this game is not recorded, because of {self._help}"
        with Store(self._path) as store:
            record(store, game, self._name, color, agent, self._mark)
        return f"recorded in {self._path} as a game of {self._name}"
