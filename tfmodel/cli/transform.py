"""Change a graph by a list of transforms.

FILE is a graph in binary, text or JSON, a .meta, the folder of a SavedModel, or - for standard input. OUT is written in
the form that its name tells (.pb, .pbtxt, .json), as text with --output-as-text, else in binary. It is there whole or
not at all.

TRANSFORMS is what the Graph Transform Tool takes: "name(argument=value, argument="a,b") name ...". --list shows all
transforms, --help-transform one of them. What it would make of the graph, and what is left alone and why, tells
--dry-run --verbose.

examples:
  tfmodel transform --in_graph=in.pb --out_graph=out.pb --inputs=x --outputs=y --transforms='remove_device'
  tfmodel transform in.pb -o out.pbtxt --transforms 'rename_op(old_op_name=Relu6, new_op_name=Relu)' --verbose
  tfmodel freeze saved_model/ -o - | tfmodel transform - -o frozen.pb --transforms 'remove_control_dependencies'
"""

from __future__ import annotations

import sys
from typing import Any

from ..errors import GraphError, TransformError
from ..files import message_of, naming, open_model, writable
from ..forms import FORMS, Form, form_of, write
from ..messages import GraphDef
from .common import Parser, RequestError, UsageError, warn
from .progress import Counting, Progress

__all__ = ["add_arguments", "run"]


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("graph", metavar="FILE", nargs="?", help="the graph to change; see above")
    add("-o", "--output", "--out-graph", metavar="OUT", help="the graph to write")
    add("--in-graph", metavar="FILE", help="the same as FILE")
    add("--inputs", default="", metavar="NAMES", help="inputs of the graph, with commas; they are kept")
    add("--outputs", default="", metavar="NAMES", help="outputs of the graph, with commas; they are kept")
    add("--transforms", metavar="TRANSFORMS", help="what to do; see above")
    add("--tags", metavar="TAGS", help="which graph of a SavedModel, with commas")
    parser.add_flag("--output-as-text", help="write text format, whatever OUT is called")
    parser.add_flag("--dry-run", help="write nothing")
    parser.add_flag("--verbose", help="tell what each transform did, and what it left alone and why")
    parser.add_flag("--list", help="list all transforms with their parameters")
    add("--help-transform", metavar="NAME", help="explain one transform")


def run(args: Any) -> int:
    if args.list or args.help_transform:
        return _explain(args.help_transform)
    source, target = _source(args), _target(args)
    if not (args.transforms or "").strip():
        raise UsageError("there is nothing to do: give --transforms")
    from ..transforms.framework.pipeline import transform
    from ..transforms.framework.report import Report

    report = Report()
    with Progress(quiet=target == "-" and sys.stdout.isatty()) as progress:
        progress.doing(f"reading {source}")
        file = open_model(source, lazy=True)
        if file.found.kind not in FORMS:
            message_of(file)  # raises an error that says what it is
        graph = message_of(file, GraphDef, lazy=True, tags=args.tags)
        progress.doing("transforming")
        with naming(file.name):  # of what is read lazily, damage is found late
            try:
                result = transform(graph, args.inputs, args.outputs, args.transforms, report=report)
            except (TransformError, GraphError) as error:
                raise RequestError(str(error)) from error
            if not args.dry_run:
                form: Form = "text" if args.output_as_text else form_of(target) or "binary"
                with writable(target) as out:
                    counting = Counting(out)
                    progress.doing(f"writing {target}", lambda: f"{counting.size:,} bytes")
                    write(result, counting, form)
    if args.verbose:
        warn(report.to_text())
    name = "nothing written" if args.dry_run else "<stdout>" if target == "-" else target
    warn(f"{name}: {len(graph.node):,} nodes before, {len(result.node):,} after")
    return 0


def _explain(name: str | None) -> int:
    from ..transforms.framework import registry

    if name:
        try:
            found = registry.find(name)
        except TransformError as error:
            raise RequestError(str(error)) from error
        sys.stdout.write(f"{found}\n\n{found.document}\n")
        return 0
    for each in registry.names():
        found = registry.find(each)
        sys.stdout.write(f"{found}\n    {found.summary}\n")
    return 0


def _source(args: Any) -> str:
    if bool(args.graph) == bool(args.in_graph):
        raise UsageError("name one graph to change, as FILE or with --in_graph")
    source: str = args.graph or args.in_graph
    return source


def _target(args: Any) -> str:
    target: str = args.output or ""
    if not target and not args.dry_run:
        raise UsageError("there is no file to write the graph to: add -o OUT, or --dry-run")
    if target == "-" and sys.stdout.isatty() and not args.output_as_text:
        raise RequestError("standard output is a terminal, which is not for binary data; name a file")
    return target
