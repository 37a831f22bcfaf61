"""What every command shares: its parser, where its output goes, and how it ends."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from pbwire.suggestions import suggestion

from ..io.terminal import printable, shortened
from ..program_name import program
from .hints import in_options

if TYPE_CHECKING:
    from pbwire.errors import EncodeError

__all__ = [
    "Parser",
    "RequestError",
    "UsageError",
    "ended",
    "ended_quietly",
    "explained",
    "refuse_names_of_others",
    "run",
    "target_name",
    "tell",
    "unknown_command",
    "unwritable",
    "warn",
]

DONE, BAD, USAGE = 0, 1, 2
LONGEST = 4_000  # characters of an error: a name may have megabytes
INTERRUPTED = 130  # what a shell says of a program that was ended by control-C,
CLOSED_PIPE = 141  # and of one that wrote to a pipe that nobody reads any more


class RequestError(Exception):
    """What was asked for cannot be done, with this file or with any."""

    def __init__(self, problem: str, *, file: str = "") -> None:
        super().__init__(problem)
        self.file = file


class UsageError(Exception):
    """The arguments do not make sense together. It ends a command as a mistake that the parser finds does."""


class Terminated(KeyboardInterrupt):
    """A signal that ends a command as control-C does."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.status = 128 + number  # what a shell says of a program that the signal has ended


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

    def print_help(self, file: Any = None) -> None:
        (file or sys.stdout).write(self.format_help())  # argparse says nothing if that fails

    def has(self, option: str) -> bool:
        """Whether there is such an option."""
        return option in self._option_string_actions

    def error(self, message: str) -> NoReturn:
        super().error(_shown(message))

    def _respelled(self, arguments: Sequence[str]) -> list[str]:
        spelled: list[str] = []
        for position, argument in enumerate(arguments):
            if argument == "--":
                return [*spelled, *arguments[position:]]
            if argument.startswith("--"):
                name, equals, value = argument.partition("=")
                name = name.replace("_", "-")
                if equals and name in self._flags:
                    if value.lower() not in _BOOLEANS:
                        self.error(f"argument {name}: {value!r} is neither true nor false")
                    argument = name if _BOOLEANS[value.lower()] else _off(name)
                else:
                    argument = name + equals + value
            spelled.append(argument)
        return spelled


_CALL = re.compile(r"(?:(?<=^  )|(?<=[|&] )|(?<=`))tfmodel(?=\s[a-z])", re.MULTILINE)  # in what explains a command

_BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def _off(name: str) -> str:
    return f"--no-{name.removeprefix('--')}"


# --- input and output ------------------------------------------------------------------------------------------------


def unwritable(error: EncodeError, form: str, file: str) -> RequestError:
    """What to say of a message that was read and cannot be written: which can only be JSON's fault."""
    what = "JSON, only as text or binary" if form == "json" else form
    return RequestError(f"cannot be written as {what}: {error}", file=file)


def target_name(target: str) -> str:
    """What messages call the file that is written."""
    return "<stdout>" if target == "-" else printable(target)


_OTHERS = {
    ".h5": "a .h5 has a model of Keras",
    ".keras": "a .keras has a model of Keras",
    ".npy": "a .npy has an array",
    ".npz": "an .npz has arrays",
    ".onnx": "an .onnx has a model of ONNX",
    ".safetensors": "a .safetensors has arrays",
    ".tflite": "a .tflite has a model of TensorFlow Lite",
}


def refuse_names_of_others(target: str) -> None:
    """Refuse to write a graph to a file whose name says that it is something else."""
    suffix = os.path.splitext(target)[1].lower()
    if suffix == ".gz":
        raise RequestError("graphs are not written compressed: leave out .gz", file=target)
    if suffix == ".meta":
        raise RequestError("a .meta has a MetaGraph, and this would be a graph: call it .pb", file=target)
    if suffix in _OTHERS:
        raise RequestError(f"{_OTHERS[suffix]}, and this would be a graph: call it .pb", file=target)


# --- running ---------------------------------------------------------------------------------------------------------


