"""What helps, in words of the command line: where the library says "give it in shapes=", it is "with --shape" here."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .common import Parser

__all__ = ["in_options"]

_FEED = "--feed NAME=VALUE"


def in_options(message: str, parser: Parser | None = None) -> str:
    """An error of the library with options in place of what helps in Python: those of the command, or of one that has
    such."""
    for python, option, own, other in _hints():
        message = message.replace(python, own if parser is not None and parser.has(option) else other or own)
    return message


def _hints() -> tuple[tuple[str, str, str, str], ...]:
    """What the library says, an option, what to say where a command has it, and where not if any might not have it.

    All commands that run models have --feed and --shape.
    """
    from ..graph.error_text import (
        BATCH_SIZE,
        GIVE_CHECKPOINT,
        GIVE_FEED,
        GIVE_SHAPE,
        MUST_BE_FED,
        NAME_OTHERS,
        NO_SEED,
        NOT_RESTORED,
        TRY_FEEDS,
    )
    from ..io.detection.candidates import NAME_IT
    from ..io.files import MORE_UNPACKED, READS_TENSORS, TAGS_CHOOSE
    from ..io.formats import LEAVE_OUT
    from ..program_name import program

    return (
        (TAGS_CHOOSE, "--tags", TAGS_CHOOSE.replace("tags choose", "--tags chooses"), ""),
        (NOT_RESTORED, "--checkpoint", "--checkpoint is not used", ""),
        (BATCH_SIZE, "--batch-size", "--batch-size is", ""),
        (NO_SEED, "--seed", "--seed has no effect", ""),
        (NAME_OTHERS, "", "guessed: --inputs and --outputs name others", ""),
        (
            GIVE_CHECKPOINT,
            "--checkpoint",
            "name its checkpoint with --checkpoint, or freeze the model first",
            f"{program()} freeze takes it from the checkpoint",
        ),
        (
            MORE_UNPACKED,
            "--max-unpacked",
            "allow more with --max-unpacked",
            f"allow more with {program()} convert --max-unpacked",
        ),
        (": types= has no such name", "", f", and {program()} does not know this message", ""),
        (READS_TENSORS, "", f"{program()} checkpoint lists its tensors", ""),
        (
            NAME_IT,
            "--type",
            "name the message type with --type, if you know it",
            f"{program()} dump --type shows it, if you know the message type",
        ),
        (
            LEAVE_OUT,
            "--allow-unknown-field",
            "--allow-unknown-field leaves out what is not known",
            f"{program()} convert --allow-unknown-field leaves out what is not known",
        ),
        (TRY_FEEDS, "--feed", "try --feed", ""),
        (GIVE_SHAPE, "--shape", f"give it with --shape NAME=SIZES, or a value with {_FEED}", ""),
        (GIVE_FEED, "--feed", f"give some with {_FEED}", ""),
        (
            MUST_BE_FED,
            "--random",
            f"feed it with {_FEED}, or let --random make it up: a tensor",
            f"feed it with {_FEED}: a tensor",
        ),
    )
