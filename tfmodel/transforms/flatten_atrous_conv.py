"""Replace atrous convolutions that use SpaceToBatchND by plain ones with zeros between the weights.

    BatchToSpaceND(Conv2D(SpaceToBatchND(x, block, paddings), w), block, crops)   ->   Conv2D(x, spread(w))

With dilate=true, the new convolution has dilations and the old weights instead: it computes the same with less work,
and TensorFlow before 1.6 does not know it.

The new convolution has the name of the BatchToSpaceND; the weights keep their name. DepthwiseConv2dNative is treated in
the same way. A BiasAdd between the convolution and the BatchToSpaceND, as `fold_old_batch_norms` writes it, stays after
the convolution. Then the BiasAdd gets the name of the BatchToSpaceND, and the convolution keeps its own name.

The result is exact: blocks, paddings and crops must be constants that amount to the padding SAME or VALID, and the
convolution must have stride 1, layout NHWC and no padding of its own.

Differences from the original:

    The original ignores paddings and crops, and always writes SAME.
    The original loses the output number of the input `x`.
    The original does not accept a BiasAdd.
    The original changes weights even if other nodes use them. Here these nodes keep the old weights.
    Control inputs are kept, and so are declared inputs. Weights may be of any floating-point type.
"""

from __future__ import annotations

from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ..graph import attr, replace_node
from ..messages import AttrValue, DataType, GraphDef, NodeDef
from ..values.names import TensorName, control_inputs
from ..values.output_limit import require
from .framework.constants import FLOATS, INTEGERS
from .framework.patterns import Anything, Bindings, Match, MatchContext, Op, match_pattern
from .framework.registry import graph_transform
from .framework.replacing import Finder, Rewrite, replace_subgraphs
from .framework.report import Refusal, StepReport

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

CONV = Op(
    "Conv2D|DepthwiseConv2dNative",
    Op("SpaceToBatchND", Anything(as_="x"), Anything(as_="block"), Anything(as_="paddings"), as_="to_batch"),
    Anything(as_="weights"),
    as_="conv",
)
PATTERNS = [
    Op("BatchToSpaceND", before, Anything(as_="block back"), Anything(as_="crops"), as_="to_space")
    for before in (CONV, Op("BiasAdd", CONV, Anything(as_="bias"), as_="bias_add"))
]
CONSTANTS = ("block", "paddings", "weights", "block back", "crops")
KEPT = ("T", "data_format", "strides", "use_cudnn_on_gpu")


@graph_transform
def flatten_atrous_conv(
    graph: GraphDef,
    *,
    inputs: tuple[TensorName, ...] = (),
    outputs: tuple[TensorName, ...],
    dilate: bool = False,
    report: StepReport,
) -> GraphDef:
    """Replace atrous convolutions by plain ones with zeros between the weights, or by those with dilations.

    With `dilate`, the weights stay as they are, and the convolutions get dilations.

    Example: flatten_atrous_conv with inputs x and outputs y

        x = Placeholder[dtype=float]
        block = Const[dtype=int32, value=int32{2, 2}]
        pads = Const[dtype=int32, value=int32{0, 0, 0, 0}(2, 2)]
        s = SpaceToBatchND(x, block, pads)[T=float]
        w = Const[dtype=float, value=float{1, 2}(2, 1, 1, 1)]
        c = Conv2D(s, w)[T=float, padding="VALID", strides=[1, 1, 1, 1]]
        y = BatchToSpaceND(c, block, pads)[T=float]

    becomes

        x = Placeholder[dtype=float]
        w = Const[dtype=float, value=float{1, 0, 2}(3, 1, 1, 1)]
        y = Conv2D(x, w)[T=float, padding="VALID", strides=[1, 1, 1, 1]]
    """

    flatten = partial(_flatten, dilate=dilate)

    def finder(context: MatchContext) -> Finder:
        def find(head: int) -> tuple[Bindings, Rewrite]:
            for pattern in PATTERNS:
                if (bindings := match_pattern(pattern, context.index, head)) is not None:
                    return bindings, flatten
            return Bindings({}, (head,), (head,)), _refuse

        return find

    return replace_subgraphs(graph, ["BatchToSpaceND"], finder, keep=outputs, inputs=inputs, report=report)


