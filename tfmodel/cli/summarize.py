"""Tell what a model is: what goes in and comes out, what it consists of, what it takes to run it.

FILE is a graph in binary, text or JSON, a .meta, the folder of a SavedModel, or - for standard input. Weights are not
read: sizes are those that shapes tell.

Inputs and outputs are guesses, unless a signature tells them: what saves, initialises, trains and checks a model is set
aside, and what is left is ranked, with the reasons. The last lines are commands to go on with.

Parameters are elements of constants and variables that an op has as weights: filters, matrices, biases, and so on.
"quantized" tells of weights that are stored as codes, of a byte each or so, what they take and what floats would. Those
that round_weights has rounded can be told by their values only: see weights --statistics.
FLOPs are those of all nodes, a multiplication with an addition being two: a function that is called counts once, as
does the body of a loop. They need the shapes of all tensors: give --batch_size, or --input_shape x=1,224,224,3 where
the model leaves more open.

--supported-ops names a list of the ops that a runtime has: a text with their names, in lines or with commas, # before
comments, or an OpList. The report then has the ops that the model needs and the list lacks. The exit status is 0 all
the same.

This is also what TensorFlow's graph_metrics did, whose flags --graph, --batch_size, --input_layer and
--input_shape_override work as they did there.

--compat prints the lines of TensorFlow's summarize_graph. That tool was not at hand to compare with: they are made
after a description of it, with a line for each device and the elements of variables counted, which it got wrong.

examples:
  tfmodel summarize frozen.pb --batch_size 1
  tfmodel summarize saved_model/ --tags serve --supported-ops phone_kernels.txt
  tfmodel summarize graph.pbtxt --input_shape image=1,299,299,3 --json | jq '.flops'
  tfmodel summarize --in_graph=frozen.pb --compat --print_structure
  tfmodel summarize --graph=frozen.pb --input_layer=Mul:0 --input_shape_override=1,299,299,3
"""

from __future__ import annotations

import re
import sys
from typing import Any

from ..inspection.summary import compat_lines, summarize
from ..source import ModelSource
from .input_options import add_tags
from .messages import UsageError
from .parser import Parser, positive

__all__ = ["add_arguments", "run"]

_SIZES = re.compile(r"\[?\s*(?:(?:-1|\?|\d{1,18})(?:\s*,\s*(?:-1|\?|\d{1,18}))*)?\s*\]?")


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", help="the model; see above")
    add("--in-graph", "--graph", metavar="FILE", help="the same as FILE")
    add_tags(parser)
    add("--batch-size", metavar="N", type=positive, help="the first dimension of inputs that leave it open")
    shape_help = "the shape of an input, ? for what is open; may be repeated"
    add("--input-shape", "--shape", "--input-shape-override", metavar="NAME=SIZES", action="append", help=shape_help)
    add("--input-layer", metavar="NAME", help="the input that --input_shape is about where that names none")
    add("--supported-ops", metavar="LIST", help="ops that a runtime has; see above")
    add("--op-defs", metavar="OPS", action="append", help="a file that declares ops of your own, an OpList")
    parser.add_flag("--compat", help="print what summarize_graph printed")
    parser.add_flag("--print-structure", help="print every node with its inputs too, in execution order")
    parser.add_flag("--json", help="print JSON")


def run(args: Any) -> int:
    file = _file(args)
    shapes = dict(_shape(text, args.input_layer) for text in args.input_shape or ())
    if args.compat:
        _compat(args, file)
        return 0
    report = summarize(
        file,
        tags=args.tags,
        batch_size=args.batch_size,
        shapes=shapes,
        op_defs=args.op_defs or (),
        supported_ops=args.supported_ops,
        structure=args.print_structure,
    )
    if args.json:
        sys.stdout.write(report.to_json() + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in report.lines())
    return 0


def _file(args: Any) -> str:
    if bool(args.file) == bool(args.in_graph):
        raise UsageError("name one model, as FILE or with --in_graph")
    _check_use(args)
    file: str = args.file or args.in_graph
    return file


def _check_use(args: Any) -> None:
    """Refuse options that would have no effect beside the others."""
    if args.json and args.compat:
        raise UsageError("--json does not go with --compat, which prints lines")
    used = ("batch_size", "input_shape", "supported_ops", "op_defs")
    option = next((name.replace("_", "-") for name in used if getattr(args, name) is not None), None)
    if args.compat and option:
        why = "which infers no shapes and looks up no ops"
        raise UsageError(f"--{option} has no effect with --compat, {why}: leave it out")
    if args.input_layer is not None and all("=" in text for text in args.input_shape or ()):
        raise UsageError("--input_layer names the input of an --input_shape without a name, and there is none")


def _shape(text: str, layer: str | None) -> tuple[str, tuple[int | None, ...]]:
    """The tensor and the sizes of "x=1,?,3"; of "1,?,3", the tensor is `layer`."""
    name, _, sizes = text.rpartition("=")
    name = name or layer or ""
    if not name or not _SIZES.fullmatch(sizes):
        raise UsageError(f"--input_shape: {text!r} is not a shape; write NAME=1,224,224,3, with ? for what is open")
    return name, tuple(None if size in ("?", "-1") else int(size) for size in re.findall(r"-1|\?|\d+", sizes))


def _compat(args: Any, file: str) -> None:
    source = ModelSource(file, tags=args.tags)
    with source.naming():
        for line in compat_lines(source.graph, file, structure=args.print_structure):
            sys.stdout.write(line + "\n")
