"""Detect that --output, which names a file, was given for --outputs, which names tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import GraphError
from ..files.access.forms import form_of
from ..graph.error_text import quote
from ..messages import NodeDef
from ..values.names import TensorName
from ..values.terminal import escape
from .messages import RequestError


def refuse_output_named_like_nodes(args: Any, nodes: Iterable[NodeDef]) -> None:
    """Raise RequestError if the file given with --output has the name of a node, or of several: --outputs was meant.

    It is not raised if the option is written `-o`, if --outputs is given too, or if the file has the suffix of a graph.
    """
    if args.output_spelling != "--output" or args.outputs is not None or form_of(args.output):
        return
    try:
        outputs = {TensorName.parse(name).node for name in args.output.split(",")}
    except GraphError:
        return
    if outputs <= {node.name for node in nodes}:
        problem = f"--output is the file to write, and {quote(args.output)} is in the graph; did you mean --outputs?"
        raise RequestError(f"{problem} -o {escape(args.output)} writes that file")
