"""Weights of few different values, which pack well: the file is as large as it was, and its archive is small.

    w = Const[value=float{...}]   ->   w = Const[value=float{...}], of `num_steps` values

The range of the elements is divided into steps of the same length, and an element becomes the middle of its step. The
largest element is at the end of the last step, and so in one of its own. Constants of less than 16 floats stay, and so
do those of other types.

Unlike in the original, the range of negative weights ends at the largest of them and not at zero; weights that are all
equal stay, where they lose precision there; and so do weights that are not all finite, where NaN becomes a number
there. A constant keeps its control inputs: without, it would leave its loop. Constants in functions are rounded too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import TransformError
from ..graph import replace_node
from ..messages import AttrValue, DataType, GraphDef, NodeDef
from ..names import control_inputs
from .framework.node_edits import map_nodes
from .framework.registry import graph_transform
from .framework.report import StepReport

if TYPE_CHECKING:
    from .quantization.weights import Array, Step

__all__ = ["round_weights"]

MINIMUM_SIZE = 16


@graph_transform
def round_weights(graph: GraphDef, *, num_steps: int = 256, report: StepReport) -> GraphDef:
    """Round float constants of 16 elements or more to few values, so that the file compresses well.

    The values of each are `num_steps` different ones, and one more. Fails if a constant has no value.

    Example: round_weights(num_steps=4)

        w = Const[dtype=float, value=float{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17}]

    becomes

        w = Const[dtype=float, value=float{3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 19}]
    """
    if num_steps < 1:
        raise TransformError(f"num_steps must be 1 or more, not {num_steps}")
    return map_nodes(graph, lambda node: _rounded(node, num_steps, report), report)


def _rounded(node: NodeDef, num_steps: int, report: StepReport) -> NodeDef:
    if node.op != "Const":
        return node
    from .quantization.weights import EQUAL, NOT_FINITE, float_array, is_splat, mapped

    array = float_array(node)
    if array is None or array.size < MINIMUM_SIZE:
        return node
    if is_splat(array) or (low := array.min()) == (high := array.max()):  # a splat may have 2**60 elements to look at
        report.refuse(node.name, EQUAL)
        return node
    step = _step(low, high, num_steps)
    if step is None:
        report.refuse(node.name, NOT_FINITE)
        return node
    tensor = mapped(node, array, "f4", DataType.DT_FLOAT, step)
    controls = control_inputs(node)
    attributes = {"dtype": AttrValue(type=DataType.DT_FLOAT), "value": AttrValue(tensor=tensor)}
    return replace_node(node, input=controls, device="", attr=attributes)


def _step(low: Any, high: Any, num_steps: int) -> Step | None:
    """How elements are rounded; None if they, or the steps between them, are none that float32 has."""
    import numpy as np

    f32 = np.float32
    with np.errstate(over="ignore", invalid="ignore"):
        # A range that ends below zero ends there in the original, which makes all steps longer than they need be.
        width = (high - low) / f32(num_steps)
        most = low + width * f32(num_steps + 0.5)
    if not (np.isfinite(most) and width >= np.finfo(f32).tiny):
        return None

    def rounded(block: Array, _: Array, out: Array) -> None:
        np.subtract(block, low, out=out)
        np.divide(out, width, out=out)
        np.floor(out, out=out)
        np.add(out, f32(0.5), out=out)
        np.multiply(out, width, out=out)
        np.add(out, low, out=out)

    return rounded
