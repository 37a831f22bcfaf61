"""Compare two models node by node.

A and B are graphs in binary, text or JSON, .meta files, or folders of SavedModels; one of them may be - for standard
input. Nodes are matched by name. Two nodes are the same if they have the same op, device, inputs, control inputs and
attributes: "n" and "n:0" are one input, control inputs have no order, and tensors are compared by their elements, not
by how they are stored. Functions are compared in the same way. Signatures, tags and collections are compared if both
models have a MetaGraph, as SavedModels and .meta files do. Values of variables are not compared.

The order of nodes counts only with --order. Attributes whose names begin with "_", and types and debug information of
nodes, count only with --internal. Different versions are always reported, but count only with --versions.

Exit status: 0 if the models are the same, 1 if they differ, 2 if they cannot be compared.

examples:
  tfmodel diff before.pb after.pb
  tfmodel diff saved_model/ frozen.pb --quiet && echo the same
  tfmodel diff a.pb b.pb --rtol 1e-5 --atol 1e-7 --json | jq -r '.graph.changed[].name'
"""

from __future__ import annotations

import sys
from typing import Any

from pbwire.errors import Error

from ..inspection.diff import diff
from .input_options import add_tags
from .messages import UsageError, explain_error, warn
from .parser import Parser, tolerance
from .progress import Progress

__all__ = ["add_arguments", "run"]

EXIT_NOT_COMPARED = 2


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("a", metavar="A", help="the first model")
    add("b", metavar="B", help="the second model")
    add_tags(parser)
    parser.add_flag("--order", help="compare the order of nodes")
    parser.add_flag("--versions", help="compare the versions of graphs")
    parser.add_flag(
        "--internal", help='compare attributes that begin with "_", and types and debug information of nodes'
    )
    parser.add_flag("--ignore-defaults", help="treat a missing attribute as if it had the default value of its op")
    add("--atol", type=tolerance, default=0.0, metavar="X", help="absolute tolerance for elements of tensors")
    add(
        "--rtol",
        type=tolerance,
        default=0.0,
        metavar="X",
        help="relative tolerance for elements of tensors, relative to B",
    )
    parser.add_flag("--full", help="do not shorten lists")
    parser.add_flag("--quiet", help="print nothing; the exit status is the result")
    parser.add_flag("--json", help="print JSON, never shortened")


def run(args: Any) -> int:
    if args.a == args.b == "-":
        raise UsageError("only one of the two can come from standard input")
    if args.quiet and (args.full or args.json):
        raise UsageError(f"--quiet prints nothing: leave out {'--full' if args.full else '--json'}")
    try:
        with Progress() as progress:
            progress.doing("comparing")
            report = diff(
                args.a,
                args.b,
                tags=args.tags,
                internal=args.internal,
                order=args.order,
                versions=args.versions,
                defaults=not args.ignore_defaults,
                atol=args.atol,
                rtol=args.rtol,
            )
            text = "" if args.quiet else f"{report.to_json()}\n" if args.json else report.to_text(full=args.full)
    except ValueError as error:
        raise UsageError(str(error)) from None
    except (Error, OSError, MemoryError) as error:
        warn(explain_error("diff", error) or "")
        return EXIT_NOT_COMPARED
    sys.stdout.write(text)
    return 0 if report.same else 1
