"""Round weights to few different values, so that the file compresses well; its size stays the same.

    w = Const[value=float{...}]   ->   w = Const[value=float{...}], with at most `num_steps` + 1 different values

The range of the elements is divided into steps of equal length, and each element becomes the middle of its step. The
largest element is at the end of the last step; it becomes the middle of one more step. Constants with fewer than 16
floats stay, and so do constants of other types.

Unlike in the original, the range of negative weights ends at the largest of them, not at zero. Weights that are all
equal stay; in the original they lose precision. Weights that are not all finite stay; in the original NaN becomes a
number. A constant keeps its control inputs: without them it would leave its loop. As in the original, it loses its
device and all attributes but its type and value. Constants in functions are rounded too. `exclude_node` and
`exclude_op` are new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import TransformError
from ..graph import replace_node
from ..messages import AttrValue, DataType, GraphDef, NodeDef
from ..values.names import control_inputs
from .framework.exclusions import Exclusions
from .framework.node_edits import map_nodes
from .framework.registry import graph_transform
from .framework.report import StepReport
from .quantization.weights import EQUAL, float_array, is_splat, map_elements

if TYPE_CHECKING:
    from .quantization.weights import Array, Step

MIN_ELEMENTS = 16

_NO_STEPS = "its elements or their range are not finite, or the steps would be too small"


@graph_transform
def round_weights(
    graph: GraphDef,
    *,
    num_steps: int = 256,
    exclude_node: tuple[str, ...] = (),
    exclude_op: tuple[str, ...] = (),
    report: StepReport,
) -> GraphDef:
    """Round float constants of 16 elements or more to few values, so that the file compresses well.

    Each constant has at most `num_steps` + 1 different values afterwards. Constants that `exclude_node` and
    `exclude_op` name stay, as do those that such a node reads: see `quantize_weights`. Fails if a float constant has no
    value.

    Example: round_weights(num_steps=4)

        w = Const[dtype=float, value=float{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17}]

    becomes

        w = Const[dtype=float, value=float{3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 19}]
    """
    if num_steps < 1:
        raise TransformError(f"num_steps must be 1 or more, not {num_steps}")
    report.is_approximate = True
    excluded = {*map(id, Exclusions(exclude_node, exclude_op, graph, report).constants(graph))}
    return map_nodes(graph, lambda node: node if id(node) in excluded else _round(node, num_steps, report), report)


def _round(node: NodeDef, num_steps: int, report: StepReport) -> NodeDef:
    if node.op != "Const":
        return node
    array = float_array(node)
    if array is None or array.size < MIN_ELEMENTS:
        return node
    if is_splat(array) or (low := array.min()) == (high := array.max()):  # a splat may have 2**60 elements
        report.refuse(node.name, EQUAL)
        return node
    step = _rounding(low, high, num_steps)
    if step is None:
        report.refuse(node.name, _NO_STEPS)
        return node
    tensor = map_elements(node, array, "f4", DataType.DT_FLOAT, step)
    controls = control_inputs(node)
    attributes = {"dtype": AttrValue(type=DataType.DT_FLOAT), "value": AttrValue(tensor=tensor)}
    return replace_node(node, input=controls, device="", attr=attributes)


def _rounding(low: Any, high: Any, num_steps: int) -> Step | None:
    """Return a function that rounds elements; None if the largest result is not finite, or the steps are too small."""
    f32 = np.float32
    with np.errstate(over="ignore", invalid="ignore"):
        width = (high - low) / f32(num_steps)
        last_value = low + width * f32(num_steps + 0.5)
    if not (np.isfinite(last_value) and width >= np.finfo(f32).tiny):
        return None

    def round_block(block: Array, _: Array, out: Array) -> None:
        np.subtract(block, low, out=out)
        np.divide(out, width, out=out)
        np.floor(out, out=out)
        np.add(out, f32(0.5), out=out)
        np.multiply(out, width, out=out)
        np.add(out, low, out=out)

    return round_block
