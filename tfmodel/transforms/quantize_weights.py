"""Store weights as one byte per element, which makes the file four times smaller.

    w = Const[value=float{...}]   ->   w_quantized_const = Const[value=quint8{...}]
                                       w_quantized_min   = Const, w_quantized_max = Const
                                       w = Dequantize(w_quantized_const, w_quantized_min, w_quantized_max)

A quantized value stands for one of 256 equidistant numbers from the smallest element to the largest; the range includes
zero. So an element changes by up to half a step. If zero is halfway between two quantized values, as in the range -1 to
1, the change may be one step larger, since quantizing and dequantizing may round zero in different directions.

With `per_channel`, a weight of a layer has a symmetric range around zero for each of its output channels:

    w_quantized_const = Const[value=qint8{...}]      w_quantized_min, w_quantized_max = Const[value=float{...}]
    w = Dequantize(...)[mode="SCALED", narrow_range=true, axis=3]

A quantized value q from -127 to 127 stands for q / 127 times the largest magnitude in its channel, so zeros stay zeros.
The channels are those of convolutions, products of matrices, and embeddings (one for each row). A depthwise convolution
has one for each input channel. Other constants, and those with fewer than 16 elements in a channel, have one range as
above. Dequantize has the attribute `axis` since TensorFlow 2.1.

Differences from the original:

    Elements that are all zero stay zero. In the original they become NaN, and so do elements that are almost zero: such
    constants are left alone here, since all of their elements would become zero.
    Constants whose elements are not all finite are left alone. In the original, NaN becomes a number, and infinity
    makes all elements NaN.
    Tensors that are stored as one repeated element are left alone, since quantizing would enlarge them.
    All three new constants keep the control inputs: without them a constant would leave its loop.
    Constants in functions are quantized too, except for those whose type is an attribute of the function.
    `per_channel`, `exclude_node` and `exclude_op` are new.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import GraphError, TensorError, TransformError
from ..graph import GraphIndex, attr, with_nodes
from ..graph.edit import map_functions
from ..graph.index import Use
from ..messages import AttrValue, DataType, FunctionDef, GraphDef, NodeDef
from ..ops.input_roles import input_role
from ..values.names import TakenNames, control_inputs, data_inputs
from .framework.exclusions import PASSES_ON, Exclusions, constant_readers
from .framework.node_edits import const_node, owned_tensor
from .framework.registry import graph_transform
from .framework.report import StepReport
from .quantization.weights import NOT_FINITE, TOO_SMALL, float_array, is_splat, map_elements

if TYPE_CHECKING:
    from ..messages import TensorProto
    from .quantization.weights import Array

MIN_CHANNEL_SIZE = 16
"""The minimum number of elements of a channel with a range of its own, which takes 8 bytes."""

_STEPS = 127
_BLOCK = 1 << 20  # elements that are quantized at a time
_TRANSPOSES = {
    **dict.fromkeys(["MatMul", "SparseMatMul"], ("transpose_a", "transpose_b")),
    **dict.fromkeys(["BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"], ("adj_x", "adj_y")),
}
"""The attributes that transpose the first and the second matrix of a product."""


@graph_transform
def quantize_weights(
    graph: GraphDef,
    *,
    minimum_size: int = 1024,
    per_channel: bool = False,
    exclude_node: tuple[str, ...] = (),
    exclude_op: tuple[str, ...] = (),
    report: StepReport,
) -> GraphDef:
    """Store float constants of `minimum_size` or more elements as one byte per element.

    With `per_channel`, the weights of layers have a range for each output channel, which costs less accuracy. Constants
    with a name in `exclude_node` stay as they are, as do those that a node with a name in `exclude_node` or an op in
    `exclude_op` reads, directly or through Identity or Enter; so `exclude_op=MatMul` keeps matrices, and
    `exclude_node="head/*"` keeps the weights of a part of the model. Fails if a float constant outside of functions has
    no value.

    Example: quantize_weights(minimum_size=3) with outputs y

        w = Const[dtype=float, value=float{-1, 0, 4.1}]
        y = Relu(w)[T=float]

    becomes

        w_quantized_const = Const[dtype=quint8, value=quint8{0, 50, 255}]
        w_quantized_min = Const[dtype=float, value=float{-1}()]
        w_quantized_max = Const[dtype=float, value=float{4.1}()]
        w = Dequantize(w_quantized_const, w_quantized_min, w_quantized_max)[T=quint8, mode="MIN_FIRST"]
        y = Relu(w)[T=float]
    """
    if minimum_size < 0:
        raise TransformError(f"minimum_size must be >= 0, got {minimum_size}")
    report.is_approximate = True
    rewriter = _Rewriter(minimum_size, per_channel, Exclusions(exclude_node, exclude_op, graph, report), report)
    result = map_functions(rewriter.rewrite(graph), rewriter.rewrite_function)
    if per_channel and not rewriter.has_channels:
        report.notes.append("per_channel has no effect: no constant is a weight with channels")
    return result


class _Rewriter:
    """Quantizes the constants of a graph, or of a function."""

    def __init__(
        self,
        minimum_size: int,
        per_channel: bool,
        exclusions: Exclusions,
        report: StepReport,
    ) -> None:
        self._minimum_size = minimum_size
        self._per_channel = per_channel
        self._exclusions = exclusions
        self._report = report
        self.has_channels = False
        """Whether a constant has ranges for channels now."""

    def rewrite(self, graph: GraphDef) -> GraphDef:
        index = GraphIndex(graph)
        taken = index.taken_names()
        return with_nodes(graph, [new for node in graph.node for new in self._quantize(node, taken, index, "")])

    def rewrite_function(self, function: FunctionDef) -> FunctionDef:
        """Quantize the constants of a function.

        References to a constant stay valid: the output of Dequantize has the name `output`, like that of Const.
        """
        if not any(node.op == "Const" for node in function.node_def):
            return function
        index = GraphIndex(function)
        taken = index.taken_names()
        nodes: list[NodeDef] = []
        for node in function.node_def:
            try:
                nodes += self._quantize(node, taken, index, ":output:0")
            except (GraphError, TensorError) as error:
                self._report.refuse(node.name, str(error))
                nodes.append(node)
        same = len(nodes) == len(function.node_def)
        return function if same else with_nodes(function, nodes)

    def _quantize(self, node: NodeDef, taken: TakenNames, index: GraphIndex, port: str) -> Iterator[NodeDef]:
        quantization = self._quantization(node, index)
        if quantization is None:
            yield node
            return
        self._report.fire()
        controls = control_inputs(node)
        names = [taken.fresh(f"{node.name}_quantized_{part}") for part in ("const", "min", "max")]
        attributes = quantization.attributes()
        value = {"dtype": attributes["T"], "value": AttrValue(tensor=quantization.tensor(node))}
        yield NodeDef(name=names[0], op="Const", input=controls, attr=value)
        for name, end in zip(names[1:], (quantization.low, quantization.high), strict=True):
            yield const_node(name, end, DataType.DT_FLOAT, control_inputs=controls)
        yield NodeDef(name=node.name, op="Dequantize", input=[name + port for name in names], attr=attributes)

    def _quantization(self, node: NodeDef, index: GraphIndex) -> _Range | _ChannelRanges | None:
        if node.op != "Const":
            return None
        array = float_array(node)
        if array is None or array.size < self._minimum_size or self._exclusions.has_constant(node, index):
            return None
        if is_splat(array):
            self._report.refuse(node.name, "it is stored as one element, which quantizing would enlarge")
            return None
        axis = _channel_axis(node, index, array.shape) if self._per_channel else None
        self.has_channels |= axis is not None
        quantization = _Range.of(array) if axis is None else _ChannelRanges.of(array, axis)
        if quantization is None:
            self._report.refuse(node.name, NOT_FINITE)
        elif quantization.loses_all:
            self._report.refuse(node.name, TOO_SMALL)
            return None
        return quantization


def _channel_axis(node: NodeDef, index: GraphIndex, shape: tuple[int, ...]) -> int | None:
    """Return the axis of the channels of a weight; None for other constants, and if its readers differ."""
    uses = [use for use in constant_readers(node, index) if use.node.op not in PASSES_ON]
    axes = {_axis_of_use(use, len(shape)) for use in uses}
    if len(axes) != 1:
        return None
    axis = axes.pop()
    if axis is None or not 0 <= axis < len(shape) or not shape[axis]:
        return None
    return axis if prod(shape) // shape[axis] >= MIN_CHANNEL_SIZE else None


def _axis_of_use(use: Use, rank: int) -> int | None:
    role = input_role(use.node.op, use.place, len(data_inputs(use.node)))
    if role == "matrix":
        return _axis_of_matrix(use, rank)
    return {
        "filter": rank - 1,
        "depthwise filter": rank - 2,  # its input channels: one axis can be chosen, and usually the last has size 1
        "transposed filter": rank - 2,
        "embedding": 0,
    }.get(role or "")


def _axis_of_matrix(use: Use, rank: int) -> int | None:
    """Return the axis of a matrix that stays in the product."""
    names = _TRANSPOSES.get(use.node.op)
    if names is None:
        return None
    is_transposed = attr(use.node, names[use.place], bool, False)
    return rank - 1 - (is_transposed != (use.place == 0))


class _Range(NamedTuple):
    """Floats, and their range from `low` to `high`, which the quantized values divide into 255 steps."""

    array: Array
    low: Any
    high: Any
    loses_all: bool = False

    @classmethod
    def of(cls, array: Array) -> _Range | None:
        """Return an array with its range; None if the elements or the length of the range are not finite."""
        f32, tiny = np.float32, np.finfo(np.float32).tiny
        # As in the original, the maximum is initialized with the smallest normal number instead of zero.
        low, high = f32(array.min(initial=0)), f32(array.max(initial=tiny))
        with np.errstate(over="ignore", invalid="ignore"):
            span = high - low
        if not np.isfinite(span):
            return None
        if float(span) / 255 >= tiny:
            return cls(array, low, high)
        # Processors may flush such small steps to zero, and elements that are smaller than a normal number.
        return cls(array, low, low + f32(1), loses_all=bool(low <= -tiny or array.max(initial=0) >= tiny))

    def attributes(self) -> dict[str, AttrValue]:
        """Return the attributes of Dequantize."""
        return {"T": AttrValue(type=DataType.DT_QUINT8), "mode": AttrValue(s=b"MIN_FIRST")}

    def tensor(self, node: NodeDef) -> TensorProto:
        """Return the quantized elements: round(element * scale) - round(low * scale), halves away from zero."""

        f32 = np.float32
        scale = f32(255.0 / float(self.high - self.low))
        almost_half = np.nextafter(f32(0.5), f32(0)).view(np.uint32)  # adding 0.5 would round 0.49999997 to 1
        sign = np.uint32(1 << 31)

        def round_block(block: Any, scratch: Array, out: Any) -> Any:
            np.multiply(block, scale, out=out)
            signed = np.bitwise_and(out.view(np.uint32), sign, out=scratch.view(np.uint32))
            np.bitwise_or(signed, almost_half, out=signed)  # like np.copysign, three times faster
            np.add(out, scratch, out=out)
            return np.trunc(out, out=out)

        first = np.empty(1, f32)
        zero = round_block(np.array([self.low]), np.empty(1, f32), first)[0]

        def encode_block(block: Array, scratch: Array, out: Array) -> None:
            values = round_block(block, *scratch)
            np.subtract(values, zero, out=values)
            np.minimum(values, f32(255), out=values)
            np.copyto(out, values, casting="unsafe")

        return map_elements(node, self.array, np.uint8, DataType.DT_QUINT8, encode_block)


class _ChannelRanges(NamedTuple):
    """Floats, and the largest magnitude `high` of each slice along an axis, which is 127 steps."""

    array: Array
    axis: int
    high: Array
    loses_all: bool = False

    @classmethod
    def of(cls, array: Array, axis: int) -> _ChannelRanges | None:
        """Return an array with its ranges; None if the elements are not all finite."""
        others = tuple(other for other in range(array.ndim) if other != axis)
        high = np.maximum(array.max(axis=others), -array.min(axis=others))
        if not np.isfinite(high).all():
            return None
        tiny = np.finfo(np.float32).tiny
        is_lost = high / _STEPS < tiny  # a channel of zeros, or of numbers that become zero
        loses_all = bool(is_lost.all() and (high >= tiny).any())
        high[is_lost] = 1
        return cls(array, axis, high, loses_all)

    @property
    def low(self) -> Array:
        return -self.high

    def attributes(self) -> dict[str, AttrValue]:
        """Return the attributes of Dequantize."""
        return {
            "T": AttrValue(type=DataType.DT_QINT8),
            "mode": AttrValue(s=b"SCALED"),
            "narrow_range": AttrValue(b=True),
            "axis": AttrValue(i=self.axis),
        }

    def tensor(self, node: NodeDef) -> TensorProto:
        """Return the quantized elements, rounded to nearest, halves away from zero."""
        channels = self.array.shape[self.axis]
        after = prod(self.array.shape[self.axis + 1 :])
        old = self.array.reshape(-1, channels, after)
        new = np.empty(old.shape, np.int8)
        scale = (np.float32(_STEPS) / self.high).reshape(channels, 1)
        rows = max(1, _BLOCK // (channels * after))
        for start in range(0, len(old), rows):
            scaled = old[start : start + rows] * scale
            new[start : start + rows] = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
        return owned_tensor(new.reshape(self.array.shape), DataType.DT_QINT8)
