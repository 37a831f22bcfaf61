"""Print a model file.

FILE is a file in binary, text format (.pbtxt) or JSON, or the index of a checkpoint, compressed with gzip or not; the
folder of a SavedModel; the prefix of a checkpoint, for its .meta or, without one, its index; or - for standard input.
The format is detected from the content.

formats:
  text   protobuf's text format. Long values are shortened, with their size in a comment; the output can still be
         parsed. With --full it is exactly what protobuf's text_format.MessageToString prints.
  json   one JSON document, as protobuf's json_format.MessageToJson prints it. Nothing is shortened, since JSON has no
         comments. Several values of --field are printed as an object with their paths as keys.
  tree   an overview: signatures, and one line per node with its type, inputs and attributes
  raw    every field of the wire data with its offset, up to the first damaged byte; binary files only

A TFRecord file, compressed or not, and an event file of TensorBoard are printed record by record: as Example,
SequenceExample or Event messages, or as those that --type names; other data as bytes. --records chooses some; the
default is the first 20. --field chooses fields of each. The graph in an event file is printed by --type GraphDef,
--node, --op and --format tree.

An ONNX model is printed in the same ways. --node, --op and --format tree go through the graphs inside of its nodes and
its functions too; a node without a name has that of its first result. --type onnx.TensorProto prints a tensor of ONNX.

examples:
  tfmodel dump frozen.pb --format tree
  tfmodel dump frozen.pb --op 'Conv2D' --op 'MatMul'
  tfmodel dump saved_model/ --field 'meta_graphs[0].signature_def[*].inputs[*].name'
  tfmodel dump frozen.pb --node 'conv1/*' --field 'attr["strides"].list.i'
  tfmodel dump frozen.pb --format json | jq '.node[] | select(.op == "Conv2D") | .name'
  tfmodel dump model.meta --collections --format tree
  tfmodel dump train.tfrecord.gz --records 0:3
  tfmodel dump events.out.tfevents.1717156800.host --field 'summary.value[*].tag' --records :
"""

from __future__ import annotations

from typing import Any

from pbwire.errors import DecodeError, EncodeError
from pbwire.message import Message

from ..errors import FileFormatError, with_name
from ..files.decoding import decode_file, may_hold, naming
from ..files.detection import Kind, class_in_words, is_onnx
from ..files.files import load
from ..files.model_file import ModelFile, open_file
from ..messages import GraphDef, OpList
from ..reports.field_paths import (
    FieldPathError,
    bodies,
)
from .dumped_nodes import NodeView, choose_nodes, print_json, print_nodes, select_fields, tensorflow_view
from .field_output import LONGEST, MOST, print_fields, print_message, write_lines
from .input_options import add_proto_options, add_reading_options, refuse_allow_unknown_field, requested_types
from .messages import RequestError, UsageError, unwritable
from .parser import Parser


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="the file to print; see below")
    add("--format", choices=("text", "json", "tree", "raw"), default="text", help="see below; the default is text")
    parser.add_flag("--full", help="do not shorten values")
    add("--node", action="append", default=[], metavar="GLOB", help="only nodes whose name matches; may be repeated")
    add("--op", action="append", default=[], metavar="GLOB", help="only nodes whose op matches; may be repeated")
    path_help = 'only these fields, such as node[3].attr["value"].tensor.dtype; * selects all elements. '
    add("--field", metavar="PATH", help=path_help + "With --node or --op, paths are relative to each node")
    parser.add_flag("--collections", help="only the collections of a MetaGraph, with their messages decoded")
    records_help = "only these records of a TFRecord or event file: 5, or 0:3, or : for all"
    add("--records", metavar="RANGE", help=records_help)
    op_defs_help = "a file that declares custom ops, for the types in --format tree; may be repeated"
    add("--op-defs", action="append", default=[], metavar="FILE", help=op_defs_help)
    add_proto_options(parser)
    add_reading_options(parser, "FILE")


