"""Weights of a byte each: the file has a quarter of its size.

    w = Const[value=float{...}]   ->   w_quantized_const = Const[value=quint8{...}]
                                       w_quantized_min   = Const, w_quantized_max = Const
                                       w = Dequantize(w_quantized_const, w_quantized_min, w_quantized_max)

A code stands for one of 256 numbers, at equal distances, from the smallest element to the largest, zero among them. So
an element changes by half of such a distance; and by a whole one more where zero lies amid two codes, as it does for
the range -1 to 1, since what makes codes and what reads them may round it to different sides.

Unlike the original: elements that are all zero, or hardly differ from it, are zero, where they become NaN there; those
that are not all finite are left alone, where NaN becomes a number there and infinity makes NaN of all; and so is a
tensor that is stored as one element, whose codes would take more. Control inputs are kept, by the codes and by both
ends of the range: without, a constant would leave its loop. Constants in functions are quantized too, those whose type
their caller tells left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import GraphError, TensorError, TransformError
from ..graph import with_functions, with_nodes
from ..graph.edit import TakenNames
from ..messages import AttrValue, DataType, FunctionDef, GraphDef, NodeDef
from ..names import control_inputs
from .framework.new_constants import const_node
from .framework.registry import graph_transform
from .framework.report import StepReport

if TYPE_CHECKING:
    from ..messages import TensorProto
    from .quantization.weights import Array

__all__ = ["quantize_weights"]


@graph_transform
def quantize_weights(graph: GraphDef, *, minimum_size: int = 1024, report: StepReport) -> GraphDef:
    """Store float constants of `minimum_size` elements or more as one byte for each.

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
        raise TransformError(f"minimum_size must not be negative, and is {minimum_size}")
    rewriter = _Rewriter(minimum_size, report)
    result = rewriter.applied(graph, graph.node)
    if graph.library is None or not graph.library.function:
        return result
    functions = [rewriter.in_function(each) for each in graph.library.function]
    same = all(new is old for new, old in zip(functions, graph.library.function, strict=True))
    return result if same else with_functions(result, functions)


class _Rewriter:
    """Quantizes the constants of a graph, or of a function."""

    def __init__(self, minimum_size: int, report: StepReport) -> None:
        self._minimum_size = minimum_size
        self._report = report

    def applied(self, graph: GraphDef, nodes: list[NodeDef]) -> GraphDef:
        taken = TakenNames(node.name for node in nodes)
        return with_nodes(graph, [new for node in nodes for new in self._of(node, taken, "")])

    def in_function(self, function: FunctionDef) -> FunctionDef:
        """What others call the output of a Const, they call that of a Dequantize too: both are `output`."""
        if not any(node.op == "Const" for node in function.node_def):
            return function
        arguments = function.signature.input_arg if function.signature is not None else []
        taken = TakenNames([*(node.name for node in function.node_def), *(each.name for each in arguments)])
        nodes: list[NodeDef] = []
        for node in function.node_def:
            try:
                nodes += self._of(node, taken, ":output:0")
            except (GraphError, TensorError) as error:
                self._report.refuse(node.name, str(error))
                nodes.append(node)
        same = len(nodes) == len(function.node_def)
        return function if same else with_nodes(function, nodes)

    def _of(self, node: NodeDef, taken: TakenNames, port: str) -> Iterator[NodeDef]:
        codes = self._codes(node)
        if codes is None:
            yield node
            return
        self._report.fire()
        controls = control_inputs(node)
        names = [taken.fresh(f"{node.name}_quantized_{part}") for part in ("const", "min", "max")]
        value = {"dtype": AttrValue(type=DataType.DT_QUINT8), "value": AttrValue(tensor=codes.tensor(node))}
        yield NodeDef(name=names[0], op="Const", input=controls, attr=value)
        for name, end in zip(names[1:], (codes.low, codes.high), strict=True):
            yield const_node(name, float(end), DataType.DT_FLOAT, control_inputs=controls)
        attributes = {"T": AttrValue(type=DataType.DT_QUINT8), "mode": AttrValue(s=b"MIN_FIRST")}
        yield NodeDef(name=node.name, op="Dequantize", input=[name + port for name in names], attr=attributes)

    def _codes(self, node: NodeDef) -> _Codes | None:
        if node.op != "Const":
            return None
        from .quantization.weights import NOT_FINITE, float_array, is_splat

        array = float_array(node)
        if array is None or array.size < self._minimum_size:
            return None
        if is_splat(array):
            self._report.refuse(node.name, "it is stored as one element, and its codes would take more")
            return None
        codes = _Codes.of(array)
        if codes is None:
            self._report.refuse(node.name, NOT_FINITE)
        return codes


class _Codes(NamedTuple):
    """Floats, and the range that codes divide into 255 steps."""

    array: Array
    low: Any
    high: Any

    @classmethod
    def of(cls, array: Array) -> _Codes | None:
        """None if they are not all finite, or too far apart."""
        import numpy as np

        f32, smallest = np.float32, np.finfo(np.float32).tiny
        # The original starts from the smallest positive number where zero is meant, and files should be the same.
        low, high = f32(array.min(initial=0)), f32(array.max(initial=smallest))
        with np.errstate(over="ignore", invalid="ignore"):
            span = high - low
        if not np.isfinite(span):
            return None
        if float(span) / 255 < smallest:  # processors take steps that are smaller for zero
            high = low + f32(1)
        return cls(array, low, high)

    def tensor(self, node: NodeDef) -> TensorProto:
        """The codes of the elements of `node`: round(element * scale) - round(low * scale), halves away from zero."""
        import numpy as np

        from .quantization.weights import mapped

        f32 = np.float32
        scale = f32(255.0 / float(self.high - self.low))
        almost_half = np.nextafter(f32(0.5), f32(0)).view(np.uint32)  # a half would carry what is next to a half over
        sign = np.uint32(1 << 31)

        def rounded(block: Any, scratch: Array, out: Any) -> Any:
            np.multiply(block, scale, out=out)
            signed = np.bitwise_and(out.view(np.uint32), sign, out=scratch.view(np.uint32))
            np.bitwise_or(signed, almost_half, out=signed)  # what np.copysign gives, in a third of the time
            np.add(out, scratch, out=out)
            return np.trunc(out, out=out)

        first = np.empty(1, f32)
        zero = rounded(np.array([self.low]), np.empty(1, f32), first)[0]

        def encoded(block: Array, scratch: Array, out: Array) -> None:
            found = rounded(block, *scratch)
            np.subtract(found, zero, out=found)
            np.minimum(found, f32(255), out=found)
            np.copyto(out, found, casting="unsafe")

        return mapped(node, self.array, np.uint8, DataType.DT_QUINT8, encoded)
