"""Bots as they were handed in, without a line of glue: `cs303(file="bot.py")`, `botzone(cmd="…")`, `stdio(cmd="…")`.

`host` runs bots that are Python files, `player` asks them all, each by the interface of its course, `directory` finds
those of a class, and `engines.sandbox` holds them. docs/bots.md is the contract of every interface. What a bot sees of
the disk is its own file, the files that its command names and what `needs` lists: nothing of its opponents and of the
store.
"""

import hashlib
import shlex
import shutil
import sys
from pathlib import Path

from outflank.bots import host
from outflank.bots.player import USUAL_SECONDS, ArgumentsBot, BotPlayer, BotzoneBot, HostedBot, StdioBot
from outflank.engines.process import read_command
from outflank.engines.sandbox import FENCES, Sandbox
from outflank.errors import BadSpec
from outflank.inputs import file_name
from outflank.schema import CheckedOptions, Option, OptionType, Signature, choice, flag, list_of, number, text, whole
from outflank.search.limits import Limits

__all__ = ["BOTS", "USUAL_LIMITS", "BotPlayer", "bot_files_digest", "build_bot", "sandbox_of"]

USUAL_LIMITS = Limits(seconds=USUAL_SECONDS)
MOST_MEGABYTES = 65_536


def _path_type() -> OptionType:
    plain = text()

    def check(value: object) -> str:
        return str(file_name(plain(value)))

    return OptionType("a file in quotes", check, plain.write)


def _command_type() -> OptionType:
    plain = text()

    def check(value: object) -> str:
        written: str = plain(value)
        read_command(written)
        return written

    return OptionType("a command in quotes", check, plain.write)


_FILE = Option("file", _path_type(), None, "the bot, a Python file")
_CMD = Option("cmd", _command_type(), None, "the bot as a command; the files that it names are shown to it")
_SHARED = (
    Option("name", text(most=60), None, "what people call it"),
    Option("seconds", number(0, above=True), None, f"time for a move; {USUAL_SECONDS:g} when no limit at all is given"),
    Option("memory", number(16, MOST_MEGABYTES), 512, "megabytes of all its processes together"),
    Option("processes", whole(1, 1000), 16, "processes at the same time"),
    Option("cpu", number(1, 86_400), 600, "seconds of processor time for a game, of all its processes together"),
    Option("needs", list_of(_path_type(), least=0), (), "files and directories that it may read too"),
    Option("sandbox", choice("auto", *FENCES), "auto", "what must hold it; auto is the best that works here"),
)

BOTS = {
    signature.name: signature
    for signature in (
        Signature(
            "cs303",
            "a bot of SUSTech's course CS303: class AI with go(chessboard) and candidate_list",
            (_FILE, *_SHARED),
        ),
        Signature(
            "tjhsst",
            "a bot of TJHSST: class Strategy with best_strategy(…), or a command with board and token as arguments",
            (_FILE, _CMD, *_SHARED),
        ),
        Signature(
            "botzone",
            "a bot of Botzone's game Reversi: JSON on its input for every move",
            (_CMD, Option("keep_running", flag(), False, "whether it may stay between two moves"), *_SHARED),
        ),
        Signature("stdio", "a bot in any language that speaks the few lines of docs/bots.md", (_CMD, *_SHARED)),
    )
}
"""What the text of every kind of bot accepts."""


def build_bot(options: CheckedOptions) -> BotPlayer:
    """The player that the text of a bot describes; nothing is started yet.

    >>> from outflank.spec import parse
    >>> build_bot(BOTS["stdio"].fill(parse('stdio(cmd="sh -c cat", name="Echo")'))).name
    'Echo'
    """
    sandbox, name = sandbox_of(options), options["name"] or _usual_name(options)
    sandbox.check()
    if options.get("file"):
        return HostedBot(options.name, _absolute(options["file"]), sandbox, name)
    command = shlex.join(_words(options))
    if options.name == "botzone":
        return BotzoneBot(command, sandbox, name, options["keep_running"])
    return {"tjhsst": ArgumentsBot, "stdio": StdioBot}[options.name](command, sandbox, name)


def sandbox_of(options: CheckedOptions) -> Sandbox:
    """The sandbox that the text of a bot describes."""
    shown = [str(path.resolve()) for path in _files(options)]
    if options.get("file"):
        shown.append(str(Path(host.__file__).resolve()))
    return Sandbox(
        memory=options["memory"],
        processes=options["processes"],
        cpu=options["cpu"],
        readable=tuple(shown),
        fence=None if options["sandbox"] == "auto" else options["sandbox"],
    )


def bot_files_digest(options: CheckedOptions) -> str:
    """A hash of the files of a bot: another content is another behaviour."""
    digest = hashlib.blake2b(digest_size=5)
    for path in _files(options):
        for each in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if each.is_file():
                digest.update(each.name.encode() + b"\0" + each.read_bytes() + b"\0")
    return digest.hexdigest()


def _usual_name(options: CheckedOptions) -> str:
    """A bot without a name is called by its file or its command."""
    return f"{options.name} {Path(options['file']).stem if options.get('file') else options['cmd']}"


def _files(options: CheckedOptions) -> list[Path]:
    """The files of a bot: its own, those that its command names, what it needs."""
    file, command = options.get("file"), options.get("cmd")
    if (file is None) == (command is None):
        ways = " or ".join(f'{options.name}({way}="…")' for way in ("file", "cmd") if way in options)
        raise BadSpec(f"{options.name} needs one bot; expected {ways}")
    own = [Path(file)] if file else [Path(word) for word in _words(options) if _is_file(word)]
    if file and not _is_file(file):
        raise BadSpec(f"{options.name}: there is no file {file!r}; expected the file of a bot")
    beside = own[0].parent if file else Path()
    needs = [beside / need for need in options["needs"]]
    for need in needs:
        if not need.exists():
            raise BadSpec(f"{options.name}: needs={str(need)!r} is not there; expected files beside the bot")
    return [*own, *needs]


def _words(options: CheckedOptions) -> list[str]:
    """The command with the full paths of its program and of the files that it names: its directory is another.

    `python` and `python3` are the Python that runs us, with its libraries: others may be scripts that look for one.
    """
    program, *rest = read_command(options["cmd"])
    found = sys.executable if Path(program).name in ("python", "python3") else shutil.which(program) or program
    return [_absolute(found), *(_absolute(word) if _is_file(word) else word for word in rest)]


def _is_file(word: str) -> bool:
    try:
        return Path(word).is_file()
    except OSError:  # longer than any name
        return False


def _absolute(path: str) -> str:
    """The full path; links are kept, because the name of a program may be its meaning."""
    return str(Path(path).absolute())
