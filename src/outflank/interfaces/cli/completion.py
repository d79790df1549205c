"""`outflank completion`: scripts by which shells complete commands, options, choices, agents and files.

A script is made from the parsers themselves and has everything in it, so that the Tab key starts no Python. What an
option takes is told by its choices, its name or its metavar. shtab was looked at: it has no fish and knows no agents.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from outflank.interfaces.cli.parsers import Parser, commands_of

_COMPLETION = (
    'Print a script that completes commands, options, agents and files with the Tab key. bash: eval "$(outflank '
    'completion bash)" in ~/.bashrc; zsh: save it as _outflank in a directory of $fpath; fish: save it as '
    "~/.config/fish/completions/outflank.fish."
)
_FILES = {"FILE", "DIR", "GAME", "GAMES", "NEW", "FILE.toml", "FILE.obf"}
_AGENTS = {"A", "B", "AGENT", "WHO"}
_WORDS = {
    "--variant": ("standard", "reversed"),
    "--openings": ("start", "random(6)", "balanced(6)"),
    "--scale": ("quick", "paper", "large"),
}


def register(commands: Any) -> None:
    """Adds the command to the parser."""
    completion = commands.add_parser("completion", help="make the Tab key complete", description=_COMPLETION)
    completion.add_argument("shell", choices=tuple(_SHELLS), help="whose script is printed")
    completion.set_defaults(run=run_completion)


def run_completion(args: argparse.Namespace) -> None:
    """Prints the script of a shell."""
    from outflank.agents import agent_signatures
    from outflank.interfaces.cli import _parser

    print(_SHELLS[args.shell](list(_described(_parser(), tuple(agent_signatures())))), end="")


@dataclass(frozen=True)
class _Taken:
    """What an option or an argument takes: one of some words, a file, or what nobody can list."""

    words: tuple[str, ...] = ()
    files: bool = False


@dataclass(frozen=True)
class _Command:
    """A command, `learn td` among them, with its options; an option without a value takes None."""

    name: str
    help: str
    options: tuple[tuple[str, str, _Taken | None], ...]
    arguments: _Taken
    inner: tuple[str, ...]
    """The commands of a command."""


def _described(parser: Parser, agents: tuple[str, ...]) -> Iterator[_Command]:
    """The program itself, under an empty name, and every command."""
    for name, each in (("", parser), *commands_of(parser)):
        options: list[tuple[str, str, _Taken | None]] = []
        arguments, inner = _Taken(), tuple[str, ...]()
        for action in each._actions:
            if isinstance(action, argparse._SubParsersAction):
                inner = tuple(action.choices)
            elif action.option_strings:
                taken = None if action.nargs == 0 else _taken(action, agents)
                options.append((action.option_strings[-1], _plain(action.help), taken))
            else:
                more = _taken(action, agents)
                arguments = _Taken(arguments.words + more.words, arguments.files or more.files)
        yield _Command(name, _plain(each.description), tuple(options), arguments, inner)


def _taken(action: argparse.Action, agents: tuple[str, ...]) -> _Taken:
    if action.choices is not None:
        return _Taken(tuple(map(str, action.choices)))
    if action.option_strings and action.option_strings[-1] in _WORDS:
        return _Taken(_WORDS[action.option_strings[-1]], action.option_strings[-1] == "--openings")
    if action.metavar in _AGENTS or action.dest == "name":
        return _Taken(tuple(dict.fromkeys(agents)))
    return _Taken(files=action.metavar in _FILES)


def _plain(text: str | None) -> str:
    """A help without what shells would take for more than text."""
    words = (text or "").replace("%%", "%").partition(";")[0].partition(". ")[0].rstrip(".")
    return "".join(sign for sign in words if sign not in "\"'`$\\[]:")


def _quoted(words: Iterable[str]) -> str:
    return "'" + " ".join(words) + "'"


# --- bash ---------------------------------------------------------------------------------------------------------


def _bash(commands: list[_Command]) -> str:
    """A function that finds the command on the line, then answers for its option or argument."""
    paths = "|".join(f'"{" ".join(one.name.split()[:-1])} {one.name.split()[-1]}"' for one in commands if one.name)
    lines = [
        "# bash completion of outflank, made by `outflank completion bash`",
        "_outflank() {",
        '    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
        "    local command= words= options= files= word IFS=$' \\t\\n'",
        '    [ "$current" = "=" ] && current=',
        '    [ "$previous" = "=" ] && previous="${COMP_WORDS[COMP_CWORD-2]}"',
        '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        f'        case "$command $word" in {paths}) command="${{command:+$command }}$word" ;; esac',
        "    done",
        '    case "$command" in',
    ]
    for one in commands:
        taken = _Taken(one.inner) if one.inner else one.arguments
        lines.append(
            f'        "{one.name}") options={_quoted(name for name, *_ in one.options)} {_bash_taken(taken)} ;;'
        )
    lines += ["    esac", '    case "$command $previous" in']
    for one in commands:
        for name, _, value in one.options:
            if value is not None:
                lines.append(f'        "{one.name} {name}") options= {_bash_taken(value)} ;;')
    lines += [
        '        *) case "$current" in -*) words="$options" files= ;; esac ;;',
        "    esac",
        '    COMPREPLY=($(compgen -W "$words" -- "$current"))',
        '    if [ -n "$files" ]; then',
        "        IFS=$'\\n'",
        '        COMPREPLY+=($(compgen -f -- "$current"))',
        "        compopt -o filenames 2>/dev/null",
        "    fi",
        "}",
        "complete -F _outflank outflank",
    ]
    return "\n".join(lines) + "\n"


def _bash_taken(taken: _Taken) -> str:
    return f"words={_quoted(taken.words)} files={'1' if taken.files else ''}"


# --- zsh ----------------------------------------------------------------------------------------------------------


def _zsh(commands: list[_Command]) -> str:
    """A function for every command: of commands that have commands one that chooses, of others `_arguments`."""
    lines = ["#compdef outflank", "# made by `outflank completion zsh`"]
    for one in commands:
        body = _zsh_choice(one) if one.inner else f"_arguments {' '.join(_zsh_specs(one))}"
        lines += [f"{_function(one.name)}() {{", f"    {body}", "}"]
    return "\n".join([*lines, '_outflank "$@"']) + "\n"


def _zsh_choice(one: _Command) -> str:
    words = " ".join([*one.inner, *(name for name, *_ in one.options)])
    cases = " ".join(f"{name}) {_function(f'{one.name} {name}')} ;;" for name in one.inner)
    return (
        f"if (( CURRENT == 2 )); then compadd -- {words}; return; fi\n"
        "    local command=$words[2]; shift words; (( CURRENT-- ))\n"
        f"    case $command in {cases} esac"
    )


def _zsh_specs(one: _Command) -> Iterator[str]:
    for name, text, value in one.options:
        yield f"'{name}[{text}]'" if value is None else f"'{name}=[{text}]:value:{_zsh_action(value)}'"
    yield f"'*:argument:{_zsh_action(one.arguments)}'"


def _function(name: str) -> str:
    return "_".join(["_outflank", *name.split()])


def _zsh_action(taken: _Taken) -> str:
    words = " ".join(word.replace("(", "\\(").replace(")", "\\)") for word in taken.words)
    return f"({words})" if words else "_files" if taken.files else " "


# --- fish ---------------------------------------------------------------------------------------------------------


def _fish(commands: list[_Command]) -> str:
    """A line for every command and every option."""
    lines = ["# made by `outflank completion fish`", "complete -c outflank -f"]
    for one in commands:
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in one.name.split())
        inner = " ".join(one.inner)
        at = f"-n '{seen}'" if seen else "-n __fish_use_subcommand"
        if inner:
            yet = f"{seen}; and not __fish_seen_subcommand_from {inner}" if seen else "__fish_use_subcommand"
            lines.append(f"complete -c outflank -n '{yet}' -a '{inner}'")
        for name, text, value in one.options:
            lines.append(f"complete -c outflank {at} -l {name[2:]} -d '{text}'{_fish_value(value)}")
        if (one.arguments.words or one.arguments.files) and not inner:
            lines.append(f"complete -c outflank {at}{_fish_value(one.arguments)}".replace(" -r", ""))
    return "\n".join(lines) + "\n"


def _fish_value(taken: _Taken | None) -> str:
    if taken is None:
        return ""
    words = f" -a {_quoted(taken.words)}" if taken.words else ""
    return f" -r{words}{' -F' if taken.files else ''}"


_SHELLS: dict[str, Callable[[list[_Command]], str]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