def run(args: Any) -> int:
    cls, args.types = requested_types(args)
    chosen = _check_options(args)
    wants_graph = cls is not None and (cls is GraphDef or may_hold(cls, GraphDef))
    wants_nodes = args.node or args.op or args.collections or args.format == "tree"
    accept: tuple[Kind, ...] = () if wants_graph or wants_nodes else ("records",)
    file = open_file(args.file, cls, lazy=True, forced=True, max_unpacked=args.max_unpacked, accept=accept)
    if file.detection.kind == "records":
        from .record_output import dump_records  # copies of the part "dump" are without it

        return dump_records(file, args, cls or file.detection.cls)
    if args.records is not None:
        problem = "--records chooses records, and these options choose from a graph: leave out one of them"
        raise RequestError(problem if chosen else "--records is for TFRecord files: leave it out", file=args.file)
    args.op_defs = [load(path, OpList, allow_unknown_field=args.allow_unknown_field) for path in args.op_defs]
    if not args.op_defs:
        refuse_allow_unknown_field(args, file)
    if (file.detection.kind == "table" and cls is None) or args.format == "raw":
        from .wire_output import dump_as_stored  # copies of the part "dump" are without it

        dump_as_stored(file, cls, args, chosen)
    else:
        message = decode_file(
            file,
            cls,
            lazy=True,
            tags=args.tags,
            forced=True,
            allow_unknown_field=args.allow_unknown_field,
            types=args.types,
        )
        try:
            _print(message, args, file.name)
        except DecodeError as error:  # only now, because messages are decoded lazily
            _fail(file, cls, error)
        except EncodeError as error:
            raise unwritable(error, args.format, file.name) from error
    return 0


def _check_options(args: Any) -> list[str]:
    """Return the options that choose parts of a file. Raises UsageError for options that do not go together."""
    if args.op_defs and args.format != "tree":
        raise UsageError("--op-defs is for the types that --format tree shows: add --format tree")
    narrowing = [f"--{name}" for name in ("node", "op", "field") if getattr(args, name) not in (None, [])]
    without_effect = narrowing + ["--op-defs"] * bool(args.op_defs)
    if args.collections and without_effect:
        raise UsageError(f"--collections prints all of them, and nothing else: {without_effect[0]} does not apply")
    if args.allow_unknown_field and args.format == "raw":
        raise UsageError("--allow-unknown-field is about text and JSON, which --format raw does not read: leave it out")
    return narrowing + ["--collections"] * args.collections


def _fail(file: ModelFile, cls: Any, error: DecodeError) -> None:
    """Raise the error with the full path of the field: an error of lazy decoding has only the end of the path."""
    if file.detection.form == "binary":
        with naming(file.name):
            (file.detection.cls or cls).from_bytes(file.data)
    raise FileFormatError(with_name(file.name, error)) from error


# --- messages --------------------------------------------------------------------------------------------------------


def _print(message: Message, args: Any, name: str) -> None:
    if args.collections:
        _print_collections(message, args, name)
        return
    if args.op_defs and bodies(message) is None:
        what = class_in_words(type(message))
        lacking = "nodes of TensorFlow" if is_onnx(type(message)) else "nodes"
        raise RequestError(f"this is {what}, which has no {lacking}: --op-defs does not apply", file=name)
    view = _view(message, args)
    nodes = choose_nodes(view, message, args, name) if args.node or args.op else None
    selected = select_fields(message, nodes, view, args.field) if args.field is not None else None
    try:
        if args.format == "json":
            is_one = "*" not in (args.field or "") and nodes is None
            print_json(message, nodes, view, selected, args.types, is_one=is_one)
        elif selected is not None:
            print_fields(selected, args, labelled="*" in args.field or nodes is not None)
        elif nodes is not None:
            print_nodes(nodes, view, args)
        elif args.format == "tree" and view.tree is not None:
            write_lines(view.tree(message, full=args.full))
        else:
            print_message(message, args)
    except FieldPathError as error:
        raise RequestError(f"--field: {error}", file=name) from error


def _print_collections(message: Message, args: Any, name: str) -> None:
    from ..reports.collections import collection_lines, collection_tables, collections_json

    if args.format == "json":
        lines = collections_json(message, types=args.types)
    elif args.format == "tree":
        lines = collection_tables(message, full=args.full, types=args.types)
    else:
        longest, limit = (None, None) if args.full else (LONGEST, MOST)
        lines = collection_lines(message, longest=longest, limit=limit, types=args.types)
    if lines is None:
        raise RequestError(f"this is {class_in_words(type(message))}, which has no collections", file=name)
    write_lines(lines)


def _view(message: Message, args: Any) -> NodeView:
    if is_onnx(type(message)):
        from .onnx_nodes import onnx_view  # few files are ONNX models

        return onnx_view(message)
    return tensorflow_view(message, args.op_defs)
