"""Join two models: tensors of the first become inputs of the second.

A and B are graphs in binary, text or JSON, .meta files or folders of SavedModels. --connect names a tensor of A, and
the input of B that it replaces: tensors (y or y:1), or keys of signatures. Inputs of the result are those of A, and
those of B that are not connected; its outputs are those of B. If both models have nodes of one name, the nodes of B
move into a scope, "b" or that of --scope; functions of one name stay apart too. Models with variables are frozen first.
OUT is a file (.pb, .pbtxt, .json, or .meta for the MetaGraph) or a folder (OUT/) for a SavedModel.

examples:
  tfmodel splice encoder.pb decoder.pb -o whole.pb --connect code=x
  tfmodel splice features/ head.pb -o model/ --connect pooled=features --scope head
"""

from __future__ import annotations

from typing import Any

from ..model import Model
from ..values.terminal import quote
from .edited_model import add_output_options, check_target, write_model
from .messages import UsageError
from .parser import Parser
from .progress import Progress


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("a", metavar="A", help="the model that runs first")
    add("b", metavar="B", help="the model that takes its results")
    connect_help = "a tensor of A, and the input of B that it replaces; may be repeated"
    add("--connect", metavar="TENSOR=INPUT", action="append", default=[], help=connect_help)
    add("--scope", metavar="NAME", help="the scope for the nodes of B; '' for none")
    parser.add_flag("--keep-outputs", help="keep the outputs of A too")
    add_output_options(parser)


def run(args: Any) -> int:
    connect = {}
    for option in args.connect:
        tensor, equals, name = option.partition("=")
        if not (tensor and equals and name):
            raise UsageError(f"--connect takes TENSOR=INPUT, not {quote(option)}")
        if tensor in connect:
            raise UsageError(f"--connect names {quote(tensor)} twice")
        connect[tensor] = name
    if not connect:
        raise UsageError("name the tensors to connect with --connect TENSOR=INPUT")
    if args.a == args.b == "-":
        raise UsageError("standard input is only one model")
    check_target(args)
    with Progress(quiet=args.output == "-") as progress:
        progress.doing(f"reading {args.a} and {args.b}")
        models = [Model(args.a), Model(args.b)]
        joined = models[0].splice(models[1], connect, scope=args.scope, keep_outputs=args.keep_outputs)
        progress.doing(f"writing {args.output}")
        done = [{"edit": "connect", "value": option} for option in args.connect]
        return write_model(joined, models, args, done)
