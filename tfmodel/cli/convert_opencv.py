"""`convert` to the two files of a frozen graph that OpenCV's readNet takes."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from pbwire.message import Message

from ..files.access.forms import Form
from ..files.model_file import open_file
from ..freezing.opencv import without_constants
from ..messages import GraphDef
from ..source.model_source import ModelSource
from .json_report import print_report
from .messages import UsageError, warn
from .output_options import check_writable, short_name, uses_terminal
from .progress import Progress


def convert_to_opencv(args: Any, write: Callable[[Message, str, Form, Any, Progress], int]) -> int:
    """Write a frozen graph as a .pb and a .pbtxt without constants; only the latter if IN is that .pb.

    `write` writes a message to `args.target`, given the name of IN, and returns the number of bytes.
    """
    name = args.target if args.target is not None else args.source
    if name == "-":
        raise UsageError("--to opencv writes two files: name one of them as OUT")
    base, suffix = os.path.splitext(name)
    base = base if suffix in (".pb", ".pbtxt") else name
    with Progress(quiet=uses_terminal(args)) as progress:
        progress.doing(f"reading {short_name(args.source, 'standard input')}")
        source = ModelSource.of(open_file(args.source, lazy=True, max_unpacked=args.max_unpacked), tags=args.tags)
        with source.naming():
            graph = source.graph
            text = without_constants(graph)
        is_there = os.path.exists(f"{base}.pb") and os.path.exists(args.source)
        outputs: list[tuple[str, GraphDef, Form]] = [(f"{base}.pbtxt", text, "text")]
        if not (is_there and os.path.samefile(f"{base}.pb", args.source)):
            outputs.insert(0, (f"{base}.pb", graph, "binary"))
        for target, message, form in outputs:
            check_writable(target, binary=form == "binary")
            args.target, args.types = target, None
            write(message, source.name, form, args, progress)
    left_out = len(graph.node) - len(text.node)
    constants = f"{left_out:,} constant{'s' * (left_out != 1)}"
    warn(f"{base}.pb, {base}.pbtxt: {len(text.node):,} nodes; {constants} in the .pb alone")
    if args.json:
        print_report([args.source], [target for target, _, _ in outputs], {"to": "opencv", "nodes": len(text.node)})
    return 0
