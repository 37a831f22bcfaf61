"""`checkpoint --write-checkpoint`: write a checkpoint with other names, without some tensors, or in other types."""

from __future__ import annotations

from typing import Any

from ..values.dtypes import dtype_named
from ..values.terminal import escape, quote
from .input_options import add_rename, pairs
from .messages import UsageError, warn
from .output_options import check_writable
from .parser import Parser
from .progress import Progress

CHANGES = ("rename", "drop", "drop_optimizer", "cast")


def add_rewriting(parser: Parser) -> None:
    """Add the options that write a checkpoint."""
    add = parser.add_argument
    add("--write-checkpoint", metavar="OUT", help="write a checkpoint of version 2 with this prefix; see below")
    add_rename(parser)
    drop_help = "leave out tensors whose name or key matches; may be repeated"
    add("--drop", metavar="GLOB", action="append", default=[], help=drop_help)
    parser.add_flag("--drop-optimizer", help="leave out slots, counters and settings of optimizers")
    cast_help = "store all floats, or the tensors that match, in another type; may be repeated"
    add("--cast", metavar="[GLOB=]DTYPE", action="append", default=[], help=cast_help)


def rewrite(args: Any) -> int:
    """Write the checkpoint of --write-checkpoint, and return the exit status."""
    chosen = next((f"--{name}" for name in ("output", "keys", "objects", "depth", "all") if getattr(args, name)), None)
    if chosen:
        raise UsageError(f"--write-checkpoint writes a checkpoint: {chosen} does not go with it")
    from ..parameters.rewriting import rewrite_checkpoint  # the list of tensors needs no roles of weights

    cast = _cast(args.cast)
    check_writable(f"{args.write_checkpoint}.index")
    with Progress() as progress:
        written = rewrite_checkpoint(
            args.checkpoint,
            args.write_checkpoint,
            rename=pairs(args.rename, "--rename"),
            name=args.name or None,
            drop=args.drop or None,
            optimizer=not args.drop_optimizer,
            cast=cast,
            progress=progress.each("writing"),
        )
    if args.json:
        print(written.to_json())
    warn(f"{escape(args.write_checkpoint)}: {written.describe()}")
    return 0


def refuse_changes(args: Any) -> None:
    """Raise UsageError for an option that changes a checkpoint where none is written."""
    for name in CHANGES:
        if getattr(args, name):
            raise UsageError(f"--{name.replace('_', '-')} is for --write-checkpoint: add it")


def _cast(texts: list[str]) -> str | dict[str, str] | None:
    """Return the types of --cast: one for all floats, or some by glob pattern."""
    for text in texts:
        dtype = text.rpartition("=")[2]
        if dtype_named(dtype) is None:
            raise UsageError(f"--cast takes DTYPE or GLOB=DTYPE, and there is no dtype {quote(dtype)}")
    whole = [text for text in texts if "=" not in text]
    if whole and len(texts) > 1:
        raise UsageError(f"--cast {whole[0]} is for all floats: it goes with no other --cast")
    return whole[0] if whole else pairs(texts, "--cast") or None