def run(command: str, module: str, line: str, arguments: list[str]) -> int:
    """Run one command to its end, whatever that is, and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace", newline="\n")
    parser = Parser(prog=f"{program()} {command}")
    try:
        with _ended_by_signals():
            implementation = importlib.import_module(module, __package__)
            parser.description = _CALL.sub(lambda _: program(), implementation.__doc__ or line)
            implementation.add_arguments(parser)
            args = parser.parse_args(arguments)
            try:
                status: int = implementation.run(args)
            except UsageError as error:
                parser.error(str(error))
            sys.stdout.flush()
            return status
    except BaseException as error:  # what cannot be explained is raised again
        ending = ended(command, error, parser)
        if ending is None:
            raise
        return ending


def ended(command: str, error: BaseException, parser: Parser | None = None) -> int | None:
    """Say why a command ended early, and return its exit status; None if that is a fault of ours. What helps is said
    with the options of `parser`."""
    if isinstance(error, SystemExit):  # argparse has said what is wrong, or has explained the command
        problem = _flush()
        status = error.code if isinstance(error.code, int) else USAGE
        return status if status or problem is None else ended(command, problem)
    if isinstance(error, KeyboardInterrupt):
        _flush()
        return error.status if isinstance(error, Terminated) else INTERRUPTED
    if isinstance(error, BrokenPipeError):
        _flush()
        return CLOSED_PIPE
    message = explained(command, error, parser)
    if message is None:
        return None
    _flush()  # what was found before the error comes before its message
    warn(message)
    return USAGE if isinstance(error, ImportError) else BAD  # without numpy, nothing was found wrong or different


def ended_quietly(main: Callable[[], int | None]) -> int:
    """Run a program that is no command, and return its exit status. Nothing is said if nobody reads what it prints, or
    at control-C."""
    try:
        status = main() or DONE
        sys.stdout.flush()
        return status
    except (BrokenPipeError, KeyboardInterrupt, SystemExit) as error:
        return ended("", error) or DONE


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let the signals that ask a program to end do so as control-C does: what is half written is removed.

    Those that somebody ignores, as nohup does, or handles, stay as they are.
    """
    import signal

    def end(number: int, frame: object) -> NoReturn:
        raise Terminated(number)

    wanted = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]  # Windows has one
    before = {}
    try:
        with contextlib.suppress(ValueError):  # threads other than the main one cannot do this
            for number in wanted:
                if signal.getsignal(number) is signal.SIG_DFL:
                    before[number] = signal.signal(number, end)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def unknown_command(command: str, known: list[str]) -> int:
    warn(f"tfmodel: there is no command {printable(command)!r}{suggestion(command, known)}")
    warn(f"usage: {program()} COMMAND ...; the commands are {', '.join(known)}")
    return USAGE


def explained(command: str, error: BaseException, parser: Parser | None = None) -> str | None:
    """The error in one line, the file first; None if it is no fault of the input but of ours."""
    from pbwire.errors import Error

    if isinstance(error, RequestError):
        return f"{printable(error.file) or command}: {in_options(str(error), parser)}"
    if isinstance(error, Error):
        return in_options(str(error), parser)
    if isinstance(error, OSError):
        named = isinstance(error.filename, (str, bytes))
        file = printable(os.fsdecode(error.filename)) or '""' if named else command
        problem = error.strerror or printable(str(error))
        return f"{file}: {problem[:1].lower()}{problem[1:]}"
    if isinstance(error, MemoryError):
        return f"{command}: out of memory"
    if isinstance(error, ModuleNotFoundError) and error.name == "numpy":
        return f"{command}: this needs numpy, which {printable(sys.executable or 'this Python')} does not have"
    return None


_EXCERPT = re.compile(r"(.*)\n( {4}.*)\n( +\^+)", re.DOTALL)


def warn(message: str) -> None:
    """Say something on stderr, in one line that is not too long; an excerpt of a text may follow, in which something is
    underlined."""
    match = _EXCERPT.fullmatch(message)
    tell("\n".join(map(_shown, match.groups() if match else [message])))


def _shown(message: str) -> str:
    return shortened(printable(shortened(message, LONGEST)), LONGEST)


def tell(text: str) -> None:
    """Say something on stderr, in one line or several."""
    with contextlib.suppress(OSError):
        print("\n".join(map(printable, text.split("\n"))), file=sys.stderr, flush=True)


def _flush() -> OSError | None:
    """Write what is still buffered; if that fails, drop it, or it would fail once more, loudly, when Python exits."""
    try:
        sys.stdout.flush()
    except OSError as error:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return error
    return None
