"""Convert a model file between binary, text format (.pbtxt) and JSON.

IN is a file in any of these formats, compressed with gzip or not, the folder of a SavedModel, the prefix of a
checkpoint (its .meta is read), or - for standard input. Its format is detected from its content, not from its name: a
"model.ckpt.json" that export_meta_graph(as_text=True) has written is text format.

OUT is a file, or - for standard output. Its name selects the format, or --to does:
  binary   .pb .meta
  text     .pbtxt .textproto .txtpb
  json     .json
A file OUT is written completely or not at all, and may be IN itself. Text is what protobuf's
text_format.MessageToString prints, JSON what its json_format.MessageToJson prints; protobuf in every language reads
both. Neither can hold unknown fields, which binary files of a later TensorFlow may have: a warning says how many were
left out.

examples:
  tfmodel convert frozen.pb frozen.pbtxt
  tfmodel convert edited.pbtxt frozen.pb
  tfmodel convert saved_model/ graph.pbtxt --type GraphDef --tags serve
  curl -s https://example.com/graph.pbtxt.gz | tfmodel convert - graph.json
  tfmodel convert model.meta - --to json | jq '.graphDef.node[].name'
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import Any

from pbwire.errors import EncodeError
from pbwire.message import Message

from ..inspection.wire import count_unknown_fields
from ..io.files import decode_file, open_model, writable
from ..io.formats import FORMS, Form, form_of, write
from .input_options import add_reading_options, refuse_allow_unknown_field, requested_class
from .messages import UsageError, warn
from .output_options import check_writable, unwritable
from .parser import Parser
from .progress import Counting, Progress

__all__ = ["add_arguments", "run"]

SHOWN = 4  # unknown fields that a warning names


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("source", metavar="IN", help="the file to read; see above")
    add("target", metavar="OUT", help="the file to write; see above")
    add("--from", dest="form", choices=FORMS, help="the format of IN, instead of detecting it")
    add("--to", choices=FORMS, help="the format of OUT, instead of that of its name")
    parser.add_flag("--deterministic", help="sort maps in binary too, so that equal messages have equal bytes")
    names_help = "write JSON with the field names of .proto files: tensor_shape instead of tensorShape"
    parser.add_flag("--preserving-proto-field-name", help=names_help)
    add_reading_options(parser, "IN")


def run(args: Any) -> int:
    form = _form(args)
    cls = requested_class(args)
    with Progress(quiet=_uses_terminal(args)) as progress:
        name, message, input_form = _read(args, cls, progress)
        left_out = count_unknown_fields(message) if input_form == "binary" and form != "binary" else None
        _write(message, name, form, args, progress)
    if left_out:
        warn(f"{name}: warning: {_describe_unknown_fields(left_out)}")
    return 0


def _read(args: Any, cls: Any, progress: Progress) -> tuple[str, Message, Form]:
    """Return the name of IN for errors, its message, and its format."""
    what = _short(args.source, "standard input")
    progress.doing(f"reading {what}")
    file = open_model(args.source, cls, form=args.form, forced=True, max_unpacked=args.max_unpacked)
    refuse_allow_unknown_field(args, file)
    progress.doing(f"parsing {what}, {len(file.data):,} bytes")
    message = decode_file(file, cls, tags=args.tags, forced=True, allow_unknown_field=args.allow_unknown_field)
    return file.name, message, file.detection.form


def _write(message: Message, name: str, form: Form, args: Any, progress: Progress) -> None:
    with writable(args.target) as target:
        counting = Counting(target)
        what = _short(args.target, "standard output")
        progress.doing(f"writing {what}", lambda: f"{counting.size:,} bytes")
        options = {"preserving_proto_field_name": args.preserving_proto_field_name}
        try:
            write(message, counting, form, deterministic=args.deterministic, **options)
        except EncodeError as error:
            raise unwritable(error, form, name) from error


def _describe_unknown_fields(left_out: Counter[tuple[str, int]]) -> str:
    """Describe the unknown fields that are not in the output."""
    fields = [f"field {number} of {full_name.removeprefix('tensorflow.')}" for full_name, number in left_out]
    text = ", ".join(fields[:SHOWN] + ["..."] * (len(fields) > SHOWN))
    total = left_out.total()
    what = "an unknown field" if total == 1 else f"{total:,} unknown fields"
    return f"left out {what}: {text}"


def _form(args: Any) -> Form:
    """Return the format to write. Raises an error before any work if OUT or the options do not allow it."""
    target = args.target
    form: Form | None = args.to or form_of(target)
    check_writable(target, binary=form == "binary")
    if form is None:
        raise UsageError(f'"{target}" does not select a format: add --to binary, --to text or --to json')
    if args.preserving_proto_field_name and form != "json":
        raise UsageError(f"--preserving-proto-field-name is for JSON, and the output is {form}: leave it out")
    return form


def _short(path: str, stream: str) -> str:
    return stream if path == "-" else os.path.basename(path.rstrip(os.sep))


def _uses_terminal(args: Any) -> bool:
    """Return whether the input or the output is a terminal."""
    streams = [stream for name, stream in ((args.source, sys.stdin), (args.target, sys.stdout)) if name == "-"]
    return any(stream is not None and stream.isatty() for stream in streams)
