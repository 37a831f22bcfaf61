"""Files as they are stored, for `dump`: the index of a checkpoint, and the fields of wire data."""

from __future__ import annotations

from typing import Any

from ..errors import CheckpointError, with_name
from ..files.checkpoints.index import read_index
from ..files.decoding import decode_file, may_hold, naming
from ..files.model_file import ModelFile
from ..reports.wire import index_lines, wire_lines
from .field_output import write_lines
from .messages import RequestError


def dump_as_stored(file: ModelFile, cls: Any, args: Any, chosen: list[str]) -> None:
    """Print the index of a checkpoint, or the fields of a binary file as a message of class `cls`.

    `chosen` has the options that choose parts of a message. Raises RequestError for those, as they do not apply.
    """
    if file.detection.kind == "table" and cls is None:
        _dump_index(file, args, chosen)
        return
    if chosen:
        raise RequestError(f"--format raw goes through the whole file: {chosen[0]} does not apply")
    _dump_raw(file, cls, args)


def _dump_index(file: ModelFile, args: Any, chosen: list[str]) -> None:
    chosen = chosen + ["--op-defs"] * bool(args.op_defs)
    if chosen:
        problem = f"this is a checkpoint, which has no nodes and no fields: {chosen[0]} does not apply"
        raise RequestError(problem, file=file.name)
    if args.format == "json":
        raise RequestError("this is a checkpoint, which has no JSON form; checkpoint --json lists it", file=file.name)
    if args.format == "raw":
        problem = "this is a checkpoint, which is a table, not a message: --format raw does not apply"
        raise RequestError(problem, file=file.name)
    try:
        index = read_index(file.data)
    except CheckpointError as error:
        raise CheckpointError(with_name(file.name, error)) from error
    write_lines(index_lines(index, full=args.full))


def _dump_raw(file: ModelFile, cls: Any, args: Any) -> None:
    if file.detection.form != "binary":
        raise RequestError(
            f"this is {file.detection.what}: it has no wire data for --format raw to show", file=file.name
        )
    if file.detection.kind == "table" or (file.detection.kind == "empty" and cls is None):
        decode_file(file, cls)  # raises the error that the file has no message
    detected = file.detection.cls
    if cls is not None and detected is not None and may_hold(detected, cls):
        cls = detected  # the requested message is part of the file, which is shown as a whole
    with naming(file.name):
        write_lines(wire_lines(file.data, cls or detected, full=args.full))
