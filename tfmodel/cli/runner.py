"""Run one command: parse its arguments, and turn errors and signals into messages and exit statuses."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from typing import NoReturn

from pbwire.arguments import CLOSED_PIPE, DONE, FAILED, INTERRUPTED
from pbwire.errors import compose, suggestion

from ..starting import command_prefix
from ..values.terminal import fit_tables, quote
from .messages import UsageError, explain_error, in_options, speaking_for, warn
from .parser import Parser

_CALL = re.compile(
    r"(?:(?<=^  )|(?<=[|&] )|(?<=`))tfmodel(?=\s[a-z])", re.MULTILINE
)  # calls in the help text of a command


class Terminated(KeyboardInterrupt):
    """The exception for a signal that ends a command as control-C does."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.status = 128 + number  # the exit status that shells report after the signal


def run(command: str, module: str, line: str, arguments: list[str]) -> int:
    """Run one command, print the message of its error if it fails, and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace", newline="\n")
    parser = Parser(prog=f"{command_prefix()} {command}")
    with speaking_for(parser):
        try:
            with _terminate_on_signals():
                implementation = importlib.import_module(module, __package__)
                parser.description = _CALL.sub(lambda _: command_prefix(), implementation.__doc__ or line)
                implementation.add_arguments(parser)
                args = parser.parse_args(arguments)
                try:
                    with fit_tables(_terminal_width()):
                        status: int = implementation.run(args)
                except UsageError as error:
                    parser.error(in_options(compose(error)))
                sys.stdout.flush()
                return status
        except BaseException as error:  # bugs in tfmodel are raised again
            ending = report_failure(parser.prog, error)
            if ending is None:
                raise
            return ending


def _terminal_width() -> int | None:
    """Return the width of the terminal in characters; None if standard output is not a terminal."""
    if not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def report_failure(program: str, error: BaseException) -> int | None:
    """Print why a command ended early, and return its exit status; None if the error is a bug in tfmodel.

    Nothing is printed for signals and closed pipes.
    """
    error = _interruption(error) or error
    if isinstance(error, SystemExit):  # argparse has printed what is wrong, or the help
        problem = _flush()
        status = error.code if isinstance(error.code, int) else FAILED
        return status if status or problem is None else report_failure(program, problem)
    if isinstance(error, KeyboardInterrupt):
        _flush()
        return error.status if isinstance(error, Terminated) else INTERRUPTED
    if isinstance(error, BrokenPipeError):
        _flush()
        return CLOSED_PIPE
    message = explain_error(program, error)
    if message is None:
        return None
    _flush()  # the output so far comes before the message
    warn(message, "error")
    return FAILED


def _interruption(error: BaseException) -> KeyboardInterrupt | None:
    """Return the interruption that caused an error. Python wraps one in the body of a class in a RuntimeError."""
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:  # an error may be its own cause
        if isinstance(cause, KeyboardInterrupt):
            return cause
        causes.append(cause)
        cause = cause.__cause__
    return None


def run_quietly(main: Callable[[], int | None]) -> int:
    """Run a program that is not a command, and return its exit status.

    A closed output pipe and control-C end it without a message. Other errors are raised.
    """
    try:
        status = main() or DONE
        sys.stdout.flush()
        return status
    except (BrokenPipeError, KeyboardInterrupt, SystemExit) as error:
        return report_failure("", error) or DONE


@contextlib.contextmanager
def _terminate_on_signals() -> Iterator[None]:
    """Make SIGTERM and SIGHUP end the command as control-C does, so that unfinished files are removed.

    Signals that are ignored, as nohup does, or handled by other code, stay as they are.
    """

    def end(number: int, frame: object) -> NoReturn:
        raise Terminated(number)

    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]  # Windows has one
    before = {}
    try:
        with contextlib.suppress(ValueError):  # only the main thread can set handlers
            for number in signals:
                if signal.getsignal(number) is signal.SIG_DFL:
                    before[number] = signal.signal(number, end)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def unknown_command(command: str, known: list[str]) -> int:
    with contextlib.suppress(SystemExit):
        Parser(prog=command_prefix()).error(f"there is no command {quote(command)}{suggestion(command, known)}")
    return FAILED


def _flush() -> OSError | None:
    """Write the buffered output; if that fails, drop it and return the error.

    Without dropping it, Python would report the error again when it exits.
    """
    try:
        sys.stdout.flush()
    except OSError as error:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return error
    return None