def _refuse(match: Match) -> Refusal:
    return Refusal("it does not follow a convolution of a SpaceToBatchND")


def _flatten(match: Match, *, dilate: bool) -> list[NodeDef] | Refusal:
    conv, head = match["conv"], match.head
    for name in CONSTANTS:
        if match[name].op != "Const":
            return Refusal(f"its {name.split()[0]} is not constant")
    if problem := _conv_problem(conv):
        return Refusal(problem)
    weights = match.array("weights", FLOATS)
    if weights.ndim != 4 or not weights.size:
        return Refusal("its weights do not have four dimensions, or are empty")
    block, block_back, paddings, crops = (
        match.array(name, INTEGERS).astype("i8") for name in ("block", "block back", "paddings", "crops")
    )
    if block.shape != (2,) or not (block > 0).all() or block.tolist() != block_back.tolist():
        return Refusal("its blocks are not the same two sizes on both sides")
    padding = _padding(weights.shape[:2], block, paddings, crops)
    if padding is None:
        return Refusal("its paddings and crops amount neither to SAME nor to VALID")
    has_bias = "bias_add" in match
    if has_bias and attr(match["bias_add"], "data_format", bytes, b"NHWC") != b"NHWC":
        return Refusal("its BiasAdd is not NHWC")
    attributes = {name: conv.attr[name] for name in KEPT if name in conv.attr} | {"padding": AttrValue(s=padding)}
    if dilate:
        attributes["dilations"] = AttrValue(list=AttrValue.ListValue(i=[1, *block.tolist(), 1]))
    spread = match["weights"] if dilate else _spread_node(match, weights, block)
    controls = match.control_inputs("to_batch", "conv", *["bias_add"] * has_bias, "to_space")
    inputs = [match["to_batch"].input[0], spread.name, *controls]
    flat = replace_node(conv, name=conv.name if has_bias else head.name, input=inputs, attr=attributes)
    nodes = [match["x"], spread, flat]
    if has_bias:
        bias_add = match["bias_add"]
        nodes += [match["bias"], replace_node(bias_add, name=head.name, input=[flat.name, bias_add.input[1]])]
    return nodes


def _conv_problem(conv: NodeDef) -> str:
    if attr(conv, "data_format", bytes, b"NHWC") != b"NHWC":
        return "the convolution is not NHWC"
    if set(attr(conv, "dilations", list[int], [])) - {1}:
        return "the convolution has dilations of its own"
    if set(attr(conv, "strides", list[int])) != {1}:
        return "the convolution has strides"
    if attr(conv, "padding", bytes) != b"VALID":
        return "the convolution has a padding of its own"
    return ""


def _padding(kernel: tuple[int, ...], block: Array, paddings: Array, crops: Array) -> bytes | None:
    """Return the padding of the plain convolution; None if neither SAME nor VALID has the effect of paddings and crops.

    Paddings also fill up incomplete blocks at the end; crops remove this part again.
    """
    if paddings.shape != (2, 2) or crops.shape != (2, 2):
        return None
    reach = [(size - 1) * step for size, step in zip(kernel, block.tolist(), strict=True)]
    net = (paddings - crops).tolist()
    starts_uncropped = not crops[:, 0].any() and (crops >= 0).all()
    if starts_uncropped and net == [[total // 2, total - total // 2] for total in reach]:
        return b"SAME"
    return b"VALID" if starts_uncropped and net == [[0, 0], [0, 0]] else None


def _spread_node(match: Match, weights: Array, block: Array) -> NodeDef:
    """Return a Const of the weights with zeros between them. It has a new name if other nodes use the old weights."""
    height, width, *channels = weights.shape
    down, across = block.tolist()
    shape = (height - 1) * down + 1, (width - 1) * across + 1, *channels
    require(prod(shape) * weights.itemsize, "the weights with zeros between them")
    spread = np.zeros(shape, weights.dtype)
    spread[::down, ::across] = weights
    old = match["weights"]
    new = match.constant(old.name, spread, attr(old, "dtype", DataType))
    controls = control_inputs(old)
    return replace_node(new, name=old.name, input=controls) if match.only_consumer("weights") else new
