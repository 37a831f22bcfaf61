"""Tell what changed from one model to another, node by node.

A and B are graphs in binary, text or JSON, .meta files, or folders of SavedModels. Nodes belong together by their
names. They are the same if their op, device, inputs, control inputs and attributes are: "n" and "n:0" are one input,
control inputs have no order, and tensors are the same if all their elements are, however they are stored. Functions are
compared in the same way, and of SavedModels and .meta files signatures, tags and collections too. Values of variables
are not.

What does not count unless asked for: the order of nodes (--order), versions (--versions, else they are only told), and
attributes whose names begin with "_" (--internal).

Exit status: 0 if they are the same, 1 if not, 2 if that could not be told.

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

UNKNOWN = 2


def add_arguments(parser: Parser) -> None:
    add = parser.add_argument
    add("a", metavar="A", help="the model as it was")
    add("b", metavar="B", help="the model as it is now")
    add_tags(parser)
    parser.add_flag("--order", help="the order of nodes counts")
    parser.add_flag("--versions", help="versions of graphs count")
    parser.add_flag("--internal", help='attributes count that begin with "_", and debug information')
    parser.add_flag("--ignore-defaults", help="a missing attribute is one with the value that its op declares")
    add("--atol", type=tolerance, default=0.0, metavar="X", help="elements of tensors may differ by X,")
    add("--rtol", type=tolerance, default=0.0, metavar="X", help="and by X times what they are in B")
    parser.add_flag("--full", help="cut no list short")
    parser.add_flag("--quiet", help="print nothing, only end with 0 or 1")
    parser.add_flag("--json", help="print JSON, which is never cut short")


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
        return UNKNOWN
    sys.stdout.write(text)
    return 0 if report.same else 1
