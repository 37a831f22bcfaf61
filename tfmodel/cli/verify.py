"""Run two models with the same feeds on NumPy, and compare their outputs.

A and B are graphs in any format, .meta files or SavedModels. --outputs are the tensors to compare; the default is all
outputs of the signature or, without one, the likely outputs. Inputs without a --feed get random values: see
`tfmodel run --help`; --runs repeats this with other values. --bind makes a tensor a constant in both.

Inputs and outputs are matched by the keys of signatures, by names that freezing and transforms give, by their place in
the graph, by type and shape, and then by order. The matches are printed. --inputs x=y and --outputs x=y name those that
cannot be matched: x is in A, y in B. Inputs that only training sets, such as keep_prob, get the value of a deployed
model in both.

Floats may differ by --rtol times the largest magnitude in the tensor. The default is 1e-4 or, if A computes in half
precision, 4 steps of that precision (3.9e-3; bfloat16 3.1e-2). --atol is added; its default is 0, or 1e-6 if A's tensor
is all zeros. All other types must be equal. --bisect finds the first node, in the order of A, whose tensors differ from
those of the node of the same name in B.

B may be an ONNX model, which onnxruntime runs. Its inputs and outputs have the names of A's, or are
the keys of A's signature.

Exit status: 0 if the outputs are the same, 1 if they differ, 2 if they cannot be compared.

examples:
  tfmodel verify frozen.pb small.pb --outputs softmax --shape input=1,224,224,3
  tfmodel verify frozen.pb model.onnx --shape input=1,224,224,3
  tfmodel verify saved_model/ frozen.pb --runs 10 --rtol 1e-5 --bisect
"""

from __future__ import annotations

import os
import sys
from typing import Any

from pbwire.arguments import DONE, NO
from pbwire.errors import Error, compose

from ..files.detection import is_onnx
from ..files.model_file import open_file
from ..values.terminal import escape
from .input_options import add_bind, add_feed_options, add_limits
from .messages import RequestError, UsageError, in_options, warn
from .model_options import add_checkpoint, add_signature, add_tags
from .parser import Parser, positive, tolerance


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("a", metavar="A", help="the reference model")
    add("b", metavar="B", help="the model to compare with it")
    add(
        "--inputs",
        metavar="FIRST[=SECOND],...",
        help="tensors to feed, separated by commas; x=y if B calls it y; default: the inputs that the outputs need",
    )
    outputs_help = "tensors to compare, separated by commas; x=y if B calls it y"
    add("--outputs", metavar="FIRST[=SECOND],...", help=outputs_help)
    add_feed_options(parser, random_flag=None)
    add_bind(parser)
    runs_help = "the number of runs with different random values; the default is 1"
    add("--runs", type=positive, default=1, metavar="N", help=runs_help)
    add("--rtol", type=tolerance, metavar="X", help="relative tolerance; see below")
    add("--atol", type=tolerance, metavar="X", help="absolute tolerance; see below")
    add_limits(parser)
    parser.add_flag("--bisect", help="find the first node with different outputs")
    add_checkpoint(parser, help="the checkpoint with the values, if it is not beside the models")
    add_signature(parser)
    add_tags(parser)
    parser.add_flag("--json", help="print JSON")


def run(args: Any) -> int:
    if args.a == args.b == "-":
        raise UsageError("only one of the two can come from standard input")
    from .verifying import compare_models, compare_with_onnx  # imports numpy

    try:
        with_onnx = os.path.isfile(args.b) and is_onnx(open_file(args.b, lazy=True).detection.cls)
        report = compare_with_onnx(args) if with_onnx else compare_models(args)
    except Error as error:
        if _is_about_file(error, args):
            raise
        raise RequestError(compose(error)) from error  # its message begins with the name of the command
    for note in (*report.notes, *report.zero_weights):
        warn(note)
    sys.stdout.write(f"{report.to_json() if args.json else in_options(report.to_text())}\n")
    return DONE if report.same else NO


def _is_about_file(error: Error, args: Any) -> bool:
    files = ["<stdin>" if file == "-" else escape(file) for file in (args.a, args.b, args.checkpoint) if file]
    return any(error.subject == file or error.subject.startswith((f"{file}/", f"{file}.")) for file in files)
