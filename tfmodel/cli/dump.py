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

import re
import sys
from collections.abc import Callable, Iterator
from fnmatch import translate
from itertools import groupby
from typing import Any, TypeAlias

import pbwire
from pbwire.errors import DecodeError, EncodeError
from pbwire.message import Message

from ..errors import CheckpointError, FileFormatError, with_name
from ..files.decoding import decode_file, may_hold, naming
from ..files.detection import Kind, class_in_words
from ..files.files import load
from ..files.model_file import ModelFile, open_file
from ..messages import GraphDef, NodeDef, OpList
from ..ops import Registry, registry
from ..reports.field_paths import (
    Body,
    FieldPathError,
    Selected,
    bodies,
    json_object_lines,
    quote,
    select,
    select_in_each,
    value_json,
)
from ..reports.tree import node_lines
from ..values.terminal import escape
from .field_output import LONGEST, MOST, print_fields, print_message, write_lines, write_text
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
    if file.detection.kind == "table" and cls is None:
        _check_index(file, args, chosen)
        write_lines(_index(file, args.full))
    elif args.format == "raw":
        if chosen:
            raise RequestError(f"--format raw goes through the whole file: {chosen[0]} does not apply")
        _raw(file, cls, args.full)
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


def _check_index(file: ModelFile, args: Any, chosen: list[str]) -> None:
    """Refuse options that do not apply to the index of a checkpoint."""
    chosen = chosen + ["--op-defs"] * bool(args.op_defs)
    if chosen:
        problem = f"this is a checkpoint, which has no nodes and no fields: {chosen[0]} does not apply"
        raise RequestError(problem, file=file.name)
    if args.format == "json":
        raise RequestError("this is a checkpoint, which has no JSON form; checkpoint --json lists it", file=file.name)
    if args.format == "raw":
        problem = "this is a checkpoint, which is a table, not a message: --format raw does not apply"
        raise RequestError(problem, file=file.name)


def _fail(file: ModelFile, cls: Any, error: DecodeError) -> None:
    """Raise the error with the full path of the field: an error of lazy decoding has only the end of the path."""
    if file.detection.form == "binary":
        with naming(file.name):
            (file.detection.cls or cls).from_bytes(file.data)
    raise FileFormatError(with_name(file.name, error)) from error


def _index(file: ModelFile, full: bool) -> Iterator[str]:
    from ..files.checkpoints.index import read_index
    from ..reports.wire import index_lines

    try:
        index = read_index(file.data)
    except CheckpointError as error:
        raise CheckpointError(with_name(file.name, error)) from error
    return index_lines(index, full=full)


def _raw(file: ModelFile, cls: Any, full: bool) -> None:
    from ..reports.wire import wire_lines

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
        write_lines(wire_lines(file.data, cls or detected, full=full))


# --- messages --------------------------------------------------------------------------------------------------------


def _print(message: Message, args: Any, name: str) -> None:
    if args.collections:
        _print_collections(message, args, name)
        return
    if args.op_defs and bodies(message) is None:
        what = class_in_words(type(message))
        raise RequestError(f"this is {what}, which has no nodes: --op-defs does not apply", file=name)
    nodes = _choose_nodes(message, args, name) if args.node or args.op else None
    selected = _select_fields(message, nodes, args.field) if args.field is not None else None
    try:
        if args.format == "json":
            _print_json(message, nodes, selected, args.types, is_one="*" not in (args.field or "") and nodes is None)
        elif selected is not None:
            print_fields(selected, args, labelled="*" in args.field or nodes is not None)
        elif nodes is not None:
            _print_nodes(nodes, _ops(message, args), args)
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


def _print_json(
    message: Message, nodes: Iterator[Chosen] | None, selected: Iterator[Selected] | None, types: Any, *, is_one: bool
) -> None:
    """Print one JSON document: the selected fields, or a GraphDef of the chosen nodes, or the whole message."""
    if selected is not None:
        values = (value_json(value, types) for value in selected)
        sys.stdout.writelines(values if is_one else json_object_lines(selected, types))
    else:
        pbwire.json.dump(
            message if nodes is None else GraphDef(node=[node for _, _, node in nodes]), sys.stdout, types=types
        )
    sys.stdout.write("\n")


