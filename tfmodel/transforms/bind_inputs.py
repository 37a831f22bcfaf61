"""Replace tensors by constants, such as those that only training feeds: is_training, keep_prob.

    is_training = Placeholder[dtype=bool]     ->     is_training = Const[dtype=bool, value=bool{false}()]

Any tensor can be bound. A node with one output becomes a constant of the same name; otherwise the nodes that take the
tensor take a new constant. Nodes that only the bound tensor needed stay: `strip_unused_nodes` removes them. A declared
input cannot be bound, since it is fed, and neither can a tensor inside a loop.

A value is JSON: a number, true, false, a "string", or lists of these. A single value fills the shape of the tensor if
this is fully known; otherwise it is a scalar. A list must fit the shape.

Differences from the original: the C++ tool has no such transform.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..analysis.variables.preparation import bind_tensors
from ..errors import TransformError
from ..graph.error_text import quote
from ..messages import GraphDef, OpDef
from ..ops import OPS
from ..values.names import TensorName
from .framework.registry import graph_transform
from .framework.report import StepReport


@graph_transform
def bind_inputs(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...] = (),
    ops: Mapping[str, OpDef] = OPS,
    report: StepReport,
    name: tuple[str, ...] = (),
    value: tuple[str, ...] = (),
) -> GraphDef:
    """Replace the tensor `name` by the constant `value`; both may be given several times, and equally often.

    Example: bind_inputs(name=keep, value=1) with inputs x and outputs y

        x = Placeholder[dtype=float]
        keep = Placeholder[dtype=float, shape=()]
        y = RealDiv(x, keep)[T=float]

    becomes

        x = Placeholder[dtype=float]
        keep = Const[dtype=float, value=float{1}()]
        y = RealDiv(x, keep)[T=float]
    """
    if len(name) != len(value) or not name:
        raise TransformError(f"name and value must be given equally often, not {len(name)} and {len(value)} times")
    values: dict[str, Any] = {}
    for tensor, text in zip(name, value, strict=True):
        if tensor in values:
            raise TransformError(f"name={quote(tensor)} is given twice")
        try:
            values[tensor] = json.loads(text)
        except (ValueError, RecursionError):
            problem = 'is not JSON: a number, true, false, or "text", or lists of these'
            raise TransformError(f"the value {quote(text)} of {quote(tensor)} {problem}") from None
    report.fire(len(values))
    return bind_tensors(graph, values, inputs=inputs, outputs=outputs, ops=ops)
