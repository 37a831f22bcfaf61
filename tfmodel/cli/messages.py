"""Errors of commands and messages on stderr, worded with command-line options and free of control characters.

Every command imports this module. It imports the modules whose texts it rewords only when it needs them.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from typing import TYPE_CHECKING

from ..values.terminal import escape, shorten

if TYPE_CHECKING:
    from .parser import Parser

__all__ = ["RequestError", "UsageError", "escape_message", "explain_error", "in_options", "tell", "warn"]


LONGEST = 4_000  # characters of an error: a name may have megabytes
_EXCERPT = re.compile(r"(.*)\n( {4}.*)\n( +\^+)", re.DOTALL)
_FEED = "--feed NAME=VALUE"


class RequestError(Exception):
    """A request that cannot be fulfilled, with this file or with any file.

    The message is "FILE: problem"; the problem may begin with the file already.
    """

    def __init__(self, problem: str, *, file: str = "") -> None:
        super().__init__(problem.removeprefix(f"{file}: ") if file else problem)
        self.file = file


class UsageError(Exception):
    """Arguments that contradict each other. The command ends as after an error of the argument parser."""


def explain_error(command: str, error: BaseException, parser: Parser | None = None) -> str | None:
    """Return the message for an error; None if the error is a bug in tfmodel.

    It begins with a file, if the error names one.
    """
    from pbwire.errors import Error

    if isinstance(error, RequestError):
        return f"{escape(error.file) or command}: {in_options(str(error), parser)}"
    if isinstance(error, Error):
        return in_options(str(error), parser)
    if isinstance(error, OSError):
        has_path = isinstance(error.filename, (str, bytes))
        file = escape(os.fsdecode(error.filename)) or '""' if has_path else command
        problem = error.strerror or escape(str(error))
        return f"{file}: {problem[:1].lower()}{problem[1:]}"
    if isinstance(error, MemoryError):
        return f"{command}: out of memory"
    if isinstance(error, ModuleNotFoundError) and error.name == "numpy":
        return f"{command}: this needs numpy, which {escape(sys.executable or 'this Python')} does not have"
    return None


def warn(message: str) -> None:
    """Print a message as one line on stderr; a long one without its middle.

    An excerpt of a text file, with an underline, may follow.
    """
    match = _EXCERPT.fullmatch(message)
    tell("\n".join(map(escape_message, match.groups() if match else [message])))


def tell(text: str) -> None:
    """Print text of one or several lines on stderr."""
    with contextlib.suppress(OSError):
        print("\n".join(map(escape, text.split("\n"))), file=sys.stderr, flush=True)


def escape_message(message: str) -> str:
    """Return a message as one line without control characters; a long one without its middle."""
    return shorten(escape(shorten(message, LONGEST)), LONGEST)


def in_options(message: str, parser: Parser | None = None) -> str:
    """Return an error message of the library in which hints name options instead of Python arguments.

    If the command of `parser` lacks the option, the hint names a command that has it.
    """
    for python, option, own, other in _hints():
        message = message.replace(python, own if parser is not None and parser.has(option) else other or own)
    return message


def _hints() -> tuple[tuple[str, str, str, str], ...]:
    """Return rows of: a hint of the library, an option, the hint for commands with that option, the hint for others.

    If the last text is empty, the third one is for all commands: those that show the hint have the option.
    """
    from ..files.access.gzip import MORE_UNPACKED
    from ..files.decoding import READS_TENSORS, TAGS_CHOOSE
    from ..files.detection.formats import LEAVE_OUT, NAME_IT
    from ..files.model_file import LISTS_EVENTS, LISTS_RECORDS
    from ..files.tfrecords.records import SEARCH
    from ..graph.error_text import (
        BATCH_SIZE,
        GIVE_ASSET,
        GIVE_CHECKPOINT,
        GIVE_FEED,
        GIVE_SHAPE,
        MATCH_INPUTS,
        MATCH_OUTPUTS,
        MUST_BE_FED,
        NAME_OTHERS,
        NAME_OUTPUTS,
        NAME_SIGNATURE,
        NO_SEED,
        NOT_RESTORED,
        OTHER_SIGNATURE,
        TRY_FEEDS,
        VERIFY_LONG,
    )
    from ..starting import command_prefix

    return (
        (LISTS_EVENTS, "", f"{command_prefix()} events lists what it has", ""),
        (LISTS_RECORDS, "", f"{command_prefix()} records describes it", ""),
        (SEARCH, "--search", "--search looks for it", f"{command_prefix()} records --search looks for it"),
        (TAGS_CHOOSE, "--tags", TAGS_CHOOSE.replace("tags choose", "--tags chooses"), ""),
        (NOT_RESTORED, "--checkpoint", "--checkpoint is not used", ""),
        (BATCH_SIZE, "--batch-size", "--batch-size is", ""),
        (NO_SEED, "--seed", "--seed has no effect", ""),
        (NAME_OUTPUTS, "", "name some with --outputs", ""),
        (MATCH_INPUTS, "", "name pairs with --inputs FIRST=SECOND", ""),
        (MATCH_OUTPUTS, "", "name pairs with --outputs FIRST=SECOND", ""),
        (NAME_OTHERS, "", "guessed: --inputs and --outputs name others", ""),
        (NAME_SIGNATURE, "", "name some with --signature serving_default=INPUTS:OUTPUTS", ""),
        (OTHER_SIGNATURE, "", "guessed: --signature serving_default=INPUTS:OUTPUTS names others", ""),
        (GIVE_ASSET, "", "name it with --assets NODE=FILE", ""),
        (
            GIVE_CHECKPOINT,
            "--checkpoint",
            "name its checkpoint with --checkpoint, or freeze the model first",
            f"{command_prefix()} freeze takes it from the checkpoint",
        ),
        (
            MORE_UNPACKED,
            "--max-unpacked",
            "allow more with --max-unpacked",
            f"allow more with {command_prefix()} convert --max-unpacked",
        ),
        (
            ": types= does not contain this name",
            "--proto",
            ": name the .proto file that declares it with --proto",
            f", and {command_prefix()} does not know this message",
        ),
        (READS_TENSORS, "", f"{command_prefix()} checkpoint lists its tensors", ""),
        (
            NAME_IT,
            "--type",
            "name the message type with --type, if you know it",
            f"{command_prefix()} dump --type shows it, if you know the message type",
        ),
        (
            LEAVE_OUT,
            "--allow-unknown-field",
            "--allow-unknown-field leaves out what is not known",
            f"{command_prefix()} convert --allow-unknown-field leaves out what is not known",
        ),
        (TRY_FEEDS, "--feed", "try --feed", ""),
        (VERIFY_LONG, "--verify", "--verify runs it anyway, --no-verify skips it", ""),
        (GIVE_SHAPE, "--shape", f"give it with --shape NAME=SIZES, or a value with {_FEED}", ""),
        (GIVE_FEED, "--feed", f"give some with {_FEED}", ""),
        (
            MUST_BE_FED,
            "--random",
            f"feed it with {_FEED}, or let --random make it up: a tensor",
            f"feed it with {_FEED}: a tensor",
        ),
    )
