"""Flags of a script: `tf.app.flags.DEFINE_string("name", "default", "help")` and `FLAGS.name`.

These are the flags of absl, for scripts that run where absl is missing: `--name=value`, `--name value`, `--name` and
`--noname` for booleans, `--help`. If absl is installed, `tensorflow.flags` has the names of absl's module. As in
TensorFlow, FLAGS are parsed when a flag is first read, and arguments may have the names of TensorFlow 1.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

__all__ = [
    "FLAGS",
    "DEFINE_bool",
    "DEFINE_boolean",
    "DEFINE_enum",
    "DEFINE_float",
    "DEFINE_integer",
    "DEFINE_list",
    "DEFINE_multi_string",
    "DEFINE_string",
    "Error",
    "absl_name",
    "mark_flag_as_required",
    "mark_flags_as_required",
]


class Error(Exception):
    """A flag is unknown, has a wrong value, or is missing."""


class _Flag:
    def __init__(self, default: Any, help: str, parse: Callable[[str], Any], *, is_list: bool = False) -> None:
        self.default = self.value = default
        self.help, self.parse, self.is_list = help, parse, is_list
        self.is_boolean = parse is _boolean
        self.is_required = self.is_present = False


class FlagValues:
    """The values of all flags, as attributes. A call parses a command line, and returns its other arguments."""

    def __init__(self) -> None:
        self.__dict__["_flags"] = {}
        self.__dict__["_is_parsed"] = False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._flags:
            raise AttributeError(f"Unknown flag {name!r}")
        if not self._is_parsed:  # as scripts of TensorFlow 1 expect
            self(sys.argv, known_only=True)
        return self._flags[name].value

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._flags:
            raise AttributeError(f"Unknown flag {name!r}")
        self._flags[name].value = value

    def __contains__(self, name: str) -> bool:
        return name in self._flags

    def __iter__(self) -> Any:
        return iter(self._flags)

    def __call__(self, argv: Sequence[str], known_only: bool = False) -> list[str]:
        """Parse a command line, of which the first item is the program. Raises Error."""
        self.__dict__["_is_parsed"] = True
        others, pending = list(argv[:1]), list(argv[1:])
        while pending:
            word = pending.pop(0)
            if word == "--":
                others += pending
                break
            if not word.startswith("-") or word.strip("-") == "":
                others.append(word)
                continue
            name, has_value, value = word.lstrip("-").partition("=")
            if name in ("help", "h") and name not in self._flags:
                print(self.main_module_help())
                sys.exit(0)
            flag = self._flags.get(name)
            if flag is None and name.startswith("no") and not has_value:
                flag = self._flags.get(name[2:])
                if flag is not None and flag.is_boolean:
                    flag.value, flag.is_present = False, True
                    continue
                flag = None
            if flag is None:
                if known_only:
                    others.append(word)
                    continue
                raise Error(f"Unknown command line flag {name!r}")
            if not has_value:
                if not flag.is_boolean and not pending:
                    raise Error(f"Missing value for flag {name!r}")
                value = "true" if flag.is_boolean else pending.pop(0)
            self._set(name, flag, value)
        missing = [name for name, flag in self._flags.items() if flag.is_required and flag.value is None]
        if missing:
            raise Error(f"flag --{missing[0]} must have a value other than None")
        return others

    def _set(self, name: str, flag: _Flag, text: str) -> None:
        try:
            value = flag.parse(text)
        except ValueError as error:
            raise Error(f"flag --{name}={text}: {error}") from None
        flag.value = [*flag.value, value] if flag.is_list and flag.is_present else [value] if flag.is_list else value
        flag.is_present = True

    def main_module_help(self) -> str:
        """Return a line for each flag."""
        return "\n".join(f"  --{name}: {flag.help} (default: {flag.default!r})" for name, flag in self._flags.items())

    def flag_values_dict(self) -> dict[str, Any]:
        """Return the values of all flags by name."""
        return {name: flag.value for name, flag in self._flags.items()}


FLAGS = FlagValues()


def _boolean(text: str) -> bool:
    words = {"true": True, "t": True, "1": True, "yes": True, "false": False, "f": False, "0": False, "no": False}
    if text.lower() not in words:
        raise ValueError("expected true or false")
    return words[text.lower()]


def _split(text: str) -> list[str]:
    return [item.strip() for item in text.split(",")] if text else []


_OLD_NAMES = {"flag_name": "name", "default_value": "default", "docstring": "help"}


def _with_old_names(define: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that defines a flag, with arguments of either name."""

    @functools.wraps(define)
    def define_flag(*arguments: Any, **options: Any) -> Any:
        return define(*arguments, **{_OLD_NAMES.get(name, name): value for name, value in options.items()})

    return define_flag


def _definer(parse: Callable[[str], Any], *, is_list: bool = False) -> Callable[..., None]:
    @_with_old_names
    def define(name: str, default: Any, help: str = "", *others: Any, required: bool = False, **options: Any) -> None:
        value = default
        if isinstance(default, str) and default is not None:
            value = [parse(default)] if is_list else parse(default)
        FLAGS._flags[name] = _Flag(value, help, parse, is_list=is_list)
        FLAGS._flags[name].is_required = required

    return define


DEFINE_string = _definer(str)
DEFINE_integer = _definer(lambda text: int(text, 0))
DEFINE_float = _definer(float)
DEFINE_bool = DEFINE_boolean = _definer(_boolean)
DEFINE_list = _definer(_split)
DEFINE_multi_string = _definer(str, is_list=True)


def DEFINE_enum(name: str, default: Any, enum_values: Sequence[str], help: str = "", **options: Any) -> None:
    """Define a flag with one of several values."""

    def parse(text: str) -> str:
        if text not in enum_values:
            raise ValueError(f"expected one of {', '.join(enum_values)}")
        return text

    _definer(parse)(name, default, help, **options)


def mark_flag_as_required(name: str, flag_values: Any = None) -> None:
    """Let a missing value of a flag be an error."""
    FLAGS._flags[name].is_required = True


def mark_flags_as_required(names: Sequence[str], flag_values: Any = None) -> None:
    """Let missing values of flags be errors."""
    for name in names:
        mark_flag_as_required(name)


# --- absl ------------------------------------------------------------------------------------------------------------


class ParsedFlags:
    """The FLAGS of absl, which are parsed when a flag is first read."""

    def __init__(self, values: Any) -> None:
        vars(self)["_values"] = values

    def __getattr__(self, name: str) -> Any:
        values = vars(self)["_values"]
        if not values.is_parsed() and name in values:
            values(sys.argv)
        return getattr(values, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._values, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._values, name)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._values(*arguments, **options)


def absl_name(flags: Any, name: str) -> Any:
    """Return what `tensorflow.flags` has in place of a name of `absl.flags`."""
    value = getattr(flags, name)
    if name == "FLAGS":
        return ParsedFlags(value)
    return _with_old_names(value) if name.startswith("DEFINE_") else value
