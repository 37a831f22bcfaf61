"""Describe a model: its inputs and outputs, its ops and parameters, and the cost of running it.

FILE is a graph in binary, text or JSON, a .meta file, the folder of a SavedModel, or - for standard input. Weights are
not read; sizes are computed from shapes.

About ten lines are printed: inputs, outputs, parameters, ops, FLOPs, and commands to run next. --all, --supported-ops
and --print-structure print the full report: the reasons for inputs and outputs, every op, values, functions and
devices. --json contains all of that. The FLOPs are those that the likely outputs need, with a batch of 1 if the batch
is open.

Inputs and outputs are those of the signature. Without one they are estimated: nodes that save, initialize, train or
check a model are ignored, and the others are ranked, with the reasons.

Parameters are the elements of constants and variables that an op uses as weights: filters, matrices, biases, and so on.
"quantized" compares the size of weights that are stored as small integers with their size as floats. Weights that
round_weights has rounded can be recognized by their values only: see weights --statistics.

A multiplication followed by an addition counts as two FLOPs. Each function and each loop body counts once. Nodes whose
shapes stay unknown are not counted; the sum then begins with ">=": give --batch_size, or --shape x=1,224,224,3 if the
model leaves more dimensions open.

--signatures prints the signatures of every MetaGraph with all inputs and outputs, the nodes that initialize the model,
and the functions of a TensorFlow 2 model with the arguments and results of their concrete functions. --objects prints
the objects of a TensorFlow 2 model as a tree: layers with their variables and functions. Each object is shown once;
"see" refers to its place. --depth limits the levels of the tree; --all also prints the functions of all objects, and
the objects that Keras and TensorFlow keep for themselves. These two reports replace TensorFlow's saved_model_cli show.

Of an ONNX model, inputs and outputs, ops, parameters, functions, and the files that have values of its tensors are
described. --all prints all ops, types of tensors and functions; options about graphs of TensorFlow do not apply.

--bind makes a tensor, such as keep_prob, a constant, so that it is no longer an input.

--supported-ops names a list of the ops that a runtime supports: a text file with names, one per line or separated by
commas, with comments after #, or an OpList. The report then lists the ops of the model that are missing there. This
does not change the exit status.

This command replaces TensorFlow's graph_metrics: its flags --graph, --batch_size, --input_layer and
--input_shape_override work as before.

Several FILEs, and folders with models in them, are described in one line each; --json prints a line of JSON for each
model, for one FILE too. Models are
found by content, in sorted order, and links are not followed. A folder that is itself a model is one model, unless
--jobs is given. The exit status is 2 if a file cannot be read.

--compat prints the lines of TensorFlow's summarize_graph, as that tool is documented; its output may differ in details.
Devices are printed one per line, and the elements of variables are counted, unlike there.

examples:
  tfmodel summarize frozen.pb --batch_size 1
  tfmodel summarize saved_model/ --signatures
  tfmodel summarize saved_model/ --objects --depth 1
  tfmodel summarize saved_model/ --tags serve --supported-ops phone_kernels.txt
  tfmodel summarize saved_model/ --html model.html
  tfmodel summarize models/ --jobs 4
  tfmodel summarize graph.pbtxt --shape image=1,299,299,3 --json | jq '.flops'
  tfmodel summarize --in_graph=frozen.pb --compat --print_structure
  tfmodel summarize --graph=frozen.pb --input_layer=Mul:0 --input_shape_override=1,299,299,3
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import tfmodel
from pbwire.colours import paint

from ..ops import OPS
from ..reports.summary import Summary, compat_lines, summarize
from ..source.model_source import ModelSource
from ..values.report import Report
from ..values.terminal import quote
from .input_options import add_bind, parse_bindings
from .many_files import ManyFiles, add_files, names_many, render_json, run_many
from .messages import UsageError
from .model_options import add_op_defs, add_tags
from .page_option import add_page, check_page, write_page
from .parser import Parser, positive
from .report_colours import SUMMARY, write_report

if TYPE_CHECKING:
    from ..reports.keras_summary import KerasSummary
    from ..reports.onnx.summary import OnnxSummary

_SIZES = re.compile(r"\[?\s*(?:(?:-1|\?|\d{1,18})(?:\s*,\s*(?:-1|\?|\d{1,18}))*)?\s*\]?")


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add_files(parser, nargs="*", help="the model; see below")
    add("--in-graph", "--graph", metavar="FILE", help="the same as FILE")
    add_tags(parser)
    add_bind(parser)
    add("--batch-size", metavar="N", type=positive, help="the size of an open first dimension of inputs")
    shape_help = "the shape of an input, with ? for open dimensions; may be repeated"
    add("--shape", "--input-shape", "--input-shape-override", metavar="NAME=SIZES", action="append", help=shape_help)
    add("--input-layer", metavar="NAME", help="the input of a --shape of sizes only, such as 1,224,224,3")
    add("--supported-ops", metavar="LIST", help="the ops that a runtime supports; see below")
    add_op_defs(parser)
    parser.add_flag("--signatures", help="print the signatures of all MetaGraphs, and the functions of objects")
    parser.add_flag("--objects", help="print the objects of a TensorFlow 2 model as a tree")
    add("--depth", metavar="N", type=positive, help="with --objects: the number of levels below the root")
    parser.add_flag("--all", help="print everything; see below")
    parser.add_flag("--compat", help="print the lines of TensorFlow's summarize_graph")
    parser.add_flag("--print-structure", help="also print every node with its inputs, in execution order")
    parser.add_flag("--json", help="print JSON")
    add_page(parser)
    parser.add_former_flags("summarize")


def run(args: Any) -> int:
    if not args.in_graph and names_many(MANY, args):
        _check_use(args)
        OPS.with_first(args.op_defs)  # their errors are not those of a model
        return run_many("summarize", MANY, args)
    file = _file(args)
    check_page(args, (*_OF_GRAPHS, "signatures", "objects", "depth", "all", "json"))
    if args.html is not None:
        write_page(args, file, tab="summary")
        return 0
    source = ModelSource.of(file, tags=args.tags)
    if source.keras is not None or source.onnx is not None:
        return _print_other(args, file, source)
    if args.signatures or args.objects:
        return _print_parts(args, source)
    shapes = dict(_shape(text, args.input_layer) for text in args.shape or ())
    if args.compat:
        _compat(args, source, file)
        return 0
    source = ModelSource.of(source, needs_weights=False)
    report = _summary(args, source, shapes)
    if args.json:
        sys.stdout.write(f"{render_json(file, report)}\n")
    else:
        brief = not (args.all or args.print_structure or args.supported_ops)
        first, rest = report.to_text(brief=brief).split("\n", 1)
        write_report(f"{paint(first, 'heading', sys.stdout)}\n{rest}", SUMMARY)
    return 0


def _summary(
    args: Any, source: ModelSource, shapes: Mapping[str, tuple[int | None, ...]] = MappingProxyType({})
) -> Summary:
    return summarize(
        source,
        bind=parse_bindings(args),
        batch_size=args.batch_size,
        shapes=shapes,
        op_defs=args.op_defs,
        supported_ops=args.supported_ops,
        structure=args.print_structure,
    )


def _summary_of_one(args: Any, path: str) -> Report:
    source = ModelSource.of(path, tags=args.tags, needs_weights=False)
    return _summary(args, source) if source.keras is None and source.onnx is None else _summary_of_other(source)


MANY = ManyFiles(
    _summary_of_one,
    takes_onnx=True,
    refused=(
        "bind", "shape", "input_layer", "signatures", "objects", "depth", "all", "compat", "print_structure", "html"
    ),
)  # fmt: skip


def _summary_of_other(source: ModelSource) -> KerasSummary | OnnxSummary:
    """Return the report about a file that has no graph of TensorFlow."""
    return tfmodel.summarize_keras(source) if source.keras is not None else tfmodel.summarize_onnx(source)


def _print_other(args: Any, file: str, source: ModelSource) -> int:
    """Print what a file of Keras or an ONNX model has. Raises UsageError for options that are about graphs."""
    names = (*_OF_GRAPHS, "tags", "signatures", "objects", "depth")
    option = next((name for name in names if getattr(args, name)), None)
    if option is not None:
        what = "a file of Keras" if source.keras is not None else "an ONNX model"
        raise UsageError(f"--{option.replace('_', '-')} is about graphs of TensorFlow, and {source.name} is {what}")
    report = _summary_of_other(source)
    sys.stdout.write(f"{render_json(file, report)}\n" if args.json else report.to_text(all=args.all))
    return 0


def _file(args: Any) -> str:
    if bool(args.files) == bool(args.in_graph):
        raise UsageError("name one model, as FILE or with --in_graph")
    _check_use(args)
    file: str = args.in_graph or args.files[0]
    return file


def _check_use(args: Any) -> None:
    """Raise UsageError for options that contradict each other or would have no effect."""
    if args.all and (args.json or args.compat):
        raise UsageError(f"--all has no effect with {'--json' if args.json else '--compat'}: leave it out")
    if args.json and args.compat:
        raise UsageError("--json does not go with --compat, which prints lines")
    _check_parts(args)
    used = ("batch_size", "shape", "supported_ops", "op_defs")
    option = next((name.replace("_", "-") for name in used if getattr(args, name) not in (None, [])), None)
    if args.compat and option:
        why = "which infers no shapes and looks up no ops"
        raise UsageError(f"--{option} has no effect with --compat, {why}: leave it out")
    if args.input_layer is not None and all("=" in text for text in args.shape or ()):
        raise UsageError("--input_layer needs a --shape without a name, such as --shape 1,224,224,3")


_OF_GRAPHS = ("bind", "batch_size", "shape", "input_layer", "supported_ops", "op_defs", "compat", "print_structure")


def _check_parts(args: Any) -> None:
    """Raise UsageError for options that do not go with --signatures and --objects."""
    if args.depth is not None and not args.objects:
        raise UsageError("--depth is the number of levels of --objects: add --objects, or leave it out")
    if args.signatures and args.objects:
        raise UsageError("--signatures and --objects are two reports: name one of them")
    report = "--signatures" if args.signatures else "--objects" if args.objects else ""
    option = next((name.replace("_", "-") for name in _OF_GRAPHS if getattr(args, name)), None)
    if report and option:
        raise UsageError(f"--{option} has no effect with {report}: leave it out")


def _print_parts(args: Any, source: ModelSource) -> int:
    """Print the signatures or the objects of a model."""
    lines: Iterable[str]
    if args.signatures:
        report = tfmodel.signatures(source)
        lines = [report.to_json()] if args.json else report.lines(all_functions=args.all)
    else:
        tree = tfmodel.object_tree(source)
        lines = [tree.to_json(depth=args.depth)] if args.json else tree.lines(depth=args.depth, internal=args.all)
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


def _shape(text: str, layer: str | None) -> tuple[str, tuple[int | None, ...]]:
    """Return the tensor and the sizes in "x=1,?,3". Without a name, as in "1,?,3", the tensor is `layer`."""
    name, _, sizes = text.rpartition("=")
    name = name or layer or ""
    if not name and _SIZES.fullmatch(sizes):
        raise UsageError(f"--shape {sizes} names no input: write NAME={sizes}, or add --input_layer NAME")
    if not name or not _SIZES.fullmatch(sizes):
        raise UsageError(f"--shape: {quote(text)} is not a shape; write NAME=1,224,224,3, with ? for open dimensions")
    return name, tuple(None if size in ("?", "-1") else int(size) for size in re.findall(r"-1|\?|\d+", sizes))


def _compat(args: Any, source: ModelSource, file: str) -> None:
    if bindings := parse_bindings(args):
        from ..analysis.variables.preparation import bind_source

        source = bind_source(source, bindings)
    with source.naming():
        for line in compat_lines(source.graph, file, structure=args.print_structure):
            sys.stdout.write(line + "\n")
