"""Errors of commands and messages on stderr, worded with command-line options and free of control characters.

Every command imports this module. It imports the words of hints only when a message has one.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING

from pbwire.arguments import paint_message
from pbwire.colours import Style
from pbwire.errors import Error, Text, about, compose, has_subject, is_about

from ..public_names import missing_part
from ..values.terminal import escape, shorten

if TYPE_CHECKING:
    from pbwire.errors import EncodeError

    from .parser import Parser

LONGEST = 4_000  # characters of an error: a name may have megabytes
_PARSER: ContextVar[Parser | None] = ContextVar("parser", default=None)
_SAID: ContextVar[list[tuple[str, Style | None]] | None] = ContextVar("said", default=None)
_HIDING: list[Callable[[], contextlib.AbstractContextManager[None]]] = []
"""For each progress line that may be on the terminal: a function that hides it for a while."""
_EXCERPT = re.compile(r"(.*)\n( {4}.*)\n( +\^+)", re.DOTALL)


class RequestError(Exception):
    """A request that cannot be fulfilled, with this file or with any file.

    The message is "FILE: problem"; the problem may be about the file already.
    """

    def __init__(self, problem: str, *, file: str = "") -> None:
        name = escape(file)
        super().__init__(problem if not name or is_about(name, problem) else about(name, problem))
        self.file = file


class UsageError(Exception):
    """Arguments that contradict each other. The command ends as after an error of the argument parser."""


def unwritable(error: EncodeError, form: str, file: str) -> RequestError:
    """Return the error for a message that the output format cannot represent."""
    what = "JSON, only as text or binary" if form == "json" else form
    return RequestError(compose(f"cannot be written as {what}: ", error), file=file)


def explain_error(program: str, error: BaseException) -> str | None:
    """Return the message for an error; None if the error is a bug in tfmodel.

    It begins with the file or model that it is about, else with the program and its command: "tfmodel verify".
    """
    if isinstance(error, (RequestError, Error)):
        message = str(error) if isinstance(error, Error) else compose(error)
        names_file = getattr(error, "names_file", False) or has_subject(message)
        return in_options(message if names_file else compose(f"{program}: ", message))
    if isinstance(error, OSError):
        has_path = isinstance(error.filename, (str, bytes))
        file = escape(os.fsdecode(error.filename)) or '""' if has_path else program
        problem = error.strerror or escape(str(error))
        return f"{file}: {problem[:1].lower()}{problem[1:]}"
    if isinstance(error, MemoryError):
        return f"{program}: out of memory"
    if isinstance(error, ModuleNotFoundError) and error.name == "numpy":
        return f"{program}: this needs numpy, which {escape(sys.executable or 'this Python')} does not have"
    if problem := missing_part(error):
        return f'{program}: {problem}; "vendor --update --parts" of a whole tfmodel adds parts'
    return None


def warn(message: str, style: Style | None = None) -> None:
    """Print a message as one line on stderr; on a terminal in a style, and as lines that fit. A very long one loses its
    middle.

    An excerpt of a text file, with an underline, may follow.
    """
    message = in_options(message)
    match = _EXCERPT.fullmatch(message)
    tell("\n".join(map(escape_message, match.groups() if match else [message])), style)


def tell(text: str, style: Style | None = None) -> None:
    """Print text of one or several lines on stderr, on a terminal in a style."""
    lines = [escape(line) for line in in_options(text).split("\n")]
    if (messages := _SAID.get()) is not None:
        messages.append(("\n".join(lines), style))
    shown = "\n".join(paint_message(line, style, sys.stderr) for line in lines)
    with contextlib.suppress(OSError), contextlib.ExitStack() as hidden:
        for hide in _HIDING:
            hidden.enter_context(hide())
        print(shown, file=sys.stderr, flush=True)


@contextlib.contextmanager
def hiding(hide: Callable[[], contextlib.AbstractContextManager[None]]) -> Iterator[None]:
    """Hide a line of the terminal with `hide()` while a message is printed."""
    _HIDING.append(hide)
    try:
        yield
    finally:
        _HIDING.remove(hide)


def escape_message(message: str) -> str:
    """Return a message as one line without control characters; a long one without its middle."""
    return shorten(escape(shorten(message, LONGEST)), LONGEST)


@contextlib.contextmanager
def speaking_for(parser: Parser) -> Iterator[None]:
    """Word hints with the options of this parser: that of the command that runs. Keep what is printed for `said`."""
    tokens = _PARSER.set(parser), _SAID.set([])
    try:
        yield
    finally:
        _PARSER.reset(tokens[0])
        _SAID.reset(tokens[1])


def said() -> list[tuple[str, Style | None]]:
    """Return the messages that the command has printed on stderr so far, each with its style."""
    return _SAID.get() or []


def in_options(message: str) -> str:
    """Return a message in which hints name options of the command that runs instead of Python arguments.

    If it lacks the option, the hint names a command that has it.
    """
    if not isinstance(message, Text):
        return message
    from .hints import word

    parser = _PARSER.get()
    return message.worded(lambda hint: word(hint, parser))
