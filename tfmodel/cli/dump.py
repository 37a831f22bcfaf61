"""Print what a model file holds.

FILE is a .pb or .meta file, the folder of a SavedModel, a checkpoint (its index or its prefix), any of these
compressed with gzip, or - for standard input. What is in it is told by its content.

formats:
  text   protobuf's text format. Long values are cut, with their size in a comment; the output still parses.
         With --full it is exactly what protobuf's text_format.MessageToString prints.
  tree   made to be read: signatures, and one line for every node with its type, inputs and attributes
  raw    every field of the wire data with its offset, as far as a damaged file goes

examples:
  tfmodel dump frozen.pb --format tree
  tfmodel dump frozen.pb --op 'Conv2D' --op 'MatMul'
  tfmodel dump saved_model/ --field 'meta_graphs[0].signature_def[*].inputs[*].name'
  tfmodel dump frozen.pb --node 'conv1/*' --field 'attr["strides"].list.i'
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from fnmatch import translate
from itertools import groupby
from typing import Any, TypeAlias

from pbwire.errors import DecodeError
from pbwire.fields import Field
from pbwire.message import Message

from ..errors import CheckpointError, FileFormatError
from ..files import ModelFile, may_hold, message_of, naming, open_model
from ..inspection.bodies import Body, bodies
from ..inspection.describing import scalar_text
from ..inspection.field_paths import FieldPathError, Selected, quoted, select
from ..inspection.tree import node_lines, tree
from ..messages import GraphDef
from ..printable import printable, suggestion
from .common import Parser, RequestError

__all__ = ["add_arguments", "run"]

LONGEST = 200  # characters or bytes of a string
MOST = 20  # elements of a list of numbers or strings


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="what to print; see above")
    add("--format", choices=("text", "tree", "raw"), default="text", help="see above; the default is text")
    parser.add_flag("--full", help="cut nothing")
    add("--node", action="append", default=[], metavar="GLOB", help="only nodes of such a name; may be repeated")
    add("--op", action="append", default=[], metavar="GLOB", help="only nodes of such an op; may be repeated")
    path_help = 'only this field, such as node[3].attr["value"].tensor.dtype; * stands for all. '
    add("--field", metavar="PATH", help=path_help + "With --node or --op the path begins at each node")
    type_help = "the message that FILE holds, whatever it looks like; GraphDef and MetaGraphDef may be inside of it"
    add("--type", metavar="NAME", help=type_help)
    add("--tags", metavar="TAGS", help="with --type, which MetaGraph of several: the one with these tags")


def run(args: Any) -> int:
    cls = message_type(args.type) if args.type else None
    if args.tags is not None and cls is None:
        raise RequestError("--tags choose a MetaGraph: add --type MetaGraphDef or --type GraphDef")
    file = open_model(args.file, cls, lazy=True)
    chosen = [f"--{name}" for name in ("node", "op", "field") if getattr(args, name)]
    if file.found.form == "table" and cls is None:
        if chosen:
            problem = f"this is a checkpoint, which has no nodes and no fields: {chosen[0]} does not apply"
            raise RequestError(problem, file=file.name)
        write_lines(_index(file, args.full))
    elif args.format == "raw":
        if chosen:
            raise RequestError(f"--format raw goes through the whole file: {chosen[0]} does not apply")
        _raw(file, cls, args.full)
    else:
        message = message_of(file, cls, lazy=True, tags=args.tags, forced=True)
        try:
            _print(message, args, file.name)
        except DecodeError as error:  # met late, since messages are read lazily
            _fail(file, cls, error)
    return 0


def message_type(name: str) -> type[Message]:
    """The message class that a user means: by its full name, or without the package."""
    from ..messages import TYPES

    for package in ("", "tensorflow.", "google.protobuf."):
        if found := TYPES.get(package + name):
            return found
    known = {full_name.removeprefix("tensorflow.").casefold(): full_name for full_name in TYPES}
    if same := known.get(name.casefold()):
        return TYPES[same]
    short = [full_name.removeprefix("tensorflow.") for full_name in TYPES]
    raise RequestError(f"--type: there is no message {printable(name)}{suggestion(name, short)}")


def write_lines(lines: Iterable[str]) -> None:
    write = sys.stdout.write
    for line in lines:
        write(line + "\n")


def _fail(file: ModelFile, cls: Any, error: DecodeError) -> None:
    """Raise what is wrong with a file, with the whole path to it: an error that is met late knows only its end."""
    with naming(file.name):
        (file.found.cls if file.found.form == "binary" else cls).from_bytes(file.data)
    raise FileFormatError(f"{file.name}: {error}") from error


def _index(file: ModelFile, full: bool) -> Iterator[str]:
    from ..checkpoints.index import read_index
    from ..inspection.contents import index_lines

    try:
        index = read_index(file.data)
    except CheckpointError as error:
        raise CheckpointError(f"{file.name}: {error}") from error
    return index_lines(index, full=full)


def _raw(file: ModelFile, cls: Any, full: bool) -> None:
    from ..inspection.wire import wire_lines

    if file.found.form in ("text", "json", "table") or (file.found.form == "empty" and cls is None):
        message_of(file, cls)  # which says that it is no wire data
    found = file.found.cls
    if cls is not None and found is not None and may_hold(found, cls):
        cls = found  # what is asked for lies inside, and is shown there
    with naming(file.name):
        write_lines(wire_lines(file.data, cls or found, full=full))


# --- messages --------------------------------------------------------------------------------------------------------


def _print(message: Message, args: Any, name: str) -> None:
    try:
        if args.node or args.op:
            _print_nodes(_chosen(message, args, name), args)
        elif args.field:
            _print_fields(message, args, labelled="*" in args.field)
        else:
            _print_message(message, args)
    except FieldPathError as error:
        raise RequestError(f"--field: {error}", file=name) from error


def _print_message(message: Message, args: Any) -> None:
    if args.format == "tree" and (lines := tree(message, full=args.full)) is not None:
        write_lines(lines)
        return
    _write_text(message, args)


def _write_text(message: Message, args: Any) -> None:
    from pbwire.text import dump

    from ..messages import TYPES

    dump(message, sys.stdout, types=TYPES, longest=None if args.full else LONGEST, most=None if args.full else MOST)


# --- nodes -----------------------------------------------------------------------------------------------------------

Chosen: TypeAlias = "tuple[Body, Any]"


def _chosen(message: Message, args: Any, name: str) -> Iterator[Chosen]:
    """The nodes that --node and --op choose, each with the list it stands in."""
    parts = bodies(message)
    if parts is None:
        what = type(message).__table__.full_name.removeprefix("tensorflow.")
        raise RequestError(f"this is {what}, which has no nodes: --node and --op do not apply", file=name)
    named, of_op = _any_of(args.node), _any_of(args.op)
    seen = found = 0
    for body in parts:
        for node in body.nodes:
            seen += 1
            if named(node.name) and of_op(node.op):
                found += 1
                yield body, node
    if not found:
        asked = [f"--{option} {' '.join(globs)}" for option, globs in (("node", args.node), ("op", args.op)) if globs]
        raise RequestError(f"none of {seen:,} nodes matches {' and '.join(asked)}", file=name)


def _any_of(globs: list[str]) -> Callable[[str], object]:
    """Whether a name matches one of the globs. `*` also matches the slashes in names."""
    return re.compile("|".join(map(translate, globs))).match if globs else lambda name: True


def _print_nodes(chosen: Iterator[Chosen], args: Any) -> None:
    """As text they are the nodes of a GraphDef, and which function they stand in is a comment."""
    failure: FieldPathError | None = None
    found_any = False
    for body, group in groupby(chosen, key=lambda pair: pair[0]):
        nodes = (node for _, node in group)
        if args.field:
            for node in nodes:
                try:
                    _print_fields(node, args, labelled=True, at=f"{body.path}[{quoted(node.name)}]")
                    found_any = True
                except FieldPathError as error:  # not every node has every field
                    failure = failure or error
            continue
        title = f"function {printable(body.function)}" if body.function else ""
        if args.format == "tree":
            write_lines(["", title] if title and found_any else [title] if title else [])
            write_lines(node_lines(nodes, full=args.full, heading=not found_any, indent=2 if title else 0))
        else:
            write_lines([f"# {title}"] if title else [])
            for node in nodes:
                _write_text(GraphDef(node=[node]), args)
        found_any = True
    if failure is not None and not found_any:
        raise failure


# --- fields ----------------------------------------------------------------------------------------------------------


def _print_fields(message: Message, args: Any, *, labelled: bool, at: str = "") -> None:
    """What --field leads to: messages as text, single values bare. With `labelled`, each with its path before it."""
    for found in select(message, args.field):
        path = f"{at}{'.' if at and not found.path.startswith('[') else ''}{found.path}"
        if isinstance(found.value, (list, dict)):
            _print_whole(found, path, args, labelled)
        elif isinstance(found.value, Message):
            if labelled:
                write_lines([f"# {path}"])
            _print_message(found.value, args)
        else:
            assert found.field is not None
            _print_value(found.value, found.field, path, args, labelled)


def _print_whole(found: Selected, path: str, args: Any, labelled: bool) -> None:
    """A whole list or map: single values one to a line, messages as the text of a message that has nothing else."""
    assert found.field is not None
    if isinstance(found.value, dict) or found.field.kind in ("message", "group"):
        if labelled:
            write_lines([f"# {path}"])
        _write_text(type(found.owner)(**{found.field.name: found.value}), args)
        return
    shown = found.value if args.full else found.value[:MOST]
    for index, value in enumerate(shown):
        _print_value(value, found.field, f"{path}[{index}]", args, labelled)
    if len(shown) < len(found.value):
        write_lines([f"# {len(found.value):,} in all"])


def _print_value(value: Any, field: Field, path: str, args: Any, labelled: bool) -> None:
    longest = None if args.full else LONGEST
    text = scalar_text(value, field, bare=not labelled, longest=longest)
    unit = "bytes" if field.kind == "bytes" else "characters"
    cut = longest is not None and field.kind in ("string", "bytes") and len(value) > longest
    write_lines([(f"{path}: " if labelled else "") + text + (f" # {len(value):,} {unit} in all" if cut else "")])
