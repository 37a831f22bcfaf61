"""What every command shares: its parser, where its output goes, and how it ends."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from pbwire.guessing import suggestion

from ..printable import printable

if TYPE_CHECKING:
    from pbwire.errors import EncodeError
    from pbwire.message import Message

__all__ = [
    "Parser",
    "RequestError",
    "UsageError",
    "add_reading_options",
    "message_type",
    "refuse_names_of_others",
    "run",
    "unknown_command",
    "unwritable",
    "wanted_class",
    "warn",
]

DONE, BAD, USAGE = 0, 1, 2
INTERRUPTED = 130  # what a shell says of a program that was ended by control-C,
CLOSED_PIPE = 141  # and of one that wrote to a pipe that nobody reads any more


class RequestError(Exception):
    """What was asked for cannot be done, with this file or with any."""

    def __init__(self, problem: str, *, file: str = "") -> None:
        super().__init__(problem)
        self.file = file


class UsageError(Exception):
    """The arguments do not make sense together. It ends a command as a mistake that the parser finds does."""


class Parser(argparse.ArgumentParser):
    """argparse, but `--in_graph` and `--in-graph` are the same, and flags are `--full`, `--full=true`, `--full=false`.

    What a user typed never reaches the terminal raw.
    """

    def __init__(self, **keywords: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **keywords)
        self._flags: set[str] = set()

    def add_flag(self, name: str, *, help: str) -> None:
        """Add an option that is on or off."""
        action = self.add_argument(name, action="store_true", help=help)
        self.add_argument(_off(name), action="store_false", dest=action.dest, help=argparse.SUPPRESS)
        self._flags.add(name)

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]  # narrower than argparse, which returns any namespace
        found, unknown = self.parse_known_args(self._respelled(sys.argv[1:] if args is None else args), namespace)
        if unknown:
            shown = [action.option_strings for action in self._actions if action.help != argparse.SUPPRESS]
            near = suggestion(unknown[0].partition("=")[0], [name for names in shown for name in names])
            self.error(f"unrecognized arguments: {' '.join(unknown)}{near}")
        return found

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))

    def _respelled(self, arguments: Sequence[str]) -> list[str]:
        spelled: list[str] = []
        for position, argument in enumerate(arguments):
            if argument == "--":
                return [*spelled, *arguments[position:]]
            if argument.startswith("--"):
                name, equals, value = argument.partition("=")
                name = name.replace("_", "-")
                if equals and name in self._flags and value.lower() in _BOOLEANS:
                    argument = name if _BOOLEANS[value.lower()] else _off(name)
                else:
                    argument = name + equals + value
            spelled.append(argument)
        return spelled


_BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def _off(name: str) -> str:
    return f"--no-{name.removeprefix('--')}"


# --- input and output ------------------------------------------------------------------------------------------------


def add_reading_options(parser: Parser, file: str) -> None:
    """Add the options of a command that reads `file` as a message of whatever class: --type and what belongs to it."""
    add = parser.add_argument
    type_help = f"the message that {file} holds, whatever it looks like; GraphDef and MetaGraphDef may be inside of it"
    add("--type", metavar="NAME", help=type_help)
    add("--tags", metavar="TAGS", help="with --type, which MetaGraph of several: the one with these tags")
    unknown_help = "leave out what text and JSON have of fields that are not known here, instead of refusing them"
    parser.add_flag("--allow-unknown-field", help=unknown_help)


def wanted_class(args: Any) -> type[Message] | None:
    """The message class that --type asks for, if it does."""
    if args.type is not None:
        return message_type(args.type)
    if args.tags is not None:
        raise UsageError("--tags choose a MetaGraph: add --type MetaGraphDef or --type GraphDef")
    return None


def message_type(name: str) -> type[Message]:
    """The message class that a user means: by its full name, or without the package."""
    from ..messages import TYPES

    for package in ("", "tensorflow.", "google.protobuf."):
        if found := TYPES.get(package + name):
            return found
    known = {full_name.removeprefix("tensorflow.").casefold(): full_name for full_name in TYPES}
    if same := known.get(name.casefold()):
        return TYPES[same]
    short = [full_name.removeprefix("tensorflow.") for full_name in TYPES]
    raise RequestError(f"--type: there is no message {printable(name)}{suggestion(name, short)}")


def unwritable(error: EncodeError, form: str, file: str) -> RequestError:
    """What to say of a message that was read and cannot be written: which can only be JSON's fault."""
    what = "JSON, only as text or binary" if form == "json" else form
    return RequestError(f"cannot be written as {what}: {error}", file=file)


def refuse_names_of_others(target: str) -> None:
    """Refuse to write a graph to a file whose name says that it is something else."""
    suffix = os.path.splitext(target)[1].lower()
    if suffix == ".gz":
        raise RequestError("graphs are not written compressed: leave out .gz", file=target)
    if suffix == ".meta":
        raise RequestError("a .meta has a MetaGraph, and this would be a graph: call it .pb", file=target)


# --- running ---------------------------------------------------------------------------------------------------------


def run(command: str, module: str, line: str, arguments: list[str]) -> int:
    """Run one command to its end, whatever that is, and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace", newline="\n")
    try:
        implementation = importlib.import_module(module, __package__)
        parser = Parser(prog=f"tfmodel {command}", description=implementation.__doc__ or line)
        implementation.add_arguments(parser)
        args = parser.parse_args(arguments)
        try:
            status: int = implementation.run(args)
        except UsageError as error:
            parser.error(str(error))
        sys.stdout.flush()
        return status
    except SystemExit as error:  # argparse has said what is wrong
        _flush()
        return error.code if isinstance(error.code, int) else USAGE
    except KeyboardInterrupt:
        _flush()
        return INTERRUPTED
    except BrokenPipeError:
        _flush()
        return CLOSED_PIPE
    except Exception as error:  # what cannot be explained is raised again
        message = _explain(command, error)
        if message is None:
            raise
        _flush()  # what was found before the error comes before its message
        warn(message)
        return BAD


def unknown_command(command: str, known: list[str]) -> int:
    warn(f"tfmodel: there is no command {printable(command)!r}{suggestion(command, known)}")
    warn(f"usage: tfmodel COMMAND ...; the commands are {', '.join(known)}")
    return USAGE


def _explain(command: str, error: Exception) -> str | None:
    """The error in one line, the file first; None if it is no fault of the input but of ours."""
    from pbwire.errors import Error

    if isinstance(error, RequestError):
        return f"{error.file or command}: {error}"
    if isinstance(error, Error):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or command}: {error.strerror[:1].lower()}{error.strerror[1:]}"
    if isinstance(error, MemoryError):
        return f"{command}: out of memory"
    return None


def warn(message: str) -> None:
    """Say something on stderr."""
    with contextlib.suppress(OSError):
        print("\n".join(map(printable, message.split("\n"))), file=sys.stderr, flush=True)


def _flush() -> None:
    """Write what is still buffered; if that fails, drop it, or it would fail once more, loudly, when Python exits."""
    try:
        sys.stdout.flush()
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
