"""Who played: the text of an agent and its behaviour, so that games of two programs are never mixed under one name.

`identity("minimax(depth=3)")` is the canonical text and, behind ` #`, the behaviour: the number of its kind
(`kinds.py`), and for everything that a text names as `module:Name` a hash of the source files behind it: the module's
own file, the modules it imports that lie beside it, and data of the same names, such as `net.npz` beside `net.py`.
Trained weights count by their content too, whether they are the package's or those of a file, and so do the files of a
bot. Keys of games, stores and stored timings use identities.
People are shown the text, and `agent`, `canonical` and `identity` take nothing else: only the present behaviour can be
played. Nothing is imported or built: the files are found on the path and read.
"""

import ast
import hashlib
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

from outflank.agents.kinds import KINDS
from outflank.agents.registry import IDENTITY, canonical, is_own
from outflank.bots import BOTS, bot_files_digest
from outflank.errors import BadSpec
from outflank.patterns import digest_called, weights_digest
from outflank.search.networks import network_digest
from outflank.spec import Call, Value, parse


def identity(text: str) -> str:
    """The canonical text of an agent with its present behaviour.

    >>> identity("he-lin-minimax(1)")
    'random #1'
    >>> identity("random #1")
    Traceback (most recent call last):
    outflank.errors.BadSpec: 'random #1' has the mark of a behaviour, #1; expected the text before it, 'random'
    """
    full = canonical(text)
    return joined(full, behaviour(full))


def joined(text: str, behaviour: str) -> str:
    """The identity of a text and a behaviour that are told apart; without a behaviour the text.

    >>> joined("random", "1"), joined("A", "")
    ('random #1', 'A')
    """
    return f"{text} #{behaviour}" if behaviour else text


def text_of(who: str) -> str:
    """The text of an identity; a text without a behaviour is returned as it is.

    >>> text_of("random #1"), text_of("random")
    ('random', 'random')
    """
    found = IDENTITY.fullmatch(who)
    return found[1] if found else who


def behaviour_of(who: str) -> str:
    """The behaviour that an identity names, or nothing.

    >>> behaviour_of("random #1")
    '1'
    """
    found = IDENTITY.fullmatch(who)
    return found[2] if found else ""


def behaviour(text: str) -> str:
    """The behaviour of an agent in this version and of the source files as they are now.

    >>> behaviour("minimax(depth=3)")
    '3'
    """
    call = parse(canonical(text))
    number = [] if is_own(call) else [str(KINDS[call.name].behaviour)]
    names = sorted(set(_names(call)))
    files = [bot_files_digest(BOTS[call.name].fill(call))] if call.name in BOTS else []
    return "-".join([*number, *files, *sorted(set(_trained(call))), *(_hash_of(name) for name in names if ":" in name)])


def _trained(value: Value) -> Iterator[str]:
    """What tells the trained weights apart that a call uses: those of the package, or those of a file."""
    if value == "patterns" or (isinstance(value, Call) and value.name == "engine"):
        yield weights_digest()
    if isinstance(value, Call) and value.name == "puct":
        named = next((file for option, file in value.options if option == "network" and isinstance(file, str)), "")
        yield network_digest("".join(named))
    elif isinstance(value, Call) and value.name in ("patterns", "engine"):
        files = (file for option, file in value.options if option == "weights" and isinstance(file, str))
        yield from (digest_called("".join(file)) for file in files)
    elif isinstance(value, Call):
        for item in (*value.values, *(item for _, item in value.options)):
            yield from _trained(item)


def _names(value: Value) -> Iterator[str]:
    """Every name and word in a call."""
    if isinstance(value, Call):
        yield value.name
        for item in (*value.values, *(item for _, item in value.options)):
            yield from _names(item)
    elif isinstance(value, tuple):
        for item in value:
            yield from _names(item)
    elif type(value) is str:
        yield value


# --- source files -------------------------------------------------------------------------------------------------


def _hash_of(name: str) -> str:
    """A hash of the source files behind `module:Name`."""
    module = name.partition(":")[0]
    first = _file_of(module)
    if first is None:
        return "nosource"  # a notebook, or a module in C
    digest = hashlib.blake2b(digest_size=5)
    for path in _files(module, first):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _file_of(module: str) -> Path | None:
    """The source file of a module, found without importing it."""
    loaded = sys.modules.get(module)
    origin = loaded.__file__ if loaded is not None and hasattr(loaded, "__file__") else None
    if loaded is None:
        spec = _spec_of(module)
        if spec is None:
            raise BadSpec(f"cannot import module {module!r}: it is not on the path; expected module:Name")
        origin = spec.origin
    return Path(origin) if origin and origin.endswith(".py") and Path(origin).is_file() else None


def _spec_of(module: str) -> ModuleSpec | None:
    """Where a module lies; packages are looked into and not run."""
    path, spec, known = None, None, ""
    for part in module.split("."):
        known = f"{known}.{part}" if known else part
        spec = PathFinder.find_spec(known, path)
        if spec is None:
            return sys.modules[known].__spec__ if known in sys.modules else None
        path = spec.submodule_search_locations
    return spec


def _files(module: str, first: Path) -> list[Path]:
    """The file of a module and those it imports from beside it, sorted; each once."""
    if module.partition(".")[0] in sys.stdlib_module_names:
        return [first]  # what lies beside it is all of Python
    house = first.parents[module.count(".")] if "." in module else first.parent
    found, waiting = {first}, [(module, first)]
    while waiting:
        name, path = waiting.pop()
        for imported in _imported(name, path):
            beside = _beside(house, imported)
            if beside is not None and beside not in found:
                found.add(beside)
                waiting.append((imported, beside))
    data = (path.with_suffix(ending) for path in found for ending in _DATA)
    return sorted(found.union(path for path in data if path.is_file()))


_DATA = (".npz", ".npy", ".json", ".csv", ".txt", ".bin")


def _beside(house: Path, module: str) -> Path | None:
    """The file of a module that lies in this directory or in a package of it."""
    stem = house.joinpath(*module.split("."))
    return next((path for path in (stem.with_suffix(".py"), stem / "__init__.py") if path.is_file()), None)


def _imported(module: str, path: Path) -> tuple[str, ...]:
    """The names of all modules that a file imports, also those that may be attributes of one."""
    state = path.stat()
    return _imports_in(module, path, (state.st_mtime_ns, state.st_size))


@lru_cache(maxsize=1024)
def _imports_in(module: str, path: Path, _state: tuple[int, int]) -> tuple[str, ...]:
    """The same, read once while a file stays as it is: to parse all of a package takes a quarter of a second."""
    return tuple(_read_imports(module, path))


def _read_imports(module: str, path: Path) -> Iterator[str]:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names)
