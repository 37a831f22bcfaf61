"""Store weights as one byte per element, which makes the file four times smaller.

    w = Const[value=float{...}]   ->   w_quantized_const = Const[value=quint8{...}]
                                       w_quantized_min   = Const, w_quantized_max = Const
                                       w = Dequantize(w_quantized_const, w_quantized_min, w_quantized_max)

A quantized value stands for one of 256 equidistant numbers from the smallest element to the largest; the range includes
zero. So an element changes by up to half a step. If zero is halfway between two quantized values, as in the range -1 to
1, the change may be one step larger, since quantizing and dequantizing may round zero in different directions.

Differences from the original:

    Elements that are all zero or almost zero become zero. In the original they become NaN.
    Constants whose elements are not all finite are left alone. In the original, NaN becomes a number, and infinity
    makes all elements NaN.
    Tensors that are stored as one repeated element are left alone, since quantizing would enlarge them.
    All three new constants keep the control inputs: without them a constant would leave its loop.
    Constants in functions are quantized too, except for those whose type is an attribute of the function.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import GraphError, TensorError, TransformError
from ..graph import with_functions, with_nodes
from ..graph.edit import TakenNames
from ..messages import AttrValue, DataType, FunctionDef, GraphDef, NodeDef
from ..names import control_inputs
from .framework.node_edits import const_node
from .framework.registry import graph_transform
from .framework.report import StepReport

if TYPE_CHECKING:
    from ..messages import TensorProto
    from .quantization.weights import Array

__all__ = ["quantize_weights"]


@graph_transform
def quantize_weights(graph: GraphDef, *, minimum_size: int = 1024, report: StepReport) -> GraphDef:
    """Store float constants of `minimum_size` or more elements as one byte per element.

    Fails if a constant has no value.

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
    rewriter = _Rewriter(minimum_size, report)
    result = rewriter.rewrite(graph, graph.node)
    if graph.library is None or not graph.library.function:
        return result
    functions = [rewriter.rewrite_function(function) for function in graph.library.function]
    same = all(new is old for new, old in zip(functions, graph.library.function, strict=True))
    return result if same else with_functions(result, functions)


class _Rewriter:
    """Quantizes the constants of a graph, or of a function."""

    def __init__(self, minimum_size: int, report: StepReport) -> None:
        self._minimum_size = minimum_size
        self._report = report

    def rewrite(self, graph: GraphDef, nodes: list[NodeDef]) -> GraphDef:
        taken = TakenNames(node.name for node in nodes)
        return with_nodes(graph, [new for node in nodes for new in self._quantize(node, taken, "")])

    def rewrite_function(self, function: FunctionDef) -> FunctionDef:
        """Quantize the constants of a function.

        References to a constant stay valid: the output of Dequantize has the name `output`, like that of Const.
        """
        if not any(node.op == "Const" for node in function.node_def):
            return function
        arguments = function.signature.input_arg if function.signature is not None else []
        taken = TakenNames([*(node.name for node in function.node_def), *(argument.name for argument in arguments)])
        nodes: list[NodeDef] = []
        for node in function.node_def:
            try:
                nodes += self._quantize(node, taken, ":output:0")
            except (GraphError, TensorError) as error:
                self._report.refuse(node.name, str(error))
                nodes.append(node)
        same = len(nodes) == len(function.node_def)
        return function if same else with_nodes(function, nodes)

    def _quantize(self, node: NodeDef, taken: TakenNames, port: str) -> Iterator[NodeDef]:
        quantization = self._quantization(node)
        if quantization is None:
            yield node
            return
        self._report.fire()
        controls = control_inputs(node)
        names = [taken.fresh(f"{node.name}_quantized_{part}") for part in ("const", "min", "max")]
        value = {"dtype": AttrValue(type=DataType.DT_QUINT8), "value": AttrValue(tensor=quantization.tensor(node))}
        yield NodeDef(name=names[0], op="Const", input=controls, attr=value)
        for name, end in zip(names[1:], (quantization.low, quantization.high), strict=True):
            yield const_node(name, float(end), DataType.DT_FLOAT, control_inputs=controls)
        attributes = {"T": AttrValue(type=DataType.DT_QUINT8), "mode": AttrValue(s=b"MIN_FIRST")}
        yield NodeDef(name=node.name, op="Dequantize", input=[name + port for name in names], attr=attributes)

    def _quantization(self, node: NodeDef) -> _Quantization | None:
        if node.op != "Const":
            return None
        from .quantization.weights import NOT_FINITE, float_array, is_splat

        array = float_array(node)
        if array is None or array.size < self._minimum_size:
            return None
        if is_splat(array):
            self._report.refuse(node.name, "it is stored as one element, which quantizing would enlarge")
            return None
        quantization = _Quantization.of(array)
        if quantization is None:
            self._report.refuse(node.name, NOT_FINITE)
        return quantization


class _Quantization(NamedTuple):
    """Floats, and their range from `low` to `high`, which the quantized values divide into 255 steps."""

    array: Array
    low: Any
    high: Any

    @classmethod
    def of(cls, array: Array) -> _Quantization | None:
        """Return an array with its range; None if the elements or the length of the range are not finite."""
        import numpy as np

        f32, tiny = np.float32, np.finfo(np.float32).tiny
        # As in the original, the maximum is initialized with the smallest positive number instead of zero.
        low, high = f32(array.min(initial=0)), f32(array.max(initial=tiny))
        with np.errstate(over="ignore", invalid="ignore"):
            span = high - low
        if not np.isfinite(span):
            return None
        if float(span) / 255 < tiny:  # processors may flush smaller steps to zero
            high = low + f32(1)
        return cls(array, low, high)

    def tensor(self, node: NodeDef) -> TensorProto:
        """Return the quantized elements: round(element * scale) - round(low * scale), halves away from zero."""
        import numpy as np

        from .quantization.weights import map_elements

        f32 = np.float32
        scale = f32(255.0 / float(self.high - self.low))
        almost_half = np.nextafter(f32(0.5), f32(0)).view(np.uint32)  # a half would round up
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
