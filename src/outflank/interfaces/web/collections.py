"""Collections of games to explore: those that `outflank play --collection` names, and those dropped on the page.

A collection is read by the readers of all formats and indexed once, one collection after the other, in a thread of
their own; 100,000 games take some tens of seconds, an index of `outflank explore --out` none. Files that come from a
page lie in a directory of their own until they are read. Only a server for this machine alone takes any, and no more
than the caps say.
"""

import json
import logging
import queue
import re
import shutil
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from outflank.arena.imports import games_of
from outflank.board import Rules
from outflank.errors import BadSpec, OutflankError
from outflank.explorer import Explorer, indexes
from outflank.game import Game
from outflank.inputs import shown
from outflank.interfaces.web.security import Caps
from outflank.schema import Option, OptionType, Signature, list_of, text, whole

log = logging.getLogger("outflank.web")

INDEX = ".npz"
_BESIDE = (".jou", ".trn")
"""Files of names that belong to others."""
_HEAD_BYTES, _MOST_FILES = 64 * 1024, 500
_STRANGE = re.compile(r"[^A-Za-z0-9._ -]")
_MOST_PROBLEMS = 3

_FILE = Signature(
    "file",
    "a file that a page brings",
    (
        Option("name", text(1, 200), None, "without directories", needed=True),
        Option("size", whole(0, 2**40), None, "in bytes", needed=True),
    ),
)
_ONE = OptionType("a file: name, size", lambda given: _FILE.read(given, "file"))
_FILES = Signature(
    "files",
    "files that a page brings",
    (Option("files", list_of(_ONE, 1, _MOST_FILES), None, "names and sizes", needed=True),),
)


@dataclass(eq=False)
class Collection:
    """Games of some files, and how far they are read."""

    name: str
    sources: Sequence[Path]
    brought: Path | None = None
    """The directory of files that a page brought, which goes when they are read."""
    read: int = 0
    ready: bool = False
    problems: list[str] = field(default_factory=list)
    indexes: dict[Rules, Explorer] = field(default_factory=dict)

    def facts(self) -> dict[str, Any]:
        """What a page shows of it."""
        return {
            "name": self.name,
            "read": self.read,
            "ready": self.ready,
            "problems": self.problems,
            "boards": [
                {"rules": str(rules), "games": len(index.scores), "left_out": index.left_out, "years": _years(index)}
                for rules, index in self.indexes.items()
            ],
            "brought": self.brought is not None,
        }

    def load(self, most: int) -> None:
        """Reads its games, at most so many of them, and indexes them; what cannot be read is told."""
        try:
            kept = [path for path in self.sources if path.suffix == INDEX]
            if kept:
                found = Explorer.read(kept[0])
                self.indexes, self.read = {found.rules: found}, len(found.scores)
            else:
                self.indexes = indexes(islice(self._games(), most), self._reach)
                if self.read >= most:
                    self._trouble(f"only the first {most:,} games were read")
        except (OutflankError, OSError) as error:
            self._trouble(str(error))
        except Exception as error:  # the thread goes on with the next collection
            log.exception("a collection could not be read")
            self._trouble(f"this could not be read: {type(error).__name__}: {error}")
        finally:
            self.ready = True
            if self.brought is not None:
                shutil.rmtree(self.brought, ignore_errors=True)

    def _games(self) -> Iterator[Game]:
        for path in self.sources:
            try:
                yield from games_of(path)
            except (OutflankError, OSError) as error:
                self._trouble(str(error).replace(f"{path.parent}/", ""))

    def _reach(self, read: int) -> None:
        self.read = read

    def _trouble(self, problem: str) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(problem[:300])


def _years(index: Explorer) -> list[int]:
    """The first and the last year that its games tell; nothing where they tell none."""
    told = index.years[index.years > 0]
    return [int(told.min()), int(told.max())] if len(told) else []