# --- nodes -----------------------------------------------------------------------------------------------------------

Chosen: TypeAlias = "tuple[Body, int, Any]"


def _choose_nodes(message: Message, args: Any, name: str) -> Iterator[Chosen]:
    """Yield the nodes that --node and --op choose, each as (graph or function, index of the node, node).

    Raises RequestError, after the last node, if no node matches one of the globs.
    """
    parts = bodies(message)
    if parts is None:
        what = class_in_words(type(message))
        raise RequestError(f"this is {what}, which has no nodes: --node and --op do not apply", file=name)
    has_name, has_op = _any_of(args.node), _any_of(args.op)
    seen = matches = 0
    unmatched = {("node", glob): _any_of([glob]) for glob in args.node}
    unmatched |= {("op", glob): _any_of([glob]) for glob in args.op}
    for body in parts:
        for index, node in enumerate(body.nodes):
            seen += 1
            if has_name(node.name) and has_op(node.op):
                matches += 1
                for option, glob in list(unmatched):
                    if unmatched[option, glob](node.name if option == "node" else node.op):
                        del unmatched[option, glob]
                yield body, index, node
    nodes = "1 node" if seen == 1 else f"{seen:,} nodes"
    if not matches:
        options = [f"--{option} {' '.join(globs)}" for option, globs in (("node", args.node), ("op", args.op)) if globs]
        raise RequestError(f"none of {nodes} matches {' and '.join(options)}", file=name)
    if unmatched:
        option, glob = next(iter(unmatched))
        raise RequestError(f"none of the nodes printed matches --{option} {glob}", file=name)


def _any_of(globs: list[str]) -> Callable[[str], object]:
    """Return a test for names that match one of the globs, or any name if there are none. `*` also matches slashes."""
    return re.compile("|".join(map(translate, globs))).match if globs else lambda name: True


def _ops(message: Message, args: Any) -> Registry:
    """Return the ops that the nodes of a message can use; a FunctionDef has no library of functions."""
    has_library = bodies(message) is not None and message.__table__.full_name != "tensorflow.FunctionDef"
    return registry(message if has_library else None, op_defs=args.op_defs)


def _print_nodes(chosen: Iterator[Chosen], ops: Registry, args: Any) -> None:
    """Print nodes, as a table or as the text of a GraphDef, under the name of their function."""
    is_first = True
    for body, group in groupby(chosen, key=lambda pair: pair[0]):
        nodes = (node for _, _, node in group)
        title = f"function {escape(body.function)}" if body.function else ""
        if args.format == "tree":
            write_lines(["", title] if title and not is_first else [title] if title else [])
            write_lines(node_lines(nodes, full=args.full, heading=is_first, indent=2 if title else 0, ops=ops))
        else:
            write_lines([f"# {title}"] if title else [])
            for node in nodes:
                write_text(GraphDef(node=[node]), args)
        is_first = False


# --- fields ----------------------------------------------------------------------------------------------------------


def _select_fields(message: Message, nodes: Iterator[Chosen] | None, path: str) -> Iterator[Selected]:
    """Return the values that --field selects in the message, or in each of the nodes that have the field."""
    return select(message, path) if nodes is None else select_in_each(_with_paths(nodes), path)


def _with_paths(nodes: Iterator[Chosen]) -> Iterator[tuple[str, NodeDef]]:
    """Yield nodes with their paths. In the path of a node whose name occurred before, its index stands for the name."""
    names: set[tuple[str, str]] = set()
    for body, index, node in nodes:
        key = str(index) if (body.path, node.name) in names else quote(node.name)
        names.add((body.path, node.name))
        yield f"{body.path}[{key}]", node
