"""The command `outflank`: one module per group of commands, each loaded with what it needs when it runs.

A command module offers `register(commands)`; a command is a function from parsed arguments to None that prints
its answer on stdout. Messages go to stderr. Bad input is exit code 2 without a traceback, Ctrl-C is 130; with --json
the answer is then an object with the key `error`, so that a program finds JSON on stdout whatever happens.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from outflank import __version__
from outflank.errors import OutflankError
from outflank.interfaces.cli import (
    agents,
    bench,
    board,
    completion,
    engine,
    explore,
    label,
    learn,
    match,
    play,
    reproduce,
    review,
    store,
    tournament,
    tune,
)
from outflank.interfaces.cli.interrupts import hearing_ctrl_c
from outflank.interfaces.cli.parsers import BadCommand, Parser

_DESCRIPTION = """\
Outflank, a Reversi laboratory: the usual game and the reversed one (fewest discs
win) on every even board from 4x4 to 16x16."""

_EXAMPLES = """\
examples:
  outflank play                           play and analyse in the browser
  outflank reproduce                      replay the experiments of five papers
  outflank show --moves f5d6c3            the board after three moves
  outflank review club.sgf                the mistakes of games of any form
  outflank convert WTH_1985.wtb club.db   a database of games into a store
  outflank perft --depth 9                count lines of play
  outflank agents minimax                 what an agent is and which options it has
  outflank move "uct(playouts=5000)" --moves f5d6
  outflank solve problems.obf             exact scores of endgame positions
  outflank learn generations --out DIR    train an evaluation from nothing
  outflank bench --quick                  how fast this machine plays

Every command explains itself: outflank COMMAND --help"""

_MODULES = (
    *(play, review, reproduce, board, agents, engine, match, tournament, store, learn, tune),
    *(label, bench, explore, completion),
)
_LONGEST_MESSAGE = 2000


def _short(message: object) -> str:
    text = str(message)
    return text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}…"


@cache
def _parser() -> Parser:
    """The parser of all commands, made once: 8 ms on an AMD EPYC, most of what a refused command takes."""
    parser = Parser(
        prog="outflank",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"outflank {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in _MODULES:
        module.register(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    words = sys.argv[1:] if argv is None else list(argv)
    as_json, resumes = _asks_for_json(words), False
    try:
        args = _parser().parse_command(words)
        resumes = getattr(args, "resumes", False)
        if "" not in sys.path and str(Path.cwd()) not in sys.path:
            sys.path.append(str(Path.cwd()))  # a person's own player lies where they work, as with python -m
        with hearing_ctrl_c():
            args.run(args)
        sys.stdout.flush()
    except BadCommand as error:
        sys.stderr.write(error.usage)
        _tell(error, error, as_json, f"{error.program}: error: ")
        return 2
    except OutflankError as error:
        _tell(error, error, as_json)
        return 2
    except BrokenPipeError:
        _write_no_more()  # the reader left: end quietly
    except OSError as error:
        if error.filename is None:
            _write_no_more()
        what = "write the answer" if error.filename is None else f"use {_short(error.filename)}"
        _tell(error, f"cannot {what}: {error.strerror}", as_json)
        return 2
    except KeyboardInterrupt as error:
        kept = "; finished games are kept, the same command continues" if resumes else ""
        _tell(error, f"interrupted{kept}", as_json)
        os._exit(130)  # at once: a thread inside a kernel would be waited for
    return 0


def _tell(error: BaseException, message: object, as_json: bool, before: str = "outflank: ") -> None:
    """Says what went wrong: a line for people on stderr, and where JSON is asked for an object on stdout."""
    told = _short(message)
    print(f"{before}{told}", file=sys.stderr, flush=True)
    try:
        if as_json:
            print(json.dumps({"error": {"kind": type(error).__name__, "message": told}}))
        sys.stdout.flush()
    except BrokenPipeError:
        _write_no_more()


def _asks_for_json(words: Sequence[str]) -> bool:
    """Whether `--json` is among the options, also of a bad command."""
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def _write_no_more() -> None:
    """Sends what is still to be printed nowhere: Python would try it again when it ends, and exit with 120."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