class Collections:
    """All collections of a server, and the thread that reads them."""

    def __init__(self, paths: Iterable[Path] = (), caps: Caps | None = None, local: bool = False) -> None:
        """`local`: whether pages may bring files."""
        self.caps, self.local = caps or Caps(), local
        self._lock = threading.Lock()
        self._all: dict[str, Collection] = {}
        self._waiting: queue.SimpleQueue[Collection] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        for path in paths:
            self.add(Collection(path.name, [path]))

    def add(self, collection: Collection) -> Collection:
        """Takes a collection in and has it read; of those that pages brought the oldest gives way to it."""
        with self._lock:
            first, number = collection.name, 2
            while collection.name in self._all:
                collection.name, number = f"{first} {number}", number + 1
            brought = [name for name, each in self._all.items() if each.brought is not None]
            if collection.brought is not None and len(brought) >= self.caps.collections:
                del self._all[brought[0]]
            self._all[collection.name] = collection
            self._waiting.put(collection)
            if self._thread is None:
                self._thread = threading.Thread(target=self._read, daemon=True, name="outflank-collections")
                self._thread.start()
        return collection

    def _read(self) -> None:
        while True:
            self._waiting.get().load(self.caps.collection_games)

    def facts(self) -> list[dict[str, Any]]:
        """What there is, in the order in which it came."""
        with self._lock:
            return [collection.facts() for collection in self._all.values()]

    def index(self, name: str, rules: Rules) -> Explorer | None:
        """The index of a collection for these rules; None while it is read, or where it has no such games."""
        with self._lock:
            found = self._all.get(name)
        if found is None:
            raise BadSpec(f"no collection is called {shown(name)}; expected one of those that are offered")
        return found.indexes.get(rules)

    # --- files of pages -------------------------------------------------------------------------------------------

    async def receive(self, request: Request) -> JSONResponse:
        """Takes files from a page: a line of JSON that names them with their sizes, then their contents."""
        if not self.local:
            told = "files are taken only where the page is served to this machine alone"
            return JSONResponse({"error": f"{told}; here the owner offers games with outflank play --collection"}, 403)
        place = Path(tempfile.mkdtemp(prefix="outflank-games-"))
        try:
            paths = await self._written(request, place)
        except BaseException as error:
            shutil.rmtree(place, ignore_errors=True)
            if isinstance(error, OutflankError):
                return JSONResponse({"error": str(error)}, 400)
            raise
        sources = [path for path in paths if path.suffix.lower() not in _BESIDE]
        name = sources[0].name if len(sources) == 1 else f"{len(sources)} files"
        return JSONResponse(self.add(Collection(name, sources, place)).facts())

    async def _written(self, request: Request, place: Path) -> list[Path]:
        """Writes the files of a request into a directory."""
        pieces, head = request.stream(), b""
        async for piece in pieces:
            head += piece
            if b"\n" in head or len(head) > _HEAD_BYTES:
                break
        line, _, rest = head.partition(b"\n")
        paths, sizes = self._named(line, place)
        writing = _Writing(paths, sizes)
        writing.write(rest)
        async for piece in pieces:
            writing.write(piece)
        writing.end()
        return paths

    def _named(self, line: bytes, place: Path) -> tuple[list[Path], list[int]]:
        """Where files go and how large they are, as the first line of a request tells."""
        try:
            told = _FILES.read(json.loads(line), "files")["files"]
        except (ValueError, RecursionError):
            raise BadSpec("the request does not begin with a line of JSON that names files") from None
        if sum(each["size"] for each in told) > self.caps.collection_bytes:
            most = f"{self.caps.collection_bytes >> 20} MB"
            raise BadSpec(
                f"the files are too large; expected at most {most}: offer more with outflank play --collection"
            )
        paths = [place / _safe(each["name"]) for each in told]
        if len(set(paths)) < len(paths) or all(path.suffix.lower() in _BESIDE for path in paths):
            raise BadSpec("there are no games in these files; expected different names, some of them of games")
        return paths, [each["size"] for each in told]


class _Writing:
    """Contents of files that come one behind the other in pieces."""

    def __init__(self, paths: Sequence[Path], sizes: Sequence[int]) -> None:
        self._left = list(zip(paths, sizes, strict=True))

    def write(self, piece: bytes) -> None:
        """Writes what belongs to the next files."""
        while self._left:
            path, size = self._left[0]
            with path.open("ab") as file:
                file.write(piece[:size])
            piece, size = piece[size:], size - min(size, len(piece))
            if size:
                self._left[0] = path, size
                return
            self._left.pop(0)
        if piece:
            raise BadSpec("the request is longer than the files that it names")

    def end(self) -> None:
        """Makes sure that all of them are whole."""
        if self._left:
            raise BadSpec("the request ended before the files that it names")


def _safe(name: str) -> str:
    """The name of a file as it can be written anywhere, of which only the last part counts."""
    plain = _STRANGE.sub("_", name.replace("\\", "/").rpartition("/")[2]).lstrip(".")
    return plain[-100:] or "games"
