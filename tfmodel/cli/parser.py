"""The argument parser of all commands.

It has types for numeric options, so that invalid values are refused before any file is read:

    parser.add_argument("--seed", type=whole)
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, NoReturn

from pbwire import arguments
from pbwire.errors import suggestion

from ..values.sizes import parse_size
from ..values.terminal import quote
from .former_tools import FLAGS, FormerFlag
from .messages import escape_message, warn

_FALSE = ("false", "0", "no")
_BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


class Offer(NamedTuple):
    """The words that shells complete as values of an option: a function that returns them, and what separates them."""

    words: Callable[[], Iterable[str]]
    separator: str


class Parser(arguments.Parser):
    """A parser for which `--in_graph` and `--in-graph` are the same.

    Flags are spelled `--full` and `--no-full`, or `--full=true` and `--full=false`. Arguments are escaped before they
    are printed in an error.
    """

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords)
        self._flags: set[str] = set()
        self._former: dict[str, FormerFlag] = {}
        self._needed: list[argparse.Action] = []
        self.offers: dict[str, Offer] = {}

    def add_offered(
        self, name: str, words: Callable[[], Iterable[str]], *, separator: str = "", **keywords: Any
    ) -> None:
        """Add an option whose values are mostly one of some words, or several with a separator, which shells complete.

        `words` returns them; it is not called before a script for a shell is made.
        """
        self.offers[self.add_argument(name, **keywords).dest] = Offer(words, separator)

    def add_flag(self, name: str, *, help: str) -> None:
        """Add an option that is on or off; by default it is off."""
        action = self.add_argument(name, action="store_true", help=help)
        self.add_argument(_off(name), action="store_false", dest=action.dest, help=argparse.SUPPRESS)
        self._flags.add(name)

    def add_former_flags(self, command: str) -> None:
        """Add the flags of the tool that a command replaces: see `former_tools`. Call it after all arguments are added.

        Arguments that a flag stands for become optional; `parse_args` refuses their absence.
        """
        for flag in FLAGS[command]:
            dest = f"former_{flag.name}"
            self._former[dest] = flag
            optional: dict[str, Any] = {"nargs": "?", "const": "true"} if flag.is_bool else {}
            self.add_argument(f"--{flag.name.replace('_', '-')}", dest=dest, help=argparse.SUPPRESS, **optional)
        targets = {flag.becomes for flag in FLAGS[command]}
        for action in self._actions:
            if action.dest in targets and not action.option_strings and action.nargs is None:
                action.nargs, action.required = "?", False
                self._needed.append(action)

    def _take_former_flags(self, parsed: Any) -> None:
        """Give the values of former flags to the arguments that they stand for, and say which have no effect."""
        for dest, flag in self._former.items():
            value = getattr(parsed, dest)
            delattr(parsed, dest)
            if value in (None, ""):
                continue
            if flag.becomes:
                before = getattr(parsed, flag.becomes)
                if before not in (None, "", []):
                    self.error(f"--{flag.name} {value} contradicts {before}: give one of them")
                setattr(parsed, flag.becomes, [value] if isinstance(before, list) else value)
            if flag.note and not (flag.is_bool and value.lower() in _FALSE):
                warn(f"--{flag.name}: {flag.note}" if flag.becomes else f"--{flag.name} has no effect: {flag.note}")
        for action in self._needed:
            if getattr(parsed, action.dest) is None:
                self.error(f"the following arguments are required: {action.metavar}")

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]  # narrower than argparse, which returns any namespace
        parsed, unknown = self.parse_known_args(
            self._normalize_options(sys.argv[1:] if args is None else args), namespace
        )
        unknown = self._place_words(parsed, unknown)
        if unknown:
            options = [action.option_strings for action in self._actions if action.help != argparse.SUPPRESS]
            near = suggestion(unknown[0].partition("=")[0], [name for names in options for name in names])
            self.error(f"unrecognized arguments: {' '.join(unknown)}{near}")
        self._take_former_flags(parsed)
        return parsed

    def _place_words(self, parsed: Any, unknown: list[str]) -> list[str]:
        """Give words behind options to the positional arguments that can take them, and return the rest.

        argparse matches `IN [OUT]` at the first word, and would refuse OUT in `IN --to text OUT`.
        """
        end = unknown.index("--") if "--" in unknown else len(unknown)
        if any(word.startswith("-") and word != "-" for word in unknown[:end]):
            return unknown
        words = unknown[:end] + unknown[end + 1 :]
        for action in self._actions:
            if words and not action.option_strings and action.nargs in ("?", "+", "*"):
                before = getattr(parsed, action.dest)
                if isinstance(before, list):
                    before += words
                    words = []
                elif before is None:
                    setattr(parsed, action.dest, words.pop(0))
        return words

    def has(self, option: str, form: str = "") -> bool:
        """Return whether the option exists, and takes values of a form such as NAME=VALUE, if one is given."""
        action = self._option_string_actions.get(option)
        return action is not None and (not form or re.sub(r"\[|\]|,\.\.\.", "", str(action.metavar)) == form)

    def error(self, message: str) -> NoReturn:
        super().error(escape_message(message))

    def _normalize_options(self, arguments: Sequence[str]) -> list[str]:
        """Return the arguments with "-" for "_" in names of options, and with flags that have no values."""
        spelled: list[str] = []
        for position, argument in enumerate(arguments):
            if argument == "--":
                return [*spelled, *arguments[position:]]
            if argument.startswith("--"):
                name, equals, value = argument.partition("=")
                name = name.replace("_", "-")
                if equals and name in self._flags:
                    if value.lower() not in _BOOLEANS:
                        self.error(f"argument {name}: {quote(value)} is neither true nor false")
                    argument = name if _BOOLEANS[value.lower()] else _off(name)
                else:
                    argument = name + equals + value
            spelled.append(argument)
        return spelled


def given(args: Any, *names: str) -> dict[str, Any]:
    """Return those of the options that are on the command line, for a function that has the defaults of the others."""
    return {name: value for name in names if (value := getattr(args, name)) is not None}


def _off(name: str) -> str:
    return f"--no-{name.removeprefix('--')}"


def whole(text: str) -> int:
    """Parse an integer of at least 0."""
    return _integer(text, 0)


def positive(text: str) -> int:
    """Parse an integer of at least 1."""
    return _integer(text, 1)


def byte_size(text: str) -> int:
    """Parse a number of bytes, such as 1000, 10k, 1.5M or 2Gi."""
    try:
        return parse_size(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def tolerance(text: str) -> float:
    """Parse a tolerance: a finite number of at least 0. With NaN, numbers would differ from themselves."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise ArgumentTypeError(f"{quote(text)} is not a tolerance: give a number such as 1e-4, or 0")
    return number


def _integer(text: str, minimum: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise ArgumentTypeError(f"{quote(text[:40])} is not a whole number") from None
    if number < minimum:
        raise ArgumentTypeError(f"at least {minimum}, not {text}")
    return number
