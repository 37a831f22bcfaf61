"""Print a script with which a shell completes commands, options, choices and files.

The script has what this version of tfmodel knows: print it again after an update.

examples:
  tfmodel completion bash > ~/.local/share/bash-completion/completions/tfmodel
  tfmodel completion zsh > ~/.zfunc/_tfmodel
  tfmodel completion fish > ~/.config/fish/completions/tfmodel.fish

bash needs the package bash-completion, or the line `source FILE` in ~/.bashrc. zsh needs the lines `fpath+=~/.zfunc`
and `autoload -U compinit && compinit` in ~/.zshrc.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from . import COMMANDS
from .parser import Offer, Parser

_PROGRAM = "tfmodel"
_FILES = re.compile(r"A|B|CHECKPOINT|DEST|FOLDER|IN|LIST|MODEL|MODULE|OTHER|OUT|PAGE|PATH|PREFIX|(\[NODE=\])?FILE")
"""The names of values that are files or folders."""


class Argument(NamedTuple):
    """An option, or a positional argument, which has no spellings.

    value     the name of its value; "" for a flag
    choices   the values that it takes, or often takes; none if these are not a few words
    separator what separates several of the choices in one value; "" if it takes one
    files     whether it takes the name of a file or folder
    many      whether it may be given again
    """

    spellings: tuple[str, ...]
    value: str
    help: str
    choices: tuple[str, ...]
    separator: str
    files: bool
    many: bool


def add_arguments(parser: Parser) -> None:
    parser.add_argument("shell", metavar="SHELL", choices=sorted(_SCRIPTS), help="bash, zsh or fish")


def run(args: Any) -> int:
    sys.stdout.write("".join(f"{line}\n" for line in _SCRIPTS[args.shell](arguments_of_commands())))
    return 0


def arguments_of_commands() -> dict[str, list[Argument]]:
    """Return the arguments that the help of each command shows."""
    arguments = {}
    for command, (module, _) in COMMANDS.items():
        parser = Parser(prog=command)
        importlib.import_module(module, __package__).add_arguments(parser)
        shown = [action for action in parser._actions if action.help != argparse.SUPPRESS]
        arguments[command] = [_argument(action, parser.offers.get(action.dest, _NO_OFFER)) for action in shown]
    return arguments


_NO_OFFER = Offer(tuple, "")


def _argument(action: argparse.Action, offer: Offer) -> Argument:
    value = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
    return Argument(
        tuple(action.option_strings),
        value,
        (action.help or "").partition(";")[0].replace("%%", "%"),
        tuple(map(str, action.choices or offer.words())),
        offer.separator,
        _FILES.fullmatch(value) is not None,
        action.nargs in ("+", "*") or isinstance(action, argparse._AppendAction),
    )


# --- bash ------------------------------------------------------------------------------------------------------------


def _bash(commands: dict[str, list[Argument]]) -> Iterator[str]:
    yield f"_{_PROGRAM}() {{"
    yield "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words= options= first="
    yield "    COMPREPLY=()  # bash completes files where this stays empty, unless compopt says otherwise"
    yield "    if [[ $current == '=' ]]; then current=; fi"
    yield "    if [[ $before == '=' ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi"
    yield "    case ${COMP_WORDS[1]} in"
    for command, arguments in commands.items():
        yield f"        {command})"
        yield f"            options='{' '.join(spelling for argument in arguments for spelling in argument.spellings)}'"
        yield from (f"            {line}" for line in _bash_values(arguments))
        yield "            ;;"
    yield "    esac"
    yield f"    if (( COMP_CWORD == 1 )); then words='{' '.join([*commands, '--help', '--version'])}'"
    yield "    elif [[ $current == -* ]]; then words=$options; fi"
    yield '    if [[ -n $words ]]; then COMPREPLY=( $(compgen -P "$first" -W "$words" -- "${current#"$first"}") ); fi'
    yield "}"
    yield f"complete -o default -F _{_PROGRAM} {_PROGRAM}"


def _bash_values(arguments: list[Argument]) -> Iterator[str]:
    """Yield lines that complete the value of the option before, or a positional argument that has choices."""
    yield "case $before in"
    without = []
    for argument in arguments:
        pattern = "|".join(argument.spellings) or "*"
        if argument.choices:
            mark = argument.separator
            first = f"; if [[ $current == *{mark}* ]]; then first=${{current%{mark}*}}{mark}; fi" if mark else ""
            yield f"    {pattern}) words='{' '.join(argument.choices)}'{first} ;;"
        elif argument.spellings and argument.value and not argument.files:
            without.append(pattern)
    if without:
        yield f"    {'|'.join(without)}) compopt +o default 2>/dev/null ;;"
    yield "esac"


# --- zsh -------------------------------------------------------------------------------------------------------------


def _zsh(commands: dict[str, list[Argument]]) -> Iterator[str]:
    yield f"#compdef {_PROGRAM}"
    yield f"_{_PROGRAM}() {{"
    yield "    local -a commands=("
    for command in commands:
        yield f"        {_quoted(f'{command}:{COMMANDS[command][1]}')}"
    yield "    )"
    yield "    if (( CURRENT == 2 )); then"
    yield "        _describe command commands"
    yield "        _files"
    yield "        return"
    yield "    fi"
    yield "    local command=$words[2]"
    yield "    shift words"
    yield "    (( CURRENT-- ))"
    yield "    case $command in"
    for command, arguments in commands.items():
        yield f"        {command})"
        yield "            _arguments -S \\"
        for argument in arguments:
            for spec in _zsh_specs(argument):
                yield f"                {_quoted(spec)} \\"
        yield "            ;;"
    yield "    esac"
    yield "}"
    yield f'if [[ $funcstack[1] == _{_PROGRAM} ]]; then _{_PROGRAM} "$@"; else compdef _{_PROGRAM} {_PROGRAM}; fi'


def _zsh_specs(argument: Argument) -> Iterator[str]:
    words = " ".join(argument.choices)
    several = f"_values -s {argument.separator} {_zsh_text(argument.value)} {words}"
    action = several if argument.separator else f"({words})" if words else "_files" if argument.files else " "
    value = f":{_zsh_text(argument.value)}:{action}" if argument.value else ""
    if not argument.spellings:
        yield f"{'*' if argument.many else ''}{value}"
    for spelling in argument.spellings:
        equals = "=" if value and spelling.startswith("--") else ""
        others = "" if argument.many else f"({' '.join(argument.spellings)})"
        yield f"{others}{'*' if argument.many else ''}{spelling}{equals}[{_zsh_text(argument.help)}]{value}"


def _zsh_text(text: str) -> str:
    return re.sub(r"([\\\[\]:])", r"\\\1", text)


# --- fish ------------------------------------------------------------------------------------------------------------


def _fish(commands: dict[str, list[Argument]]) -> Iterator[str]:
    for command in commands:
        yield f"complete -c {_PROGRAM} -n __fish_use_subcommand -a {command} -d {_quoted(COMMANDS[command][1])}"
    for command, arguments in commands.items():
        condition = _quoted(f"__fish_seen_subcommand_from {command}")
        for argument in arguments:
            words = " ".join(argument.choices)
            several = f'(__fish_complete_list {argument.separator} "string split \\" \\" \\"{words}\\"")'
            values = f" -a {_quoted(several if argument.separator else words)}" if words else ""
            files = "" if not argument.value else " -r -F" if argument.files else " -x"
            if argument.spellings:
                names = "".join(f" {_fish_name(spelling)}" for spelling in argument.spellings)
                yield f"complete -c {_PROGRAM} -n {condition}{names}{files}{values} -d {_quoted(argument.help)}"
            elif values:
                yield f"complete -c {_PROGRAM} -n {condition} -f{values}"


def _fish_name(spelling: str) -> str:
    return f"-l {spelling[2:]}" if spelling.startswith("--") else f"-s {spelling[1:]}"


def _quoted(text: str) -> str:
    """Return the text as one word, in the quotes of the three shells; an apostrophe becomes a typographic one."""
    return "'" + text.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}") + "'"


_SCRIPTS: dict[str, Callable[[dict[str, list[Argument]]], Iterator[str]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
"""By shell: the function that yields the lines of its script."""
