"""Extract a part of a model: the nodes that compute some tensors from others.

FILE is a graph in binary, text or JSON, a .meta, the folder of a SavedModel, or - for standard input. The tensors of
--inputs become Placeholders, with the types and shapes that the graph implies; names are those of tensors, or keys of
the signature. By default, inputs and outputs are those of the model. Nodes and functions that the outputs do not need
are left out; variables and their checkpoint stay. OUT is a file (.pb, .pbtxt, .json, or .meta for the MetaGraph) or a
folder (OUT/) for a SavedModel.

examples:
  tfmodel extract model.pb -o head.pb --inputs features --outputs scores
  tfmodel extract saved_model/ -o encoder/ --outputs encoder/dense/BiasAdd
"""

from __future__ import annotations

from typing import Any

from ..model import Model
from .edited_model import add_output_options, check_target, write_model
from .messages import UsageError
from .model_options import add_signature, add_tags
from .parser import Parser
from .progress import Progress


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="the model; see below")
    add("--inputs", metavar="NAMES", help="the inputs of the part, separated by commas")
    add("--outputs", metavar="NAMES", help="the outputs of the part, separated by commas")
    add_signature(parser, "the signature with the inputs and outputs")
    add_tags(parser)
    add_output_options(parser)
    parser.add_former_flags("extract")


def run(args: Any) -> int:
    if args.inputs is None and args.outputs is None:
        raise UsageError("name the part to extract with --inputs, --outputs or both")
    check_target(args)
    with Progress(quiet=args.output == "-") as progress:
        progress.doing(f"reading {args.file}")
        model = Model(args.file, tags=args.tags, signature=args.signature)
        part = model.extract(args.inputs, args.outputs)
        progress.doing(f"writing {args.output}")
        done = [{"edit": "extract", "value": f"{args.inputs or ''} -> {args.outputs or ''}"}]
        return write_model(part, [model], args, done)
